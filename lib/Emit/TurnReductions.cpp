// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls by which turns reduce arrays: to a scalar, by index, and several at once with the
// arrays that they read.
#include "TurnEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ikra {

void TurnEmitter::reduction(std::size_t Command, std::optional<std::size_t> Stored) {
  const TurnLaunch& Launch = *Plan->Launches[Command];
  const Section& S = section(Command);
  const bool IsBesideSeveral = Stored && Plan->Launches[*Stored]->Results.size() > 1;
  const std::string Later = Stored ? "later_" + std::to_string(*Stored) : "";
  std::string Leaves;
  for (const TurnInput& Leaf : Launch.Leaves) {
    std::string Text = text(Leaf);
    if (Stored && Leaf.IsCommand) {
      const std::vector<std::size_t>& Results = Plan->Launches[*Stored]->Results;
      if (const auto At = llvm::find(Results, Leaf.Number); At != Results.end())
        Text = IsBesideSeveral
                   ? "ikra::rt::part_of_later<" + std::to_string(At - Results.begin()) + ">()"
                   : Later;
    }
    Leaves += ", " + Text;
  }
  const std::string First =
      S.FromInit ? makerName(Command, "first") + "{}" : "ikra::rt::no_first{}";
  std::string To = "&" + name("scalars") + "::" + Of.Scalars[Of.Commands[Command].Result].Name;
  if (!Tail.empty())
    To = "ikra::rt::then(" + To + ", " + llvm::join(Tail, "{}, ") + "{})";
  const std::string Combine =
      makerName(Command, "combine") + "{" + views({Command}) + "}, " + First + ", " + To;
  const std::string Types = Context.typeText(S.element()) + ", " + indexRank(Command);
  const std::string Over = space(Of.Commands[Command].Over) + ", ";
  const std::string Head = Launch.Kernel
                               ? makerName(Command, "body") + "{" + views(commandsOf(Launch)) + "}"
                               : "ikra::rt::same_element()";
  if (IsBesideSeveral)
    Out.line("t.reduce_later<" + Types + ">(" + Over + Later + ", " + Head + ", " + Combine +
             Leaves + ");");
  else if (Launch.Kernel)
    Out.line(std::string(Stored ? "t.reduce_stored<" : "t.reduce_computed<") + Types + ">(" + Over +
             Head + ", " + Combine + Leaves + ");");
  else
    Out.line("t.reduce(" + Over + Combine + Leaves + ");");
}

/// Combines the elements of each key, or counts them.
void TurnEmitter::byIndex(std::size_t Command) {
  const TurnCommand& At = Of.Commands[Command];
  const std::string Combine = At.Section ? makerName(Command, "combine") + "{" + views({Command}) +
                                               "}, " + makerName(Command, "first") + "{}"
                                         : "ikra::rt::makes_counts(), ikra::rt::zero_first()";
  Out.line("auto " + text({true, Command}) + " = t.by_index<" +
           (At.Section ? Context.typeText(section(Command).Result) : "std::int64_t") + ">(" +
           space(At.Over) + ", " + space(At.Space) + ", " + Combine + ", &" + name("scalars") +
           "::" + Of.Fails + ", " + text(At.Inputs.front()) + ", " +
           (At.Section ? text(At.Inputs.back()) : "ikra::rt::each_once()") + ");");
}

/// What a reduction of several reads: an array, or what is computed there.
std::string TurnEmitter::operand(const TurnInput& Input, std::size_t Stored) {
  const TurnLaunch* const There =
      Input.IsCommand && Plan->Launches[Input.Number] ? &*Plan->Launches[Input.Number] : nullptr;
  if (There && There->IsComputedThere)
    return computed(*There, section(Input.Number).Result, Input.Number, Stored);
  const std::vector<std::size_t>& Results = Plan->Launches[Stored]->Results;
  const auto At = Input.IsCommand ? llvm::find(Results, Input.Number) : Results.end();
  if (At == Results.end())
    return text(Input);
  const std::string Later = "later_" + std::to_string(Stored);
  return Results.size() == 1
             ? Later + ".result"
             : "std::get<" + std::to_string(At - Results.begin()) + ">(" + Later + ".results)";
}
std::string TurnEmitter::computed(const TurnLaunch& Launch, const Type& Element,
                                  std::size_t Command, std::size_t Stored) {
  std::string Text = "t.computed<" + Context.typeText(Element) + ", " + indexRank(Command) + ">(" +
                     space(Of.Commands[Command].Over) + ", " + makerName(Command, "body") + "{" +
                     views(commandsOf(Launch)) + "}";
  for (const TurnInput& Leaf : Launch.Leaves)
    Text += ", " + operand(Leaf, Stored);
  return Text + ")";
}

/// One kernel of reductions by index, of what they read, and of a reduction beside them.
void TurnEmitter::byIndices(std::size_t Stored) {
  const TurnLaunch& Launch = *Plan->Launches[Stored];
  const std::string Number = std::to_string(Stored);
  const bool Stores = operationOf(Context.Model, Of.Commands[Stored]) != Operation::PReduceByIndex;
  std::string Arguments = Stores ? "later_" + Number : "ikra::rt::nothing_later()";
  if (const std::optional<std::size_t> N = Launch.ReducedBy) {
    const TurnLaunch& Reduction = *Plan->Launches[*N];
    Arguments += ", t.to_scalar(" + makerName(*N, "combine") + "{" + views({*N}) + "}, " +
                 (section(*N).FromInit ? makerName(*N, "first") + "{}" : "ikra::rt::no_first{}") +
                 ", &" + name("scalars") + "::" + Of.Scalars[Of.Commands[*N].Result].Name + ", " +
                 (Reduction.Kernel ? computed(Reduction, section(*N).element(), *N, Stored)
                                   : operand(Reduction.Leaves.front(), Stored)) +
                 ")";
  } else {
    Arguments += ", ikra::rt::no_reduction()";
  }
  Arguments += ", &" + name("scalars") + "::" + Of.Fails;
  for (const std::size_t N : Launch.ByIndex) {
    const TurnCommand& At = Of.Commands[N];
    Arguments +=
        ", t.by_key<" + (At.Section ? Context.typeText(section(N).Result) : "std::int64_t") + ">(" +
        space(At.Space) + ", " +
        (At.Section
             ? makerName(N, "combine") + "{" + views({N}) + "}, " + makerName(N, "first") + "{}"
             : "ikra::rt::makes_counts(), ikra::rt::zero_first()") +
        ", " + operand(At.Inputs.front(), Stored) + ", " +
        (At.Section ? operand(At.Inputs.back(), Stored) : "ikra::rt::each_once()") + ")";
  }
  Out.line("auto by_index_" + Number + " = t.by_indices(" +
           space(Of.Commands[Launch.ByIndex.front()].Over) + ", " + Arguments + ");");
  for (std::size_t K = 0; K < Launch.ByIndex.size(); ++K)
    Out.line("auto " + text({true, Launch.ByIndex[K]}) + " = std::move(std::get<" +
             std::to_string(K) + ">(by_index_" + Number + "));");
}

} // namespace ikra
