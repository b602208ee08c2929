// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of host sections whose turns read elements: each kind of turn, with few and with many
// elements, and loops that stay as they are written.
#include <ikra/ikra.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using numbers = ikra::array<int>;
using field = ikra::array<float, 2>;

int mixed(int x) {
  const unsigned r = static_cast<unsigned>(x) * 1664525U + 1013904223U;
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

// Jacobi with a test each turn: two buffers, one result that decides. Quarters are exact.
void jacobi(std::int64_t h, std::int64_t w, int limit) {
  field a = ikra::pnew({h, w}, [](const ikra::index<2>& i) {
    return static_cast<float>((i[0] * 31 + i[1] * 17) % 256);
  });
  float change = 1;
  int turns = 0;
  ikra::host_section([&] {
    while (change > 0.5F && turns < limit) {
      const field next = a.pstencil({{-1, 0}, {0, -1}, {0, 1}, {1, 0}}, 3.0F, [](auto v) {
        return std::floor((v(-1, 0) + v(0, -1) + v(0, 1) + v(1, 0)) * 0.25F);
      });
      change = a.pcombine(next, [](float x, float y) { return std::abs(x - y); })
                   .preduce(ikra::max)
                   .value();
      a = next;
      ++turns;
    }
  });
  print("jacobi", a, turns);
  std::printf("change %g\n", static_cast<double>(change));
}

// A counted loop; the section captures the counter, which is on the device.
void counted(int n, int turns) {
  numbers a = start(n);
  std::int64_t total = 0;
  int odd = 5;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      a = a.pmap([k](int x) { return mixed(x + k) / 2; }); // their sum is an int
      total += a.sum();
      odd = a.preduce(odd + k, [](int x, int y) { return x ^ y; }).value(); // starts with a scalar
    }
  });
  total = total * 4096 + odd;
  print("counted", a, total);
}

// The test is at the end, and reads what the turn made.
void until(int n) {
  numbers a = start(n);
  int turns = 0;
  ikra::host_section([&] {
    do {
      a = a.pmap([](int x) { return x - x / 3; });
      ++turns;
    } while (a.preduce(0, [](int x, int y) { return x > y ? x : y; })[0] > 20 && turns < 30);
  });
  print("until", a, turns);
}

// Two variables change places, one keeps what the turn before made, one stays.
void places(int n, int turns) {
  numbers a = start(n), b = start(n).pmap([](int x) { return x + 1; }), before = a;
  const numbers c = start(n).pmap([](int x) { return x % 3; });
  std::int64_t total = 0;
  ikra::host_section([&] {
    for (int k = 0; k != turns; k += 1) {
      before = b;
      b = a.pcombine(b, c, [](int x, int y, int z) { return (mixed(x) - y + z) % 2048; });
      total += b.count([](int x) { return x % 2 == 0; }) - before.sum() % 5;
      std::swap(a, b);
    }
  });
  print("places", a, total);
  print("places", b, total);
  print("places", before, total);
}

// Conjugate gradient on a line: scalars are carried from turn to turn.
void gradient(int n, int limit) {
  using vector = ikra::array<double>;
  vector x = ikra::pnew(n, [](std::int64_t) { return 0.0; });
  vector r = ikra::pnew(n, [n](std::int64_t i) { // 0 at both ends, where the stencil is
    return i == 0 || i == n - 1 ? 0.0 : static_cast<double>(i % 4 + 1);
  });
  vector p = r;
  int turns = 0;
  const double rest = ikra::host_section([&] {
    double rr = r.pmap([](double e) { return e * e; }).sum();
    while (rr > 1e-9 && turns < limit) {
      const vector q = p.pstencil({-1, 0, 1}, 0.0, [](auto v) { return 3 * v[0] - v[-1] - v[1]; });
      const double alpha = rr / p.pcombine(q, [](double e, double f) { return e * f; })
                                    .preduce(0.0, std::plus<>())
                                    .value();
      x = x.pcombine(p, [alpha](double e, double f) { return e + alpha * f; });
      r = r.pcombine(q, [alpha](double e, double f) { return e - alpha * f; });
      const double before = rr;
      rr = r.pmap([](double e) { return e * e; }).sum();
      const double beta = rr / before;
      p = r.pcombine(p, [beta](double e, double f) { return e + beta * f; });
      ++turns;
    }
    return rr;
  });
  print("gradient", x.pmap([](double e) { return static_cast<std::int64_t>(std::round(e * 1e4)); }),
        turns < limit && rest < 1e-6);
}

