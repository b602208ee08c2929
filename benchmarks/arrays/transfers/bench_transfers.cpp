// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times from data in host memory to results in host memory, beside the transfers alone: arrays that
// fit the GPU's memory, and arrays of three times as much. On all cores beside OpenMP.
#include "programs.hpp"

#include "support/command_line.hpp"
#include "support/gpu.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace transfers {
namespace {

struct described {
  which what;
  const char* name;
  double up, down; ///< floats for an element that go to the GPU, and back
};
constexpr described programs[] = {{which::saxpy, "saxpy", 2, 1},
                                  {which::sum, "sum", 1, 0},
                                  {which::selection, "selection", 1, 0.5},
                                  {which::black_scholes, "Black-Scholes", 3, 2}};
struct length {
  const char* name;
  double limits; ///< inputs and results together, in limits of memory
};
constexpr length lengths[] = {{"fits", 0.6}, {"three times the memory", 3}};

struct described_link {
  link how;
  const char* name;
};
constexpr described_link links[] = {{link::at_once, "transfers, both ways at once"},
                                    {link::in_turn, "transfers, in turn"},
                                    {link::pageable, "cudaMemcpy of pageable memory"},
                                    {link::pinned_first, "pinned first"}};

struct settings : benchmark::options {
  std::size_t limit = std::size_t(1) << 30;
};

std::size_t elements(const settings& s, const described& d, const length& l) {
  return static_cast<std::size_t>(static_cast<double>(s.limit) * l.limits / (d.up + d.down) /
                                  sizeof(float));
}

/// \param seconds of the first run, whose result has no memory yet, nor have its copies
bool is_right(const described& d, const input& in, double& seconds) {
  const outcome expected = by_openmp(d.what, in);
  outcome found{};
  seconds = benchmark::seconds_of_one([&] { found = by_ikra(d.what, in); });
  if (found.size == expected.size &&
      std::abs(found.sample - expected.sample) <= 1e-5 * std::abs(expected.sample))
    return true;
  fmt::print(stderr, "{}: {} elements of {} instead of {} of {}\n", d.name, found.size,
             found.sample, expected.size, expected.sample);
  return false;
}

bool run(const settings& s) {
  bool right = true;
  nlohmann::ordered_json results =
      benchmark::head("transfers", s.device,
                      s.device == "cuda" ? benchmark::cuda_device_name() : benchmark::cpu_name(),
                      s.repeats, IKRA_BENCHMARK_COMMIT);
  results["limit_bytes"] = s.limit;
  for (const described& d : programs)
    for (const length& l : lengths) {
      if (!s.takes(d.name))
        continue;
      const std::size_t n = elements(s, d, l);
      const input in = made(d.what, n);
      double first = 0;
      if (!is_right(d, in, first)) {
        right = false;
        continue;
      }
      if (s.check_only)
        continue;
      const double bytes = static_cast<double>(n) * sizeof(float);
      fmt::print("\n{}, {}: {:.2f} GB in, {:.2f} GB out\n", d.name, l.name, d.up * bytes * 1e-9,
                 d.down * bytes * 1e-9);
      const double ikra = benchmark::seconds_of(s.repeats, [&] { by_ikra(d.what, in); });
      nlohmann::ordered_json rows = nlohmann::ordered_json::array();
      const auto add = [&](const char* name, double seconds) {
        fmt::print("  {:<32} {:>10.2f} ms   {:>6.1f} GB/s   ikra takes {:.3f} of it\n", name,
                   seconds * 1e3, (d.up + d.down) * bytes / seconds * 1e-9, ikra / seconds);
        rows.push_back({{"name", name}, {"us", seconds * 1e6}, {"ikra_ratio", ikra / seconds}});
      };
      add("ikra", ikra);
      add("ikra, the first time", first);
      if (s.device == "cuda") {
        const auto up = static_cast<std::size_t>(d.up * bytes),
                   down = static_cast<std::size_t>(d.down * bytes);
        for (const described_link& way : links)
          add(way.name, benchmark::median(link_seconds(way.how, up, down, s.repeats)));
      } else {
        add("OpenMP", benchmark::seconds_of(s.repeats, [&] { by_openmp(d.what, in); }));
      }
      results["cases"].push_back(
          {{"program", d.name}, {"length", l.name}, {"elements", n}, {"programs", rows}});
    }
  if (!right)
    return false;
  fmt::print("All results are right ({}).\n", s.device);
  if (!s.check_only)
    benchmark::write(results, s.json, IKRA_BENCHMARK_RESULTS);
  return true;
}

} // namespace
} // namespace transfers

int main(int argc, char** argv) {
  transfers::settings s;
  CLI::App app("From data in host memory to results there, by ikra, beside the transfers alone.",
               "bench_transfers");
  benchmark::add_options(app, s);
  app.add_option("--limit", s.limit, "bytes of the GPU's memory that ikra may use")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  return benchmark::run_program(app, argc, argv, s, benchmark::cuda_present(), [&] {
    if (s.check_only)
      s.limit = std::size_t(32) << 20;
    // Before anything of ikra runs.
    setenv("IKRA_DEVICE_MEMORY", fmt::format("{}", s.limit).c_str(), 1);
    return transfers::run(s);
  });
}
