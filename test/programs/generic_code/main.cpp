// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What generic code is written with: operators of the standard library that templates are given and
// capture, beside lambdas and function objects of the user's; index sequences and tags; lists in
// braces that loops go through; captured packs, and folds over them; lambdas with several instances
// that are given pointers, or called by the name of their operator.
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

template <class A> static void print(const char* name, const A& a) {
  std::int64_t weighted = 0;
  int k = 0;
  for (const auto v : a)
    weighted += (++k % 17) * static_cast<std::int64_t>(v);
  std::printf("%s %lld\n", name, static_cast<long long>(weighted));
}

/// A predicate that gives a number, which counts where it is not 0.
template <class T> std::int64_t masked(const ikra::array<T>& a, T mask) {
  return a.any([mask](T x) { return x & mask; }) ? a.count([mask](T x) { return x & mask; }) : 0;
}

template <class T, class Less = std::less<>> auto sorted(const ikra::array<T>& a, Less less = {}) {
  return a.psort([less](const T& x, const T& y) { return less(y, x); });
}
template <class T, class Op> auto combined(const ikra::array<T>& a, Op op) {
  return a.pcombine(a.slice({std::int64_t(a.size()) - 1}, {-1}, {-1}),
                    [op](T x, T y) { return op(op(x, y), x); });
}
template <class T, class Op = std::plus<T>> struct folder {
  Op op{};
  T k;
  T operator()(T x) const { return op(x, k); }
};
struct by_rest {
  int m;
  bool operator()(int a, int b) const { return a % m < b % m; }
};
template <int... O> constexpr auto offsets_sum(const auto& w, std::integer_sequence<int, O...>) {
  return (w[O - 2] + ...);
}
template <class T> T absolute(T x, std::true_type) { return x < 0 ? -x : x; }
template <class T> T absolute(T x, std::false_type) { return x; }
template <class T, std::size_t... I>
T horner(T x, const std::array<T, sizeof...(I)>& c, std::index_sequence<I...>) {
  T r = 0;
  ((r = r * x + c[sizeof...(I) - 1 - I]), ...);
  return r;
}
struct actor {
  int n = 1;
  std::array<int, 3> v{};
  void go() {
    for (int k : {1, 2, 3})
      n += k * n;
    for (auto i : {0, 2})
      v[std::size_t(i)] += n;
  }
};
template <int N, class T> auto repeated(ikra::array<T> a, auto f) {
  for (int k = 0; k < N; ++k)
    a = a.pmap(f);
  return a;
}
struct times {
  int k;
  auto operator()(auto x) const { return x * k % 1009; }
};
template <class F, class G> struct composed {
  F f;
  G g;
  template <class T> auto operator()(const T& x) const { return g(f(x)); }
};

static void generic() {
  const auto i = ikra::pnew(1000, [](std::int64_t k) { return int(k * 37 % 101) - 50; });
  print("repeated lambda", repeated<4>(i, [](auto x) {
          return x * 3 % 1001;
        })); // without captures, before one that has some
  print("repeated object", repeated<3>(i, times{2}));
  print("repeated composition",
        repeated<2>(i, composed<times, composed<times, times>>{{2}, {{3}, {5}}}));
  print("less", sorted(i));
  print("greater", sorted(i, std::greater<>{}));
  print("greater<int>", sorted(i, std::greater<int>()));
  print("own", sorted(i, by_rest{7}));
  print("lambda", sorted(i, [](int a, int b) { return a % 10 < b % 10; }));
  print("plus", combined(i, std::plus<>{}));
  print("minus", combined(i, std::minus<int>{}));
  print("max", combined(i, ikra::max));
  print("xor", combined(i.pmap([](int x) { return unsigned(x); }), std::bit_xor<>{}));
  print("masked", i.slice({0}, {masked(i, 2) + masked(i.pmap([](int x) { return long(x); }), 1L)}));
  print("folder", i.pmap(folder<int>{{}, 4}));
  print("folder *", i.pmap(folder<int, std::multiplies<>>{{}, 4}));
  print("in",
        i.pcombine(i, [](int a, int b) { return std::plus<>{}(a, b) + std::less<int>()(a, b); }));
  print("sequence", i.pstencil({-2, -1, 0, 1, 2}, ikra::clamp, [](const auto& w) {
    return offsets_sum(w, std::make_integer_sequence<int, 5>{});
  }));
  print("tags", i.pmap([](int x) {
    return absolute(x, std::is_signed<int>{}) +
           int(absolute(unsigned(x), std::is_signed<unsigned>()));
  }));
  print("horner", i.pmap([c = std::array{3, 1, 2}](int x) {
    return horner(x, c, std::make_index_sequence<3>());
  }));
  print("list", i.pmap([k = 4](int x) {
    int s = 0;
    for (int d : {-1, k, x + 1})
      for (const auto& e : {2L, 5L})
        s = s * 3 + d + int(e);
    return s;
  }));
  print("pairs", i.pmap([](int x) {
    for (const auto& [a, b] : {std::pair{1, 10}, {7, 70}, {9, 90}})
      if (x % a == 3)
        return b;
    return -1;
  }));
  print("init", i.pmap([](int x) {
    for (int n = 2; int d : {1, 2})
      x += n * d;
    return x;
  }));
  std::vector<actor> store(20);
  ikra::objects(store).peach(3, [](actor* a) {
    a->go();
    for (int k : {4, 5})
      a->n ^= k;
  });
  print("n", ikra::objects(store).pmap(&actor::n));
  print("v", ikra::objects(store).pmap([](const actor* a) { return a->v[2]; }));
}

