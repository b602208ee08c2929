// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/objects/live_objects.hpp>
#include <ikra/generated/sections/shared_section.hpp>
#include <ikra/generated/session/session.hpp>

#include "kept_captures.hpp"
#include "objects/resident.hpp"
#include "objects/thread_scopes.hpp"
#include "support/errors.hpp"
#include "support/kernel_trace.hpp"
#include "support/parallel.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace ikra::rt {

void device_elements::fetch(void* destination, std::size_t bytes) {
  memory_.owner()->make_current(*section_);
  memory_.owner()->download(destination, memory_.data(), bytes, *section_);
}

const device_memory& device_elements::memory() const {
  if (memory_.owner() != nullptr)
    memory_.owner()->before_use(memory_.data());
  return memory_;
}

session_base::session_base(const layout* plan, const section_info& section, const call_base& call,
                           bool has_kernels)
    : plan_(plan), section_(&section), call_(&call), device_(&current_device()) {
  if (device_->is_cuda() && !has_kernels)
    fail(error_kind::no_device, section,
         "it was compiled without CUDA, and the program's device is a GPU",
         "compile its file with nvcc, or set IKRA_DEVICE=cpu");
  device_->make_current(section);
  report_kept();
  if (plan_ == nullptr)
    trace_kernel(section, call.nodes());
  else if (has_resident_scope() && !device_->is_cuda())
    start_ = clock::now();
}

session_base::~session_base() = default;

pointer_source session_base::input_pointers(const reference_ops& ops, std::size_t input) const {
  const ikra::detail::erased_input& elements = call_->input(input);
  const std::type_info* pointee = elements.pointee();
  if (pointee == nullptr || *pointee != *ops.pointee)
    fail(error_kind::unsupported, *section_,
         "generated code expects pointers to " + class_name(*ops.pointee) + " and was given others",
         "build all files with one ikrac");
  return {&ops, elements.data(), elements.size(), nullptr, elements.notes()};
}

void session_base::set_base(const reference_ops& ops) { base_ = input_pointers(ops, 0); }

void session_base::add_elements(const reference_ops& ops, std::size_t input) {
  add_held(input, {input_pointers(ops, input), nullptr});
}

void session_base::add_held(std::size_t input, captured_root pointers) {
  const std::size_t root = roots_.size();
  elements_.push_back({input, root, add_roots(std::move(pointers))});
}

std::vector<root_list> session_base::input_roots(std::size_t input) const {
  std::vector<root_list> roots;
  for (const element_roots& e : elements_)
    if (e.input == input)
      roots.push_back(e.ids);
  return roots;
}

root_list session_base::add_roots(captured_root roots) {
  const root_list ids{root_count_, roots.source.count};
  root_count_ += ids.count;
  roots_.push_back(std::move(roots));
  return ids;
}

namespace {

/// How many of these are true. Eight at a time: compilers take them one by one.
std::size_t count_true(const bool* flags, std::size_t n) {
  std::size_t count = 0, i = 0;
  for (; i + 8 <= n; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, flags + i, sizeof eight);
    count += eight * 0x0101010101010101U >> 56U;
  }
  for (; i < n; ++i)
    count += flags[i] ? 1 : 0;
  return count;
}

/// Which of these pointers leads to an object; empty if none does.
std::string place_in(const pointer_source& pointers, const void* object) {
  for (std::size_t i = 0; i < pointers.count && object != nullptr; ++i) {
    std::uint16_t code = reference_ops::null_code;
    void* address = nullptr;
    try {
      pointers.classify(i, 1, &code);
    } catch (const destroyed_object&) { // its class is not known any more
      std::memcpy(&address, static_cast<void* const*>(pointers.pointers) + i, sizeof address);
    }
    if (code != reference_ops::null_code && code != reference_ops::unknown_code)
      pointers.locate(i, 1, &code, &address);
    if (address == object)
      return std::to_string(i);
  }
  return {};
}

} // namespace

chosen_pointers::chosen_pointers(const device_memory& flags, std::size_t n,
                                 const section_info& section)
    : is_chosen_(static_cast<const bool*>(flags.data())), n_(n) {
  if (n != 0 && flags.owner()->is_cuda()) {
    brought_ = std::make_unique_for_overwrite<bool[]>(n);
    flags.owner()->download(brought_.get(), flags.data(), n * sizeof(bool), section);
    is_chosen_ = brought_.get();
  }
  constexpr std::size_t grain = std::size_t(1) << 15U;
  const std::size_t chunks = chunk_count(n, grain);
  first_.assign(chunks + 1, 0);
  for_chunks(n, chunks, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    first_[chunk + 1] = count_true(is_chosen_ + begin, end - begin);
  });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

