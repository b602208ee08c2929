// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of classes and lambdas in bodies. A value has the type that it has in the program; the
// user's constructors are functions that make it, members that are not public are reached through
// object_access, and what the standard library has for its own value classes is called as it is.

#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/NativeFunctions.h"
#include "BodyBuilder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace ikra {

static TypeRef typeOfForm(CodeType::Form Form, TypeRef Inner) {
  CodeType Out;
  Out.Is = Form;
  Out.Inner = std::move(Inner);
  return std::make_shared<const CodeType>(std::move(Out));
}

static TypeRef referenceTo(const TypeRef& Ty) {
  CodeType Out = *Ty;
  Out.Reference = CodeType::LValue;
  return std::make_shared<const CodeType>(std::move(Out));
}

//===-- making values ----------------------------------------------------------------------===//

/// What a constructor does before its body. There is no call of it on a device: its value is put
/// together member by member.
void BodyBuilder::addInitialisers(const CXXConstructorDecl* Constructor, body::Stmts& Out) {
  for (const CXXCtorInitializer* Init : Constructor->inits()) {
    if (Init->getMember() && isStdClass(Init->getMember()->getType(), "basic_string"))
      continue; // of an object: no section uses it
    const Expr* Value = Init->getInit()->IgnoreImplicit();
    if (const auto* Default = dyn_cast<CXXDefaultInitExpr>(Value))
      Value = Default->getExpr()->IgnoreImplicit();
    const Stmt* At = Init->isWritten() ? Init->getInit() : nullptr;
    const auto Add = [&](ExprRef E) { Out.push_back(statement(body::Evaluate{std::move(E)}, At)); };
    const auto Make = [&](ExprRef To, ExprRef Of) {
      Add(libraryCall(Value, "ikra::make", {std::move(To), std::move(Of)}));
    };
    const ExprRef Object = node(body::Receiver{});
    if (Init->isDelegatingInitializer()) {
      Make(Object, expr(Value));
      continue;
    }
    if (Init->isBaseInitializer()) {
      const QualType Base(Init->getBaseClass(), 0);
      const bool IsPublic =
          F.CopyMask != 0 || // its struct has public ones
          llvm::all_of(Constructor->getParent()->bases(), [&](const CXXBaseSpecifier& Of) {
            return !Ast.hasSameType(Of.getType(), Base) || Of.getAccessSpecifier() == AS_public;
          });
      Make(node(body::Cast{IsPublic ? body::Cast::Static : body::Cast::ToHiddenBase,
                           referenceTo(typeOf(Base)), Object}),
           expr(Value));
      continue;
    }
    const QualType Ty = Init->getMember()->getType().getUnqualifiedType();
    const ExprRef Member = part(nullptr, Object, Init->getMember());
    const auto* Construct = dyn_cast<CXXConstructExpr>(Value);
    const auto MakeArray = [&](body::Exprs Values) {
      CodeType Array;
      Array.Is = CodeType::Array;
      QualType Element = Ty;
      if (isPointerArray(Ty)) {
        Array.Extents.push_back(constantSize(Ty).value());
        Element = elementOfContainer(Ty);
      }
      while (const auto* Of = Ast.getAsConstantArrayType(Element)) {
        Array.Extents.push_back(Of->getSize().getZExtValue());
        Element = Of->getElementType();
      }
      Array.Inner = typeOf(Element);
      const TypeRef Wrapped =
          typeOfForm(CodeType::Wrapped, std::make_shared<const CodeType>(std::move(Array)));
      Make(Member,
           node(body::Part{node(body::Make{Wrapped, std::move(Values), true}), "value", nullptr}));
    };
    if (isPointerArray(Ty)) {
      const auto* List = dyn_cast<InitListExpr>(Value);
      const auto* Elements =
          List && List->getNumInits() == 1 ? dyn_cast<InitListExpr>(List->getInit(0)) : nullptr;
      if (List)
        MakeArray(Elements ? body::Exprs{expr(Elements)} : body::Exprs());
    } else if (Init->getMember()->isBitField()) // has no address
      Add(node(body::Binary{"=", Member, converted(Init->getInit())}));
    else if (Ty->isConstantArrayType() && (isa<InitListExpr, StringLiteral>(Value) ||
                                           (Construct && F.Calls.contains(Construct))))
      MakeArray({expr(Value)});
    else if (Ty->isConstantArrayType() && isa<ImplicitValueInitExpr>(Value))
      MakeArray({});
    else if (!Construct || Construct->getNumArgs() > 0 || Construct->requiresZeroInitialization() ||
             !Construct->getConstructor()->isTrivial())
      Make(Member, converted(Init->getInit()));
  }
}

