// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that decides how a C++ type is represented on devices.

#include "Types.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/QualTypeNames.h"

using namespace clang;

namespace ikra {

/// The name of the outermost namespace around \p D; empty if there is none.
static llvm::StringRef outermostNamespace(const Decl* D) {
  const NamespaceDecl* Outermost = nullptr;
  for (const DeclContext* C = D->getDeclContext(); C && !C->isTranslationUnit(); C = C->getParent())
    if (const auto* NS = dyn_cast<NamespaceDecl>(C))
      Outermost = NS;
  return Outermost ? Outermost->getName() : "";
}

bool isInStd(const Decl* D) {
  const llvm::StringRef Name = outermostNamespace(D);
  return Name == "std" || Name == "__gnu_cxx";
}

bool isInIkra(const Decl* D) { return outermostNamespace(D) == "ikra"; }

static const ClassTemplateSpecializationDecl* stdTemplate(QualType Ty, llvm::StringRef Name) {
  const auto* Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Ty->getAsCXXRecordDecl());
  return Spec && isInStd(Spec) && Spec->getName() == Name ? Spec : nullptr;
}

QualType elementOfContainer(QualType Ty) {
  Ty = Ty.getNonReferenceType().getCanonicalType();
  if (const auto* Array = dyn_cast<ConstantArrayType>(Ty.getTypePtr()))
    return Array->getElementType();
  for (const char* Name : {"vector", "array"})
    if (const auto* Spec = stdTemplate(Ty, Name))
      return Spec->getTemplateArgs()[0].getAsType();
  const auto* Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Ty->getAsCXXRecordDecl());
  if (Spec && isInIkra(Spec) && Spec->getName() == "array" &&
      Spec->getTemplateArgs()[1].getAsIntegral() == 1)
    return Spec->getTemplateArgs()[0].getAsType();
  return {};
}

bool isVector(QualType Ty) {
  return stdTemplate(Ty.getNonReferenceType().getCanonicalType(), "vector") != nullptr;
}

bool isWindow(QualType Ty) {
  const auto* Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      Ty.getNonReferenceType()->getAsCXXRecordDecl());
  return Class && isInIkra(Class) && Class->getName() == "window";
}

bool isSmartPointer(QualType Ty) {
  return stdTemplate(Ty, "unique_ptr") || stdTemplate(Ty, "shared_ptr");
}

QualType pointeeOf(QualType Ty) {
  if (Ty->isReferenceType() || Ty->isPointerType())
    return Ty->getPointeeType();
  for (const char* Name : {"unique_ptr", "shared_ptr"})
    if (const auto* Spec = stdTemplate(Ty, Name))
      return Spec->getTemplateArgs()[0].getAsType();
  return {};
}

bool isReferenceToPointer(QualType Ty) {
  return Ty->isReferenceType() && !pointeeOf(Ty->getPointeeType()).isNull();
}

bool isWritableReference(QualType Ty) {
  return Ty->isReferenceType() && !Ty->getPointeeType().isConstQualified() &&
         !isUserClass(Ty->getPointeeType()->getAsCXXRecordDecl()) &&
         !isSmartPointer(Ty->getPointeeType());
}

bool isElementValue(QualType Ty) {
  Ty = Ty.getNonReferenceType().getCanonicalType();
  if (const auto* Array = dyn_cast<ConstantArrayType>(Ty.getTypePtr()))
    return isElementValue(Array->getElementType());
  if (Ty->isArithmeticType() || Ty->isEnumeralType())
    return true;
  const CXXRecordDecl* Record = Ty->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition())
    return false;
  for (const char* Name : {"tuple", "pair", "array", "optional", "variant"})
    if (const auto* Spec = stdTemplate(Ty, Name))
      return llvm::all_of(Spec->getTemplateArgs().asArray(), [](const TemplateArgument& Of) {
        return Of.getKind() == TemplateArgument::Pack
                   ? llvm::all_of(
                         Of.getPackAsArray(),
                         [](const TemplateArgument& In) { return isElementValue(In.getAsType()); })
                   : Of.getKind() != TemplateArgument::Type || isElementValue(Of.getAsType());
      });
  return isUserClass(Record) && Record->isTriviallyCopyable() &&
         llvm::all_of(Record->fields(),
                      [](const FieldDecl* Member) { return isElementValue(Member->getType()); });
}

bool isUserClass(const CXXRecordDecl* Record) {
  return Record && !isInStd(Record) && !isInIkra(Record) && !Record->isLambda();
}

const CXXRecordDecl* hiddenIn(const Decl* D) {
  while (const auto* Parent = dyn_cast<CXXRecordDecl>(D->getDeclContext())) {
    if (D->getAccess() == AS_private || D->getAccess() == AS_protected)
      return Parent;
    D = Parent;
  }
  return nullptr;
}

/// True if \p From is \p Class, a friend of it, or, for what is protected, derived from it.
static bool hasAccess(const DeclContext* From, const CXXRecordDecl* Class, bool Protected) {
  const auto* Record = dyn_cast<CXXRecordDecl>(From);
  if (Record && (declaresSameEntity(Record, Class) ||
                 (Protected && Record->hasDefinition() && Record->isDerivedFrom(Class))))
    return true;
  for (const FriendDecl* Friend : Class->friends()) {
    const TypeSourceInfo* Type = Friend->getFriendType();
    const Decl* Named = Type ? Type->getType()->getAsCXXRecordDecl() : Friend->getFriendDecl();
    if (Named && declaresSameEntity(Named, cast<Decl>(From)))
      return true;
  }
  return false;
}

