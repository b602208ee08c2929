// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of functions on arrays, as both files of the program use it.
#pragma once

#include <cstdio>
#include <functional>
#include <ikra/ikra.hpp>
#include <tuple>
#include <utility>
#include <vector>

template <class A, class F> auto apply(const A& a, F f) { return a.pmap(f); }
template <class A, class F> auto forwarded(const A& a, F&& f) { return a.pmap(std::forward<F>(f)); }
template <class A> auto by_reference(const A& a, const auto& f) { return a.pmap(f); }
template <class A> auto plus_one(const A& a, auto f) {
  return a.pmap([f](auto x) { return f(x) + 1; });
}

template <class F> class Filter {
public:
  explicit Filter(F f) : f_(std::move(f)) {}
  auto operator()(const ikra::array<int>& a) const { return a.pselect(f_); }

private:
  F f_;
};
template <class F> struct Stencil {
  F f;
  auto operator()(const ikra::array<int>& a) const { return a.pstencil({-1, 0, 1}, 0, f); }
};
template <class F, class G> struct Then {
  F f;
  G g;
  auto operator()(const ikra::array<int>& a) const { return g(f(a)); }
};
template <class F, class G> Then<F, G> operator|(F f, G g) { return {f, g}; }

template <class... Steps> struct Pipeline {
  std::tuple<Steps...> steps;
  template <class A> auto run(const A& a) const { return from<0>(a); }

private:
  template <int K, class A> auto from(const A& a) const {
    if constexpr (K == sizeof...(Steps))
      return a;
    else
      return from<K + 1>(a.pmap(std::get<K>(steps)));
  }
};
template <class... S> Pipeline<S...> pipeline(S... s) { return {{std::move(s)...}}; }

// Functions that make functions of functions.
template <class F, class G> auto compose(F f, G g) {
  return [f, g](auto x) { return g(f(x)); };
}
template <class F> auto over(F f) {
  return [f](const auto& a) { return a.pmap(f); };
}
template <class F, class G> auto after(F f, G g) {
  return [f, g](const auto& a) { return g(f(a)); };
}

template <class A, class F> auto applied(const A& a, F f) { return a.pmap(f); }

// Lambdas in the header: given by a function, in a variable, in an inline function, in a template.
inline auto tripler(int by) {
  return [by](int x) { return x * 3 + by; };
}
inline constexpr auto sevenfold = [](auto x) { return x * 7 + 1; };
inline auto tenfold(const ikra::array<int>& a) {
  return apply(a, [](int x) { return x * 10; });
}
template <class T> auto shifted(const ikra::array<int>& a, T by) {
  return apply(a, [by](int x) { return x + by; });
}
template <class T> auto twice_each(const ikra::array<int>& a) {
  return apply(a, [](int x) { return static_cast<T>(x) * 2; });
}

template <class A> void show(const char* name, const A& a) {
  double sum = 0;
  for (const auto& x : a)
    sum = sum * 3 + static_cast<double>(x);
  std::printf("%s: %g\n", name, sum);
}

void others(const ikra::array<int>& ints);
