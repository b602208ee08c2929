// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hand-written scanner: one pass, longest match. Line markers of the preprocessor are skipped
// like comments; source_text has read them.
#include "datalog/frontend/lexer.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "datalog/frontend/values.hpp"

namespace ikra::datalog {
namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

constexpr std::array<std::string_view, 17> directives = {
    ".comp",    ".decl",      ".functor",     ".include",     ".init",   ".input",
    ".lattice", ".limitsize", ".number_type", ".once",        ".output", ".override",
    ".plan",    ".pragma",    ".printsize",   ".symbol_type", ".type"};
// Longer ones first.
constexpr std::array<std::string_view, 37> marks = {
    ":-", "<:", "<=", ">=", "!=", "->", "::", "|", "[", "]", "_", "$", "+",
    "-",  "(",  ")",  ",",  ":",  ";",  ".",  "=", "!", "*", "@", "/", "^",
    "%",  "{",  "}",  "<",  ">",  "?",  "&",  "~", "#", "'", "\\"};

constexpr std::size_t most_errors = 20;

class scanner {
public:
  scanner(const source_text& source, diagnostics& messages)
      : source_(source), text_(source.text()), messages_(messages) {}

  std::vector<token> run() {
    while (skip_blanks() && messages_.errors() < most_errors)
      next();
    if (messages_.errors() >= most_errors) { // no program at all, most likely
      messages_.error("Too many errors: what follows is not read", since(at_));
      tokens_.clear();
    }
    add(token_kind::end, at_, "");
    drop_annotations();
    return std::move(tokens_);
  }

private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  location since(std::size_t begin) const {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  }
  void add(token_kind kind, std::size_t begin, std::string text) {
    tokens_.push_back({kind, since(begin), std::move(text)});
  }

  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n')
      ++at_;
  }

