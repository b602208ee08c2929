// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Templates that turn the user's types into a layout: emitted code names classes and members, and
// each template here makes the functions of a column_part. This is the only place where host
// objects are touched.
#pragma once

#include <ikra/buffer.hpp>
#include <ikra/generated/language/atomics.hpp>
#include <ikra/generated/language/bit_field.hpp>
#include <ikra/generated/objects/classes_seen.hpp>
#include <ikra/generated/objects/layout.hpp>
#include <ikra/generated/objects/live_objects.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ikra::rt {

/// A class that objects are made of. Index is its place in the layout's classes.
template <unsigned Index, class T> struct concrete_class {
  static constexpr unsigned index = Index;
  using type = T;
};

/// \param name as in messages; \param family number of the classes connected with this one by
/// inheritance. \param holds_polymorphic whether objects of polymorphic classes lie within its own
template <class Class>
class_info describe(const char* name, unsigned family, bool holds_polymorphic = false) {
  return {name,
          family,
          &typeid(typename Class::type),
          sizeof(typename Class::type),
          std::is_polymorphic_v<typename Class::type>,
          holds_polymorphic};
}

/// A member of a record, and the function that reads it from an object.
template <auto Place, auto Access> struct field {};
template <class... Fields> struct fields {};

namespace detail {

/// The object of class Derived that *p is part of. A constant offset where the language allows a
/// static_cast.
template <class Derived, class Static> void* most_derived(const Static* p) {
  if constexpr (requires { static_cast<const Derived*>(p); })
    return const_cast<Derived*>(static_cast<const Derived*>(p));
  else
    return const_cast<void*>(dynamic_cast<const void*>(p)); // virtual or inaccessible base
}

/// Static* of a whole object. A cast in C's style, because bases may be private.
template <class Static, class Derived> Static* as_base(void* object) {
  if constexpr (std::is_same_v<std::remove_const_t<Static>, Derived>)
    return static_cast<Derived*>(object);
  else
    return (Static*)(static_cast<Derived*>(object));
}

template <class> inline constexpr bool is_owner = false;
template <class T, class D> inline constexpr bool is_owner<std::unique_ptr<T, D>> = true;
template <class T> inline constexpr bool is_owner<std::shared_ptr<T>> = true;

template <class> inline constexpr bool is_weak = false;
template <class T> inline constexpr bool is_weak<std::weak_ptr<T>> = true;

template <class> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;

/// Whether what an element of a container, or a member, leads to is held or owned by it alone.
template <class Member>
inline constexpr bool is_held = !std::is_pointer_v<Member> && !std::is_reference_v<Member> &&
                                !is_weak<std::remove_const_t<Member>>;
template <class T> inline constexpr bool is_held<std::shared_ptr<T>> = false;
template <class T> inline constexpr bool is_held<const std::shared_ptr<T>> = false;

/// Any reference member as a pointer: T*, unique_ptr<T>, shared_ptr<T>, T&, an object of its own,
/// or one in a std::optional. A weak_ptr<T> to an object that is gone is null.
template <class Member> auto to_pointer(Member& member) {
  using plain = std::remove_const_t<Member>;
  if constexpr (std::is_pointer_v<plain>)
    return static_cast<plain>(member);
  else if constexpr (is_owner<plain>)
    return member.get();
  else if constexpr (is_weak<plain>)
    return member.lock().get();
  else if constexpr (is_optional<plain>)
    return member ? std::addressof(*member) : nullptr;
  else
    return std::addressof(member);
}

inline constexpr std::size_t prefetch_distance = 12;

inline void prefetch(const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#else
  (void)address;
#endif
}

} // namespace detail

