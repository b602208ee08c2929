// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler flags that ikrac is given, made fit for clang.

#ifndef IKRA_TOOLS_ARGUMENTS_H
#define IKRA_TOOLS_ARGUMENTS_H

#include <string>
#include <vector>

namespace ikra {

/// Flags for parsing: those of g++ and nvcc that clang does not know are dropped, as is what only
/// concerns output; C++20 is the default standard.
/// \param Refused set to the flag that chooses an older standard, if one does
std::vector<std::string> parsingFlags(const std::vector<std::string>& Given, std::string& Refused);

} // namespace ikra

#endif
