// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Progress bar, summary, JSON.
#include "report.hpp"

#include "files.hpp"
#include "roads.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unistd.h>

namespace traffic {
namespace {

std::string hexadecimal(std::uint64_t number) { return fmt::format("{:016x}", number); }

} // namespace

double ticks_per_second(const Result& result) {
  const std::int64_t steady_ticks = result.ticks - result.start_ticks;
  if (steady_ticks > 0 && result.steady_seconds > 0)
    return static_cast<double>(steady_ticks) / result.steady_seconds;
  const double seconds = result.start_seconds + result.steady_seconds;
  return seconds > 0 ? static_cast<double>(result.ticks) / seconds : 0;
}

std::string to_json(const Result& result) {
  const nlohmann::ordered_json json{
      {"network", result.network},
      {"streets", result.streets},
      {"actors", result.actors},
      {"ticks", result.ticks},
      {"seed", result.seed},
      {"start_ticks", result.start_ticks},
      {"start_seconds", result.start_seconds},
      {"steady_seconds", result.steady_seconds},
      {"ticks_per_second", ticks_per_second(result)},
      {"mean_speed_kmh", result.mean_speed},
      {"checksum", hexadecimal(result.checksum)},
  };
  // file names need not be UTF-8
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result from_json(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    Result result;
    json.at("network").get_to(result.network);
    json.at("streets").get_to(result.streets);
    json.at("actors").get_to(result.actors);
    json.at("ticks").get_to(result.ticks);
    json.at("seed").get_to(result.seed);
    json.at("start_ticks").get_to(result.start_ticks);
    json.at("start_seconds").get_to(result.start_seconds);
    json.at("steady_seconds").get_to(result.steady_seconds);
    json.at("mean_speed_kmh").get_to(result.mean_speed);
    const auto checksum = json.at("checksum").get<std::string>();
    const auto read =
        std::from_chars(checksum.data(), checksum.data() + checksum.size(), result.checksum, 16);
    if (read.ec != std::errc() || read.ptr != checksum.data() + checksum.size())
      throw input_error(fmt::format("'{}' is no checksum", checksum));
    return result;
  } catch (const nlohmann::json::exception& error) {
    throw input_error(fmt::format("not a result of this program: {}", error.what()));
  }
}

Progress::Progress(std::int64_t ticks, bool wanted)
    : ticks_(ticks), shown_(wanted && ticks > 0 && isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (shown_)
    fmt::print(stderr, "\r\x1b[K"); // leaves no trace
}

void Progress::show(std::int64_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || (done < ticks_ && now - last_ < std::chrono::milliseconds(50)))
    return;
  last_ = now;
  constexpr int width = 40;
  const int filled = static_cast<int>(width * done / ticks_);
  fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {} of {} ticks", "", filled, "", width - filled, done,
             ticks_);
  std::fflush(stderr);
}

void report(const Result& result, const Options& options) {
  if (!options.json.empty())
    write_file(options.json, to_json(result));
  if (options.checksum)
    fmt::print("{}\n", hexadecimal(result.checksum));
  else if (!options.quiet)
    fmt::print(
        "{}: {} streets, {} actors, {} ticks, seed {}\n"
        "  {:.3f} s for the first {} ticks, {:.3f} s for the others: {:.1f} ticks per second\n"
        "  mean speed {:.2f} km/h, checksum {}\n",
        result.network, result.streets, result.actors, result.ticks, result.seed,
        result.start_seconds, result.start_ticks, result.steady_seconds, ticks_per_second(result),
        result.mean_speed, hexadecimal(result.checksum));
}

void write_file(const std::string& name, const std::string& text) {
  NewFile file(name);
  std::ofstream output(file.path(), std::ios::binary);
  output << text << std::flush;
  if (!output)
    throw std::system_error(errno, std::generic_category(), name);
  output.close();
  file.finish();
}

} // namespace traffic
