// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is an operation of ikra's in one instantiation is a function of the program's in another: one text cannot serve both.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

struct list {
  std::vector<int> values;
  template <class F> list pmap(const F& f) const {
    list result;
    for (const int value : values)
      result.values.push_back(f(value));
    return result;
  }
  int sum() const { return values[0] + values[1]; }
};

template <class A> int total(const A& a) {
  // SAYS: templates-other-calls.cpp:[[@LINE+1]]:{{.*}} warning: section inside a template {{.*}} since in another one the same text calls a function that is not ikra's{{.*}}[ikra-section-in-template]
  const auto twice = a.pmap([](int x) { return 2 * x; });
  // SAYS: templates-other-calls.cpp:[[@LINE+1]]:{{.*}} warning: section inside a template {{.*}} since in another one
  return twice.sum();
}
// Operators take what they are given, and so does a template whose instantiations are all over arrays.
template <class T> T squared(const T& a) { return a * a; }
template <class A> int last(const A& a) { return a.pmap([](int x) { return x - 1; })[1]; }
// SAYS-NOT: warning: section inside

int main() {
  const ikra::array<int> ints{std::vector<int>{3, 4}};
  // OUT: 14 10
  std::printf("%d %d\n", total(ints), total(list{{1, 4}}));
  // OUT-NEXT: 16 25 15
  std::printf("%d %d %d\n", squared(ints)[1], squared(5), last(squared(ints)));
}
