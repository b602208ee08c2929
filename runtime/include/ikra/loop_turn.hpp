// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which turn of a loop a thread is in, for messages. In generated builds the loops of host sections
// count (generated/turns/turn_counter.hpp); in plain builds no loop does, and there is no turn.
// Relies on the standard library only.
#pragma once

#include <ikra/macros_aside.hpp>

#include <cstdint>
#include <utility>

namespace ikra::detail {

/// A turn of a loop; by default none.
struct loop_turn {
  /// Of turns after one that was not counted.
  static constexpr std::uint32_t unknown = UINT32_MAX;
  static constexpr unsigned loop_bits = 24;
  static constexpr std::uint32_t most_loops = (std::uint32_t(1) << loop_bits) - 1;

  std::uint32_t number = 0; ///< the first is 1; 0: none
  std::uint32_t loop = 0;   ///< the loop's number, up to most_loops

  friend bool operator==(const loop_turn&, const loop_turn&) = default;
};

/// The turn that this thread is in, of the innermost loop that counts. While it computes a command:
/// the turn in which the program made that.
inline loop_turn& current_turn() noexcept {
  static thread_local loop_turn current;
  return current;
}

/// Has this thread be in a turn while it exists.
class turn_scope {
public:
  explicit turn_scope(const loop_turn& of) noexcept : outer_(std::exchange(current_turn(), of)) {}
  turn_scope(const turn_scope&) = delete;
  turn_scope& operator=(const turn_scope&) = delete;
  ~turn_scope() { current_turn() = outer_; }

private:
  loop_turn outer_;
};

} // namespace ikra::detail

#include <ikra/macros_back.hpp>
