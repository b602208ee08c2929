// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What parts of the model say of themselves.

#include "ProgramModel.h"

#include "BodyQueries.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace ikra {

std::string identOf(llvm::StringRef Qualified) {
  std::string Out;
  for (char C : Qualified) {
    if (llvm::isAlnum(C) || C == '_')
      Out += C;
    else if (!Out.empty() && Out.back() != '_')
      Out += '_';
  }
  while (Out.size() > 1 && Out.back() == '_' && Qualified.back() != '_')
    Out.pop_back();
  if (Out.empty() || llvm::isDigit(Out.front()))
    Out.insert(Out.begin(), '_');
  return Out;
}

std::string textOf(const Offset& O) {
  std::vector<std::string> Texts;
  for (const std::int64_t At : O)
    Texts.push_back(std::to_string(At));
  return "(" + llvm::join(Texts, ", ") + ")";
}

void MemberUse::add(const MemberUse& Other) {
  ReadSelf.insert(Other.ReadSelf.begin(), Other.ReadSelf.end());
  ReadOther.insert(Other.ReadOther.begin(), Other.ReadOther.end());
  WriteSelf.insert(Other.WriteSelf.begin(), Other.WriteSelf.end());
  WriteOther.insert(Other.WriteOther.begin(), Other.WriteOther.end());
  Atomic.insert(Other.Atomic.begin(), Other.Atomic.end());
  Changed.insert(Other.Changed.begin(), Other.Changed.end());
  ChangesResults |= Other.ChangesResults;
}

std::set<Index> MemberUse::read() const {
  std::set<Index> All = ReadSelf;
  All.insert(ReadOther.begin(), ReadOther.end());
  return All;
}

std::set<Index> MemberUse::written() const {
  std::set<Index> All = WriteSelf;
  All.insert(WriteOther.begin(), WriteOther.end());
  All.insert(Atomic.begin(), Atomic.end());
  return All;
}

bool Section::takesIds() const { return !isOverObjects() && !classesOfElements().empty(); }

bool Section::sharesKey() const {
  return !Site.KeyName.empty() && !Access.UsesColumns && !Access.MeetsUnknownClasses &&
         Code.Lambdas.empty() && classesOfElements().empty();
}

std::vector<Index> Section::classesOfElements() const {
  std::vector<Index> All;
  for (const Type& T : Elements) {
    if (T.Kind == TypeKind::Object)
      All.push_back(*T.Class);
    All.insert(All.end(), T.Held.begin(), T.Held.end());
  }
  return All;
}

std::pair<std::int64_t, std::int64_t> Section::spanOf(unsigned Dimension) const {
  std::pair<std::int64_t, std::int64_t> Out{0, 0};
  for (const Offset& O : Neighbourhood) {
    const bool First = &O == &Neighbourhood.front();
    Out.first = First ? O[Dimension] : std::min(Out.first, O[Dimension]);
    Out.second = First ? O[Dimension] : std::max(Out.second, O[Dimension]);
  }
  return Out;
}

const char* nameOf(Border B) {
  switch (B) {
  case Border::Value:
    return "value";
  case Border::Keep:
    return "keep";
  case Border::Clamp:
    return "clamp";
  case Border::Wrap:
    return "wrap";
  }
  return "";
}

void addReached(const ProgramModel& Model, Index F, std::set<Index>& Reached) {
  if (!Reached.insert(F).second)
    return;
  for (const auto& [Site, Call] : Model.Functions[F].Calls)
    for (const CallTarget& Target : Call.Targets)
      addReached(Model, Target.Function, Reached);
}

/// Whether a section's code, or what that calls, has some loop of a kind.
static bool hasLoop(const ProgramModel& Model, const Section& S, bool body::Work::* OfKind) {
  if (S.Code.Known)
    return false;
  std::set<Index> Reached;
  addReached(Model, S.Code.Function, Reached);
  return std::any_of(Reached.begin(), Reached.end(),
                     [&](Index F) { return Model.Functions[F].Takes.*OfKind; });
}

bool diverges(const ProgramModel& Model, const Section& S) {
  return hasLoop(Model, S, &body::Work::Diverges);
}

bool repeats(const ProgramModel& Model, const Section& S) {
  return hasLoop(Model, S, &body::Work::Repeats);
}

bool addsElements(const ProgramModel& Model, const Section& S) {
  if (S.Code.Known)
    return llvm::StringRef(*S.Code.Known).contains("plus");
  return S.Code.Captures.empty() &&
         body::addsParameters(*Model.Functions[S.Code.Function].Code, S.Result.Spelling);
}

bool readsMembersOnce(const ProgramModel& Model, const Section& S) {
  return S.Op == Operation::PStencil &&
         body::readsMembersOnce(*Model.Functions[S.Code.Function].Code);
}

} // namespace ikra
