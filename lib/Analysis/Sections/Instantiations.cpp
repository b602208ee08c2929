// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parameter that has no name is named by the function's parameter that it is the type of, as
// those of generic lambdas are. One that nothing names is left out: those beside it may do.
//
// A closure type among the arguments is named by a tag: the host's text wraps the lambda into a
// class that has the tag for an argument (ikra/generated/language/named.hpp). Where the lambda
// stands in a template itself, the tag has the arguments of that.

#include "Instantiations.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Constants.h"
#include "SectionBuilder.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace ikra {

namespace {

/// Whether a type is written with a parameter of a template.
class ParameterFinder final : public AstVisitor {
public:
  ParameterFinder(QualType Ty, const NamedDecl* Parameter) : Parameter(Parameter) {
    TraverseType(Ty);
  }
  bool Found = false;

  bool VisitTemplateTypeParmType(TemplateTypeParmType* T) override {
    Found |= T->getDecl() == Parameter;
    return true;
  }

private:
  const NamedDecl* Parameter;
};

/// Whether a function declares a name again that a parameter of it has: the name may then stand for
/// something else where it is written.
class SecondDeclarationFinder final : public AstVisitor {
public:
  SecondDeclarationFinder(const FunctionDecl* Function, DeclarationName Name)
      : Function(Function), Name(Name) {
    TraverseDecl(const_cast<FunctionDecl*>(Function));
  }
  bool Found = false;

  bool VisitNamedDecl(NamedDecl* D) override {
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

bool canBeRewritten(SourceRange Range, const ASTContext& Context) {
  const SourceManager& SM = Context.getSourceManager();
  const SourceLocation First = Range.getBegin(), Last = Range.getEnd();
  if (First.isMacroID() && Last.isMacroID() &&
      SM.getExpansionLoc(First) == SM.getExpansionLoc(Last))
    return true;
  return Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range), SM, Context.getLangOpts())
      .isValid();
}

std::string nameWithClass(const FunctionDecl* Function) {
  const auto* Method = dyn_cast<CXXMethodDecl>(Function);
  if (Method && Method->getParent()->isLambda()) {
    const auto* Around = dyn_cast<FunctionDecl>(Method->getParent()->getDeclContext());
    return Around ? nameWithClass(Around) : "lambda";
  }
  const std::string Class = Method ? Method->getParent()->getNameAsString() : "";
  return (Class.empty() ? "" : Class + "::") + Function->getNameAsString();
}

bool holdsClosure(QualType Ty) {
  Ty = Ty.getNonReferenceType();
  while (Ty->isPointerType())
    Ty = Ty->getPointeeType();
  const CXXRecordDecl* Record = Ty->getAsCXXRecordDecl();
  if (Record && Record->isLambda())
    return true;
  const auto* Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Record);
  const auto Holds = [](const TemplateArgument& Argument) {
    return Argument.getKind() == TemplateArgument::Type && holdsClosure(Argument.getAsType());
  };
  return Class && llvm::any_of(Class->getTemplateArgs().asArray(), [&](const TemplateArgument& A) {
           return A.getKind() == TemplateArgument::Pack ? llvm::any_of(A.getPackAsArray(), Holds)
                                                        : Holds(A);
         });
}

class InstantiationNames::Levels {
public:
  explicit Levels(InstantiationNames& Names) : Names(Names), Context(Names.Context) {}

  void addAround(const DeclContext* Inside);
  TemplateLevels Out;

private:
  std::optional<std::string> typeText(QualType Ty);
  std::optional<std::string> closureText(QualType Ty);
  std::optional<std::string> specialisationText(const ClassTemplateSpecializationDecl* Class);
  std::optional<std::string> argumentText(const TemplateArgument& Argument);
  void addParameter(llvm::StringRef Name, bool IsType, const TemplateArgument& Argument);
  void addList(const TemplateParameterList* Parameters, llvm::ArrayRef<TemplateArgument> Given);
  void addFunctionParameter(const FunctionDecl* F, const ParmVarDecl* OfPattern);
  void addFunction(const FunctionDecl* F, const FunctionDecl* Pattern,
                   llvm::ArrayRef<TemplateArgument> Given);

