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
  /// Compares the objects of the classes that have some of the columns.
  /// \throws ikra::error of kind failed_check if an object was destroyed, or a member was written
  void compare(const object_graph& graph, std::span<const unsigned> columns,
               const section_info& section) const;
  /// The host has changed, or been given, some or all.
  void forget() { groups_.clear(); }

private:
  /// A member that lies at the same place in all objects of a class.
  struct member_bytes {
    unsigned column;
    std::size_t offset, size; ///< in an object
  };
  /// Bytes of members that lie side by side in an object, and where its row has them.
  struct run_of_bytes {
    std::size_t offset, size, in_row;
  };
  /// One column's elements, of members that do not.
  struct picture {
    unsigned column;
    const column_part* part;
    std::size_t element_size;
    std::vector<list_row> rows; ///< of containers: where each object's values are
    std::vector<unsigned char> values;
  };
  /// Objects of one class, as they were when the columns were first asked for.
  struct group {
    unsigned class_index = 0;
    std::vector<void*> objects;
    /// Of a polymorphic class, what tells it: where an object was destroyed, it is another's, or a
    /// base's.
    std::vector<const void*> tables;
    std::vector<member_bytes> members; ///< by place
    std::vector<run_of_bytes> words;   ///< of 8, 4, 2 and 1 bytes, which may overlap, and long ones
    std::size_t row_bytes = 0;
    std::vector<unsigned char> rows; ///< the members of one object after the other
    std::vector<picture> pictures;

    bool has(unsigned column) const;
    /// Copies the members, of which the places are known.
    void copy_rows();
    void add_run(const run_of_bytes& run);
    /// Whether the members of objects [begin, end) are what their rows have.
    bool are_as_before(std::size_t begin, std::size_t end) const;
    /// \returns the column of the first member of object i that differs, if one does
    std::optional<unsigned> difference_of(std::size_t i) const;
  };
  /// What differs.
  struct difference {
    std::size_t object;             ///< in its group
    std::optional<unsigned> column; ///< none: the object itself
  };

  class reach;

  bool remembers(unsigned column) const;
  /// Gives a group without columns some of its class.
  static void take(const object_graph& graph, group& into, std::span<const unsigned> columns);
  static picture made(const object_graph& graph, unsigned column, const column_part& part,
                      std::span<void* const> objects);
  static std::optional<difference> first_difference(const object_graph& graph, const group& of,
                                                    std::size_t begin, std::size_t end);

  std::vector<group> groups_;
};

} // namespace ikra::rt
