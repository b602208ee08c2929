// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One layout of several: each emitted file has a layout of its own, with the classes and members
// that the file sees and uses. A scope that sections of several files use has all of them at once.
#pragma once

#include <ikra/generated/objects/layout.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ikra::rt {

/// \returns the names of the members that a column holds.
std::vector<std::string_view> members_of(const column_info& column);

class merged_layout {
public:
  /// \returns the layout of these, the same each time; null if their classes have no common order,
  /// or if they hold a member in different forms.
  static const merged_layout* of(const std::vector<const layout*>& files);

  merged_layout(const merged_layout&) = delete;
  merged_layout& operator=(const merged_layout&) = delete;
  ~merged_layout() = default;

  const layout& plan() const { return *plan_; }
  /// \returns where a file's classes and columns are.
  const place_in_merged& place_of(const layout& file) const;
  /// Classes of which a file has relatives but that it does not know: its sections cannot run where
  /// there are objects of such. \{
  template <class HasObjects>
  bool meets_unknown(const layout& file, const HasObjects& has_objects) const {
    const place_in_merged& place = place_of(file);
    std::vector<bool> knows_family(plan_->families().size(), false);
    for (const unsigned c : place.classes)
      knows_family[classes_[c].family] = true;
    for (unsigned c = 0; c < classes_.size(); ++c)
      if (knows_family[classes_[c].family] && has_objects(c) &&
          place.local_classes[c] == reference_ops::null_code)
        return true;
    return false;
  }
  /// \}

private:
  explicit merged_layout(const std::vector<const layout*>& files);
  bool order_classes();
  bool merge_columns();

  std::vector<place_in_merged> places_; ///< by file; columns have their addresses
  std::vector<class_info> classes_;
  std::vector<column_info> columns_;
  std::vector<std::vector<column_part>> parts_; ///< by column
  std::vector<std::vector<unsigned>> targets_;  ///< by column
  std::optional<layout> plan_;
};

} // namespace ikra::rt
