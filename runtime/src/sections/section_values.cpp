// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ikra/generated/sections/section_values.hpp>

#include <ikra/generated/device/device.hpp>
#include <ikra/generated/sections/horizontal.hpp>
#include <ikra/generated/sections/shared_section.hpp>
#include <ikra/generated/session/session_base.hpp>

#include "devices/host_copy.hpp"
#include "devices/parts.hpp"
#include "kept_captures.hpp"
#include "objects/resident.hpp"
#include "support/environment.hpp"
#include "support/kernel_trace.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace ikra::rt {

parting_when parting() {
  static const auto when = wished<parting_when>("IKRA_STREAM", {{"auto", parting_when::needed},
                                                                {"off", parting_when::never},
                                                                {"always", parting_when::always},
                                                                {"beside", parting_when::beside}});
  return when;
}

} // namespace ikra::rt

namespace ikra::detail {

struct driven_node::driver_call {
  void (*run)(map_call&); ///< null: the section's own driver, or that of another file
  std::span<const section_base* const> sections;
  std::span<const erased_input> inputs;
  std::span<const std::int64_t> extents;
  std::span<const rt::border_value> borders; ///< of each node
  bool in_parts = false;                     ///< all sections may be computed for parts
  bool captures_arrays = false;              ///< some node does
  std::uint64_t last_uses = 0; ///< a bit for each input whose elements nothing reads any more
  std::size_t first = 0;       ///< of the inputs' elements in the whole array
  void* room = nullptr;        ///< memory of the host that is to become the result's place
  std::span<const std::int64_t> whole = {}; ///< of a part: the array's extents

