// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections capture: how it is held on the host and on devices, and what may not be captured.

#include "SectionBuilder.h"

#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/TypeParts.h"
#include "Analysis/Reach/RefusedForms.h"
#include "Analysis/Reach/UnknownClasses.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace ikra {

/// Whether a lambda makes what it captures, `[k = n]`. A lambda within it captures k by that name.
static bool isMadeHere(const LambdaCapture& C) {
  const ValueDecl* V = C.getCapturedVar();
  return V->isInitCapture() && V->getLocation() == C.getLocation();
}

/// What is captured of a variable or a structured binding, and how the host's text gives it to the
/// section.
QualType SectionBuilder::captureVariable(const LambdaCapture& C, const ValueDecl* V, Capture& Out) {
  const bool ByReference = C.getCaptureKind() == LCK_ByRef;
  Out.Name = V->getNameAsString();
  Out.Decl = V;
  Out.IsVariable = ByReference || !isMadeHere(C);
  Out.IsCopied = !ByReference && !isOfPack(V);
  Out.HostText = isMadeHere(C) ? sourceText(cast<VarDecl>(V)->getInit()) : Out.Name;
  const QualType Value = V->getType().getNonReferenceType();
  if (Out.HostText.front() == '{') // [k{1}]
    Out.HostText.insert(0, Builder.classify(Value).HostSpelling);
  // By value, an object would be a copy; by reference it is what a pointer leads to.
  if (ByReference && isObjectClass(Value->getAsCXXRecordDecl(), Model.Roles)) {
    Out.HostText = "&" + Out.HostText;
    return Context.getPointerType(Value);
  }
  Out.IsOwner = isSmartPointer(Value) && !ByReference;
  if (isSmartPointer(Value) && ByReference) {
    Out.HostText += ".get()";
    return Context.getPointerType(pointeeOf(Value));
  }
  // By value, objects in a container would be copies.
  const bool IsView = ByReference || isStdClass(Value, "span");
  QualType Element = IsView ? elementOfContainer(Value) : QualType();
  if (!Element.isNull() && !elementOfContainer(Element).isNull())
    Element = elementOfContainer(Element);
  if (!Element.isNull() && isObjectClass(Element->getAsCXXRecordDecl(), Model.Roles))
    return Context.getLValueReferenceType(Value);
  return Value.getUnqualifiedType();
}

/// True for values, containers of them and of such containers, pointers to members and functions,
/// and structs and lambdas that hold all these, which the plain library's sections may hold.
static bool isCapturedValue(QualType Ty) {
  if (const QualType Of = Ty.getNonReferenceType();
      Of->isMemberPointerType() || Of->isFunctionPointerType())
    return true;
  const CXXRecordDecl* Record = Ty.getNonReferenceType()->getAsCXXRecordDecl();
  if (const auto* Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Record);
      Spec && ((isInIkra(Spec) && Spec->getName() == "array") || isVector(Ty)))
    return isCapturedValue(Spec->getTemplateArgs()[0].getAsType());
  if (Record && Record->hasDefinition() && (isUserClass(Record) || Record->isLambda()))
    return Record->getNumBases() == 0 &&
           llvm::all_of(Record->fields(),
                        [](const FieldDecl* Member) { return isCapturedValue(Member->getType()); });
  return isElementValue(Ty);
}

/// Bytes of a captured value that kernels take as a parameter; of larger ones they get the place.
constexpr std::int64_t LargestParameter = 256;

