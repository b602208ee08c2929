// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs for the GPU by hand have in common, for nvcc: memory, elements, and work that is
// queued.
#pragma once

#include "programs.hpp"
#include "rules.hpp"

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace arrays {

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

template <class T> class device_vector {
public:
  explicit device_vector(std::size_t n) : size_(n) {
    check(cudaMalloc(&data_, n * sizeof(T)), "cudaMalloc");
  }
  explicit device_vector(const std::vector<T>& values) : device_vector(values.size()) {
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
          "copy to the device");
  }
  ~device_vector() { cudaFree(data_); }
  device_vector(const device_vector&) = delete;
  device_vector& operator=(const device_vector&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::vector<T> first(std::size_t n) const {
    std::vector<T> values(n);
    check(cudaMemcpy(values.data(), data_, n * sizeof(T), cudaMemcpyDeviceToHost),
          "copy to the host");
    return values;
  }

private:
  std::size_t size_;
  T* data_ = nullptr;
};

/// Work that is queued, and what its result is.
class queued final : public program {
public:
  queued(std::function<void()> once, std::function<std::uint64_t()> checksum)
      : once_(std::move(once)), checksum_(std::move(checksum)) {}
  void run(std::int64_t times) override {
    for (std::int64_t i = 0; i < times; ++i)
      once_();
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
  }
  std::uint64_t checksum() override { return checksum_(); }

private:
  std::function<void()> once_;
  std::function<std::uint64_t()> checksum_;
};

struct ints {
  device_vector<std::int32_t> x, out;
  ints(const std::vector<std::int32_t>& values, std::size_t results) : x(values), out(results) {}
};
struct more_floats {
  device_vector<float> x, y, out;
  explicit more_floats(std::size_t n) : x(floats(n)), y(floats(n, n)), out(n) {}
};

template <class Data, class Once>
std::unique_ptr<program> over(std::shared_ptr<Data> data, Once once) {
  return std::make_unique<queued>(
      [data, once] { once(*data); },
      [data] { return checksum_of(data->out.first(data->out.size())); });
}

struct is_selected_op {
  __device__ bool operator()(std::int32_t x) const { return is_selected(x); }
};
struct is_among_few_op {
  __device__ bool operator()(std::int32_t x) const { return is_among_few(x); }
};

struct wrapping_sum_op {
  __device__ std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return wrapping_sum(a, b);
  }
};
struct comes_before_op {
  __device__ bool operator()(std::int32_t a, std::int32_t b) const { return comes_before(a, b); }
};

} // namespace arrays
