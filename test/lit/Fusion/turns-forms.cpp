// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of loops that people write without turns in mind: templates whose loops only call functions, steps that are given as
// lambdas, methods of a base class, variables in conditions, structs made with their names.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TURNS=off %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <array>
#include <complex>
#include <cstdio>
#include <functional>

using numbers = ikra::array<int>;

// The text of a loop in a template stands in front of what each instantiation runs.
// CODE: turns_of_settle<Border>>(u, most, border)

// The loop's own text has no section: the template around it says which instantiation it is.
template <class T> T dot(const ikra::array<T>& a, const ikra::array<T>& b) { return a.pcombine(b, std::multiplies<>{}).sum(); }
template <class T> ikra::array<T> half(const ikra::array<T>& a) {
  return a.pmap([](T x) { return x / 2; });
}
// CHECK: turn turn_of_shrink at line [[@LINE+7]]: while
// CHECK: turn turn_of_shrink_2 at line [[@LINE+6]]: while
// CODE: if (instance == typeid(turns_of_shrink<double>)) {
// CODE: if (instance == typeid(turns_of_shrink<float>)) {
template <class T> int shrink(ikra::array<T> a, T limit) {
  int k = 0;
  ikra::host_section([&] {
    while (dot(a, a) > limit) {
      a = half(a);
      ++k;
    }
  });
  return k;
}
template <class T> class advection {
public:
  explicit advection(int n) : q_(ikra::pnew(n, [n](std::int64_t i) { return i == n / 2 ? T(100) : T(0); })) {}
  int until(T limit) {
    int n = 0;
    ikra::host_section([&] {
      // CHECK: turn turn_of_until at line [[@LINE+1]]: while
      while (peak() > limit) {
        step();
        ++n;
      }
    });
    return n;
  }

private:
  void step() {
    q_ = q_.pstencil({-1, 0}, ikra::wrap, [](auto v) { return v[0] - (v[0] - v[-1]) / 2; });
  }
  T peak() const { return q_.preduce(ikra::max).value(); }
  ikra::array<T> q_;
};

// One instantiation names a number where another one has a tag.
// CHECK: turn turn_of_settle at line [[@LINE+5]]: while
// CHECK: turn turn_of_settle_2 at line [[@LINE+4]]: while
template <class Border> int settle(numbers u, Border border) {
  int most = 1000;
  ikra::host_section([&] {
    while (most > 100) {
      u = u.pstencil({-1, 0, 1}, border, [](auto v) { return (v[-1] + v[0] + v[1]) / 3; });
      most = u.preduce(ikra::max).value();
    }
  });
  return most;
}

// A step that is given as a lambda without captures.
// CHECK: turn turn_of_steps at line [[@LINE+5]]: while
// CHECK: turn turn_of_steps_2 at line [[@LINE+4]]: while
template <class Step> int steps(numbers u, const Step& step) {
  int most = 1000, k = 0;
  ikra::host_section([&] {
    while (most > 100) {
      u = step(u, k);
      most = u.preduce(ikra::max).value();
      ++k;
    }
  });
  return k;
}

struct tank {
  ikra::array<double> level;
  double highest() const { return level.preduce(ikra::max).value(); }
};
struct leaky : tank {
  int fill(double until) {
    int t = 0;
    ikra::host_section([&] {
      // CHECK: turn turn_of_fill at line [[@LINE+1]]: while
      while (highest() < until) {
        level = level.pmap([](double x) { return x + 0.5; });
        t++;
      }
    });
    return t;
  }
};

// An argument may change what no other one names.
numbers season(const numbers& a, int year) {
  return a.pmap([year](int x) { return (x * 5 + year) % 101; });
}
// CHECK: turn turn_of_years at line [[@LINE+4]]: while
int years(numbers a) {
  int year = 0, most = 0;
  ikra::host_section([&] {
    while (most < 100 && year < 50) {
      a = season(a, year++);
      most = a.preduce(ikra::max).value();
    }
  });
  return year * 1000 + most;
}

