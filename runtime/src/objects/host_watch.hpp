// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host's objects were when a scope brought them to the device, in checked builds: a member
// that differs later, without `scope.changed(…)`, would be lost. Watched is what the scope's arrays
// lead to. Objects that sections capture are not: the host writes to those as to any variable, and
// they may go, with what they lead to, after the section.
#pragma once

#include <ikra/generated/objects/object_graph.hpp>

#include <set>
#include <span>
#include <utility>
#include <vector>

namespace ikra::rt {

class object_graph::host_watch {
public:
  /// Remembers the members of some columns as the objects have them, but for those of columns that
  /// it remembers already.
  void remember(const object_graph& graph, std::span<const unsigned> columns,
                const std::set<std::pair<void*, unsigned>>& captured);
  /// \throws ikra::error of kind failed_check if an object was destroyed, or a member of these
  /// columns was written; all columns if there are none
  void compare(const object_graph& graph, std::span<const unsigned> columns,
               const section_info& section) const;
  /// The host has changed, or been given, some or all.
  void forget() {
    pictures_.clear();
    classes_.clear();
  }
  void forget(std::span<const unsigned> columns);

private:
  /// One class's share of a column.
  struct picture {
    unsigned column;
    const column_part* part;
    std::vector<void*> objects;
    std::vector<list_row> rows; ///< of a container
    std::vector<unsigned char> values;
  };
  /// The objects of a polymorphic class, with what tells their class: where an object was
  /// destroyed, it is another's, or a base's.
  struct identities {
    unsigned class_index;
    std::vector<void*> objects;
    std::vector<const void*> tables;
  };

  class reach;

  static picture made(const object_graph& graph, unsigned column, const column_part& part,
                      std::vector<void*> objects);

  std::vector<picture> pictures_;
  std::vector<identities> classes_;
};

} // namespace ikra::rt
