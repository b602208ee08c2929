// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a device's memory within larger chunks. A fixpoint asks for hundreds of megabytes and
// gives them back in every iteration; the device's own pool takes up to a millisecond for that.
// What is given back may be handed out at once: work on one stream is in order. Knows nothing of
// devices.
#pragma once

#include "datalog/plan/layout.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <new>
#include <utility>

namespace ikra::datalog {

/// \tparam Source where chunks are from: allocate(bytes), which throws, and release(chunk), which
/// does not
template <class Source> class block_arena {
public:
  /// \param least bytes of a chunk
  block_arena(Source source, u64 least) : source_(std::move(source)), least_(least) {}
  block_arena(const block_arena&) = delete;
  block_arena& operator=(const block_arena&) = delete;
  ~block_arena() {
    for (const auto& [begin, each] : blocks_)
      if (each.is_first)
        source_.release(begin);
  }

  /// \throws what the source throws, if it has no memory after all free chunks were given back
  void* allocate(u64 bytes) {
    bytes = std::max<u64>((bytes + alignment - 1) / alignment * alignment, alignment);
    auto found = free_.lower_bound(bytes);
    if (found == free_.end())
      found = add_chunk(bytes);
    const auto at = blocks_.find(found->second);
    cut(at, bytes);
    free_.erase(found);
    at->second.is_free = false;
    return at->first;
  }

  void release(void* memory) noexcept {
    auto at = blocks_.find(static_cast<char*>(memory));
    at->second.is_free = true;
    if (const auto after = std::next(at); after != blocks_.end() && joins(after)) {
      at->second.bytes += after->second.bytes;
      forget_free(after);
      blocks_.erase(after);
    }
    if (at->second.is_first || !std::prev(at)->second.is_free) {
      note_free(at);
      return;
    }
    const auto before = std::prev(at);
    forget_free(before);
    before->second.bytes += at->second.bytes;
    blocks_.erase(at);
    note_free(before);
  }

  /// Gives back chunks of which nothing is in use.
  void trim() noexcept {
    for (auto at = blocks_.begin(); at != blocks_.end();) {
      const auto after = std::next(at);
      if (at->second.is_free && at->second.is_first &&
          (after == blocks_.end() || after->second.is_first)) {
        forget_free(at);
        source_.release(at->first);
        blocks_.erase(at);
      }
      at = after;
    }
  }

private:
  static constexpr u64 alignment = 512;

  struct block {
    u64 bytes;
    bool is_free;
    bool is_first; ///< of its chunk
  };
  using blocks_by_place = std::map<char*, block>;
  using place = typename blocks_by_place::iterator;
  using free_by_bytes = std::multimap<u64, char*>;

  /// Whether a block and the one before it may be one.
  bool joins(place at) const { return at->second.is_free && !at->second.is_first; }

  typename free_by_bytes::iterator add_chunk(u64 bytes) {
    u64 size = std::max(bytes, least_);
    void* chunk = nullptr;
    try {
      chunk = source_.allocate(size);
    } catch (...) {
      trim();
      size = bytes;
      chunk = source_.allocate(size);
    }
    try {
      const auto at = blocks_.emplace(static_cast<char*>(chunk), block{size, true, true}).first;
      return free_.emplace(size, at->first);
    } catch (const std::bad_alloc&) { // of the host
      blocks_.erase(static_cast<char*>(chunk));
      source_.release(chunk);
      throw;
    }
  }

  /// Leaves a free block its first bytes, and makes a block of the others.
  void cut(place at, u64 bytes) {
    if (at->second.bytes == bytes)
      return;
    char* const rest = at->first + bytes;
    const u64 size = at->second.bytes - bytes;
    free_.emplace(size, rest);
    try {
      blocks_.emplace_hint(std::next(at), rest, block{size, true, false});
    } catch (const std::bad_alloc&) {
      forget(size, rest);
      throw;
    }
    at->second.bytes = bytes;
  }

  void note_free(place at) noexcept {
    try {
      free_.emplace(at->second.bytes, at->first);
    } catch (const std::bad_alloc&) { // the host's: the block is lost until a neighbour is free
    }
  }
  void forget_free(place at) noexcept { forget(at->second.bytes, at->first); }
  void forget(u64 bytes, const char* begin) noexcept {
    const auto [first, last] = free_.equal_range(bytes);
    const auto found = std::find_if(first, last, [&](const auto& f) { return f.second == begin; });
    if (found != last)
      free_.erase(found);
  }

  Source source_;
  u64 least_;
  blocks_by_place blocks_;
  free_by_bytes free_;
};

} // namespace ikra::datalog
