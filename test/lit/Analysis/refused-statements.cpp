// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a section may not do, each at the offending line; what the plain library can do is a warning. What stands between is allowed, and says nothing.
//
// RUN: not %ikrac -o - %s -- %ikra_flags -ferror-limit=0 2> %t.all >/dev/null
// RUN: grep -E "(error|warning):" %t.all | sort -t: -k2,2n > %t
// RUN: FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: < %t
#include <ikra/ikra.hpp>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

struct Node {
  Node* next = nullptr;
  std::vector<int> list;
  int value = 0;
  int sum() const { return value; }
};

int hidden(int x);
int visible(int x) { return x + 1; }
int variadic(int x, ...) { return x; }
int bounded(int x) {
  while (x > 10)
    x /= 2;
  return x;
}
int changing = 0;
const int fixed = 3;
std::vector<int> growing;
const std::vector<int> list{1, 2};
const int large[300] = {visible(1)};

void sections(const ikra::array<int>& a, const ikra::array<Node*>& nodes) {
  a.pmap([](int x) {
    // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: a section may not do input or output ('printf'){{.*}}[ikra-io]
    std::printf("%d", x);
    // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: a section may not do input or output ('operator<<'){{.*}}[ikra-io]
    std::cout << x;
    return x;
  });
  a.pmap([](int x) {
    if (x < 0)
      // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: a section may not throw{{.*}}[ikra-throws]
      throw x;
    // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: a section may not catch exceptions{{.*}}[ikra-try-block]
    try {
    } catch (...) {
    }
    return x;
  });
  a.pmap([](int x) {
    // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: strings cannot be used in a section{{.*}}[ikra-string-type]
    std::string text;
    char letter = 'a';
    return x + letter;
  });
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: the body of 'hidden' is not visible here{{.*}}[ikra-no-body]
  a.pmap([](int x) { return hidden(x); });
  a.pmap([](int x) { return visible(x) + bounded(x); });
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: functions with variable arguments ('variadic'){{.*}}[ikra-variadic]
  a.pmap([](int x) { return variadic(x, 1); });
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: a section may not allocate or free objects{{.*}}[ikra-new-delete]
  nodes.peach([](Node* n) { delete n; });
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: 'push_back' changes the size of a container{{.*}}[ikra-growing-container]
  nodes.peach([](Node* n) { n->list.push_back(1); });
  nodes.peach([](Node* n) { n->list[0] = static_cast<int>(n->list.size()) + n->list.front(); });
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: 'capacity' of '{{.*}}' cannot be used in a section{{.*}}[ikra-member-function]
  nodes.peach([](Node* n) { n->value = static_cast<int>(n->list.capacity()); });
  a.pmap([](int x) {
    // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: static variable 'calls' in a section{{.*}}[ikra-static-local]
    static int calls = 0;
    static const int step = 4;
    return x + step;
  });
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: 'changing' may have changed when the section runs; capture a copy, [changing = changing], or declare it const [ikra-global-variable]
  a.pmap([](int x) { return x + changing + fixed; });
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: 'growing' may have changed when the section runs; capture a copy, [growing = growing], or declare it const [ikra-global-variable]
  a.pmap([](int x) { return x + growing[0]; });
  static int outer = 3;
  static std::vector<int> grown;
  static Node first;
  static const int known = 3, rows[2] = {1, 2};
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: 'outer' is a static variable of a function, which emitted code cannot name; capture a copy, [outer = outer] [ikra-global-variable]
  nodes.peach([](Node* n) { n->value += outer; });
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: 'grown' is a static variable of a function{{.*}}; capture a copy, [grown = grown] [ikra-global-variable]
  nodes.peach([](Node* n) { n->value += grown[0]; });
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: 'first' is a static variable of a function{{.*}}; capture a reference, [&first = first], or a copy, [first = first] [ikra-global-variable]
  nodes.peach([](Node* n) { n->value += first.value; });
  nodes.peach([outer = outer, grown = grown, &first = first](Node* n) { n->value += outer + grown[0] + first.value + known + rows[1]; });
  a.pmap([](int x) { return x + list[0]; });
  a.pmap([list = list](int x) { return x + list[0]; });
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: 'large' is larger than 1,024 bytes, {{.*}}; make it a std::array, and capture a copy, [large = large] [ikra-global-variable]
  a.pmap([](int x) { return x + large[x]; });
  a.pmap([](int x) {
    // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: a section may not contain inline assembly{{.*}}[ikra-inline-asm]
    asm("");
    // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} error: a section may not contain goto{{.*}}[ikra-goto-statement]
    goto end;
  end:
    return x;
  });
  a.pmap([](int x) {
    // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} warning: a lambda inside of a section that is generic and mutable{{.*}}[ikra-lambda-inside]
    return [x](auto y) mutable { return x += y; }(1);
  });
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} warning: '{{.*}}rand' cannot be called{{.*}}[ikra-system-function]
  a.pmap([](int x) { return x + std::rand(); });
  a.pmap([](int x) { return std::sqrt(static_cast<double>(x)); });
  static constexpr int limit = 3;
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} warning: the address of a constant cannot be taken{{.*}}[ikra-address-of]
  a.pmap([](int x) { return &limit != nullptr && x != 0; });
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} warning: type 'long double' cannot be used in a section{{.*}}[ikra-unsupported-type]
  a.pmap([](int x) { return static_cast<int>(x * 1.5L); });
  // CHECK: refused-statements.cpp:[[@LINE+1]]:{{.*}} warning: an object of class 'Node' is copied in a section{{.*}}[ikra-object-by-value]
  nodes.pmap([](const Node* n) { Node copy = *n; const Node* p = &copy; return p->value; });
  nodes.pmap([](const Node* n) { const Node& same = *n; return same.sum(); });
}
