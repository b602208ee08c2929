// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice domains of a relation: which combinations of values its tuples have taken
// (docs/datalog.md, "Choice"). On the host, since each tuple's fate depends on those before it.
// Relies on the standard library.
#pragma once

#include <ikra/generated/datalog/values.hpp>

#include <cstddef>
#include <span>
#include <unordered_set>
#include <vector>

namespace ikra::datalog {

class chosen_keys {
public:
  /// \param domains sets of columns, each at least one
  explicit chosen_keys(const std::vector<std::vector<u32>>& domains)
      : domains_(domains), taken_(domains.size()) {}

  /// Takes the tuple's values, unless a tuple that was added before has them in all columns of one
  /// of the domains. \returns whether it took them.
  bool add(std::span<const u64> tuple) {
    std::vector<key> keys(domains_.size());
    for (std::size_t d = 0; d < domains_.size(); ++d) {
      for (const u32 column : domains_[d])
        keys[d].push_back(tuple[column]);
      if (taken_[d].contains(keys[d]))
        return false;
    }
    for (std::size_t d = 0; d < domains_.size(); ++d)
      taken_[d].insert(std::move(keys[d]));
    return true;
  }

private:
  using key = std::vector<u64>;
  struct hash {
    std::size_t operator()(const key& of) const noexcept {
      u64 mixed = 0;
      for (const u64 value : of) {
        mixed = (mixed ^ value) * 0x9e3779b97f4a7c15u;
        mixed ^= mixed >> 32;
      }
      return static_cast<std::size_t>(mixed);
    }
  };
  std::vector<std::vector<u32>> domains_;
  std::vector<std::unordered_set<key, hash>> taken_;
};

} // namespace ikra::datalog
