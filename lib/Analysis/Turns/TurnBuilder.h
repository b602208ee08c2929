// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a turn of a loop, in the order of its text. Commands are numbered as they are met, and run
// where they stand, though the program's are lazy: that computes the same, since what they capture
// and read is noted there, and nothing in them may fail. What does not fit ends the attempt with
// the place and the reason.

#ifndef IKRA_ANALYSIS_TURNS_TURNBUILDER_H
#define IKRA_ANALYSIS_TURNS_TURNBUILDER_H

#include "Analysis/Bodies/BodyBuilder.h"
#include "Analysis/Dataflow/ResultGroups.h"
#include "ScalarCode.h"
#include "TurnFinder.h"

#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <map>
#include <optional>
#include <set>

namespace ikra {

/// What of a loop statement a turn is made of.
struct LoopParts {
  const char* Keyword;
  const clang::Stmt* Body;
  const clang::Expr* Condition = nullptr;
  const clang::Stmt* Init = nullptr;
  const clang::Expr* Step = nullptr;
  bool TestsFirst = true;
  const clang::VarDecl* Variable = nullptr; ///< declared as the condition
};
/// Nothing where \p S is no loop.
std::optional<LoopParts> partsOf(const clang::Stmt* S);

/// Makes one turn.
class TurnBuilder {
public:
  /// \param HostIfs statements in the loop's block whose code the host runs: turns stop before one
  /// that comes to it
  TurnBuilder(clang::ASTContext& Context, Diagnoser& Diags, const SectionsOfCalls& Sections,
              const clang::FunctionDecl& Home, const clang::Stmt* Loop, ProgramModel& Model,
              std::vector<const clang::IfStmt*> HostIfs)
      : Context(Context), Diags(Diags), Sections(Sections), Loop(Loop), HostIfs(std::move(HostIfs)),
        Model(Model), Types(Context, Model),
        Scalar(Context, [this](clang::QualType Ty) { return Types.classify(Ty); }) {
    HomeFunction.Decl = &Home;
    Made.Loop = Loop;
  }

  /// False where it is none: obstacle() says why.
  bool build(const LoopParts& Of);
  Turn take() { return std::move(Made); }
  /// A statement in the loop's block with what stands in the way; null: that stands elsewhere.
  const clang::IfStmt* failing() const { return Failing; }
  /// It only reads elements of arrays that are computed once: the host waits in no turn.
  bool waitsForNothing() const { return WaitsForNothing; }
  /// What stands in the way is that the host's code is no turn's, nor can turns stop before it.
  bool refusesHost() const { return RefusesHost; }
  const Obstacle& obstacle() const { return Found.At ? Found : Scalar.obstacle(); }

private:
  bool refuse(const clang::Stmt* At, std::string Why) {
    if (!Found.At)
      Found = {At, std::move(Why)};
    return false;
  }

  /// The same where nothing has been said.
  bool refuseElse(const clang::Stmt* At, std::string Why) {
    return obstacle().At ? false : refuse(At, std::move(Why));
  }

  /// The same where nothing is given.
  std::nullopt_t none(const clang::Stmt* At, std::string Why) {
    refuse(At, std::move(Why));
    return std::nullopt;
  }

  /// What holds an array: a variable, or a member; as the loop would write it.
  using ArrayPlace = std::pair<const clang::ValueDecl*, std::string>;

