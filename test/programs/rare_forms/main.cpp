// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short programs for what long ones alone emit otherwise: nvcc compiles this file in their place
// (test/nvcc_targets.txt).
#include <ikra/ikra.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

namespace {

using numbers = ikra::array<int, 1>;

template <class T> void show(const char* name, const ikra::array<T, 1>& a) {
  std::printf("%s:", name);
  for (const T x : a)
    std::printf(" %g", static_cast<double>(x));
  std::printf("\n");
}

struct Car {
  double position = 0, speed = 1;
  std::uint64_t seen = 7;

  void advance() { position += speed; }
  void note(std::uint64_t turn) { seen = seen * 31 + turn; }
};

/// Loops of every order and bound that run in one call.
void orders(std::vector<Car*>& cars, int first, int n) {
  for (int t = 1; t <= n; ++t) {
    ikra::array{cars}.peach(&Car::advance);
    ikra::array{cars}.peach([t](Car* c) { c->note(static_cast<std::uint64_t>(t)); });
  }
  for (int t = n; t > 0; --t)
    ikra::array{cars}.peach([t](Car* c) { c->note(static_cast<std::uint64_t>(t)); });
  for (int t = n; t >= -3; t--) {
    ikra::array{cars}.peach([t](Car* c) { c->note(static_cast<std::uint64_t>(t + 9)); });
    ikra::array{cars}.peach(&Car::advance);
  }
  for (unsigned t = static_cast<unsigned>(first); t != 9; ++t)
    ikra::array{cars}.peach([t](Car* c) { c->note(t); });
  for (int t = first; t <= n; t += 3)
    ikra::array{cars}.peach([t](Car* c) { c->note(static_cast<std::uint64_t>(t)); });
  for (int t = n; t > -5; t -= 3)
    ikra::array{cars}.peach([t](Car* c) { c->note(static_cast<std::uint64_t>(t + 9)); });
}

/// Objects stay on the device in a host section; what it returns may be computed after it.
double stays(std::vector<Car*>& cars, int turns) {
  const ikra::array<Car*, 1> all{cars};
  const auto gaps = ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      all.peach([](Car* c) { c->speed *= 0.75; });
      const double sum = all.pmap([](const Car* c) { return c->speed; }).sum();
      all.peach([sum](Car* c) { c->position += sum; });
    }
    return all.pmap([](const Car* c) { return c->position - c->speed; });
  });
  return gaps.sum();
}

/// The border is the template's.
template <class Border> int settle(numbers u, Border border) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < 6; ++k) {
      u = u.pstencil({-1, 0, 1}, border, [](auto v) { return (v[-1] + v[0] * 2 - v[1]) % 97; });
      total = total * 3 + u.preduce(ikra::max).value();
    }
  });
  return total;
}

/// Loops that return, that are computed in one block, as one graph, and one by one.
long turns(numbers a, const numbers& held, int limit) {
  numbers last = a;
  long total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < limit; ++k)
      a = a.pcombine(held, [k](int x, int y) { return (x * 3 + y + k) % 97; });
  });
  ikra::host_section([&] {
    for (int k = 0; k < limit; ++k) {
      last = a.pcombine(held, [](int x, int y) { return x + y; });
      a = a.pcombine(a, [](int x, int y) { return (x + y) % 89; });
    }
  });
  int left = limit * 3;
  unsigned seen = 0;
  ikra::host_section([&] {
    while (left-- > 0) {
      a = a.pmap([step = limit % 7 + 1](int x) {
             return (x + step) % 1009;
           }).pstencil({-1, 1}, 7, [](const auto& v) { return (v[-1] * 3 + v[1]) % 113; });
      seen += static_cast<unsigned>(a[left % 3]);
      if (seen++ % 4 == 1)
        continue;
      a = a.pmap([more = seen % 13](int x) { return x + static_cast<int>(more); });
      if ((left -= 2) == 9)
        break;
    }
  });
  total = ikra::host_section([&] {
    for (int k = 0; k < limit; ++k) {
      a = a.pcombine(held, [k](int x, int y) { return (x * 5 + y + k) % 777; });
      const int most = a.preduce(ikra::max).value();
      if (most % 5 == 1)
        return static_cast<long>(most) * 100 + k;
    }
    return -100L;
  });
  return total * 7 + a.sum() + last.sum() + seen;
}

