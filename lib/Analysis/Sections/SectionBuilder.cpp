// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operation at a time. Relies on clang's instantiations: a generic section's types are those it
// was called with.

#include "SectionBuilder.h"

#include "Analysis/Ast/Expressions.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Dataflow/ArrayFlow.h"
#include "Analysis/Dataflow/CallPaths.h"
#include "Analysis/Dataflow/Readers.h"
#include "Analysis/Reach/Neighbourhood.h"
#include "Analysis/Reach/UnknownClasses.h"
#include "Callables.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace ikra {

std::string SectionBuilder::sourceText(const Expr* E) const {
  const llvm::StringRef Text =
      Lexer::getSourceText(CharSourceRange::getTokenRange(E->getSourceRange()),
                           Context.getSourceManager(), Context.getLangOpts());
  if (!Text.empty())
    return Text.str();
  std::string Printed; // of a macro's expansion, which stands in no file
  llvm::raw_string_ostream OS(Printed);
  E->printPretty(OS, nullptr, Context.getPrintingPolicy());
  return Printed;
}

/// Whether \p Producer may be an input of \p Consumer in the model: it does not itself depend on
/// it.
static bool mayBeInput(const ProgramModel& Model, Index Producer, Index Consumer) {
  std::set<Index> Seen;
  std::vector<Index> Work{Producer};
  while (!Work.empty()) {
    const Index At = Work.back();
    Work.pop_back();
    if (At == Consumer)
      return false;
    if (Seen.insert(At).second)
      for (const std::optional<Index>& Input : Model.Sections[At].Flow.Inputs)
        if (Input)
          Work.push_back(*Input);
  }
  return true;
}

/// The variable that an expression names, with_index() taken off; null where it is none.
static const VarDecl* inputNamed(const Expr* E) { return variableNamed(withoutIndex(E)); }

void SectionBuilder::findInputs() {
  for (const auto& [Section, Expressions, AreShared] : Inputs)
    for (std::size_t K = 0; K < Expressions.size(); ++K) {
      const std::optional<Index> From = inputOf(Expressions[K]);
      Model.Sections[Section].Flow.Inputs[K] = From;
      Model.Sections[Section].Flow.InputVariables.push_back(inputNamed(Expressions[K]));
      if (From && AreShared)
        Model.Sections[*From].Flow.IsTemporary = false;
    }
  const ArrayFlow Flow(Context);
  const auto SourcesOf = [&](const Expr* Array) {
    std::set<Index> Sources;
    for (const CallExpr* Call : Flow.sourcesOf(Array))
      if (const auto It = SectionOfCall.find(Call); It != SectionOfCall.end())
        Sources.insert(It->second);
    return Sources;
  };
  for (const InputExprs& Read : Inputs)
    if (!Read.Arrays.empty())
      Model.Sections[Read.Section].Flow.FlowsFrom = SourcesOf(Read.Arrays.front());
  // Through functions and objects, where one section alone may be the source. Whether it is in each
  // run is for the runtime to see.
  for (const InputExprs& Read : Inputs)
    for (std::size_t K = 0; K < Read.Arrays.size(); ++K) {
      std::optional<Index>& Input = Model.Sections[Read.Section].Flow.Inputs[K];
      if (const std::set<Index> Sources = SourcesOf(Read.Arrays[K]);
          !Input && Sources.size() == 1 && mayBeInput(Model, *Sources.begin(), Read.Section)) {
        Input = *Sources.begin();
        Model.Sections[*Input].Flow.IsTemporary = false;
      }
    }
  std::vector<std::vector<const Expr*>> Arrays(Model.Sections.size());
  for (const InputExprs& Read : Inputs)
    Arrays[Read.Section] = Read.Arrays;
  findOtherReaders(Context, Arrays, Flow, Model);
  std::vector<SectionSite> Sites(Model.Sections.size());
  for (const auto& [Call, Section] : SectionOfCall)
    Sites[Section].GivesResult = true;
  for (Index S = 0; S < Model.Sections.size(); ++S)
    if (const auto Call = CallOfCode.find(Model.Sections[S].Code.Function);
        Call != CallOfCode.end())
      Sites[S].Operation = Call->second;
  for (InputExprs& Read : Inputs)
    Sites[Read.Section].Arrays = std::move(Read.Arrays);
  findUses(Context, Sites, Flow, Model);
}

