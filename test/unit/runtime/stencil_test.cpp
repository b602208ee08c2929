// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pstencil by generated code against the plain library: ranks, borders, shapes smaller than the
// neighbourhood, element types; and what windows read at offsets that no neighbourhood has.
#include "value_sections.hpp"

#include <array>
#include <string>

// Bodies are called with the plain library's window too, which only the host has.
#ifdef __CUDACC__
#define ANY_WINDOW _Pragma("nv_exec_check_disable")
#else
#define ANY_WINDOW
#endif

namespace ikra_unit_values {

using rt::border;

/// Every neighbour of a box with a weight of its own.
template <std::int64_t... Radius> struct weighted {
  using footprint = rt::footprint<rt::extent<-Radius, Radius>...>;
  static constexpr int rank = sizeof...(Radius);

  ANY_WINDOW template <class Window> IKRA_HD double operator()(const Window& v) const {
    constexpr ikra::index<rank> radius(Radius...);
    ikra::index<rank> offset = footprint::least();
    double sum = 0;
    for (std::int64_t weight = 1;; ++weight) {
      sum += static_cast<double>(weight) * static_cast<double>(v[offset]);
      int d = rank - 1;
      for (; d >= 0 && offset[d] == radius[d]; --d)
        offset[d] = -radius[d];
      if (d < 0)
        return sum;
      ++offset[d];
    }
  }
  ANY_WINDOW template <class Window, class SourceLoc>
  IKRA_HD double operator()(const Window& v, const SourceLoc& i) const {
    return (*this)(v) * 1000 + number(i);
  }
  IKRA_HD static double number(std::int64_t i) { return static_cast<double>(i % 997); }
  template <int R> IKRA_HD static double number(const ikra::index<R>& i) {
    double result = 0;
    for (int d = 0; d < R; ++d)
      result = result * 17 + static_cast<double>(i[d]);
    return result;
  }
};

/// To one side, and not to the place itself.
struct ahead {
  using footprint = rt::footprint<rt::extent<2, 5>>;
  ANY_WINDOW template <class Window> IKRA_HD std::int64_t operator()(const Window& v) const {
    return v[2] - std::int64_t(3) * v[5];
  }
};
struct five_points {
  using footprint = rt::footprint<rt::extent<-1, 1>, rt::extent<-1, 1>>;
  ANY_WINDOW template <class Window> IKRA_HD float operator()(const Window& v) const {
    return 0.2f * (v(-1, 0) + v(0, -1) + v(0, 0) + v(0, 1) + v(1, 0));
  }
};
/// Takes long: all cores share few places.
struct in_a_loop {
  static constexpr bool repeats = true;
  using footprint = five_points::footprint;
  ANY_WINDOW template <class Window> IKRA_HD float operator()(const Window& v) const {
    float sum = 0;
    for (int k = 0; k < 300; ++k)
      sum = 0.25f * sum + (v(-1, 0) + v(0, -1) - v(0, 0) + v(0, 1) + v(1, 0));
    return sum;
  }
};
struct all_three {
  using footprint = rt::footprint<rt::extent<-1, 1>>;
  ANY_WINDOW template <class Window> IKRA_HD bool operator()(const Window& v) const {
    return v[-1] && v[0] && v[1];
  }
};
enum class shade : std::uint8_t { dark, grey, bright };
struct brighter {
  using footprint = rt::footprint<rt::extent<0, 1>>;
  ANY_WINDOW template <class Window> IKRA_HD shade operator()(const Window& v) const {
    const auto a = static_cast<shade>(v[0]), b = static_cast<shade>(v[1]);
    return a < b ? b : a;
  }
};
/// Reads far away on purpose.
struct astray {
  using footprint = rt::footprint<rt::extent<-1, 1>>;
  ANY_WINDOW template <class Window> IKRA_HD int operator()(const Window& v) const {
    return v[-1000000] + v[1000000];
  }
};

} // namespace ikra_unit_values

using namespace ikra_unit_values;

