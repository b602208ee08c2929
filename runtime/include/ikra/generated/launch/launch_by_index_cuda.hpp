// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce_by_index on a GPU. Integers are added by atomic operations. Else, where the results of all
// keys fit shared memory, each warp has its own: it combines the elements of a row that have one
// key in their order, then adds them to the key's result; a second kernel combines the warps'
// results, again in order. Else elements are sorted by their keys, and runs of equal keys are
// combined (launch_runs_cuda.hpp). Included by launch_by_index.hpp.
#pragma once

#include <ikra/generated/device/device.hpp>
#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/kernel_value.hpp>
#include <ikra/generated/launch/launch_runs.hpp>
#include <ikra/generated/launch/warp.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// How the first kernel deals elements out.
template <class Out> struct by_index_shape {
  static constexpr unsigned warps = 4;              ///< of a block
  static constexpr std::uint64_t shared = 48 << 10; ///< bytes that a block has without asking
  static constexpr std::uint64_t most_warps = 4096; ///< keep any GPU busy
  static constexpr std::uint64_t shortest = 1024;   ///< elements that are worth a warp
  static constexpr std::size_t largest = 256;       ///< bytes of a result

  std::uint64_t bins;
  std::uint64_t warp_count; ///< pieces of the array

  constexpr by_index_shape(std::uint64_t n, std::uint64_t keys)
      : bins(keys), warp_count(std::clamp<std::uint64_t>(
                        n / std::max<std::uint64_t>(shortest, 4 * keys), 1, most_warps)) {}

  static constexpr std::uint64_t round(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }
  IKRA_HD constexpr std::uint64_t results_bytes() const {
    return (bins * sizeof(Out) + 15) / 16 * 16;
  }
  IKRA_HD constexpr std::uint64_t warp_bytes() const { // results, whether they are there, a row
    return results_bytes() + (bins + 15) / 16 * 16 + (warp_size * sizeof(Out) + 15) / 16 * 16;
  }
  /// Whether warps have results of their own.
  constexpr bool fits() const {
    return sizeof(Out) <= largest && bins <= shared && warps * warp_bytes() <= shared;
  }
};

/// What phistogram adds up: a one for each element.
struct each_once {
  IKRA_HD std::int64_t operator[](std::uint64_t) const { return 1; }
};
struct adds_counts {
  using adds = std::int64_t;
  IKRA_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};

/// Combines n elements by their keys, after what out has; queued on the device's stream. Called
/// where nvcc compiles. \param bins 1 to 2^32 - 1 \param first_outside device memory: gets the
/// position of an element whose key is outside, if that is less than what is there
template <class Out, class Key, class T, class Body>
void cuda_reduce_by_index(const Body& body, const Key* keys, const T* in, std::uint64_t n,
                          std::uint64_t bins, Out* out, unsigned long long* first_outside,
                          device& where, const section_info& section);
/// The same in memory that is given, queued on a stream. For integers that are added, or where
/// by_index_shape<Out>(n, bins).fits(). \param in const T*, or each_once \param parts, there for
/// bins results of each of by_index_shape's warps; of integers that are added, null \param outside
/// an unsigned long long as above, or a bool that becomes true if there is such an element
template <class Out, class Key, class Source, class Body, class Mark>
void cuda_by_few_indices(const Body& body, const Key* keys, const Source& in, std::uint64_t n,
                         std::uint64_t bins, Out* out, Out* parts, unsigned char* there,
                         Mark* outside, void* stream);
/// Combines what warps have for each key, after what out has; the same.
template <class Out, class Body>
void cuda_by_index_parts(const Body& body, const by_index_shape<Out>& shape, const Out* parts,
                         const unsigned char* there, Out* out, void* stream);
/// out[b] = value for n places.
template <class Out> void cuda_fill(Out* out, std::uint64_t n, const Out& value, device& where);

/// Whether a body adds integers: in any order, with the same result.
template <class Body, class Out>
concept adds_integers = std::same_as<typename Body::adds, Out> && std::integral<Out> &&
                        (sizeof(Out) == 4 || sizeof(Out) == 8);

#ifdef __CUDACC__

