// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What benchmarks write: where, when and of which commit something was measured, and the file that
// says so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace benchmark {

/// \param samples at least one
inline double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

/// The processor's name, and how many threads OpenMP takes.
inline std::string cpu_name() {
  std::ifstream cpus("/proc/cpuinfo");
  std::string name = "CPU";
  for (std::string line; std::getline(cpus, line);)
    if (line.starts_with("model name")) {
      name = line.substr(line.find(':') + 2);
      break;
    }
  const char* const wanted = std::getenv("OMP_NUM_THREADS");
  const std::string threads =
      wanted != nullptr ? wanted : std::to_string(std::thread::hardware_concurrency());
  return fmt::format("{}, {} thread{}", name, threads, threads == "1" ? "" : "s");
}

/// The head of a result file: what was run where, now. $IKRA_COMMIT goes before the commit that was
/// built. \param device cpu or cuda \param machine its name
inline nlohmann::ordered_json head(const char* benchmark, const std::string& device,
                                   const std::string& machine, int repeats,
                                   const char* built_commit) {
  const std::time_t now = std::time(nullptr);
  char date[sizeof "2000-01-01T00:00:00Z"];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  const char* const commit = std::getenv("IKRA_COMMIT");
  return {{"benchmark", benchmark},
          {"machine", machine},
          {"device", device},
          {"date", date},
          {"commit", commit != nullptr ? commit : built_commit},
          {"repeats", repeats}};
}

/// Writes results to `file`; where that is empty, to bench_NAME-DEVICE.json in the folder $OUT, or
/// in the build folder. \throws std::runtime_error if it cannot
inline void write(const nlohmann::ordered_json& results, std::string file,
                  const char* build_folder) {
  if (file.empty()) {
    const char* const folder = std::getenv("OUT");
    file = fmt::format("{}/bench_{}-{}.json", folder != nullptr ? folder : build_folder,
                       results.at("benchmark").get<std::string>(),
                       results.at("device").get<std::string>());
  }
  std::ofstream out(file);
  out << results.dump(2) << '\n';
  if (!out.flush())
    throw std::runtime_error("cannot write " + file);
}

} // namespace benchmark
