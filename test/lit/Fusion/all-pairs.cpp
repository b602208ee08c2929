// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that go through a captured array, whatever their element is: several results are computed
// side by side.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: %own_build_cpu -O3 -fno-math-errno %t.cu -o %t.roots && %t.roots | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

struct body {
  float x, y, mass;
};
struct pull {
  float x, y;
};

void attract(pull& sum, const body& here, const body& there) {
  const float x = there.x - here.x, y = there.y - here.y;
  const float near = 1 / std::sqrt(x * x + y * y + 0.01F);
  sum.x += there.mass * near * x;
  sum.y += there.mass * near * y;
}

// CHECK-DAG: side by side pulls_0: each element of bodies for several results; on cores with -fno-math-errno
// CHECK-DAG: on a GPU in tiles pulls_0: a block shares what it reads of bodies{{$}}
ikra::array<pull> pulls(const ikra::array<body>& bodies) {
  return bodies.pmap([bodies](const body& here) {
    pull sum{0, 0};
    for (const body& there : bodies)
      attract(sum, here, there);
    return sum;
  });
}

// Two loops, with what is kept between them; an index; a choice.
// CHECK-DAG: side by side farthest_1: each element of points for several results{{$}}
// CHECK-DAG: on a GPU in tiles farthest_1: a block shares what it reads of points{{$}}
ikra::array<float> farthest(const ikra::array<float>& points, float scale) {
  return ikra::pnew(points.size(), [points, scale](std::int64_t i) {
    const float here = static_cast<float>(i) * scale;
    const auto n = static_cast<std::int64_t>(points.size());
    float most = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const float away = points[j] - here;
      most = std::max(most, away * away);
    }
    int count = 0;
    for (const float there : points) {
      const float away = there - here;
      if (2 * away * away < most)
        count = 0;
      count += 1;
    }
    return most + static_cast<float>(count);
  });
}

// Elements at the result's own place, the same in all turns of the outer loop; a condition that
// begins with what is the same for all.
// CHECK-DAG: side by side nearest_2: each element of centres for several results{{$}}
ikra::array<int> nearest(const ikra::array<float>& points, const ikra::array<float>& centres) {
  return ikra::pnew(points.size() / 2, [points, centres](std::int64_t i) {
    int best = 0;
    float least = 0;
    for (std::int64_t c = 0; c < static_cast<std::int64_t>(centres.size()) / 2; ++c) {
      float distance = 0;
      for (std::int64_t d = 0; d < 2; ++d) {
        const float difference = points[i * 2 + d] - centres[c * 2 + d];
        distance += difference * difference;
      }
      if (c == 0 || distance < least) {
        least = distance;
        best = static_cast<int>(c);
      }
    }
    return best;
  });
}

// Arrays of two dimensions, and their extents.
// CHECK-DAG: side by side nearest_row_3: each element of centres for several results{{$}}
ikra::array<int> nearest_row(const ikra::array<float, 2>& points, const ikra::array<float, 2>& centres) {
  return ikra::pnew(points.shape()[0], [points, centres](std::int64_t i) {
    int best = 0;
    float least = 1e9F;
    for (int c = 0; c < static_cast<int>(centres.shape()[0]); ++c) {
      float distance = 0;
      for (int d = 0; d < 2; ++d) {
        const float difference = points(i, d) - centres[{c, d}];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        best = c;
      }
    }
    return best;
  });
}

// Places that the outer loop changes are read once each, and the index may not change in between
// to be computed from the first one's.
// CHECK-DAG: side by side moving_5: each element of a for several results{{$}}
// CHECK-NOT: side by side along
ikra::array<int> along(const ikra::array<int>& a, const ikra::array<int>& b) {
  return ikra::pnew(a.size(), [a, b](std::int64_t i) {
    int sum = 0;
    for (std::int64_t j = 0; j < static_cast<std::int64_t>(b.size()); ++j)
      sum += a[(i + j) * 1] * b[j];
    return sum;
  });
}
ikra::array<int> moving(const ikra::array<int>& a) {
  return ikra::pnew(10, [a](std::int64_t i) {
    int sum = static_cast<int>(i);
    i += 1;
    for (const int x : a)
      sum += x * sum;
    return sum + static_cast<int>(i);
  });
}

// A loop that ends early, an element that is changed, one that depends on the result, and a loop
// over what is no array: one result after the other.
// CHECK-NOT: side by side alone
ikra::array<int> alone_0(const ikra::array<int>& a, int n) {
  const auto first = a.pmap([a](int x) {
    int sum = 0;
    for (const int y : a) {
      if (y == x)
        break;
      sum += y;
    }
    return sum;
  });
  const auto changed = first.pmap([a](int x) {
    int sum = 0;
    for (int y : a) {
      y -= x;
      sum += y;
    }
    return sum;
  });
  const auto dependent = changed.pmap([a](int x) {
    int sum = 0;
    const auto n = static_cast<std::int64_t>(a.size());
    for (std::int64_t j = 0; j < n; ++j)
      sum += a[(j + (x & 1)) % n];
    return sum;
  });
  return dependent.pmap([n](int x) {
    int sum = 0;
    for (int j = 0; j < n; ++j)
      sum += x ^ j;
    return sum;
  });
}