namespace detail {

/// The number of a key's result; not less than the number of keys if it is outside.
template <class Key> __device__ std::uint64_t key_number(const Key& key) {
  return static_cast<std::uint64_t>(converted<std::int64_t>(key));
}

/// Notes an element whose key is outside. \{
__device__ inline void note_outside(unsigned long long* first, std::uint64_t i) {
  atomicMin(first, static_cast<unsigned long long>(i));
}
__device__ inline void note_outside(bool* any, std::uint64_t) { *any = true; }
/// \}

} // namespace detail

template <class Out> __global__ void fill_kernel(Out* out, std::uint64_t n, const Out value) {
  const std::uint64_t i = std::uint64_t(blockIdx.x) * block_size + threadIdx.x;
  if (i < n)
    ::new (static_cast<void*>(out + i)) Out(value);
}

template <class Out> void cuda_fill(Out* out, std::uint64_t n, const Out& value, device& where) {
  if (n != 0)
    fill_kernel<<<blocks_for(n), block_size, 0, static_cast<cudaStream_t>(where.stream())>>>(out, n,
                                                                                             value);
}

/// A warp's share of a reduction by index, in shared memory: the results by bin, which of them are
/// there, and room for a row of elements. All lanes call its functions.
template <class Out> struct warp_bins {
  Out* results;
  unsigned char* used;
  Out* row;
  unsigned bins;

  __device__ warp_bins(unsigned char* memory, const by_index_shape<Out>& shape)
      : results(reinterpret_cast<Out*>(memory)), used(memory + shape.results_bytes()),
        row(reinterpret_cast<Out*>(memory + shape.warp_bytes() -
                                   (warp_size * sizeof(Out) + 15) / 16 * 16)),
        bins(static_cast<unsigned>(shape.bins)) {}

  __device__ static unsigned lane() { return threadIdx.x % warp_size; }
  __device__ void clear() const {
    for (unsigned b = lane(); b < bins; b += warp_size)
      used[b] = 0;
    __syncwarp();
  }
  /// Combines the elements of a row with what their bins have, in the order of the lanes.
  /// \param i the element's number, if it is_there; \param number its bin, where outside is told of
  /// others; \param element gives it, and is called where there is a bin for it
  template <class Body, class Mark, class Element>
  __device__ void take(const Body& body, bool is_there, std::uint64_t i, std::uint64_t number,
                       Mark* outside, Element element) const {
    const bool inside = is_there && number < bins;
    if (is_there && !inside)
      detail::note_outside(outside, i);
    const unsigned bin = inside ? static_cast<unsigned>(number) : ~0U;
    const unsigned same = __match_any_sync(all_lanes, bin);
    if (inside)
      ::new (static_cast<void*>(row + lane())) Out(converted<Out>(element()));
    __syncwarp();
    if (inside && lane() == static_cast<unsigned>(__ffs(static_cast<int>(same))) - 1) {
      Out all = row[lane()];
      for (unsigned others = same & (same - 1); others != 0; others &= others - 1)
        ::new (static_cast<void*>(&all))
            Out(static_cast<Out>(body(all, row[__ffs(static_cast<int>(others)) - 1])));
      if (used[bin] != 0)
        ::new (static_cast<void*>(&all)) Out(static_cast<Out>(body(results[bin], all)));
      used[bin] = 1;
      ::new (static_cast<void*>(results + bin)) Out(all);
    }
    __syncwarp();
  }
  /// parts[warp * bins + b] is what this warp has for key b, if there[warp * bins + b].
  __device__ void store(std::uint64_t warp, Out* parts, unsigned char* there) const {
    for (unsigned b = lane(); b < bins; b += warp_size) {
      there[warp * bins + b] = used[b];
      if (used[b] != 0)
        ::new (static_cast<void*>(parts + (warp * bins + b))) Out(results[b]);
    }
  }
};

