// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bringing columns of a resident scope back to objects of which the host has changed some. What a
// section wrote and what the host wrote are told apart by what both had before: an object graph
// keeps a copy of each column from before a section first wrote to it. Objects may have gone
// meanwhile, so that none is looked at unless something that is there leads to it: a work list
// begins with the arrays of the scope, and what is found gets its members before its references are
// followed. What is still to be found shows only as members are written, so all memory is taken
// before the first of them: an error leaves the objects as they were.
#include <ikra/generated/objects/object_graph.hpp>

#include "follow_pointers.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

namespace ikra::rt {

namespace {

constexpr std::size_t most_at_once = 1024; // objects

} // namespace

void object_graph::keep(std::span<const unsigned> columns, const section_info& section) {
  for (const unsigned k : columns) {
    column_state& column = columns_[k];
    if (column.is_kept)
      continue;
    const std::size_t bytes = column.values.bytes();
    restore_order(section);
    if (bytes != 0)
      try {
        column.kept = device_memory(device_, bytes, plan_.columns()[k].name, section);
        device_.copy(column.kept.data(), column.values.data(), bytes, section);
      } catch (const error& failed) {
        if (failed.kind() != error_kind::out_of_memory)
          throw;
        column.kept_on_host.resize(bytes);
        device_.download(column.kept_on_host.data(), column.values.data(), bytes, section);
      }
    column.is_kept = true;
  }
}

void object_graph::release_kept() {
  for (unsigned k = 0; k < columns_.size(); ++k)
    release_kept({&k, 1});
}

void object_graph::release_kept(std::span<const unsigned> columns) {
  for (const unsigned k : columns) {
    columns_[k].is_kept = false;
    columns_[k].kept = {};
    columns_[k].kept_on_host = {};
    columns_[k].host_had.clear();
  }
}

class object_graph::merge {
public:
  merge(object_graph& of, std::span<const unsigned> columns, const claimed_objects& claimed,
        const section_info& section)
      : graph_(of), claimed_(claimed), nothing_(of.no_objects()) {
    for (const unsigned k : columns)
      add_lane(k, section);
    const std::span<const class_info> classes = graph_.plan_.classes();
    waiting_.resize(classes.size());
    std::size_t most = 0, largest = 0;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const std::size_t objects = graph_.table_.objects[c].size();
      reached_.emplace_back(objects, false);
      waiting_[c].reserve(objects);
      most = std::max(most, objects);
    }
    for (const column_copy& lane : lanes_)
      largest = std::max(largest, lane.largest());
    numbers_.reserve(most);
    unclaimed_.reserve(most_at_once);
    rows_.reserve(most_at_once);
    bytes_.reserve(largest);
  }

  /// \param object that is there
  void reach(const found_object& object) {
    const std::uint32_t number = graph_.table_.number(object.class_index, object.address);
    if (number == address_map::absent || reached_[object.class_index][number])
      return;
    reached_[object.class_index][number] = true;
    waiting_[object.class_index].push_back(number);
  }

  void run() {
    for (bool more = true; more;) {
      more = false;
      for (unsigned c = 0; c < waiting_.size(); ++c)
        if (!waiting_[c].empty()) {
          more = true;
          run_class(c);
        }
    }
  }

private:
  struct column_copy {
    const column_info* info;
    const column_state* state;
    std::vector<unsigned char> now_on_host, before_on_host;
    const unsigned char *now, *before;

    /// \returns the place of an object's elements in bytes.
    std::size_t offset(std::uint32_t id) const {
      const std::uint32_t i = id - state->begin;
      return info->element_size * (info->is_list() ? state->host_rows[i].offset : i);
    }
    std::size_t length(std::uint32_t id) const {
      return state->host_rows[id - state->begin].length;
    }
    /// Bytes of what is gathered at a time.
    std::size_t largest() const {
      std::size_t elements = most_at_once;
      if (info->is_list()) {
        elements = 0;
        for (const list_row& row : state->host_rows)
          elements = std::max<std::size_t>(elements, row.length);
      }
      return elements * info->element_size;
    }
  };

  void add_lane(unsigned k, const section_info& section) {
    column_copy& lane = lanes_.emplace_back();
    lane.info = &graph_.plan_.columns()[k];
    lane.state = &graph_.columns_[k];
    const auto on_host = [&](const device_memory& memory, std::vector<unsigned char>& copy) {
      if (!graph_.device_.is_cuda())
        return static_cast<const unsigned char*>(memory.data());
      if (memory.bytes() != 0) {
        copy.resize(memory.bytes());
        graph_.device_.download(copy.data(), memory.data(), copy.size(), section);
      }
      return static_cast<const unsigned char*>(copy.data());
    };
    lane.now = on_host(lane.state->values, lane.now_on_host);
    lane.before = lane.state->kept_on_host.empty() ? on_host(lane.state->kept, lane.before_on_host)
                                                   : lane.state->kept_on_host.data();
  }

