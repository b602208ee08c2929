// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory for results and columns. The system hands out large blocks page by page, as they are
// first written, which takes longer than most sections take to write them: blocks that were given
// back are kept and used again. Large blocks ask for huge pages, which are faulted in by the
// threads that first write them, and spare look-ups of addresses where columns are read out of
// order.
//
// What is in use and what is kept are together never more than what was in use at once at some time
// before (or a floor, if that is more): a program's peak is what it needs by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>

namespace ikra::rt {

/// Safe to use from several threads.
class host_pool {
public:
  /// Blocks below this size, in bytes, come from the system's allocator, which keeps them itself.
  static constexpr std::size_t smallest = std::size_t(64) << 10;
  /// Blocks from this size on ask for huge pages.
  static constexpr std::size_t huge_from = std::size_t(2) << 20;
  static constexpr std::size_t alignment = 256;

  /// \param floor bytes that may always be in use or kept together.
  explicit host_pool(std::size_t floor = std::size_t(32) << 20) : most_(floor) {}
  host_pool(const host_pool&) = delete;
  host_pool& operator=(const host_pool&) = delete;
  /// Nothing may be in use.
  ~host_pool();

  /// \returns uninitialised memory, aligned to 256 bytes; null where there is none, also after all
  /// that was kept went back to the system.
  /// \param bytes at least 1
  void* allocate(std::size_t bytes) noexcept;
  /// \param memory from allocate()
  void deallocate(void* memory) noexcept;
  /// Gives the system back all that is kept.
  void trim() noexcept;

  /// Bytes of blocks that wait to be used again.
  std::size_t kept() const;
  /// Bytes of blocks in use, those below `smallest` left out.
  std::size_t in_use() const;
  /// The most of them at once since the pool was made, or since this was called last; the count
  /// begins anew with what is in use.
  std::size_t take_peak();

private:
  struct block {
    void* memory;
    std::uint64_t since; ///< grows with each block that is kept
  };
  using blocks_by_size = std::multimap<std::size_t, block>;

  void release(blocks_by_size::iterator which) noexcept;
  void release_oldest() noexcept;
  void* reuse(std::size_t bytes) noexcept;
  void* make(std::size_t capacity) noexcept;

  mutable std::mutex mutex_;
  blocks_by_size kept_blocks_;
  std::unordered_map<void*, std::size_t> used_blocks_; ///< with their sizes
  std::size_t kept_ = 0, in_use_ = 0, peak_ = 0;
  std::size_t most_; ///< that was in use at once, or the floor
  std::uint64_t now_ = 0;
  std::uint64_t made_ = 0; ///< blocks, so far
};

/// Has large results that are made in host memory, or come there from a GPU, use the pool of
/// host_device().
void pool_large_rooms() noexcept;

} // namespace ikra::rt
