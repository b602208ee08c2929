// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object graph: the objects that one or more base arrays and captured pointers lead to, traced
// and numbered, and their columns on a device. A session makes one for itself, or uses that of a
// resident scope.
//
// Base arrays. The objects of the first base array get the first IDs of their class's segment, in
// the order of the array, so that a thread's index is its object ("job reordering", ARRAY'16
// section 4, without the indirection). base_array keeps what is needed where this does not hold:
// element positions and element IDs.
#pragma once

#include <ikra/generated/device/device.hpp>
#include <ikra/generated/objects/layout.hpp>
#include <ikra/object_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ikra::detail {
struct member_of_objects; // resident.hpp
struct pointer_notes;     // buffer.hpp
} // namespace ikra::detail

namespace ikra::rt {

/// Where the pointers of a base array or a root are, and how to tell what they point to.
struct pointer_source {
  const reference_ops* ops;
  const void* pointers; ///< count pointers of the static type
  std::size_t count;
  /// Of the file whose ops these are, where its layout was merged with others.
  const place_in_merged* place = nullptr;
  ikra::detail::pointer_notes* notes = nullptr; ///< of the array; null: nothing is noted

  /// reference_ops' functions for n pointers from first on, and the numbers of the merged layout.
  /// \{
  void classify(std::size_t first, std::size_t n, std::uint16_t* codes) const;
  void locate(std::size_t first, std::size_t n, const std::uint16_t* codes, void** addresses) const;
  unsigned number_of(unsigned c) const { return place == nullptr ? c : place->classes[c]; }
  /// \}
};

/// Captured pointers, or those of an input whose elements bodies take as IDs.
struct captured_root {
  pointer_source source;
  std::shared_ptr<const void> owner; ///< of the pointers; null where they may go with the session
};

/// One class's objects in a base array: consecutive IDs from first on.
struct class_run {
  unsigned class_index;
  std::uint32_t first; ///< number of the first of them within its class; trace() makes it an ID
  std::uint32_t count;
};

/// One class's elements in a launch over IDs: threads that follow each other.
struct class_list {
  static constexpr unsigned of_null = ~0U;
  unsigned class_index; ///< or of_null: elements that are null, whose list comes first
  std::uint64_t count;
  std::uint64_t first_thread; ///< a multiple of 32, except after nulls and in parts of lists
};

/// A traced base array.
struct base_array {
  std::size_t size = 0;
  std::size_t nulls = 0;
  bool direct = true;          ///< no repeats, no nulls, and each class's objects are consecutive
  bool in_order = true;        ///< direct, and element i is object i of the one class there is
  std::vector<class_run> runs; ///< classes that occur, if direct
  std::vector<std::uint16_t> codes;   ///< class of each element; empty if in_order
  std::vector<std::uint32_t> numbers; ///< number of each element within its class; empty if direct
  device_memory positions; ///< element index of each thread of the launch (see launch_table)
  /// Not direct: threads go through lists, by class. Where objects stand there several times, what
  /// writes them does so in rounds, in each of which no object is twice. \{
  device_memory ids;                 ///< object_id of each thread
  std::vector<std::uint64_t> places; ///< as in positions; empty where threads are elements
  std::vector<class_list> lists;
  std::vector<class_list> parts;   ///< of lists, round after round
  std::vector<std::size_t> rounds; ///< their ends in parts; empty where one round has all
  /// \}
};

/// Where objects are all of whose members are as the host has them.
using claimed_objects = ikra::detail::object_memory;

class columns;

class object_graph {
public:
  object_graph(const layout& plan, device& where);
  object_graph(const object_graph&) = delete;
  object_graph& operator=(const object_graph&) = delete;
  ~object_graph();

  /// Finds all objects that the sources and the given reference columns lead to, level by level,
  /// and numbers them. IDs do not depend on the number of threads.
  /// \param bases become base(0), base(1), …; \param roots other pointers, whose IDs find() gives;
  /// null is legal.
  /// \param followed columns of the plan; those that are not references are passed over.
  /// \param others objects that are to be there, too
  /// \throws ikra::error of kind unknown_class, too_many_objects.
  void trace(std::span<const pointer_source> bases, std::span<const pointer_source> roots,
             std::span<const unsigned> followed, const section_info& section,
             std::span<const found_object> others = {});

