// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pselect: the elements for which a body is true, in their order. On all cores two passes, with a
// bit for each element between them, so that the body runs once; elements that are computed are
// kept instead. On the GPU one pass: each tile
// learns from those before it where its elements go (Merrill and Garland, Single-pass Parallel
// Prefix Scan with Decoupled Look-back, 2016).
#pragma once

#include <ikra/generated/device/device.hpp>
#include <ikra/generated/launch/computed_before.hpp>
#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/index_space.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/source.hpp>
#include <ikra/generated/launch/warp.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace ikra::rt {

inline constexpr std::uint64_t select_word = 64; // elements whose bits are kept in one word
inline constexpr std::uint64_t select_chunk = 256 * select_word;

/// Bit j says whether flags[j] is 1; the others are 0.
inline std::uint64_t bits_of(const unsigned char (&flags)[select_word]) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t bits = 0;
  for (unsigned byte = 0; byte < 8; ++byte) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, flags + std::size_t(8) * byte, 8);
    // The product's upper byte collects one bit of each of the eight bytes.
    bits |= (eight * 0x0102040810204080u >> 56) << (8 * byte);
  }
  return bits;
}

/// Elements that were selected on the host's device.
struct host_selection {
  device_memory memory;
  std::uint64_t count;
};

/// Copies the elements whose bits are set. \returns the end of the copies
template <class T, class Source> T* copy_selected(const Source& in, std::uint64_t bits, T* to) {
  if (bits == ~std::uint64_t(0)) {
    for (std::uint64_t j = 0; j < select_word; ++j)
      ::new (static_cast<void*>(to++)) T(in[j]);
    return to;
  }
  for (; bits != 0; bits &= bits - 1)
    ::new (static_cast<void*>(to++)) T(in[static_cast<unsigned>(std::countr_zero(bits))]);
  return to;
}

/// \returns the elements for which body(in[i], index of i) is true.
/// \tparam R rank of the index; 0 where the body takes none
/// \param where the host's device; \param section for messages
template <int R, class Body, class Source>
host_selection host_select(const Body& body, const placed_shape<R>& shape, const Source& in,
                           std::uint64_t n, device& where, const section_info& section) {
  using T = typename source_of<Source>::value_type;
  constexpr bool takes_long = is_costly<Body> || is_costly<Source>;
  const std::uint64_t size =
      takes_long && are_few_chunks(n, select_chunk) ? select_word : select_chunk;
  const std::uint64_t chunks = (n + size - 1) / size;
  constexpr bool ahead = is_computed_ahead<Source, T>;
  const std::uint64_t word_count = ahead ? 0 : (n + select_word - 1) / select_word;
  const device_memory state(where, (word_count + chunks) * sizeof(std::uint64_t),
                            "state of the selection", section);
  auto* const selected = static_cast<std::uint64_t*>(state.data());
  std::uint64_t* const ends = selected + word_count; // selected elements up to the end of a chunk
  const device_memory room(where, ahead ? n * sizeof(T) : 0, "elements to select", section);
  T* const kept = static_cast<T*>(room.data()); // those of a chunk from where it begins

  const auto choose = [&](std::uint64_t chunk) {
    const Body mine = body; // copies of this thread's own, which stores cannot change
    const Source elements = in;
    std::uint64_t count = 0;
    const std::uint64_t end = std::min((chunk + 1) * size, n);
    for (std::uint64_t first = chunk * size; first < end; first += select_word) {
      [[maybe_unused]] alignas(T) unsigned char bytes[ahead ? select_word * sizeof(T) : sizeof(T)];
      [[maybe_unused]] T* const computed = reinterpret_cast<T*>(bytes);
      if constexpr (ahead)
        compute_elements(elements, first, std::min(select_word, end - first), computed);
      unsigned char flags[select_word] = {};
      unsigned char* to = flags;
      auto from = [&] {
        if constexpr (ahead)
          return static_cast<const T*>(computed);
        else
          return elements + first;
      }();
      for_row_starts<R>(
          shape, first, std::min(first + select_word, end),
          [&](std::uint64_t, std::int64_t rows, std::int32_t length, const auto& start) {
            for (std::int64_t r = 0; r < rows;
                 ++r, to += length, from = from + std::uint64_t(length)) {
              const auto row = start.row(r);
              // At most a word, which g++ does not see.
              const std::int32_t places = std::min(length, std::int32_t(select_word));
              IKRA_INDEPENDENT
              for (std::int32_t k = 0; k < places; ++k)
                to[k] = static_cast<bool>(call_at(mine, row, k, from[k])) ? 1 : 0;
            }
          });
      const std::uint64_t bits = bits_of(flags);
      if constexpr (ahead)
        copy_selected(static_cast<const T*>(computed), bits, kept + chunk * size + count);
      else
        selected[first / select_word] = bits;
      count += static_cast<std::uint64_t>(std::popcount(bits));
    }
    ends[chunk] = count;
  };
  if (size == select_word)
    host_costly_parts(chunks, true, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t chunk = begin; chunk < end; ++chunk)
        choose(chunk);
    });
  else
    host_chunks(chunks, choose);

  std::uint64_t total = 0;
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk)
    total = ends[chunk] += total;

  device_memory out(where, total * sizeof(T), "selected elements", section);
  host_chunks(chunks, [&](std::uint64_t chunk) {
    const std::uint64_t before = chunk == 0 ? 0 : ends[chunk - 1];
    T* to = static_cast<T*>(out.data()) + before;
    if constexpr (ahead) {
      std::uninitialized_copy_n(kept + chunk * size, ends[chunk] - before, to);
    } else {
      const std::uint64_t end = std::min((chunk + 1) * size, n);
      for (std::uint64_t first = chunk * size; first < end; first += select_word)
        to = copy_selected(in + first, selected[first / select_word], to);
    }
  });
  return {std::move(out), total};
}

