// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The third stage: how the objects that sections touch become columns. One layout serves all
// sections of a translation unit, so that a resident scope can keep objects on the device between
// them. docs/layout.md describes it.

#ifndef IKRA_LAYOUT_LAYOUT_H
#define IKRA_LAYOUT_LAYOUT_H

#include "Fusion/Fusion.h"

namespace ikra {

enum class ColumnKind {
  Value,
  Record, ///< several members side by side: read through references, never written
  Reference,
  ValueList,
  ReferenceList
};

struct Column {
  std::vector<Index> Members; ///< one, but for records
  ColumnKind Kind;
  std::string Ident;          ///< field of the emitted columns view
  unsigned Alignment = 0;     ///< of records, in bytes
  std::vector<Index> Classes; ///< concrete classes that have the member, in the order of their IDs
};

/// What a section does with a column: upload it, or upload it and bring it back.
struct ColumnUse {
  Index Column;
  bool Writes;
};

struct FamilyLayout {
  std::string Ident;          ///< field of the emitted columns view: the classes' first IDs
  std::vector<Index> Classes; ///< concrete classes, in the order of their IDs
};

struct LayoutPlan {
  /// Concrete classes; the place in this list is the class's number in emitted code. Family by
  /// family.
  std::vector<Index> Classes;
  std::vector<FamilyLayout> Families; ///< by ProgramModel's number of the family
  std::vector<Column> Columns;
  std::vector<std::vector<ColumnUse>> Uses;       ///< by section
  std::vector<std::vector<ColumnUse>> KernelUses; ///< by FusionPlan's number of the fused kernel

  Index columnOf(Index Member) const;
  /// Whether some section writes the column.
  bool isWritten(Index Column) const;
  /// The class that declares the column's members.
  static Index ownerOf(const Column& C, const ProgramModel& Model);
};

LayoutPlan planLayout(const ProgramModel& Model, const FusionPlan& Fusion);

void print(const LayoutPlan& Plan, const ProgramModel& Model, const FusionPlan& Fusion,
           llvm::raw_ostream& OS);

} // namespace ikra

#endif
