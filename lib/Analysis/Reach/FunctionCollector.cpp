// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work list, dispatch and summaries. The walk over one body is in BodyWalker.cpp.

#include "FunctionCollector.h"

#include "BodyWalker.h"

#include "Analysis/Ast/TypeParts.h"
#include "Analysis/Ast/Types.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace ikra {

Index FunctionCollector::request(const FunctionDecl* Decl, std::uint64_t SelfMask,
                                 std::uint64_t CopyMask, SourceLocation At,
                                 std::optional<Index> Caller, std::optional<Index> CopyClass) {
  if (const FunctionDecl* Definition = Decl->getDefinition())
    Decl = Definition;
  auto [It, New] = Known.try_emplace({Decl->getCanonicalDecl(), SelfMask, CopyMask, CopyClass},
                                     Builder.Model.Functions.size());
  if (New)
    Builder.Model.Functions[add(Decl, SelfMask, {Caller, At}, CopyMask)].CopyClass = CopyClass;
  return It->second;
}

Index FunctionCollector::requestSection(const FunctionDecl* Decl, std::uint64_t SelfMask,
                                        SourceLocation At, bool MayFallBack,
                                        std::uint64_t CopyMask) {
  if (const FunctionDecl* Definition = Decl->getDefinition())
    Decl = Definition;
  const Index I = add(Decl, SelfMask, {std::nullopt, At}, CopyMask);
  if (MayFallBack)
    FallbackIfNeeded.insert(I);
  Builder.Model.Functions[I].IsSection = true;
  return I;
}

Index FunctionCollector::requestKnown(SourceLocation At) {
  Function F;
  F.Name = "(known)";
  F.IsSection = true;
  F.At = Builder.locOf(At);
  Builder.Model.Functions.push_back(std::move(F));
  Origins.push_back({std::nullopt, At});
  return Builder.Model.Functions.size() - 1;
}

Index FunctionCollector::add(const FunctionDecl* Decl, std::uint64_t SelfMask, Origin From,
                             std::uint64_t CopyMask) {
  Function F;
  {
    llvm::raw_string_ostream OS(F.Name);
    Decl->getNameForDiagnostic(OS, Builder.Context.getPrintingPolicy(), /*Qualified=*/true);
  }
  F.SelfMask = SelfMask;
  F.CopyMask = CopyMask;
  F.Decl = Decl;
  F.At = Builder.locOf(Decl->getLocation());
  F.CallsAt = Builder.Model.IsChecked;
  Builder.Model.Functions.push_back(std::move(F));
  Origins.push_back(From);
  return Builder.Model.Functions.size() - 1;
}

void FunctionCollector::collect() {
  while (NextToWalk < Builder.Model.Functions.size()) {
    const Index I = NextToWalk++;
    if (Builder.Model.Functions[I].Decl && !Left.contains(sectionOf(I)))
      BodyWalker(*this, I).walk();
  }
  completeReturned();
}

bool FunctionCollector::resolveDispatch() {
  const std::size_t Before = Builder.Model.Functions.size();
  for (std::size_t D = 0; D < Dispatches.size(); ++D) {
    const Dispatch Work = Dispatches[D];
    std::vector<CallTarget> Targets;
    const std::vector<Index> Concrete = Builder.Model.Classes[Work.StaticClass].Concrete;
    for (Index C : Concrete) {
      const auto* Override =
          Work.Method->getCorrespondingMethodInClass(Builder.Model.Classes[C].Decl);
      if (!Override || Override->isPureVirtual())
        continue;
      if (!Override->hasBody()) {
        Builder.Diags.report(Override->getLocation(), Diag::no_body)
            << Override->getQualifiedNameAsString();
        Builder.Diags.report(Work.Site->getExprLoc(), Diag::called_here);
        explainPath(Work.Caller);
        continue;
      }
      Targets.push_back({C, request(Override, Work.SelfMask, Work.CopyMask, Work.Site->getExprLoc(),
                                    Work.Caller)});
    }
    if (Targets.empty() && !Builder.Diags.hasErrors() && left().empty())
      reportUnseen(Work.StaticClass, Work.Site->getExprLoc(), Work.Caller);
    Builder.Model.Functions[Work.Caller].Calls[Work.Site].Targets = std::move(Targets);
  }
  return Builder.Model.Functions.size() != Before;
}

