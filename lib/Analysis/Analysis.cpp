// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stage as a whole: find the operations, make a section of each, collect what they reach until
// neither functions nor classes are added, and decide what follows from the members used.

#include "Analysis.h"

#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Expressions.h"
#include "Analysis/Bodies/BodyBuilder.h"
#include "Analysis/Bodies/Races.h"
#include "Analysis/Dataflow/ResultGroups.h"
#include "Analysis/Prepare/FriendOrders.h"
#include "Analysis/Prepare/TakenNames.h"
#include "Analysis/Reach/ClassRoles.h"
#include "Analysis/Reach/FunctionCollector.h"
#include "Analysis/Reach/ModelBuilder.h"
#include "Analysis/Reach/Neighbourhood.h"
#include "Analysis/Reach/UnknownClasses.h"
#include "Analysis/Sections/Instantiations.h"
#include "Analysis/Sections/SectionBuilder.h"
#include "Analysis/Turns/HostScopes.h"
#include "Analysis/Turns/NumberedLoops.h"
#include "Analysis/Turns/Sequences.h"
#include "Analysis/Turns/TurnFinder.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"

#include <algorithm>

using namespace clang;

namespace ikra {

namespace {

/// Where operations stand.
using SourceLocations = std::set<SourceLocation>;

/// Whether ikra::array is declared.
bool seesArrays(const ASTContext& Context) {
  const auto IsArray = [](const NamedDecl* D) { return isa<ClassTemplateDecl>(D); };
  for (const NamedDecl* D : Context.getTranslationUnitDecl()->lookup(&Context.Idents.get("ikra")))
    if (const auto* Space = dyn_cast<NamespaceDecl>(D))
      if (llvm::any_of(Space->lookup(&Context.Idents.get("array")), IsArray))
        return true;
  return false;
}

class Analyser {
public:
  Analyser(Sema& Compiler, ASTContext& Context, Diagnoser& Diags, ProgramModel& Model)
      : Context(Context), Diags(Diags), Model(Model), Builder(Compiler, Context, Diags, Model),
        Collector(Builder) {}

  /// \param Left operations that are left to the plain library; those are added that turn out to
  /// need it.
  /// \param Loops gets the loops of host sections
  /// \returns false if there are such: the model is of no use then.
  bool run(SourceLocations& Left, HostLoops& Loops) {
    const Findings Found = findSections(Context);
    begin(Found);
    SectionBuilder Sections(Builder, Collector);
    for (const OperationCall& Operation : Found.Operations)
      if (Left.contains(Operation.Call->getExprLoc()) || !Sections.add(Operation))
        Sections.fallBack(Operation);
    Sections.findInputs();
    for (DatalogFunctor& Given : Model.Functors)
      Given.Code = request(*Given.Function);
    do {
      Collector.collect();
      if (someFallBack(Sections, Left))
        return false;
      Builder.closeHierarchy();
    } while (Collector.resolveDispatch());
    if (someFallBack(Sections, Left))
      return false;
    for (const auto& [Call, S] : Sections.sectionsOfCalls())
      if (Model.Sections[S].Op == ikra::Operation::PEach && cast<CallExpr>(Call)->getNumArgs() > 1)
        RunsTicks.insert(S);
    finish();
    if (someFallBack(Sections, Left))
      return false;
    if (!Diags.hasErrors())
      joinResults(Sections);
    if (Diags.hasErrors())
      return true;
    findNumberedLoops(Context, Sections.sectionsInCalls(), Loops);
    reportRaces(Model, findElements(Context, Sections.sectionsOfCalls(), Model), Diags);
    if (Model.IsChecked)
      return true;
    const auto UniqueIdent = [this](const std::string& Name) { return Builder.uniqueIdent(Name); };
    findSequences(Context, Sections.sectionsOfCalls(), UniqueIdent, Model, Loops);
    const auto InstanceOf = [&](const FunctionDecl& Of, std::string& Obstacle) {
      return Sections.instantiationOf(Of, Obstacle);
    };
    findTurns(Context, Diags,
              {Sections.sectionsOfCalls(), Sections.sectionsOfNumbers(), Sections.sectionsOfKeys()},
              InstanceOf, UniqueIdent, Model, Loops);
    findHostScopes(Context, Sections.sectionsInCalls(), Model, Loops);
    return true;
  }

