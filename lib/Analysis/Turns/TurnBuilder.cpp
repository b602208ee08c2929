// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns as a whole, and their statements.
#include "TurnBuilder.h"

#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Types.h"

using namespace clang;

namespace ikra {

/// All arrays that a command reads.
static std::vector<TurnInput> arraysOf(const TurnCommand& Command) {
  std::vector<TurnInput> Out = Command.Inputs;
  for (const auto& [Capture, Input] : Command.CapturedArrays)
    Out.push_back(Input);
  return Out;
}

//===-- statements -------------------------------------------------------------------------===//

bool TurnBuilder::set(const VarDecl* V, const Expr* To, TurnSteps& Out, const Stmt* At) {
  const std::optional<TurnInput> Value = array(To, Out);
  if (!Value)
    return false;
  if (Value->IsCommand &&
      Model.Sections[Made.Commands[Value->Number].Section].Op == ikra::Operation::PReduce)
    return refuse(At, "a variable holds a reduction's result over the turns");
  const std::optional<std::size_t> Number = arrayOf(V, At);
  if (!Number)
    return false;
  TurnStep Step(TurnStep::Set);
  Step.Number = *Number;
  Step.Value = *Value;
  Out.push_back(std::move(Step));
  Current.erase(*Number);
  if (Value->IsCommand)
    Current[*Number] = *Value;
  return true;
}

bool TurnBuilder::declaration(const VarDecl* V, TurnSteps& Out) {
  const Stmt* At = V->getInit() ? static_cast<const Stmt*>(V->getInit()) : Loop;
  if (rankOfArray(V->getType()) == 0) {
    if (V->isStaticLocal() || V->getType()->isReferenceType() || !Scalar.isNumber(V->getType()))
      return refuse(At, "'" + V->getNameAsString() + "' is no variable of a number");
    body::ExprRef Value;
    if (V->getInit()) {
      Value = value(V->getInit(), Out);
      if (!Value)
        return false;
    }
    const std::size_t Number = scalarOf(V);
    if (Value)
      assign(Made.Scalars[Number].Name, std::move(Value), Out);
    return true;
  }
  if (!V->hasInit() || V->getType()->isReferenceType() || V->isStaticLocal())
    return refuse(At, "'" + V->getNameAsString() + "' holds no array of the turn");
  const Expr* Init = written(V->getInit());
  if (isa<CXXConstructExpr>(Init))
    return refuse(At, "'" + V->getNameAsString() + "' is made of something else than arrays");
  if (Changed.contains(V) || !isa<CallExpr>(Init))
    return set(V, Init, Out, At);
  const std::optional<TurnInput> Value = array(Init, Out);
  if (!Value)
    return false;
  if (!Value->IsCommand)
    return refuse(At, "'" + V->getNameAsString() + "' is made of a variable that is moved");
  Values[V] = *Value;
  return true;
}

bool TurnBuilder::swap(const CallExpr* Call, TurnSteps& Out) {
  TurnStep Step(TurnStep::Swap);
  std::size_t* const To[] = {&Step.Number, &Step.Other};
  for (unsigned K = 0; K < 2; ++K) {
    const VarDecl* V = arrayVariable(Call->getArg(K));
    const std::optional<std::size_t> Number = V ? arrayOf(V, Call) : std::nullopt;
    if (!Number)
      return refuse(Call, "it swaps something else than variables");
    *To[K] = *Number;
    Current.erase(*Number);
  }
  Out.push_back(std::move(Step));
  return true;
}

bool TurnBuilder::branch(const IfStmt* S, TurnSteps& Out) {
  if (S->getInit() || S->getConditionVariable() || S->isConstexpr() || S->isConsteval())
    return refuse(S, "a variable is declared in its condition");
  TurnStep Step(TurnStep::Branch);
  Step.Condition = value(S->getCond(), Out);
  if (!Step.Condition)
    return false;
  const auto Part = [&](const Stmt* Of, TurnSteps& To) {
    Current.clear();
    return !Of || statement(Of, To);
  };
  if (!Part(S->getThen(), Step.Then) || !Part(S->getElse(), Step.Else))
    return false;
  Current.clear();
  Out.push_back(std::move(Step));
  return true;
}

/// A break or a continue, where nothing comes behind it.
bool TurnBuilder::leave(const Stmt* S, TurnSteps& Out) {
  if (isa<ContinueStmt>(S))
    return true;
  if (!isa<BreakStmt>(S))
    return refuse(S, "it leaves the loop other than by break");
  if (!Left)
    Left = Made.Scalars[addScalar("leaves_loop", Types.classify(Context.BoolTy))].Name;
  assign(*Left, literal("true"), Out);
  return true;
}

/// An if that may end the turn: what comes behind it runs where it does not.
bool TurnBuilder::leaving(const IfStmt* S, llvm::ArrayRef<const Stmt*> Rest, TurnSteps& Out) {
  if (S->getInit() || S->getConditionVariable() || S->isConstexpr() || S->isConsteval())
    return refuse(S, "a variable is declared in its condition");
  TurnStep Step(TurnStep::Branch);
  Step.Condition = value(S->getCond(), Out);
  if (!Step.Condition)
    return false;
  const auto Part = [&](const Stmt* Of, TurnSteps& To) {
    std::vector<const Stmt*> All;
    if (const auto* Block = dyn_cast_or_null<CompoundStmt>(Of))
      All.assign(Block->body_begin(), Block->body_end());
    else if (Of)
      All.push_back(Of);
    Current.clear();
    const bool Ends = !All.empty() && isa<BreakStmt, ContinueStmt>(All.back());
    if (!Ends)
      All.insert(All.end(), Rest.begin(), Rest.end());
    return sequence(All, To);
  };
  // What both sides have would be there twice.
  const auto EndsTurn = [](const Stmt* Of) {
    const auto* Block = dyn_cast_or_null<CompoundStmt>(Of);
    const Stmt* Last = Block && !Block->body_empty() ? Block->body_back() : Of;
    return isa_and_nonnull<BreakStmt, ContinueStmt>(Last);
  };
  if (!EndsTurn(S->getThen()) && !EndsTurn(S->getElse()))
    return refuse(S, "it may leave the loop from within");
  if (!Part(S->getThen(), Step.Then) || !Part(S->getElse(), Step.Else))
    return false;
  Current.clear();
  Out.push_back(std::move(Step));
  return true;
}

bool TurnBuilder::sequence(llvm::ArrayRef<const Stmt*> All, TurnSteps& Out) {
  for (std::size_t K = 0; K < All.size(); ++K) {
    const Stmt* S = All[K];
    if (isa<BreakStmt, ContinueStmt>(S))
      return leave(S, Out);
    if (leavesTurn(S)) {
      const auto* If = dyn_cast<IfStmt>(S);
      if (!If)
        return refuse(S, isa<ReturnStmt>(S) ? "it returns from within the loop"
                                            : "it may leave the loop from within");
      return leaving(If, All.drop_front(K + 1), Out);
    }
    if (!statement(S, Out))
      return false;
  }
  return true;
}

bool TurnBuilder::statement(const Stmt* S, TurnSteps& Out) {
  if (const auto* Block = dyn_cast<CompoundStmt>(S)) {
    if (leavesTurn(S))
      return refuse(S, "it may leave the loop from within");
    return sequence({Block->body_begin(), Block->size()}, Out);
  }
  if (isa<NullStmt>(S))
    return true;
  if (const auto* Declares = dyn_cast<DeclStmt>(S))
    return llvm::all_of(Declares->decls(), [&](const Decl* D) {
      if (const auto* V = dyn_cast<VarDecl>(D); V && !isa<DecompositionDecl>(V))
        return declaration(V, Out);
      return isa<StaticAssertDecl, TypedefNameDecl>(D) ||
             refuse(S, "it declares something else than a variable");
    });
  if (leavesTurn(S))
    return refuse(S, "it may leave the loop from within");
  if (!namesArrays(S))
    return scalarCode(S, Out);
  if (const auto* If = dyn_cast<IfStmt>(S))
    return branch(If, Out);
  if (const auto* E = dyn_cast<Expr>(S)) {
    const Expr* Written = written(E);
    if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(Written);
        Call && Call->getOperator() == OO_Equal && rankOfArray(Call->getArg(0)->getType()) != 0) {
      const VarDecl* V = arrayVariable(Call->getArg(0));
      return V ? set(V, Call->getArg(1), Out, Written)
               : refuse(Written, "what it assigns is no variable");
    }
    if (const auto* Call = dyn_cast<CallExpr>(Written)) {
      const FunctionDecl* Callee = Call->getDirectCallee();
      if (Callee && isInStd(Callee) && Callee->getNameAsString() == "swap" &&
          Call->getNumArgs() == 2 && rankOfArray(Call->getArg(0)->getType()) != 0)
        return swap(Call, Out);
    }
    return scalarCode(S, Out);
  }
  if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
    return refuse(S, "turns have no loops over arrays in them");
  return refuse(S, "turns have no such statement");
}

