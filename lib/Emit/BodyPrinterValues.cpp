// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of classes and lambdas in emitted functions. A value has the type that it has in the
// program; the user's constructors are functions that make it, members that are not public are
// reached through object_access, and what the standard library has for its own value classes is
// called as it is.

#include "BodyPrinter.h"

#include "Analysis/BodyWalker.h"
#include "Analysis/NativeFunctions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace ikra {

/// What a constructor does before its body. There is no call of it on a device: its value is put
/// together member by member.
void BodyPrinter::printInitialisers(const CXXConstructorDecl* Constructor, CodeWriter& Out) {
  const std::string Class = resultType();
  Out.line("ikra::unmade<" + Class + "> " + Made + ";");
  Out.line(Class + "& " + SelfObject + " = " + Made + ".value;");
  for (const CXXCtorInitializer* Init : Constructor->inits()) {
    const Expr* Value = Init->getInit()->IgnoreImplicit();
    if (const auto* Default = dyn_cast<CXXDefaultInitExpr>(Value))
      Value = Default->getExpr()->IgnoreImplicit();
    if (Init->isWritten())
      place(Init->getInit(), Out);
    if (Init->isDelegatingInitializer()) {
      Out.line("ikra::make(" + SelfObject + ", " + expr(Value) + ");");
    } else if (Init->isBaseInitializer()) {
      const QualType Base(Init->getBaseClass(), 0);
      const bool IsPublic =
          llvm::all_of(Constructor->getParent()->bases(), [&](const CXXBaseSpecifier& Of) {
            return !Context.Ast.hasSameType(Of.getType(), Base) ||
                   Of.getAccessSpecifier() == AS_public;
          });
      Out.line("ikra::make(" +
               (IsPublic ? "static_cast<" + typeText(Base) + "&>(" + SelfObject + ")"
                         : "(" + typeText(Base) + "&)" + SelfObject) +
               ", " + expr(Value) + ");");
    } else {
      const QualType Ty = Init->getMember()->getType().getUnqualifiedType();
      const std::string Member = part(SelfObject, Init->getMember());
      const auto* Construct = dyn_cast<CXXConstructExpr>(Value);
      if (Init->getMember()->isBitField()) // has no address
        Out.line(Member + " = " + converted(Init->getInit()) + ";");
      else if (Ty->isConstantArrayType() &&
               (isa<InitListExpr>(Value) || (Construct && F.Calls.contains(Construct))))
        Out.line("ikra::make(" + Member + ", ikra::wrapped<" + arrayText(Ty) + ">{" + expr(Value) +
                 "}.value);");
      else if (Ty->isConstantArrayType() && isa<ImplicitValueInitExpr>(Value))
        Out.line("ikra::make(" + Member + ", ikra::wrapped<" + arrayText(Ty) + ">{}.value);");
      else if (!Construct || Construct->getNumArgs() > 0 ||
               Construct->requiresZeroInitialization() || !Construct->getConstructor()->isTrivial())
        Out.line("ikra::make(" + Member + ", " + converted(Init->getInit()) + ");");
    }
  }
}

std::string BodyPrinter::part(const std::string& Object, const FieldDecl* Member,
                              const std::string& Dot) const {
  if (Member->getAccess() == AS_public)
    return Dot + Member->getNameAsString();
  const QualType Class = Context.Ast.getRecordType(cast<CXXRecordDecl>(Member->getParent()));
  return "ikra::object_access<unit, " + typeText(Class) + ">::" + Member->getNameAsString() + "(" +
         Object + ")";
}

/// \p Text as the base that \p Cast leads to, if that is not public: a cast of this form alone asks
/// for no access.
Code BodyPrinter::asHiddenBase(const CastExpr* Cast, Code Text, const char* Sign) const {
  const bool IsHidden = llvm::any_of(Cast->path(), [](const CXXBaseSpecifier* Base) {
    return Base->getAccessSpecifier() != AS_public;
  });
  if (!IsHidden)
    return Text;
  const QualType To = Cast->getType();
  return "((" + typeText(To->isPointerType() ? To->getPointeeType() : To) + Sign + ")(" +
         Text.Text + "))";
}

