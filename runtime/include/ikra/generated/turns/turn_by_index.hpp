// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions by index in turns (ikra/generated/turns/turns.hpp): one in a kernel of its own; or
// several in one, with the arrays that they read and a sum. What they read may be computed where it
// is read.
#pragma once

#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/launch_by_indices.hpp>
#include <ikra/generated/turns/turn_commands.hpp>
#include <ikra/generated/turns/turn_memory.hpp>
#include <ikra/generated/turns/turn_sources.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// Reductions by index that store nothing else; and that have no reduction to a scalar beside them.
struct nothing_later {};
struct no_reduction {};

/// Elements that are computed where they are read. \tparam I rank of the index, 0 if the body takes
/// none
template <class T, int I, class Make, class... In> struct computed_there {
  using value_type = T;
  static constexpr int rank = I;
  shape_of_rank<I> shape;
  Make make;
  std::tuple<const In*...> in;

  /// \param body make's
  template <class Body> computed_elements<T, I, Body, In...> with(const Body& body) const {
    return std::apply(
        [&](const In*... of) { return computed_elements<T, I, Body, In...>(body, shape, of...); },
        in);
  }
};

/// What a part of such a kernel reads. \{
template <class T> const T* operand_of(const turn_array<T>& of) { return of.data(); }
template <class T, int I, class Make, class... In>
const computed_there<T, I, Make, In...>& operand_of(const computed_there<T, I, Make, In...>& of) {
  return of; // NOLINT(bugprone-return-const-ref-from-parameter): the turn's program has it
}
inline each_once operand_of(each_once of) { return of; }
/// \}

/// A reduction by index. \tparam Keys, In what operand_of() gives
template <class Out, class Make, class First, class Keys, class In> struct part_by_key {
  using out_type = Out;
  std::uint64_t bins;
  Make make;
  First first;
  Keys keys;
  In in;
};

/// A sum of integers beside these.
template <class Out, class State, class Make, class First, class In> struct part_to_scalar {
  Make make;
  First first;
  place_in_state<State, Out> result;
  In in;
};

/// Of reductions that count. \{
struct makes_counts {
  static constexpr bool uses_scalars = false;
  template <class State> IKRA_HD adds_counts operator()(const State&) const { return {}; }
};
struct zero_first {
  static constexpr bool is_first = true, uses_scalars = false;
  template <class State> IKRA_HD std::int64_t operator()(const State&) const { return 0; }
};
/// \}

/// \tparam State, Form, HasKernels as of turn_commands
template <class State, turn_form Form, bool HasKernels>
class turn_by_index : public turn_commands<State, Form, HasKernels> {
  using commands = turn_commands<State, Form, HasKernels>;

public:
  using commands::commands;

  /// out[b] = first(scalars) and, after it, the elements whose key is b, combined in their order.
  /// \param bins the space of the result \param fails becomes true where a key is outside; on all
  /// cores that ends the turns \param in turn_array, or each_once
  template <class Out, int R, class Make, class First, class Key, class In>
  turn_array<Out> by_index(const turn_space<R>& over, const turn_space<1>& bins, const Make& make,
                           const First& first, bool State::* fails, const turn_array<Key>& keys,
                           const In& in) {
    turn_array<Out> result = room_for<Out>(bins.n);
    if (!is_on_gpu()) {
      const std::uint64_t outside =
          host_reduce_by_index(make(here_.scalars), keys.data(), elements_by_index(in), over.n,
                               bins.n, static_cast<const Out*>(nullptr),
                               static_cast<Out>(first(here_.scalars)), room_of(result));
      if (outside < over.n)
        throw error(error_kind::index_outside, "ikra: a key is outside");
    } else if constexpr (HasKernels && !queues) {
      by_index_on_gpu(over.n, bins.n, make, first, fails, keys.data(), elements_by_index(in),
                      result);
    }
    return result;
  }

