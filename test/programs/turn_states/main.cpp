// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns over arrays that are parts of something: two buffers that take turns, structs of arrays and
// numbers, references to both. And turns with code in them that the host alone runs.
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <ranges>
#include <utility>
#include <vector>

namespace {

using numbers = ikra::array<int>;

numbers start(int n, int by) {
  return ikra::pnew(n, [by](std::int64_t i) { return static_cast<int>(i * by % 11); });
}
int code(const numbers& a) { return a.sum() * 3 + (a.size() > 2 ? a[2] : 5); }
// t & 1, from an odd number on; no second array before the loop
int masks(int n, int from, int to) {
  numbers buf[2];
  buf[from & 1] = start(n, 3);
  int total = 0;
  ikra::host_section([&] {
    for (int t = from; t < to; ++t) {
      const int now = t & 1;
      buf[1 - now] =
          buf[now].pstencil({-1, 0, 1}, 7, [](auto v) { return (v[-1] + v[0] * 2 + v[1]) % 1009; });
      total = total % 10007 * 3 + buf[1 - now].sum();
    }
  });
  return total + code(buf[to > from ? to & 1 : from & 1]);
}
// both buffers, number outside, break before the number changes
int breaks(int n, int now, int limit) {
  std::array<numbers, 2> buf{start(n, 3), start(n, 5)};
  int k = 0;
  ikra::host_section([&] {
    for (;; ++k) {
      buf[1 - now] =
          buf[now].pcombine(buf[1 - now], [k](int x, int y) { return (x * 3 + y + k) % 1009; });
      if (buf[1 - now].sum() % 7 == limit % 7 || k > 20)
        break;
      now = 1 - now;
    }
  });
  return code(buf[0]) * 7 + code(buf[1]) + now * 3 + k;
}
int step_breaks(int n, int limit) {
  std::array<numbers, 2> buf{start(n, 3), start(n, 5)};
  int t = 3;
  ikra::host_section([&] {
    for (; t < 40; ++t) {
      buf[(t + 1) % 2] = buf[t % 2].pcombine(buf[(t + 1) % 2],
                                             [t](int x, int y) { return (x * 3 + y + t) % 1009; });
      if (buf[(t + 1) % 2].sum() % 9 == limit)
        break;
      if (buf[(t + 1) % 2].sum() % 9 == limit + 1)
        continue;
      buf[t % 2] = buf[t % 2].pmap([](int x) { return x + 1; });
    }
  });
  return code(buf[0]) * 7 + code(buf[1]) + t;
}
// in a branch, and twice
int sometimes(int n, int turns) {
  numbers buf[2] = {start(n, 3), start(n, 7)};
  bool now = true;
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      auto& in = buf[now];
      auto& out = buf[!now];
      out = in.pcombine(out, [](int x, int y) { return (x + y * 5 + 1) % 1009; });
      in = out.pmap([](int x) { return x / 2; });
      if (total % 3 == 0) {
        now = !now;
        buf[now] = buf[now].pmap([](int x) { return x + 2; });
      } else {
        buf[!now] = buf[!now].pmap([](int x) { return x + 3; });
      }
      total += buf[now].sum() * 3 + buf[!now].sum();
      now = !now;
      total += buf[now].sum();
    }
  });
  return code(buf[0]) * 7 + code(buf[1]) + total + now;
}
// an inner loop changes the number
int inner(int n, int turns) {
  numbers u[2] = {start(n, 3), start(n, 7)}, v[2] = {start(n, 2), start(n, 5)};
  unsigned t = 4000000001u;
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      for (int i = 0; i < k + 1; ++i) {
        u[(t + 1) & 1] =
            u[t & 1].pcombine(v[t & 1], [](int x, int y) { return (x * 2 + y) % 1009; });
        v[~t & 1] = u[(t + 1) & 1].pmap([](int x) { return x * 3 % 101; });
        ++t;
        if (u[t & 1].sum() % 5 == 1)
          break;
      }
      total = total % 10007 * 3 + u[t & 1].sum() + v[t % 2].sum() * 5;
      t += 3;
      total += u[(t ^ 1) & 1].sum();
    }
  });
  return code(u[0]) * 7 + code(u[1]) + total + code(v[0]) * 3 + code(v[1]) +
         static_cast<int>(t % 1000);
}
int constants(int n, int turns) {
  numbers a[3] = {start(n, 3), start(n, 5), start(n, 7)};
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      a[2] = a[0].pcombine(a[1], [](int x, int y) { return (x + y) % 1009; });
      std::swap(a[0], a[1]);
      std::swap(a[1], a[2]);
      total += a[0].sum() - a[2].sum();
    }
  });
  return total + code(a[0]) + code(a[1]) * 3 + code(a[2]) * 5;
}
int ranged(int n, int turns) {
  std::array<numbers, 2> buf{start(n, 3), start(n, 5)};
  int total = 0;
  ikra::host_section([&] {
    for (const int t : std::views::iota(1, turns)) {
      buf[(t + 1) & 1] = buf[t & 1].pmap([t](int x) { return (x * 3 + t) % 1009; });
      total += buf[(t + 1) & 1].sum();
    }
  });
  return total + code(buf[0]) * 7 + code(buf[1]);
}
class wave {
public:
  explicit wave(int n) : now_(1) {
    u_[0] = start(n, 3);
    u_[1] = start(n, 5);
  }
  int run(int turns) {
    int total = 0;
    ikra::host_section([&] {
      for (int k = 0; k < turns; ++k) {
        advance();
        total = total % 10007 * 3 + u_[now_].sum();
      }
    });
    return total + code(u_[0]) + code(u_[1]) * 7 + now_;
  }

private:
  void advance() {
    u_[1 - now_] = u_[now_].pcombine(u_[1 - now_], [](int x, int y) { return (2 * x - y) % 1009; });
    now_ ^= 1;
  }
  numbers u_[2];
  int now_;
};
void relax(numbers (&b)[2], int now) {
  b[1 - now] = b[now].pmap([](int x) { return (x * 3 + 1) % 1009; });
}
int passed(int n, int turns) {
  numbers b[2] = {start(n, 3), start(n, 4)};
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      relax(b, t & 1);
      total += b[(t + 1) & 1].sum();
    }
  });
  return total + code(b[0]) + code(b[1]) * 7;
}
// The number changes while parameters are names of the buffers.
void go(numbers& out, numbers& in, int& now) {
  out = in.pmap([](int x) { return (x * 3 + 1) % 1009; });
  now = 1 - now;
  out = out.pcombine(in, [](int x, int y) { return (x * 2 + y) % 1009; });
  in = in.pmap([](int x) { return x / 2; });
}
int by_names(int n, int turns) {
  numbers b[2] = {start(n, 3), start(n, 4)}, c = start(n, 5), d = start(n, 6);
  int total = 0, now = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      go(b[1 - now], b[now], now);
      total = total % 10007 * 3 + b[now].sum();
      go(c, d, now);
      go(d, b[now], now);
      total += c.sum() - d.sum() * 2 + b[now].sum();
    }
  });
  return total + code(b[0]) + code(b[1]) * 7 + code(c) * 3 + code(d);
}
int unread(int n, int turns) {
  numbers b[2] = {start(n, 3), start(n, 4)};
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t)
      b[(t + 1) & 1] =
          b[t & 1].pcombine(b[(t + 1) & 1], [](int x, int y) { return (x * 3 + y) % 1009; });
  });
  return code(b[0]) + code(b[1]) * 7;
}
int late(int n, int turns) { // changes first
  numbers b[2] = {start(n, 3), start(n, 4)};
  int now = 0, total = 0, k = 0;
  ikra::host_section([&] {
    do {
      now = 1 - now;
      b[now] = b[1 - now].pcombine(b[now], [](int x, int y) { return (x * 3 + y) % 1009; });
      total += b[now].sum();
    } while (++k < turns);
  });
  return total + code(b[0]) + code(b[1]) * 7 + now;
}
// its own number for each inner loop
int counters(int n, int turns) {
  numbers b[2] = {start(n, 3), start(n, 4)};
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      for (int t = 0; t < k; ++t)
        b[t & 1] = b[~t & 1].pmap([t](int x) { return (x * 3 + t) % 1009; });
      int now = k & 1;
      for (int i = 0; i < 3; ++i) {
        b[now] = b[1 - now].pcombine(b[now], [](int x, int y) { return (x * 5 + y) % 1009; });
        now = 1 - now;
      }
      total = total % 10007 * 3 + b[0].sum() + b[1].sum() * 2;
    }
  });
  return total + code(b[0]) + code(b[1]) * 7;
}

