// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithms of CUB that the engine uses, each instantiated once.
#include "datalog/backend/cuda_backend.cuh"

#include <cub/block/block_scan.cuh>
#include <cub/device/device_merge.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <bit>

namespace ikra::datalog {

namespace kernels {

struct less {
  __host__ __device__ bool operator()(u64 a, u64 b) const { return a < b; }
};

struct bitwise_or {
  __host__ __device__ u64 operator()(u64 a, u64 b) const { return a | b; }
};

/// Where a key differs from the first.
struct difference {
  const u64* keys;
  __host__ __device__ u64 operator()(u64 key) const { return key ^ keys[0]; }
};

/// The low bits of both halves of a key, beside each other.
struct narrow_key {
  const u64* keys;
  u32* to;
  unsigned low, high;
  __host__ __device__ void operator()(u64 i) const {
    to[i] =
        static_cast<u32>((keys[i] & low_bits(low)) | (((keys[i] >> 32) & low_bits(high)) << low));
  }
};

struct widen_key {
  const u32* keys;
  u64* to;
  unsigned low;
  u64 constant;
  __host__ __device__ void operator()(u64 i) const {
    const u64 key = keys[i];
    to[i] = constant | (key & low_bits(low)) | ((key >> low) << 32);
  }
};

/// So many elements are worth one block, which takes less time than the launches of CUB's
/// algorithms for all of the GPU.
constexpr u64 most_for_block = u64(1) << 14;
constexpr unsigned few_threads = 1024, few_items = 4;

/// Exclusive prefix sums in place, and the sum after them, which the host is told.
__global__ void __launch_bounds__(few_threads) scan_few(u64* values, u64 count, u64* sum) {
  using block_scan = cub::BlockScan<u64, few_threads>;
  __shared__ typename block_scan::TempStorage storage;
  u64 before = 0;
  for (u64 first = 0; first < count; first += few_threads * few_items) {
    const u64 at = first + threadIdx.x * few_items;
    u64 own[few_items], total = 0;
    for (unsigned i = 0; i < few_items; ++i)
      own[i] = at + i < count ? values[at + i] : 0;
    block_scan(storage).ExclusiveSum(own, own, total);
    for (unsigned i = 0; i < few_items; ++i)
      if (at + i < count)
        values[at + i] = before + own[i];
    before += total;
    __syncthreads(); // storage is used again
  }
  if (threadIdx.x == 0)
    *sum = values[count] = before;
}

struct row_number {
  __host__ __device__ u32 operator()(u64 i) const { return static_cast<u32>(i); }
};

struct word_at {
  const u64* words;
  __host__ __device__ u64 operator()(u64 i) const { return words[i]; }
};

/// Writes from(i) for all i with a flag, in order; the host is told how many. What is written may
/// be where it is read.
template <class From, class T>
__global__ void __launch_bounds__(few_threads)
    keep_few(const u8* flags, u64 count, From from, T* out, u64* kept) {
  using block_scan = cub::BlockScan<u32, few_threads>;
  __shared__ typename block_scan::TempStorage storage;
  u64 before = 0;
  for (u64 first = 0; first < count; first += few_threads * few_items) {
    const u64 at = first + threadIdx.x * few_items;
    bool is_kept[few_items];
    T own[few_items];
    u32 place[few_items], total = 0;
    for (unsigned i = 0; i < few_items; ++i) {
      is_kept[i] = at + i < count && flags[at + i] != 0;
      own[i] = is_kept[i] ? from(at + i) : T();
      place[i] = is_kept[i] ? 1 : 0;
    }
    // All threads have read when the first one writes.
    block_scan(storage).ExclusiveSum(place, place, total);
    __syncthreads();
    for (unsigned i = 0; i < few_items; ++i)
      if (is_kept[i])
        out[before + place[i]] = own[i];
    before += total;
  }
  if (threadIdx.x == 0)
    *kept = before;
}

__global__ void tell(u64* word, u64* host, bool clears) {
  *host = *word;
  if (clears)
    *word = 0;
}

} // namespace kernels

/// Runs an algorithm of CUB's: asks for its memory, then calls it.
template <class Algorithm> void cuda_backend::with_storage(const Algorithm& algorithm) {
  std::size_t bytes = 0;
  check(algorithm(nullptr, bytes), "an algorithm of CUB");
  const buffer<cuda_backend, char> storage(*this, std::max<u64>(bytes, 1), "an algorithm of CUB");
  check(algorithm(storage.data(), bytes), "an algorithm of CUB");
}

void cuda_backend::tell(u64* word, unsigned place, bool clears) {
  kernels::tell<<<1, 1, 0, stream_>>>(word, told_.data() + place, clears);
  device_.check_launch(where);
}

u64 cuda_backend::take_written() {
  tell(written_.data(), 0, true);
  return told();
}

u64 cuda_backend::scan(u64* values, u64 count) {
  if (count <= kernels::most_for_block) {
    kernels::scan_few<<<1, kernels::few_threads, 0, stream_>>>(values, count, told_.data());
    device_.check_launch(where);
    return told();
  }
  clear(values + count, sizeof(u64));
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(storage, bytes, values, values,
                                         static_cast<std::int64_t>(count + 1), stream_);
  });
  tell(values + count, 0);
  return told();
}

