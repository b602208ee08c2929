// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of emitted functions. Implicit conversions are left to the compiler, which makes the
// same ones again, but for those of pointers, which are IDs here.

#include "BodyPrinter.h"

#include "Analysis/BodyWalker.h"
#include "Analysis/NativeFunctions.h"
#include "Analysis/Types.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

using namespace clang;

namespace ikra {

static bool isObject(EmitContext& Context, QualType Ty) {
  return typeOf(Context, Ty).Kind == TypeKind::Object;
}

std::string BodyPrinter::selfObject(const Expr* E) {
  E = E->IgnoreParenCasts();
  if (const auto* Op = dyn_cast<UnaryOperator>(E))
    return selfObject(Op->getSubExpr());
  if (const auto* Name = dyn_cast<DeclRefExpr>(E))
    return parameterName(cast<ParmVarDecl>(Name->getDecl())->getFunctionScopeIndex());
  return SelfObject;
}

std::string BodyPrinter::sourceOf(const Expr* Literal) {
  const SourceManager& SM = Context.Ast.getSourceManager();
  const SourceLocation At = SM.getSpellingLoc(Literal->getExprLoc());
  std::string Text =
      Lexer::getSourceText(CharSourceRange::getTokenRange(At), SM, Context.Ast.getLangOpts()).str();
  const bool IsCharacter = isa<CharacterLiteral>(Literal) && llvm::StringRef(Text).ends_with("'");
  if (!Text.empty() && (llvm::isDigit(Text.front()) || Text.front() == '.' || IsCharacter))
    return Text;
  std::string Printed;
  llvm::raw_string_ostream OS(Printed);
  Literal->printPretty(OS, nullptr, spellingPolicy(Context.Ast));
  return Printed;
}

std::string BodyPrinter::enumerator(const EnumConstantDecl* D) {
  const auto* Enum = cast<EnumDecl>(D->getDeclContext());
  const Type T = typeOf(Context, Context.Ast.getEnumType(Enum));
  if (Enum->getParentFunctionOrMethod() || !Enum->getIdentifier())
    return "static_cast<" + T.Spelling + ">(" + llvm::toString(D->getInitVal(), 10) + ")";
  return Context.typeText(T) + "::" + D->getNameAsString();
}

std::string BodyPrinter::arguments(llvm::ArrayRef<const Expr*> Arguments) {
  std::vector<std::string> Texts;
  for (const Expr* Argument : Arguments)
    if (!isa<CXXDefaultArgExpr>(Argument)) // the callee's own declaration has them
      Texts.push_back(expr(Argument));
  return llvm::join(Texts, ", ");
}

/// \p Argument as the parameter's type: a function of the standard library has overloads, of which
/// the argument's own type could choose another than the program did.
std::string BodyPrinter::converted(const Expr* Argument) {
  const QualType From = Argument->IgnoreParenImpCasts()->getType().getCanonicalType();
  const QualType To = Argument->getType().getCanonicalType();
  std::string Text = expr(Argument);
  if (Context.Ast.hasSameUnqualifiedType(From, To) || !To->isArithmeticType())
    return Text;
  return "static_cast<" + typeText(To.getUnqualifiedType()) + ">(" + Text + ")";
}

/// \p E where an operator follows or stands before it. Operators that the compiler wrote, such as
/// the ! of a rewritten !=, have no parentheses in the source.
std::string BodyPrinter::operand(const Expr* E) {
  const Expr* Inner = E->IgnoreImplicit();
  const auto* Call = dyn_cast<CXXOperatorCallExpr>(Inner);
  const bool IsBinary = isa<BinaryOperator, ConditionalOperator>(Inner) ||
                        (Call && !F.Calls.contains(Call) && Call->isInfixBinaryOp());
  return IsBinary ? "(" + expr(E) + ")" : expr(E);
}

/// An integer of type \p Ty.
std::string BodyPrinter::integer(const llvm::APSInt& Value, QualType Ty) const {
  const std::string Text = integerText(Value), Type = typeText(Ty.getUnqualifiedType());
  if (Type != "int")
    return "static_cast<" + Type + ">(" + Text + ")";
  return Text.front() == '-' ? "(" + Text + ")" : Text;
}

/// T(), where T may be written in several words.
std::string BodyPrinter::valueInitialised(QualType Ty) const {
  const std::string Text = typeText(Ty.getUnqualifiedType());
  return Ty->isArithmeticType() ? "static_cast<" + Text + ">(0)" : Text + "()";
}

std::string BodyPrinter::expr(const Expr* E) {
  if (isSelf(F, E))
    return selfObject(E) + ".id";
  if (const auto It = F.Adapters.find(E); It != F.Adapters.end() && Adapting != E) {
    const llvm::SaveAndRestore Argument(Adapting, E);
    return adapter(E, It->second);
  }
  switch (E->getStmtClass()) {
  case Stmt::IntegerLiteralClass:
  case Stmt::FloatingLiteralClass:
  case Stmt::CharacterLiteralClass:
    return sourceOf(E);
  case Stmt::CXXBoolLiteralExprClass:
    return cast<CXXBoolLiteralExpr>(E)->getValue() ? "true" : "false";
  case Stmt::CXXNullPtrLiteralExprClass:
  case Stmt::GNUNullExprClass:
    return "nullptr";
  case Stmt::CXXScalarValueInitExprClass:
  case Stmt::ImplicitValueInitExprClass:
    if (E->getType()->isArrayType())
      return "{}";
    return valueInitialised(E->getType());
  case Stmt::UnaryExprOrTypeTraitExprClass:
  case Stmt::TypeTraitExprClass:
  case Stmt::SizeOfPackExprClass: {
    Expr::EvalResult Value;
    E->EvaluateAsInt(Value, Context.Ast);
    return integer(Value.Val.getInt(), E->getType());
  }
  case Stmt::CXXThisExprClass: // objects are known by their IDs
    return isPointer(E->getType()) ? "&" + thisObject() : thisObject();
  case Stmt::ParenExprClass: {
    const Expr* Sub = cast<ParenExpr>(E)->getSubExpr();
    // (*a).b has become an index, where a leads to an object.
    const auto* Op = dyn_cast<UnaryOperator>(Sub);
    const bool IsDereference =
        Op && Op->getOpcode() == UO_Deref && !isPointer(Op->getSubExpr()->getType());
    return IsDereference ? expr(Sub) : "(" + expr(Sub) + ")";
  }
  case Stmt::ConstantExprClass:
  case Stmt::ExprWithCleanupsClass:
    return expr(cast<FullExpr>(E)->getSubExpr());
  case Stmt::MaterializeTemporaryExprClass:
    return temporary(cast<MaterializeTemporaryExpr>(E));
  case Stmt::CXXBindTemporaryExprClass:
    return expr(cast<CXXBindTemporaryExpr>(E)->getSubExpr());
  case Stmt::SubstNonTypeTemplateParmExprClass: {
    // The replacement stands at the parameter's place: there is no source of it.
    const Expr* Replacement = cast<SubstNonTypeTemplateParmExpr>(E)->getReplacement();
    Expr::EvalResult Value;
    if (Replacement->EvaluateAsRValue(Value, Context.Ast) && Value.Val.isInt())
      return integer(Value.Val.getInt(), E->getType());
    return "(" + expr(Replacement) + ")";
  }
  case Stmt::CXXDefaultArgExprClass:
    return "(" + expr(cast<CXXDefaultArgExpr>(E)->getExpr()) + ")";
  case Stmt::CXXDefaultInitExprClass:
    return expr(cast<CXXDefaultInitExpr>(E)->getExpr());
  case Stmt::CXXRewrittenBinaryOperatorClass:
    return rewritten(cast<CXXRewrittenBinaryOperator>(E));
  case Stmt::DeclRefExprClass:
    return name(cast<DeclRefExpr>(E));
  case Stmt::MemberExprClass:
    return member(cast<MemberExpr>(E));
  case Stmt::ArraySubscriptExprClass: {
    const auto* Subscript = cast<ArraySubscriptExpr>(E);
    const Expr* Base = Subscript->getBase();
    if (Base->IgnoreParenImpCasts()->getType()->isArrayType()) // a view, or an array as it is
      Base = Base->IgnoreParenImpCasts();
    return operand(Base) + "[" + expr(Subscript->getIdx()) + "]";
  }
  case Stmt::ImplicitCastExprClass:
  case Stmt::CStyleCastExprClass:
  case Stmt::CXXStaticCastExprClass:
  case Stmt::CXXFunctionalCastExprClass:
  case Stmt::CXXConstCastExprClass:
    return conversion(cast<CastExpr>(E));
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass: {
    const auto* Op = cast<BinaryOperator>(E);
    const std::string Sign = Op->getOpcodeStr().str();
    return expr(Op->getLHS()) + (Sign == "," ? "" : " ") + Sign + " " + expr(Op->getRHS());
  }
  case Stmt::UnaryOperatorClass: {
    const auto* Op = cast<UnaryOperator>(E);
    if (Op->getOpcode() == UO_Deref && isPointer(Op->getSubExpr()->getType()))
      return pointed(Op->getSubExpr());
    if (Op->getOpcode() == UO_AddrOf && isPointer(E->getType()))
      return "&" + operand(Op->getSubExpr());
    if (Op->getOpcode() == UO_Deref || Op->getOpcode() == UO_AddrOf ||
        Op->getOpcode() == UO_Extension)
      return expr(Op->getSubExpr()); // pointers and references to objects are both IDs
    const std::string Sign = UnaryOperator::getOpcodeStr(Op->getOpcode()).str();
    if (Op->isPostfix())
      return expr(Op->getSubExpr()) + Sign;
    const std::string Inner = operand(Op->getSubExpr());
    return Sign +
           (Inner.front() == Sign.front() ? "(" + Inner + ")" : Inner); // - -x must not become --x
  }
  case Stmt::ConditionalOperatorClass: {
    const auto* Choice = cast<ConditionalOperator>(E);
    return expr(Choice->getCond()) + " ? " + expr(Choice->getTrueExpr()) + " : " +
           expr(Choice->getFalseExpr());
  }
  case Stmt::LambdaExprClass:
    return lambda(cast<LambdaExpr>(E));
  case Stmt::InitListExprClass: {
    const auto* List = cast<InitListExpr>(E);
    if (isClosure(E->getType()))
      return "ikra::overloaded{" + arguments(List->inits()) + "}";
    if (E->getType()->isScalarType())
      return List->getNumInits() == 0 ? valueInitialised(E->getType()) : expr(List->getInit(0));
    llvm::SmallVector<const Expr*> Inits(List->inits());
    if (const Expr* Filler = fillerOf(List)) // a constructor, of which devices have no other
      Inits.resize(*constantSize(E->getType()), Filler);
    return braced(valueClass(E->getType()) ? typeText(E->getType().getUnqualifiedType()) : "",
                  Inits);
  }
  case Stmt::CXXParenListInitExprClass: {
    const auto* List = cast<CXXParenListInitExpr>(E);
    llvm::SmallVector<const Expr*> Inits(List->getInitExprs().begin(), List->getInitExprs().end());
    return braced(typeText(E->getType().getUnqualifiedType()), Inits);
  }
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass:
    return construct(cast<CXXConstructExpr>(E));
  case Stmt::CallExprClass:
    return call(cast<CallExpr>(E));
  case Stmt::CXXMemberCallExprClass:
    return methodCall(cast<CXXMemberCallExpr>(E));
  case Stmt::CXXOperatorCallExprClass:
    return operatorCall(cast<CXXOperatorCallExpr>(E));
  default:
    // BodyWalker refuses everything else.
    llvm_unreachable("expression that analysis should have refused");
  }
}

/// True for std::move and std::forward.
static bool isMove(const Expr* E) {
  const auto* Call = dyn_cast<CallExpr>(E->IgnoreParens());
  const FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && isInStd(Callee) && Callee->getIdentifier() && Call->getNumArgs() == 1 &&
         (Callee->getName() == "move" || Callee->getName() == "forward");
}

/// \p E as what a variable, a parameter or a result is made from: an rvalue reference is only bound
/// to what says that it may be.
std::string BodyPrinter::bound(const Expr* E) {
  const TypeKind Kind = typeOf(Context, E->getType()).Kind;
  const bool Moves =
      E->isXValue() && !isa<MaterializeTemporaryExpr>(E->IgnoreParens()) &&
      (Kind == TypeKind::Value || Kind == TypeKind::Library || E->getType()->isPointerType());
  const auto* Call = dyn_cast<CallExpr>(E->IgnoreParens());
  if (!Moves || isa<ExplicitCastExpr>(E->IgnoreParens()) || (Call && !isMove(Call)))
    return expr(E);
  return "static_cast<" + typeText(E->getType()) + "&&>(" + expr(E) + ")";
}

/// True for bit-fields of objects, whose columns hold ikra::bit_field; those of value classes are
/// what they are.
bool BodyPrinter::isBitField(const Expr* E) const {
  E = E->IgnoreParens();
  if (E->getObjectKind() != OK_BitField)
    return false;
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E))
    return isBitField(Choice->getTrueExpr()) || isBitField(Choice->getFalseExpr());
  if (const auto* Op = dyn_cast<BinaryOperator>(E))
    return isBitField(Op->getOpcode() == BO_Comma ? Op->getRHS() : Op->getLHS());
  if (const auto* Op = dyn_cast<UnaryOperator>(E))
    return isBitField(Op->getSubExpr());
  if (const auto* Cast = dyn_cast<CastExpr>(E))
    return isBitField(Cast->getSubExpr());
  const auto* Access = dyn_cast<MemberExpr>(E);
  return Access && !isValueClass(cast<CXXRecordDecl>(Access->getMemberDecl()->getDeclContext()),
                                 Context.Model.Roles);
}