  /// Looks for objects that were traced, on all cores. \param ids room for the ID of each pointer;
  /// null for null pointers. \returns whether all are there
  /// \throws ikra::error of kind unknown_class.
  bool find(const pointer_source& source, object_id* ids, const section_info& section) const;
  /// The same of a container that sections capture. The IDs of the last few stay, and are found
  /// again. \returns null if an object is not there
  std::shared_ptr<const std::vector<object_id>> find_list(const pointer_source& source,
                                                          const section_info& section);

  /// Objects to which roots alone lead, and no base array (captured.cpp). \{
  /// Before trace(): has these told apart: they get the last numbers of their classes.
  void tell_roots_apart() { roots_apart_ = true; }
  bool has_rooted() const { return has_rooted_; }
  bool has_rooted(unsigned class_index) const {
    return has_rooted_ && !rooted_[class_index].empty();
  }
  /// Those of a root. \param ids of its pointers
  std::vector<found_object> rooted(const pointer_source& source,
                                   std::span<const object_id> ids) const;
  /// The host may destroy them, and make others where they were: none is looked at before wake().
  /// \param captured those of single roots, and of short ones
  /// \returns false, with nothing done, where they are more than these and what lies within them,
  /// or may lead to each other: then only trace() tells what is there
  bool let_rooted_sleep(std::span<const found_object> captured);
  bool sleeps() const { return !asleep_.empty(); }
  /// A section captures an object, so it is there, with what lies within it.
  void wake(const found_object& captured);
  /// \}

  /// Has other pointers to objects that were traced as a base array, such as some of another's.
  /// Some stay, and are found again: arrays that came again longer than those that came once.
  /// \returns its number; none if an object was not traced, or is a root's alone \throws
  /// ikra::error of kind unknown_class
  std::optional<std::size_t> admit_guest(const pointer_source& source, const section_info& section);

  /// Objects that come and go while the others stay (growth.cpp). \{
  /// Before trace(): has each class get room for objects that come later.
  void leave_room() { has_room_ = true; }
  /// Takes in objects that are there, and all that they lead to.
  /// \returns false, with nothing done, if there is no room, or one is of an unknown class, or was
  /// a root's alone
  bool add(std::span<const found_object> objects, const section_info& section);
  /// The host takes objects away, with what they hold and own: they are not looked at any more.
  /// \returns these, too
  std::vector<found_object> remove(const found_object& one);
  /// A base array has other pointers from now on, some of which may be to new objects.
  /// \param same pointers at the front are the same \returns as add()
  /// \throws ikra::error of kind unknown_class
  bool rebase(std::size_t i, const pointer_source& source, std::size_t same,
              const section_info& section);
  /// Whether pointers lead to all objects of a base array that were not removed.
  bool leads_to_all(std::size_t i, const pointer_source& source, const section_info& section) const;
  /// \}

  /// Single members (members.cpp). \{
  /// The columns that have a member of a class's objects, records left out.
  std::vector<unsigned> columns_of(const ikra::detail::member_of_objects& member) const;
  /// The host has written members of an object: they are brought to the columns that are there.
  /// \param members where they are \returns false where one is a container of another size, leads
  /// to an object that is not known, or holds objects: what could be brought is there then
  bool bring_members(const found_object& object, std::span<const void* const> members,
                     const section_info& section);
  /// A member of a base array's objects, if it is a column on the device.
  /// \param room gives memory of so many bytes there \returns whether it is
  bool read(std::size_t base, const ikra::detail::member_of_objects& member,
            const std::function<void*(std::size_t)>& room, const section_info& section);
  /// \}

  const layout& plan() const { return plan_; }
  device& where() const { return device_; }
  const object_table& table() const { return table_; }
  base_array& base(std::size_t i) { return bases_[i]; }
  struct found_element {
    std::size_t place; ///< in the base array
    std::string of_class;
  };
  /// Which object of a base array has an ID, for messages.
  found_element element_of(std::size_t base, object_id id) const;