// Branches on what was read; one side changes the array, or both do. Scalar code has a loop.
void branches(int n, int turns) {
  numbers a = start(n), b = a;
  int odd = 0, steps = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      if (a.preduce(std::plus<>())[0] % 2 == 0) {
        a = a.pmap([](int x) { return x + 1; });
      } else {
        ++odd;
        b = a;
        a = a.pmap([k](int x) { return mixed(x ^ k); });
      }
      if (b.any([](int x) { return x == 7; }))
        b = b.pcombine(a, [](int x, int y) { return x > y ? x : y; });
      int m = k;
      while (m > 1) {
        m = m % 2 == 0 ? m / 2 : 3 * m + 1;
        ++steps;
      }
    }
  });
  print("branches", a, odd);
  print("branches", b, steps);
}

// Some turns end early, and one leaves the loop.
void leaving(int n, int turns) {
  numbers a = start(n);
  std::int64_t total = 0;
  int k = 0;
  ikra::host_section([&] {
    for (; k < turns; ++k) {
      if (k % 3 == 1)
        continue;
      a = a.pmap([k](int x) { return mixed(x) % 1000 + k; });
      const int most = a.preduce(ikra::max).value();
      total += most;
      if (most % 64 == 5) {
        total = -total;
        break;
      }
      const numbers next = a.with_index().pmap(
          [](int x, std::int64_t i) { return (x + static_cast<int>(i % 8)) % 512; });
      a = next;
    }
  });
  print("leaving", a, total * 1000 + k);
}

// No turn runs; a loop over nothing; an array of another size, which the loop as written refuses.
void odd_ones() {
  numbers a = start(9), b = start(8), none = start(0);
  int turns = 0;
  ikra::host_section([&] {
    while (turns > 3 && a.sum() > 0) {
      a = a.pmap([](int x) { return x - 1; });
      ++turns;
    }
    for (int k = 0; k < 3; ++k) {
      none = none.pmap([](int x) { return x + 1; });
      turns += none.sum();
    }
  });
  print("none", a, turns);
  print("none", none, turns);
  try {
    ikra::host_section([&] {
      for (int k = 0; k < 3; ++k) {
        turns += a.pcombine(b, [](int x, int y) { return x + y; }).sum();
        ++turns;
      }
    });
  } catch (const ikra::error& e) {
    std::printf("refused %d %d\n", e.kind() == ikra::error_kind::bad_shape, turns);
  }
}

// Loops in loops: of arrays, of elements by a computed place; both end early, one never starts.
void nested(int n, int turns) {
  numbers a = start(n), b = a;
  std::int64_t total = 0;
  int steps = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      int m = 0;
      while (m < k % 4 && a.sum() % 7 != 3) {
        const numbers next = a.pcombine(b, [m](int x, int y) { return mixed(x + y) % 512 + m; });
        if (next.preduce(ikra::max).value() % 16 == 1)
          break;
        b = a;
        a = next;
        ++m;
      }
      for (int j = 0; j < m; ++j) {
        if (a[(j * 37 + k) % n] % 3 == 0)
          continue;
        total += a[j * j % n] + 2 * b[n - 1];
        for (int i = 3; i < j; ++i)
          std::swap(a, b);
      }
      if (total % 5 == 0) {
        ++steps;
        if (k > 8 && b[0] % 2 == 0)
          break;
        total += 3;
      }
      b = b.pmap([m](int x) { return (x + m) % 1024; });
    }
  });
  print("nested", a, total);
  print("nested", b, steps);
}

