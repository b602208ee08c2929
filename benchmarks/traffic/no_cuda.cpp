// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for cuda.cu where there is no nvcc: there is no device then, and nothing asks for one.
#include "simulations.hpp"

#include <stdexcept>

namespace traffic::bench {
namespace {

[[noreturn]] void not_built() { throw std::runtime_error("the benchmark was built without CUDA"); }

} // namespace

std::unique_ptr<Simulation> cuda_columns(const HostCity&, Loop) { not_built(); }
std::unique_ptr<Simulation> cuda_packed_streets(const HostCity&, Loop) { not_built(); }
std::unique_ptr<Simulation> cuda_mixed_columns(const HostCity&, Loop) { not_built(); }
std::unique_ptr<Simulation> cuda_records(const HostCity&, Loop, Order, Size) { not_built(); }

} // namespace traffic::bench
