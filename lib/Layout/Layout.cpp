// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns follow the order of classes in the source and of members in the class, whichever section
// used them first.

#include "Layout.h"

#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ikra {

static ColumnKind kindOf(const Type& T) {
  switch (T.Kind) {
  case TypeKind::Object:
    return ColumnKind::Reference;
  case TypeKind::ValueList:
    return ColumnKind::ValueList;
  case TypeKind::ObjectList:
    return ColumnKind::ReferenceList;
  default:
    return ColumnKind::Value;
  }
}

Index LayoutPlan::columnOf(Index Member) const {
  const auto It = std::find_if(Columns.begin(), Columns.end(), [&](const Column& C) {
    return std::find(C.Members.begin(), C.Members.end(), Member) != C.Members.end();
  });
  return static_cast<Index>(It - Columns.begin());
}

bool LayoutPlan::isWritten(Index Column) const {
  return llvm::any_of(Uses, [&](const std::vector<ColumnUse>& Of) {
    return llvm::any_of(Of,
                        [&](const ColumnUse& Use) { return Use.Column == Column && Use.Writes; });
  });
}

/// \p Wanted, or with a number after it if that is taken: A::b_c and A_b::c are two members.
static std::string uniqueName(const std::string& Wanted, std::set<std::string>& Taken) {
  std::string Name = Wanted;
  for (unsigned Number = 2; !Taken.insert(Name).second; ++Number)
    Name = Wanted + "_" + std::to_string(Number);
  return Name;
}

/// The concrete classes of every family, in the order in which ProgramModel lists them under the
/// widest class.
static std::vector<FamilyLayout> planFamilies(const ProgramModel& Model,
                                              std::set<std::string>& Fields) {
  std::vector<FamilyLayout> Families(Model.Families);
  std::vector<const Class*> Widest(Model.Families, nullptr);
  for (const Class& C : Model.Classes) {
    const Class*& W = Widest[C.Family];
    if (!W || C.Concrete.size() > W->Concrete.size())
      W = &C;
  }
  for (Index F = 0; F < Families.size(); ++F) {
    Families[F].Ident = uniqueName(Widest[F]->Ident + "_classes", Fields);
    Families[F].Classes = Widest[F]->Concrete;
    // With several roots no class spans the family.
    for (Index I = 0; I < Model.Classes.size(); ++I) {
      auto& Classes = Families[F].Classes;
      if (Model.Classes[I].Family == F && Model.Classes[I].CanBeConstructed &&
          std::find(Classes.begin(), Classes.end(), I) == Classes.end())
        Classes.push_back(I);
    }
  }
  return Families;
}

LayoutPlan planLayout(const ProgramModel& Model, const FusionPlan& Fusion) {
  LayoutPlan Plan;
  std::set<std::string> Fields; // of the emitted columns view
  for (const GlobalVariable& Of : Model.Globals)
    Fields.insert(Of.Ident);
  Plan.Families = planFamilies(Model, Fields);
  for (const FamilyLayout& Family : Plan.Families)
    Plan.Classes.insert(Plan.Classes.end(), Family.Classes.begin(), Family.Classes.end());

  std::vector<Index> Members(Model.Members.size());
  for (Index M = 0; M < Members.size(); ++M)
    Members[M] = M;
  const auto Key = [&](Index M) {
    const SourceLoc& At = Model.Classes[Model.Members[M].Class].At;
    return std::tuple(At.File, At.Line, At.Column, Model.Members[M].DeclarationOrder);
  };
  std::sort(Members.begin(), Members.end(), [&](Index A, Index B) { return Key(A) < Key(B); });
  const std::vector<std::vector<Index>> Records = planRecords(Model);
  std::set<Index> InRecords;
  std::map<Index, unsigned> RecordsOf; // by class
  for (Index M : Members) {
    const Member& Of = Model.Members[M];
    if (InRecords.contains(M))
      continue;
    const std::string& ClassIdent = Model.Classes[Of.Class].Ident;
    Column C;
    C.Members = {M};
    C.Kind = kindOf(Of.Ty);
    C.Ident = ClassIdent + "_" + Of.Name;
    for (const std::vector<Index>& Record : Records) {
      if (std::find(Record.begin(), Record.end(), M) == Record.end())
        continue;
      InRecords.insert(Record.begin(), Record.end());
      const unsigned Number = ++RecordsOf[Of.Class];
      C.Members = Record;
      C.Kind = ColumnKind::Record;
      C.Ident = ClassIdent + "_records" + (Number > 1 ? "_" + std::to_string(Number) : "");
      unsigned Bytes = 0;
      for (Index Part : Record)
        Bytes += Model.Members[Part].Bytes;
      for (C.Alignment = 1; C.Alignment < Bytes;)
        C.Alignment *= 2;
    }
    for (Index Concrete : Plan.Classes) {
      const auto& Bases = Model.Classes[Concrete].Bases;
      if (Concrete == Of.Class || std::find(Bases.begin(), Bases.end(), Of.Class) != Bases.end())
        C.Classes.push_back(Concrete);
    }
    C.Ident = uniqueName(C.Ident, Fields);
    if (!C.Classes.empty())
      Plan.Columns.push_back(std::move(C));
  }
  for (const Section& S : Model.Sections) {
    const MemberUse& Uses = Model.Functions[S.Code.Function].Total;
    const std::set<Index> Reads = Uses.read(), Writes = Uses.written();
    std::vector<ColumnUse> Of;
    for (Index C = 0; C < Plan.Columns.size(); ++C) {
      const std::vector<Index>& In = Plan.Columns[C].Members;
      const auto Any = [&](const std::set<Index>& Set) {
        return std::any_of(In.begin(), In.end(), [&](Index M) { return Set.contains(M); });
      };
      if (Any(Reads) || Any(Writes))
        Of.push_back({C, Any(Writes)});
    }
    Plan.Uses.push_back(std::move(Of));
  }
  for (const FusedKernel& Kernel : Fusion.Kernels) {
    std::map<Index, bool> Columns; // and whether they are written
    for (const FusedNode& Node : Kernel.Nodes)
      for (const ColumnUse& Use : Plan.Uses[Node.Section])
        Columns[Use.Column] |= Use.Writes;
    std::vector<ColumnUse>& Of = Plan.KernelUses.emplace_back();
    for (const auto& [Column, Writes] : Columns)
      Of.push_back({Column, Writes});
  }
  return Plan;
}

