// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resident scopes: object graphs that outlive sessions. A scope has one object graph for all
// layouts (translation units) that use it, traced along all of their references when one of them
// first uses it. Only layouts that cannot be merged have graphs of their own. Written columns stay
// on the device until someone else needs the objects: the host by sync(), such another graph, or a
// section over other arrays.
#pragma once

#include <ikra/generated/objects/column_numbers.hpp>
#include <ikra/generated/objects/object_graph.hpp>
#include <ikra/generated/objects/root_ids.hpp>
#include <ikra/resident.hpp>

#include "merged_layout.hpp"
#include "rest.hpp"
#include "scope_captures.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <typeinfo>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ikra::rt {

/// Whether a resident scope of this thread is open.
bool has_resident_objects();

/// What this thread's scopes hold: lists, and objects by resident::add() that stand in none. \{
std::vector<const ikra::detail::object_list*> lists_of_scopes();
std::vector<ikra::detail::object_place> added_to_scopes();
/// \}

/// The object_graph of a scope for one layout, or several.
class home {
public:
  /// \param of_host_section no code of the host touches the objects: nothing is kept to compare
  /// them with, and only references that sections use are followed
  explicit home(const layout& file, bool of_host_section = false)
      : files_{&file}, plan_(&file), of_host_section_(of_host_section) {
    dirty_.reserve(file.columns().size());
  }

  bool has(const layout& file) const {
    return std::find(files_.begin(), files_.end(), &file) != files_.end();
  }
  /// The first of the files.
  const layout& file() const { return *files_.front(); }
  bool is_merged() const { return merged_ != nullptr; }
  bool is_of_host_section() const { return of_host_section_; }
  /// Takes in another layout. Objects are traced again at the next use. \returns whether that can
  /// be done
  bool join(const layout& file);
  /// \returns where a file's classes and columns are; null if the graph is that file's alone.
  const place_in_merged* place_of(const layout& file) const {
    return merged_ == nullptr ? nullptr : &merged_->place_of(file);
  }
  const std::shared_ptr<object_graph>& current() const { return graph_; }
  /// Whether sections over the array have run.
  bool knows(const ikra::detail::object_list& list) const {
    return std::ranges::any_of(bases_, [&](const base_list& base) { return base.list == &list; });
  }

  /// Makes sure that a base array and roots are in the object_graph; traces again if they are not.
  /// \param ids gets an ID for each pointer of the roots. \returns the number of the base array in
  /// the object_graph, or none if there are objects of classes that the file does not know.
  /// \param file that has the section
  std::optional<std::size_t> admit(const layout& file, const ikra::detail::object_list& list,
                                   const reference_ops& ops,
                                   std::span<const captured_root> captured, root_ids& ids,
                                   device& where, const section_info& section);

