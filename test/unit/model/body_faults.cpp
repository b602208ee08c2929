// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each case is a body with one fault, and the sentence that the verifier has for it; or with none.

#include "Model/BodyVerifier.h"

#include <cstdio>
#include <functional>

namespace {

using namespace ikra;
using namespace ikra::body;

ExprRef node(Expr::Node Is) {
  return std::make_shared<const Expr>(Expr{std::move(Is), nullptr, {}});
}
StmtRef statement(Stmt::Node Is) { return std::make_shared<const Stmt>(Stmt{std::move(Is), {}}); }
ExprRef one() { return node(Literal{"1"}); }
ExprRef inOrder(std::string Forwards) {
  return node(Ordered{{{"operand_1", one()}},
                      node(LibraryCall{"std::abs", {}, {node(Forwarded{std::move(Forwards)})}}),
                      false});
}

ProgramModel modelOf(const std::function<void(Body&)>& Change) {
  ProgramModel Model;
  ikra::Function F;
  F.Name = "f";
  Body Code;
  Code.Result = std::make_shared<const CodeType>();
  Code.Statements.push_back(statement(body::Return{inOrder("operand_1")}));
  Change(Code);
  F.Code = std::move(Code);
  Model.Functions.push_back(std::move(F));
  return Model;
}

struct FaultCase {
  const char* Fault;
  std::function<void(Body&)> Change;
};

const FaultCase Cases[] = {
    {nullptr, [](Body&) {}},
    {"f has no type of a result", [](Body& B) { B.Result = nullptr; }},
    {"f has a statement that is absent", [](Body& B) { B.Statements.push_back(nullptr); }},
    {"f has an expression that is absent",
     [](Body& B) { B.Statements.push_back(statement(Evaluate{node(Deref{nullptr})})); }},
    {"f declares x without a type",
     [](Body& B) {
       Declare X;
       X.Ident = "x";
       B.Statements.push_back(statement(std::move(X)));
     }},
    {"f names a member that the model has not",
     [](Body& B) { B.Statements.push_back(statement(Evaluate{node(body::Member{3, one()})})); }},
    {"f names a constant array that the model has not",
     [](Body& B) { B.Statements.push_back(statement(Evaluate{node(Table{0})})); }},
    {"f names a global variable that the model has not",
     [](Body& B) { B.Statements.push_back(statement(Evaluate{node(Global{0})})); }},
    {"f names x, which it does not declare",
     [](Body& B) { B.Statements.push_back(statement(Evaluate{node(Name{"x"})})); }},
    {nullptr, // a parameter
     [](Body& B) {
       Parameter X;
       X.Ident = "x";
       X.Ty = X.Given = B.Result;
       B.Parameters.push_back(std::move(X));
       B.Statements.push_back(statement(Evaluate{node(Name{"x"})}));
     }},
    {"f names k, which its section does not capture",
     [](Body& B) { B.Statements.push_back(statement(Evaluate{node(Captured{"k"})})); }},
    {"f calls a function without a body",
     [](Body& B) { B.Statements.push_back(statement(Evaluate{node(body::Call{7, "", {}})})); }},
    {"f forwards operand_2, which nothing evaluates",
     [](Body& B) { B.Statements.push_back(statement(Evaluate{inOrder("operand_2")})); }},
    {"f has an expression that is absent", // in a lambda, in an if
     [](Body& B) {
       Lambda Inner;
       Inner.Result = B.Result;
       Inner.Body = {statement(Evaluate{nullptr})};
       If Branch;
       Branch.Condition = one();
       Branch.Then = {statement(Evaluate{node(std::move(Inner))})};
       B.Statements.push_back(statement(std::move(Branch)));
     }},
};

} // namespace

int main() {
  int Wrong = 0;
  for (const FaultCase& C : Cases) {
    const std::vector<std::string> Found = faultsOfBodies(modelOf(C.Change));
    const std::vector<std::string> Expected =
        C.Fault ? std::vector<std::string>{C.Fault} : std::vector<std::string>{};
    if (Found == Expected)
      continue;
    ++Wrong;
    std::printf("expected: %s\n", C.Fault ? C.Fault : "no fault");
    for (const std::string& Fault : Found)
      std::printf("   found: %s\n", Fault.c_str());
  }
  std::printf("%zu cases, %d wrong\n", std::size(Cases), Wrong);
  return Wrong != 0;
}
