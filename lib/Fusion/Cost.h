// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels cost, by which Fusion decides where there is a choice: whether neighbours of a
// stencil are computed anew for each place that they are neighbours of, and whether what several
// kernels read is computed once or in each. The figures are counted in the model; docs/fusion.md
// has the rules.

#ifndef IKRA_FUSION_COST_H
#define IKRA_FUSION_COST_H

#include "FusionGraph.h"
#include "KernelGraph.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ikra {

/// Simple 32-bit operations that a GPU does while it moves one byte: an H200 has 30e12/s, and
/// 4.8 TB/s.
inline constexpr double OperationsPerByte = 6;
/// Operations that loading an element takes the time of, where it is in a cache: four arithmetic
/// units share a load unit.
inline constexpr double OperationsPerLoad = 4;
/// The same of one core, for operations of a loop that vectorises, where a byte is stored and
/// loaded again.
inline constexpr double OperationsPerByteOnCores = 1;
/// Operations from which on a kernel's results have loops of their own on all cores, and reductions
/// have their elements computed before. Measured: of fewer, g++ vectorises one loop that does all.
inline constexpr double OperationsOfLong = 16;
/// How often a loop in a section is taken to run; one in a stencil's section runs over the
/// neighbourhood.
inline constexpr double TurnsOfLoop = 16;

/// What a section's code takes for one result, but for loading elements.
/// \p LongOne: what divisions and mathematical functions count
double operationsOf(const ProgramModel& Model, const Section& S, double LongOne = 1);

/// Of an element in memory.
double bytesOf(const Type& Ty);

/// Whether the result of \p Producer is computed in the kernel of \p Consumer.
using FusedEdge = llvm::function_ref<bool(Index Producer, Index Consumer)>;

/// What the kernel that ends with a node takes for a result, in the time of one operation. On a
/// GPU that is the longer of computing and of moving its arrays' elements, on all cores their sum.
/// \p IsFused says which nodes it holds.
double costOf(const FusionGraph& Graph, Index Last, Device On, FusedEdge IsFused);

/// What a kernel computes and moves for a result.
struct KernelWork {
  double Operations;
  double Bytes;
};
/// The same kernel's, with long operations counted as such.
KernelWork workOf(const FusionGraph& Graph, Index Last, FusedEdge IsFused);

} // namespace ikra

#endif