/// Writes how the host's text makes an ikra::array of a captured container of objects, or of
/// pointers to them. \param AsItIs nothing else changes a vector before the section runs
/// \return whether it can: of owners in other containers than a vector there is no such array, and
/// of objects none that a copy holds.
bool SectionBuilder::captureObjects(Capture& Captured, QualType Ty, bool AsItIs) {
  QualType Element = elementOfContainer(Ty);
  if (Captured.Ty.IsHeld) {
    if (!Ty->isReferenceType() || Captured.Ty.ArrayRank != 0)
      return false;
    if (Ty->getPointeeType().isConstQualified() && !isStdClass(Ty, "span"))
      Element = Element.withConst();
    Captured.HostText = "::ikra::objects(" + Captured.HostText + ")";
    Captured.Ty.HostSpelling =
        "::ikra::array<" + Builder.classify(Context.getPointerType(Element)).HostSpelling + ", 1>";
    Captured.Kind = CaptureKind::ObjectView;
    return true;
  }
  const bool AreOwners = isSmartPointer(Element);
  const QualType Pointer = AreOwners ? Context.getPointerType(pointeeOf(Element)) : Element;
  const std::string Spelling = Builder.classify(Pointer.getUnqualifiedType()).HostSpelling;
  Captured.Kind = CaptureKind::ObjectView;
  if (AsItIs && isVector(Ty) && !AreOwners)
    return true;
  if (isVector(Ty))
    Captured.HostText = "::ikra::array(" + Captured.HostText + ")";
  else if (AreOwners)
    return false;
  else if (Captured.Ty.ArrayRank == 0)
    Captured.HostText = "::ikra::array(::std::vector<" + Spelling + ">(::std::begin(" +
                        Captured.HostText + "), ::std::end(" + Captured.HostText + ")))";
  else if (Captured.Ty.ArrayRank != 1)
    return false;
  Captured.Ty.HostSpelling = "::ikra::array<" + Spelling + ", 1>";
  return true;
}

/// The same of a container of containers, which the section holds as it is; of objects themselves
/// its address.
bool SectionBuilder::captureNested(Capture& Captured, QualType Ty) {
  if (Ty.getNonReferenceType()->isArrayType())
    return false;
  if (Captured.Ty.Kind == TypeKind::ValueList) {
    Captured.Kind = CaptureKind::View;
    return true;
  }
  Captured.Kind = CaptureKind::ObjectView;
  const QualType Element = elementOfContainer(elementOfContainer(Ty));
  if (!Captured.Ty.IsHeld)
    return Element->isPointerType();
  if (!Ty->isReferenceType())
    return false;
  Captured.HostText = "::std::addressof(" + Captured.HostText + ")";
  Captured.Ty.HostSpelling =
      Builder.classify(Context.getPointerType(Ty.getNonReferenceType())).HostSpelling;
  return true;
}

/// What to capture in place of a variable; empty where nothing else helps.
static std::string otherCapture(const std::string& Name, QualType Ty, const ASTContext& Context,
                                const ClassRoles& Roles) {
  if (!Ty->isReferenceType() && !elementOfContainer(Ty).isNull() &&
      holdsObjectsThemselves(elementOfContainer(Ty), Roles)) // or a container of such
    return "; capture it by a reference in peach: copies of objects are numbers and values alone";
  Ty = Ty.getNonReferenceType();
  if (const QualType Element = elementOfContainer(Ty);
      !Element.isNull() && (isStdClass(Element, "weak_ptr") || isOptionalObject(Element, Roles) ||
                            (isStdClass(Element, "optional") && leadsToObjects(Element))))
    return "; capture a std::vector of pointers to the objects, which may be null";
  if (isStdClass(Ty, "span"))
    return "; to read it, capture an array of it: ikra::adopt(span, ikra::borrowed)";
  QualType Element = elementOfContainer(Ty);
  if (!Element.isNull() && !elementOfContainer(Element).isNull())
    Element = elementOfContainer(Element);
  if (!Element.isNull() && holderOf(Element) && leadsToObjects(Element))
    return "; make its elements structs of your own with these members, and capture it by "
           "reference in peach";
  if (isStdClass(Ty, "weak_ptr"))
    return "; capture what it leads to: [p = " + Name + ".lock().get()]";
  unsigned Dimensions = 0;
  for (; const auto* Array = Context.getAsConstantArrayType(Ty); Ty = Array->getElementType())
    ++Dimensions;
  if (Dimensions > 1)
    return "; make it a std::array of std::arrays, or an ikra::array<T, " +
           std::to_string(Dimensions) + ">";
  if (const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
      Class && isInIkra(Class) && Class->getName() == "column_view")
    return "; capture the array itself, or one of the members: a.pmap(&T::member)";
  if (Ty->isPointerType() && Ty->getPointeeType()->isArithmeticType())
    return "; to read what it points to, capture an array of it: ikra::adopt(std::span(pointer, "
           "n), ikra::borrowed)";
  if (Ty->isPointerType() && !elementOfContainer(Ty->getPointeeType()).isNull())
    return "; capture what it points to, [&all = *" + Name + "] in a peach, else a copy, [all = *" +
           Name + "]";
  if (isText(Ty))
    return "; capture its characters as a std::vector<char>";
  if (isStdClass(Ty, "bitset"))
    return "; keep its bits in a std::array<std::uint64_t, N>";
  if (isVector(Ty) && elementOfContainer(Ty)->isBooleanType())
    return "; make it a std::vector<char>";
  if (const std::string Other = otherThan(Ty); !Other.empty())
    return "; use " + Other;
  if (const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
      Class && !isInStd(Class) && !isInIkra(Class) && !Class->isLambda()) {
    const QualType Container =
        Class->hasDefinition() ? containerBase(Class->getDefinition()) : QualType();
    if (!Container.isNull() && !elementOfContainer(Container).isNull())
      return "; capture its base: [" + Name + " = " +
             Container.getAsString(Context.getPrintingPolicy()) + "(" + Name + ")]";
    return "; capture a pointer to it: [p = &" + Name + "]";
  }
  return "";
}

