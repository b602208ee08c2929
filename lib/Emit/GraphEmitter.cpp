// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GraphEmitter.h"

#include "Launch.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <functional>
#include <set>

namespace ikra {

std::string GraphEmitter::nodeName(std::size_t N) const {
  const auto IsSame = [&](const FusedNode& Node) { return Node.Section == Graph.Nodes[N].Section; };
  const auto Before = std::count_if(Graph.Nodes.begin() + static_cast<std::ptrdiff_t>(N) + 1,
                                    Graph.Nodes.end(), IsSame);
  return section(N).Ident + (Before == 0 ? "" : "_again_" + std::to_string(Before));
}

std::string GraphEmitter::value(const FusedInput& Input) const {
  if (Input.IsLeaf)
    return leafName(Input.Number);
  return Graph.Uses[Input.Number] > 1 ? "value_" + std::to_string(Input.Number)
                                      : call(Input.Number);
}

std::string GraphEmitter::call(std::size_t N) const {
  std::vector<std::string> Arguments;
  for (const FusedInput& Input : Graph.Nodes[N].Inputs)
    Arguments.push_back(value(Input));
  if (section(N).WithIndex)
    Arguments.emplace_back("index");
  return nodeName(N) + (InTiles && Context.tilesOf(section(N)) ? ".compute_in_tiles(" : "(") +
         llvm::join(Arguments, ", ") + ")";
}

void GraphEmitter::emitMembers() const {
  for (std::size_t N = Graph.Nodes.size(); N-- > 0;)
    if (Graph.InBody[N])
      Out.line(section(N).Ident + "_device::body " + nodeName(N) + ";");
}

void GraphEmitter::emitTraits(bool IsGiven) const {
  if (Graph.Diverges)
    Out.line("static constexpr bool diverges = true;");
  else if (Graph.Repeats)
    Out.line("static constexpr bool repeats = true;");
  if (IsGiven && Graph.IsLong)
    Out.line("static constexpr bool has_many_operations = true;");
}

void GraphEmitter::emitIndex(llvm::StringRef Type) const {
  std::vector<std::string> Told;
  for (std::size_t N = 0; N < Graph.Nodes.size(); ++N)
    if (Graph.InBody[N] && Context.namesIndex(section(N)))
      Told.push_back("name_index(of." + nodeName(N) + ", index);");
  if (!Told.empty())
    Out.line("friend IKRA_DEVICE void name_index(" + Type.str() + "& of, std::uint64_t index) { " +
             llvm::join(Told, " ") + " }");
}

std::string GraphEmitter::indexType() const {
  return section(0).Rank == 1 ? "std::int64_t" : "const ikra::index<" + rank() + ">&";
}

std::vector<std::string> GraphEmitter::parameters() const {
  std::vector<std::string> All;
  for (std::size_t L = 0; L < Graph.Leaves.size(); ++L)
    All.push_back(leafType(Graph.Leaves[L]) + " " + leafName(L));
  if (Graph.WithIndex)
    All.push_back(indexType() + " index");
  return All;
}

void GraphEmitter::declareValues(std::size_t FromNode) const {
  std::set<std::size_t> Seen;
  const std::function<void(std::size_t)> Declare = [&](std::size_t N) {
    if (!Seen.insert(N).second)
      return;
    for (const FusedInput& Input : Graph.Nodes[N].Inputs)
      if (!Input.IsLeaf)
        Declare(Input.Number);
    if (Graph.InBody[N] && Graph.Uses[N] > 1)
      Out.line("const auto value_" + std::to_string(N) + " = " + call(N) + ";");
  };
  for (std::size_t N = Graph.Nodes.size(); N-- > FromNode;)
    Declare(N);
}

std::vector<std::string> GraphEmitter::declareMembers(const char* RootPrefix) const {
  std::vector<std::string> Members;
  for (std::size_t N = Graph.Nodes.size(); N-- > 0;) {
    if (Graph.InBody[N])
      Members.push_back(nodeName(N));
    const std::string Roots = *RootPrefix ? RootPrefix + std::to_string(N) + "_" : "";
    declareBody(Context, section(N), section(0), nodeName(N),
                "call.node(" + std::to_string(N) + ")", Roots, Out);
  }
  return Members;
}

} // namespace ikra
