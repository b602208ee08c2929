// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScalarCode.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/StdFunctions.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace clang;

namespace ikra {

const Expr* arrayReadBy(const Expr* E) {
  const FunctionDecl* Callee = calleeOf(E);
  if (!Callee || !isInIkra(Callee) || rankOfArray(E->getType()) != 0)
    return nullptr;
  const Expr* Array = nullptr;
  if (const auto* Method = dyn_cast<CXXMemberCallExpr>(E))
    Array = Method->getImplicitObjectArgument();
  else if (const auto* Operator = dyn_cast<CXXOperatorCallExpr>(E))
    Array = Operator->getArg(0);
  if (!Array)
    return nullptr;
  const QualType Ty = Array->getType(); // of a pointer: what it leads to
  if (rankOfArray(Ty->isPointerType() ? Ty->getPointeeType() : Ty) == 0)
    return nullptr;
  const bool Asks = hasName(Callee, {"size", "shape", "rank", "empty", "with_index"}) ||
                    Callee->getOverloadedOperator() == OO_Equal;
  return Asks ? nullptr : Array;
}

std::optional<AskedSize> sizeAskedBy(const Expr* E, const ASTContext& Context) {
  std::optional<unsigned> Dimension;
  if (const auto* Index = dyn_cast<CXXOperatorCallExpr>(E);
      Index && Index->getOperator() == OO_Subscript && isInIkra(Index->getDirectCallee())) {
    const std::optional<llvm::APSInt> At = constantInteger(Index->getArg(1), Context);
    if (!At)
      return std::nullopt;
    Dimension = static_cast<unsigned>(At->getExtValue());
    E = Index->getArg(0)->IgnoreImplicit();
  }
  const auto* Call = dyn_cast<CXXMemberCallExpr>(E);
  if (!Call || !isNamedInIkra(Call->getMethodDecl(), {Dimension ? "shape" : "size"}))
    return std::nullopt;
  const Expr* Array = Call->getImplicitObjectArgument()->IgnoreParenImpCasts();
  const unsigned Rank = isa<DeclRefExpr, MemberExpr>(Array) ? rankOfArray(Array->getType()) : 0;
  if (Rank == 0 || (Dimension && *Dimension >= Rank))
    return std::nullopt;
  return AskedSize{Array, Dimension};
}

namespace {

/// Goes through the bodies of what is called, too, each once for what it is called of.
class CallVisitor : public AstVisitor {
public:
  bool dataTraverseStmtPost(Stmt* S) override {
    const auto* E = dyn_cast<Expr>(S);
    const std::optional<CalledCode> Of = E ? calledCode(E) : std::nullopt;
    if (!Of)
      return true;
    Ranges.push_back(Of->range());
    const Receiver Inside = receiverOf(*Of, This).value_or(This);
    if (!Called.insert({Of->Code, Inside.Text}).second)
      return true;
    const Receiver Here = std::exchange(This, Inside);
    const bool Done = TraverseStmt(Of->Code->getBody());
    This = Here;
    return Done;
  }

  Receiver This;
  std::vector<SourceRange> Ranges; ///< of what is called

protected:
  CallVisitor() = default;
  CallVisitor(const CallVisitor&) = default;
  CallVisitor& operator=(const CallVisitor&) = default;
  ~CallVisitor() = default;

private:
  std::set<std::pair<const FunctionDecl*, std::string>> Called;
};

/// The variable that \p E is, or that `this` leads to in it; null for all else.
const ValueDecl* variableOrMember(const Expr* E, const Receiver& This) {
  if (const auto* Name = dyn_cast<DeclRefExpr>(E)) {
    const auto Known = This.Names.find(Name->getDecl());
    return Known != This.Names.end() ? Known->second.first : namedVariable(Name->getDecl());
  }
  const auto* Member = dyn_cast<MemberExpr>(E);
  if (!Member || !Member->isArrow() || !isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()))
    return nullptr;
  return This.Of ? This.Of : dyn_cast<FieldDecl>(Member->getMemberDecl());
}

/// Looks for an expression.
class ExprFinder final : public CallVisitor {
public:
  explicit ExprFinder(bool (*Is)(const Expr*)) : Is(Is) {}

