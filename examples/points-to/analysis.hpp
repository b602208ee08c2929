// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Context-sensitive pointer analysis as a Datalog program: which expressions may have the same
// value (Zheng and Rugina, POPL 2008, "Demand-driven alias analysis for C", as GDlog evaluates it,
// section 6). Facts are the assignments of a program and what its expressions dereference.
#pragma once

#include <ikra/ikra.hpp>

namespace points_to {

/// assign(y, x): the value of x goes into y. dereference(y, x): x is *y. From these,
/// ValueFlow(x, y): the value of x may be that of y; ValueAlias: both may have one value;
/// MemoryAlias: both may denote one place in memory.
inline ikra::datalog::program analysis() {
  return IKRA_DATALOG(R"(
    .decl assign(y: number, x: number)
    .decl dereference(y: number, x: number)
    .decl ValueFlow(x: number, y: number)
    .decl ValueAlias(x: number, y: number)
    .decl MemoryAlias(x: number, y: number)

    ValueFlow(y, x) :- assign(y, x).
    ValueFlow(x, y) :- assign(x, z), MemoryAlias(z, y).
    ValueFlow(x, y) :- ValueFlow(x, z), ValueFlow(z, y).
    ValueFlow(x, x), MemoryAlias(x, x) :- assign(x, _) ; assign(_, x).
    MemoryAlias(x, w) :- dereference(y, x), ValueAlias(y, z), dereference(z, w).
    ValueAlias(x, y) :- ValueFlow(z, x), ValueFlow(z, y).
    ValueAlias(x, y) :- ValueFlow(z, x), MemoryAlias(z, w), ValueFlow(w, y).
  )");
}

} // namespace points_to