  // Statements
  bool sequence(llvm::ArrayRef<const clang::Stmt*> All, TurnSteps& Out);
  bool statement(const clang::Stmt* S, TurnSteps& Out);
  bool leaving(const clang::IfStmt* S, llvm::ArrayRef<const clang::Stmt*> Rest, TurnSteps& Out);
  bool leave(const clang::Stmt* S, TurnSteps& Out);
  bool giveBack(const clang::ReturnStmt* S, TurnSteps& Out);
  /// The values of a loop's variable.
  using ListOfNumbers = std::vector<body::ExprRef>;
  /// \param Through where the loop goes through a list \{
  bool loop(const clang::Stmt* S, const LoopParts& Parts, TurnSteps& Out,
            const ListOfNumbers* Through = nullptr);
  bool partsOfLoop(const clang::Stmt* S, const LoopParts& Parts, TurnSteps& Before, TurnStep& Out,
                   const ListOfNumbers* Through = nullptr);
  /// \}
  void noteCarried(std::initializer_list<const TurnSteps*> In, std::vector<std::size_t>& Out) const;
  void noteFailing(const clang::Stmt* S) {
    if (Block && llvm::is_contained(Block->body(), S))
      Failing = dyn_cast<clang::IfStmt>(S);
  }
  bool stopsForHost(LoopParts& Parts);
  bool isKnownBefore(const clang::IfStmt* S);
  bool stopForHost(TurnStep& Out, TurnSteps& Before);
  bool choose(const clang::SwitchStmt* S, TurnSteps& Out);
  body::ExprRef condition(const clang::IfStmt* S, TurnSteps& Out);
  bool branch(const clang::IfStmt* S, TurnSteps& Out);
  bool mayTurnOver(const clang::Stmt* S);
  bool branch(const clang::IfStmt* S, TurnSteps& Out,
              llvm::function_ref<bool(const clang::Stmt* Of, TurnSteps& To)> Side);
  bool declaration(const clang::VarDecl* V, TurnSteps& Out);
  bool parts(const clang::DecompositionDecl* D, const clang::Expr* Of, TurnSteps& Out);
  bool set(const ArrayPlace& Place, clang::QualType Ty, const clang::Expr* To, TurnSteps& Out,
           const clang::Stmt* At);
  bool set(std::size_t Array, const clang::Expr* To, TurnSteps& Out, const clang::Stmt* At);
  bool set(std::size_t Array, const TurnInput& To, TurnSteps& Out);
  std::optional<TurnInput> arrayToSet(const clang::Expr* E, TurnSteps& Out, const clang::Stmt* At);
  bool swap(const clang::CallExpr* Call, TurnSteps& Out);

  // Arrays in arrays, and references
  /// The lowest bit of a number: that of a scalar, or of none, and whether it is turned over.
  struct LowestBit {
    std::string Of;
    bool IsOdd = false;
    const clang::ValueDecl* Holder = nullptr; ///< of the scalar
  };
  /// What a variable's bit, or the array that a reference names, is until Of's bit changes.
  struct KnownBit {
    LowestBit Is;
    unsigned Region, Depth;
    bool IsDeclared;                       ///< there: it is known in all that is inside, too
    const clang::ValueDecl* Own = nullptr; ///< the variable, which may be set in a loop
  };
  std::optional<LowestBit> bitOf(const clang::Expr* E);
  std::optional<LowestBit> bitOfScalar(const clang::Expr* E);
  std::optional<LowestBit> known(const KnownBit& Of) const;
  bool isBit(const clang::Expr* E) const;
  std::optional<ArrayPlace> placeInArray(const clang::Expr* E);
  bool nameArray(const clang::VarDecl* V, const ArrayPlace& Place, clang::QualType Ty,
                 const clang::Stmt* At);
  /// Notes what code, which comes last in \p Out, does to numbers that choose arrays.
  void noteChanges(const clang::Stmt* S, TurnSteps& Out);
  void loseBits(const clang::Stmt* S);
  void loseBit(const std::string& Name, const clang::Stmt* At);
  void noteChange(const clang::Expr* Place, std::optional<LowestBit> To, const clang::Stmt* At,
                  TurnSteps& Out);
  /// A swap of the arrays of all pairs that a scalar chooses, which are not all known yet.
  static bool isOfPairs(const TurnStep& Step) {
    return Step.Is == TurnStep::Swap && Step.Condition;
  }
  void turnOver(const std::string& Of, TurnSteps& Out);
  void noteDeclared(const clang::VarDecl* V, const std::string& Name, const clang::Expr* Init);
  void noteCounted(const clang::VarDecl* V, const Counted& Bounds, const std::string& Place,
                   TurnSteps& Step);
  /// The counter so many times, and a constant.
  struct CounterSum {
    int Times;
    std::int64_t Constant;
  };
  void noteCounter(const LoopParts& Parts);
  std::optional<CounterSum> sumOf(const clang::Expr* E) const;
  std::optional<std::uint64_t> firstInRing(const clang::Expr* At, std::uint64_t Size) const;
  std::optional<ArrayPlace> placeInRing(const clang::Expr* E, const ArrayPlace& In,
                                        const clang::Expr* At, std::uint64_t Size);
  void rotateRings(const std::string& By, TurnSteps& Out);
  bool pairsAreKnown();
  void exchangePairs(TurnSteps& Steps);
  /// Steps that are scalar code and nothing else, as such; nothing where others are among them. \{
  static std::optional<body::Stmts> asCode(const TurnSteps& Steps);
  static std::optional<body::Stmts> asCode(const TurnStep& Step);
  /// \}