  /// Number of elements of the arrays.
  std::size_t size() const {
    if (!inputs.empty())
      return inputs[0].size();
    std::int64_t volume = 1;
    for (const std::int64_t extent : extents)
      volume *= extent;
    return static_cast<std::size_t>(volume);
  }
};

namespace {

/// Parts of arrays that are there as a whole begin at multiples of so many elements, as kernels
/// load several at once.
constexpr std::size_t aligned = 256;
/// Inputs and results of a part where all have room: copies take some 0.6 ms, the host's steps from
/// one part to the next a tenth of that.
constexpr std::size_t bytes_beside = std::size_t(32) << 20;

} // namespace

driven_node::~driven_node() { drop_section(); }

bool driven_node::runs_in_place() const {
  return code_in_place_ != nullptr && type_->in_place &&
         !(type_->in_place_alone && rt::current_device().is_cuda()) &&
         rt::objects_stay_in_place(*type_->in_place, 1);
}

void* driven_node::room_for_section(std::size_t size, std::size_t alignment) {
  if (size <= sizeof small_section_ && alignment <= alignof(std::max_align_t))
    return small_section_;
  std::size_t room = size + alignment;
  large_section_ = std::make_unique<std::byte[]>(room);
  void* place = large_section_.get();
  return std::align(alignment, size, place, room);
}

void driven_node::drop_section() {
  if (const section_base* const section = std::exchange(section_, nullptr))
    drop_section_(section);
  large_section_.reset();
}

/// Whether all that it reads besides its first input is computed.
bool driven_node::has_others_computed() const {
  for (std::size_t k = 1; k < inputs_.size(); ++k)
    if (!inputs_[k]->computed())
      return false;
  std::vector<command_base*> pending;
  captured_.collect_pending(pending);
  return pending.empty();
}

void driven_node::shorten_chain(long passing) {
  constexpr std::uint32_t longest = 1024; // as many steps as a launch of a sequence takes
  constexpr std::uint32_t most_kept = 4;  // arrays that nothing but the chain may hold
  if (!type_->may_run_early || !has_others_computed())
    return;
  command_base* const input = inputs_.size() == 0 ? nullptr : inputs_[0].get();
  // What a thread computes is not looked into.
  rt::section_node* const node =
      input == nullptr || input->computed() || input->work() != 0 ? nullptr : input->as_section();
  auto* const below = static_cast<driven_node*>(node); // there are no others
  if (input != nullptr && !input->computed() && (below == nullptr || below->chain_ == 0))
    return; // it may have to be asked for
  const std::uint32_t keeps = inputs_.size() > 1 ? 1 : 0;
  chain_ = below == nullptr ? 1 : below->chain_ + 1;
  kept_ = below == nullptr ? keeps : below->kept_ + keeps;
  // The variable that the program makes it of holds its input. What lies below that is nobody's any
  // more, if the input was made by a statement before: then it is a whole turn's result.
  if ((chain_ <= longest && kept_ <= most_kept) || below == nullptr || below->chain_ < 2 ||
      owners_of_source(0) > 2 + passing || below->owners_of_source(0) > 1)
    return;
  try {
    evaluate(*input);
  } catch (...) { // NOLINT(bugprone-empty-catch): the error is not lost
    // Kept by the command that failed, and thrown when the program asks for what depends on it.
  }
  chain_ = 1;
  kept_ = keeps;
}

rt::border_value driven_node::at_border() const {
  if (operation_.what != operation::stencil || result_place_.initial == nullptr)
    return {};
  return {result_place_.initial, result_place_.type};
}

void driven_node::collect_all_pending(std::vector<command_base*>& out) {
  if (group_ && group_->collect_pending(out))
    return;
  if (const rt::fused_tree& tree = fusion()) {
    tree.collect_pending(out);
    return;
  }
  inputs_.collect_pending(out);
  captured_.collect_pending(out);
}

void driven_node::collect_direct(std::vector<command_base*>& out) {
  inputs_.collect_pending(out);
  captured_.collect_pending(out);
}

void driven_node::dissolve_group() {
  if (group_)
    group_->dissolve();
  group_.reset();
}

void driven_node::compute_result() {
  const rt::kept_captures captures;
  if (group_ && group_->compute(*this))
    return;
  if (!compute_fused())
    compute_alone();
}

void driven_node::release_all(std::vector<std::shared_ptr<command_base>>& out) {
  group_.reset();
  fusion_.reset();
  inputs_.release(out);
  captured_.release(out);
  drop_section();
}

void driven_node::drop_all() {
  std::vector<std::shared_ptr<command_base>> inputs;
  release_all(inputs);
  for (std::shared_ptr<command_base>& input : inputs)
    drop(std::move(input));
}

/// The tree that ends with it. Asked for before its leaves are computed and after that, when
/// mostly nothing has changed.
const rt::fused_tree& driven_node::fusion() {
  if (is_alone_)
    fusion_ = std::make_unique<rt::fused_tree>();
  else if (!fusion_ || !*fusion_ || !fusion_->is_still_open())
    fusion_ = std::make_unique<rt::fused_tree>(rt::fused_tree::find(
        type_->fusions == nullptr ? std::span<const ikra::fusion>() : type_->fusions(),
        type_->sequences == nullptr ? nullptr : type_->sequences(), *this));
  return *fusion_;
}

/// \returns false where there is no fused kernel, or no file that has one knows the classes of all
/// objects: other files' drivers know single sections, which are computed step by step.
bool driven_node::compute_fused() {
  const rt::fused_tree& tree = fusion();
  if (!tree || !tree.is_ready())
    return false;
  if (tree.is_of_one_turn())
    return compute_tree(tree);
  try {
    const turn_scope in_none{loop_turn()};
    return compute_tree(tree);
  } catch (const error& failed) {
    if (failed.kind() != error_kind::null_element && failed.kind() != error_kind::failed_check)
      throw;
    const std::exception_ptr of_tree = std::current_exception();
    tree.set_alone();
    try {
      compute_alone(); // the command that fails by itself says which turn made it
    } catch (const error& of_one) {
      if (of_one.kind() == error_kind::out_of_memory)
        std::rethrow_exception(of_tree);
      throw;
    } catch (const std::bad_alloc&) {
      std::rethrow_exception(of_tree);
    }
    return true;
  }
}

bool driven_node::compute_tree(const rt::fused_tree& tree) {
  if (tree.horizontal_code() != nullptr)
    return compute_storing(tree);
  const std::vector<erased_input> inputs = tree.inputs();
  const std::vector<rt::border_value> borders = tree.at_border();
  driver_call call{
      tree.code(),          tree.sections(),        inputs,          tree.extents(), borders,
      tree.may_be_parted(), tree.captures_arrays(), tree.last_uses()};
  try {
    call_driver(call);
    tree.note_passed();
    return true;
  } catch (const rt::unknown_class&) {
    return false;
  }
}

/// The same, with the results that others hold.
bool driven_node::compute_storing(const rt::fused_tree& tree) {
  try {
    return rt::compute_results(tree, *this);
  } catch (const rt::unknown_class&) {
    return false;
  } catch (const error& failed) {
    // There may be room for one after the other.
    if (failed.kind() != error_kind::out_of_memory)
      throw;
    return false;
  }
}

void driven_node::compute_alone() {
  // Where a tree was found when collect_pending looked, it may not fit any more.
  for (std::size_t k = 0; k < inputs_.size(); ++k)
    evaluate(*inputs_[k]);
  std::array<erased_input, 4> few;
  if (inputs_.size() <= few.size())
    return compute_alone(std::span(few).first(inputs_.size()));
  std::vector<erased_input> many(inputs_.size());
  compute_alone(many);
}

void driven_node::compute_alone(std::span<erased_input> inputs) {
  for (std::size_t k = 0; k < inputs.size(); ++k)
    inputs[k] = source_buffer(k);
  const section_base* const sections[] = {section_};
  const rt::border_value borders[] = {at_border()};
  std::uint64_t last_uses = 0;
  for (std::size_t k = 0; k < inputs.size() && k < 64; ++k)
    if (owners_of_source(k) == 1)
      last_uses |= std::uint64_t(1) << k;
  driver_call call{nullptr,         sections,          inputs,   extents(), borders,
                   may_be_parted(), captures_arrays(), last_uses};
  if (user_code_ == nullptr) {
    call_driver(call);
    return;
  }
  try {
    call_driver(call);
    return;
  } catch (const rt::unknown_class& met) {
    rt::begin_user_code(met);
  }
  user_code_({operation_, *section_, inputs_, neighbourhood_.get(), result_place_});
}

void driven_node::call_driver(driver_call& call) {
  std::vector<std::int64_t> known(call.extents.begin(), call.extents.end());
  if (known.empty())
    known.push_back(0);
  if (known.size() == 1 && !call.inputs.empty()) // not known before, after pselect
    known[0] = static_cast<std::int64_t>(call.inputs[0].size());
  call.extents = known;
  if (call.in_parts && rt::parting() == rt::parting_when::always && call.size() > rt::part_of_tests)
    return drive_in_parts(call, rt::part_of_tests);
  // Nothing is uploaded in vain.
  const bool may_need_parts = call.in_parts && rt::parting() >= rt::parting_when::needed;
  if (may_need_parts && exceeds_memory(call) && drive_in_parts(call))
    return;
  if (may_need_parts && is_worth_parts(call)) {
    const std::size_t wanted =
        rt::parting() == rt::parting_when::beside
            ? rt::part_of_tests
            : bytes_beside / std::max<std::size_t>(bytes_of_element(call), 1);
    if (drive_beside_copies(call, (wanted + aligned - 1) / aligned * aligned))
      return;
  }
  // Not where sections read captured arrays: these may lie there.
  if (call.in_parts && !call.captures_arrays && may_go_straight(call) &&
      as_command().request()->is_last && !rt::current_device().is_cuda()) {
    call.room = as_command().request()->to;
    call.last_uses = 0; // results do not come to be in an input's memory
  }
  try {
    drive(call);
  } catch (const error& failed) {
    if (failed.kind() != error_kind::out_of_memory || !rt::current_device().is_cuda())
      throw;
    if (rt::give_up_host_section())
      return call_driver(call);
    if (may_need_parts && drive_in_parts(call))
      return;
    if (rt::has_resident_objects() || !rt::goes_on_on_all_cores(failed))
      throw;
    const rt::all_cores_scope here;
    drive(call);
  }
}

/// Whether inputs and result are more than the device has room for. Inputs that are there already,
/// and memory that a result takes over, are left out.
bool driven_node::exceeds_memory(const driver_call& call) const {
  std::size_t bytes = 0;
  for (const erased_input& input : call.inputs)
    if (input.is_only_on_host())
      bytes += input.size() * input.element_bytes();
  if (bytes < rt::much || !rt::current_device().is_cuda())
    return false;
  if (operation_.what == operation::reduce_by_index)
    bytes += bytes_of_bins();
  else if (operation_.what != operation::reduce && call.last_uses == 0)
    bytes += call.size() * result_bytes();
  return bytes > rt::current_device().available();
}

/// Whether copies, kernels and copies back take less time side by side than one after the other:
/// long inputs are on the host alone, which asks for a result that depends on them part by part.
/// Sums of parts would be rounded differently, and of reductions only kernels would be left to run
/// beside copies.
bool driven_node::is_worth_parts(const driver_call& call) const {
  if (as_command().request() == nullptr || call.captures_arrays || call.inputs.empty() ||
      (operation_.what != operation::elementwise && operation_.what != operation::select))
    return false;
  std::size_t bytes = 0;
  for (const erased_input& input : call.inputs) {
    if (!input.is_only_on_host())
      return false;
    bytes += input.size() * input.element_bytes();
  }
  return (bytes >= rt::much || rt::parting() == rt::parting_when::beside) &&
         rt::current_device().is_cuda();
}

/// Bytes of inputs and results for an element.
std::size_t driven_node::bytes_of_element(const driver_call& call) const {
  const bool is_shorter =
      operation_.what == operation::reduce || operation_.what == operation::reduce_by_index;
  std::size_t bytes = is_shorter ? 0 : result_bytes();
  for (const erased_input& input : call.inputs)
    bytes += input.element_bytes();
  return bytes;
}

/// Bytes of the results of reduce_by_index.
std::size_t driven_node::bytes_of_bins() const {
  return static_cast<std::size_t>(operation_.bins) * result_bytes();
}

/// In parts that fit the device's memory. \returns false, with nothing done, if there is no such
/// size
bool driven_node::drive_in_parts(const driver_call& call) {
  for (const erased_input& input : call.inputs) {
    static_cast<void>(input.data());
    input.forget_remote(); // what came to the device before memory ran out
  }
  const std::size_t bytes = bytes_of_element(call);
  // Two parts are there at a time, and what launches need.
  std::size_t room = rt::current_device().available();
  if (operation_.what == operation::reduce_by_index) // each part's results come from those before
    room -= std::min(room, 2 * bytes_of_bins());
  const std::size_t fitting = room / (2 * bytes + 1);
  for (std::size_t elements =
           std::min({call.size(), fitting, rt::bytes_of_part / std::max<std::size_t>(bytes, 1)});
       elements >= rt::least_part; elements /= 2)
    try {
      drive_in_parts(call, elements);
      return true;
    } catch (const error& failed) {
      if (failed.kind() != error_kind::out_of_memory)
        throw;
    }
  return false;
}

namespace {

constexpr rt::section_info parts_info{"(parts of an array)", "ikra", 0, 0};

} // namespace
} // namespace ikra::detail

