// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that decides how a C++ type is represented on devices.

#include "Types.h"

#include "TypeParts.h"

#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

using namespace clang;

namespace ikra {

/// The name of the outermost namespace around \p D; empty if there is none.
static llvm::StringRef outermostNamespace(const Decl* D) {
  const NamespaceDecl* Outermost = nullptr;
  const auto* Itself = dyn_cast<NamespaceDecl>(D);
  for (const DeclContext* C = Itself ? Itself : D->getDeclContext(); C && !C->isTranslationUnit();
       C = C->getParent())
    if (const auto* NS = dyn_cast<NamespaceDecl>(C))
      Outermost = NS;
  return Outermost ? Outermost->getName() : "";
}

bool isInStd(const Decl* D) {
  const llvm::StringRef Name = outermostNamespace(D);
  return Name == "std" || Name == "__gnu_cxx";
}

bool isTag(const ParmVarDecl* Parameter) {
  return !Parameter->getIdentifier() && isInStd(cast<Decl>(Parameter->getDeclContext())) &&
         isStdClass(Parameter->getType(), "integral_constant");
}

bool isInIkra(const Decl* D) { return outermostNamespace(D) == "ikra"; }

bool isOfLibrary(const Decl* D, const SourceManager& SM) {
  return !isa<TranslationUnitDecl>(D) &&
         (SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())) || isInIkra(D));
}

const Expr* written(const Expr* E) {
  return E->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
}

std::string otherThan(QualType Ty) {
  static const llvm::StringMap<std::string> Known = [] {
    const std::string Sorted = "a sorted std::vector, in which std::lower_bound finds keys",
                      Listed = "a std::vector",
                      Random = "ikra::random, with a seed, the element's number and the step",
                      Function = "a lambda in a local variable, or a virtual method";
    return llvm::StringMap<std::string>{
        {"basic_string", "numbers for names, or a std::vector<char>"},
        {"bitset", "an unsigned integer, or a std::array of such"},
        {"map", Sorted},
        {"set", Sorted},
        {"multimap", Sorted},
        {"multiset", Sorted},
        {"unordered_map", Sorted},
        {"unordered_set", Sorted},
        {"unordered_multimap", Sorted},
        {"unordered_multiset", Sorted},
        {"deque", Listed},
        {"list", Listed},
        {"forward_list", Listed},
        {"queue", Listed},
        {"stack", Listed},
        {"mersenne_twister_engine", Random},
        {"linear_congruential_engine", Random},
        {"subtract_with_carry_engine", Random},
        {"random_device", Random},
        {"function", Function}};
  }();
  Ty = Ty.getNonReferenceType();
  if (isVector(Ty) && elementOfContainer(Ty)->isBooleanType())
    return "a std::vector<char>";
  const QualType Element = elementOfContainer(Ty);
  const auto* Holder = holderOf(Element.isNull() ? Ty : Element);
  if (Holder && llvm::any_of(elementsOf(Holder), [](QualType Of) {
        return isSmartPointer(Of) || isStdClass(Of, "weak_ptr");
      }))
    return std::string(Element.isNull() ? "" : "as elements ") +
           (Holder->getName() == "optional" ? "the smart pointer alone, which may be null"
                                            : "a struct of your own with these members");
  const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
  // A class within one: what an operator of it gives.
  for (const CXXRecordDecl* Around = Class; Around && isInStd(Around);
       Around = dyn_cast<CXXRecordDecl>(Around->getDeclContext()))
    if (const auto It = Known.find(Around->getName()); It != Known.end())
      return It->second;
  return "";
}

bool isText(QualType Ty) {
  return isStdClass(Ty, "basic_string") || isStdClass(Ty, "basic_string_view");
}

bool isStream(QualType Ty) {
  const auto* Record = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  return Record && isInStd(Record) && Record->getIdentifier() &&
         Record->getName().ends_with("stream");
}

bool isIndex(QualType Ty) {
  const CXXRecordDecl* Class = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  return Class && Class->getIdentifier() && isInIkra(Class) && Class->getName() == "index";
}

bool isOfLibrary(const CXXRecordDecl* Class) {
  return isInStd(Class) || isIndex(QualType(Class->getTypeForDecl(), 0));
}