std::optional<Index> SectionBuilder::inputOf(const Expr* E) {
  for (int Steps = 0; Steps < 8; ++Steps) {
    E = withoutIndex(E);
    if (auto It = SectionOfCall.find(E); It != SectionOfCall.end()) {
      Model.Sections[It->second].Flow.IsTemporary = Steps == 0;
      return It->second;
    }
    const VarDecl* V = variableNamed(E);
    if (!V || !V->isLocalVarDecl() || !V->hasInit())
      return std::nullopt;
    E = V->getInit();
  }
  return std::nullopt;
}

/// The operations whose kernels give their sections copies of objects, and take such.
static bool mayTakeCopies(const OperationCall& Operation) {
  return Operation.Row && Operation.Call->getNumArgs() != 0 &&
         !isa<CXXOperatorCallExpr>(Operation.Call) && !SectionBuilder::startsWithValue(Operation) &&
         !Operation.is(ArrayCall::Library) && !Operation.is(ikra::Operation::PStencil) &&
         !Operation.is(ikra::Operation::PReduceByIndex);
}

Type SectionBuilder::declareThere(QualType Ty, const OperationCall& Operation) {
  const bool IsCopy =
      elementOfContainer(Ty).isNull() && copiedClassOf(Ty, Model.Roles) && mayTakeCopies(Operation);
  Type Out = IsCopy ? Builder.declareCopied(Ty) : Builder.declare(Ty);
  if (isOptionalObject(Ty, Model.Roles) || // an object of the element's own
      Out.IsMemberPointer)                 // which device code has as numbers
    Out.Kind = TypeKind::Unsupported;
  const QualType Pointee = pointeeOf(Ty);
  // Templates with hidden arguments are no value classes.
  if (const TagDecl* Tag = (Pointee.isNull() ? Ty : Pointee)->getAsTagDecl())
    Out.HiddenHere = !mayBeNamedIn(Tag, Operation.Inside);
  return Out;
}

/// The operations that have kernels over tuples that hold pointers to objects.
static bool mayTakeHolders(const Section& S) {
  return S.Op == Operation::PMap || S.Op == Operation::PCombine || S.Op == Operation::PReduce;
}

/// True for structs with pointers to objects that the runtime makes device code's struct of, and
/// back: all their members are values or pointers.
static bool isRewritten(const CXXRecordDecl* Class, const Type& T) {
  return !T.Held.empty() && Class->isAggregate() && !Class->getParentFunctionOrMethod() &&
         !hiddenIn(Class) && !isa<ClassTemplateSpecializationDecl>(Class) &&
         llvm::all_of(Class->fields(), [](const FieldDecl* Member) {
           const QualType Ty = Member->getType();
           return (Ty->isPointerType() || Ty->isArithmeticType() || Ty->isEnumeralType() ||
                   (Ty->isRecordType() && !holdsObjects(Ty) && !leadsToObjects(Ty))) &&
                  !Ty.isConstQualified() &&
                  (!Member->hasInClassInitializer() || constantDefault(Member));
         });
}

bool mayBeElement(QualType Ty, const Type& T, const ProgramModel& Model) {
  const TagDecl* Tag = Ty.getNonReferenceType()->getAsTagDecl();
  return T.Kind == TypeKind::Value &&
         !(T.IsClass && (T.Private || (Tag && memberOfUnnamed(Tag)))) &&
         llvm::all_of(T.Structs,
                      [&](Index Class) { return isRewritten(Model.Classes[Class].Decl, T); });
}

/// In place of an operation over tuples that hold pointers to objects.
constexpr llvm::StringLiteral OverPointers =
    "; let it be over the pointers, and capture the other array: "
    "a.with_index() hands over the index, [b](T* object, std::int64_t i) { ... b[i] ... }";

/// Why an operation over values has no kernel over these elements, and what to write.
static std::string whyNoElement(const OperationCall& Operation, QualType Ty, const Type& T,
                                const ASTContext& Context) {
  if (T.Kind == TypeKind::Object)
    return "'" + Operation.Name + "' over objects; let a pmap make values of what they hold";
  const std::string Of = "'" + Operation.Name + "' over elements of type '" +
                         Ty.getAsString(Context.getPrintingPolicy()) + "', ";
  const CXXRecordDecl* Local = Ty->getAsCXXRecordDecl();
  if (Local && Local->getParentFunctionOrMethod() && isElementValue(Ty))
    return Of + "a class that emitted code cannot name; move it to namespace scope";
  if (isText(Ty))
    return Of + "which are no values; let the host sort or combine them, or number them";
  if (!leadsToObjects(Ty))
    return Of + "which are no values; let a pmap make values of them";
  if (const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl(); Class && isUserClass(Class))
    return Of + "which hold pointers to objects; let these be objects, too: ikra::objects";
  if (Operation.is(ikra::Operation::PSelect)) // a map would lose the pointers
    return Of + "which hold pointers to objects" + OverPointers.str();
  return Of + "which hold pointers to objects; let a pmap make values of them";
}

