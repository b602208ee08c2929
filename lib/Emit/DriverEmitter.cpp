// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drivers: the functions through which the runtime runs a section, or several in one kernel. They
// open a session, give the body its columns and captures, and launch it.

#include "FusedStencils.h"
#include "SectionEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace ikra {

/// What the body of \p S is given as its world, in a driver that launches \p Last.
static std::string worldOf(const Section& S, const Section& Last) {
  const std::string Type = EmitContext::worldType(&S);
  if (Type == "world")
    return "world(s.columns())";
  // Threads that reduce, scan, sort or select wait for each other.
  const bool Stay = !S.isOverObjects() && (isReduction(Last.Op) || Last.Op == Operation::PSelect ||
                                           Last.Op == Operation::PSort);
  if (Type == "checked_world")
    return std::string("checked_world(s.columns(), ") +
           (Stay ? "s.failures(/*stay=*/true))" : "s.nulls())");
  const std::string Failures = std::string("s.failures(") + (Stay ? "/*stay=*/true" : "") + ")";
  return S.UsesColumns ? "reporting_world(s.columns(), " + Failures + ")"
                       : "ikra::no_columns{" + Failures + "}";
}

/// The type of elements as launches are told it: of tuples that hold pointers to objects that of
/// the program.
static std::string launchText(EmitContext& Context, const Type& T) {
  if (T.Held.empty())
    return Context.typeText(T);
  std::string Text = "ikra::rt::holding<" + Context.hostText(T);
  for (const Index Class : T.Held)
    Text += ", " + references(Context, Class);
  return Text + ">";
}

void declareBody(EmitContext& Context, const Section& S, const Section& Last,
                 const std::string& Name, const std::string& Stage, const std::string& RootPrefix,
                 CodeWriter& Out) {
  std::vector<std::string> Inits;
  if (S.isOverObjects() || Context.needsWorld(S.Function))
    Inits.push_back(worldOf(S, Last));
  for (std::size_t K = 0; K < S.Captures.size(); ++K) {
    const Capture& C = S.Captures[K];
    const std::string Number = std::to_string(K);
    switch (C.Kind) {
    case CaptureKind::Value:
      Inits.push_back(Stage + ".capture<" + Context.typeText(C.Ty) + ">(" + Number + ")");
      break;
    case CaptureKind::Object:
      Inits.push_back("s.id(" + RootPrefix + Number + ")");
      break;
    case CaptureKind::ObjectView:
      Inits.push_back("s.ids(" + RootPrefix + Number + ")");
      break;
    case CaptureKind::View:
      Inits.push_back("s.view(" + Stage + ".capture<" + Context.hostText(C.Ty) + ">(" + Number +
                      "))");
      break;
    case CaptureKind::Place:
      Inits.push_back("s.placed(" + Stage + ".capture<" + Context.hostText(C.Ty) + ">(" + Number +
                      "))");
      break;
    }
  }
  if (S.Op == Operation::PEach && S.Ticks == TickLoop::InThread)
    Inits.emplace_back("call.ticks()");
  if (ticksOutside(S))
    Inits.emplace_back("tick");
  const std::string Head = "const " + S.Ident + "_device::body " + Name + "{";
  if (Inits.size() < 2)
    return Out.line(Head + llvm::join(Inits, ", ") + "};");
  Out.open(Head);
  for (const std::string& Init : Inits)
    Out.line(Init + ",");
  Out.close("};");
}

/// True for what is traced before the launch.
static bool isTraced(const Capture& C) {
  return C.Kind == CaptureKind::Object || C.Kind == CaptureKind::ObjectView;
}

/// True for a reduction of objects from a first one, which is traced too.
static bool startsWithObject(const Section& S) {
  return S.FromInit && S.Result.Kind == TypeKind::Object;
}

