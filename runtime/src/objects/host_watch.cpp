// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_watch.hpp"

#include "support/errors.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <typeinfo>
#include <utility>

namespace ikra::rt {

namespace {

/// The pointer that a polymorphic object begins with.
const void* table_of(const void* object) {
  const void* table = nullptr;
  std::memcpy(&table, object, sizeof table);
  return table;
}

} // namespace

object_graph::host_watch::picture object_graph::host_watch::made(const object_graph& graph,
                                                                 unsigned column,
                                                                 const column_part& part,
                                                                 std::vector<void*> objects) {
  picture now{column, &part, std::move(objects), {}, {}};
  std::size_t values = now.objects.size();
  if (part.lengths != nullptr) {
    now.rows.resize(now.objects.size());
    part.lengths(now.objects.data(), now.objects.size(), now.rows.data());
    values = 0;
    for (const list_row& row : now.rows)
      values += row.length;
  }
  now.values.resize(values * graph.plan_.columns()[column].element_size);
  if (!now.values.empty())
    part.gather(now.objects.data(), now.objects.size(), {graph.table_, part.place},
                now.values.data());
  return now;
}

/// Finds what the base arrays of a graph lead to.
class object_graph::host_watch::reach {
public:
  reach(const object_graph& graph, const std::set<std::pair<void*, unsigned>>& captured)
      : graph_(graph), captured_(captured) {
    const std::span<const class_info> classes = graph.plan_.classes();
    nothing_.objects.resize(classes.size());
    nothing_.first.assign(classes.size(), 0);
    for (const class_info& c : classes)
      nothing_.numbers.emplace_back(c.size);
    found_.resize(classes.size());
    for (std::size_t c = 0; c < classes.size(); ++c)
      seen_.emplace_back(graph.table_.objects[c].size(), false);
    for (const base_array& base : graph.bases_)
      begin(base);
    for (bool more = true; more;) {
      more = false;
      for (unsigned c = 0; c < found_.size(); ++c)
        more |= follow(c);
    }
  }

  /// By class, but for those that sections have captured.
  std::vector<std::vector<void*>> objects() {
    std::vector<std::vector<void*>> all;
    for (unsigned c = 0; c < found_.size(); ++c) {
      std::erase_if(found_[c].objects,
                    [&](void* object) { return captured_.contains(std::pair(object, c)); });
      all.push_back(std::move(found_[c].objects));
    }
    return all;
  }

private:
  struct class_objects {
    std::vector<void*> objects;
    std::size_t followed = 0; ///< of them
  };

  void begin(const base_array& base) {
    if (base.direct) {
      for (const class_run& run : base.runs)
        for (std::uint32_t i = 0; i < run.count; ++i)
          take(run.class_index, run.first + i - graph_.table_.first[run.class_index]);
      return;
    }
    for (std::size_t e = 0; e < base.size; ++e)
      if (base.codes[e] != reference_ops::null_code)
        take(base.codes[e], base.numbers[e]);
  }

  void take(unsigned c, std::uint32_t number) {
    void* const object = graph_.table_.objects[c][number];
    if (object == nullptr || seen_[c][number]) // of null the host has said that it goes
      return;
    seen_[c][number] = true;
    found_[c].objects.push_back(object);
  }

  /// Looks at the references of what was found last. \returns whether there was any
  bool follow(unsigned c) {
    const std::size_t first = found_[c].followed, n = found_[c].objects.size() - first;
    if (n == 0)
      return false;
    found_[c].followed += n;
    const std::vector<void*> objects(found_[c].objects.begin() + static_cast<std::ptrdiff_t>(first),
                                     found_[c].objects.end()); // more are found meanwhile
    for (const column_info& column : graph_.plan_.columns()) {
      const column_part* const part = column.part_of(c);
      if (!column.is_reference() || part == nullptr)
        continue;
      const auto add = [](void* self, const found_object& object) {
        auto& all = *static_cast<reach*>(self);
        const std::uint32_t number =
            all.graph_.table_.numbers[object.class_index].find(object.address);
        if (number != address_map::absent &&
            all.graph_.table_.objects[object.class_index][number] == object.address)
          all.take(object.class_index, number);
      };
      discovery found{{nothing_, part->place}, {add, this}, nullptr};
      part->discover(objects.data(), n, found);
    }
    return true;
  }

