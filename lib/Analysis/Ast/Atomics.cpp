// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Atomics.h"

#include "Analysis/Ast/Names.h"

#include "TypeParts.h"
#include "Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace ikra {

QualType numberReferredAtomically(QualType Ty) {
  const auto* Class = stdTemplate(Ty, "atomic_ref");
  const QualType Of = Class ? Class->getTemplateArgs()[0].getAsType() : QualType();
  return Class && isAtomicNumber(Of) ? Of : QualType();
}

/// What the std::atomic_ref that \p E makes refers to; null where it copies another.
static const Expr* referred(const Expr* E) {
  while (E) {
    E = E->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
    if (const auto* Cast = dyn_cast<ExplicitCastExpr>(E)) {
      E = Cast->getSubExpr();
    } else if (const auto* List = dyn_cast<InitListExpr>(E)) {
      E = List->getNumInits() == 1 ? List->getInit(0) : nullptr;
    } else if (const auto* Construct = dyn_cast<CXXConstructExpr>(E)) {
      const Expr* From = Construct->getNumArgs() == 1 ? Construct->getArg(0) : nullptr;
      if (!Construct->getConstructor()->isCopyOrMoveConstructor())
        return From;
      E = From;
    } else {
      return numberReferredAtomically(E->getType()).isNull() ? E : nullptr;
    }
  }
  return nullptr;
}

const Expr* referredAtomically(const VarDecl* V) {
  return numberReferredAtomically(V->getType()).isNull() ? nullptr : referred(V->getInit());
}

/// The method of an atomic that is called; an operator's has no name.
static bool named(const CXXMethodDecl* Callee, AtomicOperation& Out) {
  if (isa<CXXConversionDecl>(Callee)) {
    Out.Does = AtomicOperation::Load;
    return true;
  }
  llvm::StringRef Name = Callee->getIdentifier() ? Callee->getName() : "";
  if (Name.consume_front("fetch_")) {
    Out.Does = AtomicOperation::Update;
    Out.Operator = Name;
    return llvm::is_contained({"add", "sub", "and", "or", "xor"}, Name);
  }
  const int Does = llvm::StringSwitch<int>(Name)
                       .Case("load", AtomicOperation::Load)
                       .Case("store", AtomicOperation::Store)
                       .Case("exchange", AtomicOperation::Exchange)
                       .Case("compare_exchange_weak", AtomicOperation::CompareExchange)
                       .Case("compare_exchange_strong", AtomicOperation::CompareExchange)
                       .Default(-1);
  Out.Does = static_cast<AtomicOperation::What>(Does);
  return Does >= 0;
}

static bool applied(const CXXOperatorCallExpr* E, AtomicOperation& Out) {
  Out.Does = AtomicOperation::Update;
  Out.GivesAfter = true;
  switch (E->getOperator()) {
  case OO_Equal:
    Out.Does = AtomicOperation::Store;
    return true;
  case OO_PlusPlus:
  case OO_MinusMinus:
    Out.Operator = E->getOperator() == OO_PlusPlus ? "add" : "sub";
    Out.ByOne = true;
    Out.GivesAfter = E->getNumArgs() == 1; // the other operand says that it stands after
    return true;
  case OO_PlusEqual:
    Out.Operator = "add";
    return true;
  case OO_MinusEqual:
    Out.Operator = "sub";
    return true;
  case OO_AmpEqual:
    Out.Operator = "and";
    return true;
  case OO_PipeEqual:
    Out.Operator = "or";
    return true;
  case OO_CaretEqual:
    Out.Operator = "xor";
    return true;
  default:
    return false;
  }
}

static bool isOrder(const Expr* E) {
  const auto* Enum = E->getType()->getAs<EnumType>();
  return Enum && isInStd(Enum->getDecl()) && Enum->getDecl()->getName() == "memory_order";
}

std::optional<AtomicOperation> atomicOperation(const CallExpr* E) {
  const auto* Operator = dyn_cast<CXXOperatorCallExpr>(E);
  const auto* Member = dyn_cast<CXXMemberCallExpr>(E);
  if ((!Operator && !Member) || (Operator && Operator->getNumArgs() == 0))
    return std::nullopt;
  const Expr* Object = Operator ? Operator->getArg(0) : Member->getImplicitObjectArgument();
  Object = Object->IgnoreParenImpCasts(); // to a base, whose methods they are
  AtomicOperation Out{};
  Out.IsPointed = Object->getType()->isPointerType();
  const QualType Ty = Out.IsPointed ? Object->getType()->getPointeeType() : Object->getType();
  const bool Refers = !Out.IsPointed && !numberReferredAtomically(Ty).isNull();
  if (!Refers && numberOfAtomic(Ty).isNull())
    return std::nullopt;
  if (!(Operator ? applied(Operator, Out) : named(Member->getMethodDecl(), Out)))
    return std::nullopt;
  Out.Of = !Refers || isa<DeclRefExpr>(Object) ? Object : referred(Object);
  if (!Out.Of)
    return std::nullopt;
  bool HasOrder = false;
  const ASTContext& Context = E->getCalleeDecl()->getASTContext();
  for (const Expr* Given : llvm::drop_begin(E->arguments(), Operator ? 1 : 0)) {
    if (isOrder(Given)) {
      const auto Order = HasOrder ? std::nullopt : constantInteger(Given, Context);
      if (!HasOrder)
        Out.IsRelaxed = Order && *Order == 0;
      HasOrder = true;
    } else if (!Out.ByOne) {
      Out.Values.push_back(Given);
    }
  }
  return Out;
}

} // namespace ikra
