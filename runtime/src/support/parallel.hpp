// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over all cores for the runtime's own work. A range is cut into as many contiguous chunks as
// there are threads; what a chunk throws is thrown again in the caller, that of the first chunk
// first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>

#include <omp.h>

namespace ikra::rt {

/// \returns the number of chunks into which count elements are cut, each of at least `grain`.
inline std::size_t chunk_count(std::size_t count, std::size_t grain) {
  const auto threads = static_cast<std::size_t>(omp_in_parallel() ? 1 : omp_get_max_threads());
  const std::size_t chunks = count / (grain == 0 ? 1 : grain);
  return std::clamp<std::size_t>(chunks, 1, threads);
}

inline std::size_t chunk_begin(std::size_t count, std::size_t chunks, std::size_t chunk) {
  return count / chunks * chunk + (chunk < count % chunks ? chunk : count % chunks);
}

/// Calls body(chunk, begin, end) for each chunk of [0, count). The team has all threads, also for
/// fewer chunks: g++'s OpenMP ends threads that a team has no place for, and makes them anew.
template <class Body> void for_chunks(std::size_t count, std::size_t chunks, const Body& body) {
  if (chunks <= 1) {
    body(std::size_t(0), std::size_t(0), count);
    return;
  }
  std::exception_ptr error; // no memory for one of each chunk: some callers may not fail
  std::size_t failed = chunks;
  const auto n = static_cast<std::ptrdiff_t>(chunks);
#pragma omp parallel for schedule(static, 1)
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const auto chunk = static_cast<std::size_t>(i);
    try {
      body(chunk, chunk_begin(count, chunks, chunk), chunk_begin(count, chunks, chunk + 1));
    } catch (...) { // no exception may leave an OpenMP region; it goes on below
#pragma omp critical(ikra_for_chunks)
      if (chunk < failed) {
        failed = chunk;
        error = std::current_exception();
      }
    }
  }
  if (error)
    std::rethrow_exception(error);
}

/// Calls body(begin, end) for parts of [0, count), each at least `grain` long.
template <class Body> void for_ranges(std::size_t count, std::size_t grain, const Body& body) {
  if (count == 0) // arrays without elements have no address
    return;
  for_chunks(count, chunk_count(count, grain),
             [&](std::size_t, std::size_t begin, std::size_t end) { body(begin, end); });
}

} // namespace ikra::rt
