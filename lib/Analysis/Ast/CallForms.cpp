// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallForms.h"

#include "Analysis/Ast/Names.h"

#include "Atomics.h"
#include "CompilerFunctions.h"
#include "Constants.h"
#include "Expressions.h"
#include "NativeFunctions.h"
#include "StdFunctions.h"
#include "Types.h"

#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace ikra {

//===-- functions --------------------------------------------------------------------------===//

static bool areAll(llvm::ArrayRef<const Expr*> Arguments, llvm::StringRef Class) {
  return !Arguments.empty() && llvm::all_of(Arguments, [&](const Expr* Given) {
    return isStdClass(Given->getType(), Class);
  });
}

/// Of a function that the table says to have rules of its own (StdFunction::Form::Handled).
static CallForm handledForm(const CallExpr* E, llvm::StringRef Name, Classifier Classify) {
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  const auto IsPointer = [&](QualType Ty) { return Classify(Ty).Kind == TypeKind::Pointer; };
  if ((Name == "move" || Name == "forward" || Name == "as_const") && Arguments.size() == 1)
    return CallForm::Forwarded;
  if (isElementOfArray(E->getDirectCallee())) // the compiler has looked whether K is inside
    return CallForm::ElementOfArray;
  if (Name == "get" && isStdClass(Arguments[0]->getType(), "variant"))
    return CallForm::OfVariant;
  if (Name == "visit" && areAll(Arguments.drop_front(), "variant"))
    return CallForm::Visit;
  if (Name == "apply" &&
      (areAll(Arguments.drop_front(), "tuple") || areAll(Arguments.drop_front(), "pair")))
    return CallForm::Apply;
  if (Name == "invoke")
    return CallForm::Invoke;
  if (const auto Over = algorithmCall(E); Over && IsPointer(Over->Arguments[0].Given->getType()))
    return CallForm::Algorithm;
  if (givesIterator(Name) && Arguments.size() == 1 &&
      IsPointer(E->getDirectCallee()->getReturnType()))
    return CallForm::Iterator;
  if (asksSize(E))
    return CallForm::Size;
  if (hasOwnForm(E))
    return CallForm::OfIntegers;
  if (Name == "get_if" && !Arguments.empty() && IsPointer(Arguments[0]->getType()))
    return CallForm::GetIf;
  if ((Name == "max" || Name == "min" || Name == "minmax") && !elementsOfList(E).empty() &&
      elementsOfList(E).front()->getType()->isArithmeticType())
    return CallForm::ExtremumOfList;
  return CallForm::Unknown;
}

/// Of a function of C or of the compiler.
static CallForm compilersForm(const CallExpr* E, const ASTContext& Context) {
  const FunctionDecl* Callee = E->getDirectCallee();
  if (bitsFunction(Callee))
    return CallForm::OfBits;
  if (copiedBits(E, Context))
    return CallForm::CopiedBits;
  if (isAssertion(Callee))
    return CallForm::Assertion;
  switch (Callee->getBuiltinID()) {
  case Builtin::BI__builtin_expect:
    return CallForm::Expected;
  case Builtin::BI__builtin_unreachable:
    return CallForm::Unreachable;
  default:
    return CallForm::Unknown;
  }
}

CallForm formOf(const CallExpr* E, const ASTContext& Context, Classifier Classify) {
  const FunctionDecl* Callee = E->getDirectCallee();
  if (constantCallText(E, Context))
    return CallForm::Constant;
  if (const CallForm Form = compilersForm(E, Context); Form != CallForm::Unknown)
    return Form;
  const llvm::StringRef Name = Callee->getIdentifier() ? Callee->getName() : "";
  if (isInIkra(Callee)) {
    if (isa<CXXMethodDecl>(Callee) && Name == "rank")
      return CallForm::Rank;
    return Name.starts_with("atomic_") && E->getNumArgs() != 0 ? CallForm::Atomic
                                                               : CallForm::Unknown;
  }
  const bool IsLibrary = isInStd(Callee) || Callee->getBuiltinID() != 0 || Callee->isExternC();
  if (!IsLibrary)
    return CallForm::Modelled;
  if (isInStd(Callee))
    if (const CallForm Form = handledForm(E, Name, Classify); Form != CallForm::Unknown)
      return Form;
  if (isLimit(Callee))
    return CallForm::Limit;
  if (isComplexFunction(Callee))
    return CallForm::OfComplex;
  if (isInStd(Callee) && isLiteralCall(E) && isComplex(E->getType()))
    return CallForm::ComplexLiteral;
  if (isStdFunction(Callee, StdFunction::Form::OfValues))
    return CallForm::OfValues;
  const StdFunction* Row = findStdFunction(Callee);
  const bool TakesNumbers =
      llvm::none_of(E->arguments(), [](const Expr* A) { return A->getType()->isRecordType(); });
  if (Row && Row->As == StdFunction::Form::Native && TakesNumbers)
    return CallForm::Native;
  if (Row && Row->As == StdFunction::Form::Followed && Callee->hasBody())
    return CallForm::Modelled;
  const bool IsUsers =
      !isInStd(Callee) && Callee->getBuiltinID() == 0 &&
      (!Row || (Row->As != StdFunction::Form::OfLocale)) &&
      (Callee->hasBody() || !Context.getSourceManager().isInSystemHeader(Callee->getLocation()));
  return IsUsers ? CallForm::Modelled : CallForm::Unknown;
}

