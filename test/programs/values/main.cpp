// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation over numbers that has a kernel, with and without index, alone and in chains.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

template <class Array> void show(const char* name, const Array& a) {
  std::printf("%s:", name);
  for (const auto x : a)
    std::printf(" %g", static_cast<double>(x));
  std::printf("\n");
}

int square(int x) { return x * x; }

// sum(p, q) of affine maps x -> p * x + q, packed: associative, but not commutative.
std::uint64_t compose(std::uint64_t f, std::uint64_t g) {
  const std::uint32_t p = static_cast<std::uint32_t>(f >> 32), q = static_cast<std::uint32_t>(f);
  const std::uint32_t r = static_cast<std::uint32_t>(g >> 32), s = static_cast<std::uint32_t>(g);
  return (static_cast<std::uint64_t>(p * r) << 32) | static_cast<std::uint32_t>(r * q + s);
}

int main() {
  const ikra::array a =
      ikra::pnew(1000, [](std::int64_t i) { return static_cast<int>(i * 7 % 31); });
  const auto b = a.pmap(square);
  const auto c = a.pmap([](int x) { return square(x) + 1; });
  const auto d = b.pcombine(c, a, [](int x, auto y, long z) { return x * y - z; });
  show("sum", d.preduce(std::plus<>{}));
  show("largest", d.preduce(ikra::max));
  const auto functions =
      a.pmap([](int x) { return (static_cast<std::uint64_t>(x + 1) << 32) | 3u; });
  std::printf("composed: %llx\n", static_cast<unsigned long long>(functions.preduce(compose)[0]));

  const auto even = a.pselect([](int x) { return x % 2 == 0; });
  const auto late = a.with_index().pselect([](int x, std::int64_t i) { return i >= 990 && x > 3; });
  std::printf("even: %zu of %zu\n", even.size(), a.size());
  show("late", late);
  show("none", a.pselect([](int x) { return x < 0; }));

  const auto m =
      ikra::pnew({3, 4}, [](ikra::index<2> i) { return static_cast<int>(i[0] * 10 + i[1]); });
  show("matrix", m);
  show("flipped",
       m.with_index().pmap([](int x, ikra::index<2> i) { return i[0] == i[1] ? -x : x; }));
  const auto cube = ikra::pnew({2, 2, 2, 2}, [](ikra::index<4> i) {
    return static_cast<std::int8_t>(i[0] * 8 + i[1] * 4 + i[2] * 2 + i[3]);
  });
  show("rank 4", cube.pmap([](std::int8_t x) { return x * 0.5; }));

  // A value computed in part before the whole chain is asked for.
  const auto first = a.pmap([](int x) { return x + 1; });
  const auto second = first.pmap([](int x) { return x * 2.5f; });
  const auto third = second.pmap([](float x) { return static_cast<int>(x); });
  show("part", ikra::array{std::vector<float>{second[10], second[999]}});
  show("whole", ikra::array{std::vector<int>{third[10], third[999], first[3]}});

  try {
    (void)a.pselect([](int x) { return x < 0; }).preduce(std::plus<>{})[0];
    std::printf("no error\n");
  } catch (const ikra::error& e) {
    std::printf("empty: %d\n", e.kind() == ikra::error_kind::empty_reduction);
  }
  return 0;
}
