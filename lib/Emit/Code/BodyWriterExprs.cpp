// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions. Each is a text with its precedence; who puts it into another asks for it at the
// precedence that is needed there, so parentheses stand exactly where C++ needs them.

#include "BodyWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace ikra {

std::string BodyWriter::constant(EmitContext& Context, const body::Expr& E) {
  const body::Body None;
  return BodyWriter(Context, None).code(E).Text;
}

void BodyWriter::statements(EmitContext& Context, const body::Stmts& Body, CodeWriter& Out) {
  const body::Body None;
  BodyWriter(Context, None).write(Body, Out);
}

std::vector<std::string> BodyWriter::texts(const body::Exprs& Arguments) {
  std::vector<std::string> Out;
  for (const body::ExprRef& Argument : Arguments)
    Out.push_back(argument(Argument));
  return Out;
}

std::string BodyWriter::arguments(const body::Exprs& Arguments) {
  return llvm::join(texts(Arguments), ", ");
}

/// \p Index as a subscript. Two brackets in a row begin an attribute, and nvcc drops parentheses
/// that part them.
static std::string inBrackets(const std::string& Index) {
  const bool IsLambda = llvm::StringRef(Index).ltrim('(').starts_with("[");
  return IsLambda ? "[ikra::lvalue(" + Index + ")]" : "[" + Index + "]";
}

std::string BodyWriter::templateArguments(const std::vector<body::TemplateArgument>& Types) {
  if (Types.empty())
    return "";
  std::vector<std::string> Out;
  for (const body::TemplateArgument& Of : Types) {
    const auto* Ty = std::get_if<TypeRef>(&Of);
    Out.push_back(Ty ? Context.text(**Ty) : std::get<std::string>(Of));
  }
  return "<" + llvm::join(Out, ", ") + ">";
}

/// Of a built-in operator, or of an overloaded one.
static Precedence precedenceOf(llvm::StringRef Sign) {
  return llvm::StringSwitch<Precedence>(Sign)
      .Case(",", Precedence::Comma)
      .Case("||", Precedence::LogicalOr)
      .Case("&&", Precedence::LogicalAnd)
      .Case("|", Precedence::BitOr)
      .Case("^", Precedence::BitXor)
      .Case("&", Precedence::BitAnd)
      .Cases("==", "!=", Precedence::Equality)
      .Cases("<", ">", "<=", ">=", Precedence::Relation)
      .Case("<=>", Precedence::Spaceship)
      .Cases("<<", ">>", Precedence::Shift)
      .Cases("+", "-", Precedence::Sum)
      .Cases("*", "/", "%", Precedence::Product)
      .Default(Precedence::Assignment);
}

static Precedence tighter(Precedence P) { return static_cast<Precedence>(static_cast<int>(P) + 1); }

Code BodyWriter::code(const body::Expr& E) {
  return std::visit([&](const auto& Is) { return code(Is, E); }, E.Is);
}

//===-- values and names -------------------------------------------------------------------===//

Code BodyWriter::code(const body::Literal& E, const body::Expr&) { return E.Text; }

Code BodyWriter::code(const body::Constant& E, const body::Expr& Of) {
  CodeType Value = *Of.Ty;
  Value.IsConst = false;
  Value.Reference = CodeType::None;
  const std::string Ty = Context.text(Value);
  const std::string Text = E.Name.empty() ? E.Value : E.Value + " /* " + E.Name + " */";
  if (Ty != "int" && (E.Name.empty() || (Ty != "float" && Ty != "double")))
    return "static_cast<" + Ty + ">(" + Text + ")";
  return Text.front() == '-' ? "(" + Text + ")" : Text;
}

Code BodyWriter::code(const body::Enumerator& E, const body::Expr& Of) {
  return Context.text(*Of.Ty) + "::" + E.Name;
}

Code BodyWriter::code(const body::Name& E, const body::Expr&) { return E.Ident; }

Code BodyWriter::code(const body::Captured& E, const body::Expr&) {
  const bool IsReference =
      InSection && llvm::any_of(InSection->Code.Captures, [&](const Capture& C) {
        return C.Name == E.Ident && C.Kind == CaptureKind::InMemory;
      });
  return IsReference ? "(*" + E.Ident + ")" : E.Ident;
}

Code BodyWriter::code(const body::Table& E, const body::Expr&) {
  return Context.Model.Tables[E.Number].Ident + "()";
}

Code BodyWriter::code(const body::Global& E, const body::Expr&) {
  return Body.ColumnsView + "." + Context.Model.Globals[E.Number].Ident;
}

Code BodyWriter::code(const body::Element& E, const body::Expr&) {
  return E.AsId ? E.Ident + ".id" : E.Ident;
}

Code BodyWriter::code(const body::Receiver&, const body::Expr&) { return Body.Self; }

Code BodyWriter::code(const body::Member& E, const body::Expr&) {
  const auto* Own = std::get_if<body::Element>(&E.Object->Is);
  if (Own && InSection && InSection->Access.Own.contains(E.Number))
    return Own->Ident + "." + InSection->Access.Own.at(E.Number);
  const Column& C = Context.Layout.Columns[Context.Layout.columnOf(E.Number)];
  const std::string Text = Body.ColumnsView + "." + C.Ident + inBrackets(text(E.Object));
  return C.Kind == ColumnKind::Record ? Text + "." + Context.Model.Members[E.Number].Name : Text;
}

