// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heads and statements of bodies, and how types are written.

#include "BodyBuilder.h"

#include "UseChecks.h"

#include "Analysis/Ast/Atomics.h"
#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Locations.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/ReadReferences.h"
#include "Analysis/Reach/ModelBuilder.h"
#include "Model/BodyQueries.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclFriend.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace ikra {

//===-- types ------------------------------------------------------------------------------===//

Type CodeTypes::classify(QualType Ty) {
  const auto [It, IsNew] = Classified.try_emplace(Ty.getAsOpaquePtr());
  if (!IsNew)
    return It->second;
  const auto IndexOf = [&](const CXXRecordDecl* Class) -> Index {
    for (Index I = 0; I < Model.Classes.size(); ++I)
      if (Model.Classes[I].Decl->getCanonicalDecl() == Class->getCanonicalDecl())
        return I;
    return Model.Classes.size(); // not reached by any section
  };
  const auto StructOf = [&](Index Class) {
    return Class < Model.Classes.size() ? Model.Classes[Class].StructIdent : std::string();
  };
  Type Found = classifyType(Ty, Ast, Model.Roles, {IndexOf, StructOf});
  return Classified[Ty.getAsOpaquePtr()] = std::move(Found);
}

TypeRef CodeTypes::of(QualType Ty) {
  if (const TypeRef Known = Made.lookup(Ty.getAsOpaquePtr()))
    return Known;
  TypeRef New = make(Ty);
  return Made[Ty.getAsOpaquePtr()] = std::move(New);
}

static CodeType::Sign signOf(QualType Ty) {
  if (!Ty->isReferenceType())
    return CodeType::None;
  return Ty->isLValueReferenceType() ? CodeType::LValue : CodeType::RValue;
}

TypeRef CodeTypes::make(QualType Ty) {
  CodeType Out;
  const QualType Value = Ty.getNonReferenceType();
  Out.Reference = signOf(Ty);
  Out.IsConst = Value.isConstQualified();
  if (isClosure(Ty)) { // of a parameter: whichever lambda it is given
    Out.Is = CodeType::Deduced;
    return std::make_shared<const CodeType>(std::move(Out));
  }
  if (const auto* Array = Ast.getAsConstantArrayType(Ty);
      Array && classify(Ty).Kind == TypeKind::Unsupported)
    return std::make_shared<const CodeType>(std::move(Out)); // of no use as such
  Out.Of = classify(Ty);
  if (Ty->isRecordType() && isObjectByValue(Ty, Model.Roles)) { // a copy of an object
    const auto Class = llvm::find_if(Model.Classes, [&](const ikra::Class& C) {
      return C.Decl->getCanonicalDecl() == Ty->getAsCXXRecordDecl()->getCanonicalDecl();
    });
    if (Class == Model.Classes.end() || Class->StructIdent.empty()) // there is none
      return of(Ast.getLValueReferenceType(Ty.getUnqualifiedType()));
    Out.Of.Kind = TypeKind::Value;
    Out.Of.Spelling = Class->StructIdent;
    Out.Of.IsClass = true;
    Out.Of.Structs = {static_cast<Index>(Class - Model.Classes.begin())};
    return std::make_shared<const CodeType>(std::move(Out));
  }
  switch (Out.Of.Kind) {
  case TypeKind::Object:
    Out.Is = CodeType::ObjectId;
    Out.IsConst = false;
    // What is only read of a pointer is its value; a local variable may still refer to it.
    if (!isReferenceToPointer(Ty) || !isWritableReference(Ty, Model.Roles))
      Out.Reference = CodeType::None;
    break;
  case TypeKind::ValueList:
  case TypeKind::ObjectList:
    Out.Is = Out.Of.ArrayRank > 1 ? CodeType::Grid : CodeType::List;
    // The IDs of objects themselves never change.
    if (isStdClass(Value, "span")) // its own constness says nothing of the elements
      Out.IsConst = elementOfContainer(Value).isConstQualified();
    Out.IsConst = Out.IsConst || Out.Of.ArrayRank == 1 || Out.Of.IsHeld;
    Out.Reference = CodeType::None;
    break;
  case TypeKind::Pointer: {
    Out.Is = CodeType::Pointer;
    const QualType To = pointedTo(Value);
    if (classify(To).Kind == TypeKind::Object) {
      CodeType Id;
      Id.Is = CodeType::ObjectId;
      Id.IsConst = To.isConstQualified();
      Out.Inner = std::make_shared<const CodeType>(std::move(Id));
    } else {
      Out.Inner = of(To);
    }
    break;
  }
  case TypeKind::Window:
    Out.Is = CodeType::Window;
    break;
  default:
    break;
  }
  return std::make_shared<const CodeType>(std::move(Out));
}

