// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results over one input that are asked for together: maps with and without index, in ranks 1 and
// 2, of types of different sizes; reductions with and without a first value, whose elements do not
// commute; after sections that were computed before or not; many elements, few and none.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

using numbers = ikra::array<int>;

/// A number that tells elements, to the last bit, and their order.
static std::uint64_t add(std::uint64_t so_far, double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  so_far = (so_far ^ bits) * 0x9e3779b97f4a7c15u;
  return so_far ^ so_far >> 29;
}

static void maps(const numbers& x, int k) {
  const auto narrow = x.pmap([](int e) { return static_cast<signed char>(e); });
  const auto wide = x.with_index().pmap([k](int e, std::int64_t i) { return k * (e - i); });
  const auto real =
      x.pmap([](int e) { return e + 1; }).pcombine(x, [](int e, int f) { return 0.5 * e * f; });
  std::uint64_t result = 0;
  for (const std::int64_t e : wide)
    result = add(result, static_cast<double>(e));
  for (const signed char e : narrow)
    result = add(result, e);
  for (const double e : real)
    result = add(result, e);
  std::printf("maps %zu: %016llx\n", wide.size(), static_cast<unsigned long long>(result));
}

static void places(const ikra::array<float, 2>& x) {
  auto sums = x.with_index().pmap(
      [](float e, ikra::index<2> i) { return e + static_cast<float>(i[0] - i[1]); });
  auto signs = x.pmap([](float e) { return e < 3 ? -1 : 1; });
  std::uint64_t result = 0;
  for (std::int64_t i = 0; i < x.shape()[0]; ++i)
    result = add(result, i);
  for (const float e : sums)
    result = add(result, e);
  for (const int e : signs)
    result = add(result, e);
  std::printf("places: %016llx\n", static_cast<unsigned long long>(result));
}

static void reductions(const numbers& x) try {
  const auto least = x.preduce(ikra::min);
  const auto sum = x.pmap([](int e) { return 2LL * e; }).preduce(1000LL, std::plus<>());
  // Linear functions, one after the other: associative, not commutative.
  const auto first = x.pmap([](int e) {
                        return static_cast<unsigned>(e) & 0xff;
                      }).preduce([](unsigned, unsigned b) { return b; });
  const auto other = x.preduce([](int a, int) { return a; });
  std::printf("reductions %lld", sum.value());
  std::printf(" %d %u %d\n", least.value(), first.value(), other.value());
} catch (const ikra::error& error) {
  std::printf(" no element: %d\n", error.kind() == ikra::error_kind::empty_reduction ? 1 : 0);
}

static void shared(const numbers& x, bool before) {
  const auto squares = x.pmap([](int e) { return e * e % 1009; });
  if (before)
    std::printf("square %d\n", squares[1]);
  const auto up = squares.pmap([](int e) { return e + 7; });
  const auto down = squares.pcombine(x, [](int e, int f) { return e - f; });
  std::uint64_t result = 0;
  for (const int e : down.to_vector())
    result = add(result, e);
  for (const int e : up.to_vector())
    result = add(result, e);
  const auto most = squares.preduce(ikra::max);
  const auto sum = squares.preduce(0LL, std::plus<>());
  std::printf("shared %016llx %d %lld\n", static_cast<unsigned long long>(result), most[0], sum[0]);
}

/// Arrays and what is combined of the same elements, or of theirs; \p sum_first says which is asked
/// for first.
static void totals(const numbers& x, bool sum_first) try {
  const auto bytes = x.pmap([](int e) { return static_cast<signed char>(e); });
  const auto wide = bytes.with_index().pmap([](signed char e, std::int64_t i) { return e - i; });
  const auto sum = wide.preduce(7LL, std::plus<>());
  const auto last =
      bytes.pmap([](signed char e) { return e * 0.25; }).preduce([](double, double b) {
        return b;
      });
  const auto halves = x.pmap([](int e) { return static_cast<float>(e) / 2; });
  const auto most = halves.preduce(ikra::max);
  long long first = 0;
  if (sum_first)
    first = sum.value();
  std::uint64_t result = 0;
  for (const signed char e : bytes)
    result = add(result, e);
  for (const std::int64_t e : wide.to_vector())
    result = add(result, static_cast<double>(e));
  for (const float e : halves)
    result = add(result, e);
  std::printf("totals %016llx %lld %lld", static_cast<unsigned long long>(result), first,
              sum.value());
  std::printf(" %g %g\n", last[0], static_cast<double>(most.value()));
} catch (const ikra::error& error) {
  std::printf(" no element: %d\n", error.kind() == ikra::error_kind::empty_reduction ? 1 : 0);
}
static void totals_of(const ikra::array<float, 2>& x) {
  const auto shifted = x.with_index().pmap(
      [](float e, ikra::index<2> i) { return e - 0.5f * static_cast<float>(i[0] * i[1]); });
  const auto least = shifted.preduce(ikra::min);
  const auto first = x.preduce([](float a, float) { return a; });
  std::uint64_t result = 0;
  for (const float e : shifted)
    result = add(result, e);
  std::printf("totals of rank 2: %016llx %g %g\n", static_cast<unsigned long long>(result),
              static_cast<double>(least.value()), static_cast<double>(first.value()));
}

static numbers numbers_of(int size) {
  std::vector<int> values;
  for (int i = 0; i < size; ++i)
    values.push_back((i % 2003 * 7919 + 13) % 2003 - 400);
  return numbers(values);
}

/// Two that are asked for together, but started before: each by itself, beside the program.
static void started(const numbers& x, int k) {
  const auto more = x.pmap([k](int e) { return e * k + 1; });
  const auto squares = x.pmap([k](int e) { return e * e % (k + 2); });
  more.start();
  squares.start();
  const auto after = more.pcombine(squares, [](int a, int b) { return a ^ b; });
  std::uint64_t result = 0;
  for (const int e : squares)
    result = add(result, e);
  for (const int e : more)
    result = add(result, e);
  for (const int e : after)
    result = add(result, e);
  std::printf("started: %016llx %d\n", static_cast<unsigned long long>(result), more.ready());
}

int main() {
  for (const int size : {1, 5, 2049, 300001}) {
    const numbers x = numbers_of(size);
    maps(x, size % 7);
    reductions(x);
    totals(x, false);
    totals(x, true);
    for (int k = 0; k < 20; ++k)
      started(x, k);
    if (size > 1) {
      shared(x, false);
      shared(x, true);
    }
  }
  maps(numbers_of(0), 3);
  reductions(numbers_of(0));
  totals(numbers_of(0), true);
  // An input that is not computed yet, and one whose size is known late.
  reductions(numbers_of(5000).psort());
  maps(numbers_of(5000).pselect([](int e) { return e % 3 == 0; }), 4);
  totals(numbers_of(5000).pselect([](int e) { return e % 3 == 0; }), false);
  std::vector<float> pixels;
  for (int i = 0; i < 37 * 41; ++i)
    pixels.push_back(static_cast<float>(i % 11));
  places(ikra::array<float, 2>(pixels, {37, 41}));
  totals_of(ikra::array<float, 2>(pixels, {41, 37}));
}
