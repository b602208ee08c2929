// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Fusion decided, as text and as a graph.

#include "Fusion.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <set>

namespace ikra {

/// "a -> b -> c" for chains, "a 8 times" for steps in tiles; else each section as a call of those
/// that it uses, where what is used twice stands in full once.
static void printKernel(const FusedKernel& Kernel, const ProgramModel& Model,
                        llvm::raw_ostream& OS) {
  const auto Name = [&](std::size_t N) { return Model.Sections[Kernel.Nodes[N].Section].Ident; };
  if (Kernel.InTiles && Kernel.Nodes.size() > 2) {
    OS << Name(0) << " " << Kernel.Nodes.size() << " times";
    return;
  }
  if (Kernel.isChain()) {
    for (std::size_t N = Kernel.Nodes.size(); N-- > 0;)
      OS << Name(N) << (N == 0 ? "" : " -> ");
    return;
  }
  std::set<std::size_t> Shown;
  const std::function<void(std::size_t)> Show = [&](std::size_t N) {
    OS << Name(N);
    if (!Shown.insert(N).second)
      return;
    const std::vector<FusedInput>& Inputs = Kernel.Nodes[N].Inputs;
    for (std::size_t K = 0; K < Inputs.size(); ++K) {
      OS << (K == 0 ? "(" : ", ");
      if (Inputs[K].IsLeaf)
        OS << "array";
      else
        Show(Inputs[K].Number);
    }
    if (!Inputs.empty())
      OS << ")";
  };
  Show(0);
}

static void printHalo(const KernelGraph& Graph, llvm::raw_ostream& OS) {
  if (!Graph.hasStencils())
    return;
  OS << "  reads around each location:";
  for (const Footprint& Along : Graph.Halo)
    OS << " " << Along.Least << ".." << Along.Most;
  OS << (Graph.HasPlainBorder ? ", plain border" : "")
     << (Graph.ReadsMembersOnce ? ", each member once\n" : "\n");
}

void print(const FusionPlan& Plan, const ProgramModel& Model, llvm::raw_ostream& OS) {
  const auto Name = [&](Index S) { return Model.Sections[S].Ident; };
  const auto PrintHeld = [&](const std::vector<FusedNode>& Nodes, const std::vector<HeldNode>& Held,
                             bool InPassing) {
    for (const HeldNode& Node : Held)
      if (!Node.FromSecondTime)
        OS << "  " << Name(Nodes[Node.Node].Section) << ", if held, is stored"
           << (InPassing ? " in passing" : "") << (Node.OnCoresAlone ? " on all cores" : "") << " ("
           << Node.Reason << ")\n";
  };
  const auto PrintParts = [&](const KernelGraph& Kernel) {
    for (const std::size_t N : Kernel.PartsInTurn)
      OS << (N == Kernel.PartsInTurn.front() ? "  on all cores block by block: " : ", then ")
         << Name(Kernel.Nodes[N].Section);
    if (!Kernel.PartsInTurn.empty())
      OS << "\n";
  };
  std::size_t Kernels = Model.Sections.size() + Plan.Kernels.size() + Plan.Loops.size();
  for (const HorizontalGroup& Results : Plan.Horizontal)
    Kernels += Results.Kernels.size();
  OS << "kernels: " << Kernels << " (" << Model.Sections.size() << " of single sections)\n";
  for (const FusedKernel& Kernel : Plan.Kernels) {
    OS << "kernel ";
    printKernel(Kernel, Model, OS);
    if (Kernel.IsUnfolded)
      OS << ", unfolded";
    if (Kernel.InTiles)
      OS << ", in tiles";
    if (Kernel.Blocked)
      OS << ", blocked on all cores";
    if (Kernel.Path)
      OS << ", on path " << Kernel.Path;
    if (Kernel.Without)
      OS << ", without " << Name(*Kernel.Without);
    if (Kernel.AfterStencils)
      OS << ", after stencils";
    if (Kernel.FromHeld)
      OS << ", from what is held";
    if (Kernel.Only)
      OS << (*Kernel.Only == Device::Gpu ? ", on a GPU" : ", on all cores");
    OS << "\n";
    printHalo(Kernel, OS);
    for (const std::int64_t& Around : Kernel.FewOnCores)
      OS << (&Around == Kernel.FewOnCores.data()
                 ? "  on all cores for arrays much larger than a border of "
                 : " x ")
         << Around;
    if (!Kernel.FewOnCores.empty())
      OS << "\n";
    PrintHeld(Kernel.Nodes, Kernel.Held, Kernel.Storing.has_value());
    if (Kernel.Storing)
      PrintParts(*Kernel.Storing);
  }
  if (Plan.LeftOut != 0)
    OS << (Plan.AreMoreLeftOut ? "at least " : "") << Plan.LeftOut
       << " more on single paths left out, for the time that they take to compile\n";
  for (const auto& [S, Lanes] : Plan.InLanes)
    OS << "side by side " << Name(S) << ": each element of " << Lanes.Array
       << " for several results" << (Lanes.TakesRoots ? "; on cores with -fno-math-errno" : "")
       << "\n";
  for (const auto& [S, Tiles] : Plan.Tiled) {
    std::set<llvm::StringRef> Arrays;
    for (const auto& [Turn, Of] : Tiles.Loops)
      for (const TiledLine& Line : Of)
        Arrays.insert(Line.Array);
    OS << "on a GPU in tiles " << Name(S) << ": a block shares what it reads of "
       << llvm::join(Arrays, ", ") << "\n";
  }
  for (const LoopKernel& Loop : Plan.Loops) {
    OS << "loop";
    for (const Index S : Loop.Sections)
      OS << " " << Name(S);
    for (const Index S : Loop.Starts)
      OS << (S == Loop.Starts.front() ? ", from " : " ") << Name(S);
    OS << "\n";
  }
  for (const Index S : Plan.Early)
    OS << "early " << Name(S) << ": long chains that nothing else holds\n";
  for (const HorizontalGroup& Results : Plan.Horizontal) {
    OS << "horizontal";
    for (const Index S : Results.Sections)
      OS << (S == Results.Sections.front() ? " " : ", ") << Name(S);
    OS << ": " << (Results.Kernels.empty() ? "not fused" : "fused") << " (" << Results.Reason
       << ")\n";
    for (const HorizontalKernel& Kernel : Results.Kernels) {
      PrintHeld(Kernel.Nodes, Kernel.Held, false);
      PrintParts(Kernel);
    }
  }
  for (const FusionEdge& Edge : Plan.Edges)
    OS << "edge " << Name(Edge.Producer) << " -> " << Name(Edge.Consumer) << ": "
       << (Edge.Fused || Edge.InTiles ? "fused" : "not fused")
       << (Edge.OnGpuAlone ? " on a GPU alone" : "")
       << (Edge.OnCoresAlone ? " on all cores alone" : "") << " (" << Edge.Reason << ")\n";
  for (const DatalogProgram& Program : Model.Datalog) {
    OS << "datalog at line " << Program.At.Line << ", " << Program.Bits
       << " bits: " << Program.Rules << " rules, " << Program.Kernels << " kernels\n";
    for (const std::string& Functor : Program.Functors)
      OS << "  " << Functor << "\n";
    for (const std::string& Rule : Program.Interpreted)
      OS << "  " << Rule << "\n";
  }
}

void printDot(const FusionPlan& Plan, const ProgramModel& Model, llvm::raw_ostream& OS) {
  OS << "digraph fusion {\n  node [shape=box];\n";
  for (const Section& S : Model.Sections)
    OS << "  " << S.Ident << " [label=\"" << S.Ident << "\\n"
       << nameOf(S.Op) << " at line " << S.At.Line << "\"];\n";
  for (const FusionEdge& Edge : Plan.Edges)
    OS << "  " << Model.Sections[Edge.Producer].Ident << " -> "
       << Model.Sections[Edge.Consumer].Ident << " [label=\"" << Edge.Reason << "\""
       << (Edge.Fused || Edge.InTiles ? "" : ", style=dashed") << "];\n";
  for (const HorizontalGroup& Results : Plan.Horizontal)
    for (std::size_t K = 1; K < Results.Sections.size() && !Results.Kernels.empty(); ++K)
      OS << "  " << Model.Sections[Results.Sections[K - 1]].Ident << " -> "
         << Model.Sections[Results.Sections[K]].Ident << " [dir=none, label=\"" << Results.Reason
         << "\"];\n";
  OS << "}\n";
}

} // namespace ikra
