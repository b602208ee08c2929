// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints functions as device code, from the AST: member accesses become column accesses, pointers
// and references to objects become IDs, calls become calls of emitted functions. Everything that
// BodyWalker accepts has a form here.

#ifndef IKRA_EMIT_BODYPRINTER_H
#define IKRA_EMIT_BODYPRINTER_H

#include "Analysis/Diagnostics.h"
#include "Analysis/Types.h"
#include "Code.h"
#include "CodeWriter.h"
#include "Layout/Layout.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ikra {

/// What bodies are printed with. Filled before printing starts, but for Aliases.
struct EmitContext {
  const ProgramModel& Model;
  const LayoutPlan& Layout;
  clang::ASTContext& Ast;
  Diagnoser& Diags;
  std::string Unit; ///< namespace of the emitted code
  /// Types that are not public, by the class whose member they are: names in that class's
  /// object_access, and in the class.
  std::map<Index, std::map<std::string, std::string>> Aliases = {};

  /// Constant arrays that bodies read, with the names of the functions that give them.
  std::vector<std::pair<const clang::VarDecl*, std::string>> Tables = {};
  /// The name of the function that gives the constant array \p V.
  std::string tableName(const clang::VarDecl* V);

  /// Reports what analysis accepted and nobody can print. \returns text in its place, which is not
  /// written to any file.
  std::string unknown(clang::SourceLocation At, llvm::StringRef What);

  /// How a class is written in device code, and, with \p UnitTag in full, outside of it.
  std::string className(Index Class, llvm::StringRef UnitTag = "unit");
  /// How the host's type is written behind the user's text, where only public names can be used.
  std::string hostText(const Type& T);
  /// How the type is written in device code.
  std::string typeText(const Type& T);
  /// The same of what a column of the member holds.
  std::string elementText(const Member& Of) {
    const std::string Text = typeText(Of.Ty);
    return Of.Bits == 0 ? Text : "ikra::bit_field<" + Text + ", " + std::to_string(Of.Bits) + ">";
  }
  /// The name of a function's emitted form.
  std::string nameOf(Index Function) const { return Model.Functions[Function].Ident; }
  /// True if the emitted function uses columns.
  bool usesColumns(Index Function) const;
  /// True if it needs the world: for columns, or to say that a check failed.
  bool needsWorld(Index Function) const;
  /// True if some section is given the world \p Type.
  bool hasWorld(llvm::StringRef Type) const;
  /// The type of the columns that functions are given.
  static std::string worldType(const Section* InSection) {
    if (!InSection || !InSection->reportsFailures())
      return "world";
    if (InSection->ChecksNull)
      return "checked_world";
    return InSection->UsesColumns ? "reporting_world" : "ikra::no_columns";
  }
};

class BodyPrinter {
public:
  /// \p InSection: the section whose element the function's SelfMask speaks of; none for functions
  /// without.
  BodyPrinter(EmitContext& Context, Index Function, const Section* InSection);

  /// The function's head without a body: template line, type, name, parameters.
  /// \p Name replaces the function's own, for call operators of sections.
  std::string signature();
  /// The body's statements, without the braces around them.
  void printBody(CodeWriter& Out);
  /// A function: \p Head, and the body in braces; on one line where it is so in the source.
  void printDefinition(const std::string& Head, CodeWriter& Out);

  std::string parameterName(unsigned K) const;
  /// The same of a parameter of a lambda in the function.
  static std::string parameterName(const clang::FunctionDecl* Of, unsigned K);
  const std::string& worldName() const { return World; }
  const std::string& selfType() const { return SelfType; }
  /// Parameters behind \p First, as their declarations.
  std::vector<std::string> parameters(unsigned First);
  std::string resultType() const;
  clang::QualType parameterType(unsigned K) const;

