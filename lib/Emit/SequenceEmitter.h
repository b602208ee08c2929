// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences (docs/sequences.md): the driver that launches their kernels turn after turn, and what
// tells bodies the turn.

#ifndef IKRA_EMIT_SEQUENCEEMITTER_H
#define IKRA_EMIT_SEQUENCEEMITTER_H

#include "Emit.h"
#include "Emit/Code/CodeWriter.h"
#include "Emit/Code/EmitContext.h"

namespace ikra {

class SequenceEmitter {
public:
  SequenceEmitter(EmitContext& Context, const EmitInput& Input, std::size_t Number,
                  CodeWriter& Out);

  /// In the unit's namespace: what the sections use together, and what tells them the turn.
  void emitDeviceCode();
  /// In the global namespace.
  void emitDriver();

  /// In the prologue: tags in the unit's namespace; drivers in the global one. \{
  static void declareTags(const EmitInput& Input, CodeWriter& Out);
  static void declare(const EmitInput& Input, CodeWriter& Out);
  /// \}

private:
  const Section& section(std::size_t Step) const {
    return Context.Model.Sections[Of.Steps[Step].Section];
  }
  std::vector<ColumnUse> columns() const;
  void emitTold(std::size_t Step);
  std::string stepText(std::size_t Step) const;

  EmitContext& Context;
  const Sequence& Of;
  const SequencePlan& Plan;
  CodeWriter& Out;
};

} // namespace ikra

#endif
