// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of bodies: literals, names, operators, conversions and members.

#include "BodyBuilder.h"

#include "UseChecks.h"

#include "Analysis/Ast/CompilerFunctions.h"
#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/NativeFunctions.h"
#include "Analysis/Reach/ModelBuilder.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace ikra {

body::ExprRef BodyBuilder::node(const Expr* E, body::Expr::Node Node) {
  if (Checks)
    Node = Checks->around(E, std::move(Node));
  return body::expr(std::move(Node), typeOf(E->getType()), E->getExprLoc());
}

body::ExprRef BodyBuilder::node(body::Expr::Node Node) { return body::expr(std::move(Node)); }

body::ExprRef BodyBuilder::unknown(SourceLocation At, llvm::StringRef What) {
  Diags.report(At, Diag::no_device_form) << What;
  return node(body::Literal{"unknown"});
}

static body::Latency latencyOf(const BinaryOperator* E, const ASTContext& Context) {
  const BinaryOperatorKind Op = E->isCompoundAssignmentOp()
                                    ? BinaryOperator::getOpForCompoundAssignment(E->getOpcode())
                                    : E->getOpcode();
  if (Op != BO_Div && Op != BO_Rem)
    return body::Latency::Short;
  const std::optional<llvm::APSInt> By = constantInteger(E->getRHS(), Context);
  if (!By)
    return body::Latency::Long;
  return By->abs().isPowerOf2() ? body::Latency::Short : body::Latency::OfDivisionByConstant;
}

//===-- constants --------------------------------------------------------------------------===//

body::ExprRef BodyBuilder::literal(const Expr* E) {
  const SourceManager& SM = Ast.getSourceManager();
  const SourceLocation At = SM.getSpellingLoc(E->getExprLoc());
  std::string Text =
      Lexer::getSourceText(CharSourceRange::getTokenRange(At), SM, Ast.getLangOpts()).str();
  const bool IsCharacter = isa<CharacterLiteral>(E) && llvm::StringRef(Text).ends_with("'");
  const bool IsOperand = llvm::StringRef(Text).contains('_'); // of a literal operator: 5_km
  if (!Text.empty() && !IsOperand &&
      (llvm::isDigit(Text.front()) || Text.front() == '.' || IsCharacter))
    return node(E, body::Literal{std::move(Text)});
  std::string Printed;
  llvm::raw_string_ostream OS(Printed);
  E->printPretty(OS, nullptr, spellingPolicy(Ast));
  return node(E, body::Literal{std::move(Printed)});
}

body::ExprRef BodyBuilder::staticCast(const Expr* E, TypeRef To, ExprRef Of) {
  return node(E, body::Cast{body::Cast::Static, std::move(To), std::move(Of)});
}

body::ExprRef BodyBuilder::enumerator(const Expr* E, const EnumConstantDecl* D) {
  const auto* Enum = cast<EnumDecl>(D->getDeclContext());
  const TypeRef Ty = typeOf(Ast.getEnumType(Enum));
  const bool HasName = !Enum->getParentFunctionOrMethod() && Enum->getIdentifier();
  auto Node = HasName ? body::Expr::Node(body::Enumerator{D->getNameAsString()})
                      : body::Expr::Node(body::Constant{llvm::toString(D->getInitVal(), 10), ""});
  return body::expr(std::move(Node), Ty, E->getExprLoc());
}

body::ExprRef BodyBuilder::integer(const Expr* E, const llvm::APSInt& Value) {
  return node(E, body::Constant{integerText(Value), ""});
}

body::ExprRef BodyBuilder::evaluated(const Expr* E) {
  Expr::EvalResult Value;
  // Whatever stands before `.rank()` is not looked at.
  if (!E->EvaluateAsInt(Value, Ast, Expr::SE_AllowSideEffects))
    return unknown(E->getExprLoc(), "a constant that cannot be evaluated");
  return integer(E, Value.Val.getInt());
}

/// T(), where T may be written in several words.
body::ExprRef BodyBuilder::valueInitialised(const Expr* E) {
  if (E->getType()->isArithmeticType())
    return staticCast(E, plainType(E->getType()), node(E, body::Literal{"0"}));
  return node(E, body::Make{plainType(E->getType()), {}, false});
}

