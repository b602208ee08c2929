// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What device code knows of objects: access to their members, the columns that these lie in, and
// their description for the runtime.

#ifndef IKRA_EMIT_COLUMNEMITTER_H
#define IKRA_EMIT_COLUMNEMITTER_H

#include "Emit/Code/CodeWriter.h"
#include "Emit/Code/EmitContext.h"

namespace ikra {

class ColumnEmitter {
public:
  explicit ColumnEmitter(EmitContext& Context)
      : Context(Context), Model(Context.Model), Layout(Context.Layout) {}

  /// In the global namespace.
  void access(CodeWriter& Out);
  /// In the unit's namespace.
  void columns(CodeWriter& Out);

private:
  static void bitFieldAccess(const Member& Of, const std::string& Class, CodeWriter& Out);
  void records(CodeWriter& Out);
  void columnsView(CodeWriter& Out, bool Checked);
  static void reportingColumnsView(CodeWriter& Out);
  void layout(CodeWriter& Out);
  std::string columnInfo(const Column& C);
  bool isFamilyDispatched(Index Family) const;

  EmitContext& Context;
  const ProgramModel& Model;
  const LayoutPlan& Layout;
};

} // namespace ikra

#endif
