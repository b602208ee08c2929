// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kind of ikra::error an expression throws.
#pragma once

#include <ikra/error.hpp>

#include <optional>

namespace ikra_test {

/// \return the kind of the error that f() throws, nothing if it throws none
template <class F> std::optional<ikra::error_kind> kind_of(F&& f) {
  try {
    f();
  } catch (const ikra::error& e) {
    return e.kind();
  }
  return std::nullopt;
}

} // namespace ikra_test
