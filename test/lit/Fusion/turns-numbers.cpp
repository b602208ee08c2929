// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of loops that run as turns, in all the forms that programs write: conditions that change some, numbers made by
// braces, in local structs, and in lambdas' own names.
//
// RUN: %ikrac --print=fusion %s -- %ikra_flags | FileCheck %s
// RUN: %ikrac -o %t.cu %s -- %ikra_flags 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=CODE
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=SIZES
// RUN: %emitted %t.cu | FileCheck %s --check-prefix=APART
// RUN: %build_cpu %t.cu -o %t.cpu && %t.cpu > %t.turns && env IKRA_TURNS=off %t.cpu > %t.written
// RUN: diff %t.turns %t.written
// RUN: %build_plain %s -o %t.plain && %t.plain | diff %t.turns -
#include <ikra/ikra.hpp>

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <vector>

using bytes = ikra::array<std::uint8_t, 2>;

int narrow(bytes a, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pstencil({{-1, 0}, {1, 0}}, std::uint8_t{9}, [](const auto& v) { return static_cast<std::uint8_t>(v(-1, 0) + v(1, 0) + 1); });
      total += a.count([](std::uint8_t x) { return x > 3; }) + int{} + int();
    }
  });
  return total;
}
// CHECK: turn turn_of_narrow at line [[@LINE-7]]: for

// What a condition changes is changed where it stands: not after a break, though a test follows it.
int countdown(ikra::array<int> a, int n) {
  int total = 0;
  ikra::host_section([&] {
    while (n-- > 0) {
      a = a.pmap([n](int x) { return x * 3 + n; });
      total += a.sum() % 7;
      if (total > 20)
        break;
    }
  });
  return total * 100 + n;
}
// CHECK: turn turn_of_countdown at line [[@LINE-9]]: while
// CHECK-NEXT: arrays: a (carried)
// CHECK-NEXT: scalars on the device: n (carried), result_1, total (carried), leaves_loop, value, goes_on
// CHECK: turn:
// CHECK: test:
// CHECK-NEXT: branch
// CHECK-NEXT: scalar code
// CHECK-NEXT: else
// CHECK-NEXT: scalar code

// Sizes are known before the loop, those of the loop's own arrays too. One that is only captured has its own.
int sizes(ikra::array<int> a, const ikra::array<int>& table, const bytes& narrow, int n) {
  int total = 0;
  ikra::array<int> made;
  ikra::host_section([&] {
    for (std::size_t k = 0; k < a.size() && total < n; ++k) {
      const auto next = a.pmap([table](int x) { return x + table[static_cast<std::size_t>(x) % 3]; });
      made = next.pmap([count = table.size()](int x) { return x % int(count + 90); });
      total += made.sum() / static_cast<int>(made.size()) + int(next.size() - table.size());
      a = made.pmap([](int x) { return x + 1; });
      total += narrow.shape()[1] > 6 ? 1 : static_cast<int>(narrow.shape()[0]);
    }
  });
  return total;
}
// CHECK: turn turn_of_sizes at line [[@LINE-10]]: for
// SIZES: bool ikra::rt::turn_code<{{.*}}turn_of_sizes>::run
// SIZES: auto& given_1 = *static_cast<ikra::array<int, 1>*>(given[1]);
// SIZES-NEXT: ikra::rt::turn_array<int> table;
// SIZES-DAG: t.scalars().table_size = static_cast<unsigned long>(space_{{[0-9]+}}.shape.volume());
// SIZES-DAG: t.scalars().made_size = static_cast<unsigned long>(space_{{[0-9]+}}.shape.volume());
// SIZES-DAG: t.scalars().narrow_extent1 = static_cast<long>(space_{{[0-9]+}}.shape[1]);
// SIZES-DAG: t.scalars().narrow_extent0 = static_cast<long>(space_{{[0-9]+}}.shape[0]);

// What a turn sets first may have had another size before; one of the loop's own may have none.
int sizes_before(ikra::array<int> a, ikra::array<int> b, int n) {
  int total = 0;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      total += static_cast<int>(b.size()) * 100 + static_cast<int>(b.shape()[0]);
      b = a.pmap([](int x) { return x + 1; });
      total += b.sum() + static_cast<int>(b.size());
    }
  });
  ikra::array<int> c;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      total += 7 * static_cast<int>(c.size());
      for (int j = 0; j < 2; ++j) {
        total += 3 * static_cast<int>(c.size());
        c = b.pmap([](int x) { return x * 2; });
        total += c.sum() % 31;
      }
    }
  });
  return total;
}
// CHECK: turn turn_of_sizes_before at line [[@LINE-19]]: for
// SIZES: bool ikra::rt::turn_code<{{.*}}turn_of_sizes_before>::run
// SIZES: t.add_assigned(space_{{[0-9]+}}, b,

