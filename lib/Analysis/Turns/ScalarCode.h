// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which code of a host section's loop is pure scalar code: numbers in local variables, and what C++
// computes of them. It runs on the device in one thread.

#ifndef IKRA_ANALYSIS_TURNS_SCALARCODE_H
#define IKRA_ANALYSIS_TURNS_SCALARCODE_H

#include "Analysis/Ast/CallForms.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace ikra {

/// The array whose element an expression reads, or that it reduces to a number, here and now; null
/// for all else.
const clang::Expr* arrayReadBy(const clang::Expr* E);
/// A size() or shape()[Dimension] of an array variable.
struct AskedSize {
  const clang::Expr* Array;
  std::optional<unsigned> Dimension;
};
std::optional<AskedSize> sizeAskedBy(const clang::Expr* E, const clang::ASTContext& Context);
/// A function or a method of the program, or a lambda in a local variable, and the call of it: its
/// body is known.
struct CalledCode {
  const clang::FunctionDecl* Code; ///< of a template: the instantiation
  const clang::LambdaExpr* Lambda; ///< null for functions
  llvm::ArrayRef<const clang::Expr*> Arguments;
  const clang::Expr* Object = nullptr; ///< of methods: what they are called of
  bool IsInPlace = false;              ///< a lambda that is called where it stands
  /// What stands where the code does.
  clang::SourceRange range() const;
  std::string name() const {
    const auto* Method = llvm::dyn_cast<clang::CXXMethodDecl>(Code);
    const bool IsLambda = Lambda || (Method && Method->getParent()->isLambda());
    return IsLambda ? "the lambda that it calls"
                    : "'" + Code->getNameAsString() + "', which it calls,";
  }
};
std::optional<CalledCode> calledCode(const clang::Expr* E);
/// Whether anything in \p S is an array, or calls the plain library.
bool namesArrays(const clang::Stmt* S);
/// Whether \p S is more than scalar code: it reads an array, calls what has a calledCode(), or goes
/// through a list.
bool hasSteps(const clang::Stmt* S);
/// How a statement may go on elsewhere than at the next one.
struct Leaves {
  bool Breaks = false, Continues = false, Returns = false;
  bool any() const { return Breaks || Continues || Returns; }
};
/// What of an `if constexpr` the compiler takes, which may be nothing; the same of all else.
const clang::Stmt* taken(const clang::Stmt* S, const clang::ASTContext& Context);
/// Loops in \p S have their own breaks; jumps count as returns.
Leaves leavesOf(const clang::Stmt* S);
/// How often a turn of the loop waits for results on the host.
unsigned waitsOf(const clang::Stmt* Body);

/// What names are in code that stands where its call does: `this`, and parameters that are
/// references to what holds arrays. Each is a variable, or a part of one.
struct Receiver {
  const clang::ValueDecl* Of = nullptr; ///< null: the object whose method the loop stands in
  std::string Text;                     ///< as the loop would write it, `s.cooling`
  std::map<const clang::ValueDecl*, std::pair<const clang::ValueDecl*, std::string>> Names = {};
};
/// Whether \p E is `this`. As an object of a base class it is where members have the same names.
bool isThis(const clang::Expr* E);
/// Whether a class, or a built-in array, has arrays in it.
bool holdsArrays(clang::QualType Ty);
/// What `this` is in called code. \param This what it is where the call stands. Nothing: the object
/// is in no variable.
std::optional<Receiver> receiverOf(const CalledCode& Of, const Receiver& This);

/// The variables that \p S changes, and what it calls: local ones, and members of the object whose
/// method it stands in. What is given by reference counts.
std::set<const clang::ValueDecl*> changedBy(const clang::Stmt* S, const Receiver& This = {});

/// The variables that \p S names, what it calls included.
std::set<const clang::ValueDecl*> namedBy(const clang::Stmt* S, const Receiver& This = {});

