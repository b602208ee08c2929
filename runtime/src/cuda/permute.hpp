// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moving elements whose type is erased: kernels know their size alone, and move words of the
// largest power of two that divides it.
#pragma once

#include "devices/operations.hpp"

#include <ikra/generated/device/kernel_file.hpp>
#include <ikra/generated/launch/grid.hpp>

#include <cstddef>
#include <cstdint>

namespace ikra::rt {

/// f(i) for i in [0, n).
template <class F>
__global__ void __launch_bounds__(block_size)
    for_all_kernel(const __grid_constant__ F f, std::uint64_t n) {
  const std::uint64_t i = std::uint64_t(blockIdx.x) * block_size + threadIdx.x;
  if (i < n)
    f(i);
}

/// Queues f(i) for i in [0, n) on a device's stream.
template <class F>
void for_all(const F& f, std::uint64_t n, device& where, const section_info& section) {
  if (n == 0)
    return;
  for_all_kernel<<<blocks_for(n), block_size, 0, static_cast<cudaStream_t>(where.stream())>>>(f, n);
  where.check_launch(section);
}

/// What a kernel loads or stores at once.
template <std::size_t Bytes> struct word_of;
template <> struct word_of<1> {
  using type = std::uint8_t;
};
template <> struct word_of<2> {
  using type = std::uint16_t;
};
template <> struct word_of<4> {
  using type = std::uint32_t;
};
template <> struct word_of<8> {
  using type = std::uint64_t;
};
template <> struct word_of<16> {
  using type = uint4;
};

/// Elements of `words` words each: to[i] = from[position].
template <class Word> struct permute {
  Word* to;
  const Word* from;
  std::uint32_t words;

  __device__ void move(std::uint64_t i, std::uint64_t position) const {
    if (words == 1) {
      to[i] = from[position];
      return;
    }
    for (std::uint32_t w = 0; w < words; ++w)
      to[i * words + w] = from[position * words + w];
  }
};

/// to[i] = from[order[i]].
template <class Word, class Number> struct ordered_job {
  permute<Word> elements;
  const Number* order;
  __device__ void operator()(std::uint64_t i) const { elements.move(i, order[i]); }
};

/// to[i] = i.
template <class Number> struct count_job {
  Number* out;
  __device__ void operator()(std::uint64_t i) const { out[i] = static_cast<Number>(i); }
};

/// Calls f(permutation of elements of the size) for device memory.
template <class F> void with_permute(std::size_t bytes, void* to, const void* from, const F& f) {
  with_chunks(bytes, to, from, [&](auto chunk, std::size_t words) {
    using word = typename word_of<sizeof chunk>::type;
    f(permute<word>{static_cast<word*>(to), static_cast<const word*>(from),
                    static_cast<std::uint32_t>(words)});
  });
}

} // namespace ikra::rt
