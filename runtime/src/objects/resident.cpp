// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resident.hpp"

#include "scope.hpp"

#include <ikra/generated/sections/section.hpp>

#include "devices/host_pool.hpp"
#include "devices/operations.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/parallel.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>

namespace ikra::rt {

using ikra::detail::object_place;

bool has_resident_objects() { return !scopes_here->empty(); }

namespace {

std::unique_ptr<ikra::detail::resident_scope>
make_scope(std::vector<ikra::detail::object_list> lists) {
  return std::make_unique<scope>(std::move(lists));
}

bool same_bytes(const void* a, const void* b, std::size_t bytes) {
  constexpr std::size_t grain = std::size_t(1) << 20U; // longer than a thread takes to wake
  std::atomic<bool> same{true};
  for_ranges(bytes, grain, [&](std::size_t begin, std::size_t end) {
    if (std::memcmp(static_cast<const char*>(a) + begin, static_cast<const char*>(b) + begin,
                    end - begin) != 0)
      same = false;
  });
  return same;
}

void in_parts(std::size_t count, const void* context,
              void (*body)(const void*, std::size_t, std::size_t)) {
  constexpr std::size_t least = std::size_t(1) << 17U; // pointers: as above
  for_ranges(count, least, [&](std::size_t begin, std::size_t end) { body(context, begin, end); });
}

// Runs before main() in every program that has sessions, since those refer to this file.
[[maybe_unused]] const bool installed = [] {
  ikra::detail::make_resident_scope = &make_scope;
  ikra::detail::bring_objects_back = [](bool writes) {
    const std::lock_guard held(*scopes_here);
    sync_other_homes(nullptr);
    if (writes) // perhaps references too
      drop_homes();
  };
  ikra::detail::same_bytes = &same_bytes;
  ikra::detail::in_parts = &in_parts;
  install_operations();
  pool_large_rooms();
  return true;
}();

} // namespace

void bring_objects_back() {
  const std::lock_guard held(*scopes_here);
  sync_other_homes(nullptr);
}

bool has_resident_scope() { return !scopes_here->empty(); }

namespace {

/// Before sections, the lists of all scopes are looked at again.
void look_at_lists() {
  bool lost = false;
  leave_removed(*scopes_here);
  for (scope* s : *scopes_here)
    lost = (s->must_look ? look_again(*s, *scopes_here) : look_at_sizes(*s, *scopes_here)) || lost;
  check_not_lost(lost);
}

/// The scope of a host section. It opens where no other one is open, and the program opens none in
/// it.
scope* host_section_scope() {
  return !scopes_here->empty() && scopes_here->front()->is_of_host_section() ? scopes_here->front()
                                                                             : nullptr;
}

/// IKRA_SCOPES, read once.
enum class scopes { as_they_pay, off, in_columns, alternating };
scopes wanted_scopes() {
  static const auto wanted = wished<scopes>("IKRA_SCOPES", {{"on", scopes::as_they_pay},
                                                            {"off", scopes::off},
                                                            {"always", scopes::in_columns},
                                                            {"alternate", scopes::alternating}});
  return wanted;
}

/// For tests, since else times decide: columns are left, and made again, after any number of
/// sections. \returns whether the next section has none
bool rests_by_turns() {
  static thread_local std::uint32_t state = 1;
  static thread_local bool rests = true;
  state = state * 1664525U + 1013904223U;
  if (state >> 30U == 0)
    rests = !rests;
  return rests;
}

bool scopes_by_turns_rest() {
  if (!rests_by_turns())
    return false;
  for (scope* s : *scopes_here)
    s->drop_columns();
  look_at_lists();
  return true;
}

/// Whether all scopes of this thread rest (home::rests), or begin with the objects as they are.
bool scopes_rest() {
  if (scopes_here->empty())
    return true;
  const std::lock_guard held(*scopes_here);
  if (wanted_scopes() == scopes::in_columns)
    return false;
  if (host_section_scope() != nullptr)
    return true;
  if (wanted_scopes() == scopes::alternating)
    return scopes_by_turns_rest();
  for (scope* s : *scopes_here)
    s->leave_lost_columns();
  bool rest = std::ranges::all_of(
      *scopes_here, [](const scope* s) { return !s->homes().empty() || s->may_begin_in_place(); });
  each_home(*scopes_here, [&](const home& h) { rest = rest && h.may_rest(); });
  if (!rest)
    return false;
  // Else before they are traced. What was added goes with the first list that is seen to hold it.
  if (std::ranges::any_of(*scopes_here,
                          [](const scope* s) { return s->has_graph() || !s->added().empty(); }))
    look_at_lists();
  each_home(*scopes_here, [&](home& h) { rest = rest && h.rests(); });
  return rest;
}

} // namespace

void leave_columns(bool writes) {
  if (host_section_scope() == nullptr) // others rest, or are not open
    return;
  sync_other_homes(nullptr);
  if (writes)
    drop_homes();
}

void note_rest(const section_info& section, double seconds, std::size_t elements,
               const layout& plan, const reference_ops& ops) {
  const auto n = static_cast<double>(elements);
  if (scope* const own = host_section_scope()) {
    // What columns on a GPU cost an object (docs/runtime.md#objects-as-they-are).
    constexpr double each = 107e-9; // seconds of a core
    return own->stayed(section, seconds, elements, n * each / omp_get_max_threads(), 1);
  }
  constexpr double of_graph = 20e-6; // seconds of a core
  const double each = cost_of_columns(plan, ops);
  // Of one class, columns save memory alone; of several, also jumps that go anywhere.
  const double share = ops.classes.size() > 1 ? 1 : 1.0 / 3;
  for (scope* s : *scopes_here)
    s->stayed(section, seconds, elements, of_graph + n * each / sharing(elements), share);
  for (const scope* s : *scopes_here)
    for (const std::shared_ptr<home>& h : s->homes())
      h->rested(section, seconds, elements, share, s->patience());
}

void note_in_columns(const home& at, const section_info& section, double seconds,
                     std::size_t elements, bool is_one_section, bool traced) {
  const auto holder =
      std::ranges::find_if(*scopes_here, [&](const scope* s) { return s->has(&at); });
  if (holder != scopes_here->end())
    (*holder)->ran_in_columns(section, seconds, elements, is_one_section, traced);
}

void note_beside_columns(const section_info& section, double seconds, std::size_t elements) {
  for (scope* s : *scopes_here)
    s->ran_beside_columns(section, seconds, elements);
}

bool objects_stay_in_place(unsigned operations, std::int64_t ticks) {
  // For more, columns are worth being filled and brought back.
  constexpr std::int64_t most_ticks = 16;
  constexpr std::int64_t most_operations = 256; // in all ticks, where a GPU would do them
  const device& here = current_device();
  const scope* const own = host_section_scope();
  return ticks <= most_ticks && (!here.is_cuda() || operations <= most_operations / ticks) &&
         !object_graph::always_reorders(here) &&
         (here.is_cuda()
              ? !has_resident_scope() ||
                    (own != nullptr && wanted_scopes() != scopes::in_columns && own->may_stay())
              : scopes_rest());
}

std::unique_ptr<ikra::detail::resident_scope> open_host_section() {
  return wanted_scopes() != scopes::off && scopes_here->empty() ? std::make_unique<scope>(true)
                                                                : nullptr;
}

bool has_host_section_scope() { return host_section_scope() != nullptr; }

residence take_in(const layout& file, const pointer_source& base) {
  if (scope* const own = host_section_scope())
    if (const ikra::detail::object_list* const list = own->take_in(base))
      return {own->home_of(file), list};
  return {};
}

bool give_up_host_section() {
  scope* const own = host_section_scope();
  if (own != nullptr)
    own->give_up();
  return own != nullptr;
}

std::vector<const ikra::detail::object_list*> lists_of_scopes() {
  std::vector<const ikra::detail::object_list*> all;
  for (scope* s : *scopes_here)
    for (const ikra::detail::object_list& list : s->held())
      all.push_back(&list);
  return all;
}

std::vector<object_place> added_to_scopes() {
  std::vector<object_place> all;
  for (const scope* s : *scopes_here)
    for (const auto& [address, place] : s->added())
      all.push_back(place);
  return all;
}

residence find_residence(const layout& file, const pointer_source& base) {
  look_at_lists();
  for (auto s = scopes_here->rbegin(); s != scopes_here->rend(); ++s)
    if (const ikra::detail::object_list* list = (*s)->find(base))
      return {(*s)->home_of(file), list};
  return {};
}

std::size_t admit(residence& there, const layout& file, const reference_ops& ops,
                  const std::vector<captured_root>& roots, root_ids& ids, device& where,
                  const section_info& section) {
  const auto at_home = [&] {
    return or_drop(*there.at, [&](home& at) {
      return at.admit(file, *there.list, ops, roots, ids, where, section);
    });
  };
  if (!there.at->is_merged())
    return *at_home();
  try {
    if (const std::optional<std::size_t> base = at_home())
      return *base;
  } catch (const error& failed) { // a file of those may know classes that the others do not
    if (failed.kind() != error_kind::unknown_class)
      throw;
  }
  const auto holder =
      std::ranges::find_if(*scopes_here, [&](const scope* s) { return s->has(there.at.get()); });
  (*holder)->separate(file);
  there.at = (*holder)->home_of(file);
  return *at_home();
}

residence find_guest_residence(const layout& file, const pointer_source& array, device& where,
                               const section_info& section, std::size_t& base) {
  for (auto s = scopes_here->rbegin(); s != scopes_here->rend(); ++s)
    for (const ikra::detail::object_list& list : (*s)->held()) {
      residence there{(*s)->home_of(file), &list};
      // Its objects need not be those of the array.
      if ((*s)->is_of_host_section() && there.at->current() == nullptr)
        continue;
      // One that has to be traced anew is traced by its own type.
      if (*list.pointee != *array.ops->pointee && (!there.at->knows(list) || there.at->is_merged()))
        continue;
      sync_other_homes(there.at.get()); // it may be traced
      try {
        root_ids none;
        admit(there, file, *array.ops, {}, none, where, section);
        pointer_source here = array;
        here.place = there.at->place_of(file);
        if (const auto guest = there.at->current()->admit_guest(here, section)) {
          base = *guest;
          return there;
        }
      } catch (const error& failed) { // of others, which do not matter to these
        if (failed.kind() != error_kind::unknown_class)
          throw;
      }
    }
  return {};
}

void sync_other_homes(const home* mine) {
  bool lost = false;
  for (scope* s : *scopes_here)
    if (s->is_ahead() && !s->has(mine)) { // whose lists the section has found
      leave_removed(*scopes_here);
      lost = look_again(*s, *scopes_here) || lost;
    }
  each_home(*scopes_here, [&](home& h) {
    if (&h != mine)
      h.sync();
  });
  check_not_lost(lost);
}

void forget_other_homes(const home* mine) {
  each_home(*scopes_here, [&](home& h) {
    if (&h != mine)
      h.forget();
  });
}

void drop_homes() {
  each_home(*scopes_here, [](home& h) { h.drop(); });
}

} // namespace ikra::rt
