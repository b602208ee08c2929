// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikra::resident, a scope in which objects may stay on the device between sections; and
// ikra::objects, which makes an array of pointers from a vector of objects. In a plain build
// objects are where they always are, so that the scope only checks, at compile time, that it is
// used as it may be. The runtime of generated code, where it is linked, does the rest through
// detail::make_resident_scope.
#pragma once

#include <ikra/macros_aside.hpp>

#include <ikra/array.hpp>
#include <ikra/device_operations.hpp>
#include <ikra/object_memory.hpp>
#include <ikra/object_pointers.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ikra {

class resident;

namespace detail {

/// Where an object is: all of it, also where a pointer refers to a base of it.
struct object_place {
  const void* address; ///< null for null pointers
  std::size_t size;    ///< at least
  const std::type_info* type;
};

/// An array of pointers to objects, with the type erased.
struct object_list {
  const void* pointers; ///< count elements of type T*
  std::size_t count;
  const std::type_info* pointee;                              ///< T, without const
  std::shared_ptr<const void> keeper;                         ///< keeps the pointers where they are
  object_place (*place)(const void* pointers, std::size_t i); ///< of an object that is there
  bool is_single = false;                                     ///< given as a pointer
  bool has_left_out = false; ///< objects of its variable, which the host had taken away
  bool has_objects = false;  ///< from a vector of objects, which moves them when it grows
  /// The variable that it was made from, null for temporaries.
  const void* variable = nullptr;
  /// Vectors of objects or owners, which live as long as their objects: whether they still hold
  /// these pointers, and what they hold now. Otherwise null. \{
  bool (*same)(const object_list& list) = nullptr;
  object_list (*again)(const object_list& list) = nullptr;
  /// \}
  std::size_t (*count_now)(const object_list& list) = nullptr; ///< the same: how many they hold
  /// Throws a const T* to tell which classes it converts to: that of an element, or null.
  void (*raise)(const void* pointers, const std::size_t* i) = nullptr;
};

/// A member of all objects of a class, with its types erased.
struct member_of_objects {
  const std::type_info* owner;   ///< the class that declares it
  const std::type_info* type;    ///< of the member, without const
  std::size_t bytes;             ///< of the member
  const void* pointer_to_member; ///< as long as the call lasts
  const void* (*place)(const void* pointer_to_member, const void* object); ///< an owner's
};

/// The list leaves objects out that the host takes away. \returns whether it had some
bool leave_out(object_list& list, const object_memory& removed);

/// What a scope does where objects can be somewhere else.
class resident_scope {
public:
  virtual ~resident_scope() = default;
  /// Brings what sections wrote back to the objects.
  virtual void sync() = 0;
  /// The same of some members.
  virtual void sync_members(std::span<const member_of_objects> members) = 0;
  /// The same for what this scope alone has, at its end.
  virtual void end() = 0;
  /// The host wrote to objects. \param named what it named
  virtual void changed(std::vector<object_list> named) = 0;
  /// The same of some members of one object. \param members where they are
  virtual void changed_members(const object_list& one, std::span<const void* const> members) = 0;
  /// The host has made objects, or will take them away. \param named single objects \{
  virtual void add(std::vector<object_list> named) = 0;
  virtual void remove(std::vector<object_list> named) = 0;
  /// \}
  /// What the scope holds now.
  virtual std::span<const object_list> lists() = 0;
  /// A member of a list's objects, where it lies. \returns false if it is on the host, and only
  /// there
  virtual bool read(const object_list& list, const member_of_objects& member, any_buffer& out) = 0;
};

/// Makes the scopes of this program. Null in plain builds; set by the runtime before main().
inline std::unique_ptr<resident_scope> (*make_resident_scope)(std::vector<object_list>) = nullptr;

template <class T> object_place place_of(const void* pointers, std::size_t i) {
  const T* const object = static_cast<const T* const*>(pointers)[i];
  if (object == nullptr)
    return {nullptr, 0, nullptr};
  if constexpr (std::is_polymorphic_v<T>)
    return {dynamic_cast<const void*>(object), sizeof(T), &typeid(*object)};
  else
    return {object, sizeof(T), &typeid(T)};
}

// NOLINTBEGIN(misc-throw-by-value-catch-by-reference): handlers convert pointers, which are thrown
// for that.
template <class T> void raise_pointer(const void* pointers, const std::size_t* i) {
  throw i == nullptr ? nullptr : static_cast<const T*>(static_cast<const T* const*>(pointers)[*i]);
}
// NOLINTEND(misc-throw-by-value-catch-by-reference)

template <class C> inline constexpr bool holds_objects = false;
template <class T> inline constexpr bool holds_objects<array<T*, 1>> = std::is_class_v<T>;
template <class T> inline constexpr bool holds_objects<std::vector<T>> = std::is_class_v<T>;
template <class T> inline constexpr bool holds_objects<std::vector<T*>> = std::is_class_v<T>;

template <class T> object_list list_of(const array<T*, 1>& objects) {
  // The array's own elements: a section over this array knows them by their address.
  const std::shared_ptr<command<T*>> elements = array_access::command_of(objects);
  evaluate(*elements);
  object_list list{elements->result().data(), elements->result().size(), &typeid(T), elements,
                   &place_of<T>};
  list.raise = &raise_pointer<T>;
  return list;
}
template <class T> object_list list_of(const std::vector<T>& objects) {
  const std::shared_ptr<command<T*>> pointers =
      object_pointers<T*>::in_a_row(const_cast<T*>(objects.data()), objects.size());
  object_list list{pointers->result().data(), objects.size(), &typeid(T), pointers, &place_of<T>};
  list.raise = &raise_pointer<T>;
  list.has_objects = true;
  return list;
}
template <class T> object_list list_of(const std::vector<T*>& objects) {
  return list_of(array<T*, 1>(objects));
}
template <class T, class D> object_list list_of(const std::vector<std::unique_ptr<T, D>>& objects) {
  return list_of(array<T*, 1>(objects));
}
template <class T> object_list list_of(const std::vector<std::shared_ptr<T>>& objects) {
  return list_of(array<T*, 1>(objects));
}

template <class T> object_list list_of(T* object) {
  object_list list = list_of(array<T*, 1>(std::vector<T*>{object}));
  list.is_single = true;
  return list;
}

/// Classes of objects may have a get() of their own.
template <class E>
concept smart_pointer = requires(E& element) {
  *element;
  requires std::is_pointer_v<decltype(element.get())>;
};

/// The object that an element of a container is, points to or owns; in a map, its value.
template <class E> auto* object_of_element(E& element) {
  if constexpr (std::is_pointer_v<std::remove_cv_t<E>>)
    return element;
  else if constexpr (smart_pointer<E>)
    return element.get();
  else if constexpr (requires {
                       element.first;
                       element.second;
                     })
    return object_of_element(element.second);
  else
    return std::addressof(element);
}
template <class C>
concept has_elements = requires(C& container) {
  std::begin(container);
  std::end(container);
};
template <class C>
concept other_container =
    !holds_objects<std::remove_cv_t<C>> && has_elements<C> &&
    std::is_class_v<
        std::remove_pointer_t<decltype(object_of_element(*std::begin(std::declval<C&>())))>>;
template <other_container C> object_list list_of(C& objects) {
  using pointee =
      std::remove_const_t<std::remove_pointer_t<decltype(object_of_element(*std::begin(objects)))>>;
  std::vector<pointee*> pointers;
  for (auto&& each : objects)
    pointers.push_back(const_cast<pointee*>(object_of_element(each)));
  return list_of(array<pointee*, 1>(pointers));
}
/// A variable that is an object.
template <class C>
concept lone_object = std::is_class_v<C> && !std::is_const_v<C> && !has_elements<C> &&
                      !holds_objects<C> && !std::is_same_v<C, resident>;
template <lone_object C> object_list list_of(C& object) { return list_of(std::addressof(object)); }

/// The variable that a list is made from.
template <class C> struct list_source {
  static constexpr bool is_looked_at = false;
};
template <class T>
  requires(!std::is_pointer_v<T>)
struct list_source<std::vector<T>> {
  static constexpr bool is_looked_at = true;

