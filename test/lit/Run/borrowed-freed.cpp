// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Borrowed memory that is freed too early: AddressSanitizer names the lines that read and freed it, in plain and in
// generated builds.
//
// UNSUPPORTED: sanitizer
// RUN: %own_build_plain -g1 -fsanitize=address %s -o %t.plain
// RUN: %t.plain kept | FileCheck %s --check-prefix=KEPT
// RUN: not %t.plain freed 2>&1 | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %own_build_cpu -g1 -fsanitize=address %t.cu -o %t.cpu
// RUN: env OMP_NUM_THREADS=1 %t.cpu kept | FileCheck %s --check-prefix=KEPT
// RUN: env OMP_NUM_THREADS=1 not %t.cpu freed 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>

#include <cstdio>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

int main(int count, char** arguments) {
  const bool frees = count > 1 && std::string_view(arguments[1]) == "freed";
  auto memory = std::make_unique<std::vector<int>>(std::vector{1, 2, 3});
  const std::span<const int> elements(*memory);
  const auto more = ikra::adopt(elements, ikra::borrowed).pmap([](int x) { return x + 10; });
  if (frees)
    memory.reset();
  std::printf("result %d\n", more[0]);
}
// KEPT: result 11
// CHECK-NOT: result
// CHECK: AddressSanitizer: heap-use-after-free
// CHECK: READ of size 4
// CHECK: in main {{.*}}borrowed-freed.cpp:[[# @LINE - 6]]
// CHECK: freed by thread T0
// CHECK: in main {{.*}}borrowed-freed.cpp:[[# @LINE - 9]]
