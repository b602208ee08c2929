// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikrac: reads a C++ file with parallel sections and writes a .cu file.

#include "Arguments.h"
#include "Pipeline.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace cl = llvm::cl;

namespace {
cl::OptionCategory Category("ikrac options");
cl::opt<std::string> Source(cl::Positional, cl::desc("<source>"), cl::Required, cl::cat(Category));
cl::opt<std::string> OutputPath("o",
                                cl::desc("Emitted file (default: <source> with .ikra.cu in place "
                                         "of its ending; - for standard output)"),
                                cl::value_desc("file"), cl::cat(Category));
cl::opt<std::string> Depfile("depfile", cl::desc("Write the files read as a Makefile rule"),
                             cl::value_desc("file"), cl::cat(Category));
cl::opt<std::string>
    Overlay("overlay", cl::desc("Folder for rewritten headers (default: <emitted file>.headers)"),
            cl::value_desc("folder"), cl::cat(Category));
cl::opt<bool> Precompiles("precompile",
                          cl::desc("Precompile <source>, a header, to the file of -o, for "
                                   "--precompiled and the same compiler flags"),
                          cl::cat(Category));
cl::opt<std::string> Precompiled(
    "precompiled",
    cl::desc("Read this precompiled header before the source, if the flags are its own"),
    cl::value_desc("file"), cl::cat(Category));
cl::opt<bool> Checks("check",
                     cl::desc("Emit code that looks at each index, pointer, division and shift, "
                              "and reports what is wrong by an exception"),
                     cl::cat(Category));
cl::opt<ikra::Print> PrintStage(
    "print", cl::desc("Print what a stage decided, and emit nothing:"),
    cl::values(
        clEnumValN(ikra::Print::Nothing, "none", "emit code (default)"),
        clEnumValN(ikra::Print::Model, "model", "sections, classes, functions, members used"),
        clEnumValN(ikra::Print::Bodies, "bodies", "what the functions of device code do"),
        clEnumValN(ikra::Print::Fusion, "fusion",
                   "which sections share a kernel, and why others do not"),
        clEnumValN(ikra::Print::FusionDot, "fusion-dot", "the same as a graph, to be drawn by dot"),
        clEnumValN(ikra::Print::Layout, "layout", "columns, and what is uploaded and brought back"),
        clEnumValN(ikra::Print::Edits, "edits",
                   "what stands in the emitted file in place of the program's text")),
    cl::init(ikra::Print::Nothing), cl::cat(Category));

/// The first argument that looks like an option and is none of ikrac's.
const char* unknownOption(llvm::ArrayRef<const char*> Arguments) {
  for (const char* Argument : Arguments) {
    const llvm::StringRef Name = llvm::StringRef(Argument).ltrim('-').split('=').first;
    const bool IsOption = Argument[0] == '-' && !Name.empty();
    if (IsOption && !cl::getRegisteredOptions().contains(Name))
      return Argument;
  }
  return nullptr;
}
} // namespace

int main(int argc, const char** argv) {
  llvm::InitLLVM Init(argc, argv);
  // Everything after -- is the compiler's.
  const char** const Separator =
      std::find_if(argv, argv + argc, [](llvm::StringRef A) { return A == "--"; });
  llvm::BumpPtrAllocator Allocator;
  llvm::StringSaver Saver(Allocator);
  llvm::SmallVector<const char*, 64> Flags(Separator == argv + argc ? argv + argc : Separator + 1,
                                           argv + argc);
  cl::ExpandResponseFiles(Saver, cl::TokenizeGNUCommandLine, Flags);

  if (const char* Unknown = unknownOption(llvm::ArrayRef(argv, Separator).drop_front())) {
    llvm::errs() << "ikrac: error: '" << Unknown
                 << "' is no option of ikrac; compiler flags stand after --, as in\n"
                 << "  ikrac [options] <source> -- -std=c++20 -I<folder>\n";
    return 1;
  }
  cl::HideUnrelatedOptions(Category);
  cl::SetVersionPrinter([](llvm::raw_ostream& OS) { OS << "ikrac " IKRA_VERSION "\n"; });
  cl::ParseCommandLineOptions(
      static_cast<int>(Separator - argv), argv,
      "ikrac: compiles the parallel sections of a C++ file for GPUs and all cores\n\n"
      "Compiler flags (-I, -D, -std, …, or @file) stand after --.\n");

  ikra::Job Work;
  Work.Source = Source;
  std::string Refused;
  Work.Flags = ikra::parsingFlags({Flags.begin(), Flags.end()}, Refused);
  if (!Refused.empty()) {
    llvm::errs() << "ikrac: error: ikra needs C++20 or newer: write -std=c++20 in place of '"
                 << Refused << "'\n";
    return 1;
  }
  Work.Output = OutputPath;
  if (Work.Output.empty()) {
    llvm::SmallString<256> Path(Work.Source);
    llvm::sys::path::replace_extension(Path, Precompiles ? "hpp.pch" : "ikra.cu");
    Work.Output = std::string(Path);
  }
  Work.Depfile = Depfile;
  Work.Overlay = Overlay.empty() ? (Work.Output == "-" ? Work.Source : Work.Output) + ".headers"
                                 : std::string(Overlay);
  Work.Precompiles = Precompiles;
  Work.Precompiled = Precompiled;
  Work.Checks = Checks;
  Work.Stage = PrintStage;
  return ikra::runPipeline(Work);
}
