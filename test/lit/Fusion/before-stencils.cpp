// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands in front of a stencil is computed anew for each place that it is a neighbour of, where that takes less time than
// keeping it in memory. What several kernels need is computed in each, or once.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_FUSION=off %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

struct Cell {
  int value = 3;
};

using numbers = ikra::array<int>;
using image = ikra::array<float, 2>;
template <class A> void show(const A& a) {
  for (const auto x : a)
    std::printf("%g ", static_cast<double>(x));
  std::printf("\n");
}
float cross(const ikra::window<float, 2>& v) { return v(-1, 0) + v(0, -1) + v(0, 1) + v(1, 0); }
float square(const ikra::window<float, 2>& v) {
  float sum = 0;
  for (int y = -1; y <= 1; ++y)
    for (int x = -1; x <= 1; ++x)
      sum += 0.125f * v(y, x);
  return sum;
}

// A map's neighbours cost little; those of a loop much.
auto mapped(const numbers& a) {
  return a.pmap([](int x) { return x * 2; }).pstencil({-1, 1}, 7, [](auto v) { return v[-1] - v[1]; });
}
auto looped(const numbers& a) {
  return a.pmap([](int x) {
            int sum = 0;
            for (int k = 0; k < x; ++k)
              sum += k * x;
            return sum;
          })
      .pstencil({-1, 1}, 7, [](auto v) { return v[-1] - v[1]; });
}
// Neighbours of neighbours: 13 places of a cross, 25 of a square.
auto crosses(const image& a) {
  return a.pstencil({{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, 1.0f, cross).pstencil({{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, ikra::keep, cross);
}
auto squares(const image& a) {
  return a.pstencil(ikra::box<1, 1>, ikra::clamp, square).pstencil(ikra::box<1, 1>, ikra::clamp, square);
}
// After a stencil, other arrays are read too.
auto sharpened(const numbers& a, const numbers& b) {
  const auto half = a.pmap([](int x) { return x / 2; });
  return half.pcombine(half.pstencil({-1, 1}, ikra::wrap, [](auto v) { return v[-1] + v[1]; }), b, [](int x, int y, int z) { return 4 * x - y + z; });
}
// Two read what three arrays give: once costs 24 bytes, twice 32.
int shared(const numbers& a, const numbers& b, const numbers& c, const numbers& d) {
  const auto all = a.pcombine(b, c, d, [](int w, int x, int y, int z) { return w + x * y - z; });
  const auto first = all.pmap([](int x) { return x + 1; });
  const auto second = all.pmap([](int x) { return x - 1; });
  const auto third = all.pmap([](int x) { return x * 5; });
  return first[0] * second[1] - third[2];
}
int of_objects(std::vector<Cell>& cells) {
  return ikra::objects(cells).pmap([](const Cell* c) { return c->value; }).pstencil({0, 1}, 0, [](auto v) { return v[0] + v[1]; })[0];
}
int failing(const numbers& a, const std::vector<int>& table) {
  return a.pmap([table](int x) { return table.at(static_cast<std::size_t>(x)); }).pstencil({1}, 0, [](auto v) { return v[1]; })[1];
}

int main() {
  const numbers a{std::vector<int>{1, 2, 3, 4}};
  const image picture{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {3, 4}};
  // OUT: 7 -4 -4 7
  show(mapped(a));
  // OUT-NEXT: 7 -9 -22 7
  show(looped(a));
  // OUT-NEXT: 1 1 1 1 1 31 27 1 1 1 1 1
  show(crosses(picture));
  // OUT-NEXT: 4.78125 5.48438 6.46875
  show(squares(picture));
  // OUT-NEXT: -2 5 4 11
  show(sharpened(a, a));
  std::vector<Cell> cells(2);
  // OUT-NEXT: -39 6 9
  std::printf("%d %d %d\n", shared(a, a, a, a), of_objects(cells), failing(a, {7, 6, 7, 9, 8}));
}

// CHECK: kernels: 25 (19 of single sections)
// CHECK-NEXT: kernel mapped_0 -> mapped_1{{$}}
// CHECK-NEXT:   reads around each location: -1..1, plain border{{$}}
// CHECK-NEXT: kernel crosses_4 -> crosses_5, on a GPU{{$}}
// CHECK-NEXT:   reads around each location: -2..2 -2..2{{$}}
// CHECK-NEXT: kernel sharpened_9(sharpened_8(array), sharpened_10(sharpened_8), array){{$}}
// CHECK-NEXT:   reads around each location: -1..1{{$}}
// CHECK-NEXT:   on all cores for arrays much larger than a border of 2{{$}}
// CHECK-NEXT: kernel squares_6 -> squares_7, in tiles, on a GPU{{$}}
// CHECK-NOT: kernel
// CHECK-DAG: edge mapped_0 -> mapped_1: fused (neighbours computed anew: 48 operations' time a result, 96 with them in memory)
// CHECK-DAG: edge looped_2 -> looped_3: not fused (neighbours computed anew: 105 operations' time a result, 100 with them in memory)
// CHECK-DAG: edge crosses_4 -> crosses_5: fused on a GPU alone (neighbours computed anew: 48 operations' time a result, 96 with them in memory; on all cores 28 and 22)
// CHECK-DAG: edge squares_6 -> squares_7: fused (neighbours computed anew: 238 operations' time a result, 108 with them in memory; tiles of 1.12 times the first one's results: 9 operations' time a result, 48 to keep them in memory)
// CHECK-DAG: edge sharpened_8 -> sharpened_10: fused (neighbours computed anew: 48 operations' time a result, 96 with them in memory)
// CHECK-DAG: edge shared_11 -> shared_14: not fused (360 operations' time if each of 3 kernels computes it, 264 if it is computed once)
// CHECK-DAG: edge of_objects_15 -> of_objects_16: not fused (a stencil's neighbours are not computed from objects)
// CHECK-DAG: edge failing_17 -> failing_18: not fused (its section may fail, and is to run for places that are no neighbours too)

// CODE: struct fused_into_crosses_5 {
// CODE-NEXT: using footprint = ikra::rt::footprint<ikra::rt::extent<-2, 2>, ikra::rt::extent<-2, 2>>;
// CODE-NEXT: static constexpr bool ignores_index = true;
// CODE: float outside_1;
// CODE: template <class Accessor> IKRA_DEVICE auto element_1(const Accessor& accessor) const {
// CODE-NEXT: return ikra::rt::stencil_at<float, crosses_4_device::footprint, ikra::rt::border::value, false>(accessor, crosses_4, outside_1, ikra::rt::leaf_at<0>());
// CODE: template <class Accessor> IKRA_DEVICE auto operator()(const Accessor& accessor) const {
// CODE-NEXT: return ikra::rt::stencil_at<float, crosses_5_device::footprint, ikra::rt::border::keep, false>(accessor, crosses_5, ikra::rt::no_value(), [this](const auto& near) { return this->element_1(near); });
// CODE: s.stencils_computed<float, fused_into_crosses_5::footprint, float>(fused_into_crosses_5{crosses_4, crosses_5, call.outside<float>(1)});
// CODE: struct fused_into_sharpened_9 {
// CODE: const auto value_1 = ikra::rt::stencil_at<int, sharpened_10_device::footprint, ikra::rt::border::wrap, false>(accessor, sharpened_10, ikra::rt::no_value(), [this](const auto& near) { return this->element_2(near); });
// CODE-NEXT: return sharpened_9(sharpened_8(accessor.template element<1>()), value_1, accessor.template element<0>());
// CODE: s.stencils_computed<int, fused_into_sharpened_9::footprint, int, int>(
