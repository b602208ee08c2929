// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with several results: a body that computes a value for each of them at one place, a
// driver that launches it, and the table by which the runtime finds it.

#include "GraphEmitter.h"
#include "SectionEmitter.h"
#include "SectionTags.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ikra {

namespace {

class HorizontalEmitter final : GraphEmitter {
public:
  /// \p Arrays results that are arrays; the others are reductions
  /// \p Describes the result whose section stands for the kernel in messages
  HorizontalEmitter(EmitContext& Context, const KernelGraph& Kernel, std::string Name,
                    std::size_t Arrays, std::size_t Describes, CodeWriter& Out)
      : GraphEmitter(Context, Kernel, std::move(Name), Out), Arrays(Arrays), Describes(Describes) {}

  void emit() {
    emitBody(Name + "_body");
    emitDriver();
  }
  void emitBodyAlone() { emitBody(Name); }

private:
  bool combines() const { return Arrays < Graph.Results; }

  /// The type of the first results together.
  std::string resultsText(std::size_t Count) const {
    std::vector<std::string> Types;
    for (std::size_t N = 0; N < Count; ++N)
      Types.push_back(Context.typeText(section(N).Result));
    return "results<" + llvm::join(Types, ", ") + ">";
  }

  void emitBody(const std::string& Type) {
    Out.open("struct " + Type + " {");
    emitMembers();
    emitIndex(Type);
    Out.line("");
    Out.open("IKRA_DEVICE auto operator()(" + llvm::join(parameters(), ", ") + ") const {");
    declareValues(0);
    std::vector<std::string> Values;
    for (std::size_t N = 0; N < Graph.Results; ++N)
      Values.push_back(value(N < Arrays ? FusedInput{false, N} : Graph.Nodes[N].Inputs.front()));
    Out.line("return ikra::rt::make_" + resultsText(Graph.Results) + "(" +
             llvm::join(Values, ", ") + ");");
    Out.close();
    emitTraits(combines());
    emitParts();
    Out.close("};");
  }

  /// What an array is computed from.
  struct PartInputs {
    std::set<std::size_t> Leaves, Results;
    bool Index = false;
  };
  void addInputs(std::size_t N, PartInputs& To) const {
    To.Index = To.Index || section(N).WithIndex;
    for (const FusedInput& Input : Graph.Nodes[N].Inputs)
      if (Input.IsLeaf)
        To.Leaves.insert(Input.Number);
      else if (Input.Number < Graph.Results)
        To.Results.insert(Input.Number);
      else
        addInputs(Input.Number, To);
  }

  /// Functions that compute an array each, and the order of these.
  void emitParts() {
    if (Graph.PartsInTurn.empty())
      return;
    Out.line("");
    Out.line("// On all cores: a block of one array after a block of the other.");
    std::vector<std::string> Order;
    for (const std::size_t N : Graph.PartsInTurn) {
      Order.push_back(std::to_string(N));
      PartInputs From;
      addInputs(N, From);
      std::vector<std::string> Parameters{"ikra::rt::part_number<" + std::to_string(N) + ">",
                                          From.Results.empty() ? "const Made&"
                                                               : "const Made& made"};
      for (std::size_t L = 0; L < Graph.Leaves.size(); ++L)
        Parameters.push_back(leafType(Graph.Leaves[L]) +
                             (From.Leaves.contains(L) ? " " + leafName(L) : ""));
      if (Graph.WithIndex)
        Parameters.push_back(indexType() + (From.Index ? " index" : ""));
      Out.open("template <class Made> IKRA_DEVICE auto part(" + llvm::join(Parameters, ", ") +
               ") const {");
      for (const std::size_t M : From.Results)
        Out.line("const auto& value_" + std::to_string(M) + " = made.template part<" +
                 std::to_string(M) + ">();");
      Out.line("return " + call(N) + ";");
      Out.close();
    }
    Out.line("using parts_in_turn = std::index_sequence<" + llvm::join(Order, ", ") + ">;");
  }

