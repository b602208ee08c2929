// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CapturedStructs.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/Types.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

using namespace clang;

namespace ikra {

namespace {

bool isArray(QualType Ty) { return isNamedInIkra(Ty->getAsCXXRecordDecl(), {"array"}); }

/// What a section holds of a struct by itself.
bool isCapturedMember(QualType Ty) {
  return Ty->isArithmeticType() || Ty->isEnumeralType() || isVector(Ty) || isArray(Ty) ||
         isStdClass(Ty, "array");
}

/// What a copy of a class does, beside copying its members, is not done where these are captured.
bool copiesItself(const CXXRecordDecl* Class) {
  return llvm::any_of(Class->ctors(), [](const CXXConstructorDecl* Of) {
    return Of->isCopyOrMoveConstructor() && (Of->isUserProvided() || Of->isDeleted());
  });
}

/// A struct that sections cannot hold as a value, since it holds containers.
bool isStructOfContainers(QualType Ty) {
  const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() && !Class->isLambda() && isUserClass(Class) &&
         !Class->isUnion() && !Class->isPolymorphic() && Class->getNumBases() == 0 &&
         !copiesItself(Class) && llvm::any_of(Class->fields(), [](const FieldDecl* Member) {
           return isVector(Member->getType()) || isArray(Member->getType());
         });
}

/// What a lambda does with the variables of structs that it captures.
class MemberUseFinder final : public AstVisitor {
public:
  explicit MemberUseFinder(const LambdaExpr* Of) { TraverseStmt(Of->getBody()); }

  /// The members that it names, in the order of the text.
  llvm::MapVector<const ValueDecl*, llvm::SmallVector<const MemberExpr*>> Members;
  /// How often it names each variable.
  llvm::DenseMap<const ValueDecl*, std::size_t> Names;

  bool VisitDeclRefExpr(DeclRefExpr* E) override {
    ++Names[E->getDecl()];
    return true;
  }
  bool VisitMemberExpr(MemberExpr* E) override {
    const auto* Of = dyn_cast<DeclRefExpr>(E->getBase()->IgnoreParenImpCasts());
    const auto* Member = dyn_cast<FieldDecl>(E->getMemberDecl());
    if (Of && Member && !E->isArrow() && Member->getAccess() == AS_public &&
        !Member->isBitField() && !Member->isMutable() && !Member->isAnonymousStructOrUnion() &&
        isCapturedMember(Member->getType()))
      Members[Of->getDecl()].push_back(E);
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr* E) override {
    for (const LambdaCapture& C : E->captures())
      if (C.isExplicit() && C.capturesVariable()) // by its name
        ++Names[C.getCapturedVar()];
    return true;
  }
};

class StructSplitter final : public AstVisitor {
public:
  StructSplitter(ASTContext& Context, tooling::Replacements& Edits)
      : Context(Context), SM(Context.getSourceManager()),
        Text(SM.getBufferData(SM.getMainFileID())), Edits(Edits) {}

  bool VisitCallExpr(CallExpr* E) override {
    const FunctionDecl* Callee = E->getDirectCallee();
    if (!Callee || !isInIkra(Callee))
      return true;
    for (const Expr* Given : E->arguments())
      if (const auto* Lambda = dyn_cast<LambdaExpr>(Given->IgnoreUnlessSpelledInSource());
          Lambda && isInFile(Lambda->getSourceRange()) && !Lambda->isMutable() &&
          !Lambda->getLambdaClass()->isDependentContext())
        split(Lambda);
    return true;
  }

private:
  bool isInFile(SourceRange Range) const {
    return Range.isValid() && Range.getBegin().isFileID() && Range.getEnd().isFileID() &&
           SM.isWrittenInMainFile(Range.getBegin()) && SM.isWrittenInMainFile(Range.getEnd());
  }

  void split(const LambdaExpr* Lambda) {
    const MemberUseFinder Uses(Lambda);
    for (const LambdaCapture& C : Lambda->captures()) {
      const auto* V = C.capturesVariable() ? dyn_cast<VarDecl>(C.getCapturedVar()) : nullptr;
      if (!V || V->isInitCapture() || C.isPackExpansion() || C.getCaptureKind() != LCK_ByCopy ||
          !isStructOfContainers(V->getType().getNonReferenceType()))
        continue;
      const auto Members = Uses.Members.find(V);
      if (Members == Uses.Members.end() || Members->second.size() != Uses.Names.lookup(V) ||
          !llvm::all_of(Members->second,
                        [&](const MemberExpr* E) { return isInFile(E->getSourceRange()); }))
        continue;
      split(Lambda, C, V->getNameAsString(), Members->second);
    }
  }

  void split(const LambdaExpr* Lambda, const LambdaCapture& Of, const std::string& Variable,
             llvm::ArrayRef<const MemberExpr*> Uses) {
    llvm::MapVector<const ValueDecl*, std::string> Names;
    std::string Captures;
    tooling::Replacements Here = Edits;
    bool Fits = true;
    const auto Put = [&](SourceRange Range, const std::string& New) {
      llvm::Error Overlaps =
          Here.add({SM, CharSourceRange::getTokenRange(Range), New, Context.getLangOpts()});
      Fits = Fits && !Overlaps;
      llvm::consumeError(std::move(Overlaps));
    };
    for (const MemberExpr* E : Uses) {
      const auto [At, IsNew] = Names.insert({E->getMemberDecl(), ""});
      if (IsNew) {
        const std::string Member = E->getMemberDecl()->getNameAsString();
        At->second = Variable + "_" + Member;
        while (Text.contains(At->second)) // whatever it names there
          At->second += "_";
        Captures += (Captures.empty() ? "" : ", ") + At->second + " = " + Variable + "." + Member;
      }
      Put(E->getSourceRange(), At->second);
    }
    if (Of.isExplicit())
      Put(Of.getLocation(), Captures);
    else
      Put(Lambda->getCaptureDefaultLoc(), "=, " + Captures);
    if (Fits)
      Edits = std::move(Here);
  }

  ASTContext& Context;
  const SourceManager& SM;
  llvm::StringRef Text;
  tooling::Replacements& Edits;
};

} // namespace

void splitCapturedStructs(ASTContext& Context, tooling::Replacements& Edits) {
  StructSplitter Splitter(Context, Edits);
  for (Decl* D : Context.getTranslationUnitDecl()->decls())
    if (Context.getSourceManager().isWrittenInMainFile(
            Context.getSourceManager().getExpansionLoc(D->getLocation())))
      Splitter.TraverseDecl(D);
}

} // namespace ikra