// Structs

struct state {
  numbers p, v;
  int by;
};
struct world {
  state now;
  int turns;
  numbers share;
};
int code(const state& s) { return code(s.p) * 3 + code(s.v) * 5 + s.by; }
state make(int n) { return {start(n, 3), start(n, 5), 2}; }
numbers moved(const numbers& p, const numbers& v, int by) {
  return p.pcombine(v, [by](int x, int y) { return (x + y * by) % 1009; });
}
void advance(state& s, int k) {
  s.p = moved(s.p, s.v, s.by);
  s.v = s.v.pmap([k](int x) { return (x * 3 + k) % 101; });
  s.by = s.by % 7 + 1;
}
void exchange(state& a, state& b) {
  std::swap(a.p, b.v);
  a.by += b.by;
}
state turned(const state& s) { return {s.v, s.p, s.by + 1}; }
state next(state s, int k) {
  s.p = s.p.pmap([k](int x) { return (x + k) % 1009; });
  s.by += k;
  return s;
}
int energy(const state& s) { return s.p.sum() + s.v.sum() * 2; }
void all(world& w) {
  advance(w.now, w.turns);
  w.share = w.share.pcombine(w.now.p, [](int x, int y) { return (x ^ y) % 1009; });
  ++w.turns;
}
int references(int n, int turns) {
  state s = make(n), other = make(n);
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      advance(s, k);
      exchange(s, other);
      if (energy(s) % 3 == 1)
        exchange(s, s);
      total = total % 10007 * 3 + energy(other);
    }
  });
  return total + code(s) + code(other) % 10007 * 7;
}
int braces(int n, int turns) {
  state s = make(n);
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      s = {s.v, s.p.pmap([k](int x) { return x + k; }), s.by * 3 % 17};
      s = turned(s);
      total = total % 10007 * 3 + energy(s);
      const state before = s;
      state after{before.p, moved(before.v, s.p, before.by), k};
      after.by += 2;
      after.v = after.v.pmap([](int x) { return x / 2; });
      s = std::move(after);
      total += energy(before) + before.by;
    }
  });
  return total + code(s);
}
int copies(int n, int turns) {
  state s = make(n);
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      const state t = next(s, k);
      total = total % 10007 * 3 + energy(t) - energy(s);
      s.v = t.p;
      s.by = t.by % 5;
    }
  });
  return total + code(s);
}
int nested(int n, int turns) {
  world w{make(n), 3, start(n, 7)};
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      all(w);
      auto& now = w.now.p;
      const auto& share = w.share;
      now = now.pcombine(share, [](int x, int y) { return (x * 2 + y) % 1009; });
      total = total % 10007 * 3 + now.sum() + share.sum() * 2;
      if (total % 2 == 0)
        w.now = {w.now.v, w.share, w.turns};
    }
  });
  return total + code(w.now) + code(w.share) + w.turns;
}
class body_of {
public:
  explicit body_of(int n) : s_(make(n)), w_{make(n), 1, start(n, 2)} {}
  int run(int turns) {
    int total = 0;
    const auto go = [&](state& of, int k) {
      advance(of, k);
      return energy(of);
    };
    ikra::host_section([&] {
      for (int k = 0; k < turns; ++k) {
        total = total % 10007 * 3 + go(s_, k);
        total += go(w_.now, k + 1);
        exchange(s_, w_.now);
      }
    });
    return total + code(s_) + code(w_.now);
  }

private:
  state s_;
  world w_;
};
int given(state& s, state& t, int turns) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      advance(s, k);
      advance(t, k + 3);
      total = total % 10007 * 3 + energy(s) + energy(t);
    }
  });
  return total;
}
struct ring {
  numbers u[2];
  int now = 0;
};
void go(ring& r) {
  const auto& in = r.u[r.now];
  auto& out = r.u[1 - r.now];
  out = in.pcombine(out, [](int x, int y) { return (x * 3 + y) % 1009; });
  r.now = 1 - r.now;
}
int rings(int n, int turns) {
  ring r{{start(n, 3), start(n, 4)}};
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < turns; ++k) {
      go(r);
      if (r.u[r.now].sum() % 3 == 1)
        go(r);
      total = total % 10007 * 3 + r.u[r.now].sum();
    }
  });
  return total + code(r.u[0]) + code(r.u[1]) * 3 + r.now;
}

