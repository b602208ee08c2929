// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ikra/generated/objects/layout.hpp>

#include "merged_layout.hpp"

#include <algorithm>
#include <string_view>

namespace ikra::rt {

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
