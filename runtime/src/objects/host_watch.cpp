// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_watch.hpp"
#include "follow_pointers.hpp"

#include <ikra/generated/objects/live_objects.hpp>

#include "support/errors.hpp"
#include "support/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <typeinfo>
#include <utility>

namespace ikra::rt {

namespace {

/// The pointer that a polymorphic object begins with.
const void* table_of(const void* object) {
  const void* table = nullptr;
  std::memcpy(&table, object, sizeof table);
  return table;
}

/// Whether a word of each of some objects is what their rows have.
/// \param row the word in the first row, which is followed by the others after `apart` bytes each
template <class Word>
bool are_same(std::span<void* const> objects, std::size_t offset, const unsigned char* row,
              std::size_t apart) {
  Word bits = 0; // that differ
  for (const void* const object : objects) {
    Word now, then;
    std::memcpy(&now, static_cast<const unsigned char*>(object) + offset, sizeof now);
    std::memcpy(&then, row, sizeof then);
    bits = static_cast<Word>(bits | (now ^ then));
    row += apart;
  }
  return bits == 0;
}

/// Where a member lies in all of some objects; nothing if in some elsewhere, such as what a
/// reference refers to.
std::optional<std::size_t> offset_of(const column_part& part, std::size_t field,
                                     std::span<void* const> objects) {
  if (part.member == nullptr)
    return std::nullopt;
  const auto offset_in = [&](void* object) {
    return reinterpret_cast<std::uintptr_t>(part.member(object, field)) -
           reinterpret_cast<std::uintptr_t>(object);
  };
  const std::size_t offset = offset_in(objects.front());
  for (void* const object : objects)
    if (offset_in(object) != offset)
      return std::nullopt;
  return offset;
}

/// Objects that are looked at together, so that they stay in cache while one column after the other
/// is.
constexpr std::size_t block_objects = 512;
constexpr std::size_t longest_in_words = 64; ///< bytes; memcmp is as fast for more

} // namespace

object_graph::host_watch::picture object_graph::host_watch::made(const object_graph& graph,
                                                                 unsigned column,
                                                                 const column_part& part,
                                                                 std::span<void* const> objects) {
  picture now{column, &part, graph.plan_.columns()[column].element_size, {}, {}};
  std::size_t values = objects.size();
  if (part.lengths != nullptr) {
    now.rows.resize(objects.size());
    part.lengths(objects.data(), objects.size(), now.rows.data());
    values = 0;
    for (list_row& row : now.rows) {
      row.offset = static_cast<std::uint32_t>(values);
      values += row.length;
    }
  }
  now.values.resize(values * now.element_size);
  if (!now.values.empty())
    part.gather(objects.data(), objects.size(), {graph.table_, part.place}, now.values.data());
  return now;
}

/// Finds what the base arrays of a graph lead to.
class object_graph::host_watch::reach {
public:
  reach(object_graph& graph, const std::set<std::pair<void*, unsigned>>& captured)
      : graph_(graph), captured_(captured), found_(graph.table_.objects.size()) {
    for (const std::vector<void*>& objects : graph.table_.objects)
      seen_.emplace_back(objects.size(), false);
    for (const base_array& base : graph.bases_)
      begin(base);
    for (bool more = true; more;) {
      more = false;
      for (unsigned c = 0; c < found_.size(); ++c)
        more |= follow(c);
    }
  }

  /// By class, but for those that sections have captured.
  std::vector<std::vector<void*>> objects() {
    std::vector<std::vector<void*>> all;
    for (unsigned c = 0; c < found_.size(); ++c) {
      std::erase_if(found_[c].objects,
                    [&](void* object) { return captured_.contains(std::pair(object, c)); });
      all.push_back(std::move(found_[c].objects));
    }
    return all;
  }

private:
  struct class_objects {
    std::vector<void*> objects;
    std::size_t followed = 0; ///< of them
  };

