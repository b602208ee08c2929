// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy scheduling: everything that can run without a further join runs at once, tests of what no
// head needs among it; then the atom is joined for which the fewest matches are expected. Host
// calls are taken out of expressions into steps of their own.
#include "datalog/plan/schedule.hpp"

#include "datalog/plan/body_parts.hpp"

#include <ikra/error.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <span>

namespace ikra::datalog {

namespace {

using plan::expression;
using plan::operation;

bool has_call(const expression& from) {
  return from.what == operation::call ||
         std::any_of(from.operands.begin(), from.operands.end(), has_call);
}

class scheduler {
public:
  scheduler(const plan::program& program, const match_estimate& matches,
            std::vector<plan::type>& slots, const std::string& text)
      : program_(program), matches_(matches), slots_(slots), text_(text), known_(slots.size(), 0) {}

  std::vector<step> steps;

  /// Lets parts of bodies be tested of which these variables are not. Not called: every solution
  /// counts.
  void test_all_but(std::vector<u32> needed) {
    tests_ = true;
    needed_ = std::move(needed);
  }

  void know(u32 slot) {
    if (known_.size() <= slot)
      known_.resize(slot + 1, 0);
    known_[slot] = 1;
  }
  bool knows(u32 slot) const { return slot < known_.size() && known_[slot] != 0; }
  bool knows(const expression& e) const {
    std::vector<u32> used;
    collect_slots(e, used);
    return std::all_of(used.begin(), used.end(), [&](u32 s) { return knows(s); });
  }

  /// Schedules all literals. \param forced the order of atoms, as positions among them; empty:
  /// free. \param inner the same for the bodies of aggregates.
  void run(const std::vector<plan::literal>& body, int delta_atom, const std::vector<u32>& forced,
           const std::vector<std::vector<u32>>& inner = {}) {
    std::vector<const plan::literal*> waiting, atoms;
    std::size_t aggregates = 0;
    for (const plan::literal& l : body) {
      if (std::holds_alternative<plan::atom>(l.what)) {
        atoms.push_back(&l);
        continue;
      }
      waiting.push_back(&l);
      if (const auto* a = std::get_if<plan::aggregate>(&l.what); a && aggregates < inner.size())
        inner_orders_[a] = inner[aggregates++];
    }
    // Variables that occur outside an aggregate are not local to it.
    outer_ = outer_slots(body);
    body_state rest{std::move(waiting), std::move(atoms), {}, {}};
    rest.joined.assign(rest.atoms.size(), false);
    std::size_t place = 0;
    for (bool first = true;; first = false) {
      run_ready(rest.waiting);
      test_parts(rest, first, delta_atom);
      if (std::find(rest.joined.begin(), rest.joined.end(), false) == rest.joined.end())
        break;
      while (!forced.empty() && rest.joined[forced[place]])
        ++place;
      std::size_t next = 0;
      if (!forced.empty())
        next = forced[place];
      else if (first && delta_atom >= 0)
        next = static_cast<std::size_t>(delta_atom);
      else
        next = choose(rest);
      join(atom_of(rest, next), static_cast<int>(next) == delta_atom);
      rest.joined[next] = true;
    }
    if (!rest.waiting.empty())
      fail("a variable of a condition, negation, functor or aggregate is bound by nothing");
  }

  /// \returns the expression with calls replaced by variables that call steps bind.
  expression without_calls(const expression& from) {
    if (!has_call(from))
      return from;
    expression made = from;
    for (expression& operand : made.operands)
      operand = without_calls(operand);
    if (made.what != operation::call)
      return made;
    call_step call{new_slot(made.of), made.payload, {}};
    for (const expression& argument : made.operands)
      call.arguments.push_back(as_operand(argument));
    know(call.slot);
    expression result{operation::variable, made.of, call.slot, {}};
    steps.push_back({std::move(call), {}});
    return result;
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw error(error_kind::unsupported, "Datalog: rule '" + text_ + "': " + why);
  }

private:
  /// What is left of a body.
  struct body_state {
    std::vector<const plan::literal*> waiting; ///< all but atoms
    std::vector<const plan::literal*> atoms;
    std::vector<bool> joined;   ///< by atom: it has been, or is tested
    std::vector<bool> reserved; ///< by atom: it is left until it can be tested; may be empty
  };