Index BodyBuilder::tableOf(const VarDecl* V) {
  V = V->getCanonicalDecl();
  unsigned Same = 0;
  const std::string Wanted = identOf(V->getQualifiedNameAsString()) + "_table";
  for (Index K = 0; K < Model.Tables.size(); ++K) {
    if (Model.Tables[K].Decl == V)
      return K;
    Same += llvm::StringRef(Model.Tables[K].Ident).starts_with(Wanted);
  }
  ConstantTable New;
  New.Ident = Wanted + (Same ? "_" + std::to_string(Same + 1) : "");
  New.Decl = V;
  New.Value = constantValue(V, [&](QualType Ty) { return typeOf(Ty); });
  QualType Element = V->getType().getUnqualifiedType();
  while (const auto* Array = Ast.getAsConstantArrayType(Element)) {
    New.Extents.push_back(Array->getSize().getZExtValue());
    Element = Array->getElementType();
  }
  New.Element = plainType(Element);
  Model.Tables.push_back(std::move(New));
  return Model.Tables.size() - 1;
}

body::ExprRef BodyBuilder::constant(const Expr* E, const VarDecl* V) {
  if (isTable(V, Model.Roles))
    return node(E, body::Table{tableOf(V)});
  if (isPlaceTag(V->getType()))
    return node(E, body::Make{plainType(V->getType().getUnqualifiedType()), {}, true});
  if (isStdClass(V->getType(), "nullopt_t"))
    return libraryCall(E, "ikra::no_value", {});
  if (const std::optional<std::string> Order = orderingText(V))
    return staticCast(E, plainType(V->getType()), node(E, body::Literal{*Order}));
  const std::optional<std::string> Known = constantText(V);
  for (Index G = 0; !Known && G < Model.Globals.size(); ++G)
    if (Model.Globals[G].Decl == V->getCanonicalDecl())
      return node(E, body::Global{G});
  if (!Known)
    return unknown(V->getLocation(), "the variable " + V->getNameAsString());
  return body::expr(body::Constant{*Known, V->getNameAsString()}, typeOf(V->getType()),
                    E->getExprLoc());
}

//===-- names ------------------------------------------------------------------------------===//

body::ExprRef BodyBuilder::element(const Expr* E, bool AsId) {
  const Expr* Of = E->IgnoreParenCasts();
  while (true) {
    const auto* Op = dyn_cast<UnaryOperator>(Of);
    const ValueDecl* Named = declNamed(Of);
    const Expr* Aliased = Named ? aliasedBy(F.Decl, Named) : nullptr;
    if (!Op && !Aliased)
      break;
    Of = (Op ? Op->getSubExpr() : Aliased)->IgnoreParenCasts();
  }
  std::string Ident = Self;
  if (const ValueDecl* Named = declNamed(Of)) {
    const auto* P = cast<ParmVarDecl>(Named);
    Ident = parameterName(F.Decl, P->getFunctionScopeIndex());
  }
  return node(E, body::Element{std::move(Ident), AsId});
}

bool BodyBuilder::isCapturedLambda(const ValueDecl* V) const {
  return llvm::any_of(Within ? Within->Inner : F.Lambdas,
                      [V](const CapturedLambda& Of) { return Of.Decl == V; });
}

bool BodyBuilder::isCapture(const ValueDecl* V) const {
  const auto IsHeld = [&](const auto& Of) { return Of.Decl == V; };
  if (isCapturedLambda(V))
    return true;
  if (Within)
    return llvm::any_of(Within->Parts, IsHeld);
  return F.IsSection && OfSection && llvm::any_of(OfSection->Code.Captures, IsHeld);
}

body::ExprRef BodyBuilder::captured(const Expr* E, const std::string& Name) const {
  auto Node = F.IsSection && OfSection && !Within ? body::Expr::Node(body::Captured{Name})
                                                  : body::Expr::Node(body::Name{Name});
  return body::expr(std::move(Node), E ? Types.of(E->getType()) : nullptr,
                    E ? E->getExprLoc() : SourceLocation());
}

