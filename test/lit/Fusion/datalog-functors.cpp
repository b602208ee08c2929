// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions for functors whose bodies are seen and are device code are part of kernels; of others
// the reason is said, once a program.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

#include <cstdint>
#include <string>

int half(int x) { return x / 2; }
int elsewhere(int x);
int total = 0;
int counted(int x) { return total += x; }
int chosen(int x) { return x == 0 ? counted(x) : x; }
enum class Colour : int { red };
struct Times {
  int by;
  int operator()(int x) const { return x * by; }
};

// CHECK-NOT: warning
// CHECK: datalog at line [[@LINE+17]], 32 bits
// CHECK-NEXT: functor half: in kernels
// CHECK-NEXT: functor next: in kernels
// CHECK-NEXT: functor scaled: in kernels
// CHECK-NEXT: functor elsewhere: on the host, since its body is in another file
// CHECK-NEXT: functor chosen: on the host, since 'total' is a variable outside of objects
// CHECK-NEXT: functor shifted: on the host, since its lambda captures variables
// CHECK-NEXT: functor times: on the host, since it is an object with a call operator of its own
// CHECK-NEXT: functor shown: on the host, since it takes or gives what is no number
// CHECK-NEXT: functor colour: on the host, since it takes or gives what is no number
// CHECK-NEXT: functor wide: on the host, since its function has other types
// CHECK-NEXT: functor twice: on the host, since several functions are given for it
// CHECK-NEXT: functor absent: on the host, since no function for it stands in this file
// CHECK-NEXT: r(@elsewhere(x)) :- a(x).  interpreted: functor elsewhere{{$}}
// CHECK-NEXT: s(@shown(x)) :- a(x), @half(x) > 1.  interpreted: functor shown{{$}}
// CHECK-NEXT: t(cat("x", "y")) :- a(_).  interpreted: a function of the host
void given(int shift, int (*at_run_time)(int)) {
  ikra::datalog::program of_all{R"(
    .functor half(x: number): number
    .functor next(x: number): number
    .functor scaled(x: float, by: unsigned): float
    .functor elsewhere(x: number): number
    .functor chosen(x: number): number
    .functor shifted(x: number): number
    .functor times(x: number): number
    .functor shown(x: number): symbol
    .functor colour(x: number): number
    .functor wide(x: number): number
    .functor twice(x: number): number
    .functor absent(x: number): number
    .decl a(x: number)
    .decl r(x: number)
    .decl s(x: symbol)
    .decl t(x: symbol)
    .decl f(x: float)
    r(@elsewhere(x)) :- a(x).
    s(@shown(x)) :- a(x), @half(x) > 1.
    t(cat("x", "y")) :- a(_).
    r(@half(@next(x))) :- a(x), !a(@half(x)).
    f(@scaled(1.5, 2)) :- a(_).
  )",
                                {32, {}, {}, 0,
                                 {{"half", half},
                                  {"next", [](int x) { return x + 1; }},
                                  {"scaled", [](float x, unsigned by) { return x * float(by); }},
                                  {"elsewhere", elsewhere},
                                  {"chosen", &chosen},
                                  {"shifted", [shift](int x) { return x + shift; }},
                                  {"times", Times{2}},
                                  {"shown", [](int x) { return std::to_string(x); }},
                                  {"colour", [](Colour c) { return static_cast<int>(c); }},
                                  {"wide", [](std::int64_t x) { return x; }},
                                  {"twice", [](int x) { return 2 * x; }},
                                  {"twice", [](int x) { return x + x; }}}}};

  // What the program's own expression gives comes first.
  // CHECK: datalog at line [[@LINE+2]], 32 bits
  // CHECK-NEXT: functor half: on the host, since it is chosen at run time
  ikra::datalog::program of_one{R"(.functor half(x: number): number
    .decl a(x: number) .decl r(x: number) r(@half(x)) :- a(x).)",
                                {32, {}, {}, 0, {{"half", at_run_time}}}};
}
// CHECK: datalog at line [[@LINE+2]], 32 bits: 1 rules, 1 kernels
// CHECK-NEXT: functor twice: in kernels
ikra::datalog::program third{R"(.functor twice(x: number): number
  .decl b(x: number) .decl q(x: number) q(@twice(x)) :- b(x), x > 1.)",
                             {32, {}, {}, 0, {{"twice", [](int x) { return 2 * x; }}}}};
