// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the bodies of functions that sections reach from clang's AST (Model/Body.h). What it meets
// BodyWalker has accepted; a node that it does not know all the same is an error at its place. What
// a call is, both ask CallForms.h.
// Implicit conversions are left to the compiler of emitted code, which makes the same ones again,
// but for those of pointers, which are IDs there, and those that a user's class begins.

#ifndef IKRA_ANALYSIS_BODIES_BODYBUILDER_H
#define IKRA_ANALYSIS_BODIES_BODYBUILDER_H

#include "Analysis/Ast/CallForms.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Types.h"
#include "Analysis/Diagnostics.h"
#include "Model/ProgramModel.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace ikra {

class UseChecks;

/// Gives each function of the model its body, and the model its constant arrays.
void buildBodies(clang::ASTContext& Ast, Diagnoser& Diags, ProgramModel& Model);

/// How types of the program are written in device code.
class CodeTypes {
public:
  CodeTypes(clang::ASTContext& Ast, const ProgramModel& Model) : Ast(Ast), Model(Model) {}
  Type classify(clang::QualType Ty);
  TypeRef of(clang::QualType Ty);
  /// The same of copies of objects, references to them, and containers of them.
  TypeRef ofCopy(clang::QualType Ty);

private:
  TypeRef make(clang::QualType Ty);

  clang::ASTContext& Ast;
  const ProgramModel& Model;
  llvm::DenseMap<void*, Type> Classified;
  llvm::DenseMap<void*, TypeRef> Made;
};

class BodyBuilder {
public:
  BodyBuilder(clang::ASTContext& Ast, Diagnoser& Diags, ProgramModel& Model, CodeTypes& Types,
              Index Function, UseChecks* Checks = nullptr);
  body::Body build();

  /// How the turns of a host's loop (Turns/TurnFinder.h) name what is no name in them: a variable
  /// of the host, a reduction's result. Gives an empty name for all else.
  using Names = llvm::function_ref<std::string(const clang::Expr*)>;
  /// For code of the host, in no section. \p Home: the function around it, without a body.
  BodyBuilder(clang::ASTContext& Ast, Diagnoser& Diags, ProgramModel& Model, CodeTypes& Types,
              const Function& Home, Names Named);
  body::ExprRef valueOf(const clang::Expr* E) { return expr(E); }
  body::Stmts codeOf(const clang::Stmt* S) { return statements(S); }
  /// Members of a struct that device code has in place of the program's.
  std::vector<StructMember> structMembers(const clang::CXXRecordDecl* Struct);
  /// Of the struct that copies of objects of the class are.
  std::vector<StructMember> copyMembers(Index Class);

private:
  using ExprRef = body::ExprRef;
  using StmtRef = body::StmtRef;

  // Heads
  std::vector<body::Parameter> parameters();
  clang::QualType givenType(const clang::ParmVarDecl* Parameter);
  body::Conversion conversion();
  void addReceiver(body::Body& Out);
  bool isOneLine();
  static std::string parameterName(const clang::FunctionDecl* Of, unsigned K);
  std::string unusedName(std::string Name) const;
  std::string nameOf(const clang::DecompositionDecl& Bindings) const;

  // Statements
  body::Stmts statements(const clang::Stmt* S);
  void add(const clang::Stmt* S, body::Stmts& Out);
  StmtRef branch(const clang::IfStmt* S);
  StmtRef loop(const clang::ForStmt* S);
  StmtRef loop(const clang::WhileStmt* S);
  StmtRef loop(const clang::CXXForRangeStmt* S);
  StmtRef ownIterators(const clang::CXXForRangeStmt* S);
  StmtRef choice(const clang::SwitchStmt* S);
  StmtRef labelled(const clang::CaseStmt* S);
  void addInitialisers(const clang::CXXConstructorDecl* Constructor, body::Stmts& Out);
  /// Null for static variables: their uses are their values.
  StmtRef declaration(const clang::VarDecl* V);
  /// A variable's type and name; for structured bindings what they bind, and theirs.
  body::Declare declared(const clang::VarDecl* V);
  TypeRef variableType(const clang::VarDecl* V);
  TypeRef arrayType(clang::QualType Ty);
  bool isPointerArray(clang::QualType Ty);
  /// What a range for goes through; a list in braces as an array.
  ExprRef range(const clang::Expr* E);
  std::optional<SourceLoc> locOf(const clang::Stmt* S) const;
  StmtRef statement(body::Stmt::Node Node, const clang::Stmt* At = nullptr) const;

