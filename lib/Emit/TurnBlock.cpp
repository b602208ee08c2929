// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A turn as the threads of one block of a GPU run it (ikra/generated/turns/turn_block.hpp): one
// function of device code, with the same bodies, scalar code and tests as the turn's kernels.
// Each result and each variable has memory of its own there. So a result that nothing reads
// afterwards changes places with the variable that is set to it; other arrays are copied.
#include "TurnEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace ikra {

/// Whether the device runs a launch where it stands; reductions may be where their arrays are.
static bool stands(const std::optional<TurnLaunch>& Launch) { return Launch && !Launch->Stores; }

bool TurnEmitter::isStored(std::size_t Command) const {
  const std::optional<TurnLaunch>& Launch = Plan->Launches[Command];
  return Launch &&
         operationOf(Context.Model, Of.Commands[Launch->Results.front()]) != Operation::PReduce;
}

/// Whether a launch, or a reduction in it, reads an array.
bool TurnEmitter::reads(const TurnLaunch& Launch, const TurnInput& Array) const {
  const auto Captures = [&](std::size_t Command) {
    return llvm::any_of(Of.Commands[Command].CapturedArrays,
                        [&](const auto& Captured) { return Captured.second == Array; });
  };
  return llvm::is_contained(Launch.Leaves, Array) || llvm::any_of(Launch.Commands, Captures) ||
         (Launch.ReducedBy && reads(*Plan->Launches[*Launch.ReducedBy], Array));
}
bool TurnEmitter::reads(llvm::ArrayRef<TurnStep> Steps, const TurnInput& Array) const {
  return llvm::any_of(Steps, [&](const TurnStep& Step) {
    switch (Step.Is) {
    case TurnStep::Run:
      return stands(Plan->Launches[Step.Number]) && reads(*Plan->Launches[Step.Number], Array);
    case TurnStep::Set:
    case TurnStep::Read:
      return Step.Value == Array;
    case TurnStep::Swap:
      return Array == TurnInput{false, Step.Number} || Array == TurnInput{false, Step.Other};
    case TurnStep::Branch:
    case TurnStep::Loop:
      return reads(Step.Then, Array) || reads(Step.Else, Array);
    case TurnStep::Code:
      return false;
    }
    return false;
  });
}

/// Whether nothing needs what step \p At sets its array to any more: it is computed or set in the
/// same steps, each time before.
bool TurnEmitter::isLastUse(const TurnSteps& Steps, std::size_t At) const {
  const TurnInput& Value = Steps[At].Value;
  const llvm::ArrayRef<TurnStep> All(Steps);
  const bool IsMadeHere = llvm::any_of(All.take_front(At), [&](const TurnStep& Step) {
    return Step.Is == TurnStep::Run && isStored(Step.Number) &&
           llvm::is_contained(Plan->Launches[Step.Number]->Results, Value.Number);
  });
  const bool IsSetHere = &Steps == &Of.Body && !Value.IsCommand &&
                         Of.Arrays[Value.Number].IsSetByTurn &&
                         Of.Arrays[Value.Number].HostName.empty();
  return (Value.IsCommand ? IsMadeHere : IsSetHere) && !reads(All.drop_front(At + 1), Value) &&
         (&Steps != &Of.Body || !reads(Of.Test, Value));
}

void TurnEmitter::launchInBlock(std::size_t Command) {
  if (!stands(Plan->Launches[Command]))
    return;
  const TurnLaunch& Launch = *Plan->Launches[Command];
  if (!isStored(Command))
    return reductionInBlock(Command);
  const Section& S = section(Launch.Results.front());
  const bool HasStencils = Launch.Kernel && Plan->Kernels[*Launch.Kernel].hasStencils();
  std::vector<std::string> Results;
  for (const std::size_t Result : Launch.Results)
    Results.push_back(text({true, Result}));
  std::string To = llvm::join(Results, ", ");
  std::string Call = "t.template elementwise<" + indexRank(Command);
  if (Results.size() > 1) {
    Call = "t.template arrays<" + indexRank(Command);
    To = "ikra::rt::block_arrays(" + To + ")";
  } else if (HasStencils || S.Op == Operation::PStencil) {
    Call = "t.template stencil<" +
           (HasStencils ? Plan->Kernels[*Launch.Kernel].Ident + "::" : S.Ident + "_device::") +
           "footprint";
  }
  std::string Leaves;
  for (const TurnInput& Leaf : Launch.Leaves)
    Leaves += ", " + text(Leaf);
  Out.line(Call + ">(" + To + ", " + space(Of.Commands[Launch.Results.front()].Over) + ", " +
           makerName(Command, "body") + "{" + views(commandsOf(Launch)) + "}" + Leaves + ");");
  if (Launch.ReducedBy)
    reductionInBlock(*Launch.ReducedBy);
}

