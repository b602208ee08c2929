// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each build runs as a process of its own with IKRA_DEVICE set, and leaves its result as JSON in a
// temporary folder.
#include "compare.hpp"

#include "report.hpp"
#include "roads.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace traffic {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

class TemporaryFolder {
public:
  TemporaryFolder() : path_((fs::temp_directory_path() / "traffic-XXXXXX").string()) {
    if (!mkdtemp(path_.data()))
      fail(errno, path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored; // nothing depends on it
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings)
    result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::string& name, const std::string& value) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable; ++variable)
    if (!std::string_view(*variable).starts_with(name + "="))
      result.emplace_back(*variable);
  result.push_back(name + "=" + value);
  return result;
}

// Runs a program with its messages in a file, and waits for its status.
int run(const std::vector<std::string>& command, const std::string& device,
        const std::string& messages) {
  std::vector<std::string> arguments = command,
                           environment = environment_with("IKRA_DEVICE", device);
  posix_spawn_file_actions_t files;
  if (const int error = posix_spawn_file_actions_init(&files))
    fail(error, command[0]);
  pid_t process = 0;
  int error = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, messages.c_str(),
                                               O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (error == 0)
    error = posix_spawn(&process, command[0].c_str(), &files, nullptr,
                        pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&files);
  if (error)
    fail(error, command[0]);
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR)
      fail(errno, command[0]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string contents(const std::string& file) {
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

struct Build {
  std::string name, program, device;
  bool optional;
};

} // namespace

bool compare_builds(const Options& options) {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  const Build builds[] = {{"plain", here / "traffic-plain", "cpu", false},
                          {"cpu", here / "traffic", "cpu", false},
                          {"cuda", here / "traffic", "cuda", true}};
  const TemporaryFolder folder;
  std::string json;
  bool agree = true;
  std::uint64_t reference = 0;
  double slowest = 0;
  fmt::print("{:<6} {:>12} {:>14} {:>10}  {:<16}\n", "build", "start, s", "ticks/s", "speed-up",
             "checksum");
  for (const Build& build : builds) {
    std::vector<std::string> command{build.program};
    const auto arguments = arguments_of(options);
    command.insert(command.end(), arguments.begin(), arguments.end());
    const std::string result_file = folder.file(build.name + ".json");
    const std::string messages = folder.file(build.name + ".messages");
    command.insert(command.end(), {"--quiet", "--json", result_file});
    const int status = run(command, build.device, messages);
    if (status == status_no_device && build.optional) {
      fmt::print("{:<6} not run: {}", build.name, contents(messages));
      continue;
    }
    if (status != 0)
      throw input_error(fmt::format("the {} build ended with status {}: {}", build.name, status,
                                    contents(messages)));
    const Result result = from_json(contents(result_file));
    const bool first = &build == builds;
    if (first) {
      reference = result.checksum;
      slowest = ticks_per_second(result);
    }
    const bool same = result.checksum == reference;
    agree = agree && same;
    fmt::print("{:<6} {:>12.3f} {:>14.1f} {:>9.1f}x  {:016x}{}\n", build.name, result.start_seconds,
               ticks_per_second(result), slowest > 0 ? ticks_per_second(result) / slowest : 0.0,
               result.checksum, same ? "" : "  differs");
    json += fmt::format("{}\"{}\": {}", json.empty() ? "" : ", ", build.name, to_json(result));
  }
  fmt::print("{}\n", agree ? "All agree." : "The builds do not agree.");
  if (!options.json.empty())
    write_file(options.json, "{" + json + "}\n");
  return agree;
}

} // namespace traffic
