// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine on all cores.
#include "datalog/backend/host_backend.hpp"
#include "datalog/engine/engine_parts.hpp"
#include "datalog/engine/fixpoint.hpp"

namespace ikra::datalog {

template class engine_on<host_backend>;

std::unique_ptr<engine> detail::make_host_engine(const plan::program& program,
                                                 const engine_options& options,
                                                 host_functions* functions) {
  return std::make_unique<engine_on<host_backend>>(
      std::make_unique<host_backend>(options.memory_limit), program, options, functions);
}

} // namespace ikra::datalog
