// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of an object graph: filling them from the objects and bringing them back. Objects are
// taken in blocks small enough to stay in cache while one column after the other takes its member.
// To a GPU a block goes through pinned staging memory; where host and device share memory, it goes
// to its place at once. From a GPU all columns come before the first object changes.
#include <ikra/generated/objects/object_graph.hpp>

#include "class_lists.hpp"
#include "repeats.hpp"
#include "support/errors.hpp"
#include "support/parallel.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

namespace ikra::rt {

namespace {

constexpr std::size_t cache_block = 1024; // objects

std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Calls use(first, last) for what is there of the objects from begin to end: of others the host
/// has said that they go.
template <class Use>
void for_there(void* const* objects, std::size_t begin, std::size_t end, const Use& use) {
  for (std::size_t first = begin, last = begin; first < end; first = last + 1) {
    last = first;
    while (last < end && objects[last] != nullptr)
      ++last;
    if (last != first)
      use(first, last);
  }
}

/// Host memory for a block on its way to a GPU: pinned, unless it is too large for a staging
/// buffer.
class way_station {
public:
  way_station(device& where, std::size_t bytes, const section_info& section)
      : staged_(where, section) {
    if (bytes > where.staging_bytes())
      large_ = std::make_unique_for_overwrite<unsigned char[]>(bytes);
  }
  unsigned char* data() const {
    return large_ ? large_.get() : static_cast<unsigned char*>(staged_.data());
  }

private:
  staging_buffer staged_;
  std::unique_ptr<unsigned char[]> large_;
};

} // namespace

/// One column's share in moving a block.
struct object_graph::lane {
  const column_part* part;
  std::size_t element_size;
  unsigned char* place; ///< on the device
  unsigned char* host;  ///< the same elements where the host can reach them
};

/// Consecutive objects of a class that are moved at once.
struct object_graph::block {
  void* const* objects;
  std::size_t count;
  std::span<lane> lanes;
  const list_row* rows; ///< of the objects, where the one lane is a list
  bool direct;          ///< host and device share memory
  unsigned class_index;
};

/// All of the blocks where the host can reach it, for as long as this lives: what lies on a GPU has
/// come to a pinned buffer, or to memory of the host where that does not hold it.
class object_graph::arrival {
public:
  arrival(device& from, std::span<const block> blocks, const section_info& section) {
    from.synchronize(section);
    if (!from.is_cuda())
      return;
    std::size_t bytes = 0;
    for (const block& b : blocks)
      for (const lane& l : b.lanes)
        bytes += rounded(lane_bytes(b, l));
    const bool is_small = bytes <= from.staging_bytes();
    if (is_small)
      staged_.emplace(from, section);
    else
      large_ = device_memory(host_device(), bytes, "members that come back", section);
    auto* place = static_cast<unsigned char*>(is_small ? staged_->data() : large_.data());
    for (const block& b : blocks)
      for (lane& l : b.lanes) {
        const std::size_t n = lane_bytes(b, l);
        if (is_small)
          from.receive(place, l.place, n, section);
        else
          from.download(place, l.place, n, section);
        l.host = place;
        place += rounded(n);
      }
    from.synchronize(section);
  }

private:
  std::optional<staging_buffer> staged_;
  device_memory large_;
};

object_graph::found_element object_graph::element_of(std::size_t base, object_id id) const {
  unsigned of = 0;
  while (of + 1 < table_.objects.size() && id.value - table_.first[of] >= table_.objects[of].size())
    ++of;
  const base_array& array = bases_[base];
  std::size_t element = id.value - table_.first[of];
  if (!array.in_order) {
    const auto run = std::ranges::find(array.runs, of, &class_run::class_index);
    std::uint64_t left = array.direct && run != array.runs.end() ? id.value - run->first : 0;
    for (element = 0; element < array.size; ++element)
      if (array.codes[element] == of &&
          (array.direct ? left-- == 0 : array.numbers[element] == id.value - table_.first[of]))
        break;
  }
  return {element, plan_.classes()[of].name};
}

void object_graph::upload(std::span<const unsigned> columns, const section_info& section) {
  if (std::ranges::all_of(columns, [&](unsigned k) { return columns_[k].valid; }))
    return;
  restore_order(section);
  std::vector<unsigned> values;
  for (const unsigned k : columns) {
    if (columns_[k].valid)
      continue;
    if (columns_[k].is_filled)
      continue;
    const bool list = plan_.columns()[k].is_list();
    if (list)
      make_rows(k, section);
    allocate_column(k, section);
    if (list)
      for_list_blocks(k, section, [&](const block& b) { gather(b, section); });
    else
      values.push_back(k);
  }
  std::vector<lane> lanes(values.size());
  if (!device_.is_cuda())
    gather_in_place(values);
  else if (!values.empty())
    for (unsigned c = 0; c < table_.objects.size(); ++c)
      for_blocks(c, values, lanes, section, [&](const block& b) { gather(b, section); });
  for (const unsigned k : columns)
    if (!columns_[k].valid && !plan_.columns()[k].fields.empty()) {
      columns_[k].is_filled = true;
      copy_fields(k, section);
    }
  for (const unsigned k : columns)
    columns_[k].valid = true;
}

void object_graph::write_back(std::span<const unsigned> columns, const section_info& section) {
  if (columns.empty())
    return;
  check_assignable(columns, section);
  if (watch_ != nullptr) {
    std::vector<unsigned> all(columns_.size());
    std::iota(all.begin(), all.end(), 0U);
    compare_with_host(all, section);
  }
  restore_order(section);
  // All that may fail has to do so before an object is touched: memory, copies, and what a kernel
  // did wrong.
  std::vector<lane> lanes;
  std::vector<block> blocks;
  list_blocks(columns, lanes, blocks);
  const arrival here(device_, blocks, section);
  scatter(blocks);
  forget_host(); // records have the same members, too
}

/// Of a class the columns of values, all objects at once, then each list.
void object_graph::list_blocks(std::span<const unsigned> columns, std::vector<lane>& lanes,
                               std::vector<block>& blocks) const {
  std::size_t most = 0;
  for (const unsigned k : columns)
    most += plan_.columns()[k].parts.size();
  lanes.reserve(most); // blocks have their addresses
  const auto add_lane = [&](unsigned k, const column_part& part, std::size_t first) {
    const std::size_t size = plan_.columns()[k].element_size;
    auto* const place = static_cast<unsigned char*>(columns_[k].values.data()) + size * first;
    lanes.push_back({&part, size, place, place});
  };
  const auto add_block = [&](unsigned c, std::size_t first_lane, const list_row* rows) {
    const std::vector<void*>& objects = table_.objects[c];
    blocks.push_back({objects.data(), objects.size(), std::span(lanes).subspan(first_lane), rows,
                      !device_.is_cuda(), c});
  };
  for (unsigned c = 0; c < table_.objects.size(); ++c) {
    if (table_.objects[c].empty())
      continue;
    const std::size_t first_lane = lanes.size();
    for (const unsigned k : columns)
      if (const column_part* part = plan_.columns()[k].part_of(c);
          part != nullptr && !plan_.columns()[k].is_list())
        add_lane(k, *part, table_.first[c] - columns_[k].begin);
    if (lanes.size() != first_lane)
      add_block(c, first_lane, nullptr);
    for (const unsigned k : columns)
      if (const column_part* part = plan_.columns()[k].part_of(c);
          part != nullptr && plan_.columns()[k].is_list()) {
        const list_row* const rows =
            columns_[k].host_rows.data() + (table_.first[c] - columns_[k].begin);
        add_lane(k, *part, rows[0].offset);
        add_block(c, lanes.size() - 1, rows);
      }
  }
}

void object_graph::check_assignable(std::span<const unsigned> columns,
                                    const section_info& section) const {
  for (const unsigned k : columns)
    for (const column_part& part : plan_.columns()[k].parts)
      if (part.scatter == nullptr)
        fail(error_kind::unsupported, section,
             std::string("member ") + plan_.columns()[k].name +
                 " is written, but cannot be assigned",
             "make it neither const, nor a reference, nor an owning pointer");
}

void object_graph::forget() {
  for (column_state& column : columns_) {
    column.valid = false;
    column.is_filled = false;
  }
  release_kept();
  forget_order();
  forget_host();
}

void object_graph::written(unsigned k) {
  for (const unsigned record : plan_.records_with(k)) // which have the same members
    columns_[record].valid = false;
}

// Members of a record that are columns on the device, too, which may be ahead of the objects.
void object_graph::copy_fields(unsigned record, const section_info& section) {
  const column_info& info = plan_.columns()[record];
  const column_state& to = columns_[record];
  for (const column_part& part : info.parts) {
    const std::size_t n = table_.objects[part.class_index].size();
    const std::uint32_t first = table_.first[part.class_index];
    std::vector<member_copy> members;
    for (std::size_t f = 0; f < info.fields.size() && n != 0; ++f) {
      const std::optional<unsigned> k = plan_.column_of_field(record, f);
      if (!k || !columns_[*k].valid || plan_.columns()[*k].part_of(part.class_index) == nullptr)
        continue;
      const record_field& field = info.fields[f];
      members.push_back({static_cast<const unsigned char*>(columns_[*k].values.data()) +
                             field.size * (first - columns_[*k].begin),
                         field.size, field.offset});
    }
    if (!members.empty())
      device_.copy_members(static_cast<unsigned char*>(to.values.data()) +
                               info.element_size * (first - to.begin),
                           info.element_size, members, n, section);
  }
}

void object_graph::allocate_column(unsigned k, const section_info& section) {
  const column_info& info = plan_.columns()[k];
  column_state& column = columns_[k];
  column.host_had.clear();
  column.begin = object_id::null_value;
  column.end = 0;
  for (const column_part& part : info.parts) {
    const std::size_t size = capacity(part.class_index);
    if (size == 0)
      continue;
    const std::uint32_t first = table_.first[part.class_index];
    column.begin = std::min(column.begin, first);
    column.end = std::max(column.end, static_cast<std::uint32_t>(first + size));
  }
  if (column.end == 0)
    column.begin = 0;
  if (!info.is_list())
    column.value_count = column.end - column.begin;
  const std::size_t bytes = column.value_count * info.element_size;
  if (column.values.bytes() != bytes)
    column.values = device_memory(device_, bytes, info.name, section);
}

void object_graph::make_rows(unsigned k, const section_info& section) {
  const column_info& info = plan_.columns()[k];
  column_state& column = columns_[k];
  column.value_count = 0;
  allocate_column(k, section); // for begin and end
  column.host_rows.assign(column.end - column.begin, list_row{0, 0});
  for (const column_part& part : info.parts) {
    const std::vector<void*>& objects = table_.objects[part.class_index];
    list_row* rows = column.host_rows.data() + (table_.first[part.class_index] - column.begin);
    if (!objects.empty())
      for_ranges(objects.size(), cache_block, [&](std::size_t begin, std::size_t end) {
        for_there(objects.data(), begin, end, [&](std::size_t first, std::size_t last) {
          part.lengths(objects.data() + first, last - first, rows + first);
        });
      });
  }
  std::uint64_t total = 0;
  std::vector<std::pair<std::size_t, unsigned>> ends; // of classes' objects, among rows
  column.list_ends.clear();
  if (has_room_) {
    column.list_ends.resize(plan_.classes().size());
    for (const column_part& part : info.parts)
      ends.emplace_back(table_.first[part.class_index] + table_.objects[part.class_index].size() -
                            column.begin,
                        part.class_index);
    std::ranges::sort(ends, std::greater<>());
  }
  std::uint64_t class_begin = 0;
  for (std::size_t i = 0; i < column.host_rows.size(); ++i) {
    list_row& row = column.host_rows[i];
    row.offset = static_cast<std::uint32_t>(total);
    for (; !ends.empty() && ends.back().first == i; ends.pop_back()) { // room for new values
      constexpr std::uint64_t least_room = 4096;
      total += (total - class_begin) / 2 + least_room;
      column.list_ends[ends.back().second] = class_begin = total;
    }
    total += row.length;
    if (total > 0xffffffffu)
      fail(error_kind::too_many_objects, section,
           std::string("the containers ") + info.name +
               " hold more than 4294967295 elements together",
           "run the section on parts of the array");
  }
  column.value_count = static_cast<std::size_t>(total);
  const std::size_t bytes = column.host_rows.size() * sizeof(list_row);
  if (column.rows.bytes() != bytes)
    column.rows = device_memory(device_, bytes, info.name, section);
  device_.upload(column.rows.data(), column.host_rows.data(), bytes, section);
}

// Calls body(block) for the objects of a class and those of the columns that it has, of which lanes
// has room for one each, where they go through staging memory.
template <class Body>
void object_graph::for_blocks(unsigned class_index, std::span<const unsigned> columns,
                              std::span<lane> lanes, const section_info& section,
                              const Body& body) {
  const std::vector<void*>& objects = table_.objects[class_index];
  block b{objects.data(), objects.size(), {}, nullptr, false, class_index};
  std::size_t object_bytes = 0, count = 0;
  for (const unsigned k : columns)
    if (const column_part* part = plan_.columns()[k].part_of(class_index)) {
      const std::size_t size = plan_.columns()[k].element_size;
      auto* const place = static_cast<unsigned char*>(columns_[k].values.data()) +
                          size * (table_.first[class_index] - columns_[k].begin);
      lanes[count++] = {part, size, place, place};
      object_bytes += size;
    }
  b.lanes = lanes.first(count);
  if (b.lanes.empty() || objects.empty())
    return;
  const std::size_t padding = 64 * b.lanes.size();
  const std::size_t at_once =
      std::max<std::size_t>(1, (device_.staging_bytes() - padding) / object_bytes);
  for (std::size_t first = 0; first < objects.size(); first += at_once) {
    b.objects = objects.data() + first;
    b.count = std::min(at_once, objects.size() - first);
    const way_station station(device_, b.count * object_bytes + padding, section);
    unsigned char* host = station.data();
    for (lane& l : b.lanes) {
      l.host = host;
      host += rounded(b.count * l.element_size);
    }
    body(b);
    for (lane& l : b.lanes)
      l.place += b.count * l.element_size;
  }
}

// Calls body(block) for the objects that have a container column, as many at a time as their values
// allow.
template <class Body>
void object_graph::for_list_blocks(unsigned k, const section_info& section, const Body& body) {
  const column_info& info = plan_.columns()[k];
  const column_state& column = columns_[k];
  auto* const values = static_cast<unsigned char*>(column.values.data());
  for (const column_part& part : info.parts) {
    const std::vector<void*>& objects = table_.objects[part.class_index];
    if (objects.empty())
      continue;
    const list_row* rows =
        column.host_rows.data() + (table_.first[part.class_index] - column.begin);
    const auto values_of = [&](std::size_t first, std::size_t end) {
      return rows[end - 1].offset + std::size_t(rows[end - 1].length) - rows[first].offset;
    };
    const bool direct = !device_.is_cuda();
    for (std::size_t first = 0, end = objects.size(); first < objects.size(); first = end) {
      end = objects.size();
      if (!direct)
        for (end = first + 1;
             end < objects.size() &&
             values_of(first, end + 1) * info.element_size <= device_.staging_bytes();)
          ++end;
      unsigned char* const place = values + rows[first].offset * info.element_size;
      lane one{&part, info.element_size, place, place};
      block b{objects.data() + first, end - first, std::span(&one, 1),
              rows + first,           direct,      part.class_index};
      if (direct) {
        body(b);
      } else {
        const way_station station(device_, values_of(first, end) * info.element_size, section);
        b.lanes.front().host = station.data();
        body(b);
      }
    }
  }
}

// Calls move(objects, n, lane, host memory) for small parts of a block on all cores.
template <class Move> void object_graph::for_cache_blocks(const block& b, const Move& move) {
  for_ranges(b.count, cache_block,
             [&](std::size_t begin, std::size_t end) { for_cache_blocks(b, begin, end, move); });
}
// The same for some of its objects, on this core.
template <class Move>
void object_graph::for_cache_blocks(const block& b, std::size_t begin, std::size_t end,
                                    const Move& move) {
  for (std::size_t i = begin; i < end; i += cache_block)
    for_there(
        b.objects, i, std::min(i + cache_block, end), [&](std::size_t first, std::size_t last) {
          for (const lane& l : b.lanes) {
            const std::size_t element =
                b.rows == nullptr ? first : std::size_t(b.rows[first].offset - b.rows[0].offset);
            move(b.objects + first, last - first, *l.part, l.host + element * l.element_size);
          }
        });
}

// The same for all objects of classes, which come in their order. Takes no memory.
template <class Move>
void object_graph::for_all_blocks(std::span<const block> blocks, const Move& move) {
  const std::span<const unsigned> classes = blocks_.classes;
  for_ranges(blocks_.count(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      std::size_t k = 0;
      for (const block& b : blocks) {
        if (b.rows != nullptr)
          continue;
        while (k < classes.size() && classes[k] < b.class_index)
          ++k;
        if (k < classes.size() && classes[k] == b.class_index)
          for_cache_blocks(b, blocks_.row(n)[k], blocks_.row(n + 1)[k], move);
      }
    }
  });
  for (const block& b : blocks) {
    const std::size_t done = b.rows == nullptr ? blocks_.end_of(b.class_index) : 0;
    for_ranges(b.count - done, cache_block, [&](std::size_t begin, std::size_t end) {
      for_cache_blocks(b, done + begin, done + end, move);
    });
  }
}