//===-- heads ------------------------------------------------------------------------------===//

std::string BodyBuilder::unusedName(std::string Name) const {
  while (Used.contains(Name))
    Name += '_';
  return Name;
}

static void addNames(const CapturedLambda& Of, std::set<std::string>& Used) {
  for (const FunctionDecl* Body : bodiesOf(Of.Lambda))
    Used.merge(declaredNames(Body));
  for (const CapturedLambda& Inner : Of.Inner)
    addNames(Inner, Used);
}

BodyBuilder::BodyBuilder(ASTContext& Ast, Diagnoser& Diags, ProgramModel& Model, CodeTypes& Types,
                         Index Function, UseChecks* Checks)
    : Ast(Ast), Diags(Diags), Model(Model), Types(Types), F(Model.Functions[Function]),
      Home(F.Decl), Used(declaredNames(F.Decl)), Checks(Checks) {
  for (const Section& S : Model.Sections)
    if (F.IsSection && !S.Code.Known && S.Code.Function == Function) {
      OfSection = &S;
      break;
    }
  for (const CapturedLambda& Of : F.Lambdas)
    addNames(Of, Used);
  if (OfSection)
    for (const Capture& C :
         OfSection->Code.Captures) // named or not, they are members beside the view
      Used.insert(C.Name);
  Self = unusedName("self");
}

BodyBuilder::BodyBuilder(ASTContext& Ast, Diagnoser& Diags, ProgramModel& Model, CodeTypes& Types,
                         const Function& Home, Names Named)
    : Ast(Ast), Diags(Diags), Model(Model), Types(Types), F(Home), Home(Home.Decl), Named(Named) {}

std::string BodyBuilder::parameterName(const FunctionDecl* Of, unsigned K) {
  const std::string Name = Of->getParamDecl(K)->getNameAsString();
  if (Name.empty())
    return "unnamed_" + std::to_string(K);
  // A pack's parameters have one name.
  const bool IsRepeated = llvm::any_of(Of->parameters().take_front(K), [&](const ParmVarDecl* P) {
    return P->getNameAsString() == Name;
  });
  return IsRepeated ? Name + "_" + std::to_string(K) : Name;
}

/// A section is given elements, not places: what takes T& because it takes anything gets a value.
QualType BodyBuilder::givenType(const ParmVarDecl* Parameter) {
  const QualType Ty = Parameter->getType();
  const bool IsWritten = Ty->isRValueReferenceType() ||
                         (Ty->isReferenceType() && !Ty->getPointeeType().isConstQualified());
  const bool Pointer = isReferenceToPointer(Ty) && F.SelfMask == 0;
  return F.IsSection && IsWritten && (Types.classify(Ty).Kind == TypeKind::Value || Pointer)
             ? Ty.getNonReferenceType()
             : Ty;
}

std::vector<body::Parameter> BodyBuilder::parameters() {
  std::vector<body::Parameter> Out;
  const auto* Constructor = dyn_cast<CXXConstructorDecl>(F.Decl);
  const bool IsInheriting = Constructor && Constructor->isInheritingConstructor();
  for (unsigned K = 0; K < F.Decl->getNumParams(); ++K) {
    const ParmVarDecl* P = F.Decl->getParamDecl(K);
    body::Parameter Made;
    Made.Ident = parameterName(F.Decl, K);
    // What the compiler writes names parameters that the program does not.
    Made.IsNamed = !P->getNameAsString().empty() || IsInheriting || Home->isDefaulted();
    Made.Ty = typeOf(F.IsSection ? P->getType() : typeInSection(P, Model.Roles));
    Made.Given = F.IsSection ? typeOf(givenType(P)) : Made.Ty;
    if (Made.Given && Made.Given->Is == CodeType::Window)
      Made.WindowType = unusedName(Out.empty() ? "Window" : "Window_" + std::to_string(K + 1));
    Made.IsElement = K < 63 && ((F.SelfMask >> (K + 1)) & 1);
    if (K < 63 && ((F.CopyMask >> (K + 1)) & 1))
      Made.Ty = Made.Given = Types.ofCopy(P->getType());
    Made.IsMovedFrom = P->getType()->isRValueReferenceType();
    Made.IsOmitted = isCapture(P) || (F.IsSection && isTag(P));
    if (const Expr* Default = F.IsSection && !Made.IsOmitted ? defaultOf(P) : nullptr)
      Made.Default = expr(Default);
    Out.push_back(std::move(Made));
  }
  return Out;
}

