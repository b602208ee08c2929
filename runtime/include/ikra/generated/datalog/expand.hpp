// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From ranges of tuples to outputs, balanced by outputs: each output finds its row, is made, tested
// and put after the one before it. The engine and the kernels that ikrac emits share it, on the
// host by OpenMP and on GPUs. Relies on values.hpp.
//
// F, what is given to it, has
//   made        what an output is before it has a place
//   memory      what a thread (on a GPU, a block) remembers of its outputs; reset(rank, threads)
//               clears it, by all threads of the block
//   looks_ahead whether more is asked about outputs that are wanted, by fetch and is_new
//   f.make(row, k, made&, memory&)  makes output k of a row; says whether it is wanted
//   f.fetch(made)                   calls for the memory that is_new reads, some outputs ahead
//   f.is_new(made)                  says whether it is wanted still
//   f.put(place, made)              writes it
//   f.move(from, to, count)         moves written outputs down; on the host only
#pragma once

#include <ikra/generated/datalog/values.hpp>

#include <algorithm>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace ikra::datalog {

#ifdef _OPENMP
inline u64 host_threads() { return static_cast<u64>(omp_get_max_threads()); }
#else
inline u64 host_threads() { return 1; }
#endif

/// Splits [0, count) into as many consecutive parts as there are threads, unless it is short.
///
/// All loops have teams of all threads, also those with fewer parts: g++'s OpenMP ends threads that
/// a team has no place for, and makes them anew for the next one. So few parts are left to one
/// thread.
class host_parts {
public:
  host_parts(u64 count, u64 grain)
      : count_(count), parts_(std::min(grain == 0 ? count : count / grain, host_threads())) {
    constexpr u64 worth_a_team = 4;
    if (parts_ < std::min(worth_a_team, host_threads()))
      parts_ = 1;
  }
  u64 parts() const noexcept { return parts_; }
  u64 begin(u64 part) const noexcept {
    return count_ / parts_ * part + std::min(part, count_ % parts_);
  }

  /// Calls body(part, begin, end) for all parts at once.
  template <class Body> void run(const Body& body) const {
    if (parts_ == 1) {
      body(u64(0), u64(0), count_);
      return;
    }
    const auto n = static_cast<std::int64_t>(parts_);
#pragma omp parallel for schedule(static, 1)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto part = static_cast<u64>(i);
      body(part, begin(part), begin(part + 1));
    }
  }

private:
  u64 count_, parts_;
};

/// The memory of functors that remember nothing.
struct no_memory {
  IKRA_DATALOG_BOTH void reset(unsigned, unsigned) {}
};

/// Outputs [begin, end) of all rows: offsets has rows + 1 ascending places, and an output's row is
/// the last whose offset is at most its number. Places are consecutive from 0.
/// \param offsets null: each row has one output.
/// \tparam Tested if false, every output is wanted, and places are t - begin.
/// \returns the number of outputs written.
template <bool Tested, class F>
u64 expand_on_host(const u64* offsets, u64 rows, u64 begin, u64 end, const F& f) {
  const host_parts parts(end - begin, 1024);
  std::vector<u64> written(parts.parts(), 0);
  parts.run([&](u64 part, u64 first, u64 last) {
    if (first == last)
      return;
    typename F::memory memory;
    memory.reset(0, 1);
    constexpr unsigned ahead = F::looks_ahead ? 16 : 1;
    typename F::made made[ahead];
    unsigned waiting = 0;
    u64 place = first;
    const auto put_new = [&] {
      if constexpr (F::looks_ahead)
        for (unsigned i = 0; i < waiting; ++i)
          if (f.is_new(made[i]))
            f.put(place++, made[i]);
      waiting = 0;
    };
    const auto output = [&](u64 row, u64 k) {
      if (!f.make(row, k, made[waiting], memory) && Tested)
        return;
      if constexpr (F::looks_ahead) {
        f.fetch(made[waiting]);
        if (++waiting == ahead)
          put_new();
      } else {
        f.put(place++, made[0]);
      }
    };
    if (offsets == nullptr) {
      for (u64 t = begin + first; t < begin + last; ++t)
        output(t, 0);
    } else {
      u64 row =
          static_cast<u64>(std::upper_bound(offsets, offsets + rows + 1, begin + first) - offsets) -
          1;
      for (u64 t = begin + first; t < begin + last; ++row) {
        const u64 stop = std::min(offsets[row + 1], begin + last);
        for (const u64 base = offsets[row]; t < stop; ++t)
          output(row, t - base);
      }
    }
    put_new();
    written[part] = place - first;
  });
  u64 total = written[0];
  for (u64 p = 1; p < parts.parts(); ++p) {
    if (total != parts.begin(p))
      f.move(parts.begin(p), total, written[p]);
    total += written[p];
  }
  return total;
}