  bool Found = false;
  /// In a generic lambda some expressions have no type yet.
  bool VisitExpr(Expr* E) override { return !(Found |= !E->getType().isNull() && Is(E)); }

private:
  bool (*Is)(const Expr*);
};

/// Counts what the host waits for, in all code that is seen: turns do not follow all of it.
class WaitCounter final : public CallVisitor {
public:
  unsigned count() const {
    const auto IsSelected = [this](const ValueDecl* V) { return Selected.contains(V); };
    return Reads + static_cast<unsigned>(llvm::count_if(Asked, IsSelected));
  }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    Reads += arrayReadBy(Call) != nullptr;
    const auto* Method = dyn_cast<CXXMemberCallExpr>(Call);
    if (Method && isNamedInIkra(Callee, {"size", "shape", "empty"})) {
      const Expr* Of = written(Method->getImplicitObjectArgument());
      Reads += isSelection(Of);
      if (const ValueDecl* V = holderOf(Of))
        Asked.insert(V);
    }
    const auto* Sets = dyn_cast<CXXOperatorCallExpr>(Call);
    if (Sets && Sets->getOperator() == OO_Equal && isSelection(written(Sets->getArg(1))))
      Selected.insert(holderOf(written(Sets->getArg(0))));
    if (!Callee || calledCode(Call))
      return true;
    for (const Expr* Given : Call->arguments()) // std::for_each(…, [&](…) { … })
      if (const auto* Lambda = dyn_cast<LambdaExpr>(written(Given)); Lambda && isInStd(Callee))
        goInto(Lambda->getCallOperator());
    return goInto(Callee);
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* E) override { return goInto(E->getConstructor()); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt* S) override {
    Reads += rankOfArray(S->getRangeInit()->getType().getNonReferenceType()) != 0;
    return true;
  }
  bool VisitVarDecl(VarDecl* V) override {
    if (V->getInit() && isSelection(written(V->getInit())))
      Selected.insert(V);
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr*) override { return true; } // sections

private:
  /// An array whose size is known once it is computed.
  static bool isSelection(const Expr* E) { return isNamedInIkra(calleeOf(E), {"pselect"}); }
  static const ValueDecl* holderOf(const Expr* Of) {
    const auto* Member = dyn_cast<MemberExpr>(Of);
    return Member ? Member->getMemberDecl() : declNamed(Of);
  }
  bool goInto(const FunctionDecl* Code) {
    const FunctionDecl* Body = nullptr;
    if (!Code->hasBody(Body) || Body->isDependentContext() || isInStd(Body) ||
        isOfLibrary(Body, Body->getASTContext().getSourceManager()) || !Entered.insert(Body).second)
      return true;
    if (const auto* Makes = dyn_cast<CXXConstructorDecl>(Body))
      for (const CXXCtorInitializer* Init : Makes->inits())
        TraverseStmt(Init->getInit());
    return TraverseStmt(Body->getBody());
  }

  unsigned Reads = 0;
  std::set<const ValueDecl*> Asked, Selected; ///< whose size is asked; which have one to compute
  std::set<const FunctionDecl*> Entered;
};

/// What a field, or an element of a std::array, is a part of; null for all else.
const Expr* wholeOf(const Expr* E) {
  if (const auto* Member = dyn_cast<MemberExpr>(E); Member && !Member->isArrow())
    return Member->getBase();
  return arrayWith(E);
}

class ScalarChangeFinder final : public CallVisitor {
public:
  /// What a lambda does, it does where it is called.
  bool TraverseLambdaExpr(LambdaExpr* E) override {
    return llvm::all_of(E->capture_inits(),
                        [this](Expr* Init) { return !Init || TraverseStmt(Init); });
  }
  /// \param Follows the bodies of what is called
  ScalarChangeFinder(bool Follows, Receiver Of) : Follows(Follows) { This = std::move(Of); }

