// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmitContext.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ikra {

std::string EmitContext::typeText(const Type& T) {
  if (!T.Private)
    return T.Spelling;
  if (T.IsPublicInPrivate)
    return className(*T.Private) + "::" + T.Spelling;
  Aliases[*T.Private][T.Spelling] = T.Spelling;
  return "ikra::object_access<unit, " + className(*T.Private) + ">::" + T.Spelling;
}

std::string EmitContext::text(const CodeType& Ty) {
  return textOf(Ty, [this](const Type& T) { return typeText(T); });
}

std::string EmitContext::className(Index Class, llvm::StringRef UnitTag) {
  const ikra::Class& C = Model.Classes[Class];
  if (!C.Outer)
    return "::" + C.Name;
  const std::string Outer = className(*C.Outer, UnitTag);
  if (!C.IsPrivate)
    return Outer + "::" + C.ShortName;
  const std::string Alias = identOf(C.ShortName);
  Aliases[*C.Outer][Alias] = C.ShortName;
  return ("ikra::object_access<" + UnitTag + ", " + Outer + ">::" + Alias).str();
}

/// Replaces \p Name, which may have :: in front, by \p New where it stands as a whole: what is in
/// an anonymous namespace is spelled without.
static void replaceName(std::string& Text, const std::string& Name, const std::string& New) {
  const auto Continues = [](char C) { return llvm::isAlnum(C) || C == '_' || C == ':'; };
  for (std::size_t At = 0; (At = Text.find(Name, At)) != std::string::npos;) {
    const std::size_t End = At + Name.size();
    const std::size_t First = llvm::StringRef(Text).take_front(At).ends_with("::") ? At - 2 : At;
    if ((End < Text.size() && Continues(Text[End])) || (First > 0 && Continues(Text[First - 1]))) {
      At = End;
      continue;
    }
    Text.replace(First, End - First, New);
    At = First + New.size();
  }
}

std::string EmitContext::hostText(const Type& T) {
  std::string Text = T.HostSpelling;
  if (T.Private)
    replaceName(Text, Model.Classes[*T.Private].Name + "::" + T.Spelling, typeText(T));
  else if (T.Class && Model.Classes[*T.Class].Outer)
    replaceName(Text, Model.Classes[*T.Class].Name, className(*T.Class));
  return Text;
}

std::string EmitContext::globalText(const GlobalVariable& Of) {
  const std::string Name = Of.HiddenIn ? "ikra::object_access<" + Model.Unit + "::unit, " +
                                             className(*Of.HiddenIn) + ">::" + Of.Name + "()"
                                       : Of.HostText;
  return Of.Before + Name + Of.After;
}

bool EmitContext::needsColumnsView(Index Function) const {
  return usesColumns(Function) || Model.Functions[Function].CallsAt ||
         !Model.Functions[Function].Globals.empty();
}

bool EmitContext::namesIndex(const Section& S) const {
  return Model.IsChecked && !S.isOverObjects() && !S.Code.Known && S.reportsFailures() &&
         needsColumnsView(S.Code.Function);
}

bool EmitContext::usesColumns(Index Function) const {
  const auto& F = Model.Functions[Function];
  return F.Dispatches || !F.Total.read().empty() || !F.Total.written().empty();
}

bool EmitContext::hasColumnsView(llvm::StringRef Type) const {
  return std::any_of(Model.Sections.begin(), Model.Sections.end(),
                     [&](const Section& S) { return columnsViewType(&S) == Type; });
}

bool EmitContext::isDeclared(llvm::StringRef NameOfUnit) const {
  if (NameOfUnit == "checks")
    return Model.IsChecked;
  if (NameOfUnit == "layout")
    return !Layout.Classes.empty();
  const bool HasColumns = !Layout.Classes.empty() || !Model.Globals.empty();
  return HasColumns && (NameOfUnit == "columns_view" || hasColumnsView(NameOfUnit));
}

std::string EmitContext::columnsViewType(const Section* InSection) {
  if (!InSection || !InSection->reportsFailures())
    return "columns_view";
  if (InSection->Access.ChecksNull)
    return "checked_columns_view";
  return InSection->Access.UsesColumns ? "reporting_columns_view" : "ikra::no_columns";
}

} // namespace ikra
