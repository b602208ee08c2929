// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of classes in the bodies that sections reach: how they are made, taken apart and handed to
// what the standard library has for them; and lambdas, which are called where they stand.

#include "BodyWalker.h"
#include "RefusedForms.h"

#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/ReadReferences.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace ikra {

//===-- parts ------------------------------------------------------------------------------===//

bool BodyWalker::checkBindings(const DecompositionDecl* V) {
  const bool AllPublic = llvm::all_of(V->bindings(), [](const BindingDecl* B) {
    const auto* Member = dyn_cast<MemberExpr>(B->getBinding()->IgnoreParenImpCasts());
    return !Member || Member->getMemberDecl()->getAccess() == AS_public;
  });
  if (AllPublic && valueClassOf(V->getType(), roles()))
    return checkType(V->getType(), V->getLocation());
  if (boundPart(V->bindings().front(), roles()))
    return checkType(V->getType(), V->getLocation());
  if (const Expr* Array = arrayOfBindings(V)) {
    // What is captured, or a member of an object, is a view here.
    while (const auto* Part = dyn_cast<MemberExpr>(Array)) {
      if (Part->isArrow() || !valueClassOf(Part->getBase()->getType(), roles()))
        break;
      Array = Part->getBase()->IgnoreParenImpCasts();
    }
    const auto* Name = dyn_cast<DeclRefExpr>(Array);
    const auto* Of = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
    const QualType Element =
        V->getType().getNonReferenceType()->getAsArrayTypeUnsafe()->getElementType();
    if (Of && isDeclaredIn(Of, Decl) && !Name->refersToEnclosingVariableOrCapture() &&
        (!Of->getType()->isReferenceType() || valueClassOf(Of->getType(), roles())) &&
        classify(Element).Kind == TypeKind::Value)
      return true;
    refuse(V->getLocation(), Diag::unsupported_statement,
           isa<MemberExpr>(Array)
               ? "a structured binding that copies an array of an object; bind by reference, or "
                 "name its elements"
               : "a structured binding of an array that is no local variable; name its elements");
    return false;
  }
  if (isStdClass(V->getType(), "pair") || isStdClass(V->getType(), "tuple")) {
    refuse(V->getLocation(), Diag::unsupported_statement,
           "a structured binding of parts that are no values, as iterators; ask for each by a call "
           "of its own");
    return false;
  }
  refuse(V->getLocation(), Diag::unsupported_statement,
         AllPublic ? "a structured binding that copies an object; bind by reference, 'auto& [...]'"
                   : "a structured binding of a value with members that are not public; call its "
                     "methods");
  return false;
}

void BodyWalker::visitBindings(const DecompositionDecl* V) {
  if (checkBindings(V))
    visit(V->getInit(), isWritableVariable(V, roles()) ? Access::ReadWrite : Access::Read);
}

/// True for a string of an object, which no section uses; what makes it is of the library alone.
static bool isUnusedString(const CXXCtorInitializer* Init) {
  const auto CallsOther = [](const Stmt* S) {
    const FunctionDecl* Callee = calleeOf(S);
    return isa<CallExpr>(S) && !(Callee && isInStd(Callee));
  };
  const Expr* Made = Init->getInit();
  if (const auto* Default = dyn_cast<CXXDefaultInitExpr>(Made))
    Made = Default->getExpr();
  return Init->getMember() && isStdClass(Init->getMember()->getType(), "basic_string") &&
         !anyPart(Made, CallsOther);
}