  // Structs that hold arrays
  /// What a field becomes: an array, or a scalar's value.
  struct FieldValue {
    MemberOfVariable Place;
    clang::QualType Ty;
    std::optional<TurnInput> Array;
    body::ExprRef Value;
  };
  bool isValueField(const clang::FieldDecl* Field, const MemberOfVariable& Place) const;
  bool setStruct(const MemberOfVariable& Place, clang::QualType Ty, const clang::Expr* To,
                 TurnSteps& Out);
  bool fieldsOf(const MemberOfVariable& Place, clang::QualType Ty, const clang::Expr* To,
                std::vector<FieldValue>& All, TurnSteps& Out);
  bool copiedFields(const MemberOfVariable& Place, const MemberOfVariable& From, clang::QualType Ty,
                    const clang::Expr* At, std::vector<FieldValue>& All);

  // Choices, and loops through lists
  bool isSpeculatable(const clang::Expr* E) const;
  bool isChoice(const clang::Expr* E) const;
  bool side(TurnSteps& Out, llvm::function_ref<bool(TurnSteps&)> Make);
  bool choice(const clang::Expr* E, TurnSteps& Out);
  bool either(const clang::ConditionalOperator* E, TurnSteps& Out,
              llvm::function_ref<bool(const clang::Expr* Side, TurnSteps& In)> Make);
  bool setByChoice(std::size_t Array, const clang::ConditionalOperator* E, TurnSteps& Out,
                   const clang::Stmt* At);
  bool setOneOf(const clang::ConditionalOperator* Places, const clang::Expr* To, TurnSteps& Out,
                const clang::Stmt* At);
  std::optional<TurnInput> chosen(const clang::ConditionalOperator* E, TurnSteps& Out);
  std::optional<ListOfNumbers> list(const clang::CXXForRangeStmt* S, TurnSteps& Before);
  bool throughList(const clang::CXXForRangeStmt* S, TurnSteps& Out);
  bool unroll(const clang::CXXForRangeStmt* S, const ListOfNumbers& Of, TurnSteps& Out);
  struct CountedList {
    body::ExprRef Condition;
    TurnSteps Begin, Step;
  };
  void count(const clang::CXXForRangeStmt* S, const ListOfNumbers& Of, TurnSteps& Before,
             CountedList& Out);
  static std::optional<Counted> boundsOf(const clang::CXXForRangeStmt* S);
  bool count(const clang::CXXForRangeStmt* S, const Counted& Bounds, TurnSteps& Before,
             CountedList& Out);
  /// Whether what \p E reads may be computed in front of it.
  bool mayReadBefore(const clang::Stmt* S) const {
    return ikra::mayReadBefore(
        S, [this](const clang::Expr* E) { return isChoice(E); }, Scalar.This);
  }
  std::set<const clang::ValueDecl*> changedBy(const clang::Stmt* S) const {
    return ikra::changedBy(S, Scalar.This);
  }
  std::set<const clang::ValueDecl*> changedOutside(const clang::Stmt* S) const {
    return ikra::changedOutside(S, Scalar.This);
  }
  std::set<const clang::ValueDecl*> changedHere(const clang::Stmt* S) const {
    return ikra::changedHere(S, Scalar.This);
  }

