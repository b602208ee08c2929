// std::complex in sections: the type is the program's, and what computes with it is a function of
// ikra::complex_math, since nvcc drops arithmetic of the compiler's complex numbers from kernels.
//
// RUN: %ikrac -o - %s -- %ikra_flags | grep -v '// CHECK' | FileCheck %s
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s --check-prefix=MODEL
#include <ikra/ikra.hpp>
#include <complex>
using namespace std::complex_literals;
using number = std::complex<double>;
// CHECK: #include <ikra/generated.hpp>
// CHECK-NEXT: #include <ikra/generated/language/complex_math.hpp>
// MODEL: captures: k (::std::complex<double>)
constexpr number unit(0.0, 1.0);
void sections(const ikra::array<number>& z, const ikra::array<std::complex<float>>& w, number k) {
  // CHECK: return ikra::complex_math{{::}}add(ikra::complex_math{{::}}multiply(z, z), k);
  (void)z.pmap([k](number z) { return z * z + k; });
  // CHECK: return ikra::complex_math{{::}}divide(1.0, -z);
  (void)z.pmap([](number z) { return 1.0 / -z; });
  // CHECK: return z.real() + ikra::complex_math{{::}}imag(z) + ikra::complex_math{{::}}norm(z);
  (void)z.pmap([](number z) { return z.real() + std::imag(z) + std::norm(z); });
  // CHECK: ::std::complex<double> wide{{ }}= ikra::complex_math{{::}}converted<::std::complex<double>>(z);
  // CHECK: ikra::complex_math{{::}}assign(wide, 2.0);
  // CHECK: ikra::complex_math{{::}}multiply_by(wide, z);
  // CHECK: return ::std{{::}}complex<float>(1.0f, static_cast<float>(wide.imag()));
  (void)w.pmap([](std::complex<float> z) {
    number wide = z;
    wide = 2.0;
    wide *= z;
    return std::complex<float>(1.0f, static_cast<float>(wide.imag()));
  });
  // CHECK: return ikra::complex_math{{::}}add(ikra::complex_math{{::}}polar(2.0, z.real()), ikra::complex_math{{::}}multiply(::std::complex<double>(0, 1.5), unit_table()));
  (void)z.pmap([](number z) { return std::polar(2.0, z.real()) + 1.5i * unit; });
  // CHECK: return z == w{{ }}|| (z != 1.0);
  (void)z.pcombine(z, [](number z, number w) { return z == w || z != 1.0; });
}
