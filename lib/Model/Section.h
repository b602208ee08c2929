// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parallel section: the operation, and in four parts where it stands in the host's text, its
// code, what that needs of objects, and where its elements come from.

#ifndef IKRA_MODEL_SECTION_H
#define IKRA_MODEL_SECTION_H

#include "Function.h"
#include "Operations.h"
#include "Type.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace clang {
class Expr;
class FunctionDecl;
class LambdaExpr;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace ikra {

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
  ObjectView, ///< of a container of pointers to objects, or of values that hold such, which the
              ///< section holds as an ikra::array, or as it is
  InMemory,   ///< a value too large for a kernel's parameters, which the device has in memory
};

struct Capture {
  std::string Name;
  std::string HostText; ///< expression that gives the value where the section stands
  CaptureKind Kind = CaptureKind::Value;
  bool IsOwner = false;    ///< a smart pointer, which the section keeps
  bool IsVariable = false; ///< what a variable of the host is when the operation is called
  bool IsCopied = false;   ///< the lambda holds a copy, by the capture's name
  Type Ty;
  const clang::ValueDecl* Decl = nullptr; ///< null for `this`
  bool IsOfLambda = false;                ///< of a lambda that is captured: SectionCode::Lambdas
};

/// How the host's text hands a section to its operation.
enum class Rewriting {
  Argument,    ///< in place of the function that the user wrote
  NewArgument, ///< after the arguments of the call: sum(), count(f), pzip(a)
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
  bool IsLate = false; ///< made when the driver asks for it
  /// By which the lambda holds the same by value; empty: it holds something else, or nothing.
  std::string Name = {};
  bool IsLarge = false; ///< a container, or an owner: copies take long
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

/// Where a section stands in the host's text, and how that gets its tag and captures.
struct HostSite {
  std::string Inside;                             ///< the name of the function around it
  const clang::FunctionDecl* Enclosing = nullptr; ///< that function
  std::optional<Instantiation> Instance;          ///< where it stands in a template
  const clang::Expr* Argument = nullptr; ///< replaced in the host text; the call if it is not
                                         ///< Written as an argument
  const clang::LambdaExpr* Lambda = nullptr;
  Rewriting Written = Rewriting::Argument;
  std::string FunctionObject; ///< what the plain library calls, as host text, where that names none
  std::vector<CaptureText> CaptureTexts;
  CapturesFrom From = CapturesFrom::Names;
  /// What it captures may be made only once, so there is no second copy of the user's code.
  bool CapturesOnce = false;
  /// Whether arguments may have to be made in the order of the captures.
  bool ordersCaptures() const { return CapturesOnce && CaptureTexts.size() > 1; }
  /// A second copy of the user's code can do with what the section holds, which is large.
  bool SharesCaptures = false;
  /// The same in all translation units that have the section; empty where this one alone has it.
  std::string SharedName;
  /// Of sections in headers: names what other files have at this place of the text too.
  std::string KeyName;
};

/// What a section calls for each element.
struct SectionCode {
  Index Function = 0;
  std::vector<Capture> Captures;
  std::vector<CapturedLambda> Lambdas; ///< made of some of them
  /// Code that ikrac knows without looking at the user's, in its place: an expression over the
  /// elements a, b and the captures, for what sum() and a + b do with numbers.
  std::optional<std::string> Known;
};

/// What a section's code needs of objects, and how it may fail.
struct SectionAccess {
  bool UsesColumns = false;
  bool PassesNull = false; ///< is given null elements: see decideNulls() in Analysis.cpp
  bool ChecksNull = false; ///< passes null and uses objects: every use has to look for null
  bool CallsAt = false;    ///< may fail for an index outside of a container, or another check
  bool Asserts = false;    ///< may stop the program
  /// Its objects may have classes that other translation units define.
  bool MeetsUnknownClasses = false;
  /// Outside of a scope the user's code may run on the objects as they are.
  bool MayRunInPlace = false;
  /// The same on the calling thread alone: code of other translation units may run, too.
  bool MayRunAlone = false;
  TickLoop Ticks = TickLoop::InThread;
  bool HasTicks = false;             ///< some call gives it a number of ticks
  std::optional<Index> TickConflict; ///< a member for which Ticks is LaunchPerTick
  /// Members that the structs of the element hold, where Ticks is InThread, with their names there:
  /// those that the section writes, and of those that it only reads the ones that every run of some
  /// class does.
  std::map<Index, std::string> Own;
  std::set<Index> OwnWritten;
  /// By concrete class: those of them that every run accesses. They are loaded first, and stay in
  /// registers over the ticks.
  std::map<Index, std::set<Index>> Registers;
  std::map<Index, std::set<Index>> AlwaysWritten; ///< of these, those that every run writes
};

/// Where a section's elements come from, and who else may have its result.
struct SectionFlow {
  /// For each input the section whose result it is, where that can be seen.
  std::vector<std::optional<Index>> Inputs;
  /// For each input the local variable or parameter that is named there, if one is.
  std::vector<const clang::VarDecl*> InputVariables;
  /// For each input who else may read what is read there, while something holds it (Readers.h).
  std::vector<Readers> OtherReaders;
  /// The sections whose result may be the first input, through variables that are assigned and
  /// functions that are called.
  std::set<Index> FlowsFrom;
  bool IsTemporary = false; ///< its result is the input of another section and nothing else
  /// It may run where the program never asks for its result: nobody can tell.
  bool Speculatable = false;
};

/// An operation with the code that it is given.
struct Section {
  std::string Ident;
  Operation Op = Operation::PMap;
  SourceLoc At;
  std::vector<Type> Elements; ///< of the inputs; none for pnew
  Type Result;                ///< element type of the result; Void for peach
  unsigned Rank = 1;          ///< of the array
  bool FromInit = false;      ///< a reduction or scan from a first value of the result's type
  bool WithIndex = false;
  bool TakesTick = false;
  bool IsZip = false;                ///< pzip: its elements are tuples of its inputs'
  std::vector<Offset> Neighbourhood; ///< of pstencil
  Border AtBorder = Border::Value;

