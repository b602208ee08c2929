// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A turn is written as it is read: a function over variables that hold arrays. What depends on
// scalars (code, conditions, bodies that capture some) is a function object, which a GPU can run.

#include "TurnEmitter.h"

#include "Emit/Code/BodyWriter.h"
#include "Model/BodyQueries.h"
#include "SectionEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ikra {

//===-- scalars and code -------------------------------------------------------------------===//

/// The names in code, an expression or statements, that are scalars of the turn.
static void collectNames(const auto& Code, const Turn& Of, std::set<std::string>& To) {
  body::forEachExpr(Code, [&](const body::Expr& E) {
    const auto* Name = std::get_if<body::Name>(&E.Is);
    const llvm::StringRef Whole = // of which it may be a part
        Name ? llvm::StringRef(Name->Ident).split('.').first : "";
    if (llvm::any_of(Of.Scalars, [&](const TurnScalar& S) { return S.Name == Whole; }))
      To.insert(Whole.str());
  });
}

void TurnEmitter::functor(const std::string& Result, bool IsConst,
                          const std::set<std::string>& Scalars, llvm::function_ref<void()> Body) {
  Out.line("IKRA_DEVICE " + Result + " operator()(" + (IsConst ? "const " : "") + name("scalars") +
           "&" + (Scalars.empty() ? "" : " s") + ") const {");
  Out.indent();
  for (const std::string& Scalar : Scalars)
    Out.line((IsConst ? "const auto& " : "auto& ") + Scalar + " = s." + Scalar + ";");
  Body();
  Out.ownLine();
  Out.close();
}

void TurnEmitter::test(const std::string& Name, const body::ExprRef& Condition) {
  std::set<std::string> Scalars;
  collectNames(Condition, Of, Scalars);
  Out.open("struct " + Name + " {");
  functor("bool", true, Scalars,
          [&] { Out.line("return " + BodyWriter::constant(Context, *Condition) + ";"); });
  Out.close("};");
}

/// A function object for the end of a loop's turn: the code there, and whether another turn
/// follows.
void TurnEmitter::end(const std::string& Name, const TurnSteps& Body, const TurnSteps& Test,
                      const std::string& BodyPrefix, const std::string& TestPrefix,
                      const std::string& GoesOn) {
  const std::optional<std::size_t> Code = lastCode(Body, Test);
  if (!Code)
    return;
  const std::string Last = (Test.empty() ? BodyPrefix : TestPrefix) + "_" + std::to_string(*Code);
  Out.open("struct " + Name + " {");
  Out.open("IKRA_DEVICE bool operator()(" + name("scalars") + "& s) const {");
  Out.line(name("code" + Last) + "{}(s);");
  Out.line("return " + GoesOn + "{}(s);");
  Out.close();
  Out.close("};");
}

/// A function object that reads an element, whose place scalars say.
void TurnEmitter::reader(const TurnStep& Step, const std::string& Number) {
  const TurnScalar& To = Of.Scalars[Step.Number];
  std::set<std::string> Scalars{To.Name, Of.Fails};
  std::string Place;
  for (const body::ExprRef& At : Step.Place) {
    collectNames(At, Of, Scalars);
    Place += ", " + BodyWriter::constant(Context, *At);
  }
  const std::string Element = Context.typeText(To.Ty);
  Out.open("struct " + name("read" + Number) + " {");
  Out.line((Step.Place.size() == 1
                ? "ikra::list<const " + Element + ">"
                : "ikra::grid<" + Element + ", " + std::to_string(Step.Place.size()) + ">") +
           " from;");
  functor("void", false, Scalars, [&] {
    Out.line("ikra::rt::read_element(" + To.Name + ", " + Of.Fails + ", from" + Place + ");");
  });
  Out.close("};");
}

/// An array as bodies have it. \p Rank 1: the list of its elements
std::string TurnEmitter::view(const TurnInput& Input, std::size_t Rank) {
  return "ikra::rt::view_of(" + text(Input) +
         (Rank == 1 ? "" : ", " + space(spaceOf(Input)) + ".shape") + ")";
}

