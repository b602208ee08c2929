// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host's objects were when a scope brought them to the device, in checked builds: a member
// that differs later, without `scope.changed(…)`, would be lost. Watched is what the scope's arrays
// lead to. Objects that sections capture are not: the host writes to those as to any variable, and
// they may go, with what they lead to, after the section.
#pragma once

#include <ikra/generated/objects/object_graph.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace ikra::rt {

class object_graph::host_watch {
public:
  /// Remembers the members of some columns as the objects have them, but for those of columns that
  /// it remembers already.
  void remember(object_graph& graph, std::span<const unsigned> columns,
                const std::set<std::pair<void*, unsigned>>& captured);
  /// \throws ikra::error of kind failed_check if an object was destroyed, or a member was written
  void compare(const object_graph& graph, const section_info& section) const;
  /// The host has changed, or been given, some or all.
  void forget() { groups_.clear(); }

private:
  /// One column's elements.
  struct picture {
    unsigned column;
    const column_part* part;
    std::size_t element_size;
    std::vector<list_row> rows; ///< of containers: where each object's values are
    std::vector<unsigned char> values;
  };
  /// Objects of one class, as they were when the columns were first asked for.
  struct group {
    unsigned class_index;
    std::vector<void*> objects;
    /// Of a polymorphic class, what tells it: where an object was destroyed, it is another's, or a
    /// base's.
    std::vector<const void*> tables;
    std::vector<picture> pictures;
  };
  /// What differs.
  struct difference {
    std::size_t object; ///< in its group
    const picture* of;  ///< null: the object itself
  };

  class reach;

  bool remembers(unsigned column) const;
  static picture made(const object_graph& graph, unsigned column, const column_part& part,
                      std::span<void* const> objects);
  static std::optional<difference> first_difference(const object_graph& graph, const group& of,
                                                    std::size_t begin, std::size_t end);

  std::vector<group> groups_;
};

} // namespace ikra::rt
