// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements, names and member accesses. Every kind of node that is not named here is refused, so
// that bodies never hold what has no node.

#include "BodyWalker.h"

#include "RefusedForms.h"

#include "Analysis/Ast/CompilerFunctions.h"
#include "Analysis/Ast/TypeParts.h"

#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <utility>

using namespace clang;

namespace ikra {

//===-- one function -----------------------------------------------------------------------===//

BodyWalker::BodyWalker(FunctionCollector& Collector, Index Function)
    : Collector(Collector), Self(Function), Decl(Collector.Builder.Model.Functions[Function].Decl),
      Returning(Decl) {}

/// The type of a variable, or of what a reference refers to.
static QualType valueType(const VarDecl* V) {
  return V->getType().getNonReferenceType().getUnqualifiedType();
}

/// Whether a section is given copies of objects in place \p K: elements that are values.
bool BodyWalker::isGivenCopy(unsigned K) const {
  const Function& F = Collector.Builder.Model.Functions[Self];
  const QualType Ty = Decl->getParamDecl(K)->getType();
  return F.IsSection && copiedClassOf(valueType(Decl->getParamDecl(K)), roles()) &&
         (!Ty->isReferenceType() || (K < 63 && ((F.CopyMask >> (K + 1)) & 1)));
}

void BodyWalker::walk() {
  if (Decl->isVariadic()) {
    refuse(Decl->getLocation(), Diag::variadic, Decl->getName());
    return;
  }
  if (isWindow(Decl->getReturnType()))
    refuse(Decl->getLocation(), Diag::unsupported_type, Decl->getReturnType().getAsString());
  else if (const CXXRecordDecl* Class =
               function().IsSection ? copiedClassOf(Decl->getReturnType(), roles()) : nullptr)
    copyWhole(Class, Decl->getLocation());
  else if (!Decl->getReturnType()->isVoidType())
    acceptCopy(Decl, Decl->getReturnType()) ||
        checkType(Decl->getReturnType(), Decl->getLocation());
  for (unsigned K = 0; K < Decl->getNumParams(); ++K) {
    const ParmVarDecl* Parameter = Decl->getParamDecl(K);
    if (isTag(Parameter))
      continue;
    if (isGivenCopy(K))
      copyWhole(valueType(Parameter)->getAsCXXRecordDecl(), Parameter->getLocation());
    if ((function().IsSection || !isClosure(Parameter->getType())) && !isGivenCopy(K) &&
        !acceptCopy(Parameter, Parameter->getType()))
      checkType(Parameter->getType(), Parameter->getLocation());
    if (const Expr* Default = function().IsSection ? defaultOf(Parameter) : nullptr)
      visit(Default);
    if (K < 63 && ((function().SelfMask >> (K + 1)) & 1) && isModified(Decl, Parameter))
      function().SelfMask &= ~(std::uint64_t(1) << (K + 1));
  }
  if (const auto* Constructor = dyn_cast<CXXConstructorDecl>(Decl))
    visitInitialisers(Constructor);
  const Handover Handed = function().Handed;
  for (const Expr* Argument : Handed.Arguments)
    if (Argument)
      visit(Argument, Access::Read);
  if (Handed.Result)
    visit(Handed.Result, Access::Read);
  const std::vector<CapturedLambda> Lambdas = function().Lambdas; // functions are added on the way
  for (const CapturedLambda& Of : Lambdas)
    visitCaptured(Of);
  visit(Decl->getBody());
}

bool BodyWalker::isElement(const Expr* E) const {
  const Function& F = Collector.Builder.Model.Functions[Self];
  if (isSelf(F, E))
    return true;
  const auto* Name = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  if (!Name || Decl->getNumParams() == 0 || (!F.IsSection && F.SelfMask == 0))
    return false;
  // A variable may have been set to the element; a section's parameter that comes to point
  // elsewhere was the element before.
  const auto* Variable = dyn_cast<VarDecl>(Name->getDecl());
  return (Variable && Variable->isLocalVarDecl() && isDeclaredIn(Variable, Decl)) ||
         (F.IsSection && Name->getDecl() == Decl->getParamDecl(0));
}

bool BodyWalker::checkType(QualType Ty, SourceLocation At) {
  const QualType Value = Ty.getNonReferenceType();
  const auto* Record = Value->getAsCXXRecordDecl();
  if (Record && isInStd(Record) && Record->getName() == "basic_string") {
    refuse(At, Diag::string_type);
    return false;
  }
  if (!Ty->isReferenceType() && isOptionalObject(Ty, roles())) {
    refuseCopy(At, elementsOf(holderOf(Ty)).front(), "within a std::optional");
    return false;
  }
  const Type T = Collector.Builder.declareLocal(Ty);
  switch (T.Kind) {
  case TypeKind::Void:
  case TypeKind::Value:
  case TypeKind::Object:
  case TypeKind::Library:
  case TypeKind::Window:
  case TypeKind::Pointer:
    return true;
  case TypeKind::ValueList:
  case TypeKind::ObjectList:
    // Views, or arrays of the function's own; a vector by value would allocate.
    if (Ty->isReferenceType() || T.ArrayRank != 0 || isStdClass(Value, "span") ||
        (Value->isConstantArrayType() && T.Kind == TypeKind::ValueList))
      return true;
    break;
  case TypeKind::Unsupported:
    // Arrays of arrays of values.
    if (Ty->isConstantArrayType() && Ty->getAsArrayTypeUnsafe()->getElementType()->isArrayType())
      return checkType(Ty->getAsArrayTypeUnsafe()->getElementType(), At);
    break;
  }
  if (Record && Record->isLambda())
    refuse(At, Diag::lambda_inside, "that is handed on");
  else if (const std::string Reason = reasonNoValue(Record, roles()); !Reason.empty()) {
    refuse(At, Diag::no_value_class, Record->getNameAsString(), Reason);
  } else if (Record && !isInStd(Record) && !isInIkra(Record)) {
    const std::string NoCopy = reasonNoCopy(Value);
    refuse(At, Diag::object_by_value, Record->getNameAsString(),
           NoCopy.empty() ? "where only variables, and parameters and results of functions, may be"
                          : NoCopy);
    Collector.Builder.explainRole(Value);
  } else if (Ty->isVariableArrayType())
    refuse(At, Diag::unsupported_statement,
           "an array of a size that is no constant; give it its greatest size");
  else if (const std::string Form = refusedPointer(Ty); Ty->isPointerType() && !Form.empty())
    refuse(At, Diag::unsupported_expression, Form);
  else
    refuse(At, Diag::unsupported_type, Ty.getAsString());
  return false;
}

void BodyWalker::access(const FieldDecl* Field, const Expr* Object, Access How, SourceLocation At) {
  if (How ==
      Access::None) // what is only named may be a reference, which is read, and needs a column
    How = Access::Read;
  const auto* Class = cast<CXXRecordDecl>(Field->getParent());
  // A variable's member is no column.
  const TypeKind Kind = classify(Field->getType()).Kind;
  if (!Object->getType()->isPointerType() &&
      (Kind == TypeKind::Unsupported || Kind == TypeKind::Library ||
       Field->getType()->isReferenceType()))
    if (const std::string Reason = reasonNoValue(Class, roles());
        !Reason.empty() && !Class->isUnion())
      return refuse(At, Diag::no_value_class, Class->getName(), Reason);
  const std::optional<Index> M = Collector.Builder.memberIndex(Field, At);
  if (!M)
    return;
  const bool Own = isSelf(function(), Object);
  MemberUse& Uses = function().Direct;
  if (How == Access::Atomic) {
    Uses.Atomic.insert(*M);
    Uses.Changed.insert(*M);
    return;
  }
  if (How != Access::Write)
    (Own ? Uses.ReadSelf : Uses.ReadOther).insert(*M);
  if (How != Access::Read)
    (Own ? Uses.WriteSelf : Uses.WriteOther).insert(*M);
  if (How != Access::Read && !IsHandedOut)
    Uses.Changed.insert(*M);
  if (Own && Conditional == 0 && !MayHaveLeft) {
    function().AlwaysSelf.Accessed.insert(*M);
    if (How != Access::Read)
      function().AlwaysSelf.Written.insert(*M);
  }
}

//===-- statements -------------------------------------------------------------------------===//

void BodyWalker::visitConditionally(const Stmt* S) {
  if (!S)
    return;
  llvm::SaveAndRestore Depth(Conditional, Conditional + 1);
  visit(S);
}

void BodyWalker::visit(const Stmt* S) {
  if (!S || FallsBack)
    return;
  if (const auto* E = dyn_cast<Expr>(S)) {
    ResultUnused = true;
    visit(E, Access::None);
    return;
  }
  switch (S->getStmtClass()) {
  case Stmt::NullStmtClass:
    return;
  case Stmt::CompoundStmtClass:
    for (const Stmt* Child : cast<CompoundStmt>(S)->body())
      visit(Child);
    return;
  case Stmt::DeclStmtClass:
    return visitDeclaration(cast<DeclStmt>(S));
  case Stmt::AttributedStmtClass:
    return visit(cast<AttributedStmt>(S)->getSubStmt());
  case Stmt::ReturnStmtClass: {
    if (const Expr* Value = cast<ReturnStmt>(S)->getRetValue()) {
      if (Returning->getReturnType()->isReferenceType() &&
          holdsObjectsThemselves(Value->getType(), roles()) &&
          isCopy(Value) != (Returning == Decl && givesCopy(function(), roles())))
        return refuseCopy(Value->getExprLoc(), Value->getType(),
                          "to which a function gives a reference");
      const bool IsHandedOutHere = isWritableReference(Returning->getReturnType(), roles());
      llvm::SaveAndRestore HandsOut(IsHandedOut, IsHandedOutHere);
      visit(Value, IsHandedOutHere ? Access::ReadWrite : Access::Read);
    }
    MayHaveLeft = true;
    return;
  }
  case Stmt::BreakStmtClass:
  case Stmt::ContinueStmtClass:
    MayHaveLeft = true;
    return;
  case Stmt::IfStmtClass: {
    const auto* If = cast<IfStmt>(S);
    visit(If->getInit());
    visit(If->getConditionVariableDeclStmt());
    if (If->isConsteval()) // sections run at run time
      return visit(If->isNegatedConsteval() ? If->getThen() : If->getElse());
    if (If->isConstexpr()) {
      if (std::optional<const Stmt*> Taken = If->getNondiscardedCase(Collector.Builder.Context))
        return visit(*Taken);
    }
    if (!If->getConditionVariable())
      visit(If->getCond(), Access::Read);
    visitConditionally(If->getThen());
    visitConditionally(If->getElse());
    return;
  }
  case Stmt::SwitchStmtClass: {
    const auto* Switch = cast<SwitchStmt>(S);
    visit(Switch->getInit());
    if (Switch->getConditionVariable())
      visit(Switch->getConditionVariableDeclStmt());
    visit(Switch->getCond(), Access::Read);
    visitConditionally(Switch->getBody());
    return;
  }
  case Stmt::CaseStmtClass:
    if (const auto Range = caseValues(cast<CaseStmt>(S), Collector.Builder.Context);
        Range && Range->Last.getExtValue() - Range->First.getExtValue() >= 256)
      return refuse(S->getBeginLoc(), Diag::unsupported_statement,
                    "a range of more than 256 cases; use if");
    [[fallthrough]];
  case Stmt::DefaultStmtClass:
    return visit(cast<SwitchCase>(S)->getSubStmt());
  case Stmt::WhileStmtClass: {
    const auto* While = cast<WhileStmt>(S);
    visit(While->getConditionVariableDeclStmt());
    visit(While->getCond(), Access::Read);
    return visitConditionally(While->getBody());
  }
  case Stmt::DoStmtClass:
    visit(cast<DoStmt>(S)->getBody());
    return visit(cast<DoStmt>(S)->getCond(), Access::Read);
  case Stmt::ForStmtClass: {
    const auto* For = cast<ForStmt>(S);
    visit(For->getInit());
    if (const VarDecl* V = For->getConditionVariable();
        V && V->getType().getNonReferenceType()->isRecordType()) // its value is a call's
      return refuse(V->getLocation(), Diag::unsupported_statement,
                    "a declaration of a class as the condition of a for; write a while");
    visit(For->getConditionVariableDeclStmt());
    if (For->getCond())
      visit(For->getCond(), Access::Read);
    llvm::SaveAndRestore Depth(Conditional, Conditional + 1);
    if (For->getInc())
      visit(For->getInc(), Access::None);
    return visit(For->getBody());
  }
  case Stmt::CXXForRangeStmtClass:
    return visitRangeFor(cast<CXXForRangeStmt>(S));
  case Stmt::GotoStmtClass:
  case Stmt::IndirectGotoStmtClass:
    return refuse(S->getBeginLoc(), Diag::goto_statement);
  case Stmt::LabelStmtClass: // nothing without a goto
    return visit(cast<LabelStmt>(S)->getSubStmt());
  case Stmt::GCCAsmStmtClass:
  case Stmt::MSAsmStmtClass:
    return refuse(S->getBeginLoc(), Diag::inline_asm);
  case Stmt::CXXTryStmtClass:
    return refuse(S->getBeginLoc(), Diag::try_block);
  default:
    refuse(S->getBeginLoc(), Diag::unsupported_statement, refusedForm(S));
  }
}

//===-- expressions ------------------------------------------------------------------------===//

void BodyWalker::visit(const Expr* E, Access How) {
  if (FallsBack)
    return;
  const bool Unused = ResultUnused;
  ResultUnused = false;
  if (E->getType()->isArithmeticType() && classify(E->getType()).Kind == TypeKind::Unsupported)
    return refuse(E->getExprLoc(), Diag::unsupported_type, E->getType().getAsString());
  if (memberPointerText(E, Collector.Builder.Context))
    return;
  if (const auto* Call = dyn_cast<CallExpr>(E);
      Call && E->isLValue() && How != Access::Read && How != Access::None && !IsHandedOut) {
    const FunctionDecl* Callee = Call->getDirectCallee();
    function().Direct.ChangesResults |= Callee && !isInStd(Callee);
  }
  switch (E->getStmtClass()) {
  case Stmt::IntegerLiteralClass:
  case Stmt::FloatingLiteralClass:
  case Stmt::CharacterLiteralClass:
  case Stmt::CXXBoolLiteralExprClass:
  case Stmt::CXXNullPtrLiteralExprClass:
  case Stmt::GNUNullExprClass:
  case Stmt::CXXScalarValueInitExprClass:
  case Stmt::ImplicitValueInitExprClass:
  case Stmt::UnaryExprOrTypeTraitExprClass:
  case Stmt::TypeTraitExprClass:
  case Stmt::SizeOfPackExprClass:
  case Stmt::CXXNoexceptExprClass: // runs nothing
    return;
  case Stmt::CXXThisExprClass:
    if (isCopy(E))
      refuseCopy(E->getExprLoc(), E->getType(), "whose address is taken");
    return;
  case Stmt::ParenExprClass:
    ResultUnused = Unused;
    return visit(cast<ParenExpr>(E)->getSubExpr(), How);
  case Stmt::ConstantExprClass:
  case Stmt::ExprWithCleanupsClass:
    ResultUnused = Unused;
    return visit(cast<FullExpr>(E)->getSubExpr(), How);
  case Stmt::MaterializeTemporaryExprClass:
    return visit(cast<MaterializeTemporaryExpr>(E)->getSubExpr(), How);
  case Stmt::CXXBindTemporaryExprClass:
    return visit(cast<CXXBindTemporaryExpr>(E)->getSubExpr(), How);
  case Stmt::SubstNonTypeTemplateParmExprClass:
    return visit(cast<SubstNonTypeTemplateParmExpr>(E)->getReplacement(), How);
  case Stmt::CXXDefaultArgExprClass:
    return visit(cast<CXXDefaultArgExpr>(E)->getExpr(), How);
  case Stmt::CXXDefaultInitExprClass:
    return visit(cast<CXXDefaultInitExpr>(E)->getExpr(), How);
  case Stmt::CXXRewrittenBinaryOperatorClass: {
    const auto* Rewritten = cast<CXXRewrittenBinaryOperator>(E);
    const CXXRewrittenBinaryOperator::DecomposedForm Form = Rewritten->getDecomposedForm();
    if (!isNativeOperator(Form.InnerBinOp, roles()))
      return visit(Rewritten->getSemanticForm(), How);
    return visit(Form.InnerBinOp, Access::Read);
  }
  case Stmt::DeclRefExprClass:
    return visitName(cast<DeclRefExpr>(E), How);
  case Stmt::MemberExprClass:
    return visitMember(cast<MemberExpr>(E), How);
  case Stmt::ArraySubscriptExprClass: {
    const auto* Subscript = cast<ArraySubscriptExpr>(E);
    const Expr* Base = Subscript->getBase()->IgnoreParenImpCasts();
    visit(Subscript->getIdx(), Access::Read);
    if (Base->getType()->isConstantArrayType())
      return visit(Base, How);
    if (!isPointer(Base->getType()))
      return refuse(E->getExprLoc(), Diag::unsupported_expression,
                    "arithmetic of pointers to objects");
    return visit(Base, Access::Read);
  }
  case Stmt::ImplicitCastExprClass:
  case Stmt::CStyleCastExprClass:
  case Stmt::CXXStaticCastExprClass:
  case Stmt::CXXFunctionalCastExprClass:
  case Stmt::CXXConstCastExprClass:
  case Stmt::CXXDynamicCastExprClass:
    return visitCast(cast<CastExpr>(E), How);
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass:
    return visitBinary(cast<BinaryOperator>(E), How);
  case Stmt::UnaryOperatorClass:
    return visitUnary(cast<UnaryOperator>(E), How);
  case Stmt::ConditionalOperatorClass: {
    const auto* Choice = cast<ConditionalOperator>(E);
    if (E->getObjectKind() == OK_BitField && (How == Access::Write || How == Access::ReadWrite))
      return refuse(E->getExprLoc(), Diag::unsupported_expression,
                    "a bit-field that ?: chooses to be written; write an if");
    if (holdsObjectsThemselves(E->getType(), roles()) &&
        isCopy(Choice->getTrueExpr()) != isCopy(Choice->getFalseExpr()))
      return refuseCopy(E->getExprLoc(), E->getType(), "and ?: chooses that or an object");
    visit(Choice->getCond(), Access::Read);
    llvm::SaveAndRestore Depth(Conditional, Conditional + 1);
    visit(Choice->getTrueExpr(), How);
    return visit(Choice->getFalseExpr(), How);
  }
  case Stmt::InitListExprClass: {
    const auto* List = cast<InitListExpr>(E);
    if (isOperatorObject(E->getType())) // nothing but a base without members
      return;
    if (E->getType()->isRecordType() && isObjectByValue(E->getType(), roles()))
      return visitObjectBraces(E, List->inits());
    if (const CXXRecordDecl* Class = E->getType()->getAsCXXRecordDecl();
        isObjectClass(Class, roles()) && !isClosure(E->getType()))
      return refuse(E->getExprLoc(), Diag::object_by_value, Class->getName(),
                    "where no objects are made");
    if (!E->getType()->isScalarType() && !E->getType()->isConstantArrayType() &&
        !valueClassOf(E->getType(), roles()) && !isClosure(E->getType()))
      return refuse(E->getExprLoc(), Diag::unsupported_expression, "a braced value of class type");
    visitBraces(List->inits(), E);
    if (const Expr* Filler = fillerOf(List, roles());
        Filler && checkCount(E->getType(), E->getExprLoc()))
      visit(Filler, Access::Read);
    return;
  }
  case Stmt::CXXParenListInitExprClass:
    if (isObjectByValue(E->getType(), roles()))
      return visitObjectBraces(E, cast<CXXParenListInitExpr>(E)->getInitExprs());
    if (!valueClassOf(E->getType(), roles()))
      return refuse(E->getExprLoc(), Diag::unsupported_expression, "a value of class type");
    return visitBraces(cast<CXXParenListInitExpr>(E)->getInitExprs(), E);
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass:
    return visitConstruct(cast<CXXConstructExpr>(E));
  case Stmt::CXXInheritedCtorInitExprClass: // with the parameters of the constructor around it
    return addCall(E, cast<CXXInheritedCtorInitExpr>(E)->getConstructor(), nullptr, {});
  case Stmt::ArrayInitLoopExprClass: // a copy of an array, to be bound
    return visit(cast<ArrayInitLoopExpr>(E)->getCommonExpr()->getSourceExpr(), Access::Read);
  case Stmt::UserDefinedLiteralClass:
  case Stmt::CallExprClass:
    ResultUnused = Unused;
    return visitCall(cast<CallExpr>(E), How);
  case Stmt::CXXMemberCallExprClass:
    ResultUnused = Unused;
    return visitMethodCall(cast<CXXMemberCallExpr>(E), How);
  case Stmt::CXXOperatorCallExprClass:
    ResultUnused = Unused;
    return visitOperatorCall(cast<CXXOperatorCallExpr>(E), How);
  case Stmt::CXXStdInitializerListExprClass:
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "a braced list that a function is given; give it an array, or write a loop");
  case Stmt::CXXThrowExprClass:
    return refuse(E->getExprLoc(), Diag::throws);
  case Stmt::CXXNewExprClass:
  case Stmt::CXXDeleteExprClass:
    return refuse(E->getExprLoc(), Diag::new_delete);
  case Stmt::LambdaExprClass:
    return visitLambda(cast<LambdaExpr>(E));
  case Stmt::StringLiteralClass:
    return refuse(E->getExprLoc(), Diag::string_type);
  default:
    refuse(E->getExprLoc(), Diag::unsupported_expression, refusedForm(E));
  }
}

