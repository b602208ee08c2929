// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns whose reductions are over what a stencil has just computed. On a GPU the stencil's kernel
// combines large results whose rows are whole pieces of a warp; of others the reduction has a
// kernel of its own. Combinations that are exact, but depend on the order, show that it is kept.
#include <ikra/ikra.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>

namespace {

template <class T, int R> ikra::array<T, R> start(const ikra::index<R>& shape) {
  return ikra::pnew(shape, [](const ikra::index<R>& i) {
    std::int64_t all = 0;
    for (int d = 0; d < R; ++d)
      all = all * 31 + i[d] * 17;
    return static_cast<T>(all % 256);
  });
}

template <class T, int R> void print(const char* name, const ikra::array<T, R>& a, double result) {
  std::int64_t sum = 0;
  for (const T x : a)
    sum = (sum * 31 + static_cast<std::int64_t>(x)) % 1'000'003;
  std::printf("%s %lld %.17g\n", name, static_cast<long long>(sum), result);
}

// The largest change, beside a load.
template <class T> void loaded(std::int64_t h, std::int64_t w, int turns) {
  ikra::array<T, 2> a = start<T>(ikra::index<2>{h, w});
  const auto load = a.pmap([](T x) { return std::fmod(x, T(5)); });
  T change = 1;
  ikra::host_section([&] {
    for (int k = 0; k < turns && change > T(0.5); ++k) {
      const auto next = a.pzip(load).pstencil(
          {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, T(3), [](const auto& v) {
            const auto near = [&](int y, int x) { return std::get<0>(v(y, x)); };
            return std::floor((near(-1, 0) + near(0, -1) + near(0, 1) + near(1, 0)) * T(0.25)) +
                   std::get<1>(v(0, 0));
          });
      change =
          next.pcombine(a, [](T x, T y) { return std::abs(x - y); }).preduce(ikra::max).value();
      a = next;
    }
  });
  print("loaded", a, static_cast<double>(change));
}

// x -> (x * factor + term) mod 2^32: one after the other, in the order of the elements.
std::uint64_t then(std::uint64_t first, std::uint64_t second) {
  const std::uint64_t factor = second >> 32, by = first >> 32;
  return ((factor * by) << 32) |
         ((factor * (first & 0xffffffffu) + (second & 0xffffffffu)) & 0xffffffffu);
}
void chained(std::int64_t h, std::int64_t w, int turns) {
  ikra::array<double, 2> a = start<double>(ikra::index<2>{h, w});
  std::uint64_t all = 1;
  ikra::host_section([&] {
    for (int k = 0; k < turns && all % 4096 != 7; ++k) {
      const auto next = a.pstencil({{-1, 0}, {0, 0}, {1, 1}}, ikra::wrap, [](const auto& v) {
        return std::fmod(v(-1, 0) + 3 * v(0, 0) + v(1, 1), 1024.0);
      });
      all = next.with_index()
                .pcombine(a,
                          [](double x, double y, ikra::index<2> at) {
                            const auto factor = static_cast<std::uint64_t>(x) * 2 + 1;
                            return (factor << 32) | (static_cast<std::uint64_t>(y) +
                                                     static_cast<std::uint64_t>(at[1]));
                          })
                .preduce([](std::uint64_t x, std::uint64_t y) { return then(x, y); })
                .value();
      a = next;
    }
  });
  print("chained", a, static_cast<double>(all));
}

// The last one that is not zero, of the stencil's own results; after a value in front.
template <class T> void last(std::int64_t h, std::int64_t w, int turns) {
  ikra::array<T, 2> a = start<T>(ikra::index<2>{h, w});
  T found = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns && found < T(4000); ++k) {
      a = a.pstencil(ikra::box<1, 1>, ikra::clamp, [](const auto& v) {
        return std::fmod(v(-1, -1) + 3 * v(0, 0) + v(1, 1) + v(0, 1), T(2048)) *
               T(v(0, 0) < T(200));
      });
      found = a.preduce(T(5), [](T x, T y) { return y != 0 ? y : x; }).value();
    }
  });
  print("last", a, static_cast<double>(found));
}

// Sums whose groups show only where they are not exact; here they are. Three dimensions.
void planes(std::int64_t d, std::int64_t h, std::int64_t w, int turns) {
  ikra::array<float, 3> a = start<float>(ikra::index<3>{d, h, w});
  float largest = 1;
  std::int64_t odd = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns && largest > 0; ++k) {
      const auto next = a.pstencil(
          {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}},
          ikra::keep, [](const auto& v) {
            return std::floor((v(-1, 0, 0) + v(0, -1, 0) + v(0, 0, -1) + 2 * v(0, 0, 0) +
                               v(0, 0, 1) + v(0, 1, 0) + v(1, 0, 0)) *
                              0.125F);
          });
      largest = next.pcombine(a, [](float x, float y) { return std::abs(x - y); })
                    .preduce(ikra::max)
                    .value();
      odd += next.count([](float x) { return static_cast<int>(x) % 2 != 0; });
      a = next;
    }
  });
  print("planes", a, static_cast<double>(largest) + static_cast<double>(odd));
}

} // namespace

int main() {
  loaded<float>(1, 1, 5);
  loaded<float>(40, 33, 50);
  loaded<float>(2600, 2500, 3); // too narrow by a piece
  loaded<float>(2563, 2560, 3);
  loaded<double>(1601, 2048, 3);
  chained(31, 64, 3);
  chained(1602, 2048, 3);
  chained(1600, 2047, 2);
  last<float>(2565, 2560, 3);
  last<double>(1603, 2048, 3);
  planes(9, 20, 128, 4);
  planes(41, 420, 384, 3);
}