/// One for each: names of bindings may hide those of bindings around them, which stay in use.
std::string BodyBuilder::nameOf(const DecompositionDecl& Bindings) const {
  const auto [Entry, IsNew] = BindingNames.emplace(&Bindings, "");
  if (IsNew) {
    std::string Name = unusedName("of_" + Bindings.bindings().front()->getNameAsString());
    while (llvm::any_of(BindingNames, [&](const auto& Of) { return Of.second == Name; }))
      Name = unusedName(Name + '_');
    Entry->second = std::move(Name);
  }
  return Entry->second;
}

std::string BodyBuilder::variableName(const ValueDecl* V) const {
  if (isCapture(V) && Within) {
    for (const CapturedLambda::Part& Part : Within->Parts)
      if (Part.Decl == V)
        return Part.Name;
  } else if (isCapture(V) && OfSection) {
    for (const Capture& C : OfSection->Code.Captures)
      if (C.Decl == V)
        return C.Name;
  }
  if (const auto* P = dyn_cast<ParmVarDecl>(V); P && !isCapture(V))
    if (const auto* Of = dyn_cast<FunctionDecl>(P->getDeclContext()))
      return parameterName(Of, P->getFunctionScopeIndex());
  if (const auto* Bindings = dyn_cast<DecompositionDecl>(V)) // it has no name in the program
    return nameOf(*Bindings);
  return V->getNameAsString();
}

body::ExprRef BodyBuilder::name(const DeclRefExpr* E) {
  const ValueDecl* D = E->getDecl();
  if (const auto* Constant = dyn_cast<EnumConstantDecl>(D))
    return enumerator(E, Constant);
  if (const Expr* Part = boundPart(D, Model.Roles))
    return expr(Part);
  // A constant of the surrounding function need not be captured to be used.
  if (const auto* V = dyn_cast<VarDecl>(D);
      V && !isCapture(V) &&
      (!V->isLocalVarDeclOrParm() || V->isStaticLocal() || !isDeclaredIn(V, Home)))
    return constant(E, V);
  return isCapture(D) && !isCapturedLambda(D) ? captured(E, variableName(D))
                                              : node(E, body::Name{variableName(D)});
}

body::ExprRef BodyBuilder::thisObject(const Expr* E) {
  if (Named) // a struct of the host's code, whose method it is
    if (std::string Known = Named(E); !Known.empty())
      return node(E, body::Name{std::move(Known)});
  const auto* Method = dyn_cast<CXXMethodDecl>(F.Decl);
  return Method && Method->getParent()->isLambda() ? captured(nullptr, "this_object")
                                                   : node(E, body::Receiver{});
}

body::ExprRef BodyBuilder::member(const MemberExpr* E) {
  if (const auto* Constant = dyn_cast<EnumConstantDecl>(E->getMemberDecl()))
    return enumerator(E, Constant);
  if (const auto* V = dyn_cast<VarDecl>(E->getMemberDecl()))
    return constant(E, V);
  const auto* Field = cast<FieldDecl>(E->getMemberDecl())->getCanonicalDecl();
  if (isValueClass(cast<CXXRecordDecl>(Field->getParent()), Model.Roles) || isCopy(E->getBase()))
    return valueMember(E, Field);
  for (Index M = 0; M < Model.Members.size(); ++M)
    if (Model.Members[M].Decl == Field)
      return node(E, body::Member{M, expr(E->getBase())});
  return unknown(E->getMemberLoc(), "a member without a column");
}

//===-- operators and conversions ----------------------------------------------------------===//

body::ExprRef BodyBuilder::unary(const UnaryOperator* E) {
  const Expr* Sub = E->getSubExpr();
  if (E->getOpcode() == UO_Deref && isPointer(Sub->getType()))
    return pointed(Sub);
  if (E->getOpcode() == UO_AddrOf && isPointer(E->getType()))
    return node(E, body::Unary{"&", expr(Sub)});
  if (E->getOpcode() == UO_Deref || E->getOpcode() == UO_AddrOf || E->getOpcode() == UO_Extension)
    return expr(Sub); // pointers and references to objects are both IDs
  return node(
      E, body::Unary{UnaryOperator::getOpcodeStr(E->getOpcode()).str(), expr(Sub), E->isPostfix()});
}

/// True for std::move and std::forward.
static bool isMove(const Expr* E) {
  const auto* Call = dyn_cast<CallExpr>(E->IgnoreParens());
  return Call && Call->getNumArgs() == 1 &&
         isNamedInStd(Call->getDirectCallee(), {"move", "forward"});
}

