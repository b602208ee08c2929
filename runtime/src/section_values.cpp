// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ikra/generated/section_values.hpp>

#include <ikra/generated/device.hpp>
#include <ikra/generated/horizontal.hpp>
#include <ikra/generated/session_base.hpp>
#include <ikra/generated/shared_section.hpp>

#include "host_copy.hpp"
#include "resident.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ikra::detail {

struct driven_node::driver_call {
  void (*run)(map_call&); ///< null: the section's own driver, or that of another file
  std::span<const section_base* const> stages;
  std::span<const erased_input> inputs;
  std::span<const std::int64_t> extents;
  std::span<const rt::border_value> borders; ///< of each stage
  bool in_parts = false;                     ///< all stages may be computed for parts
  std::uint64_t last_uses = 0; ///< a bit for each input whose elements nothing reads any more

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

/// IKRA_STREAM: whether arrays are computed in parts.
enum class parting_when { never, needed, always };

constexpr std::size_t part_of_tests = 1000; ///< elements, of IKRA_STREAM=always
/// Inputs and results of a part: long enough for launches not to count, and short beside the array,
/// since the first part's inputs and the last one's results come alone.
constexpr std::size_t bytes_of_part = std::size_t(128) << 20;
/// A GPU is asked for its free memory only if so much is needed: that takes as long as a launch.
constexpr std::size_t much = std::size_t(64) << 20;

parting_when parting() {
  static const parting_when when = [] {
    const char* const wish = std::getenv("IKRA_STREAM");
    const std::string_view text = wish == nullptr ? "" : wish;
    if (text.empty() || text == "auto")
      return parting_when::needed;
    if (text == "off")
      return parting_when::never;
    if (text == "always")
      return parting_when::always;
    throw error(error_kind::unsupported, "IKRA_STREAM is '" + std::string(text) +
                                             "'; set it to auto, off or always, or unset it");
  }();
  return when;
}

} // namespace

driven_node::~driven_node() { drop_section(); }

bool driven_node::runs_in_place() const {
  return code_in_place_ != nullptr && type_->in_place &&
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

void driven_node::shorten_chain() {
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
      owners_of_source(0) > 2 || below->owners_of_source(0) > 1)
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

/// The tree that ends with it. Asked for before its leaves are computed and behind that, when
/// mostly nothing has changed.
const rt::fused_tree& driven_node::fusion() {
  if (!fusion_ || !*fusion_ || !fusion_->is_still_open())
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
  if (tree.horizontal_code() != nullptr)
    return compute_storing(tree);
  const std::vector<erased_input> inputs = tree.inputs();
  const std::vector<rt::border_value> borders = tree.at_border();
  driver_call call{tree.code(), tree.stages(),        inputs,          tree.extents(),
                   borders,     tree.may_be_parted(), tree.last_uses()};
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
  const section_base* const stages[] = {section_};
  const rt::border_value borders[] = {at_border()};
  std::uint64_t last_uses = 0;
  for (std::size_t k = 0; k < inputs.size() && k < 64; ++k)
    if (owners_of_source(k) == 1)
      last_uses |= std::uint64_t(1) << k;
  driver_call call{nullptr, stages, inputs, extents(), borders, may_be_parted(), last_uses};
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
  if (call.in_parts && parting() == parting_when::always && call.size() > part_of_tests)
    return drive_in_parts(call, part_of_tests);
  // Nothing is uploaded in vain.
  if (call.in_parts && parting() == parting_when::needed && exceeds_memory(call) &&
      drive_in_parts(call))
    return;
  try {
    drive(call);
  } catch (const error& failed) {
    if (failed.kind() != error_kind::out_of_memory || !rt::current_device().is_cuda())
      throw;
    if (call.in_parts && parting() == parting_when::needed && drive_in_parts(call))
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
  if (bytes < much || !rt::current_device().is_cuda())
    return false;
  if (operation_.what != operation::reduce && call.last_uses == 0)
    bytes += call.size() * result_bytes();
  return bytes > rt::current_device().available();
}

/// In parts that fit the device's memory. \returns false, with nothing done, if there is no such
/// size
bool driven_node::drive_in_parts(const driver_call& call) {
  constexpr std::size_t least = 65536; // smaller ones take longer than all cores do
  std::size_t bytes = operation_.what == operation::reduce ? 0 : result_bytes();
  for (const erased_input& input : call.inputs) {
    static_cast<void>(input.data());
    input.forget_remote(); // what came to the device before memory ran out
    bytes += input.element_bytes();
  }
  // Two parts are there at a time, and what launches need.
  const std::size_t fitting = rt::current_device().available() / (2 * bytes + 1);
  for (std::size_t elements =
           std::min({call.size(), fitting, bytes_of_part / std::max<std::size_t>(bytes, 1)});
       elements >= least; elements /= 2)
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
  /// Takes memory of the device for them. \returns what is to be copied there
  std::vector<rt::transfer> take_memory(rt::device& where) const {
    std::vector<rt::transfer> copies;
    for (const erased_input& input : inputs) {
      const std::size_t bytes = input.size() * input.element_bytes();
      if (bytes == 0)
        continue;
      rt::device_memory memory(where, bytes, "part of an input array", parts_info);
      copies.push_back({memory.data(), input.data(), bytes});
      input.also_at(std::make_shared<rt::device_elements>(std::move(memory), parts_info));
    }
    return copies;
  }
};

/// The results of a part are to come back.
void add_copy(const part_copy& copy, std::vector<rt::transfer>& copies) {
  if (copy.from == nullptr)
    return;
  if (const auto* there = dynamic_cast<const rt::device_elements*>(copy.from.get()))
    copies.push_back({copy.to, there->memory().data(), copy.bytes});
  else
    copy.from->fetch(copy.to, copy.bytes);
}

} // namespace

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  rt::copy_on_all_cores(to, from, bytes);
}

