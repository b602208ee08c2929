// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scope.hpp"

#include <ikra/generated/sections/section.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <unordered_set>

namespace ikra::rt {

using ikra::detail::member_of_objects;
using ikra::detail::object_place;

bool same_pointers(const void* a, std::size_t count, const void* b, std::size_t count_of_b) {
  return count == count_of_b &&
         (count == 0 || a == b || ikra::detail::same_bytes(a, b, count * sizeof(void*)));
}

namespace {

std::vector<const void*> pointers_of(const ikra::detail::object_list& list) {
  std::vector<const void*> pointers(list.count);
  if (list.count != 0)
    std::memcpy(pointers.data(), list.pointers, list.count * sizeof(void*));
  return pointers;
}

/// What a list of a scope held and its variable no longer holds.
struct difference {
  std::vector<const void*> left_out;
  /// Some that stayed stand in another order, or all have moved: the variable may as well hold new
  /// objects at the addresses of old ones.
  bool is_unclear;
};

difference compare(const ikra::detail::object_list& list, const ikra::detail::object_list& now) {
  const std::vector<const void*> before = pointers_of(list), after = pointers_of(now);
  const std::unordered_set<const void*> known(before.begin(), before.end());
  std::unordered_set<const void*> missing = known;
  difference result{{},
                    list.has_objects && !before.empty() && !after.empty() && before[0] != after[0]};
  auto next = before.begin();
  for (const void* const pointer : after) {
    missing.erase(pointer);
    if (!known.contains(pointer))
      continue;
    next = std::find(next, before.end(), pointer);
    if (next == before.end())
      result.is_unclear = true;
    else
      ++next;
  }
  result.left_out.assign(missing.begin(), missing.end());
  return result;
}

/// Whether the host has told which objects of a list are gone, and the others are all there.
bool is_told(const ikra::detail::object_list& list, const ikra::detail::object_list& now,
             std::span<scope* const> of) {
  bool has_all = list.has_left_out;
  if (has_all)
    each_home(of, [&](home& h) { has_all = has_all && h.leads_to_all(list, now); });
  return has_all;
}

/// A list of a scope becomes what its variable holds now.
/// \returns whether it can no longer be told what sections wrote.
bool renew(scope& at, ikra::detail::object_list& list, const ikra::detail::object_list& now,
           std::span<scope* const> of) {
  bool is_ahead = false;
  each_home(of, [&](const home& h) { is_ahead = is_ahead || h.is_ahead(); });
  difference found = is_ahead ? compare(list, now) : difference{{}, false};
  found.is_unclear = found.is_unclear && !is_told(list, now, of);
  at.take(list, now);
  each_home(of, [&](home& h) {
    h.left_out(found.left_out);
    h.changed({});
  });
  return found.is_unclear;
}

/// The same where the variable was seen to hold others: what is traced stays if the host has only
/// added some after them, or told which went.
bool notice(scope& at, ikra::detail::object_list& list, std::span<scope* const> of) {
  const ikra::detail::object_list now = list.again(list);
  const bool has_grown = now.count > list.count &&
                         (list.count == 0 || ikra::detail::same_bytes(now.pointers, list.pointers,
                                                                      list.count * sizeof(void*)));
  if (!has_grown && !is_told(list, now, of))
    return renew(at, list, now, of);
  const std::size_t before = list.count;
  const bool more = now.count > before;
  at.take(list, now, has_grown ? before : 0);
  each_home(of, [&](home& h) { h.renewed(list, more, has_grown ? before : 0); });
  return false;
}

} // namespace

bool look_again(scope& at, std::span<scope* const> of) {
  bool lost = false;
  at.must_look = false;
  for (ikra::detail::object_list& list : at.held()) {
    if (list.same == nullptr)
      continue;
    if (list.same(list))
      at.leave_to(list); // an object may have been added where another one was
    else
      lost = notice(at, list, of) || lost;
  }
  return lost;
}

bool look_before_sync(std::span<scope* const> of) {
  bool lost = false;
  if (std::ranges::any_of(of, &scope::is_ahead)) {
    leave_removed(of);
    for (scope* s : of)
      if (s->is_ahead())
        lost = look_again(*s, of) || lost;
  }
  return lost;
}

bool look_at_sizes(scope& at, std::span<scope* const> of) {
  bool lost = false;
  for (ikra::detail::object_list& list : at.held()) {
    if (list.same == nullptr)
      continue;
    if (list.count_now(list) != list.count || (list.has_left_out && !list.same(list)))
      lost = notice(at, list, of) || lost;
    list.has_left_out = false;
  }
  return lost;
}

void leave_removed(std::span<scope* const> of) {
  for (scope* s : of)
    s->leave_removed();
}

void check_not_lost(bool lost) {
  if (lost)
    throw error(error_kind::unsupported,
                "a vector of an ikra::resident scope was given another order or other objects "
                "before what sections wrote to them was brought back; call sync() on the scope "
                "before the host adds, moves or exchanges objects");
}

const ikra::detail::object_list* scope::take_in(const pointer_source& base) {
  if (lists_.size() == most_arrays)
    return nullptr;
  const auto pointers = std::make_shared<std::vector<const void*>>(base.count);
  if (base.count != 0)
    std::memcpy(pointers->data(), base.pointers, base.count * sizeof(void*));
  return &lists_.emplace_back(pointers->data(), base.count, base.ops->pointee, pointers, nullptr);
}

void scope::leave_to(const ikra::detail::object_list& list, std::size_t first) {
  const auto leave = [&](const void* address, std::size_t i) {
    const auto found = added_.find(address);
    if (found != added_.end() &&
        *found->second.type == *list.place(list.pointers, i).type) // not a part that lies there
      added_.erase(found);
  };
  // Mostly the last ones. Objects may not be in the cache, so pointers are compared before.
  const auto* const pointers = static_cast<const unsigned char*>(list.pointers);
  for (std::size_t i = list.count; i > first && !added_.empty(); --i) {
    const void* pointer = nullptr;
    std::memcpy(&pointer, pointers + (i - 1) * sizeof(void*), sizeof(void*));
    leave(pointer, i - 1);
  }
  for (std::size_t i = list.count; i > first && !added_.empty(); --i) // that lead to bases
    leave(list.place(list.pointers, i - 1).address, i - 1);
}

void scope::leave_removed() {
  if (removed_.empty())
    return;
  scope_list room;
  const std::span<scope* const> all = together(room);
  for (ikra::detail::object_list& list : lists_)
    if (ikra::detail::leave_out(list, removed_)) {
      list.has_left_out = true;
      each_home(all, [&](home& h) { h.renewed(list, false, 0); });
    }
  removed_.clear();
}

void scope::sync() {
  const scopes_lock held(*in_);
  report_kept();
  const timed_call taken = timed();
  scope_list room;
  const std::span<scope* const> all = together(room);
  const bool lost = look_before_sync(all);
  each_home(all, [](home& h) {
    h.sync();
    h.let_captured_go();
  });
  check_not_lost(lost);
}

void scope::sync_members(std::span<const member_of_objects> members) {
  const scopes_lock held(*in_);
  const timed_call taken = timed();
  scope_list room;
  const std::span<scope* const> all = together(room);
  if (std::ranges::any_of(all, &scope::is_ahead)) // it may turn out that all has to be brought back
    rt::leave_removed(all);
  each_home(all, [&](home& h) { h.sync_members(members); });
}

void scope::end() {
  const scopes_lock held(*in_);
  scope_list room;
  const std::span<scope* const> all = together(room);
  try {
    rt::leave_removed(all);
    const bool lost = is_ahead() && look_again(*this, all);
    for (const std::shared_ptr<home>& h : homes_)
      or_drop(*h, [](home& each) { each.sync(); });
    check_not_lost(lost);
  } catch (const error& failed) { // of a checked build
    if (failed.kind() != error_kind::failed_check || std::uncaught_exceptions() != 0)
      throw;
    report_later(std::current_exception());
  }
}

void scope::changed(std::vector<ikra::detail::object_list> named) {
  const scopes_lock held(*in_);
  report_kept();
  const timed_call taken = timed();
  scope_list room;
  const std::span<scope* const> all = together(room);
  const bool nothing_else =
      !named.empty() && std::ranges::all_of(named, &ikra::detail::object_list::is_single);
  if (!nothing_else)
    rt::leave_removed(all);
  bool lost = false;
  for (const ikra::detail::object_list& now : named)
    for (scope* s : all)
      for (ikra::detail::object_list& list : s->held())
        if (now.variable != nullptr && now.variable == list.variable &&
            *now.pointee == *list.pointee &&
            !same_pointers(now.pointers, now.count, list.pointers, list.count))
          lost = renew(*s, list, now, all) || lost;
  for (scope* s : all)
    s->must_look = true;
  std::erase_if(named, [](const ikra::detail::object_list& list) { return !list.is_single; });
  each_home(all, [&](home& h) { h.changed(named, nothing_else); });
  check_not_lost(lost);
}

void scope::changed_members(const ikra::detail::object_list& one,
                            std::span<const void* const> members) {
  const scopes_lock held(*in_);
  const timed_call taken = timed_often();
  scope_list room;
  each_home(together(room), [&](home& h) { h.changed_members(one, members); });
}

void scope::add(std::vector<ikra::detail::object_list> named) {
  const scopes_lock held(*in_);
  const timed_call taken = timed_often();
  for (const ikra::detail::object_list& list : named) {
    const object_place place = list.place(list.pointers, 0);
    if (place.address == nullptr)
      continue;
    added_.insert_or_assign(place.address, place);
    for (const std::shared_ptr<home>& h : homes_)
      h->add(list);
  }
}

void scope::remove(std::vector<ikra::detail::object_list> named) {
  const scopes_lock held(*in_);
  const timed_call taken = timed_often();
  scope_list room;
  const std::span<scope* const> all = together(room);
  for (const ikra::detail::object_list& list : named) {
    const object_place place = list.place(list.pointers, 0);
    if (place.address == nullptr)
      continue;
    if (std::ranges::all_of(all, [](const scope* s) { return s->knows_no_objects(); })) {
      for (scope* s : all)
        s->remove_unknown(place);
      continue;
    }
    claimed_objects gone;
    gone.add(place.address, place.size);
    each_home(all, [&](home& h) { h.remove(place, gone); });
    for (scope* s : all) {
      s->removed_.add(gone);
      gone.each([&](const void* begin, const void* end) { s->leave_added(begin, end); });
    }
  }
}

std::span<const ikra::detail::object_list> scope::lists() {
  const scopes_lock held(*in_);
  report_kept();
  scope_list room;
  const std::span<scope* const> all = together(room);
  rt::leave_removed(all);
  check_not_lost(look_again(*this, all));
  return lists_;
}

void scope::leave_lost_columns() {
  const double worth = trace_cost();
  if (worth == 0 || !in_columns_.is_lost(worth))
    return;
  drop_columns();
  in_columns_.leave();
}

void scope::drop_columns() {
  sync();
  for (const std::shared_ptr<home>& h : homes_)
    h->drop();
}

bool scope::read(const ikra::detail::object_list& list, const member_of_objects& member,
                 ikra::detail::any_buffer& out) {
  const scopes_lock held(*in_);
  scope_list room;
  const std::span<scope* const> all = together(room);
  for (const std::shared_ptr<home>& h : homes_)
    if (h->read(list, member, out))
      return true;
  each_home(all, [&](home& h) { h.sync_members({&member, 1}); });
  return false;
}

} // namespace ikra::rt
