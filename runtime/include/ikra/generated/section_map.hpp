// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command that pmap makes of a generated section. It looks in its section's fusion table for
// the longest chain of uncomputed sections below it; if there is one, it depends on the input of
// the whole chain, and the commands between are not computed (ARRAY'17, section 4: what was planned
// at compile time is looked up at run time).
#pragma once

#include <ikra/command.hpp>
#include <ikra/generated/call.hpp>
#include <ikra/index.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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
    std::array<std::int64_t, R> extents = extents_of(shape_);
    if constexpr (R == 1)
      extents[0] = static_cast<std::int64_t>(input.size()); // not known before after pselect
    map_call call(stages, {&input, 1}, extents, this->result_);
    code(call);
  }

  std::optional<Section> section_;
  std::shared_ptr<command<In>> input_;
  ikra::index<R> shape_;
};

} // namespace detail
} // namespace ikra
