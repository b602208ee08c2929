// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a session does to compute the results of several commands in one kernel (horizontal.hpp). On
// top of the launches with one result, session_values.hpp.
#pragma once

#include <ikra/generated/launch/launch_horizontal.hpp>
#include <ikra/generated/session/session_values.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// \tparam HasKernels whether this translation unit is compiled by nvcc.
template <bool HasKernels> class horizontal_session : public value_session<HasKernels> {
  using value_launches = value_session<HasKernels>;

public:
  /// out_k[i] = part k of body(in0[i], in1[i], …): its results as given in Results. With an index
  /// after the elements if R > 0, its rank. \tparam In one type of elements for each input
  template <int R, class Results, class... In, class Body>
  void elementwise_group(const Body& body) {
    launch_elementwise_group<R, In...>(body, std::type_identity<Results>(),
                                       std::index_sequence_for<In...>());
  }

  /// Of what head(in0[i], in1[i], …) computes, the first parts are elements of arrays: out_k[i] =
  /// part k. The parts after these are combined in their order, each by its fold: there is at
  /// least one. \tparam Stored the types of the arrays' elements, as results<…>
  template <int R, class Stored, class... In, class Head, class... Fold>
  void reduce_group(const Head& head, const Fold&... fold) {
    launch_reduce_group<R, In...>(head, std::type_identity<Stored>(),
                                  std::index_sequence_for<In...>(),
                                  std::index_sequence_for<Fold...>(), fold...);
  }

protected:
  using value_launches::call;
  using value_launches::section;
  using value_launches::value_launches;
  using value_launches::where;

private:
  const horizontal_call& horizontal() const { return static_cast<const horizontal_call&>(call()); }

  std::size_t size() const {
    return call().inputs() != 0 ? this->input_size() : this->size_of_shape();
  }

  /// Makes memory of the session's device the k-th result.
  template <class Out> void give(std::size_t k, std::size_t n, device_memory memory) {
    value_launches::give(horizontal().template output<Out>(k), n, std::move(memory));
  }

  template <int R, class... In, class Body, class... Out, std::size_t... I>
  void launch_elementwise_group(const Body& body, std::type_identity<results<Out...>>,
                                std::index_sequence<I...>) {
    launch_elementwise_into<R, In...>(body, std::tuple<Out...>(), std::index_sequence<I...>(),
                                      std::index_sequence_for<Out...>());
  }
  template <int R, class... In, class Body, class... Out, std::size_t... I, std::size_t... K>
  void launch_elementwise_into(const Body& body, const std::tuple<Out...>& /*types*/,
                               std::index_sequence<I...>, std::index_sequence<K...> numbers) {
    const std::size_t n = size();
    const shape_of_rank<R> extents = this->template shape<R>();
    device_memory memory[] = {this->result_memory(bytes_of<Out>(n))...};
    [[maybe_unused]] const std::tuple<const In*...> in{this->template input<In>(I)...};
    const auto launch = [&] {
      if constexpr (HasKernels) {
        if (where().is_cuda()) {
          cuda_elementwise_group<R, Out...>(body, extents, n, where().stream(),
                                            {{static_cast<Out*>(memory[K].data())}...},
                                            for_kernel(std::get<I>(in))...);
          where().check_launch(section());
          return;
        }
      }
      this->run_on_host([&] {
        host_elementwise_group<R>(numbers, body, extents, n,
                                  std::tuple<Out*...>(static_cast<Out*>(memory[K].data())...),
                                  std::get<I>(in)...);
      });
    };
    launch();
    (give<Out>(K, n, std::move(memory[K])), ...);
  }

  template <int R, class... In, class Head, class... Stored, class... Fold, std::size_t... I,
            std::size_t... K>
  void launch_reduce_group(const Head& head, std::type_identity<results<Stored...>>,
                           std::index_sequence<I...> inputs, std::index_sequence<K...> folds,
                           const Fold&... fold) {
    reduce_and_store<R, In...>(head, std::tuple<Stored...>(), inputs,
                               std::index_sequence_for<Stored...>(), folds, fold...);
  }
  template <int R, class... In, class Head, class... Stored, class... Fold, std::size_t... I,
            std::size_t... S, std::size_t... K>
  void reduce_and_store(const Head& head, const std::tuple<Stored...>& /*types*/,
                        std::index_sequence<I...>, std::index_sequence<S...> stored,
                        std::index_sequence<K...> folds, const Fold&... fold) {
    using all_results = results<Stored..., typename Fold::result...>;
    using totals = results<typename Fold::result...>;
    constexpr std::size_t arrays = sizeof...(Stored); // they come first
    const std::size_t n = size();
    const shape_of_rank<R> extents = this->template shape<R>();
    device_memory memory[] = {this->result_memory(bytes_of<Stored>(n))...,
                              this->result_memory(sizeof(typename Fold::result))...};
    [[maybe_unused]] const std::tuple<const In*...> in{this->template input<In>(I)...};
    const auto launch = [&] {
      if constexpr (HasKernels) {
        if (where().is_cuda()) {
          const auto launch_over = [&](const auto& source) {
            reduce_on_gpu(
                source, n, horizontal_body<std::index_sequence<K...>, Fold...>{{{fold}...}},
                detail::numbered_values<std::index_sequence<K...>, typename Fold::result*...>{
                    {static_cast<typename Fold::result*>(memory[arrays + K].data())}...});
          };
          const auto all = combined<R, all_results>(head, extents, for_kernel(std::get<I>(in))...);
          if constexpr (arrays == 0)
            launch_over(all);
          else
            launch_over(storing_elements<results<Stored...>, totals, std::decay_t<decltype(all)>>(
                all, {{static_cast<Stored*>(memory[S].data())}...}));
          return;
        }
      }
      this->run_on_host([&] {
        const totals all = host_reduce_group(
            stored, std::tuple<Stored*...>(static_cast<Stored*>(memory[S].data())...), folds,
            combined<R, all_results>(head, extents, std::get<I>(in)...), n, fold...);
        (::new (memory[arrays + K].data()) typename Fold::result(detail::part<K>(all)), ...);
      });
    };
    launch();
    (give<Stored>(S, n, std::move(memory[S])), ...);
    (give<typename Fold::result>(arrays + K, 1, std::move(memory[arrays + K])), ...);
  }

  template <int R, class T, class Head, class... In>
  static combined_elements<T, R, Head, In...>
  combined(const Head& head, const shape_of_rank<R>& shape, const In*... in) {
    return {head, shape, in...};
  }

  /// \param folds a horizontal_body \param out where each result goes
  template <class Source, class Folds, class Outs>
  void reduce_on_gpu(const Source& source, std::size_t n, const Folds& folds, const Outs& out) {
    using value = typename Folds::value;
    const device_memory all(where(), sizeof(value), "results of reductions", section());
    const device_memory workspace(where(), reduce_workspace<value, Source>(n) * sizeof(value),
                                  "intermediate results", section());
    cuda_reduce(folds, source, n, start_with_nothing{}, static_cast<value*>(workspace.data()),
                static_cast<value*>(all.data()), where().stream());
    where().check_launch(section());
    cuda_deliver(static_cast<const value*>(all.data()), folds, out, where().stream());
    where().check_launch(section());
  }
};

} // namespace ikra::rt
