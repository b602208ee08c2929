// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections captured on a GPU, for as long as a scope: containers mostly stay as they are from
// one section to the next, and then need not be uploaded again (docs/runtime.md, "Captured
// containers").
#pragma once

#include <ikra/generated/device/device.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace ikra::rt {

class scope_captures {
public:
  /// \param data bytes that stay as they are as long as the section runs \returns the same on a
  /// GPU, whoever has them; null where they had better not be kept
  /// \throws ikra::error of kind device_error
  std::shared_ptr<const device_memory> bring(device& where, const void* data, std::size_t bytes,
                                             const section_info& section);

private:
  struct entry {
    const void* place; ///< where the host had them
    std::shared_ptr<device_memory> memory;
    std::vector<unsigned char> bytes; ///< the same on the host; empty while paused
    unsigned changes = 0;             ///< since they were found unchanged
    unsigned pause = 0;               ///< uploads until they are compared again
  };
  static constexpr std::size_t most_entries = 8;

  bool has_room(device& where, std::size_t bytes) const;
  static void renew(entry& of, const void* data, std::size_t bytes, const section_info& section);

  std::vector<entry> entries_; ///< the one that was used last is last
};

} // namespace ikra::rt