void BodyBuilder::addReceiver(body::Body& Out) {
  const auto* Method = dyn_cast<CXXMethodDecl>(F.Decl);
  if (!Method || !Method->isInstance() || isExtremum(Method->getParent()))
    return;
  if (isValueClass(Method->getParent(), Model.Roles) || (F.CopyMask & 1)) {
    if (!isa<CXXConstructorDecl>(Method)) {
      Out.ReceiverIs = body::Body::ValueReceiver;
      const QualType Ty = Method->getThisType()->getPointeeType();
      const auto* Exact = F.CopyClass ? Model.Classes[*F.CopyClass].Decl : nullptr;
      Out.ReceiverType =
          typeOf(Exact ? Ast.getQualifiedType(Ast.getRecordType(Exact), Ty.getQualifiers()) : Ty);
    }
  } else if (!Method->getParent()->isLambda()) {
    Out.ReceiverIs = (F.SelfMask & 1) ? body::Body::ElementReceiver : body::Body::ObjectReceiver;
  }
}

body::Conversion BodyBuilder::conversion() {
  body::Conversion Out;
  for (unsigned K = 0; K < F.Handed.Arguments.size(); ++K) {
    const ParmVarDecl* P = F.Handed.Given->getParamDecl(K);
    Out.Given.push_back({typeOf(P->getType()), P->getNameAsString()});
    const Expr* Argument = F.Handed.Arguments[K];
    Out.Arguments.push_back(Argument ? bound(Argument) : nullptr);
  }
  if (F.Handed.Result) {
    const ParmVarDecl* Result = F.Handed.Given->parameters().back();
    Out.Result = {typeOf(Result->getType()), Result->getNameAsString()};
    Out.ResultValue = expr(F.Handed.Result);
  }
  return Out;
}

/// One statement in one line of the program.
bool BodyBuilder::isOneLine() {
  const auto* Body = cast<CompoundStmt>(F.Decl->getBody());
  if (Body->size() != 1 || isa<CXXConstructorDecl>(F.Decl) || !F.Lambdas.empty())
    return false;
  const Stmt* Only = Body->body_front();
  const auto* Return = dyn_cast<ReturnStmt>(Only);
  const Expr* E = Return ? Return->getRetValue() : dyn_cast<Expr>(Only);
  const SourceManager& SM = Ast.getSourceManager();
  return E && ikra::locOf(Only->getBeginLoc(), SM).Line == F.At.Line;
}

body::Body BodyBuilder::build() {
  body::Body Out;
  Out.ColumnsView = unusedName("w");
  Out.Self = Self;
  Out.SelfType = unusedName("Self");
  Out.Made = unusedName("made");
  addReceiver(Out);
  const auto* Constructor = dyn_cast<CXXConstructorDecl>(F.Decl);
  Out.IsConstructor = Constructor != nullptr;
  if (Constructor) { // it gives the value
    Out.Result = typeOf(Ast.getRecordType(Constructor->getParent()));
  } else {
    const QualType Ty = F.Decl->getReturnType();
    // A section's result is a value, which a reference into an element would not outlive.
    const bool Decays = F.IsSection && Ty->isReferenceType() &&
                        (Types.classify(Ty).Kind == TypeKind::Value || isReferenceToPointer(Ty));
    Out.Result =
        givesCopy(F, Model.Roles)
            ? Types.ofCopy(Ty)
            : typeOf(Decays ? Ty.getNonReferenceType().getUnqualifiedType() : resultType(Ty));
  }
  Out.Parameters = parameters();
  // Where the standard library lies differs from machine to machine, and nobody debugs it here.
  Out.IsOfLibrary =
      isInIkra(F.Decl) || Ast.getSourceManager().isInSystemHeader(F.Decl->getLocation());
  Out.IsOneLine = isOneLine();
  if (Constructor)
    addInitialisers(Constructor, Out.Statements);
  for (const CapturedLambda& Of : F.Lambdas) {
    CodeType Auto;
    Auto.Is = CodeType::Deduced;
    Auto.IsConst = true;
    body::Declare Made;
    Made.Ty = std::make_shared<const CodeType>(std::move(Auto));
    Made.Ident = Of.Decl->getNameAsString();
    Made.Init = body::Declare::Equals;
    Made.Values = {capturedLambda(Of)};
    Out.Statements.push_back(statement(std::move(Made)));
  }
  for (const Stmt* S : cast<CompoundStmt>(F.Decl->getBody())->body())
    add(S, Out.Statements);
  if (Constructor)
    Out.Statements.push_back(statement(body::Return{node(body::Receiver{})}));
  if (F.Handed.Given)
    Out.Handed = conversion();
  return Out;
}

