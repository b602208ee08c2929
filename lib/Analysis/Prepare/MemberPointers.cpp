// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions that occur once in the program occur several times in a choice. So only those without
// side effects are made part of one, and clang's nodes are shared by its branches.

#include "MemberPointers.h"

#include "Analysis/Ast/AstVisitor.h"
#include "Analysis/Ast/Constants.h"
#include "Analysis/Ast/Names.h"

#include "clang/AST/APValue.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/CXXInheritance.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"

using namespace clang;

namespace ikra {

namespace {

/// A choice of more has more code than a section is worth.
constexpr std::size_t MostMembers = 16;

class MemberNamer final : public AstVisitor {
public:
  explicit MemberNamer(ASTContext& Context)
      : AstVisitor(Instantiations | LambdaInstances), Context(Context) {}

  bool VisitStmt(Stmt* S) override {
    for (Stmt*& Child : S->children())
      if (auto* E = dyn_cast_or_null<Expr>(Child); E && !E->isInstantiationDependent())
        if (Expr* Named = named(E))
          Child = Named;
    return true;
  }

  bool VisitCXXForRangeStmt(CXXForRangeStmt* S) override {
    const Expr* Range = S->getRangeInit();
    if (const VarDecl* Table = Range ? variableNamed(Range->IgnoreImplicit()) : nullptr)
      TableOf[S->getLoopVariable()] = Table;
    return true;
  }

private:
  /// Pointers to members that an expression may give, by an index or in any order.
  struct Pointers {
    std::vector<const ValueDecl*> Members;
    Expr* Index = nullptr; ///< null: the pointer itself tells which it is
  };

  static BinaryOperator* pointerUse(Expr* E) {
    auto* Op = dyn_cast<BinaryOperator>(E->IgnoreParens());
    return Op && Op->isPtrMemOp() ? Op : nullptr;
  }

  /// What stands for \p E; null: E itself.
  Expr* named(Expr* E) {
    if (isa<ParenExpr>(E)) // whose child is looked at
      return nullptr;
    if (BinaryOperator* Use = pointerUse(E)) {
      if (const ValueDecl* Known = constantMember(Use->getRHS()))
        return member(Use, Known);
      return Use->getType()->isSpecificBuiltinType(BuiltinType::BoundMember) ? nullptr
                                                                             : choice(Use, nullptr);
    }
    auto* Call = dyn_cast<CXXMemberCallExpr>(E);
    BinaryOperator* Use = Call ? pointerUse(Call->getCallee()) : nullptr;
    return Use && !constantMember(Use->getRHS()) ? choice(Use, Call) : nullptr;
  }

  const ValueDecl* constantMember(const Expr* Pointer) const {
    Expr::EvalResult Result;
    if (Pointer->EvaluateAsRValue(Result, Context) && Result.Val.isMemberPointer())
      return Result.Val.getMemberPointerDecl();
    const VarDecl* Variable = variableNamed(Pointer->IgnoreParenImpCasts());
    const APValue* Value = Variable ? constantOf(Variable) : nullptr;
    return Value && Value->isMemberPointer() ? Value->getMemberPointerDecl() : nullptr;
  }

  /// The pointers in a constant array; none where it is no such.
  std::vector<const ValueDecl*> membersIn(const VarDecl* Table) const {
    const APValue* Value = constantOf(Table);
    if (Value && Value->isStruct() && Value->getStructNumFields() == 1) // std::array
      Value = &Value->getStructField(0);
    std::vector<const ValueDecl*> Out;
    if (!Value || !Value->isArray() || Value->getArraySize() > MostMembers)
      return {};
    for (unsigned K = 0; K < Value->getArraySize(); ++K) {
      const APValue& Of = K < Value->getArrayInitializedElts() ? Value->getArrayInitializedElt(K)
                                                               : Value->getArrayFiller();
      if (!Of.isMemberPointer() || !Of.getMemberPointerDecl())
        return {};
      Out.push_back(Of.getMemberPointerDecl());
    }
    return Out;
  }