/// Pointers of static type Static* (or const Static*): null, or to one of the concrete classes,
/// told by the dynamic type. Where Static is not polymorphic, the static type is taken for the
/// dynamic one.
template <class Static, class... Concrete> struct references {
  using static_type = std::remove_const_t<Static>;
  static constexpr unsigned classes[sizeof...(Concrete) + 1] = {Concrete::index..., 0u};
  static constexpr std::span<const unsigned> class_indices{classes, sizeof...(Concrete)};

  /// Calls f.template operator()<Class>(k) for the class of *p, k its place in Concrete.
  /// \returns false if p's class is none of them.
  template <class F> static bool dispatch(const Static* p, F f) {
    return dispatch(p, f, std::index_sequence_for<Concrete...>());
  }

  static const std::type_info& dynamic_class(const Static* p) {
    if constexpr (std::is_polymorphic_v<static_type>)
      return typeid(*p);
    else
      return typeid(static_type);
  }

  static const reference_ops ops;

  /// So many are compared as fast as looked up.
  static constexpr std::size_t few_classes = 8;
  /// most_derived() by the place in Concrete.
  static constexpr void* (*located_by_place[])(const Static*) = {
      &detail::most_derived<typename Concrete::type, Static>..., nullptr};

private:
  template <class F, std::size_t... K>
  static bool dispatch(const Static* p, F& f, std::index_sequence<K...>) {
    (void)p, (void)f;
    if constexpr (!std::is_polymorphic_v<static_type>) {
      return ((std::is_same_v<typename Concrete::type, static_type>
                   ? (f.template operator()<Concrete>(K), true)
                   : false) ||
              ...);
    } else {
      const std::type_info& type = typeid(*p);
      // One class has one type_info, unless shared libraries were loaded without sharing their
      // symbols.
      return ((&type == &typeid(typename Concrete::type)
                   ? (f.template operator()<Concrete>(K), true)
                   : false) ||
              ...) ||
             ((type == typeid(typename Concrete::type) ? (f.template operator()<Concrete>(K), true)
                                                       : false) ||
              ...);
    }
  }

  static void classify_all(const void* pointers, std::size_t n, std::uint16_t* codes) {
    const auto* p = static_cast<Static* const*>(pointers);
    detail::check_objects(p, n);
    [[maybe_unused]] detail::classes_seen seen;
    for (std::size_t i = 0; i < n; ++i) {
      const auto tell = [&] {
        std::uint16_t code = reference_ops::unknown_code;
        dispatch(p[i], [&]<class Class>(std::size_t) {
          code = static_cast<std::uint16_t>(Class::index);
        });
        return code;
      };
      if constexpr (std::is_polymorphic_v<static_type>) {
        if (i + detail::prefetch_distance < n)
          detail::prefetch(p[i + detail::prefetch_distance]);
        codes[i] = p[i] == nullptr ? reference_ops::null_code
                                   : static_cast<std::uint16_t>(seen.find(p[i], tell));
      } else {
        codes[i] = p[i] == nullptr ? reference_ops::null_code : tell();
      }
    }
  }

  static void locate_all(const void* pointers, std::size_t n, const std::uint16_t* codes,
                         void** addresses) {
    const auto* p = static_cast<Static* const*>(pointers);
    (void)p, (void)codes, (void)addresses;
    if constexpr (sizeof...(Concrete) <= few_classes) {
      for (std::size_t i = 0; i < n; ++i)
        (locate<Concrete>(p[i], codes[i], addresses[i]), ...);
    } else {
      static constexpr auto by_class = locators();
      for (std::size_t i = 0; i < n; ++i)
        if (codes[i] < by_class.size() && by_class[codes[i]] != nullptr)
          addresses[i] = by_class[codes[i]](p[i]);
    }
  }

  template <class Class> static void locate(Static* p, std::uint16_t code, void*& address) {
    if (code == Class::index)
      address = detail::most_derived<typename Class::type>(p);
  }
  /// By the number of the class.
  static constexpr auto locators() {
    std::array<void* (*)(const Static*), std::max({0u, Concrete::index...}) + 1> all{};
    ((all[Concrete::index] = &detail::most_derived<typename Concrete::type, Static>), ...);
    return all;
  }

  static const std::type_info& dynamic_class_of(const void* pointers, std::size_t i) {
    return dynamic_class(static_cast<Static* const*>(pointers)[i]);
  }
};

template <class Static, class... Concrete>
const reference_ops references<Static, Concrete...>::ops = {
    &typeid(static_type), class_indices, &classify_all, &locate_all, &dynamic_class_of};