bool TurnBuilder::build(const LoopParts& Parts) {
  if (!isa<CompoundStmt>(Parts.Body) || isa<CXXForRangeStmt>(Loop))
    return refuse(Loop, isa<CXXForRangeStmt>(Loop) ? "it goes through a container"
                                                   : "its body is no block");
  if (Loop->getBeginLoc().isMacroID() || Loop->getEndLoc().isMacroID())
    return refuse(Loop, "a macro's expansion holds it");
  if (Parts.HasVariable)
    return refuse(Loop, "a variable is declared in its condition");
  Names = {"given", "t", "s"};
  Changed = changedBy(Loop);
  if (Parts.Init && !statement(Parts.Init, Made.Begin))
    return false;
  const auto* Block = cast<CompoundStmt>(Parts.Body);
  if (!sequence({Block->body_begin(), Block->size()}, Made.Body))
    return false;
  AtEnd = std::exchange(Current, {});
  TurnSteps Step;
  if (Parts.Step && !statement(Parts.Step, Step))
    return false;
  if (!Step.empty() && Left) { // not behind a break
    TurnStep Unless(TurnStep::Branch);
    Unless.Condition = named(*Left);
    Unless.Else = std::move(Step);
    Made.Body.push_back(std::move(Unless));
  } else {
    llvm::append_range(Made.Body, std::move(Step));
  }
  Made.Condition = literal("true");
  if (Parts.Condition) {
    Made.Condition = value(Parts.Condition, Made.Test);
    if (!Made.Condition)
      return false;
  }
  if (Left) {
    assign(*Left, literal("false"), Made.Begin);
    const auto Negated =
        std::make_shared<const body::Expr>(body::Expr{body::Unary{"!", named(*Left)}, nullptr, {}});
    Made.Condition = std::make_shared<const body::Expr>(
        body::Expr{body::Binary{"&&", Negated, Made.Condition}, nullptr, {}});
  }
  if (Made.Arrays.empty())
    return refuse(Loop, "it reads no array from before");
  Made.TestsFirst = Parts.TestsFirst;
  return isAskedFor();
}

/// Whether what must not run unasked for is needed by a result that the turn reads.
bool TurnBuilder::isAskedFor() {
  for (std::size_t N = Made.Commands.size(); N-- > 0;) {
    const TurnCommand& Of = Made.Commands[N];
    const ikra::Section& S = Model.Sections[Of.Section];
    if (!S.Flow.Speculatable && S.Op != ikra::Operation::PReduce && !Asked.contains(N))
      return refuse(Loop, "the results of '" + S.Ident +
                              "' may only be computed where the program asks for them");
    if (S.Op == ikra::Operation::PReduce || Asked.contains(N))
      for (const TurnInput& Input : arraysOf(Of))
        if (Input.IsCommand && Where[Input.Number] == Where[N])
          Asked.insert(Input.Number);
  }
  return true;
}

} // namespace ikra
