// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that loops carry from turn to turn, with results that the host reads in each: a kernel
// that adds an array up also stores it where the next turn, or somebody else, reads it.
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

namespace {

using numbers = ikra::array<int>;

int mixed(int x) {
  unsigned r = static_cast<unsigned>(x);
  for (int k = 0; k < 12; ++k)
    r = r * 1664525U + 1013904223U;
  return static_cast<int>(r >> 20);
}

template <class T, int R> void print(const char* name, const ikra::array<T, R>& a, std::int64_t n) {
  std::uint64_t sum = 0, position = 0;
  for (const T x : a)
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) * (++position % 1009);
  std::printf("%s %zu %llu %lld\n", name, a.size(), static_cast<unsigned long long>(sum),
              static_cast<long long>(n));
}

numbers start(int n) {
  return ikra::pnew(n, [](std::int64_t i) { return static_cast<int>(i * 7 % 1000); });
}

void map_and_sum(int n, int turns) {
  numbers a = start(n);
  std::int64_t total = 0;
  for (int k = 0; k < turns; ++k) {
    a = a.pmap([k](int x) { return mixed(x + k); });
    total += a.sum();
  }
  print("map and sum", a, total);
}

// Until it says so; the loop's test reads what the turn made.
void until(int n) {
  numbers a = start(n);
  int turns = 0;
  do {
    numbers next = a.pmap([](int x) { return x - x / 3; });
    a = std::move(next);
    ++turns;
  } while (a.preduce(0, [](int x, int y) { return x > y ? x : y; }).value() > 20 && turns < 30);
  print("until", a, turns);
}

// Some turns leave it as it is; some make two steps.
void some_turns(int n, int turns) {
  numbers a = start(n);
  std::int64_t total = 0;
  for (int k = 0; k < turns; ++k) {
    if (k % 3 == 1)
      continue;
    if (k % 4 == 0)
      a = a.pmap([](int x) { return mixed(x); });
    a = a.pmap([k](int x) { return x ^ k; });
    total += a.preduce(std::plus<>()).value();
    if (total % 17 == 3)
      break;
  }
  print("some turns", a, total);
}

// Two variables that change places, and one that keeps what the turn before made.
void changing_places(int n, int turns) {
  numbers a = start(n), b = start(n).pmap([](int x) { return x + 1; }), before = a;
  std::int64_t total = 0;
  for (int k = 0; k < turns; ++k) {
    before = b;
    b = a.pcombine(b, [](int x, int y) { return mixed(x) - y; });
    total += b.preduce(std::plus<>()).value() - before[k];
    std::swap(a, b);
  }
  print("changing places", a, total);
  print("changing places", b, total);
  print("changing places", before, total);
}

// The turn's own variable reads the carried one, and all of it is stored.
void distance(int n, int turns) {
  auto a = ikra::pnew(n, [](std::int64_t i) { return static_cast<double>(i % 13); });
  const auto b = ikra::pnew(n, [](std::int64_t i) { return static_cast<double>(i % 5); });
  double last = 0;
  for (int k = 0; k < turns; ++k) {
    const auto next = a.pcombine(b, [](double x, double y) { return (x + y) / 2; });
    last = a.pcombine(next, [](double x, double y) { return x < y ? y - x : x - y; })
               .preduce(0.0, [](double x, double y) { return x > y ? x : y; })
               .value();
    a = next;
  }
  print("distance", a.pmap([](double x) { return static_cast<std::int64_t>(x * 1024); }),
        static_cast<std::int64_t>(last * 1e6));
}

// Reads other elements of the carried array.
void gathered(int n, int turns) {
  numbers a = start(n);
  std::int64_t total = 0;
  for (int k = 0; k < turns; ++k) {
    const numbers doubled = a.pmap([](int x) { return 2 * x; });
    const numbers next = ikra::pnew(
        n, [doubled, n](std::int64_t i) { return (doubled[(i * 5 + 1) % n] + doubled[i]) % 1000; });
    total += a.pcombine(next, [](int x, int y) { return x < y ? y - x : x - y; })
                 .preduce(std::plus<>())
                 .value();
    a = next;
  }
  print("gathered", a, total);
}

