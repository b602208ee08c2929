// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions as code for a small stack machine that runs on both devices: a plan's expression is
// flattened once, then evaluated for each row. Calls to host functions are not in it; the scheduler
// makes steps of their own of them.
#pragma once

#include "datalog/plan/layout.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

namespace ikra::datalog {

struct instruction {
  plan::operation what;
  plan::type of;
  plan::type from; ///< of convert
  u64 payload;     ///< the constant, or the position of a variable among the sources
};

/// In code, which has no calls: what comes after is not computed if the value is 0, so that a test
/// guards those after it against a division by zero.
inline constexpr plan::operation leave_if_zero = plan::operation::call;

inline constexpr unsigned max_stack = 24;

/// \returns the code of an expression without calls. \param place_of maps slots to sources.
/// \throws ikra::error of kind unsupported if it is nested too deeply.
std::vector<instruction> compile(const plan::expression& from, const std::vector<u32>& place_of);

/// \param value_of gives the value of source number i. \returns the bit pattern.
template <class Values>
IKRA_DATALOG_BOTH inline u64 evaluate(const instruction* code, u32 length, const Values& value_of,
                                      u32* fault) {
  u64 stack[max_stack];
  unsigned top = 0;
  for (u32 i = 0; i < length; ++i) {
    const instruction& now = code[i];
    switch (now.what) {
    case plan::operation::constant:
      stack[top++] = now.payload;
      break;
    case plan::operation::variable:
      stack[top++] = value_of(static_cast<u32>(now.payload));
      break;
    case leave_if_zero:
      if (stack[--top] == 0)
        return 0;
      break;
    case plan::operation::convert:
      stack[top - 1] = detail::convert(stack[top - 1], now.from, now.of);
      break;
    default:
      if (has_one_operand(now.what)) {
        stack[top - 1] = apply(now.what, now.of, stack[top - 1], 0, fault);
      } else {
        --top;
        stack[top - 1] = apply(now.what, now.of, stack[top - 1], stack[top], fault);
      }
    }
  }
  return stack[0];
}

} // namespace ikra::datalog
