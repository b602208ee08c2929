// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are made for every order of atoms that the engine can be expected to choose, since it
// knows the relations' sizes and this does not: all orders of up to four atoms in which each atom
// shares a variable with those before it, where one does.
#include "datalog/kernels/program_text.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <map>
#include <optional>
#include <set>

#include "datalog/compile/lower.hpp"
#include "datalog/frontend/core_codec.hpp"
#include "datalog/frontend/diagnostic.hpp"
#include "datalog/frontend/domain.hpp"
#include "datalog/frontend/frontend.hpp"
#include "datalog/kernels/kernel_text.hpp"

namespace ikra::datalog {

namespace {

constexpr std::size_t most_atoms = 4;

std::vector<const plan::atom*> atoms_of(const std::vector<plan::literal>& body) {
  std::vector<const plan::atom*> atoms;
  for (const plan::literal& l : body)
    if (const auto* a = std::get_if<plan::atom>(&l.what))
      atoms.push_back(a);
  return atoms;
}

/// All orders of atoms in which each is bound by those before it, where one is.
class orders {
public:
  /// \param bound for each slot whether it is known before
  orders(const std::vector<plan::literal>& body, std::vector<char> bound)
      : atoms_(atoms_of(body)), bound_(std::move(bound)) {
    if (atoms_.size() <= most_atoms)
      extend();
  }
  std::vector<std::vector<u32>> all;

private:
  bool is_bound(const plan::atom& atom) const {
    return std::any_of(atom.arguments.begin(), atom.arguments.end(), [&](const auto& argument) {
      return argument.place == plan::argument::constant ||
             (argument.place == plan::argument::variable && bound_[argument.content] != 0);
    });
  }

  void extend() {
    if (order_.size() == atoms_.size()) {
      all.push_back(order_);
      return;
    }
    std::vector<u32> next, any;
    for (u32 i = 0; i < atoms_.size(); ++i)
      if (std::find(order_.begin(), order_.end(), i) == order_.end())
        (is_bound(*atoms_[i]) ? next : any).push_back(i);
    // What is unbound may begin, and may come where nothing is bound.
    if (order_.empty() || next.empty())
      next.insert(next.end(), any.begin(), any.end());
    for (const u32 i : next) {
      const std::vector<char> before = bound_;
      for (const plan::argument& argument : atoms_[i]->arguments)
        if (argument.place == plan::argument::variable)
          bound_[argument.content] = 1;
      order_.push_back(i);
      extend();
      order_.pop_back();
      bound_ = before;
    }
  }

  std::vector<const plan::atom*> atoms_;
  std::vector<char> bound_;
  std::vector<u32> order_;
};

/// For each slot whether it is bound when an aggregate is evaluated: variables that the rule uses
/// outside are, if anything binds them there.
std::vector<char> known_before(const rule_version& version, const plan::aggregate& aggregate) {
  std::vector<char> known(version.slots.size(), 0);
  for (const step& s : version.steps) {
    const auto* found = std::get_if<aggregate_step>(&s.what);
    if (found != nullptr && found->slot == aggregate.slot)
      break;
    for (const u32 slot : bound_by(s))
      known[slot] = 1;
  }
  return known;
}

class program_writer {
public:
  program_writer(const plan::program& program, std::string name)
      : program_(program), name_(std::move(name)), matches_([this](u32 relation, column_set known) {
          return guessed_matches(u64(1) << 20, known, program_.relations[relation].columns.size());
        }),
        few_([this](u32 relation, column_set known) {
          return std::popcount(known) < 2 ? matches_(relation, known) : few_matches;
        }) {}

  std::string kernels;
  std::vector<std::string> names, interpreted;
  std::set<std::string> called; ///< code of functors