namespace ikra::rt {

/// Memory of the device for arrays that come to it, and go from it, in parts.
class whole_arrays {
public:
  /// \throws ikra::error of kind out_of_memory
  whole_arrays(std::span<const ikra::detail::erased_input> inputs, std::size_t result_bytes)
      : where_(current_device()) {
    where_.make_current(ikra::detail::parts_info);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::size_t bytes = inputs[k].size() * inputs[k].element_bytes();
      std::size_t same = 0;
      while (inputs[same].data() != inputs[k].data() ||
             inputs[same].size() * inputs[same].element_bytes() != bytes)
        ++same;
      first_.push_back(same);
      inputs_.push_back(same == k ? elements_in({where_, bytes, "input array", parts_info()})
                                  : inputs_[same]);
    }
    result_ = {where_, result_bytes, "result array", parts_info()};
  }

  /// Whether it is the first of the inputs that are the same elements.
  bool is_first(std::size_t k) const { return first_[k] == k; }
  /// A part of the k-th input.
  device_memory input(std::size_t k, std::size_t offset, std::size_t bytes) const {
    return {inputs_[k]->memory(), offset, bytes};
  }
  /// Queues a copy of what the next part resulted in.
  void keep(const device_memory& part, std::size_t bytes) {
    where_.copy(static_cast<unsigned char*>(result_.data()) + filled_, part.data(), bytes,
                parts_info());
    filled_ += bytes;
  }
  /// Says of all of them that they are on the device, too.
  void finish(std::span<const ikra::detail::erased_input> inputs,
              ikra::detail::parted_results& result) {
    constexpr std::size_t few = 32; // results do not keep the memory of so many more
    if (filled_ <= result_.bytes() / few) {
      device_memory fitting(where_, filled_, "result array", parts_info());
      if (filled_ != 0)
        where_.copy(fitting.data(), result_.data(), filled_, parts_info());
      result_ = std::move(fitting);
    }
    for (std::size_t k = 0; k < inputs.size(); ++k)
      inputs[k].also_at(inputs_[k]);
    if (filled_ != 0)
      result.also_at(elements_in(std::move(result_)), filled_);
  }

