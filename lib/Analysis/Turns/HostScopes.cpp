// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host section's code is walked by what is known to touch no object: numbers, arrays, and what
// gives arrays their elements. All else is a reason against a scope, also where it would do no
// harm. Members that sections write are on the device; those that they do not write may be read.

#include "HostScopes.h"

#include "Analysis/Ast/Locations.h"
#include "Analysis/Ast/Names.h"
#include "Analysis/Ast/TypeParts.h"
#include "Analysis/Ast/Types.h"
#include "HostSectionVisitor.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

#include <set>
#include <utility>

using namespace clang;

namespace ikra {

namespace {

using SectionsByCall = llvm::DenseMap<const Expr*, std::vector<Index>>;

bool isLoop(const Stmt* S) { return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S); }
bool isNumber(QualType Ty) { return Ty->isArithmeticType() || Ty->isEnumeralType(); }
/// Whether members of others may lie in it.
bool holdsClasses(QualType Ty) {
  for (QualType Inner = elementOfContainer(Ty); !Inner.isNull(); Inner = elementOfContainer(Ty))
    Ty = Inner;
  return Ty->isRecordType();
}

/// One host section's code, and the functions that it calls.
class HostCode {
public:
  HostCode(ASTContext& Context, const SectionsByCall& SectionsInCall, const ProgramModel& Model)
      : Context(Context), SectionsInCall(SectionsInCall), Model(Model) {
    for (const ikra::Section& S : Model.Sections)
      for (const Index M : Model.Functions[S.Code.Function].Total.written()) {
        const ikra::Member& Its = Model.Members[M];
        if (Its.Decl)
          Written.insert(Its.Decl->getCanonicalDecl());
        WritesClasses |= !Its.Decl || holdsClasses(Its.Decl->getType());
      }
  }

  /// Whether it touches no object but by sections. Notes these.
  bool touchesNone(const Stmt* Body) { return statement(Body); }
  /// Notes the sections that stand in the code itself.
  void noteSections(const Stmt* S) {
    const bool IsInLoop = std::exchange(InLoop, InLoop || isLoop(S));
    if (const auto* E = dyn_cast<Expr>(S))
      if (const auto Known = SectionsInCall.find(E); Known != SectionsInCall.end())
        llvm::for_each(Known->second, [this](Index Of) { note(Of); });
    for (const Stmt* Child : S->children())
      if (Child)
        noteSections(Child);
    InLoop = IsInLoop;
  }

  /// Sections over the same objects, one after the other; empty if there are no two such.
  std::vector<Index> sections() const {
    std::vector<Index> Out;
    for (const auto& [One, IsRepeated] : Runs) {
      const bool IsOfSame = llvm::any_of(Runs, [&, One = One](const auto& Other) {
        return &Other.first != &One && Other.first != One && haveSameObjects(One, Other.first);
      });
      if ((IsRepeated || IsOfSame) && !llvm::is_contained(Out, One))
        Out.push_back(One);
    }
    llvm::sort(Out);
    return Out;
  }

  const Stmt* refused() const { return At; }
  const std::string& why() const { return Why; }

private:
  void note(Index S) {
    if (Model.Sections[S].isOverObjects())
      Runs.emplace_back(S, InLoop);
  }
  bool haveSameObjects(Index A, Index B) const {
    const auto& Of = Model.Classes[*Model.Sections[A].element().Class].Concrete;
    const auto& Others = Model.Classes[*Model.Sections[B].element().Class].Concrete;
    return llvm::any_of(Of, [&](Index C) { return llvm::is_contained(Others, C); });
  }

  bool refuse(const Stmt* S, std::string Reason) {
    if (!At) {
      At = S;
      Why = std::move(Reason);
    }
    return false;
  }
  bool refuseText(const Expr* E, const char* Reason) {
    return refuse(E, "'" +
                         Lexer::getSourceText(CharSourceRange::getTokenRange(E->getSourceRange()),
                                              Context.getSourceManager(), Context.getLangOpts())
                             .str() +
                         "' " + Reason);
  }
  static constexpr auto MayTouch = "may touch objects";

  template <class Range> bool all(const Range& Parts) {
    return llvm::all_of(Parts, [&](const Stmt* Part) { return statement(Part); });
  }

