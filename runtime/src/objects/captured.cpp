// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections capture.
//
// Containers of pointers: the IDs of their objects are looked up once, as long as the pointers are
// the same.
//
// Single objects, such as `this`, and those of short containers that no scope has: the host may
// write to their members as to any variable, and a resident scope is not told. So before each
// section their members are compared with what the host had when they came to the columns
// (docs/runtime.md, "Captured objects").
#include "follow_pointers.hpp"

#include <ikra/generated/objects/object_graph.hpp>
#include <ikra/object_pointers.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace ikra::rt {

namespace {

/// Of longer containers of pointers only the length is compared: each pointer takes a look-up.
constexpr std::size_t most_references = 64;

bool is_same(const void* a, const void* b, std::size_t bytes) {
  constexpr std::size_t few = 4096;
  return bytes <= few ? std::memcmp(a, b, bytes) == 0 : ikra::detail::same_bytes(a, b, bytes);
}

} // namespace

class object_graph::comparison {
public:
  comparison(object_graph& graph, std::span<const unsigned> columns, const section_info& section)
      : graph_(graph), columns_(columns), section_(section) {}

  /// \returns whether all could be brought.
  bool run(std::span<const found_object> objects) {
    for (const found_object& object : objects)
      if (!bring(object))
        return false;
    for (std::size_t i = 0; i < held_.size(); ++i) // grows
      if (const found_object object = held_[i]; !bring(object))
        return false;
    return true;
  }

private:
  bool bring(const found_object& object) {
    const std::optional<std::uint32_t> id = graph_.id_of(object);
    if (!id)
      return true;
    graph_.restore_class(object.class_index, section_);
    add_held(object);
    for (const unsigned k : columns_)
      if (!bring(k, object, *id))
        return false;
    return true;
  }

  /// Adds what lies within an object. What it owns elsewhere may be a whole tree.
  void add_held(const found_object& object) {
    const auto begin = reinterpret_cast<std::uintptr_t>(object.address);
    const std::uintptr_t end = begin + graph_.plan_.classes()[object.class_index].size;
    for (const column_info& column : graph_.plan_.columns()) {
      const column_part& first = column.parts.front(); // all parts are of one member
      if (!first.holds || (first.owns && first.lengths == nullptr))
        continue;
      const column_part* const part = column.part_of(object.class_index);
      if (part == nullptr)
        continue;
      if (list_row row{}; part->lengths != nullptr) {
        part->lengths(&object.address, 1, &row);
        if (row.length > most_references)
          continue;
      }
      discovery found{{graph_.no_objects(), part->place}, {}, nullptr};
      discover(graph_.plan_, column, *part, &object.address, 1, found);
      for (const found_object& each : found.found)
        if (const auto at = reinterpret_cast<std::uintptr_t>(each.address); at >= begin && at < end)
          held_.push_back(each);
    }
  }

  bool bring(unsigned k, const found_object& object, std::uint32_t id) {
    const column_info& info = graph_.plan_.columns()[k];
    column_state& column = graph_.columns_[k];
    const column_part* const part = info.part_of(object.class_index);
    if (part == nullptr)
      return true;
    if (!(column.valid || column.is_filled))
      return part->discover == nullptr || leads_to_known(info, *part, object);
    if (!info.fields.empty())
      return bring_fields(k, *part, object, id);
    list_row row{id - column.begin, 1};
    if (part->lengths != nullptr) {
      part->lengths(&object.address, 1, &row);
      const list_row known = column.host_rows[id - column.begin];
      if (row.length != known.length)
        return false;
      row.offset = known.offset;
    }
    if (row.length == 0)
      return true;
    if (part->discover != nullptr) {
      if (part->lengths != nullptr && row.length > most_references)
        return true;
      if (!leads_to_known(info, *part, object))
        return false;
    }
    const void* now = in_place(*part, object);
    const std::size_t bytes = row.length * info.element_size;
    if (now == nullptr) {
      now_.resize(bytes);
      part->gather(&object.address, 1, {graph_.table_, part->place}, now_.data());
      now = now_.data();
    }
    if (!bring_bytes(k, row.offset * info.element_size, now, bytes))
      return true;
    for (const unsigned record : graph_.plan_.records_with(k))
      for (std::size_t f = 0; f < graph_.plan_.columns()[record].fields.size(); ++f)
        if (graph_.plan_.column_of_field(record, f) == k)
          put_field(record, f, id, now);
    return true;
  }