void chosen_pointers::copy(const void* from, void* to) const {
  const auto* const source = static_cast<const unsigned char*>(from);
  auto* const target = static_cast<unsigned char*>(to);
  for_chunks(n_, first_.size() - 1, [&](std::size_t chunk, std::size_t begin, std::size_t) {
    // Copies of what is captured: in the loop it might be what bytes are written to.
    const bool* const is_chosen = is_chosen_;
    const unsigned char* const pointers = source;
    unsigned char* const chosen = target;
    const std::size_t end = first_[chunk + 1];
    // Without a jump, which may go either way.
    for (std::size_t i = begin, next = first_[chunk]; next < end; next += is_chosen[i++])
      std::memcpy(chosen + sizeof(void*) * next, pointers + sizeof(void*) * i, sizeof(void*));
  });
}

void session_base::trace() {
  try {
    trace_once();
  } catch (const destroyed_object& found) {
    stale_pointer named = found.pointer();
    named.element = base_ ? place_in(*base_, named.holder) : "";
    if (named.element.empty())
      throw;
    throw destroyed_object(std::move(named));
  } catch (const error& failed) {
    if (failed.kind() != error_kind::out_of_memory || !give_up_host_section())
      throw;
    graph_ = nullptr;
    home_ = nullptr;
    place_ = nullptr;
    base_index_ = 0;
    root_ids_.clear();
    trace_once();
  }
}

void session_base::trace_once() {
  if (section_->checks != nullptr)
    detail::checked_section = section_;
  leave_other_threads(section_writes());
  in_use_.begin();
  // Where objects are that a resident scope holds. A host section's are compared with what runs
  // alone.
  std::size_t arrays = base_ ? 1 : elements_.size();
  if (measures_ && has_host_section_scope())
    arrays = 0;
  for (std::size_t k = 0; k < arrays; ++k) {
    const pointer_source array = base_ ? *base_ : roots_[elements_[k].root].source;
    residence there = find_residence(*plan_, array);
    if (there.at == nullptr)
      continue;
    sync_other_homes(there.at.get());
    base_index_ = admit(there, *plan_, *array.ops, roots_, root_ids_, *device_, *section_);
    graph_ = there.at->current();
    place_ = there.at->place_of(*plan_);
    home_ = std::move(there.at);
    break;
  }
  if (graph_ == nullptr && base_ && arrays != 0)
    trace_guest();
  if (graph_ == nullptr && base_ && arrays != 0)
    trace_met();
  const column_numbers used(*section_, place_);
  if (graph_ == nullptr)
    trace_own(used);
  bring_columns(used);
  traced_anew_ = home_ != nullptr && home_->brought();
  if (measures_)
    traced_ = clock::now();
}

/// Of the objects that were traced.
void session_base::bring_columns(std::span<const unsigned> used) {
  refuse_nulls();
  const bool is_watched = section_->checks != nullptr && home_ != nullptr;
  if (is_watched)
    try {
      graph_->compare_with_host(used, *section_);
    } catch (const destroyed_object&) { // told once
      home_->drop();
      throw;
    }
  graph_->upload(used, *section_);
  if (is_watched)
    graph_->remember_host(used, home_->captured_objects());
  written_.assign(*section_, place_, writes);
  if (home_ != nullptr && !home_->is_of_host_section())
    graph_->keep(written_, *section_);
  if (!base_ && home_ != nullptr) // IDs say where objects are in columns
    restore_order();
  trace_kernel(*section_, call_->nodes()); // known to run: no class was unknown
}

bool session_base::section_writes() const {
  return std::ranges::any_of(section_->columns,
                             [](const column_use& use) { return (use.use & writes) != 0; });
}

/// Scopes of other threads may have what the section reads.
void session_base::leave_other_threads(bool may_write) const {
  if (!others_have_scopes())
    return;
  std::vector<pointer_source> all;
  if (base_)
    all.push_back(*base_);
  all.insert(all.end(), other_bases_.begin(), other_bases_.end());
  for (const captured_root& root : roots_)
    all.push_back(root.source);
  bring_back_for_this_thread(all, may_write);
}

