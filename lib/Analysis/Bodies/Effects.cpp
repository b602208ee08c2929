// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Effects.h"

#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Types.h"

using namespace clang;

namespace ikra {

/// True if the writes of \p A change what \p B reads or writes.
static bool changes(const Effects& A, const Effects& B) {
  if (A.WritesPointees)
    return !B.empty();
  if (!A.writes())
    return false;
  const auto Shares = [&](const auto& Variables) {
    return llvm::any_of(A.Writes, [&](const VarDecl* V) { return Variables.contains(V); });
  };
  return B.ReadsPointees || B.WritesPointees ||
         (A.WritesObjects && (B.ReadsObjects || B.WritesObjects)) || Shares(B.Reads) ||
         Shares(B.Writes);
}

bool Effects::conflictsWith(const Effects& Other) const {
  return changes(*this, Other) || changes(Other, *this);
}

namespace {

class EffectCollector {
public:
  EffectCollector(const Function& In, const ProgramModel& Model) : In(In), Model(Model) {}

  void read(const Stmt* S);
  Effects Found;

private:
  void write(const Expr* E);
  void readName(const DeclRefExpr* E);
  void readMember(const MemberExpr* E);
  void readCall(const CallExpr* E);
  void readArguments(const FunctionDecl* Callee, llvm::ArrayRef<const Expr*> Arguments);
  void readModelled(const Call& Of);
  void readBodies(const CXXRecordDecl* Closure);
  bool isValue(const FieldDecl* Member) const {
    return isValueClass(cast<CXXRecordDecl>(Member->getParent()), Model.Roles);
  }
  bool isObject(QualType Ty) const {
    const CXXRecordDecl* Class = Ty->isPointerType()
                                     ? Ty->getPointeeCXXRecordDecl()
                                     : Ty.getNonReferenceType()->getAsCXXRecordDecl();
    return Class && !Class->isLambda() && !isInStd(Class) && !isInIkra(Class) &&
           !isValueClass(Class, Model.Roles);
  }
  bool isPartOfCopy(const MemberExpr* E) const { return isCopy(In, E->getBase(), Model.Roles); }
  /// An argument whose parameter refers to it: an object is told by what functions do to members.
  bool isObject(const Expr* E, QualType Ty) const {
    return isObject(Ty) && !isCopy(In, E, Model.Roles);
  }
  void readPointees() { Found.ReadsPointees = true; }
  void writePointees() { Found.ReadsPointees = Found.WritesPointees = true; }

  const Function& In;
  const ProgramModel& Model;
  llvm::SmallPtrSet<const CXXRecordDecl*, 4> Entered; ///< closures whose bodies are read
};

/// What \p E, a place, names may change; what it takes to find the place is read elsewhere.
void EffectCollector::write(const Expr* E) {
  E = E->IgnoreParenImpCasts()->IgnoreImplicit();
  if (E->isPRValue())
    return; // a temporary
  if (const auto* Name = dyn_cast<DeclRefExpr>(E)) {
    if (const Expr* Part = boundPart(Name->getDecl(), Model.Roles))
      return write(Part);
    const auto* V = dyn_cast<VarDecl>(Name->getDecl());
    if (V && !V->getType()->isReferenceType())
      Found.Writes.insert(V->getCanonicalDecl());
    else
      writePointees();
    return;
  }
  if (const auto* Member = dyn_cast<MemberExpr>(E)) {
    const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    if (Field && !isValue(Field) && !isPartOfCopy(Member))
      Found.WritesObjects = true;
    else if (Member->isArrow())
      writePointees();
    else
      write(Member->getBase());
    return;
  }
  if (const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
    const Expr* Base = Subscript->getBase()->IgnoreParenImpCasts();
    return Base->getType()->isArrayType() ? write(Base) : writePointees();
  }
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E)) {
    write(Choice->getTrueExpr());
    return write(Choice->getFalseExpr());
  }
  if (const auto* Op = dyn_cast<BinaryOperator>(E))
    return write(Op->getOpcode() == BO_Comma ? Op->getRHS() : Op->getLHS());
  if (const auto* Op = dyn_cast<UnaryOperator>(E); Op && Op->isIncrementDecrementOp())
    return write(Op->getSubExpr());
  if (const auto* Cast = dyn_cast<CastExpr>(E))
    return write(Cast->getSubExpr());
  if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E))
    write(Call->getImplicitObjectArgument());
  else if (const auto* Other = dyn_cast<CallExpr>(E))
    for (const Expr* Argument : Other->arguments())
      if (Argument->isGLValue())
        write(Argument);
  if (!isa<MaterializeTemporaryExpr>(E))
    writePointees();
}

