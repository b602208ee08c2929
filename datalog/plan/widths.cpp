// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Widths grow from the facts' to a fixpoint: a head's column takes what its expression may need,
// and a variable what all of the literals that bind it agree on.
#include "datalog/plan/widths.hpp"

#include <algorithm>
#include <bit>

namespace ikra::datalog {

namespace {

u8 width_of_value(u64 value) { return static_cast<u8>(std::bit_width(value | 1)); }

class widener {
public:
  widener(const plan::program& program, const std::vector<column_widths>& facts)
      : program_(program) {
    for (std::size_t r = 0; r < program.relations.size(); ++r) {
      const std::vector<plan::type>& columns = program.relations[r].columns;
      made_.emplace_back(columns.size(), u8(1));
      for (std::size_t c = 0; c < columns.size(); ++c)
        if (columns[c].of == plan::kind::floating) // equal values may have different bits
          made_[r][c] = columns[c].bits;
        else if (!facts[r].empty())
          made_[r][c] = facts[r][c];
    }
  }

  std::vector<column_widths> run() {
    for (bool more = true; more;) {
      more = false;
      for (const plan::rule& rule : program_.rules)
        more |= apply(rule);
    }
    // What is removed from a relation is looked for in it, word by word.
    for (std::size_t r = 0; r < made_.size(); ++r)
      if (const auto& dominated = program_.relations[r].dominated)
        made_[*dominated] = made_[r];
    return std::move(made_);
  }

private:
  bool apply(const plan::rule& rule) {
    slots_.clear();
    for (const plan::type of : rule.slots)
      slots_.push_back(of.bits);
    // Bindings may stand before what they read: the second pass knows more. Fewer are not wrong.
    for (int pass = 0; pass < 2; ++pass)
      for (const plan::literal& l : rule.body)
        narrow(l);
    bool grown = false;
    for (const plan::head& head : rule.heads)
      for (std::size_t c = 0; c < head.values.size(); ++c) {
        u8& width = made_[head.relation][c];
        const u8 needed =
            std::min(width_of(head.values[c]), program_.relations[head.relation].columns[c].bits);
        grown |= needed > width;
        width = std::max(width, needed);
      }
    return grown;
  }

  void narrow(const plan::literal& l) {
    if (const auto* a = std::get_if<plan::atom>(&l.what)) {
      for (std::size_t c = 0; c < a->arguments.size(); ++c)
        if (a->arguments[c].place == plan::argument::variable)
          narrow(a->arguments[c].content, made_[a->relation][c]);
    } else if (const auto* b = std::get_if<plan::binding>(&l.what);
               b != nullptr && b->value.of.of != plan::kind::floating) {
      narrow(b->slot, width_of(b->value));
    }
  }
  void narrow(u64 slot, u8 width) { slots_[slot] = std::min(slots_[slot], width); }

  u8 width_of(const plan::expression& e) const {
    const auto both = [&](auto choose) {
      return choose(width_of(e.operands[0]), width_of(e.operands[1]));
    };
    const auto larger = [](u8 a, u8 b) { return std::max(a, b); };
    using op = plan::operation;
    switch (e.what) {
    case op::constant:
      return width_of_value(e.payload);
    case op::variable:
      return slots_[e.payload];
    case op::bit_and:
      return both([](u8 a, u8 b) { return std::min(a, b); });
    case op::bit_or:
    case op::bit_xor:
    case op::minimum:
    case op::maximum:
      return e.of.of == plan::kind::floating ? e.of.bits : both(larger);
    default:
      return e.of.bits;
    }
  }

  const plan::program& program_;
  std::vector<column_widths> made_;
  std::vector<u8> slots_; ///< of the rule that is looked at
};

} // namespace

std::vector<column_widths> widths_of(const plan::program& program,
                                     const std::vector<column_widths>& facts) {
  return widener(program, facts).run();
}

} // namespace ikra::datalog