body::ExprRef BodyBuilder::made(const CXXConstructExpr* E, body::Exprs Arguments) {
  const bool InBraces =
      E->isListInitialization() &&
      orderMatters(Order::LeftToRight, llvm::ArrayRef<const Expr*>(E->getArgs(), E->getNumArgs()));
  return node(E, body::Make{plainType(E->getType()), std::move(Arguments), InBraces});
}

/// The elements of an array of characters; those that are not written are zero.
body::ExprRef BodyBuilder::text(const StringLiteral* E) {
  const QualType Element = Ast.getAsConstantArrayType(E->getType())->getElementType();
  const bool IsSigned = Element->isSignedIntegerType();
  body::Exprs Values;
  for (unsigned K = 0; K < E->getLength(); ++K) {
    const llvm::APInt Unit(E->getCharByteWidth() * 8, E->getCodeUnit(K));
    const auto Code = static_cast<unsigned char>(E->getCodeUnit(K));
    const bool IsShown = E->getCharByteWidth() == 1 && llvm::isAlnum(static_cast<char>(Code));
    Values.push_back(
        node(body::Literal{IsShown ? "'" + std::string(1, static_cast<char>(Code)) + "'"
                                   : llvm::toString(Unit, 10, IsSigned)}));
  }
  return node(body::Make{nullptr, std::move(Values), true});
}

/// A list of elements that are elsewhere. Of objects it is what lists of them are.
body::ExprRef BodyBuilder::span(const CXXConstructExpr* E) {
  const TypeRef Ty = typeOf(E->getType());
  if (Ty->Of.Kind != TypeKind::ValueList)
    return expr(E->getArg(0));
  if (E->getNumArgs() < 2)
    return node(
        E, body::Make{Ty, E->getNumArgs() == 0 ? body::Exprs() : body::Exprs{expr(E->getArg(0))},
                      false});
  const bool HasEnd = isPointer(E->getArg(1)->getType());
  std::vector<Operand> Parts{{E->getArg(0), converted(E->getArg(0))},
                             {E->getArg(1), converted(E->getArg(1))}};
  return inOrder(E, Order::LeftToRight, Parts, false, [&](body::Exprs Values) {
    return HasEnd ? libraryCall(E, "ikra::list_between", std::move(Values))
                  : node(E, body::Make{Ty, std::move(Values), false});
  });
}

body::ExprRef BodyBuilder::construct(const CXXConstructExpr* E) {
  const llvm::ArrayRef<const Expr*> Arguments(E->getArgs(), E->getNumArgs());
  if (E->getType()->isRecordType() && isObjectByValue(E->getType(), Model.Roles))
    return objectMade(E);
  if (E->getType()->isConstantArrayType() && F.Calls.contains(E)) {
    const ExprRef Each = userCall(E, nullptr, Arguments);
    return node(body::Make{nullptr, body::Exprs(countOf(E->getType()), Each), true});
  }
  if (isStdClass(E->getType(), "span"))
    return span(E);
  if (isPointer(E->getType())) // an iterator
    return E->getNumArgs() > 0 ? expr(E->getArg(0)) : node(E, body::Literal{"nullptr"});
  if (valueClass(E->getType())) {
    const CXXConstructorDecl* Constructor = E->getConstructor();
    if (F.Calls.contains(E))
      return userCall(E, nullptr, Arguments);
    if (Constructor->isCopyOrMoveConstructor() && Constructor->isTrivial())
      return expr(Arguments[0]);
    if (isComplexConversion(Constructor))
      return node(E, body::LibraryCall{"ikra::complex_math::converted",
                                       {plainType(E->getType())},
                                       nativeArguments(Arguments)});
    const bool Empty = Arguments.size() == 1 && isStdClass(Arguments[0]->getType(), "nullopt_t");
    if (Arguments.size() == 1 && isStdClass(E->getType(), "variant") &&
        !isStdClass(Arguments[0]->getType(), "variant"))
      return made(E, {heldInVariant(E->getType(), Arguments[0])});
    return made(E, Empty ? body::Exprs() : nativeArguments(Arguments));
  }
  if (isClosure(E->getType()) || isObject(E->getType()) ||
      (E->getNumArgs() == 1 && E->getConstructor()->isCopyOrMoveConstructor()))
    return expr(E->getArg(0));
  return made(E, arguments(Arguments));
}

