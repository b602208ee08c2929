// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ColumnEmitter.h"
#include "Launch.h"

#include "SectionEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace ikra {

/// The struct that one element of a column of records is: Street_record for the column
/// Street_records.
static std::string recordName(const Column& C) {
  std::string Name = C.Ident;
  Name.erase(Name.rfind("_records") + 7, 1);
  return Name;
}

void ColumnEmitter::columns(CodeWriter& Out) {
  if (Layout.Classes.empty() && Model.Globals.empty())
    return;
  records(Out);
  columnsView(Out, /*Checked=*/false);
  if (Context.hasColumnsView("checked_columns_view"))
    columnsView(Out, /*Checked=*/true);
  if (Context.hasColumnsView("reporting_columns_view"))
    reportingColumnsView(Out);
  if (!Layout.Classes.empty())
    layout(Out);
}

/// A bit-field is read and written by value.
void ColumnEmitter::bitFieldAccess(const Member& Of, const std::string& Class, CodeWriter& Out) {
  Out.open("struct " + Of.Name + " {");
  Out.line("static auto get(const " + Class + "& o) { return o." + Of.Name + "; }");
  if (!Of.IsConst)
    Out.line("static void set(" + Class + "& o, decltype(" + Class + "::" + Of.Name +
             ") value) { o." + Of.Name + " = value; }");
  Out.close("};");
}

/// A member of the object `o`. Columns are copied from it and back as bytes, volatile or not.
static std::string storageOf(const Member& Of) {
  const std::string Text = "o." + Of.Name;
  return Of.IsVolatile ? "const_cast<std::remove_volatile_t<decltype(" + Text + ")>&>(" + Text + ")"
                       : Text;
}

void ColumnEmitter::access(CodeWriter& Out) {
  Out.heading("access to members: IKRA_OBJECT befriends ikra::object_access");
  // What names a class stands after what lets it be named.
  std::vector<std::pair<unsigned, Index>> Order;
  for (Index C = 0; C < Model.Classes.size(); ++C) {
    unsigned Depth = 0;
    for (std::optional<Index> At = Model.Classes[C].Outer; At; At = Model.Classes[*At].Outer)
      ++Depth;
    Order.emplace_back(Depth, C);
  }
  std::sort(Order.begin(), Order.end());
  const std::string UnitTag = Model.Unit + "::unit";
  for (const auto& [Depth, C] : Order) {
    const auto Aliases = Context.Aliases.find(C);
    std::vector<Index> Members;
    for (const Column& Col : Layout.Columns)
      if (LayoutPlan::ownerOf(Col, Model) == C)
        Members.insert(Members.end(), Col.Members.begin(), Col.Members.end());
    const std::set<std::string>& Hidden = Model.Classes[C].HiddenMembers;
    std::vector<std::string> Variables; // static members
    for (const GlobalVariable& Of : Model.Globals)
      if (Of.HiddenIn == C)
        Variables.push_back(Of.Name);
    if (Members.empty() && Hidden.empty() && Variables.empty() && Aliases == Context.Aliases.end())
      continue;
    const std::string Name = Context.className(C, UnitTag);
    Out.open("template <> struct ikra::object_access<" + UnitTag + ", " + Name + "> {");
    if (Aliases != Context.Aliases.end())
      for (const auto& [Alias, Type] : Aliases->second)
        Out.line("using " + Alias + " = " + Name + "::" + Type + ";");
    for (Index M : Members)
      if (const Member& Of = Model.Members[M]; Of.Bits != 0)
        bitFieldAccess(Of, Name, Out);
      else
        Out.line("static auto& " + Of.Name + "(" + Name + "& o) { return " +
                 (Of.IsAtomic ? "ikra::atomics::number(" + storageOf(Of) + ")" : storageOf(Of)) +
                 "; }");
    for (const std::string& Variable : Variables)
      Out.line("static auto& " + Variable + "() { return " + Name + "::" + Variable + "; }");
    for (const std::string& Member : Hidden) // of a value, which may be constant
      Out.line("template <class Value> IKRA_DEVICE static auto& " + Member +
               "(Value& value) { return value." + Member + "; }");
    Out.close("};");
  }
}

bool ColumnEmitter::isFamilyDispatched(Index Family) const {
  for (const Function& F : Model.Functions) {
    if (llvm::any_of(F.TestedClasses, [&](Index C) { return Model.Classes[C].Family == Family; }))
      return true;
    for (const auto& [Site, Call] : F.Calls)
      if (Call.Dispatched && !Call.isDirect() && !Call.ReceiverIsSelf &&
          Model.Classes[*Call.Targets.front().Class].Family == Family)
        return true;
  }
  return false;
}

