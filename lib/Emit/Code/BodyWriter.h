// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes bodies (Model/Body.h) as device code, with the columns that Layout has planned: one method
// a kind of node. Everything that a body can say has a form here.

#ifndef IKRA_EMIT_CODE_BODYWRITER_H
#define IKRA_EMIT_CODE_BODYWRITER_H

#include "Code.h"
#include "CodeWriter.h"
#include "EmitContext.h"

namespace ikra {

class BodyWriter {
public:
  /// \p InSection: the section whose element the function's SelfMask speaks of; none for functions
  /// without.
  BodyWriter(EmitContext& Context, Index Function, const Section* InSection)
      : Context(Context), Body(*Context.Model.Functions[Function].Code), Number(Function),
        InSection(InSection) {}
  /// The text of a constant, which stands in no function.
  static std::string constant(EmitContext& Context, const body::Expr& E);
  /// "int x[3]": what declares \p Ident.
  static std::string declarator(EmitContext& Context, const CodeType& Ty, const std::string& Ident);
  /// Statements of the host's code, which stand in no function of the model.
  static void statements(EmitContext& Context, const body::Stmts& Body, CodeWriter& Out);

  /// The function's head without a body: template line, type, name, parameters.
  std::string signature();
  /// A function: \p Head, and the body in braces; on one line where it is so in the source.
  void writeDefinition(const std::string& Head, CodeWriter& Out);

  /// "template <class Self, class Window> ", or nothing.
  std::string templateLine(bool HasSelf) const;
  /// The parameters, as their declarations.
  std::vector<std::string> parameters();
  std::string resultType() { return Context.text(*Body.Result); }
  const std::string& columnsViewName() const { return Body.ColumnsView; }
  /// True where a class converts what the section is given, or what it gives.
  bool isHanded() const { return Body.Handed.has_value(); }
  /// What the section's code is given as argument \p K, where kernels give \p Text.
  /// \param Declarations that it needs are added
  std::string handed(unsigned K, const std::string& Text, std::vector<std::string>& Declarations);
  /// The operator that kernels call, around the method code().
  void writeHandover(CodeWriter& Out);
  /// A function that computes several results of the section. \p Name: its name
  void writeSideBySide(const SideBySide& Plan, const std::string& Name, CodeWriter& Out);
  /// From now on, elements that loops go through stand in the memory of a GPU's block.
  void putInTiles(const ArrayTiles& Plan) { InTiles = &Plan; }
  /// `return Call;`, the result converted.
  void writeGiven(const std::string& Call, CodeWriter& Out);

private:
  class SideBySideWriter;

  // Statements
  void write(const body::Stmts& Body, CodeWriter& Out);
  void write(const body::Stmt& S, CodeWriter& Out);
  void write(const body::Evaluate& S, CodeWriter& Out);
  void write(const body::Declare& S, CodeWriter& Out);
  void write(const body::Return& S, CodeWriter& Out);
  void write(const body::If& S, CodeWriter& Out, llvm::StringRef Before = "");
  void write(const body::For& S, CodeWriter& Out);
  void write(const body::ForRange& S, CodeWriter& Out);
  template <class Loop> void writeLoop(const Loop& S, CodeWriter& Out);
  static void writeBeforeLoop(const body::For& S, CodeWriter& Out);
  static void writeBeforeLoop(const body::ForRange&, CodeWriter&) {}
  /// What a loop repeats. \p IsCall: each turn is a call of a function, which `continue` ends
  void writeTurn(const body::Stmts& Turn, bool IsCall, CodeWriter& Out);
  /// A loop whose elements stand in the memory of a GPU's block. \returns false for others
  bool writeInTiles(const body::For& S, CodeWriter& Out);
  bool writeInTiles(const body::ForRange& S, CodeWriter& Out);
  /// The name of an element in a block's memory; empty if it does not stand there.
  std::string elementInTile(const body::Expr& E) const;
  std::string textOf(const TiledLine& Of);
  /// Names of the body, and of what its section captures.
  std::set<std::string> takenNames() const;
  /// What opens a loop without a hoisted ID.
  std::string head(const body::For& S);
  std::string head(const body::ForRange& S);
  void write(const body::While& S, CodeWriter& Out);
  void write(const body::Do& S, CodeWriter& Out);
  void write(const body::Switch& S, CodeWriter& Out);
  void write(const body::Case& S, CodeWriter& Out);
  void write(const body::Break& S, CodeWriter& Out);
  void write(const body::Continue& S, CodeWriter& Out) const;
  void write(const body::FallThrough& S, CodeWriter& Out);
  void write(const body::Empty& S, CodeWriter& Out);
  void write(const body::Block& S, CodeWriter& Out);
  /// A declaration's text, without the semicolon.
  std::string declaration(const body::Declare& S);
  std::string declaration(const body::StmtRef& S) {
    return declaration(std::get<body::Declare>(S->Is));
  }

