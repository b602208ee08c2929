// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps over numbers of every arithmetic type: promotion, wrapping, shifts, division of negative
// numbers, conversions between the types of stages, library functions of either precision.

#include <ikra/ikra.hpp>

#include <bit>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <vector>

namespace {

enum class Level : unsigned char { low = 1, high = 200 };
enum Plain { zero, one, two };

constexpr int smallest = INT_MIN;
constexpr unsigned largest = UINT_MAX;
constexpr long long smallest_wide = LLONG_MIN;
constexpr float third = 1.0f / 3;
constexpr double tenth = 0.1;
constexpr char letter = 'k';
constexpr bool yes = true;
constexpr short little = -7;

template <class T, int R> void show(const char* name, const ikra::array<T, R>& a) {
  std::cout << name << ':';
  for (const T e : a)
    std::cout << ' ' << +e;
  std::cout << '\n';
}

template <class T> std::vector<T> sample() {
  return {T(0), T(1), T(2), T(3), T(7), T(100), T(127), T(-1), T(-2), T(-7), T(-100), T(-128)};
}

template <unsigned N> unsigned times(unsigned x) { return x * N; }
template <class T, T Added> T plus(T x) { return static_cast<T>(x + Added); }

int square(int x) { return x * x; }
std::int64_t widen(int x, std::int64_t by = 1000) { return x * by; }

} // namespace