  std::set<const ValueDecl*> Changed;
  bool dataTraverseStmtPost(Stmt* S) override {
    return !Follows || CallVisitor::dataTraverseStmtPost(S);
  }
  bool VisitBinaryOperator(BinaryOperator* E) override {
    if (E->isAssignmentOp())
      note(E->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* E) override {
    if (E->isIncrementDecrementOp())
      note(E->getSubExpr());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* E) override {
    if (E->isAssignmentOp())
      note(E->getArg(0));
    return true;
  }
  bool VisitCallExpr(CallExpr* E) override {
    if (const std::optional<CalledCode> Of = calledCode(E))
      for (unsigned K = 0; K < Of->Code->getNumParams() && K < Of->Arguments.size(); ++K)
        if (isAlias(Of->Code->getParamDecl(K)->getType()))
          note(Of->Arguments[K]);
    if (isNamedInStd(E->getDirectCallee(), {"swap"}))
      for (const Expr* Argument : E->arguments())
        note(Argument);
    return true;
  }

private:
  void note(const Expr* E) {
    E = E->IgnoreParenCasts();
    for (const Expr* Whole = wholeOf(E); Whole; Whole = wholeOf(E))
      E = Whole->IgnoreParenCasts();
    if (const auto* Choice = dyn_cast<ConditionalOperator>(E)) { // (c ? a : b) = x
      note(Choice->getTrueExpr());
      note(Choice->getFalseExpr());
    }
    if (const auto* Pair = dyn_cast<BinaryOperator>(E); Pair && Pair->isCommaOp())
      note(Pair->getRHS());
    const ValueDecl* V = variableOrMember(E, This);
    if (!V || !Changed.insert(V).second)
      return;
    // And what it is a name of.
    const auto* Name = dyn_cast<VarDecl>(V);
    if (Name && Name->getType()->isReferenceType() && Name->isLocalVarDecl() && Name->getInit())
      note(Name->getInit());
  }

  bool Follows;
};

/// The variables that something names, what it calls included.
class NamedVariables final : public CallVisitor {
public:
  explicit NamedVariables(Receiver Of) { This = std::move(Of); }

  std::set<const ValueDecl*> Named;
  bool VisitExpr(Expr* E) override {
    if (const ValueDecl* V = variableOrMember(E, This))
      Named.insert(V);
    return true;
  }
};

class WholeFinder final : public CallVisitor {
public:
  std::set<const ValueDecl*> Found;
  bool TraverseMemberExpr(MemberExpr* E) override {
    const std::optional<MemberOfVariable> Member = memberOfVariable(E, This);
    if (!Member)
      return AstVisitor::TraverseMemberExpr(E);
    if (E->getType()->isRecordType()) // it is part of what is named
      note(Member->Of);
    return true;
  }
  /// A method that stands where it is called names members alone.
  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr* E) override {
    const std::optional<CalledCode> Of = calledCode(E);
    if (!Of || !receiverOf(*Of, This))
      return AstVisitor::TraverseCXXMemberCallExpr(E);
    return llvm::all_of(E->arguments(), [this](Expr* Argument) { return TraverseStmt(Argument); });
  }
  bool VisitDeclRefExpr(DeclRefExpr* E) override {
    if (const auto* V = dyn_cast<VarDecl>(E->getDecl()))
      note(V);
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr* E) override {
    for (const LambdaCapture& C : E->captures())
      if (C.capturesVariable() && C.getCaptureKind() == LCK_ByCopy)
        if (const auto* V = dyn_cast<VarDecl>(C.getCapturedVar()))
          note(V);
    return true;
  }

private:
  void note(const ValueDecl* V) {
    const QualType Ty = V->getType().getNonReferenceType();
    if (Ty->isRecordType() || Ty->isConstantArrayType())
      Found.insert(V);
  }
};

} // namespace

bool hasSteps(const Stmt* S) {
  const auto* E = dyn_cast_or_null<Expr>(S);
  return S && !isa<LambdaExpr>(S) &&
         (isa<CXXForRangeStmt>(S) || (E && (calledCode(E) || arrayReadBy(E))) ||
          llvm::any_of(S->children(), hasSteps));
}

/// A visitor after it has walked over a statement.
template <class Finder> static Finder walked(Finder Over, const Stmt* S) {
  Over.TraverseStmt(const_cast<Stmt*>(S));
  return Over;
}

