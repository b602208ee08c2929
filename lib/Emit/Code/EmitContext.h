// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What device code is written with: the plans, and how emitted code names classes and types.

#ifndef IKRA_EMIT_CODE_EMITCONTEXT_H
#define IKRA_EMIT_CODE_EMITCONTEXT_H

#include "Fusion/ArrayTiles.h"
#include "Fusion/SideBySide.h"
#include "Layout/Layout.h"

#include "llvm/ADT/StringRef.h"

namespace ikra {

/// Filled before writing starts, but for Aliases.
struct EmitContext {
  const ProgramModel& Model;
  const LayoutPlan& Layout;
  const std::map<Index, SideBySide>& InLanes;
  const std::map<Index, ArrayTiles>& Tiled;
  std::string Unit; ///< namespace of the emitted code
  /// Types that are not public, by the class whose member they are: names in that class's
  /// object_access, and in the class.
  std::map<Index, std::map<std::string, std::string>> Aliases = {};

  /// How several results of a section are computed side by side; null where they are not.
  const SideBySide* lanesOf(const Section& S) const {
    const auto At = InLanes.find(static_cast<Index>(&S - Model.Sections.data()));
    return At == InLanes.end() ? nullptr : &At->second;
  }
  /// What threads of a GPU's block read together in a section; null if nothing.
  const ArrayTiles* tilesOf(const Section& S) const {
    const auto At = Tiled.find(static_cast<Index>(&S - Model.Sections.data()));
    return At == Tiled.end() ? nullptr : &At->second;
  }
  /// How a class is written in device code, and, with \p UnitTag in full, outside of it.
  std::string className(Index Class, llvm::StringRef UnitTag = "unit");
  /// How the host's type is written after the user's text, where only public names can be used.
  std::string hostText(const Type& T);
  /// How a value's type, or that of a container's elements, is written in device code.
  std::string typeText(const Type& T);
  /// The same where code has copies of objects in place of the program's values.
  std::string codeText(const Type& T) {
    return T.CopyOf ? Model.Classes[*T.CopyOf].StructIdent : typeText(T);
  }
  /// How a type is written in device code.
  std::string text(const CodeType& Ty);
  /// The same of what a column of the member holds.
  std::string elementText(const Member& Of) {
    const std::string Text = typeText(Of.Ty);
    return Of.Bits == 0 ? Text : "ikra::bit_field<" + Text + ", " + std::to_string(Of.Bits) + ">";
  }
  /// The name of a function's emitted form.
  std::string nameOf(Index Function) const { return Model.Functions[Function].Ident; }
  /// True if the emitted function uses columns.
  bool usesColumns(Index Function) const;
  /// True if it needs the columns view: for columns and variables of the program, or to say that a
  /// check failed.
  /// A variable of the program, as drivers name it.
  std::string globalText(const GlobalVariable& Of);
  bool needsColumnsView(Index Function) const;
  /// True if the body of \p S is told the place of its element, for messages: in checked builds.
  bool namesIndex(const Section& S) const;
  /// True if some section is given the columns view \p Type.
  bool hasColumnsView(llvm::StringRef Type) const;
  /// True if the file's own namespace has that name, one of NamesOfUnit.
  bool isDeclared(llvm::StringRef NameOfUnit) const;
  /// The type of the columns that functions are given.
  static std::string columnsViewType(const Section* InSection);
};

} // namespace ikra

#endif
