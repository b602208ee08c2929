// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A closure over calls, found in the bodies of instantiations.

#include "NativeFunctions.h"

#include "AstVisitor.h"
#include "Expressions.h"
#include "Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace ikra {

bool isLimit(const FunctionDecl* F) {
  const auto* Method = dyn_cast<CXXMethodDecl>(F);
  return Method && Method->isStatic() && Method->getNumParams() == 0 && isInStd(Method) &&
         Method->getParent()->getName() == "numeric_limits";
}

/// True for builtins that nvcc has for GPUs. In a constexpr function that a kernel calls it makes
/// all others constants, or drops them with what depends on them, and says nothing.
static bool isOnDevice(const FunctionDecl* Builtin) {
  const llvm::StringRef Name = Builtin->getIdentifier() ? Builtin->getName() : "";
  static const llvm::StringSet<> Counting = {"__builtin_clz",      "__builtin_clzll",
                                             "__builtin_popcount", "__builtin_popcountll",
                                             "__builtin_ffs",      "__builtin_ffsll"};
  const bool IsOfBits = llvm::any_of(
      llvm::ArrayRef{"__builtin_clz", "__builtin_ctz", "__builtin_clrsb", "__builtin_ffs",
                     "__builtin_popcount", "__builtin_parity", "__builtin_bswap"},
      [&](const char* Prefix) { return Name.starts_with(Prefix); });
  return IsOfBits ? Counting.contains(Name)
                  : Name != "__builtin_isnormal" && Name != "__builtin_isinf_sign";
}

namespace {

/// Stops at the first call of a function that is not native.
class CallFinder final : public AstVisitor {
public:
  CallFinder(NativeFunctions& Functions, const FunctionDecl* In)
      : AstVisitor(ImplicitCode), Functions(Functions), IsReplaced(isThreeWay(In)) {}

  bool VisitCallExpr(CallExpr* Call) override {
    if (isa<CXXPseudoDestructorExpr>(Call->getCallee()->IgnoreParens())) // of a number: nothing
      return true;
    const FunctionDecl* Callee = Call->getDirectCallee();
    return Callee && Functions.contains(Callee);
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* Construct) override {
    return Functions.contains(Construct->getConstructor());
  }
  /// nvcc takes numbers that are not ordered, NaN and others, for equivalent.
  bool VisitBinaryOperator(BinaryOperator* E) override {
    return E->getOpcode() != BO_Cmp || IsReplaced || !E->getLHS()->getType()->isRealFloatingType();
  }
  /// The compiler's complex numbers have parts in a kernel, and nothing else: nvcc leaves out what
  /// is computed with them, and says nothing.
  bool VisitExpr(Expr* E) override {
    if (!E->getType()->isAnyComplexType())
      return true;
    const auto* Cast = dyn_cast<CastExpr>(E);
    return isa<MemberExpr, InitListExpr>(E) || (Cast && Cast->getCastKind() == CK_NoOp);
  }
  bool TraverseTypeLoc(TypeLoc) override { return true; } // sizeof and noexcept run nothing
  bool TraverseStaticAssertDecl(StaticAssertDecl*) override { return true; } // its text has no type
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr*) override { return true; }
  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr*) override { return true; }

private:
  /// What pairs, tuples and arrays are ordered by: generated/language/std_orders.hpp has these
  /// orders for nvcc.
  static bool isThreeWay(const FunctionDecl* F) {
    const auto* Method = dyn_cast<CXXMethodDecl>(F);
    return Method && isInStd(Method) && Method->getParent()->getIdentifier() &&
           Method->getParent()->getName() == "_Synth3way";
  }

  NativeFunctions& Functions;
  bool IsReplaced;
};

/// Goes through the library's own functions, and stops at an operator of elements that is not
/// native.
class OperatorFinder final : public AstVisitor {
public:
  OperatorFinder(NativeFunctions& Functions, QualType Element)
      : AstVisitor(ImplicitCode), Functions(Functions), Element(plain(Element)) {}

  bool find(const FunctionDecl* F) {
    const FunctionDecl* Definition = nullptr;
    return !F->hasBody(Definition) || !Seen.insert(Definition).second ||
           TraverseStmt(Definition->getBody());
  }
  bool VisitCallExpr(CallExpr* Call) override {
    const FunctionDecl* Callee = Call->getDirectCallee();
    if (!Callee)
      return true;
    const bool OfElements =
        Callee->isOverloadedOperator() && llvm::any_of(Call->arguments(), [&](const Expr* Given) {
          return plain(Given->getType()) == Element;
        });
    if (OfElements)
      return Functions.contains(Callee);
    const SourceManager& SM = Callee->getASTContext().getSourceManager();
    return !SM.isInSystemHeader(Callee->getLocation()) || find(Callee);
  }

private:
  static QualType plain(QualType Ty) {
    return Ty.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  }

  NativeFunctions& Functions;
  QualType Element;
  llvm::SmallPtrSet<const FunctionDecl*, 32> Seen;
};

} // namespace

bool NativeFunctions::containsOperatorsOf(const FunctionDecl* Algorithm, QualType Element) {
  return OperatorFinder(*this, Element).find(Algorithm);
}

bool NativeFunctions::contains(const FunctionDecl* F) {
  if (const FunctionDecl* Definition = F->getDefinition())
    F = Definition;
  F = F->getCanonicalDecl();
  const auto [It, New] = Known.try_emplace(F, true); // a cycle does not decide
  if (!New)
    return It->second;
  const FunctionDecl* Definition = nullptr;
  const bool HasBody = F->hasBody(Definition);
  if (isWrittenOut(F))
    return Known[F] = false;
  const bool IsTrivial = F->isTrivial() || (F->isDefaulted() && !HasBody);
  bool Native = IsTrivial || (F->getBuiltinID() != 0 && isOnDevice(F));
  if (!Native && HasBody && (F->isConstexpr() || F->isDefaulted())) {
    CallFinder Calls(*this, Definition);
    Native = Calls.TraverseStmt(Definition->getBody());
    if (const auto* Constructor = dyn_cast<CXXConstructorDecl>(Definition))
      for (const CXXCtorInitializer* Init : Constructor->inits())
        Native = Native && Calls.TraverseStmt(Init->getInit());
  }
  Known[F] = Native;
  return Native;
}

} // namespace ikra
