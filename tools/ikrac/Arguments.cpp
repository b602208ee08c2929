// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags come from a target whose compiler is g++ or nvcc. ikrac parses plain C++ and produces no
// object code, so it keeps what decides what a program means, and drops the rest. What clang knows
// of flags is asked of its own table; only what nvcc means otherwise is listed here.

#include "Arguments.h"

#include "clang/Basic/LangStandard.h"
#include "clang/Driver/Options.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

#include <algorithm>
#include <iterator>

namespace options = clang::driver::options;

namespace ikra {

/// Flags of nvcc that name what clang has under another name.
struct Spelling {
  const char* Nvcc;
  const char* Clang;
};
static const Spelling Renamed[] = {{"--include-path", "-I"},
                                   {"--system-include", "-isystem"},
                                   {"--pre-include", "-include"},
                                   {"-std", "-std="}};

/// Flags of nvcc with a value after them as an argument of its own that may look like a flag.
static bool takesAnyValue(llvm::StringRef Flag) {
  static const char* const Known[] = {
      "-Xcompiler",       "-Xptxas",          "-Xnvlink",          "-Xarchive",
      "-Xcudafe",         "-Xfatbin",         "-Xopencc",          "--compiler-options",
      "--ptxas-options",  "--nvlink-options", "--archive-options", "--linker-options",
      "--fatbin-options", "--cudafe-options"};
  return llvm::is_contained(Known, Flag);
}

/// The flags as clang's table is to see them.
static std::vector<std::string> spelledForClang(const std::vector<std::string>& Given) {
  std::vector<std::string> Out;
  for (std::size_t I = 0; I < Given.size(); ++I) {
    const llvm::StringRef Flag = Given[I];
    if (takesAnyValue(Flag)) {
      ++I;
      continue;
    }
    if (Flag == "-G") // of nvcc: code to be debugged; of clang a flag with a value
      continue;
    const auto [Name, Value] = Flag.split('=');
    const auto* It = llvm::find_if(Renamed, [&](const Spelling& S) {
      return Name == S.Nvcc && (Flag == Name || Name.starts_with("--"));
    });
    if (It == std::end(Renamed)) {
      Out.push_back(Flag.str());
    } else if (Name != Flag || I + 1 < Given.size()) {
      const std::string Of = Name == Flag ? Given[++I] : Value.str();
      if (llvm::StringRef(It->Clang).ends_with("=")) {
        Out.push_back(It->Clang + Of);
      } else {
        Out.emplace_back(It->Clang);
        Out.push_back(Of);
      }
    }
  }
  return Out;
}

/// True for flags that may change what the program means: macros, folders of headers, the language
/// and the machine.
static bool decidesMeaning(const llvm::opt::Arg& A) {
  const llvm::opt::Option Of = A.getOption();
  const auto IsOneOf = [&](auto... Ids) { return (Of.matches(Ids) || ...); };
  // OpenMP concerns how the emitted file is compiled; modules, plugins and profiles are those of
  // g++; the rest is about output.
  static const char* const Dropped[] = {"-fopenmp",
                                        "-fmodule",
                                        "-fplugin",
                                        "-fpass-plugin",
                                        "-fprofile",
                                        "-fcoverage",
                                        "-fcs-profile",
                                        "-ftime-",
                                        "-fsave-optimization-record",
                                        "-femit-",
                                        "-fthinlto",
                                        "-flto",
                                        "-fembed-",
                                        "-fcrash-diagnostics",
                                        "-foffload"};
  const llvm::StringRef Text = A.getSpelling();
  if (llvm::any_of(Dropped, [&](llvm::StringRef Start) { return Text.starts_with(Start); }) ||
      IsOneOf(options::OPT_M_Group, options::OPT_fsyntax_only, options::OPT_H,
              options::OPT_include_pch) ||
      (Of.matches(options::OPT_Wp_COMMA) && llvm::StringRef(A.getValue()).starts_with("-M")))
    return false;
  return IsOneOf(options::OPT_Preprocessor_Group, options::OPT_f_Group, options::OPT_m_Group,
                 options::OPT_O_Group, options::OPT_std_EQ, options::OPT_pthread,
                 options::OPT_nostdinc, options::OPT_nostdincxx, options::OPT_nostdlibinc,
                 options::OPT__sysroot_EQ, options::OPT__sysroot, options::OPT_target,
                 options::OPT_stdlib_EQ, options::OPT_gcc_toolchain,
                 options::OPT_gcc_install_dir_EQ, options::OPT_trigraphs, options::OPT_undef,
                 options::OPT_Xclang);
}

std::vector<std::string> parsingFlags(const std::vector<std::string>& Given, std::string& Refused) {
  const std::vector<std::string> Flags = spelledForClang(Given);
  std::vector<const char*> Pointers;
  for (const std::string& Flag : Flags)
    Pointers.push_back(Flag.c_str());
  unsigned MissingAt = 0, Missing = 0;
  const llvm::opt::InputArgList Parsed = clang::driver::getDriverOptTable().ParseArgs(
      Pointers, MissingAt, Missing, llvm::opt::Visibility(options::ClangOption));

  std::vector<std::string> Out{"-xc++"};
  if (const llvm::opt::Arg* Standard = Parsed.getLastArg(options::OPT_std_EQ, options::OPT_ansi)) {
    const llvm::StringRef Name =
        Standard->getNumValues() == 0 ? llvm::StringRef() : Standard->getValue();
    const clang::LangStandard::Kind Kind = clang::LangStandard::getLangKind(Name);
    if (Kind == clang::LangStandard::lang_unspecified ||
        !clang::LangStandard::getLangStandardForKind(Kind).isCPlusPlus20())
      Refused = Standard->getAsString(Parsed);
  } else {
    Out.emplace_back("-std=c++20");
  }
  for (const llvm::opt::Arg* A : Parsed) {
    if (!decidesMeaning(*A))
      continue;
    llvm::opt::ArgStringList Rendered;
    A->render(Parsed, Rendered);
    Out.insert(Out.end(), Rendered.begin(), Rendered.end());
  }
  Out.emplace_back("-fsyntax-only");
  // What g++ warns about is the host compiler's business.
  Out.emplace_back("-w");
  Out.emplace_back("-D__IKRAC__=1");
  Out.emplace_back("-resource-dir=" IKRA_CLANG_RESOURCE_DIR);
  return Out;
}

} // namespace ikra
