// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of Soufflé's command line that ikra-datalog has no use for, so that scripts which call
// Soufflé run: those that change no answer are ignored with a warning, the others are refused with
// what to do in their place. Relies on CLI11.
#pragma once

#include <memory>
#include <string>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): CLI11's
namespace CLI {
class App;
} // namespace CLI
// NOLINTEND(readability-identifier-naming)

namespace ikra::datalog {

class souffle_options {
public:
  /// Adds them to a command line, where its help does not show them.
  explicit souffle_options(CLI::App& app);

  /// The options that were given and are ignored, as they are called.
  const std::vector<std::string>& ignored() const { return *ignored_; }

private:
  std::shared_ptr<std::vector<std::string>> ignored_;
};

} // namespace ikra::datalog
