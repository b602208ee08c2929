// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel for several sections, as a directed graph without cycles: the sections whose results
// it gives come first, and each section after all that use its result. Fused kernels and kernels of
// results that are asked for together are such graphs; Emit writes both from what stands here.

#ifndef IKRA_FUSION_KERNELGRAPH_H
#define IKRA_FUSION_KERNELGRAPH_H

#include "Model/ProgramModel.h"

namespace ikra {

/// What kernels run on.
enum class Device { Gpu, Cores };

/// Where an input of a node comes from.
struct FusedInput {
  bool IsLeaf = false;    ///< an array in memory
  std::size_t Number = 0; ///< of the node or of the leaf
  friend bool operator==(const FusedInput&, const FusedInput&) = default;
};

struct FusedNode {
  Index Section;
  std::vector<FusedInput> Inputs;
  /// What outlives the kernel holds its result: a variable that the next turn of a loop reads.
  bool IsKept = false;
  /// \returns whether both compute the same
  friend bool operator==(const FusedNode& A, const FusedNode& B) {
    return A.Section == B.Section && A.Inputs == B.Inputs;
  }
};

/// An array that a kernel reads: the input \p Input of the node \p Node.
struct FusedLeaf {
  std::size_t Node;
  std::size_t Input;
};

/// A node whose result is stored by a kernel of its own, if something else holds it: others may
/// read it, and would compute it anew.
struct HeldNode {
  std::size_t Node;
  bool OnCoresAlone; ///< a GPU computes it anew
  /// Nobody is seen who would read it again: only where it was computed in passing before.
  bool FromSecondTime;
  std::string Reason;
};

/// What stencils read around a location, in one dimension: offsets.
struct Footprint {
  std::int64_t Least = 0;
  std::int64_t Most = 0;
};

struct KernelGraph {
  std::vector<FusedNode> Nodes;
  std::vector<FusedLeaf> Leaves;
  /// Nodes that the kernel has only where nothing else holds their results.
  std::vector<HeldNode> Held;
  std::size_t Results = 1; ///< nodes that give results: the first ones, arrays before reductions

  // What follows from these is filled by complete().

  /// The nodes whose results the body computes at a location. What reductions, scans and selections
  /// do with them is theirs: such nodes are outside.
  std::vector<bool> InBody;
  /// Of how many nodes each is an input; an array that the body gives with others counts too. What
  /// is used more than once is computed once and has a name.
  std::vector<unsigned> Uses;
  bool WithIndex = false; ///< the body takes the element's index
  /// By dimension, of all stencils, with what they need to compute their inputs' neighbours; empty
  /// where there are no stencils.
  std::vector<Footprint> Halo;
  /// Whether all there is to know of a location is whether its neighbours lie inside.
  bool HasPlainBorder = false;
  /// Whether its one stencil reads an array, and each member of neighbours from one of them.
  bool ReadsMembersOnce = false;

  /// The number of turns of some loop in the body depends on the element.
  bool Diverges = false;
  /// Some loop in the body turns more than a few times, or may.
  bool Repeats = false;
  /// Its operations take longer than storing what they give.
  bool IsLong = false;

  /// The results, all of them arrays, in an order in which each can be computed from elements and
  /// from those before it: on all cores, a block of one after a block of the other. Empty where one
  /// loop computes all of them at a location.
  std::vector<std::size_t> PartsInTurn;

  bool hasStencils() const { return !Halo.empty(); }
  const Section& section(std::size_t N, const ProgramModel& Model) const {
    return Model.Sections[Nodes[N].Section];
  }
  void complete(const ProgramModel& Model);
};

} // namespace ikra

#endif
