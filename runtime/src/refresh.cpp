// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bringing single objects that the host has changed to the columns of a graph that stays: what
// `scope.changed(&object)` costs is then what the object has, and not a new trace.
#include <ikra/generated/object_graph.hpp>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace ikra::rt {

class object_graph::refreshment {
public:
  refreshment(object_graph& graph, bool others_differ)
      : graph_(graph), others_differ_(others_differ) {
    const std::span<const class_info> classes = graph.plan_.classes();
    nothing_.objects.resize(classes.size());
    nothing_.first.assign(classes.size(), 0);
    for (const class_info& c : classes)
      nothing_.numbers.emplace_back(c.size);
  }

  void add(const found_object& object) {
    if (seen_.emplace(object.address, object.class_index).second)
      objects_.push_back({object, 0});
  }

  /// Finds the objects, and those that they hold. \returns whether all are known, and the columns
  /// have room for what they have now
  bool find() {
    for (std::size_t i = 0; i < objects_.size(); ++i) { // grows
      const found_object object = objects_[i].object;
      const std::uint32_t number = graph_.table_.numbers[object.class_index].find(object.address);
      // The map knows addresses but for their last bits.
      if (number == address_map::absent ||
          graph_.table_.objects[object.class_index][number] != object.address)
        return false;
      objects_[i].id = graph_.table_.first[object.class_index] + number;
      for (std::size_t k = 0; k < graph_.columns_.size(); ++k)
        if (const column_part* part = graph_.plan_.columns()[k].part_of(object.class_index))
          if (!fits(k, *part, objects_[i]) || !follow(*part, object))
            return false;
    }
    return true;
  }

  void bring(const section_info& section) {
    std::vector<unsigned char> members;
    for (const member_source& each : objects_)
      for (std::size_t k = 0; k < graph_.columns_.size(); ++k) {
        const column_info& info = graph_.plan_.columns()[k];
        column_state& column = graph_.columns_[k];
        const column_part* part = info.part_of(each.object.class_index);
        if (part == nullptr || !column.valid)
          continue;
        const std::size_t place = each.id - column.begin;
        const std::size_t first = info.is_list() ? column.host_rows[place].offset : place;
        const std::size_t count = info.is_list() ? column.host_rows[place].length : 1;
        if (count == 0)
          continue;
        members.resize(count * info.element_size);
        part->gather(&each.object.address, 1, graph_.table_, members.data());
        const auto put = [&](const device_memory& to) {
          graph_.device_.upload(static_cast<unsigned char*>(to.data()) + first * info.element_size,
                                members.data(), members.size(), section);
        };
        put(column.values);
        if (!column.is_kept)
          continue;
        if (column.kept_on_host.empty())
          put(column.kept);
        else
          std::memcpy(column.kept_on_host.data() + first * info.element_size, members.data(),
                      members.size());
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

  /// Adds the objects that are held. \returns whether all references lead to known objects
  bool follow(const column_part& part, const found_object& object) {
    if (part.discover == nullptr)
      return true;
    discovery known{graph_.table_, {}, nullptr};
    part.discover(&object.address, 1, known);
    if (known.unknown_class != nullptr || known.found.begin() != known.found.end())
      return false;
    discovery all{nothing_, {}, nullptr};
    part.discover(&object.address, 1, all);
    const auto begin = reinterpret_cast<std::uintptr_t>(object.address);
    const std::uintptr_t end = begin + graph_.plan_.classes()[object.class_index].size;
    for (const found_object& found : all.found) {
      const auto at = reinterpret_cast<std::uintptr_t>(found.address);
      if (at >= begin && at < end)
        add(found);
      else if (part.holds && others_differ_) // sections may have written them, the host not
        return false;
      else if (part.holds)
        add(found);
    }
    return true;
  }

  object_graph& graph_;
  bool others_differ_;
  object_table nothing_; ///< for discovery: all that there is
  std::vector<member_source> objects_;
  std::set<std::pair<const void*, unsigned>> seen_;
};

bool object_graph::refresh(std::span<const found_object> changed, bool others_differ,
                           const section_info& section) {
  refreshment objects(*this, others_differ);
  for (const found_object& object : changed)
    objects.add(object);
  if (!objects.find())
    return false;
  restore_order(section);
  objects.bring(section);
  return true;
}

} // namespace ikra::rt