// A loop in a loop: the inner one's last turn is what the outer one reads.
void nested(int n, int turns) {
  ikra::array<int, 2> a = ikra::pnew(
      {n, 3}, [](const ikra::index<2>& i) { return static_cast<int>((i[0] + 10 * i[1]) % 4096); });
  std::int64_t total = 0;
  for (int k = 0; k < turns; ++k) {
    for (int m = 0; m < k % 3; ++m)
      a = a.with_index().pmap(
          [](int x, const ikra::index<2>& i) { return (x * 3 + static_cast<int>(i[1])) % 4096; });
    total += a.preduce(std::plus<>()).value();
    a = a.pmap([](int x) { return mixed(x); });
    total -= a.preduce(0, [](int x, int y) { return x > y ? x : y; }).value();
  }
  print("nested", a, total);
}

// Several hold what the kernel passes by: a variable, a container, a command that comes later.
void held(int n, int turns) {
  const numbers a = start(n);
  std::vector<numbers> kept;
  std::int64_t total = 0;
  numbers later;
  for (int k = 0; k < turns; ++k) {
    const numbers b = a.pmap([k](int x) { return mixed(x + k); });
    const numbers c = b.pmap([](int x) { return mixed(x) & 255; });
    total += c.preduce(std::plus<>()).value();
    kept.push_back(k % 2 == 0 ? b : c);
    later = b.pmap([](int x) { return x / 2; });
  }
  for (const numbers& each : kept)
    total = total * 3 + each[n / 2];
  print("held", later, total);
}

