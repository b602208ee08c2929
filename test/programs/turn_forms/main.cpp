// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms in which programs write loops that are turns: choices in expressions, lists of
// numbers, methods, members of the object around.
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <ranges>
#include <utility>

namespace {

using numbers = ikra::array<int>;

int differences(const numbers& a, const numbers& b) {
  return a.pcombine(b, [](int x, int y) { return x != y; }).count([](bool d) { return d; });
}
int halved(int x) {
  int y = x;
  y /= 2;
  return y;
}

// The first turn takes another array than all others.
int first(numbers r, int turns) {
  numbers p = r.pmap([](int x) { return x * 3; });
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      p = k == 0 ? r : r.pcombine(p, [](int x, int y) { return (x + y) % 1009; });
      r = p.pmap([k](int x) { return x + k; });
      total += r.sum();
    }
  });
  return total + p.sum();
}
template <int Axis> numbers sweep(const numbers& a) {
  return a.pstencil({-1, 0, 1}, ikra::clamp,
                    [](auto v) { return Axis == 0 ? v[-1] + v[0] : (v[1] * 3 + v[0]) % 101; });
}
// Both sides are calls; operands, too.
int axes(numbers a, int turns) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      for (int axis = 0; axis < 2; ++axis) {
        numbers next = axis == 0 ? sweep<0>(a) : sweep<1>(a);
        total = total * 3 + differences(a, next);
        a = (total % 3 == 0   ? next
             : total % 3 == 1 ? a
                              : sweep<1>(next))
                .pcombine(next, [](int x, int y) { return (x + y) % 977; });
      }
    }
  });
  return total + a.sum();
}
// Neither a helper nor an element is asked for where the program does not.
int sides(numbers a, numbers before, int limit) {
  int k = 0, found = 0, left = 3;
  const int n = static_cast<int>(a.size());
  ikra::host_section([&] {
    while (k < limit) {
      const numbers next = a.pmap([k](int x) { return (x * 5 + k) % 13; });
      ++k;
      if (k > 1 && differences(before, next) == 0)
        break;
      found += k < n && a[k] > 4;
      found += k < 3 || a[k % n] > 4 ? halved(found) : differences(a, next);
      if (k % 2 == 0 || left-- > a[k / 2 % n])
        ++found;
      before = a;
      a = next;
    }
  });
  return k * 1000 + found * 10 + left + a.sum();
}
// Lists of numbers: few are there one by one, more are counted, as are those of loops that are
// left.
int lists(numbers u, int turns) {
  int total = 0, steps = 0;
  std::array<int, 3> weights{2, 7, 1};
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      for (int colour : {0, 1}) {
        const numbers around = u.pstencil({-1, 1}, 0, [](auto v) { return v[-1] + v[1]; });
        u = u.with_index().pcombine(around, [colour](int x, int a, std::int64_t i) {
          return i % 2 == colour ? (x + a) % 1013 : x;
        });
        ++steps;
      }
      for (const int& by : {1, 2, k, 4, 5, 6, 7, total, 9, 10}) {
        u = u.pmap([by](int x) { return (x * 3 + by) % 1013; });
        total += by;
      }
      for (const auto by : weights) {
        if (u.sum() % 5 == by % 5)
          continue;
        u = u.pmap([by](int x) { return (x + by) % 1013; });
        if (u[0] % 7 == 0)
          break;
        weights[1] += by % 3;
      }
      for (int by : {3, 4})
        total += by * k;
      total += u.sum();
    }
  });
  return total + steps + weights[1];
}
int through(numbers u) {
  int total = 0;
  ikra::host_section([&] {
    for (int by : {3, 1, 4, 1, 5}) {
      u = u.pmap([by](int x) { return (x * by + 1) % 1013; });
      if (u.sum() % 11 == 3)
        continue;
      total += u.sum();
    }
  });
  return total;
}