/// What is read of it.
std::string BodyPrinter::bitFieldValue(const Expr* E) {
  if (!isBitField(E))
    return expr(E);
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E->IgnoreParens()))
    return "(" + expr(Choice->getCond()) + " ? " + bitFieldValue(Choice->getTrueExpr()) + " : " +
           bitFieldValue(Choice->getFalseExpr()) + ")";
  return (isa<MemberExpr, ParenExpr>(E) ? expr(E) : "(" + expr(E) + ")") + ".get()";
}

std::string BodyPrinter::conversion(const CastExpr* E) {
  if (E->getCastKind() == CK_LValueToRValue && isBitField(E->getSubExpr()))
    return bitFieldValue(E->getSubExpr());
  std::string Inner = expr(E->getSubExpr());
  // Of an ordinary value compilers know how arithmetic promotes it.
  if (const Expr* From = E->getSubExpr()->IgnoreParens();
      E->getCastKind() == CK_IntegralCast && isa<ImplicitCastExpr>(E) && isa<CastExpr>(From) &&
      isBitField(cast<CastExpr>(From)->getSubExpr()))
    return "static_cast<" + typeText(E->getType()) + ">(" + Inner + ")";
  switch (E->getCastKind()) {
  case CK_ArrayToPointerDecay:
    return "ikra::first_of(" + Inner + ")";
  case CK_PointerToBoolean:
    return "(" + Inner + " != nullptr)";
  case CK_NullToPointer:
    return "nullptr";
  case CK_ConstructorConversion:
    // A copy that is written out may be changed, and leaves what it copies as it is.
    if (const auto* Copy = dyn_cast<CXXConstructExpr>(E->getSubExpr()->IgnoreImplicit());
        Copy && Copy->getConstructor()->isCopyOrMoveConstructor() && isa<ExplicitCastExpr>(E) &&
        !isObject(Context, E->getType()) && !isClosure(E->getType()))
      return typeText(E->getType().getUnqualifiedType()) + "(" + Inner + ")";
    return Inner;
  case CK_UserDefinedConversion:
    return Inner;
  default:
    break;
  }
  if (isa<ImplicitCastExpr>(E) || isObject(Context, E->getType()) || isClosure(E->getType()))
    return Inner;
  if (isa<CXXConstCastExpr>(E))
    return "const_cast<" + typeText(cast<CXXConstCastExpr>(E)->getTypeAsWritten()) + ">(" + Inner +
           ")";
  if (E->getCastKind() == CK_NoOp && isa<CXXFunctionalCastExpr>(E) &&
      (typeOf(Context, E->getType()).Kind == TypeKind::Library || valueClass(E->getType())))
    return Inner;
  return "static_cast<" + typeText(cast<ExplicitCastExpr>(E)->getTypeAsWritten()) + ">(" + Inner +
         ")";
}