/// Code and conditions, numbered as the steps that they are in.
void TurnEmitter::codeOf(const TurnSteps& Steps, const std::string& Prefix) {
  for (std::size_t K = 0; K < Steps.size(); ++K) {
    const TurnStep& Step = Steps[K];
    const std::string Number = Prefix + "_" + std::to_string(K);
    std::set<std::string> Scalars;
    if (Step.Is == TurnStep::Code) {
      collectNames(Step.Statements, Of, Scalars);
      // Numbers that were not read may have code never end.
      const bool MayFail = !Of.Fails.empty() && Prefix != "_begin";
      if (MayFail)
        Scalars.insert(Of.Fails);
      Out.open("struct " + name("code" + Number) + " {");
      functor("void", false, Scalars, [&] {
        if (MayFail)
          Out.line("if (" + Of.Fails + ") return;");
        BodyWriter::statements(Context, Step.Statements, Out);
      });
      Out.close("};");
    }
    if (Step.Is == TurnStep::Read)
      reader(Step, Number);
    if (Step.Is == TurnStep::Loop) {
      test(name("goes_on" + Number), Step.Condition);
      codeOf(Step.Then, Number + "_turn");
      codeOf(Step.Else, Number + "_test");
      end(name("ends" + Number), Step.Then, Step.Else, Number + "_turn", Number + "_test",
          name("goes_on" + Number));
      codesInTiles(Step.Then, Step.Else, Number + "_turn", Number + "_test", Number);
    }
    if (Step.Is == TurnStep::Branch) {
      test(name("test" + Number), Step.Condition);
      codeOf(Step.Then, Number + "_then");
      codeOf(Step.Else, Number + "_else");
    }
  }
}

/// The body of a command's section, with what it captures.
std::string TurnEmitter::body(std::size_t Command) {
  if (const std::vector<std::size_t>& Chain = Of.Commands[Command].Chain; !Chain.empty()) {
    std::string Text = "ikra::rt::repeat<" + Context.typeText(section(Command).Result) + ">(" +
                       Of.Commands[Command].Times;
    for (const std::size_t Part : Chain)
      Text += std::string(", ikra::rt::repeated_") +
              (section(Part).WithIndex ? "indexed" : "plain") + "{" + bodyAlone(Part) + "}";
    return Text + ")";
  }
  return bodyAlone(Command);
}
std::string TurnEmitter::bodyAlone(std::size_t Command) {
  const TurnCommand& At = Of.Commands[Command];
  const Section& S = section(Command);
  std::vector<std::string> Captures;
  for (std::size_t K = 0; K < At.Captures.size(); ++K)
    if (!At.Captures[K])
      Captures.push_back(capturedName(Command, K));
    else
      Captures.push_back("static_cast<" + Context.typeText(S.Code.Captures[K].Ty) + ">(" +
                         BodyWriter::constant(Context, *At.Captures[K]) + ")");
  return S.Ident + "_device::body{" + llvm::join(Captures, ", ") + "}";
}

bool TurnEmitter::hasBorderValue(std::size_t Command) const {
  const Section& S = section(Command);
  return S.Op == Operation::PStencil && S.AtBorder == Border::Value;
}
std::string TurnEmitter::borderValue(std::size_t Command) const {
  const TurnCommand& At = Of.Commands[Command];
  return "static_cast<" + Context.typeText(section(Command).Result) + ">(" +
         BodyWriter::constant(Context, *At.First) + ")";
}

/// How a maker calls an array that its body captures.
std::string TurnEmitter::capturedName(std::size_t Command, std::size_t Capture) {
  return "captured_" + std::to_string(Command) + "_" + std::to_string(Capture);
}

/// The arrays that a maker of these commands is given.
std::string TurnEmitter::views(const std::vector<std::size_t>& Commands) {
  std::string Text;
  for (const std::size_t Command : Commands)
    for (const auto& [Capture, Input] : Of.Commands[Command].CapturedArrays) {
      Text += (Text.empty() ? "" : ", ") + view(Input, rankOf(Input));
    }
  return Text;
}

std::size_t TurnEmitter::spaceOf(const TurnInput& Input) const {
  return Input.IsCommand ? Of.Commands[Input.Number].Space : Of.Arrays[Input.Number].Space;
}
unsigned TurnEmitter::rankOf(const TurnInput& Input) const {
  return Of.Spaces[spaceOf(Input)].Rank;
}

/// The commands whose bodies a launch's maker makes, in the order of its members.
std::vector<std::size_t> TurnEmitter::commandsOf(const TurnLaunch& Launch) const {
  if (!Launch.Kernel)
    return Launch.Commands;
  std::vector<std::size_t> Out;
  const FusedKernel& Kernel = Plan->Kernels[*Launch.Kernel];
  for (std::size_t K = Kernel.Nodes.size(); K-- > 0;)
    if (Kernel.InBody[K])
      Out.push_back(Launch.Commands[K]);
  return Out;
}

