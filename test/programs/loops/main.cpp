// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps that follow each other in loops: any sequence of them is one kernel, unless the program
// holds what is in between.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

using cube = ikra::array<int, 3>;

template <class T, int R> void print(const char* name, const ikra::array<T, R>& a) {
  std::uint64_t sum = 0, position = 0;
  for (const T x : a)
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) * (++position % 1009);
  std::printf("%s %zu %llu\n", name, a.size(), static_cast<unsigned long long>(sum));
}

int at(const ikra::index<3>& place, int d) { return static_cast<int>(place[d]); }

// The same section with other captures each time.
cube add_coordinate(const cube& a, int d, int m) {
  return a.with_index().pmap(
      [d, m](int v, ikra::index<3> place) { return (v + at(place, d)) % m; });
}

void one_section() {
  auto v = ikra::pnew({20, 30, 12}, [](ikra::index<3> place) { return at(place, 1) % 377; });
  for (int r = 0; r < 50; ++r)
    v = v.with_index().pmap([](int x, ikra::index<3> place) { return (x + at(place, 1)) % 1337; });
  print("one section", v);
}

void any_sequence(int rounds) {
  ikra::array<int, 1> v{std::vector<int>(5003, 3)};
  for (int r = 0; r < rounds; ++r) {
    if (r % 2 == 0) {
      if (r % 3 == 0)
        v = v.with_index().pmap([](int x, std::int64_t i) { return (x + int(i)) % 77689; });
      else
        v = v.pmap([r](int x) { return (x + r) % 11799; });
    } else {
      v = v.pmap([](int x) { return x * 3 % 1337; }).pmap([](int x) { return x - 5; });
    }
  }
  print("any sequence", v);
}

void through_functions() {
  cube v = ikra::pnew({7, 11, 13}, [](ikra::index<3> place) { return at(place, 0); });
  for (int r = 0; r < 40; ++r) { // more sets of captures than one launch takes
    v = add_coordinate(v, r % 3, 1000 + r);
    v = add_coordinate(v, 2, 77);
  }
  print("through functions", v);
}

void kept() {
  std::vector<ikra::array<int, 1>> history;
  ikra::array<int, 1> v{std::vector<int>{1, 2, 3, 4}};
  for (int r = 0; r < 20; ++r) {
    v = v.pmap([](int x) { return x * 2 + 1; });
    if (r % 4 == 3)
      history.push_back(v);
  }
  print("last", v);
  for (const auto& a : history)
    print("kept", a);
}

void two_variables() {
  ikra::array<unsigned, 1> a{std::vector<unsigned>(3000, 1)}, b{std::vector<unsigned>(3000, 7)};
  for (int r = 0; r < 9; ++r) {
    const auto old = a;
    a = b.pmap([](unsigned x) { return x * 3 + 1; });
    b = old.with_index().pmap([](unsigned x, std::int64_t i) { return x + unsigned(i); });
  }
  print("a", a);
  print("b", b);
}

void of_a_selection() {
  ikra::array<int, 1> v{std::vector<int>(4000, 5)};
  v = v.with_index().pselect([](int, std::int64_t i) { return i % 3 == 0; });
  for (int r = 0; r < 5; ++r)
    v = v.with_index().pmap([](int x, std::int64_t i) { return x + int(i % 10); });
  print("of a selection", v);
  auto none = v.pselect([](int x) { return x < 0; });
  for (int r = 0; r < 5; ++r)
    none = none.pmap([](int x) { return x + 1; });
  print("of nothing", none);
}

void reshaped() {
  ikra::array<int, 2> v{std::vector<int>(600, 2), {20, 30}};
  for (int r = 0; r < 6; ++r) {
    v = v.with_index().pmap(
        [](int x, ikra::index<2> place) { return x * 2 % 1009 + int(place[0]); });
    v = v.reshape({v.shape()[1], v.shape()[0]});
  }
  print("reshaped", v);
}

void other_types() {
  ikra::array<bool, 1> flags{std::vector<bool>(70, true)};
  ikra::array<double, 1> numbers{std::vector<double>(70, 1.5)};
  for (int r = 0; r < 3; ++r) {
    flags = flags.with_index().pmap([](bool x, std::int64_t i) { return x != (i % 3 == 1); });
    numbers = numbers.pmap([r](double x) { return x * 0.5 + r; });
  }
  print("flags", flags);
  print("numbers", numbers.pmap([](double x) { return std::int64_t(x * 1024); }));
}

// Classes and containers: no loop kernels, the same answers.
void of_classes() {
  ikra::array<std::pair<int, unsigned>, 1> v{
      std::vector<std::pair<int, unsigned>>(3001, std::pair<int, unsigned>(1, 2))};
  ikra::array<int, 1> w{std::vector<int>(3001, 1)};
  const std::pair<int, int> step{2, 5};
  const std::vector<int> table{4, 8, 15};
  for (int r = 0; r < 4; ++r) {
    v = v.with_index().pmap([](std::pair<int, unsigned> x, std::int64_t i) {
      return std::pair<int, unsigned>(x.first + int(i % 5), x.second * 3);
    });
    w = w.pmap([step](int x) { return x * step.first % step.second; });
    w = w.pmap([table](int x) { return x + table[static_cast<std::size_t>(x) % 3]; });
  }
  print("pairs", v.pmap([](std::pair<int, unsigned> x) { return x.first + int(x.second); }));
  print("of a pair", w);
}

void many() { // more steps than one launch takes
  ikra::array<std::uint64_t, 1> v{std::vector<std::uint64_t>(100, 1)};
  for (int r = 0; r < 2500; ++r)
    v = v.pmap([](std::uint64_t x) { return x * 6364136223846793005u + 1442695040888963407u; });
  std::printf("many %llu\n", static_cast<unsigned long long>(v[7]));
}

} // namespace

int main() {
  one_section();
  for (const int rounds : {0, 1, 2, 13, 200})
    any_sequence(rounds);
  through_functions();
  kept();
  two_variables();
  of_a_selection();
  reshaped();
  other_types();
  of_classes();
  many();
}
