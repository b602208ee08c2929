// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the exchange formats DLPack (dlpack.hpp) and Arrow (arrow.hpp) have in common: the numbers
// of devices, on which they agree, and arrays from and to memory on a device. Relies on adopt.hpp.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/adopt.hpp>
#include <ikra/device_operations.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace ikra {

/// Where elements are given out.
enum class memory {
  current, ///< in host memory if they are there, else on the GPU
  host,    ///< in host memory, brought there if need be
  gpu      ///< on the program's GPU, brought there if need be
};

namespace detail {

/// Kinds of devices, as both formats number them.
enum device_kind : std::int32_t {
  cpu_memory = 1,
  cuda_memory = 2,
  cuda_host_memory = 3,     ///< pinned memory of the host
  cuda_managed_memory = 13, ///< on the host and on GPUs
};

/// Memory of others as a format describes it.
struct foreign_memory {
  const void* data;      ///< the element at place 0
  std::int32_t kind;     ///< a device_kind, or another
  std::int64_t number;   ///< of the device
  void* event = nullptr; ///< a CUDA event that comes before the elements can be read
};

/// \throws error of kind type_mismatch. \param is, wanted names of types in the format's terms
[[noreturn]] inline void throw_type_differs(const char* what, const std::string& is,
                                            const std::string& wanted) {
  throw error(error_kind::type_mismatch,
              text("ikra: ", what, " has elements of the type ", is, ", and the array's are ",
                   wanted, "; convert them first, or name their type in from_…<T>"));
}

/// \throws error of kind cannot_adopt if there is nothing to take over
inline void check_given(const void* from, const char* what) {
  if (from == nullptr)
    refuse_adoption(text("the pointer to the ", what, " is null"),
                    "look for an error of what should have made it");
}

/// An array of foreign elements. \param take called once nothing can fail any more; returns what
/// keeps the memory
/// \throws error of kinds cannot_adopt, bad_shape, no_device
template <class T, int R, class Take>
array<T, R> adopt_foreign(const foreign_memory& from, const index<R>& shape,
                          const index<R>& strides, const Take& take) {
  static_assert(copied_as_bytes<T>);
  const foreign_layout layout = layout_of(shape, strides, sizeof(T));
  const auto* const at_place_0 = static_cast<const T*>(from.data);
  if (layout.count != 0)
    check_address(at_place_0, alignof(T));
  switch (from.kind) {
  case cpu_memory:
  case cuda_host_memory:
  case cuda_managed_memory:
    return adopted<T, R>(at_place_0, shape, layout, take());
  case cuda_memory:
    break;
  default:
    refuse_adoption(
        text("it is of a device of kind ", from.kind, " (DLPack's and Arrow's numbering)"),
        "copy it to host memory, or to a CUDA device");
  }
  if (layout.count == 0)
    return adopted<T, R>(at_place_0, shape, layout, take());

  const auto n = static_cast<std::size_t>(layout.count);
  const gpu_memory there{at_place_0 - layout.before, n * sizeof(T), from.number};
  // What keeps the memory is filled in last, so that an error leaves it to the caller.
  const auto keep = std::make_shared<std::shared_ptr<const void>>();
  std::shared_ptr<remote> place =
      operations == nullptr ? nullptr : operations->adopt(there, keep, from.event);
  if (place == nullptr)
    throw error(error_kind::no_device,
                text("ikra: memory of GPU ", from.number,
                     " cannot be read by this program, which does not run on that GPU; set "
                     "IKRA_DEVICE=cuda:",
                     from.number, " for a program that nvcc compiled, or give memory of the host"));
  buffer<T> elements;
  elements.set_remote(n, std::move(place));
  auto all = held(new value_command<T>(std::move(elements)));
  std::shared_ptr<command<T>> result = all;
  if (!layout.map.is_contiguous())
    result = held(new view_command<T>(layout.map, std::move(all)));
  auto made = array_access::make<T, R>(shape, std::move(result));
  *keep = take();
  return made;
}

/// Elements to be given out.
template <class T> struct given_out {
  buffer<T> elements; ///< keeps them
  const void* data;
  std::int32_t kind;
  std::int64_t gpu; ///< its number; 0 on the host

  /// Called before it is destroyed, when whoever got the elements gives them back.
  void end() const noexcept {
    if (kind == cuda_memory && operations != nullptr)
      operations->given_back();
  }
};

/// \throws error of kind no_device if the GPU is asked for, and the program does not run on one
template <class T, int R> given_out<T> give_out(const array<T, R>& a, memory where) {
  const auto command = array_access::command_of(a);
  evaluate(*command);
  given_out<T> result{command->result(), nullptr, cpu_memory, 0};
  buffer<T>& elements = result.elements;
  if (where == memory::gpu || (where == memory::current && !elements.on_host())) {
    const erased<T> any(elements);
    const gpu_memory there = operations == nullptr ? gpu_memory() : operations->on_gpu(any);
    if (there.data != nullptr || (elements.size() == 0 && operations != nullptr)) {
      result.data = there.data;
      result.kind = cuda_memory;
      result.gpu = there.gpu;
      return result;
    }
    if (where == memory::gpu)
      throw error(error_kind::no_device,
                  "ikra: elements cannot be given out on a GPU: this program does not run on one; "
                  "ask for ikra::memory::host");
  }
  result.data = elements.data();
  return result;
}

} // namespace detail
} // namespace ikra

#include <ikra/macros_back.hpp>
