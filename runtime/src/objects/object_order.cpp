// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which object stands where in a GPU's columns. IDs are given in the order of the base array;
// objects that refer to the same or to neighbouring ones may be far apart in it, and each of a
// warp's threads then reads a sector of its own. Sections that run often over many objects get them
// in the order of what they refer to, as particle codes sort particles by cell (docs/runtime.md,
// "Order on the device"). Nobody but the columns knows: before anything else looks at an object by
// its ID, all are put back.
#include <ikra/generated/objects/column_numbers.hpp>
#include <ikra/generated/objects/object_graph.hpp>

#include "host_watch.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace ikra::rt {

namespace {

/// When objects are put into another order.
struct order_rule {
  std::uint32_t fewest_objects;    ///< of a class
  std::size_t fewest_target_bytes; ///< that sections read of what objects refer to
  std::int64_t ticks_before;  ///< that have to be run first; twice as many each time that the order
                              ///< had to be given up
  std::int64_t ticks_between; ///< until objects, which meanwhile refer to others, are sorted again
};

// Sorting 50 million objects of four columns takes an H200 as long as 10 ticks of the traffic
// simulation, and saves a fifth of each: it has paid after 50. Targets of fewer bytes lie in the
// first-level cache.
constexpr order_rule automatic{1U << 20, 256 << 10, 64, 1024};
// Whenever it can be done, to test that it changes no result.
constexpr order_rule always{1, 0, 1, 1};

/// IKRA_REORDER, read once. \returns null where objects stay in the order of their IDs.
const order_rule* rule_of(const device& where) {
  struct rules {
    const order_rule *on_gpus, *on_cores;
  };
  static const auto wanted = wished<rules>("IKRA_REORDER", {{"auto", {&automatic, nullptr}},
                                                            {"off", {nullptr, nullptr}},
                                                            {"always", {&always, &always}}});
  return where.is_cuda() ? wanted.on_gpus : wanted.on_cores;
}

bool has_part(const column_info& column, unsigned class_index) {
  return std::ranges::any_of(
      column.parts, [&](const column_part& part) { return part.class_index == class_index; });
}

/// Whether IDs of a class's objects are only in launch tables: no column refers to them. Classes
/// with containers are left alone, too.
bool may_move(const layout& plan, unsigned class_index) {
  return std::ranges::none_of(plan.columns(), [&](const column_info& column) {
    return (column.is_list() && has_part(column, class_index)) ||
           (column.is_reference() &&
            std::ranges::find(column.targets, class_index) != column.targets.end());
  });
}

/// Bytes of objects of the targets that a section may read.
std::size_t target_bytes(const layout& plan, const object_table& table,
                         std::span<const unsigned> targets, std::span<const unsigned> used) {
  std::size_t bytes = 0;
  for (const unsigned k : used)
    for (const column_part& part : plan.columns()[k].parts)
      if (std::ranges::find(targets, part.class_index) != targets.end())
        bytes += plan.columns()[k].element_size * table.objects[part.class_index].size();
  return bytes;
}

} // namespace

/// A class's objects where the columns have them in another order than that of their numbers.
struct object_graph::class_order {
  device_memory numbers; ///< std::uint32_t: which object is where; null: they are as numbered
  device_memory scratch; ///< kept, so that putting them back cannot fail for want of memory
  std::int64_t ticks = 0;
  std::int64_t wait = 0; ///< ticks before the first sort; 0: as the rule says

  bool changed() const { return numbers.data() != nullptr; }
};

object_graph::object_graph(const layout& plan, device& where) : plan_(plan), device_(where) {}
object_graph::~object_graph() = default;

bool object_graph::always_reorders(const device& where) { return rule_of(where) == &always; }

void object_graph::any_order(std::size_t base_index, std::int64_t ticks,
                             const section_info& section, const place_in_merged* place) {
  const order_rule* const rule = rule_of(device_);
  if (rule == nullptr)
    return;
  const base_array& base = bases_[base_index];
  const auto has_few = [&](const class_run& run) { return run.count < rule->fewest_objects; };
  if (orders_.empty() && std::ranges::all_of(base.runs, has_few)) // nothing was, or is to be, moved
    return;
  const auto is_whole = [&](const class_run& run) {
    return run.first == table_.first[run.class_index] &&
           run.count == table_.objects[run.class_index].size();
  };
  if (!base.direct || !std::ranges::all_of(base.runs, is_whole)) {
    restore_order(section);
    return;
  }
  orders_.resize(plan_.classes().size());
  const column_numbers used(section, place);
  for (const class_run& run : base.runs) {
    class_order& order = orders_[run.class_index];
    if (has_few(run) || !may_move(plan_, run.class_index))
      continue;
    const std::optional<unsigned> key = order_key(run.class_index, used, rule->fewest_target_bytes);
    if (!key)
      continue;
    order.wait = std::max(order.wait, rule->ticks_before);
    order.ticks += ticks;
    if (order.ticks < (order.changed() ? rule->ticks_between : order.wait))
      continue;
    order.ticks = 0;
    sort_class(run.class_index, *key, section);
  }
}

