// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations by hand, for the GPU: kernels with one element and with 16 bytes a thread, CUB's
// reductions, selections, scans, sorts and histograms, and a copy. All memory is there before the
// first run. Compiled with -fmad=false, as what ikrac makes.
#include "device_program.hpp"
#include "rules.hpp"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda_runtime.h>

namespace arrays {
namespace {

constexpr unsigned block = 256;
unsigned blocks(std::size_t threads) {
  return static_cast<unsigned>((threads + block - 1) / block);
}

//===-- one element a thread ---------------------------------------------------------------===//

__global__ void maps_scalar(const std::int32_t* __restrict__ x, std::int32_t* __restrict__ out,
                            std::uint32_t n) {
  const std::uint32_t i = blockIdx.x * block + threadIdx.x;
  if (i < n)
    out[i] = multiply_adds(x[i]);
}
__global__ void saxpy_scalar(float factor, const float* __restrict__ x, const float* __restrict__ y,
                             float* __restrict__ out, std::uint32_t n) {
  const std::uint32_t i = blockIdx.x * block + threadIdx.x;
  if (i < n)
    out[i] = saxpy_of(factor, x[i], y[i]);
}
__global__ void places_scalar(std::int32_t* __restrict__ out, std::uint32_t n, std::uint32_t b,
                              std::uint32_t c, std::uint32_t d) {
  const std::uint32_t i = blockIdx.x * block + threadIdx.x;
  if (i < n)
    out[i] = sum_of_place(i / (b * c * d), i / (c * d) % b, i / d % c, i % d);
}

//===-- 16 bytes a thread ------------------------------------------------------------------===//

__global__ void maps_vector(const int4* __restrict__ x, int4* __restrict__ out, std::uint32_t n) {
  const std::uint32_t i = blockIdx.x * block + threadIdx.x;
  if (i < n) {
    const int4 v = x[i];
    out[i] = {multiply_adds(v.x), multiply_adds(v.y), multiply_adds(v.z), multiply_adds(v.w)};
  }
}
__global__ void saxpy_vector(float factor, const float4* __restrict__ x,
                             const float4* __restrict__ y, float4* __restrict__ out,
                             std::uint32_t n) {
  const std::uint32_t i = blockIdx.x * block + threadIdx.x;
  if (i < n) {
    const float4 a = x[i], b = y[i];
    out[i] = {saxpy_of(factor, a.x, b.x), saxpy_of(factor, a.y, b.y), saxpy_of(factor, a.z, b.z),
              saxpy_of(factor, a.w, b.w)};
  }
}
/// For an innermost extent that is a multiple of 4, which all elements of a thread share a row of.
__global__ void places_vector(int4* __restrict__ out, std::uint32_t n, std::uint32_t b,
                              std::uint32_t c, std::uint32_t d) {
  const std::uint32_t i = blockIdx.x * block + threadIdx.x;
  if (i < n) {
    const std::uint32_t first = 4 * i;
    const std::uint32_t at_a = first / (b * c * d), at_b = first / (c * d) % b,
                        at_c = first / d % c, at_d = first % d;
    out[i] = {sum_of_place(at_a, at_b, at_c, at_d), sum_of_place(at_a, at_b, at_c, at_d + 1),
              sum_of_place(at_a, at_b, at_c, at_d + 2), sum_of_place(at_a, at_b, at_c, at_d + 3)};
  }
}

/// The number of selected elements is read after each run, as everybody does who goes on with them.
template <class Is> std::unique_ptr<program> cub_select(std::size_t n) {
  struct state : ints {
    device_vector<std::int64_t> count{1};
    std::int64_t found = 0;
    std::unique_ptr<device_vector<char>> scratch;
    explicit state(std::size_t size) : ints(elements(size), size) {}
    cudaError_t select(void* memory, std::size_t& bytes) {
      return cub::DeviceSelect::If(memory, bytes, x.data(), out.data(), count.data(),
                                   static_cast<std::int64_t>(x.size()), Is{});
    }
  };
  auto s = std::make_shared<state>(n);
  std::size_t bytes = 0;
  check(s->select(nullptr, bytes), "DeviceSelect");
  s->scratch = std::make_unique<device_vector<char>>(bytes);
  return std::make_unique<queued>(
      [s, bytes]() mutable {
        check(s->select(s->scratch->data(), bytes), "DeviceSelect");
        check(cudaMemcpy(&s->found, s->count.data(), sizeof s->found, cudaMemcpyDeviceToHost),
              "copy to the host");
      },
      [s] { return checksum_of(s->out.first(static_cast<std::size_t>(s->found))); });
}

/// A call of CUB with memory that it was asked for beforehand.
/// \param call call(data, memory, its size), which returns a cudaError_t
template <class Data, class Call>
std::unique_ptr<program> cub_call(std::shared_ptr<Data> data, const char* name, Call call) {
  std::size_t bytes = 0;
  check(call(*data, nullptr, bytes), name);
  const auto scratch = std::make_shared<device_vector<char>>(bytes);
  return over(data, [=](Data& d) {
    std::size_t room = bytes;
    check(call(d, scratch->data(), room), name);
  });
}

std::unique_ptr<program> cub_scan(std::size_t n) {
  return cub_call(std::make_shared<ints>(elements(n), n), "DeviceScan",
                  [](ints& d, void* memory, std::size_t& bytes) {
                    return cub::DeviceScan::InclusiveScan(memory, bytes, d.x.data(), d.out.data(),
                                                          wrapping_sum_op{},
                                                          static_cast<std::int64_t>(d.x.size()));
                  });
}

std::unique_ptr<program> cub_sort(std::size_t n) {
  return cub_call(std::make_shared<ints>(elements(n), n), "DeviceRadixSort",
                  [](ints& d, void* memory, std::size_t& bytes) {
                    return cub::DeviceRadixSort::SortKeys(
                        memory, bytes, static_cast<const std::int32_t*>(d.x.data()), d.out.data(),
                        static_cast<std::int64_t>(d.x.size()));
                  });
}

std::unique_ptr<program> cub_merge_sort(std::size_t n) {
  return cub_call(std::make_shared<ints>(elements(n), n), "DeviceMergeSort",
                  [](ints& d, void* memory, std::size_t& bytes) {
                    const auto size = static_cast<std::int64_t>(d.x.size());
                    if (memory != nullptr)
                      check(cudaMemcpyAsync(d.out.data(), d.x.data(), d.x.size() * sizeof(int),
                                            cudaMemcpyDeviceToDevice),
                            "copy on the device");
                    return cub::DeviceMergeSort::StableSortKeys(memory, bytes, d.out.data(), size,
                                                                comes_before_op{});
                  });
}

/// Each block adds to sums of its own, and these to those of all.
__global__ void by_index_kernel(const std::int32_t* keys, const std::int32_t* x, std::int32_t* out,
                                std::uint32_t n) {
  __shared__ unsigned sums[256];
  for (unsigned b = threadIdx.x; b < 256; b += blockDim.x)
    sums[b] = 0;
  __syncthreads();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&sums[keys[i]], static_cast<unsigned>(x[i]));
  __syncthreads();
  for (unsigned b = threadIdx.x; b < 256; b += blockDim.x)
    atomicAdd(reinterpret_cast<unsigned*>(out) + b, sums[b]);
}

std::unique_ptr<program> by_index(std::size_t n) {
  struct keyed : ints {
    device_vector<std::int32_t> keys;
    explicit keyed(std::size_t size) : ints(elements(size), 256), keys(last_bytes(size)) {}
  };
  return over(std::make_shared<keyed>(n), [count = static_cast<std::uint32_t>(n)](keyed& d) {
    check(cudaMemsetAsync(d.out.data(), 0, 256 * sizeof(std::int32_t)), "cudaMemsetAsync");
    by_index_kernel<<<132 * 8, block>>>(d.keys.data(), d.x.data(), d.out.data(), count);
  });
}

std::unique_ptr<program> cub_histogram(std::size_t n) {
  return cub_call(std::make_shared<ints>(last_bytes(n), 256), "DeviceHistogram",
                  [](ints& d, void* memory, std::size_t& bytes) {
                    return cub::DeviceHistogram::HistogramEven(
                        memory, bytes, d.x.data(), d.out.data(), 257, 0, 256,
                        static_cast<std::int64_t>(d.x.size()));
                  });
}

/// The number of runs is read after each, as with selections.
std::unique_ptr<program> cub_runs(std::size_t n) {
  struct state : ints {
    device_vector<std::int32_t> keys, firsts;
    device_vector<std::int64_t> count{1};
    std::int64_t found = 0;
    std::unique_ptr<device_vector<char>> scratch;
    explicit state(std::size_t size)
        : ints(elements(size), size), keys(run_keys(size)), firsts(size) {}
    cudaError_t reduce(void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(memory, bytes, keys.data(), firsts.data(), x.data(),
                                            out.data(), count.data(), wrapping_sum_op{},
                                            static_cast<std::int64_t>(x.size()));
    }
  };
  auto s = std::make_shared<state>(n);
  std::size_t bytes = 0;
  check(s->reduce(nullptr, bytes), "ReduceByKey");
  s->scratch = std::make_unique<device_vector<char>>(bytes);
  return std::make_unique<queued>(
      [s, bytes]() mutable {
        check(s->reduce(s->scratch->data(), bytes), "ReduceByKey");
        check(cudaMemcpy(&s->found, s->count.data(), sizeof s->found, cudaMemcpyDeviceToHost),
              "copy to the host");
      },
      [s] { return checksum_of(s->out.first(static_cast<std::size_t>(s->found))); });
}

std::unique_ptr<program> cub_reduce(std::size_t n) {
  struct state : ints {
    std::unique_ptr<device_vector<char>> scratch;
    explicit state(std::size_t size) : ints(elements(size), 1) {}
    cudaError_t reduce(void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::Sum(memory, bytes, x.data(), out.data(),
                                    static_cast<std::int64_t>(x.size()));
    }
  };
  auto s = std::make_shared<state>(n);
  std::size_t bytes = 0;
  check(s->reduce(nullptr, bytes), "DeviceReduce");
  s->scratch = std::make_unique<device_vector<char>>(bytes);
  return over(s, [bytes](state& d) {
    std::size_t room = bytes;
    check(d.reduce(d.scratch->data(), room), "DeviceReduce");
  });
}

} // namespace