//===-- methods ----------------------------------------------------------------------------===//

static MethodForm containerForm(const CXXMemberCallExpr* E, llvm::StringRef Name,
                                bool GivesPointer) {
  const QualType Container = E->getImplicitObjectArgument()->getType();
  if (Name == "at" && E->getNumArgs() == 1)
    return MethodForm::At;
  if (givesIterator(Name) && GivesPointer)
    return MethodForm::Iterator;
  const bool IsKnown = Name == "size" || Name == "empty" || Name == "front" || Name == "back" ||
                       (Name == "shape" && rankOfArray(Container) != 0);
  if (isStdClass(Container, "span") && E->getNumArgs() > 0 &&
      (Name == "first" || Name == "last" || Name == "subspan"))
    return MethodForm::PartOfSpan;
  return IsKnown ? MethodForm::OfContainer : MethodForm::Unknown;
}

MethodForm formOf(const CXXMemberCallExpr* E, Classifier Classify) {
  const CXXMethodDecl* Callee = E->getMethodDecl();
  const Expr* Object = E->getImplicitObjectArgument();
  if (Callee->getOverloadedOperator() == OO_Call && isClosure(objectType(Object)))
    return MethodForm::Closure;
  if (atomicOperation(E))
    return MethodForm::Atomic;
  const llvm::StringRef Name = Callee->getIdentifier() ? Callee->getName() : "";
  const auto GivesPointer = [&] { return Classify(E->getType()).Kind == TypeKind::Pointer; };
  const TypeKind Receiver = Classify(objectType(Object)).Kind;
  switch (Receiver) {
  case TypeKind::Library:
    return MethodForm::Random;
  case TypeKind::Window:
    return MethodForm::Unknown;
  case TypeKind::ValueList:
  case TypeKind::ObjectList:
    return containerForm(E, Name, GivesPointer());
  case TypeKind::Value:
    if (!isOfLibrary(Callee->getParent()))
      break;
    if (Name == "at" && E->getNumArgs() == 1) // std::array
      return MethodForm::At;
    if (Name == "value" && isStdClass(objectType(Object), "optional"))
      return MethodForm::OptionalValue;
    return givesIterator(Name) && GivesPointer() ? MethodForm::Iterator : MethodForm::OfValue;
  case TypeKind::Object:
    if (isInStd(Callee) && (isa<CXXConversionDecl>(Callee) || Name == "has_value"))
      return MethodForm::PointerIsSet;
    if (isInStd(Callee) && (Name == "get" || Name == "lock"))
      return MethodForm::Pointer;
    if (isInStd(Callee) && Name == "expired")
      return MethodForm::PointerIsNull;
    break;
  case TypeKind::Void:
  case TypeKind::Pointer:
  case TypeKind::Unsupported:
    break;
  }
  return isInStd(Callee) || isInIkra(Callee) ? MethodForm::Unknown : MethodForm::Modelled;
}

//===-- operators --------------------------------------------------------------------------===//

/// True for operators of std::complex that compute with the compiler's complex numbers, which
/// kernels have not. Its sign and its comparisons use the parts.
static bool isOfComplex(const CXXOperatorCallExpr* E, const FunctionDecl* Callee) {
  const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
  const bool IsCopy =
      Method && (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator());
  return isInStd(Callee) && E->getNumArgs() == 2 && !IsCopy && !E->isComparisonOp() &&
         llvm::any_of(E->arguments(), [](const Expr* Side) { return isComplex(Side->getType()); });
}