/// The value of a variable that cannot change, with its name: the variable itself may not be there
/// on the device.
std::string BodyPrinter::constant(const VarDecl* V) {
  if (isTable(V, Context.Model.Roles))
    return Context.tableName(V) + "()";
  const std::string Value = constantText(V).value_or("0") + " /* " + V->getNameAsString() + " */";
  const std::string Ty = Context.typeText(typeOf(Context, V->getType()));
  if (Ty == "int" || Ty == "float" || Ty == "double")
    return Value.front() == '-' ? "(" + Value + ")" : Value;
  return "static_cast<" + Ty + ">(" + Value + ")";
}

bool BodyPrinter::isCapture(const ValueDecl* V) const {
  const auto IsHeld = [&](const auto& Of) { return Of.Decl == V; };
  if (llvm::any_of(Within ? Within->Inner : F.Lambdas, IsHeld))
    return true;
  if (Within)
    return llvm::any_of(Within->Parts, IsHeld);
  return F.IsSection && InSection &&
         std::any_of(InSection->Captures.begin(), InSection->Captures.end(),
                     [&](const Capture& C) { return C.Decl == V; });
}

std::string BodyPrinter::captured(const std::string& Name) const {
  const bool IsPlace = F.IsSection && InSection && !Within &&
                       llvm::any_of(InSection->Captures, [&](const Capture& C) {
                         return C.Name == Name && C.Kind == CaptureKind::Place;
                       });
  return IsPlace ? "(*" + Name + ")" : Name;
}

