// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers of containers as members of objects, such as std::vector<std::vector<float>>: the
// inner ones are on end in the join table of the outer one, after a header with their places. So a
// column of them is a list like any other for all that moves columns.
//
//   words of 32 bits: number of inner lists, where each begins, where the last one ends
//   elements: those of the inner lists, counted from the header's end
//
// Nothing stands for an outer container without inner ones.
#pragma once

#include <ikra/buffer.hpp>
#include <ikra/error.hpp>
#include <ikra/generated/device/object_id.hpp>
#include <ikra/generated/objects/describe.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>
#include <vector>

namespace ikra::rt {
namespace detail {

/// Writes the header of lists, of which there are some. \returns the place after it
template <class Element, class Lists>
unsigned char* write_nested_header(const Lists& lists, unsigned char* to) {
  const std::size_t bytes = ikra::nested_header<Element>(std::size(lists)) * sizeof(Element);
  std::memset(to, 0, bytes);
  unsigned char* word = to;
  const auto write = [&](std::uint32_t value) {
    std::memcpy(word, &value, sizeof value);
    word += sizeof value;
  };
  write(static_cast<std::uint32_t>(std::size(lists)));
  std::uint32_t begin = 0;
  write(begin);
  for (const auto& list : lists)
    write(begin += static_cast<std::uint32_t>(std::size(list)));
  return to + bytes;
}

/// Room for captured lists, which begins with their header; the rest is not written. \throws
/// ikra::error of kind unsupported
template <class Element, class Lists>
ikra::detail::room<unsigned char> nested_room(const Lists& lists) {
  if (std::size(lists) == 0)
    return ikra::detail::room<unsigned char>(0);
  std::size_t size = ikra::nested_header<Element>(std::size(lists));
  for (const auto& list : lists)
    size += std::size(list);
  if (size > std::numeric_limits<std::uint32_t>::max())
    throw ikra::error(error_kind::unsupported,
                      "a captured container of containers has more than 2^32 elements; capture "
                      "its parts");
  ikra::detail::room<unsigned char> room(size * sizeof(Element));
  write_nested_header<Element>(lists, room.data());
  room.set_filled();
  return room;
}

/// What columns of nested lists have in common. \tparam Element of the inner lists, in the column
template <auto Access, class Class, class Element> struct nested_part : member_of<Access, Class> {
  using base = member_of<Access, Class>;
  using container = typename base::member;
  using element = Element;
  static constexpr std::size_t size_of_element = sizeof(Element);

  static std::size_t header(std::size_t lists) { return ikra::nested_header<Element>(lists); }
  static void lengths(void* const* objects, std::size_t n, list_row* rows) {
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < n; ++i) {
      const auto& lists = base::get(objects[i]);
      std::size_t size = std::size(lists) == 0 ? 0 : header(std::size(lists));
      for (const auto& list : lists)
        size += std::size(list);
      // A length beyond 32 bits overflows the column too, which the caller sees in the sum.
      rows[i].length = static_cast<std::uint32_t>(size > most ? most : size);
    }
  }
  static unsigned char* write_header(const container& lists, unsigned char* to) {
    return write_nested_header<Element>(lists, to);
  }
  /// True if lists, of which there are some, have the sizes that a header says.
  static bool has_sizes(const container& lists, const void* of) {
    std::vector<unsigned char> mine(header(std::size(lists)) * size_of_element);
    write_header(lists, mine.data());
    std::uint32_t count = 0;
    std::memcpy(&count, of, sizeof count);
    return count == std::size(lists) && std::memcmp(mine.data(), of, mine.size()) == 0;
  }
};

template <auto Access, class Class>
using nested_element =
    std::remove_cvref_t<decltype(std::declval<typename member_of<Access, Class>::member&>()[0][0])>;

template <auto Access, class Class>
struct nested_value_part : nested_part<Access, Class, nested_element<Access, Class>> {
  using base = nested_part<Access, Class, nested_element<Access, Class>>;
  using container = typename base::container;
  using element = typename base::element;
  static_assert(ikra::detail::copied_as_bytes<element>,
                "a join table holds trivially copyable values");

