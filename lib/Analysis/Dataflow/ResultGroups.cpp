// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable is a candidate if every use of it reads its elements here and now, or makes another
// candidate of it: then no other thread holds its array, and no command that does not stand in its
// block. A group ends where one of its arrays is read.

#include "ResultGroups.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/CompilerFunctions.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"
#include "Places.h"
#include "Readers.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ExprConcepts.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetOperations.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <set>

using namespace clang;

namespace ikra {

namespace {

const VarDecl* variableOf(const DeclRefExpr* Name) {
  return Name ? cast<VarDecl>(Name->getDecl()) : nullptr;
}
const VarDecl* variableOf(const Expr* E) { return variableOf(nameIn(E)); }

/// Collects, for a whole translation unit, how array variables are used, and the blocks.
class UseCollector final : public AstVisitor {
public:
  UseCollector() : AstVisitor(Instantiations | LambdaInstances | NoLibraries) {}

  std::vector<const CompoundStmt*> Blocks;

  using Names = std::set<const DeclRefExpr*>;

  /// Whether all uses of \p V read it where it stands, but for those in \p Others.
  bool isOnlyRead(const VarDecl* V, const Names& Others) const {
    const auto It = Otherwise.find(V);
    return !Captured.contains(V) &&
           (It == Otherwise.end() || llvm::set_is_subset(It->second, Others));
  }

  bool TraverseLambdaExpr(LambdaExpr* Lambda) override {
    for (const LambdaCapture& Capture : Lambda->captures())
      if (Capture.capturesVariable())
        Captured.insert(Capture.getCapturedVar());
    return AstVisitor::TraverseLambdaExpr(Lambda);
  }
  bool VisitCompoundStmt(CompoundStmt* Block) override {
    Blocks.push_back(Block);
    return true;
  }
  bool VisitExpr(Expr* E) override {
    if (const auto& [Array, How] = readBy(E); How != ArrayAccess::None)
      noteRead(Array);
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt* Loop) override {
    noteRead(Loop->getRangeInit());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* Name) override {
    if (const auto* V = dyn_cast<VarDecl>(Name->getDecl()); V && !Reads.contains(Name))
      Otherwise[V].insert(Name);
    return true;
  }

private:
  /// Expressions are visited before what they consist of.
  void noteRead(const Expr* Array) {
    if (variableOf(Array))
      Reads.insert(cast<DeclRefExpr>(written(Array)));
  }

  Names Reads;
  std::map<const VarDecl*, Names> Otherwise;
  std::set<const Decl*> Captured;
};

/// The arrays whose elements are read whenever a statement runs, and whether it may leave the block
/// or not end as written.
class StatementReader {
public:
  explicit StatementReader(const Stmt* S) {
    visit(S);
    MayLeave = leaves(S);
  }

  std::set<const VarDecl*> Always;
  bool MayLeave = false;

private:
  void visit(const Stmt* S) {
    if (!S || isa<LambdaExpr, UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, CXXTypeidExpr,
                  GenericSelectionExpr, RequiresExpr>(S))
      return;
    if (const auto* E = dyn_cast<Expr>(S))
      if (const auto& [Array, How] = readBy(E); How == ArrayAccess::Computes)
        if (const VarDecl* V = variableOf(Array))
          Always.insert(V);
    if (const auto* Operator = dyn_cast<BinaryOperator>(S); Operator && Operator->isLogicalOp())
      return visit(Operator->getLHS());
    if (const auto* Choice = dyn_cast<AbstractConditionalOperator>(S))
      return visit(Choice->getCond());
    if (const auto* If = dyn_cast<IfStmt>(S)) {
      visit(If->getInit());
      visit(If->getConditionVariableDeclStmt());
      return visit(If->getCond());
    }
    if (const auto* Loop = dyn_cast<CXXForRangeStmt>(S)) {
      visit(Loop->getInit());
      if (const VarDecl* V = variableOf(Loop->getRangeInit()))
        Always.insert(V); // begin() is called in any case
      return visit(Loop->getRangeInit());
    }
    if (const auto* Loop = dyn_cast<ForStmt>(S)) {
      visit(Loop->getInit());
      return visit(Loop->getCond());
    }
    if (const auto* Loop = dyn_cast<WhileStmt>(S))
      return visit(Loop->getCond());
    if (isa<Expr, DeclStmt, ReturnStmt, CompoundStmt>(S))
      for (const Stmt* Child : S->children()) {
        visit(Child);
        if (Child && leaves(Child)) // what follows may not run
          return;
      }
  }

