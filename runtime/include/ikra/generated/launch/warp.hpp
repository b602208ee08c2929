// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of reductions and scans within a warp, and the loads that feed them, for translation units
// compiled by nvcc. Written here because CUB's block headers alone cost nvcc 4 to 5 seconds, which
// every user's file would pay.
#pragma once

#ifdef __CUDACC__

#include <ikra/generated/device/object_id.hpp>
#include <ikra/generated/launch/grid.hpp>

#include <cstring>
#include <new>

namespace ikra::rt {

inline constexpr unsigned all_lanes = 0xffffffffu;

/// A value whose words come from other lanes. \param shuffle gives another lane's word for this
/// one's
template <class T, class Shuffle>
__device__ T from_other_lane(const T& value, const Shuffle& shuffle) {
  constexpr unsigned words = (sizeof(T) + 3) / 4;
  unsigned bits[words] = {};
  std::memcpy(bits, &value, sizeof(T));
#pragma unroll
  for (unsigned w = 0; w < words; ++w)
    bits[w] = shuffle(bits[w]);
  T result = value;
  std::memcpy(static_cast<void*>(&result), bits, sizeof(T));
  return result;
}
/// The value of the lane that is \p by further on; in the last lanes, any.
template <class T> __device__ T from_lane_after(const T& value, unsigned by) {
  return from_other_lane(value,
                         [by](unsigned word) { return __shfl_down_sync(all_lanes, word, by); });
}
/// The value of the lane \p by before; in the first lanes, any.
template <class T> __device__ T from_lane_before(const T& value, unsigned by) {
  return from_other_lane(value,
                         [by](unsigned word) { return __shfl_up_sync(all_lanes, word, by); });
}
/// The value of a lane, which is the same in all.
template <class T> __device__ T from_lane(const T& value, unsigned lane) {
  return from_other_lane(value,
                         [lane](unsigned word) { return __shfl_sync(all_lanes, word, lane); });
}

/// Lane 0 gets the values of lanes 0 to count - 1 combined in their order; called by all lanes. f
/// is associative and never called with a value of another lane.
/// \tparam Apart as many lanes get values: lane K those of lanes K, K + Apart and so on
/// \param count 1 to 32
template <unsigned Apart = 1, class T, class F>
__device__ T reduce_lanes(T value, unsigned count, const F& f) {
  const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
  for (unsigned by = Apart; by < warp_size; by *= 2) {
    const T after = from_lane_after(value, by);
    if (lane + by < count)
      put_value(value, static_cast<T>(f(value, after)));
  }
  return value;
}

/// Four lanes with four values each: the K-th lane gets the K-th value of each, in their order.
template <class T> __device__ void transpose_in_fours(T (&of)[4]) {
#pragma unroll
  for (unsigned by = 1; by <= 2; by *= 2) {
    const bool is_second = (threadIdx.x & by) != 0;
#pragma unroll
    for (unsigned k = 0; k < 4; ++k)
      if ((k & by) == 0) {
        T given = of[k + by]; // no reference to either: that would need memory
        if (is_second)
          given = of[k];
        const T other = from_other_lane(given, [by](unsigned word) {
          return __shfl_xor_sync(all_lanes, word, static_cast<int>(by));
        });
        if (is_second)
          of[k] = other;
        else
          of[k + by] = other;
      }
  }
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
