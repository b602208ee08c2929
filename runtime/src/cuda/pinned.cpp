// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pinned.hpp"

#include "calls.hpp"
#include "devices/host_copy.hpp"
#include "support/errors.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace ikra::rt {

namespace {

constexpr std::size_t huge_page = std::size_t(2) << 20;

/// Huge pages, which all cores make: the driver takes small ones one by one, which is ten times as
/// slow. \returns null where they cannot be pinned
void* pinned_huge_pages(std::size_t bytes) {
  void* const memory = std::aligned_alloc(huge_page, bytes);
  if (memory == nullptr)
    return nullptr;
  ask_for_huge_pages(memory, bytes);
  for_ranges(bytes, huge_page, [&](std::size_t begin, std::size_t end) {
    std::memset(static_cast<char*>(memory) + begin, 0, end - begin);
  });
  if (cuda_call(cudaHostRegister, memory, bytes, cudaHostRegisterDefault) == cudaSuccess)
    return memory;
  static_cast<void>(cudaGetLastError());
  std::free(memory);
  return nullptr;
}

} // namespace

pinned_memory::pinned_memory(std::size_t bytes, const section_info& section)
    : data_(pinned_huge_pages(bytes)), is_own_(data_ != nullptr) {
  if (is_own_)
    return;
  const cudaError_t status =
      cuda_call(static_cast<cudaError_t (*)(void**, std::size_t)>(cudaMallocHost), &data_, bytes);
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    fail(error_kind::out_of_memory, section,
         "no " + byte_count(bytes) + " of pinned host memory for transfers",
         "raise the limit on locked memory (ulimit -l)");
  }
  check_cuda(status, "cudaMallocHost", section, "run with IKRA_DEVICE=cpu");
}

pinned_memory::~pinned_memory() {
  if (data_ == nullptr)
    return;
  if (!is_own_) {
    static_cast<void>(cudaFreeHost(data_));
    return;
  }
  static_cast<void>(cudaHostUnregister(data_));
  std::free(data_);
}

} // namespace ikra::rt
