// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second stage: which sections share a kernel. Every section has a kernel of its own; beside
// these, trees of sections get one kernel each, which the runtime takes where nothing of the tree
// has been computed yet (DESIGN: fusing never decides whether a program works, only how fast).
// docs/fusion.md describes it.

#ifndef IKRA_FUSION_FUSION_H
#define IKRA_FUSION_FUSION_H

#include "ArrayTiles.h"
#include "FusionGraph.h"
#include "KernelGraph.h"
#include "SideBySide.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace ikra {

/// A kernel that reads more arrays than this runs out of registers for their addresses.
inline constexpr std::size_t MostLeaves = 16;

/// Arrays that one kernel stores: more have too many streams to memory.
inline constexpr std::size_t MostStored = 8;

/// One kernel for several results: over one input, which the program asks for together, or what a
/// fused kernel stores in passing, and its own result after that.
struct HorizontalKernel : KernelGraph {
  /// How many of the results are arrays; the others are reductions.
  std::size_t arrays(const ProgramModel& Model) const;
};

/// One kernel for the sections that lead to one result.
struct FusedKernel : KernelGraph {
  std::string Ident; ///< unique in emitted code
  /// What several nodes use is a node for each of them: their arrays may come from several calls.
  bool IsUnfolded = false;
  /// A section that is not in it, though its result is fused elsewhere: there are kernels with it.
  std::optional<Index> Without;
  /// How many held nodes of another kernel it reads from memory; 0 if it is none of those.
  std::size_t FromHeld = 0;
  /// The stencils before its sections, whose results others read too, are read from memory: what
  /// combines elements cannot be in a stencil's kernel.
  bool AfterStencils = false;
  /// Where it is a row. A stencil's neighbours may be computed anew on a GPU, and all cores read
  /// them from memory.
  std::optional<Device> Only;
  bool OfCores = false; ///< planned for these, though a GPU may have it too
  /// How many elements around each location stencils reach, by dimension, where all cores are to
  /// take the row for arrays of which these are few: their border is computed place by place. Empty
  /// for other rows.
  std::vector<std::int64_t> FewOnCores;
  /// Stencils, each of which reads the one's results before it from a block's memory, or a core's
  /// cache. More than two on all cores alone.
  bool InTiles = false;
  /// On all cores, each section runs over a block of elements before the next one does.
  bool Blocked = false;
  /// The same kernel as it stores its held nodes' results in passing; none where their own kernels
  /// store them before.
  std::optional<HorizontalKernel> Storing;
  /// Numbers those that end with one section and are for some of the program's calls; 0 for others.
  unsigned Path = 0;

  Index last() const { return Nodes.front().Section; }
  /// True if each section but the first gives its result to the one before it, and to no other.
  bool isChain() const;
};

/// Two sections of which one gives the other's input, and what becomes of it.
struct FusionEdge {
  Index Producer;
  Index Consumer;
  bool Fused;
  std::string Reason;
  bool InTiles = false; ///< in a kernel of tiles, where nothing else holds the producer's result
  bool OnCoresAlone = false; ///< in tiles there; the reason has why not on a GPU
  bool OnGpuAlone = false;   ///< fused there; the reason has what both devices take
};

/// One kernel for any sequence of sections that meet in loops of the host: maps of one type of
/// elements to itself.
struct LoopKernel {
  std::vector<Index> Sections; ///< more than one, or one that may follow itself
  std::vector<Index> Starts;   ///< sections without inputs with which a sequence may begin
};

/// Results over one input, and whether they are computed together.
struct HorizontalGroup {
  std::string Ident;                     ///< unique in emitted code
  std::string Tag;                       ///< of the place in the text, for all instantiations
  std::vector<Index> Sections;           ///< that give them
  std::vector<std::string> Variables;    ///< that hold them
  std::vector<HorizontalKernel> Kernels; ///< largest first; none if they are not fused
  std::string Reason;                    ///< why they are fused, or not
  const clang::DeclStmt* Last = nullptr; ///< declares the last of them
};

struct FusionPlan {
  std::vector<FusedKernel> Kernels;
  std::vector<LoopKernel> Loops;
  std::vector<HorizontalGroup> Horizontal;
  /// Sections that may follow themselves, and those before them, if all may run though nobody may
  /// ever ask: chains of their commands are computed before they grow without bound.
  std::vector<Index> Early;
  std::vector<FusionEdge> Edges;
  /// Sections of which all cores compute several results side by side.
  std::map<Index, SideBySide> InLanes;
  /// Sections that a GPU's blocks bring captured arrays to their memory for.
  std::map<Index, ArrayTiles> Tiled;
  /// Kernels for single ways through the calls that there are too many of.
  std::size_t LeftOut = 0;
  /// The analysis left some out too, and each may be the beginning of several.
  bool AreMoreLeftOut = false;
};

FusionPlan planFusion(const ProgramModel& Model);
/// The kernels of single results, with their edges. A section is the number of a node.
FusionPlan planKernels(const FusionGraph& Graph, Device On);
/// Adds what the model's uses say beyond that.
void planUses(const ProgramModel& Model, Device On, FusionPlan& Plan);
/// Adds the kernels of all cores to those of a GPU, as far as the two differ.
void planCores(const ProgramModel& Model, FusionPlan& Plan);
/// Says for which arrays all cores take a completed kernel.
void noteFewOnCores(const ProgramModel& Model, FusedKernel& Kernel);
/// Adds edges that neither the sections nor their uses have, and why.
void noteUnfollowed(const ProgramModel& Model, FusionPlan& Plan);
/// The loops of a program; a section is in one of them at most.
std::vector<LoopKernel> planLoops(const ProgramModel& Model);
/// Sections whose chains may be computed early.
std::vector<Index> planEarly(const ProgramModel& Model);

/// Says which nodes' results are stored if something holds them, and adds the kernels that read
/// them from memory.
void planHeld(const FusionGraph& Graph, FusionPlan& Plan);

/// Whether a section reads elements of captured containers in a loop, as a sparse product does. It
/// waits for memory most of the time, for which a map's many threads make up, and a reduction's few
/// do not.
bool gathers(const ProgramModel& Model, const Section& S);

/// Says which kernels run blocked.
void planBlocked(const ProgramModel& Model, FusionPlan& Plan);

/// Adds kernels of stencils in tiles, with their edges.
void planTiles(const ProgramModel& Model, FusionPlan& Plan);
/// How many steps of a section over its own results a device does at once in tiles; 1: it does not.
std::size_t stepsInTiles(const ProgramModel& Model, Index Section, Device On = Device::Gpu);

/// Says whether the result of a section is fused into another that reads it, but for what it costs
/// that others read it too.
using MayShareKernel = llvm::function_ref<bool(Index Producer, Index Consumer)>;
/// Why a kernel of several results cannot have a section; empty if it can.
std::string obstacleToSeveralResults(const Section& S);
/// Horizontal fusion.
std::vector<HorizontalGroup> planHorizontal(const ProgramModel& Model, MayShareKernel IsFused);

void print(const FusionPlan& Plan, const ProgramModel& Model, llvm::raw_ostream& OS);
/// The same as a graph for dot: sections, and edges with their reasons, dashed where not fused.
void printDot(const FusionPlan& Plan, const ProgramModel& Model, llvm::raw_ostream& OS);

} // namespace ikra

#endif