/// A warp's piece of the array, by its keys. parts[w * bins + b] is what warp w has for key b, if
/// there[w * bins + b].
template <class Out, class Key, class T, class Body, class Mark>
__global__ void __launch_bounds__(by_index_shape<Out>::warps* warp_size)
    by_index_kernel(const __grid_constant__ Body body, const Key* __restrict__ keys,
                    const T* __restrict__ in, std::uint64_t n, const by_index_shape<Out> shape,
                    Out* parts, unsigned char* there, Mark* outside) {
  extern __shared__ __align__(16) unsigned char by_index_memory[];
  constexpr unsigned rows = 4; // loads in flight
  const unsigned lane = threadIdx.x % warp_size;
  const unsigned warp_of_block = threadIdx.x / warp_size;
  const std::uint64_t warp = std::uint64_t(blockIdx.x) * by_index_shape<Out>::warps + warp_of_block;
  if (warp >= shape.warp_count) // a whole warp: threads of other warps are not waited for
    return;
  const warp_bins<Out> mine(by_index_memory + warp_of_block * shape.warp_bytes(), shape);
  mine.clear();

  const std::uint64_t all_rows = (n + warp_size - 1) / warp_size;
  const std::uint64_t each = all_rows / shape.warp_count, rest = all_rows % shape.warp_count;
  const std::uint64_t first_row = each * warp + (warp < rest ? warp : rest);
  const std::uint64_t end_row = first_row + each + (warp < rest ? 1 : 0);
  for (std::uint64_t r = first_row; r < end_row; r += rows) {
    Key row_keys[rows];
    pack_room<T, 1> elements[rows];
#pragma unroll
    for (unsigned k = 0; k < rows; ++k) {
      const std::uint64_t i = (r + k) * warp_size + lane;
      const std::uint64_t at = i < n ? i : n - 1;
      row_keys[k] = keys[at];
      ::new (static_cast<void*>(&elements[k].loaded.elements[0])) T(in[at]);
    }
#pragma unroll
    for (unsigned k = 0; k < rows; ++k) {
      const std::uint64_t i = (r + k) * warp_size + lane;
      const bool is_there = r + k < end_row && i < n;
      mine.take(body, is_there, i, detail::key_number(row_keys[k]), outside,
                [&]() -> const T& { return elements[k].loaded.elements[0]; });
    }
  }
  mine.store(warp, parts, there);
}

/// A block combines what the warps have for one key, after what out has.
template <class Out, class Body>
__global__ void __launch_bounds__(128)
    by_index_parts_kernel(const __grid_constant__ Body body, const by_index_shape<Out> shape,
                          const Out* __restrict__ parts, const unsigned char* __restrict__ there,
                          Out* out) {
  constexpr unsigned threads = 128;
  extern __shared__ __align__(16) unsigned char by_index_memory[];
  __shared__ bool of_thread_is_there[threads];
  auto* const of_threads = reinterpret_cast<Out*>(by_index_memory);
  const std::uint64_t b = blockIdx.x;
  const std::uint64_t each = (shape.warp_count + threads - 1) / threads;
  const std::uint64_t begin = each * threadIdx.x;
  const std::uint64_t end = begin + each < shape.warp_count ? begin + each : shape.warp_count;
  bool is_there = false;
  for (std::uint64_t w = begin; w < end; ++w)
    if (there[w * shape.bins + b] != 0) {
      const Out& part = parts[w * shape.bins + b];
      Out* const mine = of_threads + threadIdx.x;
      if (is_there)
        ::new (static_cast<void*>(mine)) Out(static_cast<Out>(body(*mine, part)));
      else
        ::new (static_cast<void*>(mine)) Out(part);
      is_there = true;
    }
  of_thread_is_there[threadIdx.x] = is_there;
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  for (unsigned t = 0; t < threads; ++t)
    if (of_thread_is_there[t])
      ::new (static_cast<void*>(out + b)) Out(static_cast<Out>(body(out[b], of_threads[t])));
}

/// Keys as numbers of 32 bits; those outside as the largest.
template <class Key>
__global__ void number_keys_kernel(const Key* keys, std::uint64_t n, std::uint64_t first,
                                   std::uint64_t bins, std::uint32_t* numbers,
                                   unsigned long long* first_outside) {
  const std::uint64_t i = std::uint64_t(blockIdx.x) * block_size + threadIdx.x;
  if (i >= n)
    return;
  const std::uint64_t number = detail::key_number(keys[i]);
  if (number >= bins)
    atomicMin(first_outside, static_cast<unsigned long long>(first + i));
  numbers[i] = number < bins ? static_cast<std::uint32_t>(number) : 0;
}