/// A class's or an array's value from those of its members.
body::ExprRef BodyBuilder::braced(const Expr* E, bool WithType, llvm::ArrayRef<const Expr*> Inits) {
  return node(E, body::Make{WithType ? plainType(E->getType()) : nullptr, nativeArguments(Inits),
                            /*InBraces=*/true});
}

body::Exprs BodyBuilder::arguments(llvm::ArrayRef<const Expr*> Arguments) {
  body::Exprs Out;
  for (const Expr* Argument : Arguments)
    if (!isa<CXXDefaultArgExpr>(Argument)) // the callee's own declaration has them
      Out.push_back(expr(Argument));
  return Out;
}

/// Arguments of what is called as it is, each of the type that the program gave it.
body::Exprs BodyBuilder::nativeArguments(llvm::ArrayRef<const Expr*> Arguments) {
  body::Exprs Out;
  for (const Expr* Argument : Arguments)
    if (!isa<CXXDefaultArgExpr>(Argument))
      Out.push_back(converted(Argument));
  return Out;
}

/// An inherited constructor's call of the one that it stands for, with its own parameters.
body::ExprRef BodyBuilder::inheritedCall(const CXXInheritedCtorInitExpr* E) {
  body::Call Out;
  Out.Function = F.Calls.at(E).Targets.front().Function;
  for (unsigned K = 0; K < F.Decl->getNumParams(); ++K) {
    const QualType Ty = givenType(F.Decl->getParamDecl(K));
    const ExprRef Given = node(body::Name{parameterName(F.Decl, K)});
    Out.Arguments.push_back(Ty->isRValueReferenceType() ? staticCast(E, typeOf(Ty), Given) : Given);
  }
  return node(E, std::move(Out));
}

/// A temporary. One that is a copy of something, or one of several such, may stand here as that,
/// which must stay as it is when the temporary changes.
body::ExprRef BodyBuilder::temporary(const MaterializeTemporaryExpr* E) {
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
  ExprRef Of = expr(E->getSubExpr());
  return IsCopy && !isClosure(E->getType()) &&
                 (valueClass(E->getType()) || isObjectByValue(E->getType(), Model.Roles))
             ? node(E, body::Make{plainType(E->getType()), {std::move(Of)}, false})
             : Of;
}

//===-- parts of values --------------------------------------------------------------------===//

body::ExprRef BodyBuilder::part(const Expr* E, ExprRef Object, const FieldDecl* Member,
                                bool ThroughPointer) {
  TypeRef HiddenIn;
  const auto* Class = cast<CXXRecordDecl>(Member->getParent());
  if (Member->getAccess() != AS_public && isPlainValueClass(Class, Model.Roles))
    HiddenIn = typeOf(Ast.getRecordType(Class));
  body::Part Out{std::move(Object), Member->getNameAsString(), std::move(HiddenIn), ThroughPointer};
  return E ? node(E, std::move(Out)) : node(std::move(Out));
}

