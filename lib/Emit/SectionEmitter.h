// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a section needs on the device: the views of its element, one for each class that it can
// have, the functions that take them, the body of the kernel, and the driver that the runtime
// calls.

#ifndef IKRA_EMIT_SECTIONEMITTER_H
#define IKRA_EMIT_SECTIONEMITTER_H

#include "Emit/Code/BodyWriter.h"
#include "Fusion/Fusion.h"

namespace ikra {

class SectionEmitter {
public:
  SectionEmitter(EmitContext& Context, const Section& S, CodeWriter& Out);

  /// In the unit's namespace: column uses, and a namespace of the section's own with its device
  /// code.
  void emitDeviceCode();
  /// In the global namespace.
  void emitDriver();

  /// Device code of the functions that no section's element is given to; once for the unit.
  static void emitSharedFunctions(EmitContext& Context, CodeWriter& Out);
  /// What describes a section, or several that are fused, to the runtime: its place, its columns.
  static void emitInfo(const std::string& Name, const ProgramModel& Model, const Section& S,
                       const std::vector<ColumnUse>& Uses, CodeWriter& Out);
  /// What tells the launch that a body has a form for threads that share what they read.
  /// \param Longest how many elements each loop goes through
  static void emitTilesHead(const std::vector<std::string>& Longest, CodeWriter& Out);
  /// A kernel for several sections.
  /// \param Columns that the sections use, together
  static void emitFused(EmitContext& Context, const FusedKernel& Kernel,
                        const std::vector<ColumnUse>& Columns, CodeWriter& Out);
  /// Its body alone, named as the kernel.
  static void emitFusedBody(EmitContext& Context, const FusedKernel& Kernel, CodeWriter& Out);
  /// The same of one that gives several arrays' elements.
  static void emitBodyOfArrays(EmitContext& Context, const FusedKernel& Kernel, CodeWriter& Out);
  /// The same as it stores the results of held nodes, where it may.
  static void emitStoring(EmitContext& Context, const FusedKernel& Kernel, CodeWriter& Out);
  /// Kernels for results that are computed together, in the unit's namespace.
  static void emitHorizontal(EmitContext& Context, const HorizontalGroup& Results, CodeWriter& Out);
  /// What tells the runtime of them, in the global namespace: a table for each place in the text,
  /// with the kernels of all instantiations.
  static void emitHorizontalTables(EmitContext& Context, const std::vector<HorizontalGroup>& All,
                                   CodeWriter& Out);
  /// A kernel for any sequence of a loop's sections, in the unit's namespace.
  static void emitLoop(EmitContext& Context, const LoopKernel& Loop, CodeWriter& Out);
  /// What tells the runtime of it, in the global namespace.
  static void emitLoopTables(EmitContext& Context, const LoopKernel& Loop, CodeWriter& Out);

private:
  void emitFootprint();
  void emitElements();
  void emitFunctions();
  void emitBody();
  void emitKnownBody();
  void emitCode(BodyWriter& Code);
  /// The operators of a section over objects, one for each class (SectionEmitterObjects.cpp).
  void emitObjectOperators(BodyWriter& Code);
  struct ObjectCall;
  struct OwnMember;
  ObjectCall callOfCode(BodyWriter& Code) const;
  std::vector<OwnMember> ownMembers(Index Class) const;
  void emitObjectOperator(BodyWriter& Code, const ObjectCall& Call, Index Class,
                          const std::vector<OwnMember>& Own, bool ManyTicks);
  void emitElement(Index Class, const std::vector<OwnMember>& Own, bool InRegisters);
  void emitTicksOfElement(const std::string& Call, const std::vector<OwnMember>& Own,
                          bool InRegisters);
  /// The loop over the ticks, of which there is at least one: the runtime runs nothing for none.
  void emitTicks(const std::string& Call, const std::string& First);
  void emitValueOperator(BodyWriter& Code);
  void emitCopyOperator(BodyWriter& Code);
  /// What code gives, as the program has it.
  std::string asInProgram(const std::string& Result);
  void emitSideBySide(BodyWriter& Code, const SideBySide& Plan);
  void emitInTiles(BodyWriter& Code, const ArrayTiles& Plan);

  EmitContext& Context;
  const Section& S;
  CodeWriter& Out;
};

std::string nameOf(const LoopKernel& Loop, const ProgramModel& Model);

} // namespace ikra

#endif
