// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of functions in a header that two files include: the linker keeps one file's copies.
#pragma once

#include <ikra/ikra.hpp>

#include <utility>

inline ikra::array<int> scaled(const ikra::array<int>& a, int k) {
  return a.pmap([k](int x) { return x * k; });
}

template <class T> ikra::array<T> shifted(const ikra::array<T>& a, T by) {
  return a.pmap([by](T x) { return x + by; });
}

template <class T> T total(const ikra::array<T>& a) {
  return a.preduce(T(), [](T x, T y) { return x + y; })[0];
}

inline void advance(ikra::array<int>& a) {
  a = a.pmap([](int x) { return x % 1000 * 3 + 1; });
}

template <class T> class series {
public:
  explicit series(ikra::array<T> values) : values_(std::move(values)) {}
  series plus(T by) const { return series(shifted(values_, by)); }
  series halved() const {
    return series(values_.pmap([](T x) { return static_cast<T>(x / 2); }));
  }
  T sum() const { return total(values_); }

private:
  ikra::array<T> values_;
};

/// In other.cpp.
long of_other_file(const ikra::array<int>& a);
