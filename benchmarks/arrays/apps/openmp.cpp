// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs by hand on all cores: simd lanes have elements of their own, where the body has no
// branches that depend on data.
#include "programs.hpp"

#include <utility>

namespace apps {
namespace {

template <class T, class F> std::vector<T> filled(std::size_t n, const F& f) {
  std::vector<T> all(n);
  const auto count = static_cast<std::ptrdiff_t>(n);
#pragma omp parallel for
  for (std::ptrdiff_t i = 0; i < count; ++i)
    all[static_cast<std::size_t>(i)] = f(static_cast<std::uint64_t>(i));
  return all;
}

double number_of(float v) { return static_cast<double>(v); }
double number_of(std::int32_t v) { return v; }
double number_of(double v) { return v; }
double number_of(const price& p) {
  return static_cast<double>(p.call) + static_cast<double>(p.put);
}
double number_of(const vector& v) {
  return static_cast<double>(v.x) + static_cast<double>(v.y) + static_cast<double>(v.z);
}

/// \tparam Loop fills n results
template <class T, class Loop> class loops final : public program {
public:
  loops(std::size_t n, Loop loop) : results_(n), loop_(std::move(loop)) {}
  void run() override { loop_(results_.data(), static_cast<std::ptrdiff_t>(results_.size())); }
  double checksum() override {
    double sum = 0;
    for (const T& v : results_)
      sum += number_of(v);
    return sum;
  }

private:
  std::vector<T> results_;
  Loop loop_;
};
template <class T, class Loop> std::unique_ptr<program> made(std::size_t n, Loop loop) {
  return std::make_unique<loops<T, Loop>>(n, std::move(loop));
}

std::unique_ptr<program> saxpy(std::size_t n) {
  return made<float>(n, [a = filled<float>(n, number), b = filled<float>(n, [](std::uint64_t i) {
                                                         return number(i + 9);
                                                       })](float* to, std::ptrdiff_t count) {
    const float *const x = a.data(), *const y = b.data();
#pragma omp parallel for simd
    for (std::ptrdiff_t i = 0; i < count; ++i)
      to[i] = factor * x[i] + y[i];
  });
}

std::unique_ptr<program> black_scholes(std::size_t n) {
  return made<price>(n, [all = filled<option>(n, option_at)](price* to, std::ptrdiff_t count) {
    const option* const options = all.data();
#pragma omp parallel for simd
    for (std::ptrdiff_t i = 0; i < count; ++i)
      to[i] = price_of(options[i]);
  });
}

std::unique_ptr<program> n_body(std::size_t n) {
  return made<vector>(n, [all = filled<body>(n, body_at)](vector* to, std::ptrdiff_t count) {
    constexpr std::ptrdiff_t lanes = 16; // bodies that a thread computes side by side
    const body* const bodies = all.data();
#pragma omp parallel for
    for (std::ptrdiff_t first = 0; first < count; first += lanes) {
      float x[lanes], y[lanes], z[lanes], to_x[lanes] = {}, to_y[lanes] = {}, to_z[lanes] = {};
      for (std::ptrdiff_t k = 0; k < lanes; ++k) {
        const body& here = bodies[first + k < count ? first + k : count - 1];
        x[k] = here.x;
        y[k] = here.y;
        z[k] = here.z;
      }
      for (std::ptrdiff_t j = 0; j < count; ++j) {
        const body there = bodies[j];
#pragma omp simd
        for (std::ptrdiff_t k = 0; k < lanes; ++k) {
          // attract() in numbers alone: with structs, g++ 12 does not vectorise it.
          const float dx = there.x - x[k], dy = there.y - y[k], dz = there.z - z[k];
          const float near = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
          const float pull = there.mass * near * near * near;
          to_x[k] += pull * dx;
          to_y[k] += pull * dy;
          to_z[k] += pull * dz;
        }
      }
      for (std::ptrdiff_t k = 0; k < lanes && first + k < count; ++k)
        to[first + k] = {to_x[k], to_y[k], to_z[k]};
    }
  });
}

std::unique_ptr<program> pi(std::size_t n) {
  return made<std::int32_t>(n, [](std::int32_t* to, std::ptrdiff_t count) {
#pragma omp parallel for simd
    for (std::ptrdiff_t i = 0; i < count; ++i)
      to[i] = inside_of(static_cast<std::uint64_t>(i));
  });
}

std::unique_ptr<program> k_means(std::size_t n) {
  return made<std::int32_t>(n, [points = filled<float>(n * dimensions, coordinate_at),
                                places = filled<float>(centres * dimensions, [](std::uint64_t k) {
                                  return coordinate_at(k * 1009);
                                })](std::int32_t* to, std::ptrdiff_t count) {
    const float *const point = points.data(), *const place = places.data();
#pragma omp parallel for simd
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      std::int32_t best = 0;
      float least = 0;
      for (std::int32_t c = 0; c < centres; ++c) {
        float distance = 0;
        for (std::ptrdiff_t d = 0; d < dimensions; ++d) {
          const float difference = point[i * dimensions + d] - place[c * dimensions + d];
          distance += difference * difference;
        }
        const bool is_nearer = c == 0 || distance < least;
        least = is_nearer ? distance : least;
        best = is_nearer ? c : best;
      }
      to[i] = best;
    }
  });
}

std::unique_ptr<program> look_ups(std::size_t n) {
  return made<vector>(n, [energy_grid = filled<float>(energies, energy_at),
                          sections = filled<cross_section>(energies * nuclides, cross_section_at)](
                             vector* to, std::ptrdiff_t count) {
    const float* const grid = energy_grid.data();
    const cross_section* const table = sections.data();
#pragma omp parallel for
    for (std::ptrdiff_t i = 0; i < count; ++i) {
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
        const cross_section* const a = table + ((first + m * 7) % nuclides * energies + low);
        sum.x += a[0].total + share * (a[1].total - a[0].total);
        sum.y += a[0].absorption + share * (a[1].absorption - a[0].absorption);
        sum.z += a[0].fission + share * (a[1].fission - a[0].fission);
      }
      to[i] = sum;
    }
  });
}

