// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results over one input in a template: each instantiation has its kernel, and one table for the place in the text has them all.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
// RUN: env IKRA_TRACE=kernels %t.cpu 2>&1 >/dev/null | FileCheck %s --check-prefix=TRACE
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

template <class T> double spread(const ikra::array<T>& values) {
  const auto least = values.preduce([](T a, T b) { return b < a ? b : a; });
  const auto most = values.preduce([](T a, T b) { return a < b ? b : a; });
  return static_cast<double>(most.value() - least.value());
}

template <class T> class samples {
public:
  explicit samples(const ikra::array<T>& values) : values_(values) {}
  T report() const {
    const ikra::array<T>& all = values_;
    const auto twice = all.pmap([](T x) { return 2 * x; });
    const auto shifted = all.pmap([](T x) { return x + 1; });
    return twice[0] + shifted[1];
  }

private:
  const ikra::array<T>& values_;
};

// CHECK: horizontal spread_0, spread_2: fused
// CHECK-NEXT: horizontal spread_1, spread_3: fused
// CHECK-NEXT: horizontal samples_report_4, samples_report_6: fused
// CODE: struct horizontal; // least, most
// CODE: ::ikra::compute_group<::ikra_unit_{{[a-z0-9_]*}}::horizontal>(least, most);
// CODE: ikra::horizontal_code<{{.*}}::horizontal>::fusions() {
// CODE: static constexpr ikra::horizontal_fusion table[] = {{[{][{].*horizontal_in_one[}], [{].*horizontal_2_in_one[}][}]}};
int main() {
  const ikra::array<int> ints{std::vector<int>{4, 9, 2}};
  const ikra::array<float> floats{std::vector<float>{1.5F, 0.5F}};
  // OUT: 7.0 1.0
  std::printf("%.1f %.1f\n", spread(ints), spread(floats));
  // OUT-NEXT: 18 4.5
  std::printf("%d %.1f\n", samples<int>(ints).report(), static_cast<double>(samples<float>(floats).report()));
}
// TRACE-COUNT-4: 2 sections
