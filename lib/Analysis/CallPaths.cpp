// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallPaths.h"

#include "ArrayFlow.h"
#include "Types.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

#include <deque>
#include <map>
#include <set>
#include <vector>

using namespace clang;

namespace ikra {

namespace {

/// Calls within calls that are followed.
constexpr unsigned MostCalls = 8;
/// Beyond these the program is too large to go through call by call.
constexpr std::size_t MostFrames = 4096, MostUses = 1024;

/// A call of a function by way of others.
struct Frame {
  const FunctionDecl* Function = nullptr;
  std::map<const ParmVarDecl*, const Expr*> Arguments = {};
  const Expr* Object = nullptr; ///< of a method; stands in the caller
  const Frame* Caller = nullptr;
  unsigned Depth = 0;
};

/// The functions with bodies outside of libraries, instantiations included.
class FunctionFinder : public RecursiveASTVisitor<FunctionFinder> {
public:
  explicit FunctionFinder(const SourceManager& SM) : SM(SM) {}
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl* D) {
    if (D && isOfLibrary(D, SM))
      return true;
    return RecursiveASTVisitor::TraverseDecl(D);
  }
  bool VisitFunctionDecl(FunctionDecl* F) {
    if (F->isThisDeclarationADefinition() && F->hasBody() && !F->isDependentContext())
      Found.push_back(F);
    return true;
  }

  std::vector<const FunctionDecl*> Found;

private:
  const SourceManager& SM;
};

/// What a function returns, if it does so in one place.
class ReturnFinder : public RecursiveASTVisitor<ReturnFinder> {
public:
  bool VisitReturnStmt(ReturnStmt* Return) {
    Value = Returns++ == 0 ? Return->getRetValue() : nullptr;
    return true;
  }
  static bool TraverseLambdaExpr(LambdaExpr*) { return true; }

  const Expr* Value = nullptr;
  unsigned Returns = 0;
};

class PathFollower {
public:
  PathFollower(const std::vector<SectionSite>& Sites, const ArrayFlow& Flow, ProgramModel& Model)
      : Sites(Sites), Flow(Flow), Model(Model) {
    for (Index S = 0; S < Sites.size(); ++S)
      if (Sites[S].Operation)
        SectionsOf[Sites[S].Operation].push_back(S);
  }

  void run(const std::vector<const FunctionDecl*>& Functions) {
    findHolders(Functions);
    for (const FunctionDecl* F : Functions)
      if (Holders.contains(F)) {
        Frames.push_back({.Function = F});
        walk(F, &Frames.back());
      }
    for (std::size_t U = 0; U < Uses.size(); ++U)
      Uses[U].IsTemporary = Readers[U].size() == 1 && !IsNamed.contains(U);
    keepNews();
  }

private:
  using Use = std::size_t;

  /// Finds the functions whose calls may carry out operations: those that hold some, and those that
  /// call such a function, also around in circles.
  void findHolders(std::vector<const FunctionDecl*> Seen) {
    std::map<const FunctionDecl*, std::vector<const FunctionDecl*>> CallersOf;
    std::set<const FunctionDecl*> Known(Seen.begin(), Seen.end());
    std::vector<const FunctionDecl*> Work;
    for (std::size_t K = 0; K < Seen.size(); ++K) {
      const FunctionDecl* F = Seen[K];
      forEachCall(F, [&](const Expr* E) {
        if (const auto* Call = dyn_cast<CallExpr>(E); Call && SectionsOf.contains(Call))
          Work.push_back(F);
        const FunctionDecl* Callee = calleeOf(E);
        if (!Callee)
          return;
        CallersOf[Callee].push_back(F);
        if (Known.insert(Callee).second)
          Seen.push_back(Callee);
      });
    }
    while (!Work.empty()) {
      const FunctionDecl* F = Work.back();
      Work.pop_back();
      if (Holders.insert(F).second)
        Work.insert(Work.end(), CallersOf[F].begin(), CallersOf[F].end());
    }
  }

