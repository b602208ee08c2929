// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end for those who only want to know whether a text is a valid program: ikrac, which
// checks literals. Nothing is thrown across this interface, since its caller is compiled without
// exceptions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ikra::datalog {

struct text_message {
  bool is_error; ///< or a warning
  std::string text;
  std::uint32_t offset; ///< in the text, in bytes; 0 where it is about the whole
};

/// \param text a program. \param bits of its numbers: 32 or 64
/// \returns what is to be said about it, in the order of the text
std::vector<text_message> check_text(const std::string& text, int bits) noexcept;

} // namespace ikra::datalog
