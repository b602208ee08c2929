// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ProgramModel as text, for --print=model and the tests that read it.

#include "ProgramModel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace ikra {

namespace {

class ModelPrinter {
public:
  ModelPrinter(const ProgramModel& Model, llvm::raw_ostream& OS) : Model(Model), OS(OS) {}

  void print() {
    OS << "unit " << Model.Unit << "\n";
    for (const TakenName& Taken : Model.Taken)
      OS << "taken name " << Taken.Name << "\n";
    for (const Class& C : Model.Classes)
      print(C);
    for (const Section& S : Model.Sections)
      print(S);
    for (const Function& F : Model.Functions)
      if (F.Decl)
        print(F);
  }

private:
  std::string nameOf(Index M) {
    return Model.Classes[Model.Members[M].Class].Name + "::" + Model.Members[M].Name;
  }

  std::string locText(const SourceLoc& P) {
    return (llvm::sys::path::filename(P.File) + ":" + llvm::Twine(P.Line) + ":" +
            llvm::Twine(P.Column))
        .str();
  }

  template <class Range, class Name>
  void list(const std::string& Label, const Range& Items, Name NameOf) {
    if (Items.empty())
      return;
    OS << "  " << Label << ": ";
    llvm::interleaveComma(Items, OS, [&](const auto& Item) { OS << NameOf(Item); });
    OS << "\n";
  }
  void members(const std::string& Label, const std::set<Index>& Items) {
    list(Label, Items, [&](Index M) { return nameOf(M); });
  }
  void uses(const MemberUse& Uses) {
    members("reads own", Uses.ReadSelf);
    members("reads", Uses.ReadOther);
    members("writes own", Uses.WriteSelf);
    members("writes", Uses.WriteOther);
    members("atomic", Uses.Atomic);
  }

  std::string typeText(const Type& T) {
    switch (T.Kind) {
    case TypeKind::Object:
      return "object of " + Model.Classes[*T.Class].Name;
    case TypeKind::ValueList:
      return (T.IsNested ? "list of lists of " : "list of ") + T.Spelling;
    case TypeKind::ObjectList:
      return (T.IsNested ? "list of lists of objects of " : "list of objects of ") +
             Model.Classes[*T.Class].Name;
    case TypeKind::Pointer:
      return "pointer to " + T.Spelling;
    default:
      return T.Held.empty() ? T.Spelling : T.HostSpelling;
    }
  }

  void print(const Class& C) {
    if (C.IsValue) {
      OS << "value class " << C.Name << "\n";
      if (!C.StructIdent.empty())
        OS << "  struct on devices: " << C.StructIdent << "\n";
      list("members that are not public", C.HiddenMembers, [](const std::string& M) { return M; });
      return;
    }
    OS << "class " << C.Name << " family " << C.Family;
    if (C.CanBeConstructed)
      OS << " constructed";
    if (C.Polymorphic)
      OS << " polymorphic";
    if (C.HoldsPolymorphic)
      OS << ", holds such";
    OS << "\n";
    list("can be", C.Concrete, [&](Index I) { return Model.Classes[I].Name; });
    if (!C.StructIdent.empty())
      OS << "  copies on devices: " << C.StructIdent << "\n";
    list("members of copies", C.CopyMembers, [&](Index M) { return Model.Members[M].Name; });
    for (const Member& M : Model.Members)
      if (&Model.Classes[M.Class] == &C)
        OS << "  member " << M.Name << ": " << typeText(M.Ty)
           << (M.Bits == 0 ? "" : ", " + std::to_string(M.Bits) + " bits") << "\n";
  }