  /// table[k], of a built-in array or a std::array.
  std::optional<Pointers> elementOfTable(Expr* Pointer) const {
    Expr* Of = nullptr;
    Pointers Out;
    Expr* E = Pointer->IgnoreParenImpCasts();
    if (auto* Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
      Of = Subscript->getBase();
      Out.Index = Subscript->getIdx();
    } else if (auto* Operator = dyn_cast<CXXOperatorCallExpr>(E);
               Operator && Operator->getOperator() == OO_Subscript) {
      Of = Operator->getArg(0);
      Out.Index = Operator->getArg(1);
    }
    const auto* Name = Of ? dyn_cast<DeclRefExpr>(Of->IgnoreParenImpCasts()) : nullptr;
    const auto* Member = Of ? dyn_cast<MemberExpr>(Of->IgnoreParenImpCasts()) : nullptr;
    const auto* Table = dyn_cast_or_null<VarDecl>(
        Name ? Name->getDecl() : (Member ? Member->getMemberDecl() : nullptr));
    if (!Table || Out.Index->HasSideEffects(Context))
      return std::nullopt;
    Out.Members = membersIn(Table);
    return Out;
  }

  Pointers pointersOf(Expr* Pointer) const {
    if (std::optional<Pointers> Element = elementOfTable(Pointer))
      return *Element;
    Pointers Out;
    if (Pointer->HasSideEffects(Context))
      return Out;
    const auto* Type = Pointer->getType()->castAs<MemberPointerType>();
    const VarDecl* Variable = variableNamed(Pointer->IgnoreParenImpCasts());
    if (Type->isMemberFunctionPointer()) // no device knows the address
      return Out;
    if (const auto Table = TableOf.find(Variable); Variable && Table != TableOf.end())
      for (const ValueDecl* Member : membersIn(Table->second))
        if (!llvm::is_contained(Out.Members, Member))
          Out.Members.push_back(Member);
    if (Out.Members.empty())
      addMembers(Type->getClass()->getAsCXXRecordDecl(), Type->getPointeeType(), Out.Members);
    return Out;
  }

  /// All members of a class, and of its bases, that a pointer to \p Of may point to; none where
  /// some have no names.
  void addMembers(const CXXRecordDecl* Class, QualType Of,
                  std::vector<const ValueDecl*>& Out) const {
    if (!Class || !Class->hasDefinition())
      return;
    Class = Class->getDefinition();
    for (const CXXBaseSpecifier& Base : Class->bases())
      addMembers(Base.getType()->getAsCXXRecordDecl(), Of, Out);
    for (const FieldDecl* Field : Class->fields())
      if (!Field->isBitField() && Context.hasSameUnqualifiedType(Field->getType(), Of))
        Out.push_back(Field);
  }

  /// The choice among what the pointer may point to. \param Call of it, or null
  Expr* choice(BinaryOperator* Use, const CXXMemberCallExpr* Call) {
    const Pointers Found = pointersOf(Use->getRHS());
    if (Found.Members.empty() || Found.Members.size() > MostMembers ||
        (Found.Members.size() > 1 && Use->getLHS()->HasSideEffects(Context)))
      return nullptr;
    Expr* Out = nullptr;
    for (std::size_t K = Found.Members.size(); K-- > 0;) {
      Expr* Named = member(Use, Found.Members[K]);
      if (Named && Call) {
        llvm::SmallVector<Expr*> Arguments(const_cast<CXXMemberCallExpr*>(Call)->arguments());
        Named = CXXMemberCallExpr::Create(Context, Named, Arguments, Call->getType(),
                                          Call->getValueKind(), Call->getRParenLoc(),
                                          FPOptionsOverride());
      }
      if (!Named)
        return nullptr;
      const SourceLocation At = Use->getOperatorLoc();
      Out = Out ? new (Context) ConditionalOperator(
                      Found.Index ? isIndex(Found.Index, K, At)
                                  : isMember(Use->getRHS(), Found.Members[K], At),
                      At, Named, At, Out, Named->getType(), Named->getValueKind(), OK_Ordinary)
                : Named;
    }
    return Found.Members.size() > 1 ? new (Context)
                                          ParenExpr(Use->getBeginLoc(), Use->getEndLoc(), Out)
                                    : Out;
  }