  // Calls
  bool call(const clang::Expr* E, const CalledCode& Of, TurnSteps& Out,
            llvm::function_ref<bool(const clang::Expr*)> Result);
  bool returnsEarly(const clang::Expr* E, const CalledCode& Of,
                    llvm::ArrayRef<const clang::Stmt*> All, TurnSteps& Out);
  bool capturesAsNamed(const clang::Expr* E, const CalledCode& Of);
  bool keep(const clang::LambdaExpr* Lambda, TurnSteps& Out);
  bool changesForItself(llvm::ArrayRef<const clang::Expr*> Arguments, unsigned Which, bool IsPart);
  bool staysAsGiven(const clang::Expr* E, const CalledCode& Of);
  bool keepsAsNamed(const clang::Expr* E, const CalledCode& Of, TurnSteps& Out);
  bool alias(const clang::ParmVarDecl* P, const clang::Expr* Given);
  /// \param MayBeName  of a variable that is given
  /// \param ChangedByCall  what is called may change it, other than by its parameter
  bool parameter(const clang::ParmVarDecl* P, const clang::Expr* Given, bool MayBeName,
                 const std::set<const clang::ValueDecl*>& ChangedByCall, TurnSteps& Out);

  // Scalars
  bool scalarCode(const clang::Stmt* S, TurnSteps& Out);
  body::ExprRef value(const clang::Expr* E, TurnSteps& Out);
  bool readsIn(const clang::Stmt* S, TurnSteps& Out);
  bool read(const clang::Expr* E, TurnSteps& Out);
  bool readSize(const clang::Expr* E, const AskedSize& Asked, TurnSteps& Out);
  bool element(const clang::CallExpr* Call, TurnInput Of, TurnSteps& Out);
  /// The name of a scalar of the turn's own.
  std::string newScalar(const char* Name, clang::QualType Ty) {
    return Made.Scalars[addScalar(Name, Types.classify(Ty.getUnqualifiedType()))].Name;
  }
  std::string flag(const char* Name) { return newScalar(Name, Context.BoolTy); }
  /// A place or a key at \p E may be outside: the loop runs again as written then.
  void mayFailAt(const clang::Expr* E) {
    if (!Made.Fails.empty())
      return;
    Made.Fails = flag("fails");
    FirstFailing = E;
  }
  Type typeOf(clang::QualType Ty);
  std::size_t scalarOf(const clang::VarDecl* V);
  std::size_t memberOf(const MemberOfVariable& Member, clang::QualType Ty);
  std::string nameOfPart(const clang::ValueDecl* Of, llvm::StringRef Text);
  std::string nameOf(const clang::VarDecl* V);
  std::size_t addScalar(std::string Name, const Type& Ty);
  std::string nameOf(const clang::Expr* E);
  static body::ExprRef named(const std::string& Name) { return body::expr(body::Name{Name}); }
  static body::ExprRef literal(std::string Text) {
    return body::expr(body::Literal{std::move(Text)});
  }
  /// Adds code to the last, if only variables are set between: that waits for nothing.
  static void addCode(body::Stmts Code, TurnSteps& Out) {
    for (TurnStep& Step : llvm::reverse(Out)) {
      if (Step.Is == TurnStep::Code) {
        llvm::append_range(Step.Statements, std::move(Code));
        return;
      }
      if (Step.Is != TurnStep::Set && Step.Is != TurnStep::Swap)
        break;
    }
    TurnStep Step(TurnStep::Code);
    Step.Statements = std::move(Code);
    Out.push_back(std::move(Step));
  }
  /// The same of any step.
  static void addStep(TurnStep Step, TurnSteps& Out) {
    if (Step.Is == TurnStep::Code)
      addCode(std::move(Step.Statements), Out);
    else
      Out.push_back(std::move(Step));
  }
  static TurnStep assignment(const std::string& To, const char* Value) {
    TurnSteps Steps;
    assign(To, literal(Value), Steps);
    return std::move(Steps.front());
  }
  static body::ExprRef operation(const char* Sign, body::ExprRef Left, body::ExprRef Right) {
    return body::expr(body::Binary{Sign, std::move(Left), std::move(Right)});
  }
  /// Whether one of these scalars is set; empty names are passed over. Null: there are none.
  static body::ExprRef anyOf(const std::vector<std::string>& Flags) {
    body::ExprRef Out;
    for (const std::string& Flag : Flags)
      if (!Flag.empty())
        Out = Out ? operation("||", Out, named(Flag)) : named(Flag);
    return Out;
  }
  static body::ExprRef negated(body::ExprRef Of) {
    return body::expr(body::Unary{"!", std::move(Of)});
  }
  static body::ExprRef negated(const std::string& Name) { return negated(named(Name)); }
  static TurnStep swapOf(std::size_t Array, std::size_t Other) {
    TurnStep Step(TurnStep::Swap);
    Step.Number = Array;
    Step.Other = Other;
    return Step;
  }
  static void assign(const std::string& To, body::ExprRef Value, TurnSteps& Out) {
    addCode({body::stmt(body::Evaluate{operation("=", named(To), std::move(Value))})}, Out);
  }

