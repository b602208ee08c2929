// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans, sorts and reductions of values of classes: structs with and without default constructors,
// tuples, and enumerations as keys.
#include <cmath>
#include <compare>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <ikra/ikra.hpp>
#include <tuple>
#include <utility>
#include <vector>
struct Run {
  int first, last;
  bool ascends;
  explicit Run(int x) : first(x), last(x), ascends(true) {}
  Run(int a, int b, bool c) : first(a), last(b), ascends(c) {}
};
struct Card {
  short suit;
  double rank;
};
struct Grid {
  int cells[2][2] = {};
  auto operator<=>(const Grid&) const = default;
};
struct Board : Grid {
  float weight = 0;
  bool operator==(const Board&) const = default;
};
template <class T, int N> struct Vector {
  T parts[N] = {};
  bool operator==(const Vector&) const = default;
  auto operator<=>(const Vector&) const = default;
};
// Kernels copy its bytes: devices have no such assignment.
struct Assigned {
  int a = 0, b = 0;
  Assigned() = default;
  Assigned(int x, int y) : a(x), b(y) {}
  Assigned(const Assigned&) = default;
  Assigned& operator=(const Assigned& other) {
    a = other.a;
    b = other.b;
    return *this;
  }
};
static Assigned plus(Assigned x, Assigned y) { return Assigned(x.a + y.a, x.b + y.b); }
struct Pair {
  Vector<float, 2> of;
  int id = 0;
  auto operator<=>(const Pair&) const = default;
};
struct Release {
  int major = 1, minor = 0;
  friend constexpr auto operator<=>(const Release&, const Release&) = default;
};
struct Flow {
  float density, x, y;
};
enum class Suit : std::uint8_t { clubs, hearts, spades };
int main() {
  const auto a = ikra::pnew(9000, [](std::int64_t i) { return static_cast<int>(i * 7919 % 9001); });
  const auto runs = a.pmap([](int x) { return Run(x); });
  const auto joined = runs.pscan([](const Run& x, const Run& y) {
    return Run(x.first, y.last, x.ascends && y.ascends && x.last < y.first);
  });
  const auto ascending = joined.pmap([](const Run& r) { return r.ascends ? 1 : 0; });
  std::printf("%d %d\n", ascending.sum(), joined[8999].last);
  const auto cards = a.pmap([](int x) { return Card{static_cast<short>(x % 4), x * 0.5}; });
  const auto sorted = cards.psort([](const Card& x, const Card& y) { return x.suit < y.suit; });
  double sum = 0;
  for (int i = 0; i < 9000; i += 7)
    sum = sum * 0.99 + sorted[i].rank;
  std::printf("%.3f\n", sum);
  const auto pairs = a.pmap([](int x) { return std::tuple<int, float>(x % 10, x * 0.25f); });
  const auto most = pairs.preduce(std::tuple<int, float>(0, 0.0f),
                                  [](std::tuple<int, float> x, std::tuple<int, float> y) {
                                    return std::get<1>(x) < std::get<1>(y) ? y : x;
                                  });
  std::printf("%d %g\n", std::get<0>(most[0]), std::get<1>(most[0]));
  const auto suits = a.pmap([](int x) { return static_cast<Suit>(x % 3); });
  const auto [k, c] = a.psort().preduce_by_key(suits.psort(), std::plus<>{});
  std::printf("%zu %d %d\n", k.size(), static_cast<int>(k[2]), c[1]);
  // By few keys, by more than a group of them, and by a section that captures.
  const auto per_suit = cards.reduce_by_index(
      4, [](const Card& x) { return x.suit; }, Card{0, -1},
      [](Card x, Card y) { return x.rank < y.rank ? y : x; });
  std::printf("%g %d\n", per_suit[1].rank, per_suit[3].suit);
  const int many = 5000;
  const auto last =
      ikra::pnew(200000, [](std::int64_t i) { return static_cast<int>(i * 31 % 100003); })
          .reduce_by_index(
              many, [many](int x) { return static_cast<unsigned>(x % many); }, -1,
              [](int, int y) { return y; });
  std::printf("%d %d\n", last[0], last.pmap([](int x) { return x / 7; }).sum());
  const auto by_suit = a.reshape({90, 100}).reduce_by_index(
      3, a.pmap([](int x) { return x % 3; }).reshape({90, 100}), 0.5, std::plus<>{});
  std::printf("%.1f %.1f\n", by_suit[0], by_suit[2]);
  try {
    std::printf("%d\n", a.reduce_by_index(8000, [](int x) { return x; }, 0, ikra::max)[0]);
  } catch (const ikra::error& e) {
    std::printf("%s\n", e.what());
  }
  const auto tops = cards.reshape({90, 100}).preduce_axis(
      1, [](Card x, Card y) { return x.rank < y.rank ? y : x; });
  std::printf("%g %d\n", tops[89].rank, tops[3].suit);
  const auto [kk, best] =
      cards.preduce_by_key(a.pmap([](int x) { return x / 3000; }),
                           [](Card x, Card y) { return x.rank < y.rank ? y : x; });
  std::printf("%zu %g\n", kk.size(), best[5].rank);
  std::printf("%lld %d\n",
              static_cast<long long>(cards.count([](const Card& x) { return x.suit == 2; })),
              pairs.any([](const std::tuple<int, float>& t) { return std::get<0>(t) == 7; }));
  const auto grids = a.pmap([](int x) { return Grid{{{x % 3, x % 2}, {1, x % 5}}}; });
  std::printf(
      "%lld %lld\n",
      static_cast<long long>(grids.count([](const Grid& g) { return g < Grid{{{1, 1}, {1, 2}}}; })),
      static_cast<long long>(grids.count([](const Grid& g) {
        return g != Grid{{{1, 1}, {1, 2}}} && Board{g, 2} == Board{Grid{{{0, 1}, {1, 2}}}, 2};
      })));
  const auto sorted_grids = grids.psort();
  std::printf("%d %d\n", sorted_grids[0].cells[1][1], sorted_grids[8000].cells[1][1]);
  const auto compared = a.pmap([](int x) {
    const float at = static_cast<float>(x % 3), none = x % 7 == 0 ? NAN : 1;
    const Pair p{{{at, none}}, x % 2}, q{{{1, 1}}, 1};
    return (p < q) + 2 * (p == q) + 4 * (p >= q) + 8 * (p != q) + 16 * ((p <=> q) > 0);
  });
  std::printf("%d\n", compared.sum());
  const auto releases = a.pmap([](int x) { return Release{x % 3, x % 7}; });
  std::printf("%lld %d\n", static_cast<long long>(releases.count([](Release r) {
                return r > Release{1, 2} && r != Release{2, 3};
              })),
              releases[0] == Release{0, 0} ? 1 : 0);
  const auto flows = ikra::pnew({4, 50}, [](ikra::index<2> i) {
    return Flow{static_cast<float>(i[0]), 1, static_cast<float>(i[1] % 3)};
  });
  const auto added = [](Flow p, Flow q) {
    return Flow{p.density + q.density, p.x + q.x, p.y + q.y};
  };
  std::printf("%g %g %g\n", flows.preduce_axis(1, Flow{0, 0, 0}, added)[2].density,
              flows.preduce_axis(0, added)[3].y, flows.preduce(added)[0].x);
  const auto keyed = cards.psort_by([](const Card& x) { return -x.rank; });
  std::printf("%g\n", keyed[0].rank);
  const auto assigned = a.pmap([](int x) { return Assigned(x % 7, x % 11); });
  const auto lesser = [](Assigned x, Assigned y) { return x.a * 11 + x.b < y.a * 11 + y.b; };
  const auto keys = a.pmap([](int x) { return x % 5; });
  const auto in_two = ikra::pnew({20, 30}, [](ikra::index<2> i) {
    return Assigned(static_cast<int>(i[0]), static_cast<int>(i[1]));
  });
  const auto of_pairs =
      assigned.pmap([](Assigned x) { return std::pair{x, x.a}; })
          .preduce([](std::pair<Assigned, int> x, std::pair<Assigned, int> y) {
            return std::pair<Assigned, int>{plus(x.first, y.first), x.second + y.second};
          });
  std::printf("%d %d %d %d\n", assigned.preduce(plus)[0].b,
              assigned.preduce(Assigned(1, 2), plus)[0].b, of_pairs[0].first.b, of_pairs[0].second);
  std::printf("%d %d %d\n", assigned.pscan(plus)[1234].b,
              assigned.pscan_exclusive(Assigned(5, 5), plus)[1234].b,
              assigned.psort(lesser)[1234].b);
  std::printf("%d %d %d %d\n", assigned.preduce_by_key(keys, plus).second[77].b,
              assigned.reduce_by_index(5, keys, Assigned(), plus)[3].b,
              in_two.preduce_axis(0, plus)[7].a, in_two.preduce_axis(1, plus)[7].b);
  auto turning = assigned;
  int of_turns = 0;
  for (int turn = 0; turn < 5; ++turn) {
    turning = turning.pmap([](Assigned x) { return Assigned(x.b, x.a + 1); });
    const Assigned all = turning.preduce(plus)[0];
    of_turns += all.a % 100;
  }
  std::printf("%d %d\n", of_turns, turning[9].a);
}