const std::string& FunctionCollector::dispatcher(Index StaticClass, const CXXMethodDecl* Method,
                                                 std::uint64_t CopyMask) {
  std::string& Name = Dispatchers[{StaticClass, Method->getCanonicalDecl(), CopyMask}];
  if (Name.empty())
    Name = Builder.uniqueIdent(Builder.Model.Classes[StaticClass].Ident + "_" +
                               identOf(Method->getNameAsString()) + "_by_class");
  return Name;
}

void FunctionCollector::explainPath(Index Function) {
  for (std::optional<Index> At = Function; At;) {
    const Origin& From = Origins[*At];
    Builder.Diags.report(From.At, From.Caller ? Diag::called_here : Diag::reached_from);
    At = From.Caller;
  }
}

Index FunctionCollector::sectionOf(Index Function) const {
  while (Origins[Function].Caller)
    Function = *Origins[Function].Caller;
  return Function;
}

/// Whether \p From calls \p To, perhaps through others.
static bool reaches(const std::vector<Function>& Functions, Index From, Index To) {
  std::set<Index> Seen;
  std::vector<Index> Work{From};
  while (!Work.empty()) {
    const Index At = Work.back();
    Work.pop_back();
    if (At == To)
      return true;
    if (Seen.insert(At).second)
      for (const auto& [Site, Call] : Functions[At].Calls)
        for (const CallTarget& Target : Call.Targets)
          Work.push_back(Target.Function);
  }
  return false;
}

/// Whether a function is given an object that a caller has found by following references: then its
/// recursion goes along objects, and ends where they do.
static bool walksObjects(const ModelBuilder& Builder, const FunctionDecl* Decl) {
  const auto IsObject = [&](const CXXRecordDecl* Of) {
    const std::optional<Index> Known = Of ? Builder.findClass(Of) : std::nullopt;
    return Known && !Builder.Model.Classes[*Known].IsValue;
  };
  if (!Decl)
    return false;
  const auto* Method = dyn_cast<CXXMethodDecl>(Decl);
  if (Method && Method->getParent()->isLambda())
    return false; // device code has it where it is called
  if (Method && !Method->isStatic() && IsObject(Method->getParent()))
    return true;
  return llvm::any_of(Decl->parameters(), [&](const ParmVarDecl* Parameter) {
    return IsObject(Parameter->getType()->getPointeeCXXRecordDecl()) ||
           IsObject(Parameter->getType().getNonReferenceType()->getAsCXXRecordDecl());
  });
}

/// Whether all functions of the cycle that a call closes may call each other.
static bool mayRecurse(const ModelBuilder& Builder, Index Caller, Index Callee) {
  const auto& Functions = Builder.Model.Functions;
  for (Index I = 0; I < Functions.size(); ++I)
    if (reaches(Functions, Callee, I) && reaches(Functions, I, Caller) &&
        (Functions[I].IsSection || !walksObjects(Builder, Functions[I].Decl)))
      return false;
  return true;
}

/// Adds what a function's callees are known to use.
static void addUsesOfCallees(std::vector<Function>& Functions, Index Of) {
  auto& Caller = Functions[Of];
  for (const auto& [Site, Call] : Caller.Calls)
    for (const CallTarget& Target : Call.Targets) {
      const auto& Callee = Functions[Target.Function];
      Caller.Total.add(Callee.Total);
      Caller.CallsAt |= Callee.CallsAt;
      Caller.Asserts |= Callee.Asserts;
      Caller.NamesNull |= Callee.NamesNull;
      Caller.ComparesObjects |= Callee.ComparesObjects;
      Caller.Globals.insert(Callee.Globals.begin(), Callee.Globals.end());
      Caller.Dispatches |= Callee.Dispatches || Call.Dispatched;
      if (Callee.SelfMask >> 1 != 0) // given as an argument; a receiver is not null
        Caller.TestsSelfForNull |= Callee.TestsSelfForNull;
      Caller.DereferencesSelf |= Callee.DereferencesSelf || Call.ReceiverIsSelf;
    }
}