  std::string typeText(clang::QualType Ty) const;
  /// True where a class converts what the section is given, or what it gives.
  bool isHanded() const { return F.Handed.Given != nullptr; }
  /// What the section's code is given as argument \p K, where kernels give \p Text.
  /// \param Declarations that it needs are added
  std::string handed(unsigned K, const std::string& Text, std::vector<std::string>& Declarations);
  /// The operator that kernels call, around \p Code.
  void printHandover(const std::string& Code, CodeWriter& Out);
  /// `return Call;`, the result converted.
  void printGiven(const std::string& Call, CodeWriter& Out);

private:
  // Statements
  void print(const clang::Stmt* S, CodeWriter& Out);
  void printInBraces(const clang::Stmt* S, CodeWriter& Out);
  void printIf(const clang::IfStmt* S, CodeWriter& Out, llvm::StringRef Before);
  void printFor(const clang::ForStmt* S, CodeWriter& Out);
  void printWhile(const clang::WhileStmt* S, CodeWriter& Out);
  void printOwnIterators(const clang::CXXForRangeStmt* S, CodeWriter& Out);
  /// What a range for goes through; a list in braces as an array.
  std::string range(const clang::Expr* E);
  void printSwitch(const clang::SwitchStmt* S, CodeWriter& Out);
  void printBlock(const clang::Stmt* S, CodeWriter& Out);
  std::string declaration(const clang::VarDecl* V);
  std::string variableType(const clang::VarDecl* V) const;
  std::string declared(const clang::VarDecl* V) const;
  void printInitialisers(const clang::CXXConstructorDecl* Constructor, CodeWriter& Out);
  std::string arrayText(clang::QualType Ty) const;
  void place(const clang::Stmt* S, CodeWriter& Out);

