// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sequence evaluates its array, ticks, bounds and captures once, before the first section. So
// they have to be names of variables that sections cannot change: the device writes to members of
// objects, and a variable may be another name of one only if it is a reference.

#include "Sequences.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Locations.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>

using namespace clang;

namespace ikra {

namespace {

/// The parts of a loop that may be a counted one.
struct CountedParts {
  const Expr* Begin = nullptr; ///< null: the variable is what it is before the loop
  const Expr* Test = nullptr;
  const Expr* Step = nullptr;
  llvm::SmallVector<const Stmt*> Body;
  const CompoundStmt* Block = nullptr; ///< that Body stands in, if it does
  const char* Keyword = "";
};

/// The variable of a counted loop.
struct LoopCounter {
  const VarDecl* Variable = nullptr;
  std::string Begin, End; ///< host text
  const char* Count = ""; ///< the function of the runtime that counts turns
  bool IsDown = false;
  std::int64_t By = 1;
};

/// A sequence so far, and what has to stay as it is from its first section to its last.
struct Draft {
  Sequence Of;
  std::vector<const FieldDecl*> Read; ///< by the host, of what may be objects
  std::set<Index> Written;            ///< members
  bool SeesLists = false;             ///< a section has a container that may be an object's member
};

/// Why something is no part of a sequence.
struct SequenceObstacle {
  const Stmt* At = nullptr;
  std::string Why;
};

/// What containers and arrays are made of, in the end.
QualType innermost(QualType Ty) {
  for (QualType Inner = elementOfContainer(Ty); !Inner.isNull(); Inner = elementOfContainer(Ty))
    Ty = Inner;
  return Ty;
}

class SequenceFinder final : public AstVisitor {
public:
  SequenceFinder(ASTContext& Context, const llvm::DenseMap<const Expr*, Index>& SectionOfCall,
                 llvm::function_ref<std::string(const std::string&)> UniqueIdent,
                 const ProgramModel& Model, HostLoops& Loops)
      : AstVisitor(NoLibraries), Context(Context), SM(Context.getSourceManager()),
        SectionOfCall(SectionOfCall), UniqueIdent(UniqueIdent), Model(Model), Loops(Loops) {}

  bool TraverseDecl(Decl* D) override {
    const auto* F = dyn_cast_or_null<FunctionDecl>(D);
    if (F && F->isDependentContext())
      return true;
    const FunctionDecl* const Outer = F ? std::exchange(Inside, F) : Inside;
    const bool Done = AstVisitor::TraverseDecl(D);
    Inside = Outer;
    return Done;
  }

  bool VisitCompoundStmt(CompoundStmt* Block) override {
    if (Done.contains(Block))
      return true;
    Draft Now;
    const auto End = [&] {
      if (Now.Of.Steps.size() > 1)
        add(std::move(Now.Of));
      Now = {};
    };
    for (const Stmt* Part : Block->body()) {
      if (isa<ForStmt, WhileStmt>(Part)) {
        End();
        lookAt(Part);
        continue;
      }
      if (addStep(Part, nullptr, Now))
        continue;
      End();
      addStep(Part, nullptr, Now);
    }
    End();
    return true;
  }
  bool VisitStmt(Stmt* Loop) override {
    const SequenceObstacle Why{Loop, Uncounted};
    if (const auto* Do = dyn_cast<DoStmt>(Loop))
      leave(Loop, Do->getBody(), "do", Why);
    else if (const auto* Range = dyn_cast<CXXForRangeStmt>(Loop))
      leave(Loop, Range->getBody(), "for", Why);
    return true;
  }

private:
  void add(Sequence Found) {
    Found.At = locOf(Found.First);
    Found.Inside = Inside ? Inside->getNameAsString() : "";
    Found.Ident = UniqueIdent("sequence_of_" + identOf(Found.Inside));
    Loops.Sequences.push_back(std::move(Found));
  }
  SourceLoc locOf(const Stmt* S) const { return ikra::locOf(S->getBeginLoc(), SM); }

