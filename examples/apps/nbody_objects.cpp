// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies that attract each other, all pairs, as objects: each body looks at all others, then moves.
// The same steps as in nbody.cpp, which has values.
#include "../simulations/picture.hpp"
#include "options.hpp"

#include <ikra/ikra.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
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

  float x() const { return x_; }
  float y() const { return y_; }

  /// What all bodies pull this one with; its own pull is 0.
  void look_at(const std::vector<body>& all) {
    pull_x_ = pull_y_ = pull_z_ = 0;
    for (const body& other : all) {
      const float x = other.x_ - x_, y = other.y_ - y_, z = other.z_ - z_;
      const float near = 1 / std::sqrt(x * x + y * y + z * z + softening);
      const float pull = other.mass_ * near * near * near;
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

  double energy(const ikra::array<body*>& all) const {
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

/// A picture of the bodies from above: the more in a place, the lighter it is.
void draw(const std::vector<body>& bodies, const std::string& to) {
  constexpr std::int64_t side = 512;
  std::vector<float> light(side * side);
  for (const body& b : bodies) {
    const auto column = std::int64_t((b.x() / 3 + 0.5F) * side);
    const auto row = std::int64_t((b.y() / 3 + 0.5F) * side);
    if (column >= 0 && column < side && row >= 0 && row < side)
      light[static_cast<std::size_t>(row * side + column)] += 1;
  }
  const ikra::array<float, 2> counts{light, {side, side}};
  simulations::draw(counts.pmap([](float n) { return std::min(1.0F, std::sqrt(n) / 2); }), 0.0F,
                    1.0F, to);
}

} // namespace

int main(int argc, char** argv) {
  std::int64_t count = 512, steps = 20;
  std::string picture;
  apps::read_options(argc, argv, "objects that attract each other, all pairs",
                     {{"--bodies", count, 1, 1 << 24, "how many"},
                      {"--steps", steps, 0, 1 << 24, "of a two-hundredth of a second"}},
                     {}, {{"--picture", picture, "a PNG file of the bodies in the end"}});
  std::vector<body> bodies;
  for (std::int64_t i = 0; i < count; ++i)
    bodies.emplace_back(ikra::random(17, static_cast<std::uint64_t>(i)),
                        1 / static_cast<float>(count));
  ikra::resident scope{bodies}; // objects stay on the device between the sections
  const auto energy = [&bodies] {
    const ikra::array<body*> all = ikra::objects(bodies);
    return all.pmap([all](const body* b) { return b->energy(all); }).sum();
  };
  const auto momentum = [&bodies] {
    return ikra::objects(bodies).pmap([](const body& b) { return b.momentum(); }).sum();
  };
  const double energy_before = energy(), momentum_before = momentum();

  constexpr float step = 0.005F;
  ikra::objects(bodies).peach([&bodies](body& b) { b.look_at(bodies); });
  for (std::int64_t s = 0; s < steps; ++s) {
    ikra::objects(bodies).peach([](body& b) {
      b.kick(step / 2);
      b.drift(step);
    });
    ikra::objects(bodies).peach([&bodies](body& b) { b.look_at(bodies); });
    ikra::objects(bodies).peach([](body& b) { b.kick(step / 2); });
  }

  const double energy_after = energy();
  std::printf("%lld bodies, %lld steps\n", static_cast<long long>(count),
              static_cast<long long>(steps));
  std::printf("energy %.3f, then %.3f\n", energy_before, energy_after);
  const bool is_right = std::fabs(energy_after - energy_before) < 2e-3 * std::fabs(energy_before) &&
                        std::fabs(momentum() - momentum_before) < 1e-5;
  scope.sync(); // the host reads the bodies
  try {
    draw(bodies, picture);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "nbody_objects: %s\n", e.what());
    return 1;
  }
  return apps::verdict(is_right, "energy and momentum");
}
