// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tracer (ARRAY'16, section 3.2): from base arrays and captured pointers along reference
// columns to all objects that a section can reach. A work list over (column, class) takes the place
// of recursion, so that graphs may be deep and cyclic. Threads only look: what they find is
// numbered in the order of the references, one after the other, so that IDs are the same for any
// number of threads.
#include <ikra/generated/objects/live_objects.hpp>
#include <ikra/generated/objects/object_graph.hpp>
#include <ikra/generated/sections/shared_section.hpp>
#include <ikra/object_pointers.hpp>

#include "follow_pointers.hpp"
#include "support/errors.hpp"
#include "support/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <numeric>

namespace ikra::rt {

namespace {

constexpr std::size_t trace_grain = 4096;
constexpr std::size_t pointer_block = 1024;     // pointers
constexpr std::uint32_t segment_alignment = 32; // a warp never mixes classes

[[noreturn]] void too_many(const char* class_or_family, const section_info& section) {
  fail(error_kind::too_many_objects, section,
       std::string("more than 4294967264 objects of class '") + class_or_family +
           "' and its relatives",
       "run the section on parts of the array");
}

} // namespace

void pointer_source::classify(std::size_t first, std::size_t n, std::uint16_t* codes) const {
  const auto* const from = static_cast<const unsigned char*>(pointers) + first * sizeof(void*);
  try {
    ops->classify(from, n, codes);
  } catch (const destroyed_object&) {
    for (std::size_t i = 0; i < n; ++i)
      try {
        ops->classify(from + i * sizeof(void*), 1, codes);
      } catch (const destroyed_object& found) {
        stale_pointer named = found.pointer();
        named.leads = count == 1 ? "a captured pointer, or a variable of the program,"
                                 : "element " + std::to_string(first + i) +
                                       " of the array, or of a captured container,";
        throw destroyed_object(std::move(named));
      }
    throw;
  }
  if (place != nullptr)
    for (std::size_t i = 0; i < n; ++i)
      if (codes[i] < place->classes.size())
        codes[i] = static_cast<std::uint16_t>(place->classes[codes[i]]);
}

void pointer_source::locate(std::size_t first, std::size_t n, const std::uint16_t* codes,
                            void** addresses) const {
  const auto* from = static_cast<const unsigned char*>(pointers) + first * sizeof(void*);
  if (place == nullptr) {
    ops->locate(from, n, codes, addresses);
    return;
  }
  std::uint16_t local[pointer_block];
  for (std::size_t done = 0; done < n;) {
    const std::size_t part = std::min(pointer_block, n - done);
    for (std::size_t i = 0; i < part; ++i) {
      const std::uint16_t code = codes[done + i];
      local[i] = code < place->local_classes.size() ? place->local_classes[code] : code;
    }
    ops->locate(from + done * sizeof(void*), part, local, addresses + done);
    done += part;
  }
}

void object_graph::trace(std::span<const pointer_source> bases,
                         std::span<const pointer_source> roots, std::span<const unsigned> followed,
                         const section_info& section, std::span<const found_object> others) {
  const std::span<const class_info> classes = plan_.classes();
  table_.objects.resize(classes.size());
  table_.first.assign(classes.size(), 0);
  table_.make_maps(classes);
  columns_.resize(plan_.columns().size());

  bases_.reserve(bases.size());
  for (const pointer_source& source : bases)
    trace_base(source, section);
  const auto trace_others = [&] {
    for (const found_object& other : others)
      number(other.class_index, other.address, section);
  };
  if (roots_apart_) {
    trace_others();
    follow(followed, {}, section);
    trace_rooted(roots, followed, section);
  } else {
    for (const pointer_source& root : roots)
      trace_root(root, section);
    trace_others();
    follow(followed, {}, section);
  }
  assign_ids(section);

  for (base_array& base : bases_)
    for (class_run& run : base.runs)
      run.first += table_.first[run.class_index];
}

void object_graph::trace_rooted(std::span<const pointer_source> roots,
                                std::span<const unsigned> followed, const section_info& section) {
  std::vector<std::size_t> before;
  for (const std::vector<void*>& objects : table_.objects)
    before.push_back(objects.size());
  for (const pointer_source& root : roots)
    trace_root(root, section);
  follow(followed, before, section);
  for (std::size_t c = 0; c < before.size(); ++c) {
    rooted_.push_back({before[c], table_.objects[c].size()});
    has_rooted_ = has_rooted_ || !rooted_[c].empty();
  }
  of_rooted_family_.assign(before.size(), false);
  for (const std::vector<unsigned>& family : plan_.families())
    if (std::ranges::any_of(family, [&](unsigned c) { return !rooted_[c].empty(); }))
      for (const unsigned c : family)
        of_rooted_family_[c] = true;
}

// Calls use(chunk, i, class, address, number within the class, if any) for all that is not null.
template <class Use>
void object_graph::look_up(const pointer_source& source, std::size_t chunks,
                           const section_info& section, const Use& use) const {
  std::vector<std::size_t> first_unknown(chunks, source.count);
  const bool may_be_others = // by now, where a root's alone were
      has_rooted_ && std::ranges::any_of(source.ops->classes, [&](unsigned c) {
        return of_rooted_family_[source.number_of(c)];
      });
  for_chunks(source.count, chunks, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    std::vector<address_map::reader> readers;
    readers.reserve(table_.objects.size());
    for (unsigned c = 0; c < table_.objects.size(); ++c)
      readers.emplace_back(table_.numbers(c));
    std::uint16_t codes[pointer_block];
    void* addresses[pointer_block];
    for (std::size_t i = begin; i < end; i += pointer_block) {
      const std::size_t n = std::min(pointer_block, end - i);
      source.classify(i, n, codes);
      source.locate(i, n, codes, addresses);
      for (std::size_t j = 0; j < n; ++j)
        if (codes[j] == reference_ops::unknown_code)
          first_unknown[chunk] = std::min(first_unknown[chunk], i + j);
        else if (codes[j] != reference_ops::null_code) {
          std::uint32_t number = readers[codes[j]].find(addresses[j]);
          if (may_be_others && !table_.is_at(codes[j], number, addresses[j]))
            number = address_map::absent;
          use(chunk, i + j, codes[j], addresses[j], number);
        }
    }
  });
  const std::size_t unknown = *std::ranges::min_element(first_unknown);
  if (unknown != source.count)
    throw unknown_class(section, source.ops->dynamic_class(source.pointers, unknown));
}