/// What a function is known to use, to be compared.
static auto usesOf(const Function& F) {
  const MemberUse& T = F.Total;
  return std::tuple(T.ReadSelf.size(), T.ReadOther.size(), T.WriteSelf.size(), T.WriteOther.size(),
                    T.Atomic.size(), F.Globals.size(), F.CallsAt, F.Asserts, F.NamesNull,
                    F.Dispatches, F.TestsSelfForNull, F.DereferencesSelf, F.ComparesObjects);
}

bool FunctionCollector::addUses(Index Function, std::vector<char>& State) {
  enum : char { Unseen, Open, Done };
  auto& Functions = Builder.Model.Functions;
  State[Function] = Open;
  Functions[Function].Total = Functions[Function].Direct;
  for (const auto& [Site, Call] : Functions[Function].Calls)
    for (const CallTarget& Target : Call.Targets) {
      if (State[Target.Function] == Open && !mayRecurse(Builder, Function, Target.Function)) {
        reportRecursion(Function, Site, Target.Function);
        return false;
      }
      if (State[Target.Function] == Unseen && !addUses(Target.Function, State))
        return false;
    }
  auto& F = Functions[Function];
  F.DereferencesSelf |=
      !F.Direct.ReadSelf.empty() || !F.Direct.WriteSelf.empty() || !F.Direct.Atomic.empty();
  addUsesOfCallees(Functions, Function);
  State[Function] = Done;
  return true;
}

bool FunctionCollector::leaveAllThatReach(Index Function) {
  const auto& Functions = Builder.Model.Functions;
  std::vector<Index> Sections;
  for (Index I = 0; I < Functions.size(); ++I)
    if (Functions[I].IsSection && reaches(Functions, I, Function))
      Sections.push_back(I);
  const bool AllFallBack =
      llvm::all_of(Sections, [this](Index I) { return mayFallBack(I) || fallsBackForAll(I); });
  if (AllFallBack)
    for (const Index I : Sections)
      fallBack(I);
  return AllFallBack;
}

void FunctionCollector::reportRecursion(Index Caller, const Expr* Site, Index Callee) {
  Builder.Diags.report(Site->getExprLoc(), Diag::recursion, leaveAllThatReach(Callee))
      << Builder.Model.Functions[Callee].Name
      << (Callee == Caller ? "" : " through other functions");
  explainPath(Caller);
}

void FunctionCollector::reportUnseen(Index Class, SourceLocation At, Index Function) {
  Builder.Diags.report(At, Diag::no_concrete_class, leaveAllThatReach(Function))
      << Builder.Model.Classes[Class].Name;
  explainPath(Function);
}

bool FunctionCollector::summarise() {
  addWholes();
  auto& Functions = Builder.Model.Functions;
  std::vector<char> State(Functions.size(), 0);
  for (Index I = 0; I < State.size(); ++I)
    if (State[I] == 0 && !addUses(I, State))
      return false;
  // Functions that call each other have not seen all that these use.
  for (bool More = true; More;) {
    More = false;
    for (Index I = 0; I < Functions.size(); ++I) {
      const auto Before = usesOf(Functions[I]);
      addUsesOfCallees(Functions, I);
      More |= usesOf(Functions[I]) != Before;
    }
  }
  return true;
}

const AlwaysUse& FunctionCollector::alwaysUsed(Index Function, Index Concrete) {
  auto [It, New] = AlwaysUsed.try_emplace({Function, Concrete});
  if (New) // a map's elements stay where they are; within a recursion nothing is added
    It->second = findAlwaysUsed(Function, Concrete);
  return It->second;
}

