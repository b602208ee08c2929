// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays from and to Arrow's C data interface and C device interface, as pyarrow, nanoarrow,
// Polars, DuckDB and others speak them: no element is copied. The structs have the layout of
// Arrow's stable ABI; a pointer to a struct of Arrow's own headers is cast to them. Columns of
// numbers without nulls can be adopted, and structs (record batches) of such columns.
// Source: https://arrow.apache.org/docs/format/CDataInterface.html, CDeviceDataInterface.html.
// Relies on exchange.hpp.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/exchange.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ikra {

/// The structs of Arrow, in its order of members.
namespace arrow {

struct schema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t child_count;
  schema** children;
  schema* dictionary;
  void (*release)(schema*); ///< null: released
  void* context;
};
struct array {
  std::int64_t length;
  std::int64_t null_count; ///< -1: not known
  std::int64_t offset;     ///< in elements
  std::int64_t buffer_count;
  std::int64_t child_count;
  const void** buffers; ///< of numbers: bits of those that are not null (or null), the values
  array** children;
  array* dictionary;
  void (*release)(array*); ///< null: released
  void* context;
};
struct device_array {
  arrow::array array;
  std::int64_t device_number; ///< -1 where there is no number
  std::int32_t device_kind;   ///< as DLPack numbers them
  void* event;                ///< CUDA: a cudaEvent_t*; null: elements can be read at once
  std::int64_t reserved[3];
};

} // namespace arrow

