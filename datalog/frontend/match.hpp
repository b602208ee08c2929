// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// match(pattern, text): ECMAScript's patterns over texts of any length. Relies on the standard
// library only.
#pragma once

#include <optional>
#include <string>

namespace ikra::datalog {

/// Whether the pattern fits all of the text. Takes time in proportion to the product of their
/// lengths, and stack that depends on the pattern alone; a pattern with back-references (\1) is
/// taken for short texts only.
/// \returns nothing for a malformed pattern, of which it warns once
/// \throws undefined_value for a pattern that is larger than docs/datalog-language.md says
std::optional<bool> matches(const std::string& pattern, const std::string& text);

} // namespace ikra::datalog
