// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs by value: as elements, results, captures, locals, parameters and members of objects; with
// constructors, operators, private members, bases, templates and constants.
#include <ikra/ikra.hpp>

#include <array>
#include <compare>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

struct Vec {
  float x = 0, y = 0;
  Vec operator+(const Vec& o) const { return {x + o.x, y + o.y}; }
  Vec& operator+=(const Vec& o) {
    x += o.x;
    y += o.y;
    return *this;
  }
  Vec& scale(float by) {
    x *= by;
    y *= by;
    return *this;
  }
  float dot(const Vec& o) const { return x * o.x + y * o.y; }
  friend bool operator==(const Vec&, const Vec&) = default;
};
inline Vec operator*(float k, Vec v) { return Vec{.x = k * v.x, .y = k * v.y}; }

class Complex {
public:
  Complex(double re, double im) : re_(re), im_(im) { ++made_; }
  explicit Complex(int re) : Complex(re, 0.0) {}
  Complex operator*(const Complex& o) const {
    return Complex(re_ * o.re_ - im_ * o.im_, re_ * o.im_ + im_ * o.re_);
  }
  double re() const { return re_; }
  double im() const { return im_; }
  int made() const { return made_; }
  static Complex unit() { return Complex(0.0, 1.0); }
  static constexpr int parts = 2;
  operator bool() const { return re_ != 0 || im_ != 0; }

private:
  double re_, im_;
  int made_ = 0;
  IKRA_OBJECT
};

struct Version {
  int major, minor;
  auto operator<=>(const Version&) const = default;
};

struct Base {
  int id;
  int twice() const { return 2 * id; }
};
struct Derived : Base {
  short id; // hides the base's
  std::array<int, 3> parts;
  int table[2][2];
  Derived(int n)
      : Base{n}, id(static_cast<short>(n + 1)), parts{n, n + 1, n + 2}, table{{n, 1}, {2}} {}
  int sum() const {
    return Base::id + id + parts[0] + parts[2] + table[0][0] + table[1][0] + table[1][1];
  }
};

template <class T, int N> struct Row {
  T values[N];
  T total() const {
    T all{};
    for (int i = 0; i < N; ++i)
      all += values[i];
    return all;
  }
};

struct Large {
  int values[100];
  int at(int i) const { return values[i % 100]; }
};

class Particle {
public:
  Particle(Vec position, Vec velocity) : position_(position), velocity_(velocity) {}
  void move(float dt, const Vec& wind) {
    position_ += dt * (velocity_ + wind);
    if (position_.dot(position_) > 100.0f)
      velocity_.scale(-1.0f);
    for (Vec& v : trail_)
      v += wind;
    corners_[1].x += 1.0f;
  }
  const Vec& position() const { return position_; }
  Vec corner(int i) const { return corners_[i] + trail_[0]; }

private:
  Vec position_, velocity_;
  std::vector<Vec> trail_{Vec{1, 2}, Vec{3, 4}};
  std::array<Vec, 2> corners_{};
  IKRA_OBJECT
};

constexpr Vec origin{1.5f, -2.0f};
constexpr std::array<std::array<int, 2>, 2> matrix{{{1, 2}, {3, 4}}};
constexpr std::array<Version, 2> versions{{{1, 2}, {3, 4}}};

class Model {
public:
  explicit Model(float k) : k_(k) {}
  ikra::array<float> run(const ikra::array<Vec>& a) const {
    return a.pmap([*this](const Vec& v) { return k_ * v.x + offset(); });
  }
  float offset() const { return k_ / 2; }

private:
  float k_;
  IKRA_OBJECT
};

struct Triple {
  float x, y, z;
};
struct Cell {
  float of[9];
};

/// Of numbers that have no more than two binary digits after the point.
static std::uint64_t add(std::uint64_t so_far, float f) {
  return so_far * 31 + static_cast<std::uint64_t>(static_cast<std::int64_t>(4 * f));
}

/// Results that are asked for together: structs, which a GPU's warps store, and numbers.
static void together(const ikra::array<Triple>& start) {
  const auto mirrored = start.pmap([](const Triple& t) { return Triple{t.z, t.y, t.x}; });
  const auto cells = start.pmap([](const Triple& t) {
    return Cell{{t.x, t.y, t.z, t.x + t.z, 5, t.x - t.z, t.z + 1, t.y + t.z, t.x + 8 * t.z}};
  });
  const auto parity = start.pmap([](const Triple& t) { return static_cast<int>(t.x) % 2; });
  const auto flat = start.pmap([](const Triple& t) { return Vec{t.x, t.z}; });
  std::uint64_t result = 0;
  for (const Triple& t : mirrored)
    result = add(result, t.x + 2 * t.z);
  for (const Cell& c : cells)
    result = add(result, c.of[0] + 3 * c.of[8]);
  for (const int k : parity)
    result = add(result, static_cast<float>(k));
  for (const Vec& v : flat)
    result = add(result, v.x - v.y);
  std::printf("%zu structs: %016llx\n", start.size(), static_cast<unsigned long long>(result));
}

static void print(const Vec& v) {
  std::printf(" (%g, %g)", static_cast<double>(v.x), static_cast<double>(v.y));
}

// Comparisons of std::array: by the user, by defaulted operators, and within pairs.
struct Name {
  std::array<char, 8> text{};
  std::array<std::array<int, 2>, 2> place{};
  bool operator==(const Name&) const = default;
};

