// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// preduce_by_key: the elements of each run of equal neighbouring keys combined. On all cores two
// passes over chunks: how many runs begin in each, and their results; what a chunk has of a run
// that began before goes to that run afterwards. On the GPU a scan that starts anew with each run
// and counts runs; the last element of a run has its result. Both group elements by their number
// alone.
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

  device_memory memory(where, total * sizeof(T), "results of runs", section);
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

/// What neighbouring elements come to: what is combined of the last run among them, and how many
/// runs begin among them.
template <class T, class Count> struct run_prefix {
  T all;
  Count runs;
};

/// The run_prefixes of single elements: a source.
template <class T, class Key, class Count> class run_source {
public:
  using value_type = run_prefix<T, Count>;
  static constexpr unsigned per_thread = elements_per_thread<T, Key>();

  run_source(const Key* keys, const T* in) : keys_(keys), in_(in) {}

  IKRA_HD value_type operator[](std::uint64_t i) const {
    return {in_[i], begins_run(keys_, i) ? Count(1) : Count(0)};
  }

#ifdef __CUDACC__
  /// V elements from the first on, a multiple of V.
  template <unsigned V>
  __device__ void load(pack_room<value_type, V>& to, std::uint64_t first) const {
    const pack<T, V> values = *reinterpret_cast<const pack<T, V>*>(in_ + first);
    const pack<Key, V> keys = *reinterpret_cast<const pack<Key, V>*>(keys_ + first);
    ::new (&to.loaded.elements[0])
        value_type{values.elements[0], begins_run(keys_, first) ? Count(1) : Count(0)};
#pragma unroll
    for (unsigned j = 1; j < V; ++j)
      ::new (&to.loaded.elements[j]) value_type{
          values.elements[j], keys.elements[j] == keys.elements[j - 1] ? Count(0) : Count(1)};
  }
#endif

private:
  const Key* keys_;
  const T* in_;
};

/// Lanes have two loads of values and of keys side by side, and combine most by themselves: across
/// lanes, a value and a count are two shuffles a step.
template <class T, class Key, class Count>
struct scan_tile<run_source<T, Key, Count>, run_prefix<T, Count>>
    : tile_of_rows<is_packable<run_prefix<T, Count>> && run_source<T, Key, Count>::per_thread != 1
                       ? 2 * run_source<T, Key, Count>::per_thread
                       : 1,
                   sizeof(run_prefix<T, Count>), 128> {
  static constexpr unsigned blocks = sizeof(run_prefix<T, Count>) <= 8 ? 4 : 2;
};

/// Combines neighbouring run_prefixes; associative where the body is.
template <class T, class Count, class Body> struct combine_runs {
  Body body;
  IKRA_HD run_prefix<T, Count> operator()(const run_prefix<T, Count>& a,
                                          const run_prefix<T, Count>& b) const {
    return {b.runs != 0 ? b.all : static_cast<T>(body(a.all, b.all)),
            static_cast<Count>(a.runs + b.runs)};
  }
};

/// Number of bytes of device memory that cuda_reduce_by_key takes; the number of runs first.
template <class T, class Key> constexpr std::uint64_t runs_workspace(std::uint64_t n);

/// out = the results of all runs, on the GPU; queued on a stream. Called where nvcc compiles.
/// \param n         at least 1
/// \param workspace uninitialised device memory of runs_workspace<T, Key>(n) bytes; its first word
///                  of 64 bits becomes the number of runs
/// \param out       device memory for n results
/// \param firsts    the same for the first key of each run; null where nobody asks for them
template <class T, class Key, class Body>
void cuda_reduce_by_key(const Body& body, const Key* keys, const T* in, std::uint64_t n,
                        void* workspace, T* out, Key* firsts, void* stream);

namespace detail {

/// The number of runs has a place of its own in front of the scan's state.
inline constexpr std::uint64_t run_count_bytes = 256;

} // namespace detail

template <class T, class Key> constexpr std::uint64_t runs_workspace(std::uint64_t n) {
  const auto state = [&]<class Count>(Count) {
    return scan_workspace<run_prefix<T, Count>, run_source<T, Key, Count>>(n);
  };
  return detail::run_count_bytes +
         (n < largest_narrow ? state(std::uint32_t()) : state(std::uint64_t()));
}

#ifdef __CUDACC__

/// Stores the keys of runs, where the first element of each is, their results, where the last is,
/// and the number of runs.
template <class T, class Key, class Count> struct to_runs {
  T* out;
  Key* firsts; ///< null where nobody asks for the keys
  const Key* keys;
  std::uint64_t n;
  std::uint64_t* run_count;

  template <unsigned V>
  __device__ void store(std::uint64_t at, const pack_room<run_prefix<T, Count>, V>& results,
                        unsigned count) const {
#pragma unroll
    for (unsigned j = 0; j < V; ++j) {
      if (j >= count)
        break;
      const run_prefix<T, Count>& here = results.loaded.elements[j];
      const std::uint64_t next = at + j + 1;
      if (firsts != nullptr &&
          (j == 0 ? begins_run(keys, at) : results.loaded.elements[j - 1].runs != here.runs))
        ::new (static_cast<void*>(firsts + (here.runs - 1))) Key(keys[at + j]);
      if (next == n)
        *run_count = here.runs;
      if (j + 1 < count ? results.loaded.elements[j + 1].runs != here.runs
                        : next == n || begins_run(keys, next))
        ::new (static_cast<void*>(out + (here.runs - 1))) T(here.all);
    }
  }
};

template <class T, class Key, class Body>
void cuda_reduce_by_key(const Body& body, const Key* keys, const T* in, std::uint64_t n,
                        void* workspace, T* out, Key* firsts, void* stream) {
  const auto run = [&]<class Count>(Count) {
    cuda_scan_into<run_prefix<T, Count>>(
        to_runs<T, Key, Count>{out, firsts, keys, n, static_cast<std::uint64_t*>(workspace)},
        combine_runs<T, Count, Body>{body}, run_source<T, Key, Count>(keys, in), n,
        start_with_nothing{}, false,
        static_cast<unsigned char*>(workspace) + detail::run_count_bytes, stream);
  };
  if (n < largest_narrow)
    run(std::uint32_t());
  else
    run(std::uint64_t());
}

#endif // __CUDACC__

} // namespace ikra::rt
