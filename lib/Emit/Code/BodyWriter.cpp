// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heads and statements.

#include "BodyWriter.h"

#include "Model/BodyQueries.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <utility>

namespace ikra {

//===-- heads ------------------------------------------------------------------------------===//

std::vector<std::string> BodyWriter::parameters() {
  std::vector<std::string> Out;
  for (const body::Parameter& P : Body.Parameters) {
    if (P.IsOmitted)
      continue;
    Out.push_back((P.IsElement             ? Body.SelfType + "&"
                   : !P.WindowType.empty() ? "const " + P.WindowType + "&"
                                           : Context.text(*P.Given)) +
                  (P.IsNamed ? " " + P.Ident : ""));
    if (P.Default)
      Out.back() += " = " + text(P.Default);
  }
  return Out;
}

std::string BodyWriter::templateLine(bool HasSelf) const {
  std::vector<std::string> Types;
  if (HasSelf)
    Types.push_back("class " + Body.SelfType);
  for (const body::Parameter& P : Body.Parameters)
    if (!P.WindowType.empty() && !P.IsOmitted)
      Types.push_back("class " + P.WindowType);
  return Types.empty() ? "" : "template <" + llvm::join(Types, ", ") + "> ";
}

std::string BodyWriter::signature() {
  std::vector<std::string> All;
  if (Context.needsColumnsView(Number))
    All.push_back("const " + EmitContext::columnsViewType(InSection) + "& " + Body.ColumnsView);
  if (Body.ReceiverIs == body::Body::ValueReceiver)
    All.push_back(Context.text(*Body.ReceiverType) + "& " + Body.Self);
  else if (Body.ReceiverIs == body::Body::ElementReceiver)
    All.push_back(Body.SelfType + "& " + Body.Self);
  else if (Body.ReceiverIs == body::Body::ObjectReceiver)
    All.push_back("ikra::object_id " + Body.Self);
  for (std::string& Parameter : parameters())
    All.push_back(std::move(Parameter));
  return templateLine(function().SelfMask != 0) + "IKRA_DEVICE " + resultType() + " " +
         function().Ident + "(" + llvm::join(All, ", ") + ")";
}

void BodyWriter::writeDefinition(const std::string& Head, CodeWriter& Out) {
  if (Body.IsOfLibrary)
    Out.ownLine();
  else
    Out.setLine(function().At);
  if (Body.IsOneLine) {
    const body::Stmt& Only = *Body.Statements.front();
    const auto* Return = std::get_if<body::Return>(&Only.Is);
    return Out.line(Head + " { " +
                    (Return ? "return " + argument(Return->Value)
                            : text(std::get<body::Evaluate>(Only.Is).Value)) +
                    "; }");
  }
  Out.open(Head + " {");
  if (Body.IsConstructor) {
    Out.line("ikra::unmade<" + resultType() + "> " + Body.Made + ";");
    Out.line(resultType() + "& " + Body.Self + " = " + Body.Made + ".value;");
  }
  write(Body.Statements, Out);
  Out.close();
}

//===-- what hands a section its element ---------------------------------------------------===//

std::string BodyWriter::declared(const body::Lambda::Parameter& P) {
  return Context.text(*P.Ty) + (P.Ident.empty() ? "" : " " + P.Ident);
}

std::string BodyWriter::handed(unsigned K, const std::string& Text,
                               std::vector<std::string>& Declarations) {
  if (!Body.Handed || K >= Body.Handed->Arguments.size() || !Body.Handed->Arguments[K])
    return Text;
  Declarations.push_back(declared(Body.Handed->Given[K]) + " = " + Text + ";");
  return argument(Body.Handed->Arguments[K]);
}

void BodyWriter::writeHandover(CodeWriter& Out) {
  std::vector<std::string> Parameters, Arguments;
  for (unsigned K = 0; K < Body.Handed->Given.size(); ++K) {
    const body::ExprRef& Argument = Body.Handed->Arguments[K];
    Parameters.push_back(declared(Body.Handed->Given[K]));
    Arguments.push_back(Argument ? argument(Argument) : Body.Handed->Given[K].Ident);
  }
  Out.open("IKRA_DEVICE auto operator()(" + llvm::join(Parameters, ", ") + ") const {");
  writeGiven("code(" + llvm::join(Arguments, ", ") + ")", Out);
  Out.close();
}

void BodyWriter::writeGiven(const std::string& Call, CodeWriter& Out) {
  if (!Body.Handed || !Body.Handed->Result)
    return Out.line("return " + Call + ";");
  Out.line(declared(*Body.Handed->Result) + " = " + Call + ";");
  Out.line("return " + text(Body.Handed->ResultValue) + ";");
}

//===-- statements -------------------------------------------------------------------------===//

void BodyWriter::write(const body::Stmts& Body, CodeWriter& Out) {
  for (const body::StmtRef& S : Body)
    write(*S, Out);
}

void BodyWriter::write(const body::Stmt& S, CodeWriter& Out) {
  if (S.At)
    Out.setLine(*S.At);
  std::visit([&](const auto& Is) { write(Is, Out); }, S.Is);
}

void BodyWriter::write(const body::Evaluate& S, CodeWriter& Out) { Out.line(text(S.Value) + ";"); }

void BodyWriter::write(const body::Declare& S, CodeWriter& Out) {
  if (S.Room.empty())
    return Out.line(declaration(S) + ";");
  // IDs, and structs with such, would be null.
  Out.line("ikra::unmade<" + Context.text(*S.Ty) + "> " + S.Room + ";");
  Out.line(declarator(Context, *S.Ty, "(&" + S.Ident + ")") + " = " + S.Room + ".value;");
}

std::string BodyWriter::declarator(EmitContext& Context, const CodeType& Ty,
                                   const std::string& Ident) {
  const std::string Whole = Context.text(Ty);
  if (Ty.Is != CodeType::Array)
    return Whole + " " + Ident;
  const std::string Element = Context.text(*Ty.Inner);
  return Element + " " + Ident + Whole.substr(Element.size());
}

std::string BodyWriter::declaration(const body::Declare& S) {
  std::string Out = declarator(
      Context, *S.Ty, S.Bindings.empty() ? S.Ident : "[" + llvm::join(S.Bindings, ", ") + "]");
  if (S.IsConstexpr)
    Out = "constexpr " + (llvm::StringRef(Out).starts_with("const ") ? Out.substr(6) : Out);
  if (S.Init == body::Declare::Equals)
    Out += " = " + argument(S.Values.front());
  else if (S.Init == body::Declare::Direct)
    Out += (S.InBraces ? "{" : "(") + arguments(S.Values) + (S.InBraces ? "}" : ")");
  return Out;
}

void BodyWriter::write(const body::Return& S, CodeWriter& Out) {
  Out.line(S.Value ? "return " + argument(S.Value) + ";" : "return;");
}

void BodyWriter::write(const body::If& S, CodeWriter& Out, llvm::StringRef Before) {
  if (!S.Before.empty()) {
    Out.open(Before + "{");
    Before = "";
    write(S.Before, Out);
  }
  std::string Head = "if (";
  if (S.Head)
    Head += declaration(S.Head) + "; ";
  if (S.Variable) {
    Head += declaration(S.Variable);
    if (S.Condition)
      Head += "; " + text(S.Condition) + " != nullptr";
  } else {
    Head += text(S.Condition);
  }
  Out.open(Before + Head + ") {");
  write(S.Then, Out);
  if (S.ElseIf) {
    Out.dedent();
    write(std::get<body::If>(S.Else.front()->Is), Out, "} else ");
  } else if (S.HasElse) {
    Out.dedent();
    Out.open("} else {");
    write(S.Else, Out);
    Out.close();
  } else {
    Out.close();
  }
  if (!S.Before.empty())
    Out.close();
}

std::string BodyWriter::head(const body::For& S) {
  std::string Head = "for (";
  if (S.Init) {
    const auto* E = std::get_if<body::Evaluate>(&S.Init->Is);
    Head += E ? text(E->Value) : declaration(S.Init);
  }
  Head += ";";
  if (!S.Hoisted.empty())
    Head += " (" + S.Hoisted + " = " + argument(S.HoistedValue) + ") != nullptr";
  else if (S.Variable)
    Head += " " + declaration(S.Variable);
  else if (S.Condition)
    Head += " " + text(S.Condition);
  Head += ";";
  if (S.Step)
    Head += " " + text(S.Step);
  return Head + ") {";
}

std::string BodyWriter::head(const body::ForRange& S) {
  return "for (" + declaration(S.Variable) + " : " + text(S.Range) + ") {";
}

void BodyWriter::writeTurn(const body::Stmts& Turn, bool IsCall, CodeWriter& Out) {
  const bool Around = std::exchange(TurnIsCall, IsCall);
  write(Turn, Out);
  TurnIsCall = Around;
}

void BodyWriter::writeBeforeLoop(const body::For& S, CodeWriter& Out) {
  if (!S.Hoisted.empty())
    Out.line("ikra::object_id " + S.Hoisted + ";");
  if (const std::optional<unsigned> Turns = body::neighboursOf(S))
    Out.line("IKRA_UNROLL(" + std::to_string(*Turns) + ")");
}

template <class Loop> void BodyWriter::writeLoop(const Loop& S, CodeWriter& Out) {
  if (S.InBlock) {
    Out.open("{");
    write(S.Before, Out);
  }
  if (!writeInTiles(S, Out)) {
    writeBeforeLoop(S, Out);
    Out.open(head(S));
    writeTurn(S.Body, /*IsCall=*/false, Out);
    Out.close();
  }
  if (S.InBlock)
    Out.close();
}

void BodyWriter::write(const body::For& S, CodeWriter& Out) { writeLoop(S, Out); }

void BodyWriter::write(const body::ForRange& S, CodeWriter& Out) { writeLoop(S, Out); }

void BodyWriter::write(const body::While& S, CodeWriter& Out) {
  if (S.Variable && S.Condition) { // what is true of a class's value, a call says
    Out.open("while (true) {");
    Out.line(declaration(S.Variable) + ";");
    Out.line("if (!(" + text(S.Condition) + "))");
    Out.indent();
    Out.line("break;");
    Out.dedent();
  } else {
    Out.open("while (" + (S.Variable ? declaration(S.Variable) : text(S.Condition)) + ") {");
  }
  writeTurn(S.Body, /*IsCall=*/false, Out);
  Out.close();
}

void BodyWriter::write(const body::Do& S, CodeWriter& Out) {
  Out.open("do {");
  writeTurn(S.Body, /*IsCall=*/false, Out);
  Out.close("} while (" + text(S.Condition) + ");");
}

void BodyWriter::write(const body::Switch& S, CodeWriter& Out) {
  if (!S.Before.empty()) {
    Out.open("{");
    write(S.Before, Out);
  }
  Out.open("switch (" + (S.Head ? declaration(S.Head) + "; " : "") +
           (S.Variable ? declaration(S.Variable) : text(S.Condition)) + ") {");
  write(S.Body, Out);
  Out.close();
  if (!S.Before.empty())
    Out.close();
}

void BodyWriter::write(const body::Case& S, CodeWriter& Out) {
  for (const body::ExprRef& Value : S.Values)
    Out.line("case " + text(Value) + ":");
  if (S.IsDefault)
    Out.line("default:");
  Out.indent();
  if (S.Then)
    write(*S.Then, Out);
  Out.dedent();
}

void BodyWriter::write(const body::Break&, CodeWriter& Out) { Out.line("break;"); }

void BodyWriter::write(const body::Continue&, CodeWriter& Out) const {
  Out.line(TurnIsCall ? "return;" : "continue;");
}

void BodyWriter::write(const body::FallThrough&, CodeWriter& Out) { Out.line("[[fallthrough]];"); }

void BodyWriter::write(const body::Empty&, CodeWriter& Out) { Out.line(";"); }

void BodyWriter::write(const body::Block& S, CodeWriter& Out) {
  Out.open("{");
  write(S.Body, Out);
  Out.close();
}

} // namespace ikra
