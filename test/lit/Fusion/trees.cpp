// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trees and graphs of sections in one kernel, reductions and selections at their end, and why others are not.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac --print=fusion-dot %s -- %ikra_flags | FileCheck %s --check-prefix=DOT
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

struct Cell {
  int value = 3;
};

using numbers = ikra::array<int>;

int tree(const numbers& a, const numbers& b) {
  return a.pmap([](int x) { return x + 1; })
      .pcombine(b.pmap([](int y) { return y * 2; }), [](int x, int y) { return x - y; })[1];
}
int diamond(const numbers& a) {
  const auto shared = a.pmap([](int x) { return x + 1; });
  const auto other = shared.pmap([](int x) { return x * x; });
  return shared.pcombine(other, [](int x, int y) { return x * 100 + y; })[1];
}
int reduced(const numbers& a, const numbers& b) {
  return a.pcombine(b, [](int x, int y) { return x * y; })
      .preduce([](int x, int y) { return x + y; })[0];
}
int selected(const numbers& a) {
  return a.with_index()
      .pmap([](int x, std::int64_t i) { return x * 10 + static_cast<int>(i); })
      .pselect([](int x) { return x > 15; })[0];
}
int made(const numbers& a) {
  return ikra::pnew(3, [](std::int64_t i) { return static_cast<int>(i) * 7; })
      .pcombine(a, [](int x, int y) { return x + y; })[2];
}
int of_objects(std::vector<Cell>& store, const numbers& a) {
  return ikra::objects(store)
      .pmap([](const Cell* c) { return c->value; })
      .pcombine(a, [](int x, int y) { return x + y; })[0];
}
int scanned(const numbers& a) {
  return a.pstencil({-1, 1}, 0, [](auto v) { return v[-1] + v[1]; })
      .pmap([](int x) { return x + 1; })[1];
}

int main() {
  const numbers a{std::vector<int>{1, 2, 3}}, b{std::vector<int>{4, 5, 6}};
  std::vector<Cell> store(3);
  // OUT: -7 309 32 21 17 4 5
  std::printf("%d %d %d %d %d %d %d\n", tree(a, b), diamond(a), reduced(a, b), selected(a), made(a),
              of_objects(store, a), scanned(a));
  return 0;
}

// CHECK: kernels: 23 (16 of single sections)
// CHECK-NEXT: kernel tree_[[T0:[0-9]+]](tree_[[T1:[0-9]+]](array), tree_[[T2:[0-9]+]](array)){{$}}
// CHECK-NEXT: kernel diamond_3 -> diamond_4{{$}}
// CHECK-NEXT: kernel diamond_5(diamond_3(array), diamond_4(diamond_3)){{$}}
// CHECK-NEXT: kernel reduced_6 -> reduced_7{{$}}
// CHECK-NEXT: kernel selected_8 -> selected_9{{$}}
// CHECK-NEXT: kernel made_10 -> made_11{{$}}
// CHECK-DAG: edge of_objects_12 -> of_objects_13: not fused (a kernel over objects reads no other arrays)
// CHECK-DAG: edge scanned_14 -> scanned_15: fused (same location, after the stencil)
// CHECK-DAG: edge reduced_6 -> reduced_7: fused (same location)

// DOT: digraph fusion {
// DOT: reduced_7 [label="reduced_7\npreduce at line {{[0-9]+}}"];
// DOT: reduced_6 -> reduced_7 [label="same location"];
// DOT: of_objects_12 -> of_objects_13 [label="a kernel over objects reads no other arrays", style=dashed];

// A section whose result is used twice runs once for each place.
// CODE: struct fused_into_diamond_5 {
// CODE-NEXT: diamond_3_device::body diamond_3;
// CODE-NEXT: diamond_4_device::body diamond_4;
// CODE-NEXT: diamond_5_device::body diamond_5;
// CODE: IKRA_DEVICE auto operator()(int x) const {
// CODE-NEXT: const auto value_2 = diamond_3(x);
// CODE-NEXT: return diamond_5(value_2, diamond_4(value_2));
// CODE: s.combine_values<int, int>(fused_into_diamond_5{diamond_3, diamond_4, diamond_5});
// CODE: s.reduce_computed<int, 0, int, int>(fused_into_reduced_7{reduced_6}, reduced_7);
// CODE: s.select_computed<int, 0, 1, int>(fused_into_selected_9{selected_8}, selected_9);
// CODE: s.combine_values_indexed<int, 1, int>(fused_into_made_11{made_10, made_11});
// CODE: ikra::section_code<{{.*}}::diamond_5>::fusions() {
// CODE: nodes[] = {{[{][{]}}ikra::key_of<diamond_5>, 2}, {ikra::key_of<diamond_4>, 1}, {ikra::key_of<diamond_3>, 1}};
// CODE-NEXT: inputs[] = {2, 1, 2, -1};
// CODE-NEXT: table[] = {{[{][{]}}nodes, inputs, 1, &run_fused_into_diamond_5}};