  // False at the end of the text.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        line_start_ = true;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
        ++at_;
      } else if ((c == '/' && peek(1) == '/') || (c == '#' && line_start_)) {
        skip_line();
      } else if (c == '/' && peek(1) == '*') {
        skip_comment();
      } else {
        line_start_ = false;
        return true;
      }
    }
    return false;
  }

  void skip_comment() {
    const std::size_t begin = at_;
    const std::size_t close = text_.find("*/", at_ + 2);
    at_ = close == std::string_view::npos ? text_.size() : close + 2;
    if (close == std::string_view::npos)
      messages_.error("Unterminated comment",
                      {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + 2)});
  }

  void next() {
    const char c = peek();
    if (is_decimal(c))
      return number();
    if (c == '"')
      return string();
    if (is_letter(c) || c == '?' || (c == '_' && is_name(peek(1))))
      return identifier();
    if (c == '.' && directive())
      return;
    mark();
  }

  void identifier() {
    const std::size_t begin = at_;
    while (is_name(peek()))
      ++at_;
    std::string name{text_.substr(begin, at_ - begin)};
    // The one keyword with a dash.
    if (name == "choice" && text_.substr(at_).starts_with("-domain") && !is_name(peek(7))) {
      at_ += 7;
      name = "choice-domain";
    }
    if (name == "__LINE__" || name == "__FILE__") {
      const place here = source_.locate(static_cast<std::uint32_t>(begin));
      return name == "__FILE__" ? add(token_kind::string, begin, here.file)
                                : add(token_kind::number, begin, std::to_string(here.line));
    }
    add(token_kind::identifier, begin, std::move(name));
  }

  bool directive() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_name(text_[end]))
      ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    if (std::find(directives.begin(), directives.end(), word) == directives.end())
      return false;
    const std::size_t begin = at_;
    at_ = end;
    add(token_kind::directive, begin, std::string{word});
    return true;
  }

  template <class Test> void skip_while(Test test) {
    while (at_ < text_.size() && test(text_[at_]))
      ++at_;
  }

  void number() {
    const std::size_t begin = at_;
    token_kind kind = token_kind::number;
    if (peek() == '0' && peek(1) == 'x' && is_hex(peek(2))) {
      at_ += 2;
      skip_while(is_hex);
    } else if (peek() == '0' && peek(1) == 'b' && (peek(2) == '0' || peek(2) == '1')) {
      at_ += 2;
      skip_while([](char c) { return c == '0' || c == '1'; });
    } else {
      skip_while(is_decimal);
      int points = 0;
      while (points < 3 && peek() == '.' && is_decimal(peek(1))) {
        ++at_;
        ++points;
        skip_while(is_decimal);
      }
      if (points == 3)
        return address(begin);
      if (points > 0) {
        kind = token_kind::real;
        if (points > 1)
          messages_.error("Malformed number", since(begin));
      }
    }
    std::string digits{text_.substr(begin, at_ - begin)};
    if (kind == token_kind::number && peek() == 'u' && !is_name(peek(1))) {
      ++at_;
      kind = token_kind::unsigned_number;
    } else if (is_letter(peek())) {
      skip_while(is_name);
      messages_.error("Malformed number", since(begin));
    }
    add(kind, begin, std::move(digits));
  }

  // 192.168.0.1 is a number, as Soufflé has it: the signed one of these bits.
  void address(std::size_t begin) {
    std::uint32_t bits = 0;
    std::uint32_t part = 0;
    bool fits = true;
    for (std::size_t i = begin; i <= at_; ++i) {
      const char c = i < at_ ? text_[i] : '.';
      if (c == '.') {
        bits = bits << 8 | (part & 255);
        part = 0;
      } else {
        part = std::min<std::uint32_t>(part * 10 + static_cast<std::uint32_t>(c - '0'), 256);
        fits = fits && part < 256;
      }
    }
    if (!fits)
      messages_.error("IP out of range", since(begin));
    add(token_kind::number, begin, std::to_string(static_cast<std::int32_t>(bits)));
  }

  void string() {
    const std::size_t begin = at_++;
    std::string value;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        value += text_[at_++];
        continue;
      }
      const std::optional<char> meant = unescape(peek(1));
      if (meant)
        value += *meant;
      else
        messages_.error(std::string{"Unknown escape sequence \\"} + peek(1),
                        {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(at_ + 2)});
      at_ = std::min(at_ + 2, text_.size());
    }
    if (at_ == text_.size())
      messages_.error("Unterminated string",
                      {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + 1)});
    else
      ++at_;
    if (!is_utf8(value))
      messages_.error("String is not valid UTF-8", since(begin));
    add(token_kind::string, begin, std::move(value));
  }

  static std::optional<char> unescape(char c) {
    switch (c) {
    case '"':
    case '\'':
    case '\\':
      return c;
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return std::nullopt;
    }
  }

  void mark() {
    const std::size_t begin = at_;
    const auto found = std::find_if(marks.begin(), marks.end(), [&](std::string_view word) {
      return text_.substr(begin).starts_with(word);
    });
    if (found == marks.end()) {
      // A character of several bytes is one.
      for (++at_; (static_cast<unsigned char>(peek()) & 0xC0U) == 0x80U; ++at_) {
      }
      const std::string_view found_text = text_.substr(begin, at_ - begin);
      messages_.error(is_utf8(found_text) && static_cast<unsigned char>(found_text.front()) >= ' '
                          ? "syntax error, unexpected character " + std::string{found_text}
                          : "syntax error, unexpected byte " + hexadecimal(found_text.front()),
                      since(begin));
      return;
    }
    at_ += found->size();
    add(token_kind::punctuation, begin, std::string{*found});
  }

  static std::string hexadecimal(char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    return {'0', 'x', digits[byte >> 4U], digits[byte & 15U]};
  }

  // `@[…]` and `@![…]` say something of what stands beside them to other tools. All tokens are
  // allowed in them; brackets are in pairs.
  void drop_annotations() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const auto is = [&](std::size_t ahead, std::string_view mark) {
        return i + ahead < tokens_.size() && tokens_[i + ahead].is(mark);
      };
      const std::size_t open = is(1, "!") ? 2 : 1;
      if (!is(0, "@") || !is(open, "[")) {
        if (kept != i)
          tokens_[kept] = std::move(tokens_[i]);
        ++kept;
        continue;
      }
      const location start = tokens_[i].where;
      int depth = 0;
      for (i += open; i + 1 < tokens_.size(); ++i) {
        const token& inner = tokens_[i];
        if (inner.is("[") || inner.is("(") || inner.is("{"))
          ++depth;
        else if ((inner.is("]") || inner.is(")") || inner.is("}")) && --depth == 0)
          break;
      }
      if (i + 1 >= tokens_.size()) { // the end token stays
        messages_.error("Unterminated annotation", start);
        --i;
      }
    }
    tokens_.resize(kept);
  }

  const source_text& source_;
  std::string_view text_;
  diagnostics& messages_;
  std::vector<token> tokens_;
  std::size_t at_ = 0;
  bool line_start_ = true;
};

} // namespace

bool is_name(char c) { return is_letter(c) || is_decimal(c) || c == '_' || c == '?'; }

std::vector<token> lex(const source_text& source, diagnostics& messages) {
  return scanner(source, messages).run();
}

} // namespace ikra::datalog
