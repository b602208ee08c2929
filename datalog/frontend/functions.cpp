// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic is on bit patterns, and wraps; floats of 32 bits are computed in double
// precision and rounded, which gives what single precision does for the four operations.
#include "datalog/frontend/functions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "datalog/frontend/match.hpp"

namespace ikra::datalog {
namespace {

using core::word;

// Nearest number that fits; of NaN zero.
template <class Integer> Integer clamped(double value) {
  if (std::isnan(value))
    return 0;
  if (value <= static_cast<double>(std::numeric_limits<Integer>::min()))
    return std::numeric_limits<Integer>::min();
  if (value >= static_cast<double>(std::numeric_limits<Integer>::max()))
    return std::numeric_limits<Integer>::max();
  return static_cast<Integer>(value);
}

word real_to_number(double value, value_format format) {
  return format.is_32() ? format.from_number(clamped<std::int32_t>(value))
                        : format.from_number(clamped<std::int64_t>(value));
}
word real_to_unsigned(double value, value_format format) {
  return format.is_32() ? format.from_unsigned(clamped<std::uint32_t>(value))
                        : format.from_unsigned(clamped<std::uint64_t>(value));
}

// Wraps; a negative exponent gives what is left of the fraction: 1 or -1 for the bases 1 and -1,
// else 0.
std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base)
    if ((exponent & 1) != 0)
      result *= base;
  return result;
}

std::int64_t signed_power(std::int64_t base, std::int64_t exponent) {
  if (exponent >= 0)
    return static_cast<std::int64_t>(
        power(static_cast<std::uint64_t>(base), static_cast<std::uint64_t>(exponent)));
  if (base == 1 || base == -1)
    return exponent % 2 == 0 ? 1 : base;
  return 0;
}

word real_value(functor op, std::span<const word> v, value_format format) {
  auto x = [&](std::size_t i) { return format.real(v[i]); };
  switch (op) {
  case functor::negate:
    return format.from_real(-x(0));
  case functor::add:
    return format.from_real(x(0) + x(1));
  case functor::subtract:
    return format.from_real(x(0) - x(1));
  case functor::multiply:
    return format.from_real(x(0) * x(1));
  case functor::divide:
    return format.from_real(x(0) / x(1));
  case functor::power:
    return format.is_32()
               ? format.from_real(std::pow(static_cast<float>(x(0)), static_cast<float>(x(1))))
               : format.from_real(std::pow(x(0), x(1)));
  default:
    break;
  }
  throw undefined_value("operator is not defined for floats");
}

word number_value(functor op, std::span<const word> v, value_format format) {
  auto x = [&](std::size_t i) { return format.number(v[i]); };
  switch (op) {
  case functor::divide:
  case functor::modulo:
    if (x(1) == 0)
      throw undefined_value("Division by zero");
    if (x(1) == -1) // the one quotient that does not fit
      return op == functor::divide ? format.from_unsigned(0 - v[0]) : 0;
    return format.from_number(op == functor::divide ? x(0) / x(1) : x(0) % x(1));
  case functor::power:
    return format.from_number(signed_power(x(0), x(1)));
  case functor::shift_right:
    return format.from_number(x(0) >> (v[1] & format.shift_mask()));
  default:
    break;
  }
  throw undefined_value("operator is not defined for numbers");
}

