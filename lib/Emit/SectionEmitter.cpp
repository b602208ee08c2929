// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code section by section. Dispatch by class has two forms: over IDs a switch, over a
// section's own element an overload, since there the class is known.

#include "SectionEmitter.h"

#include "Launch.h"

#include "Model/BodyQueries.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace ikra {

//===-- functions --------------------------------------------------------------------------===//

/// Whether \p F calls itself, perhaps through others.
static bool isRecursive(const ProgramModel& Model, Index F) {
  std::set<Index> Reached;
  for (const auto& [Site, Call] : Model.Functions[F].Calls)
    for (const CallTarget& Target : Call.Targets)
      addReached(Model, Target.Function, Reached);
  return Reached.contains(F);
}

namespace {

/// Writes functions and dispatchers, those called before those that call. Those that call each
/// other are declared before.
class FunctionEmitter {
public:
  /// \p InSection: write the functions that take this section's element, or, where its columns are
  /// its own, all that it reaches. None: write those that no element is given to.
  FunctionEmitter(EmitContext& Context, const Section* InSection, CodeWriter& Out)
      : Context(Context), InSection(InSection), Out(Out) {}

  /// What \p F calls, and \p F itself unless it is a section, whose code stands in its body.
  void emit(Index F) {
    const Function& Code = Context.Model.Functions[F];
    if (!Done.insert(F).second)
      return;
    if (!Code.IsSection && !isMine(Code.SelfMask) && InSection)
      return; // written before, with all that it calls
    if (isRecursive(F))
      declareRecursion(F);
    for (const Call* C : callsInOrder(Code)) {
      for (const CallTarget& Target : C->Targets)
        emit(Target.Function);
      if (!C->isDirect() && isMine(C->SelfMask) &&
          Dispatchers.insert({C->Dispatcher, C->SelfMask}).second)
        emitDispatcher(*C);
    }
    if (Code.IsSection || !isMine(Code.SelfMask))
      return;
    BodyWriter Writer(Context, F, InSection);
    Writer.writeDefinition(signature(Writer, F), Out);
  }

private:
  bool isMine(std::uint64_t Mask) const {
    return (InSection && InSection->reportsFailures()) || (Mask != 0) == (InSection != nullptr);
  }

  /// Calls are kept by address; text has to be the same in every run.
  std::vector<const Call*> callsInOrder(const Function& F) const {
    std::vector<std::pair<unsigned, const Call*>> Calls;
    for (const auto& [Site, C] : F.Calls)
      Calls.emplace_back(C.Position, &C);
    std::stable_sort(Calls.begin(), Calls.end(), [](const auto& A, const auto& B) {
      return std::pair(A.first, A.second->Dispatcher) < std::pair(B.first, B.second->Dispatcher);
    });
    std::vector<const Call*> Out;
    for (const auto& [At, C] : Calls)
      Out.push_back(C);
    return Out;
  }

  bool isRecursive(Index F) {
    const auto [It, New] = Recursive.try_emplace(F);
    if (New)
      It->second = ikra::isRecursive(Context.Model, F);
    return It->second;
  }

  /// Compilers unroll functions that call each other, at a cost that grows with each level.
  std::string signature(BodyWriter& Writer, Index F) {
    std::string Text = Writer.signature();
    constexpr llvm::StringLiteral Device = "IKRA_DEVICE ";
    if (isRecursive(F))
      Text.replace(Text.find(Device.str()), Device.size(), "IKRA_DEVICE_OUT_OF_LINE ");
    return Text;
  }