// A loop that returns, a number or nothing, from its own turn and from one within.
void returning(int n, int turns) {
  numbers a = start(n);
  int steps = 0;
  const std::int64_t found = ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      a = a.pmap([k](int x) { return mixed(x + k) % 777; });
      const int most = a.preduce(ikra::max).value();
      if (most % 5 == 1)
        return static_cast<std::int64_t>(most) * 100 + k;
      for (int m = 0; m < k % 3; ++m) {
        ++steps;
        a = a.pmap([](int x) { return x - x / 5; });
        if (a.count([](int x) { return x > 600; }) == 0)
          return static_cast<std::int64_t>(-m);
      }
    }
    return std::int64_t(-100);
  });
  print("returning", a, found);
  ikra::host_section([&] {
    while (steps < turns) {
      a = a.pmap([](int x) { return x + 1; });
      if (a.sum() % 3 == 0)
        return;
      ++steps;
    }
    steps = -steps;
  });
  print("returning", a, steps);
}

// A switch on what was read: what falls through, what ends the turn, the loop, or the section.
void switches(int n, int turns) {
  numbers a = start(n), b = a;
  std::int64_t total = 0;
  const int how = ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      switch (static_cast<int>(a.preduce(ikra::max).value() % 6)) {
      case 0:
        a = a.pmap([](int x) { return x + 1; });
        [[fallthrough]];
      case 1: {
        b = a + b;
        break;
      }
      case 2:
      case 3:
        if (k % 2 == 0)
          break;
        a = a.pmap([k](int x) { return mixed(x) % 2048 - k; });
        total += a[0];
        continue;
      case 4:
        return k;
      default:
        total += b.any([](int x) { return x < 0; });
        a = b;
      }
      switch (k % 3) {
      case 1:
        total += 7;
        break;
      default:
        total -= k;
      }
      b = b.pmap([](int x) { return mixed(x) % 4096; });
      if (k == 17)
        break;
    }
    return -1;
  });
  print("switches", a, total);
  print("switches", b, how);
}

// Loops in templates and in generic lambdas: a turn for each instantiation.
template <class T, int Step> T halving(ikra::array<T> a, T limit, int& turns) {
  T most = limit + 1;
  ikra::host_section([&] {
    int k = 0;
    while (most > limit) {
      a = a.pmap([k](T x) { return static_cast<T>(x / 2 + static_cast<T>(k % Step)); });
      most = a.preduce(ikra::max).value();
      ++k;
      if (k == 40)
        return;
    }
    turns = k;
  });
  return a[static_cast<int>(a.size()) - 1];
}

void templates(int n) {
  int turns = 0, more = -5;
  const double last = halving<double, 3>(start(n).pmap([](int x) { return x + 0.5; }), 2.0, turns);
  const int same = halving<int, 2>(start(n), 0, more);
  const auto grown = [&](auto a, auto step) {
    ikra::host_section([&] {
      while (a.sum() < 100000) {
        a = a.pmap([step](auto x) { return x * 2 + step; });
      }
    });
    return a;
  };
  print("templates", grown(start(n), 1), turns * 1000 + more);
  print("templates", grown(start(n).pmap([](int x) { return x * 0.5; }), 0.25),
        static_cast<std::int64_t>(last * 1024) + same);
}

// Lambdas that the turn calls: statements, arrays, numbers.
void calling(int n, int turns) {
  numbers a = start(n), b = a;
  std::int64_t total = 0;
  const auto changed = [](const numbers& x, int by) {
    const numbers more = x.pmap([by](int e) { return mixed(e + by); });
    return more.pcombine(x, [](int e, int f) { return (e - f) % 512; });
  };
  const auto step = [&](int by) {
    b = changed(a + b, by);
    if (b.sum() % 2 == 0)
      total += by;
    std::swap(a, b);
  };
  ikra::host_section([&] {
    const auto most = [&] { return a.preduce(ikra::max).value(); };
    for (int k = 0; k < turns; ++k) {
      step(k);
      if (most() % 3 == 0)
        step(-k);
      total += most() + b[0];
    }
  });
  print("calling", a, total);
  print("calling", b, total);
}

