// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way in: the engine for a device, and reading whole relations.
#include "datalog/engine/engine.hpp"

#include "datalog/engine/engine_parts.hpp"

#include <ikra/generated/device/device.hpp>

namespace ikra::datalog {

std::unique_ptr<engine> make_engine(const plan::program& program, device_kind device,
                                    const engine_options& options, host_functions* functions) {
  return device == device_kind::cpu ? detail::make_host_engine(program, options, functions)
                                    : detail::make_cuda_engine(program, options, functions);
}

bool is_gpu_wanted() { return rt::current_device().is_cuda(); }

tuple_columns read_all(engine& from, const plan::program& program, std::uint32_t relation) {
  tuple_columns all(program.relations[relation].columns.size());
  from.read(relation, [&](std::span<const column_view> columns, std::uint64_t rows) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (std::uint64_t i = 0; i < rows; ++i)
        all[c].push_back(columns[c].bits == 32
                             ? static_cast<const std::uint32_t*>(columns[c].data)[i]
                             : static_cast<const std::uint64_t*>(columns[c].data)[i]);
  });
  return all;
}

} // namespace ikra::datalog
