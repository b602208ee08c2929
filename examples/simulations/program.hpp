// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the simulations share: numbers and names of files on the command line, checks of results,
// and the error messages of main().
#pragma once

#include <ikra/ikra.hpp>

#include <charconv>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simulations {

/// A number that the user may give, `--name N`.
struct number_option {
  std::string name;
  long value; ///< if it is not given
  long least, most;
};

/// Options of a program: numbers, and files, among them `--picture FILE`.
class options {
public:
  /// \param files names of options, each with a file's name as its value
  /// \throws std::invalid_argument with the usage if an argument is none of the options
  options(int argc, char** argv, const std::vector<number_option>& numbers,
          const std::vector<std::string>& files) {
    std::string usage = std::string("usage: ") + argv[0];
    for (const number_option& of : numbers) {
      usage += " [--" + of.name + " N]";
      values_[of.name] = of.value;
    }
    for (const std::string& name : files) {
      usage += " [--" + name + " FILE]";
      files_[name];
    }
    usage += " [--picture FILE.png]";
    files_["picture"];
    for (int i = 1; i < argc; i += 2) {
      const std::string_view name = argv[i];
      if (i + 1 == argc || !name.starts_with("--"))
        throw std::invalid_argument(usage);
      if (const auto file = files_.find(std::string(name.substr(2))); file != files_.end())
        file->second = argv[i + 1];
      else
        set(name.substr(2), argv[i + 1], numbers, usage);
    }
  }

  long operator[](const std::string& name) const { return values_.at(name); }
  /// Name of a file; empty if it is not given.
  const std::string& file(const std::string& name) const { return files_.at(name); }
  const std::string& picture() const { return file("picture"); }

private:
  void set(std::string_view name, std::string_view text, const std::vector<number_option>& numbers,
           const std::string& usage) {
    for (const number_option& of : numbers) {
      if (of.name != name)
        continue;
      long value = 0;
      const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (failure != std::errc() || end != text.data() + text.size() || value < of.least ||
          value > of.most)
        throw std::invalid_argument("--" + of.name + " is a number from " +
                                    std::to_string(of.least) + " to " + std::to_string(of.most) +
                                    ", not '" + std::string(text) + "'");
      values_[of.name] = value;
      return;
    }
    throw std::invalid_argument(usage);
  }

  std::map<std::string, long> values_;
  std::map<std::string, std::string> files_;
};

/// \throws std::runtime_error if a simulation's result is not as it has to be
inline void check(bool holds, const char* what) {
  if (!holds)
    throw std::runtime_error(std::string("wrong result: ") + what);
}

/// main() of a simulation. \returns 0, 2 for a wrong option, 1 if anything else fails
template <class Run>
int run_program(int argc, char** argv, const std::vector<number_option>& numbers, Run run,
                const std::vector<std::string>& files = {}) {
  try {
    run(options(argc, argv, numbers, files));
    return 0;
  } catch (const std::invalid_argument& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    return 2;
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "%s: %s\n", argv[0], failed.what());
    return 1;
  }
}

} // namespace simulations