  /// Declares what calls each other among the functions that \p F reaches, unless it was.
  void declareRecursion(Index F) {
    std::set<Index> Reached;
    addReached(Context.Model, F, Reached);
    for (const Index R : Reached) {
      const Function& Code = Context.Model.Functions[R];
      if (!isRecursive(R) || !Declared.insert(R).second)
        continue;
      Out.ownLine();
      if (isMine(Code.SelfMask)) {
        BodyWriter Writer(Context, R, InSection);
        Out.line(signature(Writer, R) + ";");
      }
      for (const Call* C : callsInOrder(Code))
        if (!C->isDirect() && isMine(C->SelfMask) &&
            llvm::any_of(C->Targets,
                         [&](const CallTarget& Target) { return isRecursive(Target.Function); }) &&
            DeclaredDispatchers.insert({C->Dispatcher, C->SelfMask}).second)
          declareDispatcher(*C);
    }
  }

  void declareDispatcher(const Call& C) {
    if (!C.ReceiverIsSelf)
      return Out.line((C.SelfMask ? "template <class Self> " : "") +
                      head(C, "ikra::object_id", "Self") + ";");
    forEachElement(C, [&](const CallTarget&, const std::string& Element) {
      Out.line(head(C, Element + "&", Element) + ";");
    });
  }

  void emitDispatcher(const Call& C) {
    Out.ownLine();
    if (C.ReceiverIsSelf)
      return emitOverloads(C);
    emitSwitch(C);
  }

  /// Over IDs.
  void emitSwitch(const Call& C) {
    const FamilyLayout& Family =
        Context.Layout.Families[Context.Model.Classes[*C.Targets.front().Class].Family];
    Out.open((C.SelfMask ? "template <class Self> " : "") + head(C, "ikra::object_id", "Self") +
             " {");
    Out.line("switch (w." + Family.Ident + ".class_of(self)) {");
    for (const CallTarget& Target : C.Targets) {
      const auto Number = std::find(Family.Classes.begin(), Family.Classes.end(), *Target.Class) -
                          Family.Classes.begin();
      // The last one needs no test.
      const std::string Label =
          &Target == &C.Targets.back() ? "default" : "case " + std::to_string(Number);
      Out.line(Label + ": // " + Context.Model.Classes[*Target.Class].Name);
      Out.line("  return " + forward(C, Target.Function, "self") + ";");
    }
    Out.line("}");
    Out.close();
  }

  /// Over the section's element, whose class is known: one overload a class.
  void emitOverloads(const Call& C) {
    forEachElement(C, [&](const CallTarget& Target, const std::string& Element) {
      const bool TakesElement = Context.Model.Functions[Target.Function].SelfMask & 1;
      Out.line(head(C, Element + "&", Element) + " {" +
               (InSection->Access.ChecksNull ? " ikra::not_null(self.id, w.nulls);" : "") +
               " return " + forward(C, Target.Function, TakesElement ? "self" : "self.id") + "; }");
    });
  }

  void forEachElement(const Call& C,
                      llvm::function_ref<void(const CallTarget&, const std::string&)> Do) {
    const auto& Concrete = Context.Model.Classes[*InSection->element().Class].Concrete;
    for (const CallTarget& Target : C.Targets)
      if (llvm::is_contained(Concrete, *Target.Class))
        Do(Target, Context.Model.Classes[*Target.Class].Ident + "_element");
  }

  static std::string argumentName(const body::Body& Of, unsigned K) {
    const std::string& Name = Of.Parameters[K].Ident;
    return Name == "w" || Name == "self" ? Name + "_" + std::to_string(K) : Name;
  }

  std::string head(const Call& C, const std::string& Receiver, const std::string& Element) {
    const body::Body& Body = *Context.Model.Functions[C.Targets.front().Function].Code;
    std::vector<std::string> All{"const " + EmitContext::columnsViewType(InSection) + "& w",
                                 Receiver + " self"};
    for (unsigned K = 0; K < Body.Parameters.size(); ++K)
      All.push_back(
          (((C.SelfMask >> (K + 1)) & 1) ? Element + "&" : Context.text(*Body.Parameters[K].Ty)) +
          " " + argumentName(Body, K));
    return "IKRA_DEVICE " + Context.text(*Body.Result) + " " + C.Dispatcher + "(" +
           llvm::join(All, ", ") + ")";
  }

