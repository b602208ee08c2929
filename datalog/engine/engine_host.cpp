// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine on all cores.
#include "engine_parts.hpp"
#include "fixpoint.hpp"
#include "host_backend.hpp"

namespace ikra::datalog {

template class engine_on<host_backend>;

std::unique_ptr<engine> detail::make_host_engine(const plan::program& program,
                                                 const engine_options& options,
                                                 host_functions* functions) {
  return std::make_unique<engine_on<host_backend>>(
      std::make_unique<host_backend>(options.memory_limit), program, options, functions);
}

} // namespace ikra::datalog
