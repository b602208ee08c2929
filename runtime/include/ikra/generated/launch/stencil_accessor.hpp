// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the bodies of stencils stand. An accessor is a place together with the arrays that are
// read: it gives their elements there, and the accessors of neighbours. So what a stencil's window
// reads may be an element of an array, or be computed from elements of arrays around it: that is
// how sections in front of a stencil are fused into it, stencils among them (ARRAY'17, section 7:
// elements of the inner array are computed once for each neighbour that they are).
//
// There are three kinds of accessors. Where all that a body may reach lies inside, an element is
// one load at a distance that is the same for all places, and no border is looked for. At other
// accessors each stencil on the way tests for its own border; where that is simple, one test is
// made beforehand.
#pragma once

#include <ikra/generated/launch/body_traits.hpp>
#include <ikra/generated/launch/grid.hpp>
#include <ikra/generated/launch/index_space.hpp>
#include <ikra/generated/launch/kernel_value.hpp>
#include <ikra/generated/launch/source.hpp>
#include <ikra/generated/launch/window.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ikra::rt {

/// The distance of neighbours along each dimension but the last, where it is 1.
template <int R, class Distance> struct strides {
  Distance of[R > 1 ? R - 1 : 1];
};

template <class Distance, int R> IKRA_HD strides<R, Distance> strides_of(const index<R>& shape) {
  strides<R, Distance> result{};
  std::int64_t stride = 1;
  for (int d = R - 1; d > 0; --d) {
    stride *= shape[d];
    result.of[d - 1] = static_cast<Distance>(stride);
  }
  return result;
}

/// The arrays that a body reads, from some element on.
template <class... In> class leaf_arrays {
public:
  IKRA_HD explicit leaf_arrays(const In*... in) : in_{{in}...} {}

  template <std::size_t L> IKRA_HD auto* leaf() const { return find<L>(&in_)->elements; }
  /// From the n-th element on.
  IKRA_HD leaf_arrays operator+(std::uint64_t n) const {
    return moved(n, std::index_sequence_for<In...>());
  }

private:
  template <std::size_t L, class T>
  IKRA_HD static const detail::numbered_input<L, T>*
  find(const detail::numbered_input<L, T>* input) {
    return input;
  }
  template <std::size_t... L>
  IKRA_HD leaf_arrays moved([[maybe_unused]] std::uint64_t n, std::index_sequence<L...>) const {
    return leaf_arrays((leaf<L>() + n)...);
  }

  detail::numbered_inputs<std::index_sequence_for<In...>, In...> in_;
};

/// The same arrays, for accessors that are copied: g++ keeps structs of many pointers in memory.
template <class Leaves> class leaves_elsewhere {
public:
  IKRA_HD explicit leaves_elsewhere(const Leaves& leaves) : leaves_(&leaves) {}

  template <std::size_t L> IKRA_HD auto* leaf() const { return leaves_->template leaf<L>(); }

private:
  const Leaves* leaves_;
};

/// Elements of one or two bytes of a row, which are loaded as words of four. \tparam T of which
/// four bytes are aligned
template <class T> class row_in_words {
public:
  IKRA_HD explicit row_in_words(const T* first) : first_(first) {}

  /// \param n a multiple of the elements of a word
  IKRA_HD row_in_words operator+(std::int64_t n) const { return row_in_words(first_ + n); }
  IKRA_HD T operator[](std::int64_t n) const {
#ifdef __CUDA_ARCH__
    // Shifted, and no element of a pack: of a number that is not known, that would be memory.
    constexpr unsigned per_word = 4 / sizeof(T), bits = 8 * sizeof(T);
    const std::uint32_t word =
        __ldg(reinterpret_cast<const std::uint32_t*>(first_) + (n >> (per_word == 4 ? 2 : 1)));
    const std::uint32_t shifted = word >> (static_cast<std::uint32_t>(n) % per_word * bits);
    T result;
    __builtin_memcpy(&result, &shifted, sizeof result);
    return result;
#else
    return first_[n];
#endif
  }

private:
  const T* first_;
};
/// Arrays of such elements.
template <class Leaves> class leaves_in_words {
public:
  IKRA_HD explicit leaves_in_words(const Leaves& leaves) : leaves_(leaves) {}

  template <std::size_t L> IKRA_HD auto leaf() const {
    return row_in_words(leaves_.template leaf<L>());
  }

private:
  Leaves leaves_;
};

