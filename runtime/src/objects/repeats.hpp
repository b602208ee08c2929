// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that stand several times in an array. A plain build runs a section for each occurrence,
// one after the other; two threads at once would lose writes.
#pragma once

#include <ikra/generated/device/object_id.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ikra::rt {

/// Whether some of these pointers are the same, null aside. The answers for the last few arrays are
/// kept: one that does not change is only compared.
bool has_repeats(const void* pointers, std::size_t count);

/// An array's elements in rounds: the k-th round has the k-th occurrences of objects.
struct element_rounds {
  std::vector<std::uint64_t> places; ///< of elements, round after round
  std::vector<std::size_t> ends;     ///< of the rounds, in places
};
/// \returns nothing where each object stands there once.
element_rounds rounds_of(std::span<const object_id> ids);

} // namespace ikra::rt