  /// Brings columns to the device that are not there, or not as the host has them now.
  void upload(std::span<const unsigned> columns, const section_info& section);
  /// Brings columns back to the objects, and nothing else. After an error no object has changed.
  void write_back(std::span<const unsigned> columns, const section_info& section);
  /// What the host's objects are, in checked builds (host_watch.hpp). \{
  /// \throws ikra::error of kind failed_check if an object was destroyed, or differs from what
  /// remember_host() saw
  void compare_with_host(std::span<const unsigned> columns, const section_info& section);
  /// \param captured single objects, by address and class, to which the host may write
  void remember_host(std::span<const unsigned> columns,
                     const std::set<std::pair<void*, unsigned>>& captured);
  /// The host has told of changes.
  void forget_host();
  /// \}
  /// The host has changed objects: columns are uploaded again when next used.
  void forget();
  /// The device has written a column. Never fails.
  void written(unsigned k);

  /// The host has changed all members of some objects: what they have now is in the columns that
  /// are there. \param others_differ whether sections have written objects since they were brought
  /// back \returns whether that could be done: not where one is unknown, refers to others than
  /// before, or has a container of another size
  bool refresh(std::span<const found_object> changed, bool others_differ,
               const section_info& section);

  /// The host may have written to members of single objects: what it has now is in the columns
  /// that are there, and in what lies within these objects (captured.cpp).
  /// \returns whether that could be done: not where a container has another size, or a pointer
  /// leads to an object that is not known
  bool bring_captured(std::span<const found_object> objects, std::span<const unsigned> columns,
                      const section_info& section);

  /// Keeps columns as they are, which is as the host has them, before a section writes to them:
  /// merge_back() tells by that what the host has changed. Those that are kept already stay.
  void keep(std::span<const unsigned> columns, const section_info& section);
  /// Keeps them no longer.
  void release_kept();
  void release_kept(std::span<const unsigned> columns);
  /// write_back() where the host has changed objects, or removed some, since the columns were kept.
  /// Touches only objects that are still led to. A member that the host has changed stays as it is,
  /// and so do all members of an object that it claims.
  /// \param start objects that are there, from which references lead to the others
  void merge_back(std::span<const unsigned> columns, std::span<const found_object> start,
                  const claimed_objects& claimed, const section_info& section);

  /// Says that a launch of so many ticks over a whole base array follows, whose threads may run in
  /// any order: objects may be moved to where they run faster. Columns' addresses stay.
  /// \param section that is to run; it captures none of the array's classes
  /// \param place of its file, if the graph's layout was merged of several
  void any_order(std::size_t base, std::int64_t ticks, const section_info& section,
                 const place_in_merged* place = nullptr);
  /// Whether IKRA_REORDER has objects moved whenever that can be done.
  static bool always_reorders(const device& where);
  /// Has objects stand where their IDs say.
  void restore_order(const section_info& section);

  /// Makes what a launch over a base array needs: its lists by class if it is not direct, and
  /// base_array::positions if these are asked for.
  void locate_base(std::size_t i, bool positions, const section_info& section);

private:
  friend class columns;

  /// A part of a column as the host had it when both were last the same.
  struct host_copy {
    std::size_t offset;
    std::vector<unsigned char> bytes;
  };

  struct column_state {
    bool valid = false;
    bool is_filled = false; ///< a record all of whose members are there, if maybe as they were
    std::uint32_t begin = 0, end = 0; ///< IDs that the column spans
    device_memory values;
    device_memory rows;              ///< lists
    std::vector<list_row> host_rows; ///< lists: by ID - begin
    std::size_t value_count = 0;
    std::vector<std::size_t> list_ends; ///< lists with room: by class, where that for values ends
    bool is_kept = false;
    device_memory kept;                      ///< values before sections wrote to them
    std::vector<unsigned char> kept_on_host; ///< the same where the device has no room
    std::vector<host_copy> host_had;         ///< of a GPU's column, as far as it was asked for
  };

