// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of host sections count their turns where they run as they are written, so that the error of
// a section says in which turn the program made it (docs/turns.md#errors). Emitted files include it
// where they have such loops.
#pragma once

#include <ikra/loop_turn.hpp>

#include <cstdint>

namespace ikra::rt {

/// A loop of the program's text. There is one for each, in static storage.
class numbered_loop {
public:
  /// \param file, line where the loop stands
  numbered_loop(const char* file, unsigned line);
  /// 0: there are too many, and this one does not count.
  std::uint32_t number() const { return number_; }

private:
  std::uint32_t number_;
};

/// Counts the turns of one run of a loop. However that is left, the loop around it counts on.
class turn_counter {
public:
  explicit turn_counter(const numbered_loop& loop) noexcept
      : now_{0, loop.number()}, outer_(ikra::detail::current_turn()) {}
  turn_counter(const turn_counter&) = delete;
  turn_counter& operator=(const turn_counter&) = delete;
  ~turn_counter() { ikra::detail::current_turn() = outer_; }

  /// Begins a turn.
  void next() noexcept {
    if (now_.number != ikra::detail::loop_turn::unknown)
      ++now_.number;
    if (now_.loop != 0)
      ikra::detail::current_turn() = now_;
  }
  /// \param ran whether a device ran turns, which nobody has counted \returns the same
  bool lost(bool ran) noexcept {
    if (ran)
      now_.number = ikra::detail::loop_turn::unknown;
    return ran;
  }

private:
  ikra::detail::loop_turn now_, outer_;
};

} // namespace ikra::rt
