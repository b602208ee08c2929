// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects, and sections over them in a file of their own.
#pragma once

#include <ikra/ikra.hpp>

#include <memory>
#include <vector>

struct Node {
  int x = 0;
  int y = 0;
  Node* next = nullptr;
  std::vector<int> log{0, 1};

  virtual ~Node() = default;
  virtual void increase() {
    x += 1;
    y += 10;
    for (int& entry : log)
      entry += x;
  }
};

struct Heavy : Node {
  int weight;
  explicit Heavy(int w) : weight(w) {}
  void increase() override { x += 2, y += weight; }
};

void increase_elsewhere(const ikra::array<Node*, 1>& nodes);
int increased_sum(const ikra::array<Node*, 1>& nodes);