//===-- statements -------------------------------------------------------------------------===//

std::optional<SourceLoc> BodyBuilder::locOf(const Stmt* S) const {
  if (InLambda || !S || isInIkra(F.Decl))
    return std::nullopt;
  const SourceManager& SM = Ast.getSourceManager();
  SourceLoc At = ikra::locOf(S->getBeginLoc(), SM);
  if (At.Line == 0 || SM.isInSystemHeader(SM.getFileLoc(S->getBeginLoc())))
    return std::nullopt;
  return At;
}

body::StmtRef BodyBuilder::statement(body::Stmt::Node Node, const Stmt* At) const {
  return body::stmt(std::move(Node), locOf(At));
}

/// The statements of \p S, which may be a block.
body::Stmts BodyBuilder::statements(const Stmt* S) {
  body::Stmts Out;
  if (const auto* Block = dyn_cast_or_null<CompoundStmt>(S)) {
    for (const Stmt* Child : Block->body())
      add(Child, Out);
  } else if (S) {
    add(S, Out);
  }
  return Out;
}

/// True if \p Init makes the object that a reference is bound to.
static bool isTemporary(const Expr* Init) {
  Init = Init->IgnoreParens();
  if (const auto* Full = dyn_cast<FullExpr>(Init))
    return isTemporary(Full->getSubExpr());
  return isa<MaterializeTemporaryExpr>(Init);
}

/// True for IDs, and values with such, which a device sets to null where nothing else is said.
static bool holdsIds(const CodeType& Ty) {
  return Ty.Is == CodeType::ObjectId || !Ty.Of.isAsInProgram();
}

/// True if C++ gives an array no values.
static bool isUnmade(const Expr* Init) {
  const auto* Construct = Init ? dyn_cast<CXXConstructExpr>(Init->IgnoreImplicit()) : nullptr;
  return !Init ||
         (Construct && Construct->getNumArgs() == 0 && Construct->getConstructor()->isTrivial() &&
          !Construct->requiresZeroInitialization());
}

body::StmtRef BodyBuilder::declaration(const VarDecl* V) {
  const QualType Ty = V->getType();
  const Expr* Init = V->getInit();
  if (V->isStaticLocal())
    return nullptr;
  body::Declare Out = declared(V);
  if (const Expr* To = referredAtomically(V)) {
    CodeType Number = *plainType(numberReferredAtomically(V->getType()));
    Number.Reference = CodeType::LValue;
    Out.Ty = std::make_shared<const CodeType>(std::move(Number));
    Out.Init = body::Declare::Equals;
    Out.Values = {expr(To)};
    return statement(std::move(Out));
  }
  if (isPointerArray(Ty)) {
    const auto* List = Init ? dyn_cast<InitListExpr>(Init->IgnoreImplicit()) : nullptr;
    if (List) {
      Out.Init = body::Declare::Equals;
      Out.Values = {node(body::Make{nullptr, {}, true})};
      if (const auto* Elements =
              List->getNumInits() == 1 ? dyn_cast<InitListExpr>(List->getInit(0)) : nullptr)
        Out.Values = {expr(Elements)};
    }
    if (isUnmade(Init) && holdsIds(*Out.Ty->Inner))
      Out.Room = unusedName(Out.Ident + "_room");
    return statement(std::move(Out));
  }
  if (Ty->isConstantArrayType() && !isa<DecompositionDecl>(V)) {
    const auto* Construct = Init ? dyn_cast<CXXConstructExpr>(Init->IgnoreImplicit()) : nullptr;
    if (Init && (!Construct || F.Calls.contains(Construct))) {
      Out.Init = body::Declare::Equals;
      Out.Values = {expr(isTextOfArray(Init, Ty) ? Init->IgnoreParens() : Init)};
    }
    if (isUnmade(Init) && holdsIds(*Out.Ty->Inner))
      Out.Room = unusedName(Out.Ident + "_room");
    return statement(std::move(Out));
  }
  // A class's constructors, and functions that are called, are not constexpr here.
  const std::optional<std::string> Constant = constantText(V);
  Out.IsConstexpr = V->isConstexpr() && (Constant || Ty->isReferenceType());
  if (isWrittenAsValue(V)) {
    Out.Init = body::Declare::Equals;
    Out.Values = {staticCast(Init, plainType(Ty), node(Init, body::Literal{*Constant}))};
  } else if (const auto* Made = dyn_cast_or_null<CXXConstructExpr>(Init);
             Made && isObjectByValue(Ty, Model.Roles) && Made->getNumArgs() == 0 &&
             !Made->requiresZeroInitialization() && Made->getConstructor()->isTrivial()) {
    return statement(std::move(Out)); // as it is in C++
  } else if (Init) {
    const auto* Construct = dyn_cast<CXXConstructExpr>(Init->IgnoreImplicit());
    const bool Direct =
        Construct && Types.classify(Ty).Kind == TypeKind::Library && Construct->getNumArgs() != 1;
    if (!Direct) {
      Out.Init = body::Declare::Equals;
      Out.Values = {bound(Init)};
    } else if (Construct->getNumArgs() > 0) {
      const llvm::ArrayRef<const Expr*> Arguments(Construct->getArgs(), Construct->getNumArgs());
      Out.Init = body::Declare::Direct;
      Out.Values = arguments(Arguments);
      Out.InBraces =
          Construct->isListInitialization() && orderMatters(Order::LeftToRight, Arguments);
    }
  }
  return statement(std::move(Out));
}