// What references name is known when the loop starts. Two that name one variable leave it as it is written.
struct figures {
  int steps = 0;
  double sum = 0;
};
int solve(ikra::array<int>& u, const ikra::array<int>& f, int& steps, figures& of, int& most) {
  ikra::host_section([&] {
    do {
      u = u.pcombine(f, [](int x, int y) { return (x * 3 + y) % 1000; });
      of.sum += u.sum() / 2.0;
      ++of.steps;
      ++steps;
    } while (steps < most && u.preduce(ikra::max).value() > 3);
  });
  return steps + most;
}
// CHECK: turn turn_of_solve at line [[@LINE-9]]: do
// APART: turns_apart<::{{.*}}::turn_of_solve>(u, f, of.sum, of.steps, steps, most)

int changing(ikra::array<int> a, int n) {
  int total = 0, steps = 0;
  ikra::host_section([&] {
    do {
      a = a.pmap([](int x) { return x * 3 % 101; });
      const int before = total++;
      total += a.sum() % 7 + a[steps++ % 5] + before;
      if (steps > 3 && n-- < 3)
        continue;
      switch (total++ % 3) {
      case 0:
        a = a.pmap([total](int x) { return x + total % 5; });
      }
      for (int i = 0, j = 4; i < j; ++i, --j)
        a = a.pmap([i, j](int x) { return x + i * j; });
    } while (++steps < 12 && total % 50 != 49);
  });
  return total + a[1] * 10 + n + steps;
}
// CHECK: turn turn_of_changing at line [[@LINE-16]]: do

// A lambda's own names: of the loop as they are where it is declared, of before the loop if nothing in them changes.
int kept(ikra::array<int> a, const int n) {
  int total = 0;
  ikra::host_section([&, first = total + 1] {
    const auto stepped = [by = n * 2](const ikra::array<int>& of) { return of.pmap([by](int x) { return x % 1000 + by; }); };
    for (int k = 0; k < 5; ++k) {
      const auto seen = [now = total](int more) { return now + more; };
      total += 5;
      a = stepped(a).pmap([m = k * 3, q = total & 7](int x) { return x * m + q; });
      a = a.pmap([t = a.sum(), first](int x) { return x ^ (t + first); });
      total += a.sum() % 7 + seen(k);
    }
  });
  return total;
}
// CHECK: turn turn_of_kept at line [[@LINE-10]]: for

struct limits {
  int most = 40;
  double rate = 0.5;
};
struct state {
  int total = 1;
  unsigned part : 3 = 5;
  limits within;
};
int fields(ikra::array<int> a, int n, const limits& by) {
  state s;
  ikra::host_section([&] {
    for (int k = 0; k < n; ++k) {
      a = a.pmap([total = s.total](int x) { return x + total % 5; });
      s.total += a.sum() % 7 + static_cast<int>(by.rate * 10);
      if (s.total++ > s.within.most)
        s.within.rate *= 2;
    }
  });
  return s.total * 100 + static_cast<int>(s.within.rate * 8);
}
// CHECK: turn turn_of_fields at line [[@LINE-9]]: for
// CHECK-NEXT: arrays: a (carried)
// CHECK-NEXT: scalars on the device: k, total (carried), result_1, rate, within (carried), n
// CODE: turns<::{{.*}}::turn_of_fields>(a, s.total, by.rate, s.within, n)

// What stays: a bit-field is no number that has a place; who knows whether a copy's number has changed; a loop
// whose value hangs on the order; another name of a number that changes. One without a command waits for nothing.
int left(ikra::array<int> a, int n) {
  state s;
  ikra::host_section([&] {
    const auto own = [by = n](const ikra::array<int>& of) { return of.sum() + by; };
    ++n;
    for (int k = 0; k < 4; ++k)
      s.total += a.sum() + static_cast<int>(s.part);
    for (int k = 0; k < 4; ++k)
      s.total += own(a);
    for (int k = 0; k < 4; ++k) {
      if (k > 1 && a[n++ % 2] > 3) // no command
        s.total += k;
    }
    for (int k = 0; k < 4; ++k)
      s.total += (n++, a[n % 2]);
    const auto add = [&](const int& more) {
      ++n;
      s.total += more * a.sum();
    };
    for (int k = 0; k < 4; ++k)
      add(n);
  });
  return s.total + n;
}
// LEFT: since 'part' is no number in a local variable
// LEFT: since the lambda that it calls keeps 'by', which is no number that never changes
// LEFT: since it reads an array within code that changes numbers
// LEFT: since the number that it is given may change

