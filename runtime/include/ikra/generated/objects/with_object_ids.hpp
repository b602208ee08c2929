// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that hold pointers to objects: std::tuple and std::pair, as pzip makes them, std::optional
// and std::variant, as objects have them in members and containers. In device code they hold IDs.
// Where the program has such an array in memory, it is rewritten on its way to a launch, and after
// it; members are on their way to columns and back.
#pragma once

#include <ikra/generated/device/object_id.hpp>
#include <ikra/generated/objects/describe.hpp>
#include <ikra/generated/objects/layout.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace ikra::rt {

/// Says of elements that they hold pointers. \tparam Host their type in the program; \tparam
/// References how what they point to is told apart, for each static type
template <class Host, class... References> struct with_object_ids {};

template <class T> inline constexpr bool has_object_ids = false;
template <class Host, class... References>
inline constexpr bool has_object_ids<with_object_ids<Host, References...>> = true;

/// A struct of the program's as devices have it, with IDs in place of pointers to objects. Emitted
/// code defines those of which arrays have elements; parts(s) refers to the members of either one.
template <class Host> struct device_struct;

namespace detail {

/// True for structs of the program's that have such a form.
template <class T>
concept held_struct = std::is_class_v<T> && requires(T& t) { device_struct<T>::parts(t); };

template <class T> inline constexpr bool is_tuple = false;
template <class... T> inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B> inline constexpr bool is_tuple<std::pair<A, B>> = true;

template <class T> inline constexpr bool is_variant = false;
template <class... T> inline constexpr bool is_variant<std::variant<T...>> = true;
/// The ID of a pointer that is an alternative of a variant is one.
template <class T>
concept some_object_id = std::is_base_of_v<object_id, T>;

template <class Host> struct with_ids {
  using type = Host;
};
template <class T> struct with_ids<T*> {
  using type = object_id;
};
template <class... T> struct with_ids<std::tuple<T...>> {
  using type = std::tuple<typename with_ids<T>::type...>;
};
template <class A, class B> struct with_ids<std::pair<A, B>> {
  using type = std::pair<typename with_ids<A>::type, typename with_ids<B>::type>;
};

template <class T> struct with_ids<std::optional<T>> {
  using type = std::optional<typename with_ids<T>::type>;
};

template <class... T> struct with_ids<std::variant<T...>> {
  template <class Held, std::size_t Number> struct in {
    using type = std::conditional_t<std::is_pointer_v<Held>, alternative<unsigned(Number)>,
                                    typename with_ids<Held>::type>;
  };
  template <std::size_t... I> static auto all(std::index_sequence<I...>) {
    return std::type_identity<std::variant<typename in<T, I>::type...>>();
  }
  using type = typename decltype(all(std::index_sequence_for<T...>()))::type;
};

template <held_struct Host> struct with_ids<Host> {
  using type = device_struct<Host>;
};

/// Calls use(pointer) for each pointer that a value holds, in their order.
template <class Host, class Use> void each_pointer(const Host& value, const Use& use) {
  if constexpr (std::is_pointer_v<Host>)
    use(value);
  else if constexpr (is_tuple<Host>)
    std::apply([&](const auto&... part) { (each_pointer(part, use), ...); }, value);
  else if constexpr (is_optional<Host>)
    value ? each_pointer(*value, use) : void();
  else if constexpr (is_variant<Host>) {
    if (!value.valueless_by_exception())
      std::visit([&](const auto& part) { each_pointer(part, use); }, value);
  } else if constexpr (held_struct<Host>)
    std::apply([&](const auto&... part) { (each_pointer(part, use), ...); },
               device_struct<Host>::parts(value));
}

/// Calls use(pointer, place, is_there) for each pointer that values of the type may hold. It is
/// null where this one holds something else: an empty optional, another alternative.
/// \param value may be null \param first the place of the first one \returns the place after the
/// last
template <class Host, class Use>
std::size_t each_place(const Host* value, std::size_t first, const Use& use) {
  const auto parts = [&]<class... Part>(const Part*... part) {
    ((first = each_place(part, first, use)), ...);
  };
  if constexpr (std::is_pointer_v<Host>)
    use(value != nullptr ? *value : nullptr, first++, value != nullptr);
  else if constexpr (is_tuple<Host>)
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      parts((value != nullptr ? &std::get<I>(*value)
                              : static_cast<const std::tuple_element_t<I, Host>*>(nullptr))...);
    }(std::make_index_sequence<std::tuple_size_v<Host>>());
  else if constexpr (is_optional<Host>)
    parts(value != nullptr && *value ? &**value
                                     : static_cast<const typename Host::value_type*>(nullptr));
  else if constexpr (is_variant<Host>)
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      parts(std::get_if<I>(value)...);
    }(std::make_index_sequence<std::variant_size_v<Host>>());
  else if constexpr (held_struct<Host>) {
    using all = decltype(device_struct<Host>::parts(std::declval<const Host&>()));
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      parts((
          value != nullptr
              ? &std::get<I>(device_struct<Host>::parts(*value))
              : static_cast<const std::remove_cvref_t<std::tuple_element_t<I, all>>*>(nullptr))...);
    }(std::make_index_sequence<std::tuple_size_v<all>>());
  }
  return first;
}

