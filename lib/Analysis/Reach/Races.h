// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates of objects that several elements may reach: `t->to->balance += t->amount` in a peach.
// Elements run at the same time, so one of two updates may be lost. A warning names the line.
// What an element owns (itself, what it holds by value or by std::unique_ptr) is its own; of what
// is reached in ways that are not followed, nothing is said.
//
// Reads of a member of others that each element updates in itself: `f->x += f->ahead->x`. What is
// read is the value before or after. Where elements set the member without its old value, or under
// a condition, they may go level by level, or in colours: nothing is said.

#ifndef IKRA_ANALYSIS_REACH_RACES_H
#define IKRA_ANALYSIS_REACH_RACES_H

#include "Analysis/Diagnostics.h"
#include "Model/ProgramModel.h"

#include "clang/Basic/SourceLocation.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace clang {
class Expr;
class FieldDecl;
} // namespace clang

namespace ikra {

class Races {
public:
  /// \p Place, in the body of \p F, is changed to what depends on its value, and not by an atomic.
  /// \param Always whenever the function runs
  void addUpdate(Index Number, const Function& F, const clang::Expr* Place, bool Always);
  /// A member of \p Object is read, and not by an atomic.
  void addRead(Index Number, const Function& F, const clang::FieldDecl* Field,
               const clang::Expr* Object, clang::SourceLocation At);
  /// \p Site, in the body of \p F, calls a method of \p Receiver.
  void addCall(Index Number, const Function& F, const clang::Expr* Site,
               const clang::Expr* Receiver);
  /// Warns of those that sections of \p Model reach. After the collection of functions.
  void report(const ProgramModel& Model, Diagnoser& Diags) const;

private:
  /// Whose object an expression names.
  enum class Owner {
    Element,
    Receiver,
    Shared,     ///< a pointer of the element's leads to it, and another's may, too
    OfReceiver, ///< a pointer of the receiver's does
    Elsewhere,  ///< all elements have it, or it is what a part of the element leads back to
    Unknown
  };
  static bool isOfSeveral(Owner Of) {
    return Of == Owner::Shared || Of == Owner::OfReceiver || Of == Owner::Elsewhere;
  }
  /// Whose an object is, where it is known whose the receiver is.
  static Owner resolved(Owner Of, Owner Receiver);
  static Owner ownerOf(const Function& F, const clang::Expr* E, unsigned Depth = 0);

  struct Update {
    const clang::FieldDecl* Field;
    clang::SourceLocation At;
    Owner Of;
    bool Always;
  };
  struct Read {
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

  /// What one section does with members.
  struct Uses {
    std::set<const clang::FieldDecl*> Updated; ///< by each element, of its own
    struct FirstRead {
      clang::SourceLocation At;
      std::vector<const clang::Expr*> Path;
    };
    std::map<const clang::FieldDecl*, FirstRead> Read; ///< of others
  };
  using States = std::set<std::tuple<Index, Owner, bool>>;
  /// \p Always the function runs for each element.
  void gather(const ProgramModel& Model, Index F, Owner Of, bool Always,
              std::vector<const clang::Expr*>& Path, States& Seen, Uses& Out) const;
  void reportReads(const ProgramModel& Model, Diagnoser& Diags) const;
  static void reportPath(const std::vector<const clang::Expr*>& Path, const Section& From,
                         Diagnoser& Diags);
  /// The calls of a function in their order, with whose object the receiver is.
  std::vector<std::pair<const clang::Expr*, Owner>> callsOf(const Function& Of, Index F,
                                                            Owner Receiver) const;

  std::map<Index, std::vector<Update>> Updates; ///< by function
  std::map<Index, std::vector<Read>> Reads;
  std::map<Index, std::vector<MethodCall>> Calls;
};

} // namespace ikra

#endif