std::string BodyPrinter::name(const DeclRefExpr* E) {
  const ValueDecl* D = E->getDecl();
  if (const auto* Constant = dyn_cast<EnumConstantDecl>(D))
    return enumerator(Constant);
  // A constant of the surrounding function need not be captured to be used.
  if (const auto* V = dyn_cast<VarDecl>(D);
      V && !isCapture(V) &&
      (!V->isLocalVarDeclOrParm() || V->isStaticLocal() || !isDeclaredIn(V, Home)))
    return constant(V);
  if (isCapture(D))
    return captured(D->getNameAsString());
  if (const auto* P = dyn_cast<ParmVarDecl>(D))
    if (const auto* Of = dyn_cast<FunctionDecl>(P->getDeclContext()))
      return parameterName(Of, P->getFunctionScopeIndex());
  return D->getNameAsString();
}

std::string BodyPrinter::member(const MemberExpr* E) {
  if (const auto* Constant = dyn_cast<EnumConstantDecl>(E->getMemberDecl()))
    return enumerator(Constant);
  if (const auto* V = dyn_cast<VarDecl>(E->getMemberDecl()))
    return constant(V);
  const auto* Field = cast<FieldDecl>(E->getMemberDecl())->getCanonicalDecl();
  if (isValueClass(cast<CXXRecordDecl>(Field->getParent()), Context.Model.Roles))
    return valueMember(E, Field);
  for (const Column& C : Context.Layout.Columns)
    for (Index Number : C.Members) {
      const Member& M = Context.Model.Members[Number];
      if (M.Decl != Field)
        continue;
      const bool Own = isSelf(F, E->getBase());
      if (Own && InSection && InSection->Own.contains(Number))
        return selfObject(E->getBase()) + "." + InSection->Own.at(Number);
      const std::string Place = World + "." + C.Ident + "[" + expr(E->getBase()) + "]";
      return C.Kind == ColumnKind::Record ? Place + "." + M.Name : Place;
    }
  llvm_unreachable("member without a column");
}

