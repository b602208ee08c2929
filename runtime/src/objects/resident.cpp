// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resident.hpp"

#include "devices/operations.hpp"

#include <ikra/generated/objects/live_objects.hpp>
#include <ikra/generated/sections/section.hpp>

#include "devices/host_pool.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/parallel.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace ikra::rt {

using ikra::detail::member_of_objects;
using ikra::detail::object_place;

namespace {

class scope;

/// The scopes of a thread, the innermost last.
using scope_list = std::vector<scope*>;
/// A scope may end in another thread, also after its own.
thread_local const std::shared_ptr<scope_list> scopes_here = std::make_shared<scope_list>();

bool same_pointers(const void* a, std::size_t count, const void* b, std::size_t count_of_b) {
  return count == count_of_b &&
         (count == 0 || a == b || ikra::detail::same_bytes(a, b, count * sizeof(void*)));
}

class scope final : public ikra::detail::resident_scope {
public:
  explicit scope(std::vector<ikra::detail::object_list> lists) : lists_(std::move(lists)) {
    in_->push_back(this);
  }
  /// Of a host section: it holds the arrays over which sections come to run.
  explicit scope(bool of_host_section) : of_host_section_(of_host_section) {
    lists_.reserve(most_arrays); // homes keep the addresses of its elements
    in_->push_back(this);
  }
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope() override { std::erase(*in_, this); }

