// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk over the steps that a kernel carries out. Variables that are constants are taken as such,
// so that rows never need a column for them.
#include "datalog/plan/join_shape.hpp"

#include <algorithm>
#include <map>

namespace ikra::datalog {

namespace {

using plan::expression;
using plan::operation;

class shape_maker {
public:
  shape_maker(const plan::program& program, const step_list& list)
      : program_(program), version_(list.version), steps_(list.steps),
        has_head_(!list.inner && version_.heads.size() == 1), numbered_(list.row_slot.has_value()) {
    for (const step* before : list.before)
      note_bound(*before);
    if (list.row_slot)
      known_.push_back(*list.row_slot);
  }

  std::optional<join_shape> run(std::size_t at, std::string& why) {
    for (std::size_t before = 0; before < at; ++before)
      note_bound(steps_[before]);
    std::size_t next = at;
    if (at < steps_.size()) {
      if (const auto* range = std::get_if<generate_step>(&steps_[at].what)) {
        start(*range);
        ++next;
      } else if (const auto* join = std::get_if<join_step>(&steps_[at].what)) {
        made_.scans = at == 0 && join->source.known == 0 && !numbered_;
        start(*join);
        ++next;
      }
    }
    made_.joins_nothing = next == at;
    for (; next < steps_.size() && add(next); ++next) {
    }
    made_.steps = next - at;
    if (next == steps_.size() && has_head_)
      write_head(version_.heads.front());
    else if (next == at) // a step without kernels, or nothing
      return std::nullopt;
    else
      write_rows(steps_[next - 1].alive);
    if ((made_.scans || made_.joins_nothing) && made_.actions.empty() && !computes_head())
      return std::nullopt;
    if (made_.input_slots.size() > compiled::most_inputs ||
        made_.outputs.size() > compiled::most_outputs) {
      why = "it needs more than 48 variables at once";
      return std::nullopt;
    }
    return std::move(made_);
  }

private:
  /// Whether the kernel writes a head that does more than to copy values, or any after a scan.
  bool computes_head() const {
    if (made_.head_words == 0)
      return false;
    return made_.scans ||
           std::any_of(made_.outputs.begin(), made_.outputs.end(), [](const expression& value) {
             return value.what != operation::variable && value.what != operation::constant;
           });
  }

  void note_bound(const step& before) {
    if (const auto* b = std::get_if<bind_step>(&before.what)) {
      if (b->value.what == operation::constant)
        constants_[b->slot] = b->value.payload;
      else if (b->value.what == operation::variable)
        if (const auto value = constants_.find(static_cast<u32>(b->value.payload));
            value != constants_.end())
          constants_[b->slot] = value->second;
    }
    for (const u32 slot : bound_by(before))
      known_.push_back(slot);
  }

  void start(const join_step& join) {
    const std::vector<plan::type>& types = program_.relations[join.source.relation].columns;
    std::size_t key = 0;
    for (u32 c = 0; c < types.size(); ++c)
      if (((join.source.known >> c) & 1) != 0) {
        made_.keys.push_back(key_of(join.source.keys[key++]));
        made_.key_bits.push_back(types[c].bits);
      }
    for (const join_step::bound_column& b : join.binds) {
      bound_[b.slot] = {b.column, types[b.column].bits};
      known_.push_back(b.slot);
    }
    const plan::type word{plan::kind::unsigned_number, 64};
    for (const auto& [first, second] : join.equal)
      test({operation::equal,
            word,
            0,
            {read_column(first, types[first].bits, word),
             read_column(second, types[second].bits, word)}});
    for (const expression& condition : join.tests)
      test(renumbered(condition));
  }

  /// The value is from + number * step.
  void start(const generate_step& g) {
    for (const expression* part : {&g.from, &g.to, &g.step})
      made_.range.push_back(renumbered(*part));
    const plan::type word{plan::kind::unsigned_number, 64};
    const expression number{
        operation::convert,
        g.of,
        0,
        {{operation::variable, word, join_shape::read_from(join_shape::column, 0), {}}}};
    const expression offset{operation::multiply, g.of, 0, {number, made_.range[2]}};
    known_.push_back(g.slot);
    let(g.slot, {operation::add, g.of, 0, {made_.range[0], offset}});
  }

  operand key_of(const operand& given) {
    if (given.constant)
      return given;
    const auto slot = static_cast<u32>(given.content);
    const auto constant = constants_.find(slot);
    return constant != constants_.end() ? operand{true, constant->second}
                                        : operand{false, input(slot)};
  }

