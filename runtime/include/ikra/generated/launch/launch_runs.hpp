// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// preduce_by_key: the elements of each run of equal neighbouring keys combined. On all cores two
// passes over chunks: how many runs begin in each, and their results; what a chunk has of a run
// that began before goes to that run afterwards. On the GPU a scan over tiles
// (launch_runs_cuda.hpp). Both group elements by their number alone.
#pragma once

#include <ikra/generated/launch/launch_runs_cuda.hpp>
#include <ikra/generated/launch/launch_scan.hpp>

#include <cstdint>
#include <new>
#include <optional>
#include <utility>

namespace ikra::rt {

/// What runs come to, in the host's memory.
struct host_runs {
  device_memory results;
  device_memory keys; ///< the first of each run, if they are asked for
  std::uint64_t count;
};

/// \returns the runs' results and their number \param n at least 1 \param with_keys and their keys
template <class T, class Key, class Body>
host_runs host_reduce_by_key(const Body& body, const Key* keys, const T* in, std::uint64_t n,
                             bool with_keys, device& where, const section_info& section) {
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

  device_memory memory(where, bytes_of<T>(total), "results of runs", section);
  auto* const out = static_cast<T*>(memory.data());
  device_memory firsts(where, with_keys ? total * sizeof(Key) : 0, "keys of runs", section);
  auto* const first_keys = static_cast<Key*>(firsts.data());
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
      if (with_keys)
        ::new (static_cast<void*>(first_keys + (run - out))) Key(keys[i]);
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
  return {std::move(memory), std::move(firsts), total};
}

} // namespace ikra::rt