namespace detail {

/// Throws ikra::error: an object of a resident scope refers to one that was not there when the
/// scope began.
[[noreturn]] void throw_untraced(const std::type_info& type);

/// From pointers to IDs and back, with a look-up that remembers for each class the page last seen.
template <class References> class id_translator;

template <class Static, class... Concrete> class id_translator<references<Static, Concrete...>> {
public:
  using refs = references<Static, Concrete...>;

  explicit id_translator(const objects_view& table)
      : table_(table), readers_{address_map::reader(table.numbers(Concrete::index))...} {}

  /// Where an object's number is; null where none near has one, or its class is not known before
  /// the object is fetched.
  using number_slot = const std::uint32_t*;

  /// Has memory fetch what looking p up reads first: the object where it tells its class, else its
  /// number.
  number_slot fetch(const Static* p) {
    number_slot slot = nullptr;
    if constexpr (std::is_polymorphic_v<Static>)
      prefetch(p);
    else if (slot = slot_of(p); slot != nullptr)
      prefetch(slot);
    return slot;
  }

  /// Notes *p unless it has a number. \returns false if its class is unknown.
  bool discover(const Static* p, discovery& out) { return discover(p, slot_of(p), out); }
  /// \param slot what fetch() gave
  bool discover(const Static* p, number_slot slot, discovery& out) {
    if (p == nullptr)
      return true;
    return locate(p, [&](std::size_t k, void* address) {
      if (number_at(k, address, slot) == address_map::absent)
        out.found.push_back({address, out.objects.number_of(refs::classes[k])});
    });
  }

  object_id id(const Static* p) { return id(p, slot_of(p)); }
  /// \param slot what fetch() gave
  object_id id(const Static* p, number_slot slot) {
    object_id result;
    if (p != nullptr)
      locate(p, [&](std::size_t k, const void* address) {
        const std::uint32_t number = number_at(k, address, slot);
        if (number == address_map::absent)
          throw_untraced(refs::dynamic_class(p));
        result = object_id(table_.first(refs::classes[k]) + number);
      });
    return result;
  }

  Static* pointer(object_id id) const {
    Static* result = nullptr;
    if (id)
      (try_class<Concrete>(id, result) || ...);
    return result;
  }

private:
  template <class Class> bool try_class(object_id id, Static*& result) const {
    const std::uint32_t number = id.value - table_.first(Class::index);
    const std::vector<void*>& objects = table_.objects(Class::index);
    if (id.value < table_.first(Class::index) || number >= objects.size())
      return false;
    result = as_base<Static, typename Class::type>(objects[number]);
    return true;
  }

  number_slot slot_of(const Static* p) {
    number_slot slot = nullptr;
    if constexpr (!std::is_polymorphic_v<Static>)
      if (p != nullptr)
        refs::dispatch(p, [&]<class Class>(std::size_t k) {
          slot = readers_[k].slot(most_derived<typename Class::type>(p));
        });
    return slot;
  }
  std::uint32_t number_at(std::size_t k, const void* address, number_slot slot) {
    if constexpr (std::is_polymorphic_v<Static>)
      return readers_[k].find(address);
    else
      return slot == nullptr ? address_map::absent : *slot;
  }

  /// Calls use(place in Concrete, address of the whole object). \returns false if p's class is
  /// none of them
  template <class Use> bool locate(const Static* p, const Use& use) {
    if constexpr (is_told_by_table) {
      constexpr auto none = static_cast<std::uint32_t>(sizeof...(Concrete));
      const std::uint32_t k = seen_.find(p, [&] {
        std::uint32_t place = none;
        refs::dispatch(p, [&]<class>(std::size_t of) { place = static_cast<std::uint32_t>(of); });
        return place;
      });
      if (k == none)
        return false;
      use(k, refs::located_by_place[k](p));
      return true;
    } else {
      return refs::dispatch(
          p, [&]<class Class>(std::size_t k) { use(k, most_derived<typename Class::type>(p)); });
    }
  }

  static constexpr bool is_told_by_table =
      sizeof...(Concrete) > refs::few_classes&& std::is_polymorphic_v<typename refs::static_type>;
  struct nothing {};

  objects_view table_;
  std::array<address_map::reader, sizeof...(Concrete)> readers_;
  [[no_unique_address]] std::conditional_t<is_told_by_table, classes_seen, nothing> seen_;
};

/// Pointers that are looked up some time after they were met, since what they lead to lies
/// anywhere: memory fetches it for many of them at once.
template <class References, class Use> class look_ups {
public:
  look_ups(id_translator<References>& by, const Use& use) : by_(by), use_(use) {}

  void add(const typename References::static_type* p) {
    slots_[count_] = by_.fetch(p);
    met_[count_++] = p;
    if (count_ == met_.size())
      finish();
  }
  void finish() {
    const std::size_t count = std::exchange(count_, 0);
    check_objects(met_.data(), count);
    for (std::size_t i = 0; i < count; ++i)
      use_(met_[i], slots_[i]);
  }

private:
  id_translator<References>& by_;
  const Use& use_;
  std::array<const typename References::static_type*, 64> met_;
  std::array<typename id_translator<References>::number_slot, 64> slots_;
  std::size_t count_ = 0;
};

/// Copies one column element over a member unless their bits are equal: memory that did not change
/// stays clean.
template <class T> void restore(T& member, const void* element) {
  if (std::memcmp(static_cast<const void*>(std::addressof(member)), element, sizeof(T)) != 0)
    std::memcpy(static_cast<void*>(std::addressof(member)), element, sizeof(T));
}

template <class> struct access_traits;
template <class Result, class Owner> struct access_traits<Result (*)(Owner&)> {
  using member = std::remove_reference_t<Result>; // const where the member is
  using owner = Owner;
};

/// What the four kinds of columns have in common: reaching the member of a most derived object.
template <auto Access, class Class> struct member_of {
  using traits = access_traits<decltype(Access)>;
  using owner = std::remove_const_t<typename traits::owner>;
  using member = typename traits::member;
  using value = std::remove_const_t<member>;

  static member& get(void* object) {
    return Access(*as_base<typename traits::owner, typename Class::type>(object));
  }
  static void prefetch_ahead(void* const* objects, std::size_t i, std::size_t n) {
    if (i + prefetch_distance < n)
      prefetch(static_cast<const char*>(objects[i + prefetch_distance]));
  }
  static const void* owner_place(void* object) {
    return as_base<typename traits::owner, typename Class::type>(object);
  }
  static const void* member_place(void* object, std::size_t) { return std::addressof(get(object)); }
};

template <auto Access, class Class> struct value_part : member_of<Access, Class> {
  using base = member_of<Access, Class>;
  using value = typename base::value;
  static_assert(ikra::detail::copied_as_bytes<std::remove_all_extents_t<value>>,
                "a value column holds trivially copyable members");
  using element = value;

  static void gather(void* const* objects, std::size_t n, const objects_view&, void* out) {
    auto* to = static_cast<unsigned char*>(out);
    for (std::size_t i = 0; i < n; ++i) {
      base::prefetch_ahead(objects, i, n);
      std::memcpy(to + i * sizeof(value), std::addressof(base::get(objects[i])), sizeof(value));
    }
  }
  static void scatter(void* const* objects, std::size_t n, const objects_view&, const void* in) {
    const auto* from = static_cast<const unsigned char*>(in);
    for (std::size_t i = 0; i < n; ++i) {
      base::prefetch_ahead(objects, i, n);
      restore(const_cast<value&>(base::get(objects[i])), from + i * sizeof(value));
    }
  }
  static constexpr bool assignable = !std::is_const_v<typename base::member>;
  static constexpr column_part part =
      column_part{Class::index, &gather, assignable ? &scatter : nullptr, nullptr, nullptr}
          .with_places<base>();
};

/// A bit-field has no address: Access::get(object) gives its value, and Access::set(object, value),
/// where it can be assigned, stores one.
template <class Access, unsigned Bits, class Class> struct bit_field_part {
  using traits = access_traits<decltype(&Access::get)>;
  using owner = std::remove_const_t<typename traits::owner>;
  using value = typename traits::member;
  using element = bit_field<value, Bits>;
  static constexpr bool assignable = requires(owner& o, value v) { Access::set(o, v); };

  static owner& object(void* of) { return *as_base<owner, typename Class::type>(of); }
  static void gather(void* const* objects, std::size_t n, const objects_view&, void* out) {
    auto* to = static_cast<element*>(out);
    for (std::size_t i = 0; i < n; ++i) {
      if (i + prefetch_distance < n)
        prefetch(objects[i + prefetch_distance]);
      to[i] = Access::get(object(objects[i]));
    }
  }
  static void scatter(void* const* objects, std::size_t n, const objects_view&, const void* in) {
    const auto* from = static_cast<const element*>(in);
    for (std::size_t i = 0; i < n; ++i)
      if constexpr (assignable)
        if (Access::get(object(objects[i])) != from[i].get())
          Access::set(object(objects[i]), from[i].get());
  }
  static constexpr column_part part{Class::index, &gather, assignable ? &scatter : nullptr, nullptr,
                                    nullptr};
};

/// Several members of an object side by side, which sections read and never write.
template <class Record, class Fields, class Class> struct record_part;
template <class Record, auto... Places, auto... Accesses, class Class>
struct record_part<Record, fields<field<Places, Accesses>...>, Class> {
  static_assert(ikra::detail::copied_as_bytes<Record>);
  using element = Record;
  using first_access = member_of<std::get<0>(std::tuple(Accesses...)), Class>;
  using owner = typename first_access::owner;