/// A function object that makes a body from the scalars.
void TurnEmitter::maker(const std::string& Name, const std::vector<std::size_t>& Commands,
                        const std::string& Value) {
  std::set<std::string> Scalars;
  for (const std::size_t Command : Commands) {
    for (const body::ExprRef& Captured : Of.Commands[Command].Captures)
      collectNames(Captured, Of, Scalars);
    for (const std::size_t Part : Of.Commands[Command].Chain)
      for (const body::ExprRef& Captured : Of.Commands[Part].Captures)
        collectNames(Captured, Of, Scalars);
    if (!Of.Commands[Command].Chain.empty())
      Scalars.insert(Of.Commands[Command].Times);
    const Section& S = section(Command);
    if (S.Op == Operation::PStencil)
      collectNames(Of.Commands[Command].First, Of, Scalars);
  }
  Out.open("struct " + Name + " {");
  for (const std::size_t Command : Commands)
    for (const auto& [Capture, Input] : Of.Commands[Command].CapturedArrays) {
      const std::string Element = Context.typeText(section(Command).Code.Captures[Capture].Ty);
      const unsigned Rank = rankOf(Input);
      Out.line((Rank == 1 ? "ikra::list<const " + Element + ">"
                          : "ikra::grid<" + Element + ", " + std::to_string(Rank) + ">") +
               " " + capturedName(Command, Capture) + ";");
    }
  Out.line(std::string("static constexpr bool uses_scalars = ") +
           (Scalars.empty() ? "false;" : "true;"));
  functor("auto", true, Scalars, [&] { Out.line("return " + Value + ";"); });
  Out.close("};");
}

void TurnEmitter::makers() {
  for (std::size_t N = 0; N < Plan->Launches.size(); ++N) {
    const std::optional<TurnLaunch>& Launch = Plan->Launches[N];
    if (!Launch || !Of.Commands[N].Section)
      continue;
    const Section& S = section(N);
    const bool IsByIndex = S.Op == Operation::PReduceByIndex;
    const bool Combines = S.Op == Operation::PReduce || IsByIndex;
    if (Combines) {
      maker(makerName(N, "combine"), {N}, body(N));
      if (S.FromInit || IsByIndex) {
        std::set<std::string> Scalars;
        collectNames(Of.Commands[N].First, Of, Scalars);
        Out.open("struct " + makerName(N, "first") + " {");
        Out.line(std::string("static constexpr bool is_first = true, uses_scalars = ") +
                 (Scalars.empty() ? "false;" : "true;"));
        functor("auto", true, Scalars, [&] {
          Out.line("return " + BodyWriter::constant(Context, *Of.Commands[N].First) + ";");
        });
        Out.close("};");
      }
    }
    if (Launch->Kernel) {
      const FusedKernel& Kernel = Plan->Kernels[*Launch->Kernel];
      const std::vector<std::size_t> Commands = commandsOf(*Launch);
      std::vector<std::string> Members;
      for (const std::size_t Command : Commands)
        Members.push_back(body(Command));
      for (const std::size_t Command : llvm::reverse(Launch->Commands))
        if (hasBorderValue(Command))
          Members.push_back(borderValue(Command));
      maker(makerName(N, "body"), Commands, Kernel.Ident + "{" + llvm::join(Members, ", ") + "}");
    } else if (S.Op == Operation::PStencil) {
      const bool HasValue = hasBorderValue(N);
      const std::string Result = Context.typeText(S.Result);
      const std::string Outside = HasValue ? borderValue(N) : "ikra::rt::no_value()";
      maker(makerName(N, "body"), {N},
            "ikra::rt::stencil_of_array<" + Result + ", " + S.Ident +
                "_device::footprint, ikra::rt::border::" + ikra::nameOf(S.AtBorder) + ", " +
                (S.WithIndex ? "true" : "false") + ", " + S.Ident + "_device::body, " +
                (HasValue ? Result : "ikra::rt::no_value") + ">{" + body(N) + ", " + Outside + "}");
    } else if (!Combines) {
      maker(makerName(N, "body"), {N}, body(N));
    }
  }
}

