// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parameter that has no name is named by the function's parameter that it is the type of, as
// those of generic lambdas are. One that nothing names is left out: those beside it may do.

#include "Instantiations.h"

#include "Constants.h"
#include "SectionBuilder.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace ikra {

/// \p Argument of a template as code outside of all functions and classes can write it; none if it
/// cannot.
static std::optional<std::string> argumentText(const TemplateArgument& Argument,
                                               const ASTContext& Context) {
  if (Argument.getKind() == TemplateArgument::Type) {
    const QualType Ty = Argument.getAsType().getCanonicalType();
    QualType Named = Ty.getNonReferenceType();
    while (!pointeeOf(Named).isNull())
      Named = pointeeOf(Named);
    const TagDecl* Tag = Named->getAsTagDecl();
    const auto* Record = dyn_cast_or_null<CXXRecordDecl>(Tag);
    const bool Hidden = Tag && (!mayBeNamedIn(Tag, Context.getTranslationUnitDecl()) ||
                                (Record && Record->isLambda()));
    if (Hidden || Ty->getLinkage() == Linkage::None || Ty->getLinkage() == Linkage::VisibleNone)
      return std::nullopt;
    return hostSpelling(Ty, Context);
  }
  if (Argument.getKind() != TemplateArgument::Integral)
    return std::nullopt;
  const QualType Ty = Argument.getIntegralType();
  if (const TagDecl* Tag = Ty->getAsTagDecl();
      Tag && !mayBeNamedIn(Tag, Context.getTranslationUnitDecl()))
    return std::nullopt;
  return "::ikra::constant<static_cast<" + hostSpelling(Ty.getCanonicalType(), Context) + ">(" +
         integerText(Argument.getAsIntegral()) + ")>";
}

namespace {

/// Whether a type is written with a parameter of a template.
class ParameterFinder : public RecursiveASTVisitor<ParameterFinder> {
public:
  ParameterFinder(QualType Ty, const NamedDecl* Parameter) : Parameter(Parameter) {
    TraverseType(Ty);
  }
  bool Found = false;

  bool VisitTemplateTypeParmType(TemplateTypeParmType* T) {
    Found |= T->getDecl() == Parameter;
    return true;
  }

private:
  const NamedDecl* Parameter;
};

/// Whether a function declares a name again that a parameter of it has: the name may then stand for
/// something else where it is written.
class SecondDeclarationFinder : public RecursiveASTVisitor<SecondDeclarationFinder> {
public:
  SecondDeclarationFinder(const FunctionDecl* Function, DeclarationName Name)
      : Function(Function), Name(Name) {
    TraverseDecl(const_cast<FunctionDecl*>(Function));
  }
  bool Found = false;

  bool VisitNamedDecl(NamedDecl* D) {
    const auto* Parameter = dyn_cast<ParmVarDecl>(D);
    Found |= D->getDeclName() == Name &&
             !(Parameter && llvm::is_contained(Function->parameters(), Parameter));
    return true;
  }

private:
  const FunctionDecl* Function;
  DeclarationName Name;
};

} // namespace

void TemplateLevels::addArgument(llvm::StringRef Name, const TemplateArgument& Argument) {
  if (const std::optional<std::string> Text = argumentText(Argument, Context))
    Arguments.push_back(*Text);
  else
    Obstacle = "an argument for '" + Name.str() +
               "' is a local type, one that is not public, or no type or number";
}

void TemplateLevels::add(const TemplateParameterList* Parameters,
                         llvm::ArrayRef<TemplateArgument> Given) {
  for (unsigned K = 0; K < Parameters->size() && K < Given.size(); ++K) {
    const NamedDecl* Parameter = Parameters->getParam(K);
    if (!Parameter->getIdentifier() || Parameter->isImplicit())
      continue;
    const std::string Name = Parameter->getNameAsString();
    const std::string Written =
        isa<TemplateTypeParmDecl>(Parameter) ? Name : "::ikra::constant<" + Name + ">";
    const bool IsPack = Given[K].getKind() == TemplateArgument::Pack;
    InText.push_back(Written + (IsPack ? "..." : ""));
    for (const TemplateArgument& Argument :
         IsPack ? Given[K].getPackAsArray() : llvm::ArrayRef(Given[K]))
      addArgument(Name, Argument);
  }
}

