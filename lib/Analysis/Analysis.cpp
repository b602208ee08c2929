// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stage as a whole: find the operations, make a section of each, collect what they reach until
// neither functions nor classes are added, and decide what follows from the members used.

#include "Analysis.h"

#include "BodyWalker.h"
#include "FunctionCollector.h"
#include "ModelBuilder.h"
#include "SectionFinder.h"

#include "clang/Lex/Lexer.h"

#include <algorithm>

using namespace clang;

namespace ikra {

namespace {

class Analyser {
public:
  Analyser(ASTContext& Context, Diagnoser& Diags, ProgramModel& Model)
      : Context(Context), Diags(Diags), Model(Model), Builder(Context, Diags, Model),
        Collector(Builder) {}

  void run() {
    Findings Found = findSections(Context);
    Builder.UserClasses = std::move(Found.UserClasses);
    for (const OperationCall& Operation : Found.Operations)
      addSection(Operation);
    do {
      Collector.collect();
      Builder.closeHierarchy();
    } while (Collector.resolveDispatch());
    Builder.closeHierarchy();
    if (Diags.hasErrors())
      return;
    Builder.checkClasses();
    nameFunctions();
    Collector.summarise();
    if (Diags.hasErrors())
      return;
    for (Section& S : Model.Sections)
      decideAccess(S);
  }

private:
  /// What is called for each element.
  struct Code {
    const FunctionDecl* Function = nullptr;
    const LambdaExpr* Lambda = nullptr;
  };

  void addSection(const OperationCall& Operation);
  std::optional<Code> codeOf(const OperationCall& Operation, const Expr* Argument);
  bool addCaptures(Section& S, const LambdaExpr* Lambda, const OperationCall& Operation);
  std::optional<Index> inputOf(const OperationCall& Operation);
  std::string functionIdent(const FunctionDecl* Decl) const;
  void nameFunctions();
  void decideAccess(Section& S);
  std::string sourceText(SourceRange Range);

