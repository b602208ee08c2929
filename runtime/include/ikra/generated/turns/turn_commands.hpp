// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of turns (ikra/generated/turns/turns.hpp): what computes arrays and scalars. On all
// cores each runs here and now. On a GPU they go into the graph that is recorded; or, where no turn
// depends on an array's elements, scalars are the host's, which queues the kernels.
#pragma once

#include <ikra/error.hpp>
#include <ikra/generated/device/device.hpp>
#include <ikra/generated/device/section_info.hpp>
#include <ikra/generated/launch/launch_elementwise.hpp>
#include <ikra/generated/launch/launch_horizontal.hpp>
#include <ikra/generated/launch/launch_reduce.hpp>
#include <ikra/generated/launch/launch_stencil.hpp>
#include <ikra/generated/launch/launch_stencil_steps.hpp>
#include <ikra/generated/turns/turn_memory.hpp>
#include <ikra/generated/turns/turn_reduce.hpp>
#include <ikra/generated/turns/turn_repeats.hpp>
#include <ikra/generated/turns/turn_sources.hpp>
#include <ikra/generated/turns/turn_stencil.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// How turns run on a GPU: as one graph; as one whose loop has several turns in a row, without
/// tests of the graph's between them; or queued by the host, whose the scalars are then.
enum class turn_form { graph, unrolled, queued };

/// code(*state) in one thread of a GPU; queued. Called where nvcc compiles.
template <class Code, class State>
void cuda_turn_code(const Code& code, State* state, const loop_flag& flag, void* stream);
/// out[i] = first(*state) for n places; the same.
template <class First, class State, class Out>
void cuda_turn_fill(const First& first, const State* state, Out* out, std::uint64_t n,
                    void* stream);

#ifdef __CUDACC__

template <class Code, class State>
__global__ void turn_code_kernel(Code code, State* state, loop_flag flag) {
  if (!flag.has_ended())
    code(*state);
}

template <class Code, class State>
void cuda_turn_code(const Code& code, State* state, const loop_flag& flag, void* stream) {
  turn_code_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(code, state, flag);
}

template <class First, class State, class Out>
__global__ void turn_fill_kernel(First first, const State* state, Out* out, std::uint64_t n) {
  const std::uint64_t i = std::uint64_t(blockIdx.x) * block_size + threadIdx.x;
  if (i < n)
    ::new (static_cast<void*>(out + i)) Out(static_cast<Out>(first(*state)));
}

template <class First, class State, class Out>
void cuda_turn_fill(const First& first, const State* state, Out* out, std::uint64_t n,
                    void* stream) {
  turn_fill_kernel<<<blocks_for(n), block_size, 0, static_cast<cudaStream_t>(stream)>>>(
      first, state, out, n);
}

#endif

/// A body that is made from the turn's scalars where it runs, since the host does not know them.
template <class Make, class State> struct deferred_body {
  using made = decltype(std::declval<const Make&>()(std::declval<const State&>()));
  static constexpr bool diverges = rt::diverges<made>;
  static constexpr bool repeats = rt::repeats<made>;
  Make make;
  const State* state;
  template <class... T> IKRA_HD auto operator()(const T&... of) const {
    return make(*state)(of...);
  }
};
/// The same of a stencil.
template <class Make, class State> struct deferred_stencil {
  using made = decltype(std::declval<const Make&>()(std::declval<const State&>()));
  using footprint = typename made::footprint;
  static constexpr bool has_plain_border = rt::has_plain_border<made>;
  static constexpr bool wraps = rt::wraps<made>;
  static constexpr bool ignores_index = rt::ignores_index<made>;
  Make make;
  const State* state;
  template <class Accessor> IKRA_HD auto operator()(const Accessor& accessor) const {
    return make(*state)(accessor);
  }
};

/// An array that a reduction's kernel computes where it reads it, and stores. \tparam I as of
/// turn_commands::elementwise \tparam Gathers its body reads captured arrays in loops
template <class Out, int I, bool Gathers, class Make, class... In> struct stored_in_passing {
  turn_array<Out> result;
  Make make;
  std::tuple<const In*...> in;
};

