// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a session does with values: the lazy operations over arrays whose elements are not pointers
// to objects, each as one launch. The input's elements are brought to the session's device if they
// are not there; results stay there until the host asks for them.
#pragma once

#include <ikra/generated/launch/host_stencil_tiles.hpp>
#include <ikra/generated/launch/kernel_value.hpp>
#include <ikra/generated/launch/launch_axis.hpp>
#include <ikra/generated/launch/launch_by_index.hpp>
#include <ikra/generated/launch/launch_elementwise.hpp>
#include <ikra/generated/launch/launch_loop.hpp>
#include <ikra/generated/launch/launch_reduce.hpp>
#include <ikra/generated/launch/launch_runs.hpp>
#include <ikra/generated/launch/launch_scan.hpp>
#include <ikra/generated/launch/launch_select.hpp>
#include <ikra/generated/launch/launch_sort.hpp>
#include <ikra/generated/launch/launch_stencil.hpp>
#include <ikra/generated/launch/launch_stencil_steps.hpp>
#include <ikra/generated/session/session_base.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// Says of results that they are pointers to objects. \tparam Pointer as the host has them;
/// \tparam References how they are told apart.
template <class Pointer, class References> struct pointers {};

namespace detail {
template <class T> struct computed_as {
  using type = T;
};
template <class Pointer, class References> struct computed_as<pointers<Pointer, References>> {
  using type = object_id;
};
template <class Host, class... References>
struct computed_as<with_object_ids<Host, References...>> {
  using type = typename with_ids<Host>::type;
};
} // namespace detail

/// What launches take and compute for elements of type T: IDs for pointers. In all of the session's
/// members, In and Out may be with_object_ids<…>.
template <class T> using computed_t = typename detail::computed_as<T>::type;

