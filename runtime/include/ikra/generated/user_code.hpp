// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How commands of generated sections have the plain library compute their results, where a section
// has the user's code beside its driver (shared_section.hpp): with the library's own commands.
#pragma once

#include <ikra/commands.hpp>
#include <ikra/commands_order.hpp>
#include <ikra/generated/call.hpp>
#include <ikra/index.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::detail {

/// What an operation of the library was given beside arrays, the section and values of its result's
/// type.
struct operation {
  enum kind {
    elementwise,
    stencil,
    reduce,
    select,
    scan,
    sort,
    reduce_by_key,
    reduce_by_index,
    reduce_axis
  };

  kind what;
  const char* name = nullptr; ///< for messages, where places may have inputs of different sizes
  std::array<std::int64_t, 4> shape{}; ///< of the inputs
  std::size_t rank = 0;                ///< 0: the shape does not count
  int axis = 0;
  std::int64_t bins = 0;
  bool exclusive = false;
  /// Results of parts of the array are parts of the result, or can be combined to it.
  bool in_parts = false;

  template <int R> operation on(const ikra::index<R>& extents) && {
    rank = R;
    for (int d = 0; d < R; ++d)
      shape[static_cast<std::size_t>(d)] = extents[d];
    return *this;
  }
  operation parted(bool may) && {
    in_parts = may;
    return *this;
  }
};

/// The inputs of a command, with their types erased. There are mostly one or two, which take no
/// memory of their own.
class driven_inputs {
public:
  using result_of = erased_input (*)(command_base&);

  /// \param typed its result, with the type of its elements
  void add(std::shared_ptr<command_base> input, result_of typed) {
    if (size_ < first_.size())
      first_[size_] = {std::move(input), typed};
    else
      more_.push_back({std::move(input), typed});
    ++size_;
  }

  std::size_t size() const { return size_; }
  /// The k-th; null once they are given up.
  const std::shared_ptr<command_base>& operator[](std::size_t k) const { return at(k).command; }
  erased_input result(std::size_t k) const { return at(k).result(*at(k).command); }

  /// Adds those that are not computed.
  void collect_pending(std::vector<command_base*>& out) const {
    for (std::size_t k = 0; k < size_; ++k)
      if (command_base* const input = at(k).command.get(); input != nullptr && !input->computed())
        out.push_back(input);
  }
  /// Moves all to \p out.
  void release(std::vector<std::shared_ptr<command_base>>& out) {
    for (std::size_t k = 0; k < size_; ++k)
      if (std::shared_ptr<command_base>& input = at(k).command)
        out.push_back(std::move(input));
  }

private:
  struct entry {
    std::shared_ptr<command_base> command;
    result_of result = nullptr;
  };
  const entry& at(std::size_t k) const {
    return k < first_.size() ? first_[k] : more_[k - first_.size()];
  }
  entry& at(std::size_t k) { return k < first_.size() ? first_[k] : more_[k - first_.size()]; }

  std::array<entry, 2> first_;
  std::vector<entry> more_;
  std::size_t size_ = 0;
};

/// What the plain library is given.
struct user_call {
  const operation& what;
  const section_base& section;
  const driven_inputs& inputs;
  const void* neighbourhood; ///< of a stencil, a std::vector of offsets
  const rt::result_place& result;
};

/// Computes the result of a call.
using user_code = void (*)(const user_call&);

/// Whether a section has its code as the user wrote it.
template <class Section>
concept has_user_code = requires(const Section& s) { s.user_code(); };

template <class In> std::shared_ptr<command<In>> input_of(const user_call& call, std::size_t k) {
  return std::static_pointer_cast<command<In>>(call.inputs[k]);
}

template <int R> ikra::index<R> shape_of(const user_call& call) {
  ikra::index<R> shape;
  for (int d = 0; d < R; ++d)
    shape[d] = call.what.shape[static_cast<std::size_t>(d)];
  return shape;
}

/// What the operation was given beside the section, if anything.
template <class Out> std::optional<Out> value_of(const user_call& call) {
  const auto* const value = static_cast<const Out*>(call.result.initial);
  return value == nullptr ? std::nullopt : std::optional<Out>(*value);
}

/// Has a command compute the result.
template <class Out> void compute_into(const user_call& call, command<Out>& plain) {
  plain.compute();
  *static_cast<buffer<Out>*>(call.result.buffer) = std::move(plain.result());
}

/// The code of a section, as user_code() gives it.
template <class Section> using code_of = decltype(std::declval<const Section&>().user_code());

/// The operations by the user's code. \{
template <class Section, bool WithIndex, class Out, int R, class... In>
void user_elementwise(const user_call& call) {
  [&call]<std::size_t... I>(std::index_sequence<I...>) {
    map_command<WithIndex, R, Out, code_of<Section>, In...> plain(
        call.what.name, shape_of<R>(call), static_cast<const Section&>(call.section).user_code(),
        input_of<In>(call, I)...);
    compute_into(call, plain);
  }(std::index_sequence_for<In...>());
}

