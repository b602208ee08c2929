// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikra::adopt: arrays over memory of others, which stays where it is: spans, pointers with a shape
// and strides, padded rows of images, containers, mdspans. Nothing is copied, and nothing is ever
// written there: arrays are immutable, and so has to be the memory while arrays may read it. What
// cannot be adopted as it is, is an error that says why. Exchange formats are adopted by dlpack.hpp
// and arrow.hpp. docs/data.md is for users. Relies on array.hpp.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/array.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace ikra {

/// Says that the caller keeps adopted memory for as long as an array may read it: the adopted one,
/// its copies, and uncomputed results of its operations.
struct borrowed_t {
  explicit borrowed_t() = default;
};
inline constexpr borrowed_t borrowed{};

/// Distance from one row of an image to the next, in bytes, as image libraries give it.
struct row_bytes {
  std::ptrdiff_t value;

  constexpr explicit row_bytes(std::integral auto bytes)
      : value(static_cast<std::ptrdiff_t>(bytes)) {}
};

namespace detail {

template <class T> inline constexpr bool never = false;

/// A container, or a std::array, that has elements of its own.
template <class C>
concept owning_range =
    std::ranges::contiguous_range<C> && std::ranges::sized_range<C> && !std::ranges::view<C>;

/// What std::mdspan and its kin offer.
template <class M>
concept mdspan_like = requires(const M& m) {
  { m.data_handle() } -> std::convertible_to<const typename M::element_type*>;
  { m.extent(0) } -> std::integral;
  { m.stride(0) } -> std::integral;
  { M::rank() } -> std::integral;
};

/// The container that an owner keeps; null where it keeps something else.
template <class Owner> auto* container_of(const Owner& owner) {
  if constexpr (owning_range<const Owner>)
    return std::addressof(owner);
  else if constexpr (requires {
                       requires owning_range<const std::remove_cvref_t<decltype(*owner.get())>>;
                     })
    return static_cast<const std::remove_cvref_t<decltype(*owner.get())>*>(owner.get());
  else
    return static_cast<const void*>(nullptr);
}

/// Number of elements from position 0 to the last that a map reads, if all are at least 0.
/// \throws error of kind bad_shape if it, in bytes, does not fit an address space
inline std::int64_t extent_of(const strided& map, std::size_t element_bytes) {
  const std::int64_t most = INT64_MAX / static_cast<std::int64_t>(element_bytes);
  const auto too_large = [&](int d) {
    throw error(error_kind::bad_shape,
                text("ikra: the shape ", shape_text(map), " with the stride ", map.strides[d],
                     " in dimension ", d, " has more bytes than an address space"));
  };
  std::int64_t last = map.offset;
  for (int d = 0; d < map.rank; ++d) {
    const std::int64_t steps = map.shape[d] - 1, stride = map.strides[d];
    if (steps <= 0 || stride == 0)
      continue;
    if (stride == INT64_MIN || (stride < 0 ? -stride : stride) > most / steps)
      too_large(d);
    if (stride > 0 && stride * steps > most - 1 - last)
      too_large(d);
    if (stride > 0)
      last += stride * steps;
  }
  return last + 1;
}

/// Where elements of a foreign array lie: the first address of all, and the elements' places from
/// there on.
struct foreign_layout {
  std::ptrdiff_t before = 0; ///< elements in front of the one at place 0, which strides lead to
  std::int64_t count = 0;    ///< elements from the first to the last address
  strided map;
};

/// \param strides in elements; any sign, and 0
/// \throws error of kind bad_shape for negative extents and sizes that overflow
template <int R>
foreign_layout layout_of(const index<R>& shape, const index<R>& strides,
                         std::size_t element_bytes) {
  foreign_layout result;
  result.map = whole(shape);
  if (checked_volume(shape) == 0)
    return result;
  strided backwards = result.map;
  for (int d = 0; d < R; ++d) {
    result.map.strides[d] = strides[d];
    backwards.strides[d] = strides[d] > INT64_MIN && strides[d] < 0 ? -strides[d] : 0;
  }
  // Elements in front of the first are those that negative strides lead to.
  const std::int64_t in_front = extent_of(backwards, element_bytes) - 1;
  result.map.offset = in_front;
  result.before = static_cast<std::ptrdiff_t>(in_front);
  result.count = extent_of(result.map, element_bytes);
  return result;
}

/// Row-major strides, in elements.
template <int R> index<R> strides_of(const index<R>& shape) {
  checked_volume(shape);
  index<R> strides = ones<R>();
  for (int d = R - 1; d > 0; --d)
    strides[d - 1] = strides[d] * (shape[d] == 0 ? 1 : shape[d]);
  return strides;
}

/// \throws error of kind cannot_adopt
[[noreturn]] inline void refuse_adoption(const std::string& why, const char* remedy) {
  throw error(error_kind::cannot_adopt,
              text("ikra: memory cannot be adopted: ", why, "; ", remedy));
}

/// \throws error of kind cannot_adopt if elements cannot lie there
inline void check_address(const void* first, std::size_t alignment) {
  if (first == nullptr)
    refuse_adoption("it is null, and there are elements", "give the elements' address");
  if (const auto rest = reinterpret_cast<std::uintptr_t>(first) % alignment; rest != 0)
    refuse_adoption(text("it begins ", rest, " bytes after a multiple of ", alignment,
                         ", to which elements are aligned"),
                    "copy the elements into a std::vector");
}

/// An array of elements that lie in host memory. \param keep owns the memory; may be null
template <class T, int R>
array<T, R> adopted(const T* at_place_0, const index<R>& shape, const foreign_layout& layout,
                    const std::shared_ptr<const void>& keep) {
  if (layout.count == 0)
    return array_access::make<T, R>(shape, held(new value_command<T>(buffer<T>())));
  const std::shared_ptr<const T> first(keep, at_place_0 - layout.before);
  auto all = held(new value_command<T>(buffer<T>(static_cast<std::size_t>(layout.count), first)));
  if (layout.map.is_contiguous())
    return array_access::make<T, R>(shape, std::move(all));
  return array_access::make<T, R>(shape, held(new view_command<T>(layout.map, std::move(all))));
}

/// Checks that elements are the owner's, and has it kept.
template <class T, int R, class Owner>
array<T, R> adopt_from(const T* at_place_0, const index<R>& shape, const index<R>& strides,
                       Owner&& owner) {
  using kept = std::remove_cvref_t<Owner>;
  const foreign_layout layout = layout_of(shape, strides, sizeof(T));
  if (layout.count != 0)
    check_address(at_place_0, alignof(T));
  std::ptrdiff_t from_start = 0; // of the owner's container
  using container = decltype(container_of(owner));
  if constexpr (!std::is_same_v<container, const void*>) {
    if (const auto* of_owner = container_of(owner); of_owner != nullptr && layout.count != 0) {
      const auto begin = reinterpret_cast<std::uintptr_t>(std::ranges::data(*of_owner));
      const auto end = begin + std::ranges::size(*of_owner) *
                                   sizeof(std::ranges::range_value_t<decltype(*of_owner)>);
      const auto first = reinterpret_cast<std::uintptr_t>(at_place_0 - layout.before);
      const auto last = first + static_cast<std::uintptr_t>(layout.count) * sizeof(T);
      if (first < begin || last > end)
        refuse_adoption(text("its ", last - first, " bytes do not lie within the ", end - begin,
                             " bytes of its owner"),
                        "give a span of the owner's elements");
      from_start = static_cast<std::ptrdiff_t>(first - begin);
    }
  }

  if constexpr (std::is_same_v<kept, borrowed_t>) {
    return adopted<T, R>(at_place_0, shape, layout, nullptr);
  } else if constexpr (requires { typename kept::element_type; } &&
                       std::convertible_to<Owner, std::shared_ptr<const void>>) {
    return adopted<T, R>(at_place_0, shape, layout, std::forward<Owner>(owner));
  } else if constexpr (std::invocable<kept&>) {
    // Its end is the owner's call.
    struct caller {
      kept call;
      explicit caller(Owner&& f) : call(std::forward<Owner>(f)) {}
      caller(const caller&) = delete;
      caller& operator=(const caller&) = delete;
      ~caller() { std::invoke(call); }
    };
    return adopted<T, R>(at_place_0, shape, layout,
                         std::make_shared<caller>(std::forward<Owner>(owner)));
  } else {
    static_assert(!std::is_lvalue_reference_v<Owner>,
                  "an owner is moved in; a memory that the caller keeps is ikra::borrowed");
    const auto keep = std::make_shared<kept>(std::forward<Owner>(owner));
    if constexpr (owning_range<const kept>) { // whose elements may have moved with it: std::array
      const auto* begin = reinterpret_cast<const std::byte*>(std::ranges::data(*keep));
      at_place_0 = reinterpret_cast<const T*>(begin + from_start) + layout.before;
    }
    return adopted<T, R>(at_place_0, shape, layout, keep);
  }
}

/// Rows whose elements are copied as bytes: they do not lie in an array of elements.
template <class T, class Owner>
array<T, 2> copied_rows(const T* first, const index<2>& shape, row_bytes pitch, Owner&& owner) {
  const foreign_layout together = layout_of(shape, strides_of(shape), sizeof(T));
  if (together.count != 0)
    check_address(first, alignof(T));
  const auto* const at = reinterpret_cast<const unsigned char*>(first);
  const index<2> in_bytes(shape[0], shape[1] * static_cast<std::int64_t>(sizeof(T)));
  const auto bytes = adopt_from<unsigned char, 2>(at, in_bytes, index<2>(pitch.value, 1),
                                                  std::forward<Owner>(owner));
  const auto* const elements = reinterpret_cast<const T*>(bytes.data());
  return adopted<T, 2>(elements, shape, together,
                       std::make_shared<const array<unsigned char, 2>>(bytes));
}

} // namespace detail

