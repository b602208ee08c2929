// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic changes of members of objects and of elements of their containers, for sections in which
// several elements write to one place. Each returns the value before. On the host these are
// std::atomic_ref, on the device CUDA's atomics; in a plain build nobody else is there, and they
// are plain changes that look the same.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/config.hpp>

#include <type_traits>

#if defined(__CUDA_ARCH__)
#include <cstdint>
#include <cstring>
#else
#include <atomic>
#endif

namespace ikra {

namespace detail {

#if defined(__CUDA_ARCH__)

/// Replaces x, of one or two bytes, by compare-and-swap on the four that it is among. Devices give
/// memory in larger pieces, so these are there after the last element too.
template <class T, class Change> __device__ T atomic_change_of_part(T& x, Change change) {
  const auto place = reinterpret_cast<std::uintptr_t>(&x);
  auto* const address = reinterpret_cast<unsigned int*>(place & ~std::uintptr_t{3});
  const unsigned int shift = static_cast<unsigned int>(place & 3) * 8;
  const unsigned int mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift;
  unsigned int seen = *reinterpret_cast<volatile unsigned int*>(address);
  for (;;) {
    const unsigned int bytes = seen >> shift; // the lowest ones come first
    T before;
    std::memcpy(&before, &bytes, sizeof(T));
    const T after = change(before);
    unsigned int wanted = 0;
    std::memcpy(&wanted, &after, sizeof(T));
    const unsigned int found = atomicCAS(address, seen, (seen & ~mask) | (wanted << shift));
    if (found == seen)
      return before;
    seen = found;
  }
}

template <class T> __device__ bool are_same_bits(const T& a, const T& b) {
  unsigned long long first = 0, second = 0;
  std::memcpy(&first, &a, sizeof(T));
  std::memcpy(&second, &b, sizeof(T));
  return first == second;
}

/// Replaces x by change(x), where x is a variable of the thread, for which devices have no atomics.
template <class T, class Change> __device__ T change_alone(T& x, Change change) {
  const T before = x;
  x = change(before);
  return before;
}

/// Replaces x by change(x) on the device, by compare-and-swap on its bytes.
template <class T, class Change> __device__ T change_shared(T& x, Change change) {
  if constexpr (sizeof(T) < 4) {
    static_assert(sizeof(T) != 3);
    return atomic_change_of_part(x, change);
  } else {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "device atomics take 1, 2, 4 or 8 bytes");
    using word = std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>;
    auto* address = reinterpret_cast<word*>(&x);
    word seen = *reinterpret_cast<volatile word*>(address);
    for (;;) {
      T before;
      std::memcpy(&before, &seen, sizeof(T));
      const T after = change(before);
      word wanted;
      std::memcpy(&wanted, &after, sizeof(T));
      const word found = atomicCAS(address, seen, wanted);
      if (found == seen)
        return before;
      seen = found;
    }
  }
}

/// x, which is in global memory. Written so that the compiler takes it for nothing else: it warns
/// of atomics on variables of a thread, also where no thread comes to one.
template <class T> __device__ T& in_global_memory(T& x) {
  return *static_cast<T*>(__cvta_global_to_generic(__cvta_generic_to_global(&x)));
}

template <class T, class Change> __device__ T atomic_change(T& x, Change change) {
  return __isGlobal(&x) ? change_shared(in_global_memory(x), change) : change_alone(x, change);
}
/// The same by native(x), an instruction that CUDA has for numbers of four and eight bytes.
template <class T, class Change, class Native>
__device__ T atomic_change(T& x, Change change, Native native) {
  if constexpr (sizeof(T) < 4)
    return atomic_change(x, change);
  else
    return __isGlobal(&x) ? static_cast<T>(native(in_global_memory(x))) : change_alone(x, change);
}

#else

/// Replaces x by change(x) on the host.
template <class T, class Change> T atomic_change(T& x, Change change) {
  const std::atomic_ref<T> shared(x);
  T before = shared.load(std::memory_order_relaxed);
  while (!shared.compare_exchange_weak(before, change(before), std::memory_order_relaxed)) {
  }
  return before;
}

#endif

template <class T>
concept atomic_value = std::is_trivially_copyable_v<T> && !std::is_const_v<T>;
template <class T>
concept atomic_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_const_v<T>;
template <class T>
concept atomic_integer = atomic_number<T> && std::is_integral_v<T>;

#if defined(__CUDA_ARCH__)
/// Four or eight bytes as the type that CUDA's atomics take.
template <class T>
using word = std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>;
template <class T> __device__ word<T>* word_at(T& x) { return reinterpret_cast<word<T>*>(&x); }
template <class T> __device__ word<T> word_of(T v) { return static_cast<word<T>>(v); }
#endif

} // namespace detail

