// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallPaths.h"

#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"
#include "ArrayFlow.h"
#include "CallingContexts.h"
#include "LocalValues.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

using namespace clang;

namespace ikra {

namespace {

/// Beyond these the program is too large to go through call by call.
constexpr std::size_t MostUses = 1024;
/// Ways in which an operation's inputs may come that are followed from their beginning. Those
/// beyond begin with the sections that give the inputs.
constexpr std::size_t MostWays = 16;
/// Steps in which they are looked for, and counted.
constexpr std::size_t MostSteps = 4096;

using Use = std::size_t;

/// Which alternative was taken where there are several: of a `? :`, of a function's returns, of
/// what a variable may have been set to, each in a frame.
using Choices = std::map<std::pair<const void*, const CallingContext*>, std::size_t>;

/// \return whether one way may have both
bool merge(Choices& Into, const Choices& From) {
  return std::ranges::all_of(
      From, [&](const auto& Choice) { return Into.insert(Choice).first->second == Choice.second; });
}

/// What is known of an array: the section that gives it, and whether a variable holds it.
struct Origin {
  std::optional<Use> From = std::nullopt;
  bool Named = false;
  bool Kept = false;    ///< what lives longer is set to it
  bool Carried = false; ///< an earlier turn of a loop may have left it
  Choices Chosen = {};
  /// Where following it ended, and why.
  std::vector<std::pair<const Expr*, const char*>> Ends = {};
};

/// The alternatives; never empty, but while they are being found.
using Origins = std::vector<Origin>;

Origins unknown() { return {Origin()}; }
Origins unknown(const Expr* At, const char* Why) { return {Origin{.Ends = {{At, Why}}}}; }

/// Adds alternatives. What comes from one use on several ways is one of them.
void append(Origins& Out, const Origins& More) {
  for (const Origin& New : More) {
    const auto Known =
        std::ranges::find_if(Out, [&](const Origin& O) { return O.From == New.From; });
    if (Known == Out.end()) {
      Out.push_back(New);
      continue;
    }
    Known->Named |= New.Named;
    Known->Kept |= New.Kept;
    Known->Carried |= New.Carried;
    if (Known->Ends.size() < MostWays)
      Known->Ends.insert(Known->Ends.end(), New.Ends.begin(), New.Ends.end());
    std::erase_if(Known->Chosen, [&](const auto& Choice) {
      const auto Same = New.Chosen.find(Choice.first);
      return Same == New.Chosen.end() || Same->second != Choice.second;
    });
  }
}

/// The alternatives of several expressions, one of which the program takes at \p Point.
template <class Range, class F>
Origins choose(const Range& Values, const void* Point, const CallingContext* At, const F& Go) {
  Origins Out;
  std::size_t Number = 0;
  for (const auto& Value : Values) {
    Origins Found = Go(Value);
    std::erase_if(Found, [&](Origin& O) {
      return Values.size() > 1 && !merge(O.Chosen, Choices{{{Point, At}, Number}});
    });
    append(Out, Found);
    ++Number;
  }
  return Out.empty() ? unknown() : Out;
}

class PathFollower {
public:
  PathFollower(ASTContext& Context, const std::vector<SectionSite>& Sites, const ArrayFlow& Flow,
               ProgramModel& Model)
      : Context(Context), Sites(Sites), Flow(Flow), Model(Model), SectionsOf(sectionsOf(Sites)),
        Contexts(Context, [this](const CallExpr* Call) { return SectionsOf.contains(Call); }) {}

  void run() {
    for (const FunctionDecl* F : Contexts.functions())
      walk(F, Contexts.outermost(F));
    for (std::size_t U = 0; U < Uses.size(); ++U) {
      std::set<std::size_t> Instances;
      for (const Use Reader : Readers[U])
        Instances.insert(Uses[Reader].Instance);
      Uses[U].IsTemporary = Instances.size() == 1 && !IsNamed.contains(U);
    }
    keepNews();
    for (const auto& [Edge, Why] : Obstacles)
      Model.Unfollowed.push_back({Edge.first, Edge.second, Why});
  }

private:
  using Operations = std::map<const CallExpr*, std::vector<Index>>;

