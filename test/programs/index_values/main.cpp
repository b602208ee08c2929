// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikra::index as a value: as element and result, in structs, tuples and tables of constants,
// captured, and as the places of pgather and pscatter.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ikra/ikra.hpp>
#include <tuple>
#include <utility>
#include <vector>

using Place = ikra::index<2>;
constexpr std::array<Place, 4> around{Place{-1, 0}, Place{1, 0}, Place{0, -1}, Place{0, 1}};
constexpr std::array<Place, 4> corners{Place{-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
struct Ant {
  Place at;
  int direction;
};
struct Walker {
  Place at{2, 3};
  std::vector<Place> path = std::vector<Place>(4);
};

constexpr Place step(Place p, Place by, Place shape) {
  Place to;
  for (int d = 0; d < Place::rank(); ++d)
    to[d] = (p[d] + by[d] + shape[d]) % shape[d];
  return to;
}

int main() {
  const auto image = ikra::pnew({5, 7}, [](Place p) { return static_cast<int>(p[0] * 10 + p[1]); });
  const Place shape = image.shape();

  const auto turned = image.pgather(ikra::pnew({7, 5}, [](Place p) { return Place{p[1], p[0]}; }));
  const auto flipped = image.pscatter(
      image.with_index().pmap([shape](int, Place p) { return Place(shape[0] - 1 - p[0], p[1]); }),
      shape);
  std::printf("%d %d\n", turned(6, 4), flipped(0, 6));

  const auto largest = image.with_index()
                           .pmap([](int v, Place p) { return std::pair{v * 7 % 13, p}; })
                           .preduce([](auto a, auto b) { return b.first > a.first ? b : a; })
                           .value();
  std::printf("%d %ld\n", largest.first, static_cast<long>(largest.second[1]));

  auto ants = ikra::pnew(6, [](std::int64_t i) { return Ant{Place{i % 5, i}, int(i % 4)}; });
  for (int k = 0; k < 5; ++k)
    ants = ants.pmap([image, shape](Ant a) {
      a.direction = (a.direction + image[a.at]) % 4;
      a.at = step(a.at, around[static_cast<std::size_t>(a.direction)], shape);
      a.at[1] += a.at == Place(0, 0) ? 1 : 0;
      a.at[1] %= shape[1];
      return a;
    });
  for (const Ant& a : ants)
    std::printf("(%ld, %ld) %d\n", static_cast<long>(a.at[0]), static_cast<long>(a.at[1]),
                a.direction);

  const auto sums = image.with_index().pmap([image, shape](int v, Place p) {
    for (const Place& d : around) {
      const auto [y, x] = Place{p[0] + d[0], p[1] + d[1]};
      if (y >= 0 && x >= 0 && y < shape[0] && x < shape.get<1>())
        v += image(y, x);
    }
    return v + static_cast<int>(shape.volume());
  });
  const auto marks = image.pstencil(corners, ikra::wrap, [](auto v) {
    int sum = 0;
    for (const auto& o : corners)
      sum += v[o];
    return sum;
  });
  const std::vector<Place> seeds{{0, 0}, {4, 6}, {2, 3}};
  const auto nearest = ikra::pnew(shape, [seeds](Place p) {
    std::tuple best{1000000L, Place(0, 0)};
    for (const Place& s : seeds) {
      const long d = std::abs(p[0] - s[0]) + std::abs(p[1] - s[1]);
      if (d < std::get<0>(best))
        best = {d, s};
    }
    return std::get<1>(best)[1];
  });
  std::printf("%d %d %ld\n", sums.sum(), marks.sum(), static_cast<long>(nearest.sum()));

  std::vector<Walker> store(9);
  const auto walkers = ikra::objects(store);
  walkers.with_index().peach([shape](Walker* w, std::int64_t i) {
    w->at[0] += i;
    for (std::size_t k = 0; k < w->path.size(); ++k)
      w->at = w->path[k] = step(w->at, around[k], shape);
  });
  for (const Place& p : walkers.pmap([](const Walker* w) { return w->path[1]; }))
    std::printf("%ld", static_cast<long>(p[0] * 10 + p[1]));
  std::printf("\n");
}