  void begin(const base_array& base) {
    if (base.direct) {
      for (const class_run& run : base.runs)
        for (std::uint32_t i = 0; i < run.count; ++i)
          take(run.class_index, run.first + i - graph_.table_.first[run.class_index]);
      return;
    }
    for (std::size_t e = 0; e < base.size; ++e)
      if (base.codes[e] != reference_ops::null_code)
        take(base.codes[e], base.numbers[e]);
  }

  void take(unsigned c, std::uint32_t number) {
    void* const object = graph_.table_.objects[c][number];
    if (object == nullptr || seen_[c][number]) // of null the host has said that it goes
      return;
    seen_[c][number] = true;
    found_[c].objects.push_back(object);
  }

  /// Looks at the references of what was found last. \returns whether there was any
  bool follow(unsigned c) {
    const std::size_t first = found_[c].followed, n = found_[c].objects.size() - first;
    if (n == 0)
      return false;
    found_[c].followed += n;
    const std::vector<void*> objects(found_[c].objects.begin() + static_cast<std::ptrdiff_t>(first),
                                     found_[c].objects.end()); // more are found meanwhile
    for (const column_info& column : graph_.plan_.columns()) {
      const column_part* const part = column.part_of(c);
      if (!column.is_reference() || part == nullptr)
        continue;
      const auto add = [](void* self, const found_object& object) {
        auto& all = *static_cast<reach*>(self);
        const std::uint32_t number = all.graph_.table_.number(object.class_index, object.address);
        if (number != address_map::absent)
          all.take(object.class_index, number);
      };
      discovery found{{graph_.no_objects(), part->place}, {add, this}, nullptr};
      discover(graph_.plan_, column, *part, objects.data(), n, found);
    }
    return true;
  }

  object_graph& graph_;
  const std::set<std::pair<void*, unsigned>>& captured_;
  std::vector<class_objects> found_;
  std::vector<std::vector<bool>> seen_; ///< by class and number
};

bool object_graph::host_watch::group::has(unsigned column) const {
  return std::ranges::find(members, column, &member_bytes::column) != members.end() ||
         std::ranges::find(pictures, column, &picture::column) != pictures.end();
}

bool object_graph::host_watch::remembers(unsigned column) const {
  return std::ranges::any_of(groups_, [&](const group& of) { return of.has(column); });
}

void object_graph::host_watch::group::copy_rows() {
  std::ranges::sort(members, {}, &member_bytes::offset);
  std::optional<run_of_bytes> run;
  for (const member_bytes& each : members) {
    if (run && run->offset + run->size == each.offset) {
      run->size += each.size;
    } else {
      if (run)
        add_run(*run);
      run = {each.offset, each.size, row_bytes};
    }
    row_bytes += each.size;
  }
  if (run)
    add_run(*run);
  rows.resize(row_bytes * objects.size());
  for_ranges(objects.size(), block_objects, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      unsigned char* to = rows.data() + i * row_bytes;
      for (const member_bytes& each : members) {
        std::memcpy(to, static_cast<const unsigned char*>(objects[i]) + each.offset, each.size);
        to += each.size;
      }
    }
  });
}

// Short runs as words, of which the last may overlap the one before.
void object_graph::host_watch::group::add_run(const run_of_bytes& run) {
  if (run.size > longest_in_words) {
    words.push_back(run);
    return;
  }
  const std::size_t word = std::bit_floor(std::min<std::size_t>(run.size, 8));
  for (std::size_t at = 0; at < run.size; at += word) {
    const std::size_t first = std::min(at, run.size - word);
    words.push_back({run.offset + first, word, run.in_row + first});
  }
}

