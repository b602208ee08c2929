// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of sections, and loops over ranges, which declare some.

#include "BodyWalker.h"

#include "Analysis/Ast/Atomics.h"
#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/ReadReferences.h"
#include "Analysis/Ast/Types.h"
#include "ModelBuilder.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace ikra {

void BodyWalker::visitDeclaration(const DeclStmt* S) {
  for (const clang::Decl* D : S->decls()) {
    if (const auto* Bindings = dyn_cast<DecompositionDecl>(D))
      visitBindings(Bindings);
    else if (const auto* V = dyn_cast<VarDecl>(D))
      visitVariable(V);
    else if (!isa<TypedefNameDecl, StaticAssertDecl, UsingDecl, UsingDirectiveDecl, UsingEnumDecl,
                  NamespaceAliasDecl, EmptyDecl, TagDecl>(D))
      refuse(
          D->getLocation(), Diag::unsupported_statement,
          "a declaration of a function or of something else that is no variable; write it before "
          "the function");
  }
}

bool BodyWalker::isPointerArray(QualType Ty) {
  QualType Element = Ty;
  while (const ConstantArrayType* Array = Collector.Builder.Context.getAsConstantArrayType(Element))
    Element = Array->getElementType();
  if (Element == Ty)
    Element =
        !Ty->isReferenceType() && isStdClass(Ty, "array") ? elementOfContainer(Ty) : QualType();
  if (Element.isNull())
    return false;
  const Type Of = classify(Element);
  if (Ty->isConstantArrayType() && isOwnStruct(Element->getAsCXXRecordDecl(), roles()))
    return false; // of values, which may have constructors
  return (Of.Kind == TypeKind::Object && Element->isPointerType()) || !Of.isAsInProgram();
}

/// An array of pointers to objects, or of pairs with such, of a variable or of a copy of an object:
/// an array of IDs.
void BodyWalker::visitPointerArray(QualType Ty, const Expr* Init, SourceLocation At) {
  Init = Init ? Init->IgnoreImplicit() : nullptr;
  if (const auto* Default = dyn_cast_or_null<CXXDefaultInitExpr>(Init))
    Init = Default->getExpr()->IgnoreImplicit();
  const auto* Construct = dyn_cast_or_null<CXXConstructExpr>(Init);
  if (Init && !isa<InitListExpr>(Init) && (!Construct || Construct->getNumArgs() != 0))
    return refuse(At, Diag::unsupported_type, Ty.getAsString());
  Collector.Builder.declare(Ty);
  const auto* List = dyn_cast_or_null<InitListExpr>(Init);
  if (List && !List->getType()->isArrayType()) // the braces in a std::array
    List = List->getNumInits() == 1 ? dyn_cast<InitListExpr>(List->getInit(0)) : nullptr;
  if (List)
    visit(List, Access::Read);
}

void BodyWalker::visitVariable(const VarDecl* V) {
  if (isClosure(V->getType()) && V->getInit())
    return visit(V->getInit(), Access::Read);
  if (V->isStaticLocal()) {
    if (!constantText(V) && !isTable(V, roles()))
      refuse(V->getLocation(), Diag::static_local, V->getName());
    return;
  }
  if (const Expr* To = referredAtomically(V)) {
    visit(To, Access::Atomic);
    return visit(To, Access::Read);
  }
  if (isPointerArray(V->getType()))
    return visitPointerArray(V->getType(), V->getInit(), V->getLocation());
  const bool Usable = acceptCopy(V, V->getType()->isConstantArrayType()
                                        ? Collector.Builder.Context.getBaseElementType(V->getType())
                                        : V->getType()) ||
                      checkType(V->getType(), V->getLocation());
  if (isWrittenAsValue(V) || isTextOfArray(V->getInit(), V->getType()))
    return;
  if (!V->getInit() || (!Usable && !isa<CXXNewExpr>(V->getInit()->IgnoreImplicit())))
    return;
  visit(V->getInit(), isWritableVariable(V, roles()) ? Access::ReadWrite : Access::Read);
}

