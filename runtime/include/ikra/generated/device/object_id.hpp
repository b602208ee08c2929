// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands for objects and containers in device code: object IDs instead of pointers, views into
// join tables instead of container members, and the table that tells a class from an ID. (ARRAY'16,
// section 3: "object IDs"; here IDs are given class by class, so that the class tag is a comparison
// with the segment's start.)
#pragma once

#include <ikra/generated/device/macros.hpp>
#include <ikra/index.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

namespace ikra {

/// An object, as device code names it: its number within its family of classes.
struct object_id {
  static constexpr std::uint32_t null_value = 0xffffffffu;

  std::uint32_t value = null_value;

  object_id() = default;
  template <class Integer>
    requires std::is_integral_v<Integer>
  IKRA_HD constexpr explicit object_id(Integer v) : value(static_cast<std::uint32_t>(v)) {}
  IKRA_HD constexpr object_id(std::nullptr_t) : value(null_value) {}

  /// The index of the object in its columns, which are plain pointers: `progress[id]`.
  IKRA_HD constexpr operator std::uint32_t() const { return value; }
  /// As with pointers: false for null.
  IKRA_HD constexpr explicit operator bool() const { return value != null_value; }
  IKRA_HD friend constexpr bool operator==(object_id a, object_id b) { return a.value == b.value; }
  /// IDs are ordered class by class; like that of pointers, the order means nothing to the user.
  IKRA_HD friend constexpr bool operator<(object_id a, object_id b) { return a.value < b.value; }
};

/// The same of a pointer that is an alternative of a std::variant, and its number there: the types
/// of alternatives tell them apart.
template <unsigned Number> struct alternative : object_id {
  alternative() = default;
  IKRA_HD constexpr alternative(object_id id) : object_id(id) {}
};

/// A container member or a captured container in device code: the part of a value column that is
/// one object's. T may be const; sizes do not change on the device.
template <class T> class list {
public:
  using value_type = std::remove_const_t<T>;
  using size_type = std::size_t;
  using iterator = T*;
  using const_iterator = const T*;

  list() = default;
  IKRA_HD constexpr list(T* data, std::size_t size) : data_(data), size_(size) {}
  /// As a reference to a container gives one to a constant container.
  template <class U>
    requires(std::is_const_v<T> && std::is_same_v<const U, T>)
  IKRA_HD constexpr list(list<U> other) : list(other.data(), other.size()) {}
  /// An array of the section's own.
  template <class U, std::size_t N>
    requires std::is_same_v<std::remove_const_t<U>, value_type>
  IKRA_HD constexpr list(U (&values)[N]) : list(values, N) {}
  template <class U, std::size_t N>
    requires std::is_same_v<U, value_type>
  IKRA_HD constexpr list(std::array<U, N>& values) : list(values.data(), N) {}
  template <class U, std::size_t N>
    requires(std::is_const_v<T> && std::is_same_v<U, value_type>)
  IKRA_HD constexpr list(const std::array<U, N>& values) : list(values.data(), N) {}

  IKRA_HD constexpr T& operator[](std::size_t i) const { return data_[i]; }
  IKRA_HD constexpr std::size_t size() const { return size_; }
  IKRA_HD constexpr bool empty() const { return size_ == 0; }
  IKRA_HD constexpr T* data() const { return data_; }
  IKRA_HD constexpr T* begin() const { return data_; }
  IKRA_HD constexpr T* end() const { return data_ + size_; }
  IKRA_HD constexpr T& front() const { return data_[0]; }
  IKRA_HD constexpr T& back() const { return data_[size_ - 1]; }
  /// A part, as of a std::span.
  IKRA_HD constexpr list first(std::size_t n) const { return {data_, n}; }
  IKRA_HD constexpr list last(std::size_t n) const { return {data_ + (size_ - n), n}; }
  IKRA_HD constexpr list subspan(std::size_t at, std::size_t n = SIZE_MAX) const {
    return {data_ + at, n == SIZE_MAX ? size_ - at : n};
  }

private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The elements between two pointers.
template <class T, class U> IKRA_HD constexpr list<T> list_between(T* first, U* last) {
  return {first, static_cast<std::size_t>(last - first)};
}

/// A captured ikra::array of rank above 1 in device code; a list of its elements in row-major
/// order, which knows its shape. \tparam R its rank
template <class T, int R> class grid : public list<const T> {
public:
  grid() = default;
  IKRA_HD constexpr grid(list<const T> elements, const index<R>& shape)
      : list<const T>(elements), shape_(shape) {}

  static constexpr int rank() { return R; }
  IKRA_HD constexpr const index<R>& shape() const { return shape_; }
  using list<const T>::operator[];
  IKRA_HD constexpr const T& operator[](const index<R>& place) const {
    std::int64_t at = place[0];
    for (int d = 1; d < R; ++d)
      at = at * shape_[d] + place[d];
    return (*this)[static_cast<std::size_t>(at)];
  }
  template <class... I>
    requires(sizeof...(I) == R)
  IKRA_HD constexpr const T& operator()(I... place) const {
    return (*this)[index<R>(place...)];
  }

private:
  index<R> shape_;
};

/// One row of a join table: where an object's elements stand in the value column. Eight bytes, so
/// that one load gets it.
struct alignas(8) list_row {
  std::uint32_t offset;
  std::uint32_t length;
};

/// The column of a container member: a collapsed join table (offset, length) and one value column.
template <class T> struct list_column {
  const list_row* rows = nullptr;
  T* values = nullptr;

  IKRA_HD constexpr list<T> operator[](object_id id) const {
    const list_row row = rows[id.value];
    return {values + row.offset, row.length};
  }
};

/// Elements of T before those of nested lists: their number, their places, their end; see
/// nested_lists.hpp.
template <class T> IKRA_HD constexpr std::size_t nested_header(std::size_t lists) {
  return ((lists + 2) * sizeof(std::uint32_t) + sizeof(T) - 1) / sizeof(T);
}

/// A container of containers in device code: gives each of them as a list.
template <class T> class nested_list {
public:
  using size_type = std::size_t;

  class iterator {
  public:
    IKRA_HD constexpr iterator(const nested_list& lists, std::size_t at) : lists_(lists), at_(at) {}
    IKRA_HD list<T> operator*() const { return lists_[at_]; }
    IKRA_HD constexpr iterator& operator++() {
      ++at_;
      return *this;
    }
    IKRA_HD constexpr bool operator!=(const iterator& other) const { return at_ != other.at_; }

  private:
    const nested_list& lists_;
    std::size_t at_;
  };

  nested_list() = default;
  /// \param count of lists, where the host has no access to them
  IKRA_HD constexpr nested_list(T* data, std::size_t count) : data_(data), size_(count) {}
  IKRA_HD explicit nested_list(list<T> all) : data_(all.data()), size_(all.empty() ? 0 : word(0)) {}
  /// As with lists.
  template <class U>
    requires(std::is_const_v<T> && std::is_same_v<const U, T>)
  IKRA_HD constexpr nested_list(nested_list<U> other) : data_(other.data()), size_(other.size()) {}

  IKRA_HD list<T> operator[](std::size_t i) const {
    const std::uint32_t begin = word(i + 1);
    return {data_ + nested_header<T>(size_) + begin, word(i + 2) - begin};
  }
  IKRA_HD constexpr std::size_t size() const { return size_; }
  IKRA_HD constexpr bool empty() const { return size_ == 0; }
  IKRA_HD constexpr T* data() const { return data_; }
  IKRA_HD constexpr iterator begin() const { return {*this, 0}; }
  IKRA_HD constexpr iterator end() const { return {*this, size_}; }
  IKRA_HD list<T> front() const { return (*this)[0]; }
  IKRA_HD list<T> back() const { return (*this)[size_ - 1]; }

private:
  IKRA_HD std::uint32_t word(std::size_t i) const {
    std::uint32_t value = 0;
    const auto* words = reinterpret_cast<const unsigned char*>(data_);
    if constexpr (alignof(T) >= alignof(std::uint32_t))
      words = static_cast<const unsigned char*>(__builtin_assume_aligned(words, sizeof value));
    memcpy(&value, words + i * sizeof value, sizeof value);
    return value;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The column of a member that is a container of containers.
template <class T> struct nested_column {
  list_column<T> lists;

  IKRA_HD nested_list<T> operator[](object_id id) const { return nested_list<T>(lists[id]); }
};

/// First IDs of N classes of a family, in the order of their IDs: tells the class of an object from
/// its ID.
template <std::size_t N> struct class_starts {
  std::uint32_t first[N];

  /// \returns the place (0 to N - 1) of id's class among the family's classes; id is not null.
  IKRA_HD constexpr unsigned class_of(object_id id) const {
    unsigned k = 0;
    for (unsigned i = 1; i < N; ++i)
      k += id.value >= first[i] ? 1u : 0u;
    return k;
  }
};

/// dynamic_cast: the object if its class is one of those numbers in its family, else null. Null
/// stays null.
template <unsigned... Classes, class Starts>
IKRA_HD constexpr object_id as_class([[maybe_unused]] const Starts& starts, object_id id) {
  if (!id)
    return id;
  [[maybe_unused]] const unsigned number = starts.class_of(id);
  return ((number == Classes) || ...) ? id : object_id();
}
/// Whether an object, which is there, is of one of those classes.
template <unsigned... Classes, class Starts>
IKRA_HD constexpr bool is_of_class([[maybe_unused]] const Starts& starts, object_id id) {
  [[maybe_unused]] const unsigned number = starts.class_of(id);
  return ((number == Classes) || ...);
}
/// Whether two objects, which are there, are of one class.
template <class Starts>
IKRA_HD constexpr bool are_of_one_class([[maybe_unused]] const Starts& starts, object_id a,
                                        object_id b) {
  return starts.class_of(a) == starts.class_of(b);
}

/// Values are copied as bytes: a class may have an assignment of its own, which the program calls
/// where it assigns, and which devices need not have.
template <class T> IKRA_HD inline void put_value(T& ref, const T& now) {
  if constexpr (std::is_trivially_copy_assignable_v<T>)
    ref = now;
  else
    ::new (static_cast<void*>(&ref)) T(now);
}
/// Stores `now` unless its bits are those of `before`: an unchanged member costs no memory traffic.
template <class T> IKRA_HD inline void store_changed(T& ref, const T& now, const T& before) {
  static_assert(std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T>);
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    bits a, b;
    memcpy(&a, &now, sizeof a);
    memcpy(&b, &before, sizeof b);
    if (a != b)
      put_value(ref, now);
  } else {
    const auto* a = reinterpret_cast<const unsigned char*>(&now);
    const auto* b = reinterpret_cast<const unsigned char*>(&before);
    bool changed = false;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      changed |= a[i] != b[i];
    if (changed)
      put_value(ref, now);
  }
}
/// The same for a member that was assigned in any case. A GPU compares all the same; a host does
/// not, since its loops are vectorised where stores do not depend on what they store.
template <class T> IKRA_HD inline void store_written(T& ref, const T& now, const T& before) {
#ifdef __CUDA_ARCH__
  store_changed(ref, now, before);
#else
  static_cast<void>(before);
  put_value(ref, now);
#endif
}

} // namespace ikra
