// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code section by section. Dispatch by class has two forms: over IDs a switch, over a section's own element an
// overload, since there the class is known.

#include "SectionEmitter.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace clang;

namespace ikra {

std::string classAlias(const EmitContext &Context, Index Class) { return Context.Model.Classes[Class].Ident + "_class"; }

std::string classList(const EmitContext &Context, Index Static) {
  std::vector<std::string> Names;
  for (Index C : Context.Model.Classes[Static].Concrete)
    Names.push_back(classAlias(Context, C));
  return llvm::join(Names, ", ");
}

std::string references(const EmitContext &Context, Index Static) {
  const std::string Classes = classList(Context, Static);
  return "ikra::rt::references<::" + Context.Model.Classes[Static].Name + (Classes.empty() ? "" : ", " + Classes) + ">";
}

//===-- dispatch ------------------------------------------------------------------------------------===//

namespace {

/// One function that chooses by class. Calls of one method through different static classes share it.
struct Dispatcher {
  std::string Name;
  std::uint64_t Mask = 0;
  std::map<Index, Index> Targets; ///< function by class
};

using DispatcherKey = std::pair<const FunctionDecl *, std::uint64_t>;

/// The dispatchers that \p Functions call, in the order of their names.
std::vector<Dispatcher> dispatchersOf(const EmitContext &Context, const std::vector<Index> &Functions) {
  std::map<DispatcherKey, Dispatcher> ByMethod;
  for (Index F : Functions)
    for (const auto &[Site, Call] : Context.Model.Functions[F].Calls) {
      if (!Call.Dispatched)
        continue;
      const FunctionDecl *Callee = cast<CallExpr>(Site)->getDirectCallee()->getCanonicalDecl();
      Dispatcher &D = ByMethod[{Callee, Call.SelfMask}];
      D.Name = Context.dispatcherOf(Site);
      D.Mask = Call.SelfMask;
      for (const CallTarget &Target : Call.Targets)
        D.Targets[*Target.Class] = Target.Function;
    }
  std::vector<Dispatcher> Out;
  for (auto &[Key, D] : ByMethod)
    Out.push_back(std::move(D));
  const auto Order = [&](const Dispatcher &D) {
    const Function &First = Context.Model.Functions[D.Targets.begin()->second];
    return std::tuple(D.Name, First.At.File, First.At.Line, D.Mask);
  };
  std::sort(Out.begin(), Out.end(), [&](const Dispatcher &A, const Dispatcher &B) { return Order(A) < Order(B); });
  return Out;
}

class DispatchEmitter {
public:
  DispatchEmitter(EmitContext &Context, const Dispatcher &D, const Section *InSection, CodeWriter &Out)
      : Context(Context), D(D), InSection(InSection), Out(Out), First(Context, D.Targets.begin()->second, InSection) {}

  /// Over IDs.
  void emitSwitch(bool DeclareOnly) {
    const std::string Head = (D.Mask ? "template <class Self> " : "") + std::string("IKRA_DEVICE ") + First.resultType() + " " +
                             D.Name + "(" + parameterList("ikra::object_id") + ")";
    if (DeclareOnly)
      return Out.line(Head + ";");
    Out.open(Head + " {");
    const FamilyLayout &Family = Context.Layout.Families[Context.Model.Classes[D.Targets.begin()->first].Family];
    // Targets in the order of the family's classes; the last one needs no test.
    std::vector<std::pair<std::size_t, Index>> Cases;
    for (std::size_t K = 0; K < Family.Classes.size(); ++K)
      if (auto It = D.Targets.find(Family.Classes[K]); It != D.Targets.end())
        Cases.emplace_back(K, It->second);
    if (Cases.size() == 1) {
      Out.line("return " + forward(Cases.front().second, "self") + ";");
      return Out.close();
    }
    Out.line("switch (w." + Family.Ident + ".class_of(self)) {");
    for (const auto &[K, Target] : Cases) {
      if (&Cases.back().first == &K)
        Out.line("default: // " + Context.Model.Classes[Family.Classes[K]].Name);
      else
        Out.line("case " + std::to_string(K) + ": // " + Context.Model.Classes[Family.Classes[K]].Name);
      Out.line("  return " + forward(Target, "self") + ";");
    }
    Out.line("}");
    Out.close();
  }