/// What to write in place of a map or a peach over these elements; empty where nothing else helps.
static std::string otherElements(const OperationCall& Operation, QualType Ty) {
  if (isText(Ty))
    return "; make an array of what is asked of the texts first, outside of sections";
  if (holdsObjects(Ty) && Operation.is(ikra::Operation::PEach))
    return OverPointers.str();
  if (const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
      Class && isUserClass(Class) && !Class->getParentFunctionOrMethod())
    return "; hand over the objects themselves: ikra::objects(container)";
  return "";
}

/// Elements of the input, of further inputs, and of what preduce starts from.
bool SectionBuilder::addElements(Section& S, const OperationCall& Operation) {
  const SourceLocation At = Operation.Call->getExprLoc();
  for (QualType Ty : Operation.Elements) {
    const Type T = declareThere(Ty, Operation);
    const bool Objects = T.Kind == TypeKind::Object && mayBeOverObjects(S.Op);
    const bool Value = mayBeElement(Ty, T, Model) && (T.Held.empty() || mayTakeHolders(S));
    if (!Value && !Objects) {
      if (S.Op == ikra::Operation::PMap || S.Op == ikra::Operation::PEach)
        Diags.report(At, Diag::section_element, MayFallBack && isElementValue(Ty))
            << Operation.Name << Ty.getAsString(Context.getPrintingPolicy())
            << otherElements(Operation, Ty);
      else
        explain(At, whyNoElement(Operation, Ty, T, Context));
      return false;
    }
    S.Elements.push_back(T);
  }
  return true;
}

/// A reduction from a first value. Elements that were converted to the result's type may be
/// combined in groups; what takes another type is a fold, which has an order.
bool SectionBuilder::addFold(Section& S, const Code& Called, const OperationCall& Operation) {
  S.Result = declareThere(Operation.Result, Operation);
  S.FromInit = true;
  const auto IsResult = [&](QualType Ty) {
    const QualType Given = pointeeOf(Ty.getNonReferenceType()),
                   Result = pointeeOf(Operation.Result);
    return Given.isNull() || Result.isNull()
               ? Context.hasSameUnqualifiedType(Ty.getNonReferenceType(), Operation.Result)
               : Context.hasSameUnqualifiedType(Given, Result);
  };
  // Elements of another class would be converted pointers, which are not looked for among objects.
  const bool Objects = S.Result.Kind == TypeKind::Object && mayBeOverObjects(S.Op) &&
                       S.Elements.front().Class == S.Result.Class;
  const bool Values = S.Result.Kind == TypeKind::Value && S.Result.isAsInProgram();
  if (!(Values || Objects) || Called.Function->getNumParams() != 2 ||
      Builder.classify(Called.Function->getReturnType()).Kind != S.Result.Kind)
    return false;
  if (llvm::all_of(Called.Function->parameters(),
                   [&](const ParmVarDecl* P) { return IsResult(P->getType()); }))
    return true;
  refuse(Operation.Call->getExprLoc(), Diag::unsupported_expression)
      << "a fold from a first value, which has an order; let both parameters be of type '" +
             Operation.Result.getAsString(Context.getPrintingPolicy()) + "'";
  return false;
}

