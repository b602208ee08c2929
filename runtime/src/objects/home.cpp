// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object graph of a resident scope: when it is traced, what the host says of its objects, and
// when they are brought back.
#include "resident.hpp"

#include "devices/operations.hpp"

#include <ikra/generated/session/session_base.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <unordered_map>

namespace ikra::rt {

namespace {

constexpr std::size_t most_of_short = 64; // pointers, which are looked up as fast as compared
bool is_short(const captured_root& root) { return root.source.count <= most_of_short; }
bool is_single(const captured_root& root) { return root.source.count == 1; }

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

bool find_ids(object_graph& in, const std::vector<captured_root>& roots, root_ids& ids,
              const section_info& section) {
  ids.clear();
  for (const captured_root& root : roots)
    if (is_short(root)) {
      if (!in.find(root.source, ids.add(root.source.count), section))
        return false;
    } else if (auto kept = in.find_list(root.source, section)) {
      ids.add(std::move(kept));
    } else {
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
  followed_.clear();
  dirty_.reserve(plan_->columns().size());
  return true;
}

bool home::knows_all(const layout& file) const {
  return merged_ == nullptr || !merged_->meets_unknown(file, [&](unsigned c) {
    return !graph_->table().objects[c].empty();
  });
}

// References of columns that are in no section's use are not followed in a host section.
std::vector<unsigned> home::followed() const {
  return of_host_section_ ? std::vector<unsigned>(followed_.begin(), followed_.end())
                          : all_columns(*plan_);
}

std::optional<std::size_t> home::admit(const layout& file, const ikra::detail::object_list& list,
                                       const reference_ops& ops,
                                       std::span<const captured_root> captured, root_ids& ids,
                                       device& where, const section_info& section) {
  user_ = &section;
  trace_began_.reset();
  leave_removed_roots();
  if (changed_)
    sync();
  std::vector<captured_root> roots;
  std::vector<found_object> single;
  if (!captured.empty()) { // else nothing is copied, or looked up
    roots.assign(captured.begin(), captured.end());
    for (captured_root& root : roots)
      root.source.place = place_of(file);
    single = objects_of(roots, is_single);
    note_captured(single);
  }
  const auto known = std::find_if(bases_.begin(), bases_.end(),
                                  [&](const base_list& base) { return base.list == &list; });
  const auto place = static_cast<std::size_t>(known - bases_.begin());
  const bool base_is_there = known != bases_.end();
  bool is_here = graph_ != nullptr && &graph_->where() == &where && bring_added(section);
  if (of_host_section_) {
    const column_numbers used(section, place_of(file));
    const std::size_t before = followed_.size();
    followed_.insert(used.begin(), used.end());
    is_here = is_here && followed_.size() == before;
  }
  if (is_here && base_is_there && has_base(place, section) &&
      has_captured(roots, single, ids, file, section))
    return knows_all(file) ? std::optional(place) : std::nullopt;

  trace_began_ = clock::now();
  sync();
  note_captured(single);
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
    base_sources.push_back(source_of(base));
  for (const captured_root& root : roots_)
    root_sources.push_back(root.source);
  auto traced = std::make_shared<object_graph>(*plan_, where);
  if (has_grown_)
    traced->leave_room();
  if (!of_host_section_)
    traced->tell_roots_apart();
  std::vector<found_object> others = added();
  if (!root_sources.empty()) // else nobody asks whether a scope has them
    for (const ikra::detail::object_list* each : lists_of_scopes())
      if (!knows(*each))
        add_objects(*each, others);
  traced->trace(base_sources, root_sources, followed(), section, others);
  graph_ = std::move(traced);
  if (trace_cost_ == 0) // perhaps no section will have columns here
    trace_cost_ = seconds_since(*trace_began_);
  for (unsigned c = 0; c < plan_->classes().size(); ++c)
    if (graph_->has_rooted(c))
      rooted_classes_.insert(plan_->classes()[c].type);
  pending_.clear();
  for (base_list& base : bases_)
    base.is_stale = false;
  find_ids(*graph_, roots, ids, section);
  note_captured(short_rooted(roots, ids));
  return knows_all(file) ? std::optional(place) : std::nullopt;
}

// Whether the graph has what a section captures, as the host has it.
// \param single gets the objects of short containers, too
bool home::has_captured(const std::vector<captured_root>& roots, std::vector<found_object>& single,
                        root_ids& ids, const layout& file, const section_info& section) {
  if (graph_->sleeps()) {
    const std::vector<found_object> there = objects_of(roots, is_short);
    for (const found_object& object : there)
      graph_->wake(object);
    note_captured(there); // compared, too, if columns are brought back before this section runs
  }
  if (!find_ids(*graph_, roots, ids, section))
    return false;
  const std::vector<found_object> few = short_rooted(roots, ids);
  note_captured(few);
  single.insert(single.end(), few.begin(), few.end());
  return bring_captured(single, file, section);
}

void home::written(std::span<const unsigned> columns, const section_info& section) {
  for (const unsigned k : columns) {
    if (std::find(dirty_.begin(), dirty_.end(), k) == dirty_.end())
      dirty_.push_back(k);
    if (graph_ != nullptr)
      graph_->written(k);
    const std::span<const unsigned> targets = plan_->columns()[k].targets;
    links_rooted_ = links_rooted_ || std::ranges::any_of(targets, [&](unsigned c) {
                      return rooted_classes_.contains(plan_->classes()[c].type);
                    });
  }
  writer_ = &section;
}

// The objects of roots: the host need not say that it wrote to single ones.
// \param is_meant short ones at most
std::vector<found_object> home::objects_of(std::span<const captured_root> roots,
                                           bool (*is_meant)(const captured_root&)) {
  std::vector<found_object> objects;
  for (const captured_root& root : roots) {
    if (!is_meant(root) || root.source.count == 0)
      continue;
    std::array<std::uint16_t, most_of_short> codes{};
    std::array<void*, most_of_short> addresses{};
    root.source.classify(0, root.source.count, codes.data());
    root.source.locate(0, root.source.count, codes.data(), addresses.data());
    for (std::size_t i = 0; i < root.source.count; ++i)
      if (codes[i] != reference_ops::null_code && codes[i] != reference_ops::unknown_code)
        objects.push_back({addresses[i], codes[i]});
  }
  return objects;
}

// The same of short containers, as far as no scope has them.
std::vector<found_object> home::short_rooted(std::span<const captured_root> roots,
                                             const root_ids& ids) const {
  std::vector<found_object> objects;
  if (!graph_->has_rooted())
    return objects;
  std::size_t first = 0;
  for (const captured_root& root : roots) {
    if (root.source.count > 1 && is_short(root))
      std::ranges::copy(graph_->rooted(root.source, {ids.at(first), root.source.count}),
                        std::back_inserter(objects));
    first += root.source.count;
  }
  return objects;
}

void home::note_captured(std::span<const found_object> objects) {
  for (const found_object& object : objects)
    if (const std::pair key(object.address, object.class_index); !captured_.contains(key)) {
      captured_.insert(key);
      ever_captured_.insert(key);
    }
}

// \returns whether the graph's columns have what the host has of captured objects.
bool home::bring_captured(std::span<const found_object> objects, const layout& file,
                          const section_info& section) {
  if (objects.empty() || of_host_section_)
    return true;
  graph_->where().make_current(section);
  if (graph_->bring_captured(objects, column_numbers(section, place_of(file)), section))
    return true;
  changed_ = is_ahead(); // sections' writes and the host's are told apart before all is traced
  return false;
}

// Before columns are brought back: the host may have written to captured objects since.
void home::bring_captured(std::span<const unsigned> columns) {
  if (changed_ || captured_.empty() || of_host_section_)
    return;
  std::vector<found_object> objects;
  for (const auto& [address, c] : captured_)
    objects.push_back({address, c});
  changed_ = !graph_->bring_captured(objects, columns, *writer_);
}

// Objects of single and short roots are captured anew before they are looked at; others are traced.
// So is what sections have linked with a scope's objects, or parted from them.
void home::let_captured_go() {
  if (links_rooted_ ||
      (graph_ != nullptr && !graph_->let_rooted_sleep(objects_of(roots_, is_short))))
    drop();
  roots_.clear();
}

void home::sync() {
  if (dirty_.empty()) {
    captured_.clear();
    return;
  }
  leave_removed_roots();
  graph_->where().make_current(*writer_);
  bring_captured(dirty_);
  const bool some_only = changed_;
  if (some_only)
    graph_->merge_back(dirty_, led_to(), claimed_, *writer_);
  else
    graph_->write_back(dirty_, *writer_);
  dirty_.clear();
  captured_.clear();
  graph_->release_kept();
  if (some_only)
    drop();
}

// What an array of a scope holds, as far as the layout has its classes.
void home::add_objects(const ikra::detail::object_list& list, std::vector<found_object>& to) const {
  if (list.place == nullptr) { // a host section's, which its sections tell the classes of
    for (const base_list& base : bases_)
      if (base.list == &list)
        add_objects(source_of(base), to);
    return;
  }
  std::unordered_map<const std::type_info*, std::optional<unsigned>> classes;
  const auto class_of = [&](const std::type_info& type) {
    const auto [entry, is_new] = classes.try_emplace(&type);
    if (is_new)
      for (unsigned c = 0; c < plan_->classes().size(); ++c)
        if (*plan_->classes()[c].type == type)
          entry->second = c;
    return entry->second;
  };
  for (std::size_t i = 0; i < list.count; ++i) {
    const ikra::detail::object_place place = list.place(list.pointers, i);
    if (place.address == nullptr)
      continue;
    if (const std::optional<unsigned> c = class_of(*place.type))
      to.push_back({const_cast<void*>(place.address), *c});
  }
}

void home::add_objects(const pointer_source& source, std::vector<found_object>& to) {
  std::vector<std::uint16_t> codes(source.count);
  std::vector<void*> addresses(source.count);
  source.classify(0, source.count, codes.data());
  source.locate(0, source.count, codes.data(), addresses.data());
  for (std::size_t i = 0; i < source.count; ++i)
    if (codes[i] != reference_ops::null_code && codes[i] != reference_ops::unknown_code)
      to.push_back({addresses[i], codes[i]});
}

// What the arrays of all scopes hold, and what sections captured.
std::vector<found_object> home::led_to() const {
  std::vector<found_object> found;
  for (const base_list& base : bases_) // which a scope of another thread may have
    add_objects(*base.list, found);
  for (const ikra::detail::object_list* list : lists_of_scopes())
    if (!knows(*list))
      add_objects(*list, found);
  std::ranges::copy(added(), std::back_inserter(found));
  for (const auto& [address, c] : captured_)
    found.push_back({address, c});
  for (const captured_root& root : roots_) {
    std::vector<const void*> pointers(root.source.count);
    if (!pointers.empty())
      std::memcpy(pointers.data(), root.source.pointers, pointers.size() * sizeof(void*));
    std::erase_if(pointers, [&](const void* pointer) { return left_out_.contains(pointer); });
    std::vector<std::uint16_t> codes(pointers.size());
    std::vector<void*> addresses(pointers.size());
    add_objects({root.source.ops, pointers.data(), pointers.size(), root.source.place}, found);
  }
  return found;
}

void home::changed(std::span<const ikra::detail::object_list> claimed, bool nothing_else) {
  const bool may_refresh = nothing_else && graph_ != nullptr && !changed_ && bring_added(*user_);
  if (!is_ahead()) {
    struct otherwise {
      home* of;
      explicit otherwise(home* one) : of(one) {}
      otherwise(const otherwise&) = delete;
      otherwise& operator=(const otherwise&) = delete;
      ~otherwise() {
        if (of != nullptr)
          of->drop();
      }
    } dropped(this);
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
      const std::optional<found_object> object = found(place);
      if (!object)
        return false;
      objects.push_back(*object);
    }
  graph_->where().make_current(*user_);
  return graph_->refresh(objects, is_ahead(), *user_);
}

bool home::rests() {
  if (!may_rest())
    return false;
  if (changed_)
    sync(); // and drops the graph
  return graph_ == nullptr && !is_ahead();
}

void home::left_out(std::span<const void* const> pointers) {
  left_out_.insert(pointers.begin(), pointers.end());
}

void home::forget() {
  if (of_host_section_) // references that it did not follow may have been written
    drop();
  else if (graph_ != nullptr)
    graph_->forget();
}

void home::drop() {
  dirty_.clear();
  links_rooted_ = false;
  rested_.clear();
  graph_ = nullptr;
  roots_.clear(); // sections capture what is there
  captured_.clear();
  changed_ = false;
  claimed_.clear();
  left_out_.clear();
  pending_.clear(); // traced with all others
}

// As the graph knows it, if its layout has the class.
std::optional<found_object> home::found(const ikra::detail::object_place& place) const {
  const auto known = std::ranges::find_if(
      plan_->classes(), [&](const class_info& c) { return *c.type == *place.type; });
  if (known == plan_->classes().end())
    return std::nullopt;
  return found_object{const_cast<void*>(place.address),
                      static_cast<unsigned>(known - plan_->classes().begin())};
}

std::vector<found_object> home::added() const {
  std::vector<found_object> result;
  for (const ikra::detail::object_place& place : added_to_scopes())
    if (const std::optional<found_object> object = found(place))
      result.push_back(*object);
  return result;
}

void home::add(const ikra::detail::object_list& made) {
  has_grown_ = true;
  if (graph_ != nullptr && !changed_) // else all are traced anew
    if (const std::optional<found_object> object = found(made.place(made.pointers, 0)))
      pending_.push_back(*object);
}

bool home::bring_added(const section_info& section) {
  if (pending_.empty())
    return true;
  graph_->where().make_current(section);
  const bool are_there = graph_->add(pending_, section);
  if (are_there)
    pending_.clear();
  return are_there;
}

// Whether a base array of the graph has what its list has.
bool home::has_base(std::size_t i, const section_info& section) {
  base_list& base = bases_[i];
  if (base.is_stale)
    base.is_stale = !graph_->rebase(i, source_of(base), base.same, section);
  return !base.is_stale;
}

void home::remove(const ikra::detail::object_place& object, claimed_objects& gone) {
  const std::optional<found_object> known = found(object);
  if (!known)
    return;
  std::vector<found_object> all{*known};
  if (graph_ != nullptr) {
    all = graph_->remove(*known);
    graph_->forget_host();
  }
  claimed_objects mine;
  for (const found_object& each : all)
    mine.add(each.address, plan_->classes()[each.class_index].size);
  std::erase_if(pending_, [&](const found_object& one) {
    return mine.cover(one.address, plan_->classes()[one.class_index].size);
  });
  gone_.add(mine);
  gone.add(mine);
}

// Before captured pointers are looked at: some may lead to what the host took away.
void home::leave_removed_roots() {
  if (gone_.empty())
    return;
  for (captured_root& root : roots_) {
    const auto left = std::make_shared<std::vector<const void*>>(root.source.count);
    if (!left->empty())
      std::memcpy(left->data(), root.source.pointers, left->size() * sizeof(void*));
    std::erase_if(
        *left, [&](const void* pointer) { return pointer != nullptr && gone_.cover(pointer, 1); });
    root = {{root.source.ops, left->data(), left->size(), root.source.place}, left};
  }
  gone_.clear();
}

void home::renewed(const ikra::detail::object_list& list, bool has_grown, std::size_t same) {
  has_grown_ = has_grown_ || has_grown;
  for (base_list& base : bases_)
    if (base.list == &list) {
      base.same = base.is_stale ? std::min(base.same, same) : same;
      base.is_stale = true;
    }
}

bool home::leads_to_all(const ikra::detail::object_list& list,
                        const ikra::detail::object_list& now) {
  if (graph_ == nullptr)
    return true;
  const auto base =
      std::ranges::find_if(bases_, [&](const base_list& one) { return one.list == &list; });
  if (base == bases_.end())
    return false;
  return graph_->leads_to_all(static_cast<std::size_t>(base - bases_.begin()),
                              {base->ops, now.pointers, now.count, place_of(*base->file)}, *user_);
}

void home::changed_members(const ikra::detail::object_list& one,
                           std::span<const void* const> members) {
  if (graph_ == nullptr)
    return;
  const std::optional<found_object> object = found(one.place(one.pointers, 0));
  if (!object)
    return;
  graph_->where().make_current(*user_);
  const bool knows_all = bring_added(*user_);
  if (!graph_->bring_members(*object, members, *user_) || !knows_all)
    changed({});
}

void home::sync_members(std::span<const ikra::detail::member_of_objects> members) {
  if (dirty_.empty())
    return;
  if (changed_)
    return sync();
  std::vector<unsigned> columns;
  for (const ikra::detail::member_of_objects& member : members)
    for (const unsigned k : graph_->columns_of(member))
      if (std::erase(dirty_, k) != 0)
        columns.push_back(k);
  graph_->where().make_current(*writer_);
  bring_captured(columns);
  if (changed_) {
    dirty_.insert(dirty_.end(), columns.begin(), columns.end());
    return sync();
  }
  try {
    graph_->write_back(columns, *writer_);
  } catch (const error&) { // nothing came back
    dirty_.insert(dirty_.end(), columns.begin(), columns.end());
    throw;
  }
  graph_->release_kept(columns);
}

bool home::read(const ikra::detail::object_list& list,
                const ikra::detail::member_of_objects& member, ikra::detail::any_buffer& out) {
  static constexpr section_info reading = operation_info("read");
  const auto base =
      std::ranges::find_if(bases_, [&](const base_list& one) { return one.list == &list; });
  if (graph_ == nullptr || changed_ || base == bases_.end())
    return false;
  device& where = graph_->where();
  where.make_current(reading);
  const auto i = static_cast<std::size_t>(base - bases_.begin());
  if (!bring_added(reading) || !has_base(i, reading))
    return false;
  if (!where.is_cuda())
    return graph_->read(i, member, [&](std::size_t) { return out.allocate(list.count); }, reading);
  device_memory memory;
  const auto room = [&](std::size_t bytes) {
    memory = device_memory(where, bytes, "members that are read", reading);
    return memory.data();
  };
  if (!graph_->read(i, member, room, reading))
    return false;
  out.set_remote(list.count, std::make_shared<device_elements>(std::move(memory), reading));
  return true;
}

} // namespace ikra::rt