  /// A section wrote columns on the device. Never fails: there is no way back then.
  void written(std::span<const unsigned> columns, const section_info& section);
  /// Whether some were not brought back.
  bool is_ahead() const { return !dirty_.empty(); }
  /// Brings written columns back.
  void sync();
  /// The program has all objects, and may delete those that sections captured: none of them is
  /// looked at again before a section captures it anew.
  void let_captured_go();
  /// Objects were written elsewhere; their graph is still the same.
  void forget();
  /// The host wrote to objects: they are traced again at the next use. What was written on the
  /// device is brought back only then, so that the host may say more.
  /// \param claimed objects of which all members are as the host has them
  /// \param nothing_else the host wrote to no others: their columns are brought up to date at once
  /// where the graph stays as it is
  void changed(std::span<const ikra::detail::object_list> claimed, bool nothing_else = false);
  /// The same of some members of one object. \param members where they are
  void changed_members(const ikra::detail::object_list& one, std::span<const void* const> members);
  /// The host has made objects: they are traced at the next use.
  void add(const ikra::detail::object_list& made);
  /// The host takes an object away, with what it holds and owns: none of it is looked at any more.
  /// \param gone gets where it is
  void remove(const ikra::detail::object_place& object, claimed_objects& gone);
  /// A list has other pointers, whose objects are looked up, or traced, at the next use.
  /// \param has_grown objects may come again \param same pointers at its front are the same
  void renewed(const ikra::detail::object_list& list, bool has_grown, std::size_t same);
  /// Whether a list's new pointers lead to all objects here to which it led, and that were not
  /// removed.
  bool leads_to_all(const ikra::detail::object_list& list, const ikra::detail::object_list& now);
  /// Brings members back that sections have written.
  void sync_members(std::span<const ikra::detail::member_of_objects> members);
  /// scope::read(), where a section over the list has run here and its columns are as they should
  /// be.
  bool read(const ikra::detail::object_list& list, const ikra::detail::member_of_objects& member,
            ikra::detail::any_buffer& out);
  /// On all cores, sections run on the objects as they are until columns are worth tracing them,
  /// once a graph was dropped: it may be dropped again so soon that columns do not pay. \{
  bool may_rest() const {
    return (graph_ == nullptr || changed_) && trace_cost_ > 0 && rested_.is_less_than_columns();
  }
  /// Brings back what sections wrote, if the host has changed objects. \returns whether it rests
  bool rests();
  /// A section that rested took so long.
  /// \param patience how often columns' cost it has to exceed what they may save
  void rested(const section_info& section, double seconds, std::size_t elements, double share,
              double patience) {
    rested_.add(section, seconds, elements, patience * trace_cost_, share);
  }
  /// A section has its columns: how long that took is noted if its objects were traced for it.
  /// \returns whether they were
  bool brought() {
    if (!trace_began_)
      return false;
    trace_cost_ = seconds_since(*std::exchange(trace_began_, std::nullopt));
    return true;
  }
  /// Seconds, the last time.
  double trace_cost() const { return trace_cost_; }
  /// \}
  /// Single objects that sections have captured, by address and class.
  const std::set<std::pair<void*, unsigned>>& captured_objects() const { return ever_captured_; }
  /// What its sections captured.
  scope_captures& captures() { return captures_; }
  /// Pointers that an array of a scope no longer has.
  void left_out(std::span<const void* const> pointers);
  /// They are traced again at the next use. Nothing was written on the device.
  void drop();

private:
  struct base_list {
    const ikra::detail::object_list* list;
    const reference_ops* ops;
    const layout* file;
    bool is_stale = false; ///< the list has other pointers than the graph's base array
    std::size_t same = 0;  ///< at their front
  };

  pointer_source source_of(const base_list& base) const {
    return {base.ops, base.list->pointers, base.list->count, place_of(*base.file)};
  }
  using clock = std::chrono::steady_clock;
  static double seconds_since(clock::time_point start) {
    return std::chrono::duration<double>(clock::now() - start).count();
  }
  std::optional<found_object> found(const ikra::detail::object_place& place) const;
  std::vector<found_object> added() const;
  bool bring_added(const section_info& section);
  bool has_base(std::size_t i, const section_info& section);
  void leave_removed_roots();
  void add_objects(const ikra::detail::object_list& list, std::vector<found_object>& to) const;
  static void add_objects(const pointer_source& source, std::vector<found_object>& to);
  std::vector<found_object> led_to() const;
  bool refresh(std::span<const ikra::detail::object_list> claimed);
  static std::vector<found_object> objects_of(std::span<const captured_root> roots,
                                              bool (*is_meant)(const captured_root&));
  bool has_captured(const std::vector<captured_root>& roots, std::vector<found_object>& single,
                    root_ids& ids, const layout& file, const section_info& section);
  std::vector<found_object> short_rooted(std::span<const captured_root> roots,
                                         const root_ids& ids) const;
  void note_captured(std::span<const found_object> objects);
  bool bring_captured(std::span<const found_object> objects, const layout& file,
                      const section_info& section);
  void bring_captured(std::span<const unsigned> columns);
  bool knows_all(const layout& file) const;
  std::vector<unsigned> followed() const;

