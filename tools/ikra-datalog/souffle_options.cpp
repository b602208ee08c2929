// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row an option, by the names that Soufflé 2.5 has for it.
#include "souffle_options.hpp"

#include <CLI/CLI.hpp>

namespace ikra::datalog {
namespace {

struct option_row {
  const char* names;
  bool takes_value;
  const char* instead; ///< null: it is ignored
};

constexpr const char* as_program =
    "there is no program to write: ikra-datalog evaluates at once, without a C++ compiler. In C++ "
    "programs, ikra::datalog::program does (docs/datalog-cpp.md)";
constexpr const char* no_provenance =
    "there are no proofs of tuples. Keep one in a column of the relation, as a record";
constexpr const char* no_report = "there is no report. --show=plan prints the plan, -p a profile";

constexpr option_row rows[] = {{"-a,--auto-schedule", true, nullptr},
                               {"-c,--compile", false, nullptr},
                               {"-C,--compile-many", false, nullptr},
                               {"-z,--disable-transformers", true, nullptr},
                               {"--emit-statistics", false, nullptr},
                               {"--inline-exclude", true, nullptr},
                               {"--legacy", false, nullptr},
                               {"-m,--magic-transform", true, nullptr},
                               {"--magic-transform-exclude", true, nullptr},
                               {"-P,--pragma", true, nullptr},
                               {"--profile-frequency", false, nullptr},
                               {"-v,--verbose", false, nullptr},
                               {"-W,--warn", true, nullptr},
                               {"--wno", true, nullptr},
                               {"-o,--dl-program", true, as_program},
                               {"-g,--generate", true, as_program},
                               {"-G,--generate-many", true, as_program},
                               {"-N,--generate-namespace", true, as_program},
                               {"-s,--swig", true, as_program},
                               {"-t,--provenance", true, no_provenance},
                               {"-r,--debug-report", true, no_report},
                               {"--live-profile", false, no_report},
                               {"--parse-errors", false, no_report}};

} // namespace

souffle_options::souffle_options(CLI::App& app)
    : ignored_(std::make_shared<std::vector<std::string>>()) {
  const std::string no_group;
  for (const option_row& one : rows) {
    const auto given = [ignored = ignored_, one] {
      if (one.instead != nullptr)
        throw CLI::ValidationError(one.names, one.instead);
      ignored->emplace_back(one.names);
    };
    CLI::Option* made = nullptr;
    if (one.takes_value)
      made = app.add_option_function<std::vector<std::string>>(
                    one.names, [given](const std::vector<std::string>&) { given(); })
                 ->expected(1)
                 ->take_all();
    else
      made = app.add_flag_callback(one.names, given);
    made->group(no_group);
  }
}

} // namespace ikra::datalog