  /// Bytes of the result that there are.
  std::size_t filled() const { return filled_; }

private:
  static constexpr const section_info& parts_info() { return ikra::detail::parts_info; }
  static std::shared_ptr<device_elements> elements_in(device_memory memory) {
    return std::make_shared<device_elements>(std::move(memory), parts_info());
  }

  device& where_;
  std::vector<std::size_t> first_;
  std::vector<std::shared_ptr<device_elements>> inputs_;
  device_memory result_;
  std::size_t filled_ = 0; ///< bytes of it
};

} // namespace ikra::rt

namespace ikra::detail {
namespace {

/// The inputs of a part of an array.
struct part_of_inputs {
  std::size_t first, count;
  std::vector<input_part> kept;
  std::vector<erased_input> inputs;

  part_of_inputs(std::span<const erased_input> whole, std::size_t begin, std::size_t size)
      : first(begin), count(size) {
    for (const erased_input& input : whole) {
      kept.push_back(input.part(first, count));
      inputs.push_back(kept.back().input);
    }
  }
  /// Takes memory of the device for them, if that is not there. \returns what is to be copied there
  std::vector<rt::transfer> take_memory(rt::device& where, const rt::whole_arrays* whole) const {
    std::vector<rt::transfer> copies;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const erased_input& input = inputs[k];
      const std::size_t bytes = input.size() * input.element_bytes();
      if (bytes == 0)
        continue;
      rt::device_memory memory =
          whole != nullptr ? whole->input(k, first * input.element_bytes(), bytes)
                           : rt::device_memory(where, bytes, "part of an input array", parts_info);
      if (whole == nullptr || whole->is_first(k))
        copies.push_back({memory.data(), input.data(), bytes});
      input.also_at(std::make_shared<rt::device_elements>(std::move(memory), parts_info));
    }
    return copies;
  }
};

const rt::device_memory* memory_of(const part_copy& copy) {
  const auto* there = dynamic_cast<const rt::device_elements*>(copy.from.get());
  return there == nullptr ? nullptr : &there->memory();
}

/// The results of a part are to come back.
void add_copy(const part_copy& copy, std::vector<rt::transfer>& copies) {
  if (copy.from == nullptr)
    return;
  if (const rt::device_memory* const there = memory_of(copy)) {
    copies.push_back({copy.to, there->data(), copy.bytes, copy.also});
    return;
  }
  copy.from->fetch(copy.to, copy.bytes);
  if (copy.also != nullptr)
    copy_bytes(copy.also, copy.to, copy.bytes);
}

} // namespace

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  rt::copy_on_all_cores(to, from, bytes);
}