bool object_graph::find(const pointer_source& source, object_id* ids,
                        const section_info& section) const {
  const std::size_t chunks = chunk_count(source.count, trace_grain);
  std::vector<std::size_t> absent(chunks, 0);
  std::fill_n(ids, source.count, object_id());
  look_up(source, chunks, section,
          [&](std::size_t chunk, std::size_t i, unsigned class_index, void*, std::uint32_t number) {
            if (number == address_map::absent)
              ++absent[chunk];
            else
              ids[i] = object_id(table_.first[class_index] + number);
          });
  return std::ranges::all_of(absent, [](std::size_t n) { return n == 0; });
}

namespace {

/// Whether each class's elements are consecutive objects: then nobody needs their numbers.
void find_runs(base_array& base, const object_table& table) {
  std::vector<class_run> runs(table.objects.size(), class_run{0, 0, 0});
  base.direct = base.nulls == 0;
  for (std::size_t e = 0; e < base.size && base.direct; ++e) {
    class_run& run = runs[base.codes[e]];
    if (run.count == 0)
      run = {base.codes[e], table.first[base.codes[e]] + base.numbers[e], 0};
    base.direct = table.first[base.codes[e]] + base.numbers[e] == run.first + run.count;
    ++run.count;
  }
  if (base.direct) {
    base.numbers = {};
    std::ranges::copy_if(runs, std::back_inserter(base.runs),
                         [](const class_run& run) { return run.count != 0; });
  }
  base.in_order = base.direct && base.runs.size() <= 1;
  if (base.in_order)
    base.codes = {};
}

} // namespace

