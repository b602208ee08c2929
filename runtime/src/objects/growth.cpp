// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that come and go while a graph stays (docs/runtime.md, "Objects that come and go"). New
// ones get the next numbers of their class, in room that trace() left after each segment, and
// their members go after those that are in the columns: what is there does not move. A number
// whose object has gone is not given again, and nothing looks at it.
#include <ikra/generated/objects/object_graph.hpp>

#include "follow_pointers.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <cstring>

namespace ikra::rt {

namespace {

/// Takes objects out of a table again unless all went well.
class new_objects {
public:
  explicit new_objects(object_table& table) : table_(&table) {
    for (const std::vector<void*>& objects : table.objects)
      before_.push_back(objects.size());
  }
  new_objects(const new_objects&) = delete;
  new_objects& operator=(const new_objects&) = delete;
  ~new_objects() {
    for (unsigned c = 0; c < before_.size() && !stay_; ++c) {
      std::vector<void*>& objects = table_->objects[c];
      for (std::size_t i = before_[c]; i < objects.size(); ++i)
        table_->numbers(c).erase(objects[i]);
      objects.resize(before_[c]);
    }
  }

  std::span<const std::size_t> before() const { return before_; }
  void stay() { stay_ = true; }

private:
  object_table* table_;
  std::vector<std::size_t> before_; ///< objects by class
  bool stay_ = false;
};

} // namespace

bool object_graph::add(std::span<const found_object> objects, const section_info& section) {
  if (objects.empty())
    return true;
  if (!has_room_)
    return false;
  restore_order(section); // whose permutations are as long as the classes
  new_objects added(table_);
  met_rooted_ = false;
  try {
    for (const found_object& object : objects)
      number(object.class_index, object.address, section);
    std::vector<unsigned> all(columns_.size());
    for (unsigned k = 0; k < all.size(); ++k)
      all[k] = k;
    follow(all, added.before(), section);
  } catch (const error& failed) {
    if (failed.kind() != error_kind::too_many_objects && failed.kind() != error_kind::unknown_class)
      throw;
    return false;
  }
  if (met_rooted_ || !make_new_rows(added.before()))
    return false;
  fill_new(added.before(), section);
  added.stay();
  forget_host();
  return true;
}

// Places for the values of new containers, after those of their class.
// \returns whether there is room
bool object_graph::make_new_rows(std::span<const std::size_t> before) {
  for (unsigned k = 0; k < columns_.size(); ++k) {
    column_state& column = columns_[k];
    if (!column.valid || !plan_.columns()[k].is_list())
      continue;
    for (const column_part& part : plan_.columns()[k].parts) {
      const unsigned c = part.class_index;
      const std::vector<void*>& objects = table_.objects[c];
      if (objects.size() == before[c])
        continue;
      list_row* const rows = column.host_rows.data() + (table_.first[c] - column.begin);
      part.lengths(objects.data() + before[c], objects.size() - before[c], rows + before[c]);
      for (std::size_t i = before[c]; i < objects.size(); ++i) {
        if (i != 0)
          rows[i].offset = rows[i - 1].offset + rows[i - 1].length;
        if (rows[i].offset + std::size_t(rows[i].length) > column.list_ends[c])
          return false;
      }
    }
  }
  return true;
}

void object_graph::fill_new(std::span<const std::size_t> before, const section_info& section) {
  std::vector<unsigned char> now;
  for (unsigned k = 0; k < columns_.size(); ++k) {
    const column_info& info = plan_.columns()[k];
    column_state& column = columns_[k];
    if (!column.valid && !column.is_filled)
      continue;
    for (const column_part& part : info.parts) {
      const unsigned c = part.class_index;
      const std::vector<void*>& objects = table_.objects[c];
      const std::size_t n = objects.size() - before[c];
      if (n == 0)
        continue;
      std::size_t first = table_.first[c] + before[c] - column.begin, count = n;
      if (info.is_list()) {
        const list_row* const rows = column.host_rows.data() + first;
        device_.upload(static_cast<unsigned char*>(column.rows.data()) + first * sizeof(list_row),
                       rows, n * sizeof(list_row), section);
        first = rows[0].offset;
        count = rows[n - 1].offset + std::size_t(rows[n - 1].length) - first;
      }
      now.resize(count * info.element_size);
      part.gather(objects.data() + before[c], n, {table_, part.place}, now.data());
      put(column, first * info.element_size, now.data(), now.size(), section);
    }
  }
}

// What the host has goes to a column, and to what was kept of it.
void object_graph::put(column_state& column, std::size_t offset, const void* from,
                       std::size_t bytes, const section_info& section) const {
  if (bytes == 0)
    return;
  column.host_had.clear();
  const auto to = [&](const device_memory& memory) {
    device_.upload(static_cast<unsigned char*>(memory.data()) + offset, from, bytes, section);
  };
  to(column.values);
  if (!column.is_kept)
    return;
  if (column.kept_on_host.empty())
    to(column.kept);
  else
    std::memcpy(column.kept_on_host.data() + offset, from, bytes);
}

std::vector<found_object> object_graph::remove(const found_object& one) {
  std::vector<found_object> all{one};
  for (guest& other : guests_) // others may come to be at the same addresses
    other = {&typeid(void), {}};
  lists_.clear();
  for (std::size_t i = 0; i < all.size(); ++i) { // grows
    const found_object object = all[i];
    const std::size_t bytes = plan_.classes()[object.class_index].size;
    const std::optional<std::uint32_t> id = id_of(object);
    if (!id)
      continue;
    for (const column_info& column : plan_.columns()) {
      const column_part* const part = column.part_of(object.class_index);
      if (part == nullptr || !part->holds)
        continue;
      discovery found{{no_objects(), part->place}, {}, nullptr};
      discover(plan_, column, *part, &object.address, 1, found);
      for (const found_object& each : found.found)
        if (const auto at = reinterpret_cast<std::uintptr_t>(each.address),
            begin = reinterpret_cast<std::uintptr_t>(object.address);
            part->owns || (at >= begin && at < begin + bytes))
          all.push_back(each);
    }
    table_.numbers(object.class_index).erase(object.address);
    table_.objects[object.class_index][*id - table_.first[object.class_index]] = nullptr;
  }
  return all;
}

std::optional<std::uint32_t> object_graph::id_of(const found_object& object) const {
  const std::uint32_t number = table_.number(object.class_index, object.address);
  if (number == address_map::absent)
    return std::nullopt;
  return table_.first[object.class_index] + number;
}

const object_table& object_graph::no_objects() {
  if (no_objects_ == nullptr) {
    auto table = std::make_unique<object_table>();
    table->objects.resize(plan_.classes().size());
    table->first.assign(plan_.classes().size(), 0);
    table->make_maps(plan_.classes());
    no_objects_ = std::move(table);
  }
  return *no_objects_;
}

} // namespace ikra::rt