namespace detail {
/// V elements that lie together, of memory that the launch does not write. On the GPU one load,
/// which compilers would take apart where elements are used one by one.
template <unsigned V, class T> IKRA_HD pack<T, V> load_pack(const T* first) {
#ifdef __CUDA_ARCH__
  const auto as = [&]<class Word>(Word) {
    static_assert(sizeof(Word) == sizeof(pack<T, V>));
    const Word word = __ldg(reinterpret_cast<const Word*>(first));
    pack<T, V> all;
    __builtin_memcpy(&all, &word, sizeof all);
    if constexpr (sizeof(T) == 1)
      return packed_at<V>(all.elements);
    else
      return all;
  };
  if constexpr (sizeof(pack<T, V>) == sizeof(uint4))
    return as(uint4());
  else if constexpr (sizeof(pack<T, V>) == sizeof(uint2))
    return as(uint2());
  else
#endif
    return *reinterpret_cast<const pack<T, V>*>(first);
}

/// An element as bodies read it: by value, or, if it is large, by reference, so that only what is
/// used is loaded. A copy one of whose members is picked by a number that the compiler does not
/// know lies in a thread's local memory (measured: 25 times as long).
template <class T>
IKRA_HD std::conditional_t<std::is_class_v<T> && (sizeof(T) > 16), const T&, T>
as_read(const T& element) {
#ifdef __CUDA_ARCH__
  // A conversion to a base class, as std::get makes one of a tuple, is a test for null by nvcc.
  if constexpr (std::is_class_v<T>)
    __builtin_assume(__builtin_addressof(element) != nullptr);
#endif
  return element;
}
} // namespace detail

/// An accessor all of whose neighbours that the body may reach lie inside.
/// \tparam V          elements that are loaded together. More than 1 where no body reaches along
/// the
///                    last dimension: leaves begin at multiples of V, and `along` is less.
/// \tparam Coordinate an integer that places fit into
/// \tparam Distance   a signed integer that distances between elements fit into
template <int R, unsigned V, class Coordinate, class Distance, class Leaves>
class interior_accessor {
public:
  static constexpr int rank = R;

  struct coordinates {
    Coordinate of[R];
  };

  /// \param leaves from an element of the accessor's row on \param along how far the accessor lies
  /// in its row
  IKRA_HD interior_accessor(const Leaves& leaves, const strides<R, Distance>& steps,
                            const coordinates& place, Distance along)
      : leaves_(leaves), steps_(steps), place_(place), along_(along) {}

  /// The accessor n places further in dimension d, which is not the last.
  IKRA_HD interior_accessor further(int d, Distance n) const {
    interior_accessor result = *this;
    result.place_.of[d] += static_cast<Coordinate>(n);
    result.rows_[d] += n;
    return result;
  }

  /// The element of the L-th array.
  template <std::size_t L> IKRA_HD decltype(auto) element() const {
    // Offsets add up before they are multiplied, so that compilers see which elements are the same.
    Distance distance = 0;
    IKRA_UNROLLED
    for (int d = 0; d < R - 1; ++d)
      distance += rows_[d] * steps_.of[d];
    const auto row = leaves_.template leaf<L>() + distance;
    if constexpr (V == 1)
      return detail::as_read(row[along_]);
    else
      return std::remove_cvref_t<decltype(*row)>(detail::load_pack<V>(row).elements[along_]);
  }

