// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of a world: filling them from the objects and bringing them back. Objects are taken in
// blocks small enough to stay in cache while one column after the other takes its member. On a GPU
// a block goes through pinned staging memory; where host and device share memory, it goes to its
// place at once.
#include <ikra/generated/world.hpp>

#include "errors.hpp"
#include "parallel.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace ikra::rt {

namespace {

constexpr std::size_t cache_block = 1024; // objects

std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

const column_part* part_of(const column_info& column, unsigned class_index) {
  for (const column_part& part : column.parts)
    if (part.class_index == class_index)
      return &part;
  return nullptr;
}

/// One column's share in moving a block of objects.
struct lane {
  const column_part* part;
  std::size_t element_size;
  unsigned char* device; ///< element of object 0 of the class
};

} // namespace

void world::upload(std::span<const unsigned> columns, const section_info& section) {
  std::vector<unsigned> values;
  for (const unsigned k : columns) {
    if (columns_[k].valid)
      continue;
    const bool list = plan_.columns()[k].is_list();
    if (list)
      make_rows(k, section);
    allocate_column(k, section);
    if (list)
      gather_lists(k, section);
    else
      values.push_back(k);
  }
  if (!values.empty())
    for (unsigned c = 0; c < table_.objects.size(); ++c)
      gather_class(c, values, section);
  for (const unsigned k : columns)
    columns_[k].valid = true;
}

void world::write_back(std::span<const unsigned> columns, const section_info& section) {
  if (columns.empty())
    return;
  device_.synchronize(section); // what a kernel did wrong has to show before an object is touched
  std::vector<unsigned> values;
  for (const unsigned k : columns)
    if (!plan_.columns()[k].is_list())
      values.push_back(k);
  if (!values.empty())
    for (unsigned c = 0; c < table_.objects.size(); ++c)
      scatter_class(c, values, section);
  for (const unsigned k : columns)
    if (plan_.columns()[k].is_list())
      scatter_lists(k, section);
}

void world::forget() {
  for (column_state& column : columns_)
    column.valid = false;
}

void world::allocate_column(unsigned k, const section_info& section) {
  const column_info& info = plan_.columns()[k];
  column_state& column = columns_[k];
  column.begin = object_id::null_value;
  column.end = 0;
  for (const column_part& part : info.parts) {
    const std::size_t size = table_.objects[part.class_index].size();
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

void world::make_rows(unsigned k, const section_info& section) {
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
        part.lengths(objects.data() + begin, end - begin, rows + begin);
      });
  }
  std::uint64_t total = 0;
  for (list_row& row : column.host_rows) {
    row.offset = static_cast<std::uint32_t>(total);
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

void world::gather_class(unsigned class_index, std::span<const unsigned> columns,
                         const section_info& section) {
  const std::vector<void*>& objects = table_.objects[class_index];
  std::vector<lane> lanes;
  std::size_t object_bytes = 0;
  for (const unsigned k : columns)
    if (const column_part* part = part_of(plan_.columns()[k], class_index)) {
      const std::size_t size = plan_.columns()[k].element_size;
      lanes.push_back({part, size,
                       static_cast<unsigned char*>(columns_[k].values.data()) +
                           size * (table_.first[class_index] - columns_[k].begin)});
      object_bytes += size;
    }
  if (lanes.empty() || objects.empty())
    return;

  const auto gather = [&](std::size_t first, std::size_t count,
                          const std::vector<unsigned char*>& to) {
    for_ranges(count, cache_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; i += cache_block) {
        const std::size_t n = std::min(cache_block, end - i);
        for (std::size_t l = 0; l < lanes.size(); ++l)
          lanes[l].part->gather(objects.data() + first + i, n, table_,
                                to[l] + i * lanes[l].element_size);
      }
    });
  };

  std::vector<unsigned char*> to(lanes.size());
  if (!device_.is_cuda()) {
    for (std::size_t l = 0; l < lanes.size(); ++l)
      to[l] = lanes[l].device;
    gather(0, objects.size(), to);
    return;
  }
  const std::size_t space = device_.staging_bytes() - 64 * lanes.size();
  const std::size_t at_once = std::max<std::size_t>(1, space / object_bytes);
  for (std::size_t first = 0; first < objects.size(); first += at_once) {
    const std::size_t count = std::min(at_once, objects.size() - first);
    std::unique_ptr<unsigned char[]> large; // one object with more than a staging buffer
    auto* staged = static_cast<unsigned char*>(device_.staging(section));
    if (count * object_bytes > space) {
      large =
          std::make_unique_for_overwrite<unsigned char[]>(count * object_bytes + 64 * lanes.size());
      staged = large.get();
    }
    std::size_t offset = 0;
    for (std::size_t l = 0; l < lanes.size(); ++l) {
      to[l] = staged + offset;
      offset += rounded(count * lanes[l].element_size);
    }
    gather(first, count, to);
    for (std::size_t l = 0; l < lanes.size(); ++l) {
      unsigned char* place = lanes[l].device + first * lanes[l].element_size;
      if (large)
        device_.upload(place, to[l], count * lanes[l].element_size, section);
      else
        device_.send(place, to[l], count * lanes[l].element_size, section);
    }
  }
}

