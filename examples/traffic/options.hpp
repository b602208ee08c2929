// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of the traffic example.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace traffic {

struct Options {
  std::string edges; // the edge list to read; empty: a generated town
  std::uint32_t streets = 500;
  std::uint32_t actors = 20480;
  std::int64_t ticks = 1000;
  std::uint64_t seed = 42;
  std::string picture; // files to write; empty: none
  std::string json;
  bool quiet = false;
  bool checksum = false;
  bool compare = false;
};

// Reads the command line. Where there is nothing to run (--help, or an error, which is then on
// stderr), the result is the status to exit with.
std::variant<Options, int> parse_options(int argc, char** argv);

// The arguments that make another process simulate the same.
std::vector<std::string> arguments_of(const Options& options);

} // namespace traffic
