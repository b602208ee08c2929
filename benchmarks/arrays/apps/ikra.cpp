// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs as a user writes them.
#include "programs.hpp"

#include <ikra/ikra.hpp>

#include <utility>

namespace apps {
namespace {

/// A result is computed anew in each run. \tparam Make returns an array \tparam Sum of it
template <class Make, class Sum> class lazy final : public program {
public:
  using result = decltype(std::declval<Make>()());

  lazy(Make make, Sum sum, void (*wait)())
      : make_(std::move(make)), sum_(std::move(sum)), wait_(wait) {}

  void run() override {
    last_ = make_();
    last_.wait(); // computes; without start(), which takes a thread on all cores
    if (wait_ != nullptr)
      wait_();
  }
  double checksum() override { return sum_(last_); }

private:
  Make make_;
  Sum sum_;
  void (*wait_)();
  result last_;
};

template <class Make, class Sum> std::unique_ptr<program> made(Make make, Sum sum, void (*wait)()) {
  return std::make_unique<lazy<Make, Sum>>(std::move(make), std::move(sum), wait);
}

/// Computed, and on the program's device.
template <class T> ikra::array<T> there(ikra::array<T> values) {
  values.start();
  values.wait();
  return values;
}

ikra::array<vector> accelerations(const ikra::array<body>& bodies) {
  return bodies.pmap([bodies](const body& here) {
    vector sum{0, 0, 0};
    for (const body& other : bodies)
      attract(sum, here, other);
    return sum;
  });
}

ikra::array<std::int32_t> nearest(const ikra::array<float>& points,
                                  const ikra::array<float>& places, std::int64_t n) {
  return ikra::pnew(n, [points, places](std::int64_t i) {
    std::int32_t best = 0;
    float least = 0;
    for (std::int64_t c = 0; c < centres; ++c) {
      float distance = 0;
      for (std::int64_t d = 0; d < dimensions; ++d) {
        const float difference = points[i * dimensions + d] - places[c * dimensions + d];
        distance += difference * difference;
      }
      if (c == 0 || distance < least) {
        least = distance;
        best = static_cast<std::int32_t>(c);
      }
    }
    return best;
  });
}

/// Of a look-up: the macroscopic total and absorption of a material.
ikra::array<vector> look_ups(const ikra::array<float>& grid,
                             const ikra::array<cross_section>& table, std::int64_t n) {
  return ikra::pnew(n, [grid, table](std::int64_t i) {
    const auto k = static_cast<std::uint64_t>(i);
    const float energy = number(2 * k + 1);
    std::int64_t low = 0, high = energies - 1;
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      if (grid[middle] > energy)
        high = middle;
      else
        low = middle;
    }
    const float share = (energy - grid[low]) / (grid[low + 1] - grid[low]);
    const auto first = static_cast<std::int64_t>(number(2 * k) * float(nuclides));
    vector sum{0, 0, 0};
    for (std::int64_t m = 0; m < in_material; ++m) {
      const std::int64_t row = (first + m * 7) % nuclides * energies + low;
      const cross_section a = table[row], b = table[row + 1];
      sum.x += a.total + share * (b.total - a.total);
      sum.y += a.absorption + share * (b.absorption - a.absorption);
      sum.z += a.fission + share * (b.fission - a.fission);
    }
    return sum;
  });
}

ikra::array<double> product(const ikra::array<std::int64_t>& begins,
                            const ikra::array<std::int32_t>& columns,
                            const ikra::array<double>& values, const ikra::array<double>& x,
                            std::int64_t rows) {
  return ikra::pnew(rows, [begins, columns, values, x](std::int64_t row) {
    double sum = 0;
    for (std::int64_t k = begins[row]; k < begins[row + 1]; ++k)
      sum += values[k] * x[columns[k]];
    return sum;
  });
}

ikra::array<double> doubles(std::int64_t n, std::int64_t from) {
  return there(ikra::pnew(
      n, [from](std::int64_t i) { return double_at(static_cast<std::uint64_t>(i + from)); }));
}

double sum_of(const ikra::array<vector>& all) {
  return all.pmap([](const vector& v) { return double(v.x) + double(v.y) + double(v.z); }).sum();
}

double sum_of_doubles(const ikra::array<double>& all) { return all.sum(); }

} // namespace

