// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Analysis leaves behind: the sections of a translation unit, the classes, members and
// functions that they reach, and what they read and write. Plain data: every cross reference is an
// index into one of the vectors of ProgramModel. Pointers to AST nodes are handles by which
// the host text is edited; no later stage takes decisions from them.

#ifndef IKRA_MODEL_PROGRAMMODEL_H
#define IKRA_MODEL_PROGRAMMODEL_H

#include "Body.h"
#include "Operations.h"
#include "Type.h"

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace clang {
class CXXRecordDecl;
class DeclStmt;
class EnumDecl;
class Expr;
class FieldDecl;
class FunctionDecl;
class LambdaExpr;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace ikra {

/// Which of the program's classes have objects that sections reach through pointers or references.
/// All other classes that are copied as bytes are value classes.
struct ClassRoles {
  std::set<const clang::CXXRecordDecl*> Objects; ///< by their first declarations
  /// Those of them that members lead to, with one such member each.
  std::map<const clang::CXXRecordDecl*, const clang::FieldDecl*> Through = {};
};

/// A class that sections reach.
struct Class {
  std::string Name;  ///< qualified, as diagnostics show it
  std::string Ident; ///< unique in emitted code
  /// The class whose member this one is, where it, or a class around it, is not public.
  std::optional<Index> Outer;
  bool IsPrivate = false; ///< not public in Outer
  std::string ShortName;  ///< within Outer
  bool IsValue = false;   ///< its values are used, and it has no objects
  /// Members of a value class that are not public, which device code gets at through object_access.
  std::set<std::string> HiddenMembers;
  std::vector<Index> Bases;
  /// Classes that an object can have whose static class is this one, in the order of their IDs.
  std::vector<Index> Concrete;
  Index Family = 0;
  bool Referenced = false;       ///< some pointer or reference has it as its static class
  bool CanBeConstructed = false; ///< objects have it as their dynamic class
  bool Polymorphic = false;
  bool GrantsAccess = false; ///< IKRA_OBJECT stands in its body
  SourceLoc At;
  const clang::CXXRecordDecl* Decl = nullptr;
};

/// A data member that sections read or write.
struct Member {
  Index Class;
  std::string Name;
  Type Ty;
  unsigned Bytes = 0;            ///< size of a value
  unsigned Bits = 0;             ///< width of a bit-field; 0 for other members
  bool Fixed = false;            ///< list of constant length (std::array, C array)
  unsigned DeclarationOrder = 0; ///< among the members of its class
  bool Public = false;
  bool IsConst = false, IsVolatile = false;
  bool FitsRegisters = false; ///< worth keeping in registers over the ticks of a peach
  const clang::FieldDecl* Decl = nullptr;
};

/// How a function uses members. 'Self' means through the element of the section, 'other' through
/// any other path.
struct MemberUse {
  std::set<Index> ReadSelf, ReadOther, WriteSelf, WriteOther;
  /// Updated by atomic operations whose results are not used.
  std::set<Index> Atomic;
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
  unsigned Position = 0;      ///< where it stands in the source, among others of its function
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
  /// Its parameters are what kernels give, and behind these what the code gives, if that is
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
};

/// A function that sections reach, once for each set of arguments that are the section's own
/// element.
struct Function {
  std::string Name;  ///< qualified, as diagnostics show it
  std::string Ident; ///< unique in emitted code
  /// Bit 0: the receiver is the section's element; bit k+1: argument k is.
  std::uint64_t SelfMask = 0;
  bool IsSection =
      false; ///< the call operator of a section's lambda, or the function given as a section
  bool TestsSelfForNull = false; ///< it, or what it gives the element to, compares it with null
  bool DereferencesSelf = false; ///< it, or what it gives the element to, uses the object
  bool CallsAt = false;          ///< it, or what it calls, calls at(), which may fail
  bool NamesNull = false;        ///< it, or what it calls, names null or asks a pointer for it
  bool Dispatches = false;       ///< it, or what it calls, chooses a function by class
  SourceLoc At;
  MemberUse Direct; ///< of its own body
  MemberUse Total;  ///< with all that it calls
  std::set<Index>
      AlwaysSelf; ///< members of the element that its own body accesses whenever it runs
  std::map<const clang::Expr*, Call> Calls;
  std::vector<WindowRead> WindowReads;
  std::vector<CapturedLambda> Lambdas;            ///< of a section
  Handover Handed;                                ///< to a section
  std::map<const clang::Expr*, Adapter> Adapters; ///< by the argument
  const clang::FunctionDecl* Decl = nullptr;
  std::optional<body::Body> Code; ///< of functions that device code has
  body::Work Takes;               ///< its own body, without what it calls
};

/// A constant array or value of a class that bodies read: a device does not have the host's.
struct ConstantTable {
  std::string Ident;                  ///< of the function that gives it
  TypeRef Element;                    ///< of an array in all its dimensions
  std::vector<std::uint64_t> Extents; ///< none: a value of a class
  body::ExprRef Value;
  const clang::VarDecl* Decl = nullptr;
};

/// What a stencil gives where a neighbour lies outside.
enum class Border {
  Value, ///< a value
  Keep,  ///< the element itself
  Clamp, ///< the section's result, the neighbour being the nearest element inside
  Wrap,  ///< the same, the neighbour being that on the other side
};

/// The border's name in the plain library, and in the runtime.
const char* nameOf(Border B);

enum class CaptureKind {
  Value,
  Object,
  View,       ///< of a container of values
  ObjectView, ///< of a container of pointers to objects, which the section holds as an ikra::array
  InMemory,   ///< a value too large for a kernel's parameters, which the device has in memory
};

struct Capture {
  std::string Name;
  std::string HostText; ///< expression that gives the value where the section stands
  CaptureKind Kind = CaptureKind::Value;
  bool IsOwner = false; ///< a smart pointer, which the section keeps
  Type Ty;
  const clang::ValueDecl* Decl = nullptr; ///< null for `this`
  bool IsOfLambda = false;                ///< of a lambda that is captured: Section::Lambdas
};

/// How the host's text hands a section to its operation.
enum class Rewriting {
  Argument,    ///< in place of the function that the user wrote
  NewArgument, ///< behind the arguments of the call: sum(), count(f), pzip(a)
  Operator,    ///< a + b becomes a call
};

/// Where the host's text gets what a section captures.
enum class CapturesFrom {
  Names,  ///< what the lambda's text names
  Object, ///< the function object, which is the capture
  Kept,   ///< the function object, a lambda that was given a name, which keeps copies
};

/// How the ticks of a peach run.
enum class TickLoop {
  InThread,      ///< no element reads what another writes: each thread runs all ticks
  LaunchPerTick, ///< a tick sees what other elements wrote in the ticks before
};

/// Which instantiation of the templates around it a section stands in. One text serves all of them.
struct Instantiation {
  std::string Template;            ///< names the place in the text, for all instantiations
  std::vector<std::string> InText; ///< the templates' parameters, as arguments of the text
  std::string Arguments;           ///< the same for this instantiation
  std::set<Index> Lambdas;         ///< that the arguments name
};

/// What the host's text says of one thing that is captured.
struct CaptureText {
  enum Kind {
    Itself,   ///< a capture
    Empty,    ///< the same, perhaps of a class without members
    OfLambda, ///< a lambda, which gives its captures: any number
    Nothing,  ///< a lambda without captures
    Either,   ///< what is Empty, or a lambda that the text names
  } Gives;
  std::string Text;
  bool IsNamed = true; ///< of a lambda: the text names it
};

/// A lambda in the text whose closure type is an argument of a template: a tag stands for the type.
struct NamedLambda {
  std::string Ident; ///< of the tag; where the lambda stands in a template, of a template of tags
  std::vector<std::string> InText;   ///< the parameters of the templates around it
  std::vector<CaptureText> Captures; ///< where sections need them
  bool InTemplate = false;
  bool IsUsed = false; ///< by a section
  SourceLoc At;
  const clang::LambdaExpr* Lambda = nullptr;
};

/// Who may read an array besides the section whose input it is.
struct Readers {
  std::set<Index> Sections; ///< whose inputs it is
  bool AreUnseen = false;   ///< others, or the same section once more
  bool IsNamed = false;     ///< what reads it names what holds it; a temporary dies
};

struct Section {
  std::string Ident;
  std::optional<Instantiation> Instance; ///< where the section stands in a template
  Operation Op = Operation::PMap;
  SourceLoc At;
  std::vector<Type> Elements; ///< of the inputs; none for pnew
  Type Result;                ///< element type of the result; Void for peach
  bool FromInit = false;      ///< a reduction or scan from a first value of the result's type
  /// Code that ikrac knows without looking at the user's, in its place: an expression over the
  /// elements a, b and the captures, for what sum() and a + b do with numbers.
  std::optional<std::string> Known;
  std::string FunctionObject; ///< what the plain library calls, as host text, where that names none
  Rewriting Written = Rewriting::Argument;
  std::vector<Capture> Captures;
  std::vector<CapturedLambda> Lambdas; ///< made of some of them
  std::vector<CaptureText> CaptureTexts;
  CapturesFrom From = CapturesFrom::Names;
  Index Function = 0; ///< the code
  unsigned Rank = 1;  ///< of the array
  bool WithIndex = false;
  std::vector<Offset> Neighbourhood; ///< of pstencil
  Border AtBorder = Border::Value;
  bool TakesTick = false;
  bool PassesNull = false; ///< is given null elements: see decideNulls() in Analysis.cpp
  bool ChecksNull = false; ///< passes null and uses objects: every use has to look for null
  bool CallsAt = false;    ///< may fail for an index outside of a container
  bool UsesColumns = false;
  /// Its objects may have classes that other translation units define.
  bool MeetsUnknownClasses = false;
  /// What it captures may be made only once, so there is no second copy of the user's code.
  bool CapturesOnce = false;
  /// The same in all translation units that have the section; empty where this one alone has it.
  std::string SharedName;
  /// Of sections in headers: names what other files have at this place of the text too.
  std::string KeyName;
  /// The user's code stays in the host text, for what its device code does not know.
  bool keepsUserCode() const { return MeetsUnknownClasses && !CapturesOnce; }
  bool isShared() const { return MeetsUnknownClasses && !SharedName.empty(); }
  /// Its device code says where checks failed: all of it is its own.
  bool reportsFailures() const { return ChecksNull || CallsAt; }
  TickLoop Ticks = TickLoop::InThread;
  std::optional<Index> TickConflict; ///< a member for which Ticks is LaunchPerTick
  /// Members that the structs of the element hold, where Ticks is InThread, with their names there:
  /// those that the section writes, and of those that it only reads the ones that every run of some
  /// class does.
  std::map<Index, std::string> Own;
  std::set<Index> OwnWritten;
  /// By concrete class: those of them that every run accesses. They are loaded first, and stay in
  /// registers over the ticks.
  std::map<Index, std::set<Index>> Registers;
  /// For each input the section whose result it is, where that can be seen.
  std::vector<std::optional<Index>> Inputs;
  /// For each input the local variable or parameter that is named there, if one is.
  std::vector<const clang::VarDecl*> InputVariables;
  /// For each input who else may read what is read there, while something holds it (Readers.h).
  std::vector<Readers> OtherReaders;
  /// The sections whose result may be the first input, through variables that are assigned and
  /// functions that are called.
  std::set<Index> FlowsFrom;
  bool IsZip = false;       ///< pzip: its elements are tuples of its inputs'
  bool IsTemporary = false; ///< its result is the input of another section and nothing else
  /// Where uses are planned as sections: of those of one instance at most one is computed. 0 for
  /// sections.
  std::size_t UseInstance = 0;
  bool IsKept = false; ///< the result of a use is needed by others that are not seen
  /// It may run where the program never asks for its result: nobody can tell.
  bool Speculatable = false;
  std::string Inside;                             ///< the name of the function around it
  const clang::FunctionDecl* Enclosing = nullptr; ///< that function
  const clang::Expr* Argument = nullptr; ///< replaced in the host text; the call if it is not
                                         ///< Written as an argument
  const clang::LambdaExpr* Lambda = nullptr;

  const Type& element() const { return Elements.front(); }
  /// The least and the greatest offset of the neighbourhood along a dimension.
  std::pair<std::int64_t, std::int64_t> spanOf(unsigned Dimension) const;
  /// Its launch goes over objects, class by class.
  bool isOverObjects() const {
    return (Op == Operation::PMap || Op == Operation::PEach || Op == Operation::PSelect) &&
           !Elements.empty() && Elements.front().Kind == TypeKind::Object;
  }
  /// Kernels of other files may have it too: it is the same there, but for what files know of
  /// classes.
  bool sharesKey() const;
  /// Its launch goes over values, and some of them are, or hold, IDs of objects.
  bool takesIds() const;
  /// The static classes of the objects that elements are, or hold pointers to.
  std::vector<Index> classesOfElements() const;
};

/// A section as it is used on one way through the program's calls, where its inputs are known
/// better than for all calls together.
struct SectionUse {
  Index Of = 0; ///< the section
  /// For each input the use, in front of this one, whose result it is; none where that is not seen.
  std::vector<std::optional<std::size_t>> Inputs;
  /// Of the uses of one instance at most one is computed: they are the ways in which an operation's
  /// inputs may come, where the program chooses at run time. Counts from 1.
  std::size_t Instance = 0;
  bool IsTemporary = false; ///< its result is the input of one other instance, and nothing else
  bool IsKept = false;      ///< it is the input of others that are not seen, too
};

/// A section that may give another one's input, on ways that are not followed.
struct UnfollowedInput {
  Index Producer;
  Index Consumer;
  std::string Why;
};

/// Local variables of one block that hold results over one input, and are not read before the last
/// of them is declared.
struct ResultGroup {
  std::string Ident;                  ///< unique in emitted code
  std::string Tag;                    ///< of the place in the text, for all instantiations
  std::string Input;                  ///< name of the variable that holds it
  std::vector<Index> Sections;        ///< that give the results
  std::vector<std::string> Variables; ///< that hold them
  std::vector<bool> AreAskedFor; ///< their elements are read on every way through the block's rest
  const clang::DeclStmt* Behind = nullptr; ///< declares the last of them
};

/// A Datalog program that stands in the source as a string literal, compiled.
struct DatalogProgram {
  std::string Text;
  int Bits = 32; ///< of its numbers
  SourceLoc At;
  std::string Definitions; ///< for the emitted file, whole lines
  std::size_t Rules = 0, Kernels = 0;
  std::vector<std::string> Interpreted; ///< rules with steps that have no kernel, and why
};

/// A name that the program declares at file scope, and that headers of the emitted file declare
/// there too (TakenNames.h).
struct TakenName {
  std::string Name;
  clang::SourceLocation From; ///< a declaration at file scope in front of which nothing has it
};

struct ProgramModel {
  std::string Unit; ///< identifier, unique for the source file
  ClassRoles Roles;
  std::vector<Class> Classes;
  std::vector<Member> Members;
  std::vector<Function> Functions;
  std::vector<ConstantTable> Tables;
  std::vector<Section> Sections;
  std::vector<SectionUse> Uses;    ///< those that say more than the sections' own inputs
  std::size_t ContextsLeftOut = 0; ///< uses that there are too many of
  std::vector<UnfollowedInput> Unfollowed;
  std::vector<NamedLambda> Lambdas;
  std::vector<ResultGroup> Horizontal;
  std::vector<DatalogProgram> Datalog;
  std::vector<TakenName> Taken; ///< by name
  /// Which of the names that emitted code has in the unit's namespace the program declares at file
  /// scope too.
  std::set<std::string> DeclaredToo;
  /// The code of operations over objects that are left to the plain library.
  std::vector<const clang::Expr*> Fallback;
  Index Families = 0;
};

/// Names that emitted code has in the unit's namespace, whatever the program.
constexpr const char* NamesOfUnit[] = {"world", "checked_world", "reporting_world", "layout"};

/// The qualified name as an identifier: A::b<int> is A_b_int.
std::string identOf(llvm::StringRef Qualified);

void print(const ProgramModel& Model, llvm::raw_ostream& OS);
/// The bodies of its functions.
void printBodies(const ProgramModel& Model, llvm::raw_ostream& OS);

} // namespace ikra

#endif