  bool statement(const Stmt* S) {
    if (!S)
      return true;
    if (const auto* E = dyn_cast<Expr>(S))
      return expression(E);
    const bool IsInLoop = std::exchange(InLoop, InLoop || isLoop(S));
    const bool Done = ofStatement(S);
    InLoop = IsInLoop;
    return Done;
  }
  bool ofStatement(const Stmt* S) {
    if (const auto* Declares = dyn_cast<DeclStmt>(S))
      return llvm::all_of(Declares->decls(), [&](const Decl* D) {
        const auto* V = dyn_cast<VarDecl>(D);
        if (!V)
          return !isa<DecompositionDecl>(D) || refuse(S, "it takes a value apart");
        return (isPlain(V->getType()) && !isa<DecompositionDecl>(V)) || V->isConstexpr()
                   ? statement(V->getInit())
                   : refuse(S, "'" + V->getNameAsString() + "' may be, or hold, an object");
      });
    if (const auto* Range = dyn_cast<CXXForRangeStmt>(S)) {
      const QualType Element = elementOfContainer(Range->getRangeInit()->getType());
      return !Element.isNull() && isNumber(Element) && isNumber(Range->getLoopVariable()->getType())
                 ? statement(Range->getRangeInit()) && statement(Range->getBody())
                 : refuse(S, "it goes through what may be objects");
    }
    if (isa<CompoundStmt, IfStmt, ForStmt, WhileStmt, DoStmt, SwitchStmt, SwitchCase, BreakStmt,
            ContinueStmt, ReturnStmt, NullStmt>(S))
      return all(S->children());
    return refuse(S, "it is more than loops, choices and numbers");
  }

  /// Types of variables that are no objects, and hold none.
  bool isPlain(QualType Ty) const {
    if (Ty.isVolatileQualified())
      return false;
    if (rankOfArray(Ty) != 0)
      return true;
    if (stdTemplate(Ty.getCanonicalType(), "span"))
      return false; // its elements may be members of an object
    const QualType Element = elementOfContainer(Ty);
    return !Ty->isReferenceType() &&
           (isNumber(Ty) || isValue(Ty) ||
            (!Element.isNull() &&
             (isNumber(Element) || isValue(Element) || Element->isPointerType())));
  }
  bool isValue(QualType Ty) const {
    return isElementValue(Ty) && !isObjectClass(Ty->getAsCXXRecordDecl(), Model.Roles);
  }
  /// A place of the host's whose value no section writes.
  bool isPlace(const Expr* E) {
    if (const auto* Name = dyn_cast<DeclRefExpr>(E)) {
      const auto* V = dyn_cast<VarDecl>(Name->getDecl());
      if (!V)
        return isa<EnumConstantDecl>(Name->getDecl()) || refuseText(E, MayTouch);
      const QualType Ty = V->getType();
      // What leads to objects is only given to sections, or asked for its size.
      return isPlain(Ty) || V->isConstexpr() || isInStd(V) || leadsToElements(Ty) ||
             refuseText(E, "may be, or lead to, an object's member");
    }
    const auto* Member = cast<MemberExpr>(E);
    const auto* Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
    const Expr* Base = Member->getBase()->IgnoreParenImpCasts();
    if (!Field || (Member->isArrow() && !isa<CXXThisExpr>(Base)))
      return refuseText(E, MayTouch);
    if (Written.contains(Field->getCanonicalDecl()))
      return refuseText(E, "is written by sections");
    if (!isPlain(Field->getType()) && !leadsToElements(Field->getType()))
      return refuseText(E, "may be, or lead to, an object's member");
    for (;; Base = cast<MemberExpr>(Base)->getBase()->IgnoreParenImpCasts()) {
      if (isa<CXXThisExpr>(Base))
        return !WritesClasses || refuseText(E, "may be within what sections write");
      if (isa<DeclRefExpr>(Base)) {
        const VarDecl* V = variableNamed(Base);
        return (V && (!V->getType()->isReferenceType() || !WritesClasses)) ||
               refuseText(E, "may be within what sections write");
      }
      const auto* Around = dyn_cast<MemberExpr>(Base);
      if (!Around || Around->isArrow() || !isa<FieldDecl>(Around->getMemberDecl()) ||
          Written.contains(cast<FieldDecl>(Around->getMemberDecl())->getCanonicalDecl()))
        return refuseText(E, MayTouch);
    }
  }
  /// Pointers to objects, and containers of objects, pointers and owners.
  bool leadsToElements(QualType Ty) const {
    const QualType Element = elementOfContainer(Ty.getNonReferenceType());
    return Ty->isPointerType() ||
           (!Element.isNull() &&
            ((Element->isRecordType() && !isValue(Element)) || Element->isPointerType()));
  }
  /// A place that the host changes: a variable, a member of a struct, an element.
  bool changes(const Expr* E) {
    const auto IsUsed = [&](const MemberExpr* Member) {
      return llvm::any_of(Model.Members, [&](const ikra::Member& Of) {
        return Of.Decl &&
               Of.Decl->getCanonicalDecl() == Member->getMemberDecl()->getCanonicalDecl();
      });
    };
    for (const Expr* In = E; In;) { // what it is a part of is changed, too
      In = In->IgnoreParenImpCasts();
      if (const auto* Member = dyn_cast<MemberExpr>(In)) {
        if (IsUsed(Member))
          return refuseText(E, "is used by sections, too");
        In = Member->getBase();
      } else if (const auto* Element = dyn_cast<ArraySubscriptExpr>(In)) {
        In = Element->getBase();
      } else if (const auto* Call = dyn_cast<CXXOperatorCallExpr>(In)) {
        In = Call->getArg(0);
      } else if (const auto* Call = dyn_cast<CXXMemberCallExpr>(In)) {
        In = Call->getImplicitObjectArgument();
      } else {
        break;
      }
    }
    return expression(E);
  }

