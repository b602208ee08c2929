// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BodyQueries.h"

#include "Cases.h"

namespace ikra::body {

namespace {

/// Goes through a body, once.
struct Walk {
  llvm::function_ref<void(const Expr&)> SeeExpr;
  llvm::function_ref<void(const Stmt&)> SeeStmt;

  void operator()(const ExprRef& E) const {
    if (!E)
      return;
    SeeExpr(*E);
    for (const ExprRef& Of : operandsOf(*E))
      (*this)(Of);
    if (const auto* Inner = std::get_if<Lambda>(&E->Is))
      (*this)(Inner->Body);
  }

  void operator()(const Stmts& Body) const {
    for (const StmtRef& S : Body) {
      SeeStmt(*S);
      for (const ExprRef& E : operandsOf(*S))
        (*this)(E);
      (*this)(childrenOf(*S));
    }
  }

  void operator()(const Body& Of) const {
    for (const Parameter& P : Of.Parameters)
      (*this)(P.Default);
    if (Of.Handed) {
      for (const ExprRef& Argument : Of.Handed->Arguments)
        (*this)(Argument);
      (*this)(Of.Handed->ResultValue);
    }
    (*this)(Of.Statements);
  }
};

/// Whether a loop's condition is the same for all elements: a counter against what is constant or
/// captured.
bool isUniform(const ExprRef& Condition) {
  if (!Condition)
    return false;
  unsigned Names = 0;
  bool Reads = false;
  Walk{[&](const Expr& E) {
         Names += std::holds_alternative<Name>(E.Is);
         Reads |= std::holds_alternative<Call>(E.Is) || std::holds_alternative<Invoke>(E.Is) ||
                  std::holds_alternative<Subscript>(E.Is) ||
                  std::holds_alternative<WindowRead>(E.Is);
       },
       [](const Stmt&) {}}(Condition);
  return Names <= 1 && !Reads;
}

bool leavesEarly(const Stmts& Loop) {
  return llvm::any_of(Loop, [](const StmtRef& S) {
    return std::holds_alternative<Break>(S->Is) || std::holds_alternative<Return>(S->Is) ||
           leavesEarly(childrenOf(*S));
  });
}

bool diverges(const Stmt& S) {
  if (const auto* N = std::get_if<For>(&S.Is))
    return !isUniform(N->Condition) || leavesEarly(N->Body);
  if (const auto* N = std::get_if<ForRange>(&S.Is))
    return leavesEarly(N->Body);
  return std::holds_alternative<While>(S.Is) || std::holds_alternative<Do>(S.Is);
}

} // namespace

void forEachExpr(const Body& Of, llvm::function_ref<void(const Expr&)> See) {
  Walk{See, [](const Stmt&) {}}(Of);
}

void forEachStmt(const Body& Of, llvm::function_ref<void(const Stmt&)> See) {
  Walk{[](const Expr&) {}, See}(Of);
}

Work workOf(const Body& Of) {
  Work Out;
  const auto Count = [&](Latency Takes) {
    ++Out.Operations;
    Out.Long += Takes != Latency::Short;
    Out.Divides |= Takes == Latency::OfDivisionByConstant;
  };
  forEachExpr(Of, [&](const Expr& E) {
    std::visit(Cases{
                   [](const auto&) {},
                   [&](const Binary& N) {
                     if (!N.IsOverloaded)
                       Count(N.Takes);
                   },
                   [&](const LibraryCall& N) { Count(N.Takes); },
                   [&](const Call&) { Count(Latency::Short); },
               },
               E.Is);
  });
  forEachStmt(Of, [&](const Stmt& S) {
    Out.Loops |= std::holds_alternative<For>(S.Is) || std::holds_alternative<ForRange>(S.Is) ||
                 std::holds_alternative<While>(S.Is) || std::holds_alternative<Do>(S.Is);
    Out.Diverges |= diverges(S);
  });
  return Out;
}

bool addsParameters(const Body& Of, llvm::StringRef Spelling) {
  if (Of.Parameters.size() != 2 || Of.Statements.size() != 1 || Of.Handed)
    return false;
  const auto* const Gives = std::get_if<Return>(&Of.Statements.front()->Is);
  const auto* const Sum = Gives && Gives->Value ? std::get_if<Binary>(&Gives->Value->Is) : nullptr;
  if (!Sum || Sum->Sign != "+" || Sum->IsOverloaded)
    return false;
  const auto Is = [&](const ExprRef& E, const Parameter& P) {
    const auto* const N = std::get_if<Name>(&E->Is);
    return N && N->Ident == P.Ident && P.Ty && P.Ty->Is == CodeType::Plain &&
           P.Ty->Of.Spelling == Spelling;
  };
  const Parameter &A = Of.Parameters[0], &B = Of.Parameters[1];
  return (Is(Sum->Left, A) && Is(Sum->Right, B)) || (Is(Sum->Left, B) && Is(Sum->Right, A));
}

} // namespace ikra::body
