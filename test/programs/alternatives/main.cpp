// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a section reads is chosen at run time: functions with several returns, conditional
// expressions, variables that branches assign. Each choice has its kernel.
#include <ikra/ikra.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

using numbers = ikra::array<int>;

int plus(int x, int y) {
  return static_cast<int>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
}
int total(const numbers& a) { return a.preduce(0, plus)[0]; }

// Functions with several returns, also of what they were given.
numbers by_switch(const numbers& a, int k) {
  switch (k) {
  case 0:
    return a.pmap([](int x) { return x + 1; });
  case 1:
    return a.pmap([](int x) { return x % 1000 * 3; });
  default:
    break;
  }
  return a;
}
template <class T> ikra::array<T> either(const ikra::array<T>& a, bool up) {
  if (up)
    return a.pmap([](T x) { return x + T(1); });
  return a.pmap([](T x) { return x - T(2); });
}
numbers often(const numbers& a, int n) {
  if (n == 0)
    return a.pmap([](int x) { return x - 7; });
  return often(a.pmap([](int x) { return x % 5000 * 2; }), n - 1);
}
int through_lambda(const numbers& a, int k) {
  const int scale = k + 2;
  const auto f = [&](const numbers& x) -> numbers {
    if (k == 1)
      return x.pmap([scale](int y) { return y % 999 * scale; });
    if (k == 2)
      return x;
    return x.pmap([scale](int y) { return y - scale; });
  };
  return f(f(a)).preduce(0, plus)[0];
}

class filter {
public:
  filter() = default;
  filter(const filter&) = default;
  filter& operator=(const filter&) = default;
  virtual ~filter() = default;
  virtual numbers apply(const numbers& a) const { return a; }
};
class doubling final : public filter {
public:
  numbers apply(const numbers& a) const override {
    return a.pmap([](int x) { return x % 10000 * 2; });
  }
};
class halving : public filter {
public:
  explicit halving(bool rounds) : rounds_(rounds) {}
  numbers apply(const numbers& a) const override {
    if (rounds_)
      return a.pmap([](int x) { return (x + 1) / 2; });
    return a.pmap([](int x) { return x / 2; });
  }

private:
  bool rounds_;
};

// An array that several sections read, and that is asked for itself.
int shared(const numbers& a, bool b) {
  const numbers r = a.pmap([](int x) { return x + 5; });
  const numbers s = b ? r : r.pmap([](int x) { return x % 100 * (x % 50); });
  const int t = r.pcombine(s, [](int x, int y) { return 10 * (x % 999) + y; }).preduce(0, plus)[0];
  return t + s[0] + r[1];
}
int held(const numbers& a, int k) {
  const numbers g = a.pmap([](int x) { return x + 8; });
  const std::vector<numbers> keep{g};
  numbers r;
  if (k == 0)
    r = g;
  else if (k == 1)
    r = keep[0].pmap([](int x) { return x ^ 1; });
  else
    r = a;
  const int sum = r.preduce(0, plus)[0];
  return sum + keep[0][1] + r[0];
}
// One choice for both inputs, and two.
int twice(const numbers& a, bool b, bool c) {
  const numbers s = b ? a.pmap([](int x) { return x + 2; }) : a.pmap([](int x) { return -x; });
  const auto f = [](int x, int y) { return 10 * (x % 99) - y % 100; };
  return s.pcombine(s, f).preduce(0, plus)[0] +
         3 * s.pcombine(c ? s : a.pmap([](int x) { return x ^ 5; }), f).preduce(0, plus)[0];
}
int swapped(numbers a, numbers b, bool c) {
  a = a.pmap([](int x) { return x + 2; });
  b = b.pmap([](int x) { return x % 100 * 2; });
  if (c)
    std::swap(a, b);
  return a.pcombine(b, [](int x, int y) { return 3 * (x % 777) - y % 50; }).preduce(0, plus)[0];
}

// Steps that may be left out; so many ways that not all are followed.
int pipeline(const numbers& a, unsigned k) {
  numbers r = a;
  if ((k & 1U) != 0)
    r = r.pmap([](int x) { return x + 1; });
  if ((k & 2U) != 0)
    r = r.pmap([](int x) { return x % 1000 * 3; });
  if ((k & 4U) != 0)
    r = r.pstencil({-1, 1}, 4, [](auto v) { return v[-1] - v[1]; });
  if ((k & 8U) != 0)
    r = r.pmap([](int x) { return x ^ 7; });
  if ((k & 16U) != 0)
    r = r.with_index().pmap([](int x, std::int64_t i) { return x + static_cast<int>(i); });
  if ((k & 32U) != 0)
    r = r.pselect([](int x) { return x % 2 == 0; });
  if ((k & 64U) != 0)
    r = r.pmap([](int x) { return x - 3; });
  return r.preduce(0, plus)[0];
}
double of_doubles(const ikra::array<double>& a, int k) {
  ikra::array<double> r = a.pmap([](double x) { return x * 0.5; });
  switch (k) {
  case 0:
    r = r.pmap([](double x) { return x + 0.25; });
    [[fallthrough]];
  case 1:
    r = r.pmap([](double x) { return x * x; });
    break;
  case 2:
    r = k < 3 ? r.pscan([](double x, double y) { return x + y; }) : r;
    break;
  default:
    return -1;
  }
  return r.preduce([](double x, double y) { return x + y; }).value();
}

