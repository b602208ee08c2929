// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counterparts of classes-refused.cpp and members-refused.cpp.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | count 0
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

class Hidden {
  IKRA_OBJECT
  int secret = 6;

public:
  int told() const { return secret; }
};
struct Base {
  int value = 1;
  virtual ~Base() = default;
};
struct Derived : Base {
  int more = 2;
  std::uint8_t flag = 1;
  double wide = 0.5;
  std::vector<std::uint8_t> bits{1, 0};
  std::array<int, 2> table{7, 8};
  int rows[2][2] = {{1, 2}, {3, 4}};
  std::unique_ptr<Hidden> owned = std::make_unique<Hidden>();
  std::string unused = "members that no section uses may be of any type";
};

struct Point {
  float x = 4, y = 5;
};
struct Placed {
  Point place;
  std::unique_ptr<Point> spare; // named nowhere: it makes Point no class of objects
};

int main() {
  std::vector<Placed> placed(1);
  ikra::objects(placed).peach([](Placed* p) {
    const Point moved{p->place.x + 1, p->place.y};
    p->place = moved;
  });
  // CHECK: 5
  std::printf("%g\n", static_cast<double>(placed[0].place.x));
  std::vector<Hidden> hidden(1);
  Base base;
  Derived derived;
  ikra::array<Base*> both{std::vector<Base*>{&base, &derived}};
  both.peach([](Base* b) { b->value += 10; });
  ikra::array<Derived*> one{std::vector<Derived*>{&derived}};
  one.peach([](Derived* d) {
    d->more = d->flag + static_cast<int>(d->wide * 4) + static_cast<int>(d->bits.size()) +
              d->table[1] + d->owned->told();
  });
  // CHECK: 11 11 19 6
  std::printf("%d %d %d %d\n", base.value, derived.value, derived.more,
              ikra::objects(hidden).pmap([](const Hidden* h) { return h->told(); })[0]);
  return 0;
}
