// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// preduce: all elements combined into one by an associative body, which need not be commutative.
// Elements are combined in their order, in groups that depend on the number of elements alone, so
// that the result is the same in every run, for any number of cores and on any GPU.
#pragma once

#include <ikra/buffer.hpp>
#include <ikra/generated/launch/body_traits.hpp>
#include <ikra/generated/launch/computed_before.hpp>
#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/kernel_value.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/source.hpp>
#include <ikra/generated/launch/warp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace ikra::rt {

// On all cores, a chunk of elements is cut into strands that are combined side by side: that hides
// the latency of one combination after the others, and compilers vectorise the strands of sums.
inline constexpr std::uint64_t reduce_strands = 8;

/// Length of the strands for n elements: long, so that little time goes into their ends, but short
/// enough for a few hundred chunks, which keep all cores busy to the end. Strands of 4-byte
/// elements are an odd number of cache lines apart, so that they do not meet in one cache set.
constexpr std::uint64_t reduce_strand(std::uint64_t n) {
  const std::uint64_t blocks = n / (reduce_strands * 256) / 64;
  return std::clamp<std::uint64_t>(blocks, 16, 128) * 64 + 16;
}

/// Elements [0, n) combined one after the other. \param n at least 1
template <class Out, class Body, class Source>
Out reduce_in_turn(const Body& body, const Source& in, std::uint64_t n) {
  Out result = converted<Out>(in[0]);
  for (std::uint64_t i = 1; i < n; ++i)
    result = static_cast<Out>(body(result, converted<Out>(in[i])));
  return result;
}

/// Strands of this length combined. \param length at least 1
template <class Out, class Body, class Source, std::size_t... S>
Out reduce_strands_of(const Body& body, const Source& in, std::uint64_t length,
                      std::index_sequence<S...>) {
  Out results[] = {converted<Out>(in[S * length])...};
  for (std::uint64_t i = 1; i < length; ++i)
    ((results[S] = static_cast<Out>(body(results[S], converted<Out>(in[S * length + i])))), ...);
  return reduce_in_turn<Out>(body, results, sizeof...(S));
}

/// What one reduction makes of elements that are computed a strip of each strand at a time: their
/// loop vectorises, and a strip is read while it is in a cache. The same elements are combined in
/// the same groups as by reduce_chunk_of().
/// \tparam Out     whose values are their bytes
/// \tparam Longest elements of a strip, where they have up to 8 bytes
template <class Out, class Body, std::uint64_t Longest> class strip_fold {
public:
  using result = Out;
  static constexpr std::uint64_t longest =
      std::clamp<std::uint64_t>(Longest * 8 / sizeof(Out), 4, Longest);

  explicit strip_fold(const Body& body) : body_(body) {}

  /// Where the strip of a strand goes. \param length of each
  Out* strip(std::uint64_t strand, std::uint64_t length) {
    return reinterpret_cast<Out*>(room_) + strand * length;
  }
  void combine_strips(std::uint64_t length, bool is_first) {
    combine_strips(length, is_first, std::make_index_sequence<reduce_strands>());
  }
  void join_strands() {
    ::new (results_) Out(reduce_in_turn<Out>(body_, of_strands(), reduce_strands));
  }
  /// Elements of strip(0, …), all there are, or those after the strands.
  void combine_in_turn(std::uint64_t n, bool is_first) {
    const Out* const in = strip(0, 0);
    Out all = is_first ? in[0] : *of_strands();
    for (std::uint64_t i = is_first ? 1 : 0; i < n; ++i)
      all = static_cast<Out>(body_(all, in[i]));
    ::new (results_) Out(all);
  }
  const Out& value() const { return *of_strands(); }

private:
  const Out* of_strands() const { return reinterpret_cast<const Out*>(results_); }
  template <std::size_t... S>
  void combine_strips(std::uint64_t length, bool is_first, std::index_sequence<S...>) {
    const Out* const in = strip(0, 0);
    Out results[] = {is_first ? in[S * length] : of_strands()[S]...};
    for (std::uint64_t i = is_first ? 1 : 0; i < length; ++i)
      ((results[S] = static_cast<Out>(body_(results[S], in[S * length + i]))), ...);
    (::new (results_ + S * sizeof(Out)) Out(results[S]), ...);
  }

  const Body& body_;
  alignas(Out) std::byte room_[reduce_strands * longest * sizeof(Out)];
  alignas(Out) std::byte results_[reduce_strands * sizeof(Out)];
};