body::Declare BodyBuilder::declared(const VarDecl* V) {
  body::Declare Out;
  const auto* Bindings = dyn_cast<DecompositionDecl>(V);
  if (!Bindings || boundPart(Bindings->bindings().front(), Model.Roles)) {
    Out.Ident = variableName(V);
    Out.Ty = variableType(V);
    return Out;
  }
  CodeType Auto;
  Auto.Is = CodeType::Deduced;
  Auto.IsConst = typeInSection(V, Model.Roles).getNonReferenceType().isConstQualified();
  if (!V->getInit() || !isTemporary(V->getInit()))
    Auto.Reference = signOf(V->getType());
  Out.Ty = std::make_shared<const CodeType>(std::move(Auto));
  for (const BindingDecl* B : Bindings->bindings())
    Out.Bindings.push_back(B->getNameAsString());
  return Out;
}

/// True for a std::array of pointers, which is a built-in array here.
bool BodyBuilder::isPointerArray(QualType Ty) {
  if (Ty->isReferenceType() || !isStdClass(Ty, "array"))
    return false;
  const Type Of = Types.classify(elementOfContainer(Ty));
  return Of.Kind == TypeKind::Object || !Of.isAsInProgram();
}

/// A built-in array in all its dimensions.
TypeRef BodyBuilder::arrayType(QualType Ty) {
  CodeType Out;
  Out.Is = CodeType::Array;
  while (const auto* Array = Ast.getAsConstantArrayType(Ty)) {
    Out.Extents.push_back(Array->getSize().getZExtValue());
    Ty = Array->getElementType();
  }
  Out.Inner = typeOf(Ty);
  return std::make_shared<const CodeType>(std::move(Out));
}

std::vector<StructMember> BodyBuilder::structMembers(const CXXRecordDecl* Struct) {
  std::vector<StructMember> Out;
  for (const FieldDecl* Member : Struct->fields()) {
    const QualType Ty = Member->getType().getUnqualifiedType();
    const Expr* Default = constantDefault(Member);
    Out.push_back({Ty->isConstantArrayType() ? arrayType(Ty) : typeOf(Ty),
                   Member->getNameAsString(), Default ? expr(Default) : nullptr});
  }
  return Out;
}

