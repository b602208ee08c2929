// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BodyQueries.h"

#include "Cases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetOperations.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ikra::body {

namespace {

/// Goes through a body, once.
struct Walk {
  llvm::function_ref<void(const Expr&)> SeeExpr;
  llvm::function_ref<void(const Stmt&)> SeeStmt;

  void operator()(const ExprRef& E) const {
    if (!E)
      return;
    SeeExpr(*E);
    for (const ExprRef& Of : operandsOf(*E))
      (*this)(Of);
    if (const auto* Inner = std::get_if<Lambda>(&E->Is))
      (*this)(Inner->Body);
  }

  void operator()(const Stmts& Body) const {
    for (const StmtRef& S : Body) {
      SeeStmt(*S);
      for (const ExprRef& E : operandsOf(*S))
        (*this)(E);
      (*this)(childrenOf(*S));
    }
  }

  void operator()(const Body& Of) const {
    for (const Parameter& P : Of.Parameters)
      (*this)(P.Default);
    if (Of.Handed) {
      for (const ExprRef& Argument : Of.Handed->Arguments)
        (*this)(Argument);
      (*this)(Of.Handed->ResultValue);
    }
    (*this)(Of.Statements);
  }
};

/// Whether what decides on a loop's turns is the same for all elements: constant or captured, but
/// for \p Counters variables.
bool isUniform(const ExprRef& Decides, unsigned Counters) {
  unsigned Names = 0;
  bool Reads = false;
  Walk{[&](const Expr& E) {
         Names += std::holds_alternative<Name>(E.Is);
         Reads |= std::holds_alternative<Call>(E.Is) || std::holds_alternative<Invoke>(E.Is) ||
                  std::holds_alternative<Subscript>(E.Is) ||
                  std::holds_alternative<Location>(E.Is) || std::holds_alternative<Member>(E.Is) ||
                  std::holds_alternative<WindowRead>(E.Is);
       },
       [](const Stmt&) {}}(Decides);
  return Names <= Counters && !Reads;
}

/// The numbers of std::views::iota, and not the elements of a container.
bool isCounted(const ForRange& Loop) {
  const auto* const Of = std::get_if<LibraryCall>(&Loop.Range->Is);
  return Of && Of->Name == "ikra::algorithm::iota";
}

bool leavesEarly(const Stmts& Loop) {
  return llvm::any_of(Loop, [](const StmtRef& S) {
    return std::holds_alternative<Break>(S->Is) || std::holds_alternative<Return>(S->Is) ||
           leavesEarly(childrenOf(*S));
  });
}

bool diverges(const Stmt& S) {
  if (const auto* N = std::get_if<For>(&S.Is))
    return !N->Condition || !isUniform(N->Condition, 1) || leavesEarly(N->Body);
  if (const auto* N = std::get_if<ForRange>(&S.Is))
    return (isCounted(*N) && !isUniform(N->Range, 0)) || leavesEarly(N->Body);
  return std::holds_alternative<While>(S.Is) || std::holds_alternative<Do>(S.Is);
}

/// The number that an expression is; none if it depends on something.
std::optional<long long> numberOf(const ExprRef& E) {
  if (const auto* N = std::get_if<Cast>(&E->Is))
    return numberOf(N->Of);
  if (const auto* N = std::get_if<Paren>(&E->Is))
    return numberOf(N->Inner);
  if (const auto* N = std::get_if<Unary>(&E->Is); N && N->Sign == "-") {
    const std::optional<long long> Of = numberOf(N->Operand);
    return Of ? std::optional(-*Of) : std::nullopt;
  }
  const auto* const Number = std::get_if<Literal>(&E->Is);
  const auto* const Named = std::get_if<Constant>(&E->Is);
  long long Out = 0;
  if ((!Number && !Named) ||
      llvm::StringRef(Number ? Number->Text : Named->Value).rtrim("uUlL").getAsInteger(0, Out))
    return std::nullopt;
  return Out;
}

bool repeats(const Stmt& S) {
  constexpr long long Few = 8; // turns
  const auto MayExceed = [](const std::optional<long long>& Last) { return !Last || *Last > Few; };
  if (const auto* N = std::get_if<ForRange>(&S.Is))
    return isCounted(*N) ? MayExceed(numberOf(std::get<LibraryCall>(N->Range->Is).Arguments.back()))
                         : std::holds_alternative<Captured>(N->Range->Is) ||
                               std::holds_alternative<Member>(N->Range->Is);
  const auto* const Loop = std::get_if<For>(&S.Is);
  const auto* const Condition =
      Loop && Loop->Condition ? std::get_if<Binary>(&Loop->Condition->Is) : nullptr;
  return Loop && MayExceed(Condition ? numberOf(Condition->Right) : std::nullopt);
}

} // namespace