std::unique_ptr<program> by_ikra(which what, std::size_t size, void (*wait)()) {
  const auto n = static_cast<std::int64_t>(size);
  switch (what) {
  case which::saxpy: {
    const auto x =
        there(ikra::pnew(n, [](std::int64_t i) { return number(static_cast<std::uint64_t>(i)); }));
    const auto y = there(
        ikra::pnew(n, [](std::int64_t i) { return number(static_cast<std::uint64_t>(i) + 9); }));
    return made([=] { return x.pcombine(y, [](float a, float b) { return factor * a + b; }); },
                [](const ikra::array<float>& all) {
                  return all.pmap([](float v) { return double(v); }).sum();
                },
                wait);
  }
  case which::black_scholes: {
    const auto options = there(
        ikra::pnew(n, [](std::int64_t i) { return option_at(static_cast<std::uint64_t>(i)); }));
    return made(
        [=] { return options.pmap([](const option& o) { return price_of(o); }); },
        [](const ikra::array<price>& all) {
          return all.pmap([](const price& p) { return double(p.call) + double(p.put); }).sum();
        },
        wait);
  }
  case which::n_body: {
    const auto bodies =
        there(ikra::pnew(n, [](std::int64_t i) { return body_at(static_cast<std::uint64_t>(i)); }));
    return made([=] { return accelerations(bodies); }, sum_of, wait);
  }
  case which::pi:
    return made(
        [=] {
          return ikra::pnew(
              n, [](std::int64_t i) { return inside_of(static_cast<std::uint64_t>(i)); });
        },
        [](const ikra::array<std::int32_t>& all) {
          return all.pmap([](std::int32_t v) { return double(v); }).sum();
        },
        wait);
  case which::k_means: {
    const auto points = there(ikra::pnew(n * dimensions, [](std::int64_t i) {
      return coordinate_at(static_cast<std::uint64_t>(i));
    }));
    const auto places = there(ikra::pnew(centres * dimensions, [](std::int64_t i) {
      return coordinate_at(static_cast<std::uint64_t>(i) * 1009);
    }));
    return made([=] { return nearest(points, places, n); },
                [](const ikra::array<std::int32_t>& all) {
                  return all.pmap([](std::int32_t v) { return double(v); }).sum();
                },
                wait);
  }
  case which::look_ups: {
    const auto grid = there(ikra::pnew(
        energies, [](std::int64_t i) { return energy_at(static_cast<std::uint64_t>(i)); }));
    const auto table = there(ikra::pnew(energies * nuclides, [](std::int64_t i) {
      return cross_section_at(static_cast<std::uint64_t>(i));
    }));
    return made([=] { return look_ups(grid, table, n); }, sum_of, wait);
  }
  case which::sparse: {
    const std::int64_t all = begin_of_row(size);
    const auto begins = there(ikra::pnew(
        n + 1, [](std::int64_t i) { return begin_of_row(static_cast<std::uint64_t>(i)); }));
    const auto columns = there(ikra::pnew(all, [size](std::int64_t k) {
      return column_at(static_cast<std::uint64_t>(k), std::uint64_t(size));
    }));
    return made([=, values = doubles(all, 0),
                 x = doubles(n, 9)] { return product(begins, columns, values, x, n); },
                sum_of_doubles, wait);
  }
  case which::stream_copy:
    return made([a = doubles(n, 0)] { return a.pmap([](double x) { return x; }); }, sum_of_doubles,
                wait);
  case which::stream_mul:
    return made([a = doubles(n, 0)] { return a.pmap([](double x) { return stream_scalar * x; }); },
                sum_of_doubles, wait);
  case which::stream_add:
    return made(
        [a = doubles(n, 0), b = doubles(n, 9)] {
          return a.pcombine(b, [](double x, double y) { return x + y; });
        },
        sum_of_doubles, wait);
  case which::stream_triad:
    return made(
        [a = doubles(n, 0), b = doubles(n, 9)] {
          return a.pcombine(b, [](double x, double y) { return x + stream_scalar * y; });
        },
        sum_of_doubles, wait);
  case which::stream_dot:
    return made(
        [a = doubles(n, 0), b = doubles(n, 9)] {
          return a.pcombine(b, [](double x, double y) { return x * y; })
              .preduce(0.0, [](double x, double y) { return x + y; });
        },
        sum_of_doubles, wait);
  }
  return nullptr;
}

} // namespace apps
