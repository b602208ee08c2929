// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps, combinations, new arrays and other stencils in front of stencils, which compute what they
// read of them anew: in all ranks, with all borders, over shapes of every size up to where the
// neighbourhoods fit, and smaller ones.
#include <ikra/ikra.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

enum class shade : std::uint8_t { dark, grey, bright };

/// Numbers that tell places apart.
template <class T> std::vector<T> numbers(std::int64_t n) {
  std::vector<T> result;
  for (std::int64_t i = 0; i < n; ++i)
    result.push_back(static_cast<T>((i * 37 + 11) % 101 - 50));
  return result;
}

/// Prints one number for an array that depends on each element and its place.
template <class A> void show(const char* name, const A& a) {
  std::uint64_t hash = 14695981039346656037U;
  std::size_t count = 0;
  for (const auto x : a) {
    const double value = static_cast<double>(x) * 64;
    hash = (hash ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(value))) * 1099511628211U;
    ++count;
  }
  std::printf("%s %zu %016llx\n", name, count, static_cast<unsigned long long>(hash));
}

int inner(const ikra::window<int, 1>& v) { return v[-1] + 3 * v[1]; }
int outer(const ikra::window<int, 1>& v) { return 5 * v[-2] - v[1]; }

void rank_1(std::int64_t n) {
  const ikra::array<int> a{numbers<int>(n)};
  const ikra::array<short> b{numbers<short>(n)};
  show("map", a.pmap([](int x) { return x * 3; }).pstencil({-1, 0, 1}, 7, [](auto v) {
    return v[-1] + 10 * v[0] + 100 * v[1];
  }));
  show("index", a.with_index()
                    .pmap([](int x, std::int64_t i) { return x + 5 * i; })
                    .with_index()
                    .pstencil({-3, 2}, ikra::clamp,
                              [](auto v, std::int64_t i) { return v[-3] * 2 - v[2] + i; }));
  show("combine", a.pcombine(b, [](int x, short y) {
                     return 0.5 * x + y;
                   }).pstencil({0, 4}, ikra::wrap, [](auto v) { return v[0] - v[4]; }));
  show("new", ikra::pnew(n, [](std::int64_t i) {
                return static_cast<float>(i % 7);
              }).pstencil({-2, -1}, ikra::keep, [](auto v) { return v[-2] + 0.25f * v[-1]; }));
  // The borders of the inner stencil and of the outer one, each with each.
  show("value value", a.pstencil({-1, 1}, 1000, inner).pstencil({-2, 1}, 2000, outer));
  show("value keep", a.pstencil({-1, 1}, 1000, inner).pstencil({-2, 1}, ikra::keep, outer));
  show("value clamp", a.pstencil({-1, 1}, 1000, inner).pstencil({-2, 1}, ikra::clamp, outer));
  show("value wrap", a.pstencil({-1, 1}, 1000, inner).pstencil({-2, 1}, ikra::wrap, outer));
  show("keep value", a.pstencil({-1, 1}, ikra::keep, inner).pstencil({-2, 1}, 2000, outer));
  show("keep clamp", a.pstencil({-1, 1}, ikra::keep, inner).pstencil({-2, 1}, ikra::clamp, outer));
  show("clamp value", a.pstencil({-1, 1}, ikra::clamp, inner).pstencil({-2, 1}, 2000, outer));
  show("clamp clamp",
       a.pstencil({-1, 1}, ikra::clamp, inner).pstencil({-2, 1}, ikra::clamp, outer));
  show("clamp wrap", a.pstencil({-1, 1}, ikra::clamp, inner).pstencil({-2, 1}, ikra::wrap, outer));
  show("wrap keep", a.pstencil({-1, 1}, ikra::wrap, inner).pstencil({-2, 1}, ikra::keep, outer));
  show("wrap wrap", a.pstencil({-1, 1}, ikra::wrap, inner).pstencil({-2, 1}, ikra::wrap, outer));
  // Three of them, to one side, with maps between and after.
  show("three", a.pstencil({0, 1}, 1, [](auto v) { return v[0] + v[1]; })
                    .pmap([](int x) { return x % 91; })
                    .pstencil({0, 2}, 2, [](auto v) { return v[0] - 2 * v[2]; })
                    .pstencil({3}, 3, [](auto v) { return v[3] * 4; })
                    .with_index()
                    .pmap([](int x, std::int64_t i) { return x + i; }));
  show("shades", a.pmap([](int x) {
                    return x < 0 ? shade::dark : x < 30 ? shade::grey : shade::bright;
                  })
                     .pstencil({0, 1}, ikra::keep, [](auto v) { return v[0] < v[1] ? v[1] : v[0]; })
                     .pmap([](shade s) { return static_cast<int>(s); }));
  // What stands at a place is read there and around it, and kept for others too.
  const auto twice = a.pmap([](int x) { return 2 * x; });
  const auto soft =
      twice.pstencil({-1, 0, 1}, ikra::clamp, [](auto v) { return (v[-1] + v[0] + v[1]) / 3; });
  const auto sharp = twice.pcombine(soft, b, [](int x, int y, short z) { return 2 * x - y + z; });
  show("sharp", sharp);
  show("soft", soft);
  show("chosen", a.pselect([](int x) { return x > 0; })
                     .pmap([](int x) { return x + 1; })
                     .pstencil({-1, 0}, -1, [](auto v) { return v[-1] * v[0]; }));
}

