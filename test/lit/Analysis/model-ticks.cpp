// How ticks run: in the thread, with members in registers, or one launch each, and why.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <vector>

struct Cell {
  int value = 0;
  int seen = 0;
  int rare = 0;
  int count = 0;
  Cell* next = nullptr;
  void grow() { value += 1; }
};
inline void reset(Cell* c) { c->seen = 0; }

void sections(std::vector<Cell>& store, int k) {
  auto cells = ikra::objects(store);
  cells.peach(10, [k](Cell* c) {
    c->grow();
    reset(c);
    if (c->value > k)
      c->rare = 1;
  });
  cells.peach(10, [](Cell* c) { c->value = c->next->value; });
  cells.peach(10, [](Cell* c) { c->next->seen = c->value; });
  cells.peach(10, [](Cell* c) { c->seen = c->next->value; });
  cells.peach(10, [](Cell* c) { ikra::atomic_add(c->next->count, 1); });
  cells.peach(10, [](Cell* c) {
    ikra::atomic_add(c->next->count, 1);
    c->value = c->count;
  });
  cells.peach(10, [](Cell* c) {
    if (c != nullptr)
      c->value += 1;
  });
}