  InstantiationNames& Names;
  const ASTContext& Context;
};

/// A type as code outside of all functions and classes can write it; none if it cannot.
std::optional<std::string> InstantiationNames::Levels::typeText(QualType Ty) {
  if (holdsClosure(Ty))
    return closureText(Ty);
  QualType Named = Ty.getNonReferenceType();
  while (!pointeeOf(Named).isNull())
    Named = pointeeOf(Named);
  const TagDecl* Tag = Named->getAsTagDecl();
  const bool Hidden = Tag && !mayBeNamedIn(Tag, Context.getTranslationUnitDecl());
  if (Hidden || Ty->getLinkage() == Linkage::None || Ty->getLinkage() == Linkage::VisibleNone)
    return std::nullopt;
  return hostSpelling(Ty, Context);
}

/// What ikra::naming_t makes of the type.
std::optional<std::string> InstantiationNames::Levels::closureText(QualType Ty) {
  const auto With = [](std::optional<std::string> Inner, const char* Suffix) {
    return Inner ? std::optional(*Inner + Suffix) : std::nullopt;
  };
  if (Ty->isReferenceType())
    return With(typeText(Ty.getNonReferenceType()), Ty->isRValueReferenceType() ? "&&" : "&");
  if (Ty.isVolatileQualified())
    return std::nullopt;
  if (Ty.isConstQualified())
    return With(typeText(Ty.getUnqualifiedType()), " const");
  if (Ty->isPointerType())
    return With(typeText(Ty->getPointeeType()), "*");
  const CXXRecordDecl* Record = Ty->getAsCXXRecordDecl();
  if (!Record->isLambda())
    return specialisationText(cast<ClassTemplateSpecializationDecl>(Record));
  const std::optional<ClosureName> Found = Names.nameOf(Record);
  if (!Found)
    return std::nullopt;
  const std::set<Index>& Others = Names.Closures[Record].Lambdas;
  Out.Lambdas.insert(Found->Lambda);
  Out.Lambdas.insert(Others.begin(), Others.end());
  return Found->Text;
}

std::optional<std::string>
InstantiationNames::Levels::specialisationText(const ClassTemplateSpecializationDecl* Class) {
  const ClassTemplateDecl* Of = Class->getSpecializedTemplate();
  // A template with constraints is not an argument for a parameter that has none.
  if (Of->hasAssociatedConstraints() || !Of->getDeclContext()->isFileContext())
    return std::nullopt;
  std::vector<std::string> Parts;
  {
    std::string Name;
    llvm::raw_string_ostream OS(Name);
    Of->printQualifiedName(OS, spellingPolicy(Context));
    Parts.push_back("::ikra::family<::" + Name + ">");
  }
  for (const TemplateArgument& Given : Class->getTemplateArgs().asArray())
    for (const TemplateArgument& Each : Given.getKind() == TemplateArgument::Pack
                                            ? Given.getPackAsArray()
                                            : llvm::ArrayRef(Given)) {
      const std::optional<std::string> Text = Each.getKind() == TemplateArgument::Type
                                                  ? typeText(Each.getAsType().getCanonicalType())
                                                  : std::nullopt;
      if (!Text)
        return std::nullopt;
      Parts.push_back(*Text);
    }
  return "::ikra::specialised<" + llvm::join(Parts, ", ") + ">";
}