  void run_class(unsigned c) {
    numbers_.assign(waiting_[c].begin(), waiting_[c].end());
    waiting_[c].clear();
    std::ranges::sort(numbers_);
    for (std::size_t begin = 0, end = 0; begin < numbers_.size(); begin = end) {
      end = begin + 1;
      while (end < numbers_.size() && end - begin < most_at_once &&
             numbers_[end] == numbers_[end - 1] + 1)
        ++end;
      run_objects(c, numbers_[begin], end - begin);
    }
  }

  // Consecutive objects of a class.
  void run_objects(unsigned c, std::uint32_t first, std::size_t n) {
    void* const* const objects = graph_.table_.objects[c].data() + first;
    unclaimed_.assign(n, true);
    for (std::size_t i = 0; i < n; ++i)
      unclaimed_[i] = !claimed_.cover(objects[i], graph_.plan_.classes()[c].size);
    for (const column_copy& lane : lanes_)
      if (const column_part* part = lane.info->part_of(c))
        merge_members(lane, *part, objects, graph_.table_.first[c] + first);
    for (const column_info& column : graph_.plan_.columns())
      if (column.is_reference())
        if (const column_part* part = column.part_of(c)) {
          const auto take = [](void* self, const found_object& object) {
            static_cast<merge*>(self)->reach(object);
          };
          discovery found{{nothing_, part->place}, {take, this}, nullptr};
          discover(graph_.plan_, column, *part, objects, n, found);
        }
  }

  // The members of consecutive objects that are a column.
  void merge_members(const column_copy& lane, const column_part& part, void* const* objects,
                     std::uint32_t id) {
    const std::size_t n = unclaimed_.size();
    const bool list = lane.info->is_list();
    if (list) {
      rows_.resize(n);
      part.lengths(objects, n, rows_.data());
    }
    if (!list && part.merge == nullptr) {
      merge_values(lane, part, objects, id);
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t mine = id + static_cast<std::uint32_t>(i);
      // A container of another size is the host's.
      if (!unclaimed_[i] || (list && rows_[i].length != lane.length(mine)))
        continue;
      if (part.merge != nullptr)
        part.merge(objects[i], table_for(part), lane.before + lane.offset(mine),
                   lane.now + lane.offset(mine));
      else
        merge_list(lane, part, objects + i, mine);
    }
  }

  void merge_values(const column_copy& lane, const column_part& part, void* const* objects,
                    std::uint32_t id) {
    const std::size_t n = unclaimed_.size(), size = lane.info->element_size;
    bytes_.resize(n * size);
    part.gather(objects, n, table_for(part), bytes_.data());
    const auto takes = [&](std::size_t i) {
      return i < n && unclaimed_[i] &&
             std::memcmp(bytes_.data() + i * size,
                         lane.before + lane.offset(id + static_cast<std::uint32_t>(i)), size) == 0;
    };
    for (std::size_t begin = 0, end = 0; begin < n; begin = end + 1) {
      end = begin;
      while (takes(end))
        ++end;
      if (end != begin)
        part.scatter(objects + begin, end - begin, table_for(part),
                     lane.now + lane.offset(id + static_cast<std::uint32_t>(begin)));
    }
  }

  void merge_list(const column_copy& lane, const column_part& part, void* const* object,
                  std::uint32_t id) {
    const std::size_t n = lane.length(id), size = lane.info->element_size;
    bytes_.resize(n * size);
    part.gather(object, 1, table_for(part), bytes_.data());
    const unsigned char* const before = lane.before + lane.offset(id);
    for (std::size_t i = 0; i < n * size; i += size)
      if (std::memcmp(bytes_.data() + i, before + i, size) == 0)
        std::memcpy(bytes_.data() + i, lane.now + lane.offset(id) + i, size);
    part.scatter(object, 1, table_for(part), bytes_.data());
  }

  objects_view table_for(const column_part& part) const { return {graph_.table_, part.place}; }

  const object_graph& graph_;
  const claimed_objects& claimed_;
  const object_table& nothing_; ///< for discovery: all that there is
  std::vector<column_copy> lanes_;
  std::vector<std::vector<bool>> reached_;          ///< by class and number
  std::vector<std::vector<std::uint32_t>> waiting_; ///< by class: numbers
  std::vector<std::uint32_t> numbers_;              ///< of the class whose turn it is
  std::vector<bool> unclaimed_;
  std::vector<list_row> rows_;
  std::vector<unsigned char> bytes_;
};

void object_graph::merge_back(std::span<const unsigned> columns,
                              std::span<const found_object> start, const claimed_objects& claimed,
                              const section_info& section) {
  check_assignable(columns, section);
  restore_order(section);
  device_.synchronize(section); // what a kernel did wrong has to show before an object is touched
  const std::unique_ptr<merge> merged = [&] {
    try {
      return std::make_unique<merge>(*this, columns, claimed, section);
    } catch (const std::bad_alloc&) {
      fail(error_kind::out_of_memory, section,
           "no memory to compare what the host and the section changed",
           "call sync() on the scope before the host changes objects");
    }
  }();
  for (const found_object& object : start)
    merged->reach(object);
  merged->run();
  forget_host();
}

} // namespace ikra::rt
