// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions, templates and objects of a library are called from several places, and what they are given differs. Sections that meet on one
// way through the calls share a kernel for it, which the runtime takes where it fits.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_FUSION=off %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TRACE=kernels %t.cpu 2>&1 >/dev/null | FileCheck %s --check-prefix=TRACE
#include <ikra/ikra.hpp>

#include <cstdio>
#include <utility>
#include <vector>

template <class T> ikra::array<T> scaled(const ikra::array<T>& a, T k) {
  return a.pmap([k](T x) { return x * k; });
}
template <class T> ikra::array<T> shifted(const ikra::array<T>& a, T k) {
  return a.pmap([k](T x) { return x + k; });
}
template <class T> T total(const ikra::array<T>& a) { return a.preduce(T(), [](T x, T y) { return x + y; })[0]; }

class series {
public:
  explicit series(ikra::array<int> values) : values_(std::move(values)) {}
  series plus(int k) const { return series(values_.pmap([k](int x) { return x + k; })); }
  series times(int k) const { return series(values_.pmap([k](int x) { return x * k; })); }
  int sum() const { return values_.sum(); }

private:
  ikra::array<int> values_;
};

ikra::array<int> smooth(const ikra::array<int>& a) { return a.pstencil({-1, 0}, 1, [](auto v) { return v[-1] + v[0]; }); }

int main() {
  const ikra::array<int> ints{std::vector<int>{1, 2, 3}};
  const ikra::array<float> floats{std::vector<float>{1, 2, 3}};
  // OUT: 21
  std::printf("%d\n", total(shifted(scaled(ints, 3), 1)));
  // OUT-NEXT: 27
  std::printf("%d\n", total(scaled(shifted(ints, 1), 3)));
  // One source for all calls: no path is needed.
  // OUT-NEXT: 12
  std::printf("%.0f\n", static_cast<double>(total(scaled(floats, 2.0F))));
  // OUT-NEXT: 33
  std::printf("%d\n", series(ints).plus(3).times(2).plus(1).sum());
  // A variable's array may be asked for, too.
  const auto moved = shifted(ints, 10);
  const auto both = scaled(moved, 2);
  // OUT-NEXT: 22 24 26
  std::printf("%d %d %d\n", both[0], both[1], both[2]);
  // OUT-NEXT: 11
  std::printf("%d\n", moved[0]);
  // OUT-NEXT: 1 4 8
  const auto twice = smooth(scaled(smooth(ints), 1));
  std::printf("%d %d %d\n", twice[0], twice[1], twice[2]);
}

// CHECK-DAG: kernel scaled_0 -> shifted_2 -> total_3, on path [[#]]{{$}}
// CHECK-DAG: kernel shifted_2 -> scaled_0 -> total_3, on path [[#]]{{$}}
// CHECK-DAG: kernel scaled_1 -> total_4{{$}}
// CHECK-DAG: kernel series_plus_5 -> series_times_6 -> series_plus_5 -> series_sum_7, on path 1{{$}}
// CHECK-DAG: kernel shifted_2 -> scaled_0, on path 1{{$}}
// CHECK-DAG: kernel smooth_8 -> scaled_0 -> smooth_8, on path 1{{$}}
// CHECK-NOT: kernel series_plus_5 -> series_times_6{{$}}
// CHECK: edge scaled_0 -> shifted_2: fused (same location)

// CODE: struct fused_into_series_sum_7_on_path_1 {
// CODE: std::span<const ikra::fusion> {{ikra_unit.*}}::fusions_of_total_3_in_template(const std::type_info& instance) {
// CODE: instance == typeid(total_3)
// CODE-NEXT: return fusions_of_total_3();
// CODE: instance == typeid(total_4)
// CODE-NEXT: return fusions_of_total_4();

// TRACE: kernel 1: {{.*}} 3 sections
// TRACE-NEXT: kernel 2: {{.*}} 3 sections
// TRACE-NEXT: kernel 3: {{.*}} 2 sections
// TRACE-NEXT: kernel 4: {{.*}} 4 sections
// TRACE-NEXT: kernel 5: {{.*}} 2 sections
// TRACE-NEXT: kernel 6: {{.*}} 1 section
// TRACE-NEXT: kernel 7: {{.*}} 3 sections
