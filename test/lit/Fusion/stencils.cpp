// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stencil's kernel goes on with maps of its result, also at the border.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

struct Cell {
  int value = 7;
};

using numbers = ikra::array<int>;
template <class A> void show(const A& a) {
  for (const auto x : a)
    std::printf("%g ", static_cast<double>(x));
  std::printf("\n");
}

auto valued(const numbers& a) {
  return a.pstencil({-1, 1}, 100L, [](auto v) { return v[-1] * 10L + v[1]; })
      .pmap([](long x) { return x * 0.5; });
}
auto kept(const numbers& a, int k) {
  return a.pstencil({-1, 1}, ikra::keep, [](auto v) { return v[-1] + v[1]; })
      .with_index()
      .pmap([k](int x, std::int64_t i) { return x * k + static_cast<int>(i); })
      .pmap([](int x) { return x + 1; });
}
auto wrapped(const numbers& a) {
  return a.reshape({2, 2})
      .with_index()
      .pstencil({{0, -1}, {0, 0}}, ikra::wrap, [](auto v, ikra::index<2> i) { return v(0, -1) * 10 + v(0, 0) + int(i[0]); })
      .pmap([](int x) { return -x; });
}
auto ended(const numbers& a) {
  return a.pstencil({0, 1}, 0, [](auto v) { return v[0] + v[1]; })
      .pmap([](int x) { return x * 3; })
      .pcombine(a, [](int x, int y) { return x - y; })
      .preduce(ikra::max);
}
int pointed(const numbers& a, Cell* c) {
  return a.pstencil({0, 1}, 0, [](auto v) { return v[0] + v[1]; })
      .pmap([c](int x) { return x > 3 ? c : nullptr; })[1]
      ->value;
}
int of_objects(std::vector<Cell>& cells, Cell* c) {
  return ikra::objects(cells)
      .pmap([](const Cell* cell) { return cell->value; })
      .pmap([c](int x) { return x > 3 ? c : nullptr; })[0]
      ->value;
}

int main() {
  const numbers a{std::vector<int>{1, 2, 3, 4}};
  // OUT: 50 6.5 12 50
  show(valued(a));
  // OUT-NEXT: 6 22 33 24
  show(kept(a, 5));
  // OUT-NEXT: -21 -12 -44 -35
  show(wrapped(a));
  // OUT-NEXT: 18
  show(ended(a));
  std::vector<Cell> cells(2);
  Cell other{.value = 9};
  // OUT-NEXT: 9 9
  std::printf("%d %d\n", pointed(a, &other), of_objects(cells, &other));
}

// CHECK: kernel valued_0 -> valued_1{{$}}
// CHECK-NEXT:   reads around each location: -1..1, plain border{{$}}
// CHECK-NEXT: kernel kept_2 -> kept_3 -> kept_4{{$}}
// CHECK-NEXT:   reads around each location: -1..1, plain border{{$}}
// CHECK-NEXT: kernel wrapped_5 -> wrapped_6{{$}}
// CHECK-NEXT:   reads around each location: 0..0 -1..0{{$}}
// CHECK-NEXT: kernel ended_7 -> ended_8 -> ended_9{{$}}
// CHECK-NEXT:   reads around each location: 0..1, plain border{{$}}
// CHECK-NEXT: kernel of_objects_13 -> of_objects_14{{$}}
// CHECK-DAG: edge valued_0 -> valued_1: fused (same location, after the stencil)
// CHECK-DAG: edge pointed_11 -> pointed_12: not fused (a kernel of a stencil gives values)
// CHECK-DAG: edge ended_8 -> ended_9: fused (same location, after the stencil)
// CHECK-DAG: edge ended_9 -> ended_10: not fused (a kernel of a stencil stores its results)

// CODE: s.stencils_computed<double, fused_into_valued_1::footprint, int>(fused_into_valued_1{valued_0, valued_1, call.outside<long>(1)});
// CODE: struct fused_into_kept_4 {
// CODE-NEXT: using footprint =
// CODE-NEXT: static constexpr bool has_plain_border = true;
// CODE-NEXT: kept_2_device::body kept_2;
// CODE: template <class Accessor> IKRA_DEVICE auto operator()(const Accessor& accessor) const {
// CODE-NEXT: const auto value_2 = ikra::rt::stencil_at<int, kept_2_device::footprint, ikra::rt::border::keep, false>(accessor, kept_2, ikra::rt::no_value(), ikra::rt::leaf_at<0>());
// CODE-NEXT: return kept_4(kept_3(value_2, accessor.section_index()));
// CODE: s.stencils_computed<int, fused_into_kept_4::footprint, int>(fused_into_kept_4{kept_2, kept_3, kept_4});
