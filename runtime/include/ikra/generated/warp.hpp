// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of reductions and scans within a warp, and the loads that feed them, for translation units
// compiled by nvcc. Written here because CUB's block headers alone cost nvcc 4 to 5 seconds, which
// every user's file would pay.
#pragma once

#ifdef __CUDACC__

#include <ikra/generated/grid.hpp>

#include <cstring>
#include <new>

namespace ikra::rt {

inline constexpr unsigned all_lanes = 0xffffffffu;

/// The value of the lane that is \p by further on; in the last lanes, any.
template <class T> __device__ T from_lane_behind(const T& value, unsigned by) {
  constexpr unsigned words = (sizeof(T) + 3) / 4;
  unsigned bits[words] = {};
  std::memcpy(bits, &value, sizeof(T));
#pragma unroll
  for (unsigned w = 0; w < words; ++w)
    bits[w] = __shfl_down_sync(all_lanes, bits[w], by);
  T result = value;
  std::memcpy(static_cast<void*>(&result), bits, sizeof(T));
  return result;
}

/// Lane 0 gets the values of lanes 0 to count - 1 combined in their order; called by all lanes. f
/// is associative and never called with a value of another lane.
/// \param count 1 to 32
template <class T, class F> __device__ T reduce_lanes(T value, unsigned count, const F& f) {
  const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
  for (unsigned by = 1; by < warp_size; by *= 2) {
    const T behind = from_lane_behind(value, by);
    if (lane + by < count)
      value = static_cast<T>(f(value, behind));
  }
  return value;
}

/// The sum of the values of all lanes up to and with this one.
__device__ inline unsigned sum_up_to_lane(unsigned value) {
  const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
  for (unsigned by = 1; by < warp_size; by *= 2) {
    const unsigned before = __shfl_up_sync(all_lanes, value, by);
    if (lane >= by)
      value += before;
  }
  return value;
}

/// Room for a pack of elements that need no default constructor.
template <class T, unsigned V> union pack_room {
  pack<T, V> loaded;
  __device__ pack_room() {}
};

} // namespace ikra::rt

#endif // __CUDACC__
