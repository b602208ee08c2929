// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SideBySide.h"

#include "SharedValues.h"

#include "Model/BodyQueries.h"
#include "Model/Cases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace ikra {

namespace body {
namespace {

bool isNumberInLanes(llvm::StringRef Spelling) {
  return llvm::StringSwitch<bool>(Spelling)
      .Cases("float", "double", "int", "unsigned int", "bool", true)
      .Default(false);
}

/// A value that vectors hold: a number, or a class of such.
bool fitsLanes(const TypeRef& Ty) {
  return isSmallValue(Ty) && (Ty->Of.IsClass || isNumberInLanes(Ty->Of.Spelling));
}

bool isFloating(const TypeRef& Ty) {
  return Ty && Ty->Is == CodeType::Plain &&
         (Ty->Of.Spelling == "float" || Ty->Of.Spelling == "double");
}

bool isReceiver(const ExprRef& E) { return std::holds_alternative<Receiver>(E->Is); }

/// A name, a number, or a part of what has a name: nothing is computed.
bool isSimple(const ExprRef& E) {
  if (const auto* N = std::get_if<Cast>(&E->Is))
    return N->Is == Cast::Static && isSimple(N->Of) &&
           (std::holds_alternative<Literal>(N->Of->Is) ||
            std::holds_alternative<Constant>(N->Of->Is));
  if (const auto* N = std::get_if<Unary>(&E->Is))
    return N->Sign == "-" && std::holds_alternative<Literal>(N->Operand->Is);
  const auto* OfReceiver = std::get_if<Part>(&E->Is);
  return std::holds_alternative<Literal>(E->Is) || std::holds_alternative<Constant>(E->Is) ||
         std::holds_alternative<Captured>(E->Is) || rootOf(E) ||
         (OfReceiver && isReceiver(OfReceiver->Object));
}

/// Looks at one section's code.
class SideBySidePlanner {
public:
  SideBySidePlanner(const ProgramModel& Model, const Section& S)
      : Model(Model), S(S), Shared(Model, S) {}

  std::optional<SideBySide> run() {
    if (!isCandidate())
      return std::nullopt;
    const Body& Code = *Model.Functions[S.Code.Function].Code;
    for (const Parameter& P : Code.Parameters) {
      if (P.IsOmitted || P.IsElement || P.IsMovedFrom || P.Default || !isSmallValue(P.Ty) ||
          (P.IsNamed && !declare(P.Ident, Role::Own)))
        return std::nullopt;
      if (P.IsNamed) {
        Out.Own[P.Ident] = P.Ty;
        settle(P.Ident);
      }
    }
    if (Code.Parameters.size() > S.Elements.size() &&
        Settled.contains(Code.Parameters.back().Ident))
      Out.Index = Code.Parameters.back().Ident;
    if (Code.Statements.empty() || !isSmallValue(Code.Result) || !outer(Code.Statements) ||
        Out.Array.empty())
      return std::nullopt;
    Out.Shared = std::move(Shared.Variables);
    return Out;
  }

private:
  static constexpr unsigned DeepestCall = 8;

  bool isCandidate() const {
    return computesValuesAlone(Model, S) && S.Code.Lambdas.empty() && !(S.WithIndex && S.Rank != 1);
  }

  /// Notes that a variable beside the loops keeps its value, if it does.
  void settle(const std::string& Ident) {
    if (!mayChange(*Model.Functions[S.Code.Function].Code, Ident))
      Settled.insert(Ident);
  }

  enum class Role {
    Own,    ///< of each result, over several loops
    Shared, ///< the same for all results
    OfTurn, ///< of each result, in one turn
  };
  /// Notes the name of a variable. \returns false if it is another one's that emitted code could
  /// take it for
  bool declare(const std::string& Ident, Role As) {
    if (llvm::any_of(S.Code.Captures, [&](const Capture& C) { return C.Name == Ident; }))
      return false;
    const auto [At, IsNew] = Names.emplace(Ident, As);
    return IsNew || (At->second == As && As != Role::Own);
  }

  //===-- what vectorises ------------------------------------------------------------------===//

  bool isFlat(const Exprs& All, unsigned Depth) {
    return llvm::all_of(All, [&](const ExprRef& E) { return isFlat(E, Depth); });
  }

