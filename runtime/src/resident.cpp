// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resident.hpp"

#include "operations.hpp"

#include <ikra/generated/section.hpp>

#include "errors.hpp"
#include "host_pool.hpp"
#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace ikra::rt {

namespace {

class scope;

/// The scopes of this thread, the innermost last.
thread_local std::vector<scope*> scopes;

class scope final : public ikra::detail::resident_scope {
public:
  explicit scope(std::vector<ikra::detail::object_list> lists) : lists_(std::move(lists)) {
    scopes.push_back(this);
  }
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope() override { std::erase(scopes, this); }

  void sync() override;
  void end() override;
  void changed(std::vector<ikra::detail::object_list> named) override;

  /// \returns the array with these pointers, or null.
  const ikra::detail::object_list* find(const pointer_source& base) const {
    for (const ikra::detail::object_list& list : lists_)
      if (list.count == base.count && *list.pointee == *base.ops->pointee &&
          (base.count == 0 || list.pointers == base.pointers ||
           ikra::detail::same_bytes(list.pointers, base.pointers, base.count * sizeof(void*))))
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
    return homes_.emplace_back(std::make_shared<home>(file));
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
  std::span<ikra::detail::object_list> lists() { return lists_; }
  bool is_ahead() const {
    return std::ranges::any_of(homes_, [](const auto& h) { return h->is_ahead(); });
  }

  bool must_look =
      false; ///< at variables of lists before they are used, since the host has changed some

private:
  bool is_alone(const layout& file) const {
    return std::ranges::find(alone_, &file) != alone_.end();
  }

  /// All that may hold the same objects.
  std::vector<scope*> together() {
    std::vector<scope*> all = scopes;
    if (std::ranges::find(all, this) == all.end()) // of another thread
      all.push_back(this);
    return all;
  }

  std::vector<ikra::detail::object_list> lists_; // homes keep the addresses of its elements
  std::vector<std::shared_ptr<home>> homes_;
  std::vector<const layout*> alone_; ///< that do not know classes of which others have objects
};

template <class Use> void each_home(std::span<scope* const> of, const Use& use) {
  for (const scope* s : of)
    for (const std::shared_ptr<home>& h : s->homes())
      use(*h);
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

/// A list of a scope becomes what its variable holds now.
/// \returns whether it can no longer be told what sections wrote.
bool renew(ikra::detail::object_list& list, const ikra::detail::object_list& now,
           std::span<scope* const> of) {
  bool is_ahead = false;
  each_home(of, [&](const home& h) { is_ahead = is_ahead || h.is_ahead(); });
  const difference found = is_ahead ? compare(list, now) : difference{{}, false};
  list = now;
  each_home(of, [&](home& h) {
    h.left_out(found.left_out);
    h.changed({});
  });
  return found.is_unclear;
}

/// The same for lists whose variables can be looked at.
bool look_again(scope& at, std::span<scope* const> of) {
  bool lost = false;
  at.must_look = false;
  for (ikra::detail::object_list& list : at.lists())
    if (list.same != nullptr && !list.same(list))
      lost = renew(list, list.again(list), of) || lost;
  return lost;
}

void check_not_lost(bool lost) {
  if (lost)
    throw error(error_kind::unsupported,
                "a vector of an ikra::resident scope was given another order or other objects "
                "before what sections wrote to them was brought back; call sync() on the scope "
                "before the host adds, moves or exchanges objects");
}

void scope::sync() {
  const std::vector<scope*> all = together();
  bool lost = false;
  for (scope* s : all)
    if (s->is_ahead())
      lost = look_again(*s, all) || lost;
  each_home(all, [](home& h) { h.sync(); });
  check_not_lost(lost);
}

void scope::end() {
  const std::vector<scope*> all = together();
  const bool lost = is_ahead() && look_again(*this, all);
  for (const std::shared_ptr<home>& h : homes_)
    h->sync();
  check_not_lost(lost);
}

void scope::changed(std::vector<ikra::detail::object_list> named) {
  const std::vector<scope*> all = together();
  bool lost = false;
  for (const ikra::detail::object_list& now : named)
    for (scope* s : all)
      for (ikra::detail::object_list& list : s->lists_)
        if (now.variable != nullptr && now.variable == list.variable &&
            *now.pointee == *list.pointee && pointers_of(now) != pointers_of(list))
          lost = renew(list, now, all) || lost;
  for (scope* s : all)
    s->must_look = true;
  const bool nothing_else =
      !named.empty() && std::ranges::all_of(named, &ikra::detail::object_list::is_single);
  std::erase_if(named, [](const ikra::detail::object_list& list) { return !list.is_single; });
  each_home(all, [&](home& h) { h.changed(named, nothing_else); });
  check_not_lost(lost);
}

} // namespace

bool has_resident_objects() { return !scopes.empty(); }

namespace {

std::unique_ptr<ikra::detail::resident_scope>
make_scope(std::vector<ikra::detail::object_list> lists) {
  return std::make_unique<scope>(std::move(lists));
}

bool same_bytes(const void* a, const void* b, std::size_t bytes) {
  constexpr std::size_t grain = std::size_t(1) << 18U; // as long as a thread takes to wake
  std::atomic<bool> same{true};
  for_ranges(bytes, grain, [&](std::size_t begin, std::size_t end) {
    if (std::memcmp(static_cast<const char*>(a) + begin, static_cast<const char*>(b) + begin,
                    end - begin) != 0)
      same = false;
  });
  return same;
}

// Runs before main() in every program that has sessions, since those refer to this file.
[[maybe_unused]] const bool installed = [] {
  ikra::detail::make_resident_scope = &make_scope;
  ikra::detail::same_bytes = &same_bytes;
  install_operations();
  pool_large_rooms();
  return true;
}();

/// The same pointers with an owner, for as long as the scope lasts.
captured_root kept(const captured_root& root) {
  if (root.owner != nullptr)
    return root;
  const auto copy = std::make_shared<std::vector<const void*>>(root.source.count);
  if (!copy->empty())
    std::memcpy(copy->data(), root.source.pointers, copy->size() * sizeof(void*));
  return {{root.source.ops, copy->data(), copy->size(), root.source.place}, copy};
}

std::vector<unsigned> all_columns(const layout& plan) {
  std::vector<unsigned> result(plan.columns().size());
  for (unsigned k = 0; k < result.size(); ++k)
    result[k] = k;
  return result;
}

} // namespace

void bring_objects_back() { sync_other_homes(nullptr); }

bool find_ids(const object_graph& in, const std::vector<captured_root>& roots,
              std::vector<object_id>& ids, const section_info& section) {
  ids.clear();
  for (const captured_root& root : roots) {
    const std::size_t first = ids.size();
    ids.resize(first + root.source.count);
    if (!in.find(root.source, ids.data() + first, section))
      return false;
  }
  return true;
}

bool home::join(const layout& file) {
  std::vector<const layout*> files = files_;
  files.push_back(&file);
  const merged_layout* const merged = merged_layout::of(files);
  if (merged == nullptr)
    return false;
  sync();
  drop();
  files_ = std::move(files);
  merged_ = merged;
  plan_ = &merged->plan();
  dirty_.reserve(plan_->columns().size());
  return true;
}

bool home::knows_all(const layout& file) const {
  return merged_ == nullptr || !merged_->meets_unknown(file, [&](unsigned c) {
    return !graph_->table().objects[c].empty();
  });
}

std::optional<std::size_t> home::admit(const layout& file, const ikra::detail::object_list& list,
                                       const reference_ops& ops, std::vector<captured_root> roots,
                                       std::vector<object_id>& ids, device& where,
                                       const section_info& section) {
  user_ = &section;
  if (changed_)
    sync();
  for (captured_root& root : roots)
    root.source.place = place_of(file);
  const auto known = std::find_if(bases_.begin(), bases_.end(),
                                  [&](const base_list& base) { return base.list == &list; });
  const auto place = static_cast<std::size_t>(known - bases_.begin());
  const bool base_is_there = known != bases_.end();
  const bool is_here = graph_ != nullptr && &graph_->where() == &where;
  if (is_here && base_is_there && find_ids(*graph_, roots, ids, section))
    return knows_all(file) ? std::optional(place) : std::nullopt;

  sync();
  // If it fails, the next section starts from what was there before this one.
  struct former {
    home& of;
    std::size_t bases, roots;
    explicit former(home& now) : of(now), bases(now.bases_.size()), roots(now.roots_.size()) {}
    former(const former&) = delete;
    former& operator=(const former&) = delete;
    ~former() {
      if (of.graph_ != nullptr)
        return;
      of.bases_.erase(of.bases_.begin() + static_cast<std::ptrdiff_t>(bases), of.bases_.end());
      of.roots_.erase(of.roots_.begin() + static_cast<std::ptrdiff_t>(roots), of.roots_.end());
    }
  } const before{*this};
  graph_ = nullptr;
  if (!base_is_there)
    bases_.push_back({&list, &ops, &file});
  for (const captured_root& root : roots)
    roots_.push_back(kept(root));
  std::vector<pointer_source> base_sources, root_sources;
  for (const base_list& base : bases_)
    base_sources.push_back({base.ops, base.list->pointers, base.list->count, place_of(*base.file)});
  for (const captured_root& root : roots_)
    root_sources.push_back(root.source);
  auto traced = std::make_shared<object_graph>(*plan_, where);
  traced->trace(base_sources, root_sources, all_columns(*plan_), section);
  graph_ = std::move(traced);
  find_ids(*graph_, roots, ids, section);
  return knows_all(file) ? std::optional(place) : std::nullopt;
}

void home::written(std::span<const unsigned> columns, const section_info& section) {
  for (const unsigned k : columns) {
    if (std::find(dirty_.begin(), dirty_.end(), k) == dirty_.end())
      dirty_.push_back(k);
    if (graph_ != nullptr)
      graph_->outdate_records(k);
  }
  writer_ = &section;
}

void home::sync() {
  if (dirty_.empty())
    return;
  graph_->where().make_current(*writer_);
  if (changed_)
    graph_->merge_back(dirty_, led_to(), claimed_, *writer_);
  else
    graph_->write_back(dirty_, *writer_);
  dirty_.clear();
  graph_->release_kept();
  if (changed_)
    drop();
}

// What the arrays of all scopes hold, and what sections captured.
std::vector<found_object> home::led_to() const {
  std::vector<found_object> found;
  std::unordered_map<const std::type_info*, std::optional<unsigned>> classes;
  const auto class_of = [&](const std::type_info& type) {
    const auto [entry, is_new] = classes.try_emplace(&type);
    if (is_new)
      for (unsigned c = 0; c < plan_->classes().size(); ++c)
        if (*plan_->classes()[c].type == type)
          entry->second = c;
    return entry->second;
  };
  const auto add = [&](const ikra::detail::object_list& list) {
    for (std::size_t i = 0; i < list.count; ++i) {
      const ikra::detail::object_place place = list.place(list.pointers, i);
      if (place.address == nullptr)
        continue;
      if (const std::optional<unsigned> c = class_of(*place.type))
        found.push_back({const_cast<void*>(place.address), *c});
    }
  };
  for (const base_list& base : bases_) // which a scope of another thread may have
    add(*base.list);
  for (scope* s : scopes)
    for (const ikra::detail::object_list& list : s->lists())
      if (std::ranges::none_of(bases_, [&](const base_list& base) { return base.list == &list; }))
        add(list);
  for (const captured_root& root : roots_) {
    std::vector<const void*> pointers(root.source.count);
    if (!pointers.empty())
      std::memcpy(pointers.data(), root.source.pointers, pointers.size() * sizeof(void*));
    std::erase_if(pointers, [&](const void* pointer) { return left_out_.contains(pointer); });
    std::vector<std::uint16_t> codes(pointers.size());
    std::vector<void*> addresses(pointers.size());
    const pointer_source left{root.source.ops, pointers.data(), pointers.size(), root.source.place};
    left.classify(0, left.count, codes.data());
    left.locate(0, left.count, codes.data(), addresses.data());
    for (std::size_t i = 0; i < pointers.size(); ++i)
      if (codes[i] != reference_ops::null_code && codes[i] != reference_ops::unknown_code)
        found.push_back({addresses[i], codes[i]});
  }
  return found;
}

void home::changed(std::span<const ikra::detail::object_list> claimed, bool nothing_else) {
  const bool may_refresh = nothing_else && graph_ != nullptr && !changed_;
  if (!is_ahead()) {
    struct otherwise {
      home* of;
      ~otherwise() {
        if (of != nullptr)
          of->drop();
      }
    } dropped{this};
    if (may_refresh && refresh(claimed))
      dropped.of = nullptr;
    return;
  }
  changed_ = true;
  for (const ikra::detail::object_list& list : claimed)
    for (std::size_t i = 0; i < list.count; ++i)
      if (const ikra::detail::object_place place = list.place(list.pointers, i); place.address)
        claimed_.add(place.address, place.size);
  if (may_refresh && refresh(claimed)) {
    changed_ = false;
    claimed_.clear();
  }
}

bool home::refresh(std::span<const ikra::detail::object_list> claimed) {
  std::vector<found_object> objects;
  for (const ikra::detail::object_list& list : claimed)
    for (std::size_t i = 0; i < list.count; ++i) {
      const ikra::detail::object_place place = list.place(list.pointers, i);
      if (place.address == nullptr)
        continue;
      const auto known = std::ranges::find_if(
          plan_->classes(), [&](const class_info& c) { return *c.type == *place.type; });
      if (known == plan_->classes().end())
        return false;
      objects.push_back({const_cast<void*>(place.address),
                         static_cast<unsigned>(known - plan_->classes().begin())});
    }
  graph_->where().make_current(*user_);
  return graph_->refresh(objects, is_ahead(), *user_);
}

void home::left_out(std::span<const void* const> pointers) {
  left_out_.insert(pointers.begin(), pointers.end());
}

void home::forget() {
  if (graph_ != nullptr)
    graph_->forget();
}

void home::drop() {
  dirty_.clear();
  graph_ = nullptr;
  roots_.clear(); // sections capture what is there
  changed_ = false;
  claimed_.clear();
  left_out_.clear();
}

bool has_resident_scope() { return !scopes.empty(); }

bool objects_stay_in_place(unsigned operations, std::int64_t ticks) {
  // For more, columns are worth being filled and brought back.
  constexpr std::int64_t most_ticks = 16;
  constexpr std::int64_t most_operations = 256; // in all ticks, where a GPU would do them
  const device& here = current_device();
  return ticks <= most_ticks && (!here.is_cuda() || operations <= most_operations / ticks) &&
         !has_resident_scope() && !object_graph::always_reorders(here);
}

residence find_residence(const layout& file, const pointer_source& base) {
  bool lost = false;
  for (scope* s : scopes)
    if (s->must_look)
      lost = look_again(*s, scopes) || lost;
  check_not_lost(lost);
  for (auto s = scopes.rbegin(); s != scopes.rend(); ++s)
    if (const ikra::detail::object_list* list = (*s)->find(base))
      return {(*s)->home_of(file), list};
  return {};
}

std::size_t admit(residence& there, const layout& file, const reference_ops& ops,
                  const std::vector<captured_root>& roots, std::vector<object_id>& ids,
                  device& where, const section_info& section) {
  const auto at_home = [&] {
    return there.at->admit(file, *there.list, ops, roots, ids, where, section);
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
      std::ranges::find_if(scopes, [&](const scope* s) { return s->has(there.at.get()); });
  (*holder)->separate(file);
  there.at = (*holder)->home_of(file);
  return *at_home();
}

residence find_guest_residence(const layout& file, const pointer_source& array, device& where,
                               const section_info& section, std::size_t& base) {
  for (auto s = scopes.rbegin(); s != scopes.rend(); ++s)
    for (const ikra::detail::object_list& list : (*s)->lists()) {
      residence there{(*s)->home_of(file), &list};
      if (*list.pointee != *array.ops->pointee && !there.at->knows(list))
        continue;
      try {
        std::vector<object_id> none;
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
  for (scope* s : scopes)
    if (s->is_ahead() && !s->has(mine)) // whose lists the section has found
      lost = look_again(*s, scopes) || lost;
  each_home(scopes, [&](home& h) {
    if (&h != mine)
      h.sync();
  });
  check_not_lost(lost);
}

void forget_other_homes(const home* mine) {
  each_home(scopes, [&](home& h) {
    if (&h != mine)
      h.forget();
  });
}

void drop_homes() {
  each_home(scopes, [](home& h) { h.drop(); });
}

} // namespace ikra::rt
