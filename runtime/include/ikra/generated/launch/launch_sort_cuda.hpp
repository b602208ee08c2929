// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting by a body on the GPU, by CUB's merge sort. A header of its own, which only emitted files
// with a psort include, because CUB takes nvcc several seconds.
#pragma once

#include <ikra/generated/launch/launch_sort.hpp>

#ifdef __CUDACC__

#include <cub/device/device_merge_sort.cuh>

#include <new>
#include <type_traits>

namespace ikra::rt {

/// An element without constructors, as CUB's kernels want it.
template <class T> struct sorted_element {
  alignas(T) unsigned char bytes[sizeof(T)];
};

template <class T, class Body> struct compare_elements {
  Body body;
  __device__ bool operator()(const T& a, const T& b) const { return body(a, b); }
  __device__ bool operator()(const sorted_element<T>& a, const sorted_element<T>& b) const {
    return body(*std::launder(reinterpret_cast<const T*>(&a)),
                *std::launder(reinterpret_cast<const T*>(&b)));
  }
};

template <class T, class Body>
int cuda_sort(const Body& body, T* elements, std::uint64_t n, void* memory, std::size_t& bytes,
              void* stream) {
  using element =
      std::conditional_t<std::is_trivially_default_constructible_v<T>, T, sorted_element<T>>;
  return cub::DeviceMergeSort::StableSortKeys(memory, bytes, reinterpret_cast<element*>(elements),
                                              n, compare_elements<T, Body>{body},
                                              static_cast<cudaStream_t>(stream));
}

} // namespace ikra::rt

#endif // __CUDACC__
