// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that count, by number: a command has room for a number alone.
#include <ikra/generated/turns/turn_counter.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace ikra::rt {

namespace {

/// Never destroyed: arrays in static storage may fail after it would be.
struct numbered_loops {
  std::mutex mutex;
  std::vector<std::string> places; ///< copies: a library may be unloaded
};
numbered_loops& all_numbered() {
  static numbered_loops& instance = *new numbered_loops;
  return instance;
}

} // namespace

numbered_loop::numbered_loop(const char* file, unsigned line) : number_(0) {
  numbered_loops& all = all_numbered();
  const std::lock_guard lock(all.mutex);
  if (all.places.size() == ikra::detail::loop_turn::most_loops)
    return;
  all.places.push_back(std::string(file) + ":" + std::to_string(line));
  number_ = static_cast<std::uint32_t>(all.places.size());
}

std::string where_and_when(const section_info& section) {
  const ikra::detail::loop_turn now = ikra::detail::current_turn();
  if (now.number == 0)
    return section.where();
  numbered_loops& all = all_numbered();
  const std::lock_guard lock(all.mutex);
  return section.where() +
         (now.number == ikra::detail::loop_turn::unknown
              ? ", in a turn"
              : ", in turn " + std::to_string(now.number)) +
         " of the loop at " + all.places.at(now.loop - 1);
}

} // namespace ikra::rt
