// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of a program: the four primitive ones, what `.type` declares, and for each kind the
// type of its constants, which fits where any type of the kind does. Relies on the AST.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "datalog/frontend/ast.hpp"
#include "datalog/frontend/core.hpp"
#include "datalog/frontend/diagnostic.hpp"

namespace ikra::datalog {

/// Number of a type in a type_table.
using type_id = int;

class type_table {
public:
  /// Reports what is wrong with the declarations; the table is of use only if nothing was.
  type_table(const std::vector<ast::type>& declared, diagnostics& messages);

  /// Declares the functors, whose types are among those declared.
  void add_functors(const std::vector<ast::functor_declaration>& declared, diagnostics& messages);
  /// What a functor takes and gives, and its number in core::program::functors.
  struct signature {
    std::vector<type_id> parameters;
    type_id result = 0;
    std::uint32_t number = 0;
  };
  /// \return null if there is no such functor
  const signature* functor(const std::string& name) const;

  static type_id primitive(value_kind kind) { return static_cast<type_id>(kind); }
  /// The type of constants and of results of arithmetic.
  static type_id constant(value_kind kind) { return static_cast<type_id>(kind) + 4; }
  static bool is_constant(type_id type) { return type >= 4 && type < 8; }

  std::optional<type_id> find(const std::string& name) const;
  /// The algebraic type that has this branch, and the branch's number.
  struct branch_place {
    type_id type = 0;
    int branch = 0;
  };
  std::optional<branch_place> find_branch(const std::string& name) const;

  const std::string& name(type_id type) const { return entries_[index(type)].name; }
  value_kind kind(type_id type) const { return entries_[index(type)].kind; }
  bool is_structure(type_id type) const { return entries_[index(type)].structure >= 0; }
  /// For records and algebraic types: the number in structures(), else -1.
  int structure(type_id type) const { return entries_[index(type)].structure; }
  const std::vector<core::structure>& structures() const noexcept { return structures_; }
  /// The types of the fields of a branch; a record has branch 0 alone.
  const std::vector<type_id>& field_types(type_id type, int branch) const;

  bool is_subtype(type_id sub, type_id super) const;
  /// The largest type that is a subtype of both, if there is one.
  std::optional<type_id> meet(type_id a, type_id b);
  /// A record type with these fields, for records whose type no declaration says; the same one each
  /// time.
  type_id nameless_record(const std::vector<type_id>& fields);

private:
  struct entry {
    std::string name;
    value_kind kind = value_kind::number;
    type_id base = -1;             // of a subset
    std::vector<type_id> elements; // of a union
    int structure = -1;
    std::vector<std::vector<type_id>> fields; // by branch
  };
  static std::size_t index(type_id type) { return static_cast<std::size_t>(type); }
  void declare(const std::vector<ast::type>& declared, diagnostics& messages);
  std::optional<type_id> define(const ast::type& type, diagnostics& messages);
  void define_union(const ast::type& type, const ast::union_type& definition, entry& made,
                    diagnostics& messages) const;
  void define_fields(const ast::type& type, diagnostics& messages);
  std::vector<type_id> fields(const std::vector<ast::attribute>& attributes,
                              const std::string& owner, const ast::type& type, core::branch& into,
                              diagnostics& messages) const;

  std::vector<entry> entries_;
  std::map<std::string, type_id> names_;
  std::map<std::string, branch_place> branches_;
  std::vector<core::structure> structures_;
  std::map<std::string, signature> functors_;
  std::map<std::string, const ast::type*> pending_; // declared and not defined yet
  std::vector<std::string> defining_;
  std::set<std::string> declared_;
};

} // namespace ikra::datalog
