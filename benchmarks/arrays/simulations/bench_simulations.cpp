// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of iterative programs through ikrac and by hand, in one run. Results are compared with the
// loops by hand before anything is timed.
#include "programs.hpp"

#include "simulations/edges.hpp"
#include "support/command_line.hpp"
#include "support/gpu.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
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

constexpr int few = 64; ///< elements, at all scales

constexpr described programs[] = {
    {which::jacobi, "Jacobi with a test each turn", 67, 8192, 50},
    {which::conjugate_gradient, "conjugate gradient on a graph", 700, 4'000'000, 20},
    {which::pagerank, "PageRank", 700, 4'000'000, 20},
    {which::life, "game of life", 92, 8192, 50},
    {which::mandelbrot, "Mandelbrot set", 65, 4096, 3},
    {which::lattice_boltzmann, "lattice Boltzmann, D2Q9", 45, 2048, 50},
    {which::small_maps, "64 ints, maps", few, few, 1'000'000},
    {which::small_tested, "64 ints, a sum read each turn", few, few, 200'000},
};

struct settings : benchmark::options {
  double scale = 1;
  std::string edges; ///< a file with a graph
};

struct variant {
  const char* name;
  std::unique_ptr<program> code;
  int share = 1; ///< of the turns, which would take too long: one of so many
};

bool is_on_graph(which what) {
  return what == which::conjugate_gradient || what == which::pagerank;
}
task generated(which what, int n) { return {what, n, is_on_graph(what) ? make_graph(n) : graph()}; }

task read(which what, const std::string& file) {
  const auto [vertices, edges] = read_edges(file);
  const int n = static_cast<int>(vertices);
  return {what, n, make_graph(n, edges)};
}

/// The program by ikra comes first; others are what it is compared with.
std::vector<variant> variants(const std::string& device, const task& t) {
  std::vector<variant> result;
  const bool on_gpu = device == "cuda";
  result.push_back({"ikra", by_ikra(t, on_gpu ? benchmark::cuda_wait : nullptr)});
  if (!on_gpu) {
    result.push_back({"OpenMP", by_openmp(t)});
    return result;
  }
  const bool is_small = t.what == which::small_maps || t.what == which::small_tested;
  const auto add = [&](const char* name, form how, int share) {
    if (auto code = by_cuda(t, how))
      result.push_back({name, std::move(code), share});
  };
  add("CUDA", form::launches, is_small ? 20 : 1);
  add("CUDA, conditional graph", form::graph, is_small ? 20 : 1);
  add("CUDA, loop in a kernel", form::kernel, 1);
  return result;
}

bool near(double x, double y) {
  return std::abs(x - y) <= 1e-4 * std::max({1e-6, std::abs(x), std::abs(y)});
}

/// Compares all variants with the loops by hand.
bool is_right(const settings& s, const described& d) {
  // The second run goes on where the first one ended, after an odd number of turns.
  constexpr int turns = 7, more = 6;
  const task small = generated(d.what, d.small);
  const std::unique_ptr<program> reference = by_openmp(small);
  reference->run(turns + more);
  const std::vector<double> expected = reference->result();
  bool right = true;
  for (const variant& v : variants(s.device, small)) {
    v.code->run(turns);
    v.code->run(more);
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
      benchmark::head("simulations", s.device,
                      s.device == "cuda" ? benchmark::cuda_device_name() : benchmark::cpu_name(),
                      s.repeats, IKRA_BENCHMARK_COMMIT);
  for (const described& d : programs) {
    if (!s.takes(d.name))
      continue;
    // Life by hand has four cells in a word.
    const int extent =
        d.full == few ? few : std::max(16, static_cast<int>(d.full * s.scale) / 4 * 4);
    const task t =
        is_on_graph(d.what) && !s.edges.empty() ? read(d.what, s.edges) : generated(d.what, extent);
    fmt::print("\n{}{}\n", d.name, is_on_graph(d.what) ? fmt::format(", {} vertices", t.n) : "");
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    double ikra = 0;
    for (const variant& v : variants(s.device, t)) {
      const int turns = d.turns / v.share;
      const double seconds = benchmark::seconds_of(s.repeats, [&] { v.code->run(turns); }) / turns;
      if (rows.empty())
        ikra = seconds;
      fmt::print("  {:<24} {:>12.2f} us a turn   ikra takes {:.3f} of it\n", v.name, seconds * 1e6,
                 ikra / seconds);
      rows.push_back({{"name", v.name}, {"us", seconds * 1e6}, {"ikra_ratio", ikra / seconds}});
    }
    results["cases"].push_back({{"program", d.name}, {"n", t.n}, {"programs", rows}});
  }
  benchmark::write(results, s.json, IKRA_BENCHMARK_RESULTS);
  return true;
}

} // namespace
} // namespace simulations

int main(int argc, char** argv) {
  simulations::settings s;
  CLI::App app("Iterative programs by ikra and by hand.", "bench_simulations");
  benchmark::add_options(app, s);
  app.add_option("--scale", s.scale, "share of the extents")
      ->check(CLI::Range(0.001, 1.0))
      ->capture_default_str();
  app.add_option("--edges", s.edges,
                 "a file with a graph for the programs on graphs: two vertices a line")
      ->check(CLI::ExistingFile);
  return benchmark::run_program(app, argc, argv, s, benchmark::cuda_present(),
                                [&] { return simulations::run(s); });
}