/// How one block of a GPU's launch works on its tile: each warp on consecutive rows, of which each
/// lane has V neighbouring elements.
template <class Source> struct select_tile {
  using T = typename source_of<Source>::value_type;
  static constexpr unsigned v = source_of<Source>::per_thread;
  static constexpr unsigned row = warp_size * v;
  static constexpr unsigned rows =
      std::max(1U, std::min(static_cast<unsigned>(128 / (v * sizeof(T))), 64 / v)); ///< a warp
  static constexpr unsigned size = warps_per_block * rows * row;
  /// Whether selected elements are gathered in shared memory, and then stored side by side.
  static constexpr bool gathered = size * sizeof(T) <= 32768;
  /// Blocks a processor: while some wait for the tiles before them, others load.
  static constexpr unsigned blocks = sizeof(T) <= 16 ? 4 : 2;
};

/// Number of 64-bit words for which cuda_select needs memory, the number of selected elements
/// first.
template <class Source> constexpr std::uint64_t select_workspace(std::uint64_t n) {
  return 2 + (n + select_tile<Source>::size - 1) / select_tile<Source>::size;
}

/// out = the elements for which body(in[i], index of i) is true, on the GPU; queued on a stream.
/// Called where nvcc compiles.
/// \param n         at least 1
/// \param workspace uninitialised device memory for select_workspace<Source>(n) words; the first
/// becomes
///                  the number of selected elements
/// \param out       device memory for n elements
template <int R, class T, class Body, class Source>
void cuda_select(const Body& body, const placed_shape<R>& shape, const Source& in, std::uint64_t n,
                 std::uint64_t* workspace, T* out, void* stream);
/// Copies elements on the GPU; queued on a stream. Called where nvcc compiles.
template <class T> void cuda_copy(T* to, const T* from, std::uint64_t n, void* stream);

#ifdef __CUDACC__

/// What a tile has said about itself: nothing yet (0), how many elements it selected, or how many
/// all tiles up to it did. One word, so that it is read whole.
class tile_state {
public:
  static __device__ void say(std::uint64_t* where, bool up_to_here, std::uint64_t count) {
    *static_cast<volatile std::uint64_t*>(where) = (count << 2) | (up_to_here ? 2 : 1);
  }
  /// Waits until the tile has said something.
  static __device__ tile_state of(const std::uint64_t* where) {
    std::uint64_t word = *static_cast<const volatile std::uint64_t*>(where);
    while (word == 0) {
      __nanosleep(32);
      word = *static_cast<const volatile std::uint64_t*>(where);
    }
    return tile_state(word);
  }
  __device__ explicit tile_state(std::uint64_t word) : word_(word) {}
  __device__ bool up_to_here() const { return (word_ & 2) != 0; }
  __device__ std::uint64_t count() const { return word_ >> 2; }

private:
  std::uint64_t word_;
};

/// Number of elements that the tiles before this one selected; called by one warp, all lanes of
/// which get it. Looks at 32 tiles at a time, backwards.
__device__ inline std::uint64_t selected_before(const std::uint64_t* states, std::uint64_t tile) {
  const unsigned lane = threadIdx.x % warp_size;
  std::uint64_t before = 0;
  for (std::uint64_t next = tile; next != 0;) { // tiles from next on are counted
    const bool is_there = lane < next;
    const tile_state state = is_there ? tile_state::of(states + next - 1 - lane) : tile_state(2);
    const unsigned complete = __ballot_sync(all_lanes, state.up_to_here());
    const unsigned last = complete == 0 ? warp_size - 1 : __ffs(static_cast<int>(complete)) - 1;
    std::uint64_t count = lane <= last ? state.count() : 0;
#pragma unroll
    for (unsigned by = warp_size / 2; by != 0; by /= 2)
      count += __shfl_xor_sync(all_lanes, count, by);
    before += count;
    next = complete != 0 || next <= warp_size ? 0 : next - warp_size;
  }
  return before;
}

