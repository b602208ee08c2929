// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a rule version as text, for --show=plan and program::plan().
#include "datalog/plan/schedule.hpp"

namespace ikra::datalog {

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
      out += (j->once                ? "once "
              : j->source.known == 0 ? "scan "
                                     : "join ") +
             text_of(j->source, program) + " ->";
      for (const join_step::bound_column& b : j->binds)
        out += " v" + std::to_string(b.slot) + "=#" + std::to_string(b.column);
      if (!j->tests.empty() || !j->equal.empty())
        out += " if " + std::to_string(j->tests.size() + j->equal.size()) + " tests";
    } else if (std::holds_alternative<filter_step>(s.what)) {
      out += "filter";
    } else if (const auto* b = std::get_if<bind_step>(&s.what)) {
      out += "bind v" + std::to_string(b->slot);
    } else if (const auto* c = std::get_if<call_step>(&s.what)) {
      const auto functor = program.functors.find(c->function);
      out += (functor != program.functors.end()
                  ? "call functor " + functor->second.name
                  : "call host function " + std::to_string(c->function)) +
             " -> v" + std::to_string(c->slot);
    } else if (const auto* n = std::get_if<absent_step>(&s.what)) {
      out += "absent " + text_of(n->source, program);
    } else if (const auto* p = std::get_if<present_step>(&s.what)) {
      out += "some " + text_of(p->source, program);
    } else if (const auto* e = std::get_if<exists_step>(&s.what)) {
      out += "exists for";
      for (const u32 slot : e->given)
        out += " v" + std::to_string(slot);
      out += e->given.empty() ? " all\n" : "\n";
      print_steps(program, e->body, e->kernels, indent + "  ", out);
      continue;
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
