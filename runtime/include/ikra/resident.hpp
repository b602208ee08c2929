// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikra::resident, a scope in which objects may stay on the device between sections; and
// ikra::objects, which makes an array of pointers from a vector of objects. In a plain build
// objects are where they always are, so that the scope only checks, at compile time, that it is
// used as it may be. The runtime of generated code, where it is linked, does the rest through
// detail::make_resident_scope.
#pragma once

#include <ikra/array.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ikra {

namespace detail {

/// An array of pointers to objects, with the type erased.
struct object_list {
  const void* pointers; ///< count elements of type T*
  std::size_t count;
  const std::type_info* pointee;      ///< T, without const
  std::shared_ptr<const void> keeper; ///< keeps the pointers where they are
};

/// What a scope does where objects can be somewhere else.
class resident_scope {
public:
  virtual ~resident_scope() = default;
  /// Brings what sections wrote back to the objects.
  virtual void sync() = 0;
  /// The host wrote to objects.
  virtual void changed() = 0;
};

/// Makes the scopes of this program. Null in plain builds; set by the runtime before main().
inline std::unique_ptr<resident_scope> (*make_resident_scope)(std::vector<object_list>) = nullptr;

template <class T> object_list list_of(const array<T*, 1>& objects) {
  // The array's own elements: a section over this array knows them by their address.
  const std::shared_ptr<command<T*>> elements = array_access::command_of(objects);
  evaluate(*elements);
  return {elements->result().data(), elements->result().size(), &typeid(T), elements};
}
template <class T> object_list list_of(const std::vector<T>& objects) {
  std::vector<T*> pointers;
  pointers.reserve(objects.size());
  for (const T& object : objects)
    pointers.push_back(const_cast<T*>(&object));
  const auto kept = std::make_shared<const std::vector<T*>>(std::move(pointers));
  return {kept->data(), kept->size(), &typeid(T), kept};
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

template <class C> inline constexpr bool holds_objects = false;
template <class T> inline constexpr bool holds_objects<array<T*, 1>> = std::is_class_v<T>;
template <class T> inline constexpr bool holds_objects<std::vector<T>> = std::is_class_v<T>;
template <class T> inline constexpr bool holds_objects<std::vector<T*>> = std::is_class_v<T>;
} // namespace detail

/// While it exists, the host reads the objects only after sync() and writes them only before
/// changed().
class resident {
public:
  /// \param objects arrays of pointers, or vectors of pointers, owners or objects, whose objects
  /// stay
  template <class... Objects>
    requires(sizeof...(Objects) > 0 && (detail::holds_objects<Objects> && ...))
  explicit resident(const Objects&... objects)
      : scope_(detail::make_resident_scope == nullptr
                   ? nullptr
                   : detail::make_resident_scope({detail::list_of(objects)...})) {}
  resident(const resident&) = delete;
  resident& operator=(const resident&) = delete;
  /// As sync(). \throws error if that fails, unless another exception is on its way
  ~resident() noexcept(false) {
    if (scope_ == nullptr)
      return;
    try {
      scope_->sync();
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

  /// Says that the host wrote to objects.
  /// \param objects arrays or vectors as in the constructor, or pointers to single objects
  template <class... Objects>
    requires((detail::holds_objects<Objects> || std::is_pointer_v<Objects>) && ...)
  void changed(const Objects&... objects) {
    (static_cast<void>(objects), ...);
    if (scope_ != nullptr)
      scope_->changed();
  }

private:
  std::unique_ptr<detail::resident_scope> scope_;
  int exceptions_ = std::uncaught_exceptions();
};

/// Pointers to the objects in a vector, which has to stay as it is while they are used.
template <class T> array<T*, 1> objects(std::vector<T>& values) {
  std::vector<T*> pointers;
  pointers.reserve(values.size());
  for (T& value : values)
    pointers.push_back(&value);
  return array<T*, 1>(std::move(pointers));
}
template <class T> array<const T*, 1> objects(const std::vector<T>& values) {
  std::vector<const T*> pointers;
  pointers.reserve(values.size());
  for (const T& value : values)
    pointers.push_back(&value);
  return array<const T*, 1>(std::move(pointers));
}
template <class T> array<const T*, 1> objects(const std::vector<T>&& values) = delete;

} // namespace ikra
