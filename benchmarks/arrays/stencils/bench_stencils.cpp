// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of stencils over floats through ikrac and by hand, in one run. Results are compared before
// anything is timed: with those of the loops by hand, and for the Himeno benchmark with published
// residuals.
#include "programs.hpp"

#include "support/command_line.hpp"
#include "support/gpu.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace stencils {
namespace {

struct described {
  which what;
  const char* name;
  shape small, full;
  int times;    ///< stencils in a timed run
  double bytes; ///< that each result moves at least: arrays read and written
};

constexpr described programs[] = {
    {which::heat_2d, "heat, rank 2", {1, 45, 67}, {1, 7680, 7680}, 20, 8},
    {which::blur, "blur", {1, 45, 67}, {1, 7680, 7680}, 20, 8},
    {which::heat_3d, "heat, rank 3", {21, 20, 37}, {384, 384, 384}, 20, 8},
    {which::chain, "chain of three means", {1, 1, 3001}, {1, 1, 60'000'000}, 20, 8},
    {which::himeno, "P5: Himeno, size S", {10, 12, 17}, {65, 65, 129}, 1000, 56},
    {which::himeno, "P5: Himeno, size M", {10, 12, 17}, {129, 129, 257}, 200, 56},
    {which::himeno, "P5: Himeno, size L", {10, 12, 17}, {257, 257, 513}, 20, 56},
};
/// Residuals of the Himeno benchmark, size S, after so many iterations (BENCHMARKS of the papers).
constexpr std::pair<int, double> residuals[] = {
    {1, 3.339548e-03}, {10, 3.003836e-03}, {100, 2.113877e-03}};

struct settings : benchmark::options {
  double scale = 1;
};

struct variant {
  const char* name;
  std::unique_ptr<program> code;
};

/// The program by ikra comes first; others are what it is compared with.
std::vector<variant> variants(const std::string& device, which what, const shape& s) {
  std::vector<variant> result;
  const auto add = [&](const char* name, std::unique_ptr<program> code) {
    if (code != nullptr)
      result.push_back({name, std::move(code)});
  };
  if (device == "cuda") {
    add("ikra", by_ikra(what, s, benchmark::cuda_wait));
    add("a thread an element", by_cuda(what, form::plain, s));
    add("tuned", by_cuda(what, form::tuned, s));
    add("in a graph", by_cuda(what, form::graph, s));
  } else {
    add("ikra", by_ikra(what, s, nullptr));
    add("OpenMP", by_openmp(what, s));
  }
  return result;
}

bool near(double x, double y, double tolerance) {
  return std::abs(x - y) <= tolerance * std::max({1e-3, std::abs(x), std::abs(y)});
}

/// Compares all variants with the loops by hand.
bool is_right(const settings& s, const described& d) {
  const std::unique_ptr<program> reference = by_openmp(d.what, d.small);
  reference->run(7);
  const std::vector<float> expected = reference->result();
  bool right = true;
  for (const variant& v : variants(s.device, d.what, d.small)) {
    v.code->run(7);
    const std::vector<float> found = v.code->result();
    std::size_t i = 0;
    while (i < expected.size() && near(found[i], expected[i], 1e-4))
      ++i;
    if (i < expected.size()) {
      fmt::print(stderr, "{}, {}: element {} is {} instead of {}\n", d.name, v.name, i, found[i],
                 expected[i]);
      right = false;
    } else if (!near(v.code->residual(), reference->residual(), 1e-3)) {
      fmt::print(stderr, "{}, {}: the residual is {} instead of {}\n", d.name, v.name,
                 v.code->residual(), reference->residual());
      right = false;
    }
  }
  return right;
}

bool residuals_are_right(const settings& s) {
  bool right = true;
  for (const variant& v : variants(s.device, which::himeno, {65, 65, 129})) {
    int done = 0;
    for (const auto& [iterations, expected] : residuals) {
      v.code->run(iterations - std::exchange(done, iterations));
      if (const double found = v.code->residual(); std::abs(found - expected) > 1e-3 * expected) {
        fmt::print(stderr, "P5, {}: the residual after {} iterations is {} instead of {}\n", v.name,
                   iterations, found, expected);
        right = false;
      }
    }
  }
  return right;
}

bool run(const settings& s) {
  bool right = residuals_are_right(s);
  for (const described& d : programs)
    right = is_right(s, d) && right;
  if (!right)
    return false;
  fmt::print("All programs are right ({}).\n", s.device);
  if (s.check_only)
    return true;

  nlohmann::ordered_json results =
      benchmark::head("stencils", s.device,
                      s.device == "cuda" ? benchmark::cuda_device_name() : benchmark::cpu_name(),
                      s.repeats, IKRA_BENCHMARK_COMMIT);
  for (const described& d : programs) {
    if (!s.takes(d.name))
      continue;
    shape extents = d.full;
    std::int32_t& inner = extents.b > 1 ? extents.b : extents.c;
    std::int32_t& outermost = extents.a > 1 ? extents.a : inner;
    outermost = std::max(3, static_cast<std::int32_t>(outermost * s.scale));
    fmt::print("\n{}\n", d.name);
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    double ikra = 0;
    for (const variant& v : variants(s.device, d.what, extents)) {
      const double seconds =
          benchmark::seconds_of(s.repeats, [&] { v.code->run(d.times); }) / d.times;
      if (rows.empty())
        ikra = seconds;
      const double rate = static_cast<double>(extents.volume()) * d.bytes / seconds;
      fmt::print("  {:<22} {:>10.2f} us   {:>6.0f} GB/s   ikra takes {:.3f} of it\n", v.name,
                 seconds * 1e6, rate * 1e-9, ikra / seconds);
      rows.push_back({{"name", v.name},
                      {"us", seconds * 1e6},
                      {"bytes_per_s", rate},
                      {"ikra_ratio", ikra / seconds}});
    }
    results["cases"].push_back(
        {{"program", d.name}, {"shape", {extents.a, extents.b, extents.c}}, {"programs", rows}});
  }
  benchmark::write(results, s.json, IKRA_BENCHMARK_RESULTS);
  return true;
}

} // namespace
} // namespace stencils

int main(int argc, char** argv) {
  stencils::settings s;
  CLI::App app("Stencils over floats, the Himeno benchmark among them, by ikra and by hand.",
               "bench_stencils");
  benchmark::add_options(app, s);
  app.add_option("--scale", s.scale, "share of the outermost extent")
      ->check(CLI::Range(0.001, 1.0))
      ->capture_default_str();
  return benchmark::run_program(app, argc, argv, s, benchmark::cuda_present(),
                                [&] { return stencils::run(s); });
}