body::ExprRef BodyBuilder::bound(const Expr* E) {
  const TypeKind Kind = Types.classify(E->getType()).Kind;
  const bool Moves =
      E->isXValue() && !isa<MaterializeTemporaryExpr>(E->IgnoreParens()) &&
      (Kind == TypeKind::Value || Kind == TypeKind::Library || E->getType()->isPointerType() ||
       (isObjectByValue(E->getType(), Model.Roles) && isCopy(E)));
  const auto* Call = dyn_cast<CallExpr>(E->IgnoreParens());
  if (!Moves || isa<ExplicitCastExpr>(E->IgnoreParens()) || (Call && !isMove(Call)))
    return expr(E);
  CodeType To = *typeOf(E->getType());
  To.Reference = CodeType::RValue;
  return staticCast(E, std::make_shared<const CodeType>(std::move(To)), expr(E));
}

body::ExprRef BodyBuilder::converted(const Expr* Argument) {
  const QualType From = Argument->IgnoreParenImpCasts()->getType().getCanonicalType();
  const QualType To = Argument->getType().getCanonicalType();
  if (Ast.hasSameUnqualifiedType(From, To) || !To->isArithmeticType())
    return expr(Argument);
  return staticCast(Argument, plainType(To), expr(Argument));
}

/// True for bit-fields of objects, whose columns hold ikra::bit_field; those of value classes are
/// what they are.
bool BodyBuilder::isBitField(const Expr* E) const {
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
  return Access && !isCopy(Access->getBase()) &&
         !isValueClass(cast<CXXRecordDecl>(Access->getMemberDecl()->getDeclContext()), Model.Roles);
}

/// What is read of it.
body::ExprRef BodyBuilder::bitFieldValue(const Expr* E) {
  if (!isBitField(E))
    return expr(E);
  if (const auto* Choice = dyn_cast<ConditionalOperator>(E->IgnoreParens()))
    return node(E, body::Choice{expr(Choice->getCond()), bitFieldValue(Choice->getTrueExpr()),
                                bitFieldValue(Choice->getFalseExpr())});
  return node(E, body::MethodCall{expr(E), "get", {}, {}});
}

/// True for a standard conversion of what a user-defined one gives. Here that is a call, and C++
/// chooses otherwise for a number than for a class: as an operand of ?:, or an index.
static bool followsUserConversion(const CastExpr* E) {
  const auto* From = dyn_cast<ImplicitCastExpr>(E->getSubExpr()->IgnoreParens());
  return isa<ImplicitCastExpr>(E) && From && E->getType()->isArithmeticType() &&
         From->getType()->isArithmeticType() && E->getCastKind() != CK_NoOp &&
         (From->getCastKind() == CK_UserDefinedConversion || followsUserConversion(From));
}

