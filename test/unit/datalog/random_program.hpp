// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random stratified programs as text, the same for the same seed, with facts for their inputs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace random_programs {

/// Columns of a relation: n is a number, s a symbol, l a list.
struct signature {
  std::string name, columns;
  bool chooses = false; ///< has a choice domain
};

using facts = std::vector<std::vector<std::string>>; ///< values as fact files have them

class generator {
public:
  explicit generator(unsigned seed) : random_(seed) {}

  void make() {
    text_ = ".type List = [head: number, tail: List]\n";
    declare({"edge", "nn"});
    declare({"label", "sn"});
    declare({"list", "l"});
    for (int stratum = 0; stratum < 4; ++stratum) {
      const std::size_t below_here = relations_.size();
      const unsigned relations = 1 + below(2);
      for (unsigned r = 0; r < relations; ++r) {
        static const char* const shapes[] = {"n", "nn", "nn", "sn", "l"};
        declare({"r" + std::to_string(relations_.size()), shapes[below(5)]}, true);
      }
      for (std::size_t r = below_here; r < relations_.size(); ++r)
        for (unsigned n = 1 + below(3), rule = 0; rule < n; ++rule)
          add_rule(relations_[r], below_here, rule > 0);
      for (std::size_t r = below_here; r < relations_.size(); ++r)
        if (!relations_[r].chooses && chance(20))
          add_subsumption(relations_[r]);
    }
  }

  const std::string& text() const { return text_; }
  const std::vector<signature>& relations() const { return relations_; }
  static constexpr std::size_t inputs = 3;

  facts some_facts(const signature& of) {
    facts all;
    for (unsigned n = below(8); n > 0; --n) {
      std::vector<std::string> fact;
      for (const char kind : of.columns)
        fact.push_back(value(kind));
      all.push_back(std::move(fact));
    }
    return all;
  }

private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::string number() { return std::to_string(static_cast<int>(below(7)) - 2); }
  std::string value(char kind) {
    if (kind == 'n')
      return number();
    if (kind == 's')
      return std::string(1, static_cast<char>('a' + below(3)));
    std::string list = "nil";
    for (unsigned n = below(3); n > 0; --n)
      list = "[" + number() + ", " + list + "]";
    return list;
  }
  std::string literal(char kind) { return kind == 's' ? '"' + value(kind) + '"' : value(kind); }

  void declare(signature of, bool may_choose = false) {
    text_ += ".decl " + of.name + "(";
    for (std::size_t c = 0; c < of.columns.size(); ++c)
      text_ += (c == 0 ? "c" : ", c") + std::to_string(c) +
               (of.columns[c] == 'n'   ? ": number"
                : of.columns[c] == 's' ? ": symbol"
                                       : ": List");
    // Of symbols, which ones are chosen depends on which was met first.
    of.chooses = may_choose && of.columns[0] == 'n' && chance(20);
    static const char* const domains[] = {"c0", "c1", "c1, c0", "(c0, c1)"};
    text_ += of.chooses ? std::string(") choice-domain ") +
                              domains[of.columns.size() == 1 ? 0 : below(4)] + "\n"
                        : ")\n";
    relations_.push_back(std::move(of));
  }

  std::string fresh(char kind) {
    bound_.push_back(std::string(1, kind) + std::to_string(next_++));
    return bound_.back();
  }
  /// A variable of the kind that is bound; nothing if there is none.
  std::string known(char kind) {
    std::vector<std::string> fitting;
    for (const std::string& name : bound_)
      if (name[0] == kind)
        fitting.push_back(name);
    return fitting.empty() ? "" : fitting[below(static_cast<unsigned>(fitting.size()))];
  }

  std::string atom(const signature& of, bool binds) {
    std::string made = of.name + "(";
    for (std::size_t c = 0; c < of.columns.size(); ++c) {
      const char kind = of.columns[c];
      const std::string old = known(kind);
      made += c == 0 ? "" : ", ";
      if (chance(10))
        made += "_";
      else if (chance(10))
        made += literal(kind);
      else if (!old.empty() && chance(binds ? 45 : 90))
        made += old;
      else
        made += binds ? fresh(kind) : "_";
    }
    return made + ")";
  }

