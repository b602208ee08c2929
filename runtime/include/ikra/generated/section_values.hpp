// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands that operations make of generated sections. Inputs, captured arrays and checks are
// those of the plain library's commands (ikra/commands.hpp); instead of a loop there is a call of
// the section's driver, or of that of a tree of uncomputed sections below it (fusion.hpp).
#pragma once

#include <ikra/commands.hpp>
#include <ikra/commands_order.hpp>
#include <ikra/generated/call.hpp>
#include <ikra/generated/fusion.hpp>
#include <ikra/generated/shared_section.hpp>
#include <ikra/generated/together.hpp>
#include <ikra/index.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::detail {

/// Extents as calls have them.
template <int R> std::array<std::int64_t, R> extents_of(const ikra::index<R>& shape) {
  std::array<std::int64_t, R> extents{};
  for (int d = 0; d < R; ++d)
    extents[static_cast<std::size_t>(d)] = shape[d];
  return extents;
}

template <class Tag> std::span<const fusion> fusions_of() {
  if constexpr (requires { section_code<Tag>::fusions(); })
    return section_code<Tag>::fusions();
  else
    return {};
}

template <class Tag> const loop* loop_of() {
  if constexpr (requires { section_code<Tag>::sequences(); })
    return section_code<Tag>::sequences();
  else
    return nullptr;
}

/// Whether a section has its code as the user wrote it.
template <class Section>
concept has_user_code = requires(const Section& s) { s.user_code(); };

/// What a driver is to be called with, but for the output.
struct driver_call {
  void (*run)(map_call&);
  std::span<const section_base* const> stages;
  std::span<const erased_input> inputs;
  std::span<const std::int64_t> extents;
  std::span<const rt::border_value> borders; ///< of each stage

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

/// Has a section's driver compute the result, or that of a tree that ends with the section.
template <class Tag, class Section, class Out, class... In>
class driven_command : public section_command<Out, Section, In...>, public rt::section_node {
  using base = section_command<Out, Section, In...>;

public:
  void collect_pending(std::vector<command_base*>& out) override {
    if (companions_ && companions_->collect_pending(out))
      return;
    if (const rt::fused_tree tree = fusion())
      tree.collect_pending(out);
    else
      base::collect_pending(out);
  }

  void compute() override {
    if (companions_ && companions_->compute(*this))
      return;
    if (!compute_fused())
      compute_alone(std::index_sequence_for<In...>());
  }

  section_key key() const override { return key_of<Tag>; }
  bool is_open() const override { return this->has_section(); }
  const section_base& captures() const override { return this->section(); }
  command_base* source(std::size_t k) const override {
    command_base* found = nullptr;
    each_input([&](std::size_t i, const auto& input) {
      if (i == k)
        found = input.get();
    });
    return found;
  }
  bool is_source_shared(std::size_t k) const override {
    bool shared = false;
    each_input([&](std::size_t i, const auto& input) {
      if (i == k)
        shared = input.use_count() > 1;
    });
    return shared;
  }
  erased_input source_buffer(std::size_t k) const override {
    std::optional<erased_input> found;
    each_input([&](std::size_t i, const auto& input) {
      if (i == k)
        found.emplace(input->result());
    });
    return *found;
  }
  void collect_captures(std::vector<command_base*>& out) const override {
    this->collect_captured(out);
  }
  rt::result_place place() override { return {&this->result_, &typeid(Out), initial()}; }
  void set_computed_beside() override {
    this->set_computed();
    std::vector<std::shared_ptr<command_base>> inputs;
    this->release_inputs(inputs);
    for (std::shared_ptr<command_base>& input : inputs)
      drop(std::move(input));
  }
  void accompany(std::shared_ptr<rt::companions> group) override { companions_ = std::move(group); }
  void release_inputs(std::vector<std::shared_ptr<command_base>>& out) override {
    companions_.reset();
    base::release_inputs(out);
  }

protected:
  using base::base;

  /// What a reduction starts with; null for other commands.
  virtual const Out* initial() const { return nullptr; }

  /// Checks the inputs, and calls a driver with the output.
  virtual void drive(const driver_call& call) = 0;

  /// Has the plain library compute the result, where the section has the user's code.
  virtual void run_user_code() = 0;

  /// The command of the I-th input.
  template <std::size_t I> const auto& input_node() const { return base::template source<I>(); }

