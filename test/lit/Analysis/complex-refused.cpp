// Functions of std::complex that devices have no form of: these operations stay on one core, with a
// warning. So do library functions that compute with complex numbers within.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
#include <ikra/ikra.hpp>
#include <complex>
#include <functional>
#include <numeric>
using number = std::complex<double>;
void sections(const ikra::array<number>& z, const std::vector<number>& all) {
  // CHECK-DAG: complex-refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'std::acos' cannot be called here in a section
  (void)z.pmap([](number z) { return std::acos(z); });
  // CHECK-DAG: complex-refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'std::accumulate' cannot be called here in a section
  (void)z.pmap([all](number z) { return std::accumulate(all.begin(), all.end(), z); });
  // CHECK-DAG: complex-refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: 'std::multiplies<>::operator()' cannot be called here in a section
  (void)z.pmap([](number z) { return std::multiplies<>()(z, z); });
  // CHECK-DAG: complex-refused.cpp:[[@LINE+1]]:{{[0-9]+}}: warning: type 'long double' cannot be used in a section
  (void)z.pmap([](number z) { return std::complex<long double>(z).real() > 0; });
}