  static const auto* pointer(const T& element) {
    if constexpr (smart_pointer<const T>)
      return element.get();
    else
      return &element;
  }
  static bool same(const object_list& list) {
    const auto& now = *static_cast<const std::vector<T>*>(list.variable);
    if (now.size() != list.count)
      return false;
    using pointee = std::remove_cvref_t<decltype(*pointer(now.front()))>;
    const auto* const known = static_cast<const pointee* const*>(list.pointers);
    if constexpr (std::is_same_v<pointee, T>) { // objects, one after the other
      return now.empty() || now.data() == known[0];
    } else if constexpr (std::is_same_v<T, std::unique_ptr<pointee>> &&
                         sizeof(T) == sizeof(void*)) {
      return now.empty() || same_bytes(now.data(), known, now.size() * sizeof(void*));
    } else {
      for (std::size_t i = 0; i < now.size(); ++i)
        if (pointer(now[i]) != known[i])
          return false;
      return true;
    }
  }
  static object_list again(const object_list& list);
  static std::size_t count_now(const object_list& list) {
    return static_cast<const std::vector<T>*>(list.variable)->size();
  }
};

template <class C> object_list list_from(C&& objects) {
  object_list list = list_of(objects);
  if constexpr (std::is_lvalue_reference_v<C>) {
    using source = list_source<std::remove_cvref_t<C>>;
    list.variable = list.is_single ? nullptr : std::addressof(objects);
    if constexpr (source::is_looked_at) {
      list.same = &source::same;
      list.again = &source::again;
      list.count_now = &source::count_now;
    }
  }
  return list;
}
template <class T>
  requires(!std::is_pointer_v<T>)
object_list list_source<std::vector<T>>::again(const object_list& list) {
  return list_from(*static_cast<const std::vector<T>*>(list.variable));
}

/// What scopes are given: \p C as a forwarded argument's type.
template <class C>
concept leads_to_objects =
    holds_objects<std::remove_cvref_t<C>> ||
    (std::is_pointer_v<std::remove_cvref_t<C>> &&
     std::is_class_v<std::remove_pointer_t<std::remove_cvref_t<C>>>) ||
    (std::is_lvalue_reference_v<C> &&
     (other_container<std::remove_reference_t<C>> || lone_object<std::remove_reference_t<C>>));

inline bool leave_out(object_list& list, const object_memory& removed) {
  const auto* const pointers = static_cast<const unsigned char*>(list.pointers);
  const auto pointer = [&](std::size_t i) {
    const void* result = nullptr;
    __builtin_memcpy(&result, pointers + i * sizeof(void*), sizeof(void*));
    return result;
  };
  std::vector<std::size_t> leave; // by position
  std::mutex mutex;
  const auto look = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (const void* const each = pointer(i); each != nullptr && removed.cover(each, 1)) {
        const std::lock_guard lock(mutex);
        leave.push_back(i);
      }
  };
  in_parts(list.count, &look, [](const void* context, std::size_t begin, std::size_t end) {
    (*static_cast<decltype(&look)>(context))(begin, end);
  });
  if (leave.empty())
    return false;
  std::sort(leave.begin(), leave.end());
  const auto left = std::make_shared<std::vector<const void*>>(list.count - leave.size());
  leave.push_back(list.count);
  std::size_t from = 0, to = 0;
  for (const std::size_t next : leave) {
    if (next != from)
      __builtin_memcpy(left->data() + to, pointers + from * sizeof(void*),
                       (next - from) * sizeof(void*));
    to += next - from;
    from = next + 1;
  }
  list.pointers = left->data();
  list.count = left->size();
  list.keeper = left;
  return true;
}

