// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types as text, and walks over bodies.

#include "Body.h"

#include "Cases.h"

#include "llvm/Support/ErrorHandling.h"

namespace ikra {

std::string textOf(const CodeType& Ty, llvm::function_ref<std::string(const Type&)> Spelling) {
  std::string Sign;
  if (Ty.Reference != CodeType::None)
    Sign = Ty.Reference == CodeType::LValue ? "&" : "&&";
  const std::string Const = Ty.IsConst ? "const " : "";
  switch (Ty.Is) {
  case CodeType::Plain:
    return Const + Spelling(Ty.Of) + Sign;
  case CodeType::ObjectId:
    return Const + "ikra::object_id" + Sign;
  case CodeType::List:
    return (Ty.Of.IsNested ? "ikra::nested_list<" : "ikra::list<") + Const + Spelling(Ty.Of) + ">" +
           Sign;
  case CodeType::Grid:
    return "ikra::grid<" + Spelling(Ty.Of) + ", " + std::to_string(Ty.Of.ArrayRank) + ">" + Sign;
  case CodeType::Pointer:
    return textOf(*Ty.Inner, Spelling) + "*" + (Ty.IsConst ? " const" : "") + Sign;
  case CodeType::Deduced:
    return Const + "auto" + Sign;
  case CodeType::Window:
    return "const auto&"; // as --print=bodies has it: functions name its type
  case CodeType::Array: {
    std::string Extents;
    for (const std::uint64_t Extent : Ty.Extents)
      Extents += "[" + std::to_string(Extent) + "]";
    return textOf(*Ty.Inner, Spelling) + Extents;
  }
  case CodeType::Wrapped:
    return "ikra::wrapped<" + textOf(*Ty.Inner, Spelling) + ">";
  }
  llvm_unreachable("form of type");
}

std::string textOf(const CodeType& Ty) {
  return textOf(Ty, [](const Type& T) { return T.Spelling.empty() ? "void" : T.Spelling; });
}

} // namespace ikra

namespace ikra::body {

static Exprs present(std::initializer_list<ExprRef> All) {
  Exprs Out;
  for (const ExprRef& E : All)
    if (E)
      Out.push_back(E);
  return Out;
}

static Exprs with(const ExprRef& First, const Exprs& Others) {
  Exprs Out{First};
  Out.insert(Out.end(), Others.begin(), Others.end());
  return Out;
}

Exprs operandsOf(const Expr& E) {
  return std::visit(Cases{
                        [](const auto&) { return Exprs(); },
                        [](const Member& N) { return Exprs{N.Object}; },
                        [](const Part& N) { return Exprs{N.Object}; },
                        [](const Unary& N) { return Exprs{N.Operand}; },
                        [](const Deref& N) { return Exprs{N.Pointer}; },
                        [](const Binary& N) { return Exprs{N.Left, N.Right}; },
                        [](const IsSet& N) { return Exprs{N.Pointer}; },
                        [](const OfClass& N) { return Exprs{N.Object}; },
                        [](const SameClass& N) { return Exprs{N.Left, N.Right}; },
                        [](const Choice& N) { return Exprs{N.Condition, N.Then, N.Else}; },
                        [](const Paren& N) { return Exprs{N.Inner}; },
                        [](const Cast& N) { return Exprs{N.Of}; },
                        [](const Make& N) { return N.Arguments; },
                        [](const Listed& N) { return N.Elements; },
                        [](const Subscript& N) { return Exprs{N.Base, N.Index}; },
                        [](const Location& N) { return with(N.Array, N.Places); },
                        [](const Call& N) { return N.Arguments; },
                        [](const LibraryCall& N) { return N.Arguments; },
                        [](const MethodCall& N) { return with(N.Object, N.Arguments); },
                        [](const Invoke& N) { return with(N.Callee, N.Arguments); },
                        [](const WindowRead& N) { return with(N.Window, N.Arguments); },
                        [](const Lambda& N) {
                          Exprs Out;
                          for (const Lambda::Capture& C : N.Captures)
                            if (C.Init)
                              Out.push_back(C.Init);
                          return Out;
                        },
                        [](const Overloaded& N) { return N.Functions; },
                        [](const Ordered& N) {
                          Exprs Out;
                          for (const Ordered::Operand& Of : N.Operands)
                            Out.push_back(Of.Value);
                          Out.push_back(N.Result);
                          return Out;
                        },
                    },
                    E.Is);
}

Exprs operandsOf(const Stmt& S) {
  return std::visit(Cases{
                        [](const auto&) { return Exprs(); },
                        [](const Evaluate& N) { return Exprs{N.Value}; },
                        [](const Declare& N) { return N.Values; },
                        [](const Return& N) { return present({N.Value}); },
                        [](const If& N) { return present({N.Condition}); },
                        [](const For& N) { return present({N.HoistedValue, N.Condition, N.Step}); },
                        [](const ForRange& N) { return Exprs{N.Range}; },
                        [](const While& N) { return present({N.Condition}); },
                        [](const Do& N) { return Exprs{N.Condition}; },
                        [](const Switch& N) { return present({N.Condition}); },
                        [](const Case& N) { return N.Values; },
                    },
                    S.Is);
}

static Stmts inFrontOf(const Stmts& Before, std::initializer_list<StmtRef> Parts) {
  Stmts Out = Before;
  for (const StmtRef& S : Parts)
    if (S)
      Out.push_back(S);
  return Out;
}

static Stmts joined(Stmts First, const Stmts& Others) {
  First.insert(First.end(), Others.begin(), Others.end());
  return First;
}

Stmts childrenOf(const Stmt& S) {
  return std::visit(
      Cases{
          [](const auto&) { return Stmts(); },
          [](const If& N) {
            return joined(joined(inFrontOf(N.Before, {N.Head, N.Variable}), N.Then), N.Else);
          },
          [](const For& N) { return joined(inFrontOf(N.Before, {N.Init, N.Variable}), N.Body); },
          [](const ForRange& N) { return joined(inFrontOf(N.Before, {N.Variable}), N.Body); },
          [](const While& N) { return joined(inFrontOf({}, {N.Variable}), N.Body); },
          [](const Do& N) { return N.Body; },
          [](const Switch& N) { return joined(inFrontOf(N.Before, {N.Head, N.Variable}), N.Body); },
          [](const Case& N) { return inFrontOf({}, {N.Then}); },
          [](const Block& N) { return N.Body; },
      },
      S.Is);
}

} // namespace ikra::body
