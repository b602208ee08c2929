// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over bodies, and their printed form: each node with what it is, and its operands behind it
// in brackets.

#include "Body.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ikra {

std::string textOf(const CodeType& Ty) {
  const std::string Sign =
      Ty.Reference == CodeType::None ? "" : (Ty.Reference == CodeType::LValue ? "&" : "&&");
  const std::string Const = Ty.IsConst ? "const " : "";
  switch (Ty.Is) {
  case CodeType::Plain:
    return Const + (Ty.Of.Spelling.empty() ? "void" : Ty.Of.Spelling) + Sign;
  case CodeType::ObjectId:
    return Const + "id" + Sign;
  case CodeType::List:
    return "list<" + Const + Ty.Of.Spelling + ">" + Sign;
  case CodeType::Grid:
    return "grid<" + Ty.Of.Spelling + ", " + std::to_string(Ty.Of.ArrayRank) + ">" + Sign;
  case CodeType::Pointer:
    return textOf(*Ty.Inner) + "*" + (Ty.IsConst ? " const" : "") + Sign;
  case CodeType::Deduced:
    return Const + "auto" + Sign;
  case CodeType::Window:
    return "window";
  case CodeType::Array: {
    std::string Out = textOf(*Ty.Inner);
    for (const std::uint64_t Extent : Ty.Extents)
      Out += "[" + std::to_string(Extent) + "]";
    return Out;
  }
  case CodeType::Wrapped:
    return "wrapped<" + textOf(*Ty.Inner) + ">";
  }
  llvm_unreachable("form of type");
}

} // namespace ikra