  /// Notes a loop that stays as it is written, if it has sections over objects.
  void leave(const Stmt* Loop, const Stmt* Body, const char* Keyword, const SequenceObstacle& For) {
    const auto* Block = dyn_cast<CompoundStmt>(Body);
    const auto IsStep = [&](const Stmt* Part) {
      const ikra::Section* Code = sectionOf(Part);
      return Code && Code->Op == ikra::Operation::PEach && Code->isOverObjects();
    };
    if (Block ? llvm::any_of(Block->body(), IsStep) : IsStep(Body))
      Loops.Unjoined.push_back({locOf(Loop), Keyword, For.Why, locOf(For.At).Line});
  }

  /// What a for or a while is made of.
  static CountedParts partsOf(const Stmt* Loop) {
    CountedParts Out;
    const auto SetBody = [&](const Stmt* Body) {
      Out.Block = dyn_cast<CompoundStmt>(Body);
      if (Out.Block)
        Out.Body.assign(Out.Block->body_begin(), Out.Block->body_end());
      else
        Out.Body = {Body};
    };
    if (const auto* For = dyn_cast<ForStmt>(Loop)) {
      Out.Keyword = "for";
      SetBody(For->getBody());
      const VarDecl* Variable = variableDeclared(For->getInit());
      Out.Begin = Variable ? Variable->getInit() : nullptr;
      const bool IsElsewhere = !For->getInit() && Out.Block;
      if ((IsElsewhere || (Out.Begin && variableOfTest(For->getCond()) == Variable)) &&
          !For->getConditionVariable()) {
        Out.Test = For->getCond();
        Out.Step = For->getInc();
      }
      return Out;
    }
    const auto* While = cast<WhileStmt>(Loop);
    Out.Keyword = "while";
    SetBody(While->getBody());
    const auto* Last = Out.Block && Out.Body.size() > 1 ? dyn_cast<Expr>(Out.Body.back()) : nullptr;
    if (!Last || While->getConditionVariable() || !isa<UnaryOperator, CompoundAssignOperator>(Last))
      return Out;
    Out.Test = While->getCond();
    Out.Step = Last;
    Out.Body.pop_back();
    return Out;
  }

  void lookAt(const Stmt* Loop) {
    Draft Found;
    SequenceObstacle Why;
    const CountedParts Parts = partsOf(Loop);
    const std::optional<LoopCounter> Counter = counterOf(Loop, Parts, Found, Why);
    if (Loop->getBeginLoc().isMacroID())
      return;
    const auto Fails = [&](const Stmt* Part) { return !addStep(Part, &*Counter, Found, &Why); };
    if (!Counter || llvm::any_of(Parts.Body, Fails)) {
      if (const auto* For = dyn_cast<ForStmt>(Loop))
        leave(Loop, For->getBody(), Parts.Keyword, Why);
      else
        leave(Loop, cast<WhileStmt>(Loop)->getBody(), Parts.Keyword, Why);
      return;
    }
    Sequence& Of = Found.Of;
    if (Of.Steps.empty())
      return;
    Of.IsLoop = true;
    Of.Begin = Counter->Begin;
    Of.End = Counter->End;
    Of.Count = Counter->Count;
    Of.IsDown = Counter->IsDown;
    Of.By = Counter->By;
    if (!Parts.Begin)
      Of.Rest = "while (" + textOf(Parts.Test) + ") " + textOf(Parts.Step) + ";";
    Of.First = Of.Last = Loop;
    if (Parts.Block)
      Done.insert(Parts.Block);
    add(std::move(Of));
  }

  static const VarDecl* variableOfTest(const Expr* Test) {
    const auto* Compared = dyn_cast_or_null<BinaryOperator>(Test);
    return Compared ? variableOf(Compared->getLHS()) : nullptr;
  }