struct cooling {
  int temperature = 900, by = 3, step = 0;
  void cool() {
    temperature -= temperature / by;
    ++step;
  }
  void reheat(int most) {
    for (int k = 0; k < 2; ++k)
      temperature += most / (k + 2);
    cool();
  }
  bool is_cold(int limit) const { return temperature < limit; }
};
struct pair_of_cooling {
  cooling left, right{500, 2, 0};
  void both() {
    left.cool();
    right.reheat(left.step);
  }
};
// Methods of local structs, whose fields are numbers of the turn, or which are one as a whole.
int schedule(numbers a, int limit) {
  cooling c;
  pair_of_cooling two;
  cooling whole;
  int total = 0;
  ikra::host_section([&] {
    while (c.step < 40) {
      if (c.is_cold(limit))
        break;
      a = a.pmap([t = c.temperature](int x) { return (x * 3 + t) % 1009; });
      total += a.sum();
      c.cool();
      if (c.step % 3 == 1)
        c.reheat(total % 5);
      two.both();
      const cooling before = whole;
      whole.cool();
      whole.reheat(before.temperature % 7);
      total += whole.temperature * 3 + before.step;
    }
  });
  return total + c.temperature + c.step * 7 + two.left.temperature + two.right.temperature * 3 +
         two.right.step + whole.step;
}

// Built-in arrays of numbers: of before the loop and of a turn, in structs, of two dimensions,
// given by reference. One function is called in its own arguments.
struct history {
  int last[3] = {1, 2, 3};
  int at = 0;
};
void note(int (&in)[4], int what) {
  for (int k = 3; k > 0; --k)
    in[k] = in[k - 1];
  in[0] = what;
}
numbers mixed(const numbers& a, int by) {
  return a.pmap([by](int x) { return (x * 3 + by) % 1013; });
}
int greater(int a, int b) { return a < b ? b : a; }
int arrays(numbers a, int turns) {
  int sums[4] = {5}, table[2][3] = {{1, 2, 3}, {4, 5, 6}};
  history seen;
  double norms[2];
  norms[0] = norms[1] = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      int local[2] = {k, 2};
      a = mixed(mixed(mixed(a, k), sums[k % 4]), table[k % 2][k % 3]);
      local[1] += a.sum() % 100;
      note(sums, local[0] + local[1]);
      table[k % 2][1] += greater(k, greater(sums[1], greater(local[1], 7)));
      seen.last[seen.at++ % 3] = sums[0];
      const history before = seen;
      seen.last[1] -= before.last[2];
      norms[k % 2] += a[0] * 0.5;
    }
  });
  int total = 0;
  for (int k = 0; k < 4; ++k)
    total += sums[k] * (k + 1);
  for (int k = 0; k < 3; ++k)
    total += table[0][k] + table[1][k] * 3 + seen.last[k] * 5;
  return total + static_cast<int>(norms[0] * 4 + norms[1] * 2);
}

// Members of the object whose method has the loop.
class solver {
public:
  solver(numbers u, numbers f) : u_(std::move(u)), f_(std::move(f)) {}
  int run(int most) {
    int total = 0;
    ikra::host_section([&] {
      while (change_ > 0 && turns_ < most) {
        const numbers next = step(u_);
        change_ = difference(next);
        before_ = u_;
        u_ = next;
        ++turns_;
        total = (total * 3 + change_ % 1000) % 100003;
      }
    });
    return total;
  }
  // Both arrays may be one, or a member.
  void mix(numbers& other, const numbers& more, int n) {
    ikra::host_section([&] {
      for (int k = 0; k < n; ++k) {
        u_ = u_.pcombine(more, [k](int x, int y) { return (x + y * k) % 1013; });
        std::swap(u_, this->before_);
        other = u_.pmap([rate = rate_.by](int x) { return x * rate % 1009; });
        count(other);
        advance();
      }
    });
  }
  int sum() const {
    return u_.sum() + before_.sum() * 3 + seen_ * 5 + rate_.temperature + change_ + turns_;
  }
  numbers& now() { return u_; }

private:
  numbers step(const numbers& of) const {
    return of.pstencil({-1, 0, 1}, 0, [](auto v) { return (v[-1] + v[1] + v[0] * 2) / 4; });
  }
  int difference(const numbers& next) const {
    return next.pcombine(u_, f_, [](int x, int y, int f) { return (x - y) * (x - y) + f % 2; })
        .sum();
  }
  void count(const numbers& of) {
    seen_ += of.count([](int x) { return x % 3 == 0; });
  }
  void advance() {
    rate_.cool();
    u_ = step(u_);
  }
  numbers u_, f_, before_ = u_;
  int change_ = 1, turns_ = 0, seen_ = 0;
  cooling rate_;
};