/// The type of a local variable. A reference to a temporary, which lives as long, is the value.
TypeRef BodyBuilder::variableType(const VarDecl* V) {
  const QualType Ty = typeInSection(V, Model.Roles);
  const Expr* Init = V->getInit();
  CodeType Out;
  if (Ty->isConstantArrayType())
    return arrayType(Ty);
  if (isPointerArray(Ty)) {
    Out.Is = CodeType::Array;
    Out.Extents = {constantSize(Ty).value()};
    Out.Inner = typeOf(elementOfContainer(Ty));
  } else if (isClosure(Ty)) {
    Out.Is = CodeType::Deduced;
    Out.IsConst = Ty.getNonReferenceType().isConstQualified();
    Out.Reference = Init && isTemporary(Init) ? CodeType::None : signOf(Ty);
  } else if (Ty->isReferenceType() && Init && isTemporary(Init)) {
    return typeOf(Ty.getNonReferenceType());
  } else if ((Ty->isReferenceType() || isStdClass(Ty, "span")) && Init &&
             holdsObjectsThemselves(Ty, Model.Roles) && isCopy(Init)) {
    return Types.ofCopy(Ty);
  } else if (isReferenceToPointer(Ty) && !isWritableReference(Ty, Model.Roles) && !isPointer(Ty)) {
    Out.Is = CodeType::ObjectId;
    Out.IsConst = true;
    Out.Reference = CodeType::LValue;
  } else {
    return typeOf(Ty);
  }
  return std::make_shared<const CodeType>(std::move(Out));
}

body::StmtRef BodyBuilder::branch(const IfStmt* S) {
  if (S->isConsteval())
    return statement(body::Block{statements(S->isNegatedConsteval() ? S->getThen() : S->getElse())},
                     S);
  if (S->isConstexpr())
    if (std::optional<const Stmt*> Taken = S->getNondiscardedCase(Ast)) {
      body::Block Out;
      if (S->getInit())
        add(S->getInit(), Out.Body);
      for (StmtRef& Of : statements(*Taken))
        Out.Body.push_back(std::move(Of));
      return statement(std::move(Out), S);
    }
  body::If Out;
  // A branch may not be one, so what stands before the condition gets a block of its own.
  if (const VarDecl* V = variableDeclared(S->getInit()); V && !S->getConditionVariable())
    Out.Head = declaration(V);
  else if (S->getInit())
    add(S->getInit(), Out.Before);
  if (const VarDecl* V = S->getConditionVariable()) {
    Out.Variable = declaration(V);
    // The condition is the variable, which for IDs has to be asked for null.
    if (isObject(V->getType()))
      Out.Condition = node(body::Name{V->getNameAsString()});
  } else {
    Out.Condition = expr(S->getCond());
  }
  Out.Then = statements(S->getThen());
  if (const Stmt* Else = S->getElse()) {
    const auto* Next = dyn_cast<IfStmt>(Else);
    Out.HasElse = true;
    Out.ElseIf = Next && !Next->isConstexpr() && !Next->isConsteval();
    Out.Else = Out.ElseIf ? body::Stmts{branch(Next)} : statements(Else);
  }
  return statement(std::move(Out), S);
}

body::StmtRef BodyBuilder::loop(const ForStmt* S) {
  body::For Out;
  const auto* Declares = dyn_cast_or_null<DeclStmt>(S->getInit());
  const VarDecl* V = S->getConditionVariable();
  // g++ before 15 ends the life of a class's object, which an ID is, before the increment.
  const bool IsHoisted = V && isObject(V->getType());
  Out.InBlock = IsHoisted || (Declares && !variableDeclared(Declares));
  if (Out.InBlock) {
    if (S->getInit())
      add(S->getInit(), Out.Before);
  } else if (Declares) {
    Out.Init = declaration(variableDeclared(Declares));
  } else if (S->getInit()) {
    Out.Init = statement(body::Evaluate{expr(cast<Expr>(S->getInit()))});
  }
  if (IsHoisted) {
    Out.Hoisted = V->getNameAsString();
    Out.HoistedValue = bound(V->getInit());
  } else if (V) {
    Out.Variable = declaration(V);
  } else if (S->getCond()) {
    Out.Condition = expr(S->getCond());
  }
  if (S->getInc())
    Out.Step = expr(S->getInc());
  Out.Body = statements(S->getBody());
  return statement(std::move(Out), S);
}

body::StmtRef BodyBuilder::loop(const WhileStmt* S) {
  body::While Out;
  const VarDecl* V = S->getConditionVariable();
  if (V)
    Out.Variable = declaration(V);
  // What is true of a class's value, a call says.
  if (!V || V->getType().getNonReferenceType()->isRecordType())
    Out.Condition = expr(S->getCond());
  Out.Body = statements(S->getBody());
  return statement(std::move(Out), S);
}

