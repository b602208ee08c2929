// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relies on clang's evaluator of constants: offsets are objects of classes of the plain library,
// and what is in them is their integers in order.

#include "Neighbourhood.h"

#include "Analysis/Ast/Types.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace clang;

namespace ikra {

/// All integers of a constant, in the order of declaration; false if it holds something else.
static bool flatten(const APValue& Value, std::vector<std::int64_t>& Out) {
  if (Value.isInt()) {
    Out.push_back(Value.getInt().getExtValue());
    return true;
  }
  if (Value.isStruct()) {
    for (unsigned K = 0; K < Value.getStructNumFields(); ++K)
      if (!flatten(Value.getStructField(K), Out))
        return false;
    return true;
  }
  if (!Value.isArray())
    return false;
  for (unsigned K = 0; K < Value.getArraySize(); ++K)
    if (!flatten(K < Value.getArrayInitializedElts() ? Value.getArrayInitializedElt(K)
                                                     : Value.getArrayFiller(),
                 Out))
      return false;
  return true;
}

static bool evaluate(const Expr* E, const ASTContext& Context, std::vector<std::int64_t>& Out) {
  if (E->isValueDependent())
    return false;
  Expr::EvalResult Result;
  return E->EvaluateAsRValue(Result, Context, /*InConstantContext=*/true) &&
         !Result.HasSideEffects && flatten(Result.Val, Out);
}

std::optional<std::vector<Offset>> neighbourhoodOf(const Expr* Argument, unsigned Rank,
                                                   const ASTContext& Context, Diagnoser& Diags) {
  std::vector<std::int64_t> Numbers;
  const Expr* E = Argument->IgnoreImplicit()->IgnoreParens();
  llvm::ArrayRef<const Expr*> Parts(E);
  if (const auto* List = dyn_cast<InitListExpr>(E))
    Parts = {List->getInits(), List->getNumInits()};
  for (const Expr* Part : Parts)
    if (!evaluate(Part, Context, Numbers)) {
      Diags.report(Part->getExprLoc(), Diag::neighbourhood_constant);
      return std::nullopt;
    }
  std::vector<Offset> Out;
  for (std::size_t K = 0; K + Rank <= Numbers.size(); K += Rank)
    Out.emplace_back(Numbers.begin() + static_cast<std::ptrdiff_t>(K),
                     Numbers.begin() + static_cast<std::ptrdiff_t>(K + Rank));
  return Out;
}

Border borderOf(const Expr* Argument) {
  const CXXRecordDecl* Class = Argument->getType().getNonReferenceType()->getAsCXXRecordDecl();
  if (!Class || !isInIkra(Class) || !Class->getIdentifier())
    return Border::Value;
  return llvm::StringSwitch<Border>(Class->getName())
      .Case("keep_border", Border::Keep)
      .Case("clamp_border", Border::Clamp)
      .Case("wrap_border", Border::Wrap)
      .Default(Border::Value);
}

std::optional<Offset> constantOffset(llvm::ArrayRef<const Expr*> Arguments,
                                     const ASTContext& Context) {
  Offset Out;
  for (const Expr* Argument : Arguments)
    if (!evaluate(Argument, Context, Out))
      return std::nullopt;
  return Out;
}

namespace {

/// Looks for reads outside of one section's neighbourhood, in all that the section calls.
class ReadChecker {
public:
  ReadChecker(const ProgramModel& Model, const Section& S, Diagnoser& Diags)
      : Model(Model), S(S), Diags(Diags) {}

  void check(Index F) {
    if (!Seen.insert(F).second)
      return;
    for (const WindowRead& Read : Model.Functions[F].WindowReads) {
      if (llvm::is_contained(S.Neighbourhood, Read.At))
        continue;
      Diags.report(Read.Where->getExprLoc(), Diag::offset_outside) << textOf(Read.At);
      Diags.report(S.Site.Argument->getExprLoc(), Diag::reached_from);
    }
    for (const auto& [Site, Call] : Model.Functions[F].Calls)
      for (const CallTarget& Target : Call.Targets)
        check(Target.Function);
  }

private:
  const ProgramModel& Model;
  const Section& S;
  Diagnoser& Diags;
  std::set<Index> Seen;
};

} // namespace

void checkWindowReads(const ProgramModel& Model, Diagnoser& Diags) {
  for (const Section& S : Model.Sections)
    if (S.Op == Operation::PStencil)
      ReadChecker(Model, S, Diags).check(S.Code.Function);
}

} // namespace ikra
