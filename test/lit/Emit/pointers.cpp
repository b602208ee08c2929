// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to values stay pointers, iterators become some, and algorithms are the runtime's.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s

#include <ikra/ikra.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <variant>
#include <vector>

struct Point {
  float x, y;
  const Point* self() const { return this; }
};

// CHECK: IKRA_DEVICE const float* global_second(const float* p) { return p + 1; }
const float* second(const float* p) { return p + 1; }

static void halve(std::span<float> v) {
  for (float& x : v)
    x /= 2;
}

void sections(const std::vector<float>& w, const ikra::array<Point>& points, const ikra::array<std::variant<int, float>>& either) {
  points.pmap([w](Point p) {
    // CHECK: const float* at = &w[2];
    const float* at = &w[2];
    // CHECK: Point* own = &p;
    Point* own = &p;
    // CHECK: own->x += *global_second(at) + at[1];
    own->x += *second(at) + at[1];
    // CHECK: float sum = 0;
    float sum = 0;
    // CHECK: for (const float* it = ikra::first_of(w); (it != ikra::end_of(w)); ++it) {
    for (auto it = w.begin(); it != w.end(); ++it)
      // CHECK: sum += *it;
      sum += *it;
    float pair[2] = {sum, 2};
    // CHECK: ikra::algorithm::replace(ikra::first_of(pair), ikra::first_of(pair) + 2, 2.0f, 3.0f);
    std::replace(pair, pair + 2, 2.0f, 3.0f);
    // CHECK: return sum + Point_self(p)->y + ikra::algorithm::accumulate(ikra::first_of(w), ikra::end_of(w), 0.0f, ::std::plus<>{});
    return sum + p.self()->y + std::accumulate(w.begin(), w.end(), 0.0f, std::plus<>{});
  });
  either.pmap([](const std::variant<int, float>& v) {
    // CHECK: if (const int* whole = std::get_if<int>(&v)) {
    if (const int* whole = std::get_if<int>(&v))
      return *whole;
    std::array<int, 3> a{3, 1, 2};
    // CHECK: ikra::algorithm::sort(ikra::first_of(a), ikra::end_of(a));
    std::sort(a.begin(), a.end());
    // CHECK: ikra::algorithm::partial_sum(ikra::first_of(a), ikra::end_of(a), ikra::first_of(a), ::std::multiplies<>{});
    std::partial_sum(a.begin(), a.end(), a.begin(), std::multiplies<>{});
    // CHECK: ikra::algorithm::sort(ikra::first_of(a), ikra::end_of(a), ::std::greater<>{});
    std::ranges::sort(a, std::greater<>{});
    // CHECK: if (ikra::algorithm::find(ikra::first_of(a), ikra::end_of(a), 2) ==
    if (std::ranges::find(a, 2) == a.end())
      // CHECK: return ikra::algorithm::min_of(a[0], a[1]);
      return std::ranges::min(a[0], a[1]);
    // CHECK: return ikra::algorithm::max_of(a[0], a[1]);
    return std::max({a[0], a[1]});
  });
  // Spans of values.
  points.pmap([](const Point& q) {
    float pair[2] = {q.x, q.y};
    // CHECK: global_halve(ikra::list<float>(pair));
    halve(pair);
    // CHECK: ikra::list<const float> both = ikra::list<const float>(pair);
    std::span<const float> both = pair;
    // CHECK: both = both.subspan(1);
    both = both.subspan(1);
    // CHECK: global_halve(ikra::list_between(ikra::first_of(pair) + 1, ikra::end_of(pair)));
    halve({pair + 1, std::end(pair)});
    return both[0];
  });
}