void TurnEmitter::reductionInBlock(std::size_t Command) {
  const TurnLaunch& Launch = *Plan->Launches[Command];
  const Section& S = section(Command);
  std::string Leaves;
  for (const TurnInput& Leaf : Launch.Leaves)
    Leaves += ", " + text(Leaf);
  const std::string Over = space(Of.Commands[Command].Over) + ", ";
  const std::string Combine =
      makerName(Command, "combine") + "{" + views({Command}) + "}, " +
      (S.FromInit ? makerName(Command, "first") + "{}" : "ikra::rt::no_first{}") + ", &" +
      name("scalars") + "::" + Of.Scalars[Of.Commands[Command].Result].Name;
  if (Launch.Kernel)
    Out.line("t.template reduce_computed<" + Context.typeText(S.element()) + ", " +
             indexRank(Command) + ">(" + Over + makerName(Command, "body") + "{" +
             views(commandsOf(Launch)) + "}, " + Combine + Leaves + ");");
  else
    Out.line("t.reduce(" + Over + Combine + Leaves + ");");
}

void TurnEmitter::stepsInBlock(const TurnSteps& Steps, const std::string& Prefix,
                               std::optional<std::size_t> Without) {
  for (std::size_t K = 0; K < Steps.size(); ++K) {
    if (K == Without)
      continue;
    const TurnStep& Step = Steps[K];
    const std::string Number = Prefix + "_" + std::to_string(K);
    const auto Tested = [&](const char* What) { return name(What + Number) + "{}(t.scalars())"; };
    switch (Step.Is) {
    case TurnStep::Run:
      launchInBlock(Step.Number);
      break;
    case TurnStep::Set:
      Out.line(std::string("t.") + (isLastUse(Steps, K) ? "take(" : "copy(") +
               Of.Arrays[Step.Number].Name + ", " + text(Step.Value) + ");");
      break;
    case TurnStep::Swap:
      Out.line("t.take(" + Of.Arrays[Step.Number].Name + ", " + Of.Arrays[Step.Other].Name + ");");
      break;
    case TurnStep::Code:
      Out.line("t.run(" + name("code" + Number) + "{});");
      break;
    case TurnStep::Read:
      Out.line("t.read(" + name("read" + Number) + "{" + view(Step.Value, Step.Place.size()) +
               "});");
      break;
    case TurnStep::Loop:
      if (Step.TestsFirst) {
        stepsInBlock(Step.Else, Number + "_test");
        Out.line("if (" + Tested("goes_on") + ")");
      }
      Out.open("do {");
      turnInBlock(Step.Then, Step.Else, Number + "_turn", Number + "_test");
      Out.close("} while (" + Tested(lastCode(Step.Then, Step.Else) ? "ends" : "goes_on") + ");");
      break;
    case TurnStep::Branch:
      Out.open("if (" + Tested("test") + ") {");
      stepsInBlock(Step.Then, Number + "_then");
      if (!Step.Else.empty()) {
        Out.close("} else {");
        Out.indent();
        stepsInBlock(Step.Else, Number + "_else");
      }
      Out.close();
      break;
    }
  }
}

void TurnEmitter::turnInBlock(const TurnSteps& Body, const TurnSteps& Test,
                              const std::string& BodyPrefix, const std::string& TestPrefix) {
  const std::optional<std::size_t> Code = lastCode(Body, Test);
  stepsInBlock(Body, BodyPrefix, Test.empty() ? Code : std::nullopt);
  stepsInBlock(Test, TestPrefix, Code);
}

/// Whether the loop's function is given where a variable's elements are, and where they are to be.
static bool hasHome(const TurnArray& Array) { return !Array.HostName.empty() && Array.IsAssigned; }
/// Whether it is given an array that it only reads.
static bool isRead(const TurnArray& Array) {
  return !Array.HostName.empty() && !Array.IsAssigned && !Array.IsSetFirst;
}

/// The arrays that have memory of a block's, in the order in which they take it.
std::vector<TurnBuffers> TurnEmitter::inBlock() const {
  std::vector<TurnBuffers> All;
  const auto Add = [&](std::size_t Space, const Type& Element) {
    const auto Known = llvm::find_if(All, [&](const TurnBuffers& Each) {
      return Each.Space == Space && Each.Element.Spelling == Element.Spelling;
    });
    if (Known != All.end())
      ++Known->Number;
    else
      All.push_back({Space, Element, 1});
  };
  for (const TurnArray& Array : Of.Arrays)
    if (!isRead(Array))
      Add(Array.Space, Array.Element);
  for (std::size_t N = 0; N < Of.Commands.size(); ++N)
    if (isStored(N))
      for (const std::size_t Result : Plan->Launches[N]->Results)
        Add(Of.Commands[Result].Space, section(Result).Result);
  return All;
}