  static const plan::atom& atom_of(const body_state& rest, std::size_t number) {
    return std::get<plan::atom>(rest.atoms[number]->what);
  }

  /// Makes tests of the parts of a body that give the needed variables no values. The first atom is
  /// joined before, so that there are rows to test, unless all is tested. What may end the program
  /// comes last, when the reference looks at it, too.
  void test_parts(body_state& rest, bool first, int delta_atom) {
    rest.reserved.clear();
    if (!tests_ || (first && delta_atom >= 0))
      return;
    std::vector<const plan::literal*> literals;
    std::vector<std::size_t> numbers; // of atoms
    for (std::size_t i = 0; i < rest.atoms.size(); ++i)
      if (!rest.joined[i]) {
        literals.push_back(rest.atoms[i]);
        numbers.push_back(i);
      }
    literals.insert(literals.end(), rest.waiting.begin(), rest.waiting.end());
    const std::vector<u32> part = parts_of(literals, [&](u32 slot) { return knows(slot); });
    const std::size_t parts = part.empty() ? 0 : 1 + *std::max_element(part.begin(), part.end());
    std::vector<bool> reaches(parts), fails(parts);
    for (std::size_t i = 0; i < literals.size(); ++i) {
      std::vector<u32> slots;
      collect_slots(*literals[i], slots);
      // Orders of an aggregate's atoms are known by its place in the rule's own body.
      if (std::holds_alternative<plan::aggregate>(literals[i]->what) ||
          std::any_of(slots.begin(), slots.end(), [&](u32 slot) {
            return !knows(slot) && std::find(needed_.begin(), needed_.end(), slot) != needed_.end();
          }))
        reaches[part[i]] = true;
      if (may_fail(*literals[i]))
        fails[part[i]] = true;
    }
    bool left = false; // atoms that are joined
    for (std::size_t i = 0; i < numbers.size(); ++i)
      left |= reaches[part[i]];
    if (first && (left || is_test_))
      left = true;
    rest.reserved.assign(rest.atoms.size(), false);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      rest.reserved[numbers[i]] = !reaches[part[i]] && left && !(first && is_test_);
    for (u32 p = 0; p < parts; ++p) {
      std::vector<const plan::literal*> literals_of;
      bool joins = false;
      for (std::size_t i = 0; i < literals.size(); ++i)
        if (part[i] == p) {
          literals_of.push_back(literals[i]);
          joins |= i < numbers.size();
        }
      if (reaches[p] || !joins || (first && left) || (fails[p] && left) ||
          (left && !is_look_up(literals_of) && next_is_selective(rest)))
        continue;
      test(literals_of, fails[p]);
      for (std::size_t i = 0; i < literals.size(); ++i)
        if (part[i] == p && i < numbers.size())
          rest.joined[numbers[i]] = true;
        else if (part[i] == p)
          rest.waiting.erase(std::find(rest.waiting.begin(), rest.waiting.end(), literals[i]));
    }
  }

  bool is_look_up(const std::vector<const plan::literal*>& part) const {
    const auto* a = std::get_if<plan::atom>(&part.front()->what);
    return a != nullptr && part.size() == 1 && is_look_up(*a);
  }

  /// Whether the next atom is looked up by several columns and is expected to give few rows for
  /// each. It may well give none, so it comes before tests that take longer than a look-up. By a
  /// single column, some rows may have many more than others.
  bool next_is_selective(const body_state& rest) const {
    const std::size_t next = choose(rest);
    if (rest.joined[next] || rest.reserved[next])
      return false;
    const plan::atom& atom = atom_of(rest, next);
    const column_set known = known_columns(atom);
    return std::popcount(known) >= 2 && matches_(atom.relation, known) <= few_matches;
  }

