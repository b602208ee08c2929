// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `.include "file"` and `.once`, which are replaced in the text before it is lexed. Line markers
// say where the lines come from. Relies on the standard library only.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ikra::datalog {

/// \param file the name of the text's file
/// \param read gives the text of a file that is there
/// \param folders where to look for files that are not in the including file's folder
/// \returns the text with included files in the place of their directives; a file with `.once` is
/// included once.
/// \throws ikra::error if a file is not there, or includes itself
std::string with_includes(const std::string& file, std::string text,
                          const std::function<std::string(const std::string&)>& read,
                          const std::vector<std::string>& folders);

} // namespace ikra::datalog
