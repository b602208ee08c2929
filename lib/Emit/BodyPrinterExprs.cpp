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
#include "llvm/ADT/StringSwitch.h"
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
  const bool IsOperand = llvm::StringRef(Text).contains('_'); // of a literal operator: 5_km
  if (!Text.empty() && !IsOperand &&
      (llvm::isDigit(Text.front()) || Text.front() == '.' || IsCharacter))
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
      Texts.push_back(argument(Argument));
  return llvm::join(Texts, ", ");
}

/// \p Argument as the parameter's type: a function of the standard library has overloads, of which
/// the argument's own type could choose another than the program did.
std::string BodyPrinter::converted(const Expr* Argument) {
  const QualType From = Argument->IgnoreParenImpCasts()->getType().getCanonicalType();
  const QualType To = Argument->getType().getCanonicalType();
  std::string Text = argument(Argument);
  if (Context.Ast.hasSameUnqualifiedType(From, To) || !To->isArithmeticType())
    return Text;
  return "static_cast<" + typeText(To.getUnqualifiedType()) + ">(" + Text + ")";
}

/// An integer of type \p Ty.
std::string BodyPrinter::integer(const llvm::APSInt& Value, QualType Ty) const {
  const std::string Text = integerText(Value), Type = typeText(Ty.getUnqualifiedType());
  if (Type != "int")
    return "static_cast<" + Type + ">(" + Text + ")";
  return Text.front() == '-' ? "(" + Text + ")" : Text;
}

std::string BodyPrinter::evaluated(const Expr* E) {
  Expr::EvalResult Value;
  // Whatever stands before `.rank()` is not looked at.
  if (!E->EvaluateAsInt(Value, Context.Ast, Expr::SE_AllowSideEffects))
    return Context.unknown(E->getExprLoc(), "a constant that cannot be evaluated");
  return integer(Value.Val.getInt(), E->getType());
}

/// T(), where T may be written in several words.
std::string BodyPrinter::valueInitialised(QualType Ty) const {
  const std::string Text = typeText(Ty.getUnqualifiedType());
  return Ty->isArithmeticType() ? "static_cast<" + Text + ">(0)" : Text + "()";
}

/// Of a built-in operator, or of an overloaded one that is printed as an operator.
static Precedence precedenceOf(llvm::StringRef Sign) {
  return llvm::StringSwitch<Precedence>(Sign)
      .Case(",", Precedence::Comma)
      .Case("||", Precedence::LogicalOr)
      .Case("&&", Precedence::LogicalAnd)
      .Case("|", Precedence::BitOr)
      .Case("^", Precedence::BitXor)
      .Case("&", Precedence::BitAnd)
      .Cases("==", "!=", Precedence::Equality)
      .Cases("<", ">", "<=", ">=", Precedence::Relation)
      .Case("<=>", Precedence::Spaceship)
      .Cases("<<", ">>", Precedence::Shift)
      .Cases("+", "-", Precedence::Sum)
      .Cases("*", "/", "%", Precedence::Product)
      .Default(Precedence::Assignment);
}

static Precedence tighter(Precedence P) { return static_cast<Precedence>(static_cast<int>(P) + 1); }

Code BodyPrinter::binary(const BinaryOperator* E) {
  const std::string Sign = E->getOpcodeStr().str();
  const Precedence Own = precedenceOf(Sign);
  // Assignments group from the right, and what they assign to has no looser operator.
  const bool Assigns = E->isAssignmentOp();
  const std::string Left = operand(E->getLHS(), Assigns ? tighter(Own) : Own);
  const std::string Right = operand(E->getRHS(), Assigns ? Own : tighter(Own));
  return {Left + (Sign == "," ? "" : " ") + Sign + " " + Right, Own};
}

Code BodyPrinter::choice(const ConditionalOperator* E) {
  return {operand(E->getCond(), Precedence::LogicalOr) + " ? " + expr(E->getTrueExpr()) + " : " +
              operand(E->getFalseExpr(), Precedence::Assignment),
          Precedence::Assignment};
}

