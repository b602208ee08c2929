// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A closure over types: pointers make objects, copies make values, and objects win.

#include "ClassRoles.h"

#include "ReachedGlobals.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace ikra {

namespace {

/// Whether code writes to elements of a container that it names, or hands them on to code that
/// does.
class ElementWrites final : public AstVisitor {
public:
  explicit ElementWrites(const VarDecl* Container)
      : AstVisitor(Instantiations), Container(Container) {}

  bool VisitBinaryOperator(BinaryOperator* E) override {
    return goOn(E->isAssignmentOp() && isPart(E->getLHS()));
  }
  bool VisitUnaryOperator(UnaryOperator* E) override {
    return goOn(E->isIncrementDecrementOp() && isPart(E->getSubExpr()));
  }
  bool VisitVarDecl(VarDecl* V) override {
    return goOn(mayWrite(V->getType()) && V->getInit() && isPart(V->getInit()));
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt* S) override {
    return goOn(mayWrite(S->getLoopVariable()->getType()) && isPart(S->getRangeInit()));
  }
  bool VisitCallExpr(CallExpr* E) override {
    const FunctionDecl* Callee = E->getDirectCallee();
    if (!Callee)
      return true;
    const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
    const bool IsOperator = isa<CXXOperatorCallExpr>(E) && Method && Method->isInstance();
    const Expr* Object = IsOperator ? E->getArg(0) : nullptr;
    if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E))
      Object = Call->getImplicitObjectArgument();
    if (Object && Method && !Method->isConst() && isUserClass(Method->getParent()) &&
        isPart(Object))
      return goOn(true);
    for (unsigned K = 0; K < Callee->getNumParams(); ++K)
      if (const unsigned At = K + (IsOperator ? 1 : 0);
          At < E->getNumArgs() && mayWrite(Callee->getParamDecl(K)->getType()) &&
          isPart(E->getArg(At)))
        return goOn(true);
    return true;
  }

  bool Found = false;

private:
  bool goOn(bool Writes) {
    Found |= Writes;
    return !Found;
  }
  static bool mayWrite(QualType Ty) {
    return Ty->isReferenceType() && !Ty->getPointeeType().isConstQualified();
  }
  /// The container, an element, or a member of one.
  bool isPart(const Expr* E) const {
    E = E->IgnoreParenImpCasts();
    if (const ValueDecl* Name = declNamed(E))
      return Name == Container;
    if (const auto* Member = dyn_cast<MemberExpr>(E))
      return isPart(Member->getBase());
    if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(E))
      return Call->getOperator() == OO_Subscript && isPart(Call->getArg(0));
    if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E)) // front(), at()
      return Call->isLValue() && isPart(Call->getImplicitObjectArgument());
    if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
      return isPart(Element->getBase());
    return false;
  }

  const VarDecl* Container;
};

class RoleFinder {
public:
  explicit RoleFinder(const Findings& Found) : Found(Found) {}

  ClassRoles run() {
    for (const OperationCall& Operation : Found.Operations)
      addOperation(Operation);
    addGlobals();
    follow();
    for (const CXXRecordDecl* Class : Written)
      if (!Values.contains(Class))
        addObjects(Class);
    follow();
    for (const CXXRecordDecl* Class : ByReference)
      if (!Values.contains(Class) || isOwnStruct(Class, Roles))
        addObjects(Class);
    follow();
    followHeld();
    findCopied();
    return std::move(Roles);
  }

private:
  /// Variables of the program lead to objects as captures do. They show no class to be a value.
  void addGlobals() {
    OfGlobal = true;
    for (const VarDecl* Global : findReachedGlobals(Found))
      addHolder(Global->getType().getNonReferenceType());
    OfGlobal = false;
  }

  /// Objects that others hold by value, of classes that have no values: they are objects too. What
  /// they point to is an object unless the program shows it to be a value.
  void followHeld() {
    OfHeld = true;
    for (std::size_t K = 0; K < Held.size(); ++K) {
      const CXXRecordDecl* Class = Held[K]->getDefinition();
      if (Class && !isPlainValueClass(Class, Roles))
        addObjects(Class);
      follow();
    }
  }

  /// The lambdas that an operation is given.
  static std::vector<const CXXRecordDecl*> closuresOf(const CallExpr& Call) {
    std::vector<const CXXRecordDecl*> Out;
    for (const Expr* Argument : Call.arguments()) {
      const CXXRecordDecl* Class = Argument->getType().getNonReferenceType()->getAsCXXRecordDecl();
      if (Class && Class->isLambda())
        Out.push_back(Class);
    }
    return Out;
  }

  /// Classes of objects that the program also has as elements, results and captured copies.
  void findCopied() {
    const auto Add = [&](QualType Ty) {
      Ty = Ty.getCanonicalType();
      if (const QualType Element = elementOfContainer(Ty); !Element.isNull())
        Ty = Element;
      const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
      if (Class && Roles.Objects.contains(Class->getCanonicalDecl()) && isCopiedWhole(Class, Roles))
        Roles.Copied.insert(Class->getCanonicalDecl());
    };
    for (const OperationCall& Operation : Found.Operations) {
      for (const QualType Element : Operation.Elements)
        Add(Element);
      Add(Operation.Call->getType());
      for (const CXXRecordDecl* Closure : closuresOf(*Operation.Call))
        for (const FieldDecl* Captured : Closure->fields())
          if (!Captured->getType()->isReferenceType())
            Add(Captured->getType());
    }
  }

