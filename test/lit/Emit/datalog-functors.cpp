// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels call functions that are given for functors, in device form, by classes that stand in
// front of the program's text; the text says by which. Those that no kernel calls stay as they are.
//
// RUN: %ikrac -o - %s -- %ikra_flags | FileCheck %s --implicit-check-not='functor_{{2}}'
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: g++ -std=c++20 -x c++ -fsyntax-only -Wall -Wextra -Werror -fopenmp %ikra_flags %t.cu
#include <ikra/ikra.hpp>

// Names that the engine has, too.
using u64 = unsigned long long;
inline u64 value_of = 1, word_of = 2;

static int below(int x) { return x - 1; }
static int half(const int& x) { return below(x + 1) / 2; }

void run() {
  ikra::datalog::program p{R"(
    .functor half(x: number): number
    .functor mean(x: float, y: float): float
    .decl a(x: number, y: float)
    .decl r(x: number, y: float)
    .decl h(x: number)
    r(@half(x), @mean(y, 2.0)) :- a(x, y), @half(x) != 3.
    h(@half(x)) :- h(x), !a(@half(x), _).
  )",
                           {32, {}, {}, 0,
                            {{"half", half},
                             {"mean", [](float x, float y) { return (x + y) / 2; }},
                             {"none", [](int x) { return x; }}}}};
}

// CHECK: #include <ikra/generated.hpp>
// CHECK: // functor half at {{.*}}datalog-functors.cpp:[[@LINE-6]]
// CHECK-NEXT: struct functor_0 {
// CHECK-NEXT: static constexpr const char* name = "::[[UNIT:ikra_unit_datalog_functors_[0-9a-f]+]]::datalog_programs::functor_0";
// CHECK-NEXT: IKRA_DATALOG_BOTH static inline std::uint64_t call(std::uint64_t a0);
// CHECK-NEXT: };
// CHECK-NEXT: // functor mean at
// CHECK: call(std::uint64_t a0, std::uint64_t a1);
//
// The shape says which functions were compiled into the kernel.
// CHECK: "scan, columns 32 32, let ::[[UNIT]]::datalog_programs::functor_0(c0), if {{.*}}, let ::[[UNIT]]::datalog_programs::functor_0(c0), let ::[[UNIT]]::datalog_programs::functor_1(c1 1073741824), head of 1 v1/32 v2/32";
// CHECK: const u64 v0 = ::[[UNIT]]::datalog_programs::functor_0::call(c0);
// CHECK-NEXT: if (v0 == 3u)
// CHECK-NEXT: return false;
// CHECK: const u64 v2 = ::[[UNIT]]::datalog_programs::functor_1::call(c1, 1073741824u);
// CHECK: out[1] = v2;
//
// CHECK: const u64 k0[] = {v0};
// CHECK-NEXT: if (found<1>(call.absent[0], k0))
//
// CHECK: {"half", ::ikra::datalog::detail::with_code<::[[UNIT]]::datalog_programs::functor_0>(half)},
// CHECK: {"mean", ::ikra::datalog::detail::with_code<::[[UNIT]]::datalog_programs::functor_1>([](float x, float y) { return (x + y) / 2; })},
// CHECK: {"none", [](int x) { return x; }}
//
// CHECK: IKRA_DEVICE int global_below(int x) { return x - 1; }
// CHECK: IKRA_DEVICE int global_half(const int& x) { return global_below(x + 1) / 2; }
// CHECK: IKRA_DEVICE float lambda(float x, float y) { return (x + y) / 2; }
// CHECK: namespace [[UNIT]]::datalog_programs {
// CHECK-NEXT: IKRA_DATALOG_BOTH inline std::uint64_t functor_0::call(std::uint64_t a0) {
// CHECK-NEXT: return ikra::datalog::compiled::word_of<int>(global_half(ikra::datalog::compiled::value_of<int>(a0)));
// CHECK-NEXT: }
// CHECK-NEXT: IKRA_DATALOG_BOTH inline std::uint64_t functor_1::call(std::uint64_t a0, std::uint64_t a1) {
// CHECK-NEXT: return ikra::datalog::compiled::word_of<float>(lambda(ikra::datalog::compiled::value_of<float>(a0),
// CHECK-NEXT: ikra::datalog::compiled::value_of<float>(a1)));
