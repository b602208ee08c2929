// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "merged_layout.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

namespace ikra::rt {

// "list::next" or "street::length, speed"; the class may have commas and colons in it.
std::vector<std::string_view> members_of(const column_info& column) {
  std::string_view rest = column.name;
  constexpr std::string_view scope = "::", comma = ", ";
  if (column.fields.size() <= 1) {
    if (const auto at = rest.rfind(scope); at != rest.npos)
      rest.remove_prefix(at + scope.size());
    return {rest};
  }
  std::vector<std::string_view> members;
  for (std::size_t more = column.fields.size() - 1; more > 0; --more) {
    const auto at = rest.rfind(comma);
    members.push_back(rest.substr(at + comma.size()));
    rest = rest.substr(0, at);
  }
  members.push_back(rest.substr(rest.rfind(scope) + scope.size()));
  std::ranges::reverse(members);
  return members;
}

const merged_layout* merged_layout::of(const std::vector<const layout*>& files) {
  static std::mutex one_at_a_time;
  static std::map<std::vector<const layout*>, std::unique_ptr<const merged_layout>> known;
  const std::lock_guard<std::mutex> now(one_at_a_time);
  const auto [entry, is_new] = known.try_emplace(files);
  if (is_new) {
    std::unique_ptr<merged_layout> merged(new merged_layout(files));
    if (merged->order_classes() && merged->merge_columns())
      entry->second = std::move(merged);
  }
  return entry->second.get();
}

merged_layout::merged_layout(const std::vector<const layout*>& files) {
  for (const layout* file : files)
    places_.push_back({file, {}, {}, {}});
}

const place_in_merged& merged_layout::place_of(const layout& file) const {
  return *std::ranges::find(places_, &file, &place_in_merged::of);
}

// Emitted code tells a family's classes apart by the order of their IDs, so each file's order
// stays. Families that some file connects become one.
bool merged_layout::order_classes() {
  std::vector<const class_info*> all;
  std::vector<std::vector<unsigned>> after; // by class: those that come before it
  std::vector<unsigned> family;             // of each class: the first class of it
  const auto root = [&](unsigned c) {
    while (family[c] != c)
      c = family[c];
    return c;
  };
  for (place_in_merged& place : places_) {
    for (const class_info& mine : place.of->classes()) {
      const auto same =
          std::ranges::find_if(all, [&](const class_info* c) { return *c->type == *mine.type; });
      place.classes.push_back(static_cast<unsigned>(same - all.begin()));
      if (same != all.end())
        continue;
      family.push_back(static_cast<unsigned>(all.size()));
      all.push_back(&mine);
      after.emplace_back();
    }
    for (const std::vector<unsigned>& classes : place.of->families())
      for (std::size_t i = 1; i < classes.size(); ++i) {
        const unsigned c = place.classes[classes[i]], before = place.classes[classes[i - 1]];
        after[c].push_back(before);
        const unsigned one = root(c), other = root(before);
        family[std::max(one, other)] = std::min(one, other);
      }
  }

  std::vector<unsigned> number(all.size(), reference_ops::null_code), family_number(all.size());
  unsigned families = 0;
  for (unsigned c = 0; c < all.size(); ++c)
    if (root(c) == c)
      family_number[c] = families++;
  for (bool more = true; std::exchange(more, false);)
    for (unsigned c = 0; c < all.size(); ++c)
      if (number[c] == reference_ops::null_code &&
          std::ranges::all_of(after[c], [&](unsigned before) {
            return number[before] != reference_ops::null_code;
          })) {
        number[c] = static_cast<unsigned>(classes_.size());
        classes_.push_back(*all[c]);
        classes_.back().family = family_number[root(c)];
        more = true;
        break; // so that others stay in the order in which they were seen
      }
  if (classes_.size() != all.size() || all.size() >= reference_ops::unknown_code)
    return false;
  for (place_in_merged& place : places_) {
    place.local_classes.assign(all.size(), reference_ops::null_code);
    for (std::size_t c = 0; c < place.classes.size(); ++c) {
      place.classes[c] = number[place.classes[c]];
      place.local_classes[place.classes[c]] = static_cast<std::uint16_t>(c);
    }
  }
  return true;
}

namespace {

enum class likeness { none, same, unlike };

/// Whether two files' columns hold the same member. Records are a file's own.
likeness compare(const column_info& one, const column_info& other) {
  if (!one.fields.empty() || !other.fields.empty() || one.owner == nullptr ||
      other.owner == nullptr || *one.owner != *other.owner || members_of(one) != members_of(other))
    return likeness::none;
  return *one.element == *other.element && one.is_list() == other.is_list() &&
                 one.is_reference() == other.is_reference()
             ? likeness::same
             : likeness::unlike;
}

} // namespace

bool merged_layout::merge_columns() {
  std::vector<std::size_t> known_targets; // of the file whose functions a column has
  for (place_in_merged& place : places_)
    for (const column_info& mine : place.of->columns()) {
      unsigned k = 0;
      likeness found = likeness::none;
      for (; k < columns_.size(); ++k)
        if (found = compare(columns_[k], mine); found != likeness::none)
          break;
      if (found == likeness::unlike)
        return false;
      place.columns.push_back(k);
      if (k == columns_.size()) {
        columns_.push_back(mine);
        parts_.emplace_back();
        targets_.emplace_back();
        known_targets.push_back(mine.targets.size());
      }
      // The functions of the file that knows most classes are the ones to follow references.
      const bool knows_more = mine.targets.size() > known_targets[k];
      known_targets[k] = std::max(known_targets[k], mine.targets.size());
      for (column_part part : mine.parts) {
        part.class_index = place.classes[part.class_index];
        part.place = &place;
        const auto same = std::ranges::find(parts_[k], part.class_index, &column_part::class_index);
        if (same == parts_[k].end())
          parts_[k].push_back(part);
        else if (knows_more)
          *same = part;
      }
      for (const unsigned target : mine.targets)
        if (const unsigned c = place.classes[target];
            std::ranges::find(targets_[k], c) == targets_[k].end())
          targets_[k].push_back(c);
    }
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    std::ranges::sort(parts_[k], {}, &column_part::class_index);
    columns_[k].parts = parts_[k];
    columns_[k].targets = targets_[k];
  }
  plan_.emplace(classes_, columns_);
  return true;
}

} // namespace ikra::rt
