// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime of programs that are built for all cores only.
#include "cuda_support.hpp"
#include "operations.hpp"

namespace ikra::rt {

bool built_for_cuda() noexcept { return false; }

bool kernels_registered() noexcept { return false; }

int cuda_device_count(std::string& reason) {
  reason = "the program was built with BACKEND cpu";
  return 0;
}

std::string missing_code(int) { return {}; }

std::unique_ptr<device> make_cuda_device(int) { return nullptr; }

ikra::detail::device_operations* cuda_operations() { return nullptr; }

} // namespace ikra::rt
