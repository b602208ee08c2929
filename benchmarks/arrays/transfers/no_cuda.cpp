// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for cuda.cu where there is no nvcc: there is no device then, and nothing asks for one.
#include "programs.hpp"

#include <stdexcept>

namespace transfers {
namespace {

[[noreturn]] void not_built() { throw std::runtime_error("the benchmark was built without CUDA"); }

} // namespace

std::vector<double> link_seconds(link, std::size_t, std::size_t, int) { not_built(); }

} // namespace transfers
