// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speed of the tracer: cars on streets are traced and their columns filled, as at the start of each
// section, beside a loop by hand on one core. Prints objects/s, the ratio of the two, and the
// memory that a trace takes, for few and many streets and classes.
#include "sizes.hpp"

#include "support/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <omp.h>
#include <string>

namespace tracer {

namespace {

/// A field of /proc/self/status, which has kilobytes.
std::size_t status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    if (name == field) {
      std::size_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
    std::getline(status, name);
  }
  return 0;
}

struct settings : benchmark::options {
  double scale = 1;
  int threads = 2;
};

struct described {
  const char* name;
  sizes size;
  unsigned classes;
  measured (*measure)(const sizes&, int);
};
constexpr std::size_t million = 1'000'000;
constexpr described cases[] = {
    {"4 M cars on 500 streets", {4 * million, 500, 0, false}, 1, measure_1},
    {"the same in no order", {4 * million, 500, 0, true}, 1, measure_1},
    {"4 M cars on 200,000 streets", {4 * million, 200'000, 0, false}, 1, measure_1},
    {"the same in no order", {4 * million, 200'000, 0, true}, 1, measure_1},
    {"10 M cars on 10 M streets", {10 * million, 10 * million, 10, false}, 1, measure_1},
    {"10 M cars on 1 M streets", {10 * million, million, 10, false}, 1, measure_1},
    {"10 M cars on 1 M streets", {10 * million, million, 10, false}, 8, measure_8},
#ifdef TRACER_MANY_CLASSES
    {"10 M cars on 1 M streets", {10 * million, million, 10, false}, 64, measure_64},
    // The same objects of more classes.
    {"1 M cars on 100,000 streets", {million, million / 10, 10, false}, 64, measure_64},
    {"1 M cars on 100,000 streets", {million, million / 10, 10, false}, 1000, measure_1000},
#endif
};

bool run(const settings& s) {
  omp_set_num_threads(s.threads);
  nlohmann::ordered_json results =
      benchmark::head("tracer", "cpu", benchmark::cpu_name(), s.repeats, IKRA_BENCHMARK_COMMIT);
  results["best"] = true;
  results["threads"] = s.threads;
  for (const described& d : cases) {
    if (!s.takes(d.name))
      continue;
    sizes size = d.size;
    size.cars = static_cast<std::size_t>(static_cast<double>(size.cars) * s.scale);
    size.streets = static_cast<std::size_t>(static_cast<double>(size.streets) * s.scale);
    if (size.cars == 0 || size.streets == 0)
      throw std::runtime_error("--scale leaves no objects");
    const measured m = d.measure(size, s.repeats);
    const auto objects = static_cast<double>(size.cars + size.streets);
    fmt::print(
        "{:<28} {:>5} classes: {:>6.1f} M objects/s, {:.2f} x by hand, {:.0f} bytes an object\n",
        d.name, d.classes, objects / m.traced * 1e-6, m.traced / m.by_hand,
        static_cast<double>(m.bytes) / objects);
    std::fflush(stdout);
    results["cases"].push_back({{"case", d.name},
                                {"classes", d.classes},
                                {"cars", size.cars},
                                {"streets", size.streets},
                                {"degree", size.degree},
                                {"in_order", !size.shuffled},
                                {"bytes", m.bytes},
                                {"programs",
                                 {{{"name", "ikra"}, {"ms", m.traced * 1e3}},
                                  {{"name", "by hand, one core"}, {"ms", m.by_hand * 1e3}}}}});
  }
  benchmark::write(results, s.json, IKRA_BENCHMARK_RESULTS);
  return true;
}

} // namespace

std::size_t resident_bytes() { return status_bytes("VmRSS:"); }
std::size_t peak_bytes() { return status_bytes("VmHWM:"); }
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

} // namespace tracer

int main(int argc, char** argv) {
  tracer::settings s;
  s.device = "cpu";
  CLI::App app("Tracing of objects and filling of columns.", "bench_tracer");
  app.add_option("--only", s.only, "the cases whose names have this in them");
  app.add_option("--scale", s.scale, "share of the objects")
      ->check(CLI::Range(0.0001, 100.0))
      ->capture_default_str();
  app.add_option("--threads", s.threads, "that trace")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--repeats", s.repeats,
                 "times are the least of so many, or of those that ten seconds allow")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--json", s.json,
                 "where results go; without it a file in the folder $OUT or the build folder");
  return benchmark::run_program(app, argc, argv, s, false, [&] { return tracer::run(s); });
}
