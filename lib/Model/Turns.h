// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of host sections as data (docs/turns.md). A turn is a straight-line program over named
// arrays, with scalars that live on the device, and branches on them. Analysis makes it from a
// loop; Fusion says which of its commands share a kernel; Emit writes it.

#ifndef IKRA_MODEL_TURNS_H
#define IKRA_MODEL_TURNS_H

#include "Body.h"
#include "ProgramModel.h"
#include "Sequences.h"
#include "Type.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clang {
class CompoundStmt;
class Expr;
class Stmt;
} // namespace clang

namespace ikra {

/// A number that the turn's code names, or that a reduction gives.
struct TurnScalar {
  std::string Name; ///< unique in the turn
  Type Ty;
  std::string HostName;   ///< of the variable before the loop; empty: the turn's own
  bool IsWritten = false; ///< it has another value after the loop
  /// It is the number of elements, or the extent in a dimension, of the arrays of a space.
  struct Size {
    std::size_t Space;
    std::optional<unsigned> Dimension;
    auto operator<=>(const Size&) const = default;
  };
  std::optional<Size> Is;
};

/// Arrays of one shape: what is read at one place, or set to another, has that one's.
struct TurnSpace {
  unsigned Rank = 1;
  bool IsGiven = false;   ///< an array from before the loop has the shape
  bool IsRunOver = false; ///< by commands
};

/// The shape of a space, by numbers that no turn changes. If an array from before the loop has one,
/// too, the loop runs as turns where both are the same.
struct TurnShape {
  std::size_t Space = 0;
  body::Stmts Before; ///< sets scalars that the extents name
  body::Exprs Extents;
};

/// A variable that holds an array.
struct TurnArray {
  /// Who asks in any case for what it holds before the loop.
  enum Asker {
    Nobody,
    Turns, ///< each run of the loop that has a turn
    Loop,  ///< each run
  };

  std::string Name; ///< unique in the turn
  Type Element;
  std::string HostName; ///< as of scalars
  bool IsAssigned = false;
  bool IsSetByTurn = false; ///< by each, before that reads it: what it held is needed no more
  bool IsSetFirst = false;  ///< and before anything else reads it: it need not have a shape
  Asker IsAskedBy = Nobody;
  bool IsMoved = false; ///< away by each turn, which sets it first: it is empty after the loop
  std::size_t Space = 0;
};

/// An array that a command reads: what a variable holds, or another command's result.
struct TurnInput {
  bool IsCommand = false;
  std::size_t Number = 0;
  friend bool operator==(const TurnInput&, const TurnInput&) = default;
};

/// Two arrays in a built-in array or a std::array, that a number chooses by its lowest bit:
/// `buf[t & 1]` and `buf[1 - (t & 1)]`. Where turns change the bit, the two change places.
struct TurnPair {
  std::size_t Now = 0, Other = 0; ///< arrays: what the bit chooses, and the other one
  std::string By;                 ///< the scalar
  /// Before the loop Now is the second one of the host's if this scalar is odd, or if StartsOdd,
  /// but not both. It may be empty. \{
  std::string Start;
  bool StartsOdd = false;
  /// \}
  std::string Turned; ///< a scalar: whether the two have changed places
};

/// Three arrays or more, of which the loop's counter chooses by its remainder: `buf[(t + 1) % 3]`.
/// Where it goes on by one, the first of them becomes the last.
struct TurnRing {
  std::vector<std::size_t> Arrays; ///< by their places in the first turn
  std::string By;                  ///< the counter's scalar
  std::string Turned;              ///< a scalar: by how many places they have been rotated
};

struct TurnCommand {
  std::optional<Index> Section; ///< none: it counts how often keys occur, which Inputs are
  std::size_t Over = 0;         ///< the space whose elements it reads
  std::size_t Space = 0;        ///< of its result; of reductions to numbers, Over
  std::vector<TurnInput> Inputs;
  body::Exprs Captures; ///< over the turn's scalars; null for captured arrays
  std::vector<std::pair<std::size_t, TurnInput>> CapturedArrays; ///< by the section's captures
  body::ExprRef First; ///< what a reduction starts with, or a stencil's value outside; may be null
  std::size_t Result = 0; ///< of a reduction: the scalar
  bool UsesScalars = false;
  /// Maps that it applies one after the other, itself the last one, as often as the scalar Times
  /// says: a loop's turns in one kernel. Empty: it is one command. \{
  std::vector<std::size_t> Chain;
  std::string Times;
  /// \}
};

/// What a command does; counting is a reduction of ones.
inline Operation operationOf(const ProgramModel& Model, const TurnCommand& Of) {
  return Of.Section ? Model.Sections[*Of.Section].Op : Operation::PReduceByIndex;
}

/// All arrays that a command reads.
inline std::vector<TurnInput> arraysOf(const TurnCommand& Command) {
  std::vector<TurnInput> Out = Command.Inputs;
  for (const auto& [Capture, Input] : Command.CapturedArrays)
    Out.push_back(Input);
  return Out;
}

struct TurnStep;
using TurnSteps = std::vector<TurnStep>;

struct TurnStep {
  enum Kind {
    Run,    ///< command Number
    Set,    ///< array Number becomes Value
    Swap,   ///< arrays Number and Other change places
    Code,   ///< Statements over scalars
    Branch, ///< Then if Condition, else Else
    Read,   ///< scalar Number becomes the element of Value at Place
    Loop,   ///< Then while Condition, which Else's results decide
  };
  explicit TurnStep(Kind Is) : Is(Is) {}