  /// \p Depth of calls around it; in a function that is called, nothing is shared
  bool isFlat(const ExprRef& E, unsigned Depth) {
    if (Depth == 0 && Shared.isShared(E))
      return !Shared.changes(*E);
    if (Depth == 0 && Shared.changes(*E))
      return false;
    if (isReceiver(E)) // its type is a pointer
      return true;
    if (const std::optional<SharedValues::ElementRead> Read = Shared.elementOf(*E))
      return Depth == 0 && fitsLanes(E->Ty) &&
             llvm::all_of(Read->Places, [&](const ExprRef& Of) { return isPlaceOfResult(Of); });
    const bool IsStatement =
        E->Ty && E->Ty->Is == CodeType::Plain && E->Ty->Of.Kind == TypeKind::Void;
    if (E->Ty && !IsStatement && !fitsLanes(E->Ty))
      return false;
    return std::visit(
        Cases{
            [](const auto&) { return false; },
            [](const Literal&) { return true; },
            [](const Constant&) { return true; },
            [](const Name&) { return true; },
            [&](const Captured& N) { return isValue(N.Ident); },
            [&](const Part& N) {
              return (!N.ThroughPointer || isReceiver(N.Object)) && isFlat(N.Object, Depth);
            },
            [&](const Paren& N) { return isFlat(N.Inner, Depth); },
            [&](const Cast& N) { return N.Is == Cast::Static && isFlat(N.Of, Depth); },
            [&](const Make& N) { return isFlat(N.Arguments, Depth); },
            [&](const Unary& N) {
              return N.Sign != "&" && N.Sign != "*" && isFlat(N.Operand, Depth);
            },
            [&](const Binary& N) {
              // All results take the same way at what is the same for all.
              const bool IsOfAll = Depth == 0 && N.Sign != "," && Shared.isShared(N.Left);
              const bool Branches =
                  N.Sign == "," || ((N.Sign == "&&" || N.Sign == "||") && !IsOfAll);
              const bool Divides =
                  N.Takes == Latency::Long && !isFloating(N.Left->Ty) && !isFloating(N.Right->Ty);
              return !N.IsOverloaded && !Branches && !Divides && isFlat(N.Left, Depth) &&
                     isFlat(N.Right, Depth);
            },
            [&](const Choice& N) {
              return isFlat(N.Condition, Depth) && isSimple(N.Then) && isSimple(N.Else) &&
                     isFlat(N.Then, Depth) && isFlat(N.Else, Depth);
            },
            [&](const LibraryCall& N) {
              const bool IsRoot = N.Name == "std::sqrt";
              Out.TakesRoots |= IsRoot;
              return (IsRoot || N.Name == "std::fabs" || N.Name == "std::abs") &&
                     isFlat(N.Arguments, Depth);
            },
            [&](const body::Call& N) {
              return N.Function && isFlat(N.Arguments, Depth) &&
                     isFlatFunction(*N.Function, Depth + 1);
            },
        },
        E->Is);
  }

  /// A place in a container that depends on the result, and is the same in all turns of the
  /// outermost loop: what is there is read again and again, from the nearest cache.
  bool isPlaceOfResult(const ExprRef& E) const {
    if (!E->Ty || E->Ty->Is != CodeType::Plain || E->Ty->Of.Kind != TypeKind::Value ||
        E->Ty->Of.IsClass || isFloating(E->Ty))
      return std::holds_alternative<Literal>(E->Is);
    return std::visit(
        Cases{
            [](const auto&) { return false; },
            [](const Literal&) { return true; },
            [](const Constant&) { return true; },
            [&](const Captured& N) { return isValue(N.Ident); },
            [&](const Name& N) {
              return N.Ident != Outermost &&
                     (Shared.Variables.contains(N.Ident) || Settled.contains(N.Ident));
            },
            [&](const Paren& N) { return isPlaceOfResult(N.Inner); },
            [&](const Cast& N) { return N.Is == Cast::Static && isPlaceOfResult(N.Of); },
            [&](const Binary& N) {
              return !N.IsOverloaded && (N.Sign == "+" || N.Sign == "-" || N.Sign == "*") &&
                     isPlaceOfResult(N.Left) && isPlaceOfResult(N.Right);
            },
        },
        E->Is);
  }

