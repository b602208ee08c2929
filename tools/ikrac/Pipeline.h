// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One translation unit through all stages.

#ifndef IKRA_TOOLS_PIPELINE_H
#define IKRA_TOOLS_PIPELINE_H

#include <string>
#include <vector>

namespace ikra {

enum class Print { Nothing, Model, Bodies, Fusion, FusionDot, Layout, Edits };

struct Job {
  std::string Source;
  std::vector<std::string> Flags; ///< for the compiler
  std::string Output;             ///< "-" for standard output
  std::string Depfile;            ///< empty for none
  std::string Overlay;            ///< folder for rewritten headers
  bool Precompiles = false;       ///< Source is a header, precompiled to Output
  bool Checks = false;            ///< device code looks at uses that C++ leaves undefined
  std::string Precompiled;        ///< read before Source where the flags agree; empty for none
  Print Stage = Print::Nothing;   ///< print this stage's result instead of emitting
};

/// \returns the process's exit code: 0, or 1 if an error was reported.
int runPipeline(const Job& Work);

} // namespace ikra

#endif
