// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterator of ikra::array: random access over immutable elements, which it yields by value, as the
// array's own access does. Valid as long as a handle to the array lives.
#pragma once

#include <ikra/macros_aside.hpp>

#include <compare>
#include <cstddef>
#include <iterator>

namespace ikra::detail {

template <class T> class iterator {
public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using reference = T;
  using pointer = const T*;
  using iterator_category = std::random_access_iterator_tag;

  iterator() = default;
  explicit iterator(const T* element) : element_(element) {}

  T operator*() const { return *element_; }
  const T* operator->() const { return element_; }
  T operator[](difference_type n) const { return element_[n]; }

  iterator& operator++() { return *this += 1; }
  iterator& operator--() { return *this -= 1; }
  iterator operator++(int) { return iterator(element_++); }
  iterator operator--(int) { return iterator(element_--); }
  iterator& operator+=(difference_type n) {
    element_ += n;
    return *this;
  }
  iterator& operator-=(difference_type n) { return *this += -n; }

  friend iterator operator+(iterator i, difference_type n) { return i += n; }
  friend iterator operator+(difference_type n, iterator i) { return i += n; }
  friend iterator operator-(iterator i, difference_type n) { return i -= n; }
  friend difference_type operator-(iterator a, iterator b) { return a.element_ - b.element_; }
  friend bool operator==(iterator a, iterator b) = default;
  friend auto operator<=>(iterator a, iterator b) = default;

private:
  const T* element_ = nullptr;
};

} // namespace ikra::detail

#include <ikra/macros_back.hpp>
