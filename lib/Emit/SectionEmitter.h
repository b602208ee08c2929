// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a section needs on the device: the views of its element, one for each class that it can
// have, the functions that take them, the body of the kernel, and the driver that the runtime
// calls.

#ifndef IKRA_EMIT_SECTIONEMITTER_H
#define IKRA_EMIT_SECTIONEMITTER_H

#include "BodyPrinter.h"
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
  /// A kernel for several sections.
  static void emitFused(EmitContext& Context, const FusedKernel& Kernel, CodeWriter& Out);

private:
  void emitColumns();
  void emitElements();
  void emitFunctions();
  void emitBody();
  void emitObjectOperators(const BodyPrinter& Code);
  void emitValueOperator(BodyPrinter& Code);
  std::vector<std::string> captureMembers(const BodyPrinter& Code);

  EmitContext& Context;
  const Section& S;
  CodeWriter& Out;
};

/// The class of what the section's driver is given.
std::string callType(const Section& S);
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