  Expr* equal(Expr* Left, Expr* Right, SourceLocation At) {
    return BinaryOperator::Create(Context, Left, Right, BO_EQ, Context.BoolTy, VK_PRValue,
                                  OK_Ordinary, At, FPOptionsOverride());
  }
  Expr* isIndex(Expr* Index, std::size_t K, SourceLocation At) {
    QualType Ty = Index->getType();
    if (Context.isPromotableIntegerType(Ty)) // of which there are no literals
      Ty = Context.getPromotedIntegerType(Ty);
    return equal(Index,
                 IntegerLiteral::Create(
                     Context, llvm::APInt(static_cast<unsigned>(Context.getTypeSize(Ty)), K), Ty,
                     SourceLocation()), // it is no text of the program's
                 At);
  }
  Expr* isMember(Expr* Pointer, const ValueDecl* Member, SourceLocation At) {
    auto* Name = DeclRefExpr::Create(
        Context, NestedNameSpecifierLoc(), SourceLocation(), const_cast<ValueDecl*>(Member),
        /*RefersToEnclosingVariableOrCapture=*/false, At, Member->getType(), VK_LValue);
    return equal(Pointer,
                 UnaryOperator::Create(Context, Name, UO_AddrOf, Pointer->getType(), VK_PRValue,
                                       OK_Ordinary, At, /*CanOverflow=*/false, FPOptionsOverride()),
                 At);
  }

  /// x.a; null where a is no member of x's class.
  Expr* member(BinaryOperator* Use, const ValueDecl* Member) {
    const auto* Owner = dyn_cast<CXXRecordDecl>(Member->getDeclContext());
    const bool IsArrow = Use->getOpcode() == BO_PtrMemI;
    Expr* Object = Use->getLHS();
    const QualType Ty = IsArrow ? Object->getType()->getPointeeType() : Object->getType();
    const CXXRecordDecl* Class = Ty->getAsCXXRecordDecl();
    if (!Owner || !Class || Owner->isAnonymousStructOrUnion())
      return nullptr;
    if (!declaresSameEntity(Class, Owner)) {
      CXXBasePaths Paths;
      if (!Class->isDerivedFrom(Owner, Paths) ||
          Paths.isAmbiguous(Context.getCanonicalType(Context.getRecordType(Owner))))
        return nullptr;
      CXXCastPath Path;
      for (const CXXBasePathElement& Step : Paths.front())
        Path.push_back(const_cast<CXXBaseSpecifier*>(Step.Base));
      const QualType Base =
          Context.getQualifiedType(Context.getRecordType(Owner), Ty.getQualifiers());
      Object = ImplicitCastExpr::Create(Context, IsArrow ? Context.getPointerType(Base) : Base,
                                        CK_UncheckedDerivedToBase, Object, &Path,
                                        Object->getValueKind(), FPOptionsOverride());
    }
    return MemberExpr::Create(
        Context, Object, IsArrow, Use->getOperatorLoc(), NestedNameSpecifierLoc(), SourceLocation(),
        const_cast<ValueDecl*>(Member),
        DeclAccessPair::make(const_cast<ValueDecl*>(Member), Member->getAccess()),
        DeclarationNameInfo(Member->getDeclName(), Use->getOperatorLoc()), nullptr, Use->getType(),
        Use->getValueKind(), OK_Ordinary, NOUR_None);
  }

  ASTContext& Context;
  llvm::DenseMap<const VarDecl*, const VarDecl*> TableOf; ///< of variables of range for
};

} // namespace

void nameMembers(ASTContext& Context) {
  MemberNamer Namer(Context);
  for (Decl* D : Context.getTranslationUnitDecl()->decls())
    if (!Context.getSourceManager().isInSystemHeader(D->getLocation()))
      Namer.TraverseDecl(D);
}

} // namespace ikra
