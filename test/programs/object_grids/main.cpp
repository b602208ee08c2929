// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built-in arrays of built-in arrays, of pointers to objects and of objects, as members.
#include <cstddef>
#include <cstdio>
#include <ikra/ikra.hpp>
#include <vector>

struct Cell {
  int value = 1, sum = 0;
  Cell* around[2][3] = {};
  float table[2][2] = {{1, 2}, {3, 4}};
  IKRA_OBJECT
  int at(int i, int j) const { return around[i][j]->value; }
  Cell later(int by) const {
    Cell next = *this;
    next.value += by;
    return next;
  }
};

struct Board {
  Cell cells[3][3];
  std::vector<Cell*> rows[2];
  int sum = 0;
};

void pointers(std::vector<Cell>& cells) {
  const ikra::array all = ikra::objects(cells);
  all.peach([](Cell& c) {
    for (auto& row : c.around)
      for (Cell* other : row)
        if (other != nullptr && other != &c)
          c.sum += other->value;
    c.sum += c.around[0][1]->value * 100 + c.at(1, 0) * 1000;
    const auto& last = c.around[1];
    c.sum += last[1]->value * 7;
  });
  all.peach([](Cell& c) {
    Cell next = c;
    next.sum += next.around[0][2]->value;
    next.table[1][0] += 1;
    c = next;
  });
  all.peach([](Cell& c) { c = c.later(3); });
  all.peach([](Cell& c) { c.around[1][2] = c.around[0][1]; });
  const auto sums = all.pmap([](const Cell& c) {
    int sum = static_cast<int>(c.table[1][0]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        sum = sum * 3 + c.around[i][j]->value;
    return sum;
  });
  const auto chosen = all.pmap([](const Cell& c) { return c.around[1][1]; });
  std::printf("%d %d %d %d %d\n", cells[4].sum, cells[8].sum, sums[3], sums.sum(),
              chosen[2]->value);
  std::printf("%d\n", static_cast<int>(cells[5].around[1][2] - cells.data()));
}

void objects(std::vector<Cell>& cells) {
  std::vector<Board> boards(5);
  for (Board& b : boards)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        b.cells[i][j].value = i * 3 + j;
        b.cells[i][j].around[0][0] = &b.cells[(i + 1) % 3][j];
      }
  boards[1].rows[1] = {&cells[1], &cells[2]};
  ikra::resident scope{boards};
  ikra::objects(boards).peach(2, [](Board& b) {
    for (auto& row : b.cells)
      for (Cell& c : row)
        b.sum += c.value + c.around[0][0]->value;
    b.cells[1][2].value += 5;
    for (auto& row : b.rows)
      for (const Cell* c : row)
        b.sum += c->value * 50;
  });
  ikra::objects(boards).peach(
      [](Board& b) { b.sum += b.cells[1][2].around[0][0]->value * 100 + b.cells[0][2].value; });
  scope.sync();
  std::printf("%d %d %d\n", boards[1].sum, boards[4].sum, boards[2].cells[1][2].value);
}

int main() {
  std::vector<Cell> cells(9);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].value = static_cast<int>(i) + 1;
    for (std::size_t k = 0; k < 6; ++k)
      cells[i].around[k / 3][k % 3] = k == 5 ? nullptr : &cells[(i + k) % cells.size()];
  }
  pointers(cells);
  objects(cells);
}
