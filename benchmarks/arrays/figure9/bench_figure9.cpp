// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of the array programs of ARRAY'17, figure 9, through ikrac and by hand, in one run. Sums
// are compared with those of another implementation, at a small shape before anything is timed, and
// at full size after it.
#include "programs.hpp"

#include "support/command_line.hpp"
#include "support/gpu.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tuple>

namespace figure9 {
namespace {

struct sums {
  std::uint64_t sum = 0, weighted = 0;
  bool operator==(const sums&) const = default;
};

sums sums_of(const std::vector<std::int32_t>& values) {
  sums result;
  std::uint64_t i = 0;
  for (const std::int32_t v : values) {
    const auto bits = static_cast<std::uint64_t>(v);
    result.sum += bits;
    result.weighted += bits * (i++ % 1000003 + 1);
  }
  return result;
}

struct described {
  which what;
  const char* name;
  sums small, full;
};

constexpr described programs[] = {
    {which::p1, "P1: new, ten maps", {30240, 6103470}, {40074559440, 20042185425147839}},
    {which::p2, "P2: new, ten stencils", {14726, 2710645}, {16825765178, 8489015712475362}},
    {which::p3, "P3: a map, 500 times", {360720, 66192120}, {396783000000, 198385666922207700}},
    {which::p4, "P4: a stencil, 200 times", {14703, 2706457}, {18595953297, 9323250688871569}},
    {which::p6, "P6: five maps, 100 times", {257152, 47104909}, {41652207257, 20826645402894975}},
    {which::p7,
     "P7: maps under conditions, 200 turns",
     {200226, 35011287},
     {70024536500, 35014822818908176}},
};
constexpr shape small_shape{4, 6, 5, 3};

struct settings : benchmark::options {
  std::int32_t outermost = shape().a;
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
  const bool stencil = what == which::p2 || what == which::p4;
  if (device == "cuda") {
    add("ikra", by_ikra(what, s, benchmark::cuda_wait));
    add(stencil ? "a kernel a stencil" : "a kernel an operation", by_cuda(what, form::unfused, s));
    add(stencil ? "a kernel a stencil, grid of three dimensions" : "a kernel a turn, in place",
        by_cuda(what, form::fused, s));
    add("one kernel", by_cuda(what, form::whole, s));
    add("one kernel, 16 bytes a thread", by_cuda(what, form::whole_vector, s));
    // The same with extents that the compiler knows, as nobody could write for all shapes.
    const auto constants = [&](form how) { return by_cuda(what, how, s, known::when_compiled); };
    add(stencil ? "grid of three dimensions, extents as constants"
                : "a kernel a turn, extents as constants",
        constants(form::fused));
    add("one kernel, extents as constants", constants(form::whole));
    add("one kernel, 16 bytes, extents as constants", constants(form::whole_vector));
  } else {
    add("ikra", by_ikra(what, s, nullptr));
    add(stencil ? "OpenMP" : "OpenMP, a loop nest a turn", by_openmp(what, form::fused, s));
    add("OpenMP, one loop nest", by_openmp(what, form::whole, s));
  }
  return result;
}

bool is_right(const described& d, const variant& v, const sums& expected) {
  const sums found = sums_of(v.code->result());
  if (found == expected)
    return true;
  fmt::print(stderr, "{}, {}: sums {} and {} instead of {} and {}\n", d.name, v.name, found.sum,
             found.weighted, expected.sum, expected.weighted);
  return false;
}

bool all_right(const settings& s) {
  bool right = true;
  for (const described& d : programs)
    for (const variant& v : variants(s.device, d.what, small_shape)) {
      v.code->run();
      right = is_right(d, v, d.small) && right;
    }
  return right;
}

bool run(const settings& s) {
  if (!all_right(s))
    return false;
  fmt::print("All programs are right at shape (4, 6, 5, 3) ({}).\n", s.device);
  if (s.check_only)
    return true;

  nlohmann::ordered_json results =
      benchmark::head("figure9", s.device,
                      s.device == "cuda" ? benchmark::cuda_device_name() : benchmark::cpu_name(),
                      s.repeats, IKRA_BENCHMARK_COMMIT);
  results["shape"] = nlohmann::ordered_json{s.outermost, shape().b, shape().c, shape().d};
  bool right = true;
  for (const described& d : programs) {
    if (!s.takes(d.name))
      continue;
    fmt::print("\n{}\n", d.name);
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    double ikra = 0;
    shape extents;
    extents.a = s.outermost;
    sums expected = d.full;
    for (const variant& v : variants(s.device, d.what, extents)) {
      const double seconds = benchmark::seconds_of(s.repeats, [&] { v.code->run(); });
      if (rows.empty()) {
        ikra = seconds;
        if (s.outermost != shape().a) // only the full size's sums are known
          expected = sums_of(v.code->result());
      }
      right = is_right(d, v, expected) && right;
      fmt::print("  {:<46} {:>10.3f} ms   ikra takes {:.3f} of it\n", v.name, seconds * 1e3,
                 ikra / seconds);
      rows.push_back({{"name", v.name}, {"ms", seconds * 1e3}, {"ikra_ratio", ikra / seconds}});
    }
    results["cases"].push_back({{"program", d.name}, {"programs", rows}});
  }
  benchmark::write(results, s.json, IKRA_BENCHMARK_RESULTS);
  return right;
}

} // namespace
} // namespace figure9

int main(int argc, char** argv) {
  figure9::settings s;
  CLI::App app("The array programs of ARRAY'17, figure 9, by ikra and by hand.", "bench_figure9");
  benchmark::add_options(app, s);
  app.add_option("--outermost", s.outermost, "extent of the first dimension")
      ->check(CLI::Range(1, 160))
      ->capture_default_str();
  return benchmark::run_program(app, argc, argv, s, benchmark::cuda_present(),
                                [&] { return figure9::run(s); });
}