const ClassTemplateSpecializationDecl* stdTemplate(QualType Ty, llvm::StringRef Name) {
  const auto* Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Ty->getAsCXXRecordDecl());
  return Spec && isInStd(Spec) && Spec->getName() == Name ? Spec : nullptr;
}

QualType elementOfContainer(QualType Ty) {
  Ty = Ty.getNonReferenceType().getCanonicalType();
  if (const auto* Array = dyn_cast<ConstantArrayType>(Ty.getTypePtr()))
    return Array->getElementType();
  for (const char* Name : {"vector", "array", "span"})
    if (const auto* Spec = stdTemplate(Ty, Name))
      return Spec->getTemplateArgs()[0].getAsType();
  if (rankOfArray(Ty) != 0)
    return cast<ClassTemplateSpecializationDecl>(Ty->getAsCXXRecordDecl())
        ->getTemplateArgs()[0]
        .getAsType();
  return {};
}

unsigned rankOfArray(QualType Ty) {
  if (Ty.isNull()) // templates that are not instantiated have expressions without a type
    return 0;
  const auto* Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      Ty.getNonReferenceType()->getAsCXXRecordDecl());
  return Spec && isInIkra(Spec) && Spec->getName() == "array"
             ? static_cast<unsigned>(Spec->getTemplateArgs()[1].getAsIntegral().getZExtValue())
             : 0;
}

bool isVector(QualType Ty) {
  return stdTemplate(Ty.getNonReferenceType().getCanonicalType(), "vector") != nullptr;
}

bool isWindow(QualType Ty) {
  const auto* Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      Ty.getNonReferenceType()->getAsCXXRecordDecl());
  return Class && isInIkra(Class) && Class->getName() == "window";
}

const InitListExpr* listOf(const Expr* Range) {
  const auto* List = dyn_cast<CXXStdInitializerListExpr>(Range->IgnoreImplicit());
  return List ? dyn_cast<InitListExpr>(List->getSubExpr()->IgnoreImplicit()) : nullptr;
}

const Expr* defaultOf(const ParmVarDecl* Parameter) {
  return Parameter->hasDefaultArg() && !Parameter->hasUninstantiatedDefaultArg()
             ? Parameter->getDefaultArg()
             : nullptr;
}

bool isComputedByLanguage(QualType Ty, OverloadedOperatorKind Operator, const ASTContext& Context) {
  Ty = Ty.getNonReferenceType().getCanonicalType();
  const auto* Enum = Ty->getAs<EnumType>();
  if (!Enum)
    return Ty->isArithmeticType();
  // Where argument-dependent lookup would find it. Those of classes are no better match.
  const DeclContext* Around = Enum->getDecl()->getDeclContext()->getEnclosingNamespaceContext();
  const auto IsOfEnum = [&](const ParmVarDecl* Parameter) {
    return Context.hasSameUnqualifiedType(Parameter->getType().getNonReferenceType(), Ty);
  };
  return llvm::none_of(Around->lookup(Context.DeclarationNames.getCXXOperatorName(Operator)),
                       [&](const NamedDecl* D) {
                         const auto* Of = dyn_cast<FunctionDecl>(D->getUnderlyingDecl());
                         return !Of || llvm::any_of(Of->parameters(), IsOfEnum);
                       });
}

bool isComplex(QualType Ty) {
  const auto* Spec = stdTemplate(Ty.getNonReferenceType(), "complex");
  const QualType Part = Spec ? Spec->getTemplateArgs()[0].getAsType() : QualType();
  return Spec && (Part->isSpecificBuiltinType(BuiltinType::Float) ||
                  Part->isSpecificBuiltinType(BuiltinType::Double));
}

bool isComplexConversion(const CXXConstructorDecl* Constructor) {
  return isComplex(QualType(Constructor->getParent()->getTypeForDecl(), 0)) &&
         Constructor->getNumParams() == 1 && !Constructor->isCopyOrMoveConstructor() &&
         isComplex(Constructor->getParamDecl(0)->getType());
}

bool isSmartPointer(QualType Ty) {
  return stdTemplate(Ty, "unique_ptr") || stdTemplate(Ty, "shared_ptr");
}

QualType pointeeOf(QualType Ty) {
  if (Ty->isReferenceType() || Ty->isPointerType())
    return Ty->getPointeeType();
  for (const char* Name : {"unique_ptr", "shared_ptr", "weak_ptr"})
    if (const auto* Spec = stdTemplate(Ty, Name))
      return Spec->getTemplateArgs()[0].getAsType();
  return {};
}

