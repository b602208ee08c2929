// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time of single array operations as ikra runs them and as written by hand, in one run. Before
// anything is timed, all programs of an operation have to reach the same checksum. A run's time is
// the difference between many and few runs over the difference of their numbers, so that waiting
// for the last one does not count.
#include "programs.hpp"

#include "support/command_line.hpp"
#include "support/gpu.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace arrays {
namespace {

struct settings : benchmark::options {
  std::int64_t millions = 60;
};

struct described {
  operation what;
  const char* name;
  double bytes_per_element; ///< that have to move
};

constexpr described operations[] = {
    {operation::maps, "11 multiply-adds, one kernel", 8},
    {operation::saxpy, "saxpy (pcombine)", 12},
    {operation::indices, "new array from indices of rank 4 (pnew)", 4},
    {operation::reduction, "sum (preduce)", 4},
    {operation::selection, "half selected (pselect)", 6},
    {operation::few_selected, "one of 1024 selected (pselect)", 4},
    {operation::scan, "prefix sums (pscan)", 8},
    {operation::sort, "numbers sorted (psort)", 8},
    {operation::sort_by_rule, "sorted by a section (psort)", 8},
    {operation::runs, "sums of runs of ten (preduce_by_key)", 8.8},
    {operation::by_index, "sums by 256 keys (reduce_by_index)", 8},
    {operation::histogram, "256 bins (phistogram)", 4},
};

struct variant {
  std::string name;
  std::unique_ptr<program> code;
};

/// The program by ikra comes first; others are what it is compared with.
std::vector<variant> variants(const std::string& device, operation what, std::size_t n) {
  std::vector<variant> result;
  const auto add = [&](const char* name, std::unique_ptr<program> code) {
    if (code != nullptr)
      result.push_back({name, std::move(code)});
  };
  add("ikra", ikra_program(what, n));
  if (device == "cuda") {
    add("one element a thread", cuda_scalar(what, n));
    add("16 bytes a thread", cuda_vector(what, n));
    add("CUB", cuda_cub(what, n));
    add("Thrust", cuda_thrust(what, n));
  } else {
    add("OpenMP", openmp_loops(what, n));
  }
  return result;
}

bool all_agree(const std::string& device) {
  bool agree = true;
  const auto volume = static_cast<std::size_t>(inner_volume);
  for (const described& d : operations)
    for (const std::size_t n : {std::size_t(1), std::size_t(4096), std::size_t(100004), volume}) {
      if (d.what == operation::indices && n != volume)
        continue;
      // Thrust's sums are of the keys that occur: the same only if all do.
      if (d.what == operation::by_index && n == 1)
        continue;
      std::uint64_t expected = 0;
      bool is_first = true;
      for (variant& v : variants(device, d.what, n)) {
        v.code->run(2);
        const std::uint64_t found = v.code->checksum();
        if (is_first)
          expected = found;
        is_first = false;
        if (found == expected)
          continue;
        agree = false;
        fmt::print(stderr, "{}, {} elements: checksum {:016x} by {}, {:016x} by ikra\n", d.name, n,
                   found, v.name, expected);
      }
    }
  return agree;
}

double seconds_of(program& code, std::int64_t times) {
  const auto begin = std::chrono::steady_clock::now();
  code.run(times);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Seconds a run.
double time_of(program& code, int repeats) {
  code.run(2); // loads kernels, and brings elements to the device
  std::int64_t times = 1;
  while (seconds_of(code, times) < 0.02 && times < (std::int64_t{1} << 20))
    times *= 2;
  std::vector<double> samples;
  for (int i = 0; i < repeats; ++i) {
    const double brief = seconds_of(code, times), lengthy = seconds_of(code, 4 * times);
    samples.push_back((lengthy - brief) / static_cast<double>(3 * times));
  }
  return benchmark::median(std::move(samples));
}

bool run(const settings& s) {
  if (!all_agree(s.device))
    return false;
  fmt::print("All programs agree ({}).\n", s.device);
  if (s.check_only)
    return true;

  const auto n = static_cast<std::size_t>(s.millions * 1'000'000 / inner_volume * inner_volume);
  const double copy_rate = [&] {
    const auto copy = s.device == "cuda" ? cuda_copy(n) : openmp_copy(n);
    return 8 * static_cast<double>(n) / time_of(*copy, s.repeats);
  }();
  nlohmann::ordered_json results =
      benchmark::head("arrays", s.device,
                      s.device == "cuda" ? benchmark::cuda_device_name() : benchmark::cpu_name(),
                      s.repeats, IKRA_BENCHMARK_COMMIT);
  results["elements"] = n;
  results["copy_bytes_per_second"] = copy_rate;
  fmt::print("{} elements; a copy moves {:.0f} GB/s, read and written\n", n, copy_rate * 1e-9);
  for (const described& d : operations) {
    if (!s.takes(d.name))
      continue;
    fmt::print("\n{}\n", d.name);
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    double ikra = 0;
    for (variant& v : variants(s.device, d.what, n)) {
      const double seconds = time_of(*v.code, s.repeats);
      if (rows.empty())
        ikra = seconds;
      const double of_copy = d.bytes_per_element * static_cast<double>(n) / seconds / copy_rate;
      fmt::print(
          "  {:<22} {:>12.1f} us   {:>4.0f} % of the copy's bytes/s   ikra takes {:.3f} of it\n",
          v.name, seconds * 1e6, 100 * of_copy, ikra / seconds);
      rows.push_back({{"name", v.name},
                      {"us", seconds * 1e6},
                      {"share_of_copy_rate", of_copy},
                      {"ikra_ratio", ikra / seconds}});
    }
    results["cases"].push_back({{"operation", d.name}, {"programs", rows}});
  }
  benchmark::write(results, s.json, IKRA_BENCHMARK_RESULTS);
  return true;
}

} // namespace
} // namespace arrays

int main(int argc, char** argv) {
  arrays::settings s;
  CLI::App app("Single array operations, by ikra and written by hand.", "bench_arrays");
  benchmark::add_options(app, s);
  app.add_option("--millions", s.millions, "elements, in millions; rounded down to a multiple of 3")
      ->check(CLI::Range(3, 1000))
      ->capture_default_str();
  return benchmark::run_program(app, argc, argv, s, benchmark::cuda_present(),
                                [&] { return arrays::run(s); });
}
