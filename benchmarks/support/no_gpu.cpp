// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for gpu.cu where there is no nvcc: there is no device then, and nothing asks for one.
#include "gpu.hpp"

#include <stdexcept>

namespace benchmark {

namespace {
[[noreturn]] void not_built() { throw std::runtime_error("the benchmark was built without CUDA"); }
} // namespace

bool cuda_present() { return false; }
std::string cuda_device_name() { not_built(); }
void cuda_wait() { not_built(); }

} // namespace benchmark