namespace {

/// A part whose inputs come to the device.
struct coming_part {
  part_of_inputs part;
  rt::exchange copies;
};
/// Results of a part, which come back.
struct going_part {
  part_copy what;
  rt::exchange copies;
};

/// Whether results would go where inputs lie, of which parts are read later.
bool overlaps(const host_request& wanted, std::span<const erased_input> inputs) {
  const auto to = reinterpret_cast<std::uintptr_t>(wanted.to);
  return std::ranges::any_of(inputs, [&](const erased_input& input) {
    const auto from = reinterpret_cast<std::uintptr_t>(input.data());
    return from < to + wanted.bytes && to < from + input.size() * input.element_bytes();
  });
}

} // namespace

/// Whether the results may be put where the host wants them while later ones are computed.
bool driven_node::may_go_straight(const driver_call& call) const {
  const host_request* const wanted = as_command().request();
  return wanted != nullptr && wanted->to != nullptr && operation_.what == operation::elementwise &&
         wanted->bytes == call.size() * result_bytes() && !overlaps(*wanted, call.inputs);
}

/// In parts, with room for all of them: inputs and result stay on the device, as if it had been
/// one. \returns false, with nothing done, where there is less room, or one part
bool driven_node::drive_beside_copies(const driver_call& call, std::size_t elements) {
  if (elements >= call.size())
    return false;
  check(call);
  try {
    host_request& wanted = *as_command().request();
    const std::size_t bytes = call.size() * result_bytes();
    rt::whole_arrays whole(call.inputs, bytes);
    if (!may_go_straight(call)) {
      drive_in_parts(call, elements, &whole, {});
      return true;
    }
    drive_in_parts(call, elements, &whole, {wanted.to, false});
    wanted.is_done = whole.filled() == bytes;
    return wanted.is_done;
  } catch (const error& failed) {
    if (failed.kind() != error_kind::out_of_memory)
      throw;
    return false;
  }
}

