// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on arrays, as shorthand: a + b is a.pcombine(b, std::plus<>{}), and a * 2 is a pmap
// with the number at its right. Result types are those of the operator on elements: bytes add up to
// int, comparisons give bool. There is no == and no !=, which would look like a comparison of whole
// arrays; pcombine(b, std::equal_to<>{}) is one of elements. && and || evaluate both sides.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/array.hpp>
#include <ikra/buffer.hpp>

#include <concepts>
#include <functional>
#include <type_traits>

namespace ikra {

namespace detail {

/// What an operand gives for each element, and its rank; 0 is that of single values.
template <class A> struct operand {
  using type = A;
  static constexpr int rank = 0;
};
template <class T, int R> struct operand<array<T, R>> {
  using type = T;
  static constexpr int rank = R;
};

/// Two arrays of one rank, or an array and a value that sections may capture.
template <class Left, class Right>
concept operands = (operand<Left>::rank != 0 || operand<Right>::rank != 0) &&
                   (operand<Left>::rank == operand<Right>::rank ||
                    (operand<Left>::rank == 0 && copied_as_bytes<Left>) ||
                    (operand<Right>::rank == 0 && copied_as_bytes<Right>));

template <class Left, class Right, class Op>
concept combines =
    operands<Left, Right> && std::invocable<const Op&, const typename operand<Left>::type&,
                                            const typename operand<Right>::type&>;

template <class Op, class Value> struct with_left {
  Value left;
  template <class T> auto operator()(const T& right) const { return Op()(left, right); }
};
template <class Op, class Value> struct with_right {
  Value right;
  template <class T> auto operator()(const T& left) const { return Op()(left, right); }
};

template <class Op, class Left, class Right>
auto element_wise(const Left& left, const Right& right) {
  if constexpr (operand<Left>::rank == 0)
    return right.pmap(with_left<Op, Left>{left});
  else if constexpr (operand<Right>::rank == 0)
    return left.pmap(with_right<Op, Right>{right});
  else
    return left.pcombine(right, Op());
}

/// C++ has no function objects for shifts.
struct shift_left {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const -> decltype(a << b) {
    return a << b;
  }
};
struct shift_right {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const -> decltype(a >> b) {
    return a >> b;
  }
};

} // namespace detail

#define IKRA_DETAIL_BINARY(SIGN, FUNCTION)                                                         \
  template <class Left, class Right>                                                               \
    requires detail::combines<Left, Right, FUNCTION>                                               \
  auto operator SIGN(const Left& left, const Right& right) {                                       \
    return detail::element_wise<FUNCTION>(left, right);                                            \
  }
#define IKRA_DETAIL_UNARY(SIGN, FUNCTION)                                                          \
  template <class T, int R>                                                                        \
    requires std::invocable<const FUNCTION&, const T&>                                             \
  auto operator SIGN(const array<T, R>& a) {                                                       \
    return a.pmap(FUNCTION());                                                                     \
  }

IKRA_DETAIL_BINARY(+, std::plus<>)
IKRA_DETAIL_BINARY(-, std::minus<>)
IKRA_DETAIL_BINARY(*, std::multiplies<>)
IKRA_DETAIL_BINARY(/, std::divides<>)
IKRA_DETAIL_BINARY(%, std::modulus<>)
IKRA_DETAIL_BINARY(&, std::bit_and<>)
IKRA_DETAIL_BINARY(|, std::bit_or<>)
IKRA_DETAIL_BINARY(^, std::bit_xor<>)
IKRA_DETAIL_BINARY(<<, detail::shift_left)
IKRA_DETAIL_BINARY(>>, detail::shift_right)
IKRA_DETAIL_BINARY(<, std::less<>)
IKRA_DETAIL_BINARY(<=, std::less_equal<>)
IKRA_DETAIL_BINARY(>, std::greater<>)
IKRA_DETAIL_BINARY(>=, std::greater_equal<>)
IKRA_DETAIL_BINARY(&&, std::logical_and<>)
IKRA_DETAIL_BINARY(||, std::logical_or<>)

IKRA_DETAIL_UNARY(-, std::negate<>)
IKRA_DETAIL_UNARY(!, std::logical_not<>)
IKRA_DETAIL_UNARY(~, std::bit_not<>)

#undef IKRA_DETAIL_BINARY
#undef IKRA_DETAIL_UNARY

} // namespace ikra

#include <ikra/macros_back.hpp>
