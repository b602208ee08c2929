// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captures and functions called as the emitted struct of a section calls its own members.

#include <ikra/ikra.hpp>

#include <iostream>
#include <vector>

struct cell {
  float f[3];
};
struct car {
  int at = 0;
  car* next = nullptr;
};

template <class T> void show(const char* name, const ikra::array<T>& a) {
  std::cout << name << ':';
  for (const T e : a)
    std::cout << ' ' << e;
  std::cout << '\n';
}

// Functions of the program, which members must not hide.
namespace functions {
int code(int x) { return x + 1; }
int body(int x) { return x + 2; }
int ticks(int x) { return x + 3; }
int diverges(int x) { return x + 4; }
int adds(int x) { return x + 5; }
int side_by_side(int x) { return x + 6; }
int compute_lanes(int x) { return x + 7; }
int set_ticks(int x) { return x + 8; }
int name_index(int x) { return x + 9; }
int operations(int x) { return code(x) + body(x) + ticks(x) + diverges(x) + adds(x); }
} // namespace functions
int code(int x) { return x * 2; }
int tick(int x) { return x * 3; }
int here(int x) { return x * 5; }

int main() {
  const ikra::array<int> few{std::vector<int>{1, 2, 3, 4}};
  const int n = few[1];
  const int body = n, code = n + 1, here = n + 2, index = n + 3, tick = n + 4, ticks = n + 5,
            first_tick = n + 6, diverges = n + 7, repeats = n + 8, reads_members_once = n + 9,
            adds = n + 10, lanes = n + 11, is_in_tiles = n + 12, side_by_side = n + 13,
            compute_lanes = n + 14, compute_in_tiles = n + 15, longest_in_tiles = n + 16,
            element = n + 17, element_0 = n + 18, columns_view = n + 19, set_ticks = n + 20,
            name_index = n + 21, self = n + 22, results = n + 23, lane = n + 24, first = n + 25,
            end = n + 26, of = n + 27;
  const auto all = [=](int x) {
    int sum = x * (body + code * here + index + tick - ticks + first_tick + diverges + repeats);
    for (int k = 0; k < x; ++k)
      sum += (reads_members_once ^ k) + adds * lanes + is_in_tiles + side_by_side;
    return sum + compute_lanes + compute_in_tiles + longest_in_tiles + element + element_0 +
           columns_view + set_ticks + name_index + self + results + lane + first * end + of;
  };
  show("values", few.pmap(all));
  show("combined", few.pcombine(few, [=](int x, int y) { return x * all(y) + body - code; }));
  show("stencil", few.pstencil({-1, 0, 1}, ikra::wrap, [=](auto v) {
    return v[-1] * body + v[0] * reads_members_once + v[1] * code - adds;
  }));
  show("divided",
       few.pmap([body](int x) { return x / body; }).pmap([body](int x) { return x % body; }));
  show("selected", few.pselect([body, adds](int x) { return x * adds > body; }));
  show("by index",
       few.reduce_by_index(
           4, [body](int x) { return x % body; }, 0, [](int x, int y) { return x + y; }));
  show("sorted", few.psort_by([body, code](int x) { return (x * body) % code; }));
  const ikra::array<cell> cells{std::vector<cell>(300)};
  show("members", cells
                      .pstencil({-1, 0, 1}, ikra::wrap,
                                [reads_members_once, body](auto v) {
                                  cell c{};
                                  c.f[0] = v[-1].f[0] + float(reads_members_once);
                                  c.f[1] = v[0].f[1] + float(body);
                                  c.f[2] = v[1].f[2];
                                  return c;
                                })
                      .slice(0, 3)
                      .pmap([](const cell& c) { return c.f[0] + c.f[1]; }));
  // Loops of which several results are computed side by side, or that read arrays in tiles.
  show("side by side", ikra::pnew(20, [few, side_by_side, compute_lanes, lanes](std::int64_t k) {
         float sum = 0;
         for (int i = 0; i < 100; ++i)
           sum += float(i + side_by_side) * float(k - lanes) + float(few[1] + compute_lanes);
         return sum;
       }));
  show("tiles",
       ikra::pnew(20, [few, is_in_tiles, compute_in_tiles, longest_in_tiles](std::int64_t k) {
         int sum = 0;
         for (const int x : few)
           sum += x * int(k) + is_in_tiles;
         return sum * compute_in_tiles + longest_in_tiles;
       }));

  std::vector<car> cars(5);
  for (car& c : cars)
    c.next = &cars[1];
  const auto moving = ikra::objects(cars);
  moving.peach(20, [body](car* c) { c->at += body; });
  moving.peach(3, [=](car* c) {
    c->at += body + code + here + index + tick + ticks + first_tick + diverges + element + adds;
  });
  moving.with_index().peach(3, [=](car* c, std::int64_t i, std::int64_t t) {
    c->at += body + code * int(i) + here * int(t) + index + tick + ticks + first_tick + element;
  });
  moving.peach(4, [code, tick](car* c) {
    for (int k = 0; k < c->at % 7; ++k)
      c->at += c->next == nullptr ? code : tick;
  });
  show("objects", moving.pmap([=](const car* c) { return c->at + all(1) + body + element; }));
  show("functions", moving.pmap([](const car* c) {
    return functions::operations(c->at) + ::code(c->at) + ::tick(c->at) + ::here(1);
  }));
  moving.peach(9, [](car* c) {
    c->at = functions::set_ticks(c->at) + functions::name_index(1) + ::tick(1) - ::code(c->at);
  });
  show("after", moving.pmap([](const car* c) {
    return functions::side_by_side(c->at) + functions::compute_lanes(2);
  }));
}