// What is the same for numbers and unsigned numbers, and what only the latter do their own way.
word integer_value(functor op, std::span<const word> v, value_kind kind, value_format format) {
  auto truth = [](bool value) { return static_cast<word>(value ? 1 : 0); };
  switch (op) {
  case functor::negate:
    return format.from_unsigned(0 - v[0]);
  case functor::bit_not:
    return format.from_unsigned(~v[0]);
  case functor::logical_not:
    return truth(v[0] == 0);
  case functor::add:
    return format.from_unsigned(v[0] + v[1]);
  case functor::subtract:
    return format.from_unsigned(v[0] - v[1]);
  case functor::multiply:
    return format.from_unsigned(v[0] * v[1]);
  case functor::bit_and:
    return v[0] & v[1];
  case functor::bit_or:
    return v[0] | v[1];
  case functor::bit_xor:
    return v[0] ^ v[1];
  case functor::shift_left:
    return format.from_unsigned(v[0] << (v[1] & format.shift_mask()));
  case functor::shift_right_unsigned:
    return v[0] >> (v[1] & format.shift_mask());
  case functor::logical_and:
    return truth(v[0] != 0 && v[1] != 0);
  case functor::logical_or:
    return truth(v[0] != 0 || v[1] != 0);
  case functor::logical_xor:
    return truth((v[0] != 0) != (v[1] != 0));
  default:
    break;
  }
  if (kind == value_kind::number)
    return number_value(op, v, format);
  switch (op) {
  case functor::divide:
  case functor::modulo:
    if (v[1] == 0)
      throw undefined_value("Division by zero");
    return op == functor::divide ? v[0] / v[1] : v[0] % v[1];
  case functor::power:
    return format.from_unsigned(power(v[0], v[1]));
  case functor::shift_right:
    return v[0] >> (v[1] & format.shift_mask());
  default:
    break;
  }
  throw undefined_value("operator is not defined for unsigned numbers");
}

word widened(word value, value_kind from, value_format format) {
  if (from == value_kind::real)
    return value;
  return format.from_real(from == value_kind::number
                              ? static_cast<double>(format.number(value))
                              : static_cast<double>(format.unsigned_number(value)));
}

const char* name_of(functor conversion) {
  if (conversion == functor::to_number)
    return "to_number";
  return conversion == functor::to_unsigned ? "to_unsigned" : "to_float";
}

std::string six_digits(double value) {
  std::array<char, 400> text{}; // a double has up to 309 digits before the point
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 6).ptr;
  return {text.data(), end};
}

word convert(const core::expression& call, word value, value_format format, symbol_table& symbols) {
  const value_kind from = call.operands_are;
  if (call.op == functor::to_string) {
    if (from == value_kind::symbol)
      return value;
    return symbols.number(from == value_kind::real ? six_digits(format.real(value))
                                                   : format.write(value, from));
  }
  if (from == value_kind::symbol) {
    if (const auto read = format.read(symbols.text(value), call.kind))
      return *read;
    throw undefined_value("Wrong string provided by " + std::string{name_of(call.op)} + "(\"" +
                          symbols.text(value) + "\") functor");
  }
  if (call.kind == value_kind::real)
    return widened(value, from, format);
  if (from != value_kind::real)
    return value; // the same bits
  return call.kind == value_kind::number ? real_to_number(format.real(value), format)
                                         : real_to_unsigned(format.real(value), format);
}

std::string substring(const std::string& text, std::int64_t begin, std::int64_t length) {
  if (begin < 0 || static_cast<std::uint64_t>(begin) > text.size())
    return "";
  return text.substr(static_cast<std::size_t>(begin),
                     length < 0 ? std::string::npos : static_cast<std::size_t>(length));
}

word extreme(functor op, std::span<const word> v, value_kind kind, value_format format,
             const symbol_table& symbols) {
  word best = v[0];
  for (const word value : v.subspan(1))
    if (holds(op == functor::minimum ? comparison::less : comparison::greater, kind, value, best,
              format, symbols))
      best = value;
  return best;
}

// -1, 0 or 1; 2 where a NaN makes two floats incomparable.
int compare(value_kind kind, word left, word right, value_format format,
            const symbol_table& symbols) {
  auto order = [](const auto& a, const auto& b) {
    if (a < b)
      return -1;
    if (b < a)
      return 1;
    return a == b ? 0 : 2;
  };
  switch (kind) {
  case value_kind::number:
    return order(format.number(left), format.number(right));
  case value_kind::real:
    return order(format.real(left), format.real(right));
  case value_kind::symbol:
    return left == right ? 0 : order(symbols.text(left), symbols.text(right));
  case value_kind::unsigned_number:
  case value_kind::record:
  case value_kind::sum:
    break;
  }
  return order(left, right);
}

template <class Value, class ToWord>
void integer_range(Value from, Value to, bool down, std::uint64_t step, std::vector<word>& into,
                   ToWord to_word) {
  if (down ? from <= to : to <= from)
    return;
  const std::uint64_t distance =
      down ? static_cast<std::uint64_t>(from) - static_cast<std::uint64_t>(to)
           : static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  const std::uint64_t count = (distance - 1) / step + 1;
  auto value = static_cast<std::uint64_t>(from);
  for (std::uint64_t i = 0; i < count; ++i, value = down ? value - step : value + step)
    into.push_back(to_word(value));
}

} // namespace

