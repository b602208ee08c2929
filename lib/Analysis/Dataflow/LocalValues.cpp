// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LocalValues.h"

#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"
#include "ArrayFlow.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Analysis/CFG.h"

#include <deque>
#include <memory>

using namespace clang;

namespace ikra {

namespace {

/// The variable that an expression names, std::move taken off; null where it is none.
const VarDecl* namedBy(const Expr* E) {
  E = written(E);
  if (const auto* Call = dyn_cast<CallExpr>(E); Call && Call->getNumArgs() == 1 &&
                                                Call->getDirectCallee() &&
                                                isInStd(Call->getDirectCallee()))
    E = written(Call->getArg(0));
  return variableNamed(E);
}

/// The assignments of a function, and the loops around them.
class AssignmentFinder {
public:
  /// A variable's declaration, or one of its assignments.
  struct Site {
    const Stmt* At = nullptr; ///< null for parameters
    const VarDecl* Variable = nullptr;
    const Expr* Value = nullptr;
    bool IsKnown = true;
    std::vector<const Stmt*> Loops = {}; ///< around it, the outermost first
  };

  explicit AssignmentFinder(const FunctionDecl& Function) {
    for (const ParmVarDecl* Parameter : Function.parameters()) {
      LoopsOf[Parameter] = {};
      Sites.push_back({nullptr, Parameter, nullptr});
    }
    visit(Function.getBody());
    if (MayJumpBack)
      for (const auto& [V, Calls] : Assignments)
        Carried.insert(V);
  }

  bool mayJumpBack() const { return MayJumpBack; }

  /// Whether a loop's next turn finds in the variable what the site has left there.
  bool isCarriedBy(const Stmt* Loop, const Site& From) const {
    const auto Declared = LoopsOf.find(From.Variable);
    return llvm::is_contained(From.Loops, Loop) && Declared != LoopsOf.end() &&
           !llvm::is_contained(Declared->second, Loop);
  }

  std::vector<Site> Sites; ///< in the order of the text
  std::map<const VarDecl*, std::set<const CallExpr*>> Assignments;
  std::set<const VarDecl*> Carried, Kept;

private:
  void visit(const Stmt* S) {
    if (!S || isa<LambdaExpr>(S))
      return;
    MayJumpBack |= isa<LabelStmt>(S);
    if (const auto* Declares = dyn_cast<DeclStmt>(S))
      for (const Decl* D : Declares->decls())
        if (const auto* V = dyn_cast<VarDecl>(D); V && V->hasLocalStorage()) {
          LoopsOf[V] = Loops;
          Sites.push_back({S, V, V->getInit(), true, Loops});
        }
    if (const auto* Call = dyn_cast<CallExpr>(S))
      for (const auto& [To, From] : assignmentsBy(Call)) {
        const auto* V = dyn_cast<VarDecl>(To);
        // Declared in front of the loop, or in another function.
        const auto Declared = LoopsOf.find(V);
        const bool LivesLonger =
            Declared == LoopsOf.end() || Declared->second.size() < Loops.size();
        if (const VarDecl* Source = LivesLonger && From ? namedBy(From) : nullptr)
          Kept.insert(Source);
        if (!V)
          continue;
        Assignments[V].insert(Call);
        Sites.push_back({S, V, From, From != nullptr, Loops});
        if (LivesLonger)
          Carried.insert(V);
      }
    const auto* For = dyn_cast<ForStmt>(S);
    const Stmt* Once = For ? For->getInit() : nullptr;
    if (Once)
      visit(Once);
    const bool IsLoop = isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
    if (IsLoop)
      Loops.push_back(S);
    for (const Stmt* Child : S->children())
      if (Child != Once)
        visit(Child);
    if (IsLoop)
      Loops.pop_back();
  }