std::set<const ValueDecl*> namedAsWhole(const Stmt* S) { return walked(WholeFinder(), S).Found; }

bool namesArrays(const Stmt* S) {
  return walked(ExprFinder([](const Expr* E) {
                  const FunctionDecl* Callee = calleeOf(E);
                  return rankOfArray(E->getType()) != 0 || holdsArrays(E->getType()) ||
                         (Callee && isInIkra(Callee));
                }),
                S)
      .Found;
}

bool namesArraysInArrays(const Stmt* S) {
  return walked(ExprFinder(
                    [](const Expr* E) { return rankOfArray(E->getType()) != 0 && arrayWith(E); }),
                S)
      .Found;
}

Leaves leavesOf(const Stmt* S) {
  Leaves Out;
  if (!S || isa<LambdaExpr>(S))
    return Out;
  Out.Breaks = isa<BreakStmt>(S);
  Out.Continues = isa<ContinueStmt>(S);
  Out.Returns = isa<ReturnStmt, GotoStmt, IndirectGotoStmt, CXXThrowExpr>(S);
  const bool IsLoop = isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
  for (const Stmt* Part : S->children()) {
    const Leaves Of = leavesOf(Part);
    Out.Breaks |= Of.Breaks && !IsLoop && !isa<SwitchStmt>(S);
    Out.Continues |= Of.Continues && !IsLoop;
    Out.Returns |= Of.Returns;
  }
  return Out;
}

unsigned waitsOf(const Stmt* Body) { return walked(WaitCounter(), Body).count(); }

std::set<const ValueDecl*> changedBy(const Stmt* S, const Receiver& This) {
  return walked(ScalarChangeFinder(/*Follows=*/true, This), S).Changed;
}
std::set<const ValueDecl*> namedBy(const Stmt* S, const Receiver& This) {
  return walked(NamedVariables(This), S).Named;
}
std::set<const ValueDecl*> changedOutside(const Stmt* S, const Receiver& This) {
  const auto Finder = walked(ScalarChangeFinder(/*Follows=*/true, This), S);
  std::set<const ValueDecl*> Out;
  for (const ValueDecl* V : Finder.Changed) {
    const SourceManager& SM = V->getASTContext().getSourceManager();
    if (llvm::none_of(Finder.Ranges, [&](const SourceRange& Of) {
          return SM.isPointWithin(V->getLocation(), Of.getBegin(), Of.getEnd());
        }))
      Out.insert(V);
  }
  return Out;
}
std::set<const ValueDecl*> changedHere(const Stmt* S, const Receiver& This) {
  return walked(ScalarChangeFinder(/*Follows=*/false, This), S).Changed;
}

bool mayReadBefore(const Stmt* S, llvm::function_ref<bool(const Expr*)> IsChoice,
                   const Receiver& This) {
  const std::set<const ValueDecl*> Changed = changedOutside(S, This);
  if (Changed.empty())
    return true;
  // By variable: where it is named, the reads by their number, all else as 0.
  std::map<const ValueDecl*, std::set<unsigned>> Where;
  unsigned Reads = 0;
  const std::function<void(const Stmt*)> Visit = [&](const Stmt* Of) {
    if (!Of)
      return;
    if (const auto* E = dyn_cast<Expr>(Of); E && (arrayReadBy(E) || calledCode(E) || IsChoice(E))) {
      ++Reads;
      for (const ValueDecl* V : namedBy(Of, This))
        Where[V].insert(Reads);
      return;
    }
    if (const auto* E = dyn_cast<Expr>(Of))
      if (const ValueDecl* V = variableOrMember(E, This))
        Where[V].insert(0);
    for (const Stmt* Part : Of->children())
      Visit(Part);
  };
  Visit(S);
  return llvm::all_of(Changed, [&](const ValueDecl* V) { return Where[V].size() <= 1; });
}

