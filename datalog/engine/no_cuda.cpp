// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In place of the engine for GPUs where there is no nvcc.
#include "datalog/engine/engine_parts.hpp"

#include <ikra/error.hpp>

namespace ikra::datalog {

std::unique_ptr<engine> detail::make_cuda_engine(const plan::program&, const engine_options&,
                                                 host_functions*) {
  throw error(error_kind::no_device,
              "Datalog: this program was built without CUDA; run it on the CPU, or link "
              "ikra::datalog_engine_cuda");
}

} // namespace ikra::datalog
