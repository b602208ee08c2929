// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "waking.hpp"

#include "of_sections.hpp"

#include <algorithm>
#include <mutex>

namespace ikra::rt {

namespace {

constexpr double clearly = 1.25; // longer

using records = of_sections<waking_record>;

} // namespace

void waking_record::together(double each, double guessed, bool may_try) {
  constexpr unsigned most_alone = 64;
  together_ = each;
  if (each <= clearly * (alone_ > 0 ? alone_ : guessed)) {
    next_alone_ = 1;
  } else if (!may_try) {
    alone_ = 0;
  } else {
    runs_alone_ = alone_ > 0 ? next_alone_ : 1;
    next_alone_ = std::min(2 * runs_alone_, most_alone);
  }
}

void waking_record::alone(double each) {
  alone_ = each;
  if (each >= together_)
    runs_alone_ = 0;
}

bool wakes_others(const section_info& section) {
  records& known = records::all();
  const std::lock_guard lock(known.access);
  const auto found = known.of.find(&section);
  return found == known.of.end() || found->second.wakes();
}

void note_together(const section_info& section, std::size_t elements, double seconds,
                   double guessed, unsigned threads) {
  constexpr double most_to_try = 0.02; // seconds of one thread, at most
  const double each = seconds / static_cast<double>(elements);
  records& known = records::all();
  const std::lock_guard lock(known.access);
  known.of[&section].together(each, guessed, seconds * threads < most_to_try);
}

void note_alone(const section_info& section, std::size_t elements, double seconds) {
  records& known = records::all();
  const std::lock_guard lock(known.access);
  known.of[&section].alone(seconds / static_cast<double>(elements));
}

} // namespace ikra::rt
