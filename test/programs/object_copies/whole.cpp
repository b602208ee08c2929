// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A class that has objects in some sections and values in others: captured copies of objects, and
// arrays of objects themselves.
#include "whole.hpp"

#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

namespace {

struct Place {
  float x = 0, y = 0;
};

class Star {
public:
  Star() = default;
  Star(float x, int mass) : mass_(mass) { at_.x = x; }

  float x() const { return at_.x; }
  std::int64_t key() const {
    return static_cast<std::int64_t>(at_.x * 64) * 31 + static_cast<int>(trail_[1] * 8) + steps_;
  }
  float pull_of(const Star& other) const {
    const float d = other.at_.x - at_.x;
    return static_cast<float>(other.mass_) * d / (d * d + 1.0f) + other.trail_[1] * 0.25f;
  }
  void pull(const std::vector<Star>& all) {
    for (const Star& other : all)
      speed_ += pull_of(other) * 0.0625f;
    for (std::size_t i = 0; i < all.size(); i += 7)
      speed_ += all[i].at_.x * 0.125f - static_cast<float>(all.at(i).mass_) * 0.5f;
    speed_ += all.front().x() - all.back().x();
  }
  void follow(std::span<const Star> all) {
    for (Star other : all) { // a copy of a copy
      other.move();
      trail_[0] += other.at_.x > at_.x ? 0.25f : -0.5f;
    }
  }
  void move() {
    trail_[1] = trail_[0];
    trail_[0] = at_.x;
    at_.x += speed_ > 0 ? 0.5f : -0.25f;
    ++steps_;
  }

private:
  Place at_;
  char tag_ = 'a';
  double speed_ = 0;
  float trail_[2] = {0, 1};
  int mass_ = 1, steps_ = 0;
};

std::int64_t sum(const std::vector<Star>& stars) {
  std::int64_t all = 0;
  for (const Star& star : stars)
    all = all * 7 % 1'000'003 + star.key();
  return all;
}

/// Each step sees the objects as they were before it.
void captured(std::vector<Star>& stars) {
  for (int step = 0; step < 3; ++step) // no sequence: the copy is another in each step
    ikra::objects(stars).peach([stars](Star* s) {
      s->pull(stars);
      s->move();
    });
  const Star sun(3, 50);
  std::array<Star, 5> some{};
  some[2] = sun;
  const ikra::array<Star> as_array{stars};
  ikra::objects(stars).peach([all = stars, sun, some, as_array](Star& s) {
    const std::span<const Star> part = std::span<const Star>(all).first(all.size() / 2);
    const auto& same = all;
    s.follow(part);
    if (s.pull_of(sun) > 0)
      s.pull(same);
    for (const Star& each : some)
      s.pull(all.size() > 3 && each.x() > s.x() ? same : all);
    for (const auto& each : as_array)
      s.follow(part.first(each.x() > 2 ? 1u : 0u));
  });
  std::printf("captured %lld\n", static_cast<long long>(sum(stars)));
}

void values(std::vector<Star>& stars) {
  const auto next = ikra::array{stars}.pmap([stars](Star s) {
    s.pull(stars);
    s.move();
    return s;
  });
  const auto moved = ikra::objects(stars).pmap([](const Star* s) {
    Star later = *s;
    later.move();
    return later;
  });
  const auto farther = [](const Star& a, const Star& b) { return a.x() < b.x() ? b : a; };
  std::printf("values %lld %lld\n", static_cast<long long>(sum(next.to_vector())),
              static_cast<long long>(sum(moved.to_vector())));
  std::printf("%lld %lld\n", static_cast<long long>(next.preduce(farther).value().key()),
              static_cast<long long>(sum(next.pscan(farther).to_vector())));
  std::printf("%lld %lld\n",
              static_cast<long long>(next.count([](const Star& s) { return s.x() > 0.5f; })),
              static_cast<long long>(sum(next.pselect([](Star s) {
                                               s.move();
                                               return s.x() > 1;
                                             })
                                             .to_vector())));
  std::printf("%lld\n", static_cast<long long>(sum(next.pcombine(moved,
                                                                 [](Star a, const Star& b) {
                                                                   a.move();
                                                                   return a.x() < b.x() ? a : b;
                                                                 })
                                                       .to_vector())));
  const auto sorted = next.psort([](const Star& a, const Star& b) { return a.x() > b.x(); });
  const auto placed =
      next.with_index().pmap([](const Star& s, std::int64_t i) { return s.key() * (i % 5 + 1); });
  const Star sun(2, 9);
  const auto fresh = ikra::pnew(50, [sun](std::int64_t i) {
    const Star star(static_cast<float>(i), 2);
    return i % 2 == 0 ? sun : star;
  });
  std::printf("%lld %lld %lld\n", static_cast<long long>(sum(sorted.to_vector())),
              static_cast<long long>(placed.sum()), static_cast<long long>(sum(fresh.to_vector())));
  stars = next.to_vector();
}

/// With a base, and of a template.
struct Spot {
  float x = 0, y = 0;
  void shift(float by) { x += by; }
};
template <class Real> struct Comet : Spot {
  Real tail = 1;
  void follow(const std::vector<Comet>& all) {
    for (const Comet& other : all)
      tail += other.x > x ? Real(0.5) : Real(0.25);
  }
  void drift() {
    Comet next = *this;
    next.shift(next.tail > 4 ? 1 : 2);
    *this = next;
  }
};

void comets(std::size_t count) {
  std::vector<Comet<float>> all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i].x = static_cast<float>(i % 9);
  ikra::objects(all).peach([=](Comet<float>* c) { c->follow(all); });
  ikra::objects(all).peach([](Comet<float>* c) { c->drift(); });
  const auto moved = ikra::array{all}.pmap([](Comet<float> c) {
    c.shift(3);
    return c;
  });
  std::printf("comets %.2f %.2f\n", double(all.back().tail + all.front().x),
              double(moved.to_vector().back().x));
}

