// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections in templates whose parameters have no name: `auto`, packs of them, generic lambdas, what
// only constrains.
#include <concepts>
#include <cstdio>
#include <ikra/ikra.hpp>
#include <type_traits>
#include <vector>

auto doubled(const auto& a) {
  return a.pmap([](auto x) { return x + x; });
}
template <class T> auto scaled(const ikra::array<T>& a, std::integral auto n, auto... more) {
  const auto sum = (n + ... + more);
  return a.pmap([sum](T x) { return x * sum; });
}
template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
auto halved(const ikra::array<T>& a) {
  return a.pmap([](T x) { return x / 2; });
}
template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
auto halved(const ikra::array<T>& a) {
  return a.pmap([](T x) { return x >> 1; });
}
template <class T, class = void> struct Kind {
  static auto of(const ikra::array<T>& a) {
    return a.pmap([](T x) { return x + 1; });
  }
};
// Calls from templates.
auto both(auto&& a, const auto by) { return doubled(scaled(a, by)); }
struct Scale {
  int by = 2;
  auto run(const auto& a, auto offset) const {
    return a.pmap([k = by, offset](auto x) { return x * k + offset; });
  }
  template <class T> friend auto operator|(const ikra::array<T>& a, Scale s) { return s.run(a, 1); }
};
template <class A> void show(const char* name, const A& a) {
  double sum = 0;
  for (const auto& x : a)
    sum = sum * 3 + static_cast<double>(x);
  std::printf("%s: %g\n", name, sum);
}
int main() {
  const ikra::array ints{std::vector<int>{1, 2, 3}};
  const ikra::array doubles{std::vector<double>{0.5, 1.25}};
  show("doubled ints", doubled(ints));
  show("doubled doubles", doubled(doubles));
  show("scaled", scaled(ints, 3));
  show("scaled by more", scaled(ints, 3, 4L, 'a'));
  show("scaled doubles", scaled(doubles, short(3), 1.5));
  show("halved", halved(ints));
  show("halved doubles", halved(doubles));
  show("kind", Kind<int>::of(ints));
  show("kind of long", Kind<double>::of(doubles));
  show("both", both(ints, 2));
  show("both", both(doubles, 3L));
  show("both", both(ikra::array{std::vector<int>{4, 5}}, 3L));
  const auto shifted = [](const auto& a, auto k) { return a.pmap([k](auto x) { return x + k; }); };
  show("shifted", shifted(ints, 2));
  show("shifted", shifted(ints, 2.5));
  show("shifted", shifted(doubles, 2));
  show("piped", ints | Scale{});
  show("piped", doubles | Scale{5});
  show("run", Scale{7}.run(ints, 0.25));
  const int outer = 3;
  const auto nested = [=](const auto& a) {
    return [=](auto by) { return a.pmap([=](auto x) { return x * by + outer; }); };
  };
  show("nested", nested(ints)(2));
  show("nested", nested(doubles)(2.5));
}
