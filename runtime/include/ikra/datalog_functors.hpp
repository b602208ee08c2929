// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For libraries of stateful functors (`.functor f(x: T): U stateful`), which ikra-datalog loads.
// Such a function gets two tables and values as they are in these tables:
//
//   extern "C" souffle::RamDomain longest(souffle::SymbolTable* symbols, souffle::RecordTable*
//                                         records, souffle::RamDomain a, souffle::RamDomain b);
//
// A symbol is its number in the symbol table. A record is its number in the record table, nil is 0.
// An algebraic value is a record of its branch's number and its fields: the field if there is one,
// else a record of them. Branches are numbered in the order of their names. If no branch has
// fields, the value is the branch's number. The classes have the layout of Soufflé 2.5's, so that
// libraries that were compiled with its headers are called, too; so the order of the virtual
// functions must not change. Relies on the standard library only.
#pragma once

#include <ikra/macros_aside.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

namespace ikra::datalog::functors {

/// Texts and their numbers. \tparam Domain int32_t, or int64_t for programs of 64 bits
template <class Domain> class symbol_table {
public:
  using entry = std::pair<const std::string, const std::size_t>;
  class cursor {
  public:
    virtual ~cursor() = default;
    virtual const entry& get() const = 0;
    virtual bool equals(const cursor& other) = 0;
    virtual cursor& incr() = 0;
    virtual std::unique_ptr<cursor> copy() const = 0;
  };
  /// Goes over all symbols.
  class iterator {
  public:
    explicit iterator(std::unique_ptr<cursor> at) : at_(std::move(at)) {}
    iterator(const iterator& other) : at_(other.at_->copy()) {}
    iterator(iterator&&) noexcept = default;
    iterator& operator=(const iterator&) = delete;
    iterator& operator=(iterator&&) = delete;
    ~iterator() = default;
    const entry& operator*() const { return at_->get(); }
    const entry* operator->() const { return &at_->get(); }
    iterator& operator++() {
      at_->incr();
      return *this;
    }
    bool operator==(const iterator& other) const { return at_->equals(*other.at_); }

  private:
    std::unique_ptr<cursor> at_;
  };

  virtual ~symbol_table() = default;
  virtual iterator begin() const = 0;
  virtual iterator end() const = 0;
  // NOLINTBEGIN(readability-identifier-naming): the names that such libraries are written with.
  /// Whether a text has a number.
  virtual bool weakContains(const std::string& text) const = 0;
  /// The number of a text, which gets one if it has none. The text has to be UTF-8.
  virtual Domain encode(const std::string& text) = 0;
  /// The text of a number that encode() or an argument gave; valid until the program ends.
  virtual const std::string& decode(Domain number) const = 0;
  virtual Domain unsafeEncode(const std::string& text) = 0;
  virtual const std::string& unsafeDecode(Domain number) const = 0;
  /// encode(), and whether the text is new.
  virtual std::pair<Domain, bool> findOrInsert(const std::string& text) = 0;
  // NOLINTEND(readability-identifier-naming)
};

/// Records and their numbers.
template <class Domain> class record_table {
public:
  virtual ~record_table() = default;
  virtual void setNumLanes(std::size_t lanes) = 0; // NOLINT(readability-identifier-naming)
  /// The number of a record with these fields.
  virtual Domain pack(const Domain* fields, std::size_t count) = 0;
  virtual Domain pack(const std::initializer_list<Domain>& fields) = 0;
  /// The fields of a record that has as many, or null for nil and for numbers of no such record;
  /// valid until the program ends.
  virtual const Domain* unpack(Domain number, std::size_t count) const = 0;
  /// Calls visit(fields, count, number) for each record.
  virtual void
  enumerate(const std::function<void(const Domain*, std::size_t, Domain)>& visit) const = 0;
};

} // namespace ikra::datalog::functors

/// The names that libraries of functors use, for Soufflé's and for this header. A library for
/// programs of 64 bits defines RAM_DOMAIN_SIZE as 64.
namespace souffle {
#if defined(RAM_DOMAIN_SIZE) && RAM_DOMAIN_SIZE == 64
using RamDomain = std::int64_t;
#else
using RamDomain = std::int32_t;
#endif
using SymbolTable = ikra::datalog::functors::symbol_table<RamDomain>;
using RecordTable = ikra::datalog::functors::record_table<RamDomain>;
} // namespace souffle

#include <ikra/macros_back.hpp>
