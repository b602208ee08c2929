// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcombine and pnew by generated code against the plain library, with and without index, and the
// arithmetic from positions to indices.
#include "value_sections.hpp"

namespace ikra_unit_values {

struct sum_of_all {
  template <class... T> IKRA_HD double operator()(T... x) const {
    return (static_cast<double>(x) + ...);
  }
};
struct saxpy {
  IKRA_HD float operator()(float x, float y) const { return 2.5f * x + y; }
};
struct choose {
  IKRA_HD std::int8_t operator()(bool which, std::int8_t x, double y) const {
    return which ? x : static_cast<std::int8_t>(y);
  }
};
struct is_less {
  IKRA_HD bool operator()(std::int64_t x, std::int8_t y) const { return x < y; }
};
/// Every coordinate in its own decimal places, and the elements.
struct mark {
  template <int R> IKRA_HD std::int64_t number(ikra::index<R> i) const {
    std::int64_t result = 0;
    for (int d = 0; d < R; ++d)
      result = 10000 * result + i[d];
    return result;
  }
  IKRA_HD std::int64_t number(std::int64_t i) const { return i; }
  template <class Position> IKRA_HD std::int64_t operator()(Position i) const { return number(i); }
  template <class SourceLoc>
  IKRA_HD std::int64_t operator()(std::int32_t x, std::int8_t y, SourceLoc i) const {
    return number(i) * 1000 + x * y;
  }
};
struct parity {
  template <class SourceLoc> IKRA_HD std::uint8_t operator()(SourceLoc i) const {
    return static_cast<std::uint8_t>(mark{}(i) % 251);
  }
};
struct triple {
  std::int32_t a, b, c;
  friend bool operator==(const triple&, const triple&) = default;
};
struct make_triple {
  IKRA_HD triple operator()(std::int32_t a, std::int32_t b) const { return {a, b, a * b}; }
};

/// What does not fit beside a command, nor lies on any address.
struct alignas(64) table {
  float of[32];
};
struct look_up {
  table values;
  float first;
  IKRA_HD float operator()(float x) const { return values.of[static_cast<int>(x) % 32] + first; }
};
struct looking_up;

} // namespace ikra_unit_values

template <> struct ikra::section_code<ikra_unit_values::looking_up> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.map_values<float, float>(ikra_unit_values::look_up{call.capture<ikra_unit_values::table>(0),
                                                         call.capture<ikra::array<float>>(1)[0]});
    s.finish();
  }
};

using namespace ikra_unit_values;

namespace {

/// with_index().pcombine and pnew in one shape, elements and bytes.
template <int R> void check_places(const ikra::index<R>& shape) {
  const auto n = static_cast<std::size_t>(shape.volume());
  const ikra::array<std::int32_t, R> x{counted<std::int32_t>(n), shape};
  const ikra::array<std::int8_t, R> y{counted<std::int8_t>(n), shape};
  INFO("shape " << ikra::detail::to_string(shape));
  const auto found =
      x.with_index()
          .pcombine(y, combine_indexed_section<std::int64_t, R, mark, std::int32_t, std::int8_t>())
          .to_vector();
  REQUIRE(first_difference(found, x.with_index().pcombine(y, mark{}).to_vector()) == n);
  const auto numbers = ikra::pnew(shape, new_section<std::int64_t, R, mark>());
  REQUIRE(numbers.shape() == shape);
  REQUIRE(first_difference(numbers.to_vector(), ikra::pnew(shape, mark{}).to_vector()) == n);
  const auto bytes = ikra::pnew(shape, new_section<std::uint8_t, R, parity>()).to_vector();
  REQUIRE(first_difference(bytes, ikra::pnew(shape, parity{}).to_vector()) == n);
}

template <class Index> void check_divider(Index by) {
  const rt::divider<Index> d(by);
  const Index largest = static_cast<Index>(-1);
  for (const Index base : {Index(0), by, static_cast<Index>(largest / 2), largest,
                           static_cast<Index>(largest / by * by), static_cast<Index>(by * 7)})
    for (Index step = 0; step < 3; ++step)
      for (const Index n : {static_cast<Index>(base + step), static_cast<Index>(base - step)})
        if (d.quotient(n) != n / by)
          FAIL(n << " / " << by << " gave " << d.quotient(n));
}

} // namespace

