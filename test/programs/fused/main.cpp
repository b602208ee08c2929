// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trees of sections: diamonds, results used twice, sections with an index, arrays that are made in
// the kernel; reductions and selections at the end; what is computed in part before; shapes that
// are found to differ late.
#include "library.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

struct Cell {
  int value = 3;
  int weight = 2;
};

/// A number that tells elements, to the last bit, and their order.
template <class Array> void show(const char* name, const Array& a) {
  std::uint64_t result = a.size();
  for (const auto x : a) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof x);
    result = (result ^ bits) * 0x9e3779b97f4a7c15u;
    result ^= result >> 29;
  }
  std::printf("%s: %zu %016llx\n", name, a.size(), static_cast<unsigned long long>(result));
}

static ikra::array<int, 1> numbers(int size, int factor) {
  std::vector<int> values(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int>((i * static_cast<std::size_t>(factor)) % 1009) - 500;
  return ikra::array<int, 1>{values};
}

static void trees(int size) {
  std::printf("trees of %d\n", size);
  const auto a = numbers(size, 7919), b = numbers(size, 104729);
  show("sum of products",
       a.pmap([](int x) {
          return x / 2;
        }).pcombine(b.pmap([](int y) { return y + 3; }), a, [](int x, int y, int z) {
         return x * y - z;
       }));
  const auto half = a.pmap([](int x) { return x / 2; });
  const auto twice = half.pmap([](int x) { return x * 2L; });
  show("diamond", half.pcombine(twice, [](int x, long y) { return x - y; }));
  const auto both = half.pcombine(b, [](int x, int y) { return 0.5 * x + y; });
  show("shared twice",
       both.pcombine(both.pmap([](double x) { return x * x; }), half,
                     [](double x, double square, int y) { return square - x + y; }));
  show("index", a.with_index()
                    .pmap([](int x, std::int64_t i) { return x + static_cast<int>(i % 7); })
                    .pcombine(ikra::pnew(size, [](std::int64_t i) { return i * i % 11; }),
                              [](int x, std::int64_t y) { return x * y; }));
  const int k = 3;
  const std::vector<int> table{5, 6, 7};
  show("captures", a.pmap([k](int x) { return x * k; }).pcombine(b, [table](int x, int y) {
    return x + table[static_cast<std::size_t>((y + 500) % 3)];
  }));
  // Elements of different sizes.
  show("sizes",
       a.pmap([](int x) {
          return x > 0;
        }).pcombine(b.pmap([](int y) { return static_cast<short>(y); }), [](bool which, short y) {
         return which ? 1.0 * y : -1.0;
       }));
}

static void ends(int size) {
  std::printf("ends of %d\n", size);
  const auto a = numbers(size, 7919), b = numbers(size, 104729);
  const auto dot = a.pcombine(b, [](int x, int y) {
                      return static_cast<std::int64_t>(x) * y;
                    }).preduce([](std::int64_t x, std::int64_t y) { return x + y; });
  try {
    std::printf("dot %lld\n", static_cast<long long>(dot[0]));
  } catch (const ikra::error& e) {
    std::printf("dot: %s\n", e.what());
  }
  const auto squares = a.pmap([](int x) { return x * x; });
  if (size > 0)
    std::printf("largest square %d\n",
                squares.preduce([](int x, int y) { return x < y ? y : x; })[0]);
  if (size > 0)
    std::printf("made %ld\n", ikra::pnew(size, [](std::int64_t i) {
                                return 3 * i - 1;
                              }).pmap([](std::int64_t x) {
                                  return static_cast<long>(x) ^ 5;
                                }).preduce([](long x, long y) { return x + y; })[0]);
  // The order of elements is kept: digits as numbers to the base 10.
  if (size > 0)
    std::printf("last %d\n",
                a.pmap([](int x) { return x & 1023; }).preduce([](int, int y) { return y; })[0]);
  show("selected squares", squares.pselect([](int x) { return x % 3 == 1; }));
  show("selected sums", a.pcombine(b, [](int x, int y) { return static_cast<short>(x + y); })
                            .with_index()
                            .pselect([](short x, std::int64_t i) { return x > 0 && i % 2 == 0; }));
  show("selected places", a.with_index()
                              .pmap([](int x, std::int64_t i) { return x > 100 ? i : -1; })
                              .pselect([](std::int64_t i) { return i >= 0; })
                              .pmap([](std::int64_t i) { return i * 10; }));
}

static void higher_ranks() {
  const auto image = ikra::pnew(
      {63, 65}, [](ikra::index<2> i) { return static_cast<float>(i[0] * 3 + i[1] % 7); });
  const auto lit = library::scaled(image, 0.5f);
  show("rank 2", lit.with_index().pcombine(image, [](float x, float y, ikra::index<2> i) {
    return x - y + static_cast<float>(i[0] - i[1]);
  }));
  const auto marked = image.with_index().pmap([](float x, ikra::index<2> i) {
    return static_cast<int>(x) * 1000 + static_cast<int>(i[1]);
  });
  std::printf("rank 2 sum %d\n", marked.preduce([](int x, int y) { return x + y; })[0]);
  show("rank 2 selected", marked.pselect([](int x) { return x % 5 == 0; }));
  // The same command in another shape has another index.
  auto row = image.with_index().pmap([](float x, ikra::index<2> i) { return x * float(i[1]); });
  row = row.reshape({65, 63});
  show("reshaped",
       row.with_index().pmap([](float x, ikra::index<2> i) { return x + float(i[1]); }));
  const auto cube = ikra::pnew({14, 15, 16}, [](ikra::index<3> i) { return i[0] * 30 + i[2]; });
  show("rank 3", cube.with_index().pcombine(cube.pmap([](std::int64_t x) { return x % 4; }),
                                            [](std::int64_t x, std::int64_t y, ikra::index<3> i) {
                                              return x * y + i[1];
                                            }));
}

static void in_part() {
  const auto a = numbers(3000, 7919), b = numbers(3000, 104729);
  const auto left = a.pmap([](int x) { return x + 1; });
  const auto right = b.pmap([](int x) { return x - 1; });
  const auto sum = left.pcombine(right, [](int x, int y) { return x + y; });
  const auto end = sum.pmap([](int x) { return x * 3; });
  std::printf("in part %d", right[7]); // from here on the tree fits no more
  std::printf(" %d", end[5]);
  std::printf(" %d %d\n", sum[6], left[7]);
  auto changed = a.pmap([](int x) { return x + 5; });
  changed = b.pmap([](int x) { return x * 5; });
  show("another variable", changed.pmap([](int x) { return x - 2; }));
  show("through a function",
       library::squared_distance(a.pmap([](int x) { return 0.5 * x; }), b.pmap([](int x) {
         return 0.25 * x;
       })).pmap([](double x) { return x + 1; }));
}

static void late_shapes() {
  const auto a = numbers(3000, 7919);
  const auto odd = a.pselect([](int x) { return x % 2 != 0; });
  const auto positive = a.pselect([](int x) { return x > 0; });
  show("after selections",
       odd.pmap([](int x) { return x + 1; }).pcombine(odd, [](int x, int y) { return x * y; }));
  const auto differ =
      odd.pmap([](int x) { return x + 1; }).pcombine(positive, [](int x, int y) { return x * y; });
  try {
    std::printf("%d\n", differ[0]);
  } catch (const ikra::error& e) {
    std::printf("shapes differ: %d\n", static_cast<int>(e.kind()));
  }
}

static void objects() {
  std::vector<Cell> cells(1000);
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i].value = static_cast<int>(i * 7919 % 97);
  const auto values = ikra::objects(cells).pmap([](const Cell* c) { return c->value; });
  Cell* const first = &cells[0];
  show("objects", values.pmap([first](int x) { return x * first->weight; }));
  std::printf("sum over objects %d\n", values.preduce([](int x, int y) { return x + y; })[0]);
}

int main() {
  for (const int size : {0, 1, 5, 2049, 20011}) {
    trees(size);
    ends(size);
  }
  higher_ranks();
  in_part();
  late_shapes();
  objects();
  return 0;
}
