// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Readers.h"

#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"
#include "ArrayFlow.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>
#include <memory>
#include <set>

using namespace clang;

namespace ikra {

static ArrayAccess accessOf(const FunctionDecl* Method) {
  if (!Method || !isInIkra(Method))
    return ArrayAccess::None;
  if (const OverloadedOperatorKind Op = Method->getOverloadedOperator())
    return Op == OO_Subscript || Op == OO_Call ? ArrayAccess::Computes : ArrayAccess::None;
  if (isa<CXXConversionDecl>(Method)) // to std::span
    return ArrayAccess::Computes;
  return llvm::StringSwitch<ArrayAccess>(Method->getNameAsString())
      .Cases("to_vector", "value", "begin", "end", ArrayAccess::Computes)
      .Cases("data", "copy_to", "column", ArrayAccess::Computes)
      .Cases("size", "empty", "shape", "rank", ArrayAccess::AsksForSize)
      .Default(ArrayAccess::None);
}

std::pair<const Expr*, ArrayAccess> readBy(const Expr* E) {
  if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E))
    return {Call->getImplicitObjectArgument(), accessOf(Call->getMethodDecl())};
  if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(E);
      Call && isa_and_nonnull<CXXMethodDecl>(Call->getDirectCallee()))
    return {Call->getArg(0), accessOf(Call->getDirectCallee())};
  return {nullptr, ArrayAccess::None};
}

const DeclRefExpr* nameIn(const Expr* E) {
  E = written(E);
  return variableNamed(E) ? cast<DeclRefExpr>(E) : nullptr;
}

namespace {

/// The uses of a function's arrays, and which of them may read the same value.
class FunctionUses {
public:
  FunctionUses(const FunctionDecl& Function, ASTContext& Context) {
    CFG::BuildOptions Options;
    Options.setAllAlwaysAdd();      // each name is an element
    Options.AddInitializers = true; // of constructors
    Graph = CFG::buildCFG(&Function, Function.getBody(), &Context, Options);
    if (!Graph)
      return;
    for (const CFGBlock* Block : *Graph)
      for (const CFGElement& Element : *Block)
        if (const std::optional<CFGStmt> Part = Element.getAs<CFGStmt>())
          classify(Part->getStmt());
    for (const CFGBlock* Block : *Graph)
      for (std::size_t N = 0; N < Block->size(); ++N)
        if (const auto* Name = nameAt(*Block, N))
          Positions[Name] = {Block, N};
  }

  /// Whether all uses of the variable that \p Name names there are seen.
  bool isSeen(const DeclRefExpr* Name) const {
    return Positions.contains(Name) && !Captured.contains(Name->getDecl());
  }

  /// Other uses that may read what \p Name reads, after it or, if they read it later than where
  /// they stand, in front of it. Itself where it may read the same value again.
  std::set<const DeclRefExpr*> beside(const DeclRefExpr* Name) {
    std::set<const DeclRefExpr*> Out = reachedFrom(Name);
    for (const auto& [Other, Position] : Positions)
      if (Other != Name && Other->getDecl() == Name->getDecl() && !Computing.contains(Other) &&
          reachedFrom(Other).contains(Name))
        Out.insert(Other);
    return Out;
  }

private:
  struct Position {
    const CFGBlock* Block = nullptr;
    std::size_t Number = 0;
  };

  void classify(const Stmt* S) {
    if (const auto* Lambda = dyn_cast<LambdaExpr>(S))
      for (const LambdaCapture& Capture : Lambda->captures())
        if (Capture.capturesVariable())
          Captured.insert(Capture.getCapturedVar());
    if (const auto* Declares = dyn_cast<DeclStmt>(S))
      for (const Decl* D : Declares->decls())
        if (const auto* V = dyn_cast<VarDecl>(D); V && V->isImplicit() && V->hasInit())
          if (const DeclRefExpr* Range = nameIn(V->getInit())) // of a loop
            Computing.insert(Range);
    const auto* E = dyn_cast<Expr>(S);
    if (!E)
      return;
    if (const auto& [Array, How] = readBy(E); How != ArrayAccess::None)
      if (const DeclRefExpr* Name = nameIn(Array))
        (How == ArrayAccess::Computes ? Computing : Passed).insert(Name);
    const auto* Call = dyn_cast<CXXOperatorCallExpr>(E);
    if (!Call || Call->getOperator() != OO_Equal || Call->getNumArgs() != 2)
      return;
    const DeclRefExpr* Name = nameIn(Call->getArg(0));
    if (!Name || rankOfArray(Name->getDecl()->getType()) == 0)
      return;
    Passed.insert(Name);
    Sets[Call] = cast<VarDecl>(Name->getDecl());
  }

