// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars that are classes: structs of numbers, arrays of a constant size, complex numbers.
#include "ScalarCode.h"

#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace ikra {

const Expr* arrayWith(const Expr* E) {
  if (const auto* Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
    const Expr* Array = Subscript->getBase()->IgnoreParenImpCasts();
    return Array->getType()->isConstantArrayType() ? Array : nullptr;
  }
  const auto* Call = dyn_cast<CXXOperatorCallExpr>(E);
  const bool IsElement = Call && Call->getOperator() == OO_Subscript &&
                         isStdClass(Call->getArg(0)->getType(), "array");
  return IsElement ? Call->getArg(0) : nullptr;
}

const Expr* placeIn(const Expr* Element) {
  const auto* Subscript = dyn_cast<ArraySubscriptExpr>(Element);
  return Subscript ? Subscript->getIdx() : cast<CallExpr>(Element)->getArg(1);
}

bool ScalarCode::isStruct(QualType Ty) const {
  const QualType Value = Ty.getNonReferenceType();
  if (const auto* Array = Context.getAsConstantArrayType(Value))
    return !Array->getSize().isZero() && !Value.isVolatileQualified() &&
           isValue(Array->getElementType());
  const CXXRecordDecl* Class = Value->getAsCXXRecordDecl();
  if (!Class || Value.isVolatileQualified() || !Class->hasDefinition())
    return false;
  if (isComplex(Value))
    return true;
  if (isStdClass(Value, "array"))
    return constantSize(Value).value_or(0) != 0 && isValue(elementOfContainer(Value));
  if (isInStd(Class) || Class->getNumBases() != 0 || Class->isUnion() || Class->isLambda() ||
      !Class->isTriviallyCopyable() || !Class->hasSimpleCopyAssignment() ||
      !Class->hasDefaultConstructor() || Class->hasUserProvidedDefaultConstructor() ||
      Class->getParentFunctionOrMethod())
    return false;
  const Type As = Classify(Value);
  return As.Kind == TypeKind::Value && As.isAsInProgram() && !As.Private &&
         llvm::all_of(Class->fields(), [&](const FieldDecl* Field) {
           return Field->getAccess() == AS_public && !Field->isBitField() &&
                  !Field->isAnonymousStructOrUnion() && !Field->getType()->isReferenceType() &&
                  isValue(Field->getType());
         });
}

bool ScalarCode::isConstantArray(const VarDecl* V) const {
  const QualType Ty = V->getType();
  return !V->hasLocalStorage() && Ty.isConstant(Context) &&
         (Ty->isConstantArrayType() || isStdClass(Ty, "array")) && isStruct(Ty) &&
         constantValue(V, [](QualType) { return TypeRef(); }) != nullptr;
}

bool ScalarCode::isConstant(const VarDecl* V) const {
  return V->isStaticLocal() && (constantText(V) || isConstantArray(V));
}

std::optional<ScalarCode::ValueField>
ScalarCode::valueFieldAround(const MemberOfVariable& Place) const {
  QualType Ty = Place.Of->getType().getNonReferenceType();
  if (isStruct(Ty))
    return std::nullopt;
  std::string Text = (isa<FieldDecl>(Place.Of) ? "this->" : "") + Place.Of->getNameAsString();
  StringRef Rest = StringRef(Place.Text).drop_front(std::min(Text.size(), Place.Text.size()));
  while (Rest.consume_front(".")) {
    const StringRef Name = Rest.take_until([](char C) { return C == '.' || C == '['; });
    Rest = Rest.drop_front(Name.size());
    const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
    const auto Field =
        Class ? llvm::find_if(Class->fields(),
                              [&](const FieldDecl* Of) {
                                return Of->getDeclName().isIdentifier() && Of->getName() == Name;
                              })
              : RecordDecl::field_iterator();
    if (!Class || Field == Class->field_end())
      return std::nullopt;
    Text += "." + Name.str();
    Ty = Field->getType();
    if (isStruct(Ty) && !Ty->isReferenceType())
      return ValueField{Text, Ty};
  }
  return std::nullopt;
}

