// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of a program's functions by way of each other, as far as they are followed.

#ifndef IKRA_ANALYSIS_DATAFLOW_CALLINGCONTEXTS_H
#define IKRA_ANALYSIS_DATAFLOW_CALLINGCONTEXTS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <deque>
#include <map>
#include <set>
#include <vector>

namespace ikra {

/// A call of a function by way of others.
struct CallingContext {
  const clang::FunctionDecl* Function = nullptr;
  std::map<const clang::ParmVarDecl*, const clang::Expr*> Arguments = {};
  const clang::Expr* Object = nullptr; ///< of a method; stands in the caller
  const CallingContext* Caller = nullptr;
  unsigned Depth = 0;
};

/// Calls \p Do with each call and construction in a function, but for what lambdas hold.
void forEachCall(const clang::FunctionDecl* Function,
                 llvm::function_ref<void(const clang::Expr*)> Do);

/// What a function may return, in the order of the text.
std::vector<const clang::Expr*> returnsOf(const clang::FunctionDecl& Function);

class CallingContexts {
public:
  /// \param IsOperation says whether a call is an operation's
  CallingContexts(clang::ASTContext& Context,
                  llvm::function_ref<bool(const clang::CallExpr*)> IsOperation);

  /// The functions with bodies outside of libraries whose calls may carry out operations,
  /// instantiations included.
  const std::vector<const clang::FunctionDecl*>& functions() const { return Functions; }
  bool mayHoldOperations(const clang::FunctionDecl* F) const { return Holders.contains(F); }

  /// A call that is not known to come from anywhere.
  const CallingContext* outermost(const clang::FunctionDecl* F);
  /// The frame of the call or construction \p E in \p From; null where it is not followed.
  const CallingContext* enter(const clang::Expr* E, const CallingContext* From);
  /// Why that is so.
  static const char* whyNotEntered(const clang::Expr* E, const CallingContext* From);

  /// The definition of the program's function that is called; null where there is none.
  static const clang::FunctionDecl* calleeOf(const clang::Expr* E);

private:
  void findHolders(std::vector<const clang::FunctionDecl*> Seen,
                   llvm::function_ref<bool(const clang::CallExpr*)> IsOperation);

  std::vector<const clang::FunctionDecl*> Functions;
  std::set<const clang::FunctionDecl*> Holders;
  std::deque<CallingContext> Contexts;
  std::map<std::pair<const clang::Expr*, const CallingContext*>, const CallingContext*> Calls;
};

} // namespace ikra

#endif