/// What a constructor's list, or the class's body, gives to bases and members.
void BodyWalker::visitInitialisers(const CXXConstructorDecl* Constructor) {
  for (const CXXCtorInitializer* Init : Constructor->inits()) {
    if (Init->isIndirectMemberInitializer())
      return refuse(Init->getSourceLocation(), Diag::unsupported_expression,
                    "a member of an anonymous class");
    const FieldDecl* Member = Init->getMember();
    if (isUnusedString(Init))
      continue;
    if (Member && !isValueClass(cast<CXXRecordDecl>(Member->getParent()), roles())) {
      accessCopy(Member, Access::Write, Init->getSourceLocation());
      if (Member->getType()->isReferenceType() && isCopy(Init->getInit()))
        return refuseCopy(Init->getSourceLocation(), Member->getType(), "whose address is taken");
    } else if (Member) {
      reachHidden(Member, Init->getSourceLocation());
    }
    if (Member && isStdClass(Member->getType(), "array") && isPointerArray(Member->getType()))
      visitPointerArray(Member->getType(), Init->getInit(), Init->getSourceLocation());
    else if (!Member || !isTextOfArray(Init->getInit(), Member->getType()))
      visit(Init->getInit(), Access::Read);
  }
}

/// What stands in braces, or is left to the class.
void BodyWalker::visitBraces(llvm::ArrayRef<Expr*> Inits, const Expr* E) {
  const bool IsClass = E->getType()->isRecordType() && !isClosure(E->getType());
  const std::optional<unsigned> Written = IsClass ? writtenInits(Inits) : Inits.size();
  const bool IsOwn = isOwnStruct(E->getType()->getAsCXXRecordDecl(), roles());
  if (!Written || (IsOwn && *Written < Inits.size())) // the class is not there to be left to
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "a default for a member that names another, before members that are given "
                  "values, or with calls; write a constructor");
  for (const Expr* Init : Inits.take_front(*Written))
    if (!isTextOfArray(Init, Init->getType()))
      visit(Init, Access::Read);
}

void BodyWalker::reachHidden(const FieldDecl* Member, SourceLocation At) {
  const auto* Class = cast<CXXRecordDecl>(Member->getParent());
  if (Member->getAccess() == AS_public || isOwnStruct(Class, roles()) ||
      Collector.Builder.reachHidden(Member))
    return;
  refuse(At, Diag::hidden_member, Member->getName(), Class->getName());
}

/// True for a tuple of places, as std::tie makes it.
static bool holdsReferences(const CXXRecordDecl* Class) {
  const auto* Spec = dyn_cast<ClassTemplateSpecializationDecl>(Class);
  const auto IsReference = [](const TemplateArgument& Of) {
    return Of.getKind() == TemplateArgument::Type && Of.getAsType()->isReferenceType();
  };
  return Spec && llvm::any_of(Spec->getTemplateArgs().asArray(), [&](const TemplateArgument& Of) {
           return Of.getKind() == TemplateArgument::Pack
                      ? llvm::any_of(Of.getPackAsArray(), IsReference)
                      : IsReference(Of);
         });
}

bool BodyWalker::checkCount(QualType Array, SourceLocation At) {
  if (countOf(Array) <= 256) // each element has text of its own
    return true;
  refuse(At, Diag::unsupported_expression,
         "an array of more than 256 objects that a constructor makes");
  return false;
}

/// Of a container, a copy of another, or of a pointer with a size or an end.
void BodyWalker::visitSpan(const CXXConstructExpr* E) {
  const Type Span = classify(E->getType());
  if (E->getNumArgs() == 0 && Span.Kind == TypeKind::ValueList)
    return;
  const QualType From = E->getNumArgs() > 0 ? E->getArg(0)->getType() : QualType();
  const bool MayWrite = !elementOfContainer(E->getType()).isConstQualified();
  if (E->getNumArgs() == 1 && Span.Kind != TypeKind::Unsupported) {
    const bool IsContainer = Span.Kind == TypeKind::ValueList && constantSize(From) &&
                             classify(elementOfContainer(From)).Kind == TypeKind::Value;
    const bool IsCopy = isStdClass(From, "span");
    if (IsContainer || classify(From).Kind == Span.Kind)
      return visit(E->getArg(0), MayWrite && !IsCopy && Span.Kind == TypeKind::ValueList
                                     ? Access::ReadWrite
                                     : Access::Read);
  }
  if (E->getNumArgs() == 2 && Span.Kind == TypeKind::ValueList && isPointer(From)) {
    visitPointer(E->getArg(0), MayWrite);
    return isPointer(E->getArg(1)->getType()) ? visitPointer(E->getArg(1), /*Writes=*/false)
                                              : visit(E->getArg(1), Access::Read);
  }
  if (Span.Kind == TypeKind::ObjectList)
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  E->getNumArgs() == 0 ? "an empty std::span of objects; take a part of a "
                                         "container, std::span(list).first(0)"
                                       : "a std::span of objects from a pointer or an iterator; "
                                         "take a part of their container, "
                                         "std::span(list).subspan(first, count)");
  refuse(E->getExprLoc(), Diag::unsupported_type, E->getType().getAsString());
}

