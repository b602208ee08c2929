// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that are turns over arrays of several shapes: reductions by index with few keys and with
// more than a block's shared memory holds, integers that are added and others; branches and loops
// around them; keys that are outside; reductions to structs; arrays that are moved, or that a
// counter chooses.
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <utility>

namespace {

using numbers = ikra::array<int>;
struct place {
  std::int64_t x = 0, y = 0;
};
struct group {
  std::int64_t x = 0, y = 0;
  int n = 0;
};
group operator+(group a, group b) { return {a.x + b.x, a.y + b.y, a.n + b.n}; }

template <class Run> void report(Run run) {
  try {
    std::printf(" %lld", static_cast<long long>(run()));
  } catch (const ikra::error& e) {
    std::printf(" failed %d", static_cast<int>(e.kind()));
  }
}

std::int64_t distance(place a, place b) {
  const std::int64_t x = a.x - b.x, y = a.y - b.y;
  return x * x + y * y;
}

// k-means over integers: groups by label, and their sizes, are combined in structs.
std::int64_t means(const ikra::array<place>& all, ikra::array<place> centres, int k, int most) {
  numbers label = all.pmap([](place) { return -1; });
  int turns = 0;
  ikra::host_section([&] {
    std::int64_t moved = 1;
    while (moved > 0 && turns < most) {
      const auto next = all.pmap([centres](place p) {
        int best = 0;
        for (int c = 1; c < static_cast<int>(centres.size()); ++c)
          if (distance(p, centres[c]) < distance(p, centres[best]))
            best = c;
        return best;
      });
      moved = next.pcombine(label, [](int a, int b) { return a != b; }).count([](bool is) {
        return is;
      });
      label = next;
      const auto groups =
          all.pmap([](place p) { return group{p.x, p.y, 1}; })
              .reduce_by_index(k, label, group{}, [](group a, group b) { return a + b; });
      centres = centres.pcombine(groups, [](place old, group of) {
        return of.n == 0 ? old
                         : place{static_cast<std::int64_t>(static_cast<double>(of.x) / of.n),
                                 static_cast<std::int64_t>(static_cast<double>(of.y) / of.n)};
      });
      ++turns;
    }
  });
  return turns + label.sum() * 7 +
         centres.pmap([](place p) { return p.x * 3 + p.y; })
             .preduce(std::int64_t(0), std::plus<>{})[0];
}

// Integers that are added, others that are not: all keys' results may not fit a block's memory.
std::int64_t keys(numbers a, std::int64_t bins, int turns) {
  std::int64_t total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      const auto sums =
          a.reduce_by_index(bins, [bins, t](int x) { return (x + t) % bins; }, t, std::plus<>{});
      const auto most = a.reduce_by_index(bins, a.pmap([bins](int x) { return x % bins; }),
                                          total % 3, [](auto x, auto y) { return x < y ? y : x; });
      const auto sizes = a.pmap([bins](int x) { return x * 7 % bins; }).phistogram(bins);
      total += sums.pcombine(most, sizes, [](int s, auto m, std::int64_t n) { return s + m * n; })
                   .preduce(std::int64_t(0), std::plus<>{})[0] %
               10007;
      a = a.pmap([total](int x) { return static_cast<int>((x + total) % 4001); });
    }
  });
  return total + a.sum();
}

// Within branches and loops; what a histogram gives is carried, and read by its place.
std::int64_t branches(numbers a, int bins, int turns) {
  ikra::array<std::int64_t> last;
  std::int64_t total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      last = a.pmap([bins](int x) { return x % bins; }).phistogram(bins);
      if (last[t % bins] % 2 == 0) {
        for (int m = 0; m < 2; ++m) {
          last = last.pcombine(a.reduce_by_index(
                                   bins, [bins](int x) { return (x / 3) % bins; }, std::int64_t(m),
                                   [](auto x, auto y) { return x ^ y; }),
                               [](std::int64_t x, std::int64_t y) { return (x + y) % 1009; });
          total += last.sum();
        }
      } else {
        a = a.pmap([](int x) { return (x * 5 + 1) % 3001; });
      }
      a = a.pmap([last, bins](int x) { return static_cast<int>((x + last[x % bins]) % 3001); });
      total += a.sum() % 1000;
    }
  });
  return total + a.sum() + last.sum();
}