  void test(const std::vector<const plan::literal*>& part, bool fails) {
    if (is_look_up(part)) {
      const auto* a = std::get_if<plan::atom>(&part.front()->what);
      present_step made{{a->relation, false, 0, {}}};
      for (std::size_t c = 0; c < a->arguments.size(); ++c)
        if (a->arguments[c].place != plan::argument::variable ||
            knows(static_cast<u32>(a->arguments[c].content)))
          add_key(made.source, a->arguments[c], c);
      steps.push_back({std::move(made), {}});
      return;
    }
    exists_step made;
    made.may_fail = fails;
    made.row_slot = new_slot({plan::kind::unsigned_number, 32});
    scheduler within(program_, matches_, slots_, text_);
    within.known_ = known_;
    within.ways_ = ways_;
    within.test_all_but({});
    within.is_test_ = true;
    std::vector<plan::literal> body;
    for (const plan::literal* l : part)
      body.push_back(*l);
    within.run(body, -1, {});
    made.body = std::move(within.steps);
    made.kernels.resize(made.body.size() + 1);
    made.given = read_by(made.body);
    keep_known(made.given);
    steps.push_back({std::move(made), {}});
  }

  /// Whether no unknown variable stands twice.
  bool is_look_up(const plan::atom& a) const {
    std::vector<u32> slots;
    collect_slots(a, slots);
    std::sort(slots.begin(), slots.end());
    for (std::size_t i = 1; i < slots.size(); ++i)
      if (slots[i] == slots[i - 1] && !knows(slots[i]))
        return false;
    return true;
  }

  static std::vector<u32> read_by(const std::vector<step>& steps);

  void keep_known(std::vector<u32>& slots) const {
    std::erase_if(slots, [&](u32 slot) { return !knows(slot); });
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  }

  static std::vector<u32> outer_slots(const std::vector<plan::literal>& body) {
    std::vector<u32> slots;
    for (const plan::literal& l : body)
      if (const auto* a = std::get_if<plan::atom>(&l.what)) {
        for (const plan::argument& arg : a->arguments)
          if (arg.place == plan::argument::variable)
            slots.push_back(static_cast<u32>(arg.content));
      } else if (const auto* b = std::get_if<plan::binding>(&l.what)) {
        slots.push_back(b->slot);
      } else if (const auto* g = std::get_if<plan::generator>(&l.what)) {
        slots.push_back(g->slot);
      } else if (const auto* agg = std::get_if<plan::aggregate>(&l.what)) {
        slots.push_back(agg->slot);
      }
    return slots;
  }

  u32 new_slot(plan::type of) {
    slots_.push_back(of);
    return static_cast<u32>(slots_.size() - 1);
  }

  operand as_operand(const expression& e) {
    if (e.what == operation::constant)
      return {true, e.payload};
    if (e.what == operation::variable)
      return {false, e.payload};
    const u32 slot = new_slot(e.of);
    steps.push_back({bind_step{slot, e}, {}});
    know(slot);
    return {false, slot};
  }

  /// \returns a variable or constant with the expression's value.
  expression simple(const expression& from) {
    const operand made = as_operand(without_calls(from));
    return {made.constant ? operation::constant : operation::variable, from.of, made.content, {}};
  }

  /// Runs what can run; repeats, because bindings make other literals ready.
  void run_ready(std::vector<const plan::literal*>& waiting) {
    for (bool again = true; again;) {
      again = false;
      for (auto at = waiting.begin(); at != waiting.end();) {
        if (run_if_ready(**at)) {
          at = waiting.erase(at);
          again = true;
        } else {
          ++at;
        }
      }
    }
  }

  void filter(expression test) {
    // A condition right after a join is tested while joining.
    if (!steps.empty())
      if (auto* j = std::get_if<join_step>(&steps.back().what)) {
        j->tests.push_back(std::move(test));
        return;
      }
    steps.push_back({filter_step{std::move(test)}, {}});
  }

