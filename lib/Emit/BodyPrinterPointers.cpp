// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to values, iterators, which are printed as pointers, and algorithms over them.

#include "BodyPrinter.h"

#include "Analysis/BodyWalker.h"

#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace ikra {

bool BodyPrinter::isPointer(QualType Ty) const {
  return typeOf(Context, Ty).Kind == TypeKind::Pointer;
}

std::string BodyPrinter::pointerText(QualType Ty) const {
  const QualType Value = Ty.getNonReferenceType(), To = pointedTo(Value);
  const bool ToObjects = typeOf(Context, To).Kind == TypeKind::Object;
  return (ToObjects ? std::string(To.isConstQualified() ? "const " : "") + "ikra::object_id"
                    : typeText(To)) +
         "*" + (Value.isConstQualified() ? " const" : "");
}

std::string BodyPrinter::thisObject() {
  const auto* Method = dyn_cast<CXXMethodDecl>(F.Decl);
  return Method && Method->getParent()->isLambda() ? captured("this_object") : SelfObject;
}

Code BodyPrinter::pointed(const Expr* Pointer) {
  const Expr* E = Pointer->IgnoreParenImpCasts();
  if (isa<CXXThisExpr>(E))
    return throughBases(Pointer, thisObject());
  if (const auto* Arrow = dyn_cast<CXXOperatorCallExpr>(E);
      Arrow && isStdClass(Arrow->getArg(0)->getType(), "optional"))
    return code(E); // already its value
  if (const auto* Address = dyn_cast<UnaryOperator>(E);
      Address && Address->getOpcode() == UO_AddrOf)
    return throughBases(Pointer, code(Address->getSubExpr()));
  return {"*" + operand(Pointer), Precedence::Unary};
}

std::string BodyPrinter::memberOfPointed(const Expr* Pointer) {
  const Code Text = pointed(Pointer);
  const llvm::StringRef Stripped = llvm::StringRef(Text.Text).drop_front();
  const bool IsArrow = Text.Binds == Precedence::Unary && Text.Text.front() == '*' &&
                       !llvm::StringRef("*&+-!~").contains(Stripped.front());
  return IsArrow ? Stripped.str() + "->" : Text.at(Precedence::Postfix) + ".";
}

Code BodyPrinter::pointerOperator(const CXXOperatorCallExpr* E) {
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  const std::string Sign = getOperatorSpelling(E->getOperator());
  switch (E->getOperator()) {
  case OO_Star:
    return {"*" + operand(All[0]), Precedence::Unary};
  case OO_Arrow:
    return code(All[0]);
  case OO_Subscript:
    return operand(All[0], Precedence::Postfix) + "[" + expr(All[1]) + "]";
  case OO_PlusPlus:
  case OO_MinusMinus:
    return All.size() == 2 ? operand(All[0], Precedence::Postfix) + Sign : prefixed(Sign, All[0]);
  default:
    return "(" + operand(All[0]) + " " + Sign + " " + operand(All[1]) + ")";
  }
}

std::optional<std::string> BodyPrinter::stdPointerFunction(const CallExpr* E) {
  const FunctionDecl* Callee = E->getDirectCallee();
  if (!isInStd(Callee) || !Callee->getIdentifier())
    return std::nullopt;
  const llvm::StringRef Name = Callee->getName();
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  const bool TakesPointer = !Arguments.empty() && isPointer(Arguments[0]->getType());
  if (algorithmWrites(Name) && TakesPointer) {
    std::vector<std::string> Texts;
    for (const Expr* Argument : Arguments)
      if (isOperatorObject(Argument->getType()))
        Texts.push_back(hostSpelling(Argument->getType().getUnqualifiedType(), Context.Ast) + "{}");
      else if (!isa<CXXDefaultArgExpr>(Argument))
        Texts.push_back(converted(Argument));
    return "ikra::algorithm::" + Name.str() + "(" + llvm::join(Texts, ", ") + ")";
  }
  if (givesIterator(Name) && Arguments.size() == 1 && isPointer(Callee->getReturnType()))
    return iteratorOf(Name, Arguments[0]);
  if (asksSize(E)) {
    const std::optional<std::uint64_t> Size = constantSize(Arguments[0]->getType());
    const std::string Count =
        Size ? std::to_string(*Size) : operand(Arguments[0], Precedence::Postfix) + ".size()";
    return Name == "empty" ? "(" + Count + " == 0)"
                           : "static_cast<" + typeText(E->getType()) + ">(" + Count + ")";
  }
  if (dividesIntegers(E))
    return "ikra::algorithm::" + Name.str() + "(" + converted(Arguments[0]) + ", " +
           converted(Arguments[1]) + ")";
  if (Name == "get_if" && TakesPointer)
    return "std::get_if" + firstArgument(Callee) + "(" + expr(Arguments[0]) + ")";
  if (const llvm::ArrayRef<Expr*> Elements = elementsOfList(E);
      !Elements.empty() && (Name == "max" || Name == "min")) {
    std::vector<Operand> All;
    for (const Expr* Element : Elements)
      All.push_back({Element, converted(Element)});
    return inOrder(Order::LeftToRight, All, false, [&](const std::vector<std::string>& Texts) {
      return "ikra::algorithm::" + Name.str() + "_of(" + llvm::join(Texts, ", ") + ")";
    });
  }
  return std::nullopt;
}

std::string BodyPrinter::iteratorOf(llvm::StringRef Name, const Expr* Container) {
  return (Name.ends_with("end") ? "ikra::end_of(" : "ikra::first_of(") + expr(Container) + ")";
}

} // namespace ikra
