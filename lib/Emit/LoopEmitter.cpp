// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for loops of the host: a struct that holds the bodies of a loop's sections and runs the
// one whose number it is given, its driver, and what tells the runtime of it.

#include "SectionEmitter.h"

#include "llvm/ADT/StringExtras.h"

namespace ikra {

std::string nameOf(const LoopKernel& Loop, const ProgramModel& Model) {
  return "loop_of_" + Model.Sections[Loop.Sections.front()].Ident;
}

/// The loop's sections, what it may begin with last.
static std::vector<const Section*> sectionsOf(const EmitContext& Context, const LoopKernel& Loop) {
  std::vector<const Section*> Out;
  for (const std::vector<Index>* Part : {&Loop.Sections, &Loop.Starts})
    for (const Index S : *Part)
      Out.push_back(&Context.Model.Sections[S]);
  return Out;
}

static const char* stepOf(const Section& S) { return S.WithIndex ? "indexed" : "plain"; }

/// The step that a number of a section and one of its bodies stand for.
static void emitRun(const std::vector<const Section*>& Sections, CodeWriter& Out) {
  Out.line("IKRA_CALLS_GIVEN");
  Out.open(
      "template <class Step> IKRA_DEVICE void run(unsigned section, unsigned body, const Step& "
      "step) const {");
  Out.open("switch (section) {");
  for (std::size_t K = 0; K < Sections.size(); ++K) {
    const Section& S = *Sections[K];
    const std::string Label =
        K + 1 < Sections.size() ? "case " + std::to_string(K) + ": " : std::string("default: ");
    if (S.Op == Operation::PNew)
      Out.line(Label + "return step.start(" + S.Ident + "_bodies[body]);");
    else
      Out.line(Label + "return step." + stepOf(S) + "(" + S.Ident + "_bodies[body]);");
  }
  Out.close("}");
  Out.close();
}

/// Turns of the host's loop that run all of its sections: nothing is chosen between their steps.
static void emitRunTurn(const std::vector<const Section*>& Sections, std::size_t Steps,
                        CodeWriter& Out) {
  if (Steps < 2)
    return;
  Out.line("IKRA_CALLS_GIVEN");
  Out.open("template <class Step> IKRA_DEVICE void run_turn(const ikra::rt::node_sequence::step* "
           "turn, unsigned times, const Step& step) const {");
  for (std::size_t K = 0; K < Steps; ++K)
    Out.line("const " + Sections[K]->Ident + "_device::body of_" + Sections[K]->Ident + " = " +
             Sections[K]->Ident + "_bodies[turn[" + std::to_string(K) + "].body];");
  Out.open("for (unsigned k = 0; k < times; ++k) {");
  for (std::size_t K = 0; K < Steps; ++K)
    Out.line("step." + std::string(stepOf(*Sections[K])) + "(of_" + Sections[K]->Ident + ");");
  Out.close();
  Out.close();
}

void SectionEmitter::emitLoop(EmitContext& Context, const LoopKernel& Loop, CodeWriter& Out) {
  const std::vector<const Section*> Sections = sectionsOf(Context, Loop);
  std::vector<std::string> Idents;
  bool WithIndex = !Loop.Starts.empty();
  for (const Section* S : Sections) {
    Idents.push_back(S->Ident);
    WithIndex |= S->WithIndex;
  }
  const std::string Name = nameOf(Loop, Context.Model);
  Out.heading(llvm::join(Idents, ", ") + " in any sequence in one kernel");
  Out.open("struct " + Name + " {");
  Out.line("static constexpr unsigned sections = " + std::to_string(Loop.Sections.size()) + ";");
  for (const Section* S : Sections)
    Out.line("ikra::rt::node_bodies<" + S->Ident + "_device::body> " + S->Ident + "_bodies;");
  Out.line("");
  Out.open("bool add(ikra::rt::node_sequence& sequence, const ikra::node_captures& node) {");
  for (std::size_t K = 0; K < Sections.size(); ++K) {
    const Section& S = *Sections[K];
    std::vector<std::string> Captures;
    for (std::size_t C = 0; C < S.Code.Captures.size(); ++C)
      Captures.push_back(asCode(Context, S.Code.Captures[C],
                                "node.capture<" + Context.typeText(S.Code.Captures[C].Ty) + ">(" +
                                    std::to_string(C) + ")"));
    Out.line("if (node.key() == ikra::key_of<" + S.Ident + ">)");
    Out.line("  return sequence.add(" + std::to_string(K) + ", " + S.Ident + "_bodies.add({" +
             llvm::join(Captures, ", ") + "}), " + S.Ident + "_bodies.capacity);");
  }
  Out.line("return false;");
  Out.close();
  emitRun(Sections, Out);
  emitRunTurn(Sections, Loop.Sections.size(), Out);
  Out.close("};");

  const Section& First = *Sections.front();
  Out.open("void run_" + Name + "(ikra::map_call& call) {");
  Out.line("ikra::rt::session s(" + First.Ident + "_info, call);");
  Out.line("s.loop_values<" + Context.typeText(First.Result) + ", " +
           std::to_string(WithIndex ? First.Rank : 0) + ">(" + Name + "{});");
  Out.line("s.finish();");
  Out.close();
}

void SectionEmitter::emitLoopTables(EmitContext& Context, const LoopKernel& Loop, CodeWriter& Out) {
  const auto Keys = [&](const std::vector<Index>& Sections) {
    std::vector<std::string> Texts;
    for (const Index S : Sections)
      Texts.push_back("ikra::key_of<" + Context.Model.Sections[S].Ident + ">");
    return "{" + llvm::join(Texts, ", ") + "}";
  };
  const std::string Name = nameOf(Loop, Context.Model);
  Out.open("namespace " + Context.Unit + " {");
  Out.line("static constexpr ikra::section_key sections_of_" + Name +
           "[] = " + Keys(Loop.Sections) + ";");
  if (!Loop.Starts.empty())
    Out.line("static constexpr ikra::section_key starts_of_" + Name + "[] = " + Keys(Loop.Starts) +
             ";");
  Out.line("static constexpr ikra::loop " + Name + "_info{sections_of_" + Name + ", " +
           (Loop.Starts.empty() ? "{}" : "starts_of_" + Name) + ", &run_" + Name + "};");
  Out.close();
  for (const Index I : Loop.Sections) {
    const Section& S = Context.Model.Sections[I];
    if (S.Site.Instance) // its template's sequences() finds it
      continue;
    Out.open("const ikra::loop* ikra::section_code<" + Context.Unit + "::" + S.Ident +
             ">::sequences() {");
    Out.line("return &" + Context.Unit + "::" + Name + "_info;");
    Out.close();
  }
}

} // namespace ikra
