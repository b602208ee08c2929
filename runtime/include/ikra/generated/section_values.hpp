// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands that pcombine, pnew, pstencil, preduce and pselect make of generated sections.
// Inputs, captured arrays and checks are those of the plain library's commands (ikra/commands.hpp);
// instead of a loop there is a call of the section's driver.
#pragma once

#include <ikra/commands.hpp>
#include <ikra/generated/call.hpp>
#include <ikra/generated/section_map.hpp>
#include <ikra/index.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace ikra::detail {

/// Has a section's driver compute the result.
template <class Tag, class Section, class Out, class... In>
class driven_command : public section_command<Out, Section, In...> {
protected:
  using section_command<Out, Section, In...>::section_command;

  /// \param shape of the operation's arrays; unknown if an input's size is only known now.
  /// \param initial what a reduction starts with, if it was given something.
  template <int R, class... Initial>
  void run(const ikra::index<R>& shape, const Initial&... initial) {
    [&, this]<std::size_t... I>(std::index_sequence<I...>) {
      const section_base* const stages[] = {&this->section()};
      const std::array<erased_input, sizeof...(In)> inputs{
          erased_input(this->template input<I>())...};
      std::array<std::int64_t, R> extents = extents_of(shape);
      if constexpr (R == 1 && sizeof...(In) > 0)
        extents[0] = static_cast<std::int64_t>(inputs[0].size());
      map_call call(stages, inputs, extents, this->result_, initial...);
      section_code<Tag>::run(call);
    }(std::index_sequence_for<In...>());
  }
};

/// pcombine and pnew: one result a place.
template <class Tag, class Section, class Out, int R, class... In>
class section_places final : public driven_command<Tag, Section, Out, In...> {
public:
  section_places(const char* operation, const ikra::index<R>& shape, Section section,
                 std::shared_ptr<command<In>>... inputs)
      : driven_command<Tag, Section, Out, In...>(std::move(section), std::move(inputs)...),
        operation_(operation), shape_(shape) {}

  void compute() override {
    if constexpr (sizeof...(In) > 0)
      [this]<std::size_t... I>(std::index_sequence<I...>) {
        check_same_size(operation_, this->template input<I>().size()...);
      }(std::index_sequence_for<In...>());
    this->run(shape_);
  }

private:
  const char* operation_;
  ikra::index<R> shape_;
};

/// pstencil. The driver knows the neighbourhood and the border.
/// \tparam Outside a value of type Out, or the border's type
template <class Tag, class Section, class Out, class Outside, int R, class In>
class section_stencil final : public driven_command<Tag, Section, Out, In> {
public:
  section_stencil(const ikra::index<R>& shape, Outside outside, Section section,
                  std::shared_ptr<command<In>> input)
      : driven_command<Tag, Section, Out, In>(std::move(section), std::move(input)), shape_(shape),
        outside_(std::move(outside)) {}

  void compute() override {
    if constexpr (std::is_same_v<Outside, Out>)
      this->run(shape_, outside_);
    else
      this->run(shape_);
  }

private:
  ikra::index<R> shape_;
  Outside outside_;
};

/// preduce, with or without a first value.
template <class Tag, class Section, class Out, class In>
class section_reduce final : public driven_command<Tag, Section, Out, In> {
public:
  section_reduce(std::optional<Out> init, Section section, std::shared_ptr<command<In>> input)
      : driven_command<Tag, Section, Out, In>(std::move(section), std::move(input)),
        init_(std::move(init)) {}

  void compute() override {
    const std::size_t size = this->template input<0>().size();
    const ikra::index<1> flat(size);
    if (init_) {
      this->run(flat, *init_);
    } else {
      check_not_empty(size);
      this->run(flat);
    }
  }

private:
  std::optional<Out> init_;
};

/// pselect.
template <class Tag, class Section, class T, int R>
class section_select final : public driven_command<Tag, Section, T, T> {
public:
  section_select(const ikra::index<R>& shape, Section section, std::shared_ptr<command<T>> input)
      : driven_command<Tag, Section, T, T>(std::move(section), std::move(input)), shape_(shape) {}

  void compute() override { this->run(shape_); }

private:
  ikra::index<R> shape_;
};

/// A new command, as what arrays hold.
template <class Out, class Node, class... Args>
std::shared_ptr<command<Out>> make_node(Args&&... args) {
  return std::make_shared<Node>(std::forward<Args>(args)...);
}

} // namespace ikra::detail