// CODE-LABEL: namespace pulls_0_device {
// CODE: ::pull operator()(const ::body& here) const {
// CODE: #ifdef __NO_MATH_ERRNO__
// CODE-NEXT: static constexpr unsigned side_by_side = ikra::rt::side_by_side<::body, ::pull>;
// CODE-NEXT: #endif
// CODE-NEXT: template <unsigned lanes> void compute_lanes(const auto* from_0, auto* results) const {
// CODE-NEXT: ikra::rt::lanes<::body, lanes> here_lanes;
// CODE-NEXT: IKRA_SIDE_BY_SIDE
// CODE-NEXT: for (unsigned lane = 0; lane < lanes; ++lane) {
// CODE-NEXT: here_lanes.set(lane, static_cast<::body>(from_0[lane]));
// CODE-NEXT: }
// CODE-NEXT: ikra::rt::lanes<::pull, lanes> sum_lanes;
// CODE-NEXT: IKRA_SIDE_BY_SIDE
// CODE-NEXT: for (unsigned lane = 0; lane < lanes; ++lane) {
// CODE: sum_lanes.set(lane, sum);
// CODE: for (const ::body there : bodies) {
// CODE-NEXT: IKRA_SIDE_BY_SIDE
// CODE-NEXT: for (unsigned lane = 0; lane < lanes; ++lane) {
// CODE-NEXT: const ::body here = here_lanes[lane];
// CODE-NEXT: ::pull sum = sum_lanes[lane];
// CODE: attract(sum, here, there);
// CODE: sum_lanes.set(lane, sum);
// CODE: ikra::rt::put<::pull>(results + lane, sum);

// Threads of a block share the bodies.
// CODE: #ifdef __CUDACC__
// CODE-NEXT: static constexpr bool is_in_tiles = true;
// CODE-NEXT: std::size_t longest_in_tiles() const { return ikra::rt::most(bodies.size()); }
// CODE: __device__ ::pull compute_in_tiles(const ::body& here) const {
// CODE: ikra::rt::in_tiles(bodies, [&](const ::body there) {
// CODE: attract(sum, here, there);
// CODE-NEXT: });

// The number of points is the same for all.
// CODE-LABEL: namespace farthest_1_device {
// CODE-NOT: __NO_MATH_ERRNO__
// CODE: template <unsigned lanes> void compute_lanes(std::int64_t first, auto* results) const {
// CODE: const long n = static_cast<long>(points.size());
// CODE: for (long j = 0; j < n; ++j) {
// CODE: ikra::rt::put<float>(results + lane,
// CODE: __device__ float compute_in_tiles(long i) const {
// CODE: ikra::rt::in_tiles<long>(0, n, [&](const long j, const auto& points_j) {
// CODE-NEXT: const float away = points_j - here;
// CODE: }, points);
// CODE: ikra::rt::in_tiles(points, [&](const float there) {

// The index is that of the first result and a lane.
// CODE-LABEL: namespace nearest_2_device {
// CODE: template <unsigned lanes> void compute_lanes(std::int64_t first, auto* results) const {
// CODE-NOT: i_lanes
// CODE: const long i = static_cast<long>(first + lane);
// CODE: const float difference = points[i * 2 + d] - centres[c * 2 + d];
// CODE-LABEL: namespace nearest_row_3_device {
// CODE: const float difference = points(i, d) - centres[::ikra::index<2>(c, d)];
// CODE-LABEL: namespace moving_5_device {
// CODE: i_lanes.set(lane, static_cast<long>(first + lane));
// CODE: long i = i_lanes[lane];

int main() {
  const auto bodies = ikra::pnew(1000, [](std::int64_t i) {
    return body{static_cast<float>(i % 31), static_cast<float>(i % 57), static_cast<float>(i % 3)};
  });
  double sum = 0;
  for (const pull& p : pulls(bodies))
    sum = sum / 2 + static_cast<double>(p.x) - static_cast<double>(p.y);
  std::printf("%.17g\n", sum);
  // OUT: {{^}}880.88772402452923
  const auto points =
      ikra::pnew(777, [](std::int64_t i) { return static_cast<float>(i * i % 1009) / 8; });
  for (const float f : farthest(points, 0.5F))
    sum = sum / 2 + static_cast<double>(f);
  std::printf("%.17g\n", sum);
  // OUT-NEXT: {{^}}300341.5
  std::printf("%d %d %d\n", nearest(points, ikra::pnew(32, [](std::int64_t i) { return static_cast<float>(i * 5); })).sum(),
              along(ikra::pnew(100, [](std::int64_t i) { return static_cast<int>(i) % 7; }), ikra::pnew(1, [](std::int64_t) { return 3; })).sum(),
              moving(ikra::pnew(20, [](std::int64_t i) { return static_cast<int>(i) % 3; })).sum());
  // OUT-NEXT: {{^}}2382 885 4199095
  const auto pairs = ikra::pnew({388, 2}, [](ikra::index<2> i) {
    const std::int64_t at = i[0] * 2 + i[1];
    return static_cast<float>(at * at % 1009) / 8;
  });
  std::printf("%d\n", nearest_row(pairs, ikra::pnew({16, 2}, [](ikra::index<2> i) { return static_cast<float>((i[0] * 2 + i[1]) * 5); })).sum());
  // OUT-NEXT: {{^}}2382
  std::printf("%d\n", alone_0(ikra::pnew(100, [](std::int64_t i) { return static_cast<int>(i); }), 5).sum());
  // OUT-NEXT: {{^}}2474400
}