void BodyWalker::visitCast(const CastExpr* E, Access How) {
  const Expr* Sub = E->getSubExpr();
  switch (E->getCastKind()) {
  case CK_LValueToRValue:
    return visit(Sub, Access::Read);
  case CK_NoOp:
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
  case CK_BaseToDerived:
    if (refuseMember(E))
      return;
    // As it is written: a cast to a reference names the object, whose class is no value.
    if (const auto* Written = dyn_cast<ExplicitCastExpr>(E); Written && !isClosure(E->getType())) {
      if (E->isGLValue() && isCopy(Sub))
        return refuseCopy(E->getExprLoc(), Sub->getType(), "and cast to another class");
      const QualType As = Written->getTypeAsWritten(); // `std::array`, whose arguments are deduced
      if (!E->isPRValue() || !isObjectByValue(E->getType(), roles())) // else it is made in braces
        checkType(As->getContainedDeducedType() ? E->getType() : As, E->getExprLoc());
    }
    if (isPointer(E->getType()) && E->isPRValue())
      return visitPointer(Sub, mayWriteThrough(E->getType()));
    return visit(Sub, How);
  case CK_ArrayToPointerDecay:
    if (!isPointer(E->getType()))
      return refuse(E->getExprLoc(), Diag::unsupported_type, E->getType().getAsString());
    return visitPointer(E);
  case CK_IntegralCast:
  case CK_IntegralToBoolean:
  case CK_IntegralToFloating:
  case CK_FloatingToIntegral:
  case CK_FloatingToBoolean:
  case CK_FloatingCast:
  case CK_BooleanToSignedIntegral:
    if (!checkType(E->getType(), E->getExprLoc()))
      return;
    return visit(Sub, Access::Read);
  case CK_PointerToBoolean:
    if (isTextAsCondition(E))
      return;
    function().NamesNull = true;
    if (isElement(Sub))
      function().TestsSelfForNull = true;
    return visit(Sub, Access::Read);
  case CK_NullToPointer:
    function().NamesNull = true;
    [[fallthrough]];
  case CK_ToVoid:
    return visit(Sub, Access::None);
  case CK_ConstructorConversion:
  case CK_UserDefinedConversion:
    return visit(Sub, How);
  case CK_FunctionToPointerDecay:
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "a function that is handed on; hand on a lambda that calls it");
  case CK_Dynamic: {
    const QualType To = E->getType();
    const CXXRecordDecl* Class =
        (To->isPointerType() ? To->getPointeeType() : To)->getAsCXXRecordDecl();
    if (!Class)
      return refuse(E->getExprLoc(), Diag::unsupported_expression,
                    "dynamic_cast to void*; cast to a pointer to a class");
    if (isCopy(Sub))
      return refuseCopy(E->getExprLoc(), Sub->getType(), "and cast to another class");
    const QualType Named =
        To->isPointerType() ? To : Collector.Builder.Context.getLValueReferenceType(To);
    if (!checkType(Named, E->getExprLoc()))
      return;
    askClass(Class);
    function().CallsAt |= !To->isPointerType(); // it may fail as that does
    function().NamesNull = true;                // what it gives then
    if (isElement(Sub))
      function().TestsSelfForNull = true;
    return visit(Sub, Access::Read);
  }
  default:
    return refuse(E->getExprLoc(), Diag::unsupported_expression, refusedCast(E));
  }
}

