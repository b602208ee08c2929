// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An expansion's text is that of its tokens, with a space wherever they did not touch.

#include "HostEdits.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Tooling/Syntax/Tokens.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>

using namespace clang;

namespace ikra {

struct Edits::Expansion {
  FileID File;
  unsigned Begin = 0, End = 0; ///< of the macro with its arguments, in the file
  std::string Text;
  llvm::DenseMap<SourceLocation, std::pair<unsigned, unsigned>> Tokens; ///< of tokens in Text
  std::vector<Replacement> Inside;
};

Edits::Edits(const ASTContext& Ast, const syntax::TokenBuffer& Tokens) : Ast(Ast), Tokens(Tokens) {}
Edits::~Edits() = default;

Edits::Expansion* Edits::expansionAt(SourceLocation Begin) {
  const SourceManager& SM = Ast.getSourceManager();
  std::unique_ptr<Expansion>& Known = Expansions[Begin];
  if (Known)
    return Known.get();
  Known = std::make_unique<Expansion>();
  const syntax::Token* Name = Tokens.spelledTokenContaining(Begin);
  const auto Found = Name ? Tokens.expansionStartingAt(Name) : std::nullopt;
  if (!Found)
    return Known.get();
  const auto [File, Offset] = SM.getDecomposedLoc(Begin);
  Known->File = File;
  Known->Begin = Offset;
  Known->End = SM.getFileOffset(Found->Spelled.back().endLocation());
  SourceLocation Before;
  for (const syntax::Token& T : Found->Expanded) {
    if (Before.isValid() && Before != T.location())
      Known->Text += ' ';
    const auto Start = static_cast<unsigned>(Known->Text.size());
    Known->Text += T.text(SM);
    Known->Tokens[T.location()] = {Start, static_cast<unsigned>(Known->Text.size())};
    Before = T.endLocation();
  }
  return Known.get();
}

Edits::Span Edits::spanOf(SourceRange Range) {
  const SourceManager& SM = Ast.getSourceManager();
  const SourceLocation First = Range.getBegin(), Last = Range.getEnd();
  if (First.isMacroID() && Last.isMacroID() &&
      SM.getExpansionLoc(First) == SM.getExpansionLoc(Last)) {
    Expansion* In = expansionAt(SM.getExpansionLoc(First));
    const unsigned Begin = In->Tokens.lookup(First).first, End = In->Tokens.lookup(Last).second;
    return {&In->Inside, In->File, Begin, End, llvm::StringRef(In->Text).slice(Begin, End)};
  }
  const CharSourceRange Text =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range), SM, Ast.getLangOpts());
  const auto [File, Begin] = SM.getDecomposedLoc(Text.getBegin());
  const unsigned End = SM.getFileOffset(Text.getEnd());
  return {&InFiles, File, Begin, End, SM.getBufferData(File).slice(Begin, End)};
}

void Edits::replace(const Span& At, std::string Text) const {
  At.Into->push_back({At.File, At.Begin, At.End - At.Begin, std::move(Text)});
}

void Edits::insertBefore(const Span& At, std::string Text, std::int64_t Nesting) const {
  At.Into->push_back({At.File, At.Begin, 0, std::move(Text), Nesting});
}

void Edits::insertAfter(const Span& At, std::string Text, std::int64_t Nesting) const {
  At.Into->push_back({At.File, At.End, 0, std::move(Text), Nesting});
}

std::vector<Replacement> Edits::take() {
  for (auto& [Begin, In] : Expansions) {
    std::string Text =
        applied(In->Text, std::move(In->Inside), [](unsigned) { return std::string(); });
    if (!llvm::StringRef(Text).contains("\n#"))
      std::replace(Text.begin(), Text.end(), '\n', ' '); // of captures' initialisers
    InFiles.push_back({In->File, In->Begin, In->End - In->Begin, std::move(Text)});
  }
  Expansions.clear();
  return std::move(InFiles);
}

} // namespace ikra
