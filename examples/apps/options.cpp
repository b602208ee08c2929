// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>

namespace apps {

void read_options(int argc, char** argv, const char* about,
                  std::initializer_list<size_option> sizes,
                  std::initializer_list<flag_option> flags,
                  std::initializer_list<file_option> files) {
  CLI::App app(about);
  for (const size_option& size : sizes)
    app.add_option(size.name, size.value, size.help)
        ->capture_default_str()
        ->check(CLI::Range(size.least, size.most));
  for (const flag_option& flag : flags)
    app.add_flag(flag.name, flag.value, flag.help);
  for (const file_option& file : files)
    app.add_option(file.name, file.value, file.help);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    std::exit(app.exit(e));
  }
}

int verdict(bool right, const char* what) {
  std::printf("%s: %s\n", what, right ? "as expected" : "WRONG");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace apps
