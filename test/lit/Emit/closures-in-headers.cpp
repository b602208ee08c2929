// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lambda that a function in a header returns keeps its size, whoever else includes the header:
// its type may have a name, but no copies of its captures.
//
// RUN: mkdir -p %t.d
// RUN: echo "inline auto given(int by) { return [by](int x) { return x + by; }; }" > %t.d/given.hpp
// RUN: %ikrac -o %t.cu --overlay=%t.headers %s -- %ikra_flags -I%t.d 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: cat %t.headers/*/given.hpp | FileCheck %s --check-prefix=HEADER
#include <ikra/ikra.hpp>

#include "given.hpp"

#include <vector>

// HEADER: return ::ikra::named<::ikra_unit_{{[a-z0-9_]*}}::given_lambda>([by](int x) { return x + by; });

template <class F> auto beside(const ikra::array<int>& a, const F&) { return a.pmap([](int x) { return x + 1; }); }
// SAYS: closures-in-headers.cpp:[[@LINE+1]]:{{.*}} warning: what this lambda captures has to be seen at the call of 'pmap'{{.*}}[ikra-section-captures-elsewhere]
template <class F> auto applied(const ikra::array<int>& a, F f) { return a.pmap(f); }

int main() {
  const ikra::array ints{std::vector<int>{1}};
  beside(ints, given(2));
  applied(ints, given(2));
}
