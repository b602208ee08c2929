// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that are chosen by what they are given: overloaded call operators and functions, one
// function object or generic lambda for elements of several types, inherited operators, arguments
// with defaults. And sections that give references to what they are given.
#include <ikra/ikra.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <tuple>
#include <vector>

template <class A> static void print(const char* name, const A& a) {
  double weighted = 0;
  int k = 0;
  for (const auto v : a)
    weighted += (++k % 17) * static_cast<double>(v);
  std::printf("%s %zu %.3f\n", name, static_cast<std::size_t>(a.size()), weighted);
}

struct Add {
  template <class A, class B> auto operator()(A a, B b) const { return a + b / 2; }
};
struct Scaled {
  int k;
  template <class A, class B> auto operator()(const A& a, const B& b) const { return a * k + b; }
};
struct Centre {
  template <class W> auto operator()(const W& w) const { return w[-1] + 2 * w[0]; }
};
struct Centred {
  int k;
  auto operator()(const auto& w) const { return w[-1] + k * w[0]; }
};
struct Either {
  int operator()(int a) const { return a + 1; }
  double operator()(double a) const { return a / 2; }
};
struct Placed {
  auto operator()(auto i) const { return i; }
  auto operator()(auto x, auto i) const { return x + i; }
};
struct Defaulted {
  int operator()(int a, int b = 7) const { return a * b; }
};
struct Sum {
  template <class... T> auto operator()(T... t) const { return (t + ...); }
};
struct Factor {
  int k = 2;
  int operator()(int x) const { return x * k; }
};
struct Third {
  double operator()(double x) const { return x / 3; }
};
struct Inherits : Factor {
  int unused = 5;
};
template <class... F> struct All : F... {
  using F::operator()...;
};
template <class D> struct Curious {
  auto operator()(int x) const { return static_cast<const D&>(*this).apply(x) + 1; }
};
struct Times : Curious<Times> {
  int k;
  explicit Times(int v) : k(v) {}
  int apply(int x) const { return x * k; }
};
struct Minus : Curious<Minus> {
  int apply(int x) const { return x - 4; }
};
struct Helped {
  int inner(int x) const { return x + 11; }
  int operator()(int x) const { return inner(x) * 2; }
};

static int f(int x) { return x + 1; }
static double f(double x) { return x / 2; }

struct Pair {
  int a, b;
  const int& larger() const { return a < b ? b : a; }
  int sum() const { return a + b; }
  int times(int k) const { return a * k; }
  int times(double) const { return 0; }
};
static const Pair& bigger(const Pair& p, const Pair& q) { return p.a < q.a ? q : p; }
static const int& second(const Pair& p) { return p.b; }

struct Actor {
  int id = 0;
  Actor* next = nullptr;
  const int& number() const { return id; }
  Actor* const& follower() const { return next; }
};

static void overloads() {
  const auto i = ikra::pnew(1000, [](std::int64_t k) { return int(k); });
  const auto d = i.pmap([](int x) { return x * 0.25; });
  const auto c = i.pmap([](int x) { return static_cast<signed char>(x); });
  print("int, int", i.pcombine(i, Add{}));
  print("int, double", i.pcombine(d, Add{}));
  print("int, char", i.pcombine(c, Add{}));
  const Scaled scaled{3};
  print("scaled int", i.pcombine(i, scaled));
  print("scaled double", i.pcombine(d, scaled));
  print("scaled char", i.pcombine(c, scaled));
  print("window of int", i.pstencil({-1, 0}, 0, Centre{}));
  print("window of double", d.pstencil({-1, 0}, 0, Centre{}));
  print("centred int", i.pstencil({-1, 0}, 0, Centred{3}));
  print("centred char", c.pstencil({-1, 0}, 0, Centred{5}));
  print("either int", i.pmap(Either{}));
  print("either double", d.pmap(Either{}));
  print("place alone", ikra::pnew(50, Placed{}));
  print("place and element", d.with_index().pmap(Placed{}));
  print("default", i.pmap(Defaulted{}));
  print("no default", i.pcombine(c, Defaulted{}));
  print("lambda's defaults",
        i.pmap([](int x, int k = sizeof(double) + 1, Pair p = {1, 2}) { return x * k + p.sum(); }));
  print("sum of 1", i.pmap(Sum{}));
  print("sum of 3", i.with_index().pcombine(d, Sum{}));
  const auto plus = [](auto a, auto b) { return a + b; };
  print("lambda int", i.pcombine(i, plus));
  print("lambda double", i.pcombine(d, plus));
  print("lambda char", i.pcombine(c, plus));
  const auto window = [k = 3](const auto& w) { return w[-1] + k * w[0]; };
  print("lambda window of int", i.pstencil({-1, 0}, 0, window));
  print("lambda window of double", d.pstencil({-1, 0}, 0, window));
  Inherits inherits;
  inherits.k = 6;
  print("inherited", i.pmap(inherits));
  print("times", i.pmap(Times(4)));
  print("minus", i.pmap(Minus{}));
  print("helped", i.pmap(Helped{}));
  const All<Factor, Third> all{};
  print("all int", i.pmap(all));
  print("all double", d.pmap(all));
  print("f int", i.pmap(static_cast<int (*)(int)>(f)));
  print("f double", d.pmap(static_cast<double (&)(double)>(f)));
  const auto pairs = i.pmap([](int x) { return Pair{x, x % 7}; });
  print("method", pairs.pcombine(i, static_cast<int (Pair::*)(int) const>(&Pair::times)));
}

