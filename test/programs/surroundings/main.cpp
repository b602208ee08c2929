// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections use of their surroundings: structured bindings, lambdas, constants and limits, and
// of the standard library function objects with types, sizes of containers, and members made from
// empty braces.
#include <array>
#include <cstdio>
#include <ikra/ikra.hpp>
#include <limits>
#include <tuple>
#include <vector>

inline constexpr auto square = [](auto x) { return x * x; };
static const auto clamped = [](float x, float low, float high) -> float {
  return x < low ? low : x > high ? high : x;
};
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr int table[] = {1, 2, 4};
// Constants whose values are known when the program runs.
static int read(int x) { return x * static_cast<int>(sizeof(short)); }
const int measured[3] = {read(2), read(3), 7};
struct Tuning {
  static const float gain;
  int offset;
};
const float Tuning::gain = static_cast<float>(read(1)) / 4;
const Tuning tuning{read(4)};
struct Extremes {
  double low, high;
};
constexpr Extremes none{infinite, -infinite};
struct Cell {
  static constexpr float far = std::numeric_limits<float>::infinity();
  float distance = far;
  std::vector<float> seen = std::vector<float>(3, 1.0f);
};
template <class T, std::size_t N> struct Matrix {
  T m[N][N]{};
  T row[N]{};
  std::array<int, 2> two{};
  int written[2] = {5, 6};
  static constexpr Matrix unit() {
    Matrix out;
    for (std::size_t i = 0; i < N; ++i)
      out.m[i][i] = out.row[i] = T(1);
    return out;
  }
};
template <class T> struct Signal {
  ikra::array<T> samples;
  friend Signal operator+(const Signal& a, const Signal& b) { return {a.samples + b.samples}; }
  friend Signal operator*(const Signal& a, T gain) {
    return {a.samples.pmap([gain](T x) { return x * gain; })};
  }
};
template <class T, int R> auto polynomial(const ikra::array<T, R>& a) {
  const auto cube = [](T x) { return square(x) * x; };
  return a.pmap([cube](T x) { return cube(x) + square(x); });
}

int main() {
  const auto image =
      ikra::pnew({3, 4}, [](ikra::index<2> i) { return static_cast<int>(i[0] + i[1]); });
  const auto [height, width] = image.shape();
  const auto ramp = ikra::pnew({height, width}, [height, width](ikra::index<2> i) {
    return static_cast<int>(i[0] * width + i[1] + height);
  });
  const auto edges = image.with_index().pmap([=](int v, ikra::index<2> i) {
    const auto inner = [=] { return width * 2 + v; };
    return i[0] == height - 1 || i[1] == width - 1 ? static_cast<int>(inner()) : v;
  });
  const std::tuple<int, double> line{4, 0.5};
  const auto& [slope, offset] = line;
  const auto straight = image.pmap([=](int v) { return v * slope + offset; });
  std::printf("%d %d %g\n", ramp.sum(), edges.sum(), straight.sum());

  const auto twice = [](auto v) { return v + v; };
  const auto held = image.pmap([twice](int v) {
    const auto inner = [twice](int z) { return twice(z); };
    return twice(twice(v)) + twice(0.25) + inner(v) + double(clamped(float(v), 0.5f, 1.5f));
  });
  std::printf("%g %g\n", held.sum(),
              polynomial(image.pmap([](int v) { return v * 0.5; })).sum() + polynomial(ramp).sum());

  const auto limits = image.pmap([](int v) {
    using Byte = std::numeric_limits<signed char>;
    return double(Byte::lowest()) * v + (v < 0 ? infinite : Byte::max()) + Byte::digits +
           std::numeric_limits<float>::epsilon() +
           (v == 3 ? std::numeric_limits<double>::infinity() : 0) +
           table[static_cast<std::size_t>(v) % std::size(table)] + double(std::ssize(table));
  });
  std::printf("%.9g %.9g %d\n", limits[0], limits[1], limits(0, 3) == infinite);
  const auto range = straight.pmap([](double v) { return Extremes{v, v}; })
                         .preduce(none,
                                  [](const Extremes& a, const Extremes& b) {
                                    return Extremes{a.low < b.low ? a.low : b.low,
                                                    a.high > b.high ? a.high : b.high};
                                  })
                         .value();
  std::printf("%g %g\n", range.low, range.high);

  std::vector<Cell> store(4);
  const auto cells = ikra::objects(store);
  cells.with_index().peach([slope, twice](Cell* c, std::int64_t i) {
    if (c->distance == Cell::far && !std::empty(c->seen) && i != 2)
      c->distance = static_cast<float>(twice(slope) + static_cast<int>(std::size(c->seen)));
  });
  std::printf("%g %d\n", double(store[1].distance), store[2].distance == Cell::far);

  const auto units = image.pmap([](int v) {
    auto unit = Matrix<long, 2>::unit();
    unit.m[0][1] = v;
    return unit;
  });
  const auto last = units(2, 3);
  std::printf("%ld %ld %ld %d %d\n", last.m[0][1], last.m[1][0], last.row[1], last.two[1],
              last.written[1]);

  const auto flat = image.reshape({12});
  const auto [keys, counts] =
      flat.pmap([](int) { return 1; }).preduce_by_key(flat, std::plus<int>());
  std::printf("%d %d %d %d\n", flat.preduce(std::plus<int>{}).value(),
              flat.preduce(0, std::bit_xor<int>()).value(), flat.psort(std::greater<int>{})[0],
              counts.pcombine(keys, std::multiplies<int>{}).sum());
  const auto tuned =
      flat.pmap([](int x) { return x * Tuning::gain + tuning.offset; }).pmap([](float x) {
        return x + measured[1];
      });
  std::printf(
      "%g %lld %d\n", tuned.sum(),
      static_cast<long long>(flat.count([](int x) { return x > measured[0]; })),
      flat.pstencil(ikra::box<1>, 0, [](const auto& n) { return n[-1] * measured[2] + n[1]; })
          .sum());
  const Signal<int> louder = Signal<int>{flat} * 3 + Signal<int>{flat};
  const Signal<double> softer = Signal<double>{straight.reshape({12})} * 0.5;
  std::printf("%d %g\n", louder.samples.sum(), softer.samples.sum());
}
