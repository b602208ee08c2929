// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bit-fields: of objects, where they are columns whose values wrap as bit-fields do, and of value
// classes. Signed and unsigned ones, enumerations, bool, wide ones, and how arithmetic promotes
// them.
#include <ikra/ikra.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

enum class Kind : unsigned char { none, grass, rabbit, fox };
enum Mood { calm, alert, afraid };

class Cell {
public:
  explicit Cell(unsigned i)
      : alive(i % 2), age(i % 16), kind(static_cast<Kind>(i % 4)), mood(i % 3 == 0 ? afraid : calm),
        is_new(i % 5 == 0), charge_(static_cast<int>(i % 7) - 3), wide_(i * 0x100000001ull) {}

  void grow() {
    age += 3;
    ++charge_;
    if (alive && age > 12)
      alive = 0;
    wide_ -= age;
    is_new = !is_new;
  }
  int charge() const { return charge_ * 2; }
  unsigned long long wide() const { return wide_; }
  void set(int charge) { charge_ = charge; }

  unsigned alive : 1;
  unsigned age : 4;
  Kind kind : 2;
  Mood mood : 2;
  bool is_new : 1;
  unsigned : 3;
  unsigned full : 32 = 5;
  Cell* next = nullptr;

private:
  int charge_ : 3;
  unsigned long long wide_ : 40;
  IKRA_OBJECT
};

/// A pixel of 16 bits.
struct Pixel {
  std::uint16_t red : 5 = 1;
  std::uint16_t green : 6 = 2;
  std::uint16_t : 1;
  std::uint16_t blue : 4 = 3;
  int sum() const { return red + green + blue; }
  Pixel brighter(int by) const {
    Pixel p = *this;
    p.red += static_cast<std::uint16_t>(by);
    p.green = static_cast<std::uint16_t>(green + by);
    return p;
  }
};
struct Signed {
  explicit Signed(int v) : low(v), high(v >> 4), rest{v} {}
  int low : 4;
  int high : 4;
  int rest;
  bool operator==(const Signed&) const = default;
};
constexpr Pixel palette[] = {{31, 63, 15}, {0, 1, 2}, {}};

template <class Array> unsigned hash(const Array& values) {
  unsigned result = 2166136261u;
  for (auto value : values)
    result = (result ^ static_cast<unsigned>(value)) * 16777619u;
  return result;
}

/// Of a bit-field T is its declared type.
template <class T> int below(const T& v) { return v - 10 < T() + T{} + 30 ? 1 : 2; }

int name(Kind k) {
  switch (k) {
  case Kind::none:
    return 1;
  case Kind::grass:
    return 20;
  case Kind::rabbit:
    return 300;
  default:
    return 4000;
  }
}

