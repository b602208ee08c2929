// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section in a template: one text, with the template's own parameters, and for each instantiation
// a device body and a driver, found by the type of the tag.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s
#include <ikra/ikra.hpp>

#include <vector>

template <class T, int N> ikra::array<T> shifted(const ikra::array<T>& a) {
  // CHECK: a.pmap(::ikra::make_section_like<::[[UNIT:ikra_unit_[a-z0-9_]*]]::shifted_0_in_template<T, ::ikra::constant<N>>>([](T x) { return x + N; }));
  return a.pmap([](T x) { return x + N; });
}

// A friend that a class template defines stands in no class, but has the class's parameters.
template <class T> struct Signal {
  ikra::array<T> samples;
  // CHECK: a.samples.pmap(::ikra::make_section_like<::[[UNIT]]::{{[a-z_0-9]*}}_in_template<T>>([g](T x) { return x * g; }, g))
  friend Signal operator*(const Signal& a, T g) {
    return {a.samples.pmap([g](T x) { return x * g; })};
  }
};

int main() {
  const ikra::array ints{std::vector<int>{1}};
  const ikra::array floats{std::vector<float>{1}};
  const Signal<int> louder = Signal<int>{ints} * 3;
  const Signal<float> quieter = Signal<float>{floats} * 0.5f;
  return louder.samples[0] + static_cast<int>(quieter.samples[0]) + shifted<int, 2>(ints)[0] + shifted<int, -3>(ints)[0] + static_cast<int>(shifted<float, 2>(floats)[0]);
}
// CHECK: using shifted_0 = shifted_0_in_template<int, ::ikra::constant<static_cast<int>(2)>>;
// CHECK: using shifted_1 = shifted_0_in_template<int, ::ikra::constant<static_cast<int>(-3)>>;
// CHECK: using shifted_2 = shifted_0_in_template<float, ::ikra::constant<static_cast<int>(2)>>;
// CHECK: shifted_0: pmap
// CHECK: int operator()(int x) const { return x + 2; }
// CHECK: shifted_1: pmap
// CHECK: int operator()(int x) const { return x + (-3); }
// CHECK: shifted_2: pmap
// CHECK: float operator()(float x) const { return x + 2; }
// CHECK: static void run_shifted_0(ikra::map_call& call) {
// CHECK: void [[UNIT]]::run_shifted_0_in_template(const std::type_info& instance, ikra::map_call& call) {
// CHECK: instance == typeid(shifted_0)
// CHECK: run_shifted_0(call);
// CHECK: instance == typeid(shifted_1)
// CHECK: instance == typeid(shifted_2)
