// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "one_thread.hpp"

#include "of_sections.hpp"

#include <ikra/generated/device/call.hpp>

#include <algorithm>
#include <mutex>
#include <optional>

namespace ikra::rt {

namespace {

/// Seconds for an element.
struct measured {
  double overhead = 0;          ///< of columns
  double launch = 0;            ///< of columns, for a tick
  std::optional<double> loop{}; ///< of one thread, for a tick
};

using measurements = of_sections<measured>;

} // namespace

bool one_thread_pays(const section_info& section, std::size_t elements, std::int64_t ticks,
                     unsigned threads, unsigned operations) {
  // What columns cost an object, in operations of a core: see objects_stay_in_place().
  constexpr std::uint64_t columns_cost = 256;
  const auto many = static_cast<std::uint64_t>(ticks) * threads;
  if (threads <= 1 || elements == 0 ||
      (operations != unbounded && operations * many <= columns_cost))
    return true;
  measurements& known = measurements::all();
  const std::lock_guard lock(known.access);
  const auto found = known.of.find(&section);
  if (found == known.of.end())
    return false; // nothing is known
  const measured& its = found->second;
  const double loop = its.loop.value_or(its.launch * threads);
  return loop * static_cast<double>(ticks) <=
         its.overhead + its.launch * static_cast<double>(ticks);
}

void note_one_thread(const section_info& section, std::size_t elements, std::int64_t ticks,
                     double seconds) {
  if (elements == 0 || ticks <= 0)
    return;
  measurements& known = measurements::all();
  const std::lock_guard lock(known.access);
  if (const auto found = known.of.find(&section); found != known.of.end())
    found->second.loop = seconds / static_cast<double>(elements) / static_cast<double>(ticks);
}

void note_all_threads(const section_info& section, std::size_t elements, std::int64_t ticks,
                      double overhead, double launch) {
  if (elements == 0 || ticks <= 0)
    return;
  constexpr double forgotten = 0.9; // one thread may have been held up, and is tried again
  measurements& known = measurements::all();
  const std::lock_guard lock(known.access);
  measured& its = known.of[&section];
  its.overhead = overhead / static_cast<double>(elements);
  its.launch = launch / static_cast<double>(elements) / static_cast<double>(ticks);
  if (its.loop)
    *its.loop *= forgotten;
}

} // namespace ikra::rt
