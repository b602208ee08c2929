// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on arrays of values with operators of their own are sections whose code is the user's operator.
//
// RUN: %ikrac --print=model %s -- %ikra_flags 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s --check-prefix=FUSION
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=TEXT
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <functional>
#include <vector>

namespace money {
struct Coin {
  int cents = 0;
  friend Coin operator+(Coin a, Coin b) { return {a.cents + b.cents}; }
  bool operator>(const Coin& o) const { return cents > o.cents; }
};
Coin operator*(int n, const Coin& c) { return {n * c.cents}; }
} // namespace money

int main() {
  ikra::array coins{std::vector<money::Coin>{{5}, {50}}};
  ikra::array numbers{std::vector<int>{2, 3}};
  auto sum = (numbers * coins + 3 * coins).sum();
  auto largest = coins.psort(std::greater<>{});
  auto less = coins > money::Coin{7};
  // OUT: 325 50 1
  std::printf("%d %d %d\n", sum.cents, largest[0].cents, static_cast<int>(less[1]));
  return 0;
}
// CHECK: section main_0 {{.*}}: pcombine over int, ::money::Coin gives ::money::Coin
// CHECK-NOT: code:
// CHECK: section main_1 {{.*}}: pcombine over ::money::Coin, ::money::Coin gives ::money::Coin
// CHECK: section main_2 {{.*}}: pmap over ::money::Coin gives ::money::Coin
// CHECK-NEXT: captures: __t (int)
// CHECK: section main_3 {{.*}}: preduce over ::money::Coin from a first value gives ::money::Coin
// CHECK: section main_4 {{.*}}: psort over ::money::Coin gives ::money::Coin
// CHECK: section main_5 {{.*}}: pmap over ::money::Coin gives bool
// CHECK-NEXT: captures: __u (::money::Coin)
// CHECK: calls money::operator*

// FUSION: kernel main_3(main_1(main_0(array, array), main_2(array)))

// TEXT: auto sum = (::ikra::element_wise<::ikra_unit_{{.*}}::main_1, ::std::plus<>>

// CODE: IKRA_DEVICE bool money_Coin_operator_of(const ::money::Coin& self, const ::money::Coin& o)
// CODE: namespace main_2_device {
// CODE-NEXT: struct body {
// CODE-NEXT: int __t;
// CODE-NEXT: IKRA_DEVICE ::money::Coin operator()(const ::money::Coin& __u) const {
// CODE-NEXT: return money_operator_of(__t, __u);
// CODE: namespace main_4_device {
// CODE-NEXT: struct body {
// CODE-NEXT: IKRA_DEVICE bool operator()(const ::money::Coin& __t, const ::money::Coin& __u) const {