// Arrays in fields of local structs, with methods.
struct wave {
  numbers past, now;
  int steps = 0;
  void step(int by) {
    const numbers next = now.pcombine(past, [by](int n, int p) { return (n * 2 - p + by) % 1009; });
    std::swap(past, now);
    now = next;
    ++steps;
  }
  int energy() const {
    return now.pcombine(past, [](int x, int y) { return (x - y) % 101 * ((x - y) % 101); }).sum();
  }
};
int waves(numbers a, int n) {
  wave w{a, a};
  int last = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      w.step(k);
      last = w.energy();
      if (last % 17 == 3)
        break;
    }
  });
  return last + w.steps * 3 + w.now.sum() + w.past.sum();
}
int of_caller(wave& w, int n) {
  int last = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      w.step(k);
      last += w.energy();
    }
  });
  return last;
}

template <class T> class scheme {
public:
  explicit scheme(ikra::array<T> a) : a_(std::move(a)) {}
  T run(int n) {
    ikra::host_section([&] {
      for (int k = 0; k < n; ++k) {
        this->a_ = a_.pmap([k](T x) { return static_cast<T>(x / 2 + k); });
        total_ += a_.sum();
      }
    });
    return total_;
  }

private:
  ikra::array<T> a_;
  T total_ = 0;
};

// A step gives what it has changed, and is asked for in conditions.
class stepper {
public:
  explicit stepper(numbers u) : u_(std::move(u)) {}
  int step() {
    const numbers next =
        u_.pstencil({-1, 0, 1}, 0, [](auto v) { return (v[-1] + v[1] + v[0] * 2) / 4; });
    const int change =
        next.pcombine(u_, [](int x, int y) { return (x - y) % 101 * ((x - y) % 101); }).sum();
    u_ = next;
    ++steps_;
    return change;
  }
  bool next() { return step() > 3 && steps_ < 30; }
  void until(int limit, int most) {
    ikra::host_section([&] {
      while (step() > limit && steps_ < most) {
        u_ = u_.pmap([s = steps_](int x) { return (x * 3 + s) % 1009; });
      }
    });
  }
  int sides(int n) {
    int total = 0;
    ikra::host_section([&] {
      for (int k = 0; k < n; ++k) {
        u_ = u_.pmap([k](int x) { return (x + k) % 1009; });
        if (k > 2 && step() % 3 == 0)
          total += u_.sum();
        total += k % 2 == 0 ? step() : -1;
        step();
        const int last = step();
        total = total % 100003 * 3 + last % 7 + u_[0];
      }
    });
    return total;
  }
  int repeated(int most) {
    ikra::host_section([&] {
      do {
        u_ = u_.pmap([](int x) { return x * 5 % 1013; });
      } while (next() && steps_ < most);
    });
    return steps_;
  }
  // What gives an array changes members, too.
  numbers moved(const numbers& of) {
    ++steps_;
    last_ = of;
    return of.pmap([s = steps_](int x) { return (x * 5 + s) % 997; });
  }
  int moves(int n) {
    int total = 0;
    ikra::host_section([&] {
      for (int k = 0; k < n; ++k) {
        u_ = moved(u_);
        const numbers more = moved(u_);
        total = (total * 3 + more.sum() + last_.sum()) % 100003;
        u_ = u_.pcombine(more, [](int x, int y) { return (x + y) % 1009; });
      }
    });
    return total;
  }
  int sum() const { return u_.sum() + steps_; }

private:
  numbers u_, last_ = u_;
  int steps_ = 0;
};
int advanced(numbers& u, int& k) {
  u = u.pmap([k](int x) { return (x * 3 + k) % 1009; });
  return u.sum() + k++;
}
int through_names(numbers a, numbers b, int n) {
  int k = 0, m = 0, total = 0;
  ikra::host_section([&] {
    while (advanced(a, k) % 11 != 3 && k < n) {
      total += advanced(b, m);
      total ^= a.pcombine(b, [](int x, int y) { return x - y; }).sum();
    }
  });
  return total + a.sum() * 3 + b.sum() + k + m;
}

