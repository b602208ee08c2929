// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to members, before sections are looked for: what `x.*m` and `(x.*f)()` name is written
// into the AST in their place, so that all that follows sees members and calls of methods.

#ifndef IKRA_ANALYSIS_PREPARE_MEMBERPOINTERS_H
#define IKRA_ANALYSIS_PREPARE_MEMBERPOINTERS_H

namespace clang {
class ASTContext;
} // namespace clang

namespace ikra {

/// Puts into the program's functions, in place of
///   x.*m, m a constant              x.a
///   x.*table[k], of a constant      k == 0 ? x.a : k == 1 ? x.b : x.c
///   x.*m, m a variable              m == &X::a ? x.a : m == &X::b ? x.b : x.c
/// The first two also where functions are called. The last has all members of m's type, or those in
/// the constant array that a range for takes m from. What remains is refused in sections.
void nameMembers(clang::ASTContext& Context);

} // namespace ikra

#endif
