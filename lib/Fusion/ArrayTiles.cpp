// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArrayTiles.h"

#include "SharedValues.h"

#include "Model/BodyQueries.h"
#include "Model/Cases.h"

#include "llvm/ADT/STLExtras.h"

namespace ikra {

namespace body {
namespace {

/// Whether statements may leave what they stand in early.
struct Exits {
  bool Break = false, Continue = false, Return = false;

  void find(const Stmts& All) {
    for (const StmtRef& S : All)
      std::visit(Cases{
                     [&](const auto&) { find(childrenOf(*S)); },
                     [&](const body::Break&) { Break = true; },
                     [&](const body::Continue&) { Continue = true; },
                     [&](const body::Return&) { Return = true; },
                     [&](const For& N) { findIn(N.Body, /*IsLoop=*/true); },
                     [&](const ForRange& N) { findIn(N.Body, /*IsLoop=*/true); },
                     [&](const While& N) { findIn(N.Body, /*IsLoop=*/true); },
                     [&](const Do& N) { findIn(N.Body, /*IsLoop=*/true); },
                     [&](const Switch& N) { findIn(N.Body, /*IsLoop=*/false); },
                 },
                 S->Is);
  }

private:
  /// `break` ends the inner statement alone, and so does `continue` in a loop.
  void findIn(const Stmts& All, bool IsLoop) {
    Exits Inner;
    Inner.find(All);
    Continue |= Inner.Continue && !IsLoop;
    Return |= Inner.Return;
  }
};

Body bodyOf(const Stmts& All) {
  Body Out;
  Out.Statements = All;
  return Out;
}

/// Looks at one section's code.
class ArrayTilesPlanner {
public:
  ArrayTilesPlanner(const ProgramModel& Model, const Section& S)
      : S(S), Model(Model), Shared(Model, S) {}

  std::optional<ArrayTiles> run() {
    if (!computesValuesAlone(Model, S))
      return std::nullopt;
    const Body& Code = *Model.Functions[S.Code.Function].Code;
    if (Code.Statements.empty())
      return std::nullopt;
    together(Code.Statements);
    if (Out.Loops.empty() || IsAmbiguous || !haveNamesOfTheirOwn(Code))
      return std::nullopt;
    return Out;
  }

private:
  static constexpr unsigned Largest = 32; ///< bytes of an element of each array: 8 KiB for a block

  /// Statements that all threads of a block reach together, up to those where some may return.
  void together(const Stmts& All) {
    for (const StmtRef& Of : All) {
      if (SomeHaveLeft)
        return;
      if (const auto* N = std::get_if<Block>(&Of->Is))
        together(N->Body);
      else if (const auto* N = std::get_if<ForRange>(&Of->Is))
        through(*N);
      else if (const auto* N = std::get_if<For>(&Of->Is))
        counted(*N);
      else if (const auto* N = std::get_if<Declare>(&Of->Is); N && Shared.isConstant(*N))
        share(N->Ident);
      SomeHaveLeft |= exitsOf({Of}).Return;
    }
  }

  static Exits exitsOf(const Stmts& All) {
    Exits Out;
    Out.find(All);
    return Out;
  }

  void through(const ForRange& N) {
    const Capture* const Through = Shared.containerOf(N.Range);
    const auto* const Variable = std::get_if<Declare>(&N.Variable->Is);
    const Exits Early = exitsOf(N.Body);
    if (!Through || N.InBlock || !N.Before.empty() || !Variable || !Variable->Bindings.empty() ||
        Early.Break || Early.Return)
      return;
    if (isSmallValue(Variable->Ty) && Variable->Ty->Of.Bytes <= Largest)
      Out.Loops[&N.Body] = {{Through->Name, {}}};
    if (!Early.Continue)
      together(N.Body);
  }

  void counted(const For& N) {
    const Declare* const Counter = Shared.counterOf(N);
    const Exits Early = exitsOf(N.Body);
    if (!Counter || Early.Break || Early.Return)
      return;
    IsAmbiguous |= !Around.insert(Counter->Ident).second;
    share(Counter->Ident);
    const auto* const Less = std::get_if<Binary>(&N.Condition->Is);
    const bool FromWhole = std::holds_alternative<Literal>(Counter->Values.front()->Is);
    if (Shared.isShared(N.Condition) && !changesShared(N.Body)) {
      if (FromWhole && Less && Less->Sign == "<" && !Less->IsOverloaded &&
          isCounter(Less->Left, *Counter) && isInteger(Less->Right->Ty))
        noteReads(*Counter, N.Body);
      if (!Early.Continue)
        together(N.Body);
    }
    Around.erase(Counter->Ident);
  }

  static bool isInteger(const TypeRef& Ty) {
    return Ty && Ty->Is == CodeType::Plain && Ty->Of.Kind == TypeKind::Value && !Ty->Of.IsClass &&
           Ty->Of.Spelling != "float" && Ty->Of.Spelling != "double" &&
           Ty->Of.Spelling != "long double";
  }

  /// The counter itself, or what has its value, which is not negative, as a wider integer.
  static bool isCounter(const ExprRef& E, const Declare& Counter) {
    if (const auto* N = std::get_if<Cast>(&E->Is)) {
      return N->Is == Cast::Static && isInteger(N->To) && N->To->Of.Bytes >= Counter.Ty->Of.Bytes &&
             isCounter(N->Of, Counter);
    }
    const auto* const N = std::get_if<Name>(&E->Is);
    return N && N->Ident == Counter.Ident;
  }

