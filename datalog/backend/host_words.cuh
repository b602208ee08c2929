// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of the host's memory that kernels write. The host waits for many counts, each a few bytes:
// to read one here takes no copy beside the kernel that made it.
#pragma once

#include "datalog/plan/layout.hpp"

#include <ikra/error.hpp>

#include <cuda_runtime.h>

#include <string>

namespace ikra::datalog {

class host_words {
public:
  /// \throws ikra::error of kind out_of_memory
  explicit host_words(u64 count) {
    const cudaError_t status =
        cudaHostAlloc(reinterpret_cast<void**>(&words_), count * sizeof(u64), cudaHostAllocMapped);
    if (status == cudaSuccess)
      return;
    static_cast<void>(cudaGetLastError());
    throw error(error_kind::out_of_memory,
                std::string("Datalog: no pinned memory of the host for counts: ") +
                    cudaGetErrorString(status) + "; close other programs, or use the CPU");
  }
  host_words(const host_words&) = delete;
  host_words& operator=(const host_words&) = delete;
  ~host_words() { static_cast<void>(cudaFreeHost(words_)); }

  /// Where kernels write.
  u64* data() const noexcept { return words_; }
  /// What they wrote, once they are done.
  u64 read(u64 place) const noexcept { return static_cast<const volatile u64*>(words_)[place]; }

private:
  u64* words_ = nullptr;
};

} // namespace ikra::datalog
