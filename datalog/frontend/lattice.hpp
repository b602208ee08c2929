// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lattices are rules: one that combines two values of a key, one that removes the smaller of two
// values, and conditions where bodies read values. Relies on the AST; comes before the checks of
// clauses.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "datalog/frontend/ast.hpp"
#include "datalog/frontend/diagnostic.hpp"

namespace ikra::datalog {

class lattice_rules {
public:
  /// Reports lattices and columns that are wrong.
  /// \param program must outlive this
  lattice_rules(const ast::program& program, diagnostics& messages);

  /// The rules that combine and remove tuples of relations with lattice columns.
  std::vector<ast::clause> rules() const;

  /// A user's clause, whose body is a conjunction, with what reading a lattice column means. The
  /// body may have groups.
  ast::clause read(const ast::clause& written);

private:
  struct column {
    std::size_t number;
    const ast::lattice* of;
  };
  using literals = std::vector<ast::literal>;

  void check(const ast::lattice& lattice);
  void add_columns(const ast::relation& relation);
  ast::argument fresh(location where);
  static ast::argument apply(const ast::argument& operation, const ast::argument& a,
                             const ast::argument& b);
  const ast::argument& glb(const ast::lattice& lattice, location where);
  void read_atom(ast::atom& atom, literals& added,
                 std::map<std::string, std::vector<ast::argument>>& read,
                 std::map<std::string, const ast::lattice*>& lattice_of);
  ast::literal read_negation(const ast::negation& negation, location where);

  const ast::program& program_;
  diagnostics& messages_;
  std::map<std::string, const ast::lattice*> lattices_;
  std::map<std::string, std::vector<column>> columns_; ///< by relation
  std::map<std::string, const ast::relation*> relations_;
  int count_ = 0;
};

} // namespace ikra::datalog
