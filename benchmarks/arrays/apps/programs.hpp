// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The applications of PPPJ'15, table look-ups, the kernels of BabelStream and a sparse product:
// what they compute at a place, for programs by hand, and what all programs offer. Data is where
// the program runs before anything is timed.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#ifdef __CUDACC__
#define APPS_BOTH __host__ __device__
#else
#define APPS_BOTH
#endif

namespace apps {

enum class which {
  saxpy,         ///< of floats
  black_scholes, ///< prices of European options
  n_body,        ///< accelerations by all pairs
  pi,            ///< random points in a square
  k_means,       ///< the nearest of 16 centres in three dimensions
  look_ups,      ///< of cross sections: a search in a sorted grid, then rows of 60 nuclides
  sparse,        ///< a sparse matrix in compressed rows times a vector
  stream_copy,   ///< BabelStream's kernels, of doubles
  stream_mul,
  stream_add,
  stream_triad,
  stream_dot
};

struct described {
  which what;
  const char* name;
  double small, on_gpu, on_cores; ///< elements
  double sizes[3];                ///< where all builds are compared
};
inline constexpr described programs[] = {
    {which::saxpy, "saxpy", 1e4, 6e7, 2e7, {1e5, 3e6, 6e7}},
    {which::black_scholes, "Black-Scholes", 1e4, 2e7, 2e6, {2e5, 2e6, 2e7}},
    {which::n_body, "N-body, all pairs", 1003, 131072, 8192, {4096, 16384, 65536}},
    {which::pi, "pi by chance", 1e3, 1e6, 4e4, {1e4, 1e5, 1e6}},
    {which::k_means, "k-means, 16 centres", 1e4, 2e7, 2e6, {2e5, 2e6, 2e7}},
    {which::look_ups, "cross sections", 1e4, 1e7, 1e6, {1e5, 1e6, 1e7}},
    {which::sparse, "sparse product", 1e4, 1e7, 1e6, {1e5, 1e6, 1e7}},
    {which::stream_copy, "BabelStream copy", 1e4, 67108864, 16777216, {131072, 4194304, 67108864}},
    {which::stream_mul, "BabelStream mul", 1e4, 67108864, 16777216, {131072, 4194304, 67108864}},
    {which::stream_add, "BabelStream add", 1e4, 67108864, 16777216, {131072, 4194304, 67108864}},
    {which::stream_triad,
     "BabelStream triad",
     1e4,
     67108864,
     16777216,
     {131072, 4194304, 67108864}},
    {which::stream_dot, "BabelStream dot", 1e4, 67108864, 16777216, {131072, 4194304, 67108864}}};

/// Bytes that a program has to read and write, where it is bound by them; else 0.
constexpr std::size_t bytes_moved(which what, std::size_t n) {
  switch (what) {
  case which::saxpy:
    return 3 * n * sizeof(float);
  case which::stream_copy:
  case which::stream_mul:
  case which::stream_dot:
    return 2 * n * sizeof(double);
  case which::stream_add:
  case which::stream_triad:
    return 3 * n * sizeof(double);
  case which::black_scholes:
  case which::n_body:
  case which::pi:
  case which::k_means:
  case which::look_ups:
  case which::sparse:
    break;
  }
  return 0;
}

/// A program with its data.
class program {
public:
  program() = default;
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  virtual ~program() = default;

