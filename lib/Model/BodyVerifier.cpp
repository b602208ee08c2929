// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks whether a body keeps what docs/bodies.md promises: that nothing is absent, that numbers
// lead somewhere in the model, that names are declared, and that what is forwarded has been
// evaluated.

#include "BodyVerifier.h"

#include <set>

namespace ikra {

namespace {

/// The names that something in a body declares, wherever it stands.
class DeclaredNames {
public:
  explicit DeclaredNames(const body::Body& Of) {
    Known.insert({Of.Self, Of.Made});
    for (const body::Parameter& P : Of.Parameters) {
      Known.insert(P.Ident);
      add(P.Default);
    }
    add(Of.Statements);
    if (!Of.Handed)
      return;
    for (const body::Lambda::Parameter& P : Of.Handed->Given)
      Known.insert(P.Ident);
    if (Of.Handed->Result)
      Known.insert(Of.Handed->Result->Ident);
    for (const body::ExprRef& Argument : Of.Handed->Arguments)
      add(Argument);
    add(Of.Handed->ResultValue);
  }

  bool contains(const std::string& Ident) const { return Known.contains(Ident); }

private:
  void add(const body::Stmts& Statements) {
    for (const body::StmtRef& S : Statements) {
      if (!S)
        continue;
      if (const auto* Made = std::get_if<body::Declare>(&S->Is)) {
        Known.insert({Made->Ident, Made->Room});
        Known.insert(Made->Bindings.begin(), Made->Bindings.end());
      }
      if (const auto* Loop = std::get_if<body::For>(&S->Is))
        Known.insert(Loop->Hoisted);
      for (const body::ExprRef& E : operandsOf(*S))
        add(E);
      add(childrenOf(*S));
    }
  }

  void add(const body::ExprRef& E) {
    if (!E)
      return;
    if (const auto* Inner = std::get_if<body::Lambda>(&E->Is)) {
      for (const body::Lambda::Capture& C : Inner->Captures)
        Known.insert(C.Ident);
      for (const body::Lambda::Parameter& P : Inner->Parameters)
        Known.insert(P.Ident);
      add(Inner->Body);
    }
    if (const auto* Sequence = std::get_if<body::Ordered>(&E->Is))
      for (const body::Ordered::Operand& Of : Sequence->Operands)
        Known.insert(Of.Ident);
    for (const body::ExprRef& Of : operandsOf(*E))
      add(Of);
  }

  std::set<std::string> Known;
};

class Verifier {
public:
  Verifier(const ProgramModel& Model, Index Number, std::vector<std::string>& Found)
      : Model(Model), F(Model.Functions[Number]), Declared(*F.Code), Found(Found) {
    for (const Section& S : Model.Sections)
      if (S.Code.Function == Number)
        for (const Capture& C : S.Code.Captures)
          Captures.insert(C.Name);
  }

  void verify(const body::Body& Of) {
    if (!Of.Result)
      report("has no type of a result");
    for (const body::Parameter& P : Of.Parameters) {
      if (!P.Ty || !P.Given)
        report("has a parameter without a type: " + P.Ident);
      verify(P.Default, /*MayBeAbsent=*/true);
    }
    verify(Of.Statements);
    if (!Of.Handed)
      return;
    for (const body::ExprRef& Argument : Of.Handed->Arguments)
      verify(Argument, /*MayBeAbsent=*/true);
    verify(Of.Handed->ResultValue, !Of.Handed->Result);
  }

private:
  void report(const std::string& What) { Found.push_back(F.Name + " " + What); }

  void verify(const body::Stmts& Body) {
    for (const body::StmtRef& S : Body) {
      if (!S) {
        report("has a statement that is absent");
        continue;
      }
      if (const auto* Made = std::get_if<body::Declare>(&S->Is); Made && !Made->Ty)
        report("declares " + Made->Ident + " without a type");
      for (const body::ExprRef& E : operandsOf(*S))
        verify(E);
      verify(childrenOf(*S));
    }
  }

  void verify(const body::ExprRef& E, bool MayBeAbsent = false) {
    if (!E) {
      if (!MayBeAbsent)
        report("has an expression that is absent");
      return;
    }
    if (const auto* Of = std::get_if<body::Member>(&E->Is);
        Of && Of->Number >= Model.Members.size())
      report("names a member that the model has not");
    if (const auto* Of = std::get_if<body::Table>(&E->Is); Of && Of->Number >= Model.Tables.size())
      report("names a constant array that the model has not");
    if (const auto* Of = std::get_if<body::Global>(&E->Is);
        Of && Of->Number >= Model.Globals.size())
      report("names a global variable that the model has not");
    if (const auto* Of = std::get_if<body::Name>(&E->Is); Of && !Declared.contains(Of->Ident))
      report("names " + Of->Ident + ", which it does not declare");
    if (const auto* Of = std::get_if<body::Captured>(&E->Is); Of && !Captures.contains(Of->Ident))
      report("names " + Of->Ident + ", which its section does not capture");
    if (const auto* Of = std::get_if<body::Call>(&E->Is)) {
      const bool IsKnown = Of->Function ? *Of->Function < Model.Functions.size() &&
                                              Model.Functions[*Of->Function].Code.has_value()
                                        : !Of->Dispatcher.empty();
      if (!IsKnown)
        report("calls a function without a body");
    }
    if (const auto* Of = std::get_if<body::Forwarded>(&E->Is)) {
      if (!Operands.contains(Of->Ident))
        report("forwards " + Of->Ident + ", which nothing evaluates");
    }
    const auto* Sequence = std::get_if<body::Ordered>(&E->Is);
    const std::set<std::string> Before = Operands;
    if (Sequence) {
      for (const body::Ordered::Operand& Of : Sequence->Operands)
        verify(Of.Value);
      for (const body::Ordered::Operand& Of : Sequence->Operands)
        Operands.insert(Of.Ident);
      verify(Sequence->Result);
      Operands = Before;
    } else {
      for (const body::ExprRef& Of : operandsOf(*E))
        verify(Of);
    }
    if (const auto* Inner = std::get_if<body::Lambda>(&E->Is))
      verify(Inner->Body);
  }

  const ProgramModel& Model;
  const Function& F;
  DeclaredNames Declared;
  std::set<std::string> Captures; ///< of the sections whose code it is
  std::vector<std::string>& Found;
  std::set<std::string> Operands; ///< of the Ordered around
};

} // namespace

std::vector<std::string> faultsOfBodies(const ProgramModel& Model) {
  std::vector<std::string> Found;
  for (Index Number = 0; Number < Model.Functions.size(); ++Number)
    if (const std::optional<body::Body>& Code = Model.Functions[Number].Code)
      Verifier(Model, Number, Found).verify(*Code);
  return Found;
}

} // namespace ikra