/// \tparam HasKernels whether this translation unit is compiled by nvcc.
template <bool HasKernels> class value_session : public session_base {
public:
  /// out[i] = body(in[i]).
  template <class In, class Out, class Body> void map_values(const Body& body) {
    launch_elementwise<Out, 0, In>(body, input_size(), std::index_sequence<0>());
  }
  /// out[i] = body(in[i], index of i); an index is std::int64_t in rank 1 and ikra::index<R> above.
  template <class In, class Out, int R = 1, class Body> void map_values_indexed(const Body& body) {
    launch_elementwise<Out, R, In>(body, input_size(), std::index_sequence<0>());
  }

  /// out[i] = body(in0[i], in1[i], …): one type of elements for each input.
  template <class Out, class... In, class Body> void combine_values(const Body& body) {
    launch_elementwise<Out, 0, In...>(body, input_size(), std::index_sequence_for<In...>());
  }
  /// out[i] = body(in0[i], in1[i], …, index of i).
  template <class Out, int R, class... In, class Body>
  void combine_values_indexed(const Body& body) {
    launch_elementwise<Out, R, In...>(body, input_size(), std::index_sequence_for<In...>());
  }

  /// out[i] = body(index of i): an array without inputs.
  template <class Out, int R, class Body> void new_values(const Body& body) {
    launch_elementwise<Out, R>(body, size_of_shape(), std::index_sequence<>());
  }

  /// out[i] = body(window at i). \tparam Footprint rt::footprint of the neighbourhood \tparam
  /// Border what happens where a neighbour lies outside; for border::value the result is
  /// call.outside<Out>().
  template <class In, class Out, class Footprint, border Border, class Body>
  void stencil_values(const Body& body) {
    launch_stencil<Out, Footprint, In>(stencil_body<Out, Footprint, Border, false>(body),
                                       std::index_sequence<0>());
  }
  /// out[i] = body(window at i, index of i).
  template <class In, class Out, class Footprint, border Border, class Body>
  void stencil_values_indexed(const Body& body) {
    launch_stencil<Out, Footprint, In>(stencil_body<Out, Footprint, Border, true>(body),
                                       std::index_sequence<0>());
  }
  /// out[i] = body(accessor of i): stencils with other sections in one kernel. \tparam Footprint
  /// how far the body reaches in all \tparam In one type of elements for each array that accessors
  /// give elements of
  template <class Out, class Footprint, class... In, class Body>
  void stencils_computed(const Body& body) {
    launch_stencil<Out, Footprint, In...>(body, std::index_sequence_for<In...>());
  }

  /// What stencil_values launches, of the call's k-th node: a body for accessors.
  template <class Out, class Footprint, border Border, bool WithIndex, class Body>
  auto stencil_body(const Body& body, std::size_t k = 0) const {
    using result = std::remove_pointer_t<decltype(for_kernel(static_cast<Out*>(nullptr)))>;
    const auto with = [&](const auto& outside) {
      using given = std::remove_cvref_t<decltype(outside)>;
      return stencil_of_array<result, Footprint, Border, WithIndex, Body, given>{body, outside};
    };
    if constexpr (Border == border::value)
      return with(as_in_kernels(map().template outside<Out>(k)));
    else
      return with(no_value());
  }
  /// out[i] = the last body(accessor of i), each over what the one before it gives: stencils, in
  /// tiles if the array suits these. \tparam OnGpu whether there, too: two, more of ranks 1 and 2
  /// \tparam Results types of what bodies give; of one size if they are more than two
  template <bool OnGpu, class In, class... Results, class... Bodies>
  void stencils_in_tiles(const Bodies&... bodies) {
    using results = std::tuple<Results...>;
    using out_type = std::tuple_element_t<sizeof...(Results) - 1, results>;
    using between = std::tuple_element_t<0, results>;
    constexpr int rank = std::tuple_element_t<0, std::tuple<Bodies...>>::footprint::rank;
    const index<rank> extents = shape<rank>();
    const auto n = static_cast<std::size_t>(extents.volume());
    produce_results<out_type>(n, [&](out_type* out) {
      const In* const in = input<In>(0);
      if constexpr (HasKernels && OnGpu)
        if (where().is_cuda() &&
            cuda_stencils_in_tiles<between>(extents, where().stream(), out, in, bodies...)) {
          where().check_launch(section());
          return;
        }
      if (in_host_tiles<Results...>(std::tuple(bodies...), extents, out, in))
        return;
      const device_memory room(where(), bytes_of<between>(n), "results between stencils",
                               section());
      stencils_one_by_one<In, Results...>(
          [&]<class From, class To, class Body>(const Body& body, const From* from, To* to) {
            launch_stencil_to<typename Body::footprint>(body, extents, to, from);
          },
          in, room.data(), out, bodies...);
    });
  }

  /// out[i] = what all steps make of in[i], the call's last node first. loop.add(sequence, node)
  /// adds a step for a node; loop.run(section, body, step) calls step.plain(body),
  /// step.indexed(body), or, for a node without inputs, step.start(body);
  /// loop.run_turn(entries, times, step) runs Loop::sections in their order.
  /// \tparam R rank of the index, 0 if no step takes one
  template <class T, int R, class Loop> void loop_values(const Loop& loop) {
    const bool has_input = call().inputs() != 0;
    const std::size_t n = has_input ? input_size() : size_of_shape();
    const T* from = has_input ? input<T>(0) : nullptr;
    device_memory memory;
    if (!has_input || !take_input<T, T>(memory, 0, n))
      memory = memory_of_results<T>(n);
    T* const out = static_cast<T*>(memory.data());
    for (std::size_t left = call().nodes(); left > 0; from = out) {
      Loop bodies = loop;
      node_sequence sequence(Loop::sections);
      while (left > 0 && bodies.add(sequence, call().node(left - 1)))
        --left;
      launch_loop<R>(bodies, sequence, n, out, from);
    }
    give_results<T>(n, std::move(memory));
  }

  /// out[0] = all elements combined in their order by body(a, b), which is associative. There is at
  /// least one. \tparam T may be pointers<…>, here and in scan_values and sort_values
  template <class T, class Body> void reduce_values(const Body& body) {
    reduce<T>(body, elements_of<T>(), input_size(), start_with_nothing{});
  }
  /// The same after a first value, call.initial<Out>(), where Out = std::common_type_t<Init, T> is
  /// the type of the result, which elements are converted to before; body is called with it.
  template <class T, class Init, class Body> void reduce_values_from(const Body& body) {
    using out = std::common_type_t<Init, T>;
    reduce_from<out>(body, input<T>(0), input_size());
  }

  /// The same for pointers to objects. \param first the ID of call.initial()
  template <class T, class Body> void reduce_values_from(const Body& body, object_id first) {
    if (input_size() == 0)
      produce_results<T>(1, [&](object_id* out) { set_first(out, first); });
    else
      reduce<T>(body, input<object_id>(0), input_size(), start_with<object_id>{first});
  }

  /// reduce_values over elements that head(in0[i], in1[i], …) computes; with an index after them
  /// if R > 0, its rank.
  template <class T, int R, class... In, class Head, class Body>
  void reduce_computed(const Head& head, const Body& body) {
    with_computed<computed_t<T>, R, In...>(head, std::index_sequence_for<In...>(),
                                           [&](const auto& source, std::size_t n) {
                                             reduce<T>(body, source, n, start_with_nothing{});
                                           });
  }

  /// reduce_values_from over elements of type T that are computed in the same way; the result is of
  /// type Out.
  template <class T, class Out, int R, class... In, class Head, class Body>
  void reduce_computed_from(const Head& head, const Body& body) {
    with_computed<T, R, In...>(
        head, std::index_sequence_for<In...>(),
        [&](const auto& source, std::size_t n) { reduce_from<Out>(body, source, n); });
  }

  /// out[i] = elements 0 to i combined in their order by body(a, b), which is associative.
  template <class T, class Body> void scan_values(const Body& body) {
    scan<T>(body, elements_of<T>(), input_size(), start_with_nothing{});
  }
  /// The same after a first value of type Out, call.initial<Out>(), to which elements are
  /// converted before; without element i if call.exclusive().
  template <class T, class Out, class Body> void scan_values_from(const Body& body) {
    scan<Out>(body, input<T>(0), input_size(), start_with<Out>{map().template initial<Out>()});
  }
  /// The same for pointers to objects. \param first the ID of call.initial()
  template <class T, class Body> void scan_values_from(const Body& body, object_id first) {
    scan<T>(body, input<object_id>(0), input_size(), start_with<object_id>{first});
  }
  /// Both over elements that are computed as for reduce_computed.
  template <class T, int R, class... In, class Head, class Body>
  void scan_computed(const Head& head, const Body& body) {
    with_computed<T, R, In...>(
        head, std::index_sequence_for<In...>(),
        [&](const auto& source, std::size_t n) { scan<T>(body, source, n, start_with_nothing{}); });
  }
  template <class T, class Out, int R, class... In, class Head, class Body>
  void scan_computed_from(const Head& head, const Body& body) {
    with_computed<T, R, In...>(
        head, std::index_sequence_for<In...>(), [&](const auto& source, std::size_t n) {
          scan<Out>(body, source, n, start_with<Out>{map().template initial<Out>()});
        });
  }

  /// The elements, stably sorted; body(a, b) says whether a comes before b. On a GPU the file has
  /// to include launch_sort_cuda.hpp.
  template <class T, class Body> void sort_values(const Body& body) {
    using element = computed_t<T>;
    const element* const in = elements_of<T>();
    const std::size_t n = input_size();
    produce_results<T>(n, [&](element* out) {
      if (n == 0)
        return;
      if constexpr (HasKernels) {
        if (where().is_cuda()) {
          sort_on_gpu(body, for_kernel(in), n, for_kernel(out));
          return;
        }
      }
      const device_memory spare(where(), bytes_of<element>(n), "elements that are sorted",
                                section());
      this->run_on_host([&] { host_sort(body, in, n, out, static_cast<element*>(spare.data())); });
    });
  }

  /// The elements of each run of equal neighbouring keys combined in their order by body(a, b). The
  /// keys are input 0, the elements input 1; the first key of each run goes to call.keys<Key>().
  template <class Key, class T, class Body> void reduce_by_key(const Body& body) {
    const Key* const keys = input<Key>(0);
    const T* const in = input<T>(1);
    const std::size_t n = input_size();
    ikra::detail::buffer<T>& output = map().template output<T>();
    ikra::detail::buffer<Key>* const firsts = map().template keys<Key>();
    if (n == 0)
      return;
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        runs_on_gpu(body, for_kernel(keys), for_kernel(in), n, output, firsts);
        return;
      }
    }
    this->run_on_host([&] {
      host_runs runs = host_reduce_by_key(body, keys, in, n, firsts != nullptr, where(), section());
      output = host_elements<T>(runs.count, std::move(runs.results));
      if (firsts != nullptr)
        *firsts = host_elements<Key>(runs.count, std::move(runs.keys));
    });
  }

  /// out[b] = call.initial<Out>() and, after it, the elements whose key is b, converted to Out and
  /// combined in their order by body(a, b), for call.bins() keys. The keys are input 0, the
  /// elements input 1. In place of first values there may be an input 2: what parts of the array
  /// before this one have come to.
  template <class Key, class T, class Out, class Body> void reduce_by_index(const Body& body) {
    const Key* const keys = input<Key>(0);
    const T* const in = input<T>(1);
    const std::size_t n = input_size();
    const auto bins = static_cast<std::uint64_t>(map().bins());
    const Out* const before = call().inputs() > 2 ? input<Out>(2) : nullptr;
    const Out& initial = map().template initial<Out>();
    produce_results<Out>(bins, [&](Out* out) {
      std::uint64_t outside = n;
      if (is_on_gpu()) {
        if constexpr (HasKernels)
          outside = by_index_on_gpu(body, keys, in, n, bins, before, initial, out);
      } else {
        this->run_on_host(
            [&] { outside = host_reduce_by_index(body, keys, in, n, bins, before, initial, out); });
      }
      if (outside < n)
        ikra::detail::throw_outside(
            "reduce_by_index", map().first() + outside,
            ikra::detail::text(call().input(0).template get<Key>().data()[outside]),
            ikra::detail::text("(", bins, ")"));
    });
  }

  /// The elements along dimension call.axis() combined in their order by body(a, b).
  /// \tparam R rank of the array
  template <class T, int R, class Body> void reduce_axis(const Body& body) {
    along_axis<T, T, R>(body, start_with_nothing{});
  }
  /// The same after a first value of type Out, call.initial<Out>(), to which elements are
  /// converted before.
  template <class T, class Out, int R, class Body> void reduce_axis_from(const Body& body) {
    along_axis<T, Out, R>(body, start_with<Out>{map().template initial<Out>()});
  }

  /// The elements for which body(in[i]) is true, in their order.
  template <class T, class Body> void select_values(const Body& body) { select<T, 0>(body); }
  /// The elements for which body(in[i], index of i) is true.
  template <class T, int R, class Body> void select_values_indexed(const Body& body) {
    select<T, R>(body);
  }
  /// select_values over elements that are computed as for reduce_computed. \tparam P rank of the
  /// index that body takes after the element, 0 if none.
  template <class T, int P, int R, class... In, class Head, class Body>
  void select_computed(const Head& head, const Body& body) {
    with_computed<T, R, In...>(
        head, std::index_sequence_for<In...>(),
        [&](const auto& source, std::size_t n) { select_from<T, P>(body, source, n); });
  }

