// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of outputs. Values become numbers in the same order, their keys: symbols and structures
// are ranked among those that occur. A row's keys are put into one word if they fit, which is
// sorted and taken apart again.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "datalog/io/formats.hpp"
#include "datalog/io/parallel.hpp"
#include "datalog/io/text_order.hpp"

namespace ikra::datalog {
namespace {

constexpr std::size_t fewest = 1U << 14; ///< values that are worth a thread

/// Whether the order of bit patterns is the order of values: not for negative numbers, and only by
/// chance for symbols and structures.
bool is_in_order(const value_text& text, const core::relation& relation, const row_source& rows) {
  bool signed_columns = false;
  for (const core::column& column : relation.columns) {
    if (column.kind > value_kind::real)
      return rows.rows < 2;
    signed_columns = signed_columns || column.kind != value_kind::unsigned_number;
  }
  if (!signed_columns)
    return true;
  const core::word sign = core::word{1} << (text.program().bits - 1);
  core::word seen = 0;
  rows.each([&](row found) {
    for (std::size_t column = 0; column < found.size(); ++column)
      if (relation.columns[column].kind != value_kind::unsigned_number)
        seen |= found[column];
  });
  return (seen & sign) == 0;
}

/// The keys of a column's values.
class column_keys {
public:
  column_keys(const core::column& type, value_format format) : type_(type), format_(format) {}

  bool is_ranked() const { return type_.kind > value_kind::real; }
  const core::column& type() const { return type_; }

  /// Of values that are ranked: those that occur, in order; and the rank of each.
  void rank(std::shared_ptr<const std::vector<core::word>> values,
            std::shared_ptr<const std::vector<std::uint32_t>> ranks) {
    values_ = std::move(values);
    ranks_ = std::move(ranks);
  }
  /// Keys begin at 0 after this.
  void begin_at(core::word least) { least_ = least; }

  core::word key(core::word value) const {
    if (is_ranked())
      return (*ranks_)[static_cast<std::size_t>(value)];
    const core::word order = type_.kind == value_kind::number ? value ^ sign()
                             : type_.kind == value_kind::real ? format_.order_of_real(value)
                                                              : value;
    return order - least_;
  }
  core::word value(core::word key) const {
    if (is_ranked())
      return (*values_)[static_cast<std::size_t>(key)];
    const core::word order = key + least_;
    return type_.kind == value_kind::number ? order ^ sign()
           : type_.kind == value_kind::real ? format_.real_of_order(order)
                                            : order;
  }

private:
  core::word sign() const { return core::word{1} << (format_.is_32() ? 31 : 63); }

  const core::column& type_;
  value_format format_;
  core::word least_ = 0;
  std::shared_ptr<const std::vector<core::word>> values_;
  std::shared_ptr<const std::vector<std::uint32_t>> ranks_;
};

/// The rows of an output, one after the other.
class row_table {
public:
  row_table(const value_text& text, const core::relation& relation, const row_source& rows)
      : text_(text), width_(relation.columns.size()) {
    for (const core::column& column : relation.columns)
      columns_.emplace_back(column, text.format());
    values_.reserve(rows.rows * width_);
    rows.each([&](row found) { values_.insert(values_.end(), found.begin(), found.end()); });
    count_ = values_.size() / width_;
    parts_ = io::threads_for(count_, fewest);
  }

  void sort() {
    rank_symbols();
    for (std::size_t column = 0; column < width_; ++column)
      if (columns_[column].is_ranked() && columns_[column].type().kind != value_kind::symbol)
        rank({column});
    make_keys();
    if (std::accumulate(bits_.begin(), bits_.end(), 0U) <= 64)
      sort_words();
    else
      sort_numbers();
  }

  void each(const std::function<void(row)>& take) const {
    std::vector<core::word> found(width_);
    for (std::size_t i = 0; i < count_; ++i) {
      at(i, found);
      take(found);
    }
  }

  void at(std::size_t i, std::span<core::word> found) const {
    if (order_.empty())
      return take_apart(words_[i], found);
    for (std::size_t column = 0; column < width_; ++column)
      found[column] = columns_[column].value(values_[order_[i] * width_ + column]);
  }

private:
  void rank_symbols() {
    std::vector<std::size_t> symbols;
    for (std::size_t column = 0; column < width_; ++column)
      if (columns_[column].type().kind == value_kind::symbol)
        symbols.push_back(column);
    if (!symbols.empty())
      rank(symbols);
  }

  /// Ranks the values of columns of one type, together.
  void rank(const std::vector<std::size_t>& columns) {
    const core::column& type = columns_[columns[0]].type();
    const core::word most = largest(columns);
    text_.check(most, type);
    const auto ranks =
        std::make_shared<std::vector<std::uint32_t>>(static_cast<std::size_t>(most) + 1);
    std::vector<io::ordered_symbol> found = different(columns, *ranks);
    if (type.kind == value_kind::symbol)
      io::text_order(text_.symbols()).sort(found);
    else
      io::sort_items(found, [&](const io::ordered_symbol& a, const io::ordered_symbol& b) {
        return text_.compare(a.value, b.value, type) < 0;
      });
    const auto values = std::make_shared<std::vector<core::word>>(found.size());
    io::for_ranges(found.size(), io::threads_for(found.size(), fewest),
                   [&](std::size_t, std::size_t begin, std::size_t end) {
                     for (std::size_t i = begin; i < end; ++i) {
                       (*values)[i] = found[i].value;
                       (*ranks)[static_cast<std::size_t>(found[i].value)] =
                           static_cast<std::uint32_t>(i);
                     }
                   });
    for (const std::size_t column : columns)
      columns_[column].rank(values, ranks);
  }

