// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of kernels in a graph that has several turns of a loop in a row: after the loop's end,
// which the GPU finds in one of these turns, the kernels of the next ones do nothing.
#pragma once

#include <ikra/config.hpp>

namespace ikra::rt {

/// A turn of the loop, and where its end is noted.
struct loop_flag {
  unsigned* last_turn = nullptr; ///< nowhere: the graph has tests between the turns, if any
  unsigned turn = 0;             ///< of those in a row
  /// Whether the loop has ended in an earlier turn.
  IKRA_HD bool has_ended() const {
    return last_turn != nullptr && *static_cast<volatile unsigned*>(last_turn) < turn;
  }
};
inline constexpr unsigned no_last_turn = ~0U;

/// A body in such a loop.
template <class Body> struct until_end : Body {
  loop_flag flag_of_loop;
};

/// Whether a kernel has nothing to do. \{
template <class Body> IKRA_HD bool has_ended(const Body& /*body*/) { return false; }
template <class Body> IKRA_HD bool has_ended(const until_end<Body>& body) {
  return body.flag_of_loop.has_ended();
}
/// \}

} // namespace ikra::rt
