// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lambdas that cannot be named, or cannot keep what they captured: templates that are given them
// run on one core.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2> %t.all
// RUN: grep -E "(error|warning):" %t.all | sort -t: -k2,2n > %t
// RUN: FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: < %t
// RUN: not grep "ikra::named[<]" %t.cu
#include <ikra/ikra.hpp>

#include <concepts>
#include <string>
#include <vector>

template <class F> auto once(const ikra::array<int>& a, F f) { return a.pmap(f); }
// CHECK: closures-refused.cpp:[[@LINE-1]]:{{.*}} warning: 'pmap' is not compiled
// CHECK: closures-refused.cpp:[[@LINE-2]]:{{.*}} warning: what this lambda captures has to be seen at the call of 'pmap'{{.*}}[ikra-section-captures-elsewhere]
template <class F> auto string(const ikra::array<int>& a, F f) { return a.pmap(f); }
// CHECK: closures-refused.cpp:[[@LINE-1]]:{{.*}} warning: 'pmap' is not compiled
// CHECK: closures-refused.cpp:[[@LINE-2]]:{{.*}} warning: what this lambda captures has to be seen at the call of 'pmap'{{.*}}[ikra-section-captures-elsewhere]
template <class F> auto immovable(const ikra::array<int>& a, const F&) { return a.pmap([](int x) { return x + 1; }); }
// CHECK: closures-refused.cpp:[[@LINE-1]]:{{.*}} warning: 'pmap' is not compiled
// CHECK: closures-refused.cpp:[[@LINE-2]]:{{.*}} warning: section inside a template{{.*}}since an argument for 'F' is a local type{{.*}}[ikra-section-in-template]
template <class F> auto constrained(const ikra::array<int>& a, const F&) { return a.pmap([](int x) { return x + 1; }); }
// CHECK: closures-refused.cpp:[[@LINE-1]]:{{.*}} warning: 'pmap' is not compiled
// CHECK: closures-refused.cpp:[[@LINE-2]]:{{.*}} warning: section inside a template{{.*}}since an argument for 'F' is a local type{{.*}}[ikra-section-in-template]
template <class F> auto of_variable(const ikra::array<int>& a, const F&) { return a.pmap([](int x) { return x + 1; }); }
// CHECK: closures-refused.cpp:[[@LINE-1]]:{{.*}} warning: 'pmap' is not compiled
// CHECK: closures-refused.cpp:[[@LINE-2]]:{{.*}} warning: section inside a template{{.*}}since an argument for 'F' is a local type{{.*}}[ikra-section-in-template]
template <class F> auto twice(const ikra::array<int>& a, const F&) { return a.pmap([](int x) { return x + 1; }); }
// CHECK: closures-refused.cpp:[[@LINE-1]]:{{.*}} warning: 'pmap' is not compiled
// CHECK: closures-refused.cpp:[[@LINE-2]]:{{.*}} warning: section inside a template{{.*}}since an argument for 'F' is a local type{{.*}}[ikra-section-in-template]

template <std::invocable<int> F> struct Constrained {
  F f;
};
template <class T> const auto in_variable = [](T x) { return x; };
struct Immovable {
  Immovable() = default;
  Immovable(const Immovable&) = delete;
  int value = 1;
};
int counted() {
  static int calls = 0;
  return ++calls;
}
// Two types of one place in the text, whose templates have the same named arguments.
template <class, class = void> auto made() {
  return [](int x) { return x; };
}

int main() {
  const ikra::array ints{std::vector<int>{1}};
  const std::string text = "text";
  once(ints, [k = counted()](int x) { return x + k; });
  string(ints, [text](int x) { return x + static_cast<int>(text.size()); });
  immovable(ints, [i = Immovable()](int x) { return x + i.value; });
  constrained(ints, Constrained{[](int x) { return x; }});
  of_variable(ints, in_variable<int>);
  twice(ints, made<int>());
  twice(ints, made<long>());
}
