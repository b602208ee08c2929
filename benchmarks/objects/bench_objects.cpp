// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs programs of programs.hpp and prints the seconds of each run, as lines of JSON: on the clock,
// and of processors, which say more on one core if other programs run beside.
// beside_plain.py runs it in turn with its plain build and compares the two.
#include "programs.hpp"

#include "support/command_line.hpp"

#include <CLI/CLI.hpp>
#include <ctime>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace {

struct settings : benchmark::options {
  bool scope = false, by_hand = false, list = false, is_short = false;
};

objects::programs chosen(const settings& s) {
#ifndef OBJECTS_PLAIN
  if (s.by_hand)
    return objects::by_hand();
#endif
  return s.is_short ? objects::short_sections(s.scope) : objects::by_ikra(s.scope);
}

bool run(const settings& s) {
  for (const auto& [name, make] : chosen(s)) {
    if (!s.takes(name))
      continue;
    nlohmann::ordered_json line = {{"name", name}};
    for (int k = 0; !s.list && k < s.repeats; ++k) {
      const auto program = make();
      const std::clock_t before = std::clock();
      line["seconds"].push_back(benchmark::seconds_of_one([&] { program->run(); }));
      line["processor"].push_back(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
      line["sum"] = program->sum();
    }
    fmt::print("{}\n", line.dump());
  }
  return true;
}

} // namespace

int main(int argc, char** argv) {
  settings s;
  s.device = "cpu";
  s.repeats = 1;
  CLI::App app("Programs with objects.", "bench_objects");
  app.add_option("--only", s.only, "the programs whose names have this in them");
  app.add_option("--repeats", s.repeats, "runs, each with objects of its own")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--scope", s.scope, "with an ikra::resident around each run");
  app.add_flag("--short", s.is_short, "sections over few objects instead, again and again");
#ifndef OBJECTS_PLAIN
  app.add_flag("--by-hand", s.by_hand, "loops with OpenMP instead, of programs that have them");
#endif
  app.add_flag("--list", s.list, "only names");
  return benchmark::run_program(app, argc, argv, s, false, [&] { return run(s); });
}
