// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Analysis leaves behind: the sections of a translation unit (Section.h), the classes and
// functions that they reach (Class.h, Function.h), and how results flow between them. Plain data:
// every cross reference is an index into one of the vectors of ProgramModel. Pointers to AST nodes
// are handles by which the host text is edited; no later stage takes decisions from them.

#ifndef IKRA_MODEL_PROGRAMMODEL_H
#define IKRA_MODEL_PROGRAMMODEL_H

#include "Class.h"
#include "Function.h"
#include "Section.h"

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang {
class DeclStmt;
class Expr;
} // namespace clang

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace ikra {

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
  const clang::DeclStmt* Last = nullptr; ///< declares the last of them
};

/// A Datalog program that stands in the source as a string literal, compiled.
struct DatalogProgram {
  std::string Text;
  int Bits = 32; ///< of its numbers
  SourceLoc At;
  std::string Definitions; ///< for the emitted file, whole lines
  std::size_t Rules = 0, Kernels = 0;
  std::vector<std::string> Interpreted; ///< rules with steps that have no kernel, and why
  std::vector<std::string> Functors;    ///< where each is called, and why
};

/// A function that the program gives for a functor of Datalog programs (docs/datalog-kernels.md).
struct DatalogFunctor {
  std::string Name;               ///< of the functor
  std::string Ident;              ///< of the class that kernels call
  std::vector<std::string> Types; ///< of the parameters, then of the result, as text
  SourceLoc At;
  const clang::Expr* Argument = nullptr;         ///< where it is given
  const clang::FunctionDecl* Function = nullptr; ///< null if it is not seen
  const clang::FunctionDecl* Inside = nullptr;   ///< the function around it
  std::string WhyNot;                            ///< why kernels do not call it
  Index Code = 0;                                ///< if they do: its entry among the functions

  /// How emitted code names the class, and how the engine knows the function.
  std::string className(const std::string& Unit) const {
    return "::" + Unit + "::datalog_programs::" + Ident;
  }
};

/// A use that a checked build looks at (docs/checked-builds.md).
struct Check {
  enum Kind { Index, Null, Division, Shift, Conflict, Quotient, Missing } What;
  SourceLoc At;
};
/// The largest number of a check; all after it share it.
inline constexpr std::size_t LastCheck = 65000;

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
  std::vector<GlobalVariable> Globals;
  std::vector<Section> Sections;
  std::vector<SectionUse> Uses;    ///< those that say more than the sections' own inputs
  std::size_t ContextsLeftOut = 0; ///< uses that there are too many of
  std::vector<UnfollowedInput> Unfollowed;
  std::vector<NamedLambda> Lambdas;
  std::vector<ResultGroup> Horizontal;
  std::vector<DatalogProgram> Datalog;
  std::vector<DatalogFunctor> Functors; ///< that kernels of Datalog programs call
  std::vector<TakenName> Taken;         ///< by name
  /// Friends after which the text has to declare an equality (FriendOrders.h).
  std::vector<const clang::FunctionDecl*> FriendOrders;
  /// Which of the names that emitted code has in the unit's namespace the program has at file scope
  /// too, declared there or by a using directive.
  std::set<std::string> DeclaredToo;
  /// The code of operations over objects that are left to the plain library.
  std::vector<const clang::Expr*> Fallback;
  Index Families = 0;
  bool SeesArrays = false;  ///< the file includes the library of arrays
  bool UsesComplex = false; ///< sections compute with std::complex
  bool IsChecked = false;   ///< device code has checks
  std::vector<Check> Checks;

  /// Whether emitted code has functions of the program in device form.
  bool hasDeviceCode() const { return !Sections.empty() || !Functors.empty(); }
};

/// Adds \p F and all that it calls, perhaps through others.
void addReached(const ProgramModel& Model, Index F, std::set<Index>& Reached);

/// Whether the number of turns of some loop in a section's code, or in what that calls, depends on
/// the element.
bool diverges(const ProgramModel& Model, const Section& S);
/// Whether some loop there turns more than a few times, or may.
bool repeats(const ProgramModel& Model, const Section& S);

/// Whether a section does nothing but add its two elements.
bool addsElements(const ProgramModel& Model, const Section& S);
/// Whether a stencil reads each member of its neighbours from one of them alone.
bool readsMembersOnce(const ProgramModel& Model, const Section& S);

/// Simple operations of one core for an element of a section that may run in place; none if its
/// code loops or calls itself. The most that the code may take.
std::optional<unsigned> operationsInPlace(const ProgramModel& Model, const Section& S);

/// What the code of a section that may run in place does with objects, each with less than the one
/// before.
enum class ObjectsUsed {
  OfKnownClasses, ///< runs virtual methods, which other translation units may define too
  OfAnyClass,     ///< runs code that was seen, whatever the classes of its elements
  ElementsAlone,  ///< and dereferences nothing but its element
};
ObjectsUsed objectsUsedInPlace(const ProgramModel& Model, const Section& S);

/// Names that emitted code has in the unit's namespace, whatever the program.
constexpr const char* NamesOfUnit[] = {"columns_view", "checked_columns_view",
                                       "reporting_columns_view", "layout", "checks"};

/// Names that the struct of a section's code has in emitted code, beside its captures.
constexpr llvm::StringLiteral NamesOfBody[] = {"body",
                                               "code",
                                               "here",
                                               "index",
                                               "tick",
                                               "ticks",
                                               "first_tick",
                                               "diverges",
                                               "repeats",
                                               "reads_members_once",
                                               "adds",
                                               "lanes",
                                               "is_in_tiles",
                                               "side_by_side",
                                               "compute_lanes",
                                               "compute_in_tiles",
                                               "longest_in_tiles",
                                               "element",
                                               "element_0",
                                               "element_1",
                                               "columns_view",
                                               "checked_columns_view",
                                               "reporting_columns_view"};

/// The qualified name as an identifier: A::b<int> is A_b_int.
std::string identOf(llvm::StringRef Qualified);

void print(const ProgramModel& Model, llvm::raw_ostream& OS);
/// The bodies of its functions.
void printBodies(const ProgramModel& Model, llvm::raw_ostream& OS);

} // namespace ikra

#endif