  const DeclRefExpr* nameAt(const CFGBlock& Block, std::size_t N) const {
    const std::optional<CFGStmt> Part = Block[N].getAs<CFGStmt>();
    const auto* Name = Part ? dyn_cast<DeclRefExpr>(Part->getStmt()) : nullptr;
    return variableNamed(Name) && !Passed.contains(Name) ? Name : nullptr;
  }

  /// Whether the variable gets another value there.
  bool isSetAt(const CFGBlock& Block, std::size_t N, const VarDecl* V) const {
    const std::optional<CFGStmt> Part = Block[N].getAs<CFGStmt>();
    if (!Part)
      return false;
    if (const auto* Declares = dyn_cast<DeclStmt>(Part->getStmt()))
      return llvm::is_contained(Declares->decls(), V);
    const auto Found = Sets.find(Part->getStmt());
    return Found != Sets.end() && Found->second == V;
  }

  /// The uses that a value which is read at \p Name may reach.
  const std::set<const DeclRefExpr*>& reachedFrom(const DeclRefExpr* Name) {
    const auto [Known, IsNew] = Reached.emplace(Name, std::set<const DeclRefExpr*>());
    std::set<const DeclRefExpr*>& Out = Known->second;
    if (!IsNew)
      return Out;
    const auto* V = cast<VarDecl>(Name->getDecl());
    std::set<const CFGBlock*> Seen;
    std::vector<Position> Work{{Positions[Name].Block, Positions[Name].Number + 1}};
    while (!Work.empty()) {
      const auto [Block, First] = Work.back();
      Work.pop_back();
      std::size_t N = First;
      for (; N < Block->size() && !isSetAt(*Block, N, V); ++N)
        if (const DeclRefExpr* Other = nameAt(*Block, N); Other && Other->getDecl() == V)
          Out.insert(Other);
      if (N != Block->size())
        continue;
      for (const CFGBlock* Next : Block->succs())
        if (Next && Seen.insert(Next).second)
          Work.push_back({Next, 0});
    }
    return Out;
  }

  std::unique_ptr<CFG> Graph;
  std::set<const DeclRefExpr*> Computing; ///< read where they stand
  std::set<const DeclRefExpr*> Passed;    ///< read no elements
  std::set<const ValueDecl*> Captured;
  std::map<const Stmt*, const VarDecl*> Sets;
  std::map<const DeclRefExpr*, Position> Positions;
  std::map<const DeclRefExpr*, std::set<const DeclRefExpr*>> Reached;
};

class ReaderFinder {
public:
  ReaderFinder(ASTContext& Context, const std::vector<std::vector<const Expr*>>& Arrays,
               const ArrayFlow& Flow)
      : Context(Context), Flow(Flow) {
    for (Index S = 0; S < Arrays.size(); ++S)
      for (const Expr* Array : Arrays[S])
        if (const DeclRefExpr* Name = nameIn(withoutIndex(Array)))
          ReadersOf[Name].insert(S);
  }

  /// Of what is read as \p Array.
  Readers beside(const Expr* Array) {
    Readers Out;
    std::set<const Expr*> Seen;
    std::vector<const Expr*> Work{Array};
    while (!Work.empty() && !Out.AreUnseen) {
      const Expr* At = withoutIndex(Work.back());
      Work.pop_back();
      if (Seen.insert(At).second)
        addBeside(At, Out, Work);
    }
    return Out;
  }

private:
  static const Expr* withoutIndex(const Expr* E) {
    E = written(E);
    const auto* Call = dyn_cast<CXXMemberCallExpr>(E);
    return Call && isNamedInIkra(Call->getMethodDecl(), {"with_index", "reshape"})
               ? withoutIndex(Call->getImplicitObjectArgument())
               : E;
  }