// A class with products and quotients of its own.
struct cell {
  float height = 0, speed = 0;
  friend cell operator*(cell a, cell b) { return {a.height * b.height, a.speed}; }
  friend cell operator/(cell a, float by) { return {a.height / by, a.speed}; }
};

// A lambda's parameter may be the name of what the lambda captures.
int names(ikra::array<int> a, int n, state s) {
  int total = 0;
  const auto numbers = [&](const int& limit) {
    ikra::host_section([&] {
      for (int k = 0; k < limit; ++k) {
        total += a.sum();
        n += n < 9;
      }
    });
  };
  const auto fields = [&](const state& limit) {
    ikra::host_section([&] {
      for (int k = 0; k < limit.total; ++k) {
        total += a.sum();
        s.total += s.total < 7;
      }
    });
  };
  const auto arrays = [&](const ikra::array<int>& other) {
    ikra::host_section([&] {
      for (int k = 0; k < 4; ++k) {
        total += other.sum();
        a = a.pmap([](int x) { return x + 1; });
      }
    });
  };
  numbers(n);
  fields(s);
  arrays(a);
  return total + n + s.total;
}
// LEFT: since 'limit' may be another variable's name
// LEFT: since 'limit' may be another variable's name
// LEFT: since 'other' may be another variable's name

// An assertion may stop the program where nobody asks for the result.
float checked(ikra::array<cell> q) {
  float t = 0;
  ikra::host_section([&] {
    while (t < 4) {
      t += 1 / (1 + q.pmap([](const cell& x) { return x.height; }).preduce(ikra::max).value());
      q = q.pstencil({-1, 1}, ikra::clamp, [](auto v) {
        assert(v[-1].height > -1);
        return v[1];
      });
    }
  });
  return t;
}
// LEFT: since the results of {{.*}} may only be computed where the program asks for them
// LEFT: 8 warnings generated

// Its operators divide nothing that could be 0.
// CHECK: turn turn_of_products at line [[@LINE+4]]: while
float products(ikra::array<cell> q) {
  float t = 0;
  ikra::host_section([&] {
    while (t < 4) {
      t += 1 / (1 + q.pmap([](const cell& x) { return x.height; }).preduce(ikra::max).value());
      q = q.pstencil({-1, 1}, ikra::clamp, [](auto v) { return v[-1] * v[1] / 2; });
    }
  });
  return q.preduce([](const cell& a, const cell& b) { return cell{a.height + b.height, a.speed}; }).value().height + t;
}

int main() {
  const ikra::array<int> a = ikra::pnew(50, [](std::int64_t i) { return static_cast<int>(i % 11); });
  const bytes b = ikra::pnew({9, 7}, [](const ikra::index<2>& i) { return static_cast<std::uint8_t>(i[0] * i[1]); });
  std::printf("narrow %d\n", narrow(b, 6));
  std::printf("countdown %d %d %d\n", countdown(a, 9), countdown(a, 2), countdown(a, 0));
  std::printf("sizes %d\n", sizes(a, ikra::pnew(4, [](std::int64_t i) { return static_cast<int>(i * 3); }), b, 500));
  for (const ikra::array<int>& before : {a, ikra::array<int>(), ikra::array<int>(std::vector<int>{4, 5})})
    std::printf("sizes before %d\n", sizes_before(a, before, 3));
  ikra::array<int> u = a, v = a.pmap([](int x) { return x + 5; });
  figures of;
  int steps = 0, most = 9;
  std::printf("solve %d", solve(u, v, steps, of, most));
  std::printf(" %d", solve(u, u, steps, of, most = 15));
  std::printf(" %d", solve(v, u, most, of, most));
  std::printf(" %d", solve(v, u, of.steps, of, most));
  std::printf(" %d %d %d %g %d %d\n", steps, most, of.steps, of.sum, u.sum(), v.sum());
  std::printf("changing %d\n", changing(a, 5));
  std::printf("kept %d\n", kept(a, 4));
  std::printf("fields %d\n", fields(a, 9, {3, 0.25}));
  std::printf("left %d\n", left(a, 3));
  std::printf("checked %g\n", double(checked(ikra::pnew(20, [](std::int64_t i) { return cell{static_cast<float>(i % 3), 1}; }))));
  std::printf("names %d\n", names(a, 3, {2, 5, {}}));
  std::printf("products %g\n", double(products(ikra::pnew(20, [](std::int64_t i) { return cell{static_cast<float>(i % 3) / 4, 1}; }))));
}