  void bind(u32 slot, const expression& value) {
    expression simple = without_calls(value);
    if (knows(slot)) {
      filter({operation::equal,
              slots_[slot],
              0,
              {{operation::variable, slots_[slot], slot, {}}, std::move(simple)}});
      return;
    }
    steps.push_back({bind_step{slot, std::move(simple)}, {}});
    know(slot);
  }

  /// \returns whether there is nothing left to do for the literal.
  bool run_if_ready(const plan::literal& l) {
    if (l.choice == 0)
      return run_if_known(l);
    const auto chosen = ways_.find(l.choice);
    if (chosen != ways_.end() && chosen->second != l.way)
      return true;
    const bool done = run_if_known(l);
    if (done)
      ways_.emplace(l.choice, l.way);
    return done;
  }

  bool run_if_known(const plan::literal& l) {
    if (const auto* c = std::get_if<plan::condition>(&l.what)) {
      if (!knows(c->test))
        return false;
      filter(without_calls(c->test));
      return true;
    }
    if (const auto* b = std::get_if<plan::binding>(&l.what)) {
      if (!knows(b->value))
        return false;
      bind(b->slot, b->value);
      return true;
    }
    if (const auto* n = std::get_if<plan::negation>(&l.what)) {
      for (const plan::argument& a : n->what.arguments)
        if (a.place == plan::argument::variable && !knows(static_cast<u32>(a.content)))
          return false;
      absent_step absent{{n->what.relation, false, 0, {}}};
      for (std::size_t c = 0; c < n->what.arguments.size(); ++c)
        add_key(absent.source, n->what.arguments[c], c);
      steps.push_back({std::move(absent), {}});
      return true;
    }
    if (const auto* g = std::get_if<plan::generator>(&l.what))
      return generate(*g);
    if (const auto* a = std::get_if<plan::aggregate>(&l.what))
      return run_aggregate(*a);
    return false;
  }

  bool generate(const plan::generator& g) {
    if (!knows(g.from) || !knows(g.to) || !knows(g.step))
      return false;
    const bool compare = knows(g.slot);
    const plan::type of = slots_[g.slot];
    const u32 slot = compare ? new_slot(of) : g.slot;
    expression from = without_calls(g.from), to = without_calls(g.to), by = without_calls(g.step);
    steps.push_back({generate_step{slot, of, std::move(from), std::move(to), std::move(by)}, {}});
    know(slot);
    if (compare)
      filter({operation::equal,
              of,
              0,
              {{operation::variable, of, slot, {}}, {operation::variable, of, g.slot, {}}}});
    return true;
  }

  bool run_aggregate(const plan::aggregate& a) {
    std::vector<u32> inner;
    collect_inner(a, inner);
    for (const u32 slot : inner)
      if (std::find(outer_.begin(), outer_.end(), slot) != outer_.end() && !knows(slot) &&
          slot != a.slot)
        return false; // given from outside, and not there yet
    const bool compare = knows(a.slot);
    aggregate_step made{a.function, compare ? new_slot(a.of) : a.slot, a.of, {}, {}, false, {}, 0,
                        {}};
    made.row_slot = new_slot({plan::kind::unsigned_number, 32});
    scheduler within(program_, matches_, slots_, text_);
    within.known_ = known_;
    within.ways_ = ways_;
    within.know(made.row_slot);
    if (tests_ &&
        (a.function == plan::aggregate::minimum || a.function == plan::aggregate::maximum)) {
      std::vector<u32> needed;
      collect_slots(a.target, needed);
      within.test_all_but(std::move(needed));
    }
    const auto order = inner_orders_.find(&a);
    within.run(a.body, -1, order != inner_orders_.end() ? order->second : std::vector<u32>{});
    if (a.function != plan::aggregate::count) {
      if (!within.knows(a.target))
        fail("the target of an aggregate is bound by nothing");
      made.target = within.simple(a.target);
    }
    made.body = std::move(within.steps);
    made.kernels.resize(made.body.size() + 1);
    made.given = read_by(made.body);
    collect_slots(made.target, made.given);
    keep_known(made.given);
    const u32 slot = made.slot;
    steps.push_back({std::move(made), {}});
    know(slot);
    if (compare)
      filter({operation::equal,
              a.of,
              0,
              {{operation::variable, a.of, slot, {}}, {operation::variable, a.of, a.slot, {}}}});
    return true;
  }