  std::string forward(const Call& C, Index Target, const std::string& Receiver) {
    const body::Body& First = *Context.Model.Functions[C.Targets.front().Function].Code;
    const Function& F = Context.Model.Functions[Target];
    std::vector<std::string> All;
    if (Context.needsColumnsView(Target))
      All.emplace_back("w");
    All.push_back(Receiver);
    for (unsigned K = 0; K < F.Code->Parameters.size(); ++K) {
      const bool Given = (C.SelfMask >> (K + 1)) & 1, Wanted = (F.SelfMask >> (K + 1)) & 1;
      const std::string Argument = argumentName(First, K) + (Given && !Wanted ? ".id" : "");
      const body::Parameter& P = F.Code->Parameters[K];
      All.push_back(P.IsMovedFrom && !Given
                        ? "static_cast<" + Context.text(*P.Ty) + ">(" + Argument + ")"
                        : Argument);
    }
    return F.Ident + "(" + llvm::join(All, ", ") + ")";
  }

  EmitContext& Context;
  const Section* InSection;
  CodeWriter& Out;
  std::set<Index> Done, Declared;
  std::map<Index, bool> Recursive;
  std::set<std::pair<std::string, std::uint64_t>> Dispatchers, DeclaredDispatchers;
};

} // namespace

void SectionEmitter::emitSharedFunctions(EmitContext& Context, CodeWriter& Out) {
  // Functions that take an element call others that do not.
  std::set<Index> Roots, All;
  for (const Section& S : Context.Model.Sections) {
    addReached(Context.Model, S.Code.Function, All);
    if (!S.reportsFailures())
      addReached(Context.Model, S.Code.Function, Roots);
  }
  for (const DatalogFunctor& Given : Context.Model.Functors) {
    addReached(Context.Model, Given.Code, All);
    addReached(Context.Model, Given.Code, Roots);
  }
  if (llvm::any_of(All, [&](Index F) { return isRecursive(Context.Model, F); })) {
    Out.ownLine();
    Out.line("const ikra::rt::recursive_code recursion;");
  }
  bool Any = false;
  for (Index F : Roots) {
    const Function& Code = Context.Model.Functions[F];
    Any |= Code.SelfMask == 0 && !Code.IsSection;
    for (const auto& [Site, Call] : Code.Calls)
      Any |= Call.SelfMask == 0 && !Call.isDirect();
  }
  if (!Any)
    return;
  Out.heading("functions of any section");
  FunctionEmitter Emitter(Context, nullptr, Out);
  for (Index F : Roots)
    Emitter.emit(F);
  Out.ownLine();
}

//===-- one section ------------------------------------------------------------------------===//

SectionEmitter::SectionEmitter(EmitContext& Context, const Section& S, CodeWriter& Out)
    : Context(Context), S(S), Out(Out) {}

void SectionEmitter::emitDeviceCode() {
  const llvm::StringRef Operation = nameOf(S.Op);
  Out.heading(S.Ident + ": " + Operation + " at " + S.At.File + ":" + std::to_string(S.At.Line));
  emitInfo(S.Ident, Context.Model, S,
           Context.Layout.Uses[static_cast<Index>(&S - Context.Model.Sections.data())], Out);
  Out.line("namespace " + S.Ident + "_device {");
  if (S.isOverObjects())
    emitElements();
  if (S.isOverObjects() || S.reportsFailures())
    emitFunctions();
  if (S.Op == Operation::PStencil)
    emitFootprint();
  emitBody();
  Out.line("} // namespace " + S.Ident + "_device");
}