namespace {

template <border Border> constexpr auto outside() {
  if constexpr (Border == border::value)
    return -7;
  else if constexpr (Border == border::keep)
    return ikra::keep;
  else if constexpr (Border == border::clamp)
    return ikra::clamp;
  else
    return ikra::wrap;
}

template <border Border, class T, std::int64_t... Radius>
void check(const ikra::index<sizeof...(Radius)>& shape) {
  using body = weighted<Radius...>;
  using footprint = typename body::footprint;
  const auto n = static_cast<std::size_t>(shape.volume());
  const ikra::array<T, body::rank> a{counted<T>(n), shape};
  const auto& near = ikra::box<static_cast<int>(Radius)...>;
  INFO("shape " << ikra::detail::to_string(shape) << ", border " << static_cast<int>(Border));
  const auto found =
      a.pstencil(near, outside<Border>(), stencil_section<T, double, footprint, Border, body>());
  REQUIRE(found.shape() == shape);
  REQUIRE(first_difference(found.to_vector(),
                           a.pstencil(near, outside<Border>(), body{}).to_vector()) == n);
  const auto indexed = a.with_index().pstencil(
      near, outside<Border>(), stencil_indexed_section<T, double, footprint, Border, body>());
  REQUIRE(first_difference(indexed.to_vector(),
                           a.with_index().pstencil(near, outside<Border>(), body{}).to_vector()) ==
          n);
}

template <class T, std::int64_t... Radius>
void check_borders(const ikra::index<sizeof...(Radius)>& shape) {
  check<border::value, T, Radius...>(shape);
  check<border::keep, T, Radius...>(shape);
  check<border::clamp, T, Radius...>(shape);
  check<border::wrap, T, Radius...>(shape);
}

} // namespace

TEST_CASE("stencils in rank 1: all sizes around a thread's and a block's elements") {
  const threads many(GENERATE(1, 3));
  check_borders<float, 1>({0});
  for (const std::size_t n : sizes())
    check_borders<float, 1>({n});
  for (const int n : {1, 2, 6, 7, 8, 5000})
    check_borders<std::int8_t, 3>({n});
}

TEST_CASE("stencils in rank 2: rows that end within a thread's elements, arrays narrower than the "
          "neighbourhood") {
  const threads many(GENERATE(1, 3));
  for (const int height : {0, 1, 2, 3, 4, 5, 8, 9, 67})
    for (const int width : {0, 1, 2, 3, 33, 301})
      check_borders<std::int32_t, 1, 1>({height, width});
  check_borders<double, 0, 2>({40, 100});
  check_borders<std::int32_t, 1, 1>({3, 5000});
  check_borders<std::int32_t, 1, 1>({5000, 3});
}

TEST_CASE("stencils in ranks 3 and 4") {
  const threads many(GENERATE(1, 3));
  for (const int depth : {1, 2, 3, 9})
    check_borders<std::int16_t, 1, 1, 1>({depth, 6, 131});
  for (const int length : {1, 4})
    check_borders<std::uint8_t, 1, 0, 1, 1>({length, 5, 6, 70});
}

TEST_CASE("neighbourhoods to one side") {
  for (const std::size_t n : {0U, 1U, 4U, 5U, 6U, 3000U}) {
    const ikra::array a{counted<std::int32_t>(n)};
    const auto run = [&](auto section, const auto& border) {
      return a.pstencil({2, 5}, border, section).to_vector();
    };
    using T = std::int64_t;
    using I = std::int32_t;
    CHECK(run(stencil_section<I, T, ahead::footprint, border::value, ahead>(), 9) ==
          run(ahead{}, 9));
    CHECK(run(stencil_section<I, T, ahead::footprint, border::keep, ahead>(), ikra::keep) ==
          run(ahead{}, ikra::keep));
    CHECK(run(stencil_section<I, T, ahead::footprint, border::wrap, ahead>(), ikra::wrap) ==
          run(ahead{}, ikra::wrap));
  }
}