  // Expressions
  ExprRef expr(const clang::Expr* E);
  ExprRef node(const clang::Expr* E, body::Expr::Node Node);
  static ExprRef node(body::Expr::Node Node);
  ExprRef literal(const clang::Expr* E);
  ExprRef unary(const clang::UnaryOperator* E);
  ExprRef braces(const clang::InitListExpr* E);
  /// As what a variable, a parameter or a result is made from: an rvalue reference is only bound to
  /// what says that it may be.
  ExprRef bound(const clang::Expr* E);
  ExprRef conversionOf(const clang::CastExpr* E);
  bool isBitField(const clang::Expr* E) const;
  ExprRef bitFieldValue(const clang::Expr* E);
  ExprRef enumerator(const clang::Expr* E, const clang::EnumConstantDecl* D);
  /// The value of a variable that cannot change: the variable itself may not be there on a device.
  ExprRef constant(const clang::Expr* E, const clang::VarDecl* V);
  Index tableOf(const clang::VarDecl* V);
  ExprRef integer(const clang::Expr* E, const llvm::APSInt& Value);
  ExprRef evaluated(const clang::Expr* E);
  ExprRef valueInitialised(const clang::Expr* E);
  ExprRef name(const clang::DeclRefExpr* E);
  ExprRef member(const clang::MemberExpr* E);
  ExprRef staticCast(const clang::Expr* E, TypeRef To, ExprRef Of);
  /// \p Argument as the parameter's type: a function of the standard library has overloads, of
  /// which the argument's own type could choose another than the program did.
  ExprRef converted(const clang::Expr* Argument);
  ExprRef unknown(clang::SourceLocation At, llvm::StringRef What);

  // Values of classes (BodyBuilderValues.cpp)
  ExprRef construct(const clang::CXXConstructExpr* E);
  ExprRef span(const clang::CXXConstructExpr* E);
  ExprRef text(const clang::StringLiteral* E);
  ExprRef made(const clang::CXXConstructExpr* E, body::Exprs Arguments);
  ExprRef braced(const clang::Expr* E, bool WithType, llvm::ArrayRef<const clang::Expr*> Inits);
  ExprRef valueMember(const clang::MemberExpr* E, const clang::FieldDecl* Member);
  ExprRef part(const clang::Expr* E, ExprRef Object, const clang::FieldDecl* Member,
               bool ThroughPointer = false);
  /// \p Of as the base that \p Cast leads to, if that is not public: a cast of one form alone asks
  /// for no access.
  ExprRef asHiddenBase(const clang::CastExpr* Cast, ExprRef Of, bool ToPointer);
  /// \p Of, what \p E is without its implicit conversions, through bases that are not public.
  ExprRef throughBases(const clang::Expr* E, ExprRef Of);
  ExprRef temporary(const clang::MaterializeTemporaryExpr* E);
  /// The receiver of a value's method: one that changes it may be called of a temporary.
  ExprRef receiver(const clang::Expr* E, const clang::FunctionDecl* Callee);
  ExprRef rewritten(const clang::CXXRewrittenBinaryOperator* E);
  ExprRef inheritedCall(const clang::CXXInheritedCtorInitExpr* E);
  body::Exprs arguments(llvm::ArrayRef<const clang::Expr*> Arguments);
  body::Exprs nativeArguments(llvm::ArrayRef<const clang::Expr*> Arguments);

