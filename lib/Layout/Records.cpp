// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members are joined where one section reads them both, and then packed, large ones first, so that
// nothing is padded but a record's end.

#include "Records.h"

#include <algorithm>

namespace ikra {

/// One load instruction reads as much.
static constexpr unsigned LargestRecord = 16;

static bool fits(const ProgramModel& Model, Index M) {
  const Member& Of = Model.Members[M];
  if (Of.Ty.Kind != TypeKind::Value || Of.Bytes == 0 || Of.Bytes > 8 || Of.Bits != 0)
    return false;
  bool ReadThroughReference = false;
  for (const Section& S : Model.Sections) {
    const MemberUse& Uses = Model.Functions[S.Code.Function].Total;
    if (Uses.written().contains(M) || Uses.ReadSelf.contains(M))
      return false;
    ReadThroughReference |= Uses.ReadOther.contains(M);
  }
  return ReadThroughReference;
}

static bool areReadInOne(const ProgramModel& Model, Index A, Index B) {
  return Model.Members[A].Class == Model.Members[B].Class &&
         std::any_of(Model.Sections.begin(), Model.Sections.end(), [&](const Section& S) {
           const auto& Read = Model.Functions[S.Code.Function].Total.ReadOther;
           return Read.contains(A) && Read.contains(B);
         });
}

std::vector<std::vector<Index>> planRecords(const ProgramModel& Model) {
  std::vector<Index> Candidates;
  for (Index M = 0; M < Model.Members.size(); ++M)
    if (fits(Model, M))
      Candidates.push_back(M);
  const auto Order = [&](Index M) {
    return std::pair(Model.Members[M].Class, Model.Members[M].DeclarationOrder);
  };
  std::sort(Candidates.begin(), Candidates.end(),
            [&](Index A, Index B) { return Order(A) < Order(B); });
  std::stable_sort(Candidates.begin(), Candidates.end(), [&](Index A, Index B) {
    return Model.Members[A].Bytes > Model.Members[B].Bytes;
  });

  std::vector<std::vector<Index>> Records;
  std::vector<bool> InRecord(Model.Members.size(), false);
  for (Index First : Candidates) {
    if (InRecord[First])
      continue;
    std::vector<Index> Record{First};
    unsigned Bytes = Model.Members[First].Bytes;
    for (Index M : Candidates) {
      const bool Joins = std::any_of(Record.begin(), Record.end(),
                                     [&](Index R) { return areReadInOne(Model, R, M); });
      if (InRecord[M] || M == First || !Joins || Bytes + Model.Members[M].Bytes > LargestRecord)
        continue;
      Record.push_back(M);
      InRecord[M] = true;
      Bytes += Model.Members[M].Bytes;
    }
    InRecord[First] = true;
    if (Record.size() > 1)
      Records.push_back(std::move(Record));
  }
  return Records;
}

} // namespace ikra