void BodyWalker::visitConstruct(const CXXConstructExpr* E) {
  const CXXConstructorDecl* Constructor = E->getConstructor();
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  if (isOptionalObject(E->getType(), roles()) && !checkType(E->getType(), E->getExprLoc()))
    return;
  if ((isWindow(E->getType()) || isClosure(E->getType()) || rankOfArray(E->getType()) != 0) &&
      E->getNumArgs() == 1) // a copy
    return visit(E->getArg(0), Access::Read);
  if (isPointer(E->getType()))
    return visitPointer(E);
  if (isStdClass(E->getType(), "span"))
    return visitSpan(E);
  if (const CXXRecordDecl* Class = valueClassOf(E->getType(), roles())) {
    if (!checkType(E->getType(), E->getExprLoc()))
      return;
    if (Constructor->isCopyOrMoveConstructor() && Constructor->isTrivial())
      return visit(Arguments[0], Access::Read);
    if (refuseHeld(E->getType(), Arguments, E->getExprLoc()))
      return;
    // std::pair(p->v, 1) takes an int&, and reads it.
    if (isOfLibrary(Class) && !holdsReferences(Class))
      for (const Expr* Argument : Arguments)
        visit(Argument, Access::Read);
    else
      visitArguments(Constructor, Arguments);
    if (!isOfLibrary(Class)) {
      if (!Constructor->isTrivial())
        addCall(E, Constructor, nullptr, Arguments);
    } else if (isComplexConversion(Constructor)) {
      Collector.Builder.Model.UsesComplex = true;
    } else if (!Collector.Builder.Natives.contains(Constructor)) {
      refuse(E->getExprLoc(), Diag::no_device_version, Constructor->getQualifiedNameAsString());
    }
    return;
  }
  if (E->getType()->isConstantArrayType()) {
    if (isOfLibrary(Constructor->getParent())) {
      if (!Collector.Builder.Natives.contains(Constructor))
        refuse(E->getExprLoc(), Diag::no_device_version, Constructor->getQualifiedNameAsString());
    } else if (!Constructor->isTrivial() && checkCount(E->getType(), E->getExprLoc())) {
      visitArguments(Constructor, Arguments);
      addCall(E, Constructor, nullptr, Arguments);
    }
    return;
  }
  if (isObjectByValue(E->getType(), roles()))
    return visitObjectMade(E);
  if (classify(E->getType()).Kind != TypeKind::Library) {
    // Handing on a smart pointer to an object hands on the object.
    if (classify(E->getType()).Kind == TypeKind::Object && E->getNumArgs() == 1 &&
        classify(E->getArg(0)->getType()).Kind == TypeKind::Object)
      return visit(E->getArg(0), Access::Read);
    checkType(E->getType(), E->getExprLoc());
    if (classify(E->getType()).Kind == TypeKind::Object)
      refuse(E->getExprLoc(), Diag::object_by_value, Constructor->getParent()->getName(),
             "where no objects are made");
    return;
  }
  for (const Expr* Argument : Arguments)
    visit(Argument, Access::Read);
}

//===-- calls ------------------------------------------------------------------------------===//

BodyWalker::Access BodyWalker::valueUse(const CXXMethodDecl* Method) {
  return Method->isConst() ? Access::Read : Access::ReadWrite;
}

