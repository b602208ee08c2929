// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where replacements of the user's text go. What a macro expands to stands in no file: a macro that
// holds a section is replaced by the text of its expansion, and that text is edited. Relies on the
// tokens that the preprocessor gave.

#ifndef IKRA_EMIT_HOST_HOSTEDITS_H
#define IKRA_EMIT_HOST_HOSTEDITS_H

#include "HostText.h"

#include "clang/Basic/SourceLocation.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace clang {
class ASTContext;
namespace syntax {
class TokenBuffer;
} // namespace syntax
} // namespace clang

namespace ikra {

class Edits {
public:
  Edits(const clang::ASTContext& Ast, const clang::syntax::TokenBuffer& Tokens);
  ~Edits();

  /// A range of a file's text, or of an expansion's.
  struct Span {
    std::vector<Replacement>* Into; ///< the edits of that text
    clang::FileID File;             ///< of a file; of an expansion the file that it stands in
    unsigned Begin, End;
    llvm::StringRef Text; ///< what stands there
  };
  /// \param Range of whole tokens, for which canBeRewritten holds.
  Span spanOf(clang::SourceRange Range);

  void replace(const Span& At, std::string Text) const;
  /// In front of \p At. \param Nesting see Replacement.
  void insertBefore(const Span& At, std::string Text, std::int64_t Nesting = 0) const;
  void insertAfter(const Span& At, std::string Text, std::int64_t Nesting = 0) const;

  /// All edits, of files.
  std::vector<Replacement> take();

private:
  struct Expansion;
  Expansion* expansionAt(clang::SourceLocation Begin);

  const clang::ASTContext& Ast;
  const clang::syntax::TokenBuffer& Tokens;
  std::vector<Replacement> InFiles;
  /// By where the macro stands.
  std::map<clang::SourceLocation, std::unique_ptr<Expansion>> Expansions;
};

} // namespace ikra

#endif
