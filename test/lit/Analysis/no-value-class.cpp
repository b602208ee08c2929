// no_value_class: a variable of a class that device code cannot copy as bytes of values, with what
// makes it one.
//
// RUN: split-file %s %t
// RUN: %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0

//--- refused.cpp
#include <ikra/ikra.hpp>
struct Dice {
  ikra::random of;
};
struct Counter {
  int& n;
};
struct Guard {
  int n = 0;
  ~Guard() {}
};
struct Loaded : Dice {};
void sections(ikra::array<int> numbers) {
  (void)numbers.pmap([](int n) { return Dice{{1, n}}.of.below(6); });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'Dice' has no values in a section, since its member 'of' is of type 'ikra::random'; use a class of numbers, or a pointer or a reference to an object {{.*}}[ikra-no-value-class]
  (void)numbers.pmap([](int n) { return Counter{n}.n; });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'Counter' has no values in a section, since its member 'n' is of type 'int &'; {{.*}}[ikra-no-value-class]
  (void)numbers.pmap([](int n) { return Guard{n}.n; });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'Guard' has no values in a section, since it has a copy constructor or a destructor of its own, or is not copied at all; {{.*}}[ikra-no-value-class]
  (void)numbers.pmap([](int n) { return Loaded{{{1, n}}}.of.below(6); });
  // CHECK: refused.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'Loaded' has no values in a section, since its base 'Dice' has none; {{.*}}[ikra-no-value-class]
}

//--- accepted.cpp
#include <ikra/ikra.hpp>
struct Dice {
  int seed;
  int throwOnce() const {
    ikra::random of(1, seed);
    return of.below(6);
  }
};
void sections(ikra::array<int> numbers) {
  (void)numbers.pmap([](int n) { return Dice{n}.throwOnce(); });
}
