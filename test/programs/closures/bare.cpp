// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second file: lambdas without captures, and what else programs do with lambdas that have been
// given names.
#include "library.hpp"

#include <cstdio>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

namespace {

template <class F> struct Wrapper {};
template <class W> auto with(const ikra::array<int>& a, W) {
  return a.pmap([](int x) { return x + 5; });
}
template <class... F> struct Overloaded : F... {
  using F::operator()...;
};
const auto global = [](int x) { return x * 7; };
#define APPLIED(A, F) apply(A, F)

} // namespace

void others(const ikra::array<int>& ints) {
  const ikra::array doubles{std::vector<double>{0.5, 1.25}};
  show("one", apply(ints, [](int x) { return x + 1; }));
  show("two", apply(ints, [](int x) { return x + 2; }));
  const auto named = [](int x) { return x * 2.5; };
  show("named", apply(ints, named));
  show("two in one", apply(apply(ints, [](int x) { return x + 3; }), [](int x) { return x + 4; }));
  show("plus one", plus_one(ints, [](int x) { return x * 3; }));
  show("plus one", plus_one(doubles, [](double x) { return x * 3; }));
  show("generic", plus_one(ints, [](auto x) { return x * 3; }));
  show("generic", plus_one(doubles, [](auto x) { return x * 4; }));
  show("forwarded", forwarded(ints, named));
  show("forwarded", forwarded(doubles, [](double x) { return x * 3; }));
  show("by reference", by_reference(ints, [](int x) { return x * 3; }));
  show("by reference", by_reference(doubles, sevenfold));
  const auto odd = Filter([](int x) { return x % 2 != 0; });
  show("then", (odd | Filter([](int x) { return x > 1; }))(ints));
  show("global", apply(ints, global));
  show("sevenfold", apply(ints, sevenfold));
  show("tenfold", tenfold(ints));
  show("shifted", shifted(ints, 0.25));
  std::printf("%d\n", tripler(4)(5));
  show("twice", twice_each<long>(ints));
  show("composed", apply(ints, compose([](int x) { return x + 1; }, [](int x) { return x * 3; })));
  show("composed", apply(doubles, compose([](auto x) { return x + 1; }, sevenfold)));
  show("after", after(over([](int x) { return x - 4; }), over(named))(ints));
  show("macro", APPLIED(ints, [](int x) { return x * 11; }));
  std::function<int(int)> stored = named;
  int (*pointer)(int) = global;
  const decltype(named) again = named;
  const auto overloaded = Overloaded{named, [](const char* s) { return s[0] * 1.0; }};
  std::printf("%d %d %d %g %g\n", stored(3), pointer(3), (+global)(2), overloaded(2), again(4));
  show("wrapper", with(ints, Wrapper<decltype(named)>()));
  show("wrapper", with(ints, std::make_pair(named, 3)));
  show("wrapper", with(ints, std::vector{named}));
  show("wrapper", with(ints, 3));
  show("wrapper", with(ints, &named));
  const auto calls = [&](const auto& f) { return apply(ints, f); };
  show("generic lambda", calls([](int x) { return x - 9; }));
  show("generic lambda", calls(global));
  int counted = 0;
  const auto counts = [counted](int x) mutable { return x + ++counted; };
  auto counter = counts;
  show("mutable", with(ints, counts));
  std::printf("%d %d\n", counter(1), counter(1));
}
