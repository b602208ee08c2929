// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user sees of a run: a progress bar while it lasts, a summary or JSON after it.
#pragma once

#include "options.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace traffic {

struct Result {
  std::string network;
  std::uint64_t streets = 0;
  std::uint64_t actors = 0;
  std::int64_t ticks = 0;
  std::uint64_t seed = 0;
  double start_seconds = 0; // the first period of weather: tracing, copying, warming up
  double steady_seconds = 0;
  std::int64_t start_ticks = 0;
  double mean_speed = 0; // km/h
  std::uint64_t checksum = 0;
};

// Ticks per second after the first period of weather, or over all where there is no more.
double ticks_per_second(const Result& result);

std::string to_json(const Result& result);
// Throws input_error where the text is not what to_json makes.
Result from_json(const std::string& text);

// A progress bar on stderr, if that is a terminal and the user wants one.
class Progress {
public:
  Progress(std::int64_t ticks, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::int64_t done);

private:
  std::int64_t ticks_;
  bool shown_;
  std::chrono::steady_clock::time_point last_{};
};

// Prints the result as the options ask for it and writes the JSON file. Throws std::system_error.
void report(const Result& result, const Options& options);

// Replaces a file by the text, whole or not at all. Throws std::system_error.
void write_file(const std::string& name, const std::string& text);

} // namespace traffic