  /// Calls \p Do with each call and construction in a function, but for what lambdas hold.
  template <class F> static void forEachCall(const FunctionDecl* Function, const F& Do) {
    if (const auto* Constructor = dyn_cast<CXXConstructorDecl>(Function))
      for (const CXXCtorInitializer* Init : Constructor->inits())
        visit(Init->getInit(), Do);
    visit(Function->getBody(), Do);
  }
  template <class F> static void visit(const Stmt* S, const F& Do) {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (isa<CallExpr, CXXConstructExpr>(S))
      Do(cast<Expr>(S));
    for (const Stmt* Child : S->children())
      visit(Child, Do);
  }

  /// The definition of the program's function that is called; null where there is none.
  static const FunctionDecl* calleeOf(const Expr* E) {
    const FunctionDecl* Callee = nullptr;
    if (const auto* Call = dyn_cast<CallExpr>(E))
      Callee = Call->getDirectCallee();
    else if (const auto* Make = dyn_cast<CXXConstructExpr>(E))
      Callee = Make->getConstructor();
    if (!Callee || isInIkra(Callee) || isInStd(Callee))
      return nullptr;
    if (const auto* Method = dyn_cast<CXXMethodDecl>(Callee); Method && Method->isVirtual())
      return nullptr;
    const FunctionDecl* Definition = Callee->getDefinition();
    return Definition && Definition->hasBody() ? Definition : nullptr;
  }

  /// The frame of the call \p E in \p From; null where it is not followed.
  const Frame* enter(const Expr* E, const Frame* From) {
    const FunctionDecl* Callee = calleeOf(E);
    if (!Callee || From->Depth == MostCalls || Frames.size() == MostFrames)
      return nullptr;
    for (const Frame* Outer = From; Outer; Outer = Outer->Caller)
      if (Outer->Function == Callee)
        return nullptr;
    const auto [Known, IsNew] = Calls.emplace(std::pair(E, From), nullptr);
    if (!IsNew)
      return Known->second;
    Frame Made{.Function = Callee, .Caller = From, .Depth = From->Depth + 1};
    llvm::ArrayRef<const Expr*> Arguments;
    if (const auto* Make = dyn_cast<CXXConstructExpr>(E)) {
      Arguments = {Make->getArgs(), Make->getNumArgs()};
    } else {
      const auto* Call = cast<CallExpr>(E);
      Arguments = {Call->getArgs(), Call->getNumArgs()};
      if (const auto* Method = dyn_cast<CXXMemberCallExpr>(Call)) {
        Made.Object = Method->getImplicitObjectArgument();
      } else if (isa<CXXOperatorCallExpr>(Call) && isa<CXXMethodDecl>(Callee) &&
                 !Arguments.empty()) {
        Made.Object = Arguments.front();
        Arguments = Arguments.drop_front();
      }
    }
    for (std::size_t K = 0; K < Arguments.size() && K < Callee->getNumParams(); ++K)
      Made.Arguments[Callee->getParamDecl(static_cast<unsigned>(K))] = Arguments[K];
    Frames.push_back(std::move(Made));
    return Calls[{E, From}] = &Frames.back();
  }

  /// Notes what the operations in \p F read when it is called as \p At says.
  void walk(const FunctionDecl* F, const Frame* At) {
    forEachCall(F, [&](const Expr* E) {
      if (const auto* Call = dyn_cast<CallExpr>(E); Call && SectionsOf.contains(Call))
        usesOf(Call, At);
      const FunctionDecl* Callee = calleeOf(E);
      if (!Callee || !Holders.contains(Callee))
        return;
      if (const Frame* Inner = enter(E, At); Inner && Walked.insert(Inner).second)
        walk(Callee, Inner);
    });
  }

  /// What is known of an array: the section that gives it, and whether a variable holds it.
  struct Origin {
    std::optional<Use> From;
    bool Named = false;
  };

