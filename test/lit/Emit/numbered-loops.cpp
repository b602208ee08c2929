// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of host sections that count their turns where they run as they are written: which do, and
// that the text around them means what it meant, without a warning of a compiler.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>/dev/null
// RUN: %ikrac --print=edits %s -- %ikra_flags 2>/dev/null | FileCheck %s
// RUN: %own_build_cpu %t.cu -Wshadow -Wempty-body -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: %own_build_plain %s -o %t.plain && %t.plain | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

#define next lookahead
#define EVER for (;;)
inline int lookahead = 1;

int total(const ikra::array<int>& a) { return a.pmap([](int x) { return x + 1; }).sum(); }
int half(int x) { return x / 2; }

template <class T> T in_template(const ikra::array<T>& a) {
  return ikra::host_section([&] {
    T sum = 0;
    // CHECK: numbered-loops.cpp:[[#@LINE+1]]:{{[0-9]+}}: insert '{{.*}}numbered_loop ikra_turns_1_of(
    for (T t = 0; t < 2; ++t)
      sum += a.pmap([t](T x) { return T(x + t); }).sum();
    return sum;
  });
}

int main() {
  const ikra::array<int> a = ikra::pnew(4, [](std::int64_t i) { return int(i); });
  const std::vector<int> table{1, 2, 3};
  std::printf("%d %ld\n", in_template(a), in_template(a.pmap([](int x) { return long(x); })));
  ikra::host_section([&] {
    int sum = 0;
    // An else stays that of its if.
    if (sum == 0)
      // CHECK: numbered-loops.cpp:[[#@LINE+2]]:{{[0-9]+}}: insert '{{.*}}numbered_loop ikra_turns_2_of(
      // CHECK: numbered-loops.cpp:[[#@LINE+2]]:{{[0-9]+}}: insert '{{.*}}numbered_loop ikra_turns_3_of(
      for (const int k : {1, 2})
        for (int n = 0; n < k; ++n)
          if (n == 0)
            sum += total(a);
          else
            sum += 1;
    else
      sum = 100;
    std::printf("%d\n", sum);
    // What ends with the loop's semicolon, or has one alone.
    // CHECK: numbered-loops.cpp:[[#@LINE+3]]:{{[0-9]+}}: insert '{{.*}}numbered_loop ikra_turns_4_of(
    // CHECK: numbered-loops.cpp:[[#@LINE+5]]:{{[0-9]+}}: insert '{{.*}}numbered_loop ikra_turns_5_of(
    // CHECK: numbered-loops.cpp:[[#@LINE+6]]:{{[0-9]+}}: insert '{{.*}}numbered_loop ikra_turns_6_of(
    do
      sum += a.pmap([sum](int x) { return x + sum; }).sum();
    while (sum < 1000);
    for (int n = 0; n < 2; sum += total(a), ++n)
      ;
    for (int n = 0; n < 3; ++n)
      switch (n) {
      case 0:
        sum += total(a);
        break;
      default:
        continue;
      }
    std::printf("%d\n", sum);
    // Not loops that make no section, that a macro writes, that a jump may enter, or that a pragma is about.
    // CHECK-NOT: rt::numbered_loop
    for (int n = 0; n < 9; ++n)
      sum += half(n);
    for (int n = 0; n < 2; ++n) {
      if (sum == 0)
        goto inside;
      sum += total(a);
    inside:
      ++sum;
    }
#pragma GCC unroll 2
    for (int n = 0; n < 2; ++n)
      sum += total(a);
    EVER {
      sum += total(a);
      break;
    }
    std::printf("%d %d\n", sum, next);
  });
  // CHECK: numbered-loops.cpp:[[#@LINE+4]]:{{[0-9]+}}: insert '{{.*}}numbered_loop ikra_turns_7_of(
  // Nothing comes after such a loop.
  const int found = ikra::host_section([&] {
    int n = 0;
    while (true) {
      if (a.pmap([n](int x) { return x + n; }).sum() > 20)
        return n;
      ++n;
    }
  });
  std::printf("%d\n", found);
}

// OUT: 16 16
// OUT-NEXT: 21
// OUT-NEXT: {{[0-9]+}}
// OUT-NEXT: {{[0-9]+}} 1
// OUT-NEXT: 4
