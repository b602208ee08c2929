// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of several sections that give one result.

#include "FusedStencils.h"
#include "GraphEmitter.h"
#include "Launch.h"
#include "SectionEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

namespace ikra {

namespace {

/// One kernel for several sections: a body that has theirs as members, and its driver.
class FusedEmitter final : GraphEmitter {
public:
  FusedEmitter(EmitContext& Context, const FusedKernel& Kernel,
               const std::vector<ColumnUse>& Columns, CodeWriter& Out)
      : GraphEmitter(Context, Kernel, Kernel.Ident, Out), Kernel(Kernel), Columns(Columns) {
    for (std::size_t N = 0; N < Kernel.Nodes.size(); ++N) {
      Sections.push_back(&section(N));
      if (section(N).isOverObjects())
        OverObjects = &section(N);
      if (section(N).takesIds() && (!TakesIds || TakesIds->Access.PassesNull))
        TakesIds = &section(N);
    }
    if (Kernel.hasStencils())
      Stencils.emplace(Context, Kernel, Out);
  }

  void emit() {
    std::vector<std::string> Idents;
    for (const Section* S : llvm::reverse(Sections))
      Idents.push_back(S->Ident);
    Out.heading(llvm::join(Idents, Kernel.isChain() ? " -> " : ", ") +
                (Kernel.InTiles ? " in tiles" : " in one kernel"));
    emitInfo();
    if (!Kernel.InTiles) // else both bodies are those of single sections
      emitBody();
    emitDriver();
  }

  /// What others launch: turns.
  void emitBodyAlone() { emitBody(); }

private:
  /// Whether the body only computes what a reduction, scan or selection is given.
  bool isCombined() const { return !Graph.InBody.front(); }
  /// The section that messages name.
  const Section& first() const {
    if (OverObjects)
      return *OverObjects;
    return TakesIds ? *TakesIds : *Sections.back();
  }

  std::string leafName(std::size_t L) const override {
    return OverObjects ? "c, id" : GraphEmitter::leafName(L);
  }
  std::string launchType(const FusedLeaf& L) const {
    return launchText(Context, section(L.Node).Elements[L.Input]);
  }

  /// Sections that use columns which the first one does not need a description of their own.
  void emitInfo() {
    const auto First = static_cast<Index>(&first() - Context.Model.Sections.data());
    if (Columns.size() == Context.Layout.Uses[First].size()) {
      Info = first().Ident + "_info";
      return;
    }
    Info = Name + "_info";
    SectionEmitter::emitInfo(Name, Context.Model, first(), Columns, Out);
  }

  void emitBody() {
    if (Stencils)
      return Stencils->emitBody();
    Out.open("struct " + Name + " {");
    emitMembers();
    if (!OverObjects)
      emitIndex(Name);
    Out.line("");
    std::vector<std::string> Parameters = parameters();
    if (OverObjects) {
      const std::size_t Leaves = Kernel.Leaves.size();
      Parameters.erase(Parameters.begin(),
                       Parameters.begin() + static_cast<std::ptrdiff_t>(Leaves));
      Parameters.insert(Parameters.begin(), {"Class c", "ikra::object_id id"});
    }
    Out.open((OverObjects ? "template <class Class> " : "") +
             std::string("IKRA_DEVICE auto operator()(") + llvm::join(Parameters, ", ") +
             ") const {");
    const std::size_t Top = isCombined() ? 1 : 0;
    declareValues(Top + 1);
    Out.line("return " + call(Top) + ";");
    Out.close();
    emitTraits(isCombined());
    if (Kernel.Blocked)
      emitBlocked();
    else {
      if (hasLanes())
        emitLanes();
      emitTiles();
    }
    Out.close("};");
  }

  /// Whether the body computes a result for each element from values, and cannot fail.
  bool givesEachResult() const {
    return !OverObjects && !TakesIds && !isCombined() &&
           llvm::all_of(Sections, [](const Section* S) { return !S->Access.CallsAt; });
  }
  /// Whether some section computes several results side by side, and what others have to give it
  /// can be kept for a moment.
  bool hasLanes() const {
    return givesEachResult() && !(Graph.WithIndex && section(0).Rank != 1) &&
           llvm::any_of(Sections, [&](const Section* S) { return Context.lanesOf(*S); });
  }