/// As changedBy, without the variables of what is called.
std::set<const clang::ValueDecl*> changedOutside(const clang::Stmt* S, const Receiver& This);
/// As changedBy, without what the bodies of called functions change.
std::set<const clang::ValueDecl*> changedHere(const clang::Stmt* S, const Receiver& This = {});
/// Whether what \p S reads of arrays, and calls, may be computed in front of it: each variable that
/// it changes is named in one of these alone, or in none.
/// \param IsChoice what is computed in front of it as a whole
bool mayReadBefore(const clang::Stmt* S, llvm::function_ref<bool(const clang::Expr*)> IsChoice,
                   const Receiver& This);

/// A field of a local variable of a class, or of a field of such. Members of the object whose
/// method the loop stands in are variables themselves, and their fields are such fields.
struct MemberOfVariable {
  const clang::ValueDecl* Of;
  std::string Text;     ///< as it is written, `s.limits.most`, `this->rate`
  bool IsWhole = false; ///< the member of the object itself
};
std::optional<MemberOfVariable> memberOfVariable(const clang::Expr* E, const Receiver& This = {});
/// The same of a local variable, too. Nothing: \p E is neither.
std::optional<MemberOfVariable> placeOfVariable(const clang::Expr* E, const Receiver& This);

/// Whether a reference may be the name of a local variable that the loop changes. What a function's
/// parameter refers to is none of that function; a lambda's may be what it captures.
bool mayNameAnother(const clang::ValueDecl* V);
/// The same as the reason why a loop is no turns, in words that follow "since".
std::string ofAnother(const clang::ValueDecl* V);

/// Whether anything in \p S, or in what it calls, is an array in a std::array or a built-in one.
bool namesArraysInArrays(const clang::Stmt* S);
/// Why an array that a pointer leads to keeps a loop from being a turn, in words that follow
/// "since".
std::string throughPointer();

/// The std::array, or the built-in one, that an expression is an element of; null for all else.
const clang::Expr* arrayWith(const clang::Expr* E);
/// Where in it.
const clang::Expr* placeIn(const clang::Expr* Element);

/// Whether a parameter of this type is another variable's name, by which that may change.
bool isAlias(clang::QualType Parameter);
/// Whether a number, or an array, has the same value wherever it is named.
bool neverChanges(const clang::VarDecl* V);

/// The variable that a name stands for: itself, or the compiler's own of a structured binding of a
/// std::pair or std::tuple; null for all else.
const clang::VarDecl* namedVariable(const clang::ValueDecl* D);
/// Whether a name of a structured binding is that of a struct's field.
bool isPart(const clang::BindingDecl* Name);

/// The variables of classes that something names as a whole, what it calls included: not only some
/// of their fields.
std::set<const clang::ValueDecl*> namedAsWhole(const clang::Stmt* S);

/// What stands in the way.
struct Obstacle {
  const clang::Stmt* At = nullptr;
  std::string Why;                  ///< in words that follow "since"
  clang::SourceLocation Place = {}; ///< that is meant where At is a whole; may be none
};

/// Why a method, the change of a place, or the member of something keeps a loop from being a turn,
/// in words that follow "since". \{
std::string ofMethod(const clang::CXXMethodDecl* Method);
std::string ofUnknownChange(const clang::Expr* E);
std::string ofMember(const clang::MemberExpr* E, bool IsHidden);
/// \}
/// The same of an enumeration that is no number of a turn; empty for all other types.
std::string ofEnumeration(clang::QualType Ty);

class ScalarCode {
public:
  ScalarCode(const clang::ASTContext& Context, std::function<Type(clang::QualType)> Classify)
      : Context(Context), Classify(std::move(Classify)) {}