// Functions, templates among them, and lambdas that are generic, or keep copies.
numbers blended(const numbers& a, const numbers& b, int by) {
  const numbers more = b.pmap([by](int x) { return mixed(x - by) % 300; });
  return a.pcombine(more, [](int x, int y) { return (x + y) % 777; });
}

int least_of(const numbers& of) {
  const int least = of.preduce(ikra::min).value();
  return least - 1;
}

numbers doubled(const numbers& a, int, const numbers&) {
  return a.pcombine(a, [](int x, int y) { return (x + y) % 901; });
}

template <class T> T limited(T x, T most) { return x > most ? most : x; }

template <class Array> void advance(Array& a, numbers& b, std::int64_t& total, int by) {
  std::swap(a, b);
  for (int j = 0; j < by % 3; ++j) {
    a = a.pmap([by](int x) { return x + by; });
    total += 1;
  }
  total += a.count([](int x) { return x % 2 == 0; });
}

void functions(int n, int turns) {
  numbers a = start(n), b = a;
  const int most = n % 300 + 5;
  int shift = 3; // never changes
  std::int64_t total = 0;
  ikra::host_section([&] {
    const auto halved = [](const auto& of, auto by) {
      return of.pmap([by](auto x) { return static_cast<int>(x / 2 + by); });
    };
    const auto shifted = [=](const numbers& of) {
      return of.pmap([shift](int x) { return x ^ shift; });
    };
    for (int k = 0; k < turns; ++k) {
      const int twice = 2 * k;
      const auto more = [twice, shift] { return twice + shift; };
      a = blended(shifted(a), halved(b, k), k);
      total += least_of(a) + limited(more(), most);
      if (total % 4 == 1)
        advance(b, a, total, k);
      b = halved(doubled(b, k, a), limited(0.75, 0.5));
    }
  });
  print("functions", a, total);
  print("functions", b, total);
}

// An element that is not there: the loop as written says so, and what it changed by then stays.
void outside(int n) {
  numbers a = start(n);
  const ikra::array<int, 2> grid =
      ikra::pnew({2, 3}, [](const ikra::index<2>& i) { return static_cast<int>(i[0] * 3 + i[1]); });
  std::int64_t total = 0;
  try {
    ikra::host_section([&] {
      for (int k = 0; k < 5; ++k) {
        a = a.pmap([](int x) { return x + 1; });
        total += a[k * 20] + grid(k % 2, k);
      }
    });
  } catch (const std::out_of_range&) {
    total = -total;
  }
  print("outside", a, total);
}

// PageRank on a ring with chords until it changes little: sections read the ranks, and the graph,
// at any index.
void ranks(int n, int limit) {
  const ikra::array<int> first =
      ikra::pnew(n + 1, [](std::int64_t i) { return static_cast<int>(2 * i); });
  const ikra::array<int, 2> from = ikra::pnew({n, 2}, [n](const ikra::index<2>& i) {
    return static_cast<int>((i[1] == 0 ? i[0] + n - 1 : i[0] * 7 + 3) % n);
  });
  ikra::array<double> rank = ikra::pnew(n, [n](std::int64_t i) { return (i % 2 + 1) * 64.0 / n; });
  double change = 1;
  int turns = 0;
  ikra::host_section([&] {
    for (turns = 0; change > 1e-6 && turns < limit; ++turns) {
      const auto share = rank.pmap([](double r) { return r * 0.5; });
      const auto next = rank.with_index().pmap([share, first, from](double, std::int64_t i) {
        double sum = 0;
        for (int k = first[i]; k < first[i + 1]; ++k)
          sum += share[from(i, k - first[i])];
        return std::floor(sum * 65536) / 65536;
      });
      change = rank.pcombine(next, [](double x, double y) { return std::abs(x - y); })
                   .preduce(ikra::max)
                   .value();
      rank = next;
    }
  });
  print("ranks", rank.pmap([](double r) { return static_cast<std::int64_t>(r * 65536); }), turns);
}

