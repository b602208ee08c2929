// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedValues.h"

#include "Model/BodyQueries.h"
#include "Model/Cases.h"

#include "llvm/ADT/STLExtras.h"

namespace ikra::body {

bool isLoop(const StmtRef& S) {
  return std::holds_alternative<For>(S->Is) || std::holds_alternative<ForRange>(S->Is);
}

bool isAssignment(llvm::StringRef Sign) {
  return Sign.ends_with("=") && Sign != "==" && Sign != "!=" && Sign != "<=" && Sign != ">=";
}

const Name* rootOf(const ExprRef& E) {
  if (const auto* N = std::get_if<Name>(&E->Is))
    return N;
  if (const auto* N = std::get_if<Part>(&E->Is))
    return N->ThroughPointer ? nullptr : rootOf(N->Object);
  if (const auto* N = std::get_if<Paren>(&E->Is))
    return rootOf(N->Inner);
  return nullptr;
}

/// An ikra::index of some numbers.
static bool isPlace(const Expr& E) {
  const auto* const N = std::get_if<Make>(&E.Is);
  return N && N->Of && llvm::StringRef(N->Of->Of.Spelling).contains("ikra::index<");
}

bool mayChange(const Body& Of, llvm::StringRef Variable) {
  const auto Leads = [&](ExprRef E) {
    while (const auto* N = E ? std::get_if<Cast>(&E->Is) : nullptr)
      E = N->Of;
    const Name* const N = E ? rootOf(E) : nullptr;
    return N && N->Ident == Variable;
  };
  bool Out = false;
  forEachExpr(Of, [&](const Expr& E) {
    if (const auto* N = std::get_if<Binary>(&E.Is))
      Out |= ((N->IsOverloaded || isAssignment(N->Sign)) && Leads(N->Left)) ||
             (N->Sign == "," && Leads(N->Right));
    else if (const auto* N = std::get_if<Unary>(&E.Is))
      Out |= (N->Sign == "++" || N->Sign == "--" || N->Sign == "&") && Leads(N->Operand);
    else if (!std::holds_alternative<Part>(E.Is) && !std::holds_alternative<Paren>(E.Is) &&
             !std::holds_alternative<Cast>(E.Is) && !std::holds_alternative<Subscript>(E.Is) &&
             !std::holds_alternative<Location>(E.Is) && !isPlace(E))
      Out |= llvm::any_of(operandsOf(E), Leads); // a function may take it by reference
  });
  forEachStmt(Of, [&](const Stmt& S) {
    if (const auto* N = std::get_if<Declare>(&S.Is)) // so may a variable
      Out |= N->Ty && N->Ty->Reference != CodeType::None && llvm::any_of(N->Values, Leads);
  });
  return Out;
}

bool isSmallValue(const TypeRef& Ty) {
  constexpr unsigned LargestClass = 64; // bytes
  return Ty && Ty->Is == CodeType::Plain && Ty->Of.Kind == TypeKind::Value &&
         Ty->Of.isAsInProgram() && (!Ty->Of.IsClass || Ty->Of.Bytes <= LargestClass);
}

bool computesValuesAlone(const ProgramModel& Model, const Section& S) {
  const bool IsOperation =
      S.Op == Operation::PMap || S.Op == Operation::PCombine || S.Op == Operation::PNew;
  if (!IsOperation || S.IsZip || S.Code.Known || S.reportsFailures() || S.isOverObjects() ||
      S.takesIds() || S.takesCopies()) // of objects: their structs are no results
    return false;
  const Function& F = Model.Functions[S.Code.Function];
  const bool UsesObjects = F.Dispatches || !F.Total.read().empty() || !F.Total.written().empty();
  return F.Code && !F.Code->Handed && !UsesObjects;
}

/// The captured container of any dimensions that an expression names.
const Capture* SharedValues::viewOf(const ExprRef& E) const {
  const auto* N = std::get_if<Captured>(&E->Is);
  if (!N)
    return nullptr;
  for (const Capture& C : S.Code.Captures)
    if (C.Name == N->Ident)
      return C.Kind == CaptureKind::View && !C.Ty.IsNested ? &C : nullptr;
  return nullptr;
}

const Capture* SharedValues::containerOf(const ExprRef& E) const {
  const Capture* const C = viewOf(E);
  return C && C->Ty.ArrayRank <= 1 ? C : nullptr;
}

std::optional<SharedValues::ElementRead> SharedValues::elementOf(const Expr& E) const {
  if (const auto* N = std::get_if<Location>(&E.Is)) {
    const Capture* const From = viewOf(N->Array);
    return From ? std::optional(ElementRead{From, N->Places}) : std::nullopt;
  }
  const auto* const N = std::get_if<Subscript>(&E.Is);
  const Capture* const From = N ? viewOf(N->Base) : nullptr;
  if (!From)
    return std::nullopt;
  if (From->Ty.ArrayRank <= 1)
    return ElementRead{From, {N->Index}};
  const auto* const Place = std::get_if<Make>(&N->Index->Is);
  return Place && Place->Arguments.size() == From->Ty.ArrayRank
             ? std::optional(ElementRead{From, Place->Arguments})
             : std::nullopt;
}

/// "a.shape()"
bool SharedValues::isShape(const ExprRef& E) const {
  const auto* const N = std::get_if<MethodCall>(&E->Is);
  return N && N->Name == "shape" && viewOf(N->Object);
}

bool SharedValues::isShared(const ExprRef& E) const {
  if (!E)
    return true;
  const auto All = [&] {
    return llvm::all_of(operandsOf(*E), [&](const ExprRef& Of) { return isShared(Of); });
  };
  if (const std::optional<ElementRead> Read = elementOf(*E))
    return llvm::all_of(Read->Places, [&](const ExprRef& Place) { return isShared(Place); });
  return std::visit(Cases{
                        [](const auto&) { return false; },
                        [](const Literal&) { return true; },
                        [](const Constant&) { return true; },
                        [](const Enumerator&) { return true; },
                        [](const Captured&) { return true; },
                        [](const Global&) { return true; },
                        [&](const Name& N) { return Variables.contains(N.Ident); },
                        [&](const Part& N) { return !N.ThroughPointer && All(); },
                        [&](const Unary& N) {
                          return N.Sign != "++" && N.Sign != "--" && N.Sign != "&" && All();
                        },
                        [&](const Binary& N) {
                          return !N.IsOverloaded && !isAssignment(N.Sign) && N.Sign != "," && All();
                        },
                        [&](const Cast&) { return All(); },
                        [&](const Paren&) { return All(); },
                        [&](const Subscript& N) { return isShape(N.Base) && isShared(N.Index); },
                        [&](const MethodCall& N) {
                          return viewOf(N.Object) && (N.Name == "size" || N.Name == "shape");
                        },
                    },
                    E->Is);
}

bool SharedValues::isConstant(const Declare& N) const {
  return N.Ty->Is == CodeType::Plain && N.Ty->IsConst && N.Ty->Reference == CodeType::None &&
         !N.Ty->Of.IsClass && N.Init != Declare::Plain && isShared(N.Values.front());
}

bool SharedValues::changes(const Expr& E) const {
  if (const auto* N = std::get_if<Binary>(&E.Is))
    return isAssignment(N->Sign) && leadsToVariable(N->Left);
  if (const auto* N = std::get_if<Unary>(&E.Is))
    return (N->Sign == "&" || N->Sign == "++" || N->Sign == "--") && leadsToVariable(N->Operand);
  const auto* const N = std::get_if<body::Call>(&E.Is);
  if (!N || !N->Function)
    return false;
  const Body& Callee = *Model.Functions[*N->Function].Code;
  const std::size_t Receivers = Callee.ReceiverIs == Body::NoReceiver ? 0 : 1;
  for (std::size_t K = 0; K < N->Arguments.size(); ++K) {
    TypeRef Ty;
    if (K < Receivers)
      Ty = Callee.ReceiverType;
    else if (K - Receivers < Callee.Parameters.size())
      Ty = Callee.Parameters[K - Receivers].Ty;
    const bool IsChanged =
        !Ty || (!Ty->IsConst && (K < Receivers || Ty->Reference != CodeType::None));
    if (IsChanged && leadsToVariable(N->Arguments[K]))
      return true;
  }
  return false;
}

bool SharedValues::binds(const Declare& N) const {
  return N.Ty->Reference != CodeType::None && !N.Ty->IsConst &&
         llvm::any_of(N.Values, [&](const ExprRef& E) { return leadsToVariable(E); });
}

const Declare* SharedValues::counterOf(const For& N) const {
  const auto* const Counter = N.Init ? std::get_if<Declare>(&N.Init->Is) : nullptr;
  if (!Counter || N.InBlock || !N.Before.empty() || N.Variable || !N.Hoisted.empty() ||
      !N.Condition || !N.Step || !Counter->Bindings.empty() || Counter->IsConstexpr ||
      Counter->Ident.empty() || Counter->Ty->Is != CodeType::Plain ||
      Counter->Ty->Reference != CodeType::None || Counter->Ty->Of.IsClass ||
      Counter->Values.empty() || !isShared(Counter->Values.front()))
    return nullptr;
  const auto* const Step = std::get_if<Unary>(&N.Step->Is);
  const Name* const Stepped = Step && Step->Sign == "++" ? rootOf(Step->Operand) : nullptr;
  return Stepped && Stepped->Ident == Counter->Ident ? Counter : nullptr;
}

} // namespace ikra::body
