// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of structs: structs they stay, each type printed once.
//
// RUN: %ikrac --print=layout %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <complex>
#include <tuple>
#include <vector>

struct Cell { // D2Q9
  std::array<float, 9> f;
};
struct Point {
  float x = 0, y = 0;
};
struct Place {
  double x, y, z;
};
struct Bytes {
  unsigned char of[12];
};

int main() {
  const auto n = ikra::array{std::vector<int>{1, 2, 3}};
  // CHECK: array of {{.*}}Cell: structs of 36 bytes{{$}}
  n.pmap([](int x) { return Cell{{static_cast<float>(x)}}; }).to_vector();
  // CHECK-NEXT: array of {{.*}}Point: structs of 8 bytes{{$}}
  n.pmap([](int x) { return Point{static_cast<float>(x), 1}; }).to_vector();
  // CHECK-NEXT: array of {{.*}}Place: structs of 24 bytes{{$}}
  n.pmap([](int x) { return Place{1.0 * x, 2, 3}; }).to_vector();
  // CHECK-NEXT: array of {{.*}}complex<double>: structs of 16 bytes{{$}}
  n.pmap([](int x) { return std::complex<double>(x, 1); }).to_vector();
  // CHECK-NEXT: array of {{.*}}tuple<int, float, float>: structs of 12 bytes{{$}}
  n.pmap([](int x) { return std::tuple(x, 1.0f, 2.0f); }).to_vector();
  // CHECK-NEXT: array of {{.*}}Bytes: structs of 12 bytes{{$}}
  n.pmap([](int x) { return Bytes{{static_cast<unsigned char>(x)}}; }).to_vector();
  // CHECK-NEXT: section
}
