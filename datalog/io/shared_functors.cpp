// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program declares becomes a call interface of libffi.
#include "datalog/io/shared_functors.hpp"

#include <dlfcn.h>
#include <ffi.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

#include "datalog/frontend/functions.hpp"
#include "datalog/frontend/values.hpp"
#include "datalog/io/functor_tables.hpp"
#include "datalog/io/output_files.hpp"

namespace ikra::datalog {
namespace {

using core::word;
using library = std::shared_ptr<void>;

/// One C function, with the types that a functor declares.
class c_function {
public:
  c_function(const core::external& declared, int bits, domain& values, library holder,
             void* address)
      : name_(declared.name), kinds_(declared.parameters), result_(declared.result), format_(bits),
        values_(values), holder_(std::move(holder)), address_(address) {
    for (const value_kind kind : kinds_)
      types_.push_back(type_of(kind));
    if (ffi_prep_cif(&interface_, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()),
                     type_of(result_), types_.data()) != FFI_OK)
      throw io_error("Error: functor " + name_ + " has types that cannot be called");
  }
  c_function(const c_function&) = delete; // the interface points to the types
  c_function& operator=(const c_function&) = delete;
  ~c_function() = default;

  word value(std::span<const word> operands) {
    const slot result = call(operands);
    if (result_ == value_kind::real) // there is one zero
      return format_.from_real(format_.is_32() ? result.get<float>() : result.get<double>());
    return format_.from_unsigned(result.get<word>());
  }

  std::string text(std::span<const word> operands) {
    const char* const given = call(operands).get<const char*>();
    if (given == nullptr)
      throw undefined_value("Functor " + name_ + " gave no text");
    if (!is_utf8(given))
      throw undefined_value("Functor " + name_ + " gave a text that is not UTF-8");
    return given;
  }

private:
  /// An argument, or a result, which libffi makes at least as wide as a register.
  struct slot {
    alignas(ffi_arg) std::array<char, 8> bytes{};
    template <class T> void put(T value) { std::memcpy(bytes.data(), &value, sizeof value); }
    template <class T> T get() const {
      T value;
      std::memcpy(&value, bytes.data(), sizeof value);
      return value;
    }
  };
  static_assert(sizeof(ffi_arg) <= sizeof(slot));

  ffi_type* type_of(value_kind kind) const {
    switch (kind) {
    case value_kind::number:
      return format_.is_32() ? &ffi_type_sint32 : &ffi_type_sint64;
    case value_kind::unsigned_number:
      return format_.is_32() ? &ffi_type_uint32 : &ffi_type_uint64;
    case value_kind::real:
      return format_.is_32() ? &ffi_type_float : &ffi_type_double;
    case value_kind::symbol:
    case value_kind::record:
    case value_kind::sum:
      break;
    }
    return &ffi_type_pointer;
  }

  void put(word value, value_kind kind, slot& into) const {
    if (kind == value_kind::symbol)
      into.put(values_.symbols.text(value).c_str());
    else if (format_.is_32())
      into.put(static_cast<std::uint32_t>(value)); // numbers and floats alike: their bits
    else
      into.put(value);
  }

  slot call(std::span<const word> operands) {
    std::vector<slot> places(operands.size());
    std::vector<void*> arguments;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      put(operands[i], kinds_[i], places[i]);
      arguments.push_back(&places[i]);
    }
    slot result;
    ffi_call(&interface_, reinterpret_cast<void (*)()>(address_), &result, arguments.data());
    return result;
  }

  std::string name_;
  std::vector<value_kind> kinds_;
  value_kind result_;
  value_format format_;
  domain& values_;
  library holder_; ///< stays loaded while the function may be called
  void* address_;
  std::vector<ffi_type*> types_;
  ffi_cif interface_{};
};

/// One function that gets both tables, and values as they are there.
template <class Domain> class table_function {
public:
  table_function(const core::external& declared, std::shared_ptr<functor_tables<Domain>> tables,
                 library holder, void* address)
      : declared_(declared), tables_(std::move(tables)), holder_(std::move(holder)),
        address_(address), types_(declared.parameters.size() + 2, word_type) {
    types_[0] = types_[1] = &ffi_type_pointer;
    if (ffi_prep_cif(&interface_, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()), word_type,
                     types_.data()) != FFI_OK)
      throw io_error("Error: functor " + declared.name + " has types that cannot be called");
  }
  table_function(const table_function&) = delete; // the interface points to the types
  table_function& operator=(const table_function&) = delete;
  ~table_function() = default;

  word operator()(std::span<const word> operands) {
    try {
      functors::symbol_table<Domain>* symbols = &tables_->symbols;
      functors::record_table<Domain>* records = &tables_->records;
      std::vector<Domain> places;
      for (std::size_t i = 0; i < operands.size(); ++i)
        places.push_back(tables_->to_table(operands[i], declared_.structures[i]));
      std::vector<void*> arguments{&symbols, &records};
      for (Domain& place : places)
        arguments.push_back(&place);
      ffi_arg result = 0;
      ffi_call(&interface_, reinterpret_cast<void (*)()>(address_), &result, arguments.data());
      const std::string problem = tables_->symbols.take_problem();
      if (!problem.empty())
        throw undefined_value(problem);
      return tables_->from_table(static_cast<Domain>(result), declared_.result,
                                 declared_.structures.back());
    } catch (const undefined_value& problem) {
      throw undefined_value("Functor " + declared_.name + " " + problem.what());
    }
  }

