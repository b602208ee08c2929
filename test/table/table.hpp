// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of all types, and what the table's sections do with them. All of it is defined for all
// values and, where results are combined, associative, so that builds have to agree bit for bit.
#pragma once

#include <fuzz.hpp>

#include <array>
#include <optional>
#include <variant>

namespace table {

struct point {
  int x;
  double y;
};

/// Objects, of two classes.
class thing {
public:
  explicit thing(int number) : number_(number) {}
  virtual ~thing() = default;
  virtual int key() const { return number_; }
  thing* next() { return next_; }
  int number() const { return number_; }
  void set_next(thing* next) { next_ = next; }

protected:
  int number_;
  thing* next_ = nullptr;
  IKRA_OBJECT
};
class other_thing final : public thing {
public:
  using thing::thing;
  int key() const override { return 3 * number_ + factor_; }

private:
  int factor_ = 5;
  IKRA_OBJECT
};

/// What sections that return nothing write to.
struct tally {
  std::int64_t sum = 0;
};

template <class T> inline constexpr bool is_object = std::is_same_v<T, thing*>;
template <class T> inline constexpr bool is_point = std::is_same_v<T, point>;
template <class T> inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;
template <class T> inline constexpr bool is_variant = false;
template <class... T> inline constexpr bool is_variant<std::variant<T...>> = true;
template <class T> inline constexpr bool is_array = false;
template <class T, std::size_t N> inline constexpr bool is_array<std::array<T, N>> = true;
/// Of the others, std::tuple and std::pair of two.
template <class T, std::size_t K>
using part = std::remove_cvref_t<decltype(std::get<K>(std::declval<T&>()))>;

/// A small number that is 0 or greater.
template <class T> int key(T x) {
  if constexpr (is_object<T>)
    return x == nullptr ? 0 : x->key();
  else if constexpr (is_point<T>)
    return key(x.x) + key(x.y);
  else if constexpr (is_number<T>)
    return static_cast<int>(fuzz::to<unsigned>(fuzz::to<int>(x)) % 97u);
  else if constexpr (is_optional<T>)
    return x ? 1 + key(*x) : 0;
  else if constexpr (is_variant<T>)
    return std::visit([](auto held) { return key(held); }, x) + static_cast<int>(x.index());
  else if constexpr (is_array<T>)
    return key(x[0]) + key(x[1]) + key(x[2]);
  else
    return key(std::get<0>(x)) + 2 * key(std::get<1>(x));
}

/// Another value.
template <class T> T changed(T x) {
  if constexpr (is_object<T>)
    return x == nullptr ? x : x->next();
  else if constexpr (is_point<T>)
    return T{changed(x.x), changed(x.y)};
  else if constexpr (std::is_floating_point_v<T>)
    return x * T(0.5) + T(1);
  else if constexpr (std::is_same_v<T, bool>)
    return !x;
  else if constexpr (std::is_enum_v<T>)
    return fuzz::to<T>(static_cast<unsigned>(x) + 1u);
  else if constexpr (is_number<T>)
    return fuzz::add(fuzz::mul(x, T(3)), T(1));
  else if constexpr (is_optional<T>)
    return x ? (key(*x) % 5 == 0 ? T() : T(changed(*x))) : T(4);
  else if constexpr (is_variant<T>)
    return std::visit(
        [](auto held) { return key(held) % 2 == 0 ? T(static_cast<float>(key(held))) : T(held); },
        x);
  else if constexpr (is_array<T>)
    return T{changed(x[1]), changed(x[2]), changed(x[0])};
  else
    return T{changed(std::get<0>(x)), changed(std::get<1>(x))};
}

/// Associative.
template <class T> T combined(T x, T y) {
  if constexpr (is_point<T>)
    return T{combined(x.x, y.x), combined(x.y, y.y)};
  else if constexpr (std::is_same_v<T, bool>)
    return x != y;
  else if constexpr (std::is_integral_v<T>)
    return fuzz::add(x, y);
  else if constexpr (is_number<T>)
    return fuzz::larger(x, y);
  else if constexpr (is_optional<T>)
    return x && y ? T(combined(*x, *y)) : (x ? x : y);
  else if constexpr (is_variant<T> || is_object<T>)
    return key(x) < key(y) ? y : x;
  else if constexpr (is_array<T>)
    return T{combined(x[0], y[0]), combined(x[1], y[1]), combined(x[2], y[2])};
  else
    return T{combined(std::get<0>(x), std::get<0>(y)), combined(std::get<1>(x), std::get<1>(y))};
}

/// Another small number, of a small one.
template <class T> T small(T x) {
  if constexpr (std::is_same_v<T, bool>)
    return !x;
  else if constexpr (std::is_enum_v<T>)
    return x;
  else
    return static_cast<T>(T(9) - x);
}

/// A value that depends on a place.
template <class T> T moved(T x, std::int64_t place) { return place % 3 == 0 ? changed(x) : x; }

inline thing* thing_at(std::uint64_t seed, std::uint64_t i) {
  static std::vector<thing> things;
  static std::vector<other_thing> others;
  if (things.empty()) {
    for (int k = 0; k < 20; ++k) {
      things.emplace_back(k);
      others.emplace_back(k + 20);
    }
    for (std::size_t k = 0; k < 20; ++k) {
      things[k].set_next(&others[k]);
      others[k].set_next(&things[(k * 7 + 3) % 20]);
    }
  }
  const std::size_t k = fuzz::within(fuzz::value<unsigned>(seed, i), 40);
  return k < 20 ? &things[k] : &others[k - 20];
}

template <class T> T value(std::uint64_t seed, std::uint64_t i) {
  if constexpr (is_object<T>)
    return thing_at(seed, i);
  else if constexpr (is_point<T>)
    return T{value<int>(seed, i), value<double>(seed + 1, i)};
  else if constexpr (is_number<T>)
    return fuzz::value<T>(seed, i);
  else if constexpr (is_optional<T>)
    return i % 4 == 0 ? T() : T(value<typename T::value_type>(seed, i));
  else if constexpr (is_variant<T>)
    return i % 3 == 0 ? T(value<int>(seed, i)) : T(value<float>(seed, i));
  else if constexpr (is_array<T>)
    return T{value<typename T::value_type>(seed, i), value<typename T::value_type>(seed + 1, i),
             value<typename T::value_type>(seed + 2, i)};
  else
    return T{value<part<T, 0>>(seed, i), value<part<T, 1>>(seed + 1, i)};
}

/// What stands before or outside of all elements.
template <class T> T some() { return changed(value<T>(3, 1)); }

template <class T, int R> ikra::array<T, R> data(std::uint64_t seed, const ikra::index<R>& shape) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < shape.volume(); ++i)
    values.push_back(value<T>(seed, static_cast<std::uint64_t>(i)));
  return ikra::array<T, R>{std::move(values), shape};
}

