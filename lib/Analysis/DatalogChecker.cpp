// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One traversal of everything outside of system headers. A place in a program's text is a byte of a
// literal, whose place in the source clang knows, raw literals and macros' arguments included.

#include "DatalogChecker.h"

#include "Diagnostics.h"

#include "datalog/frontend/check_text.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace ikra {

namespace {

class Checker : public RecursiveASTVisitor<Checker> {
public:
  Checker(ASTContext& Context, Diagnoser& Diags) : Context(Context), Diags(Diags) {}

  bool TraverseDecl(Decl* D) {
    const SourceManager& SM = Context.getSourceManager();
    if (D && !isa<TranslationUnitDecl>(D) &&
        SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())))
      return true;
    return RecursiveASTVisitor::TraverseDecl(D);
  }

  bool VisitCXXConstructExpr(CXXConstructExpr* Made) {
    const CXXRecordDecl* Class = Made->getConstructor()->getParent();
    if (Made->getNumArgs() < 2 || Class->getQualifiedNameAsString() != "ikra::datalog::program")
      return true;
    const StringLiteral* Text = literalIn(Made->getArg(0));
    if (!Text || !Text->isOrdinary())
      return true;
    // What fits numbers of 32 bits fits wider ones; without options they have 32.
    const int Bits = isa<CXXDefaultArgExpr>(Made->getArg(1)) ? 32 : 64;
    for (const datalog::text_message& Said : datalog::check_text(Text->getString().str(), Bits))
      Diags.report(placeOf(*Text, Said.offset),
                   Said.is_error ? Diag::datalog_program : Diag::datalog_oddity)
          << Said.text;
    return true;
  }

private:
  /// The literal that a std::string_view is made of; null if it is none.
  static const StringLiteral* literalIn(const Expr* E) {
    E = E->IgnoreParens()->IgnoreImplicit();
    if (const auto* View = dyn_cast<CXXConstructExpr>(E))
      return View->getNumArgs() == 1 ? literalIn(View->getArg(0)) : nullptr;
    if (const auto* Cast = dyn_cast<CastExpr>(E))
      return literalIn(Cast->getSubExpr());
    return dyn_cast<StringLiteral>(E);
  }

  SourceLocation placeOf(const StringLiteral& Text, std::uint32_t Offset) const {
    if (Offset >= Text.getByteLength())
      return Text.getBeginLoc();
    return Text.getLocationOfByte(Offset, Context.getSourceManager(), Context.getLangOpts(),
                                  Context.getTargetInfo());
  }

  ASTContext& Context;
  Diagnoser& Diags;
};

} // namespace

void checkDatalog(ASTContext& Context, Diagnoser& Diags) {
  Checker(Context, Diags).TraverseDecl(Context.getTranslationUnitDecl());
}

} // namespace ikra