/// A block a tile; see select_workspace for `workspace`, whose second word counts the tiles that
/// were begun: a block may only wait for tiles that run already.
template <int R, class Index, class T, class Body, class Source>
__global__ void __launch_bounds__(block_size, blocks_held(select_tile<Source>::blocks))
    select_kernel(const __grid_constant__ Body body,
                  const __grid_constant__ index_space<R, Index> all,
                  const __grid_constant__ Source in, Index n, std::uint64_t* workspace,
                  T* __restrict__ out) {
  using shape = select_tile<Source>;
  constexpr unsigned v = shape::v;
  std::uint64_t* const states = workspace + 2;
  __shared__ unsigned this_tile;
  __shared__ unsigned of_warp[warps_per_block];
  __shared__ std::uint64_t first_out;
  alignas(16) alignas(T)
      __shared__ unsigned char memory[shape::gathered ? shape::size * sizeof(T) : 16];
  T* const gathered = reinterpret_cast<T*>(memory);

  if (threadIdx.x == 0)
    this_tile = static_cast<unsigned>(
        atomicAdd(reinterpret_cast<unsigned long long*>(workspace + 1), 1ull));
  __syncthreads();
  const unsigned tile = this_tile;
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const Index tile_first = Index(tile) * shape::size;
  const Index first = tile_first + warp * (shape::rows * shape::row) + lane * v;
  const bool whole = n - tile_first >= shape::size;

  // Rows are loaded before the first is looked at.
  pack_room<T, v> mine[shape::rows];
#pragma unroll
  for (unsigned r = 0; r < shape::rows; ++r) {
    const Index at = first + r * shape::row;
    if (whole)
      load(mine[r], in, at);
    else
#pragma unroll
      for (unsigned j = 0; j < v; ++j)
        if (at + j < n)
          ::new (&mine[r].loaded.elements[j]) T(in[at + j]);
  }

  unsigned chosen[shape::rows]; // bit j: element j of the row
  unsigned rank[shape::rows];   // selected elements of the warp before those of this row and lane
  unsigned count = 0;           // selected elements of the warp
#pragma unroll
  for (unsigned r = 0; r < shape::rows; ++r) {
    const Index at = first + r * shape::row;
    chosen[r] = 0;
    index_cursor<R, Index> place(all, all.position(at));
#pragma unroll
    for (unsigned j = 0; j < v; ++j) {
      if (whole || at + j < n)
        chosen[r] |= (place.call(body, mine[r].loaded.elements[j]) ? 1u : 0u) << j;
      place.next(all);
    }
    const unsigned here = __popc(chosen[r]);
    const unsigned up_to_here = sum_up_to_lane(here);
    rank[r] = count + up_to_here - here;
    count += __shfl_sync(all_lanes, up_to_here, warp_size - 1);
  }
  if (lane == 0)
    of_warp[warp] = count;
  __syncthreads();

  unsigned before = 0, of_tile = 0;
#pragma unroll
  for (unsigned w = 0; w < warps_per_block; ++w) {
    if (w < warp)
      before += of_warp[w];
    of_tile += of_warp[w];
  }
  if (warp == 0) {
    if (lane == 0)
      tile_state::say(states + tile, tile == 0, of_tile);
    const std::uint64_t start = selected_before(states, tile);
    if (lane == 0) {
      if (tile != 0)
        tile_state::say(states + tile, true, start + of_tile);
      if (n - tile_first <= shape::size)
        workspace[0] = start + of_tile;
      first_out = start;
    }
  }

  const auto store = [&](T* to) {
#pragma unroll
    for (unsigned r = 0; r < shape::rows; ++r) {
      unsigned at = before + rank[r];
#pragma unroll
      for (unsigned j = 0; j < v; ++j)
        if ((chosen[r] >> j & 1) != 0)
          ::new (static_cast<void*>(to + at++)) T(mine[r].loaded.elements[j]);
    }
  };
  if constexpr (shape::gathered) {
    store(gathered);
    __syncthreads();
    T* const to = out + first_out;
    for (unsigned i = threadIdx.x; i < of_tile; i += block_size)
      ::new (static_cast<void*>(to + i)) T(gathered[i]);
  } else {
    __syncthreads();
    store(out + first_out);
  }
}

template <int R, class T, class Body, class Source>
void cuda_select(const Body& body, const placed_shape<R>& shape, const Source& in, std::uint64_t n,
                 std::uint64_t* workspace, T* out, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  const std::uint64_t words = select_workspace<Source>(n);
  static_cast<void>( // what fails here makes the launch after it fail
      cudaMemsetAsync(workspace, 0, words * sizeof(std::uint64_t), queue));
  const auto tiles = static_cast<unsigned>(words - 2);
  if (counts_in_32_bits(shape, n))
    select_kernel<R, std::uint32_t>
        <<<tiles, block_size, 0, queue>>>(body, index_space<R, std::uint32_t>(shape), in,
                                          static_cast<std::uint32_t>(n), workspace, out);
  else
    select_kernel<R, std::uint64_t><<<tiles, block_size, 0, queue>>>(
        body, index_space<R, std::uint64_t>(shape), in, n, workspace, out);
}

template <class T> void cuda_copy(T* to, const T* from, std::uint64_t n, void* stream) {
  static_cast<void>(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice,
                                    static_cast<cudaStream_t>(stream)));
}

#endif // __CUDACC__

} // namespace ikra::rt