  /// The uses of an operation's sections on a way through the calls.
  const std::vector<Use>& usesOf(const CallExpr* Operation, const Frame* At) {
    const auto [Known, IsNew] = UsesOf.emplace(std::pair(Operation, At), std::vector<Use>());
    std::vector<Use>& Out = Known->second;
    if (!IsNew) // also where it is its own input, by a variable
      return Out;
    std::map<Index, Use> Here;
    for (const Index S : SectionsOf[Operation]) {
      if (Uses.size() == MostUses)
        break;
      const Section& Of = Model.Sections[S];
      SectionUse Made{.Of = S, .Inputs = std::vector<std::optional<Use>>(Of.Inputs.size())};
      std::vector<Use> Named;
      for (std::size_t K = 0; K < Of.Inputs.size(); ++K) {
        Origin Input;
        if (K < Sites[S].Arrays.size())
          Input = originOf(Sites[S].Arrays[K], At);
        else if (Of.Inputs[K] && Here.contains(*Of.Inputs[K]))
          Input.From = Here[*Of.Inputs[K]];
        Made.Inputs[K] = Input.From;
        if (Input.From && Input.Named)
          Named.push_back(*Input.From);
      }
      const Use U = Uses.size();
      for (const std::optional<Use>& Input : Made.Inputs)
        if (Input)
          Readers[*Input].insert(U);
      IsNamed.insert(Named.begin(), Named.end());
      Uses.push_back(std::move(Made));
      Here[S] = U;
      UsesOf[{Operation, At}].push_back(U);
    }
    return UsesOf[{Operation, At}];
  }

  /// The frame, on the way to \p At, of the function that declares a variable or parameter.
  static const Frame* frameOf(const VarDecl* V, const Frame* At) {
    while (At && At->Function != V->getDeclContext())
      At = At->Caller;
    return At;
  }

  Origin originOf(const Expr* E, const Frame* At) {
    E = written(E);
    if (const auto* Make = dyn_cast<CXXConstructExpr>(E))
      return Make->getNumArgs() == 1 && rankOfArray(Make->getType()) != 0 &&
                     rankOfArray(Make->getArg(0)->getType()) != 0
                 ? originOf(Make->getArg(0), At)
                 : Origin();
    if (const auto* Name = dyn_cast<DeclRefExpr>(E)) {
      if (const auto* Binding = dyn_cast<BindingDecl>(Name->getDecl()))
        return Binding->getBinding() ? originOf(Binding->getBinding(), At) : Origin();
      return follow(Name, At, [this](const Expr* Given, const Frame* There) {
        return originOf(Given, There);
      });
    }
    if (const auto* Member = dyn_cast<MemberExpr>(E)) {
      const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
      return Field ? originOf(Field, Member->getBase(), At) : Origin();
    }
    const auto* Call = dyn_cast<CallExpr>(E);
    const FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
    if (!Callee)
      return {};
    if (SectionsOf.contains(Call)) {
      const std::vector<Use>& Found = usesOf(Call, At);
      const bool IsResult = !Found.empty() && Sites[Uses[Found.back()].Of].GivesResult;
      return {IsResult ? std::optional(Found.back()) : std::nullopt};
    }
    if (const auto* Method = dyn_cast<CXXMemberCallExpr>(Call); Method && isInIkra(Callee))
      return Callee->getIdentifier() && Callee->getName() == "with_index"
                 ? originOf(Method->getImplicitObjectArgument(), At)
                 : Origin();
    if (isInStd(Callee) && Call->getNumArgs() == 1) // std::move
      return originOf(Call->getArg(0), At);
    return returned(Call, At,
                    [this](const Expr* E, const Frame* There) { return originOf(E, There); });
  }

  /// What a member of an object is.
  Origin originOf(const FieldDecl* Field, const Expr* Object, const Frame* At) {
    if (Flow.isAssigned(Field))
      return {};
    Object = written(Object);
    const auto Go = [&](const Expr* E, const Frame* There) { return originOf(Field, E, There); };
    if (isa<CXXThisExpr>(Object))
      return At->Object ? Go(At->Object, At->Caller) : Origin();
    if (const auto* Name = dyn_cast<DeclRefExpr>(Object))
      return follow(Name, At, Go);
    if (const auto* List = dyn_cast<InitListExpr>(Object)) {
      const bool IsOwn = List->getType()->getAsCXXRecordDecl() == Field->getParent();
      return IsOwn && Field->getFieldIndex() < List->getNumInits()
                 ? originOf(List->getInit(Field->getFieldIndex()), At)
                 : Origin();
    }
    if (const auto* Make = dyn_cast<CXXConstructExpr>(Object)) {
      if (Make->getConstructor()->isCopyOrMoveConstructor())
        return Go(Make->getArg(0), At);
      const Frame* Inside = enter(Make, At);
      const auto* Constructor =
          Inside ? cast<CXXConstructorDecl>(Inside->Function) : Make->getConstructor();
      for (const CXXCtorInitializer* Init : Constructor->inits())
        if (Inside && Init->getMember() == Field)
          return originOf(Init->getInit(), Inside);
      return {};
    }
    const auto* Call = dyn_cast<CallExpr>(Object);
    const FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
    if (Callee && isInStd(Callee) && Call->getNumArgs() == 1) // std::move
      return Go(Call->getArg(0), At);
    return Call ? returned(Call, At, Go) : Origin();
  }

