// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// any() and all() over values of classes that have an operator bool: it is the section.
//
// RUN: %ikrac --print=model %s -- %ikra_flags 2>%t.log | FileCheck %s --check-prefix=MODEL
// RUN: FileCheck %s --check-prefix=WARN '--implicit-check-not=warning:' < %t.log
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2> %t.log
// RUN: %emitted %t.cu | FileCheck %s
#include <ikra/ikra.hpp>

struct Flag {
  int v;
  explicit operator bool() const { return v > 2; }
};
struct Number {
  int v;
  operator int() const { return v; }
};

// MODEL: section any_of_0 at {{.*}}: pmap over ::Flag gives bool
bool any_of(ikra::array<Flag> a) {
  // CHECK: return a.any(::ikra::make_section<::[[UNIT:ikra_unit_[a-z0-9_]*]]::any_of_0, bool(::Flag)>(), ::ikra::make_section<
  return a.any();
}
template <class T> bool all_of(ikra::array<T> a) {
  // CHECK: return a.all(::ikra::make_section_like<::[[UNIT]]::all_of_{{[0-9]+}}_in_template<T>>([](const auto& ikra_value) { return static_cast<bool>(ikra_value); }), ::ikra::make_section_like<
  return a.all();
}
bool both(ikra::array<Flag> a, ikra::array<int> b) { return all_of(a) && all_of(b); }
// WARN: :[[@LINE+1]]:{{[0-9]+}}: warning: 'any' is not compiled
bool of_numbers(ikra::array<Number> a) { return a.any(); }
// CHECK: bool Flag_operator_bool(const ::Flag& self) { return self.v > 2; }
// CHECK: bool operator()(::Flag first) const { return Flag_operator_bool(first); }