void SectionBuilder::refuseCapture(const std::string& Name, QualType Ty, SourceLocation At) {
  const bool FallsBack = MayFallBack && isCapturedValue(Ty);
  const QualType Value = Ty.getNonReferenceType();
  const bool IsMember = Value->isMemberPointerType();
  if (!IsMember && !Value->isFunctionPointerType())
    Diags.report(At, Diag::capture_type, FallsBack)
        << Name << Ty.getAsString() << otherCapture(Name, Ty, Context, Model.Roles);
  else // which of them it is shows only at run time
    Diags.report(At, Diag::unsupported_expression, FallsBack)
        << "the capture '" + Name + "', a pointer to a " + (IsMember ? "member" : "function") +
               "; write a lambda that names the " + (IsMember ? "member" : "function") +
               ", and hand that on";
}

bool SectionBuilder::addCapture(Section& S, Capture Captured, QualType Ty, SourceLocation At) {
  const bool Lazy = S.Op != Operation::PEach;
  const std::string Given = Captured.HostText;
  const bool AreCopies = isa_and_nonnull<VarDecl>(Captured.Decl) && Captured.IsCopied &&
                         copiedClassOf(Ty.getUnqualifiedType(), Model.Roles);
  Captured.Ty = AreCopies ? Builder.declareCopied(Ty) : Builder.declare(Ty);
  const bool IsNested = Captured.Ty.IsNested;
  if (IsNested && !captureNested(Captured, Ty))
    Captured.Ty.Kind = TypeKind::Unsupported;
  if (const auto* Array = Context.getAsConstantArrayType(Ty);
      Array && Captured.Ty.Kind == TypeKind::ValueList) {
    // Handed on as it is, it would be a pointer.
    Captured.HostText = "::std::to_array(" + Captured.HostText + ")";
    Captured.Ty.HostSpelling =
        "::std::array<" +
        Builder.classify(Array->getElementType().getUnqualifiedType()).HostSpelling + ", " +
        std::to_string(Array->getSize().getZExtValue()) + ">";
  } else if (isStdClass(Ty, "span")) { // its contents may change, or go, before a lazy section runs
    // What may be written through it has no copy.
    const bool MayWrite =
        Captured.Ty.Kind == TypeKind::ValueList && !elementOfContainer(Ty).isConstQualified();
    if (S.Op != Operation::PEach || MayWrite ||
        (Captured.Ty.Kind == TypeKind::ObjectList && !Captured.Ty.IsHeld)) {
      Captured.Ty.Kind = TypeKind::Unsupported;
    } else if (Captured.Ty.Kind == TypeKind::ValueList) {
      Captured.Ty.HostSpelling =
          "::std::vector<" +
          Builder.classify(elementOfContainer(Ty).getUnqualifiedType()).HostSpelling + ">";
      Captured.HostText = Captured.Ty.HostSpelling + "(" + Captured.HostText + ".begin(), " +
                          Captured.HostText + ".end())";
    }
  } else if (Ty->isArrayType() && Captured.Ty.Kind != TypeKind::ObjectList) {
    Captured.Ty.Kind = TypeKind::Unsupported;
  }
  // Its pointers would have to be traced; what a weak pointer leads to may go.
  const bool IsHolder = Captured.Ty.Kind == TypeKind::Value &&
                        mayBeElement(Ty, Captured.Ty, Model) && !Captured.Ty.Held.empty();
  const QualType Element = elementOfContainer(Ty);
  const bool AreHolders = Captured.Ty.Kind == TypeKind::ValueList && !Captured.Ty.Held.empty() &&
                          !IsNested && Captured.Ty.ArrayRank < 2 &&
                          mayBeElement(Element, Builder.classify(Element), Model);
  const bool AreMemberPointers = Captured.Ty.IsMemberPointer && Captured.Ty.Kind != TypeKind::Value;
  if ((!Captured.Ty.isAsInProgram() && !IsHolder && !AreHolders) || AreMemberPointers ||
      isStdClass(Ty, "weak_ptr") || isOptionalObject(Ty, Model.Roles) ||
      (!Element.isNull() &&
       (isOptionalObject(Element, Model.Roles) || isStdClass(Element, "weak_ptr"))))
    Captured.Ty.Kind = TypeKind::Unsupported;
  switch (Captured.Ty.Kind) {
  case TypeKind::Value:
    if (IsHolder)
      Captured.Kind = CaptureKind::Object;
    else if (Captured.Ty.IsClass && Context.getTypeSizeInChars(Ty).getQuantity() > LargestParameter)
      Captured.Kind = CaptureKind::InMemory;
    break;
  case TypeKind::Object:
    Captured.Kind = CaptureKind::Object;
    break;
  case TypeKind::ValueList:
    Captured.Kind = AreHolders ? CaptureKind::ObjectView : CaptureKind::View;
    break;
  case TypeKind::ObjectList:
    if (IsNested ||
        captureObjects(Captured, Ty,
                       (Lazy ? Captured.IsCopied : Captured.IsVariable) && !S.Site.Instance))
      break;
    [[fallthrough]];
  default:
    if (!Quiet)
      refuseCapture(Captured.Name, Ty, At);
    return false;
  }
  const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
  const bool IsEmpty = Class && Class->hasDefinition() && Class->isEmpty();
  CaptureText Text{IsEmpty ? CaptureText::Empty : CaptureText::Itself, Captured.HostText};
  // A peach that runs in place never asks for them, and copies of containers take long.
  Text.IsLate = !Lazy && (Captured.IsVariable || Ty->isReferenceType()) &&
                Captured.Ty.ArrayRank == 0 && !S.Site.CapturesOnce &&
                Captured.Kind != CaptureKind::Value && Captured.Kind != CaptureKind::Object;
  if (Captured.IsCopied && Captured.HostText == Given &&
      Given.find_first_of("\n/") == std::string::npos) // lines, and comments
    Text.Name = Captured.Name;
  Text.IsLarge = Captured.IsOwner ||
                 (Captured.Kind != CaptureKind::Value && Captured.Kind != CaptureKind::Object);
  if (Captured.Decl && isOfPack(Captured.Decl)) { // one text for all of them
    Text = {CaptureText::Itself, "(" + Text.Text + ")..."};
    if (llvm::none_of(S.Code.Captures, [&](const Capture& Other) {
          return Other.Decl && Other.Decl->getLocation() == Captured.Decl->getLocation();
        }))
      S.Site.CaptureTexts.push_back(std::move(Text));
    else if (S.Site.CaptureTexts.back().Text != Text.Text) { // objects beside values
      refuse(At, Diag::capture_type) << Captured.Name << "pack" << "";
      return false;
    }
  } else {
    S.Site.CaptureTexts.push_back(std::move(Text));
  }
  S.Code.Captures.push_back(std::move(Captured));
  return true;
}

