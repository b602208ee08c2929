// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a translation unit's objects as data: its classes, grouped into families, and its
// columns, each with functions that move one class's members between objects and columns, a block
// of objects at a time. Emitted code makes one layout per translation unit through the templates of
// describe.hpp; the compiled half of the runtime (tracer, object_graph) works on it without knowing
// a single user type.
#pragma once

#include <ikra/generated/device/object_id.hpp>
#include <ikra/generated/objects/address_map.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <typeinfo>
#include <vector>

namespace ikra::rt {

/// A concrete class: its place in the order of object IDs is that in the layout.
struct class_info {
  const char* name;
  unsigned family;
  const std::type_info* type;
  std::size_t size;
  bool is_polymorphic = false;
  bool holds_polymorphic = false; ///< objects of such classes lie within its own
};

/// The traced objects, class by class. Numbers (local to a class) are given when an object is
/// found, IDs when all are: an object's ID is its class's first ID plus its number.
struct object_table {
  std::vector<std::vector<void*>> objects; ///< per class: most derived objects, by number
  std::vector<std::uint32_t> first; ///< per class: ID of object 0; valid once all objects are found

  void make_maps(std::span<const class_info> classes);
  /// From address to number, of what is an object of that class.
  address_map& numbers(unsigned c) { return maps_[map_of_[c]]; }
  const address_map& numbers(unsigned c) const { return maps_[map_of_[c]]; }
  /// The number of an object that may not be here, or be another one by now; or absent.
  std::uint32_t number(unsigned c, const void* address) const {
    const std::uint32_t found = numbers(c).find(address); // but for the address's last bits
    return is_at(c, found, address) ? found : address_map::absent;
  }
  bool is_at(unsigned c, std::uint32_t number, const void* address) const {
    return number < objects[c].size() && objects[c][number] == address;
  }

private:
  /// A family's classes have one: no object of it lies within another, so that addresses tell all
  /// apart. Else each class has its own.
  std::vector<address_map> maps_;
  std::vector<unsigned> map_of_; ///< per class
};

class layout;

/// Where the classes and columns of a layout are in one that was merged of several.
struct place_in_merged {
  const layout* of;
  std::vector<unsigned> classes;            ///< by their numbers in the layout
  std::vector<std::uint16_t> local_classes; ///< back, null_code for others
  std::vector<unsigned> columns;            ///< by their numbers in the layout
};

/// The traced objects as the code of one file knows them: by its layout's numbers of classes.
class objects_view {
public:
  // NOLINTNEXTLINE(google-explicit-constructor): a table of the layout itself is one, too
  objects_view(const object_table& table, const place_in_merged* place = nullptr)
      : table_(&table), place_(place) {}

  /// \returns the table's number of a class.
  unsigned number_of(unsigned c) const { return place_ == nullptr ? c : place_->classes[c]; }
  const std::vector<void*>& objects(unsigned c) const { return table_->objects[number_of(c)]; }
  const address_map& numbers(unsigned c) const { return table_->numbers(number_of(c)); }
  std::uint32_t first(unsigned c) const { return table_->first[number_of(c)]; }

private:
  const object_table* table_;
  const place_in_merged* place_;
};

/// An object that a pointer leads to, and that has no number yet.
struct found_object {
  void* address;
  unsigned class_index;
};

/// Objects in the order of the references that lead to them; may repeat some.
class found_objects {
public:
  found_objects() = default;
  /// Hands each to a function, which takes no memory.
  found_objects(void (*take)(void* taker, const found_object&), void* taker)
      : take_(take), taker_(taker) {}

