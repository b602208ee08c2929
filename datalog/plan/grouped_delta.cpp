// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the atom that reads delta: what the steps after it read comes first, what the head alone
// reads comes last, by a look-up of delta.
#include "datalog/plan/grouped_delta.hpp"

#include <algorithm>

namespace ikra::datalog {

column_set bound_columns(const join_step& j) {
  column_set all = 0;
  for (const join_step::bound_column& b : j.binds)
    all |= column_set(1) << b.column;
  return all;
}

std::optional<rule_version> by_groups(const rule_version& version) {
  constexpr std::size_t fewest_steps = 3; // with delta; else rows are not much less than outputs
  if (version.every_solution || version.steps.size() < fewest_steps)
    return {};
  const auto* const delta = std::get_if<join_step>(&version.steps.front().what);
  if (delta == nullptr || !delta->source.delta || delta->source.known != 0 ||
      !delta->equal.empty() || !delta->tests.empty())
    return {};
  std::vector<u32> read;
  for (const step& s : version.steps) {
    const std::vector<u32> used = uses_of(s);
    read.insert(read.end(), used.begin(), used.end());
  }
  join_step first = *delta, last = *delta;
  first.once = true;
  first.binds.clear();
  last.binds.clear();
  for (const join_step::bound_column& b : delta->binds)
    (std::find(read.begin(), read.end(), b.slot) != read.end() ? first : last).binds.push_back(b);
  if (first.binds.empty() || last.binds.empty())
    return {};
  std::sort(first.binds.begin(), first.binds.end(),
            [](const auto& a, const auto& b) { return a.column < b.column; });
  std::vector<u32> keys;
  for (const join_step::bound_column& b : first.binds) {
    last.source.keys.push_back({false, b.slot});
    keys.push_back(b.slot);
  }
  last.source.known = bound_columns(first);

  rule_version made = version;
  made.steps.front().what = first;
  for (step& s : made.steps) {
    std::erase_if(s.alive, [&](u32 slot) {
      return std::any_of(last.binds.begin(), last.binds.end(),
                         [&](const join_step::bound_column& b) { return b.slot == slot; });
    });
    s.alive.insert(s.alive.end(), keys.begin(), keys.end());
    std::sort(s.alive.begin(), s.alive.end());
    s.alive.erase(std::unique(s.alive.begin(), s.alive.end()), s.alive.end());
  }
  made.steps.push_back({std::move(last), version.steps.back().alive});
  made.kernels.assign(made.steps.size() + 1, nullptr);
  return made;
}

} // namespace ikra::datalog