  void emitDriver() {
    Out.open("void run_" + Name + "(ikra::horizontal_call& call) {");
    Out.line("ikra::rt::session s(" + section(Describes).Ident + "_info, call);");
    const std::vector<std::string> Members = declareMembers("");
    std::vector<std::string> Arguments{Graph.WithIndex ? rank() : "0"};
    Arguments.push_back("ikra::rt::" + resultsText(Arrays));
    for (const FusedLeaf& L : Graph.Leaves)
      Arguments.push_back(leafType(L));
    std::vector<std::string> Given{Name + "_body{" + llvm::join(Members, ", ") + "}"};
    for (std::size_t N = Arrays; N < Graph.Results; ++N) {
      const std::string Result = Context.typeText(section(N).Result);
      Given.push_back(section(N).FromInit
                          ? "ikra::rt::fold_from(" + nodeName(N) + ", call.initial<" + Result +
                                ">(" + std::to_string(N) + "))"
                          : "ikra::rt::fold<" + Result + ">(" + nodeName(N) + ")");
    }
    Out.line(std::string("s.") + (combines() ? "reduce" : "elementwise") + "_group<" +
             llvm::join(Arguments, ", ") + ">(" + llvm::join(Given, ", ") + ");");
    Out.line("s.finish();");
    Out.close();
  }

  const std::size_t Arrays;
  const std::size_t Describes;
};

} // namespace

/// The largest kernel of a group has its name, the one that reads variables from memory a longer
/// one.
static std::string nameOf(const HorizontalGroup& Results, const HorizontalKernel& Kernel) {
  return Results.Ident + (&Kernel == &Results.Kernels.front() ? "_in_one" : "_from_variables");
}

void SectionEmitter::emitHorizontal(EmitContext& Context, const HorizontalGroup& Results,
                                    CodeWriter& Out) {
  if (Results.Kernels.empty())
    return;
  Out.heading(llvm::join(Results.Variables, ", ") + " in one kernel");
  for (const HorizontalKernel& Kernel : Results.Kernels)
    HorizontalEmitter(Context, Kernel, nameOf(Results, Kernel), Kernel.arrays(Context.Model), 0,
                      Out)
        .emit();
}

void SectionEmitter::emitStoring(EmitContext& Context, const FusedKernel& Kernel, CodeWriter& Out) {
  if (Kernel.Storing)
    HorizontalEmitter(Context, *Kernel.Storing, Kernel.Ident + "_storing",
                      Kernel.Storing->arrays(Context.Model), Kernel.Storing->Results - 1, Out)
        .emit();
}

void SectionEmitter::emitBodyOfArrays(EmitContext& Context, const FusedKernel& Kernel,
                                      CodeWriter& Out) {
  HorizontalEmitter(Context, Kernel, Kernel.Ident, Kernel.Results, 0, Out).emitBodyAlone();
}

void SectionEmitter::emitHorizontalTables(EmitContext& Context,
                                          const std::vector<HorizontalGroup>& All,
                                          CodeWriter& Out) {
  const ProgramModel& Model = Context.Model;
  std::map<std::string, std::vector<std::pair<const HorizontalKernel*, std::string>>> Tables;
  for (const HorizontalGroup& Results : All)
    for (const HorizontalKernel& Kernel : Results.Kernels)
      Tables[Results.Tag].emplace_back(&Kernel, nameOf(Results, Kernel));
  for (const auto& [Tag, Kernels] : Tables) {
    Out.open("std::span<const ikra::horizontal_fusion> ikra::horizontal_code<" + Model.Unit +
             "::" + Tag + ">::fusions() {");
    Out.line("using namespace " + Model.Unit + ";");
    std::vector<std::string> Rows;
    for (const auto& [Kernel, Name] : Kernels) {
      const std::string Suffix = Kernels.size() == 1 ? "" : "_" + std::to_string(Rows.size());
      declareNodes(Kernel->Nodes, Kernel->Held, Model, Suffix, Out);
      Rows.push_back("{nodes" + Suffix + ", inputs" + Suffix + ", " +
                     std::to_string(Kernel->Leaves.size()) + ", " +
                     std::to_string(Kernel->Results) + ", &run_" + Name + "}");
    }
    Out.line("static constexpr ikra::horizontal_fusion table[] = {" + llvm::join(Rows, ", ") +
             "};");
    Out.line("return table;");
    Out.close();
  }
}

} // namespace ikra
