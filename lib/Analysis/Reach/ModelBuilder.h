// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state that the parts of Analysis share while they fill a ProgramModel: the AST, the
// diagnostics, and the maps from declarations to indices. Classes and members enter the model when
// a section first reaches them.

#ifndef IKRA_ANALYSIS_REACH_MODELBUILDER_H
#define IKRA_ANALYSIS_REACH_MODELBUILDER_H

#include "Analysis/Ast/NativeFunctions.h"
#include "Analysis/Ast/SectionFinder.h"
#include "Analysis/Ast/Types.h"
#include "Analysis/Diagnostics.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace clang {
class Sema;
} // namespace clang

namespace ikra {

class ModelBuilder {
public:
  ModelBuilder(clang::Sema& Compiler, clang::ASTContext& Context, Diagnoser& Diags,
               ProgramModel& Model)
      : Compiler(Compiler), Context(Context), Diags(Diags), Model(Model) {}

  clang::Sema& Compiler; ///< for Conversions.h
  clang::ASTContext& Context;
  Diagnoser& Diags;
  ProgramModel& Model;

  NativeFunctions Natives;

  /// All classes of the user's code, in the order of the source; filled by the finder of sections.
  std::vector<const clang::CXXRecordDecl*> UserClasses;
  FoundLambdas Lambdas; ///< by the same

  /// How \p Ty is represented in device code. Reports nothing: Kind is Unsupported where it cannot
  /// be.
  Type classify(clang::QualType Ty);
  /// The same for the type of a variable, member or element: objects may be reached as its static
  /// class.
  Type declare(clang::QualType Ty);
  /// The same for what is only declared in functions that sections call. A base without virtual
  /// methods is no object's class for that: what leads to one was declared elsewhere.
  Type declareLocal(clang::QualType Ty);

  /// The same of what copies of objects of the class are.
  Index declareCopy(const clang::CXXRecordDecl* Decl, bool IsBase = false);
  /// The same of a value that is such a copy with the program's bytes, or of a container of such.
  Type declareCopied(clang::QualType Ty);

  /// The class's entry, made on first use.
  Index classIndex(const clang::CXXRecordDecl* Decl);
  /// Notes, after a message, why values of \p Ty are not copied, where a member elsewhere says so.
  void explainRole(clang::QualType Ty);
  /// That, and what sections use in place of a class of the standard library.
  void explainType(clang::QualType Ty, clang::SourceLocation At);
  /// The member's entry; reports members that cannot become columns at \p Use.
  std::optional<Index> memberIndex(const clang::FieldDecl* Field, clang::SourceLocation Use);
  /// Notes that device code uses \p Member of a value class, which is not public. \returns whether
  /// the class lets it.
  bool reachHidden(const clang::FieldDecl* Member);
  /// The entry of a variable that sections read; none where device code cannot have its value.
  std::optional<Index> globalIndex(const clang::VarDecl* Variable);
  /// Whether a session gives bodies a variable of that type: a container, a pointer, an object.
  bool isSessionGlobal(clang::QualType Ty, GlobalVariable& Out);
  /// Whether emitted code can write the name of a variable.
  bool isNamedEverywhere(const clang::VarDecl* Variable) const;
  std::optional<Index> findClass(const clang::CXXRecordDecl* Decl) const;

  /// True if objects of class \p C have the member, declared there or in a base.
  bool hasMember(Index C, Index M) const;

  /// Sets Concrete, Bases and Family of all classes; adds those that objects of the present ones
  /// can have.
  void closeHierarchy();
  /// Checks that emitted code can name and reach what the model holds. After closeHierarchy().
  void checkClasses();

  SourceLoc locOf(clang::SourceLocation At) const;
  /// \p Wanted, or with a number after it if that is taken.
  std::string uniqueIdent(llvm::StringRef Wanted);
  /// Keeps uniqueIdent() from returning \p Name.
  void reserveIdent(llvm::StringRef Name) { Idents.try_emplace(Name, 1); }

private:
  Type declareMember(clang::QualType Ty);
  void addConcreteClasses(Index Base);
  std::set<Index> namedClasses() const;

  llvm::DenseMap<const clang::CXXRecordDecl*, Index> ClassOf;
  llvm::DenseMap<const clang::FieldDecl*, Index> MemberOf;
  llvm::StringMap<unsigned> Idents;
  std::set<std::pair<Index, std::string>>
      HiddenTypes; ///< types named, by the class that hides them
};

} // namespace ikra

#endif