void BodyWalker::askClass(const CXXRecordDecl* Class) {
  const Index C = Collector.Builder.classIndex(Class);
  Collector.Builder.Model.Classes[C].Referenced = true;
  function().TestedClasses.insert(C);
  function().Dispatches = true;
}

void BodyWalker::visitBinary(const BinaryOperator* E, Access How) {
  if (E->isAssignmentOp()) {
    if (E->isCompoundAssignmentOp() && E->getType()->isPointerType() && !isPointer(E->getType()))
      return refuse(E->getExprLoc(), Diag::unsupported_expression,
                    "arithmetic of pointers to objects");
    visit(E->getRHS(), Access::Read);
    const bool Compound =
        E->isCompoundAssignmentOp() || How == Access::Read || How == Access::ReadWrite;
    return visit(E->getLHS(), Compound ? Access::ReadWrite : Access::Write);
  }
  if (E->isLogicalOp()) {
    visit(E->getLHS(), Access::Read);
    return visitConditionally(E->getRHS());
  }
  if (E->getOpcode() == BO_Comma) {
    visit(E->getLHS(), Access::None);
    return visit(E->getRHS(), How);
  }
  if (E->isPtrMemOp()) // what nameMembers() could not write as members
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "a pointer to a member, after what may have effects, or to one of many; give the "
                  "object and the pointer names before");
  const bool Pointers =
      E->getLHS()->getType()->isPointerType() && E->getRHS()->getType()->isPointerType();
  const bool ToObjects = !isPointer(E->getLHS()->getType()) && !isPointer(E->getRHS()->getType());
  if ((Pointers || E->getType()->isPointerType()) && !E->isEqualityOp() && ToObjects)
    return refuse(E->getExprLoc(), Diag::unsupported_expression,
                  "arithmetic or order of pointers to objects");
  if (E->isAdditiveOp() && E->getType()->isPointerType())
    return visitPointer(E);
  const auto IsNull = [&](const Expr* Side) {
    return Side->IgnoreParenCasts()->isNullPointerConstant(
               Collector.Builder.Context, Expr::NPC_ValueDependentIsNotNull) != Expr::NPCK_NotNull;
  };
  if (E->isEqualityOp() && Pointers &&
      ((isElement(E->getLHS()) && IsNull(E->getRHS())) ||
       (isElement(E->getRHS()) && IsNull(E->getLHS()))))
    function().TestsSelfForNull = true;
  function().ComparesObjects |=
      E->isEqualityOp() && Pointers && ToObjects && !IsNull(E->getLHS()) && !IsNull(E->getRHS());
  visit(E->getLHS(), Access::Read);
  visit(E->getRHS(), Access::Read);
}