bool object_graph::host_watch::group::are_as_before(std::size_t begin, std::size_t end) const {
  const std::span<void* const> some = std::span(objects).subspan(begin, end - begin);
  const unsigned char* const first = rows.data() + begin * row_bytes;
  const auto is_same = [&](const run_of_bytes& word) {
    const unsigned char* const row = first + word.in_row;
    switch (word.size) {
    case 8:
      return are_same<std::uint64_t>(some, word.offset, row, row_bytes);
    case 4:
      return are_same<std::uint32_t>(some, word.offset, row, row_bytes);
    case 2:
      return are_same<std::uint16_t>(some, word.offset, row, row_bytes);
    case 1:
      return are_same<std::uint8_t>(some, word.offset, row, row_bytes);
    default:
      for (std::size_t i = 0; i < some.size(); ++i)
        if (std::memcmp(static_cast<const unsigned char*>(some[i]) + word.offset,
                        row + i * row_bytes, word.size) != 0)
          return false;
      return true;
    }
  };
  return std::ranges::all_of(words, is_same);
}

std::optional<unsigned> object_graph::host_watch::group::difference_of(std::size_t i) const {
  const auto* const now = static_cast<const unsigned char*>(objects[i]);
  const unsigned char* then = rows.data() + i * row_bytes;
  for (const member_bytes& each : members) {
    if (std::memcmp(now + each.offset, then, each.size) != 0)
      return each.column;
    then += each.size;
  }
  return std::nullopt;
}

void object_graph::host_watch::take(const object_graph& graph, group& into,
                                    std::span<const unsigned> columns) {
  for (const unsigned k : columns) {
    const column_info& column = graph.plan_.columns()[k];
    const column_part* const part = column.part_of(into.class_index);
    if (part == nullptr)
      continue;
    // Pointers as they are: what they point to need not be looked up.
    const std::size_t whole = part->discover != nullptr ? sizeof(void*) : column.element_size;
    std::vector<member_bytes> members;
    const auto add = [&](std::size_t field, std::size_t size) {
      const std::optional<std::size_t> offset = offset_of(*part, field, into.objects);
      if (offset)
        members.push_back({k, *offset, size});
      return offset.has_value();
    };
    bool is_in_objects = part->lengths == nullptr;
    if (column.fields.empty())
      is_in_objects = is_in_objects && part->scatter != nullptr && add(0, whole);
    for (std::size_t f = 0; f < column.fields.size(); ++f)
      is_in_objects = is_in_objects && add(f, column.fields[f].size);
    if (is_in_objects)
      into.members.insert(into.members.end(), members.begin(), members.end());
    else
      into.pictures.push_back(made(graph, k, *part, into.objects));
  }
  into.copy_rows();
}

void object_graph::host_watch::remember(object_graph& graph, std::span<const unsigned> columns,
                                        const std::set<std::pair<void*, unsigned>>& captured) {
  std::vector<unsigned> news;
  for (const unsigned k : columns) {
    const column_info& column = graph.plan_.columns()[k];
    // Of a std::optional without a pointer, and of other values that hold pointers, some bytes mean
    // nothing, and may differ each time that they are gathered.
    const bool holds_pointers = column.is_reference() && *column.element != typeid(object_id);
    if (!holds_pointers && !remembers(k))
      news.push_back(k);
  }
  if (news.empty())
    return;
  std::vector<std::vector<void*>> reached = reach(graph, captured).objects();
  for (unsigned c = 0; c < reached.size(); ++c) {
    const auto is_known = [&](const group& known) {
      return known.class_index == c && known.objects == reached[c];
    };
    const auto has_news = [&](unsigned k) {
      return graph.plan_.columns()[k].part_of(c) != nullptr;
    };
    // Without columns, it is seen where an object is destroyed.
    const bool may_be_told = graph.plan_.classes()[c].is_polymorphic;
    if (reached[c].empty() || (std::ranges::none_of(news, has_news) &&
                               (!may_be_told || std::ranges::any_of(groups_, is_known))))
      continue;
    // What is known of the same objects is the same still, and is compared together with the news.
    std::vector<unsigned> all = news;
    std::erase_if(groups_, [&](const group& known) {
      const bool is_same = is_known(known);
      for (const column_info& each : graph.plan_.columns()) {
        const auto k = static_cast<unsigned>(&each - graph.plan_.columns().data());
        if (is_same && known.has(k))
          all.push_back(k);
      }
      return is_same;
    });
    group now;
    now.class_index = c;
    now.objects = std::move(reached[c]);
    if (may_be_told)
      for (const void* const object : now.objects)
        now.tables.push_back(table_of(object));
    take(graph, now, all);
    groups_.push_back(std::move(now));
  }
}

