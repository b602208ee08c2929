// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns: loops of host sections that run without waiting for the host (docs/turns.md). What ikrac
// emits for a loop is a straight-line program over arrays; this header runs it. On all cores each
// step runs where it stands. On a GPU the steps are recorded once, into one CUDA graph whose loops
// and branches are conditional nodes.
//
// Arrays are handles to counted buffers, so the memory of what no variable holds any more is used
// for the next result: a stencil's loop has two buffers. In a graph memory is fixed: a loop's body
// is recorded again until its arrays are where they were before it. What turns set is copied in,
// and out of a graph that is kept.
#pragma once

#include <ikra/array.hpp>
#include <ikra/generated/device.hpp>
#include <ikra/generated/launch_elementwise.hpp>
#include <ikra/generated/launch_reduce.hpp>
#include <ikra/generated/launch_stencil.hpp>
#include <ikra/generated/section_info.hpp>
#include <ikra/generated/session_base.hpp>
#include <ikra/generated/turn_memory.hpp>
#include <ikra/generated/turn_sources.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::rt {

/// What ikrac emits for a loop; found by the tag in the host text.
template <class Tag> struct turn_code; // static bool run(void* const* given)

/// IKRA_TURNS, read once: `off` has each loop run as it is written. \throws ikra::error of kind
/// unsupported if it is something else than on or off
bool turns_enabled();

/// Runs a loop as turns. \param given the variables from before the loop that it names
/// \returns false where the loop has to run as it is written; nothing is changed then
template <class Tag, class... T> bool turns(T&... given) {
  if (!turns_enabled())
    return false;
  void* const all[] = {const_cast<void*>(static_cast<const void*>(std::addressof(given)))...};
  try {
    return turn_code<Tag>::run(all);
  } catch (const error&) {
    return false; // fails again in the loop, at the statement to which it belongs
  }
}

/// Where a variable is, and its bytes.
struct variable_place {
  std::uintptr_t address;
  std::size_t bytes;
};
/// Whether none of these is a part of another.
bool are_apart(std::span<const variable_place> all);

/// turns() of a loop that changes what references name. Two that name one variable, or a part of
/// it, leave the loop as it is written.
template <class Tag, class... T> bool turns_apart(T&... given) {
  const variable_place all[] = {
      {reinterpret_cast<std::uintptr_t>(std::addressof(given)), sizeof(T)}...};
  return are_apart(all) && turns<Tag>(given...);
}

/// What the host returns after turns that return. \{
template <class T> struct turn_return {
  bool happened = false;
  T value{};
};
template <> struct turn_return<void> {
  bool happened = false;
};
/// \}

/// to = an element of an array; \p fails becomes true where it has none there. \{
template <class T>
IKRA_HD void read_element(T& to, bool& fails, const list<const T>& from,
                          std::integral auto position) {
  const auto at = static_cast<std::size_t>(position); // negative ones become too large
  if (at < from.size())
    to = from[at];
  else
    fails = true;
}
template <class T, int R, std::integral... I>
  requires(sizeof...(I) == R)
IKRA_HD void read_element(T& to, bool& fails, const grid<T, R>& from, I... place) {
  const std::int64_t places[] = {static_cast<std::int64_t>(place)...};
  std::size_t at = 0;
  for (int d = 0; d < R; ++d) {
    const std::int64_t extent = from.shape()[d];
    if (places[d] < 0 || places[d] >= extent) {
      fails = true;
      return;
    }
    at = at * static_cast<std::size_t>(extent) + static_cast<std::size_t>(places[d]);
  }
  to = from[at];
}
/// \}

/// code(*state) in one thread of a GPU; queued. Called where nvcc compiles.
template <class Code, class State>
void cuda_turn_code(const Code& code, State* state, void* stream);
/// Sets conditions to test(*state). \param noted where \p part is noted; may be null
/// \param second a further condition; 0: none
template <class Test, class State>
void cuda_turn_test(const Test& test, State* state, unsigned* noted, unsigned part,
                    std::uint64_t first, std::uint64_t second, void* stream);

#ifdef __CUDACC__