// Loops through counts; bodies without braces; what is assigned is chosen.
int counted(numbers a, int turns) {
  std::uint32_t total = 0;
  ikra::host_section([&] {
    for (const int t : std::views::iota(0, turns)) {
      a = a.pmap([t](int x) { return (x * 3 + t) % 1009; });
      if (t == 5)
        continue;
      total = total * 3 + a.sum();
      if (total % 11 == 3)
        break;
    }
  });
  return static_cast<int>(total * 7 + a.sum());
}
int nested(numbers a, long turns) {
  std::uint32_t total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k)
      for (auto t : std::views::iota(k - 2L, turns))
        for (const auto& u : std::ranges::iota_view(0u, 2u)) {
          a = a.pmap([t, u](int x) { return static_cast<int>((x * 3 + t + u) % 1009); });
          total = total * 3 + a.sum();
        }
  });
  return static_cast<int>(total * 7 + a.sum());
}
int conditional(numbers a, int turns) {
  std::uint32_t total = 1;
  ikra::host_section([&] {
    while (turns-- > 0)
      if (total % 5 != 2) {
        a = a.pmap([](int x) { return (x * 3 + 1) % 1009; });
        total = total * 3 + a.sum();
      }
  });
  return static_cast<int>(total * 7 + a.sum());
}
int of_two(numbers a, numbers b, int turns) {
  std::uint32_t total = 1;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      (total % 3 == 1 ? a : b) = a.pcombine(b, [](int x, int y) { return (x * 3 + y) % 1009; });
      (k % 2 == 1 ? a : b) = b;
      total = total * 3 + a.sum() + 2 * b.sum();
    }
  });
  return static_cast<int>(total * 7 + a.sum() * 3 + b.sum());
}

// Templates whose loops only call; a step that is given; a variable that is a number or a tag.
template <class T> T most(const ikra::array<T>& a) { return a.preduce(ikra::max).value(); }
template <class T> ikra::array<T> smaller(const ikra::array<T>& a) {
  return a.pmap([](T x) { return static_cast<T>(x * 3 / 4); });
}
template <class T> int shrink(ikra::array<T> a, T limit) {
  int k = 0;
  ikra::host_section([&] {
    while (most(a) > limit && k < 30) {
      a = smaller(a);
      ++k;
    }
  });
  return k;
}
template <class Border, class Step> int settle(numbers u, Border border, const Step& step) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < 6; ++k) {
      u = step(u.pstencil({-1, 0, 1}, border, [](auto v) { return v[-1] + v[0] * 2 - v[1]; }));
      total = total * 3 + u.preduce(ikra::max).value();
    }
  });
  return total;
}

// Base classes; helpers that return in several places; fields that are several numbers.
struct level {
  numbers cells;
  int highest() const { return cells.preduce(ikra::max).value(); }
};
enum class phase { rise, fall, end };
phase following(phase p, int top) {
  if (top > 900)
    return phase::fall;
  switch (p) {
  case phase::rise:
    return top % 13 == 0 ? phase::end : phase::rise;
  case phase::fall:
    if (top < 500)
      return phase::rise;
    break;
  default:
    break;
  }
  return phase::end;
}
int root(int x) {
  for (int k = 0;; ++k) {
    if (k * k == x)
      return k;
    if (k * k > x)
      return -k;
  }
}
struct tide : level {
  int run(int turns) {
    phase now = phase::rise;
    int k = 0, total = 0;
    ikra::host_section([&] {
      while (k < turns) {
        cells = cells.pmap([k](int x) { return (x * 5 + k) % 1009; });
        now = following(now, highest());
        if (const int r = root(highest()); r > 0)
          total += r;
        else if (now == phase::end)
          break;
        total = (total * 3 + k) % 10007;
        ++k;
      }
    });
    return total * 100 + k * 3 + static_cast<int>(now);
  }
};
struct extent {
  int low, high;
};
struct record {
  numbers now;
  std::array<int, 2> counts{};
  extent range{0, 0};
  double rate = 1;
};
record advanced(const record& r, int by = 3) {
  return record{r.now.pmap([by, a = r.counts[0]](int x) { return (x * by + a % 7) % 1009; }),
                {r.counts[1], r.counts[0] + 1},
                r.range,
                r.rate / 2};
}
constexpr int weights[3] = {5, 2, 11};
struct tables {
  static constexpr std::array<std::array<int, 2>, 2> shifts{{{1, 3}, {0, 2}}};
};
// Constant arrays in the loop's own code.
int tabled(numbers a, int turns) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns && total < 1'000'000; ++k) {
      const int by = weights[k % 3] << tables::shifts[k & 1][(k >> 1) & 1];
      a = a.pmap([by](int x) { return (x * by + weights[1]) % 97; });
      total = (total + a.sum() * weights[(k + 1) % 3]) % 65536;
    }
  });
  return total;
}
/// Captures are expressions over a scalar that is set after the map, which is computed with what
/// reads it.
int by_ratios(numbers x, int turns) {
  numbers r = x, y = x;
  int last = 512;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      r = (r * 3 + 1) % 101;
      const int next = r.sum() % 1000;
      x = (x + r * (next - last)) % 1009;
      last = next;
      const int both = x.preduce(ikra::max).value();
      y = (y + x.pstencil({-1, 0, 1}, ikra::clamp, [](auto v) { return v[-1] + v[1] - v[0]; }) *
                   (both - last)) %
          1013;
      last = both % 50;
    }
  });
  return x.sum() + y.sum() + last;
}
int records(record r, int turns) {
  ikra::host_section([&] {
    while (const int left = turns - r.counts[0] - r.counts[1]) {
      if (left % 2 == 0)
        r = advanced(r);
      else
        r = advanced(r, 5);
      r.range.high += r.now.preduce(ikra::max).value();
      const numbers old = r.now;
      r.now = (old + r.now) % 101;
      r.range.low = r.range.low % 1000 * 3 + r.now.sum() % 11;
    }
  });
  return r.counts[0] * 7 + r.range.low + r.range.high * 3 + static_cast<int>(r.rate * 64) +
         r.now.sum();
}
} // namespace