  /// What sections get as the index.
  IKRA_HD ikra::detail::section_index_t<R> section_index() const {
    index<R> result;
    IKRA_UNROLLED
    for (int d = 0; d < R; ++d) {
      assume_coordinate(place_.of[d]);
      result[d] = static_cast<std::int64_t>(place_.of[d]);
    }
    return ikra::detail::as_section_index(result);
  }

  /// Whether all neighbours within reach lie inside.
  template <class Footprint> IKRA_HD static constexpr bool fits() { return true; }

  template <border Border> IKRA_HD interior_accessor neighbour(const index<R>& offset) const {
    interior_accessor result = *this;
    IKRA_UNROLLED
    for (int d = 0; d < R; ++d)
      result.place_.of[d] += static_cast<Coordinate>(offset[d]);
    IKRA_UNROLLED
    for (int d = 0; d < R - 1; ++d)
      result.rows_[d] += static_cast<Distance>(offset[d]);
    if constexpr (V == 1)
      result.along_ += static_cast<Distance>(offset[R - 1]);
    return result;
  }

private:
  Leaves leaves_;
  strides<R, Distance> steps_;
  coordinates place_;
  Distance rows_[R > 1 ? R - 1 : 1] = {}; ///< how far from the leaves' row, in each dimension
  Distance along_;
};

/// An accessor that knows whether all neighbours lie inside: all that a body asks whose only
/// stencil gives a value, or the element, at the border. Its own elements are read in either case.
template <class Accessor> class guarded_accessor {
public:
  static constexpr int rank = Accessor::rank;

  IKRA_HD guarded_accessor(const Accessor& accessor, bool is_inside)
      : accessor_(accessor), inside_(is_inside) {}

  template <std::size_t L> IKRA_HD decltype(auto) element() const {
    return accessor_.template element<L>();
  }
  IKRA_HD ikra::detail::section_index_t<rank> section_index() const {
    return accessor_.section_index();
  }
  template <class Footprint> IKRA_HD bool fits() const { return inside_; }
  /// Only where all neighbours lie inside.
  template <border Border> IKRA_HD Accessor neighbour(const index<rank>& offset) const {
    return accessor_.template neighbour<Border>(offset);
  }

private:
  Accessor accessor_;
  bool inside_;
};

/// An accessor some of whose neighbours lie outside, for such a body: no code that reads neighbours
/// is made of it.
template <class Accessor> class exterior_accessor {
public:
  static constexpr int rank = Accessor::rank;
  static constexpr bool is_outside = true;

  IKRA_HD explicit exterior_accessor(const Accessor& accessor) : accessor_(accessor) {}

  template <std::size_t L> IKRA_HD decltype(auto) element() const {
    return accessor_.template element<L>();
  }
  IKRA_HD ikra::detail::section_index_t<rank> section_index() const {
    return accessor_.section_index();
  }

private:
  Accessor accessor_;
};

/// The L-th array's element at an accessor.
template <std::size_t L> struct leaf_at {
  IKRA_HD decltype(auto) operator()(const auto& accessor) const {
    return accessor.template element<L>();
  }
};

/// Whether a body asks no more than a guarded_accessor knows.
template <class Body>
concept has_plain_border = requires { requires is_said<Body::has_plain_border>; };

#ifdef __CUDACC__
/// A body's result where neighbours may be outside. \param is_inner whether none is, of those that
/// it may read \param at_boundary gives an accessor that asks of each
template <class Out, class Body, class Accessor, class Boundary>
__device__ Out near_border(const Body& body, const Accessor& accessor, bool is_inner,
                           const Boundary& at_boundary) {
  if constexpr (has_plain_border<Body>)
    return Out(body(guarded_accessor(accessor, is_inner)));
  else
    return is_inner ? Out(body(accessor)) : Out(body(at_boundary()));
}
#endif

