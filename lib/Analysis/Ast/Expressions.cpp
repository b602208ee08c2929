// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Expressions.h"

#include "AstVisitor.h"
#include "Names.h"
#include "Types.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace ikra {

//===-- the element, names

bool isModified(const FunctionDecl* F, const VarDecl* V) {
  struct Finder final : AstVisitor {
    const VarDecl* Variable;
    unsigned Named = 0, Read = 0;
    bool names(const Expr* E) const { return declNamed(E->IgnoreParens()) == Variable; }
    bool VisitDeclRefExpr(DeclRefExpr* E) override {
      Named += names(E);
      return true;
    }
    bool VisitCastExpr(CastExpr* E) override {
      Read += E->getCastKind() == CK_LValueToRValue && names(E->getSubExpr());
      return true;
    }
  } Find;
  if (!V->getType()->isPointerType())
    return false;
  Find.Variable = V;
  Find.TraverseStmt(F->getBody());
  return Find.Named != Find.Read;
}

const Expr* aliasedBy(const FunctionDecl* F, const ValueDecl* D) {
  const auto* V = dyn_cast<VarDecl>(D);
  const bool IsLocal = V && V->isLocalVarDecl() && !V->isStaticLocal() && V->getInit() &&
                       !isa<DecompositionDecl>(V) && isDeclaredIn(V, F);
  if (!IsLocal || (!V->getType()->isReferenceType() && !V->getType()->isPointerType()))
    return nullptr;
  // A reference to a pointer may see it change.
  return isReferenceToPointer(V->getType()) || isModified(F, V) ? nullptr : V->getInit();
}

TypeTest typeTest(const CXXOperatorCallExpr* E) {
  if (E->getOperator() != OO_EqualEqual || E->getNumArgs() != 2)
    return {};
  const auto* Left = dyn_cast<CXXTypeidExpr>(E->getArg(0)->IgnoreParenImpCasts());
  const auto* Right = dyn_cast<CXXTypeidExpr>(E->getArg(1)->IgnoreParenImpCasts());
  if (!Left || !Right)
    return {};
  if (Left->isTypeOperand())
    std::swap(Left, Right);
  if (Left->isTypeOperand() || !Left->isPotentiallyEvaluated())
    return {};
  if (!Right->isTypeOperand())
    return Right->isPotentiallyEvaluated()
               ? TypeTest{Left->getExprOperand(), Right->getExprOperand(), nullptr}
               : TypeTest();
  const QualType Class = Right->getTypeOperandSourceInfo()->getType().getNonReferenceType();
  return {Left->getExprOperand(), nullptr, Class->getAsCXXRecordDecl()};
}

bool isSelf(const Function& F, const Expr* E) {
  if (F.SelfMask == 0)
    return false;
  E = E->IgnoreParens();
  if (const auto* Cast = dyn_cast<CastExpr>(E)) {
    switch (Cast->getCastKind()) {
    case CK_NoOp:
    case CK_LValueToRValue:
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase:
      return isSelf(F, Cast->getSubExpr());
    default:
      return false;
    }
  }
  if (const auto* Op = dyn_cast<UnaryOperator>(E))
    return (Op->getOpcode() == UO_Deref || Op->getOpcode() == UO_AddrOf) &&
           isSelf(F, Op->getSubExpr());
  if (isa<CXXThisExpr>(E)) {
    // Inside a section's lambda `this` is the captured object.
    const auto* Method = dyn_cast<CXXMethodDecl>(F.Decl);
    return (F.SelfMask & 1) != 0 && Method && !Method->getParent()->isLambda();
  }
  if (const auto* Name = dyn_cast<DeclRefExpr>(E)) {
    if (const Expr* Aliased = aliasedBy(F.Decl, Name->getDecl()))
      return isSelf(F, Aliased);
    if (const auto* Parameter = dyn_cast<ParmVarDecl>(Name->getDecl()))
      for (unsigned K = 0; K < F.Decl->getNumParams() && K < 63; ++K)
        if (F.Decl->getParamDecl(K) == Parameter)
          return (F.SelfMask >> (K + 1)) & 1;
  }
  return false;
}

//===-- copies of objects

namespace {

/// Follows an expression to what holds its object: a copy is in a variable that is no reference, in
/// a temporary, or in what the caller has given.
class CopyFinder {
public:
  CopyFinder(const Function& F, const ClassRoles& Roles, unsigned Depth = 0)
      : F(F), Roles(Roles), Depth(Depth) {}

