// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datalog programs over arrays, vectors and objects (docs/datalog-cpp.md). This header is all types
// and conversions; what evaluates is linked: the naive evaluator in a plain build, the engine
// otherwise (the CMake target ikra::datalog picks it). Relies on datalog_columns.hpp.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/array.hpp>
#include <ikra/datalog_columns.hpp>
#include <ikra/datalog_objects.hpp>
#include <ikra/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::datalog {

/// A program in Soufflé's language, with its facts and its relations. Not for several threads at
/// once. Arrays that it returned stay valid whatever happens to it.
///
/// Columns of relations and C++ types:
///   number    a signed integer (or enumeration) of options.bits bits: std::int32_t, std::int64_t
///   unsigned  an unsigned one
///   float     float, or double with 64 bits
///   symbol    std::string; facts may also be std::string_view or const char*, in UTF-8
///   records and algebraic types: std::string with the text that fact files have, as in "[1, nil]"
class program {
public:
  /// Reads and checks a program. Its directives are not carried out: see read_inputs() and
  /// write_outputs().
  /// \param text    the program; there is no preprocessor
  /// \param options how it is to be evaluated
  /// \param where   for messages
  /// \throws program_error if the text is no valid program; error of kind unsupported for a rule
  /// that the engine does not evaluate
  explicit program(std::string_view text, const program_options& options = {},
                   const std::source_location& where = std::source_location::current())
      : database_(detail::make_database(text, options, where)) {}

  // facts ---------------------------------------------------------------------------------------

  /// Adds facts to a relation; they take part in the next run(). The same fact may come twice.
  /// \param name  the relation's
  /// \param facts    one of
  ///   - an ikra::array (of rank 1) or a std::vector of tuples or pairs, one a fact;
  ///   - several ikra::array or std::vector of equal length, one a column (for a relation of one
  ///     column, one of them);
  ///   - the path of a file in the format of Soufflé's fact files, or a fact_file with options.
  /// Arrays are computed first. Elements that are on the engine's device are read there.
  /// \throws error of kind unknown_name if there is no such relation, type_mismatch if columns do
  /// not have the declared types, shape_mismatch for columns of different lengths, bad_file for a
  /// file that cannot be read or holds something else, out_of_memory
  template <class... Facts>
    requires(sizeof...(Facts) > 0)
  void insert(std::string_view name, const Facts&... facts) {
    if constexpr (sizeof...(Facts) == 1 && (detail::is_file<Facts> && ...)) {
      database_->insert_file(database_->find(name), fact_file(facts...));
    } else if constexpr (sizeof...(Facts) == 1 && (detail::holds_tuples<Facts> && ...)) {
      (insert_tuples(name, facts), ...);
    } else {
      insert_columns(name, facts...);
    }
  }

  /// Adds a fact for each object: what members of it give.
  /// \param name     a relation with a column for each member
  /// \param objects  an ikra::array or std::vector of objects, or of pointers to them (raw, unique
  /// or
  ///                 shared), none null
  /// \param members  each own_number, for the object's place in `objects`, from 0; or anything that
  ///                 std::invoke calls with an object: a pointer to a member or method, a lambda
  /// \throws error of kind null_element for a null pointer, and as insert() of columns
  template <class Objects, class... Members>
    requires(sizeof...(Members) > 0 && (detail::member_of<Members, Objects> && ...))
  void insert(std::string_view name, const Objects& objects, const Members&... members) {
    using object_type = detail::object_in<const Objects>;
    std::tuple<std::vector<typename detail::column_of_member<Members, object_type>::type>...> rows;
    std::apply(
        [&](auto&... column) {
          detail::each_object(objects, [&](detail::object_number number, auto& object) {
            (column.push_back(detail::value_of(members, object, number)), ...);
          });
          insert_columns(name, column...);
        },
        rows);
  }

