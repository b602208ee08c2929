// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IKRA_TRACE=kernels says of each kernel when it runs, and how many sections it holds.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %build_cpu %t.cu -o %t.cpu
// RUN: env IKRA_TRACE=kernels %t.cpu 2>&1 | FileCheck %s --check-prefix=FUSED
// RUN: env IKRA_TRACE=kernels IKRA_FUSION=off %t.cpu 2>&1 | FileCheck %s --check-prefix=APART
// RUN: %t.cpu 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: not env IKRA_TRACE=all %t.cpu 2>&1 | FileCheck %s --check-prefix=BAD
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

int main() try {
  const ikra::array numbers{std::vector<int>{1, 2, 3}};
  auto result = numbers.pmap([](int x) { return x + 1; }).pmap([](int x) { return x * 2; });
  std::printf("result %d\n", result[0] + result[1]);
  std::fflush(stdout);
  numbers.peach(5, [](int) {});
} catch (const ikra::error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

// FUSED: ikra: kernel 1: section 'main' at {{.*}}kernel-trace.cpp:18:{{[0-9]+}}, 2 sections
// FUSED-NEXT: result 10
// FUSED-NEXT: ikra: kernel 2: section 'main' at {{.*}}kernel-trace.cpp:21:{{[0-9]+}}, 1 section{{$}}
// FUSED-NOT: kernel
// APART: ikra: kernel 1: section 'main' at {{.*}}, 1 section{{$}}
// APART-NEXT: ikra: kernel 2: section 'main' at {{.*}}, 1 section{{$}}
// APART-NEXT: result 10
// QUIET-NOT: kernel
// BAD: IKRA_TRACE is 'all'; set it to kernels, or unset it
