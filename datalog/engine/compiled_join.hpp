// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of a rule version's joins have kernels: what ikrac emitted is looked up by shape. Relies on
// join_shape.hpp and the runtime's datalog/joins.hpp.
#pragma once

#include "datalog/plan/join_shape.hpp"

#include <ikra/generated/datalog/joins.hpp>

#include <span>

namespace ikra::datalog {

struct compiled_join {
  const compiled::join* code;
  join_shape shape;
};

/// The kernels of steps.
inline step_kernels kernels_of(const plan::program& program,
                               std::span<const compiled::join> emitted, const step_list& list) {
  step_kernels found(list.steps.size() + 1);
  std::string why;
  for (std::size_t at = 0; at <= list.steps.size(); ++at)
    if (std::optional<join_shape> shape = shape_of(program, list, at, why)) {
      const std::string text = shape->text();
      for (const compiled::join& join : emitted)
        if (text == join.shape) {
          found[at] = std::make_shared<compiled_join>(compiled_join{&join, *std::move(shape)});
          break;
        }
    }
  return found;
}

/// The kernels of the bodies of aggregates and tests among steps. \param list of these steps
inline void attach_inner(const plan::program& program, std::span<const compiled::join> emitted,
                         const step_list& list, std::vector<step>& steps) {
  for (std::size_t at = 0; at < steps.size(); ++at)
    if (auto* aggregate = std::get_if<aggregate_step>(&steps[at].what)) {
      const step_list body = list.body(at, *aggregate);
      aggregate->kernels = kernels_of(program, emitted, body);
      attach_inner(program, emitted, body, aggregate->body);
    } else if (auto* test = std::get_if<exists_step>(&steps[at].what)) {
      const step_list body = list.body(at, *test);
      test->kernels = kernels_of(program, emitted, body);
      attach_inner(program, emitted, body, test->body);
    }
}

/// Fills version.kernels and those of bodies within.
inline void attach_kernels(const plan::program& program, std::span<const compiled::join> emitted,
                           rule_version& version) {
  if (emitted.empty())
    return;
  const step_list own = step_list::own(version);
  version.kernels = kernels_of(program, emitted, own);
  attach_inner(program, emitted, own, version.steps);
}

} // namespace ikra::datalog