std::size_t object_graph::array_blocks::end_of(unsigned class_index) const {
  const auto at = std::ranges::lower_bound(classes, class_index);
  return at == classes.end() || *at != class_index
             ? 0
             : row(count())[static_cast<std::size_t>(at - classes.begin())];
}

void object_graph::gather(const block& b, const section_info& section) {
  for_cache_blocks(
      b, [&](void* const* objects, std::size_t n, const column_part& part, unsigned char* host) {
        part.gather(objects, n, {table_, part.place}, host);
      });
  if (!b.direct)
    for (const lane& l : b.lanes)
      device_.send(l.place, l.host, lane_bytes(b, l), section);
}

// Columns of values, where host and device share memory.
void object_graph::gather_in_place(std::span<const unsigned> columns) {
  std::vector<lane> lanes;
  std::vector<block> blocks;
  list_blocks(columns, lanes, blocks);
  for_all_blocks(blocks,
                 [&](void* const* objects, std::size_t n, const column_part& part,
                     unsigned char* host) { part.gather(objects, n, {table_, part.place}, host); });
}

void object_graph::scatter(std::span<const block> blocks) {
  for_all_blocks(
      blocks, [&](void* const* objects, std::size_t n, const column_part& part,
                  unsigned char* host) { part.scatter(objects, n, {table_, part.place}, host); });
}