bool mayBeNamedIn(const Decl* D, const DeclContext* From) {
  for (; const auto* Parent = dyn_cast<CXXRecordDecl>(D->getDeclContext()); D = Parent) {
    if (D->getAccess() != AS_private && D->getAccess() != AS_protected)
      continue;
    bool Found = false;
    for (const DeclContext* C = From; C && !C->isFileContext() && !Found; C = C->getParent())
      Found = hasAccess(C, Parent, D->getAccess() == AS_protected);
    if (!Found)
      return false;
  }
  return true;
}

PrintingPolicy spellingPolicy(const ASTContext& Context) {
  PrintingPolicy Policy(Context.getLangOpts());
  Policy.FullyQualifiedName = true;
  Policy.SuppressScope = false;
  Policy.SuppressUnwrittenScope = true; // an anonymous namespace's names are found without it
  Policy.PrintCanonicalTypes = true;
  Policy.SuppressTagKeyword = true;
  Policy.Bool = true;
  return Policy;
}

// Local types are spelled by their names.
std::string hostSpelling(QualType Ty, const ASTContext& Context) {
  PrintingPolicy Policy = spellingPolicy(Context);
  Policy.PrintCanonicalTypes = false;
  Policy.FullyQualifiedName = false;
  return TypeName::getFullyQualifiedName(Ty, Context, Policy, /*WithGlobalNsPrefix=*/true);
}

/// Types that host and devices agree on; long double and __int128 are not among them.
static bool isNumber(QualType Canonical) {
  const auto* Builtin = dyn_cast<BuiltinType>(Canonical.getTypePtr());
  if (!Builtin)
    return false;
  switch (Builtin->getKind()) {
  case BuiltinType::Float:
  case BuiltinType::Double:
    return true;
  case BuiltinType::Int128:
  case BuiltinType::UInt128:
    return false;
  default:
    return Builtin->isInteger();
  }
}

Type classifyType(QualType Ty, const ASTContext& Context,
                  llvm::function_ref<Index(const CXXRecordDecl*)> ClassIndex) {
  Type Out;
  const PrintingPolicy Policy = spellingPolicy(Context);
  const QualType Canonical = Ty.getCanonicalType();
  Out.HostSpelling = hostSpelling(Canonical.getUnqualifiedType(), Context);
  const QualType Value = Canonical.getNonReferenceType().getUnqualifiedType();
  if (Value->isVoidType()) {
    Out.Kind = TypeKind::Void;
    Out.Spelling = "void";
    return Out;
  }
  if (isNumber(Value)) {
    Out.Kind = TypeKind::Value;
    Out.Spelling = Value.getAsString(Policy);
    return Out;
  }
  if (const auto* Enum = Value->getAs<EnumType>()) {
    Out.Kind = TypeKind::Value;
    const EnumDecl* Decl = Enum->getDecl();
    if (Decl->getParentFunctionOrMethod() || !Decl->getIdentifier()) {
      // Emitted code cannot name it; its values are what matters.
      Out.Spelling = Decl->getIntegerType().getCanonicalType().getAsString(Policy);
    } else if (hiddenIn(Decl)) {
      Out.Private = ClassIndex(cast<CXXRecordDecl>(Decl->getDeclContext()));
      Out.IsPublicInPrivate = Decl->getAccess() == AS_public;
      Out.Spelling = Decl->getName().str();
    } else {
      Out.Spelling = "::" + Value.getAsString(Policy);
    }
    return Out;
  }
  // A reference to a pointer leads to the same object.
  const bool ToPointer = isReferenceToPointer(Canonical);
  const QualType Pointee = pointeeOf(ToPointer ? Value : Canonical);
  const CXXRecordDecl* Record = Pointee.isNull() ? nullptr : Pointee->getAsCXXRecordDecl();
  if (isUserClass(Record)) {
    Out.Kind = TypeKind::Object;
    Out.Class = ClassIndex(Record);
    Out.Spelling = "ikra::object_id";
    return Out;
  }
  if (QualType Element = elementOfContainer(Value); !Element.isNull()) {
    const Type Of = classifyType(Element, Context, ClassIndex);
    Out.Spelling = Of.Spelling;
    Out.Class = Of.Class;
    Out.Private = Of.Private;
    Out.IsPublicInPrivate = Of.IsPublicInPrivate;
    const bool Bits = stdTemplate(Value, "vector") && Element->isBooleanType();
    if (Of.Kind == TypeKind::Value && !Bits)
      Out.Kind = TypeKind::ValueList;
    else if (Of.Kind == TypeKind::Object)
      Out.Kind = TypeKind::ObjectList;
    return Out;
  }
  const CXXRecordDecl* Class = Value->getAsCXXRecordDecl();
  if (isWindow(Value)) {
    Out.Kind = TypeKind::Window;
    Out.Spelling = "::" + Value.getAsString(Policy);
    return Out;
  }
  if (Class && isInIkra(Class) && (Class->getName() == "random" || Class->getName() == "index")) {
    Out.Kind = TypeKind::Library;
    Out.Spelling = "::" + Value.getAsString(Policy);
  }
  return Out;
}

} // namespace ikra
