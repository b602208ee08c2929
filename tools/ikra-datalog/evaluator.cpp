// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two evaluators. Facts are gathered by columns, as the engine takes them, and handed over when
// it runs.
#include "evaluator.hpp"

#include <algorithm>
#include <functional>
#include <future>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "datalog/compile/lower.hpp"
#include "datalog/reference/evaluation.hpp"
#include "progress.hpp"

namespace ikra::datalog {
namespace {

class reference_evaluator final : public evaluator {
public:
  reference_evaluator(const core::program& program, domain& values) : reference_(program, values) {}

  void insert(std::uint32_t relation, row facts, std::uint64_t count) override {
    const std::size_t width = facts.size() / count;
    for (std::uint64_t i = 0; i < count; ++i) {
      const row fact = facts.subspan(i * width, width);
      reference_.insert(relation, {fact.begin(), fact.end()});
    }
  }
  void run() override { reference_.run(); }
  std::uint64_t size(std::uint32_t relation) override { return reference_.tuples(relation).size(); }
  row_source rows(std::uint32_t relation) override {
    const reference_evaluation::tuple_set& tuples = reference_.tuples(relation);
    return {tuples.size(), [&tuples](const std::function<void(row)>& take) {
              for (const reference_evaluation::tuple& tuple : tuples)
                take(tuple);
            }};
  }
  std::string plan() override { return "naive evaluation, rules as they stand\n"; }
  std::string profile() override { return ""; }

private:
  reference_evaluation reference_;
};

/// From so many facts on, a GPU is taken for programs with recursion: it has to be started, which
/// takes some tenths of a second, and an iteration takes at least a tenth of a millisecond.
constexpr std::uint64_t facts_for_gpu = std::uint64_t(1) << 17;

class engine_evaluator final : public evaluator {
public:
  /// \param device nothing: chosen when all facts are there
  engine_evaluator(std::optional<device_kind> device, engine_options how,
                   const core::program& program, domain& values, const source_text& source)
      : program_(lower(program, values, source)), pending_(program_.plan.relations.size()),
        how_(std::move(how)), asked_(device),
        recursive_(std::any_of(program_.plan.strata.begin(), program_.plan.strata.end(),
                               [](const plan::stratum& s) { return s.recursive; })) {
    // The line is there while the engine runs.
    how_.progress = [this](const run_progress& now) {
      if (line_)
        line_->show(now);
    };
    if (asked_ == device_kind::cuda)
      start_gpu();
    else if (asked_)
      start(*asked_);
    for (const auto& [relation, facts] : program_.facts)
      for (const std::vector<core::word>& fact : facts)
        keep(relation, fact, 1);
  }

  void insert(std::uint32_t relation, row facts, std::uint64_t count) override {
    keep(program_.filled[relation], facts, count);
  }

  void run() override {
    if (engine_ == nullptr)
      start(asked_ ? *asked_ : fitting_device());
    for (std::uint32_t relation = 0; relation < pending_.size(); ++relation) {
      const table loaded = std::exchange(pending_[relation], {});
      if (loaded.rows == 0)
        continue;
      std::vector<column_view> views;
      for (const std::vector<core::word>& column : loaded.columns)
        views.push_back({column.data(), 64});
      engine_->load(relation, views, loaded.rows);
    }
    std::vector<std::string> names;
    for (const plan::relation& relation : program_.plan.relations)
      names.push_back(relation.name);
    line_.emplace(std::move(names));
    const auto reset = [](std::optional<progress_line>* line) { line->reset(); };
    const std::unique_ptr<std::optional<progress_line>, decltype(reset)> at_the_end(&line_, reset);
    engine_->run();
  }

  std::uint64_t size(std::uint32_t relation) override { return engine_->size(relation); }

  row_source rows(std::uint32_t relation) override {
    return {engine_->size(relation),
            [this, relation](const std::function<void(row)>& take) { each_row(relation, take); }};
  }

  std::string plan() override { return device_ + engine_->describe(); }

