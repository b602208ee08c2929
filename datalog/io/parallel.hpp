// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work on all cores for reading, sorting and writing: parts of a range, and a sort. Private to this
// folder.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <utility>
#include <vector>

namespace ikra::datalog::io {

/// The threads that are worth waking for so many items.
inline std::size_t threads_for(std::size_t items, std::size_t fewest_each) {
  return std::clamp<std::size_t>(items / fewest_each, 1,
                                 static_cast<std::size_t>(omp_get_max_threads()));
}

/// Calls work(part) for all parts, by all threads: a team of fewer would end the others (see
/// host_parts). What a part throws reaches the caller after all have ended: the exception of the
/// first part that has one.
template <class Work> void for_parts(std::size_t parts, const Work& work) {
  if (parts == 1)
    return work(std::size_t{0});
  std::vector<std::exception_ptr> problems(parts);
#pragma omp parallel for schedule(static, 1)
  for (std::int64_t part = 0; part < static_cast<std::int64_t>(parts); ++part) {
    try {
      work(static_cast<std::size_t>(part));
    } catch (...) {
      problems[static_cast<std::size_t>(part)] = std::current_exception();
    }
  }
  for (const std::exception_ptr& problem : problems)
    if (problem)
      std::rethrow_exception(problem);
}

/// Where part i of so many equal ones begins.
inline std::size_t part_begin(std::size_t count, std::size_t part, std::size_t parts) {
  return count / parts * part + std::min(part, count % parts);
}

/// Calls work(part, begin, end) for so many parts of a range, a thread each.
template <class Work> void for_ranges(std::size_t count, std::size_t parts, const Work& work) {
  for_parts(parts, [&](std::size_t part) {
    work(part, part_begin(count, part, parts), part_begin(count, part + 1, parts));
  });
}

/// The first n items of two sorted ranges together: so many are of the first range.
template <class T, class Less>
std::size_t split_of_merge(const T* a, std::size_t count_a, const T* b, std::size_t count_b,
                           std::size_t n, const Less& less) {
  std::size_t least = n > count_b ? n - count_b : 0, most = std::min(n, count_a);
  while (least < most) {
    const std::size_t middle = least + (most - least) / 2;
    if (less(b[n - middle - 1], a[middle]))
      most = middle;
    else
      least = middle + 1;
  }
  return least;
}

/// Sorts on all cores: each part by itself, then two neighbours at a time into a second array.
template <class T, class Less> void sort_items(std::vector<T>& items, const Less& less) {
  constexpr std::size_t fewest = 1U << 14;
  const std::size_t count = items.size(), parts = threads_for(count, fewest);
  const auto at = [&](std::size_t i) {
    return std::next(items.begin(), static_cast<std::ptrdiff_t>(i));
  };
  const auto begin = [&](std::size_t part) {
    return part_begin(count, std::min(part, parts), parts);
  };
  std::vector<T> merged(parts > 1 ? count : 0);
  for_parts(parts,
            [&](std::size_t part) { std::sort(at(begin(part)), at(begin(part + 1)), less); });
  for (std::size_t width = 1; width < parts; width *= 2) {
    // Each thread makes a part of the result, wherever it comes from.
    for_parts(parts, [&](std::size_t part) {
      const std::size_t first = begin(part), last = begin(part + 1);
      for (std::size_t pair = 0; pair < parts; pair += 2 * width) {
        const std::size_t from = begin(pair), middle = begin(pair + width),
                          to = begin(pair + 2 * width);
        const std::size_t low = std::max(first, from), high = std::min(last, to);
        if (low >= high)
          continue;
        const T *a = items.data() + from, *b = items.data() + middle;
        const std::size_t i = split_of_merge(a, middle - from, b, to - middle, low - from, less);
        const std::size_t j = split_of_merge(a, middle - from, b, to - middle, high - from, less);
        std::merge(a + i, a + j, b + (low - from - i), b + (high - from - j), merged.data() + low,
                   less);
      }
    });
    std::swap(items, merged);
  }
}

} // namespace ikra::datalog::io