// One statement runs many times, over the same arrays and others, with other scalars; earlier
// results stay as they were. One loop ends before its first turn.
void again(int n) {
  numbers a = start(n), first = a, b = a.pmap([](int x) { return x / 2; });
  const numbers small = start(3), few = start(5);
  std::int64_t total = 0;
  for (int round = 0; round < 12; ++round) {
    const numbers step = round % 5 == 4 ? b : few.size() > 9 ? few : small;
    const numbers other = round % 4 == 3 ? first : a;
    numbers last;
    int k = round == 7 ? 100 : 0;
    ikra::host_section([&] {
      for (; k < 3 + round % 3; ++k) {
        last = a;
        a = a.pcombine(other, [step, at = n > 2 ? k % 3 : 0, by = round](int x, int y) {
          return mixed(x + y + by + step[at]);
        });
        total += a.preduce(ikra::max).value();
      }
    });
    if (round == 2)
      first = a;
    if (round == 6)
      b = last;
    total += static_cast<std::int64_t>(last.size()) + k;
  }
  print("again", a, total);
  print("again", first, total);
  print("again", b, total);
}

// New arrays in a turn: of its shape, given in each way; and of another shape, which the loop as
// written refuses.
void made(int n, int turns) {
  numbers a = start(n);
  std::int64_t total = 0;
  const std::int64_t half = n / 2;
  const auto run = [&](std::int64_t extent) {
    ikra::host_section([&] {
      for (int k = 0; k < turns; ++k) {
        const numbers noise =
            ikra::pnew(extent, [k](std::int64_t i) { return mixed(static_cast<int>(i) + k) % 9; });
        const numbers ramp = ikra::pnew(a.shape(), [a](std::int64_t i) { return a[i / 2] % 5; });
        a = a.pcombine(noise, ramp,
                       ikra::pnew({half * 2 + extent % 2},
                                  [](std::int64_t i) { return static_cast<int>(i % 3); }),
                       [](int x, int y, int z, int w) { return x - y + 2 * z + w; });
        total += a.preduce(ikra::max).value();
      }
    });
  };
  run(n);
  try {
    run(n + 2);
  } catch (const ikra::error&) {
    total += 1'000'000;
  }
  print("made", a, total);
}

struct pair_of {
  int least, most;
};

// Nothing reads an element: a stencil over joined arrays, a result that each turn sets first, an
// array of structs that is carried, a branch. The first loop has no turn at all.
void unread(std::int64_t h, std::int64_t w, int turns) {
  using plane = ikra::array<int, 2>;
  plane p = ikra::pnew({h, w}, [](const ikra::index<2>& i) {
    return static_cast<int>((i[0] * 31 + i[1] * 17) % 256);
  });
  const plane weight = p.pmap([](int x) { return x % 5; });
  plane change;
  ikra::array<pair_of, 2> both = p.pmap([](int x) { return pair_of{x, x}; });
  for (const int most : {0, turns, turns + 1}) {
    ikra::host_section([&] {
      for (int k = 0; k < most; ++k) {
        const auto sum = p.pzip(weight).pstencil(ikra::box<1, 1>, 7, [](const auto& v) {
          int all = 0;
          for (int i = -1; i <= 1; ++i)
            for (int j = -1; j <= 1; ++j)
              all += std::get<0>(v(i, j));
          return all * std::get<1>(v(0, 0));
        });
        change = sum.pcombine(p, [k](int s, int x) { return mixed(s + k) - x; });
        p = p.pcombine(change, [](int x, int by) { return (x + by) % 512; });
        if (k % 3 == 1)
          p = p.pmap([k](int x) { return x ^ k; });
        both = both.pcombine(p, [](const pair_of& b, int x) {
          return pair_of{x < b.least ? x : b.least, x > b.most ? x : b.most};
        });
      }
    });
    print("unread", p, static_cast<std::int64_t>(change.size()));
    print("unread", both.pmap([](const pair_of& b) { return b.most * 512 - b.least; }), most);
  }
  print("unread", change, turns);
}

