// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that run one after the other over blocks of elements, on all cores: the steps of a loop
// of the host, and the nodes of a fused kernel whose operations wait for each other.
#pragma once

#include <ikra/generated/launch/index_space.hpp>
#include <ikra/generated/launch/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

namespace ikra::rt {

/// A step over a block of consecutive elements, on one core.
template <int R, class T> struct host_step {
  const placed_shape<R>& shape;
  std::uint64_t begin, end;
  T* all;

  /// element = body(element)
  template <class Body> void plain(const Body& shared) const {
    const Body body = shared;
    T* const x = all + begin;
    const auto count = static_cast<std::int64_t>(end - begin);
    IKRA_INDEPENDENT
    for (std::int64_t k = 0; k < count; ++k)
      x[k] = static_cast<T>(body(x[k]));
  }
  /// element = body(element, its index)
  template <class Body> void indexed(const Body& shared) const {
    const Body body = shared;
    each_row([&](T* x, std::int32_t count, const auto& start) {
      IKRA_INDEPENDENT
      for (std::int32_t k = 0; k < count; ++k)
        x[k] = static_cast<T>(call_at(body, start, k, x[k]));
    });
  }
  /// element = body(its index)
  template <class Body> void start(const Body& shared) const {
    const Body body = shared;
    each_row([&](T* x, std::int32_t count, const auto& start) {
      IKRA_INDEPENDENT
      for (std::int32_t k = 0; k < count; ++k)
        ::new (static_cast<void*>(x + k)) T(call_at(body, start, k));
    });
  }

private:
  template <class Run> void each_row(const Run& run) const {
    for_row_starts<R>(
        shape, begin, end,
        [&](std::uint64_t first, std::int64_t rows, std::int32_t length, const auto& start) {
          for (std::int64_t r = 0; r < rows; ++r)
            run(all + first + r * length, length, start.row(r));
        });
  }
};

/// Elements [first, last) of host_steps, on this core.
template <int R, class T, class Run>
void host_steps_part(const placed_shape<R>& shape, std::uint64_t first, std::uint64_t last, T* out,
                     const T* in, const Run& run) {
  static_assert(std::is_trivially_copyable_v<T>, "elements are trivially copyable");
  constexpr std::uint64_t block = std::max<std::uint64_t>(16384 / sizeof(T), 64);
  for (std::uint64_t begin = first; begin < last; begin += block) {
    const std::uint64_t end = std::min(begin + block, last);
    if (in != nullptr && in != out)
      std::memcpy(static_cast<void*>(out + begin), in + begin, (end - begin) * sizeof(T));
    run(host_step<R, T>{shape, begin, end, out});
  }
}

/// Runs steps over the elements of `in`, which may be `out`, on all cores: block by block, which
/// stay in the first-level cache over the steps. \tparam IsCostly see is_costly
/// \tparam R   rank of the index, 0 if no step takes one
/// \param run called with a host_step for each block
/// \param in  null if the first step makes the elements
template <int R, bool IsCostly = false, class T, class Run>
void host_steps(const placed_shape<R>& shape, std::uint64_t n, T* out, const T* in,
                const Run& run) {
  const auto part = [&](std::uint64_t first, std::uint64_t last) {
    host_steps_part<R>(shape, first, last, out, in, run);
  };
  if constexpr (IsCostly)
    host_costly_parts(n, part);
  else
    host_parts(n, part);
}

} // namespace ikra::rt
