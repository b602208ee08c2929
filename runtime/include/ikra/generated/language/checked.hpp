// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses that are checked in device code: columns that look for null before they use an ID, and
// at(), which looks whether its index is inside. Sections that test their element for null get such
// columns: they are given null elements, and may still dereference one on some path, which is an
// error. Other sections never meet a null element, and have plain columns.
//
// What fails ends there: on the host by an exception that the launch catches, on a GPU by leaving
// the kernel, or, where its threads work together, with something in place of what is not there.
// The session reads the report after the launch, and throws.
#pragma once

#include <ikra/generated/device/object_id.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ikra {

/// What failed in a launch: the least thread for which something did, and in the lowest bits what.
/// Where the base array has nulls, threads are its elements. Where the highest bit is set, it is
/// not a thread but the ID of the section's element; where the next one is, the element's place.
/// Zeros stand after it in memory, and after these IDs that are null.
using null_report = std::uint64_t;

/// What failed: null was dereferenced, at(), value() or get() asked for what is not there, or the
/// check of a checked build with this number, less first_check.
enum class failure : unsigned { null = 0, outside = 1, first_check = 2 };
inline constexpr unsigned failure_bits = 16;
inline constexpr null_report failed_element = null_report(1) << 63;
inline constexpr null_report failed_index = null_report(1) << 62;

/// The number of an index of an array, in reports: how many coordinates it has, and these,
/// outermost first, in as many bits each. Or `position_in_part`, and the position among the
/// launch's elements.
inline constexpr int index_bits = 43;
inline constexpr std::uint64_t position_in_part = 7;
inline constexpr std::uint64_t no_index = 0; ///< not known, or too far out

IKRA_HD constexpr null_report failed_at(std::uint64_t where, failure what) {
  return where << failure_bits | static_cast<unsigned>(what);
}

/// A report of nothing.
inline constexpr null_report no_null = ~null_report(0);
/// Bytes of an element that at(), value() and get() can give.
inline constexpr std::size_t largest_checked = 256;
/// Where what is read in place of an element that is not there begins, after a report.
inline constexpr std::size_t zeros_offset = 16;
inline constexpr std::size_t null_ids_offset = zeros_offset + largest_checked;
/// Room for a report and what stands after it.
inline constexpr std::size_t report_bytes = null_ids_offset + largest_checked;

/// Who wrote what in a launch, in checked builds: a hash table by address, of which each entry is a
/// pair of the address and what written() makes. Zeros to begin with.
struct write_log {
  std::uint64_t* entries = nullptr;
  std::uint64_t size = 0; ///< number of entries, a power of two
};

/// Where a section says that a check failed.
struct failure_report {
  null_report* report = nullptr;
  /// The kernel's threads work together, so none may leave: they are given another element, and the
  /// results are dropped.
  bool stays = false;
  /// In checked builds of sections over objects: the section's element, and which tick it is.
  /// Mutable for bodies that are a thread's own. \{
  mutable object_id element = nullptr;
  mutable std::uint32_t tick = 0;
  /// \}
  std::uint64_t index = no_index; ///< of the element, in checked builds of sections over values
  write_log log = {};             ///< where elements may write to others

  failure_report() = default;
  IKRA_HD failure_report(null_report* to, bool threads_stay = false)
      : report(to), stays(threads_stay) {}

  /// What it is to say of a failure. \param thread in which it happened
  IKRA_HD null_report entry(failure what, std::uint64_t thread) const {
    if (element)
      return failed_element | failed_at(element.value, what);
    return index != no_index ? failed_index | failed_at(index, what) : failed_at(thread, what);
  }
};

/// Ends a thread's work on the host; caught by the launch.
struct failed_check {
  failure_report to;
  failure what;

  failed_check(const failure_report& report, failure is) : to(report), what(is) {}

  /// \param thread in which it happened
  void note(std::uint64_t thread) const {
    const null_report now = to.entry(what, thread);
    const std::atomic_ref<null_report> least(*to.report);
    null_report known = least.load();
    while (now < known && !least.compare_exchange_weak(known, now)) {
    }
  }
};

