// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work list of Analysis: which functions sections reach, once for each set of arguments that
// are the section's own element, with what each reads, writes and calls. Calls of virtual methods
// are resolved over the classes that can be constructed, so collecting functions and closing the
// class hierarchy alternate until nothing is new.

#ifndef IKRA_ANALYSIS_REACH_FUNCTIONCOLLECTOR_H
#define IKRA_ANALYSIS_REACH_FUNCTIONCOLLECTOR_H

#include "ModelBuilder.h"

#include "clang/AST/Decl.h"

#include <tuple>
#include <utility>

namespace ikra {

class FunctionCollector {
public:
  explicit FunctionCollector(ModelBuilder& Builder) : Builder(Builder) {}

  /// The entry of \p Decl called with the element in the places that \p SelfMask tells, and with
  /// copies of objects in those of \p CopyMask; of a copy of \p CopyClass, if that is known.
  /// \p Caller is the function whose body holds the call at \p At; none for sections.
  Index request(const clang::FunctionDecl* Decl, std::uint64_t SelfMask, std::uint64_t CopyMask,
                clang::SourceLocation At, std::optional<Index> Caller,
                std::optional<Index> CopyClass = std::nullopt);

  /// An entry of its own for a section's code, whoever else calls the function.
  /// \param MayFallBack the plain library can run the operation: no objects are involved.
  Index requestSection(const clang::FunctionDecl* Decl, std::uint64_t SelfMask,
                       clang::SourceLocation At, bool MayFallBack, std::uint64_t CopyMask = 0);

  /// An entry for a section whose code is ikrac's own: no function of the user's.
  Index requestKnown(clang::SourceLocation At);

  /// Walks all bodies that were requested, and those that they request.
  void collect();

  /// Resolves dispatched calls over the present class hierarchy; true if that requested functions.
  bool resolveDispatch();

  /// Reports recursion, and leaves the operations that reach it to the plain library, where that
  /// can run them. \returns true where there is none; then Total of every function is set
  bool summarise();

  /// Reports copies of objects (Function::Wholes) with containers whose elements their section
  /// changes, and leaves the operations to the plain library where that can run them. After
  /// summarise().
  void checkCopies();

  /// Adds notes that lead from the function back to the section.
  void explainPath(Index Function);

  /// The code of the section that \p Function was first reached from.
  Index sectionOf(Index Function) const;
  bool mayFallBack(Index Section) const { return FallbackIfNeeded.contains(Section); }
  /// The plain library runs the operation where its code does what sections may not: the user has
  /// written no section.
  void fallBackForAll(Index Section) { FallbackForAll.insert(Section); }
  bool fallsBackForAll(Index Section) const { return FallbackForAll.contains(Section); }
  /// Leaves a section to the plain library: what it reaches need not be walked.
  void fallBack(Index Section) { Left.insert(Section); }
  /// Reports objects, used in \p Function, of a class without concrete classes.
  void reportUnseen(Index Class, clang::SourceLocation At, Index Function);
  /// Why a lazy section may not read a variable that is no constant.
  static std::string mayHaveChanged(const clang::VarDecl* V);
  /// Why a section may not read a variable for which there is no ModelBuilder::globalIndex(), and
  /// what helps.
  std::string whyNoGlobal(const clang::VarDecl* V, bool IsLazy) const;
  /// How a section captures a variable of the program.
  static std::string copyOf(const clang::VarDecl* V);
  /// The same of a peach, which runs at once.
  static std::string referenceTo(const clang::VarDecl* V);
  /// Where variables of the program are read first.
  clang::SourceLocation firstUse(Index Global) const { return GlobalUses.at(Global); }

  /// The code of sections that were left.
  const std::set<Index>& left() const { return Left; }

  /// Members of the element that \p Function uses whenever it runs on an object of class \p
  /// Concrete.
  const AlwaysUse& alwaysUsed(Index Function, Index Concrete);

  ModelBuilder& builder() { return Builder; }

private:
  friend class BodyWalker;

  /// A dispatched call, kept until all classes are known.
  struct Dispatch {
    Index Caller;
    const clang::Expr* Site;
    const clang::CXXMethodDecl* Method;
    Index StaticClass;
    std::uint64_t SelfMask, CopyMask;
  };
  struct Origin {
    std::optional<Index> Caller;
    clang::SourceLocation At;
  };

  Index add(const clang::FunctionDecl* Decl, std::uint64_t SelfMask, Origin From,
            std::uint64_t CopyMask = 0);
  AlwaysUse findAlwaysUsed(Index Function, Index Concrete);
  /// The name of the function that chooses among the overriders of \p Method for objects known as
  /// \p StaticClass.
  const std::string& dispatcher(Index StaticClass, const clang::CXXMethodDecl* Method,
                                std::uint64_t CopyMask);
  /// Has what sections may have changed of objects be in the copies that are written back to them.
  void completeReturned();
  /// True if copies of the class are assigned as a whole, perhaps as parts of others.
  bool isAssigned(const clang::CXXRecordDecl* Class) const;
  void addAssigned(const WholeUse& Use, const std::set<Index>& Written, std::set<Index>& Out) const;
  /// Finds what each assignment of an object writes (WholeUse::Assigned).
  void findAssigned();
  /// Adds what functions do to whole objects to their uses of members.
  void addWholes();
  bool addUses(Index Function, std::vector<char>& State);
  void reportRecursion(Index Caller, const clang::Expr* Site, Index Callee);
  /// Leaves the sections that reach a function to the plain library, if that can run all of them.
  bool leaveAllThatReach(Index Function);

  ModelBuilder& Builder;
  std::map<
      std::tuple<const clang::FunctionDecl*, std::uint64_t, std::uint64_t, std::optional<Index>>,
      Index>
      Known;
  std::vector<Origin> Origins;
  std::vector<Dispatch> Dispatches;
  std::map<std::tuple<Index, const clang::CXXMethodDecl*, std::uint64_t>, std::string> Dispatchers;
  std::map<std::pair<Index, Index>, AlwaysUse> AlwaysUsed;
  /// Classes of copies that are assigned as a whole, other than to variables by their names.
  std::set<Index> AssignedCopies;
  std::set<Index> ChangedInCopies; ///< members
  /// Assignments that write back all members of a class.
  std::set<std::pair<const clang::CXXRecordDecl*, const clang::Expr*>> Completed;
  std::map<Index, clang::SourceLocation> GlobalUses;
  std::set<Index> FallbackIfNeeded, FallbackForAll, Left;
  Index NextToWalk = 0;
};

} // namespace ikra

#endif