template <class T, class M> member_of_objects member(M T::* const& pointer_to_member) {
  return {&typeid(T), &typeid(M), sizeof(M), &pointer_to_member,
          [](const void* pointer, const void* object) -> const void* {
            return std::addressof(
                static_cast<const T*>(object)->**static_cast<M T::* const*>(pointer));
          }};
}

/// A list's elements as pointers to a class.
template <class T> class pointers_to {
public:
  explicit pointers_to(const object_list& list) : list_(&list) {}

  /// \returns whether they are, or convert.
  static bool are_in(const object_list& list) {
    return *list.pointee == typeid(T) || caught(list, nullptr, [](const T*) {});
  }
  const T* operator[](std::size_t i) {
    const void* element = nullptr;
    __builtin_memcpy(&element,
                     static_cast<const unsigned char*>(list_->pointers) + i * sizeof(void*),
                     sizeof(void*));
    if (element == nullptr || *list_->pointee == typeid(T))
      return static_cast<const T*>(element);
    // Where a base is depends on the whole object's class, and on which part the element is.
    const object_place whole = list_->place(list_->pointers, i);
    const auto part = static_cast<const char*>(element) - static_cast<const char*>(whole.address);
    const auto [known, is_new] = offsets_.try_emplace({std::type_index(*whole.type), part}, 0);
    if (is_new)
      caught(*list_, &i, [&](const T* base) {
        known->second = reinterpret_cast<const char*>(base) - static_cast<const char*>(element);
      });
    return reinterpret_cast<const T*>(static_cast<const char*>(element) + known->second);
  }

private:
  template <class Use>
  static bool caught(const object_list& list, const std::size_t* i, const Use& use) {
    // NOLINTBEGIN(misc-throw-by-value-catch-by-reference, bugprone-empty-catch): see
    // raise_pointer()
    try {
      try {
        list.raise(list.pointers, i);
      } catch (const T* base) {
        use(base);
        return true;
      }
    } catch (const volatile void*) { // of another class
    }
    // NOLINTEND(misc-throw-by-value-catch-by-reference, bugprone-empty-catch)
    return false;
  }

  const object_list* list_;
  std::map<std::pair<std::type_index, std::ptrdiff_t>, std::ptrdiff_t> offsets_;
};

