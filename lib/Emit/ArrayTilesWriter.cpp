// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that the threads of a GPU's block run together: what they read of captured arrays stands in
// the block's memory, a piece at a time.

#include "Emit/Code/BodyWriter.h"

#include "Model/BodyQueries.h"

namespace ikra {

std::set<std::string> BodyWriter::takenNames() const {
  std::set<std::string> Out = body::namesIn(Body.Statements);
  for (const Capture& C : InSection->Code.Captures)
    Out.insert(C.Name);
  for (const body::Parameter& P : Body.Parameters)
    Out.insert(P.Ident);
  Out.insert(Body.ColumnsView);
  return Out;
}

bool BodyWriter::writeInTiles(const body::ForRange& S, CodeWriter& Out) {
  if (!InTiles || !InTiles->Loops.contains(&S.Body))
    return false;
  Out.open("ikra::rt::in_tiles(" + text(S.Range) + ", [&](" + declaration(S.Variable) + ") {");
  writeTurn(S.Body, /*IsCall=*/true, Out);
  Out.close("});");
  return true;
}

bool BodyWriter::writeInTiles(const body::For& S, CodeWriter& Out) {
  const auto Found = InTiles ? InTiles->Loops.find(&S.Body) : decltype(InTiles->Loops.end()){};
  if (!InTiles || Found == InTiles->Loops.end())
    return false;
  const auto& Counter = std::get<body::Declare>(S.Init->Is);
  const auto& EndsAt = std::get<body::Binary>(S.Condition->Is);
  std::set<std::string> Taken = takenNames();
  for (const auto& [Of, Name] : TileElements)
    Taken.insert(Name);
  std::string Parameters = "const " + Context.text(*Counter.Ty) + " " + Counter.Ident, Lines;
  for (std::size_t K = 0; K < Found->second.size(); ++K) {
    const TiledLine& Line = Found->second[K];
    std::string Element = Line.Array + "_" + Counter.Ident;
    while (!Taken.insert(Element).second)
      Element += '_';
    TileElements[{&S.Body, K}] = Element;
    Parameters += ", const auto& " + Element;
    Lines += ", " + textOf(Line);
  }
  Out.open("ikra::rt::in_tiles<" + Context.text(*Counter.Ty) + ">(" +
           argument(Counter.Values.front()) + ", " + argument(EndsAt.Right) + ", [&](" +
           Parameters + ") {");
  writeTurn(S.Body, /*IsCall=*/true, Out);
  Out.close("}" + Lines + ");");
  for (std::size_t K = 0; K < Found->second.size(); ++K)
    TileElements.erase({&S.Body, K});
  return true;
}

std::string BodyWriter::elementInTile(const body::Expr& E) const {
  if (TileElements.empty())
    return "";
  const auto Read = InTiles->Reads.find(&E);
  return Read == InTiles->Reads.end() ? ""
                                      : TileElements.at({Read->second.Loop, Read->second.Line});
}

/// "xs", or "ikra::rt::line_of<0>(points, 0, 2)".
std::string BodyWriter::textOf(const TiledLine& Of) {
  if (Of.Places.empty())
    return Of.Array;
  std::string Out = "ikra::rt::line_of<" + std::to_string(Of.along()) + ">(" + Of.Array;
  for (const body::ExprRef& Place : Of.Places)
    Out += ", " + (Place ? argument(Place) : "0");
  return Out + ")";
}

} // namespace ikra
