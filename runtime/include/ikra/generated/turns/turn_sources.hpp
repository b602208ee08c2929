// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reductions of turns read (ikra/generated/turns/turns.hpp): elements that are computed where
// they are read, and stored, since a variable holds their array. That saves a kernel, and its pass
// over memory.
#pragma once

#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/index_space.hpp>
#include <ikra/generated/launch/launch_horizontal.hpp>
#include <ikra/generated/launch/launch_stencil.hpp>
#include <ikra/generated/launch/source.hpp>
#include <ikra/generated/launch/warp.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// Elements that are stored where they are read. Whoever reads them reads each.
template <class T, class Source> class storing_source {
public:
  using value_type = T;
  static constexpr unsigned per_thread = Source::per_thread;

  storing_source(const Source& of, T* to) : of_(of), to_(to) {}

  IKRA_HD T operator[](std::integral auto i) const {
    const T value = of_[i];
    to_[static_cast<std::uint64_t>(i)] = value;
    return value;
  }
#ifdef __CUDACC__
  template <unsigned V> __device__ void load(pack_room<T, V>& into, std::uint64_t first) const {
    of_.template load<V>(into, first);
    *reinterpret_cast<pack<T, V>*>(to_ + first) = into.loaded;
  }
#endif

private:
  Source of_;
  T* to_;
};

/// The same for threads that compute one element each, since each takes long.
template <class Source> class one_a_thread : public Source {
public:
  static constexpr unsigned per_thread = 1;
  explicit one_a_thread(const Source& of) : Source(of) {}
};

/// Element i is head(leaf[i]…, index of i): as computed_elements, over sources.
template <class T, int R, class Head, class... Leaf> class computed_of_sources {
  using numbers = std::index_sequence_for<Leaf...>;

public:
  using value_type = T;
  static constexpr unsigned per_thread =
      std::min({elements_per_thread<T>(), source_of<Leaf>::per_thread...});

  computed_of_sources(const Head& head, const shape_of_rank<R>& shape, const Leaf&... of)
      : head_(head), space_of_indices_(shape), leaves_{{of}...} {}

  IKRA_HD T operator[](std::integral auto i) const {
    return at(static_cast<std::uint64_t>(i), numbers());
  }
#ifdef __CUDACC__
  template <unsigned V> __device__ void load(pack_room<T, V>& to, std::uint64_t first) const {
    load<V>(to, first, numbers());
  }
#endif

private:
  template <std::size_t... K> IKRA_HD T at(std::uint64_t i, std::index_sequence<K...>) const {
    const index_cursor<R, std::uint64_t> place(space_of_indices_, i);
    return static_cast<T>(place.call(head_, detail::part<K>(leaves_)[i]...));
  }
#ifdef __CUDACC__
  template <unsigned V, std::size_t... K>
  __device__ void load(pack_room<T, V>& to, std::uint64_t first, std::index_sequence<K...>) const {
    detail::numbered_values<numbers, pack_room<typename source_of<Leaf>::value_type, V>...> x;
    (rt::load<V>(detail::part<K>(x), detail::part<K>(leaves_), first), ...);
    index_cursor<R, std::uint64_t> place(space_of_indices_, first);
#pragma unroll
    for (unsigned j = 0; j < V; ++j) {
      ::new (&to.loaded.elements[j]) T(place.call(head_, detail::part<K>(x).loaded.elements[j]...));
      place.next(space_of_indices_);
    }
  }
#endif

  Head head_;
  index_space<R, std::uint64_t> space_of_indices_;
  detail::numbered_values<numbers, Leaf...> leaves_;
};

/// A leaf of a reduction: the K-th of the arrays that are computed where it is read.
template <std::size_t K> struct part_of_later {};

/// Makes the body of a reduction's elements that are an array's own.
struct same_element {
  static constexpr bool uses_scalars = false;
  template <class State> IKRA_HD same_element operator()(const State&) const { return {}; }
  template <class T>
    requires std::is_arithmetic_v<T>
  IKRA_HD T operator()(T x) const {
    return x;
  }
};

namespace detail {
template <class Results, class Leaf> struct leaf_of_later;
template <class Results, class T> struct leaf_of_later<Results, const T*> {
  using type = T;
};
template <class Results, std::size_t K> struct leaf_of_later<Results, part_of_later<K>> {
  using type = std::remove_cvref_t<decltype(detail::part<K>(std::declval<const Results&>()))>;
};
} // namespace detail