/// The elements of a chunk combined by one or several folds, each element computed once.
/// \param n at least 1 \param compute called with the first of a run of elements, how many there
///        are, and for each fold where they go
template <class Compute, class... Fold>
void reduce_in_strips(std::uint64_t n, const Compute& compute, Fold&... fold) {
  constexpr std::uint64_t longest = std::min({Fold::longest...});
  const std::uint64_t length = n / reduce_strands;
  const bool in_turn = length < 4;
  if (!in_turn) {
    for (std::uint64_t begin = 0; begin < length; begin += longest) {
      const std::uint64_t count = std::min(longest, length - begin);
      for (std::uint64_t s = 0; s < reduce_strands; ++s)
        compute(s * length + begin, count, fold.strip(s, count)...);
      (fold.combine_strips(count, begin == 0), ...);
    }
    (fold.join_strands(), ...);
  }
  const std::uint64_t done = in_turn ? 0 : length * reduce_strands;
  if (done < n) {
    compute(done, n - done, fold.strip(0, 0)...);
    (fold.combine_in_turn(n - done, in_turn), ...);
  }
}

/// Others are computed where they are combined. Measured: that takes half the time for sums of
/// products, but longer bodies and divisions for indices keep compilers from vectorising it.
template <class Source, class Out>
inline constexpr bool is_reduced_in_strips = [] {
  if constexpr (requires { Source::is_for_rows; } && is_computed_ahead<Source, Out>)
    return Source::is_for_rows;
  return false;
}();

/// A chunk combined: strands of equal length, and the few elements that are left over after them.
/// \param n at least 1
template <class Out, class Body, class Source>
Out reduce_chunk_of(const Body& body, const Source& in, std::uint64_t n) {
  if constexpr (is_reduced_in_strips<Source, Out>) {
    strip_fold<Out, Body, Source::strip> all(body);
    reduce_in_strips(
        n,
        [&](std::uint64_t first, std::uint64_t count, Out* to) {
          compute_elements(in, first, count, to);
        },
        all);
    return all.value();
  } else {
    const std::uint64_t length = n / reduce_strands;
    if (length < 4)
      return reduce_in_turn<Out>(body, in, n);
    Out result =
        reduce_strands_of<Out>(body, in, length, std::make_index_sequence<reduce_strands>());
    for (std::uint64_t i = length * reduce_strands; i < n; ++i)
      result = static_cast<Out>(body(result, converted<Out>(in[i])));
    return result;
  }
}

/// Whether n elements make too few chunks for the cores: what takes long is computed before then.
inline bool are_few_chunks(std::uint64_t n) {
  return are_few_chunks(n, reduce_strands * reduce_strand(n));
}

/// Elements in chunks of the given size combined, on all cores. A function of its own: nvcc's front
/// end takes no new-expression of an aggregate in a lambda within a generic one.
template <class Out, class Body, class Source, class Prepare>
Out host_reduce_chunks(const Body& body, const Source& in, std::uint64_t n, std::uint64_t size,
                       const Prepare& prepare) {
  const std::uint64_t chunks = (n + size - 1) / size;
  const auto chunk = [&](std::uint64_t k) {
    const std::uint64_t begin = k * size, length = n - begin < size ? n - begin : size;
    prepare(begin, begin + length);
    return reduce_chunk_of<Out>(body, in + begin, length);
  };
  if (chunks == 1)
    return chunk(0);
  std::optional<ikra::detail::room<Out>> memory = room_or_nothing<Out>(chunks);
  if (!memory) { // one core, which combines the same groups
    Out all = chunk(0);
    for (std::uint64_t k = 1; k < chunks; ++k)
      all = static_cast<Out>(body(all, chunk(k)));
    return all;
  }
  Out* const parts = memory->data();
  const auto keep = [&](std::uint64_t k) { ::new (static_cast<void*>(parts + k)) Out(chunk(k)); };
  if constexpr (diverges<Source>)
    host_uneven_pieces(n, chunks, keep);
  else
    host_chunks(chunks, keep);
  return reduce_in_turn<Out>(body, parts, chunks);
}

/// All elements combined, on all cores, each converted to Out before. \param n at least 1
/// \param to_do called with the first and the last of a run of elements before these are read
template <class Out, class Body, class Source, class Prepare>
Out host_reduce(const Body& body, const Source& source, std::uint64_t n, const Prepare& to_do) {
  const std::uint64_t size = reduce_strands * reduce_strand(n);
  return with_costly_computed(source, n, size, to_do, [&](const auto& in, const auto& prepare) {
    return host_reduce_chunks<Out>(body, in, n, size, prepare);
  });
}

