// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about expressions and statements, which the walk that accepts a body and the builder
// that makes its nodes ask alike.

#ifndef IKRA_ANALYSIS_AST_EXPRESSIONS_H
#define IKRA_ANALYSIS_AST_EXPRESSIONS_H

#include "Analysis/Ast/StdFunctions.h"
#include "Model/ProgramModel.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include <optional>
#include <set>
#include <string>

namespace ikra {

/// True if \p E is the section's own element, given which arguments of \p F are.
bool isSelf(const Function& F, const clang::Expr* E);

/// True if \p E is a copy of an object, or what that holds by value: a struct on devices, where
/// objects are IDs; or a container of copies. \p F knows which of its arguments are.
bool isCopy(const Function& F, const clang::Expr* E, const ClassRoles& Roles);
/// Which arguments of a call in \p F are copies that the callee has references to.
std::uint64_t copiesAmong(const Function& F, const clang::FunctionDecl* Callee,
                          const clang::Expr* Receiver, llvm::ArrayRef<const clang::Expr*> Arguments,
                          const ClassRoles& Roles);
/// Which parameters of a lambda in \p F are references to copies: all calls give such.
std::uint64_t copiesGiven(const Function& F, const clang::CXXMethodDecl* Lambda,
                          const ClassRoles& Roles);
/// True if the reference that \p F gives is to one of the copies that it was given.
bool givesCopy(const Function& F, const ClassRoles& Roles);
/// True for an assignment of a whole object that the compiler writes.
bool assignsObject(const clang::CXXOperatorCallExpr* E, const ClassRoles& Roles);

/// True if \p V, a variable of type pointer, may come to point elsewhere: it is named other than to
/// be read.
bool isModified(const clang::FunctionDecl* F, const clang::VarDecl* V);

/// What a local reference, or a pointer that never changes, is another name of; null for all else.
const clang::Expr* aliasedBy(const clang::FunctionDecl* F, const clang::ValueDecl* D);

/// typeid(*a) == typeid(T), whether an object is of that very class, or typeid(*a) == typeid(*b).
struct TypeTest {
  const clang::Expr* Object = nullptr; ///< null: this is no such test
  const clang::Expr* Other = nullptr;  ///< null: Class is there
  const clang::CXXRecordDecl* Class = nullptr;
};
TypeTest typeTest(const clang::CXXOperatorCallExpr* E);

/// The type of the object that \p E names: a shared_ptr is cast to one of its bases before use.
clang::QualType objectType(const clang::Expr* E);
/// The class that the text gives the object that \p E names or points to.
const clang::CXXRecordDecl* classOfObject(const clang::Expr* E);

/// An argument of an algorithm as device code gives it: as it is, or where a container begins and
/// ends.
struct AlgorithmArgument {
  enum PartOf { Whole, First, Last };
  const clang::Expr* Given;
  PartOf Part = Whole;
};
/// A call of an algorithm that device code has, over iterators or over a container,
/// `std::ranges::find(v, x)`; without defaults.
struct AlgorithmCall {
  const StdFunction* Row;
  llvm::StringRef Name;
  llvm::SmallVector<AlgorithmArgument, 6> Arguments;
  bool IsOfRanges = false; ///< of namespace std::ranges: some give others of its classes
};
/// Nothing for all other calls. Whether iterators are pointers is not asked.
std::optional<AlgorithmCall> algorithmCall(const clang::CallExpr* E);
/// What an algorithm takes for its function, if it takes one.
const clang::Expr* functionOf(const AlgorithmCall& Of);
/// How many elements there can be after an iterator into an array; nothing where that is not seen.
std::optional<std::uint64_t> mostElements(const AlgorithmArgument& Begins);
/// True for the methods and functions that give the iterators, or the data, of a container.
bool givesIterator(llvm::StringRef Name);

/// The first number of `std::views::iota(first, last)`, and the one after the last.
struct Counted {
  const clang::Expr *First, *Last;
};
/// Nothing where the range of a range for is another, or counts what are no integers.
std::optional<Counted> countedRange(const clang::Expr* Range);

/// True for std::size, std::ssize and std::empty of a container that has a name.
bool asksSize(const clang::CallExpr* E);
/// True for functions of integers that device code has of its own, ikra::algorithm: libstdc++'s
/// call builtins that nvcc does not have for GPUs, and computes something else for
/// (NativeFunctions.cpp).
bool hasOwnForm(const clang::CallExpr* E);

/// How many elements a built-in array or a std::array has.
std::optional<std::uint64_t> constantSize(clang::QualType Container);

/// True for `std::max(a, b)` and `std::min(a, b)` of numbers.
bool isExtremumOfTwo(const clang::CallExpr* E);

/// The numbers of `std::ranges::max(a, b)` and `std::ranges::min({a, b, c})`, or the container of
/// `std::ranges::max(values)`; neither for other calls.
struct RangeExtremum {
  llvm::StringRef Name; ///< of a function of std::ranges; empty for other calls
  llvm::SmallVector<const clang::Expr*, 4> Numbers;
  const clang::Expr* Container = nullptr;
};
RangeExtremum extremumOfRanges(const clang::CallExpr* E);

/// The elements of `std::max({a, b})`; empty for other calls.
llvm::ArrayRef<clang::Expr*> elementsOfList(const clang::CallExpr* E);

/// What each element of a braced array that has no value of its own is made by, where that is a
/// function, or values that device code's class does not have; null for all else.
const clang::Expr* fillerOf(const clang::InitListExpr* List, const ClassRoles& Roles);
/// True for a literal that gives an array of characters its elements, `char w[] = "hello"`.
bool isTextOfArray(const clang::Expr* Init, clang::QualType Ty);
/// How many elements an array has in all its dimensions.
std::uint64_t countOf(clang::QualType Array);

/// True for std::get of a std::array.
bool isElementOfArray(const clang::FunctionDecl* Callee);

/// True for operators of value classes that the standard library has, or the compiler writes: they
/// stay as they are.
bool isNativeOperator(const clang::Expr* E, const ClassRoles& Roles);
/// True for comparisons of objects that the compiler writes: they are functions like others.
bool isDefaultOfObjects(const clang::FunctionDecl* Callee, const ClassRoles& Roles);

/// True for an operator that the compiler writes, and that device code has as a function of its
/// own: an order of floating-point numbers, since nvcc takes NaN for equivalent to all of them, and
/// one of a class with built-in arrays, since nvcc leaves their elements out, and says nothing. So
/// is an assignment that calls one of the program, which is no device code by itself.
bool isWrittenOut(const clang::FunctionDecl* Callee);
/// True for a range for over a user's value class, which has a begin and an end of its own.
bool hasOwnIterators(const clang::CXXForRangeStmt* S, const ClassRoles& Roles);
/// The array that `auto [a, b] = array;` takes apart; null for other bindings.
const clang::Expr* arrayOfBindings(const clang::DecompositionDecl* V);
/// What a name of `auto& [a, b] = object;` stands for: a part of the variable without a name, which
/// is a reference to an object, or to an array in one. Null for other declarations: bindings of
/// values are variables.
const clang::Expr* boundPart(const clang::ValueDecl* D, const ClassRoles& Roles);
/// True for a default of a member, given in braces, that can be left to the class: it calls
/// nothing, and names no variable but constants.
bool isLeftToClass(const clang::Expr* Init);
/// How many of the values in braces are written, where the last ones are left to the class; none
/// where one cannot be.
std::optional<unsigned> writtenInits(llvm::ArrayRef<clang::Expr*> Inits);
/// True for std::in_place_t and its kin, which say which value a constructor makes.
bool isPlaceTag(clang::QualType Ty);
/// True for the parameter that comparisons of an order with 0 have.
bool isZeroOfOrder(clang::QualType Ty);

/// All names that the function declares or captures, so that emitted names do not meet them.
std::set<std::string> declaredNames(const clang::FunctionDecl* F);

/// The values of `case first ... last:`, an extension of g++ and clang; none for ordinary cases.
struct CaseValues {
  llvm::APSInt First, Last;
};
std::optional<CaseValues> caseValues(const clang::CaseStmt* S, const clang::ASTContext& Context);

/// The array of which with_index() is called, and any other as it is written.
const clang::Expr* withoutIndex(const clang::Expr* E);

} // namespace ikra

#endif