  // Arrays
  std::optional<ArrayPlace> arrayPlace(const clang::Expr* E);
  /// What is declared anew holds what it is made of.
  bool declare(const clang::VarDecl* V, const clang::Expr* As, TurnSteps& Out,
               const clang::Stmt* At) {
    if (const auto Known = Arrays.find(placeOf(V)); Known != Arrays.end())
      AreMoved.erase(Known->second);
    return set(placeOf(V), V->getType(), As, Out, At);
  }
  static ArrayPlace placeOf(const clang::VarDecl* V) { return {V, V->getNameAsString()}; }
  ArrayPlace placeOf(std::size_t Pair, bool IsOther) const {
    return {PairPlaces[Pair].first, PairPlaces[Pair].second + (IsOther ? "[1]" : "[0]")};
  }
  std::optional<std::size_t> arrayOf(const ArrayPlace& Place, clang::QualType Ty,
                                     const clang::Stmt* At);
  std::optional<std::size_t> arrayOf(const clang::VarDecl* V, const clang::Stmt* At) {
    return arrayOf(placeOf(V), V->getType(), At);
  }
  std::optional<TurnInput> array(const clang::Expr* E, TurnSteps& Out);
  std::optional<TurnInput> moved(const clang::CallExpr* Call, TurnSteps& Out);
  bool movedAreSet();
  std::optional<TurnInput> held(const ArrayPlace& Place, clang::QualType Ty, const clang::Stmt* At);
  /// A variable of the turn's own.
  std::size_t addOwn(const char* Name, clang::QualType Ty);
  /// An array, not a reduction's result as one.
  std::optional<TurnInput> operand(const clang::Expr* E, TurnSteps& Out);
  std::optional<TurnInput> command(const clang::Expr* E, Index Section, TurnSteps& Out);
  std::optional<TurnInput> byIndex(const clang::CXXMemberCallExpr* Call, Index Section,
                                   TurnSteps& Out);
  std::optional<TurnInput> keysOf(const clang::CXXMemberCallExpr* Call, Index Section,
                                  const TurnInput& Of, TurnSteps& Out);
  std::optional<TurnInput> counts(const clang::CXXMemberCallExpr* Call, TurnSteps& Out);
  bool isReduction(const TurnInput& Of) const {
    return Of.IsCommand && operationOf(Model, Made.Commands[Of.Number]) == ikra::Operation::PReduce;
  }
  /// Whether it may run though nothing asks for its result.
  bool isSpeculatable(const TurnCommand& Of) const {
    return !Of.Section || Model.Sections[*Of.Section].Flow.Speculatable;
  }
  bool capturesOf(const clang::Expr* Call, const ikra::Section& S, TurnCommand& Out,
                  TurnSteps& Steps);
  bool firstOf(const clang::CallExpr* Call, const ikra::Section& S, TurnCommand& Out,
               TurnSteps& Steps);

