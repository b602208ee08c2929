// Functions that call themselves, at once or through others.
//
// RUN: split-file %s %t
// RUN: not %ikrac -o %t.cu %t/direct.cpp -- %ikra_flags 2>&1 | FileCheck %t/direct.cpp
// RUN: not %ikrac -o %t.cu %t/mutual.cpp -- %ikra_flags 2>&1 | FileCheck %t/mutual.cpp
// RUN: not %ikrac -o %t.cu %t/method.cpp -- %ikra_flags 2>&1 | FileCheck %t/method.cpp

//--- direct.cpp
#include <ikra/ikra.hpp>
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
// CHECK: direct.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'factorial' calls itself: recursion without a bound that ikrac can see; write a loop
auto results(ikra::array<int> input) {
  return input.pmap([](int x) { return factorial(x); });
}

//--- mutual.cpp
#include <ikra/ikra.hpp>
bool odd(int n);
bool even(int n) { return n == 0 ? true : odd(n - 1); }
bool odd(int n) { return n == 0 ? false : even(n - 1); }
// CHECK: mutual.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'even' calls itself through other functions: recursion without a bound that ikrac can see; write a loop
auto results(ikra::array<int> input) {
  return input.pmap([](int x) { return even(x); });
}

//--- method.cpp
#include <ikra/ikra.hpp>
struct Node {
  int value = 0;
  Node* next = nullptr;
  virtual ~Node() = default;
  virtual int total() const { return value + (next ? next->total() : 0); }
  // CHECK: method.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'Node::total' calls itself: recursion without a bound that ikrac can see; write a loop
};
Node first;
auto results(ikra::array<Node*> nodes) {
  return nodes.pmap([](const Node* n) { return n->total(); });
}
