// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results that are structs, which warps of a GPU store together: sizes around a warp's, rows that
// begin and end within one, borders in all places, results over their own inputs; sizes that one
// instruction stores, and that none does.
#include "value_sections.hpp"

#include <cstdint>
#include <vector>

namespace ikra_unit_values {

template <class T, int N> struct numbers {
  T of[N] = {}; // not trivial

  friend bool operator==(const numbers&, const numbers&) = default;
};

template <class T, int N> struct spread {
  IKRA_HD numbers<T, N> operator()(std::int64_t i) const {
    numbers<T, N> result;
    for (int k = 0; k < N; ++k)
      result.of[k] = static_cast<T>(i * (k + 1) % 101);
    return result;
  }
};
template <class T, int N> struct turned {
  IKRA_HD numbers<T, N> operator()(const numbers<T, N>& x) const {
    numbers<T, N> result;
    for (int k = 0; k < N; ++k)
      result.of[k] = static_cast<T>(x.of[(k + 1) % N] + x.of[0]);
    return result;
  }
};
/// Each number from another neighbour, as in lattice Boltzmann programs.
struct streamed {
  using footprint = rt::footprint<rt::extent<-1, 1>, rt::extent<-1, 1>>;
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  template <class Window> IKRA_HD numbers<float, 9> operator()(const Window& v) const {
    numbers<float, 9> result;
    for (int k = 0; k < 9; ++k)
      result.of[k] = static_cast<numbers<float, 9>>(v(k / 3 - 1, k % 3 - 1)).of[k] + 1;
    return result;
  }
};

} // namespace ikra_unit_values

using namespace ikra_unit_values;

namespace {

template <class T, int N> void check_elementwise() {
  using out = numbers<T, N>;
  for (const std::int64_t n : {0, 1, 31, 32, 33, 255, 257, 5000}) {
    INFO(n << " structs of " << sizeof(out) << " bytes");
    const auto made = ikra::pnew(n, new_section<out, 1, spread<T, N>>());
    const auto expected = ikra::pnew(n, spread<T, N>{});
    CHECK(made.to_vector() == expected.to_vector());
    // The second one may take the first one's memory.
    const auto twice = ikra::pnew(n, new_section<out, 1, spread<T, N>>())
                           .pmap(combine_section<out, turned<T, N>, out>())
                           .pmap(combine_section<out, turned<T, N>, out>());
    CHECK(twice.to_vector() == expected.pmap(turned<T, N>{}).pmap(turned<T, N>{}).to_vector());
  }
}

template <rt::border Border, class Outside> void check_stencil(const Outside& outside) {
  using cell = numbers<float, 9>;
  for (const ikra::index<2>& shape :
       {ikra::index<2>{1, 1}, {3, 40}, {45, 70}, {130, 1}, {67, 300}}) {
    INFO(shape[0] << " rows of " << shape[1]);
    const auto flat = ikra::pnew(shape.volume(), spread<float, 9>{}).to_vector();
    const ikra::array<cell, 2> cells(flat, shape);
    const auto found =
        cells.pstencil(ikra::box<1, 1>, outside,
                       stencil_section<cell, cell, streamed::footprint, Border, streamed>());
    CHECK(found.to_vector() == cells.pstencil(ikra::box<1, 1>, outside, streamed{}).to_vector());
  }
}

} // namespace

TEST_CASE("structs of all sizes are results of elementwise operations") {
  check_elementwise<float, 3>();
  check_elementwise<float, 4>();
  check_elementwise<std::int32_t, 6>();
  check_elementwise<double, 4>();
  check_elementwise<float, 9>();
  check_elementwise<double, 16>(); // 128 bytes
  check_elementwise<float, 33>();
  check_elementwise<std::uint8_t, 12>();
}

TEST_CASE("structs are results of stencils, with each border") {
  check_stencil<rt::border::wrap>(ikra::wrap);
  check_stencil<rt::border::clamp>(ikra::clamp);
  check_stencil<rt::border::keep>(ikra::keep);
  check_stencil<rt::border::value>(numbers<float, 9>{});
}
