// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for cuda.cu where there is no nvcc: there is no device then, and nothing asks for one.
#include "programs.hpp"

#include <stdexcept>

namespace apps {

namespace {

[[noreturn]] void throw_no_cuda() {
  throw std::runtime_error("the benchmark was built without CUDA");
}

} // namespace

std::unique_ptr<program> by_cuda(which, std::size_t, bool) { throw_no_cuda(); }
std::unique_ptr<program> by_thrust(which, std::size_t) { throw_no_cuda(); }
std::unique_ptr<program> copy_on_gpu(std::size_t) { throw_no_cuda(); }

} // namespace apps