void SectionEmitter::emitInfo(const std::string& Name, const ProgramModel& Model, const Section& S,
                              const std::vector<ColumnUse>& Uses, CodeWriter& Out) {
  std::string Columns = "{}";
  if (!Uses.empty()) {
    std::vector<std::string> Texts;
    for (const ColumnUse& Use : Uses)
      Texts.push_back("{" + std::to_string(Use.Column) +
                      ", ikra::rt::" + (Use.Writes ? "reads_and_writes" : "reads") + "}");
    Out.line("constexpr ikra::rt::column_use " + Name + "_columns[] = {" + llvm::join(Texts, ", ") +
             "};");
    Columns = Name + "_columns";
  }
  std::string Rest;
  if (S.Access.PassesNull)
    Rest = ", ikra::rt::null_elements::passed";
  else if (S.isShared() || Model.IsChecked)
    Rest = ", ikra::rt::null_elements::refused";
  if (S.isShared())
    Rest += ", \"" + escaped(S.Site.SharedName) + "\"";
  else if (Model.IsChecked)
    Rest += ", nullptr";
  if (Model.IsChecked)
    Rest += ", checks";
  Out.line("constexpr ikra::rt::section_info " + Name + "_info{\"" + escaped(S.Site.Inside) +
           "\", \"" + escaped(S.At.File) + "\", " + std::to_string(S.At.Line) + ", " +
           std::to_string(S.At.Column) + ", " + Columns + Rest + "};");
}

void SectionEmitter::emitFootprint() {
  std::vector<std::string> Extents;
  for (unsigned D = 0; D < S.Rank; ++D) {
    const auto [Least, Most] = S.spanOf(D);
    Extents.push_back("ikra::rt::extent<" + std::to_string(Least) + ", " + std::to_string(Most) +
                      ">");
  }
  Out.line("using footprint = ikra::rt::footprint<" + llvm::join(Extents, ", ") + ">;");
}

void SectionEmitter::emitFunctions() {
  FunctionEmitter(Context, &S, Out).emit(S.Code.Function);
  Out.ownLine();
}

static std::string captureType(EmitContext& Context, const Capture& C) {
  switch (C.Kind) {
  case CaptureKind::Value:
    return Context.codeText(C.Ty);
  case CaptureKind::Object:
    return C.Ty.Held.empty() ? "ikra::object_id" : Context.codeText(C.Ty);
  case CaptureKind::View:
    if (C.Ty.IsNested)
      return "ikra::nested_list<const " + Context.codeText(C.Ty) + ">";
    if (C.Ty.ArrayRank > 1)
      return "ikra::grid<" + Context.codeText(C.Ty) + ", " + std::to_string(C.Ty.ArrayRank) + ">";
    return "ikra::list<const " + Context.codeText(C.Ty) + ">";
  case CaptureKind::ObjectView:
    if (!C.Ty.Held.empty())
      return "ikra::list<const " + Context.codeText(C.Ty) + ">";
    return C.Ty.IsNested ? "ikra::nested_list<const ikra::object_id>"
                         : "ikra::list<const ikra::object_id>";
  case CaptureKind::InMemory:
    return "const " + Context.codeText(C.Ty) + "*";
  }
  llvm_unreachable("kind of capture");
}

void SectionEmitter::emitTicks(const std::string& Call, const std::string& First) {
  Out.line("std::int64_t tick = " + First + ";");
  Out.line("do");
  Out.line("  " + Call + ";");
  Out.line("while (++tick < ticks);");
}

bool ticksOutside(const Section& S) {
  return S.Op == Operation::PEach && S.Access.Ticks == TickLoop::LaunchPerTick &&
         !S.isOverObjects();
}

/// The body of a section whose code is ikrac's own.
void SectionEmitter::emitKnownBody() {
  Out.open("struct body {");
  for (const Capture& C : S.Code.Captures)
    Out.line(captureType(Context, C) + " " + C.Name + ";");
  std::vector<std::string> Parameters;
  const bool Compares = S.Op == Operation::PSort;
  for (const Type& T : isReduction(S.Op) || Compares ? std::vector{S.Result, S.Result} : S.Elements)
    Parameters.push_back(Context.typeText(T) + (Parameters.empty() ? " a" : " b"));
  Out.line("IKRA_DEVICE " + (Compares ? "bool" : Context.typeText(S.Result)) + " operator()(" +
           llvm::join(Parameters, ", ") + ") const { return " + *S.Code.Known + "; }");
  Out.close("};");
}

