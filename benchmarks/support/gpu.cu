// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu.hpp"

#include "device_memory.hpp"

namespace benchmark {

bool cuda_present() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

std::string cuda_device_name() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  return properties.name;
}

void cuda_wait() { check(cudaDeviceSynchronize()); }

} // namespace benchmark
