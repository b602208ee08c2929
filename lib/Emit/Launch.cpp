// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launch.h"

#include "SectionEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <set>

namespace ikra {

//===-- classes ----------------------------------------------------------------------------===//

std::string classAlias(const EmitContext& Context, Index Class) {
  return Context.Model.Classes[Class].Ident + "_class";
}

std::string classList(const EmitContext& Context, Index Static) {
  std::vector<std::string> Names;
  for (Index C : Context.Model.Classes[Static].Concrete)
    Names.push_back(classAlias(Context, C));
  return llvm::join(Names, ", ");
}

std::string references(EmitContext& Context, Index Static) {
  const std::string Classes = classList(Context, Static);
  return "ikra::rt::references<" + Context.className(Static) +
         (Classes.empty() ? "" : ", " + Classes) + ">";
}

//===-- drivers ----------------------------------------------------------------------------===//

/// What the body of \p S is given as its columns view, in a driver that launches \p Last.
static std::string columnsViewOf(const ProgramModel& Model, const Section& S, const Section& Last) {
  const std::string Type = EmitContext::columnsViewType(&S);
  if (Type == "columns_view")
    return "columns_view(s.columns())";
  // Threads that reduce, scan, sort or select wait for each other.
  const bool Stay = !S.isOverObjects() && (isReduction(Last.Op) || Last.Op == Operation::PSelect ||
                                           Last.Op == Operation::PSort);
  const bool IsWatched = Model.IsChecked && S.Op == Operation::PEach && S.isOverObjects() &&
                         !Model.Functions[S.Code.Function].Total.WriteOther.empty();
  if (IsWatched)
    return Type + "(s.columns(), s.watched_failures())";
  if (Type == "checked_columns_view")
    return std::string("checked_columns_view(s.columns(), ") +
           (Stay ? "s.failures(/*stay=*/true))" : "s.nulls())");
  const std::string Failures = std::string("s.failures(") + (Stay ? "/*stay=*/true" : "") + ")";
  return S.Access.UsesColumns ? "reporting_columns_view(s.columns(), " + Failures + ")"
                              : "ikra::no_columns{" + Failures + "}";
}

/// The session's function that gives bodies what it traced. \param IsOne no container
static std::string givenByRoot(const Type& T, bool IsOne) {
  if (T.Held.empty())
    return IsOne ? "s.id" : "s.ids";
  return IsOne ? "s.with_ids" : "s.list_with_ids";
}

/// The same with variables of the program that the session has on the device.
static std::string columnsViewWithGlobals(EmitContext& Context, const Section& S,
                                          const Section& Last) {
  std::string View = columnsViewOf(Context.Model, S, Last);
  const std::string Type = EmitContext::columnsViewType(&S);
  for (const Index G : Context.Model.Functions[S.Code.Function].Globals) {
    const GlobalVariable& Of = Context.Model.Globals[G];
    if (Of.Is == GlobalVariable::Value)
      continue;
    const std::string Given =
        Of.Is == GlobalVariable::List
            ? "s.view(" + Context.globalText(Of) + ")"
            : givenByRoot(Of.Ty, Of.Is == GlobalVariable::Object) + "(root_" + Of.Ident + ")";
    View = "ikra::rt::with(" + View + ", &" + Type + "::" + Of.Ident + ", " + Given + ")";
  }
  return View;
}

std::string launchText(EmitContext& Context, const Type& T) {
  if (T.Held.empty())
    return Context.typeText(T);
  std::string Text = "ikra::rt::with_object_ids<" + Context.hostText(T);
  for (const Index Class : T.Held)
    Text += ", " + references(Context, Class);
  return Text + ">";
}

/// What the section holds of a capture, as the host has it.
static std::string heldText(EmitContext& Context, const Capture& C, const std::string& Node,
                            const std::string& Number) {
  const bool IsAddress = C.Ty.IsNested && C.Ty.IsHeld;
  return (IsAddress ? "*" : "") + Node + ".capture<" + Context.hostText(C.Ty) + ">(" + Number + ")";
}

std::string asCode(EmitContext& Context, const Capture& C, std::string Text) {
  if (!C.Ty.CopyOf)
    return Text;
  const bool IsValue = C.Kind == CaptureKind::Value;
  return std::string("ikra::") + (IsValue ? "same_bytes<" : "as_copies<") + Context.codeText(C.Ty) +
         ">(" + std::move(Text) + ")";
}

void declareBody(EmitContext& Context, const Section& S, const Section& Last,
                 const std::string& Name, const std::string& Node, const std::string& RootPrefix,
                 CodeWriter& Out, const std::string& Ticks) {
  std::vector<std::string> Inits;
  if (S.isOverObjects() || Context.needsColumnsView(S.Code.Function))
    Inits.push_back(columnsViewWithGlobals(Context, S, Last));
  for (std::size_t K = 0; K < S.Code.Captures.size(); ++K) {
    const Capture& C = S.Code.Captures[K];
    const std::string Number = std::to_string(K);
    switch (C.Kind) {
    case CaptureKind::Value:
      Inits.push_back(
          asCode(Context, C, Node + ".capture<" + Context.typeText(C.Ty) + ">(" + Number + ")"));
      break;
    case CaptureKind::Object:
      Inits.push_back(givenByRoot(C.Ty, /*IsOne=*/true) + "(" + RootPrefix + Number + ")");
      break;
    case CaptureKind::ObjectView:
      Inits.push_back(C.Ty.IsNested
                          ? "s.nested_ids(" + RootPrefix + Number + ", " +
                                heldText(Context, C, Node, Number) + ")"
                          : givenByRoot(C.Ty, /*IsOne=*/false) + "(" + RootPrefix + Number + ")");
      break;
    case CaptureKind::View:
      Inits.push_back(asCode(Context, C,
                             (C.Ty.IsNested ? "s.nested_view(" : "s.view(") +
                                 heldText(Context, C, Node, Number) + ")"));
      break;
    case CaptureKind::InMemory:
      Inits.push_back(
          asCode(Context, C,
                 "s.placed(" + Node + ".capture<" + Context.hostText(C.Ty) + ">(" + Number + "))"));
      break;
    }
  }
  if (S.Op == Operation::PEach && S.Access.Ticks == TickLoop::InThread)
    Inits.push_back(Ticks);
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

/// The call that has the session trace something, up to what that is. \param IsOne no container
static std::string rootOf(EmitContext& Context, const Type& T, bool IsOne) {
  if (!T.Held.empty())
    return (IsOne ? "s.held_roots(" : "s.held_lists(") + launchText(Context, T) + "(), ";
  const char* Name = IsOne ? "s.root<" : T.IsNested ? "s.nested_roots<" : "s.roots<";
  return Name + references(Context, *T.Class) + ">(";
}

/// True for a reduction of objects from a first one, which is traced too.
bool startsWithObject(const Section& S) { return S.FromInit && S.Result.Kind == TypeKind::Object; }

void openSession(EmitContext& Context, const std::vector<const Section*>& Sections,
                 const Section& First, const std::vector<Type>& Inputs, const std::string& Info,
                 CodeWriter& Out, bool InSequence) {
  const auto AreObjects = [](const Type& T) {
    return T.Kind == TypeKind::Object || !T.Held.empty();
  };
  bool Objects = llvm::any_of(Inputs, AreObjects);
  for (const Section* Each : Sections)
    Objects |= Context.usesColumns(Each->Code.Function) ||
               llvm::any_of(Each->Code.Captures, isTraced) ||
               (!Context.Model.Functions[Each->Code.Function].Globals.empty() &&
                !Context.Layout.Classes.empty());
  Out.line(std::string("ikra::rt::session s(") + (Objects ? "layout(), " : "") + Info + ", call);");
  if (First.isOverObjects())
    Out.line("s.base<" + references(Context, *First.element().Class) + ">();");
  for (std::size_t K = 1; K < Inputs.size() && First.isOverObjects(); ++K) // of a sequence
    Out.line("s.base<" + references(Context, *Inputs[K].Class) + ">(" + std::to_string(K) + ");");
  for (std::size_t K = 0; K < Inputs.size(); ++K)
    if (AreObjects(Inputs[K]) && !First.isOverObjects())
      Out.line("s.elements<" +
               (Inputs[K].Class ? references(Context, *Inputs[K].Class)
                                : launchText(Context, Inputs[K])) +
               ">(" + std::to_string(K) + ");");
  if (Sections.size() == 1 && (First.runsInPlace() || First.runsAlone()) && !InSequence) {
    const std::optional<unsigned> Operations = operationsInPlace(Context.Model, First);
    const ObjectsUsed Used =
        First.runsAlone() ? ObjectsUsed::OfKnownClasses : objectsUsedInPlace(Context.Model, First);
    std::string Given = Operations ? ", " + std::to_string(*Operations) : "";
    if (Used != ObjectsUsed::OfKnownClasses) {
      Given += Operations ? "" : ", ikra::rt::unbounded";
      Given += Used == ObjectsUsed::ElementsAlone ? ", ikra::rt::elements_alone"
                                                  : ", ikra::rt::of_any_class";
    }
    Out.line(std::string("if (s.") + (First.runsAlone() ? "runs_alone" : "runs_in_place") +
             "(call" + Given + ")) return;");
  }
  if (const Section& Last = *Sections.front(); startsWithObject(Last))
    Out.line("const auto initial = s.initial<" + references(Context, *Last.Result.Class) +
             ">(call.initial<" + Context.hostText(Last.Result) + ">());");
  for (std::size_t N = 0; N < Sections.size(); ++N)
    for (std::size_t K = 0; K < Sections[N]->Code.Captures.size(); ++K)
      if (const Capture& C = Sections[N]->Code.Captures[K]; isTraced(C))
        Out.line("const auto root_" + std::to_string(N) + "_" + std::to_string(K) + " = " +
                 rootOf(Context, C.Ty, C.Kind == CaptureKind::Object) +
                 heldText(Context, C, "call.node(" + std::to_string(N) + ")", std::to_string(K)) +
                 (C.IsOwner ? ".get()" : "") + ");");
  std::set<Index> Globals;
  for (const Section* Each : Sections) {
    const std::set<Index>& Read = Context.Model.Functions[Each->Code.Function].Globals;
    Globals.insert(Read.begin(), Read.end());
  }
  for (const Index G : Globals)
    if (const GlobalVariable& Of = Context.Model.Globals[G];
        Of.Is == GlobalVariable::Object || Of.Is == GlobalVariable::Objects)
      Out.line("const auto root_" + Of.Ident + " = " +
               rootOf(Context, Of.Ty, Of.Is == GlobalVariable::Object) + Context.globalText(Of) +
               ");");
  if (Objects)
    Out.line(InSequence ? "if (!s.traces_sequence()) return false;" : "s.trace();");
}

std::string resultText(EmitContext& Context, const Section& S) {
  if (S.Op == Operation::PSelect || S.Result.Kind != TypeKind::Object)
    return launchText(Context, S.Result);
  return "ikra::rt::pointers<" + Context.hostText(S.Result) + ", " +
         references(Context, *S.Result.Class) + ">";
}

std::string launcher(EmitContext& Context, const Section& First, const Section& Last,
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
    if (Objects && Last.Access.Ticks == TickLoop::LaunchPerTick) {
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
           ", " + Last.Ident + "_device::footprint, ikra::rt::border::" + nameOf(Last.AtBorder) +
           ">(";
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
  case Operation::PReduceByIndex:
    Name = "reduce_by_index";
    Arguments = {In, launchText(Context, Last.Elements.back()), Out};
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

std::string launchComment(const Section& S) {
  const bool Objects = S.isOverObjects();
  const char* const Elementwise =
      Objects ? "one kernel over the objects, class by class" : "one elementwise kernel";
  switch (S.Op) {
  case Operation::PMap:
  case Operation::PCombine:
  case Operation::PNew:
    return Elementwise;
  case Operation::PEach:
    if (S.Access.Ticks == TickLoop::LaunchPerTick)
      return std::string("for each tick ") + Elementwise;
    return std::string(Elementwise) + ", in which a thread runs all ticks of its element";
  case Operation::PStencil:
    return "one kernel, in which a thread reads its element's neighbours";
  case Operation::PReduce:
    return "a reduction of blocks, then of their results";
  case Operation::PSelect:
    return "a selection, which keeps the order of the elements";
  case Operation::PScan:
    return "a scan of the whole array";
  case Operation::PSort:
    return "a stable sort";
  case Operation::PReduceByKey:
    return "a stable sort by the keys, then a reduction of each run of equal ones";
  case Operation::PReduceByIndex:
    return "results of pieces of the array for each key, which are combined in turn";
  case Operation::PReduceAxis:
    return "a reduction along one axis";
  }
  return "";
}

std::string callType(const Section& S) {
  return S.Op == Operation::PEach ? "peach_call" : "map_call";
}

} // namespace ikra