namespace detail {

/// Types of elements that Arrow has a format for that is as they lie in memory. bool is not among
/// them: Arrow has bits.
template <class T>
concept in_arrow = (std::integral<T> && !std::is_same_v<T, bool>) || std::is_same_v<T, float> ||
                   std::is_same_v<T, double>;

template <in_arrow T> constexpr const char* arrow_format() {
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? "f" : "g";
  else if constexpr (sizeof(T) == 1)
    return std::is_signed_v<T> ? "c" : "C";
  else if constexpr (sizeof(T) == 2)
    return std::is_signed_v<T> ? "s" : "S";
  else if constexpr (sizeof(T) == 4)
    return std::is_signed_v<T> ? "i" : "I";
  else
    return std::is_signed_v<T> ? "l" : "L";
}

/// \throws error of kind bad_shape
[[noreturn]] inline void throw_contradiction(const char* name, const std::string& what) {
  throw error(error_kind::bad_shape, text("ikra: Arrow array '", name, "' has ", what,
                                          "; the exporter's structs contradict each other"));
}

/// Refuses arrays with nulls. \param first, length the elements that are read
inline void check_nulls(const arrow::array& from, std::int64_t first, std::int64_t length,
                        bool on_host, const char* name) {
  if (from.buffers[0] == nullptr && from.null_count > 0)
    throw_contradiction(name, text(from.null_count, " nulls, and no bits that tell which"));
  if (from.null_count == 0 || from.buffers[0] == nullptr)
    return;
  if (from.null_count < 0 && on_host) {
    const auto* const bits = static_cast<const unsigned char*>(from.buffers[0]);
    bool all = true;
    for (std::int64_t i = first; i < first + length && all; ++i)
      all = (bits[i / 8] >> (i % 8) & 1) != 0;
    if (all)
      return;
  }
  refuse_adoption(from.null_count < 0
                      ? text("Arrow column '", name, "' has nulls")
                      : text("Arrow column '", name, "' has ", from.null_count, " nulls"),
                  "fill or drop them first");
}

/// Where an Arrow column is. \param kind of the device
struct arrow_memory {
  std::int32_t kind = cpu_memory;
  std::int64_t number = 0;
  void* event = nullptr;
  bool on_host() const { return kind != cuda_memory; }
};

inline void check_released(bool released) {
  if (released)
    refuse_adoption("the Arrow array or schema was released or moved before", "export it again");
}

/// Refuses structs that are not filled in. \returns the format
inline std::string format_of(const arrow::array& from, const arrow::schema& schema) {
  const char* const name = schema.name == nullptr ? "" : schema.name;
  if (schema.format == nullptr)
    throw_contradiction(name, "no format");
  if (from.length < 0 || from.offset < 0 || from.length > INT64_MAX - from.offset)
    throw_contradiction(name, text(from.length, " elements from ", from.offset, " on"));
  if (from.buffer_count < 0 || (from.buffer_count > 0 && from.buffers == nullptr))
    throw_contradiction(name, text(from.buffer_count, " buffers, and no pointers to them"));
  return schema.format;
}

/// A column of numbers. \param first element, length of those to read
template <in_arrow T, class Take>
ikra::array<T, 1> adopt_column(const arrow::array& from, const arrow::schema& schema,
                               std::int64_t first, std::int64_t length, const arrow_memory& where,
                               const Take& take) {
  const char* const name = schema.name == nullptr ? "" : schema.name;
  if (const std::string format = format_of(from, schema);
      format != arrow_format<T>() || schema.dictionary)
    throw_type_differs("an Arrow column",
                       schema.dictionary ? format + " (of a dictionary)" : format,
                       std::string(arrow_format<T>()) + " (as Arrow names types)");
  if (first > from.length || length > from.length - first || from.buffer_count != 2)
    throw_contradiction(name,
                        text(from.length, " elements and ", from.buffer_count, " buffers, and ",
                             length, " elements from ", first, " on are asked for"));
  const std::int64_t begin = from.offset + first;
  check_nulls(from, begin, length, where.on_host(), name);
  const auto* const values = static_cast<const T*>(from.buffers[1]);
  return adopt_foreign<T, 1>(
      {values == nullptr ? nullptr : values + begin, where.kind, where.number, where.event},
      index<1>(length), index<1>(1), take);
}

/// Keeps an Arrow array that was moved here.
class kept_arrow_array {
public:
  explicit kept_arrow_array(arrow::array& from) : array_(from) { from.release = nullptr; }
  kept_arrow_array(const kept_arrow_array&) = delete;
  kept_arrow_array& operator=(const kept_arrow_array&) = delete;
  ~kept_arrow_array() { array_.release(&array_); }

private:
  arrow::array array_;
};

template <in_arrow T>
ikra::array<T, 1> from_arrow(arrow::array& from, const arrow::schema& schema,
                             const arrow_memory& where) {
  check_released(from.release == nullptr || schema.release == nullptr);
  return adopt_column<T>(from, schema, 0, from.length, where,
                         [&] { return std::make_shared<kept_arrow_array>(from); });
}

template <in_arrow... T>
std::tuple<ikra::array<T, 1>...> columns_from_arrow(arrow::array& from, const arrow::schema& schema,
                                                    const arrow_memory& where) {
  check_released(from.release == nullptr || schema.release == nullptr);
  constexpr auto wanted = static_cast<std::int64_t>(sizeof...(T));
  if (const std::string format = format_of(from, schema); format != "+s")
    throw_type_differs("an Arrow array", format, "+s, a struct (as Arrow names types)");
  if (schema.child_count != wanted || from.child_count != wanted)
    throw error(error_kind::type_mismatch,
                text("ikra: an Arrow struct of ", schema.child_count, " columns, where ", wanted,
                     " are asked for; select columns first"));
  const char* const name = schema.name == nullptr ? "" : schema.name;
  for (std::int64_t c = 0; c < wanted; ++c)
    if (from.children == nullptr || schema.children == nullptr || from.children[c] == nullptr ||
        schema.children[c] == nullptr)
      throw_contradiction(name, text(wanted, " columns, and no pointers to them"));
  if (from.buffer_count != 0)
    check_nulls(from, from.offset, from.length, where.on_host(), name);
  // All columns keep the struct, which is filled in when nothing can fail any more.
  const auto keep = std::make_shared<std::unique_ptr<kept_arrow_array>>();
  const auto columns = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<ikra::array<T, 1>...>{adopt_column<T>(*from.children[I], *schema.children[I],
                                                            from.offset, from.length, where,
                                                            [&] { return keep; })...};
  }(std::index_sequence_for<T...>());
  *keep = std::make_unique<kept_arrow_array>(from);
  return columns;
}