  /// The same, section by section: those that have no such form one result after the other.
  void emitLanes() {
    Out.line("");
    std::vector<std::string> Bodies;
    for (std::size_t N = 0; N < Sections.size(); ++N)
      if (Context.lanesOf(section(N)))
        Bodies.push_back(section(N).Ident + "_device::body");
    Out.line("static constexpr unsigned side_by_side = ikra::rt::side_by_side_of<" +
             llvm::join(Bodies, ", ") + ">;");
    std::vector<std::string> Parameters;
    for (std::size_t L = 0; L < Kernel.Leaves.size(); ++L)
      Parameters.push_back("const auto* " + leafName(L));
    if (Graph.WithIndex)
      Parameters.emplace_back("std::int64_t index");
    Parameters.emplace_back("auto* results");
    Out.open("template <unsigned lanes> void compute_lanes(" + llvm::join(Parameters, ", ") +
             ") const {");
    for (std::size_t N = Sections.size(); N-- > 0;) {
      const Section& S = section(N);
      const std::string Kept = "value_" + std::to_string(N);
      const std::string To = N == 0 ? "results" : Kept + ".data()";
      if (N != 0)
        Out.line("ikra::rt::kept_lanes<" + Context.typeText(S.Result) + ", lanes> " + Kept + ";");
      std::vector<std::string> From;
      for (const FusedInput& Input : Graph.Nodes[N].Inputs)
        From.push_back(Input.IsLeaf ? leafName(Input.Number)
                                    : "value_" + std::to_string(Input.Number) + ".data()");
      if (Context.lanesOf(S)) {
        if (S.WithIndex)
          From.emplace_back("index");
        From.push_back(To);
        Out.line(nodeName(N) + ".compute_lanes<lanes>(" + llvm::join(From, ", ") + ");");
        continue;
      }
      for (std::string& Of : From)
        Of += "[lane]";
      if (S.WithIndex)
        From.emplace_back("index + lane");
      Out.line("IKRA_SIDE_BY_SIDE");
      Out.open("for (unsigned lane = 0; lane < lanes; ++lane) {");
      Out.line("ikra::rt::put<" + Context.typeText(S.Result) + ">(" + To + " + lane, " +
               nodeName(N) + "(" + llvm::join(From, ", ") + "));");
      Out.close();
    }
    Out.close();
  }

  /// The same where threads of a GPU's block share what they read.
  void emitTiles() {
    std::vector<std::string> Longest;
    for (std::size_t N = 0; N < Sections.size(); ++N)
      if (Context.tilesOf(section(N)))
        Longest.push_back(nodeName(N) + ".longest_in_tiles()");
    if (Longest.empty() || !givesEachResult())
      return;
    Out.line("#ifdef __CUDACC__");
    SectionEmitter::emitTilesHead(Longest, Out);
    Out.open("__device__ auto compute_in_tiles(" + llvm::join(parameters(), ", ") + ") const {");
    InTiles = true;
    declareValues(1);
    Out.line("return " + call(0) + ";");
    InTiles = false;
    Out.close();
    Out.line("#endif");
  }

  /// The same for a block of elements on all cores, section by section.
  void emitBlocked() {
    Out.line("");
    Out.line("static constexpr bool is_blocked = true;");
    Out.open("template <class Step> void each_node(const Step& step) const {");
    for (std::size_t N = Sections.size(); N-- > 0;) {
      const Section& S = section(N);
      const char* const OfElements = S.WithIndex ? "indexed(" : "plain(";
      Out.line("step." + std::string(S.Op == Operation::PNew ? "start(" : OfElements) +
               nodeName(N) + ");");
    }
    Out.close();
  }

