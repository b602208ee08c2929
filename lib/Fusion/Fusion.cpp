// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertical fusion. Where a section's element depends on its inputs' elements in the same place
// (ARRAY'17, section 3: access pattern 'same location'), the sections that give these inputs may
// run in its kernel: a chain where each has one input, a tree where pcombine has several, a graph
// where one result is used twice.

#include "Fusion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <functional>
#include <map>

namespace ikra {

/// A kernel of more sections than this takes long to compile, and gains nothing over two.
static constexpr std::size_t MostSections = 64;
/// A kernel that reads more arrays than this runs out of registers for their addresses.
static constexpr std::size_t MostLeaves = 16;

bool FusedKernel::isChain() const {
  for (std::size_t N = 0; N < Nodes.size(); ++N) {
    std::size_t Fused = 0;
    for (const FusedInput& Input : Nodes[N].Inputs)
      Fused += !Input.IsLeaf;
    if (Fused != (N + 1 < Nodes.size() ? 1 : 0))
      return false;
  }
  return true;
}

static bool givesPlaces(Operation Op) {
  return Op == Operation::PMap || Op == Operation::PCombine || Op == Operation::PNew;
}

/// True if an element of the result, or whether it is chosen, depends on the inputs' elements in
/// the same place alone.
static bool readsPlaces(Operation Op) {
  return givesPlaces(Op) || Op == Operation::PReduce || Op == Operation::PSelect ||
         Op == Operation::PScan;
}

/// Why \p Consumer cannot share a kernel with \p Producer; empty if it can.
static std::string obstacle(const Section& Producer, const Section& Consumer) {
  // A stencil's kernel may go on with what it computed.
  const bool GoesOn = Producer.Op == Operation::PStencil && Consumer.Op == Operation::PMap;
  if (!givesPlaces(Producer.Op) && !GoesOn)
    return std::string("the result of ") + nameOf(Producer.Op) + " is kept in memory";
  if (!readsPlaces(Consumer.Op))
    return std::string(nameOf(Consumer.Op)) + " reads its input from memory";
  if (Producer.Result.Kind == TypeKind::Object)
    return "its elements are objects, which have to be traced on the host first";
  if (Producer.Rank != Consumer.Rank)
    return "the arrays have different ranks";
  return "";
}

namespace {

class Planner {
public:
  explicit Planner(const ProgramModel& Model)
      : Model(Model), Absorbed(Model.Sections.size(), false) {}

  FusionPlan run() {
    for (Index I = 0; I < Model.Sections.size(); ++I)
      for (const std::optional<Index>& Input : Model.Sections[I].Inputs)
        if (Input)
          addEdge(*Input, I);
    for (Index I = 0; I < Model.Sections.size(); ++I)
      if (!Absorbed[I])
        addKernel(I);
    Plan.Loops = planLoops(Model);
    return std::move(Plan);
  }

private:
  static constexpr llvm::StringLiteral OfStencil = "of a stencil";

  void addEdge(Index Producer, Index Consumer) {
    std::string Reason = obstacle(Model.Sections[Producer], Model.Sections[Consumer]);
    const llvm::StringRef Kind = kindOfChain(Producer);
    if (Reason.empty() && Kind == OfStencil &&
        Model.Sections[Consumer].Result.Kind == TypeKind::Object)
      Reason = "a kernel of a stencil gives values";
    if (Reason.empty() && !Kind.empty() && Model.Sections[Consumer].Op != Operation::PMap)
      Reason = ("a kernel " + Kind).str() + (Model.Sections[Consumer].Op == Operation::PCombine
                                                 ? " reads no other arrays"
                                                 : " stores its results");
    const char* const Fits = Model.Sections[Producer].Op == Operation::PStencil
                                 ? "same location, behind the stencil"
                                 : "same location";
    Plan.Edges.push_back({Producer, Consumer, Reason.empty(), Reason.empty() ? Fits : Reason});
    if (!Reason.empty())
      return;
    Fused.insert({Producer, Consumer});
    // A kernel that ends with what only its consumer's kernel uses would never be taken.
    if (Model.Sections[Producer].IsTemporary)
      Absorbed[Producer] = true;
  }

  /// What the kernel that ends with \p I is, where it is a chain of maps that begins with objects
  /// or a stencil; else empty.
  llvm::StringRef kindOfChain(Index I) const {
    const Section& S = Model.Sections[I];
    if (S.isOverObjects())
      return "over objects";
    if (S.Op == Operation::PStencil)
      return OfStencil;
    const std::optional<Index> Input = S.Op == Operation::PMap ? S.Inputs.front() : std::nullopt;
    return Input && obstacle(Model.Sections[*Input], S).empty() ? kindOfChain(*Input) : "";
  }