  bool isCopy(const Expr* E) const {
    if (Depth > 16) // functions that call each other
      return false;
    E = E->IgnoreParens();
    if (const auto* Full = dyn_cast<FullExpr>(E))
      return isCopy(Full->getSubExpr());
    if (isa<CXXThisExpr>(E)) {
      const auto* Method = dyn_cast<CXXMethodDecl>(F.Decl);
      return (F.CopyMask & 1) != 0 && Method && !Method->getParent()->isLambda();
    }
    if (const auto* Op = dyn_cast<UnaryOperator>(E);
        Op && (Op->getOpcode() == UO_Deref || Op->getOpcode() == UO_AddrOf)) {
      if (const Expr* Range = rangeOf(Op->getSubExpr())) // of a std::array
        return isList(Range) && isCopy(Range);
      return isCopy(Op->getSubExpr());
    }
    if (const auto* Cast = dyn_cast<CastExpr>(E))
      switch (Cast->getCastKind()) {
      case CK_NoOp:
      case CK_DerivedToBase:
      case CK_UncheckedDerivedToBase:
      case CK_BaseToDerived:
      case CK_ArrayToPointerDecay:
        return isCopy(Cast->getSubExpr());
      default:
        break;
      }
    if (E->isPRValue() && isStdClass(E->getType(), "span"))
      return isSpanOfCopies(E);
    if (E->isPRValue())
      return isObjectByValue(E->getType(), Roles);
    if (const auto* Made = dyn_cast<MaterializeTemporaryExpr>(E))
      return isCopy(Made->getSubExpr());
    if (const auto* Member = dyn_cast<MemberExpr>(E)) {
      const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
      // A container of objects in a copy is a view: its elements are the objects themselves.
      return Field && Field->getType()->isRecordType() && !isList(Member) &&
             isCopy(Member->getBase());
    }
    if (const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E))
      return isCopy(Subscript->getBase());
    if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
      return isCopy(Choice->getTrueExpr());
    if (const auto* Op = dyn_cast<BinaryOperator>(E))
      return Op->getOpcode() == BO_Comma && isCopy(Op->getRHS());
    if (const auto* Call = dyn_cast<CallExpr>(E))
      return isResultCopy(Call);
    if (const auto* Name = dyn_cast<DeclRefExpr>(E))
      return isCopy(dyn_cast<VarDecl>(Name->getDecl()));
    return false;
  }

  std::uint64_t among(const FunctionDecl* Callee, const Expr* Receiver,
                      llvm::ArrayRef<const Expr*> Arguments) const {
    const auto* Constructor = dyn_cast<CXXConstructorDecl>(Callee);
    std::uint64_t Mask = (Receiver && isObject(Receiver) && isCopy(Receiver)) ||
                         (Constructor && isObjectByValue(typeOf(Constructor->getParent()), Roles));
    for (unsigned K = 0; K < Arguments.size() && K < Callee->getNumParams() && K < 63; ++K) {
      const QualType Ty = Callee->getParamDecl(K)->getType();
      const bool IsGiven = Ty->isReferenceType() ? isObject(Arguments[K]) || isList(Arguments[K])
                                                 : isStdClass(Ty, "span");
      if (IsGiven && isCopy(Arguments[K]))
        Mask |= std::uint64_t(1) << (K + 1);
    }
    return Mask;
  }

  bool isCopyByReference(const VarDecl* V) const {
    return V->getType()->isReferenceType() && isCopy(V);
  }

  bool givesCopy() const {
    const QualType Ty = F.Decl->getReturnType();
    return F.CopyMask != 0 && (Ty->isReferenceType() || isStdClass(Ty, "span")) &&
           F.Decl->hasBody() && holdsObjectsThemselves(Ty, Roles) && returnsCopy(F.Decl->getBody());
  }

private:
  static QualType typeOf(const CXXRecordDecl* Class) {
    return QualType(Class->getTypeForDecl(), 0);
  }
  bool isObject(const Expr* E) const {
    const QualType Ty = E->getType();
    return isObjectByValue(Ty->isPointerType() ? Ty->getPointeeType() : Ty, Roles);
  }

  /// A container of objects.
  bool isList(const Expr* E) const {
    return !elementOfContainer(E->getType()).isNull() &&
           holdsObjectsThemselves(E->getType(), Roles);
  }

  /// True for what the section's lambda holds copies of.
  bool isCaptured(const VarDecl* V) const {
    const auto* Operator = dyn_cast<CXXMethodDecl>(F.Decl);
    if (!F.IsSection || !Operator || !Operator->getParent()->isLambda())
      return false;
    return llvm::any_of(Operator->getParent()->captures(), [&](const LambdaCapture& C) {
      return C.capturesVariable() && C.getCapturedVar() == V && C.getCaptureKind() == LCK_ByCopy &&
             copiedClassOf(V->getType().getNonReferenceType().getUnqualifiedType(), Roles);
    });
  }