/// Whether a body reads each member of its neighbours from one of them alone: then windows have
/// nothing in common that is read.
template <class Body>
concept reads_members_once = requires { requires is_said<Body::reads_members_once>; };

/// Whether a body asks no accessor for its place.
template <class Body>
concept ignores_index = requires { requires is_said<Body::ignores_index>; };

/// Whether a body's neighbours outside are those of the other side.
template <class Body>
concept wraps = requires { requires is_said<Body::wraps>; };

/// Any other accessor.
/// \tparam Depth how many stencils it is a neighbour for
template <int R, unsigned Depth, class Leaves> class boundary_accessor {
public:
  static constexpr int rank = R;
  static constexpr unsigned depth = Depth;

  /// \param leaves from their first elements on
  IKRA_HD boundary_accessor(const Leaves& leaves, const index<R>& shape, const index<R>& place)
      : leaves_(leaves), shape_(shape), place_(place) {}

  template <std::size_t L> IKRA_HD decltype(auto) element() const {
    return detail::as_read(leaves_.template leaf<L>()[ikra::detail::position(shape_, place_)]);
  }

  IKRA_HD ikra::detail::section_index_t<R> section_index() const {
    return ikra::detail::as_section_index(place_);
  }

  template <class Footprint> IKRA_HD bool fits() const {
    IKRA_UNROLLED
    for (int d = 0; d < R; ++d)
      if (place_[d] < -Footprint::least()[d] || place_[d] >= shape_[d] - Footprint::most()[d])
        return false;
    return true;
  }

  /// Where a neighbour outside is another one, that one; with other borders, it lies inside.
  template <border Border>
  IKRA_HD boundary_accessor<R, Depth + 1, Leaves> neighbour(const index<R>& offset) const {
    index<R> result;
    IKRA_UNROLLED
    for (int d = 0; d < R; ++d)
      result[d] = inside<Border>(place_[d] + offset[d], shape_[d]);
    return {leaves_, shape_, result};
  }

private:
  template <border Border>
  IKRA_HD static std::int64_t inside(std::int64_t at, std::int64_t extent) {
    if constexpr (Border == border::clamp) {
      return clamped(at, 0, extent - 1);
    } else if constexpr (Border == border::wrap) {
      if (at >= 0 && at < extent)
        return at;
      const std::int64_t near = at < 0 ? at + extent : at - extent; // without a division
      return near >= 0 && near < extent ? near : (at % extent + extent) % extent;
    } else {
      return at;
    }
  }

  Leaves leaves_;
  index<R> shape_;
  index<R> place_;
};

/// What a stencil's section gets in place of ikra::window: elements that are computed where they
/// are read.
/// \tparam Element gives the element at an accessor
template <class T, class Footprint, border Border, class Accessor, class Element>
class accessor_window
    : public window_forms<accessor_window<T, Footprint, Border, Accessor, Element>, T,
                          Footprint::rank> {
public:
  IKRA_HD accessor_window(const Accessor& accessor, const Element& element)
      : accessor_(accessor), element_(element) {}

  IKRA_HD T read(const index<Footprint::rank>& offset) const {
    return element_(accessor_.template neighbour<Border>(Footprint::nearest(offset)));
  }

private:
  const Accessor& accessor_;
  const Element& element_;
};

/// The same where a neighbourhood is one place: its element is computed once, however often it is
/// read.
template <class T, class Footprint>
class one_place_window : public window_forms<one_place_window<T, Footprint>, T, Footprint::rank> {
public:
  IKRA_HD explicit one_place_window(const T& element) : element_(element) {}
  IKRA_HD T read(const index<Footprint::rank>& /*offset*/) const { return element_; }

private:
  T element_;
};

