// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes of many objects of one static type, one after the other. Type information tells a
// class by as many comparisons as there are classes; that is done once for each, and then looked
// up.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace ikra::rt::detail {

/// By what polymorphic objects begin with: the address of a table that their class has.
class classes_seen {
public:
  /// \param object not null \param tell gives what is known of the class of this object
  template <class Tell> std::uint32_t find(const void* object, const Tell& tell) {
#if defined(__GXX_ABI_VERSION) // the ABI's rule: the address stands first
    std::uintptr_t table = 0;
    std::memcpy(&table, object, sizeof table);
    entry& at = entries_[(table >> 4U ^ table >> 9U) % entries_.size()];
    if (at.table != table)
      at = {table, tell()};
    return at.code;
#else
    (void)object;
    return tell();
#endif
  }

private:
  struct entry {
    std::uintptr_t table = 0;
    std::uint32_t code = 0;
  };
  std::array<entry, 64> entries_;
};

} // namespace ikra::rt::detail
