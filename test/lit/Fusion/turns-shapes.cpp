// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns over arrays of several shapes: reductions by index and counts, results of them in later commands, shapes that
// numbers give. A key that is outside, and shapes that differ, leave the loop as it is written.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2> %t.left | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t.left
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2> /dev/null
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu | diff %t.turns -
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.turns -
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>

struct point {
  double x = 0, y = 0;
  point operator+(const point& other) const { return {x + other.x, y + other.y}; }
};
struct totals {
  double x = 0, y = 0;
  int n = 0;
};
inline totals operator+(totals a, totals b) { return {a.x + b.x, a.y + b.y, a.n + b.n}; }
using points = ikra::array<point>;
using numbers = ikra::array<int>;

static double distance(point a, point b) { return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y); }

// k-means: points and their labels have one shape, centres and what the reductions give another.
// CHECK: turn turn_of_means at line [[@LINE+9]]: while
// CHECK-NEXT: arrays: all, centres (carried), label (carried)
// CHECK: kernel means_0 over all, stored; means_1 -> means_2 -> means_3 over result of means_0, label; means_4 over result of means_0, all; counts of keys over result of means_0
// CHECK: kernel means_5 over centres, result of means_4, result of counts of keys
// CHECK: host waits: once, not 1 time a turn
int means(const points& all, points& centres, numbers& label, int k, int most) {
  int turns = 0;
  ikra::host_section([&] {
    std::int64_t moved = 1;
    while (moved > 0 && turns < most) {
      const auto next = all.pmap([centres](point p) {
        int best = 0;
        for (int c = 1; c < static_cast<int>(centres.size()); ++c)
          if (distance(p, centres[c]) < distance(p, centres[best]))
            best = c;
        return best;
      });
      moved = next.pcombine(label, [](int a, int b) { return a != b; }).count([](bool is) { return is; });
      label = next;
      const auto sums = all.reduce_by_index(k, label, point{}, [](point a, point b) { return a + b; });
      const auto sizes = label.phistogram(k);
      centres = centres.pcombine(sums, sizes, [](point old, point sum, std::int64_t n) {
        return n == 0 ? old : point{sum.x / double(n), sum.y / double(n)};
      });
      ++turns;
    }
  });
  return turns;
}
// CODE: ikra::index<1> operator()(turn_of_sums_scalars& s) const {
// CODE: return ikra::index<1>{static_cast<std::int64_t>(rows * w)};
// CODE: if (!t.set_shape(space_{{[0-9]+}}, turn_of_means_shape_0{}(t.scalars())))
// CODE: auto by_index_0 = t.by_indices(space_0, later_0, t.to_scalar(turn_of_means_combine_3{}, turn_of_means_first_3{}, &turn_of_means_scalars::result_1, t.computed<bool, 0>(space_0, turn_of_means_body_3{}, later_0.result, label)), &turn_of_means_scalars::fails, t.by_key<{{.*}}point>(space_1, turn_of_means_combine_4{}, turn_of_means_first_4{}, later_0.result, all), t.by_key<std::int64_t>(space_1, ikra::rt::makes_counts(), ikra::rt::zero_first(), later_0.result, ikra::rt::each_once()));
// CODE: auto result_of_4 = std::move(std::get<0>(by_index_0));

// Reductions over one array are one kernel, which computes what they alone read; not one over another's result, nor a sum of
// floating-point numbers beside them.
// CHECK: turn turn_of_several at line [[@LINE+8]]: for
// CHECK: kernel several_{{[0-9]+}} -> counts of keys over a; several_{{[0-9]+}} -> several_{{[0-9]+}} over a, a
// CHECK-NEXT: kernel several_{{[0-9]+}} -> several_{{[0-9]+}} over result of counts of keys, result of counts of keys
// CHECK: kernel several_{{[0-9]+}} -> several_{{[0-9]+}} over a, stored; several_{{[0-9]+}} over result of several_{{[0-9]+}}
// CHECK: kernel several_{{[0-9]+}} -> counts of keys over result of several_{{[0-9]+}}
int several(ikra::array<double> a, int bins, int turns) {
  double total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      const auto sizes = a.phistogram(bins, [bins](double x) { return int(x) % bins; });
      const auto most = a.reduce_by_index(bins, [bins](double x) { return int(x * 3) % bins; }, 0.0, ikra::max);
      const auto again = sizes.reduce_by_index(bins, [bins](std::int64_t s) { return s % bins; }, std::int64_t(0), std::plus<>{});
      a = a.pmap([t](double x) { return int(x * 2 + t) % 100; }).pmap([](int x) { return double(x); });
      total += a.sum() + most.preduce(ikra::max)[0] + double(again[0]) + double(a.phistogram(100, [](double x) { return int(x); })[t]);
    }
  });
  return static_cast<int>(total);
}

