// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Datalog program in a string literal becomes data and a kernel for each join, with its types,
// constants and conditions in it; programs with the same text are emitted once.
//
// RUN: %ikrac -o - %s -- %ikra_flags | grep -v '// CHECK' | FileCheck %s --implicit-check-not='datalog_{{5_}}'
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: g++ -std=c++20 -x c++ -fsyntax-only -Wall -Wextra -Werror -fopenmp %ikra_flags %t.cu
#include <ikra/ikra.hpp>

// CHECK: // It holds no parallel sections.
// CHECK: #include <ikra/generated/datalog/joins.hpp>
// CHECK: namespace ikra_unit_datalog_{{[0-9a-f]+}}::datalog_programs {
// CHECK: // the Datalog program at {{.*}}datalog.cpp:[[@LINE+1]]
ikra::datalog::program near = IKRA_DATALOG(R"(
  .decl edge(x: number, y: number)
  .decl near(x: number, y: number, d: number)
  near(x, y, 1) :- edge(x, y).
  near(x, y, d + 1) :- near(x, z, d), edge(z, y), d < 5, x != y.
)");
// The scan of the first rule: columns to the head, with its constant.
// CHECK: // near(x, y, 1) :- edge(x, y).
// CHECK-NEXT: struct datalog_0_join_0 {
// CHECK: static constexpr unsigned keys = 0, outputs = 3, words = 2;
// CHECK-NEXT: static constexpr bool scans = true, tests = false;
// CHECK-NOT: key(
// CHECK: out[0] = c0;
// CHECK-NEXT: out[1] = c1;
// CHECK-NEXT: out[2] = 1u;
//
// The second rule: the scan of delta tests d, the join tests x and y and computes the head's d.
// CHECK: struct datalog_0_join_1 {
// CHECK: if (compute<operation::less, kind::number, 32>(c{{[0-9]}}, 5u, call.fault) == 0)
// CHECK-NEXT: return false;
// CHECK: struct datalog_0_join_2 {
// CHECK: static constexpr unsigned keys = 1, outputs = 3, words = 2;
// CHECK-NEXT: static constexpr bool scans = false, tests = true;
// CHECK: key[0] = read<32>(call.inputs[0], row);
// CHECK: if (i1 == c0)
// CHECK-NEXT: return false;
// CHECK: out[2] = compute<operation::add, kind::number, 32>(i2, 1u, call.fault);
//
// CHECK: constexpr unsigned char datalog_0_rules[] = {
// CHECK: constexpr join datalog_0_joins[] = {
// CHECK-NEXT: kernels_of<datalog_0_join_0>(),
// CHECK: program_code datalog_0{
// CHECK-NEXT: "\n"
// CHECK-NEXT: "  .decl edge(x: number, y: number)\n"
// CHECK: }, 32, datalog_0_rules, datalog_0_joins};
// CHECK-NEXT: const registration datalog_0_known(datalog_0);

// Options that say the width of numbers: that alone.
// CHECK: // the Datalog program at {{.*}}datalog.cpp:[[@LINE+2]]
ikra::datalog::program wide() {
  return ikra::datalog::program(".decl a(x: float) .decl b(x: float) b(x / 2) :- a(x), x > 1.5.",
                                {.bits = 64});
}
// CHECK: compute<operation::greater, kind::floating, 64>(c0, 4609434218613702656u, call.fault)
// CHECK: out[0] = compute<operation::divide, kind::floating, 64>(c0, 4611686018427387904u, call.fault);
// CHECK: }, 64, datalog_1_rules, datalog_1_joins};