  /// A place that is the same in all turns of the loop with this counter, as text; empty for
  /// others, and for most that are computed.
  std::string fixedPlace(const ExprRef& E, const Declare& Counter) const {
    if (const auto* N = std::get_if<Literal>(&E->Is))
      return N->Text;
    if (const auto* N = std::get_if<Captured>(&E->Is))
      return "captured " + N->Ident;
    const auto* const N = std::get_if<Name>(&E->Is); // of inner loops, nothing is known yet
    return N && N->Ident != Counter.Ident && Around.contains(N->Ident) ? N->Ident : "";
  }

  /// The line of a captured array that an expression reads the counter's element of, and its text.
  std::optional<std::pair<TiledLine, std::string>> lineOf(const Expr& E,
                                                          const Declare& Counter) const {
    std::optional<SharedValues::ElementRead> Read = Shared.elementOf(E);
    if (!Read)
      return std::nullopt;
    std::string Text = Read->From->Name;
    unsigned Counted = 0;
    for (ExprRef& Place : Read->Places) {
      std::string Fixed = fixedPlace(Place, Counter);
      if (Fixed.empty()) {
        if (!isCounter(Place, Counter))
          return std::nullopt;
        ++Counted;
        Place = nullptr;
      }
      Text += ", " + Fixed;
    }
    if (Counted != 1)
      return std::nullopt;
    if (Read->Places.size() == 1)
      Read->Places.clear();
    return std::pair(TiledLine{Read->From->Name, std::move(Read->Places)}, Text);
  }

  /// Notes the lines of captures of which each turn reads the counter's element, if a block has
  /// room for a piece of each.
  void noteReads(const Declare& Counter, const Stmts& Turn) {
    std::vector<TiledLine> Lines;
    std::map<std::string, std::size_t> Numbers;
    std::map<const Expr*, ArrayTiles::Read> Reads;
    unsigned Bytes = 0;
    bool Fit = true; // a lambda in the turn would have to capture the element
    forEachExpr(bodyOf(Turn), [&](const Expr& E) {
      Fit &= !std::holds_alternative<Lambda>(E.Is);
      auto Line = lineOf(E, Counter);
      if (!Line)
        return;
      const auto [At, IsNew] = Numbers.emplace(Line->second, Lines.size());
      Reads[&E] = {&Turn, At->second};
      if (!IsNew)
        return;
      Lines.push_back(std::move(Line->first));
      Fit &= isSmallValue(E.Ty);
      Bytes += Fit ? E.Ty->Of.Bytes : 0;
    });
    if (!Fit || Lines.empty() || Bytes > Largest)
      return;
    Out.Reads.merge(Reads);
    Out.Loops[&Turn] = std::move(Lines);
  }

  /// Whether a turn may change what is the same for all threads.
  bool changesShared(const Stmts& Turn) const {
    bool Does = false;
    forEachExpr(bodyOf(Turn), [&](const Expr& E) {
      Does |= Shared.changes(E);
      // What it is given by reference, a function of the library may change.
      const bool IsLibrary =
          std::holds_alternative<LibraryCall>(E.Is) || std::holds_alternative<MethodCall>(E.Is) ||
          std::holds_alternative<Invoke>(E.Is) || std::holds_alternative<Forwarded>(E.Is);
      if (IsLibrary)
        Does |= llvm::any_of(operandsOf(E), [&](const ExprRef& Of) {
          const Name* const Root = rootOf(Of);
          return Root && Shared.Variables.contains(Root->Ident);
        });
    });
    forEachStmt(bodyOf(Turn), [&](const Stmt& Of) {
      if (const auto* N = std::get_if<Declare>(&Of.Is))
        Does |= Shared.binds(*N);
    });
    return Does;
  }

  void share(const std::string& Ident) {
    Shared.Variables.insert(Ident);
    ++TimesShared[Ident];
  }

  /// Whether no other variable has the name of one that is the same for all.
  bool haveNamesOfTheirOwn(const Body& Code) const {
    std::map<std::string, unsigned> Declared;
    for (const Parameter& P : Code.Parameters)
      ++Declared[P.Ident];
    forEachStmt(Code, [&](const Stmt& Of) {
      const auto* const N = std::get_if<Declare>(&Of.Is);
      if (!N)
        return;
      ++Declared[N->Ident];
      for (const std::string& Binding : N->Bindings)
        ++Declared[Binding];
    });
    return llvm::all_of(TimesShared,
                        [&](const auto& Of) { return Declared[Of.first] == Of.second; });
  }

  const Section& S;
  const ProgramModel& Model;
  SharedValues Shared;
  std::map<std::string, unsigned> TimesShared;
  std::set<std::string> Around; ///< counters of the loops around
  bool SomeHaveLeft = false;
  bool IsAmbiguous = false; ///< one has the name of another one around
  ArrayTiles Out;
};

} // namespace
} // namespace body

std::size_t TiledLine::along() const {
  return static_cast<std::size_t>(llvm::find(Places, nullptr) - Places.begin());
}

std::map<Index, ArrayTiles> planArrayTiles(const ProgramModel& Model) {
  std::map<Index, ArrayTiles> Out;
  for (Index K = 0; K < Model.Sections.size(); ++K)
    if (std::optional<ArrayTiles> Found = body::ArrayTilesPlanner(Model, Model.Sections[K]).run())
      Out.emplace(K, std::move(*Found));
  return Out;
}

} // namespace ikra