std::string BodyWriter::leadingTo(const body::ExprRef& Object, bool ThroughPointer) {
  const Code Text = code(*Object);
  const llvm::StringRef Stripped = llvm::StringRef(Text.Text).drop_front();
  const bool IsArrow = ThroughPointer && std::holds_alternative<body::Deref>(Object->Is) &&
                       !llvm::StringRef("*&+-!~").contains(Stripped.front());
  return IsArrow ? Stripped.str() + "->" : Text.at(Precedence::Postfix) + ".";
}

Code BodyWriter::code(const body::Part& E, const body::Expr&) {
  if (E.HiddenIn)
    return "ikra::object_access<unit, " + Context.text(*E.HiddenIn) + ">::" + E.Field + "(" +
           text(E.Object) + ")";
  return leadingTo(E.Object, E.ThroughPointer) + E.Field;
}

//===-- operators --------------------------------------------------------------------------===//

/// - -x must not become --x.
Code BodyWriter::code(const body::Unary& E, const body::Expr&) {
  if (E.IsPostfix)
    return operand(E.Operand, Precedence::Postfix) + E.Sign;
  const std::string Inner = operand(E.Operand);
  return {E.Sign + (Inner.front() == E.Sign.front() ? "(" + Inner + ")" : Inner),
          Precedence::Unary};
}

Code BodyWriter::code(const body::Deref& E, const body::Expr&) {
  return {"*" + operand(E.Pointer), Precedence::Unary};
}

Code BodyWriter::code(const body::Binary& E, const body::Expr&) {
  const Precedence Own = precedenceOf(E.Sign);
  if (E.IsOverloaded)
    return {operand(E.Left) + " " + E.Sign + " " + operand(E.Right), Own};
  // Assignments group from the right, and what they assign to has no looser operator.
  const bool Assigns = Own == Precedence::Assignment;
  return {operand(E.Left, Assigns ? tighter(Own) : Own) + (E.Sign == "," ? "" : " ") + E.Sign +
              " " + operand(E.Right, Assigns ? Own : tighter(Own)),
          Own};
}

Code BodyWriter::code(const body::IsSet& E, const body::Expr&) {
  return "(" + operand(E.Pointer, Precedence::Relation) + " != nullptr)";
}

Code BodyWriter::code(const body::OfClass& E, const body::Expr&) {
  const FamilyLayout& Family = Context.Layout.Families[Context.Model.Classes[E.Class].Family];
  std::vector<std::string> Numbers;
  for (Index K = 0; K < Family.Classes.size(); ++K) {
    const bool Fits =
        E.Is == body::OfClass::Equals
            ? Family.Classes[K] == E.Class
            : llvm::is_contained(Context.Model.Classes[E.Class].Concrete, Family.Classes[K]);
    if (Fits)
      Numbers.push_back(std::to_string(K));
  }
  const std::string Told =
      (E.Is == body::OfClass::Equals ? "ikra::is_of_class<" : "ikra::as_class<") +
      llvm::join(Numbers, ", ") + ">(" + Body.ColumnsView + "." + Family.Ident + ", " +
      argument(E.Object) + ")";
  return E.Is == body::OfClass::Refer
             ? "ikra::referred(" + Told + ", " + Body.ColumnsView + ".nulls)"
             : Told;
}

Code BodyWriter::code(const body::SameClass& E, const body::Expr&) {
  const FamilyLayout& Family = Context.Layout.Families[Context.Model.Classes[E.Class].Family];
  return "ikra::are_of_one_class(" + Body.ColumnsView + "." + Family.Ident + ", " +
         argument(E.Left) + ", " + argument(E.Right) + ")";
}

Code BodyWriter::code(const body::Choice& E, const body::Expr&) {
  return {operand(E.Condition, Precedence::LogicalOr) + " ? " + text(E.Then) + " : " +
              operand(E.Else, Precedence::Assignment),
          Precedence::Assignment};
}

Code BodyWriter::code(const body::Paren& E, const body::Expr&) { return "(" + text(E.Inner) + ")"; }

Code BodyWriter::code(const body::Cast& E, const body::Expr&) {
  const std::string To = Context.text(*E.To), Of = text(E.Of);
  switch (E.Is) {
  case body::Cast::Static:
    return "static_cast<" + To + ">(" + Of + ")";
  case body::Cast::Const:
    return "const_cast<" + To + ">(" + Of + ")";
  case body::Cast::ToHiddenBase:
    return "((" + To + ")(" + Of + "))";
  case body::Cast::Bits:
    return "::std::bit_cast<" + To + ">(" + Of + ")";
  }
  llvm_unreachable("form of cast");
}

Code BodyWriter::code(const body::Make& E, const body::Expr&) {
  return (E.Of ? Context.text(*E.Of) : "") + (E.InBraces ? "{" : "(") + arguments(E.Arguments) +
         (E.InBraces ? "}" : ")");
}