/// The same of a stencil's result.
template <class Out, class Footprint, class Make, class... In> struct stencil_in_passing {
  using value = Out;
  turn_array<Out> result;
  Make make;
  std::tuple<const In*...> in;
};
template <class T> inline constexpr bool is_stencil_in_passing = false;
template <class Out, class Footprint, class Make, class... In>
inline constexpr bool is_stencil_in_passing<stencil_in_passing<Out, Footprint, Make, In...>> = true;
template <class T> inline constexpr bool is_turn_array = false;
template <class T> inline constexpr bool is_turn_array<turn_array<T>> = true;
/// Whether the leaves of a reduction are a stencil's result, and arrays.
template <class... Leaf>
inline constexpr bool are_of_stencil =
    ((is_stencil_in_passing<Leaf> ? 1 : 0) + ... + 0) == 1 &&
    ((is_stencil_in_passing<Leaf> || is_turn_array<Leaf>) && ...);

/// Several arrays that one kernel computes. \tparam Results their elements, as results<…>
template <class Results, int I, class Make, class... In> struct arrays_in_passing;
template <class... Out, int I, class Make, class... In>
struct arrays_in_passing<results<Out...>, I, Make, In...> {
  std::tuple<turn_array<Out>...> results;
  Make make;
  std::tuple<const In*...> in;
};

/// What computes it from inputs; the array itself where nothing is computed.
template <class State, class InPassing> struct body_of_in_passing {
  using type = InPassing;
};
template <class State, class InPassing>
  requires requires(const InPassing& of, const State& state) { of.make(state); }
struct body_of_in_passing<State, InPassing> {
  using type = std::remove_cvref_t<decltype(std::declval<const InPassing&>().make(
      std::declval<const State&>()))>;
};
template <class State, class InPassing>
using in_passing_body = typename body_of_in_passing<State, InPassing>::type;

/// Combines what a reduction starts with, made from the scalars, with its result.
template <class State, class Out, class Make, class First> struct first_in_front {
  Make make;
  First first;
  place_in_state<State, Out> result;
  IKRA_HD void operator()(State& scalars) const {
    scalars.*result = static_cast<Out>(
        make(scalars)(static_cast<Out>(first(scalars)), static_cast<Out>(scalars.*result)));
  }
};

/// Where there is nothing to combine it with.
struct nothing_in_front {
  template <class State> IKRA_HD void operator()(State& /*scalars*/) const {}
};

/// Of a reduction that starts with its first element.
struct no_first {
  static constexpr bool is_first = false, uses_scalars = false;
};

