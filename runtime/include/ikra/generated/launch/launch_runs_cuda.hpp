// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// preduce_by_key on the GPU: one pass over tiles. A warp counts the runs that begin among its
// elements, combines each, and keeps keys and results in the block's shared memory, at places that
// are numbered within the warp. What the tiles before have (launch_scan.hpp) says where these
// belong, and what the run that began before the warp has; then they are stored side by side.
#pragma once

#include <ikra/generated/launch/launch_scan.hpp>

#include <algorithm>
#include <cstdint>
#include <new>

namespace ikra::rt {

/// Whether a run begins at element i.
template <class Key> IKRA_HD bool begins_run(const Key* keys, std::uint64_t i) {
  return i == 0 || !(keys[i] == keys[i - 1]);
}

/// What neighbouring elements come to: what is combined of the last run among them, and how many
/// runs begin among them.
template <class T, class Count> struct run_prefix {
  T all;
  Count runs;
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

/// Whether all GPUs that the program is compiled for give a block more than 64 KB of shared memory.
#ifdef __CUDA_ARCH_LIST__
inline constexpr bool has_large_blocks = std::min({__CUDA_ARCH_LIST__}) >= 800;
#else
inline constexpr bool has_large_blocks = true;
#endif

/// How a block works on its tile. Lanes have two loads of values and of keys side by side, or four:
/// what they combine by themselves takes no shuffles.
template <class T, class Key> struct run_tile {
  static constexpr std::size_t element = sizeof(T) + sizeof(Key);
  /// Larger ones do not fit into shared memory.
  static constexpr bool is_staged = element <= 128;
  static constexpr unsigned per_load = elements_per_thread<T, Key>();
  /// Where one of the two has 8 bytes, five blocks would have too few elements each: two have all
  /// the memory.
  static constexpr bool is_large = has_large_blocks && per_load == 2;
  static constexpr unsigned v = is_large ? 8 : std::min(per_load == 1 ? 1 : 2 * per_load, 8U);
  static constexpr unsigned row = warp_size * v;
  /// Else as many as leave room for five blocks, which hides most of their waiting for each other.
  static constexpr unsigned rows =
      is_large
          ? static_cast<unsigned>(96 * 1024 / (element * v * block_size))
          : std::max(1U, v == 1 ? static_cast<unsigned>(128 / element)
                                : std::min(16 / v, static_cast<unsigned>(176 / (element * v))));
  /// Rows that are loaded before they are looked at; of large tiles one, for want of registers.
  static constexpr unsigned ahead = is_large ? 1 : rows - 1;
  static constexpr unsigned run = rows * row; ///< elements of a warp
  static constexpr unsigned size = warps_per_block * run;
  static constexpr unsigned small_blocks = v == 1 ? 3 : 5;
  static constexpr unsigned blocks = is_large ? 2 : small_blocks; ///< a processor
  static constexpr std::size_t staged_bytes = size * element;
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

/// The run_prefixes of single elements: a source of scans, for elements that are not staged.
template <class T, class Key, class Count> class run_source {
public:
  using value_type = run_prefix<T, Count>;
  static constexpr unsigned per_thread = 1;

  run_source(const Key* keys, const T* in) : keys_(keys), in_(in) {}

  IKRA_HD value_type operator[](std::uint64_t i) const {
    return {in_[i], begins_run(keys_, i) ? Count(1) : Count(0)};
  }

#ifdef __CUDACC__
  template <unsigned V>
  __device__ void load(pack_room<value_type, V>& to, std::uint64_t first) const {
    for (unsigned j = 0; j < V; ++j)
      ::new (&to.loaded.elements[j]) value_type((*this)[first + j]);
  }
#endif

private:
  const Key* keys_;
  const T* in_;
};

namespace detail {

/// The number of runs has a place of its own in front of the scan's state.
inline constexpr std::uint64_t run_count_bytes = 256;

} // namespace detail

template <class T, class Key> constexpr std::uint64_t runs_workspace(std::uint64_t n) {
  const auto state = [&]<class Count>(Count) {
    if constexpr (run_tile<T, Key>::is_staged)
      return scan_state<run_prefix<T, Count>>::bytes((n + run_tile<T, Key>::size - 1) /
                                                     run_tile<T, Key>::size);
    else
      return scan_workspace<run_prefix<T, Count>, run_source<T, Key, Count>>(n);
  };
  return detail::run_count_bytes +
         (n < largest_narrow ? state(std::uint32_t()) : state(std::uint64_t()));
}

#ifdef __CUDACC__

/// What a warp has of its runs, in shared memory.
template <class T, class Key> struct staged_runs {
  T* values; ///< of the runs that begin in the warp, but for the last
  Key* keys;
  T* first_part;        ///< what the warp has of the run that began before it,
  bool* has_first_part; ///< if it has any, and a run begins after it
};

/// \param from V elements, aligned as a pack of them is if V is more than 1
template <class T, unsigned V> __device__ void load_pack(pack_room<T, V>& to, const T* from) {
  if constexpr (V > 1)
    ::new (&to.loaded) pack<T, V>(packed_at<V>(from));
}

/// Stages the runs of a row of a warp's elements.
/// \param count  elements that this lane has
/// \param before the key in front of the lane's first
/// \param heads  runs that began in the rows before, and with this row
/// \param open   what the rows before have of the last run, and with this row; the same in all
/// lanes
template <unsigned V, class T, class Key, class Body>
__device__ void stage_runs(const Body& body, const pack_room<T, V>& values,
                           const pack_room<Key, V>& keys, unsigned count, bool is_first,
                           const Key& before, unsigned& heads, perhaps<T>& open,
                           const staged_runs<T, Key>& to) {
  const auto& value = values.loaded.elements;
  const auto& key = keys.loaded.elements;
  const unsigned lane = threadIdx.x % warp_size;
  unsigned begins = is_first || !(key[0] == before) ? 1U : 0U; // a bit an element
#pragma unroll
  for (unsigned j = 1; j < V; ++j)
    begins |= key[j] == key[j - 1] ? 0U : 1U << j;
  begins &= count == 0 ? 0U : (2U << (count - 1)) - 1U;

  // What each lane has of its last run, then with the lanes before it.
  perhaps<T> tail;
  tail.set(value[0]);
#pragma unroll
  for (unsigned j = 1; j < V; ++j)
    if (j < count)
      tail.set((begins >> j) & 1U ? T(value[j]) : static_cast<T>(body(tail.get(), value[j])));
  const unsigned lanes_with_heads = __ballot_sync(all_lanes, begins != 0);
  const unsigned below = (1U << lane) - 1U;
  const unsigned up_to = lanes_with_heads & (below | 1U << lane);
  const unsigned reach = lane - (up_to == 0 ? 0U : 31U - __clz(up_to)); // lanes of the same run
#pragma unroll
  for (unsigned by = 1; by < warp_size; by *= 2) {
    const T earlier = from_lane_before(tail.get(), by);
    if (by <= reach && count != 0)
      tail.set(static_cast<T>(body(earlier, tail.get())));
  }

  perhaps<T> run; // the one that an element goes on with
  const T earlier = from_lane_before(tail.get(), 1);
  if ((lanes_with_heads & below) != 0) {
    run.set(earlier);
  } else {
    if (open.is_there)
      run.set(open.get());
    if (lane != 0)
      run.add(body, earlier);
  }
  const unsigned mine = __popc(begins);
  unsigned at = heads; // the number of the lane's next run
#pragma unroll
  for (unsigned bit = 1; bit <= V; bit *= 2) {
    const unsigned lanes = __ballot_sync(all_lanes, (mine & bit) != 0);
    at += __popc(lanes & below) * bit;
    heads += __popc(lanes) * bit;
  }
#pragma unroll
  for (unsigned j = 0; j < V; ++j) {
    if (j >= count)
      break;
    if (((begins >> j) & 1U) == 0) {
      run.add(body, value[j]);
      continue;
    }
    if (at != 0) {
      ::new (static_cast<void*>(to.values + (at - 1))) T(run.get());
    } else if (run.is_there) {
      ::new (static_cast<void*>(to.first_part)) T(run.get());
      *to.has_first_part = true;
    }
    ::new (static_cast<void*>(to.keys + at)) Key(key[j]);
    ++at;
    run.set(value[j]);
  }

  // The row ends where its last lane with elements does.
  const unsigned lanes = __popc(__ballot_sync(all_lanes, count != 0));
  if (lanes == 0)
    return;
  const T last = from_lane(tail.get(), lanes - 1);
  if (lanes_with_heads == 0)
    open.add(body, last);
  else
    open.set(last);
}

/// A block a tile.
template <class T, class Key, class Count, class Body>
__global__ void __launch_bounds__(block_size, blocks_held(run_tile<T, Key>::blocks))
    runs_kernel(const __grid_constant__ Body body, const Key* __restrict__ keys,
                const T* __restrict__ in, std::uint64_t n,
                const __grid_constant__ scan_state<run_prefix<T, Count>> state, T* out, Key* firsts,
                std::uint64_t* run_count) {
  using shape = run_tile<T, Key>;
  using prefix = run_prefix<T, Count>;
  constexpr unsigned v = shape::v;
  __shared__ std::uint64_t this_tile;
  __shared__ bool tile_has_before;
  __shared__ bool has_first_part[warps_per_block];
  extern __shared__ __align__(16) unsigned char staged[]; // staged_bytes
  alignas(prefix) __shared__ unsigned char memory[(warps_per_block + 1) * sizeof(prefix)];
  alignas(T) __shared__ unsigned char first_parts[warps_per_block * sizeof(T)];
  prefix* const of_warps = reinterpret_cast<prefix*>(memory);
  prefix* const before_tile = of_warps + warps_per_block;
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const staged_runs<T, Key> mine{reinterpret_cast<T*>(staged) + warp * shape::run,
                                 reinterpret_cast<Key*>(staged + shape::size * sizeof(T)) +
                                     warp * shape::run,
                                 reinterpret_cast<T*>(first_parts) + warp, has_first_part + warp};
  const combine_runs<T, Count, Body> combine{body};

  if (threadIdx.x == 0)
    this_tile = state.next_tile();
  if (lane == 0)
    *mine.has_first_part = false;
  __syncthreads();
  const std::uint64_t tile = this_tile, tile_first = tile * shape::size;
  const std::uint64_t first = tile_first + warp * shape::run + lane * v;
  const bool whole = n - tile_first >= shape::size;

  constexpr unsigned rooms = shape::ahead + 1;
  pack_room<T, v> values[rooms];
  pack_room<Key, v> row_keys[rooms];
  pack_room<Key, 1> before_rows[rooms];
  const auto load = [&](unsigned r) {
    const std::uint64_t at = first + r * shape::row;
    auto& to = values[r % rooms].loaded.elements;
    auto& to_keys = row_keys[r % rooms].loaded.elements;
    if (v > 1 && whole) {
      load_pack(values[r % rooms], in + at);
      load_pack(row_keys[r % rooms], keys + at);
    } else { // past the end the last element, which is then left out
#pragma unroll
      for (unsigned j = 0; j < v; ++j) {
        const std::uint64_t k = at + j < n ? at + j : n - 1;
        ::new (&to[j]) T(in[k]);
        ::new (&to_keys[j]) Key(keys[k]);
      }
    }
    const bool follows = lane == 0 && at != 0 && at < n;
    ::new (&before_rows[r % rooms].loaded.elements[0]) Key(follows ? keys[at - 1] : to_keys[0]);
  };

#pragma unroll
  for (unsigned r = 0; r != shape::ahead; ++r) // it may be 0
    load(r);
  unsigned heads = 0;
  perhaps<T> open;
#pragma unroll
  for (unsigned r = 0; r < shape::rows; ++r) {
    if (r + shape::ahead < shape::rows)
      load(r + shape::ahead);
    const std::uint64_t at = first + r * shape::row;
    const unsigned count = whole || n >= at + v ? v : at < n ? static_cast<unsigned>(n - at) : 0U;
    const auto& of_row = row_keys[r % rooms];
    const Key of_lane_before = from_lane_before(of_row.loaded.elements[v - 1], 1);
    stage_runs<v>(body, values[r % rooms], of_row, count, at == 0,
                  lane == 0 ? before_rows[r % rooms].loaded.elements[0] : of_lane_before, heads,
                  open, mine);
  }
  if (lane == 0 && open.is_there)
    ::new (of_warps + warp) prefix{open.get(), heads};
  __syncthreads();

  const std::uint64_t rest = n - tile_first;
  const bool is_last = rest <= shape::size;
  perhaps<prefix> before, total;
  if (threadIdx.x == 0) {
    for (unsigned w = 0; w < warps_per_block && w * shape::run < rest; ++w)
      total.add(combine, of_warps[w]);
    if (!is_last)
      state.say_total(tile, total.get());
  }
  scan_before_tile(combine, start_with_nothing(), state, tile, is_last, total, before);
  if (threadIdx.x == 0) {
    tile_has_before = before.is_there;
    if (before.is_there)
      ::new (before_tile) prefix(before.get());
    if (is_last) { // no other run follows to say what the last one comes to
      before.add(combine, total.get());
      *run_count = before.get().runs;
      ::new (static_cast<void*>(out + (before.get().runs - 1))) T(before.get().all);
    }
  }
  __syncthreads();

  perhaps<prefix> before_warp;
  if (tile_has_before)
    before_warp.set(*before_tile);
  if (warp * shape::run < rest)
    for (unsigned w = 0; w < warp; ++w)
      before_warp.add(combine, of_warps[w]);
  const std::uint64_t runs_before = before_warp.is_there ? before_warp.get().runs : 0;
  for (unsigned k = lane; k < heads; k += warp_size) {
    if (firsts != nullptr)
      ::new (static_cast<void*>(firsts + (runs_before + k))) Key(mine.keys[k]);
    if (k + 1 < heads)
      ::new (static_cast<void*>(out + (runs_before + k))) T(mine.values[k]);
  }
  if (lane == 0 && heads != 0 && runs_before != 0) {
    const T& all = before_warp.get().all;
    ::new (static_cast<void*>(out + (runs_before - 1)))
        T(*mine.has_first_part ? static_cast<T>(body(all, *mine.first_part)) : T(all));
  }
}

/// Stores the keys of runs, where the first element of each is, their results, where the last is,
/// and the number of runs: a sink of scans, for elements that are not staged.
template <class T, class Key, class Count> struct to_runs {
  T* out;
  Key* firsts; ///< null where nobody asks for the keys
  const Key* keys;
  std::uint64_t n;
  std::uint64_t* run_count;

  template <unsigned V>
  __device__ void store(std::uint64_t at, const pack_room<run_prefix<T, Count>, V>& results,
                        unsigned count) const {
    static_assert(V == 1);
    if (count == 0)
      return;
    const run_prefix<T, Count>& here = results.loaded.elements[0];
    if (firsts != nullptr && begins_run(keys, at))
      ::new (static_cast<void*>(firsts + (here.runs - 1))) Key(keys[at]);
    if (at + 1 == n)
      *run_count = here.runs;
    if (at + 1 == n || begins_run(keys, at + 1))
      ::new (static_cast<void*>(out + (here.runs - 1))) T(here.all);
  }
};

template <class T, class Key, class Body>
void cuda_reduce_by_key(const Body& body, const Key* keys, const T* in, std::uint64_t n,
                        void* workspace, T* out, Key* firsts, void* stream) {
  auto* const run_count = static_cast<std::uint64_t*>(workspace);
  unsigned char* const memory = static_cast<unsigned char*>(workspace) + detail::run_count_bytes;
  const auto run = [&]<class Count>(Count) {
    using prefix = run_prefix<T, Count>;
    if constexpr (run_tile<T, Key>::is_staged) {
      constexpr std::uint64_t size = run_tile<T, Key>::size;
      const std::uint64_t tiles = (n + size - 1) / size;
      const auto queue = static_cast<cudaStream_t>(stream);
      static_cast<void>( // what fails here makes the launch after it fail
          cudaMemsetAsync(memory, 0, scan_state<prefix>::bytes(tiles), queue));
      constexpr std::size_t bytes = run_tile<T, Key>::staged_bytes;
      if constexpr (run_tile<T, Key>::is_large) // more than a kernel has without asking
        static_cast<void>(cudaFuncSetAttribute(runs_kernel<T, Key, Count, Body>,
                                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(bytes)));
      runs_kernel<T, Key, Count, Body><<<static_cast<unsigned>(tiles), block_size, bytes, queue>>>(
          body, keys, in, n, scan_state<prefix>(memory, tiles), out, firsts, run_count);
    } else {
      cuda_scan_into<prefix>(to_runs<T, Key, Count>{out, firsts, keys, n, run_count},
                             combine_runs<T, Count, Body>{body},
                             run_source<T, Key, Count>(keys, in), n, start_with_nothing{}, false,
                             memory, stream);
    }
  };
  if (n < largest_narrow)
    run(std::uint32_t());
  else
    run(std::uint64_t());
}

#endif // __CUDACC__

} // namespace ikra::rt