std::string BodyPrinter::construct(const CXXConstructExpr* E) {
  if (E->getType()->isConstantArrayType() && F.Calls.contains(E)) {
    const std::string Each = userCall(E, nullptr, {E->getArgs(), E->getNumArgs()});
    return "{" + llvm::join(std::vector<std::string>(countOf(E->getType()), Each), ", ") + "}";
  }
  if (isPointer(E->getType())) // an iterator
    return E->getNumArgs() > 0 ? expr(E->getArg(0)) : "nullptr";
  if (valueClass(E->getType())) {
    const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
    const CXXConstructorDecl* Constructor = E->getConstructor();
    if (F.Calls.contains(E))
      return userCall(E, nullptr, Arguments);
    if (Constructor->isCopyOrMoveConstructor() && Constructor->isTrivial())
      return expr(Arguments[0]);
    const bool Empty = Arguments.size() == 1 && isStdClass(Arguments[0]->getType(), "nullopt_t");
    return typeText(E->getType().getUnqualifiedType()) + "(" +
           (Empty ? "" : nativeArguments(Arguments)) + ")";
  }
  if (isClosure(E->getType()))
    return expr(E->getArg(0));
  if (isObject(Context, E->getType()) ||
      (E->getNumArgs() == 1 && E->getConstructor()->isCopyOrMoveConstructor()))
    return expr(E->getArg(0));
  return typeText(E->getType().getUnqualifiedType()) + "(" +
         arguments({E->getArgs(), E->getNumArgs()}) + ")";
}