  bool isValue(const std::string& Captured) const {
    return llvm::any_of(S.Code.Captures, [&](const Capture& C) {
      return C.Name == Captured && C.Kind == CaptureKind::Value;
    });
  }

  bool isFlatFunction(Index F, unsigned Depth) {
    const Function& Code = Model.Functions[F];
    if (Depth > DeepestCall || !Code.Code || Code.Code->IsConstructor || Code.SelfMask != 0 ||
        Code.Code->ReceiverIs == Body::ObjectReceiver)
      return false;
    const Stmts& All = Code.Code->Statements;
    for (std::size_t K = 0; K < All.size(); ++K) {
      const auto* const Gives = std::get_if<Return>(&All[K]->Is);
      if (Gives ? K + 1 != All.size() || (Gives->Value && !isFlat(Gives->Value, Depth))
                : !isFlat(*All[K], Depth) && !isChoiceOfResult(All, K, Depth))
        return false;
    }
    return true;
  }

  /// "if (b < a) return b; return a;"
  bool isChoiceOfResult(const Stmts& All, std::size_t K, unsigned Depth) {
    const auto* const Chosen = std::get_if<If>(&All[K]->Is);
    const auto* const Else = K + 2 == All.size() ? std::get_if<Return>(&All[K + 1]->Is) : nullptr;
    if (!Chosen || !Else || !isPlain(*Chosen) || Chosen->HasElse || Chosen->Then.size() != 1)
      return false;
    const auto* const Then = std::get_if<Return>(&Chosen->Then.front()->Is);
    return Then && Then->Value && Else->Value && isSimple(Then->Value) && isSimple(Else->Value) &&
           isFlat(Chosen->Condition, Depth) && isFlat(Then->Value, Depth) &&
           isFlat(Else->Value, Depth);
  }

  static bool isPlain(const If& N) { return N.Before.empty() && !N.Head && !N.Variable; }

  /// A statement without branches but for the choice of a value that is there already.
  bool isFlat(const Stmt& Of, unsigned Depth) {
    return std::visit(Cases{
                          [](const auto&) { return false; },
                          [](const Empty&) { return true; },
                          [&](const Evaluate& N) { return isFlat(N.Value, Depth); },
                          [&](const Declare& N) {
                            // Names of functions that are called are theirs.
                            return isVariable(N) && fitsLanes(N.Ty) && isFlat(N.Values, Depth) &&
                                   !Shared.binds(N) && (Depth > 0 || declare(N.Ident, Beside));
                          },
                          [&](const If& N) {
                            return isPlain(N) && isFlat(N.Condition, Depth) &&
                                   assigns(N.Then, Depth) && assigns(N.Else, Depth);
                          },
                      },
                      Of.Is);
  }

  bool assigns(const Stmts& All, unsigned Depth) {
    return llvm::all_of(All, [&](const StmtRef& Of) {
      const auto* const N = std::get_if<Evaluate>(&Of->Is);
      const auto* const Sets = N ? std::get_if<Binary>(&N->Value->Is) : nullptr;
      return Sets && Sets->Sign == "=" && !Sets->IsOverloaded && isSimple(Sets->Left) &&
             (isSimple(Sets->Right) || (Depth == 0 && Shared.isShared(Sets->Right))) &&
             isFlat(N->Value, Depth);
    });
  }

  static bool isVariable(const Declare& N) {
    return N.Bindings.empty() && !N.IsConstexpr && !N.Ident.empty();
  }

  /// What differs from turn to turn.
  static std::string variableOf(const StmtRef& Loop) {
    const auto* const N = std::get_if<ForRange>(&Loop->Is);
    const StmtRef& Declared = N ? N->Variable : std::get<For>(Loop->Is).Init;
    const auto* const Variable = Declared ? std::get_if<Declare>(&Declared->Is) : nullptr;
    return Variable ? Variable->Ident : "";
  }

  //===-- loops for all results ------------------------------------------------------------===//

