// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine on the GPU that the runtime chose.
#include "datalog/backend/cuda_backend.cuh"
#include "datalog/engine/engine_parts.hpp"
#include "datalog/engine/fixpoint.hpp"

namespace ikra::datalog {

template class engine_on<cuda_backend>;

std::unique_ptr<engine> detail::make_cuda_engine(const plan::program& program,
                                                 const engine_options& options,
                                                 host_functions* functions) {
  rt::device& device = rt::current_device();
  if (!device.is_cuda())
    throw error(error_kind::no_device,
                "Datalog: there is no GPU, or IKRA_DEVICE is cpu; run on the CPU");
  return std::make_unique<engine_on<cuda_backend>>(
      std::make_unique<cuda_backend>(device, options.memory_limit), program, options, functions);
}

} // namespace ikra::datalog
