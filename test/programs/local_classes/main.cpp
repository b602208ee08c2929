// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes that are local to a function: as elements, in sections, as objects, with constants, types
// and enumerations of their function, in methods, in lambdas, with members of one name.

#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <tuple>
#include <vector>

namespace shapes {

template <class T> T twice(T x) { return x + x; }

class Model {
public:
  int run() const {
    struct Cell {
      int a = 1, b;
      int sum() const { return a + twice(b) + hidden; }

    private:
      int hidden = 2;
    };
    const auto cells = ikra::pnew(10, [](std::int64_t i) {
      Cell made;
      made.b = static_cast<int>(i);
      return made;
    });
    return cells.pmap([](const Cell& c) { return c.sum(); }).sum();
  }
};

} // namespace shapes

namespace {

struct Point { // another one
  int x = 100;
};

void clusters() {
  struct Point {
    float x, y;
  };
  struct Sum {
    float x, y;
    int count;
    Sum operator+(const Sum& o) const { return {x + o.x, y + o.y, count + o.count}; }
    Point mean() const { return {x / static_cast<float>(count), y / static_cast<float>(count)}; }
  };
  constexpr int K = 4;
  std::vector<Point> data(2000);
  for (int i = 0; i < 2000; ++i) {
    ikra::random numbers(3, i);
    data[i] = {numbers.uniform<float>(), numbers.uniform<float>()};
  }
  std::array<Point, K> centres{{{0.1f, 0.1f}, {0.9f, 0.1f}, {0.1f, 0.9f}, {0.9f, 0.9f}}};
  const ikra::array points{data};
  for (int turn = 0; turn < 5; ++turn) {
    const auto nearest = points.pmap([centres](Point p) {
      int best = 0;
      float least = std::numeric_limits<float>::max();
      for (int k = 0; k < K; ++k) {
        const float dx = p.x - centres[k].x, dy = p.y - centres[k].y;
        if (dx * dx + dy * dy < least) {
          least = dx * dx + dy * dy;
          best = k;
        }
      }
      return best;
    });
    for (int k = 0; k < K; ++k) {
      const Sum sum =
          nearest
              .pcombine(points,
                        [k](int c, Point p) { return c == k ? Sum{p.x, p.y, 1} : Sum{0, 0, 0}; })
              .preduce([](Sum a, Sum b) { return a + b; })[0];
      if (sum.count > 0)
        centres[k] = sum.mean();
    }
  }
  for (const Point& c : centres)
    std::printf("%.2f %.2f\n", c.x, c.y);
}

int outside() {
  return ikra::pnew(3, [](std::int64_t) { return Point{}; })
      .pmap([](const Point& p) { return p.x; })
      .sum();
}

#define CASE(NAME)                                                                                 \
  int NAME();                                                                                      \
  int NAME()
CASE(headed_by_a_macro) {
  struct Pair {
    int a, b;
  };
  return ikra::pnew(4, [](std::int64_t i) { return Pair{static_cast<int>(i), 2}; })
      .pmap([](const Pair& p) { return p.a * p.b; })
      .sum();
}

} // namespace

int main() {
  enum class Side { left, right };
  enum { small = 3 };
  enum Colour { red, green };
  using real = double;
  static constexpr int table[] = {3, 1, 4, 1, 5};
  struct Particle {
    real x;
    Side side;
    real moved(real d) const {
      return side == Side::left ? x - d * table[1] : x + d + static_cast<int>(small);
    }
  };
  const auto particles = ikra::pnew(100, [](std::int64_t i) {
    return Particle{static_cast<real>(i), i % 3 ? Side::left : Side::right};
  });
  std::printf(
      "%g\n",
      particles.pmap([](const Particle& p) { return p.moved(table[static_cast<int>(p.x) % 5]); })
          .sum());
  const auto colours = ikra::pnew(10, [](std::int64_t i) { return i % 3 ? red : green; });
  std::printf("%d\n", static_cast<int>(colours.count([](Colour c) { return c == green; })));
  const auto sums = ikra::pnew(50, [](std::int64_t i) {
    struct Sum {
      std::int64_t of = 0;
      void add(std::int64_t x) { of += x; }
    } sum;
    for (std::int64_t k = 0; k < i; ++k)
      sum.add(k * k);
    return sum.of;
  });
  std::printf("%lld\n", static_cast<long long>(sums.sum()));
  struct Body {
    float x = 0, v = 1;
    void step() { x += v; }
  };
  std::vector<Body> bodies(10);
  ikra::objects(bodies).peach(3, [](Body* b) { b->step(); });
  std::printf("%g %d %d %d\n", bodies[3].x, shapes::Model().run(), outside(), headed_by_a_macro());
  clusters();
}