/// Opens the session in a driver: the arrays of objects, the captured objects, the trace.
/// \p First reads the base array; \p Inputs are the types of the arrays' elements; \p Info names
/// what describes the section, or the fused ones.
static void openSession(EmitContext& Context, const std::vector<const Section*>& Stages,
                        const Section& First, const std::vector<Type>& Inputs,
                        const std::string& Info, CodeWriter& Out) {
  const auto AreObjects = [](const Type& T) {
    return T.Kind == TypeKind::Object || !T.Held.empty();
  };
  bool Objects = llvm::any_of(Inputs, AreObjects);
  for (const Section* Stage : Stages)
    Objects |= Context.usesColumns(Stage->Function) || llvm::any_of(Stage->Captures, isTraced);
  Out.line(std::string("ikra::rt::session s(") + (Objects ? "layout(), " : "") + Info + ", call);");
  if (First.isOverObjects())
    Out.line("s.base<" + references(Context, *First.element().Class) + ">();");
  for (std::size_t K = 0; K < Inputs.size(); ++K)
    if (AreObjects(Inputs[K]) && !First.isOverObjects())
      Out.line("s.elements<" +
               (Inputs[K].Class ? references(Context, *Inputs[K].Class)
                                : launchText(Context, Inputs[K])) +
               ">(" + std::to_string(K) + ");");
  if (const Section& Last = *Stages.front(); startsWithObject(Last))
    Out.line("const auto initial = s.initial<" + references(Context, *Last.Result.Class) +
             ">(call.initial<" + Context.hostText(Last.Result) + ">());");
  for (std::size_t N = 0; N < Stages.size(); ++N)
    for (std::size_t K = 0; K < Stages[N]->Captures.size(); ++K)
      if (const Capture& C = Stages[N]->Captures[K]; isTraced(C))
        Out.line("const auto root_" + std::to_string(N) + "_" + std::to_string(K) +
                 (C.Kind == CaptureKind::Object ? " = s.root<" : " = s.roots<") +
                 references(Context, *C.Ty.Class) + ">(call.stage(" + std::to_string(N) +
                 ").capture<" + Context.hostText(C.Ty) + ">(" + std::to_string(K) + ")" +
                 (C.IsOwner ? ".get()" : "") + ");");
  if (Objects)
    Out.line("s.trace();");
}

/// The type of \p S's elements as launches are given it.
static std::string resultText(EmitContext& Context, const Section& S) {
  if (S.Op == Operation::PSelect || S.Result.Kind != TypeKind::Object)
    return launchText(Context, S.Result);
  return "ikra::rt::pointers<" + Context.hostText(S.Result) + ", " +
         references(Context, *S.Result.Class) + ">";
}

/// The call that launches a body which reads \p First's input and gives \p Last's result, up to the
/// body.
static std::string launcher(EmitContext& Context, const Section& First, const Section& Last,
                            bool WithIndex) {
  const bool Objects = First.isOverObjects();
  const std::string Rank = std::to_string(First.Rank);
  const std::string Out = resultText(Context, Last);
  const std::string Classes = Objects ? classList(Context, *First.element().Class) : "";
  const std::string In =
      Objects || First.Elements.empty() ? "" : launchText(Context, First.element());
  // Of objects the elements and the result are one type.
  std::vector<std::string> Fold{Out};
  if (Last.Result.Kind != TypeKind::Object)
    Fold = Last.FromInit ? std::vector{In, Out} : std::vector{In};
  std::string Name, Parameter;
  std::vector<std::string> Arguments;
  switch (Last.Op) {
  case Operation::PMap:
    Name = Objects ? "map_objects" : "map_values";
    Arguments = Objects ? std::vector{Out} : std::vector{In, Out};
    break;
  case Operation::PEach:
    Name = Objects ? "for_each" : "for_each_value";
    if (!Objects)
      Arguments = {In};
    if (Objects && Last.Ticks == TickLoop::LaunchPerTick) {
      Name += "_tick";
      Parameter = "call.ticks(), ";
    }
    break;
  case Operation::PCombine:
    Name = "combine_values";
    Arguments = {Out};
    break;
  case Operation::PNew:
    return "s.new_values<" + Out + ", " + Rank + ">(";
  case Operation::PStencil:
    return std::string("s.stencil_values") + (WithIndex ? "_indexed" : "") + "<" + In + ", " + Out +
           ", " + Last.Ident + "_device::reach, ikra::rt::border::" + nameOf(Last.AtBorder) + ">(";
  case Operation::PReduce:
    Name = Last.FromInit ? "reduce_values_from" : "reduce_values";
    Arguments = Fold;
    break;
  case Operation::PSelect:
    Name = Objects ? "select_objects" : "select_values";
    Arguments = {Objects ? Context.hostText(First.element()) : In};
    break;
  case Operation::PScan:
    Name = Last.FromInit ? "scan_values_from" : "scan_values";
    Arguments = Fold;
    break;
  case Operation::PSort:
    Name = "sort_values";
    Arguments = {Out};
    break;
  case Operation::PReduceByKey:
    Name = "reduce_by_key";
    Arguments = {In, Out};
    break;
  case Operation::PReduceAxis:
    Name = Last.FromInit ? "reduce_axis_from" : "reduce_axis";
    Arguments = Fold;
    Arguments.push_back(Rank);
    break;
  }
  if (WithIndex) {
    Name += "_indexed";
    Arguments.push_back(Rank);
  }
  if (Last.Op == Operation::PCombine)
    for (const Type& T : Last.Elements)
      Arguments.push_back(launchText(Context, T));
  if (Objects)
    Arguments.push_back(Classes);
  return "s." + Name + "<" + llvm::join(Arguments, ", ") + ">(" + Parameter;
}

