// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nodes.hpp"

void increase_elsewhere(const ikra::array<Node*, 1>& nodes) {
  nodes.peach([](Node* p) { p->x += 3; });
}

int increased_sum(const ikra::array<Node*, 1>& nodes) {
  nodes.peach(2, [](Node* p) { p->y += p->x % 5; });
  return nodes.pmap([](const Node* p) { return p->y; }).sum();
}