std::size_t object_graph::lane_bytes(const block& b, const lane& l) {
  if (b.rows == nullptr)
    return b.count * l.element_size;
  const list_row last = b.rows[b.count - 1];
  return (last.offset + std::size_t(last.length) - b.rows[0].offset) * l.element_size;
}

void object_graph::make_lists(base_array& base, const section_info& section) {
  const auto id_of = [&](std::size_t e) {
    return base.codes[e] == reference_ops::null_code
               ? object_id()
               : object_id(table_.first[base.codes[e]] + base.numbers[e]);
  };
  std::vector<object_id> ids(base.size);
  for_ranges(base.size, cache_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e)
      ids[e] = id_of(e);
  });
  class_lists made = lists_by_class(base.codes, plan_.classes().size(), rounds_of(ids));
  if (!made.places.empty()) {
    ids.resize(made.threads);
    for_ranges(made.threads, cache_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; ++t)
        ids[t] = id_of(made.places[t]);
    });
  }
  base.ids = device_memory(device_, ids.size() * sizeof(object_id), "element IDs", section);
  device_.upload(base.ids.data(), ids.data(), base.ids.bytes(), section);
  base.places = std::move(made.places);
  base.lists = std::move(made.lists);
  base.parts = std::move(made.parts);
  base.rounds = std::move(made.rounds);
}

