// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether other threads help a section that runs on objects as they are. They may not: several
// write to the same memory, or other programs have their cores. What a section took before tells
// (docs/runtime.md, "Objects as they are").
#pragma once

#include <ikra/generated/device/section_info.hpp>

#include <cstddef>

namespace ikra::rt {

/// Of one section. Times are seconds for an element.
class waking_record {
public:
  /// Called before each run that is worth waking others for.
  bool wakes() {
    if (runs_alone_ == 0)
      return true;
    --runs_alone_;
    return false;
  }
  /// Several threads ran it.
  /// \param guessed of one thread, by its first elements: others may take longer
  /// \param may_try whether a run on one thread costs little
  void together(double each, double guessed, bool may_try);
  /// One thread did.
  void alone(double each);

private:
  double together_ = 0, alone_ = 0; ///< the last times, 0 where none is known
  unsigned runs_alone_ = 0;         ///< from now on
  unsigned next_alone_ = 1;         ///< runs, if others do not help again
};

/// The same of a section, from any thread. \{
bool wakes_others(const section_info& section);
void note_together(const section_info& section, std::size_t elements, double seconds,
                   double guessed, unsigned threads);
void note_alone(const section_info& section, std::size_t elements, double seconds);
/// \}

} // namespace ikra::rt
