// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Terminals are written to with the two control sequences that all of them know: back to the start
// of the line, and erase what is right of here.
#include "progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace ikra::datalog {

std::string text_of(const run_progress& now, const std::vector<std::string>& names) {
  constexpr std::size_t width = 79;
  char start[64];
  std::snprintf(start, sizeof start, "%.1f s, stratum %u, iteration %llu", now.seconds, now.stratum,
                static_cast<unsigned long long>(now.iteration));
  std::string text = start;
  for (const run_progress::change& change : now.changes)
    text += ", " + names[change.relation] + " +" + std::to_string(change.added) + " = " +
            std::to_string(change.size);
  if (text.size() > width)
    text = text.substr(0, width - 3) + "...";
  return text;
}

progress_line::progress_line(std::vector<std::string> names)
    : names_(std::move(names)), wanted_(isatty(STDERR_FILENO) == 1),
      next_(clock::now() + std::chrono::seconds(1)) {}

progress_line::~progress_line() {
  if (shown_)
    std::cerr << "\r\033[K" << std::flush;
}

void progress_line::show(const run_progress& now) {
  const bool is_long = !shown_ && now.iteration >= many;
  if (!wanted_ || (clock::now() < next_ && !is_long))
    return;
  std::cerr << '\r' << text_of(now, names_) << "\033[K" << std::flush;
  shown_ = true;
  next_ = clock::now() + std::chrono::milliseconds(100);
}

} // namespace ikra::datalog