std::optional<std::size_t> object_graph::admit_guest(const pointer_source& source,
                                                     const section_info& section) {
  const std::size_t traced = bases_.size() - guests_.size();
  const std::size_t bytes = source.count * sizeof(void*);
  for (std::size_t k = 0; k < guests_.size(); ++k)
    if (guest& known = guests_[k];
        known.pointers.size() == bytes && *known.pointee == *source.ops->pointee &&
        ikra::detail::same_bytes(known.pointers.data(), source.pointers, bytes)) {
      known.came_again = true;
      known.last_use = ++guest_uses_;
      return traced + k;
    }
  // Other objects are mostly seen by the first.
  if (object_id first;
      source.count > 1 && !find({source.ops, source.pointers, 1, source.place}, &first, section))
    return std::nullopt;

  std::optional<base_array> base = looked_up(source, section);
  if (!base)
    return std::nullopt;
  const auto* const pointers = static_cast<const unsigned char*>(source.pointers);
  guest now{source.ops->pointee, {pointers, pointers + bytes}, ++guest_uses_};
  if (guests_.size() < most_guests) {
    guests_.push_back(std::move(now));
    bases_.push_back(std::move(*base));
    return bases_.size() - 1;
  }
  guest& other = outdated_guest();
  other = std::move(now);
  const std::size_t k = traced + static_cast<std::size_t>(&other - guests_.data());
  bases_[k] = std::move(*base);
  return k;
}

// The one to be replaced. Selections between its uses must not drive out an array that comes again
// and again, so half of the places are for those that came once.
object_graph::guest& object_graph::outdated_guest() {
  const bool once = 2 * std::ranges::count(guests_, false, &guest::came_again) >=
                    static_cast<std::ptrdiff_t>(most_guests);
  return *std::ranges::min_element(
      guests_, {}, [&](const guest& g) { return std::pair(g.came_again == once, g.last_use); });
}

// Pointers to objects that have numbers. \returns nothing if some have none, or are a root's alone
std::optional<base_array> object_graph::looked_up(const pointer_source& source,
                                                  const section_info& section) const {
  base_array base;
  base.size = source.count;
  base.codes.assign(source.count, reference_ops::null_code);
  base.numbers.resize(source.count);
  const std::size_t chunks = chunk_count(source.count, trace_grain);
  std::vector<std::size_t> absent(chunks, 0), found(chunks, 0);
  look_up(source, chunks, section,
          [&](std::size_t chunk, std::size_t i, unsigned class_index, void*, std::uint32_t number) {
            if (number == address_map::absent || is_rooted(class_index, number)) {
              ++absent[chunk];
              return;
            }
            base.codes[i] = static_cast<std::uint16_t>(class_index);
            base.numbers[i] = number;
            ++found[chunk];
          });
  if (std::ranges::any_of(absent, [](std::size_t n) { return n != 0; }))
    return std::nullopt;
  base.nulls = source.count - std::accumulate(found.begin(), found.end(), std::size_t(0));
  find_runs(base, table_);
  return base;
}

// More pointers after a base array's. \returns false, with nothing done, where one leads to no
// object that is here, or the array's place is no longer told by runs alone
bool object_graph::extend(base_array& base, const pointer_source& more,
                          const section_info& section) {
  std::optional<base_array> after = looked_up(more, section);
  if (!base.direct || !after || !after->direct)
    return false;
  std::vector<class_run> runs = base.runs;
  for (const class_run& run : after->runs) {
    const auto mine = std::ranges::find(runs, run.class_index, &class_run::class_index);
    if (mine == runs.end())
      runs.push_back(run);
    else if (run.first == mine->first + mine->count)
      mine->count += run.count;
    else
      return false;
  }
  const bool in_order = runs.size() <= 1;
  if (!in_order) {
    const auto add_codes = [&](const base_array& from) {
      if (from.in_order)
        base.codes.resize(
            base.codes.size() + from.size,
            static_cast<std::uint16_t>(from.runs.empty() ? 0 : from.runs.front().class_index));
      else if (&from != &base)
        base.codes.insert(base.codes.end(), from.codes.begin(), from.codes.end());
    };
    add_codes(base);
    add_codes(*after);
  }
  base.size += after->size;
  base.runs = std::move(runs);
  base.in_order = in_order;
  base.positions = {};
  return true;
}