llvm::StringRef complexOperator(OverloadedOperatorKind Operator) {
  switch (Operator) {
  case OO_Plus:
    return "add";
  case OO_Minus:
    return "subtract";
  case OO_Star:
    return "multiply";
  case OO_Slash:
    return "divide";
  case OO_Equal:
    return "assign";
  case OO_PlusEqual:
    return "add_to";
  case OO_MinusEqual:
    return "subtract_from";
  case OO_StarEqual:
    return "multiply_by";
  case OO_SlashEqual:
    return "divide_by";
  default:
    return "";
  }
}

static bool isStdByte(QualType Ty) {
  const auto* Enum = Ty.getNonReferenceType()->getAs<EnumType>();
  return Enum && isInStd(Enum->getDecl()) && Enum->getDecl()->getName() == "byte";
}

/// True for std::ranges::size and its kin: objects, which nvcc does not find in device code.
static bool isObjectOfStd(const Expr* E) {
  const VarDecl* Object = variableNamed(E->IgnoreParenImpCasts());
  return Object && Object->hasGlobalStorage() && isInStd(Object);
}

/// True for `v = v.subspan(1)` of a variable: a reference to one is another list on a device.
static bool movesSpan(const CXXOperatorCallExpr* E) {
  const auto* Named = dyn_cast<DeclRefExpr>(E->getArg(0)->IgnoreParenImpCasts());
  return E->getOperator() == OO_Equal && Named && isStdClass(Named->getType(), "span") &&
         !Named->getDecl()->getType()->isReferenceType();
}

OperatorForm formOf(const CXXOperatorCallExpr* E, const ClassRoles& Roles, Classifier Classify) {
  const auto* Callee = cast<FunctionDecl>(E->getCalleeDecl());
  const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
  if (Method && isClosure(E->getArg(0)->getType()))
    return OperatorForm::Closure;
  if (atomicOperation(E))
    return OperatorForm::Atomic;
  if (Method && isExtremum(Method->getParent()))
    return OperatorForm::Modelled;
  const RangeExtremum Extremum = extremumOfRanges(E);
  if (!Extremum.Numbers.empty() ||
      (Extremum.Container && Classify(Extremum.Container->getType()).Kind != TypeKind::Unsupported))
    return OperatorForm::Extremum;
  if (const auto Over = algorithmCall(E)) {
    const AlgorithmArgument& Begins = Over->Arguments[0];
    const TypeKind Of = Classify(Begins.Given->getType()).Kind;
    if (Begins.Part == AlgorithmArgument::First ? Of == TypeKind::ValueList || Of == TypeKind::Value
                                                : Of == TypeKind::Pointer)
      return OperatorForm::Algorithm;
  }
  const TypeKind First = Classify(objectType(E->getArg(0))).Kind;
  const bool IsContainer = First == TypeKind::ValueList || First == TypeKind::ObjectList;
  if (E->getOperator() == OO_Subscript && IsContainer)
    return OperatorForm::Subscript;
  if (First == TypeKind::ValueList && movesSpan(E))
    return OperatorForm::OfSpan;
  if ((isInStd(Callee) || isInIkra(Callee)) && llvm::any_of(E->arguments(), [&](const Expr* Side) {
        return Side->getType()->isRecordType() &&
               Classify(Side->getType()).Kind == TypeKind::Pointer;
      }))
    return OperatorForm::OfPointer;
  if (E->getOperator() == OO_Call && IsContainer && rankOfArray(E->getArg(0)->getType()) != 0)
    return OperatorForm::Location;
  if (First == TypeKind::Window)
    return E->getOperator() == OO_Subscript || E->getOperator() == OO_Call
               ? OperatorForm::WindowRead
               : OperatorForm::Unknown;
  if (First == TypeKind::Library)
    return OperatorForm::Random;
  if (isInStd(Callee) && First == TypeKind::Object)
    return OperatorForm::ToObject;
  if (isOfComplex(E, Callee))
    return complexOperator(E->getOperator()).empty() ? OperatorForm::Unknown
                                                     : OperatorForm::OfComplex;
  const bool HasClass = llvm::any_of(E->arguments(), [&](const Expr* Argument) {
    return valueClassOf(Argument->getType(), Roles);
  });
  const bool IsOfBytes = isInStd(Callee) && llvm::any_of(E->arguments(), [](const Expr* Argument) {
                           return isStdByte(Argument->getType());
                         });
  if ((HasClass || IsOfBytes) && isNativeOperator(E, Roles) && !isObjectOfStd(E->getArg(0)))
    return OperatorForm::OfValue;
  return isInStd(Callee) || isInIkra(Callee) ? OperatorForm::Unknown : OperatorForm::Modelled;
}

} // namespace ikra
