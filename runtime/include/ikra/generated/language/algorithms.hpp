// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms of the standard library for device code, over pointers: an iterator of a container is
// a pointer there. Each does what its namesake does, in the same order.
#pragma once

#include <ikra/generated/device/macros.hpp>
#include <ikra/generated/device/object_id.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

namespace ikra {

/// Where the elements of an array begin. \{
template <class T, std::size_t N> IKRA_HD constexpr T* first_of(T (&values)[N]) { return values; }
template <class T> IKRA_HD constexpr T* first_of(list<T> values) { return values.data(); }
template <class T, std::size_t N> IKRA_HD constexpr T* first_of(std::array<T, N>& values) {
  return values.data();
}
template <class T, std::size_t N>
IKRA_HD constexpr const T* first_of(const std::array<T, N>& values) {
  return values.data();
}
/// \}
/// After the last of them.
template <class Container> IKRA_HD constexpr auto* end_of(Container&& values) {
  if constexpr (std::is_array_v<std::remove_reference_t<Container>>)
    return first_of(values) + std::extent_v<std::remove_reference_t<Container>>;
  else
    return first_of(values) + values.size();
}

namespace algorithm {

/// The integers from `first` to before `last`, for `std::views::iota` in a range for.
template <class T, class Bound> struct counted {
  struct iterator {
    T value;
    IKRA_HD constexpr T operator*() const { return value; }
    IKRA_HD constexpr iterator& operator++() {
      ++value;
      return *this;
    }
    IKRA_HD constexpr friend bool operator!=(iterator at, Bound end) {
      using both = std::common_type_t<T, Bound>;
      return static_cast<both>(at.value) != static_cast<both>(end);
    }
  };
  T first;
  Bound last;
  IKRA_HD constexpr iterator begin() const { return {first}; }
  IKRA_HD constexpr Bound end() const { return last; }
};
template <class T, class Bound> IKRA_HD constexpr counted<T, Bound> iota(T first, Bound last) {
  return {first, last};
}

template <class T> IKRA_HD T* next(T* at, std::ptrdiff_t n = 1) { return at + n; }
template <class T> IKRA_HD T* prev(T* at, std::ptrdiff_t n = 1) { return at - n; }
template <class T, class U> IKRA_HD std::ptrdiff_t distance(T* first, U* last) {
  return last - first;
}

template <class T, class Sum, class F> IKRA_HD Sum accumulate(T* first, T* last, Sum sum, F f) {
  for (; first != last; ++first)
    sum = f(sum, *first);
  return sum;
}
template <class T, class Sum> IKRA_HD Sum accumulate(T* first, T* last, Sum sum) {
  for (; first != last; ++first)
    sum = sum + *first;
  return sum;
}
template <class T, class U, class Sum, class Add, class Multiply>
IKRA_HD Sum inner_product(T* first, T* last, U* other, Sum sum, Add add, Multiply multiply) {
  for (; first != last; ++first, ++other)
    sum = add(sum, multiply(*first, *other));
  return sum;
}
template <class T, class U, class Sum>
IKRA_HD Sum inner_product(T* first, T* last, U* other, Sum sum) {
  for (; first != last; ++first, ++other)
    sum = sum + *first * *other;
  return sum;
}

template <class T, class Test> IKRA_HD T* find_if(T* first, T* last, Test test) {
  while (first != last && !test(*first))
    ++first;
  return first;
}
template <class T, class Test> IKRA_HD T* find_if_not(T* first, T* last, Test test) {
  while (first != last && test(*first))
    ++first;
  return first;
}
template <class T, class U> IKRA_HD T* find(T* first, T* last, const U& value) {
  while (first != last && !(*first == value))
    ++first;
  return first;
}
template <class T, class F> IKRA_HD T* adjacent_find(T* first, T* last, F same) {
  for (T* next = first; first != last && ++next != last; first = next)
    if (same(*first, *next))
      return first;
  return last;
}
template <class T> IKRA_HD T* adjacent_find(T* first, T* last) {
  if (first == last)
    return last;
  while (first + 1 != last && !(*first == *(first + 1)))
    ++first;
  return first + 1 == last ? last : first;
}
template <class T, class Test> IKRA_HD bool any_of(T* first, T* last, Test test) {
  return algorithm::find_if(first, last, test) != last;
}
template <class T, class Test> IKRA_HD bool all_of(T* first, T* last, Test test) {
  return algorithm::find_if_not(first, last, test) == last;
}
template <class T, class Test> IKRA_HD bool none_of(T* first, T* last, Test test) {
  return algorithm::find_if(first, last, test) == last;
}
template <class T, class Test> IKRA_HD std::ptrdiff_t count_if(T* first, T* last, Test test) {
  std::ptrdiff_t n = 0;
  for (; first != last; ++first)
    n += test(*first) ? 1 : 0;
  return n;
}
template <class T, class U> IKRA_HD std::ptrdiff_t count(T* first, T* last, const U& value) {
  std::ptrdiff_t n = 0;
  for (; first != last; ++first)
    n += *first == value ? 1 : 0;
  return n;
}
template <class T, class U> IKRA_HD bool equal(T* first, T* last, U* other) {
  for (; first != last; ++first, ++other)
    if (!(*first == *other))
      return false;
  return true;
}

/// What the standard library compares by, where it is given nothing.
struct in_order {
  template <class A, class B> IKRA_HD bool operator()(const A& a, const B& b) const {
    return a < b;
  }
};

template <class T, class Less = in_order>
IKRA_HD T* max_element(T* first, T* last, Less less = {}) {
  T* best = first;
  if (first != last)
    while (++first != last)
      if (less(*best, *first))
        best = first;
  return best;
}
template <class T, class Less = in_order>
IKRA_HD T* min_element(T* first, T* last, Less less = {}) {
  T* best = first;
  if (first != last)
    while (++first != last)
      if (less(*first, *best))
        best = first;
  return best;
}
template <class T, class Less = in_order>
IKRA_HD bool is_sorted(T* first, T* last, Less less = {}) {
  if (first != last)
    for (T* before = first; ++first != last; before = first)
      if (less(*first, *before))
        return false;
  return true;
}
template <class T, class U, class Less = in_order>
IKRA_HD T* lower_bound(T* first, T* last, const U& value, Less less = {}) {
  for (std::ptrdiff_t n = last - first; n > 0;) {
    const std::ptrdiff_t half = n / 2;
    if (less(first[half], value)) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}
template <class T, class U, class Less = in_order>
IKRA_HD T* upper_bound(T* first, T* last, const U& value, Less less = {}) {
  for (std::ptrdiff_t n = last - first; n > 0;) {
    const std::ptrdiff_t half = n / 2;
    if (less(value, first[half])) {
      n = half;
    } else {
      first += half + 1;
      n -= half + 1;
    }
  }
  return first;
}
template <class T, class U, class Less = in_order>
IKRA_HD bool binary_search(T* first, T* last, const U& value, Less less = {}) {
  T* const at = algorithm::lower_bound(first, last, value, less);
  return at != last && !less(value, *at);
}

template <class T, class Test> IKRA_HD T* partition_point(T* first, T* last, Test test) {
  for (std::ptrdiff_t n = last - first; n > 0;) {
    const std::ptrdiff_t half = n / 2;
    if (test(first[half])) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}

template <class T, class F> IKRA_HD F for_each(T* first, T* last, F f) {
  for (; first != last; ++first)
    f(*first);
  return f;
}
template <class T, class F> IKRA_HD void generate(T* first, T* last, F f) {
  for (; first != last; ++first)
    *first = f();
}
template <class T, class U> IKRA_HD void fill(T* first, T* last, const U& value) {
  for (; first != last; ++first)
    *first = value;
}
template <class T, class N, class U> IKRA_HD T* fill_n(T* first, N n, const U& value) {
  for (; n > 0; --n, ++first)
    *first = value;
  return first;
}
template <class T, class U> IKRA_HD void replace(T* first, T* last, const U& old, const U& value) {
  for (; first != last; ++first)
    if (*first == old)
      *first = value;
}
template <class T, class Test, class U>
IKRA_HD void replace_if(T* first, T* last, Test test, const U& value) {
  for (; first != last; ++first)
    if (test(*first))
      *first = value;
}
template <class T, class Test> IKRA_HD T* remove_if(T* first, T* last, Test test) {
  T* to = algorithm::find_if(first, last, test);
  if (to == last)
    return last;
  for (T* at = to + 1; at != last; ++at)
    if (!test(*at))
      *to++ = *at;
  return to;
}
template <class T, class U> IKRA_HD T* remove(T* first, T* last, const U& value) {
  return algorithm::remove_if(first, last, [&](const T& element) { return element == value; });
}
template <class T, class F> IKRA_HD T* unique(T* first, T* last, F same) {
  T* kept = algorithm::adjacent_find(first, last, same);
  if (kept == last)
    return last;
  for (T* at = kept + 2; at != last; ++at)
    if (!same(*kept, *at))
      *++kept = *at;
  return ++kept;
}
template <class T> IKRA_HD T* unique(T* first, T* last) {
  return algorithm::unique(first, last, [](const T& a, const T& b) { return a == b; });
}
/// What the standard library adds and subtracts by, where it is given nothing. \{
struct in_sum {
  template <class A, class B> IKRA_HD auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
struct in_difference {
  template <class A, class B> IKRA_HD auto operator()(const A& a, const B& b) const {
    return a - b;
  }
};
/// \}

template <class T, class U, class F = in_sum>
IKRA_HD U* partial_sum(T* first, T* last, U* to, F f = {}) {
  if (first == last)
    return to;
  std::remove_const_t<T> sum = *first;
  *to = sum;
  for (++first, ++to; first != last; ++first, ++to) {
    sum = f(sum, *first);
    *to = sum;
  }
  return to;
}
template <class T, class U, class F = in_sum>
IKRA_HD U* inclusive_scan(T* first, T* last, U* to, F f = {}) {
  return algorithm::partial_sum(first, last, to, f);
}
template <class T, class U, class F = in_difference>
IKRA_HD U* adjacent_difference(T* first, T* last, U* to, F f = {}) {
  if (first == last)
    return to;
  std::remove_const_t<T> before = *first;
  *to = before;
  for (++first, ++to; first != last; ++first, ++to) {
    const std::remove_const_t<T> now = *first;
    *to = f(now, before);
    before = now;
  }
  return to;
}
template <class T, class U, class Test> IKRA_HD U* copy_if(T* first, T* last, U* to, Test test) {
  for (; first != last; ++first)
    if (test(*first))
      *to++ = *first;
  return to;
}
template <class T, class U> IKRA_HD void iota(T* first, T* last, U value) {
  for (; first != last; ++first, ++value)
    *first = value;
}
template <class T, class U> IKRA_HD U* copy(T* first, T* last, U* to) {
  for (; first != last; ++first, ++to)
    *to = *first;
  return to;
}
template <class T, class N, class U> IKRA_HD U* copy_n(T* first, N n, U* to) {
  for (; n > 0; --n, ++first, ++to)
    *to = *first;
  return to;
}
template <class T, class U> IKRA_HD U* copy_backward(T* first, T* last, U* to) {
  while (first != last)
    *--to = *--last;
  return to;
}
template <class T, class U> IKRA_HD U* reverse_copy(T* first, T* last, U* to) {
  for (; first != last; ++to)
    *to = *--last;
  return to;
}
template <class T, class U, class F> IKRA_HD U* transform(T* first, T* last, U* to, F f) {
  for (; first != last; ++first, ++to)
    *to = f(*first);
  return to;
}
template <class T, class V, class U, class F>
IKRA_HD U* transform(T* first, T* last, V* other, U* to, F f) {
  for (; first != last; ++first, ++other, ++to)
    *to = f(*first, *other);
  return to;
}
template <class T> IKRA_HD void exchange(T& a, T& b) {
  const T kept = a;
  a = b;
  b = kept;
}
template <class T> IKRA_HD void reverse(T* first, T* last) {
  while (first < last)
    exchange(*first++, *--last);
}

template <class T> IKRA_HD void iter_swap(T* a, T* b) { exchange(*a, *b); }
template <class T> IKRA_HD T* swap_ranges(T* first, T* last, T* other) {
  for (; first != last; ++first, ++other)
    exchange(*first, *other);
  return other;
}
template <class T> IKRA_HD T* rotate(T* first, T* middle, T* last) {
  algorithm::reverse(first, middle);
  algorithm::reverse(middle, last);
  algorithm::reverse(first, last);
  return first + (last - middle);
}

/// Up to how many elements are sorted by insertion, which leaves equal ones in their order.
inline constexpr std::ptrdiff_t few_elements = 32;
template <class T, class Less> IKRA_HD void insertion_sort(T* first, T* last, Less less) {
  for (T* next = first; next != last; ++next) {
    const T value = *next;
    T* to = next;
    IKRA_NOT_UNROLLED // nvcc takes minutes where both loops have known lengths
        for (; to != first && less(value, *(to - 1)); --to)* to = *(to - 1);
    *to = value;
  }
}
/// By a heap: in place, and not stably.
template <class T, class Less>
IKRA_DEVICE_OUT_OF_LINE void heap_sort(T* first, std::ptrdiff_t n, Less less) {
  const auto sink = [&](std::ptrdiff_t at, std::ptrdiff_t size) {
    const T value = first[at];
    for (std::ptrdiff_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && less(first[child], first[child + 1]))
        ++child;
      if (!less(value, first[child]))
        break;
      first[at] = first[child];
      at = child;
    }
    first[at] = value;
  };
  for (std::ptrdiff_t i = n / 2; i-- > 0;)
    sink(i, n);
  for (std::ptrdiff_t size = n - 1; size > 0; --size) {
    exchange(first[0], first[size]);
    sink(0, size);
  }
}
/// In place and stably: nothing is allocated on a device. Runs are merged by rotations.
template <class T, class Less>
IKRA_DEVICE_OUT_OF_LINE void merge_sort(T* first, std::ptrdiff_t n, Less less) {
  const auto end_of_run = [&](std::ptrdiff_t at, std::ptrdiff_t width) {
    return first + (n - at < width ? n : at + width);
  };
  for (std::ptrdiff_t at = 0; at < n; at += few_elements)
    algorithm::insertion_sort(first + at, end_of_run(at, few_elements), less);
  for (std::ptrdiff_t width = few_elements; width < n; width *= 2)
    for (std::ptrdiff_t at = 0; n - at > width; at += 2 * width) {
      T *left = first + at, *right = left + width;
      T* const end = end_of_run(at, 2 * width);
      while (left != right && right != end) {
        left = algorithm::upper_bound(left, right, *right, less);
        if (left == right)
          break;
        T* const smaller = algorithm::lower_bound(right, end, *left, less);
        left = algorithm::rotate(left, right, smaller);
        right = smaller;
      }
    }
}
/// Few elements stably, as libstdc++ sorts up to 16 of them. With more, equal elements are the same
/// in the order: there is one result then, however it is come by.
template <class T, class Less = in_order> IKRA_HD void sort(T* first, T* last, Less less = {}) {
  if (last - first <= few_elements)
    algorithm::insertion_sort(first, last, less);
  else
    algorithm::heap_sort(first, last - first, less);
}
template <class T, class Less = in_order>
IKRA_HD void stable_sort(T* first, T* last, Less less = {}) {
  if (last - first <= few_elements)
    algorithm::insertion_sort(first, last, less);
  else
    algorithm::merge_sort(first, last - first, less);
}

/// The absolute value, which fits the unsigned type.
template <class T, class Integer> IKRA_HD constexpr T magnitude(Integer x) {
  if constexpr (std::is_unsigned_v<Integer>)
    return static_cast<T>(x);
  else
    return x < Integer(0) ? T(0) - static_cast<T>(x) : static_cast<T>(x);
}
/// std::gcd and std::lcm.
template <class M, class N> IKRA_HD constexpr std::common_type_t<M, N> gcd(M m, N n) {
  using number = std::make_unsigned_t<std::common_type_t<M, N>>;
  number a = magnitude<number>(m), b = magnitude<number>(n);
  while (b != 0) {
    const auto rest = static_cast<number>(a % b);
    a = b;
    b = rest;
  }
  return static_cast<std::common_type_t<M, N>>(a);
}
template <class M, class N> IKRA_HD constexpr std::common_type_t<M, N> lcm(M m, N n) {
  using number = std::make_unsigned_t<std::common_type_t<M, N>>;
  if (m == 0 || n == 0)
    return 0;
  const auto divisor = static_cast<number>(algorithm::gcd(m, n));
  return static_cast<std::common_type_t<M, N>>(magnitude<number>(m) / divisor *
                                               magnitude<number>(n));
}

/// a <=> b of floating-point numbers. In device code nvcc's own gives `equivalent` where one of
/// both is NaN, and the constants of std::partial_ordering are variables of the host.
template <std::floating_point T> IKRA_HD constexpr std::partial_ordering three_way(T a, T b) {
  constexpr std::partial_ordering less = std::partial_ordering::less;
  constexpr std::partial_ordering greater = std::partial_ordering::greater;
  constexpr std::partial_ordering equivalent = std::partial_ordering::equivalent;
  constexpr std::partial_ordering unordered = std::partial_ordering::unordered;
  if (a < b)
    return less;
  if (b < a)
    return greater;
  return a == b ? equivalent : unordered;
}

/// Of <bit>: what nvcc has for GPUs in place of the builtins that libstdc++ calls. \{
template <std::unsigned_integral T> IKRA_HD int popcount(T x) {
#ifdef __CUDA_ARCH__
  return __popcll(x);
#else
  return std::popcount(x);
#endif
}
template <std::unsigned_integral T> IKRA_HD int countl_zero(T x) {
#ifdef __CUDA_ARCH__
  return __clzll(static_cast<long long>(x)) - (64 - std::numeric_limits<T>::digits);
#else
  return std::countl_zero(x);
#endif
}
template <std::unsigned_integral T> IKRA_HD int countr_zero(T x) {
#ifdef __CUDA_ARCH__
  return x == 0 ? std::numeric_limits<T>::digits : __ffsll(static_cast<long long>(x)) - 1;
#else
  return std::countr_zero(x);
#endif
}
template <std::unsigned_integral T> IKRA_HD int countl_one(T x) {
  return algorithm::countl_zero(static_cast<T>(~x));
}
template <std::unsigned_integral T> IKRA_HD int countr_one(T x) {
  return algorithm::countr_zero(static_cast<T>(~x));
}
template <std::unsigned_integral T> IKRA_HD auto bit_width(T x) {
  return static_cast<decltype(std::bit_width(x))>(std::numeric_limits<T>::digits -
                                                  algorithm::countl_zero(x));
}
template <std::unsigned_integral T> IKRA_HD bool has_single_bit(T x) {
  return x != 0 && (x & (x - 1)) == 0;
}
template <std::unsigned_integral T> IKRA_HD T bit_floor(T x) {
  return x == 0 ? T(0) : static_cast<T>(T(1) << (algorithm::bit_width(x) - 1));
}
template <std::unsigned_integral T> IKRA_HD T bit_ceil(T x) {
  return x <= 1 ? T(1) : static_cast<T>(T(1) << algorithm::bit_width(static_cast<T>(x - 1)));
}
/// \}

/// std::hypot of three numbers, which devices have under no name of the standard library's:
/// computed there as libstdc++ computes it, so that results are the same.
template <class X, class Y, class Z> IKRA_HD auto hypot(X x_given, Y y_given, Z z_given) {
  using real = decltype(std::hypot(x_given, y_given, z_given));
  const auto x = static_cast<real>(x_given), y = static_cast<real>(y_given),
             z = static_cast<real>(z_given);
#ifdef __CUDA_ARCH__
  const real a = std::fabs(x), b = std::fabs(y), c = std::fabs(z);
  const real largest = a < b ? (b < c ? c : b) : (a < c ? c : a);
  if (largest == 0)
    return real(0);
  const real p = a / largest, q = b / largest, r = c / largest;
  return largest * std::sqrt(p * p + q * q + r * r);
#else
  return std::hypot(x, y, z);
#endif
}

/// std::max and std::min of a braced list: the first of those that are largest or least.
template <class T, class... More> IKRA_HD T max_of(T first, More... more) {
  ((first = first < more ? more : first), ...);
  return first;
}
template <class T, class... More> IKRA_HD T min_of(T first, More... more) {
  ((first = more < first ? more : first), ...);
  return first;
}
/// std::minmax of a braced list: the first of the least, the last of the largest.
template <class T, class... More>
IKRA_HD constexpr std::pair<T, T> minmax_of(T first, More... more) {
  T least = first, largest = first;
  ((least = more < least ? more : least, largest = more < largest ? largest : more), ...);
  return {least, largest};
}
/// std::ranges::max and std::ranges::min of a container. \{
template <class T> IKRA_HD std::remove_const_t<T> max_of_range(T* first, T* last) {
  return *algorithm::max_element(first, last);
}
template <class T> IKRA_HD std::remove_const_t<T> min_of_range(T* first, T* last) {
  return *algorithm::min_element(first, last);
}
/// \}

} // namespace algorithm
} // namespace ikra
