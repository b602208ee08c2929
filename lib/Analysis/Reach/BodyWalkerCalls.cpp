// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls in the bodies that sections reach: which functions may be called, and how the members given
// to them are used.

#include "BodyWalker.h"

#include "Neighbourhood.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace ikra {

static bool isStream(QualType Ty) {
  const auto* Record = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  return Record && isInStd(Record) && Record->getIdentifier() &&
         Record->getName().ends_with("stream");
}

bool isElementOfArray(const FunctionDecl* Callee) {
  return isInStd(Callee) && Callee->getIdentifier() && Callee->getName() == "get" &&
         Callee->getNumParams() == 1 &&
         !elementOfContainer(Callee->getParamDecl(0)->getType()).isNull();
}

/// True for what has a parameter that is declared as a reference to what may be written: a lambda,
/// another function object, several in a class, or a function.
static bool takesPlaces(const Expr* Called, const ASTContext& Context) {
  const auto IsPlace = [](QualType Ty) {
    return Ty->isLValueReferenceType() && !Ty->getPointeeType().isConstQualified();
  };
  const QualType Ty = Called->getType().getNonReferenceType();
  const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
  if (!Class || !Class->hasDefinition()) {
    const auto* Function =
        (Ty->isPointerType() ? Ty->getPointeeType() : Ty)->getAs<FunctionProtoType>();
    return Function && llvm::any_of(Function->param_types(), IsPlace);
  }
  llvm::SmallVector<const CXXRecordDecl*> Classes{Class->getDefinition()};
  for (const CXXBaseSpecifier& Base : Class->getDefinition()->bases())
    if (const CXXRecordDecl* Of = Base.getType()->getAsCXXRecordDecl(); Of && Of->hasDefinition())
      Classes.push_back(Of->getDefinition());
  const DeclarationName Call = Context.DeclarationNames.getCXXOperatorName(OO_Call);
  return llvm::any_of(Classes, [&](const CXXRecordDecl* Of) {
    return llvm::any_of(Of->lookup(Call), [&](const NamedDecl* D) {
      const FunctionDecl* Operator = D->getUnderlyingDecl()->getAsFunction();
      return Operator && llvm::any_of(Operator->parameters(),
                                      [&](const ParmVarDecl* P) { return IsPlace(P->getType()); });
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
  Object = Object->IgnoreImplicit()->IgnoreParenImpCasts();
  if (const auto* Element = dyn_cast<CXXOperatorCallExpr>(Object);
      Element && Element->getOperator() == OO_Subscript)
    return refuseMember(Element->getArg(0));
  const auto* Named = dyn_cast<MemberExpr>(Object);
  const auto* Field = Named ? dyn_cast<FieldDecl>(Named->getMemberDecl()) : nullptr;
  if (!Field || elementOfContainer(Field->getType()).isNull() ||
      classify(Field->getType()).Kind != TypeKind::Unsupported)
    return false;
  refuse(Named->getMemberLoc(), Diag::member_type, Field->getName(),
         Field->getType().getAsString(Collector.Builder.Context.getPrintingPolicy()));
  return true;
}

void BodyWalker::visitArguments(const FunctionDecl* Callee, llvm::ArrayRef<const Expr*> Arguments) {
  for (unsigned K = 0; K < Arguments.size(); ++K) {
    Access How = Access::Read;
    if (K < Callee->getNumParams()) {
      const QualType Ty = Callee->getParamDecl(K)->getType();
      if (isWritableReference(Ty, roles()))
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
  C.Position = Site->getExprLoc().getRawEncoding();
  if (Callee->isVariadic())
    return refuse(Site->getExprLoc(), Diag::variadic, Callee->getName());
  const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
  const auto* MemberCall = dyn_cast<CXXMemberCallExpr>(Site);
  const auto* Named =
      MemberCall ? dyn_cast<MemberExpr>(MemberCall->getCallee()->IgnoreParens()) : nullptr;
  const bool Dispatched = Method && Method->isVirtual() && Named && !Named->hasQualifier() &&
                          !Method->hasAttr<FinalAttr>() &&
                          !Method->getParent()->isEffectivelyFinal();
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
    C.Dispatcher = Collector.dispatcher(StaticClass, Method);
    Collector.Builder.Model.Classes[StaticClass].Referenced = true;
    function().Calls[Site] = std::move(C);
    Collector.Dispatches.push_back({Self, Site, Method, StaticClass, Mask});
    return;
  }
  const FunctionDecl* Definition = nullptr;
  if (!Callee->hasBody(Definition) || (Callee->isDefaulted() && !isa<CXXConstructorDecl>(Callee)))
    return refuse(Site->getExprLoc(), Diag::no_body, Callee->getQualifiedNameAsString());
  C.Targets.push_back(
      {std::nullopt, Collector.request(Definition, Mask, Site->getExprLoc(), Self)});
  function().Calls[Site] = std::move(C);
}

void BodyWalker::visitCall(const CallExpr* E, Access How) {
  const bool Unused = ResultUnused;
  ResultUnused = false;
  const FunctionDecl* Callee = E->getDirectCallee();
  if (!Callee)
    return refuse(E->getExprLoc(), Diag::function_pointer);
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  if (refuseByName(E, Callee) || constantCallText(E, Collector.Builder.Context))
    return;
  if (isInIkra(Callee)) {
    ResultUnused = Unused;
    return visitLibraryCall(E, Callee);
  }
  if (isInStd(Callee) || Callee->getBuiltinID() != 0 || Callee->isExternC()) {
    const llvm::StringRef Name = Callee->getIdentifier() ? Callee->getName() : "operator";
    const StdFunction* Row = findStdFunction(Callee);
    function().LongOperations += Row && Row->Takes == StdFunction::Long;
    if (isInStd(Callee) && (Name == "move" || Name == "forward" || Name == "as_const") &&
        Arguments.size() == 1)
      return visit(Arguments[0], How);
    if (isElementOfArray(Callee)) // std::get<K>: the compiler has looked whether K is inside
      return visit(Arguments[0], How == Access::None ? Access::Read : How);
    if (isInStd(Callee) && Name == "get" && isStdClass(Arguments[0]->getType(), "variant"))
      return visitChecked(E, Arguments[0], How);
    const auto AreAll = [&](llvm::StringRef Class) {
      return Arguments.size() > 1 && llvm::all_of(Arguments.drop_front(), [&](const Expr* Given) {
               return isStdClass(Given->getType(), Class);
             });
    };
    if (isInStd(Callee) && ((Name == "visit" && AreAll("variant")) ||
                            (Name == "apply" && (AreAll("tuple") || AreAll("pair"))))) {
      const llvm::ArrayRef<const Expr*> Taken = Arguments.drop_front();
      if (!isCallable(Arguments[0]))
        visit(Arguments[0], Access::Read);
      else if (!visitCallable(Arguments[0],
                              Name == "visit" ? callsOfVisit(Taken)
                                              : std::vector{callOfApply(Taken.front())},
                              QualType(), /*IsCopied=*/false))
        return refuse(E->getExprLoc(), Diag::no_device_version, Callee->getQualifiedNameAsString());
      for (const Expr* Given : Taken)
        visit(Given, takesPlaces(Arguments[0], Collector.Builder.Context) &&
                             !Given->getType().isConstQualified()
                         ? Access::ReadWrite
                         : Access::Read);
      return;
    }
    if (isInStd(Callee) && Name == "invoke" && isCallable(Arguments[0]))
      return visitInvoke(E);
    if (visitStdPointerFunction(E, Callee) || isLimit(Callee))
      return;
    if (isStdFunction(Callee, StdFunction::Form::OfValues))
      return visitNative(E, Callee, Arguments, How);
    const bool IsNative = Row && Row->As == StdFunction::Form::Native;
    if (IsNative &&
        llvm::none_of(Arguments, [](const Expr* A) { return A->getType()->isRecordType(); }) &&
        (Name != "hypot" || Arguments.size() != 3)) // of space, which devices have not
      return visitArguments(Callee, Arguments);
    if (Row && Row->As == StdFunction::Form::Followed && Callee->hasBody()) {
      visitArguments(Callee, Arguments);
      return addCall(E, Callee, nullptr, Arguments);
    }
    const SourceManager& SM = Collector.Builder.Context.getSourceManager();
    // Algorithms and the like: nothing that sections may not do, since it may be done in constants.
    if ((isInStd(Callee) && (Callee->isConstexpr() || IsNative)) ||
        (Row && Row->As == StdFunction::Form::OfLocale))
      return refuse(E->getExprLoc(), Diag::no_device_version, Callee->getQualifiedNameAsString());
    if (isInStd(Callee) || Callee->getBuiltinID() != 0 ||
        (!Callee->hasBody() && SM.isInSystemHeader(Callee->getLocation())))
      return refuse(E->getExprLoc(), Diag::system_function, Callee->getQualifiedNameAsString());
  }
  visitArguments(Callee, Arguments);
  addCall(E, Callee, nullptr, Arguments);
}

void BodyWalker::visitLibraryCall(const CallExpr* E, const FunctionDecl* Callee) {
  const bool Unused = ResultUnused;
  ResultUnused = false;
  const llvm::StringRef Name = Callee->getIdentifier() ? Callee->getName() : "";
  if (isa<CXXMethodDecl>(Callee) && Name == "rank") // a number, whose call is printed as that
    return;
  const bool IsAtomic = Name.starts_with("atomic_");
  if (!IsAtomic || E->getNumArgs() == 0)
    return refuse(E->getExprLoc(), Diag::system_function, Callee->getQualifiedNameAsString());
  const ASTContext& Context = Collector.Builder.Context;
  const QualType Place = E->getArg(0)->getType();
  if (const auto Bytes = Context.getTypeSizeInChars(Place).getQuantity();
      (Bytes != 1 && Bytes != 2 && Bytes != 4 && Bytes != 8) ||
      Context.getTypeAlignInChars(Place).getQuantity() != Bytes)
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "an atomic change of what is not 1, 2, 4 or 8 bytes, aligned to as many");
  visit(E->getArg(0), Access::Atomic);
  if (!Unused || Name == "atomic_compare_exchange")
    visit(E->getArg(0), Access::Read);
  for (unsigned K = 1; K < E->getNumArgs(); ++K)
    visit(E->getArg(K), Access::Read);
}

void BodyWalker::visitContainerCall(const CXXMemberCallExpr* E, const Expr* Container, Access How) {
  static const llvm::StringSet<> Growing = {
      "push_back", "emplace_back", "pop_back", "resize",  "clear", "insert",
      "erase",     "emplace",      "assign",   "reserve", "swap",  "shrink_to_fit"};
  const llvm::StringRef Name =
      E->getMethodDecl()->getIdentifier() ? E->getMethodDecl()->getName() : "operator";
  if (Growing.contains(Name))
    return refuse(E->getExprLoc(), Diag::growing_container, Name);
  if (Name == "at" && E->getNumArgs() == 1) {
    visit(E->getArg(0), Access::Read);
    return visitChecked(E, Container, How);
  }
  if (givesIterator(Name) && isPointer(E->getType()))
    return visitPointer(E);
  const bool IsSize = Name == "size" || Name == "empty" ||
                      (rankOfArray(Container->getType()) != 0 && Name == "shape");
  if (!IsSize && Name != "front" && Name != "back")
    return refuse(E->getExprLoc(), Diag::member_function, Name,
                  Container->getType().getUnqualifiedType().getAsString(
                      Collector.Builder.Context.getPrintingPolicy()));
  visit(Container, IsSize || How == Access::None ? Access::Read : How);
}

void BodyWalker::visitMethodCall(const CXXMemberCallExpr* E, Access How) {
  ResultUnused = false;
  const CXXMethodDecl* Callee = E->getMethodDecl();
  if (!Callee)
    return refuse(E->getExprLoc(), Diag::function_pointer);
  const Expr* Object = E->getImplicitObjectArgument();
  const auto* Named = cast<MemberExpr>(E->getCallee()->IgnoreParens());
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  if (Callee->getOverloadedOperator() == OO_Call && isClosure(objectType(Object)))
    return visitClosureCall(E, Object, Callee, Arguments); // f.operator()(x)
  const Type Receiver = classify(objectType(Object));

  if (Receiver.Kind == TypeKind::Library) {
    visit(Object, Access::None);
    return visitArguments(Callee, Arguments);
  }
  if (Receiver.Kind == TypeKind::Window)
    return refuse(E->getExprLoc(), Diag::window_function, Callee->getNameAsString());
  if (isStream(Object->getType()))
    return refuse(E->getExprLoc(), Diag::io, Callee->getNameAsString());
  if (Receiver.Kind == TypeKind::ValueList || Receiver.Kind == TypeKind::ObjectList)
    return visitContainerCall(E, Object, How);
  if (Receiver.Kind == TypeKind::Value && isOfLibrary(Callee->getParent())) {
    if (Callee->getNameAsString() == "at" && E->getNumArgs() == 1) { // std::array
      visit(E->getArg(0), Access::Read);
      return visitChecked(E, Object, How);
    }
    if (Callee->getNameAsString() == "value" && isStdClass(objectType(Object), "optional"))
      return visitChecked(E, Object, How);
    if (Callee->getIdentifier() && givesIterator(Callee->getName()) && isPointer(E->getType()))
      return visitPointer(E); // of a std::array
    llvm::SmallVector<const Expr*> All{Object};
    All.append(Arguments.begin(), Arguments.end());
    return visitNative(E, Callee, All, How);
  }
  if (isInStd(Callee)) {
    // Smart pointers: get() and the test for null.
    if (Receiver.Kind == TypeKind::Object &&
        (isa<CXXConversionDecl>(Callee) || Callee->getNameAsString() == "get")) {
      if (isa<CXXConversionDecl>(Callee) && isElement(Object))
        function().TestsSelfForNull = true;
      return visit(Object, Access::Read);
    }
    const auto* Record = Object->getType()->getAsCXXRecordDecl();
    if (Record && Record->getName() == "basic_string")
      return refuse(E->getExprLoc(), Diag::string_type);
    if (refuseMember(Object))
      return;
    return refuse(E->getExprLoc(), Diag::system_function, Callee->getQualifiedNameAsString());
  }
  if (isInIkra(Callee))
    return refuse(E->getExprLoc(), Diag::system_function, Callee->getQualifiedNameAsString());
  if (isValueClass(Callee->getParent(), roles()))
    visit(Object, Callee->isStatic() ? Access::None : valueUse(Callee));
  else
    visit(Object, Named->isArrow() ? Access::Read : Access::None);
  visitArguments(Callee, Arguments);
  if (Callee->isStatic())
    return addCall(E, Callee, nullptr, Arguments);
  addCall(E, Callee, Object, Arguments);
}

void BodyWalker::visitWindowRead(const CXXOperatorCallExpr* E) {
  if (E->getOperator() != OO_Subscript && E->getOperator() != OO_Call)
    return refuse(E->getExprLoc(), Diag::window_function,
                  std::string("operator") + getOperatorSpelling(E->getOperator()));
  for (const Expr* Argument : E->arguments())
    visit(Argument, Access::Read);
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  if (std::optional<Offset> At = constantOffset(All.drop_front(), Collector.Builder.Context))
    function().WindowReads.push_back({std::move(*At), All[1]});
}

bool BodyWalker::isLambdaFromOutside(const Expr* Closure) {
  const auto* Name = dyn_cast<DeclRefExpr>(Closure->IgnoreParenImpCasts());
  const auto* V = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
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
  visit(Closure, Access::Read);
}

void BodyWalker::visitOperatorCall(const CXXOperatorCallExpr* E, Access How) {
  ResultUnused = false;
  const auto* Callee = dyn_cast_or_null<FunctionDecl>(E->getCalleeDecl());
  if (!Callee)
    return refuse(E->getExprLoc(), Diag::function_pointer);
  if (const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
      Method && isClosure(E->getArg(0)->getType()))
    return visitClosureCall(
        E, E->getArg(0), Method,
        llvm::ArrayRef<const Expr*>(E->getArgs(), E->getNumArgs()).drop_front());
  if (const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
      Method && isExtremum(Method->getParent())) {
    const auto Given = llvm::ArrayRef<const Expr*>(E->getArgs(), E->getNumArgs()).drop_front();
    visitArguments(Callee, Given);
    return addCall(E, Callee, nullptr, Given);
  }
  for (const Expr* Argument : E->arguments())
    if (isStream(Argument->getType()))
      return refuse(E->getExprLoc(), Diag::io, "operator<<");
  const Type First = classify(objectType(E->getArg(0)));
  const bool Container = First.Kind == TypeKind::ValueList || First.Kind == TypeKind::ObjectList;
  if (E->getOperator() == OO_Subscript && Container) {
    visit(E->getArg(1), Access::Read);
    return visit(E->getArg(0), How == Access::None ? Access::Read : How);
  }
  if (isInStd(Callee) && llvm::any_of(E->arguments(), [&](const Expr* Side) {
        return Side->getType()->isRecordType() && isPointer(Side->getType());
      }))
    return visitPointerOperator(E);
  if (E->getOperator() == OO_Call && Container && rankOfArray(E->getArg(0)->getType()) != 0) {
    for (const Expr* Argument : E->arguments())
      visit(Argument, Access::Read);
    return;
  }
  if (First.Kind == TypeKind::Window)
    return visitWindowRead(E);
  if (First.Kind == TypeKind::Library) {
    for (const Expr* Argument : E->arguments())
      visit(Argument, Access::Read);
    return;
  }
  if (isInStd(Callee) && First.Kind == TypeKind::Object) {
    // Smart pointers: ->, * and comparisons.
    for (const Expr* Argument : E->arguments())
      visit(Argument, E->getOperator() == OO_Equal ? Access::None : Access::Read);
    if (E->getOperator() == OO_Equal)
      refuse(E->getExprLoc(), Diag::new_delete);
    return;
  }
  if (refuseMember(E->getArg(0)))
    return;
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  const bool HasClass = llvm::any_of(
      All, [&](const Expr* Argument) { return valueClassOf(Argument->getType(), roles()); });
  if (HasClass && isNativeOperator(E))
    return visitNative(E, Callee, All, How);
  if (isInStd(Callee) || isInIkra(Callee))
    return refuse(E->getExprLoc(), Diag::system_function, Callee->getQualifiedNameAsString());
  // Operators of the user's own types are functions like others.
  if (const auto* Method = dyn_cast<CXXMethodDecl>(Callee); Method && !Method->isStatic()) {
    visit(All[0], isValueClass(Method->getParent(), roles()) ? valueUse(Method) : Access::None);
    visitArguments(Callee, All.drop_front());
    return addCall(E, Callee, All[0], All.drop_front());
  }
  visitArguments(Callee, All);
  addCall(E, Callee, nullptr, All);
}

} // namespace ikra
