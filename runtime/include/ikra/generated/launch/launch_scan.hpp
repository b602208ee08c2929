// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pscan: all prefixes combined by an associative body, which need not be commutative. Elements are
// grouped by their number alone, so that the result is the same in every run, for any number of
// cores and on any GPU. On all cores two passes: the chunks' totals, then the chunks; the first
// leaves what it computes where the results go. On the GPU
// one pass over tiles; what comes before a tile is combined from the totals of the tiles before it
// in its group and from what comes before the group, in a fixed order. (The decoupled look-back of
// Merrill and Garland, 2016, takes what is there first, so that sums of floats would differ from
// run to run.)
#pragma once

#include <ikra/buffer.hpp>
#include <ikra/generated/device/device.hpp>
#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/kernel_value.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/launch_reduce.hpp>
#include <ikra/generated/launch/source.hpp>
#include <ikra/generated/launch/warp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// Elements of a chunk on all cores: enough for its ends not to count, and for a few hundred
/// chunks.
constexpr std::uint64_t scan_chunk(std::uint64_t n) {
  const std::uint64_t wanted = (n / 256 + 63) / 64 * 64;
  return wanted < 8192 ? 8192 : wanted;
}

/// out[i] = what is before, and elements up to i combined; without element i if exclusive. The
/// elements may stand where the results go.
/// \param n at least 1 \param before null for nothing; there is something if exclusive
template <class Out, class Body, class Source>
void scan_in_turn(const Body& body, const Source& in, std::uint64_t n, const Out* before,
                  bool exclusive, Out* out) {
  if (exclusive) {
    Out all = *before;
    for (std::uint64_t i = 0; i + 1 < n; ++i) {
      Out next = static_cast<Out>(body(all, converted<Out>(in[i])));
      ::new (static_cast<void*>(out + i)) Out(all);
      all = std::move(next);
    }
    ::new (static_cast<void*>(out + (n - 1))) Out(all);
    return;
  }
  Out all = before == nullptr ? Out(converted<Out>(in[0]))
                              : static_cast<Out>(body(*before, converted<Out>(in[0])));
  ::new (static_cast<void*>(out)) Out(all);
  for (std::uint64_t i = 1; i < n; ++i) {
    all = static_cast<Out>(body(all, converted<Out>(in[i])));
    ::new (static_cast<void*>(out + i)) Out(all);
  }
}

/// The scan on all cores, chunk by chunk.
template <class Out, class Body, class Source>
void host_scan_chunks(const Body& body, const Source& in, std::uint64_t n, const Out* initial,
                      bool exclusive, Out* out) {
  const std::uint64_t size = scan_chunk(n);
  const std::uint64_t chunks = (n + size - 1) / size;
  constexpr bool ahead = is_computed_ahead<Source, Out>;
  const auto compute_ahead = [&]([[maybe_unused]] std::uint64_t k) {
    if constexpr (ahead) {
      const Source mine = in; // a copy of this thread's own, which stores cannot change
      compute_elements(mine, k * size, std::min(size, n - k * size), out + k * size);
    }
  };
  const auto elements = [&] {
    if constexpr (ahead)
      return static_cast<const Out*>(out);
    else
      return in;
  }();
  if (chunks == 1) {
    compute_ahead(0);
    return scan_in_turn(body, elements, n, initial, exclusive, out);
  }
  // What is before the chunks but the first: at first the total of the chunk before.
  ikra::detail::room<Out> before(chunks - 1);
  host_chunks(ahead ? chunks : chunks - 1, [&](std::uint64_t k) {
    compute_ahead(k);
    if (k + 1 < chunks)
      ::new (static_cast<void*>(before.data() + k))
          Out(reduce_chunk_of<Out>(body, elements + k * size, size));
  });
  for (std::uint64_t k = 0; k + 1 < chunks; ++k)
    if (const Out* const earlier = k == 0 ? initial : before.data() + (k - 1); earlier != nullptr)
      before.data()[k] = static_cast<Out>(body(*earlier, before.data()[k]));
  host_chunks(chunks, [&](std::uint64_t k) {
    const Body mine = body;
    scan_in_turn(mine, elements + k * size, std::min(size, n - k * size),
                 k == 0 ? initial : before.data() + (k - 1), exclusive, out + k * size);
  });
}