/// An array of the elements of a span, which stay where they are.
/// \param elements any number of elements of type T; not to change while arrays may read them
/// \param owner    keeps them: a std::shared_ptr; an rvalue that owns them (a container, a
/// std::unique_ptr), which is kept; a function without parameters, called when nobody reads them
/// any more, by whichever thread lets go last; or ikra::borrowed. If adopt throws, it still is
/// the caller's
/// \throws error of kind cannot_adopt if the address is null or misaligned, or the elements are not
/// the owner's; bad_shape as for array
template <class T, std::size_t N, class Owner> auto adopt(std::span<T, N> elements, Owner&& owner) {
  return detail::adopt_from<std::remove_const_t<T>, 1>(elements.data(), index<1>(elements.size()),
                                                       index<1>(1), std::forward<Owner>(owner));
}

/// The same from the element at place 0 on, row-major: adopt(pixels, {height, width}, owner).
template <class T, int R, class Owner> auto adopt(T* first, const index<R>& shape, Owner&& owner) {
  return detail::adopt_from<std::remove_const_t<T>, R>(first, shape, detail::strides_of(shape),
                                                       std::forward<Owner>(owner));
}
template <class T, std::size_t N, class Owner>
auto adopt(T* first, const detail::integer (&shape)[N], Owner&& owner) {
  return adopt(first, detail::to_index(shape), std::forward<Owner>(owner));
}