  /// Over the views of the section's element: one overload a class.
  void emitOverloads(bool DeclareOnly) {
    for (const auto &[C, Target] : D.Targets) {
      const std::string View = Context.Model.Classes[C].Ident + "_element";
      const auto &Concrete = Context.Model.Classes[*InSection->Element.Class].Concrete;
      if (std::find(Concrete.begin(), Concrete.end(), C) == Concrete.end())
        continue;
      const std::string Head = "IKRA_DEVICE " + First.resultType() + " " + D.Name + "(" + parameterList(View + "&", View) + ")";
      if (DeclareOnly) {
        Out.line(Head + ";");
        continue;
      }
      Out.open(Head + " {");
      Out.line("return " + forward(Target, (Context.Model.Functions[Target].SelfMask & 1) ? "self" : "self.id") + ";");
      Out.close();
    }
  }

private:
  unsigned parameters() const { return Context.Model.Functions[D.Targets.begin()->second].Decl->getNumParams(); }

  std::string parameterList(const std::string &Receiver, const std::string &Self = "Self") {
    std::vector<std::string> All{"const world& w", Receiver + " self"};
    const FunctionDecl *Decl = Context.Model.Functions[D.Targets.begin()->second].Decl;
    for (unsigned K = 0; K < parameters(); ++K) {
      const std::string Name = " argument_" + std::to_string(K);
      if ((D.Mask >> (K + 1)) & 1)
        All.push_back(Self + "&" + Name);
      else
        All.push_back(First.typeText(Decl->getParamDecl(K)->getType()) + Name);
    }
    return llvm::join(All, ", ");
  }

  std::string forward(Index Target, const std::string &Receiver) {
    const Function &F = Context.Model.Functions[Target];
    std::vector<std::string> All;
    if (Context.needsWorld(Target))
      All.push_back("w");
    All.push_back(Receiver);
    for (unsigned K = 0; K < parameters(); ++K) {
      const bool Given = (D.Mask >> (K + 1)) & 1, Wanted = (F.SelfMask >> (K + 1)) & 1;
      All.push_back("argument_" + std::to_string(K) + (Given && !Wanted ? ".id" : ""));
    }
    return F.Ident + "(" + llvm::join(All, ", ") + ")";
  }

