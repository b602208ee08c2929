// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heat spreads in a plate with one hot edge, and in a cube with one hot face: an explicit step of
// the heat equation is a stencil, whose border keeps its temperature.
#include "picture.hpp"
#include "program.hpp"

#include <cstdint>

using plate = ikra::array<float, 2>;
using cube = ikra::array<float, 3>;

namespace {

constexpr float diffusion = 0.15f;

plate spread(plate t, long steps) {
  for (long step = 0; step < steps; ++step)
    t = t.pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, ikra::keep, [](const auto& n) {
      const float around = (n(-1, 0) + n(1, 0)) + (n(0, -1) + n(0, 1));
      return n(0, 0) + diffusion * (around - 4.0f * n(0, 0));
    });
  return t;
}

cube spread(cube t, long steps) {
  for (long step = 0; step < steps; ++step)
    t = t.pstencil({{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}},
                   ikra::keep, [](const auto& n) {
                     const float around = (n(-1, 0, 0) + n(1, 0, 0)) +
                                          ((n(0, -1, 0) + n(0, 1, 0)) + (n(0, 0, -1) + n(0, 0, 1)));
                     return n(0, 0, 0) + diffusion * (around - 6.0f * n(0, 0, 0));
                   });
  return t;
}

/// Temperatures stay between those of the border, and left and right are alike.
template <int R> void check_temperatures(const ikra::array<float, R>& t) {
  const std::int64_t last = t.shape()[R - 1] - 1;
  const auto differs = [t, last](float own, ikra::index<R> at) {
    at[R - 1] = last - at[R - 1];
    return own != t[at];
  };
  simulations::check(t.preduce(ikra::min).value() >= 0 && t.preduce(ikra::max).value() <= 1,
                     "a temperature is not between those of the border");
  simulations::check(t.with_index().pmap(differs).count([](bool d) { return d; }) == 0,
                     "left and right are not alike");
}

void run(const simulations::options& given) {
  const std::int64_t n = given["size"], m = given["cube"];
  const plate cold_plate =
      ikra::pnew({n, n}, [](ikra::index<2> at) { return at[0] == 0 ? 1.0f : 0.0f; });
  const plate t = spread(cold_plate, given["steps"]);
  check_temperatures(t);
  std::printf("plate: %.3f\n", t.pmap([](float x) { return double(x); }).sum() / double(n * n));

  const cube cold_cube =
      ikra::pnew({m, m, m}, [](ikra::index<3> at) { return at[0] == 0 ? 1.0f : 0.0f; });
  const cube u = spread(cold_cube, given["steps"]);
  check_temperatures(u);
  std::printf("cube: %.3f\n", u.pmap([](float x) { return double(x); }).sum() / double(m * m * m));
  simulations::draw(t, 0.0f, 1.0f, given.picture());
}

} // namespace

int main(int argc, char** argv) {
  return simulations::run_program(
      argc, argv, {{"size", 1024, 3, 32768}, {"cube", 128, 3, 1024}, {"steps", 500, 0, 1'000'000}},
      run);
}