/// A sign in front of an operand; - -x must not become --x.
Code BodyPrinter::prefixed(const std::string& Sign, const Expr* Operand) {
  const std::string Inner = operand(Operand);
  return {Sign + (Inner.front() == Sign.front() ? "(" + Inner + ")" : Inner), Precedence::Unary};
}

/// What stands in braces, but for what is left to the class.
static llvm::ArrayRef<const Expr*> writtenIn(llvm::ArrayRef<Expr*> Inits, QualType Made) {
  const bool IsClass = Made->isRecordType() && !isClosure(Made);
  return Inits.take_front(IsClass ? writtenInits(Inits).value_or(Inits.size()) : Inits.size());
}

Code BodyPrinter::code(const Expr* E) {
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
  case Stmt::SizeOfPackExprClass:
    return evaluated(E);
  case Stmt::CXXNoexceptExprClass:
    return cast<CXXNoexceptExpr>(E)->getValue() ? "true" : "false";
  case Stmt::CXXThisExprClass: // objects are known by their IDs
    return isPointer(E->getType()) ? Code("&" + thisObject(), Precedence::Unary) : thisObject();
  case Stmt::ParenExprClass: {
    const Expr* Sub = cast<ParenExpr>(E)->getSubExpr();
    // (*a).b has become an index, where a leads to an object.
    const auto* Op = dyn_cast<UnaryOperator>(Sub);
    const bool IsDereference =
        Op && Op->getOpcode() == UO_Deref && !isPointer(Op->getSubExpr()->getType());
    return IsDereference ? code(Sub) : "(" + expr(Sub) + ")";
  }
  case Stmt::ConstantExprClass:
  case Stmt::ExprWithCleanupsClass:
    return code(cast<FullExpr>(E)->getSubExpr());
  case Stmt::MaterializeTemporaryExprClass:
    return temporary(cast<MaterializeTemporaryExpr>(E));
  case Stmt::CXXBindTemporaryExprClass:
    return code(cast<CXXBindTemporaryExpr>(E)->getSubExpr());
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
    return code(cast<CXXDefaultInitExpr>(E)->getExpr());
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
    return operand(Base, Precedence::Postfix) + "[" + expr(Subscript->getIdx()) + "]";
  }
  case Stmt::ImplicitCastExprClass:
  case Stmt::CStyleCastExprClass:
  case Stmt::CXXStaticCastExprClass:
  case Stmt::CXXFunctionalCastExprClass:
  case Stmt::CXXConstCastExprClass:
    return conversion(cast<CastExpr>(E));
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass:
    return binary(cast<BinaryOperator>(E));
  case Stmt::UnaryOperatorClass: {
    const auto* Op = cast<UnaryOperator>(E);
    if (Op->getOpcode() == UO_Deref && isPointer(Op->getSubExpr()->getType()))
      return pointed(Op->getSubExpr());
    if (Op->getOpcode() == UO_AddrOf && isPointer(E->getType()))
      return prefixed("&", Op->getSubExpr());
    if (Op->getOpcode() == UO_Deref || Op->getOpcode() == UO_AddrOf ||
        Op->getOpcode() == UO_Extension)
      return code(Op->getSubExpr()); // pointers and references to objects are both IDs
    const std::string Sign = UnaryOperator::getOpcodeStr(Op->getOpcode()).str();
    if (Op->isPostfix())
      return operand(Op->getSubExpr(), Precedence::Postfix) + Sign;
    return prefixed(Sign, Op->getSubExpr());
  }
  case Stmt::ConditionalOperatorClass:
    return choice(cast<ConditionalOperator>(E));
  case Stmt::LambdaExprClass:
    return lambda(cast<LambdaExpr>(E));
  case Stmt::InitListExprClass: {
    const auto* List = cast<InitListExpr>(E);
    if (isClosure(E->getType()))
      return "ikra::overloaded{" + arguments(List->inits()) + "}";
    if (E->getType()->isScalarType() && List->getNumInits() == 0)
      return valueInitialised(E->getType());
    if (E->getType()->isScalarType()) {
      const Expr* Value = List->getInit(0);
      // Braces alone turn an integer into an enumeration.
      if (E->getType()->isEnumeralType() &&
          !Value->IgnoreParenImpCasts()->getType()->isEnumeralType())
        return "static_cast<" + typeText(E->getType().getUnqualifiedType()) + ">(" + expr(Value) +
               ")";
      return code(Value);
    }
    llvm::SmallVector<const Expr*> Inits(List->inits());
    if (const Expr* Filler = fillerOf(List)) // a constructor, of which devices have no other
      Inits.resize(*constantSize(E->getType()), Filler);
    return braced(valueClass(E->getType()) ? typeText(E->getType().getUnqualifiedType()) : "",
                  fillerOf(List) ? llvm::ArrayRef<const Expr*>(Inits)
                                 : writtenIn(List->inits(), E->getType()));
  }
  case Stmt::CXXParenListInitExprClass: {
    const auto* List = cast<CXXParenListInitExpr>(E);
    return braced(typeText(E->getType().getUnqualifiedType()),
                  writtenIn(List->getInitExprs(), E->getType()));
  }
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass:
    return construct(cast<CXXConstructExpr>(E));
  case Stmt::CXXInheritedCtorInitExprClass:
    return inheritedCall(cast<CXXInheritedCtorInitExpr>(E));
  case Stmt::ArrayInitLoopExprClass:
    return expr(cast<ArrayInitLoopExpr>(E)->getCommonExpr()->getSourceExpr());
  case Stmt::UserDefinedLiteralClass:
  case Stmt::CallExprClass:
    return call(cast<CallExpr>(E));
  case Stmt::CXXMemberCallExprClass:
    return methodCall(cast<CXXMemberCallExpr>(E));
  case Stmt::CXXOperatorCallExprClass:
    return operatorCall(cast<CXXOperatorCallExpr>(E));
  default:
    return Context.unknown(E->getExprLoc(), E->getStmtClassName());
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
    return argument(E);
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
Code BodyPrinter::bitFieldValue(const Expr* E) {
  if (!isBitField(E))
    return code(E);
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E->IgnoreParens()))
    return {operand(Choice->getCond(), Precedence::LogicalOr) + " ? " +
                bitFieldValue(Choice->getTrueExpr()).Text + " : " +
                bitFieldValue(Choice->getFalseExpr()).at(Precedence::Assignment),
            Precedence::Assignment};
  return operand(E, Precedence::Postfix) + ".get()";
}