// What the host does in some turns

void tell(int t, const numbers& a) { std::printf("[%d %d]", t, a.sum()); }
int printed(numbers a, int turns) {
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      a = a.pmap([t](int x) { return (x * 3 + t) % 1009; });
      total += a.sum();
      if (t % 10 == 0)
        std::printf("%d:%d ", t, total);
      a = a.pmap([](int x) { return x ^ 1; });
    }
  });
  return total + code(a);
}
int history(numbers a, int limit, std::vector<int>& all) {
  int k = 0, change = limit + 1;
  ikra::host_section([&] {
    while (change > limit && k < 40) {
      if (k % 7 == 3) {
        all.push_back(change);
        if (all.size() > 3)
          break;
      }
      const auto next = a.pmap([k](int x) { return (x * 5 + k) % 97; });
      change = a.pcombine(next, [](int x, int y) { return x > y ? x - y : y - x; })
                   .preduce(ikra::max)
                   .value();
      a = next;
      if (change % 11 == 4) {
        ++k;
        continue;
      }
      if (change == 90)
        break;
      ++k;
    }
  });
  return code(a) + k * 3 + change;
}
int twice(numbers a, int turns) {
  numbers buf[2] = {a, a};
  int total = 0, t = 1;
  ikra::host_section([&] {
    do {
      if (t == 1 || t % 16 == 0)
        tell(t, buf[t & 1]);
      buf[(t + 1) & 1] =
          buf[t & 1].pcombine(buf[(t + 1) & 1], [](int x, int y) { return (x * 3 + y) % 1009; });
      total = total % 10007 * 3 + buf[(t + 1) & 1].sum();
      if (t == turns) {
        for (int k = 0; k < 3; ++k) {
          buf[0] = buf[0].pmap([k](int x) { return x + k; });
          total += buf[0].sum();
        }
        std::printf("last ");
      }
      ++t;
    } while (t <= turns);
  });
  return code(buf[0]) + code(buf[1]) * 5 + total + t;
}
int lazily(state s, int turns) {
  ikra::host_section([&] {
    for (int t = 1; t <= turns; ++t) {
      s.p = s.p.pstencil({-1, 0, 1}, 3, [](auto v) { return (v[-1] + v[0] + v[1]) % 1009; });
      s.by += 1;
      if (t % 5 == 0)
        std::printf("<%d>", s.p.sum() + s.by);
    }
  });
  return code(s.p) + s.by;
}
int shapes(numbers a, numbers b, int turns) { // never turns: another shape
  int total = 0;
  ikra::host_section([&] {
    for (int t = 0; t < turns; ++t) {
      total += a.sum() + b.sum();
      if (t == 2) {
        b = b.pselect([](int x) { return x % 2 == 0; });
        a = b.pmap([](int x) { return x + 1; });
        std::printf("%zu ", a.size());
      }
      if (t != 1)
        a = a.pcombine(b, [](int x, int y) { return (x + y) % 1009; });
    }
  });
  return total + code(a);
}