/// x = x + v. Floating-point sums depend on the order, so they agree between builds within a
/// tolerance only.
/// \param x member, or element of a container member
/// \param v what is added
/// \return x before
template <detail::atomic_number T> IKRA_HD T atomic_add(T& x, std::type_identity_t<T> v) {
#if defined(__CUDA_ARCH__)
  return detail::atomic_change(
      x, [v](T before) { return static_cast<T>(before + v); },
      [v](T& at) {
        if constexpr (std::is_floating_point_v<T>)
          return ::atomicAdd(&at, v);
        else
          return ::atomicAdd(detail::word_at(at), detail::word_of<T>(v));
      });
#else
  return std::atomic_ref<T>(x).fetch_add(v, std::memory_order_relaxed);
#endif
}

/// x = x - v. \return x before
template <detail::atomic_number T> IKRA_HD T atomic_sub(T& x, std::type_identity_t<T> v) {
#if defined(__CUDA_ARCH__)
  return detail::atomic_change(
      x, [v](T before) { return static_cast<T>(before - v); },
      [v](T& at) {
        if constexpr (std::is_floating_point_v<T>)
          return ::atomicAdd(&at, -v);
        else
          return ::atomicAdd(detail::word_at(at), 0 - detail::word_of<T>(v));
      });
#else
  return std::atomic_ref<T>(x).fetch_sub(v, std::memory_order_relaxed);
#endif
}

/// x = x & v, x | v or x ^ v. \return x before
/// \{
template <detail::atomic_integer T> IKRA_HD T atomic_and(T& x, std::type_identity_t<T> v) {
#if defined(__CUDA_ARCH__)
  return detail::atomic_change(
      x, [v](T before) { return static_cast<T>(before & v); },
      [v](T& at) { return ::atomicAnd(detail::word_at(at), detail::word_of<T>(v)); });
#else
  return std::atomic_ref<T>(x).fetch_and(v, std::memory_order_relaxed);
#endif
}
template <detail::atomic_integer T> IKRA_HD T atomic_or(T& x, std::type_identity_t<T> v) {
#if defined(__CUDA_ARCH__)
  return detail::atomic_change(
      x, [v](T before) { return static_cast<T>(before | v); },
      [v](T& at) { return ::atomicOr(detail::word_at(at), detail::word_of<T>(v)); });
#else
  return std::atomic_ref<T>(x).fetch_or(v, std::memory_order_relaxed);
#endif
}
template <detail::atomic_integer T> IKRA_HD T atomic_xor(T& x, std::type_identity_t<T> v) {
#if defined(__CUDA_ARCH__)
  return detail::atomic_change(
      x, [v](T before) { return static_cast<T>(before ^ v); },
      [v](T& at) { return ::atomicXor(detail::word_at(at), detail::word_of<T>(v)); });
#else
  return std::atomic_ref<T>(x).fetch_xor(v, std::memory_order_relaxed);
#endif
}
/// \}

/// x = the lesser of x and v. \return x before
template <detail::atomic_number T> IKRA_HD T atomic_min(T& x, std::type_identity_t<T> v) {
  return detail::atomic_change(x, [v](T before) { return v < before ? v : before; });
}

/// x = the greater of x and v. \return x before
template <detail::atomic_number T> IKRA_HD T atomic_max(T& x, std::type_identity_t<T> v) {
  return detail::atomic_change(x, [v](T before) { return before < v ? v : before; });
}

/// x = v. \return x before
template <detail::atomic_value T> IKRA_HD T atomic_exchange(T& x, std::type_identity_t<T> v) {
  return detail::atomic_change(x, [v](T) { return v; });
}

/// x = desired if x is expected (x == expected). \return x before: expected exactly if it was
/// exchanged
template <detail::atomic_value T>
IKRA_HD T atomic_compare_exchange(T& x, std::type_identity_t<T> expected,
                                  std::type_identity_t<T> desired) {
  return detail::atomic_change(
      x, [expected, desired](T before) { return before == expected ? desired : before; });
}

} // namespace ikra

#include <ikra/macros_back.hpp>
