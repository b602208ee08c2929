// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How elements are dealt out to the threads of a GPU: sizes of warps and blocks, and how many
// elements a thread takes. Not only for nvcc, because how much memory a launch needs follows from
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ikra::rt {

inline constexpr unsigned block_size = 256;
inline constexpr unsigned warp_size = 32;
inline constexpr unsigned warps_per_block = block_size / warp_size;

/// Blocks that a processor of the architecture compiled for holds: for more, ptxas warns. From 8.0
/// on it has 1,536 threads or more, of which kernels ask for no more than these.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr unsigned most_blocks = 4;
#else
inline constexpr unsigned most_blocks = 6;
#endif
constexpr unsigned blocks_held(unsigned wanted) {
  return wanted < most_blocks ? wanted : most_blocks;
}

/// Number of blocks that have so many threads.
constexpr unsigned blocks_for(std::uint64_t threads, unsigned size = block_size) {
  return static_cast<unsigned>((threads + size - 1) / size);
}

/// Threads of a block whose threads do not work together. A GPU runs some 300,000 threads at once,
/// and is done when the processor with the most blocks is: of few, one more is much.
constexpr unsigned block_size_for(std::uint64_t threads) {
  constexpr std::uint64_t few = std::uint64_t(1) << 20;
  return threads < few ? 2 * warp_size : block_size;
}

/// So many threads of kernels that compute more than they load keep a large GPU busy; fewer do not.
inline constexpr std::uint64_t threads_at_once = std::uint64_t(1) << 18;

constexpr bool is_power_of_two(std::size_t n) { return n != 0 && (n & (n - 1)) == 0; }

/// How V elements that move in one load or store are aligned; others are a room for V of them.
template <class T, unsigned V> constexpr std::size_t pack_alignment() {
  constexpr std::size_t bytes = V * sizeof(T);
  return V > 1 && bytes <= 16 && is_power_of_two(bytes) ? bytes : alignof(T);
}
/// Elements that move together: one load or store of up to 16 bytes.
template <class T, unsigned V> struct alignas(pack_alignment<T, V>()) pack {
  T elements[V];
};

#ifdef __CUDACC__
/// The pack at \p from, aligned as a pack is. nvcc 13.0 takes packs of bytes apart without
/// extending the signs of those at the ends of words, unless it can't see where the words are from.
template <unsigned V, class T> __device__ pack<T, V> packed_at(const T* from) {
  if constexpr (sizeof(T) == 1 && V >= 4) {
    auto words = *reinterpret_cast<const pack<std::uint32_t, V / 4>*>(from);
#pragma unroll
    for (unsigned i = 0; i < V / 4; ++i)
      asm("" : "+r"(words.elements[i]));
    pack<T, V> bytes;
    __builtin_memcpy(&bytes, &words, sizeof bytes);
    return bytes;
  } else if constexpr (sizeof(T) == 1 && V == 2) {
    auto word = *reinterpret_cast<const std::uint16_t*>(from);
    asm("" : "+h"(word));
    pack<T, V> bytes;
    __builtin_memcpy(&bytes, &word, sizeof bytes);
    return bytes;
  } else {
    return *reinterpret_cast<const pack<T, V>*>(from);
  }
}
#endif

/// Whether elements may move in packs.
template <class T>
inline constexpr bool is_packable =
    is_power_of_two(sizeof(T)) && sizeof(T) <= 16 && std::is_trivial_v<T>;

/// Number of elements a thread: as many as make 16 bytes of the largest of the types.
template <class... T> constexpr unsigned elements_per_thread() {
  std::size_t largest = 1;
  ((largest = sizeof(T) > largest ? sizeof(T) : largest), ...);
  return (is_packable<T> && ...) ? static_cast<unsigned>(16 / largest) : 1;
}

/// Fewer elements than this are counted in 32 bits. Signed numbers of as many bits have room for
/// them, the last block's positions included (assume_coordinate).
inline constexpr std::uint64_t largest_narrow = 0x70000000u;

} // namespace ikra::rt