  /// Models one function as device code.
  /// \returns whether it is such, and needs nothing but its arguments.
  bool runFunction(const Findings& Found, const FunctionDecl& Function) {
    begin(Found);
    const Index Code = request(Function);
    do {
      Collector.collect();
      Builder.closeHierarchy();
    } while (Collector.resolveDispatch());
    finish();
    const ikra::Function& F = Model.Functions[Code];
    return !Diags.hasErrors() && F.Code && F.Total.read().empty() && F.Total.written().empty() &&
           F.Globals.empty() && !F.CallsAt && !F.Asserts && !F.Dispatches;
  }

private:
  void begin(const Findings& Found) {
    Model.SeesArrays = seesArrays(Context);
    Model.Roles = findRoles(Found);
    Builder.UserClasses = Found.UserClasses;
    Builder.Lambdas = Found.Lambdas;
  }

  Index request(const FunctionDecl& Function) {
    return Collector.request(&Function, /*SelfMask=*/0, /*CopyMask=*/0, Function.getLocation(),
                             std::nullopt);
  }

  /// Whether operations were left, so that the rest has to be analysed without them.
  bool someFallBack(SectionBuilder& Sections, SourceLocations& Left) {
    for (Index Code : Collector.left())
      Sections.leave(Code);
    Left.insert(Sections.left().begin(), Sections.left().end());
    return !Sections.left().empty() && !Diags.hasErrors();
  }

  void finish() {
    Builder.closeHierarchy();
    checkWindowReads(Model, Diags);
    if (Diags.hasErrors())
      return;
    if (!seesObjects())
      return;
    Builder.checkClasses();
    nameFunctions();
    if (!Collector.summarise() || Diags.hasErrors())
      return;
    Collector.checkCopies();
    if (Diags.hasErrors())
      return;
    for (Section& S : Model.Sections)
      decideAccess(S);
    findUnknownClasses(Model);
    buildBodies(Context, Diags, Model);
  }

  /// Whether each class whose objects are used has a class that can be constructed.
  bool seesObjects() {
    std::set<Index> Unseen;
    const auto IsNew = [&](Index Class) {
      return Model.Classes[Class].Concrete.empty() && Unseen.insert(Class).second;
    };
    for (const Section& S : Model.Sections)
      for (const Index Class : S.classesOfElements())
        if (IsNew(Class))
          Collector.reportUnseen(Class, S.Site.Argument->getExprLoc(), S.Code.Function);
    for (Index I = 0; I < Model.Functions.size(); ++I)
      for (const std::set<Index>& Used :
           {Model.Functions[I].Direct.read(), Model.Functions[I].Direct.written()})
        for (const Index M : Used)
          if (IsNew(Model.Members[M].Class))
            Collector.reportUnseen(Model.Members[M].Class, Model.Members[M].Decl->getLocation(), I);
    for (const Member& M : Model.Members) // of what whole objects lead to
      if (IsNew(M.Class))
        Diags.report(M.Decl->getLocation(), Diag::no_concrete_class) << Model.Classes[M.Class].Name;
    return Unseen.empty();
  }

  void joinResults(const SectionBuilder& Sections) {
    for (Section& S : Model.Sections)
      S.Flow.Speculatable = isSpeculatable(Model, S);
    findResultGroups(Context, Sections.sectionsOfCalls(), Model);
    std::map<std::pair<SourceLocation, std::vector<std::string>>, std::string> Tags;
    for (ResultGroup& Group : Model.Horizontal) {
      Group.Ident = Builder.uniqueIdent("horizontal");
      Group.Tag =
          Tags.try_emplace({Group.Last->getEndLoc(), Group.Variables}, Group.Ident).first->second;
    }
  }