  /// Pointers of which a base array after those that were traced is.
  struct guest {
    const std::type_info* pointee;
    std::vector<unsigned char> pointers;
    std::uint64_t last_use = 0; ///< in the order of all uses of guests
    bool came_again = false;
  };
  static constexpr std::size_t most_guests = 8;
  /// A captured container of pointers.
  struct known_list {
    const std::type_info* pointee;
    const void* place; ///< where the pointers were
    std::vector<unsigned char> pointers;
    std::shared_ptr<std::vector<object_id>> ids;
    bool has_rooted = false;
  };
  static constexpr std::size_t most_lists = 4;

  /// In which order objects of a base array of several classes are gone through: by blocks of the
  /// array's elements, class by class in each. They were mostly made one after the other, so that
  /// each class's loop through all memory would fetch again what the loop before it had. Numbers
  /// stay what they are when objects come and go.
  struct array_blocks {
    std::vector<unsigned> classes;    ///< that occur, in their order
    std::vector<std::uint32_t> first; ///< by block and class, and after the last block

    std::size_t count() const { return classes.empty() ? 0 : first.size() / classes.size() - 1; }
    /// \returns by class the number of the block's first object.
    const std::uint32_t* row(std::size_t block) const {
      return first.data() + block * classes.size();
    }
    /// How many objects of a class are in blocks: the first ones.
    std::size_t end_of(unsigned class_index) const;
  };

  struct lane;
  class merge;
  class refreshment;
  class comparison;
  class host_watch;
  struct block;
  class arrival;
  struct class_order;

  void trace_base(const pointer_source& source, const section_info& section);
  void trace_root(const pointer_source& source, const section_info& section);
  void trace_rooted(std::span<const pointer_source> roots, std::span<const unsigned> followed,
                    const section_info& section);
  template <class Use>
  void look_up(const pointer_source& source, std::size_t chunks, const section_info& section,
               const Use& use) const;
  bool number_distinct(const pointer_source& source, base_array& base,
                       const std::vector<std::vector<std::size_t>>& counts,
                       const section_info& section);
  void number_one_by_one(const pointer_source& source, base_array& base,
                         const section_info& section);
  std::uint32_t number(unsigned class_index, void* address, const section_info& section);
  bool rooted_stand_alone(std::span<const found_object> captured);
  bool may_lead_to_rooted(const column_info& column) const;
  bool is_rooted(unsigned class_index, std::size_t number) const {
    return has_rooted_ && number >= rooted_[class_index].first &&
           number < rooted_[class_index].last;
  }
  void follow(std::span<const unsigned> followed, std::span<const std::size_t> from,
              const section_info& section);
  void follow_part(const column_info& column, const column_part& part, std::size_t& done,
                   std::vector<discovery>& found, const section_info& section);
  void follow_blocks(unsigned k, std::vector<discovery>& found, const section_info& section);
  void number_found(std::span<const discovery> found, const section_info& section);
  void make_blocks(const base_array& base, std::span<const std::size_t> totals);
  void assign_ids(const section_info& section);
  guest& outdated_guest();
  std::vector<found_object> unknown_of(const pointer_source& source,
                                       const section_info& section) const;
  bool extend(base_array& base, const pointer_source& more, const section_info& section);
  std::optional<base_array> looked_up(const pointer_source& source,
                                      const section_info& section) const;
  /// How many objects of a class its segment has IDs for.
  std::size_t capacity(unsigned class_index) const {
    return has_room_ ? room_[class_index] : table_.objects[class_index].size();
  }
  void make_lists(base_array& base, const section_info& section);
  bool make_new_rows(std::span<const std::size_t> before);
  void fill_new(std::span<const std::size_t> before, const section_info& section);
  void put(column_state& column, std::size_t offset, const void* from, std::size_t bytes,
           const section_info& section) const;
  std::optional<std::uint32_t> id_of(const found_object& object) const;
  std::vector<std::uint32_t> places_of(const base_array& base, std::uint32_t begin) const;
  const object_table& no_objects();
  void check_assignable(std::span<const unsigned> columns, const section_info& section) const;
  void allocate_column(unsigned k, const section_info& section);
  void make_rows(unsigned k, const section_info& section);
  template <class Body>
  void for_blocks(unsigned class_index, std::span<const unsigned> columns, std::span<lane> lanes,
                  const section_info& section, const Body& body);
  template <class Body>
  void for_list_blocks(unsigned k, const section_info& section, const Body& body);
  template <class Move> void for_cache_blocks(const block& b, const Move& move);
  template <class Move>
  static void for_cache_blocks(const block& b, std::size_t begin, std::size_t end,
                               const Move& move);
  template <class Move> void for_all_blocks(std::span<const block> blocks, const Move& move);
  void gather(const block& b, const section_info& section);
  void gather_in_place(std::span<const unsigned> columns);
  void list_blocks(std::span<const unsigned> columns, std::vector<lane>& lanes,
                   std::vector<block>& blocks) const;
  void scatter(std::span<const block> blocks);
  static std::size_t lane_bytes(const block& b, const lane& l);
  std::optional<unsigned> order_key(unsigned class_index, std::span<const unsigned> used,
                                    std::size_t fewest_bytes) const;
  void copy_fields(unsigned record, const section_info& section);
  template <class Body> void for_class_columns(unsigned class_index, const Body& body);
  void sort_class(unsigned class_index, unsigned key, const section_info& section);
  void restore_class(unsigned class_index, const section_info& section);
  void forget_order();