  /// What a variable or a parameter is, by \p Go, which is given an expression and where it stands.
  template <class F> Origin follow(const DeclRefExpr* Name, const Frame* At, const F& Go) {
    const auto* V = dyn_cast<VarDecl>(Name->getDecl());
    const Frame* There = V ? frameOf(V, At) : nullptr;
    if (!There || Flow.isAssigned(V))
      return {};
    if (const auto* Parameter = dyn_cast<ParmVarDecl>(V)) {
      const auto Given = There->Arguments.find(Parameter);
      return Given == There->Arguments.end() ? Origin() : Go(Given->second, There->Caller);
    }
    if (!V->isLocalVarDecl() || !V->hasInit() || !Open.insert(V).second)
      return {};
    Origin Out = Go(V->getInit(), There);
    Open.erase(V);
    Out.Named = true;
    return Out;
  }

  /// What a call of a function gives.
  template <class F> Origin returned(const CallExpr* Call, const Frame* At, const F& Go) {
    const Frame* Inside = enter(Call, At);
    if (!Inside)
      return {};
    ReturnFinder Return;
    Return.TraverseStmt(Inside->Function->getBody());
    return Return.Value ? Go(Return.Value, Inside) : Origin();
  }

  /// Keeps the uses that hang together with one whose input the model's sections do not say.
  void keepNews() {
    std::vector<bool> Kept(Uses.size(), false);
    std::vector<Use> Work;
    for (Use U = 0; U < Uses.size(); ++U)
      for (std::size_t K = 0; K < Uses[U].Inputs.size(); ++K)
        if (const std::optional<Use>& Input = Uses[U].Inputs[K];
            Input && Model.Sections[Uses[U].Of].Inputs[K] != Uses[*Input].Of)
          Work.push_back(U);
    while (!Work.empty()) {
      const Use U = Work.back();
      Work.pop_back();
      if (Kept[U])
        continue;
      Kept[U] = true;
      Work.insert(Work.end(), Readers[U].begin(), Readers[U].end());
      for (const std::optional<Use>& Input : Uses[U].Inputs)
        if (Input)
          Work.push_back(*Input);
    }
    std::vector<Use> Number(Uses.size());
    for (Use U = 0; U < Uses.size(); ++U) {
      Number[U] = Model.Uses.size();
      if (!Kept[U])
        continue;
      for (std::optional<Use>& Input : Uses[U].Inputs) // which are in front of it
        if (Input)
          Input = Number[*Input];
      Model.Uses.push_back(std::move(Uses[U]));
    }
  }

  const std::vector<SectionSite>& Sites;
  const ArrayFlow& Flow;
  ProgramModel& Model;
  std::map<const CallExpr*, std::vector<Index>> SectionsOf;
  std::set<const FunctionDecl*> Holders;
  std::deque<Frame> Frames;
  std::map<std::pair<const Expr*, const Frame*>, const Frame*> Calls;
  std::set<const Frame*> Walked;
  std::map<std::pair<const CallExpr*, const Frame*>, std::vector<Use>> UsesOf;
  std::vector<SectionUse> Uses;
  std::map<Use, std::set<Use>> Readers;
  std::set<Use> IsNamed;
  std::set<const VarDecl*> Open; ///< whose initialisers are being followed
};

} // namespace

void findUses(ASTContext& Context, const std::vector<SectionSite>& Sites, const ArrayFlow& Flow,
              ProgramModel& Model) {
  FunctionFinder Functions(Context.getSourceManager());
  Functions.TraverseDecl(Context.getTranslationUnitDecl());
  PathFollower(Sites, Flow, Model).run(Functions.Found);
}

} // namespace ikra
