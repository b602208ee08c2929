// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A captured lambda that captures itself keeps copies, which the section takes; device code makes
// the lambda again around them. In a template one text serves lambdas and other function objects.
//
// RUN: %ikrac --print=model %s -- %ikra_flags 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: %emitted %t.cu | FileCheck %s
#include <ikra/ikra.hpp>

#include <vector>

struct Times {
  int k;
  int operator()(int x) const { return x * k; }
};

template <class F> int twice(const ikra::array<int>& a, F f) {
  // CHECK: >>([f](int x) { return f(f(x)); }, ::ikra::captures_of(f)))[0];
  return a.pmap([f](int x) { return f(f(x)); })[0];
}

template <class F, class G> auto composed(F f, G g) {
  return [f, g](int x) { return g(f(x)); };
}

int main() {
  const ikra::array a{std::vector<int>{0, 1}};
  int k = 2;
  // CHECK: auto f = ::ikra::named<::[[UNIT:ikra_unit_[a-z0-9_]*]]::{{main_lambda[_0-9]*}}>([k](int x) { return x * k; }, k);
  auto f = [k](int x) { return x * k; };
  // CHECK: auto g = ::ikra::named<::[[UNIT]]::{{main_lambda[_0-9]*}}>([f, k](int x) { return f(x) + k; }, ::ikra::captures_of(f), k);
  auto g = [f, k](int x) { return f(x) + k; };
  // MODEL: captures: g_f_k (int), g_k (int), n (int)
  // CHECK: int(int)>(::ikra::captures_of(g), 3));
  const auto b = a.pmap([g, n = 3](int x) { return g(x) + n; });
  // CHECK: int(int)>(k));
  const auto c = b.pmap([h = [k](int x) { return x - k; }](int x) { return h(x); });
  // CHECK: make_section_of<::[[UNIT]]::main_{{[0-9]+}}>(composed(::ikra::named<::[[UNIT]]::{{main_lambda[_0-9]*}}>([k](int x) { return x * k; }, k), ::ikra::named<::[[UNIT]]::{{main_lambda[_0-9]*}}>([](int x) { return x + 1; }))));
  const auto e = c.pmap(composed([k](int x) { return x * k; }, [](int x) { return x + 1; }));
  auto of_reference = [&k](int x) { return x * k; };
  // WARN: [[@LINE+1]]:26: warning: 'of_reference' of type {{.*}} cannot be captured
  const auto d = c.pmap([of_reference](int x) { return of_reference(x); });
  return b[0] + c[0] + d[0] + e[0] + twice(a, f) + twice(a, Times{4}) + twice(a, [](int x) { return x + 1; });
}
// CHECK: int g_f_k;
// CHECK-NEXT: int g_k;
// CHECK-NEXT: int n;
// CHECK: int operator()(int x) const {
// CHECK: const auto g = [&, f = [&, &k = g_f_k](int x) -> int {
// CHECK: }, &k = g_k](int x) -> int {
// CHECK: return g(x) + n;