  // Shapes
  std::size_t addSpace(unsigned Rank);
  std::size_t leaderOf(std::size_t Space) const;
  std::size_t spaceOf(const TurnInput& Of) const {
    return Of.IsCommand ? Made.Commands[Of.Number].Space : Made.Arrays[Of.Number].Space;
  }
  /// From here on two spaces are one. \returns false where their ranks differ
  bool haveOneShape(std::size_t A, std::size_t B, const clang::Stmt* At);
  std::optional<std::size_t> shapeOf(const clang::CallExpr* Call, unsigned Rank);
  bool extents(const clang::CallExpr* Call, llvm::ArrayRef<const clang::Expr*> Of,
               std::size_t Space);
  bool isKnownBefore(const clang::Stmt* S, TurnSteps& Before);
  bool shapesAreKnown();

  bool canRun(const ikra::Section& S, const clang::Stmt* At);
  TurnInput add(TurnCommand Command, TurnSteps& Out);
  std::optional<std::int64_t> constantOf(const clang::Expr* E) const;
  bool hasTurn(const LoopParts& Parts) const;
  bool isAskedFor(bool HasTurn);
  using Inputs = std::set<std::pair<bool, std::size_t>>; ///< commands, or arrays, by number
  Inputs askedBefore(const TurnSteps& Steps, Inputs After, bool Notes);
  bool mayRunInPlace(const TurnCommand& Of);
  bool mayNotRun(const ikra::Section& S, const Risk& Since);
  void noteFirstSet(std::size_t Array);
  bool isWithin(const clang::ValueDecl* V, const clang::SourceRange& Range) const {
    const clang::SourceManager& SM = Context.getSourceManager();
    return SM.isPointWithin(V->getLocation(), Range.getBegin(), Range.getEnd());
  }
  bool isOfLoop(const clang::ValueDecl* V) const {
    return isWithin(V, (Made.Block ? Made.Block : Loop)->getSourceRange()) ||
           llvm::any_of(Called, [&](const clang::SourceRange& Of) { return isWithin(V, Of); });
  }
  std::string unusedName(std::string Name) {
    if (Name.empty()) // a parameter that its function does not read
      Name = "unnamed";
    // Emitted code has names of its own that end in a number.
    const bool IsEmitted =
        llvm::any_of(llvm::ArrayRef{"given_", "space_", "result_of_", "later_", "by_index_"},
                     [&](llvm::StringRef Of) { return llvm::StringRef(Name).starts_with(Of); });
    while (!Names.insert(Name + (IsEmitted ? "_" : "")).second)
      Name += '_';
    if (IsEmitted)
      Name += '_';
    return Name;
  }