template <class Out, class Body, class Source>
Out host_reduce(const Body& body, const Source& in, std::uint64_t n) {
  return host_reduce<Out>(body, in, n, [](std::uint64_t, std::uint64_t) {});
}

/// Elements of a source that a warp of a GPU combines at most: 8 loads of up to 16 bytes a lane;
/// and those of a block.
template <class Source>
inline constexpr unsigned reduce_run_of = warp_size * 8 * source_of<Source>::per_thread;
template <class Source>
inline constexpr std::uint64_t reduce_block =
    std::uint64_t(warps_per_block) * reduce_run_of<Source>;

/// The same of n elements: whole rows, fewer where one block has no work for all of its warps, or a
/// large GPU would have too few blocks.
template <class Source> IKRA_HD constexpr unsigned reduce_run_for(std::uint64_t n) {
  constexpr unsigned most = reduce_run_of<Source>, row = most / 8;
  constexpr std::uint64_t enough = 512;                                // blocks
  constexpr std::uint64_t rows = std::uint64_t(warps_per_block) * row; // one of each warp
  if (n <= reduce_block<Source>)
    return row * static_cast<unsigned>((n + rows - 1) / rows);
  if (n / reduce_block<Source> >= enough)
    return most;
  return n / (reduce_block<Source> / 2) >= enough ? most / 2 : row;
}
/// Blocks that combine n elements.
template <class Source> constexpr std::uint64_t reduce_blocks(std::uint64_t n) {
  const std::uint64_t each = std::uint64_t(warps_per_block) * reduce_run_for<Source>(n);
  return (n + each - 1) / each;
}

/// Where the second of two lists of intermediate results begins: as packs are aligned.
template <class Source> constexpr std::uint64_t reduce_second(std::uint64_t n) {
  constexpr std::uint64_t most_in_pack = 16;
  return (reduce_blocks<Source>(n) + most_in_pack - 1) / most_in_pack * most_in_pack;
}
/// Number of intermediate results for which cuda_reduce needs memory.
template <class Out, class Source> constexpr std::uint64_t reduce_workspace(std::uint64_t n) {
  return reduce_second<Source>(n) + reduce_blocks<const Out*>(reduce_blocks<Source>(n));
}

/// What a reduction without a first value starts with.
struct start_with_nothing {};
/// A first value, which the last launch puts in front.
template <class Out> struct start_with {
  Out value;
  bool now = false;
};

/// *out = the elements combined, on the GPU; queued on a stream. Called where nvcc compiles.
/// \param n         at least 1
/// \param start     start_with_nothing, or start_with<Out>
/// \param in        a source of n elements
/// \param workspace uninitialised device memory for reduce_workspace<Out, Source>(n) results
template <class Out, class Body, class Source, class Start>
void cuda_reduce(const Body& body, const Source& in, std::uint64_t n, const Start& start,
                 Out* workspace, Out* out, void* stream);

#ifdef __CUDACC__

/// One row: up to V elements a lane, in the order of the lanes. Lane 0 gets the result.
/// \param rest elements from the row's first on; all of the row's if there are as many
template <unsigned V, bool Whole, class Out, class Body, class In>
__device__ Out reduce_row(const Body& body, const pack_room<In, V>& mine, std::uint64_t rest) {
  const unsigned lane = threadIdx.x % warp_size;
  Out value = converted<Out>(mine.loaded.elements[0]);
#pragma unroll
  for (unsigned j = 1; j < V; ++j)
    if (Whole || lane * V + j < rest)
      put_value(value, static_cast<Out>(body(value, converted<Out>(mine.loaded.elements[j]))));
  const unsigned lanes =
      Whole || rest >= warp_size * V ? warp_size : static_cast<unsigned>((rest + V - 1) / V);
  return reduce_lanes(value, lanes, body);
}

