// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of operations over values share: sections as emitted code has them, one for each
// body. A body is a functor, so that the plain library runs the same one for comparison.
#pragma once

#include <catch2/catch.hpp>

#include "traced.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ikra_unit_values {

inline constexpr rt::section_info info{"values", "values.cpp", 11, 12};

// tags
template <class Out, class Body, class... In> struct combining;
template <class Out, int R, class Body, class... In> struct combining_indexed;
template <class Out, int R, class Body> struct making;
template <class In, class Out, class Footprint, rt::border Border, bool WithIndex, class Body>
struct stencilling;
template <class T, class Body> struct reducing;
template <class T, class Init, class Body> struct reducing_from;
template <class T, class Body> struct scanning;
template <class T, class Out, class Body> struct scanning_from;
template <class T, class Body> struct sorting;
template <class Key, class T, class Body> struct reducing_by_key;
template <class Key, class T, class Out, class Body> struct reducing_by_index;
template <class T, int R, class Body> struct reducing_axis;
template <class T, class Out, int R, class Body> struct reducing_axis_from;
template <class T, class Body> struct selecting;
template <class T, int R, class Body> struct selecting_indexed;

template <int R> using place = ikra::detail::section_index_t<R>;

// what is written in place of a lambda
template <class Out, class Body, class... In> auto combine_section() {
  return ikra::make_section<combining<Out, Body, In...>, Out(In...)>();
}
template <class Out, int R, class Body, class... In> auto combine_indexed_section() {
  return ikra::make_section<combining_indexed<Out, R, Body, In...>, Out(In..., place<R>)>();
}
template <class Out, int R, class Body> auto new_section() {
  return ikra::make_section<making<Out, R, Body>, Out(place<R>)>();
}
template <class In, class Out, class Footprint, rt::border Border, class Body>
auto stencil_section() {
  return ikra::make_section<stencilling<In, Out, Footprint, Border, false, Body>,
                            Out(ikra::window<In, Footprint::rank>)>();
}
template <class In, class Out, class Footprint, rt::border Border, class Body>
auto stencil_indexed_section() {
  return ikra::make_section<stencilling<In, Out, Footprint, Border, true, Body>,
                            Out(ikra::window<In, Footprint::rank>, place<Footprint::rank>)>();
}
template <class T, class Body> auto reduce_section() {
  return ikra::make_section<reducing<T, Body>, T(T, T)>();
}
template <class T, class Init, class Body> auto reduce_from_section() {
  return ikra::make_section<reducing_from<T, Init, Body>, Init(Init, Init)>();
}
template <class T, class Body> auto scan_section() {
  return ikra::make_section<scanning<T, Body>, T(T, T)>();
}
template <class T, class Out, class Body> auto scan_from_section() {
  return ikra::make_section<scanning_from<T, Out, Body>, Out(Out, Out)>();
}
template <class T, class Body> auto sort_section() {
  return ikra::make_section<sorting<T, Body>, bool(T, T)>();
}
template <class Key, class T, class Body> auto reduce_by_key_section() {
  return ikra::make_section<reducing_by_key<Key, T, Body>, T(T, T)>();
}
template <class Key, class T, class Out, class Body> auto reduce_by_index_section() {
  return ikra::make_section<reducing_by_index<Key, T, Out, Body>, Out(Out, Out)>();
}
template <class T, int R, class Body> auto reduce_axis_section() {
  return ikra::make_section<reducing_axis<T, R, Body>, T(T, T)>();
}
template <class T, class Out, int R, class Body> auto reduce_axis_from_section() {
  return ikra::make_section<reducing_axis_from<T, Out, R, Body>, Out(Out, Out)>();
}
template <class T, class Body> auto select_section() {
  return ikra::make_section<selecting<T, Body>, bool(T)>();
}
template <class T, int R, class Body> auto select_indexed_section() {
  return ikra::make_section<selecting_indexed<T, R, Body>, bool(T, place<R>)>();
}

/// Elements 0, 1, 2, … 99, 0, 1, …
template <class T> std::vector<T> counted(std::size_t n) {
  std::vector<T> result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(static_cast<T>(i % 100));
  return result;
}

/// Numbers without an order, the same in every run.
inline std::vector<std::uint32_t> scattered(std::size_t n, std::uint64_t seed = 1) {
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(ikra::random(seed, static_cast<std::int64_t>(i)).bits());
  return result;
}