//===-- calls ------------------------------------------------------------------------------===//

std::string BodyPrinter::userCall(const Expr* Site, const Expr* Receiver,
                                  llvm::ArrayRef<const Expr*> Arguments) {
  const Call& C = F.Calls.at(Site);
  // A dispatcher takes the element wherever the call has it; a function, where it did not change
  // it.
  const std::uint64_t Mask =
      C.isDirect() ? Context.Model.Functions[C.Targets.front().Function].SelfMask : C.SelfMask;
  const auto Pass = [&](const Expr* Argument, unsigned Bit) {
    return ((Mask >> Bit) & 1) ? selfObject(Argument) : bound(Argument);
  };
  std::vector<std::string> Texts;
  if (!C.isDirect() || Context.needsWorld(C.Targets.front().Function))
    Texts.push_back(this->World);
  if (Receiver) {
    // Choosing by class looks for null, and where there is no choice the program's call still does.
    const bool Looks = C.Dispatched && C.isDirect() && InSection && InSection->ChecksNull;
    const FunctionDecl* Callee = Context.Model.Functions[C.Targets.front().Function].Decl;
    const bool ByPointer = Receiver->getType()->isPointerType() && isPointer(Receiver->getType());
    std::string Object;
    if (ByPointer)
      Object = pointed(Receiver);
    else
      Object = valueClass(Receiver->getType()) ? receiver(Receiver, Callee) : Pass(Receiver, 0);
    Texts.push_back(Looks ? "ikra::not_null(" + Object + ", " + World + ".nulls)" : Object);
  }
  for (unsigned K = 0; K < Arguments.size(); ++K)
    Texts.push_back(K < 63 ? Pass(Arguments[K], K + 1) : bound(Arguments[K]));
  const std::string Name = C.isDirect() ? Context.nameOf(C.Targets.front().Function) : C.Dispatcher;
  return Name + "(" + llvm::join(Texts, ", ") + ")";
}