/// What an iterator of ikra::array goes through.
static QualType elementOfIterator(QualType Ty) {
  const auto* Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Ty->getAsCXXRecordDecl());
  return Spec && isInIkra(Spec) && Spec->getName() == "iterator"
             ? Spec->getTemplateArgs()[0].getAsType().withConst()
             : QualType();
}

QualType pointedTo(QualType Ty) {
  Ty = Ty.getNonReferenceType().getCanonicalType();
  if (const QualType Element = elementOfIterator(Ty); !Element.isNull())
    return Element;
  if (const auto* Iterator = stdTemplate(Ty, "__normal_iterator"))
    return pointedTo(Iterator->getTemplateArgs()[0].getAsType());
  const bool IsData = Ty->isPointerType() && Ty->getPointeeType()->isObjectType();
  return IsData ? Ty->getPointeeType() : QualType();
}

bool isOperatorObject(QualType Ty) {
  static const llvm::StringSet<> Names = {
      "plus",        "minus",        "multiplies",  "divides", "modulus",       "negate",
      "equal_to",    "not_equal_to", "greater",     "less",    "greater_equal", "less_equal",
      "logical_and", "logical_or",   "logical_not", "bit_and", "bit_or",        "bit_xor"};
  const CXXRecordDecl* Record = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  return Record && Record->getIdentifier() && isInStd(Record) && Names.contains(Record->getName());
}

bool isReferenceToPointer(QualType Ty) {
  return Ty->isReferenceType() && !pointeeOf(Ty->getPointeeType()).isNull();
}

bool isWritableReference(QualType Ty, const ClassRoles& Roles) {
  // The IDs of objects that a container holds by value, or owns, never change.
  QualType Element = elementOfContainer(Ty);
  while (!Element.isNull() && !elementOfContainer(Element).isNull())
    Element = elementOfContainer(Element);
  if (!Element.isNull() && (isObjectClass(Element->getAsCXXRecordDecl(), Roles) ||
                            isSmartPointer(Element) || isOptionalObject(Element, Roles)))
    return false;
  return Ty->isReferenceType() && !Ty->getPointeeType().isConstQualified() &&
         !isObjectClass(Ty->getPointeeType()->getAsCXXRecordDecl(), Roles) &&
         !isSmartPointer(Ty->getPointeeType()) && !isOptionalObject(Ty->getPointeeType(), Roles);
}

bool isNumber(QualType Canonical) {
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

bool isElementValue(QualType Ty) {
  Ty = Ty.getNonReferenceType().getCanonicalType();
  if (const auto* Array = dyn_cast<ConstantArrayType>(Ty.getTypePtr()))
    return isElementValue(Array->getElementType());
  if (Ty->isArithmeticType() || Ty->isEnumeralType() || isIndex(Ty))
    return true;
  if (Ty->isPointerType())
    return isUserClass(Ty->getPointeeType()->getAsCXXRecordDecl());
  const CXXRecordDecl* Record = Ty->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition())
    return false;
  for (const char* Name : {"tuple", "pair", "array", "optional", "variant", "complex"})
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

bool leadsToObjects(QualType Ty) {
  Ty = Ty.getNonReferenceType().getCanonicalType();
  if (const QualType Element = elementOfContainer(Ty); !Element.isNull())
    return leadsToObjects(Element);
  if (const QualType Pointee = pointeeOf(Ty); !Pointee.isNull())
    return isUserClass(Pointee->getAsCXXRecordDecl());
  const CXXRecordDecl* Record = Ty->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition())
    return false;
  if (const auto* Spec = dyn_cast<ClassTemplateSpecializationDecl>(Record); Spec && isInStd(Spec))
    return llvm::any_of(Spec->getTemplateArgs().asArray(), [](const TemplateArgument& Of) {
      return Of.getKind() == TemplateArgument::Pack
                 ? llvm::any_of(Of.getPackAsArray(),
                                [](const TemplateArgument& In) {
                                  return In.getKind() == TemplateArgument::Type &&
                                         leadsToObjects(In.getAsType());
                                })
                 : Of.getKind() == TemplateArgument::Type && leadsToObjects(Of.getAsType());
    });
  return isUserClass(Record) && llvm::any_of(Record->fields(), [](const FieldDecl* Member) {
           const QualType In = Member->getType();
           return In->isPointerType() && isUserClass(In->getPointeeType()->getAsCXXRecordDecl());
         });
}