void TurnEmitter::emitBlock() {
  Out.line("// The loop, as the threads of one block run it.");
  Out.open("struct " + name("block") + " {");
  for (std::size_t N = 0; N < Of.Spaces.size(); ++N)
    Out.line("ikra::rt::block_space<" + std::to_string(Of.Spaces[N].Rank) + "> " + space(N) + ";");
  for (const TurnArray& Array : Of.Arrays) {
    const std::string Element = Context.typeText(Array.Element);
    if (hasHome(Array))
      Out.line("ikra::rt::block_home<" + Element + "> home_of_" + Array.Name + ";");
    else if (isRead(Array))
      Out.line("const " + Element + "* elements_of_" + Array.Name + ";");
  }
  Out.open("template <class Run> IKRA_DEVICE bool operator()(Run& t) const {");
  for (const TurnArray& Array : Of.Arrays) {
    const std::string Over = space(Array.Space);
    std::string From = "t.template room<" + Context.typeText(Array.Element) + ">(" + Over + ")";
    if (isRead(Array))
      From = "t.given(" + Over + ", elements_of_" + Array.Name + ")";
    else if (hasHome(Array) && !Array.IsSetFirst)
      From = "t.carried(" + Over + ", home_of_" + Array.Name + ")";
    Out.line("auto " + Array.Name + " = " + From + ";");
  }
  for (std::size_t N = 0; N < Of.Commands.size(); ++N)
    if (isStored(N))
      for (const std::size_t Result : Plan->Launches[N]->Results)
        Out.line("auto " + text({true, Result}) + " = t.template room<" +
                 Context.typeText(section(Result).Result) + ">(" +
                 space(Of.Commands[Result].Space) + ");");
  stepsInBlock(Of.Begin, "_begin");
  if (Of.TestsFirst)
    stepsInBlock(Of.Test, "_test");
  Out.line("const bool has_turn = " +
           (Of.TestsFirst ? name("goes_on") + "{}(t.scalars());" : "true;"));
  Out.line("if (has_turn)");
  Out.open("do {");
  turnInBlock(Of.Body, Of.Test, "", "_test");
  Out.close("} while (" + name(lastCode(Of.Body, Of.Test) ? "ends" : "goes_on") +
            "{}(t.scalars()));");
  for (const TurnArray& Array : Of.Arrays)
    if (hasHome(Array))
      Out.line("t.give(" + Array.Name + ", home_of_" + Array.Name + ");");
  Out.line("return has_turn;");
  Out.close();
  Out.close("};");
}

/// Runs the loop in one block, where that has memory for it. \p Assigned: arrays with homes
void TurnEmitter::runInBlock(const std::vector<std::size_t>& Assigned) {
  for (const TurnBuffers& Each : inBlock())
    Out.line("t.block_holds<" + Context.typeText(Each.Element) + ">(" + space(Each.Space) + ", " +
             std::to_string(Each.Number) + ");");
  std::set<std::string> Combined;
  for (std::size_t N = 0; N < Of.Commands.size(); ++N)
    if (Plan->Launches[N] && !isStored(N))
      Combined.insert(Context.typeText(section(N).Result));
  for (const std::string& Result : Combined)
    Out.line("t.block_combines<" + Result + ">();");
  std::vector<std::string> Members;
  for (std::size_t N = 0; N < Of.Spaces.size(); ++N)
    Members.push_back("ikra::rt::block_space(" + space(N) + ")");
  for (std::size_t N = 0; N < Of.Arrays.size(); ++N)
    if (const TurnArray& Array = Of.Arrays[N]; hasHome(Array)) {
      const auto At = llvm::find(Assigned, N) - Assigned.begin();
      Members.push_back("ikra::rt::block_home(" + Array.Name + ", std::get<" + std::to_string(At) +
                        ">(homes))");
    } else if (isRead(Array)) {
      Members.push_back(Array.Name + ".data()");
    }
  Out.open("if (t.fits_block(" + std::to_string(*Plan->InBlock) + ")) {");
  Out.line("auto homes = t.homes_of(assigned);");
  Out.line("t.run_in_block(" + name("block") + "{" + llvm::join(Members, ", ") +
           "}, assigned, homes);");
  Out.close("} else if (t.start(assigned)) {");
  Out.indent();
}

} // namespace ikra