  /// Adds what a member of objects refers to: (number of the object, number of the other) for each
  /// other one. An object's number is its place in the array that it is given in, from 0.
  /// \param name     a relation of two columns, numbers or unsigned
  /// \param from     an ikra::array or std::vector of pointers (raw, unique or shared) to objects
  /// \param member   anything that std::invoke calls with an object of `from`: a pointer to a
  ///                 member or method, a lambda. It gives a pointer or a container of pointers;
  ///                 null ones give no fact
  /// \param to       the objects that are referred to
  /// \throws error of kind null_element for a null object, index_outside for one that `to` does not
  /// have, and as insert()
  template <class From, class Member, class To>
  void insert_edges(std::string_view name, const From& from, const Member& member, const To& to) {
    const detail::object_numbers numbers(to);
    std::vector<detail::object_number> tails, heads;
    detail::each_object(from, [&](detail::object_number tail, const auto& object) {
      detail::each_pointer(std::invoke(member, object), [&](const auto* other) {
        tails.push_back(tail);
        heads.push_back(numbers.of(other, name, tail));
      });
    });
    insert_columns(name, tails, heads);
  }
  /// The same among objects of one array.
  template <class From, class Member>
  void insert_edges(std::string_view name, const From& objects, const Member& member) {
    insert_edges(name, objects, member, objects);
  }

  /// Carries out the program's `.input` directives.
  /// \param folder where relative file names are looked for
  /// \throws error of kind bad_file
  void read_inputs(const std::string& folder) { database_->read_inputs(folder); }

  // evaluation ----------------------------------------------------------------------------------

  /// Evaluates to the fixpoint. A further run after more facts gives what a fresh program with all
  /// facts would give; it continues from the last fixpoint where facts can only add tuples, that is
  /// where no negation and no aggregate depends on what was inserted.
  /// \throws error of kind failed_check (a division by zero, say; with line and column), or
  /// out_of_memory; relations are then as before the run
  void run() { database_->run(); }

  // results -------------------------------------------------------------------------------------

  /// How many tuples the last run gave a relation; 0 before the first run.
  /// \throws error of kind unknown_name
  std::uint64_t size(std::string_view name) const { return database_->size(database_->find(name)); }

  /// The tuples that the last run gave a relation, each once, in ascending order: by columns from
  /// the left, numbers by size, floats by size with -0 before 0 and not-a-numbers at the ends, text
  /// by its bytes. On a GPU they stay there until they are looked at, unless there is text in them.
  /// \tparam Columns one type for each column
  /// \throws error of kind unknown_name, type_mismatch, out_of_memory
  template <class... Columns> array<std::tuple<Columns...>> relation(std::string_view name) const {
    using tuple = std::tuple<Columns...>;
    const std::uint32_t number = find<Columns...>(name);
    if constexpr (sizeof...(Columns) == 0) {
      return array<tuple>(std::vector<tuple>(database_->size(number)));
    } else if constexpr ((detail::is_text<Columns> || ...)) {
      return zipped(read_columns<Columns...>(number));
    } else {
      ikra::detail::buffer<tuple> tuples;
      ikra::detail::erased<tuple> out(tuples);
      database_->read(number, detail::columns_in<detail::result_column, tuple>(out));
      return detail::array_of(std::move(tuples));
    }
  }

  /// The same with an array for each column.
  template <class... Columns>
    requires(sizeof...(Columns) > 0)
  std::tuple<array<Columns>...> relation_columns(std::string_view name) const {
    return read_columns<Columns...>(find<Columns...>(name));
  }

  /// Gives objects what a relation says of them: for each of its tuples (number of an object,
  /// values…), in ascending order, the values to members of that object.
  /// \param name    a relation whose first column has numbers of objects
  /// \param objects a std::vector of objects, or an array or vector of pointers to them, none null
  /// \param members one for each further column: a pointer to a data member, which is set; or a
  ///                pointer to a method of one parameter, or a lambda of an object and a value,
  ///                which is called. Where the value is a pointer to such an object, the column has
  ///                its number
  /// \throws error of kind unknown_name, type_mismatch, null_element, index_outside for a number
  /// that no object has; objects before that one have got their values
  template <class Objects, class... Members>
    requires(sizeof...(Members) > 0)
  void assign(std::string_view name, Objects&& objects, const Members&... members) const {
    using object_type = detail::object_in<std::remove_reference_t<Objects>>;
    std::vector<object_type*> all;
    detail::each_object(
        objects, [&](detail::object_number, object_type& object) { all.push_back(&object); });
    const std::vector<detail::column_type> wanted{
        detail::type_of<detail::object_number>(),
        detail::assigned_column<typename detail::assigned<Members>::type,
                                object_type>::wanted()...};
    const std::uint32_t relation = database_->find(name, wanted);
    const std::vector<detail::column_type> declared = database_->types(relation);
    detail::number_room numbers(declared[0]);
    auto rooms = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<
          detail::assigned_column<typename detail::assigned<Members>::type, object_type>...>(
          declared[I + 1]...);
    }(std::index_sequence_for<Members...>());
    std::apply(
        [&, this](auto&... room) {
          database_->read(relation, std::vector{numbers.column(), room.column()...});
          (room.fetch(), ...);
          for (std::uint64_t row = 0; row < numbers.size(); ++row) {
            object_type& object = detail::object_at(all, numbers[row], name);
            (detail::set_member(members, object, room.value(row, all, name)), ...);
          }
        },
        rooms);
  }

  /// Carries out the program's `.output` and `.printsize` directives. Files appear all at once.
  /// \param folder where relative file names go
  /// \throws error of kind bad_file
  void write_outputs(const std::string& folder) const { database_->write_outputs(folder); }

  /// How the program was evaluated by the last run: strata, forms, orders of joins, indices. For
  /// people.
  std::string plan() const { return database_->plan(); }

