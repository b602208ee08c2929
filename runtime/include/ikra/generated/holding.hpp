// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that hold pointers to objects: std::tuple and std::pair, as pzip makes them. In device
// code they hold IDs. Where the program has such an array in memory, it is rewritten on its way to
// a launch, and behind it.
#pragma once

#include <ikra/generated/describe.hpp>
#include <ikra/generated/layout.hpp>
#include <ikra/generated/object_id.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// Says of elements that they hold pointers. \tparam Host their type in the program; \tparam
/// References how what they point to is told apart, for each static type
template <class Host, class... References> struct holding {};

template <class T> inline constexpr bool is_holding = false;
template <class Host, class... References>
inline constexpr bool is_holding<holding<Host, References...>> = true;

namespace detail {

template <class T> inline constexpr bool is_tuple = false;
template <class... T> inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B> inline constexpr bool is_tuple<std::pair<A, B>> = true;

template <class Host> struct with_ids {
  using type = Host;
};
template <class T> struct with_ids<T*> {
  using type = object_id;
};
template <class... T> struct with_ids<std::tuple<T...>> {
  using type = std::tuple<typename with_ids<T>::type...>;
};
template <class A, class B> struct with_ids<std::pair<A, B>> {
  using type = std::pair<typename with_ids<A>::type, typename with_ids<B>::type>;
};

/// Calls use(pointer) for each pointer that a value holds, in their order.
template <class Host, class Use> void each_pointer(const Host& value, const Use& use) {
  if constexpr (std::is_pointer_v<Host>)
    use(value);
  else if constexpr (is_tuple<Host>)
    std::apply([&](const auto&... part) { (each_pointer(part, use), ...); }, value);
}

/// A value of type To with translate.operator()<P>(…) in place of each pointer, or ID; P is its
/// type in To. Called in their order.
template <class To, class From, class Translate>
To rewritten(const From& value, const Translate& translate) {
  if constexpr (std::is_pointer_v<From> || std::is_same_v<From, object_id>)
    return translate.template operator()<To>(value);
  else if constexpr (is_tuple<To>)
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return To{rewritten<std::tuple_element_t<I, To>>(std::get<I>(value), translate)...};
    }(std::make_index_sequence<std::tuple_size_v<To>>());
  else
    return value;
}

/// The References of pointers to objects of a static type.
template <class Static, class First, class... Rest> struct references_among {
  using type = typename references_among<Static, Rest...>::type;
};
template <class Static, class... Concrete, class... Rest>
struct references_among<Static, references<Static, Concrete...>, Rest...> {
  using type = references<Static, Concrete...>;
};
template <class Pointer, class... References>
using references_of = typename references_among<std::remove_const_t<std::remove_pointer_t<Pointer>>,
                                                References...>::type;

} // namespace detail

} // namespace ikra::rt