/// The lambda with the section's names for what it holds of the captures.
static CapturedLambda renamed(CapturedLambda Of, const std::map<std::string, std::string>& Names) {
  for (CapturedLambda::Part& Part : Of.Parts)
    Part.InSection = Names.at(Part.InSection);
  for (CapturedLambda& Inner : Of.Inner)
    Inner = renamed(std::move(Inner), Names);
  return Of;
}

void SectionBuilder::nameCaptures(SectionCode& Code) const {
  const FunctionDecl* const Function = Model.Functions[Code.Function].Decl;
  std::set<std::string> Taken = Function ? declaredNames(Function) : std::set<std::string>();
  for (const Capture& C : Code.Captures)
    Taken.insert(C.Name);
  std::map<std::string, std::string> Names;
  for (Capture& C : Code.Captures) {
    std::string& Name = Names[C.Name] = C.Name;
    if (llvm::is_contained(NamesOfBody, C.Name))
      while (!Taken.insert(Name).second)
        Name += '_';
    C.Name = Name;
  }
  for (CapturedLambda& Of : Code.Lambdas)
    Of = renamed(std::move(Of), Names);
}

bool SectionBuilder::addLambda(Section& S, const LambdaCapture& C, const std::string& HostText,
                               std::set<std::string>& Taken) {
  const auto* V = cast<ValueDecl>(C.getCapturedVar());
  const CXXRecordDecl* Closure = V->getType().getNonReferenceType()->getAsCXXRecordDecl();
  LambdaCaptures Parts;
  bool IsKnown = true;
  const auto* Made =
      isMadeHere(C)
          ? dyn_cast<LambdaExpr>(cast<VarDecl>(V)->getInit()->IgnoreUnlessSpelledInSource())
          : nullptr;
  if (Made) { // [f = [k](int x) { … }]
    Section Here;
    Here.Op = S.Op;
    if (!addCaptures(Here, Made))
      return false;
    S.Site.CapturesOnce |= Here.Site.CapturesOnce;
    S.Site.CaptureTexts.insert(S.Site.CaptureTexts.end(), Here.Site.CaptureTexts.begin(),
                               Here.Site.CaptureTexts.end());
    Parts = {std::move(Here.Code.Captures), std::move(Here.Code.Lambdas)};
  } else if (std::optional<LambdaCaptures> Kept = keptCaptures(Closure)) {
    Names.use(Closure);
    Parts = std::move(*Kept);
    S.Site.CaptureTexts.push_back({CaptureText::OfLambda, HostText});
  } else {
    IsKnown = false;
  }
  const bool HoldsCopies =
      llvm::any_of(Parts.Captures, [](const Capture& Part) { return Part.Ty.CopyOf.has_value(); });
  if (!IsKnown || HoldsCopies) { // of objects, which are the section's own captures alone
    if (!Quiet)
      Diags.report(C.getLocation(), Diag::capture_type,
                   MayFallBack && isCapturedValue(V->getType()))
          << V->getName() << V->getType().getAsString() << "";
    return false;
  }
  CapturedLambda Out;
  Out.Decl = V;
  Out.Lambda = Made ? Made : Builder.Lambdas.All.lookup(Closure);
  std::map<std::string, std::string> InSection;
  for (Capture& Part : Parts.Captures) {
    std::string Name = V->getNameAsString() + "_" + Part.Name;
    while (!Taken.insert(Name).second)
      Name += "_";
    if (!Part.IsOfLambda)
      Out.Parts.push_back({Part.Decl, Part.Name, Name});
    InSection[Part.Name] = Name;
    Part.Name = std::move(Name);
    Part.Decl = nullptr;
    Part.IsOfLambda = true;
    S.Code.Captures.push_back(std::move(Part));
  }
  for (CapturedLambda& Inner : Parts.Lambdas)
    Out.Inner.push_back(renamed(std::move(Inner), InSection));
  S.Code.Lambdas.push_back(std::move(Out));
  return true;
}