/// What a scope of a plain build has: objects are where they always are.
class plain_scope final : public resident_scope {
public:
  explicit plain_scope(std::vector<object_list> lists) : lists_(std::move(lists)) {}
  void sync() override {}
  void sync_members(std::span<const member_of_objects>) override {}
  void end() override {}
  void changed(std::vector<object_list> named) override {
    std::erase_if(named, [](const object_list& list) { return list.is_single; });
    if (named.empty())
      return;
    leave_removed();
    for (const object_list& now : named)
      for (object_list& list : lists_)
        if (now.variable != nullptr && now.variable == list.variable &&
            *now.pointee == *list.pointee)
          list = now;
  }
  void changed_members(const object_list&, std::span<const void* const>) override {}
  void add(std::vector<object_list>) override {}
  void remove(std::vector<object_list> named) override {
    for (const object_list& list : named)
      for (std::size_t i = 0; i < list.count; ++i)
        if (const object_place place = list.place(list.pointers, i); place.address != nullptr)
          removed_.add(place.address, place.size);
  }
  std::span<const object_list> lists() override {
    leave_removed();
    for (object_list& list : lists_)
      if (list.same != nullptr && !list.same(list))
        list = list.again(list);
    return lists_;
  }
  bool read(const object_list&, const member_of_objects&, any_buffer&) override { return false; }

private:
  /// Before lists are read, or hold others: objects may since have been made where removed ones
  /// were.
  void leave_removed() {
    if (removed_.empty())
      return;
    for (object_list& list : lists_)
      leave_out(list, removed_);
    removed_.clear();
  }

  std::vector<object_list> lists_;
  object_memory removed_;
};
} // namespace detail

/// While it exists, the host reads the objects only after sync() and writes them only before
/// changed(). It also calls sync() before, and changed() after, it makes, moves or deletes objects;
/// vectors from which it erases some may go without the sync().
class resident {
public:
  /// \param objects whose objects stay: arrays of pointers; vectors and other containers of
  /// pointers, owners or objects, maps with such values; variables that are objects, and pointers
  /// to such. Vectors of owners or objects that are variables are looked at again and live as long
  /// as the scope
  template <class... Objects>
    requires(sizeof...(Objects) > 0 && (detail::leads_to_objects<Objects> && ...))
  explicit resident(Objects&&... objects)
      : scope_(made({detail::list_from(std::forward<Objects>(objects))...})) {}
  resident(const resident&) = delete;
  resident& operator=(const resident&) = delete;
  /// As sync(). \throws error if that fails, unless another exception is on its way
  ~resident() noexcept(false) {
    try {
      scope_->end();
    } catch (...) { // goes on below
      if (std::uncaught_exceptions() == exceptions_)
        throw;
    }
  }

