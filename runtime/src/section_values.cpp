// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ikra/generated/section_values.hpp>

#include <ikra/generated/horizontal.hpp>
#include <ikra/generated/shared_section.hpp>

#include <memory>
#include <utility>

namespace ikra::detail {

struct driven_node::driver_call {
  void (*run)(map_call&); ///< null: the section's own driver, or that of another file
  std::span<const section_base* const> stages;
  std::span<const erased_input> inputs;
  std::span<const std::int64_t> extents;
  std::span<const rt::border_value> borders; ///< of each stage
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

driven_node::~driven_node() { drop_section(); }

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
  rt::section_node* const node =
      input == nullptr || input->computed() ? nullptr : input->as_section();
  auto* const below = static_cast<driven_node*>(node); // there are no others
  if (input != nullptr && !input->computed() && (below == nullptr || below->chain_ == 0))
    return; // it may have to be asked for
  chain_ = below == nullptr ? 1 : below->chain_ + 1;
  kept_ = (below == nullptr ? 0 : below->kept_) + (inputs_.size() > 1 ? 1 : 0);
  // The variable that the program makes it of still holds its input; what lies below that is
  // computed, unless somebody else holds it.
  if ((chain_ < longest + 2 && kept_ < most_kept + 2) || below->chain_ < 2 ||
      owners_of_source(0) > 2 || below->owners_of_source(0) > 1)
    return;
  try {
    evaluate(*below->inputs_[0]);
  } catch (...) {
    // Kept by the command that failed, and thrown when the program asks for what depends on it.
  }
  below->chain_ = 1;
  below->kept_ = below->inputs_.size() > 1 ? 1 : 0;
  chain_ = 2;
  kept_ = below->kept_ + (inputs_.size() > 1 ? 1 : 0);
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
  driver_call call{tree.code(), tree.stages(), inputs, tree.extents(), borders, tree.last_uses()};
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
  driver_call call{nullptr, stages, inputs, extents(), borders, last_uses};
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
  drive(call);
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
  rt::result_place result = result_place_;
  if (operation_.what == operation::stencil)
    result.initial = nullptr; // it is the border's
  map_call call(given.stages, given.inputs, given.extents, result);
  call.set_borders(given.borders);
  call.set_exclusive(operation_.exclusive);
  call.set_axis(operation_.axis);
  call.set_last_uses(given.last_uses);
  const std::unique_ptr<key_receiver> keys = std::move(keys_);
  if (keys)
    keys->ask(call);
  if (given.run != nullptr)
    given.run(call);
  else
    rt::run_driver(*type_->last, type_->run, call);
  if (keys)
    keys->deliver();
}

} // namespace ikra::detail
