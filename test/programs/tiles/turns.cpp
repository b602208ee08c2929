// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of host sections whose turns are a stencil over its own results: a GPU does several turns
// at once, and those that are left one by one. Their number is known from scalars: odd ones, few
// ones, none; counted in the test, or by a loop around that reads a result. Two buffers that take
// turns, and a variable that keeps the turn before.
#include "print.hpp"

#include <ikra/ikra.hpp>

static ikra::array<int, 2> plane(std::int64_t rows, std::int64_t columns) {
  return ikra::pnew({rows, columns},
                    [](const ikra::index<2>& x) { return static_cast<int>(x[0] * 31 + x[1] * 7); });
}

/// A loop in a loop that reads what it gives.
static void rounds(std::int64_t rows, std::int64_t columns, int steps) {
  ikra::array<int, 2> x = plane(rows, columns);
  int sum = 1, round = 0;
  const int by = steps + 3;
  ikra::host_section([&] {
    while (sum != 0 && round < 4) {
      for (int i = 0; i < steps + round; ++i)
        x = x.pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, ikra::wrap, [by](const auto& n) {
          return (n(-1, 0) + by * n(0, -1) - n(0, 0) + 5 * n(0, 1) + n(1, 0)) & 0xffff;
        });
      sum = x.pmap([](int e) { return e % 5; }).sum();
      ++round;
    }
  });
  std::printf("%d in %d rounds of %d, ", sum, round, steps);
  print("rounds", x);
}

/// The same over a line, counted down by the test; one number outside.
static void line(std::int64_t places, int steps) {
  ikra::array<float> x =
      ikra::pnew(places, [](std::int64_t i) { return static_cast<float>(i * 31 % 101); });
  float most = 0;
  int left = steps, round = 0;
  ikra::host_section([&] {
    do {
      left = steps;
      while (left-- > 0)
        x = x.pstencil({-1, 0, 2}, 0.25f,
                       [](const auto& n) { return n[-1] * 0.25f + n[0] * 0.5f - n[2] * 0.125f; });
      most = x.preduce(ikra::max).value();
    } while (++round < 3 && most > 0.5f);
  });
  std::printf("%a after %d of %d, %d left, ", static_cast<double>(most), round, steps, left);
  print("line", x);
}

/// Two buffers that take turns, both read after the loop.
static void buffers(std::int64_t rows, std::int64_t columns, int steps) {
  ikra::array<int, 2> both[2] = {plane(rows, columns), plane(rows, columns)};
  int now = 1;
  ikra::host_section([&] {
    for (int i = 0; i < steps; ++i) {
      both[1 - now] = both[now].pstencil({{-1, 0}, {0, 0}, {0, 1}}, ikra::clamp, [](const auto& n) {
        return (3 * n(-1, 0) - n(0, 0) + 7 * n(0, 1)) & 0xffff;
      });
      now = 1 - now;
    }
  });
  print("one buffer", both[now]);
  print("the other", both[1 - now]);
}

/// The turn before is there after the loop.
static void before(std::int64_t rows, std::int64_t columns, int steps) {
  ikra::array<int, 2> x = plane(rows, columns), last = x;
  int sum = 0;
  ikra::host_section([&] {
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < steps; ++i) {
        last = x;
        x = last.pstencil({{0, -1}, {1, 0}}, ikra::keep,
                          [](const auto& n) { return (n(0, -1) + 3 * n(1, 0)) & 0xffff; });
      }
      sum += x.pcombine(last, [](int a, int b) { return a - b; }).preduce(ikra::max).value();
    }
  });
  std::printf("%d of %d, ", sum, steps);
  print("now", x);
  print("before", last);
}

void turns() {
  for (const int steps : {0, 1, 2, 3, 4, 5, 9}) {
    rounds(61, 70, steps);
    line(3001, steps);
    buffers(61, 70, steps);
    before(61, 70, steps);
  }
  rounds(1201, 1503, 7);
  line(2'100'000, 13);
  buffers(1201, 1503, 11);
  before(1201, 1503, 8);
  rounds(2, 1100, 5);
  line(1, 5);
  buffers(1, 2, 5);
}