  std::string profile() override {
    std::ostringstream out;
    const run_statistics& measured = engine_->statistics();
    out << "seconds\t" << measured.seconds << "\niterations\t" << measured.iterations
        << "\npeak bytes\t" << measured.peak_bytes
        << "\nstratum\trule\tversion\titeration\tseconds\tjoined\ttext\n";
    for (const profile_entry& entry : measured.profile)
      out << entry.stratum << '\t' << entry.rule << '\t' << entry.version << '\t' << entry.iteration
          << '\t' << entry.seconds << '\t' << entry.joined << '\t'
          << program_.plan.rules[entry.rule].text << '\n';
    return out.str();
  }

private:
  void start(device_kind device) {
    engine_ = make_engine(program_.plan, device, how_, program_.functions.get());
  }

  /// While facts are read. \throws ikra::error, later: from the future
  void start_gpu() { gpu_ = std::async(std::launch::async, is_gpu_wanted); }

  device_kind fitting_device() {
    std::string why;
    if (!recursive_)
      why = "no rule is recursive";
    else if (facts_ < facts_for_gpu)
      why = std::to_string(facts_) + " facts are fewer than " + std::to_string(facts_for_gpu);
    else if (!gpu_.get())
      why = "there is no GPU, or IKRA_DEVICE is cpu";
    device_ = why.empty() ? "device: GPU, for " + std::to_string(facts_) + " facts\n"
                          : "device: CPU, since " + why + "\n";
    return why.empty() ? device_kind::cuda : device_kind::cpu;
  }

  void keep(std::uint32_t relation, row facts, std::uint64_t count) {
    table& into = pending_[relation];
    const std::size_t width = facts.size() / count;
    into.columns.resize(width);
    for (std::size_t column = 0; column < width; ++column)
      for (std::size_t i = column; i < facts.size(); i += width)
        into.columns[column].push_back(facts[i]);
    into.rows += count;
    facts_ += count;
    if (!asked_ && recursive_ && facts_ >= facts_for_gpu && !gpu_.valid())
      start_gpu();
  }

  void each_row(std::uint32_t relation, const std::function<void(row)>& take) {
    std::vector<core::word> found;
    engine_->read(relation, [&](std::span<const column_view> columns, std::uint64_t count) {
      found.resize(columns.size());
      for (std::uint64_t i = 0; i < count; ++i) {
        for (std::size_t column = 0; column < columns.size(); ++column) {
          const column_view& view = columns[column];
          found[column] = view.bits == 32 ? static_cast<const std::uint32_t*>(view.data)[i]
                                          : static_cast<const std::uint64_t*>(view.data)[i];
        }
        take(found);
      }
    });
  }

  struct table {
    std::vector<std::vector<core::word>> columns;
    std::uint64_t rows = 0;
  };
  lowered_program program_;
  std::vector<table> pending_; // by relation: facts that the engine has not got yet
  std::optional<progress_line> line_;
  engine_options how_;
  std::optional<device_kind> asked_; ///< nothing: chosen when all facts are there
  bool recursive_;
  std::uint64_t facts_ = 0;
  std::future<bool> gpu_; ///< whether there is one, once it has started
  std::string device_;    ///< of the plan: what was chosen, and why
  std::unique_ptr<engine> engine_;
};

} // namespace

std::unique_ptr<evaluator> make_evaluator(const options& chosen, const core::program& program,
                                          domain& values, const source_text& source) {
  if (chosen.engine == engine_choice::reference)
    return std::make_unique<reference_evaluator>(program, values);
  engine_options how;
  if (chosen.form == "runs")
    how.form = plan::form::runs;
  else if (chosen.form == "dense")
    how.form = plan::form::dense;
  if (chosen.small == "on")
    how.small = small_use::everywhere;
  else if (chosen.small == "off")
    how.small = small_use::nowhere;
  how.profile = !chosen.profile.empty();
  std::optional<device_kind> device;
  if (chosen.engine != engine_choice::automatic)
    device = chosen.engine == engine_choice::cuda ? device_kind::cuda : device_kind::cpu;
  return std::make_unique<engine_evaluator>(device, how, program, values, source);
}

} // namespace ikra::datalog