  bool expression(const Expr* E) {
    E = E->IgnoreParens();
    if (const auto Known = SectionsInCall.find(E); Known != SectionsInCall.end())
      return runs(cast<CallExpr>(E), Known->second);
    if (isa<IntegerLiteral, FloatingLiteral, CXXBoolLiteralExpr, CharacterLiteral, StringLiteral,
            CXXNullPtrLiteralExpr, UnaryExprOrTypeTraitExpr, CXXDefaultArgExpr,
            CXXScalarValueInitExpr, ImplicitValueInitExpr, TypeTraitExpr>(E))
      return true;
    if (isa<DeclRefExpr, MemberExpr>(E))
      return isPlace(E);
    if (const auto* Call = dyn_cast<CallExpr>(E))
      return call(Call);
    if (const auto* Of = dyn_cast<UnaryOperator>(E)) {
      if (Of->getOpcode() == UO_Deref || Of->getOpcode() == UO_AddrOf)
        return refuseText(E, MayTouch);
      return Of->isIncrementDecrementOp() ? changes(Of->getSubExpr())
                                          : expression(Of->getSubExpr());
    }
    if (const auto* Of = dyn_cast<BinaryOperator>(E)) {
      if (Of->isPtrMemOp())
        return refuseText(E, MayTouch);
      return (Of->isAssignmentOp() ? changes(Of->getLHS()) : expression(Of->getLHS())) &&
             expression(Of->getRHS());
    }
    if (const auto* Element = dyn_cast<ArraySubscriptExpr>(E))
      return Element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()
                 ? all(E->children())
                 : refuseText(E, MayTouch);
    if (const auto* Made = dyn_cast<CXXConstructExpr>(E))
      return constructs(Made);
    if (isa<CastExpr>(E) && (isNumber(E->getType()) || rankOfArray(E->getType()) != 0 ||
                             isa<ImplicitCastExpr>(E) || E->getType()->isVoidType()))
      return all(E->children());
    if (isa<ExprWithCleanups, MaterializeTemporaryExpr, CXXBindTemporaryExpr, ConstantExpr,
            AbstractConditionalOperator, OpaqueValueExpr, SubstNonTypeTemplateParmExpr,
            InitListExpr, CXXStdInitializerListExpr>(E))
      return all(E->children());
    return refuseText(E, MayTouch);
  }

  bool constructs(const CXXConstructExpr* Made) {
    if (!isPlain(Made->getType()) && !isIndex(Made->getType()))
      return refuseText(Made, "may make, or copy, objects");
    if (rankOfArray(Made->getType()) != 0)
      for (const Expr* Given : Made->arguments()) {
        const QualType Element = elementOfContainer(Given->getType().getNonReferenceType());
        if (!Element.isNull() && isObjectClass(Element->getAsCXXRecordDecl(), Model.Roles))
          return refuseText(Given, "would be copied on the host");
      }
    return all(Made->arguments());
  }

