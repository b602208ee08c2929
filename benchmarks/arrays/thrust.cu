// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations by Thrust, each as one call over fused functors, which is what transform iterators
// come to. Temporary memory comes from the device's pool, and calls wait only where they return
// something to the host. Compiled with -fmad=false, as what ikrac makes.
#include "device_program.hpp"
#include "rules.hpp"

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

namespace arrays {
namespace {

/// Temporary memory of Thrust's algorithms.
struct pool {
  using value_type = char;
  char* allocate(std::ptrdiff_t bytes) {
    void* memory = nullptr;
    check(cudaMallocAsync(&memory, static_cast<std::size_t>(bytes), nullptr), "cudaMallocAsync");
    return static_cast<char*>(memory);
  }
  void deallocate(char* memory, std::size_t) { cudaFreeAsync(memory, nullptr); }
};
pool memory_pool;

auto queue() { return thrust::cuda::par_nosync(memory_pool); }

/// Keeps what was given back, as ikra's device does.
void keep_pool() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  cudaMemPool_t pool_of_device = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool_of_device, device), "cudaDeviceGetDefaultMemPool");
  std::uint64_t keep = ~std::uint64_t(0);
  check(cudaMemPoolSetAttribute(pool_of_device, cudaMemPoolAttrReleaseThreshold, &keep),
        "cudaMemPoolSetAttribute");
}

struct maps_op {
  __device__ std::int32_t operator()(std::int32_t x) const { return multiply_adds(x); }
};
struct saxpy_op {
  __device__ float operator()(float x, float y) const { return saxpy_of(saxpy_factor, x, y); }
};
struct place_op {
  __device__ std::int32_t operator()(std::uint32_t i) const {
    constexpr std::uint32_t b = inner_extents[0], c = inner_extents[1], d = inner_extents[2];
    return sum_of_place(i / (b * c * d), i / (c * d) % b, i / d % c, i % d);
  }
};

/// The first `found` elements of `out` are the result.
struct counted : ints {
  std::size_t found = 0;
  explicit counted(std::size_t n) : ints(elements(n), n) {}
};
template <class Once> std::unique_ptr<program> counted_over(std::size_t n, Once once) {
  const auto data = std::make_shared<counted>(n);
  return std::make_unique<queued>(
      [data, once] { data->found = static_cast<std::size_t>(once(*data) - data->out.data()); },
      [data] { return checksum_of(data->out.first(data->found)); });
}

template <class Is> std::unique_ptr<program> select(std::size_t n) {
  return counted_over(n, [n](counted& d) {
    return thrust::copy_if(queue(), d.x.data(), d.x.data() + n, d.out.data(), Is{});
  });
}

std::unique_ptr<program> runs(std::size_t n) {
  struct keyed {
    device_vector<std::int32_t> keys, firsts;
  };
  const auto keys =
      std::shared_ptr<keyed>(new keyed{device_vector(run_keys(n)), device_vector<std::int32_t>(n)});
  return counted_over(n, [n, keys](counted& d) {
    return thrust::reduce_by_key(queue(), keys->keys.data(), keys->keys.data() + n, d.x.data(),
                                 keys->firsts.data(), d.out.data(),
                                 thrust::equal_to<std::int32_t>(), wrapping_sum_op{})
        .second;
  });
}

/// A copy of keys and elements is sorted, since there is no other way.
std::unique_ptr<program> by_index(std::size_t n) {
  struct keyed {
    device_vector<std::int32_t> keys, sorted_keys, sorted, firsts;
  };
  const auto k = std::shared_ptr<keyed>(
      new keyed{device_vector(last_bytes(n)), device_vector<std::int32_t>(n),
                device_vector<std::int32_t>(n), device_vector<std::int32_t>(n)});
  return counted_over(n, [n, k](counted& d) {
    const auto copy = [n](auto& to, auto& from) {
      check(cudaMemcpyAsync(to.data(), from.data(), n * sizeof(std::int32_t),
                            cudaMemcpyDeviceToDevice),
            "copy on the device");
    };
    copy(k->sorted_keys, k->keys);
    copy(k->sorted, d.x);
    thrust::stable_sort_by_key(queue(), k->sorted_keys.data(), k->sorted_keys.data() + n,
                               k->sorted.data());
    return thrust::reduce_by_key(queue(), k->sorted_keys.data(), k->sorted_keys.data() + n,
                                 k->sorted.data(), k->firsts.data(), d.out.data(),
                                 thrust::equal_to<std::int32_t>(), wrapping_sum_op{})
        .second;
  });
}

/// The sum comes to the host, as Thrust's do.
std::unique_ptr<program> sum(std::size_t n) {
  const auto data = std::make_shared<ints>(elements(n), 1);
  const auto total = std::make_shared<std::int32_t>(0);
  return std::make_unique<queued>(
      [=] {
        *total = thrust::reduce(queue(), data->x.data(), data->x.data() + n, std::int32_t(0),
                                wrapping_sum_op{});
      },
      [=] { return checksum_of(std::vector<std::int32_t>{*total}); });
}

template <class Sort> std::unique_ptr<program> sorted(std::size_t n, Sort sort) {
  return over(std::make_shared<ints>(elements(n), n), [n, sort](ints& d) {
    check(cudaMemcpyAsync(d.out.data(), d.x.data(), n * sizeof(std::int32_t),
                          cudaMemcpyDeviceToDevice),
          "copy on the device");
    sort(d.out.data(), d.out.data() + n);
  });
}

} // namespace

std::unique_ptr<program> cuda_thrust(operation what, std::size_t n) {
  keep_pool();
  switch (what) {
  case operation::maps:
    return over(std::make_shared<ints>(elements(n), n), [n](ints& d) {
      thrust::transform(queue(), d.x.data(), d.x.data() + n, d.out.data(), maps_op{});
    });
  case operation::saxpy:
    return over(std::make_shared<more_floats>(n), [n](more_floats& d) {
      thrust::transform(queue(), d.x.data(), d.x.data() + n, d.y.data(), d.out.data(), saxpy_op{});
    });
  case operation::indices:
    return over(std::make_shared<ints>(std::vector<std::int32_t>(1), n), [n](ints& d) {
      const thrust::counting_iterator<std::uint32_t> first(0);
      thrust::transform(queue(), first, first + static_cast<std::ptrdiff_t>(n), d.out.data(),
                        place_op{});
    });
  case operation::reduction:
    return sum(n);
  case operation::selection:
    return select<is_selected_op>(n);
  case operation::few_selected:
    return select<is_among_few_op>(n);
  case operation::scan:
    return over(std::make_shared<ints>(elements(n), n), [n](ints& d) {
      thrust::inclusive_scan(queue(), d.x.data(), d.x.data() + n, d.out.data(), wrapping_sum_op{});
    });
  case operation::sort:
    return sorted(n, [](auto* begin, auto* end) { thrust::sort(queue(), begin, end); });
  case operation::sort_by_rule:
    return sorted(n, [](auto* begin, auto* end) {
      thrust::stable_sort(queue(), begin, end, comes_before_op{});
    });
  case operation::runs:
    return runs(n);
  case operation::by_index:
    return by_index(n);
  default:
    return nullptr;
  }
}

} // namespace arrays
