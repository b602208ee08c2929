// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the environment's variables say that have one of a few words as their value.
#pragma once

#include <ikra/error.hpp>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

namespace ikra::rt {

/// A word that a variable may have, and what it means.
template <class T> struct wish {
  std::string_view word;
  T meaning;
};

/// \param known at least two; the first one also stands for a variable that is empty or not set
/// \throws ikra::error of kind unsupported if the variable has another value
template <class T, std::size_t N> T wished(const char* variable, const wish<T> (&known)[N]) {
  const char* const value = std::getenv(variable);
  const std::string_view text = value == nullptr || *value == '\0' ? known[0].word : value;
  std::string words;
  for (std::size_t k = 0; k < N; ++k) {
    if (text == known[k].word)
      return known[k].meaning;
    words += k == 0 ? "" : k + 1 < N ? ", " : " or ";
    words += known[k].word;
  }
  throw error(error_kind::unsupported, std::string(variable) + " is '" + std::string(text) +
                                           "'; set it to " + words + ", or unset it");
}

/// \returns false if the variable is `off`, true if it is `on`, empty or not set
/// \throws ikra::error of kind unsupported if it is something else
inline bool is_switched_on(const char* variable) {
  return wished<bool>(variable, {{"on", true}, {"off", false}});
}

} // namespace ikra::rt
