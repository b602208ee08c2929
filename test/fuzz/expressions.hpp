// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What random expressions are made of: functions and classes whose results tell of the types, the
// values and the order of what they were given, and the digest that is compared. All arithmetic is
// defined.
#pragma once

#include <ikra/ikra.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace fuzz {

using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

// data
// ----------------------------------------------------------------------------------------------

inline u64 noise(u64 k, u64 seed) {
  u64 x = k * 0x9e3779b97f4a7c15U + seed * 0xbf58476d1ce4e5b9U + 0x94d049bb133111ebU;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}
/// One of low .. high.
inline i64 draw(u64 k, u64 seed, i64 low, i64 high) {
  return low + static_cast<i64>(noise(k, seed) % static_cast<u64>(high - low + 1));
}

enum class colour : u8 { red, green, blue };
enum level : int { low = -3, middle = 2, high = 40 };
enum count : u8 { none, few = 3, many = 200 };

// What a static type is: overloads choose by it.
inline int kind(bool) { return 1; }
inline int kind(char) { return 2; }
inline int kind(i8) { return 3; }
inline int kind(u8) { return 4; }
inline int kind(i16) { return 5; }
inline int kind(u16) { return 6; }
inline int kind(i32) { return 7; }
inline int kind(u32) { return 8; }
inline int kind(i64) { return 9; }
inline int kind(u64) { return 10; }
inline int kind(float) { return 11; }
inline int kind(double) { return 12; }
inline int kind(colour) { return 13; }
inline int kind(level) { return 14; }
inline int kind(count) { return 15; }

// functions
// -----------------------------------------------------------------------------------------

inline int cut(int x) { return x & 255; }
inline int sign_of(const int& x) { return x < 0 ? -1 : x > 0; }
inline u32 joined(u32 a, u32 b) { return a * 31U + b; }
inline u64 joined3(u64 a, const u32& b, u8 c) { return (a * 31U + b) * 31U + c; }
inline i16 narrow(i16 x) { return x; }
inline int with_default(int x, int y = 3) { return (x & 15) - y; }
template <class T> T same(T x) { return x; }
template <class T> const T& seen(const T& x) { return x; }
template <class T> T&& passed(T&& x) { return std::forward<T>(x); }
template <class T> T& itself(T& x) { return x; }
template <class A, class B> auto greater(A a, B b) { return a > b; }
template <int K, class T> int times(T x) { return static_cast<int>(x & 31) * K; }
template <class F, class... A> auto call(F f, A... a) { return f(a...); }

// value classes
// -------------------------------------------------------------------------------------

struct pt {
  u32 x, y;
  pt operator+(pt o) const { return {x + o.x, y + o.y}; }
  pt operator-(const pt& o) const { return {x - o.x, y - o.y}; }
  pt operator*(u32 k) const { return {x * k, y * k}; }
  pt operator-() const { return {0U - x, 0U - y}; }
  pt operator~() const { return {~y, ~x}; }
  bool operator<(const pt& o) const { return x != o.x ? x < o.x : y < o.y; }
  bool operator==(const pt&) const = default;
  pt& operator+=(u32 k) {
    x += k;
    y ^= x;
    return *this;
  }
  pt& operator++() { return *this += 1U; }
  pt operator++(int) {
    const pt before = *this;
    ++*this;
    return before;
  }
  u32 operator[](u32 i) const { return i % 2U != 0U ? y : x; }
  u32 operator()(u32 a, u32 b) const { return x * a + y * b; }
  explicit operator bool() const { return x > y; }
  u32 folded() const { return x * 31U + y; }
  u32 dot(pt o) const { return x * o.x + y * o.y; }
  pt turned() const { return {y, 0U - x}; }
  pt& moved(u32 k) {
    x += k * 3U;
    y = y * 5U + x;
    return *this;
  }
};
inline pt operator*(u32 k, pt p) { return p * k; }
inline pt operator|(const pt& a, const pt& b) { return {a.x * 3U | b.x, a.y * 5U | b.y}; }
inline u32 folded(pt p) { return p.x * 31U + p.y; }
inline u32 folded2(const pt& p, const pt& q) { return p.folded() * 31U + q.folded(); }

/// A constructor that others than of numbers find; the conversions back are of several types.
struct half {
  int twice;
  operator int() const { return twice / 2; }
};
struct wide {
  int base;
  operator double() const { return base + 0.5; }
};
struct tiny {
  u8 value;
  operator u8() const { return value; }
};
struct boxed {
  boxed(int x) : value(static_cast<u32>(x) * 7U) {}
  boxed(pt p) : value(p.folded()) {}
  u32 value;
};
inline u32 opened(boxed b) { return b.value; }
inline u32 opened2(const boxed& a, const boxed& b) { return a.value * 31U + b.value; }

struct fields {
  u32 a : 3;
  int b : 5;
  u32 c : 12;
  u8 d : 6;
};

/// Made by constructors, in braces or in parentheses.
struct made {
  made(u32 a, u32 b) : value(a * 31U + b) {}
  made(u32 a, const u32& b, u8 c) : value((a * 31U + b) * 31U + c) {}
  explicit made(pt p) : value(p.folded() * 3U) {}
  u32 value;
};
struct line {
  pt from, to;
  u32 length = 9;
  u32 folded() const { return from.folded() * 961U + to.folded() * 31U + length; }
};
struct based : pt {
  u32 z;
  u32 all() const { return folded() * 31U + z; }
};
inline u32 folded_line(const line& l) { return l.folded(); }

