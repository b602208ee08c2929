// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Datalog program as C++: its rules as data and the kernels of its joins, for ikrac to put into
// the file that it emits (docs/datalog-kernels.md). Nothing is thrown across this interface, since
// its caller is compiled without exceptions. Relies on the front end and on how plans are
// evaluated.
#pragma once

#include <string>
#include <vector>

namespace ikra::datalog {

struct program_text {
  /// Definitions for a namespace of the emitted file, whole lines; empty if the text is no valid
  /// program.
  std::string definitions;
  std::size_t rules = 0, kernels = 0;
  /// A line for each rule that has steps without a kernel, with the reasons.
  std::vector<std::string> interpreted;
};

/// \param text a program. \param bits of its numbers: 32 or 64
/// \param name begins the names of what is defined
program_text text_of_program(const std::string& text, int bits, const std::string& name) noexcept;

} // namespace ikra::datalog
