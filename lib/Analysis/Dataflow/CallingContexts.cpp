// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallingContexts.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Types.h"

using namespace clang;

namespace ikra {

/// Calls within calls that are followed.
static constexpr unsigned MostCalls = 8;
/// Beyond these the program is too large to go through call by call.
static constexpr std::size_t MostContexts = 4096;

namespace {

/// The functions with bodies outside of libraries, instantiations included.
class FunctionFinder final : public AstVisitor {
public:
  FunctionFinder() : AstVisitor(Instantiations | LambdaInstances | NoLibraries) {}

  bool VisitFunctionDecl(FunctionDecl* F) override {
    if (F->isThisDeclarationADefinition() && F->hasBody() && !F->isDependentContext())
      Found.push_back(F);
    return true;
  }

  std::vector<const FunctionDecl*> Found;
};

class ReturnFinder final : public AstVisitor {
public:
  bool VisitReturnStmt(ReturnStmt* Return) override {
    if (Return->getRetValue())
      Values.push_back(Return->getRetValue());
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr*) override { return true; }
  bool TraverseCXXRecordDecl(CXXRecordDecl*) override { return true; } // of a local class

  std::vector<const Expr*> Values;
};

} // namespace

static void visitCalls(const Stmt* S, llvm::function_ref<void(const Expr*)> Do) {
  if (!S || isa<LambdaExpr>(S))
    return;
  if (isa<CallExpr, CXXConstructExpr>(S))
    Do(cast<Expr>(S));
  for (const Stmt* Child : S->children())
    visitCalls(Child, Do);
}

void forEachCall(const FunctionDecl* Function, llvm::function_ref<void(const Expr*)> Do) {
  if (const auto* Constructor = dyn_cast<CXXConstructorDecl>(Function))
    for (const CXXCtorInitializer* Init : Constructor->inits())
      visitCalls(Init->getInit(), Do);
  visitCalls(Function->getBody(), Do);
}

std::vector<const Expr*> returnsOf(const FunctionDecl& Function) {
  ReturnFinder Returns;
  Returns.TraverseStmt(Function.getBody());
  return std::move(Returns.Values);
}

CallingContexts::CallingContexts(ASTContext& Context,
                                 llvm::function_ref<bool(const CallExpr*)> IsOperation) {
  FunctionFinder Finder;
  Finder.TraverseDecl(Context.getTranslationUnitDecl());
  findHolders(Finder.Found, IsOperation);
  for (const FunctionDecl* F : Finder.Found)
    if (Holders.contains(F))
      Functions.push_back(F);
}

/// Finds the functions whose calls may carry out operations: those that hold some, and those that
/// call such a function, also around in circles.
void CallingContexts::findHolders(std::vector<const FunctionDecl*> Seen,
                                  llvm::function_ref<bool(const CallExpr*)> IsOperation) {
  std::map<const FunctionDecl*, std::vector<const FunctionDecl*>> CallersOf;
  std::set<const FunctionDecl*> Known(Seen.begin(), Seen.end());
  std::vector<const FunctionDecl*> Work;
  for (std::size_t K = 0; K < Seen.size(); ++K) {
    const FunctionDecl* F = Seen[K];
    forEachCall(F, [&](const Expr* E) {
      if (const auto* Call = dyn_cast<CallExpr>(E); Call && IsOperation(Call))
        Work.push_back(F);
      const FunctionDecl* Callee = calleeOf(E);
      if (!Callee)
        return;
      CallersOf[Callee].push_back(F);
      if (Known.insert(Callee).second)
        Seen.push_back(Callee);
    });
  }
  while (!Work.empty()) {
    const FunctionDecl* F = Work.back();
    Work.pop_back();
    if (Holders.insert(F).second)
      Work.insert(Work.end(), CallersOf[F].begin(), CallersOf[F].end());
  }
}

static bool isVirtual(const FunctionDecl* Callee) {
  const auto* Method = dyn_cast<CXXMethodDecl>(Callee);
  return Method && Method->isVirtual();
}

/// As far as it is known.
static const FunctionDecl* anyCallee(const Expr* E) {
  if (const auto* Call = dyn_cast<CallExpr>(E))
    return Call->getDirectCallee();
  if (const auto* Make = dyn_cast<CXXConstructExpr>(E))
    return Make->getConstructor();
  return nullptr;
}

const FunctionDecl* CallingContexts::calleeOf(const Expr* E) {
  const FunctionDecl* Callee = anyCallee(E);
  if (!Callee || isInIkra(Callee) || isInStd(Callee) || isVirtual(Callee))
    return nullptr;
  const FunctionDecl* Definition = Callee->getDefinition();
  return Definition && Definition->hasBody() ? Definition : nullptr;
}

const CallingContext* CallingContexts::outermost(const FunctionDecl* F) {
  Contexts.push_back({.Function = F});
  return &Contexts.back();
}

static bool isOpen(const FunctionDecl* F, const CallingContext* At) {
  while (At && At->Function != F)
    At = At->Caller;
  return At;
}

const char* CallingContexts::whyNotEntered(const Expr* E, const CallingContext* From) {
  const FunctionDecl* Callee = anyCallee(E);
  if (!Callee)
    return "which function gives it is known at run time only";
  if (isVirtual(Callee))
    return "a virtual method gives it";
  if (isInIkra(Callee))
    return "its input is no section's result";
  const FunctionDecl* Definition = calleeOf(E);
  if (!Definition)
    return "a function that is not in this file gives it";
  if (isOpen(Definition, From))
    return "a recursive function gives it";
  return "too many calls lead to it";
}

const CallingContext* CallingContexts::enter(const Expr* E, const CallingContext* From) {
  const FunctionDecl* Callee = calleeOf(E);
  if (!Callee || From->Depth == MostCalls || Contexts.size() == MostContexts ||
      isOpen(Callee, From))
    return nullptr;
  const auto [Known, IsNew] = Calls.emplace(std::pair(E, From), nullptr);
  if (!IsNew)
    return Known->second;
  CallingContext Made{.Function = Callee, .Caller = From, .Depth = From->Depth + 1};
  llvm::ArrayRef<const Expr*> Arguments;
  if (const auto* Make = dyn_cast<CXXConstructExpr>(E)) {
    Arguments = {Make->getArgs(), Make->getNumArgs()};
  } else {
    const auto* Call = cast<CallExpr>(E);
    Arguments = {Call->getArgs(), Call->getNumArgs()};
    if (const auto* Method = dyn_cast<CXXMemberCallExpr>(Call)) {
      Made.Object = Method->getImplicitObjectArgument();
    } else if (isa<CXXOperatorCallExpr>(Call) && isa<CXXMethodDecl>(Callee) && !Arguments.empty()) {
      Made.Object = Arguments.front();
      Arguments = Arguments.drop_front();
    }
  }
  for (std::size_t K = 0; K < Arguments.size() && K < Callee->getNumParams(); ++K)
    Made.Arguments[Callee->getParamDecl(static_cast<unsigned>(K))] = Arguments[K];
  Contexts.push_back(std::move(Made));
  return Known->second = &Contexts.back();
}

} // namespace ikra