struct w {
  int k;
  friend bool operator<(const w& a, const w& b) { return a.k < b.k; }
};
static void extrema() {
  const auto i = ikra::pnew(1000, [](std::int64_t k) { return int(k * 37 % 101) - 50; });
  print("in", i.pcombine(i, [](int a, int b) { return ikra::max(a, ikra::min(b, 3)); }));
  print("w", i.pmap([](int a) { return w{a}; }).pscan(ikra::max).pmap(&w::k));
  print("w in", i.pmap([](int a) { return w{a}; }).pmap([](w a) { return ikra::min(a, w{-4}).k; }));
}

template <class... T> void packs(const ikra::array<int>& a, T... v) {
  print("folds", a.pmap([... w = T(v + 1), v...](int x) {
    return x + ((w * v) + ... + 0) + static_cast<int>(sizeof...(w)) * 100;
  }));
  print("by copy", a.pmap([=, k = 3](int x) { return ((x * k) - ... - static_cast<int>(v)); }));
  print("largest", a.pmap([v...](int x) {
    int best = x;
    ((best = best < static_cast<int>(v) ? static_cast<int>(v) : best), ...);
    const auto all = [=](auto... more) { return (more + ... + (static_cast<int>(v) + ... + 0)); };
    return best + all(x, 2) + all(x);
  }));
  print("moved", a.pmap([... w = std::vector<T>(3, v)](int x) {
    return x + (static_cast<int>(w[1]) + ... + 0) + (static_cast<int>(w.size()) * ... * 1);
  }));
}
template <class... P> void pointers(const ikra::array<int>& a, P*... p) {
  print("objects", a.pmap([p...](int x) { return (p->n * ... * x); }));
}

struct other {
  double n = 2.5;
};
struct pair_of {
  actor* a;
  other* b;
  int sum = 0;
  void add() {
    const auto twice = [&](const auto* p, int k) { return static_cast<int>(2 * p->n) + k; };
    sum += twice(a, 1) + 100 * twice(b, sum);
  }
};
static void instances() {
  const auto i = ikra::pnew(50, [](std::int64_t k) { return int(k * 7 % 11) - 3; });
  packs(i, 1, 2.5, 3L);
  packs(i, 4);
  actor a{4, {}};
  other b;
  pointers(i, &a, &a);
  std::vector<pair_of> store(5, {&a, &b});
  ikra::objects(store).peach(2, [](pair_of* p) { p->add(); });
  print("pointers", ikra::objects(store).pmap(&pair_of::sum));
  const auto plus = [](int x) { return x + 2; };
  print("named", i.pmap([plus](int x) {
    const auto half = []<class T>(T y) { return y / T(2); };
    const auto narrow = []<class T>(int y) { return static_cast<int>(static_cast<T>(y)); };
    const auto times = []<int N>(int y) { return N * y; };
    int sum = 0;
    const auto add = [&sum](int y) { sum += y; };
    add.operator()(x);
    return half.operator()<int>(x) + static_cast<int>(10 * half.operator()<double>(x)) +
           narrow.operator()<signed char>(x * 100) + narrow.operator()<short>(x * 10000) +
           times.operator()<3>(x) + times.operator()<4>(x) + plus.operator()(x) + sum;
  }));
}

struct flag {
  int n;
  explicit operator bool() const { return n > 2; }
};
struct scaled {
  int operator()(int a, int b = 7) const { return a * b; }
};
template <class T> void defaults(const ikra::array<T>& a) {
  print("defaults", a.pmap(scaled()));
  print("of a lambda", a.pmap([](T x, int by = 3) { return x * by; }));
}
/// Calls in generic lambdas whose types do not depend on the argument.
static void in_generic_lambdas() {
  const auto i = ikra::pnew(20, [](std::int64_t k) { return int(k * 7 % 11) - 3; });
  const ikra::array flags{std::vector<flag>{{1}, {3}, {2}}};
  const auto totals = [&](auto by) { return i.sum() + (i + i).sum() * static_cast<int>(by); };
  const auto asked = [&]<class T>(T) {
    return 10 * flags.any() + flags.all() + i.count([](int x) { return x > 2; });
  };
  std::printf("in generic lambdas %d %d %lld\n", totals(2), totals(3.5),
              static_cast<long long>(asked(1)));
  std::printf("captured %d\n", [s = i.sum()](auto k) { return k + s; }(3));
  defaults(i);
}

int main() {
  generic();
  instances();
  in_generic_lambdas();
  extrema();
}