void forEachExpr(const Body& Of, llvm::function_ref<void(const Expr&)> See) {
  Walk{See, [](const Stmt&) {}}(Of);
}
void forEachExpr(const Stmts& In, llvm::function_ref<void(const Expr&)> See) {
  Walk{See, [](const Stmt&) {}}(In);
}
void forEachExpr(const ExprRef& In, llvm::function_ref<void(const Expr&)> See) {
  Walk{See, [](const Stmt&) {}}(In);
}

void forEachStmt(const Body& Of, llvm::function_ref<void(const Stmt&)> See) {
  Walk{[](const Expr&) {}, See}(Of);
}

std::set<std::string> namesIn(const Stmts& All) {
  std::set<std::string> Out;
  Body Of;
  Of.Statements = All;
  forEachExpr(Of, [&](const Expr& E) {
    if (const auto* N = std::get_if<Name>(&E.Is))
      Out.insert(N->Ident);
  });
  forEachStmt(Of, [&](const Stmt& S) {
    if (const auto* N = std::get_if<Declare>(&S.Is))
      Out.insert(N->Ident);
  });
  return Out;
}

std::optional<unsigned> neighboursOf(const For& Loop) {
  constexpr long long Most = 7;
  const auto* const Counter = Loop.Init ? std::get_if<Declare>(&Loop.Init->Is) : nullptr;
  const auto* const Ends = Loop.Condition ? std::get_if<Binary>(&Loop.Condition->Is) : nullptr;
  if (!Counter || Counter->Values.size() != 1 || !Ends || (Ends->Sign != "<" && Ends->Sign != "<="))
    return std::nullopt;
  const std::optional<long long> First = numberOf(Counter->Values.front());
  const std::optional<long long> Last = numberOf(Ends->Right);
  if (!First || !Last)
    return std::nullopt;
  const long long Turns = *Last - *First + (Ends->Sign == "<=" ? 1 : 0);
  Body Turn;
  Turn.Statements = Loop.Body;
  bool ReadsSome = false;
  forEachExpr(Turn, [&](const Expr& E) { ReadsSome |= std::holds_alternative<WindowRead>(E.Is); });
  if (!ReadsSome || Turns < 2 || Turns > Most)
    return std::nullopt;
  return static_cast<unsigned>(Turns);
}

Work workOf(const Body& Of) {
  Work Out;
  const auto Count = [&](Latency Takes) {
    ++Out.Operations;
    Out.Long += Takes != Latency::Short;
    Out.Divides |= Takes == Latency::OfDivisionByConstant;
  };
  forEachExpr(Of, [&](const Expr& E) {
    std::visit(Cases{
                   [](const auto&) {},
                   [&](const Binary& N) {
                     if (!N.IsOverloaded)
                       Count(N.Takes);
                   },
                   [&](const LibraryCall& N) { Count(N.Takes); },
                   [&](const Call&) { Count(Latency::Short); },
               },
               E.Is);
  });
  forEachStmt(Of, [&](const Stmt& S) {
    Out.Loops |= std::holds_alternative<For>(S.Is) || std::holds_alternative<ForRange>(S.Is) ||
                 std::holds_alternative<While>(S.Is) || std::holds_alternative<Do>(S.Is);
    Out.Diverges |= diverges(S);
    Out.Repeats |= repeats(S);
  });
  return Out;
}