bool BodyWalker::refuseHeld(QualType Variant, llvm::ArrayRef<const Expr*> Values,
                            SourceLocation At) {
  if (!isStdClass(Variant, "variant") || !holdsObjects(Variant) || Values.empty() ||
      (Values.size() == 1 && isStdClass(Values[0]->getType(), "variant")))
    return false;
  const QualType Ty = Values[0]->getType();
  const bool IsKnown = Values.size() == 1 && ((!Ty->isPointerType() && !Ty->isNullPtrType()) ||
                                              !alternativeIn(Variant, Ty).empty());
  if (!IsKnown)
    refuse(At, Diag::unsupported_expression,
           "a std::variant that is given a pointer of another type than its alternative's; cast "
           "it, or use a variable of that type");
  return !IsKnown;
}

/// Devices have no objects and containers in memory, where std::swap would exchange their bytes:
/// only what is a variable of the code's own has its value there.
std::string BodyWalker::refusedSwap(const Expr* Place) const {
  Place = Place->IgnoreParenImpCasts();
  const QualType Ty = Place->getType();
  if (isOptionalObject(Ty, roles()))
    return "std::swap of optionals of objects; keep pointers to the objects, and swap these";
  const bool IsArray = Ty->isConstantArrayType();
  if (!IsArray && isObjectByValue(Ty, roles()) && !isCopy(Place))
    return "std::swap of objects of class '" + Ty->getAsCXXRecordDecl()->getNameAsString() +
           "', not of copies; copy one, and assign: const auto old = a; a = b; b = old";
  const TypeKind Kind = Collector.Builder.classify(Ty).Kind;
  if (!IsArray && Kind != TypeKind::ValueList && Kind != TypeKind::ObjectList)
    return "";
  const VarDecl* V = variableNamed(Place);
  if (V && V->isLocalVarDeclOrParm() && !V->getType()->isReferenceType())
    return "";
  const auto* Member = dyn_cast<MemberExpr>(Place);
  const auto* Row = dyn_cast<ArraySubscriptExpr>(Place);
  const Type Of = Collector.Builder.classify(elementOfArrays(Ty));
  const bool IsValue = Row && Of.Kind == TypeKind::Value && Of.isAsInProgram(); // of a matrix
  if (IsArray && (IsValue || (Member && isCopy(Member->getBase()))))
    return "";
  return "std::swap of containers; swap their elements, or have both in an array, and choose by a "
         "number: v[now], v[1 - now]";
}

