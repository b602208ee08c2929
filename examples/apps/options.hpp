// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command lines of these programs: sizes with a least value and a default, choices, files. In a
// file of its own, so that CUDA's compiler does not read the parser of command lines.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace apps {

/// --name N
struct size_option {
  const char* name;    ///< "--points"
  std::int64_t& value; ///< the default, then what was given
  std::int64_t least, most;
  const char* help;
};

/// --name
struct flag_option {
  const char* name;
  bool& value;
  const char* help;
};

/// --name FILE
struct file_option {
  const char* name;
  std::string& value;
  const char* help;
};

/// Reads the command line. Prints a message and ends the program where that asks for help or is
/// wrong.
/// \param about what the program does, in a line
void read_options(int argc, char** argv, const char* about,
                  std::initializer_list<size_option> sizes,
                  std::initializer_list<flag_option> flags = {},
                  std::initializer_list<file_option> files = {});

/// Prints whether a result is as it has to be. \returns the program's exit status
int verdict(bool right, const char* what);

} // namespace apps