  /// A value of bound variables; numbers stay small.
  std::string small(char kind) {
    const std::string x = known(kind);
    if (x.empty() || chance(10))
      return kind == 'l' && !known('n').empty() ? "[" + known('n') + ", nil]" : literal(kind);
    if (kind == 'n' && chance(35)) {
      static const char* const operators[] = {" + ", " - ", " * ", " bxor "};
      return "(" + x + operators[below(4)] + known('n') + ") % 5";
    }
    if (kind == 's' && chance(30))
      return chance(50) ? "substr(" + x + ", 0, 1)" : "to_string(strlen(" + x + "))";
    return x;
  }

  /// An aggregate over inputs, of what is bound so far. \param inner how many may be within it
  std::string aggregate(unsigned inner) {
    static const char* const functions[] = {"count", "sum", "min", "max", "mean"};
    const unsigned which = below(5);
    const std::vector<std::string> outside = bound_;
    const std::string own = "n" + std::to_string(next_++);
    const signature& over = relations_[chance(50) ? 0 : 1];
    const std::string given = known(over.columns[0]);
    std::string body =
        over.name + "(" + (given.empty() || chance(30) ? "_" : given) + ", " + own + ")";
    std::string target = own;
    bound_.push_back(own);
    if (chance(30)) {
      body += ", " + atom(relations_[0], true);
      target = chance(50) ? known('n') : target;
    }
    if (chance(25))
      body += ", !" + atom(relations_[below(2)], false);
    if (inner > 0 && chance(35)) {
      const std::string within = "n" + std::to_string(next_++);
      body += ", " + within + " = " + aggregate(inner - 1);
      bound_.push_back(within);
      if (chance(50))
        target = own + " * " + within;
    }
    if (chance(30))
      body += ", " + known('n') + (chance(50) ? " < " : " != ") + small('n');
    bound_ = outside;
    const std::string made =
        std::string(functions[which]) + (which == 0 ? "" : " " + target) + " : { " + body + " }";
    return which == 4 ? "ftoi(" + made + ")" : made;
  }

  /// A strict partial order.
  void add_subsumption(const signature& of) {
    const std::string name = of.name;
    if (of.columns == "n")
      text_ += name + (chance(50) ? "(a) <= " + name + "(b) :- a < b, b - a < 9.\n"
                                  : "(a) <= " + name + "(0) :- edge(_, a).\n");
    else if (of.columns == "sn")
      text_ += name + "(s, a) <= " + name + "(s, b) :- b < a, !label(s, b).\n";
    else if (of.columns == "nn")
      text_ += name + (chance(50) ? "(a, b) <= " + name + "(a, c) :- b <= c.\n"
                                  : "(a, b) <= " + name + "(c, d) :- a <= c, (b < d; b = d).\n");
  }

  void add_rule(const signature& head, std::size_t below_here, bool recursive) {
    bound_.clear();
    std::vector<std::string> body;
    const auto any = [&](std::size_t limit) -> const signature& {
      return relations_[below(static_cast<unsigned>(limit))];
    };
    for (unsigned n = 1 + below(3); n > 0; --n)
      body.push_back(atom(any(recursive ? relations_.size() : below_here), true));
    if (const std::string list = known('l'); !list.empty() && chance(50)) {
      const std::string first = fresh('n');
      body.push_back(list + " = [" + first + ", _]");
    }
    if (chance(25) && !known('n').empty())
      body.push_back(known('n') + (chance(50) ? " < " : " != ") + small('n'));
    if (chance(15) && !known('s').empty())
      body.push_back(known('s') + " <= " + small('s'));
    if (chance(30))
      body.push_back("!" + atom(any(below_here), false));
    if (chance(25)) {
      const std::string result = "n" + std::to_string(next_++);
      body.push_back(result + " = " + aggregate(1));
      bound_.push_back(result);
    }
    std::string made = head.name + "(";
    for (std::size_t c = 0; c < head.columns.size(); ++c) {
      const std::string given = small(head.columns[c]);
      made += (c == 0 ? "" : ", ") + (head.columns[c] == 'n' ? "(" + given + ") % 7" : given);
    }
    text_ += made + ") :- ";
    std::shuffle(body.begin(), body.end(), random_);
    for (std::size_t i = 0; i < body.size(); ++i)
      text_ += (i == 0 ? "" : ", ") + body[i];
    text_ += ".\n";
  }

  std::mt19937 random_;
  std::string text_;
  std::vector<signature> relations_;
  std::vector<std::string> bound_;
  int next_ = 0;
};

} // namespace random_programs
