// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RefusedForms.h"

#include "llvm/ADT/Twine.h"

using namespace clang;

namespace ikra {

static std::string byClangsName(const char* Name) {
  return (llvm::Twine("what clang calls ") + Name + "; write it otherwise, or outside").str();
}

std::string refusedForm(const Stmt* S) {
  switch (S->getStmtClass()) {
  case Stmt::StmtExprClass:
    return "a statement as an expression, ({ ... }); write a lambda and call it";
  case Stmt::BinaryConditionalOperatorClass:
    return "?: without a middle operand; write it, x ? x : y";
  case Stmt::CXXReinterpretCastExprClass:
    return "reinterpret_cast; call std::bit_cast for the bits of a value";
  case Stmt::BuiltinBitCastExprClass:
    return "__builtin_bit_cast; call std::bit_cast";
  case Stmt::CompoundLiteralExprClass:
    return "a compound literal, (T){...}; write T{...}";
  case Stmt::PredefinedExprClass:
  case Stmt::SourceLocExprClass:
    return "the name or the place of a function; take it on the host";
  case Stmt::AtomicExprClass:
    return "an atomic builtin; call ikra::atomic_add, or use a std::atomic_ref";
  default:
    return byClangsName(S->getStmtClassName());
  }
}

std::string refusedCast(const CastExpr* E) {
  switch (E->getCastKind()) {
  case CK_BitCast:
  case CK_LValueBitCast:
    return "a pointer or a reference to bits of another type; call std::bit_cast for the bits of "
           "a value";
  case CK_PointerToIntegral:
  case CK_IntegralToPointer:
    return "an address as a number; give objects a number of their own, as a member";
  default:
    return byClangsName(E->getCastKindName());
  }
}

} // namespace ikra