// Arrays that one kernel stores: of two types and with places, alone, combined, and where the
// second reads the first or an array between them is set.
void together(std::int64_t h, std::int64_t w, int turns) {
  field a = ikra::pnew(
      {h, w}, [](const ikra::index<2>& i) { return static_cast<float>((i[0] * 13 + i[1]) % 64); });
  ikra::array<std::int16_t, 2> b = ikra::pnew({h, w}, [](const ikra::index<2>& i) {
    return static_cast<std::int16_t>((i[0] + i[1] * 5) % 100);
  });
  double total = 0;
  int most = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      const field next =
          a.with_index().pcombine(b, [k](float x, std::int16_t y, const ikra::index<2>& i) {
            return std::floor((x + static_cast<float>(y + i[1] % 3 + k)) * 0.5F);
          });
      b = b.pcombine(next, [](std::int16_t y, float x) {
        return static_cast<std::int16_t>((y * 3 + static_cast<int>(x)) % 101);
      });
      const auto both = next.pcombine(b, [](float x, std::int16_t y) { return x * 2 - y; });
      total += static_cast<double>(both.preduce(1.0F, ikra::max).value());
      a = next;
      // No reduction beside them.
      const field up = a.pmap([most](float x) { return x + static_cast<float>(most % 2); });
      const field down = a.pmap([](float x) { return x - 1; });
      if (k % 3 != 2)
        most += static_cast<int>(up.preduce(ikra::min).value());
      a = down.pcombine(up, [](float x, float y) { return x < y ? x : y; });
    }
  });
  print("together", a, most);
  print("together", b, static_cast<std::int64_t>(total));
}

// A loop that ends by its return alone, and functions of the standard library over scalars.
int rounds(numbers a, int limit) {
  return ikra::host_section([&]() -> int {
    for (int turn = 0;; ++turn) {
      if (a.all([limit](int x) { return x >= limit; }))
        return turn;
      a = a.pmap([](int x) { return x + 3; });
    }
  });
}

void extremes(int n) {
  numbers a = start(n);
  int best = 0;
  double middle = 0;
  ikra::host_section([&] {
    for (int turn = 0; turn < 9; ++turn) {
      a = a.pmap([](int x) { return (x * 7 + 3) % 101; });
      const int most = a.preduce(ikra::max).value();
      best = std::max(best, std::min({most, 90 + turn, 97}));
      middle =
          std::clamp(std::midpoint(middle, double(most)), 0.0, 60.0) + std::gcd(turn + 1, most);
    }
  });
  std::printf("extremes %d %.6f %d\n", best, middle, rounds(a, 120));
}

// Numbers in a local struct, changed in conditions and places; borders that braces make.
struct counters {
  int left = 0;
  unsigned seen = 0;
  double mean = 1;
};
void counting(int n) {
  numbers a = start(n);
  counters by;
  by.left = 40;
  const auto shifted = [step = n % 7 + 1](const numbers& of) {
    return of.pmap([step](int x) { return (x + step) % 1009; });
  };
  ikra::host_section([&] {
    while (by.left-- > 0) {
      a = shifted(a).pstencil({-1, 1}, int{7},
                              [](const auto& v) { return (v[-1] * 3 + v[1]) % 1013; });
      by.seen += static_cast<unsigned>(a[by.left % n]);
      by.mean = (by.mean + a.preduce(ikra::max).value()) / 2;
      if (by.seen++ % 64 == 5)
        continue;
      a = a.pmap([more = by.seen % 13](int x) { return x + static_cast<int>(more); });
      if (by.mean > 1e9 || (by.left -= 2) == 9)
        break;
    }
  });
  print("counting", a, by.left);
  std::printf("counters %u %.6f\n", by.seen, by.mean);
}

// Only the last change is asked for: lazily it is computed once, so the loop stays.
void dropped(std::int64_t h, std::int64_t w, int n) {
  field p = ikra::pnew(
      {h, w}, [](const ikra::index<2>& i) { return static_cast<float>((i[0] + i[1] * 5) % 64); });
  field change, before;
  ikra::host_section([&] {
    for (int turn = 0; turn < n; ++turn) {
      before = p;
      const auto mean = p.pzip(p).pstencil(ikra::box<1, 1>, 0.0F, [](const auto& v) {
        return std::floor((std::get<0>(v(-1, 1)) + std::get<0>(v(1, -1)) + std::get<1>(v(0, 0))) *
                          0.5F);
      });
      change = mean.pcombine(p, [](float m, float x) { return m - x; });
      p = p.pcombine(change, [](float x, float by) { return std::fmod(x + by, 64.0F); });
    }
  });
  print("dropped", p, n);
  print("change", change, n);
  print("before", before, n);
}

