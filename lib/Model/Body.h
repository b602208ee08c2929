// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of device functions as data: a typed tree of what a function does on a device, made from
// clang's AST by Analysis/BodyBuilder, and all that later stages know of device code. Its nodes are
// operations of device code, not of C++: a pointer to an object is an ID, a member is a column,
// what C++ evaluates in order is ordered by a node. The page is docs/bodies.md.
//
// Trees are shared and never change: copies of a model share them.

#ifndef IKRA_MODEL_BODY_H
#define IKRA_MODEL_BODY_H

#include "Type.h"

#include "clang/Basic/SourceLocation.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace ikra::body {

struct Expr;
struct Stmt;
using ExprRef = std::shared_ptr<const Expr>;
using StmtRef = std::shared_ptr<const Stmt>;
using Exprs = std::vector<ExprRef>;
using Stmts = std::vector<StmtRef>;

/// An argument of a template: a type, or a number.
using TemplateArgument = std::variant<TypeRef, std::string>;

/// How long an operation takes.
enum class Latency {
  Short,
  Long, ///< as many simple operations: a division by a variable, a square root
  /// Some ten operations, each of which waits for the one before: of integers, by a constant that
  /// is no power of two.
  OfDivisionByConstant,
};

/// What a division or a mathematical function takes of one core's simple operations.
inline constexpr unsigned OperationsPerLongOne = 16;

/// What a body takes; later stages weigh kernels by it.
struct Work {
  unsigned Operations = 0;
  unsigned Long = 0;    ///< of these, those that are not short
  bool Divides = false; ///< some are divisions by constants
  bool Loops = false;
  bool Diverges = false; ///< how often some of them turn depends on the element
  bool Repeats = false;  ///< some turn more than a few times, or may
};

//===-- expressions: what has a value ------------------------------------------------------===//

/// A number, a character, true, false, nullptr: as C++ writes it.
struct Literal {
  std::string Text;
};
/// A value that never changes, of the expression's type.
struct Constant {
  std::string Value;
  std::string Name; ///< of the variable that has it; may be empty
};
/// Of the expression's type.
struct Enumerator {
  std::string Name;
};
/// A local variable, a parameter, or what a lambda in the body captured.
struct Name {
  std::string Ident;
};
/// What the section captures.
struct Captured {
  std::string Ident;
};
/// A constant array: index into ProgramModel::Tables.
struct Table {
  std::size_t Number;
};
/// A variable of the program that no section changes: index into ProgramModel::Globals.
struct Global {
  std::size_t Number;
};
/// The section's element, or its ID.
struct Element {
  std::string Ident; ///< of the parameter that has it
  bool AsId;
};
/// The object of a method, or the value that a constructor makes.
struct Receiver {};
/// A member of an object, in a column. The object is an Element, or gives an ID.
struct Member {
  std::size_t Number; ///< index into ProgramModel::Members
  ExprRef Object;
};
/// A member of a value.
struct Part {
  ExprRef Object;
  std::string Field;
  TypeRef HiddenIn;            ///< the class, where the member is not public
  bool ThroughPointer = false; ///< the object is written as what a pointer points to
};

struct Unary {
  std::string Sign;
  ExprRef Operand;
  bool IsPostfix = false;
};
/// What a pointer points to.
struct Deref {
  ExprRef Pointer;
};
/// Assignments and the comma too.
struct Binary {
  std::string Sign;
  ExprRef Left, Right;
  bool IsOverloaded = false;
  Latency Takes = Latency::Short;
};
/// Whether an ID or a pointer is not null.
struct IsSet {
  ExprRef Pointer;
};
/// Tells an object's class from its ID.
struct OfClass {
  enum Form {
    Cast,  ///< dynamic_cast: the ID if the object is of the class or of one derived from it
    Refer, ///< the same to a reference, which fails for others: it says so through the columns view
    Equals ///< of typeid: whether it is of the class itself
  } Is;
  ExprRef Object;
  std::size_t Class; ///< index into ProgramModel::Classes
};
/// Whether two objects are of one class.
struct SameClass {
  ExprRef Left, Right;
  std::size_t Class; ///< of their family: index into ProgramModel::Classes
};
struct Choice {
  ExprRef Condition, Then, Else;
};
/// Parentheses that stand in the program, or keep a whole apart.
struct Paren {
  ExprRef Inner;
};
struct Cast {
  enum Form { Static, Const, ToHiddenBase, Bits } Is; ///< Bits: std::bit_cast
  TypeRef To;
  ExprRef Of;
};
/// A value of a class or an array, made of parts: T(a, b), T{a, b}, {a, b}.
struct Make {
  TypeRef Of; ///< null: the type is clear from where it stands
  Exprs Arguments;
  bool InBraces;
};
/// What a range for goes through that the program lists: an array of these elements.
struct Listed {
  TypeRef Of;
  Exprs Elements;
};
struct Subscript {
  ExprRef Base, Index;
};
/// An element of an array of several dimensions, "points(i, d)".
struct Location {
  ExprRef Array;
  Exprs Places;
};

