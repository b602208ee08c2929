// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ikra::column_view<T>: one member of all elements of an array, seen where it lies: a random-access
// range whose values are a constant distance apart. What array::column gives. It owns nothing.
// Relies on the standard library only.
#pragma once

#include <ikra/macros_aside.hpp>

#include <compare>
#include <cstddef>
#include <iterator>
#include <span> // declares enable_view and enable_borrowed_range too; <ranges> takes a seventh of the time to read ikra.hpp

namespace ikra {

/// Values of type T in host memory, stride() bytes from one to the next. Valid as long as an array
/// that shares the elements lives; its iterators outlive it.
template <class T> class column_view {
public:
  class iterator {
  public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = const T&;
    using pointer = const T*;
    using iterator_category = std::random_access_iterator_tag;

    iterator() = default;

    const T& operator*() const { return *value(); }
    const T* operator->() const { return value(); }
    const T& operator[](difference_type n) const { return *(*this + n); }

    iterator& operator++() { return *this += 1; }
    iterator& operator--() { return *this -= 1; }
    iterator operator++(int) {
      const iterator before = *this;
      ++*this;
      return before;
    }
    iterator operator--(int) {
      const iterator before = *this;
      --*this;
      return before;
    }
    iterator& operator+=(difference_type n) {
      place_ += n;
      return *this;
    }
    iterator& operator-=(difference_type n) { return *this += -n; }

    friend iterator operator+(iterator i, difference_type n) { return i += n; }
    friend iterator operator+(difference_type n, iterator i) { return i += n; }
    friend iterator operator-(iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(const iterator& a, const iterator& b) {
      return a.place_ - b.place_;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.place_ == b.place_; }
    friend auto operator<=>(const iterator& a, const iterator& b) { return a.place_ <=> b.place_; }

  private:
    friend class column_view;
    iterator(const std::byte* first, std::ptrdiff_t stride, difference_type place)
        : first_(first), stride_(stride), place_(place) {}
    const T* value() const { return reinterpret_cast<const T*>(first_ + place_ * stride_); }

    const std::byte* first_ = nullptr;
    std::ptrdiff_t stride_ = 0;
    difference_type place_ = 0;
  };
  using value_type = T;
  using const_iterator = iterator;

  /// No values.
  column_view() = default;
  /// \param first the first value; null if there are none
  /// \param size number of values
  /// \param stride bytes from one value to the next
  column_view(const T* first, std::size_t size, std::ptrdiff_t stride)
      : first_(reinterpret_cast<const std::byte*>(first)), size_(size), stride_(stride) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// The first value; null if there are none.
  const T* data() const { return reinterpret_cast<const T*>(first_); }
  /// Bytes from one value to the next.
  std::ptrdiff_t stride() const { return stride_; }

  /// The i-th value, i < size() (not checked).
  const T& operator[](std::size_t i) const { return begin()[static_cast<std::ptrdiff_t>(i)]; }

  iterator begin() const { return {first_, stride_, 0}; }
  iterator end() const { return {first_, stride_, static_cast<std::ptrdiff_t>(size_)}; }

private:
  const std::byte* first_ = nullptr;
  std::size_t size_ = 0;
  std::ptrdiff_t stride_ = 0;
};

} // namespace ikra

template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<ikra::column_view<T>> = true;
template <class T> inline constexpr bool std::ranges::enable_view<ikra::column_view<T>> = true;

#include <ikra/macros_back.hpp>
