// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SequenceEmitter.h"

#include "Launch.h"
#include "SectionEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ikra {

SequenceEmitter::SequenceEmitter(EmitContext& Context, const EmitInput& Input, std::size_t Number,
                                 CodeWriter& Out)
    : Context(Context), Of(Input.Loops.Sequences[Number]), Plan(Input.Sequences[Number]), Out(Out) {
}

void SequenceEmitter::declareTags(const EmitInput& Input, CodeWriter& Out) {
  for (const Sequence& Of : Input.Loops.Sequences)
    Out.line("struct " + Of.Ident + "; // " + Of.At.File + ":" + std::to_string(Of.At.Line) + ":" +
             std::to_string(Of.At.Column));
}

void SequenceEmitter::declare(const EmitInput& Input, CodeWriter& Out) {
  for (const Sequence& Of : Input.Loops.Sequences)
    Out.line("template <> struct ikra::sequence_code<" + Input.Model.Unit + "::" + Of.Ident +
             "> { static bool run(sequence_call& call); };");
}

static std::string nameOfStep(std::size_t Step) { return "step_" + std::to_string(Step); }

/// What the sections use, together.
std::vector<ColumnUse> SequenceEmitter::columns() const {
  std::map<Index, bool> Writes;
  for (const SequenceStep& Step : Of.Steps)
    for (const ColumnUse& Use : Context.Layout.Uses[Step.Section])
      Writes[Use.Column] |= Use.Writes;
  std::vector<ColumnUse> All;
  for (const auto& [Column, IsWritten] : Writes)
    All.push_back({Column, IsWritten});
  return All;
}

/// A section that captures the loop's variable: what it holds is that of the first turn.
void SequenceEmitter::emitTold(std::size_t Step) {
  const Section& S = section(Step);
  Out.open("struct told_" + std::to_string(Step) + " {");
  const std::string Body = S.Ident + "_device::body";
  Out.line(Body + " step;");
  Out.open("IKRA_DEVICE " + Body + " at(std::int64_t turn) const {");
  Out.line(Body + " now = step;");
  for (const std::size_t K : Of.Steps[Step].Turns) {
    const Capture& C = S.Code.Captures[K];
    Out.line("now." + C.Name + " = static_cast<" + Context.typeText(C.Ty) + ">(now." + C.Name +
             (Of.IsDown ? " - turn" : " + turn") +
             (Of.By == 1 ? "" : " * " + std::to_string(Of.By)) + ");");
  }
  Out.line("return now;");
  Out.close();
  Out.close("};");
}

std::string SequenceEmitter::stepText(std::size_t Step) const {
  return (Of.Steps[Step].Turns.empty() ? std::string("ikra::rt::same_step{")
                                       : Of.Ident + "_device::told_" + std::to_string(Step) + "{") +
         nameOfStep(Step) + "}";
}

void SequenceEmitter::emitDeviceCode() {
  Out.heading(Of.Ident + ": sections at " + Of.At.File + ":" + std::to_string(Of.At.Line));
  Section Whole = section(0);
  Whole.At = Of.At;
  Whole.Access.PassesNull = Whole.Access.MeetsUnknownClasses = false; // left to the statements
  SectionEmitter::emitInfo(Of.Ident, Context.Model, Whole, columns(), Out);
  if (llvm::all_of(Of.Steps, [](const SequenceStep& Step) { return Step.Turns.empty(); }))
    return;
  Out.line("namespace " + Of.Ident + "_device {");
  for (std::size_t Step = 0; Step < Of.Steps.size(); ++Step)
    if (!Of.Steps[Step].Turns.empty())
      emitTold(Step);
  Out.line("} // namespace " + Of.Ident + "_device");
}

void SequenceEmitter::emitDriver() {
  std::vector<const Section*> Sections;
  for (std::size_t Step = 0; Step < Of.Steps.size(); ++Step)
    Sections.push_back(&section(Step));
  const Section& First = *Sections.front();
  std::vector<Type> Inputs(Of.Arrays.size());
  for (const SequenceStep& Step : Of.Steps)
    Inputs[Step.Array] = Context.Model.Sections[Step.Section].element();
  const bool IsOverOne = Inputs.size() == 1;
  Out.line("// " + Of.Ident + ": " +
           (Plan.InThread ? "one kernel, in which a thread runs all turns of its element"
                          : std::to_string(Plan.Kernels.size()) +
                                (Plan.Kernels.size() == 1 ? " kernel" : " kernels") +
                                (Of.IsLoop ? " a turn" : "")));
  Out.open("bool ikra::sequence_code<" + Context.Unit + "::" + Of.Ident +
           ">::run(ikra::sequence_call& call) {");
  useUnit(Context, Out);
  openSession(Context, Sections, First, Inputs, Of.Ident + "_info", Out,
              /*InSequence=*/true);
  for (std::size_t Step = 0; Step < Sections.size(); ++Step)
    declareBody(Context, *Sections[Step], *Sections[Step], nameOfStep(Step),
                "call.node(" + std::to_string(Step) + ")", "root_" + std::to_string(Step) + "_",
                Out, "call.ticks_of(" + std::to_string(Step) + ")");
  std::vector<std::string> Kernels;
  for (const std::vector<std::size_t>& Kernel : Plan.Kernels) {
    std::vector<std::string> Steps;
    for (const std::size_t Step : Kernel)
      Steps.push_back(stepText(Step));
    const std::string List = "ikra::rt::step_list{" + llvm::join(Steps, ", ") + "}";
    const std::size_t Array = Of.Steps[Kernel.front()].Array;
    Kernels.push_back(IsOverOne ? List
                                : "s.over<" + classList(Context, Of.Arrays[Array].Class) + ">(" +
                                      std::to_string(Array) + ", " + List + ")");
  }
  const std::string Classes =
      IsOverOne ? "<" + classList(Context, Of.Arrays.front().Class) + ">" : "_over";
  Out.line(std::string("s.") + (Plan.InThread ? "for_all_turns" : "for_each_turn") + Classes +
           "(call.ticks(), " + llvm::join(Kernels, ", ") + ");");
  Out.line("s.finish();");
  Out.line("return true;");
  Out.close();
}

} // namespace ikra