  void addOperation(const OperationCall& Operation) {
    for (QualType Element : Operation.Elements)
      add(Element);
    add(Operation.Call->getType());
    for (const CXXRecordDecl* Closure : closuresOf(*Operation.Call)) {
      std::set<const FieldDecl*> ElementsWritten;
      addWritten(Closure, ElementsWritten);
      for (const FieldDecl* Captured : Closure->fields())
        if (ElementsWritten.contains(Captured))
          continue;
        else if (const CXXRecordDecl* Class = referredTo(Captured->getType()))
          ByReference.push_back(Class);
        else if (isOwnStruct(Captured->getType()->getAsCXXRecordDecl(), Roles))
          add(Captured->getType());
        else
          addHolder(Captured->getType());
    }
  }

  /// Containers captured by reference to whose elements the section writes: these are objects,
  /// since nobody may write to captured values.
  void addWritten(const CXXRecordDecl* Closure, std::set<const FieldDecl*>& Fields) {
    llvm::DenseMap<const ValueDecl*, FieldDecl*> Captures;
    FieldDecl* This = nullptr;
    Closure->getCaptureFields(Captures, This);
    for (const auto& [Of, Field] : Captures) {
      const auto* V = dyn_cast<VarDecl>(Of);
      if (!V || !Field->getType()->isReferenceType())
        continue;
      const QualType Container = Field->getType()->getPointeeType();
      const QualType Element = elementOfContainer(Container);
      const CXXRecordDecl* Class = Element.isNull() ? nullptr : Element->getAsCXXRecordDecl();
      if (Container.isConstQualified() || !isUserClass(Class))
        continue;
      ElementWrites Writes(V);
      if (const FunctionTemplateDecl* Generic = Closure->getDependentLambdaCallOperator())
        for (const FunctionDecl* Made : Generic->specializations()) {
          if (!Writes.Found && Made->hasBody())
            Writes.TraverseStmt(Made->getBody());
        }
      else
        Writes.TraverseStmt(Closure->getLambdaCallOperator()->getBody());
      if (!Writes.Found)
        continue;
      Fields.insert(Field);
      Written.push_back(Class->getCanonicalDecl());
    }
  }

  /// The class that a reference refers to, if it is a user's.
  static const CXXRecordDecl* referredTo(QualType Ty) {
    if (!Ty->isReferenceType())
      return nullptr;
    const CXXRecordDecl* Class = Ty->getPointeeType()->getAsCXXRecordDecl();
    return isUserClass(Class) ? Class->getCanonicalDecl() : nullptr;
  }

  /// The same of what may hold objects by value: a member, or what is captured.
  void addHolder(QualType Ty) {
    Holds = true;
    add(Ty);
    Holds = false;
  }

  /// What a variable, element or member of type \p Ty says of classes.
  void add(QualType Ty) {
    Ty = Ty.getCanonicalType();
    if (const auto* Array = dyn_cast<ConstantArrayType>(Ty.getTypePtr()))
      return add(Array->getElementType());
    if (const QualType Pointee = pointeeOf(Ty); !Pointee.isNull()) {
      const CXXRecordDecl* Class = Pointee->getAsCXXRecordDecl();
      if (!isUserClass(Class))
        return add(Pointee);
      if (!OfHeld || !Values.contains(Class->getCanonicalDecl()))
        addObjects(Class);
      return;
    }
    const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
    if (!Class)
      return;
    if (isUserClass(Class)) {
      if (!OfGlobal)
        Values.insert(Class->getCanonicalDecl());
      if (Holds)
        Held.push_back(Class->getCanonicalDecl());
    }
    // Elements of containers, tuples and arrays.
    else if (const auto* Spec = dyn_cast<ClassTemplateSpecializationDecl>(Class))
      for (const TemplateArgument& Of : Spec->getTemplateArgs().asArray())
        addArgument(Of);
  }
  void addArgument(const TemplateArgument& Of) {
    if (Of.getKind() == TemplateArgument::Type)
      add(Of.getAsType());
    else if (Of.getKind() == TemplateArgument::Pack)
      for (const TemplateArgument& In : Of.getPackAsArray())
        addArgument(In);
  }

  void addObjects(const CXXRecordDecl* Class) {
    if (!Roles.Objects.insert(Class->getCanonicalDecl()).second)
      return;
    New.push_back(Class->getCanonicalDecl());
    if (Through)
      Roles.Through.emplace(Class->getCanonicalDecl(), Through);
  }

  /// Members of object classes, their bases, and classes derived from them.
  void follow() {
    while (!New.empty()) {
      const CXXRecordDecl* Class = New.pop_back_val()->getDefinition();
      if (!Class)
        continue;
      for (const CXXBaseSpecifier& Base : Class->bases())
        if (const CXXRecordDecl* Of = Base.getType()->getAsCXXRecordDecl(); isUserClass(Of))
          addObjects(Of);
      for (const FieldDecl* Member : Class->fields())
        if (Member->isReferenced()) { // what nothing names, no section reaches
          Through = Member;
          addHolder(Member->getType());
          Through = nullptr;
        }
      for (const CXXRecordDecl* Other : Found.UserClasses)
        if (Other->hasDefinition() && Other->isDerivedFrom(Class))
          addObjects(Other);
    }
  }

  const Findings& Found;
  ClassRoles Roles;
  std::set<const CXXRecordDecl*> Values;
  std::vector<const CXXRecordDecl*> ByReference;
  std::vector<const CXXRecordDecl*> Written; ///< elements of containers captured by reference
  std::vector<const CXXRecordDecl*> Held;    ///< by members and by what is captured
  bool Holds = false;                        ///< what is added, something holds by value
  bool OfGlobal = false;                     ///< what is added, a variable of the program is
  bool OfHeld = false;                       ///< what is added, a class in Held leads to
  llvm::SmallVector<const CXXRecordDecl*> New;
  const FieldDecl* Through = nullptr; ///< the member that is followed
};

} // namespace

ClassRoles findRoles(const Findings& Found) { return RoleFinder(Found).run(); }

} // namespace ikra
