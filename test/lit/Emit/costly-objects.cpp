// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections over objects say that they have loops: all cores share few objects that take long. A loop over what an object
// holds may have many turns.
//
// RUN: %ikrac -o %t.ikra.cu %s -- %ikra_flags
// RUN: FileCheck %s --input-file=%t.ikra.cu
// RUN: %build_cpu %t.ikra.cu -o %t.cpu && %t.cpu | FileCheck %s --check-prefix=OUT
#include <ikra/ikra.hpp>

#include <array>
#include <cstdio>
#include <vector>

struct Node {
  int value = 1, steps = 0;
  std::vector<Node*> next;
  std::array<int, 3> few{1, 2, 3};
  void gather() {
    int sum = 0;
    for (const Node* n : next)
      sum += n->value;
    steps += sum;
  }
  void halve() {
    while (value > 10)
      value /= 2;
  }
  void one() { ++value; }
};

int main() {
  std::vector<Node> nodes(300);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].value = static_cast<int>(i);
    for (std::size_t k = 0; k < i; ++k)
      nodes[i].next.push_back(&nodes[k]);
  }
  ikra::resident scope{nodes};
  const ikra::array all = ikra::objects(nodes);
  all.peach(&Node::gather);
  all.peach(&Node::halve);
  all.peach(&Node::one);
  std::printf("%d\n", all.pmap([](const Node* n) {
                           int sum = n->steps;
                           for (int k = 0; k < n->value; ++k)
                             sum ^= k;
                           return sum;
                         })
                          .sum());
}

// CHECK: {{^}}namespace main_0_device {
// CHECK: {{^}}struct body {
// CHECK-NEXT: {{^}}  columns_view w;
// CHECK-NEXT: {{^}}  static constexpr bool repeats = true;
// CHECK: {{^}}namespace main_1_device {
// CHECK: {{^}}  static constexpr bool diverges = true;
// CHECK: {{^}}namespace main_2_device {
// CHECK-NOT: {{^}}  static constexpr bool
// CHECK: {{^}}namespace main_3_device {
// CHECK: {{^}}  static constexpr bool diverges = true;

// OUT: 4455117
