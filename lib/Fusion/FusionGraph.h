// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fusion looks at: which operation gives which one's input. The operations are the program's
// sections, or the uses of them in single calling contexts (Uses.cpp), whose inputs differ from
// call to call.

#ifndef IKRA_FUSION_FUSIONGRAPH_H
#define IKRA_FUSION_FUSIONGRAPH_H

#include "Model/ProgramModel.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace ikra {

class FusionGraph {
public:
  struct Node {
    Index Section;
    /// For each input the node whose result it is, where that can be seen.
    llvm::ArrayRef<std::optional<Index>> Inputs;
    bool IsTemporary; ///< its result is the input of another node and nothing else
    bool IsKept;      ///< its result is needed by others that are not seen
    /// Of the nodes of one instance at most one is computed; 0: it is one by itself.
    std::size_t Instance;
    /// The function around it. All uses are joined as if they stood in one: null.
    const clang::FunctionDecl* Enclosing;
  };

  /// Each section is a node, by its index.
  static FusionGraph ofSections(const ProgramModel& Model) {
    FusionGraph Out(Model);
    for (Index I = 0; I < Model.Sections.size(); ++I) {
      const SectionFlow& Flow = Model.Sections[I].Flow;
      Out.Nodes.push_back({I, Flow.Inputs, Flow.IsTemporary, /*IsKept=*/false, /*Instance=*/0,
                           Model.Sections[I].Site.Enclosing});
    }
    return Out;
  }

  /// Each use of a section is one.
  static FusionGraph ofUses(const ProgramModel& Model) {
    FusionGraph Out(Model);
    for (const SectionUse& Use : Model.Uses)
      Out.Nodes.push_back({Use.Of, Use.Inputs, Use.IsTemporary, Use.IsKept, Use.Instance, nullptr});
    return Out;
  }

  std::size_t size() const { return Nodes.size(); }
  const Node& operator[](Index N) const { return Nodes[N]; }
  const Section& section(Index N) const { return Model.Sections[Nodes[N].Section]; }
  const ProgramModel& model() const { return Model; }

private:
  explicit FusionGraph(const ProgramModel& Model) : Model(Model) {}

  const ProgramModel& Model;
  std::vector<Node> Nodes;
};

} // namespace ikra

#endif
