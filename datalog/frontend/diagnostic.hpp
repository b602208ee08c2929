// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about a program, collected and printed in Soufflé's format: severity, text, file and
// line, then the line and a ruler with a caret. Relies on source.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "datalog/frontend/source.hpp"

namespace ikra::datalog {

enum class severity { error, warning };

/// One sentence about one place; without a place it is about the whole program.
struct remark {
  std::string text;
  std::optional<location> where;
};

/// A message with what explains it.
struct diagnostic {
  severity level = severity::error;
  remark primary;
  std::vector<remark> notes;
};

/// All that was said about a program. Equal messages are kept once; they are printed in the order
/// of their places.
class diagnostics {
public:
  void error(std::string text, location where, std::vector<remark> notes = {});
  void error(std::string text, std::vector<remark> notes = {});
  void warning(std::string text, location where);

  std::size_t errors() const noexcept { return errors_; }
  bool empty() const noexcept { return messages_.empty(); }
  /// All messages, in the order of their places.
  const std::vector<diagnostic>& all() const noexcept { return messages_; }

  /// Writes every message; with errors, a line that counts them.
  /// \param warnings whether warnings are printed, too
  void print(std::ostream& out, const source_text& source, bool warnings = true) const;

private:
  void add(diagnostic message);

  std::vector<diagnostic> messages_; // sorted
  std::size_t errors_ = 0;
};

} // namespace ikra::datalog