void ColumnEmitter::records(CodeWriter& Out) {
  Out.heading("columns");
  for (Index K = 0; K < Layout.Classes.size(); ++K) {
    const std::string Name = classAlias(Context, Layout.Classes[K]);
    const std::string Tag = "ikra::rt::concrete_class<" + std::to_string(K) + ", " +
                            Context.className(Layout.Classes[K]) + ">";
    // nvcc takes no class that is not public for an argument of a kernel.
    Out.line(Model.Classes[Layout.Classes[K]].Outer ? "struct " + Name + " : " + Tag + " {};"
                                                    : "using " + Name + " = " + Tag + ";");
  }
  Out.line("");
  for (const Column& C : Layout.Columns) {
    if (C.Kind != ColumnKind::Record)
      continue;
    Out.open("struct alignas(" + std::to_string(C.Alignment) + ") " + recordName(C) + " {");
    for (Index M : C.Members)
      Out.line(Context.typeText(Model.Members[M].Ty) + " " + Model.Members[M].Name + ";");
    Out.close("};");
  }
}

/// The columns as device code sees them. \p Checked: each use looks for null.
void ColumnEmitter::columnsView(CodeWriter& Out, bool Checked) {
  const std::string Name = Checked ? "checked_columns_view" : "columns_view";
  const std::string Prefix = Checked ? "ikra::checked_" : "ikra::";
  Out.open("struct " + Name + " {");
  std::vector<std::string> Inits;
  const auto Add = [&](const std::string& Ty, const std::string& Ident, const std::string& From) {
    Out.line(Ty + " " + Ident + ";");
    Inits.push_back(Ident + (Checked ? "{" + From + ", nulls}" : "(" + From + ")"));
  };
  for (Index K = 0; K < Layout.Columns.size(); ++K) {
    const Column& C = Layout.Columns[K];
    const std::string T = C.Kind == ColumnKind::Record
                              ? recordName(C)
                              : Context.elementText(Model.Members[C.Members.front()]);
    const std::string Argument = "<" + T + ">", Number = "(" + std::to_string(K) + ")";
    if (C.Kind == ColumnKind::ValueList || C.Kind == ColumnKind::ReferenceList)
      if (Model.Members[C.Members.front()].Ty.IsNested)
        Add(Prefix + "nested_column" + Argument, C.Ident, "c.nested" + Argument + Number);
      else
        Add(Prefix + "list_column" + Argument, C.Ident, "c.list" + Argument + Number);
    else if (Checked)
      Add(Prefix + "column" + Argument, C.Ident, "c.values" + Argument + Number);
    else
      Add(Layout.isWritten(K) ? T + "*" : "const " + T + "* __restrict__", C.Ident,
          "c.values" + Argument + Number);
  }
  for (Index F = 0; F < Layout.Families.size(); ++F) {
    const FamilyLayout& Family = Layout.Families[F];
    if (!isFamilyDispatched(F) || Family.Classes.empty())
      continue;
    const std::string N = std::to_string(Family.Classes.size());
    Add(Prefix + "class_starts<" + N + ">", Family.Ident,
        "c.starts<" + std::to_string(F) + ", " + N + ">()");
  }
  const std::string Columns = Inits.empty() ? "" : " c";
  std::vector<std::string> Copied;
  for (const GlobalVariable& Of : Model.Globals) {
    if (Of.Is != GlobalVariable::Value) { // drivers set it
      const bool IsId = Of.Ty.Held.empty() && Of.Is != GlobalVariable::List;
      const std::string Element = IsId ? "ikra::object_id" : Context.codeText(Of.Ty);
      Out.line((Of.Is == GlobalVariable::Object ? Element : "ikra::list<const " + Element + ">") +
               " " + Of.Ident + ";");
      continue;
    }
    const std::string From = Context.globalText(Of);
    Out.line(Context.typeText(Of.Ty) + " " + Of.Ident + Of.Extents + ";");
    if (Of.Extents.empty())
      Inits.push_back(Of.Ident + "(" + From + ")");
    else
      Copied.push_back("std::memcpy(&" + Of.Ident + ", &" + From + ", sizeof " + Of.Ident + ");");
  }
  if (Checked) {
    Out.line("ikra::failure_report nulls;");
    Inits.emplace_back("nulls(nulls)");
  }
  Out.line("");
  const std::string Parameters =
      "const ikra::rt::columns&" + Columns + (Checked ? ", ikra::failure_report nulls" : "");
  const std::string Body = Copied.empty() ? " {}" : " { " + llvm::join(Copied, " ") + " }";
  if (Inits.empty()) {
    Out.line("explicit " + Name + "(" + Parameters + ")" + Body);
  } else {
    Out.line("explicit " + Name + "(" + Parameters + ")");
    Out.line("    : " + llvm::join(Inits, ",\n        ") + Body);
  }
  Out.close("};");
  Out.ownLine();
}