/// The same with a distance between neighbours in each dimension. Elements that are not consecutive
/// are a view (array::slice), which is copied once, when its elements are asked for.
/// \param first   the element at place 0, whatever the signs of strides
/// \param strides in elements, as std::layout_stride has them; negative and 0 too
template <class T, int R, class Owner>
auto adopt(T* first, const index<R>& shape, const index<R>& strides, Owner&& owner) {
  return detail::adopt_from<std::remove_const_t<T>, R>(first, shape, strides,
                                                       std::forward<Owner>(owner));
}
template <class T, std::size_t N, class Owner>
auto adopt(T* first, const detail::integer (&shape)[N], const detail::integer (&strides)[N],
           Owner&& owner) {
  return adopt(first, detail::to_index(shape), detail::to_index(strides),
               std::forward<Owner>(owner));
}

/// Rows of an image: adopt(pixels, {height, width}, ikra::row_bytes{pitch}, owner). Rows whose
/// distance is no multiple of an element's size, such as pixels of three bytes in rows of whole
/// words, are copied at once.
/// \param pitch negative where the first row is the last one in memory
/// \throws error of kind cannot_adopt if elements cannot lie so far apart, or rows overlap
template <class T, class Owner>
auto adopt(T* first, const index<2>& shape, row_bytes pitch, Owner&& owner) {
  using element = std::remove_const_t<T>;
  constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(T));
  const std::ptrdiff_t apart = pitch.value < 0 ? -pitch.value : pitch.value;
  if (shape[0] > 1 && shape[1] > apart / bytes) // the slip is a pitch in elements
    detail::refuse_adoption(detail::text("rows of ", shape[1], " elements of ", bytes,
                                         " bytes begin ", pitch.value, " bytes apart"),
                            "give row_bytes in bytes; strides, where rows are to overlap");
  if (pitch.value % bytes == 0)
    return adopt(first, shape, index<2>(pitch.value / bytes, 1), std::forward<Owner>(owner));
  const bool fits = pitch.value % static_cast<std::ptrdiff_t>(alignof(T)) == 0 &&
                    alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  if constexpr (detail::copied_as_bytes<element>)
    if (fits)
      return detail::copied_rows<element>(first, shape, pitch, std::forward<Owner>(owner));
  detail::refuse_adoption(detail::text("rows lie ", pitch.value,
                                       " bytes apart, which is no multiple of an element's ",
                                       fits ? bytes : static_cast<std::ptrdiff_t>(alignof(T)),
                                       fits ? "" : " bytes of alignment"),
                          "copy the rows into a std::vector");
}