  /// Elements of type T that one of the next two computes where it reads them. \tparam I as of
  /// elementwise
  template <class T, int I, int R, class Make, class... In>
  computed_there<T, I, Make, In...> computed(const turn_space<R>& over, const Make& make,
                                             const turn_array<In>&... in) {
    return {shape_for<I>(over), make, {in.data()...}};
  }
  /// A reduction for by_indices(); as by_index, and as reduce. \{
  template <class Out, class Make, class First, class Keys, class In>
  auto by_key(const turn_space<1>& bins, const Make& make, const First& first, const Keys& keys,
              const In& in) {
    using part = part_by_key<Out, Make, First, std::remove_cvref_t<decltype(operand_of(keys))>,
                             std::remove_cvref_t<decltype(operand_of(in))>>;
    return part{bins.n, make, first, operand_of(keys), operand_of(in)};
  }
  template <class Out, class Make, class First, class In>
  auto to_scalar(const Make& make, const First& first, Out State::* result, const In& in) {
    using part =
        part_to_scalar<Out, State, Make, First, std::remove_cvref_t<decltype(operand_of(in))>>;
    return part{make, first, result, operand_of(in)};
  }
  /// \}
  /// Several reductions by index of one space, in one kernel, with what they read and a sum.
  /// \param later what is computed and stored before: later_elementwise(…), later_arrays(…) or
  /// nothing_later \param reduction to_scalar(…) or no_reduction \param fails as of by_index
  template <int R, class Later, class Reduction, class... Part>
  std::tuple<turn_array<typename Part::out_type>...>
  by_indices(const turn_space<R>& over, const Later& later, const Reduction& reduction,
             bool State::* fails, const Part&... part) {
    std::tuple<turn_array<typename Part::out_type>...> results{
        room_for<typename Part::out_type>(part.bins)...};
    if (!is_on_gpu())
      by_indices_on_host(over, later, reduction, results, std::index_sequence_for<Part...>(),
                         part...);
    else if constexpr (HasKernels && !queues)
      by_indices_on_gpu(over, later, reduction, fails, results, std::index_sequence_for<Part...>(),
                        part...);
    return results;
  }

protected:
  using commands::arrays_on_gpu;
  using commands::compute;
  using commands::here_;
  using commands::is_on_gpu;
  using commands::places_of;
  using commands::queues;
  using commands::reduce_on_gpu;
  using commands::reduce_on_host;
  using commands::room_of;
  using commands::section;
  using commands::state_;
  using commands::stream;
  using commands::where;
  template <class Out> turn_array<Out> room_for(std::uint64_t n) {
    return commands::template room_for<Out>(n);
  }
  template <int I, int R> static shape_of_rank<I> shape_for(const turn_space<R>& over) {
    return commands::template shape_for<I>(over);
  }
  template <class Source, class Body, class Shape, class Inputs>
  static Source over_inputs(const Body& body, const Shape& shape, const Inputs& inputs) {
    return commands::template over_inputs<Source>(body, shape, inputs);
  }

  template <class T> static const T* elements_by_index(const turn_array<T>& of) {
    return of.data();
  }
  static each_once elements_by_index(each_once of) { return of; }

  template <int R>
  void compute(const turn_space<R>&, const nothing_later&, std::uint64_t, std::uint64_t) const {}

  // Reductions by index, on all cores.
  // -------------------------------------------------------------

  template <class T> const T* on_host(const T* of) const { return of; }
  each_once on_host(each_once of) const { return of; }
  template <class T, int I, class Make, class... In>
  auto on_host(const computed_there<T, I, Make, In...>& of) const {
    return of.with(of.make(here_.scalars));
  }
  /// The same in memory, which is read more than once.
  template <class Of> auto stored_on_host(std::uint64_t, const Of& of) { return of; }
  template <class T, int I, class Make, class... In>
  turn_array<T> stored_on_host(std::uint64_t n, const computed_there<T, I, Make, In...>& of) {
    turn_array<T> result = room_for<T>(n);
    std::apply(
        [&](const In*... in) {
          host_elementwise<I>(of.make(here_.scalars), of.shape, n, room_of(result), in...);
        },
        of.in);
    return result;
  }
  template <class T> static const T* in_memory(const turn_array<T>& of) { return of.data(); }
  template <class T> static const T* in_memory(const T* of) { return of; }
  static each_once in_memory(each_once of) { return of; }

