// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros of the program, and of headers that it includes, may have the names that emitted code
// uses: `w`, `self`, `run`. They are put aside where such text stands, and nowhere else.

#ifndef IKRA_EMIT_HOST_HOSTMACROS_H
#define IKRA_EMIT_HOST_HOSTMACROS_H

#include "llvm/ADT/StringRef.h"

#include <set>
#include <string>

namespace clang {
class Preprocessor;
} // namespace clang

namespace ikra {

/// Names of macros, without ikra's own and those that are reserved.
struct MacroNames {
  std::set<std::string> InCommand =
      {}; ///< of the command and files that it includes, in front of all text
  std::set<std::string> Anywhere = {}; ///< of the program's text, wherever they hold
  std::set<std::string> AtEnd = {};    ///< after the program's text

  static MacroNames of(const clang::Preprocessor& PP);
};

/// Those of \p Macros that \p Text, C++, would have expanded.
std::set<std::string> macrosIn(llvm::StringRef Text, const std::set<std::string>& Macros);

/// Directives, each a line: what \p Macros are is kept and taken away, and given back.
std::string putAside(const std::set<std::string>& Macros);
std::string giveBack(const std::set<std::string>& Macros);

} // namespace ikra

#endif
