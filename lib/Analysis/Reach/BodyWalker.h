// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the body of one function that sections reach: refuses what cannot run in a section, and
// records members accessed and functions called. What it accepts is what BodyBuilder makes
// nodes of; what calls are, both ask CallForms.h.

#ifndef IKRA_ANALYSIS_REACH_BODYWALKER_H
#define IKRA_ANALYSIS_REACH_BODYWALKER_H

#include "Analysis/Ast/CallForms.h"
#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/StdFunctions.h"
#include "FunctionCollector.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace ikra {

struct AtomicOperation;

class BodyWalker {
public:
  BodyWalker(FunctionCollector& Collector, Index Function);
  void walk();
  /// Has copies of the class hold all its members, which the function assigns to an object.
  void assignAll(const clang::CXXRecordDecl* Class, clang::SourceLocation At) {
    holdAll(Class, /*Assigns=*/true, At);
  }
  /// Has them hold those of \p Written, and what may hold such.
  void holdWritten(const clang::CXXRecordDecl* Class, const std::set<Index>& Written,
                   clang::SourceLocation At);

private:
  enum class Access { Read, Write, ReadWrite, Atomic, None };

  // Statements
  void visit(const clang::Stmt* S);
  void visitDeclaration(const clang::DeclStmt* S);
  void visitVariable(const clang::VarDecl* V);
  /// True for arrays of pointers to objects, and of tuples with such, that are no references.
  bool isPointerArray(clang::QualType Ty);
  void visitPointerArray(clang::QualType Ty, const clang::Expr* Init, clang::SourceLocation At);
  void visitBindings(const clang::DecompositionDecl* V);
  bool checkBindings(const clang::DecompositionDecl* V);
  void visitInitialisers(const clang::CXXConstructorDecl* Constructor);
  void visitConditionally(const clang::Stmt* S);
  void visitRangeFor(const clang::CXXForRangeStmt* S);
  void visitOwnIterators(const clang::CXXForRangeStmt* S);

  // Expressions
  void visit(const clang::Expr* E, Access How);
  void visitCast(const clang::CastExpr* E, Access How);
  /// Notes that the function asks whether objects are of a class.
  void askClass(const clang::CXXRecordDecl* Class);
  /// typeid(*a) == typeid(T), or typeid(*a) == typeid(*b).
  void visitTypeTest(const TypeTest& Test);
  void visitBinary(const clang::BinaryOperator* E, Access How);
  void visitUnary(const clang::UnaryOperator* E, Access How);
  void visitMember(const clang::MemberExpr* E, Access How);
  /// A variable of the program.
  void visitGlobal(const clang::Expr* E, const clang::VarDecl* V, Access How);
  void visitName(const clang::DeclRefExpr* E, Access How);
  void visitConstruct(const clang::CXXConstructExpr* E);
  void visitSpan(const clang::CXXConstructExpr* E);
  /// Refuses arrays whose elements are too many to be made one by one.
  bool checkCount(clang::QualType Array, clang::SourceLocation At);
  void visitBraces(llvm::ArrayRef<clang::Expr*> Inits, const clang::Expr* E);

  // Calls (BodyWalkerCalls.cpp)
  void visitCall(const clang::CallExpr* E, Access How);
  void visitMethodCall(const clang::CXXMemberCallExpr* E, Access How);
  /// True for a variable that holds a lambda without captures and is not declared here: calls of it
  /// are calls of a function.
  bool isLambdaFromOutside(const clang::Expr* Closure);
  void visitClosureCall(const clang::Expr* Site, const clang::Expr* Closure,
                        const clang::CXXMethodDecl* Callee,
                        llvm::ArrayRef<const clang::Expr*> Arguments);
  void visitOperatorCall(const clang::CXXOperatorCallExpr* E, Access How);
  void visitUserOperator(const clang::CXXOperatorCallExpr* E, const clang::FunctionDecl* Callee);
  void refuseCall(const clang::CallExpr* E, const clang::FunctionDecl* Callee);
  void refuseMethod(const clang::CXXMemberCallExpr* E);
  void visitWindowRead(const clang::CXXOperatorCallExpr* E);
  void visitNative(const clang::CallExpr* E, const clang::FunctionDecl* Callee,
                   llvm::ArrayRef<const clang::Expr*> Arguments, Access How);
  // Pointers to values, iterators and algorithms (BodyWalkerPointers.cpp)
  bool isPointer(clang::QualType Ty) { return classify(Ty).Kind == TypeKind::Pointer; }
  /// A pointer's value. \param Writes what it points to may be written through it
  void visitPointer(const clang::Expr* E, bool Writes);
  void visitPointer(const clang::Expr* E) { visitPointer(E, mayWriteThrough(E->getType())); }
  /// What \p E is the address of.
  void visitAddressed(const clang::Expr* E, bool Writes);
  static bool mayWriteThrough(clang::QualType Pointer) {
    return !pointedTo(Pointer).isConstQualified();
  }
  bool isAddressable(const clang::Expr* E);
  void visitPointerOperator(const clang::CXXOperatorCallExpr* E);
  void visitAlgorithm(const clang::CallExpr* E, bool IsUnused);