bool object_graph::rebase(std::size_t i, const pointer_source& source, std::size_t same,
                          const section_info& section) {
  if (same != 0 && same == bases_[i].size) {
    const pointer_source more{
        source.ops, static_cast<const unsigned char*>(source.pointers) + same * sizeof(void*),
        source.count - same, source.place};
    if (extend(bases_[i], more, section))
      return true;
    if (!add(unknown_of(more, section), section))
      return false;
    if (extend(bases_[i], more, section))
      return true;
  }
  std::optional<base_array> base = looked_up(source, section);
  if (!base) {
    const std::vector<found_object> unknown = unknown_of(source, section);
    if (!add(unknown, section))
      return false;
    base = looked_up(source, section);
    if (!base)
      return false;
  }
  bases_[i] = std::move(*base);
  return true;
}

bool object_graph::leads_to_all(std::size_t i, const pointer_source& source,
                                const section_info& section) const {
  std::vector<std::vector<unsigned char>> led_to;
  for (const std::vector<void*>& objects : table_.objects)
    led_to.emplace_back(objects.size(), 0);
  look_up(source, chunk_count(source.count, trace_grain), section,
          [&](std::size_t, std::size_t, unsigned class_index, void*, std::uint32_t number) {
            if (number != address_map::absent)
              std::atomic_ref(led_to[class_index][number]).store(1, std::memory_order_relaxed);
          });
  const auto is_led_to = [&](unsigned c, std::size_t number) {
    return led_to[c][number] != 0 || table_.objects[c][number] == nullptr;
  };
  const base_array& base = bases_[i];
  for (const class_run& run : base.runs)
    for (std::size_t n = run.first - table_.first[run.class_index], end = n + run.count; n < end;
         ++n)
      if (!is_led_to(run.class_index, n))
        return false;
  if (!base.direct)
    for (std::size_t e = 0; e < base.size; ++e)
      if (base.codes[e] != reference_ops::null_code && !is_led_to(base.codes[e], base.numbers[e]))
        return false;
  return true;
}

// As a base array, but nobody asks for places: what earlier arrays brought is only looked at.
void object_graph::trace_root(const pointer_source& source, const section_info& section) {
  const auto is_new = [&](unsigned c) { return table_.objects[source.number_of(c)].empty(); };
  if (std::ranges::all_of(source.ops->classes, is_new)) {
    trace_base(source, section);
    bases_.pop_back();
    return;
  }
  for (const found_object& object : unknown_of(source, section))
    number(object.class_index, object.address, section);
}

// Objects without a number, in the order of the pointers.
std::vector<found_object> object_graph::unknown_of(const pointer_source& source,
                                                   const section_info& section) const {
  const std::size_t chunks = chunk_count(source.count, trace_grain);
  std::vector<std::vector<found_object>> found(chunks);
  look_up(source, chunks, section,
          [&](std::size_t chunk, std::size_t, unsigned class_index, void* address,
              std::uint32_t number) {
            if (number == address_map::absent)
              found[chunk].push_back({address, class_index});
          });
  std::vector<found_object> all;
  for (const std::vector<found_object>& objects : found)
    all.insert(all.end(), objects.begin(), objects.end());
  return all;
}