/// A call of a function of the model, or of several by the receiver's class.
struct Call {
  std::optional<std::size_t> Function; ///< none: Dispatcher chooses
  std::string Dispatcher;
  Exprs Arguments; ///< the receiver first
  /// The receiver is looked at for null where the section checks that: nothing else does.
  bool ChecksReceiver = false;
};
/// A call of a function of the standard library, of CUDA's, or of the runtime.
struct LibraryCall {
  std::string Name; ///< qualified
  std::vector<TemplateArgument> Types;
  Exprs Arguments;
  bool MayFail = false; ///< it says so through the columns view
  Latency Takes = Latency::Short;
};
/// A call of a method of a class of the standard library, or of the plain one.
struct MethodCall {
  ExprRef Object;
  std::string Name;
  std::vector<TemplateArgument> Types; ///< written where there are any
  Exprs Arguments;
  bool ThroughPointer = false;
};
/// A call of a lambda, or of another value that is called.
struct Invoke {
  ExprRef Callee;
  Exprs Arguments;
};
/// What a stencil's section reads of its window.
struct WindowRead {
  ExprRef Window;
  Exprs Arguments;
  bool InBrackets; ///< [], else ()
};

struct Lambda {
  struct Capture {
    std::string Ident;
    ExprRef Init; ///< null: a copy of what has the same name
    bool ByReference = false;
  };
  struct Parameter {
    TypeRef Ty;
    std::string Ident; ///< empty: it has none
  };
  std::vector<Capture> Captures; ///< besides all around it, by reference
  std::vector<Parameter> Parameters;
  std::string Tag; ///< a last parameter's type, which tells it from others; may be empty
  bool IsMutable = false;
  TypeRef Result;
  Stmts Body;
};
/// Several function objects as one.
struct Overloaded {
  Exprs Functions;
};

/// Operands that are evaluated from left to right, and then the expression that names them.
struct Ordered {
  struct Operand {
    std::string Ident;
    ExprRef Value;
  };
  std::vector<Operand> Operands;
  ExprRef Result;
  bool GivesLValue; ///< the result is a place, not a value
};
/// An operand of Ordered that may be moved from.
struct Forwarded {
  std::string Ident;
};

struct Expr {
  using Node =
      std::variant<Literal, Constant, Enumerator, Name, Captured, Table, Global, Element, Receiver,
                   Member, Part, Unary, Deref, Binary, IsSet, OfClass, SameClass, Choice, Paren,
                   Cast, Make, Listed, Subscript, Location, Call, LibraryCall, MethodCall, Invoke,
                   WindowRead, Lambda, Overloaded, Ordered, Forwarded>;
  Node Is;
  TypeRef Ty; ///< null for nodes that Analysis adds around others
  clang::SourceLocation At;
};
inline ExprRef expr(Expr::Node Is, TypeRef Ty = nullptr, clang::SourceLocation At = {}) {
  return std::make_shared<const Expr>(Expr{std::move(Is), std::move(Ty), At});
}

//===-- statements -------------------------------------------------------------------------===//