  // What is called by what it is handed to (BodyWalkerCallables.cpp)
  using CallList = llvm::SmallVector<clang::QualType, 3>;
  /// True for a lambda, a function, an object with a call operator.
  bool isFunction(const clang::Expr* E) const;
  /// True for an argument that is called: a lambda, a function, an object of the user's class.
  bool isCallable(const clang::Expr* E) const;
  /// \param Lists the types that it is called with, references, each time
  /// \param Result what its results become; null: they stay what they are
  /// \param IsCopied an object is, where it is given
  /// \param Variants that hold what it is called with; none: it is called with other things
  /// \returns false, and nothing reported, where it cannot be called so
  bool visitCallable(const clang::Expr* E, llvm::ArrayRef<CallList> Lists, clang::QualType Result,
                     bool IsCopied, llvm::ArrayRef<const clang::Expr*> Variants = {});
  /// \returns true, and reports, where a variant would hold a converted pointer, or device code
  /// cannot tell as what.
  bool refuseHeld(clang::QualType Variant, llvm::ArrayRef<const clang::Expr*> Values,
                  clang::SourceLocation At);
  clang::QualType lvalueOf(clang::QualType Ty) const;
  std::vector<CallList> callsOfVisit(llvm::ArrayRef<const clang::Expr*> Variants);
  CallList callOfApply(const clang::Expr* Tuple);
  struct AlgorithmCalls {
    std::vector<CallList> Lists;
    clang::QualType Result;
  };
  /// How an algorithm calls its last argument; none where that is not called, or device code does
  /// not have the algorithm with a function.
  std::optional<AlgorithmCalls> callsOfAlgorithm(const AlgorithmCall& Of);
  /// What an argument of an algorithm leads to; for values, their type.
  clang::QualType elementIn(const AlgorithmArgument& Given);
  void visitInvoke(const clang::CallExpr* E);
  void visitHeld(const clang::CallExpr* E, const std::vector<CallList>& Lists);

  /// What may fail at \p Site: at(), value() of a std::optional, std::get of a std::variant.
  void visitChecked(const clang::Expr* Site, const clang::Expr* Object, Access How);
  void visitLambda(const clang::LambdaExpr* E);
  /// \param IsCaptured it stands elsewhere, and what it declares is no part of the function
  void visitBodies(const clang::LambdaExpr* E, bool IsCaptured = false);
  /// A lambda that the section captures, as if it stood in the section.
  void visitCaptured(const CapturedLambda& Of);
  /// How a method of a value class uses its receiver.
  static Access valueUse(const clang::CXXMethodDecl* Method);
  /// \param Unused nothing reads its result
  void visitAtomic(const clang::CallExpr* E, bool Unused);
  /// Of the standard library.
  void visitAtomic(const AtomicOperation& Of, bool Unused);
  void visitAll(llvm::ArrayRef<const clang::Expr*> Read) {
    for (const clang::Expr* E : Read)
      visit(E, Access::Read);
  }
  void visitArguments(const clang::FunctionDecl* Callee,
                      llvm::ArrayRef<const clang::Expr*> Arguments);
  void addCall(const clang::Expr* Site, const clang::FunctionDecl* Callee,
               const clang::Expr* Receiver, llvm::ArrayRef<const clang::Expr*> Arguments);
  /// Refuses a container member that cannot become a column, whatever is done with it.
  bool refuseMember(const clang::Expr* Object);
  bool refuseByName(const clang::Expr* Site, const clang::FunctionDecl* Callee);

