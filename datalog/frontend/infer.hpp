// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of all values in a clause. Variables get the largest type that all their sources
// (places in positive atoms) allow; constants and results of arithmetic fit where any type of their
// kind does; sinks (heads, negated atoms) are checked afterwards. Relies on the type table and the
// AST.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "datalog/frontend/ast.hpp"
#include "datalog/frontend/diagnostic.hpp"
#include "datalog/frontend/types.hpp"

namespace ikra::datalog {

/// A relation with its columns' types.
struct declared_relation {
  const ast::relation* written = nullptr;
  std::vector<type_id> types;
  std::uint32_t number = 0; ///< in core::program::relations
};
using relation_table = std::map<std::string, declared_relation>;

/// Gives every value in a clause its id.
void number_arguments(ast::clause& clause);

class clause_types {
public:
  /// How much is inferred. What inlining has put together has been checked, and may mix subsets of
  /// one type.
  enum class detail { subtypes, kinds };

  /// \param clause numbered, isolated (ground.hpp), its relations known and of the right arity; it
  /// must outlive this
  clause_types(const ast::clause& clause, const relation_table& relations, type_table& types,
               detail level = detail::subtypes);

  /// Reports every value that has no type or the wrong one.
  void check(diagnostics& messages) const;

  /// The type of a value; of use if check() reported nothing.
  type_id of(const ast::argument& argument) const { return slots_[slot(argument)]; }
  value_kind kind(const ast::argument& argument) const { return types_.kind(of(argument)); }

private:
  static constexpr type_id unknown = -1;
  static constexpr type_id impossible = -2;

  std::size_t slot(const ast::argument& argument) const {
    return static_cast<std::size_t>(slot_of_[static_cast<std::size_t>(argument.id)]);
  }
  bool known(const ast::argument& argument) const { return slots_[slot(argument)] >= 0; }
  void make_slots();
  void sources();
  void pass();
  bool name_a_record();
  void narrow(const ast::argument& argument, type_id type);
  void narrow_kind(const ast::argument& argument, type_id type);
  void unify(const ast::argument& a, const ast::argument& b);
  void unify_kinds(const ast::argument& a, const ast::argument& b);
  void literal(const ast::literal& literal);
  void arguments(const ast::atom& atom, bool source);
  void value(const ast::argument& argument);
  void fields(const ast::argument& argument, const std::vector<ast::argument>& values, int branch);
  void call(const ast::argument& argument, const ast::call& call);
  void aggregate(const ast::argument& argument, const ast::aggregate& aggregate);

  void check_atom(const ast::atom& atom, bool negated, diagnostics& messages) const;
  void check_value(const ast::argument& argument, diagnostics& messages) const;
  void check_number(const ast::argument& argument, const ast::number_constant& number,
                    diagnostics& messages) const;
  void check_branch(const ast::argument& argument, const ast::branch& branch,
                    diagnostics& messages) const;
  void check_call(const ast::argument& argument, const ast::call& call,
                  diagnostics& messages) const;
  void check_external(const ast::argument& argument, const ast::call& call,
                      diagnostics& messages) const;
  void check_constraint(const ast::literal& literal, const ast::constraint& constraint,
                        diagnostics& messages) const;
  bool is_kind(const ast::argument& argument, value_kind kind) const {
    return known(argument) && types_.kind(of(argument)) == kind;
  }
  bool is_numeric(const ast::argument& argument) const {
    return known(argument) && types_.kind(of(argument)) <= value_kind::real;
  }

  const ast::clause& clause_;
  const relation_table& relations_;
  type_table& types_;
  std::vector<int> slot_of_;   // by argument
  std::vector<type_id> slots_; // variables share one
  detail level_;
  bool changed_ = false;
};

} // namespace ikra::datalog
