// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The columns that a section uses, as its object graph numbers them. Each session makes such lists,
// and one over resident objects has little else to do: they take no memory unless they are long.
#pragma once

#include <ikra/generated/device/section_info.hpp>
#include <ikra/generated/objects/layout.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace ikra::rt {

class column_numbers {
public:
  column_numbers() = default;
  column_numbers(const section_info& section, const place_in_merged* place,
                 access uses = reads_and_writes) {
    assign(section, place, uses);
  }
  column_numbers(const column_numbers&) = delete;
  column_numbers& operator=(const column_numbers&) = delete;
  ~column_numbers() = default;

  /// \param place of the section's file, if the graph's layout was merged of several
  /// \param uses a column is in the list if it is used in one of these ways
  void assign(const section_info& section, const place_in_merged* place, access uses) {
    unsigned* next = short_.data();
    if (section.columns.size() > short_.size()) {
      long_.resize(section.columns.size());
      next = long_.data();
    }
    first_ = next;
    for (const column_use& use : section.columns)
      if ((use.use & uses) != 0)
        *next++ = place == nullptr ? use.column : place->columns[use.column];
    end_ = next;
  }

  std::size_t size() const { return static_cast<std::size_t>(end_ - first_); }
  bool empty() const { return first_ == end_; }
  const unsigned* begin() const { return first_; }
  const unsigned* end() const { return end_; }

private:
  std::array<unsigned, 24> short_; // elements before end_ are set
  std::vector<unsigned> long_;     ///< of sections with more columns, which compute longer, too
  const unsigned* first_ = short_.data();
  const unsigned* end_ = short_.data();
};

} // namespace ikra::rt
