// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ticks: each is a section of its own, which sees what all elements wrote in the ticks before.
// Double buffering, atomics, the tick as an argument, sections over values that write through
// pointers.

#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <iostream>
#include <vector>

namespace {

struct Cell {
  std::array<int, 2> value{};
  std::vector<double> heat{0, 0};
  std::vector<Cell*> around;
  int now = 0;
  int count = 0;
  std::int64_t born = 0;

  void live(std::int64_t tick) {
    const auto from = static_cast<std::size_t>(tick % 2),
               to = static_cast<std::size_t>(1 - tick % 2);
    int sum = 0;
    double warm = 0;
    for (const Cell* c : around) {
      sum += c->value[from];
      warm += c->heat[from];
    }
    value[to] = sum == 3 || (sum == 2 && value[from] == 1) ? 1 : 0;
    heat[to] = heat[from] * 0.5 + warm * 0.0625;
    if (value[to] > value[from])
      born += tick;
  }
  void swap_buffers() {
    int sum = 0;
    for (const Cell* c : around)
      sum += c->value[static_cast<std::size_t>(now)];
    value[static_cast<std::size_t>(1 - now)] = (sum * 7 + 1) % 5;
    now = 1 - now;
  }
};

struct Narrow {
  unsigned char a = 250;
  signed char b = 3;
  std::int16_t c = -5;
  std::uint16_t d = 0;
  bool seen = false;
  char last = 'a';
  volatile int watched = 1; // columns are no memory that others see
  const volatile long fixed = 4;
};

struct Tally {
  int hits = 0;
  unsigned largest = 0;
  int smallest = 1000;
  std::array<std::int64_t, 3> bins{};
};

struct Board {
  int last = -1;
  int exchanged = -1;
};
struct Player {
  int turn = 0;
  Board* board = nullptr;
};

// In each tick another element writes to one object.
void take_turns() {
  Board board, numbers;
  std::vector<Player> players(40);
  for (int i = 0; i < 40; ++i)
    players[static_cast<std::size_t>(i)] = {39 - i, &board};
  const auto all = ikra::objects(players);
  const ikra::array<int> countdown = ikra::pnew(40, [](std::int64_t i) { return 39 - int(i); });
  all.peach(40, [](Player* p, std::int64_t tick) {
    if (p->turn == tick)
      p->board->last = static_cast<int>(tick);
  });
  countdown.peach(40, [b = &numbers](int x, std::int64_t tick) {
    if (x == tick)
      b->last = x;
  });
  all.peach(40, [](Player* p, std::int64_t tick) {
    if (p->turn == tick)
      ikra::atomic_exchange(p->board->exchanged, static_cast<int>(tick));
  });
  std::cout << "turns: " << board.last << ' ' << numbers.last << ' ' << board.exchanged << '\n';
}

} // namespace

int main() {
  take_turns();
  constexpr int side = 16;
  std::vector<Cell> cells(side * side);
  std::vector<Cell*> pointers;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      Cell& c = cells[static_cast<std::size_t>(y * side + x)];
      c.value[0] = (x * 7 + y * 13) % 3 == 0;
      c.heat[0] = x * y;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (dx != 0 || dy != 0)
            c.around.push_back(&cells[static_cast<std::size_t>((y + dy + side) % side * side +
                                                               (x + dx + side) % side)]);
      pointers.push_back(&c);
    }
  const ikra::array all{pointers};
  const auto sum = [&] {
    unsigned long values = 0; // which wraps
    double heat = 0;
    for (const Cell& c : cells) {
      values = values * 3 + static_cast<unsigned long>(c.value[0] * 2 + c.value[1] +
                                                       static_cast<long>(c.born) + c.count);
      heat += c.heat[0] - c.heat[1];
    }
    std::cout << values << ' ' << heat << '\n';
  };
  all.peach(11, [](Cell* c, std::int64_t tick) { c->live(tick); });
  sum();
  all.peach(1, [](Cell* c) { c->swap_buffers(); });
  sum();
  all.peach(0, [](Cell* c) { c->count = 1000; });
  all.peach(-3, [](Cell* c) { c->count = 1000; });
  all.peach(5, [](Cell* c, std::int64_t tick) { c->count += static_cast<int>(tick * tick); });
  all.peach(5, [](Cell* c) {
    if (c->value[0] > 0)
      return;
    c->count *= 3;
  });
  sum();

  Tally tally;
  Tally* const t = &tally;
  all.with_index().peach([t](Cell* c, std::int64_t i) {
    ikra::atomic_add(t->hits, c->value[0]);
    ikra::atomic_max(t->largest, static_cast<unsigned>(i));
    ikra::atomic_min(t->smallest, c->count);
    ikra::atomic_add(t->bins[static_cast<std::size_t>(i % 3)], i);
  });
  ikra::array{std::vector<int>{5, 6, 7}}.peach(2, [t](int x) { ikra::atomic_add(t->hits, x); });
  std::cout << tally.hits << ' ' << tally.largest << ' ' << tally.smallest;
  for (const std::int64_t b : tally.bins)
    std::cout << ' ' << b;
  std::cout << '\n';

  // Of one and two bytes, beside each other.
  std::vector<Narrow> narrow(3);
  const ikra::array several = ikra::objects(narrow);
  const ikra::array<int> numbers = ikra::pnew(1000, [](std::int64_t i) { return int(i); });
  for (Narrow& each : narrow)
    numbers.peach([n = &each](int x) {
      ikra::atomic_add(n->a, static_cast<unsigned char>(x));
      ikra::atomic_min(n->b, static_cast<signed char>(x % 100 - 50));
      ikra::atomic_add(n->c, static_cast<std::int16_t>(-x));
      ikra::atomic_max(n->d, static_cast<std::uint16_t>(x * 70));
      ikra::atomic_exchange(n->seen, true);
      ikra::atomic_compare_exchange(n->last, 'a', 'z');
    });
  several.peach(2, [](Narrow* n) { n->watched = n->watched * 3 + static_cast<int>(n->fixed); });
  for (const Narrow& n : narrow)
    std::cout << int(n.a) << ' ' << int(n.b) << ' ' << n.c << ' ' << n.d << ' ' << n.seen << n.last
              << ' ' << n.watched << '\n';
}
