// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of the applications through ikrac and by hand, in one run. Checksums are compared before
// anything is timed.
#include "programs.hpp"

#include "support/command_line.hpp"
#include "support/gpu.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace apps {
namespace {

constexpr double operations_of_pair = 20; // a square root and a division are one each

struct settings : benchmark::options {
  double scale = 1;
  bool all_sizes = false;
};

struct variant {
  const char* name;
  std::unique_ptr<program> code;
};

/// The program by ikra comes first; others are what it is compared with.
std::vector<variant> variants(const std::string& device, which what, std::size_t n) {
  std::vector<variant> result;
  const bool on_gpu = device == "cuda";
  result.push_back({"ikra", by_ikra(what, n, on_gpu ? benchmark::cuda_wait : nullptr)});
  if (!on_gpu) {
    result.push_back({"OpenMP", by_openmp(what, n)});
    return result;
  }
  result.push_back({"CUDA", by_cuda(what, n, false)});
  if (std::unique_ptr<program> tiled = by_cuda(what, n, true))
    result.push_back({"CUDA, tiles in shared memory", std::move(tiled)});
  result.push_back({"Thrust", by_thrust(what, n)});
  return result;
}

bool is_right(const settings& s, const described& d) {
  const auto n = static_cast<std::size_t>(d.small);
  const std::unique_ptr<program> reference = by_openmp(d.what, n);
  reference->run();
  const double expected = reference->checksum();
  bool right = true;
  for (const variant& v : variants(s.device, d.what, n)) {
    v.code->run();
    const double found = v.code->checksum();
    if (std::abs(found - expected) > 1e-4 * std::abs(expected)) {
      fmt::print(stderr, "{}, {}: the sum is {} instead of {}\n", d.name, v.name, found, expected);
      right = false;
    }
  }
  return right;
}

std::vector<double> elements_of(const settings& s, const described& d) {
  if (s.all_sizes)
    return {std::begin(d.sizes), std::end(d.sizes)};
  return {s.scale * (s.device == "cuda" ? d.on_gpu : d.on_cores)};
}

/// Those that are measured at a size; on a GPU also a copy that moves as many bytes.
std::vector<variant> measured_variants(const settings& s, const described& d, std::size_t n) {
  std::vector<variant> all = variants(s.device, d.what, n);
  if (const std::size_t bytes = bytes_moved(d.what, n); bytes != 0 && s.device == "cuda")
    all.push_back({"copy of as many bytes", copy_on_gpu(bytes)});
  return all;
}

/// Times of all variants, the first of which is ikra's. On cores one after the other, each with its
/// data in the caches.
nlohmann::ordered_json measured(const settings& s, const described& d, double elements) {
  const auto n = static_cast<std::size_t>(elements);
  fmt::print("\n{}, {} elements\n", d.name, n);
  const std::vector<variant> all = measured_variants(s, d, n);
  std::vector<double> seconds;
  if (s.device == "cuda")
    seconds = benchmark::seconds_in_turn(
        s.repeats, all.size(), [&](std::size_t k) { all[k].code->run(); }, s.best);
  else
    for (const variant& v : all)
      seconds.push_back(benchmark::seconds_of(s.repeats, [&] { v.code->run(); }, s.best));
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double ratio = seconds[0] / seconds[k];
    fmt::print("  {:<30} {:>10.2f} us   ikra takes {:.3f} of it", all[k].name, seconds[k] * 1e6,
               ratio);
    if (d.what == which::n_body)
      fmt::print(", {:.2f} TFlop/s at {} operations a pair",
                 operations_of_pair * elements * elements / seconds[k] * 1e-12, operations_of_pair);
    fmt::print("\n");
    rows.push_back({{"name", all[k].name}, {"us", seconds[k] * 1e6}, {"ikra_ratio", ratio}});
  }
  return {{"program", d.name}, {"elements", n}, {"programs", rows}};
}

bool run(const settings& s) {
  bool right = true;
  for (const described& d : programs)
    right = is_right(s, d) && right;
  if (!right)
    return false;
  fmt::print("All programs are right ({}).\n", s.device);
  if (s.check_only)
    return true;

  nlohmann::ordered_json results =
      benchmark::head(s.all_sizes ? "sizes" : "apps", s.device,
                      s.device == "cuda" ? benchmark::cuda_device_name() : benchmark::cpu_name(),
                      s.repeats, IKRA_BENCHMARK_COMMIT);
  results["best"] = s.best;
  for (const described& d : programs) {
    if (!s.takes(d.name))
      continue;
    for (const double elements : elements_of(s, d))
      results["cases"].push_back(measured(s, d, elements));
  }
  benchmark::write(results, s.json, IKRA_BENCHMARK_RESULTS);
  return true;
}

} // namespace
} // namespace apps

int main(int argc, char** argv) {
  apps::settings s;
  CLI::App app("Applications, by ikra and by hand.", "bench_apps");
  benchmark::add_options(app, s);
  benchmark::add_best(app, s);
  app.add_option("--scale", s.scale, "share of the elements")
      ->check(CLI::Range(0.0001, 10.0))
      ->capture_default_str();
  app.add_flag("--sizes", s.all_sizes, "three sizes of each program, the same on all devices");
  return benchmark::run_program(app, argc, argv, s, benchmark::cuda_present(),
                                [&] { return apps::run(s); });
}
