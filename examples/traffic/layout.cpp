// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pivot multidimensional scaling: distances from a few far-apart crossings, double centred,
// projected on their two principal axes.
#include "layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>

namespace traffic {
namespace {

constexpr std::size_t most_pivots = 48;
constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

class Network {
public:
  explicit Network(const RoadMap& map)
      : begin_(map.crossings + std::size_t{1}), ends_(2 * map.roads.size()) {
    for (const Road& road : map.roads) {
      ++begin_[road.from + std::size_t{1}];
      ++begin_[road.to + std::size_t{1}];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (const Road& road : map.roads) {
      ends_[next[road.from]++] = road.to;
      ends_[next[road.to]++] = road.from;
    }
  }

  std::span<const std::uint32_t> beside(std::uint32_t crossing) const {
    return std::span(ends_).subspan(begin_[crossing],
                                    begin_[crossing + std::size_t{1}] - begin_[crossing]);
  }

  // Breadth first. Fills in the distances of all crossings that can be reached, and returns these
  // in the order of their distance.
  std::vector<std::uint32_t> walk(std::uint32_t start, std::vector<std::uint32_t>& distance) const {
    std::vector<std::uint32_t> reached{start};
    distance[start] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const std::uint32_t next : beside(reached[i]))
        if (distance[next] == unreached) {
          distance[next] = distance[reached[i]] + 1;
          reached.push_back(next);
        }
    return reached;
  }

private:
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> ends_;
};

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The two principal eigenvectors of a symmetric k by k matrix, by power iteration.
std::array<Vector, 2> principal_axes(const Vector& matrix, std::size_t k) {
  std::array<Vector, 2> axes;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    Vector v(k);
    for (std::size_t i = 0; i < k; ++i) // any start that is not an eigenvector
      v[i] = std::cos(static_cast<double>(i * (axis + 1)) + 0.5);
    for (int iteration = 0; iteration < 300; ++iteration) {
      Vector product(k);
      for (std::size_t row = 0; row < k; ++row)
        product[row] = std::inner_product(
            v.begin(), v.end(), matrix.begin() + static_cast<std::ptrdiff_t>(row * k), 0.0);
      if (axis == 1) { // stay at a right angle to the first
        const double along = dot(product, axes[0]);
        for (std::size_t i = 0; i < k; ++i)
          product[i] -= along * axes[0][i];
      }
      const double norm = std::sqrt(dot(product, product));
      if (norm < 1e-9) // fewer dimensions than two
        break;
      for (std::size_t i = 0; i < k; ++i)
        v[i] = product[i] / norm;
    }
    axes[axis] = v;
  }
  return axes;
}

// Lays out one connected part.
std::vector<Place> place_part(const Network& network, const std::vector<std::uint32_t>& part,
                              std::vector<std::uint32_t>& distance) {
  const std::size_t n = part.size(), k = std::min(n, most_pivots);
  // Row by row: squared distances to the pivots. Each pivot is the crossing farthest from those
  // before.
  std::vector<float> squares(n * k);
  std::vector<std::uint32_t> nearest(n, unreached);
  std::size_t pivot = n - 1;
  for (std::size_t column = 0; column < k; ++column) {
    for (const std::uint32_t crossing : part)
      distance[crossing] = unreached;
    network.walk(part[pivot], distance);
    for (std::size_t i = 0; i < n; ++i) {
      const auto d = static_cast<float>(distance[part[i]]);
      squares[i * k + column] = d * d;
      nearest[i] = std::min(nearest[i], distance[part[i]]);
    }
    pivot = static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) -
                                     nearest.begin());
  }
  // Double centring.
  Vector column_mean(k);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t column = 0; column < k; ++column)
      column_mean[column] += squares[i * k + column] / static_cast<double>(n);
  const double mean =
      std::accumulate(column_mean.begin(), column_mean.end(), 0.0) / static_cast<double>(k);
  Vector products(k * k), row(k);
  const auto centred_row = [&](std::size_t i) {
    const auto begin = squares.begin() + static_cast<std::ptrdiff_t>(i * k);
    const double row_mean = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(k), 0.0) /
                            static_cast<double>(k);
    for (std::size_t column = 0; column < k; ++column)
      row[column] = -0.5 * (squares[i * k + column] - row_mean - column_mean[column] + mean);
  };
  for (std::size_t i = 0; i < n; ++i) {
    centred_row(i);
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t b = 0; b < k; ++b)
        products[a * k + b] += row[a] * row[b];
  }
  const auto axes = principal_axes(products, k);
  std::vector<Place> places(n);
  for (std::size_t i = 0; i < n; ++i) {
    centred_row(i);
    places[i] = {static_cast<float>(dot(row, axes[0])), static_cast<float>(dot(row, axes[1]))};
  }
  return places;
}

struct Box {
  float left = std::numeric_limits<float>::max(), top = left, right = -left, bottom = -left;
  void add(const Place& place) {
    left = std::min(left, place.x);
    right = std::max(right, place.x);
    top = std::min(top, place.y);
    bottom = std::max(bottom, place.y);
  }
};

struct Part {
  std::vector<std::uint32_t> crossings;
  std::vector<Place> places;
  Box box;
};

// Makes roads one unit long on average, and puts the part's box at the origin.
void normalise(Part& part, const Network& network, std::vector<Place>& all) {
  for (std::size_t i = 0; i < part.crossings.size(); ++i)
    all[part.crossings[i]] = part.places[i];
  double length = 0, roads = 0;
  for (const std::uint32_t crossing : part.crossings)
    for (const std::uint32_t next : network.beside(crossing)) {
      length += std::hypot(all[crossing].x - all[next].x, all[crossing].y - all[next].y);
      ++roads;
    }
  const float scale = length > 0 ? static_cast<float>(roads / length) : 1.0f;
  for (Place& place : part.places) {
    place = {place.x * scale, place.y * scale};
    part.box.add(place);
  }
}

} // namespace

std::vector<Place> place_crossings(const RoadMap& map) {
  const Network network(map);
  std::vector<std::uint32_t> distance(map.crossings, unreached);
  std::vector<Part> parts;
  for (std::uint32_t crossing = 0; crossing < map.crossings; ++crossing)
    if (distance[crossing] == unreached)
      parts.push_back({network.walk(crossing, distance), {}, {}});
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.crossings.size() != b.crossings.size() ? a.crossings.size() > b.crossings.size()
                                                    : a.crossings[0] < b.crossings[0];
  });

  // The largest part above, the others in lines below it.
  std::vector<Place> result(map.crossings);
  constexpr float gap = 2.0f;
  float x = 0, y = 0, line_height = 0, width = 0;
  for (Part& part : parts) {
    part.places = place_part(network, part.crossings, distance);
    normalise(part, network, result);
    const float part_width = part.box.right - part.box.left;
    width = std::max(width, part_width);
    if (x > 0 && x + part_width > width) {
      x = 0;
      y += line_height + gap;
      line_height = 0;
    }
    for (std::size_t i = 0; i < part.crossings.size(); ++i)
      result[part.crossings[i]] = {x + part.places[i].x - part.box.left,
                                   y + part.places[i].y - part.box.top};
    x += part_width + gap;
    line_height = std::max(line_height, part.box.bottom - part.box.top);
  }
  return result;
}

} // namespace traffic
