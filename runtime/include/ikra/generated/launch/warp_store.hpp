// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a warp stores results that no single instruction stores: structs and std::arrays. If each
// thread stored its own member by member, each of its stores would touch a sector of 32 bytes for
// each thread, and only part of it. So the warp passes its results through shared memory and
// stores consecutive words (docs/layout.md, arrays of structs).
#pragma once

#ifdef __CUDACC__

#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/warp.hpp>

#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

namespace ikra::rt {

/// Whether warps store results of this type together: where a thread would take several stores.
/// Larger ones would leave too little memory to the first-level cache.
template <class T>
inline constexpr bool is_stored_by_warps = std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0 &&
                                           alignof(T) % 4 == 0 && sizeof(T) > 8 &&
                                           sizeof(T) != 16 && sizeof(T) <= 128;

/// Stores a result of one thread, of 16 bytes at once: C++ aligns structs for their members only.
template <class T> __device__ void store_whole(T* out, const T& value) {
  if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) == sizeof(uint4) &&
                alignof(T) < alignof(uint4)) {
    uint4 bits;
    std::memcpy(&bits, &value, sizeof bits);
    *reinterpret_cast<uint4*>(out) = bits;
  } else {
    ::new (static_cast<void*>(out)) T(value);
  }
}

/// Stores the values of a warp's lanes, at out[lane] each. Called by all lanes.
/// \param is_mine whether this lane has a value
template <class T> __device__ void store_by_warp(T* out, const T& value, bool is_mine) {
  constexpr unsigned words = sizeof(T) / 4;
  // Lanes whose words begin in the same bank would wait for each other.
  constexpr unsigned padding = words % 2 == 0 ? words : 0;
  const auto room_of = [](unsigned word) { return padding != 0 ? word + word / warp_size : word; };
  __shared__ std::uint32_t room[warps_per_block][words * warp_size + padding];
  std::uint32_t* const mine = room[threadIdx.x / warp_size];
  const unsigned lane = threadIdx.x % warp_size;
  const unsigned stored = __ballot_sync(all_lanes, is_mine);
  if (stored == 0)
    return;
  if (is_mine) {
    std::uint32_t bits[words];
    std::memcpy(bits, &value, sizeof(T));
#pragma unroll
    for (unsigned w = 0; w < words; ++w)
      mine[room_of(lane * words + w)] = bits[w];
  }
  __syncwarp();
  auto* const to = reinterpret_cast<std::uint32_t*>(out);
  if (stored == all_lanes) {
#pragma unroll
    for (unsigned w = 0; w < words; ++w)
      to[w * warp_size + lane] = mine[room_of(w * warp_size + lane)];
  } else {
#pragma unroll
    for (unsigned w = 0; w < words; ++w)
      if ((stored >> (w * warp_size + lane) / words & 1) != 0)
        to[w * warp_size + lane] = mine[room_of(w * warp_size + lane)];
  }
  __syncwarp(); // the room may be used again
}

} // namespace ikra::rt

#endif // __CUDACC__