bool SectionBuilder::addCaptures(Section& S, const LambdaExpr* Lambda) {
  const bool Lazy = S.Op != Operation::PEach;
  bool Refused = false;
  std::set<std::string> Taken;
  for (const FunctionDecl* Body : bodiesOf(Lambda))
    Taken.merge(declaredNames(Body));
  for (const LambdaCapture& C : Lambda->captures())
    if (C.capturesVariable())
      Taken.insert(C.getCapturedVar()->getNameAsString());
  for (unsigned K = 0; K < Lambda->capture_size(); ++K) {
    const LambdaCapture& C = Lambda->capture_begin()[K];
    const SourceLocation At = C.getLocation();
    Capture Out;
    QualType Ty;
    if (C.capturesThis()) {
      const bool IsCopy = C.getCaptureKind() == LCK_StarThis;
      if (Lazy && !IsCopy) {
        Diags.report(At, Diag::capture_this);
        Refused = true;
        continue;
      }
      Ty = Lambda->capture_init_begin()[K]->getType().getUnqualifiedType();
      Out.Name = "this_object";
      Out.HostText = IsCopy ? "*this" : "this";
    } else if (const ValueDecl* V = C.capturesVariable() ? C.getCapturedVar() : nullptr;
               V && !V->isParameterPack()) {
      if (C.getCaptureKind() == LCK_ByRef && Lazy) {
        Diags.report(At, Diag::capture_by_reference) << V->getName();
        Refused = true;
        continue;
      }
      Ty = captureVariable(C, V, Out);
      if (isOfPack(V)) {
        const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
        if (Class && Class->isLambda()) {
          refuse(At, Diag::capture_type) << V->getName() << "pack" << "";
          Refused = true;
          continue;
        }
        // Its variables have one name.
        const bool IsFirst = llvm::none_of(S.Code.Captures, [&](const Capture& Other) {
          return Other.Decl && Other.Decl->getLocation() == V->getLocation();
        });
        for (unsigned Number = 1; !IsFirst && !Taken.insert(Out.Name).second; ++Number)
          Out.Name = V->getNameAsString() + "_" + std::to_string(Number);
      }
      if (const auto* Table = dyn_cast<VarDecl>(V);
          Table && isTable(Table, Model.Roles) &&
          Builder.classify(Table->getType()).IsMemberPointer) // device code has it as a constant
        continue;
      if (isCaptureless(V->getType())) { // a function, which needs nothing of the host
        const std::optional<InstantiationNames::ClosureName> Name =
            Names.nameOf(V->getType().getNonReferenceType()->getAsCXXRecordDecl());
        const bool IsNamed =
            Name && S.Site.Instance && S.Site.Instance->Lambdas.contains(Name->Lambda);
        S.Site.CaptureTexts.push_back({CaptureText::Nothing, Out.HostText, IsNamed});
        continue;
      }
      S.Site.CapturesOnce |=
          isMadeHere(C) && !mayBeEvaluatedTwice(cast<VarDecl>(V)->getInit(), Context);
      if (const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl(); Class && Class->isLambda()) {
        Refused |= !addLambda(S, C, Out.HostText, Taken);
        continue;
      }
    } else {
      refuse(At, Diag::capture_type) << "this name" << "pack" << "";
      Refused = true;
      continue;
    }
    Refused |= !addCapture(S, std::move(Out), Ty, At);
  }
  return !Refused;
}

