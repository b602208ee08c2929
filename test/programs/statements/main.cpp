// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every statement that sections may hold, with its less usual forms.

#include <ikra/ikra.hpp>

#include <array>
#undef NDEBUG // assert is tested too
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <limits>
#include <ranges>
#include <utility>
#include <vector>

#define TWICE(x) ((x) + (x))
#define LIMIT 5
#define ADD_TO(sum, x)                                                                             \
  do {                                                                                             \
    sum += (x);                                                                                    \
  } while (false)

namespace {

enum class Mode { off, slow, fast };

struct Counter {
  int value = 3;
  int calls = 0;
  std::array<int, 4> slots{};
  std::vector<int> list{1, 2, 3};
  int plain[3] = {4, 5, 6};
  Counter* next = nullptr;

  int bump() { return ++calls; }
  int& slot(int i) { return slots[static_cast<std::size_t>(i)]; }
  const int& read(int i) const { return slots[static_cast<std::size_t>(i)]; }
  bool ready() const { return value > 2; }
};

void show(const char* name, const ikra::array<int>& a) {
  std::cout << name << ':';
  for (const int e : a)
    std::cout << ' ' << e;
  std::cout << '\n';
}

int classify(int e) {
  switch (e) {
  case 0:
    return 100;
  case 1:
  case 2: {
    const int twice = e * 2;
    return twice;
  }
  case 3 ... 5:
    e += 7;
    [[fallthrough]];
  case 6:
    e *= 2;
    break;
  default:
    if (e < 0)
      return -1;
    e = 0;
  }
  return e;
}

int collatz(int n) {
  int steps = 0;
  while (n != 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    if (++steps > 200)
      break;
  }
  return steps;
}

void halve(int& x) { x /= 2; }
int& largest(int& a, int& b) { return a > b ? a : b; }

struct Metres {
  double value = 0;
};
constexpr double operator""_deg(long double d) { return static_cast<double>(d) * 2; }
constexpr int operator""_k(unsigned long long n) { return static_cast<int>(n) * 1000; }
inline Metres operator""_m(unsigned long long n) { return {static_cast<double>(n)}; }
inline int operator""_plus(unsigned long long n) { return static_cast<int>(n) + 1; }
template <class T> double scaled(T x) { return 1.5_deg * x + 2_k + (3_m).value + 4_plus; }

// Of C and the compiler.
enum class Side { port, starboard };
int leaning(Side side) {
  switch (side) {
  case Side::port:
    return -1;
  case Side::starboard:
    return 1;
  }
  __builtin_unreachable();
}
float inverse_root(float x) { // by the bits of a number
  std::int32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits = 0x5f3759df - (bits >> 1);
  float y = 0;
  std::memcpy(&y, &bits, sizeof y);
  return y * (1.5f - 0.5f * x * y * y);
}
int counted(int x) {
  assert(x > -1000 && "a \"number\" of the test");
  const auto wide = static_cast<unsigned long long>(x + 9) << 33;
  if (__builtin_expect(x % 2 == 0, 1))
    return __builtin_popcount(static_cast<unsigned>(x)) + __builtin_clzll(wide);
  return __builtin_parityll(wide) * 100 + __builtin_ctz(static_cast<unsigned>(x)) +
         __builtin_popcount(x);
}

struct Left {
  int of = 0;
  explicit operator bool() const { return of > 2; }
};
struct Few {
  int v[4] = {1, 2, 3, 4};
  int n = 3;
  int* begin() { return v; }
  int* end() { return v + n; }
  const int* begin() const { return v; }
  const int* end() const { return v + n; }
};
struct Node {
  int v = 0;
  Node* next = nullptr;
  Few few;
};
int lower(int x) noexcept { return x / 2; }
int higher(int x) { return x * 2; }

void show_all(const char* name, const auto& a) {
  std::cout << name << ':';
  for (const auto e : a)
    std::cout << ' ' << e;
  std::cout << '\n';
}

// Arrays of characters that literals give their values.
struct Word {
  char text[8] = "abc";
  int n = 3;
};
struct Sign {
  char16_t of[4];
};
constexpr char letters[] = "lett\"er\\\n";
void texts() {
  const ikra::array a{std::vector<int>{0, 1, 2, 3, 10, 25}};
  show("texts", a.pmap([](int x) {
    constexpr char w[] = "hello\0x";
    const char v[12] = "w\xe4rld";
    char u[] = ("ab");
    u[0] = 'z';
    return w[x % 5] + v[x % 7] * 3 + u[x % 2] + static_cast<int>(sizeof w);
  }));
  show("words", a.pmap([](int x) {
    static constexpr char w[] = "static";
    const Word k, m{"xyz", x};
    const Sign s{u"h\u00e9"};
    return w[x % 6] + k.text[x % 4] * 3 + m.text[x % 3] + s.of[1] + letters[x % 8];
  }));
}

// A hash of a text at compile time.
constexpr std::uint32_t hashed(const char* text) {
  std::uint32_t h = 2166136261U;
  for (; *text != 0; ++text)
    h = (h ^ static_cast<std::uint32_t>(*text)) * 16777619U;
  return h;
}

// Constants that are calls, literals of the program's own, and conditions that declare.
void less_usual() {
  const ikra::array a{std::vector<int>{0, 1, 2, 3, 10, 25}};
  show_all("counted", a.pmap([](int x) {
    long sum = 0;
    for (const int k : std::views::iota(x / 2, x)) {
      if (k % 7 == 6)
        continue;
      for (auto j : std::ranges::iota_view(0U, std::size_t{4})) // unlike types
        sum += k * static_cast<long>(j);
    }
    return sum;
  }));
  show_all("hashes", a.pmap([](int x) {
    constexpr auto k = hashed("hello");
    switch (k % static_cast<std::uint32_t>(x + 7)) {
    case hashed("word") % 7:
      return 1.0F;
    case hashed("hello") % 10:
      return 2.0F;
    default:
      return static_cast<float>(k % 1009);
    }
  }));
  show_all("inf", a.pmap([](int x) { return x > 1 ? INFINITY : -HUGE_VALF; }));
  show_all("huge", a.pmap([](int x) { return x > 1 ? HUGE_VAL : M_PI; }));
  show_all("nan", a.pmap([](int x) {
    const float q = NAN;
    return std::isnan(q) ? FLT_MAX : float(x);
  }));
  show_all("limits", a.pmap([](int x) {
    constexpr double big = HUGE_VAL;
    return std::isinf(big) ? std::numeric_limits<float>::infinity()
                           : static_cast<float>(INT_MAX + x - 100);
  }));
  show_all("udl", a.pmap([](int x) { return 1.5_deg * x + 2_k + (3_m).value + 4_plus; }));
  show_all("builtins", a.pmap([](int x) {
    return counted(x) + leaning(x > 2 ? Side::port : Side::starboard);
  }));
  show_all("bits", a.pmap([](int x) { return inverse_root(static_cast<float>(x + 20)); }));
  show_all("udl in a template", a.pmap([](int x) { return scaled(x); }));
  show_all("noexcept", a.pmap([](int x) { return noexcept(lower(x)) * 2 + noexcept(higher(x)); }));
  show_all("while", a.pmap([](int x) {
    int sum = 0;
    while (int half = x / 2) {
      x = half;
      if (half == 3)
        continue;
      sum += half;
    }
    x += 6;
    while (const Left left{x}) {
      if (--x == 4)
        continue;
      sum += left.of;
    }
    for (int i = 5; const bool more = i > x; --i) {
      if (i == 4)
        continue;
      sum += more * i;
    }
    return sum;
  }));
  show_all("bind", a.pmap([](int x) {
    int arr[3] = {x, x + 1, x + 2};
    auto [p, q, r] = arr;
    arr[0] = 100;
    auto& [s, t, u] = arr;
    t = 50;
    int rows[2][3] = {{x, 2, 3}, {4, 5, 6}};
    for (auto& row : rows)
      for (int& v : row)
        v += row[0];
    for (const auto& row : rows)
      r += row[2] * 2;
    const Few few;
    const auto& [f0, f1, f2, f3] = few.v;
    return p + q + r + s + t + arr[1] + u + f0 + f1 + f2 + f3;
  }));
  show_all("copied", a.pmap([](int x) {
    auto f = [x](int y) { return x * y; };
    auto g = f;
    const auto h = [g](int y) { return g(y) + 1; };
    auto k = h;
    return g(2) + k(3);
  }));
  std::vector<Node> nodes(5);
  std::vector<Node*> pointers;
  for (Node& n : nodes) {
    n.v = static_cast<int>(&n - nodes.data());
    n.next = n.v > 0 ? &n - 1 : nullptr;
    pointers.push_back(&n);
  }
  ikra::array b{pointers};
  show_all("objects", b.pmap([](const Node* n) {
    int sum = 0;
    const Node* at = n;
    while (const Node* next = at->next) {
      sum += next->v;
      at = next;
    }
    for (at = n; const auto* next = at->next; at = next)
      sum = sum * 2 + next->v;
    for (int v : n->few)
      sum += v;
    return sum;
  }));
  show_all("exchange", b.pmap([](Node* n) {
    Node* at = n;
    Node* before = std::exchange(at, n->next);
    Node* none = std::exchange(before, nullptr);
    return none->v + (at ? at->v * 10 : -1) + (before == nullptr ? 100 : 0);
  }));
  b.peach([](Node* n) {
    Node* old = std::exchange(n->next, n);
    n->v += (old ? 1 : 1000);
    for (int& v : n->few)
      v *= n->v;
  });
  for (Node& n : nodes)
    std::cout << n.v << ' ' << (n.next == &n) << ' ' << n.few.v[0] << ' ' << n.few.v[3] << '\n';
}

} // namespace

