// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout.hpp"

#include "support/command_line.hpp"
#include "support/gpu.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace {

bool run(const benchmark::options& o) {
  nlohmann::ordered_json results = benchmark::head("layout", "cuda", benchmark::cuda_device_name(),
                                                   o.repeats, IKRA_BENCHMARK_COMMIT);
  for (const layouts::row& row : layouts::measure()) {
    fmt::print("{}, {:.0f} MB\n", row.access, static_cast<double>(row.bytes) * 1e-6);
    nlohmann::ordered_json ways = nlohmann::ordered_json::array();
    for (const layouts::way_time& time : row.times) {
      fmt::print("  {:<26} {:>9.1f} us\n", time.way, time.us);
      ways.push_back({{"name", time.way}, {"us", time.us}});
    }
    results["cases"].push_back({{"access", row.access}, {"bytes", row.bytes}, {"programs", ways}});
  }
  benchmark::write(results, o.json, IKRA_BENCHMARK_RESULTS);
  return true;
}

} // namespace

int main(int argc, char** argv) {
  benchmark::options o;
  o.device = "cuda";
  o.repeats = 15; // as layout.cu has it
  CLI::App app("Structs and columns on a GPU, by kernels written by hand.", "bench_layout");
  app.add_option("--json", o.json,
                 "where results go; without it a file in the folder $OUT or the build folder");
  return benchmark::run_program(app, argc, argv, o, true, [&] { return run(o); });
}