bool SectionBuilder::addResult(Section& S, const Code& Called, const OperationCall& Operation) {
  const QualType Result =
      Called.Function->getReturnType().getNonReferenceType().getUnqualifiedType();
  switch (S.Op) {
  case ikra::Operation::PEach:
    S.Result = Builder.declare(Context.VoidTy);
    return true;
  case ikra::Operation::PReduce:
  case ikra::Operation::PScan:
  case ikra::Operation::PReduceByKey:
  case ikra::Operation::PReduceByIndex:
  case ikra::Operation::PReduceAxis:
    if (startsWithValue(Operation))
      return addFold(S, Called, Operation);
    S.Result = S.Elements.back();
    return true;
  case ikra::Operation::PSelect:
  case ikra::Operation::PSort:
    S.Result = S.Elements.front();
    return true;
  case ikra::Operation::PMap:
  case ikra::Operation::PCombine:
  case ikra::Operation::PNew:
  case ikra::Operation::PStencil:
    break;
  }
  S.Result = declareThere(Result, Operation);
  if ((mayBeElement(Result, S.Result, Model) &&
       (S.Result.Held.empty() || S.Op != ikra::Operation::PStencil)) ||
      (S.Op != ikra::Operation::PStencil && S.Result.Kind == TypeKind::Object &&
       Result->isPointerType())) {
    if (S.Result.HiddenHere && !S.Site.Instance)
      refuse(S.Site.Argument->getExprLoc(), Diag::hidden_result) << Result.getAsString();
    return !S.Result.HiddenHere || S.Site.Instance;
  }
  const SourceLocation At = S.Site.Argument->getExprLoc();
  const CXXRecordDecl* Class = Result->getAsCXXRecordDecl();
  if (Class && !Class->isLambda() && Class->getParentFunctionOrMethod() && isElementValue(Result))
    refuse(At, Diag::local_class) << Class->getName();
  else
    Diags.report(At, Diag::section_result, MayFallBack && isElementValue(Result))
        << Result.getAsString();
  return false;
}

/// Whether the plain library can run the operation in the middle of a compiled program. What peach
/// writes to objects has to reach those that are on a device; a std::function, and what is captured
/// by reference in a lazy operation, are errors.
static bool mayFallBack(const OperationCall& Operation) {
  if (Operation.is(ikra::Operation::PEach))
    return false;
  if (Operation.Call->getNumArgs() == 0 || Operation.is(ArrayCall::Library))
    return true;
  const QualType Section =
      Operation.Call->getArg(Operation.Call->getNumArgs() - 1)->getType().getNonReferenceType();
  if (isStdClass(Section, "function"))
    return false;
  const CXXRecordDecl* Closure = Section->getAsCXXRecordDecl();
  return !Closure || !Closure->isLambda() ||
         llvm::none_of(Closure->fields(), [](const FieldDecl* Captured) {
           return Captured->getType()->isReferenceType();
         });
}

/// True for operations that the runtime does for all programs alike, without a section.
static bool needsNoSection(const OperationCall& Operation) {
  if (Operation.is(ArrayCall::Runtime))
    return true;
  if (Operation.is(ArrayCall::Bins))
    return Operation.Call->getNumArgs() == 1;
  return Operation.is(ikra::Operation::PSort) && Operation.Call->getNumArgs() == 0 &&
         (Operation.Elements.front()->isArithmeticType() ||
          Operation.Elements.front()->isEnumeralType());
}

/// The files that were included several times, and are not kept from it: a text in them may mean
/// something else each time, and emitted text is one for all.
static std::set<const FileEntry*> includedRepeatedly(const SourceManager& SM,
                                                     const HeaderSearch& Headers) {
  std::set<const FileEntry*> Once, Again;
  for (unsigned I = 0; I < SM.local_sloc_entry_size(); ++I) {
    const SrcMgr::SLocEntry& Entry = SM.getLocalSLocEntry(I);
    const OptionalFileEntryRef File =
        Entry.isFile() ? Entry.getFile().getContentCache().OrigEntry : std::nullopt;
    if (File && !Once.insert(&File->getFileEntry()).second &&
        !Headers.isFileMultipleIncludeGuarded(*File))
      Again.insert(&File->getFileEntry());
  }
  return Again;
}

const char* SectionBuilder::hasNoEmittedText(SourceLocation At) {
  const SourceManager& SM = Context.getSourceManager();
  if (!Repeated)
    Repeated = includedRepeatedly(SM, Builder.Compiler.getPreprocessor().getHeaderSearchInfo());
  FileID Of = SM.getFileID(SM.getExpansionLoc(At));
  const OptionalFileEntryRef File = SM.getFileEntryRefForID(Of);
  if (File && Repeated->contains(&File->getFileEntry()))
    return "several times and has one emitted text: give the file an include guard, or move the "
           "section into a function template";
  for (SourceLocation From = SM.getIncludeLoc(Of); From.isValid(); From = SM.getIncludeLoc(Of))
    Of = SM.getFileID(From);
  if (Of != SM.getMainFileID())
    return "by -include: write #include in the source";
  return nullptr;
}