TEST_CASE("arrays of several element types are combined, of all sizes around a thread's 16 bytes") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : sizes()) {
    const ikra::array x{counted<std::int8_t>(n)};
    const ikra::array y{counted<double>(n)};
    const ikra::array z{scattered(n)};
    const auto found =
        x.pcombine(y, z, combine_section<double, sum_of_all, std::int8_t, double, std::uint32_t>())
            .to_vector();
    REQUIRE(first_difference(found, x.pcombine(y, z, sum_of_all{}).to_vector()) == n);
  }
}

TEST_CASE("coordinates of 2^31 and more are counted as others are") {
  constexpr std::int64_t edge = std::int64_t(1) << 31;
  const auto check = []<int R>(const ikra::index<R>& shape, std::uint64_t begin) {
    const std::uint64_t end = begin + 6;
    std::vector<ikra::index<R>> found;
    rt::for_row_starts<R>(
        shape, begin, end,
        [&](std::uint64_t first, std::int64_t rows, std::int32_t length, const auto& start) {
          CHECK(first == begin + found.size());
          for (std::int64_t r = 0; r < rows; ++r)
            for (std::int32_t k = 0; k < length; ++k)
              rt::call_at([&](const auto& place) { found.push_back(ikra::index<R>(place)); },
                          start.row(r), k);
        });
    REQUIRE(found.size() == end - begin);
    for (std::uint64_t i = 0; i < found.size(); ++i)
      CHECK(ikra::detail::position(shape, found[i]) == static_cast<std::int64_t>(begin + i));
  };
  for (const std::int64_t begin : {edge - 6, edge - 5, edge - 3, edge, edge + 1}) {
    check(ikra::index<1>(2 * edge), static_cast<std::uint64_t>(begin));
    check(ikra::index<2>(2, 2 * edge), static_cast<std::uint64_t>(begin));
    check(ikra::index<3>(2 * edge, 1, 3), static_cast<std::uint64_t>(3 * begin));
  }
}

TEST_CASE("bools go in and come out") {
  std::vector<bool> flags;
  for (const std::uint32_t bits : scattered(10007))
    flags.push_back(bits % 2 == 0);
  const ikra::array which{flags};
  const ikra::array x{counted<std::int8_t>(flags.size())};
  const ikra::array y{std::vector<double>(flags.size(), -3.5)};
  const auto chosen =
      which.pcombine(x, y, combine_section<std::int8_t, choose, bool, std::int8_t, double>());
  CHECK(chosen.to_vector() == which.pcombine(x, y, choose{}).to_vector());
  const ikra::array wide{counted<std::int64_t>(flags.size())};
  CHECK(wide.pcombine(chosen, combine_section<bool, is_less, std::int64_t, std::int8_t>())
            .to_vector() == wide.pcombine(chosen, is_less{}).to_vector());
}

TEST_CASE("results may be structs of a size that is no power of two") {
  const ikra::array x{counted<std::int32_t>(1001)};
  const auto triples =
      x.pcombine(x, combine_section<triple, make_triple, std::int32_t, std::int32_t>()).to_vector();
  CHECK(first_difference(triples, x.pcombine(x, make_triple{}).to_vector()) == 1001);
}

TEST_CASE("many floats on several threads") {
  const threads many(4);
  std::vector<float> x, y;
  for (const std::uint32_t bits : scattered(1000003)) {
    x.push_back(static_cast<float>(bits % 1000));
    y.push_back(static_cast<float>(bits / 1000));
  }
  const auto found = ikra::array{x}
                         .pcombine(ikra::array{y}, combine_section<float, saxpy, float, float>())
                         .to_vector();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (found[i] != 2.5f * x[i] + y[i])
      FAIL("element " << i << " is " << found[i]);
}