#ifdef __CUDACC__
/// Notes in a kernel that this thread's work failed.
__device__ inline void note_failure(const failure_report& to, failure what) {
  const unsigned long long thread =
      static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  atomicMin(reinterpret_cast<unsigned long long*>(to.report),
            static_cast<unsigned long long>(to.entry(what, thread)));
}
#endif

/// What sections without columns are given in place of them.
struct no_columns {
  failure_report nulls;
};

/// Ends a thread's work on the host. Not inlined, and given values: a report whose address is taken
/// would be in memory, and stored anew for each element.
[[noreturn, gnu::noinline, gnu::cold]] inline void
throw_failed(null_report* report, failure what, object_id element, std::uint64_t place) {
  failure_report to(report);
  to.element = element;
  to.index = place;
  throw failed_check(to, what);
}

/// Notes that a check failed, and ends the thread's work unless threads stay.
IKRA_HD inline void check_failed(const failure_report& to, failure what) {
#ifdef __CUDA_ARCH__
  note_failure(to, what);
  if (!to.stays) {
    asm volatile("exit;");
    __builtin_unreachable();
  }
#else
  throw_failed(to.report, what, to.element, to.index);
#endif
}

/// What threads that stay read in place of an element that is not there: zeros, or null.
template <class T> IKRA_HD T* in_place_of(const failure_report& to) {
  constexpr std::size_t offset =
      std::is_same_v<std::remove_const_t<T>, object_id> ? null_ids_offset : zeros_offset;
  return reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(to.report) + offset);
}

/// Notes that an element is not there, and ends the thread's work. \returns some other element
/// where threads stay
template <class T> IKRA_HD T& not_there(const failure_report& to, failure what = failure::outside) {
  check_failed(to, what);
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) > largest_checked || alignof(T) > zeros_offset)
    asm volatile(
        "trap;"); // nothing that large stands there, and threads must not wait for this one
#endif
  return *in_place_of<T>(to);
}

/// values.at(i). \param to where it says that i is outside of values
template <class T> IKRA_HD T& at(const list<T>& values, std::size_t i, const failure_report& to) {
  return i < values.size() ? values[i] : not_there<T>(to);
}

template <class T>
IKRA_HD list<T> at(const nested_list<T>& lists, std::size_t i, const failure_report& to) {
  if (i < lists.size())
    return lists[i];
  check_failed(to, failure::outside);
  return {in_place_of<T>(to), 0};
}

template <class T, std::size_t N>
IKRA_HD T& at(T (&values)[N], std::size_t i, const failure_report& to) {
  return i < N ? values[i] : not_there<T>(to);
}

/// \returns id, which is not null unless threads stay.
IKRA_HD inline object_id not_null(object_id id, const failure_report& report) {
  if (!id)
    check_failed(report, failure::null);
  return id;
}

/// The same for a section's element. \returns element
template <class Element>
  requires requires(Element& e) { object_id(e.id); }
IKRA_HD Element& not_null(Element& element, const failure_report& report) {
  not_null(object_id(element.id), report);
  return element;
}

/// The object that dynamic_cast to a reference gives. \param id null if the object is of another
/// class \returns id, which is not null unless threads stay.
IKRA_HD inline object_id referred(object_id id, const failure_report& report) {
  if (!id)
    check_failed(report, failure::outside);
  return id;
}

/// A column of values.
template <class T> struct checked_column {
  T* values = nullptr;
  failure_report report;

  IKRA_HD T& operator[](object_id id) const {
    return id ? values[id] : not_there<T>(report, failure::null);
  }
};

/// The column of a container member.
template <class T> struct checked_list_column {
  list_column<T> lists;
  failure_report report;

  IKRA_HD list<T> operator[](object_id id) const {
    if (id)
      return lists[id];
    check_failed(report, failure::null);
    return {in_place_of<T>(report), 0};
  }
};

/// The column of a member that is a container of containers.
template <class T> struct checked_nested_column {
  nested_column<T> lists;
  failure_report report;

  IKRA_HD nested_list<T> operator[](object_id id) const {
    if (id)
      return lists[id];
    check_failed(report, failure::null);
    return {};
  }
};

/// The class of an object, told from its ID.
template <std::size_t N> struct checked_class_starts {
  class_starts<N> starts;
  failure_report report;

  IKRA_HD unsigned class_of(object_id id) const { return starts.class_of(not_null(id, report)); }
};

} // namespace ikra