body::ExprRef BodyBuilder::conversionOf(const CastExpr* E) {
  if (E->getCastKind() == CK_LValueToRValue && isBitField(E->getSubExpr()))
    return bitFieldValue(E->getSubExpr());
  if (isTextAsCondition(E))
    return node(E, body::Literal{"true"});
  ExprRef Made = expr(E->getSubExpr());
  if (followsUserConversion(E))
    return staticCast(E, plainType(E->getType()), std::move(Made));
  // Of an ordinary value compilers know how arithmetic promotes it.
  if (const Expr* From = E->getSubExpr()->IgnoreParens();
      E->getCastKind() == CK_IntegralCast && isa<ImplicitCastExpr>(E) && isa<CastExpr>(From) &&
      isBitField(cast<CastExpr>(From)->getSubExpr()))
    return staticCast(E, typeOf(E->getType()), std::move(Made));
  switch (E->getCastKind()) {
  case CK_ArrayToPointerDecay:
    return libraryCall(E, "ikra::first_of", {std::move(Made)});
  case CK_PointerToBoolean:
    return node(E, body::IsSet{std::move(Made)});
  case CK_NullToPointer:
    return node(E, body::Literal{"nullptr"});
  case CK_ConstructorConversion:
    // A copy that is written out may be changed, and leaves what it copies as it is.
    if (const auto* Copy = dyn_cast<CXXConstructExpr>(E->getSubExpr()->IgnoreImplicit());
        Copy && Copy->getConstructor()->isCopyOrMoveConstructor() && isa<ExplicitCastExpr>(E) &&
        !isObject(E->getType()) && !isClosure(E->getType()))
      return node(E, body::Make{plainType(E->getType()), {std::move(Made)}, false});
    return Made;
  case CK_UserDefinedConversion:
    return Made;
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
    if (isa<ImplicitCastExpr>(E) && !isObject(E->getType()))
      return asHiddenBase(E, std::move(Made), E->getType()->isPointerType());
    break;
  default:
    break;
  }
  if (isa<ImplicitCastExpr>(E) || isObject(E->getType()) || isClosure(E->getType()))
    return Made;
  const TypeRef Written = typeOf(cast<ExplicitCastExpr>(E)->getTypeAsWritten());
  if (isa<CXXConstCastExpr>(E))
    return node(E, body::Cast{body::Cast::Const, Written, std::move(Made)});
  if (E->getCastKind() == CK_NoOp && isa<CXXFunctionalCastExpr>(E) &&
      (Types.classify(E->getType()).Kind == TypeKind::Library || valueClass(E->getType()) ||
       isObjectByValue(E->getType(), Model.Roles)))
    return Made;
  return staticCast(E, Written, std::move(Made));
}

/// What stands in braces, but for what is left to the class.
static llvm::ArrayRef<const Expr*> writtenIn(llvm::ArrayRef<Expr*> Inits, QualType Made) {
  const bool IsClass = Made->isRecordType() && !isClosure(Made);
  return Inits.take_front(IsClass ? writtenInits(Inits).value_or(Inits.size()) : Inits.size());
}

body::ExprRef BodyBuilder::braces(const InitListExpr* E) {
  const QualType Ty = E->getType();
  if (isClosure(Ty))
    return overloads(E);
  if (Ty->isScalarType() && E->getNumInits() == 0)
    return valueInitialised(E);
  if (Ty->isScalarType()) {
    const Expr* Value = E->getInit(0);
    // Braces alone turn an integer into an enumeration.
    if (Ty->isEnumeralType() && !Value->IgnoreParenImpCasts()->getType()->isEnumeralType())
      return staticCast(E, plainType(Ty), expr(Value));
    return expr(Value);
  }
  if (isOperatorObject(Ty)) // its base holds nothing
    return braced(E, valueClass(Ty), {});
  if (Ty->isRecordType() && isObjectByValue(Ty, Model.Roles)) // with its defaults, all of them
    return braced(E, true, llvm::SmallVector<const Expr*>(E->inits()));
  llvm::SmallVector<const Expr*> Inits(E->inits());
  if (const Expr* Filler =
          fillerOf(E, Model.Roles)) { // a constructor, of which devices have no other
    Inits.resize(*constantSize(Ty), Filler);
    return braced(E, valueClass(Ty), Inits);
  }
  return braced(E, valueClass(Ty), writtenIn(E->inits(), Ty));
}