  // Copies of objects (BodyBuilderCopies.cpp)
  bool isCopy(const clang::Expr* E) const { return ikra::isCopy(F, E, Model.Roles); }
  std::vector<Index> membersOfCopies(Index Class) const;
  Index classOf(clang::QualType Ty) const;
  /// What device code has of an object: a copy, of which \p E is the expression.
  ExprRef copied(const clang::Expr* E, clang::QualType Class, ExprRef Object);
  body::Exprs partsOf(Index Class, const ExprRef& Object);
  ExprRef partOf(Index Number, const ExprRef& Object);
  ExprRef objectMade(const clang::CXXConstructExpr* E);
  ExprRef objectAssigned(const clang::CXXOperatorCallExpr* E);
  void assignParts(Index Class, const std::set<Index>& Assigned, const ExprRef& To,
                   const ExprRef& From, body::Exprs& Out);
  /// \p Ty, a built-in array, element by element.
  void assignElements(clang::QualType Ty, const ExprRef& To, const ExprRef& From, body::Exprs& Out);
  ExprRef elements(clang::QualType Ty, const ExprRef& Of);
  /// Calls \p Make with a name of \p Value, where that is more than one already.
  ExprRef withName(const clang::Expr* E, std::string Name, ExprRef Value,
                   llvm::function_ref<ExprRef(ExprRef)> Make);
  /// Where a range for goes through objects by copies: the copy, and what the loop goes through in
  /// its place.
  std::optional<std::pair<StmtRef, body::Declare>> copyInLoop(const clang::VarDecl* V);

  // Lambdas (BodyBuilderValues.cpp)
  ExprRef lambda(const clang::LambdaExpr* E);
  ExprRef bodies(const clang::LambdaExpr* E, const std::vector<body::Lambda::Capture>& Captures);
  ExprRef overloads(const clang::InitListExpr* E);
  ExprRef function(const clang::FunctionDecl* Of, std::vector<body::Lambda::Capture> Captures,
                   bool IsMutable, std::string Tag = "");
  ExprRef capturedLambda(const CapturedLambda& Of);
  /// An argument that is called by what it is handed to.
  ExprRef adapter(const clang::Expr* Argument, const Adapter& By);
  /// A parameter's type that tells a generic lambda's function from another one that takes the same
  /// here; empty where there is none.
  std::string instanceTag(const clang::FunctionDecl* Of);
  /// The same of one of several lambdas in a class.
  std::string overloadTag(clang::QualType Closure, const clang::FunctionDecl* Of);
  ExprRef heldInVariant(clang::QualType Variant, const clang::Expr* Value);

  // Calls (BodyBuilderCalls.cpp)
  ExprRef call(const clang::CallExpr* E);
  ExprRef methodCall(const clang::CXXMemberCallExpr* E);
  ExprRef plainMethodCall(const clang::CXXMemberCallExpr* E);
  ExprRef ofArray(const clang::CXXMemberCallExpr* E, llvm::StringRef Name, std::uint64_t Size);
  /// The number of a class in the model, if it is there.
  std::optional<Index> numberOf(const clang::CXXRecordDecl* Class) const;
  bool areOfOneFamily(std::optional<Index> A, std::optional<Index> B) const;
  /// What a comparison of typeids is.
  ExprRef typeTested(const clang::Expr* E, const TypeTest& Test);
  /// Whether an object is of a class, or the object if it is.
  ExprRef ofClass(const clang::Expr* E, body::OfClass::Form Form, const clang::Expr* Object,
                  const clang::CXXRecordDecl* Class);
  ExprRef operatorCall(const clang::CXXOperatorCallExpr* E);
  ExprRef plainOperator(const clang::CXXOperatorCallExpr* E);
  ExprRef windowRead(const clang::CXXOperatorCallExpr* E);
  ExprRef userCall(const clang::Expr* Site, const clang::Expr* Receiver,
                   llvm::ArrayRef<const clang::Expr*> Arguments);
  ExprRef closureCall(const clang::CallExpr* E, const clang::Expr* Closure,
                      llvm::ArrayRef<const clang::Expr*> Arguments);
  ExprRef complexCall(const clang::CallExpr* E, llvm::StringRef Name,
                      llvm::ArrayRef<const clang::Expr*> Arguments);
  ExprRef nativeCall(const clang::CallExpr* E, CallForm Form);
  ExprRef libraryCall(const clang::Expr* E, std::string Name, body::Exprs Arguments);
  ExprRef assertion(const clang::CallExpr* E);
  body::TemplateArgument firstArgument(const clang::FunctionDecl* Callee);
  ExprRef ofHolder(const clang::CXXOperatorCallExpr* E);
  bool isPointer(clang::QualType Ty) { return Types.classify(Ty).Kind == TypeKind::Pointer; }
  bool isObject(clang::QualType Ty) { return Types.classify(Ty).Kind == TypeKind::Object; }
  auto classifier() {
    return [this](clang::QualType Ty) { return Types.classify(Ty); };
  }
  ExprRef thisObject(const clang::Expr* E);
  /// What a pointer to a value points to.
  ExprRef pointed(const clang::Expr* Pointer);
  ExprRef pointerOperator(const clang::CXXOperatorCallExpr* E);
  /// \param IsUnused nobody asks for what it gives
  ExprRef atomicCall(const clang::CallExpr* E, bool IsUnused);
  ExprRef extremum(const clang::CallExpr* E, llvm::StringRef Name,
                   llvm::ArrayRef<const clang::Expr*> Numbers);
  ExprRef algorithm(const clang::CallExpr* E);
  ExprRef sizeOf(const clang::CallExpr* E);
  ExprRef iteratorOf(const clang::Expr* E, llvm::StringRef Name, const clang::Expr* Container);