// Numbers of keys that are more than a name: products, members, sizes; keys that a section gives.
using matrix = ikra::array<float, 2>; // a row for each point or centre
matrix means_of(const matrix& points, const numbers& labels, const matrix& before) {
  const std::int64_t k = before.shape()[0], d = before.shape()[1];
  const auto counts = labels.phistogram(k);
  const auto places = ikra::pnew(points.shape(), [labels, d](ikra::index<2> p) {
    return labels[p[0]] * static_cast<int>(d) + static_cast<int>(p[1]);
  });
  const auto sums = points.reduce_by_index(k * d, places, 0.0, std::plus<>{});
  return before.with_index().pmap([sums, counts, d](float old, ikra::index<2> p) {
    const std::int64_t count = counts[p[0]];
    return count == 0 ? old
                      : static_cast<float>(sums[p[0] * d + p[1]] / static_cast<double>(count));
  });
}
numbers nearest(const matrix& points, const matrix& centres) {
  const std::int64_t k = centres.shape()[0], d = centres.shape()[1];
  return ikra::pnew(points.shape()[0], [points, centres, k, d](std::int64_t i) {
    int best = 0;
    float least = 0;
    for (std::int64_t c = 0; c < k; ++c) {
      float far = 0;
      for (std::int64_t x = 0; x < d; ++x)
        far += (points(i, x) - centres(c, x)) * (points(i, x) - centres(c, x));
      if (c == 0 || far < least) {
        best = static_cast<int>(c);
        least = far;
      }
    }
    return best;
  });
}
std::int64_t rows(const matrix& points, matrix centres, int most) {
  numbers labels =
      ikra::pnew(points.shape()[0], [](std::int64_t i) { return static_cast<int>(i % 5); });
  int turns = 0;
  ikra::host_section([&] {
    std::int64_t moved = 1;
    do {
      centres = means_of(points, labels, centres);
      const auto next = nearest(points, centres);
      moved = next.pcombine(labels, [](int a, int b) { return a != b; }).count([](bool m) {
        return m;
      });
      labels = next;
      ++turns;
    } while (moved > 0 && turns < most);
  });
  double sum = 0;
  for (const float x : centres)
    sum = sum * 0.9 + x;
  return turns + labels.sum() * 100 + static_cast<std::int64_t>(sum * 64);
}
struct limits {
  int low = 1, high = 8;
};
class counter {
public:
  std::int64_t run(numbers a, limits by, int turns) {
    std::int64_t total = 0;
    const auto [low, high] = by;
    ikra::host_section([&] {
      for (int t = 0; t < turns; ++t) {
        const int all = (by.high - by.low) * width_ + low;
        const auto sizes = a.phistogram(all, [all, t](int x) { return (x + t) % all; });
        const auto most = a.reduce_by_index(
            high + std::int64_t(2) * width_, [h = high](int x) { return x % h; }, 0,
            [](int x, int y) { return x < y ? y : x; });
        a = a.pmap([sizes, most, all, h = high](int x) {
          return static_cast<int>((x * 3 + sizes[x % all] + most[x % h]) % 3001);
        });
        total = total * 3 % 10007 + sizes.preduce(ikra::max)[0] + a.sum() % 1000;
      }
      for (int t = 0; t < turns; ++t) { // their number changes
        ++grows_;
        total += a.phistogram(grows_ * 1000 + 1000, [](int x) {
                    return x % 1000;
                  }).preduce(ikra::max)[0];
        const auto [few, more] = limits{t + 1, t + 2};
        total += a.reduce_by_index(
                      more * 1000, [](int x) { return x % 1000; }, few,
                      [](int x, int y) { return x > y ? x : y; })
                     .sum();
      }
    });
    return total + a.sum();
  }

private:
  int width_ = 3, grows_ = 0;
};