/// Several base arrays, in one object graph: that of a scope which has them all, or the session's.
bool session_base::trace_several() {
  leave_other_threads(section_writes());
  in_use_.begin();
  std::vector<pointer_source> arrays{*base_};
  arrays.insert(arrays.end(), other_bases_.begin(), other_bases_.end());
  std::vector<residence> there;
  for (const pointer_source& array : arrays) {
    there.push_back(find_residence(*plan_, array));
    if (there.back().at == nullptr)
      there.back() = take_in(*plan_, array);
    if (there.back().at != there.front().at)
      return false;
  }
  std::vector<std::size_t> indices(arrays.size());
  if (there.front().at != nullptr) {
    sync_other_homes(there.front().at.get());
    // The last ones may have it traced again.
    while (graph_ == nullptr || graph_ != there.front().at->current()) {
      graph_ = there.front().at->current();
      for (std::size_t k = 0; k < arrays.size(); ++k) {
        indices[k] =
            admit(there[k], *plan_, *arrays[k].ops, roots_, root_ids_, *device_, *section_);
        if (there[k].at != there.front().at) // it has a home of its own from now on
          return false;
      }
    }
    place_ = there.front().at->place_of(*plan_);
    home_ = there.front().at;
  } else if (has_resident_scope()) {
    return false;
  }
  const column_numbers used(*section_, place_);
  if (graph_ == nullptr) {
    trace_own(used);
    std::iota(indices.begin(), indices.end(), std::size_t(0));
  }
  base_index_ = indices.front();
  other_indices_.assign(indices.begin() + 1, indices.end());
  if (!std::ranges::all_of(indices, [&](std::size_t k) { return graph_->base(k).direct; }))
    return false;
  bring_columns(used);
  return true;
}

bool session_base::traces_sequence() {
  try {
    if (!other_bases_.empty())
      return trace_several();
    trace();
  } catch (const error& failed) { // before anything has changed
    switch (failed.kind()) {
    case error_kind::unknown_class:
    case error_kind::null_element:
    case error_kind::out_of_memory:
      return false;
    default:
      throw;
    }
  }
  // Of an object that stands twice, one section would see what the next one wrote.
  return graph_->base(base_index_).direct;
}

/// Other pointers to objects of a scope: they stay where they are.
void session_base::trace_guest() {
  std::size_t guest = 0;
  residence there = find_guest_residence(*plan_, *base_, *device_, *section_, guest);
  if (there.at == nullptr)
    return;
  const std::shared_ptr<object_graph> before = there.at->current();
  admit(there, *plan_, *base_->ops, roots_, root_ids_, *device_, *section_);
  if (there.at->current() != before) { // it was traced again, for what the code captured
    pointer_source array = *base_;
    array.place = there.at->place_of(*plan_);
    const std::optional<std::size_t> again = there.at->current()->admit_guest(array, *section_);
    if (!again)
      return;
    guest = *again;
  }
  base_index_ = guest;
  graph_ = there.at->current();
  place_ = there.at->place_of(*plan_);
  home_ = std::move(there.at);
}

/// An array that a host section's scope meets: its objects stay from now on.
void session_base::trace_met() {
  residence there = take_in(*plan_, *base_);
  if (there.at == nullptr)
    return;
  sync_other_homes(there.at.get());
  base_index_ = admit(there, *plan_, *base_->ops, roots_, root_ids_, *device_, *section_);
  graph_ = there.at->current();
  place_ = there.at->place_of(*plan_);
  home_ = std::move(there.at);
}

void session_base::trace_own(std::span<const unsigned> used) {
  sync_other_homes(nullptr);
  std::vector<pointer_source> bases, roots;
  if (base_)
    bases.push_back(*base_);
  bases.insert(bases.end(), other_bases_.begin(), other_bases_.end());
  for (const captured_root& root : roots_)
    roots.push_back(root.source);
  auto traced = std::make_shared<object_graph>(*plan_, *device_);
  traced->trace(bases, roots, used, *section_);
  root_ids_.clear();
  for (const captured_root& root : roots_)
    traced->find(root.source, root_ids_.add(root.source.count), *section_);
  graph_ = std::move(traced);
}

void session_base::refuse_null(const std::string& what) const {
  fail(error_kind::null_element, *section_, what + " is a null pointer",
       "remove null elements, or test for null in the section");
}