  static bool leaves(const Stmt* S) {
    if (!S || isa<LambdaExpr>(S))
      return false;
    if (isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt, LabelStmt,
            CXXThrowExpr, CoroutineBodyStmt, CoroutineSuspendExpr, CoreturnStmt, GCCAsmStmt,
            CXXTryStmt>(S))
      return true;
    if (const auto* Call = dyn_cast<CallExpr>(S))
      if (const FunctionDecl* Callee = Call->getDirectCallee(); Callee && Callee->isNoReturn())
        return true;
    return llvm::any_of(S->children(), leaves);
  }
};

/// Looks for operations that misbehave for some values, and for loops that may not end.
class RiskFinder final : public AstVisitor {
public:
  explicit RiskFinder(const ASTContext& Context) : Context(Context) {}
  std::optional<Risk> Found;
  /// The section's own position, and where captured arrays are noted that are read there; may be
  /// null. \{
  const ParmVarDecl* Position = nullptr;
  std::vector<ReadInPlace>* InPlace = nullptr;
  /// \}

  bool VisitStmt(Stmt* S) override {
    const auto* For = dyn_cast<ForStmt>(S);
    const std::optional<std::int64_t> Most = For ? counted(*For) : std::nullopt;
    if (Most)
      Counters[cast<DeclStmt>(For->getInit())->getSingleDecl()] = *Most;
    const auto* Range = dyn_cast<CXXForRangeStmt>(S);
    if (isa<WhileStmt, DoStmt, GotoStmt>(S) || (For && !Most) || (Range && !hasFixedRange(*Range)))
      note(S, "has a loop whose number of turns is no constant");
    if (const auto* Subscript = dyn_cast<ArraySubscriptExpr>(S);
        Subscript &&
        !isInside(Subscript->getBase()->IgnoreParenImpCasts()->getType(), Subscript->getIdx()) &&
        !coversPositions(Subscript->getBase()->IgnoreParenImpCasts()->getType(),
                         Subscript->getIdx()))
      note(S, "reads an element of an array, which may not be there");
    return !Found;
  }
  bool VisitBinaryOperator(BinaryOperator* Operator) override {
    const BinaryOperatorKind Op =
        Operator->isCompoundAssignmentOp()
            ? BinaryOperator::getOpForCompoundAssignment(Operator->getOpcode())
            : Operator->getOpcode();
    if ((Op == BO_Div || Op == BO_Rem) && Operator->getType()->isIntegerType()) {
      // -1 overflows for the least number.
      const Expr* Divisor = Operator->getRHS();
      const auto By =
          Divisor->isValueDependent() ? std::nullopt : constantInteger(Divisor, Context);
      if (!By || By->isZero() || (By->isSigned() && By->isAllOnes()))
        note(Operator, "divides by an integer that is no constant");
    }
    return !Found;
  }
  bool VisitUnaryOperator(UnaryOperator* Operator) override {
    if (Operator->getOpcode() == UO_Deref &&
        !isa<CXXThisExpr>(Operator->getSubExpr()->IgnoreParenImpCasts()))
      note(Operator, "dereferences a pointer");
    return !Found;
  }
  /// assert() may stop the program, and what is called unreachable may be reached unasked.
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (isa_and_nonnull<CXXMethodDecl>(Callee) && isNamedInStd(Callee, {"front", "back"}))
      note(Call, "reads an end of a container, which may be empty");
    if (Callee &&
        (isAssertion(Callee) || Callee->getBuiltinID() == Builtin::BI__builtin_unreachable))
      note(Call, "may stop the program");
    return !Found;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* Call) override {
    const OverloadedOperatorKind Op = Call->getOperator();
    // Devices read at the nearest offset of the neighbourhood.
    if (isWindow(Call->getArg(0)->getType()) && Call->getNumArgs() > 1)
      return true;
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (Callee && !isInStd(Callee) && !isInIkra(Callee)) // its body is looked at by itself
      return true;
    const QualType Object = Call->getArg(0)->getType();
    if (((Op == OO_Subscript && !isIndex(Object) && !isInside(Object, Call->getArg(1)) &&
          !coversPositions(Object, Call->getArg(1))) ||
         (Op == OO_Call && rankOfArray(Object) != 0)) &&
        !isInPlace(*Call))
      note(Call, OutsidePlace);
    if (Op == OO_Arrow || (Op == OO_Star && Call->getNumArgs() == 1))
      note(Call, "dereferences an iterator");
    if (!isComplex(Call->getType()) && (Op == OO_Slash || Op == OO_Percent))
      note(Call, "divides by an integer that is no constant");
    return !Found;
  }

