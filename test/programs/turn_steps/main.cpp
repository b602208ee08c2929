// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of a turn that one kernel does: of a variable that is set several times, and of a loop of
// maps or stencils in the turn. All must be as written, whatever leaves the loop, and however often
// the inner one turns.
#include <ikra/ikra.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace {

using list = ikra::array<int>;
using plane = ikra::array<float, 2>;

list made(int size) {
  return ikra::pnew(size, [](std::int64_t i) { return static_cast<int>(i * 7 % 97); });
}

void show(const char* what, int total, const list& a) {
  std::printf("%s: %d %d %d\n", what, total, a.sum(), a[static_cast<std::int64_t>(a.size()) - 1]);
}

int in_a_row(list& a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pmap([](int x) { return x * 3 + 1; });
      a = a.pmap([k](int x) { return x ^ k; });
      total += k;
      a = a.pmap([total](int x) { return (x + total % 7) & 1023; });
      total = (total * 3 + a.sum() % 1009) % 10007;
    }
  });
  return total;
}

// Ways out between two assignments; a switch that sets the variable several times.
int ways_out(list& a, list& b, int n, int how) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pmap([](int x) { return x * 3 + 1; });
      a = a.pmap([](int x) { return x & 1023; });
      if (k == 3 && how == 0)
        break;
      a = a.pmap([](int x) { return x + 2; });
      if (k == 4 && how == 1)
        return;
      std::swap(a, b);
      a = a.pmap([](int x) { return x ^ 5; });
      if (k == 2 && how == 2)
        continue;
      a = a.pmap([](int x) { return x + 9; });
      total += a[0];
      switch (k % 3) {
      case 0:
        a = a.pmap([](int x) { return x + 1; });
        a = a.pmap([](int x) { return (x * 2) & 4095; });
        [[fallthrough]];
      case 1:
        a = a.pmap([](int x) { return x & 2047; });
        break;
      default:
        b = a;
        a = b.pmap([](int x) { return x + 3; });
        a = b.pmap([](int x) { return x + 4; });
      }
      total = (total * 3 + a.sum() % 1009) % 10007;
    }
  });
  return total;
}

// Loops of maps: none, one and many turns; with an index; several in a turn, and one in another.
int repeated(list& a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      for (int s = k; s > 0; s -= 2) {
        a = a.with_index().pmap(
            [k](int x, std::int64_t i) { return x + static_cast<int>(i % 7) + k; });
        a = a.pmap([by = total % 5](int x) { return (x ^ by) & 1023; });
      }
      int s = 0;
      do {
        a = a.pmap([](int x) { return (x * 5 + 3) & 2047; });
      } while (++s < k % 4);
      for (int outer = 0; outer < k % 3; ++outer) {
        for (int inner = 0; inner < outer + 2; ++inner)
          a = a.pmap([outer](int x) { return (x * 3 + outer) & 1023; });
        a = a.pmap([](int x) { return x + 1; });
      }
      for (int t = 0; t < 17; ++t)
        a = a.pmap([t](int x) { return (x * 3 + t) & 4095; });
      total = (total * 3 + a.sum() % 1009 + s) % 10007;
    }
  });
  return total;
}

// In each turn some steps of a stencil, and what they lead to.
int smoothed(plane& p, int n, int steps) {
  int turns = 0;
  float most = 1000;
  ikra::host_section([&] {
    while (most > 1 && turns < n) {
      for (int s = 0; s < steps; ++s)
        p = p.pstencil({{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}, ikra::keep, [](const auto& v) {
          return v(0, 0) + 0.1F * (v(-1, 0) + v(0, -1) + v(0, 1) + v(1, 0) - 4 * v(0, 0));
        });
      most = p.preduce(ikra::max).value();
      ++turns;
    }
  });
  std::printf("plane: %a\n", static_cast<double>(most));
  return turns;
}
int around(list& a, int n, int steps) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      list before = a;
      for (int s = 0; s < steps; ++s) {
        before = a;
        a = a.pstencil({-1, 0, 1}, ikra::wrap,
                       [](const auto& v) { return (v[-1] * 3 + v[0] * 5 + v[1]) & 1023; });
      }
      total = (total * 3 + a.pcombine(before, [](int x, int y) { return x > y ? 1 : 0; }).sum()) %
              10007;
    }
  });
  return total;
}