  Kind Is;
  std::size_t Number = 0, Other = 0;
  TurnInput Value;
  body::Stmts Statements;
  body::ExprRef Condition;
  TurnSteps Then, Else;
  body::Exprs Place;                ///< one position in the order of elements, or one by dimension
  std::vector<std::size_t> Carried; ///< of a loop: arrays from before it that it sets
  bool TestsFirst = true;           ///< of a loop
  bool HasTurn = false;             ///< of a loop: constants say that it has one at least
  bool IsOfNumbers = false;         ///< of a statement that names no array
};

/// Calls \p See with each step, and with those in it.
template <class F> void forEachStep(const TurnSteps& Steps, const F& See) {
  for (const TurnStep& Step : Steps) {
    See(Step);
    forEachStep(Step.Then, See);
    forEachStep(Step.Else, See);
  }
}

/// Whether a step, or one in it, is such.
template <class F> bool anyStep(const TurnSteps& Steps, const F& Is) {
  bool Found = false;
  forEachStep(Steps, [&](const TurnStep& Step) { Found = Found || Is(Step); });
  return Found;
}

/// The greatest place that a section reads at a position: (Times * position + Plus) / Per + Then.
struct GreatestPlace {
  std::int64_t Times = 1, Plus = 0, Per = 1, Then = 0;
};

/// A section reads arrays of a space up to such a place in a dimension, though the program may not
/// ask for its results: the loop runs as turns where they have as many elements.
struct TurnCover {
  std::size_t Space = 0;
  unsigned Dimension = 0;
  std::size_t Over = 0; ///< the space that has the positions, and in which dimension
  unsigned OverDimension = 0;
  GreatestPlace Most;
  std::optional<std::int64_t> Elements; ///< of an array of a constant size, in no space
};

/// When the host has something to do in a turn.
struct HostAct {
  const clang::Expr* Condition;
  /// What changes numbers of the condition before it is asked, `++t`, in the order of the text, and
  /// these numbers.
  std::vector<const clang::Expr*> Before;
  std::vector<const clang::VarDecl*> Changed;
};

struct Turn {
  /// What of the host's the turns need, as the loop would write it.
  std::vector<std::string> given() const {
    std::vector<std::string> Out;
    for (const TurnArray& Array : Arrays)
      if (!Array.HostName.empty())
        Out.push_back(Array.HostName);
    for (const TurnScalar& Scalar : Scalars)
      if (!Scalar.HostName.empty())
        Out.push_back(Scalar.HostName);
    return Out;
  }

  std::string Ident;                     ///< unique in emitted code
  std::optional<Instantiation> Instance; ///< where the loop stands in a template
  /// What the text gives, for all instantiations of a template; of the first of them.
  std::vector<std::string> InText;
  std::vector<std::size_t> Places; ///< in that: of what this one has of the host's
  std::string Inside;              ///< the name of the function around it
  std::string Keyword;
  SourceLoc At;
  const clang::Stmt* Loop = nullptr; ///< stays in the host text
  /// The loop's block, if turns stop before one in which the host acts: its begin asks for them.
  const clang::CompoundStmt* Block = nullptr;
  std::vector<HostAct> HostActs; ///< when it does
  std::vector<TurnSpace> Spaces;
  std::vector<TurnArray> Arrays;
  std::vector<TurnPair> Pairs;
  std::vector<TurnRing> Rings;
  std::vector<TurnScalar> Scalars;
  std::vector<TurnCommand> Commands;
  std::vector<TurnShape> Shapes; ///< in the order of the text
  std::vector<TurnCover> Covers;
  TurnSteps Begin; ///< before the first test
  TurnSteps Body;  ///< to the end, the step of a for loop included
  TurnSteps Test;  ///< what the condition reads
  body::ExprRef Condition;
  bool TestsFirst = true;
  std::vector<std::size_t> Carried; ///< arrays that live longer than a turn, and that turns set
  bool ChangesReferences = false;   ///< which may name one variable: known when it starts
  std::string Fails;                ///< a scalar: the loop has to run as written; may be empty
  /// Spelled type of what the loop may return, `void` for nothing; empty: it does not return.
  std::string Returns;
  bool EndsByReturn = false; ///< as written it never runs to its end
  /// Whether there is a first turn follows from scalars of before the loop alone.
  bool IsEnteredByScalars = false;
  unsigned Waits = 0; ///< how often the host waits in a turn of the loop as written
};

/// A loop of a host section that counts its turns where it runs as it is written, so that an error
/// names the turn.
struct NumberedLoop {
  SourceLoc At;
  const clang::Stmt* Loop = nullptr;
  const clang::Stmt* Body = nullptr;
  clang::SourceLocation LoopEnd, BodyEnd; ///< of the last token, a semicolon included
};

/// A loop of a host section that stays as it is written, though the host waits in it.
struct LeftLoop {
  SourceLoc At;
  std::string Keyword, Why;
  unsigned Waits = 0;
};

/// Parts of the host's code that run as a whole, in the order of the source: loops of host sections
/// that read elements, and sequences of sections.
struct HostLoops {
  std::vector<Turn> Turns;
  std::vector<LeftLoop> Left;
  std::vector<NumberedLoop> Numbered; ///< turns and others, each text once
  std::vector<Sequence> Sequences;
  std::vector<UnjoinedLoop> Unjoined;
  std::vector<HostScope> Scopes;
  /// Host sections that open none, though they run several sections over the same objects.
  std::vector<UnjoinedLoop> Unscoped;
};

} // namespace ikra

#endif