int main() {
  const ikra::array a{std::vector<int>{-3, 0, 1, 2, 3, 4, 5, 6, 7, 27}};

  show("switch", a.pmap([](int e) { return classify(e); }));
  show("while", a.pmap([](int e) { return e < 1 ? 0 : collatz(e); }));
  show("do", a.pmap([](int e) {
    int digits = 0;
    do {
      ++digits;
      e /= 2;
    } while (e != 0);
    return digits;
  }));
  show("for", a.pmap([](int e) {
    int sum = 0;
    for (int i = 0, j = 10; i < j; ++i, --j) {
      if (i == 3)
        continue;
      sum += i * j + e;
    }
    for (;;) {
      if (sum > 50 || sum < -50)
        break;
      sum += 9;
    }
    int k = 0;
    for (k = 1; k < 4; k++)
      sum -= k;
    return sum + k;
  }));
  show("if with init", a.pmap([](int e) {
    int sum = 0;
    if (int x = e * 2, y = e + 1; x > y)
      sum += x;
    else if (const int z = x - y; z < -2)
      sum -= z;
    else
      sum = 1000;
    if (sum += 1; sum % 2 == 0)
      return sum;
    if (const int rest = sum % 4)
      return -rest;
    return 0;
  }));
  show("switch with init", a.pmap([](int e) {
    int x = 1;
    switch (x += e; x) {
    case 1:
      return 10 + x;
    case 2:
      x = 99;
    }
    switch (const int rest = e % 3; rest) {
    case 0:
      x += 1;
      break;
    case 1:
      x += rest * 5;
    }
    switch (const int rest = x % 5) {
    case 2:
      return rest + 1000;
    default:
      return x;
    }
  }));
  show("arrays", a.pmap([](int e) {
    int t[4] = {1, e};
    int grid[2][3] = {{1, 2, 3}, {4, e, 6}};
    int none[3] = {};
    int sum = 0;
    for (int x : t)
      sum += x;
    for (int& x : none)
      x = sum++;
    t[2] = none[1];
    return sum + t[2] + grid[1][1] * grid[0][2];
  }));
  show("init in range for", a.pmap([](int e) {
    int sum = 0;
    for (int t[3] = {1, 2, e}; const int x : t)
      sum = sum * 3 + x;
    return sum;
  }));
  show("compound", a.pmap([](int e) {
    int x = e;
    x += 3;
    x -= 1;
    x *= 2;
    x <<= 2;
    x >>= 1;
    x |= 8;
    x &= ~1;
    x ^= 21;
    x %= 1000;
    int y = x++;
    y += ++x;
    y -= x-- * 3;
    y += --x;
    int p, q;
    p = q = y;
    return (p += 2) + q;
  }));
  show("comma and conditional", a.pmap([](int e) {
    int x = 0, y = 0;
    (e > 2 ? x : y) = 7;
    x = (y += 1, y * 2) + x;
    return e > 0 ? e > 3 ? x : -x : y;
  }));
  show("references", a.pmap([](int e) {
    int x = e, y = 10;
    int& r = x;
    const int& c = r;
    r += 5;
    halve(y);
    halve(r);
    largest(x, y) = 0;
    largest(x, y) += 4;
    return x * 100 + y + c;
  }));
  show("macros", a.pmap([](int e) {
    int sum = TWICE(e);
    ADD_TO(sum, LIMIT);
    return sum > LIMIT ? __LINE__ - __LINE__ + sum : -sum;
  }));
  show("comments", a.pmap([](int e) { // a comment with a brace: {
    /* another ) */ return e + 1;     // }
  } /* after */));
  show("constants", a.pmap([](int e) {
    constexpr int step = 4;
    static constexpr int wide = 100;
    const auto mode = e > 3 ? Mode::fast : Mode::slow;
    using number = long;
    enum Local { red = 1, green = 10 };
    const Local colour = e > 1 ? green : red;
    const number n = e * step;
    return static_cast<int>(n) + wide + static_cast<int>(mode) + colour;
  }));
  show("constexpr if", a.pmap([](auto e) {
    if constexpr (sizeof(e) == 8)
      return 1;
    else if constexpr (sizeof e == 4)
      return static_cast<int>(e + sizeof(int));
    else
      return 0;
  }));
  show("nested blocks", a.pmap([](int e) {
    int x = e;
    {
      int x = 5;
      x += e;
      {
        const int e = x;
        x = e * 2;
      }
      if (x > 10)
        ;
      else
        return x;
    }
    return x;
  }));

  std::vector<Counter> counters(5);
  std::vector<Counter*> pointers;
  for (Counter& c : counters) {
    c.next = &counters[(static_cast<std::size_t>(&c - counters.data()) + 2) % counters.size()];
    c.value = static_cast<int>(&c - counters.data());
    pointers.push_back(&c);
  }
  ikra::array{pointers}.peach(3, [](Counter* c) {
    c->bump();
    c->slot(1) += c->calls;
    c->slots[2] = c->read(1) * 2;
    int& third = c->slots[3];
    third = third * 2 + 1;
    for (int& x : c->list)
      x += c->value;
    for (std::size_t i = 0; i < c->list.size(); ++i)
      c->list[i] *= 2;
    c->plain[1] += c->list.back() - c->list.front();
    if (Counter* n = c->next; n && n->ready())
      c->plain[0]++;
    if (auto* n = c->next)
      c->plain[2] += n->value;
    (c->value > 1 ? c->calls : c->slots[0]) += 10;
  });
  for (const Counter& c : counters) {
    std::cout << c.calls;
    for (int x : c.slots)
      std::cout << ' ' << x;
    for (int x : c.list)
      std::cout << ' ' << x;
    for (int x : c.plain)
      std::cout << ' ' << x;
    std::cout << '\n';
  }
  less_usual();
  texts();
}