  /// for (int t = 0; t < n; ++t), while (t < n) { … ++t; }, and their kin. \param Read gets what
  /// the bounds are made of
  std::optional<LoopCounter> counterOf(const Stmt* Loop, const CountedParts& Parts, Draft& Read,
                                       SequenceObstacle& Why) const {
    const VarDecl* Variable = variableOfTest(Parts.Test);
    Why = {Loop, Uncounted};
    if (!Variable || (!Parts.Begin && !Variable->hasLocalStorage()))
      return std::nullopt;
    if (!isCount(Variable->getType())) {
      Why.Why = "its variable is no integer";
      return std::nullopt;
    }
    const auto* Test = cast<BinaryOperator>(Parts.Test);
    const std::int64_t Step = stepOf(Parts.Step, Variable);
    LoopCounter Out{
        Variable, "", "", countOf(Test->getOpcode(), Step > 0), Step < 0, Step < 0 ? -Step : Step};
    // With a step, a variable may pass what it is to be unequal to.
    if (Step == 0 || *Out.Count == 0 || (Out.By != 1 && Test->getOpcode() == BO_NE)) {
      Why.Why = Uneven;
      return std::nullopt;
    }
    const Expr* const Begin = Parts.Begin ? Parts.Begin : Test->getLHS();
    for (const Expr* Bound : {Begin, static_cast<const Expr*>(Test->getRHS())})
      if (!isFixedNumber(Bound, Read) || (Bound != Test->getLHS() && names(Bound, Variable))) {
        Why = {Bound,
               "'" + textOf(Bound) + "' may change in the loop, or is more than a sum of numbers"};
        if (!isCount(Bound->IgnoreParenImpCasts()->getType()))
          Why.Why = "'" + textOf(Bound) + "' is no integer";
        else if (!Bound->HasSideEffects(Context, /*IncludePossibleEffects=*/false))
          Why.Why += ": write 'const auto n = " + textOf(Bound) + ";' before";
        return std::nullopt;
      }
    Out.Begin = converted(Variable->getType().getCanonicalType().getUnqualifiedType(), Begin);
    Out.End = converted(Test->getRHS()->IgnoreParenImpCasts()->getType(), Test->getRHS());
    return Out;
  }
  static constexpr auto Uncounted = "it counts no variable";
  static constexpr auto Uneven =
      "turns are counted neither by ++, or += and a constant, up to a bound, nor down to one";
  /// What a turn adds to the loop's variable; 0 where that is no constant, or too large.
  std::int64_t stepOf(const Expr* Increment, const VarDecl* Variable) const {
    if (const auto* One = dyn_cast_or_null<UnaryOperator>(Increment))
      return variableOf(One->getSubExpr()) != Variable ? 0
             : One->isIncrementOp()                    ? 1
             : One->isDecrementOp()                    ? -1
                                                       : 0;
    const auto* By = dyn_cast_or_null<CompoundAssignOperator>(Increment);
    if (!By || variableOf(By->getLHS()) != Variable || By->getRHS()->isValueDependent() ||
        (By->getOpcode() != BO_AddAssign && By->getOpcode() != BO_SubAssign))
      return 0;
    constexpr std::int64_t Most = std::numeric_limits<std::int32_t>::max();
    const auto Step = isCount(By->getRHS()->IgnoreParenImpCasts()->getType())
                          ? constantInteger(By->getRHS(), Context)
                          : std::nullopt;
    if (!Step || Step->getSignificantBits() > 32 || Step->getExtValue() < 1 ||
        Step->getExtValue() > Most)
      return 0;
    return By->getOpcode() == BO_AddAssign ? Step->getExtValue() : -Step->getExtValue();
  }
  static const char* countOf(BinaryOperatorKind Test, bool Up) {
    switch (Test) {
    case BO_LT:
      return Up ? "turns_between" : "";
    case BO_LE:
      return Up ? "turns_through" : "";
    case BO_NE:
      return Up ? "turns_until" : "";
    case BO_GT:
      return Up ? "" : "turns_down_to";
    case BO_GE:
      return Up ? "" : "turns_down_through";
    default:
      return "";
    }
  }
  std::string converted(QualType Ty, const Expr* E) const {
    return "static_cast<" + hostSpelling(Ty.getCanonicalType().getUnqualifiedType(), Context) +
           ">(" + textOf(E) + ")";
  }
  std::string textOf(const Expr* E) const {
    return Lexer::getSourceText(CharSourceRange::getTokenRange(E->getSourceRange()), SM,
                                Context.getLangOpts())
        .str();
  }