Code BodyPrinter::throughBases(const Expr* E, Code Text) const {
  const auto* Cast = dyn_cast<ImplicitCastExpr>(E->IgnoreParens());
  if (!Cast)
    return Text;
  return asHiddenBase(Cast, throughBases(Cast->getSubExpr(), std::move(Text)), "&");
}

std::string BodyPrinter::valueMember(const MemberExpr* E, const FieldDecl* Member) {
  const Expr* Object = E->getBase()->IgnoreParenImpCasts();
  QualType Ty = Object->getType();
  if (Ty->isPointerType())
    Ty = Ty->getPointeeType();
  const auto* Owner = cast<CXXRecordDecl>(Member->getParent());
  const QualType Class = Context.Ast.getRecordType(Owner);
  const Code Text = E->isArrow() ? pointed(E->getBase()) : code(E->getBase());
  // A derived class may have another member of that name.
  if (!Context.Ast.hasSameUnqualifiedType(Ty, Class))
    return part("static_cast<" + std::string(Ty.isConstQualified() ? "const " : "") +
                    typeText(Class) + "&>(" + Text.Text + ")",
                Member);
  if (E->isArrow())
    return part(Text.Text, Member, memberOfPointed(E->getBase()));
  return part(Text.Text, Member, Text.at(Precedence::Postfix) + ".");
}

/// An inherited constructor's call of the one that it stands for, with its own parameters.
std::string BodyPrinter::inheritedCall(const CXXInheritedCtorInitExpr* E) {
  const Index Target = F.Calls.at(E).Targets.front().Function;
  std::vector<std::string> Texts;
  if (Context.needsWorld(Target))
    Texts.push_back(World);
  for (unsigned K = 0; K < F.Decl->getNumParams(); ++K) {
    const QualType Ty = parameterType(K);
    Texts.push_back(Ty->isRValueReferenceType()
                        ? "static_cast<" + typeText(Ty) + ">(" + parameterName(K) + ")"
                        : parameterName(K));
  }
  return Context.nameOf(Target) + "(" + llvm::join(Texts, ", ") + ")";
}

/// A class's or an array's value from those of its members.
std::string BodyPrinter::braced(const std::string& Class, llvm::ArrayRef<const Expr*> Inits) {
  return Class + "{" + nativeArguments(Inits) + "}";
}

/// Arguments of what is called as it is, each of the type that the program gave it.
std::string BodyPrinter::nativeArguments(llvm::ArrayRef<const Expr*> Arguments) {
  std::vector<std::string> Texts;
  for (const Expr* Argument : Arguments)
    if (!isa<CXXDefaultArgExpr>(Argument))
      Texts.push_back(converted(Argument));
  return llvm::join(Texts, ", ");
}

std::string BodyPrinter::rewritten(const CXXRewrittenBinaryOperator* E) {
  const CXXRewrittenBinaryOperator::DecomposedForm Form = E->getDecomposedForm();
  if (!isNativeOperator(Form.InnerBinOp))
    return "(" + expr(E->getSemanticForm()) + ")";
  if (isStdClass(Form.RHS->getType(), "nullopt_t") && Form.Opcode == BO_NE)
    return operand(Form.LHS, Precedence::Postfix) + ".has_value()";
  return "(" + operand(Form.LHS) + " " + BinaryOperator::getOpcodeStr(Form.Opcode).str() + " " +
         operand(Form.RHS) + ")";
}

