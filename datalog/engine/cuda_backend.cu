// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithms of CUB that the engine uses, each instantiated once.
#include "cuda_backend.cuh"

#include <cub/device/device_merge.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

namespace ikra::datalog {

namespace kernels {

struct less {
  __host__ __device__ bool operator()(u64 a, u64 b) const { return a < b; }
};

} // namespace kernels

/// Runs an algorithm of CUB's: asks for its memory, then calls it.
template <class Algorithm> void cuda_backend::with_storage(const Algorithm& algorithm) {
  std::size_t bytes = 0;
  check(algorithm(nullptr, bytes), "an algorithm of CUB");
  const buffer<cuda_backend, char> storage(*this, std::max<u64>(bytes, 1), "an algorithm of CUB");
  check(algorithm(storage.data(), bytes), "an algorithm of CUB");
}

u64 cuda_backend::scan(u64* values, u64 count) {
  clear(values + count, sizeof(u64));
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(storage, bytes, values, values,
                                         static_cast<std::int64_t>(count + 1), stream_);
  });
  return read(values + count);
}

u64 cuda_backend::sum_values(const u64* values, u64 count) {
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, values, counter_.data(),
                                  static_cast<std::int64_t>(count), stream_);
  });
  return read(counter_.data());
}

u64 cuda_backend::select_flagged(const u8* flags, u64 count, u32* out) {
  const thrust::counting_iterator<u32> numbers(0);
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(storage, bytes, numbers, flags, out, counter_.data(),
                                      static_cast<std::int64_t>(count), stream_);
  });
  return read(counter_.data());
}

void cuda_backend::sort(u64* keys, u64 count) {
  const buffer<cuda_backend, u64> other(*this, count, "sorting");
  cub::DoubleBuffer<u64> both(keys, other.data());
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(storage, bytes, both, count, 0, 64, stream_);
  });
  if (both.Current() != keys)
    copy(keys, both.Current(), count * sizeof(u64));
}

void cuda_backend::sort_pairs(u64* keys, u32* rows, u64 count) {
  const buffer<cuda_backend, u64> other_keys(*this, count, "sorting");
  const buffer<cuda_backend, u32> other_rows(*this, count, "sorting");
  cub::DoubleBuffer<u64> both(keys, other_keys.data());
  cub::DoubleBuffer<u32> both_rows(rows, other_rows.data());
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, both, both_rows, count, 0, 64, stream_);
  });
  if (both.Current() != keys)
    copy(keys, both.Current(), count * sizeof(u64));
  if (both_rows.Current() != rows)
    copy(rows, both_rows.Current(), count * sizeof(u32));
}

void cuda_backend::merge(const u64* a, u64 count_a, const u64* b, u64 count_b, u64* out) {
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceMerge::MergeKeys(storage, bytes, a, static_cast<std::int64_t>(count_a), b,
                                       static_cast<std::int64_t>(count_b), out, kernels::less{},
                                       stream_);
  });
}

} // namespace ikra::datalog