bool SectionBuilder::add(const OperationCall& Operation) {
  if (needsNoSection(Operation))
    return true;
  MayFallBack = mayFallBack(Operation);
  const SourceLocation At = Operation.Call->getExprLoc();
  const char* const Inclusion = hasNoEmittedText(At);
  const Index First = Model.Sections.size();
  if (!Inclusion && (tryToAdd(Operation) || Diags.hasErrors())) {
    const auto Made = llvm::seq(First, static_cast<Index>(Model.Sections.size()));
    SectionsInCall[Operation.Call].assign(Made.begin(), Made.end());
    return true;
  }
  if (Inclusion)
    Diags.report(At, Diag::repeated_file) << Operation.Name << Inclusion;
  else
    Diags.report(At, Diag::section_sequential) << Operation.Name;
  if (Operation.InTemplate) // one text for all instantiations
    Left.insert(At);
  return false;
}

void SectionBuilder::fallBack(const OperationCall& Operation) {
  if (Operation.Call->getNumArgs() == 0 || isa<CXXOperatorCallExpr>(Operation.Call) ||
      hasNoEmittedText(Operation.Call->getExprLoc()))
    return;
  const Expr* Code = Operation.Call->getArg(Operation.Call->getNumArgs() - 1);
  const CXXRecordDecl* Class = Code->getType().getNonReferenceType()->getAsCXXRecordDecl();
  const bool IsCode = Class ? rankOfArray(Code->getType()) == 0
                            : Code->getType()->isFunctionType() ||
                                  Code->getType()->isMemberPointerType() ||
                                  Code->getType()->isPointerType();
  const bool Objects = llvm::any_of(Operation.Elements, leadsToObjects) ||
                       (Class && llvm::any_of(Class->fields(), [](const FieldDecl* Held) {
                          return leadsToObjects(Held->getType());
                        }));
  if (IsCode && Objects && canBeRewritten(Code->getSourceRange(), Context))
    Model.Fallback.push_back(Code);
}

void SectionBuilder::leave(Index Code) {
  const CallExpr* Call = CallOfCode.at(Code);
  if (!Diags.hasErrors()) {
    Diags.report(Call->getExprLoc(), Diag::section_sequential)
        << Call->getDirectCallee()->getNameAsString();
    if (const SourceLocation Reason = Diags.sharedReason(Call->getExprLoc()); Reason.isValid())
      Diags.report(Reason, Diag::shared_reason);
  }
  Left.insert(Call->getExprLoc());
}

bool SectionBuilder::begin(Section& S, const OperationCall& Operation) {
  S.WithIndex = Operation.WithIndex || S.Op == ikra::Operation::PNew;
  S.Rank = Operation.Rank;
  S.At = Builder.locOf(Operation.Call->getExprLoc());
  S.Site.Inside = Operation.Inside ? nameWithClass(Operation.Inside) : "";
  S.Site.Enclosing = Operation.Inside;
  S.Site.SharedName = sharedNameOf(Operation.Inside, S.At);
  S.Site.KeyName = keyNameOf(Operation.Inside, Operation.Call->getExprLoc(), S.At);
  return !Operation.InTemplate || addInstantiation(S, Operation);
}

std::optional<SectionBuilder::Code>
SectionBuilder::addCode(Section& S, const OperationCall& Operation, const Expr* Argument) {
  const SourceLocation At = Operation.Call->getExprLoc();
  S.Site.Argument = Argument;
  if (!canBeRewritten(Argument->getSourceRange(), Context)) {
    refuse(At, Diag::section_in_macro) << Operation.Name;
    return std::nullopt;
  }
  const std::optional<Code> Found = codeOf(Operation, Argument);
  if (!Found)
    return std::nullopt;
  S.Site.Lambda = Found->Lambda;
  if (Found->IsKept) {
    S.Site.From = CapturesFrom::Kept;
    LambdaCaptures Kept = *keptCaptures(S.Site.Lambda->getLambdaClass());
    S.Code.Captures = std::move(Kept.Captures);
    S.Code.Lambdas = std::move(Kept.Lambdas);
    Names.use(S.Site.Lambda->getLambdaClass());
  } else if (S.Site.Lambda && !addCaptures(S, S.Site.Lambda)) {
    return std::nullopt;
  }
  S.Site.SharesCaptures = canShareCaptures(S, Argument);
  if (Found->Object) {
    S.Site.From = CapturesFrom::Object;
    Capture Object;
    Object.Name = Found->Object->getNameAsString();
    Object.Decl = Found->Object;
    Object.HostText = sourceText(Argument);
    S.Site.CapturesOnce = !mayBeEvaluatedTwice(Argument, Context);
    if (!addCapture(S, std::move(Object), Found->Object->getType().getUnqualifiedType(),
                    Argument->getExprLoc()))
      return std::nullopt;
  }
  return Found;
}

