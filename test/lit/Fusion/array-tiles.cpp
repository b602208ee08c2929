// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that all threads of a GPU's block run together, as they read the same elements of captured
// arrays: branches may depend on the result, the loop's turns may not.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s --implicit-check-not="on a GPU in tiles"
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
#include <ikra/ikra.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

struct body {
  float x, y, mass;
};
struct wide {
  double of[5];
};

// CHECK: on a GPU in tiles others_0: a block shares what it reads of bodies{{$}}
// CODE-LABEL: namespace others_0_device {
// CODE: __device__ float compute_in_tiles(long i) const {
// CODE: ikra::rt::in_tiles<unsigned long>(0, bodies.size(), [&](const unsigned long j, const auto& bodies_j) {
// CODE-NEXT: if (static_cast<long>(j) == i)
// CODE-NEXT: return;
// CODE: bodies_j.mass
// CODE: bodies[i].x
// CODE: }, bodies);
ikra::array<float> others(const ikra::array<body>& bodies) {
  return ikra::pnew(bodies.size(), [bodies](std::int64_t i) {
    float sum = 0;
    for (std::size_t j = 0; j < bodies.size(); ++j) {
      if (static_cast<std::int64_t>(j) == i)
        continue;
      sum += bodies[j].mass * std::exp(bodies[j].x - bodies[i].x);
    }
    return sum;
  });
}

// Several arrays, a name that is taken, and a loop in each turn that ends for each result alone.
// CHECK: on a GPU in tiles columns_1: a block shares what it reads of xs, ys{{$}}
// CODE-LABEL: namespace columns_1_device {
// CODE: ikra::rt::in_tiles<int>(0, n, [&](const int j, const auto& xs_j_, const auto& ys_j) {
// CODE: float xs_j = xs_j_ - x;
// CODE: while (xs_j > ys_j) {
// CODE: continue;
// CODE: }, xs, ys);
ikra::array<float> columns(const ikra::array<float>& xs, const ikra::array<float>& ys) {
  const int n = static_cast<int>(xs.size());
  return xs.pmap([xs, ys, n](float x) {
    float sum = 0;
    for (int j = 0; j < n; j++) {
      float xs_j = xs[j] - x;
      while (xs_j > ys[j]) {
        xs_j -= 1;
        if (sum > 3)
          continue;
        sum += xs_j;
      }
    }
    return sum;
  });
}

// Places of two dimensions; the last statement is a choice.
// CHECK: on a GPU in tiles field_2: a block shares what it reads of bodies{{$}}
ikra::array<float, 2> field(const ikra::array<body>& bodies) {
  return ikra::pnew({64, 64}, [bodies](ikra::index<2> p) {
    float sum = 0;
    for (const body& b : bodies)
      sum += b.x > static_cast<float>(p[1]) && b.y > static_cast<float>(p[0]) ? b.mass : 1;
    if (sum > 10)
      return sum;
    return sum * 2;
  });
}

// Lines of arrays of two dimensions, along either; each line of a turn is brought once.
// CHECK: on a GPU in tiles rows_3: a block shares what it reads of masses, points{{$}}
// CODE-LABEL: namespace rows_3_device {
// CODE: return ikra::rt::most(masses.shape()[1], points.shape()[0]);
// CODE: ikra::rt::in_tiles<long>(0, points.shape()[0], [&](const long j, const auto& points_j, const auto& points_j_, const auto& masses_j) {
// CODE-NEXT: const float x = points_j - points(i, 0);
// CODE: const float y = points_j_ - points(i, 1);
// CODE: sum += masses_j * points_j / (x * x + y * y);
// CODE: }, ikra::rt::line_of<0>(points, 0, 0), ikra::rt::line_of<0>(points, 0, 1), ikra::rt::line_of<1>(masses, kind, 0));
ikra::array<float> rows(const ikra::array<float, 2>& points, const ikra::array<float, 2>& masses, int kind) {
  return ikra::pnew(points.shape()[0], [points, masses, kind](std::int64_t i) {
    float sum = 0;
    for (std::int64_t j = 0; j < points.shape()[0]; ++j) {
      const float x = points(j, 0) - points(i, 0), y = points[{j, 1}] - points(i, 1);
      if (j != i)
        sum += masses(kind, j) * points(j, 0) / (x * x + y * y);
    }
    return sum;
  });
}

// A row for each turn of the loop around.
// CHECK: on a GPU in tiles nearest_row_4: a block shares what it reads of centres{{$}}
// CODE-LABEL: namespace nearest_row_4_device {
// CODE: for (int c = 0; c < k; ++c) {
// CODE: }, ikra::rt::line_of<1>(centres, c, 0));
ikra::array<float> nearest_row(const ikra::array<float, 2>& points, const ikra::array<float, 2>& centres, int k) {
  return ikra::pnew(points.shape()[0], [points, centres, k](std::int64_t i) {
    float least = 1e9F;
    for (int c = 0; c < k; ++c) {
      float distance = 0;
      for (int d = 0; d < static_cast<int>(centres.shape()[1]); ++d)
        distance += std::abs(points(i, d) - centres(c, d));
      least = std::min(least, distance);
    }
    return least;
  });
}

// None of these: a diagonal, and a place that differs from result to result.
ikra::array<float> none_1(const ikra::array<float, 2>& a) {
  return ikra::pnew(a.shape()[0], [a](std::int64_t i) {
    float sum = 0;
    for (std::int64_t j = 0; j < a.shape()[0]; ++j)
      sum += a(j, j) * a(i, j) - a(j, i);
    return sum;
  });
}

// None of these: turns that depend on the result, threads that have left, elements that are large, a
// counter that is changed or another number as an index, an end between two integers, and two
// counters of one name.
ikra::array<float> none_0(const ikra::array<float>& a, const ikra::array<wide>& w) {
  const auto ends = a.pmap([a](float x) {
    float sum = 0;
    for (const float y : a) {
      if (y > x)
        break;
      sum += y;
    }
    return sum;
  });
  const auto starts = ends.with_index().pmap([a](float x, std::int64_t i) {
    for (std::size_t j = static_cast<std::size_t>(i); j < a.size(); ++j)
      x += a[j];
    return x;
  });
  const auto left = starts.pmap([a](float x) {
    if (x < 0)
      return x;
    float sum = 0;
    for (const float y : a)
      sum += y * x;
    return sum;
  });
  const auto large = left.pmap([w](float x) {
    for (const wide& y : w)
      x += static_cast<float>(y.of[0]);
    return x;
  });
  const auto changed = large.pmap([a](float x) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      x += a[j];
      if (x > 5)
        ++j;
    }
    return x;
  });
  const auto swapped = changed.pmap([a](float x) {
    std::size_t k = 3;
    for (std::size_t j = 0; j < a.size(); ++j) {
      x += a[j];
      std::swap(j, k);
    }
    return x;
  });
  const auto narrow = swapped.pmap([a](float x) {
    for (std::size_t j = 0; j < a.size(); ++j)
      x += a[static_cast<std::uint8_t>(j)];
    return x;
  });
  const auto chosen = narrow.pmap([a](float x) {
    if (x > 1)
      for (std::size_t j = 0; j < a.size(); ++j)
        x += a[j];
    return x;
  });
  const double end = 2.5;
  const auto between = chosen.pmap([a, end](float x) {
    for (int j = 0; j < end; ++j)
      x += a[j];
    return x;
  });
  return between.pmap([a](float x) {
    for (std::size_t j = 0; j < a.size(); ++j)
      for (std::size_t j = 0; j <= 3; ++j)
        x += a[j];
    return x;
  });
}
