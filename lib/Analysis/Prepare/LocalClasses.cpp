// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each declaration at namespace scope: its local classes, what each names, and the text of
// those that name nothing but each other, constants, types, and what stands outside of the
// declaration.

#include "LocalClasses.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Types.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Tooling/Core/Replacement.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;

namespace ikra {

namespace {

/// A statement that declares what can be lifted, or copied for what is.
struct Piece {
  const DeclStmt* Statement;
  bool IsMoved; ///< a class or an enumeration; else it is copied
};

using Needs = llvm::SmallSetVector<const Decl*, 8>;

const Decl* localOf(const Decl* D) { return D->getCanonicalDecl(); }

/// What the definition of a local class or constant names of the function around it.
class NeedsFinder final : public AstVisitor {
public:
  /// \param Outermost the declaration at namespace scope around \p Of
  NeedsFinder(const Decl* Outermost, const Decl* Of) : Outermost(Outermost), Of(Of) {
    TraverseDecl(const_cast<Decl*>(Of));
  }

  Needs Found;
  bool IsBound = false; ///< names what cannot be lifted with it

  bool VisitDeclRefExpr(DeclRefExpr* E) override { return use(E->getDecl()); }
  bool VisitMemberExpr(MemberExpr* E) override { return use(E->getMemberDecl()); }
  bool VisitTypedefTypeLoc(TypedefTypeLoc T) override { return use(T.getTypedefNameDecl()); }
  bool VisitTagTypeLoc(TagTypeLoc T) override { return use(T.getDecl()); }
  bool VisitUsingTypeLoc(UsingTypeLoc T) override { return use(T.getFoundDecl()); }
  bool VisitCXXThisExpr(CXXThisExpr* E) override {
    const CXXRecordDecl* Class = E->getType()->getPointeeCXXRecordDecl();
    return Class == nullptr || use(Class);
  }

private:
  static bool isInside(const Decl* D, const Decl* Around) {
    for (; D != nullptr; D = dyn_cast_or_null<Decl>(D->getDeclContext()))
      if (D == Around)
        return true;
    return false;
  }

  bool use(const Decl* D) {
    if (isInside(D, Of) || !isInside(D, Outermost))
      return true;
    const auto* Enumerator = dyn_cast<EnumConstantDecl>(D);
    if (Enumerator != nullptr)
      D = cast<Decl>(Enumerator->getDeclContext());
    // A part of another local class comes with that class.
    while (const auto* Class = dyn_cast<CXXRecordDecl>(D->getDeclContext()))
      D = Class;
    if (D->getParentFunctionOrMethod() == nullptr)
      IsBound = true; // a member of the class around the function
    else
      Found.insert(localOf(D));
    return true;
  }

  const Decl* Outermost;
  const Decl* Of;
};

/// The local classes of one declaration at namespace scope.
class Lifter final : public AstVisitor {
public:
  Lifter(ASTContext& Context, const Decl* Outermost, const std::string& Unit)
      : Context(Context), SM(Context.getSourceManager()), Outermost(Outermost), Unit(Unit) {
    TraverseDecl(const_cast<Decl*>(Outermost));
  }

  bool VisitCallExpr(CallExpr* E) override {
    const FunctionDecl* Callee = E->getDirectCallee();
    CallsOperations |= Callee != nullptr && isInIkra(Callee);
    return true;
  }

  bool VisitCompoundStmt(CompoundStmt* S) override {
    for (const Stmt* Child : S->body())
      if (const auto* Declares = dyn_cast<DeclStmt>(Child))
        add(Declares);
    return true;
  }

  void lift(tooling::Replacements& Edits);

private:
  void add(const DeclStmt* S);
  bool isInFile(SourceRange Range) const {
    return Range.getBegin().isFileID() && Range.getEnd().isFileID() &&
           SM.isWrittenInMainFile(Range.getBegin()) && SM.isWrittenInMainFile(Range.getEnd());
  }
  llvm::StringRef textOf(SourceRange Range) const {
    return Lexer::getSourceText(CharSourceRange::getTokenRange(Range), SM, Context.getLangOpts());
  }
  std::string lineOf(SourceLocation At) const {
    return "#line " + std::to_string(SM.getPresumedLineNumber(At)) + "\n";
  }