void BodyWalker::visitRangeFor(const CXXForRangeStmt* S) {
  if (S->getInit())
    visit(S->getInit());
  if (hasOwnIterators(S, roles()))
    return visitOwnIterators(S);
  const Expr* Range = S->getRangeInit();
  if (const std::optional<Counted> Of = countedRange(Range)) {
    visit(Of->First, Access::Read);
    visit(Of->Last, Access::Read);
    if (checkType(S->getLoopVariable()->getType(), S->getLoopVariable()->getLocation()))
      visitConditionally(S->getBody());
    return;
  }
  const InitListExpr* Listed = listOf(Range);
  const QualType Ty = Listed ? Listed->getType() : Range->getType();
  const TypeKind Kind = classify(Ty).Kind;
  const QualType Element = elementOfContainer(Ty);
  const bool HasRows = Ty->isConstantArrayType() && Element->isConstantArrayType();
  const bool IsArray = (Kind == TypeKind::Value && !Element.isNull()) || HasRows;
  if (Kind != TypeKind::ValueList && Kind != TypeKind::ObjectList && !IsArray) {
    refuse(Range->getExprLoc(), Diag::unsupported_type, Range->getType().getAsString());
    return Collector.Builder.explainType(Range->getType(), Range->getExprLoc());
  }
  const VarDecl* V = S->getLoopVariable();
  const auto* Bindings = dyn_cast<DecompositionDecl>(V);
  if (Listed && isObjectByValue(Listed->getInit(0)->getType(), roles()))
    return refuse(Range->getExprLoc(), Diag::unsupported_expression,
                  "a list of objects in braces; list their addresses");
  const bool IsCopy = !Bindings && acceptCopyOfElement(S);
  if (!IsCopy && (Bindings ? !checkBindings(Bindings) : !checkType(V->getType(), V->getLocation())))
    return;
  const bool Writable = isWritableVariable(V, roles()) && !Range->getType().isConstQualified();
  if (Listed)
    for (const Expr* Element : Listed->inits())
      visit(Element);
  else
    visit(Range, Writable ? Access::ReadWrite : Access::Read);
  visitConditionally(S->getBody());
}

/// As the loop that it stands for.
void BodyWalker::visitOwnIterators(const CXXForRangeStmt* S) {
  const auto* Range = cast<VarDecl>(S->getRangeStmt()->getSingleDecl());
  if (!checkType(Range->getType(), S->getRangeInit()->getExprLoc()))
    return;
  const auto* First = cast<VarDecl>(S->getBeginStmt()->getSingleDecl());
  const auto* Begin = dyn_cast_or_null<CXXMemberCallExpr>(First->getInit()->IgnoreImplicit());
  if (Begin && refuseMember(Begin->getImplicitObjectArgument()))
    return;
  if (classify(First->getType()).Kind == TypeKind::Unsupported)
    return refuse(S->getRangeInit()->getExprLoc(), Diag::unsupported_expression,
                  "a loop over an object whose begin() gives iterators of a class, or of objects "
                  "that a container holds; loop over its container, or over numbers");
  // Whether the range is changed, its begin() and end() say.
  const auto Changes = [&](const DeclStmt* Of) {
    const Expr* Init = cast<VarDecl>(Of->getSingleDecl())->getInit()->IgnoreImplicit();
    const auto* Call = dyn_cast<CXXMemberCallExpr>(Init);
    return !Call || !Call->getMethodDecl()->isConst();
  };
  const bool Writable = isWritableReference(Range->getType(), roles()) &&
                        (Changes(S->getBeginStmt()) || Changes(S->getEndStmt()));
  visit(Range->getInit(), Writable ? Access::ReadWrite : Access::Read);
  visit(S->getBeginStmt());
  visit(S->getEndStmt());
  visit(S->getCond(), Access::Read);
  llvm::SaveAndRestore Depth(Conditional, Conditional + 1);
  visit(S->getInc(), Access::None);
  visit(S->getLoopVarStmt());
  visit(S->getBody());
}

} // namespace ikra