void world::scatter_class(unsigned class_index, std::span<const unsigned> columns,
                          const section_info& section) {
  const std::vector<void*>& objects = table_.objects[class_index];
  std::vector<lane> lanes;
  std::size_t object_bytes = 0;
  for (const unsigned k : columns)
    if (const column_part* part = part_of(plan_.columns()[k], class_index)) {
      if (part->scatter == nullptr)
        fail(error_kind::unsupported, section,
             std::string("member ") + plan_.columns()[k].name +
                 " is written, but cannot be assigned",
             "make it neither const, nor a reference, nor an owning pointer");
      const std::size_t size = plan_.columns()[k].element_size;
      lanes.push_back({part, size,
                       static_cast<unsigned char*>(columns_[k].values.data()) +
                           size * (table_.first[class_index] - columns_[k].begin)});
      object_bytes += size;
    }
  if (lanes.empty() || objects.empty())
    return;

  const auto scatter = [&](std::size_t first, std::size_t count,
                           const std::vector<unsigned char*>& from) {
    for_ranges(count, cache_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; i += cache_block) {
        const std::size_t n = std::min(cache_block, end - i);
        for (std::size_t l = 0; l < lanes.size(); ++l)
          lanes[l].part->scatter(objects.data() + first + i, n, table_,
                                 from[l] + i * lanes[l].element_size);
      }
    });
  };

  std::vector<unsigned char*> from(lanes.size());
  if (!device_.is_cuda()) {
    for (std::size_t l = 0; l < lanes.size(); ++l)
      from[l] = lanes[l].device;
    scatter(0, objects.size(), from);
    return;
  }
  const std::size_t space = device_.staging_bytes() - 64 * lanes.size();
  const std::size_t at_once = std::max<std::size_t>(1, space / object_bytes);
  for (std::size_t first = 0; first < objects.size(); first += at_once) {
    const std::size_t count = std::min(at_once, objects.size() - first);
    std::unique_ptr<unsigned char[]> large;
    auto* staged = static_cast<unsigned char*>(device_.staging(section));
    if (count * object_bytes > space) {
      large =
          std::make_unique_for_overwrite<unsigned char[]>(count * object_bytes + 64 * lanes.size());
      staged = large.get();
    }
    std::size_t offset = 0;
    for (std::size_t l = 0; l < lanes.size(); ++l) {
      from[l] = staged + offset;
      offset += rounded(count * lanes[l].element_size);
      device_.download(from[l], lanes[l].device + first * lanes[l].element_size,
                       count * lanes[l].element_size, section);
    }
    scatter(first, count, from);
  }
}

// Calls body(part, objects, n, rows, host values, device values, bytes) for consecutive objects of
// a class, whose values fit into a staging buffer where there is one.
template <class Body>
void world::for_list_blocks(unsigned k, const section_info& section, const Body& body) {
  const column_info& info = plan_.columns()[k];
  column_state& column = columns_[k];
  auto* device_values = static_cast<unsigned char*>(column.values.data());
  const std::size_t limit =
      device_.is_cuda() ? device_.staging_bytes() / info.element_size : ~std::size_t(0);
  for (const column_part& part : info.parts) {
    const std::vector<void*>& objects = table_.objects[part.class_index];
    if (objects.empty())
      continue;
    const list_row* rows =
        column.host_rows.data() + (table_.first[part.class_index] - column.begin);
    for (std::size_t first = 0; first < objects.size();) {
      std::size_t end = objects.size();
      if (device_.is_cuda()) {
        std::size_t values = rows[first].length;
        for (end = first + 1; end < objects.size() && values + rows[end].length <= limit; ++end)
          values += rows[end].length;
      }
      const std::size_t bytes =
          (rows[end - 1].offset + std::size_t(rows[end - 1].length) - rows[first].offset) *
          info.element_size;
      unsigned char* place = device_values + rows[first].offset * info.element_size;
      unsigned char* host = place;
      std::unique_ptr<unsigned char[]> large; // one container with more than a staging buffer
      if (device_.is_cuda()) {
        if (bytes > device_.staging_bytes())
          large = std::make_unique_for_overwrite<unsigned char[]>(bytes);
        host = large ? large.get() : static_cast<unsigned char*>(device_.staging(section));
      }
      body(part, objects.data() + first, end - first, rows + first, host, place, bytes,
           large != nullptr);
      first = end;
    }
  }
}

