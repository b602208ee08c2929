// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls in the bodies that sections reach: which functions may be called, and how the members given
// to them are used.

#include "BodyWalker.h"
#include "RefusedForms.h"

#include "Analysis/Ast/Atomics.h"
#include "Analysis/Ast/CompilerFunctions.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/ReadReferences.h"
#include "Neighbourhood.h"

#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace ikra {

/// True for what has a parameter that is declared as a reference to what may be written: a lambda,
/// another function object, several in a class, or a function.
static bool takesReferences(const Expr* Called, const ASTContext& Context) {
  const auto IsReference = [](QualType Ty) {
    return Ty->isLValueReferenceType() && !Ty->getPointeeType().isConstQualified();
  };
  const QualType Ty = Called->getType().getNonReferenceType();
  const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
  if (!Class || !Class->hasDefinition()) {
    const auto* Function =
        (Ty->isPointerType() ? Ty->getPointeeType() : Ty)->getAs<FunctionProtoType>();
    return Function && llvm::any_of(Function->param_types(), IsReference);
  }
  llvm::SmallVector<const CXXRecordDecl*> Classes{Class->getDefinition()};
  for (const CXXBaseSpecifier& Base : Class->getDefinition()->bases())
    if (const CXXRecordDecl* Of = Base.getType()->getAsCXXRecordDecl(); Of && Of->hasDefinition())
      Classes.push_back(Of->getDefinition());
  const DeclarationName Call = Context.DeclarationNames.getCXXOperatorName(OO_Call);
  return llvm::any_of(Classes, [&](const CXXRecordDecl* Of) {
    return llvm::any_of(Of->lookup(Call), [&](const NamedDecl* D) {
      const FunctionDecl* Operator = D->getUnderlyingDecl()->getAsFunction();
      return Operator && llvm::any_of(Operator->parameters(), [&](const ParmVarDecl* P) {
               return IsReference(P->getType());
             });
    });
  });
}

bool BodyWalker::refuseByName(const Expr* Site, const FunctionDecl* Callee) {
  const StdFunction* Row = findStdFunction(Callee);
  if (Row && Row->As == StdFunction::Form::InputOutput) {
    refuse(Site->getExprLoc(), Diag::io, Callee->getName());
    return true;
  }
  if (Row && Row->As == StdFunction::Form::Allocation) {
    refuse(Site->getExprLoc(), Diag::new_delete);
    return true;
  }
  return false;
}

bool BodyWalker::refuseMember(const Expr* Object) {
  if (const std::string Form = refusedBase(Object, roles()); !Form.empty()) {
    refuse(Object->getExprLoc(), Diag::unsupported_expression, Form);
    return true;
  }
  Object = Object->IgnoreImplicit()->IgnoreParenImpCasts();
  if (const auto* Element = dyn_cast<CXXOperatorCallExpr>(Object);
      Element && Element->getOperator() == OO_Subscript)
    return refuseMember(Element->getArg(0));
  const auto* Named = dyn_cast<MemberExpr>(Object);
  const auto* Field = Named ? dyn_cast<FieldDecl>(Named->getMemberDecl()) : nullptr;
  if (!Field || classify(Field->getType()).Kind != TypeKind::Unsupported)
    return false;
  if (holderOf(Field->getType())) {
    refuse(Named->getMemberLoc(), Diag::unsupported_type,
           Field->getType().getAsString(Collector.Builder.Context.getPrintingPolicy()));
    Collector.Builder.explainType(Field->getType(), Field->getLocation());
    return true;
  }
  if (elementOfContainer(Field->getType()).isNull())
    return false;
  refuse(Named->getMemberLoc(), Diag::member_type, Field->getName(),
         Field->getType().getAsString(Collector.Builder.Context.getPrintingPolicy()));
  Collector.Builder.explainType(Field->getType(), Field->getLocation());
  return true;
}