protected:
  using session_base::session_base;

  /// Calls launch(memory for n results) and makes them the output. \tparam Out their type, or
  /// pointers<…>, where launch is given memory for IDs.
  template <class Out, class Launch> void produce_results(std::size_t n, const Launch& launch) {
    device_memory memory = memory_of_results<Out>(n);
    launch(static_cast<computed_t<Out>*>(memory.data()));
    give_results<Out>(n, std::move(memory));
  }
  /// The same in two steps, for the launches that most sections have: a function object for each
  /// would have to be compiled. \{
  template <class Out> device_memory memory_of_results(std::size_t n) {
    return memory_as(std::type_identity<Out>(), n);
  }
  template <class Out> void give_results(std::size_t n, device_memory memory) {
    give_as(std::type_identity<Out>(), n, std::move(memory));
  }
  /// \}

  std::size_t input_size() const { return call().input().size(); }

  /// Whether the session runs kernels.
  bool is_on_gpu() const { return HasKernels && where().is_cuda(); }

  /// Elements of the k-th input on the device.
  template <class In> const computed_t<In>* input(std::size_t k) {
    if constexpr (std::is_same_v<In, object_id>)
      return this->input_ids(k);
    else if constexpr (has_object_ids<In>)
      return this->input_with_ids(In(), k);
    else
      return device_input(call().input(k).template get<In>());
  }

