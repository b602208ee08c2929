// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms in which programs write loops that are turns: choices in expressions, lists of numbers.
#include <ikra/ikra.hpp>

#include <array>
#include <cstdint>
#include <cstdio>

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

} // namespace

int main() {
  for (const int n : {1, 7, 300, 70001}) {
    const numbers a = ikra::pnew(n, [](std::int64_t i) { return static_cast<int>(i * i % 11); });
    for (const int turns : {0, 1, 2, 5}) {
      std::printf("%d %d: %d %d ", n, turns, first(a, turns), axes(a, turns));
      std::printf("%d %d\n", sides(a, a, turns * 4), lists(a, turns));
    }
    std::printf("%d\n", through(a));
  }
}