template <class Section, bool WithIndex, class Out, class Outside, int R, class In>
void user_stencil(const user_call& call) {
  Outside outside{};
  if constexpr (std::is_same_v<Outside, Out>)
    outside = *static_cast<const Out*>(call.result.initial);
  stencil_command<WithIndex, R, Out, Outside, code_of<Section>, In> plain(
      shape_of<R>(call), *static_cast<const std::vector<ikra::index<R>>*>(call.neighbourhood),
      std::move(outside), static_cast<const Section&>(call.section).user_code(),
      input_of<In>(call, 0));
  compute_into(call, plain);
}

template <class Section, class Out, class In> void user_reduce(const user_call& call) {
  reduce_command<Out, code_of<Section>, In> plain(
      value_of<Out>(call), static_cast<const Section&>(call.section).user_code(),
      input_of<In>(call, 0));
  compute_into(call, plain);
}

template <class Section, bool WithIndex, class T, int R> void user_select(const user_call& call) {
  select_command<WithIndex, R, code_of<Section>, T> plain(
      shape_of<R>(call), static_cast<const Section&>(call.section).user_code(),
      input_of<T>(call, 0));
  compute_into(call, plain);
}

template <class Section, class Out, class In> void user_scan(const user_call& call) {
  scan_command<Out, code_of<Section>, In> plain(
      value_of<Out>(call), call.what.exclusive,
      static_cast<const Section&>(call.section).user_code(), input_of<In>(call, 0));
  compute_into(call, plain);
}

template <class Section, class T> void user_sort(const user_call& call) {
  sort_command<T, code_of<Section>> plain(static_cast<const Section&>(call.section).user_code(),
                                          input_of<T>(call, 0));
  compute_into(call, plain);
}

template <class Section, class T, class Key> void user_reduce_by_key(const user_call& call) {
  reduce_by_key_command<T, code_of<Section>, Key> plain(
      static_cast<const Section&>(call.section).user_code(), input_of<Key>(call, 0),
      input_of<T>(call, 1));
  compute_into(call, plain);
}

template <class Section, class Out, class T, class Key>
void user_reduce_by_index(const user_call& call) {
  reduce_by_index_command<Out, code_of<Section>, T, Key> plain(
      call.what.bins, *value_of<Out>(call), static_cast<const Section&>(call.section).user_code(),
      input_of<Key>(call, 0), input_of<T>(call, 1));
  compute_into(call, plain);
}

template <class Section, class Out, int R, class In> void user_reduce_axis(const user_call& call) {
  reduce_axis_command<R, Out, code_of<Section>, In> plain(
      shape_of<R>(call), call.what.axis, value_of<Out>(call),
      static_cast<const Section&>(call.section).user_code(), input_of<In>(call, 0));
  compute_into(call, plain);
}
/// \}

template <class> inline constexpr bool is_kept_elsewhere = false;
template <class F> inline constexpr bool is_kept_elsewhere<std::reference_wrapper<F>> = true;

/// A peach by the user's code, part by part.
template <class Section, bool WithIndex, class T, int R>
class user_peach final : public rt::user_loop {
public:
  user_peach(const Section& section, command<T>& input, const ikra::index<R>& shape)
      : section_(section), elements_(input.result().data()), shape_(shape) {}

  void prepare() override {
    std::vector<std::shared_ptr<command_base>> captured;
    {
      const capture_recorder recorder(captured);
      code_.emplace(section_.user_code());
      if constexpr (is_kept_elsewhere<code>) // a copy says what it captured
          [[maybe_unused]]
        const auto copy = code_->get();
    }
    for (const auto& command : captured)
      evaluate(*command);
  }

  void run(std::int64_t begin, std::int64_t end, std::int64_t tick) const override {
    if constexpr (takes_object<R, code, T>)
      run_with(by_reference<std::reference_wrapper<const code>>{std::cref(*code_)}, begin, end,
               tick);
    else
      run_with(*code_, begin, end, tick);
  }

private:
  using code = code_of<Section>;

  template <class F>
  void run_with(const F& f, std::int64_t begin, std::int64_t end,
                [[maybe_unused]] std::int64_t tick) const {
    run_section("peach", [&](loop_position& position) {
      for (std::int64_t i = begin; i < end; ++i) {
        position.set(i);
        const T& element = elements_[i];
        if constexpr (!takes_tick<WithIndex, R, F, T>)
          call_section<WithIndex>(f, as_section_index(place(i)), T(element));
        else if constexpr (WithIndex)
          std::invoke(f, T(element), as_section_index(place(i)), tick);
        else
          std::invoke(f, T(element), tick);
      }
    });
  }

  /// Of element i.
  ikra::index<R> place([[maybe_unused]] std::int64_t i) const {
    ikra::index<R> at;
    if constexpr (R == 1)
      at[0] = i;
    else if constexpr (WithIndex)
      for (int d = R - 1; d >= 0; --d) {
        at[d] = i % shape_[d];
        i /= shape_[d];
      }
    return at;
  }

  const Section& section_;
  const T* elements_;
  ikra::index<R> shape_;
  std::optional<code> code_;
};

} // namespace ikra::detail