  template <class Run> void with_user_code(const Run& run) {
    if constexpr (has_user_code<Section>)
      run(this->section().user_code());
  }
  /// Computes by a command of the plain library. \tparam Command of the user's code
  template <class Command, class... Arguments> void compute_by(Arguments&&... arguments) {
    Command plain(std::forward<Arguments>(arguments)...);
    plain.compute();
    this->result_ = std::move(plain.result());
  }

private:
  template <class F> void each_input(const F& f) const {
    [&, this]<std::size_t... I>(std::index_sequence<I...>) {
      (f(I, base::template source<I>()), ...);
    }(std::index_sequence_for<In...>());
  }

  rt::fused_tree fusion() const {
    return rt::fused_tree::find(fusions_of<Tag>(), loop_of<Tag>(), *this);
  }

  /// \returns false where there is no fused kernel, or no file that has one knows the classes of
  /// all objects: other files' drivers know single sections, which are computed step by step.
  bool compute_fused() {
    const rt::fused_tree tree = fusion();
    if (!tree || !tree.is_ready())
      return false;
    const std::vector<erased_input> inputs = tree.inputs();
    const std::vector<rt::border_value> borders = tree.at_border();
    try {
      call_driver(tree.code(), tree.stages(), inputs, tree.extents(), borders);
      return true;
    } catch (const rt::unknown_class&) {
      return false;
    }
  }

  template <std::size_t... I> void compute_alone(std::index_sequence<I...>) {
    // Where a tree was found when collect_pending looked, it may not fit any more.
    (evaluate(*base::template source<I>()), ...);
    const section_base* const stages[] = {&this->section()};
    const std::array<erased_input, sizeof...(In)> inputs{
        erased_input(this->template input<I>())...};
    const rt::border_value borders[] = {this->at_border()};
    const auto run = [&] {
      call_driver(&rt::run_section_code<Tag, map_call>, stages, inputs, this->extents(), borders);
    };
    if constexpr (has_user_code<Section>) {
      try {
        run();
        return;
      } catch (const rt::unknown_class& met) {
        rt::begin_user_code(met);
      }
      run_user_code();
    } else {
      run();
    }
  }

  void call_driver(void (*run)(map_call&), std::span<const section_base* const> stages,
                   std::span<const erased_input> inputs, std::span<const std::int64_t> shape,
                   std::span<const rt::border_value> borders) {
    std::vector<std::int64_t> known(shape.begin(), shape.end());
    if (known.empty())
      known.push_back(0);
    if (known.size() == 1 && !inputs.empty()) // not known before, after pselect
      known[0] = static_cast<std::int64_t>(inputs[0].size());
    drive({run, stages, inputs, known, borders});
  }

  std::shared_ptr<rt::companions> companions_; ///< null: it is computed by itself
};

/// pmap, pcombine and pnew: one result a place.
template <class Tag, class Section, bool WithIndex, class Out, int R, class... In>
class section_places final : public driven_command<Tag, Section, Out, In...> {
public:
  section_places(const char* operation, const ikra::index<R>& shape, Section section,
                 std::shared_ptr<command<In>>... inputs)
      : driven_command<Tag, Section, Out, In...>(std::move(section), std::move(inputs)...),
        operation_(operation), shape_(shape), extents_(extents_of(shape)) {}

  std::span<const std::int64_t> extents() const override { return extents_; }

private:
  void drive(const driver_call& given) override {
    for (const erased_input& input : given.inputs)
      check_same_size(operation_, given.size(), input.size());
    map_call call(given.stages, given.inputs, given.extents, this->result_);
    call.set_borders(given.borders);
    given.run(call);
  }

  void run_user_code() override { run_user_code(std::index_sequence_for<In...>()); }
  template <std::size_t... I> void run_user_code(std::index_sequence<I...>) {
    this->with_user_code([this]<class Code>(const Code& code) {
      this->template compute_by<map_command<WithIndex, R, Out, Code, In...>>(
          operation_, shape_, code, this->template input_node<I>()...);
    });
  }

