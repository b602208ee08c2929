// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing numbers, without locales.
#include "datalog/frontend/values.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>

namespace ikra::datalog {

double value_format::real(core::word value) const {
  return bits_ == 32 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value)))
                     : std::bit_cast<double>(value);
}

core::word value_format::from_real(double value) const {
  // Adding 0 makes -0.0 the one zero there is.
  return bits_ == 32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value) + 0.0F)
                     : std::bit_cast<std::uint64_t>(value + 0.0);
}

std::optional<core::word> value_format::read(std::string_view text, value_kind kind) const {
  if (kind == value_kind::real) {
    if (text.starts_with("+"))
      text.remove_prefix(1);
    if (bits_ == 32) {
      float value = 0;
      const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (problem != std::errc{} || end != text.data() + text.size() || text.empty())
        return std::nullopt;
      return from_real(static_cast<double>(value));
    }
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size() || text.empty())
      return std::nullopt;
    return from_real(value);
  }
  if (constexpr std::size_t safe = 9; !text.empty() && text.size() <= safe) { // nearly all
    std::uint32_t value = 0;
    bool digits = true;
    for (const char c : text) {
      const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
      digits = digits && digit < 10;
      value = 10 * value + digit;
    }
    if (digits)
      return value;
  }
  const bool negative = text.starts_with("-");
  if (negative || text.starts_with("+"))
    text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0b")) {
    base = text[1] == 'x' ? 16 : 2;
    text.remove_prefix(2);
  }
  std::uint64_t size = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), size, base);
  if (problem != std::errc{} || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  const std::uint64_t all = bits_ == 32 ? std::numeric_limits<std::uint32_t>::max()
                                        : std::numeric_limits<std::uint64_t>::max();
  if (kind == value_kind::unsigned_number)
    return size > all || (negative && size != 0) ? std::nullopt : std::optional{size};
  const std::uint64_t most = all / 2 + (negative ? 1 : 0);
  if (size > most)
    return std::nullopt;
  return from_unsigned(negative ? 0 - size : size);
}

std::string value_format::write(core::word value, value_kind kind) const {
  if (kind == value_kind::real) {
    std::array<char, 64> text{};
    // With the precision at which every value is distinguished.
    const int digits = bits_ == 32 ? std::numeric_limits<float>::max_digits10
                                   : std::numeric_limits<double>::max_digits10;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), real(value),
                                   std::chars_format::general, digits)
                         .ptr;
    return {text.data(), end};
  }
  return kind == value_kind::number ? std::to_string(number(value))
                                    : std::to_string(unsigned_number(value));
}

bool is_utf8(std::string_view text) {
  std::size_t i = 0;
  for (std::uint64_t eight = 0; i + sizeof eight <= text.size(); i += sizeof eight) {
    std::memcpy(&eight, text.data() + i, sizeof eight);
    if ((eight & 0x8080808080808080U) != 0)
      break;
  }
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80)
      continue;
    int more = 0;
    std::uint32_t code = 0;
    std::uint32_t least = 0;
    if (lead >= 0xC2 && lead < 0xE0) {
      more = 1;
      code = lead & 0x1FU;
      least = 0x80;
    } else if (lead >= 0xE0 && lead < 0xF0) {
      more = 2;
      code = lead & 0x0FU;
      least = 0x800;
    } else if (lead >= 0xF0 && lead < 0xF5) {
      more = 3;
      code = lead & 0x07U;
      least = 0x10000;
    } else {
      return false;
    }
    for (; more > 0; --more) {
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U)
        return false;
      code = code << 6 | (static_cast<unsigned char>(text[i++]) & 0x3FU);
    }
    if (code < least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
      return false;
  }
  return true;
}

} // namespace ikra::datalog