  static void add_key(probe& to, const plan::argument& a, std::size_t column) {
    if (a.place == plan::argument::ignored)
      return;
    to.known |= column_set(1) << column;
    to.keys.push_back({a.place == plan::argument::constant, a.content});
  }

  std::size_t choose(const body_state& rest) const {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < rest.atoms.size(); ++i)
      if (!rest.joined[i] && (rest.reserved.empty() || !rest.reserved[i]))
        open.push_back(i);
    std::size_t best = open.empty() ? 0 : open.front();
    if (open.size() < 2) // estimates take time
      return best;
    double best_cost = std::numeric_limits<double>::infinity();
    for (const std::size_t i : open) {
      const double cost = cost_of(atom_of(rest, i));
      if (cost < best_cost) {
        best_cost = cost;
        best = i;
      }
    }
    return best;
  }

  column_set known_columns(const plan::atom& atom) const {
    column_set known = 0;
    for (std::size_t c = 0; c < atom.arguments.size(); ++c) {
      const plan::argument& a = atom.arguments[c];
      if (a.place == plan::argument::constant ||
          (a.place == plan::argument::variable && knows(static_cast<u32>(a.content))))
        known |= column_set(1) << c;
    }
    return known;
  }

  /// The rows that joining an atom is expected to make of each.
  double cost_of(const plan::atom& atom) const {
    constexpr double filter = 0.5; // some rows are dropped
    constexpr double product = 4;  // there is no way back from too many rows
    const column_set known = known_columns(atom);
    const bool linked =
        std::any_of(atom.arguments.begin(), atom.arguments.end(), [&](const plan::argument& a) {
          return a.place == plan::argument::variable && knows(static_cast<u32>(a.content));
        });
    if (static_cast<std::size_t>(std::popcount(known)) == atom.arguments.size())
      return filter;
    return matches_(atom.relation, known) * (linked ? 1 : product);
  }

  void join(const plan::atom& a, bool delta) {
    join_step made;
    made.source.relation = a.relation;
    made.source.delta = delta;
    std::vector<std::pair<u32, u8>> here; // variables that this atom binds
    for (std::size_t c = 0; c < a.arguments.size(); ++c) {
      const plan::argument& arg = a.arguments[c];
      const auto column = static_cast<u8>(c);
      if (arg.place != plan::argument::variable || knows(static_cast<u32>(arg.content))) {
        add_key(made.source, arg, c);
        continue;
      }
      const auto slot = static_cast<u32>(arg.content);
      const auto first = std::find_if(here.begin(), here.end(),
                                      [&](const auto& entry) { return entry.first == slot; });
      if (first != here.end()) {
        made.equal.emplace_back(first->second, column);
      } else {
        here.emplace_back(slot, column);
        made.binds.push_back({slot, column});
      }
    }
    for (const auto& entry : here)
      know(entry.first);
    steps.push_back({std::move(made), {}});
  }

