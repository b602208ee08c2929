// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with several results: a body that computes a value for each of them at one place, a
// driver that launches it, and the table by which the runtime finds it.

#include "SectionEmitter.h"
#include "SectionTags.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ikra {

namespace {

class JointEmitter {
public:
  JointEmitter(EmitContext& Context, const JointKernel& Kernel, std::string Name, CodeWriter& Out)
      : Context(Context), Kernel(Kernel), Out(Out), Name(std::move(Name)) {
    while (Arrays < Kernel.Results && section(Arrays).Op != Operation::PReduce)
      ++Arrays;
    for (std::size_t N = 0; N < Kernel.Nodes.size(); ++N) {
      WithIndex |= isInBody(N) && section(N).WithIndex;
      Uses[N] += N < Arrays ? 1 : 0; // it is stored
      for (const FusedInput& Input : Kernel.Nodes[N].Inputs)
        if (!Input.IsLeaf)
          ++Uses[Input.Number];
    }
  }

  void emit() {
    emitBody();
    emitDriver();
  }

private:
  const Section& section(std::size_t N) const {
    return Context.Model.Sections[Kernel.Nodes[N].Section];
  }
  /// What reductions do with the values is theirs.
  bool isInBody(std::size_t N) const { return N < Arrays || N >= Kernel.Results; }
  bool combines() const { return Arrays < Kernel.Results; }
  static std::string stage(std::size_t N) { return "stage_" + std::to_string(N); }
  std::string rank() const { return std::to_string(section(0).Rank); }

  std::string leafName(std::size_t L) const {
    return Kernel.Leaves.size() == 1 ? "x" : "x_" + std::to_string(L);
  }
  std::string leafType(const FusedLeaf& L) const {
    return Context.typeText(section(L.Node).Elements[L.Input]);
  }

  std::string value(const FusedInput& Input) const {
    if (Input.IsLeaf)
      return leafName(Input.Number);
    return Uses.at(Input.Number) > 1 ? "value_" + std::to_string(Input.Number) : call(Input.Number);
  }
  /// The result of a node, for one place.
  std::string call(std::size_t N) const {
    std::vector<std::string> Arguments;
    for (const FusedInput& Input : Kernel.Nodes[N].Inputs)
      Arguments.push_back(value(Input));
    if (section(N).WithIndex)
      Arguments.emplace_back("place");
    return stage(N) + "(" + llvm::join(Arguments, ", ") + ")";
  }

  /// The type of the first results together.
  std::string resultsText(std::size_t Count) const {
    std::vector<std::string> Types;
    for (std::size_t N = 0; N < Count; ++N)
      Types.push_back(Context.typeText(section(N).Result));
    return "results<" + llvm::join(Types, ", ") + ">";
  }

  /// Declares what several read, behind what it reads.
  void declareValues(std::size_t N, std::set<std::size_t>& Seen) {
    if (!Seen.insert(N).second)
      return;
    for (const FusedInput& Input : Kernel.Nodes[N].Inputs)
      if (!Input.IsLeaf)
        declareValues(Input.Number, Seen);
    if (isInBody(N) && Uses.at(N) > 1)
      Out.line("const auto value_" + std::to_string(N) + " = " + call(N) + ";");
  }

  void emitBody() {
    Out.open("struct " + Name + "_body {");
    for (std::size_t N = Kernel.Nodes.size(); N-- > 0;)
      if (isInBody(N))
        Out.line(section(N).Ident + "_device::body " + stage(N) + ";");
    Out.line("");
    std::vector<std::string> Parameters;
    for (std::size_t L = 0; L < Kernel.Leaves.size(); ++L)
      Parameters.push_back(leafType(Kernel.Leaves[L]) + " " + leafName(L));
    if (WithIndex)
      Parameters.push_back(section(0).Rank == 1 ? "std::int64_t place"
                                                : "const ikra::index<" + rank() + ">& place");
    Out.open("IKRA_DEVICE auto operator()(" + llvm::join(Parameters, ", ") + ") const {");
    std::set<std::size_t> Seen;
    for (std::size_t N = Kernel.Nodes.size(); N-- > 0;)
      declareValues(N, Seen);
    std::vector<std::string> Values;
    for (std::size_t N = 0; N < Kernel.Results; ++N)
      Values.push_back(value(N < Arrays ? FusedInput{false, N} : Kernel.Nodes[N].Inputs.front()));
    Out.line("return ikra::rt::make_" + resultsText(Kernel.Results) + "(" +
             llvm::join(Values, ", ") + ");");
    Out.close();
    Out.close("};");
  }