  static std::span<const record_field> places() {
    const Record sample{};
    static const record_field all[] = {
        {static_cast<std::size_t>(reinterpret_cast<const char*>(&(sample.*Places)) -
                                  reinterpret_cast<const char*>(&sample)),
         sizeof(sample.*Places), &typeid(sample.*Places)}...};
    return all;
  }

  static void gather(void* const* objects, std::size_t n, const objects_view&, void* out) {
    auto* to = static_cast<Record*>(out);
    for (std::size_t i = 0; i < n; ++i) {
      first_access::prefetch_ahead(objects, i, n);
      Record record{};
      ((record.*Places = member_of<Accesses, Class>::get(objects[i])), ...);
      to[i] = record;
    }
  }
  static const void* owner_place(void* object) { return first_access::owner_place(object); }
  static const void* member_place(void* object, std::size_t k) {
    static constexpr const void* (*places[])(void*, std::size_t) = {
        &member_of<Accesses, Class>::member_place...};
    return places[k](object, 0);
  }
  static constexpr column_part part =
      column_part{Class::index, &gather, nullptr, nullptr, nullptr}.with_places<record_part>();
};

template <auto Access, class References, class Class>
struct reference_part : member_of<Access, Class> {
  using base = member_of<Access, Class>;
  using member = typename base::member;
  using element = object_id;