// Negations are look-ups within the kernel, ranges are joins with the values.
// CHECK: // the Datalog program at {{.*}}datalog.cpp:[[@LINE+1]]
ikra::datalog::program alone = IKRA_DATALOG(R"(
  .decl link(x: number, y: number)
  .decl blocked(y: number)
  .decl open(x: number, y: number)
  .decl steps(x: number, y: number)
  open(x, y) :- link(x, y), !blocked(y), !link(_, x).
  steps(x, i) :- open(x, y), i = range(x, y, 2), i > 3.
)");
// CHECK: // open(x, y) :- link(x, y), !blocked(y), !link(_, x).
// CHECK: static constexpr bool scans = true, tests = true;
// CHECK: const u64 k0[] = {c0};
// CHECK-NEXT: if (found<1>(call.absent[0], k0))
// CHECK-NEXT: return false;
// CHECK-NEXT: const u64 k1[] = {c1};
// CHECK-NEXT: if (found<1>(call.absent[1], k1))
// CHECK-NEXT: return false;
// CHECK: static u64 count(
// CHECK: return range_length({kind::number, 32}, i0, i1, 2u);
// CHECK: static bool make(
// CHECK: const u64 i0 = read<32>(call.inputs[0], row);
// CHECK-NEXT: const u64 c0 = tuple;
// CHECK-NEXT: {{.*}}const u64 v0 = compute<operation::add, kind::number, 32>(i0, compute<operation::multiply, kind::number, 32>(convert(c0, {kind::unsigned_number, 64}, {kind::number, 32}), 2u, call.fault), call.fault);
// CHECK-NEXT: if (compute<operation::greater, kind::number, 32>(v0, 3u, call.fault) == 0)
// CHECK: out[1] = v0;
// CHECK: }, 32, datalog_2_rules, datalog_2_joins};

// Aggregates: the join within gives the row's number and the value; what stands after is done for
// each row, with the head.
// CHECK: // the Datalog program at {{.*}}datalog.cpp:[[@LINE+1]]
ikra::datalog::program totals = IKRA_DATALOG(R"(
  .decl item(shop: number, price: number)
  .decl shop(s: number)
  .decl total(s: number, t: number)
  total(s, t + 1) :- shop(s), t = sum p * 2 : { item(s, p), p > 3 }, t < 1000.
)");
// CHECK: "rows 32 32, if
// CHECK: static constexpr unsigned keys = 0, outputs = 2, words = 1;
// CHECK-NEXT: static constexpr bool scans = true, tests = true;
// CHECK: const u64 i0 = read<32>(call.inputs[0], row);
// CHECK-NEXT: const u64 i1 = read<32>(call.inputs[1], row);
// CHECK-NEXT: if (compute<operation::less, kind::number, 32>(i0, 1000u, call.fault) == 0)
// CHECK-NEXT: return false;
// CHECK-NEXT: out[0] = i1;
// CHECK-NEXT: out[1] = compute<operation::add, kind::number, 32>(i0, 1u, call.fault);
// CHECK: "join 32 32, columns 32, by i0/32, if
// CHECK: static constexpr unsigned keys = 1, outputs = 2, words = 0;
// CHECK: const u64 i1 = read<32>(call.inputs[1], row);
// CHECK: if (compute<operation::greater, kind::number, 32>(c0, 3u, call.fault) == 0)
// CHECK: const u64 v0 = compute<operation::multiply, kind::number, 32>(c0, 2u, call.fault);
// CHECK-NEXT: out[0] = i1;
// CHECK-NEXT: out[1] = v0;
// CHECK: kernels_of<datalog_3_join_1>(),
// CHECK-SAME: };
// CHECK: }, 32, datalog_3_rules, datalog_3_joins};

// Without rules there are no kernels.
// CHECK: // the Datalog program at {{.*}}datalog.cpp:[[@LINE+1]]
ikra::datalog::program first() { return IKRA_DATALOG(".decl only_facts(x: number)"); }
ikra::datalog::program second() { return IKRA_DATALOG(".decl only_facts(x: number)"); }
// CHECK: }, 32, datalog_4_rules, {}};
// CHECK: } // namespace ikra_unit_datalog_{{[0-9a-f]+}}::datalog_programs
// CHECK: #include <ikra/ikra.hpp>