/// Makes the unit's names visible, and prefers them where the user has the same ones.
static void useUnit(EmitContext& Context, CodeWriter& Out) {
  Out.line("using namespace " + Context.Unit + ";");
  for (const char* Name : NamesOfUnit) {
    const bool Declared = llvm::StringRef(Name).ends_with("_world")
                              ? Context.hasWorld(Name)
                              : !Context.Layout.Classes.empty();
    if (Declared && Context.Model.DeclaredToo.contains(Name))
      Out.line("using " + Context.Unit + "::" + Name + ";");
  }
}

std::string nameOf(const FusedKernel& Kernel, const ProgramModel& Model) {
  return "fused_into_" + Model.Sections[Kernel.last()].Ident +
         (Kernel.IsUnfolded ? "_unfolded" : "") +
         (Kernel.InTiles ? "_behind_" + Model.Sections[Kernel.Nodes.back().Section].Ident : "") +
         (Kernel.Path ? "_on_path_" + std::to_string(Kernel.Path) : "") +
         (Kernel.Without ? "_without_" + Model.Sections[*Kernel.Without].Ident : "") +
         (Kernel.FromHeld ? "_from_held" : "");
}

std::string callType(const Section& S) {
  return S.Op == Operation::PEach ? "peach_call" : "map_call";
}

void SectionEmitter::emitDriver() {
  const std::string Call = "(ikra::" + callType(S) + "& call) {";
  if (S.Instance)
    Out.open("namespace " + Context.Unit + " { static void run_" + S.Ident + Call);
  else
    Out.open("void ikra::section_code<" + Context.Unit + "::" + S.Ident + ">::run" + Call);
  useUnit(Context, Out);
  openSession(Context, {&S}, S, S.Elements, S.Ident + "_info", Out);
  if (ticksOutside(S))
    Out.open("for (std::int64_t tick = 0; tick < call.ticks(); ++tick) {");
  declareBody(Context, S, S, "body", "call", "root_0_", Out);
  Out.line(launcher(Context, S, S, S.WithIndex) + "body" +
           (startsWithObject(S) ? ", s.id(initial));" : ");"));
  if (ticksOutside(S))
    Out.close();
  Out.line("s.finish();");
  Out.close(S.Instance ? "}}" : "}");
}

namespace {

/// One kernel for several sections: a body that has theirs as members, and its driver.
class FusedEmitter {
public:
  FusedEmitter(EmitContext& Context, const FusedKernel& Kernel, CodeWriter& Out)
      : Context(Context), Kernel(Kernel), Out(Out), Name(nameOf(Kernel, Context.Model)) {
    for (std::size_t N = 0; N < Kernel.Nodes.size(); ++N) {
      Stages.push_back(&section(N));
      WithIndex |= N >= top() && section(N).WithIndex;
      if (section(N).isOverObjects())
        OverObjects = &section(N);
      if (section(N).takesIds() && (!TakesIds || TakesIds->PassesNull))
        TakesIds = &section(N);
      if (section(N).Op == Operation::PStencil)
        Stencils.emplace(Context, Kernel, Name);
      for (const FusedInput& Input : Kernel.Nodes[N].Inputs)
        if (!Input.IsLeaf)
          ++Uses[Input.Number];
    }
  }