  void access(const clang::FieldDecl* Field, const clang::Expr* Object, Access How,
              clang::SourceLocation At);
  /// A member of a value class, which need not be public.
  void reachHidden(const clang::FieldDecl* Member, clang::SourceLocation At);
  const ClassRoles& roles() const { return Collector.Builder.Model.Roles; }
  /// True if \p E is the section's element, or a variable that may have been set to it.
  bool isElement(const clang::Expr* E) const;
  bool checkType(clang::QualType Ty, clang::SourceLocation At);
  // Copies of whole objects (Copies.cpp)
  /// Why device code has no copies of objects of that type, in words that follow ","; empty where
  /// it has.
  std::string reasonNoCopy(clang::QualType Ty) const;
  /// True for what holds a whole object: a variable or a parameter, or the result of a function.
  bool acceptCopy(const clang::ValueDecl* Copy, clang::QualType Ty);
  bool isGivenCopy(unsigned K) const;
  /// Has copies of the class be what the program has of it, byte for byte: they come from the host,
  /// or go there.
  void copyWhole(const clang::CXXRecordDecl* Class, clang::SourceLocation At);
  bool isCopy(const clang::Expr* E) const;
  /// "a form; a remedy" where std::swap cannot be given this place; else empty.
  std::string refusedSwap(const clang::Expr* Place) const;
  /// What a member or a method is of; `this` stands for a copy nowhere else.
  void visitObject(const clang::Expr* Object, Access How);
  /// Of a copy.
  void accessCopy(const clang::FieldDecl* Field, Access How, clang::SourceLocation At);
  /// Has copies of the class hold all its members. \returns false, and reports, where they cannot
  bool holdAll(const clang::CXXRecordDecl* Class, bool Assigns, clang::SourceLocation At);
  void copyObject(const clang::Expr* Object, const clang::CXXRecordDecl* Class,
                  clang::SourceLocation At);
  void visitObjectMade(const clang::CXXConstructExpr* E);
  void visitObjectBraces(const clang::Expr* E, llvm::ArrayRef<clang::Expr*> Inits);
  void noteChanged(const clang::FunctionDecl* Native, llvm::ArrayRef<const clang::Expr*> Arguments);
  void visitObjectAssigned(const clang::CXXOperatorCallExpr* E, bool Unused);
  /// The variable of a range for.
  bool acceptCopyOfElement(const clang::CXXForRangeStmt* S);
  /// The class of a copy if that is known: of a variable or a temporary. A reference may refer to a
  /// base.
  const clang::CXXRecordDecl* exactClassOf(const clang::Expr* Copy) const;
  /// The method that a copy's virtual call runs; null, and reported, where it depends on the copy.
  const clang::CXXMethodDecl* calledOfCopy(const clang::CXXMethodDecl* Method,
                                           const clang::Expr* Receiver);
  void refuseCopy(clang::SourceLocation At, clang::QualType Ty, llvm::StringRef Reason);
  Type classify(clang::QualType Ty) { return Collector.Builder.classify(Ty); }
  auto classifier() {
    return [this](clang::QualType Ty) { return classify(Ty); };
  }
  /// Reports \p Message with its arguments, and how the section reaches the place.
  template <class... Arguments>
  void refuse(clang::SourceLocation At, Diag Message, const Arguments&... Values) {
    const Index Section = Collector.sectionOf(Self);
    const bool Always = Collector.fallsBackForAll(Section);
    FallsBack = FallsBack || Always || (isUnsupported(Message) && Collector.mayFallBack(Section));
    (Collector.Builder.Diags.report(At, Message, FallsBack, Always) << ... << Values);
    Collector.explainPath(Self);
    if (FallsBack)
      Collector.fallBack(Section);
  }
  Function& function() { return Collector.Builder.Model.Functions[Self]; }

  FunctionCollector& Collector;
  Index Self;
  const clang::FunctionDecl* Decl;      ///< it, or the captured lambda that is walked
  const clang::FunctionDecl* Returning; ///< it, or the lambda in it whose body is walked
  bool FallsBack = false;               ///< the section is left to the plain library
  bool IsHandedOut = false;             ///< as a result of type T&, through which a caller writes
  unsigned Conditional = 0;             ///< depth of statements that need not run
  bool MayHaveLeft = false;             ///< a return, break or continue may have been taken
  bool ResultUnused = false;            ///< the expression visited is a statement of its own
};

} // namespace ikra

#endif
