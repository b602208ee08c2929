// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flattens expressions into code, operands first.
#include "datalog/plan/expression_code.hpp"

#include <ikra/error.hpp>

namespace ikra::datalog {

namespace {

void append(std::vector<instruction>& code, const plan::expression& from,
            const std::vector<u32>& place_of, unsigned depth) {
  if (depth + 1 > max_stack)
    throw error(error_kind::unsupported,
                "Datalog: an expression is nested too deeply; compute a part of it in a variable");
  // Operand i is evaluated while i values wait on the stack.
  for (std::size_t i = 0; i < from.operands.size(); ++i)
    append(code, from.operands[i], place_of, depth + static_cast<unsigned>(i));
  instruction made{from.what, from.of, {}, from.payload};
  if (from.what == plan::operation::variable)
    made.payload = place_of[from.payload];
  if (from.what == plan::operation::convert)
    made.from = from.operands[0].of;
  code.push_back(made);
}

} // namespace

std::vector<instruction> compile(const plan::expression& from, const std::vector<u32>& place_of) {
  std::vector<instruction> code;
  append(code, from, place_of, 0);
  return code;
}

} // namespace ikra::datalog
