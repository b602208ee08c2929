// Sections: where they stand, over what, with which captures and which input; generic lambdas and named functions.
//
// RUN: %ikrac --print=model %s -- %ikra_flags | FileCheck %s
#include <ikra/ikra.hpp>

#include <vector>

enum class Mode { slow, fast };
struct Cell {
  float value = 0;
  Cell* next = nullptr;
};
inline float half(float x) { return x / 2; }

void named(std::vector<Cell>& store, std::vector<int> row, Mode mode, Cell& other) {
  auto cells = ikra::objects(store);
  auto values = cells.pmap([](const Cell* c) { return c->value; });
  auto halves = values.pmap(half);
  halves.pmap([row, mode](auto x) { return mode == Mode::fast ? x : static_cast<float>(row[0]); });
  values.with_index().pmap([](float x, ikra::index<1> i) { return x + static_cast<float>(i[0]); });
  cells.peach([to = &other](Cell* c) { c->next = to; });
}
struct Runner {
  int k = 1;
  void run(const ikra::array<int>& numbers) {
    numbers.preduce([](int a, int b) { return a + b; });
    numbers.pselect([](int a) { return a > 0; });
  }
};
