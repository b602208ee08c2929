// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed memory of a backend that gives itself back. Elements are not initialised.
#pragma once

#include "datalog/plan/layout.hpp"

#include <cstddef>
#include <utility>

namespace ikra::datalog {

template <class Backend, class T> class buffer {
public:
  buffer() = default;
  /// \param what for messages. \throws ikra::error of kind out_of_memory.
  buffer(Backend& owner, u64 count, const char* what)
      : owner_(&owner), count_(count),
        data_(count == 0 ? nullptr : static_cast<T*>(owner.allocate(count * sizeof(T), what))) {}
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  buffer(buffer&& other) noexcept
      : owner_(other.owner_), count_(std::exchange(other.count_, 0)),
        data_(std::exchange(other.data_, nullptr)) {}
  buffer& operator=(buffer&& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(count_, other.count_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~buffer() {
    if (data_ != nullptr)
      owner_->release(data_, count_ * sizeof(T));
  }

  T* data() const noexcept { return data_; }
  u64 size() const noexcept { return count_; }

private:
  Backend* owner_ = nullptr;
  u64 count_ = 0;
  T* data_ = nullptr;
};

} // namespace ikra::datalog
