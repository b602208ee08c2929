// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results over one input share a kernel where the program asks for all of them, whichever way it takes. Not where one
// may never be asked for, may fail, or is used for more than its elements.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s --implicit-check-not=horizontal
// RUN: %ikrac --print=fusion-dot %s -- %ikra_flags | FileCheck %s --check-prefix=DOT
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_plain %s -o %t.plain && %t.plain | FileCheck %s --check-prefix=OUT
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_FUSION=off %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TRACE=kernels %t.cpu 2>&1 | FileCheck %s --check-prefix=TRACE
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <vector>

using numbers = ikra::array<int>;

struct Cell {
  int value = 3;
};

void maps(const numbers& x, int k) {
  auto sums = x.pmap([k](int e) { return e + k; });
  auto halves = x.with_index().pmap([](int e, std::int64_t i) { return 0.5 * e + static_cast<double>(i); });
  std::printf("maps %d %g\n", sums[2], halves[2]);
}
void reductions(const numbers& x) {
  const auto least = x.preduce(ikra::min);
  const auto most = x.preduce(ikra::max);
  const auto total = x.pmap([](int e) { return 2L * e; }).preduce(100, std::plus<>());
  std::printf("reductions %d %d %ld\n", least.value(), most.value(), total.value());
}
void of_something_shared(const numbers& x) {
  const auto squares = x.pmap([](int e) { return e * e; });
  auto more = squares.pmap([](int e) { return e + 1; });
  auto differences = squares.pcombine(x, [](int e, int f) { return e - f; });
  int sum = 0;
  for (const int e : differences)
    sum += e;
  std::printf("shared %d %d\n", sum, more.to_vector()[1]);
}
void in_a_loop(const numbers& x) {
  for (int round = 0; round < 2; ++round) {
    auto up = x.pmap([round](int e) { return e + round; });
    auto down = x.pmap([round](int e) { return e - round; });
    std::printf("round %d %d\n", up[0], down[0]);
  }
}
void without_elements(const numbers& x) try {
  const auto empty = x.pselect([](int e) { return e > 1000; });
  const auto least = empty.preduce(ikra::min);
  const auto total = empty.preduce(5, std::plus<>());
  std::printf("total %d\n", total.value());
  std::printf("least %d\n", least.value());
} catch (const ikra::error& error) {
  std::printf("empty %s\n", error.kind() == ikra::error_kind::empty_reduction ? "yes" : "no");
}

// Not asked for on every way, or read before the other is made.
void perhaps(const numbers& x, bool wanted) {
  auto a = x.pmap([](int e) { return e + 10; });
  auto b = x.pmap([](int e) { return e + 20; });
  std::printf("perhaps %d %d\n", a[0], wanted ? b[0] : 0);
}
void leaves(const numbers& x, bool wanted) {
  auto a = x.pmap([](int e) { return e + 30; });
  auto b = x.pmap([](int e) { return e + 40; });
  std::printf("leaves %d\n", a[0]);
  if (!wanted)
    return;
  std::printf("leaves %d\n", b[0]);
}
void in_turn(const numbers& x) {
  auto a = x.pmap([](int e) { return e + 50; });
  const int k = a[0];
  auto b = x.pmap([k](int e) { return e + k; });
  std::printf("in turn %d\n", b[0]);
}
// Must not run where the program does not come to it.
void check(int least) {
  if (least == 0)
    throw std::runtime_error("zero");
}
void divided(const numbers& x) try {
  auto plain = x.pmap([](int e) { return e + 60; });
  auto divided = x.pmap([](int e) { return 60 / (e - 1); });
  check(plain[0] - 61);
  std::printf("divided %d\n", divided[0]);
} catch (const std::runtime_error& error) {
  std::printf("divided %s\n", error.what());
}
// Used for more than their elements.
int first_of(const numbers& a) { return a[0]; }
void handed_on(const numbers& x) {
  auto a = x.pmap([](int e) { return e + 70; });
  auto b = x.pmap([](int e) { return e + 80; });
  std::printf("handed on %d %d\n", first_of(a), first_of(b));
}
void assigned(const numbers& x) {
  auto a = x.pmap([](int e) { return e + 90; });
  auto b = x.pmap([](int e) { return e + 91; });
  a = b;
  std::printf("assigned %d %d\n", a[0], b[0]);
}
// Kernels of several kinds.
// What is stored, and what is combined of it.
void scaled(const numbers& x) {
  const auto scaled = x.pmap([](int e) { return e * 2; });
  const auto next = scaled.pmap([](int e) { return 0.5 * e + 1; });
  const auto total = scaled.pmap([](int e) { return 10 * e; }).preduce(std::plus<>());
  const auto most = x.preduce(ikra::max);
  std::printf("scaled %d %g %d %d\n", total.value(), next[1], scaled[2], most.value());
}
// Stored only where it's asked for itself.
void not_stored(const numbers& x) {
  const auto scaled = x.pmap([](int e) { return e * 3; });
  const auto least = scaled.preduce(ikra::min);
  const auto most = scaled.preduce(ikra::max);
  std::printf("not stored %d %d\n", least.value(), most.value());
}
void of_kinds(const numbers& x) {
  auto a = x.pmap([](int e) { return e * 3; });
  auto most = x.preduce([](int e, int f) { return e > f ? e : f; });
  auto near = x.pstencil({-1, 0}, 0, [](auto v) { return v[-1] + v[0]; });
  auto sums = x.pscan(std::plus<>());
  std::printf("kinds %d %d %d %d\n", a[1], most[0], near[1], sums[2]);
}
void of_objects(std::vector<Cell>& store) {
  const auto cells = ikra::objects(store);
  auto a = cells.pmap([](const Cell* c) { return c->value; });
  auto b = cells.pmap([](const Cell* c) { return -c->value; });
  const int first = a[0];
  store[1].value = 8;
  std::printf("objects %d %d\n", first, b[1]);
}

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  const numbers x{std::vector<int>{1, 2, 3}};
  // OUT: maps 8 3.5
  maps(x, 5);
  // OUT-NEXT: reductions 1 3 112
  reductions(x);
  // OUT-NEXT: shared 8 5
  of_something_shared(x);
  // OUT-NEXT: round 1 1
  // OUT-NEXT: round 2 0
  in_a_loop(x);
  // OUT-NEXT: total 5
  // OUT-NEXT: empty yes
  without_elements(x);
  // OUT-NEXT: perhaps 11 0
  perhaps(x, false);
  // OUT-NEXT: leaves 31
  leaves(x, false);
  // OUT-NEXT: in turn 52
  in_turn(x);
  // OUT-NEXT: divided zero
  divided(x);
  // OUT-NEXT: handed on 71 81
  handed_on(x);
  // OUT-NEXT: assigned 92 92
  assigned(x);
  // OUT-NEXT: scaled 120 3 6 3
  scaled(x);
  // OUT-NEXT: not stored 3 9
  not_stored(x);
  // OUT-NEXT: kinds 6 3 3 6
  of_kinds(x);
  std::vector<Cell> store(2);
  // OUT-NEXT: objects 3 -8
  of_objects(store);
}