  std::vector<const layout*> files_;
  const merged_layout* merged_ = nullptr; ///< of several files
  const layout* plan_;
  std::vector<base_list> bases_;
  std::vector<captured_root> roots_;               ///< since the host last had all
  std::set<const std::type_info*> rooted_classes_; ///< of objects to which captures alone ever led
  bool links_rooted_ = false;                      ///< sections wrote references to such classes
  std::shared_ptr<object_graph> graph_;
  std::vector<unsigned> dirty_; ///< has room for all columns
  bool changed_ = false;        ///< by the host, since columns were written
  claimed_objects claimed_;
  std::set<std::pair<void*, unsigned>> captured_; ///< single objects, since the host last had all
  std::set<std::pair<void*, unsigned>> ever_captured_;
  scope_captures captures_;
  bool of_host_section_;
  std::set<unsigned> followed_; ///< columns of a host section's sections
  std::unordered_set<const void*> left_out_;
  std::vector<found_object> pending_;            ///< that the host has made
  std::optional<clock::time_point> trace_began_; ///< columns are still to be filled
  double trace_cost_ = 0;                        ///< seconds
  time_in_place rested_;                         ///< since the graph was dropped
  bool has_grown_ = false;                       ///< the next graph gets room for new objects
  claimed_objects gone_;                         ///< to which captured pointers may lead
  const section_info* writer_ = nullptr;
  const section_info* user_ = nullptr; ///< the last one
};

/// \param ids gets an ID for each pointer of the roots. \returns whether all are there
bool find_ids(object_graph& in, const std::vector<captured_root>& roots, root_ids& ids,
              const section_info& section);

/// Where a session's objects live, if a scope holds its base array.
struct residence {
  std::shared_ptr<home> at;
  const ikra::detail::object_list* list = nullptr;
};

/// \returns the innermost scope's home for a base array, or none.
residence find_residence(const layout& file, const pointer_source& base);

/// home::admit() there. If the file does not know all classes that others have brought there, it
/// has a home of its own from then on.
std::size_t admit(residence& there, const layout& file, const reference_ops& ops,
                  const std::vector<captured_root>& roots, root_ids& ids, device& where,
                  const section_info& section);

/// Where a scope holds the objects of another array, such as some of its own array's: their IDs are
/// looked up. What other homes wrote is brought back before. \param base gets the array's number in
/// the object graph
/// \returns none where one is not there, or the file does not know all classes there
residence find_guest_residence(const layout& file, const pointer_source& array, device& where,
                               const section_info& section, std::size_t& base);

/// \returns whether a scope of this thread is open.
bool has_resident_scope();
/// Whether a section that may run on the objects as they are, on all cores, does so: this thread
/// has no open scope, or its scopes rest, and the section takes no longer than its columns, which
/// would have to be filled and brought back.
/// \param operations of an element at most, or unbounded: a GPU is worth columns where they are
/// many
bool objects_stay_in_place(unsigned operations, std::int64_t ticks);

/// Before a section runs on the objects as they are: brings back what a host section's scope has.
void leave_columns(bool writes);
/// A section ran on the objects as they are. \param seconds that it took
/// \param plan, ops of its first array
void note_rest(const section_info& section, double seconds, std::size_t elements,
               const layout& plan, const reference_ops& ops);

/// A section ran in columns of a scope, on all cores.
/// \param seconds that it took, with what brought the columns up to date
/// \param traced they were not there before
void note_in_columns(const home& at, const section_info& section, double seconds,
                     std::size_t elements, bool is_one_section, bool traced);
/// The same in columns of its own, since scopes do not have all of its objects.
void note_beside_columns(const section_info& section, double seconds, std::size_t elements);

/// The scope that a host section opens by itself, in which the host touches no objects.
/// \returns null where another scope is open
std::unique_ptr<ikra::detail::resident_scope> open_host_section();
bool has_host_section_scope();
/// Where an array's objects live that such a scope has not met before; none where no such scope is
/// open, or it has met too many.
residence take_in(const layout& file, const pointer_source& base);
/// Ends such a scope, for which memory is lacking: sections run as without it.
/// \returns whether there was one
bool give_up_host_section();

/// Called before a session reads objects in its own object_graph: brings back what other homes
/// wrote.
void sync_other_homes(const home* mine);
/// Called after a session wrote objects: other homes upload their columns again.
void forget_other_homes(const home* mine);
/// Called after the host wrote objects: all homes trace them again. What homes wrote was brought
/// back before.
void drop_homes();

} // namespace ikra::rt