/// The elements of a container that is kept from now on: adopt(std::array{1, 2, 3}).
template <class C>
  requires detail::owning_range<C> && (!std::is_lvalue_reference_v<C>)
auto adopt(C&& container) {
  const std::span<const std::ranges::range_value_t<C>> elements(container);
  return adopt(elements, std::forward<C>(container));
}
/// The same in a shape: adopt(std::move(pixels), {height, width}).
/// \throws error of kind bad_shape if the elements do not fill it
template <class C, int R>
  requires detail::owning_range<C> && (!std::is_lvalue_reference_v<C>)
auto adopt(C&& container, const index<R>& shape) {
  using element = std::ranges::range_value_t<C>;
  detail::check_command<R, element>::check_size(shape, std::ranges::size(container));
  return adopt(std::ranges::data(container), shape, std::forward<C>(container));
}
template <class C, std::size_t N>
  requires detail::owning_range<C> && (!std::is_lvalue_reference_v<C>)
auto adopt(C&& container, const detail::integer (&shape)[N]) {
  return adopt(std::forward<C>(container), detail::to_index(shape));
}
/// The elements of a container that is shared.
/// \throws error of kind cannot_adopt if it points to none
template <class C>
  requires detail::owning_range<C>
auto adopt(std::shared_ptr<C> container) {
  if (container == nullptr)
    detail::refuse_adoption("its shared_ptr is null", "give one that points to a container");
  const std::span<const std::ranges::range_value_t<C>> elements(*container);
  return adopt(elements, std::move(container));
}

/// Without an owner nothing is adopted: these say what is missing. \{
template <class T, std::size_t N> array<std::remove_const_t<T>> adopt(std::span<T, N>) {
  static_assert(detail::never<T>, "say who keeps the memory: give an owner, or ikra::borrowed");
  return {};
}
template <class T, std::size_t N>
array<std::remove_const_t<T>, int(N)> adopt(T*, const detail::integer (&)[N]) {
  static_assert(detail::never<T>, "say who keeps the memory: give an owner, or ikra::borrowed");
  return {};
}
template <class C>
  requires detail::owning_range<C>
array<std::ranges::range_value_t<C>> adopt(C&) {
  static_assert(detail::never<C>, "a container is moved in, by std::move; one that the caller "
                                  "keeps is adopted as std::span(container) and ikra::borrowed");
  return {};
}
/// \}

/// What an mdspan shows, in its layout: adopt(view, owner).
template <detail::mdspan_like M, class Owner> auto adopt(const M& view, Owner&& owner) {
  constexpr int rank = static_cast<int>(M::rank());
  index<rank> shape, strides;
  for (int d = 0; d < rank; ++d) {
    const auto dimension = static_cast<std::size_t>(d);
    shape[d] = static_cast<std::int64_t>(view.extent(dimension));
    strides[d] = static_cast<std::int64_t>(view.stride(dimension));
  }
  const typename M::element_type* const first = view.data_handle();
  return adopt(first, shape, strides, std::forward<Owner>(owner));
}

} // namespace ikra

#include <ikra/macros_back.hpp>
