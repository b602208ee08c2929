// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resident.hpp"

#include "operations.hpp"

#include <ikra/generated/section.hpp>

#include "errors.hpp"

#include <algorithm>
#include <cstring>

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

  void sync() override {
    for (const std::shared_ptr<home>& h : homes_)
      h->sync();
  }
  void changed() override {
    sync();
    for (const std::shared_ptr<home>& h : homes_)
      h->drop();
  }

  /// \returns the array with these pointers, or null.
  const ikra::detail::object_list* find(const pointer_source& base) const {
    for (const ikra::detail::object_list& list : lists_)
      if (list.count == base.count && *list.pointee == *base.ops->pointee &&
          (base.count == 0 || list.pointers == base.pointers ||
           std::memcmp(list.pointers, base.pointers, base.count * sizeof(void*)) == 0))
        return &list;
    return nullptr;
  }

  const std::shared_ptr<home>& home_of(const layout& plan) {
    for (const std::shared_ptr<home>& h : homes_)
      if (&h->plan() == &plan)
        return h;
    return homes_.emplace_back(std::make_shared<home>(plan));
  }

  const std::vector<std::shared_ptr<home>>& homes() const { return homes_; }

private:
  const std::vector<ikra::detail::object_list> lists_;
  std::vector<std::shared_ptr<home>> homes_;
};

std::unique_ptr<ikra::detail::resident_scope>
make_scope(std::vector<ikra::detail::object_list> lists) {
  return std::make_unique<scope>(std::move(lists));
}

// Runs before main() in every program that has sessions, since those refer to this file.
[[maybe_unused]] const bool installed = [] {
  ikra::detail::make_resident_scope = &make_scope;
  install_operations();
  return true;
}();

/// The same pointers with an owner, for as long as the scope lasts.
captured_root kept(const captured_root& root) {
  if (root.owner != nullptr)
    return root;
  const auto copy = std::make_shared<std::vector<const void*>>(root.source.count);
  if (!copy->empty())
    std::memcpy(copy->data(), root.source.pointers, copy->size() * sizeof(void*));
  return {{root.source.ops, copy->data(), copy->size()}, copy};
}

std::vector<unsigned> all_columns(const layout& plan) {
  std::vector<unsigned> result(plan.columns().size());
  for (unsigned k = 0; k < result.size(); ++k)
    result[k] = k;
  return result;
}

} // namespace

void bring_objects_back() { sync_other_homes(nullptr); }

bool find_ids(const world& in, const std::vector<captured_root>& roots, std::vector<object_id>& ids,
              const section_info& section) {
  ids.clear();
  for (const captured_root& root : roots) {
    const std::size_t first = ids.size();
    ids.resize(first + root.source.count);
    if (!in.find(root.source, ids.data() + first, section))
      return false;
  }
  return true;
}

std::size_t home::admit(const ikra::detail::object_list& list, const reference_ops& ops,
                        const std::vector<captured_root>& roots, std::vector<object_id>& ids,
                        device& where, const section_info& section) {
  const auto known = std::find_if(bases_.begin(), bases_.end(),
                                  [&](const auto& base) { return base.first == &list; });
  const auto place = static_cast<std::size_t>(known - bases_.begin());
  const bool base_is_there = known != bases_.end();
  const bool is_here = world_ != nullptr && &world_->where() == &where;
  if (is_here && base_is_there && find_ids(*world_, roots, ids, section))
    return place;

  sync();
  if (!base_is_there)
    bases_.emplace_back(&list, &ops);
  const auto old_roots = static_cast<std::ptrdiff_t>(roots_.size());
  for (const captured_root& root : roots)
    roots_.push_back(kept(root));
  world_ = nullptr;
  try {
    std::vector<pointer_source> base_sources, root_sources;
    for (const auto& [objects, base_ops] : bases_)
      base_sources.push_back({base_ops, objects->pointers, objects->count});
    for (const captured_root& root : roots_)
      root_sources.push_back(root.source);
    auto traced = std::make_shared<world>(plan_, where);
    traced->trace(base_sources, root_sources, all_columns(plan_), section);
    world_ = std::move(traced);
  } catch (const error&) {
    // The next section starts from what was there before this one.
    if (!base_is_there)
      bases_.pop_back();
    roots_.erase(roots_.begin() + old_roots, roots_.end());
    throw;
  }
  find_ids(*world_, roots, ids, section);
  return place;
}

void home::written(std::span<const unsigned> columns, const section_info& section) {
  for (const unsigned k : columns)
    if (std::find(dirty_.begin(), dirty_.end(), k) == dirty_.end())
      dirty_.push_back(k);
  writer_ = &section;
}

void home::sync() {
  if (dirty_.empty())
    return;
  world_->where().make_current(*writer_);
  world_->write_back(dirty_, *writer_);
  dirty_.clear();
}

void home::forget() {
  if (world_ != nullptr)
    world_->forget();
}

void home::drop() {
  dirty_.clear();
  world_ = nullptr;
}

residence find_residence(const layout& plan, const pointer_source& base) {
  for (auto s = scopes.rbegin(); s != scopes.rend(); ++s)
    if (const ikra::detail::object_list* list = (*s)->find(base))
      return {(*s)->home_of(plan), list};
  return {};
}

void sync_other_homes(const home* mine) {
  for (const scope* s : scopes)
    for (const std::shared_ptr<home>& h : s->homes())
      if (h.get() != mine)
        h->sync();
}

void forget_other_homes(const home* mine) {
  for (const scope* s : scopes)
    for (const std::shared_ptr<home>& h : s->homes())
      if (h.get() != mine)
        h->forget();
}

void drop_homes() {
  for (const scope* s : scopes)
    for (const std::shared_ptr<home>& h : s->homes())
      h->drop();
}

} // namespace ikra::rt