  std::vector<const Stmt*> Loops;                             ///< around what is visited
  std::map<const VarDecl*, std::vector<const Stmt*>> LoopsOf; ///< around declarations
  bool MayJumpBack = false;
};

/// For each variable the numbers of the sites that it may have its value from; after those of all
/// sites, the same for what they left there in an earlier turn of a loop.
using State = std::map<const VarDecl*, std::set<unsigned>>;

bool join(State& Into, const State& From) {
  bool Changed = false;
  for (const auto& [V, Numbers] : From)
    for (const unsigned N : Numbers)
      Changed |= Into[V].insert(N).second;
  return Changed;
}

} // namespace

LocalValues::LocalValues(const FunctionDecl& Function, ASTContext& Context, const ArrayFlow& Flow) {
  AssignmentFinder Finder(Function);
  Carried = std::move(Finder.Carried);
  Kept = std::move(Finder.Kept);
  const std::vector<AssignmentFinder::Site>& Sites = Finder.Sites;
  const auto IsFollowed = [&](const VarDecl* V) {
    const auto Known = Finder.Assignments.find(V);
    if (Known == Finder.Assignments.end() || Finder.mayJumpBack())
      return false;
    const std::set<const CallExpr*>* All = Flow.assignmentsOf(V);
    return All && Known->second == *All; // else a lambda assigns it too
  };
  std::map<const Stmt*, std::vector<unsigned>> SitesOf;
  State AtEntry;
  for (unsigned N = 0; N < Sites.size(); ++N) {
    if (!IsFollowed(Sites[N].Variable))
      continue;
    if (Sites[N].At)
      SitesOf[Sites[N].At].push_back(N);
    else
      AtEntry[Sites[N].Variable] = {N};
  }
  if (SitesOf.empty())
    return;
  CFG::BuildOptions Options;
  Options.setAllAlwaysAdd(); // each name that is read is an element
  const std::unique_ptr<CFG> Graph =
      CFG::buildCFG(&Function, Function.getBody(), &Context, Options);
  if (!Graph)
    return;

  std::set<unsigned> OutliveTurns; // sites whose values the next turn of a loop finds
  const auto ValuesOf = [&](const std::set<unsigned>& Numbers) {
    ReachingValues Out;
    Out.FromEarlierTurn = *Numbers.rbegin() >= Sites.size();
    for (const unsigned N : Numbers) {
      if (N >= Sites.size())
        continue;
      if (!Sites[N].IsKnown)
        return ReachingValues();
      if (!Out.FromEarlierTurn || !Sites[N].Loops.empty())
        Out.Values.push_back({Sites[N].Value, OutliveTurns.contains(N)});
    }
    return Out;
  };
  const auto EndTurn = [&](const Stmt* Loop, State& Now) {
    for (auto& [V, Numbers] : Now) {
      std::set<unsigned> After;
      for (const unsigned N : Numbers) {
        const bool IsCarried = N < Sites.size() && Finder.isCarriedBy(Loop, Sites[N]);
        if (IsCarried)
          OutliveTurns.insert(N);
        After.insert(IsCarried ? N + static_cast<unsigned>(Sites.size()) : N);
      }
      Numbers = std::move(After);
    }
  };
  const auto Step = [&](const CFGElement& Element, State& Now, bool Notes) {
    const std::optional<CFGStmt> Part = Element.getAs<CFGStmt>();
    if (!Part)
      return;
    const Stmt* S = Part->getStmt();
    if (const auto* Name = dyn_cast<DeclRefExpr>(S); Name && Notes)
      if (const auto* V = dyn_cast<VarDecl>(Name->getDecl()))
        if (const auto Found = Now.find(V); Found != Now.end()) {
          ReachingValues& Set = Sets[{V, Found->second}];
          if (Set.Values.empty())
            Set = ValuesOf(Found->second);
          Reaching[Name] = &Set;
        }
    // The graph has a statement of its own for each variable that a statement declares.
    if (const auto* Declares = dyn_cast<DeclStmt>(S)) {
      for (unsigned N = 0; N < Sites.size(); ++N)
        for (const Decl* D : Declares->decls())
          if (Sites[N].Variable == D && isa_and_nonnull<DeclStmt>(Sites[N].At) &&
              IsFollowed(Sites[N].Variable))
            Now[Sites[N].Variable] = {N};
    } else if (const auto Found = SitesOf.find(S); Found != SitesOf.end()) {
      for (const unsigned N : Found->second)
        Now[Sites[N].Variable] = {N};
    }
  };
  std::map<const CFGBlock*, State> Before{{&Graph->getEntry(), std::move(AtEntry)}};
  std::deque<const CFGBlock*> Work{&Graph->getEntry()};
  while (!Work.empty()) {
    const CFGBlock* Block = Work.front();
    Work.pop_front();
    State Now = Before[Block];
    for (const CFGElement& Element : *Block)
      Step(Element, Now, false);
    if (const Stmt* Loop = Block->getLoopTarget())
      EndTurn(Loop, Now);
    for (const CFGBlock* Next : Block->succs()) {
      if (!Next)
        continue;
      const bool IsNew = !Before.contains(Next);
      if (join(Before[Next], Now) || IsNew)
        Work.push_back(Next);
    }
  }
  for (auto& [Block, Now] : Before)
    for (const CFGElement& Element : *Block)
      Step(Element, Now, true);
}

const ReachingValues* LocalValues::at(const DeclRefExpr* Name) const {
  const auto Found = Reaching.find(Name);
  if (Found == Reaching.end())
    return nullptr;
  const ReachingValues& Values = *Found->second;
  return Values.Values.empty() && !Values.FromEarlierTurn ? nullptr : &Values;
}

} // namespace ikra