/// What makes complex numbers and computes with them; what ikra::complex_math has for devices.
/// Nothing: \p S is none of it.
std::optional<bool> ScalarCode::acceptsComplex(const Stmt* S, Reads Read) {
  const auto* E = dyn_cast<Expr>(S);
  const auto All = [&](auto Operands) {
    UsesComplex = true;
    return llvm::all_of(Operands, [&](const Expr* Operand) {
      return isa<CXXDefaultArgExpr>(Operand) || accepts(Operand, Read);
    });
  };
  if (const auto* Made = dyn_cast_or_null<CXXConstructExpr>(E); Made && isComplex(E->getType()))
    return All(Made->arguments());
  const auto* Call = dyn_cast_or_null<CallExpr>(E);
  if (!Call || !Call->getDirectCallee() || !isInStd(Call->getDirectCallee()))
    return std::nullopt;
  const auto IsComplex = [](const Expr* Operand) { return isComplex(Operand->getType()); };
  if (const auto* Operator = dyn_cast<CXXOperatorCallExpr>(Call)) {
    if (llvm::none_of(Operator->arguments(), IsComplex))
      return std::nullopt;
    if (!Operator->isAssignmentOp())
      return All(Operator->arguments());
    return acceptsNamed(Operator->getArg(0), /*IsChanged=*/true, Read) &&
           All(llvm::drop_begin(Operator->arguments()));
  }
  if (const auto* Method = dyn_cast<CXXMemberCallExpr>(Call)) { // real(), imag()
    const Expr* Of = Method->getImplicitObjectArgument();
    return IsComplex(Of) && Method->getMethodDecl()->isConst()
               ? std::optional(All(llvm::ArrayRef{Of}))
               : std::nullopt;
  }
  const CallForm Form = formOf(Call, Context, Classify);
  if (Form == CallForm::ComplexLiteral)
    return true;
  return Form == CallForm::OfComplex ? std::optional(All(Call->arguments())) : std::nullopt;
}

/// What makes, copies or names structs. Nothing: \p S does none of it.
std::optional<bool> ScalarCode::acceptsStructs(const Stmt* S, Reads Read) {
  const auto* E = dyn_cast<Expr>(S);
  const auto Parts = [&](const Stmt* Of) {
    return llvm::all_of(Of->children(), [&](const Stmt* Part) { return accepts(Part, Read); });
  };
  if (const auto* List = dyn_cast<InitListExpr>(S); // the array in a std::array
      List && List->getType()->isConstantArrayType() &&
      isValue(elementOfContainer(List->getType())))
    return Parts(List);
  if (!E || (!isStruct(E->getType()) && !arrayWith(E)))
    return std::nullopt;
  if (isa<ImplicitValueInitExpr, CXXScalarValueInitExpr>(E)) // the rest of a list, `{}`
    return true;
  if (arrayWith(E))
    return acceptsNamed(E, /*IsChanged=*/false, Read);
  if (const auto* Made = dyn_cast<CXXConstructExpr>(E)) {
    const CXXConstructorDecl* By = Made->getConstructor();
    if (By->isUserProvided())
      return refuse(E, "it calls a constructor of '" + By->getParent()->getNameAsString() + "'");
    return Parts(Made);
  }
  if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(E);
      Call && Call->getOperator() == OO_Equal && isStruct(Call->getArg(0)->getType()))
    return acceptsNamed(Call->getArg(0), /*IsChanged=*/true, Read) &&
           accepts(Call->getArg(1), Read);
  if (const auto* Default = dyn_cast<CXXDefaultInitExpr>(E))
    return accepts(Default->getExpr(), Read);
  if (isa<InitListExpr, CXXFunctionalCastExpr, ImplicitCastExpr>(E))
    return Parts(E);
  return std::nullopt;
}

} // namespace ikra
