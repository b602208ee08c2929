// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single members of the objects of a graph, as a program names them by pointers to members. Which
// column a member is in is told by where both are in an object that is there.
#include <ikra/generated/objects/object_graph.hpp>
#include <ikra/resident.hpp>

#include "follow_pointers.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <cstring>

namespace ikra::rt {

using ikra::detail::member_of_objects;

namespace {

/// \returns an object of a class that has not been taken away, or null.
void* any_of(const std::vector<void*>& objects) {
  const auto found =
      std::ranges::find_if(objects, [](const void* each) { return each != nullptr; });
  return found == objects.end() ? nullptr : *found;
}

bool is_in(const column_info& column, const object_table& table, const member_of_objects& member,
           std::size_t field) {
  if (column.owner == nullptr || *column.owner != *member.owner)
    return false;
  for (const column_part& part : column.parts)
    if (void* const object = any_of(table.objects[part.class_index]);
        object != nullptr && part.member != nullptr)
      return part.member(object, field) ==
             member.place(member.pointer_to_member, part.owner(object));
  return false;
}

} // namespace

std::vector<unsigned> object_graph::columns_of(const member_of_objects& member) const {
  std::vector<unsigned> result;
  for (unsigned k = 0; k < columns_.size(); ++k)
    if (plan_.columns()[k].fields.empty() && is_in(plan_.columns()[k], table_, member, 0))
      result.push_back(k);
  return result;
}

bool object_graph::bring_members(const found_object& object, std::span<const void* const> members,
                                 const section_info& section) {
  restore_order(section);
  forget_host();
  const std::optional<std::uint32_t> id = id_of(object);
  if (!id)
    return true; // what was not traced is nowhere else
  bool all_brought = true;
  std::vector<unsigned char> now;
  for (unsigned k = 0; k < columns_.size(); ++k) {
    const column_info& info = plan_.columns()[k];
    column_state& column = columns_[k];
    const column_part* const part = info.part_of(object.class_index);
    if (part == nullptr || part->member == nullptr)
      continue;
    const auto is_meant = [&](std::size_t field) {
      return std::ranges::find(members, part->member(object.address, field)) != members.end();
    };
    if (!column.valid && !column.is_filled) { // what it leads to was traced, though
      all_brought = all_brought && !(part->discover != nullptr && is_meant(0));
      continue;
    }
    const std::size_t place = *id - column.begin;
    if (!info.fields.empty()) { // of which other members may be newer in columns of their own
      for (std::size_t f = 0; f < info.fields.size(); ++f)
        if (is_meant(f))
          put(column, place * info.element_size + info.fields[f].offset,
              part->member(object.address, f), info.fields[f].size, section);
      continue;
    }
    if (!is_meant(0))
      continue;
    list_row row{static_cast<std::uint32_t>(place), 1};
    if (info.is_list()) {
      part->lengths(&object.address, 1, &row);
      row.offset = column.host_rows[place].offset;
      if (row.length != column.host_rows[place].length) {
        all_brought = false;
        continue;
      }
    }
    if (info.is_reference()) {
      discovery unknown{{table_, part->place}, {}, nullptr};
      discover(plan_, info, *part, &object.address, 1, unknown);
      if (part->holds || unknown.unknown_class != nullptr ||
          unknown.found.begin() != unknown.found.end()) {
        all_brought = false;
        continue;
      }
    }
    now.resize(row.length * info.element_size);
    part->gather(&object.address, 1, {table_, part->place}, now.data());
    put(column, row.offset * info.element_size, now.data(), now.size(), section);
  }
  return all_brought;
}

bool object_graph::read(std::size_t base_index, const member_of_objects& member,
                        const std::function<void*(std::size_t)>& room,
                        const section_info& section) {
  const base_array& base = bases_[base_index];
  const std::vector<unsigned> found = columns_of(member);
  if (base.nulls != 0 || base.size == 0 || found.size() != 1)
    return false;
  const column_info& info = plan_.columns()[found.front()];
  const column_state& column = columns_[found.front()];
  if (!column.valid || info.is_list() || *info.element != *member.type)
    return false;
  restore_order(section);
  const std::size_t size = info.element_size;
  void* const to = room(base.size * size);
  if (base.in_order) {
    device_.copy(to,
                 static_cast<const unsigned char*>(column.values.data()) +
                     (base.runs.front().first - column.begin) * size,
                 base.size * size, section);
    return true;
  }
  const std::vector<std::uint32_t> places = places_of(base, column.begin);
  const device_memory order(device_, places.size() * sizeof(std::uint32_t), "element positions",
                            section);
  device_.upload(order.data(), places.data(), order.bytes(), section);
  device_.gather(to, column.values.data(), size, static_cast<const std::uint32_t*>(order.data()),
                 static_cast<std::uint32_t>(base.size), section);
  return true;
}

// Where the elements of a base array without nulls are in a column.
std::vector<std::uint32_t> object_graph::places_of(const base_array& base,
                                                   std::uint32_t begin) const {
  std::vector<std::uint32_t> next(plan_.classes().size(), 0), places(base.size);
  for (const class_run& run : base.runs)
    next[run.class_index] = run.first - begin;
  for (std::size_t e = 0; e < base.size; ++e)
    places[e] =
        base.direct ? next[base.codes[e]]++ : table_.first[base.codes[e]] + base.numbers[e] - begin;
  return places;
}

} // namespace ikra::rt