  static void gather(void* const* objects, std::size_t n, const objects_view& table, void* out) {
    id_translator<References> translator(table);
    auto* to = static_cast<object_id*>(out);
    const auto store = [&](const auto* p, auto slot) { *to++ = translator.id(p, slot); };
    look_ups<References, decltype(store)> all(translator, store);
    for (std::size_t i = 0; i < n; ++i) {
      base::prefetch_ahead(objects, i, n);
      all.add(to_pointer(base::get(objects[i])));
    }
    all.finish();
  }
  static void scatter(void* const* objects, std::size_t n, const objects_view& table,
                      const void* in) {
    if constexpr (assignable) {
      id_translator<References> translator(table);
      const auto* from = static_cast<const object_id*>(in);
      for (std::size_t i = 0; i < n; ++i) {
        base::prefetch_ahead(objects, i, n);
        const auto now = translator.pointer(from[i]);
        if (base::get(objects[i]) != now)
          base::get(objects[i]) = now;
      }
    }
  }
  static void discover(void* const* objects, std::size_t n, discovery& out) {
    id_translator<References> translator(out.objects);
    const auto look = [&](const auto* p, auto slot) {
      if (!translator.discover(p, slot, out) && out.unknown_class == nullptr)
        out.unknown_class = &References::dynamic_class(p);
    };
    look_ups<References, decltype(look)> all(translator, look);
    for (std::size_t i = 0; i < n; ++i) {
      base::prefetch_ahead(objects, i, n);
      all.add(to_pointer(base::get(objects[i])));
    }
    all.finish();
  }
  static void merge(void* object, const objects_view& table, const void* before, const void* now) {
    if constexpr (assignable) {
      const id_translator<References> translator(table);
      if (base::get(object) == translator.pointer(*static_cast<const object_id*>(before)))
        base::get(object) = translator.pointer(*static_cast<const object_id*>(now));
    }
  }
  /// Owners and T& keep what they refer to.
  static constexpr bool assignable = std::is_pointer_v<member> && !std::is_const_v<member>;
  static constexpr column_part part =
      column_part{Class::index,
                  &gather,
                  assignable ? &scatter : nullptr,
                  nullptr,
                  &discover,
                  assignable ? &merge : nullptr,
                  is_held<member>,
                  is_held<member>&& is_owner<std::remove_const_t<member>>}
          .with_places<base>();
};

/// Containers: std::vector, std::array, built-in arrays.
template <auto Access, class Class> struct list_part : member_of<Access, Class> {
  using base = member_of<Access, Class>;
  using container = typename base::member;
  using container_element = std::remove_cvref_t<decltype(std::declval<container&>()[0])>;

  /// The objects to come, and the elements of those that come first.
  static void prefetch_list_ahead(void* const* objects, std::size_t i, std::size_t n) {
    base::prefetch_ahead(objects, i, n);
    if (i + prefetch_distance / 2 < n)
      if (container& next = base::get(objects[i + prefetch_distance / 2]); std::size(next) != 0)
        prefetch(std::addressof(next[0]));
  }
  static void lengths(void* const* objects, std::size_t n, list_row* rows) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t size = std::size(base::get(objects[i]));
      // A length beyond 32 bits overflows the column too, which the caller sees in the sum.
      rows[i].length = size > 0xffffffffu ? 0xffffffffu : static_cast<std::uint32_t>(size);
    }
  }
};