private:
  // That the output has the type is seen before anything is launched.
  template <class Out> device_memory memory_as(std::type_identity<Out>, std::size_t n) {
    static_cast<void>(map().template output<Out>());
    if (void* const room = map().room(bytes_of<Out>(n)))
      return {where(), room, bytes_of<Out>(n)};
    return this->result_memory(bytes_of<Out>(n));
  }
  template <class Pointer, class References>
  device_memory memory_as(std::type_identity<pointers<Pointer, References>>, std::size_t n) {
    static_cast<void>(map().template output<Pointer>());
    return this->id_memory(n);
  }
  template <class Host, class... References>
  device_memory memory_as(std::type_identity<with_object_ids<Host, References...>>, std::size_t n) {
    static_cast<void>(map().template output<Host>());
    return this->template holding_memory<Host>(n);
  }

  template <class Out> void give_as(std::type_identity<Out>, std::size_t n, device_memory memory) {
    this->give(map().template output<Out>(), n, std::move(memory));
  }
  template <class Pointer, class References>
  void give_as(std::type_identity<pointers<Pointer, References>>, std::size_t n,
               const device_memory& memory) {
    this->template give_pointers<Pointer, References>(map().template output<Pointer>(), n, memory);
  }
  template <class Host, class... References>
  void give_as(std::type_identity<with_object_ids<Host, References...>>, std::size_t n,
               const device_memory& memory) {
    this->give_with_object_ids(with_object_ids<Host, References...>(),
                               map().template output<Host>(), n, memory);
  }

  /// What is combined or sorted, and has the type of the result.
  template <class T> const computed_t<T>* elements_of() {
    if constexpr (has_object_ids<T>)
      return input<T>(0);
    else
      return input<computed_t<T>>(0);
  }

  const map_call& map() const { return static_cast<const map_call&>(call()); }

  /// Makes the memory of the k-th input's elements that of the results, if nothing reads them after
  /// this launch, in which each result is stored after the elements at its index were read.
  /// \returns whether it did
  template <class Out, class In>
  bool take_input(device_memory& memory, std::size_t k, std::size_t n) {
    if constexpr (std::is_same_v<computed_t<Out>, Out> && std::is_same_v<computed_t<In>, In> &&
                  !std::is_same_v<In, object_id> && sizeof(Out) == sizeof(In)) {
      static_cast<void>(map().template output<Out>());
      if (map().is_last_use(k))
        memory = this->taken(call().input(k).template get<In>(), bytes_of<Out>(n));
    }
    return memory.data() != nullptr;
  }

  /// out[0] = value, in device memory.
  template <class T> void set_first(T* out, const T& value) {
    where().upload(out, &value, sizeof value, section());
  }

  template <class Out, int R, class... In, class Body, std::size_t... K>
  void launch_elementwise(const Body& body, std::size_t n, std::index_sequence<K...>) {
    // Inputs are brought in their order, before the launch.
    [[maybe_unused]] const std::tuple<const computed_t<In>*...> in{input<In>(K)...};
    device_memory memory;
    static_cast<void>((take_input<Out, In>(memory, K, n) || ...));
    if (memory.data() == nullptr)
      memory = memory_of_results<Out>(n);
    auto* const out = static_cast<computed_t<Out>*>(memory.data());
    if (is_on_gpu()) {
      if constexpr (HasKernels) {
        cuda_elementwise<R>(body, places<R>(), n, where().stream(), for_kernel(out),
                            for_kernel(std::get<K>(in))...);
        where().check_launch(section());
      }
    } else {
      try {
        host_elementwise<R>(body, places<R>(), n, out, std::get<K>(in)...);
      } catch (const failed_check& failed) {
        this->failed_on_host(failed);
      }
    }
    give_results<Out>(n, std::move(memory));
  }

  template <int R, class T, class Loop>
  void launch_loop(const Loop& bodies, const node_sequence& sequence, std::size_t n, T* out,
                   const T* in) {
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        cuda_loop<R>(bodies, sequence, places<R>(), n, for_kernel(out), for_kernel(in),
                     where().stream());
        where().check_launch(section());
        return;
      }
    }
    this->run_on_host([&] { host_loop<R>(bodies, sequence, places<R>(), n, out, in); });
  }

  template <class Out, class Footprint, class... In, class Body, std::size_t... K>
  void launch_stencil(const Body& body, std::index_sequence<K...>) {
    const index<Footprint::rank> extents = shape<Footprint::rank>();
    const auto n = static_cast<std::size_t>(extents.volume());
    device_memory memory = memory_of_results<Out>(n);
    // Inputs are brought in their order, before the launch.
    [[maybe_unused]] const std::tuple<const In*...> in{input<In>(K)...};
    launch_stencil_to<Footprint>(body, extents, static_cast<Out*>(memory.data()),
                                 std::get<K>(in)...);
    give_results<Out>(n, std::move(memory));
  }
  template <class Footprint, class Out, class... In, class Body>
  void launch_stencil_to(const Body& body, const index<Footprint::rank>& extents, Out* out,
                         const In*... in) {
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        cuda_stencil<Footprint>(body, extents, where().stream(), for_kernel(out),
                                for_kernel(in)...);
        where().check_launch(section());
        return;
      }
    }
    try {
      host_stencil<Footprint>(body, extents, out, in...);
    } catch (const failed_check& failed) {
      this->failed_on_host(failed);
    }
  }

  /// \returns false, and does nothing, where tiles do not suit the array, or this is a GPU
  template <class... Results, class Bodies, int R, class Out, class In>
  bool in_host_tiles(const Bodies& bodies, const index<R>& extents, Out* out, const In* in) {
    if (where().is_cuda())
      return false;
    const host_stencils_in_tiles<In, Bodies, Results...> tiles(bodies, extents, host_threads());
    if (!tiles.suits())
      return false;
    const device_memory room(where(), tiles.bytes(), "results between stencils", section());
    try {
      tiles.run(static_cast<std::byte*>(room.data()), out, in);
    } catch (const failed_check& failed) {
      this->failed_on_host(failed);
    }
    return true;
  }

  /// Calls run(elements computed by head, their number).
  template <class T, int R, class... In, class Head, std::size_t... K, class Run>
  void with_computed(const Head& head, std::index_sequence<K...>, const Run& run) {
    const placed_shape<R> extents = places<R>();
    std::size_t n = 0;
    if constexpr (sizeof...(In) == 0)
      n = size_of_shape();
    else
      n = input_size();
    [[maybe_unused]] const std::tuple<const computed_t<In>*...> in{input<In>(K)...};
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        using element = std::remove_pointer_t<decltype(for_kernel(static_cast<T*>(nullptr)))>;
        run(computed_from<element, R>(head, extents, for_kernel(std::get<K>(in))...), n);
        return;
      }
    }
    run(computed_from<T, R>(head, extents, std::get<K>(in)...), n);
  }
  template <class T, int R, class Head, class... In>
  static computed_elements<T, R, Head, In...>
  computed_from(const Head& head, const placed_shape<R>& extents, const In*... in) {
    return {head, extents, in...};
  }

  template <class Result, class Source, class Body, class Start>
  void reduce(const Body& body, const Source& in, std::size_t n, const Start& start) {
    using Out = computed_t<Result>;
    device_memory memory = memory_of_results<Result>(1);
    auto* const out = static_cast<Out*>(memory.data());
    if (is_on_gpu()) {
      if constexpr (HasKernels) {
        const device_memory workspace(where(), reduce_workspace<Out, Source>(n) * sizeof(Out),
                                      "intermediate results", section());
        cuda_reduce(body, for_kernel(in), n, start, for_kernel(static_cast<Out*>(workspace.data())),
                    for_kernel(out), where().stream());
        where().check_launch(section());
      }
    } else {
      try {
        const Out all = host_reduce<Out>(body, in, n);
        if constexpr (std::is_same_v<Start, start_with_nothing>)
          ::new (static_cast<void*>(out)) Out(all);
        else
          ::new (static_cast<void*>(out)) Out(body(start.value, all));
      } catch (const failed_check& failed) {
        this->failed_on_host(failed);
      }
    }
    give_results<Result>(1, std::move(memory));
  }

  template <class T, class Body>
  void sort_on_gpu(const Body& body, const T* in, std::size_t n, T* out) {
    cuda_copy(out, in, n, where().stream());
    std::size_t bytes = 0;
    int status = cuda_sort(body, out, n, nullptr, bytes, where().stream());
    const device_memory memory(where(), bytes, "state of the sort", section());
    if (status == 0)
      status = cuda_sort(body, out, n, memory.data(), bytes, where().stream());
    this->check_status(status, "sorting");
  }

  template <class Key, class T, class Body, class Host, class HostKey>
  void runs_on_gpu(const Body& body, const Key* keys, const T* in, std::size_t n,
                   ikra::detail::buffer<Host>& output, ikra::detail::buffer<HostKey>* firsts) {
    device_memory out(where(), bytes_of<T>(n), "results of runs", section());
    device_memory first_keys(where(), firsts == nullptr ? 0 : n * sizeof(Key), "keys of runs",
                             section());
    std::uint64_t count = 0;
    {
      const device_memory workspace(where(), runs_workspace<T, Key>(n), "state of the scan",
                                    section());
      cuda_reduce_by_key(body, keys, in, n, workspace.data(), static_cast<T*>(out.data()),
                         firsts == nullptr ? nullptr : static_cast<Key*>(first_keys.data()),
                         where().stream());
      where().check_launch(section());
      where().download(&count, workspace.data(), sizeof count, section());
    }
    give_first(std::move(out), n, count, output);
    if (firsts != nullptr)
      give_first(std::move(first_keys), n, count, *firsts);
  }

  /// \returns the position of the first element whose key is outside; n if there is none
  template <class Key, class T, class Out, class Body>
  std::uint64_t by_index_on_gpu(const Body& body, const Key* keys, const T* in, std::uint64_t n,
                                std::uint64_t bins, const Out* before, const Out& initial,
                                Out* out) {
    this->check_bins(bins);
    if (before != nullptr) {
      if (bins != 0)
        where().copy(for_kernel(out), for_kernel(before), bins * sizeof(*for_kernel(out)),
                     section());
    } else {
      const auto first = as_in_kernels(initial);
      cuda_fill(for_kernel(out), bins, first, where());
      where().check_launch(section());
    }
    unsigned long long outside = n;
    if (n == 0 || bins == 0)
      return bins == 0 ? 0 : n;
    const device_memory mark(where(), sizeof outside, "mark", section());
    where().upload(mark.data(), &outside, sizeof outside, section());
    cuda_reduce_by_index(body, for_kernel(keys), for_kernel(in), n, bins, for_kernel(out),
                         static_cast<unsigned long long*>(mark.data()), where(), section());
    where().download(&outside, mark.data(), sizeof outside, section());
    return outside;
  }

  template <class T, class Out, int R, class Body, class Start>
  void along_axis(const Body& body, const Start& start) {
    axis_shape extents{1, 1, 1};
    const int axis = map().axis();
    for (int d = 0; d < R; ++d) {
      const auto extent = static_cast<std::uint64_t>(call().shape()[static_cast<std::size_t>(d)]);
      if (d < axis)
        extents.outer *= extent;
      else if (d == axis)
        extents.length *= extent;
      else
        extents.inner *= extent;
    }
    const T* const in = input<T>(0);
    const auto n = static_cast<std::size_t>(extents.results());
    if constexpr (!std::is_same_v<Start, start_with_nothing>)
      if (n != 0 && extents.length == 0) {
        ikra::detail::room<Out> result(n);
        for (std::size_t i = 0; i < n; ++i)
          result.emplace_back(start.value);
        map().template output<Out>() = ikra::detail::buffer<Out>(std::move(result));
        return;
      }
    produce_results<Out>(n, [&](Out* out) {
      if (n == 0)
        return;
      if constexpr (HasKernels) {
        if (where().is_cuda()) {
          const std::uint64_t pieces = cuda_axis_pieces(extents);
          const device_memory workspace(where(), pieces == 1 ? 0 : n * pieces * sizeof(Out),
                                        "intermediate results", section());
          cuda_reduce_axis(body, for_kernel(in), extents, start,
                           for_kernel(static_cast<Out*>(workspace.data())), for_kernel(out),
                           where().stream());
          where().check_launch(section());
          return;
        }
      }
      this->run_on_host([&] {
        const Out* initial = nullptr;
        if constexpr (!std::is_same_v<Start, start_with_nothing>)
          initial = &start.value;
        host_reduce_axis(body, in, extents, initial, out);
      });
    });
  }

  template <class Result, class Source, class Body, class Start>
  void scan(const Body& body, const Source& in, std::size_t n, const Start& start) {
    using Out = computed_t<Result>;
    produce_results<Result>(n, [&](Out* out) {
      if (n == 0)
        return;
      if constexpr (HasKernels) {
        if (where().is_cuda()) {
          auto* const results = for_kernel(out);
          using element = std::remove_pointer_t<decltype(results)>;
          const device_memory workspace(
              where(), scan_workspace<element, std::remove_cvref_t<decltype(for_kernel(in))>>(n),
              "state of the scan", section());
          cuda_scan(body, for_kernel(in), n, start, map().exclusive(), workspace.data(), results,
                    where().stream());
          where().check_launch(section());
          return;
        }
      }
      this->run_on_host([&] {
        const Out* initial = nullptr;
        if constexpr (!std::is_same_v<Start, start_with_nothing>)
          initial = &start.value;
        host_scan(body, in, n, initial, map().exclusive(), out);
      });
    });
  }

  template <class Out, class Source, class Body>
  void reduce_from(const Body& body, const Source& in, std::size_t n) {
    const Out& initial = map().template initial<Out>();
    if (n == 0) {
      ikra::detail::room<Out> result(1);
      result.emplace_back(initial);
      map().template output<Out>() = ikra::detail::buffer<Out>(std::move(result));
    } else {
      reduce<Out>(body, in, n, start_with<Out>{initial});
    }
  }

  template <class T, int R, class Body> void select(const Body& body) {
    const T* const in = input<T>(0);
    if constexpr (HasKernels) {
      if (where().is_cuda()) {
        select_on_gpu<R>(body, for_kernel(in), input_size(), map().template output<T>());
        return;
      }
    }
    select_on_host<T, R>(body, in, input_size());
  }

  template <class T, int R, class Source, class Body>
  void select_from(const Body& body, const Source& in, std::size_t n) {
    // Enumerations are those of hosts alone: kernels know them as numbers.
    if constexpr (HasKernels && !known_as_number<typename Source::value_type>) {
      if (where().is_cuda()) {
        select_on_gpu<R>(body, in, n, map().template output<T>());
        return;
      }
    }
    select_on_host<T, R>(body, in, n);
  }

  template <class T, int R, class Source, class Body>
  void select_on_host(const Body& body, const Source& in, std::size_t n) {
    if (n == 0)
      return;
    this->run_on_host([&] {
      host_selection selected = host_select<R>(body, places<R>(), in, n, where(), section());
      map().template output<T>() = host_elements<T>(selected.count, std::move(selected.memory));
    });
  }

  template <int R, class T, class Source, class Body>
  void select_on_gpu(const Body& body, const Source& in, std::size_t n,
                     ikra::detail::buffer<T>& output) {
    select_computed_on_gpu<R>(body, places<R>(), in, n, output);
  }
  template <int R, class T, class Source, class Body>
  void select_computed_on_gpu(const Body& body, const placed_shape<R>& extents, const Source& in,
                              std::size_t n, ikra::detail::buffer<T>& output) {
    static_assert(ikra::detail::copied_as_bytes<T>, "elements are trivially copyable");
    if (n == 0)
      return;
    device_memory out(where(), bytes_of<T>(n), "selected elements", section());
    std::uint64_t count = 0;
    {
      const device_memory workspace(where(), select_workspace<Source>(n) * sizeof(std::uint64_t),
                                    "state of the selection", section());
      cuda_select<R>(body, extents, in, n, static_cast<std::uint64_t*>(workspace.data()),
                     for_kernel(static_cast<T*>(out.data())), where().stream());
      where().check_launch(section());
      where().download(&count, workspace.data(), sizeof count, section());
    }
    give_first(std::move(out), n, count, output);
  }

  /// Makes the first `count` of n elements the output.
  template <class T>
  void give_first(device_memory elements, std::size_t n, std::size_t count,
                  ikra::detail::buffer<T>& output) {
    if (count == 0)
      return;
    // Few do not keep the memory of many; moving them costs little then.
    constexpr std::size_t small = 32;
    if (count <= n / small) {
      device_memory fitting(where(), count * sizeof(T), "selected elements", section());
      cuda_copy(for_kernel(static_cast<T*>(fitting.data())),
                for_kernel(static_cast<const T*>(elements.data())), count, where().stream());
      where().check_launch(section());
      elements = std::move(fitting);
    }
    output.set_remote(count, this->remote_elements(std::move(elements)));
  }
};

} // namespace ikra::rt