private:
  static constexpr ffi_type* word_type = sizeof(Domain) == 4 ? &ffi_type_sint32 : &ffi_type_sint64;
  core::external declared_;
  std::shared_ptr<functor_tables<Domain>> tables_;
  library holder_; ///< stays loaded while the function may be called
  void* address_;
  std::vector<ffi_type*> types_;
  ffi_cif interface_{};
};

/// The tables of a run, one pair for all functors.
template <class Domain> struct table_functions {
  std::shared_ptr<functor_tables<Domain>> tables;

  external_function make(const core::program& program, const core::external& declared,
                         domain& values, const library& holder, void* address) {
    if (!tables)
      tables = std::make_shared<functor_tables<Domain>>(program, values);
    const auto function =
        std::make_shared<table_function<Domain>>(declared, tables, holder, address);
    return {.run = [function](std::span<const word> operands) { return (*function)(operands); }};
  }
};

/// Numbers are the result's own. A text often stands in memory that the function's next call
/// writes, so one thread at a time asks for it.
external_function make_function(const core::external& declared, int bits, domain& values,
                                const library& holder, void* address) {
  const auto function = std::make_shared<c_function>(declared, bits, values, holder, address);
  external_function made;
  if (declared.result == value_kind::symbol)
    made.text = [function](std::span<const word> operands) { return function->text(operands); };
  else
    made.run = [function](std::span<const word> operands) { return function->value(operands); };
  made.for_all_threads = declared.result != value_kind::symbol;
  return made;
}

/// Which functors rules call.
class called_functors {
public:
  explicit called_functors(const core::program& program) : called_(program.functors.size()) {
    for (const core::rule& rule : program.rules) {
      add(rule.values);
      add(rule.body);
    }
  }
  bool operator[](std::size_t functor) const { return called_[functor]; }

private:
  void add(const std::vector<core::expression>& values) {
    for (const core::expression& value : values) {
      if (value.is == core::expression::form::call && value.op == functor::external)
        called_[value.variable] = true;
      add(value.operands);
    }
  }
  void add(const std::vector<core::literal>& body) {
    for (const core::literal& literal : body) {
      if (const auto* test = std::get_if<core::test>(&literal.node))
        add({test->left, test->right});
      else if (const auto* generator = std::get_if<core::generator>(&literal.node))
        add(generator->bounds);
      else if (const auto* aggregate = std::get_if<core::aggregate>(&literal.node)) {
        add(aggregate->target);
        add(aggregate->body);
      }
    }
  }
  std::vector<bool> called_;
};

} // namespace

void load_functors(const core::program& program, domain& values, const functor_libraries& from) {
  if (program.functors.empty())
    return;
  using names = std::vector<std::string>;
  std::vector<library> open;
  std::string problems;
  for (const std::string& folder : from.folders.empty() ? names{"."} : from.folders)
    for (const std::string& name : from.names.empty() ? names{"functors"} : from.names) {
      const std::string path = (std::filesystem::path(folder) / ("lib" + name + ".so")).string();
      if (library found{dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL), [](void* handle) {
                          if (handle != nullptr)
                            dlclose(handle);
                        }})
        open.push_back(std::move(found));
      else
        problems += std::string{"\n  "} + dlerror();
    }
  const called_functors called(program);
  table_functions<std::int32_t> narrow;
  table_functions<std::int64_t> wide;
  for (std::size_t i = 0; i < program.functors.size(); ++i) {
    const core::external& declared = program.functors[i];
    for (const library& candidate : open)
      if (void* const address = dlsym(candidate.get(), declared.name.c_str());
          address != nullptr && !values.externals[i] && declared.stateful) {
        values.externals[i] = program.bits == 32
                                  ? narrow.make(program, declared, values, candidate, address)
                                  : wide.make(program, declared, values, candidate, address);
      } else if (address != nullptr && !values.externals[i]) {
        values.externals[i] = make_function(declared, program.bits, values, candidate, address);
      }
    if (!values.externals[i] && called[i])
      throw io_error("Error: no library has a function for functor " + declared.name +
                     "; name one with -l, and its folder with -L" + problems);
  }
}

} // namespace ikra::datalog
