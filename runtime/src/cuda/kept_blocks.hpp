// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small blocks of GPU memory that were given back on the main stream. The next allocation there may
// use them at once, as work on a stream goes in order; to ask CUDA's pool for memory, and to give
// it back, takes as long as a short kernel.
#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>
#include <utility>

namespace ikra::rt {

/// Not safe to use from several threads.
class kept_blocks {
public:
  static constexpr std::size_t largest = std::size_t(2) << 20; ///< bytes of a block
  static constexpr std::size_t step = 512;                     ///< sizes are multiples of it
  static constexpr std::size_t most = 16;

  struct block {
    void* memory = nullptr; ///< null: there is none
    std::size_t bytes = 0;
  };

  /// \returns bytes that a block of a size is to have
  static std::size_t rounded(std::size_t bytes) {
    return bytes > largest ? bytes : (bytes + step - 1) / step * step;
  }
  /// A block that was kept; null: there is none of that size.
  void* take(std::size_t bytes) {
    for (block& each : kept_)
      if (each.memory != nullptr && each.bytes == bytes) {
        used_.emplace(each.memory, bytes);
        kept_bytes_ -= bytes;
        return std::exchange(each, {}).memory;
      }
    return nullptr;
  }
  /// Says of a block that it is in use. Larger ones are not looked after.
  void note(void* memory, std::size_t bytes) {
    if (bytes <= largest)
      used_.emplace(memory, bytes);
  }
  /// Forgets a block. \returns its bytes; 0 if it is not looked after
  std::size_t forget(void* memory) {
    const auto found = used_.find(memory);
    if (found == used_.end())
      return 0;
    const std::size_t bytes = found->second;
    used_.erase(found);
    return bytes;
  }
  /// Keeps a block that nobody uses. \returns the one that was kept longest, whose place it takes
  block keep(void* memory, std::size_t bytes) {
    block& place = kept_[next_++ % most];
    kept_bytes_ += bytes - place.bytes;
    return std::exchange(place, {memory, bytes});
  }
  /// Any block that is kept, which is not any more.
  block drop() {
    for (block& each : kept_)
      if (each.memory != nullptr) {
        kept_bytes_ -= each.bytes;
        return std::exchange(each, {});
      }
    return {};
  }
  std::size_t bytes() const { return kept_bytes_; }

private:
  std::array<block, most> kept_;
  std::unordered_map<void*, std::size_t> used_;
  std::size_t next_ = 0, kept_bytes_ = 0;
};

} // namespace ikra::rt