// Arrays that nobody asks for in some runs, and that are not there then: in a branch, in a loop
// that has no turn, after a test, in a loop within, and where nothing is read.
numbers far_away(const numbers& a, const numbers& few) {
  return a.with_index().pmap(
      [few](int x, std::int64_t i) { return x + few[(i + 1) * 100'000'000]; });
}
numbers far_away_at(const numbers& a, const numbers& few) {
  return a.with_index().pmap(
      [few](int x, std::int64_t i) { return x + few((i + 1) * 100'000'000); });
}
numbers parted(const numbers& a, int by) {
  return a.pmap([by](int x) { return x / by + x % by; });
}
int endless(int x, int by) {
  while (x != 0)
    x += by;
  return x;
}
numbers waited(const numbers& a, int by) {
  return a.pmap([by](int x) { return endless(x * 2 + 1, by); });
}
void unasked_of(numbers a, const numbers& risky, const numbers& more, int turns) {
  std::int64_t total = 0;
  int k = 0;
  numbers last = a;
  ikra::host_section([&] {
    for (k = 0; k < turns; ++k) { // the branch is never taken
      if (k > 1000)
        a = a.pcombine(risky, [](int x, int y) { return x + y; });
      a = a.pmap([k](int x) { return mixed(x + k); });
      total += a.sum();
      for (int m = 1000; m < k; ++m)
        total += more.sum();
    }
    for (k = turns; k < turns; ++k) // no turn
      total += risky.sum() + more[k];
    while (a.sum() < total - total) // no turn, as an array says
      total += risky.sum();
    do {
      total += a.preduce(ikra::max).value();
      if (total != 0 || a.size() > 0)
        break;
      total += risky.sum();
    } while (true);
    for (k = 0; k < turns; ++k) { // nothing is read
      last = a.pcombine(risky, [](int x, int y) { return x + y; });
      a = a.pcombine(a, [](int x, int y) { return (x + y) % 1009; });
    }
  });
  print("unasked", a, total + k);
}
void unasked(int n) {
  const numbers a = start(n);
  const numbers few = start(3);
  const int none = few[0]; // 0
  const numbers all[] = {far_away(a, few), far_away_at(a, few), parted(a, none), waited(a, none)};
  for (const numbers& risky : all)
    unasked_of(a, risky, all[0], 5);
  // What is asked for in the end is computed in time.
  unasked_of(a, parted(a, few[1]), parted(a, few[1] + 1), 2);
}

} // namespace

int main() {
  for (const int n : {1, 64, 5000, 70001}) {
    unasked(n);
    counted(n, 7);
    until(n);
    places(n, 9);
    gradient(n, 60);
    branches(n, 12);
    leaving(n, 23);
    nested(n, 14);
    returning(n, 9);
    returning(n, 3);
    switches(n, 25);
    outside(n);
    calling(n, 11);
    functions(n, 13);
    templates(n);
    ranks(n, 40);
    again(n);
    made(n, 6);
    extremes(n);
    counting(n);
  }
  // Of large arrays a GPU tests between turns, and reductions have a launch after their own.
  for (const int turns : {1, 6}) {
    counted(1'100'003, turns);
    places(1'100'003, turns);
  }
  until(1'100'003);
  jacobi(1101, 1000, 3);
  dropped(1, 1, 3);
  dropped(97, 140, 6);
  jacobi(1, 1, 5);
  jacobi(40, 33, 500);
  jacobi(301, 200, 41);
  unread(1, 1, 2);
  unread(150, 211, 9);
  together(1, 1, 4);
  together(190, 133, 10);
  odd_ones();
}