/// Two objects that change places, by a copy; copies do by std::swap.
struct Pan {
  double load = 1;
  const Pan* over = nullptr;
};
struct Scales {
  Pan left, right;
  double tilt = 0;
  void turn() {
    const auto old = left;
    left = right;
    right = old;
    Pan light = left, heavy = right;
    if (heavy.load < light.load)
      std::swap(light, heavy);
    tilt = tilt / 2 + heavy.load - light.load + (left.over == &right ? 8 : 0);
  }
};

void exchanged(std::size_t count) {
  std::vector<Scales> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    all[i].left.load = static_cast<double>(i % 7);
    all[i].right.over = i % 2 == 0 ? &all[i].right : &all[i].left;
  }
  ikra::objects(all).peach(3, [](Scales& s) { s.turn(); });
  double sum = 0;
  for (const Scales& s : all)
    sum = sum / 3 + s.tilt + s.left.load * 2 + s.right.load;
  std::printf("exchanged %.6f\n", sum);
}

/// In a scope, the host has the objects as they are after sync().
void resident(std::vector<Star>& stars) {
  ikra::resident scope{stars};
  for (int step = 0; step < 3; ++step) {
    scope.sync();
    ikra::objects(stars).peach([stars](Star* s) { s->pull(stars); });
    ikra::objects(stars).peach([](Star* s) { s->move(); });
  }
}

} // namespace

void copy_whole(std::size_t count) {
  std::vector<Star> stars;
  for (std::size_t i = 0; i < count; ++i)
    stars.emplace_back(static_cast<float>(i * 31 % 17), 1 + static_cast<int>(i % 5));
  captured(stars);
  values(stars);
  comets(count);
  exchanged(count);
  resident(stars);
  std::printf("resident %lld\n", static_cast<long long>(sum(stars)));
}