// CHECK: horizontal maps_0, maps_1: fused (all are asked for, over x)
// CHECK-NEXT: horizontal reductions_2, reductions_3, reductions_5: fused (all are asked for, over x)
// CHECK-NEXT: horizontal of_something_shared_7, of_something_shared_8: fused (all are asked for, over x)
// CHECK-NEXT: horizontal in_a_loop_9, in_a_loop_10: fused (all are asked for, over x)
// CHECK-NEXT: horizontal without_elements_12, without_elements_13: fused (all are asked for, over empty)
// CHECK-NEXT: horizontal perhaps_{{[0-9]+}}: not fused (b may never be asked for)
// CHECK-NEXT: horizontal leaves_{{[0-9]+}}: not fused (b may never be asked for)
// CHECK-NEXT: horizontal divided_{{[0-9]+}}: not fused (a section may fail or not end, and must not run if the program stops before it)
// CHECK-NEXT: horizontal scaled_[[#A:]],
// CHECK-SAME: {{^ }}scaled_[[#A+1]], scaled_[[#A+3]], scaled_[[#A+4]]: fused (all are asked for, over x)
// CHECK-NEXT: horizontal not_stored_[[#B:]],
// CHECK-SAME: {{^ }}not_stored_[[#B+1]]: fused (all are asked for, over x)
// CHECK-NEXT: horizontal of_kinds_[[#C:]],
// CHECK-SAME: {{^ }}of_kinds_[[#C+1]]: fused (all are asked for, over x)
// CHECK: horizontal of_kinds_{{[0-9]+}}: not fused (pstencil has a kernel of its own)
// CHECK: horizontal of_kinds_{{[0-9]+}}: not fused (pscan has a kernel of its own)
// CHECK: horizontal of_objects_{{[0-9]+}}: not fused (a section uses objects)
// CHECK: horizontal of_objects_{{[0-9]+}}: not fused (a section uses objects)

// DOT: maps_0 -> maps_1 [dir=none, label="all are asked for, over x"];

// CODE: ::ikra::compute_group<::{{.*}}::horizontal>(sums, halves);
// CODE: struct horizontal_in_one_body {
// CODE: return ikra::rt::make_results<int, double>(maps_0(x), maps_1(x, index));
// CODE: const auto value_2 = of_something_shared_6(x);
// CODE-NEXT: return ikra::rt::make_results<int, int>(of_something_shared_7(value_2), of_something_shared_8(value_2, x));
// CODE: const auto value_0 = scaled_26(x);
// CODE-NEXT: return ikra::rt::make_results<int, double, int, int>(value_0, scaled_27(value_0), scaled_28(value_0), x);
// CODE: s.reduce_group<0, ikra::rt::results<int, double>, int>({{.*}}_body{scaled_28, scaled_27, scaled_26}, ikra::rt::fold<int>(scaled_29), ikra::rt::fold<int>(scaled_30));

// One kernel for each group that is fused.
// TRACE: kernel 1: section 'maps' {{.*}} 2 sections
// TRACE-NEXT: maps 8
// TRACE-NEXT: kernel 2: section 'reductions' {{.*}} 4 sections
// TRACE-NEXT: reductions
// TRACE-NEXT: kernel 3: section 'of_something_shared' {{.*}} 3 sections
// TRACE-NEXT: shared
// TRACE-NEXT: kernel 4: section 'in_a_loop' {{.*}} 2 sections
// TRACE-NEXT: round
// TRACE-NEXT: kernel 5: section 'in_a_loop' {{.*}} 2 sections
// TRACE-NEXT: round
// TRACE: kernel [[#K:]]: section 'scaled' {{.*}} 5 sections
// TRACE-NEXT: scaled
// TRACE-NEXT: kernel [[#K+1]]: section 'not_stored' {{.*}} 3 sections
// TRACE-NEXT: not stored