// Stencils that a loop carries, and how much each turn changes.
void relaxed(int n, int turns) {
  ikra::array<int, 2> u = ikra::pnew({n, 40}, [](const ikra::index<2>& i) {
    return static_cast<int>((i[0] * 7 + i[1] * 13) % 1000);
  });
  std::int64_t total = 0;
  int change = 1;
  for (int k = 0; k < turns && change != 0; ++k) {
    const auto v = u.pstencil({{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, 0,
                              [](auto w) { return (w(-1, 0) + w(0, -1) + w(0, 1) + w(1, 0)) / 4; });
    change = u.pcombine(v, [](int x, int y) { return x < y ? y - x : x - y; })
                 .preduce(0, [](int x, int y) { return x > y ? x : y; })
                 .value();
    u = v;
    total += change;
  }
  print("relaxed", u, total);
}

// Steps of conjugate gradients, in numbers that wrap around.
void conjugated(int n, int turns) {
  using vector = ikra::array<unsigned>;
  vector x = ikra::pnew(n, [](std::int64_t) { return 0U; });
  vector r = ikra::pnew(n, [](std::int64_t i) { return static_cast<unsigned>(i % 11); });
  vector p = r;
  const auto times = [](unsigned a, unsigned b) { return a * b; };
  unsigned rr = r.pcombine(r, times).preduce(std::plus<>()).value();
  for (int k = 0; k < turns; ++k) {
    const vector q = p.pstencil({-1, 0, 1}, 0U, [](auto w) { return 2 * w(0) - w(-1) - w(1); });
    const unsigned alpha = rr / (p.pcombine(q, times).preduce(std::plus<>()).value() % 97 + 1);
    x = x.pcombine(p, [alpha](unsigned a, unsigned b) { return a + alpha * b; });
    r = r.pcombine(q, [alpha](unsigned a, unsigned b) { return a - alpha * b; });
    const unsigned next = r.pmap([](unsigned a) { return a * a; }).preduce(std::plus<>()).value();
    const unsigned beta = next / (rr % 89 + 1);
    rr = next;
    p = r.pcombine(p, [beta](unsigned a, unsigned b) { return a + beta * b; });
  }
  print("conjugated", x, rr);
  print("conjugated", p, rr);
}

// Nothing to add up, and one element.
void few() {
  for (const int n : {0, 1}) {
    numbers a = start(n);
    int total = 0;
    for (int k = 0; k < 3; ++k) {
      a = a.pmap([](int x) { return mixed(x) + 1; });
      total += a.preduce(1, std::plus<>()).value();
    }
    print("few", a, total);
  }
}

} // namespace

// Elements of classes, whose parts change places. The memory of what a loop carries may be that of
// its next turn: no part of a result may be there before all of the element is read.
struct Place {
  std::array<double, 3> c{};
  template <class F> static constexpr Place make(F f) {
    Place made;
    for (std::size_t i = 0; i < 3; ++i)
      made.c[i] = f(i);
    return made;
  }
  friend constexpr Place operator-(const Place& a, const Place& b) {
    return make([&](std::size_t i) { return a.c[(i + 1) % 3] - b.c[i] / 4; });
  }
};
static void places(int n) {
  auto a = ikra::pnew(n, [](std::int64_t i) { return Place{{double(i), double(i % 9), 3}}; });
  const Place last = a[n - 1]; // which stores them
  a = a.pmap([last](const Place& x) { return x - last; });
  std::printf("%g ", a[n / 2].c[1]);
  auto pairs = ikra::pnew(n, [](std::int64_t i) { return std::pair(float(i % 50), float(i % 7)); });
  auto bytes =
      ikra::pnew(n, [](std::int64_t i) { return std::array{std::uint8_t(i), std::uint8_t(9)}; });
  for (int k = 0; k < 5; ++k) {
    const Place first = a[k % n];
    a = a.pmap([first](const Place& x) { return x - first; });
    a = a.pcombine(a.pmap([](Place x) { return Place{{x.c[2], x.c[0], x.c[1]}}; }),
                   [](const Place& x, const Place& y) { return y - x; });
    pairs = pairs.with_index().pmap([](const std::pair<float, float>& x, std::int64_t i) {
      return std::pair(x.second, x.first + float(i % 3));
    });
    bytes = bytes.pmap([](const std::array<std::uint8_t, 2>& x) {
      return std::array{x[1], std::uint8_t(x[0] + x[1])};
    });
    if (k % 2 == 0)
      std::printf("%g %d ", double(pairs[n - 1].first), bytes[n / 2][1]);
  }
  print("places", a.pmap([](const Place& x) { return int(x.c[0] * 8 + x.c[2]); }), n);
  print("pairs", pairs.pmap([](auto x) { return int(x.first) * 5 + int(x.second); }), n);
  print("bytes", bytes.pmap([](auto x) { return x[0] * 5 + x[1]; }), n);
}

// Members that are read by what was made before they were assigned.
struct Oscillators {
  ikra::array<double> x, v;
  double step(double dt) {
    v = v.pcombine(x, [dt](double of, double at) { return of - dt * at; });
    x = x + v * dt;
    return x.preduce(ikra::max).value();
  }
};
static void oscillators() {
  Oscillators all{ikra::pnew(100, [](std::int64_t i) { return static_cast<double>(i) / 10; }),
                  ikra::pnew(100, [](std::int64_t) { return 0.0; })};
  double most = 0;
  for (int k = 0; k < 9; ++k)
    most += all.step(0.125);
  std::printf("oscillators %.9f %.9f\n", most, all.v[99]);
}

int main() {
  oscillators();
  for (const int n : {1, 1001, 70001})
    places(n);
  for (const int n : {1000, 70000}) {
    map_and_sum(n, 5);
    until(n);
    some_turns(n, 9);
    changing_places(n, 6);
    distance(n, 7);
    gathered(n, 4);
    nested(n, 5);
    held(n, 4);
    relaxed(n / 40, 6);
    conjugated(n, 5);
  }
  few();
}