std::uint32_t object_graph::number(unsigned class_index, void* address,
                                   const section_info& section) {
  std::vector<void*>& objects = table_.objects[class_index];
  if (objects.size() >= (room_.empty() ? object_id::null_value : room_[class_index]))
    too_many(plan_.classes()[class_index].name, section);
  const auto next = static_cast<std::uint32_t>(objects.size());
  const std::uint32_t before = table_.numbers(class_index).insert(address, next);
  if (before != address_map::absent) {
    met_rooted_ = met_rooted_ || is_rooted(class_index, before) ||
                  !table_.is_at(class_index, before, address);
    return before;
  }
  objects.push_back(address);
  return next;
}

void object_graph::trace_base(const pointer_source& source, const section_info& section) {
  base_array& base = bases_.emplace_back();
  base.size = source.count;
  base.codes.resize(source.count);

  const std::size_t chunks = chunk_count(source.count, trace_grain);
  const std::size_t class_count = plan_.classes().size();
  std::vector<std::vector<std::size_t>> counts(chunks);
  std::vector<std::size_t> nulls(chunks, 0), first_unknown(chunks, source.count);
  for_chunks(source.count, chunks, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    std::uint16_t* codes = base.codes.data();
    source.classify(begin, end - begin, codes + begin);
    std::vector<std::size_t> mine(class_count, 0);
    for (std::size_t i = begin; i < end; ++i) {
      if (codes[i] < class_count)
        ++mine[codes[i]];
      else if (codes[i] == reference_ops::null_code)
        ++nulls[chunk];
      else if (first_unknown[chunk] == source.count)
        first_unknown[chunk] = i;
    }
    counts[chunk] = std::move(mine);
  });
  const std::size_t unknown = *std::min_element(first_unknown.begin(), first_unknown.end());
  if (unknown != source.count)
    throw unknown_class(section, source.ops->dynamic_class(source.pointers, unknown));
  for (const std::size_t n : nulls)
    base.nulls += n;

  bool fresh = base.nulls == 0;
  for (const unsigned c : source.ops->classes)
    fresh = fresh && table_.objects[source.number_of(c)].empty();
  if (!fresh || !number_distinct(source, base, counts, section))
    number_one_by_one(source, base, section);
}

// The usual case, on all cores: no element is null, repeated, or known from another array.
bool object_graph::number_distinct(const pointer_source& source, base_array& base,
                                   const std::vector<std::vector<std::size_t>>& counts,
                                   const section_info& section) {
  const std::size_t chunks = counts.size();
  // cursors[chunk][class]: number of the chunk's first object of the class
  std::vector<std::vector<std::size_t>> cursors(chunks);
  std::vector<std::size_t> totals(plan_.classes().size(), 0);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    cursors[chunk] = totals;
    for (std::size_t c = 0; c < totals.size(); ++c)
      totals[c] += counts[chunk][c];
  }
  std::size_t occurring = 0;
  for (unsigned c = 0; c < totals.size(); ++c) {
    if (totals[c] == 0)
      continue;
    if (totals[c] >= object_id::null_value)
      too_many(plan_.classes()[c].name, section);
    table_.objects[c].resize(totals[c]);
    base.runs.push_back({c, 0, static_cast<std::uint32_t>(totals[c])});
    ++occurring;
  }

  for_chunks(source.count, chunks, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    std::vector<std::size_t>& cursor = cursors[chunk];
    void* addresses[pointer_block];
    for (std::size_t i = begin; i < end; i += std::size(addresses)) {
      const std::size_t n = std::min(std::size(addresses), end - i);
      const std::uint16_t* codes = base.codes.data() + i;
      source.locate(i, n, codes, addresses);
      for (std::size_t j = 0; j < n; ++j)
        table_.objects[codes[j]][cursor[codes[j]]++] = addresses[j];
    }
  });

  bool distinct = true;
  for (const class_run& run : base.runs)
    distinct = distinct &&
               table_.numbers(run.class_index).insert_distinct(table_.objects[run.class_index], 0);
  if (!distinct) {
    for (const class_run& run : base.runs) {
      for (void* const object : table_.objects[run.class_index]) // others of the family stay
        table_.numbers(run.class_index).erase(object);
      table_.objects[run.class_index].clear();
    }
    base.runs.clear();
    return false;
  }
  if (blocks_.classes.empty() && occurring > 1)
    make_blocks(base, totals);
  base.in_order = occurring <= 1;
  if (base.in_order)
    base.codes = {};
  return true;
}

