// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs that measure have in common: options, the device that both sides use, and medians.
#pragma once

#include "support/results.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benchmark {

struct options {
  std::string device; ///< cpu or cuda
  std::string json;   ///< where results go, see write()
  std::string only;   ///< the programs whose names have this in them
  int repeats = 5;
  bool best = false; ///< times are the least instead of the median
  bool check_only = false;

  bool takes(std::string_view name) const { return name.find(only) != std::string_view::npos; }
};

inline void add_options(CLI::App& app, options& o) {
  app.add_option("--device", o.device, "cpu or cuda; without it cuda where there is a GPU")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--only", o.only, "the programs whose names have this in them");
  app.add_option("--repeats", o.repeats, "medians are taken of so many times")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--json", o.json,
                 "where results go; without it a file in the folder $OUT or the build folder");
  app.add_flag("--check", o.check_only, "only compare results");
}

/// For those that hand it on to seconds_of.
inline void add_best(CLI::App& app, options& o) {
  app.add_flag("--best", o.best,
               "the least times instead of medians: for a machine on which other programs run");
}

/// The rest of a main(): \returns its result. \param run whether all was right
template <class Run>
int run_program(CLI::App& app, int argc, char** argv, options& o, bool has_gpu, const Run& run) {
  CLI11_PARSE(app, argc, argv);
  try {
    if (o.device.empty())
      o.device = has_gpu ? "cuda" : "cpu";
    // Before anything of ikra runs: both sides have to use one device.
    setenv("IKRA_DEVICE", o.device.c_str(), 1);
    return run() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return 1;
  }
}

template <class F> double seconds_of_one(const F& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double of_samples(std::vector<double> samples, bool best) {
  return best ? *std::min_element(samples.begin(), samples.end()) : median(std::move(samples));
}

/// The median of the seconds that f() takes, after a first call that loads kernels and takes
/// memory. \param best the least instead
template <class F> double seconds_of(int repeats, const F& f, bool best = false) {
  f();
  std::vector<double> samples;
  for (int i = 0; i < repeats; ++i)
    samples.push_back(seconds_of_one(f));
  return of_samples(std::move(samples), best);
}

/// The same of several, which run in turn, so that what the machine does besides is not of one of
/// them alone: a GPU clears memory that was freed before, which takes its memory's time.
/// \param run calls the k-th of `count`
template <class F>
std::vector<double> seconds_in_turn(int repeats, std::size_t count, const F& run, bool best) {
  std::vector<std::vector<double>> samples(count);
  for (int i = -1; i < repeats; ++i)
    for (std::size_t k = 0; k < count; ++k)
      if (const double seconds = seconds_of_one([&] { run(k); }); i >= 0)
        samples[k].push_back(seconds);
  std::vector<double> result;
  for (std::vector<double>& each : samples)
    result.push_back(of_samples(std::move(each), best));
  return result;
}

} // namespace benchmark