struct Evaluate {
  ExprRef Value;
};
/// A local variable, or several that a value is taken apart into.
struct Declare {
  enum Form {
    Plain,  ///< without a value
    Equals, ///< T x = value
    Direct, ///< T x(values), or T x{values}
  };
  TypeRef Ty;
  std::string Ident;
  std::vector<std::string> Bindings; ///< in place of Ident
  bool IsConstexpr = false;
  /// Of an array whose elements have no values yet, as in the program: what it is within.
  std::string Room;
  Form Init = Plain;
  Exprs Values;
  bool InBraces = false;
};
struct Return {
  ExprRef Value; ///< may be null
};
struct If {
  Stmts Before;      ///< in a block around it
  StmtRef Head;      ///< a variable that is declared in front of the condition; may be null
  StmtRef Variable;  ///< that is declared as the condition; may be null
  ExprRef Condition; ///< null where the variable says it
  Stmts Then, Else;
  bool HasElse = false;
  bool ElseIf = false; ///< Else is one If
};
struct For {
  bool InBlock = false; ///< it has one of its own, which Before stands in
  Stmts Before;
  StmtRef Init;        ///< a declaration or an expression; may be null
  std::string Hoisted; ///< an ID that is declared in front of the loop, and set by the condition
  ExprRef HoistedValue;
  StmtRef Variable;        ///< declared as the condition; may be null
  ExprRef Condition, Step; ///< may be null
  Stmts Body;
};
struct ForRange {
  bool InBlock = false;
  Stmts Before;
  StmtRef Variable; ///< a Declare without a value
  ExprRef Range;
  Stmts Body;
};
struct While {
  StmtRef Variable;  ///< declared as the condition; may be null
  ExprRef Condition; ///< with a variable: asks it, and the variable is declared each time
  Stmts Body;
};
struct Do {
  Stmts Body;
  ExprRef Condition;
};
struct Switch {
  Stmts Before;
  StmtRef Head;
  StmtRef Variable;
  ExprRef Condition;
  Stmts Body;
};
/// Labels, default among them if IsDefault, and the statement after them.
struct Case {
  Exprs Values;
  bool IsDefault = false;
  StmtRef Then; ///< null: nothing
};
struct Break {};
struct Continue {};
struct FallThrough {};
struct Empty {};
struct Block {
  Stmts Body;
};

struct Stmt {
  using Node = std::variant<Evaluate, Declare, Return, If, For, ForRange, While, Do, Switch, Case,
                            Break, Continue, FallThrough, Empty, Block>;
  Node Is;
  std::optional<SourceLoc> At; ///< where the program says it, if that is text of the program's
};
inline StmtRef stmt(Stmt::Node Is, std::optional<SourceLoc> At = std::nullopt) {
  return std::make_shared<const Stmt>(Stmt{std::move(Is), std::move(At)});
}

//===-- functions --------------------------------------------------------------------------===//

struct Parameter {
  std::string Ident;
  bool IsNamed = true;
  TypeRef Ty;    ///< as the program declares it
  TypeRef Given; ///< as its section is given it: elements, not places
  /// A window's type: the name of a template's parameter. With clang as its host compiler, nvcc
  /// loses what `auto` parameters have in front of the function.
  std::string WindowType;
  bool IsElement = false;
  bool IsMovedFrom = false; ///< an rvalue reference
  bool IsOmitted = false;   ///< a section's: it is a capture, or chooses among functions only
  ExprRef Default;          ///< of a section's parameter for which the operation has nothing
};

/// What hands a section its element where a class converts that (Handover in Function.h).
struct Conversion {
  std::vector<Lambda::Parameter> Given;    ///< what kernels give
  Exprs Arguments;                         ///< of the code; null ones are handed on as they are
  std::optional<Lambda::Parameter> Result; ///< what the code gives, if that is converted
  ExprRef ResultValue;
};

struct Body {
  std::string ColumnsView; ///< name of the columns view
  std::string Self;        ///< name of the receiver
  std::string SelfType;    ///< name of the element's type, a template's parameter
  std::string Made;        ///< name of what a constructor fills
  enum { NoReceiver, ValueReceiver, ObjectReceiver, ElementReceiver } ReceiverIs = NoReceiver;
  TypeRef ReceiverType; ///< of a value
  TypeRef Result;
  bool IsConstructor = false; ///< it gives the value that it makes, which Result is the type of
  std::vector<Parameter> Parameters;
  Stmts Statements;
  bool IsOfLibrary = false; ///< its text is not the program's
  bool IsOneLine = false;   ///< in the program
  std::optional<Conversion> Handed;
};

/// The expressions directly in \p E, in the order of evaluation as far as there is one; bodies of
/// lambdas are not among them.
Exprs operandsOf(const Expr& E);
/// The same of a statement, and of the statements directly in it.
Exprs operandsOf(const Stmt& S);
Stmts childrenOf(const Stmt& S);

/// What the model calls that bodies have numbers of.
struct Names {
  std::function<std::string(std::size_t)> Function, Member, Table, Class, Global;
};
/// The printed form of `--print=bodies`, indented.
void print(const Body& Of, const Names& Known, llvm::raw_ostream& OS);

} // namespace ikra::body

#endif