bool addsParameters(const Body& Of, llvm::StringRef Spelling) {
  if (Of.Parameters.size() != 2 || Of.Statements.size() != 1 || Of.Handed)
    return false;
  const auto* const Gives = std::get_if<Return>(&Of.Statements.front()->Is);
  const auto* const Sum = Gives && Gives->Value ? std::get_if<Binary>(&Gives->Value->Is) : nullptr;
  if (!Sum || Sum->Sign != "+" || Sum->IsOverloaded)
    return false;
  const auto Is = [&](const ExprRef& E, const Parameter& P) {
    const auto* const N = std::get_if<Name>(&E->Is);
    return N && N->Ident == P.Ident && P.Ty && P.Ty->Is == CodeType::Plain &&
           P.Ty->Of.Spelling == Spelling;
  };
  const Parameter &A = Of.Parameters[0], &B = Of.Parameters[1];
  return (Is(Sum->Left, A) && Is(Sum->Right, B)) || (Is(Sum->Left, B) && Is(Sum->Right, A));
}

namespace {

/// What is read of a neighbour: a field or an index for each step, as printed; an index that is not
/// constant may be any.
struct MemberRead {
  std::vector<std::optional<std::string>> Path; ///< the innermost step last
  std::set<std::string> Names;                  ///< in indices
};

std::set<std::string> namesIn(const ExprRef& E) {
  std::set<std::string> Out;
  Walk{[&](const Expr& Of) {
         if (const auto* N = std::get_if<Name>(&Of.Is))
           Out.insert(N->Ident);
       },
       [](const Stmt&) {}}(E);
  return Out;
}

/// The number that an index has in every call; none if there is no such number.
std::optional<std::string> constantIndex(const ExprRef& E) {
  if (const auto* N = std::get_if<Literal>(&E->Is))
    return N->Text;
  if (const auto* N = std::get_if<Constant>(&E->Is))
    return N->Value;
  if (const auto* N = std::get_if<Cast>(&E->Is))
    return constantIndex(N->Of);
  if (const auto* N = std::get_if<Paren>(&E->Is))
    return constantIndex(N->Inner);
  return std::nullopt;
}

/// The neighbour that a member is read of, and which; null if \p E is no such read.
const WindowRead* memberRead(const Expr& E, MemberRead& Out) {
  const ExprRef* Of = nullptr;
  std::optional<std::string> Step;
  if (const auto* Field = std::get_if<Part>(&E.Is); Field && !Field->ThroughPointer) {
    Of = &Field->Object;
    Step = Field->Field;
  } else if (const auto* Element = std::get_if<Subscript>(&E.Is)) {
    Of = &Element->Base;
    Step = constantIndex(Element->Index);
    Out.Names.merge(namesIn(Element->Index));
  } else if (const auto* Within = std::get_if<Paren>(&E.Is)) {
    return memberRead(*Within->Inner, Out);
  } else {
    return std::get_if<WindowRead>(&E.Is);
  }
  const WindowRead* Read = memberRead(**Of, Out);
  Out.Path.push_back(std::move(Step));
  return Read;
}

/// Whether both may read the same member.
bool meet(const MemberRead& A, const MemberRead& B) {
  for (std::size_t K = 0; K < std::min(A.Path.size(), B.Path.size()); ++K)
    if (A.Path[K] && B.Path[K] && A.Path[K] != B.Path[K])
      return false;
  return true;
}

} // namespace

bool readsMembersOnce(const Body& Of) {
  std::map<const WindowRead*, MemberRead> Reads;
  std::size_t Neighbours = 0, Windows = 0;
  forEachExpr(Of, [&](const Expr& E) { // a member of a member comes before the latter
    if (const auto* N = std::get_if<Name>(&E.Is))
      Windows += !Of.Parameters.empty() && N->Ident == Of.Parameters.front().Ident;
    Neighbours += std::holds_alternative<WindowRead>(E.Is);
    MemberRead Found;
    if (const WindowRead* Read = memberRead(E, Found); Read && !Found.Path.empty())
      Reads.emplace(Read, std::move(Found));
  });
  if (Neighbours == 0 || Reads.size() != Neighbours || Windows != Neighbours)
    return false;
  for (auto A = Reads.begin(); A != Reads.end(); ++A) {
    for (const ExprRef& Argument : A->first->Arguments)
      if (!llvm::set_is_subset(namesIn(Argument), A->second.Names))
        return false;
    for (auto B = std::next(A); B != Reads.end(); ++B)
      if (meet(A->second, B->second))
        return false;
  }
  return true;
}

} // namespace ikra::body
