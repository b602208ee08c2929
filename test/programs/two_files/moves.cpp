// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model.hpp"

namespace {

class Hidden final : public Cell {
  IKRA_OBJECT

public:
  int kind() const override { return 4; }
  int steps = 0;
};

} // namespace

// Writes x and y, which the main file reads side by side.
void move(const ikra::array<Cell*>& cells, float factor) {
  cells.peach([factor](Cell* c) {
    c->x += c->a * factor;
    c->y = c->x - c->y * 0.5f;
    c->past[1] = c->past[0];
    c->past[0] = c->x;
    ++c->moved;
    if (auto* sink = dynamic_cast<Sink*>(c))
      sink->swallowed += static_cast<double>(c->x);
  });
}

// Writes references, which the main file follows.
void follow(const ikra::array<Cell*>& cells) {
  cells.peach([](Cell* c) {
    if (c->leader != nullptr && c->leader->moved % 2 == 1)
      c->leader = c->leader->right;
  });
}

int kinds_of_leaders(const ikra::array<Cell*>& cells) {
  return cells
      .pmap([](const Cell* c) {
        return c->leader == nullptr ? 0 : 100 * c->leader->kind() + c->kind();
      })
      .sum();
}

void mark(const ikra::array<Cell*>& cells, Cell* leader) {
  cells.peach([leader](Cell* c) {
    if (c->kind() == 2)
      c->leader = leader;
  });
}

std::unique_ptr<Cell> made_elsewhere() { return std::make_unique<Hidden>(); }
