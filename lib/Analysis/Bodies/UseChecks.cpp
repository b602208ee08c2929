// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "UseChecks.h"

#include "Analysis/Ast/Locations.h"
#include "Analysis/Ast/Names.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace clang;

namespace ikra {

static body::ExprRef plain(body::Expr::Node Node) { return body::expr(std::move(Node)); }

body::ExprRef UseChecks::numbered(const Expr* E, Check::Kind What) {
  const SourceManager& SM = Ast.getSourceManager();
  const SourceLocation Place = SM.getFileLoc(E->getExprLoc());
  const auto [Known, IsNew] = Numbers.try_emplace({What, Place}, Model.Checks.size());
  if (IsNew && Model.Checks.size() <= LastCheck)
    Model.Checks.push_back({What, locOf(Place, SM)});
  return plain(body::Literal{std::to_string(std::min(Known->second, LastCheck))});
}

body::LibraryCall UseChecks::call(const Expr* E, Check::Kind What, std::string Function,
                                  body::Exprs Arguments) {
  Arguments.push_back(numbered(E, What));
  return {"ikra::checked::" + std::move(Function), {}, std::move(Arguments), /*MayFail=*/true};
}

/// The integer that an expression is known to be.
static std::optional<llvm::APSInt> knownInteger(const Expr* E, const ASTContext& Ast) {
  return E->isValueDependent() ? std::nullopt : constantInteger(E, Ast);
}

/// Whether an element that a subscript names is one of an array that is as long as its type says.
static bool isKnownToBeThere(const Expr* E, const ASTContext& Ast) {
  const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E);
  if (!Subscript)
    return false;
  const auto* Array =
      Ast.getAsConstantArrayType(Subscript->getBase()->IgnoreParenImpCasts()->getType());
  const std::optional<llvm::APSInt> Index = knownInteger(Subscript->getIdx(), Ast);
  return Array && Index && Index->isNonNegative() && Index->getZExtValue() < Array->getZExtSize();
}

body::Expr::Node UseChecks::element(const Expr* E, body::Subscript Use) {
  if (isKnownToBeThere(E, Ast))
    return Use;
  return call(E, Check::Index, "at", {Use.Base, Use.Index});
}

body::Expr::Node UseChecks::end(const Expr* E, body::MethodCall Use) {
  const auto* Call = dyn_cast<CXXMemberCallExpr>(E);
  if (!Call || !Use.Arguments.empty() || !isNamedInStd(Call->getMethodDecl(), {"front", "back"}))
    return Use;
  return call(E, Check::Index, std::move(Use.Name), {std::move(Use.Object)});
}

body::Expr::Node UseChecks::library(const Expr* E, body::LibraryCall Use) {
  if (Use.Name == "ikra::at")
    return call(E, Check::Index, "at", std::move(Use.Arguments));
  if (Use.Name != "ikra::value" && Use.Name != "ikra::get" && Use.Name != "ikra::referred")
    return Use;
  body::LibraryCall Out =
      call(E, Check::Missing, Use.Name.substr(std::strlen("ikra::")), std::move(Use.Arguments));
  Out.Types = std::move(Use.Types);
  return Out;
}

/// Whether \p Of is an object that is there, or its ID: the section's element, or a receiver, which
/// its call has looked at.
static bool isPresent(const body::ExprRef& Of) {
  if (const auto* N = std::get_if<body::Paren>(&Of->Is))
    return isPresent(N->Inner);
  return std::holds_alternative<body::Element>(Of->Is) ||
         std::holds_alternative<body::Receiver>(Of->Is);
}

body::Expr::Node UseChecks::member(const Expr* E, body::Member Use) {
  Use.Object = object(E, std::move(Use.Object));
  return Use;
}

body::ExprRef UseChecks::object(const Expr* E, body::ExprRef Object) {
  return isPresent(Object) ? std::move(Object)
                           : plain(call(E, Check::Null, "object", {std::move(Object)}));
}

body::Expr::Node UseChecks::pointed(const Expr* E, body::ExprRef Pointer) {
  return call(E, Check::Null, "pointed", {std::move(Pointer)});
}

/// Whether a place is a member of an object, or a part of one.
static bool isInMember(const body::ExprRef& Place) {
  if (const auto* N = std::get_if<body::Paren>(&Place->Is))
    return isInMember(N->Inner);
  if (const auto* N = std::get_if<body::Part>(&Place->Is))
    return isInMember(N->Object);
  if (const auto* N = std::get_if<body::Subscript>(&Place->Is))
    return isInMember(N->Base);
  if (const auto* N = std::get_if<body::LibraryCall>(&Place->Is))
    return (N->Name == "ikra::checked::at" || N->Name == "ikra::checked::front" ||
            N->Name == "ikra::checked::back") &&
           isInMember(N->Arguments.front());
  return std::holds_alternative<body::Member>(Place->Is);
}