  void push_back(const found_object& object) {
    if (take_ != nullptr)
      take_(taker_, object);
    else
      kept_.push_back(object);
  }
  void clear() { kept_.clear(); }
  auto begin() const { return kept_.begin(); }
  auto end() const { return kept_.end(); }

private:
  std::vector<found_object> kept_;
  void (*take_)(void*, const found_object&) = nullptr;
  void* taker_ = nullptr;
};

/// What following the references of a block of objects brings to light.
struct discovery {
  objects_view objects;
  found_objects found;
  const std::type_info* unknown_class =
      nullptr; ///< dynamic class of the first object that no class_info describes
};

/// A column's functions for one concrete class. `objects` are n most derived objects of it.
struct column_part {
  unsigned class_index;
  /// Members to n column elements; for containers: to the values of n rows, which are consecutive.
  void (*gather)(void* const* objects, std::size_t n, const objects_view& table, void* out);
  /// Column elements back to members, where their bits differ; null where members cannot be
  /// assigned.
  void (*scatter)(void* const* objects, std::size_t n, const objects_view& table, const void* in);
  /// Containers: sets rows[i].length. Otherwise null.
  void (*lengths)(void* const* objects, std::size_t n, list_row* rows);
  /// References: looks for objects that have no number yet. Otherwise null.
  void (*discover)(void* const* objects, std::size_t n, discovery& out);
  /// References that can be assigned: lets those of an object that are what they were `before` be
  /// what they are `now`. Looks at nothing that they refer to, which may be gone. Otherwise null.
  void (*merge)(void* object, const objects_view& table, const void* before,
                const void* now) = nullptr;
  bool holds = false; ///< objects outside of the object: in a container, or by a std::unique_ptr
  bool owns = false;  ///< the same, and takes them away with it
  /// Where the members are that it moves, in the order of their names: that of the class that
  /// declares them, and the k-th member; null for bit-fields. \{
  const void* (*owner)(void* object) = nullptr;
  const void* (*member)(void* object, std::size_t k) = nullptr;
  /// \}
  /// The values of an object's container, where they lie side by side; may be null.
  const void* (*values)(void* object) = nullptr;
  /// Of the file whose functions these are, if the column is of a merged layout.
  const place_in_merged* place = nullptr;

  /// The same part with its places. \tparam Places has functions owner_place and member_place
  template <class Places> constexpr column_part with_places() const {
    column_part result = *this;
    result.owner = &Places::owner_place;
    result.member = &Places::member_place;
    if constexpr (requires { Places::values; })
      result.values = &Places::values;
    return result;
  }
};

/// A member of a record: where it is, and what it is.
struct record_field {
  std::size_t offset, size;
  const std::type_info* type;
};

struct column_info {
  const char* name;              ///< the class and the members, with commas between them
  std::size_t element_size;      ///< of a column element, or of a container's element
  const std::type_info* element; ///< its type; object_id for references
  std::span<const column_part> parts;
  std::span<const unsigned> targets;         ///< classes that references lead to
  const std::type_info* owner = nullptr;     ///< the class that declares the members
  std::span<const record_field> fields = {}; ///< of records, in the order of the name
  /// Of elements of an enumeration, its integers: so emitted code has those that it cannot name.
  const std::type_info* integers = nullptr;

  bool holds(const std::type_info& type) const {
    return *element == type || (integers != nullptr && *integers == type);
  }
  /// \returns the functions for a class, or null where it does not have the column.
  const column_part* part_of(unsigned class_index) const {
    for (const column_part& part : parts)
      if (part.class_index == class_index)
        return &part;
    return nullptr;
  }
  bool is_reference() const { return parts.front().discover != nullptr; }
  bool is_list() const { return parts.front().lengths != nullptr; }
};

/// How pointers of one static type are told apart; see references in describe.hpp.
struct reference_ops {
  static constexpr std::uint16_t null_code = 0xffff;
  static constexpr std::uint16_t unknown_code = 0xfffe;

  const std::type_info* pointee; ///< the static type, without const
  std::span<const unsigned> classes;
  /// codes[i] = index of pointer i's class in the layout, null_code or unknown_code.
  void (*classify)(const void* pointers, std::size_t n, std::uint16_t* codes);
  /// addresses[i] = most derived object of pointer i; codes[i] is a class.
  void (*locate)(const void* pointers, std::size_t n, const std::uint16_t* codes, void** addresses);
  /// \returns the dynamic class of pointer i.
  const std::type_info& (*dynamic_class)(const void* pointers, std::size_t i);
};

class layout {
public:
  /// \param classes in the order of their IDs: those of a family in the order of their segments.
  /// \param columns may be empty. Both have to outlive the layout.
  layout(std::span<const class_info> classes, std::span<const column_info> columns);

  std::span<const class_info> classes() const { return classes_; }
  std::span<const column_info> columns() const { return columns_; }
  /// Classes of each family, in the order of their IDs.
  const std::vector<std::vector<unsigned>>& families() const { return families_; }

  /// Members that are in two columns, in a merged layout: a record of one file has them, and a
  /// column of another. \{
  /// \returns the records that have the member of a column, too.
  std::span<const unsigned> records_with(unsigned column) const;
  /// \returns the column that a record's member is, too.
  std::optional<unsigned> column_of_field(unsigned record, std::size_t field) const;
  /// \}

private:
  void find_shared_members();

  std::span<const class_info> classes_;
  std::span<const column_info> columns_;
  std::vector<std::vector<unsigned>> families_;
  std::vector<std::vector<unsigned>> records_with_;                 ///< by column, if there are any
  std::vector<std::vector<std::optional<unsigned>>> field_columns_; ///< by record and field
};

} // namespace ikra::rt