/// &T::a, of a member that is no overload and no base's.
static std::optional<std::string> memberText(const TemplateArgument& Argument,
                                             const ASTContext& Context) {
  const ValueDecl* Member = Argument.getAsDecl();
  const auto* Pointer = Argument.getParamTypeForDecl()->getAs<MemberPointerType>();
  const auto* Owner = dyn_cast<CXXRecordDecl>(Member->getDeclContext());
  if (!Pointer || !Owner || !declaresSameEntity(Pointer->getClass()->getAsCXXRecordDecl(), Owner) ||
      !Owner->lookup(Member->getDeclName()).isSingleResult() ||
      !mayBeNamedIn(Member, Context.getTranslationUnitDecl()))
    return std::nullopt;
  return "::ikra::constant<&" + hostSpelling(Context.getRecordType(Owner), Context) +
         "::" + Member->getNameAsString() + ">";
}

std::optional<std::string>
InstantiationNames::Levels::argumentText(const TemplateArgument& Argument) {
  if (Argument.getKind() == TemplateArgument::Type)
    return typeText(Argument.getAsType().getCanonicalType());
  if (Argument.getKind() == TemplateArgument::Declaration)
    return memberText(Argument, Context);
  if (Argument.getKind() != TemplateArgument::Integral)
    return std::nullopt;
  const QualType Ty = Argument.getIntegralType();
  if (const TagDecl* Tag = Ty->getAsTagDecl();
      Tag && !mayBeNamedIn(Tag, Context.getTranslationUnitDecl()))
    return std::nullopt;
  return "::ikra::constant<static_cast<" + hostSpelling(Ty.getCanonicalType(), Context) + ">(" +
         integerText(Argument.getAsIntegral()) + ")>";
}

/// \param Name in the text, of a type or a value; of one in each element of a pack
void InstantiationNames::Levels::addParameter(llvm::StringRef Name, bool IsType,
                                              const TemplateArgument& Argument) {
  const bool IsPack = Argument.getKind() == TemplateArgument::Pack;
  bool Closures = false;
  for (const TemplateArgument& Each :
       IsPack ? Argument.getPackAsArray() : llvm::ArrayRef(Argument)) {
    if (const std::optional<std::string> Text = argumentText(Each))
      Out.Arguments.push_back(*Text);
    else
      Out.Obstacle = "an argument for '" + Name.str() +
                     "' is a local type, one that is not public, or no type or number";
    Closures |= Each.getKind() == TemplateArgument::Type &&
                holdsClosure(Each.getAsType().getCanonicalType());
  }
  std::string Written = Name.str();
  if (!IsType)
    Written = "::ikra::constant<" + Written + ">";
  else if (Closures)
    Written = "::ikra::naming_t<" + Written + ">";
  Out.InText.push_back(Written + (IsPack ? "..." : ""));
}

void InstantiationNames::Levels::addList(const TemplateParameterList* Parameters,
                                         llvm::ArrayRef<TemplateArgument> Given) {
  for (unsigned K = 0; K < Parameters->size() && K < Given.size(); ++K) {
    const NamedDecl* Parameter = Parameters->getParam(K);
    if (Parameter->getIdentifier() && !Parameter->isImplicit())
      addParameter(Parameter->getName(), isa<TemplateTypeParmDecl>(Parameter), Given[K]);
  }
}

/// The type of a function's parameter, in place of a template's parameter that it is declared with.
void InstantiationNames::Levels::addFunctionParameter(const FunctionDecl* F,
                                                      const ParmVarDecl* OfPattern) {
  const DeclarationName Name = OfPattern->getDeclName();
  if (!Name)
    return;
  if (SecondDeclarationFinder(F, Name).Found) {
    Out.Obstacle = "the function declares '" + Name.getAsString() +
                   "' again, a parameter whose type has no name";
    return;
  }
  llvm::SmallVector<TemplateArgument> Types;
  for (const ParmVarDecl* P : F->parameters())
    if (P->getDeclName() == Name)
      Types.emplace_back(P->getType());
  addParameter("decltype(" + Name.getAsString() + ")", /*IsType=*/true,
               OfPattern->isParameterPack() ? TemplateArgument(llvm::ArrayRef(Types))
                                            : Types.front());
}