  ASTContext& Context;
  Diagnoser& Diags;
  ProgramModel& Model;
  ModelBuilder Builder;
  FunctionCollector Collector;
  llvm::DenseMap<const Expr*, Index> SectionOfCall;
};

std::string Analyser::sourceText(SourceRange Range) {
  return Lexer::getSourceText(CharSourceRange::getTokenRange(Range), Context.getSourceManager(),
                              Context.getLangOpts())
      .str();
}

/// The call operator of \p Class that is used for elements of type \p Element: a template's
/// instantiation, or the method itself.
const FunctionDecl* callOperator(const CXXRecordDecl* Class, QualType Element,
                                 const ASTContext& Context) {
  const DeclarationName Name = Context.DeclarationNames.getCXXOperatorName(OO_Call);
  const FunctionDecl* Found = nullptr;
  for (const NamedDecl* D : Class->lookup(Name)) {
    if (const auto* Method = dyn_cast<CXXMethodDecl>(D))
      Found = Found ? nullptr : Method;
    if (const auto* Template = dyn_cast<FunctionTemplateDecl>(D))
      for (const FunctionDecl* Instance : Template->specializations()) {
        if (Instance->getNumParams() == 0 || !Instance->hasBody())
          continue;
        const QualType Parameter =
            Instance->getParamDecl(0)->getType().getNonReferenceType().getUnqualifiedType();
        if (Context.hasSameType(Parameter, Element.getUnqualifiedType()))
          Found = Instance;
      }
  }
  return Found;
}

std::optional<Analyser::Code> Analyser::codeOf(const OperationCall& Operation,
                                               const Expr* Argument) {
  const SourceLocation At = Argument->getExprLoc();
  const Expr* E = Argument;
  for (const Expr* Before = nullptr; E != Before;) {
    Before = E;
    E = E->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
    if (const auto* Construct = dyn_cast<CXXConstructExpr>(E);
        Construct && Construct->getNumArgs() == 1)
      E = Construct->getArg(0);
  }
  if (const auto* Lambda = dyn_cast<LambdaExpr>(E))
    if (const FunctionDecl* F = callOperator(Lambda->getLambdaClass(), Operation.Element, Context))
      return Code{F, Lambda};
  if (const auto* Address = dyn_cast<UnaryOperator>(E);
      Address && Address->getOpcode() == UO_AddrOf)
    E = Address->getSubExpr()->IgnoreParens();
  if (const auto* Name = dyn_cast<DeclRefExpr>(E))
    if (const auto* F = dyn_cast<FunctionDecl>(Name->getDecl());
        F && (!isa<CXXMethodDecl>(F) || cast<CXXMethodDecl>(F)->isStatic())) {
      const FunctionDecl* Definition = nullptr;
      if (!F->hasBody(Definition)) {
        Diags.report(At, Diag::no_body) << F->getQualifiedNameAsString();
        return std::nullopt;
      }
      return Code{Definition, nullptr};
    }
  if (const CXXRecordDecl* Class = E->getType()->getAsCXXRecordDecl();
      Class && !isInStd(Class) && !isInIkra(Class)) {
    if (!Class->field_empty() || Class->getNumBases() > 0) {
      if (Class->isLambda())
        Diags.report(At, Diag::section_captures_elsewhere) << Operation.Name;
      else
        Diags.report(At, Diag::section_kind) << "a function object with members";
      return std::nullopt;
    }
    if (const FunctionDecl* F = callOperator(Class, Operation.Element, Context); F && F->hasBody())
      return Code{F, nullptr};
  }
  Diags.report(At, Diag::section_kind) << "this expression";
  return std::nullopt;
}

bool Analyser::addCaptures(Section& S, const LambdaExpr* Lambda, const OperationCall& Operation) {
  const bool Lazy = S.Op != Operation::PEach;
  const std::size_t ErrorsBefore = Diags.engine().getClient()->getNumErrors();
  for (const LambdaCapture& C : Lambda->captures()) {
    const SourceLocation At = C.getLocation();
    Capture Out;
    if (C.capturesThis()) {
      if (Lazy) {
        Diags.report(At, Diag::capture_this);
        continue;
      }
      Out.Name = "this_object";
      Out.HostText = "this";
      Out.Ty = Builder.declare(cast<CXXMethodDecl>(Operation.Inside)->getThisType());
    } else if (const auto* V =
                   C.capturesVariable() ? dyn_cast<VarDecl>(C.getCapturedVar()) : nullptr) {
      Out.Name = V->getNameAsString();
      Out.Decl = V;
      Out.HostText = V->isInitCapture() ? sourceText(V->getInit()->getSourceRange()) : Out.Name;
      Out.Ty = Builder.declare(V->getType());
      if (C.getCaptureKind() == LCK_ByRef && Lazy) {
        Diags.report(At, Diag::capture_by_reference) << Out.Name;
        continue;
      }
    } else {
      Diags.report(At, Diag::capture_type) << "this name" << "structured binding or pack";
      continue;
    }
    switch (Out.Ty.Kind) {
    case TypeKind::Value:
      break;
    case TypeKind::Object:
      Out.Kind = CaptureKind::Object;
      break;
    case TypeKind::ValueList:
      Out.Kind = CaptureKind::View;
      break;
    default:
      Diags.report(At, Diag::capture_type) << Out.Name << Out.Decl->getType().getAsString();
      continue;
    }
    S.Captures.push_back(std::move(Out));
  }
  return Diags.engine().getClient()->getNumErrors() == ErrorsBefore;
}

std::optional<Index> Analyser::inputOf(const OperationCall& Operation) {
  const Expr* E = Operation.Call->getImplicitObjectArgument();
  for (int Steps = 0; Steps < 8; ++Steps) {
    E = E->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
    if (auto It = SectionOfCall.find(E); It != SectionOfCall.end()) {
      Model.Sections[It->second].IsTemporary = Steps == 0;
      return It->second;
    }
    const auto* Name = dyn_cast<DeclRefExpr>(E);
    const auto* V = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
    if (!V || !V->isLocalVarDecl() || !V->hasInit())
      return std::nullopt;
    E = V->getInit();
  }
  return std::nullopt;
}

void Analyser::addSection(const OperationCall& Operation) {
  const Expr* Argument = Operation.Call->getArg(Operation.Call->getNumArgs() - 1);
  const SourceLocation At = Operation.Call->getExprLoc();
  const bool IsMap = Operation.Name == "pmap";
  if (!IsMap && Operation.Name != "peach") {
    Diags.report(At, Diag::section_sequential) << Operation.Name;
    return;
  }
  if (Operation.InTemplate) {
    Diags.report(At, Diag::section_in_template) << Operation.Name;
    return;
  }
  if (Argument->getBeginLoc().isMacroID() || Argument->getEndLoc().isMacroID()) {
    Diags.report(At, Diag::section_in_macro) << Operation.Name;
    return;
  }
  Section S;
  S.Op = IsMap ? Operation::PMap : Operation::PEach;
  S.WithIndex = Operation.WithIndex;
  S.Rank = Operation.Rank;
  S.At = Builder.placeOf(At);
  S.Inside = Operation.Inside ? Operation.Inside->getNameAsString() : "";
  S.Argument = Argument;
  S.Element = Builder.declare(Operation.Element);
  if (S.Element.Kind != TypeKind::Value && S.Element.Kind != TypeKind::Object) {
    Diags.report(At, Diag::section_element) << Operation.Name << Operation.Element.getAsString();
    return;
  }
  const std::optional<Code> Found = codeOf(Operation, Argument);
  if (!Found)
    return;
  S.Lambda = Found->Lambda;
  if (S.Lambda && !addCaptures(S, S.Lambda, Operation))
    return;
  const QualType Result =
      Found->Function->getReturnType().getNonReferenceType().getUnqualifiedType();
  S.Result = Builder.declare(IsMap ? Result : Context.VoidTy);
  if (IsMap && S.Result.Kind != TypeKind::Value) {
    Diags.report(Argument->getExprLoc(), Diag::section_result) << Result.getAsString();
    return;
  }
  S.TakesTick = !IsMap && Found->Function->getNumParams() > (S.WithIndex ? 2u : 1u);
  // Argument 0 is the element; it can stand for an object of its own only where it is one.
  const std::uint64_t Mask = S.Element.Kind == TypeKind::Object ? 2 : 0;
  S.Function = Collector.request(Found->Function, Mask, At, std::nullopt);
  Model.Functions[S.Function].IsSection = true;
  if (IsMap)
    S.Input = inputOf(Operation);
  S.Ident = Builder.uniqueIdent(identOf(S.Inside.empty() ? "section" : S.Inside) + "_" +
                                std::to_string(Model.Sections.size()));
  SectionOfCall[Operation.Call] = Model.Sections.size();
  Model.Sections.push_back(std::move(S));
}

/// Street_length for a method. Free functions keep their scope, or get one: the name alone could be
/// ambiguous with the user's function, which argument-dependent lookup finds.
std::string Analyser::functionIdent(const FunctionDecl* Decl) const {
  std::string Name = identOf(Decl->getNameAsString());
  if (Decl->isOverloadedOperator())
    Name = "operator_of";
  if (const auto* Method = dyn_cast<CXXMethodDecl>(Decl))
    if (const std::optional<Index> Owner = Builder.findClass(Method->getParent()))
      return Model.Classes[*Owner].Ident + "_" + Name;
  const auto* Scope = dyn_cast<NamedDecl>(Decl->getDeclContext());
  const std::string Qualifier = Scope ? identOf(Scope->getQualifiedNameAsString()) : "";
  return (Qualifier.empty() || Qualifier == "_" ? "global" : Qualifier) + "_" + Name;
}

void Analyser::nameFunctions() {
  // Methods are named after their class too.
  for (const Class& C : Model.Classes)
    for (const char* Suffix : {"_class", "_element", "_record"})
      Builder.uniqueIdent(C.Ident + Suffix);
  for (const Section& S : Model.Sections)
    Model.Functions[S.Function].Ident = "code";
  for (Function& F : Model.Functions)
    if (F.Ident.empty())
      F.Ident = Builder.uniqueIdent(functionIdent(F.Decl));
}

void Analyser::decideAccess(Section& S) {
  const Function& F = Model.Functions[S.Function];
  const MemberUse& Uses = F.Total;
  S.TestsForNull = F.TestsSelfForNull;
  if (S.Op == Operation::PMap) {
    if (!Uses.written().empty()) {
      const Index M = *Uses.written().begin();
      Diags.report(S.Argument->getExprLoc(), Diag::write_lazy) << "pmap";
      Diags.report(Model.Members[M].Decl->getLocation(), Diag::declared_here)
          << Model.Members[M].Name;
    }
    return;
  }
  // A thread may run all ticks of its element if no other element writes what it reads, nor reads
  // what it writes.
  std::set<Index> FromOthers = Uses.WriteOther;
  FromOthers.insert(Uses.Atomic.begin(), Uses.Atomic.end());
  for (Index M : Uses.written())
    if (Uses.ReadOther.count(M))
      S.TickConflict = M;
  for (Index M : FromOthers)
    if (Uses.ReadSelf.count(M) || Uses.WriteSelf.count(M))
      S.TickConflict = M;
  S.Ticks = S.TickConflict ? TickLoop::LaunchPerTick : TickLoop::InThread;
  if (S.TickConflict && S.WithIndex && S.Element.Kind == TypeKind::Object) {
    Diags.report(S.Argument->getExprLoc(), Diag::index_and_ticks)
        << Model.Members[*S.TickConflict].Name;
    return;
  }
  if (S.TickConflict || S.Element.Kind != TypeKind::Object)
    return;

  // What every run accesses and some run writes is worth a register over the ticks.
  for (Index M : Uses.WriteSelf) {
    const Member& Of = Model.Members[M];
    if (Of.Ty.Kind != TypeKind::Value && Of.Ty.Kind != TypeKind::Object)
      continue;
    S.OwnWritten.insert(M);
    for (Index C : Model.Classes[*S.Element.Class].Concrete)
      if (Builder.hasMember(C, M) && Collector.alwaysAccessed(S.Function, C).count(M))
        S.Registers[C].insert(M);
  }
}

} // namespace

ProgramModel analyse(ASTContext& Context, Diagnoser& Diags, std::string Unit) {
  ProgramModel Model;
  Model.Unit = std::move(Unit);
  Analyser(Context, Diags, Model).run();
  return Model;
}

} // namespace ikra