  void add_rules() {
    for (const plan::stratum& s : program_.strata)
      for (const u32 rule : s.rules)
        add(s, rule);
  }

private:
  void add(const plan::stratum& stratum, u32 number) {
    const plan::rule& rule = program_.rules[number];
    why_.clear();
    // The versions that the engine makes, as it orders them with nothing known of sizes.
    std::vector<int> recursive;
    const std::vector<const plan::atom*> atoms = atoms_of(rule.body);
    for (std::size_t i = 0; i < atoms.size(); ++i)
      if (std::find(stratum.relations.begin(), stratum.relations.end(), atoms[i]->relation) !=
          stratum.relations.end())
        recursive.push_back(static_cast<int>(i));
    if (recursive.empty())
      recursive.push_back(-1);
    // Tests are early or late, by the sizes of relations.
    for (u32 v = 0; v < recursive.size(); ++v)
      for (const match_estimate* expected : {&matches_, &few_})
        add(schedule(program_, number, recursive[v], v, *expected));
    if (!rule.keep_order && rule.orders.empty()) {
      if (atoms.size() > most_atoms)
        note("orders of its " + std::to_string(atoms.size()) +
             " atoms that the sizes of relations may call for");
      for (const std::vector<u32>& order :
           orders(rule.body, std::vector<char>(rule.slots.size(), 0)).all)
        for (const match_estimate* expected : {&matches_, &few_})
          add(schedule(program_, number, -1, 0, *expected, order));
    }
    add_bodies(number, schedule(program_, number, recursive.front(), 0, matches_));
    if (why_.empty())
      return;
    std::string line = rule.text + "  interpreted:";
    for (const std::string& reason : why_)
      line += (&reason == &why_.front() ? " " : ", ") + reason;
    std::replace(line.begin(), line.end(), '\n', ' ');
    interpreted.push_back(std::move(line));
  }

  void note(const std::string& reason) {
    if (std::find(why_.begin(), why_.end(), reason) == why_.end())
      why_.push_back(reason);
  }

  /// The other orders in which the bodies of a rule's aggregates may be evaluated. What they are
  /// given does not depend on the order of the atoms around them.
  void add_bodies(u32 number, const rule_version& usual) {
    const plan::rule& rule = program_.rules[number];
    std::size_t aggregates = 0;
    for (const plan::literal& l : rule.body)
      if (const auto* aggregate = std::get_if<plan::aggregate>(&l.what)) {
        if (atoms_of(aggregate->body).size() > most_atoms)
          note("orders of an aggregate's atoms that the sizes of relations may call for");
        note_inner(aggregate->body);
        std::vector<std::vector<u32>> inner(++aggregates);
        for (std::vector<u32>& order :
             orders(aggregate->body, known_before(usual, *aggregate)).all) {
          inner.back() = std::move(order);
          add(schedule(program_, number, usual.delta_atom, 0, matches_, {}, inner));
        }
      }
  }

  /// The orders of atoms are not foreseen in aggregates within aggregates.
  void note_inner(const std::vector<plan::literal>& body) {
    for (const plan::literal& l : body)
      if (const auto* aggregate = std::get_if<plan::aggregate>(&l.what)) {
        if (atoms_of(aggregate->body).size() > 1)
          note("orders of the atoms of an aggregate within an aggregate");
        note_inner(aggregate->body);
      }
  }

  void add(const rule_version& version) {
    if (version.heads.size() != 1)
      note("several heads");
    add(step_list::own(version));
  }

  void add(const step_list& list) {
    for (std::size_t at = 0; at <= list.steps.size();) {
      std::string why;
      const std::optional<join_shape> shape = shape_of(program_, list, at, why);
      if (shape)
        add(*shape, program_.rules[list.version.rule].text);
      else if (!why.empty())
        note(why);
      else if (const auto* call =
                   at < list.steps.size() ? std::get_if<call_step>(&list.steps[at].what) : nullptr)
        note(call_text(*call));
      if (shape && shape->head_words != 0)
        break;
      at += std::max<std::size_t>(shape ? shape->steps : 0, 1);
    }
    for (std::size_t at = 0; at < list.steps.size(); ++at)
      if (const auto* aggregate = std::get_if<aggregate_step>(&list.steps[at].what))
        add(list.body(at, *aggregate));
      else if (const auto* test = std::get_if<exists_step>(&list.steps[at].what))
        add(list.body(at, *test));
  }

  std::string call_text(const call_step& call) const {
    const auto functor = program_.functors.find(call.function);
    return functor != program_.functors.end()
               ? "functor " + functor->second.name
               : "a function of the host (strings, records, order of symbols)";
  }

  void add(const join_shape& shape, const std::string& rule) {
    const std::string name = name_ + "_join_" + std::to_string(names.size());
    if (!known_.emplace(shape.text(), name).second)
      return;
    kernels += kernel_text(shape, name, rule);
    names.push_back(name);
    called.insert(shape.functors.begin(), shape.functors.end());
  }