/// The scan on all cores. \param n at least 1 \param initial null for none; there is one if
/// exclusive
template <class Out, class Body, class Source>
void host_scan(const Body& body, const Source& source, std::uint64_t n, const Out* initial,
               bool exclusive, Out* out) {
  with_costly_computed(
      source, n, scan_chunk(n), [](std::uint64_t, std::uint64_t) {},
      [&](const auto& in, const auto&) { host_scan_chunks(body, in, n, initial, exclusive, out); });
}

/// How one block of a GPU's launch works on its tile: each warp on consecutive rows, of which each
/// lane has V neighbouring elements. \tparam Bytes of elements that a lane has, at most 32
template <unsigned V, std::size_t ElementBytes, unsigned Bytes> struct tile_of_rows {
  static constexpr unsigned v = V;
  static constexpr unsigned row = warp_size * v;
  static constexpr unsigned rows =
      std::max(1U, std::min(static_cast<unsigned>(Bytes / (v * ElementBytes)), 32 / v)); ///< a warp
  static constexpr unsigned run = rows * row;
  static constexpr unsigned size = warps_per_block * run;
};

/// Measured: a lane with many elements waits less for the tiles before, as long as blocks enough
/// load meanwhile.
template <class Source, class Out>
struct scan_tile : tile_of_rows<std::min(source_of<Source>::per_thread, elements_per_thread<Out>()),
                                sizeof(Out), sizeof(Out) == 4 || sizeof(Out) == 8 ? 128 : 64> {
  /// Blocks a processor: while some wait for the tiles before them, others load.
  static constexpr unsigned blocks = [] {
    if (sizeof(Out) == 4)
      return 4;
    return sizeof(Out) == 8 ? 3 : 2;
  }();
};

/// Tiles that are looked at together, one by each thread of a block.
inline constexpr std::uint64_t scan_group = block_size;

/// What the tiles of a launch tell each other, in device memory. A value goes as 64-bit words, each
/// of 32 bits of the value and a mark, and a word is read and written whole: so a reader that finds
/// all marks has the value, without a fence.
template <class Out> class scan_state {
  static constexpr std::uint64_t words = (sizeof(Out) + 3) / 4; // of a value

public:
  /// Bytes that it takes for so many tiles. They are zero before the launch.
  static constexpr std::uint64_t bytes(std::uint64_t tiles) {
    return (1 + (tiles + groups(tiles)) * words) * sizeof(std::uint64_t);
  }

  scan_state(void* memory, std::uint64_t tiles)
      : begun_(static_cast<std::uint64_t*>(memory)), tiles_(tiles) {}

#ifdef __CUDACC__
  /// Numbers tiles as blocks start, so that none waits for one that does not run.
  __device__ std::uint64_t next_tile() const {
    return atomicAdd(reinterpret_cast<unsigned long long*>(begun_), 1ull);
  }

  __device__ void say_total(std::uint64_t tile, const Out& total) const { say(tile, total); }
  __device__ void await_total(std::uint64_t tile, pack_room<Out, 1>& to) const { await(tile, to); }
  /// What is before a group but the first.
  __device__ void say_before(std::uint64_t group, const Out& all) const {
    say(tiles_ + group, all);
  }
  __device__ void await_before(std::uint64_t group, pack_room<Out, 1>& to) const {
    await(tiles_ + group, to);
  }
#endif

private:
  static constexpr std::uint64_t groups(std::uint64_t tiles) {
    return (tiles + scan_group - 1) / scan_group;
  }

#ifdef __CUDACC__
  // Volatile: past the first-level caches, which do not see what other processors write.
  __device__ volatile std::uint64_t* words_of(std::uint64_t at) const {
    return begun_ + 1 + at * words;
  }
  __device__ void say(std::uint64_t at, const Out& value) const {
    std::uint32_t bits[words] = {};
    std::memcpy(bits, &value, sizeof(Out));
    volatile std::uint64_t* const to = words_of(at);
#pragma unroll
    for (unsigned w = 0; w < words; ++w)
      to[w] = std::uint64_t(bits[w]) << 32 | 1;
  }
  __device__ void await(std::uint64_t at, pack_room<Out, 1>& value) const {
    const volatile std::uint64_t* const from = words_of(at);
    std::uint32_t bits[words];
    for (;;) {
      bool said = true;
#pragma unroll
      for (unsigned w = 0; w < words; ++w) {
        const std::uint64_t word = from[w];
        bits[w] = static_cast<std::uint32_t>(word >> 32);
        said = said && (word & 1) != 0;
      }
      if (said)
        break;
      __nanosleep(20);
    }
    std::memcpy(static_cast<void*>(&value), bits, sizeof(Out));
  }
#endif

  std::uint64_t* begun_; ///< number of tiles that were begun; then the words of tiles and groups
  std::uint64_t tiles_;
};

