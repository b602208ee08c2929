// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where launches that combine or choose elements take them from: a pointer to memory, or elements
// that are computed where they are read, from those of other arrays in the same place. That is how
// maps are fused into reductions and selections.
#pragma once

#include <ikra/config.hpp>
#include <ikra/generated/launch/body_traits.hpp>
#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/index_space.hpp>
#include <ikra/generated/launch/kernel_value.hpp>
#include <ikra/generated/launch/launch.hpp>
#include <ikra/generated/launch/warp.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace ikra::rt {

namespace detail {
template <std::size_t K, class In> struct numbered_input {
  const In* elements;
};
template <class Numbers, class... In> struct numbered_inputs;
template <std::size_t... K, class... In>
struct numbered_inputs<std::index_sequence<K...>, In...> : numbered_input<K, In>... {};

/// Makes a result of a value. A function of its own: nvcc 13.0 does not parse it within a fold
/// expression or a generic lambda where the result is a class.
template <class Out, class Value> IKRA_HD void make_at(Out* place, const Value& value) {
  ::new (static_cast<void*>(place)) Out(value);
}
} // namespace detail

/// Element i is head(in[i]…, index of i).
/// \tparam T    type of the elements
/// \tparam R    rank of the index; 0 where head takes none
/// \tparam In   of the arrays that are read; none where head takes the index alone
template <class T, int R, class Head, class... In> class computed_elements {
  using inputs = detail::numbered_inputs<std::index_sequence_for<In...>, In...>;

public:
  using value_type = T;
  static constexpr unsigned per_thread = elements_per_thread<T, In...>();
  static constexpr bool diverges = rt::diverges<Head>;
  static constexpr bool repeats = rt::repeats<Head>;
  /// Whether all cores compute elements in rows before they are combined, once for several folds.
  static constexpr bool is_for_rows = R > 1 || is_costly<Head> || has_many_operations<Head>;
  /// How many are computed before they are combined. Measured: finding an index takes as long as a
  /// few dozen elements; otherwise shorter is better.
  static constexpr std::uint64_t strip = R > 1 ? 256 : 64;

  computed_elements(const Head& head, const placed_shape<R>& shape, const In*... in)
      : head_(head), space_of_indices_(shape), in_{{in}...} {}
  IKRA_HD computed_elements(const Head& head, const index_space<R, std::uint64_t>& of_indices,
                            const In*... in)
      : head_(head), space_of_indices_(of_indices), in_{{in}...} {}

  IKRA_HD T operator[](std::integral auto i) const {
    return at(static_cast<std::uint64_t>(i), std::index_sequence_for<In...>());
  }
  /// The elements from the n-th on.
  IKRA_HD computed_elements operator+(std::uint64_t n) const {
    computed_elements result = *this;
    result.first_ += n;
    return result;
  }

  /// Calls run(k, the k-th element from the first on) for count of them, on this core: row by row,
  /// so that the loop vectorises. The calls may be in any order.
  template <class Run> void each(std::uint64_t first, std::uint64_t count, const Run& run) const {
    each(first_ + first, count, run, std::index_sequence_for<In...>());
  }

#ifdef __CUDACC__
  /// V elements from the first on, a multiple of V.
  template <unsigned V> __device__ void load(pack_room<T, V>& to, std::uint64_t first) const {
    load<V>(to, first_ + first, std::index_sequence_for<In...>());
  }
#endif

private:
#ifdef __CUDACC__
  template <unsigned V, std::size_t... K>
  __device__ void load(pack_room<T, V>& to, std::uint64_t first, std::index_sequence<K...>) const {
    compute<V>(
        to, first,
        packed_at<V>(static_cast<const detail::numbered_input<K, In>&>(in_).elements + first)...);
  }
  template <unsigned V>
  __device__ void compute(pack_room<T, V>& to, std::uint64_t first, const pack<In, V>&... x) const {
    index_cursor<R, std::uint64_t> place(space_of_indices_, space_of_indices_.position(first));
#pragma unroll
    for (unsigned j = 0; j < V; ++j) {
      ::new (&to.loaded.elements[j]) T(place.call(head_, x.elements[j]...));
      place.next(space_of_indices_);
    }
  }
#endif

  template <class Run, std::size_t... K>
  void each(std::uint64_t first, std::uint64_t count, const Run& run,
            std::index_sequence<K...>) const {
    for_row_starts<R>(
        {shape_up_to(space_of_indices_.position(first + count)), space_of_indices_.first()}, first,
        first + count,
        [&](std::uint64_t begin, std::int64_t rows, std::int32_t length, const auto& start) {
          for (std::int64_t r = 0; r < rows; ++r, begin += static_cast<std::uint64_t>(length)) {
            const auto row = start.row(r);
            IKRA_INDEPENDENT
            for (std::int32_t k = 0; k < length; ++k) {
              const std::uint64_t at = begin + static_cast<std::uint64_t>(k);
              run(at - first,
                  static_cast<T>(call_at(
                      head_, row, k,
                      static_cast<const detail::numbered_input<K, In>&>(in_).elements[at]...)));
            }
          }
        });
  }
  /// Of an array of so many elements, or a few more: whole rows.
  shape_of_rank<R> shape_up_to([[maybe_unused]] std::uint64_t n) const {
    shape_of_rank<R> shape;
    for (int d = R - 1; d > 0; --d) {
      const std::uint64_t extent = space_of_indices_.inner(d).by();
      shape[d] = static_cast<std::int64_t>(extent);
      n = n / extent + 1;
    }
    if constexpr (R > 0)
      shape[0] = static_cast<std::int64_t>(n);
    return shape;
  }
  template <std::size_t... K> IKRA_HD T at(std::uint64_t i, std::index_sequence<K...>) const {
    const index_cursor<R, std::uint64_t> place(space_of_indices_,
                                               space_of_indices_.position(first_ + i));
    return static_cast<T>(place.call(
        head_, static_cast<const detail::numbered_input<K, In>&>(in_).elements[first_ + i]...));
  }

  Head head_;
  index_space<R, std::uint64_t> space_of_indices_;
  inputs in_;
  std::uint64_t first_ = 0;
};

