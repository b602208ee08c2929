// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lambda keeps a number under a name of its own. A section in it captures that name: what the number was made of may
// have changed, or be no name there.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.out
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.out -
#include <ikra/ikra.hpp>

#include <array>
#include <cstdio>

int main() {
  const ikra::array<int> a = ikra::pnew(50, [](std::int64_t i) { return static_cast<int>(i % 11); });
  int n = 1;
  const auto shifted = [&, by = n](const ikra::array<int>& of) { return of.pmap([by](int x) { return x + by; }); };
  const auto alone = [by = n * 2](const ikra::array<int>& of) { return of.pmap([=, more = by + 1](int x) { return x * by + more; }); };
  const auto inside = [table = std::array<int, 2>{n, 7}](const ikra::array<int>& of) { return of.pmap([table](int x) { return x + table[1] - table[0]; }); };
  const auto called = [f = [n](int x) { return x * n; }](const ikra::array<int>& of) { return of.pmap([f](int x) { return f(x) + 1; }); };
  n = 5;
  // CHECK: shifted = [&, by = n]{{.*}} return of.pmap(::ikra::make_section<{{.*}}>(by));
  // CHECK: alone = [by = n * 2]{{.*}} return of.pmap(::ikra::make_section<{{.*}}>(by + 1, by));
  std::printf("%d %d %d %d\n", shifted(a).sum(), alone(a).sum(), inside(a).sum(), called(a).sum());
}
