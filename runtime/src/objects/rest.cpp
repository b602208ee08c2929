// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rest.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

namespace ikra::rt {

double sharing(std::size_t elements) {
  constexpr std::size_t worth_waking = 65536;
  const auto most = static_cast<std::size_t>(omp_get_max_threads());
  return static_cast<double>(std::clamp<std::size_t>(elements / worth_waking, 1, most));
}

double cost_of_columns(const layout& plan, const reference_ops& ops) {
  constexpr double of_object = 40e-9, of_reference = 50e-9, of_list = 50e-9, of_references = 250e-9;
  static thread_local std::pair<const reference_ops*, double> last{nullptr, 0};
  if (last.first == &ops)
    return last.second;
  double most = 0;
  for (const unsigned c : ops.classes) {
    double cost = of_object;
    for (const column_info& column : plan.columns())
      if (column.part_of(c) != nullptr) {
        const bool refers = column.is_reference(), is_list = column.is_list();
        cost += refers && is_list ? of_references : refers ? of_reference : is_list ? of_list : 0;
      }
    most = std::max(most, cost);
  }
  last = {&ops, most};
  return most;
}

void time_in_place::add(const section_info& section, double seconds, std::size_t elements,
                        double worth, double share) {
  constexpr double of_section = 0.5e-6; // that a section in columns takes longer, and more
  constexpr double of_column = 1.5e-9;  // of a loop over columns, for an element
  constexpr double forgotten = 0.999, most = 0.25;
  const auto known = std::ranges::find(last_, &section, &last_time::section);
  last_time& its = known != last_.end() ? *known : last_[next_++ % last_.size()];
  const double each = seconds / static_cast<double>(std::max<std::size_t>(elements, 1));
  constexpr double grows = 1.01; // the data may have changed
  const bool is_known = its.section == &section;
  if (is_known)
    seconds *= std::min(1.0, its.each / each);
  its = {&section, each, is_known ? std::min(each, grows * its.least) : each};
  const double saves = static_cast<double>(elements) * of_column / sharing(elements);
  const double rest = std::clamp(seconds - of_section, 0.0, most * worth);
  seconds_ = forgotten * seconds_ + rest;
  saved_ = forgotten * saved_ + share * std::max(0.0, rest - saves);
  worth_ = worth;
}

bool time_in_place::is_less_than_columns() const {
  // What columns save is guessed, and the program may end now: so they cost half of what it took at
  // most, and a tenth where they save nothing.
  constexpr double surely = 2, times = 10;
  return saved_ <= surely * worth_ && seconds_ <= times * worth_;
}

std::optional<double> time_in_place::of_element(const section_info& section) const {
  const auto known = std::ranges::find(last_, &section, &last_time::section);
  return known == last_.end() ? std::nullopt : std::optional(known->least);
}

void time_in_columns::add(double seconds, std::optional<double> as_they_are, double traced) {
  constexpr double most_saved = 0.05; // they may cost more from now on
  constexpr double most_times = 8, most_of_traces = 2;
  is_known_ = is_known_ && as_they_are;
  if (as_they_are)
    lost_ = std::max(lost_ - *as_they_are +
                         std::min(seconds, std::max(most_times * *as_they_are,
                                                    *as_they_are + most_of_traces * traced)),
                     -most_saved);
}

void time_in_columns::leave() {
  constexpr double longer = 8, most = 1e6;
  lost_ = 0;
  patience_ = std::min(longer * patience_, most);
}

} // namespace ikra::rt
