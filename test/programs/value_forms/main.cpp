// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of classes in many forms: in namespaces, templates and classes that hide them, with
// conversions, defaults and references into them; in windows, containers, constants and structured
// bindings; with bases that are not public; enumerations that braces make of integers.
#include <array>
#include <ikra/ikra.hpp>
#include <iostream>
#include <tuple>
#include <vector>
namespace geo {
struct world {
  int a;
  float b;
};
enum class Kind { x, y };
template <class T> struct V3 {
  T x, y, z;
  constexpr T sum() const { return x + y + z; }
  friend V3 operator+(V3 a, const V3& b) {
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
    return a;
  }
  template <class U> explicit operator V3<U>() const {
    return {static_cast<U>(x), static_cast<U>(y), static_cast<U>(z)};
  }
  operator bool() const { return x != 0; }
};
} // namespace geo
// What is inherited, left to the class, and gone through by iterators of its own.
namespace own {
struct Base {
  int x = 0, y = 0;
  Base() = default;
  Base(int x, const int& y) : x(x), y(y * 2) {}
};
struct Derived : Base {
  using Base::Base;
  int z = 7;
};
struct More : Derived {
  using Derived::Derived;
};
struct Given {
  int a = 1;
  int b = a + 1;
  int c = b * 2;
};
struct Span {
  int first = 0, last = 0;
  struct Place {
    int at;
    int operator*() const { return at * 3; }
    Place& operator++() {
      ++at;
      return *this;
    }
    bool operator==(const Place& o) const { return at == o.at; }
  };
  Place begin() const { return {first}; }
  Place end() const { return {last}; }
};
struct Few {
  int v[4] = {1, 2, 3, 4};
  int n = 3;
  int* begin() { return v; }
  int* end() { return v + n; }
  const int* begin() const { return v; }
  const int* end() const { return v + n; }
};

void show(const char* name, const ikra::array<int>& a) {
  std::cout << name << ':';
  for (const int e : a)
    std::cout << ' ' << e;
  std::cout << '\n';
}
void forms() {
  const ikra::array a{std::vector<int>{0, 1, 2, 3, 10, 25}};
  show("inherit", a.pmap([](int x) {
    const Derived d(x, 3);
    const More m{x, x};
    return d.x + d.y * 10 + d.z * 100 + m.y + m.z;
  }));
  show("given", a.pmap([](int x) {
    const Given g{x};
    const Given h{.a = 2, .b = x};
    const Given i{};
    return g.a + g.b * 100 + g.c * 10000 + h.c + i.c;
  }));
  show("own", a.pmap([](int x) {
    int sum = 0;
    for (int v : Span{x, x + 3})
      sum = sum * 2 + v;
    Few few{.n = 2};
    for (int& v : few)
      v += x;
    for (const int v : few) {
      if (v == 2)
        continue;
      for (int w : few)
        sum += v * w;
    }
    return sum;
  }));
}
} // namespace own
struct K {
  geo::Kind k = geo::Kind::y;
  bool on = true;
  char c{'q'};
};
class Outer {
  IKRA_OBJECT
  struct In {
    int v;
    short w;
  };
  enum class E { a, b };
  static int weight(const In& i) {
    In j{i};
    j.w += 1;
    return j.v * j.w + (E::b == E::a);
  }

public:
  static ikra::array<int> run(const ikra::array<int>& a) {
    const In other{1, 2};
    return a.pmap([other](int n) { return weight(In{n, 2}) + weight(other) - 3; });
  }
};
struct Root {
  int r = 2;
  int twice() const { return 2 * r; }
  void raise(int by) { r += by; }
  Root* self() { return this; }
};
class Middle : protected Root {
public:
  Middle() = default;
  explicit Middle(int k) : Root{k}, m(k + 1) {}
  int both() const { return r + twice() + this->m; }
  int m = 3;
};
class Hider : Middle {
public:
  Hider() = default;
  explicit Hider(int k) : Middle(k) { raise(1); }
  int all() {
    raise(m);
    Root& root = *this;
    root.r += 1;
    const Middle* middle = this;
    return both() + middle->m + Root::self()->r + root.twice();
  }
  using Middle::m;
  IKRA_OBJECT
};
struct Level {
  int count = 2;
  void raise(int by) { count += by; }
};
class Kept : private Level { // an object
public:
  int next() {
    raise(3);
    return 2 * count;
  }
  int last = 0;
  IKRA_OBJECT
};
enum class Chosen : int { none, one, two };
enum class Byte : unsigned char {};
struct Braces {
  Chosen c{1};
  Byte b;
  explicit Braces(int x) : b{static_cast<unsigned char>(x)} {}
};
void bases() {
  const ikra::array a{std::vector<int>{1, 2, 5}};
  for (const int x :
       a.pmap([](int k) { return Hider(k); }).pmap([](Hider h) { return h.all() * 10 + h.m; }))
    std::cout << x << ' ';
  for (const int x : a.pmap([](int k) {
         Middle q(k), s;
         const Chosen c{k}, d = Chosen{k + 1};
         Chosen all[2]{Chosen{2}, c};
         const Braces made(k);
         all[0] = Chosen{0};
         switch (Chosen e{k % 3}; e) {
         case Chosen{1}:
           return 1000 + q.both() * s.both();
         default:
           return static_cast<int>(c) + 3 * static_cast<int>(d) + 5 * static_cast<int>(all[0]) +
                  7 * static_cast<int>(all[1]) + 11 * static_cast<int>(made.c) +
                  13 * static_cast<int>(made.b);
         }
       }))
    std::cout << x << ' ';
  std::vector<Kept> kept(3);
  ikra::objects(kept).peach(2, [](Kept* o) { o->last += o->next(); });
  for (const Kept& o : kept)
    std::cout << o.last << ' ';
  std::cout << '\n';
}
struct Acc {
  int n = 0;
  double s = 0;
  Acc() = default;
  Acc(double x) : n(1), s(x) {}
  Acc operator()(const Acc& o) const {
    Acc r;
    r.n = n + o.n;
    r.s = s + o.s;
    return r;
  }
};
inline Acc merge(const Acc& a, const Acc& b) { return a(b); }
inline const int& larger(const int& a, const int& b) { return a < b ? b : a; }
struct Mat {
  float m[2][3];
  float& at(int i, int j) { return m[i][j]; }
  const float& at(int i, int j) const { return m[i][j]; }
};
inline auto two(int n) { return std::array{std::pair{n, 1.5}, std::pair{n + 1, 2.5}}; }
struct Counter {
  int value;
  int next() { return ++value; }
};
/// A copy that is written out leaves what it copies as it is.
static int copies(std::int64_t i) {
  ikra::random dice(7, static_cast<std::uint64_t>(i));
  const unsigned first = ikra::random(dice).bits();
  Counter counter{static_cast<int>(i)};
  Counter&& other = Counter(counter);
  other.value += 5;
  return (first == dice.bits() ? 1000 : 2000) + Counter(counter).next() + 10 * counter.value +
         100 * other.value;
}

