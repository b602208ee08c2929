// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captured containers on a device, for as long as a command is computed: that of a part of an array
// finds what the part before has brought there.
#pragma once

#include <ikra/generated/device/device.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace ikra::rt {

class kept_captures {
public:
  kept_captures() : outer_(std::exchange(active(), this)) {}
  kept_captures(const kept_captures&) = delete;
  kept_captures& operator=(const kept_captures&) = delete;
  ~kept_captures() { active() = outer_; }

  /// Those of this thread's current command; null where it is computed at once.
  static kept_captures*& active() {
    static thread_local kept_captures* current = nullptr;
    return current;
  }

  /// \returns null where it has not come to the device
  const void* find(const void* data, std::size_t bytes) const {
    for (const entry& each : entries_)
      if (each.data == data && each.memory.bytes() == bytes)
        return each.memory.data();
    return nullptr;
  }
  /// \param data in memory of the host, which is there, and has no other contents, as long as this
  void add(const void* data, device_memory memory) {
    entries_.push_back({data, std::move(memory)});
  }

private:
  struct entry {
    const void* data;
    device_memory memory;
  };
  std::vector<entry> entries_;
  kept_captures* outer_;
};

} // namespace ikra::rt