  const char* operation_;
  ikra::index<R> shape_;
  std::array<std::int64_t, R> extents_;
};

/// pstencil. The driver knows the neighbourhood and the border.
/// \tparam Outside a value of type Out, or the border's type
template <class Tag, class Section, bool WithIndex, class Out, class Outside, int R, class In>
class section_stencil final : public driven_command<Tag, Section, Out, In> {
public:
  section_stencil(const ikra::index<R>& shape, std::vector<ikra::index<R>> neighbourhood,
                  Outside outside, Section section, std::shared_ptr<command<In>> input)
      : driven_command<Tag, Section, Out, In>(std::move(section), std::move(input)), shape_(shape),
        extents_(extents_of(shape)), outside_(std::move(outside)) {
    if constexpr (has_user_code<Section>)
      neighbourhood_ = std::move(neighbourhood);
  }

  std::span<const std::int64_t> extents() const override { return extents_; }
  rt::border_value at_border() const override {
    if constexpr (std::is_same_v<Outside, Out>)
      return {&outside_, &typeid(Out)};
    else
      return {};
  }

private:
  void drive(const driver_call& given) override {
    map_call call(given.stages, given.inputs, given.extents, this->result_);
    call.set_borders(given.borders);
    given.run(call);
  }

  void run_user_code() override {
    this->with_user_code([this]<class Code>(const Code& code) {
      this->template compute_by<stencil_command<WithIndex, R, Out, Outside, Code, In>>(
          shape_, neighbourhood_, outside_, code, this->template input_node<0>());
    });
  }

  ikra::index<R> shape_;
  std::array<std::int64_t, R> extents_;
  std::vector<ikra::index<R>> neighbourhood_; ///< where it has the user's code
  Outside outside_;
};

/// preduce, with or without a first value.
template <class Tag, class Section, class Out, class In>
class section_reduce final : public driven_command<Tag, Section, Out, In> {
public:
  section_reduce(std::optional<Out> init, Section section, std::shared_ptr<command<In>> input)
      : driven_command<Tag, Section, Out, In>(std::move(section), std::move(input)),
        init_(std::move(init)) {}

  std::span<const std::int64_t> extents() const override { return {}; }

private:
  const Out* initial() const override { return init_ ? &*init_ : nullptr; }

  void drive(const driver_call& given) override {
    if (init_) {
      map_call call(given.stages, given.inputs, given.extents, this->result_, *init_);
      given.run(call);
    } else {
      check_not_empty(given.size());
      map_call call(given.stages, given.inputs, given.extents, this->result_);
      given.run(call);
    }
  }

  void run_user_code() override {
    this->with_user_code([this]<class Code>(const Code& code) {
      this->template compute_by<reduce_command<Out, Code, In>>(init_, code,
                                                               this->template input_node<0>());
    });
  }

  std::optional<Out> init_;
};

/// pselect.
template <class Tag, class Section, bool WithIndex, class T, int R>
class section_select final : public driven_command<Tag, Section, T, T> {
public:
  section_select(const ikra::index<R>& shape, Section section, std::shared_ptr<command<T>> input)
      : driven_command<Tag, Section, T, T>(std::move(section), std::move(input)), shape_(shape),
        extents_(extents_of(shape)) {}

  std::span<const std::int64_t> extents() const override { return extents_; }

private:
  void drive(const driver_call& given) override {
    map_call call(given.stages, given.inputs, given.extents, this->result_);
    given.run(call);
  }

  void run_user_code() override {
    this->with_user_code([this]<class Code>(const Code& code) {
      this->template compute_by<select_command<WithIndex, R, Code, T>>(
          shape_, code, this->template input_node<0>());
    });
  }

  ikra::index<R> shape_;
  std::array<std::int64_t, R> extents_;
};

/// Calls a driver whose section may start with a value. \param prepare is called with the call
/// before
template <class Out, class Prepare>
void call_from(const driver_call& given, buffer<Out>& result, const std::optional<Out>& init,
               const Prepare& prepare) {
  map_call call = init ? map_call(given.stages, given.inputs, given.extents, result, *init)
                       : map_call(given.stages, given.inputs, given.extents, result);
  prepare(call);
  given.run(call);
}

/// pscan and pscan_exclusive, with or without a first value.
template <class Tag, class Section, class Out, class In>
class section_scan final : public driven_command<Tag, Section, Out, In> {
public:
  section_scan(std::optional<Out> init, bool exclusive, Section section,
               std::shared_ptr<command<In>> input)
      : driven_command<Tag, Section, Out, In>(std::move(section), std::move(input)),
        init_(std::move(init)), exclusive_(exclusive) {}

