// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of a turn that one kernel does: of a variable that is set several times, and of a loop of
// maps or stencils in the turn. All must be as written, whatever leaves the loop, and however often
// the inner one turns.
#include <ikra/ikra.hpp>

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
