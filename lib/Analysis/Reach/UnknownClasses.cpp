// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnknownClasses.h"

#include "Analysis/Ast/Types.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace ikra {

// The mangled name is what the one-definition rule goes by; the same tokens stand at the same place
// of the same header.
std::string sharedNameOf(const FunctionDecl* Inside, const SourceLoc& At) {
  if (!Inside || !Inside->isExternallyVisible() ||
      !(Inside->isInlined() || Inside->isTemplateInstantiation()))
    return "";
  ASTNameGenerator Names(Inside->getASTContext());
  return Names.getName(Inside) + "@" + std::to_string(At.Line) + ":" + std::to_string(At.Column);
}

std::string keyNameOf(const FunctionDecl* Inside, SourceLocation At, const SourceLoc& Written) {
  // What a macro holds twice has one place.
  if (!Inside || At.isMacroID() || Inside->getASTContext().getSourceManager().isInMainFile(At))
    return "";
  std::string Name = sharedNameOf(Inside, Written);
  const FunctionDecl* Pattern = Inside->getTemplateInstantiationPattern();
  if (Name.empty() || !Pattern)
    return Name;
  return Pattern->getQualifiedNameAsString() + "@" + llvm::sys::path::filename(Written.File).str() +
         Name.substr(Name.rfind('@'));
}

/// Whether a method of the standard library leaves its object as it is and gives the same again. A
/// std::function may call what does not; copies of an owner are counted.
static bool givesTheSame(const CXXMethodDecl& Method) {
  if (!Method.getParent()->isInStdNamespace() || Method.getOverloadedOperator() == OO_Call)
    return false;
  const IdentifierInfo* Name = Method.getIdentifier();
  const bool CountsOwners = Name && (Name->isStr("use_count") || Name->isStr("unique"));
  // Of an object that is not constant, too.
  const bool Finds =
      Name && llvm::is_contained({"at", "back", "begin", "data", "end", "front"}, Name->getName());
  return (Method.isConst() && !CountsOwners) || Finds ||
         Method.getOverloadedOperator() == OO_Subscript;
}

bool mayBeEvaluatedTwice(const Expr* Init, const ASTContext& Context) {
  if (const auto* Call = dyn_cast<CallExpr>(Init)) {
    // What std::move does is up to the constructor that is given its result.
    const auto* Method = dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee());
    if (!(Method && givesTheSame(*Method)) && !Call->isCallToStdMove())
      return false;
  } else if (const auto* Made = dyn_cast<CXXConstructExpr>(Init)) {
    const CXXConstructorDecl* Constructor = Made->getConstructor();
    if (Constructor->isMoveConstructor() && !Constructor->isTrivial())
      return false;
  } else if (isa<CXXNewExpr>(Init) || Init->HasSideEffects(Context, /*IncludePossible=*/false)) {
    return false;
  }
  return llvm::all_of(Init->children(), [&](const Stmt* Part) {
    const auto* E = dyn_cast_or_null<Expr>(Part);
    return !E || mayBeEvaluatedTwice(E, Context);
  });
}

/// Whether another translation unit may define classes that are derived from \p C, whose objects
/// are told apart.
static bool isOpen(const Class& C) {
  return C.Polymorphic && C.Referenced && !C.Decl->isEffectivelyFinal() &&
         C.Decl->isExternallyVisible();
}

/// The classes of \p Model that objects of these may lead to.
static std::set<Index> reachedFrom(std::vector<Index> Work, const ProgramModel& Model) {
  std::set<Index> Reached;
  while (!Work.empty()) {
    const Index C = Work.back();
    Work.pop_back();
    if (!Reached.insert(C).second)
      continue;
    llvm::append_range(Work, Model.Classes[C].Bases);
    llvm::append_range(Work, Model.Classes[C].Concrete);
    for (const Member& M : Model.Members)
      if (M.Class == C)
        llvm::append_range(Work, M.Ty.Held);
    for (const Member& M : Model.Members)
      if (M.Class == C && M.Ty.Class && !Model.Classes[*M.Ty.Class].IsValue)
        Work.push_back(*M.Ty.Class);
  }
  return Reached;
}

/// True if \p F, or what it calls, chooses a function by the class of an object that is not the
/// section's element.
static bool dispatchesOthers(const ProgramModel& Model, Index F, std::set<Index>& Seen) {
  if (!Seen.insert(F).second)
    return false;
  return !Model.Functions[F].TestedClasses.empty() ||
         llvm::any_of(Model.Functions[F].Calls, [&](const auto& Site) {
           const Call& C = Site.second;
           return (C.Dispatched && !C.ReceiverIsSelf) ||
                  llvm::any_of(C.Targets, [&](const CallTarget& Target) {
                    return dispatchesOthers(Model, Target.Function, Seen);
                  });
         });
}

/// Whether the section's code may run on objects. Of null pointers and of at() the plain library
/// tells, of what checked builds look at only emitted code. A comparison does not know of which
/// element at() failed.
static bool mayRunOnObjects(const ProgramModel& Model, const Section& S) {
  const bool Combines = S.Op == Operation::PCombine ||
                        (S.Op == Operation::PReduce && S.Result.Kind == TypeKind::Object) ||
                        (S.Op == Operation::PSort && !S.Access.CallsAt);
  const auto IsObject = [](const Type& T) { return T.Kind == TypeKind::Object; };
  const auto HoldsObjects = [](const Type& T) { return !T.Held.empty(); };
  return (S.isOverObjects() || (Combines && llvm::any_of(S.Elements, IsObject) &&
                                llvm::none_of(S.Elements, HoldsObjects))) &&
         !S.IsZip && !S.Code.Known && !Model.IsChecked;
}

void findUnknownClasses(ProgramModel& Model) {
  for (Section& S : Model.Sections) {
    if ((S.Site.Written != Rewriting::Argument && !S.IsZip) || S.Code.Known)
      continue;
    std::vector<Index> Given = S.classesOfElements();
    for (const Capture& C : S.Code.Captures)
      if (!C.Ty.Held.empty())
        Given.insert(Given.end(), C.Ty.Held.begin(), C.Ty.Held.end());
      else if (C.Kind == CaptureKind::Object || C.Kind == CaptureKind::ObjectView)
        Given.push_back(*C.Ty.Class);
    for (const Index Global : Model.Functions[S.Code.Function].Globals)
      if (const Type& Ty = Model.Globals[Global].Ty;
          Model.Globals[Global].Is != GlobalVariable::Value) {
        if (Ty.Class)
          Given.push_back(*Ty.Class);
        Given.insert(Given.end(), Ty.Held.begin(), Ty.Held.end());
      }
    S.Access.MeetsUnknownClasses = llvm::any_of(reachedFrom(std::move(Given), Model),
                                                [&](Index C) { return isOpen(Model.Classes[C]); });
    if (!mayRunOnObjects(Model, S))
      continue;
    // Whether all code that it runs was seen, where its elements are of known classes.
    std::set<Index> Seen;
    S.Access.MayRunAlone =
        S.Access.MeetsUnknownClasses && dispatchesOthers(Model, S.Code.Function, Seen);
    S.Access.MayRunInPlace = !S.Access.MayRunAlone;
  }
}

} // namespace ikra
