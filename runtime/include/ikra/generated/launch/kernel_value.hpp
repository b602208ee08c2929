// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How elements are named in kernels. nvcc takes no type that is private in a class for an argument
// of a kernel template, so kernels know enumerations as numbers that turn into any enumeration;
// char8_t too, which nvcc names differently in a kernel and where it is launched.
#pragma once

#include <ikra/generated/device/macros.hpp>

#include <type_traits>

namespace ikra::rt {

/// The number that kernels know elements of a type as; none for most types.
template <class T> struct number_in_kernels {};
template <class T>
  requires std::is_enum_v<T>
struct number_in_kernels<T> : std::underlying_type<T> {};
#ifdef __cpp_char8_t
template <> struct number_in_kernels<char8_t> {
  using type = unsigned char;
};
#endif
template <class T>
concept known_as_number = requires { typename number_in_kernels<T>::type; };

/// An enumeration with the underlying type Number.
template <class Number> struct enumeration {
  Number value;

  enumeration() = default;
  template <class Enum>
    requires known_as_number<Enum>
  IKRA_HD enumeration(Enum e) : value(static_cast<Number>(e)) {}
  template <class Enum>
    requires known_as_number<Enum>
  IKRA_HD operator Enum() const {
    return static_cast<Enum>(value);
  }
  friend IKRA_HD bool operator==(const enumeration& a, const enumeration& b) {
    return a.value == b.value;
  }
};

namespace detail {
// nvcc writes types as they were spelled, so they are deduced here and nowhere spelled by the
// enumeration's name.
template <class Enum, class Number>
enumeration<Number>* as_numbers(Enum* elements, Number /*of its underlying type*/) {
  return reinterpret_cast<enumeration<Number>*>(elements);
}
template <class Enum, class Number>
const enumeration<Number>* as_numbers(const Enum* elements, Number /*of its underlying type*/) {
  return reinterpret_cast<const enumeration<Number>*>(elements);
}
} // namespace detail

/// Elements in device memory as kernels name them.
template <class T> auto* for_kernel(T* elements) {
  if constexpr (known_as_number<std::remove_const_t<T>>)
    return detail::as_numbers(elements, typename number_in_kernels<std::remove_const_t<T>>::type());
  else
    return elements;
}

/// A value as kernels name its type.
template <class T> auto as_in_kernels(const T& value) {
  std::remove_const_t<std::remove_pointer_t<decltype(for_kernel(&value))>> result(value);
  return result;
}

template <class T> inline constexpr bool is_enumeration = false;
template <class Number> inline constexpr bool is_enumeration<enumeration<Number>> = true;

/// static_cast<Out>(x), also where elements have the types of kernels.
template <class Out, class T> IKRA_HD Out converted(const T& x) {
  if constexpr (is_enumeration<T>) {
    return converted<Out>(x.value);
  } else if constexpr (is_enumeration<Out>) {
    Out result;
    result.value = static_cast<decltype(result.value)>(x);
    return result;
  } else {
    return static_cast<Out>(x);
  }
}

} // namespace ikra::rt