/// Element i is head(leaf[i]…, index of i), where some leaves are parts of what Source computes of
/// it. All of these are stored. \tparam Leaf const T* or part_of_later
template <class T, int R, class Head, class Results, class Source, class... Leaf>
class elements_of_later;
template <class T, int R, class Head, class... Stored, class Source, class... Leaf>
class elements_of_later<T, R, Head, results<Stored...>, Source, Leaf...> {
  using all_results = results<Stored...>;
  using arrays = std::index_sequence_for<Stored...>;
  using numbers = std::index_sequence_for<Leaf...>;
  template <class Of> using value_of = typename detail::leaf_of_later<all_results, Of>::type;

public:
  using value_type = T;
  using places = detail::numbered_values<arrays, Stored*...>;
  static constexpr unsigned per_thread =
      std::min(Source::per_thread, elements_per_thread<T, Stored..., value_of<Leaf>...>());

  elements_of_later(const Head& head, const shape_of_rank<R>& shape, const Source& of,
                    const places& to, const Leaf&... leaf)
      : head_(head), space_of_indices_(shape), of_(of), to_(to), leaves_{{leaf}...} {}

  IKRA_HD T operator[](std::integral auto i) const {
    const auto at = static_cast<std::uint64_t>(i);
    const all_results all = of_[at];
    store(all, at, arrays());
    return element(all, at, numbers());
  }
#ifdef __CUDACC__
  template <unsigned V> __device__ void load(pack_room<T, V>& to, std::uint64_t first) const {
    load<V>(to, first, arrays(), numbers());
  }
#endif

private:
  template <std::size_t... K>
  IKRA_HD void store(const all_results& all, std::uint64_t i, std::index_sequence<K...>) const {
    (detail::make_at<Stored>(detail::part<K>(to_) + i, detail::part<K>(all)), ...);
  }
  template <std::size_t... K>
  IKRA_HD T element(const all_results& all, std::uint64_t i, std::index_sequence<K...>) const {
    const index_cursor<R, std::uint64_t> place(space_of_indices_, i);
    return static_cast<T>(place.call(head_, value(detail::part<K>(leaves_), all, i)...));
  }
  template <class X> IKRA_HD static X value(const X* leaf, const all_results&, std::uint64_t i) {
    return leaf[i];
  }
  template <std::size_t K>
  IKRA_HD static auto value(part_of_later<K>, const all_results& all, std::uint64_t) {
    return detail::part<K>(all);
  }
#ifdef __CUDACC__
  template <unsigned V, std::size_t... S, std::size_t... K>
  __device__ void load(pack_room<T, V>& to, std::uint64_t first, std::index_sequence<S...>,
                       std::index_sequence<K...>) const {
    pack_room<all_results, V> all;
    of_.template load<V>(all, first);
    detail::numbered_values<numbers, pack_room<value_of<Leaf>, V>...> x;
    (fill<V>(detail::part<K>(x), detail::part<K>(leaves_), all, first), ...);
    detail::numbered_values<arrays, pack<Stored, V>...> y;
#pragma unroll
    for (unsigned j = 0; j < V; ++j)
      ((detail::part<S>(y).elements[j] = detail::part<S>(all.loaded.elements[j])), ...);
    ((*reinterpret_cast<pack<Stored, V>*>(detail::part<S>(to_) + first) = detail::part<S>(y)), ...);
    index_cursor<R, std::uint64_t> place(space_of_indices_, first);
#pragma unroll
    for (unsigned j = 0; j < V; ++j) {
      ::new (&to.loaded.elements[j]) T(place.call(head_, detail::part<K>(x).loaded.elements[j]...));
      place.next(space_of_indices_);
    }
  }
  template <unsigned V, class X>
  __device__ static void fill(pack_room<X, V>& to, const X* leaf, const pack_room<all_results, V>&,
                              std::uint64_t first) {
    rt::load<V>(to, leaf, first);
  }
  template <unsigned V, class X, std::size_t K>
  __device__ static void fill(pack_room<X, V>& to, part_of_later<K>,
                              const pack_room<all_results, V>& all, std::uint64_t) {
#pragma unroll
    for (unsigned j = 0; j < V; ++j)
      ::new (&to.loaded.elements[j]) X(detail::part<K>(all.loaded.elements[j]));
  }
#endif

