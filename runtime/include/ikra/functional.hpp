// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikra::max and ikra::min, function objects for preduce and for use in sections.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/config.hpp>

namespace ikra {

namespace detail {
struct max_function {
  template <class T> IKRA_HD constexpr T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct min_function {
  template <class T> IKRA_HD constexpr T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
} // namespace detail

/// The greater of two values, the first if neither is: a.preduce(ikra::max).
IKRA_CONSTANT detail::max_function max{};
/// The lesser of two values, the first if neither is.
IKRA_CONSTANT detail::min_function min{};

} // namespace ikra

#include <ikra/macros_back.hpp>
