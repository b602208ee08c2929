// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU as the engine sees it: the operations of backend.hpp on one stream. Memory comes from the
// runtime's device, that is from the stream-ordered pool, in chunks. Sorting, scanning, selecting
// and merging are CUB's and Thrust's. A group is a block. Compiled by nvcc only.
#pragma once

#include "datalog/backend/backend.hpp"
#include "datalog/backend/block_arena.hpp"
#include "datalog/backend/buffer.hpp"
#include "datalog/backend/host_words.cuh"
#include "datalog/backend/test_then_write.hpp"

#include <ikra/error.hpp>
#include <ikra/generated/datalog/joins.hpp>
#include <ikra/generated/device/device.hpp>
#include <ikra/generated/device/kernel_file.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <string>

namespace ikra::datalog {

namespace kernels {

template <class F> __global__ void each(u64 count, F f) {
  const u64 step = u64(gridDim.x) * blockDim.x;
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    f(i);
}

template <class F> struct write_value {
  F f;
  u64* to;
  __host__ __device__ void operator()(u64 i) const { to[i] = f(i); }
};

template <class F> struct write_flag {
  F f;
  u8* to;
  __host__ __device__ void operator()(u64 i) const { to[i] = f(i) ? 1 : 0; }
};

/// Takes back the flags of those that a part does not want. \param parts times count threads
template <class Keep> struct drop_by_part {
  Keep keep;
  u64 count;
  u8* flags;
  __host__ __device__ void operator()(u64 t) const {
    const u64 part = t / count, i = t - part * count;
    if (!keep.test_part(i, static_cast<unsigned>(part)))
      flags[i] = 0;
  }
};

/// Flags of ascending tuples. Where a block's are looked for is found once for all of them.
template <class Keep> __global__ void flag_neighbours(u64 count, Keep keep, u8* flags) {
  constexpr u64 tile = block_threads * 4;
  __shared__ typename Keep::neighbourhood near;
  for (u64 base = blockIdx.x * tile; base < count; base += u64(gridDim.x) * tile) {
    const u64 last = (base + tile < count ? base + tile : count) - 1;
    __syncthreads();
    if (threadIdx.x < 2 * Keep::most_runs)
      keep.find(threadIdx.x, base, last, near);
    __syncthreads();
    for (u64 i = base + threadIdx.x; i <= last; i += block_threads)
      flags[i] = keep.test(i, near) ? 1 : 0;
  }
}

} // namespace kernels

/// A block as a group.
struct cuda_group {
  static constexpr bool is_single = false;
  void* fast = nullptr;
  void* slow = nullptr;

  __device__ unsigned rank() const { return threadIdx.x; }
  __device__ unsigned size() const { return blockDim.x; }
  __device__ void sync() const { __syncthreads(); }
  template <class Word> __device__ Word read_local(const Word* word) const {
    return *static_cast<const volatile Word*>(word);
  }
  __device__ u32 or_local(u32* word, u32 more) const { return atomicOr(word, more); }
  template <class Word> __device__ Word read_shared(const Word* word) const {
    return *static_cast<const volatile Word*>(word);
  }
  __device__ u32 or_shared(u32* word, u32 more) const { return atomicOr(word, more); }
  __device__ void mark(u8* flag) const { *static_cast<volatile u8*>(flag) = 1; }
  __device__ u32 add_local(u32* counter, u32 n) const { return atomicAdd(counter, n); }
  __device__ u64 add_shared(u64* counter, u64 n) const {
    return atomicAdd(reinterpret_cast<unsigned long long*>(counter),
                     static_cast<unsigned long long>(n));
  }
  __device__ u32 swap(u32* word, u32 value) const { return atomicExch(word, value); }
  __device__ u32 swap_if(u32* word, u32 expected, u32 value) const {
    return atomicCAS(word, expected, value);
  }
  __device__ u64 ticks() const { return static_cast<u64>(clock64()); }
  __device__ bool all(bool one) const { return __syncthreads_and(one ? 1 : 0) != 0; }
  /// What the block wrote before it was last synchronised is visible to who awaits the state.
  __device__ void publish(u32* state, u32 value) const {
    __threadfence();
    *static_cast<volatile u32*>(state) = value;
  }
  __device__ u32 await(u32* state) const {
    u32 value = 0;
    while ((value = *static_cast<volatile u32*>(state)) == 0)
      __nanosleep(20);
    __threadfence();
    return value;
  }
  __device__ u32 exclusive(u32 value, u32& total) const {
    __shared__ u32 sums[32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    u32 inclusive = value;
    for (unsigned d = 1; d < 32; d *= 2) {
      const u32 other = __shfl_up_sync(~0u, inclusive, d);
      inclusive += lane >= d ? other : 0;
    }
    if (lane == 31)
      sums[warp] = inclusive;
    __syncthreads();
    u32 before = 0;
    total = 0;
    for (unsigned w = 0; w < warps; ++w) {
      before += w < warp ? sums[w] : 0;
      total += sums[w];
    }
    __syncthreads(); // sums are used again
    return before + inclusive - value;
  }
};

namespace kernels {

/// Blocks take items one after the other from a counter, so that long items do not hold up short
/// ones.
template <class F>
__global__ void groups(u64 items, F f, u64* next, char* memory, u64 fast_bytes, u64 slow_bytes,
                       bool shared) {
  extern __shared__ __align__(16) char fast_memory[];
  __shared__ u64 item;
  cuda_group group;
  char* const own = memory + blockIdx.x * (slow_bytes + (shared ? 0 : fast_bytes));
  group.fast = shared ? fast_memory : own + slow_bytes;
  group.slow = own;
  for (u64 i = threadIdx.x; i < fast_bytes / sizeof(u32); i += blockDim.x)
    static_cast<u32*>(group.fast)[i] = 0;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0)
      item = atomicAdd(reinterpret_cast<unsigned long long*>(next), 1ull);
    __syncthreads();
    const u64 mine = item;
    if (mine >= items)
      return;
    f(group, mine);
  }
}

} // namespace kernels

