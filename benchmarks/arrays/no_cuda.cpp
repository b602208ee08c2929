// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for cuda.cu where there is no nvcc: there is no device then, and nothing asks for one.
#include "programs.hpp"

#include <stdexcept>

namespace arrays {
namespace {

[[noreturn]] void not_built() { throw std::runtime_error("the benchmark was built without CUDA"); }

} // namespace

std::unique_ptr<program> cuda_scalar(operation, std::size_t) { not_built(); }
std::unique_ptr<program> cuda_vector(operation, std::size_t) { not_built(); }
std::unique_ptr<program> cuda_cub(operation, std::size_t) { not_built(); }
std::unique_ptr<program> cuda_thrust(operation, std::size_t) { not_built(); }
std::unique_ptr<program> cuda_copy(std::size_t) { not_built(); }

} // namespace arrays
