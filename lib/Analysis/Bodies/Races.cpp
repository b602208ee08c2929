// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Races.h"

#include "RaceWalker.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace clang;

namespace ikra {

using body::RaceWalker;

/// Reports at \p At, and the calls that lead there. What a function of the standard library does,
/// as std::max, is reported where the program calls it: there its author can silence it, too.
static void reportAt(SourceLocation At, RaceWalker::Sites Calls, const Section& From, Diag Message,
                     const std::string& Name, Diagnoser& Diags) {
  while (!Calls.empty() && Diags.engine().getSourceManager().isInSystemHeader(At)) {
    At = Calls.back();
    Calls.pop_back();
  }
  Diags.report(At, Message) << Name;
  bool IsReached = false;
  for (const SourceLocation Site : llvm::reverse(Calls))
    if (Site.isValid()) {
      Diags.report(Site, Diag::called_here);
      IsReached = true;
    }
  if (IsReached)
    Diags.report(From.Site.Argument->getExprLoc(), Diag::reached_from);
}

/// Whether two places of one object have something in common. What has a place that is not known
/// has none: elements may read one half, and write the other.
static bool meet(const RaceWalker::Path& A, const RaceWalker::Path& B) {
  for (std::size_t K = 0; K < std::min(A.size(), B.size()); ++K) {
    if (A[K] == "[?]" || B[K] == "[?]" || A[K] == "?" || B[K] == "?")
      return false;
    const bool AreElements = A[K].front() == '[' && B[K].front() == '[';
    if (A[K] != B[K] && !(AreElements && (A[K] == "[*]" || B[K] == "[*]")))
      return false;
  }
  const auto IsKnown = [](const RaceWalker::Path& Of) {
    return llvm::none_of(Of, [](const std::string& Part) { return Part == "[?]" || Part == "?"; });
  };
  return IsKnown(A) && IsKnown(B);
}

static bool mayBe(const ProgramModel& Model, const RaceWalker::OtherRead& Of, Index Class) {
  if (!Of.Chosen.empty() && !llvm::is_contained(Of.Chosen, Class))
    return false;
  return !Of.Class || llvm::is_contained(Model.Classes[*Of.Class].Concrete, Class);
}

static void reportReads(const ProgramModel& Model, const Section& S, const ElementsOf& Elements,
                        const RaceWalker& Found, Diagnoser& Diags) {
  std::map<SourceLocation, const RaceWalker::OtherRead*> Races;
  for (const RaceWalker::OtherRead& Read : Found.Read)
    for (const auto& [Path, Own] : Found.Written) {
      // What is stored without its old value may be stored level by level, by calls for parts of
      // the objects.
      const bool IsSure = Own.Updates || S.Access.HasTicks || Elements.AreAll || Read.IsOfElements;
      if (IsSure && meet(Read.Of, Path) &&
          llvm::any_of(Own.Classes, [&](Index Class) { return mayBe(Model, Read, Class); }))
        Races.try_emplace(Read.At, &Read);
    }
  for (const auto& [At, Read] : Races)
    reportAt(At, Read->Calls, S, Diag::unshared_read, Read->Name, Diags);
}

void reportRaces(const ProgramModel& Model, const ElementsBySection& Elements, Diagnoser& Diags) {
  std::map<std::string, const Call*> Dispatchers;
  std::set<Index> WrittenInOthers;
  for (const Function& F : Model.Functions) {
    for (const auto& [Site, Of] : F.Calls)
      if (!Of.Dispatcher.empty())
        Dispatchers[Of.Dispatcher] = &Of;
    for (const std::set<Index>* Of : {&F.Total.WriteOther, &F.Total.Atomic})
      WrittenInOthers.insert(Of->begin(), Of->end());
  }
  for (Index N = 0; N < Model.Sections.size(); ++N) {
    const Section& S = Model.Sections[N];
    if (S.Op != Operation::PEach)
      continue;
    const auto Known = Elements.find(N);
    const ElementsOf Of = Known == Elements.end() ? ElementsOf() : Known->second;
    RaceWalker Found(Model, S, Of, Dispatchers, WrittenInOthers);
    Found.walk();
    for (const RaceWalker::SharedWrite& Write : Found.Shared)
      reportAt(Write.At, Write.Calls, S,
               Write.Updates ? Diag::unshared_update : Diag::unshared_store, Write.Name, Diags);
    if (S.isOverObjects())
      reportReads(Model, S, Of, Found, Diags);
  }
}

} // namespace ikra