class cuda_backend {
public:
  static constexpr bool is_cuda = true;
  using group_type = cuda_group;
  using bits = u32;
  static constexpr unsigned most_lanes = 32;

  cuda_backend(rt::device& device, u64 memory_limit)
      : device_(made_current(device)), limit_(memory_limit),
        stream_(static_cast<cudaStream_t>(device.stream())) {
    int number = 0;
    check(cudaGetDevice(&number), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, number),
          "cudaDeviceGetAttribute");
    check(cudaDeviceGetAttribute(&most_shared_, cudaDevAttrMaxSharedMemoryPerBlockOptin, number),
          "cudaDeviceGetAttribute");
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    memory_ = total;
    counter_ = buffer<cuda_backend, u64>(*this, 1, "a counter");
    written_ = buffer<cuda_backend, u64>(*this, 1, "a counter");
    clear(written_.data(), sizeof(u64));
  }
  cuda_backend(const cuda_backend&) = delete;
  cuda_backend& operator=(const cuda_backend&) = delete;

  void* allocate(u64 bytes, const char* what) {
    if (limit_ != 0 && in_use_ + bytes > limit_)
      throw error(error_kind::out_of_memory,
                  ikra::detail::text("Datalog: no ", bytes, " bytes for ", what,
                                     ": the memory limit is reached; raise it"));
    void* const memory = allocate_on_device(bytes, what);
    in_use_ += bytes;
    peak_ = std::max(peak_, in_use_);
    return memory;
  }
  void release(void* memory, u64 bytes) noexcept {
    if (is_alone(bytes))
      device_.deallocate(memory);
    else
      arena_for(bytes).release(memory);
    in_use_ -= bytes;
  }
  void trim() noexcept {
    small_.trim();
    large_.trim();
  }
  u64 in_use() const noexcept { return in_use_; }
  u64 peak() const noexcept { return peak_; }
  void reset_peak() noexcept { peak_ = in_use_; }
  u64 available() const {
    // What the pool keeps is not free to the system, but to us. To ask the system takes as long as
    // a dozen kernels, so it is asked only where that may tell of more memory.
    u64 ours = memory_ - std::min(memory_, in_use_ + (u64(2) << 30));
    if (ours < memory_ / 2) {
      std::size_t free = 0, total = 0;
      check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
      ours = std::max<u64>(ours, free);
    }
    return limit_ == 0 ? ours : std::min(ours, limit_ - std::min(limit_, in_use_));
  }

  void upload(void* to, const void* from, u64 bytes) {
    if (bytes != 0)
      device_.upload(to, from, bytes, where);
  }
  void download(void* to, const void* from, u64 bytes) {
    if (bytes != 0)
      device_.download(to, from, bytes, where);
  }
  void copy(void* to, const void* from, u64 bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), "cudaMemcpyAsync");
  }
  void clear(void* memory, u64 bytes) {
    check(cudaMemsetAsync(memory, 0, bytes, stream_), "cudaMemsetAsync");
  }
  void synchronize() { device_.synchronize(where); }

  template <class F> void for_each(u64 count, const F& f) {
    if (count == 0)
      return;
    kernels::each<<<blocks_for(count), kernels::block_threads, 0, stream_>>>(count, f);
    device_.check_launch(where);
  }

  u64 scan(u64* values, u64 count);

  template <class F> u64 sum(u64 count, const F& f) {
    if (count == 0)
      return 0;
    const buffer<cuda_backend, u64> values(*this, count, "values to sum");
    for_each(count, kernels::write_value<F>{f, values.data()});
    return sum_values(values.data(), count);
  }

  template <class Keep> u64 select(u64 count, const Keep& keep, u32* out) {
    if (count == 0)
      return 0;
    const buffer<cuda_backend, u8> flags(*this, count, "flags");
    for_each(count, kernels::write_flag<Keep>{keep, flags.data()});
    return select_flagged(flags.data(), count, out);
  }

  template <class Keep> u64 keep_words(u64* words, u64 count, const Keep& keep) {
    if (count == 0)
      return 0;
    const buffer<cuda_backend, u8> flags(*this, count, "flags");
    // Few words are far from each other in what is searched: each search takes some twenty waits
    // for memory, all searches at once as many.
    constexpr u64 few = u64(1) << 19;
    if (const u64 searches = count * keep.parts(); searches <= few) {
      check(cudaMemsetAsync(flags.data(), 1, count, stream_), "cudaMemsetAsync");
      for_each(searches, kernels::drop_by_part<Keep>{keep, count, flags.data()});
    } else {
      kernels::flag_neighbours<<<blocks_for((count + 3) / 4), kernels::block_threads, 0, stream_>>>(
          count, keep, flags.data());
      device_.check_launch(where);
    }
    return keep_flagged(flags.data(), count, words);
  }

  template <class F>
  u64 expand(const u64* offsets, u64 rows, u64 begin, u64 end, bool tested, const F& f) {
    if (begin == end)
      return 0;
    if (tested)
      return expand_tested(offsets, rows, begin, end, test_then_write<true, F>{f});
    kernels::expand_rows<false>
        <<<blocks_for((end - begin + 3) / 4), kernels::block_threads, 0, stream_>>>(
            offsets, rows, begin, end, test_then_write<false, F>{f}, nullptr);
    device_.check_launch(where);
    return end - begin;
  }

  template <class F>
  u64 expand_new(const u64* offsets, u64 rows, u64 begin, u64 end, bool tested, const F& f,
                 const seen_tuples& known) {
    if (begin == end)
      return 0;
    return tested ? expand_tested(offsets, rows, begin, end, write_if_new<true, F>{f, known})
                  : expand_tested(offsets, rows, begin, end, write_if_new<false, F>{f, known});
  }

  compiled::execution execution() { return {&device_, stream_, most_blocks(), counter_.data()}; }

  void sort(u64* keys, u64 count);
  void sort_pairs(u64* keys, u32* rows, u64 count);
  void merge(const u64* a, u64 count_a, const u64* b, u64 count_b, u64* out);

  template <class F> void for_groups(u64 items, u64 fast_bytes, u64 slow_bytes, const F& f) {
    if (items == 0)
      return;
    fast_bytes = (fast_bytes + 15) / 16 * 16;
    slow_bytes = (slow_bytes + 15) / 16 * 16;
    const auto kernel = kernels::groups<F>;
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
    const bool shared = fast_bytes + attributes.sharedSizeBytes <= static_cast<u64>(most_shared_);
    const auto dynamic = static_cast<int>(shared ? fast_bytes : 0);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic),
          "cudaFuncSetAttribute");
    int resident = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, kernels::block_threads,
                                                        static_cast<std::size_t>(dynamic)),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    const u64 blocks = std::min<u64>(items, static_cast<u64>(std::max(resident, 1)) *
                                                static_cast<u64>(processors_));
    const buffer<cuda_backend, char> memory(
        *this, std::max<u64>(blocks * (slow_bytes + (shared ? 0 : fast_bytes)), 16),
        "rows in work");
    clear(counter_.data(), sizeof(u64));
    kernel<<<static_cast<unsigned>(blocks), kernels::block_threads,
             static_cast<std::size_t>(dynamic), stream_>>>(items, f, counter_.data(), memory.data(),
                                                           fast_bytes, slow_bytes, shared);
    device_.check_launch(where);
  }

  u64 group_count() const { return static_cast<u64>(processors_); }
  /// Blocks take items in ascending order, and all blocks run at once: an item may wait for items
  /// before it.
  template <class F>
  void for_groups_in_order(u64 items, u64 fast_bytes, u64 slow_bytes, const F& f) {
    for_groups(items, fast_bytes, slow_bytes, f);
  }

