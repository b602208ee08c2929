// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random sample of a relation's tuples, for the planner. Written once for both devices.
#pragma once

#include "datalog/engine/relations/host_tuples.hpp"
#include "datalog/plan/selectivity.hpp"

#include <algorithm>
#include <span>

namespace ikra::datalog {

/// \param runs of the relation, with this layout.
template <class Backend>
tuple_sample sample_of(Backend& backend, std::span<const shared_run<Backend>> runs,
                       const layout& packed) {
  u64 population = 0;
  for (const shared_run<Backend>& run : runs)
    population += run->size();
  const std::vector<u64> drawn = sampled_rows(population);
  std::vector<u64> values;
  u64 begin = 0; // of the run, among all rows
  auto next = drawn.begin();
  for (const shared_run<Backend>& run : runs) {
    std::vector<u32> rows;
    for (; next != drawn.end() && *next < begin + run->size(); ++next)
      rows.push_back(static_cast<u32>(*next - begin));
    begin += run->size();
    if (rows.empty())
      continue;
    const buffer<Backend, u32> on_device(backend, rows.size(), "row numbers");
    backend.upload(on_device.data(), rows.data(), rows.size() * sizeof(u32));
    const sorted_run<Backend> taken =
        take_rows(backend, run->columns(), on_device.data(), rows.size(), run->words());
    const host_tuples tuples = host_tuples::of(backend, taken, packed);
    values.insert(values.end(), tuples.values().begin(), tuples.values().end());
  }
  return {std::move(values), packed.columns, population};
}

} // namespace ikra::datalog