bool isStdClass(QualType Ty, llvm::StringRef Name) {
  const CXXRecordDecl* Record = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  return Record && Record->getIdentifier() && isInStd(Record) && Record->getName() == Name;
}

bool isClosure(QualType Ty) {
  const CXXRecordDecl* Record = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  if (!Record || Record->isLambda())
    return Record != nullptr;
  return Record->hasDefinition() && Record->getNumBases() > 0 && Record->field_empty() &&
         llvm::all_of(Record->bases(), [](const CXXBaseSpecifier& Base) {
           const CXXRecordDecl* Of = Base.getType()->getAsCXXRecordDecl();
           return Of && Of->isLambda();
         });
}

bool isCaptureless(QualType Ty) {
  const CXXRecordDecl* Record = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  return Record && Record->isLambda() && Record->capture_size() == 0;
}

bool isOfPack(const ValueDecl* V) {
  const SourceManager& SM = V->getASTContext().getSourceManager();
  const auto [File, At] = SM.getDecomposedSpellingLoc(V->getLocation());
  return isa<VarDecl>(V) && SM.getBufferData(File).take_front(At).rtrim().ends_with("...");
}

bool isDeclaredIn(const Decl* D, const FunctionDecl* F) {
  for (const DeclContext* C = D->getDeclContext(); C && !C->isFileContext(); C = C->getParent())
    if (C == F)
      return true;
  return false;
}

llvm::SmallVector<const FunctionDecl*> bodiesOf(const LambdaExpr* E) {
  const CXXMethodDecl* Operator = E->getCallOperator();
  const FunctionTemplateDecl* Template = Operator->getDescribedFunctionTemplate();
  if (!Template)
    return {Operator};
  llvm::SmallVector<const FunctionDecl*> Out;
  for (const FunctionDecl* Instance : Template->specializations())
    if (Instance->hasBody())
      Out.push_back(Instance);
  return Out;
}

bool isObjectClass(const CXXRecordDecl* Record, const ClassRoles& Roles) {
  return isUserClass(Record) && !isValueClass(Record, Roles);
}

static bool holdsPolymorphic(const CXXRecordDecl* Record,
                             llvm::SmallPtrSetImpl<const CXXRecordDecl*>& Seen) {
  Record = Record->getDefinition();
  if (!Record || !Seen.insert(Record).second)
    return false;
  const auto Holds = [&](const CXXRecordDecl* Of) { return holdsPolymorphic(Of, Seen); };
  return llvm::any_of(Record->bases(),
                      [&](const CXXBaseSpecifier& Base) {
                        const auto* Of = Base.getType()->getAsCXXRecordDecl();
                        return Of && Holds(Of);
                      }) ||
         llvm::any_of(Record->fields(), [&](const FieldDecl* Field) {
           const QualType Ty = elementOfArrays(Field->getType());
           if (const auto* Of = Ty->getAsCXXRecordDecl())
             return (Of->hasDefinition() && Of->isPolymorphic() && !isInStd(Of)) || Holds(Of);
           // Bytes in which objects may be made.
           const auto* Number = Ty->getAs<BuiltinType>();
           return Field->getType()->isArrayType() &&
                  (Ty->isStdByteType() || (Number && Number->getKind() == BuiltinType::UChar));
         });
}
bool holdsPolymorphic(const CXXRecordDecl* Record) {
  llvm::SmallPtrSet<const CXXRecordDecl*, 8> Seen;
  return holdsPolymorphic(Record, Seen);
}

bool isObjectByValue(QualType Ty, const ClassRoles& Roles) {
  const CXXRecordDecl* Record =
      Ty->isReferenceType() ? nullptr : elementOfArrays(Ty)->getAsCXXRecordDecl();
  return isUserClass(Record) && !isClosure(elementOfArrays(Ty)) &&
         Roles.Objects.contains(Record->getCanonicalDecl());
}

bool isOptionalObject(QualType Ty, const ClassRoles& Roles) {
  const auto* Optional = stdTemplate(Ty.getNonReferenceType().getCanonicalType(), "optional");
  const CXXRecordDecl* Held =
      Optional ? Optional->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl() : nullptr;
  return Held && Roles.Objects.contains(Held->getCanonicalDecl()) && isObjectClass(Held, Roles) &&
         !Held->isUnion();
}