  const layout& plan_;
  device& device_;
  object_table table_;
  array_blocks blocks_;           ///< of the first base array
  std::vector<base_array> bases_; ///< those that were traced, and then guests'
  std::vector<guest> guests_;
  std::uint64_t guest_uses_ = 0;
  std::vector<known_list> lists_;
  std::size_t next_list_ = 0;
  /// Numbers of a class's objects, to which roots alone lead.
  struct number_range {
    std::size_t first, last;
    bool empty() const { return first == last; }
  };
  bool roots_apart_ = false, has_rooted_ = false;
  std::vector<number_range> rooted_;       ///< by class
  std::vector<bool> of_rooted_family_;     ///< by class
  std::vector<std::vector<void*>> asleep_; ///< by class; empty if none ever slept
  bool met_rooted_ = false;                ///< number() was asked for one
  std::vector<column_state> columns_;
  std::vector<class_order> orders_; ///< by class; empty where none was ever moved
  bool has_room_ = false;
  std::vector<std::size_t> room_;            ///< by class, once IDs are given
  std::unique_ptr<host_watch> watch_;        ///< in checked builds
  std::unique_ptr<object_table> no_objects_; ///< for discovery: all that there is
};

/// The columns of an object graph as emitted code asks for them, by number and type.
class columns {
public:
  /// \param place of the file that asks, if the graph's layout was merged of several
  explicit columns(const object_graph* w, const place_in_merged* place = nullptr)
      : graph_(w), place_(place) {}

  /// \returns column k, shifted so that the family's IDs index it; null where it was not uploaded.
  template <class T> T* values(unsigned k) const {
    return static_cast<T*>(shifted(k, typeid(T), sizeof(T)));
  }
  template <class T> list_column<T> list(unsigned k) const {
    return {shifted_rows(k), static_cast<T*>(list_values(k, typeid(T)))};
  }
  template <class T> nested_column<T> nested(unsigned k) const { return {list<T>(k)}; }
  /// First IDs of the N classes of a family.
  template <unsigned Family, std::size_t N> class_starts<N> starts() const {
    class_starts<N> result{};
    copy_starts(Family, result.first, N);
    return result;
  }

private:
  void* shifted(unsigned k, const std::type_info& type, std::size_t size) const;
  const list_row* shifted_rows(unsigned k) const;
  void* list_values(unsigned k, const std::type_info& type) const;
  void copy_starts(unsigned family, std::uint32_t* to, std::size_t n) const;

  unsigned number_of(unsigned k) const { return place_ == nullptr ? k : place_->columns[k]; }

  const object_graph* graph_;
  const place_in_merged* place_;
};

} // namespace ikra::rt