  std::span<const std::int64_t> extents() const override { return {}; }

private:
  void drive(const driver_call& given) override {
    call_from(given, this->result_, init_,
              [this](map_call& call) { call.set_exclusive(exclusive_); });
  }

  void run_user_code() override {
    this->with_user_code([this]<class Code>(const Code& code) {
      this->template compute_by<scan_command<Out, Code, In>>(init_, exclusive_, code,
                                                             this->template input_node<0>());
    });
  }

  std::optional<Out> init_;
  bool exclusive_;
};

/// psort(before).
template <class Tag, class Section, class T>
class section_sort final : public driven_command<Tag, Section, T, T> {
public:
  section_sort(Section section, std::shared_ptr<command<T>> input)
      : driven_command<Tag, Section, T, T>(std::move(section), std::move(input)) {}

  std::span<const std::int64_t> extents() const override { return {}; }

private:
  void drive(const driver_call& given) override {
    map_call call(given.stages, given.inputs, given.extents, this->result_);
    given.run(call);
  }

  void run_user_code() override {
    this->with_user_code([this]<class Code>(const Code& code) {
      this->template compute_by<sort_command<T, Code>>(code, this->template input_node<0>());
    });
  }
};

/// The results of preduce_by_key.
template <class Tag, class Section, class T, class Key>
class section_reduce_by_key final : public driven_command<Tag, Section, T, Key, T> {
public:
  section_reduce_by_key(Section section, std::shared_ptr<command<Key>> keys,
                        std::shared_ptr<command<T>> input, std::shared_ptr<found_keys<Key>> found)
      : driven_command<Tag, Section, T, Key, T>(std::move(section), std::move(keys),
                                                std::move(input)),
        found_(std::move(found)) {}

  std::span<const std::int64_t> extents() const override { return {}; }

private:
  void drive(const driver_call& given) override {
    check_same_size("preduce_by_key", given.inputs[1].size(), given.inputs[0].size());
    map_call call(given.stages, given.inputs, given.extents, this->result_);
    const std::shared_ptr<found_keys<Key>> found = std::move(found_);
    buffer<Key> keys;
    const bool are_wanted = found.use_count() > 1; // by the command of the keys
    if (are_wanted)
      call.set_keys(keys);
    given.run(call);
    if (are_wanted)
      found->put(std::move(keys));
  }

  void run_user_code() override {
    this->with_user_code([this]<class Code>(const Code& code) {
      this->template compute_by<reduce_by_key_command<T, Code, Key>>(
          code, this->template input_node<0>(), this->template input_node<1>());
    });
  }

  std::shared_ptr<found_keys<Key>> found_;
};

/// preduce_axis, with or without a first value.
template <class Tag, class Section, class Out, int R, class In>
class section_reduce_axis final : public driven_command<Tag, Section, Out, In> {
public:
  section_reduce_axis(const ikra::index<R>& shape, int axis, std::optional<Out> init,
                      Section section, std::shared_ptr<command<In>> input)
      : driven_command<Tag, Section, Out, In>(std::move(section), std::move(input)), shape_(shape),
        extents_(extents_of(shape)), axis_(axis), init_(std::move(init)) {}

  std::span<const std::int64_t> extents() const override { return extents_; }

private:
  void drive(const driver_call& given) override {
    std::int64_t results = 1;
    for (std::size_t d = 0; d < R; ++d)
      if (static_cast<int>(d) != axis_)
        results *= extents_[d];
    if (!init_ && results != 0)
      check_not_empty(given.size(), "preduce_axis");
    call_from(given, this->result_, init_, [this](map_call& call) { call.set_axis(axis_); });
  }

  void run_user_code() override {
    this->with_user_code([this]<class Code>(const Code& code) {
      this->template compute_by<reduce_axis_command<R, Out, Code, In>>(
          shape_, axis_, init_, code, this->template input_node<0>());
    });
  }

  ikra::index<R> shape_;
  std::array<std::int64_t, R> extents_;
  int axis_;
  std::optional<Out> init_;
};

/// A new command, as what arrays hold.
template <class Out, class Node, class... Args>
std::shared_ptr<command<Out>> make_node(Args&&... args) {
  return std::make_shared<Node>(std::forward<Args>(args)...);
}

} // namespace ikra::detail
