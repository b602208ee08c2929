// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk over literals, and a union of those that share a variable.
#include "datalog/plan/body_parts.hpp"

#include <algorithm>
#include <map>

namespace ikra::datalog {

using plan::expression;
using plan::operation;
using std::uint32_t;

namespace {

bool computing_may_fail(const expression& from) {
  const bool divides = from.what == operation::divide || from.what == operation::remainder;
  return from.what == operation::call || (divides && from.of.of != plan::kind::floating) ||
         std::any_of(from.operands.begin(), from.operands.end(),
                     [](const expression& operand) { return computing_may_fail(operand); });
}

} // namespace

void collect_slots(const expression& from, std::vector<uint32_t>& slots) {
  if (from.what == operation::variable)
    slots.push_back(static_cast<uint32_t>(from.payload));
  for (const expression& operand : from.operands)
    collect_slots(operand, slots);
}

void collect_slots(const plan::atom& from, std::vector<uint32_t>& slots) {
  for (const plan::argument& argument : from.arguments)
    if (argument.place == plan::argument::variable)
      slots.push_back(static_cast<uint32_t>(argument.content));
}

void collect_inner(const plan::aggregate& from, std::vector<uint32_t>& slots) {
  if (from.function != plan::aggregate::count)
    collect_slots(from.target, slots);
  for (const plan::literal& l : from.body)
    collect_slots(l, slots);
}

void collect_slots(const plan::literal& from, std::vector<uint32_t>& slots) {
  if (const auto* a = std::get_if<plan::atom>(&from.what)) {
    collect_slots(*a, slots);
  } else if (const auto* n = std::get_if<plan::negation>(&from.what)) {
    collect_slots(n->what, slots);
  } else if (const auto* c = std::get_if<plan::condition>(&from.what)) {
    collect_slots(c->test, slots);
  } else if (const auto* b = std::get_if<plan::binding>(&from.what)) {
    slots.push_back(b->slot);
    collect_slots(b->value, slots);
  } else if (const auto* g = std::get_if<plan::generator>(&from.what)) {
    slots.push_back(g->slot);
    for (const expression* bound : {&g->from, &g->to, &g->step})
      collect_slots(*bound, slots);
  } else if (const auto* inner = std::get_if<plan::aggregate>(&from.what)) {
    slots.push_back(inner->slot);
    collect_inner(*inner, slots);
  }
}

bool may_fail(const plan::literal& from) {
  if (const auto* c = std::get_if<plan::condition>(&from.what))
    return computing_may_fail(c->test);
  if (const auto* b = std::get_if<plan::binding>(&from.what))
    return computing_may_fail(b->value);
  if (const auto* g = std::get_if<plan::generator>(&from.what))
    return computing_may_fail(g->from) || computing_may_fail(g->to) || computing_may_fail(g->step);
  if (const auto* a = std::get_if<plan::aggregate>(&from.what))
    return computing_may_fail(a->target) ||
           std::any_of(a->body.begin(), a->body.end(),
                       [](const plan::literal& l) { return may_fail(l); });
  return false;
}

std::vector<uint32_t> parts_of(const std::vector<const plan::literal*>& literals,
                               const std::function<bool(uint32_t)>& knows) {
  std::vector<uint32_t> root(literals.size());
  for (uint32_t i = 0; i < root.size(); ++i)
    root[i] = i;
  const auto find = [&](uint32_t at) {
    while (root[at] != at)
      at = root[at] = root[root[at]];
    return at;
  };
  std::map<uint32_t, uint32_t> first; // variables to literals
  for (uint32_t i = 0; i < literals.size(); ++i) {
    std::vector<uint32_t> slots;
    collect_slots(*literals[i], slots);
    for (const uint32_t slot : slots)
      if (!knows(slot))
        root[find(first.try_emplace(slot, i).first->second)] = find(i);
  }
  std::map<uint32_t, uint32_t> number;
  std::vector<uint32_t> parts;
  for (uint32_t i = 0; i < literals.size(); ++i)
    parts.push_back(
        number.try_emplace(find(i), static_cast<uint32_t>(number.size())).first->second);
  return parts;
}

} // namespace ikra::datalog