std::optional<MemberOfVariable> memberOfVariable(const Expr* E, const Receiver& This) {
  std::string Text;
  for (;;) {
    E = E->IgnoreParens();
    if (const auto* Cast = dyn_cast<ImplicitCastExpr>(E); Cast && Cast->getCastKind() == CK_NoOp) {
      E = Cast->getSubExpr();
      continue;
    }
    const auto* Member = dyn_cast<MemberExpr>(E);
    const auto* Field = Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
    if (!Member)
      break;
    if (!Field || Field->isBitField() || Field->isAnonymousStructOrUnion() ||
        Field->getParent()->isUnion() || Field->getParent()->isAnonymousStructOrUnion() ||
        Field->getType()->isReferenceType())
      return std::nullopt;
    const bool IsOfThis = Member->isArrow() && !Member->hasQualifier() &&
                          isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts());
    // What only methods may name, the loop may not.
    if ((Member->isArrow() && !IsOfThis) || (This.Of && Field->getAccess() != AS_public))
      return std::nullopt;
    if (IsOfThis && This.Of)
      return MemberOfVariable{This.Of, This.Text + "." + Field->getNameAsString() + Text};
    if (IsOfThis)
      return MemberOfVariable{Field, "this->" + Field->getNameAsString() + Text, Text.empty()};
    Text = "." + Field->getNameAsString() + Text;
    E = Member->getBase();
  }
  const VarDecl* V = variableNamed(E);
  if (!V || Text.empty() || !V->hasLocalStorage() || isa<DecompositionDecl>(V))
    return std::nullopt;
  if (const auto Known = This.Names.find(V); Known != This.Names.end())
    return MemberOfVariable{Known->second.first, Known->second.second + Text};
  return MemberOfVariable{V, V->getNameAsString() + Text};
}

bool isAlias(QualType Parameter) {
  return Parameter->isReferenceType() && !Parameter.getNonReferenceType().isConstQualified();
}

/// Whether \p S takes a number's value wherever it names it, or makes a lambda's copy of it.
static bool isOnlyRead(const Stmt* S, const VarDecl& V) {
  const auto IsName = [&](const Stmt* Of) { return declNamed(Of) == &V; };
  if (!S)
    return true;
  if (const auto* Cast = dyn_cast<ImplicitCastExpr>(S); Cast &&
                                                        Cast->getCastKind() == CK_LValueToRValue &&
                                                        IsName(Cast->getSubExpr()->IgnoreParens()))
    return true;
  if (const auto* Lambda = dyn_cast<LambdaExpr>(S)) {
    const bool HasCopy =
        !Lambda->isMutable() && llvm::any_of(Lambda->captures(), [&](const LambdaCapture& C) {
          return C.capturesVariable() && C.getCapturedVar() == &V &&
                 C.getCaptureKind() == LCK_ByCopy;
        });
    return HasCopy || (isOnlyRead(Lambda->getBody(), V) && // a capture by reference is no use
                       llvm::all_of(Lambda->capture_inits(), [&](const Expr* Init) {
                         return !Init || IsName(Init) || isOnlyRead(Init, V);
                       }));
  }
  return !IsName(S) &&
         llvm::all_of(S->children(), [&](const Stmt* Part) { return isOnlyRead(Part, V); });
}

bool neverChanges(const VarDecl* V) {
  if (V->getType()->isReferenceType())
    return false;
  if (V->getType().isConstQualified())
    return true;
  const auto* Of = dyn_cast<FunctionDecl>(V->getDeclContext());
  return Of && Of->hasBody() && V->getType()->isArithmeticType() && isOnlyRead(Of->getBody(), *V);
}

bool ScalarCode::isNumber(QualType Ty) const {
  const QualType Value = Ty.getNonReferenceType();
  if (Value.isVolatileQualified())
    return false;
  if (Value->isArithmeticType())
    return Classify(Value).Kind == TypeKind::Value;
  const auto* Enum = Value->getAs<EnumType>();
  // Emitted code has other enumerations as integers.
  return Enum && Enum->getDecl()->getIdentifier() &&
         !Enum->getDecl()->getParentFunctionOrMethod() && !Classify(Value).Private;
}

bool ScalarCode::refuse(const Stmt* At, std::string Why) {
  if (!Found.At)
    Found = {At, std::move(Why)};
  return false;
}

