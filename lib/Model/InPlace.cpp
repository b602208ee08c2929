// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections that may run on the objects as they are take, and what they do with objects.

#include "BodyQueries.h"
#include "ProgramModel.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace ikra {

/// Of a function and what it calls. \p Known has those counted before, and none for those around.
static std::optional<unsigned> operationsOf(const ProgramModel& Model, Index F,
                                            std::map<Index, std::optional<unsigned>>& Known) {
  const auto [Entry, IsNew] = Known.emplace(F, std::nullopt);
  if (!IsNew)
    return Entry->second;
  const body::Work& Takes = Model.Functions[F].Takes;
  if (Takes.Loops)
    return std::nullopt;
  unsigned Sum = std::max(1U, Takes.Operations) + (body::OperationsPerLongOne - 1) * Takes.Long;
  for (const auto& [Site, Call] : Model.Functions[F].Calls) {
    unsigned Most = 0;
    for (const CallTarget& Target : Call.Targets) {
      const std::optional<unsigned> Called = operationsOf(Model, Target.Function, Known);
      if (!Called)
        return std::nullopt;
      Most = std::max(Most, *Called);
    }
    Sum += Most;
  }
  return Known[F] = Sum;
}

std::optional<unsigned> operationsInPlace(const ProgramModel& Model, const Section& S) {
  constexpr unsigned ComparisonsOfElement = 16; // in a sort of 65,536
  std::map<Index, std::optional<unsigned>> Known;
  const std::optional<unsigned> Once = operationsOf(Model, S.Code.Function, Known);
  return Once && S.Op == Operation::PSort ? *Once * ComparisonsOfElement : Once;
}

/// \param Elements the names of parameters that are elements
static bool isElement(const body::ExprRef& E, const std::set<std::string>& Elements) {
  if (!E)
    return false;
  if (const auto* Name = std::get_if<body::Name>(&E->Is))
    return Elements.contains(Name->Ident);
  return std::holds_alternative<body::Element>(E->Is) ||
         std::holds_alternative<body::Receiver>(E->Is);
}

template <class T, class... Listed>
static constexpr bool IsOneOf = (std::is_same_v<T, Listed> || ...);

/// Whether an expression dereferences no pointer, but for the section's element. What may do so in
/// ways that are not looked at counts as if it did.
/// \param Elements as in isElement(): another pointer of that name has a value that is looked at
static bool staysAtElement(const body::Expr& E, const std::set<std::string>& Elements) {
  if (std::holds_alternative<body::Element>(E.Is) || std::holds_alternative<body::Receiver>(E.Is))
    return true;
  if (const auto* Name = std::get_if<body::Name>(&E.Is); Name && Elements.contains(Name->Ident))
    return true;
  if (std::holds_alternative<body::Choice>(E.Is) || std::holds_alternative<body::Paren>(E.Is))
    return true; // what they give is looked at
  if (E.Ty && (E.Ty->Is != CodeType::Plain ||
               (E.Ty->Of.Kind != TypeKind::Value && E.Ty->Of.Kind != TypeKind::Void)))
    return false;
  if (const auto* Of = std::get_if<body::Member>(&E.Is))
    return isElement(Of->Object, Elements);
  return std::visit(
      [](const auto& Node) {
        using Is = std::decay_t<decltype(Node)>;
        return IsOneOf<Is, body::Literal, body::Constant, body::Enumerator, body::Name,
                       body::Captured, body::Global, body::Unary, body::Binary, body::Choice,
                       body::Paren, body::Cast, body::Call, body::LibraryCall>;
      },
      E.Is);
}

ObjectsUsed objectsUsedInPlace(const ProgramModel& Model, const Section& S) {
  const Function& Code = Model.Functions[S.Code.Function];
  if (S.Access.MeetsUnknownClasses && Code.Dispatches)
    return ObjectsUsed::OfKnownClasses;
  std::set<std::string> Elements; // of sections that are given two
  if (!S.isOverObjects() && Code.Code)
    for (const body::Parameter& P : Code.Code->Parameters)
      if (P.Given && P.Given->Is == CodeType::ObjectId)
        Elements.insert(P.Ident);
  std::set<Index> Reached;
  addReached(Model, S.Code.Function, Reached);
  const bool Stays = std::ranges::all_of(Reached, [&](Index F) {
    bool All = Model.Functions[F].Code.has_value();
    if (All)
      body::forEachExpr(*Model.Functions[F].Code, [&](const body::Expr& E) {
        All = All && staysAtElement(E, F == S.Code.Function ? Elements : std::set<std::string>());
      });
    return All;
  });
  return Stays ? ObjectsUsed::ElementsAlone : ObjectsUsed::OfAnyClass;
}

} // namespace ikra