  template <class Out, class Make, class First, class Keys, class In, class Prepare>
  void part_on_host(std::uint64_t n, const part_by_key<Out, Make, First, Keys, In>& part,
                    const turn_array<Out>& result, const Prepare& prepare) {
    const auto run = [&](const auto& keys, const auto& in, const auto& before) {
      const std::uint64_t outside = host_reduce_by_index(
          part.make(here_.scalars), keys, in, n, part.bins, static_cast<const Out*>(nullptr),
          static_cast<Out>(part.first(here_.scalars)), room_of(result), before);
      if (outside < n)
        throw error(error_kind::index_outside, "ikra: a key is outside");
    };
    if (has_few_keys(n, part.bins))
      return run(on_host(part.keys), on_host(part.in), prepare);
    host_parts(n, prepare);
    const auto keys = stored_on_host(n, part.keys);
    const auto in = stored_on_host(n, part.in);
    run(in_memory(keys), in_memory(in), [](std::uint64_t, std::uint64_t) {});
  }
  template <int R, class Later, class Reduction, class Results, std::size_t... K, class... Part>
  void by_indices_on_host(const turn_space<R>& over, const Later& later, const Reduction& reduction,
                          const Results& results, std::index_sequence<K...>, const Part&... part) {
    bool is_stored = false; // what is computed before
    const auto prepare = [&](std::uint64_t begin, std::uint64_t end) {
      if (!is_stored)
        compute(over, later, begin, end);
    };
    if constexpr (!std::is_same_v<Reduction, no_reduction>) {
      reduce_on_host(over.n, reduction.make, reduction.first, then(reduction.result),
                     on_host(reduction.in), prepare);
      is_stored = true;
    }
    ((part_on_host(over.n, part, std::get<K>(results), prepare), is_stored = true), ...);
  }

  // The same on a GPU.
  // -----------------------------------------------------------------------------

  template <class Deferred, class Make> auto made_on_gpu(const Make& make) const {
    if constexpr (Make::uses_scalars && !queues)
      return Deferred{make, state_};
    else
      return make(here_.scalars);
  }
  template <class T> const T* on_gpu(const T* of) const { return of; }
  each_once on_gpu(each_once of) const { return of; }
  template <class T, int I, class Make, class... In>
  auto on_gpu(const computed_there<T, I, Make, In...>& of) const {
    return of.with(made_on_gpu<deferred_body<Make, State>>(of.make));
  }
  template <class Of> auto stored_on_gpu(std::uint64_t, const Of& of) { return of; }
  template <class T, int I, class Make, class... In>
  turn_array<T> stored_on_gpu(std::uint64_t n, const computed_there<T, I, Make, In...>& of) {
    turn_array<T> result = room_for<T>(n);
    const auto body = made_on_gpu<deferred_body<Make, State>>(of.make);
    std::apply(
        [&](const auto*... in) {
          cuda_elementwise<I>(body, of.shape, n, stream(), room_of(result), in...);
        },
        of.in);
    where().check_launch(section());
    return result;
  }

  template <class Out, class Make, class First, class Key, class In>
  void by_index_on_gpu(std::uint64_t n, std::uint64_t bins, const Make& make, const First& first,
                       bool State::* fails, const Key* keys, const In& in,
                       const turn_array<Out>& result) {
    cuda_turn_fill(first, state_, room_of(result), bins, stream());
    const auto body = made_on_gpu<deferred_body<Make, State>>(make);
    const by_index_shape<Out> shape(n, bins);
    constexpr bool adds = adds_integers<decltype(body), Out>;
    if (!adds && !shape.fits())
      throw error(error_kind::unsupported, "ikra: too many keys for a loop's graph");
    const std::uint64_t parts = adds ? 1 : shape.warp_count * bins;
    const turn_array<Out> of_warps = room_for<Out>(parts);
    const turn_array<unsigned char> there = room_for<unsigned char>(parts);
    cuda_by_few_indices(body, keys, in, n, bins, room_of(result), room_of(of_warps), room_of(there),
                        &(state_->*fails), stream());
    where().check_launch(section());
  }