void SectionBuilder::addKnown(Section& S, const OperationCall& Operation,
                              std::string FunctionObject, std::string Code) {
  S.Code.Known = std::move(Code);
  S.Site.FunctionObject = std::move(FunctionObject);
  S.Site.Argument = Operation.Call;
  S.Code.Function = Collector.requestKnown(Operation.Call->getExprLoc());
}

bool SectionBuilder::finish(Section S, const OperationCall& Operation, unsigned Which) {
  const SourceLocation At = Operation.Call->getExprLoc();
  CallOfCode[S.Code.Function] = Operation.Call;
  // Drivers stand outside of all namespaces, beside the user's names.
  do
    S.Ident = Builder.uniqueIdent(identOf(S.Site.Inside.empty() ? "section" : S.Site.Inside) + "_" +
                                  std::to_string(Model.Sections.size()));
  while (!Context.getTranslationUnitDecl()->lookup(&Context.Idents.get(S.Ident)).empty());
  if (S.Site.Instance) {
    std::vector<Index>& Others = InTemplates[{At.getRawEncoding(), Which}];
    if (const std::string Reason = difference(S, Model, Others); !Reason.empty()) {
      refuse(At, Diag::section_in_template) << Operation.Name << Reason;
      return false;
    }
    S.Site.Instance->Template = Others.empty()
                                    ? S.Ident + "_in_template"
                                    : Model.Sections[Others.front()].Site.Instance->Template;
    if (!Others.empty()) {
      Section& First = Model.Sections[Others.front()]; // which has the text of all
      join(First.Site.Instance->InText, S.Site.Instance->InText);
      // What gives no text the same captures is the object that holds them, or holds none.
      if (const bool IsOneText = join(First.Site.CaptureTexts, S.Site.CaptureTexts);
          S.Site.From == CapturesFrom::Kept ||
          (!IsOneText && S.Site.Written != Rewriting::Operator))
        First.Site.From = CapturesFrom::Kept;
      S.Site.CapturesOnce |= First.Site.CapturesOnce;
      for (const Index Other : Others)
        Model.Sections[Other].Site.CapturesOnce = S.Site.CapturesOnce;
    }
    Names.use(S.Site.Instance->Lambdas);
    Others.push_back(Model.Sections.size());
  }
  if (const auto Same = llvm::count_if(
          Model.Sections,
          [&](const Section& Of) { return Of.Site.SharedName == S.Site.SharedName; });
      Same != 0 && !S.Site.SharedName.empty()) // of one macro
    S.Site.SharedName += "#" + std::to_string(Same);
  // Kernels of other files read the captures: #if in the header may give files different ones.
  if (!S.Site.KeyName.empty() && S.Site.From == CapturesFrom::Names)
    for (const Capture& C : S.Code.Captures)
      S.Site.KeyName += "," + C.HostText;
  nameCaptures(S.Code);
  Model.Functions[S.Code.Function].Lambdas = S.Code.Lambdas;
  Model.Sections.push_back(std::move(S));
  return true;
}