  void emit() {
    std::vector<std::string> Idents;
    for (const Section* S : llvm::reverse(Stages))
      Idents.push_back(S->Ident);
    Out.heading(llvm::join(Idents, Kernel.isChain() ? " -> " : ", ") +
                (Kernel.InTiles ? " in tiles" : " in one kernel"));
    emitInfo();
    if (!Kernel.InTiles) // else both bodies are those of single sections
      emitBody();
    emitDriver();
  }

private:
  const Section& section(std::size_t N) const {
    return Context.Model.Sections[Kernel.Nodes[N].Section];
  }
  /// The node whose results the body computes: what reductions and selections do with them is
  /// theirs.
  std::size_t top() const {
    const Operation Last = section(0).Op;
    return isReduction(Last) || Last == Operation::PSelect ? 1 : 0;
  }
  /// The section that messages name.
  const Section& first() const {
    if (OverObjects)
      return *OverObjects;
    return TakesIds ? *TakesIds : *Stages.back();
  }
  static std::string stage(std::size_t N) { return "stage_" + std::to_string(N); }

  std::string leafName(std::size_t L) const {
    if (OverObjects)
      return "c, id";
    return Kernel.Leaves.size() == 1 ? "x" : "x_" + std::to_string(L);
  }
  std::string leafType(const FusedLeaf& L) const {
    return Context.typeText(section(L.Node).Elements[L.Input]);
  }
  std::string launchType(const FusedLeaf& L) const {
    return launchText(Context, section(L.Node).Elements[L.Input]);
  }

  /// Sections that use columns which the first one does not need a description of their own.
  void emitInfo() {
    std::map<Index, bool> Columns; // and whether they are written
    for (const FusedNode& Node : Kernel.Nodes)
      for (const ColumnUse& Use : Context.Layout.Uses[Node.Section])
        Columns[Use.Column] |= Use.Writes;
    std::vector<ColumnUse> All;
    for (const auto& [Column, Writes] : Columns)
      All.push_back({Column, Writes});
    const auto First = static_cast<Index>(&first() - Context.Model.Sections.data());
    if (All.size() == Context.Layout.Uses[First].size()) {
      Info = first().Ident + "_info";
      return;
    }
    Info = Name + "_info";
    SectionEmitter::emitInfo(Name, first(), All, Out);
  }

  /// The result of a node, for one place.
  std::string call(std::size_t N) const {
    std::vector<std::string> Arguments;
    for (const FusedInput& Input : Kernel.Nodes[N].Inputs)
      Arguments.push_back(Input.IsLeaf ? leafName(Input.Number) : value(Input.Number));
    if (section(N).WithIndex)
      Arguments.emplace_back("place");
    return stage(N) + "(" + llvm::join(Arguments, ", ") + ")";
  }
  std::string value(std::size_t N) const {
    return Uses.at(N) > 1 ? "value_" + std::to_string(N) : call(N);
  }

  void emitBody() {
    if (Stencils)
      return Stencils->emitBody(Out);
    Out.open("struct " + Name + " {");
    for (std::size_t N = Stages.size(); N-- > top();)
      Out.line(Stages[N]->Ident + "_device::body " + stage(N) + ";");
    Out.line("");
    std::vector<std::string> Parameters;
    if (OverObjects)
      Parameters = {"Class c", "ikra::object_id id"};
    else
      for (std::size_t L = 0; L < Kernel.Leaves.size(); ++L)
        Parameters.push_back(leafType(Kernel.Leaves[L]) + " " + leafName(L));
    const unsigned Rank = section(0).Rank;
    const std::string Index =
        (Rank == 1 ? "std::int64_t" : "const ikra::index<" + std::to_string(Rank) + ">&") +
        std::string(" place");
    if (WithIndex)
      Parameters.push_back(Index);
    Out.open((OverObjects ? "template <class Class> " : "") +
             std::string("IKRA_DEVICE auto operator()(") + llvm::join(Parameters, ", ") +
             ") const {");
    for (std::size_t N = Stages.size(); N-- > top() + 1;)
      if (Uses.at(N) > 1)
        Out.line("const auto value_" + std::to_string(N) + " = " + call(N) + ";");
    Out.line("return " + call(top()) + ";");
    Out.close();
    if (Kernel.InStages)
      emitStages();
    Out.close("};");
  }

  /// The same for a block of elements on all cores, section by section.
  void emitStages() {
    Out.line("");
    Out.line("static constexpr bool has_stages = true;");
    Out.open("template <class Step> void each_stage(const Step& step) const {");
    for (std::size_t N = Stages.size(); N-- > 0;) {
      const Section& S = section(N);
      const char* const OfElements = S.WithIndex ? "indexed(" : "plain(";
      Out.line("step." + std::string(S.Op == Operation::PNew ? "start(" : OfElements) + stage(N) +
               ");");
    }
    Out.close();
  }