  static void gather(void* const* objects, std::size_t n, const objects_view&, void* out) {
    auto* to = static_cast<unsigned char*>(out);
    for (std::size_t i = 0; i < n; ++i) {
      const auto& lists = base::get(objects[i]);
      if (std::size(lists) == 0)
        continue;
      to = base::write_header(lists, to);
      for (const auto& list : lists)
        if (const std::size_t bytes = std::size(list) * sizeof(element); bytes != 0) {
          std::memcpy(to, std::addressof(list[0]), bytes);
          to += bytes;
        }
    }
  }
  static void scatter(void* const* objects, std::size_t n, const objects_view&, const void* in) {
    const auto* from = static_cast<const unsigned char*>(in);
    for (std::size_t i = 0; i < n; ++i) {
      auto& lists = base::get(objects[i]);
      if (std::size(lists) == 0)
        continue;
      from += base::header(std::size(lists)) * sizeof(element);
      if constexpr (assignable)
        for (auto& list : lists)
          for (std::size_t j = 0; j < std::size(list); ++j, from += sizeof(element))
            restore(list[j], from);
    }
  }
  static void merge(void* object, const objects_view&, const void* before, const void* now) {
    auto& lists = base::get(object);
    if (std::size(lists) == 0 || !base::has_sizes(lists, before))
      return; // lists of other sizes are the host's
    std::size_t at = base::header(std::size(lists)) * sizeof(element);
    if constexpr (assignable)
      for (auto& list : lists)
        for (std::size_t j = 0; j < std::size(list); ++j, at += sizeof(element))
          if (std::memcmp(std::addressof(list[j]), static_cast<const char*>(before) + at,
                          sizeof(element)) == 0)
            restore(list[j], static_cast<const char*>(now) + at);
  }
  static constexpr bool assignable =
      !std::is_const_v<std::remove_reference_t<decltype(std::declval<container&>()[0][0])>>;
  static constexpr column_part part =
      column_part{Class::index,   &gather, assignable ? &scatter : nullptr,
                  &base::lengths, nullptr, assignable ? &merge : nullptr}
          .with_places<base>();
};

template <auto Access, class References, class Class>
struct nested_reference_part : nested_part<Access, Class, object_id> {
  using base = nested_part<Access, Class, object_id>;
  using container = typename base::container;
  using element = object_id;
  using held = std::remove_reference_t<decltype(std::declval<container&>()[0][0])>;

  static void gather(void* const* objects, std::size_t n, const objects_view& table, void* out) {
    id_translator<References> translator(table);
    auto* to = static_cast<unsigned char*>(out);
    for (std::size_t i = 0; i < n; ++i) {
      auto& lists = base::get(objects[i]);
      if (std::size(lists) == 0)
        continue;
      to = base::write_header(lists, to);
      for (auto& list : lists)
        for (auto& p : list) {
          const auto pointer = to_pointer(p);
          check_objects(&pointer, 1);
          const object_id id = translator.id(pointer);
          std::memcpy(to, &id, sizeof id);
          to += sizeof id;
        }
    }
  }
  static void scatter(void* const* objects, std::size_t n, const objects_view& table,
                      const void* in) {
    if constexpr (assignable) {
      id_translator<References> translator(table);
      const auto* from = static_cast<const object_id*>(in);
      for (std::size_t i = 0; i < n; ++i) {
        auto& lists = base::get(objects[i]);
        from += std::size(lists) == 0 ? 0 : base::header(std::size(lists));
        for (auto& list : lists)
          for (auto& p : list)
            if (const auto now = translator.pointer(*from++); p != now)
              p = now;
      }
    }
  }
  static void discover(void* const* objects, std::size_t n, discovery& out) {
    id_translator<References> translator(out.objects);
    for (std::size_t i = 0; i < n; ++i)
      for (auto& list : base::get(objects[i]))
        for (auto& member : list) {
          const auto p = to_pointer(member);
          check_objects(&p, 1);
          if (!translator.discover(p, out) && out.unknown_class == nullptr)
            out.unknown_class = &References::dynamic_class(p);
        }
  }
  static void merge(void* object, const objects_view& table, const void* before, const void* now) {
    auto& lists = base::get(object);
    if (std::size(lists) == 0 || !base::has_sizes(lists, before))
      return;
    if constexpr (assignable) {
      const id_translator<References> translator(table);
      std::size_t at = base::header(std::size(lists));
      for (auto& list : lists)
        for (auto& p : list) {
          if (p == translator.pointer(static_cast<const object_id*>(before)[at]))
            p = translator.pointer(static_cast<const object_id*>(now)[at]);
          ++at;
        }
    }
  }
  static constexpr bool assignable = std::is_pointer_v<held> && !std::is_const_v<held>;
  static constexpr column_part part =
      column_part{Class::index,   &gather,      assignable ? &scatter : nullptr,
                  &base::lengths, &discover,    assignable ? &merge : nullptr,
                  is_held<held>,  is_held<held>}
          .with_places<base>();
};

} // namespace detail

/// A join table of lists of values: a container of std::vector<T>, for example.
template <auto Access, class... Classes> column_info nested_value_column(const char* name) {
  return detail::part_table<detail::nested_value_part<Access, Classes>...>::describe(name, {});
}
/// The same of members as in reference_column.
template <auto Access, class References, class... Classes>
column_info nested_reference_column(const char* name) {
  return detail::part_table<detail::nested_reference_part<Access, References, Classes>...>::
      describe(name, References::class_indices);
}

} // namespace ikra::rt