/// A warp combines consecutive elements, row by row. Lane 0 gets the result. \param count at least
/// 1
template <unsigned V, class Out, class Body, class Source>
__device__ __forceinline__ void reduce_run(const Body& body, const Source& in, std::uint64_t first,
                                           unsigned count, pack_room<Out, 1>& result) {
  using In = typename source_of<Source>::value_type;
  constexpr unsigned row = warp_size * V;
  constexpr unsigned rows_at_once = 4;
  const unsigned lane = threadIdx.x % warp_size;
  const auto add = [&](const Out& value, bool is_first) {
    if (lane == 0)
      ::new (&result.loaded.elements[0])
          Out(is_first ? value : static_cast<Out>(body(result.loaded.elements[0], value)));
  };
  unsigned done = 0;
  for (; done + rows_at_once * row <= count; done += rows_at_once * row) {
    pack_room<In, V> mine[rows_at_once];
#pragma unroll
    for (unsigned r = 0; r < rows_at_once; ++r)
      load(mine[r], in, first + done + r * row + lane * V);
#pragma unroll
    for (unsigned r = 0; r < rows_at_once; ++r)
      add(reduce_row<V, true, Out>(body, mine[r], row), done + r == 0);
  }
  for (; done < count; done += row) {
    // Lanes past the end repeat the last element, which is then left out.
    pack_room<In, V> mine;
#pragma unroll
    for (unsigned j = 0; j < V; ++j) {
      const unsigned at = done + lane * V + j;
      ::new (&mine.loaded.elements[j]) In(in[first + (at < count ? at : count - 1)]);
    }
    add(reduce_row<V, false, Out>(body, mine, count - done), done == 0);
  }
}

/// Each warp combines a run of consecutive elements, row by row; then the block combines its warps.
/// Thread 0 gets the result. \param block its number \param of_warps shared memory
template <unsigned V, class Out, class Body, class Source>
__device__ __forceinline__ void reduce_of_block(const Body& body, const Source& in, std::uint64_t n,
                                                unsigned run, std::uint64_t block, Out* of_warps,
                                                pack_room<Out, 1>& total) {
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const std::uint64_t block_first = block * warps_per_block * run;
  const std::uint64_t first = block_first + warp * run;
  const unsigned count = first >= n ? 0 : n - first < run ? static_cast<unsigned>(n - first) : run;
  if (count != 0) { // the same in all lanes
    pack_room<Out, 1> result;
    reduce_run<V>(body, in, first, count, result);
    if (lane == 0)
      ::new (of_warps + warp) Out(result.loaded.elements[0]);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    Out all = of_warps[0];
    const std::uint64_t rest = n - block_first;
    for (unsigned w = 1; w < warps_per_block && w * run < rest; ++w)
      put_value(all, static_cast<Out>(body(all, of_warps[w])));
    ::new (&total.loaded.elements[0]) Out(all);
  }
}

/// out[b] is the result of block b.
template <unsigned V, class Out, class Body, class Source, class Start>
__global__ void __launch_bounds__(block_size)
    reduce_kernel(const __grid_constant__ Body body, const __grid_constant__ Source in,
                  std::uint64_t n, unsigned run, const __grid_constant__ Start start,
                  Out* __restrict__ out) {
  alignas(Out) __shared__ unsigned char memory[warps_per_block * sizeof(Out)];
  pack_room<Out, 1> room;
  reduce_of_block<V>(body, in, n, run, blockIdx.x, reinterpret_cast<Out*>(memory), room);
  if (threadIdx.x == 0) {
    Out& total = room.loaded.elements[0];
    if constexpr (!std::is_same_v<Start, start_with_nothing>)
      if (start.now)
        put_value(total, static_cast<Out>(body(start.value, total)));
    ::new (out + blockIdx.x) Out(total);
  }
}

/// The launches from `in` on: the results of one are the elements of the next.
template <class Out, class Body, class Source, class Start>
void cuda_reduce_from(const Body& body, const Source& in, std::uint64_t n, Start start, Out* here,
                      Out* there, Out* out, cudaStream_t stream) {
  const std::uint64_t blocks = reduce_blocks<Source>(n);
  if constexpr (!std::is_same_v<Start, start_with_nothing>)
    start.now = blocks == 1;
  reduce_kernel<source_of<Source>::per_thread>
      <<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(
          body, in, n, reduce_run_for<Source>(n), start, blocks == 1 ? out : here);
  if (blocks > 1)
    cuda_reduce_from(body, static_cast<const Out*>(here), blocks, start, there, here, out, stream);
}

template <class Out, class Body, class Source, class Start>
void cuda_reduce(const Body& body, const Source& in, std::uint64_t n, const Start& start,
                 Out* workspace, Out* out, void* stream) {
  cuda_reduce_from(body, in, n, start, workspace, workspace + reduce_second<Source>(n), out,
                   static_cast<cudaStream_t>(stream));
}

#endif // __CUDACC__

} // namespace ikra::rt
