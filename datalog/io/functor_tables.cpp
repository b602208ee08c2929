// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translations are remembered, so that a list that grows at its head takes one step each time.
#include "datalog/io/functor_tables.hpp"

#include <algorithm>
#include <numeric>

#include "datalog/frontend/functions.hpp"
#include "datalog/frontend/values.hpp"

namespace ikra::datalog {

template <class Domain> class functor_symbols<Domain>::cursor final : public base::cursor {
public:
  cursor(const symbol_table& symbols, std::size_t at) : symbols_(symbols), at_(at) {}

  const typename base::entry& get() const override {
    shown_.emplace(symbols_.text(at_), at_);
    return *shown_;
  }
  bool equals(const typename base::cursor& other) override {
    return at_ == static_cast<const cursor&>(other).at_; // there is one class of them
  }
  typename base::cursor& incr() override {
    ++at_;
    return *this;
  }
  std::unique_ptr<typename base::cursor> copy() const override {
    return std::make_unique<cursor>(symbols_, at_);
  }

private:
  const symbol_table& symbols_;
  std::size_t at_;
  mutable std::optional<typename base::entry> shown_;
};

template <class Domain>
typename functor_symbols<Domain>::base::iterator
functor_symbols<Domain>::at(std::size_t number) const {
  return typename base::iterator(std::make_unique<cursor>(symbols_, number));
}

template <class Domain> const std::string& functor_symbols<Domain>::decode(Domain number) const {
  static const std::string none;
  if (number >= 0 && static_cast<std::size_t>(number) < symbols_.size())
    return symbols_.text(static_cast<core::word>(number));
  problem_ = "asked for symbol " + std::to_string(number) + ", which there is not";
  return none;
}

template <class Domain>
std::pair<Domain, bool> functor_symbols<Domain>::findOrInsert(const std::string& text) {
  if (!is_utf8(text))
    problem_ = "gave a text that is not UTF-8";
  const std::size_t before = symbols_.size();
  const auto number = static_cast<Domain>(symbols_.number(is_utf8(text) ? text : std::string()));
  return {number, symbols_.size() != before};
}

template <class Domain>
Domain functor_records<Domain>::pack(const Domain* fields, std::size_t count) {
  const auto [known, is_new] = numbers_.emplace(std::vector<Domain>(fields, fields + count), 0);
  if (is_new) {
    records_.push_back(&known->first);
    known->second = static_cast<Domain>(records_.size());
  }
  return known->second;
}

template <class Domain>
const Domain* functor_records<Domain>::unpack(Domain number, std::size_t count) const {
  if (number <= 0 || static_cast<std::size_t>(number) > records_.size())
    return nullptr;
  const std::vector<Domain>& record = *records_[static_cast<std::size_t>(number) - 1];
  // A record without fields has a place, too.
  static constexpr Domain none = 0;
  if (record.size() != count)
    return nullptr;
  return record.empty() ? &none : record.data();
}

template <class Domain>
void functor_records<Domain>::enumerate(
    const std::function<void(const Domain*, std::size_t, Domain)>& visit) const {
  for (std::size_t i = 0; i < records_.size(); ++i)
    visit(records_[i]->data(), records_[i]->size(), static_cast<Domain>(i + 1));
}

namespace {

constexpr int max_depth = 10'000;

void check_depth(int depth) {
  if (depth > max_depth)
    throw undefined_value("has a value that is nested more than " + std::to_string(max_depth) +
                          " deep");
}

} // namespace

template <class Domain>
std::vector<int> functor_tables<Domain>::sorted_branches(int structure) const {
  const auto& branches = structures_[static_cast<std::size_t>(structure)].branches;
  std::vector<int> order(branches.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return branches[static_cast<std::size_t>(a)].name < branches[static_cast<std::size_t>(b)].name;
  });
  return order;
}