  HostSite Site;
  SectionCode Code;
  SectionAccess Access;
  SectionFlow Flow;

  bool runsInPlace() const { return Access.MayRunInPlace && !Site.CapturesOnce; }
  bool runsAlone() const { return Access.MayRunAlone && !Site.CapturesOnce; }
  /// The user's code stays in the host text, for what its device code does not know, and to run on
  /// the objects as they are.
  bool keepsUserCode() const {
    return (Access.MeetsUnknownClasses || Access.MayRunInPlace) && !Site.CapturesOnce;
  }
  /// That copy refers to what the section captured.
  bool codeRefersToCaptures() const { return keepsUserCode() && Site.SharesCaptures; }
  bool isShared() const { return Access.MeetsUnknownClasses && !Site.SharedName.empty(); }
  /// Its device code says where checks failed: all of it is its own.
  bool reportsFailures() const { return Access.ChecksNull || Access.CallsAt; }
  /// It has to run for all elements, since the program sees whether it fails for one.
  bool mayFail() const { return reportsFailures() || Access.Asserts; }

  const Type& element() const { return Elements.front(); }
  /// The least and the greatest offset of the neighbourhood along a dimension.
  std::pair<std::int64_t, std::int64_t> spanOf(unsigned Dimension) const;
  /// A thread runs the ticks of its object, of which some call gives a number.
  bool runsTicksOfObjects() const {
    return Op == Operation::PEach && isOverObjects() && Access.HasTicks &&
           Access.Ticks == TickLoop::InThread;
  }
  /// Its launch goes over objects, class by class.
  bool isOverObjects() const {
    return (Op == Operation::PMap || Op == Operation::PEach || Op == Operation::PSelect) &&
           !Elements.empty() && Elements.front().Kind == TypeKind::Object;
  }
  /// What its code gives are copies of objects. The code of the others tests or compares elements.
  bool givesCopies() const {
    return Op != Operation::PSelect && Op != Operation::PSort && Result.CopyOf.has_value();
  }
  /// Its launch goes over values, and some of them, or its result, are copies of objects in code.
  bool takesCopies() const {
    bool Takes = givesCopies();
    for (const Type& Element : Elements)
      Takes |= Element.CopyOf.has_value();
    return Takes && !isOverObjects();
  }
  /// Kernels of other files may have it too: it is the same there, but for what files know of
  /// classes.
  bool sharesKey() const;
  /// Its launch goes over values, and some of them are, or hold, IDs of objects.
  bool takesIds() const;
  /// The static classes of the objects that elements are, or hold pointers to.
  std::vector<Index> classesOfElements() const;
};

} // namespace ikra

#endif
