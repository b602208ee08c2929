// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two steps: all instances are written out, each item with the instance's name beside it; then,
// when all names are known, every name is looked up from the innermost instance outwards.
#include "datalog/frontend/components.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "datalog/frontend/walk.hpp"

namespace ikra::datalog {
namespace {

// Type parameters and what stands for them.
using binding = std::map<std::string, std::string>;

std::string bound(const binding& names, const std::string& name) {
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

std::string qualified(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

void bind_types(std::vector<ast::attribute>& attributes, const binding& names) {
  for (ast::attribute& attribute : attributes)
    attribute.type = bound(names, attribute.type);
}

void bind_types(ast::type& type, const binding& names) {
  if (auto* subset = std::get_if<ast::subset_type>(&type.definition))
    subset->base = bound(names, subset->base);
  else if (auto* alternatives = std::get_if<ast::union_type>(&type.definition))
    for (std::string& element : alternatives->elements)
      element = bound(names, element);
  else if (auto* record = std::get_if<ast::record_type>(&type.definition))
    bind_types(record->fields, names);
  else if (auto* sum = std::get_if<ast::sum_type>(&type.definition))
    for (ast::type_branch& branch : sum->branches)
      bind_types(branch.fields, names);
}

class instantiation {
public:
  explicit instantiation(diagnostics& messages) : messages_(messages) {}

  ast::program run(const ast::program& program) {
    check_declarations(program, {&program});
    if (messages_.errors() > 0)
      return {};
    add(program, "", {});
    out_.functors = program.functors;
    out_.lattices = program.lattices;
    for (const ast::component_init& init : program.inits)
      instantiate(init, "", {&program});
    check_names(program);
    resolve();
    return std::move(out_);
  }

private:
  using chain = std::vector<const ast::scope*>; // the declarations in sight, innermost last

  static const ast::component* find(const chain& scopes, const std::string& name) {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
      for (const ast::component& component : (*scope)->components)
        if (component.head.name == name)
          return &component;
    return nullptr;
  }

  // Reports what is wrong with a mention of a component; null then.
  const ast::component* refer(const chain& scopes, const ast::component_type& type,
                              location where) {
    const ast::component* found = find(scopes, type.name);
    if (found == nullptr) {
      messages_.error("Referencing undefined component " + type.name, where);
      return nullptr;
    }
    if (found->head.parameters.size() != type.parameters.size()) {
      messages_.error("Invalid number of type parameters for component " + type.name, where);
      return nullptr;
    }
    return found;
  }

  // All components that one inherits from, in no order.
  static void collect_bases(const ast::component& component, const chain& scopes,
                            std::set<const ast::component*>& into) {
    for (const ast::component_type& base : component.bases)
      if (const ast::component* found = find(scopes, base.name);
          found != nullptr && into.insert(found).second)
        collect_bases(*found, scopes, into);
  }

  void check_declarations(const ast::scope& scope, const chain& scopes) {
    for (const ast::component& component : scope.components) {
      const std::set<std::string> parameters(component.head.parameters.begin(),
                                             component.head.parameters.end());
      for (const ast::component_type& base : component.bases)
        if (!parameters.contains(base.name))
          refer(scopes, base, component.where);
      std::set<const ast::component*> bases;
      collect_bases(component, scopes, bases);
      if (bases.contains(&component))
        messages_.error("Invalid cycle in inheritance for component " + component.head.name,
                        component.where);
      for (const auto& [name, where] : component.overridden)
        check_override(component, bases, name, where);
      chain inner = scopes;
      inner.insert(inner.end(), bases.begin(), bases.end());
      inner.push_back(&component);
      check_declarations(component, inner);
    }
  }

  void check_override(const ast::component& component, const std::set<const ast::component*>& bases,
                      const std::string& name, location where) {
    auto declares = [&](const ast::relation& relation) { return relation.name == name; };
    bool inherited = false;
    for (const ast::component* base : bases) {
      for (const ast::relation& relation : base->relations) {
        if (!declares(relation))
          continue;
        inherited = true;
        if (!relation.overridable)
          messages_.error("Override of non-overridable relation " + name + " in component " +
                              component.head.name,
                          where);
      }
    }
    const bool own = std::any_of(component.relations.begin(), component.relations.end(), declares);
    // What a base is, is not known where it is a type parameter.
    const bool open = std::any_of(
        component.bases.begin(), component.bases.end(), [&](const ast::component_type& base) {
          const auto& parameters = component.head.parameters;
          return std::find(parameters.begin(), parameters.end(), base.name) != parameters.end();
        });
    if (own || (!inherited && !open))
      messages_.error("Override of non-inherited relation " + name + " in component " +
                          component.head.name,
                      where);
  }

  void instantiate(const ast::component_init& init, const std::string& prefix,
                   const chain& scopes) {
    const ast::component* component = refer(scopes, init.type, init.where);
    if (component == nullptr)
      return;
    if (std::find(active_.begin(), active_.end(), component) != active_.end()) {
      messages_.error("Component " + init.type.name + " contains itself", init.where);
      return;
    }
    active_.push_back(component);
    const std::string name = qualified(prefix, init.name);
    instances_.emplace_back(name, init.where);
    write_out(*component, init.type.parameters, name, scopes, {});
    active_.pop_back();
  }

  // The contents of a component and of its bases. overridden: relations whose rules here do not
  // count.
  void write_out(const ast::component& component, const std::vector<std::string>& arguments,
                 const std::string& prefix, const chain& scopes, std::set<std::string> overridden) {
    // Type parameters that name bases can make a cycle that no declaration shows.
    constexpr int max_bases = 100;
    if (bases_above_ == max_bases) {
      messages_.error("Invalid cycle in inheritance for component " + component.head.name,
                      component.where);
      return;
    }
    ++bases_above_;
    binding names;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      names[component.head.parameters[i]] = arguments[i];
    chain inner = scopes;
    inner.push_back(&component);
    std::set<const ast::component*> bases;
    collect_bases(component, scopes, bases);
    inner.insert(inner.begin() + static_cast<std::ptrdiff_t>(scopes.size()), bases.begin(),
                 bases.end());

    ast::scope own = component;
    std::erase_if(own.clauses,
                  [&](const ast::clause& clause) { return overridden.contains(clause.head.name); });
    for (const auto& [name, where] : component.overridden)
      overridden.insert(name);
    for (ast::component_type base : component.bases) {
      base.name = bound(names, base.name);
      for (std::string& parameter : base.parameters)
        parameter = bound(names, parameter);
      if (const ast::component* found = refer(scopes, base, component.where))
        write_out(*found, base.parameters, prefix, scopes, overridden);
    }
    add(own, prefix, names);
    for (ast::component_init init : component.inits) {
      init.type.name = bound(names, init.type.name);
      for (std::string& parameter : init.type.parameters)
        parameter = bound(names, parameter);
      instantiate(init, prefix, inner);
    }
    --bases_above_;
  }

  void add(const ast::scope& scope, const std::string& prefix, const binding& names) {
    for (ast::type type : scope.types) {
      bind_types(type, names);
      // A type that has a parameter's name is called as what stands for it: `.type T <: number` of
      // C<T> is c.Id in `.init c = C<Id>`, which mentions of T mean, too.
      types_.insert(type.name = qualified(prefix, bound(names, type.name)));
      if (auto* sum = std::get_if<ast::sum_type>(&type.definition))
        for (ast::type_branch& branch : sum->branches)
          branches_.insert(branch.name = qualified(prefix, branch.name));
      out_.types.push_back(std::move(type));
      type_prefixes_.push_back(prefix);
    }
    for (ast::relation relation : scope.relations) {
      bind_types(relation.attributes, names);
      relations_.insert(relation.name = qualified(prefix, relation.name));
      out_.relations.push_back(std::move(relation));
      relation_prefixes_.push_back(prefix);
    }
    for (ast::clause clause : scope.clauses) {
      walk_arguments(clause, [&](ast::argument& argument) {
        if (auto* cast = std::get_if<ast::cast>(&argument.node))
          cast->type = bound(names, cast->type);
      });
      out_.clauses.push_back(std::move(clause));
      clause_prefixes_.push_back(prefix);
    }
    for (const ast::directive& directive : scope.directives) {
      out_.directives.push_back(directive);
      directive_prefixes_.push_back(prefix);
    }
  }

  // Names of types, relations, components and instances are one space at the top.
  void check_names(const ast::program& program) {
    std::set<std::string> names;
    for (const ast::type& type : out_.types)
      if (!names.insert(type.name).second)
        messages_.error("Name clash on type " + type.name, type.where);
    for (const ast::relation& relation : out_.relations)
      if (!names.insert(relation.name).second)
        messages_.error("Name clash on relation " + relation.name, relation.where);
    for (const ast::component& component : program.components)
      if (!names.insert(component.head.name).second)
        messages_.error("Name clash on component " + component.head.name, component.where);
    for (const auto& [name, where] : instances_)
      if (!names.insert(name).second)
        messages_.error("Name clash on instantiation " + name, where);
  }

  // From the innermost instance outwards; the name as it is, where nothing has it.
  static void look_up(std::string& name, std::string prefix, const std::set<std::string>& known) {
    if (name.empty())
      return;
    while (!prefix.empty()) {
      const std::string candidate = qualified(prefix, name);
      if (known.contains(candidate)) {
        name = candidate;
        return;
      }
      const std::size_t dot = prefix.rfind('.');
      prefix.resize(dot == std::string::npos ? 0 : dot);
    }
  }

  void resolve() {
    for (std::size_t i = 0; i < out_.types.size(); ++i) {
      const std::string& prefix = type_prefixes_[i];
      auto fields = [&](std::vector<ast::attribute>& attributes) {
        for (ast::attribute& attribute : attributes)
          look_up(attribute.type, prefix, types_);
      };
      ast::type& type = out_.types[i];
      if (auto* subset = std::get_if<ast::subset_type>(&type.definition))
        look_up(subset->base, prefix, types_);
      else if (auto* alternatives = std::get_if<ast::union_type>(&type.definition))
        for (std::string& element : alternatives->elements)
          look_up(element, prefix, types_);
      else if (auto* record = std::get_if<ast::record_type>(&type.definition))
        fields(record->fields);
      else if (auto* sum = std::get_if<ast::sum_type>(&type.definition))
        for (ast::type_branch& branch : sum->branches)
          fields(branch.fields);
    }
    for (std::size_t i = 0; i < out_.relations.size(); ++i)
      for (ast::attribute& attribute : out_.relations[i].attributes)
        look_up(attribute.type, relation_prefixes_[i], types_);
    for (std::size_t i = 0; i < out_.relations.size(); ++i)
      look_up(out_.relations[i].traced, relation_prefixes_[i], relations_);
    for (std::size_t i = 0; i < out_.directives.size(); ++i)
      look_up(out_.directives[i].relation, directive_prefixes_[i], relations_);
    for (std::size_t i = 0; i < out_.clauses.size(); ++i) {
      const std::string& prefix = clause_prefixes_[i];
      walk_atoms(out_.clauses[i], [&](ast::atom& atom) { look_up(atom.name, prefix, relations_); });
      walk_arguments(out_.clauses[i], [&](ast::argument& argument) {
        if (auto* cast = std::get_if<ast::cast>(&argument.node))
          look_up(cast->type, prefix, types_);
        else if (auto* branch = std::get_if<ast::branch>(&argument.node))
          look_up(branch->name, prefix, branches_);
      });
    }
  }

  diagnostics& messages_;
  ast::program out_;
  std::vector<std::string> type_prefixes_, relation_prefixes_, clause_prefixes_,
      directive_prefixes_; // beside out_'s
  std::set<std::string> types_, relations_, branches_;
  std::vector<std::pair<std::string, location>> instances_;
  std::vector<const ast::component*> active_;
  int bases_above_ = 0;
};

} // namespace

ast::program instantiate_components(const ast::program& program, diagnostics& messages) {
  return instantiation(messages).run(program);
}

} // namespace ikra::datalog
