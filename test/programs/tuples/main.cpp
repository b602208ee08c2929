// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::tuple, std::pair and std::array as elements, results, captures, locals and parameters.
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

using Pair = std::pair<int, float>;

static std::tuple<int, double, bool> describe(int n) { return {n * n, n / 2.0, n % 2 == 0}; }
static std::array<int, 3> spread(int n) { return {n, n + 1, n + 2}; }
static int total(const std::array<int, 3>& values) {
  int sum = 0;
  for (const int v : values)
    sum += v;
  return sum + values.front() - values.back() + static_cast<int>(values.size());
}
template <class... T> auto packed(T... values) {
  return std::make_tuple(values..., sizeof...(values));
}

class Sensor {
public:
  Sensor(int id, float value) : id_(id), value_(value) {}
  int id() const { return id_; }
  float value() const { return value_; }
  void read(int k) {
    auto& [least, most] = range_;
    least = k < least ? k : least;
    most = k > most ? k : most;
    history_[static_cast<std::size_t>(k % 4)] += k;
    points_.front().second += 1.0f;
  }
  std::pair<int, int> range() const { return range_; }
  const std::array<int, 4>& history() const { return history_; }
  float second() const { return points_[0].second; }

private:
  int id_;
  float value_;
  std::pair<int, int> range_{1000, -1000};
  std::array<int, 4> history_{};
  std::vector<std::pair<int, float>> points_{{1, 2.0f}};
  IKRA_OBJECT
};

int main() {
  const ikra::array a = ikra::pnew(60, [](std::int64_t i) { return static_cast<int>(i * 7 % 31); });
  const auto pairs = a.pmap([](int n) { return std::pair{n, 0.5f * static_cast<float>(n)}; });
  const auto largest = pairs.preduce([](const Pair& p, const Pair& q) { return p < q ? q : p; })[0];
  std::printf("%d %g\n", largest.first, static_cast<double>(largest.second));
  for (const auto& [n, half] : pairs.pselect([](const Pair& p) { return p.first > 28; }))
    std::printf("%d/%g ", n, static_cast<double>(half));
  std::printf("\n");

  const auto all = a.pmap(describe);
  const auto back =
      all.with_index().pmap([](const std::tuple<int, double, bool>& t, std::int64_t i) {
        const auto& [square, half, even] = t;
        return even ? square + static_cast<int>(half) : static_cast<int>(i) - std::get<0>(t);
      });
  for (int i = 0; i < 60; i += 11)
    std::printf("%d ", back[i]);
  std::printf("%zu\n", all.size());

  const auto arrays = a.pmap(spread);
  const auto totals = arrays.pmap(total);
  const auto grown = arrays.pmap([](std::array<int, 3> t) {
    t[0] += std::get<2>(t);
    std::swap(t[1], t[2]);
    return t;
  });
  std::printf("%d %d %d %d %d\n", totals[4], totals[59], grown[7][0], grown[7][1], grown[7][2]);
  const std::array<float, 4> weights{1, 2, 4, 8};
  const std::array<std::array<int, 2>, 3> nested{{{1, 2}, {3, 4}, {5, 6}}};
  const auto weighted = a.pmap([weights, nested](int n) {
    return weights[static_cast<std::size_t>(n % 4)] *
           static_cast<float>(nested[static_cast<std::size_t>(n % 3)][1]);
  });
  std::printf("%g\n", static_cast<double>(weighted.preduce(std::plus<>{})[0]));

  const auto minmax = a.pmap([](int n) {
                         return std::make_pair(n, n);
                       }).preduce([](std::pair<int, int> p, std::pair<int, int> q) {
    return std::pair(p.first < q.first ? p.first : q.first,
                     p.second > q.second ? p.second : q.second);
  });
  std::printf("%d..%d\n", minmax.value().first, minmax.value().second);
  const auto tied = a.pmap([](int n) {
    int q = 0, r = 0;
    std::tie(q, r) = std::make_tuple(n / 4, n % 4);
    auto [x, y] = std::pair<int, int>(q, r);
    x += 100;
    return std::tie(x, y) < std::make_tuple(q, r) ? x : std::get<1>(packed(x, y, 2.5)) + x;
  });
  std::printf("%d %d\n", tied[3], tied[44]);

  const ikra::array matrix = ikra::pnew(
      {4, 5}, [](ikra::index<2> i) { return std::pair<std::int64_t, char>(i[0] * i[1], 'x'); });
  std::printf("%lld\n", static_cast<long long>(matrix(3, 4).first));
  std::vector<Sensor> sensors;
  for (int i = 0; i < 40; ++i)
    sensors.emplace_back(i, static_cast<float>(i) / 8);
  const auto objects = ikra::objects(sensors);
  objects.with_index().peach([](Sensor* s, std::int64_t i) {
    for (int k = 0; k < 6; ++k)
      s->read(static_cast<int>(i) * k % 13);
  });
  const auto seen = objects.pmap([](const Sensor* s) { return std::pair{s->id(), s->value()}; });
  const auto ranges = objects.pmap(
      [](const Sensor* s) { return std::tuple(s->range(), s->history()[1], s->second()); });
  for (int i = 0; i < 40; i += 13)
    std::printf("%d %g %d %d %d %g\n", seen[i].first, static_cast<double>(seen[i].second),
                std::get<0>(ranges[i]).first, std::get<0>(ranges[i]).second, std::get<1>(ranges[i]),
                static_cast<double>(std::get<2>(ranges[i])));
  return 0;
}