template <auto Access, class Class> struct value_list_part : list_part<Access, Class> {
  using base = list_part<Access, Class>;
  using container = typename base::container;
  // std::vector<bool> hands out proxies.
  static constexpr bool is_bits = std::is_same_v<std::remove_const_t<container>, std::vector<bool>>;
  using element = typename std::conditional_t<
      is_bits, std::type_identity<bool>,
      std::type_identity<atomics::number_of<typename base::container_element>>>::type;
  static_assert(ikra::detail::copied_as_bytes<element>,
                "a join table holds trivially copyable values");

  static void gather(void* const* objects, std::size_t n, const objects_view&, void* out) {
    auto* to = static_cast<unsigned char*>(out);
    for (std::size_t i = 0; i < n; ++i) {
      container& values = base::get(objects[i]);
      const std::size_t size = std::size(values);
      if constexpr (is_bits) {
        for (std::size_t j = 0; j < size; ++j)
          to[j] = values[j] ? 1 : 0;
      } else if (size != 0) {
        std::memcpy(to, std::addressof(values[0]), size * sizeof(element));
      }
      to += size * sizeof(element);
    }
  }
  static void scatter(void* const* objects, std::size_t n, const objects_view&, const void* in) {
    const auto* from = static_cast<const unsigned char*>(in);
    for (std::size_t i = 0; i < n; ++i) {
      container& values = base::get(objects[i]);
      const std::size_t size = std::size(values);
      if constexpr (assignable) {
        for (std::size_t j = 0; j < size; ++j) {
          if constexpr (is_bits)
            values[j] = from[j] != 0;
          else
            restore(atomics::number(values[j]), from + j * sizeof(element));
        }
      }
      from += size * sizeof(element);
    }
  }
  static constexpr bool assignable =
      !std::is_const_v<container> &&
      !std::is_const_v<std::remove_reference_t<decltype(std::declval<container&>()[0])>>;
  /// What with_places() asks for.
  struct places : base {
    static const void* values(void* object) {
      container& all = base::get(object);
      if constexpr (is_bits)
        return nullptr;
      else
        return std::size(all) == 0 ? nullptr : std::addressof(all[0]);
    }
  };
  static constexpr column_part part =
      column_part{Class::index, &gather, assignable ? &scatter : nullptr, &base::lengths, nullptr}
          .template with_places<places>();
};

template <auto Access, class References, class Class>
struct reference_list_part : list_part<Access, Class> {
  using base = list_part<Access, Class>;
  using container = typename base::container;
  using element = object_id;
  using held = std::remove_reference_t<decltype(std::declval<container&>()[0])>;