private:
  template <class... Columns> std::uint32_t find(std::string_view name) const {
    const std::vector<detail::column_type> types{detail::type_of<Columns>()...};
    return database_->find(name, types);
  }

  template <class Facts> void insert_tuples(std::string_view name, const Facts& facts) {
    using tuple = typename Facts::value_type;
    ikra::detail::buffer<tuple> tuples = detail::buffer_of(facts);
    const std::uint32_t number = database_->find(name, detail::types_in<tuple>());
    if constexpr (detail::has_text<tuple>) {
      insert_by_value(number, tuples, std::make_index_sequence<std::tuple_size_v<tuple>>());
    } else {
      ikra::detail::erased<tuple> in(tuples);
      database_->insert(number, detail::columns_in<detail::fact_column, tuple>(in), tuples.size());
    }
  }

  template <class Tuple, std::size_t... I>
  void insert_by_value(std::uint32_t number, const ikra::detail::buffer<Tuple>& tuples,
                       std::index_sequence<I...>) {
    std::tuple<detail::fact_room<std::tuple_element_t<I, Tuple>>...> rooms;
    const Tuple* const first = tuples.data();
    for (std::size_t row = 0; row < tuples.size(); ++row)
      (std::get<I>(rooms).add(std::get<I>(first[row])), ...);
    database_->insert(number, std::vector{std::get<I>(rooms).column()...}, tuples.size());
  }

  template <class... Columns>
  void insert_columns(std::string_view name, const Columns&... columns) {
    const std::uint32_t number = find<typename Columns::value_type...>(name);
    // Rooms are made in place: they are neither copied nor moved.
    const std::tuple<detail::column_facts<typename Columns::value_type>...> rooms(columns...);
    std::apply(
        [&, this](const auto& first, const auto&... more) {
          const std::size_t rows = first.size();
          (detail::check_length(name, rows, more.size()), ...);
          database_->insert(number, std::vector{first.column(), more.column()...}, rows);
        },
        rooms);
  }

  template <class... Columns>
  std::tuple<array<Columns>...> read_columns(std::uint32_t number) const {
    std::tuple<detail::result_room<Columns>...> rooms;
    return std::apply(
        [&, this](auto&... room) {
          database_->read(number, std::vector{room.column()...});
          return std::tuple<array<Columns>...>(room.take()...);
        },
        rooms);
  }

  template <class... Columns>
  static array<std::tuple<Columns...>> zipped(const std::tuple<array<Columns>...>& columns) {
    std::vector<std::tuple<Columns...>> rows;
    const std::size_t size = std::get<0>(columns).size();
    rows.reserve(size);
    std::apply(
        [&](const auto&... column) {
          for (std::size_t i = 0; i < size; ++i)
            rows.emplace_back(column[i]...);
        },
        columns);
    return array<std::tuple<Columns...>>(std::move(rows));
  }

  std::unique_ptr<detail::database> database_;
};

} // namespace ikra::datalog

/// A program whose text ikrac checks: what is wrong with it is an error at its place in this file.
/// \param text a string literal
#define IKRA_DATALOG(text) (::ikra::datalog::program{text})

#include <ikra/macros_back.hpp>
