// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of ikra-datalog, as data.
#pragma once

#include <string>
#include <vector>

namespace ikra::datalog {

enum class engine_choice { automatic, cpu, cuda, reference };

struct options {
  std::string program;             ///< a path, or "-"
  std::string fact_folder = ".";   ///< -F
  std::string output_folder = "."; ///< -D; "-": every output goes to the terminal
  int jobs = 1;                    ///< -j; 0: as many as there are cores
  std::string profile;             ///< -p: file for times per rule and iteration
  std::string show;                ///< --show: plan, rules; empty: run
  engine_choice engine = engine_choice::automatic;
  std::string form = "auto";                ///< --form: auto, runs, dense
  std::string small = "auto";               ///< --small: auto, on, off
  int bits = 32;                            ///< --bits
  bool no_warnings = false;                 ///< -w
  std::string preprocessor;                 ///< --preprocessor
  bool no_preprocessor = false;             ///< --no-preprocessor
  std::vector<std::string> macros;          ///< -M NAME=VALUE
  std::vector<std::string> include_folders; ///< -I
  std::vector<std::string> libraries;       ///< -l: with the functions of functors
  std::vector<std::string> search_folders;  ///< -L: where they are
};

/// Exit codes, documented in docs/datalog-language.md.
enum exit_code : int { success = 0, failed = 1, wrong_usage = 2 };

/// Runs a program.
/// \return an exit_code; what went wrong is on standard error
int run(const options& chosen);

} // namespace ikra::datalog
