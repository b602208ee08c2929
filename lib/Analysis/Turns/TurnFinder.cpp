// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One traversal of the program, for the loops in host sections. Of nested loops the outermost that
// can be turns is made so.

#include "TurnFinder.h"

#include "Analysis/Ast/Locations.h"
#include "Analysis/Ast/Types.h"
#include "HostSectionVisitor.h"
#include "TurnBuilder.h"

#include "clang/Basic/CharInfo.h"

using namespace clang;

namespace ikra {

namespace {

class LoopFinder final : public HostSectionVisitor {
public:
  LoopFinder(ASTContext& Context, Diagnoser& Diags, const SectionsOfCalls& Sections,
             InstantiationOf InstanceOf,
             llvm::function_ref<std::string(const std::string&)> UniqueIdent, ProgramModel& Model,
             HostLoops& Loops)
      : HostSectionVisitor(Instantiations | LambdaInstances), Context(Context), Diags(Diags),
        Sections(Sections), InstanceOf(InstanceOf), UniqueIdent(UniqueIdent), Model(Model),
        Loops(Loops) {}

  bool TraverseDecl(Decl* D) override {
    const auto* F = dyn_cast_or_null<FunctionDecl>(D);
    const FunctionDecl* const Outer = F ? std::exchange(Inside, F) : Inside;
    const bool Done = HostSectionVisitor::TraverseDecl(D);
    Inside = Outer;
    return Done;
  }

private:
  void visitHostSection(const LambdaExpr& Code) override {
    look(Code.getBody(), *Code.getCallOperator(), /*MayReplace=*/true);
  }

  /// \param MayReplace whether \p S stands in a block, where another statement may take its place
  void look(const Stmt* S, const FunctionDecl& Home, bool MayReplace) {
    if (!S || isa<LambdaExpr>(S) || !Seen.insert(S).second || isSequence(S))
      return;
    if (const std::optional<LoopParts> Parts = partsOf(S))
      if (loop(S, *Parts, Home, MayReplace))
        return;
    for (const Stmt* Part : S->children())
      look(Part, Home, isa<CompoundStmt>(S));
  }

  /// False where loops in it may still be turns.
  bool loop(const Stmt* S, const LoopParts& Parts, const FunctionDecl& Home, bool MayReplace) {
    const unsigned Waits = waitsIn(S);
    if (Waits == 0 && (!MayReplace || !namesArrays(S)))
      return false;
    const SourceLoc Loc = locOf(S->getBeginLoc(), Context.getSourceManager());
    Obstacle Why;
    std::vector<const IfStmt*> HostIfs;
    std::optional<Turn> Found;
    if (!MayReplace)
      Why = {S, "it is the only statement of what is around it (put it into braces)"};
    while (!Why.At || !HostIfs.empty()) {
      TurnBuilder Builder(Context, Diags, Sections, Home, S, Model, HostIfs);
      if (Builder.build(Parts)) {
        Found = Builder.take();
        Why = {};
        break;
      }
      if (HostIfs.empty() && Builder.waitsForNothing())
        return false;
      if (!Builder.refusesHost())
        Why = Builder.obstacle();
      else if (Why.At) // what the host could do in some turns
        Why.Why += "; nor may turns stop before the if at line " +
                   std::to_string(lineOf(HostIfs.back())) + " for the host, since " +
                   Builder.obstacle().Why;
      // What stands in its way may be the host's, if not all turns come to it.
      if (!Builder.failing() || llvm::is_contained(HostIfs, Builder.failing()))
        break;
      HostIfs.push_back(Builder.failing());
    }
    if (Found) {
      Turn Made = *std::move(Found);
      Made.Inside = Inside ? Inside->getNameAsString() : "";
      Made.Ident = UniqueIdent("turn_of_" + identOf(Made.Inside));
      Made.Keyword = Parts.Keyword;
      Made.At = Loc;
      Made.Waits = Waits;
      for (const IfStmt* Of : HostIfs) {
        Made.Waits -= std::min(Made.Waits, waitsIn(Of->getThen()));
        look(Of, Home, /*MayReplace=*/false);
      }
      const std::string Other = joinInstances(Made, Home);
      if (Other.empty()) {
        Loops.Turns.push_back(std::move(Made));
        return true;
      }
      Why = {S, Other};
    }
    if (Waits == 0) // its commands are fused as they are, and nothing waits
      return false;
    Loops.Left.push_back({Loc, Parts.Keyword, Why.Why, Waits});
    const SourceManager& SM = Context.getSourceManager();
    // None of what stands nowhere, as in T{}.
    const SourceLocation At = Why.Place.isValid() ? Why.Place : Why.At->getBeginLoc();
    Diags.report(SM.getFileLoc(At.isValid() ? At : S->getBeginLoc()), Diag::host_section_left)
        << Parts.Keyword << Loc.Line << Why.Why + noSequenceAt(Loc) << Waits;
    return false;
  }

