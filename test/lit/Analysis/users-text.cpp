// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages quote the user's text, with its lines and columns, where ikrac parses another one: local
// classes stand in front of their function there, and captured structs are their members.
//
// RUN: not %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --implicit-check-not=IKRA_OBJECT --implicit-check-not=points_x
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

struct Points {
  std::vector<float> x, y;
};

// CHECK: users-text.cpp:[[@LINE+4]]:75: error: a section may not do input or output ('printf')
// CHECK-NEXT: auto sums = ikra::pnew(10, [=](std::int64_t i) { float s = points.x[i]; std::printf("x"); return s + points.y[i]; });
float captured() {
  Points points{std::vector<float>(10), std::vector<float>(10)};
  auto sums = ikra::pnew(10, [=](std::int64_t i) { float s = points.x[i]; std::printf("x"); return s + points.y[i]; });
  return sums[0];
}

// CHECK: users-text.cpp:[[@LINE+3]]:42: error: a section may not do input or output ('printf')
// CHECK-NEXT: | struct Body { int x = 0; void step() { std::printf("%d", x); } }; // here{{$}}
void local() {
  struct Body { int x = 0; void step() { std::printf("%d", x); } }; // here
  std::vector<Body> all(4);
  ikra::objects(all).peach([](Body& b) { b.step(); });
}

// CHECK: users-text.cpp:[[@LINE+5]]:5: error: a section may not do input or output ('printf')
// CHECK: users-text.cpp:[[@LINE+7]]:45: note: called here
// CHECK-NEXT: ikra::objects(all).peach([](Lines& b) { b.step(); });
void several() {
  struct Lines { int x = 0; void step() {
    std::printf("%d", x);
  } };
  std::vector<Lines> all(4);
  ikra::objects(all).peach([](Lines& b) { b.step(); });
}