/// Numbers that are far from the limits of their type, also added up.
template <class T, int R>
ikra::array<T, R> small_data(std::uint64_t seed, const ikra::index<R>& shape) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < shape.volume(); ++i)
    values.push_back(fuzz::to<T>(static_cast<int>(
        fuzz::within(fuzz::value<unsigned>(seed, static_cast<std::uint64_t>(i)), 9))));
  return ikra::array<T, R>{std::move(values), shape};
}

/// One place of an array of that many elements for each: some twice, some not at all.
template <int R> ikra::array<int, R> places(const ikra::index<R>& shape) {
  std::vector<int> places;
  for (std::int64_t i = 0; i < shape.volume(); ++i)
    places.push_back(static_cast<int>(i * i * 5 % shape.volume()));
  return ikra::array<int, R>{std::move(places), shape};
}

template <class T> std::uint64_t bits(const T& x) {
  if constexpr (is_object<T>)
    return x == nullptr ? 99 : static_cast<std::uint64_t>(x->number());
  else if constexpr (is_point<T>)
    return bits(x.x) * 31 + bits(x.y);
  else if constexpr (is_number<T>)
    return fuzz::bits_of(x);
  else if constexpr (is_optional<T>)
    return x ? bits(*x) : 77;
  else if constexpr (is_variant<T>)
    return std::visit([](auto held) { return bits(held); }, x) * 31 + x.index();
  else if constexpr (is_array<T>)
    return (bits(x[0]) * 31 + bits(x[1])) * 31 + bits(x[2]);
  else
    return bits(std::get<0>(x)) * 31 + bits(std::get<1>(x));
}

/// Prints the line of a combination.
template <class T, int R> void say(const fuzz::report& report, const ikra::array<T, R>& result) {
  std::vector<std::uint64_t> hashes;
  for (std::size_t i = 0; i < result.size(); ++i)
    hashes.push_back(bits(result[i]));
  report("of shape", ikra::array<std::uint64_t, R>{std::move(hashes), result.shape()});
}
template <class T>
  requires std::is_arithmetic_v<T>
void say(const fuzz::report& report, T result) {
  report("is", result);
}

} // namespace table
