// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bit-fields as elements of columns: a value that is cut to its bits whenever it is written, as a
// bit-field is. What expressions make of it is said by emitted code, which asks for the value.
#pragma once

#include <ikra/generated/device/macros.hpp>

#include <climits>
#include <type_traits>

namespace ikra {

namespace detail {

template <class T> struct integer_of {
  using type = std::make_unsigned_t<T>;
};
template <class T>
  requires std::is_enum_v<T>
struct integer_of<T> {
  using type = std::make_unsigned_t<std::underlying_type_t<T>>;
};

/// What arithmetic makes of a bit-field: int where that has all its values.
template <class T, unsigned Bits>
using promoted_bits = std::conditional_t<
    (Bits < sizeof(int) * CHAR_BIT), int,
    std::conditional_t<(Bits == sizeof(int) * CHAR_BIT),
                       std::conditional_t<std::is_signed_v<T>, int, unsigned>, T>>;

} // namespace detail

/// \tparam T declared type of the bit-field, an integer or an enumeration; \tparam Bits its width
template <class T, unsigned Bits> class bit_field {
public:
  bit_field() = default;
  IKRA_HD constexpr bit_field(T value) : value_(cut(value)) {}

  IKRA_HD constexpr T get() const { return value_; }

  IKRA_HD constexpr bit_field& operator=(T value) {
    value_ = cut(value);
    return *this;
  }
  template <class U> IKRA_HD constexpr bit_field& operator+=(const U& by) {
    return *this = static_cast<T>(promoted() + by);
  }
  template <class U> IKRA_HD constexpr bit_field& operator-=(const U& by) {
    return *this = static_cast<T>(promoted() - by);
  }
  template <class U> IKRA_HD constexpr bit_field& operator*=(const U& by) {
    return *this = static_cast<T>(promoted() * by);
  }
  template <class U> IKRA_HD constexpr bit_field& operator/=(const U& by) {
    return *this = static_cast<T>(promoted() / by);
  }
  template <class U> IKRA_HD constexpr bit_field& operator%=(const U& by) {
    return *this = static_cast<T>(promoted() % by);
  }
  template <class U> IKRA_HD constexpr bit_field& operator&=(const U& by) {
    return *this = static_cast<T>(promoted() & by);
  }
  template <class U> IKRA_HD constexpr bit_field& operator|=(const U& by) {
    return *this = static_cast<T>(promoted() | by);
  }
  template <class U> IKRA_HD constexpr bit_field& operator^=(const U& by) {
    return *this = static_cast<T>(promoted() ^ by);
  }
  template <class U> IKRA_HD constexpr bit_field& operator<<=(const U& by) {
    return *this = static_cast<T>(promoted() << by);
  }
  template <class U> IKRA_HD constexpr bit_field& operator>>=(const U& by) {
    return *this = static_cast<T>(promoted() >> by);
  }
  IKRA_HD constexpr bit_field& operator++() { return *this += 1; }
  IKRA_HD constexpr bit_field& operator--() { return *this -= 1; }
  IKRA_HD constexpr T operator++(int) {
    const T before = value_;
    ++*this;
    return before;
  }
  IKRA_HD constexpr T operator--(int) {
    const T before = value_;
    --*this;
    return before;
  }

private:
  IKRA_HD constexpr auto promoted() const {
    return static_cast<detail::promoted_bits<T, Bits>>(value_);
  }
  IKRA_HD static constexpr T cut(T value) {
    if constexpr (std::is_same_v<T, bool> || Bits >= sizeof(T) * CHAR_BIT) {
      return value;
    } else {
      using whole = typename detail::integer_of<T>::type;
      constexpr unsigned rest = sizeof(T) * CHAR_BIT - Bits;
      const auto high = static_cast<whole>(static_cast<whole>(value) << rest);
      if constexpr (is_signed())
        return static_cast<T>(static_cast<std::make_signed_t<whole>>(high) >> rest);
      else
        return static_cast<T>(high >> rest);
    }
  }
  static constexpr bool is_signed() {
    if constexpr (std::is_enum_v<T>)
      return std::is_signed_v<std::underlying_type_t<T>>;
    else
      return std::is_signed_v<T>;
  }

  T value_;
};

} // namespace ikra
