// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations whose sections have code that ikrac knows: sum, count, any and all, and operators on
// arrays. Emitted code calls the function objects of the standard library that the plain library
// calls.

#include "SectionBuilder.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace ikra {

/// The code that combines what a shorthand reduces.
static BuiltIn combinationOf(llvm::StringRef Name) {
  if (Name == "any")
    return {.Function = "::std::logical_or<>()", .Code = "std::logical_or<>()(a, b)"};
  if (Name == "all")
    return {.Function = "::std::logical_and<>()", .Code = "std::logical_and<>()(a, b)"};
  return {.Function = "::std::plus<>()", .Code = "std::plus<>()(a, b)"};
}

/// Whether a predicate's result becomes a bool in emitted code as it does in the plain library. In
/// a template it has to be one: the result has the type that the user's function gives.
static bool isTruth(QualType Ty, bool InTemplate) {
  Ty = Ty.getNonReferenceType();
  return Ty->isBooleanType() ||
         (!InTemplate && (Ty->isIntegralOrUnscopedEnumerationType() || Ty->isRealFloatingType()));
}

bool SectionBuilder::addShorthand(const OperationCall& Operation) {
  const CallExpr* Call = Operation.Call;
  const QualType Element = Operation.Elements.front();
  const bool OfElements = Operation.Name == "sum" || Call->getNumArgs() == 0;
  if (OfElements && !isComputedByLanguage(Element, OO_Plus, Context))
    return false;
  Section Combine;
  Combine.Op = ikra::Operation::PReduce;
  if (!begin(Combine, Operation))
    return false;
  Combine.Elements.push_back(declareThere(Element, Operation));
  Combine.Inputs.resize(1);
  if (Operation.Name != "sum") {
    Section Truth;
    Truth.Op = ikra::Operation::PMap;
    if (!begin(Truth, Operation) || !addElements(Truth, Operation))
      return false;
    Truth.Result = Builder.declare(Context.BoolTy);
    Truth.IsTemporary = true;
    if (Call->getNumArgs() == 1) {
      const std::optional<Code> Found = addCode(Truth, Operation, Call->getArg(0));
      // In a template the result has the type that the user's function gives.
      if (!Found || !isTruth(Found->Function->getReturnType(), Truth.Instance.has_value()))
        return false;
      Truth.Function = Collector.requestSection(Found->Function, Truth.isOverObjects() ? 2 : 0,
                                                Call->getExprLoc(), MayBeLeft);
    } else {
      addKnown(Truth, Operation,
               {.Function = "[](const auto& a) { return static_cast<bool>(a); }",
                .Code = "static_cast<bool>(a)"});
      Truth.Written = Rewriting::NewArgument;
    }
    Truth.Inputs.resize(1);
    Combine.Elements.front() = Truth.Result;
    if (!Truth.Instance) {
      Combine.Inputs.front() = Model.Sections.size();
      Inputs.push_back({Model.Sections.size(), Operation.Inputs});
    }
    if (!finish(std::move(Truth), Operation))
      return false;
  }
  Combine.Result = declareThere(Operation.Result, Operation);
  if (Combine.element().Kind != TypeKind::Value || Combine.Result.Kind != TypeKind::Value)
    return false;
  if (Operation.Name == "sum" && !Combine.Instance)
    Inputs.push_back({Model.Sections.size(), Operation.Inputs});
  Combine.FromInit = true;
  addKnown(Combine, Operation, combinationOf(Operation.Name));
  Combine.Written = Rewriting::NewArgument;
  return finish(std::move(Combine), Operation, 1);
}

/// The function object that the plain library's operator uses.
static std::string functionOf(OverloadedOperatorKind Operator, bool IsUnary) {
  switch (Operator) {
  case OO_Plus:
    return "std::plus<>";
  case OO_Minus:
    return IsUnary ? "std::negate<>" : "std::minus<>";
  case OO_Star:
    return "std::multiplies<>";
  case OO_Slash:
    return "std::divides<>";
  case OO_Percent:
    return "std::modulus<>";
  case OO_Amp:
    return "std::bit_and<>";
  case OO_Pipe:
    return "std::bit_or<>";
  case OO_Caret:
    return "std::bit_xor<>";
  case OO_LessLess:
    return "ikra::detail::shift_left";
  case OO_GreaterGreater:
    return "ikra::detail::shift_right";
  case OO_Less:
    return "std::less<>";
  case OO_LessEqual:
    return "std::less_equal<>";
  case OO_Greater:
    return "std::greater<>";
  case OO_GreaterEqual:
    return "std::greater_equal<>";
  case OO_AmpAmp:
    return "std::logical_and<>";
  case OO_PipePipe:
    return "std::logical_or<>";
  case OO_Exclaim:
    return "std::logical_not<>";
  case OO_Tilde:
    return "std::bit_not<>";
  default:
    return "";
  }
}

