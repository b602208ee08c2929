// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks what one section reaches, over bodies, and notes what its elements write and read. A value
// stands for whose object an expression leads to, and by which members.
//
// A function is walked once for each list of arguments that differ, and a variable is all that it
// may be, so the walk takes time in proportion to the code, times the ways to call a function.

#ifndef IKRA_ANALYSIS_BODIES_RACEWALKER_H
#define IKRA_ANALYSIS_BODIES_RACEWALKER_H

#include "Model/ProgramModel.h"
#include "Races.h"

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ikra::body {

/// An expression without parentheses and casts around it.
const ExprRef& stripped(const ExprRef& E);

class RaceWalker {
public:
  /// A place from the object on: members, parts of them, elements at constant places.
  using Path = std::vector<std::string>;
  using Sites = std::vector<clang::SourceLocation>; ///< calls that lead to a function

  struct OwnWrite {
    std::set<Index> Classes; ///< of elements that always write it
    bool Updates = false;    ///< by its old value
  };
  struct OtherRead {
    Path Of;
    std::string Name;
    clang::SourceLocation At;
    Sites Calls;
    std::optional<Index> Class; ///< of the object; none: not known
    std::vector<Index> Chosen;  ///< what it is of these; empty: not known
    bool IsOfElements = false;  ///< it goes through all elements
  };
  struct SharedWrite {
    std::string Name;
    clang::SourceLocation At;
    Sites Calls;
    bool Updates; ///< else it is stored
  };

  std::map<Path, OwnWrite> Written;
  std::vector<OtherRead> Read;
  std::vector<SharedWrite> Shared;

  /// \param WrittenInOthers members that some section writes through other paths than its element
  RaceWalker(const ProgramModel& Model, const Section& S, const ElementsOf& Elements,
             const std::map<std::string, const ikra::Call*>& Dispatchers,
             const std::set<Index>& WrittenInOthers);
  void walk();

private:
  /// Whose object something leads to, or is in.
  enum class Owner {
    Nothing, ///< null, or not set
    Element, ///< the element, or what it holds by value or by std::unique_ptr
    Other,   ///< a pointer of the element's leads to it, and another's may, too
    Back,    ///< a pointer of what the element holds does: it may be the element
    ForAll,  ///< all elements have it
    Unknown
  };
  struct Frame;
  struct Value {
    Owner Of = Owner::Unknown;
    std::optional<Index> Class;
    std::vector<Index> Chosen;
    Path Members;     ///< from that object on
    std::string Way;  ///< how the program gets there; empty: it may be another place each time
    std::string Name; ///< of the member
    bool IsPlace = false, IsPointer = false; ///< of a value in an object; a pointer to it
    bool IsList = false, IsRaw = false;      ///< raw: of pointers that others may have, too
    bool IsAtomic = false;
    bool IsSame = false;       ///< a value that all elements have
    bool IsSamePlace = true;   ///< all elements that have the object name the same place in it
    bool IsOne = false;        ///< there is one such object
    bool IsOfElements = false; ///< it is of the container that the section goes through
    bool IsEach = false;       ///< a loop goes through all objects of a captured container
    bool IsClaim = false;      ///< an atomic gave it: one element may get another value than others
    bool IsClaimIfTrue =
        false;              ///< it says whether the element is the one that another object names
    bool IsCounter = false; ///< of a loop
    bool IsIndex = false, IsBeside = false; ///< the element's own index; one at a distance
    std::optional<Index> Member;            ///< that was read
    std::set<std::string> From;             ///< the ways of what it was computed from
    const Lambda* Code = nullptr;
    Frame* Home = nullptr; ///< of the lambda
    Value() = default;
    explicit Value(Owner Of) : Of(Of) {}
    auto operator<=>(const Value&) const = default;
  };
  struct Variable {
    std::string Ident;
    Value Is;
    bool IsReference = false;
  };
  /// A function, or a lambda in it, that is being walked.
  struct Frame {
    const Body* Code = nullptr;
    Frame* Outer = nullptr; ///< of a lambda
    std::vector<Variable> Variables{};
    Value Receiver = Value();
    Value Result = Value(Owner::Nothing);
    bool Always = true;       ///< it runs for each element of these classes
    unsigned Branches = 0;    ///< depth of statements that need not run
    bool MayHaveLeft = false; ///< a return, break or continue may have been taken
  };
  using Classes = std::vector<Index>;
  using State = std::tuple<Index, bool, Classes, std::vector<Value>>;

  // Statements
  void walk(const Stmts& Body);
  void walk(const Stmt& S);
  void declare(const Declare& N);
  void branch(const If& N);
  enum class Rounds { Some, Any }; ///< whether a loop is one over something, or asks each time
  /// \param Walk goes once through a loop
  void loop(Rounds Are, llvm::function_ref<void()> Walk);
  /// Walks what runs if \p Condition is \p Holds.
  void guarded(const ExprRef& Condition, bool Holds, llvm::function_ref<void()> Walk);
  /// Whether it says that an object is for one element alone.
  bool claims(const ExprRef& Condition, bool Holds);
  bool isClaim(const Binary& Equality);
  /// A value as a variable, a parameter or a cast of type \p Ty has it: indices of several elements
  /// become one number in few bits.
  static Value converted(Value Of, const TypeRef& Ty);
  /// Adds to \p Ways those of places that \p Condition compares with what elements have of their
  /// own.
  void addCompared(const ExprRef& Condition, std::set<std::string>& Ways);

  // Expressions
  Value eval(const ExprRef& E);
  /// What a place holds, which is read.
  Value load(const ExprRef& E);
  Value loaded(Value Of, clang::SourceLocation At);
  Value placeOf(const ExprRef& E);
  Value member(const Expr& E, const Member& N);
  Value subscript(Value List, const ExprRef& Place);
  Value elementOf(Value List, const std::string& Place, bool IsSame, const std::string& Way);
  Value followed(Value Pointer, bool IsRaw, std::optional<Index> Class) const;
  Value part(const Part& N);
  Value unary(const Expr& E, const Unary& N);
  Value binary(const Expr& E, const Binary& N);
  Value library(const Expr& E, const LibraryCall& N);
  Value method(const MethodCall& N);
  Value call(const Expr& E, const Call& N);
  Value run(Index F, llvm::ArrayRef<Value> Arguments, const Classes& Elements, bool Always);
  Value invoke(Value Callee, const Exprs& Arguments);
  Value captured(const std::string& Ident) const;
  Value global(const GlobalVariable& Of) const;
  Value all(const Exprs& Operands);
  static Value joined(const Value& A, const Value& B);
  void store(const ExprRef& To, const Value& What, bool Updates, clang::SourceLocation At);
  void note(const Value& Place, const Value& What, bool Updates, clang::SourceLocation At);
  void noteRead(const Value& Place, clang::SourceLocation At);
  static bool takesPlace(const Parameter& P);
  bool isNullTest(const ExprRef& Condition) const;
  /// Whether it compares the element with each of all elements.
  bool isSelfTest(const ExprRef& Condition);
  Variable* find(const std::string& Ident);
  bool isSilent() const { return Quiet || Claimed; }
  bool isAlways() const { return Now->Always && Now->Branches == 0 && !Now->MayHaveLeft; }
  Value elementValue() const;

  const ProgramModel& Model;
  const Section& S;
  const ElementsOf& Elements;
  const std::map<std::string, const ikra::Call*>& Dispatchers;
  const std::set<Index>& WrittenInOthers;
  std::map<State, Value> Results;
  Frame* Now = nullptr;
  Classes Running; ///< classes of the elements that the function runs for
  Sites Calls;
  std::set<std::string> Compared; ///< ways of places by whose old values it was decided to get here
  bool Quiet = false;             ///< a loop is looked at for what its variables may be
  bool Claimed = false;           ///< what is named is one element's alone
  bool InLoop = false;
};

} // namespace ikra::body

#endif
