// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs in plain builds: the naive evaluator, from all facts anew at each run. It is what the
// engine is compared with, so nothing is kept from one run to the next.
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "datalog/api/loaded_program.hpp"
#include "datalog/reference/evaluation.hpp"

namespace ikra::datalog {
namespace {

class plain_program final : public loaded_program {
public:
  plain_program(std::string_view text, const program_options& options,
                const std::source_location& where)
      : loaded_program(text, options, where), facts_(rules().relations.size()) {
    if (options.device == run_device::gpu)
      throw error(error_kind::no_device,
                  "Datalog: a plain build runs on one core; take run_device::automatic, or link "
                  "ikra::datalog_cuda");
  }

  std::uint64_t size(std::uint32_t relation) override {
    return done_ ? done_->tuples(relation).size() : 0;
  }
  std::string plan() override { return "naive evaluation, rules as they stand\n"; }

private:
  void add(std::uint32_t relation, const column_words& facts, std::uint64_t rows) override {
    for (std::uint64_t row = 0; row < rows; ++row) {
      reference_evaluation::tuple fact;
      for (const std::vector<core::word>& column : facts)
        fact.push_back(column[row]);
      facts_[relation].insert(std::move(fact));
    }
  }

  void evaluate() override {
    auto next = std::make_unique<reference_evaluation>(rules(), values());
    for (std::uint32_t relation = 0; relation < facts_.size(); ++relation)
      for (const reference_evaluation::tuple& fact : facts_[relation])
        next->insert(relation, fact);
    next->run();
    done_ = std::move(next);
  }

  void each(std::uint32_t relation, const take_row& take) override {
    if (done_)
      for (const reference_evaluation::tuple& tuple : done_->tuples(relation))
        take(tuple);
  }

  std::vector<reference_evaluation::tuple_set> facts_; ///< by relation
  std::unique_ptr<reference_evaluation> done_;         ///< after the last run
};

} // namespace

std::unique_ptr<detail::database> detail::make_database(std::string_view text,
                                                        const program_options& options,
                                                        const std::source_location& where) {
  return std::make_unique<plain_program>(text, options, where);
}

} // namespace ikra::datalog
