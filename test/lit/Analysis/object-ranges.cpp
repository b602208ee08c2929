// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over objects with a begin() and an end() of their own; operators of objects that the compiler writes; static arrays of templates, of which the
// initialiser gives the size.
//
// RUN: split-file %s %t
// RUN: %ikrac --print=bodies %t/accepted.cpp -- %ikra_flags 2>&1 | FileCheck %t/accepted.cpp
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <vector>
class Grid {
  std::vector<int> cells_;

public:
  auto begin() const { return cells_.begin(); }
  auto end() const { return cells_.end(); }
};
struct Town {
  int n = 3;
};
struct Leg {
  Town* to = nullptr;
  float length = 2;
  bool operator==(const Leg&) const = default;
};
template <class T> struct Press {
  static constexpr T base[] = {1, 2, 3};
  static const T steps[][2];
  T busy = 0;
  int k = 4;
  T cost() const { return base[k % 3] + steps[k % 2][1]; }
};
template <class T> const T Press<T>::steps[][2] = {{1, 2}, {3, 4}};
struct Actor {
  const Grid* grid = nullptr;
  Leg last, next;
  int sum = 0;
  void go() {
    for (const int c : *grid)
      sum += c;
    if (last != next)
      sum = 0;
  }
};
// CHECK-NOT: error:
// CHECK: call Grid_begin
// CHECK: call Leg_operator_of
void sections(std::vector<Actor>& actors, std::vector<Press<double>>& all) {
  ikra::objects(actors).peach([](Actor* a) { a->go(); });
  ikra::objects(all).peach([](Press<double>& p) { p.busy += p.cost(); });
}

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <span>
#include <vector>
struct Town {
  std::vector<int> list;
  int n = 3;
};
struct Country {
  std::vector<Town> towns;
  auto begin() const { return towns.begin(); }
  auto end() const { return towns.end(); }
};
struct Pair {
  Town towns[3];
  std::span<Town> first() { return {towns, 2}; } // CHECK-DAG: refused.cpp:[[@LINE]]:{{[0-9]+}}: error: this expression cannot be used in a section (a std::span of objects from a pointer or an iterator; take a part of their container, std::span(list).subspan(first, count))
  int sum() {
    int sum = 0;
    for (const Town& t : first())
      sum += t.n;
    return sum;
  }
};
struct Actor {
  Pair pair;
  Country* home = nullptr;
  int sum = 0;
};
void sections(std::vector<Actor>& actors) {
  ikra::objects(actors).peach([](Actor* a) {
    for (const Town& t : *a->home)
      a->sum += t.n;
    // CHECK-DAG: refused.cpp:[[@LINE-2]]:{{[0-9]+}}: error: {{.*}}a loop over an object whose begin() gives iterators of a class, or of objects that a container holds; loop over its container, or over numbers{{.*}} [ikra-unsupported-expression]
    a->sum += a->pair.sum();
    // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}(a std::span of objects from a pointer or an iterator;
    for (const Town& t : std::span(a->home->towns.data(), 2))
      a->sum += t.n;
    // CHECK-DAG: refused.cpp:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}(an empty std::span of objects; take a part of a container, std::span(list).first(0))
    std::span<const Town> none;
    a->sum += static_cast<int>(none.size());
    for (const Town& t : std::span(a->home->towns).subspan(1, 2))
      a->sum += t.n;
  });
}
