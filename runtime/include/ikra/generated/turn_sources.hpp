// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reductions of turns read (ikra/generated/turns.hpp): elements that are computed where they
// are read, and stored, since a variable holds their array. That saves a kernel, and its pass over
// memory.
#pragma once

#include <ikra/generated/grid.hpp>
#include <ikra/generated/index_space.hpp>
#include <ikra/generated/launch_horizontal.hpp>
#include <ikra/generated/source.hpp>
#include <ikra/generated/warp.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
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

} // namespace ikra::rt
