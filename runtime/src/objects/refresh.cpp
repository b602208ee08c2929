// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bringing single objects that the host has changed to the columns of a graph that stays: what
// `scope.changed(&object)` costs is then what the object has, and not a new trace.
#include "follow_pointers.hpp"

#include <ikra/generated/objects/object_graph.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace ikra::rt {

class object_graph::refreshment {
public:
  refreshment(object_graph& graph, bool others_differ)
      : graph_(graph), others_differ_(others_differ) {}

  void add(const found_object& object) {
    if (seen_.emplace(object.address, object.class_index).second)
      objects_.push_back({object, 0});
  }

  /// Finds the objects, and those that they hold. \returns whether all are known, refer to what
  /// they did, and have containers for which the columns have room
  bool find(const section_info& section) {
    section_ = &section;
    for (std::size_t i = 0; i < objects_.size(); ++i) { // grows
      const found_object object = objects_[i].object;
      const std::uint32_t number = graph_.table_.number(object.class_index, object.address);
      if (number == address_map::absent)
        return false;
      objects_[i].id = graph_.table_.first[object.class_index] + number;
      for (std::size_t k = 0; k < graph_.columns_.size(); ++k)
        if (const column_part* part = graph_.plan_.columns()[k].part_of(object.class_index))
          if (!fits(k, *part, objects_[i]) || !follow(k, *part, objects_[i].id, object))
            return false;
    }
    return true;
  }

  void bring() {
    for (const member_source& each : objects_)
      for (std::size_t k = 0; k < graph_.columns_.size(); ++k) {
        const column_info& info = graph_.plan_.columns()[k];
        column_state& column = graph_.columns_[k];
        const column_part* part = info.part_of(each.object.class_index);
        if (part == nullptr || !(column.valid || column.is_filled))
          continue;
        const elements of = elements_of(k, each.id);
        if (of.count == 0)
          continue;
        now_.resize(of.bytes());
        part->gather(&each.object.address, 1, {graph_.table_, part->place}, now_.data());
        graph_.put(column, of.offset(), now_.data(), now_.size(), *section_);
      }
  }

private:
  struct member_source {
    found_object object;
    std::uint32_t id;
  };

  /// Whether a container has as many elements as its column has room for.
  bool fits(std::size_t k, const column_part& part, const member_source& of) const {
    const column_state& column = graph_.columns_[k];
    if (part.lengths == nullptr || !column.valid)
      return true;
    list_row now{};
    part.lengths(&of.object.address, 1, &now);
    return now.length == column.host_rows[of.id - column.begin].length;
  }

  /// Adds the objects that are held. \returns whether all references lead to known objects, and to
  /// those that they led to: the host may have deleted others, which the graph still has
  bool follow(std::size_t k, const column_part& part, std::uint32_t id,
              const found_object& object) {
    if (part.discover == nullptr)
      return true;
    discovery known{{graph_.table_, part.place}, {}, nullptr};
    discover(graph_.plan_, graph_.plan_.columns()[k], part, &object.address, 1, known);
    if (known.unknown_class != nullptr || known.found.begin() != known.found.end())
      return false;
    discovery all{{graph_.no_objects(), part.place}, {}, nullptr};
    discover(graph_.plan_, graph_.plan_.columns()[k], part, &object.address, 1, all);
    const auto begin = reinterpret_cast<std::uintptr_t>(object.address);
    const std::uintptr_t end = begin + graph_.plan_.classes()[object.class_index].size;
    const auto is_inside = [&](const found_object& found) {
      const auto at = reinterpret_cast<std::uintptr_t>(found.address);
      return at >= begin && at < end;
    };
    const bool is_held = part.holds && all.found.begin() != all.found.end() &&
                         std::all_of(all.found.begin(), all.found.end(), is_inside);
    if (!is_held && !is_the_same(k, part, id, object))
      return false;
    for (const found_object& found : all.found) {
      if (is_inside(found))
        add(found);
      else if (part.holds && others_differ_) // sections may have written them, the host not
        return false;
      else if (part.holds)
        add(found);
    }
    return true;
  }

  /// Whether a member, or what a container has, refers to what its column has.
  bool is_the_same(std::size_t k, const column_part& part, std::uint32_t id,
                   const found_object& object) {
    const column_state& column = graph_.columns_[k];
    if (!column.valid)
      return false;
    const elements of = elements_of(k, id);
    now_.resize(of.bytes());
    known_.resize(of.bytes());
    part.gather(&object.address, 1, {graph_.table_, part.place}, now_.data());
    if (!now_.empty())
      graph_.device_.download(known_.data(),
                              static_cast<const unsigned char*>(column.values.data()) + of.offset(),
                              known_.size(), *section_);
    return now_ == known_;
  }

  /// Where an object's elements of a column are.
  struct elements {
    std::size_t first, count, size;
    std::size_t offset() const { return first * size; }
    std::size_t bytes() const { return count * size; }
  };
  elements elements_of(std::size_t k, std::uint32_t id) const {
    const column_info& info = graph_.plan_.columns()[k];
    const column_state& column = graph_.columns_[k];
    const std::size_t place = id - column.begin;
    if (!info.is_list())
      return {place, 1, info.element_size};
    const list_row row = column.host_rows[place];
    return {row.offset, row.length, info.element_size};
  }

  object_graph& graph_;
  const section_info* section_ = nullptr;
  std::vector<unsigned char> now_, known_;
  bool others_differ_;
  std::vector<member_source> objects_;
  std::set<std::pair<const void*, unsigned>> seen_;
};

bool object_graph::refresh(std::span<const found_object> changed, bool others_differ,
                           const section_info& section) {
  refreshment objects(*this, others_differ);
  for (const found_object& object : changed)
    objects.add(object);
  restore_order(section); // IDs say where objects are in columns
  if (!objects.find(section))
    return false;
  objects.bring();
  forget_host();
  return true;
}

} // namespace ikra::rt
