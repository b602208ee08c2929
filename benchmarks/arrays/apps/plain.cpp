// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of the programs in a plain build, on one core: ikra.cpp by the C++ compiler alone. A
// program of its own, since nothing of the runtime may be in it. Its results stand beside those of
// bench_apps --sizes.
#include "programs.hpp"

#include "support/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace apps {
namespace {

bool run(const benchmark::options& s) {
  nlohmann::ordered_json results =
      benchmark::head("sizes", "plain", benchmark::cpu_name(), s.repeats, IKRA_BENCHMARK_COMMIT);
  results["best"] = s.best;
  for (const described& d : programs) {
    if (!s.takes(d.name))
      continue;
    for (const double elements : d.sizes) {
      const auto n = static_cast<std::size_t>(s.check_only ? d.small : elements);
      const std::unique_ptr<program> code = by_ikra(d.what, n, nullptr);
      const double seconds = benchmark::seconds_of(s.repeats, [&] { code->run(); }, s.best);
      fmt::print("{:<20} {:>12} elements {:>12.2f} us\n", d.name, n, seconds * 1e6);
      results["cases"].push_back({{"program", d.name},
                                  {"elements", n},
                                  {"programs", {{{"name", "plain"}, {"us", seconds * 1e6}}}}});
    }
  }
  if (!s.check_only)
    benchmark::write(results, s.json, IKRA_BENCHMARK_RESULTS);
  return true;
}

} // namespace
} // namespace apps

int main(int argc, char** argv) {
  benchmark::options s;
  CLI::App app("Applications in a plain build.", "bench_apps_plain");
  benchmark::add_options(app, s);
  benchmark::add_best(app, s);
  return benchmark::run_program(app, argc, argv, s, false, [&] { return apps::run(s); });
}