std::string BodyPrinter::call(const CallExpr* E) {
  const FunctionDecl* Callee = E->getDirectCallee();
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  if (F.Calls.contains(E))
    return userCall(E, nullptr, Arguments);
  if (const std::optional<std::string> Text = stdPointerFunction(E))
    return *Text;
  const llvm::StringRef Name = Callee->getIdentifier() ? Callee->getName() : "";
  if (isMove(E) || (isInStd(Callee) && Name == "as_const"))
    return expr(Arguments[0]); // a place; where an rvalue reference is bound to it, bound() says so
  if (isa<CXXMethodDecl>(Callee) && isInIkra(Callee) && Name == "rank") {
    Expr::EvalResult Value;
    E->EvaluateAsInt(Value, Context.Ast);
    return integer(Value.Val.getInt(), E->getType());
  }
  if (isInIkra(Callee))
    return "ikra::" + Name.str() + "(" + arguments(Arguments) + ")";
  if (isElementOfArray(Callee))
    return expr(Arguments[0]) + "[" +
           llvm::toString(Callee->getTemplateSpecializationArgs()->get(0).getAsIntegral(), 10) +
           "]";
  if (Name == "invoke") {
    std::vector<std::string> Texts;
    for (const Expr* Argument : Arguments.drop_front())
      Texts.push_back(bound(Argument));
    return expr(Arguments[0]) + "(" + llvm::join(Texts, ", ") + ")";
  }
  if (Name == "visit")
    return "ikra::visit(" + arguments(Arguments) + ")";
  if (Name == "apply")
    return "std::apply(" + arguments(Arguments) + ")";
  if (isLimit(Callee)) {
    const QualType Limits = Context.Ast.getRecordType(cast<CXXMethodDecl>(Callee)->getParent());
    return hostSpelling(Limits, Context.Ast) + "::" + Name.str() + "()";
  }
  if (isKnownValueFunction(Name))
    return nativeCall(E);
  return "std::" + Name.str() + "(" + nativeArguments(Arguments) + ")";
}

std::string BodyPrinter::methodCall(const CXXMemberCallExpr* E) {
  const CXXMethodDecl* Callee = E->getMethodDecl();
  const Expr* Object = E->getImplicitObjectArgument();
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  if (F.Calls.contains(E))
    return userCall(E, Callee->isStatic() ? nullptr : Object, Arguments);
  if (isObject(Context, objectType(Object))) // smart pointers: get() and the test for null
    return isa<CXXConversionDecl>(Callee) ? "(" + expr(Object) + " != nullptr)" : expr(Object);
  std::string Name = Callee->getNameAsString();
  if (rankOfArray(objectType(Object)) == 1 && Name == "shape")
    return "ikra::index<1>(" + expr(Object) + ".size())";
  if (const TypeKind Kind = typeOf(Context, objectType(Object)).Kind;
      Name == "at" && isInStd(Callee) &&
      (Kind == TypeKind::ValueList || Kind == TypeKind::ObjectList || Kind == TypeKind::Value))
    return "ikra::at(" + expr(Object) + ", " + converted(Arguments[0]) + ", " + World + ".nulls)";
  if (isInStd(Callee) && givesIterator(Name) && isPointer(E->getType()))
    return iteratorOf(Name, Object);
  if (Name == "value" && isStdClass(objectType(Object), "optional"))
    return "ikra::value(" + expr(Object) + ", " + World + ".nulls)";
  if (cast<MemberExpr>(E->getCallee()->IgnoreParens())->hasExplicitTemplateArgs()) {
    std::vector<std::string> Types;
    for (const TemplateArgument& Argument : Callee->getTemplateSpecializationArgs()->asArray())
      if (Argument.getKind() == TemplateArgument::Type)
        Types.push_back(typeText(Argument.getAsType()));
      else if (Argument.getKind() == TemplateArgument::Integral)
        Types.push_back(llvm::toString(Argument.getAsIntegral(), 10));
    Name = "template " + Name + "<" + llvm::join(Types, ", ") + ">";
  }
  const bool ByPointer = Object->getType()->isPointerType() && isPointer(Object->getType());
  return (ByPointer ? memberOfPointed(Object) : expr(Object) + ".") + Name + "(" +
         (ByPointer || valueClass(Object->getType()) ? nativeArguments(Arguments)
                                                     : arguments(Arguments)) +
         ")";
}