  /// A span is made of a container, of another span, or is a part of one.
  bool isSpanOfCopies(const Expr* E) const {
    if (const auto* Cast = dyn_cast<CastExpr>(E))
      return isCopy(Cast->getSubExpr());
    if (const auto* Construct = dyn_cast<CXXConstructExpr>(E))
      return Construct->getNumArgs() != 0 && isList(Construct->getArg(0)) &&
             isCopy(Construct->getArg(0));
    const auto* Call = dyn_cast<CallExpr>(E);
    return Call && Call->getDirectCallee() && isElementCopy(Call);
  }

  /// What a range for makes of the range that it goes through: its begin, or the range itself.
  static const Expr* rangeOf(const Expr* Iterator) {
    const VarDecl* V = variableNamed(Iterator->IgnoreParenImpCasts());
    const Expr* Init = V && V->isImplicit() ? V->getInit() : nullptr;
    const auto* Begin = Init ? dyn_cast<CXXMemberCallExpr>(Init->IgnoreImplicit()) : nullptr;
    return Begin ? Begin->getImplicitObjectArgument() : nullptr;
  }

  /// True for an element of a container of copies.
  bool isElementCopy(const CallExpr* E) const {
    const FunctionDecl* Callee = E->getDirectCallee();
    if (const auto* Operator = dyn_cast<CXXOperatorCallExpr>(E)) {
      if (Operator->getOperator() == OO_Star)
        if (const Expr* Range = rangeOf(E->getArg(0)))
          return isList(Range) && isCopy(Range);
      return Operator->getOperator() == OO_Subscript && isList(E->getArg(0)) &&
             isCopy(E->getArg(0));
    }
    const auto* Call = dyn_cast<CXXMemberCallExpr>(E);
    return Call && Call->getImplicitObjectArgument() &&
           hasName(Callee, {"at", "front", "back", "first", "last", "subspan"}) &&
           isList(Call->getImplicitObjectArgument()) && isCopy(Call->getImplicitObjectArgument());
  }

  bool isCopy(const VarDecl* V) const {
    if (V && isCaptured(V))
      return true;
    if (!V || !V->isLocalVarDeclOrParm() || V->isStaticLocal() || !isDeclaredIn(V, F.Decl))
      return false;
    if (isStdClass(V->getType(), "span") && !V->getType()->isReferenceType() &&
        holdsObjectsThemselves(V->getType(), Roles))
      return isCopyOfSpan(V);
    if (!V->getType()->isReferenceType())
      return isObjectByValue(V->getType(), Roles);
    if (const auto* Parameter = dyn_cast<ParmVarDecl>(V)) {
      const unsigned K = Parameter->getFunctionScopeIndex();
      const auto* In = dyn_cast<CXXMethodDecl>(Parameter->getDeclContext());
      if (In != F.Decl && In && In->getParent()->isLambda())
        return holdsObjectsThemselves(V->getType(), Roles) && isGivenCopies(In, K);
      return Parameter->getDeclContext() == F.Decl && K < 63 && ((F.CopyMask >> (K + 1)) & 1);
    }
    return V->getInit() && CopyFinder(F, Roles, Depth + 1).isCopy(V->getInit());
  }

  bool isCopyOfSpan(const VarDecl* V) const {
    if (const auto* Parameter = dyn_cast<ParmVarDecl>(V)) {
      const unsigned K = Parameter->getFunctionScopeIndex();
      return Parameter->getDeclContext() == F.Decl && K < 63 && ((F.CopyMask >> (K + 1)) & 1);
    }
    return V->getInit() && CopyFinder(F, Roles, Depth + 1).isCopy(V->getInit());
  }