  std::string launch() {
    if (Stencils)
      return Stencils->launch();
    if (Kernel.Leaves.size() == 1) {
      const FusedLeaf& L = Kernel.Leaves.front();
      if (section(L.Node).Op == Operation::PMap && section(0).Op == Operation::PMap)
        return launcher(Context, section(L.Node), section(0), Graph.WithIndex);
    }
    std::vector<std::string> Arguments{resultText(Context, section(0))};
    const std::string Rank = rank();
    if (isCombined()) {
      if (section(0).FromInit)
        Arguments.insert(Arguments.begin(), Context.typeText(section(0).element()));
      if (section(0).Op == Operation::PSelect)
        Arguments.push_back(section(0).WithIndex ? Rank : "0");
      Arguments.push_back(Graph.WithIndex ? Rank : "0");
      for (const FusedLeaf& L : Kernel.Leaves)
        Arguments.push_back(launchType(L));
      const char* const Combine = section(0).Op == Operation::PScan ? "scan" : "reduce";
      const char* const Launch = section(0).Op == Operation::PSelect ? "select" : Combine;
      return std::string("s.") + Launch + "_computed" + (section(0).FromInit ? "_from<" : "<") +
             llvm::join(Arguments, ", ") + ">(";
    }
    if (Kernel.Leaves.empty())
      return "s.new_values<" + Arguments.front() + ", " + Rank + ">(";
    if (Graph.WithIndex)
      Arguments.push_back(Rank);
    for (const FusedLeaf& L : Kernel.Leaves)
      Arguments.push_back(launchType(L));
    return std::string("s.combine_values") + (Graph.WithIndex ? "_indexed" : "") + "<" +
           llvm::join(Arguments, ", ") + ">(";
  }

  /// A stencil over an array, as a body of its own.
  std::string stencilBody(std::size_t N) const {
    const Section& S = section(N);
    return "s.stencil_body<" + Context.typeText(S.Result) + ", " + S.Ident +
           "_device::footprint, ikra::rt::border::" + nameOf(S.AtBorder) + ", " +
           (S.WithIndex ? "true" : "false") + ">(" + nodeName(N) + ", " + std::to_string(N) + ")";
  }

  void emitDriver() {
    Out.line(
        "// " +
        (Kernel.InTiles
             ? (Kernel.Only == Device::Cores ? "all stencils at once, a core's part after the other"
                : Kernel.Nodes.size() > 2
                    ? "one kernel, in which a block keeps the results between"
                    : "one kernel, in which a block keeps the first stencil's results")
             : launchComment(OverObjects && !isCombined() ? *OverObjects : section(0))));
    Out.open("void run_" + Name + "(ikra::map_call& call) {");
    std::vector<Type> Inputs;
    for (const FusedLeaf& L : Kernel.Leaves)
      Inputs.push_back(section(L.Node).Elements[L.Input]);
    openSession(Context, Sections, first(), Inputs, Info, Out);
    std::vector<std::string> Members = declareMembers("root_");
    if (Kernel.InTiles) {
      // The first stencil is the last node.
      std::vector<std::string> Types{Kernel.Only == Device::Cores ? "false" : "true",
                                     leafType(Kernel.Leaves.front())},
          Bodies;
      for (std::size_t N = Kernel.Nodes.size(); N-- > 0;) {
        Types.push_back(Context.typeText(section(N).Result));
        Bodies.push_back(stencilBody(N));
      }
      Out.line("s.stencils_in_tiles<" + llvm::join(Types, ", ") + ">(" + llvm::join(Bodies, ", ") +
               ");");
      Out.line("s.finish();");
      Out.close();
      return;
    }
    if (Stencils)
      llvm::append_range(Members, Stencils->borderValues());
    Out.line(launch() + Name + "{" + llvm::join(Members, ", ") + "}" +
             (isCombined() ? ", " + nodeName(0) : "") + ");");
    Out.line("s.finish();");
    Out.close();
  }

  const FusedKernel& Kernel;
  const std::vector<ColumnUse>& Columns;
  std::string Info; ///< name of the constant that describes the kernel to the runtime
  std::vector<const Section*> Sections;
  const Section* OverObjects = nullptr; ///< the one that reads objects as elements
  /// One that takes their IDs; if any is not given null elements, such a one.
  const Section* TakesIds = nullptr;
  std::optional<FusedStencils> Stencils; ///< where there are any
};

} // namespace

void SectionEmitter::emitFused(EmitContext& Context, const FusedKernel& Kernel,
                               const std::vector<ColumnUse>& Columns, CodeWriter& Out) {
  FusedEmitter(Context, Kernel, Columns, Out).emit();
}

void SectionEmitter::emitFusedBody(EmitContext& Context, const FusedKernel& Kernel,
                                   CodeWriter& Out) {
  FusedEmitter(Context, Kernel, {}, Out).emitBodyAlone();
}

} // namespace ikra