  static void gather(void* const* objects, std::size_t n, const objects_view& table, void* out) {
    id_translator<References> translator(table);
    auto* to = static_cast<object_id*>(out);
    const auto store = [&](const auto* p, auto slot) { *to++ = translator.id(p, slot); };
    look_ups<References, decltype(store)> all(translator, store);
    for (std::size_t i = 0; i < n; ++i) {
      base::prefetch_list_ahead(objects, i, n);
      for (auto& p : base::get(objects[i]))
        all.add(to_pointer(p));
    }
    all.finish();
  }
  static void scatter(void* const* objects, std::size_t n, const objects_view& table,
                      const void* in) {
    if constexpr (assignable) {
      id_translator<References> translator(table);
      const auto* from = static_cast<const object_id*>(in);
      for (std::size_t i = 0; i < n; ++i)
        for (auto& p : base::get(objects[i])) {
          const auto now = translator.pointer(*from++);
          if (p != now)
            p = now;
        }
    }
  }
  static void discover(void* const* objects, std::size_t n, discovery& out) {
    id_translator<References> translator(out.objects);
    const auto look = [&](const auto* p, auto slot) {
      if (!translator.discover(p, slot, out) && out.unknown_class == nullptr)
        out.unknown_class = &References::dynamic_class(p);
    };
    look_ups<References, decltype(look)> all(translator, look);
    for (std::size_t i = 0; i < n; ++i) {
      base::prefetch_list_ahead(objects, i, n);
      for (auto& p : base::get(objects[i]))
        all.add(to_pointer(p));
    }
    all.finish();
  }
  static void merge(void* object, const objects_view& table, const void* before, const void* now) {
    if constexpr (assignable) {
      const id_translator<References> translator(table);
      const auto* was = static_cast<const object_id*>(before);
      const auto* is = static_cast<const object_id*>(now);
      for (auto& p : base::get(object)) {
        if (p == translator.pointer(*was++))
          p = translator.pointer(*is);
        ++is;
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

template <class... Parts> struct part_table {
  static constexpr column_part parts[sizeof...(Parts)] = {Parts::part...};
  using first = std::tuple_element_t<0, std::tuple<Parts...>>;
  using element = typename first::element;

  static column_info describe(const char* name, std::span<const unsigned> targets) {
    column_info info{name,  sizeof(element), &typeid(element),
                     parts, targets,         &typeid(typename first::owner)};
    if constexpr (requires { first::places(); })
      info.fields = first::places();
    if constexpr (std::is_enum_v<element>)
      info.integers = &typeid(std::underlying_type_t<element>);
    return info;
  }
};

} // namespace detail

/// A column of values. Access: function from the class that declares the member to a reference to
/// it. Classes: the concrete classes that have the member.
template <auto Access, class... Classes> column_info value_column(const char* name) {
  return detail::part_table<detail::value_part<Access, Classes>...>::describe(name, {});
}

/// A column of bit-fields. \tparam Access a class with functions get and set
template <class Access, unsigned Bits, class... Classes>
column_info bit_field_column(const char* name) {
  return detail::part_table<detail::bit_field_part<Access, Bits, Classes>...>::describe(name, {});
}

/// A column of records: members that sections reach together through references, so that one access
/// brings all of them. \tparam Record struct of the members; \tparam Fields
/// fields<field<&Record::member, access>…>.
template <class Record, class Fields, class... Classes>
column_info record_column(const char* name) {
  return detail::part_table<detail::record_part<Record, Fields, Classes>...>::describe(name, {});
}

/// A column of references to objects: T*, const T*, std::unique_ptr<T>, std::shared_ptr<T>, T&.
template <auto Access, class References, class... Classes>
column_info reference_column(const char* name) {
  return detail::part_table<detail::reference_part<Access, References, Classes>...>::describe(
      name, References::class_indices);
}

/// A join table of values: std::vector<T>, std::array<T, N>, T[N].
template <auto Access, class... Classes> column_info value_list_column(const char* name) {
  return detail::part_table<detail::value_list_part<Access, Classes>...>::describe(name, {});
}

/// A join table of references: containers as in value_list_column of members as in
/// reference_column.
template <auto Access, class References, class... Classes>
column_info reference_list_column(const char* name) {
  return detail::part_table<detail::reference_list_part<Access, References, Classes>...>::describe(
      name, References::class_indices);
}

} // namespace ikra::rt
