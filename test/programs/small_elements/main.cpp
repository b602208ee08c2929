// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils over elements of one and two bytes. On a GPU a thread of a large array's kernel loads
// and stores words of these, if rows are whole words.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <tuple>
#include <utility>

namespace {

template <class T, int R> ikra::array<T, R> start(const ikra::index<R>& shape) {
  return ikra::pnew(shape, [](const ikra::index<R>& i) {
    std::uint64_t all = 1;
    for (int d = 0; d < R; ++d)
      all = (all * 48271 + static_cast<std::uint64_t>(i[d]) * 16807) % 2147483647;
    return static_cast<T>(all >> 7);
  });
}

template <class T, int R> void print(const char* name, const ikra::array<T, R>& a) {
  std::int64_t sum = 0;
  for (const T x : a)
    sum = (sum * 31 + static_cast<std::int64_t>(x) + 1000) % 1'000'003;
  std::printf("%s %lld\n", name, static_cast<long long>(sum));
}

// The game of life.
void life(std::int64_t h, std::int64_t w, int turns) {
  auto cells = start<std::uint8_t>(ikra::index<2>{h, w}).pmap([](std::uint8_t x) {
    return static_cast<std::uint8_t>(x % 2);
  });
  for (int k = 0; k < turns; ++k)
    cells = cells.pstencil(ikra::box<1, 1>, ikra::wrap, [](const auto& v) {
      int around = 0;
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x)
          around += v(y, x);
      around -= v(0, 0);
      return static_cast<std::uint8_t>(around == 3 || (around == 2 && v(0, 0) != 0));
    });
  print("life", cells);
}

// With signs, an index, and neighbours further away than a word is wide.
template <class T> void far(std::int64_t h, std::int64_t w, int turns) {
  ikra::array<T, 2> a = start<T>(ikra::index<2>{h, w});
  for (int k = 0; k < turns; ++k)
    a = a.with_index().pstencil(
        {{-2, -5}, {0, -1}, {0, 0}, {0, 6}, {1, 2}}, T(3), [](const auto& v, ikra::index<2> at) {
          return static_cast<T>(v(-2, -5) / 2 - v(0, -1) + std::int64_t{v(0, 0)} * v(0, 6) +
                                v(1, 2) + static_cast<T>(at[1] % 7));
        });
  print("far", a);
}

// Offsets that the program computes.
template <class T> void chosen(std::int64_t h, std::int64_t w, int by) {
  ikra::array<T, 2> a = start<T>(ikra::index<2>{h, w});
  a = a.pstencil(ikra::box<1, 2>, ikra::clamp, [by](const auto& v) {
    int all = 0;
    for (int x = 0; x < by + v(0, 0) % 3; ++x)
      all += v(x % 2, (x * by) % 5 - 2) * (x + 1);
    return static_cast<T>(all);
  });
  print("chosen", a);
}

// After a map, in three dimensions, of truths.
void truths(std::int64_t d, std::int64_t h, std::int64_t w) {
  const auto a =
      start<std::uint8_t>(ikra::index<3>{d, h, w}).pmap([](std::uint8_t x) { return x % 3 == 0; });
  const auto b = a.pstencil(
      {{-1, 0, 0}, {0, -1, 1}, {0, 0, -1}, {0, 0, 0}, {1, 0, 2}}, ikra::keep, [](const auto& v) {
        return v(-1, 0, 0) != (v(0, -1, 1) && v(0, 0, -1)) || (v(1, 0, 2) && !v(0, 0, 0));
      });
  print("truths", b);
}

// Results of another size, and two arrays.
void mixed(std::int64_t h, std::int64_t w) {
  const auto a = start<std::int8_t>(ikra::index<2>{h, w});
  const auto b = start<std::int16_t>(ikra::index<2>{h, w});
  const auto wide = a.pstencil({{-1, -1}, {0, 0}, {1, 1}}, std::int16_t(7), [](const auto& v) {
    return static_cast<std::int16_t>(v(-1, -1) * 100 + v(0, 0) - v(1, 1));
  });
  print("wide", wide);
  const auto both =
      b.pzip(wide).pstencil({{0, -1}, {0, 0}, {1, 1}}, std::int16_t(7), [](const auto& v) {
        return static_cast<std::int16_t>(std::get<0>(v(0, -1)) - std::get<1>(v(1, 1)) +
                                         std::get<1>(v(0, 0)));
      });
  print("both", both);
}

} // namespace

int main() {
  for (const auto& [h, w] :
       {std::pair{9, 12}, {2053, 2048}, {2100, 2002}, {1, 4'200'000}, {1'050'001, 4}}) {
    life(h, w, 3);
    far<std::int8_t>(h, w, 2);
    far<std::uint16_t>(h, w, 2);
    chosen<std::uint8_t>(h, w, 5);
    chosen<std::int16_t>(h, w, 4);
    mixed(h, w);
  }
  truths(5, 7, 8);
  truths(33, 250, 512);
}