void BodyWalker::visitArguments(const FunctionDecl* Callee, llvm::ArrayRef<const Expr*> Arguments) {
  for (unsigned K = 0; K < Arguments.size(); ++K) {
    Access How = Access::Read;
    if (K < Callee->getNumParams()) {
      const QualType Ty = Callee->getParamDecl(K)->getType();
      if (isWritableVariable(Callee->getParamDecl(K), roles()))
        How = Access::ReadWrite;
      else if (Ty->isReferenceType() && classify(Ty).Kind == TypeKind::Object &&
               !isReferenceToPointer(Ty))
        How = Access::None;
    }
    visit(Arguments[K], How);
  }
}

void BodyWalker::addCall(const Expr* Site, const FunctionDecl* Callee, const Expr* Receiver,
                         llvm::ArrayRef<const Expr*> Arguments) {
  std::uint64_t Mask = 0;
  Call C;
  C.Unconditional = Conditional == 0 && !MayHaveLeft;
  if (Receiver && isSelf(function(), Receiver)) {
    Mask |= 1;
    C.ReceiverIsSelf = true;
  }
  for (unsigned K = 0; K < Arguments.size() && K < 63; ++K)
    if (isSelf(function(), Arguments[K]))
      Mask |= std::uint64_t(1) << (K + 1);

  C.SelfMask = Mask;
  C.CopyMask = copiesAmong(function(), Callee, Receiver, Arguments, roles());
  C.Position = Site->getExprLoc().getRawEncoding();
  if (Callee->isVariadic())
    return refuse(Site->getExprLoc(), Diag::variadic, Callee->getName());
  const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
  const auto* MemberCall = dyn_cast<CXXMemberCallExpr>(Site);
  const auto* Named =
      MemberCall ? dyn_cast<MemberExpr>(MemberCall->getCallee()->IgnoreParens()) : nullptr;
  bool Dispatched = Method && Method->isVirtual() && Named && !Named->hasQualifier() &&
                    !Method->hasAttr<FinalAttr>() && !Method->getParent()->isEffectivelyFinal();
  std::optional<Index> CopyClass;
  if (Method && Method->isInstance() && Receiver && (C.CopyMask & 1)) {
    Callee = Dispatched ? calledOfCopy(Method, Receiver) : Callee;
    if (!Callee)
      return;
    const CXXRecordDecl* Exact = exactClassOf(Receiver);
    if (Exact && Exact->isPolymorphic()) // what it calls depends on that
      CopyClass = Collector.Builder.findClass(Exact);
    Dispatched = false;
  }
  if (Dispatched) {
    // The receiver's own static class may be narrower than the one that declares the method.
    const Expr* Object = MemberCall->getImplicitObjectArgument()->IgnoreParenImpCasts();
    QualType Static = Object->getType();
    if (Static->isPointerType())
      Static = Static->getPointeeType();
    const CXXRecordDecl* Record = Static->getAsCXXRecordDecl();
    if (!Record || isInStd(Record))
      Record = Method->getParent();
    const Index StaticClass = Collector.Builder.classIndex(Record);
    C.Dispatched = true;
    C.Dispatcher = Collector.dispatcher(StaticClass, Method, C.CopyMask);
    Collector.Builder.Model.Classes[StaticClass].Referenced = true;
    const std::uint64_t CopyMask = C.CopyMask;
    function().Calls[Site] = std::move(C);
    Collector.Dispatches.push_back({Self, Site, Method, StaticClass, Mask, CopyMask});
    return;
  }
  const FunctionDecl* Definition = nullptr;
  const bool IsWritten = !Callee->isDefaulted() || isa<CXXConstructorDecl>(Callee) ||
                         isWrittenOut(Callee) || isDefaultOfObjects(Callee, roles());
  if (!Callee->hasBody(Definition) || !IsWritten)
    return refuse(Site->getExprLoc(), Diag::no_body, Callee->getQualifiedNameAsString());
  C.Targets.push_back({std::nullopt, Collector.request(Definition, Mask, C.CopyMask,
                                                       Site->getExprLoc(), Self, CopyClass)});
  function().Calls[Site] = std::move(C);
}

