// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Characters to tokens. Keywords are ordinary identifiers here: which words are reserved depends on
// where they stand, and the parser knows that. Relies on source.hpp and diagnostic.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datalog/frontend/diagnostic.hpp"
#include "datalog/frontend/source.hpp"

namespace ikra::datalog {

enum class token_kind : std::uint8_t {
  end,             ///< after the last character
  identifier,      ///< letters, digits, `_`, `?`; not a lone `_`
  directive,       ///< `.decl` and its kin, with the dot
  string,          ///< text is the value: no quotes, escapes replaced
  number,          ///< decimal, 0x…, 0b…, or a dotted address, which becomes its number
  unsigned_number, ///< the same with a `u` after it; text has no `u`
  real,            ///< digits with a point
  punctuation      ///< operators, brackets, a lone `_`
};

struct token {
  token_kind kind = token_kind::end;
  location where;
  std::string text;

  bool is(std::string_view punctuation) const {
    return kind == token_kind::punctuation && text == punctuation;
  }
  bool is_word(std::string_view word) const {
    return kind == token_kind::identifier && text == word;
  }
};

/// Whether a character can be part of an identifier.
bool is_name(char c);

/// All tokens of a text; the last one is of the kind end. What is no token is reported and left
/// out.
std::vector<token> lex(const source_text& source, diagnostics& messages);

} // namespace ikra::datalog
