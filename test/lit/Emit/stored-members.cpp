// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a peach stores members that it holds in registers: without a comparison where every run writes them.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// RUN: %emitted %t.cu | FileCheck %s
// RUN: %build_plain %s -o %t.plain && %t.plain > %t.plain.txt
// RUN: %build_cpu %t.cu -o %t.cpu && env IKRA_REORDER=always %t.cpu > %t.cpu.txt
// RUN: diff %t.plain.txt %t.cpu.txt
#include <ikra/ikra.hpp>

#include <cstdio>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual void step() = 0;
  float x = 1;
  int turns = 3;
};
struct Ball final : Shape {
  void step() override { x *= 1.5F; }
};
struct Door final : Shape {
  void step() override {
    if (turns > 1)
      --turns;
    if (turns == 2)
      return;
    x = float(turns);
  }
};

// What the program has in an assignment is done where it assigns, and not where a member is stored.
struct Counted {
  Counted() = default;
  Counted(const Counted&) = default;
  Counted& operator=(const Counted& other) {
    times = other.times + 1;
    return *this;
  }
  int times = 0;
};
struct Reading {
  Counted count; // the compiler writes the assignment
};
struct Meter {
  Reading now, then;
};

int main() {
  std::vector<Ball> balls(20);
  std::vector<Door> doors(20);
  std::vector<Shape*> shapes;
  for (int i = 0; i < 20; ++i) {
    shapes.push_back(&balls[i]);
    shapes.push_back(&doors[i]);
    doors[i].turns = i % 4;
  }
  for (int i = 0; i < 2; ++i)
    ikra::array{shapes}.peach([](Shape* s) { s->step(); });
  // CHECK: void operator()(Ball_class, ikra::object_id id) const {
  // CHECK: ikra::store_written(w.Shape_x[id], element.x, before_x);
  // CHECK: void operator()(Door_class, ikra::object_id id) const {
  // CHECK: ikra::store_changed(w.Shape_turns[id], element.turns, before_turns);
  // CHECK-NOT: store_
  ikra::array{shapes}.peach([](Shape* s) {
    s->x += 1;
    s->turns = s->x > 4 ? s->turns : 0;
  });
  // CHECK: ikra::store_written(w.Shape_x[id], element.x, before_x);
  // CHECK-NEXT: ikra::store_written(w.Shape_turns[id], element.turns, before_turns);
  ikra::objects(doors).peach([](Door& d) { d.turns > 2 || (d.turns += 5); });
  // CHECK: ikra::store_changed(w.Shape_turns[id], element.turns, before_turns);
  std::vector<Meter> meters(9);
  // CHECK: Reading_operator_of(m.now, m.then);
  ikra::objects(meters).peach([](Meter& m) { m.now = m.then; });
  for (const Meter& m : meters)
    std::printf("%d ", m.now.count.times);
  for (Shape* s : shapes)
    std::printf("%g %d ", double(s->x), s->turns);
}
