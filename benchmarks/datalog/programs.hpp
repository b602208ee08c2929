// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The benchmark's programs as plans: reachability in its three forms, same generation, and
// context-sensitive pointer analysis (GDlog, section 6); and two with many device-resident
// iterations. Relies on the plan alone.
#pragma once

#include "datalog/plan/plan.hpp"

#include <string>
#include <utility>
#include <vector>

namespace programs {

namespace plan = ikra::datalog::plan;

/// An atom over two variables, each a letter.
struct pair_atom {
  std::uint32_t relation;
  char first, second;
};

/// Makes rules over binary relations of 32-bit numbers.
class builder {
public:
  std::uint32_t relation(const std::string& name) {
    made_.relations.push_back({name, {{}, {}}, plan::form::automatic, 0});
    return static_cast<std::uint32_t>(made_.relations.size() - 1);
  }

  /// \param different adds the condition that the head's variables differ.
  std::uint32_t rule(const pair_atom& head, const std::vector<pair_atom>& body,
                     bool different = false) {
    plan::rule r;
    std::string letters;
    const auto slot = [&](char letter) {
      const std::size_t at = letters.find(letter);
      if (at != std::string::npos)
        return static_cast<std::uint64_t>(at);
      letters += letter;
      return static_cast<std::uint64_t>(letters.size() - 1);
    };
    r.text = text(head) + " :- ";
    for (const pair_atom& a : body) {
      r.text += (&a == body.data() ? "" : ", ") + text(a);
      r.body.push_back({plan::atom{a.relation,
                                   {{plan::argument::variable, slot(a.first)},
                                    {plan::argument::variable, slot(a.second)}}}});
    }
    const auto variable = [&](char letter) {
      return plan::expression{plan::operation::variable, {}, slot(letter), {}};
    };
    r.heads.push_back({head.relation, {variable(head.first), variable(head.second)}});
    if (different) {
      r.text += std::string(", ") + head.first + " != " + head.second;
      r.body.push_back({plan::condition{
          {plan::operation::not_equal, {}, 0, {variable(head.first), variable(head.second)}}}});
    }
    r.text += ".";
    r.slots.assign(letters.size(), {});
    made_.rules.push_back(std::move(r));
    return static_cast<std::uint32_t>(made_.rules.size() - 1);
  }

  void stratum(std::vector<std::uint32_t> relations, std::vector<std::uint32_t> rules) {
    made_.strata.push_back({std::move(relations), std::move(rules), true});
  }

  plan::program take() { return std::move(made_); }

private:
  std::string text(const pair_atom& a) const {
    return made_.relations[a.relation].name + "(" + a.first + ", " + a.second + ")";
  }

  plan::program made_;
};

/// \param shape "reach" (right-linear, as in the paper), "reach-left" or "reach-nonlinear".
inline plan::program reach(const std::string& shape) {
  builder b;
  const std::uint32_t edge = b.relation("edge"), reach = b.relation("reach");
  const std::uint32_t base = b.rule({reach, 'x', 'y'}, {{edge, 'x', 'y'}});
  std::uint32_t step = 0;
  if (shape == "reach-left")
    step = b.rule({reach, 'x', 'y'}, {{reach, 'x', 'z'}, {edge, 'z', 'y'}});
  else if (shape == "reach-nonlinear")
    step = b.rule({reach, 'x', 'y'}, {{reach, 'x', 'z'}, {reach, 'z', 'y'}});
  else
    step = b.rule({reach, 'x', 'y'}, {{edge, 'x', 'z'}, {reach, 'z', 'y'}});
  b.stratum({reach}, {base, step});
  return b.take();
}

/// What value 0 reaches, with one new tuple an iteration along a path: `source`, and `mutual` by
/// odd and even steps that do not come back.
inline plan::program from_source(bool mutual) {
  builder b;
  const std::uint32_t edge = b.relation("edge"), reach = b.relation("reach");
  std::vector<std::uint32_t> filled{reach};
  std::vector<std::uint32_t> rules{b.rule({reach, 'x', 'y'}, {{edge, 'x', 'y'}})};
  if (mutual) {
    const std::uint32_t odd = b.relation("odd");
    filled.push_back(odd);
    rules.push_back(b.rule({odd, 'x', 'y'}, {{reach, 'x', 'z'}, {edge, 'z', 'y'}}, true));
    rules.push_back(b.rule({reach, 'x', 'y'}, {{odd, 'x', 'z'}, {edge, 'z', 'y'}}, true));
  } else {
    rules.push_back(b.rule({reach, 'x', 'y'}, {{reach, 'x', 'z'}, {edge, 'z', 'y'}}));
  }
  b.stratum(std::move(filled), std::move(rules));
  plan::program made = b.take();
  made.rules[0].text = "reach(x, y) :- edge(x, y), x = 0.";
  made.rules[0].body.push_back({plan::condition{
      {plan::operation::equal,
       {},
       0,
       {{plan::operation::variable, {}, 0, {}}, {plan::operation::constant, {}, 0, {}}}}}});
  return made;
}

inline plan::program same_generation() {
  builder b;
  const std::uint32_t edge = b.relation("edge"), sg = b.relation("sg");
  const std::uint32_t base = b.rule({sg, 'x', 'y'}, {{edge, 'p', 'x'}, {edge, 'p', 'y'}}, true);
  const std::uint32_t step =
      b.rule({sg, 'x', 'y'}, {{edge, 'a', 'x'}, {sg, 'a', 'b'}, {edge, 'b', 'y'}});
  b.stratum({sg}, {base, step});
  return b.take();
}

/// Relations 0 and 1 are assign and dereference; 2, 3, 4 are ValueFlow, ValueAlias, MemoryAlias.
inline plan::program pointer_analysis() {
  builder b;
  const std::uint32_t assign = b.relation("assign"), dereference = b.relation("dereference");
  const std::uint32_t flow = b.relation("ValueFlow"), alias = b.relation("ValueAlias"),
                      memory = b.relation("MemoryAlias");
  std::vector<std::uint32_t> rules{
      b.rule({flow, 'y', 'x'}, {{assign, 'y', 'x'}}),
      b.rule({flow, 'x', 'y'}, {{assign, 'x', 'z'}, {memory, 'z', 'y'}}),
      b.rule({flow, 'x', 'y'}, {{flow, 'x', 'z'}, {flow, 'z', 'y'}}),
      b.rule({memory, 'x', 'w'},
             {{dereference, 'y', 'x'}, {alias, 'y', 'z'}, {dereference, 'z', 'w'}}),
      b.rule({alias, 'x', 'y'}, {{flow, 'z', 'x'}, {flow, 'z', 'y'}}),
      b.rule({alias, 'x', 'y'}, {{flow, 'z', 'x'}, {memory, 'z', 'w'}, {flow, 'w', 'y'}}),
      b.rule({flow, 'x', 'x'}, {{assign, 'x', 'y'}}),
      b.rule({flow, 'x', 'x'}, {{assign, 'y', 'x'}}),
      b.rule({memory, 'x', 'x'}, {{assign, 'y', 'x'}}),
      b.rule({memory, 'x', 'x'}, {{assign, 'x', 'y'}})};
  b.stratum({flow, alias, memory}, std::move(rules));
  return b.take();
}

} // namespace programs
