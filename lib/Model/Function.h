// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that sections reach: what each calls, how it uses members, and its body.

#ifndef IKRA_MODEL_FUNCTION_H
#define IKRA_MODEL_FUNCTION_H

#include "Body.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang {
class Expr;
class FunctionDecl;
class LambdaExpr;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace ikra {

/// How a function uses members. 'Self' means through the element of the section, 'other' through
/// any other path.
struct MemberUse {
  std::set<Index> ReadSelf, ReadOther, WriteSelf, WriteOther;
  /// Updated by atomic operations whose results are not used.
  std::set<Index> Atomic;
  /// Those written in another way than that a result of type T& refers to them.
  std::set<Index> Changed;
  bool ChangesResults = false; ///< writes through results of type T&
  void add(const MemberUse& Other);
  std::set<Index> read() const;
  std::set<Index> written() const;
};

/// What a call in a section runs: one function, or by the class of the receiver one of several.
struct CallTarget {
  std::optional<Index>
      Class; ///< concrete class of the receiver; none for calls that are not dispatched
  Index Function = 0;
};

struct Call {
  std::vector<CallTarget> Targets;
  bool Dispatched = false; ///< by the class of the receiver
  std::string Dispatcher;  ///< name of the function that chooses, where there are several targets
  bool ReceiverIsSelf = false;
  /// One function whatever the class: called without choosing.
  bool isDirect() const { return Targets.size() == 1; }
  bool Unconditional = false; ///< runs whenever its caller runs
  std::uint64_t SelfMask = 0; ///< which arguments are the section's element, as in Function
  std::uint64_t CopyMask = 0; ///< which are copies of objects
  unsigned Position = 0;      ///< where it stands in the source, among others of its function
};

/// A use of a whole object: a copy of it is made, or it is assigned.
struct WholeUse {
  Index Class;   ///< of the copy
  bool IsSelf;   ///< the object is the section's element
  bool IsAlways; ///< whenever its function runs
  clang::SourceLocation At;
  const clang::Expr* Assignment = nullptr; ///< of the object; null: a copy of it is made
  bool IsReturned = false;                 ///< it is assigned a copy of itself
  std::set<Index> Assigned = {};           ///< members, those of objects that it holds as well
  bool isWrite() const { return Assignment != nullptr; }
};

/// Of a neighbour: one number per dimension, the outermost first.
using Offset = std::vector<std::int64_t>;

/// "(-1, 0)"
std::string textOf(const Offset& O);

/// A read of a window at a constant offset.
struct WindowRead {
  Offset At;
  const clang::Expr* Where = nullptr;
};

/// A lambda with captures that a section captures: device code has the lambda itself, around what
/// the section holds of its captures.
struct CapturedLambda {
  const clang::ValueDecl* Decl = nullptr; ///< what holds it
  const clang::LambdaExpr* Lambda = nullptr;
  struct Part {
    const clang::ValueDecl* Decl; ///< null for `this`
    std::string Name;             ///< in the lambda
    std::string InSection;        ///< of the section's capture
  };
  std::vector<Part> Parts;
  std::vector<CapturedLambda> Inner; ///< that it captures itself
};

/// What hands a section its element where a class converts that: kernels know no functions of the
/// user's classes.
struct Handover {
  /// Its parameters are what kernels give, and after these what the code gives, if that is
  /// converted; null: all is handed on as it is.
  const clang::FunctionDecl* Given = nullptr;
  std::vector<const clang::Expr*> Arguments; ///< of the code; null ones are handed on as they are
  const clang::Expr* Result = nullptr;       ///< made of what the code gives
};

/// A function object, or a function, that is handed to a function of the standard library: for each
/// list of types that it is called with a function that calls it.
struct Adapter {
  std::vector<const clang::FunctionDecl*> Calls;
  bool HasObject = true; ///< their first parameter
  bool IsCopied = false; ///< the object is, where it is given
  /// How device code names the types of their other parameters that are pointers in a variant;
  /// empty for others. None where there are no such variants.
  std::vector<std::vector<std::string>> Alternatives = {};
};

/// Members of the element that every run of a function uses.
struct AlwaysUse {
  std::set<Index> Accessed;
  std::set<Index> Written; ///< of these
};

/// A function that sections reach, once for each set of arguments that are the section's own
/// element, or copies of objects.
struct Function {
  std::string Name;  ///< qualified, as diagnostics show it
  std::string Ident; ///< unique in emitted code
  /// Bit 0: the receiver is the section's element; bit k+1: argument k is.
  std::uint64_t SelfMask = 0;
  /// The same of copies of objects, which are structs here. Of a constructor, bit 0 is the copy
  /// that it makes.
  std::uint64_t CopyMask = 0;
  /// Of a method of a copy whose class is known exactly, and virtual methods may differ by: it.
  std::optional<Index> CopyClass;
  bool IsSection =
      false; ///< the call operator of a section's lambda, or the function given as a section
  bool TestsSelfForNull = false; ///< it, or what it gives the element to, compares it with null
  bool DereferencesSelf = false; ///< it, or what it gives the element to, uses the object
  bool CallsAt = false;          ///< it, or what it calls, calls at() or has checks, which may fail
  bool Asserts = false;          ///< it, or what it calls, may stop the program
  bool NamesNull = false;        ///< it, or what it calls, names null or asks a pointer for it
  bool ComparesObjects = false;  ///< it, or what it calls, asks whether two pointers are the same
  std::vector<std::string> Copies; ///< of objects, in its own body: variables, or "result"
  std::vector<WholeUse> Wholes;
  bool Dispatches = false;       ///< it, or what it calls, tells classes of objects apart
  std::set<Index> Globals;       ///< that it, or what it calls, reads
  std::set<Index> TestedClasses; ///< for which its own body asks of what class an object is
  SourceLoc At;
  MemberUse Direct;     ///< of its own body
  MemberUse Total;      ///< with all that it calls
  AlwaysUse AlwaysSelf; ///< by its own body
  std::map<const clang::Expr*, Call> Calls;
  std::vector<WindowRead> WindowReads;
  std::vector<CapturedLambda> Lambdas;            ///< of a section
  Handover Handed;                                ///< to a section
  std::map<const clang::Expr*, Adapter> Adapters; ///< by the argument
  const clang::FunctionDecl* Decl = nullptr;
  std::optional<body::Body> Code; ///< of functions that device code has
  body::Work Takes;               ///< its own body, without what it calls
};

/// A variable of namespace scope, or a static member, that sections read: its value when they
/// start.
struct GlobalVariable {
  enum Form {
    Value,   ///< copied into the columns view
    List,    ///< a container of values: a view of them
    Object,  ///< a pointer to an object, or an object: its ID; a value that holds pointers
    Objects, ///< a container of such: a view of their IDs, or of the values
  } Is = Value;
  std::string Name;
  std::string Ident;    ///< of the field of the columns view that has it
  std::string HostText; ///< how the program's text names it from the global namespace
  /// What stands around its name where sessions take the pointer, or the container.
  std::string Before, After;
  std::optional<Index> HiddenIn; ///< the class of which it is a member that is not public
  Type Ty;                       ///< of a built-in array's elements
  std::string Extents;           ///< of a built-in array, as in its declarator
  unsigned Bytes = 0;
  const clang::VarDecl* Decl = nullptr;
};

/// A constant array or value of a class that bodies read: a device does not have the host's.
struct ConstantTable {
  std::string Ident;                  ///< of the function that gives it
  TypeRef Element;                    ///< of an array in all its dimensions
  std::vector<std::uint64_t> Extents; ///< none: a value of a class
  body::ExprRef Value;
  const clang::VarDecl* Decl = nullptr;
};

} // namespace ikra

#endif
