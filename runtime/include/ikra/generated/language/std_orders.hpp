// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of std::pair, std::tuple and std::array of floating-point numbers for nvcc.
//
// nvcc's own `<=>` of floating-point numbers gives `equivalent` in device code where one of both is
// NaN, so that a comparison of pairs goes on to the second elements. libstdc++ reaches it inside
// these operators, where no call can be written otherwise; so the operators themselves are given,
// more constrained ones, as in std_array.hpp.
#pragma once

#ifdef __CUDACC__

#include <ikra/generated/language/algorithms.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ikra::algorithm {

/// Whether a type is a floating-point number, or a pair, tuple or array with one in it.
template <class T> struct holds_floats : std::is_floating_point<T> {};
template <class A, class B>
struct holds_floats<std::pair<A, B>> : std::disjunction<holds_floats<A>, holds_floats<B>> {};
template <class... T>
struct holds_floats<std::tuple<T...>> : std::disjunction<holds_floats<T>...> {};
template <class T, std::size_t N> struct holds_floats<std::array<T, N>> : holds_floats<T> {};

/// The order of two elements, as the standard library's synth-three-way has it.
template <class T> constexpr auto order_of(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return three_way(a, b);
  } else if constexpr (std::three_way_comparable<T>) {
    return a <=> b;
  } else {
    constexpr std::weak_ordering less = std::weak_ordering::less;
    constexpr std::weak_ordering greater = std::weak_ordering::greater;
    constexpr std::weak_ordering equivalent = std::weak_ordering::equivalent;
    return a < b ? less : b < a ? greater : equivalent;
  }
}
template <class T>
using order_between = decltype(order_of(std::declval<const T&>(), std::declval<const T&>()));

/// The order of two tuples from element K on.
template <std::size_t K, class Order, class... T>
constexpr Order order_from(const std::tuple<T...>& a, const std::tuple<T...>& b) {
  const Order order = order_of(std::get<K>(a), std::get<K>(b));
  if constexpr (K + 1 == sizeof...(T))
    return order;
  else
    return order != 0 ? order : order_from<K + 1, Order>(a, b);
}

} // namespace ikra::algorithm

// NOLINTBEGIN(cert-dcl58-cpp): see above
namespace std {

template <class A, class B>
  requires(ikra::algorithm::holds_floats<pair<A, B>>::value)
constexpr auto operator<=>(const pair<A, B>& a, const pair<A, B>& b)
    -> common_comparison_category_t<ikra::algorithm::order_between<A>,
                                    ikra::algorithm::order_between<B>> {
  const auto order = ikra::algorithm::order_of(a.first, b.first);
  if (order != 0)
    return order;
  return ikra::algorithm::order_of(a.second, b.second);
}

template <class... T>
  requires(ikra::algorithm::holds_floats<tuple<T...>>::value)
constexpr auto operator<=>(const tuple<T...>& a, const tuple<T...>& b)
    -> common_comparison_category_t<ikra::algorithm::order_between<T>...> {
  return ikra::algorithm::order_from<
      0, common_comparison_category_t<ikra::algorithm::order_between<T>...>>(a, b);
}

template <class T, size_t N>
  requires(ikra::algorithm::holds_floats<T>::value)
constexpr auto operator<=>(const array<T, N>& a, const array<T, N>& b)
    -> ikra::algorithm::order_between<T> {
  for (size_t i = 0; i < N; ++i)
    if (const auto order = ikra::algorithm::order_of(a[i], b[i]); order != 0)
      return order;
  return 0 <=> 0; // std::strong_ordering::equal is a variable of the host
}

} // namespace std
// NOLINTEND(cert-dcl58-cpp)

#endif