  std::string functionIdent(const FunctionDecl* Decl) const;
  void nameFunctions();
  void decideNulls(Section& S);
  void decideAccess(Section& S);

  ASTContext& Context;
  Diagnoser& Diags;
  ProgramModel& Model;
  ModelBuilder Builder;
  FunctionCollector Collector;
  std::set<Index> RunsTicks; ///< sections that are given a number of ticks
};

/// Street_length for a method. Free functions keep their scope, or get one: the name alone could be
/// ambiguous with the user's function, which argument-dependent lookup finds.
std::string Analyser::functionIdent(const FunctionDecl* Decl) const {
  std::string Name = identOf(Decl->getNameAsString());
  if (const auto* Constructor = dyn_cast<CXXConstructorDecl>(Decl))
    return "make_" + identOf(Constructor->getParent()->getNameAsString());
  if (Decl->isOverloadedOperator())
    Name = "operator_of";
  if (const auto* Method = dyn_cast<CXXMethodDecl>(Decl); Method && Method->getParent()->isLambda())
    return "lambda"; // which stands outside of the section
  if (const auto* Method = dyn_cast<CXXMethodDecl>(Decl))
    if (const std::optional<Index> Owner = Builder.findClass(Method->getParent()))
      return Model.Classes[*Owner].Ident + "_" + Name;
  const auto* Scope = dyn_cast<NamedDecl>(Decl->getDeclContext());
  const auto* Tag = dyn_cast_or_null<TagDecl>(Scope);
  if (Tag && Tag->getTypedefNameForAnonDecl())
    Scope = Tag->getTypedefNameForAnonDecl();
  else if (const FieldDecl* Member = Tag ? memberOfUnnamed(Tag) : nullptr)
    Scope = Member;
  const std::string Qualifier = Scope ? identOf(Scope->getQualifiedNameAsString()) : "";
  return (Qualifier.empty() || Qualifier == "_" ? "global" : Qualifier) + "_" + Name;
}

void Analyser::nameFunctions() {
  // Methods are named after their class too.
  for (const Class& C : Model.Classes)
    for (const char* Suffix : {"_class", "_element", "_record"})
      Builder.uniqueIdent(C.Ident + Suffix);
  // In a body, what it declares hides what is outside.
  for (const Function& F : Model.Functions)
    if (F.Decl)
      for (const std::string& Name : declaredNames(F.Decl))
        Builder.reserveIdent(Name);
  for (const Section& S : Model.Sections)
    Model.Functions[S.Code.Function].Ident = "code";
  for (Function& F : Model.Functions)
    if (F.Ident.empty())
      F.Ident = Builder.uniqueIdent(functionIdent(F.Decl));
}

/// Whether the section is given null elements, and looks for them where it uses objects.
void Analyser::decideNulls(Section& S) {
  const Function& F = Model.Functions[S.Code.Function];
  const bool UsesObjects = F.Dispatches || !F.Total.read().empty() || !F.Total.written().empty();
  S.Access.UsesColumns = S.isOverObjects() || UsesObjects;
  if (S.isOverObjects()) {
    const bool IsElement = (F.SelfMask >> 1) & 1; // throughout
    S.Access.PassesNull =
        F.TestsSelfForNull || ((IsElement || !UsesObjects) && !F.DereferencesSelf);
    S.Access.ChecksNull = S.Access.PassesNull && (F.DereferencesSelf || UsesObjects);
  } else if (S.takesIds()) {
    // What another input has may say that an element is null. Combined with each other, elements
    // can only be asked.
    const bool AreCombined = isReduction(S.Op) || S.Op == Operation::PSort;
    S.Access.PassesNull = !AreCombined || F.NamesNull || !UsesObjects;
    S.Access.ChecksNull = S.Access.PassesNull && UsesObjects;
  }
}

void Analyser::decideAccess(Section& S) {
  const Function& F = Model.Functions[S.Code.Function];
  const MemberUse& Uses = F.Total;
  decideNulls(S);
  S.Access.UsesColumns |= !F.Globals.empty(); // they are beside columns
  S.Access.CallsAt = F.CallsAt;
  S.Access.Asserts = F.Asserts;
  if (S.Op != Operation::PEach) {
    // It may run when the variable has another value.
    for (const Index Global : F.Globals)
      if (!keepsItsValue(Model.Globals[Global].Decl))
        Diags.report(Collector.firstUse(Global), Diag::global_variable)
            << Model.Globals[Global].Decl->getName()
            << FunctionCollector::mayHaveChanged(Model.Globals[Global].Decl);
    if (!Uses.written().empty()) {
      const bool Changes = !Uses.Changed.empty() || Uses.ChangesResults;
      const Index M = Uses.Changed.empty() ? *Uses.written().begin() : *Uses.Changed.begin();
      if (Changes || !Collector.mayFallBack(S.Code.Function))
        Diags.report(S.Site.Argument->getExprLoc(), Diag::write_lazy) << nameOf(S.Op);
      else {
        Diags.report(S.Site.Argument->getExprLoc(), Diag::handed_out, /*FallsBack=*/true)
            << Model.Members[M].Name;
        Collector.fallBack(S.Code.Function);
      }
      Diags.report(Model.Members[M].Decl->getLocation(), Diag::declared_here)
          << Model.Members[M].Name;
    }
    return;
  }
  // A thread may run all ticks of its element if no other element writes what it reads, nor reads
  // what it writes. In two ticks, two elements may write to one object: their order counts.
  std::set<Index> FromOthers = Uses.WriteOther;
  FromOthers.insert(Uses.Atomic.begin(), Uses.Atomic.end());
  for (Index M : Uses.written())
    if (Uses.ReadOther.contains(M))
      S.Access.TickConflict = M;
  const bool HasTicks = RunsTicks.contains(static_cast<Index>(&S - Model.Sections.data()));
  if (HasTicks && !Uses.WriteOther.empty())
    S.Access.TickConflict = *Uses.WriteOther.begin();
  for (Index M : FromOthers)
    if (Uses.ReadSelf.contains(M) || Uses.WriteSelf.contains(M))
      S.Access.TickConflict = M;
  S.Access.Ticks = S.Access.TickConflict ? TickLoop::LaunchPerTick : TickLoop::InThread;
  S.Access.HasTicks = HasTicks;
  if (S.WithIndex && !HasTicks) // launches of single ticks have no index
    S.Access.Ticks = TickLoop::InThread;
  if (S.Access.TickConflict && S.WithIndex && S.isOverObjects() && HasTicks) {
    Diags.report(S.Site.Argument->getExprLoc(), Diag::index_and_ticks)
        << Model.Members[*S.Access.TickConflict].Name;
    return;
  }
  // A null element has nothing to keep in registers.
  if (S.Access.TickConflict || !S.isOverObjects() || S.Access.ChecksNull || Model.IsChecked)
    return;

  // What every run accesses is worth a register over the ticks. What is only read as well: loaded
  // before all else, it waits together with the rest.
  std::set<std::string> Names{"id"};
  std::set<Index> Members = Uses.WriteSelf;
  Members.insert(Uses.ReadSelf.begin(), Uses.ReadSelf.end());
  for (Index M : Members) {
    const Member& Of = Model.Members[M];
    if (!Of.FitsRegisters)
      continue;
    const bool Written = Uses.WriteSelf.contains(M);
    if (!Written && Uses.written().contains(M)) // in other elements
      continue;
    bool Always = false;
    for (Index C : Model.Classes[*S.element().Class].Concrete) {
      const AlwaysUse& Of = Collector.alwaysUsed(S.Code.Function, C);
      if (!Builder.hasMember(C, M) || !Of.Accessed.contains(M))
        continue;
      S.Access.Registers[C].insert(M);
      if (Of.Written.contains(M))
        S.Access.AlwaysWritten[C].insert(M);
      Always = true;
    }
    if (!Written && !Always)
      continue;
    if (Written)
      S.Access.OwnWritten.insert(M);
    S.Access.Own[M] = Names.insert(Of.Name).second ? Of.Name
                                                   : Model.Classes[Of.Class].Ident + "_" +
                                                         Of.Name; // hidden by a derived class's
  }
}

} // namespace

/// Whether the program has a name at file scope, by a using directive, too.
static bool isAtFileScope(Sema& Compiler, const char* Name) {
  LookupResult Found(Compiler, &Compiler.Context.Idents.get(Name), SourceLocation(),
                     Sema::LookupOrdinaryName);
  Found.suppressDiagnostics();
  Compiler.LookupQualifiedName(Found, Compiler.Context.getTranslationUnitDecl());
  return !Found.empty();
}

ProgramModel analyse(Sema& Compiler, ASTContext& Context, Diagnoser& Diags, const std::string& Unit,
                     const std::vector<DatalogFunctor>& Functors, bool IsChecked,
                     HostLoops& Loops) {
  SourceLocations Left;
  while (true) {
    ProgramModel Model;
    Model.Unit = Unit;
    Model.Functors = Functors;
    Model.IsChecked = IsChecked;
    if (!Analyser(Compiler, Context, Diags, Model).run(Left, Loops))
      continue;
    Model.Taken = findTakenNames(Context, Diags);
    Model.FriendOrders = findFriendOrders(Context);
    for (const char* Name : NamesOfUnit)
      if (isAtFileScope(Compiler, Name))
        Model.DeclaredToo.insert(Name);
    return Model;
  }
}

/// The first of some messages, without its flag.
static std::string firstOf(const TextDiagnosticBuffer& Said) {
  std::string Text;
  if (Said.err_begin() != Said.err_end())
    Text = Said.err_begin()->second;
  else if (Said.warn_begin() != Said.warn_end())
    Text = Said.warn_begin()->second;
  return Text.substr(0, Text.rfind(" [ikra-"));
}

void judgeFunctors(Sema& Compiler, ASTContext& Context, std::vector<DatalogFunctor>& Functors) {
  std::optional<Findings> Found;
  for (DatalogFunctor& Given : Functors) {
    if (!Given.WhyNot.empty())
      continue;
    const SourceManager& SM = Context.getSourceManager();
    const SourceRange Range = Given.Argument->getSourceRange();
    if (!SM.isInMainFile(SM.getExpansionLoc(Range.getBegin()))) {
      Given.WhyNot = "it is given in a header";
      continue;
    }
    if (!canBeRewritten(Range, Context)) {
      Given.WhyNot = "it is given by a part of a macro";
      continue;
    }
    if (Given.Inside && Given.Inside->isDependentContext()) {
      Given.WhyNot = "it is given in a template";
      continue;
    }
    if (!Found)
      Found = findSections(Context);
    TextDiagnosticBuffer Said;
    DiagnosticsEngine Engine(new DiagnosticIDs, new DiagnosticOptions, &Said,
                             /*ShouldOwnClient=*/false);
    Engine.setSourceManager(&Context.getSourceManager());
    Diagnoser Trial(Engine);
    ProgramModel Model;
    const bool IsPure =
        Analyser(Compiler, Context, Trial, Model).runFunction(*Found, *Given.Function);
    Given.WhyNot = firstOf(Said);
    if (!IsPure && Given.WhyNot.empty())
      Given.WhyNot = "it needs more than its arguments (variables of the program, objects, checks "
                     "that end the program)";
  }
}

} // namespace ikra