void EffectCollector::readName(const DeclRefExpr* E) {
  const auto* V = dyn_cast<VarDecl>(E->getDecl());
  if (const Expr* Part = boundPart(E->getDecl(), Model.Roles))
    return read(Part);
  if (isa<BindingDecl>(E->getDecl())) // of what, its declaration says
    return readPointees();
  if (!V)
    return;
  if (V->isConstexpr())
    return;
  if (V->getType()->isReferenceType())
    readPointees();
  else
    Found.Reads.insert(V->getCanonicalDecl());
}

void EffectCollector::readMember(const MemberExpr* E) {
  if (const auto* Field = dyn_cast<FieldDecl>(E->getMemberDecl())) {
    if (!isValue(Field) && !isPartOfCopy(E))
      Found.ReadsObjects = true;
    else if (E->isArrow())
      readPointees();
  }
  read(E->getBase());
}

/// A function that the model knows: what it does to objects. What it does to its arguments their
/// parameters say.
void EffectCollector::readModelled(const Call& Of) {
  for (const CallTarget& Target : Of.Targets) {
    const MemberUse& Use = Model.Functions[Target.Function].Total;
    Found.ReadsObjects |= !Use.read().empty();
    Found.WritesObjects |= !Use.written().empty() || !Use.Atomic.empty();
  }
}

void EffectCollector::readBodies(const CXXRecordDecl* Closure) {
  if (!Closure || !Closure->isLambda() || !Entered.insert(Closure).second)
    return;
  if (const FunctionTemplateDecl* Generic = Closure->getDependentLambdaCallOperator()) {
    for (const FunctionDecl* Instance : Generic->specializations())
      read(Instance->getBody());
    return;
  }
  if (const CXXMethodDecl* Operator = Closure->getLambdaCallOperator())
    read(Operator->getBody());
}

/// True for functions of the standard library that lead to a part of what they are given.
bool givesPart(const FunctionDecl* Callee) {
  if (!isInStd(Callee))
    return false;
  const OverloadedOperatorKind Operator = Callee->getOverloadedOperator();
  const QualType Result = Callee->getReturnType();
  return Operator == OO_None ? (Result->isReferenceType() || Result->isPointerType() ||
                                !pointedTo(Result).isNull()) &&
                                   Callee->getIdentifier() && Callee->getName() != "emplace" &&
                                   Callee->getName() != "exchange"
                             : Operator == OO_Subscript || Operator == OO_Star ||
                                   Operator == OO_Arrow || Operator == OO_Call;
}

void EffectCollector::readArguments(const FunctionDecl* Callee,
                                    llvm::ArrayRef<const Expr*> Arguments) {
  for (unsigned K = 0; K < Arguments.size(); ++K) {
    const Expr* Argument = Arguments[K];
    read(Argument);
    const QualType Ty =
        K < Callee->getNumParams() ? Callee->getParamDecl(K)->getType() : Argument->getType();
    readBodies(Ty.getNonReferenceType()->getAsCXXRecordDecl());
    if (Ty->isReferenceType() && !Ty->getPointeeType().isConstQualified() &&
        !isObject(Argument, Ty) && !givesPart(Callee))
      write(Argument);
    else if (Ty->isPointerType() && !isObject(Ty))
      Ty->getPointeeType().isConstQualified() ? readPointees() : writePointees();
  }
}

