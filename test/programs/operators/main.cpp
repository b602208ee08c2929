// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on arrays whose elements have operators of their own, found in classes, beside them and
// as friends; sums, orders and comparisons by them.
#include <ikra/ikra.hpp>

#include <array>
#include <compare>
#include <cstdio>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

struct vec3 {
  float x = 0, y = 0, z = 0;
  vec3 operator+(const vec3& o) const { return {x + o.x, y + o.y, z + o.z}; }
  vec3 operator-() const { return {-x, -y, -z}; }
  friend vec3 operator*(float s, const vec3& v) { return {s * v.x, s * v.y, s * v.z}; }
  friend auto operator<=>(const vec3&, const vec3&) = default;
};
inline vec3 operator*(const vec3& v, float s) { return {v.x * s, v.y * s, v.z * s}; }

namespace geometry {
class point {
public:
  point() = default;
  point(int x, int y) : x_(x), y_(y) {}
  friend point operator-(point p, point q) { return {p.x_ - q.x_, p.y_ - q.y_}; }
  int norm() const { return x_ * x_ + y_ * y_; }
  bool operator<(const point& o) const { return norm() < o.norm(); }

private:
  int x_ = 0, y_ = 0;
  IKRA_OBJECT
};
inline point operator+(const point& p, const point& q) { return p - (point{} - q); }
enum class bits : unsigned { none = 0, a = 1, b = 2, c = 4 };
constexpr bits operator|(bits x, bits y) {
  return static_cast<bits>(static_cast<unsigned>(x) | static_cast<unsigned>(y));
}
constexpr bits operator<<(bits x, int n) {
  return static_cast<bits>(static_cast<unsigned>(x) << n);
}
} // namespace geometry

template <class T> struct pair_of {
  T re = 0, im = 0;
  pair_of operator*(const pair_of& o) const {
    return {re * o.re - im * o.im, re * o.im + im * o.re};
  }
  pair_of operator+(const pair_of& o) const { return {re + o.re, im + o.im}; }
  pair_of operator/(T s) const { return {re / s, im / s}; }
  bool operator==(const pair_of&) const = default;
  bool operator!() const { return re == 0; }
};

// Too large for a kernel's parameters.
struct row {
  std::array<int, 100> cells{};
  row operator+(const row& o) const {
    row out;
    for (int i = 0; i < 100; ++i)
      out.cells[i] = cells[i] + o.cells[i];
    return out;
  }
  int operator*(const row& o) const {
    int sum = 0;
    for (int i = 0; i < 100; ++i)
      sum += cells[i] * o.cells[i];
    return sum;
  }
};

// Operands are converted.
struct money {
  long cents = 0;
  constexpr money() = default;
  constexpr money(long c) : cents(c) {}
  friend constexpr money operator+(money a, money b) { return money(a.cents + b.cents); }
  friend constexpr bool operator<(money a, money b) { return a.cents < b.cents; }
};

struct checked {
  std::array<int, 4> cells{};
  int operator%(int i) const { return cells.at(i); }
};

struct residue {
  unsigned v = 0;
  residue& operator+=(residue o) {
    v = (v + o.v) % 97;
    return *this;
  }
  friend residue operator+(residue a, residue b) { return a += b; }
};

template <class T> T twice(const ikra::array<T>& a) { return (a + a).sum(); }

static void print(const ikra::array<vec3>& a) {
  for (const vec3 v : a)
    std::printf("(%g %g %g) ", v.x, v.y, v.z);
  std::puts("");
}
static void print(const char* name, vec3 v) { std::printf("%s %g %g %g\n", name, v.x, v.y, v.z); }
template <class T> static void print_numbers(const char* name, const T& numbers) {
  std::printf("%s", name);
  for (const auto n : numbers)
    std::printf(" %d", static_cast<int>(n));
  std::puts("");
}