  const object_graph& graph_;
  const std::set<std::pair<void*, unsigned>>& captured_;
  object_table nothing_; ///< for discovery: all that there is
  std::vector<class_objects> found_;
  std::vector<std::vector<bool>> seen_; ///< by class and number
};

void object_graph::host_watch::remember(const object_graph& graph,
                                        std::span<const unsigned> columns,
                                        const std::set<std::pair<void*, unsigned>>& captured) {
  const auto is_new = [&](unsigned k) {
    const column_info& column = graph.plan_.columns()[k];
    // Of a std::optional without a pointer, and of other values that hold pointers, some bytes mean
    // nothing, and may differ each time that they are gathered.
    const bool holds_pointers = column.is_reference() && *column.element != typeid(object_id);
    return !holds_pointers && std::ranges::find(pictures_, k, &picture::column) == pictures_.end();
  };
  if (std::ranges::none_of(columns, is_new))
    return;
  const std::vector<std::vector<void*>> reached = reach(graph, captured).objects();
  if (classes_.empty())
    for (unsigned c = 0; c < reached.size(); ++c)
      if (graph.plan_.classes()[c].is_polymorphic && !reached[c].empty()) {
        identities& now = classes_.emplace_back(c, reached[c]);
        for (const void* const object : now.objects)
          now.tables.push_back(table_of(object));
      }
  std::vector<picture> more;
  for (const unsigned k : columns)
    if (is_new(k))
      for (const column_part& part : graph.plan_.columns()[k].parts)
        more.push_back(made(graph, k, part, reached[part.class_index]));
  std::ranges::move(more, std::back_inserter(pictures_));
}

void object_graph::host_watch::forget(std::span<const unsigned> columns) {
  std::erase_if(pictures_,
                [&](const picture& of) { return std::ranges::count(columns, of.column) != 0; });
}

void object_graph::host_watch::compare(const object_graph& graph, std::span<const unsigned> columns,
                                       const section_info& section) const {
  // First of all: the members of an object that is gone may be anything.
  for (const identities& of : classes_)
    for (std::size_t i = 0; i < of.objects.size(); ++i)
      if (table_of(of.objects[i]) != of.tables[i])
        fail(error_kind::failed_check, section,
             std::string("an object of class ") + graph.plan_.classes()[of.class_index].name +
                 " was destroyed while a scope holds it",
             "call scope.remove(pointer) before the object goes");
  for (const picture& then : pictures_) {
    if (!columns.empty() && std::ranges::count(columns, then.column) == 0)
      continue;
    const picture now = made(graph, then.column, *then.part, then.objects);
    const std::size_t size = graph.plan_.columns()[then.column].element_size;
    std::size_t at = 0;
    for (std::size_t i = 0; i < then.objects.size(); ++i) {
      const std::size_t length = then.rows.empty() ? 1 : then.rows[i].length;
      const std::size_t bytes = length * size;
      const bool is_same = (then.rows.empty() || now.rows[i].length == length) &&
                           std::memcmp(now.values.data() + at, then.values.data() + at, bytes) == 0;
      if (!is_same)
        fail(error_kind::failed_check, section,
             std::string("the host wrote ") + graph.plan_.columns()[then.column].name +
                 " of an object of class " + graph.plan_.classes()[then.part->class_index].name +
                 " inside a scope, without telling it",
             "call scope.changed(pointer) after the write; what the device wrote would win "
             "otherwise");
      at += bytes;
    }
  }
}

void object_graph::compare_with_host(std::span<const unsigned> columns,
                                     const section_info& section) const {
  if (watch_ != nullptr)
    watch_->compare(*this, columns, section);
}

void object_graph::remember_host(std::span<const unsigned> columns,
                                 const std::set<std::pair<void*, unsigned>>& captured) {
  if (watch_ == nullptr)
    watch_ = std::make_unique<host_watch>();
  watch_->remember(*this, columns, captured);
}

void object_graph::forget_host() {
  if (watch_ != nullptr)
    watch_->forget();
}

} // namespace ikra::rt