u64 cuda_backend::sum_values(const u64* values, u64 count) {
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, values, told_.data(),
                                  static_cast<std::int64_t>(count), stream_);
  });
  return told();
}

u64 cuda_backend::select_flagged(const u8* flags, u64 count, u32* out) {
  if (count <= kernels::most_for_block) {
    kernels::keep_few<<<1, kernels::few_threads, 0, stream_>>>(flags, count, kernels::row_number{},
                                                               out, told_.data());
    device_.check_launch(where);
    return told();
  }
  const thrust::counting_iterator<u32> numbers(0);
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(storage, bytes, numbers, flags, out, told_.data(),
                                      static_cast<std::int64_t>(count), stream_);
  });
  return told();
}

u64 cuda_backend::keep_flagged(const u8* flags, u64 count, u64* words) {
  if (count <= kernels::most_for_block) {
    kernels::keep_few<<<1, kernels::few_threads, 0, stream_>>>(
        flags, count, kernels::word_at{words}, words, told_.data());
    device_.check_launch(where);
    return told();
  }
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(storage, bytes, words, flags, told_.data(),
                                      static_cast<std::int64_t>(count), stream_);
  });
  return told();
}

cuda_backend::varying_bits cuda_backend::varying_of(const u64* keys, u64 count) {
  const auto differences = thrust::make_transform_iterator(keys, kernels::difference{keys});
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(storage, bytes, differences, told_.data(),
                                     static_cast<std::int64_t>(count), kernels::bitwise_or{},
                                     u64(0), stream_);
  });
  tell(const_cast<u64*>(keys), 1);
  const u64 varying = told();
  const auto low = static_cast<unsigned>(std::bit_width(varying & low_bits(32)));
  const auto high = static_cast<unsigned>(std::bit_width(varying >> 32));
  return {low, high, told_.read(1) & ~(low_bits(low) | low_bits(high) << 32)};
}

/// Sorts keys of which 32 bits vary as numbers of 32 bits.
void cuda_backend::sort_narrow(u64* keys, u64 count, const varying_bits& of) {
  const buffer<cuda_backend, u32> narrow(*this, count, "sorting"), other(*this, count, "sorting");
  for_each(count, kernels::narrow_key{keys, narrow.data(), of.low, of.high});
  cub::DoubleBuffer<u32> both(narrow.data(), other.data());
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(storage, bytes, both, count, 0,
                                          static_cast<int>(of.low + of.high), stream_);
  });
  for_each(count, kernels::widen_key{both.Current(), keys, of.low, of.constant});
}

void cuda_backend::sort(u64* keys, u64 count) {
  // Time goes with the bytes of keys and with the number of digits, of 8 bits. Short sorts are not
  // worth asking which bits vary.
  constexpr u64 fewest_to_ask = u64(1) << 18;
  constexpr unsigned digit = 8;
  const varying_bits of = count < fewest_to_ask ? varying_bits{32, 32, 0} : varying_of(keys, count);
  if (of.low + of.high == 0)
    return;
  if (of.low + of.high <= 32) {
    sort_narrow(keys, count, of);
    return;
  }
  const buffer<cuda_backend, u64> other(*this, count, "sorting");
  cub::DoubleBuffer<u64> both(keys, other.data());
  const auto sort_bits = [&](unsigned begin, unsigned end) {
    with_storage([&](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(storage, bytes, both, count, static_cast<int>(begin),
                                            static_cast<int>(end), stream_);
    });
  };
  const auto digits = [](unsigned bits) { return (bits + digit - 1) / digit; };
  if (digits(of.low) + digits(of.high) < digits(32 + of.high)) {
    sort_bits(0, of.low);
    sort_bits(32, 32 + of.high);
  } else {
    sort_bits(0, 32 + of.high);
  }
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