AlwaysUse FunctionCollector::findAlwaysUsed(Index Function, Index Concrete) {
  const auto& F = Builder.Model.Functions[Function];
  AlwaysUse All = F.AlwaysSelf;
  for (const auto& [Site, Call] : F.Calls) {
    if (!Call.Unconditional)
      continue;
    for (const CallTarget& Target : Call.Targets) {
      if (Builder.Model.Functions[Target.Function].SelfMask == 0)
        continue;
      if (Call.Dispatched && !(Call.ReceiverIsSelf && Target.Class == Concrete))
        continue;
      const AlwaysUse& Inner = alwaysUsed(Target.Function, Concrete);
      All.Accessed.insert(Inner.Accessed.begin(), Inner.Accessed.end());
      All.Written.insert(Inner.Written.begin(), Inner.Written.end());
    }
  }
  return All;
}

std::string FunctionCollector::copyOf(const VarDecl* V) {
  const std::string Name = V->getNameAsString();
  return (V->getType()->isArrayType() ? "make it a std::array, and capture a copy, ["
                                      : "capture a copy, [") +
         Name + " = " + Name + "]";
}

std::string FunctionCollector::referenceTo(const VarDecl* V) {
  const std::string Name = V->getNameAsString();
  return "capture a reference, [&" + Name + " = " + Name + "], or a copy, [" + Name + " = " + Name +
         "]";
}

/// What helps where neither a reference nor a copy of a variable can be captured; empty where one
/// can.
static std::string otherThanCapture(QualType Ty, const std::string& Name, const ClassRoles& Roles) {
  if (isText(Ty))
    return "capture its characters as a std::vector<char>";
  if (const std::string Other = otherThan(Ty); !Other.empty())
    return "use " + Other;
  if (isStdClass(Ty, "weak_ptr"))
    return "capture what it leads to, [p = " + Name + ".lock().get()]";
  if (isOptionalObject(Ty, Roles))
    return "capture a pointer, [p = " + Name + " ? &*" + Name + " : nullptr]";
  const QualType Element = elementOfContainer(Ty);
  if (!Element.isNull() && (isStdClass(Element, "weak_ptr") || isOptionalObject(Element, Roles) ||
                            (isStdClass(Element, "optional") && leadsToObjects(Element))))
    return "capture a std::vector of pointers to the objects, which may be null";
  return !Element.isNull() && holdsObjects(Element)
             ? "make its elements structs of your own with these members"
             : "";
}

std::string FunctionCollector::whyNoGlobal(const VarDecl* V, bool IsLazy) const {
  const QualType Ty = V->getType().getNonReferenceType();
  const std::string Capture = IsLazy ? copyOf(V) : referenceTo(V);
  if (Ty.isVolatileQualified())
    return "is volatile; " + copyOf(V);
  if (V->isStaticLocal())
    return "is a static variable of a function, which emitted code cannot name; " +
           (leadsToObjects(Ty) || isObjectByValue(Ty, Builder.Model.Roles) ? Capture : copyOf(V));
  if (!Builder.isNamedEverywhere(V))
    return "has a name that emitted code cannot write: of a variable template, or of a class "
           "template with a local or private class; " +
           (leadsToObjects(Ty) ? Capture : copyOf(V));
  const QualType Base = elementOfArrays(Ty);
  if (const Type Of = Builder.classify(Base); Of.Kind == TypeKind::Value && Of.isAsInProgram())
    return "is larger than 1,024 bytes, or 2,048 with others; " + copyOf(V);
  if (Ty->isConstantArrayType() && Ty->getAsArrayTypeUnsafe()->getElementType()->isArrayType())
    return "is an array of objects in several dimensions; make it a std::array of std::arrays, and "
           "capture a reference, [&" +
           V->getNameAsString() + " = " + V->getNameAsString() + "]";
  const std::string Other = otherThanCapture(Ty, V->getNameAsString(), Builder.Model.Roles);
  return "is nothing that sections take from variables of the program; " +
         (Other.empty() ? Capture : Other);
}

std::string FunctionCollector::mayHaveChanged(const VarDecl* V) {
  return "may have changed when the section runs; " + copyOf(V) + ", or declare it const";
}

} // namespace ikra
