// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over an array in a generic lambda: the walk over assignments sees the lambda's text, not what it is instantiated to.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_plain %s -o %t.plain && %t.plain > %t.expected
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | diff %t.expected -
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

ikra::array<int> moved(const ikra::array<int>& a, int by) {
  return a.pmap([by](int x) { return x + by; });
}

int main() {
  return []<class T>(T turns) -> int {
    const ikra::array a{std::vector<int>{1, 2, 3}};
    auto x = a.pmap([](int v) { return 2 * v; });
    for (T i = 0; i < turns; ++i)
      x = moved(x, static_cast<int>(i));
    for (const int v : x.to_vector())
      std::printf("%d\n", v);
    return 0;
  }(5L);
}