// Keys that a section computes; a first value that turns change; the result is captured.
// CHECK: turn turn_of_by_key at line [[@LINE+4]]: for
int by_key(numbers a, int bins, int turns) {
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      const auto s = a.reduce_by_index(bins, [t](int x) { return (x + t) % 7; }, total % 5, [](int x, int y) { return x + y; });
      a = a.pmap([s, bins](int x) { return (x + s[x % bins]) % 1000; });
      total += s.preduce(ikra::max)[0] + a.sum() % 7;
    }
  });
  return total + a.sum();
}

// A histogram that outlives turns; its array has another shape, or none, before.
// CHECK: turn turn_of_kept at line [[@LINE+5]]: do
std::int64_t kept(numbers a, ikra::array<std::int64_t> counts, int turns) {
  std::int64_t total = 0;
  int t = 0;
  ikra::host_section([&] {
    do {
      counts = a.phistogram(1000);
      a = a.pmap([](int x) { return x * 3 % 1000; });
      total += counts[t * 3] + counts.pmap([](std::int64_t n) { return n * n; }).sum();
    } while (++t < turns);
  });
  return total + counts.sum();
}

// Reductions to structs, and their parts by names.
// CHECK: turn turn_of_structs at line [[@LINE+4]]: for
totals structs(points p, int turns) {
  totals all;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      const totals s = p.pmap([](point q) { return totals{q.x, q.y, 1}; }).preduce(std::plus<>{}).value();
      const auto [x, y, n] = s;
      p = p.pmap([x, n](point q) { return point{q.x / 2 + x / n, q.y}; });
      all.x += s.x + p.pcombine(p, [](point a, point b) { return totals{a.x, b.y, 2}; }).preduce(totals{}, std::plus<>{})[0].n;
      all.y += y;
      all.n += n;
    }
  });
  return all;
}

// The number of keys by other names: a parameter, and a constant of a size.
static numbers sums_of(const numbers& a, int k) {
  const std::int64_t bins = k;
  return a.reduce_by_index(bins, [k](int x) { return x % k; }, 0, std::plus<>{});
}
// CHECK: turn turn_of_by_name at line [[@LINE+4]]: for
int by_name(numbers a, numbers b, int k) {
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 5; ++t) {
      const auto size = static_cast<int>(b.size());
      b = b.pcombine(sums_of(a, size), [](int x, int y) { return (x + y) % 997; });
      total += b.sum() + sums_of(a, k).preduce(ikra::max)[0];
      a = a.pmap([](int x) { return x * 3 % 1000; });
    }
  });
  return total;
}

// A product of a constant that a size gives and of a parameter; keys that a section gives.
struct table {
  int width = 3, grown = 0;
  int sums(numbers a, const numbers& b, int turns);
  int growing(numbers a, int turns);
};
static numbers rows_of(const numbers& a, int w, std::int64_t n) {
  const int rows = static_cast<int>(n) + 1;
  return a.reduce_by_index(rows * w, [=](int x) { return x % (rows * w); }, 0, std::plus<>{});
}
// CHECK: turn turn_of_sums at line [[@LINE+5]]: for
// CHECK: table_sums_{{[0-9]+}} -> counts of keys over a{{$}}
int table::sums(numbers a, const numbers& b, int turns) {
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      const auto rows = rows_of(a, width, b.size());
      const auto sizes = a.phistogram(width * 5, [t](int x) { return (x + t) % 15; });
      a = a.pmap([rows, sizes](int x) { return static_cast<int>((x + rows[x % 9] + sizes[x % 15]) % 1000); });
      total += a.sum() % 1000 + b.sum();
    }
  });
  return total;
}

