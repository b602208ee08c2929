// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of std::atomic and std::atomic_ref in generated code, where an atomic is the number
// that it holds. On the host they are those of std::atomic_ref, on a device CUDA's atomics.
//
// CUDA's say nothing of the order in which other memory is seen, so all but those of
// std::memory_order_relaxed have fences around them: what a thread wrote before one is there for
// whoever reads its result.
#pragma once

#include <ikra/atomic.hpp>

#include <atomic>
#include <type_traits>
#include <utility>

namespace ikra::atomics {

/// The number of an atomic, where objects are filled from columns and columns from objects.
template <class T> T& number(std::atomic<T>& of) {
  static_assert(sizeof(std::atomic<T>) == sizeof(T), "an atomic with a lock of its own");
  return reinterpret_cast<T&>(of);
}
/// What is no atomic is itself.
template <class T> T& number(T& of) { return of; }
template <class T> const T& number(const std::atomic<T>& of) {
  return number(const_cast<std::atomic<T>&>(of));
}
template <class T>
using number_of = std::remove_cvref_t<decltype(atomics::number(std::declval<T&>()))>;

namespace detail {

template <std::memory_order Order> IKRA_HD void fence() {
#if defined(__CUDA_ARCH__)
  if constexpr (Order != std::memory_order_relaxed)
    __threadfence();
#endif
}

/// The order of a load, and of a compare-exchange that fails.
inline constexpr std::memory_order strongest = std::memory_order_seq_cst;

} // namespace detail

template <std::memory_order Order = detail::strongest, class T> IKRA_HD T load(const T& x) {
#if defined(__CUDA_ARCH__)
  const T value = *static_cast<const volatile T*>(&x);
  detail::fence<Order>();
  return value;
#else
  return std::atomic_ref<T>(const_cast<T&>(x)).load(Order);
#endif
}

/// \return v
template <std::memory_order Order = detail::strongest, class T>
IKRA_HD T store(T& x, std::type_identity_t<T> v) {
#if defined(__CUDA_ARCH__)
  detail::fence<Order>();
  *static_cast<volatile T*>(&x) = v;
  detail::fence<Order>();
#else
  std::atomic_ref<T>(x).store(v, Order);
#endif
  return v;
}

/// \return x before
template <std::memory_order Order = detail::strongest, class T>
IKRA_HD T exchange(T& x, std::type_identity_t<T> v) {
#if defined(__CUDA_ARCH__)
  detail::fence<Order>();
  const T before = ikra::atomic_exchange(x, v);
  detail::fence<Order>();
  return before;
#else
  return std::atomic_ref<T>(x).exchange(v, Order);
#endif
}

/// Sets x to desired if it is expected, bit by bit; else expected to x. \return whether it was
template <std::memory_order Order = detail::strongest, class T>
IKRA_HD bool compare_exchange(T& x, T& expected, std::type_identity_t<T> desired) {
#if defined(__CUDA_ARCH__)
  detail::fence<Order>();
  const T wanted = expected;
  const T before = ikra::detail::atomic_change(
      x, [&](T seen) { return ikra::detail::are_same_bits(seen, wanted) ? desired : seen; });
  detail::fence<Order>();
  expected = before;
  return ikra::detail::are_same_bits(before, wanted);
#else
  return std::atomic_ref<T>(x).compare_exchange_strong(expected, desired, Order);
#endif
}

#if defined(__CUDA_ARCH__)
#define IKRA_ATOMIC_FETCH(name) ikra::atomic_##name(x, v)
#else
#define IKRA_ATOMIC_FETCH(name) std::atomic_ref<T>(x).fetch_##name(v, Order)
#endif
// fetch_add gives the value before, and add_fetch the one after. update_add gives none, so a GPU
// need not wait for it.
#define IKRA_ATOMIC_UPDATE(name, sign)                                                             \
  template <std::memory_order Order = detail::strongest, class T>                                  \
  IKRA_HD T fetch_##name(T& x, std::type_identity_t<T> v) {                                        \
    detail::fence<Order>();                                                                        \
    const T before = IKRA_ATOMIC_FETCH(name);                                                      \
    detail::fence<Order>();                                                                        \
    return before;                                                                                 \
  }                                                                                                \
  template <std::memory_order Order = detail::strongest, class T>                                  \
  IKRA_HD T name##_fetch(T& x, std::type_identity_t<T> v) {                                        \
    return static_cast<T>(fetch_##name<Order>(x, v) sign v);                                       \
  }                                                                                                \
  template <std::memory_order Order = detail::strongest, class T>                                  \
  IKRA_HD void update_##name(T& x, std::type_identity_t<T> v) {                                    \
    detail::fence<Order>();                                                                        \
    IKRA_ATOMIC_FETCH(name);                                                                       \
  }
IKRA_ATOMIC_UPDATE(add, +)
IKRA_ATOMIC_UPDATE(sub, -)
IKRA_ATOMIC_UPDATE(and, &)
IKRA_ATOMIC_UPDATE(or, |)
IKRA_ATOMIC_UPDATE(xor, ^)
#undef IKRA_ATOMIC_UPDATE
#undef IKRA_ATOMIC_FETCH

} // namespace ikra::atomics
