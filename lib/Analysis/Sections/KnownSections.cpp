// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations whose text names no section: sum, count, any and all, and operators on arrays. The
// plain library calls function objects of the standard library. Over numbers so does emitted code;
// over other values the section is what these objects call, an operator of the user's.

#include "Callables.h"
#include "SectionBuilder.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace ikra {

/// The function object that combines what a shorthand reduces.
static std::string combinationOf(llvm::StringRef Name) {
  if (Name == "any")
    return "std::logical_or<>()";
  if (Name == "all")
    return "std::logical_and<>()";
  return "std::plus<>()";
}

/// The class template or class that a function object's name means, without its arguments.
static const NamedDecl* classNamed(llvm::StringRef FunctionObject, const ASTContext& Context) {
  llvm::SmallVector<llvm::StringRef> Names;
  FunctionObject.take_until([](char C) { return C == '<'; }).split(Names, "::");
  const DeclContext* Scope = Context.getTranslationUnitDecl();
  const NamedDecl* Found = nullptr;
  for (const llvm::StringRef Name : Names) {
    Found = nullptr;
    for (const NamedDecl* D : Scope->lookup(&Context.Idents.get(Name)))
      Found = D;
    if (const auto* Namespace = dyn_cast_or_null<NamespaceDecl>(Found))
      Scope = Namespace;
  }
  return Found;
}

/// The call operator templates of std::plus<> and its kin.
static llvm::SmallVector<const FunctionTemplateDecl*> callOperators(llvm::StringRef FunctionObject,
                                                                    const ASTContext& Context) {
  llvm::SmallVector<const CXXRecordDecl*> Classes;
  const NamedDecl* Named = classNamed(FunctionObject, Context);
  if (const auto* Class = dyn_cast_or_null<CXXRecordDecl>(Named))
    Classes.push_back(Class);
  if (const auto* Template = dyn_cast_or_null<ClassTemplateDecl>(Named))
    for (const ClassTemplateSpecializationDecl* Class : Template->specializations())
      if (Class->getTemplateArgs()[0].getAsType()->isVoidType())
        Classes.push_back(Class);
  llvm::SmallVector<const FunctionTemplateDecl*> Out;
  for (const CXXRecordDecl* Class : Classes)
    if (Class->hasDefinition())
      for (const NamedDecl* D : Class->lookup(Context.DeclarationNames.getCXXOperatorName(OO_Call)))
        if (const auto* Template = dyn_cast<FunctionTemplateDecl>(D))
          Out.push_back(Template);
  return Out;
}

/// std::less<> and its kin tell pointers apart before they compare: the function that compares all
/// else.
static const FunctionDecl* afterPointers(const FunctionDecl* F) {
  const auto* Body = dyn_cast<CompoundStmt>(F->getBody());
  const auto* Return =
      Body && Body->size() == 1 ? dyn_cast<ReturnStmt>(Body->body_front()) : nullptr;
  const auto* Call =
      Return ? dyn_cast<CallExpr>(Return->getRetValue()->IgnoreUnlessSpelledInSource()) : nullptr;
  const auto* Callee = Call ? dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee()) : nullptr;
  const FunctionDecl* Definition = nullptr;
  return Callee && Callee->isStatic() && Callee->getParent() == F->getParent() &&
                 Callee->hasBody(Definition)
             ? Definition
             : F;
}

/// What the function object calls for operands of these types: a function whose body is the
/// operator, as the compiler has found it. Null where there is none, or it gives a reference.
static const FunctionDecl* operatorFor(llvm::StringRef FunctionObject,
                                       llvm::ArrayRef<QualType> Operands,
                                       const ASTContext& Context) {
  for (const FunctionTemplateDecl* Template : callOperators(FunctionObject, Context))
    for (const FunctionDecl* Instance : Template->specializations()) {
      const FunctionDecl* Definition = nullptr;
      bool Fits = Instance->hasBody(Definition) && Instance->getNumParams() == Operands.size() &&
                  !Instance->getReturnType()->isReferenceType();
      for (unsigned K = 0; Fits && K < Operands.size(); ++K)
        Fits = Context.hasSameUnqualifiedType(
            Instance->getParamDecl(K)->getType().getNonReferenceType(), Operands[K]);
      if (Fits)
        return afterPointers(Definition);
    }
  return nullptr;
}

/// Whether a predicate's result becomes a bool in emitted code as it does in the plain library.
static bool isTruth(QualType Ty) {
  Ty = Ty.getNonReferenceType();
  return Ty->isIntegralOrUnscopedEnumerationType() || Ty->isRealFloatingType();
}

/// The class's own way to become a bool; null where it has none, or what is converted may be
/// changed.
static const CXXConversionDecl* truthOf(QualType Ty, const ClassRoles& Roles) {
  const CXXRecordDecl* Class = valueClassOf(Ty, Roles);
  if (!Class || isInStd(Class))
    return nullptr;
  for (const NamedDecl* D : Class->getDefinition()->getVisibleConversionFunctions())
    if (const auto* Conversion = dyn_cast<CXXConversionDecl>(D->getUnderlyingDecl());
        Conversion && Conversion->isConst() && Conversion->getConversionType()->isBooleanType())
      return Conversion;
  return nullptr;
}

