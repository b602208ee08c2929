// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags come from a target whose compiler is g++ or nvcc. ikrac parses plain C++ and produces no
// object code, so it keeps what decides what a program means, and drops the rest.

#include "Arguments.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <iterator>

namespace ikra {

/// Flags of g++ and nvcc that clang refuses. A trailing '=' matches any value.
static const char* const Unknown[] = {
    "-fmodules-ts",
    "-fmodule-mapper=",
    "-fdeps-format=",
    "-fconcepts-diagnostics-depth=",
    "--expt-relaxed-constexpr",
    "-expt-relaxed-constexpr",
    "--extended-lambda",
    "-extended-lambda",
    "--generate-code=",
    "-gencode=",
    "-arch=",
    "--gpu-architecture=",
    "-forward-unknown-to-host-compiler",
    "-lineinfo",
    "--generate-line-info",
    "-fmad=",
    "--fmad=",
    "-use_fast_math",
    "--use_fast_math",
    "-cudart=",
    "--cudart=",
    "-rdc=",
    "--relocatable-device-code=",
    "-G",
    "-fno-var-tracking-assignments",
    "-fanalyzer",
    "-flto-partition=",
    "-ffat-lto-objects",
    "-fopenmp",
    "-Winvalid-pch",
};
/// The same with a value behind them as an argument of its own.
static const char* const UnknownWithValue[] = {
    "-Xcompiler", "-Xptxas", "-Xcudafe",  "-Xlinker", "-gencode",
    "-arch",      "-cudart", "--threads", "-ccbin",   "--diag-suppress"};
/// Flags about output, known to clang but of no use here.
static const char* const Output[] = {"-c", "-S", "-E", "-MD", "-MMD", "-MP", "-MG"};
static const char* const OutputWithValue[] = {"-o", "-MF", "-MT", "-MQ", "-x"};

template <std::size_t N> static bool contains(const char* const (&Table)[N], llvm::StringRef Flag) {
  return std::any_of(std::begin(Table), std::end(Table), [&](llvm::StringRef Entry) {
    return Entry.ends_with("=") ? Flag.starts_with(Entry) : Flag == Entry;
  });
}

std::vector<std::string> parsingFlags(const std::vector<std::string>& Given) {
  std::vector<std::string> Out{"-xc++"};
  bool HasStandard = false;
  for (std::size_t I = 0; I < Given.size(); ++I) {
    const llvm::StringRef Flag = Given[I];
    if (Flag.empty() || contains(Unknown, Flag) || contains(Output, Flag) ||
        Flag.starts_with("-Xcompiler=") || Flag.starts_with("-x"))
      continue;
    if (contains(UnknownWithValue, Flag) || contains(OutputWithValue, Flag)) {
      ++I;
      continue;
    }
    HasStandard |= Flag.starts_with("-std=") || Flag.starts_with("--std=");
    Out.push_back(Flag.str());
  }
  if (!HasStandard)
    Out.emplace_back("-std=c++20");
  Out.emplace_back("-fsyntax-only");
  // What g++ warns about is the host compiler's business; warnings of g++ that clang lacks are
  // nobody's.
  Out.emplace_back("-w");
  Out.emplace_back("-Wno-unknown-warning-option");
  Out.emplace_back("-D__IKRAC__=1");
  Out.emplace_back("-resource-dir=" IKRA_CLANG_RESOURCE_DIR);
  return Out;
}

} // namespace ikra
