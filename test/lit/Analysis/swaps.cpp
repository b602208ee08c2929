// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::swap takes values and copies of objects. Objects, and containers that they hold, have no
// memory of their own on a device: these are refused with what to write instead.
//
// RUN: split-file %s %t
// RUN: not %ikrac -o %t.cu %t/refused.cpp -- %ikra_flags 2>&1 | FileCheck %t/refused.cpp
// RUN: %ikrac -o %t.cu %t/accepted.cpp -- %ikra_flags 2>&1 | count 0
// RUN: %build_plain %t/accepted.cpp -o %t.plain && %t.plain > %t.want
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | diff %t.want -
// RUN: env IKRA_REORDER=always %t.cpu | diff %t.want -

//--- refused.cpp
#include <ikra/ikra.hpp>
#include <array>
#include <optional>
#include <utility>
#include <vector>
struct Item { int w = 1; Item* next = nullptr; };
struct Bag {
  Item a, b, *far = nullptr, *near = nullptr;
  std::vector<double> now, next;
  std::vector<std::vector<int>> rows;
  std::array<Item*, 2> left{}, right{};
  double low[2]{}, high[2]{};
  std::optional<Item> one, two;
};
template <class T> void exchange(T& a, T& b) {
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:3: error: this expression cannot be used in a section (std::swap of containers;
  std::swap(a, b);
}
void sections(std::vector<Bag>& bags) {
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:42: error: this expression cannot be used in a section (std::swap of objects of class 'Item', not of copies; copy one, and assign: const auto old = a; a = b; b = old)
  ikra::objects(bags).peach([](Bag& b) { std::swap(b.a, b.b); });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:42: error: this expression cannot be used in a section (std::swap of objects of class 'Item'
  ikra::objects(bags).peach([](Bag& b) { std::swap(*b.far, *b.near); });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:59: error: this expression cannot be used in a section (std::swap of objects of class 'Item'
  ikra::objects(bags).peach([](Bag& b) { Item c = b.a;    std::swap(c, b.b); });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:42: error: this expression cannot be used in a section (std::swap of containers; swap their elements, or have both in an array, and choose by a number: v[now], v[1 - now])
  ikra::objects(bags).peach([](Bag& b) { std::swap(b.now, b.next); });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:42: error: this expression cannot be used in a section (std::swap of containers;
  ikra::objects(bags).peach([](Bag& b) { std::swap(b.rows[0], b.rows[1]); });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:42: error: this expression cannot be used in a section (std::swap of containers;
  ikra::objects(bags).peach([](Bag& b) { std::swap(b.left, b.right); });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:42: error: this expression cannot be used in a section (std::swap of containers;
  ikra::objects(bags).peach([](Bag& b) { std::swap(b.low, b.high); });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:42: error: this expression cannot be used in a section (std::swap of optionals of objects; keep pointers to the objects, and swap these)
  ikra::objects(bags).peach([](Bag& b) { std::swap(b.one, b.two); });
  ikra::objects(bags).peach([](Bag& b) { exchange(b.now, b.next); });
  // CHECK-DAG: refused.cpp:[[@LINE+1]]:42: error: this expression cannot be used in a section ('std::ranges::{{.*}}' of objects of class 'Item': it is there for values alone; write a function of your own)
  ikra::objects(bags).peach([](Bag& b) { std::ranges::swap(b.a, b.b); });
}

//--- accepted.cpp
#include <ikra/ikra.hpp>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>
struct Item { int w = 1; Item* next = nullptr; };
struct Bag {
  Item a, b;
  std::vector<int> halves[2]{{1, 2}, {3, 4}};
  int now = 0, sum = 0;
  std::array<double, 2> low{1, 2}, high{3, 4};
  double rows[2][2]{{1, 2}, {3, 4}};
  Item *far = &a, *near = &b;
  void turn() {
    const auto old = a;
    a = b;
    b = old;
    Item c = a, d = b;
    std::swap(c, d);
    sum += c.w * 10 + d.w;
    now = 1 - now;
    halves[now][0] += halves[1 - now][1];
    std::swap(halves[0][0], halves[0][1]);
    std::swap(low, high);
    std::swap(rows[0], rows[1]);
    std::swap(far, near);
    int own[2]{sum, 1}, other[2]{2, 3};
    std::swap(own, other);
    sum += own[0];
  }
};
int main() {
  std::vector<Bag> bags(3);
  for (Bag& b : bags) {
    b.b.w = 4;
    b.far = &b.a;
    b.near = &b.b;
  }
  ikra::objects(bags).peach(3, [](Bag& b) { b.turn(); });
  for (const Bag& b : bags)
    std::printf("%d %d %d %d %g %g %d\n", b.a.w, b.b.w, b.sum, b.halves[0][0] + b.halves[1][0], b.low[1], b.rows[0][1],
                b.far == &b.a);
}
