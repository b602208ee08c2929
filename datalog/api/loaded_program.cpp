// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are read and written only where datalog/io was built (IKRA_DATALOG_FILES).
#include "datalog/api/loaded_program.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "datalog/api/host_rows.hpp"
#include "datalog/frontend/diagnostic.hpp"
#include "datalog/frontend/frontend.hpp"
#include "datalog/frontend/functions.hpp"
#ifdef IKRA_DATALOG_FILES
#include <iostream>

#include "datalog/io/fact_files.hpp"
#endif

namespace ikra::datalog {
namespace {

using detail::column_type;
using detail::value_class;

source_text source_of(std::string_view text, const std::source_location& where) {
  return {"<program at " + std::string(where.file_name()) + ":" + std::to_string(where.line()) +
              ">",
          std::string(text)};
}

message message_of(const diagnostic& said, const source_text& source) {
  message made{said.level == severity::error, said.primary.text, 0, 0};
  if (said.primary.where) {
    const place at = source.locate(said.primary.where->begin);
    made.line = at.line;
    made.column = at.column;
  }
  return made;
}

core::program checked(const source_text& source, const program_options& options) {
  if (options.bits != 32 && options.bits != 64)
    throw error(error_kind::unsupported,
                ikra::detail::text("Datalog: values of ", options.bits, " bits; take 32 or 64"));
  diagnostics said;
  std::optional<core::program> made = compile(source, options.bits, said, fact_source::caller);
  if (made)
    return *std::move(made);
  std::ostringstream out;
  out << "Datalog: this program is not valid\n";
  said.print(out, source);
  std::vector<message> messages;
  for (const diagnostic& one : said.all())
    messages.push_back(message_of(one, source));
  throw program_error(out.str(), std::move(messages));
}

const char* name_of(value_class is) {
  switch (is) {
  case value_class::number:
    return "signed integers";
  case value_class::unsigned_number:
    return "unsigned integers";
  case value_class::real:
    return "floating-point numbers";
  case value_class::object:
    return "numbers of objects";
  case value_class::text:
    break;
  }
  return "text";
}

std::string describe(const column_type& type) {
  std::string text = name_of(type.is);
  if (type.is != value_class::text && type.is != value_class::object)
    text += ikra::detail::text(" of ", type.bits, " bits");
  return text;
}

/// What a column or a functor's argument holds, in C++.
column_type declared_type(value_kind kind, int bits) {
  const auto width = static_cast<std::uint8_t>(bits);
  switch (kind) {
  case value_kind::number:
    return {value_class::number, width};
  case value_kind::unsigned_number:
    return {value_class::unsigned_number, width};
  case value_kind::real:
    return {value_class::real, width};
  case value_kind::symbol:
  case value_kind::record:
  case value_kind::sum:
    break;
  }
  return {value_class::text, 0};
}

bool fits(const column_type& given, const column_type& declared) {
  if (given.is == value_class::object)
    return declared.is == value_class::number || declared.is == value_class::unsigned_number;
  return given.is == declared.is && given.bits == declared.bits;
}

void check_types(const core::external& declared, const rule_function& given, int bits) {
  const auto fail = [&](const std::string& what, const column_type& wanted,
                        const column_type& found) {
    throw error(error_kind::type_mismatch,
                ikra::detail::text("Datalog: ", what, " of functor ", declared.name, " takes ",
                                   describe(wanted), "; the function has ", describe(found)));
  };
  if (given.parameters().size() != declared.parameters.size())
    throw error(error_kind::type_mismatch,
                ikra::detail::text("Datalog: functor ", declared.name, " has ",
                                   declared.parameters.size(), " parameters; the function has ",
                                   given.parameters().size()));
  for (std::size_t i = 0; i < declared.parameters.size(); ++i) {
    const column_type wanted = declared_type(declared.parameters[i], bits);
    if (!fits(given.parameters()[i], wanted))
      fail(ikra::detail::text("parameter ", i + 1), wanted, given.parameters()[i]);
  }
  const column_type wanted = declared_type(declared.result, bits);
  if (!fits(given.result(), wanted))
    fail("the result", wanted, given.result());
}

/// A function of the C++ program as one of words.
external_function function_of(const core::external& declared, const rule_function& given, int bits,
                              domain& values) {
  const auto call = [&symbols = values.symbols, given,
                     declared](std::span<const core::word> operands) {
    std::vector<detail::functor_value> arguments;
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (declared.parameters[i] == value_kind::symbol)
        arguments.push_back({0, symbols.text(operands[i]), {}});
      else
        arguments.push_back({operands[i], {}, {}});
    return given(arguments);
  };
  external_function made;
  made.for_all_threads = given.is_for_all_threads();
  made.code = given.code();
  if (declared.result == value_kind::symbol)
    made.text = [call, name = declared.name](std::span<const core::word> operands) {
      std::string text = std::move(call(operands).held);
      if (!is_utf8(text))
        throw undefined_value("Functor " + name + " gave a text that is not UTF-8");
      return text;
    };
  else
    made.run = [call, is_real = declared.result == value_kind::real,
                format = value_format(bits)](std::span<const core::word> operands) {
      const core::word bits_of = call(operands).bits;
      return is_real ? format.from_real(format.real(bits_of)) : bits_of;
    };
  return made;
}

} // namespace

loaded_program::loaded_program(std::string_view text, const program_options& options,
                               const std::source_location& where,
                               std::optional<core::program> known)
    : source_(source_of(text, where)),
      program_(known ? *std::move(known) : checked(source_, options)), values_(program_),
      text_(program_, values_) {
  for (std::size_t i = 0; i < program_.functors.size(); ++i) {
    const core::external& declared = program_.functors[i];
    if (declared.stateful)
      throw error(error_kind::unsupported,
                  with_place("functor " + declared.name +
                                 " is stateful, which is for shared libraries; a function of the "
                                 "program has its state by itself",
                             declared.where));
    const auto given =
        std::find_if(options.functors.begin(), options.functors.end(),
                     [&](const rule_function& one) { return one.name() == declared.name; });
    if (given == options.functors.end())
      throw error(error_kind::unknown_name,
                  with_place("functor " + declared.name +
                                 " has no function; give it in program_options::functors",
                             declared.where));
    check_types(declared, *given, program_.bits);
    values_.externals[i] = function_of(declared, *given, program_.bits, values_);
  }
}

std::uint32_t loaded_program::find(std::string_view relation) const {
  for (std::uint32_t number = 0; number < program_.relations.size(); ++number)
    if (program_.relations[number].name == relation)
      return number;
  throw error(error_kind::unknown_name,
              ikra::detail::text("Datalog: ", source_.file(), " has no relation ", relation,
                                 "; declare it by .decl (an inlined relation has no tuples)"));
}

std::uint32_t loaded_program::find(std::string_view relation,
                                   std::span<const column_type> types) const {
  const std::uint32_t number = find(relation);
  const std::vector<core::column>& columns = program_.relations[number].columns;
  if (types.size() != columns.size())
    throw error(error_kind::type_mismatch,
                ikra::detail::text("Datalog: relation ", relation, " has ", columns.size(),
                                   " columns, here it has ", types.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const column_type declared = declared_type(columns[i].kind, program_.bits);
    if (!fits(types[i], declared))
      throw error(error_kind::type_mismatch,
                  ikra::detail::text("Datalog: column ", columns[i].name, " of relation ", relation,
                                     " is declared as ", columns[i].type, ", which takes ",
                                     describe(declared), "; here it has ", describe(types[i])));
  }
  return number;
}

std::vector<column_type> loaded_program::types(std::uint32_t relation) const {
  std::vector<column_type> all;
  for (const core::column& column : program_.relations[relation].columns)
    all.push_back(declared_type(column.kind, program_.bits));
  return all;
}

// A column of numbers of objects is 32 bits wide, whatever the program's numbers are.
std::vector<core::word> loaded_program::words_of(const detail::fact_column& facts,
                                                 const core::column& column, std::uint64_t rows) {
  std::vector<core::word> words;
  if (facts.elements != nullptr) {
    words = words_in(*facts.elements, facts.offset, facts.type.bits, rows);
    if (column.kind == value_kind::real) // there is one zero
      std::replace(words.begin(), words.end(), core::word{1} << (facts.type.bits - 1),
                   core::word{0});
    return words;
  }
  words.reserve(rows);
  for (const std::string_view text : facts.texts)
    words.push_back(text_.read(text, column));
  return words;
}

void loaded_program::insert(std::uint32_t relation, std::span<const detail::fact_column> columns,
                            std::uint64_t rows) {
  translating_errors([&] {
    column_words facts;
    for (std::size_t i = 0; i < columns.size(); ++i)
      facts.push_back(words_of(columns[i], program_.relations[relation].columns[i], rows));
    add(relation, facts, rows);
  });
}

void loaded_program::run() {
  translating_errors([&] { evaluate(); });
}

void loaded_program::read(std::uint32_t relation, std::span<const detail::result_column> columns) {
  const std::vector<core::column>& declared = program_.relations[relation].columns;
  column_words words(columns.size());
  std::vector<std::vector<std::string>> texts(columns.size());
  std::uint64_t rows = 0;
  translating_errors([&] {
    each(relation, [&](std::span<const core::word> tuple) {
      for (std::size_t i = 0; i < tuple.size(); ++i)
        if (columns[i].texts == nullptr)
          words[i].push_back(tuple[i]);
        else
          text_.write(tuple[i], declared[i], texts[i].emplace_back());
      ++rows;
    });
  });
  store_sorted(rows, words, std::move(texts), columns);
}

std::string loaded_program::with_place(const std::string& problem, location where) const {
  const place at = source_.locate(where.begin);
  return ikra::detail::text("Datalog: ", problem, ", in ", at.file, ", line ", at.line, ", column ",
                            at.column);
}

#ifdef IKRA_DATALOG_FILES

void loaded_program::translating_errors(const std::function<void()>& work) const {
  try {
    work();
  } catch (const evaluation_error& problem) {
    throw error(error_kind::failed_check, with_place(problem.what(), problem.where()));
  } catch (const undefined_value& problem) {
    throw error(error_kind::type_mismatch, std::string("Datalog: ") + problem.what());
  } catch (const io_error& problem) {
    throw error(error_kind::bad_file, problem.what());
  }
}

void loaded_program::add_facts_of(const core::directive& directive, const std::string& folder) {
  column_words facts(program_.relations[directive.relation].columns.size());
  std::uint64_t rows = 0;
  read_facts(text_, directive, folder,
             [&](std::span<const core::word> values, std::uint64_t count) {
               for (std::size_t i = 0; i < values.size(); ++i)
                 facts[i % facts.size()].push_back(values[i]);
               rows += count;
             });
  add(directive.relation, facts, rows);
}

void loaded_program::insert_file(std::uint32_t relation, const fact_file& file) {
  core::directive directive{core::directive_kind::input, relation, file.parameters, {}};
  directive.parameters["filename"] = file.path;
  translating_errors([&] { add_facts_of(directive, ""); });
}

void loaded_program::read_inputs(const std::string& folder) {
  translating_errors([&] {
    for (const core::directive& directive : program_.directives)
      if (directive.kind == core::directive_kind::input)
        add_facts_of(directive, folder);
  });
}

void loaded_program::write_outputs(const std::string& folder) {
  translating_errors([&] {
    check_outputs(program_, folder);
    output_files files(folder);
    for (const core::directive& directive : program_.directives) {
      const std::uint32_t relation = directive.relation;
      if (directive.kind == core::directive_kind::print_size)
        std::cout << program_.relations[relation].name << '\t' << size(relation) << '\n';
      if (directive.kind != core::directive_kind::output)
        continue;
      const row_source rows{size(relation), [&](const take_row& take) { each(relation, take); }};
      write_relation(text_, directive, sorted_rows(text_, program_.relations[relation], rows),
                     files, std::cout);
    }
    std::cout.flush();
    if (!std::cout)
      throw io_error("Error: cannot write to the standard output");
    files.commit();
  });
}

#else

void loaded_program::translating_errors(const std::function<void()>& work) const {
  try {
    work();
  } catch (const evaluation_error& problem) {
    throw error(error_kind::failed_check, with_place(problem.what(), problem.where()));
  } catch (const undefined_value& problem) {
    throw error(error_kind::type_mismatch, std::string("Datalog: ") + problem.what());
  }
}

namespace {
[[noreturn]] void throw_no_files() {
  throw error(error_kind::unsupported,
              "Datalog: this build of ikra reads and writes no files of facts; build it with zlib, "
              "SQLite and nlohmann's JSON");
}
} // namespace

void loaded_program::insert_file(std::uint32_t, const fact_file&) { throw_no_files(); }
void loaded_program::read_inputs(const std::string&) { throw_no_files(); }
void loaded_program::write_outputs(const std::string&) { throw_no_files(); }

#endif

} // namespace ikra::datalog