void TurnEmitter::emitCode() {
  Out.heading(Of.Ident + ": the loop at " + Of.At.File + ":" + std::to_string(Of.At.Line) +
              " as turns");
  Out.line("constexpr ikra::rt::section_info " + name("info") + "{\"" + escaped(Of.Inside) +
           "\", \"" + escaped(Of.At.File) + "\", " + std::to_string(Of.At.Line) + ", " +
           std::to_string(Of.At.Column) + ", {}};");
  Out.open("struct " + name("scalars") + " {");
  for (const TurnScalar& Scalar : Of.Scalars)
    Out.line(Context.typeText(Scalar.Ty) + " " + Scalar.Name + ";");
  Out.close("};");
  kernels();
  codeOf(Of.Begin, "_begin");
  codeOf(Of.Body, "");
  codeOf(Of.Test, "_test");
  for (std::size_t K = 0; K < Of.Shapes.size(); ++K) {
    std::set<std::string> Scalars;
    std::vector<std::string> Extents;
    const std::string Rank = std::to_string(Of.Spaces[Of.Shapes[K].Space].Rank);
    for (const body::ExprRef& E : Of.Shapes[K].Extents) {
      collectNames(E, Of, Scalars);
      Extents.push_back("static_cast<std::int64_t>(" + BodyWriter::constant(Context, *E) + ")");
    }
    collectNames(Of.Shapes[K].Before, Of, Scalars);
    Out.open("struct " + name("shape_") + std::to_string(K) + " {");
    functor("ikra::index<" + Rank + ">", Of.Shapes[K].Before.empty(), Scalars, [&] {
      BodyWriter::statements(Context, Of.Shapes[K].Before, Out);
      Out.line("return ikra::index<" + Rank + ">{" + llvm::join(Extents, ", ") + "};");
    });
    Out.close("};");
  }
  test(name("goes_on"), Of.Condition);
  end(name("ends"), Of.Body, Of.Test, "", "_test", name("goes_on"));
  codesInTiles(Of.Body, Of.Test, "", "_test", "");
  makers();
  if (Plan->InBlock)
    emitBlock();
  if (Plan->OnCores.empty())
    return;
  turnToCores();
  kernels();
  makers();
}

void TurnEmitter::kernels() {
  for (const FusedKernel& Kernel : Plan->Kernels)
    if (Kernel.Results > 1)
      SectionEmitter::emitBodyOfArrays(Context, Kernel, Out);
    else
      SectionEmitter::emitFusedBody(Context, Kernel, Out);
}

//===-- the run ----------------------------------------------------------------------------===//

void TurnEmitter::declareTags(const std::vector<Turn>& Turns, CodeWriter& Out) {
  std::set<std::string> Templates;
  for (const Turn& Of : Turns) {
    Out.line("struct " + Of.Ident + "; // " + Of.At.File + ":" + std::to_string(Of.At.Line) + ":" +
             std::to_string(Of.At.Column));
    if (Of.Instance && Templates.insert(Of.Instance->Template).second) {
      Out.line("template <class...> struct " + Of.Instance->Template + " {};");
      Out.line("bool run_" + Of.Instance->Template +
               "(const std::type_info& instance, void* const* given);");
    }
  }
}

void TurnEmitter::declareTemplates(const ProgramModel& Model, const std::vector<Turn>& Turns,
                                   CodeWriter& Out) {
  std::set<std::string> Templates;
  for (const Turn& Of : Turns)
    if (Of.Instance && Templates.insert(Of.Instance->Template).second) {
      const std::string& Template = Of.Instance->Template;
      Out.line("template <class... T> struct ikra::rt::turn_code<" + Model.Unit + "::" + Template +
               "<T...>> { static bool run(void* const* given) { return " + Model.Unit + "::run_" +
               Template + "(typeid(" + Model.Unit + "::" + Template + "<T...>), given); } };");
    }
}

void TurnEmitter::defineTemplates(const ProgramModel& Model, const std::vector<Turn>& Turns,
                                  CodeWriter& Out) {
  std::map<std::string, std::vector<const Turn*>> Templates;
  for (const Turn& Of : Turns)
    if (Of.Instance)
      Templates[Of.Instance->Template].push_back(&Of);
  for (const auto& [Name, Instances] : Templates) {
    Out.open("bool " + Model.Unit + "::run_" + Name +
             "(const std::type_info& instance, void* const* given) {");
    Out.line("using namespace " + Model.Unit + ";");
    for (const Turn* Of : Instances) {
      Out.open("if (instance == typeid(" + Name + "<" + Of->Instance->Arguments + ">)) {");
      std::vector<std::string> Own;
      for (const std::size_t Place : Of->Places)
        Own.push_back("given[" + std::to_string(Place) + "]");
      Out.line("void* const own[] = {" + llvm::join(Own, ", ") + "};");
      Out.line("return ikra::rt::turn_code<" + Of->Ident + ">::run(own);");
      Out.close();
    }
    Out.line("return false;");
    Out.close();
  }
}