namespace detail {

template <class Out, border Border, class Accessor, class Outside, class Element>
IKRA_HD Out result_at_border(const Accessor& accessor, [[maybe_unused]] const Outside& outside,
                             [[maybe_unused]] const Element& element) {
  if constexpr (Border == border::value)
    return converted<Out>(outside);
  else
    return converted<Out>(element(accessor));
}

template <class T, class Footprint, border Border, class Accessor, class Element>
IKRA_HD auto window_at(const Accessor& accessor, const Element& element) {
  if constexpr (Footprint::is_one_place && !std::is_reference_v<T>)
    return one_place_window<T, Footprint>(
        element(accessor.template neighbour<Border>(Footprint::least())));
  else
    return accessor_window<T, Footprint, Border, Accessor, Element>(accessor, element);
}

template <class Out, class Footprint, border Border, bool WithIndex, class Accessor, class Body,
          class Outside, class Element>
IKRA_HD Out stencil_result(const Accessor& accessor, const Body& body,
                           [[maybe_unused]] const Outside& outside, const Element& element) {
  if constexpr (Border == border::value || Border == border::keep)
    if (!accessor.template fits<Footprint>())
      return result_at_border<Out, Border>(accessor, outside, element);
  using input = decltype(element(accessor.template neighbour<Border>(index<Footprint::rank>())));
  const auto window = window_at<input, Footprint, Border>(accessor, element);
  if constexpr (WithIndex)
    return Out(body_at_index(body, accessor.section_index())(window, accessor.section_index()));
  else if constexpr (names_index<Body>)
    return Out(body_at_index(body, accessor.section_index())(window));
  else
    return Out(body(window));
}

/// The same as one function, wherever it is called from: at borders, stencils of stencils would
/// grow with each of their neighbours.
template <class Out, class Footprint, border Border, bool WithIndex, class Accessor, class Body,
          class Outside, class Element>
IKRA_OUT_OF_LINE IKRA_HD Out stencil_result_apart(const Accessor& accessor, const Body& body,
                                                  const Outside& outside, const Element& element) {
  return stencil_result<Out, Footprint, Border, WithIndex>(accessor, body, outside, element);
}

} // namespace detail

/// The result of a stencil at an accessor.
/// \tparam Footprint rt::footprint of its neighbourhood
/// \param body    called with a window, and the index after it if WithIndex
/// \param outside the result at the border, for border::value; else not used
/// \param element gives the input's element at an accessor
template <class Out, class Footprint, border Border, bool WithIndex, class Accessor, class Body,
          class Outside, class Element>
IKRA_HD Out stencil_at(const Accessor& accessor, const Body& body, const Outside& outside,
                       const Element& element) {
  if constexpr (requires { requires Accessor::is_outside; })
    return detail::result_at_border<Out, Border>(accessor, outside, element);
  else if constexpr (requires { requires Accessor::depth > 0; })
    return detail::stencil_result_apart<Out, Footprint, Border, WithIndex>(accessor, body, outside,
                                                                           element);
  else
    return detail::stencil_result<Out, Footprint, Border, WithIndex>(accessor, body, outside,
                                                                     element);
}

/// In place of a value for the border, where there is none.
struct no_value {};

/// A stencil that reads an array: what is launched where nothing else shares its kernel.
template <class Out, class Footprint, border Border, bool WithIndex, class Body, class Outside>
struct stencil_of_array {
  using footprint = Footprint;
  static constexpr bool has_plain_border = Border == border::value || Border == border::keep;
  static constexpr bool wraps = Border == border::wrap;
  static constexpr bool ignores_index = !WithIndex && !names_index<Body>;
  static constexpr bool reads_members_once = rt::reads_members_once<Body>;
  static constexpr bool diverges = rt::diverges<Body>;
  static constexpr bool repeats = rt::repeats<Body>;

  Body body;
  Outside outside;

  template <class Accessor> IKRA_HD Out operator()(const Accessor& accessor) const {
    return stencil_at<Out, Footprint, Border, WithIndex>(accessor, body, outside, leaf_at<0>());
  }
};

} // namespace ikra::rt