  EmitContext &Context;
  const Dispatcher &D;
  const Section *InSection;
  CodeWriter &Out;
  BodyPrinter First;
};

void emitFunction(EmitContext &Context, Index F, const Section *InSection, CodeWriter &Out) {
  BodyPrinter Printer(Context, F, InSection);
  Out.open(Printer.signature() + " {");
  Printer.printBody(Out);
  Out.close();
  Out.ownPlace();
}

/// Functions reached from \p Root whose arguments hold the element, in the order of their names.
void reachWithElement(const EmitContext &Context, Index Root, std::vector<Index> &Out) {
  for (const auto &[Site, Call] : Context.Model.Functions[Root].Calls)
    for (const CallTarget &Target : Call.Targets) {
      if (Context.Model.Functions[Target.Function].SelfMask == 0 ||
          std::find(Out.begin(), Out.end(), Target.Function) != Out.end())
        continue;
      Out.push_back(Target.Function);
      reachWithElement(Context, Target.Function, Out);
    }
}

} // namespace

void SectionEmitter::emitSharedFunctions(EmitContext &Context, CodeWriter &Out) {
  std::vector<Index> Shared, All;
  for (Index F = 0; F < Context.Model.Functions.size(); ++F) {
    All.push_back(F);
    if (Context.Model.Functions[F].SelfMask == 0 && !Context.Model.Functions[F].IsSection)
      Shared.push_back(F);
  }
  std::vector<Dispatcher> Dispatchers = dispatchersOf(Context, All);
  std::erase_if(Dispatchers, [](const Dispatcher &D) { return D.Mask != 0; });
  if (Shared.empty() && Dispatchers.empty())
    return;
  Out.heading("functions that several sections may reach");
  for (Index F : Shared)
    Out.line(BodyPrinter(Context, F, nullptr).signature() + ";");
  for (const Dispatcher &D : Dispatchers)
    DispatchEmitter(Context, D, nullptr, Out).emitSwitch(true);
  Out.line("");
  for (Index F : Shared)
    emitFunction(Context, F, nullptr, Out);
  for (const Dispatcher &D : Dispatchers)
    DispatchEmitter(Context, D, nullptr, Out).emitSwitch(false);
}

//===-- one section ---------------------------------------------------------------------------------===//

SectionEmitter::SectionEmitter(EmitContext &Context, const Section &S, CodeWriter &Out)
    : Context(Context), S(S), Out(Out) {}

void SectionEmitter::emitDeviceCode() {
  const llvm::StringRef Operation = S.Op == Operation::PMap ? "pmap" : "peach";
  Out.heading(S.Ident + ": " + Operation + " at " + S.At.File + ":" + std::to_string(S.At.Line));
  emitColumns();
  Out.line("namespace " + S.Ident + "_device {");
  if (S.Element.Kind == TypeKind::Object) {
    emitElements();
    emitFunctions();
  }
  emitBody();
  Out.line("} // namespace " + S.Ident + "_device");
}

void SectionEmitter::emitColumns() {
  const Index Number = static_cast<Index>(&S - Context.Model.Sections.data());
  const auto &Uses = Context.Layout.Uses[Number];
  std::string Columns = "{}";
  if (!Uses.empty()) {
    std::vector<std::string> Texts;
    for (const ColumnUse &Use : Uses)
      Texts.push_back("{" + std::to_string(Use.Column) + ", ikra::rt::" + (Use.Writes ? "reads_and_writes" : "reads") + "}");
    Out.line("constexpr ikra::rt::column_use " + S.Ident + "_columns[] = {" + llvm::join(Texts, ", ") + "};");
    Columns = S.Ident + "_columns";
  }
  Out.line("constexpr ikra::rt::section_info " + S.Ident + "_info{\"" + escaped(S.Inside) + "\", \"" + escaped(S.At.File) +
           "\", " + std::to_string(S.At.Line) + ", " + std::to_string(S.At.Column) + ", " + Columns +
           (S.TestsForNull ? ", ikra::rt::null_elements::passed" : "") + "};");
}

void SectionEmitter::emitElements() {
  for (Index C : Context.Model.Classes[*S.Element.Class].Concrete) {
    const auto It = S.Registers.find(C);
    Out.open("struct " + Context.Model.Classes[C].Ident + "_element {");
    Out.line("ikra::object_id id;");
    for (Index M : S.OwnWritten) {
      const Column &Col = Context.Layout.Columns[Context.Layout.columnOf(M)];
      if (std::find(Col.Classes.begin(), Col.Classes.end(), C) == Col.Classes.end())
        continue;
      const Member &Of = Context.Model.Members[M];
      const bool Register = It != S.Registers.end() && It->second.count(M);
      Out.line(Context.typeText(Of.Ty) + (Register ? " " : "& ") + Of.Name + ";");
    }
    Out.close("};");
  }
}

void SectionEmitter::emitFunctions() {
  std::vector<Index> Functions;
  reachWithElement(Context, S.Function, Functions);
  std::sort(Functions.begin(), Functions.end());
  std::vector<Index> Callers = Functions;
  Callers.push_back(S.Function);
  std::vector<Dispatcher> Dispatchers = dispatchersOf(Context, Callers);
  std::erase_if(Dispatchers, [](const Dispatcher &D) { return D.Mask == 0; });

  const auto Dispatch = [&](bool DeclareOnly) {
    for (const Dispatcher &D : Dispatchers) {
      DispatchEmitter Emitter(Context, D, &S, Out);
      if (D.Mask & 1)
        Emitter.emitOverloads(DeclareOnly);
      else
        Emitter.emitSwitch(DeclareOnly);
    }
  };
  for (Index F : Functions)
    Out.line(BodyPrinter(Context, F, &S).signature() + ";");
  Dispatch(true);
  for (Index F : Functions)
    emitFunction(Context, F, &S, Out);
  Dispatch(false);
}

static std::string captureType(EmitContext &Context, const Capture &C) {
  switch (C.Kind) {
  case CaptureKind::Value:
    return Context.typeText(C.Ty);
  case CaptureKind::Object:
    return "ikra::object_id";
  case CaptureKind::View:
    return "ikra::list<const " + Context.typeText(C.Ty) + ">";
  }
  llvm_unreachable("kind of capture");
}

/// A member name that no capture has.
static std::string unusedMember(const Section &S, std::string Name) {
  const auto Taken = [&] {
    return std::any_of(S.Captures.begin(), S.Captures.end(), [&](const Capture &C) { return C.Name == Name; });
  };
  while (Taken())
    Name += '_';
  return Name;
}

/// A launch for each tick over values gives the tick to the body, since launches over values have none.
static bool ticksOutside(const Section &S) {
  return S.Op == Operation::PEach && S.Ticks == TickLoop::LaunchPerTick && S.Element.Kind != TypeKind::Object;
}

void SectionEmitter::emitBody() {
  BodyPrinter Code(Context, S.Function, &S);
  Out.open("struct body {");
  if (S.Element.Kind == TypeKind::Object || Context.needsWorld(S.Function))
    Out.line("world " + Code.worldName() + ";");
  for (const Capture &C : S.Captures)
    Out.line(captureType(Context, C) + " " + C.Name + ";");
  if (S.Op == Operation::PEach && S.Ticks == TickLoop::InThread)
    Out.line("std::int64_t " + unusedMember(S, "ticks") + ";");
  if (ticksOutside(S))
    Out.line("std::int64_t " + unusedMember(S, "tick") + ";");
  Out.line("");
  if (S.Element.Kind == TypeKind::Object) {
    // What the user wrote in the section.
    const std::string Parameters = llvm::join(Code.parameters(0), ", ");
    const bool Template = llvm::StringRef(Parameters).contains("Self&");
    Out.open((Template ? "template <class Self> " : "") + std::string("IKRA_DEVICE ") + Code.resultType() + " " +
             unusedMember(S, "code") + "(" + Parameters + ") const {");
    Code.printBody(Out);
    Out.close();
    Out.ownPlace();
    emitObjectOperators(Code);
  } else {
    emitValueOperator(Code);
  }
  Out.close("};");
}

void SectionEmitter::emitObjectOperators(const BodyPrinter &Code) {
  const std::string CodeName = unusedMember(S, "code"), Ticks = unusedMember(S, "ticks");
  const bool Element = (Context.Model.Functions[S.Function].SelfMask >> 1) & 1;
  const std::string Argument = Element ? "element" : "element.id";
  const std::string Index = S.Rank == 1 ? "std::int64_t" : "const ikra::index<" + std::to_string(S.Rank) + ">&";
  const std::string IndexParameter = S.WithIndex ? ", " + Index + " place" : "";
  const std::string IndexArgument = S.WithIndex ? ", place" : "";
  const std::string TickArgument = S.TakesTick ? ", tick" : "";
  const std::string Call = CodeName + "(" + Argument + IndexArgument + TickArgument + ")";
  for (ikra::Index C : Context.Model.Classes[*S.Element.Class].Concrete) {
    const std::string View = Context.Model.Classes[C].Ident + "_element";
    const bool PerTick = S.Op == Operation::PEach && S.Ticks == TickLoop::LaunchPerTick;
    const std::string Result = S.Op == Operation::PMap ? Context.typeText(S.Result) : "void";
    Out.open("IKRA_DEVICE " + Result + " operator()(" + classAlias(Context, C) + ", ikra::object_id id" + IndexParameter +
             (PerTick ? ", std::int64_t tick" : "") + ") const {");
    std::vector<std::string> Inits{"id"};
    std::vector<std::pair<std::string, std::string>> Registers; // column and member
    for (ikra::Index M : S.OwnWritten) {
      const Column &Col = Context.Layout.Columns[Context.Layout.columnOf(M)];
      if (std::find(Col.Classes.begin(), Col.Classes.end(), C) == Col.Classes.end())
        continue;
      const std::string Place = Code.worldName() + "." + Col.Ident + "[id]";
      Inits.push_back(Place);
      if (auto It = S.Registers.find(C); It != S.Registers.end() && It->second.count(M))
        Registers.emplace_back(Place, Context.Model.Members[M].Name);
    }
    Out.line(View + " element{" + llvm::join(Inits, ", ") + "};");
    if (S.Op == Operation::PMap) {
      Out.line("return " + Call + ";");
    } else if (PerTick) {
      if (!S.TakesTick)
        Out.line("(void)tick;");
      Out.line(Call + ";");
    } else {
      for (const auto &[Place, Name] : Registers)
        Out.line("const auto " + Name + "_before = element." + Name + ";");
      Out.line("for (std::int64_t tick = 0; tick < " + Ticks + "; ++tick)");
      Out.line("  " + Call + ";");
      for (const auto &[Place, Name] : Registers)
        Out.line("ikra::store_changed(" + Place + ", element." + Name + ", " + Name + "_before);");
    }
    Out.close();
  }
}

void SectionEmitter::emitValueOperator(BodyPrinter &Code) {
  if (S.Op == Operation::PMap) {
    Out.open("IKRA_DEVICE " + Code.resultType() + " operator()(" + llvm::join(Code.parameters(0), ", ") + ") const {");
    Code.printBody(Out);
    Out.close();
    Out.ownPlace();
    return;
  }
  const std::string CodeName = unusedMember(S, "code"), Ticks = unusedMember(S, "ticks");
  Out.open("IKRA_DEVICE " + Code.resultType() + " " + CodeName + "(" + llvm::join(Code.parameters(0), ", ") + ") const {");
  Code.printBody(Out);
  Out.close();
  Out.ownPlace();
  const std::string Index = S.Rank == 1 ? "std::int64_t" : "const ikra::index<" + std::to_string(S.Rank) + ">&";
  const bool PerTick = S.Ticks == TickLoop::LaunchPerTick;
  const std::string Call = CodeName + "(element" + (S.WithIndex ? ", place" : "") + (S.TakesTick ? ", " + (PerTick ? unusedMember(S, "tick") : "tick") : "") + ")";
  Out.open("IKRA_DEVICE void operator()(" + Context.typeText(S.Element) + " element" + (S.WithIndex ? ", " + Index + " place" : "") + ") const {");
  if (PerTick) {
    Out.line(Call + ";");
  } else {
    Out.line("for (std::int64_t tick = 0; tick < " + Ticks + "; ++tick)");
    Out.line("  " + Call + ";");
  }
  Out.close();
}

//===-- drivers -------------------------------------------------------------------------------------===//

std::string bodyExpression(EmitContext &Context, const Section &S, const std::string &Stage, const std::string &RootPrefix) {
  std::vector<std::string> Inits;
  if (S.Element.Kind == TypeKind::Object || Context.needsWorld(S.Function))
    Inits.push_back("world(s.columns())");
  for (std::size_t K = 0; K < S.Captures.size(); ++K) {
    const Capture &C = S.Captures[K];
    const std::string Number = std::to_string(K);
    switch (C.Kind) {
    case CaptureKind::Value:
      Inits.push_back(Stage + ".capture<" + Context.typeText(C.Ty) + ">(" + Number + ")");
      break;
    case CaptureKind::Object:
      Inits.push_back("s.id(" + RootPrefix + Number + ")");
      break;
    case CaptureKind::View:
      Inits.push_back("s.view(" + Stage + ".capture<" + C.Ty.HostSpelling + ">(" + Number + "))");
      break;
    }
  }
  if (S.Op == Operation::PEach && S.Ticks == TickLoop::InThread)
    Inits.push_back("call.ticks()");
  if (ticksOutside(S))
    Inits.push_back("tick");
  return S.Ident + "_device::body{" + llvm::join(Inits, ", ") + "}";
}

/// Opens the session in a driver: the base array, the captured objects, the trace.
static void openSession(EmitContext &Context, const std::vector<const Section *> &Stages, CodeWriter &Out) {
  const Section &First = *Stages.back(); // reads the input
  bool Objects = First.Element.Kind == TypeKind::Object;
  for (const Section *Stage : Stages)
    Objects |= Context.needsWorld(Stage->Function) ||
               std::any_of(Stage->Captures.begin(), Stage->Captures.end(), [](const Capture &C) { return C.Kind == CaptureKind::Object; });
  Out.line(std::string("ikra::rt::session s(") + (Objects ? "layout(), " : "") + First.Ident + "_info, call);");
  if (First.Element.Kind == TypeKind::Object)
    Out.line("s.base<" + references(Context, *First.Element.Class) + ">();");
  for (std::size_t N = 0; N < Stages.size(); ++N)
    for (std::size_t K = 0; K < Stages[N]->Captures.size(); ++K)
      if (const Capture &C = Stages[N]->Captures[K]; C.Kind == CaptureKind::Object)
        Out.line("const auto root_" + std::to_string(N) + "_" + std::to_string(K) + " = s.root<" +
                 references(Context, *C.Ty.Class) + ">(call.stage(" + std::to_string(N) + ").capture<" + C.Ty.HostSpelling +
                 ">(" + std::to_string(K) + "));");
  if (Objects)
    Out.line("s.trace();");
}

void SectionEmitter::emitDriver() {
  const std::string CallType = S.Op == Operation::PMap ? "ikra::map_call" : "ikra::peach_call";
  Out.open("void ikra::section_code<" + Context.Unit + "::" + S.Ident + ">::run(" + CallType + "& call) {");
  Out.line("using namespace " + Context.Unit + ";");
  openSession(Context, {&S}, Out);
  const std::string Body = bodyExpression(Context, S, "call", "root_0_");
  const std::string Rank = std::to_string(S.Rank);
  if (S.Element.Kind == TypeKind::Object) {
    const std::string Classes = classList(Context, *S.Element.Class);
    if (S.Op == Operation::PMap && S.WithIndex)
      Out.line("s.map_objects_indexed<" + Context.typeText(S.Result) + ", " + Rank + ", " + Classes + ">(" + Body + ");");
    else if (S.Op == Operation::PMap)
      Out.line("s.map_objects<" + Context.typeText(S.Result) + ", " + Classes + ">(" + Body + ");");
    else if (S.Ticks == TickLoop::LaunchPerTick)
      Out.line("s.for_each_tick<" + Classes + ">(call.ticks(), " + Body + ");");
    else if (S.WithIndex)
      Out.line("s.for_each_indexed<" + Rank + ", " + Classes + ">(" + Body + ");");
    else
      Out.line("s.for_each<" + Classes + ">(" + Body + ");");
  } else {
    const std::string In = Context.typeText(S.Element);
    if (S.Op == Operation::PMap && S.WithIndex)
      Out.line("s.map_values_indexed<" + In + ", " + Context.typeText(S.Result) + ", " + Rank + ">(" + Body + ");");
    else if (S.Op == Operation::PMap)
      Out.line("s.map_values<" + In + ", " + Context.typeText(S.Result) + ">(" + Body + ");");
    else {
      const bool PerTick = S.Ticks == TickLoop::LaunchPerTick;
      if (PerTick)
        Out.open("for (std::int64_t tick = 0; tick < call.ticks(); ++tick) {");
      if (S.WithIndex)
        Out.line("s.for_each_value_indexed<" + In + ", " + Rank + ">(" + Body + ");");
      else
        Out.line("s.for_each_value<" + In + ">(" + Body + ");");
      if (PerTick)
        Out.close();
    }
  }
  Out.line("s.finish();");
  Out.close();
}

void SectionEmitter::emitFused(EmitContext &Context, const FusedKernel &Kernel, CodeWriter &Out) {
  std::vector<const Section *> Stages;
  for (Index I : Kernel.Chain)
    Stages.push_back(&Context.Model.Sections[I]);
  const Section &Last = *Stages.front(), &First = *Stages.back();
  const bool Objects = First.Element.Kind == TypeKind::Object;
  const bool WithIndex = std::any_of(Stages.begin(), Stages.end(), [](const Section *S) { return S->WithIndex; });
  const std::string Rank = std::to_string(First.Rank);
  const std::string IndexType = First.Rank == 1 ? "std::int64_t" : "const ikra::index<" + Rank + ">&";
  const std::string Name = "fused_into_" + Last.Ident;

  std::vector<std::string> Names;
  for (const Section *S : Stages)
    Names.insert(Names.begin(), S->Ident);
  Out.heading(llvm::join(Names, " -> ") + " in one kernel");
  Out.open("struct " + Name + " {");
  std::string Value = Objects ? "c, id" : "x";
  for (std::size_t K = Stages.size(); K-- > 0;) {
    Out.line(Stages[K]->Ident + "_device::body stage_" + std::to_string(K) + ";");
    Value = "stage_" + std::to_string(K) + "(" + Value + (Stages[K]->WithIndex ? ", place)" : ")");
  }
  const std::string Place = WithIndex ? ", " + IndexType + " place" : "";
  if (Objects)
    Out.line("template <class Class> IKRA_DEVICE auto operator()(Class c, ikra::object_id id" + Place + ") const { return " + Value + "; }");
  else
    Out.line("IKRA_DEVICE auto operator()(" + Context.typeText(First.Element) + " x" + Place + ") const { return " + Value + "; }");
  Out.close("};");

  Out.open("void run_" + Name + "(ikra::map_call& call) {");
  openSession(Context, Stages, Out);
  std::vector<std::string> Bodies;
  for (std::size_t K = Stages.size(); K-- > 0;)
    Bodies.push_back(bodyExpression(Context, *Stages[K], "call.stage(" + std::to_string(K) + ")", "root_" + std::to_string(K) + "_"));
  const std::string Body = Name + "{" + llvm::join(Bodies, ", ") + "}";
  const std::string Result = Context.typeText(Last.Result);
  if (Objects) {
    const std::string Classes = classList(Context, *First.Element.Class);
    Out.line(WithIndex ? "s.map_objects_indexed<" + Result + ", " + Rank + ", " + Classes + ">(" + Body + ");"
                       : "s.map_objects<" + Result + ", " + Classes + ">(" + Body + ");");
  } else {
    const std::string In = Context.typeText(First.Element);
    Out.line(WithIndex ? "s.map_values_indexed<" + In + ", " + Result + ", " + Rank + ">(" + Body + ");"
                       : "s.map_values<" + In + ", " + Result + ">(" + Body + ");");
  }
  Out.line("s.finish();");
  Out.close();
}

} // namespace ikra