// structs of numbers within those of arrays, as a whole: of a variable, in braces, from a local one
struct times {
  double dt;
  int every;
};
struct settings {
  times t;
  int seed = 3;
};
struct timed {
  numbers now, old;
  settings set;
  int steps = 0;
};
struct two_timed {
  timed a, b;
  int best = 0;
};
numbers moved_on(const numbers& a, int by) {
  return a.pmap([by](int x) { return (x * 3 + by) % 1009; });
}
timed evolved(const timed& s) {
  return {moved_on(s.now, s.set.seed), s.now, s.set, s.steps + s.set.t.every};
}
timed halved(const timed& s, int by) {
  return {s.old, s.now, {{s.set.t.dt * 0.5, s.set.t.every + 1}, s.set.seed + by}, s.steps};
}
timed timed_by(const timed& s, const times& t) { return {s.old, s.now, {t, s.set.seed}, s.steps}; }
int code(const timed& s) {
  return code(s.now) % 100003 + 3 * (code(s.old) % 100003) + s.steps + 7 * s.set.seed +
         s.set.t.every + static_cast<int>(s.set.t.dt * 1000);
}
int settled(two_timed d, int n) {
  times t{0.25, 2};
  ikra::host_section([&] {
    for (int i = 0; i < n; ++i) {
      if (i % 3 == 1) {
        d.a = halved(d.a, i);
      } else {
        d.a = evolved(d.a);
      }
      const int sum = d.a.now.sum() % 5003;
      if (sum > d.best) {
        d.best = sum;
        d.b = d.a;
      }
      if (i == 5)
        d.b.set = d.a.set;
      const times here{t.dt * 2, t.every + i};
      d.b = timed_by(d.b, here);
      t = here;
      t.dt = d.b.set.t.dt / 2;
    }
  });
  return code(d.a) + 5 * code(d.b) + d.best + t.every + static_cast<int>(t.dt * 100);
}

} // namespace