bool ScalarCode::acceptsNamed(const Expr* E, bool IsChanged, Reads Read) {
  E = E->IgnoreParens();
  if (const auto* Cast = dyn_cast<ImplicitCastExpr>(E); Cast && Cast->getCastKind() == CK_NoOp)
    E = Cast->getSubExpr()->IgnoreParens();
  if (const auto* Name = dyn_cast<DeclRefExpr>(E))
    return acceptsVariable(Name, IsChanged);
  if (const auto* Member = dyn_cast<MemberExpr>(E))
    return acceptsMember(Member, IsChanged, Read);
  if (arrayWith(E) && isValue(E->getType()))
    return acceptsNamed(arrayWith(E), IsChanged, Read) && accepts(placeIn(E), Read);
  if (!IsChanged)
    return accepts(E, Read);
  if (isa<ConditionalOperator>(E))
    return refuse(E, "it changes one of two numbers, that a choice gives (write an if)");
  return refuse(E, ofUnknownChange(E));
}

bool mayNameAnother(const ValueDecl* V) {
  const auto* Method = dyn_cast<CXXMethodDecl>(V->getDeclContext());
  const bool IsOfLambda = Method && Method->getParent()->isLambda();
  const bool IsOfBinding = V->isImplicit(); // namedVariable() knows that it names no other
  return V->getType()->isReferenceType() && !IsOfBinding && (!isa<ParmVarDecl>(V) || IsOfLambda);
}

bool ScalarCode::acceptsMember(const MemberExpr* E, bool IsChanged, Reads Read) {
  const std::optional<MemberOfVariable> Member = fieldOf(E);
  const auto* Field = dyn_cast<FieldDecl>(E->getMemberDecl());
  if (!Member && Field && !E->isArrow() && isStruct(E->getBase()->getType()))
    return acceptsNamed(E->getBase(), IsChanged, Read);
  if (!Member && Field && isWholeReceiver() && isThis(E->getBase()))
    return true;
  if (!Member || !(isNumber(E->getType()) ||
                   (isStruct(E->getType()) && (Member->IsWhole || valueFieldAround(*Member))))) {
    const bool IsHidden = This.Of && Field && Field->getAccess() != AS_public;
    return refuse(E, ofMember(E, IsHidden));
  }
  if (isOfPack(Member->Of))
    return refuse(E, "'" + Member->Of->getNameAsString() + "' is one of a pack");
  if (mayNameAnother(Member->Of))
    return refuse(E, ofAnother(Member->Of));
  return true;
}

const VarDecl* namedVariable(const ValueDecl* D) {
  const auto* Name = dyn_cast<BindingDecl>(D);
  if (!Name)
    return dyn_cast<VarDecl>(D);
  return Name->getDecomposedDecl()->getType()->isReferenceType() ? nullptr : Name->getHoldingVar();
}

bool isPart(const BindingDecl* Name) {
  return !Name->getHoldingVar() && isa_and_nonnull<MemberExpr>(Name->getBinding());
}

bool ScalarCode::acceptsVariable(const DeclRefExpr* E, bool IsChanged) {
  if (isa<EnumConstantDecl>(E->getDecl()))
    return true;
  if (const auto* Name = dyn_cast<BindingDecl>(E->getDecl()); Name && isPart(Name)) {
    if (IsChanged)
      return refuse(E, "'" + Name->getNameAsString() +
                           "' is a name in a structured binding, which changes (make it a "
                           "variable)");
    const auto* Of = cast<VarDecl>(Name->getDecomposedDecl());
    if (!IsWhole(Of) && Of->hasLocalStorage() && isNumber(Name->getType())) // of before the loop
      return !mayNameAnother(Of) || refuse(E, ofAnother(Of));
    return acceptsNamed(Name->getBinding(), IsChanged, [](const Expr*) { return false; });
  }
  const VarDecl* V = namedVariable(E->getDecl());
  if (V && !IsChanged && (constantText(V) || isConstantArray(V)))
    return true;
  if (!V || !V->hasLocalStorage() ||
      !(isNumber(V->getType()) || (isStruct(V->getType()) && IsWhole(V))))
    return refuse(E,
                  isNumber(E->getType()) || ofEnumeration(E->getType()).empty()
                      ? "'" + E->getDecl()->getNameAsString() + "' is no local variable of a number"
                      : ofEnumeration(E->getType()));
  if (isOfPack(V) && !Given.contains(V))
    return refuse(E, "'" + V->getNameAsString() + "' is one of a pack");
  if (!Aliases.contains(V) && mayNameAnother(V))
    return refuse(E, ofAnother(V));
  return true;
}

