// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// match(pattern, text): regular expressions over texts of any length. Relies on RE2.
#pragma once

#include <optional>
#include <string>

namespace ikra::datalog {

/// Whether the pattern fits all of the text. Takes time in proportion to the text's length.
/// \returns nothing for a pattern that is malformed or has what RE2 lacks (back-references,
/// look-around); it warns once of each
/// \throws undefined_value for a pattern with too many states
std::optional<bool> matches(const std::string& pattern, const std::string& text);

} // namespace ikra::datalog