// Reductions by index in kernels with the arrays that they read: one that is stored, several, and
// one that another reads; where keys are many, or results large.
struct large {
  std::int64_t sums[20] = {};
};
large operator+(large a, const large& b) {
  for (int k = 0; k < 20; ++k)
    a.sums[k] += b.sums[k];
  return a;
}
std::int64_t joined(numbers a, int bins, int turns) {
  numbers key = a, far = a, square = ikra::pnew(bins, [](std::int64_t i) { return int(i); });
  std::int64_t total = 0;
  int seen = 3;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      const auto next = a.pmap([t, bins](int x) { return (x * 3 + t) % bins; });
      const auto away = a.pcombine(next, [](int x, int k) { return (x - k) % 211; });
      const auto sizes = next.phistogram(bins);
      const auto farthest =
          away.reduce_by_index(bins, next, -1, [](int x, int y) { return x < y ? y : x; });
      seen += away.preduce(t, std::plus<>{})[0] % 17 + int(a.count([](int x) { return x > 500; }));
      key = next;
      far = away;
      const auto sums = key.pcombine(far, a,
                                     [](int k, int f, int x) {
                                       large l;
                                       l.sums[(k + f * f) % 20] = x;
                                       return l;
                                     })
                            .reduce_by_index(bins, key, large{}, std::plus<>{});
      // One over the results of another, of the same extent.
      const auto again = sizes.reduce_by_index(
          bins, [bins](std::int64_t s) { return s % bins; }, std::int64_t(0), std::plus<>{});
      const auto twice = again.reduce_by_index(
          bins, [bins](std::int64_t s) { return s % bins; }, std::int64_t(t),
          [](std::int64_t x, std::int64_t y) { return x ^ y; });
      square =
          square.pcombine(sizes, again, twice, farthest, sums,
                          [](int q, auto s, auto u, auto w, int f, const large& l) {
                            return int((q * 5 + s + u + w * 3 + f + l.sums[3] + l.sums[7]) % 1009);
                          });
      total += square.sum() + seen;
      a = a.pcombine(key, [seen](int x, int k) { return (x * 7 + k + seen) % 1009; });
    }
  });
  return total + key.sum() + far.sum() + square.sum();
}

// Structs as results, and the names of their parts.
std::int64_t structs(ikra::array<place> p, int turns) {
  group all;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      const auto [x, y, n] =
          p.pmap([](place q) { return group{q.x, q.y, 1}; }).preduce(std::plus<>{}).value();
      const group twice = p.pcombine(p, [](place a, place b) {
                             return group{a.x, b.y, 2};
                           }).preduce(group{t, t, t}, std::plus<>{})[0];
      p = p.pmap([x, n](place q) { return place{q.x / 2 + x % 1000 + n, q.y}; });
      all.x += x + twice.n;
      all.y += y + twice.x % 3;
      all.n += n;
    }
  });
  return all.x + all.y * 3 + all.n;
}

// Arrays of other ranks and shapes than those from before.
std::int64_t shapes(const ikra::array<int, 2>& grid, std::int64_t n) {
  std::int64_t total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 4; ++t) {
      const auto line = ikra::pnew(n, [t](std::int64_t i) { return static_cast<int>(i % 91) * t; });
      total += grid.pmap([t](int x) { return x % (t + 2); }).sum() + line.preduce(0, ikra::max)[0];
      total += ikra::pnew({3, n}, [line](ikra::index<2> p) {
                 return line[p[1]] - static_cast<int>(p[0]);
               }).sum();
    }
  });
  return total;
}

// Arrays from before the loop that turns move: of two, of three levels of time, members, and with
// jumps after it. What is moved away is empty after a loop that has a turn.
struct levels {
  numbers now, next;

  void advance() {
    next = now.pmap([](int x) { return (x * 5 + 2) % 1009; });
    now = std::move(next);
  }
};
std::int64_t moves(numbers a, int turns) {
  numbers b = a, c, before = a.pmap([](int x) { return x + 1; });
  numbers all[] = {a, before};
  levels of{a, before};
  std::int64_t total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      b = a.pmap([](int x) { return (x * 3 + 1) % 1009; });
      total += b.sum();
      a = std::move(b);
      if (total % 5 == 0)
        break;
    }
    total = total * 3 + b.size() + a[0];
    for (int t = 0; t < turns; ++t) { // a wave: what is moved is set again
      c = a.pcombine(before, [](int now, int was) { return (2 * now - was + 1009) % 1009; });
      before = std::move(a);
      a = std::move(c);
      total += a.preduce(ikra::max)[0];
    }
    total = total * 3 + c.size() + before[0];
    for (int t = 0; total < 100000000 && t < turns; ++t) {
      numbers next = all[0].pmap([t](int x) { return (x + t) % 1009; });
      all[1] = next;
      all[0] = std::move(all[1]);
      of.advance();
      total += all[0].sum() + of.now.sum();
    }
  });
  return total * 3 + all[1].size() + of.next.size() + of.now[0];
}