  /// Whether a variable's type is a number that a turn may hold, or an enumeration.
  bool isNumber(clang::QualType Ty) const;
  /// The same of a struct of such, a std::array or a std::complex, which a device copies byte by
  /// byte.
  bool isStruct(clang::QualType Ty) const;
  bool isValue(clang::QualType Ty) const { return isNumber(Ty) || isStruct(Ty); }
  /// Whether a variable is an array of known constants outside of functions, or static.
  bool isConstantArray(const clang::VarDecl* V) const;
  /// Whether a static variable of a function is that, or a known number: nothing declares it where
  /// code runs.
  bool isConstant(const clang::VarDecl* V) const;
  /// Sets which variables of structs are scalars, where others' fields are.
  void setWhole(std::function<bool(const clang::ValueDecl*)> Is) { IsWhole = std::move(Is); }
  /// The field of a variable that is a scalar by itself.
  std::optional<MemberOfVariable> fieldOf(const clang::Expr* E) const {
    std::optional<MemberOfVariable> Out = memberOfVariable(E, This);
    const bool IsPart = Out && !Out->IsWhole && (IsWhole(Out->Of) || isPartOfField(*Out));
    return IsPart ? std::nullopt : Out;
  }
  /// A struct of values in a variable that is none itself, as one that also has arrays: it is one
  /// scalar.
  struct ValueField {
    std::string Text;
    clang::QualType Ty;
  };
  /// The one that a place is, or is a part of; nothing for all others.
  std::optional<ValueField> valueFieldAround(const MemberOfVariable& Place) const;
  bool isPartOfField(const MemberOfVariable& Place) const {
    const std::optional<ValueField> Field = valueFieldAround(Place);
    return Field && Field->Text != Place.Text;
  }
  /// Whether a variable is a scalar as a whole.
  bool isWhole(const clang::ValueDecl* V) const { return IsWhole(V); }
  /// What `this` is in the code that is looked at.
  Receiver This;
  /// What was accepted computes with complex numbers.
  bool UsesComplex = false;
  /// Whether that is a struct that is a scalar as a whole, or a part of one.
  bool isWholeReceiver() const {
    return This.Of && (IsWhole(This.Of) || valueFieldAround({This.Of, This.Text}));
  }
  /// Whether a device can run \p S. Reads of arrays are given to \p Read.
  bool accepts(const clang::Stmt* S, llvm::function_ref<bool(const clang::Expr*)> Read);
  const Obstacle& obstacle() const { return Found; }
  /// A parameter is the name of a variable that is known.
  void addAlias(const clang::VarDecl* P) { Aliases.insert(P); }
  /// A parameter of what is called is a variable of the turn's own, also one of a pack.
  void addGiven(const clang::VarDecl* P) { Given.insert(P); }
  /// Whether something is accepted, as accepts(), if that is only asked.
  bool wouldAccept(const clang::Stmt* S) {
    const Obstacle Before = Found;
    const bool Accepted = accepts(S, [](const clang::Expr*) { return false; });
    Found = Before;
    return Accepted;
  }

private:
  bool refuse(const clang::Stmt* At, std::string Why);
  using Reads = llvm::function_ref<bool(const clang::Expr*)>;
  /// A value in a variable, or in a part of one.
  bool acceptsNamed(const clang::Expr* E, bool IsChanged, Reads Read);
  bool acceptsVariable(const clang::DeclRefExpr* E, bool IsChanged);
  bool acceptsMember(const clang::MemberExpr* E, bool IsChanged, Reads Read);
  std::optional<bool> acceptsStructs(const clang::Stmt* S, Reads Read);
  std::optional<bool> acceptsComplex(const clang::Stmt* S, Reads Read);
  bool acceptsCall(const clang::CallExpr* E, llvm::function_ref<bool(const clang::Expr*)> Read);

  const clang::ASTContext& Context;
  std::function<Type(clang::QualType)> Classify; ///< how types are represented (Types.h)
  Obstacle Found;
  std::set<const clang::VarDecl*> Aliases, Given;
  std::function<bool(const clang::ValueDecl*)> IsWhole = [](const clang::ValueDecl*) {
    return false;
  };
};

} // namespace ikra

#endif