static void references() {
  print("identity of places", ikra::pnew(1000, std::identity{}));
  print("identity of places",
        ikra::pnew({3, 4}, std::identity{}).pmap([](auto p) { return p[0] * 7 + p[1]; }));
  const auto a = ikra::pnew(1000, [](std::int64_t i) { return i % 3 == 0; });
  print("identity", a.pselect(std::identity{}).pmap(std::identity{}));
  print("index",
        a.with_index().pmap([](bool, const std::int64_t& i) -> const std::int64_t& { return i; }));
  std::printf("%d %d\n", int(a.any(std::identity{})), int(a.count(std::identity{})));
  const auto pairs =
      ikra::pnew(5000, [](std::int64_t i) { return Pair{int(i % 77), int(i % 91)}; });
  print("larger", pairs.pmap(&Pair::larger));
  print("in one kernel",
        pairs.pmap([](Pair p) { return Pair{p.b, p.a}; }).pmap(&Pair::larger).pmap([](int x) {
          return x + 1;
        }));
  print("bigger", pairs.pcombine(pairs.slice({4999}, {-1}, {-1}), bigger).pmap(&Pair::a));
  std::printf("%d\n", pairs.preduce(bigger)[0].a);
  print("scan", pairs.pmap(second).pscan(
                    [](const int& x, const int& y) -> const int& { return std::max(x, y); }));
  print("of a tuple",
        pairs.pzip(pairs.pmap(second)).pmap([](const std::tuple<Pair, int>& t) -> const auto& {
          return std::get<1>(t);
        }));
  std::vector<Actor> store(9);
  std::vector<Actor*> actors;
  for (int k = 0; k < 9; ++k) {
    store[std::size_t(k)] = {k, &store[std::size_t((k + 3) % 9)]};
    actors.push_back(&store[std::size_t(k)]);
  }
  print("number", ikra::array{actors}.pmap(&Actor::number));
  print("follower", ikra::array{actors}.pmap(&Actor::follower).pmap(&Actor::id));
  print("follower's",
        ikra::array{actors}.pmap([](const Actor* x) -> const int& { return x->next->id; }));
}

struct Grow {
  void operator()(Actor* a) const { a->id += 5; }
  int operator()(const Actor* a, int) const { return a->id; }
};
struct ByPointer { // the library hands over a pointer wherever one is taken
  void operator()(Actor* a) const { a->id += 5; }
  void operator()(Actor& a, std::int64_t tick) const { a.id += 100 + static_cast<int>(tick); }
};
struct NoTick {
  void operator()(Actor* a) const { a->id += 7; }
  void operator()(Actor* a, const Actor* b) const { a->id += b->id; }
};
struct DefaultBy {
  int k;
  void operator()(Actor& a, int by = 7) const { a.id += by * k; }
};
struct AtPlace {
  void operator()(Actor* a, std::int64_t i) const { a->id += static_cast<int>(i); }
  void operator()(Actor* a, std::int64_t i, std::int64_t tick) const {
    a->id += static_cast<int>(100 * (tick + 1) + i);
  }
};

// What takes a tick gets one only where there are ticks.
static void ticks() {
  std::vector<Actor> store(9);
  const auto all = ikra::objects(store);
  const auto step = [&](const char* name, auto change) {
    change();
    print(name, all.pmap(&Actor::id));
  };
  step("no tick", [&] { all.peach(Grow{}); });
  step("default", [&] { all.peach([](Actor* a, int by = 7) { a->id += by; }); });
  step("tick", [&] { all.peach(3, [](Actor* a, int by = 7) { a->id += by; }); });
  step("default by reference", [&] { all.peach(DefaultBy{2}); });
  step("tick by reference", [&] { all.peach(4, DefaultBy{2}); });
  step("no tick is taken", [&] { all.peach(3, NoTick{}); });
  step("by pointer", [&] { all.peach(ByPointer{}); });
  step("by pointer in ticks", [&] { all.peach(3, ByPointer{}); });
  step("place", [&] { all.with_index().peach(AtPlace{}); });
  step("place and tick", [&] { all.with_index().peach(3, AtPlace{}); });
  step("pack", [&] { all.peach([](auto* a, auto... more) { a->id += int(sizeof...(more)); }); });
  step("tick in pack",
       [&] { all.peach(2, [](auto* a, auto... more) { a->id += int(sizeof...(more)); }); });
}

int main() {
  overloads();
  references();
  ticks();
}