/// What the user wrote in the section, as a method.
void SectionEmitter::emitCode(BodyWriter& Code) {
  const bool TakesElement =
      S.isOverObjects() && Context.Model.Functions[S.Code.Function].SelfMask != 0;
  Code.writeDefinition(Code.templateLine(TakesElement) + "IKRA_DEVICE " + Code.resultType() +
                           " code(" + llvm::join(Code.parameters(), ", ") + ") const",
                       Out);
  Out.ownLine();
}

void SectionEmitter::emitBody() {
  if (S.Code.Known)
    return emitKnownBody();
  BodyWriter Code(Context, S.Code.Function, &S);
  Out.open("struct body {");
  if (S.isOverObjects() || Context.needsColumnsView(S.Code.Function))
    Out.line(std::string(EmitContext::columnsViewType(&S)) + " " + Code.columnsViewName() + ";");
  for (const Capture& C : S.Code.Captures)
    Out.line(captureType(Context, C) + " " + C.Name + ";");
  if (Context.namesIndex(S))
    Out.line("friend IKRA_DEVICE void name_index(body& of, std::uint64_t index) { of." +
             Code.columnsViewName() + ".nulls.index = index; }");
  if (diverges(Context.Model, S))
    Out.line("static constexpr bool diverges = true;");
  else if (repeats(Context.Model, S))
    Out.line("static constexpr bool repeats = true;");
  if (readsMembersOnce(Context.Model, S))
    Out.line("static constexpr bool reads_members_once = true;");
  if (S.Op == Operation::PReduceByIndex && addsElements(Context.Model, S))
    Out.line("using adds = " + Context.typeText(S.Result) + ";");
  if (S.Op == Operation::PEach && S.Access.Ticks == TickLoop::InThread) {
    Out.line("std::int64_t ticks;");
    // Elements that are one object take turns, tick by tick.
    if (S.runsTicksOfObjects()) {
      Out.line("std::int64_t first_tick = 0;");
      Out.line("friend void set_ticks(body& of, std::int64_t first, std::int64_t end) { "
               "of.first_tick = first; of.ticks = end; }");
    }
  }
  if (ticksOutside(S))
    Out.line("std::int64_t tick;");
  if (S.isOverObjects()) {
    emitCode(Code);
    emitObjectOperators(Code);
  } else {
    emitValueOperator(Code);
  }
  Out.close("};");
}

/// The form for several results of a core.
void SectionEmitter::emitSideBySide(BodyWriter& Code, const SideBySide& Plan) {
  Out.line("");
  if (Plan.TakesRoots)
    Out.line("#ifdef __NO_MATH_ERRNO__");
  std::set<std::string> Structs;
  for (const auto& [Name, Ty] : Plan.Own)
    if (Ty->Of.IsClass)
      Structs.insert(Context.typeText(Ty->Of));
  Out.line("static constexpr unsigned side_by_side = ikra::rt::side_by_side<" +
           llvm::join(Structs, ", ") + ">;");
  if (Plan.TakesRoots)
    Out.line("#endif");
  Code.writeSideBySide(Plan, "compute_lanes", Out);
}

void SectionEmitter::emitTilesHead(const std::vector<std::string>& Longest, CodeWriter& Out) {
  Out.line("static constexpr bool is_in_tiles = true;");
  Out.line("std::size_t longest_in_tiles() const { return ikra::rt::most(" +
           llvm::join(Longest, ", ") + "); }");
}