TEST_CASE("windows are read with one number a dimension, and floats are the plain library's") {
  const ikra::array<float, 2> image{counted<float>(70 * 300), {70, 300}};
  const auto run = [&](auto section) {
    return image.pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, 0.5, section).to_vector();
  };
  CHECK(run(stencil_section<float, float, five_points::footprint, border::value, five_points>()) ==
        run(five_points{}));
}

TEST_CASE("few places that take long") {
  const ikra::array<float, 2> image{counted<float>(30 * 41), {30, 41}};
  const auto run = [&](auto section) {
    return image.pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, ikra::clamp, section)
        .to_vector();
  };
  CHECK(run(stencil_section<float, float, in_a_loop::footprint, border::clamp, in_a_loop>()) ==
        run(in_a_loop{}));
}

TEST_CASE("stencils over bools and enumerations") {
  std::vector<bool> flags;
  std::vector<shade> shades;
  for (const std::uint32_t bits : scattered(3001)) {
    flags.push_back(bits % 4 != 0);
    shades.push_back(static_cast<shade>(bits % 3));
  }
  const ikra::array a{flags};
  CHECK(a.pstencil({-1, 0, 1}, true,
                   stencil_section<bool, bool, all_three::footprint, border::value, all_three>())
            .to_vector() == a.pstencil({-1, 0, 1}, true, all_three{}).to_vector());
  const ikra::array b{shades};
  CHECK(b.pstencil({0, 1}, shade::grey,
                   stencil_section<shade, shade, brighter::footprint, border::value, brighter>())
            .to_vector() == b.pstencil({0, 1}, shade::grey, brighter{}).to_vector());
  CHECK(b.pstencil({0, 1}, ikra::keep,
                   stencil_section<shade, shade, brighter::footprint, border::keep, brighter>())
            .to_vector() == b.pstencil({0, 1}, ikra::keep, brighter{}).to_vector());
}

TEST_CASE("an offset that no neighbourhood has reads the nearest neighbour, never outside") {
  const ikra::array a{std::vector<int>{1, 2, 4, 8, 16}};
  const auto run = [&](auto section, const auto& border) {
    return a.pstencil({-1, 0, 1}, border, section).to_vector();
  };
  CHECK(run(stencil_section<int, int, astray::footprint, border::value, astray>(), 0) ==
        std::vector<int>{0, 5, 10, 20, 0});
  CHECK(run(stencil_section<int, int, astray::footprint, border::clamp, astray>(), ikra::clamp) ==
        std::vector<int>{3, 5, 10, 20, 24});
}

TEST_CASE("a stencil follows a selection, whose size is not known before") {
  const ikra::array a{counted<std::int32_t>(5000)};
  const auto odd = a.pselect([](std::int32_t x) { return x % 2 == 1; });
  using body = weighted<1>;
  CHECK(odd.pstencil({-1, 0, 1}, 0,
                     stencil_section<std::int32_t, double, body::footprint, border::value, body>())
            .to_vector() == odd.pstencil({-1, 0, 1}, 0, body{}).to_vector());
}

namespace ikra_unit_values {

/// Stencils of stencils as emitted: each in front of, or after, the one with another border.
template <class Inner, border InnerBorder, class Outer, border OuterBorder> struct nested {
  static constexpr int rank = Inner::rank;
  Inner inner;
  Outer outer;
  double inner_outside, outer_outside;

  IKRA_HD auto element_1(const auto& spot) const {
    return rt::stencil_at<double, typename Inner::footprint, InnerBorder, true>(
        spot, inner, inner_outside,
        [](const auto& near) { return near.template element<0>() * 2; });
  }
  IKRA_HD auto operator()(const auto& spot) const {
    return rt::stencil_at<double, typename Outer::footprint, OuterBorder, false>(
               spot, outer, outer_outside,
               [this](const auto& near) { return this->element_1(near); }) +
           spot.template element<1>();
  }
};

} // namespace ikra_unit_values