/// Bytes of device memory that cuda_scan takes.
template <class Out, class Source> constexpr std::uint64_t scan_workspace(std::uint64_t n) {
  constexpr std::uint64_t size = scan_tile<Source, Out>::size;
  return scan_state<Out>::bytes((n + size - 1) / size);
}

/// The scan on the GPU; queued on a stream. Called where nvcc compiles.
/// \param n         at least 1
/// \param start     start_with_nothing, or start_with<Out>, as it is if exclusive
/// \param workspace uninitialised device memory of scan_workspace<Out, Source>(n) bytes
template <class Out, class Body, class Source, class Start>
void cuda_scan(const Body& body, const Source& in, std::uint64_t n, const Start& start,
               bool exclusive, void* workspace, Out* out, void* stream);

#ifdef __CUDACC__

/// A value that may be none.
template <class T> struct perhaps {
  pack_room<T, 1> value;
  bool is_there = false;

  __device__ perhaps() {}
  __device__ const T& get() const { return value.loaded.elements[0]; }
  __device__ void set(const T& x) {
    ::new (&value.loaded.elements[0]) T(x);
    is_there = true;
  }
  /// Puts more after it. \param body combines
  template <class Body> __device__ void add(const Body& body, const T& x) {
    set(is_there ? static_cast<T>(body(get(), x)) : T(x));
  }
};

/// What comes before a tile, for thread 0; called by all threads of the block. Tells the next group
/// what comes before it.
/// \param total of the tile; in thread 0
template <class Out, class Body, class Start>
__device__ void scan_before_tile(const Body& body, const Start& start, const scan_state<Out>& state,
                                 std::uint64_t tile, bool is_last, const perhaps<Out>& total,
                                 perhaps<Out>& before) {
  alignas(Out) __shared__ unsigned char memory[warps_per_block * sizeof(Out)];
  Out* const of_warps = reinterpret_cast<Out*>(memory);
  const std::uint64_t group = tile / scan_group;
  const auto earlier = static_cast<unsigned>(tile % scan_group); // tiles of the group before
  const unsigned warp = threadIdx.x / warp_size, first = warp * warp_size;
  if (first < earlier) { // the same in all lanes
    const unsigned lanes = earlier - first < warp_size ? earlier - first : warp_size;
    pack_room<Out, 1> mine;
    // Lanes past the end repeat the last tile, which is then left out.
    state.await_total(group * scan_group + (threadIdx.x < earlier ? threadIdx.x : earlier - 1),
                      mine);
    const Out all = reduce_lanes(Out(mine.loaded.elements[0]), lanes, body);
    if (threadIdx.x == first)
      ::new (of_warps + warp) Out(all);
  }
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  if (group != 0) {
    state.await_before(group, before.value);
    before.is_there = true;
  } else if constexpr (!std::is_same_v<Start, start_with_nothing>) {
    before.set(Out(start.value));
  }
  for (unsigned w = 0; w * warp_size < earlier; ++w)
    before.add(body, of_warps[w]);
  if (earlier == scan_group - 1 && !is_last)
    state.say_before(group + 1, before.is_there ? static_cast<Out>(body(before.get(), total.get()))
                                                : Out(total.get()));
}