/// The type of a function's parameter, in place of a template's parameter that it is declared with.
void TemplateLevels::addParameter(const FunctionDecl* F, const ParmVarDecl* OfPattern) {
  const DeclarationName Name = OfPattern->getDeclName();
  if (!Name)
    return;
  if (SecondDeclarationFinder(F, Name).Found) {
    Obstacle = "the function declares '" + Name.getAsString() +
               "' again, a parameter whose type has no name";
    return;
  }
  InText.push_back("decltype(" + Name.getAsString() + ")" +
                   (OfPattern->isParameterPack() ? "..." : ""));
  for (const ParmVarDecl* P : F->parameters())
    if (P->getDeclName() == Name)
      addArgument(Name.getAsString(), P->getType());
}

void TemplateLevels::addFunction(const FunctionDecl* F, const FunctionDecl* Pattern,
                                 llvm::ArrayRef<TemplateArgument> Given) {
  const TemplateParameterList* Parameters =
      Pattern->getDescribedFunctionTemplate()->getTemplateParameters();
  add(Parameters, Given);
  for (const ParmVarDecl* P : Pattern->parameters())
    if (llvm::any_of(*Parameters, [&](const NamedDecl* Parameter) {
          return Parameter->isImplicit() && ParameterFinder(P->getType(), Parameter).Found;
        }))
      addParameter(F, P);
}

/// What \p C stands in; a friend that a class defines, in that class.
static const DeclContext* around(const DeclContext* C) {
  const auto* F = dyn_cast<FunctionDecl>(C);
  return F && F->getFriendObjectKind() != Decl::FOK_None ? F->getLexicalParent() : C->getParent();
}

TemplateLevels::TemplateLevels(const ASTContext& Context, const FunctionDecl* Inside)
    : Context(Context) {
  unsigned ListsOfPattern = 0; // of class templates, where a member is defined outside of them
  const FunctionDecl* Pattern = nullptr;
  for (const DeclContext* C = Inside; C && !C->isFileContext(); C = around(C)) {
    if (const auto* F = dyn_cast<FunctionDecl>(C); F && F->isTemplateInstantiation()) {
      Pattern = F->getTemplateInstantiationPattern();
      ListsOfPattern = Pattern ? Pattern->getNumTemplateParameterLists() : 0;
      const TemplateArgumentList* Given = F->getTemplateSpecializationArgs();
      if (!Given)
        continue;
      if (Pattern && Pattern->getDescribedFunctionTemplate())
        addFunction(F, Pattern, Given->asArray());
      else
        Obstacle = "it is specialised";
    }
    const auto* R = dyn_cast<ClassTemplateSpecializationDecl>(C);
    if (!R || R->isExplicitSpecialization())
      continue;
    const auto* Of = dyn_cast_or_null<ClassTemplateDecl>(
        R->getSpecializedTemplateOrPartial().dyn_cast<ClassTemplateDecl*>());
    if (!Of) {
      Obstacle = "the class template is partially specialised";
      continue;
    }
    while (Of->getInstantiatedFromMemberTemplate() && !Of->isMemberSpecialization())
      Of = Of->getInstantiatedFromMemberTemplate();
    const CXXRecordDecl* Definition = Of->getTemplatedDecl()->getDefinition();
    const TemplateParameterList* Parameters = Of->getTemplateParameters();
    if (ListsOfPattern > 0)
      Parameters = Pattern->getTemplateParameterList(--ListsOfPattern);
    else if (Definition)
      Parameters = Definition->getDescribedClassTemplate()->getTemplateParameters();
    add(Parameters, R->getTemplateArgs().asArray());
  }
}

bool SectionBuilder::addInstantiation(Section& S, const OperationCall& Operation) {
  const TemplateLevels Levels(Context, Operation.Inside);
  if (!Levels.Obstacle.empty()) {
    refuse(Operation.Call->getExprLoc(), Diag::section_in_template)
        << Operation.Name << Levels.Obstacle;
    return false;
  }
  S.Instance = Instantiation{.Template = "",
                             .InText = llvm::join(Levels.InText, ", "),
                             .Arguments = llvm::join(Levels.Arguments, ", ")};
  return true;
}

std::string difference(const Section& S, const ProgramModel& Model,
                       const std::vector<Index>& Others) {
  const auto Texts = [](const Section& Of) {
    std::vector<std::string> Out;
    for (const Capture& C : Of.Captures)
      Out.push_back(C.HostText);
    return Out;
  };
  for (Index I : Others) {
    if (Model.Sections[I].Instance->Arguments == S.Instance->Arguments)
      return "two instantiations have the same arguments where parameters have names";
    // An operator's text says what its operands are, and holds nothing else.
    if (S.Written != Rewriting::Operator && Texts(Model.Sections[I]) != Texts(S))
      return "what it captures differs between instantiations";
  }
  return "";
}

} // namespace ikra