/// The form of a struct that says what its parts are: devices' own.
template <class T> struct form_of {
  using type = device_struct<T>;
};
template <class Host> struct form_of<device_struct<Host>> {
  using type = device_struct<Host>;
};

template <class To, class From, class Translate>
To rewritten(const From& value, const Translate& translate);

/// The same of variants: of the one that is there.
template <class To, std::size_t Number = 0, class From, class Translate>
To rewritten_alternative(const From& value, const Translate& translate) {
  if constexpr (Number + 1 < std::variant_size_v<To>)
    if (value.index() != Number)
      return rewritten_alternative<To, Number + 1>(value, translate);
  return To(std::in_place_index<Number>, rewritten<std::variant_alternative_t<Number, To>>(
                                             *std::get_if<Number>(&value), translate));
}

/// Whether two values have the same pointers and bits, so that either can stand for the other. What
/// the program's own == compares may be less.
template <class Host> bool are_same(const Host& a, const Host& b) {
  if constexpr (is_tuple<Host>)
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (are_same(std::get<I>(a), std::get<I>(b)) && ...);
    }(std::make_index_sequence<std::tuple_size_v<Host>>());
  else if constexpr (is_optional<Host>)
    return a.has_value() == b.has_value() && (!a || are_same(*a, *b));
  else if constexpr (is_variant<Host>)
    return a.index() == b.index() &&
           (a.valueless_by_exception() || [&]<std::size_t... I>(std::index_sequence<I...>) {
             return ((a.index() != I || are_same(*std::get_if<I>(&a), *std::get_if<I>(&b))) && ...);
           }(std::make_index_sequence<std::variant_size_v<Host>>()));
  else if constexpr (held_struct<Host>)
    return are_same(device_struct<Host>::parts(a), device_struct<Host>::parts(b));
  else
    return std::memcmp(&a, &b, sizeof a) == 0;
}

/// A value of type To with translate.operator()<P>(…) in place of each pointer, or ID; P is its
/// type in To. Called in their order.
template <class To, class From, class Translate>
To rewritten(const From& value, const Translate& translate) {
  if constexpr (std::is_pointer_v<From> || some_object_id<From>)
    return translate.template operator()<To>(value);
  else if constexpr (is_tuple<To>)
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return To{rewritten<std::tuple_element_t<I, To>>(std::get<I>(value), translate)...};
    }(std::make_index_sequence<std::tuple_size_v<To>>());
  else if constexpr (is_optional<To>)
    return value ? To(rewritten<typename To::value_type>(*value, translate)) : To();
  else if constexpr (is_variant<To>)
    return rewritten_alternative<To>(value, translate);
  else if constexpr (held_struct<To> || held_struct<From>) {
    using form = typename form_of<To>::type;
    using parts = decltype(form::parts(std::declval<To&>()));
    const auto from = form::parts(value);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return To{rewritten<std::remove_cvref_t<std::tuple_element_t<I, parts>>>(std::get<I>(from),
                                                                               translate)...};
    }(std::make_index_sequence<std::tuple_size_v<parts>>());
  } else
    return value;
}

/// The References of pointers to objects of a static type.
template <class Static, class First, class... Rest> struct references_among {
  using type = typename references_among<Static, Rest...>::type;
};
template <class Static, class... Concrete, class... Rest>
struct references_among<Static, references<Static, Concrete...>, Rest...> {
  using type = references<Static, Concrete...>;
};
template <class Pointer, class... References>
using references_of = typename references_among<std::remove_const_t<std::remove_pointer_t<Pointer>>,
                                                References...>::type;

} // namespace detail

/// How what values hold pointers to is told apart, for each static type.
template <class... References> struct held_by {};