  /// True if all calls of a lambda in the function give it copies in that place.
  bool isGivenCopies(const CXXMethodDecl* Lambda, unsigned Place) const {
    struct Finder final : AstVisitor {
      const CXXMethodDecl* Lambda;
      unsigned Place;
      llvm::SmallVector<const Expr*> Given;
      bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* E) override {
        if (E->getDirectCallee() == Lambda && Place + 1 < E->getNumArgs())
          Given.push_back(E->getArg(Place + 1));
        return true;
      }
    } Find;
    Find.Lambda = Lambda;
    Find.Place = Place;
    Find.TraverseStmt(F.Decl->getBody());
    const CopyFinder Next(F, Roles, Depth + 1);
    return !Find.Given.empty() &&
           llvm::all_of(Find.Given, [&](const Expr* E) { return Next.isCopy(E); });
  }

  bool isResultCopy(const CallExpr* E) const {
    const FunctionDecl* Callee = E->getDirectCallee();
    llvm::SmallVector<const Expr*> Arguments(E->arguments());
    if (!Callee || Arguments.size() + isa<CXXMemberCallExpr>(E) == 0)
      return false;
    if (isInStd(Callee) && isElementCopy(E))
      return true;
    if (isInStd(Callee)) // std::move and its kin
      return hasName(Callee, {"move", "forward", "as_const"}) && Arguments.size() == 1 &&
             isCopy(Arguments[0]);
    const auto* Operator = dyn_cast<CXXOperatorCallExpr>(E);
    if (Operator && assignsObject(Operator, Roles))
      return isCopy(Arguments[0]);
    const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
    const Expr* Receiver = nullptr;
    if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E)) {
      Receiver = Call->getImplicitObjectArgument();
    } else if (Method && Operator) {
      Receiver = Arguments.front();
      Arguments.erase(Arguments.begin());
    }
    Function Called;
    Called.Decl = Callee->getDefinition() ? Callee->getDefinition() : Callee;
    Called.CopyMask = among(Callee, Receiver, Arguments);
    return CopyFinder(Called, Roles, Depth + 1).givesCopy();
  }

  bool returnsCopy(const Stmt* S) const {
    if (const auto* Return = dyn_cast_or_null<ReturnStmt>(S))
      return Return->getRetValue() && isCopy(Return->getRetValue());
    return S && !isa<LambdaExpr>(S) &&
           llvm::any_of(S->children(), [&](const Stmt* In) { return returnsCopy(In); });
  }

  const Function& F;
  const ClassRoles& Roles;
  unsigned Depth;
};

} // namespace

bool isCopy(const Function& F, const Expr* E, const ClassRoles& Roles) {
  return F.Decl && CopyFinder(F, Roles).isCopy(E);
}

std::uint64_t copiesAmong(const Function& F, const FunctionDecl* Callee, const Expr* Receiver,
                          llvm::ArrayRef<const Expr*> Arguments, const ClassRoles& Roles) {
  return CopyFinder(F, Roles).among(Callee, Receiver, Arguments);
}

std::uint64_t copiesGiven(const Function& F, const CXXMethodDecl* Lambda, const ClassRoles& Roles) {
  std::uint64_t Mask = 0;
  for (unsigned K = 0; F.Decl && K < Lambda->getNumParams() && K < 63; ++K)
    if (CopyFinder(F, Roles).isCopyByReference(Lambda->getParamDecl(K)))
      Mask |= std::uint64_t(1) << (K + 1);
  return Mask;
}

bool givesCopy(const Function& F, const ClassRoles& Roles) {
  return CopyFinder(F, Roles).givesCopy();
}

bool assignsObject(const CXXOperatorCallExpr* E, const ClassRoles& Roles) {
  const auto* Method = dyn_cast_or_null<CXXMethodDecl>(E->getCalleeDecl());
  return Method && (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator()) &&
         !Method->isUserProvided() &&
         isObjectByValue(QualType(Method->getParent()->getTypeForDecl(), 0), Roles);
}

QualType objectType(const Expr* E) {
  const auto* Cast = dyn_cast<ImplicitCastExpr>(E);
  const bool ToBase = Cast && (Cast->getCastKind() == CK_DerivedToBase ||
                               Cast->getCastKind() == CK_UncheckedDerivedToBase);
  return ToBase ? objectType(Cast->getSubExpr()) : E->getType();
}

const CXXRecordDecl* classOfObject(const Expr* E) {
  const QualType Type = objectType(E), To = pointeeOf(Type);
  return (To.isNull() ? Type : To)->getAsCXXRecordDecl();
}

std::set<std::string> declaredNames(const FunctionDecl* F) {
  struct Collector final : AstVisitor {
    std::set<std::string> Names;
    bool VisitVarDecl(VarDecl* V) override {
      Names.insert(V->getNameAsString());
      return true;
    }
    bool VisitDeclRefExpr(DeclRefExpr* E) override { // captures
      if (E->getDecl()->getIdentifier())
        Names.insert(E->getDecl()->getNameAsString());
      return true;
    }
  } Collect;
  for (const ParmVarDecl* P : F->parameters())
    Collect.Names.insert(P->getNameAsString());
  Collect.TraverseStmt(F->getBody());
  return Collect.Names;
}

std::optional<CaseValues> caseValues(const CaseStmt* S, const ASTContext& Context) {
  if (!S->getRHS())
    return std::nullopt;
  return CaseValues{.First = S->getLHS()->EvaluateKnownConstInt(Context),
                    .Last = S->getRHS()->EvaluateKnownConstInt(Context)};
}

//===-- containers and algorithms

