// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pzip is a section like others: the tuple that a fused section takes is never stored. In templates, over three arrays, and after
// with_index().
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <functional>
#include <tuple>
#include <vector>

using numbers = ikra::array<int>;

int pairs(const numbers& a, const numbers& b) {
  return a.pzip(b)
      .pmap([](const std::tuple<int, int>& t) { return std::get<0>(t) * std::get<1>(t); })
      .preduce(std::plus<>{})[0];
}
float three(const numbers& a, const ikra::array<float>& b) {
  const auto zipped = a.pmap([](int x) { return x + 1; }).pzip(b, a);
  return zipped.with_index().pmap([](const auto& t, std::int64_t i) {
    const auto& [x, y, z] = t;
    return static_cast<float>(x + z) * y + static_cast<float>(i);
  })[2];
}
template <class T> auto in_template(const ikra::array<T>& a) { return a.pzip(a); }

int main() {
  const numbers a{std::vector<int>{1, 2, 3}}, b{std::vector<int>{4, 5, 6}};
  const ikra::array<float> c{std::vector<float>{0.5f, 1, 2}};
  std::printf("%d %g %d\n", pairs(a, b), static_cast<double>(three(a, c)), std::get<1>(in_template(b)[1]));
  try {
    (void)a.pzip(numbers{std::vector<int>{1}});
  } catch (const ikra::error& e) {
    std::printf("%s\n", e.what());
  }
}
// CHECK: kernel pairs_0 -> pairs_1 -> pairs_2
// CHECK: kernel three_3 -> three_4 -> three_5
// CHECK: edge pairs_0 -> pairs_1: fused (same location)
// CODE: pairs_1(pairs_0(x_0, x_1))
// OUT: 32 16 5
// OUT-NEXT: ikra: pzip of arrays of the shapes