  Head head_;
  index_space<R, std::uint64_t> space_of_indices_;
  Source of_;
  places to_;
  detail::numbered_values<numbers, Leaf...> leaves_;
};

/// A stencil's result of fewer bytes is in a GPU's cache when a reduction reads it. Its own kernel
/// has more threads then, and the two take less time than one (measured: docs/turns.md).
inline constexpr std::size_t least_bytes_in_passing = std::size_t(24) << 20;

/// Element i is body(accessor of i), of a stencil: for threads that go along rows.
/// \tparam Index of positions
template <class T, class Footprint, class Index, class Body, class... In> class stencil_elements {
  static constexpr int rank = Footprint::rank;
  using leaves = leaf_arrays<In...>;
  using space = index_space<rank, Index>;
  using cursor = index_cursor<rank, Index>;

public:
  using value_type = T;
  static constexpr unsigned per_thread = elements_per_thread<T>();

  stencil_elements(const Body& body, const index<rank>& shape, const In*... in)
      : stencil_elements(body, shape, space(shape_of(shape)), in...) {}
  IKRA_HD stencil_elements(const Body& body, const index<rank>& shape, const space& of_indices,
                           const In*... in)
      : body_(body), leaves_(in...), space_of_indices_(of_indices),
        inner_(inner_of<Footprint>(shape)), steps_(strides_of<std::int64_t>(shape)), shape_(shape) {
  }

  IKRA_HD T operator[](std::integral auto i) const {
    return anywhere(static_cast<std::uint64_t>(i));
  }
#ifdef __CUDACC__
  template <unsigned V> __device__ void load(pack_room<T, V>& to, std::uint64_t first) const {
    const cursor place(space_of_indices_, static_cast<Index>(first));
    bool are_inside = true;
    for (int d = 0; d < rank; ++d)
      are_inside = are_inside && inner_.contains(d, static_cast<std::int64_t>(place[d]));
    if (are_inside &&
        inner_.contains(rank - 1, static_cast<std::int64_t>(place[rank - 1]) + (V - 1))) {
#pragma unroll
      for (unsigned j = 0; j < V; ++j)
        ::new (&to.loaded.elements[j]) T(inside(first, place, j));
      return;
    }
#pragma unroll 1
    for (unsigned j = 0; j < V; ++j)
      ::new (&to.loaded.elements[j]) T(anywhere(first + j));
  }
#endif

private:
  static shape_of_rank<rank> shape_of(const index<rank>& shape) {
    shape_of_rank<rank> result;
    for (int d = 0; d < rank; ++d)
      result[d] = shape[d];
    return result;
  }
  using accessor = interior_accessor<rank, 1, std::int64_t, std::int64_t, leaves>;
  /// \param beside how far after the place in its row
  IKRA_HD accessor accessor_at(std::uint64_t i, const cursor& here, unsigned beside) const {
    typename accessor::coordinates place = {};
    for (int d = 0; d < rank; ++d)
      place.of[d] = static_cast<std::int64_t>(here[d]);
    place.of[rank - 1] += beside;
    return accessor(leaves_ + i, steps_, place, beside);
  }
  IKRA_HD T inside(std::uint64_t i, const cursor& here, unsigned beside) const {
    return static_cast<T>(body_(accessor_at(i, here, beside)));
  }
  /// One function, which kernels call for few elements, from many places.
  IKRA_OUT_OF_LINE IKRA_HD T anywhere(std::uint64_t i) const {
    const cursor here(space_of_indices_, static_cast<Index>(i));
    index<rank> place;
    bool is_inside = true;
    for (int d = 0; d < rank; ++d) {
      place[d] = static_cast<std::int64_t>(here[d]);
      is_inside = is_inside && inner_.contains(d, place[d]);
    }
    if constexpr (has_plain_border<Body>)
      return static_cast<T>(body_(guarded_accessor(accessor_at(i, here, 0), is_inside)));
    else
      return static_cast<T>(body_(boundary_accessor<rank, 0, leaves>(leaves_, shape_, place)));
  }

  Body body_;
  leaves leaves_;
  space space_of_indices_;
  interior_space<rank> inner_;
  strides<rank, std::int64_t> steps_;
  index<rank> shape_;
};

} // namespace ikra::rt
