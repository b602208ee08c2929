// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations without kernels run as in a plain build; a warning says so, once each, and the rest is compiled.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <cctype>
#include <cstdio>
#include <functional>
#include <vector>

struct Cell {
  int value = 3;
};

struct Coin {
  int cents = 0;
  friend Coin operator+(Coin a, Coin b) { return a.cents < 0 ? throw 1 : Coin{a.cents + b.cents}; }
  friend bool operator<(Coin a, Coin b) { return a.cents < b.cents; }
  const Coin& operator|(const Coin& o) const { return cents < o.cents ? o : *this; }
};
template <class T> auto ordered(const ikra::array<T>& a) { return a.psort(); }
template <class T> auto doubled(const ikra::array<T>& a) { return a + a; }
template <class T> auto both(const T& a, const T& b) { return a && b; }

int main() {
  std::vector<Cell> store(4);
  ikra::array numbers{std::vector<int>{1, 2, 3}};
  auto cells = ikra::objects(store);
  auto sum = cells.pmap([](const Cell* c) { return c->value; }).preduce(std::plus<>{});
  auto folded = numbers.preduce(0.5, [](double total, int x) { return total + x; });
  // CHECK-DAG: sequential.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'preduce' is not compiled by this version of ikrac: it runs on one core, as in a plain build [ikra-section-sequential]
  // CHECK-DAG: sequential.cpp:[[@LINE-2]]:{{[0-9]+}}: warning: this expression cannot be used in a section (a fold from a first value, which has an order; let both parameters be of type 'double')
  auto chosen = cells.preduce_by_key(cells.pmap([](const Cell* c) { return c->value; }), [](Cell* a, Cell* b) { return a->value < b->value ? b : a; });
  // CHECK-DAG: sequential.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'preduce_by_key' is not compiled by this version of ikrac: it runs on one core, as in a plain build [ikra-section-sequential]
  // CHECK-DAG: sequential.cpp:[[@LINE-2]]:{{[0-9]+}}: warning: this expression cannot be used in a section ('preduce_by_key' over objects; let a pmap make values of what they hold)
  auto pairs = cells.pzip(cells).pselect([](const auto& t) { return std::get<0>(t) == std::get<1>(t); });
  // CHECK-DAG: sequential.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'pselect' is not compiled by this version of ikrac: it runs on one core, as in a plain build [ikra-section-sequential]
  // CHECK-DAG: sequential.cpp:[[@LINE-2]]:{{[0-9]+}}: warning: this expression cannot be used in a section ('pselect' over elements of type 'std::tuple<Cell *, Cell *>', which hold pointers to objects; let it be over the pointers, and capture the other array: a.with_index() hands over the index, [b](T* object, std::int64_t i) { ... b[i] ... })
  ikra::array coins{std::vector<Coin>{{5}, {50}}};
  auto all = coins.sum();
  // CHECK-DAG: sequential.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'sum' is not compiled by this version of ikrac: it runs on one core, as in a plain build [ikra-section-sequential]
  // CHECK-DAG: sequential.cpp:20:{{[0-9]+}}: warning: a section may not throw
  auto largest = coins | coins;
  // CHECK-DAG: sequential.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'operator|' is not compiled by this version of ikrac: it runs on one core, as in a plain build [ikra-section-sequential]
  // CHECK-DAG: sequential.cpp:[[@LINE-2]]:{{[0-9]+}}: warning: this expression cannot be used in a section ('operator|' of elements whose operator gives a reference; write pcombine with a lambda)
  auto least = ordered(coins);
  // CHECK-DAG: sequential.cpp:24:{{[0-9]+}}: warning: 'psort' is not compiled by this version of ikrac: it runs on one core, as in a plain build [ikra-section-sequential]
  ikra::array{std::vector<char>{'a'}}.pmap([](char c) { return std::toupper(c); });
  // CHECK-DAG: sequential.cpp:[[@LINE-1]]:{{[0-9]+}}: warning: 'toupper' cannot be called here
  // CHECK-DAG: sequential.cpp:[[@LINE-2]]:{{[0-9]+}}: warning: 'pmap' is not compiled by this version of ikrac
  auto twice = doubled(numbers);
  auto set = both(numbers, numbers);
  // CHECK-DAG: sequential.cpp:26:{{[0-9]+}}: warning: 'operator&&' is not compiled by this version of ikrac: it runs on one core, as in a plain build [ikra-section-sequential]
  // OUT: 55 50 5 4 1
  std::printf("%d %d %d %d %d\n", all.cents, largest[1].cents, least[0].cents, twice[1], set[2]);
  // OUT-NEXT: 12 6.5 1 4
  std::printf("%d %.1f %zu %zu\n", sum[0], folded[0], chosen.second.size(), pairs.size());
  return 0;
}
// CHECK: 16 warnings generated.