// Loops: what a turn assigns for the next one, and what stays in the turn.
int carried(const numbers& a, int n) {
  numbers v = a;
  int s = 0;
  for (int i = 0; i < n; ++i) {
    v = i % 2 == 0 ? v.pmap([](int x) { return x + 3; }) : v.pmap([](int x) { return x ^ 2; });
    if (i % 2 != 0)
      s = plus(s, v.pmap([](int x) { return x ^ 1; }).preduce(0, plus)[0]);
  }
  return plus(s, v.preduce(0, plus)[0]);
}
int in_turns(const numbers& a, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    numbers v = a;
    if (i % 3 == 0) {
      v = a.pmap([](int x) { return x + 3; });
    } else if (i % 3 == 1) {
      v = a.pmap([](int x) { return x + 4; });
      if (i == 4)
        continue;
    }
    s = plus(s, v.pmap([](int x) { return x ^ 1; }).preduce(0, plus)[0]);
  }
  return s;
}
int jumping(const numbers& a, int n) {
  numbers r = a.pmap([](int x) { return x + 77; });
again:
  r = r.pmap([](int x) { return x % 333 * 3; });
  if (--n > 0)
    goto again;
  return r.preduce(0, plus)[0];
}

// Objects that hold arrays.
class series {
public:
  explicit series(numbers values) : values_(std::move(values)) {}
  series add(int k) const {
    return series(values_.pmap([k](int x) { return x + k; }));
  }
  series scale(int k) const {
    return series(values_.pmap([k](int x) { return x % 1000 * k; }));
  }
  int sum() const { return values_.preduce(0, plus)[0]; }

private:
  numbers values_;
};
int objects(const numbers& a, unsigned k) {
  series s(a);
  if ((k & 1U) != 0)
    s = s.add(3);
  if ((k & 2U) != 0)
    s = s.scale(5);
  return ((k & 4U) != 0 ? s.add(1) : s).sum();
}

// Assigned by others.
int elsewhere(numbers a, bool b) {
  const numbers& same = a;
  const auto set = [&a] { a = a.pmap([](int x) { return x % 99 * 9; }); };
  if (b)
    set();
  return plus(same.preduce(0, plus)[0], a[0]);
}
void improve(numbers& a) {
  a = a.pmap([](int x) { return x + 21; });
}
int given(const numbers& a, bool b) {
  numbers r = a.pmap([](int x) { return x ^ 4; });
  if (b)
    improve(r);
  const numbers before = std::exchange(r, r.pmap([](int x) { return x - 4; }));
  return r.preduce(0, plus)[0] - 2 * before.preduce(0, plus)[0];
}
numbers lasting(const numbers& a, bool b) {
  static numbers kept = a.pmap([](int x) { return x + 12; });
  if (b)
    kept = kept.pmap([](int x) { return x + 13; });
  return kept;
}
int from_outside(const numbers& a, const std::function<numbers(const numbers&)>& f) {
  return f(a).preduce(0, plus)[0];
}

// Exceptions, of the program and of sections.
int thrown(const numbers& a, int k) {
  numbers r = a;
  try {
    r = a.pmap([](int x) { return x + 31; });
    if (k != 0)
      throw k;
    r = r.pmap([](int x) { return x % 500 * 2; });
  } catch (int) {
    r = r.pmap([](int x) { return x - 1; });
  }
  return r.preduce(0, plus)[0];
}
int empty(const numbers& a, bool b) {
  numbers r;
  if (b)
    r = a.pselect([](int x) { return x > 1000000; }).pmap([](int x) { return x + 1; });
  else
    r = a.pmap([](int x) { return x + 2; });
  try {
    return r.preduce(plus).value();
  } catch (const std::exception&) {
    return -1;
  }
}

} // namespace

int main() {
  const numbers a =
      ikra::pnew(5000, [](std::int64_t i) { return static_cast<int>(i * 7919 % 1013); });
  const auto doubles = a.pmap([](int x) { return x % 100 * 0.25; });
  const auto longs = a.pmap([](int x) { return std::int64_t(x); });
  for (int k = 0; k < 3; ++k)
    std::printf("switch %d %d\n", total(by_switch(a, k)), total(by_switch(by_switch(a, k), 2 - k)));
  for (const bool b : {false, true}) {
    std::printf("either %d\n", total(either(either(a, b), !b)));
    std::printf("either %lld\n", static_cast<long long>(either(longs, b).sum()));
    std::printf("shared %d\n", shared(a, b));
    std::printf("twice %d %d\n", twice(a, b, false), twice(a, b, true));
    std::printf("swapped %d\n", swapped(a, by_switch(a, 1), b));
    std::printf("elsewhere %d\n", elsewhere(a, b));
    std::printf("given %d\n", given(a, b));
    std::printf("lasting %d\n", total(lasting(a, b)));
    std::printf("thrown %d\n", thrown(a, b ? 1 : 0));
    std::printf("empty %d\n", empty(a, b));
  }
  for (int k = 0; k < 4; ++k) {
    std::printf("often %d\n", total(often(a, k)));
    std::printf("lambda %d\n", through_lambda(a, k));
    std::printf("held %d\n", held(a, k));
    std::printf("doubles %.6f\n", of_doubles(doubles, k));
    std::printf("carried %d\n", carried(a, k));
    std::printf("in turns %d\n", in_turns(a, 2 * k));
    std::printf("jumping %d\n", jumping(a, k));
  }
  for (unsigned k = 0; k < 8; ++k)
    std::printf("objects %d\n", objects(a, k));
  for (unsigned k = 0; k < 128; k += 3)
    std::printf("pipeline %d\n", pipeline(a, k));
  const doubling twofold;
  const halving down(false), up(true);
  const filter none;
  for (const filter* f : {static_cast<const filter*>(&twofold), static_cast<const filter*>(&down),
                          static_cast<const filter*>(&up), &none})
    std::printf("virtual %d\n", total(f->apply(a)));
  std::printf("final %d\n", total(twofold.apply(a)));
  std::printf("function %d\n", from_outside(a, [](const numbers& x) {
                return x.pmap([](int y) { return y + 1000; });
              }));
}