/// Commands are over the elements of a space. \tparam State the scalars
template <class State, turn_form Form, bool HasKernels> class turn_commands : public turn_base {
public:
  explicit turn_commands(const section_info& section) : turn_base(section, HasKernels) {}

  /// code(scalars), in one thread.
  template <class Code> void run(const Code& code) {
    if (!records())
      return code(here_.scalars);
    if constexpr (HasKernels) {
      cuda_turn_code(code, state_, flag(), stream());
      where().check_launch(section());
    }
  }

  /// out[i] = body(in[i]…, index of i). \tparam I rank of the index, 0 if the body takes none
  /// \param make gives the body: make(scalars)
  template <class Out, int I, int R, class Make, class... In>
  turn_array<Out> elementwise(const turn_space<R>& over, const Make& make,
                              const turn_array<In>&... in) {
    turn_array<Out> result = room_for<Out>(over.n);
    auto* const out = static_cast<Out*>(result.held()->memory.data());
    if (!is_on_gpu()) {
      host_elementwise<I>(make(here_.scalars), shape_for<I>(over), over.n, out, in.data()...);
    } else if constexpr (HasKernels) {
      with_body<deferred_body<Make, State>>(make, [&](const auto& body) {
        cuda_elementwise<I>(for_loop(body), shape_for<I>(over), over.n, stream(), out,
                            in.data()...);
      });
      where().check_launch(section());
    }
    return result;
  }
  /// out[i] = body(accessor of i): make(scalars) gives a stencil_of_array, or stencils with other
  /// sections. \tparam Footprint how far it reaches in all
  template <class Out, class Footprint, int R, class Make, class... In>
  turn_array<Out> stencil(const turn_space<R>& over, const Make& make,
                          const turn_array<In>&... in) {
    turn_array<Out> result = room_for<Out>(over.n);
    auto* const out = static_cast<Out*>(result.held()->memory.data());
    if (!is_on_gpu()) {
      host_stencil<Footprint>(make(here_.scalars), over.shape, out, in.data()...);
    } else if constexpr (HasKernels) {
      with_body<deferred_stencil<Make, State>>(make, [&](const auto& body) {
        cuda_stencil<Footprint>(for_loop(body), over.shape, stream(), out, in.data()...);
      });
      where().check_launch(section());
    }
    return result;
  }
  /// Whether stencil_steps may run over a space.
  template <unsigned Steps, class Out, class In, int R, class Make>
  bool suits_tiles(const turn_space<R>& over, const Make& make) {
    bool does_suit = false;
    with_body<deferred_stencil<Make, State>>(make, [&](const auto& body) {
      does_suit = on_steps<Steps>(body, [&](const auto&... bodies) {
        return cuda_suits_tiles<Out, Out, In>(over.shape, bodies...);
      });
    });
    return does_suit;
  }
  /// The same of a stencil over its own results, so many times, in tiles.
  template <unsigned Steps, class Out, int R, class Make, class In>
  turn_array<Out> stencil_steps(const turn_space<R>& over, const Make& make,
                                const turn_array<In>& in) {
    turn_array<Out> result = room_for<Out>(over.n);
    with_body<deferred_stencil<Make, State>>(make, [&](const auto& body) {
      on_steps<Steps>(body, [&](const auto&... bodies) {
        return cuda_stencils_in_tiles<Out>(over.shape, stream(), room_of(result), in.data(),
                                           bodies...);
      });
    });
    where().check_launch(section());
    return result;
  }
  /// A scalar = all elements combined. \param first make(scalars) gives what stands before them;
  /// no_first: nothing does \param to the scalar, or scalar_then
  template <int R, class Make, class First, class To, class In>
  void reduce(const turn_space<R>& over, const Make& make, const First& first, const To& to,
              const turn_array<In>& in) {
    reduce_source(over.n, make, first, then(to), in.data());
  }
  /// The same over what make_head(scalars) computes of elements of type T.
  template <class T, int I, int R, class MakeHead, class Make, class First, class To, class... In>
  void reduce_computed(const turn_space<R>& over, const MakeHead& make_head, const Make& make,
                       const First& first, const To& to, const turn_array<In>&... in) {
    const auto computed = [&](const auto& head) {
      using source = computed_elements<T, I, std::remove_cvref_t<decltype(head)>, In...>;
      reduce_source(over.n, make, first, then(to), source(head, shape_for<I>(over), in.data()...));
    };
    if (!records())
      computed(make_head(here_.scalars));
    else
      with_body<deferred_body<MakeHead, State>>(make_head, computed);
  }
  /// out_k[i] = part k of body(in[i]…, index of i), for arrays of the types in Results.
  template <class Results, int I, int R, class Make, class... In>
  arrays_in_passing<Results, I, Make, In...> arrays(const turn_space<R>& over, const Make& make,
                                                    const turn_array<In>&... in) {
    auto all = later_arrays<Results, I>(over, make, in...);
    const auto part = [&](std::uint64_t begin, std::uint64_t end) {
      compute(over, all, begin, end);
    };
    if (is_on_gpu())
      arrays_on_gpu(over, all);
    else if constexpr (is_costly<in_passing_body<State, decltype(all)>>)
      host_costly_parts(over.n, part);
    else
      host_parts(over.n, part);
    return all;
  }

  /// The result of elementwise(make, in…), for one of the three below: that computes it.
  template <class Out, int I, bool Gathers = false, int R, class Make, class... In>
  stored_in_passing<Out, I, Gathers, Make, In...>
  later_elementwise(const turn_space<R>& over, const Make& make, const turn_array<In>&... in) {
    return {room_for<Out>(over.n), make, {in.data()...}};
  }
  /// The same of arrays(make, in…).
  template <class Results, int I, int R, class Make, class... In>
  arrays_in_passing<Results, I, Make, In...>
  later_arrays(const turn_space<R>& over, const Make& make, const turn_array<In>&... in) {
    return {rooms(over.n, static_cast<const Results*>(nullptr)), make, {in.data()...}};
  }
  /// The same of stencil(make, in…).
  template <class Out, class Footprint, int R, class Make, class... In>
  stencil_in_passing<Out, Footprint, Make, In...>
  later_stencil(const turn_space<R>& over, const Make& make, const turn_array<In>&... in) {
    return {room_for<Out>(over.n), make, {in.data()...}};
  }
  template <int R, class Make, class First, class To, class InPassing>
    requires requires(const InPassing& in) { in.result.data(); }
  void reduce(const turn_space<R>& over, const Make& make, const First& first, const To& to,
              const InPassing& in) {
    if (!records()) {
      const bool is_there = compute_before(over, in);
      return reduce_on_host(over.n, make, first, then(to), in.result.data(),
                            [&](auto begin, auto end) {
                              if (!is_there)
                                compute(over, in, begin, end);
                            });
    }
    if constexpr (is_stencil_in_passing<InPassing>)
      if (reduce_in_stencil<typename InPassing::value, 0>(over, in, same_element(), make, first,
                                                          then(to), in))
        return;
    with_leaf(over, in,
              [&](const auto& source) { reduce_on_gpu(over.n, make, first, then(to), source); });
  }
  template <class T, int I, int R, class MakeHead, class Make, class First, class To, class... In>
  void reduce_stored(const turn_space<R>& over, const MakeHead& make_head, const Make& make,
                     const First& first, const To& to, const In&... in) {
    if (!records()) {
      const auto head = make_head(here_.scalars);
      const auto computed = [&](const auto*... of) {
        return computed_elements<T, I, std::remove_cvref_t<decltype(head)>,
                                 std::remove_cvref_t<decltype(*of)>...>(head, shape_for<I>(over),
                                                                        of...);
      };
      const std::array are_there{compute_before(over, in)...};
      return reduce_on_host(over.n, make, first, then(to), computed(elements_of_leaf(in)...),
                            [&](auto begin, auto end) {
                              auto is_there = are_there.begin();
                              const auto compute_leaf = [&](const auto& leaf) {
                                if (!*is_there++)
                                  compute(over, leaf, begin, end);
                              };
                              (compute_leaf(in), ...);
                            });
    }
    if constexpr (are_of_stencil<In...>)
      if (reduce_in_stencil<T, I>(over, stencil_of(in...), make_head, make, first, then(to), in...))
        return;
    with_body<deferred_body<MakeHead, State>>(make_head, [&](const auto& head) {
      const auto computed = [&](const auto&... of) {
        using source = computed_of_sources<T, I, std::remove_cvref_t<decltype(head)>,
                                           std::remove_cvref_t<decltype(of)>...>;
        reduce_on_gpu(over.n, make, first, then(to), source(head, shape_for<I>(over), of...));
      };
      with_leaves(over, computed, in...);
    });
  }
  /// The same where several arrays are computed. \param in turn_array or part_of_later
  template <class T, int I, int R, class Later, class MakeHead, class Make, class First, class To,
            class... In>
  void reduce_later(const turn_space<R>& over, const Later& later, const MakeHead& make_head,
                    const Make& make, const First& first, const To& to, const In&... in) {
    if (!records()) {
      const bool is_there = compute_before(over, later);
      const auto compute_part = [&](auto begin, auto end) {
        if (!is_there)
          compute(over, later, begin, end);
      };
      if constexpr (std::is_same_v<MakeHead, same_element>) {
        reduce_on_host(over.n, make, first, then(to), elements_of_leaf(later, in)..., compute_part);
      } else {
        const auto head = make_head(here_.scalars);
        const auto computed = [&](const auto*... of) {
          return computed_elements<T, I, std::remove_cvref_t<decltype(head)>,
                                   std::remove_cvref_t<decltype(*of)>...>(head, shape_for<I>(over),
                                                                          of...);
        };
        reduce_on_host(over.n, make, first, then(to), computed(elements_of_leaf(later, in)...),
                       compute_part);
      }
      return;
    }
    with_body<deferred_body<MakeHead, State>>(make_head, [&](const auto& head) {
      with_sources(over, later, [&](const auto& source, const auto& places) {
        const auto computed = [&](const auto&... of) {
          using elements =
              elements_of_later<T, I, std::remove_cvref_t<decltype(head)>,
                                typename std::remove_cvref_t<decltype(source)>::value_type,
                                std::remove_cvref_t<decltype(source)>,
                                std::remove_cvref_t<decltype(of)>...>;
          reduce_on_gpu(over.n, make, first, then(to),
                        elements(head, shape_for<I>(over), source, places, of...));
        };
        computed(leaf_on_gpu(in)...);
      });
    });
  }

protected:
  bool is_on_gpu() const { return where().is_cuda(); }
  static constexpr bool queues = Form == turn_form::queued, unrolls = Form == turn_form::unrolled;
  /// Whether steps go into a graph.
  bool records() const { return !queues && is_on_gpu(); }

  /// As it lies on the device.
  struct room {
    State scalars;
    unsigned part;                     ///< of the loop's body, the last one that ran
    unsigned arrived = 0;              ///< blocks of the reduction that runs
    unsigned last_turn = no_last_turn; ///< the same part, once a loop that is unrolled has ended
  };
  room* room_on_gpu() { return static_cast<room*>(frame().state.data()); }
  loop_flag flag() {
    if (!is_in_a_row_)
      return {};
    return {&room_on_gpu()->last_turn, end_of_turn_.part};
  }
  /// A body for a kernel that does nothing after the loop's end.
  template <class Body> auto for_loop(const Body& body) {
    if constexpr (unrolls)
      return until_end<Body>{body, flag()};
    else
      return body;
  }

  /// run(body, …), with the body so many times.
  template <unsigned Steps, class Body, class Run>
  static bool on_steps(const Body& body, const Run& run) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return run((static_cast<void>(K), body)...);
    }(std::make_index_sequence<Steps>());
  }

  template <class Out> turn_array<Out> room_for(std::uint64_t n) {
    return turn_array<Out>(*this, take(bytes_of<Out>(n)));
  }

  room here_{};
  State* state_ = nullptr;   ///< on the device
  bool is_in_a_row_ = false; ///< what is recorded: a turn of several without tests between them
  loop_place end_of_turn_;   ///< of that turn
  bool has_test_ = false;    ///< that turn: a reduction does it

  /// \tparam I the space's rank, or 0
  template <int I, int R> static shape_of_rank<I> shape_for(const turn_space<R>& over) {
    shape_of_rank<I> result;
    for (int d = 0; d < I; ++d)
      result[d] = over.shape[d];
    return result;
  }
  template <class... Out>
  std::tuple<turn_array<Out>...> rooms(std::uint64_t n, const results<Out...>* /*types*/) {
    return {room_for<Out>(n)...};
  }
  template <class T> static T* room_of(const turn_array<T>& of) {
    return static_cast<T*>(of.held()->memory.data());
  }

  /// Calls launch with the body, as the GPU has it.
  template <class Deferred, class Make, class Launch>
  void with_body(const Make& make, const Launch& launch) {
    if constexpr (Make::uses_scalars && !queues)
      launch(Deferred{make, state_});
    else
      launch(make(here_.scalars));
  }

  template <class Out, class... Code, class Make, class First, class Source, class Prepare>
  void reduce_on_host(std::uint64_t n, const Make& make, const First& first,
                      const scalar_then<State, Out, Code...>& to, const Source& in,
                      const Prepare& prepare) {
    const auto body = make(here_.scalars);
    const Out all = host_reduce<Out>(body, in, n, prepare);
    if constexpr (First::is_first)
      here_.scalars.*to.result =
          static_cast<Out>(body(static_cast<Out>(first(here_.scalars)), all));
    else
      here_.scalars.*to.result = all;
    (run_here(Code()), ...);
  }
  template <class Code> void run_here(const Code& code) { code(here_.scalars); }
  template <class Ends> void run_here(const then_test<Ends>& /*code*/) {} // repeat() does

  // Leaves of reductions: arrays, or what is stored in passing.
  template <class T> static const T* elements_of_leaf(const turn_array<T>& of) { return of.data(); }
  template <class Out, int I, bool Gathers, class Make, class... In>
  static const Out* elements_of_leaf(const stored_in_passing<Out, I, Gathers, Make, In...>& of) {
    return of.result.data();
  }
  template <class Out, class Footprint, class Make, class... In>
  static const Out* elements_of_leaf(const stencil_in_passing<Out, Footprint, Make, In...>& of) {
    return of.result.data();
  }
  template <class Later, class T>
  static const T* elements_of_leaf(const Later& /*later*/, const turn_array<T>& of) {
    return of.data();
  }
  template <class Later, std::size_t K>
  static auto elements_of_leaf(const Later& later, part_of_later<K> /*leaf*/) {
    return std::get<K>(later.results).data();
  }
  template <class T> static const T* leaf_on_gpu(const turn_array<T>& of) { return of.data(); }
  template <class Out, class Footprint, class Make, class... In>
  static stencil_result leaf_on_gpu(const stencil_in_passing<Out, Footprint, Make, In...>& /*of*/) {
    return {};
  }
  template <class First, class... Rest>
  static const auto& stencil_of(const First& first, const Rest&... rest) {
    if constexpr (is_stencil_in_passing<First>)
      return first;
    else
      return stencil_of(rest...);
  }
  template <std::size_t K> static part_of_later<K> leaf_on_gpu(part_of_later<K> of) { return of; }

  /// Elements [begin, end) on this core.
  template <int R, class T>
  void compute(const turn_space<R>&, const turn_array<T>&, std::uint64_t, std::uint64_t) const {}
  template <int R, class... Out, int I, class Make, class... In>
  void compute(const turn_space<R>& over,
               const arrays_in_passing<results<Out...>, I, Make, In...>& of, std::uint64_t begin,
               std::uint64_t end) const {
    const auto body = of.make(here_.scalars);
    const auto to = std::apply(
        [](const auto&... each) { return std::tuple<Out*...>(room_of(each)...); }, of.results);
    std::apply(
        [&](const In*... in) {
          host_elementwise_group_part<I>(std::index_sequence_for<Out...>(), body,
                                         shape_for<I>(over), begin, end, to, in...);
        },
        of.in);
  }
  template <int R, class Out, int I, bool Gathers, class Make, class... In>
  void compute(const turn_space<R>& over, const stored_in_passing<Out, I, Gathers, Make, In...>& of,
               std::uint64_t begin, std::uint64_t end) const {
    const auto body = of.make(here_.scalars);
    auto* const out = static_cast<Out*>(of.result.held()->memory.data());
    std::apply(
        [&](const In*... in) {
          host_elementwise_part<I>(body, shape_for<I>(over), begin, end, out, in...);
        },
        of.in);
  }
  template <int R, class Out, class Footprint, class Make, class... In>
  void compute(const turn_space<R>& over, const stencil_in_passing<Out, Footprint, Make, In...>& of,
               std::uint64_t begin, std::uint64_t end) const {
    const auto body = of.make(here_.scalars);
    auto* const out = static_cast<Out*>(of.result.held()->memory.data());
    std::apply(
        [&](const In*... in) {
          host_stencil_part<Footprint>(body, over.shape, begin, end, out, in...);
        },
        of.in);
  }
  /// What takes long, where the reduction would have too few chunks for the cores.
  template <int R, class InPassing>
  bool compute_before(const turn_space<R>& over, const InPassing& of) const {
    if constexpr (is_costly<in_passing_body<State, InPassing>>)
      if (are_few_chunks(over.n)) {
        host_costly_parts(
            over.n, [&](std::uint64_t begin, std::uint64_t end) { compute(over, of, begin, end); });
        return true;
      }
    return false;
  }
  /// All elements on all cores, where they stay in the cores' caches until they are combined, and
  /// several arrays are read: pieces of rows take longer then. \returns whether it is so
  template <int R, class Out, class Footprint, class Make, class... In>
  bool compute_before(const turn_space<R>& over,
                      const stencil_in_passing<Out, Footprint, Make, In...>& of) const {
    constexpr std::uint64_t core_cache = std::uint64_t(2) << 20; // bytes
    if constexpr (sizeof...(In) > 1)
      if (over.n * (sizeof(Out) + ... + sizeof(In)) < core_cache * host_threads()) {
        std::apply(
            [&](const In*... in) {
              host_stencil<Footprint>(of.make(here_.scalars), over.shape, room_of(of.result),
                                      in...);
            },
            of.in);
        return true;
      }
    return false;
  }
  /// Calls run with a leaf's source on the GPU.
  template <int R, class T, class Run>
  void with_leaf(const turn_space<R>&, const turn_array<T>& of, const Run& run) {
    run(of.data());
  }
  template <int R, class Out, int I, bool Gathers, class Make, class... In, class Run>
  void with_leaf(const turn_space<R>& over,
                 const stored_in_passing<Out, I, Gathers, Make, In...>& of, const Run& run) {
    with_body<deferred_body<Make, State>>(of.make, [&](const auto& body) {
      using source = computed_elements<Out, I, std::remove_cvref_t<decltype(body)>, In...>;
      auto* const out = static_cast<Out*>(of.result.held()->memory.data());
      using storing = storing_source<Out, source>;
      const storing both(over_inputs<source>(body, shape_for<I>(over), of.in), out);
      if constexpr (!Gathers) {
        run(both);
      } else if (over.n < threads_at_once) {
        run(one_a_thread<storing>(both));
      } else { // blocks that combine wait for their longest rows, unless all run at once
        elementwise_on_gpu<I>(over, body, of.result, of.in);
        run(static_cast<const Out*>(out));
      }
    });
  }
  template <int R, class Out, class Footprint, class Make, class... In, class Run>
  void with_leaf(const turn_space<R>& over,
                 const stencil_in_passing<Out, Footprint, Make, In...>& of, const Run& run) {
    with_body<deferred_stencil<Make, State>>(of.make, [&](const auto& body) {
      // Of several arrays a reduction's threads, which go along rows, load too much.
      if (over.n * sizeof(Out) < least_bytes_in_passing || sizeof...(In) > 1) {
        stencil_on_gpu<Footprint>(over, body, of.result, of.in);
        return run(of.result.data());
      }
      using source = stencil_elements<Out, Footprint, std::uint64_t,
                                      std::remove_cvref_t<decltype(body)>, In...>;
      auto* const out = static_cast<Out*>(of.result.held()->memory.data());
      run(storing_source<Out, source>(over_inputs<source>(body, over.shape, of.in), out));
    });
  }
  template <int I, int R, class Body, class Out, class Inputs>
  void elementwise_on_gpu(const turn_space<R>& over, const Body& body,
                          const turn_array<Out>& result, const Inputs& inputs) {
    if constexpr (HasKernels) {
      std::apply(
          [&](const auto*... in) {
            cuda_elementwise<I>(for_loop(body), shape_for<I>(over), over.n, stream(),
                                room_of(result), in...);
          },
          inputs);
      where().check_launch(section());
    }
  }
  template <class Footprint, int R, class Body, class Out, class Inputs>
  void stencil_on_gpu(const turn_space<R>& over, const Body& body, const turn_array<Out>& result,
                      const Inputs& inputs) {
    if constexpr (HasKernels) {
      auto* const out = static_cast<Out*>(result.held()->memory.data());
      std::apply(
          [&](const auto*... in) {
            cuda_stencil<Footprint>(for_loop(body), over.shape, stream(), out, in...);
          },
          inputs);
      where().check_launch(section());
    }
  }
  /// Queues the kernel of several arrays.
  template <int R, class... Out, int I, class Make, class... In>
  void arrays_on_gpu(const turn_space<R>& over,
                     const arrays_in_passing<results<Out...>, I, Make, In...>& of) {
    if constexpr (HasKernels) {
      with_body<deferred_body<Make, State>>(of.make, [&](const auto& body) {
        launch_arrays<I>(over, body, of.results, std::index_sequence_for<Out...>(), of.in,
                         std::index_sequence_for<In...>());
      });
      where().check_launch(section());
    }
  }
  template <int I, int R, class Body, class... Out, std::size_t... S, class... In, std::size_t... K>
  void launch_arrays(const turn_space<R>& over, const Body& body,
                     const std::tuple<turn_array<Out>...>& to, std::index_sequence<S...>,
                     const std::tuple<const In*...>& in, std::index_sequence<K...>) {
    cuda_elementwise_group<I, Out...>(for_loop(body), shape_for<I>(over), over.n, stream(),
                                      {{room_of(std::get<S>(to))}...}, std::get<K>(in)...);
  }
  template <class... Out>
  static detail::numbered_values<std::index_sequence_for<Out...>, Out*...>
  places_of(const std::tuple<turn_array<Out>...>& of) {
    return std::apply(
        [](const turn_array<Out>&... each) {
          return detail::numbered_values<std::index_sequence_for<Out...>, Out*...>{
              {room_of(each)}...};
        },
        of);
  }
  /// Calls run with what computes several arrays' elements, and with where these are stored.
  template <int R, class... Out, int I, class Make, class... In, class Run>
  void with_sources(const turn_space<R>& over,
                    const arrays_in_passing<results<Out...>, I, Make, In...>& of, const Run& run) {
    with_body<deferred_body<Make, State>>(of.make, [&](const auto& body) {
      using source =
          combined_elements<results<Out...>, I, std::remove_cvref_t<decltype(body)>, In...>;
      run(over_inputs<source>(body, shape_for<I>(over), of.in), places_of(of.results));
    });
  }
  // nvcc 13.0 does not find a class's pack in a lambda within another one.
  template <class Source, class Body, class Shape, class Inputs>
  static Source over_inputs(const Body& body, const Shape& shape, const Inputs& inputs) {
    return std::apply([&](const auto*... in) { return Source(body, shape, in...); }, inputs);
  }
  template <int R, class Run> void with_leaves(const turn_space<R>&, const Run& run) { run(); }
  template <int R, class Run, class First, class... Rest>
  void with_leaves(const turn_space<R>& over, const Run& run, const First& first,
                   const Rest&... rest) {
    with_leaf(over, first, [&](const auto& source) {
      with_leaves(over, [&](const auto&... more) { run(source, more...); }, rest...);
    });
  }

  template <class Out, class... Code, class Make, class First, class Source>
  void reduce_source(std::uint64_t n, const Make& make, const First& first,
                     const scalar_then<State, Out, Code...>& to, const Source& in) {
    if (!records())
      reduce_on_host(n, make, first, to, in, [](std::uint64_t, std::uint64_t) {});
    else
      reduce_on_gpu(n, make, first, to, in);
  }
  template <class Out, class... Code, class Make, class First, class Source>
  void reduce_on_gpu(std::uint64_t n, const Make& make, const First& first,
                     const scalar_then<State, Out, Code...>& to, const Source& in) {
    if constexpr (HasKernels && !queues)
      reduce_by(
          reduce_workspace<Out, Source>(n), make, first, to,
          [&](const auto& body, const auto& start, Out* workspace, Out* out, const auto& tail) {
            cuda_reduce_then(body, in, n, start, workspace, out, tail, &room_on_gpu()->arrived,
                             stream());
          });
  }
  /// Calls launch with the body of a reduction, what it starts with, where results go and what
  /// follows. \param places of intermediate results
  template <class Out, class... Code, class Make, class First, class Launch>
  void reduce_by(std::uint64_t places, const Make& make, const First& first,
                 const scalar_then<State, Out, Code...>& to, const Launch& launch) {
    const turn_array<Out> workspace = room_for<Out>(places);
    with_body<deferred_body<Make, State>>(make, [&](const auto& body) {
      const auto queue = [&](const auto& start, const auto& front) {
        using tail = turn_tail<State, std::remove_cvref_t<decltype(front)>, Code...>;
        launch(body, start, room_of(workspace), &(state_->*to.result),
               tail{state_, flag(), end_of_turn_, front});
      };
      if constexpr (First::uses_scalars) // which the host does not know
        queue(start_with_nothing{},
              first_in_front<State, Out, Make, First>{make, first, to.result});
      else if constexpr (First::is_first)
        queue(start_with<Out>{static_cast<Out>(first(here_.scalars))}, nothing_in_front{});
      else
        queue(start_with_nothing{}, nothing_in_front{});
    });
    has_test_ = has_test_ || (is_then_test<Code> || ...);
    where().check_launch(section());
  }

  /// Has the kernel of a stencil combine its results. \returns whether that is faster; nothing
  /// happens if not
  template <class T, int I, int R, class Stencil, class MakeHead, class Make, class First, class To,
            class... In>
  bool reduce_in_stencil(const turn_space<R>& over, const Stencil& of, const MakeHead& make_head,
                         const Make& make, const First& first, const To& to, const In&... in) {
    bool does = false;
    if constexpr (HasKernels && !queues)
      with_body<deferred_body<MakeHead, State>>(make_head, [&](const auto& head) {
        using made =
            elements_of_stencil<T, I, std::remove_cvref_t<decltype(head)>, typename Stencil::value,
                                decltype(leaf_on_gpu(std::declval<const In&>()))...>;
        does = reduce_made(over, of, made(head, shape_for<I>(over), leaf_on_gpu(in)...), make,
                           first, to);
      });
    return does;
  }
  template <int R, class To, class Footprint, class MakeStencil, class... In, class Made,
            class Make, class First, class Out, class... Code>
  bool reduce_made(const turn_space<R>& over,
                   const stencil_in_passing<To, Footprint, MakeStencil, In...>& of,
                   const Made& made, const Make& make, const First& first,
                   const scalar_then<State, Out, Code...>& to) {
    bool does = false;
    with_body<deferred_stencil<MakeStencil, State>>(of.make, [&](const auto& stencil) {
      using body_of_stencil = std::remove_cvref_t<decltype(stencil)>;
      if constexpr (combines_in_stencil<Footprint, Made, To, Out, body_of_stencil, In...>())
        if (suits_pieces<Made, To>(over.shape)) {
          does = true;
          reduce_by(
              row_pieces<Out, Made>(over.n), make, first, to,
              [&](const auto& body, const auto& start, Out* workspace, Out* out, const auto& tail) {
                launch_stencil_reduce<Footprint>(stencil, over, of, made, body, start, workspace,
                                                 out, tail, std::index_sequence_for<In...>());
              });
        }
    });
    return does;
  }
  template <class Footprint, class Stencil, int R, class Of, class Made, class Body, class Start,
            class Out, class Tail, std::size_t... K>
  void launch_stencil_reduce(const Stencil& stencil, const turn_space<R>& over, const Of& of,
                             const Made& made, const Body& body, const Start& start, Out* workspace,
                             Out* out, const Tail& tail, std::index_sequence<K...> /*inputs*/) {
    cuda_stencil_reduce_then<Footprint>(stencil, over.shape, room_of(of.result), made, body, start,
                                        workspace, out, tail, &room_on_gpu()->arrived, stream(),
                                        std::get<K>(of.in)...);
  }
};

} // namespace ikra::rt