void session_base::refuse_nulls() const {
  if (section_->nulls == null_elements::passed)
    return;
  if (base_ && graph_->base(base_index_).nulls != 0) {
    const std::vector<std::uint16_t>& codes = graph_->base(base_index_).codes;
    const auto null = std::ranges::find(codes, reference_ops::null_code);
    refuse_null("element " + place_text(static_cast<std::uint64_t>(null - codes.begin())) +
                " of the array");
  }
  for (const element_roots& input : elements_) {
    const std::span<const object_id> ids =
        std::span(root_ids_.at(input.ids.first), input.ids.count);
    if (const auto null = std::ranges::find(ids, object_id()); null != ids.end())
      refuse_null("element " + place_text(static_cast<std::uint64_t>(null - ids.begin())) +
                  " of the array");
  }
  if (initial_ && !id(*initial_) && call_->input().size() != 0)
    refuse_null("the first value");
}

const object_id* session_base::input_ids(std::size_t k) {
  return ids(input_roots(k).front()).data();
}

void session_base::check_status(int status, const char* what) const {
  if (status != 0)
    fail(error_kind::device_error, *section_,
         std::string(what) + " on the GPU failed with CUDA's error " + std::to_string(status),
         "run with IKRA_DEVICE=cpu");
}

void session_base::check_bins(std::uint64_t bins) const {
  if (bins > UINT32_MAX)
    fail(error_kind::unsupported, *section_,
         "reduce_by_index on a GPU has at most 2^32 - 1 keys, and " + std::to_string(bins) +
             " are asked for",
         "run with IKRA_DEVICE=cpu");
}

device_memory session_base::result_memory(std::size_t bytes) const {
  return {where(), bytes, "result array", section()};
}

device_memory session_base::id_memory(std::size_t n) const {
  return {where(), bytes_of<object_id>(n), "IDs of results", section()};
}

std::shared_ptr<ikra::detail::remote> session_base::remote_elements(device_memory memory) const {
  return std::make_shared<device_elements>(std::move(memory), section());
}

std::vector<object_id> session_base::downloaded_ids(std::size_t n, const device_memory& memory) {
  check_report();
  std::vector<object_id> ids(n);
  if (n != 0)
    where().download(ids.data(), memory.data(), memory.bytes(), section());
  return ids;
}

const void* session_base::on_device(const ikra::detail::remote* place) const {
  const auto* elements = dynamic_cast<const device_elements*>(place);
  return elements != nullptr && elements->memory().owner() == device_ ? elements->memory().data()
                                                                      : nullptr;
}

const void* session_base::captured(const void* data, std::size_t bytes) {
  if (!device_->is_cuda() || bytes == 0)
    return data;
  if (home_ != nullptr)
    if (auto there = home_->captures().bring(*device_, data, bytes, *section_)) {
      kept_.push_back(there);
      return there->data();
    }
  captured_.emplace_back(*device_, bytes, "captured container", *section_);
  device_->upload(captured_.back().data(), data, bytes, *section_);
  return captured_.back().data();
}

const void* session_base::captured_room(ikra::detail::room<unsigned char> room) {
  const std::size_t bytes = room.size();
  const std::shared_ptr<const unsigned char> data = room.release();
  kept_.push_back(data);
  return captured(data.get(), bytes);
}

const void* session_base::captured_itself(const void* data, std::size_t bytes) {
  kept_captures* const kept = kept_captures::active();
  if (kept == nullptr || home_ != nullptr || !device_->is_cuda() || bytes == 0)
    return captured(data, bytes);
  if (const void* const there = kept->find(data, bytes))
    return there;
  const void* const result = captured(data, bytes);
  kept->add(data, std::move(captured_.back())); // this session's place of it is empty
  return result;
}

void session_base::finish() {
  const auto taken = [&] { return std::chrono::duration<double>(clock::now() - start_).count(); };
  if (measures_)
    launched_ = clock::now();
  if (graph_ == nullptr)
    return check_report();
  if (home_ != nullptr) {
    home_->written(written_, *section_); // other elements have been at work there
    check_report();
    if (start_ != clock::time_point())
      note_in_columns(*home_, *section_, taken(), call_->input().size(), call_->nodes() == 1,
                      traced_anew_);
  } else {
    check_report();
    graph_->write_back(written_, *section_);
    if (measures_)
      note_columns();
    else if (start_ != clock::time_point() && call_->nodes() == 1)
      note_beside_columns(*section_, taken(), call_->input().size());
  }
  if (!written_.empty())
    forget_other_homes(home_.get());
}

} // namespace ikra::rt