/// Elements and keys in an order.
template <class Out, class T>
__global__ void in_order_kernel(const std::uint32_t* order, const std::uint32_t* numbers,
                                const T* in, std::uint64_t n, std::uint32_t* sorted_numbers,
                                Out* sorted) {
  const std::uint64_t i = std::uint64_t(blockIdx.x) * block_size + threadIdx.x;
  if (i >= n)
    return;
  sorted_numbers[i] = numbers[order[i]];
  ::new (static_cast<void*>(sorted + i)) Out(converted<Out>(in[order[i]]));
}

/// The results of runs, to where their keys say. \param count how many there are
template <class Out, class Body>
__global__ void runs_to_keys_kernel(const __grid_constant__ Body body, const std::uint64_t* count,
                                    const std::uint32_t* keys, const Out* runs, Out* out) {
  const std::uint64_t i = std::uint64_t(blockIdx.x) * block_size + threadIdx.x;
  if (i < *count) {
    Out* const place = out + keys[i];
    ::new (static_cast<void*>(place)) Out(static_cast<Out>(body(*place, runs[i])));
  }
}

/// Elements sorted by their keys, in parts of fewer than 2^31.
template <class Out, class Key, class T, class Body>
void cuda_by_many_indices(const Body& body, const Key* keys, const T* in, std::uint64_t n,
                          std::uint64_t bins, Out* out, unsigned long long* first_outside,
                          device& where, const section_info& section) {
  constexpr std::uint64_t most = std::uint64_t(1) << 30;
  const auto stream = static_cast<cudaStream_t>(where.stream());
  const std::uint64_t room = std::min(n, most);
  int bits = 1;
  while (bits < 32 && (bins - 1) >> bits != 0)
    ++bits;
  const auto words = [&](const char* what) {
    return device_memory(where, room * sizeof(std::uint32_t), what, section);
  };
  const device_memory numbers = words("numbers of keys"), order = words("order of keys"),
                      sorted_numbers = words("numbers of keys"), firsts = words("keys of runs");
  const device_memory sorted(where, room * sizeof(Out), "elements in the order of keys", section);
  const device_memory runs(where, room * sizeof(Out), "results of runs", section);
  const device_memory workspace(where, runs_workspace<Out, std::uint32_t>(room),
                                "state of the scan", section);
  const auto words_in = [](const device_memory& memory) {
    return static_cast<std::uint32_t*>(memory.data());
  };
  for (std::uint64_t first = 0; first < n; first += most) {
    const std::uint64_t size = std::min(most, n - first);
    const unsigned blocks = blocks_for(size);
    number_keys_kernel<<<blocks, block_size, 0, stream>>>(keys + first, size, first, bins,
                                                          words_in(numbers), first_outside);
    where.sort_order(words_in(numbers), words_in(order), static_cast<std::uint32_t>(size), bits,
                     section);
    in_order_kernel<Out><<<blocks, block_size, 0, stream>>>(
        words_in(order), words_in(numbers), in + first, size, words_in(sorted_numbers),
        static_cast<Out*>(sorted.data()));
    cuda_reduce_by_key(body, static_cast<const std::uint32_t*>(words_in(sorted_numbers)),
                       static_cast<const Out*>(sorted.data()), size, workspace.data(),
                       static_cast<Out*>(runs.data()), words_in(firsts), where.stream());
    runs_to_keys_kernel<Out><<<blocks, block_size, 0, stream>>>(
        body, static_cast<const std::uint64_t*>(workspace.data()),
        static_cast<const std::uint32_t*>(words_in(firsts)), static_cast<const Out*>(runs.data()),
        out);
  }
  where.check_launch(section);
}

