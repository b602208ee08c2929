// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ikra::resident scopes of a thread: what the host says of the objects that they hold, and
// where their columns are (docs/runtime.md, "Resident scopes").
#pragma once

#include "resident.hpp"
#include "rest.hpp"
#include "thread_scopes.hpp"

#include <ikra/generated/objects/live_objects.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ikra::rt {

/// Whether two arrays hold the same pointers.
bool same_pointers(const void* a, std::size_t count, const void* b, std::size_t count_of_b);

class scope final : public ikra::detail::resident_scope {
public:
  explicit scope(std::vector<ikra::detail::object_list> lists) : lists_(std::move(lists)) {
    in_->add(this, true);
  }
  /// Of a host section: it holds the arrays over which sections come to run.
  explicit scope(bool of_host_section) : of_host_section_(of_host_section) {
    lists_.reserve(most_arrays); // homes keep the addresses of its elements
    in_->add(this, false);
  }
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope() override { in_->remove(this, !of_host_section_); }

  void sync() override;
  void sync_members(std::span<const ikra::detail::member_of_objects> members) override;
  void end() override;
  void changed(std::vector<ikra::detail::object_list> named) override;
  void changed_members(const ikra::detail::object_list& one,
                       std::span<const void* const> members) override;
  void add(std::vector<ikra::detail::object_list> named) override;
  void remove(std::vector<ikra::detail::object_list> named) override;
  std::span<const ikra::detail::object_list> lists() override;
  bool read(const ikra::detail::object_list& list, const ikra::detail::member_of_objects& member,
            ikra::detail::any_buffer& out) override;

  /// \returns the array with these pointers, or null.
  const ikra::detail::object_list* find(const pointer_source& base) const {
    for (const ikra::detail::object_list& list : lists_)
      if (*list.pointee == *base.ops->pointee &&
          same_pointers(list.pointers, list.count, base.pointers, base.count))
        return &list;
    return nullptr;
  }

  const std::shared_ptr<home>& home_of(const layout& file) {
    for (const std::shared_ptr<home>& h : homes_)
      if (h->has(file))
        return h;
    if (!is_alone(file))
      for (const std::shared_ptr<home>& h : homes_)
        if (!is_alone(h->file()) && h->join(file))
          return h;
    return homes_.emplace_back(std::make_shared<home>(file, of_host_section_));
  }
  /// From now on a file has a home of its own.
  void separate(const layout& file) {
    for (const std::shared_ptr<home>& h : homes_)
      h->sync();
    homes_.clear();
    alone_.push_back(&file);
  }

  const std::vector<std::shared_ptr<home>>& homes() const { return homes_; }
  bool has(const home* one) const {
    return std::ranges::any_of(homes_, [&](const auto& h) { return h.get() == one; });
  }
  std::span<ikra::detail::object_list> held() { return lists_; }
  const std::map<const void*, ikra::detail::object_place>& added() const { return added_; }
  /// A list now has these pointers. \param first pointers before stood there, too
  void take(ikra::detail::object_list& list, const ikra::detail::object_list& now,
            std::size_t first = 0) {
    leave_to(now, first);
    list = now;
  }
  /// What was added and stands in a list goes with the list.
  void leave_to(const ikra::detail::object_list& list, std::size_t first = 0);
  /// Has lists leave out what remove() named.
  void leave_removed();
  bool is_ahead() const {
    return std::ranges::any_of(homes_, [](const auto& h) { return h->is_ahead(); });
  }

  bool must_look =
      false; ///< at variables of lists before they are used, since the host has changed some