/// What is given out: the buffers that an arrow::array leads to, and what they keep.
template <class T> struct given_column {
  given_out<T> elements;
  const void* buffers[2];

  static void drop(arrow::array* from) {
    auto* const given = static_cast<given_column*>(from->context);
    given->elements.end();
    delete given;
    from->release = nullptr;
  }
};
inline void drop_schema(arrow::schema* from) { from->release = nullptr; }

template <in_arrow T>
given_out<T>& to_arrow(const ikra::array<T, 1>& a, arrow::array& out, arrow::schema& schema,
                       memory where) {
  auto column =
      std::make_unique<given_column<T>>(given_column<T>{give_out(a, where), {nullptr, nullptr}});
  column->buffers[1] = column->elements.data;
  given_out<T>& elements = column->elements;
  out = {};
  out.length = static_cast<std::int64_t>(elements.elements.size());
  out.buffer_count = 2;
  out.buffers = column->buffers;
  out.release = &given_column<T>::drop;
  out.context = column.release();
  schema = {};
  schema.format = arrow_format<T>();
  schema.name = "";
  schema.release = &drop_schema;
  return elements;
}

} // namespace detail

/// The elements of an Arrow array of numbers, which stay where they are. They are taken over, which
/// leaves \p from released, and released when no array reads them any more. The schema stays the
/// caller's; so does the array if this throws.
/// \tparam T the type of the elements: an integer, float or double
/// \throws error of kind type_mismatch if the elements are not of type T; cannot_adopt if there are
/// nulls, a pointer is null, or the memory is misaligned; bad_shape if lengths contradict each
/// other
template <class T> array<T, 1> from_arrow(arrow::array* from, const arrow::schema* schema) {
  detail::check_given(from, "Arrow array");
  detail::check_given(schema, "Arrow schema");
  return detail::from_arrow<T>(*from, *schema, {});
}
/// The same of the C device interface. Work on the program's GPU waits for the array's event.
/// \throws error of kind no_device too, if it is on a GPU on which the program does not run
template <class T> array<T, 1> from_arrow(arrow::device_array* from, const arrow::schema* schema) {
  detail::check_given(from, "Arrow array");
  detail::check_given(schema, "Arrow schema");
  return detail::from_arrow<T>(from->array, *schema,
                               {from->device_kind, from->device_number, from->event});
}

/// The columns of an Arrow struct (a record batch), which share it:
/// auto [time, speed] = ikra::columns_from_arrow<std::int64_t, float>(array, schema);
/// \throws error as from_arrow; of kind type_mismatch too, if there are more or fewer columns
template <class... T>
std::tuple<array<T, 1>...> columns_from_arrow(arrow::array* from, const arrow::schema* schema) {
  detail::check_given(from, "Arrow array");
  detail::check_given(schema, "Arrow schema");
  return detail::columns_from_arrow<T...>(*from, *schema, {});
}
template <class... T>
std::tuple<array<T, 1>...> columns_from_arrow(arrow::device_array* from,
                                              const arrow::schema* schema) {
  detail::check_given(from, "Arrow array");
  detail::check_given(schema, "Arrow schema");
  return detail::columns_from_arrow<T...>(from->array, *schema,
                                          {from->device_kind, from->device_number, from->event});
}

/// Gives an array's elements out, which stay where they are; computes them. They are not to be
/// written to. \param out, schema filled in; whoever gets them releases both, which may be after
/// the array is gone
template <class T> void to_arrow(const array<T, 1>& a, arrow::array* out, arrow::schema* schema) {
  detail::to_arrow<T>(a, *out, *schema, memory::host);
}
/// The same with the C device interface. All work is done: there is no event to wait for.
/// \param where which memory the array leads to
/// \throws error of kind no_device if that is a GPU on which the program does not run
template <class T>
void to_arrow(const array<T, 1>& a, arrow::device_array* out, arrow::schema* schema,
              memory where = memory::current) {
  arrow::device_array result{};
  const auto& given = detail::to_arrow<T>(a, result.array, *schema, where);
  result.device_kind = given.kind;
  result.device_number = given.kind == detail::cpu_memory ? -1 : given.gpu;
  *out = result;
}

} // namespace ikra

#include <ikra/macros_back.hpp>