  core::word largest(const std::vector<std::size_t>& columns) const {
    std::vector<core::word> most(parts_, 0);
    io::for_ranges(count_, parts_, [&](std::size_t part, std::size_t begin, std::size_t end) {
      core::word own = 0;
      for (std::size_t i = begin; i < end; ++i)
        for (const std::size_t column : columns)
          own = std::max(own, values_[i * width_ + column]);
      most[part] = own;
    });
    return *std::max_element(most.begin(), most.end());
  }

  /// The values that occur, once each, in no order.
  /// \param seen 0 for each value; 1 for those that occur, afterwards
  std::vector<io::ordered_symbol> different(const std::vector<std::size_t>& columns,
                                            std::vector<std::uint32_t>& seen) const {
    std::vector<std::vector<io::ordered_symbol>> found(parts_);
    io::for_ranges(count_, parts_, [&](std::size_t part, std::size_t begin, std::size_t end) {
      std::vector<io::ordered_symbol> own;
      for (std::size_t i = begin; i < end; ++i)
        for (const std::size_t column : columns) {
          const core::word value = values_[i * width_ + column];
          const std::atomic_ref mark(seen[static_cast<std::size_t>(value)]);
          if (mark.load(std::memory_order_relaxed) == 0 &&
              mark.exchange(1U, std::memory_order_relaxed) == 0)
            own.push_back({value, 0});
        }
      found[part] = std::move(own);
    });
    for (std::size_t part = 1; part < parts_; ++part)
      found[0].insert(found[0].end(), found[part].begin(), found[part].end());
    return std::move(found[0]);
  }

  /// Keys in place of values.
  void make_keys() {
    bits_.assign(width_, 0);
    struct bounds {
      core::word least = ~core::word{0}, most = 0;
    };
    std::vector<std::vector<bounds>> seen(parts_, std::vector<bounds>(width_));
    io::for_ranges(count_, parts_, [&](std::size_t part, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        for (std::size_t column = 0; column < width_; ++column) {
          core::word& at = values_[i * width_ + column];
          at = columns_[column].key(at);
          bounds& own = seen[part][column];
          own = {std::min(own.least, at), std::max(own.most, at)};
        }
    });
    if (count_ == 0)
      return;
    std::vector<core::word> least(width_, 0);
    for (std::size_t column = 0; column < width_; ++column) {
      bounds all;
      for (const std::vector<bounds>& own : seen)
        all = {std::min(all.least, own[column].least), std::max(all.most, own[column].most)};
      if (!columns_[column].is_ranked()) {
        least[column] = all.least;
        columns_[column].begin_at(all.least);
      }
      bits_[column] = static_cast<unsigned>(std::bit_width(all.most - least[column]));
    }
    io::for_ranges(count_, parts_, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        for (std::size_t column = 0; column < width_; ++column)
          values_[i * width_ + column] -= least[column];
    });
  }

  void sort_words() {
    words_.resize(count_);
    io::for_ranges(count_, parts_, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        core::word keys = 0;
        for (std::size_t column = 0; column < width_; ++column)
          keys = (bits_[column] == 64 ? 0 : keys << bits_[column]) | values_[i * width_ + column];
        words_[i] = keys;
      }
    });
    values_ = {};
    io::sort_items(words_, std::less<>{});
  }

  void take_apart(core::word keys, std::span<core::word> into) const {
    for (std::size_t column = width_; column-- > 0;) {
      const unsigned bits = bits_[column];
      into[column] =
          columns_[column].value(bits == 64 ? keys : keys & ((core::word{1} << bits) - 1));
      keys = bits == 64 ? 0 : keys >> bits;
    }
  }

  void sort_numbers() {
    order_.resize(count_);
    std::iota(order_.begin(), order_.end(), std::uint64_t{0});
    io::sort_items(order_, [&](std::uint64_t a, std::uint64_t b) {
      const core::word *left = values_.data() + a * width_, *right = values_.data() + b * width_;
      return std::lexicographical_compare(left, left + width_, right, right + width_);
    });
  }

  const value_text& text_;
  std::size_t width_, count_ = 0;
  std::size_t parts_ = 1; ///< of the rows, a thread each
  std::vector<column_keys> columns_;
  std::vector<core::word> values_;   ///< then keys, row after row
  std::vector<unsigned> bits_;       ///< of each column's keys
  std::vector<core::word> words_;    ///< of rows whose keys fit
  std::vector<std::uint64_t> order_; ///< of other rows: their numbers
};

} // namespace

row_source sorted_rows(const value_text& text, const core::relation& relation, row_source rows) {
  if (is_in_order(text, relation, rows))
    return rows;
  const auto table = std::make_shared<row_table>(text, relation, rows);
  try {
    table->sort();
  } catch (const undefined_value& problem) {
    io::fail_writing(relation, problem.what());
  }
  rows.each = [table](const std::function<void(row)>& take) { table->each(take); };
  rows.at = [table](std::uint64_t i, std::span<core::word> found) {
    table->at(static_cast<std::size_t>(i), found);
  };
  return rows;
}

} // namespace ikra::datalog
