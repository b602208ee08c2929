// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be made only once is: in a template the user's lambda stays for its type alone, and is
// never made. Several are made in their order, which arguments of a function need not be.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %emitted %t.cu | FileCheck %s
#include <ikra/ikra.hpp>

#include <utility>
#include <vector>

std::vector<int> made();
struct Adder {
  int by;
  int operator()(int x) const { return x + by; }
};

template <class T> int in_template(const ikra::array<int>& a, std::vector<T> v) {
  // CHECK: >>(::ikra::later{[&] { return [v = made()](int x) { return v[x]; }; }}, made()));
  const auto b = a.pmap([v = made()](int x) { return v[x]; });
  // CHECK: >>(::ikra::later{[&] { return [n = v.size(), v = std::move(v)]{{.*}}; }}, ::ikra::captures_in_order{v.size(), std::move(v)}.kept));
  const auto c = a.pmap([n = v.size(), v = std::move(v)](int x) { return v[x] + int(n); });
  // CHECK: >>(::ikra::later{[&] { return Adder{made()[0]}; }}, Adder{made()[0]}));
  const auto d = a.pmap(Adder{made()[0]});
  const int n = c[0];
  // CHECK: >>([k = n + 1](int x) { return x + k; }, n + 1));
  const auto e = b.pmap([k = n + 1](int x) { return x + k; });
  return d[0] + e[0];
}

int main() {
  const ikra::array a{std::vector<int>{0, 1}};
  std::vector<int> v{3, 4};
  // CHECK: int(int)>(::ikra::captures_in_order{v.size(), std::move(v)}.kept));
  const auto b = a.pmap([n = v.size(), v = std::move(v)](int x) { return v[x] + int(n); });
  // CHECK: int(int)>(made()));
  const auto c = a.pmap([v = made()](int x) { return v[x]; });
  return b[0] + c[0] + in_template<int>(a, {1, 2}) + in_template<short>(a, {1, 2});
}