bool SectionBuilder::canShareCaptures(const Section& S, const Expr* Argument) const {
  const LambdaExpr* Lambda = S.Site.Lambda;
  const std::vector<CaptureText>& Texts = S.Site.CaptureTexts;
  return Lambda && Lambda->getBeginLoc() == Argument->getBeginLoc() && !Lambda->isMutable() &&
         S.Op != Operation::PEach && S.Site.From == CapturesFrom::Names &&
         Texts.size() == Lambda->capture_size() &&
         llvm::any_of(Texts, [](const CaptureText& Each) { return Each.IsLarge; }) &&
         llvm::none_of(Texts, [](const CaptureText& Each) { return Each.Name.empty(); }) &&
         canBeRewritten(Lambda->getIntroducerRange(), Context) &&
         // which would say that a name is a reference
         sourceText(Lambda).find("decltype") == std::string::npos;
}

/// Whether the captures of \p Lambda, written again after it, have the same values.
static bool mayBeWrittenTwice(const LambdaExpr* Lambda, const ASTContext& Context) {
  return !Lambda->isMutable() && llvm::all_of(Lambda->captures(), [&](const LambdaCapture& C) {
    if (C.capturesThis())
      return C.getCaptureKind() == LCK_StarThis;
    const ValueDecl* V = C.capturesVariable() ? C.getCapturedVar() : nullptr;
    return V && C.getCaptureKind() == LCK_ByCopy && !V->isParameterPack() &&
           (!isMadeHere(C) || mayBeEvaluatedTwice(cast<VarDecl>(V)->getInit(), Context));
  });
}

