// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for cuda.cu where there is no nvcc: there is no device then, and nothing asks for one.
#include "programs.hpp"

#include <stdexcept>

namespace simulations {
namespace {

[[noreturn]] void not_built() { throw std::runtime_error("the benchmark was built without CUDA"); }

} // namespace

std::unique_ptr<program> by_cuda(const task&, form) { not_built(); }

} // namespace simulations
