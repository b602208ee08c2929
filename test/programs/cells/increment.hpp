// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section in a header: ikrac rewrites a copy of it.
#pragma once
#include <ikra/ikra.hpp>
inline ikra::array<int, 1> increment(const ikra::array<int, 1>& a, int k) {
  return a.pmap([k](int x) { return x + k; }); // a section in a header
}
