// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of the language, once for the parser, the type checker and the evaluators. Relies
// on nothing.
#pragma once

#include <cstdint>

namespace ikra::datalog {

/// What a value is made of. Records and algebraic data types are references to what they hold.
enum class value_kind : std::uint8_t { number, unsigned_number, real, symbol, record, sum };

enum class functor : std::uint8_t {
  negate,
  bit_not,
  logical_not, // one operand
  add,
  subtract,
  multiply,
  divide,
  modulo,
  power, // two
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  shift_right_unsigned,
  logical_and,
  logical_or,
  logical_xor,
  minimum,
  maximum,     // two or more
  concatenate, // two or more symbols
  length,
  substring,
  ordinal, // symbols
  to_number,
  to_unsigned,
  to_real,
  to_string, // conversions, by value
  range,     // gives many values
  external,  // a function of the user's, `@f(…)`
  iteration  // of the stratum; no operands
};

enum class comparison : std::uint8_t {
  equal,
  unequal,
  less,
  less_equal,
  greater,
  greater_equal,
  match,
  contains,
  not_match,
  not_contains
};

enum class aggregator : std::uint8_t { count, sum, minimum, maximum, mean };

/// The comparison that holds where the other does not. For floats this is not quite so: no NaN
/// compares.
constexpr comparison negated(comparison op) {
  switch (op) {
  case comparison::equal:
    return comparison::unequal;
  case comparison::unequal:
    return comparison::equal;
  case comparison::less:
    return comparison::greater_equal;
  case comparison::less_equal:
    return comparison::greater;
  case comparison::greater:
    return comparison::less_equal;
  case comparison::greater_equal:
    return comparison::less;
  case comparison::match:
    return comparison::not_match;
  case comparison::contains:
    return comparison::not_contains;
  case comparison::not_match:
    return comparison::match;
  case comparison::not_contains:
    break;
  }
  return comparison::contains;
}

} // namespace ikra::datalog
