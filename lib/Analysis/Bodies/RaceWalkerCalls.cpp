// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RaceWalker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

namespace ikra::body {

//===-- calls ------------------------------------------------------------------------------===//

bool RaceWalker::takesPlace(const Parameter& P) {
  return !P.Ty || P.Ty->Reference != CodeType::None || P.Ty->Is == CodeType::Pointer ||
         P.Ty->Is == CodeType::List || P.Ty->Is == CodeType::Deduced;
}

RaceWalker::Value RaceWalker::call(const Expr& E, const Call& N) {
  std::map<Index, Classes> Targets;
  bool ReceiverIsSelf = false;
  if (N.Function) {
    Targets[*N.Function];
  } else if (const auto It = Dispatchers.find(N.Dispatcher); It != Dispatchers.end()) {
    ReceiverIsSelf = It->second->ReceiverIsSelf;
    for (const CallTarget& Target : It->second->Targets) {
      Classes& Chosen = Targets[Target.Function];
      if (Target.Class)
        Chosen.push_back(*Target.Class);
    }
  }
  const ikra::Function* First = nullptr;
  for (const auto& [F, Chosen] : Targets)
    if (!First && Model.Functions[F].Code)
      First = &Model.Functions[F];
  if (!First)
    return all(N.Arguments);
  const std::vector<Parameter>& Parameters = First->Code->Parameters;
  const std::size_t Receivers =
      N.Arguments.size() > Parameters.size() ? N.Arguments.size() - Parameters.size() : 0;
  std::vector<Value> Arguments;
  for (std::size_t K = 0; K < N.Arguments.size(); ++K)
    Arguments.push_back(K < Receivers || takesPlace(Parameters[K - Receivers])
                            ? eval(N.Arguments[K])
                            : load(N.Arguments[K]));
  if (isSilent()) {
    return Value(Owner::Nothing);
  }
  Value Out(Owner::Nothing);
  Calls.push_back(E.At);
  const bool Always = isAlways();
  for (const auto& [F, Chosen] : Targets) {
    std::vector<Value> Given = Arguments;
    Classes Elements = Running;
    if (!Chosen.empty() && ReceiverIsSelf)
      llvm::erase_if(Elements, [&](Index C) { return !llvm::is_contained(Chosen, C); });
    else if (!Chosen.empty() && !Given.empty() && Given.front().Members.empty())
      Given.front().Chosen = Chosen;
    Out = joined(Out, run(F, Given, Elements, Always));
  }
  Calls.pop_back();
  return Out;
}

RaceWalker::Value RaceWalker::run(Index F, llvm::ArrayRef<Value> Arguments, const Classes& Elements,
                                  bool Always) {
  constexpr std::size_t MostStates = 4000, MostCalls = 64;
  const std::optional<Body>& Code = Model.Functions[F].Code;
  if (!Code)
    return Value();
  const bool HasLambda =
      llvm::any_of(Arguments, [](const Value& Of) { return Of.Code != nullptr; });
  if (!HasLambda) { // a lambda's variables are there while its function is
    const auto [It, IsNew] = Results.try_emplace(
        State{F, Always, Elements, {Arguments.begin(), Arguments.end()}}, Value());
    if (!IsNew)
      return It->second;
  }
  if (Results.size() > MostStates || Calls.size() > MostCalls)
    return Value();
  Frame Of{&*Code};
  Of.Always = Always;
  const std::size_t Receivers =
      Arguments.size() > Code->Parameters.size() ? Arguments.size() - Code->Parameters.size() : 0;
  if (Receivers != 0)
    Of.Receiver = Arguments.front();
  for (std::size_t K = Receivers; K < Arguments.size(); ++K) {
    const Parameter& P = Code->Parameters[K - Receivers];
    Of.Variables.push_back(
        {P.Ident, converted(Arguments[K], P.Ty), P.Ty && P.Ty->Reference != CodeType::None});
  }
  {
    const llvm::SaveAndRestore Here(Now, &Of);
    const llvm::SaveAndRestore Kinds(Running, Elements);
    const llvm::SaveAndRestore Fresh(InLoop, false);
    walk(Code->Statements);
  }
  if (Of.Result.Of == Owner::Nothing && !Of.Result.IsSame)
    Of.Result = Value();
  if (!HasLambda)
    Results[State{F, Always, Elements, {Arguments.begin(), Arguments.end()}}] = Of.Result;
  return Of.Result;
}

RaceWalker::Value RaceWalker::invoke(Value Callee, const Exprs& Arguments) {
  std::vector<Value> Given;
  const Lambda* Code = Callee.Code;
  for (std::size_t K = 0; K < Arguments.size(); ++K) {
    const TypeRef Ty = Code && K < Code->Parameters.size() ? Code->Parameters[K].Ty : nullptr;
    const bool Takes = !Ty || Ty->Reference != CodeType::None || Ty->Is == CodeType::Pointer ||
                       Ty->Is == CodeType::List || Ty->Is == CodeType::Deduced;
    Given.push_back(converted(Takes ? eval(Arguments[K]) : load(Arguments[K]), Ty));
  }
  if (!Code || !Callee.Home || Calls.size() > 32)
    return Value();
  // Its statements have no function of their own: what it names stands around it.
  Frame Of{nullptr, Callee.Home};
  Of.Always = isAlways();
  for (std::size_t K = 0; K < Code->Parameters.size(); ++K)
    Of.Variables.push_back({Code->Parameters[K].Ident, K < Given.size() ? Given[K] : Value(),
                            Code->Parameters[K].Ty->Reference != CodeType::None});
  for (const Lambda::Capture& C : Code->Captures)
    if (C.Init) {
      const llvm::SaveAndRestore There(Now, Callee.Home);
      Of.Variables.push_back({C.Ident, eval(C.Init), C.ByReference});
    }
  Calls.push_back({});
  {
    const llvm::SaveAndRestore Here(Now, &Of);
    walk(Code->Body);
  }
  Calls.pop_back();
  return Of.Result.Of == Owner::Nothing ? Value() : Of.Result;
}

//===-- what is noted ----------------------------------------------------------------------===//

void RaceWalker::store(const ExprRef& To, const Value& What, bool Updates,
                       clang::SourceLocation At) {
  if (const auto* N = std::get_if<Paren>(&To->Is))
    return store(N->Inner, What, Updates, At);
  if (const auto* N = std::get_if<Choice>(&To->Is)) {
    load(N->Condition);
    ++Now->Branches;
    guarded(N->Condition, true, [&] { store(N->Then, What, Updates, At); });
    guarded(N->Condition, false, [&] { store(N->Else, What, Updates, At); });
    --Now->Branches;
    return;
  }
  if (const auto* N = std::get_if<Name>(&To->Is)) {
    Variable* V = find(N->Ident);
    if (!V)
      return;
    if (!V->IsReference || !V->Is.IsPlace || V->Is.IsPointer) {
      Value Is = What;
      Is.IsSame &= Now->Branches == 0 && !Now->MayHaveLeft;
      const bool IsIn = llvm::any_of(Now->Variables, [&](Variable& Of) { return &Of == V; });
      if (Updates) {
        V->Is.IsSame &= Is.IsSame;
        V->Is.IsClaim |= Is.IsClaim;
        V->Is.IsIndex = V->Is.IsBeside = false;
        V->Is.From.insert(Is.From.begin(), Is.From.end());
      } else if (IsIn && Now->Branches == 0 && !InLoop && !Now->Outer) {
        V->Is = Is;
      } else {
        V->Is = joined(V->Is, Is);
      }
      return;
    }
  }
  note(placeOf(To), What, Updates, To->At.isValid() ? To->At : At);
}

void RaceWalker::note(const Value& Place, const Value& What, bool Updates,
                      clang::SourceLocation At) {
  // What the program does not write: copies of whole objects.
  if (isSilent() || !Place.IsPlace || Place.Members.empty() || Place.IsAtomic || At.isInvalid())
    return;
  Updates |= !Place.Way.empty() && What.From.contains(Place.Way);
  // The least or greatest of what elements bring: if (d < to->next) to->next = d
  Updates |= !Place.Way.empty() && !What.IsSame && Compared.contains(Place.Way);
  switch (Place.Of) {
  case Owner::Element:
    if (isAlways()) {
      // What has been stored anew is no old value any more: sum = 0; for (…) sum += …
      const auto [Own, IsFirst] = Written.try_emplace(Place.Members);
      Own->second.Classes.insert(Running.begin(), Running.end());
      Own->second.Updates |= Updates && IsFirst;
    }
    return;
  case Owner::ForAll:
  case Owner::Other:
  case Owner::Back: {
    const bool IsStored = Place.Of == Owner::ForAll && Place.IsOne && isAlways() && !What.IsSame;
    if (Place.IsSamePlace && (Updates || IsStored))
      Shared.push_back({Place.Name, At, Calls, Updates});
    return;
  }
  case Owner::Nothing:
  case Owner::Unknown:
    return;
  }
}

void RaceWalker::noteRead(const Value& Place, clang::SourceLocation At) {
  if (isSilent() || !Place.IsPlace || Place.IsAtomic || Place.Members.empty() || At.isInvalid())
    return;
  if (Place.Of == Owner::Other || Place.IsOfElements)
    Read.push_back(
        {Place.Members, Place.Name, At, Calls, Place.Class, Place.Chosen, Place.IsOfElements});
}

} // namespace ikra::body