/// True for a function that cannot write to what it is given.
static bool changesNothing(const FunctionDecl* F) {
  return llvm::none_of(F->parameters(), [](const ParmVarDecl* P) {
    const QualType Ty = P->getType();
    return Ty->isLValueReferenceType() && !Ty->getPointeeType().isConstQualified();
  });
}

bool ScalarCode::acceptsCall(const CallExpr* E, llvm::function_ref<bool(const Expr*)> Read) {
  const FunctionDecl* Callee = E->getDirectCallee();
  const CallForm Form = Callee ? formOf(E, Context, Classify) : CallForm::Unknown;
  const bool IsOfNumbers = Form == CallForm::Native || Form == CallForm::Constant ||
                           Form == CallForm::Limit || Form == CallForm::OfIntegers ||
                           Form == CallForm::OfBits || Form == CallForm::Expected ||
                           (Callee && (Form == CallForm::OfValues || isExtremumOfTwo(E)) &&
                            isNumber(E->getType()) && changesNothing(Callee));
  if (Form == CallForm::ExtremumOfList)
    return llvm::all_of(elementsOfList(E),
                        [&](const Expr* Element) { return accepts(Element, Read); });
  if (isNamedInStd(Callee, {"swap"}))
    return refuse(E, "it swaps numbers (set each to the other's, by a third variable)");
  if (!IsOfNumbers)
    return refuse(E, Callee ? "it calls '" + Callee->getNameAsString() +
                                  "', which is no function of numbers in the standard library"
                            : "it calls through a pointer");
  return llvm::all_of(E->arguments(), [&](const Expr* Argument) {
    return isNumber(Argument->getType()) ? accepts(Argument, Read)
                                         : refuse(Argument, "this argument is no number");
  });
}

/// Whether a call reads or prints, by a function of C or by a stream.
static bool isInputOutput(const CallExpr* Call) {
  const FunctionDecl* Callee = Call->getDirectCallee();
  const StdFunction* Row = Callee ? findStdFunction(Callee) : nullptr;
  const auto* Method = dyn_cast<CXXMemberCallExpr>(Call);
  return (Row && Row->As == StdFunction::Form::InputOutput) ||
         (Method && isStream(Method->getImplicitObjectArgument()->getType())) ||
         (Call->getNumArgs() != 0 && isStream(Call->getArg(0)->getType()));
}