bool SectionBuilder::addShorthand(const OperationCall& Operation) {
  const CallExpr* Call = Operation.Call;
  const QualType Element = Operation.Elements.front();
  const bool OfElements = Operation.Name == "sum" || Call->getNumArgs() == 0;
  const bool AreNumbers = isComputedByLanguage(Element, OO_Plus, Context);
  const FunctionDecl* IsTrue = nullptr;
  if (OfElements && Operation.Name != "sum" && !AreNumbers) {
    const CXXConversionDecl* Conversion = truthOf(Element, Model.Roles);
    if (!Conversion)
      return false;
    IsTrue = callOfMember(Context, Conversion, Element, Call->getExprLoc());
    if (!IsTrue)
      return false;
  }
  Section Combine;
  Combine.Op = ikra::Operation::PReduce;
  if (!begin(Combine, Operation))
    return false;
  Combine.Elements.push_back(declareThere(Element, Operation));
  Combine.Flow.Inputs.resize(1);
  if (Operation.Name != "sum") {
    Section Truth;
    Truth.Op = ikra::Operation::PMap;
    if (!begin(Truth, Operation) || !addElements(Truth, Operation))
      return false;
    Truth.Result = Builder.declare(Context.BoolTy);
    Truth.Flow.IsTemporary = true;
    if (Call->getNumArgs() == 1) {
      const std::optional<Code> Found = addCode(Truth, Operation, Call->getArg(0));
      if (!Found)
        return false;
      if (!isTruth(Found->Function->getReturnType()))
        return false;
      if (!request(Truth, Found->Function, Operation))
        return false;
    } else {
      const char* Converts = "[](const auto& ikra_value) { return static_cast<bool>(ikra_value); }";
      if (IsTrue) { // an operator of the user's
        Truth.Site.FunctionObject = Converts;
        Truth.Site.Argument = Call;
        Truth.Code.Function =
            Collector.requestSection(IsTrue, /*SelfMask=*/0, Call->getExprLoc(), MayFallBack);
        Collector.fallBackForAll(Truth.Code.Function);
      } else {
        addKnown(Truth, Operation, Converts, "static_cast<bool>(a)");
      }
      Truth.Site.Written = Rewriting::NewArgument;
    }
    Truth.Flow.Inputs.resize(1);
    Combine.Elements.front() = Truth.Result;
    Combine.Flow.Inputs.front() = Model.Sections.size();
    if (!finish(std::move(Truth), Operation))
      return false;
    Inputs.push_back({Combine.Flow.Inputs.front().value(), Operation.Inputs});
  }
  Combine.Result = declareThere(Operation.Result, Operation);
  if (Combine.element().Kind != TypeKind::Value || Combine.Result.Kind != TypeKind::Value)
    return false;
  Combine.FromInit = true;
  const std::string Function = combinationOf(Operation.Name);
  if (Operation.Name != "sum" || AreNumbers)
    addKnown(Combine, Operation, "::" + Function, Function + "(a, b)");
  else if (!Combine.element().isAsInProgram() ||
           !addOperatorFunction(Combine, Operation, Function, {Operation.Result, Operation.Result}))
    return false;
  Combine.Site.Written = Rewriting::NewArgument;
  if (!finish(std::move(Combine), Operation, 1))
    return false;
  const Index Made = Model.Sections.size() - 1;
  if (Operation.Name == "sum")
    Inputs.push_back({Made, Operation.Inputs});
  SectionsOfNumber[Call] =
      Operation.Name == "sum" ? std::vector{Made} : std::vector{Made - 1, Made};
  return true;
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
  return (Operation.is(ikra::Operation::PSort) || Operation.is(ikra::Operation::PCombine)) &&
         comparisonOf(Operation.Call->getArg(Given - 1)) != OO_None;
}

bool SectionBuilder::addComparison(Section& S, const OperationCall& Operation) {
  const Expr* Argument = Operation.Call->getArg(Operation.Call->getNumArgs() - 1);
  const OverloadedOperatorKind Operator = comparisonOf(Argument);
  const auto IsNumber = [&](QualType Ty) { return isComputedByLanguage(Ty, Operator, Context); };
  if (!canBeRewritten(Argument->getSourceRange(), Context) || S.WithIndex)
    return false;
  const std::string Function = functionOf(Operator, /*IsUnary=*/false) + "()";
  llvm::SmallVector<QualType> Operands(Operation.Elements.begin(), Operation.Elements.end());
  Operands.resize(2, Operation.Elements.front());
  if (llvm::all_of(Operation.Elements, IsNumber)) {
    addKnown(S, Operation, "::" + Function, Function + "(a, b)");
    S.Result = Builder.declare(Context.BoolTy);
  } else if (addOperatorFunction(S, Operation, Function, Operands)) {
    S.Result = declareThere(operatorFor(Function, Operands, Context)->getReturnType(), Operation);
  } else {
    return false;
  }
  S.Site.Argument = Argument;
  if (S.Op == ikra::Operation::PSort)
    S.Result = S.Elements.front();
  return S.Result.Kind == TypeKind::Value;
}

