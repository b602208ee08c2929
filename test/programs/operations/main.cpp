// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans, sorts, views, gather, scatter, histograms, reductions by key and axis, and operators, each
// between sections that have kernels.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

template <class Array> void show(const char* name, const Array& a) {
  std::printf("%s:", name);
  for (const auto x : a)
    std::printf(" %g", static_cast<double>(x));
  std::printf("\n");
}

/// A number that tells elements and their order, for arrays that are too long to print.
template <class Array> void sum(const char* name, const Array& a) {
  std::uint64_t result = a.size();
  for (const auto x : a)
    result = result * 31 + static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  std::printf("%s: %llx\n", name, static_cast<unsigned long long>(result));
}

template <class Run> void failing(const char* name, Run run) {
  try {
    run();
    std::printf("%s: nothing was thrown\n", name);
  } catch (const ikra::error& e) {
    std::printf("%s: %d, %s\n", name, static_cast<int>(e.kind()), e.what());
  }
}

int digit(int x) { return x % 10; }

int main() {
  const ikra::array a =
      ikra::pnew(5000, [](std::int64_t i) { return static_cast<int>(i * 7919 % 5003); });
  const auto half = [](int x) { return x / 2; };

  sum("scan", a.pmap(half).pscan(std::plus<>{}).pmap([](int x) { return x ^ 1; }));
  sum("scan from", a.pscan(std::int64_t{1} << 40, std::plus<>{}));
  sum("exclusive scan", a.pscan_exclusive(0, ikra::max).pmap(half));

  sum("sorted", a.psort().pmap(half));
  sum("sorted downwards", a.psort(std::greater<>{}));
  sum("sorted by digit", a.psort_by(digit).pmap(half));

  const auto by_digit = a.psort_by(digit);
  const auto [digits, totals] = by_digit.preduce_by_key(by_digit.pmap(digit), std::plus<>{});
  show("digits", digits);
  show("totals", totals.pmap([](int x) { return x + 1; }));
  show("histogram", a.phistogram(10, digit).pmap([](std::int64_t n) { return 2 * n; }));

  const auto cube = a.slice(0, 4992).reshape({8, 12, 52});
  sum("transposed", cube.transpose().pmap(half));
  sum("turned", cube.transpose({1, 2, 0}).slice({11, 3, 0}, {2, 50, 8}, {-3, 2, 1}).pmap(half));
  sum("inner sums", cube.preduce_axis(2, std::plus<>{}).reshape({96}).pmap(half));
  sum("outer maxima", cube.preduce_axis(0, 100, ikra::max));
  sum("joined", cube.slice({0, 0, 0}, {1, 12, 52}).concatenate(cube).pmap(half));

  const auto places = ikra::pnew(4992, [](std::int64_t i) { return i * 35 % 4992; });
  sum("gathered", a.pgather(places).pmap(half));
  sum("scattered", a.slice(0, 4992).pscatter(places, 5000, -1).pmap(half));
  sum("scattered to few",
      a.slice(0, 4992).pscatter(places.pmap([](std::int64_t p) { return p % 100; }), {10, 10}));

  sum("operators", (a * 3 - half(7) + a % 5).pmap(half));
  sum("comparisons", (a < 100 || a > 4000) && !(a > 4500));
  sum("selected", (a - 2500).pselect([](int x) { return x > 0; }).slice(10, 1000, 3));

  failing("a slice outside", [&] { a.slice(0, 5001); });
  failing("a gather outside", [&] { a.pgather(a)[0]; });
  failing("bins outside", [&] { a.phistogram(5).to_vector(); });
}