  /// Whether an object leads to what was traced. Where others may be by now at addresses of rooted
  /// objects, what is there may not be one of them, unless it lies within.
  bool leads_to_known(const column_info& info, const column_part& part,
                      const found_object& object) const {
    const bool may_be_others = graph_.sleeps() && graph_.may_lead_to_rooted(info);
    if (list_row row{}; part.lengths != nullptr) {
      part.lengths(&object.address, 1, &row);
      if (row.length > most_references)
        return true;
    }
    discovery led{{may_be_others ? graph_.no_objects() : graph_.table_, part.place}, {}, nullptr};
    discover(graph_.plan_, info, part, &object.address, 1, led);
    if (led.unknown_class != nullptr)
      return false;
    const auto begin = reinterpret_cast<std::uintptr_t>(object.address);
    const std::size_t size = graph_.plan_.classes()[object.class_index].size;
    return std::ranges::all_of(led.found, [&](const found_object& each) {
      const std::uint32_t number = graph_.table_.number(each.class_index, each.address);
      return number != address_map::absent &&
             (!graph_.is_rooted(each.class_index, number) ||
              reinterpret_cast<std::uintptr_t>(each.address) - begin < size);
    });
  }

  /// Where the host has the bytes of a column's element, if it has them as they are.
  static const void* in_place(const column_part& part, const found_object& object) {
    if (part.values != nullptr)
      return part.values(object.address);
    const bool is_value = part.lengths == nullptr && part.discover == nullptr;
    return is_value && part.member != nullptr ? part.member(object.address, 0) : nullptr;
  }

  // Members of a record that are columns, too, may be newer there.
  bool bring_fields(unsigned k, const column_part& part, const found_object& object,
                    std::uint32_t id) {
    const column_info& info = graph_.plan_.columns()[k];
    for (std::size_t f = 0; f < info.fields.size(); ++f) {
      const std::optional<unsigned> other = graph_.plan_.column_of_field(k, f);
      if (other && graph_.columns_[*other].valid)
        bring(*other, object, id);
      else
        bring_bytes(k, (id - graph_.columns_[k].begin) * info.element_size + info.fields[f].offset,
                    part.member(object.address, f), info.fields[f].size);
    }
    return true;
  }

  void put_field(unsigned record, std::size_t f, std::uint32_t id, const void* now) {
    const column_info& info = graph_.plan_.columns()[record];
    column_state& column = graph_.columns_[record];
    if (column.valid || column.is_filled)
      graph_.put(column, (id - column.begin) * info.element_size + info.fields[f].offset, now,
                 info.fields[f].size, section_);
  }

  /// \returns whether the host's bytes were others.
  bool bring_bytes(unsigned k, std::size_t offset, const void* now, std::size_t bytes) {
    column_state& column = graph_.columns_[k];
    if (!graph_.device_.is_cuda()) {
      if (is_same(now, host_had(column) + offset, bytes))
        return false;
      graph_.put(column, offset, now, bytes, section_);
      return true;
    }
    // What the host had is asked for once, and not before each section.
    auto known = std::ranges::find_if(column.host_had, [&](const host_copy& each) {
      return each.offset == offset && each.bytes.size() == bytes;
    });
    if (known == column.host_had.end()) {
      host_copy copy{offset, std::vector<unsigned char>(bytes)};
      if (!column.kept_on_host.empty())
        std::memcpy(copy.bytes.data(), host_had(column) + offset, bytes);
      else
        graph_.device_.download(copy.bytes.data(), host_had(column) + offset, bytes, section_);
      if (column.host_had.size() == most_copies)
        column.host_had.erase(column.host_had.begin());
      column.host_had.push_back(std::move(copy));
      known = std::prev(column.host_had.end());
    }
    if (is_same(now, known->bytes.data(), bytes))
      return false;
    host_copy changed{
        offset,
        {static_cast<const unsigned char*>(now), static_cast<const unsigned char*>(now) + bytes}};
    graph_.put(column, offset, now, bytes, section_); // forgets the copies
    column.host_had.push_back(std::move(changed));
    return true;
  }

  /// What the host had when it and the column were last the same.
  static const unsigned char* host_had(const column_state& column) {
    return !column.kept_on_host.empty()
               ? column.kept_on_host.data()
               : static_cast<const unsigned char*>(
                     (column.is_kept ? column.kept : column.values).data());
  }

  static constexpr std::size_t most_copies = 64; ///< of a column

  object_graph& graph_;
  std::span<const unsigned> columns_;
  const section_info& section_;
  std::vector<found_object> held_;
  std::vector<unsigned char> now_;
};