void TurnEmitter::declare(const ProgramModel& Model, const Turn& Of, CodeWriter& Out) {
  Out.line("template <> struct ikra::rt::turn_code<" + Model.Unit + "::" + Of.Ident +
           "> { static bool run(void* const* given); };");
}

std::string TurnEmitter::text(const TurnInput& Input) const {
  return Input.IsCommand ? "result_of_" + std::to_string(Input.Number)
                         : Of.Arrays[Input.Number].Name;
}

/// \p Stored: the launch whose results a reduction's kernel computes, too
void TurnEmitter::launch(std::size_t Command, std::optional<std::size_t> Stored) {
  const std::optional<TurnLaunch>& Launch = Plan->Launches[Command];
  if (!Launch || Launch->IsComputedThere || (Launch->Stores && !Stored))
    return;
  const std::size_t Result = Launch->Results.front();
  if (operationOf(Context.Model, Of.Commands[Result]) == Operation::PReduceByIndex)
    return Launch->ByIndex.empty() ? byIndex(Result) : byIndices(Command);
  const Section& S = section(Result);
  if (S.Op == Operation::PReduce)
    return reduction(Command, Stored);
  std::string Leaves;
  for (const TurnInput& Leaf : Launch->Leaves)
    Leaves += ", " + text(Leaf);
  const std::string Make = ">(" + space(Of.Commands[Result].Over) + ", " +
                           makerName(Command, "body") + "{" + views(commandsOf(*Launch)) + "}" +
                           Leaves + ");";
  const bool HasStencils = Launch->Kernel && Plan->Kernels[*Launch->Kernel].hasStencils();
  const bool IsStencil = HasStencils || S.Op == Operation::PStencil;
  const bool IsGroup = Launch->Results.size() > 1;
  std::string Types = Context.typeText(S.Result);
  if (IsGroup) {
    std::vector<std::string> Each;
    for (const std::size_t N : Launch->Results)
      Each.push_back(Context.typeText(section(N).Result));
    Types = "ikra::rt::results<" + llvm::join(Each, ", ") + ">";
  }
  Types += ", ";
  if (IsStencil)
    Types += (HasStencils ? Plan->Kernels[*Launch->Kernel].Ident + "::" : S.Ident + "_device::") +
             std::string("footprint");
  else
    Types += indexRank(Command);
  const std::string Kind = IsStencil ? "stencil<" : IsGroup ? "arrays<" : "elementwise<";
  const std::string Later = "later_" + std::to_string(Command);
  if (Launch->ReducedBy || !Launch->ByIndex.empty()) {
    const bool Gathers = llvm::any_of(
        Launch->Commands, [&](std::size_t N) { return gathers(Context.Model, section(N)); });
    Out.line("auto " + Later + " = t.later_" + Kind + Types + (Gathers ? ", true" : "") + Make);
    if (Launch->ByIndex.empty())
      launch(*Launch->ReducedBy, Command);
    else
      byIndices(Command);
  } else if (IsGroup) {
    Out.line("auto " + Later + " = t." + Kind + Types + Make);
  } else {
    Out.line("auto " + text({true, Result}) + " = t." + Kind + Types + Make);
    return;
  }
  for (std::size_t K = 0; K < Launch->Results.size(); ++K)
    Out.line("auto " + text({true, Launch->Results[K]}) + " = std::move(" +
             (IsGroup ? "std::get<" + std::to_string(K) + ">(" + Later + ".results)"
                      : Later + ".result") +
             ");");
}

/// Of the index that a launch's body takes.
std::string TurnEmitter::indexRank(std::size_t Command) const {
  const TurnLaunch& Launch = *Plan->Launches[Command];
  const Section& S = section(Command);
  const bool WithIndex =
      Launch.Kernel
          ? Plan->Kernels[*Launch.Kernel].WithIndex
          : S.WithIndex || llvm::any_of(Of.Commands[Command].Chain,
                                        [&](std::size_t Part) { return section(Part).WithIndex; });
  return WithIndex ? std::to_string(Of.Spaces[Of.Commands[Command].Over].Rank) : "0";
}

std::string TurnEmitter::addresses(const std::vector<std::size_t>& Arrays) const {
  std::string Text;
  for (const std::size_t Number : Arrays)
    Text += (Text.empty() ? "&" : ", &") + Of.Arrays[Number].Name;
  return "std::tuple(" + Text + ")";
}

