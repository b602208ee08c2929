// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k-means: points are put to the nearest of k centres, and centres to the mean of their points,
// until nothing changes. The number of clusters and the dimensions are free; all steps are sections
// or operations, so on a GPU nothing but the cost comes back. Starts with random points, or by
// k-means++ (Arthur and Vassilvitskii 2007).
#include "../simulations/picture.hpp"
#include "options.hpp"

#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace {

using matrix = ikra::array<float, 2>; // a row for each point or centre

struct nearest {
  std::int32_t centre;
  float distance; // squared
};

ikra::array<nearest> assign(const matrix& points, const matrix& centres) {
  const std::int64_t k = centres.shape()[0], d = centres.shape()[1];
  return ikra::pnew(points.shape()[0], [points, centres, k, d](std::int64_t i) {
    nearest best{0, 0};
    for (std::int64_t c = 0; c < k; ++c) {
      float distance = 0;
      for (std::int64_t x = 0; x < d; ++x) {
        const float difference = points(i, x) - centres(c, x);
        distance += difference * difference;
      }
      if (c == 0 || distance < best.distance)
        best = nearest{static_cast<std::int32_t>(c), distance};
    }
    return best;
  });
}

/// The mean of each centre's points; a centre without points stays.
matrix means(const matrix& points, const ikra::array<std::int32_t>& labels, const matrix& before) {
  const std::int64_t k = before.shape()[0], d = before.shape()[1];
  const auto counts = labels.phistogram(k);
  const auto places = ikra::pnew(points.shape(), [labels, d](ikra::index<2> p) {
    return labels[p[0]] * static_cast<std::int32_t>(d) + static_cast<std::int32_t>(p[1]);
  });
  const auto sums = points.reduce_by_index(k * d, places, 0.0, std::plus<>{});
  return before.with_index().pmap([sums, counts, d](float old, ikra::index<2> p) {
    const std::int64_t count = counts[p[0]];
    return count == 0 ? old
                      : static_cast<float>(sums[p[0] * d + p[1]] / static_cast<double>(count));
  });
}

double cost(const ikra::array<nearest>& assigned) {
  return assigned.pmap([](const nearest& n) { return double(n.distance); }).sum();
}

matrix rows(const matrix& points, const std::vector<std::int64_t>& chosen) {
  return ikra::pnew({static_cast<std::int64_t>(chosen.size()), points.shape()[1]},
                    [points, chosen](ikra::index<2> p) { return points(chosen[p[0]], p[1]); });
}

/// Random points, or each with a chance that grows with its distance from those before.
matrix start(const matrix& points, std::int64_t k, bool plusplus) {
  const std::int64_t n = points.shape()[0];
  ikra::random r(2007, 0);
  std::vector<std::int64_t> chosen{r.below(n)};
  while (static_cast<std::int64_t>(chosen.size()) < k) {
    if (!plusplus) {
      chosen.push_back(r.below(n));
      continue;
    }
    const auto distances = assign(points, rows(points, chosen)).pmap([](const nearest& a) {
      return double(a.distance);
    });
    const auto up_to = distances.pscan(std::plus<>{});
    const double chance = r.uniform<double>() * up_to[n - 1];
    const std::int64_t before = up_to.count([chance](double sum) { return sum <= chance; });
    chosen.push_back(before < n ? before : n - 1);
  }
  return rows(points, chosen);
}

/// Clouds around k places; coordinates are multiples of 1/64, so that sums are exact in any order.
matrix clouds(std::int64_t n, std::int64_t k, std::int64_t d) {
  return ikra::pnew({n, d}, [k, d](ikra::index<2> p) {
    const std::int64_t cloud = p[0] % k;
    ikra::random place(3, static_cast<std::uint64_t>(cloud * d + p[1]));
    ikra::random noise(4, static_cast<std::uint64_t>(p[0] * d + p[1]));
    return static_cast<float>(place.below(2048) + noise.below(65) - 32) / 64;
  });
}

/// A picture of the points by their first two coordinates: each has its cluster's colour.
void draw(const matrix& points, const ikra::array<std::int32_t>& labels, std::int64_t k,
          const std::string& to) {
  constexpr std::int64_t side = 512;
  constexpr float widest = 33; // coordinates of clouds() are below
  const std::int64_t second = points.shape()[1] > 1 ? 1 : 0;
  const auto places = ikra::pnew(points.shape()[0], [points, second](std::int64_t i) {
    const float y = points(i, second) + 1, x = points(i, 0) + 1;
    return ikra::index<2>(static_cast<std::int64_t>(y / (widest + 1) * side),
                          static_cast<std::int64_t>(x / (widest + 1) * side));
  });
  const auto field = labels.pmap([](std::int32_t label) { return static_cast<float>(label + 1); })
                         .pscatter(places, {side, side});
  simulations::draw(field, 0.0F, static_cast<float>(k), to);
}

} // namespace

int main(int argc, char** argv) {
  std::int64_t n = 20'000, k = 8, d = 3, most = 100;
  bool plusplus = false;
  std::string picture;
  apps::read_options(argc, argv, "k-means of random clouds",
                     {{"--points", n, 1, std::int64_t(1) << 31, "how many"},
                      {"--clusters", k, 1, 1 << 16, "k"},
                      {"--dimensions", d, 1, 1 << 10, "of a point"},
                      {"--most", most, 1, 1 << 20, "steps at most"}},
                     {{"--plusplus", plusplus, "start by k-means++, not with random points"}},
                     {{"--picture", picture, "a PNG file of the clusters"}});
  const matrix points = clouds(n, k, d);
  matrix centres = start(points, k, plusplus);
  auto assigned = assign(points, centres);
  const double first = cost(assigned);
  double last = first, before = 0;
  std::int64_t steps = 0;
  bool falls = true;
  ikra::host_section([&] {
    do {
      before = last;
      const auto labels = assigned.pmap([](const nearest& a) { return a.centre; });
      centres = means(points, labels, centres);
      assigned = assign(points, centres);
      last = cost(assigned);
      falls &= last <= before * (1 + 1e-6);
      ++steps;
    } while (last < before && steps < most);
  });

  std::printf("%lld points, %lld clusters, %lld dimensions\n", static_cast<long long>(n),
              static_cast<long long>(k), static_cast<long long>(d));
  std::printf("cost %.1f at first, %.1f after %lld steps\n", first, last,
              static_cast<long long>(steps));
  try {
    draw(points, assigned.pmap([](const nearest& a) { return a.centre; }), k, picture);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "kmeans: %s\n", e.what());
    return 1;
  }
  return apps::verdict(falls, "a cost that never rises");
}
