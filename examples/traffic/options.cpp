// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options as CLI11 sees them. A malformed option ends with status 2.
#include "options.hpp"

#include <CLI/CLI.hpp>

namespace traffic {

std::variant<Options, int> parse_options(int argc, char** argv) {
  Options options;
  CLI::App app("Actors on a street network, moved tick by tick in a parallel section.", "traffic");
  auto* edges = app.add_option("--edges", options.edges,
                               "road network as an edge list: a line 'a b' for each road");
  app.add_option("--streets", options.streets, "streets of a generated town, rounded up to even")
      ->check(CLI::Range(2u, 1u << 29))
      ->excludes(edges)
      ->capture_default_str();
  app.add_option("--actors", options.actors, "cars, buses and pedestrians")
      ->check(CLI::Range(0u, 1u << 31))
      ->capture_default_str();
  app.add_option("--ticks", options.ticks, "minutes to simulate")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 30)) // two 32-bit chances a tick
      ->capture_default_str();
  app.add_option("--seed", options.seed, "what all chances come from")->capture_default_str();
  app.add_option("--picture", options.picture, "write the traffic's density to this PNG file");
  app.add_option("--json", options.json, "write the result to this file");
  app.add_flag("--checksum", options.checksum, "print the checksum of all places and nothing else");
  app.add_flag("--compare", options.compare,
               "run the plain, the cpu and the cuda build and print their speeds side by side");
  app.add_flag("--quiet", options.quiet, "print nothing but errors");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return options;
}

std::vector<std::string> arguments_of(const Options& options) {
  std::vector<std::string> result{"--actors", std::to_string(options.actors),
                                  "--ticks",  std::to_string(options.ticks),
                                  "--seed",   std::to_string(options.seed)};
  if (options.edges.empty())
    result.insert(result.end(), {"--streets", std::to_string(options.streets)});
  else
    result.insert(result.end(), {"--edges", options.edges});
  return result;
}

} // namespace traffic
