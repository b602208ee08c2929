// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A printed expression, with how tightly it binds. Nodes of the AST vanish in print (std::move,
// implicit conversions, references to objects), and with them the parentheses that calls had: who
// puts an operator beside an expression asks for the precedence that it needs there.

#ifndef IKRA_EMIT_CODE_CODE_H
#define IKRA_EMIT_CODE_CODE_H

#include <string>
#include <utility>

namespace ikra {

/// C++'s precedence of operators, the loosest first.
enum class Precedence {
  Comma,
  Assignment, ///< and ?:
  LogicalOr,
  LogicalAnd,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relation,
  Spaceship,
  Shift,
  Sum,
  Product,
  Unary,
  Postfix, ///< and all that is one word or stands in brackets
};

struct Code {
  std::string Text;
  Precedence Binds = Precedence::Postfix;

  Code(std::string Text, Precedence Binds = Precedence::Postfix)
      : Text(std::move(Text)), Binds(Binds) {}
  Code(const char* Text) : Text(Text) {}

  /// The text where nothing looser than \p Least may stand.
  std::string at(Precedence Least) const { return Binds < Least ? "(" + Text + ")" : Text; }
};

} // namespace ikra

#endif