  static const VarDecl* variableOf(const Expr* E) {
    return variableNamed(E->IgnoreParenImpCasts());
  }
  static bool isCount(QualType Ty) {
    const auto* Number = Ty->getAs<BuiltinType>();
    const bool IsByte = Number && (Number->getKind() == BuiltinType::UChar ||
                                   Number->getKind() == BuiltinType::SChar);
    return Ty->isIntegerType() && !Ty->isBooleanType() && (IsByte || !Ty->isAnyCharacterType()) &&
           !Ty->isEnumeralType() && !Ty.isVolatileQualified();
  }
  bool isFixedNumber(const Expr* E, Draft& Read) const {
    return isCount(E->IgnoreParenImpCasts()->getType()) && isFixedValue(E, Read);
  }
  /// A number that sections can only change by the fields that \p Read gets.
  bool isFixedValue(const Expr* E, Draft& Read) const {
    E = E->IgnoreParenImpCasts();
    const QualType Ty = E->getType();
    if (E->getBeginLoc().isMacroID() || E->getEndLoc().isMacroID() || !Ty->isArithmeticType() ||
        Ty.isVolatileQualified())
      return false;
    if (isa<IntegerLiteral, FloatingLiteral, CXXBoolLiteralExpr>(E))
      return true;
    if (const auto* Of = dyn_cast<UnaryOperator>(E))
      return (Of->getOpcode() == UO_Minus || Of->getOpcode() == UO_Plus) &&
             isFixedValue(Of->getSubExpr(), Read);
    if (const auto* Of = dyn_cast<BinaryOperator>(E))
      return (Of->isAdditiveOp() || Of->isMultiplicativeOp()) && isFixedValue(Of->getLHS(), Read) &&
             isFixedValue(Of->getRHS(), Read);
    if (const auto* Cast = dyn_cast<ExplicitCastExpr>(E))
      return isFixedValue(Cast->getSubExpr(), Read);
    if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E)) { // no section makes a container grow
      const Expr* Of = Call->getImplicitObjectArgument();
      return Call->getMethodDecl()->getNameAsString() == "size" && isPlace(Of) &&
             (isStdClass(Of->getType(), "vector") || rankOfArray(Of->getType()) != 0);
    }
    if (const auto* Member = dyn_cast<MemberExpr>(E)) {
      if (!isPlace(Member))
        return false;
      for (const Expr* Of = Member;;) {
        const auto* Inner = dyn_cast<MemberExpr>(Of->IgnoreParenImpCasts());
        if (!Inner)
          return true;
        Read.Read.push_back(cast<FieldDecl>(Inner->getMemberDecl()));
        Of = Inner->getBase();
      }
    }
    const VarDecl* V = variableOf(E);
    return V && !V->getType()->isReferenceType() && !V->getType().isVolatileQualified() &&
           (V->hasLocalStorage() || V->getType().isConstQualified());
  }

  const ikra::Section* sectionOf(const Stmt* S) const {
    const auto* E = dyn_cast<Expr>(S);
    const auto* Call = E ? dyn_cast<CXXMemberCallExpr>(E->IgnoreImplicit()) : nullptr;
    const auto Known = Call ? SectionOfCall.find(Call) : SectionOfCall.end();
    return Known == SectionOfCall.end() ? nullptr : &Model.Sections[Known->second];
  }

