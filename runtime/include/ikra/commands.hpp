// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The array commands of the plain library, one class for each way of computing (ARRAY'17, section
// 3): place by place (pnew, pmap, pcombine), stencil, reduce, select, and an array whose size has
// to be checked later. All loops are sequential and in row-major order. The other operations are in
// commands_order.hpp and gather_scatter.hpp. Relies on command.hpp, section.hpp, window.hpp.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/command.hpp>
#include <ikra/null_guard.hpp>
#include <ikra/section.hpp>
#include <ikra/window.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::detail {

/// A command that was never lazy: elements that are there.
template <class T> class value_command final : public command<T> {
public:
  explicit value_command(buffer<T> values) {
    this->result_ = std::move(values);
    this->set_computed();
  }
  void collect_pending(std::vector<command_base*>&) override {}
  void compute() override {}
  void release_inputs(std::vector<std::shared_ptr<command_base>>&) override {}
};

/// Has inputs, and gives them up once computed. Whatever their types are: what differs between the
/// commands of sections is kept small, because each is compiled anew.
template <class Out> class reading_command : public command<Out> {
public:
  void collect_pending(std::vector<command_base*>& out) override { inputs_.collect_pending(out); }
  void release_inputs(std::vector<std::shared_ptr<command_base>>& out) override {
    inputs_.release(out);
  }

protected:
  command_list inputs_; ///< and after them the arrays that a section holds
};

/// The same with the types of its inputs.
template <class Out, class... In> class input_command : public reading_command<Out> {
public:
  explicit input_command(std::shared_ptr<command<In>>... inputs) {
    (this->inputs_.add(std::move(inputs)), ...);
  }

  /// The I-th input; null once this command is computed.
  template <std::size_t I> auto source() const {
    using element = std::tuple_element_t<I, std::tuple<In...>>;
    return std::static_pointer_cast<command<element>>(this->inputs_[I]);
  }

protected:
  template <std::size_t I> auto& input() const {
    using element = std::tuple_element_t<I, std::tuple<In...>>;
    return static_cast<command<element>*>(this->inputs_[I].get())->result();
  }
};

/// A section until it is dropped. Less to compile than std::optional.
template <class F> class kept_section {
public:
  /// \param captured gets the commands of the arrays that the section holds
  kept_section(F&& f, command_list& captured) {
    const capture_recorder recorder(captured.noted());
    ::new (static_cast<void*>(std::addressof(code))) F(std::move(f));
  }
  kept_section(const kept_section&) = delete;
  kept_section& operator=(const kept_section&) = delete;
  ~kept_section() { drop(); }

  const F& operator*() const { return code; }
  void drop() {
    if (std::exchange(is_there_, false))
      code.~F();
  }

private:
  union {
    F code;
  };
  bool is_there_ = true;
};

/// Has a section too, and gives it up with the inputs.
template <class Out, class F, class... In>
class section_command : public input_command<Out, In...> {
public:
  explicit section_command(F f, std::shared_ptr<command<In>>... inputs)
      : input_command<Out, In...>(std::move(inputs)...), section_(std::move(f), this->inputs_) {}

  void release_inputs(std::vector<std::shared_ptr<command_base>>& out) override {
    reading_command<Out>::release_inputs(out);
    section_.drop();
  }
  bool is_speculatable() const override { return false; } // nobody knows what the section does

protected:
  const F& section() const { return *section_; }

  /// Whether the loop has to keep note of its position, because an element may be a null pointer.
  static constexpr bool has_pointers = (std::is_pointer_v<In> || ...);

private:
  kept_section<F> section_;
};

/// \throws error of kind shape_mismatch
template <int R>
[[noreturn]] void throw_shapes_differ(const char* operation, const index<R>& a, const index<R>& b) {
  throw error(error_kind::shape_mismatch,
              text("ikra: ", operation, " of arrays of the shapes ", to_string(a), " and ",
                   to_string(b), "; it takes arrays of one shape"));
}

