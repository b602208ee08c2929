// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector that moves its objects before what sections wrote to them was brought back: nobody can
// tell what belongs to which, so that is an error. Nothing is written where they were.
//
// RUN: %ikrac -o %t.cu %s -- %ikra_flags
// Columns are kept, where scopes would rest (docs/runtime.md) and leave objects to the host.
// RUN: %build_cpu %t.cu -o %t.cpu && env IKRA_REORDER=always %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

struct Point {
  int x = 0;
};

template <class Action> void attempt(Action action) {
  try {
    action();
    std::printf("taken\n");
  } catch (const ikra::error& refused) {
    std::printf("%s\n", refused.what());
  }
}

int main() {
  std::vector<Point> points(3);
  const auto move = [&] { points.reserve(points.capacity() + 1); };
  const auto increase = [&] { ikra::objects(points).peach([](Point* p) { p->x += 1; }); };
  ikra::resident scope{points};
  increase();
  move();
  // CHECK: call sync() on the scope before the host adds, moves or exchanges objects
  attempt([&] { scope.changed(points); });
  // CHECK-NEXT: taken
  attempt([&] { scope.sync(); });
  increase();
  move();
  // CHECK-NEXT: call sync() on the scope before
  attempt([&] { scope.sync(); });
  increase();
  scope.sync();
  move();
  // CHECK-NEXT: taken
  attempt([&] { scope.changed(points); });
  increase();
  scope.sync();
  // CHECK-NEXT: 2
  std::printf("%d\n", points[1].x);

  std::vector<std::unique_ptr<Point>> owners;
  for (int i = 0; i < 3; ++i)
    owners.push_back(std::make_unique<Point>());
  attempt([&] {
    ikra::resident other{owners};
    ikra::array{owners}.peach([](Point* p) { p->x += 1; });
    std::swap(owners[0], owners[1]);
    // CHECK-NEXT: call sync() on the scope before
  });
  // CHECK-NEXT: 1 1 1
  std::printf("%d %d %d\n", owners[0]->x, owners[1]->x, owners[2]->x);
}
