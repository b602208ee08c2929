// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy scheduling: everything that can run without a further join runs at once; then the best
// bound atom is joined. Host calls are taken out of expressions into steps of their own.
#include "datalog/plan/schedule.hpp"

#include <ikra/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace ikra::datalog {

namespace {

using plan::expression;
using plan::operation;

void collect_slots(const expression& from, std::vector<u32>& slots) {
  if (from.what == operation::variable)
    slots.push_back(static_cast<u32>(from.payload));
  for (const expression& operand : from.operands)
    collect_slots(operand, slots);
}

bool has_call(const expression& from) {
  return from.what == operation::call ||
         std::any_of(from.operands.begin(), from.operands.end(), has_call);
}

class scheduler {
public:
  scheduler(const plan::program& program, const std::function<u64(u32)>& expected_size,
            std::vector<plan::type>& slots, const std::string& text)
      : program_(program), expected_size_(expected_size), slots_(slots), text_(text),
        known_(slots.size(), 0) {}

  std::vector<step> steps;

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
    std::vector<const plan::literal*> waiting;
    std::vector<const plan::atom*> atoms;
    std::size_t aggregates = 0;
    for (const plan::literal& l : body) {
      if (const auto* a = std::get_if<plan::atom>(&l.what)) {
        atoms.push_back(a);
        continue;
      }
      waiting.push_back(&l);
      if (const auto* a = std::get_if<plan::aggregate>(&l.what); a && aggregates < inner.size())
        inner_orders_[a] = inner[aggregates++];
    }
    // Variables that occur outside an aggregate are not local to it.
    outer_ = outer_slots(body);
    std::vector<char> joined(atoms.size(), 0);
    for (std::size_t n = 0;; ++n) {
      run_ready(waiting);
      if (n == atoms.size())
        break;
      const std::size_t next = !forced.empty() ? forced[n] : choose(atoms, joined, delta_atom, n);
      join(*atoms[next], static_cast<int>(next) == delta_atom);
      joined[next] = 1;
    }
    if (!waiting.empty())
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
    // A condition right behind a join is tested while joining.
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