/// A state that each operation changes, so that results tell of the order.
struct source {
  u32 state;
  u32 step(u32 k) {
    state = state * 1664525U + k * 2654435761U + 1013904223U;
    return state >> 8U;
  }
  u32 next() { return step(1); }
  source& add(u32 k) {
    step(k);
    return *this;
  }
  source& add2(u32 j, u32 k) {
    step(j * 31U + k);
    return *this;
  }
  source& self() { return *this; }
  u32 value() const { return state >> 4U; }
  source& operator<<(u32 k) { return add(k); }
  source& operator+=(u32 k) { return add(k + 5U); }
  source& operator=(u32 k) { // NOLINT(cppcoreguidelines-c-copy-assignment-signature)
    state ^= k * 77U;
    return *this;
  }
  u32 operator[](u32 k) { return step(k + 7U); }
  u32 operator()(u32 k) { return step(k + 9U); }
  u32 operator->*(u32 k) { return step(k + 11U); }
};
inline source& operator>>(source& s, u32 k) { return s.add(k + 13U); }
inline u32 operator,(source& s, pt p) { return s.step(p.folded()); }
inline bool operator&&(source& s, pt p) { return s.step(p.folded()) % 2U != 0U; }

/// An object of peach, with a state as above.
class actor {
public:
  actor(u32 id, u32 state) : id_(id), state_(state) {}
  u32 id() const { return id_; }
  u32 value() const { return state_ >> 4U; }
  u32 step(u32 k) {
    state_ = state_ * 1664525U + k * 2654435761U + 1013904223U;
    return state_ >> 8U;
  }
  u32 next() { return step(1); }
  actor& add(u32 k) {
    step(k);
    return *this;
  }
  actor& add2(u32 j, u32 k) {
    step(j * 31U + k);
    return *this;
  }
  actor* self() { return this; }
  actor& operator<<(u32 k) { return add(k); }
  actor& operator+=(u32 k) { return add(k + 5U); }
  u32 operator[](u32 k) { return step(k + 7U); }
  u32 operator()(u32 k) { return step(k + 9U); }
  void tell(u64 result) { result_ = result; }
  u64 result() const { return result_; }
  pt place{1, 2};
  u32 seen[4] = {1, 2, 3, 4};

private:
  u32 id_;
  u32 state_;
  u64 result_ = 0;
  IKRA_OBJECT
};
inline actor& operator>>(actor& s, u32 k) { return s.add(k + 13U); }

// results
// -------------------------------------------------------------------------------------------

/// Of numbers of any type, and of what type they were.
struct digest {
  u64 hash = 0xcbf29ce484222325U;
  template <class T> void put(T x) {
    if constexpr (std::is_floating_point_v<T>)
      add(static_cast<u64>(static_cast<i64>(x * T(4096))));
    else
      add(static_cast<u64>(x));
    add(static_cast<u64>(kind(x)));
  }
  void put(const pt& p) { add(p.x * 0x100000001b3U + p.y); }
  void put(const half& h) { add(static_cast<u64>(h.twice)); }
  void put(const wide& w) { add(static_cast<u64>(w.base)); }
  void put(const tiny& t) { add(t.value); }
  void put(const source& s) { add(s.state); }
  void put(const fields& f) { add(f.a + 8U * static_cast<u32>(f.b) + f.c * 4096U + f.d * 77U); }
  void add(u64 x) { hash = (hash ^ x) * 0x100000001b3U; }
};

constexpr u32 inputs = 6;

/// A line for each expression: a hash of its results over all inputs, or with FUZZ_ELEMENTS set the
/// results.
inline void tell(u32 first, const std::vector<u64>& results) {
  for (std::size_t e = 0; e < results.size() / inputs; ++e) {
    digest all;
    for (u32 k = 0; k < inputs; ++k)
      all.add(results[e * inputs + k]);
    std::printf("e%u %016llx", static_cast<u32>(first + e),
                static_cast<unsigned long long>(all.hash));
    if (std::getenv("FUZZ_ELEMENTS") != nullptr)
      for (u32 k = 0; k < inputs; ++k)
        std::printf(" %llx", static_cast<unsigned long long>(results[e * inputs + k]));
    std::printf("\n");
  }
}

inline ikra::array<u32> numbers(u32 expressions) {
  std::vector<u32> result;
  for (u32 i = 0; i < expressions * inputs; ++i)
    result.push_back(i);
  return ikra::array<u32>{result};
}

inline void tell(u32 first, const ikra::array<u64>& results) {
  tell(first, std::vector<u64>(results.begin(), results.end()));
}

/// Runs `section`, a peach, over as many actors.
template <class Section> void tell_actors(u32 first, u32 expressions, const Section& section) {
  std::vector<std::unique_ptr<actor>> owners;
  std::vector<actor*> actors;
  for (u32 i = 0; i < expressions * inputs; ++i) {
    owners.push_back(std::make_unique<actor>(i, static_cast<u32>(noise(i, first))));
    actors.push_back(owners.back().get());
  }
  section(actors);
  std::vector<u64> results;
  for (const actor* a : actors) {
    digest all;
    all.add(a->result());
    all.add(a->value());
    all.put(a->place);
    for (const u32 x : a->seen)
      all.add(x);
    results.push_back(all.hash);
  }
  tell(first, results);
}

} // namespace fuzz