  // Order of evaluation (BodyBuilderOrder.cpp)
  /// What C++ says of the operands of a call in the program that is a function's call here.
  enum class Order { Any, FirstBefore, LeftToRight, RightToLeft };
  struct Operand {
    const clang::Expr* E;
    ExprRef Value;
    bool IsElement = false; ///< the section's, which stays what it is
  };
  static Order orderOf(const clang::Expr* Site);
  bool orderMatters(Order How, llvm::ArrayRef<const clang::Expr*> Operands) const;
  /// \p Call of the operands; where their order matters they are evaluated before it.
  ExprRef inOrder(const clang::Expr* E, Order How, llvm::ArrayRef<Operand> Operands,
                  bool GivesLValue, llvm::function_ref<ExprRef(body::Exprs)> Call);

  // Names
  bool isCapture(const clang::ValueDecl* V) const;
  /// True if it is a lambda that is captured: in the body, a variable that is made of its captures.
  bool isCapturedLambda(const clang::ValueDecl* V) const;
  ExprRef captured(const clang::Expr* E, const std::string& Name) const;
  std::string variableName(const clang::ValueDecl* V) const;
  /// The element itself, as functions that take it are given it.
  ExprRef element(const clang::Expr* E, bool AsId);
  const clang::CXXRecordDecl* valueClass(clang::QualType Ty) const {
    return valueClassOf(Ty, Model.Roles);
  }
  TypeRef typeOf(clang::QualType Ty) { return Types.of(Ty); }
  TypeRef plainType(clang::QualType Ty) { return Types.of(Ty.getUnqualifiedType()); }
  /// Of results: the const of a number says nothing, and compilers warn of it.
  static clang::QualType resultType(clang::QualType Ty) {
    return Ty->isScalarType() ? Ty.getUnqualifiedType() : Ty;
  }

  clang::ASTContext& Ast;
  Diagnoser& Diags;
  ProgramModel& Model;
  CodeTypes& Types;
  const Function& F;
  const Section* OfSection = nullptr;     ///< whose code it is
  const clang::FunctionDecl* Home;        ///< the function, or the captured lambda that is built
  const CapturedLambda* Within = nullptr; ///< that lambda
  std::set<std::string> Used;             ///< names that the function declares
  mutable std::map<const clang::Decl*, std::string> BindingNames;
  std::string Self;                      ///< name of the receiver
  const clang::Expr* Adapting = nullptr; ///< the argument whose adapter is built
  std::string TagOfOverload;             ///< of the lambda that is built next
  UseChecks* Checks = nullptr;           ///< in checked builds
  Names Named = nullptr;                 ///< of the host's code alone
  bool InLambda = false;                 ///< in a lambda's body, whose statements have no places
};

} // namespace ikra

#endif
