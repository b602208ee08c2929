// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies as `--print=bodies` shows them: a statement a line, and of an expression what it is, with
// its operands after it in brackets.

#include "Body.h"
#include "Cases.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ikra::body {

namespace {

class BodyPrinter {
public:
  BodyPrinter(const Names& Known, llvm::raw_ostream& OS) : Known(Known), OS(OS) {}

  void print(const Body& Of) {
    for (const Parameter& P : Of.Parameters)
      if (!P.IsOmitted)
        OS << "  parameter " << (P.IsElement ? "element" : textOf(*P.Given)) << ' ' << P.Ident
           << '\n';
    if (Of.ReceiverIs == Body::ValueReceiver)
      OS << "  receiver " << textOf(*Of.ReceiverType) << '\n';
    else if (Of.ReceiverIs != Body::NoReceiver)
      OS << "  receiver " << (Of.ReceiverIs == Body::ElementReceiver ? "element" : "id") << '\n';
    OS << "  gives " << textOf(*Of.Result) << '\n';
    print(Of.Statements, 1);
  }

private:
  static std::string text(const std::vector<TemplateArgument>& Types) {
    std::string Out;
    for (const TemplateArgument& Of : Types) {
      const auto* Ty = std::get_if<TypeRef>(&Of);
      Out += (Out.empty() ? "<" : ", ") + (Ty ? textOf(**Ty) : std::get<std::string>(Of));
    }
    return Out.empty() ? "" : Out + ">";
  }

  std::string labelOf(const Expr& E) const {
    using S = std::string;
    return std::visit(
        Cases{
            [](const Literal& N) { return N.Text; },
            [](const Constant& N) {
              return "constant " + N.Value + (N.Name.empty() ? "" : " " + N.Name);
            },
            [](const Enumerator& N) { return "enumerator " + N.Name; },
            [](const Name& N) { return N.Ident; },
            [](const Captured& N) { return "captured " + N.Ident; },
            [&](const Table& N) { return "table " + Known.Table(N.Number); },
            [&](const Global& N) { return "global " + Known.Global(N.Number); },
            [](const Element& N) { return (N.AsId ? "id-of-element " : "element ") + N.Ident; },
            [](const Receiver&) { return S("receiver"); },
            [&](const Member& N) { return "member " + Known.Member(N.Number); },
            [](const Part& N) { return (N.HiddenIn ? "hidden-part " : "part ") + N.Field; },
            [](const Unary& N) { return (N.IsPostfix ? "post" : "") + N.Sign; },
            [](const Deref&) { return S("deref"); },
            [](const Binary& N) { return N.Sign; },
            [](const IsSet&) { return S("is-set"); },
            [&](const OfClass& N) {
              return (N.Is == OfClass::Equals  ? "is-exactly "
                      : N.Is == OfClass::Refer ? "as-class may-fail "
                                               : "as-class ") +
                     Known.Class(N.Class);
            },
            [](const SameClass&) { return S("of-one-class"); },
            [](const Choice&) { return S("choice"); },
            [](const Paren&) { return S("paren"); },
            [](const Cast& N) { return "cast " + textOf(*N.To); },
            [](const Make& N) { return "make" + (N.Of ? " " + textOf(*N.Of) : ""); },
            [](const Listed& N) { return "listed " + textOf(*N.Of); },
            [](const Subscript&) { return S("subscript"); },
            [](const Location&) { return S("location"); },
            [&](const Call& N) {
              return N.Function ? "call " + Known.Function(*N.Function)
                                : "dispatch " + N.Dispatcher;
            },
            [](const LibraryCall& N) {
              return "library " + N.Name + text(N.Types) + (N.MayFail ? " may-fail" : "");
            },
            [](const MethodCall& N) { return "method " + N.Name + text(N.Types); },
            [](const Invoke&) { return S("invoke"); },
            [](const WindowRead&) { return S("window-read"); },
            [](const Lambda&) { return S("lambda"); },
            [](const Overloaded&) { return S("overloaded"); },
            [](const Ordered& N) {
              S Out = "ordered";
              for (const Ordered::Operand& Of : N.Operands)
                Out += " " + Of.Ident;
              return Out;
            },
            [](const Forwarded& N) { return "forwarded " + N.Ident; },
        },
        E.Is);
  }

  static std::string labelOf(const Stmt& Of) {
    using S = std::string;
    return std::visit(Cases{
                          [](const Evaluate&) { return S("evaluate"); },
                          [](const Declare& N) {
                            return "declare " + textOf(*N.Ty) + " " +
                                   (N.Bindings.empty() ? N.Ident : llvm::join(N.Bindings, ","));
                          },
                          [](const Return&) { return S("return"); },
                          [](const If&) { return S("if"); },
                          [](const For&) { return S("for"); },
                          [](const ForRange&) { return S("for-range"); },
                          [](const While&) { return S("while"); },
                          [](const Do&) { return S("do"); },
                          [](const Switch&) { return S("switch"); },
                          [](const Case& N) { return S(N.IsDefault ? "default" : "case"); },
                          [](const Break&) { return S("break"); },
                          [](const Continue&) { return S("continue"); },
                          [](const FallThrough&) { return S("fall-through"); },
                          [](const Empty&) { return S("empty"); },
                          [](const Block&) { return S("block"); },
                      },
                      Of.Is);
  }

  void print(const Expr& E, unsigned Depth) {
    const Exprs Operands = operandsOf(E);
    const auto* Inner = std::get_if<Lambda>(&E.Is);
    if (Operands.empty() && !Inner) {
      OS << labelOf(E);
      return;
    }
    OS << '(' << labelOf(E);
    for (const ExprRef& Of : Operands) {
      OS << ' ';
      print(*Of, Depth);
    }
    if (Inner) {
      for (const Lambda::Parameter& P : Inner->Parameters)
        OS << " [" << textOf(*P.Ty) << (P.Ident.empty() ? "" : " ") << P.Ident << ']';
      OS << " -> " << textOf(*Inner->Result) << '\n';
      print(Inner->Body, Depth + 2);
      OS.indent(2 * Depth);
    }
    OS << ')';
  }

  void print(const Stmt& S, unsigned Depth) {
    OS.indent(2 * Depth) << labelOf(S);
    for (const ExprRef& E : operandsOf(S)) {
      OS << ' ';
      print(*E, Depth);
    }
    OS << '\n';
    const auto* Branch = std::get_if<If>(&S.Is);
    if (Branch && Branch->HasElse) {
      Stmts Others = childrenOf(S);
      Others.resize(Others.size() - Branch->Else.size());
      print(Others, Depth + 1);
      OS.indent(2 * Depth) << "else\n";
      print(Branch->Else, Depth + 1);
    } else {
      print(childrenOf(S), Depth + 1);
    }
  }

  void print(const Stmts& Body, unsigned Depth) {
    for (const StmtRef& S : Body)
      print(*S, Depth);
  }

  const Names& Known;
  llvm::raw_ostream& OS;
};

} // namespace

void print(const Body& Of, const Names& Known, llvm::raw_ostream& OS) {
  BodyPrinter(Known, OS).print(Of);
}

} // namespace ikra::body