  static Operations sectionsOf(const std::vector<SectionSite>& Sites) {
    Operations Out;
    for (Index S = 0; S < Sites.size(); ++S)
      if (Sites[S].Operation)
        Out[Sites[S].Operation].push_back(S);
    return Out;
  }

  /// Notes what the operations in \p F read when it is called as \p At says.
  void walk(const FunctionDecl* F, const CallingContext* At) {
    forEachCall(F, [&](const Expr* E) {
      if (const auto* Call = dyn_cast<CallExpr>(E); Call && SectionsOf.contains(Call))
        usesOf(Call, At);
      const FunctionDecl* Callee = CallingContexts::calleeOf(E);
      if (!Callee || !Contexts.mayHoldOperations(Callee))
        return;
      if (const CallingContext* Inner = Contexts.enter(E, At); Inner && Walked.insert(Inner).second)
        walk(Callee, Inner);
    });
  }

  /// The uses of an operation's sections on one of the ways in which its inputs may come.
  struct Way {
    std::vector<Use> Uses;
    Choices Chosen;
  };
  /// An operation on a way through the calls.
  struct Instance {
    const CallExpr* Operation = nullptr;
    std::size_t Number = 0;
    bool IsKnown = false; ///< or its inputs are being followed
    std::vector<Way> Ways;
    std::optional<Use> WithoutInputs;
  };

  const Instance& usesOf(const CallExpr* Operation, const CallingContext* At) {
    const auto [Known, IsNew] = Instances.emplace(std::pair(Operation, At), Instance());
    Instance& Out = Known->second;
    if (!IsNew)
      return Out;
    Out.Operation = Operation;
    Out.Number = Instances.size();
    std::vector<Origins> Inputs; // of all its sections, as far as they have names
    for (const Index S : SectionsOf[Operation])
      for (std::size_t K = 0; K < inputsWithNames(S); ++K) {
        Inputs.push_back(originOf(Sites[S].Arrays[K], At));
        for (const Origin& O : Inputs.back())
          for (const auto& [End, Why] : O.Ends)
            noteObstacle(S, End, Why);
      }
    if (const std::size_t LeftOut = combine(Inputs, Out); LeftOut != 0) {
      Model.ContextsLeftOut += LeftOut;
      for (Origins& Input : Inputs) {
        Origins Short;
        for (const Origin& O : Input)
          append(Short, {Origin{.From = withoutInputs(O.From), .Named = O.Named, .Kept = O.Kept}});
        Input = std::move(Short);
      }
      combine(Inputs, Out);
    }
    Out.IsKnown = true;
    return Out;
  }

  std::size_t inputsWithNames(Index S) const {
    return std::min(Sites[S].Arrays.size(), Model.Sections[S].Flow.Inputs.size());
  }

  /// Adds a way for each combination of inputs that one run may have.
  /// \return how many there are too many, as far as it counts
  std::size_t combine(const std::vector<Origins>& Inputs, Instance& Out) {
    std::size_t Found = 0, Steps = 0;
    std::vector<Origin> Taken;
    const auto Go = [&](const auto& Self, const Choices& Chosen) -> void {
      if (Taken.size() == Inputs.size()) {
        if (++Found <= MostWays)
          Out.Ways.push_back({makeUses(Taken, Out), Chosen});
        return;
      }
      for (const Origin& O : Inputs[Taken.size()]) {
        Choices Both = Chosen;
        if (++Steps > MostSteps || !merge(Both, O.Chosen))
          continue;
        Taken.push_back(O);
        Self(Self, Both);
        Taken.pop_back();
      }
    };
    Go(Go, {});
    return Found > MostWays ? Found - MostWays : 0;
  }

