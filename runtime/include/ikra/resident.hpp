// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikra::resident, a scope in which objects may stay on the device between sections; and
// ikra::objects, which makes an array of pointers from a vector of objects. In a plain build
// objects are where they always are, so that the scope only checks, at compile time, that it is
// used as it may be.
#pragma once

#include <ikra/array.hpp>

#include <memory>
#include <type_traits>
#include <vector>

namespace ikra {

namespace detail {
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
  explicit resident(const Objects&... objects) {
    (static_cast<void>(objects), ...);
  }
  resident(const resident&) = delete;
  resident& operator=(const resident&) = delete;
  ~resident() = default;

  /// Brings what sections wrote back to the host objects.
  void sync() {}

  /// Says that the host wrote to objects.
  /// \param objects arrays or vectors as in the constructor, or pointers to single objects
  template <class... Objects>
    requires((detail::holds_objects<Objects> || std::is_pointer_v<Objects>) && ...)
  void changed(const Objects&... objects) {
    (static_cast<void>(objects), ...);
  }
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