namespace {

/// Exchanges of memory that were begun. Whatever happens, none goes on after its memory is given
/// back.
class exchanges {
public:
  explicit exchanges(rt::device& where) : where_(where) {}
  exchanges(const exchanges&) = delete;
  exchanges& operator=(const exchanges&) = delete;
  ~exchanges() {
    for (; count_ != 0; --count_, numbers_[0] = numbers_[1])
      where_.drop_exchange(numbers_[0]);
  }
  /// At most two go on.
  void begin(std::span<const rt::transfer> in, std::span<const rt::transfer> out, bool more) {
    numbers_[count_] = where_.begin_exchange(in, out, more, parts_info);
    ++count_;
  }
  /// Of the first that was begun.
  void end() {
    const std::uint64_t first = std::exchange(numbers_[0], numbers_[1]);
    --count_; // it is ended even if it failed
    where_.end_exchange(first, parts_info);
  }

private:
  rt::device& where_;
  std::uint64_t numbers_[2] = {};
  std::size_t count_ = 0;
};

} // namespace

/// While a part is computed, the next one's inputs come to the device, and the results of the one
/// before come back. Two exchanges go on at a time, so there is always something to be copied.
void driven_node::drive_in_parts(const driver_call& call, std::size_t elements) {
  check(call);
  rt::device& where = rt::current_device();
  const std::unique_ptr<parted_results> results = parts(operation_, call.size());
  std::optional<part_of_inputs> now, next;
  part_copy done, coming; // of the last part, and of the one before, which is on its way
  std::vector<rt::transfer> in, out;
  exchanges copies(where);
  const auto begin_part = [&](std::size_t first) {
    next.emplace(call.inputs, first, std::min(elements, call.size() - first));
    if (where.is_cuda())
      in = next->take_memory(where);
  };
  where.make_current(parts_info);
  if (call.size() != 0) {
    begin_part(0);
    copies.begin(in, {}, true);
  }
  while (next) {
    now = std::move(next);
    next.reset();
    in.clear();
    if (const std::size_t first = now->first + now->count; first < call.size())
      begin_part(first);
    out.clear();
    add_copy(done, out);
    copies.begin(in, out, true);
    copies.end(); // that with inputs of this part
    coming = std::exchange(done, {});
    const std::int64_t extents[] = {static_cast<std::int64_t>(now->count)};
    driver_call part = call;
    part.inputs = now->inputs;
    part.extents = extents;
    part.last_uses = ~std::uint64_t(0); // they are made for this part
    drive(part, results->place());
    done = results->take(now->count);
  }
  if (call.size() != 0) {
    out.clear();
    add_copy(done, out);
    copies.begin({}, out, false);
    copies.end();
    copies.end();
  }
  if (!results->finish())
    return;
  // A reduction without a first value, of what the parts came to.
  const section_base* const stages[] = {section_};
  const erased_input inputs[] = {results->input()};
  const std::int64_t extents[] = {static_cast<std::int64_t>(inputs[0].size())};
  const rt::border_value borders[1];
  drive({nullptr, stages, inputs, extents, borders, false, 0});
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
  map_call call(given.stages, given.inputs, given.extents, result);
  call.set_borders(given.borders);
  call.set_exclusive(operation_.exclusive);
  call.set_axis(operation_.axis);
  call.set_bins(operation_.bins);
  call.set_last_uses(given.last_uses);
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
