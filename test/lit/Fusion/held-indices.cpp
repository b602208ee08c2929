// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices of what a reduction stores in passing: all cores go from place to place, over rows, planes and chunks.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.fused && env OMP_NUM_THREADS=3 %t.cpu | diff %t.fused -
// RUN: env IKRA_FUSION=off %t.cpu | diff %t.fused -
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.fused -
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

static unsigned costly(unsigned r) {
  r = (r ^ (r >> 15)) * 2246822519U;
  r = (r ^ (r >> 13)) * 3266489917U;
  r = (r ^ (r >> 16)) * 668265263U;
  r = (r ^ (r >> 11)) * 374761393U;
  return r >> 8;
}

template <int R> void places(const ikra::array<unsigned, R>& a) {
  const auto b = a.with_index().pmap([](unsigned x, const ikra::index<R>& i) {
    return costly(x * 31 + static_cast<unsigned>(i[0] * 7 + i[R - 2] * 5 + i[R - 1])) + costly(x);
  });
  const unsigned total = b.sum();
  unsigned all = 0;
  for (const unsigned x : b)
    all = all * 7 + x;
  std::printf("%u %u\n", total, all);
}
// CHECK: kernel places_0 -> places_3
// CHECK-NEXT: places_0, if held, is stored in passing (

template <int R> ikra::array<unsigned, R> numbered(const ikra::index<R>& shape) {
  std::vector<unsigned> of(static_cast<std::size_t>(shape.volume()));
  for (std::size_t k = 0; k < of.size(); ++k)
    of[k] = static_cast<unsigned>(k * 3);
  return ikra::array<unsigned, R>(of, shape);
}

int main() {
  places<2>(numbered<2>({3, 2}));
  places<2>(numbered<2>({301, 97}));
  places<2>(numbered<2>({2, 30000}));
  places<3>(numbered<3>({40, 33, 21}));
  places<4>(numbered<4>({9, 1, 2001, 3}));
}