  /// Whether \p S takes a variable's value wherever it names it; of an ikra::index, that of a
  /// number, or what array an element is of.
  static bool isOnlyRead(const Stmt* S, const VarDecl& V) {
    if (!S)
      return true;
    const auto Names = [&](const Expr* E) { return declNamed(E->IgnoreParenImpCasts()) == &V; };
    const auto* Cast = dyn_cast<ImplicitCastExpr>(S);
    const bool TakesValue = Cast && Cast->getCastKind() == CK_LValueToRValue;
    const Expr* Of = TakesValue ? Cast->getSubExpr()->IgnoreParens() : dyn_cast<Expr>(S);
    if (TakesValue && isa<DeclRefExpr>(Of))
      return true;
    if (const auto* Element = dyn_cast_or_null<CXXOperatorCallExpr>(Of);
        Element && Element->getOperator() == OO_Subscript) {
      if (isIndex(Element->getArg(0)->getType()) && Names(Element->getArg(0)) &&
          (TakesValue || !Element->isLValue())) // that of a constant is a value
        return isOnlyRead(Element->getArg(1), V);
      if (rankOfArray(Element->getArg(0)->getType()) != 0 && Names(Element->getArg(1)))
        return isOnlyRead(Element->getArg(0), V);
    }
    if (isNamedInStd(calleeOf(S), {"min", "max", "clamp"})) // of const references
      return llvm::all_of(cast<CallExpr>(S)->arguments(),
                          [&](const Expr* Given) { return Names(Given) || isOnlyRead(Given, V); });
    return declNamed(S) != &V &&
           llvm::all_of(S->children(), [&](const Stmt* Part) { return isOnlyRead(Part, V); });
  }

private:
  void note(const Stmt* At, const char* Why) {
    if (!Found)
      Found = Risk{Why, At->getBeginLoc()};
  }
  /// Whether an array of a constant size has an element at a place, wherever the section runs.
  bool isInside(QualType Array, const Expr* Place) const {
    const std::optional<std::uint64_t> Size = constantSize(Array.getNonReferenceType());
    const std::optional<PlaceBounds> Bounds = Size ? boundsOf(Place) : std::nullopt;
    return Bounds && Bounds->Least >= 0 && llvm::all_of(Bounds->Most, [&](const auto& Each) {
             const GreatestPlace& Most = Each.first;
             return Most.Times == 0 &&
                    Most.Plus / Most.Per + Most.Then < static_cast<std::int64_t>(*Size);
           });
  }
  /// Notes that it has one where there are few enough positions.
  bool coversPositions(QualType Array, const Expr* Place) const {
    const std::optional<std::uint64_t> Size = constantSize(Array.getNonReferenceType());
    return InPlace && Size && noteReads(nullptr, 0, Place, static_cast<std::int64_t>(*Size));
  }
  std::optional<PlaceBounds> boundsOf(const Expr* Place) const {
    return boundsOfPlace(Place, Context, [this](const Expr* E) -> std::optional<PlaceBounds> {
      if (const std::optional<unsigned> Dimension = dimensionOf(E))
        return PlaceBounds{0, {{GreatestPlace{}, *Dimension}}};
      const auto Counter = Counters.find(variableNamed(E));
      if (Counter == Counters.end())
        return std::nullopt;
      const auto First = constantInteger(cast<VarDecl>(Counter->first)->getInit(), Context);
      if (!First || First->isNegative() || !First->isIntN(31))
        return std::nullopt;
      return PlaceBounds{First->getExtValue(), {{GreatestPlace{0, 0, 1, Counter->second}, 0}}};
    });
  }
  /// Whether \p E is a number of a section's own position.
  std::optional<unsigned> dimensionOf(const Expr* E) const {
    E = E->IgnoreParenImpCasts();
    const auto* Of = dyn_cast<CXXOperatorCallExpr>(E);
    const Expr* Whole = Of && Of->getOperator() == OO_Subscript ? Of->getArg(0) : E;
    if (!Position || declNamed(Whole->IgnoreParenImpCasts()) != Position)
      return std::nullopt;
    const auto Dimension = Of ? constantInteger(Of->getArg(1), Context) : llvm::APSInt::get(0);
    return Dimension ? std::optional(static_cast<unsigned>(Dimension->getZExtValue()))
                     : std::nullopt;
  }
  /// Notes what an array has to have at a place.
  bool noteReads(const ValueDecl* Array, unsigned Dimension, const Expr* Place,
                 std::int64_t Elements = 0) const {
    const std::optional<PlaceBounds> Bounds = boundsOf(Place);
    if (!Bounds || Bounds->Least < 0)
      return false;
    for (const auto& [Most, Over] : Bounds->Most)
      InPlace->push_back({Array, Dimension, Most, Over, Elements, Place->getBeginLoc()});
    return true;
  }
  /// Whether it is x[j], or x(i, j), of a captured array at such places.
  bool isInPlace(const CXXOperatorCallExpr& Call) const {
    const auto* Array = dyn_cast<DeclRefExpr>(Call.getArg(0)->IgnoreParenImpCasts());
    if (!InPlace || !Array || !Array->refersToEnclosingVariableOrCapture())
      return false;
    const unsigned Rank = rankOfArray(Array->getType());
    if (const Expr* Whole = Call.getArg(1); isIndex(Whole->getType())) {
      for (unsigned D = 0; D < Rank; ++D)
        InPlace->push_back({Array->getDecl(), D, GreatestPlace{}, D, 0, Whole->getBeginLoc()});
      return dimensionOf(Whole) == 0U;
    }
    if (Rank == 0 || Call.getNumArgs() != Rank + 1) // a place in the order of all elements
      return false;
    for (unsigned D = 0; D < Rank; ++D)
      if (!noteReads(Array->getDecl(), D, Call.getArg(D + 1)))
        return false;
    return true;
  }
  /// The greatest value of a loop's variable in its body, if the loop ends whatever it computes:
  /// the variable goes up by one to a constant, and nothing else may change it.
  std::optional<std::int64_t> counted(const ForStmt& For) const {
    const VarDecl* V = variableDeclared(For.getInit());
    const auto* Test = dyn_cast_or_null<BinaryOperator>(For.getCond());
    const auto* Step = dyn_cast_or_null<UnaryOperator>(For.getInc());
    const auto IsVariable = [&](const Expr* E) { return declNamed(E->IgnoreParenImpCasts()) == V; };
    if (V && beginsAtNumber(*V) && Test && Step && Step->isIncrementOp() &&
        IsVariable(Step->getSubExpr()) &&
        (Test->getOpcode() == BO_LT || Test->getOpcode() == BO_LE) && IsVariable(Test->getLHS()) &&
        !Test->getRHS()->isValueDependent())
      if (const auto Most = constantInteger(Test->getRHS(), Context);
          Most && llvm::APSInt::compareValues(*Most, MostOfCounter) < 0 &&
          isOnlyRead(For.getBody(), *V))
        return Most->getExtValue() - (Test->getOpcode() == BO_LT ? 1 : 0);
    return std::nullopt;
  }
  /// Whether a loop's variable can count to any number of 31 bits, and does not begin so far below
  /// that it would never get there.
  bool beginsAtNumber(const VarDecl& V) const {
    const QualType T = V.getType();
    const bool IsNumber = T->isSpecificBuiltinType(BuiltinType::Int) ||
                          T->isSpecificBuiltinType(BuiltinType::UInt) ||
                          T->isSpecificBuiltinType(BuiltinType::Long) ||
                          T->isSpecificBuiltinType(BuiltinType::ULong) ||
                          T->isSpecificBuiltinType(BuiltinType::LongLong) ||
                          T->isSpecificBuiltinType(BuiltinType::ULongLong);
    if (!IsNumber || !V.getInit() || V.getInit()->isValueDependent())
      return false;
    if (T->isUnsignedIntegerType() || T->isSpecificBuiltinType(BuiltinType::Int))
      return true;
    const auto First = constantInteger(V.getInit(), Context);
    return First && llvm::APSInt::compareValues(*First, -MostOfCounter) >= 0;
  }
  /// Whether a loop goes through so many elements as its type says.
  static bool hasFixedRange(const CXXForRangeStmt& Loop) {
    const Expr* Range = Loop.getRangeInit();
    return Range && !Range->getType()->isDependentType() &&
           (constantSize(Range->getType().getNonReferenceType()) ||
            isa<CXXStdInitializerListExpr>(Range->IgnoreImplicit()));
  }