  void emitDriver() {
    Out.open("void run_" + Name + "(ikra::joint_call& call) {");
    Out.line("ikra::rt::session s(" + section(0).Ident + "_info, call);");
    std::vector<std::string> Members;
    for (std::size_t N = Kernel.Nodes.size(); N-- > 0;) {
      if (isInBody(N))
        Members.push_back(stage(N));
      declareBody(Context, section(N), section(0), stage(N),
                  "call.stage(" + std::to_string(N) + ")", "", Out);
    }
    std::vector<std::string> Arguments{WithIndex ? rank() : "0"};
    Arguments.push_back("ikra::rt::" + resultsText(Arrays));
    for (const FusedLeaf& L : Kernel.Leaves)
      Arguments.push_back(leafType(L));
    std::vector<std::string> Given{Name + "_body{" + llvm::join(Members, ", ") + "}"};
    for (std::size_t N = Arrays; N < Kernel.Results; ++N) {
      const std::string Result = Context.typeText(section(N).Result);
      Given.push_back(section(N).FromInit ? "ikra::rt::fold_from(" + stage(N) + ", call.initial<" +
                                                Result + ">(" + std::to_string(N) + "))"
                                          : "ikra::rt::fold<" + Result + ">(" + stage(N) + ")");
    }
    Out.line(std::string("s.") + (combines() ? "reduce" : "places") + "_together<" +
             llvm::join(Arguments, ", ") + ">(" + llvm::join(Given, ", ") + ");");
    Out.line("s.finish();");
    Out.close();
  }

  EmitContext& Context;
  const JointKernel& Kernel;
  CodeWriter& Out;
  std::string Name;
  std::size_t Arrays = 0; ///< results that are arrays; the others are reductions
  bool WithIndex = false;
  std::map<std::size_t, unsigned> Uses; ///< how many inputs, and stored results, a node is
};

} // namespace

/// The largest kernel of a group has its name, the one that reads variables from memory a longer
/// one.
static std::string nameOf(const JointResults& Results, const JointKernel& Kernel) {
  return Results.Ident + (&Kernel == &Results.Kernels.front() ? "_in_one" : "_from_variables");
}

void SectionEmitter::emitTogether(EmitContext& Context, const JointResults& Results,
                                  CodeWriter& Out) {
  if (Results.Kernels.empty())
    return;
  Out.heading(llvm::join(Results.Variables, ", ") + " in one kernel");
  for (const JointKernel& Kernel : Results.Kernels)
    JointEmitter(Context, Kernel, nameOf(Results, Kernel), Out).emit();
}

void SectionEmitter::emitTogetherTables(EmitContext& Context, const std::vector<JointResults>& All,
                                        CodeWriter& Out) {
  const ProgramModel& Model = Context.Model;
  std::map<std::string, std::vector<std::pair<const JointKernel*, std::string>>> Tables;
  for (const JointResults& Results : All)
    for (const JointKernel& Kernel : Results.Kernels)
      Tables[Results.Tag].emplace_back(&Kernel, nameOf(Results, Kernel));
  for (const auto& [Tag, Kernels] : Tables) {
    Out.open("std::span<const ikra::joint_fusion> ikra::joint_code<" + Model.Unit + "::" + Tag +
             ">::fusions() {");
    Out.line("using namespace " + Model.Unit + ";");
    std::vector<std::string> Rows;
    for (const auto& [Kernel, Name] : Kernels) {
      const std::string Suffix = Kernels.size() == 1 ? "" : "_" + std::to_string(Rows.size());
      declareNodes(Kernel->Nodes, Kernel->Held, Model, Suffix, Out);
      Rows.push_back("{nodes" + Suffix + ", inputs" + Suffix + ", " +
                     std::to_string(Kernel->Leaves.size()) + ", " +
                     std::to_string(Kernel->Results) + ", &run_" + Name + "}");
    }
    Out.line("static constexpr ikra::joint_fusion table[] = {" + llvm::join(Rows, ", ") + "};");
    Out.line("return table;");
    Out.close();
  }
}

} // namespace ikra