const CXXRecordDecl* copiedClassOf(QualType Ty, const ClassRoles& Roles) {
  if (Ty->isReferenceType() || Ty->isArrayType())
    return nullptr;
  const QualType Element = elementOfContainer(Ty);
  if (!Element.isNull() && (isStdClass(Ty, "span") || rankOfArray(Ty) > 1))
    return nullptr;
  const CXXRecordDecl* Record = (Element.isNull() ? Ty : Element)->getAsCXXRecordDecl();
  return Record && Roles.Copied.contains(Record->getCanonicalDecl()) ? Record : nullptr;
}

bool holdsObjectsThemselves(QualType Ty, const ClassRoles& Roles) {
  Ty = Ty.getNonReferenceType();
  if (const QualType Element = elementOfContainer(Ty); !Element.isNull())
    Ty = Element;
  return isObjectByValue(Ty, Roles);
}

bool isAssignedWithObject(const Member& M) {
  const QualType Ty = M.Decl->getType();
  return !M.isViewInCopies() && !isSmartPointer(Ty) && !stdTemplate(Ty, "weak_ptr");
}

const CXXRecordDecl* valueClassOf(QualType Ty, const ClassRoles& Roles) {
  const CXXRecordDecl* Record = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  return Record && isValueClass(Record, Roles) ? Record : nullptr;
}

bool isUserClass(const CXXRecordDecl* Record) {
  return Record && !isInStd(Record) && !isInIkra(Record) && !Record->isLambda();
}

static bool hasAccessFriend(const CXXRecordDecl* Class) {
  return llvm::any_of(Class->friends(), [](const FriendDecl* Friend) {
    const auto* Template = dyn_cast_or_null<ClassTemplateDecl>(Friend->getFriendDecl());
    return Template && Template->getName() == "object_access" && isInIkra(Template);
  });
}

/// Whether ikrac emits the file anew where something in it is to be changed: a header is reached by
/// directives in files of the program.
static bool mayBeChanged(FileID File, const SourceManager& SM) {
  for (SourceLocation From; SM.getFileEntryRefForID(File); File = SM.getFileID(From)) {
    From = SM.getIncludeLoc(File);
    if (From.isInvalid())
      return File == SM.getMainFileID();
    if (SM.isInSystemHeader(From) || SM.isWrittenInCommandLineFile(From))
      return false;
  }
  return false;
}

SourceLocation placeForAccess(const CXXRecordDecl* Class) {
  if (const CXXRecordDecl* Pattern = Class->getTemplateInstantiationPattern())
    Class = Pattern;
  Class = Class->getDefinition();
  if (!Class || !isUserClass(Class) || Class->isUnion() || hasAccessFriend(Class) ||
      Class->getParentFunctionOrMethod() || // a local class has no friends that are templates
      Class->getDeclContext()->isExternCContext())
    return {};
  const SourceManager& SM = Class->getASTContext().getSourceManager();
  const SourceLocation Brace = Class->getBraceRange().getBegin();
  return Brace.isValid() && !Brace.isMacroID() && !SM.isInSystemHeader(Brace) &&
                 mayBeChanged(SM.getFileID(Brace), SM)
             ? Brace
             : SourceLocation();
}