void objects(unsigned n) {
  std::vector<Cell> cells;
  for (unsigned i = 0; i < n; ++i)
    cells.emplace_back(i);
  for (unsigned i = 0; i < n; ++i)
    cells[i].next = &cells[i * 7 % n];
  const auto a = ikra::objects(cells);

  a.peach(5, [](Cell* c) { c->grow(); });
  // Promoted to int, an unsigned bit-field can be less than nothing; one of 32 bits cannot.
  std::printf("negative %u\n", hash(a.pmap([](const Cell* c) { return c->age - 10 < 0 ? 1 : 0; })));
  std::printf("not negative %u\n",
              hash(a.pmap([](const Cell* c) { return c->full - 10 > 1000 ? 1 : 0; })));
  std::printf("inverse %u\n", hash(a.pmap([](const Cell* c) { return ~c->age + -c->alive; })));
  std::printf("charge %u\n",
              hash(a.pmap([](const Cell* c) { return c->charge() - c->next->charge(); })));
  std::printf("wide %u\n", hash(a.pmap([](const Cell* c) { return c->wide() >> 8; })));
  std::printf("kinds %u\n", hash(a.pmap([](const Cell* c) {
                return name(c->kind) + (c->kind == Kind::fox) + c->mood;
              })));
  std::printf("largest %u\n", hash(a.pmap([](const Cell* c) {
                return std::max<unsigned>(c->age, 7u) + std::min(c->full, 3u);
              })));
  std::printf("below %u\n",
              hash(a.pmap([](const Cell* c) { return below(c->age) * 10 + below(c->full); })));
  std::printf("chosen %u\n",
              hash(a.pmap([](const Cell* c) { return (c->is_new ? c->age : c->alive) / 2.0f; })));
  a.peach([](Cell* c) {
    c->age = c->age * 5 + 1; // wraps
    c->alive ^= c->next->is_new;
    c->kind = static_cast<Kind>((static_cast<int>(c->kind) + 1) % 4);
    c->mood = c->age > 3 ? alert : calm;
    const unsigned before = c->age++;
    c->full = before + (c->age = 40 + before); // what is read is what was left
    c->full <<= 2;
    c->full /= 3;
    c->full |= 1;
  });
  a.peach(3, [](Cell* c, std::int64_t tick) { c->set(static_cast<int>(tick) + c->charge()); });
  a.with_index().peach([](Cell* c, std::int64_t i) { c->age -= static_cast<unsigned>(i % 5); });
  unsigned all = 0;
  for (const Cell& c : cells)
    all = all * 31 + c.alive + 2 * c.age + 32 * static_cast<unsigned>(c.kind) + 128 * c.mood +
          512 * c.is_new + c.full + static_cast<unsigned>(c.charge()) +
          static_cast<unsigned>(c.wide());
  std::printf("all %u\n", all);
  // Ticks that see each other's, elements that are null, several objects.
  a.peach(4, [](Cell* c) { c->age = c->age + c->next->alive; });
  std::vector<Cell*> some;
  for (unsigned i = 0; i < n; ++i)
    some.push_back(i % 3 ? &cells[i] : nullptr);
  const ikra::array b{some};
  std::printf("null %u\n", hash(b.pmap([](const Cell* c) { return c ? c->age + 1 : -1; })));
  std::printf("several %u\n", hash(a.pcombine(b, [](const Cell* x, const Cell* y) {
                return y ? x->age - y->age : 99;
              })));
}

void values(unsigned n) {
  std::vector<Pixel> store(n);
  for (unsigned i = 0; i < n; ++i)
    store[i] = {static_cast<std::uint16_t>(i % 32), static_cast<std::uint16_t>(i % 64),
                static_cast<std::uint16_t>(i % 16)};
  const ikra::array pixels{store};
  std::printf("sums %u\n", hash(pixels.pmap([](Pixel p) { return p.sum() - 40; })));
  std::printf("brighter %u\n",
              hash(pixels.pmap([](const Pixel& p) { return p.brighter(9); }).pmap(&Pixel::sum)));
  std::printf("bindings %u\n", hash(pixels.pmap([](Pixel p) {
                auto [r, g, b] = p;
                r += 20;
                const auto& [s, t, u] = palette[p.red % 3];
                return r * 100 + g - b + s * t - u;
              })));
  std::printf("made %u\n", hash(pixels.with_index().pmap([](Pixel p, std::int64_t i) {
                Pixel q{.red = p.blue, .green = 3, .blue = static_cast<std::uint16_t>(i % 16)};
                q.blue -= 5;
                return q.sum();
              })));
  const auto numbers = ikra::pnew(static_cast<std::int64_t>(n),
                                  [](std::int64_t i) { return Signed(static_cast<int>(i)); });
  std::printf("signed %u\n",
              hash(numbers.pmap([](const Signed& s) { return s.low * 3 + s.high - s.rest; })));
  std::printf("equal %u\n",
              hash(numbers.pmap([](Signed s) { return s == Signed(s.low) ? 1 : 0; })));
}

} // namespace

int main() {
  for (const unsigned n : {1u, 17u, 3000u}) {
    objects(n);
    values(n);
  }
  return 0;
}
