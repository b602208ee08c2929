// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which classes have values in device code: as the program has them, with IDs in place of pointers,
// or as structs of device code's own.

#include "Expressions.h"
#include "TypeParts.h"
#include "Types.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/StringSet.h"

#include <functional>
#include <set>

using namespace clang;

namespace ikra {

/// True if emitted code can write the type's name: neither it nor what it is made from is local or
/// not public.
static bool isNameable(QualType Ty) {
  Ty = Ty.getNonReferenceType();
  if (Ty->isPointerType())
    Ty = Ty->getPointeeType();
  while (const auto* Array = dyn_cast<ConstantArrayType>(Ty.getCanonicalType().getTypePtr()))
    Ty = Array->getElementType();
  const TagDecl* Tag = Ty->getAsTagDecl();
  if (!Tag)
    return Ty->isArithmeticType() || Ty->isVoidType();
  if (!(Tag->getIdentifier() || Tag->getTypedefNameForAnonDecl()) ||
      Tag->getParentFunctionOrMethod() || hiddenIn(Tag))
    return false;
  const auto* Spec = dyn_cast<ClassTemplateSpecializationDecl>(Tag);
  if (!Spec)
    return true;
  const std::function<bool(const TemplateArgument&)> IsNameable = [&](const TemplateArgument& Of) {
    switch (Of.getKind()) {
    case TemplateArgument::Type:
      return isNameable(Of.getAsType());
    case TemplateArgument::Integral:
      return isNameable(Of.getIntegralType());
    case TemplateArgument::Template: {
      const TemplateDecl* Named = Of.getAsTemplate().getAsTemplateDecl();
      const auto* Class = dyn_cast_or_null<TagDecl>(Named ? Named->getTemplatedDecl() : nullptr);
      return Class && !Class->getParentFunctionOrMethod() && !hiddenIn(Class);
    }
    case TemplateArgument::Pack:
      return llvm::all_of(Of.getPackAsArray(), IsNameable);
    default:
      return false;
    }
  };
  return llvm::all_of(Spec->getTemplateArgs().asArray(), IsNameable);
}

const ClassTemplateSpecializationDecl* holderOf(QualType Ty) {
  Ty = Ty.getNonReferenceType().getCanonicalType();
  for (const char* Name : {"tuple", "pair", "optional", "variant"})
    if (const auto* Holder = stdTemplate(Ty, Name))
      return Holder;
  return nullptr;
}

llvm::SmallVector<QualType> elementsOf(const ClassTemplateSpecializationDecl* Tuple) {
  llvm::SmallVector<QualType> Out;
  for (const TemplateArgument& Of : Tuple->getTemplateArgs().asArray()) {
    if (Of.getKind() == TemplateArgument::Type)
      Out.push_back(Of.getAsType());
    else if (Of.getKind() == TemplateArgument::Pack)
      for (const TemplateArgument& In : Of.getPackAsArray())
        Out.push_back(In.getAsType());
  }
  return Out;
}

QualType elementOfArrays(QualType Ty) {
  Ty = Ty.getCanonicalType();
  while (const auto* Array = dyn_cast<ConstantArrayType>(Ty.getTypePtr()))
    Ty = Array->getElementType();
  return Ty;
}

/// True for classes of the program's with pointers to others, as far as their types say.
static bool hasPointers(const CXXRecordDecl* Record) {
  return isUserClass(Record) && Record->hasDefinition() &&
         llvm::any_of(Record->fields(), [](const FieldDecl* Member) {
           const QualType Ty = elementOfArrays(Member->getType());
           return (Ty->isPointerType() && isUserClass(Ty->getPointeeCXXRecordDecl())) ||
                  holdsObjects(Ty) || hasPointers(Ty->getAsCXXRecordDecl());
         });
}

bool holdsObjects(QualType Ty) {
  const auto* Tuple = holderOf(Ty);
  return Tuple && llvm::any_of(elementsOf(Tuple), [](QualType Element) {
           return Element.getNonReferenceType()->isPointerType() || holdsObjects(Element) ||
                  hasPointers(Element.getNonReferenceType()->getAsCXXRecordDecl());
         });
}

std::optional<unsigned> indexAmongHeld(QualType Tuple, QualType Element) {
  if (!holdsObjects(Tuple))
    return std::nullopt;
  const llvm::SmallVector<QualType> Elements = elementsOf(holderOf(Tuple));
  const auto* It = llvm::find_if(
      Elements, [&](QualType Of) { return Of.getCanonicalType() == Element.getCanonicalType(); });
  return static_cast<unsigned>(It - Elements.begin());
}

std::string alternativeIn(QualType Variant, QualType Alternative) {
  Alternative = Alternative.getNonReferenceType().getUnqualifiedType();
  const bool IsPointer = Alternative->isPointerType() && isStdClass(Variant, "variant");
  const std::optional<unsigned> Number =
      IsPointer ? indexAmongHeld(Variant, Alternative) : std::nullopt;
  return Number && *Number < elementsOf(holderOf(Variant)).size()
             ? "ikra::alternative<" + std::to_string(*Number) + ">"
             : "";
}

/// True for numbers, enumerations and value classes, and arrays of them.
static bool isValueType(QualType Ty, const ClassRoles& Roles) {
  Ty = Ty.getCanonicalType();
  while (const auto* Array = dyn_cast<ConstantArrayType>(Ty.getTypePtr()))
    Ty = Array->getElementType();
  if (Ty.isVolatileQualified())
    return false;
  if (isNumber(Ty.getUnqualifiedType()) || Ty->isEnumeralType())
    return true;
  const CXXRecordDecl* Record = Ty->getAsCXXRecordDecl();
  return Record && isPlainValueClass(Record, Roles) && !holdsObjects(Ty);
}

/// True if device code can make the struct as the library makes the program's: in braces, and with
/// defaults that are numbers or null.
static bool isSimpleAggregate(const CXXRecordDecl* Record) {
  return Record->isAggregate() && llvm::all_of(Record->fields(), [](const FieldDecl* Member) {
           return !Member->hasInClassInitializer() || constantDefault(Member) != nullptr;
         });
}

/// True for what a tuple, a pair or an optional may hold beside values: pointers to objects, such
/// tuples, and structs with such.
static bool mayBeHeld(QualType Ty, const ClassRoles& Roles) {
  Ty = Ty.getNonReferenceType().getCanonicalType();
  if (Ty->isPointerType()) {
    const CXXRecordDecl* Class = Ty->getPointeeType()->getAsCXXRecordDecl();
    return Class && Roles.Objects.contains(Class->getCanonicalDecl());
  }
  if (const CXXRecordDecl* Record = Ty->getAsCXXRecordDecl(); isOwnStruct(Record, Roles))
    return isSimpleAggregate(Record->getDefinition()) && !Record->getParentFunctionOrMethod();
  return holdsObjects(Ty) && isValueClass(Ty->getAsCXXRecordDecl(), Roles);
}

static bool hasDistinctTypes(const ClassTemplateSpecializationDecl* Variant) {
  std::set<const void*> Known;
  return llvm::all_of(elementsOf(Variant), [&](QualType Of) {
    return Known.insert(Of.getCanonicalType().getAsOpaquePtr()).second;
  });
}

/// The standard library's value classes: their template arguments decide.
static bool isStdValueClass(const CXXRecordDecl* Record, const ClassRoles& Roles) {
  static const llvm::StringSet<> Plain = {"strong_ordering", "weak_ordering", "partial_ordering",
                                          "nullopt_t",       "monostate",     "in_place_t"};
  if (Plain.contains(Record->getName()))
    return true;
  const auto* Spec = dyn_cast<ClassTemplateSpecializationDecl>(Record);
  static const llvm::StringSet<> Templates = {
      "tuple", "pair", "array", "optional", "variant", "integral_constant", "integer_sequence"};
  const QualType Ty(Record->getTypeForDecl(), 0);
  if (isOperatorObject(Ty) || isComplex(Ty)) // a captured std::less<>
    return true;
  if (Spec && (Spec->getName() == "in_place_type_t" || Spec->getName() == "in_place_index_t"))
    return isNameable(Ty);
  if (!Spec || !Templates.contains(Spec->getName())) // std::is_signed<T> is an integral_constant
    return Spec && Spec->hasDefinition() && Spec->isEmpty() && Spec->getNumBases() == 1 &&
           isStdClass(Spec->bases_begin()->getType(), "integral_constant");
  const bool MayHold = holderOf(Ty) != nullptr;
  if (holdsObjects(Ty) && isStdClass(Ty, "variant") && !hasDistinctTypes(Spec))
    return false; // a type does not tell its alternatives apart
  const std::function<bool(const TemplateArgument&)> IsValue = [&](const TemplateArgument& Of) {
    if (Of.getKind() == TemplateArgument::Pack)
      return llvm::all_of(Of.getPackAsArray(), IsValue);
    return Of.getKind() != TemplateArgument::Type ||
           isValueType(Of.getAsType().getNonReferenceType(), Roles) || // of std::tie too
           (MayHold && mayBeHeld(Of.getAsType(), Roles));
  };
  return isNameable(Ty) && llvm::all_of(Spec->getTemplateArgs().asArray(), IsValue);
}

/// True if the classes that hide \p D let emitted code name it.
static bool mayBeReached(const Decl* D) {
  for (; const auto* Parent = dyn_cast<CXXRecordDecl>(D->getDeclContext()); D = Parent)
    if (D->getAccess() != AS_public && D->getAccess() != AS_none && !grantsAccess(Parent))
      return false;
  return true;
}

static bool isCopiedAsBytes(const CXXRecordDecl* Record) {
  return Record->hasTrivialCopyConstructor() && Record->hasTrivialDestructor() &&
         !Record->defaultedCopyConstructorIsDeleted() &&
         llvm::none_of(Record->ctors(), [](const CXXConstructorDecl* Constructor) {
           return Constructor->isCopyConstructor() && Constructor->isDeleted();
         });
}

/// True if there is a way to name the type, be it by the member that it is declared with.
static bool isNamed(const TagDecl* Tag) {
  return Tag->getIdentifier() || Tag->getTypedefNameForAnonDecl() ||
         (memberOfUnnamed(Tag) && !hiddenIn(Tag));
}

bool isExtremum(const CXXRecordDecl* Record) {
  return isInIkra(Record) &&
         (Record->getName() == "max_function" || Record->getName() == "min_function");
}

const Expr* constantDefault(const FieldDecl* Member) {
  const Expr* Init = Member->hasInClassInitializer() ? Member->getInClassInitializer() : nullptr;
  if (!Init || !Member->getType()->isScalarType())
    return nullptr;
  if (const auto* List = dyn_cast<InitListExpr>(Init->IgnoreImplicit()))
    Init = List->getNumInits() == 1 ? List->getInit(0) : nullptr;
  const Expr* Value = Init ? Init->IgnoreParenImpCasts() : nullptr;
  const bool IsSimple =
      Value && isa<IntegerLiteral, FloatingLiteral, CharacterLiteral, CXXBoolLiteralExpr,
                   CXXNullPtrLiteralExpr, GNUNullExpr>(Value->IgnoreParenImpCasts());
  const auto* Sign = Value ? dyn_cast<UnaryOperator>(Value) : nullptr;
  const bool IsNegative = Sign && Sign->getOpcode() == UO_Minus &&
                          isa<IntegerLiteral, FloatingLiteral>(Sign->getSubExpr());
  return IsSimple || IsNegative ? Init : nullptr;
}

/// True for members that a struct of device code may have.
static bool mayBeInStruct(const FieldDecl* Member, const ClassRoles& Roles) {
  if (Member->isBitField() || Member->isAnonymousStructOrUnion() || Member->isMutable())
    return false;
  const QualType Ty = elementOfArrays(Member->getType());
  return !Ty->isReferenceType() && (isValueType(Ty, Roles) || mayBeHeld(Ty, Roles) ||
                                    isOwnStruct(Ty->getAsCXXRecordDecl(), Roles));
}

bool isOwnStruct(const CXXRecordDecl* Record, const ClassRoles& Roles) {
  Record = Record ? Record->getDefinition() : nullptr;
  if (!Record || !isUserClass(Record) || !Record->getIdentifier() ||
      Roles.Objects.contains(Record->getCanonicalDecl()))
    return false;
  if (!hasPointers(Record) && (!Record->getParentFunctionOrMethod() || Record->field_empty()))
    return false;
  return isCopiedAsBytes(Record) && !Record->isUnion() && Record->getNumBases() == 0 &&
         !Record->isPolymorphic() && !Record->isDependentContext() &&
         llvm::all_of(Record->fields(),
                      [&](const FieldDecl* Member) { return mayBeInStruct(Member, Roles); });
}

bool isValueClass(const CXXRecordDecl* Record, const ClassRoles& Roles) {
  return isPlainValueClass(Record, Roles) || isOwnStruct(Record, Roles);
}

bool isPlainValueClass(const CXXRecordDecl* Record, const ClassRoles& Roles) {
  if (!Record || !isNamed(Record))
    return false;
  if (isInStd(Record)) // what is only named, as a parameter, need not be instantiated
    return isStdValueClass(Record, Roles);
  if (isIndex(QualType(Record->getTypeForDecl(), 0)) || isExtremum(Record))
    return true;
  Record = Record->getDefinition();
  if (!Record || !isUserClass(Record) || Roles.Objects.contains(Record->getCanonicalDecl()))
    return false;
  if (!isCopiedAsBytes(Record) || Record->isUnion() || Record->isPolymorphic() ||
      Record->getNumVBases() > 0 || Record->getParentFunctionOrMethod() ||
      Record->isDependentContext())
    return false;
  // A type that is not public is known by a name in its owner's object_access.
  const bool IsTemplate = isa<ClassTemplateSpecializationDecl>(Record);
  if (!mayBeReached(Record) || (IsTemplate && !isNameable(QualType(Record->getTypeForDecl(), 0))))
    return false;
  for (const CXXBaseSpecifier& Base : Record->bases())
    if (!isPlainValueClass(Base.getType()->getAsCXXRecordDecl(), Roles))
      return false;
  return llvm::all_of(Record->fields(), [&](const FieldDecl* Member) {
    // A bit-field that is not public could be reached by reference only, which it cannot be.
    const bool IsReached =
        !Member->isBitField() || Member->isUnnamedBitField() ||
        (Member->getAccess() == AS_public && !Member->getType().isConstQualified());
    return IsReached && isValueType(Member->getType(), Roles);
  });
}

static bool mayBeInCopy(const FieldDecl* Member, const ClassRoles& Roles) {
  const QualType Ty = Member->getType();
  if (Member->isBitField() || Member->isAnonymousStructOrUnion() || Member->isMutable() ||
      Member->hasAttrs() || Ty.isVolatileQualified())
    return false;
  constexpr std::uint64_t MostElements = 64; // each has text of its own
  if (Ty->isConstantArrayType() && countOf(Ty) > MostElements)
    return false;
  const QualType Element = elementOfArrays(Ty);
  const CXXRecordDecl* Class = Element->getAsCXXRecordDecl();
  return Class && Roles.Objects.contains(Class->getCanonicalDecl())
             ? !Ty->isConstantArrayType() && isCopiedWhole(Class, Roles)
             : isValueType(Element, Roles);
}

bool isCopiedWhole(const CXXRecordDecl* Record, const ClassRoles& Roles) {
  Record = Record ? Record->getDefinition() : nullptr;
  if (!Record || !isUserClass(Record) || !Record->getIdentifier() || Record->isDependentContext() ||
      !isNameable(QualType(Record->getTypeForDecl(), 0)))
    return false;
  // A base's padding at its end, where members may stand, depends on more than its members.
  const ASTContext& Context = Record->getASTContext();
  const auto MayBeBase = [&](const CXXBaseSpecifier& Of) {
    const CXXRecordDecl* Base = Of.getType()->getAsCXXRecordDecl();
    const ASTRecordLayout& Layout = Context.getASTRecordLayout(Base);
    return Layout.getDataSize() == Layout.getSize() && isCopiedWhole(Base, Roles);
  };
  return Record->isTriviallyCopyable() && isCopiedAsBytes(Record) && !Record->isUnion() &&
         !Record->isPolymorphic() && Record->getNumVBases() == 0 && !Record->isEmpty() &&
         llvm::all_of(Record->bases(), MayBeBase) && !Record->hasAttrs() &&
         !Record->getParentFunctionOrMethod() &&
         llvm::all_of(Record->fields(),
                      [&](const FieldDecl* Member) { return mayBeInCopy(Member, Roles); });
}

std::string reasonNoValue(const CXXRecordDecl* Record, const ClassRoles& Roles) {
  Record = Record ? Record->getDefinition() : nullptr;
  if (!Record || !isUserClass(Record) || Roles.Objects.contains(Record->getCanonicalDecl()) ||
      isValueClass(Record, Roles))
    return "";
  if (Record->isUnion())
    return "it is a union";
  if (Record->isPolymorphic() || Record->getNumVBases() > 0)
    return "it has virtual functions or bases";
  if (!isCopiedAsBytes(Record))
    return "it has a copy constructor or a destructor of its own, or is not copied at all";
  for (const CXXBaseSpecifier& Base : Record->bases())
    if (!isPlainValueClass(Base.getType()->getAsCXXRecordDecl(), Roles))
      return "its base '" + Base.getType().getAsString() + "' has none";
  for (const FieldDecl* Member : Record->fields())
    if (!isValueType(Member->getType(), Roles))
      return "its member '" + Member->getNameAsString() + "' is of type '" +
             Member->getType().getAsString() + "'";
    else if (Member->isBitField() && Member->getAccess() != AS_public)
      return "its bit-field '" + Member->getNameAsString() + "' is not public";
  return "emitted code cannot name it";
}

} // namespace ikra