  void sync() override;
  void sync_members(std::span<const member_of_objects> members) override;
  void end() override;
  void changed(std::vector<ikra::detail::object_list> named) override;
  void changed_members(const ikra::detail::object_list& one,
                       std::span<const void* const> members) override;
  void add(std::vector<ikra::detail::object_list> named) override;
  void remove(std::vector<ikra::detail::object_list> named) override;
  std::span<const ikra::detail::object_list> lists() override;
  bool read(const ikra::detail::object_list& list, const member_of_objects& member,
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
  std::span<const object_place> added() const { return added_; }
  /// A list now has these pointers: what was added and stands there goes with the list.
  /// \param first pointers before stood there, too
  void take(ikra::detail::object_list& list, const ikra::detail::object_list& now,
            std::size_t first = 0) {
    if (!added_.empty()) {
      std::unordered_set<const void*> held;
      for (std::size_t i = first; i < now.count; ++i)
        held.insert(now.place(now.pointers, i).address);
      std::erase_if(added_, [&](const object_place& one) { return held.contains(one.address); });
    }
    list = now;
  }
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

private:
  static constexpr std::size_t most_arrays = 4;

  bool has_graph() const {
    return std::ranges::any_of(homes_, [](const auto& h) { return h->current() != nullptr; });
  }

  const std::shared_ptr<scope_list> in_ = scopes_here;

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
  std::vector<object_place> added_;  ///< by add(), in no list yet
  claimed_objects removed_;          ///< since lists left removed objects out
  bool of_host_section_ = false;
  double stayed_ = 0, worth_ = 0; ///< seconds
  time_in_place time_;
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

/// The same for lists whose variables can be looked at.
bool look_again(scope& at, std::span<scope* const> of) {
  bool lost = false;
  at.must_look = false;
  for (ikra::detail::object_list& list : at.held())
    if (list.same != nullptr && !list.same(list))
      lost = notice(at, list, of) || lost;
  return lost;
}

/// The same where it is seen at once, before a section: after remove(), or by the size.
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

void scope::leave_removed() {
  if (removed_.empty())
    return;
  std::erase_if(added_,
                [&](const object_place& one) { return removed_.cover(one.address, one.size); });
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
  scope_list room;
  const std::span<scope* const> all = together(room);
  rt::leave_removed(all);
  bool lost = false;
  for (scope* s : all)
    if (s->is_ahead())
      lost = look_again(*s, all) || lost;
  each_home(all, [](home& h) {
    h.sync();
    h.let_captured_go();
  });
  check_not_lost(lost);
}

void scope::sync_members(std::span<const member_of_objects> members) {
  scope_list room;
  const std::span<scope* const> all = together(room);
  rt::leave_removed(all);
  each_home(all, [&](home& h) { h.sync_members(members); });
}

void scope::end() {
  scope_list room;
  const std::span<scope* const> all = together(room);
  rt::leave_removed(all);
  const bool lost = is_ahead() && look_again(*this, all);
  for (const std::shared_ptr<home>& h : homes_)
    or_drop(*h, [](home& each) { each.sync(); });
  check_not_lost(lost);
}

void scope::changed(std::vector<ikra::detail::object_list> named) {
  scope_list room;
  const std::span<scope* const> all = together(room);
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
  const bool nothing_else =
      !named.empty() && std::ranges::all_of(named, &ikra::detail::object_list::is_single);
  std::erase_if(named, [](const ikra::detail::object_list& list) { return !list.is_single; });
  each_home(all, [&](home& h) { h.changed(named, nothing_else); });
  check_not_lost(lost);
}

void scope::changed_members(const ikra::detail::object_list& one,
                            std::span<const void* const> members) {
  scope_list room;
  const std::span<scope* const> all = together(room);
  rt::leave_removed(all);
  each_home(all, [&](home& h) { h.changed_members(one, members); });
}

void scope::add(std::vector<ikra::detail::object_list> named) {
  scope_list room;
  rt::leave_removed(together(room)); // others may have been where these are
  for (const ikra::detail::object_list& list : named) {
    const object_place place = list.place(list.pointers, 0);
    if (place.address == nullptr)
      continue;
    added_.push_back(place);
    for (const std::shared_ptr<home>& h : homes_)
      h->add(list);
  }
}

void scope::remove(std::vector<ikra::detail::object_list> named) {
  scope_list room;
  const std::span<scope* const> all = together(room);
  for (const ikra::detail::object_list& list : named) {
    const object_place place = list.place(list.pointers, 0);
    if (place.address == nullptr)
      continue;
    claimed_objects gone;
    gone.add(place.address, place.size);
    each_home(all, [&](home& h) { h.remove(place, gone); });
    for (scope* s : all)
      s->removed_.add(gone);
  }
}

std::span<const ikra::detail::object_list> scope::lists() {
  scope_list room;
  const std::span<scope* const> all = together(room);
  rt::leave_removed(all);
  check_not_lost(look_again(*this, all));
  return lists_;
}

bool scope::read(const ikra::detail::object_list& list, const member_of_objects& member,
                 ikra::detail::any_buffer& out) {
  scope_list room;
  const std::span<scope* const> all = together(room);
  for (const std::shared_ptr<home>& h : homes_)
    if (h->read(list, member, out))
      return true;
  each_home(all, [&](home& h) { h.sync_members({&member, 1}); });
  return false;
}

} // namespace

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

void bring_objects_back() { sync_other_homes(nullptr); }

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
enum class scopes { as_they_pay, off, in_columns };
scopes wanted_scopes() {
  static const auto wanted = wished<scopes>(
      "IKRA_SCOPES",
      {{"on", scopes::as_they_pay}, {"off", scopes::off}, {"always", scopes::in_columns}});
  return wanted;
}

/// Whether all scopes of this thread rest (home::rests), or begin with the objects as they are.
bool scopes_rest() {
  if (scopes_here->empty())
    return true;
  if (wanted_scopes() == scopes::in_columns)
    return false;
  if (host_section_scope() != nullptr)
    return true;
  bool rest = std::ranges::all_of(
      *scopes_here, [](const scope* s) { return !s->homes().empty() || s->may_begin_in_place(); });
  each_home(*scopes_here, [&](const home& h) { rest = rest && h.may_rest(); });
  if (!rest)
    return false;
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

/// How many threads share work on so many objects.
static double sharing(std::size_t elements) {
  constexpr std::size_t worth_waking = 65536;
  const auto most = static_cast<std::size_t>(omp_get_max_threads());
  return static_cast<double>(std::clamp<std::size_t>(elements / worth_waking, 1, most));
}

/// About what it takes to trace an object and to fill its columns, in seconds of a core. Of classes
/// that an array may have, it is the dearest one's.
static double cost_of_columns(const layout& plan, const reference_ops& ops) {
  constexpr double of_object = 40e-9, of_reference = 50e-9, of_list = 50e-9, of_references = 250e-9;
  static thread_local std::pair<const reference_ops*, double> last{nullptr, 0};
  if (last.first == &ops)
    return last.second;
  double most = 0;
  for (const unsigned c : ops.classes) {
    double cost = of_object;
    for (const column_info& column : plan.columns())
      if (column.part_of(c) != nullptr) {
        const bool refers = column.is_reference(), is_list = column.is_list();
        cost += refers && is_list ? of_references : refers ? of_reference : is_list ? of_list : 0;
      }
    most = std::max(most, cost);
  }
  last = {&ops, most};
  return most;
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
  each_home(*scopes_here, [&](home& h) { h.rested(section, seconds, elements, share); });
}

void time_in_place::add(const section_info& section, double seconds, std::size_t elements,
                        double worth, double share) {
  constexpr double of_section = 0.5e-6; // that a section in columns takes longer, and more
  constexpr double of_column = 1.5e-9;  // of a loop over columns, for an element
  constexpr double forgotten = 0.999, most = 0.25;
  const auto known = std::ranges::find(last_, &section, &last_time::section);
  last_time& its = known != last_.end() ? *known : last_[next_++ % last_.size()];
  const double each = seconds / static_cast<double>(std::max<std::size_t>(elements, 1));
  if (its.section == &section)
    seconds *= std::min(1.0, its.each / each);
  its = {&section, each};
  const double saves = static_cast<double>(elements) * of_column / sharing(elements);
  const double rest = std::clamp(seconds - of_section, 0.0, most * worth);
  seconds_ = forgotten * seconds_ + rest;
  saved_ = forgotten * saved_ + share * std::max(0.0, rest - saves);
  worth_ = worth;
}

bool time_in_place::is_less_than_columns() const {
  // What columns save is guessed, and the program may end now: so they cost half of what it took at
  // most, and a tenth where they save nothing.
  constexpr double surely = 2, times = 10;
  return saved_ <= surely * worth_ && seconds_ <= times * worth_;
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
    all.insert(all.end(), s->added().begin(), s->added().end());
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
    if (s->is_ahead() && !s->has(mine)) // whose lists the section has found
      lost = look_again(*s, *scopes_here) || lost;
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