/// As a section, a function over the five places of a cross.
float cross(const ikra::window<float, 2>& v) {
  return v(-1, 0) + 0.5f * v(0, -1) + v(0, 0) - v(0, 1) + 2 * v(1, 0);
}

void rank_2(std::int64_t height, std::int64_t width) {
  const ikra::array<float, 2> a{numbers<float>(height * width), {height, width}};
  show("cross", a.pmap([](float x) {
                   return x * 0.5f;
                 }).pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, ikra::clamp, cross));
  show("crosses", a.pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, ikra::clamp, cross)
                      .pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, 0.25f, cross)
                      .pmap([](float x) { return x * 2; }));
  show("rows", a.pstencil({{-1, 0}, {2, 0}}, 9.0f, [](auto v) { return v(-1, 0) - v(2, 0); })
                   .with_index()
                   .pstencil({{0, 0}, {-1, 0}}, ikra::keep, [](auto v, ikra::index<2> i) {
                     return v(0, 0) + v(-1, 0) * static_cast<float>(i[1] % 5);
                   }));
  show("box", ikra::pnew({height, width}, [](ikra::index<2> i) {
                return static_cast<int>(i[0] * 3 + i[1]);
              }).pstencil(ikra::box<1, 1>, ikra::wrap, [](const ikra::window<int, 2>& v) {
    int sum = 0;
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        sum = sum * 2 + v(y, x);
    return sum;
  }));
}

void ranks_3_and_4(std::int64_t depth, std::int64_t width) {
  const ikra::array<int, 3> a{numbers<int>(depth * 3 * width), {depth, std::int64_t(3), width}};
  show("rank 3", a.pmap([](int x) { return x - 4; })
                     .pstencil({{-1, 0, 0}, {0, 0, 0}, {1, 1, 0}}, 6,
                               [](auto v) { return v(-1, 0, 0) + 2 * v(0, 0, 0) - v(1, 1, 0); })
                     .pstencil({{0, 0, 0}, {-1, 0, 0}}, ikra::wrap,
                               [](auto v) { return v(0, 0, 0) - 7 * v(-1, 0, 0); }));
  show("rank 4", a.reshape({depth, std::int64_t(1), std::int64_t(3), width})
                     .with_index()
                     .pmap([](int x, ikra::index<4> i) { return x + static_cast<int>(i[3]); })
                     .pstencil({{1, 0, 0, 0}, {0, 0, -1, 1}}, 8,
                               [](auto v) { return v(1, 0, 0, 0) - v(0, 0, -1, 1); }));
}

} // namespace

int main() {
  for (const std::int64_t n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 40, 1023, 1024, 1025, 3001}) {
    std::printf("-- %lld\n", static_cast<long long>(n));
    rank_1(n);
  }
  for (const std::int64_t height : {0, 1, 2, 3, 4, 5, 9, 30})
    for (const std::int64_t width : {1, 2, 3, 5, 31, 128}) {
      std::printf("-- %lld x %lld\n", static_cast<long long>(height),
                  static_cast<long long>(width));
      rank_2(height, width);
      ranks_3_and_4(height, width);
    }
  return 0;
}