  // Expressions (BodyPrinterExprs.cpp)
  Code code(const clang::Expr* E);
  /// In brackets of its own, or as a statement.
  std::string expr(const clang::Expr* E) { return code(E).Text; }
  /// Among others, between commas.
  std::string argument(const clang::Expr* E) { return code(E).at(Precedence::Assignment); }
  /// Beside an operator.
  std::string operand(const clang::Expr* E, Precedence Least = Precedence::Unary) {
    return code(E).at(Least);
  }
  Code binary(const clang::BinaryOperator* E);
  Code choice(const clang::ConditionalOperator* E);
  Code prefixed(const std::string& Sign, const clang::Expr* Operand);
  std::string bound(const clang::Expr* E);
  Code conversion(const clang::CastExpr* E);
  bool isBitField(const clang::Expr* E) const;
  Code bitFieldValue(const clang::Expr* E);
  std::string member(const clang::MemberExpr* E);
  /// A member of a value that is written as \p Object.
  /// \param Dot the same with `.` or `->` behind it
  std::string part(const std::string& Object, const clang::FieldDecl* Member,
                   const std::string& Dot) const;
  std::string part(const std::string& Object, const clang::FieldDecl* Member) const {
    return part(Object, Member, Object + ".");
  }
  std::string valueMember(const clang::MemberExpr* E, const clang::FieldDecl* Member);
  std::string braced(const std::string& Class, llvm::ArrayRef<const clang::Expr*> Inits);
  std::string inheritedCall(const clang::CXXInheritedCtorInitExpr* E);
  std::string nativeArguments(llvm::ArrayRef<const clang::Expr*> Arguments);
  std::string nativeCall(const clang::CallExpr* E);
  std::string firstArgument(const clang::FunctionDecl* Callee) const;
  std::optional<Code> ofOptional(clang::OverloadedOperatorKind Operator,
                                 llvm::ArrayRef<const clang::Expr*> All);
  std::string lambda(const clang::LambdaExpr* E);
  /// \param Captures the lambda's beginning, without the bracket that ends it
  std::string bodies(const clang::LambdaExpr* E, const std::string& Captures);
  /// The text of one of its functions.
  /// \param Tag a last parameter, by which it is told from others
  std::string body(const clang::FunctionDecl* Body, const std::string& Captures, bool IsMutable,
                   const std::string& Tag = "");
  /// An argument that is called by what it is handed to.
  std::string adapter(const clang::Expr* Argument, const Adapter& By);
  /// A lambda that the section captures.
  std::string capturedLambda(const CapturedLambda& Of);
  std::string rewritten(const clang::CXXRewrittenBinaryOperator* E);
  Code temporary(const clang::MaterializeTemporaryExpr* E);
  std::string receiver(const clang::Expr* E, const clang::FunctionDecl* Callee);
  std::string name(const clang::DeclRefExpr* E);
  Code call(const clang::CallExpr* E);
  Code methodCall(const clang::CXXMemberCallExpr* E);
  Code operatorCall(const clang::CXXOperatorCallExpr* E);
  // Pointers to values (BodyPrinterPointers.cpp)
  bool isPointer(clang::QualType Ty) const;
  std::string pointerText(clang::QualType Ty) const;
  /// What `this` points to.
  std::string thisObject();
  /// What a pointer to a value points to.
  Code pointed(const clang::Expr* Pointer);
  /// The same, with `.` or `->` behind it.
  std::string memberOfPointed(const clang::Expr* Pointer);
  Code pointerOperator(const clang::CXXOperatorCallExpr* E);
  std::optional<std::string> stdPointerFunction(const clang::CallExpr* E);
  std::string iteratorOf(llvm::StringRef Name, const clang::Expr* Container);
  std::string windowRead(const clang::CXXOperatorCallExpr* E);
  // Order of evaluation (BodyPrinterOrder.cpp)
  /// What C++ says of the operands of a call in the program that is a function's call in print.
  enum class Order {
    Any,
    FirstBefore, ///< the first comes before the others
    LeftToRight,
    RightToLeft,
  };
  struct Operand {
    const clang::Expr* E;
    std::string Text;
    bool IsSelf = false; ///< the section's element, which stays what it is
  };
  static Order orderOf(const clang::Expr* Site);
  /// True if there are operands whose order can be seen.
  bool orderMatters(Order How, llvm::ArrayRef<const clang::Expr*> Operands) const;
  /// \p Call of the operands' texts; where their order matters they are evaluated before it.
  std::string inOrder(Order How, llvm::ArrayRef<Operand> Operands, bool GivesPlace,
                      llvm::function_ref<std::string(std::vector<std::string>)> Call);
  /// A value that is made by a constructor that the device's compiler knows.
  std::string made(const clang::CXXConstructExpr* E, const std::string& Arguments);
  /// A constructor's arguments, in braces where these keep an order that matters.
  std::string inBrackets(const clang::CXXConstructExpr* E, const std::string& Arguments) const;
  std::string unusedName(std::string Name) const;
  std::string userCall(const clang::Expr* Site, const clang::Expr* Receiver,
                       llvm::ArrayRef<const clang::Expr*> Arguments);
  std::string arguments(llvm::ArrayRef<const clang::Expr*> Arguments);
  std::string converted(const clang::Expr* Argument);
  std::string integer(const llvm::APSInt& Value, clang::QualType Ty) const;
  /// The value of an expression that is a constant integer.
  std::string evaluated(const clang::Expr* E);
  std::string valueInitialised(clang::QualType Ty) const;
  Code construct(const clang::CXXConstructExpr* E);
  std::string sourceOf(const clang::Expr* Literal);
  std::string enumerator(const clang::EnumConstantDecl* D);
  std::string constant(const clang::VarDecl* V);
  /// True for what the section captures; constants may be used without that.
  bool isCapture(const clang::ValueDecl* V) const;
  /// The name of a captured variable, or what is at the place that was captured of it.
  std::string captured(const std::string& Name) const;
  /// The name of a variable, of which those of a pack have one in the source.
  std::string variableName(const clang::ValueDecl* V) const;
  /// \p Text, what \p E is without its implicit conversions, through bases that are not public.
  Code throughBases(const clang::Expr* E, Code Text) const;
  Code asHiddenBase(const clang::CastExpr* Cast, Code Text, const char* Sign) const;
  /// A call of a lambda that stands in the function, or is captured.
  std::string closureCall(const clang::CallExpr* E, const clang::Expr* Closure,
                          llvm::ArrayRef<const clang::Expr*> Arguments);
  /// The type of a parameter that tells a generic lambda's function from another one that takes
  /// the same here; empty where there is none.
  std::string instanceTag(const clang::FunctionDecl* Of) const;
  const clang::CXXRecordDecl* valueClass(clang::QualType Ty) const {
    return valueClassOf(Ty, Context.Model.Roles);
  }
  /// The element itself, as functions that take it are given it.
  std::string selfObject(const clang::Expr* E);

  EmitContext& Context;
  const Function& F;
  const Section* InSection;
  const clang::FunctionDecl* Home;        ///< the function, or the captured lambda being printed
  const CapturedLambda* Within = nullptr; ///< that lambda
  std::set<std::string> Used;             ///< names that the function declares
  std::string World;                      ///< name of the world
  std::string SelfObject;                 ///< name of the receiver
  std::string SelfType;                   ///< name of the element's type
  const clang::Expr* Adapting = nullptr;  ///< the argument whose adapter is printed
  bool Lambda = false;                    ///< within a lambda's text, whose lines have no places
  std::string Made;                       ///< name of what a constructor fills
};

/// The type of \p Ty as Analysis classified it; Emit only looks up what was decided there.
Type typeOf(EmitContext& Context, clang::QualType Ty);

} // namespace ikra

#endif