/// The arrays that steps change, as a tuple of their addresses.
std::string TurnEmitter::changedIn(const std::vector<const TurnSteps*>& Steps) const {
  std::set<std::size_t> Numbers;
  for (const TurnSteps* All : Steps)
    forEachStep(*All, [&](const TurnStep& Step) {
      if (Step.Is == TurnStep::Set || Step.Is == TurnStep::Swap)
        Numbers.insert(Step.Number);
      if (Step.Is == TurnStep::Swap)
        Numbers.insert(Step.Other);
    });
  return addresses({Numbers.begin(), Numbers.end()});
}

/// A turn of a loop, up to what its test does.
void TurnEmitter::turn(const TurnSteps& Body, const TurnSteps& Test, const std::string& BodyPrefix,
                       const std::string& TestPrefix, const std::string& Number) {
  const LoopEnd End{{lastCode(Body, Test)}, name(endOf(Body, Test, Number))};
  steps(Body, BodyPrefix, Test.empty() ? &End : nullptr);
  steps(Test, TestPrefix, Test.empty() ? nullptr : &End);
}

/// Notes what the kernel of a reduction does at its end. \p Done: the steps that this is
void TurnEmitter::noteTail(const TurnTail& Then, const std::string& Prefix, const LoopEnd* End,
                           std::set<std::size_t>& Done) {
  Tail.clear();
  for (const std::size_t Code : Then.Code)
    Tail.push_back(name("code" + Prefix + "_" + std::to_string(Code)));
  Done.insert(Then.Code.begin(), Then.Code.end());
  if (Then.Tests)
    Tail.push_back("ikra::rt::then_test<" + End->Test + ">");
}

void TurnEmitter::steps(const TurnSteps& Steps, const std::string& Prefix, const LoopEnd* End) {
  std::set<std::size_t> Done;
  for (std::size_t K = 0; K < Steps.size(); ++K) {
    if ((End && End->Code == K) || Done.contains(K))
      continue;
    const TurnStep& Step = Steps[K];
    const std::string Number = Prefix + "_" + std::to_string(K);
    switch (Step.Is) {
    case TurnStep::Run:
      noteTail(tailOf(*Plan, Context.Model, Of, Steps, K, End), Prefix, End, Done);
      launch(Step.Number);
      break;
    case TurnStep::Set:
      if (const std::string Value = text(Step.Value); Value != Of.Arrays[Step.Number].Name)
        Out.line(Of.Arrays[Step.Number].Name + " = " + Value + ";");
      break;
    case TurnStep::Swap:
      Out.line("std::swap(" + Of.Arrays[Step.Number].Name + ", " + Of.Arrays[Step.Other].Name +
               ");");
      break;
    case TurnStep::Code:
      Out.line("t.run(" + name("code" + Number) + "{});");
      break;
    case TurnStep::Read:
      Out.line("t.run(" + name("read" + Number) + "{" + view(Step.Value, Step.Place.size()) +
               "});");
      break;
    case TurnStep::Loop:
      if (Step.TestsFirst)
        steps(Step.Else, Number + "_test");
      turnsInTiles(Step.Then, Step.Carried, Number);
      Out.open(std::string("t.repeat_inside(") + (Step.TestsFirst ? "true, " : "false, ") +
               name("goes_on" + Number) + "{}, " + name(endOf(Step.Then, Step.Else, Number)) +
               "{}, " + addresses(Step.Carried) + ", [&] {");
      turn(Step.Then, Step.Else, Number + "_turn", Number + "_test", Number);
      Out.close("});");
      break;
    case TurnStep::Branch:
      Out.line("t.branch(" + name("test" + Number) + "{}, " + changedIn({&Step.Then, &Step.Else}) +
               ",");
      Out.indent();
      Out.open("[&] {");
      steps(Step.Then, Number + "_then");
      Out.close("},");
      Out.open("[&] {");
      steps(Step.Else, Number + "_else");
      Out.close("});");
      Out.dedent();
      break;
    }
  }
}

void TurnEmitter::emitRun() {
  Out.line("// " + Of.Ident +
           ": the loop as turns, on all cores step by step, on a GPU as one graph");
  const std::string Head =
      "bool ikra::rt::turn_code<" + Context.Unit + "::" + Of.Ident + ">::run(void* const* given) {";
  const auto Form = [&](const char* Is) { return std::string(", ikra::rt::turn_form::") + Is; };
  const std::string OnGpu = Plan->IsQueued     ? Form("queued")
                            : Plan->IsUnrolled ? Form("unrolled")
                                               : "";
  if (Plan->OnCores.empty())
    return run(Head, OnGpu);
  const TurnPlan* const OfGpu = Plan;
  turnToCores();
  run("static bool " + name("on_cores") + "(void* const* given) {",
      Form(Plan->IsQueued ? "queued" : "graph") + ", false");
  Plan = OfGpu;
  OnCores = "";
  run(Head, OnGpu);
}