std::shared_ptr<const std::vector<object_id>> object_graph::find_list(const pointer_source& source,
                                                                      const section_info& section) {
  const std::size_t bytes = source.count * sizeof(void*);
  for (const known_list& each : lists_)
    if (each.pointers.size() == bytes && *each.pointee == *source.ops->pointee &&
        ikra::detail::same_bytes(each.pointers.data(), source.pointers, bytes))
      return each.ids;
  // One that has changed takes its own place.
  auto old = std::ranges::find_if(lists_, [&](const known_list& each) {
    return each.place == source.pointers && each.pointers.size() == bytes;
  });
  known_list now;
  if (old == lists_.end() && lists_.size() == most_lists)
    old = lists_.begin() + static_cast<std::ptrdiff_t>(next_list_++ % most_lists);
  if (old != lists_.end()) {
    now = std::move(*old); // memory is used again
    lists_.erase(old);
  }
  if (now.ids == nullptr || now.ids.use_count() != 1)
    now.ids = std::make_shared<std::vector<object_id>>();
  now.ids->resize(source.count);
  if (!find(source, now.ids->data(), section))
    return nullptr;
  now.has_rooted = !rooted(source, *now.ids).empty();
  const auto* const pointers = static_cast<const unsigned char*>(source.pointers);
  now.pointee = source.ops->pointee;
  now.place = source.pointers;
  now.pointers.assign(pointers, pointers + bytes);
  lists_.push_back(std::move(now));
  return lists_.back().ids;
}

std::vector<found_object> object_graph::rooted(const pointer_source& source,
                                               std::span<const object_id> ids) const {
  std::vector<found_object> found;
  for (const unsigned of : source.ops->classes) {
    const unsigned c = source.number_of(of);
    if (!has_rooted_ || rooted_[c].empty())
      continue;
    for (const object_id id : ids)
      if (id.value >= table_.first[c] && is_rooted(c, id.value - table_.first[c]))
        found.push_back({table_.objects[c][id.value - table_.first[c]], c});
  }
  return found;
}

bool object_graph::may_lead_to_rooted(const column_info& column) const {
  return has_rooted_ && column.is_reference() &&
         std::ranges::any_of(column.targets, [&](unsigned c) { return of_rooted_family_[c]; });
}

// Whether all are captured themselves or lie within what is, and lead to no others.
bool object_graph::rooted_stand_alone(std::span<const found_object> captured) {
  constexpr std::size_t most = 64; // each section compares them
  std::size_t count = 0;
  for (const number_range& range : rooted_)
    count += range.last - range.first;
  if (count > most)
    return false;
  const auto holder_of = [&](const void* address) {
    return std::ranges::find_if(captured, [&](const found_object& each) {
      const auto begin = reinterpret_cast<std::uintptr_t>(each.address);
      const auto at = reinterpret_cast<std::uintptr_t>(address);
      return at >= begin && at - begin < plan_.classes()[each.class_index].size;
    });
  };
  for (unsigned c = 0; c < rooted_.size(); ++c)
    for (std::size_t n = rooted_[c].first; n < rooted_[c].last; ++n) {
      void* const object = table_.objects[c][n];
      if (object == nullptr)
        continue;
      const auto holder = holder_of(object);
      if (holder == captured.end())
        return false;
      for (const column_info& column : plan_.columns()) {
        const column_part* const part = column.part_of(c);
        if (part == nullptr || !may_lead_to_rooted(column))
          continue;
        discovery found{{no_objects(), part->place}, {}, nullptr};
        discover(plan_, column, *part, &object, 1, found);
        for (const found_object& each : found.found)
          if (holder_of(each.address) != holder &&
              is_rooted(each.class_index, table_.number(each.class_index, each.address)))
            return false;
      }
    }
  return true;
}

bool object_graph::let_rooted_sleep(std::span<const found_object> captured) {
  if (!has_rooted_)
    return true;
  if (!sleeps() && !rooted_stand_alone(captured))
    return false;
  const bool is_first = !sleeps();
  asleep_.resize(rooted_.size());
  for (unsigned c = 0; c < rooted_.size(); ++c) {
    const auto first = table_.objects[c].begin() + static_cast<std::ptrdiff_t>(rooted_[c].first);
    const auto last = table_.objects[c].begin() + static_cast<std::ptrdiff_t>(rooted_[c].last);
    if (is_first)
      asleep_[c].assign(first, last);
    std::fill(first, last, nullptr);
  }
  std::erase_if(lists_, &known_list::has_rooted);
  forget_host();
  return true;
}

void object_graph::wake(const found_object& captured) {
  const auto begin = reinterpret_cast<std::uintptr_t>(captured.address);
  const std::size_t size = plan_.classes()[captured.class_index].size;
  if (std::ranges::find(asleep_[captured.class_index], captured.address) ==
      asleep_[captured.class_index].end())
    return;
  for (unsigned c = 0; c < asleep_.size(); ++c)
    for (std::size_t i = 0; i < asleep_[c].size(); ++i)
      if (const auto at = reinterpret_cast<std::uintptr_t>(asleep_[c][i]);
          at >= begin && at - begin < size)
        table_.objects[c][rooted_[c].first + i] = asleep_[c][i];
}

bool object_graph::bring_captured(std::span<const found_object> objects,
                                  std::span<const unsigned> columns, const section_info& section) {
  return comparison(*this, columns, section).run(objects);
}

} // namespace ikra::rt