void BodyWalker::refuseCall(const CallExpr* E, const FunctionDecl* Callee) {
  const StdFunction* Row = findStdFunction(Callee);
  if (Row && Row->As == StdFunction::Form::Arranges)
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "std::" + Callee->getNameAsString() +
                      ", after which each library has the elements in an order of its own; sort "
                      "them, or write the loop");
  if (isNamedInStd(Callee, {"minmax"}))
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "std::minmax that refers to what it is given; call std::minmax({a, b})");
  if (const auto Over = algorithmCall(E)) {
    const AlgorithmArgument& Begins = Over->Arguments[0];
    const QualType Ty = Begins.Given->getType();
    const QualType Element =
        Begins.Part == AlgorithmArgument::Whole ? pointedTo(Ty) : elementOfContainer(Ty);
    const CXXRecordDecl* Class = Element.isNull() ? nullptr : Element->getAsCXXRecordDecl();
    if (isObjectClass(Class, roles()))
      return refuse(E->getExprLoc(), Diag::unsupported_expression,
                    "an algorithm over elements of class '" + Class->getNameAsString() +
                        "', which are objects, since they hold pointers or containers, or pointers "
                        "lead to them; write the loop, for (const auto& each : list)");
  }
  if (const std::string Form = refusedOfObjects(Callee, E, roles()); !Form.empty())
    return refuse(E->getExprLoc(), Diag::unsupported_expression, Form);
  // Algorithms and the like: nothing that sections may not do, since it may be done in constants.
  const bool HasNoVersion = (isInStd(Callee) && (Callee->isConstexpr() ||
                                                 (Row && Row->As == StdFunction::Form::Native))) ||
                            (Row && Row->As == StdFunction::Form::OfLocale);
  refuse(E->getExprLoc(), HasNoVersion ? Diag::no_device_version : Diag::system_function,
         Callee->getQualifiedNameAsString());
  // It may have one for values, or for another class.
  for (const Expr* Argument : E->arguments()) {
    const QualType Given = Argument->getType(), To = Given->getPointeeType();
    Collector.Builder.explainType(To.isNull() ? Given : To, Argument->getExprLoc());
  }
}

void BodyWalker::visitCall(const CallExpr* E, Access How) {
  const bool Unused = ResultUnused;
  ResultUnused = false;
  const FunctionDecl* Callee = E->getDirectCallee();
  if (!Callee)
    return refuse(E->getExprLoc(), Diag::function_pointer);
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  if (refuseByName(E, Callee))
    return;
  switch (formOf(E, Collector.Builder.Context, classifier())) {
  case CallForm::Unknown:
    return refuseCall(E, Callee);
  case CallForm::Modelled:
    visitArguments(Callee, Arguments);
    return addCall(E, Callee, nullptr, Arguments);
  case CallForm::Constant:
  case CallForm::Limit:
  case CallForm::Rank:
    return;
  case CallForm::Atomic:
    return visitAtomic(E, Unused);
  case CallForm::Forwarded:
    return visit(Arguments[0], How);
  case CallForm::ElementOfArray:
    return visit(Arguments[0], How == Access::None ? Access::Read : How);
  case CallForm::OfVariant:
    return visitChecked(E, Arguments[0], How);
  case CallForm::Visit:
    return visitHeld(E, callsOfVisit(Arguments.drop_front()));
  case CallForm::Apply:
    return visitHeld(E, {callOfApply(Arguments[1])});
  case CallForm::Invoke:
    return visitInvoke(E);
  case CallForm::Algorithm:
    return visitAlgorithm(E, Unused);
  case CallForm::Iterator:
    return visit(Arguments[0],
                 mayWriteThrough(Callee->getReturnType()) ? Access::ReadWrite : Access::Read);
  case CallForm::Size:
    if (!constantSize(Arguments[0]->getType())) // else a number, which is printed as that
      visit(Arguments[0], Access::Read);
    return;
  case CallForm::GetIf:
    if (checkType(Callee->getReturnType(), E->getExprLoc()))
      visitPointer(Arguments[0]);
    return;
  case CallForm::OfComplex:
    Collector.Builder.Model.UsesComplex = true;
    return visitAll(Arguments);
  case CallForm::ComplexLiteral:
    return;
  case CallForm::OfIntegers:
  case CallForm::OfBits:
    return visitAll(Arguments);
  case CallForm::CopiedBits: {
    if (!Unused)
      return refuseCall(E, Callee);
    const CopiedBits Of = copiedBits(E, Collector.Builder.Context).value();
    visit(Of.From, Access::Read);
    return visit(Of.To, Access::Write);
  }
  case CallForm::Expected:
    return visit(Arguments[0], Access::Read);
  case CallForm::Unreachable:
    return;
  case CallForm::Assertion: // its arguments are texts
    function().Asserts = true;
    return;
  case CallForm::ExtremumOfList:
    return visitAll(elementsOfList(E));
  case CallForm::OfValues:
    noteChanged(Callee, Arguments);
    return visitNative(E, Callee, Arguments, How);
  case CallForm::Native:
    return visitArguments(Callee, Arguments);
  }
}

