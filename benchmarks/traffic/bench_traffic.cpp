// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time of a tick of the traffic simulation, as made by ikrac and as written by hand, in one run.
// Before anything is timed, all simulations have to reach the same checksums. A tick's time is the
// difference between a long and a short run over the difference of their ticks, so that starting,
// tracing and copying do not count.
#include "columns.hpp"
#include "simulations.hpp"

#include "report.hpp"

#include "support/gpu.hpp"
#include "support/results.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace traffic::bench {
namespace {

constexpr double h200_bytes_per_second = 4.27e12; // copying on the device, read and written

struct Settings {
  std::string edges, device, json;
  std::uint32_t actors = 50'000'000;
  int repeats = 5;
  std::uint64_t seed = 42;
  bool check_only = false;
};

struct Variant {
  std::string name;
  std::function<std::unique_ptr<Simulation>(City&, const HostCity&)> make;
  bool by_hand = true;
};

// The simulation by ikrac comes first; others are what it is compared with.
std::vector<Variant> variants(const std::string& device, Loop loop) {
  const auto by_hand = [loop](auto* make) {
    return [make, loop](City&, const HostCity& city) { return make(city, loop); };
  };
  const auto rows = [loop](Order order, Size size) {
    return [=](City&, const HostCity& city) { return cuda_records(city, loop, order, size); };
  };
  const auto objects = [loop](auto* make, void (*wait)()) {
    return [=](City& city, const HostCity&) { return make(city, loop, wait); };
  };
  if (device == "cuda")
    return {{"ikra", objects(ikra_objects, benchmark::cuda_wait), false},
            {"sorted columns", by_hand(cuda_columns)},
            {"sorted columns, streets as structs", by_hand(cuda_packed_streets)},
            {"columns and switch", by_hand(cuda_mixed_columns)},
            {"sorted array of structs", rows(Order::by_class, Size::own)},
            {"array of structs and switch", rows(Order::as_made, Size::own)},
            {"sorted array of padded structs", rows(Order::by_class, Size::padded)},
            {"array of padded structs and switch", rows(Order::as_made, Size::padded)}};
  return {{"ikra", objects(ikra_objects, nullptr), false},
          {"sorted columns, OpenMP", by_hand(openmp_columns)},
          {"plain build, one core", objects(plain_objects, nullptr), false}};
}

std::string name_of(Loop loop) {
  return loop == Loop::inside ? "loop over ticks inside" : "one launch a tick";
}

//===-- agreement --------------------------------------------------------------------------===//

// Every simulation against the plain build, in changing weather and with classes that do not fill a
// warp.
bool all_agree(const std::string& device, std::uint64_t seed) {
  bool agree = true;
  for (const std::uint32_t actors : {0u, 1u, 33u, 1000u, 20480u})
    for (const Loop loop : {Loop::outside, Loop::inside}) {
      const RoadMap map = generate_roads(250, seed);
      const auto result = [&](const auto& make) {
        City city(map, actors, seed);
        const auto simulation = make(city, HostCity(city));
        simulation->run(Weather::good, seed, 0, 100);
        simulation->run(Weather::bad, seed, 100, 57);
        return simulation->checksum();
      };
      const std::uint64_t expected = result(
          [loop](City& city, const HostCity&) { return plain_objects(city, loop, nullptr); });
      for (const Variant& variant : variants(device, loop)) {
        const std::uint64_t found = result(variant.make);
        if (found == expected)
          continue;
        agree = false;
        fmt::print(stderr, "{} actors, {}, {}: checksum {:016x}, the plain build has {:016x}\n",
                   actors, variant.name, name_of(loop), found, expected);
      }
    }
  return agree;
}

//===-- timing -----------------------------------------------------------------------------===//

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class Timer {
public:
  Timer(Simulation& simulation, std::uint64_t seed) : simulation_(simulation), seed_(seed) {}

  double run(std::int64_t ticks) {
    const auto start = std::chrono::steady_clock::now();
    simulation_.run(Weather::good, seed_, now_, ticks);
    now_ += ticks;
    return seconds_since(start);
  }

  // Seconds a tick.
  double tick(int repeats) {
    std::int64_t ticks = 1;
    while (run(ticks) < 0.03 && ticks < (std::int64_t{1} << 20))
      ticks *= 2;
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
      const double brief = run(ticks), lengthy = run(4 * ticks);
      times.push_back((lengthy - brief) / static_cast<double>(3 * ticks));
    }
    return benchmark::median(std::move(times));
  }

private:
  Simulation& simulation_;
  std::uint64_t seed_;
  std::int64_t now_ = 0;
};