int main() {
  for (const int n : {1, 300, 70001})
    for (const int turns : {0, 1, 2, 3, 8}) {
      std::printf("%d %d: %d %d ", n, turns, masks(n, 0, turns), masks(n, 3, 3 + turns));
      std::printf("%d %d ", breaks(n, turns & 1, turns), step_breaks(n, turns));
      std::printf("%d %d %d ", sometimes(n, turns), inner(n, turns), constants(n, turns));
      std::printf("%d %d ", ranged(n, turns + 1), wave(n).run(turns));
      std::printf("%d ", counters(n, turns) + by_names(n, turns));
      std::printf("%d %d %d\n", passed(n, turns), unread(n, turns), late(n, turns));
      std::printf("%d %d %d ", references(n, turns), braces(n, turns), copies(n, turns));
      std::printf("%d %d %d ", nested(n, turns), body_of(n).run(turns), rings(n, turns));
      const numbers a = start(n, 3);
      std::vector<int> all;
      std::printf("%d ", printed(a, turns * 4));
      std::printf("%d ", history(a, turns * 3, all));
      for (const int x : all)
        std::printf("(%d) ", x);
      std::printf("%d ", twice(a, turns * 4));
      std::printf("%d ", lazily({a, a, 1}, turns * 2));
      std::printf("%d ", shapes(a, start(n, 5), turns));
      state s = make(n), t = next(s, 4);
      const timed kept{start(n, 2), start(n, 4), {{0.5, 2}, 4}, 0};
      std::printf("%d ", settled({kept, evolved(kept)}, turns * 2));
      const int apart = given(s, t, turns), same = given(s, s, turns);
      std::printf("%d %d %d %d\n", apart, same, code(s), code(t));
    }
}