  bool loop(const StmtRef& Of) {
    if (const auto* N = std::get_if<ForRange>(&Of->Is)) {
      const Capture* const Through = Shared.containerOf(N->Range);
      const auto* const Variable = std::get_if<Declare>(&N->Variable->Is);
      if (!Through || N->InBlock || !N->Before.empty() || !Variable || !isVariable(*Variable) ||
          Variable->Ty->Is != CodeType::Plain || !fitsLanes(Variable->Ty) ||
          !declare(Variable->Ident, Role::Shared))
        return false;
      found(*Through);
      Shared.Variables.insert(Variable->Ident);
      return turns(N->Body);
    }
    const auto& N = std::get<For>(Of->Is);
    const Declare* const Counter = Shared.counterOf(N);
    if (!Counter || !declare(Counter->Ident, Role::Shared))
      return false;
    Shared.Variables.insert(Counter->Ident);
    if (!Shared.isShared(N.Condition))
      return false;
    body::Body Turn;
    Turn.Statements = N.Body;
    forEachExpr(Turn, [&](const Expr& E) {
      if (const std::optional<SharedValues::ElementRead> Read = Shared.elementOf(E);
          Read &&
          llvm::all_of(Read->Places, [&](const ExprRef& At) { return Shared.isShared(At); }))
        found(*Read->From);
    });
    return turns(N.Body);
  }

  void found(const Capture& Through) {
    if (Out.Array.empty())
      Out.Array = Through.Name;
  }

  /// What a loop repeats.
  bool turns(const Stmts& All) {
    const bool HasLoop = hasLoop(All);
    return llvm::all_of(All, [&](const StmtRef& Of) {
      if (isLoop(Of))
        return loop(Of);
      Beside = HasLoop ? Role::Own : Role::OfTurn;
      return isFlat(*Of, 0) && (!HasLoop || keepsOwn(*Of));
    });
  }

  /// A variable beside a loop is there for all turns of that.
  bool keepsOwn(const Stmt& Of) {
    const auto* const N = std::get_if<Declare>(&Of.Is);
    if (!N)
      return true;
    if (!isSmallValue(N->Ty) || N->Ty->Reference != CodeType::None || N->Init == Declare::Plain)
      return false;
    Out.Own[N->Ident] = N->Ty;
    return true;
  }

  /// The section's own statements: what stands beside its loops runs once for a result.
  bool outer(const Stmts& All) {
    for (std::size_t K = 0; K < All.size(); ++K) {
      const Stmt& Of = *All[K];
      if (isLoop(All[K])) {
        Outermost = variableOf(All[K]);
        if (!loop(All[K]))
          return false;
        continue;
      }
      const auto* const Gives = std::get_if<Return>(&Of.Is);
      if (Gives || K + 1 == All.size()) {
        if (!Gives || K + 1 != All.size() || !Gives->Value)
          return false;
        continue;
      }
      if (const auto* N = std::get_if<Declare>(&Of.Is)) {
        if (!isVariable(*N))
          return false;
        const bool IsShared = Shared.isConstant(*N);
        if (!declare(N->Ident, IsShared ? Role::Shared : Role::Own))
          return false;
        if (IsShared)
          Shared.Variables.insert(N->Ident);
        else if (!keepsOwn(Of))
          return false;
        settle(N->Ident);
        continue;
      }
      if (!std::holds_alternative<Evaluate>(Of.Is))
        return false;
    }
    return true;
  }

  const ProgramModel& Model;
  const Section& S;
  SharedValues Shared;
  std::map<std::string, Role> Names;
  std::set<std::string> Settled; ///< own variables that keep the value that they have before loops
  std::string Outermost;         ///< the variable of the outermost loop
  Role Beside = Role::OfTurn;    ///< of variables where the statement stands that is looked at
  SideBySide Out;
};

} // namespace
} // namespace body

bool hasLoop(const body::Stmts& Body) { return llvm::any_of(Body, body::isLoop); }

std::map<Index, SideBySide> planSideBySide(const ProgramModel& Model) {
  std::map<Index, SideBySide> Out;
  for (Index K = 0; K < Model.Sections.size(); ++K)
    if (std::optional<SideBySide> Found = body::SideBySidePlanner(Model, Model.Sections[K]).run())
      Out.emplace(K, std::move(*Found));
  return Out;
}

} // namespace ikra
