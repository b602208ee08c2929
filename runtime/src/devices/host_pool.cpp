// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_pool.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define IKRA_CHECK_ADDRESSES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IKRA_CHECK_ADDRESSES 1
#endif
#endif
#ifdef IKRA_CHECK_ADDRESSES
#include <sanitizer/asan_interface.h>
#endif

namespace ikra::rt {

namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t huge_page = std::size_t(2) << 20;

/// Sizes of blocks are a few steps for each power of two, so that results of almost one size use
/// each other's blocks; whole huge pages where at most a quarter is lost to them. Small pages that
/// are never written cost no memory.
std::size_t capacity_for(std::size_t bytes) {
  const auto in_steps_of = [=](std::size_t step) { return (bytes + step - 1) / step * step; };
  const std::size_t huge = in_steps_of(huge_page);
  if (huge - bytes <= huge / 4)
    return in_steps_of(std::max(std::bit_floor(bytes) / 8, huge_page));
  return in_steps_of(std::max(std::bit_floor(bytes) / 8, page_bytes));
}

std::align_val_t alignment_of(std::size_t capacity) {
  return std::align_val_t(capacity >= host_pool::huge_from ? huge_page : host_pool::alignment);
}

// Where arrays begin at equal places of huge pages, a load takes a store to another array for one
// to its own address, and waits for it: a stencil's rows took seven times as long. So large blocks
// begin at one of several places, which differ within small pages too.
constexpr std::size_t places_of_blocks = 16;
constexpr std::size_t between_places = page_bytes + host_pool::alignment;

/// \param number of the block, among all
std::size_t place_of_block(std::size_t capacity, std::uint64_t number) {
  return capacity < host_pool::huge_from ? 0 : number % places_of_blocks * between_places;
}
/// \returns null where there is no memory
void* take(std::size_t capacity) {
  const std::size_t beside =
      capacity < host_pool::huge_from ? 0 : places_of_blocks * between_places;
  return ::operator new(capacity + beside, alignment_of(capacity), std::nothrow);
}
void give_back(void* memory, std::size_t capacity) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  const std::size_t place = capacity < host_pool::huge_from ? 0 : at % huge_page;
  ::operator delete(static_cast<char*>(memory) - place, alignment_of(capacity));
}

// Memory that is kept, and what a block has beyond what was asked for, is out of bounds for
// AddressSanitizer as freed memory is.
void forbid([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t from,
            [[maybe_unused]] std::size_t to) {
#ifdef IKRA_CHECK_ADDRESSES
  ASAN_POISON_MEMORY_REGION(static_cast<char*>(memory) + from, to - from);
#endif
}
void permit([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef IKRA_CHECK_ADDRESSES
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#endif
}

} // namespace

host_pool::~host_pool() { trim(); }

void* host_pool::allocate(std::size_t bytes) noexcept {
  if (bytes < smallest)
    return ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
  if (bytes > std::numeric_limits<std::size_t>::max() / 2)
    return nullptr;
  const std::lock_guard lock(mutex_);
  void* memory = reuse(bytes);
  if (memory == nullptr)
    memory = make(capacity_for(bytes));
  if (memory != nullptr) {
    const std::size_t capacity = used_blocks_.find(memory)->second;
    permit(memory, bytes);
    forbid(memory, bytes, capacity);
  }
  return memory;
}

// The smallest block that is kept and large enough, unless more than half of it would go unused.
void* host_pool::reuse(std::size_t bytes) noexcept {
  const auto fitting = kept_blocks_.lower_bound(bytes);
  if (fitting == kept_blocks_.end() || fitting->first / 2 > bytes)
    return nullptr;
  // Of equal ones the one kept last: it may still be in cache.
  const auto best = std::prev(kept_blocks_.upper_bound(fitting->first));
  const auto [capacity, found] = *best;
  try {
    used_blocks_.emplace(found.memory, capacity);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  kept_blocks_.erase(best);
  kept_ -= capacity;
  in_use_ += capacity;
  peak_ = std::max(peak_, in_use_);
  return found.memory;
}

void* host_pool::make(std::size_t capacity) noexcept {
  const std::size_t most = std::max(most_, in_use_ + capacity);
  while (in_use_ + kept_ + capacity > most)
    release_oldest();
  void* begin = take(capacity);
  while (begin == nullptr && !kept_blocks_.empty()) {
    release_oldest();
    begin = take(capacity);
  }
  if (begin == nullptr)
    return nullptr;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (capacity >= huge_from) // advice: where there are no huge pages, small ones do
    static_cast<void>(::madvise(begin, capacity / huge_page * huge_page, MADV_HUGEPAGE));
#endif
  void* const memory = static_cast<char*>(begin) + place_of_block(capacity, made_++);
  try {
    used_blocks_.emplace(memory, capacity);
  } catch (const std::bad_alloc&) {
    give_back(memory, capacity);
    return nullptr;
  }
  in_use_ += capacity;
  peak_ = std::max(peak_, in_use_);
  most_ = most;
  return memory;
}

void host_pool::deallocate(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto used = used_blocks_.find(memory);
  if (used == used_blocks_.end()) {
    ::operator delete(memory, std::align_val_t(alignment));
    return;
  }
  const std::size_t capacity = used->second;
  used_blocks_.erase(used);
  in_use_ -= capacity;
  try {
    kept_blocks_.emplace(capacity, block{memory, now_++});
  } catch (const std::bad_alloc&) {
    permit(memory, capacity);
    give_back(memory, capacity);
    return;
  }
  kept_ += capacity;
  forbid(memory, 0, capacity);
}

void host_pool::release(blocks_by_size::iterator which) noexcept {
  const auto [capacity, kept] = *which;
  kept_blocks_.erase(which);
  kept_ -= capacity;
  permit(kept.memory, capacity);
  give_back(kept.memory, capacity);
}

void host_pool::release_oldest() noexcept {
  release(
      std::min_element(kept_blocks_.begin(), kept_blocks_.end(), [](const auto& a, const auto& b) {
        return a.second.since < b.second.since;
      }));
}

void host_pool::trim() noexcept {
  const std::lock_guard lock(mutex_);
  while (!kept_blocks_.empty())
    release(kept_blocks_.begin());
}

std::size_t host_pool::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

std::size_t host_pool::take_peak() {
  const std::lock_guard lock(mutex_);
  return std::exchange(peak_, in_use_);
}

std::size_t host_pool::in_use() const {
  const std::lock_guard lock(mutex_);
  return in_use_;
}

} // namespace ikra::rt
