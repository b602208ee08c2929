// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that have no section (ikra/device_operations.hpp), as the runtime does them: what both
// devices need to know of elements whose type is erased. host_operations.cpp has the loops over all
// cores, cuda/operations.cu and cuda/sort.cu the kernels, operations.cpp chooses.
#pragma once

#include <ikra/config.hpp>
#include <ikra/device_operations.hpp>
#include <ikra/generated/device/device.hpp>
#include <ikra/generated/device/section_info.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace ikra::rt {

using ikra::detail::any_buffer;
using ikra::detail::element_kind;
using ikra::detail::gpu_memory;
using ikra::detail::strided;

/// An operation as messages name it. \param name "psort", say
constexpr section_info operation_info(const char* name) { return {name, "ikra", 0, 0}; }

/// Whether elements are numbers that can be sorted and compared: 1, 2, 4 or 8 bytes.
inline bool is_number(const any_buffer& elements) {
  return elements.kind() != element_kind::bytes && elements.kind() != element_kind::index;
}

/// Numbers as unsigned ones of as many bytes that have the same order: not-a-numbers are the
/// largest, and equal; zeros of both signs are equal.
template <class T> IKRA_HD auto ordered(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    using bits_type = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr bits_type sign = bits_type(1) << (8 * sizeof(T) - 1);
    if (!(x <= T(0)) && !(x >= T(0)))
      return std::numeric_limits<bits_type>::max();
    if (x == T(0))
      return sign;
    bits_type bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    return static_cast<bits_type>((bits & sign) != 0 ? ~bits : bits | sign);
  } else {
    using bits_type = std::make_unsigned_t<T>;
    constexpr auto sign =
        static_cast<bits_type>(std::is_signed_v<T> ? bits_type(1) << (8 * sizeof(T) - 1) : 0);
    return static_cast<bits_type>(static_cast<bits_type>(x) ^ sign);
  }
}

/// Calls f(a number of the type) for elements that are numbers. \returns what f does
template <class F> auto with_number(element_kind kind, std::size_t bytes, const F& f) {
  if (kind == element_kind::floating)
    return bytes == 4 ? f(float()) : f(double());
  const bool is_signed = kind == element_kind::integer;
  switch (bytes) {
  case 1:
    return is_signed ? f(std::int8_t()) : f(std::uint8_t());
  case 2:
    return is_signed ? f(std::int16_t()) : f(std::uint16_t());
  case 4:
    return is_signed ? f(std::int32_t()) : f(std::uint32_t());
  default:
    return is_signed ? f(std::int64_t()) : f(std::uint64_t());
  }
}

/// So many bytes that move together.
template <std::size_t Bytes> struct alignas(Bytes) chunk_of_bytes {
  unsigned char bytes[Bytes];
};

/// Calls f(something of the size, number of these in an element) for the largest power of two up to
/// 16 that divides an element's size and the addresses of both arrays: adopted elements and slices
/// begin anywhere that suits their type. \returns what f does
template <class F>
auto with_chunks(std::size_t bytes, const void* to, const void* from, const F& f) {
  const std::uintptr_t multiples =
      bytes | reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if (multiples % 16 == 0)
    return f(chunk_of_bytes<16>(), bytes / 16);
  if (multiples % 8 == 0)
    return f(chunk_of_bytes<8>(), bytes / 8);
  if (multiples % 4 == 0)
    return f(chunk_of_bytes<4>(), bytes / 4);
  if (multiples % 2 == 0)
    return f(chunk_of_bytes<2>(), bytes / 2);
  return f(chunk_of_bytes<1>(), bytes);
}

/// Reads elements that stand for places: positions, numbers of bins, or indices.
struct index_reader {
  const void* indices;
  element_kind kind;
  std::uint32_t bytes; ///< of one
  strided space;       ///< the whole array in which they lie, row-major
  std::int64_t volume; ///< of it

  /// \param data the elements, where they are to be read
  index_reader(const any_buffer& elements, const void* data, const strided& in)
      : indices(data), kind(elements.kind()),
        bytes(static_cast<std::uint32_t>(elements.element_bytes())), space(in),
        volume(in.volume()) {}

  /// The i-th place as a row-major position; negative if it lies outside.
  IKRA_HD std::int64_t operator[](std::uint64_t i) const {
    if (kind == element_kind::index)
      return of_index(static_cast<const std::int64_t*>(indices) + i * (bytes / 8));
    const std::int64_t position =
        kind == element_kind::integer
            ? integer<std::int64_t, std::int32_t, std::int16_t, std::int8_t>(i)
            : integer<std::uint64_t, std::uint32_t, std::uint16_t, std::uint8_t>(i);
    return position < volume ? position : -1;
  }

private:
  /// Integers that are too large for a sign are outside.
  template <class Eight, class Four, class Two, class One>
  IKRA_HD std::int64_t integer(std::uint64_t i) const {
    switch (bytes) {
    case 8:
      return static_cast<std::int64_t>(static_cast<const Eight*>(indices)[i]);
    case 4:
      return static_cast<const Four*>(indices)[i];
    case 2:
      return static_cast<const Two*>(indices)[i];
    default:
      return static_cast<const One*>(indices)[i];
    }
  }
  IKRA_HD std::int64_t of_index(const std::int64_t* place) const {
    std::int64_t position = 0;
    for (std::uint32_t d = 0; d < bytes / 8; ++d) {
      if (place[d] < 0 || place[d] >= space.shape[d])
        return -1;
      position += place[d] * space.strides[d];
    }
    return position;
  }
};

/// Whether elements can stand for indices. An enumeration is none for the library.
inline bool are_indices(const any_buffer& elements) {
  return elements.kind() == element_kind::natural || elements.kind() == element_kind::integer ||
         elements.kind() == element_kind::index;
}

/// The operations on all cores. They take what lies in host memory.
ikra::detail::device_operations& host_operations();

/// The operations on a GPU; null where the program was not built for one.
ikra::detail::device_operations* cuda_operations();

/// Makes the runtime's operations those of the library; called before main().
void install_operations();
/// The same for array::start() (background.cpp).
void install_background();

} // namespace ikra::rt