// Operators of the program, function objects, lambdas where they stand, folds.
struct wave {
  list v;
  int scale = 1;
  int operator*(const wave& o) const { return (v * o.v).sum(); }
  int operator()() const { return v.sum(); }
  int operator[](int n) const { return v[n]; }
  wave& operator+=(int x) {
    v = (v + x) % 101;
    scale += x;
    return *this;
  }
  wave& operator++() {
    ++scale;
    *this += 2;
    return *this;
  }
};
wave operator*(int s, const wave& w) { return {(w.v * s) % 103, w.scale}; }
template <class... T> int total(T... x) { return (x + ... + 0); }
template <bool Twice> list moved(const list& a) {
  const int by = Twice ? 2 : 1;
  if constexpr (Twice) {
    const list b = a + by;
    return b.pmap([](int x) { return x * 2 % 1009; });
  }
  return a + by;
}

int operators(list a, int n) {
  wave w{a};
  int all = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      w = 3 * w;
      all = (all + w * w % 17 + w() % 19 + w[0]) % 10007;
      ++w;
      if (all % 2 == 0)
        w += k;
    }
  });
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = [&] { return moved<true>(a); }();
      all += [=](int q) { return q % 23 + k; }(a.sum());
      [&] { ++all; }();
      a = moved<false>(a) % 100;
      all += total(a.sum() % 7, k, static_cast<int>(sizeof(double)));
      all += [m = a.sum() % 5](auto... v) { return m + (v + ...); }(k, all % 3);
    }
  });
  return all + w.scale;
}

// Arrays without all their numbers in braces; loops through built-in arrays; buffers that a branch
// turns over.
constexpr int table[] = {3, 1, 2};

int forms(list a, list b, int n) {
  list buf[2] = {std::move(a), std::move(b)};
  std::array<int, 3> w{1, 2, 3};
  int local[3] = {5, 6, 7};
  int now = 0, all = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      const int next = 1 - now;
      buf[next] =
          buf[now].pcombine(buf[next], [k](int x, int y) { return (x * 2 - y + k) % 1001; });
      all += buf[next].sum() & 7;
      if (all % 3 != 1) {
        now = 1 - now;
      } else {
        all += 2;
        if (all % 2 == 0)
          now ^= 1;
      }
      for (int j = 0; j < all % 4; ++j)
        ++now;
      now &= 1;
      std::array<int, 2> counts{};
      counts[static_cast<std::size_t>(k % 2)] = all % 5;
      all += counts[0] * 2 + counts[1];
    }
  });
  list c = buf[now];
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      for (const int x : table) {
        c = (c + x) % 997;
        all += c.sum() % 17;
      }
      for (int x : local)
        all += x * (c.sum() % 3);
      local[k % 3] = all % 10;
      for (int x : w)
        all += x;
      w = {all % 3};
    }
  });
  return all;
}

// Turns stop for the host by what comes before its if; elements at places that may not be there.
int told(list a, int each) {
  int all = 0, t = 0;
  ikra::host_section([&] {
    while (t < 20) {
      a = (a + 1) % 91;
      all = (all + a.sum()) % 10007;
      ++t;
      if (t % each == 0)
        std::printf("%d: %d\n", t, all);
    }
  });
  return all;
}
int levels(const list& fine, const list& coarse, int n, bool asks) {
  int all = 0;
  ikra::host_section([&] {
    for (int t = 0; t < 4; ++t) {
      const auto down =
          ikra::pnew(n, [fine](std::int64_t i) { return fine[2 * i] + fine[2 * i + 1]; });
      const auto up = ikra::pnew(2 * n, [coarse](std::int64_t i) { return coarse[i / 2]; });
      all += asks ? down.sum() + up.sum() + t : fine.sum();
    }
  });
  return all;
}

} // namespace

int main() {
  for (const int size : {1, 999, 100'003}) {
    list a = made(size), b = made(size);
    show("in a row", in_a_row(a, 5), a);
    for (int how = 0; how < 4; ++how) {
      show("ways out", ways_out(a, b, 7, how), a);
      show("other", how, b);
    }
    show("repeated", repeated(a, 8), a);
    show("operators", operators(b, 9), b);
    show("forms", forms(b, made(size), 13), b);
    show("told", told(b, 6), b);
    show("fits", levels(made(2 * size), made(size), size, true), b);
    show("does not fit", levels(made(2 * size - 1), made(size), size, false), b);
    for (const int steps : {0, 1, 7, 19})
      show("around", around(a, 3, steps), a);
  }
  for (const int side : {1, 40, 150}) {
    plane p = ikra::pnew({side, side + 3}, [](const ikra::index<2>& i) {
      return static_cast<float>((i[0] * 31 + i[1] * 17) % 64);
    });
    for (const int steps : {0, 1, 2, 7, 8, 19})
      std::printf("%d %a\n", smoothed(p, 3, steps), static_cast<double>(p(side - 1, side + 2)));
  }
}