word apply(const core::expression& call, std::span<const word> operands, value_format format,
           domain& values) {
  const std::span<const word> v = operands;
  symbol_table& symbols = values.symbols;
  switch (call.op) {
  case functor::external:
    return values.externals[call.variable](v, symbols);
  case functor::iteration:
    return format.from_unsigned(values.iteration);
  case functor::minimum:
  case functor::maximum:
    return extreme(call.op, v, call.kind, format, symbols);
  case functor::concatenate: {
    std::string text;
    for (const word part : v)
      text += symbols.text(part);
    return symbols.number(text);
  }
  case functor::length:
    return format.from_unsigned(symbols.text(v[0]).size());
  case functor::substring:
    return symbols.number(substring(symbols.text(v[0]), format.number(v[1]), format.number(v[2])));
  case functor::ordinal:
    return v[0];
  case functor::to_number:
  case functor::to_unsigned:
  case functor::to_real:
  case functor::to_string:
    return convert(call, v[0], format, symbols);
  default:
    break;
  }
  return call.kind == value_kind::real ? real_value(call.op, v, format)
                                       : integer_value(call.op, v, call.kind, format);
}

bool holds(comparison op, value_kind kind, word left, word right, value_format format,
           const symbol_table& symbols) {
  switch (op) {
  case comparison::match:
    return matches(symbols.text(left), symbols.text(right)).value_or(false);
  case comparison::not_match:
    return !matches(symbols.text(left), symbols.text(right)).value_or(true);
  case comparison::contains:
    return symbols.text(right).find(symbols.text(left)) != std::string::npos;
  case comparison::not_contains:
    return symbols.text(right).find(symbols.text(left)) == std::string::npos;
  default:
    break;
  }
  const int order = compare(kind, left, right, format, symbols);
  switch (op) {
  case comparison::equal:
    return order == 0;
  case comparison::unequal:
    return order != 0;
  case comparison::less:
    return order == -1;
  case comparison::less_equal:
    return order == -1 || order == 0;
  case comparison::greater:
    return order == 1;
  default:
    return order == 1 || order == 0;
  }
}

std::vector<word> range_values(std::span<const word> bounds, value_kind kind, value_format format) {
  std::vector<word> values;
  const bool stepped = bounds.size() == 3;
  if (kind == value_kind::real) {
    const double from = format.real(bounds[0]);
    const double to = format.real(bounds[1]);
    const double towards = from <= to ? 1 : -1;
    const double step = stepped ? format.real(bounds[2]) : towards;
    if (step == 0 && from != to)
      values.push_back(bounds[0]);
    // from + i * step, each operation rounded to the width; what no longer changes ends it.
    double last = from;
    for (std::uint64_t i = 0;; ++i) {
      const double offset = format.real(format.from_real(static_cast<double>(i) * step));
      const double x = format.real(format.from_real(from + offset));
      const bool within = step > 0 ? x < to : step < 0 && x > to;
      if (!within || (i > 0 && x == last))
        break;
      values.push_back(format.from_real(x));
      last = x;
    }
    return values;
  }
  if (kind == value_kind::number) {
    const std::int64_t from = format.number(bounds[0]);
    const std::int64_t to = format.number(bounds[1]);
    const std::int64_t towards = from <= to ? 1 : -1;
    const std::int64_t step = stepped ? format.number(bounds[2]) : towards;
    if (step == 0 && from != to)
      values.push_back(bounds[0]);
    if (step != 0)
      integer_range(from, to, step < 0,
                    step < 0 ? 0 - static_cast<std::uint64_t>(step)
                             : static_cast<std::uint64_t>(step),
                    values, [&](std::uint64_t x) { return format.from_unsigned(x); });
    return values;
  }
  const std::uint64_t from = bounds[0];
  const std::uint64_t to = bounds[1];
  const std::uint64_t step = stepped ? bounds[2] : 1;
  if (step == 0 && from != to)
    values.push_back(from);
  if (step != 0)
    integer_range(from, to, !stepped && to < from, step, values, [](std::uint64_t x) { return x; });
  return values;
}

} // namespace ikra::datalog