body::ExprRef BodyBuilder::asHiddenBase(const CastExpr* Cast, ExprRef Of, bool ToPointer) {
  const bool IsHidden = llvm::any_of(Cast->path(), [](const CXXBaseSpecifier* Base) {
    return Base->getAccessSpecifier() != AS_public;
  });
  const QualType To =
      Cast->getType()->isPointerType() ? Cast->getType()->getPointeeType() : Cast->getType();
  // The structs of copies have public bases.
  if (!IsHidden || (isObjectByValue(To, Model.Roles) && isCopy(Cast)))
    return Of;
  const TypeRef Base = typeOf(To);
  return node(body::Cast{body::Cast::ToHiddenBase,
                         ToPointer ? typeOfForm(CodeType::Pointer, Base) : referenceTo(Base),
                         std::move(Of)});
}

body::ExprRef BodyBuilder::throughBases(const Expr* E, ExprRef Of) {
  const auto* Cast = dyn_cast<ImplicitCastExpr>(E->IgnoreParens());
  if (!Cast)
    return Of;
  return asHiddenBase(Cast, throughBases(Cast->getSubExpr(), std::move(Of)), /*ToPointer=*/false);
}

body::ExprRef BodyBuilder::valueMember(const MemberExpr* E, const FieldDecl* Member) {
  const Expr* Object = E->getBase()->IgnoreParenImpCasts();
  QualType Ty = Object->getType();
  if (Ty->isPointerType())
    Ty = Ty->getPointeeType();
  const QualType Class = Ast.getRecordType(cast<CXXRecordDecl>(Member->getParent()));
  ExprRef Of = E->isArrow() ? pointed(E->getBase()) : expr(E->getBase());
  if (Ast.hasSameUnqualifiedType(Ty, Class))
    return part(E, std::move(Of), Member, E->isArrow());
  // A derived class may have another member of that name.
  const TypeRef Base = referenceTo(typeOf(Ty.isConstQualified() ? Class.withConst() : Class));
  return part(E, node(body::Cast{body::Cast::Static, Base, std::move(Of)}), Member);
}

body::ExprRef BodyBuilder::receiver(const Expr* E, const FunctionDecl* Callee) {
  const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
  const bool Changes = Method && (valueClass(E->getType()) || isCopy(E)) && !Method->isConst();
  const Expr* Object = E;
  while (isa<ImplicitCastExpr, ParenExpr>(Object)) // to a base
    Object = isa<ParenExpr>(Object) ? cast<ParenExpr>(Object)->getSubExpr()
                                    : cast<ImplicitCastExpr>(Object)->getSubExpr();
  // Of an operator, clang takes a temporary for a place.
  const bool IsTemporary = E->isXValue() || isa<MaterializeTemporaryExpr>(Object);
  return Changes && IsTemporary ? libraryCall(E, "ikra::lvalue", {expr(E)}) : expr(E);
}

body::ExprRef BodyBuilder::rewritten(const CXXRewrittenBinaryOperator* E) {
  const CXXRewrittenBinaryOperator::DecomposedForm Form = E->getDecomposedForm();
  const auto* Call = dyn_cast<CXXOperatorCallExpr>(Form.InnerBinOp);
  if (!isNativeOperator(Form.InnerBinOp, Model.Roles) || (Call && typeTest(Call).Object))
    return node(E, body::Paren{expr(E->getSemanticForm())});
  if (isStdClass(Form.RHS->getType(), "nullopt_t") && Form.Opcode == BO_NE)
    return isObject(Form.LHS->getType())
               ? node(E, body::IsSet{expr(Form.LHS)})
               : node(E, body::MethodCall{expr(Form.LHS), "has_value", {}, {}});
  return node(E, body::Paren{node(E, body::Binary{BinaryOperator::getOpcodeStr(Form.Opcode).str(),
                                                  expr(Form.LHS), expr(Form.RHS), true})});
}

//===-- lambdas ----------------------------------------------------------------------------===//