// The reference whose targets have most of what the section reads.
std::optional<unsigned> object_graph::order_key(unsigned class_index,
                                                std::span<const unsigned> used,
                                                std::size_t fewest_bytes) const {
  std::optional<unsigned> best;
  std::size_t most = fewest_bytes;
  for (const unsigned k : used) {
    const column_info& column = plan_.columns()[k];
    if (!column.is_reference() || column.is_list() || *column.element != typeid(object_id) ||
        !has_part(column, class_index))
      continue;
    const std::size_t bytes = target_bytes(plan_, table_, column.targets, used);
    if (bytes >= most) {
      most = bytes;
      best = k;
    }
  }
  return best;
}

// The columns that are there, of one class: where its objects' elements begin.
template <class Body> void object_graph::for_class_columns(unsigned class_index, const Body& body) {
  for (unsigned k = 0; k < columns_.size(); ++k) {
    const column_info& info = plan_.columns()[k];
    if ((columns_[k].valid || columns_[k].is_filled) && has_part(info, class_index))
      body(static_cast<unsigned char*>(columns_[k].values.data()) +
               info.element_size * (table_.first[class_index] - columns_[k].begin),
           info.element_size);
  }
}

void object_graph::sort_class(unsigned class_index, unsigned key, const section_info& section) {
  class_order& order = orders_[class_index];
  const auto n = static_cast<std::uint32_t>(table_.objects[class_index].size());
  std::uint64_t ids = 1;
  for (const unsigned target : plan_.columns()[key].targets)
    ids = std::max(ids, table_.first[target] + std::uint64_t(table_.objects[target].size()));
  std::size_t largest = sizeof(std::uint32_t);
  for_class_columns(class_index,
                    [&](void*, std::size_t bytes) { largest = std::max(largest, bytes); });
  const auto* const keys = reinterpret_cast<const std::uint32_t*>(
      static_cast<const unsigned char*>(columns_[key].values.data()) +
      sizeof(object_id) * (table_.first[class_index] - columns_[key].begin));

  device_memory sorted;
  try {
    sorted = device_memory(device_, n * sizeof(std::uint32_t), "order of objects", section);
    if (order.scratch.bytes() < n * largest)
      order.scratch = device_memory(device_, n * largest, "objects to be moved", section);
    device_.sort_order(keys, static_cast<std::uint32_t*>(sorted.data()), n,
                       static_cast<int>(std::bit_width(ids)), section);
  } catch (const error& failed) {
    if (failed.kind() != error_kind::out_of_memory)
      throw;
    order.wait *= 2; // it is only to gain time
    return;
  }
  const auto* const places = static_cast<const std::uint32_t*>(sorted.data());
  const auto move = [&](void* elements, std::size_t bytes) {
    device_.reorder(elements, order.scratch.data(), bytes, places, n, false, section);
  };
  for_class_columns(class_index, move);
  if (order.changed())
    move(order.numbers.data(), sizeof(std::uint32_t));
  else
    order.numbers = std::move(sorted);
}

void object_graph::restore_order(const section_info& section) {
  for (unsigned c = 0; c < orders_.size(); ++c)
    restore_class(c, section);
}

void object_graph::restore_class(unsigned class_index, const section_info& section) {
  if (class_index >= orders_.size() || !orders_[class_index].changed())
    return;
  class_order& order = orders_[class_index];
  const auto n = static_cast<std::uint32_t>(table_.objects[class_index].size());
  for_class_columns(class_index, [&](void* elements, std::size_t bytes) {
    device_.reorder(elements, order.scratch.data(), bytes,
                    static_cast<const std::uint32_t*>(order.numbers.data()), n, true, section);
  });
  const std::int64_t wait = 2 * order.wait;
  order = class_order();
  order.wait = wait;
}

void object_graph::forget_order() {
  for (class_order& order : orders_)
    order = class_order();
}

} // namespace ikra::rt
