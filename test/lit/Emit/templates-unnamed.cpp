// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters of templates that have no name: the type of the function's parameter stands for those
// of `auto`, also in generic lambdas; others are left out.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s
#include <ikra/ikra.hpp>

#include <type_traits>
#include <vector>

// CHECK: a.pmap(::ikra::make_section_like<::[[UNIT:ikra_unit_[a-z0-9_]*]]::doubled_0_in_template<decltype(a)>>([](auto x) { return x + x; }))
auto doubled(const auto& a) { return a.pmap([](auto x) { return x + x; }); }

template <class T> auto scaled(const ikra::array<T>& a, auto n, auto... more) {
  const auto sum = (n + ... + more);
  // CHECK: _in_template<T, decltype(n), decltype(more)...>>([sum](T x) { return x * sum; }, sum))
  return a.pmap([sum](T x) { return x * sum; });
}

template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
auto halved(const ikra::array<T>& a) {
  // CHECK: _in_template<T>>([](T x) { return x / 2; }))
  return a.pmap([](T x) { return x / 2; });
}

int main() {
  const ikra::array ints{std::vector<int>{1}};
  const ikra::array floats{std::vector<float>{1}};
  doubled(ints);
  doubled(floats);
  scaled(ints, 1);
  scaled(floats, 1, 2L, 'c');
  halved(ints);
  // CHECK: const auto shifted = [](const auto& a, auto k) { return a.pmap(::ikra::make_section_like<::[[UNIT]]::main_{{[0-9]+}}_in_template<decltype(a), decltype(k)>>([k](auto x) { return x + k; }, k)); };
  const auto shifted = [](const auto& a, auto k) { return a.pmap([k](auto x) { return x + k; }); };
  shifted(ints, 2);
  shifted(floats, 2.5);
}
// CHECK-DAG: using {{[a-zA-Z_0-9]+}} = doubled_0_in_template<const ::ikra::array<int> &>;
// CHECK-DAG: using {{[a-zA-Z_0-9]+}} = doubled_0_in_template<const ::ikra::array<float> &>;
// CHECK-DAG: using {{[a-zA-Z_0-9]+}} = halved_{{[0-9]+}}_in_template<int>;
// CHECK-DAG: using {{[a-zA-Z_0-9]+}} = main_{{[0-9]+}}_in_template<const ::ikra::array<int> &, int>;
// CHECK-DAG: using {{[a-zA-Z_0-9]+}} = main_{{[0-9]+}}_in_template<const ::ikra::array<float> &, double>;
// CHECK-DAG: using {{[a-zA-Z_0-9]+}} = scaled_{{[0-9]+}}_in_template<int, int>;
// CHECK-DAG: using {{[a-zA-Z_0-9]+}} = scaled_{{[0-9]+}}_in_template<float, int, long, char>;