  /// Appends a peach. \param Counter of the loop around it, or null.
  /// \param Found gets why it is none \returns false, and To is as before, if it is none
  bool addStep(const Stmt* S, const LoopCounter* Counter, Draft& To,
               SequenceObstacle* Found = nullptr) {
    const auto No = [&](const Stmt* At, const std::string& Why) {
      if (Found)
        *Found = {At, Why};
      return false;
    };
    const ikra::Section* const Its = sectionOf(S);
    if (!Its || S->getBeginLoc().isMacroID() || S->getEndLoc().isMacroID())
      return No(S, "this is no peach over objects");
    const ikra::Section& Code = *Its;
    const auto* Call = cast<CXXMemberCallExpr>(cast<Expr>(S)->IgnoreImplicit());
    const Expr* Array = Call->getImplicitObjectArgument()->IgnoreImplicit();
    SequenceStep Step{static_cast<Index>(Its - Model.Sections.data()), 0, "", {}};
    if (const std::string Why = refusalOf(Code); !Why.empty())
      return No(S, Why);
    const std::string Text = textOf(Array);
    if (!isFixedArray(Array) || Text.find_first_of("\n/") != std::string::npos || // comments
        (Counter && names(Array, Counter->Variable)))
      return No(S, "its array is no variable, nor made of one by ikra::array{…} or "
                   "ikra::objects(…)");
    if (Call->getNumArgs() == 0 || Call->getNumArgs() > 2 ||
        Code.Site.Argument->getBeginLoc().isMacroID())
      return No(S, "a macro makes it");
    Draft Next = To;
    if (Call->getNumArgs() == 2) {
      const Expr* Ticks = Call->getArg(0)->IgnoreImplicit();
      if (Code.Access.Ticks == TickLoop::LaunchPerTick)
        return No(Ticks, "each of its ticks sees what other elements wrote in the one before");
      if (!isFixedNumber(Ticks, Next) || (Counter && names(Ticks, Counter->Variable)))
        return No(Ticks, "'" + textOf(Ticks) + "' may change: write it to a constant before");
      Step.Ticks = textOf(Ticks);
    }
    for (std::size_t K = 0; K < Code.Code.Captures.size(); ++K) {
      const Capture& Each = Code.Code.Captures[K];
      if (Counter && Each.Decl == Counter->Variable && Each.Kind == CaptureKind::Value)
        Step.Turns.push_back(K);
      else if (!isFixedCapture(Each, Counter, Next))
        return No(S, "'" + Each.Name + "' is captured, and may change before each section");
    }
    const Index Class = *Code.element().Class;
    const auto Known = llvm::find_if(Next.Of.Arrays, [&](const SequenceArray& Of) {
      return Of.Text == Text && Of.Class == Class;
    });
    Step.Array = static_cast<std::size_t>(Known - Next.Of.Arrays.begin());
    if (Known == Next.Of.Arrays.end())
      Next.Of.Arrays.push_back({Text, Class});
    const MemberUse& Use = Model.Functions[Code.Code.Function].Total;
    for (const Index M : Use.written())
      Next.Written.insert(M);
    if (const std::optional<Index> M = changed(Next))
      return No(S, "sections write '" + Model.Members[*M].Name +
                       "', which the loop or a capture may read");
    if (Next.Of.Steps.empty())
      Next.Of.First = S;
    Next.Of.Last = S;
    Next.Of.Steps.push_back(std::move(Step));
    To = std::move(Next);
    return true;
  }

  /// A member that sections write, and that may be what the host reads for them or holds a
  /// container that they have.
  std::optional<Index> changed(const Draft& Of) const {
    for (const Index M : Of.Written) {
      const ikra::Member& Its = Model.Members[M];
      if (Of.SeesLists && Its.Ty.Kind == TypeKind::ValueList && !Its.Fixed)
        return M;
      if (!Of.Read.empty() && (!Its.Decl || innermost(Its.Decl->getType())->isRecordType() ||
                               llvm::is_contained(Of.Read, Its.Decl->getCanonicalDecl())))
        return M;
    }
    return std::nullopt;
  }

  /// Why a section may be no part of sequences; empty if it may.
  std::string refusalOf(const ikra::Section& Code) const {
    if (Code.Op != ikra::Operation::PEach || !Code.isOverObjects() || Code.Rank != 1)
      return "this is no peach over objects";
    if (Code.WithIndex)
      return "it takes an index";
    if (Code.mayFail())
      return "it may fail: it tests for null, or calls at() or assert";
    if (Code.Site.Instance)
      return "it stands in a template";
    if (Code.Site.CapturesOnce || Code.Site.From != CapturesFrom::Names ||
        Code.Site.Written != Rewriting::Argument ||
        !(Code.Site.Lambda || Code.Code.Captures.empty()) ||
        Code.Site.CaptureTexts.size() != Code.Code.Captures.size())
      return "its function is neither a lambda written there, nor a method or function";
    // Other containers may have their elements from there.
    const auto& Written = Model.Functions[Code.Code.Function].Total.written();
    const auto Lists = llvm::find_if(
        Written, [&](Index M) { return Model.Members[M].Ty.Kind == TypeKind::ObjectList; });
    return Lists == Written.end()
               ? ""
               : "it writes pointers of the container '" + Model.Members[*Lists].Name + "'";
  }

