// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns stop before one in which the host acts. The loop asks for the next ones at its block's begin.
//
// RUN: split-file %s %t
// RUN: %ikrac --print=fusion %t/accepted.cpp -- %ikra_flags 2>&1 | FileCheck %t/accepted.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %t/accepted.cpp --check-prefix=CODE
// RUN: %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <cstdio>
#include <vector>

using numbers = ikra::array<int>;

// CHECK-LABEL: turn turn_of_printed
// CHECK-NEXT: arrays: a (carried)
// CHECK-NEXT: scalars on the device: k (carried), result_1, total (carried), n, ended (carried)
// CHECK-NEXT: stops before each turn in which the host acts
// CHECK: host waits: once, not 1 time a turn
// CODE: ::ikra::rt::turn_counter ikra_turns_1(ikra_turns_1_of); for (int k = 0; k < n; ++k) { if (bool ikra_ended = false; !(k % 100 == 0) && ikra_turns_1.lost(::ikra::rt::turns<::{{.*}}::turn_of_printed>(a, k, total, n, ikra_ended)) && ikra_ended) break; ikra_turns_1.next();
int printed(numbers a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pmap([k](int x) { return x + k; });
      total += a.sum();
      if (k % 100 == 0)
        std::printf("%d %d\n", k, total);
    }
  });
  return total;
}

// Two such statements; no wait is left in a turn.
// CHECK-LABEL: turn turn_of_noted
// CHECK: stops before each turn in which the host acts
// CHECK: launches: 1 a turn, queued by the host
// CODE: !(k == 0) && !(k % every == 1) && ikra_turns_2.lost(::ikra::rt::turns<::{{.*}}::turn_of_noted>(a, b, k, n, ikra_ended, every)) && ikra_ended) break;
std::vector<int> noted(numbers a, const numbers& b, int n, int every) {
  std::vector<int> all;
  ikra::host_section([&] {
    int k = 0;
    do {
      if (k == 0)
        all.reserve(n);
      if (k % every == 1)
        all.push_back(a.sum());
      a = a.pcombine(b, [](int x, int y) { return x + y; });
      ++k;
    } while (k < n);
  });
  return all;
}

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <cstdio>

using numbers = ikra::array<int>;

int loops(numbers a, int n) {
  int total = 0, least = 1000;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pmap([k](int x) { return x + k; });
      const int now = a.sum();
      if (now < least) {
        std::printf("%d\n", now);
        // CHECK: refused.cpp:[[@LINE-1]]:9: warning: {{.*}}, since it is input or output, which the host alone does (put it into an if in the loop's block whose condition is known before the turn, or the turns between two outputs into a loop of their own); nor may turns stop before the if at line {{[0-9]+}} for the host, since its condition
        least = now;
      }
    }
    for (int k = 0; k < n; ++k) {
      if (k % 3 == 0)
        std::printf("%d\n", k);
      total += a[k];
      // CHECK: refused.cpp:[[@LINE-1]]:16: warning: {{.*}}, since it reads an element, or has a key, which may be outside, in a loop with code of the host (put the turns before that into a loop of their own)
    }
    for (int k = 0; k < n; ++k) {
      if (k % 3 == 0)
        std::printf("%d\n", k);
      total += static_cast<int>(a.phistogram(7).sum());
      // CHECK: refused.cpp:[[@LINE-1]]:33: warning: {{.*}}, since it reads an element, or has a key, which may be outside
    }
    for (int k = 0; k < n; ++k) {
      if (k % 3 == 0)
        std::printf("%d\n", k);
      total += a.sum() / int(a.empty());
      // CHECK: refused.cpp:[[@LINE-1]]:30: warning: {{.*}}, since 'empty' is asked of an array
    }
    for (int k = 0; k < n; ++k) {
      total += a.sum();
      if (k % 3 == 0)
        std::printf("%d\n", k);
      // CHECK: refused.cpp:[[@LINE-1]]:9: warning: {{.*}}, since it is input or output
      else
        ++total;
    }
  });
  return total;
}