/// \throws error of kind shape_mismatch if inputs whose shapes were not known before have different
/// sizes
template <class... Sizes>
void check_same_size(const char* operation, std::size_t first, Sizes... further) {
  if (((further != first) || ...))
    throw error(error_kind::shape_mismatch,
                text("ikra: ", operation, " of arrays with ", first, " ", text(further, " ")...,
                     "elements; it takes arrays of one shape"));
}

/// \throws error of kind empty_reduction if there are no elements
inline void check_not_empty(std::size_t size, const char* operation = "preduce") {
  if (size == 0)
    throw error(error_kind::empty_reduction,
                text("ikra: ", operation,
                     " of an empty array has no result; give it a first value before the section"));
}

/// One result per place, from the elements of all inputs at that place.
template <bool WithIndex, int R, class Out, class F, class... In>
class map_command final : public section_command<Out, F, In...> {
public:
  /// \param operation name for messages
  /// \param shape     of the result; unknown if an input's is
  map_command(const char* operation, const index<R>& shape, F f,
              std::shared_ptr<command<In>>... inputs)
      : section_command<Out, F, In...>(std::move(f), std::move(inputs)...), operation_(operation),
        shape_(shape) {}

  void compute() override { compute(std::index_sequence_for<In...>()); }

private:
  template <std::size_t... I> void compute(std::index_sequence<I...>) {
    if constexpr (sizeof...(In) > 0) {
      const std::size_t size = this->template input<0>().size();
      check_same_size(operation_, this->template input<I>().size()...);
      if (!is_known(shape_))
        shape_[0] = static_cast<std::int64_t>(size);
    }
    const std::int64_t size = shape_.volume();
    [[maybe_unused]] const auto data = std::make_tuple(this->template input<I>().data()...);
    room<Out> out(static_cast<std::size_t>(size));
    run_plain_section<In...>(operation_, [&](loop_position& position) {
      index<R> place;
      for (std::int64_t i = 0; i < size; ++i) {
        if constexpr (section_command<Out, F, In...>::has_pointers)
          position.set(i);
        out.emplace_back(call_section<WithIndex>(this->section(), as_section_index(place),
                                                 In(std::get<I>(data)[i])...));
        if constexpr (WithIndex)
          advance(shape_, place);
      }
    });
    this->result_ = buffer<Out>(std::move(out));
  }

  const char* operation_;
  index<R> shape_;
};

/// A stencil. Where a neighbour is outside, Outside says what to do: one of the border types, or
/// the result.
template <bool WithIndex, int R, class Out, class Outside, class F, class In>
class stencil_command final : public section_command<Out, F, In> {
public:
  stencil_command(const index<R>& shape, std::vector<index<R>> neighbourhood, Outside outside, F f,
                  std::shared_ptr<command<In>> input)
      : section_command<Out, F, In>(std::move(f), std::move(input)), shape_(shape),
        neighbourhood_(std::move(neighbourhood)), outside_(std::move(outside)) {}

  void compute() override {
    if (!is_known(shape_))
      shape_[0] = static_cast<std::int64_t>(this->template input<0>().size());
    const In* data = this->template input<0>().data();
    const std::int64_t size = shape_.volume();
    room<Out> out(static_cast<std::size_t>(size));
    run_plain_section<In>("pstencil", [&](loop_position& position) {
      window<In, R> view(data, shape_, neighbourhood_.data(), neighbourhood_.size(),
                         border_of(outside_));
      index<R> place;
      for (std::int64_t i = 0; i < size; ++i, advance(shape_, place)) {
        if constexpr (section_command<Out, F, In>::has_pointers)
          position.set(i);
        view.move_to(place);
        if constexpr (std::is_same_v<Outside, clamp_border> || std::is_same_v<Outside, wrap_border>)
          out.emplace_back(call_section<WithIndex>(this->section(), as_section_index(place),
                                                   std::as_const(view)));
        else if (view.fits())
          out.emplace_back(call_section<WithIndex>(this->section(), as_section_index(place),
                                                   std::as_const(view)));
        else if constexpr (std::is_same_v<Outside, keep_border>)
          out.emplace_back(static_cast<Out>(data[i]));
        else
          out.emplace_back(outside_);
      }
    });
    this->result_ = buffer<Out>(std::move(out));
  }

private:
  static border border_of(const clamp_border&) { return border::clamp; }
  static border border_of(const wrap_border&) { return border::wrap; }
  static border border_of(const auto&) { return border::none; }