  /// Sections that \p I's kernel holds, each behind all that use it.
  std::vector<Index> sectionsOf(Index I) const {
    std::vector<Index> Order; // producers first
    std::set<Index> Seen;
    const std::function<void(Index)> Visit = [&](Index At) {
      if (Seen.size() == MostSections || !Seen.insert(At).second)
        return;
      for (const std::optional<Index>& Input : Model.Sections[At].Inputs)
        if (Input && Fused.contains({*Input, At}))
          Visit(*Input);
      Order.push_back(At);
    };
    Visit(I);
    return {Order.rbegin(), Order.rend()};
  }

  void addKernel(Index I) {
    const std::vector<Index> Sections = sectionsOf(I);
    if (Sections.size() < 2)
      return;
    FusedKernel Kernel;
    std::vector<Index> Cut; // what the kernel would hold if it were not large enough
    std::map<Index, std::size_t> NodeOf;
    for (const Index S : Sections)
      NodeOf.emplace(S, NodeOf.size());
    for (std::size_t N = 0; N < Sections.size(); ++N) {
      const Section& S = Model.Sections[Sections[N]];
      FusedNode Node{Sections[N], {}};
      for (std::size_t K = 0; K < S.Elements.size(); ++K) {
        const std::optional<Index>& From = S.Inputs[K];
        const bool IsNode = From && NodeOf.contains(*From) && Fused.contains({*From, Sections[N]});
        Node.Inputs.push_back({!IsNode, IsNode ? NodeOf[*From] : Kernel.Leaves.size()});
        if (!IsNode)
          Kernel.Leaves.push_back({N, K});
        if (!IsNode && From && Absorbed[*From])
          Cut.push_back(*From);
      }
      Kernel.Nodes.push_back(std::move(Node));
    }
    if (Kernel.Leaves.size() <= MostLeaves)
      Plan.Kernels.push_back(std::move(Kernel));
    else
      for (const std::optional<Index>& Input : Model.Sections[I].Inputs)
        if (Input)
          Cut.push_back(*Input);
    for (const Index Producer : Cut)
      if (Absorbed[Producer]) {
        Absorbed[Producer] = false;
        addKernel(Producer);
      }
  }

  const ProgramModel& Model;
  FusionPlan Plan;
  std::set<std::pair<Index, Index>> Fused;
  std::vector<bool> Absorbed;
};

} // namespace

FusionPlan planFusion(const ProgramModel& Model) { return Planner(Model).run(); }

//===-- printing ---------------------------------------------------------------------------===//

/// "a -> b -> c" for chains; else each section as a call of those that it uses, where what is used
/// twice stands in full once.
static void printKernel(const FusedKernel& Kernel, const ProgramModel& Model,
                        llvm::raw_ostream& OS) {
  const auto Name = [&](std::size_t N) { return Model.Sections[Kernel.Nodes[N].Section].Ident; };
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

void print(const FusionPlan& Plan, const ProgramModel& Model, llvm::raw_ostream& OS) {
  const auto Name = [&](Index S) { return Model.Sections[S].Ident; };
  OS << "kernels: " << Model.Sections.size() + Plan.Kernels.size() + Plan.Loops.size() << " ("
     << Model.Sections.size() << " of single sections)\n";
  for (const FusedKernel& Kernel : Plan.Kernels) {
    OS << "kernel ";
    printKernel(Kernel, Model, OS);
    OS << "\n";
  }
  for (const LoopKernel& Loop : Plan.Loops) {
    OS << "loop";
    for (const Index S : Loop.Sections)
      OS << " " << Name(S);
    for (const Index S : Loop.Starts)
      OS << (S == Loop.Starts.front() ? ", from " : " ") << Name(S);
    OS << "\n";
  }
  for (const FusionEdge& Edge : Plan.Edges)
    OS << "edge " << Name(Edge.Producer) << " -> " << Name(Edge.Consumer) << ": "
       << (Edge.Fused ? "fused" : "not fused") << " (" << Edge.Reason << ")\n";
}

void printDot(const FusionPlan& Plan, const ProgramModel& Model, llvm::raw_ostream& OS) {
  OS << "digraph fusion {\n  node [shape=box];\n";
  for (const Section& S : Model.Sections)
    OS << "  " << S.Ident << " [label=\"" << S.Ident << "\\n"
       << nameOf(S.Op) << " at line " << S.At.Line << "\"];\n";
  for (const FusionEdge& Edge : Plan.Edges)
    OS << "  " << Model.Sections[Edge.Producer].Ident << " -> "
       << Model.Sections[Edge.Consumer].Ident << " [label=\"" << Edge.Reason << "\""
       << (Edge.Fused ? "" : ", style=dashed") << "];\n";
  OS << "}\n";
}

} // namespace ikra
