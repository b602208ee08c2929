// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The user's text, rewritten: sections' lambdas become calls of ikra::make_section, and includes
// that are found beside their file become absolute, since the emitted file stands elsewhere. Lines
// stay where they are.

#ifndef IKRA_EMIT_HOST_HOSTTEXT_H
#define IKRA_EMIT_HOST_HOSTTEXT_H

#include "Model/ProgramModel.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/PPCallbacks.h"

#include <string>
#include <vector>

namespace ikra {

/// One #include directive of a file that is no system header.
struct Inclusion {
  clang::FileID Includer;
  unsigned Offset = 0; ///< of the file name with its quotes
  unsigned Length = 0;
  std::string Path;    ///< absolute, of the file that was found
  bool Beside = false; ///< found relative to the including file
};

/// Listens to the preprocessor and keeps its inclusions.
class IncludeRecorder : public clang::PPCallbacks {
public:
  IncludeRecorder(const clang::SourceManager& SM, std::vector<Inclusion>& Out) : SM(SM), Out(Out) {}

  void InclusionDirective(clang::SourceLocation HashLoc, const clang::Token& IncludeTok,
                          llvm::StringRef FileName, bool IsAngled,
                          clang::CharSourceRange FilenameRange, clang::OptionalFileEntryRef File,
                          llvm::StringRef SearchPath, llvm::StringRef RelativePath,
                          const clang::Module* SuggestedModule, bool ModuleImported,
                          clang::SrcMgr::CharacteristicKind FileType) override;

private:
  const clang::SourceManager& SM;
  std::vector<Inclusion>& Out;
};

/// Text to put in place of a range of a file.
struct Replacement {
  clang::FileID File;
  unsigned Offset;
  unsigned Length;
  std::string Text;
  /// The order of replacements at one place; real ones come after insertions.
  std::int64_t Nesting = INT64_MAX;
};

/// \p Text with all replacements made, with as many lines as before.
/// \param LineOf the directive that gives the line at an offset its number, after what adds lines
std::string applied(llvm::StringRef Text, std::vector<Replacement> Edits,
                    llvm::function_ref<std::string(unsigned)> LineOf);

/// Prints what \p Edits make of the files: a line for each, by place.
void print(const clang::SourceManager& SM, std::vector<Replacement> Edits, llvm::raw_ostream& OS);

struct RewrittenFile {
  std::string Path; ///< where it has to be written; empty for the main file
  std::string Text;
};

/// The main file, and the headers that hold replacements or include such headers, rewritten into \p
/// OverlayPath. The main file comes last.
std::vector<RewrittenFile> rewrite(const clang::SourceManager& SM,
                                   std::vector<Replacement> Replacements,
                                   const std::vector<Inclusion>& Includes,
                                   llvm::StringRef OverlayPath);

} // namespace ikra

#endif
