// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory that a GPU copies from and to at the speed of its link.
#pragma once

#include <ikra/generated/device/section_info.hpp>

#include <cstddef>
#include <utility>

namespace ikra::rt {

class pinned_memory {
public:
  pinned_memory() = default;
  /// \param bytes a multiple of 2 MiB \throws ikra::error of kind out_of_memory, or device_error
  pinned_memory(std::size_t bytes, const section_info& section);
  pinned_memory(pinned_memory&& other) noexcept { swap(other); }
  pinned_memory& operator=(pinned_memory other) noexcept {
    swap(other);
    return *this;
  }
  ~pinned_memory();

  void* data() const noexcept { return data_; }

private:
  void swap(pinned_memory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(is_own_, other.is_own_);
  }

  void* data_ = nullptr;
  bool is_own_ = false; ///< taken from the system, and pinned then; else from the driver
};

} // namespace ikra::rt