void BodyWalker::visitUnary(const UnaryOperator* E, Access How) {
  const Expr* Sub = E->getSubExpr();
  switch (E->getOpcode()) {
  case UO_PreInc:
  case UO_PreDec:
  case UO_PostInc:
  case UO_PostDec:
    if (Sub->getType()->isPointerType() && !isPointer(Sub->getType()))
      return refuse(E->getExprLoc(), Diag::unsupported_expression,
                    "arithmetic of pointers to objects");
    return visit(Sub, Access::ReadWrite);
  case UO_Deref:
    if (isa<CXXThisExpr>(Sub->IgnoreParenImpCasts()) && valueClassOf(E->getType(), roles()))
      return visit(Sub, How);
    if (isCopy(Sub))
      return visitObject(Sub, How);
    if (const std::string Form = refusedPointer(Sub->getType());
        !Form.empty() && classify(Sub->getType()).Kind == TypeKind::Unsupported)
      return refuse(E->getExprLoc(), Diag::unsupported_expression, Form);
    if (!isPointer(Sub->getType()) && classify(Sub->getType()).Kind != TypeKind::Object)
      return refuse(E->getExprLoc(), Diag::unsupported_type, Sub->getType().getAsString());
    return visit(Sub, Access::Read);
  case UO_AddrOf:
    if (isPointer(E->getType()))
      return visitPointer(E);
    if (Sub->getType()->isFunctionType())
      return refuse(E->getExprLoc(), Diag::unsupported_expression,
                    "a function that is handed on; hand on a lambda that calls it");
    if (classify(E->getType()).Kind != TypeKind::Object)
      return refuse(E->getExprLoc(), Diag::address_of);
    if (isCopy(Sub))
      return refuseCopy(E->getExprLoc(), Sub->getType(), "whose address is taken");
    return visit(Sub, Access::None);
  case UO_Plus:
  case UO_Minus:
  case UO_Not:
  case UO_LNot:
    return visit(Sub, Access::Read);
  case UO_Extension:
    return visit(Sub, How);
  default:
    return refuse(E->getExprLoc(), Diag::unsupported_expression, "this operator");
  }
}

