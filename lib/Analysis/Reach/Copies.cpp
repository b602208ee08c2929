// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of whole objects: `for (Body other : bodies)`. A device has objects as columns, and no
// copy of one. But while neither the copy nor the object changes, and nobody asks which of both a
// pointer leads to, they cannot be told apart: device code has the object in place of the copy.

#include "BodyWalker.h"

#include "clang/AST/DeclCXX.h"
#include "clang/Analysis/Analyses/ExprMutationAnalyzer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace ikra {

/// True if the program has no code of its own that runs when such an object is copied, or the copy
/// ends.
static bool isCopiedByMembers(const CXXRecordDecl* Class) {
  Class = Class ? Class->getDefinition() : nullptr;
  if (!Class || !isUserClass(Class))
    return Class != nullptr;
  const CXXDestructorDecl* Destructor = Class->getDestructor();
  if (Class->isUnion() || Class->hasMutableFields() || Class->getNumVBases() > 0 ||
      Class->defaultedCopyConstructorIsDeleted() || (Destructor && Destructor->isUserProvided()) ||
      llvm::any_of(Class->ctors(), [](const CXXConstructorDecl* Constructor) {
        return Constructor->isCopyOrMoveConstructor() &&
               (Constructor->isUserProvided() || Constructor->isDeleted());
      }))
    return false;
  const auto IsCopied = [](QualType Ty) {
    while (const auto* Array = dyn_cast<ConstantArrayType>(Ty.getCanonicalType().getTypePtr()))
      Ty = Array->getElementType();
    const CXXRecordDecl* Held = Ty->getAsCXXRecordDecl();
    return !Held || isCopiedByMembers(Held);
  };
  return llvm::all_of(Class->bases(),
                      [&](const CXXBaseSpecifier& Base) { return IsCopied(Base.getType()); }) &&
         llvm::all_of(Class->fields(),
                      [&](const FieldDecl* Member) { return IsCopied(Member->getType()); });
}

std::string BodyWalker::reasonNoCopy(QualType Ty) const {
  const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
  if (Ty->isReferenceType() || !isObjectClass(Class, roles()) || !Class->hasDefinition())
    return "where no objects are made";
  return isCopiedByMembers(Class) ? "" : "which runs code of its class";
}

bool BodyWalker::acceptCopy(const ValueDecl* Copy, QualType Ty) {
  // A section's parameter is the element.
  if (!reasonNoCopy(Ty).empty() || (function().IsSection && !isDeclaredIn(Copy, Decl)) ||
      (function().IsSection && isa<ParmVarDecl>(Copy)))
    return false;
  if (Copy != Decl) {
    if (Copy->getDeclContext() != Decl)
      return false; // of a lambda, which may be called later
    ExprMutationAnalyzer Changes(*Decl->getBody(), Collector.Builder.Context);
    if (Changes.isMutated(Copy)) {
      refuse(Copy->getLocation(), Diag::object_by_value, Ty->getAsCXXRecordDecl()->getName(),
             "and the copy may be changed");
      Collector.Builder.explainRole(Ty);
      return true;
    }
  }
  Collector.Builder.declare(Collector.Builder.Context.getLValueReferenceType(Ty));
  function().Copies.push_back({Copy == Decl ? "result" : Copy->getNameAsString(), Copy});
  return true;
}

bool BodyWalker::isChangeableCopy(const Expr* E) const {
  const CXXRecordDecl* Class = E->getType()->getAsCXXRecordDecl();
  return isa<MaterializeTemporaryExpr>(E) && !E->getType().isConstQualified() &&
         !isClosure(E->getType()) && isObjectClass(Class, roles()) &&
         reasonNoValue(Class, roles()).empty();
}

//===-- what the whole section does --------------------------------------------------------===//

/// Why a copy of \p Class may differ from what it copies while the code of a section, \p F, has it;
/// empty where it cannot.
static std::string reasonToDiffer(const ProgramModel& Model, const Function& F, Index Class) {
  const auto IsOfFamily = [&](Index M) {
    return Model.Classes[Model.Members[M].Class].Family == Model.Classes[Class].Family;
  };
  for (const Index M : F.Total.written()) {
    const bool IsOthers = F.Total.WriteOther.contains(M) || F.Total.Atomic.contains(M);
    if (F.Total.ReadOther.contains(M) || (IsOthers && IsOfFamily(M)))
      return "which also writes '" + Model.Members[M].Name + "'";
  }
  if (F.ComparesObjects)
    return "which also compares pointers to objects";
  const std::vector<Index>& Concrete = Model.Classes[Class].Concrete;
  if (Model.Classes[Class].Polymorphic && Concrete != std::vector{Class})
    return "and classes are derived from its own";
  return "";
}

void FunctionCollector::checkCopies() {
  const ProgramModel& Model = Builder.Model;
  for (const Section& S : Model.Sections) {
    std::set<Index> Reached;
    addReached(Model, S.Code.Function, Reached);
    for (const Index I : Reached)
      for (const auto& [Name, Copy] : Model.Functions[I].Copies) {
        const auto* F = dyn_cast<FunctionDecl>(Copy);
        const CXXRecordDecl* Decl =
            (F ? F->getReturnType() : Copy->getType())->getAsCXXRecordDecl();
        const std::string Reason = reasonToDiffer(Model, Model.Functions[S.Code.Function],
                                                  Builder.findClass(Decl).value());
        if (Reason.empty())
          continue;
        const bool FallsBack = mayFallBack(S.Code.Function) || fallsBackForAll(S.Code.Function);
        Builder.Diags.report(Copy->getLocation(), Diag::object_by_value, FallsBack)
            << Decl->getNameAsString() << Reason;
        explainPath(I);
        if (FallsBack)
          fallBack(S.Code.Function);
      }
  }
}

} // namespace ikra
