// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions as code for a small stack machine that runs on both devices: a plan's expression is
// flattened once, then evaluated for each row. Calls to host functions are not in it; the scheduler
// makes steps of their own of them.
#pragma once

#include "layout.hpp"

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

inline constexpr unsigned max_stack = 24;

/// \returns the code of an expression without calls. \param place_of maps slots to sources.
/// \throws ikra::error of kind unsupported if it is nested too deeply.
std::vector<instruction> compile(const plan::expression& from, const std::vector<u32>& place_of);

namespace detail {

template <class To> IKRA_DATALOG_BOTH inline To from_bits(u64 bits) {
  To value;
  if constexpr (sizeof(To) == 4) {
    const u32 low = static_cast<u32>(bits);
    memcpy(&value, &low, 4);
  } else {
    memcpy(&value, &bits, 8);
  }
  return value;
}

template <class From> IKRA_DATALOG_BOTH inline u64 to_bits(From value) {
  if constexpr (sizeof(From) == 4) {
    u32 low;
    memcpy(&low, &value, 4);
    return low;
  } else {
    u64 all;
    memcpy(&all, &value, 8);
    return all;
  }
}

template <class Value> IKRA_DATALOG_BOTH inline bool is_negative(Value value) {
  if constexpr (std::is_signed_v<Value>)
    return value < 0;
  else
    return false;
}

template <class Value> IKRA_DATALOG_BOTH inline Value integer_power(Value base, Value exponent) {
  if (is_negative(exponent)) { // what is left of the fraction
    if (base == Value(1) || base == static_cast<Value>(-1))
      return exponent % 2 == 0 ? Value(1) : base;
    return 0;
  }
  Value result = 1;
  for (; exponent != 0; exponent /= 2) {
    if (exponent % 2 != 0)
      result *= base;
    base *= base;
  }
  return result;
}

/// Integers: arithmetic wraps around, whatever the sign. Wide is unsigned and as wide as Value.
template <class Value, class Wide>
IKRA_DATALOG_BOTH inline u64 integer_operation(plan::operation what, u64 a_bits, u64 b_bits,
                                               u32* fault) {
  using op = plan::operation;
  const Value a = static_cast<Value>(a_bits), b = static_cast<Value>(b_bits);
  const Wide x = static_cast<Wide>(a), y = static_cast<Wide>(b);
  constexpr Wide shift_mask = sizeof(Wide) * 8 - 1;
  Wide r = 0;
  switch (what) {
  case op::negate:
    r = Wide(0) - x;
    break;
  case op::bit_not:
    r = static_cast<Wide>(~x);
    break;
  case op::add:
    r = x + y;
    break;
  case op::subtract:
    r = x - y;
    break;
  case op::multiply:
    r = x * y;
    break;
  case op::divide:
  case op::remainder:
    if (y == 0) {
      *fault = 1;
      break;
    }
    if (std::is_signed_v<Value> && y == static_cast<Wide>(-1)) // the quotient may not fit
      r = what == op::divide ? Wide(0) - x : Wide(0);
    else
      r = static_cast<Wide>(what == op::divide ? a / b : a % b);
    break;
  case op::power:
    // Wrapping multiplication needs unsigned values; the exponent's sign is looked at first.
    r = is_negative(b) ? static_cast<Wide>(integer_power<Value>(a, b)) : integer_power<Wide>(x, y);
    break;
  case op::bit_and:
    r = x & y;
    break;
  case op::bit_or:
    r = x | y;
    break;
  case op::bit_xor:
    r = x ^ y;
    break;
  case op::shift_left:
    r = static_cast<Wide>(x << (y & shift_mask));
    break;
  case op::shift_right:
    r = static_cast<Wide>(a >> (y & shift_mask));
    break;
  case op::shift_right_unsigned:
    r = static_cast<Wide>(x >> (y & shift_mask));
    break;
  case op::logical_not:
    r = x == 0;
    break;
  case op::logical_and:
    r = x != 0 && y != 0;
    break;
  case op::logical_or:
    r = x != 0 || y != 0;
    break;
  case op::logical_xor:
    r = (x != 0) != (y != 0);
    break;
  case op::minimum:
    r = static_cast<Wide>(a < b ? a : b);
    break;
  case op::maximum:
    r = static_cast<Wide>(a < b ? b : a);
    break;
  case op::equal:
    return a == b;
  case op::not_equal:
    return a != b;
  case op::less:
    return a < b;
  case op::less_equal:
    return a <= b;
  case op::greater:
    return a > b;
  case op::greater_equal:
    return a >= b;
  default:
    break;
  }
  return r;
}

template <class Value>
IKRA_DATALOG_BOTH inline u64 floating_operation(plan::operation what, u64 a_bits, u64 b_bits) {
  using op = plan::operation;
  const Value a = from_bits<Value>(a_bits), b = from_bits<Value>(b_bits);
  switch (what) {
  case op::negate:
    return to_bits(-a);
  case op::add:
    return to_bits(a + b);
  case op::subtract:
    return to_bits(a - b);
  case op::multiply:
    return to_bits(a * b);
  case op::divide:
    return to_bits(a / b);
  case op::power:
    return to_bits(static_cast<Value>(pow(a, b)));
  case op::minimum:
    return to_bits(b < a ? b : a);
  case op::maximum:
    return to_bits(a < b ? b : a);
  case op::equal:
    return a == b;
  case op::not_equal:
    return a != b;
  case op::less:
    return a < b;
  case op::less_equal:
    return a <= b;
  case op::greater:
    return a > b;
  case op::greater_equal:
    return a >= b;
  default:
    return 0;
  }
}

template <class Value> IKRA_DATALOG_BOTH inline u64 converted(Value value, plan::type to) {
  switch (to.of) {
  case plan::kind::floating:
    return to.bits == 32 ? to_bits(static_cast<float>(value)) : to_bits(static_cast<double>(value));
  case plan::kind::number:
    return to.bits == 32 ? to_bits(static_cast<std::int32_t>(value))
                         : to_bits(static_cast<std::int64_t>(value));
  default:
    return to.bits == 32 ? static_cast<u32>(value) : static_cast<u64>(value);
  }
}

IKRA_DATALOG_BOTH inline u64 convert(u64 bits, plan::type from, plan::type to) {
  switch (from.of) {
  case plan::kind::floating:
    return from.bits == 32 ? converted(from_bits<float>(bits), to)
                           : converted(from_bits<double>(bits), to);
  case plan::kind::number:
    return from.bits == 32 ? converted(from_bits<std::int32_t>(bits), to)
                           : converted(from_bits<std::int64_t>(bits), to);
  default:
    return converted(bits, to);
  }
}

} // namespace detail

/// One operation on bit patterns; b is ignored by those with one operand. \param fault is set to 1
/// by an integer division by zero.
IKRA_DATALOG_BOTH inline u64 apply(plan::operation what, plan::type of, u64 a, u64 b, u32* fault) {
  switch (of.of) {
  case plan::kind::floating:
    return of.bits == 32 ? detail::floating_operation<float>(what, a, b)
                         : detail::floating_operation<double>(what, a, b);
  case plan::kind::number:
    return of.bits == 32 ? detail::integer_operation<std::int32_t, u32>(what, a, b, fault)
                         : detail::integer_operation<std::int64_t, u64>(what, a, b, fault);
  default:
    return of.bits == 32 ? detail::integer_operation<u32, u32>(what, a, b, fault)
                         : detail::integer_operation<u64, u64>(what, a, b, fault);
  }
}

IKRA_DATALOG_BOTH inline bool has_one_operand(plan::operation what) {
  return what == plan::operation::negate || what == plan::operation::bit_not ||
         what == plan::operation::logical_not;
}

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
