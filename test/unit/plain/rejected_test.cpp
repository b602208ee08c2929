// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must not compile, as constraints that can be asked for, beside what must.
#include <ikra/ikra.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

[[maybe_unused]] const auto first = [](auto v) { return v[ikra::index{0}]; };
[[maybe_unused]] const auto centre = [](auto v) { return v(0, 0); };

template <class A>
concept takes_short_offsets = requires(A a) { a.pstencil({{-1}, {1}}, 0, centre); };
template <class A>
concept takes_pairs = requires(A a) { a.pstencil({{-1, 0}, {0, 0}}, 0, centre); };
template <class A>
concept takes_numbers = requires(A a) { a.pstencil({-1, 0}, 0, first); };
template <class A>
concept takes_flat_box = requires(A a) { a.pstencil(ikra::box<1>, 0, first); };
template <class A>
concept takes_square_box = requires(A a) { a.pstencil(ikra::box<1, 1>, 0, centre); };

static_assert(takes_pairs<ikra::array<int, 2>>);
static_assert(takes_square_box<ikra::array<int, 2>>);
static_assert(!takes_short_offsets<ikra::array<int, 2>>);
static_assert(!takes_numbers<ikra::array<int, 2>>);
static_assert(!takes_flat_box<ikra::array<int, 2>>);
static_assert(takes_numbers<ikra::array<int, 1>>);
static_assert(takes_flat_box<ikra::array<int, 1>>);
static_assert(!takes_pairs<ikra::array<int, 1>>);
static_assert(!takes_square_box<ikra::array<int, 1>>);

using unique = std::vector<std::unique_ptr<int>>;
using shared = std::vector<std::shared_ptr<int>>;
template <class V>
concept makes_array = requires(V&& v) { ikra::array{std::forward<V>(v)}; };

static_assert(makes_array<unique&> && makes_array<const unique&>);
static_assert(makes_array<shared&> && makes_array<const shared&>);
static_assert(!makes_array<unique> && !makes_array<const unique>);
static_assert(!makes_array<shared> && !makes_array<const shared>);
static_assert(makes_array<std::vector<int>> && makes_array<std::vector<int>&>);

template <class V>
concept has_objects = requires(V&& v) { ikra::objects(std::forward<V>(v)); };
static_assert(has_objects<std::vector<std::string>&>);
static_assert(has_objects<const std::vector<std::string>&>);
static_assert(!has_objects<std::vector<std::string>>);

// Nothing becomes an array, or an index of another rank, without being asked.
static_assert(!std::is_convertible_v<std::vector<int>, ikra::array<int, 1>>);
static_assert(!std::is_constructible_v<ikra::array<int, 2>, std::vector<int>>);
static_assert(!std::is_constructible_v<ikra::index<2>, int>);
static_assert(!std::is_constructible_v<ikra::index<2>, int, double>);

template <class A>
concept has_two_coordinates = requires(A a) { a(0, 0); };
static_assert(has_two_coordinates<ikra::array<int, 2>>);
static_assert(!has_two_coordinates<ikra::array<int, 1>>);

template <class... T>
concept makes_resident = requires(T&... t) { ikra::resident{t...}; };
static_assert(makes_resident<ikra::array<std::string*, 1>, std::vector<std::string>>);
static_assert(!makes_resident<ikra::array<int, 1>>);
static_assert(!makes_resident<std::vector<int>>);
template <class... T>
concept says_changed = requires(ikra::resident& scope, T&... t) { scope.changed(t...); };
static_assert(says_changed<>);
static_assert(says_changed<std::vector<std::string>, std::string*, const std::string* const>);
static_assert(!says_changed<int*>); // a member: the object has to be named
static_assert(!says_changed<std::string>);

// Elements cannot be assigned: arrays are immutable.
template <class A>
concept assignable = requires(A a) { a[0] = 1; };
static_assert(!assignable<ikra::array<int, 1>>);

} // namespace

TEST_CASE("what must not compile does not") { SUCCEED("checked by the static assertions above"); }
