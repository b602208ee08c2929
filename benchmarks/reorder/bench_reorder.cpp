// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a GPU takes to find the order of a base array's elements by their classes, as the
// runtime finds orders of objects and of elements by index (docs/runtime.md, "Order on the
// device"), beside CUB's radix sort of the same keys. Base arrays are a subset of the objects, or
// have objects several times.
#include "elements.hpp"

#include "support/command_line.hpp"
#include "support/gpu.hpp"

#include <ikra/generated/device/device.hpp>

#include <bit>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>

namespace reorder {
namespace {

constexpr ikra::rt::section_info section{"reorder", "bench_reorder.cpp", 1, 1};

struct settings : benchmark::options {
  std::uint32_t millions = 100;
};

struct described {
  base how;
  const char* name;
  std::uint32_t classes;
};
constexpr described cases[] = {{base::subset, "a subset", 8},
                               {base::subset, "a subset", 1000},
                               {base::repeats, "repeats", 8},
                               {base::repeats, "repeats", 1000}};

struct variant {
  const char* name;
  std::function<void()> run;
  /// Makes sorted() of what run() has made; null where that cannot be.
  std::function<void()> finish;
};

/// The runtime's comes first.
std::vector<variant> variants(elements& e, std::uint32_t n, std::uint32_t classes) {
  const int bits = std::bit_width(classes - 1);
  return {{"ikra, the order alone",
           [&e, n, bits] {
             ikra::rt::current_device().sort_order(e.keys(), e.order(), n, bits, section);
           },
           [&e, n] {
             ikra::rt::current_device().gather(e.sorted(), e.ids(), sizeof(std::uint32_t),
                                               e.order(), n, section);
           }},
          {"CUB, keys and IDs", [&e] { e.sort_by_cub(); }, [] {}},
          {"CUB, keys alone", [&e] { e.sort_keys_by_cub(); }, {}}};
}

bool run(const settings& s) {
  constexpr std::uint32_t few = 100'003;
  for (const described& d : cases) {
    const auto e = made(d.how, few, d.classes);
    for (const variant& v : variants(*e, few, d.classes)) {
      e->spoil();
      v.run();
      if (v.finish)
        v.finish();
      benchmark::cuda_wait();
      if (v.finish && !e->is_right()) {
        fmt::print(stderr, "{} of {} classes, {}: not in order\n", d.name, d.classes, v.name);
        return false;
      }
    }
  }
  fmt::print("All elements are in order.\n");
  if (s.check_only)
    return true;

  nlohmann::ordered_json results = benchmark::head("reorder", "cuda", benchmark::cuda_device_name(),
                                                   s.repeats, IKRA_BENCHMARK_COMMIT);
  const std::uint32_t n = s.millions * 1'000'000;
  for (const described& d : cases) {
    fmt::print("\n{} M elements, {}, {} classes\n", s.millions, d.name, d.classes);
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    const auto e = made(d.how, n, d.classes);
    double ikra = 0;
    for (const variant& v : variants(*e, n, d.classes)) {
      const double seconds = benchmark::seconds_of(s.repeats, [&] {
        v.run();
        benchmark::cuda_wait();
      });
      if (rows.empty())
        ikra = seconds;
      fmt::print("  {:<24} {:>10.3f} ms   ikra takes {:.3f} of it\n", v.name, seconds * 1e3,
                 ikra / seconds);
      rows.push_back({{"name", v.name}, {"ms", seconds * 1e3}, {"ikra_ratio", ikra / seconds}});
    }
    results["cases"].push_back(
        {{"base", d.name}, {"classes", d.classes}, {"elements", n}, {"programs", rows}});
  }
  benchmark::write(results, s.json, IKRA_BENCHMARK_RESULTS);
  return true;
}

} // namespace
} // namespace reorder

int main(int argc, char** argv) {
  reorder::settings s;
  s.device = "cuda";
  CLI::App app("Elements in the order of their classes, by ikra's runtime and by CUB.",
               "bench_reorder");
  app.add_option("--millions", s.millions, "elements")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--repeats", s.repeats, "medians are taken of so many times")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--json", s.json,
                 "where results go; without it a file in the folder $OUT or the build folder");
  app.add_flag("--check", s.check_only, "only see whether elements are in order");
  return benchmark::run_program(app, argc, argv, s, true, [&] { return reorder::run(s); });
}
