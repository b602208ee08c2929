// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What checked builds put around uses that C++ leaves undefined (docs/checked-builds.md): elements
// of containers, what pointers point to, integer divisions, shifts. Each is given the number of its
// check in the file's table, and where to report a failure (checked.hpp). A use that is right gives
// what the program's own expression gives.
#pragma once

#include <ikra/generated/language/checked.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace ikra::checked {

/// The number of a check, as reports have it.
IKRA_HD constexpr failure failed(unsigned check) {
  return static_cast<failure>(static_cast<unsigned>(failure::first_check) + check);
}

namespace detail {

template <class T>
concept has_size = requires(const T& values) {
  { values.size() } -> std::convertible_to<std::size_t>;
};
template <class T>
concept whole_number = std::integral<T> || std::is_enum_v<T>;

/// Whether base has an element i. A negative index is one far beyond the last.
template <class T, int R> IKRA_HD bool is_there(const grid<T, R>& base, const index<R>& i) {
  for (int d = 0; d < R; ++d)
    if (i[d] < 0 || i[d] >= base.shape()[d])
      return false;
  return true;
}
template <class Base, class Index> IKRA_HD bool is_there(const Base& base, const Index& i) {
  if constexpr (!whole_number<Index>)
    return true;
  else if constexpr (std::is_array_v<Base>)
    return static_cast<std::size_t>(i) < std::extent_v<Base>;
  else if constexpr (std::is_pointer_v<Base>)
    return base != nullptr;
  else if constexpr (has_size<Base>)
    return static_cast<std::size_t>(i) < base.size();
  else
    return true;
}

} // namespace detail

/// base[i].
template <class Base, class Index>
IKRA_HD decltype(auto) at(Base&& base, const Index& i, unsigned check, const failure_report& to) {
  using element = decltype(std::forward<Base>(base)[i]);
  if (!detail::is_there(base, i)) {
    if constexpr (std::is_reference_v<element>) {
      return static_cast<element>(not_there<std::remove_reference_t<element>>(to, failed(check)));
    } else {
      check_failed(to, failed(check));
      return element();
    }
  }
  return static_cast<element>(std::forward<Base>(base)[i]);
}

namespace detail {
template <bool First, class Base> IKRA_HD decltype(auto) end_of(Base& base) {
  if constexpr (First)
    return base.front();
  else
    return base.back();
}
template <bool First, class Base>
IKRA_HD decltype(auto) checked_end(Base& base, unsigned check, const failure_report& to) {
  using element = decltype(end_of<First>(base));
  if (base.size() == 0) {
    if constexpr (std::is_reference_v<element>) {
      return static_cast<element>(not_there<std::remove_reference_t<element>>(to, failed(check)));
    } else {
      check_failed(to, failed(check));
      return element();
    }
  }
  return static_cast<element>(end_of<First>(base));
}
} // namespace detail

/// The first and the last element of a container. \{
template <class Base>
IKRA_HD decltype(auto) front(Base&& base, unsigned check, const failure_report& to) {
  return detail::checked_end<true>(base, check, to);
}
template <class Base>
IKRA_HD decltype(auto) back(Base&& base, unsigned check, const failure_report& to) {
  return detail::checked_end<false>(base, check, to);
}
/// \}

namespace detail {
template <class T> IKRA_HD T& present(T* there, unsigned check, const failure_report& to) {
  return there != nullptr ? *there : not_there<T>(to, failed(check));
}
} // namespace detail

/// id, which is not null unless threads stay.
IKRA_HD inline object_id object(object_id id, unsigned check, const failure_report& to) {
  if (!id)
    check_failed(to, failed(check));
  return id;
}

/// What *pointer is. Where threads stay they are given zeros in place of what null points to.
template <class T> IKRA_HD T& pointed(T* pointer, unsigned check, const failure_report& to) {
  return pointer != nullptr ? *pointer : not_there<T>(to, failed(check));
}
template <class T>
IKRA_HD T& pointed(std::optional<T>& held, unsigned check, const failure_report& to) {
  return held.has_value() ? *held : not_there<T>(to, failed(check));
}
template <class T>
IKRA_HD const T& pointed(const std::optional<T>& held, unsigned check, const failure_report& to) {
  return held.has_value() ? *held : not_there<const T>(to, failed(check));
}

/// what.value(), of a std::optional.
template <class Optional>
IKRA_HD auto& value(Optional&& what, unsigned check, const failure_report& to) {
  return detail::present(what.has_value() ? std::addressof(*what) : nullptr, check, to);
}
/// std::get<Which>(what), of a std::variant; Which is a number or a type. \{
template <std::size_t Which, class Variant>
IKRA_HD auto& get(Variant&& what, unsigned check, const failure_report& to) {
  return detail::present(std::get_if<Which>(std::addressof(what)), check, to);
}
template <class Which, class Variant>
IKRA_HD auto& get(Variant&& what, unsigned check, const failure_report& to) {
  return detail::present(std::get_if<Which>(std::addressof(what)), check, to);
}
/// \}
/// The object that dynamic_cast to a reference gives. \param id null if it is of another class
IKRA_HD inline object_id referred(object_id id, unsigned check, const failure_report& to) {
  return object(id, check, to);
}

/// What an integer is divided by.
template <class T> IKRA_HD T divisor(T value, unsigned check, const failure_report& to) {
  if (value == T(0)) {
    check_failed(to, failed(check));
    return T(1);
  }
  return value;
}

