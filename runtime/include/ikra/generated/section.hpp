// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functor that stands where the user wrote a lambda, and the map command that it makes. A map
// command looks in its section's fusion table for the longest chain of uncomputed sections below
// it; if there is one, it depends on the input of the whole chain, and the commands between are not
// computed (ARRAY'17, section 4: what was planned at compile time is looked up at run time).
#pragma once

#include <ikra/command.hpp>
#include <ikra/generated/call.hpp>
#include <ikra/index.hpp>
#include <ikra/section.hpp>

#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace ikra {

namespace rt {

/// A map command as its consumer's fusion table sees it.
class map_node {
public:
  virtual section_key key() const = 0;
  virtual const section_base& captures() const = 0;
  /// The input's command; null once it was released.
  virtual ikra::detail::command_base* source() const = 0;
  virtual ikra::detail::erased_input source_buffer() const = 0;

protected:
  ~map_node() = default;
};

/// A chain that a fusion table covers.
struct fused_chain {
  const fusion* entry = nullptr;           ///< null: nothing to fuse
  const map_node* first = nullptr;         ///< reads the chain's input
  std::vector<const section_base*> stages; ///< the last section first
};

/// \returns the first entry of the table whose chain of sections lies below `last`, uncomputed.
fused_chain find_fusion(std::span<const fusion> table, const map_node& last);

} // namespace rt

namespace detail {

template <class Tag> std::span<const fusion> fusions_of() {
  if constexpr (requires { section_code<Tag>::fusions(); })
    return section_code<Tag>::fusions();
  else
    return {};
}

/// pmap with a section that was compiled by ikrac.
template <class Tag, class Section, class Out, class In, int R>
class section_map final : public command<Out>, public rt::map_node {
public:
  section_map(Section section, std::shared_ptr<command<In>> input, const ikra::index<R>& shape)
      : section_(std::move(section)), input_(std::move(input)), shape_(shape) {}

  void collect_pending(std::vector<command_base*>& out) override {
    command_base* needed = input_.get();
    if (needed == nullptr) // computing failed: what it threw is kept
      return;
    if (!needed->computed())
      if (const rt::fused_chain chain = rt::find_fusion(fusions_of<Tag>(), *this); chain.entry)
        needed = chain.first->source();
    if (!needed->computed())
      out.push_back(needed);
  }

  void compute() override {
    if (!input_->computed()) {
      const rt::fused_chain chain = rt::find_fusion(fusions_of<Tag>(), *this);
      if (chain.entry && chain.first->source()->computed()) {
        run(chain.entry->run, chain.stages, chain.first->source_buffer());
        return;
      }
      evaluate(*input_); // part of the chain was computed since collect_pending looked
    }
    const section_base* const stages[] = {&*section_};
    run(&section_code<Tag>::run, stages, source_buffer());
  }

  void release_inputs(std::vector<std::shared_ptr<command_base>>& out) override {
    if (input_)
      out.push_back(std::move(input_));
    section_.reset();
  }

  section_key key() const override { return key_of<Tag>; }
  const section_base& captures() const override { return *section_; }
  command_base* source() const override { return input_.get(); }
  erased_input source_buffer() const override { return erased_input(input_->result()); }

private:
  void run(void (*code)(map_call&), std::span<const section_base* const> stages,
           const erased_input& input) {
    std::array<std::int64_t, R> extents{};
    for (int d = 0; d < R; ++d)
      extents[static_cast<std::size_t>(d)] = shape_[d];
    if constexpr (R == 1)
      extents[0] = static_cast<std::int64_t>(input.size()); // not known before after pselect
    map_call call(stages, input, extents, this->result_);
    code(call);
  }

  std::optional<Section> section_;
  std::shared_ptr<command<In>> input_;
  ikra::index<R> shape_;
};

} // namespace detail

/// A parallel section compiled by ikrac: what emitted code hands to pmap and peach in place of the
/// user's lambda.
template <class Tag, class Signature, class... Captures> class section;

template <class Tag, class R, class... Args, class... Captures>
class section<Tag, R(Args...), Captures...> final : public section_base {
public:
  using ikra_section_tag = Tag;

  explicit section(Captures... captures) : captures_(std::move(captures)...) {}

  /// Never called: from here the library deduces the type of the results.
  R operator()(Args...) const;

  const void* capture(std::size_t k) const override {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      const void* result = nullptr;
      ((k == I ? void(result = std::addressof(std::get<I>(captures_))) : void()), ...);
      return result;
    }(std::index_sequence_for<Captures...>());
  }

  /// pmap's hook. \param input its command; \param shape of the array.
  template <class T, int Rank, class WithIndex>
  static auto make_map(section f, std::shared_ptr<detail::command<T>> input,
                       const index<Rank>& shape, WithIndex) {
    using out = detail::section_result_t<WithIndex::value, Rank, section, T>;
    std::shared_ptr<detail::command<out>> result =
        std::make_shared<detail::section_map<Tag, section, out, T, Rank>>(std::move(f),
                                                                          std::move(input), shape);
    return result;
  }

  /// peach's hook: runs at once. \param ticks number of times; <= 0: nothing happens.
  template <class T, int Rank, class WithIndex>
  static void peach(const section& f, const std::shared_ptr<detail::command<T>>& input,
                    const index<Rank>& shape, std::int64_t ticks, WithIndex) {
    if (ticks <= 0)
      return;
    detail::evaluate(*input);
    std::array<std::int64_t, Rank> extents{};
    for (int d = 0; d < Rank; ++d)
      extents[static_cast<std::size_t>(d)] = shape[d];
    const section_base* const stages[] = {&f};
    peach_call call(stages, detail::erased_input(input->result()), extents, ticks);
    if constexpr (Rank == 1)
      extents[0] = static_cast<std::int64_t>(input->result().size());
    section_code<Tag>::run(call);
  }
  /// The same for arrays of rank 1, whose shape is known from the input.
  template <class T, class WithIndex>
  static void peach(const section& f, const std::shared_ptr<detail::command<T>>& input,
                    std::int64_t ticks, WithIndex with_index) {
    peach<T>(f, input, index<1>(std::int64_t{0}), ticks, with_index);
  }

private:
  std::tuple<Captures...> captures_;
};

/// \param captures by value, in the order in which the driver asks for them.
template <class Tag, class Signature, class... Captures> auto make_section(Captures... captures) {
  return section<Tag, Signature, Captures...>(std::move(captures)...);
}

} // namespace ikra
