// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What emitted code makes values of the user's classes with. A constructor of the user's is not
// there on a device, so emitted code puts the value together member by member, in memory that holds
// none yet. Relies on such classes being copied as bytes.
#pragma once

#include <ikra/generated/device/macros.hpp>
#include <ikra/generated/language/checked.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace ikra {

/// Room for a value that is yet to be made.
template <class T> union unmade {
  T value;
  IKRA_HD unmade() {}
};

/// An array as a value.
template <class T> struct wrapped {
  T value;
};

/// Makes a member, or a base, in room for it. \param from what it is converted from
template <class T, class From> IKRA_HD void make(T& member, const From& from) {
  using value = std::remove_const_t<T>;
  ::new (const_cast<void*>(static_cast<const void*>(std::addressof(member))))
      value(static_cast<value>(from));
}
template <class T, std::size_t N> IKRA_HD void make(T (&members)[N], const T (&from)[N]) {
  for (std::size_t i = 0; i < N; ++i)
    ikra::make(members[i], from[i]);
}

/// A temporary as an lvalue, for as long as the expression that it stands in.
template <class T> IKRA_HD T& lvalue(T&& temporary) { return temporary; }

/// Operands of a function that C++ evaluates from left to right, as braces have it and a function's
/// arguments have not: in_order{a, b}(f) is f(a, b).
template <class... Operands> class in_order {
public:
  IKRA_HD explicit in_order(Operands&&... operands)
      : operands_(static_cast<Operands&&>(operands)...) {}
  template <class F> IKRA_HD decltype(auto) operator()(F f) const {
    return call(f, std::index_sequence_for<Operands...>());
  }

private:
  // std::apply is a host function, as nvcc sees it, where f is no constexpr one.
  template <class F, std::size_t... K>
  IKRA_HD decltype(auto) call(F& f, std::index_sequence<K...>) const {
    return f(std::get<K>(operands_)...);
  }
  std::tuple<Operands...> operands_;
};
template <class... Operands> in_order(Operands&&...) -> in_order<Operands&&...>;

/// values.at(i). \param to where it says that i is outside of values
template <class T, std::size_t N>
IKRA_HD T& at(std::array<T, N>& values, std::size_t i, failure_report to) {
  return ikra::at(list<T>(values.data(), N), i, to);
}
template <class T, std::size_t N>
IKRA_HD const T& at(const std::array<T, N>& values, std::size_t i, failure_report to) {
  return ikra::at(list<const T>(values.data(), N), i, to);
}

/// std::nullopt, a variable, which devices have not.
IKRA_HD inline std::nullopt_t no_value() { return std::bit_cast<std::nullopt_t>('\0'); }

/// what.value(), of a std::optional. \param to where it says that there is none
template <class Optional> IKRA_HD auto& value(Optional&& what, failure_report to) {
  using element = std::remove_reference_t<decltype(*what)>;
  return what.has_value() ? static_cast<element&>(*what) : not_there<element>(to);
}

/// std::get<Which>(what), of a std::variant; Which is a number or a type.
template <std::size_t Which, class Variant> IKRA_HD auto& get(Variant&& what, failure_report to) {
  using element = std::remove_pointer_t<decltype(std::get_if<Which>(std::addressof(what)))>;
  element* const there = std::get_if<Which>(std::addressof(what));
  return there != nullptr ? *there : not_there<element>(to);
}
template <class Which, class Variant> IKRA_HD auto& get(Variant&& what, failure_report to) {
  auto* const there = std::get_if<Which>(std::addressof(what));
  return there != nullptr ? *there : not_there<std::remove_pointer_t<decltype(there)>>(to);
}

/// f(what the variant holds), as std::visit of one variant, which always holds something: its types
/// are copied as bytes.
template <std::size_t Which = 0, class F, class Variant>
IKRA_HD decltype(auto) visit(F&& f, Variant&& what) {
  if constexpr (Which + 1 < std::variant_size_v<std::remove_cvref_t<Variant>>)
    if (what.index() != Which)
      return ikra::visit<Which + 1>(f, what);
  return f(*std::get_if<Which>(std::addressof(what)));
}

/// The same of several variants, the first of which decides first.
template <class F, class First, class... More>
  requires(sizeof...(More) > 0)
IKRA_HD decltype(auto) visit(F&& f, First&& first, More&&... more) {
  return ikra::visit(
      [&](auto& held) -> decltype(auto) {
        return ikra::visit([&](auto&... others) -> decltype(auto) { return f(held, others...); },
                           more...);
      },
      first);
}

/// Several functions as one: a generic lambda is one for each type that it is called with.
template <class... F> struct overloaded : F... {
  using F::operator()...;
};
template <class... F> overloaded(F...) -> overloaded<F...>;
/// Tells one of several lambdas in a class from another with parameters of the same types.
template <int Number> struct overload {};
/// Tells one of a generic lambda's functions from another with parameters of the same types.
template <int Number> struct instance {};

/// The program's value of a class as code has it, or the other way around.
template <class To, class From> IKRA_HD To same_bytes(const From& value) {
  return std::bit_cast<To>(value);
}
/// The same of what lies in memory. Copy's accesses may alias all others. \{
template <class Copy, class Value> IKRA_HD const Copy* as_copies(const Value* values) {
  return reinterpret_cast<const Copy*>(values);
}
template <class Copy, class Value> IKRA_HD list<const Copy> as_copies(list<const Value> values) {
  return {ikra::as_copies<Copy>(values.data()), values.size()};
}
/// \}

/// A copy, which may change while the object stays as it is.
template <class Object> IKRA_HD Object copied(const Object& object) { return object; }

/// An object of the program and the functions that call it, which take it first: what it is handed
/// to calls all of them as that object.
template <class Object, class Calls> struct called {
  Object object; ///< or a reference to it
  Calls calls;

  template <class... Given> IKRA_HD decltype(auto) operator()(Given&&... given) {
    return calls(object, static_cast<Given&&>(given)...);
  }
};
template <class Object, class Calls>
IKRA_HD called<Object, Calls> calling(Object&& object, Calls calls) {
  return {static_cast<Object&&>(object), calls};
}

} // namespace ikra