  const llvm::APSInt MostOfCounter = llvm::APSInt::get(std::numeric_limits<std::int32_t>::max());
  const ASTContext& Context;
  std::map<const Decl*, std::int64_t> Counters; ///< of loops: their greatest value
};

void visitLambda(const CapturedLambda& Of, RiskFinder& Risks) {
  for (const FunctionDecl* Body : bodiesOf(Of.Lambda))
    Risks.TraverseStmt(Body->getBody());
  for (const CapturedLambda& Inner : Of.Inner)
    visitLambda(Inner, Risks);
}

/// The position that a section's code is given; null if it has none, or changes it.
const ParmVarDecl* positionOf(const Section& S, const FunctionDecl& Code) {
  if ((S.Op != Operation::PNew && !S.WithIndex) || Code.getNumParams() == 0)
    return nullptr;
  const ParmVarDecl* P = Code.getParamDecl(Code.getNumParams() - 1);
  const bool IsOne = S.Rank == 1 && P->getType()->isIntegerType();
  return (IsOne || isIndex(P->getType())) && RiskFinder::isOnlyRead(Code.getBody(), *P) ? P
                                                                                        : nullptr;
}

/// The functions that were looked at; true: one of those that led here.
using SeenFunctions = std::map<Index, bool>;

/// \param Of the section whose code the function is; null for what it calls
std::optional<Risk> riskOf(const ProgramModel& Model, Index F, SeenFunctions& Seen,
                           const Section* Of, std::vector<ReadInPlace>* InPlace) {
  const Function& Code = Model.Functions[F];
  const SourceLocation At = Code.Decl ? Code.Decl->getBeginLoc() : SourceLocation();
  if (const auto [Before, IsNew] = Seen.try_emplace(F, true); !IsNew)
    return Before->second ? std::optional(Risk{"calls itself, which may never end", At})
                          : std::nullopt;
  if (!Code.Decl || !Code.Decl->hasBody())
    return Risk{"calls a function whose body is not seen", At};
  RiskFinder Risks(Code.Decl->getASTContext());
  if (Of && InPlace) {
    Risks.Position = positionOf(*Of, *Code.Decl);
    Risks.InPlace = InPlace;
  }
  Risks.TraverseStmt(Code.Decl->getBody());
  for (const CapturedLambda& Lambda : Code.Lambdas)
    visitLambda(Lambda, Risks);
  if (Risks.Found)
    return Risks.Found;
  if (Code.Dispatches || Code.CallsAt)
    return Risk{Code.CallsAt ? "calls at(), which may fail" : "calls a virtual function", At};
  for (const auto& [Site, Call] : Code.Calls)
    for (const CallTarget& Target : Call.Targets)
      if (std::optional<Risk> Found = riskOf(Model, Target.Function, Seen, nullptr, nullptr))
        return Found;
  Seen[F] = false;
  return std::nullopt;
}

class Grouper {
public:
  Grouper(ASTContext& Context, const llvm::DenseMap<const Expr*, Index>& SectionOfCall,
          ProgramModel& Model)
      : SM(Context.getSourceManager()), SectionOfCall(SectionOfCall), Model(Model) {
    Uses.TraverseDecl(Context.getTranslationUnitDecl());
  }

