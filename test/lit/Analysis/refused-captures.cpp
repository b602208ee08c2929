// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections may not capture or write, and what cannot be a section, each at its line. What the plain library can run
// is a warning.
//
// RUN: not %ikrac -o - %s -- %ikra_flags 2> %t.all >/dev/null
// RUN: grep -E "(error|warning):" %t.all | sort -t: -k2,2n > %t
// RUN: FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: < %t
#include <ikra/ikra.hpp>

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

struct Node {
  int value = 0;
};
struct Adder {
  int by;
  int operator()(int x) const { return x + by; }
};
struct Twice {
  int operator()(int x) const { return 2 * x; }
};

struct Part {
  int size = 0;
};
struct Car {
  int size = 0;
  std::vector<Part> parts;
};
void of_cars(std::vector<Car>& cars) {
  Part sum;
  // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} error: 'sum' is captured; {{.*}} or capture a pointer to the object: [p = &sum], and ikra::atomic_add(p->…) [ikra-write-capture]
  ikra::objects(cars).peach([&sum](Car* c) { ikra::atomic_add(sum.size, c->parts[0].size); });
}

struct City {
  int k = 3;
  std::vector<Node*> nodes;
  void step(const ikra::array<int>& a) {
    // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} error: a lazy operation may not capture 'this'{{.*}}[ikra-capture-this]
    a.pmap([this](int x) { return x + k; });
    a.pmap([k = k](int x) { return x + k; });
    ikra::array{nodes}.peach([this](Node* n) { n->value = k; });
  }
};

void in_template(const auto& a, auto k) {
  [](int k) { return k; }(1);
  // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} warning: section inside a template{{.*}}[ikra-section-in-template]
  a.pmap([](int x) { return x; });
}

void sections(const ikra::array<int>& a, const ikra::array<Node*>& nodes) {
  int k = 1;
  int table[3][2] = {{1, 2}, {3, 4}, {5, 6}};
  const std::string text = "text";
  // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} error: 'k' is captured by reference, but sections may run later{{.*}}[ikra-capture-by-reference]
  a.pmap([&k](int x) { return x + k; });
  // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} error: 'k' is captured by reference, but sections may run later{{.*}}[ikra-capture-by-reference]
  a.pmap([&](int x) { return x + k; });
  a.pmap([k](int x) { return x + k; });
  nodes.peach([&k](Node* n) { n->value = k; });
  // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} error: 'k' is captured; a section may not write captured values{{.*}}[ikra-write-capture]
  nodes.peach([&k](Node* n) { k = n->value; });
  const std::deque<int> queue;
  // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} error: 'queue' of type '{{.*}}deque<int>' cannot be captured{{.*}}; use a std::vector [ikra-capture-type]
  nodes.peach([&queue](Node* n) { n->value = queue[0]; });
  // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} warning: 'table' of type 'int[3][2]' cannot be captured{{.*}}; make it a std::array of std::arrays, or an ikra::array<T, 2> [ikra-capture-type]
  a.pmap([=](int x) { return table[x][0]; });
  // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} error: 'text' of type '{{.*}}string' cannot be captured{{.*}}; capture its characters as a std::vector<char> [ikra-capture-type]
  a.pmap([text](int x) { return x; });
  a.pmap(Adder{3});
  a.pmap(Twice{});
  const auto named = [k = ++k](int x) { return x + k; };
  const auto bare = [](int x) { return x; };
  // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} warning: what this lambda captures has to be seen at the call of 'pmap'{{.*}}[ikra-section-captures-elsewhere]
  a.pmap(named);
  a.pmap(bare);
  in_template(a, 1);
  a.pmap([](int x) { return std::tuple<int, int>(x, x); });
  a.pmap([](int x) { return std::optional<int>(x); });
  // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} error: section returns 'std::vector<int>'{{.*}}[ikra-section-result]
  a.pmap([](int x) { return std::vector<int>(3, x); });
  std::vector<int> many(3);
  const std::span<int> part(many);
  // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} error: 'part' of type 'std::span<int>' cannot be captured{{.*}}; to read it, capture an array of it: ikra::adopt(span, ikra::borrowed) [ikra-capture-type]
  ikra::array<Node*>{}.peach([&part](Node* n) { part[0] = n->value; });
  const auto column = ikra::pnew(3, [](std::int64_t i) { return Adder{static_cast<int>(i)}; }).column<&Adder::by>();
  // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} error: 'column' of type '{{.*}}column_view<{{.*}}' cannot be captured{{.*}}; capture the array itself, or one of the members: a.pmap(&T::member) [ikra-capture-type]
  a.pmap([column](int x) { return column[x]; });
  const int* first = many.data();
  // CHECK: refused-captures.cpp:[[@LINE+1]]:{{.*}} error: 'first' of type 'const int *' cannot be captured{{.*}}; to read what it points to, capture an array of it: ikra::adopt(std::span(pointer, n), ikra::borrowed) [ikra-capture-type]
  a.pmap([first](int x) { return first[x]; });
}
