// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The array programs of ARRAY'17, figure 9, at shape (4, 6, 5, 3): their sums are known from
// another implementation.
#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <cstdint>

namespace {

using place = ikra::index<4>;
using cube = ikra::array<int, 4>;
constexpr place shape{4, 6, 5, 3};

struct sums {
  std::int64_t sum = 0;
  std::uint64_t wsum = 0;
  bool operator==(const sums&) const = default;
};

sums sums_of(const cube& a) {
  sums result;
  std::uint64_t i = 0;
  for (const int v : a) {
    result.sum += v;
    result.wsum += static_cast<std::uint64_t>(v) * (i++ % 1000003 + 1);
  }
  return result;
}

int at(const place& x, int d) { return static_cast<int>(x[d]); }

/// v = (v + x[d]) % m at every place.
cube add_coordinate(const cube& a, int d, int m) {
  return a.with_index().pmap([d, m](int v, place x) { return (v + at(x, d)) % m; });
}

cube new_p2() {
  return ikra::pnew(shape, [](place x) {
    const auto [a, b, c, d] = x;
    static_cast<void>(c);
    return static_cast<int>((a + b) % (d + x[b % 4] + 7));
  });
}

cube new_c() {
  return ikra::pnew(shape, [](place x) { return at(x, 2) % 133777; });
}

cube stencil_s(const cube& a) {
  return a.with_index().pstencil(
      {{-1, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {-1, -1, 0, 0}}, 37, [](auto v, place x) {
        const int n0 = v(-1, 0, 0, 0);
        const int n1 = v(0, 0, 0, 0);
        const int n2 = v(1, 0, 0, 0);
        const int n3 = v(-1, -1, 0, 0);
        const int looked_up = at(x, at(x, at(x, n2 % 4) % 4) % 4);
        return ((n0 % 938) + n1 / 97) % 97717 + (looked_up * (n3 % 7) % 99);
      });
}

} // namespace

TEST_CASE("P1: ten maps") {
  const auto add_all = [](int v, place x) {
    return (v + at(x, 0) + at(x, 1) + at(x, 2) + at(x, 3)) % 1337;
  };
  cube a = ikra::pnew(shape, [add_all](place x) { return add_all(7, x); });
  for (int i = 0; i < 10; ++i)
    a = a.with_index().pmap(add_all);
  CHECK(sums_of(a) == sums{30240, 6103470});
}

TEST_CASE("P2: ten stencils") {
  cube a = new_p2();
  for (int i = 0; i < 10; ++i)
    a = stencil_s(a);
  CHECK(sums_of(a) == sums{14726, 2710645});
}

TEST_CASE("P3: one map, 500 times") {
  cube a = new_c();
  for (int i = 0; i < 500; ++i)
    a = add_coordinate(a, 2, 13377);
  CHECK(sums_of(a) == sums{360720, 66192120});
}

TEST_CASE("P4: one stencil, 200 times") {
  cube a = new_p2();
  for (int i = 0; i < 200; ++i)
    a = stencil_s(a);
  CHECK(sums_of(a) == sums{14703, 2706457});
}

TEST_CASE("P6: five maps, 100 times") {
  cube a = new_c();
  for (int i = 0; i < 100; ++i) {
    a = add_coordinate(a, 2, 13377);
    a = add_coordinate(a, 1, 13377);
    a = add_coordinate(a, 3, 1337);
    a = add_coordinate(a, 0, 13377);
    a = add_coordinate(a, 1, 1377);
  }
  CHECK(sums_of(a) == sums{257152, 47104909});
}

TEST_CASE("P7: maps under conditions, in a host section") {
  const cube a = ikra::host_section([] {
    cube v = new_c();
    for (int r = 0; r < 200; ++r) {
      if (r % 2 == 0) {
        if (r % 3 == 0)
          v = add_coordinate(v, 3, 77689);
        else
          v = add_coordinate(v, 0, 11799);
      } else {
        v = add_coordinate(v, 2, 1337);
        v = add_coordinate(v, 2, 8888888);
      }
      v = add_coordinate(v, 2, 6678);
    }
    return v;
  });
  CHECK(sums_of(a) == sums{200226, 35011287});
}
