// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the environment's variables of the form IKRA_NAME=on|off say.
#pragma once

#include <ikra/error.hpp>

#include <cstdlib>
#include <string>
#include <string_view>

namespace ikra::rt {

/// \returns false if the variable is `off`, true if it is `on`, empty or not set
/// \throws ikra::error of kind unsupported if it is something else
inline bool is_switched_on(const char* variable) {
  const char* const wish = std::getenv(variable);
  const std::string_view text = wish == nullptr ? "" : wish;
  if (text.empty() || text == "on")
    return true;
  if (text == "off")
    return false;
  throw error(error_kind::unsupported, std::string(variable) + " is '" + std::string(text) +
                                           "'; set it to on or off, or unset it");
}

} // namespace ikra::rt