/// `sort` for the class of std::ranges::sort; empty for all others.
static llvm::StringRef rangeAlgorithm(const CallExpr* E) {
  const auto* Operator = dyn_cast<CXXOperatorCallExpr>(E);
  if (!Operator || Operator->getOperator() != OO_Call)
    return "";
  const CXXRecordDecl* Class = Operator->getArg(0)->getType()->getAsCXXRecordDecl();
  const auto* Space =
      Class ? dyn_cast<NamespaceDecl>(Class->getDeclContext()->getEnclosingNamespaceContext())
            : nullptr;
  if (!Space || !isInStd(Class) || Space->getName() != "ranges" || !Class->getIdentifier())
    return "";
  llvm::StringRef Name = Class->getName(); // libstdc++ has __sort_fn
  return Name.consume_front("__") && Name.consume_back("_fn") ? Name : "";
}

std::optional<Counted> countedRange(const Expr* Range) {
  const CXXRecordDecl* View = Range->getType()->getAsCXXRecordDecl();
  if (!View || !isInStd(View) || !View->getIdentifier() || View->getName() != "iota_view")
    return std::nullopt;
  const Expr* Made = Range->IgnoreUnlessSpelledInSource()->IgnoreParenCasts()->IgnoreImplicit();
  llvm::SmallVector<const Expr*, 2> Bounds;
  if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(Made)) // of the object std::views::iota
    llvm::append_range(Bounds, llvm::drop_begin(Call->arguments()));
  else if (const auto* Construction = dyn_cast<CXXConstructExpr>(Made))
    llvm::append_range(Bounds, Construction->arguments());
  const auto IsInteger = [](const Expr* E) {
    return E->getType()->isIntegerType() && !E->getType()->isEnumeralType();
  };
  if (Bounds.size() != 2 || !llvm::all_of(Bounds, IsInteger))
    return std::nullopt;
  return Counted{Bounds[0], Bounds[1]};
}

/// How many arguments an algorithm of std::ranges may have besides its range, where no member of
/// the elements is taken in their place.
static bool takesInRanges(llvm::StringRef Name, StdFunction::Calls With, std::size_t Count) {
  if (Name == "copy_if" || Name == "replace_if")
    return Count == 2;
  switch (With) {
  case StdFunction::Nothing:
    return llvm::StringSwitch<bool>(Name)
        .Cases("find", "count", "fill", "copy", Count == 1)
        .Case("replace", Count == 2)
        .Case("reverse", Count == 0)
        .Default(false);
  case StdFunction::Test:
  case StdFunction::Each:
  case StdFunction::Made:
    return Count == 1;
  case StdFunction::Order:
    return Count <= 1;
  case StdFunction::Transform:
    return Count == 2;
  case StdFunction::ElementAndValue:
  case StdFunction::ValueAndElement:
  case StdFunction::BothWays:
    return Count == 1 || Count == 2;
  case StdFunction::Fold:
  case StdFunction::Running:
  case StdFunction::Product:
    return false; // namesakes alone, which are called by other rules
  }
  llvm_unreachable("a way of calling");
}

/// Of values or pointers, one after another, whose name may be written twice.
static bool isNamedContainer(const Expr* E) {
  return rankOfArray(E->getType()) == 0 && !elementOfContainer(E->getType()).isNull() &&
         isa<DeclRefExpr, MemberExpr>(E->IgnoreParenImpCasts());
}

std::optional<AlgorithmCall> algorithmCall(const CallExpr* E) {
  const FunctionDecl* Callee = E->getDirectCallee();
  if (!Callee || !isInStd(Callee) || E->getNumArgs() == 0)
    return std::nullopt;
  AlgorithmCall Out{};
  Out.Name = Callee->getIdentifier() ? Callee->getName() : rangeAlgorithm(E);
  Out.Row = findStdFunction(Out.Name);
  if (!Out.Row ||
      (Out.Row->As != StdFunction::Form::Reads && Out.Row->As != StdFunction::Form::Writes))
    return std::nullopt;
  Out.IsOfRanges = !Callee->getIdentifier();
  for (const Expr* Given : llvm::drop_begin(E->arguments(), Out.IsOfRanges ? 1 : 0)) {
    if (Out.IsOfRanges && Out.Arguments.empty() && isNamedContainer(Given))
      Out.Arguments.append({{Given, AlgorithmArgument::First}, {Given, AlgorithmArgument::Last}});
    else if (!isa<CXXDefaultArgExpr>(Given))
      Out.Arguments.push_back({Given});
  }
  if (Out.IsOfRanges && (Out.Arguments.size() < 2 ||
                         !takesInRanges(Out.Name, Out.Row->With, Out.Arguments.size() - 2)))
    return std::nullopt;
  return Out;
}

const Expr* functionOf(const AlgorithmCall& Of) {
  return Of.Name == "replace_if" && Of.Arguments.size() == 4 ? Of.Arguments[2].Given
                                                             : Of.Arguments.back().Given;
}