void object_graph::locate_base(std::size_t i, bool positions, const section_info& section) {
  base_array& base = bases_[i];
  if (!base.direct && base.ids.data() == nullptr)
    make_lists(base, section);
  if (!positions || base.in_order || base.positions.data() != nullptr)
    return;
  const auto upload = [&](const std::vector<std::uint64_t>& of_threads) {
    base.positions = device_memory(device_, of_threads.size() * sizeof(std::uint64_t),
                                   "element positions", section);
    device_.upload(base.positions.data(), of_threads.data(), base.positions.bytes(), section);
  };
  if (!base.direct) {
    if (!base.places.empty())
      upload(base.places);
    return;
  }
  // Threads are those of launch_table: class after class, each from a multiple of 32 on.
  std::vector<std::size_t> next(plan_.classes().size(), 0);
  std::size_t threads = 0;
  for (const class_run& run : base.runs) {
    next[run.class_index] = threads;
    threads += (run.count + std::size_t(31)) / 32 * 32;
  }
  std::vector<std::uint64_t> of_threads(threads, 0);
  for (std::size_t e = 0; e < base.size; ++e)
    of_threads[next[base.codes[e]]++] = e;
  upload(of_threads);
}

namespace {

template <class T> T* shift(T* data, std::uint32_t begin, std::size_t size) {
  // IDs begin at `begin`; the difference is taken on the address, since no array starts there.
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(data) - begin * size);
}