void EffectCollector::readCall(const CallExpr* E) {
  const FunctionDecl* Callee = E->getDirectCallee();
  if (!Callee)
    return writePointees();
  llvm::SmallVector<const Expr*> Arguments(E->arg_begin(), E->arg_end());
  const Expr* Object = nullptr;
  const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
  if (const auto* OfMember = dyn_cast<CXXMemberCallExpr>(E)) {
    Object = OfMember->getImplicitObjectArgument();
  } else if (Method && Method->isInstance() && isa<CXXOperatorCallExpr>(E)) {
    Object = Arguments.front();
    Arguments.erase(Arguments.begin());
  }
  if (Object) {
    read(Object);
    const bool ByPointer = Object->getType()->isPointerType();
    if (Method->getParent()->isLambda())
      readBodies(Method->getParent());
    else if (!isObject(Object, Object->getType()) && !Method->isStatic() && !Method->isConst() &&
             !givesPart(Callee))
      ByPointer ? writePointees() : write(Object);
    else if (ByPointer && !isObject(Object, Object->getType()))
      readPointees();
  }
  readArguments(Callee, Arguments);
  if (const auto* Operator = dyn_cast<CXXOperatorCallExpr>(E);
      Operator && assignsObject(Operator, Model.Roles)) {
    Found.WritesObjects |= !isCopy(In, Object, Model.Roles);
    Found.ReadsObjects |= !isCopy(In, Arguments[0], Model.Roles);
  }
  if (const auto Known = In.Calls.find(E); Known != In.Calls.end())
    readModelled(Known->second);
}

void EffectCollector::read(const Stmt* S) {
  if (!S)
    return;
  if (const auto* Name = dyn_cast<DeclRefExpr>(S))
    return readName(Name);
  if (const auto* Member = dyn_cast<MemberExpr>(S))
    return readMember(Member);
  if (const auto* Default = dyn_cast<CXXDefaultArgExpr>(S))
    return read(Default->getExpr());
  if (const auto* Default = dyn_cast<CXXDefaultInitExpr>(S))
    return read(Default->getExpr());
  if (const auto* Made = dyn_cast<LambdaExpr>(S)) { // which may be called where it is handed to
    for (const Expr* Init : Made->capture_inits())
      read(Init);
    return readBodies(Made->getLambdaClass());
  }
  if (const auto* Of = dyn_cast<CallExpr>(S))
    return readCall(Of);
  if (const auto* Construct = dyn_cast<CXXConstructExpr>(S)) {
    readArguments(Construct->getConstructor(), {Construct->getArgs(), Construct->getNumArgs()});
    Found.ReadsObjects |= Construct->getConstructor()->isCopyOrMoveConstructor() &&
                          isObject(Construct->getArg(0), Construct->getType());
    if (const auto Known = In.Calls.find(Construct); Known != In.Calls.end())
      readModelled(Known->second);
    return;
  }
  if (const auto* Op = dyn_cast<BinaryOperator>(S); Op && Op->isAssignmentOp())
    write(Op->getLHS());
  if (const auto* Op = dyn_cast<UnaryOperator>(S)) {
    if (Op->isIncrementDecrementOp())
      write(Op->getSubExpr());
    if (Op->getOpcode() == UO_Deref && !isObject(Op->getType()))
      readPointees();
  }
  if (const auto* Subscript = dyn_cast<ArraySubscriptExpr>(S);
      Subscript && !Subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
    readPointees();
  if (const auto* This = dyn_cast<CXXThisExpr>(S); This && !isObject(This, This->getType()))
    readPointees();
  if (const auto* Declares = dyn_cast<DeclStmt>(S))
    for (const Decl* D : Declares->decls())
      if (const auto* V = dyn_cast<VarDecl>(D))
        read(V->getInit());
  if (isa<DeclStmt>(S))
    return;
  for (const Stmt* Child : S->children())
    read(Child);
}

} // namespace

Effects effectsOf(const Stmt* S, const Function& In, const ProgramModel& Model) {
  EffectCollector All(In, Model);
  All.read(S);
  return std::move(All.Found);
}

} // namespace ikra
