// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop tests of shapes before its turns: where they do not fit, it runs as it is written.

#include "TurnEmitter.h"

#include <cstdlib>
#include <set>

namespace ikra {

/// Sets the scalars that are sizes in a space, whose shape is known from here on.
void TurnEmitter::sizesIn(std::size_t Space) {
  for (const TurnScalar& Scalar : Of.Scalars)
    if (Scalar.Is && Scalar.Is->Space == Space) {
      const std::optional<unsigned> Dimension = Scalar.Is->Dimension;
      Out.line("t.scalars()." + Scalar.Name + " = static_cast<" + Context.typeText(Scalar.Ty) +
               ">(" + space(Space) +
               (Dimension ? ".shape[" + std::to_string(*Dimension) + "]" : ".shape.volume()") +
               ");");
    }
}

/// Finds the shapes of all spaces. What has others runs as written.
void TurnEmitter::shapes() {
  std::set<std::size_t> Known;
  for (std::size_t N = 0; N < Of.Spaces.size(); ++N)
    if (Of.Spaces[N].IsGiven) {
      Known.insert(N);
      sizesIn(N);
    }
  for (std::size_t K = 0; K < Of.Shapes.size(); ++K) {
    const std::size_t Space = Of.Shapes[K].Space;
    Out.line("if (!t.set_shape(" + space(Space) + ", " + name("shape_") + std::to_string(K) +
             "{}(t.scalars())))");
    Out.line("  return false;");
    if (Known.insert(Space).second)
      sizesIn(Space);
  }
  for (std::size_t N = 0; N < Of.Spaces.size(); ++N) {
    if (Of.Spaces[N].IsRunOver) {
      Out.line("if (!t.runs_over(" + space(N) + "))");
      Out.line("  return false;");
    }
    if (Known.contains(N))
      Out.line("t.depends_on_shape(" + space(N) + ");");
  }
  for (const TurnCover& Cover : Of.Covers) {
    const auto Extent = [&](std::size_t Space, unsigned Dimension) {
      return space(Space) + ".shape[" + std::to_string(Dimension) + "]";
    };
    const GreatestPlace& Most = Cover.Most;
    const auto Plus = [](std::int64_t Number) {
      return Number == 0 ? "" : (Number < 0 ? " - " : " + ") + std::to_string(std::abs(Number));
    };
    const std::string Over = Extent(Cover.Over, Cover.OverDimension);
    std::string Needed = std::to_string(Most.Plus / Most.Per + Most.Then + 1);
    if (Most.Times == 1 && Most.Plus == 0 && Most.Per == 1)
      Needed = Over + Plus(Most.Then);
    else if (Most.Times != 0) {
      Needed = (Most.Times == 1 ? "" : std::to_string(Most.Times) + " * ") + "(" + Over + " - 1)" +
               Plus(Most.Plus);
      if (Most.Per != 1)
        Needed = "(" + Needed + ") / " + std::to_string(Most.Per);
      Needed += Plus(Most.Then + 1);
    }
    Out.line(
        "if (" +
        (Cover.Elements ? std::to_string(*Cover.Elements) : Extent(Cover.Space, Cover.Dimension)) +
        " < " + Needed + ")");
    Out.line("  return false;");
  }
}

} // namespace ikra