  u64 input(u32 slot) {
    const auto at = std::find(made_.input_slots.begin(), made_.input_slots.end(), slot);
    if (at != made_.input_slots.end())
      return static_cast<u64>(at - made_.input_slots.begin());
    made_.input_slots.push_back(slot);
    made_.input_bits.push_back(version_.slots[slot].bits);
    return made_.input_slots.size() - 1;
  }

  expression read_column(u8 number, u8 bits, plan::type of) {
    auto at = std::find(made_.columns.begin(), made_.columns.end(), number);
    if (at == made_.columns.end()) {
      at = made_.columns.insert(at, number);
      made_.column_bits.push_back(bits);
    }
    const auto place = static_cast<std::size_t>(at - made_.columns.begin());
    return {operation::variable, of, join_shape::read_from(join_shape::column, place), {}};
  }

  /// The expression with the kernel's own variables.
  expression renumbered(const expression& from) {
    if (from.what == operation::variable) {
      const auto slot = static_cast<u32>(from.payload);
      if (const auto value = constants_.find(slot); value != constants_.end())
        return {operation::constant, from.of, value->second, {}};
      if (const auto alias = computed_.find(slot); alias != computed_.end())
        return {operation::variable, from.of, alias->second, {}};
      if (const auto column = bound_.find(slot); column != bound_.end())
        return read_column(column->second.first, column->second.second, from.of);
      return {
          operation::variable, from.of, join_shape::read_from(join_shape::input, input(slot)), {}};
    }
    expression made{from.what, from.of, from.payload, {}};
    made_.may_fault =
        made_.may_fault || from.what == operation::divide || from.what == operation::remainder;
    for (const expression& operand : from.operands)
      made.operands.push_back(renumbered(operand));
    return made;
  }

  void test(expression condition) {
    made_.actions.push_back({join_shape::action::test, std::move(condition), {}, {}});
  }

  void let(u32 slot, expression value) {
    computed_[slot] = join_shape::read_from(join_shape::computed, values_++);
    made_.actions.push_back({join_shape::action::let, std::move(value), {}, {}});
  }

  void look(join_shape::action::kinds what, const probe& p, std::size_t step) {
    const std::vector<plan::type>& types = program_.relations[p.relation].columns;
    join_shape::action made{what, {}, {}, {}, step};
    for (u32 c = 0; c < types.size(); ++c)
      if (((p.known >> c) & 1) != 0) {
        const operand& key = p.keys[made.keys.size()];
        made.keys.push_back(key.constant
                                ? expression{operation::constant, types[c], key.content, {}}
                                : renumbered({operation::variable, types[c], key.content, {}}));
        made.key_bits.push_back(types[c].bits);
      }
    made_.actions.push_back(std::move(made));
  }

  /// Of a functor that kernels have. \returns false for other functions
  bool call(const call_step& c) {
    const auto functor = program_.functors.find(c.function);
    if (functor == program_.functors.end() || functor->second.code.empty())
      return false;
    const std::string& code = functor->second.code;
    auto at = std::find(made_.functors.begin(), made_.functors.end(), code);
    if (at == made_.functors.end())
      at = made_.functors.insert(at, code);
    expression value{
        operation::call, version_.slots[c.slot], static_cast<u64>(at - made_.functors.begin()), {}};
    for (const operand& given : c.arguments) {
      const auto what = given.constant ? operation::constant : operation::variable;
      const plan::type of = given.constant ? plan::type{} : version_.slots[given.content];
      value.operands.push_back(renumbered({what, of, given.content, {}}));
    }
    known_.push_back(c.slot);
    let(c.slot, std::move(value));
    return true;
  }

  /// \returns false if the step is not part of this kernel.
  bool add(std::size_t number) {
    const step& next = steps_[number];
    if (const auto* n = std::get_if<absent_step>(&next.what)) {
      look(join_shape::action::absent, n->source, number);
      return true;
    }
    if (const auto* p = std::get_if<present_step>(&next.what)) {
      look(join_shape::action::present, p->source, number);
      return true;
    }
    if (const auto* f = std::get_if<filter_step>(&next.what)) {
      test(renumbered(f->test));
      return true;
    }
    if (const auto* c = std::get_if<call_step>(&next.what))
      return call(*c);
    const auto* b = std::get_if<bind_step>(&next.what);
    if (b == nullptr)
      return false;
    const expression value = renumbered(b->value);
    known_.push_back(b->slot);
    if (value.what == operation::constant) {
      constants_[b->slot] = value.payload;
    } else if (value.what == operation::variable) {
      computed_[b->slot] = value.payload;
    } else {
      let(b->slot, value);
    }
    return true;
  }