/// A lambda, as one of C++: all around it is there by reference, and what it captures by value has
/// a copy. A generic one is a function for each type that it is called with.
body::ExprRef BodyBuilder::lambda(const LambdaExpr* E) {
  std::vector<body::Lambda::Capture> Captures;
  for (unsigned K = 0; K < E->capture_size(); ++K) {
    const LambdaCapture& C = E->capture_begin()[K];
    if (!C.capturesVariable() || (C.getCaptureKind() == LCK_ByRef && !E->isInitCapture(&C)))
      continue;
    const ValueDecl* V = C.getCapturedVar();
    if (!E->isInitCapture(&C) && isCaptureless(V->getType()) && !isDeclaredIn(V, Home))
      continue; // a function here
    const auto* Parameter = dyn_cast<ParmVarDecl>(V);
    const unsigned Number = Parameter && Parameter->getDeclContext() == F.Decl
                                ? Parameter->getFunctionScopeIndex()
                                : 63;
    if (Number < 63 && ((F.SelfMask >> (Number + 1)) & 1))
      continue; // the element, which a copy of the pointer leads to as well
    body::Lambda::Capture Out{variableName(V), nullptr};
    if (E->isInitCapture(&C)) {
      Out.ByReference = C.getCaptureKind() == LCK_ByRef;
      Out.Init = expr(cast<VarDecl>(V)->getInit());
    }
    Captures.push_back(std::move(Out));
  }
  return bodies(E, Captures);
}