/// Apart, since each section asks for the place of each of its columns.
[[noreturn]] void refuse_type(const column_info& column, const std::type_info& type) {
  throw error(error_kind::unsupported, std::string("column ") + column.name + " holds " +
                                           class_name(*column.element) + ", not " +
                                           class_name(type));
}

} // namespace

void* columns::shifted(unsigned k, const std::type_info& type, std::size_t size) const {
  const object_graph::column_state& column = graph_->columns_[number_of(k)];
  const column_info& info = graph_->plan_.columns()[number_of(k)];
  if (info.element != &type && !info.holds(type))
    refuse_type(info, type);
  return column.values.data() == nullptr ? nullptr
                                         : shift(column.values.data(), column.begin, size);
}

const list_row* columns::shifted_rows(unsigned k) const {
  const object_graph::column_state& column = graph_->columns_[number_of(k)];
  const auto* rows = static_cast<const list_row*>(column.rows.data());
  return rows == nullptr ? nullptr : shift(rows, column.begin, sizeof(list_row));
}

void* columns::list_values(unsigned k, const std::type_info& type) const {
  shifted(k, type, 0);
  return graph_->columns_[number_of(k)].values.data();
}

void columns::copy_starts(unsigned family, std::uint32_t* to, std::size_t n) const {
  const layout& known = place_ == nullptr ? graph_->plan_ : *place_->of;
  const std::vector<unsigned>& classes = known.families()[family];
  const objects_view objects(graph_->table_, place_);
  for (std::size_t i = 0; i < n && i < classes.size(); ++i)
    to[i] = objects.first(classes[i]);
}

} // namespace ikra::rt