void InstantiationNames::Levels::addFunction(const FunctionDecl* F, const FunctionDecl* Pattern,
                                             llvm::ArrayRef<TemplateArgument> Given) {
  const TemplateParameterList* Parameters =
      Pattern->getDescribedFunctionTemplate()->getTemplateParameters();
  addList(Parameters, Given);
  for (const ParmVarDecl* P : Pattern->parameters())
    if (llvm::any_of(*Parameters, [&](const NamedDecl* Parameter) {
          return Parameter->isImplicit() && ParameterFinder(P->getType(), Parameter).Found;
        }))
      addFunctionParameter(F, P);
}

/// What \p C stands in; a friend that a class defines, in that class.
static const DeclContext* around(const DeclContext* C) {
  const auto* F = dyn_cast<FunctionDecl>(C);
  return F && F->getFriendObjectKind() != Decl::FOK_None ? F->getLexicalParent() : C->getParent();
}

void InstantiationNames::Levels::addAround(const DeclContext* Inside) {
  unsigned ListsOfPattern = 0; // of class templates, where a member is defined outside of them
  const FunctionDecl* Pattern = nullptr;
  for (const DeclContext* C = Inside; C && !C->isFileContext(); C = around(C)) {
    if (const auto* F = dyn_cast<FunctionDecl>(C); F && F->isTemplateInstantiation()) {
      Out.InTemplate = true;
      Pattern = F->getTemplateInstantiationPattern();
      ListsOfPattern = Pattern ? Pattern->getNumTemplateParameterLists() : 0;
      const TemplateArgumentList* Given = F->getTemplateSpecializationArgs();
      if (!Given)
        continue;
      if (Pattern && Pattern->getDescribedFunctionTemplate())
        addFunction(F, Pattern, Given->asArray());
      else
        Out.Obstacle = "it is specialised";
    }
    const auto* R = dyn_cast<ClassTemplateSpecializationDecl>(C);
    if (!R || R->isExplicitSpecialization())
      continue;
    Out.InTemplate = true;
    const auto* Of = dyn_cast_or_null<ClassTemplateDecl>(
        R->getSpecializedTemplateOrPartial().dyn_cast<ClassTemplateDecl*>());
    if (!Of) {
      Out.Obstacle = "the class template is partially specialised";
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
    addList(Parameters, R->getTemplateArgs().asArray());
  }
}

TemplateLevels InstantiationNames::levelsAround(const DeclContext* Inside) {
  Levels Found(*this);
  Found.addAround(Inside);
  return std::move(Found.Out);
}

std::optional<Instantiation> InstantiationNames::instantiationOf(const DeclContext& Inside,
                                                                 std::string& Obstacle) {
  TemplateLevels Found = levelsAround(&Inside);
  Obstacle = std::move(Found.Obstacle);
  if (!Found.InTemplate || !Obstacle.empty())
    return std::nullopt;
  return Instantiation{.Template = "",
                       .InText = std::move(Found.InText),
                       .Arguments = llvm::join(Found.Arguments, ", "),
                       .Lambdas = std::move(Found.Lambdas)};
}

/// Whether there are values of the type that another is made of.
static bool isMovable(QualType Ty) {
  const CXXRecordDecl* Class = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  if (!Class || !Class->hasDefinition())
    return true;
  const bool Implicit =
      (Class->needsImplicitCopyConstructor() && !Class->defaultedCopyConstructorIsDeleted()) ||
      (Class->needsImplicitMoveConstructor() && !Class->defaultedMoveConstructorIsDeleted());
  return Implicit || llvm::any_of(Class->ctors(), [](const CXXConstructorDecl* Constructor) {
           return Constructor->isCopyOrMoveConstructor() && !Constructor->isDeleted();
         });
}

/// Whether the text can hand the lambda to ikra::named.
bool InstantiationNames::mayBeWrapped(const LambdaExpr* Lambda) const {
  const CXXRecordDecl* Closure = Lambda->getLambdaClass();
  const DeclContext* Around = Closure->getDeclContext();
  // cudafe++ prints the deduced type of such an aggregate, with a name for the lambda's that it has
  // not declared; and it does not know wrapped lambdas at namespace scope in decltype.
  if (Builder.Lambdas.InAggregates.contains(Closure))
    return false;
  if (!isa<FunctionDecl>(Around) &&
      (!Around->isFileContext() || Builder.Lambdas.InDecltype.contains(Closure)))
    return false;
  if (!llvm::all_of(Closure->fields(),
                    [](const FieldDecl* Captured) { return isMovable(Captured->getType()); }))
    return false;
  const SourceManager& SM = Context.getSourceManager();
  return llvm::none_of(Builder.Lambdas.Replaced, [&](SourceRange Given) {
    const SourceLocation At = Lambda->getBeginLoc();
    return At == Given.getBegin() || (SM.isBeforeInTranslationUnit(Given.getBegin(), At) &&
                                      SM.isBeforeInTranslationUnit(At, Given.getEnd()));
  });
}

std::optional<InstantiationNames::ClosureName>
InstantiationNames::nameOf(const CXXRecordDecl* Closure) {
  if (const auto It = Closures.find(Closure); It != Closures.end())
    return It->second.Name;
  Closures[Closure]; // found from itself, it has no name
  const LambdaExpr* Lambda = Builder.Lambdas.All.lookup(Closure);
  if (!Lambda || !mayBeWrapped(Lambda) || !canBeRewritten(Lambda->getSourceRange(), Context))
    return std::nullopt;
  TemplateLevels Around = levelsAround(Closure->getDeclContext());
  if (!Around.Obstacle.empty())
    return std::nullopt;
  std::vector<NamedLambda>& All = Builder.Model.Lambdas;
  const auto [At, IsNew] = LambdaAt.try_emplace(Lambda->getBeginLoc(), All.size());
  if (IsNew) {
    NamedLambda New;
    const auto* Inside = dyn_cast<FunctionDecl>(Closure->getDeclContext());
    New.Ident =
        Builder.uniqueIdent((Inside ? identOf(nameWithClass(Inside)) + "_" : "") + "lambda");
    New.InText = Around.InText;
    New.InTemplate = Around.InTemplate;
    New.Lambda = Lambda;
    New.At = Builder.locOf(Lambda->getBeginLoc());
    All.push_back(std::move(New));
  }
  NamedLambda& Of = All[At->second];
  join(Of.InText, Around.InText);
  const std::string Text = "::" + Builder.Model.Unit + "::" + Of.Ident +
                           (Of.InTemplate ? "<" + llvm::join(Around.Arguments, ", ") + ">" : "");
  if (!Texts.insert(Text).second)
    return std::nullopt;
  Known& Out = Closures[Closure];
  Out.Name = ClosureName{At->second, Text};
  Out.Lambdas = std::move(Around.Lambdas);
  return Out.Name;
}

void InstantiationNames::use(const std::set<Index>& Lambdas) {
  for (Index I : Lambdas)
    Builder.Model.Lambdas[I].IsUsed = true;
}

void InstantiationNames::use(const CXXRecordDecl* Closure) {
  use(Closures[Closure].Lambdas);
  if (const std::optional<ClosureName>& Name = Closures[Closure].Name)
    use({Name->Lambda});
}

void join(std::vector<std::string>& InText, const std::vector<std::string>& More) {
  for (std::size_t K = 0; K < InText.size() && K < More.size(); ++K)
    if (More[K].size() > InText[K].size()) // naming_t<T> is T for all but closures
      InText[K] = More[K];
}

bool SectionBuilder::addInstantiation(Section& S, const OperationCall& Operation) {
  if (Operation.IsElsewhereOther) {
    refuse(Operation.Call->getExprLoc(), Diag::section_in_template)
        << Operation.Name << "in another one the same text calls a function that is not ikra's";
    return false;
  }
  std::string Obstacle;
  S.Site.Instance = Names.instantiationOf(*Operation.Inside, Obstacle);
  if (!Obstacle.empty())
    refuse(Operation.Call->getExprLoc(), Diag::section_in_template) << Operation.Name << Obstacle;
  return Obstacle.empty();
}

std::optional<Instantiation> SectionBuilder::instantiationOf(const FunctionDecl& Of,
                                                             std::string& Obstacle) {
  std::optional<Instantiation> Out = Names.instantiationOf(Of, Obstacle);
  if (Out)
    Names.use(Out->Lambdas);
  return Out;
}

/// Whether a text that takes the captures from a function object serves the section: one without
/// any, or one that is the object.
static bool takesFromObject(const Section& S) {
  if (S.Site.From == CapturesFrom::Names)
    return S.Code.Captures.empty() && !S.Code.Known;
  const CXXRecordDecl* Class =
      S.Site.Argument->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return S.Site.From == CapturesFrom::Kept || !Class->isEmpty();
}

std::string argumentOf(const CaptureText& Captured) {
  switch (Captured.Gives) {
  case CaptureText::Itself:
  case CaptureText::Empty:
    return Captured.Text;
  case CaptureText::OfLambda:
    return "::ikra::captures_of(" + Captured.Text + ")";
  case CaptureText::Either:
    return "::ikra::whole_or_captures_of(" + Captured.Text + ")";
  case CaptureText::Nothing:
    return "";
  }
  llvm_unreachable("kind of text");
}

/// What one text gives that is \p A in some instantiations and \p B in others; none where no text
/// does.
static std::optional<CaptureText::Kind> joined(const CaptureText& A, const CaptureText& B) {
  if (A.Gives == B.Gives)
    return A.Gives;
  const auto Is = [&](CaptureText::Kind Kind) { return A.Gives == Kind || B.Gives == Kind; };
  const bool IsWhole = Is(CaptureText::Empty) || Is(CaptureText::Either);
  if (!IsWhole) // captures_of gives what is no lambda itself, unless it is empty
    return CaptureText::OfLambda;
  if (!Is(CaptureText::OfLambda) && !Is(CaptureText::Nothing) && !Is(CaptureText::Either))
    return CaptureText::Empty;
  // Without a name, a lambda cannot be told from what else is empty.
  return A.IsNamed && B.IsNamed ? std::optional(CaptureText::Either) : std::nullopt;
}

bool join(std::vector<CaptureText>& Texts, const std::vector<CaptureText>& More) {
  bool Fits = Texts.size() == More.size();
  for (std::size_t K = 0; Fits && K < Texts.size(); ++K) {
    Fits = Texts[K].Text == More[K].Text;
    const std::optional<CaptureText::Kind> Both = joined(Texts[K], More[K]);
    Fits = Fits && Both;
    Texts[K].Gives = Both.value_or(Texts[K].Gives);
    Texts[K].IsNamed = Texts[K].IsNamed && More[K].IsNamed;
    Texts[K].IsLate = Texts[K].IsLate && More[K].IsLate;
    Texts[K].IsLarge = Texts[K].IsLarge || More[K].IsLarge;
  }
  return Fits;
}

std::string difference(const Section& S, const ProgramModel& Model,
                       const std::vector<Index>& Others) {
  const auto CanBeJoined = [&](std::vector<CaptureText> Texts) {
    return join(Texts, S.Site.CaptureTexts);
  };
  for (Index I : Others) {
    if (Model.Sections[I].Site.Enclosing == S.Site.Enclosing)
      return "one instantiation calls it for several elements of a pack, where a function template "
             "can be called for each";
    if (Model.Sections[I].Site.Instance->Arguments == S.Site.Instance->Arguments)
      return "two instantiations have the same arguments where parameters have names";
    // An operator's text says what its operands are, and holds nothing else.
    if (S.Site.Written != Rewriting::Operator &&
        !CanBeJoined(Model.Sections[I].Site.CaptureTexts) &&
        !(takesFromObject(Model.Sections[I]) && takesFromObject(S)))
      return "what it captures differs between instantiations";
  }
  return "";
}

} // namespace ikra