/// x -> factor * x + summand, modulo 2^32, in one number; b after a. Associative, not commutative.
struct compose {
  IKRA_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    const auto factor_a = static_cast<std::uint32_t>(a >> 32),
               factor_b = static_cast<std::uint32_t>(b >> 32);
    const auto summand_a = static_cast<std::uint32_t>(a), summand_b = static_cast<std::uint32_t>(b);
    return std::uint64_t(factor_a * factor_b) << 32 |
           static_cast<std::uint32_t>(factor_b * summand_a + summand_b);
  }
};
inline std::vector<std::uint64_t> affine_maps(std::size_t n) {
  std::vector<std::uint64_t> result;
  for (const std::uint32_t bits : scattered(n))
    result.push_back(std::uint64_t(bits | 1) << 32 | (bits * 31 + 7));
  return result;
}

/// The first place where two vectors differ; their size if they do not.
template <class T> std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  REQUIRE(a.size() == b.size());
  std::size_t i = 0;
  while (i < a.size() && a[i] == b[i])
    ++i;
  return i;
}

/// Sizes around the boundaries of threads, warps, blocks, words and chunks.
inline std::vector<std::size_t> sizes() {
  return {1,    2,    3,    4,    5,    15,   16,    17,    31,    32,    33,    63,    64,
          65,   127,  128,  129,  255,  256,  257,   1023,  1024,  1025,  2047,  2048,  2049,
          4095, 4096, 4097, 8319, 8320, 8321, 16383, 16384, 16385, 16640, 33000, 100003};
}

} // namespace ikra_unit_values

template <class Out, class Body, class... In>
struct ikra::section_code<ikra_unit_values::combining<Out, Body, In...>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.combine_values<Out, In...>(Body{});
    s.finish();
  }
  static constexpr bool may_run_early = true;
};
template <class Out, int R, class Body, class... In>
struct ikra::section_code<ikra_unit_values::combining_indexed<Out, R, Body, In...>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.combine_values_indexed<Out, R, In...>(Body{});
    s.finish();
  }
};
template <class Out, int R, class Body>
struct ikra::section_code<ikra_unit_values::making<Out, R, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.new_values<Out, R>(Body{});
    s.finish();
  }
};
template <class In, class Out, class Footprint, ikra::rt::border Border, bool WithIndex, class Body>
struct ikra::section_code<
    ikra_unit_values::stencilling<In, Out, Footprint, Border, WithIndex, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    if constexpr (WithIndex)
      s.stencil_values_indexed<In, Out, Footprint, Border>(Body{});
    else
      s.stencil_values<In, Out, Footprint, Border>(Body{});
    s.finish();
  }
};
template <class T, class Body> struct ikra::section_code<ikra_unit_values::reducing<T, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.reduce_values<T>(Body{});
    s.finish();
  }
};
template <class T, class Init, class Body>
struct ikra::section_code<ikra_unit_values::reducing_from<T, Init, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.reduce_values_from<T, Init>(Body{});
    s.finish();
  }
};
template <class T, class Body> struct ikra::section_code<ikra_unit_values::scanning<T, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.scan_values<T>(Body{});
    s.finish();
  }
};
template <class T, class Out, class Body>
struct ikra::section_code<ikra_unit_values::scanning_from<T, Out, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.scan_values_from<T, Out>(Body{});
    s.finish();
  }
};
template <class T, class Body> struct ikra::section_code<ikra_unit_values::sorting<T, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.sort_values<T>(Body{});
    s.finish();
  }
};
template <class Key, class T, class Body>
struct ikra::section_code<ikra_unit_values::reducing_by_key<Key, T, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.reduce_by_key<Key, T>(Body{});
    s.finish();
  }
};
template <class Key, class T, class Out, class Body>
struct ikra::section_code<ikra_unit_values::reducing_by_index<Key, T, Out, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.reduce_by_index<Key, T, Out>(Body{});
    s.finish();
  }
};
template <class T, int R, class Body>
struct ikra::section_code<ikra_unit_values::reducing_axis<T, R, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.reduce_axis<T, R>(Body{});
    s.finish();
  }
};
template <class T, class Out, int R, class Body>
struct ikra::section_code<ikra_unit_values::reducing_axis_from<T, Out, R, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.reduce_axis_from<T, Out, R>(Body{});
    s.finish();
  }
};
template <class T, class Body> struct ikra::section_code<ikra_unit_values::selecting<T, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.select_values<T>(Body{});
    s.finish();
  }
};
template <class T, int R, class Body>
struct ikra::section_code<ikra_unit_values::selecting_indexed<T, R, Body>> {
  static void run(ikra::map_call& call) {
    rt::session s(ikra_unit_values::info, call);
    s.select_values_indexed<T, R>(Body{});
    s.finish();
  }
};
