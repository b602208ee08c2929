// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FusedStencils.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <functional>
#include <map>
#include <set>

namespace ikra {

static std::string outside(std::size_t N) { return "outside_" + std::to_string(N); }

/// The function that computes a node at an accessor: the body itself for the last section.
static std::string function(std::size_t N) {
  return N == 0 ? "operator()" : "element_" + std::to_string(N);
}

std::string FusedStencils::footprintText() const {
  std::vector<std::string> Extents;
  for (const Footprint& Along : Graph.Halo)
    Extents.push_back("ikra::rt::extent<" + std::to_string(Along.Least) + ", " +
                      std::to_string(Along.Most) + ">");
  return "ikra::rt::footprint<" + llvm::join(Extents, ", ") + ">";
}

/// A function that computes the node \p Root at an accessor, with all that it uses there: up to the
/// inputs of stencils, which are functions of their own.
void FusedStencils::emitRegion(std::size_t Root) const {
  std::map<std::size_t, unsigned> Uses{{Root, 1}};
  for (std::size_t N = Root; N < Graph.Nodes.size(); ++N)
    if (Uses.contains(N) && !isStencil(N))
      for (const FusedInput& Input : Graph.Nodes[N].Inputs)
        if (!Input.IsLeaf)
          ++Uses[Input.Number];
  const auto Leaf = [](const std::string& Accessor, std::size_t L) {
    return Accessor + ".template element<" + std::to_string(L) + ">()";
  };
  // Stencils have names too, so that lines stay short.
  const auto HasName = [&](std::size_t N) { return N != Root && (Uses[N] > 1 || isStencil(N)); };
  std::function<std::string(std::size_t)> Value;
  const auto Call = [&](std::size_t N) {
    const Section& S = section(N);
    const std::vector<FusedInput>& Inputs = Graph.Nodes[N].Inputs;
    if (S.Op == Operation::PStencil) {
      const FusedInput& From = Inputs.front();
      const std::string Element =
          From.IsLeaf
              ? "ikra::rt::leaf_at<" + std::to_string(From.Number) + ">()"
              : "[this](const auto& near) { return this->" + function(From.Number) + "(near); }";
      return "ikra::rt::stencil_at<" + Context.typeText(S.Result) + ", " + S.Ident +
             "_device::footprint, ikra::rt::border::" + nameOf(S.AtBorder) + ", " +
             (S.WithIndex ? "true" : "false") + ">(accessor, " + nodeName(N) + ", " +
             (hasBorderValue(N) ? outside(N) : "ikra::rt::no_value()") + ", " + Element + ")";
    }
    std::vector<std::string> Arguments;
    for (const FusedInput& Input : Inputs)
      Arguments.push_back(Input.IsLeaf ? Leaf("accessor", Input.Number) : Value(Input.Number));
    if (S.WithIndex)
      Arguments.emplace_back("accessor.section_index()");
    const std::string Body = Context.namesIndex(S) ? "ikra::rt::body_at_index(" + nodeName(N) +
                                                         ", accessor.section_index())"
                                                   : nodeName(N);
    return Body + "(" + llvm::join(Arguments, ", ") + ")";
  };
  Value = [&](std::size_t N) { return HasName(N) ? "value_" + std::to_string(N) : Call(N); };
  Out.open("template <class Accessor> IKRA_DEVICE auto " + function(Root) +
           "(const Accessor& accessor) const {");
  for (std::size_t N = Graph.Nodes.size(); N-- > Root + 1;)
    if (const auto It = Uses.find(N); It != Uses.end() && HasName(N))
      Out.line("const auto value_" + std::to_string(N) + " = " + Call(N) + ";");
  Out.line("return " + Call(Root) + ";");
  Out.close();
}

void FusedStencils::emitBody() const {
  std::set<std::size_t> Roots{0};
  for (std::size_t N = 0; N < Graph.Nodes.size(); ++N)
    if (isStencil(N) && !Graph.Nodes[N].Inputs.front().IsLeaf)
      Roots.insert(Graph.Nodes[N].Inputs.front().Number);
  Out.open("struct " + Name + " {");
  Out.line("using footprint = " + footprintText() + ";");
  if (Graph.HasPlainBorder)
    Out.line("static constexpr bool has_plain_border = true;");
  if (Graph.ReadsMembersOnce)
    Out.line("static constexpr bool reads_members_once = true;");
  const auto NamesPlaces = [&](const FusedNode& Node) {
    return Context.namesIndex(Context.Model.Sections[Node.Section]);
  };
  if (!Graph.WithIndex && llvm::none_of(Graph.Nodes, NamesPlaces))
    Out.line("static constexpr bool ignores_index = true;");
  emitMembers();
  for (std::size_t N = Graph.Nodes.size(); N-- > 0;)
    if (hasBorderValue(N))
      Out.line(Context.typeText(section(N).Result) + " " + outside(N) + ";");
  // A function whose type is deduced stands in front of those that call it.
  for (const std::size_t Root : llvm::reverse(Roots)) {
    Out.line("");
    emitRegion(Root);
  }
  Out.close("};");
}

std::vector<std::string> FusedStencils::borderValues() const {
  std::vector<std::string> Values;
  for (std::size_t N = Graph.Nodes.size(); N-- > 0;)
    if (hasBorderValue(N))
      Values.push_back("call.outside<" + Context.typeText(section(N).Result) + ">(" +
                       std::to_string(N) + ")");
  return Values;
}

std::string FusedStencils::launch() const {
  std::vector<std::string> Arguments{Context.typeText(section(0).Result), Name + "::footprint"};
  for (const FusedLeaf& L : Graph.Leaves)
    Arguments.push_back(leafType(L));
  return "s.stencils_computed<" + llvm::join(Arguments, ", ") + ">(";
}

} // namespace ikra