  /// What computes and stores an element. \{
  template <int R> prepares_nothing prepares(const turn_space<R>&, const nothing_later&) const {
    return {};
  }
  template <int R, class Out, int I, bool Gathers, class Make, class... In>
  auto prepares(const turn_space<R>& over,
                const stored_in_passing<Out, I, Gathers, Make, In...>& of) const {
    const auto body = made_on_gpu<deferred_body<Make, State>>(of.make);
    using source = computed_elements<Out, I, std::remove_const_t<decltype(body)>, In...>;
    using storing = storing_source<Out, source>;
    return prepares_source<storing>{
        storing(over_inputs<source>(body, shape_for<I>(over), of.in), room_of(of.result))};
  }
  template <int R, class First, class... Out, int I, class Make, class... In>
  auto prepares(const turn_space<R>& over,
                const arrays_in_passing<results<First, Out...>, I, Make, In...>& of) const {
    const auto body = made_on_gpu<deferred_body<Make, State>>(of.make);
    using source =
        combined_elements<results<First, Out...>, I, std::remove_const_t<decltype(body)>, In...>;
    using storing =
        elements_of_later<First, 0, same_element, results<First, Out...>, source, part_of_later<0>>;
    return prepares_source<storing>{storing(same_element(), shape_of_rank<0>(),
                                            over_inputs<source>(body, shape_for<I>(over), of.in),
                                            places_of(of.results), part_of_later<0>())};
  }
  /// \}
  /// Has it stored by a kernel of its own. \{
  template <int R> void store_on_gpu(const turn_space<R>&, const nothing_later&) {}
  template <int R, class Out, int I, bool Gathers, class Make, class... In>
  void store_on_gpu(const turn_space<R>& over,
                    const stored_in_passing<Out, I, Gathers, Make, In...>& of) {
    this->template elementwise_on_gpu<I>(over, made_on_gpu<deferred_body<Make, State>>(of.make),
                                         of.result, of.in);
  }
  template <int R, class Results, int I, class Make, class... In>
  void store_on_gpu(const turn_space<R>& over,
                    const arrays_in_passing<Results, I, Make, In...>& of) {
    arrays_on_gpu(over, of);
  }
  /// \}

  /// A part as a kernel has it, with its memory. \param at the shared memory that others have \{
  template <class Out> struct memory_of_part {
    turn_array<Out> of_warps;
    turn_array<unsigned char> there;
  };
  template <class Body, class Out>
  static std::uint64_t shared_of(std::uint64_t n, std::uint64_t bins) {
    if constexpr (adds_integers<Body, Out>)
      return by_index_shape<Out>::round(bins * sizeof(Out));
    else
      return warps_by_indices * by_index_shape<Out>(n, bins).warp_bytes();
  }
  template <class Out, class Make, class First, class Keys, class In>
  auto part_on_gpu(std::uint64_t n, const part_by_key<Out, Make, First, Keys, In>& part,
                   bool State::* fails, const turn_array<Out>& result, memory_of_part<Out>& memory,
                   std::uint64_t& shared) {
    cuda_turn_fill(part.first, state_, room_of(result), part.bins, stream());
    const auto body = made_on_gpu<deferred_body<Make, State>>(part.make);
    using body_type = std::remove_const_t<decltype(body)>;
    const auto keys = on_gpu(part.keys);
    const auto in = on_gpu(part.in);
    using keys_type = std::remove_const_t<decltype(keys)>;
    using in_type = std::remove_const_t<decltype(in)>;
    bool* const outside = &(state_->*fails);
    const std::uint64_t at =
        std::exchange(shared, shared + shared_of<body_type, Out>(n, part.bins));
    if constexpr (adds_integers<body_type, Out>) {
      return added_by_key<Out, keys_type, in_type>{keys,    in, part.bins, room_of(result),
                                                   outside, at};
    } else {
      const by_index_shape<Out> shape(n, part.bins);
      memory.of_warps = room_for<Out>(shape.warp_count * part.bins);
      memory.there = room_for<unsigned char>(shape.warp_count * part.bins);
      return combined_by_key<Out, body_type, keys_type, in_type>{
          body, keys, in, shape, room_of(memory.of_warps), room_of(memory.there), outside, at};
    }
  }
  template <class Out, class Make, class First, class Keys, class In>
  void end_part(std::uint64_t n, const part_by_key<Out, Make, First, Keys, In>& part,
                const turn_array<Out>& result, const memory_of_part<Out>& memory) {
    const auto body = made_on_gpu<deferred_body<Make, State>>(part.make);
    if constexpr (!adds_integers<std::remove_const_t<decltype(body)>, Out>)
      cuda_by_index_parts(body, by_index_shape<Out>(n, part.bins),
                          static_cast<const Out*>(room_of(memory.of_warps)),
                          static_cast<const unsigned char*>(room_of(memory.there)), room_of(result),
                          stream());
  }
  /// \}
  /// The warps that a part deals elements out to; 0: any, and most_warps + 1 where it does not fit.
  template <class Out, class Make, class First, class Keys, class In>
  std::uint64_t warps_of(std::uint64_t n, const part_by_key<Out, Make, First, Keys, In>& part) {
    using body_type = decltype(made_on_gpu<deferred_body<Make, State>>(part.make));
    const by_index_shape<Out> shape(n, part.bins);
    if constexpr (adds_integers<body_type, Out>)
      return 0;
    else
      return shape.fits() ? shape.warp_count : by_index_shape<Out>::most_warps + 1;
  }