  bool is_of_host_section() const { return of_host_section_; }
  /// An array that a host section has met. \returns null where it has met too many
  const ikra::detail::object_list* take_in(const pointer_source& base);
  /// Brings all back, and is none of the thread's scopes any more.
  void give_up() {
    const std::vector<std::shared_ptr<home>> homes = std::exchange(homes_, {});
    std::erase(*in_, this);
    for (const std::shared_ptr<home>& h : homes)
      h->sync();
  }
  /// Of a host section, on a GPU: whether objects are not there yet, and sections that run on them
  /// as they are took less time than bringing them there would.
  bool may_stay() const { return stayed_ <= worth_ && !has_graph(); }
  /// On all cores: whether no section had columns yet, and these are not worth it.
  bool may_begin_in_place() const { return homes_.empty() && time_.is_less_than_columns(); }
  /// A section ran on the objects as they are. \param worth seconds that it would take to bring
  /// them to a device, or into columns
  void stayed(const section_info& section, double seconds, std::size_t elements, double worth,
              double share) {
    stayed_ += seconds;
    worth_ = std::max(worth_, worth);
    time_.add(section, seconds, elements, worth_, share);
  }
  /// A section ran in columns. \param traced all objects were traced for it
  void ran_in_columns(const section_info& section, double seconds, std::size_t elements,
                      bool is_one_section, bool traced) {
    std::optional<double> as_they_are;
    if (is_one_section)
      as_they_are = time_.of_element(section);
    if (as_they_are)
      *as_they_are *= static_cast<double>(elements);
    if (traced && !std::exchange(has_traced_, true)) // it may pay
      return;
    in_columns_.add(seconds, as_they_are, traced ? trace_cost() : 0);
  }
  /// Some objects of a section were not among those in columns: it traced its own.
  void ran_beside_columns(const section_info& section, double seconds, std::size_t elements) {
    if (const std::optional<double> each = time_.of_element(section); each && has_graph())
      in_columns_.add(seconds, *each * static_cast<double>(elements), trace_cost());
  }
  double patience() const { return in_columns_.patience(); }
  /// Seconds to trace what is in columns.
  double trace_cost() const {
    double seconds = 0;
    for (const std::shared_ptr<home>& h : homes_)
      seconds += h->current() == nullptr ? 0 : h->trace_cost();
    return seconds;
  }
  /// Brings all back, and rests. \{
  void drop_columns();
  /// The same where columns take longer than the objects as they are would.
  void leave_lost_columns();
  /// \}

  bool has_graph() const {
    return std::ranges::any_of(homes_, [](const auto& h) { return h->current() != nullptr; });
  }

private:
  static constexpr std::size_t most_arrays = 4;

  /// Whether no object is in columns, and all lists can be looked at again.
  bool knows_no_objects() const {
    return !has_graph() && removed_.empty() &&
           std::ranges::all_of(lists_, [](const auto& list) { return list.again != nullptr; });
  }
  /// Objects that add() named are gone.
  void leave_added(const void* begin, const void* end) {
    added_.erase(added_.lower_bound(begin), added_.lower_bound(end));
  }
  /// remove() then.
  void remove_unknown(const ikra::detail::object_place& gone) {
    leave_added(gone.address, static_cast<const std::byte*>(gone.address) + gone.size);
    must_look = true;
  }
  /// Times a call of the host, if there are columns that it may be for.
  timed_call timed() { return {in_columns_, has_graph() && !current_device().is_cuda()}; }
  timed_call timed_often() {
    constexpr unsigned every = 16;
    return {in_columns_, calls_++ % every == 0 && has_graph() && !current_device().is_cuda(),
            every};
  }

  const std::shared_ptr<thread_scopes> in_ = scopes_here;

  bool is_alone(const layout& file) const {
    return std::ranges::find(alone_, &file) != alone_.end();
  }

  /// All that may hold the same objects. \param room for them, where they are not this thread's
  std::span<scope* const> together(scope_list& room) const {
    if (in_ == scopes_here)
      return *in_;
    room = *in_;
    room.insert(room.end(), scopes_here->begin(), scopes_here->end());
    return room;
  }

  std::vector<ikra::detail::object_list> lists_; // homes keep the addresses of its elements
  std::vector<std::shared_ptr<home>> homes_;
  std::vector<const layout*> alone_; ///< that do not know classes of which others have objects
  std::map<const void*, ikra::detail::object_place> added_; ///< by add(), in no list yet
  claimed_objects removed_; ///< since lists left removed objects out
  bool of_host_section_ = false;
  bool has_traced_ = false;
  double stayed_ = 0, worth_ = 0; ///< seconds
  time_in_place time_;
  time_in_columns in_columns_;
  unsigned calls_ = 0; ///< of add() and remove()
};

/// What sections wrote is lost where an object was destroyed: others would be brought back by way
/// of it. So this is reported once, and not again at the scope's end.
template <class Use> auto or_drop(home& at, const Use& use) {
  try {
    return use(at);
  } catch (const destroyed_object&) {
    at.drop();
    throw;
  }
}

template <class Use> void each_home(std::span<scope* const> of, const Use& use) {
  for (const scope* s : of)
    for (const std::shared_ptr<home>& h : s->homes())
      or_drop(*h, use);
}

/// What remove() named is left out of the lists of scopes, before they are read or hold others.
/// That looks at all of them, so not each call of remove() does it.
void leave_removed(std::span<scope* const> of);
/// Lists whose variables can be looked at become what these hold.
/// \returns whether it can no longer be told what sections wrote
bool look_again(scope& at, std::span<scope* const> of);
/// The same, and leave_removed(), before columns are brought back.
bool look_before_sync(std::span<scope* const> of);
/// The same where it is seen at once, before a section: after remove(), or by the size.
bool look_at_sizes(scope& at, std::span<scope* const> of);
/// \throws ikra::error of kind unsupported if it is lost what sections wrote
void check_not_lost(bool lost);

} // namespace ikra::rt