body::ExprRef BodyBuilder::expr(const Expr* E) {
  if (Named)
    if (std::string Known = Named(E); !Known.empty())
      return node(E, body::Name{std::move(Known)});
  if (isSelf(F, E))
    return element(E, /*AsId=*/true);
  if (std::optional<std::string> Offset = memberPointerText(E, Ast))
    return node(E, body::Constant{std::move(*Offset), ""});
  if (const auto It = F.Adapters.find(E); It != F.Adapters.end() && Adapting != E) {
    const llvm::SaveAndRestore Argument(Adapting, E);
    return adapter(E, It->second);
  }
  switch (E->getStmtClass()) {
  case Stmt::IntegerLiteralClass:
  case Stmt::FloatingLiteralClass:
  case Stmt::CharacterLiteralClass:
    return literal(E);
  case Stmt::CXXBoolLiteralExprClass:
    return node(E, body::Literal{cast<CXXBoolLiteralExpr>(E)->getValue() ? "true" : "false"});
  case Stmt::CXXNullPtrLiteralExprClass:
  case Stmt::GNUNullExprClass:
    return node(E, body::Literal{"nullptr"});
  case Stmt::CXXScalarValueInitExprClass:
  case Stmt::ImplicitValueInitExprClass:
    if (E->getType()->isArrayType())
      return node(body::Make{nullptr, {}, true});
    return valueInitialised(E);
  case Stmt::StringLiteralClass:
    return text(cast<StringLiteral>(E));
  case Stmt::UnaryExprOrTypeTraitExprClass:
  case Stmt::TypeTraitExprClass:
  case Stmt::SizeOfPackExprClass:
    return evaluated(E);
  case Stmt::CXXNoexceptExprClass:
    return node(E, body::Literal{cast<CXXNoexceptExpr>(E)->getValue() ? "true" : "false"});
  case Stmt::CXXThisExprClass: // objects are known by their IDs
    return isPointer(E->getType()) ? node(E, body::Unary{"&", thisObject(E)}) : thisObject(E);
  case Stmt::ParenExprClass: {
    const Expr* Sub = cast<ParenExpr>(E)->getSubExpr();
    // (*a).b has become an index, where a leads to an object.
    const auto* Op = dyn_cast<UnaryOperator>(Sub);
    const bool IsDereference =
        Op && Op->getOpcode() == UO_Deref && !isPointer(Op->getSubExpr()->getType());
    return IsDereference ? expr(Sub) : node(E, body::Paren{expr(Sub)});
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
    if (Replacement->EvaluateAsRValue(Value, Ast) && Value.Val.isInt())
      return integer(E, Value.Val.getInt());
    return node(E, body::Paren{expr(Replacement)});
  }
  case Stmt::CXXDefaultArgExprClass:
    return node(E, body::Paren{expr(cast<CXXDefaultArgExpr>(E)->getExpr())});
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
    return node(E, body::Subscript{expr(Base), expr(Subscript->getIdx())});
  }
  case Stmt::ImplicitCastExprClass:
  case Stmt::CStyleCastExprClass:
  case Stmt::CXXStaticCastExprClass:
  case Stmt::CXXFunctionalCastExprClass:
  case Stmt::CXXConstCastExprClass:
    return conversionOf(cast<CastExpr>(E));
  case Stmt::CXXDynamicCastExprClass: {
    const auto* Cast = cast<CXXDynamicCastExpr>(E);
    if (Cast->getCastKind() != CK_Dynamic)
      return conversionOf(Cast);
    const bool IsPointer = E->getType()->isPointerType();
    return ofClass(
        E, IsPointer ? body::OfClass::Cast : body::OfClass::Refer, Cast->getSubExpr(),
        (IsPointer ? E->getType()->getPointeeType() : E->getType())->getAsCXXRecordDecl());
  }
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass: {
    const auto* Op = cast<BinaryOperator>(E);
    if (Op->getOpcode() == BO_Cmp && Op->getLHS()->getType()->isRealFloatingType())
      return libraryCall(E, "ikra::algorithm::three_way",
                         nativeArguments({Op->getLHS(), Op->getRHS()}));
    return node(E, body::Binary{Op->getOpcodeStr().str(), expr(Op->getLHS()), expr(Op->getRHS()),
                                /*IsOverloaded=*/false, latencyOf(Op, Ast)});
  }
  case Stmt::UnaryOperatorClass:
    return unary(cast<UnaryOperator>(E));
  case Stmt::ConditionalOperatorClass: {
    const auto* Choice = cast<ConditionalOperator>(E);
    return node(E, body::Choice{expr(Choice->getCond()), expr(Choice->getTrueExpr()),
                                expr(Choice->getFalseExpr())});
  }
  case Stmt::LambdaExprClass:
    return lambda(cast<LambdaExpr>(E));
  case Stmt::InitListExprClass:
    return braces(cast<InitListExpr>(E));
  case Stmt::CXXParenListInitExprClass:
    if (isObjectByValue(E->getType(), Model.Roles))
      return braced(E, true,
                    llvm::SmallVector<const Expr*>(cast<CXXParenListInitExpr>(E)->getInitExprs()));
    return braced(E, /*WithType=*/true,
                  writtenIn(cast<CXXParenListInitExpr>(E)->getInitExprs(), E->getType()));
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
    return unknown(E->getExprLoc(), E->getStmtClassName());
  }
}

} // namespace ikra