  /// \param Work gets what the same array may be held by, too
  void addBeside(const Expr* At, Readers& Out, std::vector<const Expr*>& Work) {
    if (const auto* Make = dyn_cast<CXXConstructExpr>(At)) {
      for (const Expr* Argument : Make->arguments())
        if (rankOfArray(Argument->getType()) != 0)
          Work.push_back(Argument);
    } else if (const auto* Cast = dyn_cast<ExplicitCastExpr>(At)) {
      Work.push_back(Cast->getSubExpr());
    } else if (const auto* Choice = dyn_cast<ConditionalOperator>(At)) {
      Work.push_back(Choice->getTrueExpr());
      Work.push_back(Choice->getFalseExpr());
    } else if (const auto* Name = dyn_cast<DeclRefExpr>(At)) {
      Out.IsNamed = true;
      addBesideName(Name, Out, Work);
    } else if (const auto* Call = dyn_cast<CallExpr>(At)) {
      const FunctionDecl* Callee = Call->getDirectCallee();
      if (Callee && isInIkra(Callee))
        return; // makes an array
      const FunctionDecl* Definition = Callee ? Callee->getDefinition() : nullptr;
      if (Callee && isInStd(Callee) && Call->getNumArgs() == 1) // std::move
        Work.push_back(Call->getArg(0));
      else
        addGiven(Definition, Out, Work);
    } else if (const auto* Member = dyn_cast<MemberExpr>(At)) {
      // Of an object that is used several times it is read as often: the runtime sees that.
      Out.IsNamed = true;
      const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
      if (!Field || !Flow.isReadOnce(Field))
        Out.AreUnseen = true;
      else if (const std::vector<const Expr*>* Given = Flow.givenTo(Field))
        Work.insert(Work.end(), Given->begin(), Given->end());
    } else {
      Out.AreUnseen = true;
    }
  }

  void addBesideName(const DeclRefExpr* Name, Readers& Out, std::vector<const Expr*>& Work) {
    const auto* V = dyn_cast<VarDecl>(Name->getDecl());
    const auto* Inside =
        V && V->hasLocalStorage() ? dyn_cast<FunctionDecl>(V->getDeclContext()) : nullptr;
    if (!Inside || !Inside->hasBody()) {
      Out.AreUnseen = true;
      return;
    }
    FunctionUses& Uses = usesIn(*Inside);
    if (!Uses.isSeen(Name)) {
      Out.AreUnseen = true;
      return;
    }
    for (const DeclRefExpr* Other : Uses.beside(Name)) {
      const auto Found = ReadersOf.find(Other);
      if (Other == Name || Found == ReadersOf.end())
        Out.AreUnseen = true;
      else
        Out.Sections.insert(Found->second.begin(), Found->second.end());
    }
    const auto* Method = dyn_cast<CXXMethodDecl>(Inside);
    if (isa<ParmVarDecl>(V) && Method && Method->isVirtual())
      Out.AreUnseen = true;
    else if (isa<ParmVarDecl>(V) || V->hasInit())
      addGiven(V, Out, Work);
  }

  void addGiven(const Decl* D, Readers& Out, std::vector<const Expr*>& Work) {
    const std::vector<const Expr*>* Given = D ? Flow.givenTo(D) : nullptr;
    if (Given)
      Work.insert(Work.end(), Given->begin(), Given->end());
    else
      Out.AreUnseen = true;
  }

  FunctionUses& usesIn(const FunctionDecl& Function) {
    const FunctionDecl* Key = Function.getDefinition();
    std::unique_ptr<FunctionUses>& Uses = UsesIn[Key];
    if (!Uses)
      Uses = std::make_unique<FunctionUses>(*Key, Context);
    return *Uses;
  }

  ASTContext& Context;
  const ArrayFlow& Flow;
  std::map<const DeclRefExpr*, std::set<Index>> ReadersOf;
  std::map<const FunctionDecl*, std::unique_ptr<FunctionUses>> UsesIn;
};

} // namespace

void findOtherReaders(ASTContext& Context, const std::vector<std::vector<const Expr*>>& Arrays,
                      const ArrayFlow& Flow, ProgramModel& Model) {
  ReaderFinder Finder(Context, Arrays, Flow);
  for (Index S = 0; S < Model.Sections.size(); ++S) {
    Section& Reading = Model.Sections[S];
    Reading.Flow.OtherReaders.assign(Reading.Flow.Inputs.size(), {});
    for (std::size_t K = 0; K < Reading.Flow.Inputs.size() && K < Arrays[S].size(); ++K)
      Reading.Flow.OtherReaders[K] = Finder.beside(Arrays[S][K]);
  }
}

} // namespace ikra