bool ScalarCode::accepts(const Stmt* S, llvm::function_ref<bool(const Expr*)> Read) {
  if (!S)
    return true;
  const auto Parts = [&](const Stmt* Of) {
    return llvm::all_of(Of->children(), [&](const Stmt* Part) { return accepts(Part, Read); });
  };
  if (const auto* E = dyn_cast<Expr>(S);
      E && (arrayReadBy(E) || sizeAskedBy(E, Context) || calledCode(E)))
    return Read(E);
  if (isa<CXXThrowExpr>(S))
    return refuse(S, "it throws, which the host alone does (leave the loop by break, and throw "
                     "after it)");
  if (const auto* Call = dyn_cast<CallExpr>(S); Call && isInputOutput(Call))
    return refuse(S, "it is input or output, which the host alone does (put it into an if in the "
                     "loop's block whose condition is known before the turn, or the turns between "
                     "two outputs into a loop of their own)");
  if (const std::optional<bool> Accepted = acceptsComplex(S, Read))
    return *Accepted;
  if (const std::optional<bool> Accepted = acceptsStructs(S, Read))
    return *Accepted;
  if (const auto* Default = dyn_cast<CXXDefaultArgExpr>(S))
    return Default->getExpr()->isEvaluatable(Context)
               ? accepts(Default->getExpr(), Read)
               : refuse(Default->getExpr(),
                        "an argument's default is no constant (give the argument)");
  if (const auto* Default = dyn_cast<CXXDefaultInitExpr>(S))
    return accepts(Default->getExpr(), Read);
  if (const auto* Parameter = dyn_cast<SubstNonTypeTemplateParmExpr>(S))
    return accepts(Parameter->getReplacement(), Read);
  if (const auto* E = dyn_cast<CastExpr>(S)) {
    if (E->getCastKind() == CK_ToVoid || isNumber(E->getType()))
      return accepts(E->getSubExpr(), Read);
    const std::string OfEnum = ofEnumeration(E->getType());
    return refuse(E,
                  OfEnum.empty() ? "it converts to '" + E->getType().getAsString() + "'" : OfEnum);
  }
  if (const auto* E = dyn_cast<BinaryOperator>(S)) {
    if (E->isAssignmentOp())
      return acceptsNamed(E->getLHS(), true, Read) && accepts(E->getRHS(), Read);
    return isNumber(E->getType())
               ? Parts(E)
               : refuse(E, E->getOpcode() == BO_Cmp ? "'<=>' gives no number (compare by < and ==)"
                                                    : "its value is no number");
  }
  if (isa<UnaryExprOrTypeTraitExpr, SizeOfPackExpr, TypeTraitExpr, CXXNoexceptExpr>(S))
    return cast<Expr>(S)->isEvaluatable(Context) || refuse(S, "its value is no constant");
  if (const auto* E = dyn_cast<UnaryOperator>(S)) {
    if (E->isIncrementDecrementOp())
      return acceptsNamed(E->getSubExpr(), true, Read);
    return isNumber(E->getType()) && E->getOpcode() != UO_Deref ? Parts(E)
                                                                : refuse(E, "it uses an address");
  }
  if (isa<DeclRefExpr, MemberExpr>(S))
    return acceptsNamed(cast<Expr>(S), false, Read);
  if (const auto* List = dyn_cast<InitListExpr>(S)) // int{k}
    return isNumber(List->getType()) ? Parts(List) : refuse(List, "its value is no number");
  if (isa<CXXScalarValueInitExpr, ImplicitValueInitExpr>(S))
    return isNumber(cast<Expr>(S)->getType()) || refuse(S, "its value is no number");
  if (const auto* E = dyn_cast<CallExpr>(S);
      E && !isa<CXXMemberCallExpr>(E) && !isa<CXXOperatorCallExpr>(E))
    return acceptsCall(E, Read);
  if (const auto* Declares = dyn_cast<DeclStmt>(S))
    return llvm::all_of(Declares->decls(), [&](const Decl* D) {
      if (!isa<VarDecl>(D))
        return isa<StaticAssertDecl>(D) || refuse(S, "it declares something that is no number");
      const auto* V = cast<VarDecl>(D);
      const QualType Ty = V->getType();
      if (isConstant(V))
        return true;
      if (!V->isLocalVarDecl() || V->isStaticLocal() || Ty->isReferenceType() || !isValue(Ty))
        return refuse(S, "'" + V->getNameAsString() + "' is no local variable of a number");
      return accepts(V->getInit(), Read);
    });
  if (const auto* Choice = dyn_cast<SwitchStmt>(S))
    return !Choice->getConditionVariable() && !Choice->getInit()
               ? Parts(S)
               : refuse(S, "a variable is declared in its condition");
  if (const auto* If = dyn_cast<IfStmt>(S); If && (If->isConstexpr() || If->isConsteval()))
    return refuse(S, "it is decided by the compiler");
  if (isa<IntegerLiteral, FloatingLiteral, CharacterLiteral, CXXBoolLiteralExpr, NullStmt,
          BreakStmt, ContinueStmt>(S))
    return true;
  if (isa<ParenExpr, ConditionalOperator, ExprWithCleanups, ConstantExpr, MaterializeTemporaryExpr,
          CompoundStmt, IfStmt, ForStmt, WhileStmt, DoStmt, CaseStmt, DefaultStmt, AttributedStmt>(
          S))
    return Parts(S);
  const auto* Call = dyn_cast<CallExpr>(S);
  if (const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Call ? Call->getCalleeDecl() : nullptr))
    return refuse(S, ofMethod(Method));
  return refuse(S, "it is no code over numbers alone");
}

} // namespace ikra