bool SectionBuilder::addOrder(const OperationCall& Operation) {
  Section S;
  S.Op = ikra::Operation::PSort;
  // One text for all instantiations cannot serve numbers too, which the runtime sorts.
  if (Operation.InTemplate) {
    explain(Operation.Call->getExprLoc(),
            "'psort' without an order, in a template, of elements that are no numbers; write "
            "psort(std::less<>{})");
    return false;
  }
  if (!begin(S, Operation) || !addElements(S, Operation) || S.element().Kind != TypeKind::Value ||
      !addOperatorFunction(S, Operation, "ikra::detail::ascending",
                           {Operation.Elements.front(), Operation.Elements.front()}))
    return false;
  S.Result = S.element();
  S.Site.Written = Rewriting::NewArgument;
  return finishWithInputs(std::move(S), Operation);
}

bool SectionBuilder::addOperatorFunction(Section& S, const OperationCall& Operation,
                                         const std::string& FunctionObject,
                                         llvm::ArrayRef<QualType> Operands) {
  const FunctionDecl* Function = operatorFor(FunctionObject, Operands, Context);
  if (!Function ||
      (S.FromInit && !Context.hasSameUnqualifiedType(Function->getReturnType(), Operation.Result)))
    return false;
  for (Capture& Value : S.Code.Captures) { // the operand that is no array
    const bool IsRight = llvm::is_contained(Operation.Inputs, Operation.Call->getArg(0));
    const ParmVarDecl* Operand = Function->getParamDecl(IsRight ? 1 : 0);
    Value.Name = Operand->getNameAsString();
    Value.Decl = Operand;
  }
  S.Site.FunctionObject = "::" + FunctionObject;
  S.Site.Argument = Operation.Call;
  S.Code.Function =
      Collector.requestSection(Function, /*SelfMask=*/0, Operation.Call->getExprLoc(), MayFallBack);
  Collector.fallBackForAll(S.Code.Function);
  return true;
}

bool SectionBuilder::addOperator(const OperationCall& Operation) {
  const auto* Call = cast<CXXOperatorCallExpr>(Operation.Call);
  const std::string Function = functionOf(Call->getOperator(), Call->getNumArgs() == 1);
  // In a template the text serves operands of all kinds, and those of && and || that are no arrays
  // are not always evaluated.
  const bool MayBeSkipped = Call->getOperator() == OO_AmpAmp || Call->getOperator() == OO_PipePipe;
  if (Operation.InTemplate && MayBeSkipped) {
    explain(Call->getExprLoc(), "'" + Operation.Name +
                                    "' of arrays in a template; write pcombine with " + Function +
                                    "{}");
    return false;
  }
  if (Function.empty() || !canBeRewritten(Call->getSourceRange(), Context))
    return false;
  Section S;
  S.Op = Operation.Elements.size() == 2 ? ikra::Operation::PCombine : ikra::Operation::PMap;
  if (!begin(S, Operation))
    return false;
  std::vector<std::string> Names;
  llvm::SmallVector<QualType> Types;
  for (const Expr* Operand : Call->arguments()) {
    const auto At =
        static_cast<std::size_t>(llvm::find(Operation.Inputs, Operand) - Operation.Inputs.begin());
    if (At != Operation.Inputs.size()) {
      Names.emplace_back(S.Elements.empty() ? "a" : "b");
      Types.push_back(Operation.Elements[At]);
      S.Elements.push_back(declareThere(Types.back(), Operation));
      continue;
    }
    Types.push_back(Operand->getType().getNonReferenceType().getUnqualifiedType());
    Capture Value;
    Value.Name = Names.emplace_back("value");
    if (!addCapture(S, std::move(Value), Types.back(), Operand->getExprLoc()))
      return false;
    S.Code.Captures.back().Ty = declareThere(Types.back(), Operation);
  }
  S.Result = declareThere(Operation.Result, Operation);
  const auto IsValue = [](const Type& T) {
    return T.Kind == TypeKind::Value && !T.HiddenHere && T.isAsInProgram();
  };
  if (!IsValue(S.Result) || !llvm::all_of(S.Elements, IsValue) ||
      !llvm::all_of(S.Code.Captures, [&](const Capture& C) { return IsValue(C.Ty); }))
    return false;
  if (llvm::all_of(Types, [&](QualType Ty) {
        return isComputedByLanguage(Ty, Call->getOperator(), Context);
      }))
    addKnown(S, Operation, "::" + Function, Function + "()(" + llvm::join(Names, ", ") + ")");
  else if (!addOperatorFunction(S, Operation, Function, Types)) {
    explain(Call->getExprLoc(),
            "'" + Operation.Name + "' of elements whose operator gives a reference; write " +
                (Call->getNumArgs() == 1 ? "pmap" : "pcombine") + " with a lambda");
    return false;
  }
  S.Site.Written = Rewriting::Operator;
  return finishWithInputs(std::move(S), Operation);
}

} // namespace ikra