/// A temporary. One that is a copy of something, or one of several such, may be printed as that,
/// which must stay as it is when the temporary changes.
Code BodyPrinter::temporary(const MaterializeTemporaryExpr* E) {
  const Expr* Made = E->getSubExpr();
  for (const Expr* Before = nullptr; Made != Before;) {
    Before = Made;
    Made = Made->IgnoreParens()->IgnoreImplicit();
    if (const auto* Cast = dyn_cast<CXXFunctionalCastExpr>(Made))
      Made = Cast->getSubExpr();
  }
  const auto* Construct = dyn_cast<CXXConstructExpr>(Made);
  const bool IsCopy = isa<ConditionalOperator>(Made) ||
                      (Construct && Construct->getConstructor()->isCopyOrMoveConstructor());
  const Code Text = code(E->getSubExpr());
  return IsCopy && valueClass(E->getType()) && !isClosure(E->getType())
             ? typeText(E->getType().getUnqualifiedType()) + "(" + Text.Text + ")"
             : Text;
}

/// The receiver of a value's method: one that changes it may be called of a temporary.
std::string BodyPrinter::receiver(const Expr* E, const FunctionDecl* Callee) {
  const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
  const bool Changes = Method && valueClass(E->getType()) && !Method->isConst();
  const Expr* Object = E;
  while (isa<ImplicitCastExpr, ParenExpr>(Object)) // to a base
    Object = isa<ParenExpr>(Object) ? cast<ParenExpr>(Object)->getSubExpr()
                                    : cast<ImplicitCastExpr>(Object)->getSubExpr();
  // Of an operator, clang takes a temporary for a place.
  const bool IsTemporary = E->isXValue() || isa<MaterializeTemporaryExpr>(Object);
  return Changes && IsTemporary ? "ikra::place(" + argument(E) + ")" : argument(E);
}

/// The first of a function's template arguments, as it has to be written.
std::string BodyPrinter::firstArgument(const FunctionDecl* Callee) const {
  const TemplateArgument& First = Callee->getTemplateSpecializationArgs()->get(0);
  // Where pointers of several types are IDs, their place tells them apart.
  if (First.getKind() == TemplateArgument::Type && Callee->getNumParams() == 1)
    if (const std::optional<unsigned> Place =
            placeAmongHeld(Callee->getParamDecl(0)->getType(), First.getAsType()))
      return "<" + std::to_string(*Place) + ">";
  return "<" +
         (First.getKind() == TemplateArgument::Type ? typeText(First.getAsType())
                                                    : llvm::toString(First.getAsIntegral(), 10)) +
         ">";
}

/// A function of the standard library that works on values of classes.
std::string BodyPrinter::nativeCall(const CallExpr* E) {
  const FunctionDecl* Callee = E->getDirectCallee();
  const llvm::StringRef Name = Callee->getName();
  const std::string Arguments = nativeArguments({E->getArgs(), E->getNumArgs()});
  if (Name == "get" && isStdClass(E->getArg(0)->getType(), "variant"))
    return "ikra::get" + firstArgument(Callee) + "(" + Arguments + ", " + World + ".nulls)";
  if (Name == "make_tuple" || Name == "make_pair" ||
      Name == "make_optional") // the type that the program deduced
    return typeText(Callee->getReturnType()) + "(" + Arguments + ")";
  const bool IsNamed = Name == "get" || Name == "holds_alternative" || Name == "bit_cast";
  const std::string Which = IsNamed ? firstArgument(Callee) : "";
  return "std::" + Name.str() + Which + "(" + Arguments + ")";
}

/// Operators of std::optional: those that lead to its value, and those with std::nullopt, which is
/// not there on a device.
std::optional<Code> BodyPrinter::ofOptional(OverloadedOperatorKind Operator,
                                            llvm::ArrayRef<const Expr*> All) {
  if (Operator == OO_Arrow || (Operator == OO_Star && All.size() == 1))
    return "(*" + operand(All[0]) + ")";
  if (All.size() != 2 || !isStdClass(All[1]->getType(), "nullopt_t"))
    return std::nullopt;
  const std::string Object = operand(All[0], Precedence::Postfix);
  if (Operator == OO_Equal)
    return Code(Object + " = " + typeText(All[0]->getType().getUnqualifiedType()) + "()",
                Precedence::Assignment);
  return "(!" + Object + ".has_value())";
}