Code BodyWriter::code(const body::Listed& E, const body::Expr&) {
  return "::std::array<" + Context.text(*E.Of) + ", " + std::to_string(E.Elements.size()) + ">{{" +
         arguments(E.Elements) + "}}";
}

Code BodyWriter::code(const body::Subscript& E, const body::Expr& Of) {
  if (std::string Element = elementInTile(Of); !Element.empty())
    return Element;
  return operand(E.Base, Precedence::Postfix) + inBrackets(text(E.Index));
}

Code BodyWriter::code(const body::Location& E, const body::Expr& Of) {
  if (std::string Element = elementInTile(Of); !Element.empty())
    return Element;
  return operand(E.Array, Precedence::Postfix) + "(" + arguments(E.Places) + ")";
}

//===-- calls ------------------------------------------------------------------------------===//

/// A section that reports failures has functions of its own, beside those of all sections. By the
/// structs that it is given, a call would find both.
bool BodyWriter::isAmbiguous(Index Called) const {
  if (!InSection || !InSection->reportsFailures() || Context.needsColumnsView(Called))
    return false;
  const body::Body& Of = *Context.Model.Functions[Called].Code;
  return (Of.ReceiverType && !Of.ReceiverType->Of.Structs.empty()) ||
         llvm::any_of(Of.Parameters,
                      [](const body::Parameter& P) { return !P.Ty->Of.Structs.empty(); });
}

Code BodyWriter::code(const body::Call& E, const body::Expr&) {
  std::vector<std::string> All = texts(E.Arguments);
  if (E.ChecksReceiver && InSection && InSection->Access.ChecksNull)
    All.front() = "ikra::not_null(" + All.front() + ", " + Body.ColumnsView + ".nulls)";
  if (!E.Function || Context.needsColumnsView(*E.Function))
    All.insert(All.begin(), Body.ColumnsView);
  const std::string Name = E.Function ? Context.nameOf(*E.Function) : E.Dispatcher;
  return (E.Function && isAmbiguous(*E.Function) ? "(" + Name + ")" : Name) + "(" +
         llvm::join(All, ", ") + ")";
}

Code BodyWriter::code(const body::LibraryCall& E, const body::Expr&) {
  std::vector<std::string> All = texts(E.Arguments);
  if (E.MayFail)
    All.push_back(Body.ColumnsView + ".nulls");
  return E.Name + templateArguments(E.Types) + "(" + llvm::join(All, ", ") + ")";
}

Code BodyWriter::code(const body::MethodCall& E, const body::Expr&) {
  return leadingTo(E.Object, E.ThroughPointer) + (E.Types.empty() ? "" : "template ") + E.Name +
         templateArguments(E.Types) + "(" + arguments(E.Arguments) + ")";
}

Code BodyWriter::code(const body::Invoke& E, const body::Expr&) {
  return operand(E.Callee, Precedence::Postfix) + "(" + arguments(E.Arguments) + ")";
}

Code BodyWriter::code(const body::WindowRead& E, const body::Expr&) {
  const std::string Arguments = arguments(E.Arguments);
  return operand(E.Window, Precedence::Postfix) +
         (E.InBrackets ? inBrackets(Arguments) : "(" + Arguments + ")");
}

Code BodyWriter::code(const body::Lambda& E, const body::Expr&) {
  std::string Captures = "[&";
  for (const body::Lambda::Capture& C : E.Captures)
    Captures += std::string(", ") + (C.ByReference ? "&" : "") + C.Ident + " = " +
                (C.Init ? argument(C.Init) : C.Ident);
  std::vector<std::string> Parameters;
  for (const body::Lambda::Parameter& P : E.Parameters)
    Parameters.push_back(declared(P));
  if (!E.Tag.empty())
    Parameters.push_back(E.Tag);
  CodeWriter Lines("");
  Lines.open(Captures + "](" + llvm::join(Parameters, ", ") + ")" +
             (E.IsMutable ? " mutable" : "") + " -> " + Context.text(*E.Result) + " {");
  write(E.Body, Lines);
  Lines.close();
  std::string Text = Lines.take();
  Text.pop_back();
  return Text;
}

Code BodyWriter::code(const body::Overloaded& E, const body::Expr&) {
  return "ikra::overloaded{" + arguments(E.Functions) + "}";
}

Code BodyWriter::code(const body::Ordered& E, const body::Expr&) {
  std::vector<std::string> Values, Names;
  for (const body::Ordered::Operand& Of : E.Operands) {
    Values.push_back(argument(Of.Value));
    Names.push_back("auto&& " + Of.Ident);
  }
  return "ikra::in_order{" + llvm::join(Values, ", ") + "}([&](" + llvm::join(Names, ", ") + ")" +
         (E.GivesLValue ? " -> decltype(auto)" : "") + " { return " + text(E.Result) + "; })";
}

Code BodyWriter::code(const body::Forwarded& E, const body::Expr&) {
  return "static_cast<decltype(" + E.Ident + ")>(" + E.Ident + ")";
}

} // namespace ikra