/// A range for over a class with iterators of its own, as the loop that it stands for.
body::StmtRef BodyBuilder::ownIterators(const CXXForRangeStmt* S) {
  body::Block Out;
  add(S->getRangeStmt(), Out.Body);
  add(S->getBeginStmt(), Out.Body);
  add(S->getEndStmt(), Out.Body);
  body::For Loop;
  Loop.Condition = expr(S->getCond());
  Loop.Step = expr(S->getInc());
  add(S->getLoopVarStmt(), Loop.Body);
  for (StmtRef& Of : statements(S->getBody()))
    Loop.Body.push_back(std::move(Of));
  Out.Body.push_back(statement(std::move(Loop)));
  return statement(std::move(Out), S);
}

body::StmtRef BodyBuilder::loop(const CXXForRangeStmt* S) {
  const bool IsOwn = hasOwnIterators(S, Model.Roles);
  if (IsOwn && !S->getInit())
    return ownIterators(S);
  if (IsOwn) {
    body::Block Out;
    add(S->getInit(), Out.Body);
    Out.Body.push_back(ownIterators(S));
    return statement(std::move(Out), S);
  }
  body::ForRange Out;
  Out.InBlock = S->getInit() != nullptr;
  if (S->getInit())
    add(S->getInit(), Out.Before);
  if (auto Copy = isCopy(S->getRangeInit()) ? std::nullopt : copyInLoop(S->getLoopVariable())) {
    Out.Variable = statement(std::move(Copy->second));
    Out.Body = {std::move(Copy->first)};
  } else {
    Out.Variable = statement(declared(S->getLoopVariable()));
  }
  Out.Range = range(S->getRangeInit());
  llvm::append_range(Out.Body, statements(S->getBody()));
  return statement(std::move(Out), S);
}

body::ExprRef BodyBuilder::range(const Expr* E) {
  if (const std::optional<Counted> Of = countedRange(E))
    return libraryCall(E, "ikra::algorithm::iota", {expr(Of->First), expr(Of->Last)});
  const InitListExpr* List = listOf(E);
  if (!List)
    return expr(E);
  body::Listed Out;
  Out.Of = plainType(Ast.getAsArrayType(List->getType())->getElementType());
  for (const Expr* Element : List->inits())
    Out.Elements.push_back(expr(Element));
  return node(E, std::move(Out));
}

body::StmtRef BodyBuilder::choice(const SwitchStmt* S) {
  body::Switch Out;
  if (const VarDecl* V = variableDeclared(S->getInit()))
    Out.Head = declaration(V);
  else if (S->getInit())
    add(S->getInit(), Out.Before);
  if (const VarDecl* V = S->getConditionVariable())
    Out.Variable = declaration(V);
  else
    Out.Condition = expr(S->getCond());
  Out.Body = statements(S->getBody());
  return statement(std::move(Out), S);
}

body::StmtRef BodyBuilder::labelled(const CaseStmt* S) {
  body::Case Out;
  const Expr* Label = S->getLHS();
  const auto AddValue = [&](const llvm::APSInt& Value) {
    Out.Values.push_back(staticCast(Label, typeOf(Label->getType()),
                                    node(Label, body::Literal{llvm::toString(Value, 10)})));
  };
  // nvcc takes a range for its first value alone.
  if (const std::optional<CaseValues> Range = caseValues(S, Ast)) {
    for (llvm::APSInt Value = Range->First;; ++Value) {
      AddValue(Value);
      if (Value >= Range->Last)
        break;
    }
  } else if (holdsCall(Label)) {
    AddValue(Label->EvaluateKnownConstInt(Ast));
  } else {
    Out.Values.push_back(expr(Label));
  }
  body::Stmts Then;
  add(S->getSubStmt(), Then);
  if (!Then.empty())
    Out.Then = std::move(Then.front());
  return statement(std::move(Out), S);
}

