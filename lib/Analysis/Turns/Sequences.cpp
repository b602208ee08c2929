// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sequence evaluates its array, ticks, bounds and captures once, before the first section. So
// they have to be names of variables that sections cannot change: the device writes to members of
// objects, and a variable may be another name of one only if it is a reference.

#include "Sequences.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <set>
#include <utility>

using namespace clang;

namespace ikra {

namespace {

/// The variable of a counted loop.
struct LoopCounter {
  const VarDecl* Variable = nullptr;
  std::string Begin, End; ///< host text
};

class SequenceFinder : public AstVisitor {
public:
  SequenceFinder(ASTContext& Context, const llvm::DenseMap<const Expr*, Index>& SectionOfCall,
                 llvm::function_ref<std::string(const std::string&)> UniqueIdent,
                 const ProgramModel& Model, HostLoops& Loops)
      : Context(Context), SM(Context.getSourceManager()), SectionOfCall(SectionOfCall),
        UniqueIdent(UniqueIdent), Model(Model), Loops(Loops) {}

  bool TraverseDecl(Decl* D) override {
    if (D && isOfLibrary(D, SM))
      return true;
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
    Sequence Now;
    const auto End = [&] {
      if (Now.Steps.size() > 1)
        add(std::move(Now));
      Now = {};
    };
    for (const Stmt* Part : Block->body()) {
      if (const auto* Loop = dyn_cast<ForStmt>(Part)) {
        End();
        lookAt(Loop);
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

private:
  void add(Sequence Found) {
    const PresumedLoc At = SM.getPresumedLoc(Found.First->getBeginLoc());
    Found.At = {At.getFilename(), At.getLine(), At.getColumn()};
    Found.Inside = Inside ? Inside->getNameAsString() : "";
    Found.Ident = UniqueIdent("sequence_of_" + identOf(Found.Inside));
    Loops.Sequences.push_back(std::move(Found));
  }

  void lookAt(const ForStmt* Loop) {
    const std::optional<LoopCounter> Counter = counterOf(Loop);
    if (!Counter || Loop->getBeginLoc().isMacroID())
      return;
    Sequence Found;
    const auto* Block = dyn_cast<CompoundStmt>(Loop->getBody());
    if (Block ? llvm::any_of(Block->body(),
                             [&](const Stmt* Part) { return !addStep(Part, &*Counter, Found); })
              : !addStep(Loop->getBody(), &*Counter, Found))
      return;
    if (Found.Steps.empty())
      return;
    Found.IsLoop = true;
    Found.Begin = Counter->Begin;
    Found.End = Counter->End;
    Found.First = Found.Last = Loop;
    if (Block)
      Done.insert(Block);
    add(std::move(Found));
  }

  /// for (int t = 0; t < n; ++t)
  std::optional<LoopCounter> counterOf(const ForStmt* Loop) const {
    const auto* Init = dyn_cast_or_null<DeclStmt>(Loop->getInit());
    const auto* Variable =
        Init && Init->isSingleDecl() ? dyn_cast<VarDecl>(Init->getSingleDecl()) : nullptr;
    if (!Variable || !Variable->getInit() || !isCount(Variable->getType()) ||
        Loop->getConditionVariable())
      return std::nullopt;
    const auto* Test = dyn_cast_or_null<BinaryOperator>(Loop->getCond());
    const auto* Step = dyn_cast_or_null<UnaryOperator>(Loop->getInc());
    if (!Test || Test->getOpcode() != BO_LT || variableOf(Test->getLHS()) != Variable || !Step ||
        !Step->isIncrementOp() || variableOf(Step->getSubExpr()) != Variable)
      return std::nullopt;
    const QualType Compared = Test->getLHS()->getType().getCanonicalType().getUnqualifiedType();
    const QualType Own = Variable->getType().getCanonicalType().getUnqualifiedType();
    if (!isFixedNumber(Variable->getInit()) || !isFixedNumber(Test->getRHS()) ||
        variableOf(Test->getRHS()) == Variable || !isOfType(Test->getRHS(), Own) || Compared != Own)
      return std::nullopt;
    return LoopCounter{Variable, converted(Own, Variable->getInit()),
                       converted(Own, Test->getRHS())};
  }
  /// A number that is \p Ty already, or a literal that fits.
  bool isOfType(const Expr* E, QualType Ty) const {
    E = E->IgnoreParenImpCasts();
    return isa<IntegerLiteral>(E) || E->getType().getCanonicalType().getUnqualifiedType() == Ty;
  }
  std::string converted(QualType Ty, const Expr* E) const {
    return "static_cast<" + hostSpelling(Ty, Context) + ">(" + textOf(E) + ")";
  }
  std::string textOf(const Expr* E) const {
    return Lexer::getSourceText(CharSourceRange::getTokenRange(E->getSourceRange()), SM,
                                Context.getLangOpts())
        .str();
  }

  static const VarDecl* variableOf(const Expr* E) {
    const auto* Name = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
  }
  static bool isCount(QualType Ty) {
    return Ty->isIntegerType() && !Ty->isBooleanType() && !Ty->isAnyCharacterType() &&
           !Ty->isEnumeralType() && !Ty.isVolatileQualified();
  }
  /// A number that no section can change.
  bool isFixedNumber(const Expr* E) const {
    if (E->getBeginLoc().isMacroID() || E->getEndLoc().isMacroID())
      return false;
    const VarDecl* V = variableOf(E);
    return isa<IntegerLiteral>(E->IgnoreParenImpCasts()) ||
           (V && isCount(V->getType()) &&
            (V->hasLocalStorage() || V->getType().isConstQualified()));
  }

  /// Appends a peach of the sequence's array. \param Counter of the loop around it, or null.
  /// \returns false if it is none
  bool addStep(const Stmt* S, const LoopCounter* Counter, Sequence& To) {
    const auto* E = dyn_cast<Expr>(S);
    const auto* Call = E ? dyn_cast<CXXMemberCallExpr>(E->IgnoreImplicit()) : nullptr;
    const auto Known = Call ? SectionOfCall.find(Call) : SectionOfCall.end();
    if (Known == SectionOfCall.end() || S->getBeginLoc().isMacroID() || S->getEndLoc().isMacroID())
      return false;
    const ikra::Section& Code = Model.Sections[Known->second];
    const Expr* Array = Call->getImplicitObjectArgument()->IgnoreImplicit();
    SequenceStep Step{Known->second, "", {}};
    if (!mayStand(Code) || !isFixedArray(Array) || Call->getNumArgs() == 0 ||
        Call->getNumArgs() > 2 || Code.Site.Argument->getBeginLoc().isMacroID())
      return false;
    if (Call->getNumArgs() == 2) {
      const Expr* Ticks = Call->getArg(0)->IgnoreImplicit();
      if (Code.Access.Ticks == TickLoop::LaunchPerTick || !isFixedNumber(Ticks) ||
          (Counter && variableOf(Ticks) == Counter->Variable))
        return false;
      Step.Ticks = textOf(Ticks);
    }
    for (std::size_t K = 0; K < Code.Code.Captures.size(); ++K) {
      const Capture& Each = Code.Code.Captures[K];
      if (Counter && Each.Decl == Counter->Variable && Each.Kind == CaptureKind::Value)
        Step.Turns.push_back(K);
      else if (!isFixedCapture(Each))
        return false;
    }
    const std::string Text = textOf(Array);
    if (Text.find_first_of("\n/") != std::string::npos || // lines, and comments
        (Counter && names(Array, Counter->Variable)))
      return false;
    if (To.Steps.empty()) {
      To.First = S;
      To.Array = Text;
    } else if (Text != To.Array || Code.element().Class != elementOf(To).Class) {
      return false;
    }
    To.Last = S;
    To.Steps.push_back(std::move(Step));
    return true;
  }
  const Type& elementOf(const Sequence& Of) const {
    return Model.Sections[Of.Steps.front().Section].element();
  }

  /// Whether a section may be part of sequences.
  bool mayStand(const ikra::Section& Code) const {
    if (Code.Op != ikra::Operation::PEach || !Code.isOverObjects() || Code.WithIndex ||
        Code.Rank != 1 || Code.mayFail() || Code.Site.Instance || Code.Site.CapturesOnce ||
        Code.Site.From != CapturesFrom::Names || Code.Site.Written != Rewriting::Argument ||
        !Code.Site.Lambda || Code.Site.CaptureTexts.size() != Code.Code.Captures.size())
      return false;
    // Writes to containers may reach others that have their elements from there.
    const Function& F = Model.Functions[Code.Code.Function];
    return llvm::none_of(F.Total.written(), [&](Index M) {
      return Model.Members[M].Ty.Kind == TypeKind::ObjectList ||
             (Model.Members[M].Ty.Kind == TypeKind::ValueList && !Model.Members[M].Fixed);
    });
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
      return Call->getDirectCallee() && isInIkra(Call->getDirectCallee()) &&
             Call->getDirectCallee()->getNameAsString() == "objects" && Call->getNumArgs() == 1 &&
             isPlace(Call->getArg(0));
    return rankOfArray(E->getType()) == 1 && isPlace(E);
  }
  static bool isPlace(const Expr* E) {
    E = E->IgnoreParenImpCasts();
    if (const auto* Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
      E = Temporary->getSubExpr()->IgnoreParenImpCasts();
    if (const auto* Member = dyn_cast<MemberExpr>(E))
      return isa<FieldDecl>(Member->getMemberDecl()) && !Member->isArrow()
                 ? isPlace(Member->getBase())
                 : isa<FieldDecl>(Member->getMemberDecl()) &&
                       isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts());
    return variableOf(E) != nullptr;
  }
  static bool names(const Stmt* S, const VarDecl* V) {
    const auto* Name = dyn_cast<DeclRefExpr>(S);
    return (Name && Name->getDecl() == V) ||
           llvm::any_of(S->children(), [&](const Stmt* Child) { return Child && names(Child, V); });
  }

  /// Whether a capture is the same before each section of a sequence.
  bool isFixedCapture(const Capture& Of) const {
    if (Of.IsOfLambda || !Of.Ty.Held.empty() || Of.Ty.ArrayRank != 0)
      return false; // an array may not be computed yet, and then it reads what sections write
    if (!Of.Decl)
      return Of.HostText == "this";
    const auto* V = dyn_cast<VarDecl>(Of.Decl);
    if (!V || V->isInitCapture() || V->getType().isVolatileQualified())
      return false;
    const QualType Ty = V->getType();
    const QualType Value = Ty.getNonReferenceType();
    switch (Of.Kind) {
    case CaptureKind::Value:
    case CaptureKind::InMemory:
      // A value of a class may be an object's member, and an object itself.
      return !Ty->isReferenceType() && V->hasLocalStorage() &&
             !isObjectClass(Value->getAsCXXRecordDecl(), Model.Roles);
    case CaptureKind::Object:
      return !Ty->isReferenceType() || !isReferenceToPointer(Ty);
    case CaptureKind::View:
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
}

} // namespace ikra