  /// The uses of an operation's sections.
  /// \param Inputs of those that have names; none if they are not to be followed
  std::vector<Use> makeUses(const std::vector<Origin>& Inputs, Instance& Of) {
    std::vector<Use> Out;
    std::map<Index, Use> Here;
    std::size_t Next = 0;
    for (const Index S : SectionsOf[Of.Operation]) {
      if (Uses.size() == MostUses) {
        ++Model.ContextsLeftOut;
        break;
      }
      const std::vector<std::optional<Index>>& Known = Model.Sections[S].Flow.Inputs;
      SectionUse Made{.Of = S, .Inputs = {}, .Instance = Of.Number};
      for (std::size_t K = 0; K < Known.size(); ++K) {
        const bool HasName = K < inputsWithNames(S);
        Origin Input;
        if (HasName && !Inputs.empty())
          Input = Inputs[Next++];
        else if (!HasName && Known[K] && Here.contains(*Known[K]))
          Input.From = Here[*Known[K]];
        Made.Inputs.push_back(Input.From);
        if (Input.Carried && Known[K])
          News.push_back(Uses.size());
        if (Input.From && Input.Named)
          IsNamed.insert(*Input.From);
        if (Input.From && Input.Kept)
          Uses[*Input.From].IsKept = true;
      }
      const Use U = Uses.size();
      for (const std::optional<Use>& Input : Made.Inputs)
        if (Input)
          Readers[*Input].insert(U);
      Uses.push_back(std::move(Made));
      InstanceOf.push_back(&Of);
      Here[S] = U;
      Out.push_back(U);
    }
    return Out;
  }

  /// The same use with inputs that are not followed.
  std::optional<Use> withoutInputs(std::optional<Use> U) {
    if (!U)
      return std::nullopt;
    Instance& Of = *InstanceOf[*U];
    if (!Of.WithoutInputs)
      if (const std::vector<Use> Made = makeUses({}, Of); !Made.empty())
        Of.WithoutInputs = Made.back();
    return Of.WithoutInputs;
  }

  /// The frame, on the way to \p At, of the function that declares a variable or parameter.
  static const CallingContext* frameOf(const VarDecl* V, const CallingContext* At) {
    while (At && At->Function != V->getDeclContext())
      At = At->Caller;
    return At;
  }

  const Origins& originOf(const Expr* E, const CallingContext* At) {
    return foundOnce(OriginOf, std::pair(E, At), [&] { return find(written(E), At); });
  }

  /// What \p find gives, which is asked once for each key. What it leads to while it is being found
  /// is unknown.
  template <class Map, class Key>
  const Origins& foundOnce(Map& All, const Key& Of, llvm::function_ref<Origins()> Find) {
    const auto [Known, IsNew] = All.emplace(Of, Origins());
    Origins& Out = Known->second;
    if (IsNew) {
      Origins Found = Find();
      Out = std::move(Found);
    } else if (Out.empty()) {
      Out = unknown();
    }
    return Out;
  }

  Origins find(const Expr* E, const CallingContext* At) {
    const auto Go = [this](const Expr* E, const CallingContext* There) {
      return originOf(E, There);
    };
    if (const auto* Make = dyn_cast<CXXConstructExpr>(E))
      return Make->getNumArgs() == 1 && rankOfArray(Make->getType()) != 0 &&
                     rankOfArray(Make->getArg(0)->getType()) != 0
                 ? originOf(Make->getArg(0), At)
                 : unknown();
    if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
      return alternativesOf(Choice, At, Go);
    if (const auto* Name = dyn_cast<DeclRefExpr>(E)) {
      if (const auto* Binding = dyn_cast<BindingDecl>(Name->getDecl()))
        return Binding->getBinding() ? originOf(Binding->getBinding(), At) : unknown();
      return follow(Name, At, Go);
    }
    if (const auto* Member = dyn_cast<MemberExpr>(E)) {
      const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
      if (!Field)
        return unknown();
      if (Flow.isAssigned(Field))
        return unknown(E, "a member that is assigned gives it");
      return originOf(Field, Member->getBase(), At);
    }
    const auto* Call = dyn_cast<CallExpr>(E);
    if (!Call)
      return unknown();
    if (SectionsOf.contains(Call)) {
      const Instance& Found = usesOf(Call, At);
      if (!Found.IsKnown)
        return unknown(E, CarriedByLoop);
      Origins Out;
      for (const Way& W : Found.Ways)
        if (!W.Uses.empty() && Sites[Uses[W.Uses.back()].Of].GivesResult)
          append(Out, {Origin{.From = W.Uses.back(), .Chosen = W.Chosen}});
      return Out.empty() ? unknown() : Out;
    }
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (const auto* Method = dyn_cast<CXXMemberCallExpr>(Call);
        Method && Callee && isInIkra(Callee))
      return hasName(Callee, {"with_index"}) ? originOf(Method->getImplicitObjectArgument(), At)
                                             : unknown();
    if (Callee && isInStd(Callee) && Call->getNumArgs() == 1) // std::move
      return originOf(Call->getArg(0), At);
    return returned(Call, At, Go);
  }