bool grantsAccess(const CXXRecordDecl* Class) {
  return hasAccessFriend(Class) || placeForAccess(Class).isValid();
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

//===-- classification ---------------------------------------------------------------------===//

namespace {

/// Names the form that values with pointers to objects have in device code, with IDs in their
/// place.
class WithIds {
public:
  WithIds(const ASTContext& Context, const ClassRoles& Roles, const ClassNames& Names, Type& Out)
      : Context(Context), Roles(Roles), Names(Names), Out(Out) {}

  std::string name(QualType Ty) {
    Ty = Ty.getCanonicalType();
    if (Ty->isReferenceType())
      return name(Ty->getPointeeType()) + (Ty->isLValueReferenceType() ? "&" : "&&");
    if (Ty.isConstQualified())
      return "const " + name(Ty.getUnqualifiedType());
    if (Ty->isPointerType()) {
      add(Out.Held, Names.IndexOf(Ty->getPointeeType()->getAsCXXRecordDecl()));
      return "ikra::object_id";
    }
    if (const CXXRecordDecl* Record = Ty->getAsCXXRecordDecl(); isOwnStruct(Record, Roles)) {
      const Index Class = Names.IndexOf(Record);
      add(Out.Structs, Class);
      for (const FieldDecl* Member : Record->getDefinition()->fields())
        name(elementOfArrays(Member->getType()));
      return Names.StructOf(Class);
    }
    const auto* Tuple = holdsObjects(Ty) ? holderOf(Ty) : nullptr;
    if (!Tuple)
      return hostSpelling(Ty, Context);
    std::vector<std::string> Elements;
    for (const QualType Element : elementsOf(Tuple)) {
      const std::string Alternative = alternativeIn(Ty, Element);
      Elements.push_back(name(Element));
      if (!Alternative.empty())
        Elements.back() = Alternative;
    }
    return "::std::" + Tuple->getNameAsString() + "<" + llvm::join(Elements, ", ") + ">";
  }

private:
  static void add(std::vector<Index>& To, Index Class) {
    if (!llvm::is_contained(To, Class))
      To.push_back(Class);
  }

  const ASTContext& Context;
  const ClassRoles& Roles;
  const ClassNames& Names;
  Type& Out;
};

} // namespace

/// True for containers of containers that each have their elements themselves. Built-in arrays of
/// values in several dimensions are values.
static bool mayNest(QualType Outer, QualType Inner, TypeKind OfInner) {
  const auto Owns = [](QualType Ty) {
    return rankOfArray(Ty) == 0 && !stdTemplate(Ty.getCanonicalType(), "span");
  };
  return Owns(Outer) && Owns(Inner) &&
         (OfInner == TypeKind::ObjectList || !Outer->isConstantArrayType() ||
          !Inner->isConstantArrayType());
}

static unsigned bytesOf(QualType Ty, const ASTContext& Context) {
  return static_cast<unsigned>(Context.getTypeSizeInChars(Ty).getQuantity());
}

bool isAtomicNumber(QualType Ty) {
  const QualType Canonical = Ty.getCanonicalType().getUnqualifiedType();
  return isNumber(Canonical) || Canonical->isEnumeralType();
}

QualType numberOfAtomic(QualType Ty) {
  const auto* Class = stdTemplate(Ty.getNonReferenceType(), "atomic");
  const QualType Of = Class ? Class->getTemplateArgs()[0].getAsType() : QualType();
  return Class && isAtomicNumber(Of) ? Of : QualType();
}

Type classifyType(QualType Ty, const ASTContext& Context, const ClassRoles& Roles,
                  const ClassNames& Names) {
  Type Out;
  const PrintingPolicy Policy = spellingPolicy(Context);
  const QualType Canonical = Ty.getCanonicalType();
  Out.HostSpelling = hostSpelling(Canonical.getUnqualifiedType(), Context);
  QualType Value = Canonical.getNonReferenceType().getUnqualifiedType();
  if (const QualType Number = numberOfAtomic(Value); !Number.isNull())
    Value = Number.getCanonicalType();
  if (Value->isVoidType()) {
    Out.Kind = TypeKind::Void;
    Out.Spelling = "void";
    return Out;
  }
  if (isNumber(Value)) {
    Out.Kind = TypeKind::Value;
    Out.Bytes = bytesOf(Value, Context);
    Out.Spelling = Value.getAsString(Policy);
    return Out;
  }
  if (Value->isMemberDataPointerType()) { // a number in memory
    Out.Kind = TypeKind::Value;
    Out.IsMemberPointer = true;
    Out.Bytes = bytesOf(Value, Context);
    Out.Spelling = Context.getPointerDiffType().getAsString(Policy);
    return Out;
  }
  if (const auto* Enum = Value->getAs<EnumType>()) {
    Out.Kind = TypeKind::Value;
    Out.Bytes = bytesOf(Value, Context);
    const EnumDecl* Decl = Enum->getDecl();
    if (Decl->getParentFunctionOrMethod() || !Decl->getIdentifier()) {
      // Emitted code cannot name it; its values are what matters.
      Out.Spelling = Decl->getIntegerType().getCanonicalType().getAsString(Policy);
    } else if (hiddenIn(Decl)) {
      Out.Private = Names.IndexOf(cast<CXXRecordDecl>(Decl->getDeclContext()));
      Out.IsPublicInPrivate = Decl->getAccess() == AS_public;
      Out.Spelling = Decl->getName().str();
    } else {
      Out.Spelling = "::" + Value.getAsString(Policy);
    }
    return Out;
  }
  if (const CXXRecordDecl* Record = valueClassOf(Value, Roles)) {
    Out.Kind = TypeKind::Value;
    Out.IsClass = true;
    Out.Bytes = bytesOf(Value, Context);
    if (isOwnStruct(Record, Roles) || holdsObjects(Value)) {
      Out.Spelling = WithIds(Context, Roles, Names, Out).name(Value);
    } else if (hiddenIn(Record)) {
      Out.Private = Names.IndexOf(cast<CXXRecordDecl>(Record->getDeclContext()));
      Out.IsPublicInPrivate = Record->getAccess() == AS_public;
      Out.Spelling = Record->getName().str();
    } else {
      Out.Spelling = hostSpelling(Value, Context);
    }
    return Out;
  }
  // A reference to a pointer leads to the same object.
  const bool ToPointer = isReferenceToPointer(Canonical);
  const QualType Pointee = isOptionalObject(Value, Roles)
                               ? stdTemplate(Value, "optional")->getTemplateArgs()[0].getAsType()
                               : pointeeOf(ToPointer ? Value : Canonical);
  const CXXRecordDecl* Record = Pointee.isNull() ? nullptr : Pointee->getAsCXXRecordDecl();
  if (isObjectClass(Record, Roles)) {
    Out.Kind = TypeKind::Object;
    Out.Class = Names.IndexOf(Record);
    Out.Spelling = "ikra::object_id";
    return Out;
  }
  if (const QualType To = pointedTo(Value); !To.isNull()) {
    const Type Of = classifyType(To.getUnqualifiedType(), Context, Roles, Names);
    // A pointer to a pointer to an object points to an ID.
    if ((Of.Kind != TypeKind::Value && Of.Kind != TypeKind::Object) || Of.IsMemberPointer)
      return Out;
    std::string Host = std::move(Out.HostSpelling);
    Out = Of;
    Out.Kind = TypeKind::Pointer;
    Out.HostSpelling = std::move(Host);
    return Out;
  }
  if (QualType Element = elementOfContainer(Value); !Element.isNull()) {
    const Type Of = classifyType(Element, Context, Roles, Names);
    Out.Spelling = Of.Spelling;
    Out.Class = Of.Class;
    Out.Private = Of.Private;
    Out.IsPublicInPrivate = Of.IsPublicInPrivate;
    const bool Bits = stdTemplate(Value, "vector") && Element->isBooleanType();
    Out.IsClass = Of.IsClass;
    Out.IsMemberPointer = Of.IsMemberPointer;
    Out.ArrayRank = rankOfArray(Value);
    Out.Held = Of.Held;
    Out.Structs = Of.Structs;
    if (Of.Kind == TypeKind::Value && !Bits)
      Out.Kind = TypeKind::ValueList;
    else if (Of.Kind == TypeKind::Object)
      Out.Kind = TypeKind::ObjectList;
    else if (const CXXRecordDecl* Held = Element->getAsCXXRecordDecl();
             isObjectClass(Held, Roles) && !Held->isUnion()) {
      Out.Kind = TypeKind::ObjectList;
      Out.Class = Names.IndexOf(Held);
      Out.Spelling = "ikra::object_id";
      Out.IsHeld = true;
    } else if ((Of.Kind == TypeKind::ValueList || Of.Kind == TypeKind::ObjectList) &&
               mayNest(Value, Element, Of.Kind) && Of.isAsInProgram() && !Of.IsNested) {
      Out.Kind = Of.Kind;
      Out.IsHeld = Of.IsHeld;
      Out.IsNested = true;
    }
    return Out;
  }
  const CXXRecordDecl* Class = Value->getAsCXXRecordDecl();
  if (isWindow(Value)) {
    Out.Kind = TypeKind::Window;
    Out.Spelling = "::" + Value.getAsString(Policy);
    return Out;
  }
  if (Class && isInIkra(Class) && Class->getName() == "random") {
    Out.Kind = TypeKind::Library;
    Out.Spelling = "::" + Value.getAsString(Policy);
  }
  return Out;
}

} // namespace ikra
