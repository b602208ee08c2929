// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays from and to DLPack tensors, the exchange format of NumPy, PyTorch, JAX, CuPy and others:
// no element is copied, in host memory or on a GPU. The structs have the layout of DLPack's public
// ABI, versions 0.x (managed_tensor) and 1.x (managed_tensor_versioned); a pointer to DLPack's own
// struct is cast to them. Python's capsules are left to Python (docs/data.md has an example).
// Source: https://dmlc.github.io/dlpack/latest/c_api.html. Relies on exchange.hpp.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/exchange.hpp>

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace ikra {

/// The structs of DLPack, in its order of members.
namespace dlpack {

struct device {
  std::int32_t kind;   ///< 1 host, 2 CUDA, 3 pinned host memory, 13 CUDA's managed memory, …
  std::int32_t number; ///< of the device
};
struct data_type {
  std::uint8_t code; ///< 0 signed, 1 unsigned, 2 floating-point, 5 complex, 6 bool, …
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct tensor {
  void* data;
  dlpack::device device;
  std::int32_t rank;
  dlpack::data_type type;
  std::int64_t* shape;
  std::int64_t* strides; ///< in elements; null: row-major
  std::uint64_t byte_offset;
};
struct managed_tensor {
  dlpack::tensor tensor;
  void* context;
  void (*deleter)(managed_tensor*); ///< may be null
};
struct managed_tensor_versioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(managed_tensor_versioned*); ///< may be null
  std::uint64_t flags;
  dlpack::tensor tensor;
};
inline constexpr std::uint64_t read_only = 1; ///< a flag

} // namespace dlpack

namespace detail {

template <class T> struct dlpack_code {};
template <std::integral T> struct dlpack_code<T> {
  static constexpr std::uint8_t code = std::is_signed_v<T> ? 0 : 1;
};
template <> struct dlpack_code<bool> {
  static constexpr std::uint8_t code = 6;
};
template <std::floating_point T> struct dlpack_code<T> {
  static constexpr std::uint8_t code = 2;
};
template <class T> struct dlpack_code<std::complex<T>> {
  static constexpr std::uint8_t code = 5;
};
template <class T>
  requires std::is_enum_v<T>
struct dlpack_code<T> : dlpack_code<std::underlying_type_t<T>> {};

/// Types of elements that DLPack has a name for.
template <class T>
concept in_dlpack = requires { dlpack_code<T>::code; };

template <class T> constexpr dlpack::data_type dlpack_type() {
  return {dlpack_code<T>::code, static_cast<std::uint8_t>(8 * sizeof(T)), 1};
}

/// "float32", "int64x4"
inline std::string name_of(const dlpack::data_type& type) {
  const char* const names[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
  std::string name =
      type.code < std::size(names) ? names[type.code] : text("(code ", type.code, ")");
  name += text(type.bits);
  return type.lanes == 1 ? name : name + text("x", type.lanes);
}

/// \param take called once nothing can fail any more; returns what keeps the tensor
template <class T, int R, class Take>
array<T, R> adopt_tensor(const dlpack::tensor& from, const Take& take) {
  static_assert(in_dlpack<T>, "DLPack has numbers, bool and std::complex");
  constexpr dlpack::data_type wanted = dlpack_type<T>();
  if (from.type.code != wanted.code || from.type.bits != wanted.bits || from.type.lanes != 1)
    throw_type_differs("a DLPack tensor", name_of(from.type), name_of(wanted));
  if (from.rank != R)
    throw error(error_kind::bad_shape, text("ikra: a DLPack tensor of rank ", from.rank,
                                            " for an array of rank ", R, "; reshape it first"));
  if (from.shape == nullptr)
    refuse_adoption("the DLPack tensor has no shape", "its exporter has to fill it in");
  index<R> shape;
  for (int d = 0; d < R; ++d)
    shape[d] = from.shape[d];
  index<R> strides = strides_of(shape);
  if (from.strides != nullptr)
    for (int d = 0; d < R; ++d)
      strides[d] = from.strides[d];
  const auto* const data = from.data == nullptr
                               ? nullptr
                               : static_cast<const unsigned char*>(from.data) + from.byte_offset;
  return adopt_foreign<T, R>({data, from.device.kind, from.device.number}, shape, strides, take);
}

/// A tensor that is given out, with what it keeps.
template <class Managed, class T, int R> struct given_tensor {
  Managed managed;
  given_out<T> elements;
  std::int64_t shape[R], strides[R];

  static void drop(Managed* tensor) {
    auto* const given = static_cast<given_tensor*>(tensor->context);
    given->elements.end();
    delete given;
  }

  /// \returns a tensor whose deleter drops all of this
  static Managed* make(const array<T, R>& a, memory where) {
    auto result = std::make_unique<given_tensor>(Managed(), give_out(a, where));
    const index<R> extents = a.shape(), steps = strides_of(extents);
    for (int d = 0; d < R; ++d) {
      result->shape[d] = extents[d];
      result->strides[d] = steps[d];
    }
    result->managed.tensor = {const_cast<void*>(result->elements.data),
                              {result->elements.kind, static_cast<int>(result->elements.gpu)},
                              R,
                              dlpack_type<T>(),
                              result->shape,
                              result->strides,
                              0};
    result->managed.context = result.get();
    result->managed.deleter = &drop;
    return &result.release()->managed;
  }

  given_tensor(Managed m, given_out<T> e) : managed(m), elements(std::move(e)) {}
};

} // namespace detail

/// The elements of a tensor, which stay where they are: in host memory, or on the program's GPU,
/// when work that writes them has to be done. The array takes the tensor over, and calls its
/// deleter when no array reads it any more. It is never written to. If this throws, the tensor
/// still is the caller's.
/// \tparam T, R what it has to hold
/// \throws error of kind type_mismatch if its elements are not of type T; bad_shape if its rank is
/// not R or its extents are negative or overflow; cannot_adopt if it is null, or its memory is
/// misaligned or of an unknown device; no_device if it is on a GPU on which the program does not
/// run
template <class T, int R = 1> array<T, R> from_dlpack(dlpack::managed_tensor* tensor) {
  detail::check_given(tensor, "DLPack tensor");
  return detail::adopt_tensor<T, R>(tensor->tensor, [tensor] {
    return std::shared_ptr<const void>(tensor, [tensor](const void*) {
      if (tensor->deleter != nullptr)
        tensor->deleter(tensor);
    });
  });
}
/// The same of DLPack 1. \throws error of kind cannot_adopt too, for a later major version
template <class T, int R = 1> array<T, R> from_dlpack(dlpack::managed_tensor_versioned* tensor) {
  detail::check_given(tensor, "DLPack tensor");
  if (tensor->major != 1)
    detail::refuse_adoption(detail::text("it is a tensor of DLPack ", tensor->major, ".",
                                         tensor->minor, ", and ikra knows 1.x"),
                            "ask for a tensor of version 1");
  return detail::adopt_tensor<T, R>(tensor->tensor, [tensor] {
    return std::shared_ptr<const void>(tensor, [tensor](const void*) {
      if (tensor->deleter != nullptr)
        tensor->deleter(tensor);
    });
  });
}

/// A tensor of an array's elements, which stay where they are; computes them. Whoever gets it calls
/// its deleter, which may outlive the array. They are not to be written to.
/// \param where which memory the tensor leads to
/// \throws error of kind no_device if that is a GPU on which the program does not run
template <class T, int R>
dlpack::managed_tensor* to_dlpack(const array<T, R>& a, memory where = memory::current) {
  return detail::given_tensor<dlpack::managed_tensor, T, R>::make(a, where);
}
/// The same for DLPack 1.0, which says of it that it is read-only.
template <class T, int R>
dlpack::managed_tensor_versioned* to_dlpack_versioned(const array<T, R>& a,
                                                      memory where = memory::current) {
  auto* const result = detail::given_tensor<dlpack::managed_tensor_versioned, T, R>::make(a, where);
  result->major = 1;
  result->minor = 0;
  result->flags = dlpack::read_only;
  return result;
}

} // namespace ikra

#include <ikra/macros_back.hpp>
