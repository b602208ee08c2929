// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that take long, of which there are few: all cores compute them before one core, or some,
// combine or choose among them chunk by chunk.
#pragma once

#include <ikra/buffer.hpp>
#include <ikra/error.hpp>
#include <ikra/generated/launch/body_traits.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/source.hpp>

#include <cstdint>
#include <new>
#include <optional>
#include <utility>

namespace ikra::rt {

/// Whether n elements make too few chunks of so many for the cores.
inline bool are_few_chunks(std::uint64_t n, std::uint64_t chunk) {
  constexpr std::uint64_t of_each_core = 8;
  return host_threads() > 1 && n / chunk < of_each_core * host_threads();
}

/// Memory for n elements on the host; nothing where there is none. For what goes on without it: of
/// turns that have overwritten a variable's first elements, no command may fail.
template <class T> std::optional<ikra::detail::room<T>> room_or_nothing(std::uint64_t n) {
  try {
    return std::optional<ikra::detail::room<T>>(std::in_place, n);
  } catch (const error&) {
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

/// Returns run(the elements, prepare for what is left to prepare).
/// \param chunk how many elements a core takes at a time in run()
/// \param prepare called with the first and the last of a run of elements before these are read
template <class Source, class Prepare, class Run>
decltype(auto) with_costly_computed(const Source& in, std::uint64_t n, std::uint64_t chunk,
                                    const Prepare& prepare, const Run& run) {
  if constexpr (is_costly<Source>) {
    using element = typename source_of<Source>::value_type;
    if constexpr (is_computed_ahead<Source, element>)
      if (are_few_chunks(n, chunk))
        if (std::optional<ikra::detail::room<element>> all = room_or_nothing<element>(n)) {
          host_costly_parts(n, [&](std::uint64_t begin, std::uint64_t end) {
            prepare(begin, end);
            const Source mine = in; // a copy of this thread's own, which stores cannot change
            compute_elements(mine, begin, end - begin, all->data() + begin);
          });
          return run(static_cast<const element*>(all->data()), [](std::uint64_t, std::uint64_t) {});
        }
  }
  return run(in, prepare);
}

} // namespace ikra::rt
