// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUDA's and C's headers declare at file scope, the program may declare there too: a macro
// gives the program's another name, from its first declaration on; lines stay what they are.
//
// RUN: split-file %s %t
// RUN: %ikrac --print=model %t/main.cpp -- %ikra_flags | FileCheck %t/main.cpp --check-prefix=MODEL
// RUN: %ikrac -o %t.cu --overlay=%t.overlay %t/main.cpp -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %t/main.cpp
// RUN: cat %t.overlay/*/vectors.hpp | FileCheck %t/main.cpp --check-prefix=HEADER
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu
// RUN: %ikrac -o %t2.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp

//--- vectors.hpp
#pragma once
namespace shapes {}
struct float3 {
  float x, y, z;
};

//--- main.cpp
#include <ikra/ikra.hpp>

#include <cmath>
#include <vector>

#include "vectors.hpp"

// HEADER: #line 1 "{{.*}}vectors.hpp"
// HEADER-NEXT: #pragma once
// HEADER-NEXT: namespace shapes {}
// HEADER-NEXT: #define float3 float3_of_program
// HEADER-NEXT: #line 3 "{{.*}}vectors.hpp"
// HEADER-NEXT: struct float3 {

// MODEL: taken name all
// MODEL-NEXT: taken name float3
// MODEL-NEXT: taken name max
// MODEL-NOT: taken name

int max(int a, int b) { return a > b ? a : b; }
// CHECK: #define max max_of_program
// CHECK-NEXT: #line [[#]] "{{.*}}main.cpp"
// CHECK-NEXT: int max(int a, int b)
namespace { int all = 3; }

// Functions of the program's types overload the library's.
float3 round(float3 a) { return {std::round(a.x), std::round(a.y), std::round(a.z)}; }

int main() {
  const ikra::array numbers{std::vector<int>{1, 2, 3}};
  const int added = all;
  const int sum = numbers.pmap([added](int n) { return max(n, 2) + added; }).sum();
  const ikra::array points = numbers.pmap([](int n) { return round(float3{float(n), 0.4f, 0}); });
  return sum == 16 && points[2].x == 3 ? 0 : 1;
}

//--- refused.cpp
#include <ikra/ikra.hpp>

#include <algorithm>

int min(int a, int b) { return a < b ? a : b; }
// CHECK: refused.cpp:[[@LINE-1]]:5: warning: nvcc may refuse 'min': CUDA's or C's headers declare it at file scope too, and it cannot have another name in the emitted file, where 'std::min' is used as well; move it into a namespace [ikra-taken-name]
namespace mine {
int max(int a, int b) { return a < b ? b : a; }
}
int three() { return min(3, mine::max(4, std::min(4, 5))); }
int index = 4;
// CHECK: refused.cpp:[[@LINE-1]]:5: warning: nvcc may refuse 'index': {{.*}} where 'ikra::index' is used as well