  const plan::program& program_;
  std::string name_;
  match_estimate matches_, few_;
  std::map<std::string, std::string> known_;
  std::vector<std::string> why_;
};

/// Of the functions that may be given for a functor, the only one that is nearest.
/// \param why is set if there is none
const given_functor* function_for(const core::external& declared, int bits,
                                  const std::vector<given_functor>& given, std::string& why) {
  std::vector<given_functor::type> types;
  for (const value_kind kind : declared.parameters)
    types.push_back({kind, bits});
  types.push_back({declared.result, bits});
  std::vector<const given_functor*> nearest;
  why = "no function for it stands in this file";
  for (const given_functor& one : given) {
    if (one.name != declared.name)
      continue;
    if (one.types != types && !one.code.empty()) {
      why = "its function has other types";
      continue;
    }
    if (!nearest.empty() && one.distance < nearest.front()->distance)
      nearest.clear();
    if (nearest.empty() || one.distance == nearest.front()->distance)
      nearest.push_back(&one);
  }
  if (nearest.size() > 1)
    why = "several functions are given for it";
  return nearest.size() == 1 ? nearest.front() : nullptr;
}

/// Has functors call what kernels have for them. \returns a line for each functor
std::vector<std::string> set_functors(const core::program& program,
                                      const std::vector<given_functor>& given, domain& values) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < program.functors.size(); ++i) {
    const core::external& declared = program.functors[i];
    std::string why;
    if (const given_functor* one = function_for(declared, program.bits, given, why)) {
      values.externals[i].code = one->code;
      why = one->why;
    }
    lines.push_back(
        "functor " + declared.name +
        (values.externals[i].code.empty() ? ": on the host, since " + why : ": in kernels"));
  }
  return lines;
}

std::string data_text(const std::vector<unsigned char>& bytes) {
  constexpr std::size_t a_line = 24;
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    out += (i % a_line == 0 ? "\n    " : " ") + std::to_string(bytes[i]) + ",";
  return out;
}

/// The program's text as literals, one a line.
std::string literals(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    out += "\n    \"" + escaped_text(std::string_view(text).substr(at, end - at)) + "\"";
    at = end;
  }
  return out.empty() ? "\"\"" : out;
}

} // namespace

program_text text_of_program(const std::string& text, int bits, const std::string& name,
                             const std::vector<given_functor>& given) noexcept {
  program_text made;
  const source_text source("", text);
  diagnostics said;
  const std::optional<core::program> program = compile(source, bits, said, fact_source::caller);
  if (!program)
    return made;
  std::string kernels;
  std::vector<std::string> names;
  try {
    domain values(*program);
    made.functors = set_functors(*program, given, values);
    const lowered_program lowered = lower(*program, values, source);
    program_writer writer(lowered.plan, name);
    writer.add_rules();
    kernels = std::move(writer.kernels);
    names = std::move(writer.names);
    made.interpreted = std::move(writer.interpreted);
    made.called.assign(writer.called.begin(), writer.called.end());
    made.rules = lowered.plan.rules.size();
  } catch (const unsupported_by_engine& problem) { // the run says so as well, with its place
    made.interpreted = {std::string(problem.what()) + " is not supported by the engine"};
  } catch (const std::exception& problem) { // nothing may pass this interface
    made.interpreted = {problem.what()};
  }
  made.kernels = names.size();
  made.definitions = "static_assert(rules_format == " + std::to_string(compiled::rules_format) +
                     ", \"emitted by another ikrac than this library's\");\n" + kernels +
                     "constexpr unsigned char " + name + "_rules[] = {" +
                     data_text(encode(*program)) + "};\n";
  if (!names.empty()) {
    made.definitions += "constexpr join " + name + "_joins[] = {";
    for (const std::string& join : names)
      made.definitions += "\n    kernels_of<" + join + ">(),";
    made.definitions += "};\n";
  }
  made.definitions += "program_code " + name + "{{" + literals(text) + ",\n     " +
                      std::to_string(text.size()) + "}, " + std::to_string(bits) + ", " + name +
                      "_rules, " + (names.empty() ? "{}" : name + "_joins") + "};\n" +
                      "const registration " + name + "_known(" + name + ");\n";
  return made;
}

} // namespace ikra::datalog
