// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The traffic simulation: actors move tick by tick on a street network while the weather changes.
// All parallel sections of the example are in this file; without ikrac it is a plain, sequential
// C++ program.
#include "city.hpp"
#include "compare.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "report.hpp"

#include <ikra/ikra.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <numeric>
#include <variant>
#include <vector>

namespace traffic {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Lets time pass: every actor moves in every tick, and the weather changes now and then. The actors
// stay on the device from the first tick to the last.
void simulate(City& city, const Options& options, Result& result) {
  const ikra::array actors{city.actors()};
  const std::uint64_t seed = options.seed;
  Progress progress(options.ticks, !options.quiet);
  const auto start = std::chrono::steady_clock::now();
  ikra::resident scope{actors};
  for (std::int64_t now = 0; now < options.ticks; now += ticks_of_weather) {
    const Weather weather = weather_at(seed, now);
    const std::int64_t ticks = std::min(ticks_of_weather, options.ticks - now);
    actors.peach(ticks, [=](Actor* a, std::int64_t tick) { a->move(weather, seed, now + tick); });
    progress.show(now + ticks);
    if (now == 0) {
      scope.sync();
      result.start_ticks = ticks;
      result.start_seconds = seconds_since(start);
    }
  }
  scope.sync();
  result.steady_seconds = seconds_since(start) - result.start_seconds;
}

// The mean speed in km/h.
double mean_speed(const City& city, Weather weather) {
  const auto speeds = ikra::array{city.actors()}
                          .pmap([=](const Actor* a) { return a->speed(weather); })
                          .pmap([](float miles_per_hour) { return miles_per_hour * 1.609344f; });
  const double sum = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  return city.actors().empty() ? 0 : sum / static_cast<double>(city.actors().size());
}

// How many actors there are on each street.
std::vector<std::uint32_t> actors_by_street(const City& city) {
  const auto streets =
      ikra::array{city.actors()}.pmap([](const Actor* a) { return a->street()->id(); });
  std::vector<std::uint32_t> counts(city.streets().size());
  for (const std::uint32_t street : streets)
    ++counts[street];
  return counts;
}

void run(const Options& options) {
  const RoadMap map = options.edges.empty()
                          ? generate_roads((options.streets + 1) / 2, options.seed)
                          : read_edge_list(options.edges);
  City city(map, options.actors, options.seed);

  Result result;
  result.network = map.name;
  result.streets = city.streets().size();
  result.actors = city.actors().size();
  result.ticks = options.ticks;
  result.seed = options.seed;
  simulate(city, options, result);
  result.mean_speed = mean_speed(city, weather_at(options.seed, options.ticks));
  result.checksum = checksum(city.actors());

  if (!options.picture.empty())
    draw_traffic(options.picture, map, actors_by_street(city));
  report(result, options);
}

} // namespace
} // namespace traffic

// Exit status: 1 where the run failed or builds do not agree, 2 where the input is wrong, 3 where
// the device that was asked for is not there.
int main(int argc, char** argv) {
  try {
    const auto parsed = traffic::parse_options(argc, argv);
    if (const int* status = std::get_if<int>(&parsed))
      return *status;
    const auto& options = std::get<traffic::Options>(parsed);
    if (options.compare)
      return traffic::compare_builds(options) ? 0 : 1;
    traffic::run(options);
    return 0;
  } catch (const traffic::input_error& error) {
    std::fprintf(stderr, "traffic: %s\n", error.what());
    return 2;
  } catch (const ikra::error& error) {
    std::fprintf(stderr, "traffic: %s\n", error.what());
    return error.kind() == ikra::error_kind::no_device ? traffic::status_no_device : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "traffic: %s\n", error.what());
    return 1;
  }
}
