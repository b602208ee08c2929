// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What bench_arrays compares: operations over an array, each as a program made of ikra sections and
// as programs written by hand. All programs of an operation read the same elements and have to give
// the same checksum.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace arrays {

enum class operation {
  maps,         ///< eleven multiply-adds of an int32 in a row, as one kernel
  saxpy,        ///< 2.5f * x + y over floats
  indices,      ///< a new int32 from an index of rank 4: sum of the coordinates modulo 1337
  reduction,    ///< sum of int32, modulo 2^32
  selection,    ///< the int32 above 0: about half of them, without an order
  few_selected, ///< one int32 of 1024
  scan,         ///< prefix sums of int32, modulo 2^32
  sort,         ///< int32 in ascending order
  sort_by_rule, ///< int32 in an order that a section gives, stably
  runs,         ///< sums of int32 with equal neighbouring keys, ten each
  by_index,     ///< sums of int32 by 256 keys without an order
  histogram     ///< how many int32 have each last byte
};

/// A program with its elements where it runs.
class program {
public:
  program() = default;
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  virtual ~program() = default;

  /// Runs the operation so many times, and waits for the last.
  virtual void run(std::int64_t times) = 0;
  /// Of the result of the last run.
  virtual std::uint64_t checksum() = 0;
};

/// The innermost extents of the array of operation::indices; the outermost is what the number of
/// elements leaves.
inline constexpr std::int64_t inner_extents[] = {500, 500, 12};
inline constexpr std::int64_t inner_volume = 500 * 500 * 12;

inline constexpr float saxpy_factor = 2.5f;

/// Elements of all operations; floats are made of them by as_float.
inline std::int32_t element(std::uint64_t i) {
  std::uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>((bits ^ (bits >> 27)) >> 16));
}
inline float as_float(std::int32_t x) { return static_cast<float>(x % 1024); }

inline std::vector<std::int32_t> elements(std::size_t n, std::size_t from = 0) {
  std::vector<std::int32_t> result(n);
  for (std::size_t i = 0; i < n; ++i)
    result[i] = element(from + i);
  return result;
}
inline std::vector<float> floats(std::size_t n, std::size_t from = 0) {
  std::vector<float> result(n);
  for (std::size_t i = 0; i < n; ++i)
    result[i] = as_float(element(from + i));
  return result;
}

/// Keys of operation::runs.
inline std::vector<std::int32_t> run_keys(std::size_t n) {
  std::vector<std::int32_t> result(n);
  for (std::size_t i = 0; i < n; ++i)
    result[i] = static_cast<std::int32_t>(i / 10);
  return result;
}
/// Elements of operation::histogram: 0 to 255.
inline std::vector<std::int32_t> last_bytes(std::size_t n) {
  std::vector<std::int32_t> result = elements(n);
  for (std::int32_t& x : result)
    x &= 255;
  return result;
}

/// Checksum that depends on the order.
template <class T> std::uint64_t checksum_of(const std::vector<T>& values) {
  std::uint64_t sum = values.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint32_t bits = 0;
    if constexpr (std::is_integral_v<T>)
      bits = static_cast<std::uint32_t>(values[i]);
    else
      bits = std::bit_cast<std::uint32_t>(values[i]);
    sum += bits * (std::uint64_t(i) % 1000003 + 1);
  }
  return sum;
}

// Sections on the device that IKRA_DEVICE names. n is a multiple of inner_volume for indices.
std::unique_ptr<program> ikra_program(operation what, std::size_t n);

// By hand, for the GPU; null where there is no such program for the operation.
std::unique_ptr<program> cuda_scalar(operation what, std::size_t n); ///< one element a thread
std::unique_ptr<program> cuda_vector(operation what, std::size_t n); ///< 16 bytes a thread
std::unique_ptr<program> cuda_cub(operation what, std::size_t n);
std::unique_ptr<program> cuda_thrust(operation what, std::size_t n);
std::unique_ptr<program> cuda_copy(std::size_t n); ///< of n int32 on the device; no checksum

// By hand, for all cores.
std::unique_ptr<program> openmp_loops(operation what, std::size_t n);
std::unique_ptr<program> openmp_copy(std::size_t n); ///< of n int32; no checksum

} // namespace arrays
