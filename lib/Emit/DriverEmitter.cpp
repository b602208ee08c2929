// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drivers: the functions through which the runtime runs a section, or several in one kernel. They
// open a session, give the body its columns and captures, and launch it.

#include "SectionEmitter.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace ikra {

/// What the body of \p S is given as its world, in a driver that launches \p Last.
static std::string worldOf(const Section& S, const Section& Last) {
  const std::string Type = EmitContext::worldType(&S);
  if (Type == "world")
    return "world(s.columns())";
  if (Type == "checked_world")
    return "checked_world(s.columns(), s.nulls())";
  // Threads that reduce or select wait for each other.
  const bool Stay =
      !S.isOverObjects() && (Last.Op == Operation::PReduce || Last.Op == Operation::PSelect);
  const std::string Failures = std::string("s.failures(") + (Stay ? "/*stay=*/true" : "") + ")";
  return S.UsesColumns ? "reporting_world(s.columns(), " + Failures + ")"
                       : "ikra::no_columns{" + Failures + "}";
}

/// Declares the body of \p S in a driver that launches \p Last, with captures taken from \p Stage.
static void declareBody(EmitContext& Context, const Section& S, const Section& Last,
                        const std::string& Name, const std::string& Stage,
                        const std::string& RootPrefix, CodeWriter& Out) {
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
    case CaptureKind::View:
      Inits.push_back("s.view(" + Stage + ".capture<" + Context.hostText(C.Ty) + ">(" + Number +
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

/// Opens the session in a driver: the base array, the captured objects, the trace.
static void openSession(EmitContext& Context, const std::vector<const Section*>& Stages,
                        CodeWriter& Out) {
  const Section& First = *Stages.back(); // reads the input
  bool Objects = First.isOverObjects();
  for (const Section* Stage : Stages)
    Objects |= Context.usesColumns(Stage->Function) ||
               std::any_of(Stage->Captures.begin(), Stage->Captures.end(),
                           [](const Capture& C) { return C.Kind == CaptureKind::Object; });
  Out.line(std::string("ikra::rt::session s(") + (Objects ? "layout(), " : "") + First.Ident +
           "_info, call);");
  if (First.isOverObjects())
    Out.line("s.base<" + references(Context, *First.element().Class) + ">();");
  for (std::size_t N = 0; N < Stages.size(); ++N)
    for (std::size_t K = 0; K < Stages[N]->Captures.size(); ++K)
      if (const Capture& C = Stages[N]->Captures[K]; C.Kind == CaptureKind::Object)
        Out.line("const auto root_" + std::to_string(N) + "_" + std::to_string(K) + " = s.root<" +
                 references(Context, *C.Ty.Class) + ">(call.stage(" + std::to_string(N) +
                 ").capture<" + Context.hostText(C.Ty) + ">(" + std::to_string(K) + ")" +
                 (C.IsOwner ? ".get()" : "") + ");");
  if (Objects)
    Out.line("s.trace();");
}

/// The call that launches a body which reads \p First's input and gives \p Last's result, up to the
/// body.
static std::string launcher(EmitContext& Context, const Section& First, const Section& Last,
                            bool WithIndex) {
  const bool Objects = First.isOverObjects();
  const std::string Rank = std::to_string(First.Rank);
  const std::string Out = Last.Op != Operation::PSelect && Last.Result.Kind == TypeKind::Object
                              ? "ikra::rt::pointers<" + Context.hostText(Last.Result) + ", " +
                                    references(Context, *Last.Result.Class) + ">"
                              : Context.typeText(Last.Result);
  const std::string Classes = Objects ? classList(Context, *First.element().Class) : "";
  const std::string In = Objects || First.Elements.empty() ? "" : Context.typeText(First.element());
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
  case Operation::PReduce:
    Name = "reduce_values";
    Arguments = {In};
    break;
  case Operation::PSelect:
    Name = Objects ? "select_objects" : "select_values";
    Arguments = {Objects ? Context.hostText(First.element()) : In};
    break;
  }
  if (WithIndex) {
    Name += "_indexed";
    Arguments.push_back(Rank);
  }
  if (Last.Op == Operation::PCombine)
    for (const Type& T : Last.Elements)
      Arguments.push_back(Context.typeText(T));
  if (Objects)
    Arguments.push_back(Classes);
  return "s." + Name + "<" + llvm::join(Arguments, ", ") + ">(" + Parameter;
}

/// Makes the unit's names visible, and prefers them where the user has the same ones.
static void useUnit(EmitContext& Context, CodeWriter& Out) {
  Out.line("using namespace " + Context.Unit + ";");
  for (const char* Name : {"world", "checked_world", "reporting_world", "layout"}) {
    const clang::IdentifierInfo& Id = Context.Ast.Idents.get(Name);
    const bool Declared = llvm::StringRef(Name).ends_with("_world")
                              ? Context.hasWorld(Name)
                              : !Context.Layout.Classes.empty();
    if (Declared && !Context.Ast.getTranslationUnitDecl()->lookup(&Id).empty())
      Out.line("using " + Context.Unit + "::" + Name + ";");
  }
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
  openSession(Context, {&S}, Out);
  if (ticksOutside(S))
    Out.open("for (std::int64_t tick = 0; tick < call.ticks(); ++tick) {");
  declareBody(Context, S, S, "body", "call", "root_0_", Out);
  Out.line(launcher(Context, S, S, S.WithIndex) + "body);");
  if (ticksOutside(S))
    Out.close();
  Out.line("s.finish();");
  Out.close(S.Instance ? "}}" : "}");
}

void SectionEmitter::emitFused(EmitContext& Context, const FusedKernel& Kernel, CodeWriter& Out) {
  std::vector<const Section*> Stages;
  for (Index I : Kernel.Chain)
    Stages.push_back(&Context.Model.Sections[I]);
  const Section &Last = *Stages.front(), &First = *Stages.back();
  const bool Objects = First.isOverObjects();
  const bool WithIndex =
      std::any_of(Stages.begin(), Stages.end(), [](const Section* S) { return S->WithIndex; });
  const std::string IndexType =
      First.Rank == 1 ? "std::int64_t" : "const ikra::index<" + std::to_string(First.Rank) + ">&";
  const std::string Name = "fused_into_" + Last.Ident;

  std::vector<std::string> Idents, Members;
  std::string Value = Objects ? "c, id" : "x";
  for (std::size_t K = Stages.size(); K-- > 0;) {
    Idents.push_back(Stages[K]->Ident);
    Members.push_back("stage_" + std::to_string(K));
    Value = Members.back() + "(" + Value + (Stages[K]->WithIndex ? ", place)" : ")");
  }
  Out.heading(llvm::join(Idents, " -> ") + " in one kernel");
  Out.open("struct " + Name + " {");
  for (std::size_t K = 0; K < Members.size(); ++K)
    Out.line(Idents[K] + "_device::body " + Members[K] + ";");
  Out.line("");
  const std::string Head =
      Objects ? "template <class Class> IKRA_DEVICE auto operator()(Class c, ikra::object_id id"
              : "IKRA_DEVICE auto operator()(" + Context.typeText(First.element()) + " x";
  Out.open(Head + (WithIndex ? ", " + IndexType + " place" : "") + ") const {");
  Out.line("return " + Value + ";");
  Out.close();
  Out.close("};");

  Out.open("void run_" + Name + "(ikra::map_call& call) {");
  openSession(Context, Stages, Out);
  for (std::size_t K = Stages.size(); K-- > 0;)
    declareBody(Context, *Stages[K], Last, "stage_" + std::to_string(K),
                "call.stage(" + std::to_string(K) + ")", "root_" + std::to_string(K) + "_", Out);
  Out.line(launcher(Context, First, Last, WithIndex) + Name + "{" + llvm::join(Members, ", ") +
           "});");
  Out.line("s.finish();");
  Out.close();
}

} // namespace ikra
