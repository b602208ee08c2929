// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to the objects of a container, as arrays hold them. Loops ask for the same ones before
// each section, and a resident scope knows them by their address: so the last few that a thread
// made are found again.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/buffer.hpp>
#include <ikra/commands.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::detail {

/// Whether as many bytes are the same in two places. The runtime of generated code, where it is
/// linked, replaces it by one that uses all cores.
inline bool (*same_bytes)(const void* a, const void* b,
                          std::size_t bytes) = [](const void* a, const void* b, std::size_t bytes) {
  const auto* const first = static_cast<const unsigned char*>(a);
  return std::equal(first, first + bytes, static_cast<const unsigned char*>(b));
};

/// Calls body(context, begin, end) for parts that make up [0, count). Replaced likewise.
inline void (*in_parts)(std::size_t count, const void* context,
                        void (*body)(const void* context, std::size_t begin, std::size_t end)) =
    [](std::size_t count, const void* context,
       void (*body)(const void*, std::size_t, std::size_t)) { body(context, 0, count); };

/// Whether no two owners of a type can have the same object.
template <class Owner> inline constexpr bool own_alone = false;
template <class T> inline constexpr bool own_alone<std::unique_ptr<T>> = true;

template <class Pointer> class object_pointers {
public:
  using pointers = std::shared_ptr<command<Pointer>>;

  /// Of objects that lie one after the other: the place and the number say it all.
  static pointers in_a_row(Pointer first, std::size_t count) {
    return known_or_made(
        first, count, /*are_distinct=*/true, [](const pointers&) { return true; },
        [=] { return all_of(count, [=](std::size_t i) { return first + i; }); });
  }

  /// Of objects that smart pointers in a std::vector own, which may own others by now.
  template <class Owners> static pointers of_owners(const Owners& owners) {
    return known_or_made(
        owners.data(), owners.size(), own_alone<typename Owners::value_type>,
        [&](const pointers& known) { return are(owners, known->result().data()); },
        [&] {
          return all_of(owners.size(), [place = owners.data()](std::size_t i) -> Pointer {
            return place[i].get();
          });
        });
  }

private:
  /// More are found again only while somebody else has them, such as a scope: 8 MB.
  static constexpr std::size_t most_kept = std::size_t(1) << 20U;
  struct entry {
    const void* place = nullptr;
    std::size_t count = 0;
    std::weak_ptr<command<Pointer>> known;
    pointers kept;
  };
  struct recent {
    std::array<entry, 4> entries;
    std::size_t next = 0;
    recent() = default;
    recent(const recent&) = delete;
    recent& operator=(const recent&) = delete;
    ~recent() { has_ended() = true; }
  };
  template <class At> static room<Pointer> all_of(std::size_t count, const At& at) {
    room<Pointer> all(count);
    struct {
      Pointer* to;
      const At* at;
    } const of{all.data(), &at};
    in_parts(count, &of, [](const void* context, std::size_t begin, std::size_t end) {
      const auto [to, pointer_at] = *static_cast<decltype(&of)>(context);
      for (std::size_t i = begin; i < end; ++i)
        ::new (static_cast<void*>(to + i)) Pointer((*pointer_at)(i));
    });
    all.set_filled();
    return all;
  }
  static bool& has_ended() {
    static thread_local bool ended = false;
    return ended;
  }

  template <class Same, class Make>
  static pointers known_or_made(const void* place, std::size_t count, bool are_distinct,
                                const Same& is_same, const Make& make) {
    static thread_local recent last;
    const auto made = [&] {
      buffer<Pointer> all(make());
      if (pointer_notes* const notes = all.notes(); notes != nullptr && are_distinct)
        notes->no_repeats.store(true, std::memory_order_relaxed);
      return held(new value_command<Pointer>(std::move(all)));
    };
    if (has_ended()) // destructors of static objects have sections, too
      return made();
    entry* to = nullptr;
    for (entry& each : last.entries)
      if (each.place == place && each.count == count) {
        if (pointers found = each.known.lock(); found && is_same(found))
          return found;
        to = &each;
      }
    if (to == nullptr)
      to = &last.entries[last.next++ % last.entries.size()];
    pointers now = made();
    *to = {place, count, now, count <= most_kept ? now : nullptr};
    return now;
  }

  template <class Owners> static bool are(const Owners& owners, const Pointer* known) {
    using owner_type = typename Owners::value_type;
    if constexpr (std::is_same_v<owner_type, std::unique_ptr<std::remove_pointer_t<Pointer>>> &&
                  sizeof(owner_type) == sizeof(Pointer)) {
      return owners.empty() || same_bytes(owners.data(), known, owners.size() * sizeof(Pointer));
    } else {
      for (const auto& owner : owners)
        if (owner.get() != *known++)
          return false;
      return true;
    }
  }
};

} // namespace ikra::detail

#include <ikra/macros_back.hpp>