// Arrays of which the loop's counter chooses by its remainder.
struct wave {
  std::array<numbers, 3> u;
  numbers four[4];
  int run(int turns) {
    int total = 0;
    ikra::host_section([&] {
      for (int t = 1; t <= turns; ++t) {
        const auto& was = u[(t - 1) % 3];
        auto& next = u[(t + 1) % 3];
        next = u[t % 3].pcombine(was, [t](int p, int q) { return (p * 3 + q + t) % 1009; });
        total = (total * 7 + next.sum()) % 100003;
      }
      for (std::size_t t = 3; t < std::size_t(turns) + 3; t++) {
        const auto to = (t + 1) % 4;
        four[to] =
            four[t % 4].pcombine(four[(t + 4 - 1) % 4], four[(2 + t) % 4],
                                 [](int p, int q, int r) { return (p * 3 + q * 5 + r) % 1009; });
        total = (total * 7 + four[to].sum()) % 100003;
        if (total % 11 == 0)
          break;
        if (total % 3 == 0)
          continue;
        total += 1;
      }
    });
    return total;
  }
};
std::int64_t rings(const numbers& a, int turns) {
  wave w{{a, a.pmap([](int x) { return x + 1; }), a.pmap([](int x) { return x + 2; })}, {}};
  for (int k = 0; k < 4; ++k)
    w.four[k] = a.pmap([k](int x) { return x * k % 1009; });
  std::int64_t total = w.run(turns);
  std::array<numbers, 3> u = w.u;
  ikra::host_section([&] {
    for (int t = 0; (t < 3 || u[(t + 2) % 3].sum() % 5 != 0) && t < turns; ++t) {
      u[(t + 3) % 3] = u[(t + 2) % 3].pmap([](int x) { return (x * 3 + 1) % 1009; });
      std::swap(u[(t + 1) % 3], u[(t + 2) % 3]);
      total += u[t % 3].sum() % 1000;
    }
  });
  for (const numbers* each : {&w.u[0], &w.u[1], &w.u[2], &w.four[0], &w.four[3], &u[0], &u[1]})
    total = (total * 31 + (*each)[each->size() - 1]) % 1000003;
  return total;
}

} // namespace

int main() {
  for (const int n : {1, 10, 3000, 70001}) {
    const auto all =
        ikra::pnew(n, [](std::int64_t i) { return place{i * i % 1009, i * 31 % 997}; });
    const numbers a = ikra::pnew(n, [](std::int64_t i) { return static_cast<int>(i * i % 1009); });
    std::printf("%d:", n);
    for (const int k : {1, 3, 8, 40})
      report([&] {
        return means(all, ikra::pnew(k, [](std::int64_t i) { return place{i * 13, i}; }), k, 9);
      });
    for (const int bins : {1, 7, 500, 20000})
      report([&] { return keys(a, bins, 4); });
    report([&] { return branches(a, 7, 9); });
    report([&] { return structs(all, 3); });
    for (const std::int64_t d : {1, 3})
      report([&] {
        const auto cloud = [](ikra::index<2> p) {
          return static_cast<float>(p[0] % 5 * 8 + (p[0] * 31 + p[1] * 7) % 13) / 4;
        };
        return rows(ikra::pnew({n, d}, cloud), ikra::pnew({5, d}, cloud), 8);
      });
    report([&] { return counter().run(a, {}, 4); });
    for (const int turns : {0, 1, 6})
      report([&] { return moves(a, turns); });
    for (const int turns : {0, 1, 2, 3, 7})
      report([&] { return rings(a, turns); });
    for (const int bins : {1, 4, 90, 5000})
      report([&] { return joined(a, bins, 3); });
    report([&] {
      return shapes(
          ikra::pnew({n, 3}, [](ikra::index<2> p) { return static_cast<int>(p[0] * p[1]); }),
          n + 2);
    });
    // The second turn has a key that is outside.
    for (const int bins : {1009, 1000})
      report([&] {
        numbers b = a.pmap([](int x) { return x % 1000; });
        int total = 0;
        ikra::host_section([&] {
          for (int t = 0; t < 3; ++t) {
            const auto sums =
                b.reduce_by_index(bins, b, 1, [](int x, int y) { return x < y ? y : x; });
            total += sums.preduce(ikra::max)[0];
            b = b.pmap([t](int x) { return (x * 7 + t) % 1009; });
            total += b.sum() % 1000;
          }
        });
        return total;
      });
    std::printf("\n");
  }
}