  /// An operation: what it is given, and what its sections capture when they are made.
  bool runs(const CallExpr* Call, llvm::ArrayRef<Index> Sections) {
    for (const Index Of : Sections) {
      note(Of);
      if (!isMade(Call, Model.Sections[Of]))
        return false;
    }
    for (const Expr* Given : Call->arguments()) {
      const auto IsIts = [&](Index Of) { return isCode(Given, Model.Sections[Of]); };
      if (llvm::none_of(Sections, IsIts) && !expression(Given))
        return false;
    }
    const auto* Method = dyn_cast<CXXMemberCallExpr>(Call);
    return !Method || expression(Method->getImplicitObjectArgument());
  }
  bool isMade(const CallExpr* Call, const ikra::Section& S) {
    if (S.takesCopies() || S.givesCopies())
      return refuseText(Call, "copies objects on the host");
    const LambdaExpr* const Code = S.Site.Lambda;
    if (!Code && !S.Code.Captures.empty())
      return refuseText(Call, "has a function object, whose members may be objects'");
    if (Code)
      for (const LambdaCapture& Each : Code->captures())
        if (!isCaptured(Code, Each))
          return false;
    for (const Capture& Each : S.Code.Captures)
      if (Each.Ty.CopyOf)
        return refuseText(Call, "copies objects on the host");
    return true;
  }
  /// Whether the section's code is what an argument gives.
  static bool isCode(const Expr* Given, const ikra::Section& S) {
    const Expr* const As = written(Given);
    const auto* Address = dyn_cast<UnaryOperator>(As);
    const Expr* const Named = Address ? Address->getSubExpr()->IgnoreParens() : As;
    const CXXRecordDecl* Class = As->getType()->getAsCXXRecordDecl();
    return As == S.Site.Lambda || isa_and_nonnull<FunctionDecl, FieldDecl>(declNamed(Named)) ||
           (Class && isInStd(Class) && S.Code.Captures.empty());
  }
  bool isCaptured(const LambdaExpr* Code, const LambdaCapture& Each) {
    if (Each.capturesThis())
      return Each.getCaptureKind() == LCK_This || refuse(Code, "it copies '*this' on the host");
    if (!Each.capturesVariable())
      return refuse(Code, "it captures more than variables");
    const auto* V = dyn_cast<VarDecl>(Each.getCapturedVar());
    if (!V)
      return refuse(Code, "it captures a part of a value");
    if (V->isInitCapture())
      return statement(V->getInit());
    const QualType Ty = V->getType();
    const auto* Class = Ty.getNonReferenceType()->getAsCXXRecordDecl();
    const bool IsObject = isObjectClass(Class, Model.Roles);
    const bool IsCopied = Each.getCaptureKind() == LCK_ByCopy;
    const bool IsKnown =
        IsObject ? !IsCopied
                 : isPlain(Ty) || leadsToElements(Ty) || (!Ty->isReferenceType() && Class);
    return IsKnown || refuse(Code, "'" + V->getNameAsString() +
                                       "' is captured, and may be, or copy, an object's member");
  }