#ifdef __CUDACC__
namespace kernels {

inline constexpr unsigned block_threads = 256;

/// The last row whose offset is at most t, among rows [low, high).
__device__ inline u64 row_of(const u64* offsets, u64 low, u64 high, u64 t) {
  while (high - low > 1) {
    const u64 middle = (low + high) / 2;
    if (offsets[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// Where a thread of the block puts the outputs that it keeps: one addition for all of them, since
/// additions to one word wait for each other. All threads' first outputs come first.
/// \tparam Each a thread's outputs, of which bits of `kept` say which it keeps
template <unsigned Each>
__device__ inline void take_places(unsigned kept, u64* written, u64 (&places)[Each]) {
  constexpr unsigned warps = block_threads / 32;
  static_assert(Each * warps <= 32);
  __shared__ u32 before[Each * warps]; // of each warp's: those that come before
  __shared__ u64 start;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  u32 within[Each];
  for (unsigned i = 0; i < Each; ++i) {
    const unsigned keeping = __ballot_sync(~0u, ((kept >> i) & 1) != 0);
    within[i] = __popc(keeping & ((1u << lane) - 1));
    __syncwarp(); // all have read what the last call wrote
    if (lane == 0)
      before[i * warps + warp] = __popc(keeping);
  }
  __syncthreads();
  if (warp == 0) {
    const u32 here = lane < Each * warps ? before[lane] : 0;
    u32 sum = here;
    for (unsigned d = 1; d < 32; d *= 2) {
      const u32 other = __shfl_up_sync(~0u, sum, d);
      sum += lane >= d ? other : 0;
    }
    if (lane < Each * warps)
      before[lane] = sum - here;
    if (lane == 31 && sum != 0)
      start = atomicAdd(reinterpret_cast<unsigned long long*>(written),
                        static_cast<unsigned long long>(sum));
  }
  __syncthreads();
  for (unsigned i = 0; i < Each; ++i)
    places[i] = start + before[i * warps + warp] + within[i];
}

/// Outputs that a thread makes before it looks for repeats and puts them: several if they are
/// short, so that it does not wait for the memory of each.
template <class F>
inline constexpr unsigned outputs_at_once = sizeof(typename F::made) <= 16 ? 4 : 1;

/// expand_on_host() with one thread an output. The rows that a block's outputs belong to are found
/// once for the block. \param written counts the outputs, from 0; not used unless Tested.
template <bool Tested, class F>
__global__ void expand_rows(const u64* offsets, u64 rows, u64 begin, u64 end, F f, u64* written) {
  constexpr u64 tile = block_threads * 4;
  __shared__ u64 bounds[2];
  __shared__ typename F::memory memory;
  memory.reset(threadIdx.x, blockDim.x);
  const auto make = [&](u64 t, typename F::made& output) {
    const u64 row = offsets == nullptr ? t : row_of(offsets, bounds[0], bounds[1] + 1, t);
    const u64 k = offsets == nullptr ? 0 : t - offsets[row];
    return f.make(row, k, output, memory);
  };
  for (u64 base = begin + blockIdx.x * tile; base < end; base += u64(gridDim.x) * tile) {
    const u64 last = (base + tile < end ? base + tile : end) - 1;
    __syncthreads();
    if (offsets != nullptr && threadIdx.x < 2)
      bounds[threadIdx.x] = row_of(offsets, 0, rows, threadIdx.x == 0 ? base : last);
    __syncthreads();
    if constexpr (!Tested) {
      for (u64 t = base + threadIdx.x; t <= last; t += block_threads) {
        typename F::made output;
        make(t, output);
        f.put(t - begin, output);
      }
    } else {
      constexpr unsigned each = outputs_at_once<F>;
      __shared__ typename F::made several[each == 1 ? 1 : each * block_threads];
      typename F::made one;
      const auto output = [&](unsigned i) -> typename F::made& {
        if constexpr (each == 1)
          return one;
        else
          return several[i * block_threads + threadIdx.x];
      };
      for (u64 first = base; first <= last; first += each * block_threads) { // by all threads
        unsigned kept = 0;
        for (unsigned i = 0; i < each; ++i) {
          const u64 t = first + i * block_threads + threadIdx.x;
          if (t > last || !make(t, output(i)))
            continue;
          kept |= 1u << i;
          if constexpr (F::looks_ahead)
            f.fetch(output(i));
        }
        if constexpr (F::looks_ahead)
          for (unsigned i = 0; i < each; ++i)
            if (((kept >> i) & 1) != 0 && !f.is_new(output(i)))
              kept &= ~(1u << i);
        u64 places[each];
        take_places<each>(kept, written, places);
        for (unsigned i = 0; i < each; ++i)
          if (((kept >> i) & 1) != 0)
            f.put(places[i], output(i));
      }
    }
  }
}

/// Blocks for so many threads' work on a GPU that takes at most so many.
inline unsigned blocks_for(u64 threads, u64 most) {
  return static_cast<unsigned>(
      std::clamp<u64>((threads + block_threads - 1) / block_threads, 1, most));
}

} // namespace kernels
#endif

} // namespace ikra::datalog