void world::gather_lists(unsigned k, const section_info& section) {
  const std::size_t element_size = plan_.columns()[k].element_size;
  for_list_blocks(
      k, section,
      [&](const column_part& part, void* const* objects, std::size_t n, const list_row* rows,
          unsigned char* host, unsigned char* place, std::size_t bytes, bool unpinned) {
        for_ranges(n, cache_block, [&](std::size_t begin, std::size_t end) {
          part.gather(objects + begin, end - begin, table_,
                      host + std::size_t(rows[begin].offset - rows[0].offset) * element_size);
        });
        if (host != place && unpinned)
          device_.upload(place, host, bytes, section);
        else if (host != place)
          device_.send(place, host, bytes, section);
      });
}

void world::scatter_lists(unsigned k, const section_info& section) {
  const std::size_t element_size = plan_.columns()[k].element_size;
  for_list_blocks(
      k, section,
      [&](const column_part& part, void* const* objects, std::size_t n, const list_row* rows,
          unsigned char* host, unsigned char* place, std::size_t bytes, bool) {
        if (part.scatter == nullptr)
          fail(error_kind::unsupported, section,
               std::string("elements of ") + plan_.columns()[k].name +
                   " are written, but cannot be assigned",
               "make them neither const nor owning pointers");
        if (host != place)
          device_.download(host, place, bytes, section);
        for_ranges(n, cache_block, [&](std::size_t begin, std::size_t end) {
          part.scatter(objects + begin, end - begin, table_,
                       host + std::size_t(rows[begin].offset - rows[0].offset) * element_size);
        });
      });
}

void world::locate_base(std::size_t i, const section_info& section) {
  base_array& base = bases_[i];
  if (base.in_order || base.positions.data() != nullptr || base.ids.data() != nullptr)
    return;
  if (!base.direct) {
    std::vector<object_id> ids(base.size);
    for_ranges(base.size, cache_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end; ++e)
        if (base.codes[e] != reference_ops::null_code)
          ids[e] = object_id(table_.first[base.codes[e]] + base.numbers[e]);
    });
    base.ids = device_memory(device_, ids.size() * sizeof(object_id), "element IDs", section);
    device_.upload(base.ids.data(), ids.data(), base.ids.bytes(), section);
    return;
  }
  // Threads are those of launch_table: class after class, each from a multiple of 32 on.
  std::vector<std::size_t> next(plan_.classes().size(), 0);
  std::size_t threads = 0;
  for (const class_run& run : base.runs) {
    next[run.class_index] = threads;
    threads += (run.count + std::size_t(31)) / 32 * 32;
  }
  std::vector<std::uint64_t> positions(threads, 0);
  for (std::size_t e = 0; e < base.size; ++e)
    positions[next[base.codes[e]]++] = e;
  base.positions = device_memory(device_, positions.size() * sizeof(std::uint64_t),
                                 "element positions", section);
  device_.upload(base.positions.data(), positions.data(), base.positions.bytes(), section);
}

namespace {

template <class T> T* shift(T* data, std::uint32_t begin, std::size_t size) {
  // IDs begin at `begin`; the difference is taken on the address, since no array starts there.
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(data) - begin * size);
}

} // namespace

void* columns::shifted(unsigned k, const std::type_info& type, std::size_t size) const {
  const world::column_state& column = world_->columns_[k];
  const column_info& info = world_->plan_.columns()[k];
  if (*info.element != type)
    throw error(error_kind::unsupported, std::string("column ") + info.name + " holds " +
                                             class_name(*info.element) + ", not " +
                                             class_name(type));
  return column.values.data() == nullptr ? nullptr
                                         : shift(column.values.data(), column.begin, size);
}

const list_row* columns::shifted_rows(unsigned k) const {
  const world::column_state& column = world_->columns_[k];
  const auto* rows = static_cast<const list_row*>(column.rows.data());
  return rows == nullptr ? nullptr : shift(rows, column.begin, sizeof(list_row));
}

void* columns::list_values(unsigned k, const std::type_info& type) const {
  shifted(k, type, 0);
  return world_->columns_[k].values.data();
}

void columns::copy_starts(unsigned family, std::uint32_t* to, std::size_t n) const {
  const std::vector<unsigned>& classes = world_->plan_.families()[family];
  for (std::size_t i = 0; i < n && i < classes.size(); ++i)
    to[i] = world_->table_.first[classes[i]];
}

} // namespace ikra::rt