/// Whether other units may know objects of the closure type by no name that holds it: what an
/// inline function gives or keeps, or an inline variable. They may be units in which no section
/// needs copies, so it has to keep its size.
static bool isSeenElsewhere(const LambdaExpr* Lambda, const FoundLambdas& Lambdas,
                            const ASTContext& Context) {
  const SourceManager& SM = Context.getSourceManager();
  if (SM.isWrittenInMainFile(SM.getExpansionLoc(Lambda->getBeginLoc())))
    return false;
  const auto* Inside = dyn_cast<FunctionDecl>(Lambda->getLambdaClass()->getDeclContext());
  if (!Inside || Lambdas.InStatics.contains(Lambda->getLambdaClass()))
    return true;
  const QualType Given = Inside->getReturnType();
  const TagDecl* Class = Given.getNonReferenceType()->getAsTagDecl();
  return holdsClosure(Given.getCanonicalType()) || (Class && Class->getParentFunctionOrMethod());
}

std::optional<SectionBuilder::LambdaCaptures>
SectionBuilder::keptCaptures(const CXXRecordDecl* Closure) {
  const LambdaExpr* Lambda = Builder.Lambdas.All.lookup(Closure);
  const std::optional<InstantiationNames::ClosureName> Name = Names.nameOf(Closure);
  if (!Lambda || !Name)
    return std::nullopt;
  // One text serves all instantiations, also those that no section is made of.
  for (const auto& [Other, Written] : Builder.Lambdas.All)
    if (Written->getBeginLoc() == Lambda->getBeginLoc() &&
        !Written->getLambdaClass()->isDependentContext() && !mayBeWrittenTwice(Written, Context))
      return std::nullopt;
  Section Keeper;
  {
    const llvm::SaveAndRestore Silently(Quiet, true);
    if (!addCaptures(Keeper, Lambda))
      return std::nullopt;
  }
  for (const CaptureText& Each : Keeper.Site.CaptureTexts)
    if (Each.Text.find_first_of("\n/") != std::string::npos) // lines, and comments
      return std::nullopt;
  if (!Keeper.Code.Captures.empty() && isSeenElsewhere(Lambda, Builder.Lambdas, Context))
    return std::nullopt;
  NamedLambda& Of = Model.Lambdas[Name->Lambda];
  std::vector<CaptureText> Texts = Of.Captures.empty() ? Keeper.Site.CaptureTexts : Of.Captures;
  if (!join(Texts, Keeper.Site.CaptureTexts))
    return std::nullopt;
  Of.Captures = std::move(Texts);
  return LambdaCaptures{std::move(Keeper.Code.Captures), std::move(Keeper.Code.Lambdas)};
}

} // namespace ikra
