// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lambdas whose types are arguments of templates with sections get names: tags in the text and in
// the epilogue. One that is a section keeps what it captured.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s
#include <ikra/ikra.hpp>

#include <vector>

// CHECK: struct main_lambda; //
// CHECK: template <class...> struct scaler_lambda; //

// CHECK: a.pmap(::ikra::make_section_of<::[[UNIT:ikra_unit_[a-z0-9_]*]]::apply_0_in_template<A, ::ikra::naming_t<F>>>(f))
template <class A, class F> auto apply(const A& a, F f) { return a.pmap(f); }

template <class F> struct Filter {
  F f;
  ikra::array<int> operator()(const ikra::array<int>& a) const { return a.pselect(f); }
};
// CHECK: auto filtered({{.*}}a.pmap(::ikra::make_section_like<::[[UNIT]]::filtered_{{[0-9]+}}_in_template<::ikra::naming_t<decltype(f)>>>([](int x) { return x + 1; }))
auto filtered(const ikra::array<int>& a, const auto& f) { return f(a.pmap([](int x) { return x + 1; })); }

// CHECK: return ::ikra::named<::[[UNIT]]::scaler_lambda<T>>([by](auto x) { return x * by; }, by);
template <class T> auto scaler(T by) { return [by](auto x) { return x * by; }; }

int main() {
  const ikra::array ints{std::vector<int>{1}};
  int k = 3;
  // CHECK: apply(ints, ::ikra::named<::[[UNIT]]::main_lambda>([k](int x) { return x + k; }, k));
  apply(ints, [k](int x) { return x + k; });
  // CHECK: apply(ints, ::ikra::named<::[[UNIT]]::main_lambda_2>([](int x) { return x + 1; }));
  apply(ints, [](int x) { return x + 1; });
  apply(ints, scaler(2));
  apply(ints, scaler(2.5));
  // CHECK: ints.pmap(::ikra::make_section_of<::[[UNIT]]::main_{{[0-9]+}}>(scaler(3L)));
  ints.pmap(scaler(3L));
  // CHECK: const auto big = Filter{::ikra::named<::[[UNIT]]::main_lambda_3>([](int x) { return x > 1; })};
  const auto big = Filter{[](int x) { return x > 1; }};
  filtered(ints, big);
  // Nothing else is wrapped.
  // CHECK: const auto unused = [k](int x) { return x + k; };
  const auto unused = [k](int x) { return x + k; };
  return unused(1);
}
// CHECK-DAG: using {{[a-zA-Z_0-9]+}} = Filter_operator_{{[0-9]+}}_in_template<::[[UNIT]]::main_lambda_3>;
// CHECK-DAG: using {{[a-zA-Z_0-9]+}} = apply_0_in_template<::ikra::array<int>, ::[[UNIT]]::main_lambda>;
// CHECK-DAG: using {{[a-zA-Z_0-9]+}} = apply_0_in_template<::ikra::array<int>, ::[[UNIT]]::main_lambda_2>;
// CHECK-DAG: using {{[a-zA-Z_0-9]+}} = apply_0_in_template<::ikra::array<int>, ::[[UNIT]]::scaler_lambda<int>>;
// CHECK-DAG: using {{[a-zA-Z_0-9]+}} = apply_0_in_template<::ikra::array<int>, ::[[UNIT]]::scaler_lambda<double>>;
// CHECK-DAG: using {{[a-zA-Z_0-9]+}} = filtered_{{[0-9]+}}_in_template<::ikra::specialised<::ikra::family<::Filter>, ::[[UNIT]]::main_lambda_3> const&>;