/// True for a standard conversion of what a user-defined one gives. In print that is a call, and
/// C++ chooses otherwise for a number than for a class: as an operand of ?:, or an index.
static bool followsUserConversion(const CastExpr* E) {
  const auto* From = dyn_cast<ImplicitCastExpr>(E->getSubExpr()->IgnoreParens());
  return isa<ImplicitCastExpr>(E) && From && E->getType()->isArithmeticType() &&
         From->getType()->isArithmeticType() && E->getCastKind() != CK_NoOp &&
         (From->getCastKind() == CK_UserDefinedConversion || followsUserConversion(From));
}

Code BodyPrinter::conversion(const CastExpr* E) {
  if (E->getCastKind() == CK_LValueToRValue && isBitField(E->getSubExpr()))
    return bitFieldValue(E->getSubExpr());
  const Code Made = code(E->getSubExpr());
  const std::string& Inner = Made.Text;
  if (followsUserConversion(E))
    return "static_cast<" + typeText(E->getType().getUnqualifiedType()) + ">(" + Inner + ")";
  // Of an ordinary value compilers know how arithmetic promotes it.
  if (const Expr* From = E->getSubExpr()->IgnoreParens();
      E->getCastKind() == CK_IntegralCast && isa<ImplicitCastExpr>(E) && isa<CastExpr>(From) &&
      isBitField(cast<CastExpr>(From)->getSubExpr()))
    return "static_cast<" + typeText(E->getType()) + ">(" + Inner + ")";
  switch (E->getCastKind()) {
  case CK_ArrayToPointerDecay:
    return "ikra::first_of(" + Inner + ")";
  case CK_PointerToBoolean:
    return "(" + Made.at(Precedence::Relation) + " != nullptr)";
  case CK_NullToPointer:
    return "nullptr";
  case CK_ConstructorConversion:
    // A copy that is written out may be changed, and leaves what it copies as it is.
    if (const auto* Copy = dyn_cast<CXXConstructExpr>(E->getSubExpr()->IgnoreImplicit());
        Copy && Copy->getConstructor()->isCopyOrMoveConstructor() && isa<ExplicitCastExpr>(E) &&
        !isObject(Context, E->getType()) && !isClosure(E->getType()))
      return typeText(E->getType().getUnqualifiedType()) + "(" + Inner + ")";
    return Made;
  case CK_UserDefinedConversion:
    return Made;
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
    if (isa<ImplicitCastExpr>(E) && !isObject(Context, E->getType()))
      return asHiddenBase(E, Made, E->getType()->isPointerType() ? "*" : "&");
    break;
  default:
    break;
  }
  if (isa<ImplicitCastExpr>(E) || isObject(Context, E->getType()) || isClosure(E->getType()))
    return Made;
  if (isa<CXXConstCastExpr>(E))
    return "const_cast<" + typeText(cast<CXXConstCastExpr>(E)->getTypeAsWritten()) + ">(" + Inner +
           ")";
  if (E->getCastKind() == CK_NoOp && isa<CXXFunctionalCastExpr>(E) &&
      (typeOf(Context, E->getType()).Kind == TypeKind::Library || valueClass(E->getType())))
    return Made;
  return "static_cast<" + typeText(cast<ExplicitCastExpr>(E)->getTypeAsWritten()) + ">(" + Inner +
         ")";
}

