// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils of all ranks, borders and forms, over arrays of many shapes: narrower than the
// neighbourhood, empty, and large enough for all cores.
#include "filters.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

enum class Shade : unsigned char { dark, grey, bright };

/// A number that tells elements, to the last bit, and their order.
template <class Array> void show(const char* name, const Array& a) {
  std::uint64_t result = a.size();
  for (const auto x : a) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof x);
    result = (result ^ bits) * 0x9e3779b97f4a7c15u;
    result ^= result >> 29;
  }
  std::printf("%s: %zu %016llx\n", name, a.size(), static_cast<unsigned long long>(result));
}

static ikra::array<float, 2> image(int height, int width) {
  std::vector<float> pixels(static_cast<std::size_t>(height * width));
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<float>((i * 7919) % 1009) * 0.125f;
  return ikra::array<float, 2>{pixels, {height, width}};
}

static ikra::array<int, 1> row(int size) {
  std::vector<int> values(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int>((i * 7919) % 1009) - 500;
  return ikra::array<int, 1>{values};
}

static void rank_1(int size) {
  std::printf("rank 1, %d\n", size);
  const auto a = row(size);
  show("value", a.pstencil({-1, 0, 1}, 0, [](auto v) { return v[-1] + v[0] + v[1]; }));
  show("keep", a.pstencil({-2, 3}, ikra::keep, [](const auto& v) { return v[-2] * v[3]; }));
  show("clamp", a.pstencil({-4, 4}, ikra::clamp,
                           [](const ikra::window<int, 1>& v) { return v[-4] - v[4]; }));
  show("wrap", a.pstencil({5L, static_cast<short>(-5)}, ikra::wrap,
                          [](ikra::window<int, 1> v) { return 3L * v[5] + v[-5]; }));
  show("index", a.with_index().pstencil(
                    {0, 1}, -1, [](auto v, std::int64_t i) { return i % 2 == 0 ? v[0] : v[1]; }));
  constexpr std::array<ikra::index<1>, 2> ahead{ikra::index<1>(1), ikra::index<1>(2)};
  show("ahead", a.pstencil(ahead, 0.5, [](auto v) { return v[1] / 2.0 + v[ikra::index<1>(2)]; }));
}

static void rank_2(int height, int width) {
  std::printf("rank 2, %d x %d\n", height, width);
  const auto a = image(height, width);
  const float scale = 0.5f;
  const std::vector<float> weights{0.25f, 0.5f, 0.25f};
  show("value", a.pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, -1,
                           [](auto v) { return filters::cross(v); }));
  show("captures", a.pstencil({{0, -1}, {0, 0}, {0, 1}}, ikra::keep, [scale, weights](auto v) {
    float sum = 0;
    for (int x = -1; x <= 1; ++x)
      sum += weights[static_cast<std::size_t>(x + 1)] * v(0, x);
    return sum * scale;
  }));
  const auto whole = a.pmap([](float x) { return static_cast<int>(x); });
  show("box",
       whole.pstencil(ikra::box<1, 1>, ikra::clamp, [](auto v) { return filters::box_sum(v, 1); }));
  show("wide",
       whole.pstencil(ikra::box<3, 3>, ikra::wrap, [](auto v) { return filters::box_sum(v, 3); }));
  show("sides",
       whole.with_index().pstencil({{0, 1}, {-1, -2}}, 7, [](auto v, ikra::index<2> i) -> long {
         const auto w = v;
         const ikra::index<2> o{-1, -2};
         return w[o] * 1000L + w(0, 1) + i[0] - i[1];
       }));
  show("chain", filters::Image(a).blurred().blurred().pixels().pmap([](float x) { return -x; }));
}

static void higher_ranks() {
  const auto cube = ikra::pnew({6, 7, 30}, [](ikra::index<3> i) {
    return static_cast<short>(i[0] * 100 + i[1] * 10 + i[2]);
  });
  show("rank 3",
       cube.pstencil({{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}},
                     ikra::wrap, [](auto v) {
                       return v(-1, 0, 0) + v(1, 0, 0) - v(0, -1, 0) - v(0, 1, 0) +
                              2 * v(0, 0, -1) + v(0, 0, 1);
                     }));
  const auto space = cube.reshape({2, 3, 7, 30});
  show("rank 4", space.pstencil(ikra::box<1, 0, 1, 2>, 0, [](auto v) {
    double sum = 0;
    for (int a = -1; a <= 1; ++a)
      for (int c = -1; c <= 1; ++c)
        for (int d = -2; d <= 2; ++d)
          sum += v(a, 0, c, d) * (a + 2.0 * c + 3.0 * d);
    return sum;
  }));
  show("rank 4 clamp", space.pstencil({{-1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, -3, 0}, {0, 0, 0, 1}},
                                      ikra::clamp, [](auto v) {
                                        return v(-1, 0, 0, 0) + v(0, 2, 0, 0) * v(0, 0, -3, 0) +
                                               v(0, 0, 0, 1);
                                      }));
}

static void other_elements() {
  const auto flags = row(3000).pmap([](int x) { return x > 100; });
  show("bool", flags.pstencil({-1, 1}, true, [](auto v) { return v[-1] != v[1]; }));
  const auto shades = row(3000).pmap([](int x) { return static_cast<Shade>((x + 500) % 3); });
  show("enumeration", shades.pstencil({-1, 1}, Shade::grey, [](auto v) {
    return v[-1] == Shade::dark ? v[1] : Shade::bright;
  }));
  show("kept enumeration",
       shades.pstencil({-1, 1}, ikra::keep, [](auto v) { return v[-1] < v[1] ? 1 : 2; }));
  const auto odd = row(4000).pselect([](int x) { return x % 2 != 0; });
  show("selected", odd.pstencil({-1, 0}, 0, [](auto v) { return v[0] - v[-1]; }));
}

int main() {
  for (const int size : {0, 1, 3, 4, 11, 2047, 5000})
    rank_1(size);
  rank_2(0, 5);
  rank_2(1, 1);
  rank_2(2, 300);
  rank_2(300, 2);
  rank_2(61, 127);
  higher_ranks();
  other_elements();
  return 0;
}