  bool run_if_ready(const plan::literal& l) {
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

  /// Slots of the outer rule that the aggregate's body reads.
  static void collect_inner(const plan::aggregate& a, std::vector<u32>& slots) {
    if (a.function != plan::aggregate::count)
      collect_slots(a.target, slots);
    for (const plan::literal& l : a.body) {
      const plan::atom* arguments = std::get_if<plan::atom>(&l.what);
      if (const auto* n = std::get_if<plan::negation>(&l.what))
        arguments = &n->what;
      if (arguments != nullptr) {
        for (const plan::argument& arg : arguments->arguments)
          if (arg.place == plan::argument::variable)
            slots.push_back(static_cast<u32>(arg.content));
      } else if (const auto* c = std::get_if<plan::condition>(&l.what)) {
        collect_slots(c->test, slots);
      } else if (const auto* b = std::get_if<plan::binding>(&l.what)) {
        slots.push_back(b->slot);
        collect_slots(b->value, slots);
      } else if (const auto* g = std::get_if<plan::generator>(&l.what)) {
        slots.push_back(g->slot);
        collect_slots(g->from, slots);
        collect_slots(g->to, slots);
        collect_slots(g->step, slots);
      } else if (const auto* inner = std::get_if<plan::aggregate>(&l.what)) {
        slots.push_back(inner->slot);
        collect_inner(*inner, slots);
      }
    }
  }

  bool run_aggregate(const plan::aggregate& a) {
    std::vector<u32> inner;
    collect_inner(a, inner);
    for (const u32 slot : inner)
      if (std::find(outer_.begin(), outer_.end(), slot) != outer_.end() && !knows(slot) &&
          slot != a.slot)
        return false; // given from outside, and not there yet
    const bool compare = knows(a.slot);
    aggregate_step made{a.function, compare ? new_slot(a.of) : a.slot, a.of, {}, {}, 0, {}};
    made.row_slot = new_slot({plan::kind::unsigned_number, 32});
    scheduler within(program_, expected_size_, slots_, text_);
    within.known_ = known_;
    within.know(made.row_slot);
    const auto order = inner_orders_.find(&a);
    within.run(a.body, -1, order != inner_orders_.end() ? order->second : std::vector<u32>{});
    if (a.function != plan::aggregate::count) {
      if (!within.knows(a.target))
        fail("the target of an aggregate is bound by nothing");
      made.target = within.simple(a.target);
    }
    made.body = std::move(within.steps);
    made.kernels.resize(made.body.size() + 1);
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

  std::size_t choose(const std::vector<const plan::atom*>& atoms, const std::vector<char>& joined,
                     int delta_atom, std::size_t done) const {
    if (done == 0 && delta_atom >= 0)
      return static_cast<std::size_t>(delta_atom);
    std::size_t best = 0;
    double best_cost = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      if (joined[i] != 0)
        continue;
      // Each known column is taken to divide the tuples found by the same factor.
      std::size_t bound = 0;
      for (const plan::argument& a : atoms[i]->arguments)
        bound += a.place == plan::argument::constant ||
                         (a.place == plan::argument::variable && knows(static_cast<u32>(a.content)))
                     ? 1
                     : 0;
      const auto columns =
          static_cast<double>(std::max<std::size_t>(atoms[i]->arguments.size(), 1));
      const auto size = static_cast<double>(std::max<u64>(expected_size_(atoms[i]->relation), 2));
      const double cost = std::pow(size, 1.0 - static_cast<double>(bound) / columns);
      if (cost < best_cost) {
        best_cost = cost;
        best = i;
      }
    }
    return best;
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
  const std::function<u64(u32)>& expected_size_;
  std::vector<plan::type>& slots_;
  const std::string& text_;
  std::vector<char> known_;
  std::vector<u32> outer_;
  std::map<const plan::aggregate*, std::vector<u32>> inner_orders_;
};

void uses_of(const probe& p, std::vector<u32>& used) {
  for (const operand& key : p.keys)
    if (!key.constant)
      used.push_back(static_cast<u32>(key.content));
}

std::vector<u32> uses_of(const step& s);

void set_alive(std::vector<step>& steps, std::vector<u32> alive) {
  for (auto at = steps.rbegin(); at != steps.rend(); ++at) {
    std::sort(alive.begin(), alive.end());
    alive.erase(std::unique(alive.begin(), alive.end()), alive.end());
    at->alive = alive;
    const std::vector<u32> used = uses_of(*at);
    if (auto* a = std::get_if<aggregate_step>(&at->what)) {
      std::vector<u32> wanted{a->row_slot};
      collect_slots(a->target, wanted);
      set_alive(a->body, std::move(wanted));
    }
    alive.insert(alive.end(), used.begin(), used.end());
  }
}

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

} // namespace

rule_version schedule(const plan::program& program, u32 number, int delta_atom, u32 version,
                      const std::function<u64(u32)>& expected_size, const std::vector<u32>& order,
                      const std::vector<std::vector<u32>>& inner_orders) {
  const plan::rule& from = program.rules[number];
  rule_version made{number, delta_atom, {}, {}, from.slots, {}};
  std::vector<u32> forced = order;
  if (forced.empty() && version < from.orders.size())
    forced = from.orders[version];
  if (forced.empty() && from.keep_order) {
    for (const plan::literal& l : from.body)
      if (std::holds_alternative<plan::atom>(l.what))
        forced.push_back(static_cast<u32>(forced.size()));
  }
  scheduler work(program, expected_size, made.slots, from.text);
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
  set_alive(made.steps, std::move(alive));
  return made;
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
    else if (const auto* a = std::get_if<aggregate_step>(&s.what))
      for_each_probe(a->body, visit);
}

namespace {

std::string text_of(const probe& p, const plan::program& program) {
  std::string text = (p.delta ? "delta " : "") + program.relations[p.relation].name + "(";
  std::size_t key = 0;
  for (std::size_t c = 0; c < program.relations[p.relation].columns.size(); ++c) {
    text += c == 0 ? "" : ", ";
    if (((p.known >> c) & 1) == 0) {
      text += "_";
      continue;
    }
    const operand& k = p.keys[key++];
    text += (k.constant ? "" : "v") + std::to_string(k.content);
  }
  return text + ")";
}

const char* mark_of(const step_kernels& kernels, std::size_t at) {
  return kernels[at] != nullptr ? " (compiled)" : "";
}

void print_steps(const plan::program& program, const std::vector<step>& steps,
                 const step_kernels& kernels, const std::string& indent, std::string& out) {
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const step& s = steps[at];
    out += indent;
    if (const auto* j = std::get_if<join_step>(&s.what)) {
      out += (j->source.known == 0 ? "scan " : "join ") + text_of(j->source, program) + " ->";
      for (const join_step::bound_column& b : j->binds)
        out += " v" + std::to_string(b.slot) + "=#" + std::to_string(b.column);
      if (!j->tests.empty() || !j->equal.empty())
        out += " if " + std::to_string(j->tests.size() + j->equal.size()) + " tests";
    } else if (std::holds_alternative<filter_step>(s.what)) {
      out += "filter";
    } else if (const auto* b = std::get_if<bind_step>(&s.what)) {
      out += "bind v" + std::to_string(b->slot);
    } else if (const auto* c = std::get_if<call_step>(&s.what)) {
      out +=
          "call host function " + std::to_string(c->function) + " -> v" + std::to_string(c->slot);
    } else if (const auto* n = std::get_if<absent_step>(&s.what)) {
      out += "absent " + text_of(n->source, program);
    } else if (const auto* g = std::get_if<generate_step>(&s.what)) {
      out += "range -> v" + std::to_string(g->slot);
    } else if (const auto* a = std::get_if<aggregate_step>(&s.what)) {
      static constexpr const char* names[] = {"count", "sum", "min", "max", "mean"};
      out += std::string(names[a->function]) + " -> v" + std::to_string(a->slot) + "\n";
      print_steps(program, a->body, a->kernels, indent + "  ", out);
      continue;
    }
    out += std::string(mark_of(kernels, at)) + "\n";
  }
}

} // namespace

std::string print(const plan::program& program, const rule_version& version,
                  const std::string& indent) {
  std::string out;
  print_steps(program, version.steps, version.kernels, indent, out);
  out += indent + "insert";
  for (const plan::head& h : version.heads)
    out += " " + program.relations[h.relation].name;
  return out + mark_of(version.kernels, version.steps.size()) + "\n";
}

} // namespace ikra::datalog
