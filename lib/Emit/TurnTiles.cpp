// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that a device goes through several turns at a time: what is written in front of the loop as
// turns one by one, which then has what is left.

#include "TurnEmitter.h"

#include "llvm/ADT/StringExtras.h"

namespace ikra {

/// The launch of which a loop's turns are done several at once; null if they are not.
const TurnLaunch* TurnEmitter::inTiles(const TurnSteps& Body, const TurnPlan& By) const {
  for (const TurnStep& Step : Body)
    if (Step.Is == TurnStep::Run)
      if (const std::optional<TurnLaunch>& Launch = By.Launches[Step.Number];
          Launch && (Launch->InTiles || Launch->InTilesOnCores))
        return &*Launch;
  return nullptr;
}

/// A function object with all code of a turn.
void TurnEmitter::codesInTiles(const TurnSteps& Body, const TurnSteps& Test,
                               const std::string& BodyPrefix, const std::string& TestPrefix,
                               const std::string& Number) {
  if (inTiles(Body, *Plan) == nullptr &&
      (Plan->OnCores.empty() || inTiles(Body, Plan->OnCores.front()) == nullptr))
    return;
  std::vector<std::string> Codes;
  const auto Add = [&](const TurnSteps& Steps, const std::string& Prefix) {
    for (std::size_t K = 0; K < Steps.size(); ++K)
      if (Steps[K].Is == TurnStep::Code)
        Codes.push_back(name("code" + Prefix + "_" + std::to_string(K)));
  };
  Add(Body, BodyPrefix);
  Add(Test, TestPrefix);
  Out.open("struct " + name("codes" + Number) + " {");
  Out.open("IKRA_DEVICE void operator()(" + name("scalars") + "&" + (Codes.empty() ? "" : " s") +
           ") const {");
  for (const std::string& Code : Codes)
    Out.line(Code + "{}(s);");
  Out.close();
  Out.close("};");
}

void TurnEmitter::turnsInTiles(const TurnSteps& Body, const std::vector<std::size_t>& Carried,
                               const std::string& Number) {
  const TurnLaunch* const Launch = inTiles(Body, *Plan);
  if (Launch == nullptr)
    return;
  const bool IsOfCores = *OnCores != '\0';
  if (Launch->InTiles && !IsOfCores)
    turnsInTiles(*Launch, *Launch->InTiles, "repeat_in_tiles", Carried, Number);
  if (Launch->InTilesOnCores && (IsOfCores || Plan->OnCores.empty()))
    turnsInTiles(*Launch, *Launch->InTilesOnCores, "repeat_in_host_tiles", Carried, Number);
}

void TurnEmitter::turnsInTiles(const TurnLaunch& Launch, const TurnTiles& Tiles,
                               const std::string& Method, const std::vector<std::size_t>& Carried,
                               const std::string& Number) {
  const std::size_t Command = Launch.Results.front();
  std::vector<std::string> Sets;
  for (const std::size_t Array : Tiles.Set)
    Sets.push_back(Of.Arrays[Array].Name + " = result;");
  const std::string Turns = "ikra::rt::turns_in_tiles<" + std::to_string(Tiles.Steps) + ", " +
                            std::to_string(Tiles.Alone) + ", " + name("goes_on" + Number) + ", " +
                            name("codes" + Number) + ">";
  Out.line("t." + Method + "<" + Turns + ", " + Context.typeText(section(Command).Result) + ">(" +
           space(Of.Commands[Command].Over) + ", " + makerName(Command, "body") + "{}, " +
           Of.Arrays[Tiles.Input].Name + ", " + addresses(Carried) + ", " +
           addresses(Tiles.Missing) + ", [&](const auto& result) { " + llvm::join(Sets, " ") +
           " });");
}

} // namespace ikra
