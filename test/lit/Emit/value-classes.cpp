// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes by value in device code: types are those of the program, methods are functions, and a constructor is a function that
// puts its value together. What is not public is reached through object_access.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: FileCheck %s < %t.cu
// RUN: %build_cpu %t.cu -o %t.cpu
// RUN: %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>
#include <iostream>
#include <tuple>
#include <vector>

class Money {
public:
  explicit Money(int cents) : cents_(cents) { ++count_; }
  Money operator+(const Money& o) const { return Money(cents_ + o.cents_); }
  int cents() const { return cents_; }

private:
  int cents_;
  short count_ = 0;
  IKRA_OBJECT
};
struct Shape {
  int height, width = 2;
  bool operator==(const Shape&) const = default;
};

int main() {
  const ikra::array a{std::vector<int>{1, 2, 3}};
  const auto money = a.pmap([](int n) { return Money(n); });
  std::cout << money.preduce([](const Money& p, const Money& q) { return p + q; })[0].cents() << '\n';
  const auto t = a.pmap([](int n) { return std::tuple{n, 2.5}; }).pmap([](const auto& in) {
    const auto& [whole, part] = in;
    return whole * static_cast<int>(part) + (Shape{whole} == Shape{.height = 2, .width = 2} ? 100 : 0);
  });
  std::cout << t[0] << ' ' << t[1] << ' ' << t[2] << '\n';
}
// CHECK: template <> struct ikra::object_access<{{.*}}::unit, ::Money> {
// CHECK-NEXT: template <class Value> IKRA_DEVICE static auto& cents_(Value& value) { return value.cents_; }
// CHECK: IKRA_DEVICE ::Money make_Money(int cents) {
// CHECK: ikra::unmade<::Money> made;
// CHECK: ikra::make(ikra::object_access<unit, ::Money>::cents_(self), cents);
// CHECK: ikra::make(ikra::object_access<unit, ::Money>::count_(self), static_cast<short>(0));
// CHECK: return self;
// CHECK: IKRA_DEVICE ::Money Money_operator_of(const ::Money& self, const ::Money& o) { return make_Money(
// CHECK: IKRA_DEVICE ::std::tuple<int, double> operator()(int n) const { return ::std::tuple<int, double>(n, 2.5); }
// CHECK: const auto& [whole, part] = in;
// CHECK: return whole * static_cast<int>(part) + (::Shape{whole, 2} == ::Shape{2, 2} ? 100 : 0);
// A tuple that the next section takes is never stored.
// CHECK: return main_3(main_2(x));
// OUT: 6
// OUT-NEXT: 2 104 6