/// A lambda, as one of C++: all around it is there by reference, and what it captures by value has
/// a copy. A generic one is a function for each type that it is called with.
std::string BodyPrinter::lambda(const LambdaExpr* E) {
  std::string Captures = "[&";
  for (unsigned K = 0; K < E->capture_size(); ++K) {
    const LambdaCapture& C = E->capture_begin()[K];
    if (!C.capturesVariable() || (C.getCaptureKind() == LCK_ByRef && !E->isInitCapture(&C)))
      continue;
    const ValueDecl* V = C.getCapturedVar();
    if (!E->isInitCapture(&C) && isCaptureless(V->getType()) && !isDeclaredIn(V, Home))
      continue; // a function here
    const std::string Name = variableName(V);
    const auto* Parameter = dyn_cast<ParmVarDecl>(V);
    const unsigned Number = Parameter && Parameter->getDeclContext() == F.Decl
                                ? Parameter->getFunctionScopeIndex()
                                : 63;
    if (Number < 63 && ((F.SelfMask >> (Number + 1)) & 1))
      continue; // the element, which a copy of the pointer leads to as well
    if (E->isInitCapture(&C)) {
      const bool ByReference = C.getCaptureKind() == LCK_ByRef;
      Captures += std::string(", ") + (ByReference ? "&" : "") + Name + " = " +
                  expr(cast<VarDecl>(V)->getInit());
    } else {
      Captures += ", " + Name + " = " + Name;
    }
  }
  return bodies(E, Captures);
}

/// Pointers to objects of several classes are one type here, and what a template argument alone
/// tells apart has no parameter of it.
std::string BodyPrinter::instanceTag(const FunctionDecl* Of) const {
  const FunctionTemplateDecl* Template = Of->getPrimaryTemplate();
  if (Template == nullptr)
    return "";
  const auto Parameters = [&](const FunctionDecl* Instance) {
    std::vector<std::string> Types;
    for (const ParmVarDecl* P : Instance->parameters())
      Types.push_back(typeText(P->getType()));
    return Types;
  };
  const std::vector<std::string> Own = Parameters(Of);
  bool IsAlone = true;
  unsigned Number = 0, At = 0;
  for (const FunctionDecl* Other : Template->specializations()) {
    if (!Other->hasBody())
      continue;
    if (declaresSameEntity(Other, Of))
      Number = At;
    else
      IsAlone = IsAlone && Parameters(Other) != Own;
    ++At;
  }
  return IsAlone ? "" : "ikra::instance<" + std::to_string(Number) + ">";
}

std::string BodyPrinter::closureCall(const CallExpr* E, const Expr* Closure,
                                     llvm::ArrayRef<const Expr*> Arguments) {
  // With template arguments of its own, a call may convert what it is given.
  const bool IsNamed = isa<CXXMemberCallExpr>(E);
  std::vector<std::string> Texts;
  for (const Expr* Argument : Arguments)
    Texts.push_back(IsNamed && Argument->getType()->isArithmeticType() ? converted(Argument)
                                                                       : bound(Argument));
  if (const std::string Tag = instanceTag(E->getDirectCallee()); !Tag.empty())
    Texts.push_back(Tag + "()");
  return operand(Closure, Precedence::Postfix) + "(" + llvm::join(Texts, ", ") + ")";
}

std::string BodyPrinter::capturedLambda(const CapturedLambda& Of) {
  std::string Captures = "[&";
  for (const CapturedLambda& Inner : Of.Inner)
    Captures += ", " + Inner.Decl->getNameAsString() + " = " + capturedLambda(Inner);
  for (const CapturedLambda::Part& Part : Of.Parts)
    Captures += ", &" + Part.Name + " = " + captured(Part.InSection);
  const llvm::SaveAndRestore In(Within, &Of);
  return bodies(Of.Lambda, Captures);
}