/// std::visit and std::apply: what is held is handed to the first argument.
void BodyWalker::visitHeld(const CallExpr* E, const std::vector<CallList>& Lists) {
  const Expr* Called = E->getArg(0);
  llvm::SmallVector<const Expr*> Variants;
  if (E->getDirectCallee()->getName() == "visit")
    Variants.assign(E->arg_begin() + 1, E->arg_end());
  if (!isCallable(Called))
    visit(Called, Access::Read);
  else if (!visitCallable(Called, Lists, QualType(), /*IsCopied=*/false, Variants))
    return refuseCall(E, E->getDirectCallee());
  for (const Expr* Given : llvm::drop_begin(E->arguments()))
    visit(Given,
          takesReferences(Called, Collector.Builder.Context) && !Given->getType().isConstQualified()
              ? Access::ReadWrite
              : Access::Read);
}

void BodyWalker::visitAtomic(const CallExpr* E, bool Unused) {
  const ASTContext& Context = Collector.Builder.Context;
  const QualType Changed = E->getArg(0)->getType();
  if (const auto Bytes = Context.getTypeSizeInChars(Changed).getQuantity();
      (Bytes != 1 && Bytes != 2 && Bytes != 4 && Bytes != 8) ||
      Context.getTypeAlignInChars(Changed).getQuantity() != Bytes)
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "an atomic change of what is not 1, 2, 4 or 8 bytes, aligned to as many");
  visit(E->getArg(0), Access::Atomic);
  // Exchanges end otherwise in another order.
  if (!Unused || E->getDirectCallee()->getName() == "atomic_compare_exchange" ||
      E->getDirectCallee()->getName() == "atomic_exchange")
    visit(E->getArg(0), Access::Read);
  for (const Expr* Argument : llvm::drop_begin(E->arguments()))
    visit(Argument, Access::Read);
}

void BodyWalker::visitAtomic(const AtomicOperation& Of, bool Unused) {
  const bool IsUpdate = Of.Does == AtomicOperation::Update;
  if (Of.IsPointed) {
    visit(Of.Of, Access::Read);
  } else if (Of.Does == AtomicOperation::Load || Of.Does == AtomicOperation::Store) {
    visit(Of.Of, Of.Does == AtomicOperation::Load ? Access::Read : Access::Write);
  } else {
    visit(Of.Of, Access::Atomic);
    if (!IsUpdate || !Unused) // ends otherwise in another order
      visit(Of.Of, Access::Read);
  }
  for (const Expr* Value : Of.Values)
    visit(Value, Of.Does == AtomicOperation::CompareExchange && Value == Of.Values.front()
                     ? Access::ReadWrite
                     : Access::Read);
}

