// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fluid flows through a channel and around a disc: the lattice Boltzmann method with nine
// velocities (D2Q9). A step moves what each cell sends to its neighbours, then relaxes it (BGK);
// walls throw back. One stencil does both.
#include "picture.hpp"
#include "program.hpp"

#include <array>
#include <cmath>
#include <cstdint>

namespace {

/// Densities by velocity, at rest, along the axes, along the diagonals; and what the cell is.
struct cell {
  std::array<float, 9> f;
  std::int32_t is_wall;
};
using fluid = ikra::array<cell, 2>;

constexpr int down[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
constexpr int right[] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
constexpr int back[] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
constexpr float weight[] = {4.0f / 9,  1.0f / 9,  1.0f / 9,  1.0f / 9, 1.0f / 9,
                            1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

struct flow {
  float density, down, right;
};

flow flow_of(const cell& c) {
  flow sum{0, 0, 0};
  for (int q = 0; q < 9; ++q) {
    sum.density += c.f[q];
    sum.down += float(down[q]) * c.f[q];
    sum.right += float(right[q]) * c.f[q];
  }
  return {sum.density, sum.down / sum.density, sum.right / sum.density};
}

/// What a fluid in equilibrium has of velocity q.
float equilibrium(int q, const flow& u) {
  const float along = 3.0f * (float(down[q]) * u.down + float(right[q]) * u.right);
  const float square = 1.5f * (u.down * u.down + u.right * u.right);
  return weight[q] * u.density * (1.0f + along + 0.5f * along * along - square);
}

fluid step(const fluid& cells, float relaxation, float force) {
  return cells.pstencil(ikra::box<1, 1>, ikra::wrap, [relaxation, force](const auto& n) {
    cell c = n(0, 0);
    for (int q = 0; q < 9; ++q)
      c.f[q] = n(-down[q], -right[q]).f[q];
    if (c.is_wall != 0) {
      const cell met = c;
      for (int q = 0; q < 9; ++q)
        c.f[q] = met.f[back[q]];
      return c;
    }
    const flow u = flow_of(c);
    for (int q = 0; q < 9; ++q)
      c.f[q] +=
          relaxation * (equilibrium(q, u) - c.f[q]) + 3.0f * weight[q] * force * float(right[q]);
    return c;
  });
}

double mass(const fluid& cells) {
  return cells.pmap([](const cell& c) { return double(flow_of(c).density); }).sum();
}

void run(const simulations::options& given) {
  const std::int64_t height = given["size"], width = 3 * height;
  const float radius = float(height) / 9;
  fluid cells = ikra::pnew({height, width}, [=](ikra::index<2> at) {
    const float y = float(at[0]) - 0.48f * float(height), x = float(at[1]) - 0.25f * float(width);
    cell c{};
    c.is_wall = at[0] == 0 || at[0] == height - 1 || y * y + x * x < radius * radius;
    const flow u{1.0f, 0.0f, c.is_wall != 0 ? 0.0f : 0.08f};
    for (int q = 0; q < 9; ++q)
      c.f[q] = equilibrium(q, u);
    return c;
  });
  const double before = mass(cells);
  for (long k = 0; k < given["steps"]; ++k)
    cells = step(cells, 1.85f, 1e-6f);
  simulations::check(std::fabs(mass(cells) / before - 1) < 1e-4, "mass is lost");
  const auto speed = cells.pmap([](const cell& c) {
    const flow u = flow_of(c);
    return c.is_wall != 0 ? 0.0f : std::sqrt(u.down * u.down + u.right * u.right);
  });
  simulations::check(speed.preduce(ikra::max).value() < 0.3f,
                     "the fluid is faster than the method allows");
  std::printf("mean speed: %.3f\n",
              speed.pmap([](float s) { return double(s); }).sum() / double(height * width));
  simulations::draw(speed, 0.0f, 0.16f, given.picture());
}

} // namespace

int main(int argc, char** argv) {
  return simulations::run_program(argc, argv,
                                  {{"size", 200, 9, 8192}, {"steps", 6000, 0, 10'000'000}}, run);
}
