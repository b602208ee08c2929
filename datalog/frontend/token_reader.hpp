// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the halves of the parser share: a place in the tokens, and how a syntax error ends the
// reading. Private to the front end; relies on the lexer and the AST.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "datalog/frontend/ast.hpp"
#include "datalog/frontend/lexer.hpp"

namespace ikra::datalog::detail {

/// Thrown where the text is no program; the message has been reported.
struct syntax_error {};

class token_reader {
public:
  token_reader(std::vector<token> tokens, diagnostics& messages)
      : tokens_(std::move(tokens)), messages_(messages) {}

  const token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  std::size_t position() const noexcept { return at_; }
  location last_where() const { return at_ == 0 ? location{} : tokens_[at_ - 1].where; }
  bool at_end() const { return peek().kind == token_kind::end; }

  const token& take() {
    const token& taken = peek();
    if (!at_end())
      ++at_;
    return taken;
  }
  bool take_if(std::string_view punctuation) {
    const bool is = peek().is(punctuation);
    at_ += is ? 1 : 0;
    return is;
  }
  bool take_word(std::string_view word) {
    const bool is = peek().is_word(word);
    at_ += is ? 1 : 0;
    return is;
  }
  location expect(std::string_view punctuation) {
    if (!peek().is(punctuation))
      fail(std::string{punctuation});
    return take().where;
  }
  const token& expect(token_kind kind, std::string_view what) {
    if (peek().kind != kind)
      fail(what);
    return take();
  }

  /// The position of the bracket that closes the one at `open`; the last token's if none does.
  std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i + 1 < tokens_.size(); ++i) {
      const token& t = tokens_[i];
      if (t.is("(") || t.is("[") || t.is("{"))
        ++depth;
      else if ((t.is(")") || t.is("]") || t.is("}")) && --depth == 0)
        return i;
    }
    return tokens_.size() - 1;
  }
  const token& at(std::size_t position) const { return tokens_[position]; }
  const token& after(std::size_t position) const {
    return tokens_[std::min(position + 1, tokens_.size() - 1)];
  }

  [[noreturn]] void fail(std::string_view expected) {
    messages_.error("syntax error, unexpected " + describe(peek()) + ", expecting " +
                        std::string{expected},
                    peek().where);
    throw syntax_error{};
  }

  diagnostics& messages() { return messages_; }

private:
  static std::string describe(const token& t) {
    switch (t.kind) {
    case token_kind::end:
      return "end of file";
    case token_kind::identifier:
      return "identifier " + t.text;
    case token_kind::string:
      return "symbol";
    case token_kind::number:
    case token_kind::unsigned_number:
    case token_kind::real:
      return "number " + t.text;
    case token_kind::directive:
    case token_kind::punctuation:
      break;
    }
    return t.text;
  }

  std::vector<token> tokens_;
  diagnostics& messages_;
  std::size_t at_ = 0;
};

/// Values, literals and bodies: parser_body.cpp.
class body_parser {
public:
  explicit body_parser(token_reader& in) : in_(in) {}

  ast::argument argument() { return binary(0); }
  ast::atom atom();
  /// A disjunction of conjunctions.
  std::vector<std::vector<ast::literal>> disjunction();
  /// A name with dots.
  std::string qualified_name();

private:
  class nesting;

  std::vector<ast::literal> conjunction();
  ast::literal literal();
  ast::literal constraint();
  ast::argument binary(int level);
  ast::argument unary();
  ast::argument power();
  ast::argument primary();
  ast::argument word();
  ast::argument dollar();
  ast::argument call(functor op, location start);
  ast::argument cast(location start);
  ast::argument aggregate(aggregator op, location start);
  std::vector<ast::argument> arguments(std::string_view close);
  bool starts_atom() const;
  bool starts_value_in_brackets() const;
  bool starts_functor() const;

  token_reader& in_;
  int depth_ = 0;
};

} // namespace ikra::datalog::detail
