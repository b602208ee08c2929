// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections of which all cores compute several results side by side: loops that are the same for all
// results stay, and what stands in or beside them becomes a loop over the results, which g++
// vectorises. Each result computes what it would alone, in the same order.

#include "Emit/Code/BodyWriter.h"

#include "Model/BodyQueries.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ikra {

class BodyWriter::SideBySideWriter {
public:
  SideBySideWriter(BodyWriter& Of, const SideBySide& Plan, CodeWriter& Out)
      : Of(Of), In{Plan, {}, "", "", "", "", {}}, Out(Out) {
    In.Taken = Of.takenNames();
    In.Count = In.unused("lanes");
    In.Lane = In.unused("lane");
    In.Results = In.unused("results");
    In.First = In.unused("first");
    for (const auto& [Ident, Ty] : Plan.Own)
      In.Columns[Ident] = In.unused(Ident + "_lanes");
  }

  void write(const std::string& Name) {
    const std::size_t Elements = Of.InSection->Elements.size();
    std::vector<std::string> Parameters, Given;
    for (std::size_t K = 0; K < Of.Body.Parameters.size(); ++K) {
      const body::Parameter& P = Of.Body.Parameters[K];
      Given.push_back(K < Elements ? In.unused("from_" + std::to_string(K)) : In.First);
      Parameters.push_back((K < Elements ? "const auto*" : "std::int64_t") +
                           (P.IsNamed ? " " + Given.back() : ""));
    }
    Parameters.push_back("auto* " + In.Results);
    Out.ownLine();
    Out.open("template <unsigned " + In.Count + "> void " + Name + "(" +
             llvm::join(Parameters, ", ") + ") const {");
    for (std::size_t K = 0; K < Of.Body.Parameters.size(); ++K)
      if (const body::Parameter& P = Of.Body.Parameters[K]; P.IsNamed && P.Ident != In.Plan.Index) {
        declareColumn(P.Ident);
        openLanes();
        const std::string Value =
            K < Elements ? Given[K] + "[" + In.Lane + "]" : Given[K] + " + " + In.Lane;
        Out.line(In.Columns.at(P.Ident) + ".set(" + In.Lane + ", static_cast<" + typeOf(P.Ident) +
                 ">(" + Value + "));");
        Out.close();
      }
    list(Of.Body.Statements, /*IsWhole=*/false);
    Out.close();
  }

private:
  /// Names, and what the plan says.
  struct Lanes {
    const SideBySide& Plan;
    std::set<std::string> Taken;
    std::string Count, Lane, Results, First; ///< names
    std::map<std::string, std::string>
        Columns; ///< of the variables that each result has of its own

    std::string unused(std::string Name) {
      while (!Taken.insert(Name).second)
        Name += '_';
      return Name;
    }
  };

  /// "const float x = x_lanes[lane];". The index is computed: g++ sees then that places which
  /// depend on it are steps in memory.
  std::string restored(const std::string& Ident, const CodeType& Ty) {
    if (Ident == In.Plan.Index)
      return "const " + typeOf(Ident) + " " + Ident + " = static_cast<" + typeOf(Ident) + ">(" +
             In.First + " + " + In.Lane + ");";
    return (Ty.IsConst ? "const " : "") + typeOf(Ident) + " " + Ident + " = " +
           In.Columns.at(Ident) + "[" + In.Lane + "];";
  }
  std::string typeOf(const std::string& Ident) {
    return Of.Context.typeText(In.Plan.Own.at(Ident)->Of);
  }

  void declareColumn(const std::string& Ident) {
    const std::string Ty = typeOf(Ident);
    Out.line("ikra::rt::lanes<" + Ty + ", " + In.Count + "> " + In.Columns.at(Ident) + ";");
  }

  void openLanes() {
    Out.line("IKRA_SIDE_BY_SIDE");
    Out.open("for (unsigned " + In.Lane + " = 0; " + In.Lane + " < " + In.Count + "; ++" + In.Lane +
             ") {");
  }

  /// \p IsWhole: none of its variables outlives it
  void list(const body::Stmts& All, bool IsWhole) {
    if (IsWhole)
      return run(All);
    body::Stmts Beside;
    const auto Flush = [&] {
      if (!Beside.empty())
        run(Beside);
      Beside.clear();
    };
    for (const body::StmtRef& S : All) {
      const auto* const Variable = std::get_if<body::Declare>(&S->Is);
      if (std::holds_alternative<body::For>(S->Is) ||
          std::holds_alternative<body::ForRange>(S->Is)) {
        Flush();
        loop(*S);
      } else if (Variable && In.Plan.Shared.contains(Variable->Ident)) {
        Flush();
        Of.write(*S, Out);
      } else {
        if (Variable)
          declareColumn(Variable->Ident);
        Beside.push_back(S);
      }
    }
    Flush();
  }

  void loop(const body::Stmt& S) {
    if (S.At)
      Out.setLine(*S.At);
    const auto* const N = std::get_if<body::ForRange>(&S.Is);
    const body::Stmts& Turn = N ? N->Body : std::get<body::For>(S.Is).Body;
    Out.open(N ? Of.head(*N) : Of.head(std::get<body::For>(S.Is)));
    list(Turn, !hasLoop(Turn));
    Out.close();
  }

  /// Statements without loops, for each result.
  void run(const body::Stmts& All) {
    const std::set<std::string> Named = body::namesIn(All);
    std::set<std::string> Declared;
    for (const body::StmtRef& S : All)
      if (const auto* N = std::get_if<body::Declare>(&S->Is))
        Declared.insert(N->Ident);
    openLanes();
    std::vector<std::string> Stores;
    for (const auto& [Ident, Ty] : In.Plan.Own) {
      if (!Named.contains(Ident))
        continue;
      if (!Declared.contains(Ident))
        Out.line(restored(Ident, *Ty));
      if ((!Ty->IsConst && Ident != In.Plan.Index) || Declared.contains(Ident))
        Stores.push_back(In.Columns.at(Ident) + ".set(" + In.Lane + ", " + Ident + ");");
    }
    for (const body::StmtRef& S : All) {
      const auto* const Gives = std::get_if<body::Return>(&S->Is);
      if (!Gives) {
        Of.write(*S, Out);
        continue;
      }
      Stores.clear();
      if (S->At)
        Out.setLine(*S->At);
      Out.line("ikra::rt::put<" + Of.Context.typeText(Of.Body.Result->Of) + ">(" + In.Results +
               " + " + In.Lane + ", " + Of.argument(Gives->Value) + ");");
    }
    for (const std::string& Store : Stores)
      Out.line(Store);
    Out.close();
  }

  BodyWriter& Of;
  Lanes In;
  CodeWriter& Out;
};

void BodyWriter::writeSideBySide(const SideBySide& Plan, const std::string& Name, CodeWriter& Out) {
  SideBySideWriter(*this, Plan, Out).write(Name);
}

} // namespace ikra
