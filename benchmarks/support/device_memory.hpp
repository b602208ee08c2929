// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the GPU for programs by hand; included by what nvcc compiles.
#pragma once

#include <cuda_runtime.h>
#include <stdexcept>
#include <utility>
#include <vector>

namespace benchmark {

/// \throws std::runtime_error if a CUDA call failed
inline void check(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(status));
}

/// Device memory for n elements, zero at first.
template <class T> class device_memory {
public:
  explicit device_memory(std::size_t n) : size_(n) {
    check(cudaMalloc(&data_, n * sizeof(T)));
    check(cudaMemset(data_, 0, n * sizeof(T)));
  }
  explicit device_memory(const std::vector<T>& values) : device_memory(values.size()) {
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  ~device_memory() { cudaFree(data_); }

  T* data() const { return data_; }
  void swap(device_memory& other) noexcept { std::swap(data_, other.data_); }
  std::vector<T> to_host() const {
    std::vector<T> all(size_);
    check(cudaMemcpy(all.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return all;
  }

private:
  T* data_ = nullptr;
  std::size_t size_;
};

} // namespace benchmark