static void compare_arrays() {
  const auto names = ikra::pnew(500, [](std::int64_t i) {
    Name n;
    n.text[static_cast<std::size_t>(i % 8)] = static_cast<char>('a' + i % 3);
    n.place[1][static_cast<std::size_t>(i % 2)] = static_cast<int>(i % 5);
    return n;
  });
  const auto pixels = names.pmap([](const Name& n) {
    return std::pair{std::array{static_cast<std::uint8_t>(n.text[0] * 2), std::uint8_t{7}},
                     n.place[1]};
  });
  const auto first = names[0];
  const auto pixel = pixels[1];
  const auto count = [](const auto& truths) {
    return truths.pmap([](bool b) { return b ? 1 : 0; }).preduce(std::plus<>{})[0];
  };
  std::printf("%d %d", count(names.pmap([first](const Name& n) { return n == first; })),
              count(names.pmap([first](const Name& n) { return n.text != first.text; })));
  std::printf(" %d", count(names.pmap([first](const Name& n) { return n.place < first.place; })));
  std::printf(" %d %d\n", count(pixels.pmap([pixel](const auto& p) { return p == pixel; })),
              count(pixels.pmap([pixel](const auto& p) { return p < pixel; })));
}

int main() {
  compare_arrays();
  for (const std::int64_t n : {1, 31, 33, 5000})
    together(ikra::pnew(n, [](std::int64_t i) {
      const auto k = static_cast<float>(i % 1000);
      return Triple{k, 1, k / 2};
    }));
  const auto a = ikra::pnew(100, [](std::int64_t i) { return Vec{static_cast<float>(i), 1.0f}; });
  const Vec by{0.5f, 0.25f};
  const auto b = a.pmap([by](Vec v) {
    Vec sum = v + by;
    sum += origin;
    return 2.0f * sum.scale(0.5f);
  });
  for (const Vec& v : b.pselect([](const Vec& v) { return v.x > 97.0f; }))
    print(v);
  print(b.preduce([](const Vec& p, const Vec& q) { return p + q; })[0]);
  print(b.preduce(std::plus<>{})[0]);
  std::printf("\n");
  const auto dots =
      a.pcombine(b, [](const Vec& p, const Vec& q) { return p == q ? -1.0f : p.dot(q); });
  std::printf("%g %g\n", static_cast<double>(dots[7]),
              static_cast<double>(dots.preduce(std::plus<>{})[0]));

  const auto turned = ikra::pnew(5, [](std::int64_t i) {
    const Complex z(static_cast<int>(i));
    return z * Complex::unit() * Complex(1.0, Complex::parts);
  });
  for (const Complex z : turned)
    std::printf("%g+%gi %d %d\n", z.re(), z.im(), z.made(), z ? 1 : 0);

  const auto order = ikra::pnew(6, [](std::int64_t i) {
                       const int n = static_cast<int>(i);
                       return Version{n / 2, -n};
                     }).pmap([](const Version& v) {
    const Version other{1, -2};
    return (v < other ? 1 : 0) + (v == other ? 2 : 0) + (v != other ? 4 : 0) +
           (v >= other ? 8 : 0) + ((v <=> other) > 0 ? 16 : 0) + versions[1].minor;
  });
  for (const int n : order)
    std::printf("%d ", n);
  const auto sums =
      ikra::pnew(4, [](std::int64_t i) {
        const Derived d(static_cast<int>(i));
        return d;
      }).pmap([](const Derived& d) { return d.sum() + d.twice() + d.Base::id * matrix[1][0]; });
  for (const int n : sums)
    std::printf("%d ", n);
  const auto rows = ikra::pnew(3, [](std::int64_t i) {
    Row<int, 4> row{{static_cast<int>(i), 1, 2}};
    row.values[3] = 10;
    return row;
  });
  std::printf("%d\n",
              rows.pmap([](const Row<int, 4>& r) { return r.total(); }).preduce(std::plus<>{})[0]);

  Large large{};
  for (int i = 0; i < 100; ++i)
    large.values[i] = i * i;
  std::printf("%d\n", a.pmap([large](const Vec& v) {
                         return large.at(static_cast<int>(v.x)) + large.values[2];
                       }).preduce(std::plus<>{})[0]);
  for (const float f : Model(3.0f).run(a.pselect([](const Vec& v) { return v.x < 3; })))
    std::printf("%g ", static_cast<double>(f));
  const auto smooth =
      a.pstencil({-1, 0, 1}, ikra::keep, [](const auto& v) { return v[-1] + v[0] + v[1]; });
  print(smooth[0]);
  print(smooth[50]);
  std::printf("\n");

  std::vector<Particle> store;
  for (int i = 0; i < 50; ++i)
    store.emplace_back(Vec{static_cast<float>(i) / 4, 1}, Vec{1, static_cast<float>(i % 7)});
  const Vec wind{0.25f, -0.5f};
  ikra::objects(store).peach(20, [&](Particle* p) { p->move(0.125f, wind); });
  const auto positions = ikra::objects(store).pmap([](const Particle* p) { return p->position(); });
  for (int i = 0; i < 50; i += 9)
    print(positions[i]);
  const auto corners = ikra::objects(store).pmap([](const Particle* p) { return p->corner(1); });
  print(corners[3]);
  std::printf("\n");
  return 0;
}