/// In parts that nothing is left of on the device. Results go straight to where the host wants
/// them, and besides to memory of their own if somebody may ask for them again. Not where sections
/// on cores read captured arrays: these may lie there.
void driven_node::drive_in_parts(const driver_call& call, std::size_t elements) {
  check(call);
  if (!may_go_straight(call) || (call.captures_arrays && !rt::current_device().is_cuda()))
    return drive_in_parts(call, elements, nullptr, {});
  host_request& wanted = *as_command().request();
  drive_in_parts(call, elements, nullptr, {wanted.to, !wanted.is_last});
  wanted.is_done = true;
}

/// While a part is computed, the next ones' inputs come to the device, and the results of those
/// before come back. Uploads are begun ahead, and only they are waited for before a part is
/// computed, so there is always something to be copied.
/// \param whole where all of them stay; null: nowhere
/// \param place of elementwise results on the host
void driven_node::drive_in_parts(const driver_call& call, std::size_t elements,
                                 rt::whole_arrays* whole, const place_of_parts& place) {
  // As much is on its way as many threads hold in their buffers, and more; or, where memory is
  // short, one part while another is computed.
  const std::size_t most_coming = whole == nullptr ? 2 : 4, most_going = whole == nullptr ? 1 : 4;
  check(call);
  rt::device& where = rt::current_device();
  where.make_current(parts_info);
  const rt::kept_captures captures;
  const std::unique_ptr<parted_results> results = parts(operation_, call.size(), place);
  std::deque<coming_part> coming;
  std::deque<going_part> going;
  std::size_t next = 0;
  const auto begin_part = [&] {
    part_of_inputs part(call.inputs, next, std::min(elements, call.size() - next));
    next += part.count;
    std::vector<rt::transfer> copies;
    if (where.is_cuda())
      copies = part.take_memory(where, whole);
    coming.push_back({std::move(part), rt::exchange(where, copies, {}, parts_info)});
  };
  const auto end_oldest = [&] {
    going.front().copies.end();
    going.pop_front();
  };
  while (next < call.size() && coming.size() < most_coming)
    begin_part();
  while (!coming.empty()) {
    coming.front().copies.end();
    while (going.size() > most_going)
      end_oldest();
    const part_of_inputs& now = coming.front().part;
    const std::int64_t extents[] = {static_cast<std::int64_t>(now.count)};
    driver_call part = call;
    std::vector<erased_input> inputs = now.inputs;
    if (const std::optional<erased_input> before = results->before())
      inputs.push_back(*before);
    part.inputs = inputs;
    part.first = now.first;
    part.extents = extents;
    part.whole = call.extents;
    part.last_uses = whole == nullptr ? ~std::uint64_t(0) : 0; // they are made for this part
    {
      const std::optional<rt::untraced_kernels> traced =
          now.first == 0 ? std::nullopt : std::optional<rt::untraced_kernels>(std::in_place);
      drive(part, results->place());
    }
    part_copy done = results->take(now.count);
    std::vector<rt::transfer> copies;
    add_copy(done, copies);
    if (const rt::device_memory* const there = memory_of(done);
        whole != nullptr && there != nullptr)
      whole->keep(*there, done.bytes);
    if (!copies.empty())
      going.push_back({std::move(done), rt::exchange(where, {}, copies, parts_info)});
    coming.pop_front(); // its memory is for the next
    if (next < call.size())
      begin_part();
  }
  while (!going.empty())
    end_oldest();
  if (!results->finish()) {
    if (whole != nullptr)
      whole->finish(call.inputs, *results);
    return;
  }
  // A reduction without a first value, of what the parts came to.
  const section_base* const sections[] = {section_};
  const erased_input inputs[] = {results->input()};
  const std::int64_t extents[] = {static_cast<std::int64_t>(inputs[0].size())};
  const rt::border_value borders[1];
  drive({nullptr, sections, inputs, extents, borders, false, false, 0});
}