void BodyWalker::refuseMethod(const CXXMemberCallExpr* E) {
  static const llvm::StringSet<> Growing = {
      "push_back", "emplace_back", "pop_back", "resize",  "clear", "insert",
      "erase",     "emplace",      "assign",   "reserve", "swap",  "shrink_to_fit"};
  const CXXMethodDecl* Callee = E->getMethodDecl();
  const Expr* Object = E->getImplicitObjectArgument();
  const SourceLocation At = E->getExprLoc();
  const TypeKind Receiver = classify(objectType(Object)).Kind;
  if (Receiver == TypeKind::Window)
    return refuse(At, Diag::window_function, Callee->getNameAsString());
  if (isStream(Object->getType()))
    return refuse(At, Diag::io, Callee->getNameAsString());
  if (Receiver == TypeKind::ValueList || Receiver == TypeKind::ObjectList) {
    const llvm::StringRef Name = Callee->getIdentifier() ? Callee->getName() : "operator";
    if (Growing.contains(Name))
      return refuse(At, Diag::growing_container, Name);
    return refuse(At, Diag::member_function, Name,
                  Object->getType().getUnqualifiedType().getAsString(
                      Collector.Builder.Context.getPrintingPolicy()));
  }
  const auto* Record = Object->getType()->getAsCXXRecordDecl();
  if (isInStd(Callee) && Record && Record->getName() == "basic_string")
    return refuse(At, Diag::string_type);
  if (isOptionalObject(Object->getType(), roles())) {
    if (Callee->isConst() || Callee->getName() == "value")
      return refuse(At, Diag::unsupported_expression,
                    Callee->getNameAsString() +
                        "() of a std::optional of an object; ask has_value(), and use * or ->");
    return refuse(At, Diag::new_delete);
  }
  if (isInStd(Callee) && refuseMember(Object))
    return;
  if (const std::string Form = refusedBase(Object, roles(), /*OfValues=*/true); !Form.empty())
    return refuse(At, Diag::unsupported_expression, Form);
  if (const std::string Form = refusedPointer(Object->getType()); !Form.empty())
    return refuse(At, Diag::unsupported_expression, Form);
  if (hasName(Callee, {"swap"}) && isSmartPointer(Object->getType()))
    return refuse(At, Diag::owner_exchange, Callee->getQualifiedNameAsString());
  if (const std::string Form = refusedOfObjects(Callee, E, roles()); !Form.empty())
    return refuse(At, Diag::unsupported_expression, Form);
  refuse(At, Diag::system_function, Callee->getQualifiedNameAsString());
  Collector.Builder.explainType(Object->getType(), Object->getExprLoc());
}

