// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ikra/generated/objects/layout.hpp>

#include "merged_layout.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ikra::rt {

void object_table::make_maps(std::span<const class_info> classes) {
  struct family {
    std::size_t least = SIZE_MAX;
    bool is_apart = true;
    std::optional<unsigned> map;
  };
  std::vector<family> families;
  for (const class_info& c : classes) {
    if (c.family >= families.size())
      families.resize(c.family + 1);
    family& of = families[c.family];
    of.least = std::min(of.least, c.size);
    of.is_apart = of.is_apart && c.is_polymorphic && !c.holds_polymorphic;
  }
  maps_.reserve(classes.size());
  for (const class_info& c : classes) {
    family& of = families[c.family];
    if (of.is_apart && of.map) {
      map_of_.push_back(*of.map);
      continue;
    }
    of.map = static_cast<unsigned>(maps_.size());
    map_of_.push_back(*of.map);
    maps_.emplace_back(of.is_apart ? of.least : c.size);
  }
}

layout::layout(std::span<const class_info> classes, std::span<const column_info> columns)
    : classes_(classes), columns_(columns) {
  for (unsigned c = 0; c < classes.size(); ++c) {
    if (classes[c].family >= families_.size())
      families_.resize(classes[c].family + 1);
    families_[classes[c].family].push_back(c);
  }
  find_shared_members();
}

void layout::find_shared_members() {
  const auto has_fields = [](const column_info& column) { return !column.fields.empty(); };
  if (std::ranges::none_of(columns_, has_fields))
    return;
  records_with_.resize(columns_.size());
  field_columns_.resize(columns_.size());
  for (unsigned r = 0; r < columns_.size(); ++r) {
    const column_info& record = columns_[r];
    const std::vector<std::string_view> members = members_of(record);
    field_columns_[r].resize(record.fields.size());
    for (unsigned k = 0; k < columns_.size(); ++k)
      for (std::size_t f = 0; f < record.fields.size(); ++f)
        if (!has_fields(columns_[k]) && columns_[k].owner != nullptr &&
            *columns_[k].owner == *record.owner && members_of(columns_[k]).front() == members[f]) {
          field_columns_[r][f] = k;
          records_with_[k].push_back(r);
        }
  }
}

std::span<const unsigned> layout::records_with(unsigned column) const {
  return records_with_.empty() ? std::span<const unsigned>() : records_with_[column];
}

std::optional<unsigned> layout::column_of_field(unsigned record, std::size_t field) const {
  return field_columns_[record][field];
}

} // namespace ikra::rt