/// Checks the inputs' sizes, as far as they were not known before.
void driven_node::check(const driver_call& call) const {
  switch (operation_.what) {
  case operation::elementwise:
    for (const erased_input& input : call.inputs)
      check_same_size(operation_.name, call.size(), input.size());
    break;
  case operation::reduce:
    if (result_place_.initial == nullptr)
      check_not_empty(call.size());
    break;
  case operation::reduce_by_key:
    check_same_size("preduce_by_key", call.inputs[1].size(), call.inputs[0].size());
    break;
  case operation::reduce_by_index:
    check_same_size("reduce_by_index", call.inputs[1].size(), call.inputs[0].size());
    break;
  case operation::reduce_axis: {
    std::int64_t results = 1;
    for (std::size_t d = 0; d < operation_.rank; ++d)
      if (static_cast<int>(d) != operation_.axis)
        results *= operation_.shape[d];
    if (result_place_.initial == nullptr && results != 0)
      check_not_empty(call.size(), "preduce_axis");
    break;
  }
  case operation::stencil:
  case operation::select:
  case operation::scan:
  case operation::sort:
    break;
  }
}

/// Checks the inputs, and calls a driver with the output.
void driven_node::drive(const driver_call& given) {
  check(given);
  drive(given, result_place_);
}

void driven_node::drive(const driver_call& given, const rt::result_place& to) {
  rt::result_place result = to;
  if (operation_.what == operation::stencil)
    result.initial = nullptr; // it is the border's
  map_call call(given.sections, given.inputs, given.extents, result);
  call.set_borders(given.borders);
  call.set_exclusive(operation_.exclusive);
  call.set_axis(operation_.axis);
  call.set_bins(operation_.bins);
  if (!given.whole.empty())
    call.set_part(given.first, given.whole);
  call.set_last_uses(given.last_uses);
  if (given.room != nullptr) {
    const std::size_t bytes = given.size() * result_bytes();
    rt::ask_for_huge_pages(given.room, bytes);
    call.set_room(given.room, bytes);
  }
  std::unique_ptr<rt::user_loop> in_place;
  if (given.run == nullptr && runs_in_place()) {
    in_place = code_in_place_({operation_, *section_, inputs_, neighbourhood_.get(), to});
    call.set_in_place(*in_place);
  }
  if (keys_)
    keys_->ask(call);
  if (given.run != nullptr)
    given.run(call);
  else
    rt::run_driver(*type_->last, type_->run, call);
  if (keys_)
    keys_->deliver();
  keys_.reset();
}

} // namespace ikra::detail
