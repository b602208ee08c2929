// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates of objects that several elements may reach: `t->to->balance += t->amount` in a peach.
// Elements run at the same time, so one of two updates may be lost. A warning names the line.
// What an element owns (itself, what it holds by value or by std::unique_ptr) is its own; of what
// is reached in ways that are not followed, nothing is said.

#ifndef IKRA_ANALYSIS_REACH_RACES_H
#define IKRA_ANALYSIS_REACH_RACES_H

#include "Analysis/Diagnostics.h"
#include "Model/ProgramModel.h"

#include "clang/Basic/SourceLocation.h"

#include <map>
#include <set>
#include <vector>

namespace clang {
class Expr;
class FieldDecl;
} // namespace clang

namespace ikra {

class Races {
public:
  /// \p Place, in the body of \p F, is changed to what depends on its value, and not by an atomic.
  void addUpdate(Index Number, const Function& F, const clang::Expr* Place);
  /// \p Site, in the body of \p F, calls a method of \p Receiver.
  void addCall(Index Number, const Function& F, const clang::Expr* Site,
               const clang::Expr* Receiver);
  /// Warns of those that sections of \p Model reach. After the collection of functions.
  void report(const ProgramModel& Model, Diagnoser& Diags) const;

private:
  /// Whose object an expression names.
  enum class Owner { Element, Receiver, Shared, Unknown };
  static Owner ownerOf(const Function& F, const clang::Expr* E, unsigned Depth = 0);

  struct Update {
    const clang::FieldDecl* Field;
    clang::SourceLocation At;
    Owner Of;
  };
  struct MethodCall {
    const clang::Expr* Site;
    Owner Of;
  };
  /// What is reached from one section.
  struct Walk {
    const ProgramModel& Model;
    Diagnoser& Diags;
    const Section& From;
    std::set<std::pair<Index, Owner>>& Seen; ///< from all sections
    std::vector<const clang::Expr*> Path{};  ///< calls that lead to the function
  };
  /// \p Of is whose object the receiver of \p F is.
  void follow(Walk& W, Index F, Owner Of) const;

  std::map<Index, std::vector<Update>> Updates; ///< by function
  std::map<Index, std::vector<MethodCall>> Calls;
};

} // namespace ikra

#endif
