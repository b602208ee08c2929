// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions of the program, and of lambdas that are local variables: their statements
// stand where the call does. What a lambda names is the loop's: it captures by reference, or a copy
// of what never changes.
#include "TurnBuilder.h"

#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>
#include <numeric>

using namespace clang;

namespace ikra {

static std::string nameOfParameter(const ParmVarDecl* P) {
  const auto* Of = dyn_cast<FunctionDecl>(P->getDeclContext());
  const std::string In =
      Of && Of->getDeclName().isIdentifier() ? "'" + Of->getNameAsString() + "'" : "what it calls";
  return P->getNameAsString().empty() ? "a parameter of " + In
                                      : "the parameter '" + P->getNameAsString() + "' of " + In;
}

/// A parameter that is another variable's name.
bool TurnBuilder::alias(const ParmVarDecl* P, const Expr* Given) {
  if (!P->getType()->isLValueReferenceType())
    return refuse(Given, "'" + P->getNameAsString() + "' is the name of no variable");
  if (rankOfArray(P->getType()) != 0) {
    const std::optional<ArrayPlace> Place = arrayPlace(Given);
    if (!Place)
      return refuse(Given, "'" + P->getNameAsString() + "' is the name of no variable");
    return nameArray(P, *Place, Given->getType(), Given);
  }
  const Expr* Named = written(Given);
  const VarDecl* V = variableNamed(Named);
  const std::optional<MemberOfVariable> Member = Scalar.fieldOf(Named);
  const std::optional<MemberOfVariable> Part = memberOfVariable(Named, Scalar.This);
  if ((!V && !Part) || !Scalar.isValue(P->getType()) ||
      !Scalar.accepts(Given, [](const Expr*) { return false; }))
    return refuse(Given, nameOfParameter(P) +
                             " is not the name of a number in a variable, or of a field of one "
                             "(give it a local variable, and copy that back)");
  Scalar.addAlias(P);
  if (Part && !Member) { // of a struct that is a scalar as a whole
    Parts[P] = nameOfPart(Part->Of, Part->Text);
    return true;
  }
  Scalars[P] = Member ? memberOf(*Member, Named->getType()) : scalarOf(V);
  return true;
}

bool TurnBuilder::parameter(const ParmVarDecl* P, const Expr* Given, bool MayBeName,
                            const std::set<const ValueDecl*>& ChangedByCall, TurnSteps& Out) {
  const QualType Ty = P->getType();
  if (holdsArrays(Ty))
    return Ty->isReferenceType()
               ? refuse(Given, "'" + P->getNameAsString() +
                                   "' is a reference to what is no variable, and no member of one")
               : setStruct({P, P->getNameAsString()}, Ty, Given, Out);
  if (isAlias(Ty))
    return MayBeName ? alias(P, Given)
                     : refuse(Given, "'" + P->getNameAsString() +
                                         "' is another variable's name where a value is given");
  if (rankOfArray(Ty) == 0) {
    if (!Scalar.isValue(Ty))
      return refuse(Given, ofEnumeration(Ty).empty()
                               ? nameOfParameter(P) +
                                     " is no number, and no struct of numbers (where "
                                     "it is for output, put the call into an if "
                                     "in the loop's block)"
                               : ofEnumeration(Ty));
    Scalar.addGiven(P);
    body::ExprRef Value = value(Given, Out);
    if (!Value)
      return false;
    if (!Changed.contains(P))
      Inits[P] = {Given, Scalar.This};
    assign(Made.Scalars[scalarOf(P)].Name, std::move(Value), Out);
    noteDeclared(P, Made.Scalars[scalarOf(P)].Name, Given);
    return true;
  }
  if (Changed.contains(P))
    return declare(P, Given, Out, Given);
  const std::optional<TurnInput> Of = array(Given, Out);
  if (!Of)
    return false;
  if (!Of->IsCommand && llvm::any_of(Arrays, [&](const auto& Known) {
        return Known.second == Of->Number && ChangedByCall.contains(Known.first.first);
      }))
    return refuse(Given, "the array that it is given may change");
  Values[P] = *Of;
  return true;
}

/// Whether what a lambda captures is what its names are where it is called.
bool TurnBuilder::capturesAsNamed(const Expr* E, const CalledCode& Of) {
  if (!Of.Lambda)
    return true;
  for (const LambdaCapture& C : Of.Lambda->captures()) {
    const auto* V = C.capturesVariable() ? dyn_cast<VarDecl>(C.getCapturedVar()) : nullptr;
    if (C.capturesThis() && C.getCaptureKind() != LCK_StarThis)
      continue;
    if (!V)
      return refuse(E, Of.name() + " captures something else than variables");
    if (Of.Lambda->isInitCapture(&C))
      continue; // keepsAsNamed
    // A copy that is made where the lambda is called is what its name is, if the call changes
    // neither.
    const bool IsNow = Of.IsInPlace && !Of.Lambda->isMutable() && !changedBy(E).contains(V);
    if (C.getCaptureKind() != LCK_ByRef && !IsNow && !neverChanges(V))
      return refuse(E, Of.name() + " keeps a copy of '" + V->getNameAsString() +
                           "', which may change");
  }
  return true;
}

/// The numbers that a lambda keeps under names of its own, in the order of the text.
static std::vector<const VarDecl*> keptBy(const LambdaExpr* Lambda) {
  std::vector<const VarDecl*> Out;
  for (const LambdaCapture& C : Lambda->captures())
    if (Lambda->isInitCapture(&C))
      Out.push_back(cast<VarDecl>(C.getCapturedVar()));
  return Out;
}

/// Computes what a lambda of the loop keeps, where it is declared.
bool TurnBuilder::keep(const LambdaExpr* Lambda, TurnSteps& Out) {
  for (const VarDecl* V : keptBy(Lambda)) {
    if (Lambda->isMutable() || V->getType()->isReferenceType() || !Scalar.isNumber(V->getType()))
      continue; // said where it is called
    body::ExprRef Value = value(V->getInit(), Out);
    if (!Value)
      return false;
    assign(Made.Scalars[scalarOf(V)].Name, std::move(Value), Out);
    Kept.insert(V);
  }
  return true;
}

/// Computes what a lambda from before the loop keeps, anew: nothing of it may change.
bool TurnBuilder::keepsAsNamed(const Expr* E, const CalledCode& Of, TurnSteps& Out) {
  const auto MayChange = [&](const Stmt* S) {
    const VarDecl* V = variableNamed(S);
    return isa<MemberExpr>(S) || (V && !neverChanges(V));
  };
  for (const VarDecl* V : Of.Lambda ? keptBy(Of.Lambda) : std::vector<const VarDecl*>()) {
    if (Kept.contains(V))
      continue;
    if (Of.Lambda->isMutable() || V->getType()->isReferenceType() ||
        !Scalar.isNumber(V->getType()) || anyPart(V->getInit(), MayChange) ||
        !Scalar.accepts(V->getInit(), [](const Expr*) { return false; }))
      return refuse(E, Of.name() + " keeps '" + V->getNameAsString() +
                           "', which is no number that never changes");
    body::ExprRef Value = value(V->getInit(), Out);
    if (!Value)
      return false;
    assign(Made.Scalars[scalarOf(V)].Name, std::move(Value), Out);
  }
  return true;
}

/// Whether a parameter that is another name of a number, `const int&`, has that number's value all
/// through the call.
bool TurnBuilder::staysAsGiven(const Expr* E, const CalledCode& Of) {
  const std::set<const ValueDecl*> ChangedByCall = changedBy(E);
  const std::optional<Receiver> Inside = receiverOf(Of, Scalar.This);
  for (unsigned K = 0; K < Of.Code->getNumParams(); ++K) {
    const ParmVarDecl* P = Of.Code->getParamDecl(K);
    const QualType Ty = P->getType();
    if (!Ty->isReferenceType() || isAlias(Ty) || rankOfArray(Ty) != 0 ||
        (Inside && Inside->Names.contains(P))) // which is what it names all the time
      continue;
    const Expr* Given = written(Of.Arguments[K]);
    const std::optional<MemberOfVariable> Member = memberOfVariable(Given, Scalar.This);
    const ValueDecl* V = Member ? Member->Of : variableNamed(Given);
    if (ChangedByCall.contains(V))
      return refuse(Given, "the number that it is given may change");
  }
  return true;
}

/// Whether what an argument changes is named by nothing else, as in `season(a, year++)`.
/// \param IsPart  of an expression that may name it, too
bool TurnBuilder::changesForItself(llvm::ArrayRef<const Expr*> Arguments, unsigned Which,
                                   bool IsPart) {
  for (const ValueDecl* V : changedOutside(Arguments[Which])) {
    const std::string Name = "'" + V->getNameAsString() + "'";
    if (IsPart)
      return refuse(Arguments[Which], "this argument changes " + Name +
                                          " within an expression of arrays (keep what the call "
                                          "gives in a variable)");
    for (unsigned K = 0; K < Arguments.size(); ++K)
      if (K != Which && namedBy(Arguments[K], Scalar.This).contains(V))
        return refuse(Arguments[Which], "this argument changes " + Name +
                                            ", which another one names (change it before, or "
                                            "after)");
  }
  return true;
}

/// Whether an expression calls code itself.
static bool calls(const Stmt* S, const FunctionDecl* Code) {
  const auto* E = dyn_cast_or_null<Expr>(S);
  if (!S || isa<LambdaExpr>(S))
    return false;
  if (const std::optional<CalledCode> Of = E ? calledCode(E) : std::nullopt; Of && Of->Code == Code)
    return true;
  return llvm::any_of(S->children(), [&](const Stmt* Part) { return calls(Part, Code); });
}

std::optional<body::Stmts> TurnBuilder::asCode(const TurnSteps& Steps) {
  body::Stmts Out;
  for (const TurnStep& Step : Steps) {
    std::optional<body::Stmts> Code = asCode(Step);
    if (!Code)
      return std::nullopt;
    llvm::append_range(Out, *std::move(Code));
  }
  return Out;
}

std::optional<body::Stmts> TurnBuilder::asCode(const TurnStep& Step) {
  if (Step.Is == TurnStep::Code)
    return Step.Statements;
  std::optional<body::Stmts> Then = asCode(Step.Then), Else = asCode(Step.Else);
  if (!Then || !Else || (Step.Is != TurnStep::Branch && Step.Is != TurnStep::Loop))
    return std::nullopt;
  if (Step.Is == TurnStep::Branch) {
    body::If Branch;
    Branch.Condition = Step.Condition;
    Branch.HasElse = !Else->empty();
    Branch.Then = *std::move(Then);
    Branch.Else = *std::move(Else);
    return body::Stmts{body::stmt(std::move(Branch))};
  }
  body::Stmts Out;
  if (Step.TestsFirst)
    llvm::append_range(Out, *Else);
  llvm::append_range(*Then, *Else); // the test
  Out.push_back(Step.TestsFirst ? body::stmt(body::While{nullptr, Step.Condition, *std::move(Then)})
                                : body::stmt(body::Do{*std::move(Then), Step.Condition}));
  return Out;
}

/// What of a block the compiler takes, as statements of which the last may be a return: the sides
/// of `if constexpr`, and nothing after what returns.
static std::vector<const Stmt*> takenOf(const CompoundStmt* Block, const ASTContext& Context) {
  std::vector<const Stmt*> Out;
  for (const Stmt* S : Block->body()) {
    const Stmt* Side = taken(S, Context);
    if (!Side)
      continue;
    const auto* Inner = Side != S ? dyn_cast<CompoundStmt>(Side) : nullptr;
    if (Inner)
      llvm::append_range(Out, takenOf(Inner, Context));
    else
      Out.push_back(Side);
    if (!Out.empty() && isa<ReturnStmt>(Out.back()))
      break;
  }
  return Out;
}

/// A body that returns in several places notes that it has, and what: what comes after a return
/// runs if that is not noted.
bool TurnBuilder::returnsEarly(const Expr* E, const CalledCode& Of, llvm::ArrayRef<const Stmt*> All,
                               TurnSteps& Out) {
  const QualType Ty = Of.Code->getReturnType().getNonReferenceType().getUnqualifiedType();
  if (!Ty->isVoidType() && !Scalar.isValue(Ty))
    return refuse(E, Of.name() + " returns arrays before its end (give it one return, as its last "
                                 "statement)");
  Jump None{false, {}};
  const llvm::SaveAndRestore Break(BreakTo, &None), Continue(ContinueTo, &None);
  const llvm::SaveAndRestore Notes(Returned, flag("has_returned"));
  const llvm::SaveAndRestore Value(ReturnedValue, Ty->isVoidType() ? "" : newScalar("called", Ty));
  const llvm::SaveAndRestore Called(ReturnsToHost, false);
  TurnSteps Steps;
  assign(Returned, literal("false"), Steps);
  if (!sequence(All, Steps))
    return false;
  if (std::optional<body::Stmts> Code = asCode(Steps))
    addCode(*std::move(Code), Out);
  else
    llvm::move(Steps, std::back_inserter(Out));
  Results[E] = ReturnedValue;
  return true;
}

/// \param Result takes what the body returns at its end
bool TurnBuilder::call(const Expr* E, const CalledCode& Of, TurnSteps& Out,
                       llvm::function_ref<bool(const Expr*)> Result) {
  const std::optional<Receiver> Inside = receiverOf(Of, Scalar.This);
  if (!Inside)
    return refuse(E, Of.name() + (isa<CXXThisExpr>(Of.Object->IgnoreParenImpCasts())
                                      ? " is a method of a base class, of which a field is private "
                                        "or hidden (make its fields protected)"
                                      : " is a method of what is no variable, and no member of "
                                        "one"));
  if (Inside->Of && mayNameAnother(Inside->Of))
    return refuse(E, ofAnother(Inside->Of));
  if (!capturesAsNamed(E, Of))
    return false;
  if (Calling.contains(Of.Code))
    return refuse(E, Of.name() + " calls itself");
  if (Of.Code->getNumParams() != Of.Arguments.size())
    return refuse(E, Of.name() + " has parameters that are not given");
  Called.push_back(Of.range());
  if (!staysAsGiven(E, Of) || (Of.IsInPlace && !keep(Of.Lambda, Out)) || !keepsAsNamed(E, Of, Out))
    return false;
  const bool IsValue = !Of.Code->getReturnType()->isVoidType();
  const auto* Block = dyn_cast<CompoundStmt>(Of.Code->getBody());
  if (!Block)
    return refuse(E, Of.name() + " has no block");
  // A value is asked for where it stands: what an array is made of must change nothing that others
  // read. For other expressions mayReadBefore knows.
  const bool IsPart = IsValue && IsOfArray;
  if (IsPart)
    for (const ValueDecl* V : ikra::changedOutside(Block, *Inside))
      if (!isWithin(V, Of.range()))
        return refuse(E, Of.name() + " gives a value and changes '" + V->getNameAsString() +
                             "' (call it before, and keep what it gives)");
  const std::set<const ValueDecl*> ChangedByCall = changedBy(E);
  std::vector<unsigned> Order(Of.Code->getNumParams());
  std::iota(Order.begin(), Order.end(), 0U);
  // f(a, f(b, c)): the inner call has the parameters first.
  const auto Inner = std::stable_partition(
      Order.begin(), Order.end(), [&](unsigned K) { return calls(Of.Arguments[K], Of.Code); });
  if (Inner - Order.begin() > 1)
    return refuse(E, Of.name() + " is called in two of its arguments (keep what one gives)");
  if (Inner == Order.begin())
    Calling.insert(Of.Code);
  for (const unsigned K : Order) {
    if (Of.Arguments.size() > 1 && IsValue && !changesForItself(Of.Arguments, K, IsPart))
      return false;
    const ParmVarDecl* P = Of.Code->getParamDecl(K);
    if (!Inside->Names.contains(P) && !parameter(P, Of.Arguments[K], !IsPart, ChangedByCall, Out))
      return false;
    Calling.insert(Of.Code);
  }
  const llvm::SaveAndRestore Statements(IsOfArray, false);
  const llvm::SaveAndRestore This(Scalar.This, *Inside);
  const llvm::SaveAndRestore Home(HomeFunction.Decl, Of.Code);
  const std::vector<const Stmt*> Taken = takenOf(Block, Context);
  llvm::ArrayRef<const Stmt*> All = Taken;
  const auto* Return = All.empty() ? nullptr : dyn_cast<ReturnStmt>(All.back());
  if (llvm::any_of(All.drop_back(Return ? 1 : 0),
                   [](const Stmt* S) { return leavesOf(S).Returns; })) {
    if (!returnsEarly(E, Of, All, Out))
      return false;
    Calling.erase(Of.Code);
    return true;
  }
  if (Return)
    All = All.drop_back();
  if (!sequence(All, Out))
    return false;
  if (IsValue && (!Return || !Return->getRetValue() || !Result(Return->getRetValue())))
    return refuseElse(E, Of.name() + " returns something else than its last value");
  Calling.erase(Of.Code);
  return true;
}

} // namespace ikra