template <class Domain> bool functor_tables<Domain>::is_enumeration(int structure) const {
  const auto& branches = structures_[static_cast<std::size_t>(structure)].branches;
  return std::all_of(branches.begin(), branches.end(),
                     [](const core::branch& branch) { return branch.fields.empty(); });
}

template <class Domain>
Domain functor_tables<Domain>::to_table(core::word value, int structure, int depth) {
  if (structure < 0)
    return static_cast<Domain>(value);
  if (value == 0)
    return 0; // nil
  if (const auto known = known_.find(value); known != known_.end())
    return known->second;
  check_depth(depth);
  const structure_value& whole = values_.structures.value(value);
  const core::structure& type = structures_[static_cast<std::size_t>(whole.structure)];
  const core::branch& branch = type.branches[static_cast<std::size_t>(whole.branch)];
  std::vector<Domain> fields;
  for (std::size_t i = 0; i < whole.fields.size(); ++i)
    fields.push_back(to_table(whole.fields[i], branch.fields[i].structure, depth + 1));
  if (type.sum) {
    const std::vector<int> order = sorted_branches(whole.structure);
    const auto number =
        static_cast<Domain>(std::find(order.begin(), order.end(), whole.branch) - order.begin());
    if (is_enumeration(whole.structure))
      return number;
    const Domain content =
        fields.size() == 1 ? fields[0] : records.pack(fields.data(), fields.size());
    fields = {number, content};
  }
  return known_[value] = records.pack(fields.data(), fields.size());
}

template <class Domain>
std::vector<core::word> functor_tables<Domain>::fields_from(const Domain* fields,
                                                            const core::branch& branch, int depth) {
  if (fields == nullptr)
    throw undefined_value("gave a record that is not of its type");
  std::vector<core::word> made;
  for (std::size_t i = 0; i < branch.fields.size(); ++i)
    made.push_back(
        from_table(fields[i], branch.fields[i].kind, branch.fields[i].structure, depth + 1));
  return made;
}

template <class Domain>
core::word functor_tables<Domain>::from_table(Domain value, value_kind kind, int structure,
                                              int depth) {
  const value_format format(sizeof(Domain) * 8);
  if (kind == value_kind::symbol) {
    if (value < 0 || static_cast<std::size_t>(value) >= values_.symbols.size())
      throw undefined_value("gave symbol " + std::to_string(value) + ", which there is not");
    return static_cast<core::word>(value);
  }
  const core::word bits = format.from_number(value);
  if (kind == value_kind::real) // there is one zero
    return format.from_real(format.real(bits));
  if (structure < 0)
    return bits;
  const core::structure& type = structures_[static_cast<std::size_t>(structure)];
  if (value == 0 && !type.sum)
    return 0;
  if (const auto known = back_.find({structure, value}); known != back_.end())
    return known->second;
  check_depth(depth);
  structure_value made{structure, 0, {}};
  if (!type.sum) {
    made.fields =
        fields_from(records.unpack(value, type.branches[0].fields.size()), type.branches[0], depth);
  } else {
    const bool plain = is_enumeration(structure);
    const Domain* const parts = plain ? &value : records.unpack(value, 2);
    const std::vector<int> order = sorted_branches(structure);
    if (parts == nullptr || parts[0] < 0 || static_cast<std::size_t>(parts[0]) >= order.size())
      throw undefined_value("gave a value that is none of type " + type.name);
    made.branch = order[static_cast<std::size_t>(parts[0])];
    const core::branch& branch = type.branches[static_cast<std::size_t>(made.branch)];
    if (!plain)
      made.fields = fields_from(
          branch.fields.size() == 1 ? &parts[1] : records.unpack(parts[1], branch.fields.size()),
          branch, depth);
  }
  return back_[{structure, value}] = values_.structures.number(std::move(made));
}

template class functor_symbols<std::int32_t>;
template class functor_symbols<std::int64_t>;
template class functor_tables<std::int32_t>;
template class functor_tables<std::int64_t>;

} // namespace ikra::datalog