std::optional<object_graph::host_watch::difference>
object_graph::host_watch::first_difference(const object_graph& graph, const group& of,
                                           std::size_t begin, std::size_t end) {
  // First of all: the members of an object that is gone may be anything.
  for (std::size_t i = begin; i < end && !of.tables.empty(); ++i)
    if (table_of(of.objects[i]) != of.tables[i])
      return difference{i, std::nullopt};
  if (!of.are_as_before(begin, end))
    for (std::size_t i = begin; i < end; ++i)
      if (const std::optional<unsigned> column = of.difference_of(i))
        return difference{i, column};
  const std::span<void* const> objects = std::span(of.objects).subspan(begin, end - begin);
  for (const picture& then : of.pictures) {
    const picture now = made(graph, then.column, *then.part, objects);
    const bool is_list = !then.rows.empty();
    const std::size_t size = then.element_size;
    const unsigned char* const values =
        then.values.data() + size * (is_list ? then.rows[begin].offset : begin);
    const auto same = [&](std::size_t first, std::size_t n) {
      return std::memcmp(now.values.data() + first * size, values + first * size, n * size) == 0;
    };
    if (!is_list && same(0, objects.size()))
      continue;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (!is_list && same(i, 1))
        continue;
      if (is_list && now.rows[i].length == then.rows[begin + i].length &&
          same(now.rows[i].offset, now.rows[i].length))
        continue;
      return difference{begin + i, then.column};
    }
  }
  return std::nullopt;
}

void object_graph::host_watch::compare(const object_graph& graph, std::span<const unsigned> columns,
                                       const section_info& section) const {
  for (const group& of : groups_) {
    const bool has_columns = !of.members.empty() || !of.pictures.empty();
    if (has_columns && std::ranges::none_of(columns, [&](unsigned k) { return of.has(k); }))
      continue;
    const std::size_t blocks = (of.objects.size() + block_objects - 1) / block_objects;
    std::atomic<std::size_t> first{blocks}; // that differs
    for_ranges(blocks, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b)
        if (first_difference(graph, of, b * block_objects,
                             std::min((b + 1) * block_objects, of.objects.size()))) {
          std::size_t known = first;
          while (b < known && !first.compare_exchange_weak(known, b)) {
          }
          return;
        }
    });
    if (first == blocks)
      continue;
    const difference found =
        first_difference(graph, of, first * block_objects,
                         std::min((first + 1) * block_objects, of.objects.size()))
            .value();
    const std::string name = graph.plan_.classes()[of.class_index].name;
    if (!found.column)
      throw destroyed_object(stale_pointer{.section = &section,
                                           .object = "an object of class " + name,
                                           .leads = "",
                                           .of_class = name,
                                           .holder = of.objects[found.object]});
    fail(error_kind::failed_check, section,
         std::string("the host wrote ") + graph.plan_.columns()[*found.column].name +
             " of an object of class " + name + " inside a scope, without telling it",
         "call scope.changed(pointer) after the write; what the device wrote would win otherwise");
  }
}

void object_graph::compare_with_host(std::span<const unsigned> columns,
                                     const section_info& section) {
  if (watch_ == nullptr)
    return;
  try {
    watch_->compare(*this, columns, section);
  } catch (const error&) { // told once: the scope's end looks again
    forget_host();
    throw;
  }
}

void object_graph::remember_host(std::span<const unsigned> columns,
                                 const std::set<std::pair<void*, unsigned>>& captured) {
  if (watch_ == nullptr)
    watch_ = std::make_unique<host_watch>();
  watch_->remember(*this, columns, captured);
}

void object_graph::forget_host() {
  if (watch_ != nullptr)
    watch_->forget();
}

} // namespace ikra::rt