  ASTContext& Context;
  const SourceManager& SM;
  const Decl* Outermost;
  const std::string& Unit;
  bool CallsOperations = false;
  /// In the order of the source, by what they declare.
  llvm::MapVector<const Decl*, Piece> Pieces;
  /// Using-declarations and -directives: names in classes may be found by them.
  llvm::SmallVector<const DeclStmt*> Usings;
};

/// True for what stands in a method of a local class, which is lifted as a whole.
bool isInLocalClass(const Decl* D) {
  for (const DeclContext* C = D->getDeclContext(); !C->isFileContext(); C = C->getParent())
    if (const auto* Class = dyn_cast<CXXRecordDecl>(C))
      if (!Class->isLambda() && Class->getParentFunctionOrMethod() != nullptr)
        return true;
  return false;
}

void Lifter::add(const DeclStmt* S) {
  const Decl* First = *S->decl_begin();
  if (cast<Decl>(First->getDeclContext())->isTemplated() || !isInFile(S->getSourceRange()) ||
      isInLocalClass(First))
    return;
  if (const auto* Tag = dyn_cast<TagDecl>(First)) {
    // With variables after it, the statement begins with the class all the same. Of an unnamed
    // enumeration only the values matter.
    const bool HasName = Tag->getIdentifier() != nullptr;
    if (Tag->isThisDeclarationADefinition() && isInFile(Tag->getSourceRange()) &&
        Tag->getBeginLoc() == S->getBeginLoc() && (HasName || isa<EnumDecl>(Tag)))
      Pieces[localOf(Tag)] = {S, /*IsMoved=*/HasName};
    return;
  }
  if (!S->isSingleDecl())
    return;
  if (isa<UsingDecl, UsingDirectiveDecl, UsingEnumDecl, NamespaceAliasDecl>(First))
    Usings.push_back(S);
  const auto* Variable = dyn_cast<VarDecl>(First);
  const bool IsConstant = Variable != nullptr && Variable->getType().isConstQualified() &&
                          Variable->hasInit() && Variable->evaluateValue() != nullptr;
  if (IsConstant || isa<TypedefNameDecl>(First))
    Pieces[localOf(First)] = {S, /*IsMoved=*/false};
}

void Lifter::lift(tooling::Replacements& Edits) {
  // A macro may write a function's head, as those of test frameworks do.
  const SourceLocation Front = SM.getExpansionLoc(Outermost->getBeginLoc());
  if (!CallsOperations || !SM.isWrittenInMainFile(Front))
    return;
  // All that a class needs has to be there, transitively.
  llvm::DenseMap<const Decl*, Needs> NeededBy;
  llvm::DenseSet<const Decl*> Bound;
  for (const auto& [D, P] : Pieces) {
    const Decl* Named = *P.Statement->decl_begin();
    NeedsFinder Finder(Outermost, Named);
    NeededBy[D] = Finder.Found;
    if (Finder.IsBound)
      Bound.insert(D);
  }
  for (bool Grown = true; Grown;) {
    Grown = false;
    for (const auto& [D, P] : Pieces)
      if (!Bound.contains(D) && llvm::any_of(NeededBy[D], [&](const Decl* Needed) {
            return Bound.contains(Needed) || !Pieces.contains(Needed);
          })) {
        Bound.insert(D);
        Grown = true;
      }
  }
  Needs Lifted;
  for (const auto& [D, P] : Pieces)
    if (P.IsMoved && !Bound.contains(D))
      Lifted.insert(D);
  for (unsigned K = 0; K < Lifted.size(); ++K)
    for (const Decl* Needed : NeededBy[Lifted[K]])
      Lifted.insert(Needed);
  if (Lifted.empty())
    return;

  const auto* Named = dyn_cast<NamedDecl>(Outermost);
  const std::string Of =
      Named != nullptr && Named->getIdentifier() != nullptr ? Named->getName().str() : "code";
  const std::string Space = Unit + "_" + Of + "_" + std::to_string(SM.getPresumedLineNumber(Front));
  std::string Text = "\nnamespace " + Space + " {\n";
  // In the source's order, those by which names are found among them.
  std::vector<std::pair<SourceLocation, std::string>> Parts;
  for (const DeclStmt* S : Usings)
    Parts.emplace_back(S->getBeginLoc(), textOf(S->getSourceRange()).str() + "\n");
  for (const Decl* D : Lifted) {
    const Piece& P = Pieces.find(D)->second;
    if (!P.IsMoved) {
      Parts.emplace_back(P.Statement->getBeginLoc(),
                         textOf(P.Statement->getSourceRange()).str() + "\n");
      continue;
    }
    const auto* Tag = cast<TagDecl>(*P.Statement->decl_begin());
    const SourceRange Range = Tag->getSourceRange();
    const llvm::StringRef Definition = textOf(Range);
    std::string Open = Definition.drop_back().str();
    if (const auto* Class = dyn_cast<CXXRecordDecl>(Tag); Class && !Class->isUnion())
      Open += " IKRA_OBJECT "; // a local class cannot have it, and needs none
    Parts.emplace_back(P.Statement->getBeginLoc(), Open + "};\n");
    const std::string Name = Tag->getName().str();
    std::string Use = "using " + Space + "::" + Name;
    if (const auto* Enum = dyn_cast<EnumDecl>(Tag); Enum && !Enum->isScoped())
      Use += "; using enum " + Space + "::" + Name;
    if (!P.Statement->isSingleDecl())
      Use += "; " + Name;
    Use.append(Definition.count('\n'), '\n');
    const tooling::Replacement Edit(SM, CharSourceRange::getTokenRange(Range), Use,
                                    Context.getLangOpts());
    if (llvm::Error Overlaps = Edits.add(Edit)) // a class in a class that is lifted as a whole
      llvm::consumeError(std::move(Overlaps));
  }
  llvm::sort(Parts);
  for (const auto& [At, Part] : Parts) // at its column, which messages name
    Text += lineOf(At) + std::string(SM.getSpellingColumnNumber(At) - 1, ' ') + Part;
  Text += "}\n" + lineOf(Front);
  if (llvm::Error Overlaps = Edits.add(tooling::Replacement(SM, Front, 0, Text)))
    llvm::consumeError(std::move(Overlaps));
}

/// All declarations at namespace scope.
void liftAll(ASTContext& Context, const DeclContext* Scope, const std::string& Unit,
             tooling::Replacements& Edits) {
  const SourceManager& SM = Context.getSourceManager();
  for (const Decl* D : Scope->decls()) {
    if (!SM.isWrittenInMainFile(SM.getExpansionLoc(D->getBeginLoc())))
      continue;
    if (isa<NamespaceDecl>(D))
      liftAll(Context, cast<DeclContext>(D), Unit, Edits);
    else if (!isa<LinkageSpecDecl>(D))
      Lifter(Context, D, Unit).lift(Edits);
  }
}

} // namespace

void liftLocalClasses(ASTContext& Context, const std::string& Unit, tooling::Replacements& Edits) {
  liftAll(Context, Context.getTranslationUnitDecl(), Unit, Edits);
}

} // namespace ikra
