// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of types, in any order: subsets, unions and aliases are resolved depth first with a
// watch for cycles; records and algebraic types may refer to each other, so their fields come last.
#include "datalog/frontend/types.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace ikra::datalog {

type_table::type_table(const std::vector<ast::type>& declared, diagnostics& messages) {
  for (const char* name : {"number", "unsigned", "float", "symbol"}) {
    const auto kind = static_cast<value_kind>(entries_.size());
    names_[name] = static_cast<type_id>(entries_.size());
    entries_.push_back({name, kind, constant(kind), {}, -1, {}});
  }
  for (const char* name : {"number", "unsigned", "float", "symbol"})
    entries_.push_back({name, static_cast<value_kind>(entries_.size() - 4), -1, {}, -1, {}});
  declare(declared, messages);
}

std::optional<type_id> type_table::find(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<type_table::branch_place> type_table::find_branch(const std::string& name) const {
  const auto found = branches_.find(name);
  return found == branches_.end() ? std::nullopt : std::optional{found->second};
}

const std::vector<type_id>& type_table::field_types(type_id type, int branch) const {
  return entries_[index(type)].fields[static_cast<std::size_t>(branch)];
}

void type_table::add_functors(const std::vector<ast::functor_declaration>& declared,
                              diagnostics& messages) {
  for (const ast::functor_declaration& functor : declared) {
    const auto type_of = [&](const ast::attribute& of) {
      const auto type = find(of.type);
      if (!type)
        messages.error("Undefined type " + of.type + " of functor " + functor.name, of.where);
      else if (is_structure(*type) && !functor.stateful)
        messages.error("Functor " + functor.name + " takes and gives numbers and symbols, no " +
                           of.type + ", unless it is stateful",
                       of.where);
      return type.value_or(primitive(value_kind::number));
    };
    signature made{{}, type_of(functor.result), static_cast<std::uint32_t>(functors_.size())};
    for (const ast::attribute& parameter : functor.parameters)
      made.parameters.push_back(type_of(parameter));
    if (!functors_.emplace(functor.name, std::move(made)).second)
      messages.error("Redefinition of functor " + functor.name, functor.where);
  }
}

const type_table::signature* type_table::functor(const std::string& name) const {
  const auto found = functors_.find(name);
  return found == functors_.end() ? nullptr : &found->second;
}

void type_table::declare(const std::vector<ast::type>& declared, diagnostics& messages) {
  for (const ast::type& type : declared) {
    if (names_.contains(type.name) && names_.at(type.name) < 4) {
      messages.error("Redefinition of the predefined type", type.where);
      continue;
    }
    pending_[type.name] = &type;
    declared_.insert(type.name);
  }
  for (const ast::type& type : declared)
    if (pending_.contains(type.name))
      define(type, messages);
  for (const ast::type& type : declared)
    define_fields(type, messages);
}

std::optional<type_id> type_table::define(const ast::type& type, diagnostics& messages) {
  if (const auto known = find(type.name))
    return known;
  if (std::find(defining_.begin(), defining_.end(), type.name) != defining_.end()) {
    messages.error("Infinite descent in the definition of type " + type.name, type.where);
    return std::nullopt;
  }
  defining_.push_back(type.name);
  entry made{type.name, value_kind::number, -1, {}, -1, {}};
  std::optional<type_id> alias;
  auto mentioned = [&](const std::string& name) -> std::optional<type_id> {
    if (const auto known = find(name))
      return known;
    const auto found = pending_.find(name);
    return found == pending_.end() ? std::nullopt : define(*found->second, messages);
  };
  if (const auto* subset = std::get_if<ast::subset_type>(&type.definition)) {
    if (const auto base = mentioned(subset->base)) {
      made.kind = kind(*base);
      made.base = *base;
      if (!entries_[index(*base)].elements.empty())
        messages.error("Subset type " + type.name + " can't be derived from union " + subset->base,
                       type.where);
      else if (is_structure(*base))
        messages.error("Subset type " + type.name + " can't be derived from record type " +
                           subset->base,
                       type.where);
    } else if (!declared_.contains(subset->base)) {
      messages.error("Undefined base type " + subset->base + " in definition of type " + type.name,
                     type.where);
    }
  } else if (const auto* alternatives = std::get_if<ast::union_type>(&type.definition)) {
    for (const std::string& name : alternatives->elements) {
      if (const auto element = mentioned(name))
        made.elements.push_back(*element);
      else if (!declared_.contains(name))
        messages.error(alternatives->elements.size() == 1
                           ? "Undefined alias type " + name + " in definition of type " + type.name
                           : "Undefined type " + name + " in definition of union type " + type.name,
                       type.where);
    }
    if (alternatives->elements.size() > 1)
      define_union(type, *alternatives, made, messages);
    else if (!made.elements.empty())
      alias = made.elements[0];
  } else {
    const bool sum = std::holds_alternative<ast::sum_type>(type.definition);
    made.kind = sum ? value_kind::sum : value_kind::record;
    made.structure = static_cast<int>(structures_.size());
    structures_.push_back({type.name, sum, {}});
  }
  defining_.pop_back();
  // A type that is wrong gets its place, too: all that can be said of it has been.
  if (!alias) {
    alias = static_cast<type_id>(entries_.size());
    entries_.push_back(std::move(made));
  }
  names_[type.name] = *alias;
  return alias;
}

void type_table::define_union(const ast::type& type, const ast::union_type& definition, entry& made,
                              diagnostics& messages) const {
  std::set<std::string> kinds;
  for (std::size_t i = 0; i < made.elements.size(); ++i) {
    if (is_structure(made.elements[i])) {
      messages.error("Union type " + type.name + " contains the non-primitive type " +
                         definition.elements[i],
                     type.where);
      return;
    }
    made.kind = kind(made.elements[i]);
    kinds.insert(name(primitive(made.kind)));
  }
  if (kinds.size() < 2)
    return;
  std::string list;
  for (const std::string& kind : kinds)
    list += (list.empty() ? "" : ", ") + kind;
  messages.error("Union type " + type.name + " is defined over {" + list +
                     "} (multiple primitive types in union)",
                 type.where);
}

std::vector<type_id> type_table::fields(const std::vector<ast::attribute>& attributes,
                                        const std::string& owner, const ast::type& type,
                                        core::branch& into, diagnostics& messages) const {
  std::vector<type_id> types;
  std::set<std::string> seen;
  for (const ast::attribute& attribute : attributes) {
    if (!seen.insert(attribute.name).second)
      messages.error("Doubly defined field name " + attribute.name + " in definition of type " +
                         type.name,
                     attribute.where);
    const auto field = find(attribute.type);
    if (!field) {
      messages.error("Undefined type " + attribute.type + " in definition of " + owner,
                     attribute.where);
      continue;
    }
    types.push_back(*field);
    into.fields.push_back({attribute.name, kind(*field), structure(*field)});
  }
  return types;
}

void type_table::define_fields(const ast::type& type, diagnostics& messages) {
  const auto id = find(type.name);
  if (!id || !is_structure(*id) || !entries_[index(*id)].fields.empty())
    return;
  entry& made = entries_[index(*id)];
  core::structure& structure = structures_[static_cast<std::size_t>(made.structure)];
  if (const auto* record = std::get_if<ast::record_type>(&type.definition)) {
    for (const ast::attribute& attribute : record->fields)
      if (!find(attribute.type))
        messages.error("Undefined type " + attribute.type + " in definition of field " +
                           attribute.name,
                       attribute.where);
    if (std::all_of(
            record->fields.begin(), record->fields.end(),
            [&](const ast::attribute& attribute) { return find(attribute.type).has_value(); }))
      made.fields.push_back(
          fields(record->fields, "", type, structure.branches.emplace_back(), messages));
  } else if (const auto* sum = std::get_if<ast::sum_type>(&type.definition)) {
    for (const ast::type_branch& branch : sum->branches) {
      const branch_place place{*id, static_cast<int>(made.fields.size())};
      if (!branches_.emplace(branch.name, place).second)
        messages.error("Branch " + branch.name + " is defined multiple times", branch.where);
      core::branch& into = structure.branches.emplace_back();
      into.name = branch.name;
      made.fields.push_back(fields(branch.fields, "branch " + branch.name, type, into, messages));
    }
  }
}

bool type_table::is_subtype(type_id sub, type_id super) const {
  if (sub == super)
    return true;
  const entry& lower = entries_[index(sub)];
  const entry& upper = entries_[index(super)];
  if (lower.kind != upper.kind)
    return false;
  if (lower.kind != value_kind::record && lower.kind != value_kind::sum && is_constant(super))
    return true;
  const auto& parts = upper.elements;
  if (std::any_of(parts.begin(), parts.end(), [&](type_id part) { return is_subtype(sub, part); }))
    return true;
  if (!lower.elements.empty())
    return std::all_of(lower.elements.begin(), lower.elements.end(),
                       [&](type_id part) { return is_subtype(part, super); }) ||
           super == primitive(lower.kind);
  return lower.base >= 0 && is_subtype(lower.base, super);
}

std::optional<type_id> type_table::meet(type_id a, type_id b) {
  if (is_subtype(a, b))
    return a;
  if (is_subtype(b, a))
    return b;
  // Two unions may share elements; what they share is a union without a name.
  std::vector<type_id> shared;
  for (const type_id part : entries_[index(a)].elements)
    if (const auto both = meet(part, b))
      shared.push_back(*both);
  if (shared.empty())
    for (const type_id part : entries_[index(b)].elements)
      if (const auto both = meet(part, a))
        shared.push_back(*both);
  if (shared.size() < 2)
    return shared.empty() ? std::nullopt : std::optional{shared[0]};
  std::string text;
  for (const type_id part : shared)
    text += (text.empty() ? "" : " | ") + name(part);
  if (const auto known = find(text))
    return known;
  entries_.push_back({text, kind(a), -1, std::move(shared), -1, {}});
  return names_[text] = static_cast<type_id>(entries_.size()) - 1;
}

type_id type_table::nameless_record(const std::vector<type_id>& fields) {
  std::string text = "[";
  for (const type_id field : fields)
    text += (text.size() == 1 ? "" : ", ") + name(field);
  text += "]";
  if (const auto known = find(text))
    return known.value();
  core::branch branch;
  for (const type_id field : fields)
    branch.fields.push_back({"", kind(field), structure(field)});
  entries_.push_back(
      {text, value_kind::record, -1, {}, static_cast<int>(structures_.size()), {fields}});
  structures_.push_back({text, false, {std::move(branch)}});
  return names_[text] = static_cast<type_id>(entries_.size()) - 1;
}

} // namespace ikra::datalog
