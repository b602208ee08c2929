// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of iterative programs through ikrac and by hand, in one run. Results are compared with the
// loops by hand before anything is timed.
#include "programs.hpp"

#include "support/results.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace simulations {
namespace {

struct described {
  which what;
  const char* name;
  int small, full;
  int turns; ///< of a timed run
};

constexpr described programs[] = {
    {which::jacobi, "Jacobi with a test each turn", 67, 4096, 50},
    {which::conjugate_gradient, "conjugate gradient on a graph", 700, 4'000'000, 20},
    {which::pagerank, "PageRank", 700, 4'000'000, 20},
    {which::life, "game of life", 93, 8192, 50},
    {which::mandelbrot, "Mandelbrot set", 65, 4096, 3},
    {which::lattice_boltzmann, "lattice Boltzmann, D2Q9", 45, 2048, 50},
};

struct settings {
  std::string device, json, only;
  int repeats = 5;
  double scale = 1;
  bool check_only = false;
};

struct variant {
  const char* name;
  std::unique_ptr<program> code;
};

/// The program by ikra comes first; the other is what it is compared with.
std::vector<variant> variants(const std::string& device, which what, int n) {
  std::vector<variant> result;
  const bool on_gpu = device == "cuda";
  result.push_back({"ikra", by_ikra(what, n, on_gpu ? cuda_wait : nullptr)});
  if (on_gpu)
    result.push_back({"CUDA", by_cuda(what, n)});
  else
    result.push_back({"OpenMP", by_openmp(what, n)});
  return result;
}

bool near(double x, double y) {
  return std::abs(x - y) <= 1e-4 * std::max({1e-6, std::abs(x), std::abs(y)});
}

/// Compares all variants with the loops by hand.
bool is_right(const settings& s, const described& d) {
  constexpr int turns = 7;
  const std::unique_ptr<program> reference = by_openmp(d.what, d.small);
  reference->run(turns);
  const std::vector<double> expected = reference->result();
  bool right = true;
  for (const variant& v : variants(s.device, d.what, d.small)) {
    v.code->run(turns);
    const std::vector<double> found = v.code->result();
    std::size_t i = 0;
    while (i < expected.size() && i < found.size() && near(found[i], expected[i]))
      ++i;
    if (i < expected.size() || found.size() != expected.size()) {
      fmt::print(stderr, "{}, {}: element {} is {} instead of {}\n", d.name, v.name, i,
                 i < found.size() ? found[i] : 0.0, i < expected.size() ? expected[i] : 0.0);
      right = false;
    } else if (!near(v.code->last_read(), reference->last_read())) {
      fmt::print(stderr, "{}, {}: the last turn read {} instead of {}\n", d.name, v.name,
                 v.code->last_read(), reference->last_read());
      right = false;
    }
  }
  return right;
}

/// Seconds a turn.
double time_of(program& code, int turns, int repeats) {
  code.run(turns); // loads kernels, and takes memory
  std::vector<double> samples;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    code.run(turns);
    samples.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / turns);
  }
  return benchmark::median(std::move(samples));
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

  nlohmann::ordered_json results = benchmark::head(
      "simulations", s.device, s.device == "cuda" ? cuda_device_name() : benchmark::cpu_name(),
      s.repeats, IKRA_BENCHMARK_COMMIT);
  for (const described& d : programs) {
    if (!s.only.empty() && std::string(d.name).find(s.only) == std::string::npos)
      continue;
    const int n = std::max(16, static_cast<int>(d.full * s.scale));
    fmt::print("\n{}\n", d.name);
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    double ikra = 0;
    for (const variant& v : variants(s.device, d.what, n)) {
      const double seconds = time_of(*v.code, d.turns, s.repeats);
      if (rows.empty())
        ikra = seconds;
      fmt::print("  {:<8} {:>12.2f} us a turn   ikra takes {:.3f} of it\n", v.name, seconds * 1e6,
                 ikra / seconds);
      rows.push_back({{"name", v.name}, {"us", seconds * 1e6}, {"ikra_ratio", ikra / seconds}});
    }
    results["cases"].push_back({{"program", d.name}, {"n", n}, {"programs", rows}});
  }
  benchmark::write(results, s.json, IKRA_BENCHMARK_RESULTS);
  return true;
}

} // namespace
} // namespace simulations

int main(int argc, char** argv) {
  simulations::settings s;
  CLI::App app("Iterative programs by ikra and by hand.", "bench_simulations");
  app.add_option("--device", s.device, "cpu or cuda; without it cuda where there is a GPU")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--only", s.only, "the programs whose names have this in them");
  app.add_option("--scale", s.scale, "share of the extents")
      ->check(CLI::Range(0.001, 1.0))
      ->capture_default_str();
  app.add_option("--repeats", s.repeats, "medians are taken of so many times")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--json", s.json,
                 "where results go; without it a file in the folder $OUT or the build folder");
  app.add_flag("--check", s.check_only, "only compare results");
  CLI11_PARSE(app, argc, argv);
  try {
    if (s.device.empty())
      s.device = simulations::cuda_present() ? "cuda" : "cpu";
    // before anything of ikra runs: both sides have to use one device
    setenv("IKRA_DEVICE", s.device.c_str(), 1);
    return simulations::run(s) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_simulations: {}\n", error.what());
    return 1;
  }
}