namespace detail {

/// Values from the program's form to that of devices and back.
template <class Host, class Held> class value_translator;
template <class Host, class... References> class value_translator<Host, held_by<References...>> {
public:
  using element = typename with_ids<Host>::type;

  explicit value_translator(const objects_view& table)
      : pointers_(id_translator<References>(table)...) {}

  element ids(const Host& value) {
    return rewritten<element>(value, [&]<class Id>(auto* pointer) -> Id {
      check_objects(&pointer, 1);
      return of<decltype(pointer)>().id(pointer);
    });
  }
  Host pointers(const element& value) const {
    return rewritten<Host>(value, [&]<class Pointer>(object_id id) -> Pointer {
      return std::get<id_translator<references_of<Pointer, References...>>>(pointers_).pointer(id);
    });
  }
  void discover(const Host& value, discovery& out) {
    each_pointer(value, [&](auto* pointer) {
      using refs = references_of<decltype(pointer), References...>;
      check_objects(&pointer, 1);
      if (!of<decltype(pointer)>().discover(pointer, out) && out.unknown_class == nullptr)
        out.unknown_class = &refs::dynamic_class(pointer);
    });
  }

private:
  template <class Pointer> auto& of() {
    return std::get<id_translator<references_of<Pointer, References...>>>(pointers_);
  }

  std::tuple<id_translator<References>...> pointers_;
};

/// The classes that they lead to.
template <class Held> struct held_classes;
template <class... References> struct held_classes<held_by<References...>> {
  static constexpr std::size_t count = (References::class_indices.size() + ... + 0);
  static constexpr std::array<unsigned, count> indices = [] {
    std::array<unsigned, count> all{};
    std::size_t at = 0;
    const auto add = [&](std::span<const unsigned> classes) {
      for (const unsigned c : classes)
        all[at++] = c;
    };
    (add(References::class_indices), ...);
    return all;
  }();
};

template <auto Access, class Held, class Class> struct holding_part : member_of<Access, Class> {
  using base = member_of<Access, Class>;
  using value = typename base::value;
  using translator = value_translator<value, Held>;
  using element = typename translator::element;

  static void gather(void* const* objects, std::size_t n, const objects_view& table, void* out) {
    translator translate(table);
    auto* to = static_cast<element*>(out);
    for (std::size_t i = 0; i < n; ++i) {
      base::prefetch_ahead(objects, i, n);
      ::new (static_cast<void*>(to + i)) element(translate.ids(base::get(objects[i])));
    }
  }
  static void scatter(void* const* objects, std::size_t n, const objects_view& table,
                      const void* in) {
    if constexpr (assignable) {
      const translator translate(table);
      const auto* from = static_cast<const element*>(in);
      for (std::size_t i = 0; i < n; ++i)
        if (value now = translate.pointers(from[i]); !are_same(base::get(objects[i]), now))
          base::get(objects[i]) = std::move(now);
    }
  }
  static void discover(void* const* objects, std::size_t n, discovery& out) {
    translator translate(out.objects);
    for (std::size_t i = 0; i < n; ++i)
      translate.discover(base::get(objects[i]), out);
  }
  static void merge(void* object, const objects_view& table, const void* before, const void* now) {
    if constexpr (assignable) {
      const translator translate(table);
      if (are_same<value>(base::get(object),
                          translate.pointers(*static_cast<const element*>(before))))
        base::get(object) = translate.pointers(*static_cast<const element*>(now));
    }
  }
  static constexpr bool assignable =
      !std::is_const_v<typename base::member> && std::is_assignable_v<value&, value&&>;
  static constexpr column_part part =
      column_part{Class::index, &gather,   assignable ? &scatter : nullptr,
                  nullptr,      &discover, assignable ? &merge : nullptr}
          .with_places<base>();
};

template <auto Access, class Held, class Class>
struct holding_list_part : list_part<Access, Class> {
  using base = list_part<Access, Class>;
  using value = typename base::container_element;
  using translator = value_translator<value, Held>;
  using element = typename translator::element;
  using held = std::remove_reference_t<decltype(std::declval<typename base::container&>()[0])>;

  static void gather(void* const* objects, std::size_t n, const objects_view& table, void* out) {
    translator translate(table);
    auto* to = static_cast<element*>(out);
    for (std::size_t i = 0; i < n; ++i)
      for (const value& each : base::get(objects[i]))
        ::new (static_cast<void*>(to++)) element(translate.ids(each));
  }
  static void scatter(void* const* objects, std::size_t n, const objects_view& table,
                      const void* in) {
    if constexpr (assignable) {
      const translator translate(table);
      const auto* from = static_cast<const element*>(in);
      for (std::size_t i = 0; i < n; ++i)
        for (value& each : base::get(objects[i]))
          if (value now = translate.pointers(*from++); !are_same(each, now))
            each = std::move(now);
    }
  }
  static void discover(void* const* objects, std::size_t n, discovery& out) {
    translator translate(out.objects);
    for (std::size_t i = 0; i < n; ++i)
      for (const value& each : base::get(objects[i]))
        translate.discover(each, out);
  }
  static void merge(void* object, const objects_view& table, const void* before, const void* now) {
    if constexpr (assignable) {
      const translator translate(table);
      const auto* was = static_cast<const element*>(before);
      const auto* is = static_cast<const element*>(now);
      for (value& each : base::get(object)) {
        if (are_same(each, translate.pointers(*was++)))
          each = translate.pointers(*is);
        ++is;
      }
    }
  }
  static constexpr bool assignable =
      !std::is_const_v<held> && std::is_assignable_v<value&, value&&>;
  static constexpr column_part part =
      column_part{Class::index,   &gather,   assignable ? &scatter : nullptr,
                  &base::lengths, &discover, assignable ? &merge : nullptr}
          .with_places<base>();
};

} // namespace detail

/// A column of values that hold pointers, std::pair<T*, float> for example. Held: held_by<…>.
template <auto Access, class Held, class... Classes> column_info holding_column(const char* name) {
  return detail::part_table<detail::holding_part<Access, Held, Classes>...>::describe(
      name, detail::held_classes<Held>::indices);
}
/// A join table of such values: std::vector<std::pair<T*, float>>.
template <auto Access, class Held, class... Classes>
column_info holding_list_column(const char* name) {
  return detail::part_table<detail::holding_list_part<Access, Held, Classes>...>::describe(
      name, detail::held_classes<Held>::indices);
}

} // namespace ikra::rt