  /// A variable, or an array made of one, or of a member of what the function is called on.
  bool isFixedArray(const Expr* E) const {
    E = E->IgnoreImplicit();
    if (const auto* Cast = dyn_cast<CXXFunctionalCastExpr>(E))
      E = Cast->getSubExpr()->IgnoreImplicit();
    if (const auto* Made = dyn_cast<CXXConstructExpr>(E)) {
      if (Made->getNumArgs() == 0)
        return false;
      for (unsigned K = 1; K < Made->getNumArgs(); ++K)
        if (!isa<CXXDefaultArgExpr>(Made->getArg(K)))
          return false;
      return rankOfArray(Made->getType()) == 1 && isPlace(Made->getArg(0));
    }
    if (const auto* Call = dyn_cast<CallExpr>(E);
        Call && !isa<CXXMemberCallExpr, CXXOperatorCallExpr>(Call))
      return isNamedInIkra(Call->getDirectCallee(), {"objects"}) && Call->getNumArgs() == 1 &&
             isPlace(Call->getArg(0));
    return rankOfArray(E->getType()) == 1 && isPlace(E);
  }
  static bool isPlace(const Expr* E) {
    E = E->IgnoreImplicit()->IgnoreParenImpCasts();
    if (const auto* Copy = dyn_cast<CXXConstructExpr>(E); // ikra::array of a vector of pointers
        Copy && Copy->getConstructor()->isCopyConstructor() && Copy->getNumArgs() == 1)
      E = Copy->getArg(0)->IgnoreParenImpCasts();
    if (const auto* Member = dyn_cast<MemberExpr>(E))
      return isa<FieldDecl>(Member->getMemberDecl()) && !Member->isArrow()
                 ? isPlace(Member->getBase())
                 : isa<FieldDecl>(Member->getMemberDecl()) &&
                       isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts());
    return variableOf(E) != nullptr;
  }
  static bool names(const Stmt* S, const VarDecl* V) {
    return anyPart(S, [&](const Stmt* Part) { return declNamed(Part) == V; });
  }

  /// Whether a capture is the same before each section of a sequence.
  bool isFixedCapture(const Capture& Of, const LoopCounter* Counter, Draft& Read) const {
    if (Of.IsOfLambda || !Of.Ty.Held.empty() || Of.Ty.ArrayRank != 0)
      return false; // an array may not be computed yet, and then it reads what sections write
    if (!Of.Decl)
      return Of.HostText == "this";
    const auto* V = dyn_cast<VarDecl>(Of.Decl);
    if (!V || V->getType().isVolatileQualified())
      return false;
    if (V->isInitCapture()) // [h = h]
      return Of.Kind == CaptureKind::Value && V->getType()->isArithmeticType() && V->getInit() &&
             isFixedValue(V->getInit(), Read) &&
             !(Counter && names(V->getInit(), Counter->Variable));
    const QualType Ty = V->getType();
    const QualType Value = Ty.getNonReferenceType();
    if (Of.Ty.CopyOf) // copies of objects that the sections may change
      return Ty.isConstQualified() && V->hasLocalStorage();
    switch (Of.Kind) {
    case CaptureKind::Value:
    case CaptureKind::InMemory:
      // A value of a class may be an object's member, and an object itself.
      return !Ty->isReferenceType() && V->hasLocalStorage() &&
             !isObjectClass(Value->getAsCXXRecordDecl(), Model.Roles);
    case CaptureKind::Object:
      return !Ty->isReferenceType() || !isReferenceToPointer(Ty);
    case CaptureKind::View:
      Read.SeesLists |= Ty->isReferenceType();
      [[fallthrough]];
    case CaptureKind::ObjectView:
      return !isStdClass(Value, "span") && !Value->isArrayType() && !isStdClass(Value, "array");
    }
    return false;
  }

  ASTContext& Context;
  const SourceManager& SM;
  const llvm::DenseMap<const Expr*, Index>& SectionOfCall;
  llvm::function_ref<std::string(const std::string&)> UniqueIdent;
  const ProgramModel& Model;
  HostLoops& Loops;
  const FunctionDecl* Inside = nullptr;
  std::set<const Stmt*> Done; ///< bodies of loops that are sequences
};

} // namespace

void findSequences(ASTContext& Context, const llvm::DenseMap<const Expr*, Index>& SectionOfCall,
                   llvm::function_ref<std::string(const std::string&)> UniqueIdent,
                   const ProgramModel& Model, HostLoops& Loops) {
  SequenceFinder(Context, SectionOfCall, UniqueIdent, Model, Loops)
      .TraverseDecl(Context.getTranslationUnitDecl());
  llvm::stable_sort(Loops.Unjoined, [](const UnjoinedLoop& A, const UnjoinedLoop& B) {
    return std::pair(A.At.File, A.At.Line) < std::pair(B.At.File, B.At.Line);
  });
}

} // namespace ikra
