// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the parts of the library find each other: one maker for each device. A library without nvcc
// has a maker for GPUs that says so.
#pragma once

#include "datalog/engine/engine.hpp"

namespace ikra::datalog::detail {

std::unique_ptr<engine> make_host_engine(const plan::program& program,
                                         const engine_options& options, host_functions* functions);
std::unique_ptr<engine> make_cuda_engine(const plan::program& program,
                                         const engine_options& options, host_functions* functions);

} // namespace ikra::datalog::detail
