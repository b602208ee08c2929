// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies within host memory for transfers: one core cannot keep up with a GPU's link.
#pragma once

#include "support/parallel.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ikra::rt {

inline void copy_on_all_cores(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t grain = 128 << 10; // bytes that one thread copies, in some 20 microseconds
  for_ranges(bytes, grain, [&](std::size_t begin, std::size_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                end - begin);
  });
}

/// Asks for huge pages where memory is to be written that may not be there yet: small ones come one
/// by one, which takes longer than the copy.
inline void ask_for_huge_pages([[maybe_unused]] void* to, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t huge_page = std::uintptr_t(2) << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(to);
  const std::uintptr_t first = (begin + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t last = (begin + bytes) / huge_page * huge_page;
  if (first < last) // advice: where there are no huge pages, small ones do
    static_cast<void>(::madvise(static_cast<char*>(to) + (first - begin),
                                static_cast<std::size_t>(last - first), MADV_HUGEPAGE));
#endif
}

} // namespace ikra::rt
