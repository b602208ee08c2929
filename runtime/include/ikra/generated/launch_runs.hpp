// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// preduce_by_key: the elements of each run of equal neighbouring keys combined. On all cores two
// passes over chunks: how many runs begin in each, and their results; what a chunk has of a run
// that began before goes to that run afterwards. On the GPU a scan that starts anew with each run,
// of which the last elements of runs are selected. Both group elements by their number alone.
#pragma once

#include <ikra/generated/launch_scan.hpp>
#include <ikra/generated/launch_select.hpp>

#include <cstdint>
#include <new>
#include <optional>
#include <utility>

namespace ikra::rt {

/// Whether a run begins at element i.
template <class Key> IKRA_HD bool begins_run(const Key* keys, std::uint64_t i) {
  return i == 0 || !(keys[i] == keys[i - 1]);
}

/// \returns the runs' results, and their number. \param n at least 1
template <class T, class Key, class Body>
host_selection host_reduce_by_key(const Body& body, const Key* keys, const T* in, std::uint64_t n,
                                  device& where, const section_info& section) {
  const std::uint64_t size = scan_chunk(n);
  const std::uint64_t chunks = (n + size - 1) / size;
  ikra::detail::room<std::uint64_t> ends(chunks); // runs that began up to the end of a chunk
  host_chunks(chunks, [&](std::uint64_t k) {
    std::uint64_t count = 0;
    for (std::uint64_t i = k * size; i < std::min(n, (k + 1) * size); ++i)
      count += begins_run(keys, i) ? 1U : 0U;
    ends.data()[k] = count;
  });
  std::uint64_t total = 0;
  for (std::uint64_t k = 0; k < chunks; ++k)
    total = ends.data()[k] += total;

  device_memory memory(where, total * sizeof(T), "results of runs", section);
  auto* const out = static_cast<T*>(memory.data());
  // What a chunk has of the run that began before it.
  ikra::detail::room<std::optional<T>> heads(chunks);
  host_chunks(chunks, [&](std::uint64_t k) {
    const Body mine = body;
    std::optional<T>& head = *::new (static_cast<void*>(heads.data() + k)) std::optional<T>();
    const std::uint64_t end = std::min(n, (k + 1) * size);
    std::uint64_t i = k * size;
    for (; i < end && !begins_run(keys, i); ++i)
      head.emplace(head ? static_cast<T>(mine(*head, in[i])) : in[i]);
    T* run = out + (k == 0 ? 0 : ends.data()[k - 1]);
    while (i < end) {
      T all = in[i++];
      for (; i < end && !begins_run(keys, i); ++i)
        all = static_cast<T>(mine(all, in[i]));
      ::new (static_cast<void*>(run++)) T(all);
    }
  });
  for (std::uint64_t k = 1; k < chunks; ++k)
    if (const std::optional<T>& head = heads.data()[k]) {
      T& run = out[ends.data()[k - 1] - 1];
      const T all = static_cast<T>(body(run, *head));
      ::new (static_cast<void*>(&run)) T(all);
    }
  return {std::move(memory), total};
}

/// What is combined of a run, and whether the run began among it.
template <class T> struct run_part {
  T all;
  bool begins;
};

/// The run_part of element i alone, of element and index.
template <class T, class Key> struct part_of_run {
  const Key* keys;
  IKRA_HD run_part<T> operator()(const T& x, std::int64_t i) const {
    return {x, begins_run(keys, static_cast<std::uint64_t>(i))};
  }
};
/// Combines neighbouring run_parts; associative where the body is.
template <class T, class Body> struct combine_runs {
  Body body;
  IKRA_HD run_part<T> operator()(const run_part<T>& a, const run_part<T>& b) const {
    return {b.begins ? b.all : static_cast<T>(body(a.all, b.all)), a.begins || b.begins};
  }
};
template <class T> struct result_of_run {
  IKRA_HD T operator()(const run_part<T>& part) const { return part.all; }
};
/// Whether element i is the last of its run.
template <class Key> struct ends_run {
  const Key* keys;
  std::uint64_t n;
  template <class T> IKRA_HD bool operator()(const T&, std::int64_t i) const {
    const auto next = static_cast<std::uint64_t>(i) + 1;
    return next == n || begins_run(keys, next);
  }
};

} // namespace ikra::rt
