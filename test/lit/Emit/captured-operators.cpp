// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of the standard library are captured as values, in one text with lambdas; lists in braces become arrays.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu
#include <ikra/ikra.hpp>

#include <functional>
#include <utility>

template <class T, class Less> auto sorted(const ikra::array<T>& a, Less less) {
  // CHECK: return a.psort(::ikra::make_section_like<{{.*}}>([less](const T& x, const T& y) { return less(y, x); }, ::ikra::whole_or_captures_of(less)));
  return a.psort([less](const T& x, const T& y) { return less(y, x); });
}
// What captures nothing in one instantiation, and is an object with members in another, gives its captures itself.
struct Times {
  int k;
  int operator()(int x) const { return x * k; }
};
template <class F> auto applied(const ikra::array<int>& a, F f) {
  // CHECK: return a.pmap(::ikra::make_section_of<{{.*}}>(f));
  return a.pmap(f);
}
template <std::size_t... I> int sum(int x, std::index_sequence<I...>) { return ((x * int(I)) + ...); }

int main() {
  const ikra::array<int> a;
  applied(a, [](int x) { return -x; });
  applied(a, Times{3});
  // CHECK: ::std::less<void> less;
  // CHECK: return less(y, x);
  sorted(a, std::less<>());
  sorted(a, [](int x, int y) { return x % 9 < y % 9; });
  // CHECK: for (int d : ::std::array<int, 3>{{[{][{]}}-1, k, 1{{[}][}]}}) {
  a.pmap([k = 5](int x) {
    for (int d : {-1, k, 1})
      x += d;
    return x;
  });
  // CHECK: return ikra_detail_max_function_operator_of(a, b) + global_sum(a, 
  a.pcombine(a, [](int a, int b) { return ikra::max(a, b) + sum(a, std::make_index_sequence<3>()); });
}
