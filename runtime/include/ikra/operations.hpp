// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What array's operations do beside those of ARRAY'17: each checks what it can, and makes a command
// of commands_order.hpp or gather_scatter.hpp, or hands over to a generated section (section.hpp).
// array.hpp documents the operations; it includes this header at its end, and nothing else does.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/commands_order.hpp>
#include <ikra/gather_scatter.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::detail {

/// The operations of array<T, R>, as functions of an array.
template <class T, int R> struct operations_of {
  using self = array<T, R>;
  template <class U> using node = std::shared_ptr<command<U>>;

  static node<T> input(const self& a) { return array_access::command_of(a); }
  static index<R> shape(const self& a) { return array_access::shape_of(a); }
  template <class U, int N> static array<U, N> make(const index<N>& shape, node<U> command) {
    return array_access::make<U, N>(shape, std::move(command));
  }
  static index<1> unknown() { return index<1>(unknown_extent); }

  // scans -----------------------------------------------------------------------------------------

  template <class F> static self scan(const self& a, F f) {
    if constexpr (is_section<F>)
      return make<T>(shape(a), F::make_scan(std::move(f), input(a)));
    else
      return make<T>(shape(a),
                     held(new scan_command<T, F, T>(std::nullopt, false, std::move(f), input(a))));
  }

  template <class Init, class F>
  static auto scan_from(const self& a, const Init& init, F f, bool exclusive) {
    using result = detail::common_with_first_t<Init, T>;
    if constexpr (is_section<F>)
      return make<result>(shape(a), F::make_scan_from(std::move(f), static_cast<result>(init),
                                                      input(a), exclusive));
    else
      return make<result>(shape(a),
                          held(new scan_command<result, F, T>(static_cast<result>(init), exclusive,
                                                              std::move(f), input(a))));
  }

  // sorts -----------------------------------------------------------------------------------------

  static self sort(const self& a) {
    static_assert(!std::is_pointer_v<T>,
                  "addresses differ from run to run; use psort_by with a key of the objects");
    return make<T>(shape(a), held(new sort_command<T, ascending>(ascending(), input(a))));
  }

  template <class F> static self sort(const self& a, F before) {
    if constexpr (is_section<F>)
      return make<T>(shape(a), F::make_sort(std::move(before), input(a)));
    else
      return make<T>(shape(a), held(new sort_command<T, F>(std::move(before), input(a))));
  }

  template <class K> static self sort_by(const self& a, const array<K, R>& keys) {
    static_assert(!std::is_pointer_v<K>, "addresses differ from run to run; they are no keys");
    return make<T>(shape(a),
                   held(new sort_by_command<T, K>(array_access::command_of(keys), input(a))));
  }

  // reductions ------------------------------------------------------------------------------------

  template <class K, class F>
  static std::pair<array<K, 1>, array<T, 1>> reduce_by_key(const self& a, const array<K, R>& keys,
                                                           F f) {
    check_shapes("preduce_by_key", shape(a), array_access::shape_of(keys));
    node<K> key = array_access::command_of(keys);
    if constexpr (is_section<F>) {
      const auto found = std::make_shared<found_keys<K>>();
      auto firsts = make<K>(unknown(), held(new first_of_runs_command<K>(key, found)));
      return {
          std::move(firsts),
          make<T>(unknown(), F::make_reduce_by_key(std::move(f), std::move(key), input(a), found))};
    } else {
      auto firsts = make<K>(unknown(), held(new first_of_runs_command<K>(key)));
      return {std::move(firsts), make<T>(unknown(), held(new reduce_by_key_command<T, F, K>(
                                                        std::move(f), std::move(key), input(a))))};
    }
  }

  template <class Out, class K, class F>
  static array<Out, 1> reduce_by_index(const self& a, std::int64_t bins, const array<K, R>& keys,
                                       Out init, F f) {
    static_assert(std::is_integral_v<K> && !std::is_same_v<K, bool>,
                  "the keys of reduce_by_index are numbers of bins");
    check_shapes("reduce_by_index", shape(a), array_access::shape_of(keys));
    const index<1> extents(bins);
    checked_volume(extents);
    node<K> key = array_access::command_of(keys);
    if constexpr (is_section<F>)
      return make<Out>(extents, F::make_reduce_by_index(std::move(f), std::move(init),
                                                        std::move(key), input(a), bins));
    else
      return make<Out>(extents,
                       held(new reduce_by_index_command<Out, F, T, K>(
                           bins, std::move(init), std::move(f), std::move(key), input(a))));
  }

  template <class Out, class F>
  static array<Out, R - 1> reduce_axis(const self& a, std::int64_t axis, std::optional<Out> init,
                                       F f) {
    if (axis < 0 || axis >= R)
      throw error(error_kind::bad_shape,
                  text("ikra: preduce_axis along dimension ", axis, " of an array of rank ", R));
    index<R - 1> rest;
    for (int d = 0; d < R - 1; ++d)
      rest[d] = shape(a)[d < axis ? d : d + 1];
    const int dimension = static_cast<int>(axis);
    if constexpr (is_section<F>)
      return make<Out>(
          rest, F::make_reduce_axis(std::move(f), std::move(init), input(a), shape(a), dimension));
    else
      return make<Out>(rest, held(new reduce_axis_command<R, Out, F, T>(
                                 shape(a), dimension, std::move(init), std::move(f), input(a))));
  }

  // places ----------------------------------------------------------------------------------------

  template <class I, int N> static array<T, N> gather(const self& a, const array<I, N>& places) {
    return make<T>(
        array_access::shape_of(places),
        held(new gather_command<T, I, R>(shape(a), input(a), array_access::command_of(places))));
  }

  template <class I, int N>
  static array<T, N> scatter(const self& a, const array<I, R>& places, const index<N>& extents,
                             const T& init) {
    check_shapes("pscatter", shape(a), array_access::shape_of(places));
    checked_volume(extents);
    return make<T>(extents, held(new scatter_command<T, I, N>(extents, init, input(a),
                                                              array_access::command_of(places))));
  }

  static array<std::int64_t, 1> histogram(const self& a, std::int64_t bins) {
    constexpr bool are_bins =
        (std::is_integral_v<T> && !std::is_same_v<T, bool>) || std::is_enum_v<T>;
    static_assert(are_bins, "the elements are numbers of bins; phistogram(bins, f) computes them");
    if constexpr (are_bins) { // else one error is enough
      checked_volume(index<1>(bins));
      return make<std::int64_t>(index<1>(bins), held(new histogram_command<T>(bins, input(a))));
    }
  }

  // views -----------------------------------------------------------------------------------------

  /// The array that is seen through a map of \p a; a view of a view that is not computed yet is one
  /// of what that one shows.
  template <class Map> static self view(const self& a, const Map& map) {
    node<T> source = input(a);
    strided places = whole(shape(a));
    if (const auto* below = dynamic_cast<const view_command<T>*>(source.get());
        below != nullptr && !below->computed() && below->work() == 0 && // nobody computes it
        below->template source<0>()) {
      // After reshape, an array of another shape has the command of the view.
      if (below->map().rank == R && shape_of<R>(below->map()) == shape(a)) {
        places = below->map();
        source = below->template source<0>();
      }
    }
    places = map(places);
    return make<T>(shape_of<R>(places), held(new view_command<T>(places, std::move(source))));
  }

  static self slice(const self& a, const index<R>& from, const index<R>& to, const index<R>& step) {
    return view(a, [&](const strided& map) { return sliced(map, from, to, step); });
  }

  static self transpose(const self& a, const index<R>& axes) {
    if constexpr (R == 1) { // whose shape need not be known
      permuted(strided(), axes);
      return a;
    } else {
      return view(a, [&](const strided& map) { return permuted(map, axes); });
    }
  }

  template <class... More> static self concatenate(const self& a, const More&... more) {
    index<R> extents = shape(a);
    [[maybe_unused]] const auto append = [&](const index<R>& other) {
      for (int d = 1; d < R; ++d)
        if (extents[d] != other[d])
          throw error(error_kind::shape_mismatch,
                      text("ikra: concatenate of arrays of the shapes ", to_string(shape(a)),
                           " and ", to_string(other),
                           "; they may differ in the first dimension only"));
      extents[0] = is_known(extents) && is_known(other) ? extents[0] + other[0] : unknown_extent;
    };
    (append(shape(more)), ...);
    checked_if_known(extents);
    return make<T>(
        extents, held(new concatenate_command<T>(std::vector<node<T>>{input(a), input(more)...})));
  }

private:
  static void checked_if_known(const index<R>& extents) {
    if (is_known(extents))
      checked_volume(extents);
  }

  static void check_shapes(const char* operation, const index<R>& a, const index<R>& b) {
    if (is_known(a) && is_known(b) && !(a == b))
      throw_shapes_differ(operation, a, b);
  }
};

} // namespace ikra::detail

#include <ikra/macros_back.hpp>