int main() {
  std::cout.precision(17);
  ikra::array bytes{sample<signed char>()};
  ikra::array<unsigned char> ubytes{sample<unsigned char>()};
  ikra::array shorts{sample<short>()};
  ikra::array<unsigned short> ushorts{sample<unsigned short>()};
  ikra::array ints{sample<int>()};
  ikra::array uints{sample<unsigned>()};
  ikra::array longs{sample<std::int64_t>()};
  ikra::array ulongs{sample<std::uint64_t>()};
  ikra::array floats{sample<float>()};
  ikra::array doubles{sample<double>()};
  ikra::array bools{std::vector<bool>{true, false, true, true}};
  ikra::array<char> chars{std::vector<char>{'a', 'Z', '0', '\n', '\\', '\''}};

  // Promotion and wrapping.
  show("bytes", bytes.pmap([](signed char e) { return e * 2; }));
  show("bytes wrapped",
       bytes.pmap([](signed char e) -> signed char { return static_cast<signed char>(e * 3); }));
  show("bytes auto", bytes.pmap([](auto e) { return e + e; }));
  show("ubytes", ubytes.pmap([](unsigned char e) { return e - 300; }));
  show("ubytes inverted", ubytes.pmap([](unsigned char e) { return ~e; }));
  show("shorts", shorts.pmap([](short e) { return e << 3; }));
  show("ushorts", ushorts.pmap([](unsigned short e) { return e - 1; }));
  show("ushorts wrapped",
       ushorts.pmap([](unsigned short e) { return static_cast<unsigned short>(e - 1); }));
  show("uints", uints.pmap([](unsigned e) { return e - 3; }));
  show("uints by int", uints.pmap([](unsigned e) { return e * static_cast<unsigned>(-1); }));
  show("uints shifted", uints.pmap([](unsigned e) { return (e << 31) ^ (e >> 3); }));
  show("longs", longs.pmap([](std::int64_t e) { return e * 4'000'000'000; }));
  show("ulongs", ulongs.pmap([](std::uint64_t e) { return e * 0x9E3779B97F4A7C15u; }));
  show("compared", ints.pmap([](int e) { return static_cast<unsigned>(e) < 3u; }));
  show("negative", ints.pmap([](int e) { return e / 3 * 10 + e % 3; }));
  show("arithmetic shift", ints.pmap([](int e) { return e >> 1; }));
  show("mixed", ints.pmap([](int e) { return e + 1u; }));
  show("minus minus", ints.pmap([](int e) { return - -e - -1; }));
  show("plus plus", ints.pmap([](int e) { return + +e + +1; }));
  show("not not", ints.pmap([](int e) { return !!e + ~~e; }));
  show("float mixed", ints.pmap([](int e) { return e * 0.5f; }));
  show("integer division first", ints.pmap([](int e) { return e / 2 * 0.5; }));
  show("to int", doubles.pmap([](double e) { return int(e * 1.5); }));
  show("to bool", ints.pmap([](int e) { return bool(e); }));
  show("bool sum", bools.pmap([](bool e) { return e + 1; }));
  show("bool not", bools.pmap([](bool e) { return !e; }));
  show("chars", chars.pmap([](char e) { return e == '\n' ? '!' : e == '\'' ? '"' : e; }));
  show("chars as int", chars.pmap([](char e) { return e - 'a'; }));

  // Literals of every form.
  show("literals", ints.pmap([](int e) { return e + 0x1F + 0b101 + 017 + 1'000; }));
  show("suffixes", ints.pmap([](int e) { return e * 1LL + 1u + 2ul; }));
  show("float literals", floats.pmap([](float e) { return e * 1e-3f + .5f + 1.f + 0x1p-2f; }));
  show("double literals", floats.pmap([](float e) { return e * 0.1; }));

  // Constants from outside.
  show("smallest", ints.pmap([](int e) { return static_cast<long>(e & 2) + smallest; }));
  show("smallest shifted", ints.pmap([](int e) { return (smallest >> 4) + e; }));
  show("largest", ints.pmap([](int e) { return largest / 2 + e; }));
  show("wide",
       longs.pmap([](std::int64_t e) { return e > 0 ? smallest_wide : smallest_wide + 1; }));
  show("third", floats.pmap([](float e) { return e * third; }));
  show("tenth", doubles.pmap([](double e) { return e * tenth; }));
  show("letter", ints.pmap([](int e) { return letter + e; }));
  show("yes", ints.pmap([](int e) { return yes ? e : -e; }));
  show("little", ints.pmap([](int e) { return e * little; }));
  const int local = -3;
  static constexpr int fixed = 11;
  show("local", ints.pmap([](int e) { return e * local - fixed; }));

  // Characters of all widths: char8_t is a number that kernels know by another name.
  show("char8_t",
       ints.pmap([](int e) { return static_cast<char8_t>(e + u8'b'); }).pselect([](char8_t c) {
         return c > u8'a';
       }));
  const char8_t small = u8'z';
  const ikra::array letters{std::vector<char8_t>{u8'a', u8'q', u8'k', u8'b'}};
  show("letters", letters.pmap([small](char8_t c) { return c == u8'q' ? small : c; }));
  show("windows", letters.pstencil({-1, 0}, u8'_', [](const auto& v) {
    return v[-1] < v[0] ? v[0] : static_cast<char8_t>(v[-1] + 1);
  }));
  show("scanned", letters.pscan([](char8_t x, char8_t y) { return x < y ? y : x; }));
  show("sorted", letters.psort());
  std::cout << static_cast<int>(letters.sum()) << '\n';
  show("char16_t", ints.pmap([](int e) { return static_cast<char16_t>(e + u'\u20ac'); })
                       .pmap([](char16_t c) { return static_cast<char32_t>(c) + U'\U0001F600'; })
                       .pmap([](char32_t c) { return static_cast<wchar_t>(c + L'w'); }));

  // Enumerations.
  show("enum selected", ints.pmap([](int e) { return e > 1 ? Level::high : Level::low; })
                            .pselect([](Level l) { return l == Level::high; })
                            .pmap([](Level l) { return static_cast<int>(l); }));
  show("to enum",
       ints.pmap([](int e) { return e > 1 ? Level::high : Level::low; }).pmap([](Level l) {
         return static_cast<int>(l) + 1;
       }));
  show("plain enum",
       ints.pmap([](int e) { return e > 2   ? two
                                    : e > 1 ? one
                                            : zero; }).pmap([](Plain p) {
         return p + 1;
       }));

  // Stages of different types.
  show("stages", ints.pmap([](int e) { return e * 1.25; })
                     .pmap([](float e) { return e * 3; })
                     .pmap([](long e) { return e + 1; })
                     .pmap([](unsigned char e) { return e; }));
  show("references",
       ints.pmap([](const int& e) { return e + 1; }).pmap([](const auto& e) -> const int& {
         return e;
       }));
  show("bools between", ints.pmap([](int e) { return e & 6; }).pmap([](bool e) { return e; }));

  // Functions.
  show("function", ints.pmap(square));
  show("address", ints.pmap(&square));
  show("template", uints.pmap([](unsigned e) { return times<3>(e) + times<4294967295u>(e); }));
  show("template of type", bytes.pmap([](signed char e) { return plus<signed char, 100>(e); }));
  show("as function", ints.pmap(plus<int, -5>));
  show("default argument", ints.pmap([](int e) { return widen(e) + widen(e, 7); }));

  // The library's functions, in the precision that the program asks for.
  show("sqrt float", floats.pmap([](float e) { return std::sqrt(e * e + 2); }));
  show("sqrt of C", floats.pmap([](float e) { return sqrt(e * e + 2) * 3; }));
  show("fabs of C", floats.pmap([](float e) { return fabs(e / 3) * 1e-3; }));
  show("abs of C", floats.pmap([](float e) { return abs(static_cast<int>(e / 3)) * 2; }));
  show("mixed max", ints.pmap([](int e) { return std::max(e, 2) - std::min<long>(e, 5L); }));
  show("fmod", doubles.pmap([](double e) { return std::fmod(e, 3); }));
  show("floor", floats.pmap([](float e) {
    return std::floor(e / 3) + std::ceil(e / 7) + std::trunc(e / 9);
  }));

  show("integers of reals", doubles.pmap([](double e) {
    return std::lrint(e * 3) + 10 * std::llrint(e / 3) + 100 * std::lround(e * 5) +
           1000 * std::labs(std::lrint(-e)) + std::llabs(-std::llround(e)) + labs(-3L);
  }));
  show("hypot of three", doubles.pmap([](double v) {
    return std::hypot(v, 2.0, 1.0f) + double(std::hypot(float(v), 3.0f, 4.0f));
  }));
  show("floats of C", floats.pmap([](float e) {
    int power = 0;
    const float part = frexpf(e, &power);
    return sqrtf(fabsf(e)) + fminf(e / 3, 2.5f) * ldexpf(part, 2) + fmodf(e, 3) +
           static_cast<float>(power) + truncf(e / 7) + (std::isnan(nanf("")) ? 0.5f : nanf(""));
  }));
  show("no numbers",
       doubles.pmap([](double e) { return e > 1 ? std::isnan(std::nan("")) : false; }));
  show("hypot",
       doubles.pmap([](double e) { return std::hypot(3 * std::rint(e), 4 * std::rint(e)); }));

  // Ranks with an index.
  ikra::array<int, 2> grid{std::vector<int>{1, 2, 3, 4, 5, 6}, {2, 3}};
  ikra::array<int, 3> cube{std::vector<int>(24, 5), {2, 3, 4}};
  ikra::array<int, 4> hyper{std::vector<int>(16, 7), {2, 2, 2, 2}};
  show("index 1", ints.with_index().pmap([](int e, std::int64_t i) { return e * i; }));
  show("index 2",
       grid.with_index().pmap([](int e, ikra::index<2> i) { return e * 100 + i[0] * 10 + i[1]; }));
  show("index 3", cube.with_index().pmap([](int e, const ikra::index<3>& i) {
    return e * 1000 + i[0] * 100 + i[1] * 10 + i[2];
  }));
  show("index 4", hyper.with_index().pmap([](int e, ikra::index<4> i) {
    return e + i[0] * 8 + i[1] * 4 + i[2] * 2 + i[3];
  }));
  show("fused indices", grid.pmap([](int e) { return e + 1; })
                            .with_index()
                            .pmap([](int e, ikra::index<2> i) { return e * i[1]; })
                            .pmap([](std::int64_t e) { return e - 1; })
                            .with_index()
                            .pmap([](std::int64_t e, ikra::index<2> i) { return e + i[0]; }));

  // Divisors and multiples, negative operands and different types among them.
  show("gcd", ints.with_index().pmap([](int e, std::int64_t i) {
    return std::gcd(e % 1000, 84) + std::gcd(i * 6, 18L) + std::gcd(short(i), 4u);
  }));
  show("lcm", ints.with_index().pmap([](int e, std::int64_t i) {
    return std::lcm(e % 50, 12) + std::lcm(i, -6) + std::lcm(0, i);
  }));

  // Bits, of all widths: builtins of the host's compiler that GPUs have not.
  const auto bits = [](auto x) {
    return std::popcount(x) + 3 * std::countl_zero(x) + 5 * std::countl_one(x) +
           7 * std::countr_zero(x) + 11 * std::countr_one(x) +
           13 * static_cast<int>(std::bit_width(x)) + 17 * std::has_single_bit(x) +
           static_cast<int>((std::bit_floor(x) + std::bit_ceil(static_cast<decltype(x)>(x / 2))) %
                            101);
  };
  show("bits", ints.with_index().pmap([bits](int e, std::int64_t i) {
    const auto wide = static_cast<std::uint64_t>(e) * 0x9e3779b97f4a7c15u >> i % 64;
    return bits(wide) + bits(static_cast<std::uint32_t>(wide)) +
           bits(static_cast<std::uint16_t>(wide)) + bits(static_cast<std::uint8_t>(wide)) +
           bits(static_cast<unsigned long long>(i)) + bits(static_cast<unsigned>(i / 3));
  }));

  // Bytes, many to a load, whose sums wrap.
  std::vector<std::int8_t> wrapping;
  for (int i = 0; i < 200; ++i)
    wrapping.push_back(static_cast<std::int8_t>(i * 37));
  show("wrapping bytes", ikra::array{wrapping}.pmap([](std::int8_t x) {
    const auto sum = static_cast<std::int8_t>(127 + x);
    return static_cast<int>(sum < 5 ? sum : 5);
  }));

  // Sizes.
  show("empty", ikra::array{std::vector<int>{}}.pmap([](int e) { return e / 0.5; }));
  show("single", ikra::array{std::vector<int>{41}}.pmap([](int e) { return e + 1; }));
  std::vector<int> many(100'003);
  for (std::size_t i = 0; i < many.size(); ++i)
    many[i] = static_cast<int>(i);
  long long sum = 0;
  for (const int e :
       ikra::array{many}.pmap([](int e) { return e % 7; }).pmap([](int e) { return e * e; }))
    sum += e;
  std::cout << "many: " << sum << '\n';

  const auto octets = ints.pmap([](int e) { return std::byte(e & 255) ^ std::byte{0x5a}; });
  show("octets", octets.pmap([](std::byte x) {
    std::byte y = ~x;
    y <<= 2;
    y |= std::byte{1};
    y &= x | std::byte(0xf0);
    return std::to_integer<int>(y >> 1) + int(x << 1) + (x == std::byte{7});
  }));

  // Chains of which a part is computed before.
  auto first = ints.pmap([](int e) { return e + 1; });
  auto second = first.pmap([](int e) { return e * 2; });
  auto third_stage = second.pmap([](int e) { return e - 3; });
  std::cout << "second: " << second[3] << '\n';
  show("third", third_stage);
  show("first", first);
}
