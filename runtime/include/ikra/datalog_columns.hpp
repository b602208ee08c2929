// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ikra/datalog.hpp is made of: options and errors of Datalog programs; how C++ types are
// columns of relations; and the seam to what evaluates, which is linked. Columns cross the seam
// with their types erased, as places within the elements of a buffer, so that they can stay on a
// device.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/array.hpp>
#include <ikra/buffer.hpp>
#include <ikra/datalog_types.hpp>
#include <ikra/device_operations.hpp>
#include <ikra/error.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::datalog {

/// How relations are kept while they are evaluated (docs/datalog.md); results do not depend on it.
enum class relation_form : std::uint8_t {
  automatic, ///< dense where the rules allow it and bits fit, else runs
  runs,      ///< sorted runs
  dense      ///< bits, wherever the rules are chains of binary relations
};

/// Where a program is evaluated. Plain builds have one thread.
enum class run_device : std::uint8_t {
  automatic, ///< where sections run: IKRA_DEVICE, else a GPU where there is one, else all cores
  cpu,
  gpu
};

struct program_options {
  int bits = 32; ///< of numbers, unsigned numbers and floats: 32 or 64
  relation_form form = relation_form::automatic;
  run_device device = run_device::automatic;
  int threads = 0; ///< on the CPU; 0: as many as OpenMP takes
  /// Functions for the functors that the program declares, each once.
  std::vector<rule_function> functors = {};
};

/// One thing that is said about the text of a program.
struct message {
  bool is_error; ///< or a warning
  std::string text;
  std::uint32_t line, column; ///< in the program's text, from 1; 0 where it is about the whole
};

/// The text is no valid program. what() has all messages in Soufflé's style.
class program_error : public error {
public:
  program_error(const std::string& what, std::vector<message> messages)
      : error(error_kind::bad_program, what), messages_(std::move(messages)) {}

  /// In the order of the text.
  const std::vector<message>& messages() const noexcept { return messages_; }

private:
  std::vector<message> messages_;
};

/// A file of facts with what an `.input` directive may say about it (docs/datalog-language.md).
struct fact_file {
  /// \param file as the process sees it: text or a std::filesystem::path
  /// \param how  IO, delimiter, headers, columns, …
  template <class Path>
    requires std::constructible_from<std::string, const Path&>
  // NOLINTNEXTLINE(modernize-pass-by-value): paths of any type
  explicit fact_file(const Path& file, std::map<std::string, std::string> how = {})
      : path(file), parameters(std::move(how)) {}

  std::string path;
  std::map<std::string, std::string> parameters;
};

namespace detail {

// tuples ------------------------------------------------------------------------------------------

template <class T>
inline constexpr bool is_file = is_text<T> || std::convertible_to<const T&, std::string>;
template <> inline constexpr bool is_file<fact_file> = true;

template <class T> inline constexpr bool is_tuple = false;
template <class... T> inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B> inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class Tuple> inline constexpr bool has_text = false;
template <class... T> inline constexpr bool has_text<std::tuple<T...>> = (is_text<T> || ...);
template <class A, class B>
inline constexpr bool has_text<std::pair<A, B>> = is_text<A> || is_text<B>;
template <class Facts> inline constexpr bool holds_tuples = false;
template <class Facts>
  requires requires { typename Facts::value_type; }
inline constexpr bool holds_tuples<Facts> = is_tuple<typename Facts::value_type>;

/// The types of a tuple's columns.
template <class Tuple> std::vector<column_type> types_in() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return std::vector<column_type>{type_of<std::tuple_element_t<I, Tuple>>()...};
  }(std::make_index_sequence<std::tuple_size_v<Tuple>>());
}

// the seam ----------------------------------------------------------------------------------------

/// Where the values of a column are. Those that are not text: one in each element of a buffer, in
/// `width of the type` bytes at an offset from the element's start. Several columns may be in one
/// buffer.
struct fact_column {
  column_type type;
  ikra::detail::any_buffer* elements = nullptr;
  std::size_t offset = 0;
  std::span<const std::string_view> texts = {};
};

/// Where the values of a column are to go: into a buffer, which gets its size, or into texts.
struct result_column {
  column_type type;
  ikra::detail::any_buffer* elements = nullptr;
  std::size_t offset = 0;
  std::vector<std::string>* texts = nullptr;
};

/// A program that can be evaluated. What the functions throw is said at those of program.
class database {
public:
  database() = default;
  database(const database&) = delete;
  database& operator=(const database&) = delete;
  virtual ~database() = default;