std::optional<std::uint64_t> mostElements(const AlgorithmArgument& Begins) {
  const Expr* E = Begins.Given->IgnoreParenImpCasts();
  while (const auto* Sum = dyn_cast<BinaryOperator>(E))
    E = (Sum->getLHS()->getType()->isPointerType() ? Sum->getLHS() : Sum->getRHS())
            ->IgnoreParenImpCasts();
  if (const auto* Sum = dyn_cast<CXXOperatorCallExpr>(E); Sum && Sum->getOperator() == OO_Plus)
    E = Sum->getArg(0)->IgnoreImplicit();
  if (const auto* Call = dyn_cast<CallExpr>(E)) {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (!Callee || !isInStd(Callee) || !Callee->getIdentifier() ||
        !givesIterator(Callee->getName()))
      return std::nullopt; // it may lead to another array
    const auto* OfObject = dyn_cast<CXXMemberCallExpr>(Call);
    E = OfObject ? OfObject->getImplicitObjectArgument() : Call->getArg(0);
  }
  return constantSize(E->getType());
}

bool givesIterator(llvm::StringRef Name) {
  static const llvm::StringSet<> Names = {"begin", "end", "cbegin", "cend", "data"};
  return Names.contains(Name);
}

bool asksSize(const CallExpr* E) {
  const FunctionDecl* Callee = E->getDirectCallee();
  return isNamedInStd(Callee, {"size", "ssize", "empty"}) && !isa<CXXMethodDecl>(Callee) &&
         E->getNumArgs() == 1 &&
         isa<DeclRefExpr, MemberExpr>(E->getArg(0)->IgnoreParenImpCasts()) &&
         !elementOfContainer(E->getArg(0)->getType()).isNull();
}

bool hasOwnForm(const CallExpr* E) {
  const FunctionDecl* Callee = E->getDirectCallee();
  if (!Callee)
    return false;
  if (isNamedInStd(Callee, {"hypot"}))
    return E->getNumArgs() == 3 && // of two, devices have it
           llvm::all_of(E->arguments(),
                        [](const Expr* A) { return A->getType()->isArithmeticType(); });
  return isStdFunction(Callee, StdFunction::Form::OfIntegers) &&
         llvm::all_of(E->arguments(), [](const Expr* A) { return A->getType()->isIntegerType(); });
}

RangeExtremum extremumOfRanges(const CallExpr* E) {
  RangeExtremum Out{rangeAlgorithm(E), {}, nullptr};
  if (Out.Name != "max" && Out.Name != "min")
    return Out;
  llvm::SmallVector<const Expr*, 4> Given;
  for (const Expr* Argument : llvm::drop_begin(E->arguments()))
    if (!isa<CXXDefaultArgExpr>(Argument))
      Given.push_back(Argument);
  const auto* List =
      Given.size() == 1 ? dyn_cast<CXXStdInitializerListExpr>(Given[0]->IgnoreImplicit()) : nullptr;
  if (const auto* Elements =
          List ? dyn_cast<InitListExpr>(List->getSubExpr()->IgnoreImplicit()) : nullptr)
    Given.assign(Elements->inits().begin(), Elements->inits().end());
  else if (Given.size() == 1 && isNamedContainer(Given[0]) &&
           elementOfContainer(Given[0]->getType())->isArithmeticType())
    Out.Container = Given[0];
  if (Given.size() < 2)
    return Out;
  if (llvm::all_of(Given, [](const Expr* Of) { return Of->getType()->isArithmeticType(); }))
    Out.Numbers = std::move(Given);
  return Out;
}

bool isExtremumOfTwo(const CallExpr* E) {
  return isNamedInStd(E->getDirectCallee(), {"max", "min"}) && E->getNumArgs() == 2 &&
         llvm::all_of(E->arguments(),
                      [](const Expr* A) { return A->getType()->isArithmeticType(); });
}

std::optional<std::uint64_t> constantSize(QualType Container) {
  Container = Container.getNonReferenceType().getCanonicalType();
  if (const auto* Array = dyn_cast<ConstantArrayType>(Container.getTypePtr()))
    return Array->getZExtSize();
  if (!isStdClass(Container, "array"))
    return std::nullopt;
  const auto* Spec = cast<ClassTemplateSpecializationDecl>(Container->getAsCXXRecordDecl());
  return Spec->getTemplateArgs()[1].getAsIntegral().getZExtValue();
}

llvm::ArrayRef<Expr*> elementsOfList(const CallExpr* E) {
  if (E->getNumArgs() != 1)
    return {};
  const auto* List = dyn_cast<CXXStdInitializerListExpr>(E->getArg(0)->IgnoreImplicit());
  const auto* Elements =
      List ? dyn_cast<InitListExpr>(List->getSubExpr()->IgnoreImplicit()) : nullptr;
  return Elements ? Elements->inits() : llvm::ArrayRef<Expr*>();
}

