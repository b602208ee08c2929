// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils that meet each other in loops, and run several at a time in tiles, two where there is a
// GPU: ranks 1 to 4, all borders, neighbourhoods to all sides and to one, with and without an index
// and captured numbers, elements of several sizes; in members, swapped, and where a result between
// is kept. Arrays that suit tiles and others that are too small, narrow or odd for them.
#include "print.hpp"

#include <ikra/ikra.hpp>

#include <cstdint>
#include <utility>
#include <vector>

struct Plate {
  ikra::array<float, 2> now;
  float speed;

  void step() {
    now = now.pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, ikra::keep,
                       [this_speed = speed](const auto& n) {
                         return n(0, 0) + this_speed * (n(-1, 0) + n(1, 0) + n(0, -1) + n(0, 1) -
                                                        4.0f * n(0, 0));
                       });
  }
};

static void plate(std::int64_t rows, std::int64_t columns, int steps) {
  Plate p{ikra::pnew({rows, columns},
                     [](const ikra::index<2>& x) {
                       return static_cast<float>((x[0] * 31 + x[1] * 17) % 101);
                     }),
          0.125f};
  for (int i = 0; i < steps; ++i)
    p.step();
  print("plate", p.now);
}

/// Clamped neighbours, and an index.
static void waves(std::int64_t rows, std::int64_t columns) {
  auto now = ikra::pnew({rows, columns}, [](const ikra::index<2>& x) { return x[0] * 7 - x[1]; });
  for (int i = 0; i < 5; ++i) {
    auto next = now.with_index().pstencil(ikra::box<1, 1>, ikra::clamp,
                                          [i](const auto& n, const ikra::index<2>& x) {
                                            std::int64_t sum = x[0] * i;
                                            for (int r = -1; r <= 1; ++r)
                                              for (int c = -1; c <= 1; ++c)
                                                sum += (r * 3 + c + 5) * n(r, c);
                                            return sum % 1000003;
                                          });
    std::swap(now, next);
  }
  print("waves", now);
}

/// Two stencils in turn, of which one reads to one side alone, the other across the border.
static void in_turn(std::int64_t rows, std::int64_t columns) {
  ikra::array<short, 2> x = ikra::pnew({rows, columns}, [](const ikra::index<2>& at) {
    return static_cast<short>(at[0] * 5 + at[1]);
  });
  for (int i = 0; i < 3; ++i) {
    x = x.pstencil({{-2, 0}, {0, 0}}, static_cast<short>(9),
                   [](const auto& n) { return static_cast<short>(3 * n(-2, 0) - n(0, 0)); });
    x = x.pstencil({{0, 0}, {1, 0}}, ikra::wrap,
                   [](const auto& n) { return static_cast<short>(n(1, 0) + 2 * n(0, 0)); });
  }
  print("in turn", x);
}

static void cube(std::int64_t a, std::int64_t b, std::int64_t c) {
  auto v = ikra::pnew({a, b, c}, [](const ikra::index<3>& x) {
    return 0.5 * static_cast<double>(x[0]) - static_cast<double>(x[1] * x[2] % 17);
  });
  for (int i = 0; i < 4; ++i)
    v = v.pstencil({{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}},
                   1.5, [](const auto& n) {
                     return 0.25 * (n(-1, 0, 0) + n(1, 0, 0)) + 0.125 * (n(0, -1, 0) - n(0, 1, 0)) +
                            0.0625 * (n(0, 0, -1) - n(0, 0, 1)) + n(0, 0, 0);
                   });
  print("cube", v);
}