/// Pointers to objects of several classes are one type here, and what a template argument alone
/// tells apart has no parameter of it.
std::string BodyBuilder::instanceTag(const FunctionDecl* Of) {
  const FunctionTemplateDecl* Template = Of->getPrimaryTemplate();
  if (Template == nullptr)
    return "";
  const auto Parameters = [&](const FunctionDecl* Instance) {
    std::vector<std::string> Out;
    for (const ParmVarDecl* P : Instance->parameters())
      Out.push_back(textOf(*typeOf(P->getType())));
    return Out;
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

std::string BodyBuilder::overloadTag(QualType Closure, const FunctionDecl* Of) {
  const CXXRecordDecl* Class = Closure.getNonReferenceType()->getAsCXXRecordDecl();
  const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Of);
  if (!Class || Class->isLambda() || !Method || Of->getPrimaryTemplate())
    return "";
  const auto Parameters = [&](const FunctionDecl* Lambda) {
    std::vector<std::string> Out;
    for (const ParmVarDecl* P : Lambda->parameters())
      Out.push_back(textOf(*typeOf(P->getType())));
    return Out;
  };
  bool IsAlone = true;
  unsigned Number = 0, At = 0;
  for (const CXXBaseSpecifier& Base : Class->bases()) {
    const CXXRecordDecl* Lambda = Base.getType()->getAsCXXRecordDecl();
    const CXXMethodDecl* Other = Lambda->getLambdaCallOperator();
    if (declaresSameEntity(Lambda, Method->getParent()))
      Number = At;
    else if (const FunctionTemplateDecl* Generic =
                 Other ? Other->getDescribedFunctionTemplate() : nullptr)
      IsAlone = IsAlone && llvm::none_of(Generic->specializations(), [&](const FunctionDecl* One) {
                  // others are only declared, while a call chose
                  return One->hasBody() && Parameters(One) == Parameters(Of);
                });
    else
      IsAlone = IsAlone && (!Other || Parameters(Other) != Parameters(Of));
    ++At;
  }
  return IsAlone ? "" : "ikra::overload<" + std::to_string(Number) + ">";
}

/// Several lambdas as one class.
body::ExprRef BodyBuilder::overloads(const InitListExpr* E) {
  body::Overloaded Out;
  for (const Expr* Init : E->inits()) {
    const auto* Lambda = dyn_cast<LambdaExpr>(Init->IgnoreUnlessSpelledInSource());
    const std::string Tag =
        Lambda ? overloadTag(E->getType(), Lambda->getCallOperator()) : std::string();
    const llvm::SaveAndRestore Tagged(TagOfOverload, Tag);
    Out.Functions.push_back(expr(Init));
  }
  return node(E, std::move(Out));
}

body::ExprRef BodyBuilder::capturedLambda(const CapturedLambda& Of) {
  std::vector<body::Lambda::Capture> Captures;
  for (const CapturedLambda& Inner : Of.Inner)
    Captures.push_back({Inner.Decl->getNameAsString(), capturedLambda(Inner)});
  for (const CapturedLambda::Part& Part : Of.Parts)
    Captures.push_back({Part.Name, captured(nullptr, Part.InSection), /*ByReference=*/true});
  const llvm::SaveAndRestore In(Within, &Of);
  return bodies(Of.Lambda, Captures);
}

body::ExprRef BodyBuilder::function(const FunctionDecl* Of,
                                    std::vector<body::Lambda::Capture> Captures, bool IsMutable,
                                    std::string Tag) {
  body::Lambda Out;
  Out.Captures = std::move(Captures);
  const auto* Method = dyn_cast<CXXMethodDecl>(Of);
  ikra::Function Called; // with copies in the places where it is given such
  Called.Decl = Of;
  if (Method && Method->getParent()->isLambda())
    Called.CopyMask = copiesGiven(F, Method, Model.Roles);
  for (unsigned K = 0; K < Of->getNumParams(); ++K) {
    const ParmVarDecl* P = Of->getParamDecl(K);
    const bool IsCopy = K < 63 && ((Called.CopyMask >> (K + 1)) & 1);
    Out.Parameters.push_back({IsCopy ? Types.ofCopy(P->getType()) : typeOf(P->getType()),
                              P->getIdentifier() ? parameterName(Of, K) : ""});
  }
  Out.Tag = std::move(Tag);
  Out.IsMutable = IsMutable;
  Out.Result = givesCopy(Called, Model.Roles) ? Types.ofCopy(Of->getReturnType())
                                              : typeOf(resultType(Of->getReturnType()));
  const llvm::SaveAndRestore Inside(InLambda, true);
  Out.Body = statements(Of->getBody());
  return node(std::move(Out));
}

static body::ExprRef overloaded(body::Exprs Functions,
                                llvm::function_ref<body::ExprRef(body::Expr::Node)> Make) {
  return Functions.size() == 1 ? Functions.front() : Make(body::Overloaded{std::move(Functions)});
}

body::ExprRef BodyBuilder::bodies(const LambdaExpr* E,
                                  const std::vector<body::Lambda::Capture>& Captures) {
  body::Exprs Out;
  const std::string Overload = std::exchange(TagOfOverload, "");
  for (const FunctionDecl* Body : bodiesOf(E)) {
    const llvm::SaveAndRestore At(Home, Within && Within->Lambda == E ? Body : Home);
    Out.push_back(
        function(Body, Captures, E->isMutable(), Overload.empty() ? instanceTag(Body) : Overload));
  }
  return overloaded(std::move(Out), [&](body::Expr::Node N) { return node(std::move(N)); });
}

/// A lambda that is given what variants hold, by which its parameters are told apart.
static body::ExprRef withTypes(const body::ExprRef& Call, const std::vector<std::string>& Types,
                               bool HasObject) {
  auto Out = std::get<body::Lambda>(Call->Is);
  for (std::size_t K = 0; K < Types.size(); ++K) {
    if (Types[K].empty())
      continue;
    TypeRef& Ty = Out.Parameters[K + (HasObject ? 1 : 0)].Ty;
    CodeType Known;
    Known.Of.Kind = TypeKind::Value;
    Known.Of.Spelling = Types[K];
    Known.IsConst = Ty->IsConst || Ty->Reference == CodeType::None;
    Known.Reference = CodeType::LValue;
    Ty = std::make_shared<const CodeType>(std::move(Known));
  }
  return body::expr(std::move(Out), Call->Ty, Call->At);
}

body::ExprRef BodyBuilder::adapter(const Expr* Argument, const Adapter& By) {
  body::Exprs Calls;
  for (std::size_t K = 0; K < By.Calls.size(); ++K) {
    const ExprRef Call = function(By.Calls[K], {}, /*IsMutable=*/false);
    Calls.push_back(K < By.Alternatives.size() ? withTypes(Call, By.Alternatives[K], By.HasObject)
                                               : Call);
  }
  ExprRef All =
      overloaded(std::move(Calls), [&](body::Expr::Node N) { return node(std::move(N)); });
  if (!By.HasObject)
    return All;
  ExprRef Object = expr(Argument);
  if (By.IsCopied)
    Object = libraryCall(Argument, "ikra::copied", {std::move(Object)});
  return libraryCall(Argument, "ikra::calling", {std::move(Object), std::move(All)});
}

} // namespace ikra