int main() {
  for (const int n : {1, 7, 300, 70001}) {
    const numbers a = ikra::pnew(n, [](std::int64_t i) { return static_cast<int>(i * i % 11); });
    for (const int turns : {0, 1, 2, 5}) {
      std::printf("%d %d: %d %d ", n, turns, first(a, turns), axes(a, turns));
      std::printf("%d %d\n", sides(a, a, turns * 4), lists(a, turns));
    }
    const numbers b = ikra::pnew(n, [](std::int64_t i) { return static_cast<int>(i * 3 % 17); });
    std::printf("%d %d %d ", through(a), schedule(a, 4), arrays(a, 9));
    solver s(a, b);
    std::printf("%d ", s.run(20));
    numbers c = b;
    s.mix(c, b, 5);
    std::printf("%d %d ", s.sum(), c.sum());
    s.mix(s.now(), b, 3); // one variable has two names
    std::printf("%d ", s.sum());
    s.mix(c, c, 3);
    std::printf("%d %d ", s.sum(), c.sum());
    wave w{a, b};
    std::printf("%d %d %d ", waves(a, 11), of_caller(w, 4), w.now.sum());
    const ikra::array<double> d = a.pmap([](int x) { return static_cast<double>(x); });
    std::printf("%d %g\n", scheme<int>(a).run(4), scheme<double>(d).run(3));
    stepper one(a), two(a), three(a), four(a);
    std::printf("%d %d ", four.moves(7), four.sum());
    one.until(7, 9);
    std::printf("%d %d ", one.sum(), two.sides(9));
    std::printf("%d %d ", two.sum(), three.repeated(12));
    std::printf("%d %d\n", three.sum(), through_names(a, b, 12));
    std::printf("%d %d ", shrink(a, 3), shrink(d, 2.5));
    std::printf(
        "%d ", settle(a, 0, [](const numbers& u) { return u.pmap([](int x) { return x % 97; }); }));
    std::printf("%d\n", settle(a, ikra::wrap,
                               [](const auto& u) { return u.pmap([](int x) { return x % 89; }); }));
    for (const int turns : {0, 1, 4, 20}) {
      std::printf("%d %d ", counted(a, turns), nested(a, turns < 3 ? 3 : turns));
      std::printf("%d %d\n", conditional(a, turns), of_two(a, b, turns));
      std::printf("%d %d %d\n", tide{{a}}.run(turns), records({a}, turns), tabled(a, turns));
      std::printf("%d\n", by_ratios(a, turns));
    }
  }
}
