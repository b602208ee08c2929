// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IDs of what a section captured: of single objects and short containers one after the other,
// of long ones where the object graph keeps them.
#pragma once

#include <ikra/generated/device/object_id.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace ikra::rt {

class root_ids {
public:
  void clear() {
    roots_.clear();
    ids_.clear();
    count_ = 0;
  }
  /// Appends a root. \returns room for its IDs, until the next one is appended
  object_id* add(std::size_t count) {
    roots_.push_back({count_, ids_.size(), nullptr});
    ids_.resize(ids_.size() + count);
    count_ += count;
    return ids_.data() + roots_.back().place;
  }
  void add(std::shared_ptr<const std::vector<object_id>> kept) {
    const std::size_t count = kept->size();
    roots_.push_back({count_, 0, std::move(kept)});
    count_ += count;
  }
  /// \returns the IDs of the root whose first pointer has this number among those of all roots.
  const object_id* at(std::size_t first) const {
    const auto next = std::ranges::upper_bound(roots_, first, {}, &root::first);
    if (next == roots_.begin())
      return nullptr;
    const root& of = *std::prev(next);
    return of.kept != nullptr ? of.kept->data() : ids_.data() + of.place;
  }

private:
  struct root {
    std::size_t first; ///< pointers before it
    std::size_t place; ///< among ids_
    std::shared_ptr<const std::vector<object_id>> kept;
  };
  std::vector<root> roots_;
  std::vector<object_id> ids_;
  std::size_t count_ = 0;
};

} // namespace ikra::rt