  bool call(const CallExpr* Call) {
    if (const auto* Method = dyn_cast<CXXMemberCallExpr>(Call))
      return method(Method);
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (!Callee || Callee->isNoReturn()) // what runs at the program's end may, too
      return refuseText(Call, MayTouch);
    if (isa<CXXOperatorCallExpr>(Call)) {
      const QualType Of = Call->getArg(0)->getType().getNonReferenceType();
      const auto* Operator = cast<CXXOperatorCallExpr>(Call);
      if ((Operator->isAssignmentOp() || Operator->getOperator() == OO_PlusPlus ||
           Operator->getOperator() == OO_MinusMinus) &&
          !changes(Call->getArg(0)))
        return false;
      return rankOfArray(Of) != 0 || isIndex(Of) || isPlain(Of) || (isInStd(Callee) && isStream(Of))
                 ? all(Call->arguments())
                 : refuseText(Call, MayTouch);
    }
    const std::string Name = Callee->getNameAsString();
    if (isInIkra(Callee)) {
      if (Name == "host_section" && Call->getNumArgs() == 1)
        if (const auto* Lambda = dyn_cast<LambdaExpr>(written(Call->getArg(0))))
          return statement(Lambda->getBody());
      return Name == "objects" || Name == "pnew" ? all(Call->arguments())
                                                 : refuseText(Call, MayTouch);
    }
    if (isInStd(Callee) && (Name == "move" || Name == "forward") && Call->getNumArgs() == 1 &&
        isPlain(Call->getArg(0)->getType().getNonReferenceType()))
      return expression(Call->getArg(0));
    for (unsigned K = 0; K < Callee->getNumParams() && K < Call->getNumArgs(); ++K)
      if (const QualType Ty = Callee->getParamDecl(K)->getType();
          Ty->isReferenceType() && !Ty.getNonReferenceType().isConstQualified() &&
          !changes(Call->getArg(K)))
        return false;
    if (isOfLibrary(Callee, Context.getSourceManager()))
      return llvm::all_of(Call->arguments(),
                          [&](const Expr* Given) {
                            return isNumber(Given->getType()) ||
                                   isa<StringLiteral>(Given->IgnoreParenImpCasts());
                          })
                 ? all(Call->arguments())
                 : refuseText(Call, MayTouch);
    return called(Call, Callee) && all(Call->arguments());
  }
  bool method(const CXXMemberCallExpr* Call) {
    const Expr* Of = Call->getImplicitObjectArgument();
    const CXXMethodDecl* Method = Call->getMethodDecl();
    if (!Method)
      return refuseText(Call, MayTouch);
    if (isInIkra(Method)) // which may give more: of arrays alone
      return rankOfArray(Of->getType()) != 0 || isIndex(Of->getType())
                 ? expression(Of) && all(Call->arguments())
                 : refuseText(Call, MayTouch);
    if (isInStd(Method)) {
      const QualType Element = elementOfContainer(Of->getType());
      const std::string Name = Method->getNameAsString();
      const bool IsOfNumbers = isPlain(Of->getType()) && !Element.isNull() && isNumber(Element);
      return (IsOfNumbers && (Method->isConst() || changes(Of))) || Name == "size" ||
                     Name == "empty"
                 ? expression(Of) && all(Call->arguments())
                 : refuseText(Call, MayTouch);
    }
    if (Method->isVirtual() || !isa<CXXThisExpr>(Of->IgnoreParenImpCasts()))
      return refuseText(Call, MayTouch);
    return called(Call, Method) && all(Call->arguments());
  }
  /// A function of the program's, whose body is seen.
  bool called(const CallExpr* Call, const FunctionDecl* Callee) {
    const FunctionDecl* Definition = nullptr;
    if (!Callee->hasBody(Definition) || Definition->isDependentContext() ||
        !llvm::all_of(Definition->parameters(), [&](const ParmVarDecl* P) {
          return isPlain(P->getType()) || leadsToElements(P->getType());
        }))
      return refuseText(Call, MayTouch);
    if (!Entered.insert(Definition).second) // it is looked at, or was
      return true;
    return statement(Definition->getBody()) || refuseText(Call, MayTouch);
  }

  ASTContext& Context;
  const SectionsByCall& SectionsInCall;
  const ProgramModel& Model;
  std::set<const FieldDecl*> Written; ///< by sections
  bool WritesClasses = false;         ///< members that may have others in them
  std::set<const FunctionDecl*> Entered;
  std::vector<std::pair<Index, bool>> Runs; ///< sections over objects; whether in a loop
  bool InLoop = false;
  const Stmt* At = nullptr;
  std::string Why;
};

class HostSectionFinder final : public HostSectionVisitor {
public:
  HostSectionFinder(ASTContext& Context, const SectionsByCall& SectionsInCall,
                    const ProgramModel& Model, HostLoops& Loops)
      : Context(Context), SectionsInCall(SectionsInCall), Model(Model), Loops(Loops) {}

private:
  void visitHostSection(const LambdaExpr& Code) override {
    if (!Code.getBeginLoc().isMacroID() && !Code.getCompoundStmtBody()->getLBracLoc().isMacroID())
      lookAt(Code.getCompoundStmtBody());
  }

  SourceLoc locOf(const Stmt* S) const {
    return ikra::locOf(S->getBeginLoc(), Context.getSourceManager());
  }

  void lookAt(const CompoundStmt* Body) {
    HostCode Code(Context, SectionsInCall, Model), Written(Context, SectionsInCall, Model);
    if (Code.touchesNone(Body)) {
      if (std::vector<Index> Sections = Code.sections(); !Sections.empty())
        Loops.Scopes.push_back({locOf(Body), std::move(Sections), Body});
      return;
    }
    Written.noteSections(Body);
    if (!Written.sections().empty())
      Loops.Unscoped.push_back({locOf(Body), "", Code.why(), locOf(Code.refused()).Line});
  }

  ASTContext& Context;
  const SectionsByCall& SectionsInCall;
  const ProgramModel& Model;
  HostLoops& Loops;
};

} // namespace

void findHostScopes(ASTContext& Context, const SectionsByCall& SectionsInCall,
                    const ProgramModel& Model, HostLoops& Loops) {
  HostSectionFinder(Context, SectionsInCall, Model, Loops)
      .TraverseDecl(Context.getTranslationUnitDecl());
}

} // namespace ikra
