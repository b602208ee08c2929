// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies that attract each other, all pairs, as values: a step reads all positions and makes new
// ones. Steps are of leapfrog, so that momentum and, nearly, energy stay what they are.
#include "options.hpp"

#include <ikra/ikra.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>

namespace {

struct vector {
  float x, y, z;
};
struct body {
  float x, y, z, mass;
};

constexpr float softening = 0.01F; // squared distance that bodies always have

/// What attracts a body: 20 operations for each pair.
ikra::array<vector> accelerations(const ikra::array<body>& bodies) {
  return bodies.pmap([bodies](const body& here) {
    vector sum{0, 0, 0};
    for (const body& there : bodies) {
      const float x = there.x - here.x, y = there.y - here.y, z = there.z - here.z;
      const float near = 1 / std::sqrt(x * x + y * y + z * z + softening);
      const float pull = there.mass * near * near * near;
      sum.x += pull * x;
      sum.y += pull * y;
      sum.z += pull * z;
    }
    return sum;
  });
}

ikra::array<vector> kicked(const ikra::array<vector>& velocities, const ikra::array<vector>& by,
                           float seconds) {
  return velocities.pcombine(by, [seconds](const vector& v, const vector& a) {
    return vector{v.x + seconds * a.x, v.y + seconds * a.y, v.z + seconds * a.z};
  });
}

ikra::array<body> drifted(const ikra::array<body>& bodies, const ikra::array<vector>& velocities,
                          float seconds) {
  return bodies.pcombine(velocities, [seconds](const body& b, const vector& v) {
    return body{b.x + seconds * v.x, b.y + seconds * v.y, b.z + seconds * v.z, b.mass};
  });
}

double energy(const ikra::array<body>& bodies, const ikra::array<vector>& velocities) {
  const auto of_each = bodies.with_index().pcombine(
      velocities, [bodies](const body& here, const vector& v, std::int64_t i) {
        double result = 0.5 * double(here.mass) * double(v.x * v.x + v.y * v.y + v.z * v.z);
        std::int64_t j = 0;
        for (const body& there : bodies) {
          const float x = there.x - here.x, y = there.y - here.y, z = there.z - here.z;
          if (j++ != i)
            result -=
                0.5 * double(here.mass * there.mass / std::sqrt(x * x + y * y + z * z + softening));
        }
        return result;
      });
  return of_each.sum();
}

double momentum(const ikra::array<body>& bodies, const ikra::array<vector>& velocities) {
  return bodies
      .pcombine(velocities,
                [](const body& b, const vector& v) { return double(b.mass) * double(v.x); })
      .sum();
}

} // namespace

int main(int argc, char** argv) {
  std::int64_t count = 512, steps = 20;
  apps::read_options(argc, argv, "bodies that attract each other, all pairs",
                     {{"--bodies", count, 1, 1 << 24, "how many"},
                      {"--steps", steps, 0, 1 << 24, "of a two-hundredth of a second"}});
  const float mass = 1 / static_cast<float>(count);
  auto bodies = ikra::pnew(count, [mass](std::int64_t i) {
    ikra::random r(17, static_cast<std::uint64_t>(i));
    const float x = 2 * r.uniform<float>() - 1, y = 2 * r.uniform<float>() - 1;
    return body{x, y, 2 * r.uniform<float>() - 1, mass};
  });
  auto velocities = bodies.pmap([](const body& b) { return vector{-0.3F * b.y, 0.3F * b.x, 0}; });
  const double energy_before = energy(bodies, velocities);
  const double momentum_before = momentum(bodies, velocities);

  constexpr float step = 0.005F;
  auto pull = accelerations(bodies);
  for (std::int64_t s = 0; s < steps; ++s) {
    velocities = kicked(velocities, pull, step / 2);
    bodies = drifted(bodies, velocities, step);
    pull = accelerations(bodies);
    velocities = kicked(velocities, pull, step / 2);
  }

  const double energy_after = energy(bodies, velocities);
  std::printf("%lld bodies, %lld steps\n", static_cast<long long>(count),
              static_cast<long long>(steps));
  std::printf("energy %.3f, then %.3f\n", energy_before, energy_after);
  return apps::verdict(std::fabs(energy_after - energy_before) < 2e-3 * std::fabs(energy_before) &&
                           std::fabs(momentum(bodies, velocities) - momentum_before) < 1e-5,
                       "energy and momentum");
}