Index LayoutPlan::ownerOf(const Column& C, const ProgramModel& Model) {
  return Model.Members[C.Members.front()].Class;
}

/// Arrays of structs that sections make or read, each type once.
static void printStructs(const ProgramModel& Model, llvm::raw_ostream& OS) {
  std::set<std::string> Printed;
  const auto Print = [&](const Type& Ty) {
    if (Ty.Kind != TypeKind::Value || !Ty.IsClass || !Ty.Held.empty() ||
        !Printed.insert(Ty.Spelling).second)
      return;
    OS << "array of " << Ty.Spelling << ": structs of " << Ty.Bytes << " bytes\n";
  };
  for (const Section& S : Model.Sections) {
    llvm::for_each(S.Elements, Print);
    Print(S.Result);
  }
}

void print(const LayoutPlan& Plan, const ProgramModel& Model, const FusionPlan& Fusion,
           llvm::raw_ostream& OS) {
  const auto ClassName = [&](Index C) { return Model.Classes[C].Name; };
  for (Index F = 0; F < Plan.Families.size(); ++F) {
    if (Plan.Families[F].Classes.empty()) // value classes have no objects
      continue;
    OS << "family " << F << ": ";
    llvm::interleaveComma(Plan.Families[F].Classes, OS, [&](Index C) { OS << ClassName(C); });
    OS << "\n";
  }
  for (Index I = 0; I < Plan.Columns.size(); ++I) {
    const Column& C = Plan.Columns[I];
    const Type& T = Model.Members[C.Members.front()].Ty;
    OS << "column " << I << " " << C.Ident << ": ";
    switch (C.Kind) {
    case ColumnKind::Value:
      OS << T.Spelling;
      if (const unsigned Bits = Model.Members[C.Members.front()].Bits; Bits != 0)
        OS << " in " << Bits << " bits";
      break;
    case ColumnKind::Record:
      OS << "records of ";
      llvm::interleaveComma(C.Members, OS, [&](Index M) { OS << Model.Members[M].Name; });
      OS << " (" << C.Alignment << " bytes)";
      break;
    case ColumnKind::Reference:
      OS << "ID of " << ClassName(*T.Class);
      break;
    case ColumnKind::ValueList:
      OS << "join table of " << (T.IsNested ? "lists of " : "") << T.Spelling;
      break;
    case ColumnKind::ReferenceList:
      OS << "join table of " << (T.IsNested ? "lists of IDs of " : "IDs of ")
         << ClassName(*T.Class);
      break;
    }
    OS << " for ";
    llvm::interleaveComma(C.Classes, OS, [&](Index K) { OS << ClassName(K); });
    OS << "\n";
  }
  printStructs(Model, OS);
  const auto PrintUses = [&](const std::vector<ColumnUse>& Uses) {
    for (const ColumnUse& Use : Uses)
      OS << "  " << (Use.Writes ? "reads and writes " : "reads ") << Plan.Columns[Use.Column].Ident
         << "\n";
  };
  for (Index S = 0; S < Plan.Uses.size(); ++S) {
    OS << "section " << Model.Sections[S].Ident << "\n";
    PrintUses(Plan.Uses[S]);
  }
  for (Index K = 0; K < Plan.KernelUses.size(); ++K)
    if (!Plan.KernelUses[K].empty()) {
      OS << "kernel " << Fusion.Kernels[K].Ident << "\n";
      PrintUses(Plan.KernelUses[K]);
    }
}

} // namespace ikra
