// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikra::resident, a scope in which objects may stay on the device between sections; and
// ikra::objects, which makes an array of pointers from a vector of objects. In a plain build
// objects are where they always are, so that the scope only checks, at compile time, that it is
// used as it may be. The runtime of generated code, where it is linked, does the rest through
// detail::make_resident_scope.
#pragma once

#include <ikra/array.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ikra {

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
  bool has_objects = false; ///< from a vector of objects, which moves them when it grows
  /// The variable that it was made from, null for temporaries.
  const void* variable = nullptr;
  /// Vectors of objects or owners, which live as long as their objects: whether they still hold
  /// these pointers, and what they hold now. Otherwise null. \{
  bool (*same)(const object_list& list) = nullptr;
  object_list (*again)(const object_list& list) = nullptr;
  /// \}
};

/// What a scope does where objects can be somewhere else.
class resident_scope {
public:
  virtual ~resident_scope() = default;
  /// Brings what sections wrote back to the objects.
  virtual void sync() = 0;
  /// The same for what this scope alone has, at its end.
  virtual void end() = 0;
  /// The host wrote to objects. \param named what it named
  virtual void changed(std::vector<object_list> named) = 0;
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

template <class T> object_list list_of(const array<T*, 1>& objects) {
  // The array's own elements: a section over this array knows them by their address.
  const std::shared_ptr<command<T*>> elements = array_access::command_of(objects);
  evaluate(*elements);
  return {elements->result().data(), elements->result().size(), &typeid(T), elements, &place_of<T>};
}
template <class T> object_list list_of(const std::vector<T>& objects) {
  const std::shared_ptr<command<T*>> pointers =
      object_pointers<T*>::in_a_row(const_cast<T*>(objects.data()), objects.size());
  object_list list{pointers->result().data(), objects.size(), &typeid(T), pointers, &place_of<T>};
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

/// The variable that a list is made from.
template <class C> struct list_source {
  static constexpr bool is_looked_at = false;
};
template <class T>
  requires(!std::is_pointer_v<T>)
struct list_source<std::vector<T>> {
  static constexpr bool is_looked_at = true;

  static const auto* pointer(const T& element) {
    if constexpr (requires { element.get(); })
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
};

template <class C> object_list list_from(C&& objects) {
  object_list list = list_of(objects);
  if constexpr (std::is_lvalue_reference_v<C>) {
    using source = list_source<std::remove_cvref_t<C>>;
    list.variable = list.is_single ? nullptr : std::addressof(objects);
    if constexpr (source::is_looked_at) {
      list.same = &source::same;
      list.again = &source::again;
    }
  }
  return list;
}
template <class T>
  requires(!std::is_pointer_v<T>)
object_list list_source<std::vector<T>>::again(const object_list& list) {
  return list_from(*static_cast<const std::vector<T>*>(list.variable));
}

template <class C> inline constexpr bool holds_objects = false;
template <class T> inline constexpr bool holds_objects<array<T*, 1>> = std::is_class_v<T>;
template <class T> inline constexpr bool holds_objects<std::vector<T>> = std::is_class_v<T>;
template <class T> inline constexpr bool holds_objects<std::vector<T*>> = std::is_class_v<T>;
template <class C> inline constexpr bool is_object = false;
template <class T> inline constexpr bool is_object<T*> = std::is_class_v<T>;
} // namespace detail

/// While it exists, the host reads the objects only after sync() and writes them only before
/// changed(). It also calls sync() before, and changed() after, it makes, moves or deletes objects;
/// vectors from which it erases some may go without the sync().
class resident {
public:
  /// \param objects arrays of pointers, or vectors of pointers, owners or objects, whose objects
  /// stay; vectors of owners or objects that are variables are looked at again and live as long as
  /// the scope
  template <class... Objects>
    requires(sizeof...(Objects) > 0 && (detail::holds_objects<std::remove_cvref_t<Objects>> && ...))
  explicit resident(Objects&&... objects)
      : scope_(detail::make_resident_scope == nullptr
                   ? nullptr
                   : detail::make_resident_scope(
                         {detail::list_from(std::forward<Objects>(objects))...})) {}
  resident(const resident&) = delete;
  resident& operator=(const resident&) = delete;
  /// As sync(). \throws error if that fails, unless another exception is on its way
  ~resident() noexcept(false) {
    if (scope_ == nullptr)
      return;
    try {
      scope_->end();
    } catch (...) { // goes on below
      if (std::uncaught_exceptions() == exceptions_)
        throw;
    }
  }

  /// Brings what sections wrote back to the host objects.
  void sync() {
    if (scope_ != nullptr)
      scope_->sync();
  }

  /// Says that the host wrote to objects. What it wrote wins over what sections wrote: of an object
  /// that is given as a pointer, all members; of others, those that are not what they were when
  /// host and sections last agreed, at sync() or where no section has written them since.
  /// \param objects arrays or vectors as in the constructor, which stand for all their objects, as
  /// none does for the scope's, and are what the scope holds from now on if they are the same
  /// variables; or pointers to single objects
  template <class... Objects>
    requires((detail::holds_objects<std::remove_cvref_t<Objects>> ||
              detail::is_object<std::remove_cvref_t<Objects>>) &&
             ...)
  void changed(Objects&&... objects) {
    (static_cast<void>(objects), ...);
    if (scope_ != nullptr)
      scope_->changed(
          std::vector<detail::object_list>{detail::list_from(std::forward<Objects>(objects))...});
  }

private:
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
/// The objects of a temporary would be gone.
template <detail::holder_of_objects Range>
  requires(!detail::is_span<Range>)
void objects(const Range&& values) = delete;

} // namespace ikra