std::string BodyPrinter::body(const FunctionDecl* Body, const std::string& Captures, bool IsMutable,
                              const std::string& Tag) {
  std::vector<std::string> Parameters;
  for (unsigned K = 0; K < Body->getNumParams(); ++K) {
    const ParmVarDecl* P = Body->getParamDecl(K);
    Parameters.push_back(typeText(P->getType()) +
                         (P->getIdentifier() ? " " + parameterName(Body, K) : ""));
  }
  if (!Tag.empty())
    Parameters.push_back(Tag);
  CodeWriter Lines("");
  llvm::SaveAndRestore Within(Lambda, true);
  Lines.open(Captures + "](" + llvm::join(Parameters, ", ") + ")" + (IsMutable ? " mutable" : "") +
             " -> " + typeText(Body->getReturnType()) + " {");
  printBlock(Body->getBody(), Lines);
  Lines.close();
  std::string Text = Lines.take();
  Text.pop_back();
  return Text;
}

/// Several functions as one.
static std::string overloaded(llvm::ArrayRef<std::string> Texts) {
  return Texts.size() == 1 ? Texts.front() : "ikra::overloaded{" + llvm::join(Texts, ", ") + "}";
}

std::string BodyPrinter::bodies(const LambdaExpr* E, const std::string& Captures) {
  std::vector<std::string> Texts;
  for (const FunctionDecl* Body : bodiesOf(E)) {
    const llvm::SaveAndRestore At(Home, Within && Within->Lambda == E ? Body : Home);
    Texts.push_back(body(Body, Captures, E->isMutable(), instanceTag(Body)));
  }
  return overloaded(Texts);
}

//===-- what others call -------------------------------------------------------------------===//

std::string BodyPrinter::adapter(const Expr* Argument, const Adapter& By) {
  std::vector<std::string> Texts;
  for (const FunctionDecl* Call : By.Calls)
    Texts.push_back(body(Call, "[&", /*IsMutable=*/false));
  if (!By.HasObject)
    return overloaded(Texts);
  const std::string Object = expr(Argument);
  return "ikra::calling(" + (By.IsCopied ? "ikra::copied(" + Object + ")" : Object) + ", " +
         overloaded(Texts) + ")";
}

std::string BodyPrinter::handed(unsigned K, const std::string& Text,
                                std::vector<std::string>& Declarations) {
  const Expr* Argument = K < F.Handed.Arguments.size() ? F.Handed.Arguments[K] : nullptr;
  if (!Argument)
    return Text;
  const ParmVarDecl* P = F.Handed.Given->getParamDecl(K);
  Declarations.push_back(typeText(P->getType()) + " " + P->getNameAsString() + " = " + Text + ";");
  return bound(Argument);
}

void BodyPrinter::printHandover(const std::string& Code, CodeWriter& Out) {
  std::vector<std::string> Parameters, Arguments;
  for (unsigned K = 0; K < F.Handed.Arguments.size(); ++K) {
    const ParmVarDecl* P = F.Handed.Given->getParamDecl(K);
    Parameters.push_back(typeText(P->getType()) + " " + P->getNameAsString());
    Arguments.push_back(F.Handed.Arguments[K] ? bound(F.Handed.Arguments[K])
                                              : P->getNameAsString());
  }
  Out.open("IKRA_DEVICE auto operator()(" + llvm::join(Parameters, ", ") + ") const {");
  printGiven(Code + "(" + llvm::join(Arguments, ", ") + ")", Out);
  Out.close();
}

void BodyPrinter::printGiven(const std::string& Call, CodeWriter& Out) {
  if (!F.Handed.Result)
    return Out.line("return " + Call + ";");
  const ParmVarDecl* Result = F.Handed.Given->parameters().back();
  Out.line(typeText(Result->getType()) + " " + Result->getNameAsString() + " = " + Call + ";");
  Out.line("return " + expr(F.Handed.Result) + ";");
}

} // namespace ikra
