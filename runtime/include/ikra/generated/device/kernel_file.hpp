// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each file that nvcc compiles tells the runtime for which GPUs it has code, before a device is
// chosen: a GPU for which one of them has none is not taken. Included by headers with kernels.
#pragma once

#include <cstddef>

namespace ikra::rt {

/// A file with kernels. Made as a static object, and known to the runtime from then on.
struct kernel_file {
  const void* kernel;       ///< one that needs nothing
  const int* architectures; ///< for which the file was compiled: 800 is compute capability 8.0
  std::size_t count;        ///< of architectures
  const kernel_file* next;  ///< the one that was made before
  kernel_file(const void* probe, const int* built_for, std::size_t how_many) noexcept;
  kernel_file(const kernel_file&) = delete;
  kernel_file& operator=(const kernel_file&) = delete;
  ~kernel_file() = default;
};

/// Made as a static object in a file whose device code calls itself: a GPU's threads have a larger
/// stack then.
struct recursive_code {
  recursive_code() noexcept;
  static bool is_there() noexcept;
};

#ifdef __CUDACC__

// One for each file, so that what a linker leaves of two is not said of both.
namespace {

__global__ void probe_kernel() {}

constexpr int compiled_architectures[] = {__CUDA_ARCH_LIST__};

[[maybe_unused]] const kernel_file
    this_file(reinterpret_cast<const void*>(&probe_kernel), compiled_architectures,
              sizeof compiled_architectures / sizeof *compiled_architectures);

} // namespace

#endif

} // namespace ikra::rt