/// Adds integers to out by their keys. A block has sums of its own, in shared memory, if they fit.
/// \tparam Counts adds ones, not what is in memory
template <bool Counts, class Out, class Key, class T, class Mark>
__global__ void __launch_bounds__(block_size)
    add_by_index_kernel(const Key* __restrict__ keys, const T* __restrict__ in, std::uint64_t n,
                        std::uint64_t bins, bool in_shared, Out* out, Mark* outside) {
  using word = std::conditional_t<sizeof(Out) == 4, unsigned, unsigned long long>;
  extern __shared__ __align__(16) unsigned char by_index_memory[];
  auto* const all = reinterpret_cast<word*>(out);
  auto* const sums = in_shared ? reinterpret_cast<word*>(by_index_memory) : all;
  if (in_shared) {
    for (std::uint64_t b = threadIdx.x; b < bins; b += block_size)
      sums[b] = 0;
    __syncthreads();
  }
  const std::uint64_t step = std::uint64_t(gridDim.x) * block_size;
#pragma unroll 4
  for (std::uint64_t i = std::uint64_t(blockIdx.x) * block_size + threadIdx.x; i < n; i += step) {
    const std::uint64_t number = detail::key_number(keys[i]);
    if (number >= bins)
      detail::note_outside(outside, i);
    else if constexpr (Counts)
      atomicAdd(sums + number, word(1));
    else
      atomicAdd(sums + number, static_cast<word>(converted<Out>(in[i])));
  }
  if (in_shared) {
    __syncthreads();
    for (std::uint64_t b = threadIdx.x; b < bins; b += block_size)
      if (sums[b] != 0)
        atomicAdd(all + b, sums[b]);
  }
}

template <class Out, class Key, class Source, class Body, class Mark>
void cuda_by_few_indices(const Body& body, const Key* keys, const Source& in, std::uint64_t n,
                         std::uint64_t bins, Out* out, Out* parts, unsigned char* there,
                         Mark* outside, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  if constexpr (adds_integers<Body, Out>) {
    constexpr bool counts = std::is_same_v<Source, each_once>;
    const std::uint64_t bytes = bins * sizeof(Out);
    const bool in_shared = bytes <= by_index_shape<Out>::shared;
    constexpr std::uint64_t most = 2048; // blocks: each adds its sums to all
    const auto blocks =
        static_cast<unsigned>(std::min<std::uint64_t>(blocks_for((n + 7) / 8), most));
    const auto* elements = [&] {
      if constexpr (counts)
        return keys; // not read
      else
        return in;
    }();
    add_by_index_kernel<counts, Out><<<blocks, block_size, in_shared ? bytes : 0, queue>>>(
        keys, elements, n, bins, in_shared, out, outside);
  } else {
    const by_index_shape<Out> shape(n, bins);
    constexpr unsigned warps = by_index_shape<Out>::warps;
    by_index_kernel<Out>
        <<<static_cast<unsigned>((shape.warp_count + warps - 1) / warps), warps * warp_size,
           warps * shape.warp_bytes(), queue>>>(body, keys, in, n, shape, parts, there, outside);
    cuda_by_index_parts(body, shape, static_cast<const Out*>(parts),
                        static_cast<const unsigned char*>(there), out, stream);
  }
}

template <class Out, class Body>
void cuda_by_index_parts(const Body& body, const by_index_shape<Out>& shape, const Out* parts,
                         const unsigned char* there, Out* out, void* stream) {
  by_index_parts_kernel<Out><<<static_cast<unsigned>(shape.bins), 128, 128 * sizeof(Out),
                               static_cast<cudaStream_t>(stream)>>>(body, shape, parts, there, out);
}

template <class Out, class Key, class T, class Body>
void cuda_reduce_by_index(const Body& body, const Key* keys, const T* in, std::uint64_t n,
                          std::uint64_t bins, Out* out, unsigned long long* first_outside,
                          device& where, const section_info& section) {
  if constexpr (adds_integers<Body, Out>) {
    cuda_by_few_indices(body, keys, in, n, bins, out, static_cast<Out*>(nullptr),
                        static_cast<unsigned char*>(nullptr), first_outside, where.stream());
  } else {
    const by_index_shape<Out> shape(n, bins);
    if (!shape.fits())
      return cuda_by_many_indices(body, keys, in, n, bins, out, first_outside, where, section);
    const std::uint64_t results = shape.warp_count * bins;
    const device_memory parts(where, results * sizeof(Out), "intermediate results", section);
    const device_memory there(where, results, "intermediate results", section);
    cuda_by_few_indices(body, keys, in, n, bins, out, static_cast<Out*>(parts.data()),
                        static_cast<unsigned char*>(there.data()), first_outside, where.stream());
  }
  where.check_launch(section);
}

#endif // __CUDACC__

} // namespace ikra::rt