void BodyWalker::visitMember(const MemberExpr* E, Access How) {
  if (const auto* Variable = dyn_cast<VarDecl>(E->getMemberDecl())) {
    if (!constantText(Variable) && !isTable(Variable, roles()) && !orderingText(Variable))
      visitGlobal(E, Variable, How);
    return;
  }
  if (isa<EnumConstantDecl>(E->getMemberDecl()))
    return;
  const auto* Field = dyn_cast<FieldDecl>(E->getMemberDecl());
  if (!Field)
    return refuse(E->getMemberLoc(), Diag::function_pointer);
  const Expr* Object = E->getBase();
  if (Field->isAnonymousStructOrUnion()) // what is named is a member of it
    return;
  if (isValueClass(cast<CXXRecordDecl>(Field->getParent()), roles())) { // a part of the value
    reachHidden(Field, E->getMemberLoc());
    visit(Object, How);
    return;
  }
  if (cast<CXXRecordDecl>(Field->getParent())->isUnion()) // refused, and the member that it is too
    return access(Field, Object, How, E->getMemberLoc());
  if (isCopy(Object)) {
    accessCopy(Field, How, E->getMemberLoc());
    return visitObject(Object, How);
  }
  // The object itself is only named; what is read on the way to it is read.
  visit(Object, E->isArrow() ? Access::Read : Access::None);
  access(Field, Object, How, E->getMemberLoc());
}

