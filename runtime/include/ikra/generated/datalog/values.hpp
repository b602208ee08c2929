// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of Datalog programs on both devices: their types and the operations on them. They stand
// here, and not with the engine, because the kernels that ikrac emits for a program's joins compute
// with them as well (docs/datalog-kernels.md). Relies on the standard library only.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

// Functions that run on the host and, where nvcc compiles, on a GPU.
#ifdef __CUDACC__
#define IKRA_DATALOG_BOTH __host__ __device__
#else
#define IKRA_DATALOG_BOTH
#endif
// The same, for what is a few instructions once its arguments are known.
#define IKRA_DATALOG_ALWAYS IKRA_DATALOG_BOTH __attribute__((always_inline)) inline

namespace ikra::datalog {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace plan {

/// The bit pattern of a number, unsigned number, float or symbol.
using value = std::uint64_t;

enum class kind : std::uint8_t { number, unsigned_number, floating, symbol };

/// The type of a column, a variable or an expression.
struct type {
  kind of = kind::number;
  std::uint8_t bits = 32; ///< 32 or 64
  friend bool operator==(const type&, const type&) = default;
};

enum class operation : std::uint8_t {
  constant, ///< expression::payload is the value
  variable, ///< expression::payload is the slot
  call,     ///< of host function number expression::payload; see host_functions
  convert,  ///< operand of its own type to expression::of: itof, ftoi, itou and so on, as C++ does
  // One operand.
  negate,
  bit_not,
  logical_not,
  // Two operands. Integer division by zero is an error; shift counts are taken modulo the width.
  add,
  subtract,
  multiply,
  divide,
  remainder,
  power,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,          ///< arithmetic for number
  shift_right_unsigned, ///< zeros come in
  logical_and,
  logical_or,
  logical_xor,
  minimum,
  maximum,
  // Two operands; expression::of is the operands' type, the result is 0 or 1. Symbols are compared
  // for equality only; their order needs a host function.
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal
};

} // namespace plan

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
    u32 low = 0;
    memcpy(&low, &value, 4);
    return low;
  } else {
    u64 all = 0;
    memcpy(&all, &value, 8);
    return all;
  }
}