void BodyWalker::visitMethodCall(const CXXMemberCallExpr* E, Access How) {
  const bool Unused = ResultUnused;
  ResultUnused = false;
  const CXXMethodDecl* Callee = E->getMethodDecl();
  if (!Callee)
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "a call through a pointer to a member, which only the host knows; take it from a "
                  "constant array, table[k], or hand on a lambda that names the method");
  const Expr* Object = E->getImplicitObjectArgument();
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  switch (formOf(E, classifier())) {
  case MethodForm::Unknown:
    return refuseMethod(E);
  case MethodForm::Modelled: {
    const bool IsArrow = cast<MemberExpr>(E->getCallee()->IgnoreParens())->isArrow();
    if (isValueClass(Callee->getParent(), roles()))
      visit(Object, Callee->isStatic() ? Access::None : valueUse(Callee));
    else
      visitObject(Object, IsArrow ? Access::Read : Access::None);
    visitArguments(Callee, Arguments);
    return addCall(E, Callee, Callee->isStatic() ? nullptr : Object, Arguments);
  }
  case MethodForm::Closure: // f.operator()(x)
    return visitClosureCall(E, Object, Callee, Arguments);
  case MethodForm::Random:
    visit(Object, Access::None);
    return visitArguments(Callee, Arguments);
  case MethodForm::Atomic:
    return visitAtomic(atomicOperation(E).value(), Unused);
  case MethodForm::At:
    visit(Arguments[0], Access::Read);
    return visitChecked(E, Object, How);
  case MethodForm::OptionalValue:
    return visitChecked(E, Object, How);
  case MethodForm::Iterator:
    return visitPointer(E);
  case MethodForm::PartOfSpan:
    visit(Object, Access::Read);
    return visitArguments(Callee, Arguments);
  case MethodForm::OfContainer: {
    const bool IsElement = Callee->getName() == "front" || Callee->getName() == "back";
    return visit(Object, !IsElement || How == Access::None ? Access::Read : How);
  }
  case MethodForm::OfValue: {
    llvm::SmallVector<const Expr*> All{Object};
    All.append(Arguments.begin(), Arguments.end());
    return visitNative(E, Callee, All, How);
  }
  case MethodForm::PointerIsSet:
  case MethodForm::PointerIsNull:
    if (isElement(Object))
      function().TestsSelfForNull = true;
    [[fallthrough]];
  case MethodForm::Pointer:
    return visit(Object, Access::Read);
  }
}

void BodyWalker::visitWindowRead(const CXXOperatorCallExpr* E) {
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  visitAll(All);
  if (std::optional<Offset> At = constantOffset(All.drop_front(), Collector.Builder.Context))
    function().WindowReads.push_back({std::move(*At), All[1]});
}

bool BodyWalker::isLambdaFromOutside(const Expr* Closure) {
  const VarDecl* V = variableNamed(Closure->IgnoreParenImpCasts());
  if (!V || !isCaptureless(V->getType()))
    return false;
  const bool IsCapture = V->isInitCapture() && V->getDeclContext() == Decl; // of the section
  return IsCapture || !isDeclaredIn(V, Decl);
}

void BodyWalker::visitClosureCall(const Expr* Site, const Expr* Closure,
                                  const CXXMethodDecl* Callee,
                                  llvm::ArrayRef<const Expr*> Arguments) {
  visitArguments(Callee, Arguments);
  if (isLambdaFromOutside(Closure))
    return addCall(Site, Callee, nullptr, Arguments);
  // Its parameters are the same for all calls.
  if (copiesAmong(function(), Callee, nullptr, Arguments, roles()) !=
      copiesGiven(function(), Callee, roles()))
    return refuse(Site->getExprLoc(), Diag::lambda_inside,
                  "that is given copies of objects by reference, and objects themselves or by "
                  "another function,");
  visit(Closure, Access::Read);
}

