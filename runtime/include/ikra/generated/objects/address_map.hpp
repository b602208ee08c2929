// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an object's address to its number within its class. The tracer asks this once or twice for
// each reference, so a look-up is a shift, a compare with the last page and one load: memory is cut
// into pages of fixed size, and a page holds one slot for each granule, the largest power of two
// that is at most the size of the class. Two objects of a class never share a granule. Pages are
// found through a small open-addressing table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ikra::rt {

class address_map {
public:
  static constexpr std::uint32_t absent = 0xffffffffu;
  static constexpr unsigned page_bits = 13; // 32 KiB of slots a page

  /// A look-up that remembers the page it last saw: one for each thread, dropped when objects are
  /// inserted.
  class reader {
  public:
    explicit reader(const address_map& map) : map_(&map), granule_bits_(map.granule_bits_) {}

    /// \returns the number of the object at `address`, or `absent`.
    std::uint32_t find(const void* address) {
      const std::uint32_t* const found = slot(address);
      return found == nullptr ? absent : *found;
    }
    /// \returns where the number is; null where no object near has one.
    const std::uint32_t* slot(const void* address) {
      const std::uintptr_t granule = reinterpret_cast<std::uintptr_t>(address) >> granule_bits_;
      const std::uintptr_t page = granule >> page_bits;
      if (page != page_) {
        slots_ = map_->page_slots(page);
        page_ = page;
      }
      return slots_ == nullptr ? nullptr : slots_ + (granule & (page_size - 1));
    }

  private:
    const address_map* map_;
    unsigned granule_bits_;
    std::uintptr_t page_ = ~std::uintptr_t(0);
    const std::uint32_t* slots_ = nullptr;
  };

  /// \param object_size size in bytes of the class whose objects go in here.
  explicit address_map(std::size_t object_size);

  /// \returns the number of the object at `address`, or `absent`.
  std::uint32_t find(const void* address) const { return reader(*this).find(address); }

  /// Gives `number` to the object at `address` unless it has one.
  /// \returns the number that the object had before, or `absent`.
  std::uint32_t insert(const void* address, std::uint32_t number);

  /// Forgets the object at `address`, if it has a number.
  void erase(const void* address) {
    if (const auto* const slot = reader(*this).slot(address); slot != nullptr)
      *const_cast<std::uint32_t*>(slot) = absent;
  }

  /// Inserts `addresses[i]` with number `first + i`, on all cores.
  /// \returns false if some address was there twice or before; the map's contents are then
  /// undefined until clear().
  bool insert_distinct(std::span<void* const> addresses, std::uint32_t first);

  void clear();

  /// Where a page's search begins in a table.
  static std::size_t hash(std::uintptr_t page) {
    const std::uint64_t mixed = std::uint64_t(page) * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(mixed >> 32);
  }

private:
  static constexpr std::size_t page_size = std::size_t(1) << page_bits;

  struct entry {
    std::uintptr_t page = 0;
    std::unique_ptr<std::uint32_t[]> slots; // null: the entry is free
  };

  const std::uint32_t* page_slots(std::uintptr_t page) const {
    for (std::size_t i = hash(page);; ++i) {
      const entry& e = entries_[i & mask_];
      if (e.slots == nullptr || e.page == page)
        return e.slots.get();
    }
  }
  std::uint32_t* make_page(std::uintptr_t page);
  void grow();

  unsigned granule_bits_;
  std::size_t mask_ = 63;
  std::size_t pages_ = 0;
  std::vector<entry> entries_;
  std::uintptr_t last_page_ = ~std::uintptr_t(0); // of insert
  std::uint32_t* last_slots_ = nullptr;
};

} // namespace ikra::rt
