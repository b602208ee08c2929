// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emitted code names what is not public: ikrac writes IKRA_OBJECT into the classes, also those of headers and templates, once.
//
// RUN: split-file %s %t
// RUN: %ikrac -o %t.cu --overlay=%t.headers %t/main.cpp -- %ikra_flags 2>&1 | count 0
// RUN: FileCheck %t/main.cpp < %t.cu
// RUN: cat %t.headers/*/animals.hpp | FileCheck %t/animals.hpp
// RUN: %build_plain %t/main.cpp -o %t.plain && %t.plain > %t.plain.txt
// RUN: %build_cpu %t.cu -o %t.cpu && env IKRA_REORDER=always %t.cpu > %t.cpu.txt
// RUN: diff %t.plain.txt %t.cpu.txt
// RUN: not %ikrac -o %t.cu %t/plants.cpp -- %ikra_flags -include %t/plant.hpp 2>&1 | FileCheck %t/plants.cpp

//--- animals.hpp
#pragma once
template <class T> class Base {
protected:
  T weight_ = 1;

public:
  T weight() const { return weight_; }
};
template <class T> class Animal : public Base<T> {
  T steps_{};

public:
  void step() { this->weight_ += ++steps_; }
};
struct Open {
  int n = 0;
};
// CHECK: template <class T> class Base { IKRA_OBJECT{{$}}
// CHECK: template <class T> class Animal : public Base<T> { IKRA_OBJECT{{$}}
// CHECK: struct Open {{{$}}

//--- main.cpp
#include <ikra/ikra.hpp>

#define ANIMALS "animals.hpp"
#include ANIMALS

#include <cstdio>
#include <vector>

class Vec { // CHECK: {{^}}class Vec { IKRA_OBJECT // CHECK
  float x_ = 0, y_ = 0;

public:
  Vec() = default;
  Vec(float x, float y) : x_(x), y_(y) {}
  float dot(const Vec& o) const { return x_ * o.x_ + y_ * o.y_; }
  friend Vec operator+(Vec a, Vec b) { return {a.x_ + b.x_, a.y_ + b.y_}; }
};

class World
{ // CHECK: {{^}}{ IKRA_OBJECT
  enum class Kind { a, b };
  struct Cell { // CHECK: {{^}}  struct Cell { //
    int n = 0;
    Kind kind = Kind::b;
  };
  std::vector<Cell> cells_{5};
  static inline int limit_ = 4;
  friend struct Friend;

public:
  void age() {
    ikra::objects(cells_).peach([](Cell& c) {
      if (c.n < limit_ && c.kind == Kind::b)
        ++c.n;
    });
  }
  int total() const { return ikra::objects(cells_).pmap([](const Cell& c) { return c.n; }).sum(); }
};

struct Own { // CHECK: {{^}}struct Own { // CHECK
  int seen() const { return seen_; }

private:
  int seen_ = 3;
  IKRA_OBJECT
};

int main() {
  const auto places = ikra::pnew(5, [](std::int64_t i) { return Vec(float(i), 1); });
  std::printf("%g\n", double(places.pmap([](Vec a) { return (a + Vec(1, 2)).dot(a); }).sum()));
  World world;
  world.age();
  world.age();
  std::printf("%d\n", world.total());
  std::vector<Animal<int>> some(4);
  std::vector<Animal<float>> others(4);
  std::vector<Open> open(2);
  std::vector<Own> own(2);
  for (int i = 0; i < 3; ++i) {
    ikra::objects(some).peach([](Animal<int>& a) { a.step(); });
    ikra::objects(others).peach([](Animal<float>& a) { a.step(); });
    ikra::objects(open).peach([](Open& o) { o.n += 2; });
  }
  std::printf("%d %g %d %d\n", some[2].weight(), double(others[1].weight()), open[1].n,
              ikra::objects(own).pmap([](const Own& o) { return o.seen(); }).sum());
}

//--- plant.hpp
#pragma once
class Plant {
  int n_ = 1;

public:
  void step() { ++n_; }
};

//--- plants.cpp
#include <ikra/ikra.hpp>
#include <vector>
// What the command line includes stays as it is.
// CHECK: plant.hpp:6:{{[0-9]+}}: error: 'n_' is not public: write IKRA_OBJECT into the body of class 'Plant'
void grow(std::vector<Plant>& plants) {
  ikra::objects(plants).peach([](Plant& p) { p.step(); });
}
