// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes, members and types of the model. The hierarchy is cut down to what can be constructed: a
// class counts if one of its constructors is used in this translation unit, or if other translation
// units see its definition and may do so.

#include "ModelBuilder.h"

#include "Analysis/Ast/Locations.h"

#include "clang/AST/CXXInheritance.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <functional>

using namespace clang;

namespace ikra {

/// A class's name with its template arguments, without the scopes around it.
static std::string unqualifiedName(const CXXRecordDecl* Decl) {
  std::string Name;
  llvm::raw_string_ostream OS(Name);
  PrintingPolicy Policy = spellingPolicy(Decl->getASTContext());
  Decl->getNameForDiagnostic(OS, Policy, /*Qualified=*/false);
  return Name;
}

std::string ModelBuilder::uniqueIdent(llvm::StringRef Wanted) {
  unsigned& Count = Idents[Wanted];
  ++Count;
  if (Count == 1)
    return Wanted.str();
  return uniqueIdent((Wanted + "_" + llvm::Twine(Count)).str());
}

SourceLoc ModelBuilder::locOf(SourceLocation At) const {
  return ikra::locOf(At, Context.getSourceManager());
}

Type ModelBuilder::classify(QualType Ty) {
  const auto IndexOf = [&](const CXXRecordDecl* Class) { return classIndex(Class); };
  const auto StructOf = [&](Index Class) { return Model.Classes[Class].StructIdent; };
  return classifyType(Ty, Context, Model.Roles, {IndexOf, StructOf});
}

Type ModelBuilder::declare(QualType Ty) {
  const Type Out = classify(Ty);
  if (Out.Class)
    Model.Classes[*Out.Class].Referenced = true;
  for (const Index Class : Out.Held)
    Model.Classes[Class].Referenced = true;
  if (Out.Private)
    HiddenTypes.emplace(*Out.Private, Out.IsPublicInPrivate ? "" : Out.Spelling);
  return Out;
}

Type ModelBuilder::declareLocal(QualType Ty) {
  Type Out = classify(Ty);
  const bool IsBase = Out.Class && Model.Classes[*Out.Class].Decl->hasDefinition() &&
                      !Model.Classes[*Out.Class].Decl->isPolymorphic();
  return IsBase ? Out : declare(Ty);
}

Index ModelBuilder::declareCopy(const CXXRecordDecl* Decl, bool IsBase) {
  const Index I = classIndex(Decl);
  if (!IsBase || Decl->getDefinition()->isPolymorphic()) // no object is reached as one of the base
    declare(Context.getLValueReferenceType(Context.getRecordType(Decl)));
  if (!Model.Classes[I].StructIdent.empty())
    return I;
  Model.Classes[I].StructIdent = uniqueIdent(Model.Classes[I].Ident + "_copy");
  for (const CXXBaseSpecifier& Of : Decl->getDefinition()->bases())
    if (const CXXRecordDecl* Base = Of.getType()->getAsCXXRecordDecl(); isUserClass(Base)) {
      const Index Made = declareCopy(Base, /*IsBase=*/true);
      Model.Classes[I].StructBases.push_back(Made);
    }
  return I;
}

Type ModelBuilder::declareCopied(QualType Ty) {
  const CXXRecordDecl* Class = copiedClassOf(Ty.getUnqualifiedType(), Model.Roles);
  Type Out;
  Out.Kind = elementOfContainer(Ty).isNull() ? TypeKind::Value : TypeKind::ValueList;
  Out.HostSpelling = hostSpelling(Ty.getCanonicalType().getUnqualifiedType(), Context);
  Out.Spelling = hostSpelling(Context.getRecordType(Class), Context);
  Out.IsClass = true;
  Out.Bytes =
      static_cast<unsigned>(Context.getTypeSizeInChars(Context.getRecordType(Class)).getQuantity());
  Out.ArrayRank = rankOfArray(Ty);
  Out.CopyOf = declareCopy(Class);
  return Out;
}

/// An object that another one holds by value is reached as if by a reference, which never changes.
/// A built-in array in several dimensions is a value, which is what it is in C++.
Type ModelBuilder::declareMember(QualType Ty) {
  QualType Element = Ty;
  std::string Extents;
  unsigned Dimensions = 0;
  for (; const auto* Array = Context.getAsConstantArrayType(Element); ++Dimensions) {
    Extents += "[" + llvm::toString(Array->getSize(), 10, /*Signed=*/false) + "]";
    Element = Array->getElementType();
  }
  if (Type Out = Dimensions > 1 ? declare(Element) : Type();
      Out.Kind == TypeKind::Value && Out.isAsInProgram() && !Out.Private) {
    Out.Spelling = "std::type_identity_t<" + Out.Spelling + Extents + ">";
    Out.IsClass = true;
    return Out;
  }
  const CXXRecordDecl* Held = Ty->getAsCXXRecordDecl();
  if (!isObjectClass(Held, Model.Roles) || Held->isUnion() || !Held->hasDefinition())
    return declare(Ty);
  Type Out = declare(Context.getLValueReferenceType(Ty));
  Out.IsHeld = true;
  return Out;
}

//===-- classes and members ----------------------------------------------------------------===//

std::optional<Index> ModelBuilder::findClass(const CXXRecordDecl* Decl) const {
  auto It = ClassOf.find(Decl->getCanonicalDecl());
  return It == ClassOf.end() ? std::nullopt : std::optional<Index>(It->second);
}

Index ModelBuilder::classIndex(const CXXRecordDecl* Decl) {
  const CXXRecordDecl* Canonical = Decl->getCanonicalDecl();
  if (auto It = ClassOf.find(Canonical); It != ClassOf.end())
    return It->second;
  const Index I = Model.Classes.size();
  ClassOf[Canonical] = I;
  if (const CXXRecordDecl* Definition = Decl->getDefinition())
    Decl = Definition;
  Class C;
  {
    llvm::raw_string_ostream OS(C.Name);
    Decl->getNameForDiagnostic(OS, spellingPolicy(Context), /*Qualified=*/true);
  }
  C.Ident = uniqueIdent(identOf(unqualifiedName(Decl)));
  C.Decl = Decl;
  C.At = locOf(Decl->getLocation());
  if (Decl->hasDefinition()) {
    C.Polymorphic = Decl->isPolymorphic();
    C.HoldsPolymorphic = C.Polymorphic && holdsPolymorphic(Decl);
    C.GrantsAccess = grantsAccess(Decl);
    C.IsValue = isValueClass(Decl, Model.Roles);
    if (isOwnStruct(Decl, Model.Roles))
      C.StructIdent = uniqueIdent(C.Ident + "_value");
  }
  Model.Classes.push_back(std::move(C));
  if (hiddenIn(Decl) && Model.Classes[I].StructIdent.empty()) {
    const Index Outer = classIndex(cast<CXXRecordDecl>(Decl->getDeclContext()));
    Model.Classes[I].Outer = Outer;
    Model.Classes[I].IsPrivate = Decl->getAccess() != AS_public;
    Model.Classes[I].ShortName = unqualifiedName(Decl);
  }
  return I;
}

bool ModelBuilder::reachHidden(const FieldDecl* Member) {
  const Index C = classIndex(cast<CXXRecordDecl>(Member->getParent()));
  Model.Classes[C].HiddenMembers.insert(Member->getNameAsString());
  return Model.Classes[C].GrantsAccess;
}

void ModelBuilder::explainRole(QualType Ty) {
  while (const auto* Array = Context.getAsConstantArrayType(Ty))
    Ty = Array->getElementType();
  const CXXRecordDecl* Class = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  if (!Class)
    return;
  // The alternatives of a variant, say.
  if (const auto* Of = dyn_cast<ClassTemplateSpecializationDecl>(Class); Of && isInStd(Of))
    for (const TemplateArgument& Argument : Of->getTemplateArgs().asArray())
      for (const TemplateArgument& Each : Argument.getKind() == TemplateArgument::Pack
                                              ? Argument.getPackAsArray()
                                              : llvm::ArrayRef(Argument))
        if (Each.getKind() == TemplateArgument::Type)
          explainRole(Each.getAsType());
  if (const auto It = Model.Roles.Through.find(Class->getCanonicalDecl());
      It != Model.Roles.Through.end())
    Diags.report(It->second->getLocation(), Diag::object_through)
        << Class->getName() << It->second->getQualifiedNameAsString();
}

void ModelBuilder::explainType(QualType Ty, SourceLocation At) {
  explainRole(Ty);
  if (const std::string Other = otherThan(Ty); !Other.empty())
    Diags.report(At, Diag::use_instead)
        << (isText(Ty) ? "std::string"
                       : Ty.getNonReferenceType().getUnqualifiedType().getAsString(
                             Context.getPrintingPolicy()))
        << Other;
}

/// Whether code outside of all functions and classes can write all arguments of a specialisation.
static bool mayWriteArguments(const ClassTemplateSpecializationDecl* Class) {
  const ASTContext& Context = Class->getASTContext();
  const auto MayWrite = [&](const TemplateArgument& Argument) {
    if (Argument.getKind() == TemplateArgument::Integral)
      return true;
    if (Argument.getKind() != TemplateArgument::Type)
      return false;
    QualType Ty = Argument.getAsType();
    while (!Ty->getPointeeType().isNull())
      Ty = Ty->getPointeeType();
    if (Ty->isBuiltinType())
      return true;
    const TagDecl* Tag = Ty->getAsTagDecl();
    if (!Tag || Tag->getParentFunctionOrMethod() ||
        !mayBeNamedIn(Tag, Context.getTranslationUnitDecl()))
      return false;
    const auto* Record = dyn_cast<CXXRecordDecl>(Tag);
    const auto* Of = dyn_cast<ClassTemplateSpecializationDecl>(Tag);
    return !(Record && Record->isLambda()) && (!Of || mayWriteArguments(Of));
  };
  return llvm::all_of(Class->getTemplateArgs().asArray(), [&](const TemplateArgument& Argument) {
    return Argument.getKind() == TemplateArgument::Pack
               ? llvm::all_of(Argument.getPackAsArray(), MayWrite)
               : MayWrite(Argument);
  });
}

bool ModelBuilder::isNamedEverywhere(const VarDecl* Variable) const {
  if (!Variable->hasGlobalStorage() || Variable->isStaticLocal() || isInStd(Variable) ||
      isInIkra(Variable) || isa<VarTemplateSpecializationDecl>(Variable))
    return false;
  for (const DeclContext* In = Variable->getDeclContext(); In; In = In->getParent())
    if (In->isFunctionOrMethod())
      return false;
    else if (const auto* Class = dyn_cast<ClassTemplateSpecializationDecl>(In);
             Class && !mayWriteArguments(Class))
      return false;
  return true;
}

bool ModelBuilder::isSessionGlobal(QualType Ty, GlobalVariable& Out) {
  const Type Of = classify(Ty.getUnqualifiedType());
  const auto* Array = Context.getAsConstantArrayType(Ty);
  if (isObjectClass(Ty->getAsCXXRecordDecl(), Model.Roles)) {
    Out.Is = GlobalVariable::Object;
    Out.Ty = declare(Context.getPointerType(Ty));
    Out.Before = "&";
    return true;
  }
  const bool Holds = !Of.Held.empty() && Of.Structs.empty();
  if ((!Of.isAsInProgram() && !Holds) || Of.IsNested || Of.ArrayRank > 1 || isStdClass(Ty, "span"))
    return false;
  if (Holds && (Of.Kind == TypeKind::Value || Of.Kind == TypeKind::ValueList)) {
    Out.Is = Of.Kind == TypeKind::Value ? GlobalVariable::Object : GlobalVariable::Objects;
    Out.Ty = declare(Ty.getUnqualifiedType());
    return true;
  }
  if (Of.Kind == TypeKind::Object && !isStdClass(Ty, "weak_ptr") &&
      !isOptionalObject(Ty, Model.Roles)) {
    Out.Is = GlobalVariable::Object;
    Out.Ty = declare(Ty.getUnqualifiedType());
    Out.After = isSmartPointer(Ty) ? ".get()" : "";
    return true;
  }
  if (Of.Kind == TypeKind::ValueList && !Of.IsMemberPointer && !Array) {
    Out.Is = GlobalVariable::List;
    Out.Ty = declare(Ty.getUnqualifiedType());
    return true;
  }
  if (Of.Kind != TypeKind::ObjectList)
    return false;
  const QualType Element = elementOfContainer(Ty);
  if (isOptionalObject(Element, Model.Roles) || isStdClass(Element, "weak_ptr"))
    return false;
  Out.Is = GlobalVariable::Objects;
  Out.Ty = declare(Ty.getUnqualifiedType());
  const bool IsTaken = Of.ArrayRank != 0 || (isVector(Ty) && Element->isPointerType());
  if (Of.IsHeld || !IsTaken) {
    Out.Before = "::ikra::objects(";
    Out.After = ")";
  }
  return true;
}

std::optional<Index> ModelBuilder::globalIndex(const VarDecl* Variable) {
  Variable = Variable->getCanonicalDecl();
  for (Index I = 0; I < Model.Globals.size(); ++I)
    if (Model.Globals[I].Decl == Variable)
      return I;
  // They are parameters of kernels, of which old devices take 4 KB.
  constexpr unsigned LargestValue = 1024, Largest = 2048; // bytes
  QualType Ty = Variable->getType().getNonReferenceType();
  const QualType Whole = Ty;
  const CXXRecordDecl* Hiding = hiddenIn(Variable);
  const auto* Around = dyn_cast<CXXRecordDecl>(Variable->getDeclContext());
  if (Hiding && !grantsAccess(Around))
    return std::nullopt;
  if (Ty->isIncompleteType() || Ty.isVolatileQualified())
    return std::nullopt;
  const auto Bytes = static_cast<unsigned>(Context.getTypeSizeInChars(Ty).getQuantity());
  std::string Extents;
  while (const auto* Array = Context.getAsConstantArrayType(Ty)) {
    Extents += "[" + llvm::toString(Array->getSize(), 10, /*Signed=*/false) + "]";
    Ty = Array->getElementType();
  }
  const Type Value = classify(Ty);
  unsigned Others = 0;
  for (const GlobalVariable& Other : Model.Globals)
    Others += Other.Bytes;
  if (!isNamedEverywhere(Variable))
    return std::nullopt;
  GlobalVariable Out;
  const bool IsCopied = Value.Kind == TypeKind::Value && Value.isAsInProgram() &&
                        !Value.IsMemberPointer && Bytes <= LargestValue;
  if (!IsCopied && !isSessionGlobal(Whole, Out))
    return std::nullopt;
  constexpr unsigned BytesOfView = 16;
  const bool IsInView = IsCopied || (!Out.Ty.Held.empty() && Out.Is == GlobalVariable::Object);
  Out.Bytes = IsInView ? Bytes : BytesOfView;
  if (Others + Out.Bytes > Largest)
    return std::nullopt;
  Out.Name = Variable->getNameAsString();
  Out.Ident = uniqueIdent("global_" + Out.Name);
  if (Around) {
    Out.HostText = hostSpelling(Context.getRecordType(Around), Context) + "::" + Out.Name;
  } else {
    llvm::raw_string_ostream OS(Out.HostText);
    OS << "::";
    Variable->printQualifiedName(OS, spellingPolicy(Context));
  }
  if (Hiding)
    Out.HiddenIn = classIndex(Around);
  if (IsCopied) {
    Out.Ty = declare(Ty.getUnqualifiedType());
    Out.Extents = Extents;
  }
  Out.Decl = Variable;
  Model.Globals.push_back(std::move(Out));
  return Model.Globals.size() - 1;
}

std::optional<Index> ModelBuilder::memberIndex(const FieldDecl* Field, SourceLocation Use) {
  Field = Field->getCanonicalDecl();
  if (auto It = MemberOf.find(Field); It != MemberOf.end())
    return It->second;
  const auto* Record = cast<CXXRecordDecl>(Field->getParent());
  if (Record->isUnion() || Record->isAnonymousStructOrUnion()) {
    const auto* Around = dyn_cast<NamedDecl>(Record->getDeclContext());
    Diags.report(Use, Diag::union_class)
        << (Record->getIdentifier() || !Around ? Record->getNameAsString()
                                               : Around->getNameAsString() + "::(anonymous)");
    return std::nullopt;
  }
  Member M{};
  M.Ty = declareMember(Field->getType());
  switch (M.Ty.Structs.empty() && !M.Ty.IsMemberPointer ? M.Ty.Kind : TypeKind::Unsupported) {
  case TypeKind::Value:
    if (!Field->getType()->isReferenceType())
      break;
    [[fallthrough]];
  case TypeKind::Void:
  case TypeKind::Library:
  case TypeKind::Window:
  case TypeKind::Pointer:
  case TypeKind::Unsupported:
    Diags.report(Use, Diag::member_type)
        << Field->getName() << Field->getType().getAsString(Context.getPrintingPolicy());
    explainType(Field->getType(), Field->getLocation());
    return std::nullopt;
  case TypeKind::Object:
  case TypeKind::ValueList:
  case TypeKind::ObjectList:
    // What a span shows is another's.
    if (!isReferenceToPointer(Field->getType()) && M.Ty.ArrayRank == 0 &&
        (M.Ty.IsHeld || !isStdClass(Field->getType(), "span")))
      break;
    Diags.report(Use, Diag::member_type)
        << Field->getName() << Field->getType().getAsString(Context.getPrintingPolicy());
    return std::nullopt;
  }
  M.Class = classIndex(Record);
  M.Name = Field->getNameAsString();
  M.Public = Field->getAccess() == AS_public;
  M.IsConst = Field->getType().isConstQualified();
  M.IsVolatile = Field->getType().isVolatileQualified();
  M.IsAtomic = !numberOfAtomic(Field->getType()).isNull();
  M.Fixed = !isVector(Field->getType());
  M.Bits = Field->isBitField() ? Field->getBitWidthValue(Context) : 0;
  if (M.Ty.Kind == TypeKind::Value && !Field->getType()->isArrayType() && M.Ty.Held.empty())
    M.Bytes = static_cast<unsigned>(Context.getTypeSizeInChars(Field->getType()).getQuantity());
  // An array is indexed, which registers are not.
  constexpr unsigned SmallClass = 16;
  M.FitsRegisters =
      M.Ty.Kind == TypeKind::Object ||
      (M.Ty.Kind == TypeKind::Value && !M.IsAtomic &&
       (!M.Ty.IsClass || (M.Bytes <= SmallClass && elementOfContainer(Field->getType()).isNull())));
  M.DeclarationOrder = Field->getFieldIndex();
  M.Decl = Field;
  const Index I = Model.Members.size();
  MemberOf[Field] = I;
  if (!M.Public && !Model.Classes[M.Class].GrantsAccess) {
    Diags.report(Use, Diag::private_member) << Field->getName() << Record->getNameAsString();
    Diags.report(Record->getLocation(), Diag::declared_here) << Record->getNameAsString();
  }
  Model.Members.push_back(std::move(M));
  return I;
}

//===-- hierarchy --------------------------------------------------------------------------===//

/// True if other translation units may construct objects of the class, or this one does.
static bool canBeConstructed(const CXXRecordDecl* Decl, const SourceManager& SM) {
  if (!Decl->hasDefinition() || Decl->isAbstract())
    return false;
  const auto IsCalled = [](const FunctionDecl* Of) { return Of->isUsed() || Of->isReferenced(); };
  if (llvm::any_of(Decl->ctors(), IsCalled))
    return true;
  for (const clang::Decl* Declared : Decl->decls()) // constructors that are templates
    if (const auto* Template = dyn_cast<FunctionTemplateDecl>(Declared))
      if (isa<CXXConstructorDecl>(Template->getTemplatedDecl()) &&
          llvm::any_of(Template->specializations(), IsCalled))
        return true;
  if (!Decl->isExternallyVisible() || Decl->getParentFunctionOrMethod())
    // Aggregates and implicit constructors fallBack no mark; only polymorphic classes always need
    // one.
    return !Decl->isPolymorphic();
  return !SM.isInMainFile(Decl->getLocation()) || !Decl->isPolymorphic();
}

void ModelBuilder::addConcreteClasses(Index Base) {
  const CXXRecordDecl* BaseDecl = Model.Classes[Base].Decl;
  if (!BaseDecl->hasDefinition())
    return;
  const SourceManager& SM = Context.getSourceManager();
  if (!BaseDecl->isPolymorphic()) {
    // The dynamic class cannot be asked for, so it is the static one.
    Model.Classes[Base].CanBeConstructed = Model.Classes[Base].Referenced;
    return;
  }
  bool Any = false;
  for (const CXXRecordDecl* Candidate : UserClasses)
    if ((Candidate->getCanonicalDecl() == BaseDecl->getCanonicalDecl() ||
         Candidate->isDerivedFrom(BaseDecl)) &&
        canBeConstructed(Candidate, SM)) {
      const Index Added = classIndex(Candidate);
      Model.Classes[Added].CanBeConstructed = true;
      Any = true;
    }
  // Code that asks for a class of which there are no objects need not be refused.
  if (!Any && !BaseDecl->isAbstract())
    Model.Classes[Base].CanBeConstructed = true;
}

void ModelBuilder::closeHierarchy() {
  for (Index I = 0; I < Model.Classes.size(); ++I)
    addConcreteClasses(I);

  for (Class& C : Model.Classes) {
    C.Bases.clear();
    C.Concrete.clear();
  }
  for (Index I = 0; I < Model.Classes.size(); ++I) {
    const CXXRecordDecl* Derived = Model.Classes[I].Decl;
    if (!Derived->hasDefinition())
      continue;
    for (Index J = 0; J < Model.Classes.size(); ++J)
      if (I != J && Model.Classes[J].Decl->hasDefinition() &&
          Derived->isDerivedFrom(Model.Classes[J].Decl))
        Model.Classes[I].Bases.push_back(J);
  }

  // Families: classes connected by inheritance share one range of IDs.
  std::vector<Index> Root(Model.Classes.size());
  for (Index I = 0; I < Root.size(); ++I)
    Root[I] = I;
  std::function<Index(Index)> Find = [&](Index I) {
    return Root[I] == I ? I : Root[I] = Find(Root[I]);
  };
  for (Index I = 0; I < Model.Classes.size(); ++I)
    for (Index Base : Model.Classes[I].Bases) {
      const Index A = Find(I), B = Find(Base);
      Root[std::max(A, B)] = std::min(A, B);
    }
  std::map<Index, Index> Number;
  for (Index I = 0; I < Model.Classes.size(); ++I)
    Model.Classes[I].Family = Number.try_emplace(Find(I), Number.size()).first->second;
  Model.Families = Number.size();

  // IDs follow the source's order of classes, so that output does not depend on which section came
  // first.
  std::vector<Index> Order;
  for (const CXXRecordDecl* Decl : UserClasses)
    if (auto I = findClass(Decl); I && Model.Classes[*I].CanBeConstructed &&
                                  std::find(Order.begin(), Order.end(), *I) == Order.end())
      Order.push_back(*I);
  for (Index Base = 0; Base < Model.Classes.size(); ++Base)
    for (Index I : Order) {
      const auto& Bases = Model.Classes[I].Bases;
      if (I == Base || std::find(Bases.begin(), Bases.end(), Base) != Bases.end())
        Model.Classes[Base].Concrete.push_back(I);
    }
}

bool ModelBuilder::hasMember(Index C, Index M) const {
  const Index Owner = Model.Members[M].Class;
  const auto& Bases = Model.Classes[C].Bases;
  return C == Owner || std::find(Bases.begin(), Bases.end(), Owner) != Bases.end();
}

/// The classes that emitted code names because of what sections reach.
std::set<Index> ModelBuilder::namedClasses() const {
  std::set<Index> Named;
  for (const auto& [Outer, Name] : HiddenTypes)
    Named.insert(Outer);
  for (const Member& M : Model.Members)
    Named.insert(M.Class);
  for (const GlobalVariable& Of : Model.Globals)
    if (Of.HiddenIn)
      Named.insert(*Of.HiddenIn);
  for (Index I = 0; I < Model.Classes.size(); ++I)
    if (!Model.Classes[I].HiddenMembers.empty())
      Named.insert(I);
  for (Index I = 0; I < Model.Classes.size(); ++I)
    if (Model.Classes[I].CanBeConstructed || Model.Classes[I].Referenced)
      Named.insert(I);
  for (Index I = Model.Classes.size(); I-- > 0;) // an outer class comes after
    for (std::optional<Index> At = I; Named.contains(I) && At; At = Model.Classes[*At].Outer)
      Named.insert(*At);
  return Named;
}

void ModelBuilder::checkClasses() {
  for (const auto& [Outer, Name] : HiddenTypes)
    if (const Class& C = Model.Classes[Outer]; !C.GrantsAccess && !Name.empty())
      Diags.report(C.Decl->getLocation(), Diag::private_type) << Name << C.Name;
  for (Index I : namedClasses())
    if (const CXXRecordDecl* Decl = Model.Classes[I].Decl;
        !Decl->getIdentifier() && !Decl->getTypedefNameForAnonDecl())
      Diags.report(Decl->getLocation(), Diag::unnamed_class);
  for (Index I : namedClasses())
    if (const Class& C = Model.Classes[I]; C.IsPrivate && !Model.Classes[*C.Outer].GrantsAccess)
      Diags.report(C.Decl->getLocation(), Diag::private_class)
          << C.Name << Model.Classes[*C.Outer].Name;
  for (Index I = 0; I < Model.Classes.size(); ++I) {
    const Class& C = Model.Classes[I];
    const SourceLocation At = C.Decl->getLocation();
    if (!C.Decl->hasDefinition()) {
      Diags.report(At, Diag::incomplete_class) << C.Name;
      continue;
    }
    if (C.Decl->getParentFunctionOrMethod() && C.CanBeConstructed)
      Diags.report(At, Diag::local_class) << C.Name;
    for (Index Base : C.Bases)
      if (CXXBasePaths Paths;
          C.CanBeConstructed && C.Decl->isDerivedFrom(Model.Classes[Base].Decl, Paths) &&
          Paths.isAmbiguous(
              Context.getCanonicalType(Context.getRecordType(Model.Classes[Base].Decl))))
        Diags.report(At, Diag::ambiguous_base) << C.Name << Model.Classes[Base].Name;
    for (Index Base : C.Bases)
      if (C.CanBeConstructed && Model.Classes[Base].CanBeConstructed &&
          !Model.Classes[Base].Polymorphic)
        Diags.report(At, Diag::not_polymorphic) << C.Name << Model.Classes[Base].Name;
  }
}

} // namespace ikra
