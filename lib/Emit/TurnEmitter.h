// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes turns: what runs a host section's loop on the device (docs/turns.md).

#ifndef IKRA_EMIT_TURNEMITTER_H
#define IKRA_EMIT_TURNEMITTER_H

#include "Emit.h"
#include "Emit/Code/CodeWriter.h"
#include "Emit/Code/EmitContext.h"

namespace ikra {

class TurnEmitter {
public:
  TurnEmitter(EmitContext& Context, const EmitInput& Input, std::size_t Number, CodeWriter& Out)
      : Context(Context), Of(Input.Loops.Turns[Number]), Plan(&Input.Turns[Number]), Out(Out) {}

  /// In the unit's namespace: scalars, and the code over them.
  void emitCode();
  /// In the global namespace: the function that the host text calls.
  void emitRun();
  /// Its declaration, in front of the host text.
  static void declareTags(const std::vector<Turn>& Turns, CodeWriter& Out);
  /// What finds the instantiations of templates: in front of the host text, and at the end. \{
  static void declareTemplates(const ProgramModel& Model, const std::vector<Turn>& Turns,
                               CodeWriter& Out);
  static void defineTemplates(const ProgramModel& Model, const std::vector<Turn>& Turns,
                              CodeWriter& Out);
  /// \}
  static void declare(const ProgramModel& Model, const Turn& Of, CodeWriter& Out);

private:
  std::string name(llvm::StringRef Part) const { return Of.Ident + "_" + Part.str(); }
  void kernels();
  void makers();
  void maker(const std::string& Name, const std::vector<std::size_t>& Commands,
             const std::string& Value);
  void functor(const std::string& Result, bool IsConst, const std::set<std::string>& Scalars,
               llvm::function_ref<void()> Body);
  void test(const std::string& Name, const body::ExprRef& Condition);
  void reader(const TurnStep& Step, const std::string& Number);
  std::string view(const TurnInput& Input, std::size_t Rank);
  std::string addresses(const std::vector<std::size_t>& Arrays) const;
  void codeOf(const TurnSteps& Steps, const std::string& Prefix);
  std::string body(std::size_t Command);
  std::string bodyAlone(std::size_t Command);
  bool hasBorderValue(std::size_t Command) const;
  std::string borderValue(std::size_t Command) const;
  static std::string capturedName(std::size_t Command, std::size_t Capture);
  std::string views(const std::vector<std::size_t>& Commands);
  unsigned rankOf(const TurnInput& Input) const;
  std::size_t spaceOf(const TurnInput& Input) const;
  static std::string space(std::size_t Number) { return "space_" + std::to_string(Number); }
  const Section& section(std::size_t Command) const {
    return Context.Model.Sections[*Of.Commands[Command].Section];
  }
  std::vector<std::size_t> commandsOf(const TurnLaunch& Launch) const;
  std::string text(const TurnInput& Input) const;
  struct LoopEnd : TurnEnd {
    std::string Test; ///< the function object that does it
  };
  void steps(const TurnSteps& Steps, const std::string& Prefix, const LoopEnd* End = nullptr);
  void noteTail(const TurnTail& Then, const std::string& Prefix, const LoopEnd* End,
                std::set<std::size_t>& Done);
  void end(const std::string& Name, const TurnSteps& Body, const TurnSteps& Test,
           const std::string& BodyPrefix, const std::string& TestPrefix, const std::string& GoesOn);
  void turn(const TurnSteps& Body, const TurnSteps& Test, const std::string& BodyPrefix,
            const std::string& TestPrefix, const std::string& Number);
  static std::string endOf(const TurnSteps& Body, const TurnSteps& Test,
                           const std::string& Number) {
    return (lastCode(Body, Test) ? "ends" : "goes_on") + Number;
  }
  const TurnLaunch* inTiles(const TurnSteps& Body, const TurnPlan& By) const;
  void turnsInTiles(const TurnLaunch& Launch, const TurnTiles& Tiles, const std::string& Method,
                    const std::vector<std::size_t>& Carried, const std::string& Number);
  void codesInTiles(const TurnSteps& Body, const TurnSteps& Test, const std::string& BodyPrefix,
                    const std::string& TestPrefix, const std::string& Number);
  void turnsInTiles(const TurnSteps& Body, const std::vector<std::size_t>& Carried,
                    const std::string& Number);
  void launch(std::size_t Command, std::optional<std::size_t> Stored = std::nullopt);
  void reduction(std::size_t Command, std::optional<std::size_t> Stored);
  std::string indexRank(std::size_t Command) const;
  void byIndex(std::size_t Command);
  void byIndices(std::size_t Stored);
  std::string operand(const TurnInput& Input, std::size_t Stored);
  std::string computed(const TurnLaunch& Launch, const Type& Element, std::size_t Command,
                       std::size_t Stored);
  // In one block of a GPU.
  bool isStored(std::size_t Command) const;
  bool reads(const TurnLaunch& Launch, const TurnInput& Array) const;
  bool reads(llvm::ArrayRef<TurnStep> Steps, const TurnInput& Array) const;
  bool isLastUse(const TurnSteps& Steps, std::size_t At) const;
  void launchInBlock(std::size_t Command);
  void reductionInBlock(std::size_t Command);
  void stepsInBlock(const TurnSteps& Steps, const std::string& Prefix,
                    std::optional<std::size_t> Without = std::nullopt);
  void turnInBlock(const TurnSteps& Body, const TurnSteps& Test, const std::string& BodyPrefix,
                   const std::string& TestPrefix);
  std::vector<TurnBuffers> inBlock() const;
  void emitBlock();
  void runInBlock(const std::vector<std::size_t>& Assigned);

  void sizesIn(std::size_t Space);
  void enters();
  std::vector<std::size_t> placesGiven() const;
  std::string given(std::size_t Array, std::size_t Place) const;
  void addArrays();
  void shapes();
  void run(const std::string& Head, const std::string& Arguments);
  /// Goes on with what all cores launch.
  void turnToCores() {
    Plan = &Plan->OnCores.front();
    OnCores = "_on_cores";
  }
  std::string changedIn(const std::vector<const TurnSteps*>& Steps) const;
  std::string arrayType(const TurnArray& Array) {
    return "ikra::rt::turn_array<" + Context.typeText(Array.Element) + ">";
  }
  std::string makerName(std::size_t Command, const char* What) const {
    return name(std::string(What) + "_" + std::to_string(Command)) + OnCores;
  }

  EmitContext& Context;
  const Turn& Of;
  const TurnPlan* Plan;          ///< of the device whose code is written
  const char* OnCores = "";      ///< what names have at their ends, where cores have other kernels
  std::vector<std::string> Tail; ///< of the reduction that is written: what follows it
  CodeWriter& Out;
};

} // namespace ikra

#endif