template <class Code, class State> __global__ void turn_code_kernel(Code code, State* state) {
  code(*state);
}
template <class Test, class State>
__global__ void turn_test_kernel(Test test, State* state, unsigned* noted, unsigned part,
                                 cudaGraphConditionalHandle first,
                                 cudaGraphConditionalHandle second) {
  const unsigned value = test(*state) ? 1 : 0;
  if (noted != nullptr)
    *noted = part;
  cudaGraphSetConditional(first, value);
  if (second != 0)
    cudaGraphSetConditional(second, value);
}

template <class Code, class State>
void cuda_turn_code(const Code& code, State* state, void* stream) {
  turn_code_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(code, state);
}
template <class Test, class State>
void cuda_turn_test(const Test& test, State* state, unsigned* noted, unsigned part,
                    std::uint64_t first, std::uint64_t second, void* stream) {
  turn_test_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(test, state, noted, part, first,
                                                                   second);
}

#endif

/// A body that is made from the turn's scalars where it runs, since the host does not know them.
template <class Make, class State> struct deferred_body {
  using made = decltype(std::declval<const Make&>()(std::declval<const State&>()));
  static constexpr bool diverges = rt::diverges<made>;
  Make make;
  const State* state;
  template <class... T> IKRA_HD auto operator()(const T&... of) const {
    return make(*state)(of...);
  }
};
/// The same of a stencil.
template <class Make, class State> struct deferred_stencil {
  using made = decltype(std::declval<const Make&>()(std::declval<const State&>()));
  static constexpr bool has_plain_border = rt::has_plain_border<made>;
  static constexpr bool ignores_index = rt::ignores_index<made>;
  Make make;
  const State* state;
  template <class Accessor> IKRA_HD auto operator()(const Accessor& accessor) const {
    return make(*state)(accessor);
  }
};

/// An array that a reduction's kernel computes where it reads it, and stores. \tparam I as of
/// turn::elementwise
template <class Out, int I, class Make, class... In> struct stored_in_passing {
  turn_array<Out> result;
  Make make;
  std::tuple<const In*...> in;
};

/// The same of a stencil's result.
template <class Out, class Reach, class Make, class... In> struct stencil_in_passing {
  turn_array<Out> result;
  Make make;
  std::tuple<const In*...> in;
};

/// Combines what a reduction starts with, made from the scalars, with its result.
template <class State, class Out, class Make, class First> struct first_in_front {
  Make make;
  First first;
  Out State::* result;
  IKRA_HD void operator()(State& scalars) const {
    scalars.*result = static_cast<Out>(
        make(scalars)(static_cast<Out>(first(scalars)), static_cast<Out>(scalars.*result)));
  }
};

/// Of a reduction that starts with its first element.
struct no_first {
  static constexpr bool is_first = false, uses_scalars = false;
};

/// Tests that no program writes.
struct always_true {
  template <class State> IKRA_HD bool operator()(const State&) const { return true; }
};
/// Whether a loop's last turn was the one recorded as \p part.
template <class State> struct ended_in_part {
  const unsigned* noted;
  unsigned part;
  IKRA_HD bool operator()(const State&) const { return *noted == part; }
};
template <class Test> struct negated {
  Test test;
  template <class State> IKRA_HD bool operator()(const State& of) const { return !test(of); }
};