  void run() {
    for (const CompoundStmt* Block : Uses.Blocks)
      visitBlock(*Block);
  }

private:
  /// Where a declaration's chain of operations reads variables: where it begins, and where it
  /// combines.
  struct Operands {
    const DeclRefExpr* Begin = nullptr;
    UseCollector::Names All;
  };
  struct Candidate {
    const VarDecl* Variable;
    Operands Inputs;
    Index Section;
    const DeclStmt* Declaration;
    std::size_t Number; ///< of the statement in the block
  };
  /// Results over one variable, and results over those that have an element for each of its own.
  struct Group {
    const VarDecl* Input;
    std::vector<Candidate> Members;
  };

  bool isOver(const Group& G, const VarDecl* V) const {
    return G.Input == V || llvm::any_of(G.Members, [&](const Candidate& C) {
             const Operation Op = Model.Sections[C.Section].Op;
             return C.Variable == V && (Op == Operation::PMap || Op == Operation::PCombine);
           });
  }

  /// Whether a variable is an array of numbers, or of the program's structs.
  bool holdsValues(const VarDecl& V) const {
    const auto* Class =
        dyn_cast_or_null<ClassTemplateSpecializationDecl>(V.getType()->getAsCXXRecordDecl());
    if (!Class || !isInIkra(Class) || Class->getTemplateArgs().size() == 0 ||
        Class->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
      return false;
    const QualType Element = Class->getTemplateArgs()[0].getAsType();
    if (Element->isBuiltinType())
      return true;
    const CXXRecordDecl* Struct = Element->getAsCXXRecordDecl();
    return Struct && Struct->hasDefinition() && !isOfLibrary(Struct, SM) &&
           Struct->isTriviallyCopyable() && Struct->getNumBases() == 0;
  }

  /// Of a chain of operations; Begin is null where it does not begin with a variable.
  Operands operandsOf(const Expr* E) const {
    Operands Found;
    while (true) {
      E = written(E);
      const auto* Call = dyn_cast<CXXMemberCallExpr>(E);
      if (!Call)
        break;
      if (!SectionOfCall.contains(Call) && !isNamedInIkra(Call->getMethodDecl(), {"with_index"}))
        return {};
      for (const Expr* Argument : Call->arguments())
        if (const DeclRefExpr* Name = nameIn(Argument))
          Found.All.insert(Name);
      E = Call->getImplicitObjectArgument();
    }
    Found.Begin = nameIn(E);
    Found.All.insert(Found.Begin);
    return Found;
  }

  std::optional<Candidate> candidate(const Stmt* S, std::size_t Number,
                                     const UseCollector::Names& Operands) const {
    const auto* Declaration = dyn_cast<DeclStmt>(S);
    if (!Declaration || !Declaration->isSingleDecl() || Declaration->getEndLoc().isMacroID())
      return std::nullopt;
    const auto* V = dyn_cast<VarDecl>(Declaration->getSingleDecl());
    if (!V || !V->hasLocalStorage() || !V->hasInit() || !holdsValues(*V) ||
        !Uses.isOnlyRead(V, Operands))
      return std::nullopt;
    const auto It = SectionOfCall.find(written(V->getInit()));
    if (It == SectionOfCall.end())
      return std::nullopt;
    Candidate Found{V, operandsOf(V->getInit()), It->second, Declaration, Number};
    if (!Found.Inputs.Begin)
      return std::nullopt;
    return Found;
  }

  /// By statements: the last first, since a variable may be an operand of candidates after it.
  std::vector<std::optional<Candidate>> candidatesOf(llvm::ArrayRef<const Stmt*> Statements) const {
    std::vector<std::optional<Candidate>> Result(Statements.size());
    UseCollector::Names Operands;
    for (std::size_t N = Statements.size(); N-- > 0;) {
      Result[N] = candidate(Statements[N], N, Operands);
      if (Result[N])
        Operands.insert(Result[N]->Inputs.All.begin(), Result[N]->Inputs.All.end());
    }
    return Result;
  }

  void visitBlock(const CompoundStmt& Block) {
    const std::vector<const Stmt*> Statements(Block.body_begin(), Block.body_end());
    std::vector<std::optional<Candidate>> Candidates = candidatesOf(Statements);
    std::vector<Group> Open, Ended;
    for (std::size_t N = 0; N < Statements.size(); ++N) {
      std::optional<Candidate>& Found = Candidates[N];
      // What reads an array of a group ends it.
      const UseCollector::Names Operands = Found ? Found->Inputs.All : UseCollector::Names();
      const auto Last = std::stable_partition(Open.begin(), Open.end(), [&](const Group& G) {
        return llvm::none_of(G.Members, [&](const Candidate& C) {
          return names(Statements[N], C.Variable, Operands);
        });
      });
      std::move(Last, Open.end(), std::back_inserter(Ended));
      Open.erase(Last, Open.end());
      if (!Found)
        continue;
      const VarDecl* Begin = variableOf(Found->Inputs.Begin);
      const auto It = llvm::find_if(Open, [&](const Group& G) { return isOver(G, Begin); });
      if (It == Open.end())
        Open.push_back({Begin, {std::move(*Found)}});
      else
        It->Members.push_back(std::move(*Found));
    }
    std::move(Open.begin(), Open.end(), std::back_inserter(Ended));
    for (const Group& G : Ended)
      if (G.Members.size() > 1)
        addGroup(G, Statements);
  }

  /// Whether a statement names a variable elsewhere than in \p Except.
  static bool names(const Stmt* S, const VarDecl* V, const UseCollector::Names& Except) {
    return anyPart(S, [&](const Stmt* Part) {
      return declNamed(Part) == V && !Except.contains(cast<DeclRefExpr>(Part));
    });
  }

  void addGroup(const Group& G, const std::vector<const Stmt*>& Statements) {
    std::set<const VarDecl*> Read;
    for (std::size_t N = G.Members.back().Number + 1; N < Statements.size(); ++N) {
      const StatementReader Reader(Statements[N]);
      Read.insert(Reader.Always.begin(), Reader.Always.end());
      if (Reader.MayLeave)
        break;
    }
    ResultGroup Found;
    for (const Candidate& C : G.Members) {
      Found.Sections.push_back(C.Section);
      Found.Variables.push_back(C.Variable->getNameAsString());
      Found.AreAskedFor.push_back(Read.contains(C.Variable));
    }
    Found.Input = G.Input->getNameAsString();
    Found.Last = G.Members.back().Declaration;
    Model.Horizontal.push_back(std::move(Found));
  }

  const SourceManager& SM;
  const llvm::DenseMap<const Expr*, Index>& SectionOfCall;
  ProgramModel& Model;
  UseCollector Uses;
};

} // namespace

/// Whether a section is an operator of an array with a positive constant that every type has.
static bool dividesBySmallConstant(const Section& S) {
  const auto* Call = dyn_cast_or_null<CXXOperatorCallExpr>(S.Site.Argument);
  const FunctionDecl* Callee = calleeOf(Call);
  const auto By = Callee && Call->getNumArgs() == 2
                      ? constantInteger(Call->getArg(1), Callee->getASTContext())
                      : std::nullopt;
  return By && *By >= 1 && *By <= std::numeric_limits<signed char>::max();
}

std::optional<Risk> riskOf(const ProgramModel& Model, const Section& S,
                           std::vector<ReadInPlace>* InPlace) {
  const Function* Code = S.Code.Known ? nullptr : &Model.Functions[S.Code.Function];
  const SourceLocation At = Code && Code->Decl ? Code->Decl->getBeginLoc() : SourceLocation();
  if (S.reportsFailures() || S.Access.UsesColumns)
    return Risk{"checks what it is given, and may fail", At};
  if (S.Code.Known) { // an operator on arrays may divide integers
    const StringRef Does = *S.Code.Known;
    const bool IsFloating =
        llvm::is_contained({"float", "double", "long double"}, StringRef(S.Result.Spelling));
    return !dividesBySmallConstant(S) &&
                   (Does.contains("modulus") || (Does.contains("divides") && !IsFloating))
               ? std::optional(Risk{"divides by what may be zero", At})
               : std::nullopt;
  }
  SeenFunctions Seen;
  return riskOf(Model, S.Code.Function, Seen, &S, InPlace);
}

void findResultGroups(ASTContext& Context, const llvm::DenseMap<const Expr*, Index>& SectionOfCall,
                      ProgramModel& Model) {
  Grouper(Context, SectionOfCall, Model).run();
}

} // namespace ikra
