// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code calls no function of the user's classes as it stands in the program: function objects come with emitted
// functions that call them, and what classes convert on the way into a section, or out of it, is converted by emitted functions.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <numeric>
#include <tuple>
#include <variant>

struct Circle {
  float r;
};
struct Square {
  float a;
};
struct Measure {
  float operator()(const Circle& c) const { return 3 * c.r; }
  float operator()(const Square& s) const { return s.a * s.a; }
};
struct Fold {
  int k;
  int operator()(int a, int b) const { return k * a + b; }
};
struct Wide {
  int value;
  Wide(int of) : value(of + 100) {}
};
struct Half {
  int value;
  operator int() const { return value / 2; }
};
struct Truth {
  int value;
  explicit operator bool() const { return value > 2; }
};

// CHECK-LABEL: : pmap at
// CHECK: return ikra::visit(ikra::calling({{.*}}Measure{{.*}}, ikra::overloaded{[&](::Measure& function_object, ::Circle& given) -> float {
// CHECK-NEXT: return Measure_operator_of(function_object, given);
// CHECK: [&](::Measure& function_object, ::Square& given) -> float {
// CHECK-NEXT: return Measure_operator_of_2(function_object, given);
auto visited(const ikra::array<float>& a) {
  return a.pmap([](float x) {
    std::variant<Circle, Square> s = Circle{x};
    return std::visit(Measure{}, s);
  });
}

// CHECK-LABEL: : pmap at
// CHECK: std::apply(ikra::calling({{.*}}Fold{{.*}}, [&](::Fold& function_object, int&& given, int&& given_1) -> int {
// CHECK-NEXT: return Fold_operator_of(function_object,
// CHECK: ikra::algorithm::accumulate({{.*}}, 0, ikra::calling(ikra::copied(fold), [&](::Fold& function_object, int& given, const int& given_1) -> int {
// CHECK-NEXT: return Fold_operator_of(function_object, given, given_1);
auto folded(const ikra::array<int>& a, Fold fold) {
  return a.pmap([fold](int x) {
    const std::array<int, 2> v{x, 2};
    return std::apply(Fold{3}, std::tuple(x, 4)) + std::accumulate(v.begin(), v.end(), 0, fold);
  });
}

// CHECK-LABEL: : pmap at
// CHECK: IKRA_DEVICE int code(::Wide w) const {
// CHECK: IKRA_DEVICE auto operator()(const int given) const {
// CHECK-NEXT: return code(make_Wide(given));
// CHECK-LABEL: : pmap at
// CHECK: IKRA_DEVICE int code(int x) const {
// CHECK: IKRA_DEVICE auto operator()(const ::Half given) const {
// CHECK-NEXT: return code(Half_operator_int(given));
auto converted(const ikra::array<int>& a) {
  return std::pair(a.pmap([](Wide w) { return w.value; }),
                   a.pmap([](int x) { return Half{x}; }).pmap([](int x) { return x; }));
}

// CHECK-LABEL: : pselect at
// CHECK: IKRA_DEVICE auto operator()(const int given) const {
// CHECK-NEXT: ::Truth result = code(given);
// CHECK-NEXT: return Truth_operator_bool(result);
auto selected(const ikra::array<int>& a) {
  return a.pselect([](int x) { return Truth{x}; });
}

// What needs nothing stays as it is.
// CHECK-LABEL: : pmap at
// CHECK: return ikra::visit(ikra::overloaded{[&](const ::Circle& of) -> float {
auto by_lambda(const ikra::array<float>& a) {
  return a.pmap([](float x) {
    std::variant<Circle, Square> s = Circle{x};
    return std::visit([](const auto& of) { return Measure{}(of); }, s);
  });
}
