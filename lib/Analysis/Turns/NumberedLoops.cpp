// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A counter in braces around the loop, and a step of it at the begin of the body, must mean nothing
// else: no label may stand in the loop, since a jump to it would pass the counter by.

#include "NumberedLoops.h"

#include "Analysis/Ast/Locations.h"
#include "HostSectionVisitor.h"
#include "ScalarCode.h"

#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace clang;

namespace ikra {

namespace {

const Stmt* bodyOf(const Stmt* S) {
  if (const auto* For = dyn_cast<ForStmt>(S))
    return For->getBody();
  if (const auto* While = dyn_cast<WhileStmt>(S))
    return While->getBody();
  if (const auto* Do = dyn_cast<DoStmt>(S))
    return Do->getBody();
  if (const auto* Range = dyn_cast<CXXForRangeStmt>(S))
    return Range->getBody();
  return nullptr;
}

/// Whether a jump may lead into it.
bool holdsLabels(const Stmt* S, bool InSwitch = false) {
  if (!S || isa<LambdaExpr>(S))
    return false;
  if (isa<LabelStmt>(S) || (isa<SwitchCase>(S) && !InSwitch))
    return true;
  return llvm::any_of(S->children(), [&](const Stmt* Part) {
    return holdsLabels(Part, InSwitch || isa<SwitchStmt>(S));
  });
}

/// The part of a statement that its text ends with.
const Stmt* lastOf(const Stmt* S) {
  if (const auto* If = dyn_cast<IfStmt>(S))
    return If->getElse() ? If->getElse() : If->getThen();
  if (const auto* Switch = dyn_cast<SwitchStmt>(S))
    return Switch->getBody();
  if (const auto* Attributed = dyn_cast<AttributedStmt>(S))
    return Attributed->getSubStmt();
  return isa<DoStmt>(S) ? nullptr : bodyOf(S);
}

class NumberedLoopFinder final : public HostSectionVisitor {
public:
  NumberedLoopFinder(ASTContext& Context,
                     const llvm::DenseMap<const Expr*, std::vector<Index>>& SectionsInCall,
                     HostLoops& Loops)
      : HostSectionVisitor(Instantiations | LambdaInstances), Context(Context),
        SectionsInCall(SectionsInCall), Loops(Loops) {}

private:
  void visitHostSection(const LambdaExpr& Code) override { look(Code.getBody()); }

  void look(const Stmt* S) {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (const Stmt* Body = bodyOf(S); Body && makesSections(S))
      add(S, Body);
    for (const Stmt* Part : S->children())
      if (!isa<AttributedStmt>(S)) // what a pragma or an attribute says is about a loop
        look(Part);
      else if (Part)
        llvm::for_each(Part->children(), [this](const Stmt* Inner) { look(Inner); });
  }

  void add(const Stmt* S, const Stmt* Body) {
    const SourceLocation Begin = S->getBeginLoc(), BodyBegin = Body->getBeginLoc();
    const SourceLocation BodyEnd = endOf(Body);
    const SourceLocation End = isa<DoStmt>(S) ? semicolonAfter(S->getEndLoc()) : BodyEnd;
    if (Begin.isMacroID() || BodyBegin.isMacroID() || BodyEnd.isInvalid() || End.isInvalid() ||
        holdsLabels(S) || isAfterPragma(Begin) || !Seen.insert(Begin).second)
      return;
    Loops.Numbered.push_back({locOf(Begin, Context.getSourceManager()), S, Body, End, BodyEnd});
  }

  /// The last token; invalid where that stands in no file.
  SourceLocation endOf(const Stmt* S) const {
    while (const Stmt* Last = lastOf(S))
      S = Last;
    if (isa<CompoundStmt, CXXTryStmt, DeclStmt, NullStmt>(S))
      return S->getEndLoc().isMacroID() ? SourceLocation() : S->getEndLoc();
    return semicolonAfter(S->getEndLoc());
  }
  SourceLocation semicolonAfter(SourceLocation End) const {
    if (End.isMacroID())
      return {};
    const std::optional<Token> Next =
        Lexer::findNextToken(End, Context.getSourceManager(), Context.getLangOpts());
    return Next && Next->is(tok::semi) ? Next->getLocation() : SourceLocation();
  }

  /// Whether the line before it is one, which compilers other than this one may know.
  bool isAfterPragma(SourceLocation At) const {
    const SourceManager& SM = Context.getSourceManager();
    const auto [File, Offset] = SM.getDecomposedLoc(At);
    const llvm::StringRef Before = SM.getBufferData(File).take_front(Offset).rtrim();
    return Before.substr(Before.rfind('\n') + 1).ltrim().starts_with("#pragma");
  }

  /// Whether it, or a function that it calls, has an operation on arrays or objects in it.
  bool makesSections(const Stmt* S) {
    if (!S)
      return false;
    const auto* E = dyn_cast<Expr>(S);
    if (E && SectionsInCall.contains(E))
      return true;
    const auto* Call = dyn_cast_or_null<CallExpr>(E);
    const FunctionDecl* Callee = Call ? Call->getDirectCallee() : nullptr;
    const FunctionDecl* Definition = nullptr;
    if (Callee && Callee->hasBody(Definition) &&
        !Context.getSourceManager().isInSystemHeader(Definition->getLocation()) &&
        Entered.insert(Definition).second && makesSections(Definition->getBody()))
      Makers.insert(Definition);
    return (Definition && Makers.contains(Definition)) || (!isa<LambdaExpr>(S) && anyPart(S));
  }
  bool anyPart(const Stmt* S) {
    return llvm::any_of(S->children(), [this](const Stmt* Part) { return makesSections(Part); });
  }

  ASTContext& Context;
  const llvm::DenseMap<const Expr*, std::vector<Index>>& SectionsInCall;
  HostLoops& Loops;
  std::set<const FunctionDecl*> Entered, Makers; ///< functions that were looked into; of these
  std::set<SourceLocation> Seen;
};

} // namespace

void findNumberedLoops(ASTContext& Context,
                       const llvm::DenseMap<const Expr*, std::vector<Index>>& SectionsInCall,
                       HostLoops& Loops) {
  NumberedLoopFinder(Context, SectionsInCall, Loops).TraverseDecl(Context.getTranslationUnitDecl());
}

} // namespace ikra