/// Plain columns, and where at() says that it failed.
void ColumnEmitter::reportingColumnsView(CodeWriter& Out) {
  Out.open("struct reporting_columns_view : columns_view {");
  Out.line("ikra::failure_report nulls;");
  Out.line("");
  Out.line("reporting_columns_view(const ikra::rt::columns& c, ikra::failure_report failures)");
  Out.line("    : columns_view(c), nulls(failures) {}");
  Out.close("};");
}

/// The call of the runtime that describes a column.
std::string ColumnEmitter::columnInfo(const Column& C) {
  const Class& Owner = Model.Classes[LayoutPlan::ownerOf(C, Model)];
  const auto AccessTo = [&](Index M) {
    return "&access_" + Owner.Ident + "::" + Model.Members[M].Name;
  };
  const Member& First = Model.Members[C.Members.front()];
  std::string Text, Name = First.Name;
  std::vector<std::string> Held;
  for (const Index Class : First.Ty.Held)
    Held.push_back(references(Context, Class));
  if (!Held.empty()) { // a pair or a tuple with pointers, or a container of such
    Text = std::string(C.Kind == ColumnKind::Value ? "ikra::rt::holding_column<"
                                                   : "ikra::rt::holding_list_column<") +
           AccessTo(C.Members.front()) + ", ikra::rt::held_by<" + llvm::join(Held, ", ") + ">";
    for (Index Concrete : C.Classes)
      Text += ", " + classAlias(Context, Concrete);
    return Text + ">(\"" + escaped(Owner.Name + "::" + Name) + "\")";
  }
  switch (C.Kind) {
  case ColumnKind::Value:
    Text = First.Bits == 0 ? "ikra::rt::value_column<" + AccessTo(C.Members.front())
                           : "ikra::rt::bit_field_column<access_" + Owner.Ident +
                                 "::" + First.Name + ", " + std::to_string(First.Bits);
    break;
  case ColumnKind::ValueList:
    Text = (First.Ty.IsNested ? "ikra::rt::nested_value_column<" : "ikra::rt::value_list_column<") +
           AccessTo(C.Members.front());
    break;
  case ColumnKind::Reference:
    Text = "ikra::rt::reference_column<" + AccessTo(C.Members.front()) + ", " +
           references(Context, *First.Ty.Class);
    break;
  case ColumnKind::ReferenceList:
    Text = (First.Ty.IsNested ? "ikra::rt::nested_reference_column<"
                              : "ikra::rt::reference_list_column<") +
           AccessTo(C.Members.front()) + ", " + references(Context, *First.Ty.Class);
    break;
  case ColumnKind::Record: {
    std::vector<std::string> Fields, Names;
    for (Index M : C.Members) {
      Names.push_back(Model.Members[M].Name);
      Fields.push_back("ikra::rt::field<&" + recordName(C) + "::" + Names.back() + ", " +
                       AccessTo(M) + ">");
    }
    Text = "ikra::rt::record_column<" + recordName(C) + ", ikra::rt::fields<" +
           llvm::join(Fields, ", ") + ">";
    Name = llvm::join(Names, ", ");
    break;
  }
  }
  for (Index Concrete : C.Classes)
    Text += ", " + classAlias(Context, Concrete);
  return Text + ">(\"" + escaped(Owner.Name + "::" + Name) + "\")";
}

void ColumnEmitter::layout(CodeWriter& Out) {
  Out.line("");
  Out.open("const ikra::rt::layout& layout() {");
  std::set<Index> Owners;
  for (const Column& C : Layout.Columns)
    Owners.insert(LayoutPlan::ownerOf(C, Model));
  for (Index C : Owners)
    Out.line("using access_" + Model.Classes[C].Ident + " = ikra::object_access<unit, " +
             Context.className(C) + ">;");
  Out.open("static const ikra::rt::class_info classes[] = {");
  for (Index C : Layout.Classes)
    Out.line("ikra::rt::describe<" + classAlias(Context, C) + ">(\"" +
             escaped(Model.Classes[C].Name) + "\", " + std::to_string(Model.Classes[C].Family) +
             (Model.Classes[C].HoldsPolymorphic ? ", /*holds_polymorphic=*/true" : "") + "),");
  Out.close("};");
  if (Layout.Columns.empty()) {
    Out.line("static const ikra::rt::layout plan(classes, {});");
  } else {
    Out.open("static const ikra::rt::column_info columns[] = {");
    for (const Column& C : Layout.Columns)
      Out.line(columnInfo(C) + ",");
    Out.close("};");
    Out.line("static const ikra::rt::layout plan(classes, columns);");
  }
  Out.line("return plan;");
  Out.close();
}

} // namespace ikra