void BodyWalker::visitOperatorCall(const CXXOperatorCallExpr* E, Access How) {
  const bool Unused = ResultUnused;
  ResultUnused = false;
  const auto* Callee = dyn_cast_or_null<FunctionDecl>(E->getCalleeDecl());
  if (!Callee)
    return refuse(E->getExprLoc(), Diag::function_pointer);
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  if (const TypeTest Test = typeTest(E); Test.Object)
    return visitTypeTest(Test);
  if (assignsObject(E, roles()))
    return visitObjectAssigned(E, Unused);
  const OperatorForm Form = formOf(E, roles(), classifier());
  const bool IsLambda = Form == OperatorForm::Closure;
  if (!IsLambda && llvm::any_of(All, [](const Expr* A) { return isStream(A->getType()); }))
    return refuse(E->getExprLoc(), Diag::io, "operator<<");
  switch (Form) {
  case OperatorForm::Closure:
    return visitClosureCall(E, All[0], cast<CXXMethodDecl>(Callee), All.drop_front());
  case OperatorForm::Atomic:
    return visitAtomic(atomicOperation(E).value(), Unused);
  case OperatorForm::Subscript:
    visit(All[1], Access::Read);
    return visit(All[0], How == Access::None ? Access::Read : How);
  case OperatorForm::OfPointer:
    return visitPointerOperator(E);
  case OperatorForm::OfSpan:
    visit(All[1], Access::Read);
    return visit(All[0], Access::Write);
  case OperatorForm::Extremum: {
    const RangeExtremum Of = extremumOfRanges(E);
    return Of.Container ? visit(Of.Container, Access::Read) : visitAll(Of.Numbers);
  }
  case OperatorForm::Algorithm:
    return visitAlgorithm(E, Unused);
  case OperatorForm::WindowRead:
    return visitWindowRead(E);
  case OperatorForm::Location:
  case OperatorForm::Random:
    return visitAll(All);
  case OperatorForm::ToObject: // ->, * and comparisons
    if (All.size() == 2 && E->getOperator() != OO_Equal &&
        llvm::any_of(All,
                     [&](const Expr* Of) { return isOptionalObject(Of->getType(), roles()); }) &&
        llvm::none_of(All, [](const Expr* Of) { return isStdClass(Of->getType(), "nullopt_t"); }))
      return refuse(E->getExprLoc(), Diag::unsupported_expression,
                    "a comparison of std::optionals of objects; compare what they hold");
    if (E->getOperator() == OO_Equal)
      return refuse(E->getExprLoc(), Diag::new_delete);
    return visitAll(All);
  case OperatorForm::OfComplex:
    Collector.Builder.Model.UsesComplex = true;
    if (refuseMember(All[0]))
      return;
    visit(All[1], Access::Read);
    if (!E->isAssignmentOp())
      return visit(All[0], Access::Read);
    return visit(All[0], E->getOperator() == OO_Equal ? Access::Write : Access::ReadWrite);
  case OperatorForm::OfValue:
    if (!refuseMember(All[0]))
      visitNative(E, Callee, All, How);
    return;
  case OperatorForm::Modelled:
    if (!refuseMember(All[0]))
      visitUserOperator(E, Callee);
    return;
  case OperatorForm::Unknown:
    if (classify(objectType(All[0])).Kind == TypeKind::Window)
      return refuse(E->getExprLoc(), Diag::window_function,
                    std::string("operator") + getOperatorSpelling(E->getOperator()));
    if (!refuseMember(All[0]))
      refuseCall(E, Callee);
    return;
  }
}

void BodyWalker::visitTypeTest(const TypeTest& Test) {
  for (const CXXRecordDecl* Class : {Test.Other ? classOfObject(Test.Object) : Test.Class,
                                     Test.Other ? classOfObject(Test.Other) : Test.Class}) {
    if (!Class || !isUserClass(Class))
      return refuse(Test.Object->getExprLoc(), Diag::unsupported_expression,
                    "typeid of what is no class of the program's");
    askClass(Class);
  }
  for (const Expr* Object : {Test.Object, Test.Other})
    if (Object) {
      function().DereferencesSelf |= isSelf(function(), Object);
      visit(Object, Access::None);
    }
}

/// Operators of the user's own types are functions like others.
void BodyWalker::visitUserOperator(const CXXOperatorCallExpr* E, const FunctionDecl* Callee) {
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
  if (Method && isExtremum(Method->getParent())) { // needs no object
    visitArguments(Callee, All.drop_front());
    return addCall(E, Callee, nullptr, All.drop_front());
  }
  if (Method && !Method->isStatic()) {
    visit(All[0], isValueClass(Method->getParent(), roles()) ? valueUse(Method) : Access::None);
    visitArguments(Callee, All.drop_front());
    return addCall(E, Callee, All[0], All.drop_front());
  }
  visitArguments(Callee, All);
  addCall(E, Callee, nullptr, All);
}

} // namespace ikra
