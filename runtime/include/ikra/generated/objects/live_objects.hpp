// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked builds look at what a pointer leads to before they follow it: an object of a polymorphic
// class that was destroyed has no class that could be told.
#pragma once

#include <ikra/error.hpp>
#include <ikra/generated/device/section_info.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace ikra::rt {

/// An object that was destroyed, and the pointer that leads to it, as far as they are known.
struct stale_pointer {
  const section_info* section;
  std::string object; ///< "an object of class …"
  /// What leads to it, "Car::street", or "a pointer that sections may follow"; empty: a scope.
  std::string leads = "a pointer that sections may follow";
  std::string of_class{};       ///< of the object whose member leads to it; empty: no member does
  const void* holder = nullptr; ///< that object, or what a scope holds
  std::string element{};        ///< its place among the section's elements; empty: not known
};

/// A pointer leads to an object that was destroyed.
class destroyed_object final : public error {
public:
  explicit destroyed_object(stale_pointer pointer);
  const stale_pointer& pointer() const { return *pointer_; }

private:
  std::shared_ptr<const stale_pointer> pointer_; // copies of exceptions may not fail
};

namespace detail {

/// The last section of a checked build that has begun, in any thread; null before.
extern std::atomic<const section_info*> checked_section;

/// \param object null, or of a polymorphic class \throws destroyed_object
void check_object(const void* object, const std::type_info& static_type);

/// In programs with checked builds: \throws destroyed_object if one of the pointers leads to none.
template <class T>
void check_objects([[maybe_unused]] T* const* pointers, [[maybe_unused]] std::size_t n) {
  if constexpr (std::is_polymorphic_v<T>)
    if (checked_section.load(std::memory_order_relaxed) != nullptr)
      for (std::size_t i = 0; i < n; ++i)
        check_object(pointers[i], typeid(T));
}

} // namespace detail

} // namespace ikra::rt