// \param totals by class
void object_graph::make_blocks(const base_array& base, std::span<const std::size_t> totals) {
  constexpr std::size_t least = 8192;          // elements: their objects stay in a core's cache
  constexpr std::size_t least_of_a_class = 64; // for which a loop's beginning is little
  std::vector<std::uint32_t> places(totals.size()); // among the classes that occur
  array_blocks blocks;
  for (unsigned c = 0; c < totals.size(); ++c)
    if (totals[c] != 0) {
      places[c] = static_cast<std::uint32_t>(blocks.classes.size());
      blocks.classes.push_back(c);
    }
  const std::size_t width = blocks.classes.size();
  const std::size_t size = std::max(least, least_of_a_class * width);
  const std::size_t count = (base.size + size - 1) / size;
  if (count < 2)
    return;
  blocks.first.resize((count + 1) * width);
  for_ranges(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      std::uint32_t* const after = blocks.first.data() + (n + 1) * width;
      for (std::size_t e = n * size; e < std::min((n + 1) * size, base.size); ++e)
        ++after[places[base.codes[e]]];
    }
  });
  for (std::size_t i = width; i < blocks.first.size(); ++i)
    blocks.first[i] += blocks.first[i - width];
  blocks_ = std::move(blocks);
}

// Nulls, repeats, and objects that an earlier array brought: in the order of the elements.
void object_graph::number_one_by_one(const pointer_source& source, base_array& base,
                                     const section_info& section) {
  base.numbers.resize(source.count);
  base.direct = base.nulls == 0;
  std::vector<class_run> runs(plan_.classes().size(), class_run{0, 0, 0});
  void* addresses[pointer_block];
  for (std::size_t i = 0; i < source.count; i += std::size(addresses)) {
    const std::size_t n = std::min(std::size(addresses), source.count - i);
    source.locate(i, n, base.codes.data() + i, addresses);
    for (std::size_t j = 0; j < n; ++j) {
      const std::uint16_t code = base.codes[i + j];
      if (code == reference_ops::null_code)
        continue;
      const std::uint32_t k = number(code, addresses[j], section);
      base.numbers[i + j] = k;
      class_run& run = runs[code];
      if (run.count == 0)
        run = {code, k, 0};
      base.direct = base.direct && k == run.first + run.count;
      ++run.count;
    }
  }
  for (const class_run& run : runs)
    if (run.count != 0)
      base.runs.push_back(run);
  base.in_order = base.direct && base.runs.size() <= 1;
  if (!base.direct)
    base.runs.clear();
  if (base.direct)
    base.numbers = {};
  if (base.in_order)
    base.codes = {};
}

// \param from by class: the objects before have been followed; empty: none
void object_graph::follow(std::span<const unsigned> followed, std::span<const std::size_t> from,
                          const section_info& section) {
  struct step {
    const column_info* column;
    const column_part* part;
    std::size_t done = 0;
  };
  std::vector<step> steps;
  std::vector<discovery> found;
  for (const unsigned k : followed)
    if (plan_.columns()[k].is_reference()) {
      if (from.empty())
        follow_blocks(k, found, section);
      for (const column_part& part : plan_.columns()[k].parts)
        steps.push_back({&plan_.columns()[k], &part,
                         from.empty() ? blocks_.end_of(part.class_index) : from[part.class_index]});
    }

  bool more = true;
  while (more) {
    more = false;
    for (step& s : steps) {
      if (s.done < table_.objects[s.part->class_index].size()) {
        follow_part(*s.column, *s.part, s.done, found, section);
        more = true;
      }
    }
  }
}

