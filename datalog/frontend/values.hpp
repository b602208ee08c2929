// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values as text and as bits, for constants, facts, outputs and conversions: one reading and one
// writing of numbers for all of them. Relies on core.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "datalog/frontend/core.hpp"

namespace ikra::datalog {

/// Values of 32 or 64 bits, to and from their bit patterns.
class value_format {
public:
  /// \param bits 32 or 64
  explicit value_format(int bits) : bits_(bits) {}

  bool is_32() const noexcept { return bits_ == 32; }
  /// Shift counts are taken modulo the width.
  std::uint64_t shift_mask() const noexcept { return static_cast<std::uint64_t>(bits_) - 1; }

  std::int64_t number(core::word value) const {
    return bits_ == 32 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value))
                       : static_cast<std::int64_t>(value);
  }
  std::uint64_t unsigned_number(core::word value) const { return value; }
  double real(core::word value) const;

  /// Of what does not fit the low bits stay, as in two's complement arithmetic.
  core::word from_number(std::int64_t value) const {
    return from_unsigned(static_cast<std::uint64_t>(value));
  }
  core::word from_unsigned(std::uint64_t value) const {
    return bits_ == 32 ? static_cast<std::uint32_t>(value) : value;
  }
  /// There is one zero: -0.0 becomes 0.0, so that floats are equal where their bits are.
  core::word from_real(double value) const;
  /// Bits that are ordered as floats are: by size, NaNs at the ends.
  core::word order_of_real(core::word value) const {
    const core::word sign = core::word{1} << (bits_ - 1);
    return (value & sign) != 0 ? ~value & (sign | (sign - 1)) : value | sign;
  }
  core::word real_of_order(core::word order) const {
    const core::word sign = core::word{1} << (bits_ - 1);
    return (order & sign) == 0 ? ~order & (sign | (sign - 1)) : order ^ sign;
  }

  /// Reads a whole text as a value.
  /// \param kind number (decimal, 0x…, 0b…, each with a sign), unsigned number (the same; no sign
  /// but of zero), or float
  /// \return nothing if the text is no such value or does not fit
  std::optional<core::word> read(std::string_view text, value_kind kind) const;

  /// A number, unsigned number or float as Soufflé writes it; floats with all their digits.
  std::string write(core::word value, value_kind kind) const;

private:
  int bits_;
};

/// Whether a text is UTF-8 throughout.
bool is_utf8(std::string_view text);

} // namespace ikra::datalog