std::unique_ptr<program> sparse(std::size_t n) {
  const auto all = static_cast<std::size_t>(begin_of_row(n));
  return made<double>(n, [row_begins = filled<std::int64_t>(n + 1, begin_of_row),
                          row_columns = filled<std::int32_t>(
                              all, [n](std::uint64_t k) { return column_at(k, std::uint64_t(n)); }),
                          entries = filled<double>(all, double_at),
                          vector_x = filled<double>(n, [](std::uint64_t i) {
                            return double_at(i + 9);
                          })](double* to, std::ptrdiff_t count) {
    const std::int64_t* const begins = row_begins.data();
    const std::int32_t* const columns = row_columns.data();
    const double *const values = entries.data(), *const x = vector_x.data();
#pragma omp parallel for
    for (std::ptrdiff_t row = 0; row < count; ++row) {
      double sum = 0;
      for (std::int64_t k = begins[row]; k < begins[row + 1]; ++k)
        sum += values[k] * x[columns[k]];
      to[row] = sum;
    }
  });
}

/// \tparam Of two numbers
template <class Of> std::unique_ptr<program> stream(std::size_t n, Of of) {
  return made<double>(n,
                      [first = filled<double>(n, double_at),
                       second = filled<double>(n, [](std::uint64_t i) { return double_at(i + 9); }),
                       of](double* to, std::ptrdiff_t count) {
                        const double *const a = first.data(), *const b = second.data();
#pragma omp parallel for simd
                        for (std::ptrdiff_t i = 0; i < count; ++i)
                          to[i] = of(a[i], b[i]);
                      });
}

std::unique_ptr<program> dot(std::size_t n) {
  return made<double>(
      1, [first = filled<double>(n, double_at), second = filled<double>(n, [](std::uint64_t i) {
                                                  return double_at(i + 9);
                                                })](double* to, std::ptrdiff_t) {
        const double *const a = first.data(), *const b = second.data();
        const auto count = static_cast<std::ptrdiff_t>(first.size());
        double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
        for (std::ptrdiff_t i = 0; i < count; ++i)
          sum += a[i] * b[i];
        *to = sum;
      });
}

} // namespace

std::unique_ptr<program> by_openmp(which what, std::size_t n) {
  switch (what) {
  case which::saxpy:
    return saxpy(n);
  case which::black_scholes:
    return black_scholes(n);
  case which::n_body:
    return n_body(n);
  case which::pi:
    return pi(n);
  case which::k_means:
    return k_means(n);
  case which::look_ups:
    return look_ups(n);
  case which::sparse:
    return sparse(n);
  case which::stream_copy:
    return stream(n, [](double x, double) { return x; });
  case which::stream_mul:
    return stream(n, [](double x, double) { return stream_scalar * x; });
  case which::stream_add:
    return stream(n, [](double x, double y) { return x + y; });
  case which::stream_triad:
    return stream(n, [](double x, double y) { return x + stream_scalar * y; });
  case which::stream_dot:
    return dot(n);
  }
  return nullptr;
}

} // namespace apps