nlohmann::ordered_json measure(City& city, const std::string& network, const Settings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  const HostCity host(city);
  const double host_seconds = seconds_since(begin);
  const double floor =
      static_cast<double>(bytes_per_tick(HostActors(host.actors).layout)) / h200_bytes_per_second;
  fmt::print("\n{}: {} streets, {} actors\n", network, city.streets().size(), city.actors().size());
  nlohmann::ordered_json result{
      {"network", network}, {"streets", city.streets().size()}, {"actors", city.actors().size()}};
  if (settings.device == "cuda")
    result["h200_memory_floor_us"] = floor * 1e6;
  for (const Loop loop : {Loop::outside, Loop::inside}) {
    if (settings.device == "cuda" && loop == Loop::outside)
      fmt::print("  {}: at least {:.2f} us where memory is the limit (H200)\n", name_of(loop),
                 floor * 1e6);
    else
      fmt::print("  {}\n", name_of(loop));
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    double ikra = 0;
    for (const Variant& variant : variants(settings.device, loop)) {
      const auto start_of_this = std::chrono::steady_clock::now();
      const auto simulation = variant.make(city, host);
      Timer timer(*simulation, settings.seed);
      timer.run(1); // makes columns, by tracing or by hand, and copies them
      const double start = seconds_since(start_of_this) + (variant.by_hand ? host_seconds : 0);
      const double seconds = timer.tick(settings.repeats);
      if (rows.empty())
        ikra = seconds;
      fmt::print("    {:<36} {:>14.3f} us a tick   ikra takes {:.3f} of it   {:.3f} s to start\n",
                 variant.name, seconds * 1e6, ikra / seconds, start);
      rows.push_back({{"name", variant.name},
                      {"us_per_tick", seconds * 1e6},
                      {"ikra_ratio", ikra / seconds},
                      {"start_seconds", start}});
    }
    result[name_of(loop)] = rows;
  }
  return result;
}

bool run(const Settings& settings) {
  if (!all_agree(settings.device, settings.seed))
    return false;
  fmt::print("All simulations agree ({}).\n", settings.device);
  if (settings.check_only)
    return true;

  nlohmann::ordered_json results = benchmark::head(
      "traffic", settings.device,
      settings.device == "cuda" ? benchmark::cuda_device_name() : benchmark::cpu_name(),
      settings.repeats, IKRA_BENCHMARK_COMMIT);
  {
    const RoadMap map = generate_roads(250, settings.seed);
    City city(map, 20480, settings.seed);
    results["cases"].push_back(measure(city, map.name, settings));
  }
  {
    const RoadMap map = settings.edges.empty() ? generate_roads(223'001, settings.seed)
                                               : read_edge_list(settings.edges);
    const auto slash = map.name.find_last_of('/');
    City city(map, settings.actors, settings.seed);
    results["cases"].push_back(
        measure(city, slash == map.name.npos ? map.name : map.name.substr(slash + 1), settings));
  }
  benchmark::write(results, settings.json, IKRA_BENCHMARK_RESULTS);
  return true;
}

} // namespace
} // namespace traffic::bench

int main(int argc, char** argv) {
  using namespace traffic::bench;
  Settings settings;
  CLI::App app("The traffic simulation, made by ikrac and written by hand.", "bench_traffic");
  app.add_option(
      "--edges", settings.edges,
      "road network of the large case; without it one of San Francisco's size is generated");
  app.add_option("--actors", settings.actors, "actors of the large case")->capture_default_str();
  app.add_option("--device", settings.device, "cpu or cuda; without it cuda where there is a GPU")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--repeats", settings.repeats, "medians are taken of so many times")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seed", settings.seed, "what all chances come from")->capture_default_str();
  app.add_option("--json", settings.json,
                 "where results go; without it a file in the folder $OUT or the build folder");
  app.add_flag("--check", settings.check_only, "only see whether all simulations agree");
  CLI11_PARSE(app, argc, argv);
  try {
    if (settings.device.empty())
      settings.device = benchmark::cuda_present() ? "cuda" : "cpu";
    // before anything of ikra runs: both sides have to use one device
    setenv("IKRA_DEVICE", settings.device.c_str(), 1);
    return run(settings) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_traffic: {}\n", error.what());
    return 1;
  }
}