body::ExprRef UseChecks::changed(const Expr* E, body::ExprRef Place) {
  return isInMember(Place) ? plain(call(E, Check::Conflict, "changed", {std::move(Place)}))
                           : std::move(Place);
}

body::Expr::Node UseChecks::division(const BinaryOperator* E, QualType Type, body::Binary Use,
                                     body::ExprRef Dividend) {
  const Expr* const Left = E->getLHS();
  const std::optional<llvm::APSInt> By = knownInteger(E->getRHS(), Ast);
  const bool IsSigned = Type->isSignedIntegerType();
  if (By && !By->isZero() && !(IsSigned && By->isAllOnes()))
    return Use;
  const std::optional<llvm::APSInt> Of = knownInteger(Left, Ast);
  // An assignment's left side is the dividend as well. Where that does something, only zero is
  // found.
  const bool IsAssignment = E->isCompoundAssignmentOp();
  if (!IsSigned || (Of && !Of->isMinSignedValue()) || (IsAssignment && Left->HasSideEffects(Ast))) {
    Use.Right = plain(call(E, Check::Division, "divisor", {Use.Right}));
    return Use;
  }
  const body::ExprRef ByZero = numbered(E, Check::Division);
  if (IsAssignment) {
    Use.Right =
        plain(call(E, Check::Quotient, "divisor_of", {std::move(Dividend), Use.Right, ByZero}));
    return Use;
  }
  return call(E, Check::Quotient, E->getOpcode() == BO_Div ? "quotient" : "remainder",
              {Use.Left, Use.Right, ByZero});
}

body::Expr::Node UseChecks::arithmetic(const BinaryOperator* E, body::Binary Use,
                                       body::ExprRef Dividend) {
  const BinaryOperatorKind Op = E->isCompoundAssignmentOp()
                                    ? BinaryOperator::getOpForCompoundAssignment(E->getOpcode())
                                    : E->getOpcode();
  const QualType Left = isa<CompoundAssignOperator>(E)
                            ? cast<CompoundAssignOperator>(E)->getComputationLHSType()
                            : E->getLHS()->getType();
  const QualType Right = E->getRHS()->getType();
  if (!Left->isIntegralOrEnumerationType() || !Right->isIntegralOrEnumerationType())
    return Use;
  switch (Op) {
  case BO_Div:
  case BO_Rem:
    return division(E, Left, std::move(Use), std::move(Dividend));
  case BO_Shl:
  case BO_Shr: {
    const std::uint64_t Bits = Ast.getTypeSize(Left);
    const std::optional<llvm::APSInt> Known = knownInteger(E->getRHS(), Ast);
    if (Known && Known->isNonNegative() && Known->ult(Bits))
      return Use;
    body::LibraryCall Count = call(E, Check::Shift, "shift_count", {Use.Right});
    Count.Types.emplace_back(std::to_string(Bits));
    Use.Right = plain(std::move(Count));
    return Use;
  }
  default:
    return Use;
  }
}

body::Expr::Node UseChecks::around(const Expr* E, body::Expr::Node Use) {
  if (auto* N = std::get_if<body::Subscript>(&Use))
    return element(E, std::move(*N));
  if (auto* N = std::get_if<body::Member>(&Use))
    return member(E, std::move(*N));
  if (auto* N = std::get_if<body::MethodCall>(&Use))
    return end(E, std::move(*N));
  if (auto* N = std::get_if<body::LibraryCall>(&Use))
    return library(E, std::move(*N));
  if (auto* N = std::get_if<body::OfClass>(&Use); N && N->Is == body::OfClass::Refer) {
    N->Is = body::OfClass::Cast;
    return call(E, Check::Missing, "referred", {plain(std::move(*N))});
  }
  if (auto* N = std::get_if<body::Unary>(&Use); N && (N->Sign == "++" || N->Sign == "--")) {
    N->Operand = changed(E, std::move(N->Operand));
    return Use;
  }
  auto* N = std::get_if<body::Binary>(&Use);
  if (!N)
    return Use;
  const auto* const Op = dyn_cast<BinaryOperator>(E);
  const auto* const Overloaded = dyn_cast<CXXOperatorCallExpr>(E);
  if (Op && Op->getOpcode() == BO_Assign && isInMember(N->Left) &&
      Op->getRHS()->getType()->isScalarType())
    return call(E, Check::Conflict, "assign", {N->Left, N->Right});
  const body::ExprRef Left = N->Left;
  if ((Op && Op->isAssignmentOp()) || (Overloaded && Overloaded->isAssignmentOp()))
    N->Left = changed(E, std::move(N->Left));
  return Op ? arithmetic(Op, std::move(*N), Left) : std::move(Use);
}

} // namespace ikra
