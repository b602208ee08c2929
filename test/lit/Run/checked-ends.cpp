// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked build finds front() and back() of empty containers, as it finds an index outside.
//
// RUN: %ikrac --check -o %t.cu %s -- %ikra_flags
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu | FileCheck %s
// RUN: env IKRA_SCOPES=always %t.cpu | FileCheck %s
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

struct Street {
  int last = 0;
  std::vector<int> lanes;
  std::vector<Street*> next;
  std::array<int, 3> lengths{1, 2, 3};
};

template <class Action> void attempt(const char* what, Action action) {
  try {
    action();
    std::printf("%s: right\n", what);
  } catch (const ikra::error& e) {
    std::printf("%s: %d %s\n", what, e.kind() == ikra::error_kind::failed_check, e.what());
  }
}

int main() {
  std::vector<Street> streets(9);
  const auto all = ikra::objects(streets);
  for (Street& s : streets)
    s.lanes = {4, 5};
  streets[7].lanes.clear();
  const auto both = [&](const char* back, const char* front) {
    attempt(back, [&] { all.peach([](Street* s) { s->last += s->lanes.back(); }); });
    attempt(front, [&] { all.peach([](Street* s) { s->last += s->lanes.front(); }); });
  };
  // CHECK: back: 1 section {{.*}} an index was outside of its container at {{.*}}checked-ends.cpp:[[#@LINE-3]]:{{.*}} in element 7 of the array, of class Street
  // CHECK-NEXT: front: 1 {{.*}} in element 7
  both("back", "front");
  {
    const ikra::resident scope{streets};
    // CHECK-NEXT: back, in a scope: 1 {{.*}} in element 7
    // CHECK-NEXT: front, in a scope: 1 {{.*}} in element 7
    both("back, in a scope", "front, in a scope");
    // CHECK-NEXT: written: 1 {{.*}} in element 7
    attempt("written", [&] { all.peach([](Street* s) { s->lanes.back() = 3; }); });
    // CHECK-NEXT: pointers: 1 {{.*}} in element 0
    attempt("pointers", [&] { all.peach([](Street* s) { s->last += s->next.front()->last; }); });
    // CHECK-NEXT: array: right
    attempt("array", [&] { all.peach([](Street* s) { s->last += s->lengths.back(); }); });
  }
  const std::vector<int> none;
  const std::vector<std::vector<int>> nested(2);
  const auto sum = [](const auto& of) { std::printf("sum %d\n", of.sum()); };
  // CHECK-NEXT: captured: 1 {{.*}} in element 0
  attempt("captured",
          [&] { sum(ikra::pnew(5, [none](std::int64_t i) { return none.back() + int(i); })); });
  // CHECK-NEXT: nested: 1 {{.*}} in element 0
  attempt("nested", [&] {
    sum(ikra::pnew(5, [nested](std::int64_t i) { return nested.front().back() + int(i); }));
  });
  // CHECK-NEXT: span: 1 {{.*}} in element 0
  attempt("span", [&] {
    sum(ikra::pnew(5, [none](std::int64_t i) {
      const std::span<const int> some(none);
      return some.front() + int(i);
    }));
  });
  // CHECK-NEXT: sum 40
  // CHECK-NEXT: local: right
  attempt("local", [&] {
    sum(ikra::pnew(5, [](std::int64_t i) {
      std::array<int, 3> three{1, 2, 3};
      three.back() = 5;
      return three.front() + three.back() + int(i);
    }));
  });
}