  void print(const Section& S) {
    OS << "section " << S.Ident << " at " << locText(S.At) << ": " << ikra::nameOf(S.Op);
    for (const Type& T : S.Elements)
      OS << (&T == &S.Elements.front() ? " over " : ", ") << typeText(T);
    if (S.WithIndex)
      OS << " with index";
    if (S.FromInit)
      OS << " from a first value";
    if (S.Op != Operation::PEach)
      OS << " gives " << typeText(S.Result);
    OS << "\n";
    if (S.Code.Known)
      OS << "  code: " << *S.Code.Known << "\n";
    if (S.Site.Instance)
      OS << "  instantiation: " << S.Site.Instance->Arguments << "\n";
    list("neighbourhood", S.Neighbourhood, [](const Offset& O) { return textOf(O); });
    if (S.Op == Operation::PStencil)
      OS << "  border: " << ikra::nameOf(S.AtBorder) << "\n";
    list("captures", S.Code.Captures,
         [&](const Capture& C) { return C.Name + " (" + typeText(C.Ty) + ")"; });
    std::vector<Index> Inputs;
    for (const std::optional<Index>& Input : S.Flow.Inputs)
      if (Input)
        Inputs.push_back(*Input);
    list("input", Inputs, [&](Index I) { return Model.Sections[I].Ident; });
    uses(Model.Functions[S.Code.Function].Total);
    if (S.Op == Operation::PEach) {
      OS << "  ticks: "
         << (S.Access.Ticks == TickLoop::InThread ? "loop in the thread" : "one launch each");
      if (S.Access.TickConflict)
        OS << ", since elements "
           << (Model.Functions[S.Code.Function].Total.ReadOther.contains(*S.Access.TickConflict) ||
                       Model.Functions[S.Code.Function].Total.ReadSelf.contains(
                           *S.Access.TickConflict)
                   ? "read " + nameOf(*S.Access.TickConflict) + " of others, which is written"
                   : "write " + nameOf(*S.Access.TickConflict) + " of others");
      OS << "\n";
      for (const auto& [C, Members] : S.Access.Registers)
        members("in registers for " + Model.Classes[C].Name, Members);
      for (const auto& [C, Members] : S.Access.AlwaysWritten)
        members("every run writes for " + Model.Classes[C].Name, Members);
    }
    if (S.sharesKey())
      OS << "  key: shared with other files\n";
    if (S.Access.PassesNull)
      OS << (S.takesIds() ? "  takes null elements\n" : "  tests its element for null\n");
    if (S.Access.ChecksNull)
      OS << "  checks what it dereferences\n";
    if (S.Access.CallsAt)
      OS << "  checks indices given to at()\n";
    if (S.Access.Asserts)
      OS << "  may stop the program\n";
    if (S.runsInPlace() || S.runsAlone()) {
      const std::optional<unsigned> Operations = operationsInPlace(Model, S);
      OS << "  may run in place" << (S.runsAlone() ? " on one thread: " : ": ")
         << (Operations ? std::to_string(*Operations) + " operations" : "loops");
      const ObjectsUsed Used = objectsUsedInPlace(Model, S);
      if (S.runsInPlace() && Used != ObjectsUsed::OfKnownClasses)
        OS << (Used == ObjectsUsed::ElementsAlone ? ", elements alone" : ", of any class");
      OS << "\n";
    }
    if (isElementwise(S.Op) && diverges(Model, S))
      OS << "  the turns of a loop depend on the element\n";
    else if (isElementwise(S.Op) && repeats(Model, S))
      OS << "  a loop may have many turns\n";
    if (S.Op == Operation::PReduceByIndex && addsElements(Model, S))
      OS << "  adds its elements\n";
    if (readsMembersOnce(Model, S))
      OS << "  reads each member of its neighbours from one of them\n";
    if (S.codeRefersToCaptures())
      OS << "  the user's code refers to what the section captured\n";
    if (S.Access.MeetsUnknownClasses)
      OS << "  objects of classes of other files:"
         << (S.isShared() ? " their drivers of the section" : "")
         << (S.isShared() && S.keepsUserCode() ? "," : "")
         << (S.keepsUserCode() ? " the user's code" : "")
         << (S.isShared() || S.keepsUserCode() ? "" : " an error") << "\n";
  }

  void print(const Function& F) {
    OS << "function " << F.Name;
    if (F.SelfMask)
      OS << " (element in place " << parametersOf(F.SelfMask) << ")";
    if (F.CopyMask)
      OS << " (copies in place " << parametersOf(F.CopyMask) << ")";
    OS << " at " << locText(F.At) << "\n";
    uses(F.Direct);
    list("copies of objects", F.Copies, [](const std::string& Name) { return Name; });
    for (const auto& [Loc, Text] : callsBySource(F))
      OS << "  calls " << Text << "\n";
  }

  static std::string parametersOf(std::uint64_t Mask) {
    std::string Out;
    for (unsigned K = 0; K < 64; ++K)
      if ((Mask >> K) & 1)
        Out += (Out.empty() ? "" : ", ") + (K == 0 ? std::string("this") : std::to_string(K));
    return Out;
  }

  /// Calls are kept by address; the printed order is that of their texts, so that it is the same in
  /// every run.
  std::map<std::string, std::string> callsBySource(const Function& F) {
    std::map<std::string, std::string> Out;
    for (const auto& [Site, Call] : F.Calls) {
      std::string Text;
      for (const CallTarget& Target : Call.Targets) {
        Text += (Text.empty() ? "" : ", ") + Model.Functions[Target.Function].Name;
        if (Target.Class)
          Text += " for " + Model.Classes[*Target.Class].Name;
      }
      Out.try_emplace(Text, (Call.Dispatched ? "by class: " : "") + Text);
    }
    return Out;
  }

  const ProgramModel& Model;
  llvm::raw_ostream& OS;
};

} // namespace

void print(const ProgramModel& Model, llvm::raw_ostream& OS) { ModelPrinter(Model, OS).print(); }

void printBodies(const ProgramModel& Model, llvm::raw_ostream& OS) {
  const body::Names Known{[&](std::size_t F) { return Model.Functions[F].Ident; },
                          [&](std::size_t M) {
                            return Model.Classes[Model.Members[M].Class].Name +
                                   "::" + Model.Members[M].Name;
                          },
                          [&](std::size_t T) { return Model.Tables[T].Ident; },
                          [&](std::size_t C) { return Model.Classes[C].Name; },
                          [&](std::size_t G) { return Model.Globals[G].HostText; }};
  for (const Function& F : Model.Functions) {
    if (!F.Code)
      continue;
    const auto Of = llvm::find_if(Model.Sections, [&](const Section& S) {
      return F.IsSection && !S.Code.Known && &Model.Functions[S.Code.Function] == &F;
    });
    OS << (F.IsSection ? "section " : "function ")
       << (Of != Model.Sections.end() ? Of->Ident : F.Ident) << " at " << F.At.Line << '\n';
    print(*F.Code, Known, OS);
  }
}

} // namespace ikra