/// Says whether the loop has a turn, for arrays that only turns ask for.
void TurnEmitter::enters() {
  if (!Of.IsEnteredByScalars) {
    Out.line("const bool enters = false; // as far as scalars say");
    return;
  }
  if (!Of.TestsFirst) {
    Out.line("const bool enters = true;");
    return;
  }
  Out.open("const bool enters = [first = t.scalars()]() mutable {");
  for (std::size_t K = 0; K < Of.Begin.size(); ++K)
    Out.line(name("code_begin_" + std::to_string(K)) + "{}(first);");
  for (std::size_t K = 0; K < Of.Test.size(); ++K)
    Out.line(name("code_test_" + std::to_string(K)) + "{}(first);");
  Out.line("return " + name("goes_on") + "{}(first);");
  Out.close("}();");
}

/// Where the host gives each array that it has.
std::vector<std::size_t> TurnEmitter::placesGiven() const {
  std::vector<std::size_t> Out;
  std::size_t Given = 0;
  for (const TurnArray& Array : Of.Arrays)
    Out.push_back(Array.HostName.empty() ? Given : Given++);
  return Out;
}

/// The host's variable of an array, as it is before the loop. Of a pair a number chooses it.
std::string TurnEmitter::given(std::size_t Array, std::size_t Place) const {
  for (std::size_t K = 0; K < Of.Pairs.size(); ++K)
    if (Array == Of.Pairs[K].Now || Array == Of.Pairs[K].Other)
      return "pair_" + std::to_string(K) + "[starts_" + std::to_string(K) +
             (Array == Of.Pairs[K].Now ? " ? 1 : 0]" : " ? 0 : 1]");
  return "given[" + std::to_string(Place) + "]";
}

/// Takes the arrays from before the loop. Those that are asked for in any case come first: others
/// may be a part of them.
void TurnEmitter::addArrays() {
  std::size_t Given = 0;
  const std::vector<std::size_t> Places = placesGiven();
  for (std::size_t K = 0; K < Of.Pairs.size(); ++K) {
    const TurnPair& Pair = Of.Pairs[K];
    const std::string Start =
        Pair.Start.empty() ? "false" : "(t.scalars()." + Pair.Start + " & 1) != 0";
    Out.line("const bool starts_" + std::to_string(K) + " = " + (Pair.StartsOdd ? "!(" : "(") +
             Start + ");");
    Out.line("void* const pair_" + std::to_string(K) + "[] = {given[" +
             std::to_string(Places[Pair.Now]) + "], given[" + std::to_string(Places[Pair.Other]) +
             "]};");
  }
  std::vector<std::string> Added[3];
  for (const TurnArray& Array : Of.Arrays) {
    if (Array.HostName.empty())
      continue;
    const std::string From = "given_" + std::to_string(Given);
    Out.line("auto& " + From + " = *static_cast<ikra::array<" + Context.typeText(Array.Element) +
             ", " + std::to_string(Of.Spaces[Array.Space].Rank) + ">*>(" +
             given(static_cast<std::size_t>(&Array - Of.Arrays.data()), Given) + ");");
    ++Given;
    if (Array.IsSetFirst)
      continue;
    Out.line(arrayType(Array) + " " + Array.Name + ";");
    static constexpr const char* const IsAsked[] = {"false", "enters", "true"};
    Added[Array.IsAskedBy].push_back((Array.IsAssigned ? "t.add_assigned(" : "t.add(") +
                                     space(Array.Space) + ", " + Array.Name + ", " + From + ", " +
                                     IsAsked[Array.IsAskedBy] + ")");
  }
  if (!Added[TurnArray::Turns].empty())
    enters();
  std::vector<std::string> All;
  for (const TurnArray::Asker Who : {TurnArray::Loop, TurnArray::Turns, TurnArray::Nobody})
    llvm::append_range(All, Added[Who]);
  if (!All.empty()) {
    Out.line("if (!(" + llvm::join(All, " && ") + "))");
    Out.line("  return false;");
  }
}