  /// Brings what sections wrote back to the host objects.
  void sync() { scope_->sync(); }

  /// The same of some members: `scope.sync(&Car::speed)`. Others are still where they were.
  template <class... T, class... M>
    requires(sizeof...(T) > 0 && (std::is_object_v<M> && ...))
  void sync(M T::*... members) {
    const detail::member_of_objects all[] = {detail::member(members)...};
    scope_->sync_members(all);
  }

  /// Says that the host wrote to objects. What it wrote wins over what sections wrote: of an object
  /// that is given as a pointer, all members; of others, those that are not what they were when
  /// host and sections last agreed, at sync() or where no section has written them since.
  /// \param objects arrays or vectors as in the constructor, which stand for all their objects, as
  /// none does for the scope's, and are what the scope holds from now on if they are the same
  /// variables; or pointers to single objects
  template <class... Objects>
    requires(detail::leads_to_objects<Objects> && ...)
  void changed(Objects&&... objects) {
    scope_->changed(
        std::vector<detail::object_list>{detail::list_from(std::forward<Objects>(objects))...});
  }

  /// The same of some members of an object: `scope.changed(car, &Car::speed)`. What they were led
  /// to before is still there, unless remove() said otherwise.
  template <class Object, class... T, class... M>
    requires(sizeof...(T) > 0 && (std::is_base_of_v<T, Object> && ...))
  void changed(Object* object, M T::*... members) {
    if (object == nullptr)
      return;
    const void* const places[] = {std::addressof(object->*members)...};
    scope_->changed_members(detail::list_of(object), places);
  }

  /// Says that the host has made objects, which sections may reach from now on.
  template <class... Object>
    requires(sizeof...(Object) > 0 && (std::is_class_v<Object> && ...))
  void add(Object*... objects) {
    scope_->add({detail::list_of(objects)...});
  }

  /// Says that the host is about to take objects away, with what they hold and own by
  /// std::unique_ptr: nothing will touch them. What sections wrote to them is lost.
  template <class... Object>
    requires(sizeof...(Object) > 0 && (std::is_class_v<Object> && ...))
  void remove(Object*... objects) {
    scope_->remove({detail::list_of(objects)...});
  }

  /// A member of all objects of the first array of the scope whose elements have it, as sections
  /// left it. \throws error of kind null_element for a null element; unsupported if the scope has
  /// no such array
  template <class T, class M>
    requires(std::is_object_v<M> && detail::copied_as_bytes<std::remove_cv_t<M>> &&
             !std::is_array_v<M>)
  array<std::remove_cv_t<M>, 1> read(M T::* member) {
    using value = std::remove_cv_t<M>;
    const std::span<const detail::object_list> lists = scope_->lists();
    auto list = lists.begin();
    while (list != lists.end() && !detail::pointers_to<T>::are_in(*list))
      ++list;
    if (list == lists.end())
      throw error(error_kind::unsupported,
                  "no array of this ikra::resident scope has objects of the class whose member "
                  "read() is asked for; give the scope one");
    detail::buffer<value> there;
    detail::erased<value> out(there);
    const std::size_t count = list->count;
    if (!scope_->read(*list, detail::member(member), out)) {
      detail::room<value> here(count);
      detail::pointers_to<T> objects(*list);
      for (std::size_t i = 0; i < count; ++i) {
        const T* const object = objects[i];
        if (object == nullptr)
          throw error(
              error_kind::null_element,
              detail::text("ikra: element ", i, " of the array that read() goes through is null"));
        here.emplace_back(object->*member);
      }
      there = detail::buffer<value>(std::move(here));
    }
    return detail::array_access::make<value, 1>(
        index<1>(static_cast<std::int64_t>(count)),
        detail::held(new detail::value_command<value>(std::move(there))));
  }

private:
  static std::unique_ptr<detail::resident_scope> made(std::vector<detail::object_list> lists) {
    for (detail::object_list& list : lists)
      list.is_single = false;
    if (detail::make_resident_scope != nullptr)
      return detail::make_resident_scope(std::move(lists));
    return std::make_unique<detail::plain_scope>(std::move(lists));
  }

