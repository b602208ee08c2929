// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// psort(before): a stable merge sort by a body. On all cores each thread sorts chunks, then all
// merge: where a merge is cut is found by bisection (Green, McColl and Bader, GPU Merge Path,
// 2012). On the GPU it is CUB's, which launch_sort_cuda.hpp includes where a file needs it.
#pragma once

#include <ikra/buffer.hpp>
#include <ikra/generated/launch/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace ikra::rt {

inline constexpr std::uint64_t sort_chunk = 16384; ///< elements that are sorted at once

/// How many of the first `diagonal` elements of two merged runs come from the first run.
template <class T, class Before>
std::uint64_t merge_path(const T* a, std::uint64_t a_size, const T* b, std::uint64_t b_size,
                         std::uint64_t diagonal, const Before& before) {
  std::uint64_t low = diagonal < b_size ? 0 : diagonal - b_size;
  std::uint64_t high = std::min(diagonal, a_size);
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (before(b[diagonal - 1 - middle], a[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// One part of a merge: the elements [begin, end) of the merged runs.
template <class T, class Before>
void merge_part(const T* a, std::uint64_t a_size, const T* b, std::uint64_t b_size,
                std::uint64_t begin, std::uint64_t end, T* out, const Before& before) {
  std::uint64_t left = merge_path(a, a_size, b, b_size, begin, before);
  std::uint64_t right = begin - left;
  for (std::uint64_t i = begin; i < end; ++i) {
    const bool take_right = left == a_size || (right < b_size && before(b[right], a[left]));
    out[i] = take_right ? b[right++] : a[left++];
  }
}

/// Sorts few elements stably. Not std::stable_sort, of which clang says that what libstdc++ 12
/// calls there is deprecated. \param spare memory for n more elements
template <class T, class Before>
void sort_few(T* values, T* spare, std::uint64_t n, const Before& before) {
  constexpr std::uint64_t run = 16;
  for (std::uint64_t first = 0; first < n; first += run)
    for (std::uint64_t i = first + 1; i < std::min(n, first + run); ++i) {
      const T value = values[i];
      std::uint64_t to = i;
      for (; to > first && before(value, values[to - 1]); --to)
        values[to] = values[to - 1];
      values[to] = value;
    }
  T* from = values;
  T* to = spare;
  for (std::uint64_t width = run; width < n; width *= 2) {
    for (std::uint64_t first = 0; first < n; first += 2 * width) {
      const std::uint64_t middle = std::min(n, first + width);
      const std::uint64_t last = std::min(n, first + 2 * width);
      std::merge(from + first, from + middle, from + middle, from + last, to + first, before);
    }
    std::swap(from, to);
  }
  if (from != values)
    std::memcpy(static_cast<void*>(values), static_cast<const void*>(from), n * sizeof(T));
}

/// out = in, sorted stably, on all cores. \param spare memory for n more elements
/// \param run run(chunks, body) calls body(k) for k in [0, chunks), as host_chunks does
template <class T, class Body, class Run>
void host_sort(const Body& body, const T* in, std::uint64_t n, T* out, T* spare, const Run& run) {
  const auto before = [&body](const T& a, const T& b) { return static_cast<bool>(body(a, b)); };
  const std::uint64_t chunks = (n + sort_chunk - 1) / sort_chunk;
  int rounds = 0;
  while ((std::uint64_t(1) << rounds) < chunks)
    ++rounds;
  T* from = rounds % 2 == 0 ? out : spare; // so that the last round ends in `out`
  T* to = rounds % 2 == 0 ? spare : out;
  run(chunks, [&](std::uint64_t k) {
    const std::uint64_t first = k * sort_chunk, last = std::min(n, first + sort_chunk);
    std::memcpy(static_cast<void*>(from + first), static_cast<const void*>(in + first),
                (last - first) * sizeof(T));
    sort_few(from + first, to + first, last - first, before);
  });
  // Each round merges pairs of runs of `width` elements. Its parts are as long as the chunks.
  for (std::uint64_t width = sort_chunk; width < n; width *= 2) {
    run(chunks, [&](std::uint64_t k) {
      const std::uint64_t begin = k * sort_chunk, end = std::min(n, begin + sort_chunk);
      const std::uint64_t first = begin / (2 * width) * (2 * width);
      const std::uint64_t middle = std::min(n, first + width);
      const std::uint64_t last = std::min(n, first + 2 * width);
      merge_part(from + first, middle - first, from + middle, last - middle, begin - first,
                 end - first, to + first, before);
    });
    std::swap(from, to);
  }
}

template <class T, class Body>
void host_sort(const Body& body, const T* in, std::uint64_t n, T* out, T* spare) {
  host_sort(body, in, n, out, spare,
            [](std::uint64_t chunks, const auto& run_chunk) { host_chunks(chunks, run_chunk); });
}

/// Sorts elements in device memory, stably; queued on a stream. Defined in launch_sort_cuda.hpp,
/// where nvcc compiles.
/// \param memory null to learn the number of bytes, else so many bytes of device memory
/// \returns a cudaError_t
template <class T, class Body>
int cuda_sort(const Body& body, T* elements, std::uint64_t n, void* memory, std::size_t& bytes,
              void* stream);

} // namespace ikra::rt