  /// What a member of an object is.
  Origins originOf(const FieldDecl* Field, const Expr* Object, const CallingContext* At) {
    return foundOnce(MemberOf, std::tuple(Field, Object, At),
                     [&] { return find(Field, written(Object), At); });
  }

  Origins find(const FieldDecl* Field, const Expr* Object, const CallingContext* At) {
    const auto Go = [&](const Expr* E, const CallingContext* There) {
      return originOf(Field, E, There);
    };
    if (isa<CXXThisExpr>(Object))
      return At->Object ? Go(At->Object, At->Caller) : unknown();
    if (const auto* Choice = dyn_cast<ConditionalOperator>(Object))
      return alternativesOf(Choice, At, Go);
    if (const auto* Name = dyn_cast<DeclRefExpr>(Object))
      return follow(Name, At, Go);
    if (const auto* List = dyn_cast<InitListExpr>(Object)) {
      const bool IsOwn = List->getType()->getAsCXXRecordDecl() == Field->getParent();
      return IsOwn && Field->getFieldIndex() < List->getNumInits()
                 ? originOf(List->getInit(Field->getFieldIndex()), At)
                 : unknown();
    }
    if (const auto* Make = dyn_cast<CXXConstructExpr>(Object)) {
      if (Make->getConstructor()->isCopyOrMoveConstructor())
        return Go(Make->getArg(0), At);
      const CallingContext* Inside = Contexts.enter(Make, At);
      const auto* Constructor =
          Inside ? cast<CXXConstructorDecl>(Inside->Function) : Make->getConstructor();
      for (const CXXCtorInitializer* Init : Constructor->inits())
        if (Inside && Init->getMember() == Field)
          return originOf(Init->getInit(), Inside);
      return unknown();
    }
    const auto* Call = dyn_cast<CallExpr>(Object);
    const FunctionDecl* Callee = calleeOf(Call);
    if (Callee && isInStd(Callee) && Call->getNumArgs() == 1) // std::move
      return Go(Call->getArg(0), At);
    return Call ? returned(Call, At, Go) : unknown();
  }

  template <class F>
  static Origins alternativesOf(const ConditionalOperator* Choice, const CallingContext* At,
                                const F& Go) {
    return choose(std::array{Choice->getTrueExpr(), Choice->getFalseExpr()}, Choice, At,
                  [&](const Expr* E) { return Go(E, At); });
  }

  /// What a variable or a parameter is, by \p Go, which is given an expression and where it stands.
  template <class F>
  Origins follow(const DeclRefExpr* Name, const CallingContext* At, const F& Go) {
    const auto* V = dyn_cast<VarDecl>(Name->getDecl());
    const CallingContext* There = V ? frameOf(V, At) : nullptr;
    if (V && V->hasGlobalStorage() && (!There || Flow.isAssigned(V)))
      return unknown(Name, "a variable that outlives calls gives it");
    if (!There)
      return unknown();
    const auto Given = [&](const Expr* Value) -> Origins {
      if (Value)
        return Go(Value, There);
      const auto* Parameter = dyn_cast<ParmVarDecl>(V);
      const auto Argument = Parameter ? There->Arguments.find(Parameter) : There->Arguments.end();
      return Argument == There->Arguments.end() ? unknown() : Go(Argument->second, There->Caller);
    };
    Origins Out;
    if (Flow.isAssigned(V)) {
      const LocalValues& Values = valuesIn(There->Function);
      const ReachingValues* Reaching = Values.at(Name);
      if (!Reaching)
        return unknown(Name, Values.isCarried(V)
                                 ? CarriedByLoop
                                 : "a variable that is assigned elsewhere gives it");
      std::vector<std::optional<ReachingValue>> All(Reaching->Values.begin(),
                                                    Reaching->Values.end());
      if (Reaching->FromEarlierTurn)
        All.emplace_back();
      Out = choose(All, Reaching, There, [&](const std::optional<ReachingValue>& Value) {
        if (!Value)
          return Origins{Origin{.Carried = true, .Ends = {{Name, CarriedByLoop}}}};
        Origins Found = Given(Value->Value);
        for (Origin& O : Found)
          O.Kept |= Value->IsKept;
        return Found;
      });
    } else if (isa<ParmVarDecl>(V)) {
      return Given(nullptr);
    } else if (V->isLocalVarDecl() && V->hasInit()) {
      Out = Given(V->getInit());
    } else {
      return unknown();
    }
    const bool Kept = valuesIn(There->Function).isKept(V);
    for (Origin& O : Out) {
      O.Named = true;
      O.Kept |= Kept;
    }
    return Out;
  }