// Arrays of two ranks; no array from before has the shape that pnew is given.
// CHECK: turn turn_of_ranks at line [[@LINE+4]]: for
int ranks(const ikra::array<int, 2>& grid, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 4; ++t) {
      const auto line = ikra::pnew(n, [t](std::int64_t i) { return static_cast<int>(i) * t; });
      total += grid.pmap([t](int x) { return x % (t + 2); }).sum() + line.preduce(0, ikra::max)[0];
      total += ikra::pnew({n, line.size()}, [line](ikra::index<2> p) { return line[p[0]] - line[p[1]]; }).preduce(ikra::max)[0] % 100;
    }
  });
  return total;
}

// Captured arrays are read at the section's own position, and at a loop's: if they have enough elements, that may run though
// nothing asks for the result.
// CHECK: turn turn_of_in_place at line [[@LINE+7]]: do
// CODE: if (space_{{[0-9]+}}.shape[0] < space_{{[0-9]+}}.shape[0])
// CODE: if (space_{{[0-9]+}}.shape[0] < 3)
double in_place(ikra::array<double>& w, const ikra::array<double>& x, const ikra::array<double>& few) {
  double total = 0;
  int t = 0;
  ikra::host_section([&] {
    do {
      const auto g = ikra::pnew(w.shape(), [=](std::int64_t j) {
        double sum = x[j];
        for (int k = 0; k < 3; ++k)
          sum += few[k] * k;
        return sum;
      });
      w = w.pcombine(g, [](double a, double b) { return a / 2 + b; });
      total += (x * x).sum() + few.sum();
    } while (++t < 5);
  });
  return total;
}

// The same of several dimensions: by a position's numbers, the whole of it, a loop's, and constants.
// CHECK: turn turn_of_in_grid at line [[@LINE+11]]: do
// CODE: if (space_[[FEW:[0-9]+]].shape[0] < space_{{[0-9]+}}.shape[1])
// CODE: if (space_[[FEW]].shape[1] < 3)
// CODE: if (space_[[FEW]].shape[0] < 2)
// CODE: if (space_[[FEW]].shape[1] < 1)
// CODE: if (space_[[ALL:[0-9]+]].shape[0] < space_[[OVER:[0-9]+]].shape[0])
// CODE: if (space_[[ALL]].shape[1] < space_[[OVER]].shape[1])
double in_grid(ikra::array<double, 2>& w, const ikra::array<double, 2>& x, const ikra::array<double, 2>& few) {
  double total = 0;
  int t = 0;
  ikra::host_section([&] {
    do {
      const auto g = w.with_index().pmap([=](double y, const ikra::index<2>& p) {
        for (int k = 0; k < 3; ++k)
          y += few(p[1], k) * k;
        return y / 4 + few(1, 0) + x[p];
      });
      total += (x * x).sum() + few.sum();
      w = w.pcombine(g, [](double a, double b) { return a / 2 + b; });
    } while (++t < 5);
  });
  return total;
}

// LEFT: since the results of 'pmap' at line [[@LINE+5]] may only be computed where the program asks for them, as the section reads an element at a place that may be outside of its container
int beside(ikra::array<int, 2> a, const ikra::array<int, 2>& at) {
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 4; ++t) {
      const auto next = a.with_index().pmap([=](int x, ikra::index<2> p) { return x + at(p[0], p[1] * p[1] / 9 % 2); });
      total += a.sum();
      a = next;
    }
  });
  return total;
}

// LEFT: since the results of 'pnew' at line [[@LINE+5]] may only be computed where the program asks for them, as the section reads an element at a place that may be outside of its container (name it by
int elsewhere(numbers a, const numbers& at) {
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 4; ++t) {
      const auto line = ikra::pnew(a.shape(), [=](std::int64_t i) {
        if (i % 2 == 0)
          return at[i * i / (i + 1)];
        return 0;
      });
      total += a.sum();
      a = a.pcombine(line, [](int x, int y) { return x + y; });
    }
  });
  return total;
}

