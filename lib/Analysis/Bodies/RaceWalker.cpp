// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RaceWalker.h"

#include "Model/Cases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

namespace ikra::body {

const ExprRef& stripped(const ExprRef& E) {
  if (const auto* N = std::get_if<Paren>(&E->Is))
    return stripped(N->Inner);
  if (const auto* N = std::get_if<Cast>(&E->Is))
    return stripped(N->Of);
  return E;
}

static bool isNull(const ExprRef& E) {
  const auto* N = std::get_if<Literal>(&stripped(E)->Is);
  return N && (N->Text == "nullptr" || N->Text == "ikra::null_object");
}

RaceWalker::RaceWalker(const ProgramModel& Model, const Section& S, const ElementsOf& Elements,
                       const std::map<std::string, const ikra::Call*>& Dispatchers,
                       const std::set<Index>& WrittenInOthers)
    : Model(Model), S(S), Elements(Elements), Dispatchers(Dispatchers),
      WrittenInOthers(WrittenInOthers) {}

RaceWalker::Value RaceWalker::elementValue() const {
  Value Out;
  Out.Of = Owner::Element;
  Out.Class = S.Elements.empty() ? std::nullopt : S.element().Class;
  Out.Way = "element";
  return Out;
}

void RaceWalker::walk() {
  const ikra::Function& F = Model.Functions[S.Code.Function];
  if (!F.Code)
    return;
  if (S.isOverObjects())
    Running = Model.Classes[*S.element().Class].Concrete;
  Frame Of{&*F.Code};
  // The element, then its index and the tick where it is given them.
  bool HasElement = false, HasIndex = !S.WithIndex;
  for (const Parameter& P : F.Code->Parameters) {
    Value Is;
    if (!HasElement && S.isOverObjects()) {
      Is = elementValue();
    } else if (HasElement && !HasIndex) {
      Is.IsIndex = true;
    } else {
      Is.IsSame = HasElement;
    }
    HasIndex |= HasElement;
    HasElement = true;
    Of.Variables.push_back({P.Ident, Is});
  }
  Now = &Of;
  walk(F.Code->Statements);
}

RaceWalker::Variable* RaceWalker::find(const std::string& Ident) {
  for (Frame* F = Now; F; F = F->Outer)
    for (Variable& V : llvm::reverse(F->Variables))
      if (V.Ident == Ident)
        return &V;
  return nullptr;
}

//===-- statements -------------------------------------------------------------------------===//

static bool leaves(const Stmts& Body) {
  return !Body.empty() && std::visit(Cases{
                                         [](const auto&) { return false; },
                                         [](const Return&) { return true; },
                                         [](const Break&) { return true; },
                                         [](const Continue&) { return true; },
                                         [](const Block& N) { return leaves(N.Body); },
                                     },
                                     Body.back()->Is);
}

/// Whether an atomic operation decides on it: a lock.
static bool hasAtomic(const ExprRef& E) {
  if (const auto* N = std::get_if<LibraryCall>(&E->Is); N && N->Name.starts_with("ikra::atomic"))
    return true;
  return llvm::any_of(operandsOf(*E), hasAtomic);
}

void RaceWalker::walk(const Stmts& Body) {
  const std::size_t Declared = Now->Variables.size();
  const llvm::SaveAndRestore Rest(Claimed);
  const llvm::SaveAndRestore Decided(Compared);
  for (const StmtRef& St : Body) {
    walk(*St);
    // What follows runs only if the condition did not hold.
    if (const auto* N = std::get_if<If>(&St->Is); N && N->Condition && leaves(N->Then)) {
      Claimed |= claims(N->Condition, false);
      addCompared(N->Condition, Compared);
    }
    if (const auto* N = std::get_if<While>(&St->Is); N && N->Condition)
      Claimed |= hasAtomic(N->Condition);
    if (const auto* N = std::get_if<Do>(&St->Is))
      Claimed |= hasAtomic(N->Condition);
  }
  Now->Variables.resize(Declared);
}

void RaceWalker::walk(const Stmt& St) {
  const auto Once = [&](const StmtRef& Of) {
    if (Of)
      walk(*Of);
  };
  const auto Ask = [&](const ExprRef& Of) {
    if (Of)
      load(Of);
  };
  const std::size_t Declared = Now->Variables.size();
  const auto Each = [&](const Stmts& Of) {
    for (const StmtRef& One : Of)
      walk(*One);
  };
  std::visit(
      Cases{
          [](const auto&) {},
          [&](const Evaluate& N) { eval(N.Value); },
          [&](const Declare& N) { declare(N); },
          [&](const Return& N) {
            if (N.Value) {
              const CodeType* Ty = Now->Code ? Now->Code->Result.get() : nullptr;
              Value Of = Ty && Ty->Reference == CodeType::None ? load(N.Value) : eval(N.Value);
              Of.IsSame &= Now->Branches == 0 && !Now->MayHaveLeft && !InLoop;
              Now->Result = joined(Now->Result, Of);
            }
            Now->MayHaveLeft = true;
          },
          [&](const If& N) { branch(N); },
          [&](const For& N) {
            Each(N.Before);
            Once(N.Init);
            for (std::size_t K = Declared; K < Now->Variables.size(); ++K)
              Now->Variables[K].Is.IsCounter = true;
            loop(Rounds::Some, [&] {
              Ask(N.HoistedValue);
              Once(N.Variable);
              Ask(N.Condition);
              walk(N.Body);
              const llvm::SaveAndRestore Steps(Now->Branches, 0U);
              if (N.Step)
                eval(N.Step);
            });
          },
          [&](const ForRange& N) {
            Each(N.Before);
            Value List = eval(N.Range);
            if (!List.IsList)
              List = Value();
            List.IsEach = List.Of == Owner::ForAll;
            const auto* V = std::get_if<Declare>(&N.Variable->Is);
            // In one turn the variable names one place. Other loops over the list have others.
            Value Of = elementOf(List, "[*]", true,
                                 "each " + std::to_string(N.Range->At.getRawEncoding()));
            const std::size_t Before = Now->Variables.size();
            if (!V->Bindings.empty()) {
              for (const std::string& Ident : V->Bindings)
                Now->Variables.push_back({Ident, Value()});
            } else {
              const bool Refers = V->Ty->Reference != CodeType::None;
              Now->Variables.push_back({V->Ident, Refers ? Of : loaded(Of, N.Range->At), Refers});
            }
            loop(Rounds::Some, [&] { walk(N.Body); });
            Now->Variables.resize(Before);
          },
          [&](const While& N) {
            loop(Rounds::Any, [&] {
              Once(N.Variable);
              Ask(N.Condition);
              if (N.Condition)
                guarded(N.Condition, true, [&] { walk(N.Body); });
              else
                walk(N.Body);
            });
          },
          [&](const Do& N) {
            loop(Rounds::Any, [&] {
              walk(N.Body);
              Ask(N.Condition);
            });
          },
          [&](const Switch& N) {
            Each(N.Before);
            Once(N.Head);
            Once(N.Variable);
            Ask(N.Condition);
            ++Now->Branches;
            walk(N.Body);
            --Now->Branches;
          },
          [&](const Case& N) { Each(N.Then ? Stmts{N.Then} : Stmts{}); },
          [&](const Break&) { Now->MayHaveLeft = true; },
          [&](const Continue&) { Now->MayHaveLeft = true; },
          [&](const Block& N) { walk(N.Body); },
      },
      St.Is);
  if (!std::holds_alternative<Declare>(St.Is))
    Now->Variables.resize(std::min(Declared, Now->Variables.size()));
}

RaceWalker::Value RaceWalker::converted(Value Of, const TypeRef& Ty) {
  constexpr unsigned Enough = 4; // bytes
  const bool IsNumber = Ty && Ty->Is == CodeType::Plain && Ty->Of.Kind == TypeKind::Value;
  Of.IsIndex &= !IsNumber || Ty->Of.Bytes >= Enough || Ty->Of.IsClass;
  return Of;
}

void RaceWalker::declare(const Declare& N) {
  Value Is;
  const bool Refers = N.Ty->Reference != CodeType::None;
  const bool KeepsPlace = Refers || N.Ty->Is == CodeType::Pointer || N.Ty->Is == CodeType::List ||
                          N.Ty->Is == CodeType::Deduced;
  if (N.Values.size() == 1)
    Is = KeepsPlace ? eval(N.Values.front()) : load(N.Values.front());
  else
    Is = all(N.Values);
  if (N.Values.empty())
    Is = Value(Owner::Nothing);
  if (!N.Bindings.empty()) {
    for (const std::string& Ident : N.Bindings) {
      Value Of;
      Of.From = Is.From;
      Of.IsSame = Is.IsSame && !Is.IsPlace;
      Now->Variables.push_back({Ident, std::move(Of)});
    }
    return;
  }
  Now->Variables.push_back({N.Ident, converted(std::move(Is), N.Ty), Refers});
}

bool RaceWalker::isNullTest(const ExprRef& Condition) const {
  const ExprRef& Of = stripped(Condition);
  if (std::holds_alternative<IsSet>(Of->Is))
    return true;
  if (const auto* N = std::get_if<Unary>(&Of->Is))
    return N->Sign == "!" && isNullTest(N->Operand);
  if (const auto* N = std::get_if<Binary>(&Of->Is))
    return ((N->Sign == "&&" || N->Sign == "||") && isNullTest(N->Left) && isNullTest(N->Right)) ||
           ((N->Sign == "==" || N->Sign == "!=") && (isNull(N->Left) || isNull(N->Right)));
  return false;
}

bool RaceWalker::isSelfTest(const ExprRef& Condition) {
  const ExprRef& Of = stripped(Condition);
  if (const auto* N = std::get_if<Unary>(&Of->Is))
    return N->Sign == "!" && isSelfTest(N->Operand);
  const auto* N = std::get_if<Binary>(&Of->Is);
  if (!N || (N->Sign != "==" && N->Sign != "!="))
    return false;
  const llvm::SaveAndRestore Asks(Quiet, true);
  const Value L = eval(N->Left), R = eval(N->Right);
  const auto Is = [](const Value& One, const Value& Each) {
    return One.Of == Owner::Element && Each.Of == Owner::ForAll && Each.IsOfElements &&
           Each.IsEach && One.Members.empty() && Each.Members.empty() && !One.IsPlace &&
           !Each.IsPlace;
  };
  return Is(L, R) || Is(R, L);
}

void RaceWalker::guarded(const ExprRef& Condition, bool Holds, llvm::function_ref<void()> Walk) {
  const llvm::SaveAndRestore Guard(Claimed, Claimed || claims(Condition, Holds));
  const llvm::SaveAndRestore Decided(Compared);
  addCompared(Condition, Compared);
  Walk();
}

void RaceWalker::addCompared(const ExprRef& Condition, std::set<std::string>& Ways) {
  const ExprRef& Of = stripped(Condition);
  if (const auto* N = std::get_if<Unary>(&Of->Is); N && N->Sign == "!")
    return addCompared(N->Operand, Ways);
  const auto* N = std::get_if<Binary>(&Of->Is);
  if (!N)
    return;
  if (N->Sign == "&&" || N->Sign == "||") {
    addCompared(N->Left, Ways);
    return addCompared(N->Right, Ways);
  }
  if (N->Sign != "<" && N->Sign != ">" && N->Sign != "<=" && N->Sign != ">=")
    return;
  const llvm::SaveAndRestore Asks(Quiet, true);
  const Value L = eval(N->Left), R = eval(N->Right);
  if (L.IsPlace && !R.IsSame)
    Ways.insert(L.Way);
  if (R.IsPlace && !L.IsSame)
    Ways.insert(R.Way);
}

void RaceWalker::branch(const If& N) {
  for (const StmtRef& Before : N.Before)
    walk(*Before);
  if (N.Head)
    walk(*N.Head);
  if (N.Variable)
    walk(*N.Variable);
  if (N.Condition)
    load(N.Condition);
  // A null pointer is no phase: what has neighbours runs each time. So does what leaves out the
  // element itself of all.
  const bool IsTest = !N.Condition || isNullTest(N.Condition) || isSelfTest(N.Condition);
  Now->Branches += IsTest ? 0 : 1;
  const bool HadLeft = Now->MayHaveLeft;
  const auto Walk = [&](const Stmts& Of, bool Holds) {
    if (N.Condition)
      guarded(N.Condition, Holds, [&] { walk(Of); });
    else
      walk(Of);
  };
  Walk(N.Then, true);
  if (IsTest)
    Now->MayHaveLeft = HadLeft;
  Walk(N.Else, false);
  if (IsTest)
    Now->MayHaveLeft = HadLeft;
  Now->Branches -= IsTest ? 0 : 1;
}

void RaceWalker::loop(Rounds Are, llvm::function_ref<void()> Walk) {
  // What an object has neighbours for, it does each time.
  const llvm::SaveAndRestore Depth(Now->Branches, Now->Branches + (Are == Rounds::Any ? 1 : 0));
  const llvm::SaveAndRestore Left(Now->MayHaveLeft);
  const std::size_t Declared = Now->Variables.size();
  if (!InLoop) { // what a turn leaves in variables, the next one finds there
    const llvm::SaveAndRestore First(Quiet, true);
    const llvm::SaveAndRestore Inner(InLoop, true);
    Walk();
    Now->Variables.resize(Declared);
  }
  const llvm::SaveAndRestore Inner(InLoop, true);
  Walk();
  Now->Variables.resize(Declared);
}

bool RaceWalker::isClaim(const Binary& Equality) {
  const llvm::SaveAndRestore Asks(Quiet, true);
  const Value L = eval(Equality.Left), R = eval(Equality.Right);
  const auto IsElement = [](const Value& Of) {
    return Of.Of == Owner::Element && !Of.IsPlace && !Of.IsList && Of.Members.empty();
  };
  if (IsElement(L) || IsElement(R)) // to == this, to->owner == this
    return !isNull(Equality.Left) && !isNull(Equality.Right);
  if ((L.IsIndex && R.IsSame) || (R.IsIndex && L.IsSame)) // one element has that index
    return true;
  // to->winner == number, where elements have written the winner, or where the winner is no number
  // itself, as in to->kind == kind; i == number in a loop over i
  const auto Names = [&](const Value& One, const Value& Other) {
    const bool IsOfOther = One.IsPlace && One.Member && One.Of != Owner::Element;
    const bool IsWritten = IsOfOther && WrittenInOthers.contains(*One.Member);
    const bool IsName = IsOfOther && Other.IsPlace && Other.Member && Other.Member != One.Member &&
                        (One.Of == Owner::Other || One.Of == Owner::ForAll);
    const bool IsOwn = !Other.IsSame && (!Other.IsPlace || Other.Of == Owner::Element);
    return IsOwn && (IsWritten || IsName || (One.IsPlace && One.IsEach) || One.IsCounter);
  };
  return Names(L, R) || Names(R, L);
}

bool RaceWalker::claims(const ExprRef& Condition, bool Holds) {
  const ExprRef& Of = stripped(Condition);
  if (const auto* N = std::get_if<Unary>(&Of->Is); N && N->Sign == "!")
    return claims(N->Operand, !Holds);
  if (const auto* N = std::get_if<Binary>(&Of->Is)) {
    if (N->Sign == (Holds ? "&&" : "||"))
      return claims(N->Left, Holds) || claims(N->Right, Holds);
    if (N->Sign == (Holds ? "||" : "&&"))
      return claims(N->Left, Holds) && claims(N->Right, Holds);
    if (N->Sign == (Holds ? "==" : "!=") && isClaim(*N))
      return true;
  }
  const llvm::SaveAndRestore Asks(Quiet, true);
  if (hasAtomic(Of))
    return true;
  const Value Said = eval(Of);
  return Said.IsClaim || (Holds && Said.IsClaimIfTrue);
}

} // namespace ikra::body