  template <int R, class Later, class Reduction, class Results, std::size_t... K, class... Part>
  void by_indices_on_gpu(const turn_space<R>& over, const Later& later, const Reduction& reduction,
                         bool State::* fails, const Results& results, std::index_sequence<K...>,
                         const Part&... part) {
    constexpr std::uint64_t most = by_index_shape<int>::most_warps;
    std::uint64_t warps = 0, shared = 0;
    bool is_one = true; // kernel
    const auto count = [&](std::uint64_t of, std::uint64_t bytes) {
      is_one = is_one && of <= most && (of == 0 || warps == 0 || of == warps) &&
               bytes <= most_shared_by_indices - shared;
      warps = of == 0 ? warps : of;
      shared += is_one ? bytes : 0;
    };
    (count(warps_of(over.n, part),
           shared_of<decltype(made_on_gpu<deferred_body<decltype(part.make), State>>(part.make)),
                     typename Part::out_type>(over.n, part.bins)),
     ...);
    if (!is_one) {
      store_on_gpu(over, later);
      if constexpr (!std::is_same_v<Reduction, no_reduction>)
        reduce_on_gpu(over.n, reduction.make, reduction.first, then(reduction.result),
                      on_gpu(reduction.in));
      (part_alone_on_gpu(over.n, part, fails, std::get<K>(results)), ...);
      return;
    }
    if (warps == 0)
      warps = by_index_shape<int>(over.n, 1).warp_count;
    std::tuple<memory_of_part<typename Part::out_type>...> memory;
    shared = 0;
    const auto run = [&](const auto&... each) {
      cuda_by_indices(prepares(over, later), over.n, warps, shared, stream(), each...);
    };
    if constexpr (std::is_same_v<Reduction, no_reduction>)
      run_with(run, std::tuple{part_on_gpu(over.n, part, fails, std::get<K>(results),
                                           std::get<K>(memory), shared)...});
    else
      run_with(run, std::tuple{sum_on_gpu(reduction),
                               part_on_gpu(over.n, part, fails, std::get<K>(results),
                                           std::get<K>(memory), shared)...});
    where().check_launch(section());
    (end_part(over.n, part, std::get<K>(results), std::get<K>(memory)), ...);
    where().check_launch(section());
  }
  template <class Run, class Tuple> static void run_with(const Run& run, const Tuple& parts) {
    std::apply(run, parts);
  }
  template <class Out, class Make, class First, class In>
  auto sum_on_gpu(const part_to_scalar<Out, State, Make, First, In>& part) {
    Out* const out = &(state_->*part.result);
    if constexpr (First::is_first)
      cuda_turn_fill(part.first, state_, out, 1, stream());
    else
      cuda_turn_fill(zero_first(), state_, out, 1, stream());
    const auto in = on_gpu(part.in);
    return added_to_scalar<Out, std::remove_const_t<decltype(in)>>{in, out};
  }
  template <class Out, class Make, class First, class Keys, class In>
  void part_alone_on_gpu(std::uint64_t n, const part_by_key<Out, Make, First, Keys, In>& part,
                         bool State::* fails, const turn_array<Out>& result) {
    const auto keys = stored_on_gpu(n, part.keys);
    const auto in = stored_on_gpu(n, part.in);
    by_index_on_gpu(n, part.bins, part.make, part.first, fails, in_memory(keys), in_memory(in),
                    result);
  }
};

} // namespace ikra::rt
