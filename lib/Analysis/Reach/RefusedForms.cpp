// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RefusedForms.h"

#include "Analysis/Ast/Names.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace clang;

namespace ikra {

static std::string byClangsName(const char* Name) {
  return (llvm::Twine("what clang calls ") + Name + "; write it otherwise, or outside").str();
}

std::string refusedForm(const Stmt* S) {
  switch (S->getStmtClass()) {
  case Stmt::StmtExprClass:
    return "a statement as an expression, ({ ... }); write a lambda and call it";
  case Stmt::BinaryConditionalOperatorClass:
    return "?: without a middle operand; write it, x ? x : y";
  case Stmt::CXXReinterpretCastExprClass:
    return "reinterpret_cast; call std::bit_cast for the bits of a value";
  case Stmt::BuiltinBitCastExprClass:
    return "__builtin_bit_cast; call std::bit_cast";
  case Stmt::CompoundLiteralExprClass:
    return "a compound literal, (T){...}; write T{...}";
  case Stmt::PredefinedExprClass:
  case Stmt::SourceLocExprClass:
    return "the name or the place of a function; take it on the host";
  case Stmt::AtomicExprClass:
    return "an atomic builtin; call ikra::atomic_add, or use a std::atomic_ref";
  default:
    return byClangsName(S->getStmtClassName());
  }
}

std::string refusedCast(const CastExpr* E) {
  switch (E->getCastKind()) {
  case CK_BitCast:
  case CK_LValueBitCast:
    return "a pointer or a reference to bits of another type; call std::bit_cast for the bits of "
           "a value";
  case CK_PointerToIntegral:
  case CK_IntegralToPointer:
    return "an address as a number; give objects a number of their own, as a member";
  default:
    return byClangsName(E->getCastKindName());
  }
}

/// The class of objects that a value is, or that a container, a tuple or the like holds.
static const CXXRecordDecl* objectsIn(QualType Ty, const ClassRoles& Roles) {
  Ty = Ty.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (isObjectByValue(Ty, Roles))
    return Ty->getAsCXXRecordDecl();
  const auto* Of = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Ty->getAsCXXRecordDecl());
  if (!Of || !isInStd(Of) || !pointeeOf(Ty).isNull()) // what owners lead to is no part
    return nullptr;
  for (const TemplateArgument& Argument : Of->getTemplateArgs().asArray())
    for (const TemplateArgument& Each : Argument.getKind() == TemplateArgument::Pack
                                            ? Argument.getPackAsArray()
                                            : llvm::ArrayRef(Argument))
      if (const CXXRecordDecl* Class = Each.getKind() == TemplateArgument::Type
                                           ? objectsIn(Each.getAsType(), Roles)
                                           : nullptr)
        return Class;
  return nullptr;
}

std::string refusedOfObjects(const FunctionDecl* Callee, const CallExpr* E,
                             const ClassRoles& Roles) {
  if (!isInStd(Callee))
    return "";
  llvm::SmallVector<const Expr*> Given(E->arguments());
  if (const auto* Call = dyn_cast<CXXMemberCallExpr>(E))
    Given.push_back(Call->getImplicitObjectArgument());
  const CXXRecordDecl* Class = nullptr;
  for (const Expr* Argument : Given)
    if (!Class)
      Class = objectsIn(Argument->getType(), Roles);
  if (!Class)
    return "";
  const OverloadedOperatorKind Op = Callee->getOverloadedOperator();
  const bool IsOfContainer = !elementOfContainer(Given.front()->getType()).isNull();
  const char* Remedy = "write a function of your own";
  if (Op == OO_Equal)
    Remedy = IsOfContainer ? "assign each element" : "assign each part";
  else if (Op == OO_Call) { // of std::less and its kin, or of what std::ranges has as functions
    if (!cast<CXXMethodDecl>(Callee)->getParent()->getName().starts_with("_"))
      Remedy = "write the operator";
  } else if (CXXOperatorCallExpr::isComparisonOp(Op) || Op == OO_Spaceship)
    Remedy = IsOfContainer ? "compare each element" : "compare each part";
  else if (Callee->getIdentifier())
    Remedy = llvm::StringSwitch<const char*>(Callee->getName())
                 .Case("exchange", "copy the old value, and assign the new one")
                 .Case("clamp", "call std::min and std::max")
                 .Case("swap", "swap each element")
                 .Case("fill", "assign each element")
                 .Case("invoke", "call the method")
                 .Default(Remedy);
  return ("'" + Callee->getQualifiedNameAsString() + "' of objects of class '" + Class->getName() +
          "': it is there for values alone; " + Remedy)
      .str();
}

static bool isContainer(const CXXRecordDecl* Class) {
  return Class && Class->hasDefinition() && isInStd(Class) &&
         llvm::any_of(Class->methods(),
                      [](const CXXMethodDecl* Method) { return hasName(Method, {"begin"}); });
}

QualType containerBase(const CXXRecordDecl* Class) {
  for (const CXXBaseSpecifier& Base : Class->bases()) {
    const CXXRecordDecl* Of = Base.getType()->getAsCXXRecordDecl();
    if (isContainer(Of))
      return Base.getType();
    if (!isUserClass(Of) || !Of->hasDefinition())
      continue;
    if (const QualType Further = containerBase(Of->getDefinition()); !Further.isNull())
      return Further;
  }
  return {};
}

std::string refusedBase(const Expr* Object, const ClassRoles& Roles, bool OfValues) {
  const auto ClassOf = [](QualType Ty) {
    return (Ty->isPointerType() ? Ty->getPointeeType() : Ty)->getAsCXXRecordDecl();
  };
  for (Object = Object->IgnoreParens(); const auto* Cast = dyn_cast<CastExpr>(Object);
       Object = Cast->getSubExpr()->IgnoreParens())
    if (const CXXRecordDecl *To = ClassOf(Cast->getType()),
        *From = ClassOf(Cast->getSubExpr()->getType());
        isContainer(To) && isUserClass(From) && (OfValues || !isValueClass(From, Roles)))
      return "a std::" + To->getNameAsString() + " that a class derives from; hold " +
             (elementOfContainer(Cast->getType()->isPointerType()
                                     ? Cast->getType()->getPointeeType()
                                     : Cast->getType())
                      .isNull()
                  ? "a std::vector"
                  : "it") +
             " as a member, and name that";
  return "";
}

std::string refusedPointer(QualType Pointer) {
  Pointer = Pointer.getNonReferenceType();
  const QualType To = Pointer->isPointerType() ? Pointer->getPointeeType() : pointeeOf(Pointer);
  const CXXRecordDecl* Class = To.isNull() ? nullptr : To->getAsCXXRecordDecl();
  const bool IsOfIkra = isNamedInIkra(Class, {"array"});
  if (!IsOfIkra &&
      !isNamedInStd(Class, {"vector", "array", "optional", "variant", "pair", "tuple"}))
    return "";
  return (IsOfIkra ? "an ikra::" : "a std::") + Class->getNameAsString() +
         " that a pointer leads to, which is not followed; hold it as a member, or capture it by "
         "reference in a peach, [&all = *pointer], and hand it on";
}

} // namespace ikra
