// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sort.hpp"

#include "calls.hpp"

#include <cub/device/device_radix_sort.cuh>

namespace ikra::rt {

namespace {

/// Calls sort(memory, its size): first to learn how much memory it takes.
template <class Sort>
void with_memory(const Sort& sort, device& where, const section_info& section) {
  const auto called = [&](void* memory, std::size_t& bytes) {
    return is_failing_cuda_call() ? cudaErrorUnknown : sort(memory, bytes);
  };
  std::size_t bytes = 0;
  cudaError_t status = called(nullptr, bytes);
  device_memory memory;
  if (status == cudaSuccess) {
    memory = device_memory(where, bytes, "state of the sort", section);
    status = called(memory.data(), bytes);
  }
  check_cuda(status, "sorting", section, "run with IKRA_DEVICE=cpu");
}

} // namespace

template <class Key>
void cuda_sort_keys(const Key* in, Key* out, std::uint64_t n, int bits, device& where,
                    const section_info& section) {
  const auto stream = static_cast<cudaStream_t>(where.stream());
  with_memory(
      [&](void* memory, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(memory, bytes, in, out, n, 0, bits, stream);
      },
      where, section);
}

template <class Key, class Value>
void cuda_sort_pairs(const Key* keys, const Value* in, Value* out, std::uint64_t n, int bits,
                     device& where, const section_info& section) {
  const auto stream = static_cast<cudaStream_t>(where.stream());
  const device_memory sorted(where, n * sizeof(Key), "sorted keys", section);
  with_memory(
      [&](void* memory, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(
            memory, bytes, keys, static_cast<Key*>(sorted.data()), in, out, n, 0, bits, stream);
      },
      where, section);
}

#define IKRA_DETAIL_SORT_KEYS(KEY)                                                                 \
  template void cuda_sort_keys<KEY>(const KEY*, KEY*, std::uint64_t, int, device&,                 \
                                    const section_info&);
#define IKRA_DETAIL_SORT_PAIRS(KEY, VALUE)                                                         \
  template void cuda_sort_pairs<KEY, VALUE>(const KEY*, const VALUE*, VALUE*, std::uint64_t, int,  \
                                            device&, const section_info&);

IKRA_DETAIL_SORT_KEYS(std::int32_t)
IKRA_DETAIL_SORT_KEYS(std::uint32_t)
IKRA_DETAIL_SORT_KEYS(std::int64_t)
IKRA_DETAIL_SORT_KEYS(std::uint64_t)
IKRA_DETAIL_SORT_PAIRS(std::uint32_t, std::uint32_t)
IKRA_DETAIL_SORT_PAIRS(std::uint32_t, std::uint64_t)
IKRA_DETAIL_SORT_PAIRS(std::uint64_t, std::uint32_t)
IKRA_DETAIL_SORT_PAIRS(std::uint64_t, std::uint64_t)

} // namespace ikra::rt