// The size of what the turn declares, a copy of an array among others, an operator with a constant.
numbers halved(numbers u, int times) {
  for (int s = 0; s < times; ++s)
    u = u.with_index().pmap([n = std::int64_t(u.size())](int x, std::int64_t i) { return i == n - 1 ? x : x / 2; });
  return u;
}
// CHECK: turn turn_of_halvings at line [[@LINE+4]]: while
int halvings(numbers u) {
  int most = 1000, k = 0;
  ikra::host_section([&] {
    while (most > 90 && k < 10) {
      u = halved(u, 2);
      most = u.preduce(ikra::max).value();
      ++k;
    }
  });
  return most * 100 + k;
}
// CHECK: turn turn_of_ring at line [[@LINE+5]]: while
int ring(numbers a) {
  std::array<numbers, 3> all{a, a, a};
  int k = 0;
  ikra::host_section([&] {
    while (k < 50) {
      numbers first = all[0];
      all[0] = all[1].pcombine(all[2], [](int x, int y) { return (x * 3 + y) % 101; });
      all[1] = all[2];
      all[2] = first;
      ++k;
      if (all[0].preduce(ikra::min).value() > 0)
        break;
    }
  });
  return k * 10000 + all[2].sum();
}
// CHECK: turn turn_of_remainders at line [[@LINE+4]]: for
int remainders(numbers a, numbers b) {
  int s = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 20 && s < 100000; ++t) {
      s += a.sum();
      b = b.pmap([](int x) { return x * 3 % 101; });
      a = (a + b) % 7;
    }
  });
  return s + a.sum();
}

// Variables in an if, in front of it, as a loop's condition, and in a switch.
// CHECK: turn turn_of_records at line [[@LINE+4]]: for
int records(numbers a) {
  int record = 0, last = 0, steps = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 20; ++t) {
      a = a.pmap([](int x) { return x * 7 % 103; });
      if (const int s = a.sum(); s > record)
        record = s;
      if (const int odd = a.preduce(ikra::max).value() % 2)
        last += odd + t;
      switch (const int kind = a.preduce(ikra::min).value() % 3; kind) {
      case 0:
        steps += 1;
        break;
      default:
        a = a.pmap([kind](int x) { return x + kind; });
      }
    }
  });
  return record * 100 + last + steps;
}
// CHECK: turn turn_of_countdown at line [[@LINE+4]]: while
int countdown(numbers a) {
  int total = 0;
  ikra::host_section([&] {
    while (const int left = a.sum()) {
      total = (total * 3 + left) % 10007;
      if (left == 7)
        break;
      a = a.pmap([left](int x) { return x / 2 + (left > 1000 && x > 50); });
    }
  });
  return total;
}

// A struct that is made with its name.
struct world {
  numbers now;
  double z = 1;
  int age = 0;
};
world next(const world& w) {
  return world{w.now.pmap([a = w.age](int x) { return (x * 3 + a) % 211; }), w.z * 0.9, w.age + 1};
}
// CHECK: turn turn_of_ages at line [[@LINE+4]]: while
double ages(world w) {
  int top = 0;
  ikra::host_section([&] {
    while (top < 200 && w.age < 30) {
      w = world{w.now.pmap([a = w.age](int x) { return (x * 5 + a) % 211; }), w.z + 1, w.age + 1};
      world old = w;
      w = next(old);
      top = w.now.preduce(ikra::max).value();
    }
  });
  return w.z + w.age + top;
}

// Helpers over numbers that return in several places are scalar code; of arrays, too, such a helper is a branch.
enum class mode { grow, shrink, shuffle, stop };
mode following(mode m, int top, int low) {
  if (top > 900 && low < 100)
    return mode::shuffle;
  switch (m) {
  case mode::grow:
    return top > 700 ? mode::shrink : mode::grow;
  case mode::shrink:
    if (low < 20)
      return mode::grow;
    break;
  case mode::shuffle:
    return top % 2 ? mode::grow : mode::stop;
  default:
    return mode::stop;
  }
  return mode::shrink;
}
int root(int x) {
  for (int k = 0; k < 100; ++k) {
    if (k * k == x)
      return k;
    if (k * k > x)
      return -k;
  }
  return 100;
}
struct extent {
  int low, high;
};
extent ordered(int a, int b) {
  if (b < a)
    return {b, a};
  return {a, b};
}
void grown(numbers& u, int& count, mode m) {
  if (m != mode::grow)
    return;
  u = u.pmap([](int x) { return x + x / 3 + 1; });
  ++count;
}
// CHECK: turn turn_of_modes at line [[@LINE+14]]: while
// CHECK: turn:
// CHECK-NEXT: scalar code
// CHECK-NEXT: branch
// CHECK-NEXT: scalar code
// CHECK-NEXT: else
// CHECK-NEXT: kernel grown_
// CHECK-NOT: branch
// CHECK-NOT: {{^ +}}loop
// CHECK: host waits
int modes(numbers a, int most) {
  mode m = mode::grow;
  int steps = 0, grows = 0, total = 0;
  ikra::host_section([&] {
    while (m != mode::stop && steps < most) {
      grown(a, grows, m);
      a = a.pmap([](int x) { return x * 7 % 1009; });
      const int top = a.preduce(ikra::max).value(), low = a.preduce(ikra::min).value();
      m = following(m, top, low);
      const extent of = ordered(root(top), root(low));
      total = total * 3 + of.high * 2 + of.low + int(m);
      ++steps;
    }
  });
  return steps * 1000000 + grows * 10000 + total % 10000 + a.sum() % 7;
}

