// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How commands of generated sections have the plain library compute their results, where a section
// has the user's code beside its driver (shared_section.hpp): with the library's own commands.
#pragma once

#include <ikra/commands.hpp>
#include <ikra/commands_order.hpp>
#include <ikra/generated/device/call.hpp>
#include <ikra/generated/objects/classes_seen.hpp>
#include <ikra/index.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
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
  operation parted() && {
    in_parts = true;
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
/// The same as it is called with elements of type T, which may be pointers where it takes objects.
template <class Section, int R, class... T> struct code_over_elements {
  using type = code_of<Section>;
};
template <class Section, int R, class T> struct code_over_elements<Section, R, T> {
  using type = std::conditional_t<takes_object<R, code_of<Section>, T>,
                                  by_reference<code_of<Section>>, code_of<Section>>;
};
template <class Section, int R, class... T>
using code_over = typename code_over_elements<Section, R, T...>::type;

/// The operations by the user's code. \{
template <class Section, bool WithIndex, class Out, int R, class... In>
void user_elementwise(const user_call& call) {
  [&call]<std::size_t... I>(std::index_sequence<I...>) {
    using code = code_over<Section, R, In...>;
    map_command<WithIndex, R, Out, code, In...> plain(
        call.what.name, shape_of<R>(call),
        code{static_cast<const Section&>(call.section).user_code()}, input_of<In>(call, I)...);
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
  using code = code_over<Section, R, T>;
  select_command<WithIndex, R, code, T> plain(
      shape_of<R>(call), code{static_cast<const Section&>(call.section).user_code()},
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

/// Makes what runs a call by the user's code on all cores.
using make_user_loop = std::unique_ptr<rt::user_loop> (*)(const user_call&);

/// Of element i of an array. \param shape counts only with an index
template <bool WithIndex, int R>
ikra::index<R> place_of([[maybe_unused]] std::int64_t i,
                        [[maybe_unused]] const ikra::index<R>& shape) {
  ikra::index<R> at;
  if constexpr (R == 1)
    at[0] = i;
  else if constexpr (WithIndex)
    for (int d = R - 1; d >= 0; --d) {
      at[d] = i % shape[d];
      i /= shape[d];
    }
  return at;
}

/// Whether an element may be an object of a class that has to be looked at.
template <class T>
inline constexpr bool has_classes =
    std::is_pointer_v<T> && std::is_polymorphic_v<std::remove_pointer_t<T>>;

/// Whether run_known() calls end().
template <class Run> inline constexpr bool has_end = requires(const Run& run) { run.end(); };

/// Calls run(i, elements…) for [begin, end) up to the first of a class that a check does not know.
/// An object is looked at just before it is used: before all others, it would be fetched twice. The
/// loop is short, so that the processor is many elements ahead.
/// \param check null where classes are known \param may_meet_null as in run_section()
/// \param run may have end(), which is called after the last element
/// \param elements of each input \returns that element, or end \throws rt::code_failed_at
template <class Run, class... T>
std::int64_t run_known(const char* operation, std::int64_t begin, std::int64_t end,
                       const rt::class_check* check, bool may_meet_null, const Run& run,
                       const T*... elements) {
  std::int64_t stopped = end;
  // Where null was dereferenced the session tells: elements' places are not noted, which took a
  // sixth of short sections' time.
  const auto loop = [&](loop_position&) {
    const std::tuple<const T*...> from(elements...); // in registers
    const std::int64_t last = end;
    const Run code = run;
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      const rt::class_check* const classes = check;
      [[maybe_unused]] rt::detail::classes_seen seen;
      [[maybe_unused]] const auto knows = [&seen, classes]([[maybe_unused]] const auto& element,
                                                           [[maybe_unused]] std::size_t k,
                                                           [[maybe_unused]] std::int64_t i) {
        if constexpr (has_classes<std::remove_cvref_t<decltype(element)>>)
          return element == nullptr ||
                 seen.find(element, [&] { return classes->knows(k, i) ? 1U : 0U; }) != 0;
        else
          return true;
      };
      std::int64_t i = begin;
      try {
        // One call, or compilers keep the code a function of its own.
        for (; i < last; ++i) {
          if constexpr ((has_classes<T> || ...))
            if (classes != nullptr && !(knows(std::get<K>(from)[i], K, i) && ...)) {
              stopped = i;
              return;
            }
          code(i, std::get<K>(from)[i]...);
        }
      } catch (const std::exception&) { // of at(), value() or get(): sections throw nothing
        throw rt::code_failed_at{i};
      }
      if constexpr (has_end<Run>)
        code.end();
    }(std::index_sequence_for<T...>());
  };
  run_section(operation, loop, may_meet_null);
  return stopped;
}

/// A function of its own: nvcc's front end takes no new-expression of an aggregate in a lambda with
/// a parameter pack.
template <class Out, class Value> void put_result(Out* at, Value&& value) {
  ::new (static_cast<void*>(at)) Out(std::forward<Value>(value));
}

/// A pmap or pcombine by the user's code, part by part.
template <class Section, bool WithIndex, class Out, int R, class... In>
class map_in_place final : public rt::user_loop {
public:
  explicit map_in_place(const user_call& call)
      : name_(call.what.name), section_(static_cast<const Section&>(call.section)),
        inputs_(inputs(call, std::index_sequence_for<In...>())), shape_(shape_of<R>(call)),
        to_(*static_cast<buffer<Out>*>(call.result.buffer)) {}

  void prepare() override { results_.emplace(std::get<0>(inputs_)->size()); }
  std::int64_t run(std::int64_t begin, std::int64_t end, std::int64_t,
                   const rt::class_check* check) const override {
    const code_over<Section, R, In...> code{section_.user_code()};
    return std::apply(
        [&](const auto*... input) {
          return run_known(
              name_, begin, end, check, may_meet_null,
              [&code, results = results_->data(), shape = shape_](std::int64_t i, auto... element) {
                put_result(results + i, call_section<WithIndex>(
                                            code, as_section_index(place_of<WithIndex>(i, shape)),
                                            std::move(element)...));
              },
              input->data()...);
        },
        inputs_);
  }
  void finish() override {
    results_->set_filled();
    to_ = buffer<Out>(std::move(*results_));
  }

private:
  template <std::size_t... I> static auto inputs(const user_call& call, std::index_sequence<I...>) {
    return std::tuple<const buffer<In>*...>(std::addressof(input_of<In>(call, I)->result())...);
  }

  const char* name_;
  const Section& section_;
  std::tuple<const buffer<In>*...> inputs_;
  ikra::index<R> shape_;
  buffer<Out>& to_;
  mutable std::optional<room<Out>> results_;
};

template <class Section, bool WithIndex, class Out, int R, class... In>
std::unique_ptr<rt::user_loop> make_map_in_place(const user_call& call) {
  return std::make_unique<map_in_place<Section, WithIndex, Out, R, In...>>(call);
}

/// Puts the elements for which a section is true one after the other, without a jump, which may go
/// either way. It is copied into each loop, so that compilers keep the next place in a register.
template <class Code, bool WithIndex, int R, class T> class chooser {
public:
  /// \param to memory for as many as there are \param count gets how many are chosen
  chooser(const Code& code, const ikra::index<R>& shape, T* to, std::size_t& count)
      : code_(&code), shape_(shape), to_(to), next_(to), count_(&count) {}

  void operator()(std::int64_t i, T element) const {
    ::new (static_cast<void*>(next_)) T(element);
    next_ += static_cast<bool>(call_section<WithIndex>(
                 *code_, as_section_index(place_of<WithIndex>(i, shape_)), std::move(element)))
                 ? 1
                 : 0;
  }
  void end() const { *count_ = static_cast<std::size_t>(next_ - to_); }

private:
  const Code* code_;
  ikra::index<R> shape_;
  T* to_;
  mutable T* next_;
  std::size_t* count_;
};

/// A pselect likewise. Each part's elements are put where it begins, and joined in order; where
/// parts run one after the other, from the front on, they are joined at once.
template <class Section, bool WithIndex, class T, int R>
class select_in_place final : public rt::user_loop {
public:
  explicit select_in_place(const user_call& call)
      : section_(static_cast<const Section&>(call.section)), input_(input_of<T>(call, 0)->result()),
        shape_(shape_of<R>(call)), to_(*static_cast<buffer<T>*>(call.result.buffer)) {}

  void prepare() override { chosen_.emplace(input_.size()); }
  std::int64_t run(std::int64_t begin, std::int64_t end, std::int64_t,
                   const rt::class_check* check) const override {
    const code_over<Section, R, T> code{section_.user_code()};
    // No other part begins there, so nobody else changes it meanwhile.
    const bool is_next = front_end_.load(std::memory_order_acquire) == begin;
    const std::size_t place = is_next ? front_count_ : static_cast<std::size_t>(begin);
    std::size_t count = 0;
    const std::int64_t next = run_known("pselect", begin, end, check, may_meet_null,
                                        chooser<code_over<Section, R, T>, WithIndex, R, T>(
                                            code, shape_, chosen_->data() + place, count),
                                        input_.data());
    if (is_next) {
      front_count_ += count;
      front_end_.store(end, std::memory_order_release);
    } else {
      const std::lock_guard lock(mutex_);
      parts_.push_back({place, count});
    }
    return next;
  }
  void finish() override {
    std::ranges::sort(parts_, {}, &part::begin);
    std::size_t total = front_count_;
    for (const part& each : parts_)
      total += each.count;
    const T* const from = chosen_->data();
    const auto join = [&](T* to) {
      if (to != from && front_count_ != 0)
        std::memcpy(static_cast<void*>(to), from, front_count_ * sizeof(T));
      to += front_count_;
      for (const part& each : parts_) {
        if (to != from + each.begin && each.count != 0)
          std::memmove(static_cast<void*>(to), from + each.begin, each.count * sizeof(T));
        to += each.count;
      }
    };
    constexpr std::size_t few = 1024 / sizeof(T);
    const std::size_t most = chosen_->capacity();
    if (most <= few || total > most / 2) { // their memory is kept as it is
      join(chosen_->data());
      chosen_->add_filled(total);
      to_ = buffer<T>(std::move(*chosen_));
      return;
    }
    room<T> fitting(total);
    join(fitting.data());
    fitting.set_filled();
    to_ = buffer<T>(std::move(fitting));
  }

private:
  struct part {
    std::size_t begin, count;
  };
  static_assert(std::is_trivially_copyable_v<T>, "elements are pointers");

  const Section& section_;
  const buffer<T>& input_;
  ikra::index<R> shape_;
  buffer<T>& to_;
  mutable std::optional<room<T>> chosen_;
  mutable std::atomic<std::int64_t> front_end_{0};
  mutable std::size_t front_count_ = 0; ///< of the elements up to there
  mutable std::mutex mutex_;
  mutable std::vector<part> parts_; ///< the others
};

template <class Section, bool WithIndex, class T, int R>
std::unique_ptr<rt::user_loop> make_select_in_place(const user_call& call) {
  return std::make_unique<select_in_place<Section, WithIndex, T, R>>(call);
}

/// A preduce of objects: each part from its first element on, and then the parts' results in order.
template <class Section, class T> class reduce_in_place final : public rt::user_loop {
public:
  explicit reduce_in_place(const user_call& call)
      : section_(static_cast<const Section&>(call.section)), input_(input_of<T>(call, 0)->result()),
        initial_(value_of<T>(call)), to_(*static_cast<buffer<T>*>(call.result.buffer)) {}

  bool starts_with_null() const override { return initial_ && *initial_ == nullptr; }
  bool depends_on_parts() const override { return true; }
  void prepare() override {}
  std::int64_t run(std::int64_t begin, std::int64_t end, std::int64_t,
                   const rt::class_check* check) const override {
    if (begin == end)
      return end;
    const code_of<Section> code{section_.user_code()};
    const bool has_initial = begin == 0 && initial_;
    T result = has_initial ? *initial_ : input_.data()[begin];
    // Where classes are looked at, the first element's is, too.
    const std::int64_t first = has_initial || check != nullptr ? begin : begin + 1;
    const std::int64_t skipped = has_initial ? -1 : begin;
    const std::int64_t next = run_known("preduce", first, end, check, may_meet_null,
                                        reduction{&code, &result, result, skipped}, input_.data());
    if (next != end) // all starts anew
      return next;
    const std::lock_guard lock(mutex_);
    parts_.emplace(begin, result);
    return next;
  }
  void finish() override {
    std::optional<T> result = initial_;
    if (!parts_.empty())
      result = parts_.extract(parts_.begin()).mapped();
    const auto join = [&](loop_position& position) {
      const code_of<Section> code{section_.user_code()};
      for (const auto& [begin, of_part] : parts_) {
        position.set(begin);
        try {
          result = static_cast<T>(std::invoke(code, T(*result), T(of_part)));
        } catch (const std::exception&) {
          throw rt::code_failed_at{begin};
        }
      }
    };
    if (!parts_.empty())
      run_section("preduce", join, may_meet_null);
    room<T> out(1);
    out.emplace_back(*result);
    to_ = buffer<T>(std::move(out));
  }

private:
  /// The result so far is its own: a variable outside might be what the code writes to.
  struct reduction {
    const std::remove_reference_t<code_of<Section>>* code;
    T* to;
    mutable T result;
    std::int64_t skipped; ///< the element that it starts with; negative: none

    void operator()(std::int64_t i, T element) const {
      if (i != skipped)
        result = static_cast<T>(std::invoke(*code, T(result), std::move(element)));
    }
    void end() const { *to = result; }
  };

  const Section& section_;
  const buffer<T>& input_;
  std::optional<T> initial_;
  buffer<T>& to_;
  mutable std::mutex mutex_;
  mutable std::map<std::int64_t, T> parts_;
};

template <class Section, class T>
std::unique_ptr<rt::user_loop> make_reduce_in_place(const user_call& call) {
  return std::make_unique<reduce_in_place<Section, T>>(call);
}

/// A peach by the user's code, part by part.
template <class Section, bool WithIndex, bool WithTicks, class T, int R>
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

  std::int64_t run(std::int64_t begin, std::int64_t end, std::int64_t tick,
                   const rt::class_check* check) const override {
    if constexpr (takes_object<R, code, T>)
      return run_with(
          by_reference<std::reference_wrapper<const code>>{
              std::reference_wrapper<const code>(*code_)}, // cref unwraps one
          begin, end, tick, check);
    else
      return run_with(*code_, begin, end, tick, check);
  }

private:
  using code = code_of<Section>;

  template <class F>
  static constexpr bool given_tick = [] {
    if constexpr (WithTicks) // a generic section is instantiated for the question
      return takes_tick<WithIndex, R, F, T>;
    else
      return false;
  }();

  template <class F>
  std::int64_t run_with(const F& f, std::int64_t begin, std::int64_t end, std::int64_t tick,
                        const rt::class_check* check) const {
    return run_known(
        "peach", begin, end, check, may_meet_null,
        [&f, tick, shape = shape_](std::int64_t i, T element) {
          (void)tick;
          (void)shape;
          if constexpr (!given_tick<F>)
            call_section<WithIndex>(f, as_section_index(place_of<WithIndex>(i, shape)),
                                    std::move(element));
          else if constexpr (WithIndex)
            std::invoke(f, std::move(element), as_section_index(place_of<WithIndex>(i, shape)),
                        tick);
          else
            std::invoke(f, std::move(element), tick);
        },
        elements_);
  }

  const Section& section_;
  const T* elements_;
  ikra::index<R> shape_;
  std::optional<code> code_;
};

} // namespace ikra::detail