  std::string launch() {
    if (Stencils)
      return Stencils->launch();
    if (Kernel.Leaves.size() == 1) {
      const FusedLeaf& L = Kernel.Leaves.front();
      if (section(L.Node).Op == Operation::PMap && section(0).Op == Operation::PMap)
        return launcher(Context, section(L.Node), section(0), WithIndex);
    }
    std::vector<std::string> Arguments{resultText(Context, section(0))};
    const std::string Rank = std::to_string(section(0).Rank);
    if (top() != 0) {
      if (section(0).FromInit)
        Arguments.insert(Arguments.begin(), Context.typeText(section(0).element()));
      if (section(0).Op == Operation::PSelect)
        Arguments.push_back(section(0).WithIndex ? Rank : "0");
      Arguments.push_back(WithIndex ? Rank : "0");
      for (const FusedLeaf& L : Kernel.Leaves)
        Arguments.push_back(launchType(L));
      const char* const Combine = section(0).Op == Operation::PScan ? "scan" : "reduce";
      const char* const Launch = section(0).Op == Operation::PSelect ? "select" : Combine;
      return std::string("s.") + Launch + "_computed" + (section(0).FromInit ? "_from<" : "<") +
             llvm::join(Arguments, ", ") + ">(";
    }
    if (Kernel.Leaves.empty())
      return "s.new_values<" + Arguments.front() + ", " + Rank + ">(";
    if (WithIndex)
      Arguments.push_back(Rank);
    for (const FusedLeaf& L : Kernel.Leaves)
      Arguments.push_back(launchType(L));
    return std::string("s.combine_values") + (WithIndex ? "_indexed" : "") + "<" +
           llvm::join(Arguments, ", ") + ">(";
  }

  /// A stencil over an array, as a body of its own.
  std::string stencilBody(std::size_t N) const {
    const Section& S = section(N);
    return "s.stencil_body<" + Context.typeText(S.Result) + ", " + S.Ident +
           "_device::reach, ikra::rt::border::" + nameOf(S.AtBorder) + ", " +
           (S.WithIndex ? "true" : "false") + ">(" + stage(N) + ", " + std::to_string(N) + ")";
  }

  void emitDriver() {
    Out.open("void run_" + Name + "(ikra::map_call& call) {");
    std::vector<Type> Inputs;
    for (const FusedLeaf& L : Kernel.Leaves)
      Inputs.push_back(section(L.Node).Elements[L.Input]);
    openSession(Context, Stages, first(), Inputs, Info, Out);
    std::vector<std::string> Members;
    for (std::size_t N = Stages.size(); N-- > 0;) {
      if (N >= top())
        Members.push_back(stage(N));
      declareBody(Context, *Stages[N], section(0), stage(N),
                  "call.stage(" + std::to_string(N) + ")", "root_" + std::to_string(N) + "_", Out);
    }
    if (Kernel.InTiles) {
      Out.line("s.stencil_pair<" + leafType(Kernel.Leaves.front()) + ", " +
               Context.typeText(section(1).Result) + ", " + Context.typeText(section(0).Result) +
               ">(" + stencilBody(1) + ", " + stencilBody(0) + ");");
      Out.line("s.finish();");
      Out.close();
      return;
    }
    if (Stencils)
      llvm::append_range(Members, Stencils->borderValues());
    Out.line(launch() + Name + "{" + llvm::join(Members, ", ") + "}" +
             (top() == 0 ? "" : ", stage_0") + ");");
    Out.line("s.finish();");
    Out.close();
  }

  EmitContext& Context;
  const FusedKernel& Kernel;
  CodeWriter& Out;
  std::string Name;
  std::string Info; ///< name of the constant that describes the kernel to the runtime
  std::vector<const Section*> Stages;
  const Section* OverObjects = nullptr; ///< the one that reads objects as elements
  /// One that takes their IDs; if any is not given null elements, such a one.
  const Section* TakesIds = nullptr;
  std::optional<FusedStencils> Stencils; ///< where there are any
  bool WithIndex = false;
  std::map<std::size_t, unsigned> Uses; ///< how many inputs a node is
};

} // namespace

void SectionEmitter::emitFused(EmitContext& Context, const FusedKernel& Kernel, CodeWriter& Out) {
  FusedEmitter(Context, Kernel, Out).emit();
}

} // namespace ikra
