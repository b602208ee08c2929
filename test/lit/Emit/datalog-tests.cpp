// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of what only has to exist come before or after the next join, by the sizes of relations,
// which are known at run time alone: there are kernels for both.
//
// RUN: %ikrac -o - %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

// CHECK: // r(v) :- points(b, f), load(v, b, f), in(b, m), m > 5.
// CHECK-DAG: "{{j}}oin 32 32, columns 32, by i0/32 i1/32, head of 1 c0/32";
// CHECK-DAG: "{{j}}oin 32 32, columns 32, by i0/32 i1/32, rows i0/32 c0/32";
// CHECK: {{p}}rogram_code datalog_0{
ikra::datalog::program loads = IKRA_DATALOG(R"(
  .decl points(b: number, f: number)
  .decl load(v: number, b: number, f: number)
  .decl in(b: number, m: number)
  .decl r(v: number)
  r(v) :- points(b, f), load(v, b, f), in(b, m), m > 5.
)");