  const plan::program& program_;
  const match_estimate& matches_;
  std::vector<plan::type>& slots_;
  const std::string& text_;
  std::vector<char> known_;
  std::vector<u32> outer_;
  bool tests_ = false;      ///< parts of bodies may be tested
  bool is_test_ = false;    ///< the body is such a part
  std::vector<u32> needed_; ///< variables that are read when the body is done
  std::map<const plan::aggregate*, std::vector<u32>> inner_orders_;
  std::map<u32, u8> ways_; ///< by choice, those taken
};

void uses_of(const probe& p, std::vector<u32>& used) {
  for (const operand& key : p.keys)
    if (!key.constant)
      used.push_back(static_cast<u32>(key.content));
}

/// Whether rows may have the same values of some variables more than once. \param before the steps
/// that made them. \param numbered whether the rows before these had numbers.
bool may_repeat(const plan::program& program, std::span<const step> before, bool numbered,
                const std::vector<u32>& slots) {
  return numbered || std::any_of(before.begin(), before.end(), [&](const step& s) {
           const auto* j = std::get_if<join_step>(&s.what);
           if (j != nullptr && static_cast<std::size_t>(std::popcount(j->source.known)) +
                                       j->binds.size() + j->equal.size() !=
                                   program.relations[j->source.relation].columns.size())
             return true; // columns that are ignored
           const std::vector<u32> bound = bound_by(s);
           return std::any_of(bound.begin(), bound.end(), [&](u32 slot) {
             return !std::binary_search(slots.begin(), slots.end(), slot);
           });
         });
}

/// \param numbered whether the rows before the first step have numbers: in a body.
void set_alive(const plan::program& program, std::vector<step>& steps, std::vector<u32> alive,
               bool numbered) {
  for (std::size_t at = steps.size(); at-- > 0;) {
    step& now = steps[at];
    const std::span<const step> before(steps.data(), at);
    std::sort(alive.begin(), alive.end());
    alive.erase(std::unique(alive.begin(), alive.end()), alive.end());
    now.alive = alive;
    const std::vector<u32> used = uses_of(now);
    if (auto* a = std::get_if<aggregate_step>(&now.what)) {
      a->repeats = may_repeat(program, before, numbered, a->given);
      std::vector<u32> wanted{a->row_slot};
      collect_slots(a->target, wanted);
      set_alive(program, a->body, std::move(wanted), true);
    } else if (auto* e = std::get_if<exists_step>(&now.what)) {
      e->repeats = may_repeat(program, before, numbered, e->given);
      std::vector<u32> wanted;
      if (!e->given.empty())
        wanted.push_back(e->row_slot);
      set_alive(program, e->body, std::move(wanted), !e->given.empty());
    }
    alive.insert(alive.end(), used.begin(), used.end());
  }
}

std::vector<u32> scheduler::read_by(const std::vector<step>& steps) {
  std::vector<u32> read;
  for (const step& s : steps) {
    const std::vector<u32> used = uses_of(s);
    read.insert(read.end(), used.begin(), used.end());
  }
  return read;
}

} // namespace

std::vector<u32> uses_of(const step& s) {
  std::vector<u32> used;
  if (const auto* j = std::get_if<join_step>(&s.what)) {
    uses_of(j->source, used);
    for (const expression& test : j->tests)
      collect_slots(test, used);
  } else if (const auto* f = std::get_if<filter_step>(&s.what)) {
    collect_slots(f->test, used);
  } else if (const auto* b = std::get_if<bind_step>(&s.what)) {
    collect_slots(b->value, used);
  } else if (const auto* c = std::get_if<call_step>(&s.what)) {
    for (const operand& argument : c->arguments)
      if (!argument.constant)
        used.push_back(static_cast<u32>(argument.content));
  } else if (const auto* n = std::get_if<absent_step>(&s.what)) {
    uses_of(n->source, used);
  } else if (const auto* p = std::get_if<present_step>(&s.what)) {
    uses_of(p->source, used);
  } else if (const auto* e = std::get_if<exists_step>(&s.what)) {
    used = e->given;
  } else if (const auto* g = std::get_if<generate_step>(&s.what)) {
    collect_slots(g->from, used);
    collect_slots(g->to, used);
    collect_slots(g->step, used);
  } else if (const auto* a = std::get_if<aggregate_step>(&s.what)) {
    for (const step& inner : a->body) {
      const std::vector<u32> within = uses_of(inner);
      used.insert(used.end(), within.begin(), within.end());
    }
    collect_slots(a->target, used);
    // Variables that the body binds itself are never among the rows outside; asking for them there
    // does no harm, since only slots that exist are carried along.
  }
  return used;
}

