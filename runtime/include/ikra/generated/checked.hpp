// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns that look for null before they use an ID. Sections that test their element for null get
// these: they are given null elements, and may still dereference one on some path, which is an
// error. Other sections never meet a null element, and have plain columns.
//
// What dereferences null ends there: on the host by an exception that the launch catches, on a GPU
// by leaving the kernel. The session reads the report behind the launch, and throws.
#pragma once

#include <ikra/generated/object_id.hpp>

#include <atomic>
#include <cstdint>

namespace ikra {

/// The least thread of a launch that dereferenced null; where the base array has nulls, threads are
/// its elements.
using null_report = std::uint64_t;

/// A report of nothing.
inline constexpr null_report no_null = ~null_report(0);

/// Ends a thread's work on the host; caught by the launch.
struct null_dereference {
  null_report* report;

  /// \param thread that dereferenced null
  void note(null_report thread) const {
    const std::atomic_ref<null_report> least(*report);
    null_report known = least.load();
    while (thread < known && !least.compare_exchange_weak(known, thread)) {
    }
  }
};

[[noreturn]] IKRA_HD inline void dereferenced_null(null_report* report) {
#ifdef __CUDA_ARCH__
  atomicMin(reinterpret_cast<unsigned long long*>(report),
            static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x);
  asm volatile("exit;");
  __builtin_unreachable();
#else
  throw null_dereference{report};
#endif
}

/// \returns id, which is not null.
IKRA_HD inline object_id not_null(object_id id, null_report* report) {
  if (!id)
    dereferenced_null(report);
  return id;
}

/// The same for a section's element. \returns element
template <class Element>
  requires requires(Element& e) { object_id(e.id); }
IKRA_HD Element& not_null(Element& element, null_report* report) {
  not_null(object_id(element.id), report);
  return element;
}

/// A column of values.
template <class T> struct checked_column {
  T* values = nullptr;
  null_report* report = nullptr;

  IKRA_HD T& operator[](object_id id) const { return values[not_null(id, report)]; }
};

/// The column of a container member.
template <class T> struct checked_list_column {
  list_column<T> lists;
  null_report* report = nullptr;

  IKRA_HD list<T> operator[](object_id id) const { return lists[not_null(id, report)]; }
};

/// The class of an object, told from its ID.
template <std::size_t N> struct checked_class_starts {
  class_starts<N> starts;
  null_report* report = nullptr;

  IKRA_HD unsigned class_of(object_id id) const { return starts.class_of(not_null(id, report)); }
};

} // namespace ikra
