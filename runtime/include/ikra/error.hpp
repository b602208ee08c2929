// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one exception type of the library. Every failure that a user can cause or meet has a kind, so
// that programs can tell them apart without reading messages. Places outside an array are
// std::out_of_range, as in the standard containers. Relies on the standard library only.
#pragma once

#include <ikra/macros_aside.hpp>

#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ikra {

/// What went wrong. The kinds from no_device to failed_check only come from generated code, its
/// runtime and the Datalog engine, and those after them from Datalog programs; no_device and
/// type_mismatch from adopted memory too.
enum class error_kind {
  shape_mismatch,  ///< arrays that are combined have different shapes
  bad_shape,       ///< a negative extent, values that do not fill a shape, no such axis
  empty_reduction, ///< preduce(f) of an array without elements
  offset_outside_neighbourhood, ///< a window was read at an offset that the stencil does not list
  index_outside,                ///< a place that an operation was given lies outside its array
  cannot_adopt,                 ///< memory that cannot be an array's as it is
  null_element,                 ///< a section dereferenced a null pointer
  out_of_memory,                ///< host or device memory is used up
  unknown_class,                ///< an object of a class that was not compiled in
  no_device,                    ///< the device that was asked for is not there
  launch_failed,                ///< a kernel could not be started
  device_error,                 ///< a kernel or a copy failed
  unsupported,                  ///< legal C++ that this build cannot run
  too_many_objects,             ///< more objects of a class family than object IDs
  failed_check,                 ///< a library call within a section failed (checked builds), or
                                ///< a rule has no value: a division by zero
  bad_program,                  ///< the text of a Datalog program is not valid
  unknown_name,                 ///< a relation that the program does not have
  type_mismatch,                ///< columns that are not as the relation's declaration says, or
                                ///< elements that are not of the array's type (adopted memory)
  bad_file                      ///< a file of facts or results that cannot be read or written
};

/// Thrown by everything in the library. what() says what happened, where, and what would help.
class error : public std::runtime_error {
public:
  /// \param kind    what went wrong
  /// \param message what happened, where, and the remedy
  error(error_kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  /// What went wrong.
  error_kind kind() const noexcept { return kind_; }

private:
  error_kind kind_;
};

namespace detail {

inline void append(std::string& out, std::string_view text) { out += text; }
inline void append(std::string& out, std::integral auto number) { out += std::to_string(number); }

/// One string of texts and integers, for messages. (g++ 12 warns about chains of + without cause.)
template <class... Parts> std::string text(const Parts&... parts) {
  std::string out;
  (append(out, parts), ...);
  return out;
}

} // namespace detail
} // namespace ikra

#include <ikra/macros_back.hpp>
