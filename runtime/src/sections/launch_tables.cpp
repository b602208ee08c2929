// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a session knows of the threads of a launch over objects: which class each runs, and where
// its elements are.
#include <ikra/generated/session/session.hpp>

#include "support/errors.hpp"

#include <algorithm>

namespace ikra::rt {

void session_base::restore_order() { graph_->restore_order(*section_); }

void session_base::allow_any_order(std::int64_t ticks) {
  const auto may_be_element = [&](const auto& root) {
    return std::ranges::any_of(root.source.ops->classes, [&](unsigned c) {
      return std::ranges::find(base_->ops->classes, c) != base_->ops->classes.end();
    });
  };
  if (std::ranges::any_of(roots_, may_be_element))
    restore_order();
  else
    graph_->any_order(base_index_, ticks, *section_, place_);
}

std::uint64_t session_base::fill_table(std::span<const unsigned> classes, bool positions,
                                       std::size_t of, std::uint64_t* first_thread,
                                       std::uint32_t* first_id, std::uint32_t* count) {
  const base_array& base = graph_->base(of);
  const objects_view objects(graph_->table(), place_);
  if (!base.direct || positions)
    graph_->locate_base(of, positions, *section_);
  if (!base.direct) {
    const std::uint64_t threads = fill_lists(classes, base.lists, first_thread, count);
    if (names_elements(of)) {
      named_.clear();
      for (std::size_t k = 0; k < classes.size(); ++k)
        named_.push_back({classes[k], count[k], first_thread[k]});
    }
    return threads;
  }
  // Classes come in the order of the runs, which is that of locate_base.
  std::uint64_t threads = 0;
  for (const class_run& run : base.runs)
    for (std::size_t k = 0; k < classes.size(); ++k)
      if (objects.number_of(classes[k]) == run.class_index) {
        first_thread[k] = threads;
        first_id[k] = run.first;
        count[k] = run.count;
        threads += (run.count + std::uint64_t(31)) / 32 * 32;
      }
  return threads;
}

const object_id* session_base::element_ids(std::size_t base) const {
  return static_cast<const object_id*>(graph_->base(base).ids.data());
}

// Null elements, which come first, are run by the first class. \returns the number of threads
std::uint64_t session_base::fill_lists(std::span<const unsigned> classes,
                                       std::span<const class_list> lists,
                                       std::uint64_t* first_thread, std::uint32_t* count) const {
  const objects_view objects(graph_->table(), place_);
  std::fill_n(count, classes.size(), 0);
  std::uint64_t threads = 0;
  for (const class_list& list : lists)
    for (std::size_t k = 0; k < classes.size(); ++k)
      if (list.class_index == class_list::of_null
              ? k == 0
              : objects.number_of(classes[k]) == list.class_index) {
        if (count[k] == 0)
          first_thread[k] = list.first_thread;
        if (list.count > UINT32_MAX - count[k])
          fail(error_kind::too_many_objects, *section_,
               "the array has more than 4294967295 elements of one class",
               "run the section on parts of the array");
        count[k] += static_cast<std::uint32_t>(list.count);
        threads += list.count;
        break;
      }
  return threads;
}

std::uint64_t session_base::fill_round(std::span<const unsigned> classes, std::size_t round,
                                       std::uint64_t* first_thread, std::uint32_t* count) const {
  const base_array& base = graph_->base(base_index_);
  const std::size_t begin = round == 0 ? 0 : base.rounds[round - 1];
  return fill_lists(classes, std::span(base.parts).subspan(begin, base.rounds[round] - begin),
                    first_thread, count);
}

// Bodies say in which thread something failed. Of rounds it would not be known which one it was.
bool session_base::names_elements(std::size_t base) const {
  return !graph_->base(base).direct && graph_->base(base).rounds.empty() &&
         report_.data() != nullptr;
}

std::size_t session_base::rounds() const { return graph_->base(base_index_).rounds.size(); }

const std::uint64_t* session_base::element_positions() const {
  return static_cast<const std::uint64_t*>(graph_->base(base_index_).positions.data());
}

} // namespace ikra::rt
