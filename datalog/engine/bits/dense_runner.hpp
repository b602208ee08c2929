// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a stratum of chains over bits, in one of three ways: rows in the order in which they
// need each other, each row alone, or matrices (docs/datalog.md, "Dense evaluation"). Written once
// for both devices.
#pragma once

#include "datalog/engine/bits/dense_matrix.hpp"
#include "datalog/engine/bits/scc_fixpoint.hpp"
#include "datalog/engine/engine.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

namespace ikra::datalog {

/// What was done.
struct dense_outcome {
  std::string form;
  u64 iterations = 0;
};

template <class Backend> class dense_runner {
public:
  /// \param forced whether bits are to be taken even if they do not pay.
  /// \param batch numbers that are worked on at once.
  dense_runner(Backend& backend, std::vector<relation_store<Backend>>& relations,
               const plan::stratum& stratum, const dense_stratum& plan,
               const engine_options& options, bool forced, u64 batch)
      : backend_(backend), relations_(relations), stratum_(stratum), plan_(plan), options_(options),
        forced_(forced), batch_(batch) {}

  /// Evaluates the stratum from the tuples that its other rules gave.
  /// \param begun is called with the number of each iteration.
  /// \returns nothing, and does nothing, if bits do not pay or do not fit.
  std::optional<dense_outcome> run(const std::function<void(u64)>& begun) {
    const bool in_order = plan_.in_order && options_.order != order_use::nowhere;
    // To number values takes as long as an iteration.
    if (!forced_ && !plan_.by_row && !in_order && !plan_.starts_at_delta)
      return {};
    number();
    if (!forced_ && numbers_.count > most_values)
      return {};
    if (plan_.by_row)
      return run_closure(begun);
    if (in_order)
      if (auto done = run_chains_in_order(begun))
        return done;
    return run_matrices(begun);
  }

private:
  using labelled = std::vector<std::pair<shared_run<Backend>, layout>>;
  using begun_function = std::function<void(u64)>;
  using chain = ordered_chain<Backend>;

  static constexpr u32 most_values = 1 << 20; // a row's bits are listed for each value
  static constexpr u64 usual_room = u64(1) << (Backend::is_cuda ? 24 : 22);

  bool fits(u64 bytes) const { return forced_ || bytes <= backend_.available() / 4; }

  labelled tuples_of(u32 relation) const {
    labelled all;
    const index_data<Backend>& primary = relations_[relation].indices().front();
    for (const shared_run<Backend>& part : primary.full)
      all.emplace_back(part, primary.packed);
    return all;
  }

  /// Numbers the values of the stratum's relations and of those that its chains read.
  void number() {
    std::vector<u32> all = stratum_.relations;
    for (const chain_rule& c : plan_.chains)
      for (const chain_factor& f : c.factors)
        if (std::find(all.begin(), all.end(), f.relation) == all.end())
          all.push_back(f.relation);
    labelled tuples;
    for (const u32 relation : all) {
      const labelled more = tuples_of(relation);
      tuples.insert(tuples.end(), more.begin(), more.end());
    }
    numbers_ = number_values(backend_, tuples);
  }

  /// The tuples of all of these, numbered.
  sorted_run<Backend> pairs_of(const std::vector<chain_factor>& factors) {
    labelled parts;
    std::vector<char> turned;
    for (const chain_factor& f : factors)
      for (auto& part : tuples_of(f.relation)) {
        parts.push_back(std::move(part));
        turned.push_back(f.turned ? 1 : 0);
      }
    return numbered_pairs(backend_, numbers_, parts, turned);
  }

  sparse_matrix<Backend> matrix_of_pairs(const sorted_run<Backend>& pairs) {
    return matrix_of(backend_, pairs, numbers_.count);
  }

  /// A GPU is idle where few rows can be computed at a time: matrices do better then. But where
  /// rows need few others, one is little work, and a fixpoint by matrices has about as many
  /// iterations as there are levels.
  u64 least_width(const std::vector<chain>& chains) const {
    if (options_.order != order_use::automatic || !Backend::is_cuda)
      return 0;
    u64 needs = 0;
    for (const chain& c : chains)
      needs += c.left != nullptr ? c.left->size : 0;
    const bool few = needs <= u64(2) * numbers_.count;
    return few ? backend_.group_count() / 4 : backend_.group_count();
  }

  std::optional<dense_outcome> run_in_order(const std::vector<chain>& chains,
                                            const sparse_matrix<Backend>& start,
                                            const begun_function& begun) {
    ordered_rows<Backend> work(backend_, numbers_, chains, start, std::min(batch_, usual_room));
    if (!work.find_order(least_width(chains)) || !fits(work.cyclic_bytes()))
      return {};
    // Matrices have all that is needed of the tuples so far.
    starts_.clear();
    relation_store<Backend>& relation = relations_[stratum_.relations.front()];
    relation.clear();
    const u64 iterations = work.run(begun);
    relation.replace(work.tuples());
    return dense_outcome{"dense, rows in order", iterations};
  }

  /// H = B ∪ H·E ∪ F·H.
  std::optional<dense_outcome> run_closure(const begun_function& begun) {
    const u32 relation = stratum_.relations.front();
    const chain_factor itself{relation, false, true};
    std::vector<chain_factor> right_factors = plan_.by_row->right;
    if (plan_.by_row->squared)
      right_factors.push_back(itself);
    const bool has_right = !right_factors.empty(), has_left = !plan_.by_row->left.empty();
    const auto base = pairs_of({itself}), right = pairs_of(right_factors),
               left = pairs_of(plan_.by_row->left);
    const sparse_matrix<Backend> b = matrix_of_pairs(base), e = matrix_of_pairs(right),
                                 f = matrix_of_pairs(left);
    // B·E* = E*·B and F*·B = B·F* if B is that factor: rows can need rows, or be searched alone.
    const bool is_right = !has_left && same_pairs(backend_, base, right),
               is_left = !has_right && same_pairs(backend_, base, left);
    const bool wanted = options_.order == order_use::everywhere ||
                        (options_.order == order_use::automatic && !Backend::is_cuda);
    if (wanted && (!has_right || is_right))
      if (auto done = run_in_order({{has_right ? &e : &f, nullptr, false}}, b, begun))
        return done;
    relations_[relation].clear();
    if (is_left)
      relations_[relation].replace(close_by_row<Backend>(backend_, numbers_, b, nullptr, &f));
    else
      relations_[relation].replace(close_by_row<Backend>(
          backend_, numbers_, b, has_left ? &f : nullptr, has_right ? &e : nullptr));
    return dense_outcome{"dense, row by row", 1};
  }

  std::optional<dense_outcome> run_chains_in_order(const begun_function& begun) {
    std::vector<chain> chains;
    for (const chain_rule& c : plan_.chains) {
      chain made;
      made.irreflexive = c.irreflexive;
      for (const auto& [at, factor] :
           {std::pair{&made.left, &c.factors.front()}, std::pair{&made.right, &c.factors.back()}})
        if (!factor->recursive)
          *at = &static_matrix(*factor);
      chains.push_back(made);
    }
    const u32 relation = stratum_.relations.front();
    const auto start = matrix_of_pairs(start_pairs(relation));
    return run_in_order(chains, start, begun);
  }

  /// What both ways of a GPU read is made once.
  sparse_matrix<Backend>& static_matrix(const chain_factor& f) {
    const auto [at, is_new] = statics_.try_emplace({f.relation, f.turned});
    if (is_new)
      at->second = matrix_of_pairs(pairs_of({f}));
    return at->second;
  }
  const sorted_run<Backend>& start_pairs(u32 relation) {
    std::optional<sorted_run<Backend>>& made = starts_[relation];
    if (!made)
      made = pairs_of({{relation, false, true}});
    return *made;
  }

  std::optional<dense_outcome> run_matrices(const begun_function& begun) {
    const bool pays =
        plan_.starts_at_delta && fits(dense_matrices<Backend>::bytes(plan_, numbers_.count));
    if (!forced_ && !pays)
      return {};
    dense_matrices<Backend> work(backend_, plan_, numbers_,
                                 options_.lists == list_use::everywhere ||
                                     (options_.lists == list_use::on_gpus && Backend::is_cuda));
    for (const chain_factor& f : dense_matrices<Backend>::needed(plan_))
      work.set_static(f, std::move(static_matrix(f)));
    for (const u32 r : stratum_.relations)
      work.start(r, start_pairs(r));
    statics_.clear();
    starts_.clear();
    dense_outcome done{"dense, by matrices", work.run(begun)};
    for (const u32 r : stratum_.relations) {
      relations_[r].clear(); // not both at a time
      relations_[r].replace(work.tuples_of(r));
    }
    if (work.list_iterations() != 0)
      done.form += ", " + std::to_string(work.list_iterations()) + " iterations over lists";
    return done;
  }

  Backend& backend_;
  std::vector<relation_store<Backend>>& relations_;
  const plan::stratum& stratum_;
  const dense_stratum& plan_;
  const engine_options& options_;
  bool forced_;
  u64 batch_;
  numbering<Backend> numbers_;
  std::map<std::pair<u32, bool>, sparse_matrix<Backend>> statics_; ///< by relation, turned
  std::map<u32, std::optional<sorted_run<Backend>>> starts_;       ///< by relation
};

} // namespace ikra::datalog
