// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IKRA_OBJECT: lets generated code see the private members of a class. ikrac writes it into the
// text that it emits; a program does where ikrac cannot: in macros, and in headers of the system.
// Relies on nothing, so that headers of user classes can include it alone.
#pragma once

#include <ikra/macros_aside.hpp>

namespace ikra {

/// Access to the private members of T for the generated unit Unit; specialised by generated code
/// only. One template of the library rather than names per file, so that a class is the same in
/// every translation unit.
template <class Unit, class T> struct object_access;

} // namespace ikra

/// Stands once in the body of a class at namespace or class scope, with or without a semicolon
/// after it. In a plain build this is all that it does. The function is there because one may be
/// followed by a semicolon or not.
#define IKRA_OBJECT                                                                                \
  template <class, class> friend struct ::ikra::object_access;                                     \
  static constexpr void ikra_object_() noexcept {}

#include <ikra/macros_back.hpp>