/// The form for all threads of a GPU's block, which share what they read.
void SectionEmitter::emitInTiles(BodyWriter& Code, const ArrayTiles& Plan) {
  std::set<std::string> Longest;
  for (const auto& [Turn, Lines] : Plan.Loops)
    for (const TiledLine& Line : Lines)
      Longest.insert(Line.Array + (Line.Places.empty()
                                       ? ".size()"
                                       : ".shape()[" + std::to_string(Line.along()) + "]"));
  Out.line("#ifdef __CUDACC__");
  emitTilesHead({Longest.begin(), Longest.end()}, Out);
  Code.putInTiles(Plan);
  Code.writeDefinition("__device__ " + Code.resultType() + " compute_in_tiles(" +
                           llvm::join(Code.parameters(), ", ") + ") const",
                       Out);
  Out.ownLine();
  Out.line("#endif");
}

std::string SectionEmitter::asInProgram(const std::string& Result) {
  return S.givesCopies() ? "ikra::same_bytes<" + Context.typeText(S.Result) + ">(" + Result + ")"
                         : Result;
}

/// Of a section over values of a class that has objects, too: code has copies of objects.
void SectionEmitter::emitCopyOperator(BodyWriter& Code) {
  emitCode(Code);
  std::vector<std::string> Parameters, Arguments;
  for (const Type& T : combinesElements(S.Op) ? std::vector{S.Result, S.Result} : S.Elements) {
    const std::string Name = "element_" + std::to_string(Parameters.size());
    Parameters.push_back("const " + Context.typeText(T) + "& " + Name);
    Arguments.push_back(T.CopyOf ? "ikra::same_bytes<" + Context.codeText(T) + ">(" + Name + ")"
                                 : Name);
  }
  if (S.WithIndex) {
    Arguments.push_back("index");
    Parameters.push_back(
        (S.Rank == 1 ? "std::int64_t " : "const ikra::index<" + std::to_string(S.Rank) + ">& ") +
        Arguments.back());
  }
  const std::string Call = "code(" + llvm::join(Arguments, ", ") + ")";
  const bool IsTest = S.Op == Operation::PSelect || S.Op == Operation::PSort;
  Out.line("IKRA_DEVICE " + (IsTest ? "bool" : Context.typeText(S.Result)) + " operator()(" +
           llvm::join(Parameters, ", ") + ") const { return " + asInProgram(Call) + "; }");
}

void SectionEmitter::emitValueOperator(BodyWriter& Code) {
  if (S.takesCopies() && S.Op != Operation::PEach)
    return emitCopyOperator(Code);
  if (S.Op != Operation::PEach && Code.isHanded()) {
    emitCode(Code);
    return Code.writeHandover(Out);
  }
  if (S.Op != Operation::PEach) {
    Code.writeDefinition(Code.templateLine(/*HasSelf=*/false) + "IKRA_DEVICE " + Code.resultType() +
                             " operator()(" + llvm::join(Code.parameters(), ", ") + ") const",
                         Out);
    Out.ownLine();
    if (const SideBySide* const Lanes = Context.lanesOf(S))
      emitSideBySide(Code, *Lanes);
    if (const ArrayTiles* const Tiles = Context.tilesOf(S))
      emitInTiles(Code, *Tiles);
    return;
  }
  emitCode(Code);
  const std::string Index =
      S.Rank == 1 ? "std::int64_t" : "const ikra::index<" + std::to_string(S.Rank) + ">&";
  const bool PerTick = S.Access.Ticks == TickLoop::LaunchPerTick;
  std::vector<std::string> Declarations;
  const std::string Element =
      S.takesCopies() ? "ikra::same_bytes<" + Context.codeText(S.element()) + ">(element)"
                      : Code.handed(0, "element", Declarations);
  const std::string Call = "code(" + Element +
                           (S.WithIndex ? ", " + Code.handed(1, "index", Declarations) : "") +
                           (S.TakesTick ? ", tick" : "") + ")";
  Out.open("IKRA_DEVICE void operator()(" + Context.typeText(S.element()) + " element" +
           (S.WithIndex ? ", " + Index + " index" : "") + ") const {");
  for (const std::string& Line : Declarations)
    Out.line(Line);
  if (PerTick) {
    Out.line(Call + ";");
  } else {
    emitTicks(Call, "0");
  }
  Out.close();
}

} // namespace ikra