  index<R> shape_;
  std::vector<index<R>> neighbourhood_;
  Outside outside_;
};

/// All elements combined from left to right into one, starting with init if there is one.
template <class Out, class F, class In>
class reduce_command final : public section_command<Out, F, In> {
public:
  reduce_command(std::optional<Out> init, F f, std::shared_ptr<command<In>> input)
      : section_command<Out, F, In>(std::move(f), std::move(input)), init_(std::move(init)) {}

  void compute() override {
    static_assert(std::is_constructible_v<Out, std::invoke_result_t<const F&, Out, Out>>,
                  "preduce makes one element of two: its section takes and returns the elements' "
                  "type, T* and not const T*");
    const std::size_t size = this->template input<0>().size();
    const In* data = this->template input<0>().data();
    if (!init_)
      check_not_empty(size);
    room<Out> out(1);
    run_plain_section<In>("preduce", [&](loop_position& position) {
      Out result = init_ ? *init_ : static_cast<Out>(data[0]);
      for (std::size_t i = init_ ? 0 : 1; i < size; ++i) {
        if constexpr (section_command<Out, F, In>::has_pointers)
          position.set(static_cast<std::int64_t>(i));
        result =
            static_cast<Out>(std::invoke(this->section(), Out(result), static_cast<Out>(data[i])));
      }
      out.emplace_back(std::move(result));
    });
    this->result_ = buffer<Out>(std::move(out));
  }

private:
  std::optional<Out> init_;
};

/// The elements for which the section says true, in their order.
template <bool WithIndex, int R, class F, class In>
class select_command final : public section_command<In, F, In> {
public:
  select_command(const index<R>& shape, F f, std::shared_ptr<command<In>> input)
      : section_command<In, F, In>(std::move(f), std::move(input)), shape_(shape) {}

  void compute() override {
    const std::size_t size = this->template input<0>().size();
    const In* data = this->template input<0>().data();
    std::vector<std::size_t> selected;
    run_plain_section<In>("pselect", [&](loop_position& position) {
      index<R> place;
      for (std::size_t i = 0; i < size; ++i) {
        if constexpr (section_command<In, F, In>::has_pointers)
          position.set(static_cast<std::int64_t>(i));
        if (call_section<WithIndex>(this->section(), as_section_index(place), In(data[i])))
          selected.push_back(i);
        if constexpr (WithIndex)
          advance(shape_, place);
      }
    });
    room<In> out(selected.size());
    for (const std::size_t i : selected)
      out.emplace_back(data[i]);
    this->result_ = buffer<In>(std::move(out));
  }

private:
  index<R> shape_;
};

/// The input's elements, checked to be as many as a shape has places: reshape where the size is not
/// known before.
template <int R, class T> class check_command final : public input_command<T, T> {
public:
  check_command(const index<R>& shape, std::shared_ptr<command<T>> input)
      : input_command<T, T>(std::move(input)), shape_(shape) {}

  bool may_run_apart() const override { return true; }
  void compute() override {
    check_size(shape_, this->template input<0>().size());
    this->result_ = this->template input<0>();
  }

  /// \throws error of kind bad_shape if \p size elements do not fill \p shape
  static void check_size(const index<R>& shape, std::size_t size) {
    const std::int64_t volume = checked_volume(shape);
    if (static_cast<std::uint64_t>(volume) != size)
      throw error(error_kind::bad_shape, text("ikra: ", size, " elements do not fill the shape ",
                                              to_string(shape), ", which has ", volume, " places"));
  }

private:
  index<R> shape_;
};

} // namespace ikra::detail

#include <ikra/macros_back.hpp>
