// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A closure over types: pointers make objects, copies make values, and objects win.

#include "ClassRoles.h"

#include "Analysis/Ast/Types.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace ikra {

namespace {

class RoleFinder {
public:
  explicit RoleFinder(const Findings& Found) : Found(Found) {}

  ClassRoles run() {
    for (const OperationCall& Operation : Found.Operations)
      addOperation(Operation);
    follow();
    for (const CXXRecordDecl* Class : ByReference)
      if (!Values.contains(Class) || isOwnStruct(Class, Roles))
        addObjects(Class);
    follow();
    followHeld();
    return std::move(Roles);
  }

private:
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

  void addOperation(const OperationCall& Operation) {
    for (QualType Element : Operation.Elements)
      add(Element);
    add(Operation.Call->getType());
    for (const Expr* Argument : Operation.Call->arguments()) {
      const CXXRecordDecl* Closure =
          Argument->getType().getNonReferenceType()->getAsCXXRecordDecl();
      if (!Closure || !Closure->isLambda())
        continue;
      for (const FieldDecl* Captured : Closure->fields())
        if (const CXXRecordDecl* Class = referredTo(Captured->getType()))
          ByReference.push_back(Class);
        else if (isOwnStruct(Captured->getType()->getAsCXXRecordDecl(), Roles))
          add(Captured->getType());
        else
          addHolder(Captured->getType());
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
  std::vector<const CXXRecordDecl*> Held; ///< by members and by what is captured
  bool Holds = false;                     ///< what is added, something holds by value
  bool OfHeld = false;                    ///< what is added, a class in Held leads to
  llvm::SmallVector<const CXXRecordDecl*> New;
  const FieldDecl* Through = nullptr; ///< the member that is followed
};

} // namespace

ClassRoles findRoles(const Findings& Found) { return RoleFinder(Found).run(); }

} // namespace ikra
