// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FusedStencils.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace ikra {

static std::string stage(std::size_t N) { return "stage_" + std::to_string(N); }
static std::string outside(std::size_t N) { return "outside_" + std::to_string(N); }

/// The function that computes a node at a spot: the body itself for the last section.
static std::string function(std::size_t N) {
  return N == 0 ? "operator()" : "element_" + std::to_string(N);
}

/// How far the body reaches: a place is inside if all that its computation comes by is.
std::string FusedStencils::reachText() const {
  const unsigned Rank = section(0).Rank;
  struct Hull {
    Offset Least, Most;
  };
  std::vector<Hull> Hulls(Kernel.Nodes.size()); // where each node is computed; nodes stand behind
                                                // what uses them
  Hulls.front() = {Offset(Rank, 0), Offset(Rank, 0)};
  Hull All = Hulls.front();
  bool First = true;
  const auto Widen = [&](Hull& H, const Hull& By) {
    if (H.Least.empty())
      H = By;
    for (unsigned D = 0; D < Rank; ++D) {
      H.Least[D] = std::min(H.Least[D], By.Least[D]);
      H.Most[D] = std::max(H.Most[D], By.Most[D]);
    }
  };
  for (std::size_t N = 0; N < Kernel.Nodes.size(); ++N) {
    Hull Read = Hulls[N];
    if (section(N).Op == Operation::PStencil) {
      for (unsigned D = 0; D < Rank; ++D) {
        const auto [Least, Most] = section(N).spanOf(D);
        Read.Least[D] += Least;
        Read.Most[D] += Most;
      }
      if (First)
        All = Read;
      First = false;
      Widen(All, Read);
    }
    for (const FusedInput& Input : Kernel.Nodes[N].Inputs)
      if (!Input.IsLeaf)
        Widen(Hulls[Input.Number], Read);
  }
  std::vector<std::string> Spans;
  for (unsigned D = 0; D < Rank; ++D)
    Spans.push_back("ikra::rt::span<" + std::to_string(All.Least[D]) + ", " +
                    std::to_string(All.Most[D]) + ">");
  return "ikra::rt::reach<" + llvm::join(Spans, ", ") + ">";
}

/// A function that computes the node \p Root at a spot, with all that it uses there: up to the
/// inputs of stencils, which are functions of their own.
void FusedStencils::emitRegion(std::size_t Root, CodeWriter& Out) const {
  std::map<std::size_t, unsigned> Uses{{Root, 1}};
  for (std::size_t N = Root; N < Kernel.Nodes.size(); ++N)
    if (Uses.contains(N) && section(N).Op != Operation::PStencil)
      for (const FusedInput& Input : Kernel.Nodes[N].Inputs)
        if (!Input.IsLeaf)
          ++Uses[Input.Number];
  const auto Leaf = [](const std::string& Spot, std::size_t L) {
    return Spot + ".template element<" + std::to_string(L) + ">()";
  };
  // Stencils have names too, so that lines stay short.
  const auto HasName = [&](std::size_t N) {
    return N != Root && (Uses[N] > 1 || section(N).Op == Operation::PStencil);
  };
  std::function<std::string(std::size_t)> Value;
  const auto Call = [&](std::size_t N) {
    const Section& S = section(N);
    const std::vector<FusedInput>& Inputs = Kernel.Nodes[N].Inputs;
    if (S.Op == Operation::PStencil) {
      const FusedInput& From = Inputs.front();
      const std::string Element =
          From.IsLeaf ? "[](const auto& near) { return " + Leaf("near", From.Number) + "; }"
                      : "[this](const auto& near) { return " + function(From.Number) + "(near); }";
      return "ikra::rt::stencil_at<" + Context.typeText(S.Result) + ", " + S.Ident +
             "_device::reach, ikra::rt::border::" + nameOf(S.AtBorder) + ", " +
             (S.WithIndex ? "true" : "false") + ">(spot, " + stage(N) + ", " +
             (hasBorderValue(N) ? outside(N) : "ikra::rt::no_value()") + ", " + Element + ")";
    }
    std::vector<std::string> Arguments;
    for (const FusedInput& Input : Inputs)
      Arguments.push_back(Input.IsLeaf ? Leaf("spot", Input.Number) : Value(Input.Number));
    if (S.WithIndex)
      Arguments.emplace_back("spot.place()");
    return stage(N) + "(" + llvm::join(Arguments, ", ") + ")";
  };
  Value = [&](std::size_t N) { return HasName(N) ? "value_" + std::to_string(N) : Call(N); };
  Out.open("IKRA_DEVICE auto " + function(Root) + "(const auto& spot) const {");
  for (std::size_t N = Kernel.Nodes.size(); N-- > Root + 1;)
    if (const auto It = Uses.find(N); It != Uses.end() && HasName(N))
      Out.line("const auto value_" + std::to_string(N) + " = " + Call(N) + ";");
  Out.line("return " + Call(Root) + ";");
  Out.close();
}

bool FusedStencils::hasPlainBorder() const {
  unsigned Stencils = 0;
  for (std::size_t N = 0; N < Kernel.Nodes.size(); ++N)
    if (section(N).Op == Operation::PStencil) {
      ++Stencils;
      if (section(N).AtBorder != Border::Value && section(N).AtBorder != Border::Keep)
        return false;
    }
  return Stencils == 1;
}

void FusedStencils::emitBody(CodeWriter& Out) const {
  std::set<std::size_t> Roots{0};
  for (std::size_t N = 0; N < Kernel.Nodes.size(); ++N)
    if (section(N).Op == Operation::PStencil && !Kernel.Nodes[N].Inputs.front().IsLeaf)
      Roots.insert(Kernel.Nodes[N].Inputs.front().Number);
  Out.open("struct " + Name + " {");
  Out.line("using reach = " + reachText() + ";");
  if (hasPlainBorder())
    Out.line("static constexpr bool has_plain_border = true;");
  if (llvm::none_of(llvm::seq(Kernel.Nodes.size()),
                    [&](std::size_t N) { return section(N).WithIndex; }))
    Out.line("static constexpr bool ignores_index = true;");
  for (std::size_t N = Kernel.Nodes.size(); N-- > 0;)
    Out.line(section(N).Ident + "_device::body " + stage(N) + ";");
  for (std::size_t N = Kernel.Nodes.size(); N-- > 0;)
    if (hasBorderValue(N))
      Out.line(Context.typeText(section(N).Result) + " " + outside(N) + ";");
  // A function whose type is deduced stands in front of those that call it.
  for (const std::size_t Root : llvm::reverse(Roots)) {
    Out.line("");
    emitRegion(Root, Out);
  }
  Out.close("};");
}

std::vector<std::string> FusedStencils::borderValues() const {
  std::vector<std::string> Values;
  for (std::size_t N = Kernel.Nodes.size(); N-- > 0;)
    if (hasBorderValue(N))
      Values.push_back("call.outside<" + Context.typeText(section(N).Result) + ">(" +
                       std::to_string(N) + ")");
  return Values;
}

std::string FusedStencils::launch() const {
  std::vector<std::string> Arguments{Context.typeText(section(0).Result), Name + "::reach"};
  for (const FusedLeaf& L : Kernel.Leaves)
    Arguments.push_back(Context.typeText(section(L.Node).Elements[L.Input]));
  return "s.stencils_computed<" + llvm::join(Arguments, ", ") + ">(";
}

} // namespace ikra
