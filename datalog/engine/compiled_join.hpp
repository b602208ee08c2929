// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of a rule version's joins have kernels: what ikrac emitted is looked up by shape. Relies on
// join_shape.hpp and the runtime's datalog_joins.hpp.
#pragma once

#include "join_shape.hpp"

#include <ikra/generated/datalog_joins.hpp>

#include <span>

namespace ikra::datalog {

struct compiled_join {
  const compiled::join* code;
  join_shape shape;
};

/// Fills version.kernels.
inline void attach_kernels(const plan::program& program, std::span<const compiled::join> emitted,
                           rule_version& version) {
  if (emitted.empty())
    return;
  std::string why;
  for (std::size_t at = 0; at < version.steps.size(); ++at)
    if (std::optional<join_shape> shape = shape_of(program, version, at, why)) {
      const std::string text = shape->text();
      for (const compiled::join& join : emitted)
        if (text == join.shape) {
          version.kernels[at] =
              std::make_shared<compiled_join>(compiled_join{&join, *std::move(shape)});
          break;
        }
    }
}

} // namespace ikra::datalog
