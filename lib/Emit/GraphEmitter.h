// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emitted forms of all kernel graphs share: a body that has the sections' bodies as
// members, by the sections' names, and computes nodes at a location, and a driver that gives the
// members their captures.

#ifndef IKRA_EMIT_GRAPHEMITTER_H
#define IKRA_EMIT_GRAPHEMITTER_H

#include "Emit/Code/CodeWriter.h"
#include "Emit/Code/EmitContext.h"
#include "Fusion/KernelGraph.h"

#include "llvm/ADT/StringRef.h"

namespace ikra {

class GraphEmitter {
protected:
  /// \p Name of the emitted struct
  GraphEmitter(EmitContext& Context, const KernelGraph& Graph, std::string Name, CodeWriter& Out)
      : Context(Context), Graph(Graph), Name(std::move(Name)), Out(Out) {}
  ~GraphEmitter() = default;

  const Section& section(std::size_t N) const { return Graph.section(N, Context.Model); }
  /// The body of a node: by its section's name, with a number where the section has several nodes.
  std::string nodeName(std::size_t N) const;
  std::string rank() const { return std::to_string(section(0).Rank); }
  std::string indexType() const;

  /// The element of an array that the kernel reads, as the body is given it.
  virtual std::string leafName(std::size_t L) const {
    return Graph.Leaves.size() == 1 ? "x" : "x_" + std::to_string(L);
  }
  std::string leafType(const FusedLeaf& L) const {
    return Context.typeText(section(L.Node).Elements[L.Input]);
  }
  /// What a node is given, and its result, at the body's location.
  std::string value(const FusedInput& Input) const;
  std::string call(std::size_t N) const;

  /// The sections' bodies.
  void emitMembers() const;
  /// What the body says of its code (runtime: body_traits.hpp).
  /// \param IsGiven to a reduction, scan or selection
  void emitTraits(bool IsGiven) const;
  /// In checked builds: what tells them the place that \p Type, which holds them, is called for.
  void emitIndex(llvm::StringRef Type) const;
  /// The parameters of a body that is given elements, and the index where a section takes it.
  std::vector<std::string> parameters() const;
  /// Names what several nodes read, each after what it reads itself.
  /// \param FromNode nodes before it have no names
  void declareValues(std::size_t FromNode) const;
  /// In a driver: declares the sections' bodies, and gives the body's initialisers.
  /// \param RootPrefix before the number of the section, names captured objects
  std::vector<std::string> declareMembers(const char* RootPrefix) const;

  EmitContext& Context;
  const KernelGraph& Graph;
  const std::string Name;
  CodeWriter& Out;
  bool InTiles = false; ///< calls are those of the form for a GPU's block
};

} // namespace ikra

#endif