/// The paper's stencil (ARRAY'17, figure 9): columns are the two last dimensions.
static void of_rank_4(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  ikra::array<std::int32_t, 4> v = ikra::pnew({a, b, c, d}, [](const ikra::index<4>& x) {
    return static_cast<std::int32_t>(x[0] * 1009 + x[1] * 31 + x[2] * 7 + x[3]);
  });
  for (int i = 0; i < 6; ++i)
    v = v.with_index().pstencil({{-1, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {-1, -1, 0, 0}}, 37,
                                [](const auto& n, const ikra::index<4>& x) {
                                  const std::int64_t from =
                                      n(0, 0, 0, 0) / 97 + x[2] * n(-1, -1, 0, 0) % 99;
                                  return static_cast<std::int32_t>(
                                      n(-1, 0, 0, 0) % 938 + from % 77 + n(1, 0, 0, 0) % 7 + x[3]);
                                });
  print("rank 4", v);
}

/// Of rank 1: neighbours far on one side, across the border, clamped, and with an index.
static void line(std::int64_t places, int steps) {
  ikra::array<float> x =
      ikra::pnew(places, [](std::int64_t i) { return static_cast<float>(i * 31 % 101); });
  for (int i = 0; i < steps; ++i)
    x = x.pstencil({-5, 0, 1}, ikra::wrap,
                   [](const auto& n) { return (n[-5] + n[0] * 0.5f + n[1]) * 0.4f; });
  print("ring", x);
  for (int i = 0; i < steps; ++i)
    x = x.pstencil({-1, 0, 2}, ikra::clamp,
                   [i](const auto& n) { return n[-1] * 0.25f - n[2] + static_cast<float>(i); });
  print("clamped", x);
  for (int i = 0; i < steps; ++i)
    x = x.with_index().pstencil({-1, 1}, 3.5f, [](const auto& n, std::int64_t at) {
      return n[-1] - n[1] * 0.5f + static_cast<float>(at % 7);
    });
  print("line", x);
}

/// Neighbours on one side alone, and not the place itself, which borders still read.
static void beside(std::int64_t places, int steps) {
  ikra::array<int> x =
      ikra::pnew(places, [](std::int64_t i) { return static_cast<int>(i * 31 % 101); });
  for (int i = 0; i < steps; ++i)
    x = x.pstencil({1, 2}, ikra::wrap, [](const auto& n) { return (n[1] + 3 * n[2]) & 0xffff; });
  print("ahead, ring", x);
  for (int i = 0; i < steps; ++i)
    x = x.pstencil({1, 2}, ikra::keep, [](const auto& n) { return (n[1] + 3 * n[2]) & 0xffff; });
  print("ahead, kept", x);
  for (int i = 0; i < steps; ++i)
    x = x.pstencil({-3, -2}, ikra::clamp,
                   [](const auto& n) { return (n[-3] + 3 * n[-2]) & 0xffff; });
  print("before", x);
}
static void above(std::int64_t rows, std::int64_t columns, int steps) {
  ikra::array<int, 2> x = ikra::pnew({rows, columns}, [](const ikra::index<2>& at) {
    return static_cast<int>(at[0] * 5 + at[1]);
  });
  for (int i = 0; i < steps; ++i)
    x = x.pstencil({{1, 1}, {2, 3}}, ikra::keep,
                   [](const auto& n) { return (n(1, 1) + 3 * n(2, 3)) & 0xffff; });
  print("above", x);
}

/// Across the border in both dimensions, further to one side.
static void torus(std::int64_t rows, std::int64_t columns, int steps) {
  ikra::array<int, 2> x = ikra::pnew({rows, columns}, [](const ikra::index<2>& at) {
    return static_cast<int>(at[0] * 5 + at[1]);
  });
  for (int i = 0; i < steps; ++i)
    x = x.pstencil({{-1, 0}, {0, -2}, {0, 1}, {3, 0}}, ikra::wrap, [](const auto& n) {
      return (n(-1, 0) + 2 * n(0, -2) - n(0, 1) + 3 * n(3, 0)) & 0xffff;
    });
  print("torus", x);
}

static void crystal(std::int64_t a, std::int64_t b, std::int64_t c) {
  ikra::array<int, 3> v = ikra::pnew({a, b, c}, [](const ikra::index<3>& x) {
    return static_cast<int>(x[0] * 31 + x[1] * 7 + x[2]);
  });
  for (int i = 0; i < 4; ++i)
    v = v.pstencil({{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}},
                   ikra::wrap, [](const auto& n) {
                     return (n(-1, 0, 0) + 2 * n(0, -1, 0) + 3 * n(0, 0, -1) + 5 * n(0, 0, 1) -
                             n(0, 1, 0) - n(1, 0, 0)) &
                            0xffff;
                   });
  print("crystal", v);
}

/// Results between that the last ones do not convert to.
enum class Slope : std::uint8_t { down, level, up };
static Slope slope_of(int before, int after) {
  int difference = after - before;
  for (int k = 0; k < 6; ++k)
    difference = difference * 31 / (k + 3) % (1009 - difference % 7);
  return difference > 0 ? Slope::up : difference < 0 ? Slope::down : Slope::level;
}
static void turning_points(const ikra::array<int>& heights) {
  print("turning points",
        heights.pstencil({-1, 1}, Slope::level, [](const auto& n) { return slope_of(n[-1], n[1]); })
            .pstencil({-1, 0, 1}, ikra::wrap, [](const auto& n) -> std::int64_t {
              return (n[-1] == n[1] ? 0 : 3) + (n[0] == Slope::up ? 1 : 0);
            }));
}
static void turning_points(std::int64_t places) {
  std::vector<int> heights;
  for (std::int64_t i = 0; i < places; ++i)
    heights.push_back(static_cast<int>(i * i % 1009));
  turning_points(ikra::array(std::move(heights)));
}
struct Gradient {
  float across, along;
};
static void lengths(const ikra::array<float, 2>& heights) {
  print("lengths",
        heights
            .pstencil({{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, Gradient{0, 0},
                      [](const auto& n) {
                        Gradient result{n(1, 0) - n(-1, 0), n(0, 1) - n(0, -1)};
                        for (int k = 0; k < 6; ++k)
                          result = {result.across / (1.0f + result.along * result.along),
                                    result.along / (2.0f + result.across * result.across)};
                        return result;
                      })
            .pstencil({{-1, 0}, {0, -1}, {0, 0}, {1, 1}}, ikra::clamp, [](const auto& n) {
              return n(0, 0).across * n(1, 1).across + n(0, -1).along * n(-1, 0).along;
            }));
}
static void lengths(std::int64_t rows, std::int64_t columns) {
  std::vector<float> heights;
  for (std::int64_t i = 0; i < rows * columns; ++i)
    heights.push_back(static_cast<float>(i * i % 101));
  lengths(ikra::array(std::move(heights)).reshape({rows, columns}));
}

/// What somebody holds is computed for all.
static void held(std::int64_t rows, std::int64_t columns) {
  const auto smooth = [](const ikra::array<float, 2>& v) {
    return v.pstencil({{-1, 0}, {0, 0}, {1, 0}}, ikra::clamp,
                      [](const auto& n) { return (n(-1, 0) + n(0, 0) + n(1, 0)) / 3; });
  };
  const ikra::array<float, 2> start = ikra::pnew({rows, columns}, [](const ikra::index<2>& x) {
    return static_cast<float>(x[0] % 7 + x[1] % 3);
  });
  const auto once = smooth(start), twice = smooth(once), thrice = smooth(twice);
  print("fifth", smooth(smooth(thrice)));
  print("thrice", thrice);
  print("once", once);
  print("twice", twice);
}

int main() {
  line(7'000'001, 11);
  line(50, 19);
  line(3, 9);
  line(1, 8);
  line(0, 8);
  beside(6'500'001, 9);
  beside(40, 9);
  beside(3, 9);
  above(1501, 4401, 9);
  above(9, 7, 9);
  torus(2001, 3401, 9);
  torus(31, 7, 17);
  torus(3, 2, 8);
  torus(1, 5, 8);
  plate(2500, 1501, 5);
  plate(64, 40, 7);
  plate(1, 1, 3);
  plate(0, 5, 4);
  plate(5, 0, 4);
  plate(9001, 3, 2);
  waves(1503, 1017);
  waves(2, 1500);
  in_turn(5001, 1004);
  in_turn(1201, 1003);
  in_turn(3, 4);
  cube(101, 199, 240);
  cube(2, 300, 170);
  cube(7, 5, 3);
  crystal(101, 99, 150);
  crystal(3, 2, 70);
  of_rank_4(20, 257, 96, 12);
  of_rank_4(41, 157, 96, 11);
  of_rank_4(3, 2, 2, 4);
  turning_points(7'000'003);
  turning_points(5);
  lengths(3001, 1702);
  lengths(4, 3);
  held(5000, 1600);
  turns();
}
