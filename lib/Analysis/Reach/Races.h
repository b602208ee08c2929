// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates of objects that several elements may reach: `t->to->balance += t->amount` in a peach.
// Elements run at the same time, so one of two updates may be lost. A warning names the line.
// What an element owns (itself, what it holds by value or by std::unique_ptr) is its own; of what
// is reached in ways that are not followed, nothing is said.
//
// Reads of a member of others, or of a part of one, that each element updates in itself: `f->x +=
// f->ahead->x`, `f->at.x += f->ahead->at.x`. What is read is the value before or after. Where
// elements set the member without its old value, or under a condition, they may go level by level,
// or in colours: nothing is said. Nor where no element is of a class that both updates the member
// and may be what is read.

#ifndef IKRA_ANALYSIS_REACH_RACES_H
#define IKRA_ANALYSIS_REACH_RACES_H

#include "Analysis/Diagnostics.h"
#include "Model/ProgramModel.h"

#include "clang/Basic/SourceLocation.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace clang {
class CXXRecordDecl;
class Expr;
class FieldDecl;
class MemberExpr;
} // namespace clang

namespace ikra {

class Races {
public:
  /// \p Place, in the body of \p F, is changed to what depends on its value, and not by an atomic.
  /// \param Always whenever the function runs
  void addUpdate(Index Number, const Function& F, const clang::Expr* Place, bool Always,
                 const ClassRoles& Roles);
  /// A member of an object, or a part of it, is read, and not by an atomic. \param Place the part,
  /// or the member \param Roles by which objects' members are told from parts
  void addRead(Index Number, const Function& F, const clang::MemberExpr* Place,
               const ClassRoles& Roles);
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

  /// A member of an object, then what is named of it: `at.x`.
  using Members = std::vector<const clang::FieldDecl*>;
  struct Part {
    Members Path;
    const clang::Expr* Object = nullptr;
  };
  static Part partOf(const clang::MemberExpr* Place, const ClassRoles& Roles);

  struct Update {
    Members Path;
    clang::SourceLocation At;
    Owner Of;
    bool Always;
  };
  struct Read {
    Members Path;
    clang::SourceLocation At;
    Owner Of;
    const clang::CXXRecordDecl* Class; ///< of the object, as the expression has it
  };
  struct MethodCall {
    const clang::Expr* Site;
    Owner Of;
    const clang::CXXRecordDecl* Class;
  };
  /// Concrete classes, by number.
  using Classes = std::vector<Index>;
  /// What an object may be.
  struct Kinds {
    const clang::CXXRecordDecl* Class = nullptr; ///< or one that is derived from it
    Classes Chosen;                              ///< by dispatched calls; empty: not known
    auto operator<=>(const Kinds&) const = default;
  };
  static bool mayBe(const ProgramModel& Model, const Kinds& Of, Index Class);
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
    std::map<Members, std::set<Index>> Updated; ///< by each element of these classes, of its own
    struct OtherRead {
      clang::SourceLocation At;
      std::vector<const clang::Expr*> Path;
      Kinds Of;
    };
    std::map<Members, std::vector<OtherRead>> Read; ///< of others
  };
  /// Of whom a function is a method, and when it runs.
  struct State {
    Index F;
    Owner Of;        ///< whose object the receiver is
    Kinds Receiver;  ///< where it is no element
    Classes Element; ///< that it runs for
    bool Always;     ///< it runs for each of these
    auto operator<=>(const State&) const = default;
  };
  void gather(const ProgramModel& Model, const State& Of, std::vector<const clang::Expr*>& Path,
              std::set<State>& Seen, Uses& Out) const;
  void reportReads(const ProgramModel& Model, Diagnoser& Diags) const;
  static void reportPath(const std::vector<const clang::Expr*>& Path, const Section& From,
                         Diagnoser& Diags);
  /// The calls of a function in their order, with whose object the receiver is: \p Receiver for
  /// its own.
  std::vector<MethodCall> callsOf(const Function& Of, Index F, Owner Receiver,
                                  const clang::CXXRecordDecl* Class) const;

  std::map<Index, std::vector<Update>> Updates; ///< by function
  std::map<Index, std::vector<Read>> Reads;
  std::map<Index, std::vector<MethodCall>> Calls;
};

} // namespace ikra

#endif