namespace detail {
/// Whether a quotient is one more than the largest integer of its type.
template <class T> IKRA_HD bool is_beyond(T left, T right) {
  constexpr T least = T(1) << (8 * sizeof(T) - 1);
  return left == least && right == T(-1);
}

/// The value of an integer, which a column may have as a bit-field.
template <class T> IKRA_HD auto integer_of(const T& value) {
  if constexpr (requires { value.get(); })
    return value.get();
  else
    return value;
}
} // namespace detail

/// What the integer left is divided by. \{
/// \param by_zero number of the check for zero; check that for what no integer is
template <class Left, class Right>
IKRA_HD auto divisor_of(const Left& left, const Right& right, unsigned by_zero, unsigned check,
                        const failure_report& to) {
  using both = decltype(detail::integer_of(left) / right);
  const both by = divisor(static_cast<both>(right), by_zero, to);
  if (!detail::is_beyond(static_cast<both>(detail::integer_of(left)), by))
    return by;
  check_failed(to, failed(check));
  return both(1);
}
template <class Left, class Right>
IKRA_HD auto quotient(const Left& left, const Right& right, unsigned by_zero, unsigned check,
                      const failure_report& to) {
  return left / divisor_of(left, right, by_zero, check, to);
}
template <class Left, class Right>
IKRA_HD auto remainder(const Left& left, const Right& right, unsigned by_zero, unsigned check,
                       const failure_report& to) {
  return left % divisor_of(left, right, by_zero, check, to);
}
/// \}

/// By how much an integer of Bits bits is shifted.
template <unsigned Bits, class T>
IKRA_HD T shift_count(T value, unsigned check, const failure_report& to) {
  if (static_cast<unsigned long long>(value) >= Bits) {
    check_failed(to, failed(check));
    return T(0);
  }
  return value;
}

//===-- writes that conflict ---------------------------------------------------------------===//

namespace detail {

/// What an element wrote: two that differ do not agree. In entries beside the element and the tick.
inline constexpr std::uint64_t changed_mark = 0xff;
template <class T> IKRA_HD std::uint64_t mark_of(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, object_id>) {
    unsigned char bytes[sizeof(T)];
    memcpy(bytes, &value, sizeof(T));
    std::uint32_t hash = 2166136261u; // FNV-1a
    for (const unsigned char byte : bytes)
      hash = (hash ^ byte) * 16777619u;
    return (hash ^ hash >> 16) % changed_mark;
  } else {
    return changed_mark;
  }
}

IKRA_HD inline std::uint64_t swap_if(std::uint64_t& word, std::uint64_t from, std::uint64_t to) {
#ifdef __CUDA_ARCH__
  return atomicCAS(reinterpret_cast<unsigned long long*>(&word), from, to);
#else
  std::atomic_ref<std::uint64_t>(word).compare_exchange_strong(from, to);
  return from;
#endif
}
IKRA_HD inline std::uint64_t swap(std::uint64_t& word, std::uint64_t to) {
#ifdef __CUDA_ARCH__
  return atomicExch(reinterpret_cast<unsigned long long*>(&word), to);
#else
  return std::atomic_ref<std::uint64_t>(word).exchange(to);
#endif
}

/// Notes a write in a log. Not inlined into loops that have none. \param mine what the element
/// wrote \returns whether another element has written something else in this tick
#ifndef __CUDA_ARCH__
[[gnu::noinline]]
#endif
IKRA_HD inline bool conflicts(const void* place, std::uint64_t mine, write_log log) {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  const std::uint64_t mark = mine & 0xff;
  std::uint64_t at = address * 0x9e3779b97f4a7c15u >> 20;
  for (int probes = 0; probes < 64; ++probes, ++at) { // what has no room is not looked at
    std::uint64_t* const entry = log.entries + 2 * (at & (log.size - 1));
    const std::uint64_t known = swap_if(entry[0], 0, address);
    if (known != 0 && known != address)
      continue;
    const std::uint64_t before = swap(entry[1], mine);
    return known != 0 && before != 0 && before >> 32 != mine >> 32 &&
           (before >> 8 & 0xffffffu) == (mine >> 8 & 0xffffffu) &&
           ((before & 0xff) != mark || mark == changed_mark);
  }
  return false;
}
IKRA_HD inline bool conflicts(const void* place, std::uint64_t mark, const failure_report& to) {
  return conflicts(place, std::uint64_t(to.element.value) << 32 | (to.tick & 0xffffffu) << 8 | mark,
                   to.log);
}

} // namespace detail

/// to = value.
template <class T, class Value>
IKRA_HD T& assign(T& to, Value&& value, unsigned check, const failure_report& report) {
  if (report.log.entries == nullptr) {
    to = std::forward<Value>(value);
    return to;
  }
  T mine = to; // which no other element writes meanwhile
  mine = std::forward<Value>(value);
  to = mine;
  if (detail::conflicts(&to, detail::mark_of(mine), report))
    check_failed(report, failed(check));
  return to;
}

/// What an operator is about to change.
template <class T> IKRA_HD T& changed(T& to, unsigned check, const failure_report& report) {
  if (report.log.entries != nullptr && detail::conflicts(&to, detail::changed_mark, report))
    check_failed(report, failed(check));
  return to;
}

} // namespace ikra::checked