// LEFT: since the shape of what 'reduce_by_index' gives is not given by numbers from before the loop
int left(numbers a) {
  int n = 5, total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 4; ++t) {
      total += a.reduce_by_index(n, a, 0, [](int x, int y) { return x + y; }).sum();
      n += 1;
    }
  });
  return total;
}

// LEFT: since the shape of what 'phistogram' gives is not given by numbers from before the loop
int table::growing(numbers a, int turns) {
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      ++grown;
      total += static_cast<int>(a.phistogram(grown * 1000).preduce(ikra::max)[0]);
    }
  });
  return total;
}

template <class Run> void report(Run run) {
  try {
    std::printf(" %lld", static_cast<long long>(run()));
  } catch (const ikra::error& e) {
    std::printf(" failed %d", static_cast<int>(e.kind()));
  }
}

int main() {
  for (const int n : {0, 1, 10, 3000, 70001}) {
    const points all = ikra::pnew(n, [](std::int64_t i) { return point{double(i * i % 97), double(i * 31 % 89)}; });
    for (const int k : {1, 3, 8}) {
      points centres = ikra::pnew(k, [](std::int64_t i) { return point{double(i * 13), double(i)}; });
      numbers label = ikra::pnew(n, [](std::int64_t) { return -1; });
      std::printf("%d %d: %d", n, k, means(all, centres, label, k, 9));
      for (const point c : centres)
        std::printf(" %.3f %.3f", c.x, c.y);
      report([&] { return label.sum(); });
      centres = ikra::pnew(k + 1, [](std::int64_t i) { return point{double(i), double(i)}; }); // one too many
      report([&] { return means(all, centres, label, k, 3); });
    }
    const numbers a = ikra::pnew(n, [](std::int64_t i) { return static_cast<int>(i * i % 1000); });
    report([&] { return by_key(a, 7, 9); });
    report([&] { return by_key(a, 5, 9); });
    report([&] { return table().sums(a, ikra::pnew(2, [](std::int64_t i) { return static_cast<int>(i); }), 7); });
    report([&] { return table().growing(a, 3); });
    report([&] { return several(a.pmap([](int x) { return double(x); }), 7, 4); });
    report([&] { return kept(a, {}, 9); });
    report([&] { return by_name(a, ikra::pnew(6, [](std::int64_t i) { return static_cast<int>(i); }), 11); });
    report([&] { return kept(a, ikra::pnew(7, [](std::int64_t i) { return i; }), 2); });
    if (n > 0) {
      ikra::array<double> w = ikra::pnew(n, [](std::int64_t i) { return double(i % 7); }), unasked = w, never = w;
      const ikra::array<double> more = ikra::pnew(n + 5, [](std::int64_t i) { return double(i % 5); });
      report([&] { return in_place(w, w.pmap([](double x) { return x + 1; }), more.pmap([](double x) { return x * 3; })); });
      report([&] { return in_place(w, more, more) + w.sum(); });
      report([&] { return in_place(unasked, more.slice(0, n / 2), more); }); // too few
      report([&] { return in_place(never, more, more.slice(0, 2)); });
      const totals s = structs(all, 3);
      std::printf(" %.3f %.3f %d", s.x, s.y, s.n);
      const auto grid = ikra::pnew({n % 97 + 1, 4}, [](ikra::index<2> p) { return double(p[0] * 3 % 7 + p[1]); });
      ikra::array<double, 2> u = grid, v = grid;
      const auto few = ikra::pnew({5, 3}, [](ikra::index<2> p) { return double(p[0] + p[1]); });
      report([&] { return in_grid(u, grid, few) * 16 + u.sum() * 8; });
      report([&] { return in_grid(v, grid.pmap([](double x) { return x / 2; }), few.slice({0, 0}, {3, 3})); }); // too few
      report([&] { return beside(ikra::pnew({5, 4}, [](ikra::index<2> p) { return int(p[0] + p[1]); }), ikra::pnew({5, 5}, [](ikra::index<2> p) { return int(p[0] * p[1]); })); });
      report([&] { return ranks(ikra::pnew({n, 3}, [](ikra::index<2> p) { return static_cast<int>(p[0] * p[1]); }), n % 100 + 1); });
    }
    std::printf("\n");
  }
}
