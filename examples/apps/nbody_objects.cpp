// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies that attract each other, all pairs, as objects: each body looks at all others, then moves.
// The same steps as in nbody.cpp, which has values.
#include "options.hpp"

#include <ikra/ikra.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

class body {
public:
  body(ikra::random r, float mass) : mass_(mass) {
    x_ = 2 * r.uniform<float>() - 1;
    y_ = 2 * r.uniform<float>() - 1;
    z_ = 2 * r.uniform<float>() - 1;
    speed_x_ = -0.3F * y_;
    speed_y_ = 0.3F * x_;
  }

  /// What all bodies pull this one with; its own pull is 0.
  void look_at(const std::vector<body*>& all) {
    pull_x_ = pull_y_ = pull_z_ = 0;
    for (const body* other : all) {
      const float x = other->x_ - x_, y = other->y_ - y_, z = other->z_ - z_;
      const float near = 1 / std::sqrt(x * x + y * y + z * z + softening);
      const float pull = other->mass_ * near * near * near;
      pull_x_ += pull * x;
      pull_y_ += pull * y;
      pull_z_ += pull * z;
    }
  }
  void kick(float seconds) {
    speed_x_ += seconds * pull_x_;
    speed_y_ += seconds * pull_y_;
    speed_z_ += seconds * pull_z_;
  }
  void drift(float seconds) {
    x_ += seconds * speed_x_;
    y_ += seconds * speed_y_;
    z_ += seconds * speed_z_;
  }

  double energy(const std::vector<body*>& all) const {
    double result = 0.5 * double(mass_) *
                    double(speed_x_ * speed_x_ + speed_y_ * speed_y_ + speed_z_ * speed_z_);
    for (const body* other : all) {
      const float x = other->x_ - x_, y = other->y_ - y_, z = other->z_ - z_;
      if (other != this)
        result -= 0.5 * double(mass_ * other->mass_ / std::sqrt(x * x + y * y + z * z + softening));
    }
    return result;
  }
  double momentum() const { return double(mass_) * double(speed_x_); }

private:
  static constexpr float softening = 0.01F; // squared distance that bodies always have

  float x_, y_, z_, mass_;
  float speed_x_, speed_y_, speed_z_ = 0;
  float pull_x_ = 0, pull_y_ = 0, pull_z_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  std::int64_t count = 512, steps = 20;
  apps::read_options(argc, argv, "objects that attract each other, all pairs",
                     {{"--bodies", count, 1, 1 << 24, "how many"},
                      {"--steps", steps, 0, 1 << 24, "of a two-hundredth of a second"}});
  std::vector<std::unique_ptr<body>> bodies;
  std::vector<body*> all;
  for (std::int64_t i = 0; i < count; ++i) {
    bodies.push_back(std::make_unique<body>(ikra::random(17, static_cast<std::uint64_t>(i)),
                                            1 / static_cast<float>(count)));
    all.push_back(bodies.back().get());
  }
  const ikra::array<body*> each(bodies);
  ikra::resident scope{bodies}; // objects stay on the device between the sections
  const auto energy = [&] {
    return each.pmap([all](const body* b) { return b->energy(all); }).sum();
  };
  const auto momentum = [&] {
    return each.pmap([](const body* b) { return b->momentum(); }).sum();
  };
  const double energy_before = energy(), momentum_before = momentum();

  constexpr float step = 0.005F;
  each.peach([&all](body* b) { b->look_at(all); });
  for (std::int64_t s = 0; s < steps; ++s) {
    each.peach([](body* b) {
      b->kick(step / 2);
      b->drift(step);
    });
    each.peach([&all](body* b) { b->look_at(all); });
    each.peach([](body* b) { b->kick(step / 2); });
  }

  const double energy_after = energy();
  std::printf("%lld bodies, %lld steps\n", static_cast<long long>(count),
              static_cast<long long>(steps));
  std::printf("energy %.3f, then %.3f\n", energy_before, energy_after);
  return apps::verdict(std::fabs(energy_after - energy_before) < 2e-3 * std::fabs(energy_before) &&
                           std::fabs(momentum() - momentum_before) < 1e-5,
                       "energy and momentum");
}