/// Elements of one byte, truths and fractions, by one operation each.
void kinds(const numbers& a) {
  const ikra::array<signed char, 1> bytes =
      a.pmap([](int x) { return static_cast<signed char>(x * 3); });
  const ikra::array<bool, 1> truths = a.pmap([](int x) { return x % 3 == 0; });
  const ikra::array<float, 1> fractions = a.pmap([](int x) { return static_cast<float>(x) / 4; });
  bytes.start();
  truths.start();
  fractions.start();
  show("combined", a.pcombine(bytes, [](int x, signed char y) { return x + y; }));
  show("indexed", a.pmap([](int x) { return x + 1; })
                      .with_index()
                      .pcombine(bytes, [](int x, signed char y, std::int64_t i) {
                        return x + y + static_cast<int>(i);
                      }));
  show("places", bytes.with_index().pmap([](signed char x, std::int64_t i) {
    return static_cast<signed char>(x + i);
  }));
  show("selected", truths.pselect([](bool x) { return x; }));
  show("fused", a.pmap([](int x) { return x > 3; }).pselect([](bool x) { return x; }));
  std::printf("%d %d ", truths.preduce(0, [](int x, int y) { return x + y; }).value(),
              bytes.preduce(0, [](int x, int y) { return x + y; }).value());
  std::printf("%d\n", static_cast<int>(a.pmap([](int x) { return x > 3; })
                                           .preduce([](bool x, bool y) { return x != y; })
                                           .value()));
  // Stored, and reduced on the way.
  const auto eighths = a.pmap([](int x) { return static_cast<float>(x) / 8; });
  const auto large = a.pmap([](int x) { return x > 4; });
  const auto digits = a.pmap([](int x) { return static_cast<signed char>(x % 10); });
  std::printf("%g ",
              eighths.preduce(0.5F, [](float x, float y) { return std::max(x, y); }).value());
  std::printf(
      "%d ", static_cast<int>(large.preduce(false, [](bool x, bool y) { return x != y; }).value()));
  std::printf("%d\n", digits.preduce(5, [](int x, int y) { return std::max(x, y); }).value() +
                          static_cast<int>(digits.preduce(ikra::max).value()));
  show("eighths", eighths);
  show("large", large);
  show("digits", digits);
  // Any number of operations, computed at once.
  ikra::array<signed char, 1> moved = digits;
  ikra::array<bool, 1> turned = large;
  for (int k = 0; k < 5; ++k) {
    moved = moved.pmap([](signed char x) { return static_cast<signed char>(x + 1); });
    turned = turned.pmap([](bool x) { return !x; });
  }
  show("moved", moved);
  show("turned", turned);
  show("parity", fractions.pmap([](float x) { return x > 1; }));
  std::printf("%d\n", static_cast<int>(bytes.preduce(ikra::max).value()));
  show("beside", truths.pstencil({-1, 1}, false, [](auto v) { return v[-1] != v[1]; }));
  show("stencils", a.pmap([](int x) { return x > 2; }).pstencil({-1, 1}, true, [](auto v) {
    return v[-1] == v[1];
  }));
  show("kept", fractions.with_index().pstencil({-1, 1}, ikra::keep, [](auto v, std::int64_t i) {
    return v[-1] + v[1] * static_cast<float>(i);
  }));
  show("made", ikra::pnew(5, [](std::int64_t i) { return i % 2 == 0; }));
  show("letters", ikra::pnew(5, [](std::int64_t i) { return static_cast<char>('a' + i); }));
  const bool is_up = a[0] > 2;
  show("captured", a.pmap([is_up](int x) { return is_up ? x : -x; }));
}

/// Operators and functions.
void operators(const numbers& a) {
  show("shifts", ((a << 2) >> 1) | (a ^ 5));
  show("not", ~a);
  show("ratios", (a * 7) / 3 + (a * 7) % 4);
  show("orders", (a >= 3) && !(a <= 4));
  show("assigned", a.pmap([](int x) {
    x <<= 3;
    x >>= 1;
    return x;
  }));
  show("ended", a.pmap([](int x) {
    int sum = 1;
    for (int k = 1; k < 9; ++k) {
      sum += k;
      if (sum > x)
        break;
    }
    sum /= 2;
    return sum;
  }));
  const std::vector<float> weights{1, 2, 4, 8, 16, 32};
  show("windows", ikra::pnew(4, [weights](std::int64_t i) {
         float sum = 0;
         for (const float w : std::span<const float>(&weights[static_cast<std::size_t>(i)],
                                                     &weights[static_cast<std::size_t>(i)] + 3))
           sum += w;
         return sum;
       }));
  show("functions", a.pmap([](int x) {
    const double y = x * 0.37;
    double whole;
    const double part = std::modf(y, &whole);
    return std::round((std::sin(y) + std::erfc(y) + std::exp(-y) + std::log(y) + part) * 1000) +
           whole;
  }));
}

struct Shape {
  double width = 1;
  virtual ~Shape() = default;
  virtual double area() const { return width; }
};
struct Square : Shape {
  double area() const override { return width * width; }
};

/// Objects of several classes with their places.
void shapes() {
  std::vector<Shape> plain(3);
  std::vector<Square> squares(4);
  std::vector<Shape*> all;
  for (Shape& s : plain)
    all.push_back(&s);
  for (Square& s : squares) {
    s.width = static_cast<double>(all.size());
    all.push_back(&s);
  }
  const ikra::array<Shape*, 1> known{all};
  show("large", known.with_index().pmap([](const Shape* s, std::int64_t i) {
    return s->area() > static_cast<double>(i);
  }));
  const auto chosen = known.with_index().pselect(
      [](const Shape* s, std::int64_t i) { return s->area() > 3 || i == 1; });
  show("chosen", chosen.pmap([](const Shape* s) { return s->area(); }));
}

} // namespace

int main() {
  std::vector<Car> all(20);
  std::vector<Car*> cars;
  for (Car& c : all) {
    c.speed = static_cast<double>(cars.size() % 7);
    cars.push_back(&c);
  }
  orders(cars, 2, 8);
  for (const Car& c : all)
    std::printf("%g %llu\n", c.position, static_cast<unsigned long long>(c.seen));
  std::printf("stays: %.9g\n", stays(cars, 4));

  const numbers a{std::vector{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}};
  std::printf("settle: %d %d\n", settle(a, 0), settle(a, ikra::wrap));
  for (const int limit : {0, 3, 40})
    std::printf("turns: %ld\n", turns(a, a.pmap([](int x) { return x * 2; }), limit));
  kinds(a);
  operators(a);
  shapes();
}