  void write_head(const plan::head& head) {
    const std::vector<plan::type>& types = program_.relations[head.relation].columns;
    made_.head_words = layout(types, identity_order(types.size())).words;
    for (std::size_t c = 0; c < types.size(); ++c) {
      made_.outputs.push_back(renumbered(head.values[c]));
      made_.output_bits.push_back(types[c].bits);
    }
  }

  void write_rows(const std::vector<u32>& alive) {
    for (const u32 slot : alive)
      if (std::find(known_.begin(), known_.end(), slot) != known_.end()) {
        made_.outputs.push_back(renumbered({operation::variable, version_.slots[slot], slot, {}}));
        made_.output_bits.push_back(version_.slots[slot].bits);
        made_.output_slots.push_back(slot);
      }
  }

  const plan::program& program_;
  const rule_version& version_;
  const std::vector<step>& steps_;
  bool has_head_;
  bool numbered_; ///< there are rows before the first step
  join_shape made_;
  std::vector<u32> known_;
  std::map<u32, u64> constants_;
  std::map<u32, u64> computed_;            ///< slots that are expressions or other names
  std::map<u32, std::pair<u8, u8>> bound_; ///< slots to columns and their widths
  std::size_t values_ = 0;
};

using functor_codes = std::vector<std::string>;

std::string expression_text(const expression& from, const functor_codes& functors) {
  if (from.what == operation::variable)
    return std::string(1, "icv"[from.payload >> 32]) + std::to_string(from.payload & 0xffffffffu);
  if (from.what == operation::constant)
    return std::to_string(from.payload);
  std::string text = from.what == operation::call
                         ? functors[from.payload] + "("
                         : std::to_string(static_cast<int>(from.what)) + "/" +
                               std::string(1, "nufs"[static_cast<int>(from.of.of)]) +
                               std::to_string(from.of.bits) + "(";
  for (const expression& operand : from.operands) {
    text += (&operand == &from.operands.front() ? "" : " ");
    // A conversion is from its operand's type.
    if (from.what == operation::convert)
      text += std::string(1, "nufs"[static_cast<int>(operand.of.of)]) +
              std::to_string(operand.of.bits) + ":";
    text += expression_text(operand, functors);
  }
  return text + ")";
}

template <class Numbers> std::string list_of(const Numbers& numbers) {
  std::string text;
  for (const auto number : numbers)
    text += " " + std::to_string(number);
  return text;
}

} // namespace

std::string join_shape::text() const {
  std::string text;
  if (joins_nothing)
    text = "rows" + list_of(input_bits);
  else if (!range.empty())
    text = "range" + list_of(input_bits);
  else
    text = (scans ? "scan" : "join" + list_of(input_bits)) + ", columns" + list_of(column_bits);
  for (const expression& part : range)
    text += std::string(", ") + "nufs"[static_cast<int>(part.of.of)] +
            std::to_string(part.of.bits) + " " + expression_text(part, functors);
  if (!keys.empty())
    text += ", by";
  for (std::size_t i = 0; i < keys.size(); ++i)
    text += (keys[i].constant ? " " : " i") + std::to_string(keys[i].content) + "/" +
            std::to_string(key_bits[i]);
  for (const action& next : actions) {
    if (next.what == action::test || next.what == action::let) {
      text +=
          (next.what == action::test ? ", if " : ", let ") + expression_text(next.value, functors);
      continue;
    }
    text += next.what == action::absent ? ", none" : ", some";
    for (std::size_t i = 0; i < next.keys.size(); ++i)
      text += (i == 0 ? " by " : " ") + expression_text(next.keys[i], functors) + "/" +
              std::to_string(next.key_bits[i]);
  }
  text += head_words == 0 ? ", rows" : ", head of " + std::to_string(head_words);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    text += " " + expression_text(outputs[i], functors) + "/" + std::to_string(output_bits[i]);
  return text;
}

std::optional<join_shape> shape_of(const plan::program& program, const step_list& list,
                                   std::size_t at, std::string& why) {
  why.clear();
  return shape_maker(program, list).run(at, why);
}

} // namespace ikra::datalog
