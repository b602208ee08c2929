// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How types are written: in host text and in emitted code, from wherever that stands.
#include "Types.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/QualTypeNames.h"
#include "clang/Basic/CharInfo.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace ikra {

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

namespace {

/// Writes types whose arguments are packs, those of std::tuple for example: clang leaves the names
/// in them as they are found from within their namespace.
class PackSpeller {
public:
  explicit PackSpeller(const ASTContext& Context) : Context(Context) {}

  static bool isNeeded(QualType Ty) {
    while (Ty->isPointerType() || Ty->isReferenceType())
      Ty = Ty->getPointeeType();
    const auto* Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Ty->getAsCXXRecordDecl());
    return Spec && llvm::any_of(Spec->getTemplateArgs().asArray(), [](const TemplateArgument& Of) {
             return Of.getKind() == TemplateArgument::Pack ||
                    (Of.getKind() == TemplateArgument::Type && isNeeded(Of.getAsType()));
           });
  }

  std::string spell(QualType Ty) const {
    if (Ty->isReferenceType())
      return spell(Ty->getPointeeType()) + (Ty->isLValueReferenceType() ? "&" : "&&");
    if (Ty.isConstQualified())
      return "const " + spell(Ty.getUnqualifiedType());
    if (Ty->isPointerType())
      return spell(Ty->getPointeeType()) + "*";
    const auto* Spec = cast<ClassTemplateSpecializationDecl>(Ty->getAsCXXRecordDecl());
    std::vector<std::string> Arguments;
    for (const TemplateArgument& Of : Spec->getTemplateArgs().asArray())
      add(Of, Arguments);
    return name(*Spec) + "<" + llvm::join(Arguments, ", ") + ">";
  }

private:
  void add(const TemplateArgument& Of, std::vector<std::string>& Out) const {
    switch (Of.getKind()) {
    case TemplateArgument::Pack:
      for (const TemplateArgument& In : Of.getPackAsArray())
        add(In, Out);
      break;
    case TemplateArgument::Type:
      Out.push_back(hostSpelling(Of.getAsType().getCanonicalType(), Context));
      break;
    case TemplateArgument::Integral:
      Out.push_back("static_cast<" +
                    hostSpelling(Of.getIntegralType().getCanonicalType(), Context) + ">(" +
                    llvm::toString(Of.getAsIntegral(), 10) + ")");
      break;
    case TemplateArgument::Template:
      Out.push_back(name(*Of.getAsTemplate().getAsTemplateDecl()));
      break;
    case TemplateArgument::Declaration:
      if (!Of.getParamTypeForDecl()->isRecordType()) { // a record's value has no name
        Out.push_back((Of.getParamTypeForDecl()->isReferenceType() ? "" : "&") +
                      name(*Of.getAsDecl()));
        break;
      }
      [[fallthrough]];
    default:
      llvm::raw_string_ostream OS(Out.emplace_back());
      Of.print(spellingPolicy(Context), OS, /*IncludeType=*/true);
    }
  }

  std::string name(const NamedDecl& Of) const {
    if (const auto* Class = dyn_cast<CXXRecordDecl>(Of.getDeclContext()))
      return hostSpelling(QualType(Class->getTypeForDecl(), 0), Context) +
             "::" + Of.getName().str();
    std::string Out = "::";
    llvm::raw_string_ostream OS(Out);
    Of.printQualifiedName(OS, spellingPolicy(Context));
    return Out;
  }

  const ASTContext& Context;
};

} // namespace

const FieldDecl* memberOfUnnamed(const TagDecl* Tag) {
  const auto* Outer = dyn_cast<CXXRecordDecl>(Tag->getDeclContext());
  if (Tag->getIdentifier() || Tag->getTypedefNameForAnonDecl() || !Outer)
    return nullptr;
  for (const FieldDecl* Member : Outer->fields())
    if (Member->getIdentifier() && Member->getType()->getAsTagDecl() == Tag)
      return Member;
  return nullptr;
}

/// Adds the names in a type that clang writes without a scope, though they are not local: those of
/// the unnamed namespace at file scope.
static void addUnscoped(QualType Ty, llvm::SmallVectorImpl<llvm::StringRef>& Names) {
  while (!Ty->getPointeeType().isNull())
    Ty = Ty->getPointeeType();
  if (const clang::Type* Element = Ty->getBaseElementTypeUnsafe(); Element != Ty.getTypePtr())
    return addUnscoped(QualType(Element, 0), Names);
  const TagDecl* Tag = Ty->getAsTagDecl();
  if (!Tag)
    return;
  if (const auto* Spec = dyn_cast<ClassTemplateSpecializationDecl>(Tag))
    for (const TemplateArgument& Of : Spec->getTemplateArgs().asArray())
      if (Of.getKind() == TemplateArgument::Type)
        addUnscoped(Of.getAsType(), Names);
  const NamedDecl* Outermost = Tag;
  while (const auto* Outer = dyn_cast<CXXRecordDecl>(Outermost->getDeclContext()))
    Outermost = Outer;
  const DeclContext* Scope = Outermost->getDeclContext();
  bool IsUnnamed = false;
  for (; const auto* Namespace = dyn_cast<NamespaceDecl>(Scope); Scope = Scope->getParent()) {
    if (!Namespace->isAnonymousNamespace())
      return;
    IsUnnamed = true;
  }
  if (IsUnnamed && Scope->isTranslationUnit() && Outermost->getIdentifier())
    Names.push_back(Outermost->getName());
}

/// Writes `::` before a name that stands without.
static void scopeName(std::string& Text, llvm::StringRef Name) {
  const auto IsPart = [](char C) {
    return isAsciiIdentifierContinue(static_cast<unsigned char>(C));
  };
  for (std::size_t At = Text.find(Name.str()); At != std::string::npos;
       At = Text.find(Name.str(), At)) {
    const std::size_t End = At + Name.size();
    if ((At == 0 || (!IsPart(Text[At - 1]) && Text[At - 1] != ':')) &&
        (End == Text.size() || !IsPart(Text[End]))) {
      Text.insert(At, "::");
      At += 2;
    }
    At += Name.size();
  }
}

std::string hostSpelling(QualType Ty, const ASTContext& Context) {
  if (const TagDecl* Tag = Ty->getAsTagDecl())
    if (const FieldDecl* Member = memberOfUnnamed(Tag)) {
      const QualType Outer(Member->getParent()->getTypeForDecl(), 0);
      std::string Out =
          "decltype(" + hostSpelling(Outer, Context) + "::" + Member->getName().str() + ")";
      return Member->getType().isConstQualified() ? "::std::remove_const_t<" + Out + ">" : Out;
    }
  if (PackSpeller::isNeeded(Ty))
    return PackSpeller(Context).spell(Ty);
  PrintingPolicy Policy = spellingPolicy(Context);
  Policy.PrintCanonicalTypes = false;
  Policy.FullyQualifiedName = false;
  std::string Out =
      TypeName::getFullyQualifiedName(Ty, Context, Policy, /*WithGlobalNsPrefix=*/true);
  // Emitted code has names of its own: a class of the program may be called `body`, too.
  llvm::SmallVector<llvm::StringRef> Unscoped;
  addUnscoped(Ty, Unscoped);
  for (const llvm::StringRef Name : Unscoped)
    scopeName(Out, Name);
  return Out;
}

} // namespace ikra
