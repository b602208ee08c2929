// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of classes that declare an equality without saying so: a friend operator<=> that is
// defaulted brings operator==. nvcc 13.0 declares that for the host's compiler, and never defines
// it.

#ifndef IKRA_ANALYSIS_PREPARE_FRIENDORDERS_H
#define IKRA_ANALYSIS_PREPARE_FRIENDORDERS_H

#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace ikra {

/// The friends after which the host's text has to declare the equality.
std::vector<const clang::FunctionDecl*> findFriendOrders(clang::ASTContext& Context);

} // namespace ikra

#endif
