// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model.hpp"

#include <cstdio>

namespace {

struct Ring {
  std::vector<std::unique_ptr<Cell>> owners;
  Cells cells;

  void add(std::unique_ptr<Cell> cell) {
    cells.push_back(cell.get());
    owners.push_back(std::move(cell));
  }
  void connect() {
    const std::size_t n = cells.size();
    for (std::size_t i = 0; i < n; ++i) {
      cells[i]->left = cells[(i + n - 1) % n];
      cells[i]->right = cells[(i * 7 + 1) % n];
      cells[i]->leader = i % 3 == 0 ? nullptr : cells[(i * 5 + 2) % n];
      cells[i]->x = static_cast<float>(i % 11);
      cells[i]->y = static_cast<float>(i % 7);
    }
  }
};

Ring ring(int n) {
  Ring made;
  for (int i = 0; i < n; ++i)
    if (i % 4 == 1)
      made.add(std::make_unique<Source>(static_cast<float>(i % 3)));
    else if (i % 4 == 2)
      made.add(std::make_unique<Sink>());
    else
      made.add(std::make_unique<Cell>());
  made.connect();
  return made;
}

// Reads x and y of others side by side, and writes neither.
void look(const ikra::array<Cell*>& cells) {
  cells.peach([](Cell* c) {
    float sum = 0;
    if (c->left != nullptr)
      sum += c->left->x - c->left->y;
    if (c->right != nullptr)
      sum += c->right->x * 0.5f + c->right->y;
    c->a = sum * 0.25f;
    c->seen += c->kind();
    if (const auto* source = dynamic_cast<const Source*>(c))
      c->b += source->strength;
  });
}

void print(const char* what, const Cells& cells) {
  double sum = 0, swallowed = 0;
  long long numbers = 0, leaders = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& c = *cells[i];
    sum += static_cast<double>(c.a) + c.b * 3.0 + c.x * 5.0 + c.y * 7.0 + c.past[1];
    numbers += c.seen * 3 + c.moved;
    for (std::size_t k = 0; k < cells.size(); ++k)
      if (c.leader == cells[k])
        leaders += static_cast<long long>(i * (k + 1));
    if (const auto* sink = dynamic_cast<const Sink*>(&c))
      swallowed += sink->swallowed;
  }
  std::printf("%s: %.9g %lld %lld %.9g\n", what, sum, numbers, leaders, swallowed);
}

void both(const char* what, Ring& of, int ticks) {
  const ikra::array<Cell*> cells{of.cells};
  {
    ikra::resident scope{cells};
    for (int t = 0; t < ticks; ++t) {
      look(cells);
      move(cells, 0.5f);
      if (t % 2 == 1)
        follow(cells);
    }
    std::printf("%d\n", kinds_of_leaders(cells));
    scope.sync();
    print(what, of.cells);
    look(cells);
    look(cells);
    move(cells, 0.25f);
  }
  print(what, of.cells);
}

void with_host(Ring& of) {
  const ikra::array<Cell*> cells{of.cells};
  ikra::resident scope{cells};
  for (int t = 0; t < 6; ++t) {
    look(cells);
    if (t == 1) { // the other file's members are ahead
      of.cells[3]->b = 100;
      scope.changed();
    }
    move(cells, 0.5f);
    if (t == 2) {
      scope.sync();
      of.cells[5]->x = 17; // of which this file's sections have a copy
      of.cells[6]->leader = of.cells[0];
      scope.changed();
    }
    if (t == 3) {
      scope.sync();
      of.cells[9]->y = 3;
      of.cells[9]->a = 4;
      scope.changed(of.cells[9]);
    }
    look(cells);
    if (t == 4)
      mark(cells, of.cells[t]);
    follow(cells);
  }
  scope.sync();
  print("with changes by the host", of.cells);
}

void two_scopes(Ring& one, Ring& other) {
  const ikra::array<Cell*> first{one.cells}, second{other.cells};
  ikra::resident outer{first};
  look(first);
  {
    ikra::resident inner{second, first};
    move(second, 0.5f);
    look(first);
    look(second);
    move(first, 0.5f);
  }
  print("inner scope", other.cells);
  move(first, 0.5f);
  look(first);
  const Cells some(one.cells.begin() + 2, one.cells.begin() + 9);
  const ikra::array<Cell*> few{some};
  move(few, 0.125f);
  look(first);
  outer.sync();
  print("outer scope", one.cells);
}

} // namespace

int main() {
  Ring large = ring(300), small = ring(33);
  both("the other file first knows no more", large, 5);
  both("again", small, 3);
  with_host(large);
  two_scopes(large, small);
  // This file does not know one class, and has a graph of its own then.
  Ring strange = ring(50);
  strange.add(made_elsewhere());
  strange.connect();
  both("with a class of the other file", strange, 4);
  with_host(strange);
  // Only reached, not an element.
  Ring reached = ring(40);
  const std::unique_ptr<Cell> apart = made_elsewhere();
  reached.cells[7]->leader = apart.get();
  {
    const ikra::array<Cell*> cells{reached.cells};
    ikra::resident scope{cells};
    look(cells);
    move(cells, 0.5f);
    look(cells);
    std::printf("%d\n", kinds_of_leaders(cells));
    follow(cells);
    look(cells);
    move(cells, 0.5f);
  }
  print("reached", reached.cells);
  return 0;
}
