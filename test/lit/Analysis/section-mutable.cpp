// Mutable lambdas as sections: one message at each lambda, and none of the library's templates. Other
// errors of the file are told beside them, and a host section's lambda may be mutable.
//
// RUN: split-file %s %t
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags > %t.out 2>&1
// RUN: FileCheck %t/refused.cpp --implicit-check-not=error: --implicit-check-not=note: < %t.out
// RUN: not %ikrac -o %t.cu %t/mistyped.cpp -- %ikra_flags > %t.out 2>&1
// RUN: FileCheck %t/mistyped.cpp --implicit-check-not=error: --implicit-check-not=note: < %t.out
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <vector>
struct Actor {
  int v = 0;
};
void sections(const ikra::array<int>& numbers, const std::vector<Actor*>& actors) {
  auto b = numbers.pmap([k = 0](int n) mutable { return n + ++k; });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:25: error: a section may not be mutable, since elements are computed in any order: it is called as const; change a copy of what it captures, in its body [ikra-section-mutable]
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:18: error: a section may not be mutable, {{.*}} [ikra-section-mutable]
  const auto f = [k = 0](int n) mutable { return n + ++k; };
  (void)numbers.count(f);
  (void)numbers.any(f); // is told once
  auto c = ikra::pnew(10, [k = 0](auto i) mutable { return i + ++k; });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:27: error: a section may not be mutable, {{.*}} [ikra-section-mutable]
  ikra::array{actors}.peach([k = 0](Actor* p) mutable { p->v = ++k; });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:29: error: a section may not be mutable, {{.*}} [ikra-section-mutable]
}
template <class T> auto in_template(const ikra::array<T>& numbers) {
  return numbers.preduce([k = 0](T x, T y) mutable { return x + y + ++k; });
  // CHECK-DAG: refused.cpp:[[@LINE-1]]:26: error: a section may not be mutable, {{.*}} [ikra-section-mutable]
}
void instances(const ikra::array<int>& numbers) { (void)in_template(numbers); }

//--- mistyped.cpp
#include <ikra/ikra.hpp>
int sections(const ikra::array<int>& numbers, int n) {
  auto b = numbers.pmap([k = 0](int n) mutable { return n + ++kk; });
  // CHECK-DAG: mistyped.cpp:[[@LINE-1]]:63: error: use of undeclared identifier 'kk'
  // CHECK-DAG: mistyped.cpp:[[@LINE-2]]:25: error: a section may not be mutable, {{.*}} [ikra-section-mutable]
  auto c = numbers.pmap([k = 0](int n) mutable { return n + ++k; });
  // CHECK-DAG: mistyped.cpp:[[@LINE-1]]:25: error: a section may not be mutable, {{.*}} [ikra-section-mutable]
  const int k = ikra::host_section([n]() mutable { return ++n; });
  return k + nn;
  // CHECK-DAG: mistyped.cpp:[[@LINE-1]]:14: error: use of undeclared identifier 'nn'
}

//--- accepted.cpp
#include <ikra/ikra.hpp>
void sections(const ikra::array<int>& numbers, int k) {
  k = ikra::host_section([k]() mutable { return ++k; });
  auto b = numbers.pmap([k](int n) {
    int mine = k;
    return n + [mine]() mutable { return ++mine; }();
  });
}
