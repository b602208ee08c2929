// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a Datalog program's rules has no kernel is listed with the reasons; rules whose steps all
// have one are not.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s --implicit-check-not=interpreted
#include <ikra/ikra.hpp>

// The aggregate with _ beside another atom is over a relation of its own, without that column.
// CHECK: datalog at line [[@LINE+1]], 32 bits: 12 rules, {{[0-9]+}} kernels
ikra::datalog::program shop = IKRA_DATALOG(R"(
  .decl item(name: symbol, price: number)
  .decl cheap(name: symbol)
  .decl other(name: symbol)
  .decl pair(a: symbol, b: symbol)
  .decl least(price: number)
  .decl steps(n: number)
  .decl many(p: number)
  .decl steps_of(n: number)
  cheap(n) :- item(n, p), p < 10.
  pair(a, b) :- cheap(a), item(b, p), p != 4, item(a, p).
  other(n) :- item(n, _), !cheap(n).
  least(m) :- m = min p : { item(_, p) }.
  steps(n) :- n = range(0, 4).
  steps(m) :- item(_, p), m = range(p, p * 2), !steps_of(m).
  least(1) :- !cheap("wheel").
  least(m + 1) :- m = sum p : { item(n, p), p > 3, item(n, _), !cheap(n) }, m < 5.
  least(m) :- item(n, m), m = count : { item(n, p), item(p_name, p), cheap(p_name), pair(n, p_name), other(n), pair(p_name, n) }.
  other(cat(n, n)) :- cheap(n).
  many(a + b + c + d + e) :- item(_, a), item(_, b), item(_, c), item(_, d), item(_, e).
)");
// CHECK-NEXT: other(cat(n, n)) :- cheap(n). interpreted: a function of the host (strings, records, order of symbols){{$}}
// CHECK-NEXT: least(m) :- item(n, m), {{.*}} interpreted: orders of an aggregate's atoms that the sizes of relations may call for{{$}}
// CHECK-NEXT: many(a + b + c + d + e) :- {{.*}} interpreted: orders of its 5 atoms that