bool isTextOfArray(const Expr* Init, QualType Ty) {
  if (const auto* Default = dyn_cast_or_null<CXXDefaultInitExpr>(Init))
    Init = Default->getExpr();
  return Init && Ty->isConstantArrayType() && isa<StringLiteral>(Init->IgnoreParens());
}

bool isElementOfArray(const FunctionDecl* Callee) {
  return isNamedInStd(Callee, {"get"}) && Callee->getNumParams() == 1 &&
         !elementOfContainer(Callee->getParamDecl(0)->getType()).isNull();
}

//===-- values

/// Whether what is compared by \p Op has a part that nvcc compares otherwise.
static bool isMistaken(QualType Ty, OverloadedOperatorKind Op) {
  Ty = Ty->getBaseElementTypeUnsafe()->getCanonicalTypeInternal();
  const CXXRecordDecl* Record = Ty->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition())
    return Ty->isRealFloatingType() && Op != OO_EqualEqual && Op != OO_ExclaimEqual;
  return llvm::any_of(
             Record->bases(),
             [&](const CXXBaseSpecifier& Base) { return isMistaken(Base.getType(), Op); }) ||
         llvm::any_of(Record->fields(), [&](const FieldDecl* Member) {
           return (Member->getType()->isArrayType() && !isInStd(Record)) ||
                  isMistaken(Member->getType(), Op);
         });
}

/// True for a class of the program with an assignment of its own, and for those that hold one.
static bool holdsAssignment(const CXXRecordDecl* Class) {
  if (!isUserClass(Class) || !Class->hasDefinition())
    return false;
  const auto HoldsIt = [](QualType Ty) {
    return holdsAssignment(elementOfArrays(Ty)->getAsCXXRecordDecl());
  };
  return llvm::any_of(Class->methods(),
                      [](const CXXMethodDecl* Method) {
                        return Method->isUserProvided() && (Method->isCopyAssignmentOperator() ||
                                                            Method->isMoveAssignmentOperator());
                      }) ||
         llvm::any_of(Class->bases(),
                      [&](const CXXBaseSpecifier& Base) { return HoldsIt(Base.getType()); }) ||
         llvm::any_of(Class->fields(),
                      [&](const FieldDecl* Member) { return HoldsIt(Member->getType()); });
}

bool isWrittenOut(const FunctionDecl* Callee) {
  const OverloadedOperatorKind Op = Callee->getOverloadedOperator();
  if (Op == OO_Equal) // of a class with a member that has an assignment of its own
    return Callee->isDefaulted() && !Callee->isTrivial() && !Callee->isConstexpr() &&
           isa<CXXMethodDecl>(Callee) && holdsAssignment(cast<CXXMethodDecl>(Callee)->getParent());
  return Callee->isDefaulted() && Callee->getNumParams() != 0 &&
         (Op == OO_Spaceship || CXXOperatorCallExpr::isComparisonOp(Op)) &&
         isMistaken(Callee->parameters().back()->getType().getNonReferenceType(), Op);
}

bool isDefaultOfObjects(const FunctionDecl* Callee, const ClassRoles& Roles) {
  const OverloadedOperatorKind Op = Callee->getOverloadedOperator();
  return Callee->isDefaulted() && Callee->getNumParams() != 0 &&
         (Op == OO_Spaceship || CXXOperatorCallExpr::isComparisonOp(Op)) &&
         isObjectClass(
             Callee->parameters().back()->getType().getNonReferenceType()->getAsCXXRecordDecl(),
             Roles);
}

bool isNativeOperator(const Expr* E, const ClassRoles& Roles) {
  const auto* Call = dyn_cast<CXXOperatorCallExpr>(E->IgnoreImplicit());
  const auto* Callee = Call ? dyn_cast_or_null<FunctionDecl>(Call->getCalleeDecl()) : nullptr;
  return Callee &&
         (isInStd(Callee) ||
          (Callee->isDefaulted() && !isWrittenOut(Callee) && !isDefaultOfObjects(Callee, Roles)) ||
          (isInIkra(Callee) && isIndex(Call->getArg(0)->getType())));
}

bool isPlaceTag(QualType Ty) {
  return isStdClass(Ty, "in_place_t") || isStdClass(Ty, "in_place_type_t") ||
         isStdClass(Ty, "in_place_index_t");
}

bool isZeroOfOrder(QualType Ty) {
  const CXXRecordDecl* Record = Ty->getAsCXXRecordDecl();
  return Record && isInStd(Record) && Record->getName() == "__unspec";
}