/// What to do in place of writing \p Captured.
static std::string otherThanWriting(const ValueDecl& Captured) {
  const auto* Class = Captured.getType().getNonReferenceType()->getAsCXXRecordDecl();
  if (!Class || isInStd(Class) || isInIkra(Class))
    return "add to members of objects by ikra::atomic_add";
  const std::string Name = Captured.getNameAsString();
  return "capture a pointer to the object: [p = &" + Name + "], and ikra::atomic_add(p->…)";
}

void BodyWalker::visitName(const DeclRefExpr* E, Access How) {
  const ValueDecl* D = E->getDecl();
  if (isa<TemplateParamObjectDecl>(D))
    return refuse(E->getLocation(), Diag::unsupported_expression,
                  "a template argument of class type; hand it on as a parameter");
  const bool Writes = How == Access::Write || How == Access::ReadWrite || How == Access::Atomic;
  if (isa<EnumConstantDecl>(D) || isa<NonTypeTemplateParmDecl>(D))
    return;
  if (const Expr* Part = boundPart(D, roles()))
    return visit(Part, How);
  if (const auto* Binding = dyn_cast<BindingDecl>(D);
      Binding && (isDeclaredIn(Binding->getDecomposedDecl(), Decl) ||
                  (function().IsSection && E->refersToEnclosingVariableOrCapture()))) {
    if (Writes && !isDeclaredIn(Binding->getDecomposedDecl(), Decl))
      refuse(E->getLocation(), Diag::write_capture, Binding->getName(), otherThanWriting(*Binding));
    return;
  }
  if (const auto* V = dyn_cast<VarDecl>(D)) {
    if (isStdClass(V->getType(), "nullopt_t") || isPlaceTag(V->getType()))
      return;
    if (isLambdaFromOutside(E)) // not called: there is no object of it
      return refuse(E->getLocation(), Diag::lambda_inside, "that stands outside of the section");
    if (function().IsSection && !isDeclaredIn(V, Decl) && E->refersToEnclosingVariableOrCapture()) {
      if (Writes)
        refuse(E->getLocation(), Diag::write_capture, V->getName(), otherThanWriting(*V));
      if (const CXXRecordDecl* Class = isCopy(E) ? copiedClassOf(valueType(V), roles()) : nullptr)
        copyWhole(Class, E->getLocation());
      return;
    }
    if (V->isLocalVarDeclOrParm() && !V->isStaticLocal() && isDeclaredIn(V, Decl))
      return;
    // A static variable of the function's own is refused where it is declared.
    if (constantText(V) || isTable(V, roles()) || orderingText(V) ||
        (V->isStaticLocal() && isDeclaredIn(V, Decl)))
      return;
    return visitGlobal(E, V, How);
  }
  if (isa<FunctionDecl>(D))
    return refuse(E->getLocation(), Diag::function_pointer);
  refuse(E->getLocation(), Diag::unsupported_expression, D->getDeclKindName());
}

} // namespace ikra