/// The bits of a float that was computed. There is one zero: -0.0 becomes 0.0, so that floats are
/// equal where their bits are.
template <class Value> IKRA_DATALOG_BOTH inline u64 to_bits_of_one_zero(Value value) {
  return to_bits(value + Value(0));
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

template <class Value> IKRA_DATALOG_BOTH inline u64 integers_in_range(Value a, Value b, Value by) {
  if (by == Value(0))
    return a != b ? 1 : 0;
  if (by > Value(0) && a < b)
    return (static_cast<u64>(b) - static_cast<u64>(a) - 1) / static_cast<u64>(by) + 1;
  if (is_negative(by) && b < a)
    return (static_cast<u64>(a) - static_cast<u64>(b) - 1) / (u64(0) - static_cast<u64>(by)) + 1;
  return 0;
}

template <class Value> IKRA_DATALOG_BOTH inline u64 floats_in_range(Value a, Value b, Value by) {
  if (by == Value(0))
    return a != b ? 1 : 0;
  const Value n = (b - a) / by;
  if (!(n > Value(0)))
    return 0;
  if (a + by == a) // values that no longer change end a range
    return 1;
  if (!(n < Value(1e18)))
    return 0;
  // The quotient is rounded, and so is each value.
  const auto within = [=](u64 i) {
    const Value x = a + static_cast<Value>(i) * by;
    return by > Value(0) ? x < b : x > b;
  };
  const auto count = static_cast<u64>(ceil(n));
  if (!within(count - 1))
    return count - 1;
  return within(count) ? count + 1 : count;
}

/// 1 where the comparison \p what of \p a and \p b holds, else 0.
template <class Value> IKRA_DATALOG_ALWAYS u64 compared(plan::operation what, Value a, Value b) {
  using op = plan::operation;
  switch (what) {
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

/// Integers: arithmetic wraps around, whatever the sign. Wide is unsigned and as wide as Value.
template <class Value, class Wide>
IKRA_DATALOG_ALWAYS u64 integer_operation(plan::operation what, u64 a_bits, u64 b_bits,
                                          u32* fault) {
  using op = plan::operation;
  const auto a = static_cast<Value>(a_bits), b = static_cast<Value>(b_bits);
  const auto x = static_cast<Wide>(a), y = static_cast<Wide>(b);
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
  default:
    return compared(what, a, b);
  }
  return r;
}

template <class Value>
IKRA_DATALOG_ALWAYS u64 floating_operation(plan::operation what, u64 a_bits, u64 b_bits) {
  using op = plan::operation;
  const auto a = from_bits<Value>(a_bits), b = from_bits<Value>(b_bits);
  switch (what) {
  case op::negate:
    return to_bits_of_one_zero(-a);
  case op::add:
    return to_bits_of_one_zero(a + b);
  case op::subtract:
    return to_bits_of_one_zero(a - b);
  case op::multiply:
    return to_bits_of_one_zero(a * b);
  case op::divide:
    return to_bits_of_one_zero(a / b);
  case op::power:
    return to_bits_of_one_zero(static_cast<Value>(pow(a, b)));
  case op::minimum:
    return to_bits(b < a ? b : a);
  case op::maximum:
    return to_bits(a < b ? b : a);
  default:
    return compared(what, a, b);
  }
}

template <class Value> IKRA_DATALOG_BOTH inline u64 converted(Value value, plan::type to) {
  switch (to.of) {
  case plan::kind::floating:
    return to.bits == 32 ? to_bits_of_one_zero(static_cast<float>(value))
                         : to_bits_of_one_zero(static_cast<double>(value));
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

/// How many values range(from, to, step) has: from + i * step for i from 0. A step of 0 gives
/// `from`, unless that is `to`.
IKRA_DATALOG_BOTH inline u64 range_length(plan::type of, u64 from, u64 to, u64 step) {
  using namespace detail;
  using i32 = std::int32_t;
  using i64 = std::int64_t;
  switch (of.of) {
  case plan::kind::floating:
    return of.bits == 32 ? floats_in_range(from_bits<float>(from), from_bits<float>(to),
                                           from_bits<float>(step))
                         : floats_in_range(from_bits<double>(from), from_bits<double>(to),
                                           from_bits<double>(step));
  case plan::kind::number:
    return of.bits == 32
               ? integers_in_range<i64>(from_bits<i32>(from), from_bits<i32>(to),
                                        from_bits<i32>(step))
               : integers_in_range(from_bits<i64>(from), from_bits<i64>(to), from_bits<i64>(step));
  default:
    return integers_in_range(from, to, step);
  }
}

IKRA_DATALOG_BOTH inline bool has_one_operand(plan::operation what) {
  return what == plan::operation::negate || what == plan::operation::bit_not ||
         what == plan::operation::logical_not;
}

/// The same with an operation and a type that are known when a kernel is compiled.
template <plan::operation What, plan::kind Kind, unsigned Bits>
IKRA_DATALOG_BOTH inline u64 compute(u64 a, u64 b, u32* fault) {
  using namespace detail;
  if constexpr (Kind == plan::kind::floating) {
    using value = std::conditional_t<Bits == 32, float, double>;
    return floating_operation<value>(What, a, b);
  } else if constexpr (Kind == plan::kind::number) {
    using value = std::conditional_t<Bits == 32, std::int32_t, std::int64_t>;
    return integer_operation<value, std::make_unsigned_t<value>>(What, a, b, fault);
  } else {
    using value = std::conditional_t<Bits == 32, u32, u64>;
    return integer_operation<value, value>(What, a, b, fault);
  }
}

} // namespace ikra::datalog