private:
  static constexpr rt::section_info where{"(Datalog)", "a Datalog program", 0, 0};

  static rt::device& made_current(rt::device& device) {
    device.make_current(where);
    return device;
  }

  struct chunks {
    rt::device* device;
    void* allocate(u64 bytes) const { return device->allocate(bytes, "Datalog's memory", where); }
    void release(void* chunk) const noexcept { device->deallocate(chunk); }
  };

  /// Small blocks have chunks of their own, so that they leave no gaps among large ones.
  block_arena<chunks>& arena_for(u64 bytes) {
    constexpr u64 small = u64(1) << 20;
    return bytes <= small ? small_ : large_;
  }
  /// Whether so much is not worth a chunk: what is left of it would be missed.
  bool is_alone(u64 bytes) const { return bytes > memory_ / 16; }

  void* allocate_within(u64 bytes) {
    return is_alone(bytes) ? chunks{&device_}.allocate(bytes) : arena_for(bytes).allocate(bytes);
  }

  void* allocate_on_device(u64 bytes, const char* what) {
    const auto is_memory_short = [](const error& problem) {
      return problem.kind() == error_kind::out_of_memory;
    };
    try {
      return allocate_within(bytes);
    } catch (const error& problem) {
      if (!is_memory_short(problem))
        throw;
    }
    trim();
    try {
      return allocate_within(bytes);
    } catch (const error& problem) {
      if (!is_memory_short(problem))
        throw;
      throw error(error_kind::out_of_memory,
                  ikra::detail::text("Datalog: no ", bytes, " bytes of GPU memory for ", what, "; ",
                                     in_use_, " are in use; use a GPU with more, or the CPU"));
    }
  }

  static void check(cudaError_t status, const char* call) {
    if (status != cudaSuccess)
      throw error(
          error_kind::device_error,
          std::string("Datalog: ") + call + " failed: " + cudaGetErrorString(status) +
              "; run on the CPU, or under compute-sanitizer to find the access that failed");
  }

  template <class F>
  u64 expand_tested(const u64* offsets, u64 rows, u64 begin, u64 end, const F& f) {
    kernels::expand_rows<true>
        <<<blocks_for((end - begin + 3) / 4), kernels::block_threads, 0, stream_>>>(
            offsets, rows, begin, end, f, written_.data());
    device_.check_launch(where);
    return take_written();
  }

  u64 most_blocks() const { return static_cast<u64>(processors_) * 32; }
  unsigned blocks_for(u64 count) const { return kernels::blocks_for(count, most_blocks()); }

  template <class Algorithm> void with_storage(const Algorithm& algorithm);
  u64 sum_values(const u64* values, u64 count);
  u64 select_flagged(const u8* flags, u64 count, u32* out);
  u64 keep_flagged(const u8* flags, u64 count, u64* words);
  /// The bits at which keys differ, from the lowest to the highest of each half of a key.
  struct varying_bits {
    unsigned low, high;
    u64 constant; ///< the other bits
  };
  varying_bits varying_of(const u64* keys, u64 count);
  void sort_narrow(u64* keys, u64 count, const varying_bits& of);

  /// How many tested outputs were written; the next ones are counted from 0.
  u64 take_written();
  /// Has the device write a word of its memory to the host's. \param clears sets it to 0 then
  void tell(u64* word, unsigned place, bool clears = false);
  /// The first of the words that were told, once all that was begun is done.
  u64 told() {
    check(cudaStreamSynchronize(stream_), "a kernel");
    return told_.read(0);
  }

  rt::device& device_;
  u64 limit_;
  cudaStream_t stream_;
  u64 memory_ = 0; ///< bytes that the device has
  u64 in_use_ = 0, peak_ = 0;
  int processors_ = 1, most_shared_ = 0;
  host_words told_{2}; ///< what kernels tell the host
  block_arena<chunks> small_{{&device_}, u64(8) << 20}, large_{{&device_}, u64(32) << 20};
  buffer<cuda_backend, u64> counter_;
  buffer<cuda_backend, u64> written_; ///< tested outputs; 0 between calls
};

static_assert(engine_backend<cuda_backend>);

} // namespace ikra::datalog