  clang::ASTContext& Context;
  Diagnoser& Diags;
  const SectionsOfCalls& Sections;
  const clang::Stmt* Loop;
  std::vector<const clang::IfStmt*> HostIfs;
  bool RefusesHost = false, WaitsForNothing = false;
  const clang::Expr* FirstFailing = nullptr; ///< a place or a key, which may be outside
  const clang::IfStmt* Failing = nullptr;    ///< in the loop's block: it has what is no turn's
  ProgramModel& Model;
  CodeTypes Types;
  ScalarCode Scalar;
  Function HomeFunction;
  Turn Made;
  Obstacle Found;
  std::set<std::string> Names;
  std::set<const clang::ValueDecl*> Changed;
  std::map<const clang::VarDecl*, std::size_t> Scalars;
  std::map<const clang::VarDecl*, std::string> Parts; ///< parameters that are names of such
  std::map<ArrayPlace, std::size_t> Arrays;
  std::map<std::pair<const clang::ValueDecl*, std::string>, std::size_t> Members; ///< scalars
  std::set<const clang::VarDecl*> Kept; ///< by lambdas of the loop, where they are declared
  /// What a number that never changes is made of, and what `this` is there.
  struct Initialiser {
    const clang::Expr* Is;
    Receiver This;
  };
  std::map<const clang::VarDecl*, Initialiser> Inits;
  std::map<const clang::VarDecl*, TurnInput> Values; ///< of variables that never change
  std::set<std::size_t> AreMoved;                    ///< arrays
  std::map<std::size_t, TurnInput> Current; ///< what arrays were set to in the same statements
  unsigned Region = 0, Regions = 0;         ///< of statements of which all run or none
  unsigned RegionOfBody = 0;                ///< of the loop
  std::vector<unsigned> Where;              ///< by command
  std::set<std::size_t> AreRead;            ///< reductions, whenever they run
  std::set<std::size_t> AreMaybeRead;       ///< elements, by their scalars
  std::set<std::size_t> AreThere;           ///< the same: those that every array of a turn has
  std::set<std::size_t> AreAsked;           ///< commands whose results are needed whenever they run
  std::map<const clang::Expr*, std::string> Results; ///< of reads
  std::map<TurnScalar::Size, std::string> Sizes;     ///< scalars
  std::set<std::size_t> AreSized;                    ///< arrays of which a size is asked
  std::vector<std::size_t> Leaders;                  ///< by space: one that is the same, or itself
  /// Where a break or a continue leads to.
  struct Jump {
    bool IsNoted;     ///< always, not only where something comes after it that then must not run
    std::string Flag; ///< the scalar that notes it; may be empty
  };
  Jump *BreakTo = nullptr, *ContinueTo = nullptr;
  std::vector<clang::SourceRange> Called; ///< whose bodies are in the turn
  std::set<const clang::FunctionDecl*> Calling;
  const clang::CompoundStmt* Block = nullptr; ///< the loop's; null: it has none
  bool HasPairs = false;                      ///< the loop names elements of arrays that are arrays
  std::map<std::string, std::size_t> Pairs;   ///< by the array that they are in, as it is written
  std::vector<ArrayPlace> PairPlaces;         ///< of the same, by pair
  std::vector<const clang::ValueDecl*> PairHolders; ///< of the numbers that choose
  struct {
    const clang::VarDecl* Of = nullptr;
    std::int64_t First = 0;
  } RingCounter;                              ///< of the loop
  std::set<std::string> Rings;                ///< arrays in which it chooses
  std::set<const clang::ValueDecl*> Choosers; ///< numbers that may choose arrays
  std::set<std::string> AreNumbered;          ///< such arrays whose places are constants
  std::map<std::string, KnownBit> Bits;       ///< scalars that are as others are
  std::map<const clang::VarDecl*, std::pair<std::size_t, KnownBit>> PairNames; ///< references
  std::map<std::string, LowestBit> StartBits; ///< scalars that the loop sets before it turns
  std::map<const clang::VarDecl*, const clang::ValueDecl*>
      StartsWithChanged;                              ///< the loop's, of what it changes
  std::map<std::string, const clang::Stmt*> Unsteady; ///< scalars whose bits change unseen, where
  std::vector<const clang::Stmt*> LoopsAround;
  std::string Returned, ReturnedValue; ///< scalars that note it
  bool ReturnsToHost = true;           ///< no body of what is called is looked at
  unsigned Depth = 0;                  ///< of loops
  std::vector<unsigned> DepthOfArray;  ///< at which they are declared
  unsigned Reductions = 0;
  bool IsOfArray = false; ///< what is looked at is what an array is made of, or where it is read
  bool IsConditional = false; ///< what is read now may not be read in the program
  bool IsWhole = false;       ///< what is looked at next is all that a variable is set to
};

} // namespace ikra

#endif
