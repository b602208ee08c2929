// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The address map's writing half; look-ups are in the header.
#include <ikra/generated/objects/address_map.hpp>

#include "support/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace ikra::rt {

address_map::address_map(std::size_t object_size)
    : granule_bits_(static_cast<unsigned>(std::bit_width(object_size) - 1)), entries_(mask_ + 1) {}

std::uint32_t address_map::insert(const void* address, std::uint32_t number) {
  const std::uintptr_t granule = reinterpret_cast<std::uintptr_t>(address) >> granule_bits_;
  const std::uintptr_t page = granule >> page_bits;
  if (page != last_page_) {
    last_slots_ = make_page(page);
    last_page_ = page;
  }
  std::uint32_t& slot = last_slots_[granule & (page_size - 1)];
  const std::uint32_t before = slot;
  if (before == absent)
    slot = number;
  return before;
}

namespace {

/// The pages that one thread's addresses lie in.
class page_set {
public:
  void insert(std::uintptr_t page) {
    if (page == last_)
      return;
    last_ = page;
    if (2 * pages_.size() >= slots_.size())
      grow();
    if (std::uintptr_t& slot = find(page); slot == free_slot) {
      slot = page;
      pages_.push_back(page);
    }
  }
  const std::vector<std::uintptr_t>& pages() const { return pages_; }

private:
  static constexpr std::uintptr_t free_slot = ~std::uintptr_t(0);

  std::uintptr_t& find(std::uintptr_t page) {
    for (std::size_t i = address_map::hash(page);; ++i) {
      std::uintptr_t& slot = slots_[i & (slots_.size() - 1)];
      if (slot == page || slot == free_slot)
        return slot;
    }
  }
  void grow() {
    slots_.assign(2 * slots_.size(), free_slot);
    for (const std::uintptr_t page : pages_)
      find(page) = page;
  }

  std::uintptr_t last_ = free_slot;
  std::vector<std::uintptr_t> slots_ = std::vector<std::uintptr_t>(64, free_slot);
  std::vector<std::uintptr_t> pages_;
};

// Slots are looked up so many at a time before they are filled: where addresses are in no order,
// all of them are fetched from memory at once.
constexpr std::size_t look_ahead = 32;

} // namespace

bool address_map::insert_distinct(std::span<void* const> addresses, std::uint32_t first) {
  const std::size_t chunks = chunk_count(addresses.size(), 1 << 15);
  std::vector<page_set> pages(chunks);
  for_chunks(addresses.size(), chunks, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      pages[chunk].insert(reinterpret_cast<std::uintptr_t>(addresses[i]) >> granule_bits_ >>
                          page_bits);
  });
  for (const page_set& set : pages)
    for (const std::uintptr_t page : set.pages())
      make_page(page);

  std::atomic<bool> distinct{true};
  const bool shared = chunks > 1;
  for_chunks(addresses.size(), chunks, [&](std::size_t, std::size_t begin, std::size_t end) {
    std::uintptr_t last = ~std::uintptr_t(0);
    std::uint32_t* slots = nullptr;
    std::uint32_t* ahead[look_ahead];
    bool mine = true;
    for (std::size_t i = begin; i < end; i += look_ahead) {
      const std::size_t count = std::min(look_ahead, end - i);
      for (std::size_t j = 0; j < count; ++j) {
        const std::uintptr_t granule =
            reinterpret_cast<std::uintptr_t>(addresses[i + j]) >> granule_bits_;
        if (granule >> page_bits != last) {
          last = granule >> page_bits;
          slots = const_cast<std::uint32_t*>(page_slots(last));
        }
        ahead[j] = slots + (granule & (page_size - 1));
        __builtin_prefetch(ahead[j], 1);
      }
      for (std::size_t j = 0; j < count; ++j) {
        std::uint32_t& slot = *ahead[j];
        const auto number = static_cast<std::uint32_t>(first + i + j);
        std::uint32_t before = slot;
        if (shared)
          before = std::atomic_ref(slot).exchange(number, std::memory_order_relaxed);
        else
          slot = number;
        mine &= before == absent;
      }
    }
    if (!mine)
      distinct.store(false, std::memory_order_relaxed);
  });
  return distinct.load();
}

void address_map::clear() {
  entries_ = std::vector<entry>(entries_.size());
  pages_ = 0;
  last_page_ = ~std::uintptr_t(0);
}

std::uint32_t* address_map::make_page(std::uintptr_t page) {
  if (2 * pages_ >= entries_.size())
    grow();
  for (std::size_t i = hash(page);; ++i) {
    entry& e = entries_[i & mask_];
    if (e.slots == nullptr) {
      e.slots = std::make_unique_for_overwrite<std::uint32_t[]>(page_size);
      std::fill_n(e.slots.get(), page_size, absent);
      e.page = page;
      ++pages_;
      return e.slots.get();
    }
    if (e.page == page)
      return e.slots.get();
  }
}

void address_map::grow() {
  std::vector<entry> bigger(2 * entries_.size());
  mask_ = bigger.size() - 1;
  for (entry& e : entries_) {
    if (e.slots == nullptr)
      continue;
    std::size_t i = hash(e.page);
    while (bigger[i & mask_].slots != nullptr)
      ++i;
    bigger[i & mask_] = std::move(e);
  }
  entries_ = std::move(bigger);
}

} // namespace ikra::rt