std::string BodyPrinter::windowRead(const CXXOperatorCallExpr* E) {
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  const bool Subscript = E->getOperator() == OO_Subscript;
  const std::string Read = expr(All[0]) + (Subscript ? "[" : "(") + arguments(All.drop_front()) +
                           (Subscript ? "]" : ")");
  // Kernels know enumerations as numbers.
  return E->getType()->isEnumeralType()
             ? "static_cast<" + typeText(E->getType().getUnqualifiedType()) + ">(" + Read + ")"
             : Read;
}

std::string BodyPrinter::operatorCall(const CXXOperatorCallExpr* E) {
  const auto* Callee = cast<FunctionDecl>(E->getCalleeDecl());
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  if (F.Calls.contains(E)) {
    const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
    const bool HasReceiver = Method && Method->isInstance();
    const bool IsObject =
        HasReceiver && !Method->getParent()->isLambda() && !isExtremum(Method->getParent());
    return userCall(E, IsObject ? All[0] : nullptr, HasReceiver ? All.drop_front() : All);
  }
  if (isWindow(objectType(All[0])))
    return windowRead(E);
  if (isInStd(Callee) && llvm::any_of(All, [&](const Expr* Side) {
        return Side->getType()->isRecordType() && isPointer(Side->getType());
      }))
    return pointerOperator(E);
  if (isClosure(All[0]->getType())) {
    std::vector<std::string> Texts;
    for (const Expr* Argument : All.drop_front())
      Texts.push_back(bound(Argument));
    return expr(All[0]) + "(" + llvm::join(Texts, ", ") + ")";
  }
  if (E->getOperator() == OO_Equal && isStdClass(All[0]->getType(), "variant"))
    return operand(All[0]) + " = " + typeText(All[0]->getType().getUnqualifiedType()) + "(" +
           converted(All[1]) + ")";
  if (isStdClass(All[0]->getType(), "optional"))
    if (const std::optional<std::string> Text = ofOptional(E->getOperator(), All))
      return *Text;
  // In rank 1 an ikra::array is a list, which has no places.
  if (rankOfArray(All[0]->getType()) == 1 &&
      (E->getOperator() == OO_Call || isIndex(All[1]->getType())))
    return expr(All[0]) + "[" +
           (E->getOperator() == OO_Call ? expr(All[1]) : operand(All[1]) + "[0]") + "]";
  switch (E->getOperator()) {
  case OO_Subscript:
    return expr(All[0]) + "[" + expr(All[1]) + "]";
  case OO_Call:
    return expr(All[0]) + "(" + arguments(All.drop_front()) + ")";
  case OO_Arrow:
    return expr(All[0]);
  case OO_Star:
    if (All.size() == 1)
      return expr(All[0]);
    break;
  default:
    break;
  }
  const std::string Sign = getOperatorSpelling(E->getOperator());
  if (All.size() == 1)
    return Sign + operand(All[0]);
  if (isZeroOfOrder(All[1]->getType()))
    return operand(All[0]) + " " + Sign + " 0";
  return operand(All[0]) + " " + Sign + " " + operand(All[1]);
}

} // namespace ikra