/// The value of a variable that cannot change, with its name: the variable itself may not be there
/// on the device.
std::string BodyPrinter::constant(const VarDecl* V) {
  if (isTable(V, Context.Model.Roles))
    return Context.tableName(V) + "()";
  const std::optional<std::string> Known = constantText(V);
  if (!Known)
    return Context.unknown(V->getLocation(), "the variable " + V->getNameAsString());
  const std::string Value = *Known + " /* " + V->getNameAsString() + " */";
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
  return isCapture(D) ? captured(variableName(D)) : variableName(D);
}

std::string BodyPrinter::variableName(const ValueDecl* V) const {
  if (isCapture(V) && Within) {
    for (const CapturedLambda::Part& Part : Within->Parts)
      if (Part.Decl == V)
        return Part.Name;
  } else if (isCapture(V) && InSection) {
    for (const Capture& C : InSection->Captures)
      if (C.Decl == V)
        return C.Name;
  }
  if (const auto* P = dyn_cast<ParmVarDecl>(V); P && !isCapture(V))
    if (const auto* Of = dyn_cast<FunctionDecl>(P->getDeclContext()))
      return parameterName(Of, P->getFunctionScopeIndex());
  return V->getNameAsString();
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
  return Context.unknown(E->getMemberLoc(), "a member without a column");
}

Code BodyPrinter::construct(const CXXConstructExpr* E) {
  if (E->getType()->isConstantArrayType() && F.Calls.contains(E)) {
    const std::string Each = userCall(E, nullptr, {E->getArgs(), E->getNumArgs()});
    return "{" + llvm::join(std::vector<std::string>(countOf(E->getType()), Each), ", ") + "}";
  }
  if (isPointer(E->getType())) // an iterator
    return E->getNumArgs() > 0 ? code(E->getArg(0)) : "nullptr";
  if (valueClass(E->getType())) {
    const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
    const CXXConstructorDecl* Constructor = E->getConstructor();
    if (F.Calls.contains(E))
      return userCall(E, nullptr, Arguments);
    if (Constructor->isCopyOrMoveConstructor() && Constructor->isTrivial())
      return code(Arguments[0]);
    const bool Empty = Arguments.size() == 1 && isStdClass(Arguments[0]->getType(), "nullopt_t");
    return made(E, Empty ? "" : nativeArguments(Arguments));
  }
  if (isClosure(E->getType()) || isObject(Context, E->getType()) ||
      (E->getNumArgs() == 1 && E->getConstructor()->isCopyOrMoveConstructor()))
    return code(E->getArg(0));
  return made(E, arguments({E->getArgs(), E->getNumArgs()}));
}

