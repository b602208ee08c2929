// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sum, count, any, all, preduce(init, f) and operators on arrays are sections, and are fused with what computes their input.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s --implicit-check-not="not fused"
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=TEXT
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <functional>
#include <vector>

using numbers = ikra::array<int>;
enum level { low, high = 5 };

int half(int x) { return x / 2; }

long summed(const numbers& a) { return a.pmap(half).sum(); }
// CHECK-DAG: kernel summed_{{[0-9]+}} -> summed_{{[0-9]+}}{{$}}
// TEXT: return a.pmap({{.*}}).sum(::ikra::make_section<::ikra_unit_{{.*}}::summed_1, int(int, int)>()); }
long counted(const numbers& a, int limit) {
  return a.pmap(half).count([limit](int x) { return x > limit; });
}
// CHECK-DAG: kernel counted_{{[0-9]+}} -> counted_{{[0-9]+}} -> counted_{{[0-9]+}}{{$}}
// TEXT: .count(::ikra::make_section<::ikra_unit_{{.*}}::counted_3, bool(int)>(limit), ::ikra::make_section<::ikra_unit_{{.*}}::counted_4, long(long, long)>());
bool some(const numbers& a) { return a.any() && !a.all([](int x) { return x & 4; }); }
// CHECK-DAG: kernel some_{{[0-9]+}} -> some_{{[0-9]+}}{{$}}
// TEXT: return a.any(::ikra::make_section<{{.*}}, bool(int)>(), ::ikra::make_section<{{.*}}, bool(bool, bool)>()) && !a.all(
double from(const numbers& a) {
  return a.pmap(half).preduce(0.5, [](double x, double y) { return x + y; })[0] + a.preduce(0.25, std::plus<>{})[0];
}
// CHECK-DAG: kernel from_{{[0-9]+}} -> from_{{[0-9]+}}{{$}}
int arithmetic(const numbers& a, const numbers& b) { return (-a + b * (a - 2 * b) + a)[1]; }
// CHECK-DAG: kernel arithmetic_[[LAST:[0-9]+]](arithmetic_{{[0-9]+}}(arithmetic_{{[0-9]+}}(array), arithmetic_{{[0-9]+}}(array, arithmetic_{{[0-9]+}}(array, arithmetic_{{[0-9]+}}(array)))), array)
// TEXT: ::ikra::element_wise<::ikra_unit_{{.*}}::arithmetic_{{[0-9]+}}, ::std::plus<>>(::ikra::element_wise<{{.*}}, ::std::plus<>>(::ikra::element_wise<{{.*}}, ::std::negate<>>(a) , ::ikra::element_wise<{{.*}}, ::std::multiplies<>>(b , (::ikra::element_wise<{{.*}}, ::std::minus<>>(a , ::ikra::element_wise<{{.*}}, ::std::multiplies<>>(2 , b))))) , a))[1]; }
bool compared(const numbers& a, short limit) { return (a < limit || !(a >> 1 >= 2u)).any(); }
// CHECK-DAG: kernel compared_{{[0-9]+}}(compared_
long enumerations(const ikra::array<level>& a) { return (a + 1).sum() + a.sum() + a.count([](level l) { return l == high; }); }
template <class T> T in_template(const ikra::array<T>& a) {
  return a.sum() + static_cast<T>(a.count([](T x) { return x > T(1); })) + (a.any() ? T(100) : T(0));
}
// TEXT: return a.sum(::ikra::make_section_like<::ikra_unit_{{.*}}::in_template_{{[0-9]+}}_in_template<T>>(::std::plus<>()))
int compared_by_object(const numbers& a, const numbers& b) {
  return a.pcombine(b, std::greater<>{}).count(std::identity{}) * 100 + a.psort(std::greater<>{})[0];
}
long of_objects(std::vector<long>& store) {
  return ikra::array{store}.pmap([](long x) { return x * 2; }).reshape({2, 2}).preduce(1L, ikra::max)[0];
}

int main() {
  const numbers a{std::vector<int>{1, 2, 3, 8}}, b{std::vector<int>{4, 5, 6, 7}};
  std::vector<long> store{3, 9, 2, 1};
  // OUT: 6 3 1 20.75 -40 1
  std::printf("%ld %ld %d %.2f %d %d\n", summed(a), counted(a, 0), some(a), from(a), arithmetic(a, b), compared(a, 2));
  // OUT-NEXT: 108 25 117 110.5 18
  std::printf("%d ", compared_by_object(a, b));
  std::printf("%ld %d %.1f %ld\n", enumerations(ikra::array{std::vector<level>{low, high, high}}), in_template(a),
              in_template(ikra::array{std::vector<double>{0.5, 8, 1}}), of_objects(store));
  return 0;
}
// CODE: struct body {
// CODE: int value;
// CODE-NEXT: IKRA_DEVICE int operator()(int a) const { return std::multiplies<>()(value, a); }