// Arrays whose elements a constructor makes: those that a list leaves out, and all of them.
struct Seven {
  int v;
  Seven() : v(7) {}
  Seven(int x) : v(x + 100) {}
};
struct Pair {
  int first = 4;
  Seven second;
};
struct Made {
  Seven all[3];
  Pair some[2];
  int n;
  Made(int x) : some{Pair{x, Seven(x)}}, n(all[2].v) {}
};
static int made_in_arrays(int x) {
  const std::array<Seven, 3> listed{x};
  std::array<Pair, 3> empty{};
  empty[0].first = x;
  Seven in_braces[2][2] = {{x}};
  Seven all[3];
  Pair aggregates[2];
  all[0] = x;
  const Made whole(x);
  return listed[0].v + listed[2].v + empty[0].first + empty[2].first + empty[1].second.v +
         in_braces[0][0].v + in_braces[1][1].v + all[0].v + all[2].v + aggregates[1].first +
         aggregates[1].second.v + whole.n + whole.some[0].second.v + whole.some[1].first;
}

int main() {
  bases();
  using geo::V3;
  auto a = ikra::pnew(50, [](std::int64_t i) { return int(i); });
  for (const int copied : ikra::pnew(3, copies))
    std::cout << copied << '\n';
  for (const int made : a.pmap(made_in_arrays).pselect([](int x) { return x % 7 == 0; }))
    std::cout << made << '\n';
  auto w = a.pmap([](int n) { return geo::world{.a = n, .b = 2}; });
  std::cout << w[7].a << w[7].b << '\n';
  auto tw = w.pmap([](geo::world x) { return std::tuple<geo::world, geo::Kind>(x, geo::Kind::y); });
  std::cout << std::get<0>(tw[3]).a << int(std::get<1>(tw[3])) << '\n';
  auto v = a.pmap([](int n) { return V3<int>{n, n + 1, 1} + V3<int>{1, 1, 1}; });
  std::cout << v.pmap([](const V3<int>& x) {
                  return static_cast<V3<double>>(x).sum() + (x ? 1 : 0);
                }).preduce(std::plus<>{})[0]
            << '\n';
  std::cout << v.preduce([](auto x, const auto& y) { return x + y; })[0].z << '\n';
  auto k = a.pmap([](int n) {
    K r;
    if (n > 3)
      r.k = geo::Kind::x;
    r.c = 'z';
    return r;
  });
  std::cout << int(k[2].k) << int(k[5].k) << k[3].on << k[1].c << '\n';
  for (int x : Outer::run(a).pselect([](int x) { return x > 140; }))
    std::cout << x << ' ';
  auto acc = a.pmap([](int n) { return Acc(n); }).preduce(merge)[0];
  std::cout << acc.n << ' ' << acc.s << '\n';
  auto m = a.pmap([](int n) {
    Mat r{};
    r.at(0, 1) = float(n);
    r.at(1, 2) = 3;
    r.m[1][0]++;
    const Mat c = r;
    return c;
  });
  std::cout << m.pmap([](const Mat& x) {
                  return x.at(0, 1) + x.at(1, 2) * x.m[1][0];
                }).preduce(std::plus<>{})[0]
            << '\n';
  auto f = a.pmap([](int n) {
    auto ps = two(n);
    int s = 0;
    for (const auto& [p, q] : ps)
      s += p * int(q);
    for (auto& [p, q] : ps) {
      p = 2;
      q += p;
    }
    return s + int(ps[1].second) + int(ps.back().second);
  });
  std::cout << f.preduce(std::plus<>{})[0] << '\n';
  const float weights[2][2] = {{1, 2}, {3, 4}};
  std::array<std::array<float, 2>, 2> wts{{{1, 2}, {3, 4}}};
  std::cout << a.pmap([wts](int n) {
                  auto row = wts[std::size_t(n % 2)];
                  std::swap(row[0], row[1]);
                  return row[0] + wts.at(1).at(0);
                }).preduce(std::plus<>{})[0]
            << weights[0][0] << '\n';
  auto sel = a.with_index().pselect(
      [](int n, std::int64_t i) { return std::tuple(n, i) < std::tuple(4, std::int64_t(9)); });
  std::cout << sel.size() << '\n';
  auto mm = ikra::pnew({4, 4}, [](ikra::index<2> i) { return std::pair{int(i[0]), int(i[1])}; });
  auto st = mm.pstencil({{-1, 0}, {0, 0}, {0, 1}}, std::pair{-1, -1}, [](auto v) {
    return std::pair{v(-1, 0).first + v(0, 1).second, std::get<1>(v(0, 0))};
  });
  for (auto [p, q] : st)
    std::cout << p << ',' << q << ' ';
  auto cl = mm.pstencil({{-1, 0}, {0, 0}, {0, 1}}, ikra::clamp, [](const auto& v) {
    const auto [p, q] = v(-1, 0);
    return p * 10 + q + v(0, 1).second;
  });
  for (int p : cl)
    std::cout << p << ' ';
  std::vector<geo::world> table{{1, 2.f}, {3, 4.f}};
  ikra::array warr{table};
  std::cout << a.pmap([table, warr](int n) {
                  float s = 0;
                  for (const auto& t : table)
                    s += t.b;
                  return table[std::size_t(n % 2)].a + int(s) + warr[n % 2].a;
                }).preduce(std::plus<>{})[0]
            << '\n';
  std::cout << a.pmap([](int n) {
                  int c = 3;
                  if (n > 1)
                    c = larger(n, c);
                  constexpr V3<int> o{1, 2, 3};
                  constexpr int s = o.sum();
                  return std::clamp(n, 3, 40) + c + s + o.y;
                }).preduce(std::plus<>{})[0]
            << '\n';
  own::forms();
}