//===-- calls ------------------------------------------------------------------------------===//

std::string BodyPrinter::userCall(const Expr* Site, const Expr* Receiver,
                                  llvm::ArrayRef<const Expr*> Arguments) {
  const Call& C = F.Calls.at(Site);
  // A dispatcher takes the element wherever the call has it; a function, where it did not change
  // it.
  const std::uint64_t Mask =
      C.isDirect() ? Context.Model.Functions[C.Targets.front().Function].SelfMask : C.SelfMask;
  const FunctionDecl* Callee = Context.Model.Functions[C.Targets.front().Function].Decl;
  std::vector<Operand> Operands;
  const auto Pass = [&](const Expr* Argument, unsigned Bit) {
    const bool IsSelf = Bit <= 63 && ((Mask >> Bit) & 1);
    Operands.push_back({Argument, IsSelf ? selfObject(Argument) : bound(Argument), IsSelf});
  };
  if (Receiver) {
    const bool ByPointer = Receiver->getType()->isPointerType() && isPointer(Receiver->getType());
    if (ByPointer)
      Operands.push_back({Receiver, pointed(Receiver).at(Precedence::Assignment)});
    else if (valueClass(Receiver->getType()))
      Operands.push_back({Receiver, receiver(Receiver, Callee)});
    else
      Pass(Receiver, 0);
    // Choosing by class looks for null, and where there is no choice the program's call still does.
    if (C.Dispatched && C.isDirect() && InSection && InSection->ChecksNull)
      Operands.back().Text = "ikra::not_null(" + Operands.back().Text + ", " + World + ".nulls)";
  }
  for (unsigned K = 0; K < Arguments.size(); ++K)
    Pass(Arguments[K], K + 1);
  const std::string Name = C.isDirect() ? Context.nameOf(C.Targets.front().Function) : C.Dispatcher;
  const bool TakesWorld = !C.isDirect() || Context.needsWorld(C.Targets.front().Function);
  return inOrder(orderOf(Site), Operands, Site->isGLValue(), [&](std::vector<std::string> Texts) {
    if (TakesWorld)
      Texts.insert(Texts.begin(), World);
    return Name + "(" + llvm::join(Texts, ", ") + ")";
  });
}

