// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a section needs on the device: the views of its element, one for each class that it can
// have, the functions that take them, the body of the kernel, and the driver that the runtime
// calls.

#ifndef IKRA_EMIT_SECTIONEMITTER_H
#define IKRA_EMIT_SECTIONEMITTER_H

#include "BodyWriter.h"
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
  static void emitInfo(const std::string& Name, const Section& S,
                       const std::vector<ColumnUse>& Uses, CodeWriter& Out);
  /// A kernel for several sections.
  static void emitFused(EmitContext& Context, const FusedKernel& Kernel, CodeWriter& Out);
  /// Kernels for results that are computed together, in the unit's namespace.
  static void emitTogether(EmitContext& Context, const JointResults& Results, CodeWriter& Out);
  /// What tells the runtime of them, in the global namespace: a table for each place in the text,
  /// with the kernels of all instantiations.
  static void emitTogetherTables(EmitContext& Context, const std::vector<JointResults>& All,
                                 CodeWriter& Out);
  /// A kernel for any sequence of a loop's sections, in the unit's namespace.
  static void emitLoop(EmitContext& Context, const LoopKernel& Loop, CodeWriter& Out);
  /// What tells the runtime of it, in the global namespace.
  static void emitLoopTables(EmitContext& Context, const LoopKernel& Loop, CodeWriter& Out);

private:
  void emitReach();
  void emitElements();
  void emitFunctions();
  void emitBody();
  void emitKnownBody();
  void emitObjectOperators(BodyWriter& Code);
  void emitValueOperator(BodyWriter& Code);
  std::vector<std::string> captureMembers(const BodyWriter& Code);

  EmitContext& Context;
  const Section& S;
  CodeWriter& Out;
};

/// Declares the body of \p S in a driver that launches \p Last.
/// \p Name of the variable \p Stage has the captures \p RootPrefix of captured objects' names
void declareBody(EmitContext& Context, const Section& S, const Section& Last,
                 const std::string& Name, const std::string& Stage, const std::string& RootPrefix,
                 CodeWriter& Out);
/// The class of what the section's driver is given.
std::string callType(const Section& S);
/// The name of a fused kernel's body in emitted code.
std::string nameOf(const FusedKernel& Kernel, const ProgramModel& Model);
std::string nameOf(const LoopKernel& Loop, const ProgramModel& Model);
/// The name of an emitted class alias: Car_class.
std::string classAlias(const EmitContext& Context, Index Class);
/// "Car_class, Bus_class" for the classes that objects of static class \p Static can have.
std::string classList(const EmitContext& Context, Index Static);
/// "ikra::rt::references<::Actor, Car_class, Bus_class>".
std::string references(EmitContext& Context, Index Static);
/// True where the driver loops over the ticks and the body is given each: launches over values have
/// none.
bool ticksOutside(const Section& S);

} // namespace ikra

#endif