/// They are made of elements as kernels name them.
template <class T, int R, class Head, class... In>
computed_elements<T, R, Head, In...>
for_kernel(const computed_elements<T, R, Head, In...>& elements) {
  return elements;
}

/// What launches know of a source of elements.
template <class Source> struct source_of {
  using value_type = typename Source::value_type;
  static constexpr unsigned per_thread = Source::per_thread;
};
template <class T> struct source_of<const T*> {
  using value_type = T;
  static constexpr unsigned per_thread = elements_per_thread<T>();
};

/// Whether elements are computed by one core into memory before they are combined or chosen in
/// turn: a loop over them alone vectorises, and each is computed once.
template <class Source, class T>
inline constexpr bool is_computed_ahead =
    !std::is_pointer_v<Source> && std::is_trivially_copyable_v<T>;

/// Computes count elements of a source from the first on into memory, on this core.
template <class Out, class Source>
void compute_elements(const Source& in, std::uint64_t first, std::uint64_t count, Out* out) {
  in.each(first, count, [out](std::uint64_t k, const auto& x) {
    detail::make_at<Out>(out + k, converted<Out>(x));
  });
}

#ifdef __CUDACC__

/// V elements from the first on, a multiple of V.
template <unsigned V, class T>
__device__ void load(pack_room<T, V>& to, const T* in, std::uint64_t first) {
  ::new (&to.loaded) pack<T, V>(packed_at<V>(in + first));
}
template <unsigned V, class T, class Source>
__device__ void load(pack_room<T, V>& to, const Source& in, std::uint64_t first) {
  in.template load<V>(to, first);
}

#endif // __CUDACC__

} // namespace ikra::rt