// Default arguments, two assignments in one statement, and what the compiler decides.
numbers stepped(const numbers& a, int by = 3) {
  return a.pmap([by](int x) { return (x * 5 + by) % 211; });
}
// CHECK: turn turn_of_by_default at line [[@LINE+5]]: while
// CHECK: turn turn_of_by_default_2 at line [[@LINE+4]]: while
template <bool Twice> int by_default(numbers a) {
  int t = 0, top = 0;
  ikra::host_section([&] {
    while (top < 200 && t < 30) {
      if constexpr (Twice)
        a = stepped(a, 2);
      a = stepped(a), t += 1;
      top = a.preduce(ikra::max).value();
    }
  });
  return t * 1000000 + top * 1000 + a.sum() % 1000;
}

// Fields beside arrays that are several numbers.
struct state {
  numbers cells;
  std::array<int, 2> counts{};
  int sides[2] = {1, 2};
  extent range{0, 0};
  std::complex<double> z = {1, 0};
  void note() {
    counts[0] = cells.sum();
    range.high = range.high + counts[0] % 3;
  }
};
int width(const extent& of) { return of.high - of.low; }
state turned(const state& s) {
  return state{s.cells.pmap([a = s.range.low](int x) { return (x * 3 + a) % 211; }), s.counts, {s.sides[1], s.sides[0]},
               s.range, s.z * std::complex<double>(0.9, 0.1)};
}
// CHECK: turn turn_of_fields at line [[@LINE+6]]: do
// CHECK-NEXT: arrays: cells (carried)
// CHECK: scalars on the device: {{.*}}counts (carried){{.*}}
double fields(state s) {
  int t = 0;
  ikra::host_section([&] {
    do {
      s = turned(s);
      s.counts[1] = s.cells.preduce(ikra::max).value();
      s.range = s.cells.pmap([](int x) { return extent{x, x}; })
                    .preduce([](extent a, extent b) { return extent{a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high}; })
                    .value();
      s.note();
      const extent kept = s.range;
      s.range.low += kept.low % 2 + s.sides[0];
    } while (width(s.range) < 300 && s.counts[1] > 3 && ++t < 40);
  });
  return t + s.counts[0] + s.counts[1] + s.range.low + s.range.high * 2 + s.sides[0] * 100 + s.z.real() + s.z.imag() + s.cells.sum();
}

// Nothing but elements of an array that is computed once: no turn, and nobody waits.
int hops(const numbers& a) {
  int at = 1, count = 0;
  ikra::host_section([&] {
    while (at != 0 && count < 100) {
      at = a[at];
      ++count;
    }
  });
  return count;
}

int main() {
  const auto d = ikra::pnew(100, [](std::int64_t i) { return double(i); });
  const auto f = ikra::pnew(100, [](std::int64_t i) { return float(i); });
  std::printf("%d %d %d\n", shrink(d, 1.0), shrink(f, 1.0f), advection<double>(100).until(9));
  // OUT: 10 10 79
  const numbers rod = ikra::pnew(100, [](std::int64_t i) { return i == 50 ? 900 : int(i % 3); });
  std::printf("%d %d\n", settle(rod, ikra::clamp), settle(rod, 0));
  // OUT-NEXT: 99 99
  std::printf("%d ", steps(rod, [](const numbers& u, int) { return u.pmap([](int x) { return x / 2; }); }));
  std::printf("%d\n", steps(rod, [](const auto& u, auto by) { return u.pmap([by](int x) { return x / (3 + by); }); }));
  // OUT-NEXT: 4 2
  leaky tank;
  tank.level = ikra::pnew(30, [](std::int64_t) { return 0.0; });
  std::printf("%d\n", tank.fill(30));
  // OUT-NEXT: 60
  const numbers n = ikra::pnew(100, [](std::int64_t i) { return int(i * 7 % 97); });
  std::printf("%d %d %d %d\n", years(n), halvings(n), ring(n), remainders(n, rod));
  // OUT-NEXT: 1100 2401 504832 10625
  std::printf("%d %d %.3f %d\n", records(n), countdown(n), ages({n}), hops(n));
  // OUT-NEXT: 524920 1248 213.800 100
  std::printf("%d %d %.6f\n", modes(n, 90), modes(rod, 5), fields({n}));
  // OUT-NEXT: 90032642 5026321 22490.976544
  std::printf("%d %d\n", by_default<true>(n), by_default<false>(n));
  // OUT-NEXT: 1208193 1208337
}
