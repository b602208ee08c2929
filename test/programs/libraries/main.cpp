// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of small functions, templates and classes over arrays, each called in several places:
// what is fused depends on the way through the calls.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace library {

template <class T> ikra::array<T> scaled(const ikra::array<T>& a, T k) {
  return a.pmap([k](T x) { return static_cast<T>(x * k); });
}
template <class T> ikra::array<T> shifted(const ikra::array<T>& a, T k) {
  return a.pmap([k](T x) { return static_cast<T>(x + k); });
}
template <class T, class U> auto product(const ikra::array<T>& a, const ikra::array<U>& b) {
  return a.pcombine(b, [](T x, U y) { return x * y; });
}
template <class T> ikra::array<T> smoothed(const ikra::array<T>& a) {
  return a.pstencil({-1, 0, 1}, T(1),
                    [](auto v) { return static_cast<T>(v[-1] + 2 * v[0] + v[1]); });
}
template <class T> T total(const ikra::array<T>& a) { return a.sum(); }
template <class T> std::size_t above(const ikra::array<T>& a, T k) {
  return a.count([k](T x) { return x > k; });
}

// Keeps an array, and gives further ones.
template <class T> class series {
public:
  explicit series(ikra::array<T> values) : values_(std::move(values)) {}
  series plus(T k) const { return series(shifted(values_, k)); }
  series times(T k) const { return series(scaled(values_, k)); }
  series times(const series& other) const { return series(product(values_, other.values_)); }
  T sum() const { return total(values_); }
  const ikra::array<T>& values() const { return values_; }

private:
  ikra::array<T> values_;
};

struct pair_of_arrays {
  ikra::array<int> low, high;
};
inline pair_of_arrays around(const ikra::array<int>& a, int by) {
  return {shifted(a, -by), shifted(a, by)};
}

} // namespace library

namespace {

template <class A> void print(const char* name, const A& a) {
  std::uint64_t sum = 0, place = 0;
  for (const auto x : a)
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) * (++place % 1009);
  std::printf("%s %zu %llu\n", name, a.size(), static_cast<unsigned long long>(sum));
}

// The same functions, in another order, with what is between held by variables.
int in_steps(const ikra::array<int>& a) {
  const auto first = library::shifted(a, 7);
  const auto second = library::scaled(first, 2);
  const auto third = library::shifted(second, 1);
  return library::total(third) + second[3];
}

// Twice the same array, and an array that is used twice.
void with_itself(const ikra::array<int>& a) {
  const auto once = library::scaled(a, 3);
  print("with itself", library::product(once, once));
  print("and another", library::product(once, library::shifted(once, 1)));
}

// Which function is called last is not known here.
void chosen(const ikra::array<int>& a, bool up) {
  const auto moved = up ? library::shifted(a, 100) : library::scaled(a, 100);
  print("chosen", library::shifted(moved, 1));
}

ikra::array<int> again(const ikra::array<int>& a, int times) {
  return times == 0 ? a : again(library::shifted(a, times), times - 1);
}

} // namespace

int main() {
  std::vector<int> numbers;
  for (int i = 0; i < 3000; ++i)
    numbers.push_back(i % 100 - 20);
  const ikra::array<int> a(numbers);
  const auto longs = a.pmap([](int x) { return static_cast<std::int64_t>(x) * x; });

  std::printf("%d\n", library::total(library::shifted(library::scaled(a, 3), 1)));
  std::printf("%d\n", library::total(library::scaled(library::shifted(a, 1), 3)));
  std::printf("%lld\n",
              static_cast<long long>(library::total(library::scaled(longs, std::int64_t(3)))));
  std::printf("%zu\n",
              library::above(library::shifted(library::product(a, library::scaled(a, 2)), 5), 900));
  print("smoothed", library::smoothed(library::scaled(library::smoothed(a), 2)));
  print("smooth", library::scaled(library::smoothed(library::shifted(a, 4)), 5));

  const library::series<int> s(a);
  std::printf("%d\n", s.plus(3).times(2).plus(1).sum());
  std::printf("%d\n", s.times(s.plus(2)).times(s).sum());
  print("series", s.plus(1).times(s.times(5)).values());
  const auto kept = s.plus(11);
  std::printf("%d %d\n", kept.times(2).sum(), kept.plus(1).times(kept).sum());

  const auto [low, high] = library::around(a, 20);
  print("between", library::product(low, high));
  const library::pair_of_arrays both = library::around(library::scaled(a, 2), 3);
  print("both", library::product(both.high, both.low));

  std::printf("%d\n", in_steps(a));
  with_itself(a);
  chosen(a, true);
  chosen(a, false);
  print("again", again(a, 5));
  const auto quieter = [&](const ikra::array<int>& b) { return library::scaled(b, 2); };
  print("lambda", library::shifted(quieter(a), 9));
  auto x = library::scaled(a, 2);
  for (int i = 0; i < 5; ++i)
    x = library::shifted(x, i);
  print("loop", x);
}
