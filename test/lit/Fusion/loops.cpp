// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps that may follow each other in loops of the host: one kernel for any sequence of them.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_FUSION=off %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: not env IKRA_FUSION=maybe %t.cpu 2>&1 | FileCheck %s --check-prefix=BAD
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

using numbers = ikra::array<int>;

int loop(int rounds) {
  auto v = ikra::pnew(5, [](std::int64_t i) { return static_cast<int>(i); });
  for (int r = 0; r < rounds; ++r)
    if (r % 2 == 0)
      v = v.pmap([](int x) { return x + 1; });
    else
      v = v.with_index().pmap([r](int x, std::int64_t i) { return x * r + static_cast<int>(i); });
  return v[3];
}
numbers twice(const numbers& a) {
  return a.pmap([](int x) { return x * 2; });
}
int through_functions() {
  numbers v{std::vector<int>{1, 2}};
  for (int r = 0; r < 5; ++r)
    v = twice(v);
  return v[1];
}
// What follows itself in no loop, changes the type, or reads a container or a class, has no such kernel.
int no_loops(const numbers& a, const std::vector<int>& table) {
  auto v = a;
  for (int r = 0; r < 3; ++r)
    v = v.pmap([table](int x) { return table[static_cast<std::size_t>(x % 2)]; });
  auto w = a.pmap([](int x) { return x + 7; });
  for (int r = 0; r < 3; ++r)
    w = w.pmap([](int x) { return x * 0.5; }).pmap([](double x) { return static_cast<int>(x) + 1; });
  return v[0] + w[0];
}
int of_pairs() {
  using pair = std::pair<int, int>;
  ikra::array<pair> v{std::vector<pair>{{1, 2}}};
  for (int r = 0; r < 3; ++r)
    v = v.pmap([](pair x) { return pair(x.second, x.first + x.second); });
  return v[0].second;
}

/// Long enough to be computed in parts, the first before they are asked for.
int long_chain() {
  numbers v{std::vector<int>{1, 2}};
  for (int r = 0; r < 5000; ++r)
    v = v.pmap([](int x) { return x * 2 % 1000 + 1; });
  return v[1];
}

int main() {
  try {
    std::printf("loop %d %d %d\n", loop(0), loop(1), loop(6));
    std::printf("functions %d\n", through_functions());
    std::printf("none %d\n", no_loops(numbers{std::vector<int>{4, 5}}, {30, 50}));
    std::printf("pairs %d\n", of_pairs());
    std::printf("long %d\n", long_chain());
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}

// CHECK: kernels: 17 (10 of single sections)
// CHECK: kernel loop_0 -> loop_1
// The turns after the first one.
// CHECK: kernel no_loops_6 -> no_loops_7, on path 1
// CHECK-DAG: loop loop_1 loop_2, from loop_0
// CHECK-DAG: loop twice_3
// CHECK-DAG: loop long_chain_9
// CHECK-NOT: {{^loop }}
// What may follow itself, what it may follow, and does nothing that the program might not ask for.
// CHECK: early loop_0: long chains that nothing else holds
// CHECK-NEXT: early loop_1: long chains that nothing else holds
// CHECK-NEXT: early loop_2: long chains that nothing else holds
// CHECK-NEXT: early twice_3: long chains that nothing else holds
// CHECK-NEXT: early no_loops_5: long chains that nothing else holds
// CHECK-NEXT: early no_loops_6: long chains that nothing else holds
// CHECK-NEXT: early no_loops_7: long chains that nothing else holds
// CHECK-NEXT: early of_pairs_8: long chains that nothing else holds
// CHECK-NEXT: early long_chain_9: long chains that nothing else holds
// CHECK-NOT: {{^early }}

// CODE: struct ikra::section_code<{{.*}}::loop_1> {
// CODE-NEXT: static void run(map_call& call);
// CODE: static constexpr bool may_run_early = true;
// CODE-LABEL: struct loop_of_loop_1 {
// CODE-NEXT: static constexpr unsigned sections = 2;
// CODE-NEXT: ikra::rt::node_bodies<loop_1_device::body> loop_1_bodies;
// CODE: if (node.key() == ikra::key_of<loop_2>)
// CODE-NEXT: return sequence.add(1, loop_2_bodies.add({node.capture<int>(0)}), loop_2_bodies.capacity);
// CODE: case 0: return step.plain(loop_1_bodies[body]);
// CODE: case 1: return step.indexed(loop_2_bodies[body]);
// CODE: default: return step.start(loop_0_bodies[body]);
// CODE: const loop_1_device::body of_loop_1 = loop_1_bodies[turn[0].body];
// CODE-NEXT: const loop_2_device::body of_loop_2 = loop_2_bodies[turn[1].body];
// CODE-NEXT: for (unsigned k = 0; k < times; ++k) {
// CODE-NEXT: step.plain(of_loop_1);
// CODE-NEXT: step.indexed(of_loop_2);
// CODE: s.loop_values<int, 1>(loop_of_loop_1{});
// CODE: static constexpr ikra::section_key sections_of_loop_of_loop_1[] = {ikra::key_of<loop_1>, ikra::key_of<loop_2>};
// CODE: static constexpr ikra::section_key starts_of_loop_of_loop_1[] = {ikra::key_of<loop_0>};
// CODE: static constexpr ikra::loop loop_of_loop_1_info{sections_of_loop_of_loop_1, starts_of_loop_of_loop_1, &run_loop_of_loop_1};
// CODE: const ikra::loop* ikra::section_code<{{.*}}::loop_1>::sequences() {

// OUT: loop 3 4 143
// OUT: functions 64
// OUT: none 33
// OUT: pairs 8
// OUT: long 127

// BAD: IKRA_FUSION is 'maybe'; set it to on or off, or unset it