namespace ikra::body {

template <class... F> struct Cases : F... {
  using F::operator()...;
};

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
                        [](const Choice& N) { return Exprs{N.Condition, N.Then, N.Else}; },
                        [](const Paren& N) { return Exprs{N.Inner}; },
                        [](const Cast& N) { return Exprs{N.Of}; },
                        [](const Make& N) { return N.Arguments; },
                        [](const Listed& N) { return N.Elements; },
                        [](const Subscript& N) { return Exprs{N.Base, N.Index}; },
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

//===-- printed form -----------------------------------------------------------------------===//

static std::string text(const std::vector<TemplateArgument>& Types) {
  std::string Out;
  for (const TemplateArgument& Of : Types) {
    const auto* Ty = std::get_if<TypeRef>(&Of);
    Out += (Out.empty() ? "<" : ", ") + (Ty ? textOf(**Ty) : std::get<std::string>(Of));
  }
  return Out.empty() ? "" : Out + ">";
}

static std::string labelOf(const Expr& E) {
  return std::visit(
      Cases{
          [](const Literal& N) { return N.Text; },
          [](const Constant& N) {
            return "constant " + N.Value + (N.Name.empty() ? "" : " " + N.Name);
          },
          [](const Enumerator& N) { return "enumerator " + N.Name; },
          [](const Name& N) { return N.Ident; },
          [](const Captured& N) { return "captured " + N.Ident; },
          [](const Table& N) { return "table " + std::to_string(N.Number); },
          [](const Element& N) { return (N.AsId ? "id-of-element " : "element ") + N.Ident; },
          [](const Receiver&) { return std::string("receiver"); },
          [](const Member& N) { return "member " + std::to_string(N.Number); },
          [](const Part& N) { return (N.HiddenIn ? "hidden-part " : "part ") + N.Field; },
          [](const Unary& N) { return (N.IsPostfix ? "post" : "") + N.Sign; },
          [](const Deref&) { return std::string("deref"); },
          [](const Binary& N) { return N.Sign; },
          [](const IsSet&) { return std::string("is-set"); },
          [](const Choice&) { return std::string("choice"); },
          [](const Paren&) { return std::string("paren"); },
          [](const Cast& N) { return "cast " + textOf(*N.To); },
          [](const Make& N) { return "make" + (N.Of ? " " + textOf(*N.Of) : ""); },
          [](const Listed& N) { return "listed " + textOf(*N.Of); },
          [](const Subscript&) { return std::string("subscript"); },
          [](const Call& N) {
            return N.Function ? "call function " + std::to_string(*N.Function)
                              : "dispatch " + N.Dispatcher;
          },
          [](const LibraryCall& N) {
            return "library " + N.Name + text(N.Types) + (N.MayFail ? " may-fail" : "");
          },
          [](const MethodCall& N) { return "method " + N.Name + text(N.Types); },
          [](const Invoke&) { return std::string("invoke"); },
          [](const WindowRead&) { return std::string("window-read"); },
          [](const Lambda&) { return std::string("lambda"); },
          [](const Overloaded&) { return std::string("overloaded"); },
          [](const Ordered&) { return std::string("ordered"); },
          [](const Forwarded& N) { return "forwarded " + N.Ident; },
      },
      E.Is);
}

static std::string labelOf(const Stmt& S) {
  return std::visit(Cases{
                        [](const Evaluate&) { return std::string("evaluate"); },
                        [](const Declare& N) {
                          return "declare " + textOf(*N.Ty) + " " +
                                 (N.Bindings.empty() ? N.Ident : llvm::join(N.Bindings, ","));
                        },
                        [](const Return&) { return std::string("return"); },
                        [](const If&) { return std::string("if"); },
                        [](const For&) { return std::string("for"); },
                        [](const ForRange&) { return std::string("for-range"); },
                        [](const While&) { return std::string("while"); },
                        [](const Do&) { return std::string("do"); },
                        [](const Switch&) { return std::string("switch"); },
                        [](const Case& N) { return std::string(N.IsDefault ? "default" : "case"); },
                        [](const Break&) { return std::string("break"); },
                        [](const Continue&) { return std::string("continue"); },
                        [](const FallThrough&) { return std::string("fall-through"); },
                        [](const Empty&) { return std::string("empty"); },
                        [](const Block&) { return std::string("block"); },
                    },
                    S.Is);
}

static void print(const Stmts& Body, unsigned Depth, llvm::raw_ostream& OS);

static void print(const Expr& E, unsigned Depth, llvm::raw_ostream& OS) {
  const Exprs Operands = operandsOf(E);
  const auto* Inner = std::get_if<Lambda>(&E.Is);
  if (Operands.empty() && !Inner) {
    OS << labelOf(E);
    return;
  }
  OS << '(' << labelOf(E);
  for (const ExprRef& Of : Operands) {
    OS << ' ';
    print(*Of, Depth, OS);
  }
  if (Inner) {
    for (const Lambda::Parameter& P : Inner->Parameters)
      OS << " [" << textOf(*P.Ty) << (P.Ident.empty() ? "" : " ") << P.Ident << ']';
    OS << " -> " << textOf(*Inner->Result) << '\n';
    print(Inner->Body, Depth + 2, OS);
    OS.indent(2 * Depth);
  }
  OS << ')';
}

/// One part of a statement after another, where it has several.
static void print(const char* Part, const Stmts& Body, unsigned Depth, llvm::raw_ostream& OS) {
  if (Body.empty())
    return;
  if (*Part)
    OS.indent(2 * Depth) << Part << '\n';
  print(Body, Depth + 1, OS);
}

static void print(const Stmt& S, unsigned Depth, llvm::raw_ostream& OS) {
  OS.indent(2 * Depth) << labelOf(S);
  for (const ExprRef& E : operandsOf(S)) {
    OS << ' ';
    print(*E, Depth, OS);
  }
  OS << '\n';
  if (const auto* Branch = std::get_if<If>(&S.Is)) {
    print("", inFrontOf(Branch->Before, {Branch->Head, Branch->Variable}), Depth, OS);
    print("then", Branch->Then, Depth, OS);
    print("else", Branch->Else, Depth, OS);
    return;
  }
  print("", childrenOf(S), Depth, OS);
}

static void print(const Stmts& Body, unsigned Depth, llvm::raw_ostream& OS) {
  for (const StmtRef& S : Body)
    print(*S, Depth, OS);
}

void print(const Body& Of, llvm::raw_ostream& OS) {
  for (const Parameter& P : Of.Parameters)
    if (!P.IsOmitted)
      OS << "  parameter " << (P.IsElement ? "element" : textOf(*P.Given)) << ' ' << P.Ident
         << '\n';
  if (Of.ReceiverIs == Body::ValueReceiver)
    OS << "  receiver " << textOf(*Of.ReceiverType) << '\n';
  else if (Of.ReceiverIs != Body::NoReceiver)
    OS << "  receiver " << (Of.ReceiverIs == Body::ElementReceiver ? "element" : "id") << '\n';
  OS << "  gives " << textOf(*Of.Result) << '\n';
  print(Of.Statements, 2, OS);
}

} // namespace ikra::body