bool SectionBuilder::tryToAdd(const OperationCall& Operation) {
  if (isa<CXXOperatorCallExpr>(Operation.Call))
    return addOperator(Operation);
  if (Operation.is(ArrayCall::Shorthand))
    return addShorthand(Operation);
  if (Operation.is(ikra::Operation::PSort) && Operation.Call->getNumArgs() == 0)
    return addOrder(Operation);
  if (!Operation.Row || Operation.Call->getNumArgs() == 0)
    return false;
  if (Operation.takesIndicesFromCode())
    return addByIndex(Operation);
  Section S;
  S.Op = Operation.Row->Op;
  S.IsZip = Operation.is(ArrayCall::Library);
  if (!begin(S, Operation) || !addElements(S, Operation))
    return false;
  if (S.Op == ikra::Operation::PReduceByKey && // keys are compared by ==
      !isComputedByLanguage(Operation.Elements.front(), OO_EqualEqual, Context)) {
    explain(Operation.Call->getExprLoc(),
            "keys of type '" + Operation.Elements.front().getAsString(Context.getPrintingPolicy()) +
                "', which have a comparison of their own; let a pmap make numbers of them");
    return false;
  }
  if (S.Op == ikra::Operation::PStencil) {
    std::optional<std::vector<Offset>> Offsets =
        neighbourhoodOf(Operation.Call->getArg(0), S.Rank, Context, Diags);
    if (!Offsets)
      return false;
    S.Neighbourhood = std::move(*Offsets);
    S.AtBorder = borderOf(Operation.Call->getArg(1));
  }
  if (isComparison(Operation))
    return addComparison(S, Operation) && finishWithInputs(std::move(S), Operation);
  if (S.IsZip)
    S.Site.Written = Rewriting::NewArgument;
  const std::optional<Code> Found =
      addCode(S, Operation,
              S.IsZip ? static_cast<const Expr*>(Operation.Call)
                      : Operation.Call->getArg(Operation.Call->getNumArgs() - 1));
  if (!Found || !addResult(S, *Found, Operation))
    return false;
  warnOfLostChanges(S, *Found, Operation);
  const unsigned Given = static_cast<unsigned>(S.Elements.size()) + (S.WithIndex ? 1 : 0);
  S.TakesTick = hasTicks(Operation) && Found->Function->getNumParams() > Given;
  return request(S, Found->Function, Operation) && finishWithInputs(std::move(S), Operation);
}

/// reduce_by_index(bins, key, init, f): a map by the key's section, and a reduction of what it
/// gives and the elements.
bool SectionBuilder::addByIndex(const OperationCall& Operation) {
  const Expr* Argument = Operation.Call->getArg(1);
  OperationCall Keys = Operation;
  Keys.Row = findArrayCall("phistogram"); // whose section gives numbers of bins too
  Section Key;
  Key.Op = ikra::Operation::PMap;
  if (!begin(Key, Keys) || !addElements(Key, Keys))
    return false;
  const std::optional<Code> Found = addCode(Key, Keys, Argument);
  if (!Found || !addResult(Key, *Found, Keys) || !request(Key, Found->Function, Keys))
    return false;
  Key.Flow.Inputs.resize(Key.Elements.size());
  if (!finish(std::move(Key), Keys))
    return false;
  const Index Indices = Model.Sections.size() - 1;
  Inputs.push_back({Indices, Keys.Inputs, /*AreShared=*/true});

  OperationCall Reduction = Operation;
  Reduction.Elements.insert(
      Reduction.Elements.begin(),
      Found->Function->getReturnType().getNonReferenceType().getUnqualifiedType());
  Section S;
  S.Op = ikra::Operation::PReduceByIndex;
  if (!begin(S, Reduction) || !addElements(S, Reduction))
    return false;
  const std::optional<Code> Combines =
      addCode(S, Reduction, Operation.Call->getArg(Operation.Call->getNumArgs() - 1));
  if (!Combines || !addResult(S, *Combines, Reduction) ||
      !request(S, Combines->Function, Reduction))
    return false;
  S.Flow.Inputs = {Indices, std::nullopt};
  if (!finish(std::move(S), Reduction, /*Which=*/1))
    return false;
  SectionOfCall[Operation.Call] = Model.Sections.size() - 1;
  return true;
}

bool SectionBuilder::finishWithInputs(Section S, const OperationCall& Operation) {
  S.Flow.Inputs.resize(S.Elements.size());
  const ikra::Operation Op = S.Op;
  if (!finish(std::move(S), Operation))
    return false;
  const Index Made = Model.Sections.size() - 1;
  if (Op != ikra::Operation::PEach)
    Inputs.push_back({Made, Operation.Inputs, Operation.is(ArrayCall::Keys)});
  const bool IsForRuntime = Operation.is(ArrayCall::Keys) || Operation.is(ArrayCall::Bins);
  if (!IsForRuntime && Op != ikra::Operation::PReduceByKey)
    SectionOfCall[Operation.Call] = Made;
  if (Operation.is(ArrayCall::Bins))
    SectionOfKeys[Operation.Call] = Made;
  return true;
}

} // namespace ikra