  /// Computes all results, and waits for them.
  virtual void run() = 0;
  /// The results of the last run, in one number.
  virtual double checksum() = 0;
};

/// Through ikrac, on the device that IKRA_DEVICE names. \param wait for the GPU; null on all cores
std::unique_ptr<program> by_ikra(which what, std::size_t size, void (*wait)());
/// By hand. \param tiled N-body alone: bodies go through shared memory \returns null for others
/// then
std::unique_ptr<program> by_cuda(which what, std::size_t n, bool tiled);
std::unique_ptr<program> by_thrust(which what, std::size_t n);
std::unique_ptr<program> by_openmp(which what, std::size_t n);
/// A copy on the GPU that reads and writes as many bytes together. It has no results
std::unique_ptr<program> copy_on_gpu(std::size_t bytes);

//===-- data ---------------------------------------------------------------------------------===//

/// The k-th number of a sequence, in [0, 1).
APPS_BOTH inline float number(std::uint64_t k) {
  k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9U + 0x9e3779b97f4a7c15U;
  k = (k ^ (k >> 27)) * 0x94d049bb133111ebU;
  k ^= k >> 31;
  return static_cast<float>(k >> 40) * 0x1p-24f;
}

struct option {
  float spot, strike, years;
};
struct price {
  float call, put;
};
struct body {
  float x, y, z, mass;
};
struct vector {
  float x, y, z;
};
/// A place in the grid of energies, with cross sections of one nuclide.
struct cross_section {
  float total, elastic, absorption, fission;
};

inline constexpr float factor = 2.5f;
inline constexpr float rate = 0.05f, volatility = 0.2f, softening = 0.01f;
inline constexpr int points_of_sample = 100;
inline constexpr std::int64_t centres = 16, dimensions = 3;
inline constexpr double stream_scalar = 0.4;
inline constexpr std::int64_t energies = 11303, nuclides = 60, in_material = 12;

APPS_BOTH inline option option_at(std::uint64_t i) {
  return {50 + 100 * number(3 * i), 50 + 100 * number(3 * i + 1),
          0.25f + 4.75f * number(3 * i + 2)};
}
APPS_BOTH inline body body_at(std::uint64_t i) {
  return {2 * number(3 * i) - 1, 2 * number(3 * i + 1) - 1, 2 * number(3 * i + 2) - 1, 1e-3f};
}
/// Of a point, or of a centre.
APPS_BOTH inline float coordinate_at(std::uint64_t k) { return 8 * number(k + 77); }
APPS_BOTH inline float energy_at(std::uint64_t k) {
  return (static_cast<float>(k) + 0.9f * number(k)) / static_cast<float>(energies);
}
APPS_BOTH inline cross_section cross_section_at(std::uint64_t k) {
  return {1 + number(4 * k), number(4 * k + 1), number(4 * k + 2), number(4 * k + 3)};
}

/// Doubles of BabelStream's vectors, which differ here so that checksums tell more.
APPS_BOTH inline double double_at(std::uint64_t i) { return static_cast<double>(number(i)); }

/// Where the values of a row of the sparse matrix begin: rows have 3 to 10 values.
APPS_BOTH inline std::int64_t begin_of_row(std::uint64_t row) {
  const auto j = static_cast<std::int64_t>(row % 8);
  return 52 * static_cast<std::int64_t>(row / 8) + 3 * j + j * (j - 1) / 2;
}
/// The column of the k-th value, in a row of its neighbourhood or far away.
APPS_BOTH inline std::int32_t column_at(std::uint64_t k, std::uint64_t rows) {
  const std::uint64_t row = k / 52 * 8;
  return static_cast<std::int32_t>((k % 4 == 0 ? row * 7 + k * 13 : row + k % 52) % rows);
}

//===-- what is computed at a place ----------------------------------------------------------===//

APPS_BOTH inline float below(float x) { return 0.5f * std::erfc(-x * 0.70710678f); }

APPS_BOTH inline price price_of(const option& o) {
  const float deviation = volatility * std::sqrt(o.years);
  const float d1 =
      (std::log(o.spot / o.strike) + (rate + volatility * volatility / 2) * o.years) / deviation;
  const float d2 = d1 - deviation;
  const float strike_today = o.strike * std::exp(-rate * o.years);
  return {o.spot * below(d1) - strike_today * below(d2),
          strike_today * below(-d2) - o.spot * below(-d1)};
}

/// 20 operations a pair.
APPS_BOTH inline void attract(vector& sum, const body& here, const body& there) {
  const float x = there.x - here.x, y = there.y - here.y, z = there.z - here.z;
  const float near = 1 / std::sqrt(x * x + y * y + z * z + softening);
  const float pull = there.mass * near * near * near;
  sum.x += pull * x;
  sum.y += pull * y;
  sum.z += pull * z;
}

APPS_BOTH inline std::int32_t inside_of(std::uint64_t sample) {
  std::int32_t count = 0;
  for (int k = 0; k < points_of_sample; ++k) {
    const std::uint64_t at = 2 * (sample * points_of_sample + static_cast<std::uint64_t>(k));
    const float x = number(at), y = number(at + 1);
    count += x * x + y * y < 1 ? 1 : 0;
  }
  return count;
}

} // namespace apps
