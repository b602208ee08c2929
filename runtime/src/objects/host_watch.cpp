// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_watch.hpp"

#include "support/errors.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace ikra::rt {

namespace {

/// The objects of a class that are there: the host has said of others that they go.
std::vector<void*> present(const std::vector<void*>& objects) {
  std::vector<void*> there;
  there.reserve(objects.size());
  std::ranges::copy_if(objects, std::back_inserter(there),
                       [](const void* object) { return object != nullptr; });
  return there;
}

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

void object_graph::host_watch::remember_class(const object_graph& graph, unsigned class_index) {
  if (!graph.plan_.classes()[class_index].is_polymorphic ||
      std::ranges::find(classes_, class_index, &identities::class_index) != classes_.end())
    return;
  identities now{class_index, present(graph.table_.objects[class_index]), {}};
  for (const void* const object : now.objects)
    now.tables.push_back(table_of(object));
  classes_.push_back(std::move(now));
}

void object_graph::host_watch::remember(const object_graph& graph,
                                        std::span<const unsigned> columns) {
  for (unsigned c = 0; c < graph.table_.objects.size(); ++c)
    remember_class(graph, c); // also of those that are only called, or only referred to
  for (const unsigned k : columns)
    if (std::ranges::find(pictures_, k, &picture::column) == pictures_.end())
      for (const column_part& part : graph.plan_.columns()[k].parts)
        pictures_.push_back(made(graph, k, part, present(graph.table_.objects[part.class_index])));
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

void object_graph::remember_host(std::span<const unsigned> columns) {
  if (watch_ == nullptr)
    watch_ = std::make_unique<host_watch>();
  watch_->remember(*this, columns);
}

void object_graph::forget_host() {
  if (watch_ != nullptr)
    watch_->forget();
}

} // namespace ikra::rt