/// A call that stays as it is: of the standard library's value classes, or of an operator that the
/// compiler writes.
void BodyWalker::visitNative(const CallExpr* E, const FunctionDecl* Callee,
                             llvm::ArrayRef<const Expr*> Arguments, Access How) {
  const auto* Call = dyn_cast<CXXOperatorCallExpr>(E);
  if (Call && Call->getOperator() == OO_Arrow) // of std::optional: its value
    return visit(Arguments[0], How == Access::None ? Access::Read : How);
  // Assigned to a std::variant is a variant of what is assigned.
  if (Call && Call->getOperator() == OO_Equal && isStdClass(Arguments[0]->getType(), "variant")) {
    if (refuseHeld(Arguments[0]->getType(), Arguments.drop_front(), E->getExprLoc()))
      return;
    visit(Arguments[1], Access::Read);
    return visit(Arguments[0], Access::Write);
  }
  if (hasName(Callee, {"exchange"}) &&
      refuseHeld(Arguments[0]->getType(), Arguments, E->getExprLoc()))
    return;
  if (llvm::any_of(Arguments, [](const Expr* A) {
        return llvm::StringRef(A->getType().getCanonicalType().getAsString())
            .contains("_Swallow_assign"); // the type of std::ignore, or of a tuple with it
      }))
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "std::ignore; use a structured binding, or a variable that is not read");
  if (hasName(Callee, {"emplace"}) && isStdClass(Arguments[0]->getType(), "variant"))
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "emplace of a std::variant; assign a value to it");
  const TypeKind Result = classify(Callee->getReturnType()).Kind;
  const bool Holds = llvm::any_of(Arguments, [&](const Expr* A) {
    return holdsObjects(A->getType()) || isOwnStruct(A->getType()->getAsCXXRecordDecl(), roles());
  });
  const bool IsOptional = Call && isStdClass(Arguments[0]->getType(), "optional");
  const bool IsItsValue = IsOptional && Call->getOperator() == OO_Star && Arguments.size() == 1;
  if (Holds && Call && !IsItsValue && Call->getOperator() != OO_Equal &&
      Call->getOperator() != OO_EqualEqual && Call->getOperator() != OO_ExclaimEqual)
    return refuse(E->getExprLoc(), Diag::unsupported_expression, "arithmetic or order of pointers");
  const llvm::StringRef Name = Callee->getIdentifier() ? Callee->getName() : "";
  const bool IsPointer = Callee->getReturnType()->isPointerType() || Result == TypeKind::Pointer;
  const bool IsValue = Result == TypeKind::Value || Result == TypeKind::Void ||
                       (Holds && Result == TypeKind::Object) || (Name == "exchange" && IsPointer);
  function().NamesNull |= llvm::any_of(
      Arguments, [](const Expr* A) { return A->getType().getNonReferenceType()->isNullPtrType(); });
  if (!IsValue && !Arguments.empty() && refuseMember(Arguments[0]))
    return;
  const bool SwapsOwners = Name == "swap" && isSmartPointer(Arguments[0]->getType());
  const bool IsRefused = SwapsOwners || !IsValue || !Collector.Builder.Natives.contains(Callee);
  if (const std::string Form = IsRefused ? refusedOfObjects(Callee, E, roles()) : "";
      !SwapsOwners && !Form.empty())
    return refuse(E->getExprLoc(), Diag::unsupported_expression, Form);
  if (IsRefused)
    return refuse(E->getExprLoc(), SwapsOwners ? Diag::owner_exchange : Diag::no_device_version,
                  Callee->getQualifiedNameAsString());
  if (Name == "swap")
    for (const Expr* Argument : Arguments)
      if (const std::string Form = refusedSwap(Argument); !Form.empty())
        return refuse(E->getExprLoc(), Diag::unsupported_expression, Form);
  // What gives a place in its argument uses that as the place is used; std::tie all of them.
  const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
  const bool IsTie = Name == "tie";
  const bool Changes = Name == "swap" || Name == "exchange";
  const bool GivesLValue = Callee->getReturnType()->isReferenceType() && !Arguments.empty();
  const bool Assigns = Call && Call->isAssignmentOp();
  for (unsigned K = 0; K < Arguments.size(); ++K) {
    const Expr* Argument = Arguments[K];
    if (isZeroOfOrder(Argument->getType()))
      continue;
    Access Use = Access::Read;
    const bool IsReceiver = K == 0 && Method && Method->isInstance();
    if (Assigns && K == 0)
      Use = Call->getOperator() == OO_Equal ? Access::Write : Access::ReadWrite;
    else if (IsTie || (GivesLValue && K == 0 && !Assigns))
      Use = How == Access::None ? Access::Read : How;
    else if (IsReceiver)
      Use = Method->isConst() ? Access::Read : Access::ReadWrite;
    else if (Changes && Argument->isLValue() && (Name == "swap" || K == 0))
      Use = Access::ReadWrite;
    visit(Argument, Use);
  }
}

void BodyWalker::visitChecked(const Expr* Site, const Expr* Object, Access How) {
  function().CallsAt = true;
  visit(Object, How == Access::None ? Access::Read : How);
  constexpr std::int64_t Largest = 256; // ikra::largest_checked
  const QualType Element = Site->getType().getNonReferenceType();
  if (Collector.Builder.Context.getTypeSizeInChars(Element).getQuantity() > Largest)
    refuse(Site->getExprLoc(), Diag::unsupported_expression,
           "a checked access to an element of more than 256 bytes; compare the index yourself");
}

//===-- lambdas ----------------------------------------------------------------------------===//