std::unique_ptr<program> cuda_scalar(operation what, std::size_t n) {
  const auto count = static_cast<std::uint32_t>(n);
  switch (what) {
  case operation::maps:
    return over(std::make_shared<ints>(elements(n), n), [count](ints& d) {
      maps_scalar<<<blocks(count), block>>>(d.x.data(), d.out.data(), count);
    });
  case operation::saxpy:
    return over(std::make_shared<more_floats>(n), [count](more_floats& d) {
      saxpy_scalar<<<blocks(count), block>>>(saxpy_factor, d.x.data(), d.y.data(), d.out.data(),
                                             count);
    });
  case operation::indices:
    return over(std::make_shared<ints>(std::vector<std::int32_t>(1), n), [count](ints& d) {
      places_scalar<<<blocks(count), block>>>(d.out.data(), count, inner_extents[0],
                                              inner_extents[1], inner_extents[2]);
    });
  case operation::by_index:
    return by_index(n);
  default:
    return nullptr;
  }
}

std::unique_ptr<program> cuda_vector(operation what, std::size_t n) {
  if (n % 4 != 0)
    return nullptr;
  const auto count = static_cast<std::uint32_t>(n / 4);
  switch (what) {
  case operation::maps:
    return over(std::make_shared<ints>(elements(n), n), [count](ints& d) {
      maps_vector<<<blocks(count), block>>>(reinterpret_cast<const int4*>(d.x.data()),
                                            reinterpret_cast<int4*>(d.out.data()), count);
    });
  case operation::saxpy:
    return over(std::make_shared<more_floats>(n), [count](more_floats& d) {
      saxpy_vector<<<blocks(count), block>>>(saxpy_factor,
                                             reinterpret_cast<const float4*>(d.x.data()),
                                             reinterpret_cast<const float4*>(d.y.data()),
                                             reinterpret_cast<float4*>(d.out.data()), count);
    });
  case operation::indices:
    return over(std::make_shared<ints>(std::vector<std::int32_t>(1), n), [count](ints& d) {
      places_vector<<<blocks(count), block>>>(reinterpret_cast<int4*>(d.out.data()), count,
                                              inner_extents[0], inner_extents[1], inner_extents[2]);
    });
  default:
    return nullptr;
  }
}

std::unique_ptr<program> cuda_cub(operation what, std::size_t n) {
  switch (what) {
  case operation::reduction:
    return cub_reduce(n);
  case operation::selection:
    return cub_select<is_selected_op>(n);
  case operation::few_selected:
    return cub_select<is_among_few_op>(n);
  case operation::scan:
    return cub_scan(n);
  case operation::sort:
    return cub_sort(n);
  case operation::sort_by_rule:
    return cub_merge_sort(n);
  case operation::runs:
    return cub_runs(n);
  case operation::histogram:
    return cub_histogram(n);
  default:
    return nullptr;
  }
}

std::unique_ptr<program> cuda_copy(std::size_t n) {
  return over(std::make_shared<ints>(elements(n), n), [n](ints& d) {
    check(cudaMemcpyAsync(d.out.data(), d.x.data(), n * sizeof(std::int32_t),
                          cudaMemcpyDeviceToDevice),
          "copy on the device");
  });
}

} // namespace arrays
