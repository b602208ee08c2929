// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contents are compared, not addresses alone: a lazy section has a copy of what it captured by
// value, and the host may write to what stays in its place.
#include "scope_captures.hpp"

#include <ikra/object_pointers.hpp>

#include <algorithm>

namespace ikra::rt {

std::shared_ptr<const device_memory> scope_captures::bring(device& where, const void* data,
                                                           std::size_t bytes,
                                                           const section_info& section) {
  std::erase_if(entries_, [&](const entry& each) { return each.memory->owner() != &where; });
  const auto use = [&](std::vector<entry>::iterator one) {
    std::rotate(one, one + 1, entries_.end());
    return entries_.back().memory;
  };
  const auto known = std::ranges::find_if(entries_, [&](const entry& each) {
    return each.bytes.size() == bytes && ikra::detail::same_bytes(each.bytes.data(), data, bytes);
  });
  if (known != entries_.end()) {
    known->changes = 0;
    return use(known);
  }
  // What another capture of the section has found stays.
  const auto changed = std::ranges::find_if(entries_, [&](const entry& each) {
    return each.place == data && each.memory->bytes() == bytes && each.memory.use_count() == 1;
  });
  if (changed != entries_.end()) {
    renew(*changed, data, bytes, section);
    return use(changed);
  }
  if (entries_.size() == most_entries)
    entries_.erase(entries_.begin());
  if (!has_room(where, bytes))
    return nullptr;
  entry now{data, std::make_shared<device_memory>(where, bytes, "captured container", section), {}};
  const auto* const first = static_cast<const unsigned char*>(data);
  now.bytes.assign(first, first + bytes);
  where.upload(now.memory->data(), data, bytes, section);
  entries_.push_back(std::move(now));
  return entries_.back().memory;
}

/// A part of the memory is left for what is not kept.
bool scope_captures::has_room(device& where, std::size_t bytes) const {
  constexpr std::size_t share = 8;
  std::size_t kept = 0;
  for (const entry& each : entries_)
    kept += each.memory->bytes();
  return kept + bytes <= where.available() / share;
}

// What changes before each section is not worth a copy on the host.
void scope_captures::renew(entry& of, const void* data, std::size_t bytes,
                           const section_info& section) {
  constexpr unsigned most_changes = 2, longest_pause = 16;
  of.bytes.clear(); // if an error is thrown, nobody knows what is there
  of.memory->owner()->upload(of.memory->data(), data, bytes, section);
  if (of.pause != 0) {
    if (--of.pause != 0)
      return;
  } else if (++of.changes > most_changes) {
    of.changes = most_changes;
    of.pause = longest_pause;
    return;
  }
  const auto* const first = static_cast<const unsigned char*>(data);
  of.bytes.assign(first, first + bytes);
}

} // namespace ikra::rt