void BodyWalker::visitLambda(const LambdaExpr* E) {
  if (isa<CXXConstructorDecl>(Decl))
    return refuse(E->getExprLoc(), Diag::lambda_inside, "in a constructor");
  if (E->isMutable() && E->isGenericLambda()) // each of its functions would have a state of its own
    return refuse(E->getExprLoc(), Diag::lambda_inside, "that is generic and mutable");
  for (const LambdaCapture& C : E->captures()) {
    const auto* V = C.capturesVariable() ? dyn_cast<VarDecl>(C.getCapturedVar()) : nullptr;
    if (V && E->isInitCapture(&C) && isOfPack(V))
      return refuse(C.getLocation(), Diag::lambda_inside, "that captures a pack");
    if (V && E->isInitCapture(&C)) { // not one of a lambda around it
      visitVariable(V);
    } else if (V && C.getCaptureKind() == LCK_ByCopy &&
               (V->getType().getNonReferenceType()->isArrayType() ||
                isPointerArray(V->getType().getNonReferenceType()))) {
      return refuse(C.getLocation(), Diag::lambda_inside, "that captures an array by value");
    } else if (C.getCaptureKind() == LCK_ByCopy && C.capturesVariable() &&
               boundPart(C.getCapturedVar(), roles())) {
      return refuse(C.getLocation(), Diag::lambda_inside, "that captures a part of an object");
    } else if (!C.capturesThis() && !V && !isa<BindingDecl>(C.getCapturedVar())) {
      return refuse(C.getLocation(), Diag::lambda_inside, "that captures a pack");
    }
  }
  visitBodies(E);
}

void BodyWalker::visitBodies(const LambdaExpr* E, bool IsCaptured) {
  for (const FunctionDecl* Body : bodiesOf(E)) {
    const llvm::SaveAndRestore Home(Decl, IsCaptured ? Body : Decl);
    if (isClosure(Body->getReturnType()))
      return refuse(E->getExprLoc(), Diag::lambda_inside, "that gives a lambda");
    acceptCopy(Body, Body->getReturnType()) || checkType(Body->getReturnType(), E->getExprLoc());
    for (const ParmVarDecl* Parameter : Body->parameters())
      acceptCopy(Parameter, Parameter->getType()) ||
          checkType(Parameter->getType(), Parameter->getLocation());
    llvm::SaveAndRestore Depth(Conditional, Conditional + 1);
    llvm::SaveAndRestore Left(MayHaveLeft, MayHaveLeft);
    llvm::SaveAndRestore Function(Returning, Body);
    visit(Body->getBody());
  }
}

void BodyWalker::visitCaptured(const CapturedLambda& Of) {
  for (const CapturedLambda& Inner : Of.Inner)
    visitCaptured(Inner);
  visitBodies(Of.Lambda, /*IsCaptured=*/true);
}

//===-- variables of the program -----------------------------------------------------------===//

void BodyWalker::visitGlobal(const Expr* E, const VarDecl* V, Access How) {
  const Index Section = Collector.sectionOf(Self);
  const bool IsLazy = llvm::any_of(Collector.Builder.Model.Sections, [&](const ikra::Section& S) {
    return S.Code.Function == Section && S.Op != Operation::PEach;
  });
  const auto Refuse = [&](llvm::StringRef Reason) {
    refuse(E->getExprLoc(), Diag::global_variable, V->getName(), Reason);
  };
  // Of objects only their members can be written.
  const bool AreObjects = How == Access::ReadWrite && holdsObjectsThemselves(V->getType(), roles());
  if (How != Access::Read && How != Access::None && !AreObjects)
    return Refuse("is a variable outside of objects, which sections do not write; reduce to its "
                  "value, or make it a member");
  // What is lazy may run when the variable has another value; a constant has one alone.
  if (IsLazy && !keepsItsValue(V))
    return Refuse(FunctionCollector::mayHaveChanged(V));
  const std::optional<Index> Global = Collector.Builder.globalIndex(V);
  if (const auto* Class = dyn_cast<CXXRecordDecl>(V->getDeclContext());
      !Global && Class && hiddenIn(V) && !grantsAccess(Class))
    return refuse(E->getExprLoc(), Diag::hidden_member, V->getName(), Class->getNameAsString());
  if (!Global)
    return Refuse(Collector.whyNoGlobal(V, IsLazy));
  function().Globals.insert(*Global);
  Collector.GlobalUses.try_emplace(*Global, E->getExprLoc());
}

} // namespace ikra