/// Stores results at their places.
template <class Out> struct to_memory {
  Out* out;
  /// \param count of the results that are there, from the one at `at` on
  template <unsigned V>
  __device__ void store(std::uint64_t at, const pack_room<Out, V>& results, unsigned count) const {
    if (count == V)
      ::new (static_cast<void*>(out + at)) pack<Out, V>(results.loaded);
    else
#pragma unroll
      for (unsigned j = 0; j < V; ++j)
        if (j < count)
          ::new (static_cast<void*>(out + at + j)) Out(results.loaded.elements[j]);
  }
};

/// A block a tile. \param sink stores what neighbouring elements of a lane come to
template <class Out, class Body, class Source, class Start, class Sink>
__global__ void __launch_bounds__(block_size, blocks_held(scan_tile<Source, Out>::blocks))
    scan_kernel(const __grid_constant__ Body body, const __grid_constant__ Source in,
                std::uint64_t n, const __grid_constant__ Start start, bool exclusive,
                const __grid_constant__ scan_state<Out> state, const __grid_constant__ Sink sink) {
  using shape = scan_tile<Source, Out>;
  using In = typename source_of<Source>::value_type;
  constexpr unsigned v = shape::v;
  __shared__ std::uint64_t this_tile;
  __shared__ bool tile_has_before;
  alignas(Out) __shared__ unsigned char memory[(warps_per_block + 1) * sizeof(Out)];
  Out* const of_warps = reinterpret_cast<Out*>(memory);
  Out* const before_tile = of_warps + warps_per_block;

  if (threadIdx.x == 0)
    this_tile = state.next_tile();
  __syncthreads();
  const std::uint64_t tile = this_tile;
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const std::uint64_t tile_first = tile * shape::size;
  const std::uint64_t first = tile_first + warp * shape::run + lane * v;
  const bool whole = n - tile_first >= shape::size;
  // Elements of a row that this lane has.
  const auto elements = [&](unsigned r) {
    const std::uint64_t at = first + r * shape::row;
    return whole || n >= at + v ? v : at < n ? static_cast<unsigned>(n - at) : 0u;
  };

  pack_room<Out, v> mine[shape::rows];
  {
    pack_room<In, v> loaded[shape::rows]; // all before the first is looked at
#pragma unroll
    for (unsigned r = 0; r < shape::rows; ++r) {
      const std::uint64_t at = first + r * shape::row;
      if (whole)
        load(loaded[r], in, at);
      else // past the end the last element, which is then left out
#pragma unroll
        for (unsigned j = 0; j < v; ++j)
          ::new (&loaded[r].loaded.elements[j]) In(in[at + j < n ? at + j : n - 1]);
    }
#pragma unroll
    for (unsigned r = 0; r < shape::rows; ++r)
#pragma unroll
      for (unsigned j = 0; j < v; ++j)
        ::new (&mine[r].loaded.elements[j]) Out(converted<Out>(loaded[r].loaded.elements[j]));
  }

  // Within each lane, then over the lanes of a row, then over the rows.
  perhaps<Out> before_lane[shape::rows]; // what comes before the lane's elements in the warp's run
  perhaps<Out> of_run;
#pragma unroll
  for (unsigned r = 0; r < shape::rows; ++r) {
    const unsigned count = elements(r);
    perhaps<Out> here; // up to this lane
    here.set(mine[r].loaded.elements[0]);
#pragma unroll
    for (unsigned j = 1; j < v; ++j)
      if (whole || j < count) {
        here.set(static_cast<Out>(body(here.get(), mine[r].loaded.elements[j])));
        ::new (&mine[r].loaded.elements[j]) Out(here.get());
      }
#pragma unroll
    for (unsigned by = 1; by < warp_size; by *= 2) {
      const Out earlier = from_lane_before(here.get(), by);
      if (lane >= by && count != 0)
        here.set(static_cast<Out>(body(earlier, here.get())));
    }
    const Out earlier = from_lane_before(here.get(), 1);
    before_lane[r].is_there = of_run.is_there;
    if (of_run.is_there)
      before_lane[r].set(of_run.get());
    if (lane > 0 && count != 0)
      before_lane[r].add(body, earlier);
    // The row ends where its last lane with elements does.
    const unsigned lanes = __popc(__ballot_sync(all_lanes, count != 0));
    if (lanes != 0)
      of_run.add(body, from_lane(here.get(), lanes - 1));
  }
  if (lane == 0 && of_run.is_there)
    ::new (of_warps + warp) Out(of_run.get());
  __syncthreads();

  const std::uint64_t rest = n - tile_first;
  const bool is_last = rest <= shape::size;
  perhaps<Out> before, total;
  if (threadIdx.x == 0) {
    for (unsigned w = 0; w < warps_per_block && w * shape::run < rest; ++w)
      total.add(body, of_warps[w]);
    if (!is_last)
      state.say_total(tile, total.get());
  }
  scan_before_tile(body, start, state, tile, is_last, total, before);
  if (threadIdx.x == 0) {
    tile_has_before = before.is_there;
    if (before.is_there)
      ::new (before_tile) Out(before.get());
  }
  __syncthreads();

  perhaps<Out> before_warp;
  if (tile_has_before)
    before_warp.set(*before_tile);
  if (warp * shape::run < rest)
    for (unsigned w = 0; w < warp; ++w)
      before_warp.add(body, of_warps[w]);
#pragma unroll
  for (unsigned r = 0; r < shape::rows; ++r) {
    const unsigned count = elements(r);
    if (count == 0)
      continue;
    const std::uint64_t at = first + r * shape::row;
    perhaps<Out> all;
    if (before_warp.is_there)
      all.set(before_warp.get());
    if (before_lane[r].is_there)
      all.add(body, before_lane[r].get());
    pack_room<Out, v> result;
#pragma unroll
    for (unsigned j = 0; j < v; ++j) {
      if (!whole && j >= count)
        break;
      const auto up_to = [&](unsigned k) {
        const Out& here = mine[r].loaded.elements[k];
        return all.is_there ? static_cast<Out>(body(all.get(), here)) : Out(here);
      };
      ::new (&result.loaded.elements[j]) Out(!exclusive ? up_to(j)
                                             : j == 0   ? Out(all.get())
                                                        : up_to(j - 1));
    }
    sink.template store<v>(at, result, count);
  }
}

/// Queues the scan with any sink.
template <class Out, class Body, class Source, class Start, class Sink>
void cuda_scan_into(const Sink& sink, const Body& body, const Source& in, std::uint64_t n,
                    const Start& start, bool exclusive, void* workspace, void* stream) {
  constexpr std::uint64_t size = scan_tile<Source, Out>::size;
  const std::uint64_t tiles = (n + size - 1) / size;
  const auto queue = static_cast<cudaStream_t>(stream);
  static_cast<void>( // what fails here makes the launch after it fail
      cudaMemsetAsync(workspace, 0, scan_state<Out>::bytes(tiles), queue));
  scan_kernel<<<static_cast<unsigned>(tiles), block_size, 0, queue>>>(
      body, in, n, start, exclusive, scan_state<Out>(workspace, tiles), sink);
}

template <class Out, class Body, class Source, class Start>
void cuda_scan(const Body& body, const Source& in, std::uint64_t n, const Start& start,
               bool exclusive, void* workspace, Out* out, void* stream) {
  cuda_scan_into<Out>(to_memory<Out>{out}, body, in, n, start, exclusive, workspace, stream);
}

#endif // __CUDACC__

} // namespace ikra::rt
