// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons of std::array for nvcc.
//
// libstdc++ compares arrays of numbers by __builtin_memcmp. Device code has no such function, and
// nvcc does not say so: it takes the call for unreachable and leaves out all that follows. Pairs,
// tuples and defaulted comparisons reach these operators inside the standard library, where no call
// can be written otherwise; so the operators themselves are given, more constrained ones, for the
// element types that are compared by bytes.
#pragma once

#ifdef __CUDACC__

#include <array>
#include <compare>
#include <cstddef>
#include <type_traits>

// NOLINTBEGIN(cert-dcl58-cpp): see above
namespace std {

template <class T, size_t N>
  requires(is_integral_v<T> || is_enum_v<T> || is_pointer_v<T>)
constexpr bool operator==(const array<T, N>& a, const array<T, N>& b) {
  for (size_t i = 0; i < N; ++i)
    if (!(a[i] == b[i]))
      return false;
  return true;
}

template <class T, size_t N>
  requires(is_integral_v<T> || is_enum_v<T>)
constexpr strong_ordering operator<=>(const array<T, N>& a, const array<T, N>& b) {
  for (size_t i = 0; i < N; ++i)
    if (const strong_ordering order = a[i] <=> b[i]; order != 0)
      return order;
  return 0 <=> 0; // strong_ordering::equal is a variable of the host
}

} // namespace std
// NOLINTEND(cert-dcl58-cpp)

#endif