/// True if the class itself makes its members so: of numbers and null.
static bool areDefaults(const Expr* Filler, const ClassRoles& Roles) {
  const auto* List = dyn_cast<InitListExpr>(Filler->IgnoreImplicit());
  return List && valueClassOf(List->getType(), Roles) &&
         llvm::all_of(List->inits(), [](const Expr* Init) {
           const auto* Default = dyn_cast<CXXDefaultInitExpr>(Init);
           return isa<ImplicitValueInitExpr>(Init) ||
                  (Default && constantDefault(Default->getField()) != nullptr);
         });
}

const Expr* fillerOf(const InitListExpr* List, const ClassRoles& Roles) {
  const Expr* Filler = List->getType()->isConstantArrayType() ? List->getArrayFiller() : nullptr;
  return Filler && List->getNumInits() < *constantSize(List->getType()) &&
                 !isa<ImplicitValueInitExpr>(Filler->IgnoreImplicit()) &&
                 !areDefaults(Filler, Roles)
             ? Filler
             : nullptr;
}

std::uint64_t countOf(QualType Array) {
  const std::optional<std::uint64_t> Size =
      Array->isConstantArrayType() ? constantSize(Array) : std::nullopt;
  return Size ? *Size * countOf(Array->getAsArrayTypeUnsafe()->getElementType()) : 1;
}

bool hasOwnIterators(const CXXForRangeStmt* S, const ClassRoles& Roles) {
  const QualType Ty = S->getRangeInit()->getType();
  const CXXRecordDecl* Class = valueClassOf(Ty, Roles);
  return (Class && !isOfLibrary(Class)) || isObjectClass(Ty->getAsCXXRecordDecl(), Roles);
}

const Expr* arrayOfBindings(const DecompositionDecl* V) {
  if (!V->getType().getNonReferenceType()->isConstantArrayType() || !V->getInit())
    return nullptr;
  const Expr* Init = V->getInit()->IgnoreParenImpCasts();
  if (const auto* Copy = dyn_cast<ArrayInitLoopExpr>(Init->IgnoreImplicit()))
    Init = Copy->getCommonExpr()->getSourceExpr();
  return Init->IgnoreParenImpCasts();
}

const Expr* boundPart(const ValueDecl* D, const ClassRoles& Roles) {
  const auto* Binding = dyn_cast<BindingDecl>(D);
  const auto* V = Binding ? cast<DecompositionDecl>(Binding->getDecomposedDecl()) : nullptr;
  const QualType Ty = V ? V->getType() : QualType();
  if (!V || !Ty->isReferenceType() || valueClassOf(Ty, Roles))
    return nullptr;
  const Expr* Array = arrayOfBindings(V);
  const bool IsPart = Array
                          ? isa<MemberExpr>(Array)
                          : isObjectClass(Ty.getNonReferenceType()->getAsCXXRecordDecl(), Roles) ||
                                isStdClass(Ty, "array");
  if (!IsPart)
    return nullptr;
  const VarDecl* Holder = Binding->getHoldingVar(); // of a std::array's element
  return Holder ? Holder->getInit() : Binding->getBinding();
}

/// True if \p Init names a member of what is made.
static bool namesMember(const Stmt* Init) {
  return anyPart(Init, [](const Stmt* Part) { return isa<CXXThisExpr>(Part); });
}

bool isLeftToClass(const Expr* Init) {
  const auto* Default = dyn_cast<CXXDefaultInitExpr>(Init);
  const auto Leaves = [](const Stmt* S) {
    const auto* Member = dyn_cast<MemberExpr>(S);
    const VarDecl* Variable =
        Member ? dyn_cast<VarDecl>(Member->getMemberDecl()) : variableNamed(S);
    return isa<CallExpr, CXXConstructExpr, LambdaExpr>(S) ||
           (Variable && !(Variable->isConstexpr() && Variable->getType()->isArithmeticType()));
  };
  return Default && !anyPart(Default->getExpr(), Leaves);
}

std::optional<unsigned> writtenInits(llvm::ArrayRef<Expr*> Inits) {
  const auto* First = llvm::find_if(Inits, [](const Expr* Init) {
    const auto* Default = dyn_cast<CXXDefaultInitExpr>(Init);
    return Default && namesMember(Default->getExpr());
  });
  if (!std::all_of(First, Inits.end(), isLeftToClass))
    return std::nullopt;
  return static_cast<unsigned>(First - Inits.begin());
}

const Expr* withoutIndex(const Expr* E) {
  E = written(E);
  const auto* Call = dyn_cast<CXXMemberCallExpr>(E);
  return Call && isNamedInIkra(Call->getMethodDecl(), {"with_index"})
             ? written(Call->getImplicitObjectArgument())
             : E;
}

} // namespace ikra