  // Expressions
  Code code(const body::Expr& E);
  Code code(const body::Literal& E, const body::Expr& Of);
  Code code(const body::Constant& E, const body::Expr& Of);
  Code code(const body::Enumerator& E, const body::Expr& Of);
  Code code(const body::Name& E, const body::Expr& Of);
  Code code(const body::Captured& E, const body::Expr& Of);
  Code code(const body::Table& E, const body::Expr& Of);
  Code code(const body::Global& E, const body::Expr& Of);
  Code code(const body::Element& E, const body::Expr& Of);
  Code code(const body::Receiver& E, const body::Expr& Of);
  Code code(const body::Member& E, const body::Expr& Of);
  Code code(const body::Part& E, const body::Expr& Of);
  Code code(const body::Unary& E, const body::Expr& Of);
  Code code(const body::Deref& E, const body::Expr& Of);
  Code code(const body::Binary& E, const body::Expr& Of);
  Code code(const body::IsSet& E, const body::Expr& Of);
  Code code(const body::OfClass& E, const body::Expr& Of);
  Code code(const body::SameClass& E, const body::Expr& Of);
  Code code(const body::Choice& E, const body::Expr& Of);
  Code code(const body::Paren& E, const body::Expr& Of);
  Code code(const body::Cast& E, const body::Expr& Of);
  Code code(const body::Make& E, const body::Expr& Of);
  Code code(const body::Listed& E, const body::Expr& Of);
  Code code(const body::Subscript& E, const body::Expr& Of);
  Code code(const body::Location& E, const body::Expr& Of);
  Code code(const body::Call& E, const body::Expr& Of);
  Code code(const body::LibraryCall& E, const body::Expr& Of);
  Code code(const body::MethodCall& E, const body::Expr& Of);
  Code code(const body::Invoke& E, const body::Expr& Of);
  Code code(const body::WindowRead& E, const body::Expr& Of);
  Code code(const body::Lambda& E, const body::Expr& Of);
  Code code(const body::Overloaded& E, const body::Expr& Of);
  Code code(const body::Ordered& E, const body::Expr& Of);
  Code code(const body::Forwarded& E, const body::Expr& Of);

  /// In brackets of its own, or as a statement.
  std::string text(const body::ExprRef& E) { return code(*E).Text; }
  /// Among others, between commas.
  std::string argument(const body::ExprRef& E) { return code(*E).at(Precedence::Assignment); }
  /// Beside an operator.
  std::string operand(const body::ExprRef& E, Precedence Least = Precedence::Unary) {
    return code(*E).at(Least);
  }
  std::vector<std::string> texts(const body::Exprs& Arguments);
  std::string arguments(const body::Exprs& Arguments);
  std::string templateArguments(const std::vector<body::TemplateArgument>& Types);
  /// \p Object with what leads to its members: `.`, or `->` for what a pointer points to.
  std::string leadingTo(const body::ExprRef& Object, bool ThroughPointer);
  std::string declared(const body::Lambda::Parameter& P);

  BodyWriter(EmitContext& Context, const body::Body& None) : Context(Context), Body(None) {}
  const Function& function() const { return Context.Model.Functions[Number]; }
  bool isAmbiguous(Index Called) const;

  EmitContext& Context;
  const body::Body& Body;
  Index Number = 0;
  const Section* InSection = nullptr;
  bool TurnIsCall = false;             ///< of the loop around
  const ArrayTiles* InTiles = nullptr; ///< null: elements stand where they are
  /// The names of the elements that loops around have in a block's memory, by loop and line.
  std::map<std::pair<const body::Stmts*, std::size_t>, std::string> TileElements;
};

} // namespace ikra

#endif