// Objects found on the way may be of the same class, so the end moves. Rounds start small and grow:
// the first ones find most of what there is to find, and later ones then have little to hand over.
void object_graph::follow_part(const column_info& column, const column_part& part,
                               std::size_t& done, std::vector<discovery>& found,
                               const section_info& section) {
  std::size_t round = trace_grain;
  const std::vector<void*>& objects = table_.objects[part.class_index];
  while (done < objects.size()) {
    const std::size_t count = std::min(round, objects.size() - done);
    const std::size_t chunks = chunk_count(count, trace_grain);
    while (found.size() < chunks)
      found.push_back({{table_, part.place}, {}, nullptr});
    for_chunks(count, chunks, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
      found[chunk].objects = {table_, part.place};
      found[chunk].found.clear();
      discover(plan_, column, part, objects.data() + done + begin, end - begin, found[chunk]);
    });
    number_found(std::span(found).first(chunks), section);
    done += count;
    round = std::min<std::size_t>(2 * round, std::size_t(1) << 22);
  }
}

void object_graph::number_found(std::span<const discovery> found, const section_info& section) {
  for (const discovery& each : found) {
    if (each.unknown_class != nullptr)
      throw unknown_class(section, *each.unknown_class);
    for (const found_object& object : each.found)
      number(object.class_index, object.address, section);
  }
}

// The same for a reference of the first base array's objects, by its blocks.
void object_graph::follow_blocks(unsigned k, std::vector<discovery>& found,
                                 const section_info& section) {
  std::vector<const column_part*> parts; // by the blocks' classes
  for (const unsigned c : blocks_.classes)
    parts.push_back(plan_.columns()[k].part_of(c));
  if (std::ranges::all_of(parts, [](const column_part* part) { return part == nullptr; }))
    return;
  std::size_t round = 1;
  for (std::size_t done = 0; done < blocks_.count();) {
    const std::size_t count = std::min(round, blocks_.count() - done);
    const std::size_t chunks = chunk_count(count, 1);
    while (found.size() < chunks)
      found.push_back({{table_}, {}, nullptr});
    for_chunks(count, chunks, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
      discovery& out = found[chunk];
      out.found.clear();
      for (std::size_t n = done + begin; n < done + end; ++n)
        for (std::size_t i = 0; i < parts.size(); ++i)
          if (const std::uint32_t first = blocks_.row(n)[i], last = blocks_.row(n + 1)[i];
              parts[i] != nullptr && first != last) {
            out.objects = {table_, parts[i]->place};
            discover(plan_, plan_.columns()[k], *parts[i],
                     table_.objects[parts[i]->class_index].data() + first, last - first, out);
          }
    });
    number_found(std::span(found).first(chunks), section);
    done += count;
    round = std::min<std::size_t>(2 * round, 512);
  }
}

void object_graph::assign_ids(const section_info& section) {
  constexpr std::size_t least_room = 1024; // new objects of a class
  if (has_room_)
    for (const std::vector<void*>& objects : table_.objects)
      room_.push_back(objects.size() + objects.size() / 2 + least_room);
  for (const std::vector<unsigned>& family : plan_.families()) {
    std::uint64_t next = 0;
    for (const unsigned c : family) {
      if (next + capacity(c) > object_id::null_value)
        too_many(plan_.classes()[c].name, section);
      table_.first[c] = static_cast<std::uint32_t>(next);
      next += capacity(c);
      next = (next + segment_alignment - 1) / segment_alignment * segment_alignment;
    }
  }
}

namespace detail {

[[noreturn]] void throw_untraced(const std::type_info& type) {
  throw error(error_kind::unknown_class,
              "an object of class '" + class_name(type) +
                  "' is referred to that was not there when its ikra::resident scope began; "
                  "call changed() on the scope after the host has changed objects");
}

} // namespace detail

} // namespace ikra::rt