namespace {

/// A kernel of stencils, called as a driver calls it, against operations of the plain library.
template <border InnerBorder, border OuterBorder, class Footprint, class Inner, class Outer, int R,
          class InnerBox, class OuterBox>
void check_nested(const ikra::index<R>& shape, const InnerBox& inner_box,
                  const OuterBox& outer_box) {
  using body = nested<Inner, InnerBorder, Outer, OuterBorder>;
  INFO("shape " << ikra::detail::to_string(shape) << ", borders " << static_cast<int>(InnerBorder)
                << " and " << static_cast<int>(OuterBorder));
  const auto n = static_cast<std::size_t>(shape.volume());
  const std::vector<double> first = counted<double>(n);
  const std::vector<float> second = counted<float>(n);
  std::vector<double> found(n);
  rt::host_stencil<Footprint>(body{{}, {}, -7, -7}, shape, found.data(), first.data(),
                              second.data());
  const ikra::array<double, R> a{first, shape};
  const ikra::array<float, R> b{second, shape};
  const auto expected =
      a.pmap([](double x) { return x * 2; })
          .with_index()
          .pstencil(inner_box, outside<InnerBorder>(), Inner{})
          .pstencil(outer_box, outside<OuterBorder>(), Outer{})
          .pcombine(b, [](double x, float y) { return x + static_cast<double>(y); });
  REQUIRE(first_difference(found, expected.to_vector()) == n);
}

template <class Footprint, class Inner, class Outer, int R, class InnerBox, class OuterBox>
void check_nested_borders(const ikra::index<R>& shape, const InnerBox& inner_box,
                          const OuterBox& outer_box) {
  const auto with_inner = [&]<border Inside>(std::integral_constant<border, Inside>) {
    const auto with_outer = [&]<border Outside>(std::integral_constant<border, Outside>) {
      check_nested<Inside, Outside, Footprint, Inner, Outer>(shape, inner_box, outer_box);
    };
    with_outer(std::integral_constant<border, border::value>());
    with_outer(std::integral_constant<border, border::keep>());
    with_outer(std::integral_constant<border, border::clamp>());
    with_outer(std::integral_constant<border, border::wrap>());
  };
  with_inner(std::integral_constant<border, border::value>());
  with_inner(std::integral_constant<border, border::keep>());
  with_inner(std::integral_constant<border, border::clamp>());
  with_inner(std::integral_constant<border, border::wrap>());
}

} // namespace

TEST_CASE("stencils of stencils in one kernel: all pairs of borders, ranks 1 to 4, shapes smaller "
          "than the neighbourhoods") {
  using rt::extent;
  using rt::footprint;
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 200})
    check_nested_borders<footprint<extent<-3, 3>>, weighted<1>, weighted<2>>(
        ikra::index<1>(n), ikra::box<1>, ikra::box<2>);
  for (const int height : {1, 2, 3, 4, 5, 12})
    for (const int width : {1, 2, 3, 4, 5, 40})
      check_nested_borders<footprint<extent<-2, 2>, extent<-1, 1>>, weighted<1, 0>, weighted<1, 1>>(
          ikra::index<2>(height, width), ikra::box<1, 0>, ikra::box<1, 1>);
  for (const int depth : {1, 2, 3, 6})
    check_nested_borders<footprint<extent<-1, 1>, extent<0, 0>, extent<-2, 2>>, weighted<1, 0, 1>,
                         weighted<0, 0, 1>>(ikra::index<3>(depth, 2, 9), ikra::box<1, 0, 1>,
                                            ikra::box<0, 0, 1>);
  for (const int length : {1, 3, 4})
    check_nested_borders<footprint<extent<-1, 1>, extent<-1, 1>, extent<0, 0>, extent<-1, 1>>,
                         weighted<1, 0, 0, 1>, weighted<0, 1, 0, 0>>(
        ikra::index<4>(length, 3, 2, 5), ikra::box<1, 0, 0, 1>, ikra::box<0, 1, 0, 0>);
}