/// One run of a loop as turns. \tparam State the scalars; \tparam R rank of the arrays
template <class State, int R, bool HasKernels = IKRA_CUDA_UNIT == 1> class turn : public turn_base {
public:
  explicit turn(const section_info& section) : turn_base(section, HasKernels) {}

  /// The scalars, before start() and after finish().
  State& scalars() { return here_.scalars; }

  /// An array from before the loop. \returns whether turns can be over it: it has as many elements
  /// as the others, and at least one
  template <class T> bool add(turn_array<T>& to, const array<T, R>& from) {
    if (!add_assigned(to, from))
      return false;
    depends_on(reinterpret_cast<std::uintptr_t>(to.data()));
    return true;
  }
  /// The same of one that turns set: a graph has a copy of it.
  template <class T> bool add_assigned(turn_array<T>& to, const array<T, R>& from) {
    const auto command = ikra::detail::array_access::command_of(from);
    ikra::detail::evaluate(*command);
    const index<R> shape = from.shape();
    for (int d = 0; d < R; ++d)
      if (shape[d] <= 0 || (is_shaped_ && shape[d] != shape_[d]))
        return false;
    shape_ = shape;
    is_shaped_ = true;
    n_ = static_cast<std::uint64_t>(shape.volume());
    to = turn_array<T>(*this, foreign(elements_of(command->result()), n_ * sizeof(T), command));
    return true;
  }
  /// An array of any shape that sections capture. \returns true
  template <class T, int Q> bool add_captured(turn_array<T>& to, const array<T, Q>& from) {
    const auto command = ikra::detail::array_access::command_of(from);
    ikra::detail::evaluate(*command);
    const std::size_t bytes = command->result().size() * sizeof(T);
    to = turn_array<T>(*this, foreign(elements_of(command->result()), bytes, command));
    depends_on(reinterpret_cast<std::uintptr_t>(to.data()));
    for (int d = 0; d < Q; ++d)
      depends_on(static_cast<std::uint64_t>(from.shape()[d]));
    return true;
  }
  const index<R>& shape() const { return shape_; }
  /// Scalars are on the device from here on. \param assigned variables from before the loop that
  /// turns set, the same for finish() \returns whether the steps have to be run, or recorded; they
  /// have been before where not
  template <class Assigned> bool start(const Assigned& assigned) {
    if (!records())
      return true;
    for (int d = 0; d < R; ++d)
      depends_on(static_cast<std::uint64_t>(shape_[d]));
    const bool is_kept = take_kept();
    if (!is_kept)
      frame().state = device_memory(where(), sizeof(room), "scalars of a loop", section());
    state_ = &static_cast<room*>(frame().state.data())->scalars;
    where().upload(frame().state.data(), &here_, sizeof here_, section());
    std::size_t k = 0;
    std::apply([&](auto*... of) { (bring_in(*of, k++, is_kept), ...); }, assigned);
    return !is_kept;
  }
  /// Waits for all turns, and brings the scalars back.
  template <class Assigned> void finish(const Assigned& assigned) {
    if (!records())
      return;
    for (unsigned part = 0; part < parts_of_loop_; ++part) {
      resolve_(part);
      frame().ends.push_back(held_by(assigned));
    }
    run_graph();
    where().download(&here_, frame().state.data(), sizeof here_, section());
    restore(assigned, frame().ends[here_.part]);
    keep();
    // What may fail comes before the first variable changes.
    std::apply([&](auto*... of) { (prepare(*of), ...); }, assigned);
  }
  /// What the variable holds after the loop. After finish(). Nothing changes if no turn set it.
  template <class T> void give(const turn_array<T>& from, array<T, R>& to) {
    if (from.held() == nullptr)
      return;
    prepare(from);
    to = ikra::detail::array_access::make<T, R>(
        shape_, std::static_pointer_cast<ikra::detail::command<T>>(from.held()->command));
  }

  /// code(scalars), in one thread.
  template <class Code> void run(const Code& code) {
    if (!records())
      return code(here_.scalars);
    if constexpr (HasKernels) {
      cuda_turn_code(code, state_, stream());
      where().check_launch(section());
    }
  }

  /// Repeats body() while end(scalars), which may change them. \param test whether there is a first
  /// turn \param carried the arrays that it changes
  template <class Test, class End, class Carried, class Body>
  void repeat(bool tests_first, const Test& test, const End& end, const Carried& carried,
              const Body& body) {
    if (!records()) {
      if (tests_first && !test(here_.scalars))
        return;
      in_host_region(n_, [&] {
        do
          body();
        while (end(here_.scalars));
      });
      return;
    }
    if constexpr (HasKernels)
      record_loop(tests_first, test, end, carried, body);
  }
  /// A loop in another one's turn, or in a branch: afterwards arrays are where they were before.
  template <class Test, class End, class Carried, class Body>
  void repeat_inside(bool tests_first, const Test& test, const End& end, const Carried& carried,
                     const Body& body) {
    if (!records())
      repeat(tests_first, test, end, carried, body);
    else if constexpr (HasKernels)
      record_inner_loop(tests_first, test, end, carried, body);
  }
  /// then() if test(scalars), else otherwise(). \param changed the arrays that either changes
  template <class Test, class Changed, class Then, class Else>
  void branch(const Test& test, const Changed& changed, const Then& then, const Else& otherwise) {
    if (!records()) {
      if (test(here_.scalars))
        then();
      else
        otherwise();
      return;
    }
    if constexpr (HasKernels)
      record_branch(test, changed, then, otherwise);
  }

  /// out[i] = body(in[i]…, index of i). \tparam I rank of the index, 0 if the body takes none
  /// \param make gives the body: make(scalars)
  template <class Out, int I, class Make, class... In>
  turn_array<Out> elementwise(const Make& make, const turn_array<In>&... in) {
    turn_array<Out> result = room_for<Out>();
    auto* const out = static_cast<Out*>(result.held()->memory.data());
    if (!records()) {
      host_elementwise<I>(make(here_.scalars), shape_for<I>(), n_, out, in.data()...);
    } else if constexpr (HasKernels) {
      with_body<deferred_body<Make, State>>(make, [&](const auto& body) {
        cuda_elementwise<I>(body, shape_for<I>(), n_, stream(), out, in.data()...);
      });
      where().check_launch(section());
    }
    return result;
  }
  /// out[i] = body(accessor of i): make(scalars) gives a stencil_of_array, or stencils with other
  /// sections. \tparam Reach how far it reaches in all
  template <class Out, class Reach, class Make, class... In>
  turn_array<Out> stencil(const Make& make, const turn_array<In>&... in) {
    turn_array<Out> result = room_for<Out>();
    auto* const out = static_cast<Out*>(result.held()->memory.data());
    if (!records()) {
      host_stencil<Reach>(make(here_.scalars), shape_, out, in.data()...);
    } else if constexpr (HasKernels) {
      with_body<deferred_stencil<Make, State>>(make, [&](const auto& body) {
        cuda_stencil<Reach>(body, shape_, stream(), out, in.data()...);
      });
      where().check_launch(section());
    }
    return result;
  }
  /// scalars.*result = all elements combined. \param first make(scalars) gives what stands before
  /// them; no_first: nothing does
  template <class Out, class Make, class First, class In>
  void reduce(const Make& make, const First& first, Out State::* result, const turn_array<In>& in) {
    reduce_source(make, first, result, in.data());
  }
  /// The same over what make_head(scalars) computes of elements of type T.
  template <class T, int I, class Out, class MakeHead, class Make, class First, class... In>
  void reduce_computed(const MakeHead& make_head, const Make& make, const First& first,
                       Out State::* result, const turn_array<In>&... in) {
    const auto over = [&](const auto& head) {
      using source = computed_elements<T, I, std::remove_cvref_t<decltype(head)>, In...>;
      reduce_source(make, first, result, source(head, shape_for<I>(), in.data()...));
    };
    if (!records())
      over(make_head(here_.scalars));
    else
      with_body<deferred_body<MakeHead, State>>(make_head, over);
  }

  /// The result of elementwise(make, in…), for one of the two below: that computes it.
  template <class Out, int I, class Make, class... In>
  stored_in_passing<Out, I, Make, In...> later(const Make& make, const turn_array<In>&... in) {
    return {room_for<Out>(), make, {in.data()...}};
  }
  /// The same of stencil(make, in…).
  template <class Out, class Reach, class Make, class... In>
  stencil_in_passing<Out, Reach, Make, In...> later_stencil(const Make& make,
                                                            const turn_array<In>&... in) {
    return {room_for<Out>(), make, {in.data()...}};
  }
  template <class Out, class Make, class First, class InPassing>
    requires requires(const InPassing& in) { in.result.data(); }
  void reduce(const Make& make, const First& first, Out State::* result, const InPassing& in) {
    if (!records())
      return reduce_on_host(make, first, result, in.result.data(),
                            [&](auto begin, auto end) { compute(in, begin, end); });
    with_leaf(in, [&](const auto& source) { reduce_on_gpu(make, first, result, source); });
  }
  template <class T, int I, class Out, class MakeHead, class Make, class First, class... In>
  void reduce_stored(const MakeHead& make_head, const Make& make, const First& first,
                     Out State::* result, const In&... in) {
    if (!records()) {
      const auto head = make_head(here_.scalars);
      const auto over = [&](const auto*... of) {
        return computed_elements<T, I, std::remove_cvref_t<decltype(head)>,
                                 std::remove_cvref_t<decltype(*of)>...>(head, shape_for<I>(),
                                                                        of...);
      };
      return reduce_on_host(make, first, result, over(elements_of_leaf(in)...),
                            [&](auto begin, auto end) { (compute(in, begin, end), ...); });
    }
    with_body<deferred_body<MakeHead, State>>(make_head, [&](const auto& head) {
      const auto over = [&](const auto&... of) {
        using source = computed_of_sources<T, I, std::remove_cvref_t<decltype(head)>,
                                           std::remove_cvref_t<decltype(of)>...>;
        reduce_on_gpu(make, first, result, source(head, shape_for<I>(), of...));
      };
      with_leaves(over, in...);
    });
  }

private:
  /// As it lies on the device.
  struct room {
    State scalars;
    unsigned part; ///< of the loop's body, the last one that ran
  };

  template <int I> shape_of_rank<I> shape_for() const {
    shape_of_rank<I> result;
    for (int d = 0; d < I; ++d)
      result[d] = shape_[d];
    return result;
  }
  template <class Out> turn_array<Out> room_for() {
    return turn_array<Out>(*this, take(n_ * sizeof(Out)));
  }
  /// Calls launch with the body, as the GPU has it.
  template <class Deferred, class Make, class Launch>
  void with_body(const Make& make, const Launch& launch) {
    if constexpr (Make::uses_scalars)
      launch(Deferred{make, state_});
    else
      launch(make(here_.scalars));
  }

  template <class Out, class Make, class First, class Source, class Prepare>
  void reduce_on_host(const Make& make, const First& first, Out State::* result, const Source& in,
                      const Prepare& prepare) {
    const auto body = make(here_.scalars);
    const Out all = host_reduce<Out>(body, in, n_, prepare);
    if constexpr (First::is_first)
      here_.scalars.*result = static_cast<Out>(body(static_cast<Out>(first(here_.scalars)), all));
    else
      here_.scalars.*result = all;
  }

  // Leaves of reductions: arrays, or what is stored in passing.
  template <class T> static const T* elements_of_leaf(const turn_array<T>& of) { return of.data(); }
  template <class Out, int I, class Make, class... In>
  static const Out* elements_of_leaf(const stored_in_passing<Out, I, Make, In...>& of) {
    return of.result.data();
  }
  template <class Out, class Reach, class Make, class... In>
  static const Out* elements_of_leaf(const stencil_in_passing<Out, Reach, Make, In...>& of) {
    return of.result.data();
  }
  /// Elements [begin, end) on this core.
  template <class T> void compute(const turn_array<T>&, std::uint64_t, std::uint64_t) const {}
  template <class Out, int I, class Make, class... In>
  void compute(const stored_in_passing<Out, I, Make, In...>& of, std::uint64_t begin,
               std::uint64_t end) const {
    const auto body = of.make(here_.scalars);
    auto* const out = static_cast<Out*>(of.result.held()->memory.data());
    std::apply(
        [&](const In*... in) {
          host_elementwise_part<I>(body, shape_for<I>(), begin, end, out, in...);
        },
        of.in);
  }
  template <class Out, class Reach, class Make, class... In>
  void compute(const stencil_in_passing<Out, Reach, Make, In...>& of, std::uint64_t begin,
               std::uint64_t end) const {
    const auto body = of.make(here_.scalars);
    auto* const out = static_cast<Out*>(of.result.held()->memory.data());
    std::apply(
        [&](const In*... in) { host_stencil_part<Reach>(body, shape_, begin, end, out, in...); },
        of.in);
  }
  /// Calls run with a leaf's source on the GPU.
  template <class T, class Run> void with_leaf(const turn_array<T>& of, const Run& run) {
    run(of.data());
  }
  template <class Out, int I, class Make, class... In, class Run>
  void with_leaf(const stored_in_passing<Out, I, Make, In...>& of, const Run& run) {
    with_body<deferred_body<Make, State>>(of.make, [&](const auto& body) {
      using source = computed_elements<Out, I, std::remove_cvref_t<decltype(body)>, In...>;
      auto* const out = static_cast<Out*>(of.result.held()->memory.data());
      run(storing_source<Out, source>(over_inputs<source>(body, shape_for<I>(), of.in), out));
    });
  }
  template <class Out, class Reach, class Make, class... In, class Run>
  void with_leaf(const stencil_in_passing<Out, Reach, Make, In...>& of, const Run& run) {
    with_body<deferred_stencil<Make, State>>(of.make, [&](const auto& body) {
      if (n_ * sizeof(Out) < least_bytes_in_passing) {
        stencil_on_gpu<Reach>(body, of.result, of.in);
        return run(of.result.data());
      }
      using source = stencil_elements<Out, Reach, std::remove_cvref_t<decltype(body)>, In...>;
      auto* const out = static_cast<Out*>(of.result.held()->memory.data());
      run(storing_source<Out, source>(over_inputs<source>(body, shape_, of.in), out));
    });
  }
  template <class Reach, class Body, class Out, class Inputs>
  void stencil_on_gpu(const Body& body, const turn_array<Out>& result, const Inputs& inputs) {
    if constexpr (HasKernels) {
      auto* const out = static_cast<Out*>(result.held()->memory.data());
      std::apply(
          [&](const auto*... in) { cuda_stencil<Reach>(body, shape_, stream(), out, in...); },
          inputs);
      where().check_launch(section());
    }
  }
  // nvcc 13.0 does not find a class's pack in a lambda within another one.
  template <class Source, class Body, class Shape, class Inputs>
  static Source over_inputs(const Body& body, const Shape& shape, const Inputs& inputs) {
    return std::apply([&](const auto*... in) { return Source(body, shape, in...); }, inputs);
  }
  template <class Run> void with_leaves(const Run& run) { run(); }
  template <class Run, class First, class... Rest>
  void with_leaves(const Run& run, const First& first, const Rest&... rest) {
    with_leaf(first, [&](const auto& source) {
      with_leaves([&](const auto&... more) { run(source, more...); }, rest...);
    });
  }

  template <class Out, class Make, class First, class Source>
  void reduce_source(const Make& make, const First& first, Out State::* result, const Source& in) {
    if (!records())
      reduce_on_host(make, first, result, in, [](std::uint64_t, std::uint64_t) {});
    else
      reduce_on_gpu(make, first, result, in);
  }
  template <class Out, class Make, class First, class Source>
  void reduce_on_gpu(const Make& make, const First& first, Out State::* result, const Source& in) {
    if constexpr (HasKernels) {
      const turn_array<Out> workspace(*this, take(reduce_workspace<Out, Source>(n_) * sizeof(Out)));
      auto* const partial = static_cast<Out*>(workspace.held()->memory.data());
      with_body<deferred_body<Make, State>>(make, [&](const auto& body) {
        if constexpr (First::is_first && !First::uses_scalars)
          cuda_reduce(body, in, n_, start_with<Out>{static_cast<Out>(first(here_.scalars))},
                      partial, &(state_->*result), stream());
        else
          cuda_reduce(body, in, n_, start_with_nothing{}, partial, &(state_->*result), stream());
      });
      where().check_launch(section());
      if constexpr (First::uses_scalars) // which the host does not know
        run(first_in_front<State, Out, Make, First>{make, first, result});
    }
  }

  // Recording -----------------------------------------------------------------------------------

  /// Which buffers a list of arrays holds, without holding them.
  template <class Arrays> static std::vector<turn_buffer*> held_by(const Arrays& arrays) {
    return std::apply([](auto*... of) { return std::vector<turn_buffer*>{of->held()...}; }, arrays);
  }
  /// Has the arrays hold these buffers.
  template <class Arrays>
  void restore(const Arrays& arrays, const std::vector<turn_buffer*>& buffers) {
    std::size_t k = 0;
    std::apply([&](auto*... of) { (set(*of, buffers[k++]), ...); }, arrays);
  }
  template <class T> void set(turn_array<T>& of, turn_buffer* to) {
    of = to == nullptr ? turn_array<T>() : turn_array<T>(*this, to);
  }
  /// Makes the array that a variable holds after the loop.
  template <class T> void prepare(const turn_array<T>& from) {
    if (from.held() == nullptr || from.held()->command)
      return;
    turn_buffer& of = *from.held();
    ikra::detail::buffer<T> result;
    if (keeps()) {
      device_memory own(where(), of.bytes, "an array of a loop", section());
      copy_at_once(own.data(), of);
      result.set_remote(n_, std::make_shared<device_elements>(std::move(own), section()));
    } else if (where().is_cuda()) {
      result.set_remote(n_, std::make_shared<device_elements>(std::move(of.memory), section()));
    } else {
      result = host_elements<T>(n_, std::move(of.memory));
    }
    of.command = ikra::detail::held(new ikra::detail::value_command<T>(std::move(result)));
  }
  /// Has what a loop carries in a buffer of its own. Turns set what holds nothing before.
  template <class T> void own_or_room(turn_array<T>& of) {
    const turn_buffer* const now = of.held();
    if (now == nullptr)
      of = room_for<T>();
    else if (now->memory.data() == nullptr || now->users > 1)
      own(of);
  }
  /// Copies a variable's elements to where the graph has them at first.
  template <class T> void bring_in(turn_array<T>& of, std::size_t k, bool is_kept) {
    if (of.held() == nullptr) {
      if (!is_kept)
        frame().starts.push_back(nullptr);
      return;
    }
    if (!is_kept) {
      turn_array<T> mine = room_for<T>();
      copy_at_once(mine.held()->memory.data(), *of.held());
      frame().starts.push_back(mine.held());
      of = std::move(mine);
    } else {
      copy_at_once(frame().starts[k]->memory.data(), *of.held());
    }
  }
  template <class T> void own(turn_array<T>& of) {
    if (of.held() == nullptr)
      return;
    turn_array<T> mine = room_for<T>();
    copy(*mine.held(), *of.held());
    of = std::move(mine);
  }

  template <class Test>
  void record_test(const Test& test, unsigned* noted, unsigned part, std::uint64_t first,
                   std::uint64_t second = 0) {
    cuda_turn_test(test, state_, noted, part, first, second, stream());
    where().check_launch(section());
  }

  /// Arrays are in buffers of the turn's own while the loop runs. After an odd number of turns they
  /// may be in others than after an even one: the body is recorded once more then, after a test of
  /// its own, and the last part that ran says where the arrays are in the end.
  /// \returns where they are after each part
  template <class Test, class End, class Carried, class Body>
  std::vector<std::vector<turn_buffer*>> record_parts(bool tests_first, const Test& test,
                                                      const End& end, unsigned* noted,
                                                      const Carried& carried, const Body& body) {
    const std::vector<turn_buffer*> given = held_by(carried);
    std::apply([&](auto*... of) { (own_or_room(*of), ...); }, carried);
    const std::vector<turn_buffer*> before = held_by(carried);
    std::vector<std::vector<turn_buffer*>> after{before};
    for (std::size_t k = 0; k < given.size(); ++k)
      if (given[k] == nullptr)
        after.front()[k] = nullptr;
    const std::uint64_t loop = recorder().condition();
    if (tests_first)
      record_test(test, noted, 0, loop);
    else
      record_test(always_true(), noted, 0, loop);
    recorder().begin(loop, /*repeats=*/true);
    unsigned part = 1;
    constexpr unsigned most_parts = 4;
    for (;; ++part) {
      body();
      after.push_back(held_by(carried));
      if (after.back() == before || part == most_parts)
        break;
      const std::uint64_t goes_on = recorder().condition();
      record_test(end, noted, part, loop, goes_on);
      recorder().begin(goes_on, /*repeats=*/false);
    }
    if (after.back() != before) {
      bring_back(carried, before);
      after.back() = before;
    }
    record_test(end, noted, part, loop);
    for (unsigned k = 1; k < part; ++k)
      recorder().end();
    recorder().end();
    return after;
  }

  template <class Test, class End, class Carried, class Body>
  void record_loop(bool tests_first, const Test& test, const End& end, const Carried& carried,
                   const Body& body) {
    unsigned* const noted = &static_cast<room*>(frame().state.data())->part;
    auto after = record_parts(tests_first, test, end, noted, carried, body);
    parts_of_loop_ = static_cast<unsigned>(after.size());
    resolve_ = [this, carried, after = std::move(after)](unsigned last) {
      restore(carried, after[last]);
    };
  }

  /// The device brings the arrays back to where they were, if the loop ended elsewhere.
  template <class Test, class End, class Carried, class Body>
  void record_inner_loop(bool tests_first, const Test& test, const End& end, const Carried& carried,
                         const Body& body) {
    device_memory& memory =
        frame().parts.emplace_back(where(), sizeof(unsigned), "state of a loop", section());
    auto* const noted = static_cast<unsigned*>(memory.data());
    const auto after = record_parts(tests_first, test, end, noted, carried, body);
    const std::vector<turn_buffer*>& before = after.front();
    for (unsigned part = 1; part + 1 < after.size(); ++part) {
      if (after[part] == before)
        continue;
      const std::uint64_t ended_here = recorder().condition();
      record_test(ended_in_part<State>{noted, part}, nullptr, 0, ended_here);
      recorder().begin(ended_here, /*repeats=*/false);
      restore(carried, after[part]);
      bring_back(carried, before);
      recorder().end();
    }
    restore(carried, before);
  }

  /// Copies what the arrays hold to these buffers.
  template <class Arrays>
  void bring_back(const Arrays& arrays, const std::vector<turn_buffer*>& to) {
    // To where none of them is, nor will be: the buffers may be free by now.
    for (turn_buffer* const buffer : to)
      if (buffer != nullptr)
        hold(buffer);
    std::apply([&](auto*... of) { (own(*of), ...); }, arrays);
    std::size_t k = 0;
    std::apply([&](auto*... of) { (copy_to(*of, to[k++]), ...); }, arrays);
    restore(arrays, to);
    for (turn_buffer* const buffer : to)
      if (buffer != nullptr)
        release(buffer);
  }
  template <class T> void copy_to(const turn_array<T>& from, turn_buffer* to) {
    if (to != nullptr && from.held() != nullptr)
      copy(*to, *from.held());
  }

  template <class Test, class Changed, class Then, class Else>
  void record_branch(const Test& test, const Changed& changed, const Then& then,
                     const Else& otherwise) {
    // What was there before stays held, so that neither side writes to it.
    const auto kept = std::apply([](auto*... of) { return std::tuple(*of...); }, changed);
    const std::vector<turn_buffer*> before = held_by(changed);
    const std::uint64_t yes = recorder().condition(), no = recorder().condition();
    record_test(test, nullptr, 0, yes);
    record_test(negated<Test>{test}, nullptr, 0, no);
    recorder().begin(yes, /*repeats=*/false);
    then();
    std::size_t k = 0;
    std::apply([&](auto*... of) { (settle(*of, before[k++]), ...); }, changed);
    const std::vector<turn_buffer*> after = held_by(changed);
    const auto results = std::apply([](auto*... of) { return std::tuple(*of...); }, changed);
    recorder().end();
    restore(changed, before);
    recorder().begin(no, /*repeats=*/false);
    otherwise();
    bring_to(changed, after);
    recorder().end();
    restore(changed, after);
  }
  /// Has the array in a buffer that nothing else is in.
  template <class T> void settle(turn_array<T>& of, const turn_buffer* before) {
    const turn_buffer* const now = of.held();
    if (now != nullptr && (now == before || now->users > 1 || now->memory.data() == nullptr))
      own(of);
  }
  template <class Arrays> void bring_to(const Arrays& arrays, const std::vector<turn_buffer*>& to) {
    std::size_t k = 0;
    std::apply([&](auto*... of) { (copy_to(*of, to[k++]), ...); }, arrays);
  }

  index<R> shape_{};
  bool is_shaped_ = false;
  std::uint64_t n_ = 0;
  room here_{};
  State* state_ = nullptr;                ///< on the device
  unsigned parts_of_loop_ = 0;            ///< that were recorded
  std::function<void(unsigned)> resolve_; ///< arrays are as after a part
};

} // namespace ikra::rt