  const LocalValues& valuesIn(const FunctionDecl* F) {
    const auto Known = ValuesIn.find(F);
    return Known != ValuesIn.end() ? Known->second
                                   : ValuesIn.try_emplace(F, *F, Context, Flow).first->second;
  }

  /// What a call of a function gives.
  template <class F> Origins returned(const CallExpr* Call, const CallingContext* At, const F& Go) {
    const CallingContext* Inside = Contexts.enter(Call, At);
    if (!Inside)
      return unknown(Call, CallingContexts::whyNotEntered(Call, At));
    return choose(returnsOf(*Inside->Function), Inside->Function, Inside,
                  [&](const Expr* E) { return Go(E, Inside); });
  }

  /// Notes that what may give an input is not seen to.
  void noteObstacle(Index Consumer, const Expr* End, const char* Why) {
    for (const CallExpr* Call : Flow.sourcesOf(End))
      if (const auto Found = SectionsOf.find(Call);
          Found != SectionsOf.end() && Sites[Found->second.back()].GivesResult)
        Obstacles.emplace(std::pair(Found->second.back(), Consumer), Why);
  }

  /// Keeps the uses that hang together with one whose input the model's sections do not say, or
  /// say for a loop's first turn alone.
  void keepNews() {
    std::vector<bool> Kept(Uses.size(), false);
    std::vector<Use> Work = std::move(News);
    for (Use U = 0; U < Uses.size(); ++U)
      for (std::size_t K = 0; K < Uses[U].Inputs.size(); ++K)
        if (const std::optional<Use>& Input = Uses[U].Inputs[K];
            Input && Model.Sections[Uses[U].Of].Flow.Inputs[K] != Uses[*Input].Of)
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

  /// Why what a loop assigns is not followed: its next turn reads it too.
  static constexpr const char* CarriedByLoop = "a loop carries it from turn to turn";

  ASTContext& Context;
  const std::vector<SectionSite>& Sites;
  const ArrayFlow& Flow;
  ProgramModel& Model;
  Operations SectionsOf;
  CallingContexts Contexts;
  std::vector<Use> News; ///< of inputs that a loop carries
  std::map<const FunctionDecl*, LocalValues> ValuesIn;
  std::set<const CallingContext*> Walked;
  std::map<std::pair<const CallExpr*, const CallingContext*>, Instance> Instances;
  std::map<std::pair<const Expr*, const CallingContext*>, Origins> OriginOf;
  std::map<std::tuple<const FieldDecl*, const Expr*, const CallingContext*>, Origins> MemberOf;
  std::vector<SectionUse> Uses;
  std::vector<Instance*> InstanceOf; ///< of the uses
  std::map<Use, std::set<Use>> Readers;
  std::set<Use> IsNamed;
  /// Why a section is not seen to give another one's input, on one of the ways.
  std::map<std::pair<Index, Index>, const char*> Obstacles;
};

} // namespace

void findUses(ASTContext& Context, const std::vector<SectionSite>& Sites, const ArrayFlow& Flow,
              ProgramModel& Model) {
  PathFollower(Context, Sites, Flow, Model).run();
}

} // namespace ikra