  std::unique_ptr<detail::resident_scope> scope_;
  int exceptions_ = std::uncaught_exceptions();
};

namespace detail {

template <class> inline constexpr bool is_owner_of_object = false;
template <class T, class D>
inline constexpr bool is_owner_of_object<std::unique_ptr<T, D>> = std::is_class_v<T>;
template <class T>
inline constexpr bool is_owner_of_object<std::shared_ptr<T>> = std::is_class_v<T>;

/// What is gone through as places of class objects: std::vector, array, deque, span, built-in
/// arrays.
template <class Range>
concept holder_of_objects = requires(Range& values) {
  std::begin(values) != std::end(values);
  requires std::is_lvalue_reference_v<decltype(*std::begin(values))>;
  requires std::is_class_v<std::remove_reference_t<decltype(*std::begin(values))>>;
  requires !is_owner_of_object<std::remove_cvref_t<decltype(*std::begin(values))>>;
};
template <class Range>
using object_in = std::remove_reference_t<decltype(*std::begin(std::declval<Range&>()))>;

/// The same of smart pointers to class objects.
template <class Range>
concept holder_of_owners = requires(const Range& values) {
  std::begin(values) != std::end(values);
  requires is_owner_of_object<std::remove_cvref_t<decltype(*std::begin(values))>>;
};

/// The same of pointers to class objects.
template <class Range>
concept holder_of_pointers = requires(const Range& values) {
  std::begin(values) != std::end(values);
  requires std::is_pointer_v<std::remove_cvref_t<decltype(*std::begin(values))>>;
  requires std::is_class_v<
      std::remove_pointer_t<std::remove_cvref_t<decltype(*std::begin(values))>>>;
};

template <class> inline constexpr bool is_span = false;
template <class T, std::size_t N> inline constexpr bool is_span<std::span<T, N>> = true;

} // namespace detail

/// Pointers to the objects that a container holds by value: std::vector, std::array, std::deque,
/// std::span, a built-in array. It has to stay as it is while they are used.
/// \return an array of rank 1 of T*, or of const T* where the objects are constant
template <detail::holder_of_objects Range>
array<detail::object_in<Range>*, 1> objects(Range& values) {
  using object = detail::object_in<Range>;
  if constexpr (requires {
                  { std::data(values) } -> std::same_as<object*>;
                }) {
    const std::size_t count = std::size(values);
    return detail::array_access::make<object*, 1>(
        index<1>(static_cast<std::int64_t>(count)),
        detail::object_pointers<object*>::in_a_row(std::data(values), count));
  } else {
    std::vector<object*> pointers;
    pointers.reserve(std::size(values));
    for (auto& value : values)
      pointers.push_back(std::addressof(value));
    return array<object*, 1>(std::move(pointers));
  }
}
template <class T, std::size_t N> array<T*, 1> objects(std::span<T, N>&& values) {
  return objects(values);
}
/// The objects that smart pointers own, as an ikra::array of them has it.
/// \return an array of rank 1 of T*
template <detail::holder_of_owners Range>
array<typename detail::object_in<Range>::element_type*, 1> objects(const Range& owners) {
  using object = typename detail::object_in<Range>::element_type;
  if constexpr (std::is_constructible_v<array<object*, 1>, const Range&>) {
    return array<object*, 1>(owners);
  } else {
    std::vector<object*> pointers;
    pointers.reserve(std::size(owners));
    for (const auto& owner : owners)
      pointers.push_back(owner.get());
    return array<object*, 1>(std::move(pointers));
  }
}
/// The objects to which pointers lead, as an ikra::array of these has them.
/// \return an array of rank 1 of T*
template <detail::holder_of_pointers Range>
array<std::remove_cvref_t<detail::object_in<Range>>, 1> objects(const Range& pointers) {
  using pointer = std::remove_cvref_t<detail::object_in<Range>>;
  return array<pointer, 1>(std::vector<pointer>(std::begin(pointers), std::end(pointers)));
}
/// The objects of a temporary would be gone.
template <detail::holder_of_objects Range>
  requires(!detail::is_span<Range>)
void objects(const Range&& values) = delete;

} // namespace ikra

#include <ikra/macros_back.hpp>