/// The comparison of the standard library that is for all types and that \p Argument is an object
/// of; OO_None for all else.
static OverloadedOperatorKind comparisonOf(const Expr* Argument) {
  const auto* Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      Argument->getType().getNonReferenceType()->getAsCXXRecordDecl());
  if (!Class || !isInStd(Class))
    return OO_None;
  const auto Operator = llvm::StringSwitch<OverloadedOperatorKind>(Class->getName())
                            .Case("less", OO_Less)
                            .Case("less_equal", OO_LessEqual)
                            .Case("greater", OO_Greater)
                            .Case("greater_equal", OO_GreaterEqual)
                            .Default(OO_None);
  return Operator != OO_None && Class->getTemplateArgs()[0].getAsType()->isVoidType() ? Operator
                                                                                      : OO_None;
}

bool SectionBuilder::isComparison(const OperationCall& Operation) {
  const unsigned Given = Operation.Call->getNumArgs();
  return (Operation.Name == "psort" || Operation.Name == "pcombine") &&
         comparisonOf(Operation.Call->getArg(Given - 1)) != OO_None;
}

bool SectionBuilder::addComparison(Section& S, const OperationCall& Operation) {
  const Expr* Argument = Operation.Call->getArg(Operation.Call->getNumArgs() - 1);
  const OverloadedOperatorKind Operator = comparisonOf(Argument);
  const auto IsNumber = [&](QualType Ty) { return isComputedByLanguage(Ty, Operator, Context); };
  if (!canBeRewritten(Argument->getSourceRange(), Context) || S.WithIndex ||
      !llvm::all_of(Operation.Elements, IsNumber))
    return false;
  const std::string Function = functionOf(Operator, /*IsUnary=*/false) + "()";
  addKnown(S, Operation, {.Function = "::" + Function, .Code = Function + "(a, b)"});
  S.Argument = Argument;
  S.Result = S.Op == ikra::Operation::PSort ? S.Elements.front() : Builder.declare(Context.BoolTy);
  return true;
}

bool SectionBuilder::addOperator(const OperationCall& Operation) {
  const auto* Call = cast<CXXOperatorCallExpr>(Operation.Call);
  const std::string Function = functionOf(Call->getOperator(), Call->getNumArgs() == 1);
  // In a template the text serves operands of all kinds, and those of && and || that are no arrays
  // are not always evaluated.
  const bool MayBeSkipped = Call->getOperator() == OO_AmpAmp || Call->getOperator() == OO_PipePipe;
  if (Function.empty() || (Operation.InTemplate && MayBeSkipped) ||
      !canBeRewritten(Call->getSourceRange(), Context))
    return false;
  Section S;
  S.Op = Operation.Elements.size() == 2 ? ikra::Operation::PCombine : ikra::Operation::PMap;
  if (!begin(S, Operation))
    return false;
  for (const QualType Ty : Operation.Elements)
    S.Elements.push_back(declareThere(Ty, Operation));
  S.Result = declareThere(Operation.Result, Operation);
  std::vector<std::string> Operands;
  for (const Expr* Operand : Call->arguments()) {
    if (llvm::is_contained(Operation.Inputs, Operand)) {
      Operands.emplace_back(Operands.empty() || !S.Captures.empty() ? "a" : "b");
      continue;
    }
    const QualType Ty = Operand->getType().getNonReferenceType().getUnqualifiedType();
    Capture Value;
    Value.Name = "value";
    Value.Ty = declareThere(Ty, Operation);
    S.Captures.push_back(std::move(Value));
    Operands.emplace_back("value");
  }
  const auto IsNumber = [&](const Expr* Operand) {
    const auto At =
        static_cast<std::size_t>(llvm::find(Operation.Inputs, Operand) - Operation.Inputs.begin());
    return isComputedByLanguage(At == Operation.Inputs.size() ? Operand->getType()
                                                              : Operation.Elements[At],
                                Call->getOperator(), Context);
  };
  if (!llvm::all_of(Call->arguments(), IsNumber))
    return false;
  const auto IsValue = [](const Type& T) { return T.Kind == TypeKind::Value && !T.HiddenHere; };
  if (!IsValue(S.Result) || !llvm::all_of(S.Elements, IsValue) ||
      !llvm::all_of(S.Captures, [&](const Capture& C) { return IsValue(C.Ty); }))
    return false;
  addKnown(
      S, Operation,
      {.Function = "::" + Function, .Code = Function + "()(" + llvm::join(Operands, ", ") + ")"});
  S.Written = Rewriting::Operator;
  S.Inputs.resize(S.Elements.size());
  if (!S.Instance) {
    Inputs.push_back({Model.Sections.size(), Operation.Inputs});
    SectionOfCall[Call] = Model.Sections.size();
  }
  return finish(std::move(S), Operation);
}

} // namespace ikra