void BodyBuilder::add(const Stmt* S, body::Stmts& Out) {
  const auto Add = [&](StmtRef Made) { Out.push_back(std::move(Made)); };
  if (const auto* E = dyn_cast<Expr>(S)) {
    const auto* Call = dyn_cast<CallExpr>(E->IgnoreParenImpCasts());
    const bool IsAtomic = Call && atomicOperation(Call);
    return Add(
        statement(body::Evaluate{IsAtomic ? atomicCall(Call, /*IsUnused=*/true) : expr(E)}, S));
  }
  switch (S->getStmtClass()) {
  case Stmt::NullStmtClass:
    return Add(statement(body::Empty{}));
  case Stmt::CompoundStmtClass:
    return Add(statement(body::Block{statements(S)}));
  case Stmt::AttributedStmtClass:
    if (hasSpecificAttr<FallThroughAttr>(cast<AttributedStmt>(S)->getAttrs()))
      return Add(statement(body::FallThrough{}));
    return add(cast<AttributedStmt>(S)->getSubStmt(), Out);
  case Stmt::DeclStmtClass:
    for (const Decl* D : cast<DeclStmt>(S)->decls())
      if (const auto* V = dyn_cast<VarDecl>(D))
        if (const StmtRef Made = declaration(V))
          Add(statement(Made->Is, S));
    return;
  case Stmt::ReturnStmtClass: {
    const Expr* Value = cast<ReturnStmt>(S)->getRetValue();
    if (isa<CXXConstructorDecl>(F.Decl)) // there is no lambda in one
      return Add(statement(body::Return{node(body::Receiver{})}, S));
    return Add(statement(body::Return{Value ? bound(Value) : nullptr}, S));
  }
  case Stmt::LabelStmtClass:
    return add(cast<LabelStmt>(S)->getSubStmt(), Out);
  case Stmt::BreakStmtClass:
    return Add(statement(body::Break{}, S));
  case Stmt::ContinueStmtClass:
    return Add(statement(body::Continue{}, S));
  case Stmt::IfStmtClass:
    return Add(branch(cast<IfStmt>(S)));
  case Stmt::SwitchStmtClass:
    return Add(choice(cast<SwitchStmt>(S)));
  case Stmt::CaseStmtClass:
    return Add(labelled(cast<CaseStmt>(S)));
  case Stmt::DefaultStmtClass: {
    body::Case Default;
    Default.IsDefault = true;
    body::Stmts Then;
    add(cast<DefaultStmt>(S)->getSubStmt(), Then);
    if (!Then.empty())
      Default.Then = std::move(Then.front());
    return Add(statement(std::move(Default), S));
  }
  case Stmt::WhileStmtClass:
    return Add(loop(cast<WhileStmt>(S)));
  case Stmt::DoStmtClass: {
    body::Do Loop{statements(cast<DoStmt>(S)->getBody()), nullptr};
    Loop.Condition = expr(cast<DoStmt>(S)->getCond());
    return Add(statement(std::move(Loop), S));
  }
  case Stmt::ForStmtClass:
    return Add(loop(cast<ForStmt>(S)));
  case Stmt::CXXForRangeStmtClass:
    return Add(loop(cast<CXXForRangeStmt>(S)));
  default:
    unknown(S->getBeginLoc(), S->getStmtClassName());
  }
}

/// True if the compiler writes the class's operator ==.
static bool comparesByMembers(const CXXRecordDecl* Class) {
  const auto IsEquality = [](const FunctionDecl* F) {
    return F && F->isDefaulted() && !F->isDeleted() && F->getOverloadedOperator() == OO_EqualEqual;
  };
  return llvm::any_of(Class->methods(), IsEquality) ||
         llvm::any_of(Class->friends(), [&](const FriendDecl* Friend) {
           const NamedDecl* Of = Friend->getFriendDecl();
           return Of && IsEquality(Of->getAsFunction());
         });
}

static void buildStructs(ASTContext& Ast, Diagnoser& Diags, ProgramModel& Model, CodeTypes& Types) {
  const Function Nowhere;
  for (Class& C : Model.Classes) {
    if (C.StructIdent.empty())
      continue;
    BodyBuilder Builder(Ast, Diags, Model, Types, Nowhere, nullptr);
    if (!C.IsValue) {
      C.StructMembers = Builder.copyMembers(static_cast<Index>(&C - Model.Classes.data()));
      continue;
    }
    C.StructMembers = Builder.structMembers(C.Decl);
    C.StructCompares = comparesByMembers(C.Decl);
  }
}

void buildBodies(ASTContext& Ast, Diagnoser& Diags, ProgramModel& Model) {
  CodeTypes Types(Ast, Model);
  buildStructs(Ast, Diags, Model, Types);
  UseChecks Checks(Ast, Model);
  for (Index I = 0; I < Model.Functions.size(); ++I)
    if (Model.Functions[I].Decl) {
      body::Body Made =
          BodyBuilder(Ast, Diags, Model, Types, I, Model.IsChecked ? &Checks : nullptr).build();
      Model.Functions[I].Takes = body::workOf(Made);
      Model.Functions[I].Code = std::move(Made);
    }
}

} // namespace ikra