static void vectors(const ikra::array<vec3>& a, const ikra::array<vec3>& b,
                    const ikra::array<float>& f) {
  print(a + b * 2.0f);
  print(-a);
  print(2.0f * a);
  print(f * a);
  print(a * f);
  print(a + vec3{1, 2, 3});
  print(vec3{1, 2, 3} + a);
  print("sum", a.sum());
  print("fused", (a + b).pmap([](vec3 v) { return v + v; }).sum());
  print("template", twice(a));
  std::printf("%g\n", twice(f));
  print_numbers("less", a < b);
  print_numbers("not less", a >= vec3{4, 0, 0});
  print_numbers("combined", a.pcombine(b, std::less<>{}));
  print(a.psort(std::greater<>{}));
  print((-a).psort());
}

static void points() {
  std::vector<geometry::point> store;
  std::vector<geometry::bits> sets;
  for (int i = 0; i < 10; ++i) {
    store.emplace_back(7 - i, i);
    sets.push_back(static_cast<geometry::bits>(i));
  }
  const ikra::array p{store};
  const auto norm = [](const geometry::point& x) { return x.norm(); };
  print_numbers("norms", (p - p + p).pmap(norm));
  print_numbers("sorted", p.psort().pmap(norm));
  print_numbers("near", p < geometry::point{4, 4});
  print_numbers("bits", (ikra::array{sets} | geometry::bits::c) << 1);
}

static void others() {
  std::vector<pair_of<double>> complex;
  std::vector<money> prices;
  std::vector<row> rows(5);
  std::vector<residue> residues;
  for (unsigned i = 0; i < 1000; ++i)
    residues.push_back({i});
  for (int i = 0; i < 8; ++i) {
    complex.push_back({double(i % 3), double(i)});
    prices.emplace_back((i * 37) % 11);
    rows[i % 5].cells.fill(i);
  }
  const ikra::array z{complex};
  const auto r = (z * z + z) / 2.0;
  std::printf("%g %g\n", r.sum().re, r.sum().im);
  print_numbers("zero", !z);
  print_numbers("equal", z.pcombine(r, std::equal_to<>{}));

  const ikra::array b{rows};
  row k;
  k.cells.fill(3);
  std::printf("%d %d %d %d\n", (b + k)[2].cells[7], (b * b)[3], (k * b)[4], b.sum().cells[99]);

  const ikra::array m{prices};
  std::printf("%ld %ld\n", m.sum().cents, m.preduce(ikra::max)[0].cents);
  for (const money x : (5L + m + m).psort())
    std::printf("%ld ", x.cents);
  print_numbers("cheap", m < money(5));
  const auto table = m.reshape({2, 4});
  std::printf("%ld\n", (table + table + 1L).sum().cents);

  const ikra::array d{residues};
  std::printf("%u %u\n", d.sum().v, (d + d)[60].v);

  const ikra::array c{std::vector<checked>(3)};
  std::printf("%d\n", (c % 2)[1]);
  try {
    std::printf("%d\n", (c % 7)[1]);
  } catch (const std::exception&) {
    std::puts("outside");
  }
}

static void library_classes() {
  std::vector<std::pair<int, float>> pairs;
  for (int i = 0; i < 8; ++i)
    pairs.emplace_back((i * 5) % 3, static_cast<float>(i) * -.5f);
  for (const auto& [x, y] : ikra::array{pairs}.psort())
    std::printf("%d %g, ", x, y);
  print_numbers("less", ikra::array{pairs} < std::pair{1, 0.f});
  const std::vector<std::optional<int>> perhaps{3, std::nullopt, 1};
  for (const auto& x : ikra::array{perhaps}.psort())
    std::printf("%d ", x.value_or(-1));
  std::puts("");
}

int main() {
  std::vector<vec3> s, t;
  std::vector<float> f;
  for (int i = 0; i < 10; ++i) {
    s.push_back({float(i), 1, 2});
    t.push_back({1, float(10 - i), 3});
    f.push_back(float(i) * .5f);
  }
  vectors(ikra::array{s}, ikra::array{t}, ikra::array{f});
  points();
  others();
  library_classes();
  return 0;
}
