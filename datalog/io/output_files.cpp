// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link is followed step by step, because what /proc shows as links (the files that a process has
// open, /dev/stdout among them) are none: what they name may be a pipe, or be in use.
#include "datalog/io/output_files.hpp"

#include <unistd.h>

#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>

#include "datalog/io/formats.hpp"
#include "datalog/io/partial_file.hpp"

namespace ikra::datalog {
namespace {

namespace fs = std::filesystem;

constexpr int max_links = 40; // as Linux has it

fs::path folder_of(const fs::path& path) {
  std::error_code ignored;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path{"."};
  fs::path found = fs::weakly_canonical(folder, ignored);
  return found.empty() ? folder : found;
}

// Which file of this process it is; -1 for others.
int descriptor_of(const fs::path& path) {
  if (folder_of(path) != "/proc/" + std::to_string(::getpid()) + "/fd")
    return -1;
  const std::string name = path.filename().string();
  int number = -1;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

bool is_below_proc(const fs::path& folder) {
  if (!folder.is_absolute())
    return false;
  const auto part = std::next(folder.begin()); // after the root
  return part != folder.end() && *part == "proc";
}

[[noreturn]] void fail(const fs::path& path, const std::string& problem) {
  throw io_error("Error: cannot write " + path.string() + ": " + problem);
}

} // namespace

std::string io::in_folder(const std::string& folder, const std::string& name) {
  return fs::path{name}.is_absolute() || folder.empty() ? name : (fs::path{folder} / name).string();
}

output_place place_of(const std::string& path) {
  fs::path at = path;
  std::error_code problem;
  for (int links = 0; fs::is_symlink(fs::symlink_status(at, problem)); ++links) {
    if (links == max_links)
      fail(path, "too many symbolic links");
    if (is_below_proc(folder_of(at)))
      return {at, true, true, descriptor_of(at)};
    const fs::path next = fs::read_symlink(at, problem);
    if (problem)
      fail(path, problem.message());
    at = at.parent_path() / next; // which is next where that is absolute
  }
  const fs::file_status is = fs::status(at, problem);
  if (fs::is_directory(is))
    fail(path, "it is a folder");
  if (fs::exists(is) && !fs::is_regular_file(is))
    return {at, true, fs::is_character_file(is), -1};
  return {folder_of(at) / at.filename(), false, false, -1};
}

output_files::output_files(std::string folder) : folder_(std::move(folder)) {}

output_files::~output_files() = default;

output_file output_files::add(const std::string& name) {
  const std::string path = io::in_folder(folder_, name);
  const output_place place = place_of(path);
  if (place.is_stream)
    return {place.target.string(), path, place};
  for (const auto& known : pending_)
    if (known->target() == place.target)
      return {known->path(), path, place};
  try {
    pending_.push_back(std::make_unique<io::partial_file>(place.target));
  } catch (const fs::filesystem_error& problem) {
    fail(path, problem.code().message());
  }
  return {pending_.back()->path(), path, place};
}

void output_files::commit() {
  const io::deferred_signals together;
  for (const auto& file : pending_) {
    try {
      file->commit();
    } catch (const fs::filesystem_error& problem) {
      fail(file->target(), problem.code().message());
    }
  }
  pending_.clear();
}

} // namespace ikra::datalog
