// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One traversal of everything outside of system headers. A place in a program's text is a byte of a
// literal, whose place in the source clang knows, raw literals and macros' arguments included.

#include "DatalogChecker.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Diagnostics.h"

#include "datalog/frontend/check_text.hpp"
#include "datalog/kernels/program_text.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include <set>
#include <utility>

using namespace clang;

namespace ikra {

namespace {

class Checker : public AstVisitor {
public:
  Checker(ASTContext& Context, Diagnoser& Diags) : Context(Context), Diags(Diags) {}

  bool TraverseDecl(Decl* D) override {
    const SourceManager& SM = Context.getSourceManager();
    if (D && !isa<TranslationUnitDecl>(D) &&
        SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())))
      return true;
    return AstVisitor::TraverseDecl(D);
  }

  bool VisitCXXConstructExpr(CXXConstructExpr* Made) override {
    const CXXRecordDecl* Class = Made->getConstructor()->getParent();
    if (Made->getNumArgs() < 2 || Class->getQualifiedNameAsString() != "ikra::datalog::program")
      return true;
    const StringLiteral* Text = literalIn(Made->getArg(0));
    if (!Text || !Text->isOrdinary())
      return true;
    const std::vector<int> Bits = bitsOf(Made->getArg(1));
    if (!Seen.insert({Text, Bits}).second)
      return true; // a constant that several programs are made of
    // What fits numbers of 32 bits fits wider ones.
    bool Sound = true;
    for (const datalog::text_message& Said :
         datalog::check_text(Text->getString().str(), Bits.back())) {
      Diags.report(locOf(*Text, Said.offset),
                   Said.is_error ? Diag::datalog_program : Diag::datalog_oddity)
          << Said.text;
      Sound &= !Said.is_error;
    }
    for (const int Width : Bits)
      if (Sound)
        add(*Text, Width);
    return true;
  }

  std::vector<DatalogProgram> Programs;

private:
  /// The widths that numbers may have: what the options say, or either if that is known at run time
  /// only.
  std::vector<int> bitsOf(const Expr* Options) const {
    if (isa<CXXDefaultArgExpr>(Options))
      return {32};
    if (const auto* List = dyn_cast<InitListExpr>(Options->IgnoreImplicit()))
      if (List->getNumInits() > 0) { // program_options' first member
        const Expr* First = List->getInit(0);
        if (const auto* Default = dyn_cast<CXXDefaultInitExpr>(First))
          First = Default->getExpr();
        Expr::EvalResult Value;
        if (!First->isValueDependent() && First->EvaluateAsInt(Value, Context))
          return {Value.Val.getInt() == 64 ? 64 : 32};
      }
    return {32, 64};
  }

  void add(const StringLiteral& Text, int Bits) {
    const std::string Bytes = Text.getString().str();
    for (const DatalogProgram& Known : Programs)
      if (Known.Bits == Bits && Known.Text == Bytes)
        return;
    DatalogProgram Made;
    Made.Text = Bytes;
    Made.Bits = Bits;
    const PresumedLoc At = Context.getSourceManager().getPresumedLoc(Text.getBeginLoc());
    Made.At = {At.getFilename(), At.getLine(), At.getColumn()};
    datalog::program_text Code =
        datalog::text_of_program(Bytes, Bits, "datalog_" + std::to_string(Programs.size()));
    Made.Definitions = std::move(Code.definitions);
    Made.Rules = Code.rules;
    Made.Kernels = Code.kernels;
    Made.Interpreted = std::move(Code.interpreted);
    Programs.push_back(std::move(Made));
  }

  /// The literal that a std::string_view is made of, by itself or as the value of a constant; null
  /// if it is none.
  const StringLiteral* literalIn(const Expr* E) const {
    E = E->IgnoreParens()->IgnoreImplicit();
    if (const auto* Named = dyn_cast<DeclRefExpr>(E)) {
      const auto* Constant = dyn_cast<VarDecl>(Named->getDecl());
      const Expr* Value = Constant ? Constant->getAnyInitializer() : nullptr;
      const bool Stays = Value && !Value->isValueDependent() &&
                         (Constant->isConstexpr() || Constant->getType().isConstant(Context));
      return Stays ? literalIn(Value) : nullptr;
    }
    if (const auto* View = dyn_cast<CXXConstructExpr>(E))
      return View->getNumArgs() == 1 ? literalIn(View->getArg(0)) : nullptr;
    if (const auto* Cast = dyn_cast<CastExpr>(E))
      return literalIn(Cast->getSubExpr());
    return dyn_cast<StringLiteral>(E);
  }

  SourceLocation locOf(const StringLiteral& Text, std::uint32_t Offset) const {
    if (Offset >= Text.getByteLength())
      return Text.getBeginLoc();
    return Text.getLocationOfByte(Offset, Context.getSourceManager(), Context.getLangOpts(),
                                  Context.getTargetInfo());
  }

  ASTContext& Context;
  Diagnoser& Diags;
  std::set<std::pair<const StringLiteral*, std::vector<int>>> Seen;
};

} // namespace

std::vector<DatalogProgram> checkDatalog(ASTContext& Context, Diagnoser& Diags) {
  Checker Found(Context, Diags);
  Found.TraverseDecl(Context.getTranslationUnitDecl());
  return std::move(Found.Programs);
}

} // namespace ikra