rule_version schedule(const plan::program& program, u32 number, int delta_atom, u32 version,
                      const match_estimate& matches, const std::vector<u32>& order,
                      const std::vector<std::vector<u32>>& inner_orders) {
  const plan::rule& from = program.rules[number];
  rule_version made{number, from.every_solution, delta_atom, {}, {}, from.slots, {}};
  std::vector<u32> forced = order;
  if (forced.empty() && version < from.orders.size())
    forced = from.orders[version];
  if (forced.empty() && from.keep_order) {
    for (const plan::literal& l : from.body)
      if (std::holds_alternative<plan::atom>(l.what))
        forced.push_back(static_cast<u32>(forced.size()));
  }
  scheduler work(program, matches, made.slots, from.text);
  // Where the order is the program's, so is the evaluation.
  if (!from.every_solution && !from.keep_order && from.orders.empty()) {
    std::vector<u32> needed;
    for (const plan::head& h : from.heads)
      for (const expression& e : h.values)
        collect_slots(e, needed);
    work.test_all_but(std::move(needed));
  }
  work.run(from.body, delta_atom, forced, inner_orders);
  std::vector<u32> alive;
  for (const plan::head& h : from.heads) {
    plan::head simple{h.relation, {}};
    for (const expression& e : h.values) {
      if (!work.knows(e))
        work.fail("a variable of the head is bound by nothing");
      simple.values.push_back(work.without_calls(e));
      collect_slots(simple.values.back(), alive);
    }
    made.heads.push_back(std::move(simple));
  }
  made.steps = std::move(work.steps);
  made.kernels.resize(made.steps.size() + 1);
  set_alive(program, made.steps, std::move(alive), false);
  return made;
}

namespace {

/// \param rows before the steps, one at least; becomes that after them
double rows_of(const std::vector<step>& steps, double& rows, const match_estimate& matches) {
  double all = 0;
  for (const step& s : steps)
    if (const auto* j = std::get_if<join_step>(&s.what)) {
      if (!j->source.delta)
        rows *= matches(j->source.relation, j->source.known);
      all += rows;
    } else if (const auto* e = std::get_if<exists_step>(&s.what)) {
      double within = rows;
      all += rows_of(e->body, within, matches);
    } else if (const auto* a = std::get_if<aggregate_step>(&s.what)) {
      double within = rows;
      all += rows_of(a->body, within, matches);
    }
  return all;
}

} // namespace

double expected_rows(const rule_version& version, const match_estimate& matches) {
  double rows = 1;
  return rows_of(version.steps, rows, matches);
}

std::vector<u32> bound_by(const step& s) {
  std::vector<u32> bound;
  if (const auto* j = std::get_if<join_step>(&s.what)) {
    for (const join_step::bound_column& b : j->binds)
      bound.push_back(b.slot);
  } else if (const auto* b = std::get_if<bind_step>(&s.what)) {
    bound.push_back(b->slot);
  } else if (const auto* c = std::get_if<call_step>(&s.what)) {
    bound.push_back(c->slot);
  } else if (const auto* g = std::get_if<generate_step>(&s.what)) {
    bound.push_back(g->slot);
  } else if (const auto* a = std::get_if<aggregate_step>(&s.what)) {
    bound.push_back(a->slot);
  }
  return bound;
}

void for_each_probe(const std::vector<step>& steps,
                    const std::function<void(const probe&)>& visit) {
  for (const step& s : steps)
    if (const auto* j = std::get_if<join_step>(&s.what))
      visit(j->source);
    else if (const auto* n = std::get_if<absent_step>(&s.what))
      visit(n->source);
    else if (const auto* p = std::get_if<present_step>(&s.what))
      visit(p->source);
    else if (const auto* a = std::get_if<aggregate_step>(&s.what))
      for_each_probe(a->body, visit);
    else if (const auto* e = std::get_if<exists_step>(&s.what))
      for_each_probe(e->body, visit);
}

} // namespace ikra::datalog
