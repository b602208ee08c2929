// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterators of captured arrays: searches, sums, and loops.
#include <ikra/ikra.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <vector>

void array_iterators();
void array_iterators() {
  const ikra::array<int> cdf = ikra::pnew(9, [](std::int64_t i) { return int(i * i); });
  const std::vector<int> plain{1, 4, 9};
  auto a = ikra::pnew(50, [cdf](std::int64_t i) {
    return std::lower_bound(cdf.begin(), cdf.end(), int(i)) - cdf.begin();
  });
  auto b = ikra::pnew(50, [cdf](std::int64_t i) {
    auto it = std::upper_bound(cdf.begin(), cdf.end(), int(i));
    return it == cdf.end() ? -1 : *it;
  });
  auto c = ikra::pnew(50, [cdf](std::int64_t i) {
    auto it = std::find(cdf.begin(), cdf.end(), int(i));
    return std::distance(cdf.begin(), it) + (it != cdf.end() ? it[0] : 0);
  });
  auto d = ikra::pnew(5, [cdf](std::int64_t i) {
    int s = 0;
    for (auto it = cdf.begin() + i; it < cdf.end(); ++it)
      s += *it;
    return s + *(cdf.end() - 1) + *std::prev(cdf.end());
  });
  auto e = ikra::pnew(5, [cdf](std::int64_t i) {
    return std::accumulate(cdf.begin(), std::next(cdf.begin(), i), 0) +
           int(std::count_if(cdf.begin(), cdf.end(), [i](int x) { return x > i; }));
  });
  auto f = ikra::pnew(5, [cdf, plain](std::int64_t i) {
    auto it = cdf.begin();
    it += i;
    ++it;
    return *it + plain[0] + int(std::max_element(cdf.begin(), cdf.end()) - cdf.begin());
  });
  auto g = ikra::pnew(5, [cdf](std::int64_t i) {
    int n = 0;
    for (int x : cdf)
      n += x > i;
    return n;
  });
  for (auto x : a)
    std::printf("%d ", int(x));
  for (auto x : b)
    std::printf("%d ", x);
  for (auto x : c)
    std::printf("%d ", int(x));
  for (auto x : d)
    std::printf("%d ", x);
  for (auto x : e)
    std::printf("%d ", x);
  for (auto x : f)
    std::printf("%d ", x);
  for (auto x : g)
    std::printf("%d ", x);
  std::printf("\n");
}