/// \param Arguments the last ones of the template
void TurnEmitter::run(const std::string& Head, const std::string& Arguments) {
  Out.open(Head);
  if (*OnCores == '\0' && !Plan->OnCores.empty()) {
    Out.line("if (ikra::rt::turns_on_cores())");
    Out.line("  return " + name("on_cores") + "(given);");
  }
  Out.line("using namespace " + Context.Unit + ";");
  Out.line("ikra::rt::turn<" + name("scalars") + Arguments + "> t(" + name("info") + ");");
  for (std::size_t N = 0; N < Of.Spaces.size(); ++N)
    Out.line("ikra::rt::turn_space<" + std::to_string(Of.Spaces[N].Rank) + "> " + space(N) + ";");
  auto Given = static_cast<std::size_t>(
      llvm::count_if(Of.Arrays, [](const TurnArray& Array) { return !Array.HostName.empty(); }));
  const std::size_t FirstScalar = Given;
  for (const TurnScalar& Scalar : Of.Scalars)
    if (!Scalar.HostName.empty())
      Out.line("t.scalars()." + Scalar.Name + " = *static_cast<const " +
               Context.typeText(Scalar.Ty) + "*>(given[" + std::to_string(Given++) + "]);");
  addArrays();
  shapes();
  for (const TurnArray& Array : Of.Arrays)
    if (Array.HostName.empty() || Array.IsSetFirst)
      Out.line(arrayType(Array) + " " + Array.Name + "(" + space(Array.Space) + ".n);");
  for (const TurnBuffers& Buffers : Plan->Buffers)
    Out.line("t.expect_arrays<" + Context.typeText(Buffers.Element) + ">(" + space(Buffers.Space) +
             ", " + std::to_string(Buffers.Number) + ");");
  std::vector<std::size_t> Assigned;
  for (std::size_t N = 0; N < Of.Arrays.size(); ++N)
    if (!Of.Arrays[N].HostName.empty() && Of.Arrays[N].IsAssigned)
      Assigned.push_back(N);
  Out.line((Assigned.empty() ? "const std::tuple<> assigned;"
                             : "const auto assigned = " + addresses(Assigned) + ";"));
  if (Plan->InBlock)
    runInBlock(Assigned);
  else
    Out.open("if (t.start(assigned)) {");
  steps(Of.Begin, "_begin");
  if (Of.TestsFirst)
    steps(Of.Test, "_test");
  turnsInTiles(Of.Body, Of.Carried, "");
  // Variables of the body are set by every turn that reads them.
  Out.open(std::string("t.repeat(") + (Of.TestsFirst ? "true, " : "false, ") + name("goes_on") +
           "{}, " + name(endOf(Of.Body, Of.Test, "")) + "{}, " + addresses(Of.Carried) + ", [&] {");
  for (const TurnArray& Array : Of.Arrays)
    if (Array.IsSetByTurn)
      Out.line("t.forget(" + Array.Name + ");");
  turn(Of.Body, Of.Test, "", "_test", "");
  Out.close("});");
  Out.close();
  Out.line("t.finish(assigned);");
  if (!Of.Fails.empty())
    Out.line("if (t.scalars()." + Of.Fails + ") return false;");
  for (const TurnPair& Pair : Of.Pairs) { // as the host has them
    Out.line("if (t.scalars()." + Pair.Turned + ")");
    Out.line("  std::swap(" + Of.Arrays[Pair.Now].Name + ", " + Of.Arrays[Pair.Other].Name + ");");
  }
  for (const TurnRing& Ring : Of.Rings) {
    const std::string Turned = "t.scalars()." + Ring.Turned;
    Out.open("for (; " + Turned + " != 0; --" + Turned + ") {");
    for (std::size_t K = Ring.Arrays.size() - 1; K > 0; --K)
      Out.line("std::swap(" + Of.Arrays[Ring.Arrays[K - 1]].Name + ", " +
               Of.Arrays[Ring.Arrays[K]].Name + ");");
    Out.close();
  }
  Given = FirstScalar;
  for (const TurnScalar& Scalar : Of.Scalars)
    if (!Scalar.HostName.empty()) {
      if (Scalar.IsWritten)
        Out.line("*static_cast<" + Context.typeText(Scalar.Ty) + "*>(given[" +
                 std::to_string(Given) + "]) = t.scalars()." + Scalar.Name + ";");
      ++Given;
    }
  Given = 0;
  for (const TurnArray& Array : Of.Arrays)
    if (!Array.HostName.empty()) {
      if (Array.IsAssigned)
        Out.line(Array.IsMoved
                     ? "t.give_nothing(" + Array.Name + ", given_" + std::to_string(Given) + ");"
                     : "t.give(" + space(Array.Space) + ", " + Array.Name + ", given_" +
                           std::to_string(Given) + ");");
      ++Given;
    }
  Out.line("return true;");
  Out.close();
}

} // namespace ikra
