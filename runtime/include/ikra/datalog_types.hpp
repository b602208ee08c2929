// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ types as types of Datalog, and functions of the program that rules may call
// (docs/datalog-cpp.md, "Functors"). Relies on the standard library.
#pragma once

#include <ikra/macros_aside.hpp>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::datalog {

namespace detail {

// types -------------------------------------------------------------------------------------------

/// The number of an object in insert_edges(): fits columns of numbers and of unsigned numbers.
enum class object_number : std::uint32_t {};

/// What the values of a C++ type are.
enum class value_class : std::uint8_t { number, unsigned_number, real, text, object };

struct column_type {
  value_class is;
  std::uint8_t bits; ///< 32 or 64; 0 for text
};

template <class T> inline constexpr bool is_text = std::convertible_to<const T&, std::string_view>;

template <class T> inline constexpr bool is_character = false;
template <> inline constexpr bool is_character<char> = true;
template <> inline constexpr bool is_character<bool> = true;
template <> inline constexpr bool is_character<wchar_t> = true;
template <> inline constexpr bool is_character<char32_t> = true;

template <class T>
concept plain_value = ((std::integral<T> && !is_character<T>) || std::floating_point<T>) &&
                      (sizeof(T) == 4 || sizeof(T) == 8);

template <class T> constexpr column_type type_of() {
  constexpr auto bits = static_cast<std::uint8_t>(sizeof(T) * 8);
  if constexpr (std::is_same_v<T, object_number>) {
    return {value_class::object, bits};
  } else if constexpr (std::is_enum_v<T>) {
    return type_of<std::underlying_type_t<T>>();
  } else if constexpr (is_text<T>) {
    return {value_class::text, 0};
  } else {
    static_assert(plain_value<T>, "columns of Datalog relations are integers of 32 or 64 bits, "
                                  "float, double and std::string");
    if (std::floating_point<T>)
      return {value_class::real, bits};
    return {std::is_unsigned_v<T> ? value_class::unsigned_number : value_class::number, bits};
  }
}

// functors ----------------------------------------------------------------------------------------

/// An argument or a result of a function: bits, zero-extended, or a text.
struct functor_value {
  std::uint64_t bits = 0;
  std::string_view text = {};
  std::string held = {}; ///< the text of a result
};

using functor_function = std::function<functor_value(std::span<const functor_value>)>;

template <std::size_t Size>
using bits_of_size = std::conditional_t<Size == 4, std::uint32_t, std::uint64_t>;

template <class T> T argument_of(const functor_value& value) {
  if constexpr (std::is_same_v<T, const char*>)
    return value.text.data(); // of a std::string: it ends with a 0
  else if constexpr (is_text<T>)
    return T(value.text);
  else
    return std::bit_cast<T>(static_cast<bits_of_size<sizeof(T)>>(value.bits));
}

template <class T> functor_value result_of(const T& result) {
  if constexpr (is_text<T>)
    return {0, {}, std::string(std::string_view(result))};
  else
    return {std::bit_cast<bits_of_size<sizeof(T)>>(result), {}, {}};
}

/// A function that ikrac has compiled into kernels, too. Code is a class of its making: its `name`
/// says which function this is.
template <class Code, class Function> struct compiled_function {
  Function run;
};

/// What ikrac puts around the function.
template <class Code, class Function>
compiled_function<Code, Function> with_code(Function function) {
  return {std::move(function)};
}

/// Whether a result may be in memory that the function writes again when it is called again.
template <class Result>
inline constexpr bool is_lent =
    is_text<std::remove_cvref_t<Result>> && !std::is_same_v<Result, std::string>;

} // namespace detail

/// A function that rules call as `@name(…)` where the program declares it: `.functor name(x:
/// number): symbol`. Its types are those of columns: a symbol is a std::string, std::string_view or
/// const char*. It has to give the same for the same arguments; how often it is called is open.
/// Several threads may call a function at once, and a lambda without captures, unless it gives a
/// text that is no std::string of its own (std::string_view, const char*). One thread at a time
/// calls what has captures, unless for_all_threads() says otherwise. What it throws ends the run
/// and reaches its caller.
class rule_function {
public:
  /// \param name     as the program declares it
  /// \param function a function, a lambda, or another object with one operator()
  template <class Function>
  rule_function(std::string name, Function function)
      : rule_function(std::move(name), std::function(std::move(function)),
                      std::is_pointer_v<Function> || std::is_empty_v<Function>) {}
  /// The same of a function that is in kernels, too.
  template <class Code, class Function>
  rule_function(std::string name, detail::compiled_function<Code, Function> function)
      : rule_function(std::move(name), std::move(function.run)) {
    code_ = Code::name;
  }

  const std::string& name() const noexcept { return name_; }
  const std::vector<detail::column_type>& parameters() const noexcept { return parameters_; }
  detail::column_type result() const noexcept { return result_; }
  /// Several threads may call it at once, although it has captures: none of them is changed.
  /// \returns this
  rule_function& for_all_threads() noexcept {
    stateless_ = true;
    return *this;
  }
  /// Whether several threads may call it at once.
  bool is_for_all_threads() const noexcept { return stateless_ && !lent_; }
  /// What kernels have for it; empty if there is nothing.
  std::string_view code() const noexcept { return code_; }
  detail::functor_value operator()(std::span<const detail::functor_value> arguments) const {
    return run_(arguments);
  }

private:
  template <class Result, class... Arguments>
  rule_function(std::string name, std::function<Result(Arguments...)> function, bool stateless)
      : name_(std::move(name)), parameters_{detail::type_of<std::remove_cvref_t<Arguments>>()...},
        result_(detail::type_of<std::remove_cvref_t<Result>>()), stateless_(stateless),
        lent_(detail::is_lent<Result>),
        run_([function = std::move(function)](std::span<const detail::functor_value> arguments) {
          return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return detail::result_of(
                function(detail::argument_of<std::remove_cvref_t<Arguments>>(arguments[I])...));
          }(std::index_sequence_for<Arguments...>());
        }) {}

  std::string name_;
  std::vector<detail::column_type> parameters_;
  detail::column_type result_;
  bool stateless_, lent_;
  std::string_view code_ = {};
  detail::functor_function run_;
};

} // namespace ikra::datalog

#include <ikra/macros_back.hpp>