TEST_CASE("combined and new arrays see the index of rank 1 to 4") {
  const threads many(GENERATE(1, 3));
  for (const std::size_t n : sizes())
    check_places(ikra::index<1>(n));
  for (const int inner : {1, 2, 3, 7, 16, 33, 100, 5000}) {
    check_places(ikra::index{1, inner});
    check_places(ikra::index{37, inner});
    check_places(ikra::index{5, 7, inner});
    check_places(ikra::index{3, inner, 4});
    check_places(ikra::index{2, 3, 5, inner});
    check_places(ikra::index{2, inner, 1, 6});
  }
}

TEST_CASE("arrays without places") {
  check_places(ikra::index{0});
  check_places(ikra::index{0, 3});
  check_places(ikra::index{3, 0});
  check_places(ikra::index{2, 0, 3, 4});
}

TEST_CASE("different shapes are an error at the call, different sizes at the access") {
  const auto section = combine_section<float, saxpy, float, float>();
  const ikra::array a{std::vector<float>(10)};
  const ikra::array b{std::vector<float>(11)};
  CHECK_THROWS_AS(a.pcombine(b, section), ikra::error);
  const auto some = b.pselect([](float) { return true; });
  const auto late = a.pcombine(some, section);
  for (int i = 0; i < 2; ++i)
    try {
      late.to_vector();
      FAIL("no error");
    } catch (const ikra::error& e) {
      CHECK(e.kind() == ikra::error_kind::shape_mismatch);
    }
  CHECK(b.pcombine(some, section).size() == 11);
}

TEST_CASE("chains of combinations are computed and dropped without recursion") {
  const ikra::array one{std::vector<float>(8, 1.0f)};
  auto sum = one;
  for (int i = 0; i < 20000; ++i)
    sum = one.pcombine(sum, combine_section<float, saxpy, float, float>());
  CHECK(sum[7] == 50001.0f);
}

TEST_CASE("six arrays are combined, and given up afterwards") {
  ikra::array<double> sum;
  ikra::array<float> first{counted<float>(100)};
  {
    const auto later = first.pcombine(first, combine_section<float, saxpy, float, float>());
    sum = first.pcombine(
        later, first, later, first, later,
        combine_section<double, sum_of_all, float, float, float, float, float, float>());
  }
  const std::vector<float> x = first.to_vector();
  first = {};
  for (std::size_t i = 0; i < x.size(); ++i)
    REQUIRE(sum[i] == 3.0 * x[i] + 3.0 * (2.5 * x[i] + x[i]));
}

TEST_CASE("sections hold large values with any alignment, and arrays that are computed before") {
  table values{};
  for (int i = 0; i < 32; ++i)
    values.of[i] = static_cast<float>(3 * i);
  const ikra::array x{counted<float>(100)};
  ikra::array<float> found;
  {
    const auto later = x.pcombine(x, combine_section<float, saxpy, float, float>());
    found = x.pmap(ikra::make_section<looking_up, float(float)>(values, later));
  }
  const float first = 3.5f * x[0];
  for (std::size_t i = 0; i < 100; ++i)
    REQUIRE(found[i] == values.of[static_cast<int>(x[i]) % 32] + first);
}

TEST_CASE("division by multiplication is exact") {
  for (std::uint32_t by = 1; by < 3000; ++by)
    check_divider(by);
  for (int shift = 0; shift < 32; ++shift)
    for (const std::uint32_t offset : {0u, 1u, 0xffffffffu})
      if (const std::uint32_t by = (1u << shift) + offset; by != 0)
        check_divider(by);
  for (std::uint64_t by = 1; by < 300; ++by)
    check_divider(by);
  for (int shift = 0; shift < 64; ++shift)
    for (const std::uint64_t offset : {std::uint64_t(0), std::uint64_t(1), ~std::uint64_t(0)})
      if (const std::uint64_t by = (std::uint64_t(1) << shift) + offset; by != 0)
        check_divider(by);
}