  /// How often the host waits in a turn: once for all sections of a sequence.
  unsigned waitsIn(const Stmt* S) const {
    const SourceManager& SM = Context.getSourceManager();
    unsigned Waits = waitsOf(S);
    for (const Sequence& Of : Loops.Sequences)
      if (SM.isPointWithin(Of.First->getBeginLoc(), S->getBeginLoc(), S->getEndLoc()))
        Waits -= std::min(Waits, unsigned(Of.Steps.size()) - 1);
    return Waits;
  }

  unsigned lineOf(const Stmt* S) const {
    return Context.getSourceManager().getExpansionLineNumber(S->getBeginLoc());
  }
  bool isSequence(const Stmt* S) const {
    return llvm::any_of(Loops.Sequences,
                        [&](const Sequence& Of) { return Of.First == S && Of.IsLoop; });
  }
  /// Why a loop with sections over objects is not one of these instead; empty for others.
  std::string noSequenceAt(const SourceLoc& Loc) const {
    const auto Of = llvm::find_if(Loops.Unjoined, [&](const UnjoinedLoop& Loop) {
      return Loop.At.File == Loc.File && Loop.At.Line == Loc.Line && Loop.At.Column == Loc.Column;
    });
    return Of == Loops.Unjoined.end() ? ""
                                      : "; nor is it a sequence, since at line " +
                                            std::to_string(Of->Line) + " " + Of->Why;
  }

  /// One text asks for the turns of all instantiations. \returns why it cannot
  std::string joinInstances(Turn& Made, const FunctionDecl& Home) {
    std::string Obstacle;
    Made.Instance = InstanceOf(Home, Obstacle);
    if (!Made.Instance)
      return Obstacle.empty() ? "" : "instantiations of its template have no names: " + Obstacle;
    Turn* First = nullptr;
    for (Turn& Other : Loops.Turns)
      if (Other.Instance && Other.Loop->getBeginLoc() == Made.Loop->getBeginLoc()) {
        First = First ? First : &Other;
        if (Other.Instance->Arguments == Made.Instance->Arguments)
          return "two instantiations have the same arguments where parameters have names";
      }
    if (First && !haveOneText(*First, Made))
      return "instantiations of its template differ in how they return, or where the host acts";
    Turn& Text = First ? *First : Made;
    std::vector<std::string> Names = Text.InText;
    for (const std::string& Name : Made.given()) {
      const auto Known = llvm::find(Names, Name);
      Made.Places.push_back(static_cast<std::size_t>(Known - Names.begin()));
      if (Known != Names.end())
        continue;
      if (First && !isPlain(Name))
        return "instantiations of its template name different members: '" + Name +
               "' is not in all";
      Names.push_back(Name);
    }
    if (const auto Other = llvm::find_if_not(Names, isPlain);
        First && Other != Names.end() && !llvm::is_contained(Made.given(), *Other))
      return "instantiations of its template name different members: '" + *Other +
             "' is not in all";
    Text.InText = std::move(Names);
    Text.ChangesReferences |= Made.ChangesReferences;
    Made.Instance->Template =
        First ? First->Instance->Template : UniqueIdent("turns_of_" + identOf(Made.Inside));
    return "";
  }
  /// Whether the same text asks for two turns, but for the names that it gives.
  static bool haveOneText(const Turn& A, const Turn& B) {
    const auto Same = [](const auto* Of, const auto* Other) {
      return (!Of && !Other) || (Of && Other && Of->getBeginLoc() == Other->getBeginLoc());
    };
    return A.Returns == B.Returns && A.EndsByReturn == B.EndsByReturn && Same(A.Block, B.Block) &&
           llvm::equal(A.HostActs, B.HostActs, [&](const HostAct& Of, const HostAct& Other) {
             return Same(Of.Condition, Other.Condition);
           });
  }
  /// A variable, which all instantiations have: what only one names as a number is a tag in others.
  static bool isPlain(llvm::StringRef Name) { return isValidAsciiIdentifier(Name); }

  ASTContext& Context;
  Diagnoser& Diags;
  const SectionsOfCalls& Sections;
  InstantiationOf InstanceOf;
  llvm::function_ref<std::string(const std::string&)> UniqueIdent;
  ProgramModel& Model;
  HostLoops& Loops;
  const FunctionDecl* Inside = nullptr;
  std::set<const Stmt*> Seen;
};

} // namespace

void findTurns(ASTContext& Context, Diagnoser& Diags, const SectionsOfCalls& Sections,
               InstantiationOf InstanceOf,
               llvm::function_ref<std::string(const std::string&)> UniqueIdent, ProgramModel& Model,
               HostLoops& Loops) {
  LoopFinder(Context, Diags, Sections, InstanceOf, UniqueIdent, Model, Loops)
      .TraverseDecl(Context.getTranslationUnitDecl());
}

} // namespace ikra