  /// \returns the number of the relation of this name.
  virtual std::uint32_t find(std::string_view relation) const = 0;
  /// The same, and checks the types of its columns.
  virtual std::uint32_t find(std::string_view relation,
                             std::span<const column_type> types) const = 0;
  /// What the relation's columns hold.
  virtual std::vector<column_type> types(std::uint32_t relation) const = 0;
  virtual void insert(std::uint32_t relation, std::span<const fact_column> columns,
                      std::uint64_t rows) = 0;
  virtual void insert_file(std::uint32_t relation, const fact_file& file) = 0;
  virtual void read_inputs(const std::string& folder) = 0;
  virtual void run() = 0;
  virtual std::uint64_t size(std::uint32_t relation) = 0;
  virtual void read(std::uint32_t relation, std::span<const result_column> columns) = 0;
  virtual void write_outputs(const std::string& folder) = 0;
  virtual std::string plan() = 0;
};

/// Defined by the library that is linked: ikra::datalog_plain, _cpu or _cuda.
std::unique_ptr<database> make_database(std::string_view text, const program_options& options,
                                        const std::source_location& where);

inline void check_length(std::string_view relation, std::size_t first, std::size_t other) {
  if (first == other)
    return;
  throw error(error_kind::shape_mismatch,
              ikra::detail::text("Datalog: columns of ", first, " and ", other,
                                 " values for relation ", relation,
                                 "; give columns of one length"));
}

// facts and results -------------------------------------------------------------------------------

/// The elements of an array, which is computed; of a vector, which outlives the buffer.
template <class T> ikra::detail::buffer<T> buffer_of(const array<T, 1>& facts) {
  const auto command = ikra::detail::array_access::command_of(facts);
  ikra::detail::evaluate(*command);
  return command->result();
}
template <class T> ikra::detail::buffer<T> buffer_of(const std::vector<T>& facts) {
  static_assert(!std::is_same_v<T, bool>, "relations have no columns of bool");
  return {facts.size(), std::shared_ptr<const T>(std::shared_ptr<const void>(), facts.data())};
}

template <class T> array<T, 1> array_of(ikra::detail::buffer<T>&& elements) {
  const index<1> shape(elements.size());
  return ikra::detail::array_access::make<T, 1>(
      shape, ikra::detail::held(new ikra::detail::value_command<T>(std::move(elements))));
}

/// Where the columns of tuples are in a buffer of them.
/// \tparam Column fact_column or result_column
template <class Column, class Tuple>
  requires ikra::detail::copied_as_bytes<Tuple>
std::vector<Column> columns_in(ikra::detail::any_buffer& tuples) {
  const Tuple sample{};
  const auto offset = [&](const auto& value) {
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&value) -
                                    reinterpret_cast<const char*>(&sample));
  };
  return std::apply(
      [&]<class... T>(const T&... value) {
        return std::vector<Column>{Column{type_of<T>(), &tuples, offset(value), {}}...};
      },
      sample);
}

/// A column that is taken out of tuples, value by value.
template <class T> class fact_room {
public:
  void add(const T& value) { values_.push_back(value); }
  fact_column column() {
    elements_ = buffer_of(values_);
    return {type_of<T>(), &erased_, 0, {}};
  }

private:
  std::vector<T> values_;
  ikra::detail::buffer<T> elements_;
  ikra::detail::erased<T> erased_{elements_};
};
template <class T>
  requires is_text<T>
class fact_room<T> {
public:
  void add(const T& value) { texts_.emplace_back(value); }
  fact_column column() const { return {type_of<T>(), nullptr, 0, texts_}; }

private:
  std::vector<std::string_view> texts_;
};

/// A column that is given as an array or a vector.
template <class T> class column_facts {
public:
  template <class Facts> explicit column_facts(const Facts& facts) : elements_(buffer_of(facts)) {}
  std::size_t size() const { return elements_.size(); }
  fact_column column() const { return {type_of<T>(), &erased_, 0, {}}; }

private:
  ikra::detail::buffer<T> elements_;
  mutable ikra::detail::erased<T> erased_{elements_};
};
template <class T>
  requires is_text<T>
class column_facts<T> {
public:
  template <class Facts> explicit column_facts(const Facts& facts) : elements_(buffer_of(facts)) {
    const T* const first = elements_.data();
    texts_.assign(first, first + elements_.size());
  }
  std::size_t size() const { return texts_.size(); }
  fact_column column() const { return {type_of<T>(), nullptr, 0, texts_}; }

private:
  ikra::detail::buffer<T> elements_; ///< what the texts are views of
  std::vector<std::string_view> texts_;
};

/// A column of results.
template <class T> class result_room {
public:
  result_column column() { return {type_of<T>(), &erased_, 0, nullptr}; }
  array<T, 1> take() { return array_of(std::move(elements_)); }

private:
  ikra::detail::buffer<T> elements_;
  ikra::detail::erased<T> erased_{elements_};
};
template <class T>
  requires is_text<T>
class result_room<T> {
  static_assert(std::is_same_v<T, std::string>, "text comes out of relations as std::string");

public:
  result_column column() { return {type_of<T>(), nullptr, 0, &texts_}; }
  array<T, 1> take() { return array<T, 1>(std::move(texts_)); }

private:
  std::vector<std::string> texts_;
};

} // namespace detail
} // namespace ikra::datalog

#include <ikra/macros_back.hpp>
