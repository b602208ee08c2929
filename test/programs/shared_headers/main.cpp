// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filters.hpp"

#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  const ikra::array<int> a{numbers};
  std::printf("%ld\n", of_other_file(a));
  std::printf("%d\n", scaled(a, 2).pmap([](int x) { return x % 7; }).sum());
  std::printf("%d\n", total(shifted(shifted(a, 1), 2)));
  std::printf("%d\n", series<int>(a).plus(1).plus(2).halved().sum());
  std::printf("%.1f\n", series<double>(a.pmap([](int x) { return 0.25 * x; })).halved().sum());
  ikra::array<int> steps = a;
  for (int i = 0; i < 3; ++i)
    advance(steps);
  std::printf("%d %d\n", steps[5], total(steps));
}