Code BodyPrinter::call(const CallExpr* E) {
  const FunctionDecl* Callee = E->getDirectCallee();
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  if (F.Calls.contains(E))
    return userCall(E, nullptr, Arguments);
  if (const std::optional<std::string> Text = constantCallText(E, Context.Ast))
    return "static_cast<" + typeText(E->getType().getUnqualifiedType()) + ">(" + *Text + ")";
  if (const std::optional<std::string> Text = stdPointerFunction(E))
    return *Text;
  const llvm::StringRef Name = Callee->getIdentifier() ? Callee->getName() : "";
  if (isMove(E) || (isInStd(Callee) && Name == "as_const"))
    return code(Arguments[0]); // a place; where an rvalue reference is bound to it, bound() says so
  if (isa<CXXMethodDecl>(Callee) && isInIkra(Callee) && Name == "rank")
    return evaluated(E);
  if (isInIkra(Callee))
    return "ikra::" + Name.str() + "(" + arguments(Arguments) + ")";
  if (isElementOfArray(Callee))
    return operand(Arguments[0], Precedence::Postfix) + "[" +
           llvm::toString(Callee->getTemplateSpecializationArgs()->get(0).getAsIntegral(), 10) +
           "]";
  if (Name == "invoke") {
    std::vector<std::string> Texts;
    for (const Expr* Argument : Arguments.drop_front())
      Texts.push_back(bound(Argument));
    return operand(Arguments[0], Precedence::Postfix) + "(" + llvm::join(Texts, ", ") + ")";
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

Code BodyPrinter::methodCall(const CXXMemberCallExpr* E) {
  const CXXMethodDecl* Callee = E->getMethodDecl();
  const Expr* Object = E->getImplicitObjectArgument();
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  if (F.Calls.contains(E))
    return userCall(E, Callee->isStatic() || Callee->getParent()->isLambda() ? nullptr : Object,
                    Arguments);
  if (isClosure(objectType(Object)))
    return closureCall(E, Object, Arguments);
  if (isObject(Context, objectType(Object))) // smart pointers: get() and the test for null
    return isa<CXXConversionDecl>(Callee)
               ? "(" + operand(Object, Precedence::Relation) + " != nullptr)"
               : code(Object);
  std::string Name = Callee->getNameAsString();
  if (rankOfArray(objectType(Object)) == 1 && Name == "shape")
    return "ikra::index<1>(" + operand(Object, Precedence::Postfix) + ".size())";
  if (const TypeKind Kind = typeOf(Context, objectType(Object)).Kind;
      Name == "at" && isInStd(Callee) &&
      (Kind == TypeKind::ValueList || Kind == TypeKind::ObjectList || Kind == TypeKind::Value))
    return inOrder(Order::FirstBefore,
                   {{Object, argument(Object)}, {Arguments[0], converted(Arguments[0])}}, true,
                   [&](const std::vector<std::string>& Texts) {
                     return "ikra::at(" + llvm::join(Texts, ", ") + ", " + World + ".nulls)";
                   });
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
  return (ByPointer ? memberOfPointed(Object) : operand(Object, Precedence::Postfix) + ".") + Name +
         "(" +
         (ByPointer || valueClass(Object->getType()) ? nativeArguments(Arguments)
                                                     : arguments(Arguments)) +
         ")";
}

std::string BodyPrinter::windowRead(const CXXOperatorCallExpr* E) {
  const llvm::ArrayRef<const Expr*> All(E->getArgs(), E->getNumArgs());
  const bool Subscript = E->getOperator() == OO_Subscript;
  const std::string Read = operand(All[0], Precedence::Postfix) + (Subscript ? "[" : "(") +
                           arguments(All.drop_front()) + (Subscript ? "]" : ")");
  // Kernels know enumerations as numbers, and char8_t.
  return E->getType()->isEnumeralType() || E->getType()->isChar8Type()
             ? "static_cast<" + typeText(E->getType().getUnqualifiedType()) + ">(" + Read + ")"
             : Read;
}

Code BodyPrinter::operatorCall(const CXXOperatorCallExpr* E) {
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
  if (isClosure(All[0]->getType()))
    return closureCall(E, All[0], All.drop_front());
  if (E->getOperator() == OO_Equal && isStdClass(All[0]->getType(), "variant"))
    return {operand(All[0]) + " = " + typeText(All[0]->getType().getUnqualifiedType()) + "(" +
                converted(All[1]) + ")",
            Precedence::Assignment};
  if (isStdClass(All[0]->getType(), "optional"))
    if (const std::optional<Code> Text = ofOptional(E->getOperator(), All))
      return *Text;
  // In rank 1 an ikra::array is a list, which has no places.
  if (rankOfArray(All[0]->getType()) == 1 &&
      (E->getOperator() == OO_Call || isIndex(All[1]->getType())))
    return operand(All[0], Precedence::Postfix) + "[" +
           (E->getOperator() == OO_Call ? expr(All[1])
                                        : operand(All[1], Precedence::Postfix) + "[0]") +
           "]";
  switch (E->getOperator()) {
  case OO_Subscript:
    return operand(All[0], Precedence::Postfix) + "[" + expr(All[1]) + "]";
  case OO_Call:
    return operand(All[0], Precedence::Postfix) + "(" + arguments(All.drop_front()) + ")";
  case OO_Arrow:
    return code(All[0]);
  case OO_Star:
    if (All.size() == 1)
      return code(All[0]);
    break;
  default:
    break;
  }
  const std::string Sign = getOperatorSpelling(E->getOperator());
  if (All.size() == 1)
    return prefixed(Sign, All[0]);
  const Precedence Own = precedenceOf(Sign);
  if (isZeroOfOrder(All[1]->getType()))
    return {operand(All[0]) + " " + Sign + " 0", Own};
  return {operand(All[0]) + " " + Sign + " " + operand(All[1]), Own};
}

} // namespace ikra
